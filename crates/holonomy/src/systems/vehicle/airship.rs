//! An airship: a hull as light as the air that it displaces, fins, a rudder, and two propellers whose engines swivel.
//!
//! It is the zeppelin of flow ([`models::Zeppelin`]) as a vehicle, with the same physics of the spine and fewer faces: mass and buoyancy are those of that body, added mass is
//! the potential flow around its hull, lift and drag are those of each face of hull, gondola, fins and rudder ([`SurfaceForce`]; Soliman 2024, Prop. 1). Only the propellers
//! differ: blades in flow, thrusts here.
//!
//! Body frame: nose +Z, up +Y, left +X. The origin is the centre of mass, below that of buoyancy, which keeps the ship upright.
//!
//! The rudder is a rigid sheet that has been turned by the angle δ about its hinge, a twist s: its pose is h = exp(δ s). With A = Ad(h⁻¹), and F(Y) the wrench of the straight
//! rudder whose derivative is L, in the ship's frame
//!
//! ```text
//! wrench  Aᵀ F(A Y)        by the twist  Aᵀ L A        by the angle  −Aᵀ (ad(s)ᵀ F + L ad(s) A Y)
//! ```

use nalgebra::{Matrix6, SVector, Vector3, Vector6};

use super::surroundings;
use crate::Error;
use crate::integrate::controlled::Control;
use crate::integrate::craft::{Craft, Push};
use crate::lie::{Pose, Twist, Wrench};
use crate::medium::GRAVITY;
use crate::medium::{AddedMass, FlowField, Fluid, FluidDensity, Fluids, Load, SurfaceForce};
use crate::models;
use crate::shape::Pieces;

/// An airship. Controls: thrusts of the right and the left propeller (N), `tilt` of the engines (rad; +: they push up) and angle of the `rudder` (rad; +: to the left).
#[derive(Debug, Clone, PartialEq)]
pub struct Airship {
    /// Its own inertia about the origin, (angular, linear): kg m², kg m, kg.
    pub inertia: Matrix6<f64>,
    /// Added mass about the origin, (angular, linear): symmetric, positive semi-definite.
    pub added_mass: Matrix6<f64>,
    /// kg.
    pub mass: f64,
    /// Volume that displaces air, m³.
    pub volume: f64,
    /// The middle of that volume, body frame, metres.
    pub center_of_buoyancy: Vector3<f64>,
    /// Of the air, kg/m³.
    pub air_density: f64,
    /// Where the right and the left propeller are, body frame, metres.
    pub propellers: [Vector3<f64>; 2],
    /// Greatest thrust of each, either way, N.
    pub most_thrust: f64,
    /// Greatest tilt of the engines, either way, radians.
    pub most_tilt: f64,
    /// Greatest angle of the rudder, either way, radians.
    pub most_rudder: f64,
    /// Steady wind, world frame, m/s.
    pub wind: Vector3<f64>,
    /// m/s², down.
    pub gravity: f64,
    /// Lift and drag of all that does not turn, in air at rest.
    pub fixed: SurfaceForce,
    /// The same of the rudder, straight.
    pub rudder: SurfaceForce,
    /// How the rudder turns: its velocity per rate, body frame.
    pub hinge: Twist,
}

impl Airship {
    /// The zeppelin of flow as a vehicle. Each propeller pushes with at most 6 % of its weight.
    ///
    /// # Errors
    /// As [`models::Zeppelin::outline`].
    pub fn of(zeppelin: &models::Zeppelin) -> Result<Airship, Error> {
        let ship = zeppelin.outline()?;
        let density = zeppelin.air_density;
        let (points, faces) = &ship.hull;
        let air = FluidDensity::Uniform(density);
        let added_mass = AddedMass::BoundaryElement.prepare(points, faces)?.evaluate(points, None, air)?.tensor;
        let axis = -Vector3::y();
        Ok(Airship {
            inertia: ship.inertia.matrix(),
            added_mass: (added_mass + added_mass.transpose()) * 0.5,
            mass: ship.inertia.mass,
            volume: ship.volume,
            center_of_buoyancy: ship.center_of_buoyancy,
            air_density: density,
            propellers: ship.propellers,
            most_thrust: THRUST * ship.inertia.mass * GRAVITY,
            most_tilt: TILT,
            most_rudder: RUDDER,
            wind: Vector3::zeros(),
            gravity: GRAVITY,
            fixed: surface(&ship.fixed, density)?,
            rudder: surface(&ship.rudder, density)?,
            hinge: Twist::new(axis, ship.hinge.cross(&axis)),
        })
    }

    /// Lift and drag of all faces in air at rest, with the rudder at `angle` (rad): wrench and derivative by the twist, body frame, and the derivative by the angle.
    pub fn air_load(&self, twist: &Twist, angle: f64) -> (Load, Wrench) {
        let back = Pose::exp(&(self.hinge * -angle)).adjoint();
        let seen = back * Vector6::from(*twist);
        let Load { wrench, by_twist } = self.rudder.load(&Twist::from(seen));
        let turned = self.hinge.ad();
        let by_angle = back.tr_mul(&(turned.tr_mul(&Vector6::from(wrench)) + by_twist * (turned * seen))) * -1.0;
        let fixed = self.fixed.load(twist);
        let load = Load {
            wrench: fixed.wrench + Wrench::from(back.tr_mul(&Vector6::from(wrench))),
            by_twist: fixed.by_twist + back.tr_mul(&(by_twist * back)),
        };
        (load, Wrench::from(by_angle))
    }

    /// Adds the thrusts.
    fn add_propellers(&self, push: &mut Push<4>, controls: &SVector<f64, 4>) {
        let (sin, cos) = controls[2].sin_cos();
        let (along, across) = (Vector3::new(0.0, sin, cos), Vector3::new(0.0, cos, -sin));
        for (i, place) in self.propellers.iter().enumerate() {
            let thrust = Wrench::of_force_at(along, place);
            push.wrench += thrust * controls[i];
            push.by_controls.set_column(i, &Vector6::from(thrust));
            let mut by_tilt = push.by_controls.column_mut(2);
            by_tilt += Vector6::from(Wrench::of_force_at(across * controls[i], place));
        }
    }

    /// Adds lift and drag in the wind.
    fn add_air(&self, push: &mut Push<4>, pose: &Pose, twist: &Twist, angle: f64) {
        let stream = pose.rotation.inverse() * self.wind;
        let (load, by_angle) = self.air_load(&Twist::new(twist.angular, twist.linear - stream), angle);
        push.wrench += load.wrench;
        push.by_twist += load.by_twist;
        push.by_controls.set_column(3, &Vector6::from(by_angle));
        let mut by_turn = push.by_pose.fixed_view_mut::<6, 3>(0, 0);
        by_turn -= load.by_twist.fixed_view::<6, 3>(0, 3) * stream.cross_matrix();
    }
}

/// Greatest thrust of a propeller, over the weight.
const THRUST: f64 = 0.06;
/// Greatest tilt of the engines and angle of the rudder, radians.
const TILT: f64 = 1.2;
const RUDDER: f64 = 0.6;

/// Lift and drag of a surface in air at rest.
fn surface((points, faces): &(Vec<Vector3<f64>>, Vec<[u32; 3]>), density: f64) -> Result<SurfaceForce, Error> {
    let mut force = SurfaceForce::of_pieces(&Pieces::of(points, faces)?.0);
    force.set_shape(points)?;
    force.immerse(&Fluids::One(Fluid { density, viscosity: 0.0 }), &FlowField::Still, &Pose::identity(), 0.0);
    Ok(force)
}

impl Craft<4> for Airship {
    fn inertia(&self) -> Matrix6<f64> {
        self.inertia + self.added_mass
    }

    fn controls(&self) -> [Control; 4] {
        let both = |name, unit, most: f64| Control { name, unit, range: [-most, most], rest: 0.0 };
        [
            both("right", "N", self.most_thrust),
            both("left", "N", self.most_thrust),
            both("tilt", "rad", self.most_tilt),
            both("rudder", "rad", self.most_rudder),
        ]
    }

    fn validate(&self) -> Result<(), Error> {
        surroundings::positive("mass of the airship", self.mass)?;
        surroundings::positive("volume of the airship", self.volume)?;
        surroundings::positive("density of the air", self.air_density)?;
        surroundings::added_mass(&self.added_mass)?;
        surroundings::finite("centre of buoyancy", &self.center_of_buoyancy)?;
        self.propellers.iter().try_for_each(|place| surroundings::finite("place of a propeller", place))?;
        surroundings::positive("greatest thrust", self.most_thrust)?;
        let quarter = |name, angle: f64| {
            let turns = (0.0..=std::f64::consts::FRAC_PI_2).contains(&angle);
            Error::unless(turns, name, angle, "zero or more, at most a quarter turn")
        };
        quarter("greatest tilt of the engines", self.most_tilt)?;
        quarter("greatest angle of the rudder", self.most_rudder)?;
        Error::unless_zero_or_more("gravity", self.gravity)?;
        surroundings::finite("wind", &self.wind)
    }

    fn push(&self, pose: &Pose, twist: &Twist, controls: &SVector<f64, 4>, _time: f64) -> Push<4> {
        let mut push = surroundings::nothing::<4>();
        self.add_propellers(&mut push, controls);
        let down = Vector3::y() * -self.gravity;
        surroundings::add_world_force(&mut push, pose, &(down * self.mass), &Vector3::zeros());
        surroundings::add_world_force(&mut push, pose, &(down * (-self.air_density * self.volume)), &self.center_of_buoyancy);
        self.add_air(&mut push, pose, twist, controls[3]);
        surroundings::add_stream(&mut push, &self.added_mass, pose, twist, &self.wind);
        push
    }
}
