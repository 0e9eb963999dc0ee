//! An airship.

use holonomy::models;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Made, Procedural};
use crate::scene::quantity::{Angle, Count, Density, Length, Multiple, Pause, Share, SurfaceDensity, TurnRate};

/// A zeppelin, nose along +Z: a hull as light as air, two propellers and a rudder.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Zeppelin {
    /// Length of the hull. Default: `12 m`.
    pub length: Length,
    /// Diameter of the hull over its length. Default: `0.2`.
    pub slenderness: Share,
    /// Its mass over that of the air it displaces: 1 floats, more sinks. Default: `1`.
    pub relative_mass: Multiple,
    /// Density of the air it is made for, kg/m³. Default: `1.225`.
    pub air_density: Density,
    /// Mass of gondola and engines over the mass of all. Default: `0.25`.
    pub gondola_share: Share,
    /// Mass of fins, rudder, pylons and propellers, kg/m². Default: `0.3`.
    pub fin_surface_density: SurfaceDensity,
    /// From axis to tips of a propeller, over the length of the hull. Default: `0.04`.
    pub propeller_radius: Share,
    /// Number of blades of each propeller. Default: `3`.
    pub blades: Count<2, 12>,
    /// Angle of a blade against the plane of its circle. Default: `0.45`.
    pub propeller_pitch: Angle,
    /// How fast the propellers turn, rad/s; positive: forwards. Default: `60`.
    pub propeller_rate: TurnRate,
    /// Time until the propellers have their rate. Default: `2 s`.
    pub spin_up: Pause,
    /// Times and angles of the rudder, smooth between them; positive: the ship turns left. Default: `[[8, 0], [10, 0.5]]`.
    pub rudder: Vec<(Pause, Angle)>,
}

impl Default for Zeppelin {
    fn default() -> Self {
        Zeppelin {
            length: Length(12.0),
            slenderness: Share(0.2),
            relative_mass: Multiple(1.0),
            air_density: Density(1.225),
            gondola_share: Share(0.25),
            fin_surface_density: SurfaceDensity(0.3),
            propeller_radius: Share(0.04),
            blades: Count(3),
            propeller_pitch: Angle(0.45),
            propeller_rate: TurnRate(60.0),
            spin_up: Pause(2.0),
            rudder: vec![(Pause(8.0), Angle(0.0)), (Pause(10.0), Angle(0.5))],
        }
    }
}

impl Procedural for Zeppelin {
    fn size(&self, _: f64) -> (f64, usize) {
        (1.0, self.model().body().map_or(0, |body| body.points().len()))
    }

    fn make(&self, fps: f64) -> Result<Made, holonomy::Error> {
        let model = self.model();
        let body = model.body()?;
        Ok(Made { parts: model.turning_parts()?, ..Made::of_parts(body.clip(fps)?, &body, [0.66, 0.69, 0.73]) })
    }
}

impl Zeppelin {
    fn model(&self) -> models::Zeppelin {
        models::Zeppelin {
            length: self.length.si(),
            slenderness: self.slenderness.si(),
            relative_mass: self.relative_mass.si(),
            air_density: self.air_density.si(),
            gondola_share: self.gondola_share.si(),
            fin_surface_density: self.fin_surface_density.si(),
            propeller_radius: self.propeller_radius.si(),
            blades: self.blades.get(),
            propeller_pitch: self.propeller_pitch.si(),
            propeller_rate: self.propeller_rate.si(),
            spin_up: self.spin_up.si(),
            rudder: self.rudder.iter().map(|(time, angle)| (time.si(), angle.si())).collect(),
        }
    }
}
