//! An airship.

use holonomy::models;

use super::recipe::recipe;
use super::{Made, Procedural};
use crate::scene::quantity::{Angle, Count, Density, Length, Multiple, Pause, Share, SurfaceDensity, TurnRate};

recipe! {
    /// A zeppelin, nose along +Z: a hull as light as air, two propellers and a rudder.
    pub struct Zeppelin for models::Zeppelin {
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
