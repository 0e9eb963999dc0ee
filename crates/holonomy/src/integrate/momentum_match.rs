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
//! next, not the pose in the world, so precision does not fade as the body travels.

use nalgebra::{Matrix3, Matrix6, Vector3, Vector6};

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

/// Moments of inertia (or drag) outside are not solved for: products of masses and lengths would leave the range of f64, and the equations
/// would seem to hold.
const IN_RANGE: std::ops::Range<f64> = 1e-250..1e250;

/// One time edge with both shapes centred, and the scales that make its equations dimensionless.
pub struct TimeEdge<'a> {
    old: &'a MetricFrame,
    new: &'a MetricFrame,
    old_center: Vector3<f64>,
    new_center: Vector3<f64>,
    /// Root mean square distance from the centre, metres.
    radius: f64,
    /// Σ trace B times the radius: a momentum that counts as 1.
    scale: f64,
}

impl<'a> TimeEdge<'a> {
    /// The edge from `old` to `new`, each in its own frame.
    pub fn new(old: &'a MetricFrame, new: &'a MetricFrame) -> Self {
        let (old_center, new_center) = (old.center(), new.center());
        let mean_square = old.points.iter().map(|p| (p - old_center).norm_squared()).sum::<f64>() / old.points.len().max(1) as f64;
        let radius = if mean_square > 0.0 { mean_square.sqrt() } else { 1.0 };
        TimeEdge { old, new, old_center, new_center, radius, scale: 0.5 * (old.trace() + new.trace()) * radius }
    }

    /// As [`step`]. The residual is scaled: 1 means that the whole body moves by its own radius.
    pub fn step(&self, target: &Momentum, settings: newton::Settings) -> Solution<Pose> {
        if !IN_RANGE.contains(&(self.radius * self.scale)) {
            return Solution { state: Pose::identity(), residual: f64::INFINITY, iterations: 0, converged: false };
        }
        let target = Momentum { angular: target.angular - self.old_center.cross(&target.linear), linear: target.linear };
        let solution = newton::solve(
            self.procrustes(),
            settings,
            |g| self.linearise(g, &target),
            |g, step| Pose::exp(&self.unscale(step)) * *g,
            |step| 1.0 / self.unscale(step).angular.norm(),
        );
        Solution { state: self.uncentre(&solution.state), ..solution }
    }

    /// As [`energy`].
    pub fn energy(&self, g: &Pose) -> f64 {
        energy(self.old, self.new, g)
    }

    /// As [`discrete_momenta`].
    pub fn discrete_momenta(&self, g: &Pose) -> Momentum {
        discrete_momenta(self.old, self.new, g)
    }

    /// Scaled residual and Jacobian in one pass over the vertices; the Jacobian accounts for C turning with g.
    fn linearise(&self, g: &Pose, target: &Momentum) -> Linearised {
        let r = g.rotation.to_rotation_matrix();
        let (mut torque, mut force) = (Vector3::zeros(), Vector3::zeros());
        let (mut ww, mut wv, mut vw, mut vv) = (Matrix3::zeros(), Matrix3::zeros(), Matrix3::zeros(), Matrix3::zeros());
        // Sums that enter only through a cross-product matrix or a multiple of I are kept as vectors and scalars.
        let (mut wv_hat, mut vw_hat) = (Vector3::zeros(), Vector3::zeros());
        let (mut ww_trace, mut vv_trace) = (0.0, 0.0);
        for j in 0..self.old.points.len() {
            let p = self.old.points[j] - self.old_center;
            let q = r * (self.new.points[j] - self.new_center) + g.translation;
            let (u, w) = (self.old.axes[j], r * self.new.axes[j]);
            let (b, bu, c, cw) = (self.old.round[j], self.old.axial[j], self.new.round[j], self.new.axial[j]);
            let d = q - p;
            let bd = d * b + u * (bu * u.dot(&d));
            let cd = d * c + w * (cw * w.dot(&d));
            torque -= q.cross(&bd) + p.cross(&cd);
            force -= bd + cd;

            // ∂torque/∂ω = −Σ [ (Bd)^ q^ − q^ B q^ − p^ (Cd)^ − p^ C p^ ], with x^ y^ = y xᵀ − (x·y) I.
            let (qu, pw) = (q.cross(&u), p.cross(&w));
            ww_trace += bd.dot(&q) - b * q.norm_squared() - p.dot(&cd) - c * p.norm_squared();
            ww += q * (q * b - bd).transpose() + (p * c + cd) * p.transpose();
            ww -= qu * (qu * bu).transpose() + pw * (pw * cw).transpose();
            // ∂torque/∂v = −Σ [ −(Bd)^ + q^ B + p^ C ]
            wv_hat += bd - q * b - p * c;
            wv -= qu * (u * bu).transpose() + pw * (w * cw).transpose();
            // ∂force/∂ω = Σ [ (Cd)^ + C p^ + B q^ ]
            vw_hat += cd + p * c + q * b;
            vw -= (w * cw) * pw.transpose() + (u * bu) * qu.transpose();
            // ∂force/∂v = −Σ [ B + C ]
            vv_trace -= b + c;
            vv -= u * (u * bu).transpose() + w * (w * cw).transpose();
        }
        ww += Matrix3::identity() * ww_trace;
        vv += Matrix3::identity() * vv_trace;
        wv += wv_hat.cross_matrix();
        vw += vw_hat.cross_matrix();
        self.scaled(torque - target.angular, force - target.linear, [ww, wv, vw, vv])
    }

    fn scaled(&self, torque: Vector3<f64>, force: Vector3<f64>, [ww, wv, vw, vv]: [Matrix3<f64>; 4]) -> Linearised {
        let (r, s) = (self.radius, self.scale);
        let mut residual = Vector6::zeros();
        residual.fixed_rows_mut::<3>(0).copy_from(&(torque / (r * s)));
        residual.fixed_rows_mut::<3>(3).copy_from(&(force / s));
        let mut jacobian = Matrix6::zeros();
        jacobian.fixed_view_mut::<3, 3>(0, 0).copy_from(&(ww / (r * s)));
        jacobian.fixed_view_mut::<3, 3>(0, 3).copy_from(&(wv / s));
        jacobian.fixed_view_mut::<3, 3>(3, 0).copy_from(&(vw / s));
        jacobian.fixed_view_mut::<3, 3>(3, 3).copy_from(&(vv * (r / s)));
        Linearised { residual, jacobian }
    }

    /// From a scaled step (angles in radians, lengths in radii) to a twist.
    fn unscale(&self, step: &Vector6<f64>) -> Twist {
        Twist { angular: step.fixed_rows::<3>(0).into(), linear: step.fixed_rows::<3>(3) * self.radius }
    }

    fn uncentre(&self, g: &Pose) -> Pose {
        Pose { rotation: g.rotation, translation: self.old_center + g.translation - g.rotation * self.new_center }
    }

    /// The rotation that fits the new points to the old best (Kabsch): the solution itself for point masses without
    /// momentum, and a good guess for all else.
    fn procrustes(&self) -> Pose {
        let mut fit = Matrix3::zeros();
        for j in 0..self.old.points.len() {
            let weight = self.old.round[j] + self.new.round[j];
            fit += (self.old.points[j] - self.old_center) * ((self.new.points[j] - self.new_center) * weight).transpose();
        }
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
        Pose { rotation: nalgebra::UnitQuaternion::from_rotation_matrix(&rotation), translation: Vector3::zeros() }
    }
}
