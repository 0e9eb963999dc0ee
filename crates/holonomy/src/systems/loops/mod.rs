//! Physical animation that repeats without a seam (Jia et al. 2023, "Physical Cyclic Animations").
//!
//! A motion is sought among closed curves only, so that it repeats by construction; of these, the one whose residual forces are least. Beyond the paper: what is
//! known may stand at any frame ([`Keyframe`]), the period may be unknown ([`Period`]), the loop may close up to a rigid motion ([`Closure`]), so that swimmers
//! and dancers travel or turn as they repeat, and it can be kept lively ([`Liveliness`]).

pub mod baseline;
pub mod curve;
pub mod derivatives;
pub mod flight;
mod forward;
mod gauss_newton;
pub mod guess;
mod motion;
pub mod nbody;
mod prepare;
pub mod report;
mod secants;
mod steering;
mod watch;

use std::ops::ControlFlow;

use nalgebra::Vector3;

use crate::Error;
use crate::integrate::force_law::ForceLaw;
use crate::lie::Twist;
pub use crate::solve::periodic::Rule;
pub use curve::{Curve, Liveliness};
pub use flight::Flight;
pub use guess::Guessed;
pub use nbody::Gravity;
pub use report::{Report, Seam};
use watch::Watch;

/// A loop to be found.
///
/// ```
/// use std::ops::ControlFlow;
///
/// use holonomy::nalgebra::Vector3;
/// use holonomy::systems::loops::{Gravity, Loop, Outcome};
///
/// let law = Gravity::new(vec![1.0, 1.0], 1.0, 0.0)?; // two equal bodies, a metre apart, G = 1
/// let (x, v) = (Vector3::x() * 0.5, Vector3::z() * 0.7); // on a circle it would be 0.7071 m/s
/// let period = std::f64::consts::TAU / 2f64.sqrt();
/// let wanted = Loop::new(&law, 60, period, vec![x, -x], vec![v, -v]);
/// let found = wanted.solve(&mut |_| ControlFlow::Continue(()))?;
/// assert_eq!(found.outcome, Outcome::Converged);
/// assert!(found.report.seam.velocity <= found.report.seam.velocity_elsewhere * 1.001);
/// # Ok::<(), holonomy::Error>(())
/// ```
#[derive(Clone)]
pub struct Loop<'a> {
    /// The mechanical system. If it depends on time, it does so with the loop's period.
    pub law: &'a dyn ForceLaw,
    /// Frames of one period.
    pub frames: usize,
    /// How long it takes.
    pub period: Period,
    /// The time integration whose motion it is.
    pub rule: Rule,
    /// How it begins.
    pub start: Start,
    /// What else is known of it.
    pub keyframes: Vec<Keyframe>,
    /// Up to which rigid motion it closes.
    pub closure: Closure,
    /// Where the search begins.
    pub guess: Guess,
    /// If it shall move so much and no less.
    pub liveliness: Option<Liveliness>,
    /// When to stop.
    pub settings: Settings,
}

/// How long a loop takes, seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Period {
    /// So long.
    Fixed(f64),
    /// As long as is best; sought from here. For laws that do not depend on time.
    Free {
        /// First guess.
        near: f64,
    },
    /// The same, sought from when the system left to itself comes back closest to its start.
    Return {
        /// No sooner.
        least: f64,
        /// No later.
        most: f64,
    },
}

/// How a loop begins.
#[derive(Debug, Clone, PartialEq)]
pub struct Start {
    /// Of each vertex, metres.
    pub positions: Vec<Vector3<f64>>,
    /// Of each vertex, m/s.
    pub velocities: Vec<Vector3<f64>>,
    /// How firmly it begins there: ε₀ of Eq. 15.
    pub hold_positions: Hold,
    /// How firmly it goes on like that: ε₁ of Eq. 15, of the positions one step later.
    pub hold_velocities: Hold,
}

/// How firmly something is asked for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Hold {
    /// Not at all.
    Free,
    /// With ε of Eq. 15: the smaller, the more it counts.
    Soft(f64),
    /// It must be.
    Hard,
}

/// Where vertices shall be at a frame.
#[derive(Debug, Clone, PartialEq)]
pub struct Keyframe {
    /// Frame, from 0.
    pub frame: usize,
    /// Which vertices; all if empty.
    pub vertices: Vec<usize>,
    /// Where they shall be in the world, metres; one for each of them.
    pub positions: Vec<Vector3<f64>>,
    /// How firmly.
    pub hold: Hold,
}

/// Up to which rigid motion a loop closes: x_{j+N} = exp(ξ) x_j. The forces must not notice that motion.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Closure {
    /// None: it ends as it began.
    Exact,
    /// This one; ξ in the world frame, rad and metres in one period.
    Moved(Twist),
    /// Whichever is best.
    Free {
        /// Which components of ξ are sought; the others are those of `near`, or zero.
        components: [bool; 6],
        /// First guess; from the system left to itself if none.
        near: Option<Twist>,
    },
}

/// Where the search begins.
#[derive(Debug, Clone, PartialEq)]
pub enum Guess {
    /// The system left to itself, with a seam where it does not close.
    Forward,
    /// The system steered to where it began: two simulations.
    Steered,
    /// The paper's fast projection (Alg. 2), at most so many iterations.
    FastProjection(usize),
    /// Newton's form of it, at most so many iterations.
    Closing(usize),
    /// Of many vertices, steered; of few, the first of closing and fast projection whose loss is far lower than that of the system left to itself, else that.
    Best(usize),
    /// This curve.
    Given(Curve),
}

/// When to stop.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// The step that counts as none, as a share of the loop's size.
    pub tolerance: f64,
    /// Most Gauss–Newton iterations.
    pub max_iterations: usize,
    /// Memory that solving may take, bytes: a factor of an implicit step, derivatives, and that of the loop's equations.
    pub memory_limit: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Settings { tolerance: 1e-9, max_iterations: 200, memory_limit: 4 << 30 }
    }
}

/// What is being done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// A first guess is being closed.
    Closing,
    /// The loss is being brought down.
    Descending,
}

/// How far the work is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress {
    /// What is being done.
    pub phase: Phase,
    /// Iteration of that, from 0.
    pub iteration: usize,
    /// What is being brought down: G while closing, else the loss.
    pub value: f64,
}

/// How the search ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The steps became as short as was asked, or nothing is left to gain.
    Converged,
    /// No step brings the loss down any more, though its slope is not zero.
    Stalled,
    /// The iterations are used up.
    OutOfIterations,
    /// It was stopped.
    Interrupted,
}

/// The loop that was found: in any case the one of least loss so far.
#[derive(Debug, Clone, PartialEq)]
pub struct Looped {
    /// Frames × vertices, in the world, metres.
    pub positions: Vec<Vector3<f64>>,
    /// The same in the frame that moves along, with period and rigid motion.
    pub curve: Curve,
    /// Frames of one period.
    pub frames: usize,
    /// How the search ended.
    pub outcome: Outcome,
    /// Loss before the first iteration and after each.
    pub history: Vec<f64>,
    /// The force that is missing at each frame and vertex, frames × vertices, in the world, newtons.
    pub residuals: Vec<Vector3<f64>>,
    /// Which way the linear systems were solved, and why; empty if there was none.
    pub method: String,
    /// G of the iterates of the first guess, metres²; empty if it was given.
    pub closure: Vec<f64>,
    /// How many keyframes it was asked to heed: what holds it to them is force that its law does not have.
    pub keyframes: usize,
    /// Seam, energies, drift.
    pub report: Report,
}

impl<'a> Loop<'a> {
    /// A loop as in the paper: of fixed period, with soft start (ε₀ = ε₁ = 1e-2), from the better first guess.
    pub fn new(law: &'a dyn ForceLaw, frames: usize, period: f64, positions: Vec<Vector3<f64>>, velocities: Vec<Vector3<f64>>) -> Self {
        Loop {
            law,
            frames,
            period: Period::Fixed(period),
            rule: Rule::Symplectic,
            start: Start { positions, velocities, hold_positions: Hold::Soft(1e-2), hold_velocities: Hold::Soft(1e-2) },
            keyframes: Vec::new(),
            closure: Closure::Exact,
            guess: Guess::Best(20),
            liveliness: None,
            settings: Settings::default(),
        }
    }

    /// The loss of a curve, and the residual forces in the frame that moves along: to hold others against what is found.
    ///
    /// # Errors
    /// As [`Loop::solve`]; or the curve has the wrong length.
    pub fn loss(&self, curve: &Curve) -> Result<(f64, Vec<Vector3<f64>>), Error> {
        self.validate()?;
        let objective = self.objective(curve.period)?;
        let expected = self.frames * objective.vertices();
        if curve.positions.len() != expected {
            return Err(Error::Length { what: "positions of the curve", expected, found: curve.positions.len() });
        }
        let mut residuals = vec![Vector3::zeros(); expected];
        Ok((objective.loss(curve, &mut residuals), residuals))
    }

    /// Finds it. `progress` is told before each iteration, and again and again in its midst; it may stop the work, which heeds it at the next step of a simulation or
    /// of conjugate gradients.
    ///
    /// # Errors
    /// A parameter is out of range, what must be contradicts itself, the forces are not what period or closure need, or it would take more memory than is allowed.
    pub fn solve(&self, progress: &mut dyn FnMut(&Progress) -> ControlFlow<()>) -> Result<Looped, Error> {
        self.validate()?;
        self.afford_steps()?;
        let watch = Watch::new(progress);
        let (period, twist) = self.first_period_and_twist(&|| watch.asks_to_stop())?;
        let objective = self.objective(period)?;
        let (curve, closure) = self.first_curve(&objective, period, twist, &watch)?;
        let ended = gauss_newton::descend(&objective, curve, &self.settings, &watch)?;
        let n = objective.vertices();
        let world = |vectors: &[Vector3<f64>], points: bool| -> Vec<Vector3<f64>> {
            let place = |(k, v): (usize, &Vector3<f64>)| {
                let pose = ended.curve.frame(k / n, self.frames);
                if points { pose.act(v) } else { pose.rotation * v }
            };
            vectors.iter().enumerate().map(place).collect()
        };
        Ok(Looped {
            positions: world(&ended.curve.positions, true),
            residuals: world(&ended.residuals, false),
            report: Report::of(self.law, &ended.curve, self.frames, &ended.residuals),
            curve: ended.curve,
            frames: self.frames,
            outcome: ended.outcome,
            history: ended.history,
            method: ended.method,
            closure,
            keyframes: self.keyframes.len(),
        })
    }
}
