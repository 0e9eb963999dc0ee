//! The free rigid body, fast, by many integrators side by side (Kobilarov 2009, Sec. 3.3, Figs. 3 and 4).
//!
//! The body's frame lies along its principal axes, with its centre of mass at the origin: six numbers and no 6 × 6 matrix.
//!
//! | family | file | keeps |
//! |---|---|---|
//! | the variational step on SE(3), Cayley map with the truncated tangent, as the paper recommends; order 2 | `truncated` | linear momentum, angular momentum about the centre of mass and energy, exactly |
//! | the same, exponential map; order 2 | `exponential` | momentum, exactly; energy, bounded |
//! | the same, Cayley map with its whole tangent; order 2 | `coupled` | momentum, exactly; energy, bounded |
//! | the last, composed symmetrically with itself; orders 4, 6 | `composition` | the same |
//! | the variational step on SO(3) × R³ with modified moments of inertia; orders 4, 6, 10 | `moser_veselov` | momentum and energy, exactly |
//! | Runge–Kutta on quaternions; orders 2 (explicit and implicit), 4 | `runge_kutta` | nothing |
//! | Newmark's method with the exponential map; order 2 | `newmark` | nothing |

mod composition;
mod coupled;
mod equations;
mod exponential;
mod modified;
mod moser_veselov;
mod newmark;
mod runge_kutta;
mod study;
mod truncated;

use nalgebra::{Matrix6, Vector3, Vector6};

use super::variational::{Inertia, State};
use crate::lie::{Momentum, Pose, Twist};

pub use composition::Composition;
pub use coupled::{Coupled, CoupledEquations};
pub use equations::Euler;
pub use exponential::{Exponential, ExponentialEquations};
pub use modified::ModifiedMoments;
pub use moser_veselov::{MoserVeselov, MoserVeselovEquations};
pub use study::{Errors, Study};
pub use truncated::{TruncatedCayley, TruncatedEquations};

/// A rigid body in the frame of its principal axes, about its centre of mass.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RigidBody {
    /// Principal moments of inertia, kg m².
    pub moments: Vector3<f64>,
    /// Mass, kg.
    pub mass: f64,
}

/// A way to step a free rigid body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Integrator {
    /// [`TruncatedCayley`]: the variational step on SE(3) with the Cayley map and the truncated
    /// tangent, order 2. It is the one that Kobilarov 2009 recommends (Sec. 4.2) and writes out
    /// (App. A), and of the three the cheapest and the most robust (docs/performance.md).
    Variational,
    /// [`Exponential`]: the same with the exponential map, order 2. At equal steps its positions are
    /// the nearest; its rotations suffer from the travel of compact bodies.
    VariationalExponential,
    /// [`Coupled`]: the same with the Cayley map and its whole tangent (Kobilarov 2009, Eq. 14), order 2.
    VariationalCayley,
    /// [`MoserVeselov`] with moments of inertia modified for order 4.
    Variational4,
    /// [`MoserVeselov`] with moments of inertia modified for order 6.
    Variational6,
    /// [`MoserVeselov`] with moments of inertia modified for order 10.
    Variational10,
    /// [`Composition`] of [`Coupled`] steps, order 4.
    Composed4,
    /// [`Composition`] of [`Coupled`] steps, order 6.
    Composed6,
    /// Explicit midpoint rule on quaternions, made unit after every stage.
    RungeKutta2,
    /// Implicit midpoint rule for the body velocities; quaternions are explicit.
    RungeKutta2Implicit,
    /// Classical Runge–Kutta on quaternions, made unit after every stage.
    RungeKutta4,
    /// Newmark's method with the exponential map (Krysl and Endres 2005), on SE(3).
    Newmark,
}

impl Integrator {
    /// All of them, ours first.
    pub const ALL: [Integrator; 12] = [
        Integrator::Variational,
        Integrator::VariationalExponential,
        Integrator::VariationalCayley,
        Integrator::Variational4,
        Integrator::Variational6,
        Integrator::Variational10,
        Integrator::Composed4,
        Integrator::Composed6,
        Integrator::RungeKutta2,
        Integrator::RungeKutta2Implicit,
        Integrator::RungeKutta4,
        Integrator::Newmark,
    ];

    /// Its name, `snake_case`.
    pub fn name(self) -> &'static str {
        match self {
            Integrator::Variational => "variational",
            Integrator::VariationalExponential => "variational_exponential",
            Integrator::VariationalCayley => "variational_cayley",
            Integrator::Variational4 => "variational4",
            Integrator::Variational6 => "variational6",
            Integrator::Variational10 => "variational10",
            Integrator::Composed4 => "composed4",
            Integrator::Composed6 => "composed6",
            Integrator::RungeKutta2 => "rk2",
            Integrator::RungeKutta2Implicit => "rk2_implicit",
            Integrator::RungeKutta4 => "rk4",
            Integrator::Newmark => "newmark",
        }
    }

    /// Halving the step divides the error by 2 to this power.
    pub fn order(self) -> i32 {
        match self {
            Integrator::Variational
            | Integrator::VariationalExponential
            | Integrator::VariationalCayley
            | Integrator::RungeKutta2
            | Integrator::RungeKutta2Implicit
            | Integrator::Newmark => 2,
            Integrator::Variational4 | Integrator::Composed4 | Integrator::RungeKutta4 => 4,
            Integrator::Variational6 | Integrator::Composed6 => 6,
            Integrator::Variational10 => 10,
        }
    }

    /// The body after every `every` steps of `time_step` seconds, `steps` in all; the start is not among them. From where a step has no
    /// solution or overflows, states are not finite.
    pub fn run(self, body: &RigidBody, start: &State, time_step: f64, steps: usize, every: usize) -> Vec<State> {
        self.sampled::<State>(body, start, time_step, Span { steps, every: every.max(1) })
    }

    /// The same, without the momenta.
    pub fn poses(self, body: &RigidBody, start: &State, time_step: f64, steps: usize, every: usize) -> Vec<Pose> {
        self.sampled::<Pose>(body, start, time_step, Span { steps, every: every.max(1) })
    }

    fn sampled<T: Sample>(self, body: &RigidBody, start: &State, time_step: f64, span: Span) -> Vec<T> {
        match self {
            Integrator::Variational => span.samples(TruncatedCayley::new(body, start, time_step)),
            Integrator::VariationalExponential => span.samples(Exponential::new(body, start, time_step)),
            Integrator::VariationalCayley => span.samples(Coupled::new(body, start, time_step)),
            Integrator::Variational4 => span.samples(MoserVeselov::new(body, start, time_step, ModifiedMoments::Order4)),
            Integrator::Variational6 => span.samples(MoserVeselov::new(body, start, time_step, ModifiedMoments::Order6)),
            Integrator::Variational10 => span.samples(MoserVeselov::new(body, start, time_step, ModifiedMoments::Order10)),
            Integrator::Composed4 => span.samples(Composition::suzuki(body, start, time_step)),
            Integrator::Composed6 => span.samples(Composition::kahan_li(body, start, time_step)),
            Integrator::RungeKutta2 => span.samples(runge_kutta::Explicit::<2>::new(body, start, time_step)),
            Integrator::RungeKutta2Implicit => span.samples(runge_kutta::Implicit::new(body, start, time_step)),
            Integrator::RungeKutta4 => span.samples(runge_kutta::Explicit::<4>::new(body, start, time_step)),
            Integrator::Newmark => span.samples(newmark::Newmark::new(body, start, time_step)),
        }
    }
}

/// A free rigid body that goes on by steps of one size.
pub trait Stepper {
    /// One step.
    fn step(&mut self);
    /// Where the body is; not finite once a step had no solution.
    fn pose(&self) -> Pose;
    /// Its momentum, body frame.
    fn momentum(&self) -> Momentum;
    /// Both.
    fn state(&self) -> State {
        State { pose: self.pose(), momentum: self.momentum() }
    }
}

/// What is kept of a step.
trait Sample {
    fn of(stepper: &impl Stepper) -> Self;
}

impl Sample for State {
    fn of(stepper: &impl Stepper) -> State {
        stepper.state()
    }
}

impl Sample for Pose {
    fn of(stepper: &impl Stepper) -> Pose {
        stepper.pose()
    }
}

/// How many steps, and which of them are kept.
struct Span {
    steps: usize,
    every: usize,
}

impl Span {
    fn samples<T: Sample>(&self, mut stepper: impl Stepper) -> Vec<T> {
        let sample = |_| {
            (0..self.every).for_each(|_| stepper.step());
            T::of(&stepper)
        };
        (0..self.steps / self.every).map(sample).collect()
    }
}

impl RigidBody {
    /// Its inertia for [`Variational`](super::variational::Variational).
    pub fn inertia(&self) -> Inertia {
        let (j, m) = (&self.moments, self.mass);
        Inertia::rigid(Matrix6::from_diagonal(&Vector6::new(j.x, j.y, j.z, m, m, m)))
    }

    /// The body at `pose`, moving with the body velocity `twist`.
    pub fn moving(&self, pose: Pose, twist: &Twist) -> State {
        State { pose, momentum: Momentum::new(self.moments.component_mul(&twist.angular), twist.linear * self.mass) }
    }

    /// Its body velocity with that momentum.
    pub fn twist(&self, momentum: &Momentum) -> Twist {
        Twist::new(momentum.angular.component_div(&self.moments), momentum.linear / self.mass)
    }

    /// Kinetic energy with that momentum, J.
    pub fn energy(&self, momentum: &Momentum) -> f64 {
        0.5 * momentum.pair(&self.twist(momentum))
    }
}
