//! `[system.shape-change]`.

use holonomy::lie::{Momentum, Pose, Twist};
use holonomy::medium::{Floor, HeightField};
use holonomy::nalgebra::Vector3;
use holonomy::shape::MassRule;
use holonomy::systems::shape_change as engine;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Error;
use crate::scene::Start;
use crate::scene::quantity::{AddedMass, Anisotropy, BodyMass, Density, DragCoefficient, Gravity, Height};
use crate::scene::system::{OpenLand, Settings, Surroundings};

/// Settings of motion from shape change (Gross 2023).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct ShapeChange {
    /// The physics that places the shapes. Default: `least-dissipation`.
    pub law: Law,
    /// Drag along the body over drag across it: 1 is the same, 0 none along it. Default: `0.05`.
    pub anisotropy: Anisotropy,
    /// Drag across the body, N s/m per unit of weight (metre of a curve or a bone, square metre of
    /// a surface). It matters where the body sinks, is pushed or coasts. Default: `1`.
    pub drag: DragCoefficient,
    /// How vertices are weighted: where the drag and the mass are. Of a rig, how drag is spread
    /// over its bones: by `length` (`auto` too) or `unit`; its mass is that of its bones, and a
    /// law without drag takes `auto` alone. Default: `auto`.
    pub masses: Weights,
    /// Mass of the whole body, kg, spread as `masses` says. If absent, the weights are kilograms.
    pub mass: Option<BodyMass>,
    /// Fluid that moves along where the body moves across itself, kg per unit of weight, for `ideal-fluid` and `inertia-and-drag`. Default: `0`.
    pub added_mass: AddedMass,
    /// The momentum at the start, for laws with inertia. Default: `zero`.
    pub momentum: InitialMomentum,
    /// Acceleration of free fall, downwards, m/s². Default: `0`.
    pub gravity: Gravity,
    /// Density of the fluid around, kg/m³, whose buoyancy lifts a closed surface by what it encloses. Default: `0`.
    pub fluid_density: Density,
    /// Mass of the displaced fluid, kg, for bodies that are no closed surface; it lifts at the centre of mass. If absent, none.
    pub displaced_mass: Option<BodyMass>,
    /// Which ways the body may move: `level` for what crawls on the ground. Default: `full`.
    pub freedom: Freedom,
    /// Height of level ground without friction, for `least-dissipation` and `inertia-and-drag`. If absent, there is none.
    pub ground: Option<Height>,
    /// Hills to crawl over, for an open curve under `least-dissipation`: it is laid out along the ground, and keeps its lengths and its bends to the
    /// side. If absent, there are none.
    pub land: Option<OpenLand>,
}

impl Default for ShapeChange {
    fn default() -> Self {
        let (law, masses, momentum) = Default::default();
        ShapeChange {
            law,
            anisotropy: Anisotropy(0.05),
            drag: DragCoefficient(1.0),
            masses,
            mass: None,
            added_mass: AddedMass(0.0),
            momentum,
            gravity: Gravity(0.0),
            fluid_density: Density(0.0),
            displaced_mass: None,
            freedom: Freedom::Full,
            ground: None,
            land: None,
        }
    }
}

impl ShapeChange {
    /// What the engine is told, for a body whose own weights are `natural`. The momentum at the start is left at zero.
    ///
    /// # Errors
    /// Settings that exclude each other.
    pub fn engine(&self, start: Pose, steps: usize, natural: &MassRule) -> Result<engine::ShapeChange, Error> {
        let (drag, momentum) = (self.engine_drag(), Momentum::zero());
        let (down, added_mass) = (-Vector3::y() * self.gravity.si(), self.added_mass.si());
        let law = match self.law {
            Law::LeastDissipation => engine::Law::LeastDissipation { drag },
            Law::LeastAction => engine::Law::LeastAction { momentum, gravity: down },
            Law::IdealFluid if added_mass == 0.0 => {
                return Err(choice("law `ideal-fluid` needs `added-mass` above 0: what fluid moves along"));
            }
            Law::IdealFluid => engine::Law::IdealFluid { momentum, added_mass },
            Law::InertiaAndDrag => engine::Law::InertiaAndDrag { momentum, added_mass, drag },
        };
        let pull = match self.law {
            Law::LeastAction => engine::Pull { buoyancy: self.buoyancy()?, ..engine::Pull::none() },
            _ => engine::Pull { buoyancy: self.buoyancy()?, ..engine::Pull::gravity(down) },
        };
        let floor = self.ground.map(|height| Floor { height: height.si() });
        Ok(engine::ShapeChange {
            law,
            masses: self.weights(natural),
            mass: self.mass.map(BodyMass::si),
            mass_spread: None,
            pull,
            freedom: match self.freedom {
                Freedom::Full => engine::Freedom::Full,
                Freedom::Level => engine::Freedom::Level,
            },
            floor,
            start,
            steps: Some(steps),
        })
    }

    /// What the engine is told of a body that crawls over `land`.
    ///
    /// # Errors
    /// Settings that mean nothing there.
    pub fn crawl(&self, land: HeightField, start: Pose, steps: usize, natural: &MassRule) -> Result<engine::Crawl, Error> {
        let only = if self.law != Law::LeastDissipation {
            "`land` is for law `least-dissipation`"
        } else if self.ground.is_some() {
            "`land` and `ground` both say what the body lies on; keep one"
        } else if self.buoyancy()? != engine::Buoyancy::None {
            "a body that crawls over `land` displaces no fluid; leave `fluid-density` and `displaced-mass` out"
        } else {
            let (masses, mass) = (self.weights(natural), self.mass.map(BodyMass::si));
            let (drag, gravity) = (self.engine_drag(), self.gravity.si());
            return Ok(engine::Crawl { masses, mass, gravity, start, steps: Some(steps), ..engine::Crawl::new(land, drag) });
        };
        Err(choice(only))
    }

    fn engine_drag(&self) -> engine::Drag {
        let across = self.drag.si();
        engine::Drag { along: self.anisotropy.si() * across, across }
    }

    fn weights(&self, natural: &MassRule) -> MassRule {
        match self.masses {
            Weights::Auto => natural.clone(),
            Weights::Length => MassRule::Length,
            Weights::Area => MassRule::Area,
            Weights::Volume => MassRule::Volume,
            Weights::Unit => MassRule::Unit,
        }
    }

    fn buoyancy(&self) -> Result<engine::Buoyancy, Error> {
        match (self.fluid_density.si(), self.displaced_mass) {
            (0.0, None) => Ok(engine::Buoyancy::None),
            (fluid_density, None) => Ok(engine::Buoyancy::Enclosed { fluid_density }),
            (0.0, Some(mass)) => Ok(engine::Buoyancy::Displaced { mass: mass.si() }),
            _ => Err(choice("`fluid-density` and `displaced-mass` both say what the body displaces; keep one")),
        }
    }

    /// The velocity that `start` gives, if it gives one.
    ///
    /// # Errors
    /// The law has no inertia, or the momentum is also taken from the clip.
    pub fn initial_velocity(&self, start: &Start) -> Result<Option<Twist>, Error> {
        let velocity = start.twist();
        if velocity == Twist::zero() {
            return Ok(None);
        }
        if self.law == Law::LeastDissipation {
            return Err(choice("law `least-dissipation` has no inertia, so no velocity to start with; use `inertia-and-drag`"));
        }
        if self.momentum == InitialMomentum::Clip {
            return Err(choice("momentum `clip` and a velocity were both given; keep one"));
        }
        Ok(Some(velocity))
    }
}

fn choice(problem: &str) -> Error {
    Error::Choice(problem.into())
}

/// The momentum at the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum InitialMomentum {
    /// None, or that of the velocities given: without those the body starts at rest.
    #[default]
    Zero,
    /// That of the motion the clip was recorded with.
    Clip,
}

/// The physics that places the shapes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Law {
    /// Least energy is lost to drag, as in honey, mud or sand: drag balances weight and buoyancy.
    #[default]
    LeastDissipation,
    /// Least action, as in free fall or space: momentum stays.
    LeastAction,
    /// Least action of the body and the fluid that it carries along, without friction: their momentum stays.
    IdealFluid,
    /// Inertia and drag together: the body coasts, sinks and settles.
    InertiaAndDrag,
}

/// Which ways the body may move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Freedom {
    /// All six: in the air, in water, in honey.
    #[default]
    Full,
    /// Along the ground, for `least-dissipation` and `inertia-and-drag`: it shifts sideways and turns about the vertical, and keeps its height and its
    /// tilt; the ground takes up what would lift or tip it.
    Level,
}

/// How the vertices of a shape are weighted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Weights {
    /// What fits the shape: length for curves and for the drag of rigs, area for surfaces, unit
    /// for points.
    #[default]
    Auto,
    /// Half of the adjacent edges' lengths; the length of each bone.
    Length,
    /// A third of the adjacent triangles' areas.
    Area,
    /// Share of the enclosed volume.
    Volume,
    /// The same for every vertex or bone.
    Unit,
}

impl Settings for ShapeChange {
    fn name(&self) -> &'static str {
        "shape-change"
    }

    fn surroundings(&self) -> Surroundings {
        Surroundings { ground: self.ground, water: None, on_ground: self.land.is_none() }
    }
}
