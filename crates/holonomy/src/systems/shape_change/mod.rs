//! Motion from shape change: in-place shapes in, world motion out (Gross et al. 2023).
//!
//! Physics enters twice: as a metric (what it costs to move each part) and as a momentum. Where friction rules, momentum is
//! what the pull asks for, zero without one (least dissipation); in free space it is what it was (least action); with both, it changes by what
//! drag and pull do to it (Sec. 3.1.2).
//!
//! | symbol | meaning |
//! |---|---|
//! | g, γ̂ | pose and shape; γ = g(γ̂) is the placed shape |
//! | K, D | inertia and drag metric (Gross 2023, Eq. 1) |
//! | μ | discrete momenta (Eq. 5): −2Δt times the physical ones, docs/ERRATA.md G2 |
//! | J, ϱ | physical momentum and pull, order (angular, linear) |

mod checks;
mod crawl;
mod crawl_record;
mod crawl_step;
mod diagnostics;
mod momentum;
mod placing;
mod pull;
mod record;
mod setup;
mod state;

use std::ops::ControlFlow;

use nalgebra::Vector3;

use crate::Error;
use crate::lie::{Momentum, Pose};
use crate::medium::Floor;
use crate::motion::{Motion, Outcome};
use crate::shape::{Clip, MassRule, Playback};

pub use crawl::{Crawl, CrawlReport, CrawlState};
pub use pull::{Buoyancy, Pull};
pub use state::{ShapeChangeState, StepReport};

use record::Record;

/// The physics that places the shapes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Law {
    /// Friction rules: the shapes move so that least is dissipated (Gross 2023, Secs. 2.1 and 3.1.1). The drag balances the pull.
    LeastDissipation {
        /// What the medium does to each part.
        drag: Drag,
    },
    /// Inertia rules: the momentum stays what it was (Gross 2023, Sec. 2.2).
    LeastAction {
        /// The momentum that stays, physical, in the world frame about the world origin; zero for a body that starts at rest.
        /// [`ShapeChange::rigid_momentum`] and [`ShapeChange::recorded_momentum`] find it.
        momentum: Momentum,
        /// Acceleration of free fall, m/s², which bends the way of the centre of mass to a parabola.
        gravity: Vector3<f64>,
    },
    /// Inertia rules, and the body carries fluid along where it moves across itself (Gross 2023, Sec. 2.2.1): K_j = m_j I + β_j P_j.
    IdealFluid {
        /// The momentum of body and fluid, which stays; as in [`Law::LeastAction`].
        momentum: Momentum,
        /// Fluid that moves along, kg per unit of weight (metre of a curve, square metre of a surface, kilogram of a bone). β_j is that times the weight in each frame.
        added_mass: f64,
    },
    /// Both inertia and drag (Gross 2023, Sec. 3.1.2): the momentum changes by drag and pull.
    ///
    /// The drag of a step is that of the step itself (implicit): stable for any Δt, first order, and it never adds energy. As the
    /// mass goes to nothing this becomes least dissipation; as the drag does, least action.
    InertiaAndDrag {
        /// The momentum at the start, as in [`Law::LeastAction`].
        momentum: Momentum,
        /// As in [`Law::IdealFluid`]; zero for a body without fluid.
        added_mass: f64,
        /// What the medium does to each part.
        drag: Drag,
    },
}

/// Viscous drag, N s/m per unit of weight (metre of a curve or a bone, square metre of a surface).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Drag {
    /// Against motion along the body.
    pub along: f64,
    /// Against motion across it.
    pub across: f64,
}

impl Drag {
    /// One across the body, `anisotropy` (ε, 0 to 1) along it. Without a pull only the ratio matters.
    pub const fn anisotropic(anisotropy: f64) -> Drag {
        Drag { along: anisotropy, across: 1.0 }
    }

    /// The same in all directions.
    pub const fn isotropic(coefficient: f64) -> Drag {
        Drag { along: coefficient, across: coefficient }
    }
}

impl Law {
    /// Friction rules, with drag along the body `anisotropy` (ε, 0 to 1) times the drag across it.
    pub const fn anisotropic(anisotropy: f64) -> Law {
        Law::LeastDissipation { drag: Drag::anisotropic(anisotropy) }
    }

    /// Inertia rules, and the body starts at rest where nothing falls.
    pub fn from_rest() -> Law {
        Law::LeastAction { momentum: Momentum::zero(), gravity: Vector3::zeros() }
    }

    /// The same law with another momentum at the start; least dissipation has none and stays as it is.
    pub fn with_momentum(self, momentum: Momentum) -> Law {
        match self {
            Law::LeastDissipation { .. } => self,
            Law::LeastAction { gravity, .. } => Law::LeastAction { momentum, gravity },
            Law::IdealFluid { added_mass, .. } => Law::IdealFluid { momentum, added_mass },
            Law::InertiaAndDrag { added_mass, drag, .. } => Law::InertiaAndDrag { momentum, added_mass, drag },
        }
    }

    /// The momentum at the start; zero for least dissipation.
    pub fn momentum(&self) -> Momentum {
        match self {
            Law::LeastDissipation { .. } => Momentum::zero(),
            Law::LeastAction { momentum, .. } | Law::IdealFluid { momentum, .. } | Law::InertiaAndDrag { momentum, .. } => *momentum,
        }
    }

    fn drag(&self) -> Option<Drag> {
        match self {
            Law::LeastDissipation { drag } | Law::InertiaAndDrag { drag, .. } => Some(*drag),
            Law::LeastAction { .. } | Law::IdealFluid { .. } => None,
        }
    }
}

/// Which ways the body may move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Freedom {
    /// All six: in the air, in water, in honey.
    #[default]
    Full,
    /// Along the ground: it shifts sideways and turns about the vertical, and keeps its height and its tilt. What would lift or tip it, the ground takes
    /// up. For least dissipation, and for inertia and drag.
    Level,
}

/// A job: place the shapes of a clip in the world, all at once with [`run`](ShapeChange::run) or one at a time with
/// [`begin`](ShapeChange::begin) and [`step`](ShapeChange::step).
#[derive(Debug, Clone, PartialEq)]
pub struct ShapeChange {
    /// The physics.
    pub law: Law,
    /// How drag and mass are spread over the body: the weight of each vertex. Of a rig, how drag
    /// is spread over its bones: by length if [`MassRule::Natural`], [`MassRule::Length`], one for
    /// each, or given bone by bone; its mass is that of its bones.
    pub masses: MassRule,
    /// Mass of the whole body, kg, spread as `masses` says in frame 0; absent, the weights (or the bones' masses) are kilograms.
    pub mass: Option<f64>,
    /// How the mass is spread, where not as the drag is: a pebble's drag is on its surface, its mass inside. Rigs have their bones' masses.
    pub mass_spread: Option<MassRule>,
    /// Forces from outside.
    pub pull: Pull,
    /// Which ways the body may move.
    pub freedom: Freedom,
    /// A floor that nothing sinks through. Laws of constant momentum have none, nor does what keeps level.
    pub floor: Option<Floor>,
    /// Where the first shape stands.
    pub start: Pose,
    /// How many steps to take; absent, as many as the clip has, once through. A loop goes round, what ends stays at its end.
    pub steps: Option<usize>,
}

impl ShapeChange {
    /// The job of a law, with natural weights, free to move, no pull, no floor, from the origin, once.
    pub fn new(law: Law) -> ShapeChange {
        ShapeChange {
            law,
            masses: MassRule::Natural,
            mass: None,
            mass_spread: None,
            pull: Pull::none(),
            freedom: Freedom::Full,
            floor: None,
            start: Pose::identity(),
            steps: None,
        }
    }

    /// Gross 2023, Alg. 2: for t = 1 … T, find g_t such that DiscreteMomenta(γ_{t−1}, g_t(γ̂_t)) is the target.
    ///
    /// `progress` is told (step, steps) before each step and may ask to stop.
    ///
    /// # Errors
    /// Fewer than two frames, parameters out of range, a shape without mass. Not converging is an [`Outcome`].
    pub fn run(&self, clip: &Clip, progress: &mut dyn FnMut(usize, usize) -> ControlFlow<()>) -> Result<Motion, Error> {
        self.validate(clip)?;
        let steps = self.steps.unwrap_or(clip.steps());
        // Where a law does not depend on where the body is or was, each further cycle is the first one carried along.
        let carries = clip.playback() == Playback::Loop && self.every_cycle_is_alike();
        let solved = if carries { steps.min(clip.frames()) } else { steps };
        let mut state = self.begin_sound(&clip.shape(0, &self.masses)?, false)?;
        let mut record = Record::new(self, &state, solved);
        let outcome = Outcome::of_steps(solved, progress, |t| {
            let report = self.advance(&mut state, &clip.shape(t, &self.masses)?, clip.dt(), &Momentum::zero())?;
            if !report.converged {
                return Ok(Some(state.not_converged(t, &report, clip.dt())));
            }
            record.push(&report);
            Ok(None)
        })?;
        let mut motion = record.finish(self, clip, outcome).repeated(steps.div_ceil(clip.frames())).first(steps.saturating_add(1));
        motion.checks.extend(self.checks(clip, &state.physics, &motion)?);
        Ok(motion)
    }

    /// Whether a cycle of a loop does not depend on the one before.
    fn every_cycle_is_alike(&self) -> bool {
        let history = matches!(self.law, Law::InertiaAndDrag { .. }) || self.law.momentum() != Momentum::zero();
        let falls = matches!(self.law, Law::LeastAction { gravity, .. } if gravity != Vector3::zeros());
        !history && !falls && self.pull == Pull::none() && self.floor.is_none()
    }
}
