//! A floor, and the smallest reaction that keeps a body above it.
//!
//! The floor is horizontal and without friction: it only pushes, straight up (Gross 2023, Sec. 3.1.1, "a reaction force of contact").
//! Of the six ways a body can move, its points' heights see only three: rising, and turning about the two horizontal axes.
//! So whatever the number of contacts, the reaction has three numbers, and three contacts are enough to bear it:
//!
//! | here | meaning |
//! |---|---|
//! | s | (rise, turn about x, turn about z) of the body, to first order |
//! | a_j = (1, −z_j, x_j) | gap of point j grows by a_j · s; a unit push there is the reaction a_j |
//! | r = Σ λ_j a_j, λ ≥ 0 | the reaction: (force, torque about x, torque about z) |
//! | S | compliance: s = S r |
//!
//! The reaction solves the small quadratic program `min ½ rᵀ S r` with `gap_j + a_j · S r ≥ 0`, `λ_j ≥ 0`, `λ_j (gap_j + a_j · S r) = 0`.

use nalgebra::{Matrix3, Matrix4, Vector3, Vector4};

use crate::Error;

/// A horizontal floor, without friction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Floor {
    /// Its height, metres above the world's origin.
    pub height: f64,
}

impl Floor {
    /// Checks the height.
    ///
    /// # Errors
    /// It is not finite.
    pub fn validate(&self) -> Result<(), Error> {
        if self.height.is_finite() {
            return Ok(());
        }
        Err(Error::Parameter { name: "floor height", value: self.height, expected: "a finite number of metres" })
    }
}

/// A point near the floor: its height above it, and its place over it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Near {
    /// Height above the floor, metres.
    pub gap: f64,
    /// a = (1, −z, x), with x and z from the point about which torques are taken, metres.
    pub arm: Vector3<f64>,
}

/// r = (force, torque about x, torque about z): the reaction that just keeps the points up, where a reaction r lifts the body by `compliance` r.
///
/// The points are added one by one, the deepest first, to a basis of at most three that bear the body; each addition is solved exactly by
/// trying all ways to choose the bearing points among the old ones and the new one. The work of the reaction grows with each, so it ends.
pub fn reaction<'a>(compliance: &Matrix3<f64>, points: impl Iterator<Item = Near> + Clone + 'a, tolerance: f64) -> Vector3<f64> {
    let mut bearing = Bearing::default();
    for _ in 0..MOST_EXCHANGES {
        let lift = compliance * bearing.reaction;
        let height = |point: &Near| point.gap + point.arm.dot(&lift);
        let Some(deepest) = points.clone().min_by(|a, b| height(a).total_cmp(&height(b))) else { break };
        if height(&deepest) >= -tolerance {
            break;
        }
        let Some(next) = bearing.with(deepest, compliance) else { break };
        bearing = next;
    }
    bearing.reaction
}

/// More exchanges than this do not happen but by round-off among points that are level to `tolerance`.
const MOST_EXCHANGES: usize = 100;

/// The points that bear the body, at most three, and what they bear.
#[derive(Debug, Clone, Copy, Default)]
struct Bearing {
    points: [Option<Near>; 3],
    reaction: Vector3<f64>,
}

impl Bearing {
    /// The bearing points among these and `new`, which must be one of them: the choice that comes nearest to pushing only and holding all up.
    fn with(&self, new: Near, compliance: &Matrix3<f64>) -> Option<Bearing> {
        let [a, b, c] = self.points;
        let choices = [0, 1, 2, 3, 4, 5, 6].map(|mask: u8| {
            let keep = |point: Option<Near>, bit: u8| if mask & bit != 0 { point } else { None };
            [Some(new), keep(a, 1), keep(b, 2), keep(c, 4)]
        });
        let all = [Some(new), a, b, c];
        let mut best: Option<(f64, Bearing)> = None;
        for choice in choices {
            let Some((pull, reaction)) = hold(&choice, compliance) else { continue };
            let lift = compliance * reaction;
            let sunk = all.iter().flatten().map(|point| -(point.gap + point.arm.dot(&lift))).fold(0.0, f64::max);
            let fault = f64::max(sunk, pull);
            if best.is_none_or(|(least, _)| fault < least) {
                let mut points = [None; 3];
                for (slot, point) in points.iter_mut().zip(choice.into_iter().flatten()) {
                    *slot = Some(point);
                }
                best = Some((fault, Bearing { points, reaction }));
            }
        }
        best.map(|(_, bearing)| bearing)
    }
}

/// The reaction that holds exactly these points at the floor, and how hard the worst of them pulls (as a length: its own compliance times the
/// pull); `None` if they do not determine it.
fn hold(points: &[Option<Near>; 4], compliance: &Matrix3<f64>) -> Option<(f64, Vector3<f64>)> {
    // Absent points get a row of the identity: their push is zero.
    let mut matrix = Matrix4::identity();
    let mut gaps = Vector4::zeros();
    for (i, a) in points.iter().enumerate().filter_map(|(i, point)| Some((i, point.as_ref()?))) {
        gaps[i] = -a.gap;
        for (k, b) in points.iter().enumerate().filter_map(|(k, point)| Some((k, point.as_ref()?))) {
            matrix[(i, k)] = a.arm.dot(&(compliance * b.arm));
        }
    }
    let scale = matrix.diagonal();
    if (0..4).any(|i| scale[i].is_nan() || scale[i] <= 0.0) {
        return None;
    }
    // To a unit diagonal, so that points on one line are recognised whatever the units.
    let root = scale.map(f64::sqrt);
    let unit = Matrix4::from_fn(|i, k| matrix[(i, k)] / (root[i] * root[k]));
    let factor = unit.cholesky().filter(|factor| factor.l_dirty().diagonal().min() > DEPENDENT)?;
    let push = factor.solve(&gaps.component_div(&root)).component_div(&root);
    let pull = (0..4).map(|i| -push[i] * scale[i]).fold(0.0, f64::max);
    let reaction = points.iter().zip(push.iter()).filter_map(|(point, &push)| Some(point.as_ref()?.arm * push)).sum();
    Some((pull, reaction))
}

/// Pivot, of a matrix with unit diagonal, below which contacts hang on each other.
const DEPENDENT: f64 = 1e-6;
