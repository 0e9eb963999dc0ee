//! Second-order motion: a variational step for a body whose inertia changes over time (Hamilton–Pontryagin on SE(3)).
//!
//! Soliman 2024, Alg. 1 and Thm. C.2; with constant inertia also Kobilarov 2009, Eqs. 2–4. Written for the momentum at the nodes of time,
//! M, which is the physical momentum there: steps of any size follow each other, and no step is a special first or last one. One step of
//! size h, with α where in the step forces act ([`ForcePoint`]) and τ the map from twists to poses ([`Retraction`]):
//!
//! ```text
//! solve for Y   C(hY)ᵀ (K Y + μ⁰) = M + (1 − α) h w,    w = Ad(τ(αhY)⁻¹)ᵀ F(g τ(αhY), Y)
//! then          g⁺ = g τ(hY),   M⁺ = Ad(τ(hY))ᵀ (M + h w)
//! ```
//!
//! Since C(ξ) Ad(τ(ξ)) = C(−ξ), the last line is M⁺ = C(−hY)ᵀ (K Y + μ⁰) + α h Ad(τ)ᵀ w: a kick before and a kick after. In the world frame
//! momentum changes by h times the wrench, whatever K does, and not at all without forces. [`Retraction::Truncated`], for which that
//! identity fails, takes the kicks as they are, turned along and not shifted, and keeps momentum to second order only. Departures from the printed algorithm are S2, S3
//! and S4 of docs/ERRATA.md. K and μ⁰ are best taken at the middle shape ½(γ + γ⁺) with γ' = (γ⁺ − γ)/h: the step is then of second
//! order.
//!
//! | here | paper | meaning |
//! |---|---|---|
//! | g, [`State::pose`] | g | placement of the body |
//! | M, [`State::momentum`] | (dτ⁻¹_{−hY})* μ | momentum at a node of time, body frame |
//! | Y, [`Advance::twist`] | Y | body velocity during the step |
//! | K, μ⁰, [`Inertia`] | 𝒦, μ⁰ | momentum of the body with twist Y: K Y + μ⁰ |
//! | F, [`Load`] | F | wrench, body frame |
//! | C(ξ) | dτ⁻¹_ξ | inverse right-trivialised tangent of τ |

mod forecast;
mod inertia;
mod retraction;

use nalgebra::{Matrix6, Vector6};

use crate::lie::{Momentum, Pose, Twist, Wrench};
use crate::medium::Load;
use crate::solve::newton::{self, Linearised};

pub use forecast::Forecast;
pub use inertia::Inertia;
pub(super) use inertia::pairing_matrix;
pub use retraction::Retraction;

/// How to step: size, map, and where forces act.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Variational {
    /// h, seconds. The step couples spin and travel at second order: the centre of mass goes slow across the axis of spin by a share
    /// (h |ω|)²/n, and a body of radius r that travels at v spins slow by a share (h v/r)²/n; n is 12 for the exponential map, 4 for
    /// Cayley's. Keep h |ω| and h v/r below 0.2.
    pub time_step: f64,
    /// τ.
    pub retraction: Retraction,
    /// Where in the step forces act.
    pub force_point: ForcePoint,
}

/// Where in a step forces act: α, the quadrature point of Kobilarov 2009, Sec. 3.2.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ForcePoint {
    /// α = 0: the pose at the start and the new velocity. First order; damps drag of any stiffness without ringing.
    Start,
    /// α = ½: the pose in the middle of the step and the new velocity. Second order; drag that would stop the body within a step rings.
    Middle,
    /// α = 1: the pose at the end and the velocity of the step, once that is known: forces are asked for once. First order; stiff drag
    /// overshoots.
    End,
}

/// A body at a node of time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct State {
    /// Placement in the world.
    pub pose: Pose,
    /// Momentum in the body frame, kg m²/s and kg m/s.
    pub momentum: Momentum,
}

/// What became of a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Step {
    /// Solved.
    Advanced(Advance),
    /// No solution was found: the body turns too far, or forces change too much, within the step.
    Stalled {
        /// Norm of the scaled residual where Newton gave up (small if the step was solved, but turns the body by more than a quarter turn);
        /// see [`Advance::residual`]. Infinite if a force or the inertia was not finite.
        residual: f64,
        /// A time step worth trying instead, seconds.
        time_step: f64,
    },
}

/// A step that was solved.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Advance {
    /// The body at the next node of time.
    pub state: State,
    /// Y: its velocity during the step, body frame.
    pub twist: Twist,
    /// K Y + μ⁰ − M: what forces and turning have added to the momentum by the middle of the step, body frame. It changes slowly, so
    /// [`Variational::step_expecting`] can find the next step from it.
    pub gain: Momentum,
    /// Norm of the scaled residual; 1 means that the body misses its place by its own radius of gyration.
    pub residual: f64,
    /// Newton steps taken.
    pub iterations: usize,
}

impl State {
    /// A body that moves with `twist` while its shape changes as `inertia` says, at that very moment (docs/ERRATA.md, S3).
    pub fn moving(pose: Pose, twist: &Twist, inertia: &Inertia) -> State {
        State { pose, momentum: inertia.momentum(twist) }
    }

    /// The momentum in the world frame, about the world's origin: what forces change and nothing else does.
    pub fn momentum_world(&self) -> Momentum {
        self.pose.momentum_to_world(&self.momentum)
    }
}

/// Scaled residual aimed at, as a share of the step's own motion. Round-off in a step of one radius is 1e-15.
const RELATIVE: f64 = 1e-13;

/// The same for a body at rest, where what little moves is round-off of forces in balance, in radii of gyration.
const ABSOLUTE: f64 = 1e-15;

/// Newton takes 2 or 3 steps; more are for steps near the largest that has a solution.
const MAX_ITERATIONS: usize = 30;

/// Scaled residual that still counts as solved, where round-off of large forces in balance keeps Newton from its aim.
const ACCEPTABLE: f64 = 1e-11;

/// Turn per step, radians, beyond which a solution is not the motion: both maps under-rotate, then jump to another branch.
const LARGEST_TURN: f64 = std::f64::consts::FRAC_PI_2;

/// Turn per step, radians, that a suggested time step stays within.
const SAFE_TURN: f64 = 0.2;

impl Variational {
    /// One step. `forces` gives the wrench for a pose and a body twist; it is called once per Newton iteration, and once before; for
    /// [`ForcePoint::End`] once after.
    pub fn step(&self, state: &State, inertia: &Inertia, forces: impl FnMut(&Pose, &Twist) -> Load) -> Step {
        self.step_expecting(&Momentum::zero(), state, inertia, forces)
    }

    /// The same step, found sooner where its [`Advance::gain`] is about what is `expected`: Newton starts from there. It pays where
    /// forces are costly.
    pub fn step_expecting(
        &self,
        expected: &Momentum,
        state: &State,
        inertia: &Inertia,
        mut forces: impl FnMut(&Pose, &Twist) -> Load,
    ) -> Step {
        let h = self.time_step;
        let scales = inertia.scales();
        let moved = h * (scales.momentum(&state.momentum).norm() + scales.momentum(&inertia.shape_momentum).norm());
        let settings = newton::Settings { tolerance: ABSOLUTE + RELATIVE * moved, max_iterations: MAX_ITERATIONS };
        let guess = inertia.twist(&(state.momentum + *expected)).unwrap_or_default();
        // The residual only falls, so the wrench of the smallest one is that of the solution.
        let mut nearest = (f64::INFINITY, Wrench::zero());
        let solution = newton::solve(
            guess,
            settings,
            |twist| {
                let (at_twist, wrench) = self.linearise(state, inertia, twist, &mut forces);
                let at_twist = scales.linearised(h, at_twist);
                let residual = at_twist.residual.norm();
                if residual < nearest.0 {
                    nearest = (residual, wrench);
                }
                at_twist
            },
            |twist, z| *twist + scales.twist(z) * (1.0 / h),
            |z| 1.0 / z.fixed_rows::<3>(0).norm(),
        );
        let turn = h * solution.state.angular.norm();
        let stalled = |residual: f64| {
            let residual = if residual.is_nan() { f64::INFINITY } else { residual };
            Step::Stalled { residual, time_step: (0.5 * h).min(SAFE_TURN / guess.angular.norm().max(turn / h)) }
        };
        let solved = solution.residual <= settings.tolerance.max(ACCEPTABLE) && turn <= LARGEST_TURN;
        if !solved {
            return stalled(solution.residual);
        }
        let (twist, motion) = (solution.state, self.retraction.pose(&(solution.state * h)));
        let pose = state.pose * motion;
        let wrench = match self.force_point {
            ForcePoint::Start | ForcePoint::Middle => nearest.1,
            ForcePoint::End => self.retraction.carrier(&motion).momentum_to_world(&forces(&pose, &twist).wrench),
        };
        if !Vector6::from(wrench).iter().all(|x| x.is_finite()) {
            return stalled(f64::INFINITY);
        }
        let during = inertia.momentum(&twist);
        let momentum = self.next_momentum(state, &twist, &during, &motion, &wrench);
        let (gain, state) = (during - state.momentum, State { pose, momentum });
        Step::Advanced(Advance { state, twist, gain, residual: solution.residual, iterations: solution.iterations })
    }

    /// M⁺, from K Y + μ⁰ `during` the step and w.
    fn next_momentum(&self, state: &State, twist: &Twist, during: &Momentum, motion: &Pose, wrench: &Wrench) -> Momentum {
        let h = self.time_step;
        match self.retraction {
            Retraction::Cayley | Retraction::Exponential => motion.momentum_to_body(&(state.momentum + *wrench * h)),
            Retraction::Truncated => {
                let after = self.retraction.carrier(motion).momentum_to_body(wrench) * (self.force_point.alpha() * h);
                self.retraction.tangent_inv_dual(&(*twist * -h), during) + after
            }
        }
    }

    /// Where the body will be, to first order, when forces act: what does not change fast may be evaluated there once for the whole step.
    pub fn force_pose(&self, state: &State, inertia: &Inertia) -> Pose {
        let twist = inertia.twist(&state.momentum).unwrap_or_default();
        state.pose * self.retraction.pose(&(twist * (self.force_point.alpha() * self.time_step)))
    }

    /// Residual of the equation for Y, its derivative by Y, and w, the wrench carried to the frame of the start of the step.
    fn linearise(
        &self,
        state: &State,
        inertia: &Inertia,
        twist: &Twist,
        forces: &mut impl FnMut(&Pose, &Twist) -> Load,
    ) -> (Linearised, Wrench) {
        let (h, alpha) = (self.time_step, self.force_point.alpha());
        let displacement = *twist * h;
        let momentum = inertia.momentum(twist);
        let (wrench, by_twist) = self.load_at_start(state, twist, forces);
        let before = self.retraction.tangent_inv_dual(&displacement, &momentum);
        let residual = before - state.momentum - wrench * ((1.0 - alpha) * h);
        let jacobian = self.retraction.tangent_inv(&displacement).tr_mul(&inertia.tensor)
            + self.retraction.tangent_inv_dual_jacobian(&displacement, &momentum) * h
            - by_twist * ((1.0 - alpha) * h);
        // A derivative that is not finite must not reach the linear solver.
        let usable = jacobian.iter().all(|x| x.is_finite());
        let residual = if usable { Vector6::from(residual) } else { Vector6::repeat(f64::NAN) };
        (Linearised { residual, jacobian }, wrench)
    }

    /// w and ∂w/∂Y, but for how the wrench changes with the pose, which is of higher order in h.
    fn load_at_start(&self, state: &State, twist: &Twist, forces: &mut impl FnMut(&Pose, &Twist) -> Load) -> (Wrench, Matrix6<f64>) {
        match self.force_point {
            ForcePoint::Start => {
                let load = forces(&state.pose, twist);
                (load.wrench, load.by_twist)
            }
            ForcePoint::Middle => {
                let along = *twist * (0.5 * self.time_step);
                let half = self.retraction.pose(&along);
                let load = forces(&(state.pose * half), twist);
                let carrier = self.retraction.carrier(&half);
                let wrench = carrier.momentum_to_world(&load.wrench);
                // d(Ad(τ⁻¹)ᵀ F) = −ad(η)ᵀ w with η = dτ δξ.
                let turning = self.retraction.carried_pairing(&wrench) * self.retraction.tangent(&along) * (0.5 * self.time_step);
                (wrench, carrier.inverse().adjoint().tr_mul(&load.by_twist) - turning)
            }
            // All of it acts after.
            ForcePoint::End => (Wrench::zero(), Matrix6::zeros()),
        }
    }
}

impl ForcePoint {
    /// 1 − α: how much of a force's impulse acts before the step's own velocity is set.
    pub fn share_before(self) -> f64 {
        1.0 - self.alpha()
    }

    /// α.
    fn alpha(self) -> f64 {
        match self {
            ForcePoint::Start => 0.0,
            ForcePoint::Middle => 0.5,
            ForcePoint::End => 1.0,
        }
    }
}
