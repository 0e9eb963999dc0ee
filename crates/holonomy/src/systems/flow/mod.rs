//! Bodies in flow: full dynamics of rigid and shape-changing bodies in air and water, without a fluid simulation (Soliman et al. 2024).
//!
//! A body with the twist Y has the momentum μ = K Y + μ⁰, its own and that of the fluid it moves, and `μ' = ad(Y)ᵀ μ + F`. K and μ⁰ change with the
//! shape; F is lift and drag of every face, weight, buoyancy, and what the user adds. Each step is one of
//! [`integrate::variational`](crate::integrate::variational).
//!
//! | symbol | meaning |
//! |---|---|
//! | g, Y | pose and body velocity |
//! | γ, γ' | shape and its velocity in the body frame |
//! | K_b, μ_b | inertia of the body, momentum of its change of shape ([`Substance`]) |
//! | K_f, μ_f | the same of the fluid around it ([`AddedMass`]) |
//!
//! A steady wind or current is taken exactly: the body is followed from a frame that is carried along by it. Gusts, shear and vortices
//! act by lift and drag on each face, and by the pressure that speeds the fluid up, taken at the centre ([`surge`](crate::medium::surge)). What is left out: wakes, and bodies do not feel each other. Where a surface lies between two fluids, the force by which the energy of the fluid pulls a body towards the surface is left out.

mod begin;
mod body;
mod diagnostics;
mod record;
mod report;
mod state;
mod step;
mod substance;
mod trouble;
mod way;

use std::ops::ControlFlow;

use nalgebra::Vector3;

use crate::Error;
use crate::integrate::variational::{ForcePoint, Retraction};
use crate::lie::{Momentum, Pose, Twist, Wrench};
use crate::medium::{AddedMass, FlowField, Fluid, Fluids, Ground};
use crate::motion::{Motion, Outcome};
use crate::shape::{Clip, TurningPart, turning};

pub use state::{FlowState, Forces, StepReport, Work};
pub use substance::Substance;
pub use trouble::Trouble;

use record::Record;

/// A job: a body, what it is made of, and what surrounds it. All at once with [`run`](Flow::run), or step by step with
/// [`begin`](Flow::begin) and [`step`](Flow::step).
///
/// ```
/// use holonomy::lie::Wrench;
/// use holonomy::medium::Fluid;
/// use holonomy::nalgebra::Vector3;
/// use holonomy::shape::{Material, Topology};
/// use holonomy::systems::flow::{Flow, Substance};
///
/// let points = [[1.0, 1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]].map(|p| Vector3::from(p) * 0.1); // metres
/// let faces = vec![[0, 1, 2], [0, 3, 1], [0, 2, 3], [1, 3, 2]]; // seen from outside, counter-clockwise
/// let stone = Substance::Uniform(Material::Solid { density: 2500.0 });
/// let flow = Flow::new(stone, Fluid { density: 998.0, viscosity: 1e-3 });
/// let mut state = flow.begin(&Topology::Surface { faces }, &points)?;
/// for _ in 0..60 {
///     let report = flow.step(&mut state, None, 1.0 / 60.0, &Wrench::zero())?; // a rigid body has no next shape
///     assert!(report.trouble.is_none());
/// }
/// assert!(state.pose().translation.y < -0.5); // it sinks
/// # Ok::<(), holonomy::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Flow {
    /// What the body is made of.
    pub substance: Substance,
    /// How the fluid that moves along is found.
    pub added_mass: AddedMass,
    /// Which fluid is where.
    pub fluids: Fluids,
    /// Whether it pushes on each face; an ideal fluid does not, and a body in it keeps its energy.
    pub lift_and_drag: bool,
    /// How it flows.
    pub flow: FlowField,
    /// Acceleration of free fall, m/s².
    pub gravity: Vector3<f64>,
    /// A push that turns with the body: torque about the body's origin and force, body frame, N m and N.
    pub thrust: Wrench,
    /// What the body comes down on, if anything.
    pub ground: Option<Ground>,
    /// Coefficient of friction on the ground; 0 for none.
    pub friction: f64,
    /// Parts that turn as told while the rest of the shape does what it does: propellers, rudders.
    pub parts: Vec<TurningPart>,
    /// Where the first shape stands.
    pub start: Pose,
    /// Velocity at the start, before the shape begins to change: of the centre of mass, and about it; world axes.
    pub velocity: Twist,
    /// How time is cut.
    pub stepping: Stepping,
    /// How many steps to take, from frame to frame; absent, as many as the clip has, once through. A loop goes round, what ends stays at its end.
    pub steps: Option<usize>,
}

/// How time is cut.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stepping {
    /// Steps between two frames; halved further where a step has no solution.
    pub substeps: Substeps,
    /// The map from twists to poses.
    pub retraction: Retraction,
    /// Where in a step forces act.
    pub force_point: ForcePoint,
}

/// Steps between two frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Substeps {
    /// As many as it takes to turn by less than 0.1 rad (its parts by 0.2), travel less than 0.2 radii, and lose less than about half of the velocity to drag in each; 1000
    /// at most.
    Auto,
    /// As many as told.
    Fixed(usize),
}

impl Default for Stepping {
    fn default() -> Stepping {
        Stepping { substeps: Substeps::Auto, retraction: Retraction::Exponential, force_point: ForcePoint::Middle }
    }
}

impl Flow {
    /// A body of `substance` that starts at rest at the origin, in one still fluid, with gravity.
    pub fn new(substance: Substance, fluid: Fluid) -> Flow {
        Flow {
            substance,
            added_mass: AddedMass::Local,
            fluids: Fluids::One(fluid),
            lift_and_drag: true,
            flow: FlowField::Still,
            gravity: Vector3::y() * -crate::medium::GRAVITY,
            thrust: Wrench::zero(),
            ground: None,
            friction: 0.0,
            parts: Vec::new(),
            start: Pose::identity(),
            velocity: Twist::zero(),
            stepping: Stepping::default(),
            steps: None,
        }
    }

    /// Soliman 2024, Alg. 1, from frame to frame of a clip.
    ///
    /// `progress` is told (step, steps) before each frame and may ask to stop.
    ///
    /// # Errors
    /// The clip is no surface, a parameter is out of range, or the body has no mass. Not converging is an [`Outcome`].
    pub fn run(&self, clip: &Clip, progress: &mut dyn FnMut(usize, usize) -> ControlFlow<()>) -> Result<Motion, Error> {
        let steps = self.steps.unwrap_or(clip.steps());
        let mut state = self.begin_clip(clip)?;
        let mut record = Record::new(&self.report(&state), steps);
        let outcome = Outcome::of_long_steps(steps, progress, |t, asked| {
            let shape = (clip.frames() > 1).then(|| clip.frame(t));
            let frame = Some(clip.stored_frame(t - 1));
            let Some(report) = self.advance(&mut state, shape, clip.dt(), &Momentum::zero(), frame, asked)? else {
                return Ok(Some(Outcome::Interrupted { frame: t }));
            };
            if let Some(trouble) = report.trouble {
                let advice = trouble.advice(t, clip.dt());
                return Ok(Some(Outcome::NotConverged { frame: t, residual: report.residual, advice }));
            }
            record.push(report, &state);
            Ok(None)
        })?;
        let shape = if self.parts.is_empty() { clip.clone() } else { turning::bake(clip, &self.parts, record.frames())? };
        Ok(record.finish(self, shape, &state, outcome))
    }
}
