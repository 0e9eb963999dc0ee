//! A craft under way: the variational step of Kobilarov 2009 (Eqs. 9–10) with the derivatives that planning needs.
//!
//! The step is that of [`super::variational`], for a constant K: with ξ = hY, α where in the step forces act, and F the push at the pose g τ(αξ),
//!
//! ```text
//! C(ξ)ᵀ K Y = M + (1 − α) h w,   w = Ad(τ(αξ)⁻¹)ᵀ F        g⁺ = g τ(ξ),   M⁺ = C(−ξ)ᵀ K Y + α h Ad(τ(ξ))ᵀ w
//! ```
//!
//! where Ad is that of the turn alone if C is truncated (docs/ERRATA.md, K24).
//!
//! Small motions of a pose are taken on its own side, g exp(η). Then η⁺ = Ad(τ⁻¹) η + dτ(−ξ) h δY, and a momentum that is carried by a pose changes
//! by ad(η)ᵀ; all else is the chain rule. Second derivatives are worked out for α = 0, the paper's own choice for plans; elsewhere they are differences
//! of the first ones.

use std::ops::AddAssign;

use nalgebra::{Matrix6, SMatrix, SVector, Vector3, Vector6};
use pulp::Arch;

use super::controlled::{Control, Controlled, Curvature, Linearised, Place, curvature_by_differences};
use super::craft::{Craft, Push};
use super::variational::{ForcePoint, Retraction, State};
use crate::Error;
use crate::lie::{Momentum, Pose, Twist, Wrench};
use crate::solve::dense::{inverse, product, transposed_product};

/// A craft with the step by which it moves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Piloted<C> {
    /// The vehicle. Its inertia was taken when this was made: what weighs more is to be made anew.
    pub craft: C,
    /// τ.
    pub retraction: Retraction,
    /// Where in a step forces act.
    pub force_point: ForcePoint,
    inertia: Matrix6<f64>,
    inverse: Matrix6<f64>,
}

/// The solved equation of a step.
struct Solved<const M: usize> {
    twist: Twist,
    /// F where it acts, and the inverse of the equation's derivative by Y.
    push: Push<M>,
    inverse: Matrix6<f64>,
}

/// More Newton steps than this are not taken: 3 are usual.
const MAX_ITERATIONS: usize = 12;

/// A Newton step smaller than this, relative to the velocity, is the last: the next would be its square.
const LAST: f64 = 1e-9;

/// Turn per step, radians, beyond which a solution is not the motion.
const LARGEST_TURN: f64 = std::f64::consts::FRAC_PI_2;

impl<C> Piloted<C> {
    /// A craft with forces in the middle of the step, second order, and the truncated tangent that the paper recommends: a vehicle travels many of its own sizes
    /// per second, and with the exact tangents on SE(3) that would slow its turning (docs/ERRATA.md, K23).
    ///
    /// # Errors
    /// The craft's parameters make no sense.
    pub fn new<const M: usize>(craft: C) -> Result<Self, Error>
    where
        C: Craft<M>,
    {
        craft.validate()?;
        craft.controls().iter().try_for_each(Control::validate)?;
        let inertia = craft.inertia();
        if let Some(&value) = inertia.iter().find(|x| !x.is_finite()) {
            return Err(Error::Parameter { name: "entry of the inertia", value, expected: "a finite number" });
        }
        let asymmetry = (inertia - inertia.transpose()).amax() / inertia.amax();
        let even = asymmetry <= 1e-9;
        Error::unless(even, "difference of the inertia from its transpose, of its largest entry", asymmetry, "zero to rounding")?;
        let inverse = inertia.cholesky().map(|factor| factor.inverse());
        let inverse = inverse.filter(|inverse| inverse.iter().all(|x| x.is_finite()));
        let Some(inverse) = inverse else {
            let value = inertia.symmetric_eigenvalues().min();
            return Err(Error::Parameter { name: "least moment of inertia or mass", value, expected: "positive and finite" });
        };
        Ok(Piloted { craft, retraction: Retraction::Truncated, force_point: ForcePoint::Middle, inertia, inverse })
    }

    /// The same craft with forces elsewhere in the step.
    pub fn forced_at(self, force_point: ForcePoint) -> Self {
        Piloted { force_point, ..self }
    }

    /// The same craft with another step: forces at the start are of first order, as the paper plans, and plans are made fastest so.
    pub fn stepping(self, retraction: Retraction, force_point: ForcePoint) -> Self {
        Piloted { retraction, force_point, ..self }
    }

    fn alpha(&self) -> f64 {
        1.0 - self.force_point.share_before()
    }

    /// Y, from the equation of the step.
    #[inline(always)]
    fn solve<const M: usize>(&self, state: &State, controls: &SVector<f64, M>, time: f64, h: f64) -> Option<Solved<M>>
    where
        C: Craft<M>,
    {
        let alpha = self.alpha();
        let before = (1.0 - alpha) * h;
        let still = Twist::from(self.inverse * Vector6::from(state.momentum));
        // The first guess is right to second order in h where forces are steady, so that two Newton steps do.
        let turned = still.ad_dual(&state.momentum) * (0.5 * h);
        let pushed = if before > 0.0 { self.craft.push(&state.pose, &still, controls, time).wrench * before } else { Wrench::zero() };
        let mut twist = Twist::from(self.inverse * Vector6::from(state.momentum + turned + pushed));
        for _ in 0..MAX_ITERATIONS {
            let displacement = twist * h;
            let along = displacement * alpha;
            let part = self.retraction.pose(&along);
            let pose = if alpha == 0.0 { state.pose } else { state.pose * part };
            let push = self.craft.push(&pose, &twist, controls, time + alpha * h);
            let momentum = Momentum::from(self.inertia * Vector6::from(twist));
            let mut residual = self.retraction.tangent_inv_dual(&displacement, &momentum) - state.momentum;
            let mut jacobian = transposed_product(&self.retraction.tangent_inv(&displacement), &self.inertia)
                + self.retraction.tangent_inv_dual_jacobian(&displacement, &momentum) * h;
            if alpha == 0.0 {
                residual -= push.wrench * before;
                jacobian -= push.by_twist * before;
            } else if before > 0.0 {
                let carrier = self.retraction.carrier(&part);
                residual -= carrier.momentum_to_world(&push.wrench) * before;
                let turned = self.retraction.carried_pairing(&push.wrench);
                let by_twist = push.by_twist + (push.by_pose - turned) * self.retraction.tangent(&-along) * (alpha * h);
                jacobian -= carrier.inverse().adjoint().tr_mul(&by_twist) * before;
            }
            let inverse = inverse(&jacobian)?;
            let step = Twist::from(inverse * Vector6::from(residual));
            twist -= step;
            let size = twist.angular.norm() * h;
            if !step.is_finite() || size > LARGEST_TURN {
                return None;
            }
            if step.angular.norm() <= LAST * (1.0 + twist.angular.norm()) && step.linear.norm() <= LAST * (1.0 + twist.linear.norm()) {
                return Some(Solved { twist, push, inverse });
            }
        }
        None
    }

    /// Second derivatives of the step with forces at its start, weighted.
    ///
    /// With ν the weights carried back through the equation for Y, the weighted end of the step has the second derivatives of
    /// ⟨λ_g, η⁺⟩ + ⟨λ_M, M⁺⟩ − ⟨ν, C(ξ)ᵀKY − M − hF⟩ by η, u and Y, and Y follows η, M and u to first order.
    #[inline(always)]
    fn bent<const M: usize>(
        &self,
        state: &State,
        solved: &Solved<M>,
        controls: &SVector<f64, M>,
        time: f64,
        h: f64,
        weights: &SVector<f64, 12>,
    ) -> Curvature<12, M>
    where
        C: Craft<M>,
    {
        let Solved { twist: y, push, inverse } = solved;
        let displacement = *y * h;
        let momentum = Momentum::from(self.inertia * Vector6::from(*y));
        let (of_pose, of_momentum) = (Vector6::from(weights.fixed_rows::<6>(0)), Vector6::from(weights.fixed_rows::<6>(6)));
        let tangent = self.retraction.tangent(&-displacement);
        let m_y = transposed_product(&self.retraction.tangent_inv(&-displacement), &self.inertia)
            - self.retraction.tangent_inv_dual_jacobian(&-displacement, &momentum) * h;
        let carried = tangent.tr_mul(&of_pose);
        let nu = inverse.tr_mul(&(carried * h + m_y.tr_mul(&of_momentum)));
        let bend = self.craft.bend(&state.pose, y, controls, time, &Twist::from(nu * h));
        // By Y and Y.
        let turning = transposed_product(&tangent, &self.retraction.of_pose().tangent_inv_dual_jacobian(&-displacement, &carried.into()));
        let yy = symmetric(&turning) * (h * h) + bend.twist_twist + self.bent_momenta(y, h, &nu, &of_momentum);
        // By Y and η.
        let back = self.retraction.pose(&displacement).inverse().adjoint();
        let y_pose = transposed_product(&tangent, &product(&paired(&of_pose.into()), &back)) * (0.5 * h) + bend.twist_pose;
        let mut to_y = SMatrix::<f64, 6, 12>::zeros();
        to_y.fixed_view_mut::<6, 6>(0, 0).copy_from(&(product(inverse, &push.by_pose) * h));
        to_y.fixed_view_mut::<6, 6>(0, 6).copy_from(inverse);
        let u_to_y = product(inverse, &push.by_controls) * h;
        let bent = product(&yy, &to_y);
        let mut half = bent * 0.5;
        half.fixed_view_mut::<6, 6>(0, 0).add_assign(&y_pose);
        let xx = transposed_product(&to_y, &half);
        let mut xx = xx + xx.transpose();
        xx.fixed_view_mut::<6, 6>(0, 0).add_assign(&bend.pose_pose);
        let mut y_x = bent;
        y_x.fixed_view_mut::<6, 6>(0, 0).add_assign(&y_pose);
        let mut ux = transposed_product(&u_to_y, &y_x) + product(&bend.controls_twist, &to_y);
        ux.fixed_view_mut::<M, 6>(0, 0).add_assign(&bend.controls_pose);
        let uu = transposed_product(&u_to_y, &(product(&yy, &u_to_y) * 0.5)) + product(&bend.controls_twist, &u_to_y);
        Curvature { xx, ux, uu: uu + uu.transpose() + bend.controls_controls }
    }

    /// Second derivatives by Y of ⟨after, C(−hY)ᵀKY⟩ − ⟨before, C(hY)ᵀKY⟩.
    #[inline(always)]
    fn bent_momenta(&self, twist: &Twist, h: f64, before: &Vector6<f64>, after: &Vector6<f64>) -> Matrix6<f64> {
        if self.retraction == Retraction::Truncated {
            // ⟨w, C(sξ)ᵀKY⟩ = ⟨w, KY⟩ + ½s ⟨ad(w) ξ, KY⟩, and so with −h after and h before.
            let half = Twist::from(before + after).ad().tr_mul(&self.inertia) * (-0.5 * h);
            return half + half.transpose();
        }
        let gradient = |twist: Twist| {
            let momentum = Momentum::from(self.inertia * Vector6::from(twist));
            let of = |along: f64, weights: &Vector6<f64>| {
                let displacement = twist * along;
                self.inertia * (self.retraction.tangent_inv(&displacement) * weights)
                    + self.retraction.tangent_inv_dual_jacobian(&displacement, &momentum).tr_mul(weights) * along
            };
            of(-h, after) - of(h, before)
        };
        // Exact for Cayley's map, of which the gradient is a polynomial of second degree; off by 1e-7 of it for the exponential.
        let by = 1e-3 / h;
        let column = |i: usize| {
            let along = Twist::from(Vector6::from_fn(|j, _| if i == j { by } else { 0.0 }));
            (gradient(*twist + along) - gradient(*twist - along)) / (2.0 * by)
        };
        symmetric(&Matrix6::from_columns(&std::array::from_fn::<_, 6, _>(column)))
    }

    /// The derivatives of a step that was solved.
    #[inline(always)]
    fn linearised<const M: usize>(&self, state: &State, solved: &Solved<M>, h: f64) -> Linearised<State, 12, M> {
        let (alpha, y, push) = (self.alpha(), &solved.twist, &solved.push);
        let (before, displacement) = ((1.0 - alpha) * h, *y * h);
        let (motion, part) = (self.retraction.pose(&displacement), self.retraction.pose(&(displacement * alpha)));
        let momentum = Momentum::from(self.inertia * Vector6::from(*y));
        // dτ(−ξ), dτ(−αξ), and w's parts: by η, by δY and by h, and by u.
        let tangent = self.retraction.tangent(&-displacement);
        let back = motion.inverse().adjoint();
        let (by_pose, by_twist, by_h, by_u);
        let carried;
        if alpha == 0.0 {
            carried = push.wrench;
            (by_pose, by_twist, by_h, by_u) = (push.by_pose, push.by_twist, Vector6::zeros(), push.by_controls);
        } else {
            let carrier = self.retraction.carrier(&part);
            let to_start = carrier.inverse().adjoint().transpose();
            let turned = self.retraction.carried_pairing(&push.wrench);
            let turning = (push.by_pose - turned) * self.retraction.tangent(&-(displacement * alpha)) * alpha;
            carried = carrier.momentum_to_world(&push.wrench);
            by_pose = to_start * push.by_pose * part.inverse().adjoint();
            by_twist = to_start * (push.by_twist + turning * h);
            by_h = to_start * (turning * Vector6::from(*y));
            by_u = to_start * push.by_controls;
        }
        // δY.
        let y_momentum = solved.inverse;
        let y_pose = product(&y_momentum, &by_pose) * before;
        let y_u = product(&y_momentum, &by_u) * before;
        let slope = self.retraction.tangent_inv_dual_jacobian(&displacement, &momentum) * Vector6::from(*y);
        let y_h = y_momentum * (Vector6::from(carried) * (1.0 - alpha) + by_h * before - slope);
        // δM⁺ by δY, by h, by η and by u.
        let after = self.retraction.tangent_inv_dual_jacobian(&-displacement, &momentum);
        let mut m_y = transposed_product(&self.retraction.tangent_inv(&-displacement), &self.inertia) - after * h;
        let mut m_h = -(after * Vector6::from(*y));
        let (mut m_pose, mut m_u) = (Matrix6::zeros(), SMatrix::<f64, 6, M>::zeros());
        if alpha > 0.0 {
            let carrier = self.retraction.carrier(&motion);
            let to_end = carrier.adjoint().transpose();
            let end = carrier.momentum_to_body(&carried);
            let turned = self.retraction.carried_pairing(&end) * tangent * (alpha * h);
            m_y += turned * h + to_end * by_twist * (alpha * h);
            m_h += Vector6::from(end) * alpha + turned * Vector6::from(*y) + to_end * by_h * (alpha * h);
            m_pose = to_end * by_pose * (alpha * h);
            m_u = to_end * by_u * (alpha * h);
        }
        let mut out: Linearised<State, 12, M> = Linearised {
            next: self.advanced(state, solved, h),
            by_state: SMatrix::zeros(),
            by_controls: SMatrix::zeros(),
            by_time_step: SVector::zeros(),
        };
        let moved = tangent * h;
        out.by_state.fixed_view_mut::<6, 6>(0, 0).copy_from(&(back + product(&moved, &y_pose)));
        out.by_state.fixed_view_mut::<6, 6>(0, 6).copy_from(&(product(&moved, &y_momentum)));
        out.by_state.fixed_view_mut::<6, 6>(6, 0).copy_from(&(m_pose + product(&m_y, &y_pose)));
        out.by_state.fixed_view_mut::<6, 6>(6, 6).copy_from(&(product(&m_y, &y_momentum)));
        out.by_controls.fixed_view_mut::<6, M>(0, 0).copy_from(&(product(&moved, &y_u)));
        out.by_controls.fixed_view_mut::<6, M>(6, 0).copy_from(&(m_u + product(&m_y, &y_u)));
        out.by_time_step.fixed_rows_mut::<6>(0).copy_from(&(tangent * Vector6::from(*y) + moved * y_h));
        out.by_time_step.fixed_rows_mut::<6>(6).copy_from(&(m_h + m_y * y_h));
        out
    }

    fn advanced<const M: usize>(&self, state: &State, solved: &Solved<M>, h: f64) -> State {
        let (alpha, displacement) = (self.alpha(), solved.twist * h);
        let motion = self.retraction.pose(&displacement);
        let momentum = Momentum::from(self.inertia * Vector6::from(solved.twist));
        let mut after = self.retraction.tangent_inv_dual(&-displacement, &momentum);
        if alpha > 0.0 {
            let rest = self.retraction.pose(&(displacement * alpha)).inverse() * motion;
            after += self.retraction.carrier(&rest).momentum_to_body(&solved.push.wrench) * (alpha * h);
        }
        State { pose: state.pose * motion, momentum: after }
    }
}

impl<const M: usize, C: Craft<M>> Controlled<12, M> for Piloted<C> {
    type State = State;

    fn controls(&self) -> [Control; M] {
        self.craft.controls()
    }

    fn validate(&self) -> Result<(), Error> {
        self.craft.validate()
    }

    fn at(&self, pose: &Pose, twist: &Twist) -> State {
        State { pose: *pose, momentum: Momentum::from(self.inertia * Vector6::from(*twist)) }
    }

    fn step(&self, state: &State, controls: &SVector<f64, M>, time: f64, h: f64) -> Option<State> {
        let solved = self.solve(state, controls, time, h)?;
        Some(self.advanced(state, &solved, h))
    }

    fn linearise(&self, state: &State, controls: &SVector<f64, M>, time: f64, h: f64) -> Option<Linearised<State, 12, M>> {
        Some(self.linearised(state, &self.solve(state, controls, time, h)?, h))
    }

    fn expand(
        &self,
        state: &State,
        controls: &SVector<f64, M>,
        time: f64,
        h: f64,
        weights: &SVector<f64, 12>,
    ) -> Option<(Linearised<State, 12, M>, Curvature<12, M>)> {
        if self.force_point != ForcePoint::Start {
            let bent = curvature_by_differences(self, state, controls, time, h, weights)?;
            return Some((self.linearise(state, controls, time, h)?, bent));
        }
        // The same sums with the widest registers that the machine has.
        Arch::new().dispatch(|| {
            let solved = self.solve(state, controls, time, h)?;
            Some((self.linearised(state, &solved, h), self.bent(state, &solved, controls, time, h, weights)))
        })
    }

    fn moved(&self, state: &State, along: &SVector<f64, 12>) -> State {
        let turn = Twist::from(Vector6::from(along.fixed_rows::<6>(0)));
        let gain = Momentum::from(Vector6::from(along.fixed_rows::<6>(6)));
        State { pose: state.pose * Pose::exp(&turn), momentum: state.momentum + gain }
    }

    fn difference(&self, from: &State, to: &State) -> SVector<f64, 12> {
        let mut out: SVector<f64, 12> = SVector::zeros();
        out.fixed_rows_mut::<6>(0).copy_from(&Vector6::from((from.pose.inverse() * to.pose).log()));
        out.fixed_rows_mut::<6>(6).copy_from(&Vector6::from(to.momentum - from.momentum));
        out
    }

    fn carried(&self, gap: &SVector<f64, 12>) -> Option<SMatrix<f64, 12, 12>> {
        let mut carried = SMatrix::<f64, 12, 12>::identity();
        let pose = Pose::exp(&Twist::from(Vector6::from(gap.fixed_rows::<6>(0))));
        carried.fixed_view_mut::<6, 6>(0, 0).copy_from(&pose.adjoint());
        Some(carried)
    }

    fn place(&self, state: &State, point: &Vector3<f64>) -> Place<12> {
        let rotation = state.pose.rotation_matrix();
        let mut by_state: SMatrix<f64, 3, 12> = SMatrix::zeros();
        by_state.fixed_view_mut::<3, 3>(0, 0).copy_from(&(rotation * -point.cross_matrix()));
        by_state.fixed_view_mut::<3, 3>(0, 3).copy_from(&rotation);
        Place { position: state.pose.act(point), by_state }
    }

    fn velocity(&self, state: &State) -> Place<12> {
        let mut by_state: SMatrix<f64, 3, 12> = SMatrix::zeros();
        by_state.fixed_view_mut::<3, 6>(0, 6).copy_from(&self.inverse.fixed_rows::<3>(3));
        Place { position: self.twist(state).linear, by_state }
    }

    fn pose(&self, state: &State) -> Pose {
        state.pose
    }

    fn twist(&self, state: &State) -> Twist {
        Twist::from(self.inverse * Vector6::from(state.momentum))
    }

    fn momentum(&self, state: &State) -> Momentum {
        state.momentum_world()
    }

    fn kinetic_energy(&self, state: &State) -> f64 {
        0.5 * state.momentum.pair(&<Self as Controlled<12, M>>::twist(self, state))
    }

    fn power(&self, state: &State, controls: &SVector<f64, M>, time: f64) -> Option<f64> {
        let twist = <Self as Controlled<12, M>>::twist(self, state);
        Some(self.craft.push(&state.pose, &twist, controls, time).wrench.pair(&twist))
    }

    fn curvature(
        &self,
        state: &State,
        controls: &SVector<f64, M>,
        time: f64,
        h: f64,
        weights: &SVector<f64, 12>,
    ) -> Option<Curvature<12, M>> {
        Some(self.expand(state, controls, time, h, weights)?.1)
    }
}

fn symmetric(matrix: &Matrix6<f64>) -> Matrix6<f64> {
    (matrix + matrix.transpose()) * 0.5
}

/// `[[l^, p^], [p^, 0]]`: η ↦ ad(η)ᵀ (l, p).
fn paired(wrench: &Wrench) -> Matrix6<f64> {
    super::variational::pairing_matrix(wrench)
}
