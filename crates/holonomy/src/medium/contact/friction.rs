//! Friction of the points that bear a body: Coulomb's law at each of them.
//!
//! A bearing point has the push p ≥ 0 along the normal and the friction f across it. While pushes and friction take turns, p is given and f is
//! the point of the disc |f| ≤ μ p that is most against the slip. Where they chase each other — a steep rod is pushed the less the more it
//! rubs, and turns to other corners — both are found together: point by point, each exactly, round after round (non-smooth Gauss–Seidel:
//! Moreau 1999; Jean 1999). For one point alone there always is a solution, whatever its coefficient and its shape: see [`Lever::bear`].

use nalgebra::{Matrix2, Vector2, Vector3, Vector6};

use super::{Moving, Near};
use crate::lie::Pose;
use crate::solve::quadratic::Compliance;

/// A bearing point and its friction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Lever {
    /// What bears, where and along which normal.
    pub near: Near,
    /// p, N s.
    pub push: f64,
    /// f, N s.
    pub rub: Vector2<f64>,
    /// The directions of f, world.
    pub tangents: [Vector3<f64>; 2],
    /// Momenta of unit impulses along them: the columns of Tᵀ.
    across: [Vector6<f64>; 2],
    /// How the twist changes with unit impulses along the normal and the tangents: A⁻¹ a, A⁻¹ Tᵀ.
    moved: [Vector6<f64>; 3],
    /// How the rise and the slip change with a unit push: a · A⁻¹ a and T A⁻¹ a, 1/kg.
    raised: f64,
    swayed: Vector2<f64>,
    /// How the slip changes with friction.
    give: Give,
    /// How fast it slips at the pose that was last looked at, along the tangents, over the whole step, m/s.
    slip: Vector2<f64>,
}

/// The coefficient of friction, and whether friction follows the slip or stays as it is, but for what the pushes do not bear.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Friction {
    Free(f64),
    Frozen(f64),
}

/// Rounds over the bearing points in one turn of friction alone.
const MOST_ROUNDS: usize = 100;

/// Share of an impulse by which a round may still change it, of friction alone and of both together.
const SETTLED: f64 = 1e-14;
const SETTLED_TOGETHER: f64 = 1e-12;

/// Rounds over the bearing points in one turn of pushes and friction together.
const MOST_ROUNDS_TOGETHER: usize = 300;

impl Lever {
    /// With the push and the friction that it had, if it bore before.
    pub fn new(body: &Moving, near: &Near, compliance: &Compliance<6>, (push, rub): (f64, Vector2<f64>)) -> Lever {
        let normal = near.normal;
        // The ground's normal points up, so it is never along x and z both.
        let first = normal.cross(&Vector3::z()).try_normalize(1e-3).unwrap_or_else(|| normal.cross(&Vector3::x()).normalize());
        let tangents = [first, normal.cross(&first)];
        let across = tangents.map(|tangent| body.lever(&near.point, &tangent));
        let moved = [near.arm, across[0], across[1]].map(|unit| compliance.apply(&unit));
        let give = Give::new(across[0].dot(&moved[1]), across[0].dot(&moved[2]), across[1].dot(&moved[2]));
        let (raised, swayed) = (near.arm.dot(&moved[0]), Vector2::from(across.map(|across| across.dot(&moved[0]))));
        Lever { near: *near, push, rub, tangents, across, moved, raised, swayed, give, slip: Vector2::zeros() }
    }

    /// Momentum of its friction.
    pub fn rubbing(&self) -> Vector6<f64> {
        self.across[0] * self.rub.x + self.across[1] * self.rub.y
    }

    /// Looks at how it slips.
    pub fn look(&mut self, body: &Moving, pose: &Pose) {
        self.slip = self.slip_at(body, pose);
    }

    fn slip_at(&self, body: &Moving, pose: &Pose) -> Vector2<f64> {
        let moved = pose.act(&body.after[self.near.vertex]) - body.pose.act(&body.before[self.near.vertex]);
        Vector2::from(self.tangents.map(|tangent| tangent.dot(&moved) / body.time_step))
    }

    /// How far its friction is from Coulomb's law, metres of slip in the step.
    pub fn violation(&self, body: &Moving, pose: &Pose, friction: f64) -> f64 {
        (self.against(&self.slip_at(body, pose), friction) - self.rub).norm() * self.give.along.x * body.time_step
    }

    /// The friction that is nearer to Coulomb's law than the present one; the same if it holds already: f = the point of the disc |f| ≤ μ p
    /// nearest to f − slip / give.
    fn against(&self, slip: &Vector2<f64>, friction: f64) -> Vector2<f64> {
        (self.rub - slip / self.give.along.x).cap_magnitude(friction * self.push)
    }

    /// T y.
    fn along(&self, twist: &Vector6<f64>) -> Vector2<f64> {
        Vector2::from(self.across.map(|across| across.dot(twist)))
    }

    /// The push and friction with which the point neither sinks nor breaks Coulomb's law, while all other points push and rub as they do.
    /// `rise` and `slip` are how fast it moves along the normal, beyond what keeps it up, and along the tangents.
    ///
    /// For a given p the friction f(p) is unique: it makes least the energy of the slip over the disc |f| ≤ μ p. It is continuous in p, and so
    /// is the rise; that is negative at p = 0, or there is no push, and positive for great p, because A is positive. Between lies a root.
    fn bear(&self, rise: f64, slip: &Vector2<f64>, friction: f64) -> (f64, Vector2<f64>) {
        // Without the present push and friction.
        let rise = rise - self.raised * self.push - self.swayed.dot(&self.rub);
        let slip = slip - self.swayed * self.push - self.give.slip(&self.rub);
        if rise >= 0.0 || self.raised <= 0.0 || self.raised.is_nan() {
            return (0.0, Vector2::zeros());
        }
        let rub = |push: f64| self.give.against(&(slip + self.swayed * push), friction * push);
        let risen = |push: f64| rise + self.raised * push + self.swayed.dot(&rub(push));
        let (mut low, mut high) = ((0.0, rise), (-rise / self.raised, 0.0));
        high.1 = risen(high.0);
        while high.1 < 0.0 && high.0.is_finite() {
            low = high;
            high.0 *= 2.0;
            high.1 = risen(high.0);
        }
        // Regula falsi, that halves the value of an end that stays (Illinois).
        let mut side = 0;
        for _ in 0..100 {
            let push = (low.0 * high.1 - high.0 * low.1) / (high.1 - low.1);
            let value = risen(push);
            if value.abs() <= 1e-15 * rise.abs() || high.0 - low.0 <= 1e-15 * high.0 {
                return (push, rub(push));
            }
            if value < 0.0 {
                (low, high.1) = ((push, value), if side < 0 { 0.5 * high.1 } else { high.1 });
                side = -1;
            } else {
                (high, low.1) = ((push, value), if side > 0 { 0.5 * low.1 } else { low.1 });
                side = 1;
            }
        }
        (high.0, rub(high.0))
    }
}

/// G = T A⁻¹ Tᵀ, 1/kg: how the slip of a point changes with its friction, by its axes.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Give {
    axes: Matrix2<f64>,
    /// Along the axes, the larger first.
    along: Vector2<f64>,
}

impl Give {
    /// Of `[[a, b], [b, c]]`.
    fn new(a: f64, b: f64, c: f64) -> Give {
        let (sin, cos) = (0.5 * f64::atan2(2.0 * b, a - c)).sin_cos();
        let (mean, half) = (0.5 * (a + c), f64::hypot(0.5 * (a - c), b));
        Give { axes: Matrix2::new(cos, -sin, sin, cos), along: Vector2::new(mean + half, mean - half) }
    }

    /// G f.
    fn slip(&self, rub: &Vector2<f64>) -> Vector2<f64> {
        self.axes * self.axes.tr_mul(rub).component_mul(&self.along)
    }

    /// The f within `radius` with least ½ f · G f + f · slip: it stops the slip if it can; if not, it is at the rim and against what slip it
    /// leaves, G f + slip = −λ f. In the axes of G, f = −slip / (g + λ), and its length falls with λ > 0: Newton on 1/|f|, which is nearly
    /// straight (Moré and Sorensen 1983).
    fn against(&self, slip: &Vector2<f64>, radius: f64) -> Vector2<f64> {
        let (slip, give) = (self.axes.tr_mul(slip), self.along);
        let mut over = 0.0;
        let mut rub = -slip.component_div(&give);
        for _ in 0..50 {
            let length = rub.norm();
            if length <= radius * (1.0 + 4.0 * f64::EPSILON) {
                break;
            }
            let softer = give.add_scalar(over);
            over += (length / radius - 1.0) * length * length / rub.component_div(&softer).dot(&rub);
            rub = -slip.component_div(&give.add_scalar(over));
        }
        let rub = if rub.iter().all(|x| x.is_finite()) { rub.cap_magnitude(radius) } else { Vector2::zeros() };
        self.axes * rub
    }
}

/// Friction of the bearing points for their pushes: each in turn is as much against its slip as it may be, until all are. `moved` is the change
/// of twist since their slip was found.
pub(super) fn rub_against_slip(levers: &mut [Lever], friction: f64, mut moved: Vector6<f64>) {
    rounds((MOST_ROUNDS, SETTLED), levers, |lever| {
        let rub = lever.against(&(lever.slip + lever.along(&moved)), friction);
        let step = rub - lever.rub;
        moved += lever.moved[1] * step.x + lever.moved[2] * step.y;
        lever.rub = rub;
        (step.norm(), rub.norm())
    });
}

/// Pushes and friction of the bearing points together, each in turn for what the others do. `moved` is the change of twist since their slip was
/// found at the twist `from`; returned as it becomes.
pub(super) fn bear_together(levers: &mut [Lever], friction: Friction, from: &Vector6<f64>, mut moved: Vector6<f64>) -> Vector6<f64> {
    rounds((MOST_ROUNDS_TOGETHER, SETTLED_TOGETHER), levers, |lever| {
        let rise = lever.near.arm.dot(&(from + moved)) - lever.near.bound;
        let (push, rub) = match friction {
            Friction::Free(friction) => lever.bear(rise, &(lever.slip + lever.along(&moved)), friction),
            Friction::Frozen(friction) => {
                let push = (lever.push - rise / lever.raised).max(0.0);
                (push, lever.rub.cap_magnitude(friction * push))
            }
        };
        let (more, step) = (push - lever.push, rub - lever.rub);
        moved += lever.moved[0] * more + lever.moved[1] * step.x + lever.moved[2] * step.y;
        (lever.push, lever.rub) = (push, rub);
        (more.abs().max(step.norm()), push.max(rub.norm()))
    });
    moved
}

/// Rounds over the points until none changes; `visit` returns by how much it changed its point's impulse, and how much that is.
fn rounds((most, settled): (usize, f64), levers: &mut [Lever], mut visit: impl FnMut(&mut Lever) -> (f64, f64)) {
    for _ in 0..most {
        let (mut largest, mut total) = (0.0_f64, 0.0_f64);
        for lever in levers.iter_mut() {
            let (change, size) = visit(lever);
            (largest, total) = (largest.max(change), total.max(size));
        }
        if largest <= settled * total {
            break;
        }
    }
}
