//! One step of a crawl: the placement in which drag balances weight. The table of symbols is that of [`super::crawl`].

use nalgebra::{Matrix3, Vector3};

use super::crawl::{Crawl, CrawlReport, CrawlState, Placed};
use crate::lie::Momentum;
use crate::medium::{Laid, Sample, Stance};

/// Scaled residual at which a step counts as solved, and one above which it has failed.
const SOLVED: f64 = 1e-13;
const ACCEPTABLE: f64 = 1e-10;

/// Iterations after which a step has failed.
const MOST_ITERATIONS: usize = 60;

/// Shorter steps, in sizes of the body, are not tried.
const SHORTEST: f64 = 1e-14;

/// The body in the last placement, and its next shape.
pub(super) struct Bodies<'a> {
    pub crawl: &'a Crawl,
    pub state: &'a CrawlState,
    /// The next shape: x, height, z in the level plane, metres.
    pub curve: &'a [Vector3<f64>],
}

/// E of a step with its derivatives by the stance of the new shape and of the old, and Σ ∂dᵀ(B + C)∂d, all by (turn, shift, shift).
struct Cost {
    energy: f64,
    by_new: Vector3<f64>,
    by_old: Vector3<f64>,
    stiffness: Matrix3<f64>,
}

impl Bodies<'_> {
    /// Quasi-Newton from where the shape is in place: the first slope of the equations is that of Gauss and Newton, later ones learn from the steps
    /// (Broyden).
    pub(super) fn solve(&self, dt: f64) -> Option<(Placed, CrawlReport)> {
        let old = &self.state.placed;
        let shift = self.curve[self.state.held] - old.curve[self.state.held];
        let scales = self.scales(dt);
        let mut at = self.trial(&old.stance?.moved(&self.crawl.land, &Vector3::new(0.0, shift.x, shift.z)), &scales)?;
        let in_place = at.cost.energy;
        let mut slope = scales.slope(&at.cost.stiffness);
        let mut iterations = 0;
        while at.left.norm() > SOLVED && iterations < MOST_ITERATIONS {
            let step = slope.lu().solve(&-at.left)?;
            let Some((next, step)) = self.nearer(&at, step / step.norm().max(1.0), &scales) else { break };
            slope += (next.left - at.left - slope * step) * step.transpose() / step.norm_squared();
            at = next;
            iterations += 1;
        }
        let report = self.report(&at, in_place, iterations, dt);
        Some((at.placed, report))
    }

    /// The placement after a scaled step, halved until less is left over; with the step taken. `None` if nothing helps.
    fn nearer(&self, at: &Trial, mut step: Vector3<f64>, scales: &Scales) -> Option<(Trial, Vector3<f64>)> {
        while step.norm() > SHORTEST {
            let stance = at.placed.stance?.moved(&self.crawl.land, &step.component_mul(&scales.unit));
            match self.trial(&stance, scales) {
                Some(next) if next.left.norm() < at.left.norm() => return Some((next, step)),
                _ => step *= 0.5,
            }
        }
        None
    }

    fn trial(&self, stance: &Stance, scales: &Scales) -> Option<Trial> {
        let old = &self.state.placed;
        let placed = self.place(stance)?;
        let cost = cost(old, &placed);
        let left = imbalance(&cost, old, &placed, scales.dt).component_mul(&scales.unit) / scales.one;
        Some(Trial { placed, cost, left })
    }

    /// Turns count by the root mean square distance of the points from their mean, and 1 is what moving by as much costs.
    fn scales(&self, dt: f64) -> Scales {
        let samples = &self.state.placed.samples;
        let mean = samples.iter().map(|sample| sample.point).sum::<Vector3<f64>>() / samples.len() as f64;
        let spread = samples.iter().map(|sample| (sample.point - mean).norm_squared()).sum::<f64>() / samples.len() as f64;
        let radius = if spread > 0.0 { spread.sqrt() } else { 1.0 };
        let trace: f64 = samples.iter().map(|sample| 3.0 * sample.round + sample.axial).sum();
        Scales { dt, unit: Vector3::new(1.0, radius, radius), one: radius * radius * trace }
    }

    /// The shape laid out from `stance`.
    pub(super) fn place(&self, stance: &Stance) -> Option<Placed> {
        let laid = Laid::new(&self.crawl.land, self.curve, self.state.held, stance)?;
        let (axes, axis_rates) = axes(&laid);
        let given = self.state.frame.samples();
        let samples = given.zip(laid.points.iter().zip(&axes)).map(|(given, (&point, &axis))| Sample { point, axis, ..given }).collect();
        let fall = |k: usize| laid.rates.iter().zip(&self.state.masses).map(|(rates, mass)| -mass * self.crawl.gravity * rates[k].y).sum();
        let weight = Vector3::new(fall(0), fall(1), fall(2));
        Some(Placed { stance: Some(*stance), curve: self.curve.to_vec(), laid, samples, axis_rates, weight })
    }

    fn report(&self, found: &Trial, in_place: f64, iterations: usize, dt: f64) -> CrawlReport {
        let (old, at) = (&self.state.placed, &found.placed);
        let mut drag = Momentum::zero();
        let mut fallen = 0.0;
        for (j, (a, b)) in old.samples.iter().zip(&at.samples).enumerate() {
            let d = b.point - a.point;
            let (before, after) = (a.times(&d), b.times(&d));
            drag.linear += (before + after) * (0.5 / dt);
            drag.angular += (b.point.cross(&before) + a.point.cross(&after)) * (0.5 / dt);
            fallen -= self.state.masses[j] * d.y;
        }
        let turn = old.stance.zip(at.stance).map_or(0.0, |(old, new)| new.heading() - old.heading());
        let rate = 1.0 / (dt * dt);
        CrawlReport {
            drag,
            dissipation: found.cost.energy * rate,
            weight_power: self.crawl.gravity * fallen / dt,
            in_place: in_place * rate,
            turn: turn.sin().atan2(turn.cos()),
            residual: found.left.norm(),
            iterations,
            converged: found.left.norm() <= ACCEPTABLE,
        }
    }
}

/// A placement that may be the one.
struct Trial {
    placed: Placed,
    cost: Cost,
    /// Drag less weight, scaled.
    left: Vector3<f64>,
}

/// What makes the equations of a step dimensionless.
struct Scales {
    dt: f64,
    /// Of a turn and two shifts: radians, metres.
    unit: Vector3<f64>,
    /// What counts as 1.
    one: f64,
}

impl Scales {
    fn slope(&self, stiffness: &Matrix3<f64>) -> Matrix3<f64> {
        Matrix3::from_fn(|i, k| stiffness[(i, k)] * self.unit[i] * self.unit[k] / self.one)
    }
}

/// E of the step from `old` to `new`.
fn cost(old: &Placed, new: &Placed) -> Cost {
    let mut cost = Cost { energy: 0.0, by_new: Vector3::zeros(), by_old: Vector3::zeros(), stiffness: Matrix3::zeros() };
    for (j, (a, b)) in old.samples.iter().zip(&new.samples).enumerate() {
        let (d, round) = (b.point - a.point, a.round + b.round);
        let (along_old, along_new) = (a.axis.dot(&d), b.axis.dot(&d));
        cost.energy += 0.5 * (round * d.norm_squared() + a.axial * along_old * along_old + b.axial * along_new * along_new);
        let (rates, back) = (&new.laid.rates[j], &old.laid.rates[j]);
        // Of along_old and along_new, as the new shape moves.
        let of_old: [f64; 3] = rates.map(|rate| a.axis.dot(&rate));
        let of_new: [f64; 3] = std::array::from_fn(|k| b.axis.dot(&rates[k]) + new.axis_rates[j][k].dot(&d));
        for k in 0..3 {
            cost.by_new[k] += round * d.dot(&rates[k]) + a.axial * along_old * of_old[k] + b.axial * along_new * of_new[k];
            let turned = old.axis_rates[j][k].dot(&d) - a.axis.dot(&back[k]);
            cost.by_old[k] += a.axial * along_old * turned - round * d.dot(&back[k]) - b.axial * along_new * b.axis.dot(&back[k]);
            for l in 0..3 {
                let axial = a.axial * of_old[k] * of_old[l] + b.axial * of_new[k] * of_new[l];
                cost.stiffness[(k, l)] += round * rates[k].dot(&rates[l]) + axial;
            }
        }
    }
    cost
}

/// Drag less weight along each way to move, times 2Δt: the mean of both ends.
fn imbalance(cost: &Cost, old: &Placed, new: &Placed, dt: f64) -> Vector3<f64> {
    let (at_new, at_old) = (cost.by_new - new.weight * (2.0 * dt), -cost.by_old - old.weight * (2.0 * dt));
    match (&old.stance, &new.stance) {
        (Some(before), Some(after)) => (at_new + after.seen_from(before) * at_old) * 0.5,
        _ => at_new,
    }
}

/// Two unit vectors that cancel to less than this have no direction of their own.
const NO_DIRECTION: f64 = 1e-9;

/// Unit tangents at the vertices, the normalised sums of the adjacent edges' directions (Gross 2023, Sec. 4), and how they change with the stance.
fn axes(laid: &Laid) -> (Vec<Vector3<f64>>, Vec<[Vector3<f64>; 3]>) {
    let none = [Vector3::zeros(); 4];
    // The direction of an edge, then its rates.
    let edge = |i: usize| {
        let way = laid.points[i + 1] - laid.points[i];
        let length = way.norm();
        if length == 0.0 {
            return none;
        }
        let along = way / length;
        let rate = |k: usize| across(&along, &((laid.rates[i + 1][k] - laid.rates[i][k]) / length));
        [along, rate(0), rate(1), rate(2)]
    };
    let edges: Vec<[Vector3<f64>; 4]> = (0..laid.points.len().saturating_sub(1)).map(edge).collect();
    let at = |i: Option<usize>| i.and_then(|i| edges.get(i)).copied().unwrap_or(none);
    (0..laid.points.len())
        .map(|j| {
            let (before, after) = (at(j.checked_sub(1)), at(Some(j)));
            let sum = before[0] + after[0];
            let length = sum.norm();
            if length <= NO_DIRECTION {
                return (Vector3::zeros(), [Vector3::zeros(); 3]);
            }
            let axis = sum / length;
            (axis, std::array::from_fn(|k| across(&axis, &((before[k + 1] + after[k + 1]) / length))))
        })
        .unzip()
}

/// The part of `vector` across a unit axis.
fn across(axis: &Vector3<f64>, vector: &Vector3<f64>) -> Vector3<f64> {
    vector - axis * axis.dot(vector)
}
