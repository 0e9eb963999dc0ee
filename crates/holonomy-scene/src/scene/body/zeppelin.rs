//! An airship.

use holonomy::models;
use holonomy::systems::vehicle::Airship;

use super::recipe::recipe;
use super::{Made, Procedural, Vehicle, VehicleBody};
use crate::scene::quantity::{Angle, Count, Density, Length, Multiple, Pause, Share, Speed, SurfaceDensity, TurnRate};

recipe! {
    /// A zeppelin, nose along +Z: a hull as light as air, two propellers and a rudder. In flow its propellers spin and its rudder is laid as told here; driven or on a plan its controls
    /// are the thrusts `right` and `left` (N), the `tilt` of the engines and the angle of the `rudder` (rad).
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
        /// Greatest thrust of each propeller over the ship's weight, where it is driven or finds its way. Default: `0.06`.
        pub most_thrust: Multiple = Multiple(0.06),
        /// Steady wind where it is driven or finds its way, m/s; in flow, that of the system blows. Default: `[0, 0, 0]`.
        pub wind: [Speed; 3] = [Speed(0.0); 3],
    }
}

impl Zeppelin {
    /// The ship as a vehicle.
    pub(crate) fn airship(&self) -> Result<Airship, holonomy::Error> {
        let ship = Airship::of(&self.model())?;
        let most_thrust = self.most_thrust.si() * ship.mass * ship.gravity;
        Ok(Airship { most_thrust, wind: self.wind.map(Speed::si).into(), ..ship })
    }
}

impl Procedural for Zeppelin {
    fn size(&self, _: f64) -> (f64, usize) {
        (1.0, self.model().body().map_or(0, |body| body.points().len()))
    }

    fn make(&self, fps: f64) -> Result<Made, holonomy::Error> {
        let model = self.model();
        let body = model.body()?;
        let vehicle = VehicleBody { vehicle: Vehicle::Zeppelin(self.clone()), model: model.vehicle()? };
        Ok(Made { parts: model.turning_parts()?, vehicle: Some(vehicle), ..Made::of_parts(body.clip(fps)?, &body, [0.66, 0.69, 0.73]) })
    }
}
