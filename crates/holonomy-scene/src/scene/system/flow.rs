//! `[system.flow]`.

use holonomy::lie::{Pose, Twist, Wrench};
use holonomy::medium::flow_field::{self, FlowField};
use holonomy::medium::{self, AddedMass, Fluids, Ground};
use holonomy::nalgebra::Vector3;
use holonomy::systems::flow as engine;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toml::de::DeTable;

use crate::scene::diagnostics::{Diagnostic, key_span};
use crate::scene::quantity::{
    Circulation, Coordinate, Count, Density, Force, Friction, Gravity, GustSpeed, Height, Length, ShearRate, SignedShare, Speed, Viscosity,
};
use crate::scene::start::Place;
use crate::scene::system::{Settings, Surroundings};
use crate::scene::table::table;

/// Settings of bodies in flow (Soliman 2024): full dynamics of rigid and shape-changing bodies in air and water, without a fluid simulation.
///
/// Left out are wakes; bodies do not feel each other.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Flow {
    /// What is around the body. Default: `water`.
    pub fluid: Fluid,
    /// Density of the fluid, kg/m³. If absent, that of `fluid`.
    pub density: Option<Density>,
    /// Dynamic viscosity of the fluid, Pa s, for `viscous-drag`. If absent, that of `fluid`.
    pub viscosity: Option<Viscosity>,
    /// Whether viscosity brakes the body too: it does where things are slow and small. Soliman 2024 leaves it out. Default: `false`.
    pub viscous_drag: bool,
    /// Height of the water's surface, with air above. If absent, the fluid is everywhere.
    pub water: Option<Height>,
    /// How the fluid that moves along with the body is found. Default: `local`.
    pub added_mass: AddedMassModel,
    /// Whether the fluid pushes on each face; an ideal fluid does not, and a body in it keeps its energy. Default: `true`.
    pub lift_and_drag: bool,
    /// Acceleration of free fall, downwards, m/s². Default: `9.81`.
    pub gravity: Gravity,
    /// A push at the body's origin that turns with the body, N, body axes. Default: `[0, 0, 0]`.
    pub thrust: [Force; 3],
    /// Height of level ground to come down on. If absent, there is none.
    pub ground: Option<Height>,
    /// Coefficient of friction on the ground. Default: `0.5`.
    pub friction: Friction,
    /// Steps between two frames. If absent, chosen by speed, turn and drag, without error control.
    pub substeps: Option<Count<1, 100_000>>,
    /// Flow of the fluid, the same everywhere, m/s; where there is `water`, that of the air above it. Default: `[0, 0, 0]`.
    pub wind: [Speed; 3],
    /// Flow of the water below its surface, level, m/s. Without a surface there is one fluid, and `wind` is how it flows. Default: `[0, 0, 0]`.
    pub current: [Speed; 3],
    /// Random eddies, beside the wind; above the `water`, not below.
    #[serde(deserialize_with = "table")]
    pub gusts: Gusts,
    /// Wind that grows with the height, beside the other; above the `water`, not below.
    #[serde(deserialize_with = "table")]
    pub shear: Shear,
    /// A whirl, beside the other; where there is `water`, in the fluid that its place is in.
    #[serde(deserialize_with = "table")]
    pub vortex: Vortex,
}

impl Default for Flow {
    fn default() -> Self {
        Flow {
            fluid: Fluid::default(),
            density: None,
            viscosity: None,
            viscous_drag: false,
            water: None,
            added_mass: AddedMassModel::default(),
            lift_and_drag: true,
            gravity: Gravity(medium::GRAVITY),
            thrust: [Force(0.0); 3],
            ground: None,
            friction: Friction(0.5),
            substeps: None,
            wind: [Speed(0.0); 3],
            current: [Speed(0.0); 3],
            gusts: Gusts::default(),
            shear: Shear::default(),
            vortex: Vortex::default(),
        }
    }
}

impl Flow {
    /// What the engine is told but for parts that turn, for a body made of `substance` that starts at `start` with `velocity` (world axes).
    ///
    /// # Errors
    /// A number is out of range.
    pub fn engine(
        &self,
        substance: engine::Substance,
        start: Pose,
        velocity: Twist,
        steps: usize,
    ) -> Result<engine::Flow, holonomy::Error> {
        Ok(engine::Flow {
            substance,
            added_mass: match self.added_mass {
                AddedMassModel::Local => AddedMass::Local,
                AddedMassModel::Parts => AddedMass::Parts,
                AddedMassModel::BoundaryElement => AddedMass::BoundaryElement,
            },
            fluids: self.fluids(),
            lift_and_drag: self.lift_and_drag,
            flow: self.flow_field()?,
            gravity: -Vector3::y() * self.gravity.si(),
            thrust: Wrench::new(Vector3::zeros(), self.thrust.map(Force::si).into()),
            ground: self.ground.map(|height| Ground::Flat { height: height.si() }),
            friction: self.friction.si(),
            parts: Vec::new(),
            start,
            velocity,
            stepping: engine::Stepping {
                substeps: self.substeps.map_or(engine::Substeps::Auto, |count| engine::Substeps::Fixed(count.get())),
                ..engine::Stepping::default()
            },
            steps: Some(steps),
        })
    }

    /// The fluid that the settings are about: the water where there is a surface.
    pub fn medium(&self) -> medium::Fluid {
        let named = self.fluid.medium();
        medium::Fluid {
            density: self.density.map_or(named.density, Density::si),
            viscosity: if self.viscous_drag { self.viscosity.map_or(named.viscosity, Viscosity::si) } else { 0.0 },
        }
    }

    fn fluids(&self) -> Fluids {
        let Some(level) = self.water else { return Fluids::One(self.medium()) };
        let air = Fluid::Air.medium();
        let above = medium::Fluid { viscosity: if self.viscous_drag { air.viscosity } else { 0.0 }, ..air };
        Fluids::Layered { level: level.si(), below: self.medium(), above }
    }

    /// How it flows: with a surface, `wind`, `gusts` and `shear` are of the air, `current` of the water, and a whirl of what it is in.
    fn flow_field(&self) -> Result<FlowField, holonomy::Error> {
        let (mut above, mut below) = (Vec::new(), Vec::new());
        let uniform = |fields: &mut Vec<FlowField>, velocity: [Speed; 3]| {
            let velocity = Vector3::from(velocity.map(Speed::si));
            if velocity != Vector3::zeros() {
                fields.push(FlowField::Uniform(velocity));
            }
        };
        uniform(&mut above, self.wind);
        uniform(&mut below, self.current);
        if self.gusts.speed.si() > 0.0 {
            let Gusts { speed, size, seed } = self.gusts;
            let gusts = flow_field::Gusts::new(speed.si(), size.si(), seed.get() as u64)?;
            above.push(FlowField::Gusts(gusts.carried(&self.wind.map(Speed::si).into())));
        }
        let [x, z] = self.shear.rate.map(ShearRate::si);
        if [x, z] != [0.0; 2] {
            let origin = Vector3::y() * self.shear.height.si();
            above.push(FlowField::Shear { rate: Vector3::new(x, 0.0, z), across: Vector3::y(), origin });
        }
        if self.vortex.circulation.si() != 0.0 {
            let Vortex { at, axis, circulation, core } = self.vortex;
            let (origin, axis) = (at.metres(), axis.map(SignedShare::si).into());
            let sunk = self.water.is_some_and(|level| origin.y < level.si());
            let fields = if sunk { &mut below } else { &mut above };
            fields.push(FlowField::Vortex { origin, axis, circulation: circulation.si(), core: core.si() });
        }
        let sum = |mut fields: Vec<FlowField>| match fields.len() {
            0 => FlowField::Still,
            1 => fields.remove(0),
            _ => FlowField::Sum(fields),
        };
        let (above, below) = (sum(above), sum(below));
        Ok(match self.water {
            Some(level) if above != below => FlowField::Layered { level: level.si(), above: Box::new(above), below: Box::new(below) },
            _ => above,
        })
    }
}

impl Settings for Flow {
    fn name(&self) -> &'static str {
        "flow"
    }

    fn surroundings(&self) -> Surroundings {
        Surroundings { ground: self.ground, water: self.water, on_ground: false }
    }

    fn check(&self, written: &DeTable) -> Result<(), Diagnostic> {
        let refuse =
            |key: &str, problem: &str, hint: &str| Err(Diagnostic::new(key_span(written, &["system", "flow", key]), problem, hint));
        if self.water.is_some() && self.fluid != Fluid::Water {
            let hint = "use fluid = \"water\", with a `density` of its own if it is another liquid, or leave out `water`";
            return refuse("water", "`water` in [system.flow] is the height of its surface, and there is none", hint);
        }
        let current = self.current.map(Speed::si);
        if current != [0.0; 3] && self.water.is_none() {
            let hint = "use `wind` for the flow of the one fluid there is, or give the height of the `water`";
            return refuse("current", "`current` in [system.flow] is that of water below a surface, and there is none", hint);
        }
        if current[1] != 0.0 {
            return refuse("current", "`current` in [system.flow] flows through the surface", "use [x, 0, z]");
        }
        if self.density.is_some() && self.fluid == Fluid::Vacuum {
            return refuse("density", "a vacuum has no `density`", "leave it out, or use fluid = \"water\" or \"air\"");
        }
        Ok(())
    }
}

/// What is around a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Fluid {
    /// 998 kg/m³, 1.0e-3 Pa s: fresh water at 20 °C.
    #[default]
    Water,
    /// 1.225 kg/m³, 1.8e-5 Pa s: the standard atmosphere at sea level.
    Air,
    /// Nothing.
    Vacuum,
}

impl Fluid {
    /// Its density and viscosity.
    pub fn medium(self) -> medium::Fluid {
        let (density, viscosity) = match self {
            Fluid::Water => (998.0, 1.0e-3),
            Fluid::Air => (1.225, 1.8e-5),
            Fluid::Vacuum => (0.0, 0.0),
        };
        medium::Fluid { density, viscosity }
    }
}

/// How the fluid that moves along with a body is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AddedMassModel {
    /// One depth of fluid, as in Soliman 2024: quick, within a factor of two but for bodies that turn.
    #[default]
    Local,
    /// A depth for each connected piece of the mesh.
    Parts,
    /// Potential flow around the mesh, 12 000 vertices at most, no water surface: exact, and slow.
    BoundaryElement,
}

/// Random eddies, which the wind carries along; the same seed gives the same ones.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Gusts {
    /// Root mean square speed, m/s; 0 is none. Default: `0`.
    pub speed: GustSpeed,
    /// Typical size of an eddy. Default: `50 cm`.
    pub size: Length,
    /// Which gusts they are. Default: `1`.
    pub seed: Count<0, 1_000_000_000>,
}

impl Default for Gusts {
    fn default() -> Self {
        Gusts { speed: GustSpeed(0.0), size: Length(0.5), seed: Count(1) }
    }
}

/// Wind that grows with the height.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Shear {
    /// Change of velocity along X and Z per metre of height, 1/s. Default: `[0, 0]`.
    pub rate: [ShearRate; 2],
    /// Height at which it is zero. Default: `0 m`.
    pub height: Height,
}

impl Default for Shear {
    fn default() -> Self {
        Shear { rate: [ShearRate(0.0); 2], height: Height(0.0) }
    }
}

/// A whirl: solid rotation within its core, slower and slower outside.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Vortex {
    /// Velocity times the way once around, m²/s, counter-clockwise seen against the axis; 0 is none. Default: `0`.
    pub circulation: Circulation,
    /// Distance from the axis at which it is fastest. Default: `10 cm`.
    pub core: Length,
    /// A place on the axis. Default: `[0, 0, 0]`.
    pub at: Place,
    /// Direction of the axis, each component from -1 to 1. Default: `[0, 1, 0]`.
    pub axis: [SignedShare; 3],
}

impl Default for Vortex {
    fn default() -> Self {
        let axis = [SignedShare(0.0), SignedShare(1.0), SignedShare(0.0)];
        Vortex { circulation: Circulation(0.0), core: Length(0.1), at: Place([Coordinate(0.0); 3]), axis }
    }
}
