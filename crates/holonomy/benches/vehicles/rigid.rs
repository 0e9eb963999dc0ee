//! The free rigid body by many integrators (Kobilarov 2009, Fig. 4): twenty bodies over four minutes, in closed form ([`Study`]).
//!
//! Errors are means over the whole seconds of the bodies that did not blow up. MuJoCo moves in the world frame, so that only its rotation compares.

use std::hint::black_box;

use holonomy::integrate::rigid_body::{Errors, Integrator, Study};

use crate::peers;
use crate::timing::Rate;

/// Those of the peers.
const STEPS_PER_SECOND: [usize; 6] = [5, 10, 20, 50, 100, 400];

/// For the chart; fewer than one are too few for any.
const FINER: [usize; 10] = [1, 2, 3, 5, 7, 10, 20, 50, 100, 400];

/// Who has to be beaten, as compiled here.
const OTHERS: [Integrator; 4] = [Integrator::RungeKutta2, Integrator::RungeKutta2Implicit, Integrator::RungeKutta4, Integrator::Newmark];

/// One integrator at one step.
struct Measured {
    integrator: Integrator,
    steps_per_second: usize,
    rate: Rate,
    errors: Errors,
}

impl Measured {
    fn of(study: &Study, integrator: Integrator, steps_per_second: usize) -> Measured {
        let errors = study.errors(&study.poses(integrator, steps_per_second));
        let steps = study.bodies().len() * Study::SECONDS * steps_per_second;
        let rate = Rate::of(steps, || {
            black_box(study.poses(integrator, steps_per_second));
        });
        Measured { integrator, steps_per_second, rate, errors }
    }

    fn json(&self) -> String {
        let Errors { rotation, position, blown_up, lost, bodies: _ } = self.errors;
        // JSON has no NaN.
        let number = |error: Option<f64>| error.map_or("null".to_owned(), |error| format!("{error:e}"));
        let (rotation, position) = (number(rotation), number(position));
        format!(
            "{{\"name\": \"rigid/free/holonomy_{}\", \"size\": {}, \"metric\": \"steps_per_s\", {}, \"rot_err_rad\": {rotation}, \
             \"pos_err_m\": {position}, \"blown_up\": {blown_up}, \"lost\": {lost}, \"h\": {}, \"threads\": 1}}",
            self.integrator.name(),
            self.steps_per_second * Study::SECONDS,
            self.rate.json(),
            1.0 / self.steps_per_second as f64,
        )
    }

    /// Its error of the rotation; infinite where a body blew up.
    fn rotation(&self) -> f64 {
        self.errors.rotation.filter(|_| self.errors.blown_up == 0).unwrap_or(f64::INFINITY)
    }

    /// Microseconds for one body over four minutes.
    fn cost(&self) -> f64 {
        1e6 * (Study::SECONDS * self.steps_per_second) as f64 / self.rate.cpu
    }
}

/// What a peer printed.
struct Peer {
    name: String,
    steps_per_second: usize,
    rate: f64,
    rotation: f64,
}

impl Peer {
    fn read(line: &str) -> Option<Peer> {
        let name = peers::field(line, "name")?.trim_matches('"').strip_prefix("rigid/free/")?.to_owned();
        let steps: usize = peers::field(line, "size")?.parse().ok()?;
        let number = |key: &str| peers::field(line, key)?.parse().ok();
        Some(Peer { name, steps_per_second: steps / Study::SECONDS, rate: number("cpu")?, rotation: number("rot_err_rad")? })
    }
}

/// JSON lines.
pub fn lines() {
    let study = Study::new();
    for integrator in Integrator::ALL {
        for steps_per_second in STEPS_PER_SECOND {
            println!("{}", Measured::of(&study, integrator, steps_per_second).json());
        }
    }
}

/// Rates and errors, then what each accuracy costs.
pub fn table() {
    let peers = peers::lines("rigid.py", Peer::read).unwrap_or_else(|why| {
        eprintln!("peers left out: {why}");
        Vec::new()
    });
    let study = Study::new();
    let all: Vec<Measured> =
        Integrator::ALL.into_iter().flat_map(|way| FINER.map(|steps_per_second| Measured::of(&study, way, steps_per_second))).collect();
    println!(
        "free rigid body: million steps per second of processor time, mean errors over four minutes of position, m, and rotation, rad,"
    );
    println!("of the bodies that did not blow up, and how many did\n");
    println!("| steps per second | {} |", FINER.map(|steps| steps.to_string()).join(" | "));
    println!("|-|{}", "-:|".repeat(FINER.len()));
    for integrator in Integrator::ALL {
        let cells = all.iter().filter(|found| found.integrator == integrator);
        let number = |error: Option<f64>| error.map_or("–".to_owned(), |error| format!("{error:.1e}"));
        let cell = |found: &Measured| {
            let Errors { rotation, position, blown_up, .. } = found.errors;
            format!("{:.2}, {}, {}, {blown_up}", 1e-6 * found.rate.cpu, number(position), number(rotation))
        };
        let cells: Vec<String> = cells.map(cell).collect();
        println!("| {} | {} |", integrator.name(), cells.join(" | "));
    }
    let mut names: Vec<&str> = peers.iter().map(|peer| peer.name.as_str()).collect();
    names.dedup();
    for name in names {
        let cell = |steps: usize| {
            let peer = peers.iter().find(|peer| peer.name == name && peer.steps_per_second == steps);
            peer.map_or("–".into(), |peer| format!("{:.2}, {:.1e}", 1e-6 * peer.rate, peer.rotation))
        };
        println!("| {name} | {} |", FINER.map(cell).join(" | "));
    }
    chart(&all, &peers);
}

/// Costs by integrator, from long steps to short ones: error and microseconds.
type Curve = (String, Vec<(f64, f64)>);

fn chart(all: &[Measured], peers: &[Peer]) {
    let curve = |way: &Integrator| -> Curve {
        let found = all.iter().filter(|found| found.integrator == *way);
        (way.name().into(), found.map(|found| (found.rotation(), found.cost())).collect())
    };
    let (ours, theirs): (Vec<Integrator>, Vec<Integrator>) = Integrator::ALL.iter().partition(|way| !OTHERS.contains(way));
    let (ours, mut theirs): (Vec<Curve>, Vec<Curve>) = (ours.iter().map(curve).collect(), theirs.iter().map(curve).collect());
    // The same method compiled by numba, at its best rate.
    for (name, same) in [("numba_rk2", Integrator::RungeKutta2), ("numba_rk4", Integrator::RungeKutta4)] {
        let best = peers.iter().filter(|peer| peer.name == name).map(|peer| peer.rate).fold(0.0, f64::max);
        let found = all.iter().filter(|found| found.integrator == same && best > 0.0);
        let cost = |found: &Measured| 1e6 * (Study::SECONDS * found.steps_per_second) as f64 / best;
        theirs.push((name.into(), found.map(|found| (found.rotation(), cost(found))).collect()));
    }
    println!("\nmicroseconds of processor time for one body over four minutes, by the cheapest step that reaches an accuracy\n");
    println!("| rotation, rad | ours | µs | cheapest other | µs | gain |\n|-|-|-:|-|-:|-:|");
    for power in 1..=8 {
        let target = 0.1_f64.powi(power);
        let cheapest = |curves: &[Curve]| {
            let costs = curves.iter().filter_map(|(name, curve)| Some((name.clone(), cost_of(curve, target)?)));
            costs.min_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or(("none".into(), f64::NAN))
        };
        let ((name, cost), (other, other_cost)) = (cheapest(&ours), cheapest(&theirs));
        println!("| 1e-{power} | {name} | {cost:.1} | {other} | {other_cost:.1} | {:.1} × |", other_cost / cost);
    }
}

/// What an accuracy costs, between the steps that were measured; with the longest of them if that does.
fn cost_of(curve: &[(f64, f64)], target: f64) -> Option<f64> {
    let at = curve.iter().position(|(error, _)| *error <= target)?;
    let (error, cost) = curve[at];
    let before = at.checked_sub(1).map(|before| curve[before]).filter(|(error, _)| error.is_finite());
    let Some((coarse_error, coarse_cost)) = before else { return Some(cost) };
    let share = (target.ln() - coarse_error.ln()) / (error.ln() - coarse_error.ln());
    Some((coarse_cost.ln() + share * (cost.ln() - coarse_cost.ln())).exp())
}
