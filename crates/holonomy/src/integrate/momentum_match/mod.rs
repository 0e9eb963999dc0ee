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
//! ([`moments`]); after that a Newton iteration costs the same for any number of vertices.

mod gather;
mod moments;

use nalgebra::{Matrix3, Matrix6, UnitQuaternion, Vector3, Vector6};

use self::moments::Half;

use crate::lie::{Momentum, Pose, Twist};
use crate::medium::MetricFrame;
use crate::solve::newton::{self, Linearised, Solution};

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
    (0..old.points.len())
        .map(|j| {
            let d = r * new.points[j] + g.translation - old.points[j];
            let (along_old, along_new) = (old.axes[j].dot(&d), (r * new.axes[j]).dot(&d));
            0.5 * ((old.round[j] + new.round[j]) * d.norm_squared()
                + old.axial[j] * along_old * along_old
                + new.axial[j] * along_new * along_new)
        })
        .sum()
}

/// Discrete momenta of a time edge (Gross 2023, Eq. 5 and Alg. 1), in the frame of `old`, about its origin.
///
/// `μ = −2 Δt × (physical momentum)`; see docs/ERRATA.md.
pub fn discrete_momenta(old: &MetricFrame, new: &MetricFrame, g: &Pose) -> Momentum {
    let r = g.rotation.to_rotation_matrix();
    let mut mu = Momentum { angular: Vector3::zeros(), linear: Vector3::zeros() };
    for j in 0..old.points.len() {
        let (p, q) = (old.points[j], r * new.points[j] + g.translation);
        let d = q - p;
        let u = r * new.axes[j];
        let bd = d * old.round[j] + old.axes[j] * (old.axial[j] * old.axes[j].dot(&d));
        let cd = d * new.round[j] + u * (new.axial[j] * u.dot(&d));
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
    /// Root mean square distance from the centre, metres.
    radius: f64,
    /// Σ trace B times the radius: a momentum that counts as 1.
    scale: f64,
}

/// A motion between the centred shapes, and what the moments need of it.
struct Centred {
    /// R.
    rotation: Matrix3<f64>,
    /// S = R − I, without cancellation.
    turn: Matrix3<f64>,
    /// t: where the new centre goes, from the old one, metres.
    shift: Vector3<f64>,
    /// −Rᵀ t: the same seen from the new shape.
    shift_back: Vector3<f64>,
}

impl<'a> TimeEdge<'a> {
    /// The edge from `old` to `new`, each in its own frame, with the same number of samples: one pass over them.
    pub fn new(old: &'a MetricFrame, new: &'a MetricFrame) -> Self {
        let (old_center, new_center) = (old.center(), new.center());
        let (from_old, from_new, distances) = gather::moments(old, &old_center, new, &new_center);
        let weight = from_old.trace() + from_new.trace();
        let mean_square = (from_old.spread() + from_new.spread()) / weight;
        let radius = if mean_square > 0.0 { mean_square.sqrt() } else { 1.0 };
        let (distance, scale) = ((distances / weight).sqrt(), 0.5 * weight * radius);
        TimeEdge { old, new, old_center, new_center, from_old, from_new, distance, radius, scale }
    }

    /// As [`step`]. The residual is scaled: 1 means that the whole body moves by its own radius.
    pub fn step(&self, target: &Momentum, settings: newton::Settings) -> Solution<Pose> {
        let target = Momentum { angular: target.angular - self.old_center.cross(&target.linear), linear: target.linear };
        let solution = newton::solve(
            self.guess(),
            settings,
            |g| self.linearise(g, &target),
            |g, step| self.retract(g, step),
            |step| 1.0 / step.fixed_rows::<3>(0).norm(),
        );
        Solution { state: self.uncentre(&solution.state), ..solution }
    }

    /// As [`energy`].
    pub fn energy(&self, g: &Pose) -> f64 {
        let g = Centred::new(&self.centre(g));
        let (turn_back, shift_back) = (g.turn.transpose(), g.shift_back);
        let old = self.from_old.energy(&g.turn, &g.shift, &self.from_old.forces(&g.turn, &g.shift));
        let new = self.from_new.energy(&turn_back, &shift_back, &self.from_new.forces(&turn_back, &shift_back));
        0.5 * (old + new)
    }

    /// As [`discrete_momenta`].
    pub fn discrete_momenta(&self, g: &Pose) -> Momentum {
        let (mu, _, _) = self.momenta(&Centred::new(&self.centre(g)));
        Momentum { angular: mu.angular + self.old_center.cross(&mu.linear), linear: mu.linear }
    }

    /// The discrete momenta about the old centre, and their parts: Σ B d with Σ (B d) yᵀ, and Σ C d with Σ (C d) pᵀ.
    fn momenta(&self, g: &Centred) -> (Momentum, moments::Forces, moments::Forces) {
        let mut old = self.from_old.forces(&g.turn, &g.shift);
        old.first *= g.rotation.transpose();
        let mut new = self.from_new.forces(&g.turn.transpose(), &g.shift_back);
        new.total = g.rotation * -new.total;
        new.first = g.rotation * -new.first;
        // Σ q × B d + p × C d, with q = y + t; x × z is the axial vector of z xᵀ − x zᵀ.
        let torque = axial(&(old.first + new.first)) + g.shift.cross(&old.total);
        let momentum = Momentum { angular: -torque, linear: -(old.total + new.total) };
        (momentum, old, new)
    }

    /// Scaled residual and Jacobian for the update R ← exp(ω) R, t ← t + v; C turns with g: δC = [ω^, C].
    fn linearise(&self, g: &Pose, target: &Momentum) -> Linearised {
        let g = Centred::new(g);
        let (mu, b, c) = self.momenta(&g);
        let (r, back) = (&g.rotation, g.rotation.transpose());
        let old = self.from_old.turned(r);
        let new = self.from_new.turned(&back);
        let [new_metric, new_first, new_second] = [new.metric, new.first, new.second].map(|m| r * m * back);
        let t = g.shift.cross_matrix();
        // δ Σ B d = B (ω × y + v);  δ Σ C d = ω × C d + C (ω × (p − t) + v).
        let vw = new_metric * t - old.first - new_first - c.total.cross_matrix();
        let vv = old.metric + new_metric;
        // δ Σ y × B d = (ω × y) × B d + y × B (ω × y + v);  δ (t × Σ B d) follows;  δ Σ p × C d = p × δ(C d).
        let free = Matrix3::identity() * (c.first.trace() - b.first.trace());
        let ww = b.first.transpose() - c.first + free + old.second + new_second - t * old.first - new_first.transpose() * t;
        let wv = t * old.metric - old.first.transpose() - new_first.transpose() - b.total.cross_matrix();
        self.scaled(mu - *target, [ww, wv, vw, vv])
    }

    fn scaled(&self, miss: Momentum, [ww, wv, vw, vv]: [Matrix3<f64>; 4]) -> Linearised {
        let (torque, force) = (1.0 / (self.radius * self.scale), 1.0 / self.scale);
        let (angular, linear) = (miss.angular * torque, miss.linear * force);
        let residual = Vector6::new(angular[0], angular[1], angular[2], linear[0], linear[1], linear[2]);
        let mut jacobian = Matrix6::zeros();
        jacobian.fixed_view_mut::<3, 3>(0, 0).copy_from(&(ww * -torque));
        jacobian.fixed_view_mut::<3, 3>(0, 3).copy_from(&(wv * -force));
        jacobian.fixed_view_mut::<3, 3>(3, 0).copy_from(&(vw * -force));
        jacobian.fixed_view_mut::<3, 3>(3, 3).copy_from(&(vv * -(self.radius * force)));
        Linearised { residual, jacobian }
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

    /// The rotation that fits the new points to the old best (Kabsch): the solution itself for point masses without
    /// momentum, and a good guess for all else.
    fn procrustes(&self) -> Pose {
        let svd = gather::fit(self.old, &self.old_center, self.new, &self.new_center).svd(true, true);
        let (Some(u), Some(vt)) = (svd.u, svd.v_t) else { return Pose::identity() };
        // A straight or coincident shape leaves turns free; the SVD would pick one at random.
        let spread = svd.singular_values;
        if spread[1] <= 1e-12 * spread[0] {
            return Pose::identity();
        }
        let flip = Matrix3::from_diagonal(&Vector3::new(1.0, 1.0, (u * vt).determinant().signum()));
        let rotation = nalgebra::Rotation3::from_matrix_unchecked(u * flip * vt);
        Pose { rotation: UnitQuaternion::from_rotation_matrix(&rotation), translation: Vector3::zeros() }
    }
}

/// Shapes within this many radii of each other are turned by about as many radians at most: Newton finds the way by itself.
const NEAR: f64 = 0.25;

impl Centred {
    fn new(g: &Pose) -> Self {
        let turn = turn_of(&g.rotation);
        let rotation = turn + Matrix3::identity();
        Centred { rotation, turn, shift: g.translation, shift_back: -(rotation.tr_mul(&g.translation)) }
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
