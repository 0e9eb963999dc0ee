//! Plans from rest to rest (Kobilarov 2009, Sec. 6) beside CasADi with IPOPT: a helicopter, a boat that docks in wind, a car between two columns.
//!
//! The peer is given the paper's discrete equations (`dmoc`), which are those that are stepped here, or Runge and Kutta's (`rk4_ms`). Its time is that of the solver
//! alone, without making the problem; ours is all that `Plan::solve` does, several first guesses and all. Gains are by processor time, the steadier
//! figure while other programs hold the cores.

use std::f64::consts::FRAC_PI_2;
use std::hint::black_box;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use holonomy::integrate::controlled::Controlled;
use holonomy::integrate::piloted::Piloted;
use holonomy::integrate::variational::{ForcePoint, Retraction};
use holonomy::lie::{Pose, Pose2, Twist};
use holonomy::medium::obstacle::Obstacle;
use holonomy::nalgebra::{UnitQuaternion, Vector2, Vector3};
use holonomy::systems::plan::{Plan, Planned, Verdict};
use holonomy::systems::vehicle::{Car, Helicopter, PlanarBoat};

use crate::peers;
use crate::timing::Rate;

/// Those of the peers.
const INTERVALS: [usize; 2] = [64, 200];

/// How long each plan is repeated.
const BUDGET: Duration = Duration::from_millis(1500);

/// One plan, solved many times.
struct Measured {
    name: &'static str,
    intervals: usize,
    variables: usize,
    /// Median and best, seconds.
    seconds: [f64; 2],
    repeats: usize,
    /// Processor time, seconds.
    cpu: f64,
    iterations: usize,
    cost: f64,
    violation: f64,
    solved: bool,
}

fn go(_: usize, _: usize) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

impl Measured {
    fn of<V: Controlled<N, M>, const N: usize, const M: usize>(name: &'static str, plan: &Plan<V, N, M>) -> Option<Measured> {
        let planned: Planned<V::State, M> = plan.solve(&mut go).ok()?;
        let (begun, mut walls) = (Instant::now(), Vec::new());
        while walls.len() < 10 || begun.elapsed() < BUDGET {
            let once = Instant::now();
            black_box(plan.solve(&mut go).ok());
            walls.push(once.elapsed().as_secs_f64());
        }
        walls.sort_by(f64::total_cmp);
        let rate = Rate::of(1, || {
            black_box(plan.solve(&mut go).ok());
        });
        Some(Measured {
            name,
            intervals: plan.intervals,
            variables: plan.intervals * (N + M) + N,
            seconds: [walls[walls.len() / 2], walls[0]],
            repeats: walls.len(),
            cpu: 1.0 / rate.cpu,
            iterations: planned.iterations,
            cost: planned.cost,
            violation: planned.dynamics.max(planned.limits).max(planned.goal),
            solved: planned.verdict == Verdict::Solved,
        })
    }

    fn all() -> Vec<Measured> {
        let of = |n: usize| [Measured::of("helicopter", &helicopter(n)), Measured::of("boat", &boat(n)), Measured::of("car", &car(n))];
        INTERVALS.into_iter().flat_map(of).flatten().collect()
    }

    fn json(&self) -> String {
        let [median, best] = self.seconds;
        format!(
            "{{\"name\": \"optimal_control/{}/holonomy\", \"size\": {}, \"metric\": \"solve_s\", \"value\": {median:.6e}, \"best\": {best:.6e}, \"cpu\": {:.6e}, \
             \"repeats\": {}, \"iterations\": {}, \"cost\": {:.6}, \"status\": \"{}\", \"variables\": {}, \"constraint_violation\": {:.3e}, \"threads\": 1}}",
            self.name,
            self.intervals,
            self.cpu,
            self.repeats,
            self.iterations,
            self.cost,
            if self.solved { "Solved" } else { "Unsolved" },
            self.variables,
            self.violation,
        )
    }
}

/// 8 m ahead, 4 m to the left, 3 m up, a quarter turn, in 3.5 s.
fn helicopter(intervals: usize) -> Plan<Piloted<Helicopter>, 12, 4> {
    let craft = Piloted::new(Helicopter::default()).expect("a helicopter").stepping(Retraction::Truncated, ForcePoint::Start);
    let goal = Pose { rotation: UnitQuaternion::from_axis_angle(&Vector3::y_axis(), FRAC_PI_2), translation: Vector3::new(4.0, 3.0, 8.0) };
    let (start, goal) = (craft.at(&Pose::identity(), &Twist::zero()), craft.at(&goal, &Twist::zero()));
    let mut plan = Plan::new(craft, start, goal, 3.5, intervals);
    plan.cost.effort = vec![1.0 / (9.81f64 * 9.81), 1.0, 10.0, 10.0];
    plan
}

/// Docking in a wind that is not the same everywhere.
fn boat(intervals: usize) -> Plan<PlanarBoat, 6, 2> {
    let boat = PlanarBoat::default();
    let goal = Pose2::from_angle_translation(FRAC_PI_2, Vector2::new(10.0, 6.0)).level(0.0);
    let (start, goal) = (boat.at(&Pose::identity(), &Twist::zero()), boat.at(&goal, &Twist::zero()));
    let mut plan = Plan::new(boat, start, goal, 20.0, intervals);
    plan.cost.effort = vec![1.0, 1.0];
    plan
}

/// Past two columns, the steering bounded.
fn car(intervals: usize) -> Plan<Car, 5, 2> {
    let car = Car { point: 1.0, ..Car::default() };
    let goal = Pose2::from_angle_translation(0.0, Vector2::new(10.0, 3.0)).level(0.0);
    let (start, goal) = (car.at(&Pose::identity(), &Twist::zero()), car.at(&goal, &Twist::zero()));
    let mut plan = Plan::new(car, start, goal, 10.0, intervals);
    plan.cost.effort = vec![1.0, 1.0];
    plan.limits.joints = vec![[-1f64.atan(), 1f64.atan()]];
    let column = |x: f64, y: f64| Obstacle::Cylinder { from: Vector3::new(x, -50.0, -y), to: Vector3::new(x, 50.0, -y), radius: 0.9 };
    plan.obstacles = vec![column(3.5, 0.4), column(6.8, 2.4)];
    plan
}

/// What the peer printed.
struct Peer {
    /// Vehicle and transcription.
    name: String,
    intervals: usize,
    cpu: f64,
    iterations: usize,
    cost: f64,
}

impl Peer {
    fn read(line: &str) -> Option<Peer> {
        let number = |key: &str| peers::field(line, key)?.parse::<f64>().ok();
        Some(Peer {
            name: peers::field(line, "name")?.trim_matches('"').strip_prefix("optimal_control/")?.to_owned(),
            intervals: peers::field(line, "size")?.parse().ok()?,
            cpu: number("cpu")?,
            iterations: peers::field(line, "iterations")?.parse().ok()?,
            cost: number("cost")?,
        })
    }
}

/// JSON lines.
pub fn lines() {
    for measured in Measured::all() {
        println!("{}", measured.json());
    }
}

/// Times, iterations and costs, beside the peer's.
pub fn table() {
    let peers = peers::lines("optimal_control.py", Peer::read).unwrap_or_else(|why| {
        eprintln!("peers left out: {why}");
        Vec::new()
    });
    println!("\nplans from rest to rest: milliseconds of processor time, Newton steps, cost\n");
    println!("| vehicle | intervals | here | CasADi + IPOPT, same equations | gain | CasADi + IPOPT, RK4 | gain |\n|-|-:|-:|-:|-:|-:|-:|");
    for found in Measured::all() {
        let beside = |kind: &str| {
            let name = format!("{}/casadi_ipopt_{kind}", found.name);
            let peer = peers.iter().find(|peer| peer.name == name && peer.intervals == found.intervals);
            peer.map_or("– | –".into(), |peer| {
                format!("{:.1}, {}, {:.5} | {:.1} ×", 1e3 * peer.cpu, peer.iterations, peer.cost, peer.cpu / found.cpu)
            })
        };
        println!(
            "| {} | {} | {:.2}, {}, {:.5} | {} | {} |",
            found.name,
            found.intervals,
            1e3 * found.cpu,
            found.iterations,
            found.cost,
            beside("dmoc"),
            beside("rk4_ms")
        );
    }
}
