//! Vehicles: helicopter, quadrotor, underwater vehicle, boats, car, car with trailer, snakeboard.

use holonomy::models::vehicles::{
    CarBody, HelicopterBody, MotorBoat, QuadrotorBody, SnakeboardBody, TrailerBody, UnderwaterBody, VehicleModel,
};
use holonomy::nalgebra::{Matrix2, Vector2, Vector3};
use holonomy::systems::vehicle;

use super::recipe::recipe;
use super::{Made, Procedural, Vehicle, VehicleBody};
use crate::looks::Looks;
use crate::scene::quantity::{Amplitude, Angle, BodyMass, Force, Gravity, Length, Lift, Moment, Multiple, Speed};

/// A vehicle as the engine has it, and what it looks like.
trait Drivable {
    fn vehicle(&self) -> Result<Vehicle, holonomy::Error>;
    fn figure(&self) -> Result<VehicleModel, holonomy::Error>;
    /// What its paint is.
    fn paint(&self) -> [f64; 3];
}

macro_rules! drivable {
    ($($kind:ident)*) => {$(
        impl Procedural for $kind {
            fn size(&self, _: f64) -> (f64, usize) {
                (1.0, self.figure().map_or(0, |model| model.points.len()))
            }

            fn make(&self, fps: f64) -> Result<Made, holonomy::Error> {
                let model = self.figure()?;
                let looks = Looks { color: self.paint(), ..Looks::default() };
                let clip = model.clip(fps)?;
                Ok(Made { vehicle: Some(VehicleBody { vehicle: self.vehicle()?, model }), ..Made::new(clip, looks) })
            }
        }
    )*};
}

drivable!(Helicopter Quadrotor Underwater Boat PlanarBoat Car Trailer Snakeboard);

fn vector(components: [Speed; 3]) -> Vector3<f64> {
    components.map(Speed::si).into()
}

recipe! {
    /// A helicopter, nose along +Z: one rotor that tilts, and a tail rotor. Controls: `collective` and `tail` (N), `pitch` and `roll` (rad).
    pub struct Helicopter for vehicle::Helicopter {
        /// Its mass. Default: `1 kg`.
        pub mass: BodyMass,
        /// From the centre of mass up to the rotor. Default: `15 cm`.
        pub rotor_height: Lift,
        /// From the centre of mass back to the tail rotor. Default: `60 cm`.
        pub tail_length: Lift,
        /// Greatest lift over the weight. Default: `2`.
        pub most_lift: Multiple,
        /// Greatest force of the tail rotor, N. Default: `1`.
        pub most_tail: Multiple,
        /// Greatest tilt of the rotor. Default: `0.3`.
        pub most_tilt: Amplitude,
        /// Drag per speed, N s/m, the same all ways. Default: `0`.
        pub drag: Multiple = Multiple(0.0),
        /// Steady wind, m/s. Default: `[0, 0, 0]`.
        pub wind: [Speed; 3] = [Speed(0.0); 3],
    }
}

impl Drivable for Helicopter {
    fn vehicle(&self) -> Result<Vehicle, holonomy::Error> {
        let model = self.model();
        // Moments of inertia are those of the default, which has 1 kg.
        let drag = vehicle::Drag { linear: Vector3::repeat(self.drag.si()), ..vehicle::Drag::default() };
        Ok(Vehicle::Helicopter(vehicle::Helicopter { moments: model.moments * model.mass, drag, wind: vector(self.wind), ..model }))
    }
    fn figure(&self) -> Result<VehicleModel, holonomy::Error> {
        HelicopterBody { rotor_height: self.rotor_height.si(), tail_length: self.tail_length.si() }.model()
    }
    fn paint(&self) -> [f64; 3] {
        [0.80, 0.30, 0.22]
    }
}

recipe! {
    /// A quadrotor, nose along +Z. Controls: the thrusts (N) `front-left`, `front-right`, `rear-right`, `rear-left`.
    pub struct Quadrotor for vehicle::Quadrotor {
        /// Its mass. Default: `1 kg`.
        pub mass: BodyMass,
        /// Steady wind, m/s. Default: `[0, 0, 0]`.
        pub wind: [Speed; 3] = [Speed(0.0); 3],
    }
}

impl Drivable for Quadrotor {
    fn vehicle(&self) -> Result<Vehicle, holonomy::Error> {
        Ok(Vehicle::Quadrotor(vehicle::Quadrotor { wind: vector(self.wind), ..self.model() }))
    }
    fn figure(&self) -> Result<VehicleModel, holonomy::Error> {
        QuadrotorBody { arm: self.model().arm }.model()
    }
    fn paint(&self) -> [f64; 3] {
        [0.25, 0.45, 0.70]
    }
}

recipe! {
    /// An underwater vehicle, nose along +Z, with all the water that it sets in motion. Controls: its five thrusters (N).
    pub struct Underwater for vehicle::Underwater {
        /// Greatest thrust of the main thruster, N. Default: `40`.
        pub most_thrust: Multiple = Multiple(40.0),
        /// Greatest thrust of each of the others, N. Default: `13`.
        pub most_steering: Multiple = Multiple(13.0),
        /// m/s², down. Default: `9.81`.
        pub gravity: Gravity,
        /// Steady current, m/s. Default: `[0, 0, 0]`.
        pub current: [Speed; 3] = [Speed(0.0); 3],
    }
}

impl Drivable for Underwater {
    fn vehicle(&self) -> Result<Vehicle, holonomy::Error> {
        Ok(Vehicle::Underwater(vehicle::Underwater {
            current: vector(self.current),
            most_thrust: self.most_thrust.si(),
            most_steering: self.most_steering.si(),
            ..self.model()
        }))
    }
    fn figure(&self) -> Result<VehicleModel, holonomy::Error> {
        UnderwaterBody::default().model()
    }
    fn paint(&self) -> [f64; 3] {
        [0.86, 0.66, 0.16]
    }
}

recipe! {
    /// A motor boat, nose along +Z, that floats on its hull. Controls: thrusts `right` and `left` (N).
    pub struct Boat for MotorBoat {
        /// Length of the hull. Default: `2.4 m`.
        pub length: Length,
        /// Width of the hull. Default: `95 cm`.
        pub beam: Length,
        /// Steady wind, m/s. Default: `[0, 0, 0]`.
        pub wind: [Speed; 3] = [Speed(0.0); 3],
        /// Steady current, level, m/s. Default: `[0, 0, 0]`.
        pub current: [Speed; 3] = [Speed(0.0); 3],
        /// Waves: height from mean water to crest, length from crest to crest, and where each runs to, from +Z towards +X. Default: `[]`.
        pub waves: Vec<(Lift, Length, Angle)> = Vec::new(),
    }
}

impl Drivable for Boat {
    fn vehicle(&self) -> Result<Vehicle, holonomy::Error> {
        let (points, faces) = self.model().hull(7, 12);
        let boat = vehicle::Boat::floating(points, faces);
        let wave = |(i, (height, length, heading)): (usize, &(Lift, Length, Angle))| vehicle::Wave {
            amplitude: height.si(),
            length: length.si(),
            heading: heading.si(),
            // Golden angles: no two waves crest together at the start.
            phase: 2.399_963 * i as f64,
        };
        let waves = self.waves.iter().enumerate().map(wave).collect();
        Ok(Vehicle::Boat(vehicle::Boat { wind: vector(self.wind), current: vector(self.current), waves, ..boat }))
    }
    fn figure(&self) -> Result<VehicleModel, holonomy::Error> {
        self.model().model()
    }
    fn paint(&self) -> [f64; 3] {
        [0.90, 0.90, 0.88]
    }
}

recipe! {
    /// A boat on still water, in the plane, forward along +X: for plans such as docking. Controls: thrusts `right` and `left` (N).
    pub struct PlanarBoat for vehicle::PlanarBoat {
        /// Moment of inertia, kg m². Default: `4`.
        pub moment: Moment,
        /// Greatest thrust of each thruster, N. Default: `15`.
        pub most_thrust: Multiple,
        /// Force of the wind at the world's origin along X and Z, N. Default: `[-1.5, -1]`.
        pub wind: [Force; 2] = [Force(-1.5), Force(-1.0)],
        /// How much that force grows along X and Z with each metre along X, N/m. Default: `[0, -0.3]`.
        pub wind_gradient: [Force; 2] = [Force(0.0), Force(-0.3)],
    }
}

impl Drivable for PlanarBoat {
    fn vehicle(&self) -> Result<Vehicle, holonomy::Error> {
        // The plane's y is the world's −Z.
        let [wind, gradient] = [self.wind, self.wind_gradient].map(|[x, z]| Vector2::new(x.si(), -z.si()));
        let wind_gradient = Matrix2::from_columns(&[gradient, Vector2::zeros()]);
        Ok(Vehicle::PlanarBoat(vehicle::PlanarBoat { wind, wind_gradient, ..self.model() }))
    }
    fn figure(&self) -> Result<VehicleModel, holonomy::Error> {
        let mut model = MotorBoat { length: 2.4, beam: 0.95, ..MotorBoat::default() }.model()?;
        // From nose +Z to forward +X.
        let turn = |v: &Vector3<f64>| Vector3::new(v.z, v.y, -v.x);
        model.points.iter_mut().for_each(|point| *point = turn(point));
        model.parts.iter_mut().for_each(|part| (part.point, part.axis) = (turn(&part.point), turn(&part.axis)));
        Ok(model)
    }
    fn paint(&self) -> [f64; 3] {
        [0.90, 0.90, 0.88]
    }
}

recipe! {
    /// A car, forward along +X, that cannot slip. Controls: `torque` on the rear wheels (N m) and `steering-rate` (1/s).
    pub struct Car for vehicle::Car {
        /// Its mass. Default: `1 kg`.
        pub mass: BodyMass,
        /// Moment of inertia about the rear axle's middle, kg m². Default: `0.2`.
        pub inertia: Moment,
        /// Of the rear wheels about their axle, kg m². Default: `0.1`.
        pub wheel_inertia: Moment,
        /// Radius of the wheels. Default: `30 cm`.
        pub wheel_radius: Length,
        /// From rear to front axle. Default: `1 m`.
        pub length: Length,
        /// Greatest torque, N m. Default: `2`.
        pub torque: Multiple,
        /// Greatest rate of the tangent of the steering angle, 1/s. Default: `2`.
        pub steering_rate: Multiple,
    }
}

impl Car {
    fn body(&self) -> CarBody {
        let car = self.model();
        CarBody { wheelbase: car.length, track: 0.55 * car.length, wheel_radius: (0.17 * car.length).min(car.wheel_radius), trailer: None }
    }
}

impl Drivable for Car {
    fn vehicle(&self) -> Result<Vehicle, holonomy::Error> {
        Ok(Vehicle::Car(self.model()))
    }
    fn figure(&self) -> Result<VehicleModel, holonomy::Error> {
        self.body().model()
    }
    fn paint(&self) -> [f64; 3] {
        [0.23, 0.42, 0.72]
    }
}

recipe! {
    /// A car with a trailer, forward along +X. Controls: `torque` (N m) and `steering-rate` (1/s).
    pub struct Trailer for vehicle::Trailer {
        /// From the hitch to the trailer's axle. Default: `1 m`.
        pub length: Length,
        /// From the rear axle back to the hitch. Default: `20 cm`.
        pub hitch_behind: Lift,
        /// Mass of the trailer. Default: `500 g`.
        pub mass: BodyMass,
    }
}

impl Drivable for Trailer {
    fn vehicle(&self) -> Result<Vehicle, holonomy::Error> {
        Ok(Vehicle::Trailer(self.model()))
    }
    fn figure(&self) -> Result<VehicleModel, holonomy::Error> {
        let trailer = self.model();
        let car = trailer.car;
        let body = TrailerBody { hitch: trailer.hitch_behind, length: trailer.length };
        let wheel_radius = (0.17 * car.length).min(car.wheel_radius);
        CarBody { wheelbase: car.length, track: 0.55 * car.length, wheel_radius, trailer: Some(body) }.model()
    }
    fn paint(&self) -> [f64; 3] {
        [0.23, 0.50, 0.38]
    }
}

recipe! {
    /// A snakeboard with its rider, forward along +X: steered by both feet, driven by twisting the torso. Controls: `rotor-torque` and `steering-torque` (N m).
    pub struct Snakeboard for vehicle::Snakeboard {
        /// From the middle to the wheels. Default: `60 cm`.
        pub half_length: Length,
        /// Height of the rider. Default: `1.7 m`.
        pub rider: Length = Length(1.7),
    }
}

impl Drivable for Snakeboard {
    fn vehicle(&self) -> Result<Vehicle, holonomy::Error> {
        Ok(Vehicle::Snakeboard(self.model()))
    }
    fn figure(&self) -> Result<VehicleModel, holonomy::Error> {
        SnakeboardBody { half_length: self.half_length.si(), rider_height: self.rider.si() }.model()
    }
    fn paint(&self) -> [f64; 3] {
        [0.72, 0.45, 0.20]
    }
}
