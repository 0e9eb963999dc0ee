//! A zeppelin: a hull as light as air, driven by propellers and steered by a rudder (Soliman 2024, Fig. 13).
//!
//! Lengths in the file are in hull lengths; the hull's axis is Z, its nose at z = ½.

use std::f64::consts::TAU;
use std::ops::Range;

use nalgebra::{Rotation3, Vector3};

use super::assembly::Assembly;
use super::{gait, pieces};
use crate::Error;
use crate::shape::surface::{enclosed_volume, face_areas};
use crate::shape::{Between, Channel, Inertia, Material, TurningPart};

/// A zeppelin. Its nose looks along +Z, its left is at +X, the gondola is below. The origin is the centre of mass.
///
/// The gondola hangs where it trims the ship: the centre of mass is below the centre of buoyancy.
#[derive(Debug, Clone, PartialEq)]
pub struct Zeppelin {
    /// Of the hull, metres.
    pub length: f64,
    /// Diameter of the hull over its length.
    pub slenderness: f64,
    /// Its mass over that of the air it displaces: 1 floats, more sinks.
    pub relative_mass: f64,
    /// Of the air it displaces, kg/m³.
    pub air_density: f64,
    /// Mass of gondola and engines over the mass of all.
    pub gondola_share: f64,
    /// Of fins, rudder, pylons and propellers, kg/m². The hull weighs what is left.
    pub fin_surface_density: f64,
    /// From axis to tips, over the length of the hull.
    pub propeller_radius: f64,
    /// Of each propeller.
    pub blades: usize,
    /// Angle of a blade against the plane of its circle, at 0.7 of the radius, radians.
    pub propeller_pitch: f64,
    /// Of both propellers, rad/s; positive: forwards.
    pub propeller_rate: f64,
    /// Seconds until the propellers have their rate.
    pub spin_up: f64,
    /// Times, seconds, and angles of the rudder, radians, smooth between them; positive: the ship turns left. Empty: straight on.
    pub rudder: Vec<(f64, f64)>,
}

impl Default for Zeppelin {
    fn default() -> Self {
        Zeppelin {
            length: 12.0,
            slenderness: 0.2,
            relative_mass: 1.0,
            air_density: 1.225,
            gondola_share: 0.25,
            fin_surface_density: 0.3,
            propeller_radius: 0.04,
            blades: 3,
            propeller_pitch: 0.45,
            propeller_rate: 60.0,
            spin_up: 2.0,
            rudder: vec![(8.0, 0.0), (10.0, 0.5)],
        }
    }
}

/// From the axis of the hull to the tips of the fins.
const FIN_TIP: f64 = 0.145;
/// Where the fins end and the rudder begins.
const HINGE: f64 = -0.42;

/// The parts that turn: their vertices, and a point on the axis of each.
struct Turning {
    rudder: Range<usize>,
    propellers: [Range<usize>; 2],
    hinge: Vector3<f64>,
    hub: Vector3<f64>,
}

impl Zeppelin {
    /// The body at rest. Parts: hull, gondola with engines, fins, pylons, rudder, propellers left and right.
    ///
    /// # Errors
    /// A parameter is out of range.
    pub fn body(&self) -> Result<Assembly, Error> {
        Ok(self.centred()?.0)
    }

    /// The rudder, then the left and the right propeller, as parts of the body.
    ///
    /// # Errors
    /// A parameter is out of range.
    pub fn turning_parts(&self) -> Result<Vec<TurningPart>, Error> {
        let (_, turning) = self.centred()?;
        let keys = if self.rudder.is_empty() { vec![(0.0, 0.0)] } else { self.rudder.clone() };
        let spin = Channel::spin_up(self.propeller_rate, self.spin_up)?;
        let [left, right] = turning.propellers;
        let other_hub = Vector3::new(-turning.hub.x, turning.hub.y, turning.hub.z);
        // The right propeller is the mirror image of the left one and turns the other way.
        Ok(vec![
            TurningPart {
                vertices: turning.rudder,
                point: turning.hinge,
                axis: -Vector3::y(),
                angle: Channel::keys(keys, Between::Smooth)?,
            },
            TurningPart { vertices: left, point: turning.hub, axis: Vector3::z(), angle: spin.clone() },
            TurningPart { vertices: right, point: other_hub, axis: -Vector3::z(), angle: spin },
        ])
    }

    fn centred(&self) -> Result<(Assembly, Turning), Error> {
        self.validate()?;
        // The trim is linear in the place of the gondola: two places say where it vanishes.
        let [here, there] = [self.build(0.0)?.2, self.build(0.1)?.2];
        let shift = 0.1 * here / (here - there);
        let why = "such that the gondola can trim the ship; make the gondola heavier or the fins lighter";
        Error::unless(shift.abs() <= 0.25, "gondola_share", self.gondola_share, why)?;
        let (body, mut turning, _) = self.build(shift)?;
        let (body, center) = body.centred()?;
        turning.hinge -= center;
        turning.hub -= center;
        // The ship is its own mirror image, but for rounding.
        turning.hub.x += center.x;
        turning.hinge.x = 0.0;
        Ok((body, turning))
    }

    /// The ship with its gondola moved forwards by `shift` lengths; and by how much it is nose-heavy, kg m.
    fn build(&self, shift: f64) -> Result<(Assembly, Turning, f64), Error> {
        let scaled = |(points, faces): pieces::Mesh| -> pieces::Mesh { (points.iter().map(|p| p * self.length).collect(), faces) };
        let moved = |(points, faces): pieces::Mesh| (points.iter().map(|p| p + Vector3::z() * shift).collect(), faces);
        let hull = scaled(self.hull());
        let gondola = scaled(pieces::joined(&[moved(self.cabin()), self.engines()]));
        let propeller = scaled(self.propeller());
        let other = pieces::mirror_image(&propeller);
        let sheets = [scaled(self.fins()), scaled(self.pylons()), scaled(self.rudder_plates()), propeller, other];
        let [hull_volume, gondola_volume] = [&hull, &gondola].map(|(points, faces)| enclosed_volume(points, faces));
        let displaced = self.air_density * self.relative_mass * (hull_volume + gondola_volume);
        let area = |(points, faces): &pieces::Mesh| face_areas(points, faces).iter().sum::<f64>();
        let light = self.fin_surface_density * sheets.iter().map(area).sum::<f64>();
        let rest = displaced * (1.0 - self.gondola_share) - light;
        Error::unless(rest > 0.0, "fin_surface_density", self.fin_surface_density, "less, so that some of the mass is left for the hull")?;
        let lift = [&hull, &gondola].map(|(points, faces)| Inertia::of_solid(points, faces, self.air_density * self.relative_mass));
        let [lift_of_hull, lift_of_gondola] = lift;
        let lift = lift_of_hull? + lift_of_gondola?;
        let mut body = Assembly::default();
        let hull_area = area(&hull);
        body.add(hull, Material::Shell { surface_density: rest / hull_area });
        body.add(gondola, Material::Solid { density: displaced * self.gondola_share / gondola_volume });
        let material = Material::Shell { surface_density: self.fin_surface_density };
        let [_, _, rudder, left, right] = sheets.map(|mesh| body.add(mesh, material));
        let hinge = Vector3::z() * (HINGE * self.length);
        let hub = self.hub() * self.length;
        let heavy = body.inertia()?.first_moment.z - lift.first_moment.z;
        Ok((body, Turning { rudder, propellers: [left, right], hinge, hub }, heavy))
    }

    /// Radius of the hull at z.
    fn radius(&self, z: f64) -> f64 {
        let (x, widest) = ((0.5 - z).clamp(0.0, 1.0), 0.4);
        let (front, rear) = ((1.0 - x / widest).max(0.0), ((x - widest) / (1.0 - widest)).max(0.0));
        0.5 * self.slenderness * (1.0 - front * front).sqrt() * (1.0 - rear.powf(2.2))
    }

    fn hull(&self) -> pieces::Mesh {
        let (rings, around) = (44, 32);
        let place = |i: usize, [c, s]: [f64; 2]| {
            // Closer at the blunt nose.
            let x = i as f64 / (rings + 1) as f64;
            let z = 0.5 - x * (0.35 + x * (1.0 - 0.35 * x));
            let r = self.radius(z);
            Vector3::new(r * c, r * s, z)
        };
        pieces::tube([Vector3::z() * 0.5, Vector3::z() * -0.5], rings, around, place)
    }

    /// Height of the middle of the gondola's cabin.
    fn gondola_height(&self) -> f64 {
        -0.5 * self.slenderness - 0.012
    }

    /// The middle of the left propeller: beside the hull and hardly below its axis, so that thrust and drag leave the nose level.
    fn hub(&self) -> Vector3<f64> {
        Vector3::new(0.5 * self.slenderness + 1.3 * self.propeller_radius, -0.022, 0.02)
    }

    /// The box below the hull.
    fn cabin(&self) -> pieces::Mesh {
        pieces::cuboid([0.036, 0.034, 0.16], [4, 4, 14], Vector3::new(0.0, self.gondola_height(), 0.07))
    }

    /// One before each propeller.
    fn engines(&self) -> pieces::Mesh {
        let left = pieces::ellipsoid([0.014, 0.014, 0.046], 2, self.hub() + Vector3::z() * 0.017);
        let right = pieces::mirror_image(&left);
        pieces::joined(&[left, right])
    }

    /// Sheets from the hull to the engines, level.
    fn pylons(&self) -> pieces::Mesh {
        let (hub, foot) = (self.hub(), 0.49 * self.slenderness);
        let strip = |u: f64, v: f64| Vector3::new(foot + v * (hub.x - foot), hub.y, hub.z + 0.005 + 0.024 * u);
        let left = pieces::sheet([3, 6], strip);
        let right = pieces::mirror_image(&left);
        pieces::joined(&[left, right])
    }

    /// Four fins around the tail, swept in front, straight behind.
    fn fins(&self) -> pieces::Mesh {
        let fin = |u: f64, v: f64| {
            let root = -0.26;
            let front = root - v * v * 0.08;
            let z = front + (HINGE - 0.003 - front) * u;
            let foot = 0.98 * self.radius(root + (HINGE - root) * u);
            Vector3::new(0.0, foot + (FIN_TIP - foot) * v, z)
        };
        let (points, faces) = pieces::sheet([12, 10], fin);
        let turned = [0.0, 0.25, 0.5, 0.75].map(|turn| {
            let rotation = Rotation3::from_axis_angle(&Vector3::z_axis(), TAU * turn);
            (points.iter().map(|p| rotation * p).collect(), faces.clone())
        });
        pieces::joined(&turned)
    }

    /// Two plates on one hinge, above and below the tail.
    fn rudder_plates(&self) -> pieces::Mesh {
        let plate = |side: f64| {
            move |u: f64, v: f64| {
                let foot = self.radius(HINGE) + 0.008;
                let chord = 0.075 - 0.02 * v;
                Vector3::new(0.0, side * (foot + (FIN_TIP - 0.004 - foot) * v), HINGE - chord * u)
            }
        };
        pieces::joined(&[pieces::sheet([6, 10], plate(1.0)), pieces::sheet([6, 10], plate(-1.0))])
    }

    /// The left propeller. Turning about +Z, each blade goes with the edge first that is further along +Z, and pushes air back.
    fn propeller(&self) -> pieces::Mesh {
        let radius = self.propeller_radius;
        let blade = |k: usize| {
            let turn = TAU * (k as f64 / self.blades as f64 + 0.25);
            let (out, ahead) = (Vector3::new(turn.cos(), turn.sin(), 0.0), Vector3::new(-turn.sin(), turn.cos(), 0.0));
            let hub = self.hub();
            move |u: f64, v: f64| {
                let share = 0.12 + 0.88 * u;
                // As a screw: each part of the blade goes as far ahead in a turn.
                let pitch = (0.7 * self.propeller_pitch.tan() / share).atan();
                let round = (1.0 - (2.0 * u - 1.0).powi(4)).max(0.0).sqrt();
                let chord = radius * (0.1 + 0.2 * round) * (v - 0.5);
                hub + out * (radius * share) + (ahead * pitch.cos() + Vector3::z() * pitch.sin()) * chord
            }
        };
        let blades: Vec<pieces::Mesh> = (0..self.blades).map(|k| pieces::sheet([12, 4], blade(k))).collect();
        pieces::joined(&blades)
    }

    fn validate(&self) -> Result<(), Error> {
        gait::positive("length", self.length)?;
        gait::below("slenderness", self.slenderness, 0.2501, "above 0 and at most 0.25")?;
        gait::positive("relative_mass", self.relative_mass)?;
        gait::positive("air_density", self.air_density)?;
        gait::below("gondola_share", self.gondola_share, 1.0, "between 0 and 1")?;
        gait::positive("fin_surface_density", self.fin_surface_density)?;
        gait::below("propeller_radius", self.propeller_radius, 0.1, "between 0 and 0.1 lengths")?;
        Error::unless((2..=12).contains(&self.blades), "blades", self.blades as f64, "from 2 to 12")?;
        gait::below("propeller_pitch", self.propeller_pitch, 1.2, "between 0 and 1.2 radians")?;
        gait::finite("propeller_rate", self.propeller_rate)?;
        Error::unless(self.spin_up >= 0.0 && self.spin_up.is_finite(), "spin_up", self.spin_up, "zero or more seconds")
    }
}
