//! First-order motion from shape change: place the next shape so that the discrete momentum has a given value.
//!
//! Gross 2023, Algs. 1 and 2, with the signs of docs/ERRATA.md. Symbols, for one time edge from an old to a new shape:
//!
//! | here | paper | meaning |
//! |---|---|---|
//! | p, B | p^{t−1}, B^{γ_{t−1}} | points and metric of the old shape |
//! | q, C | p^t, B^{γ_t} | points and metric of the new shape, placed by the unknown motion g: q = R p̂ + b, C = R B̂ Rᵀ |
//! | d | Δp | q − p |
//!
//! Everything is computed in the frame of the *old shape*, centred on it: the unknown is the motion from one shape to the
//! next, not the pose in the world, so precision does not fade as the body travels. The sums over the vertices are taken once
//! (`moments`); after that a Newton iteration costs the same for any number of vertices.

mod gather;
mod level;
mod moments;

use nalgebra::{Matrix3, Matrix6, UnitQuaternion, Vector3, Vector6};

pub use self::level::Level;

use self::moments::Half;

use crate::lie::{Momentum, Pose, Twist};
use crate::medium::{MetricFrame, Sample};
use crate::solve::newton::{self, Solution};

/// Finds the motion g that places `new` (given in its own frame) relative to `old`, both as metric frames, such that
/// the discrete momentum of the time edge is `target` (in the frame of `old`, about its origin).
pub fn step(old: &MetricFrame, new: &MetricFrame, target: &Momentum, settings: newton::Settings) -> Solution<Pose> {
    TimeEdge::new(old, new).step(target, settings)
}

/// Two-point energy E = ½ Σ dᵀ (B + C) d of placing `new` by `g` after `old` (Gross 2023, Eq. 4).
///
/// Divided by Δt² it is the dissipated power; half of that, for an inertia metric, is the kinetic energy.
pub fn energy(old: &MetricFrame, new: &MetricFrame, g: &Pose) -> f64 {
    let r = g.rotation.to_rotation_matrix();
    let cost = |(a, b): (Sample, Sample)| {
        let d = r * b.point + g.translation - a.point;
        let (along_old, along_new) = (a.axis.dot(&d), (r * b.axis).dot(&d));
        0.5 * ((a.round + b.round) * d.norm_squared() + a.axial * along_old * along_old + b.axial * along_new * along_new)
    };
    old.samples().zip(new.samples()).map(cost).sum()
}

/// Discrete momenta of a time edge (Gross 2023, Eq. 5 and Alg. 1), in the frame of `old`, about its origin.
///
/// `μ = −2 Δt × (physical momentum)`; see docs/ERRATA.md.
pub fn discrete_momenta(old: &MetricFrame, new: &MetricFrame, g: &Pose) -> Momentum {
    let r = g.rotation.to_rotation_matrix();
    let mut mu = Momentum { angular: Vector3::zeros(), linear: Vector3::zeros() };
    for (a, b) in old.samples().zip(new.samples()) {
        let (p, q) = (a.point, r * b.point + g.translation);
        let d = q - p;
        let (bd, cd) = (a.times(&d), Sample { axis: r * b.axis, ..b }.times(&d));
        mu.angular -= q.cross(&bd) + p.cross(&cd);
        mu.linear -= bd + cd;
    }
    mu
}

/// One time edge: the moments of both shapes about their centres, and the scales that make its equations dimensionless.
pub struct TimeEdge<'a> {
    old: &'a MetricFrame,
    new: &'a MetricFrame,
    old_center: Vector3<f64>,
    new_center: Vector3<f64>,
    /// The new points move over the old metric.
    from_old: Half,
    /// The old points move over the new metric.
    from_new: Half,
    /// Distance between the shapes with their centres together, root mean square, metres.
    distance: f64,
    /// Root mean square distance from the centre, both shapes together, metres.
    size: f64,
    /// The same, or 1 for bodies without size.
    radius: f64,
    /// Σ trace B times the radius: a momentum that counts as 1.
    scale: f64,
}

/// A motion between the centred shapes, and what the moments need of it.
struct Centred {
    /// R.
    rotation: Matrix3<f64>,
    /// t: where the new centre goes, from the old one, metres.
    shift: Vector3<f64>,
    /// [R − I | t], without cancellation.
    there: moments::Motion,
    /// [Rᵀ − I | −Rᵀ t]: the same motion seen from the new shape.
    back: moments::Motion,
}

/// The equations at a motion.
struct Linearised<'a> {
    edge: &'a TimeEdge<'a>,
    level: Option<Level>,
    motion: Centred,
    forces: Forces,
    residual: Vector6<f64>,
}

impl<'a> Linearised<'a> {
    fn new(edge: &'a TimeEdge, level: Option<Level>, g: &Pose, target: &Momentum) -> Self {
        let motion = Centred::new(g);
        let forces = edge.forces(&motion);
        let miss = forces.momentum - *target;
        let miss = level.map_or(miss, |level| level.free(&miss));
        let (angular, linear) = (miss.angular / (edge.radius * edge.scale), miss.linear / edge.scale);
        let residual = Vector6::new(angular[0], angular[1], angular[2], linear[0], linear[1], linear[2]);
        Linearised { edge, level, motion, forces, residual }
    }
}

impl newton::Linearise for Linearised<'_> {
    fn residual(&self) -> Vector6<f64> {
        self.residual
    }

    fn jacobian(&self) -> Matrix6<f64> {
        let [ww, wv, vw, vv] = self.edge.stiffness(&self.motion, &self.forces);
        let (radius, scale) = (self.edge.radius, self.edge.scale);
        let mut jacobian = Matrix6::zeros();
        jacobian.fixed_view_mut::<3, 3>(0, 0).copy_from(&(ww / -(radius * scale)));
        jacobian.fixed_view_mut::<3, 3>(0, 3).copy_from(&(wv / -scale));
        jacobian.fixed_view_mut::<3, 3>(3, 0).copy_from(&(vw / -scale));
        jacobian.fixed_view_mut::<3, 3>(3, 3).copy_from(&(vv * (-radius / scale)));
        // Of the size of the other pivots: Σ (B + C) over half its trace.
        self.level.map_or(jacobian, |level| level.restrict(&jacobian, -1.0))
    }
}

/// Momentum of a time edge about the old centre, and the sums that its derivative needs as well.
struct Forces {
    momentum: Momentum,
    /// Σ B d.
    bd: Vector3<f64>,
    /// Σ (B d) yᵀ, y = q − t.
    bd_y: Matrix3<f64>,
    /// Σ C d.
    cd: Vector3<f64>,
    /// Σ (C d) pᵀ.
    cd_p: Matrix3<f64>,
}

impl<'a> TimeEdge<'a> {
    /// The edge from `old` to `new`, each in its own frame, with the same number of samples: one pass over them.
    pub fn new(old: &'a MetricFrame, new: &'a MetricFrame) -> Self {
        let (old_center, new_center) = (old.center(), new.center());
        let (from_old, from_new, distances) = gather::moments(old, new);
        let weight = from_old.trace() + from_new.trace();
        let size = ((from_old.spread() + from_new.spread()) / weight).sqrt();
        let radius = if size > 0.0 { size } else { 1.0 };
        let (distance, scale) = ((distances / weight).sqrt(), 0.5 * weight * radius);
        TimeEdge { old, new, old_center, new_center, from_old, from_new, distance, size, radius, scale }
    }

    /// As [`step`]. The residual is scaled: 1 means that the whole body moves by its own radius.
    pub fn step(&self, target: &Momentum, settings: newton::Settings) -> Solution<Pose> {
        self.solve(None, target, settings)
    }

    /// The same among the motions that keep level, for the part of the momentum that is left to them.
    pub fn step_level(&self, level: Level, target: &Momentum, settings: newton::Settings) -> Solution<Pose> {
        self.solve(Some(level), target, settings)
    }

    fn solve(&self, level: Option<Level>, target: &Momentum, settings: newton::Settings) -> Solution<Pose> {
        if !IN_RANGE.contains(&(self.scale / self.radius)) || !IN_RANGE.contains(&(self.radius * self.scale)) {
            return Solution { state: Pose::identity(), residual: f64::INFINITY, iterations: 0, converged: false };
        }
        let target = Momentum { angular: target.angular - self.old_center.cross(&target.linear), linear: target.linear };
        let solution = newton::solve(
            level.map_or_else(|| self.guess(), |level| self.guess_level(&level)),
            settings,
            |g| Linearised::new(self, level, g, &target),
            |g, step| self.retract(g, step),
            |step| 1.0 / step.fixed_rows::<3>(0).norm(),
        );
        Solution { state: self.uncentre(&solution.state), ..solution }
    }

    /// As [`energy`].
    pub fn energy(&self, g: &Pose) -> f64 {
        let g = Centred::new(&self.centre(g));
        0.5 * (self.from_old.energy(&g.there) + self.from_new.energy(&g.back))
    }

    /// As [`discrete_momenta`].
    pub fn discrete_momenta(&self, g: &Pose) -> Momentum {
        let mu = self.forces(&Centred::new(&self.centre(g))).momentum;
        Momentum { angular: mu.angular + self.old_center.cross(&mu.linear), linear: mu.linear }
    }

    /// Root mean square distance of the points from their centre, as the metric weighs them, both shapes together, metres.
    pub fn size(&self) -> f64 {
        self.size
    }

    /// How far the parts move against the centre when `new` is placed by `g`, root mean square as the metric weighs them, in sizes of the body.
    pub fn stir(&self, g: &Pose) -> f64 {
        let centred = Centred::new(&Pose { rotation: g.rotation, translation: Vector3::zeros() });
        let energy = 0.5 * (self.from_old.energy(&centred.there) + self.from_new.energy(&centred.back));
        // For point masses E = ½ Σ 2m |d|² and the trace of the metric is Σ 6m.
        (6.0 * energy * self.radius / (2.0 * self.scale)).max(0.0).sqrt() / self.radius
    }

    fn forces(&self, g: &Centred) -> Forces {
        let (old, new) = (self.from_old.forces(&g.there), self.from_new.forces(&g.back));
        let (bd, bd_y) = (moments::total(&old), moments::against_points(&old) * g.rotation.transpose());
        let (cd, cd_p) = (-(g.rotation * moments::total(&new)), -(g.rotation * moments::against_points(&new)));
        // Σ q × B d + p × C d, with q = y + t; Σ x × z is the axial vector of Σ z xᵀ.
        let torque = axial(&(bd_y + cd_p)) + g.shift.cross(&bd);
        Forces { momentum: Momentum { angular: -torque, linear: -(bd + cd) }, bd, bd_y, cd, cd_p }
    }

    /// Jacobian of the discrete momenta, minus, for the update R ← exp(ω) R, t ← t + v; C turns with g: δC = [ω^, C].
    fn stiffness(&self, g: &Centred, forces: &Forces) -> [Matrix3<f64>; 4] {
        let (r, back) = (&g.rotation, g.rotation.transpose());
        let (old, new) = (self.from_old.turned(r), self.from_new.turned(&back));
        let [new_metric, new_first, new_second] = [r * new.metric * back, r * new.first * back, r * new.second * back];
        let t = g.shift.cross_matrix();
        // δ Σ B d = B (ω × y + v);  δ Σ C d = ω × C d + C (ω × (p − t) + v).
        let vw = new_metric * t - old.first - new_first - forces.cd.cross_matrix();
        let vv = old.metric + new_metric;
        // δ Σ y × B d = (ω × y) × B d + y × B (ω × y + v);  δ (t × Σ B d) follows;  δ Σ p × C d = p × δ(C d).
        let free = Matrix3::identity() * (forces.cd_p.trace() - forces.bd_y.trace());
        let turning = forces.bd_y.transpose() - forces.cd_p + free;
        let ww = turning + old.second + new_second - t * old.first - new_first.transpose() * t;
        let wv = t * old.metric - old.first.transpose() - new_first.transpose() - forces.bd.cross_matrix();
        [ww, wv, vw, vv]
    }

    /// Turns the new shape about its centre, then shifts it; a scaled step has angles in radians and lengths in radii.
    fn retract(&self, g: &Pose, step: &Vector6<f64>) -> Pose {
        let turn = Pose::cay(&Twist { angular: step.fixed_rows::<3>(0).into(), linear: Vector3::zeros() });
        Pose { rotation: turn.rotation * g.rotation, translation: g.translation + step.fixed_rows::<3>(3) * self.radius }
    }

    /// From a motion between the shapes to one between the shapes with their centres at the origin.
    fn centre(&self, g: &Pose) -> Pose {
        let turned = turn_of(&g.rotation) * self.new_center;
        Pose { rotation: g.rotation, translation: g.translation + (self.new_center - self.old_center) + turned }
    }

    fn uncentre(&self, g: &Pose) -> Pose {
        let turned = turn_of(&g.rotation) * self.new_center;
        Pose { rotation: g.rotation, translation: g.translation - (self.new_center - self.old_center) - turned }
    }

    /// Where Newton starts: as the shapes stand, centre on centre, unless they are far apart.
    fn guess(&self) -> Pose {
        if self.distance <= NEAR * self.radius { Pose::identity() } else { self.procrustes() }
    }

    /// The same among the motions that keep level: the centre goes up and down with the shape.
    fn guess_level(&self, Level { up }: &Level) -> Pose {
        let translation = up * up.dot(&(self.new_center - self.old_center));
        if self.distance <= NEAR * self.radius {
            return Pose { rotation: UnitQuaternion::identity(), translation };
        }
        // The turn about `up` that fits best has the largest tr(Rᵀ fit).
        let fit = gather::fit(self.old, self.new);
        let turn = up.dot(&axial(&fit)).atan2(fit.trace() - up.dot(&(fit * up)));
        Pose { rotation: UnitQuaternion::from_scaled_axis(up * turn), translation }
    }

    /// The rotation that fits the new points to the old best (Kabsch): the solution itself for point masses without
    /// momentum, and a good guess for all else.
    fn procrustes(&self) -> Pose {
        let fit = gather::fit(self.old, self.new);
        // Scaled first, since the decomposition squares; bounded, since it never ends on what is not finite.
        let Some(svd) = (fit / fit.amax()).try_svd(true, true, 5.0 * f64::EPSILON, 500) else { return Pose::identity() };
        let (Some(u), Some(vt)) = (svd.u, svd.v_t) else { return Pose::identity() };
        // A straight or coincident shape leaves turns free; the SVD would pick one at random.
        let spread = svd.singular_values;
        if spread[1] <= 1e-12 * spread[0] || spread[0].is_nan() {
            return Pose::identity();
        }
        let flip = Matrix3::from_diagonal(&Vector3::new(1.0, 1.0, (u * vt).determinant().signum()));
        let rotation = nalgebra::Rotation3::from_matrix_unchecked(u * flip * vt);
        Pose { rotation: UnitQuaternion::from_rotation_matrix(&rotation), translation: Vector3::zeros() }
    }
}

/// Masses and moments of inertia (or drag) outside are not solved for: their products with lengths would leave the range of f64, and the
/// equations would seem to hold.
const IN_RANGE: std::ops::Range<f64> = 1e-150..1e150;

/// Shapes within this many radii of each other are turned by about as many radians at most: Newton finds the way by itself.
const NEAR: f64 = 0.25;

impl Centred {
    fn new(g: &Pose) -> Self {
        let (turn, shift) = (turn_of(&g.rotation), g.translation);
        let rotation = turn + Matrix3::identity();
        let shift_back = -rotation.tr_mul(&shift);
        let row = |a: usize| [turn[(a, 0)], turn[(a, 1)], turn[(a, 2)], shift[a]];
        let column = |a: usize| [turn[(0, a)], turn[(1, a)], turn[(2, a)], shift_back[a]];
        Centred { rotation, shift, there: [row(0), row(1), row(2)], back: [column(0), column(1), column(2)] }
    }
}

/// R − I = 2 w v^ + 2 v^ v^ of the unit quaternion (w, v): exact for small turns, where R − I would cancel.
fn turn_of(rotation: &UnitQuaternion<f64>) -> Matrix3<f64> {
    let v = rotation.imag();
    let [wx, wy, wz] = (v * (2.0 * rotation.w)).into();
    let [xx, yy, zz] = v.component_mul(&(v * 2.0)).into();
    let (xy, xz, yz) = (2.0 * v.x * v.y, 2.0 * v.x * v.z, 2.0 * v.y * v.z);
    Matrix3::new(-yy - zz, xy - wz, xz + wy, xy + wz, -xx - zz, yz - wx, xz - wy, yz + wx, -xx - yy)
}

/// Σ x × z from Σ z xᵀ.
fn axial(m: &Matrix3<f64>) -> Vector3<f64> {
    Vector3::new(m[(2, 1)] - m[(1, 2)], m[(0, 2)] - m[(2, 0)], m[(1, 0)] - m[(0, 1)])
}
