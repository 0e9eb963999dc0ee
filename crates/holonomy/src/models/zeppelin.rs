//! A zeppelin: a hull as light as air, driven by propellers and steered by a rudder (Soliman 2024, Fig. 13).
//!
//! Lengths in the file are in hull lengths; the hull's axis is Z, its nose at z = ½.

use std::f64::consts::TAU;
use std::ops::Range;

use nalgebra::{Rotation3, Vector3};

use super::assembly::Assembly;
use super::vehicles::{Finish, MovingPart, VehicleModel};
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

/// Cells of the ship's surfaces.
#[derive(Debug, Clone, Copy)]
struct Detail {
    /// Rings from nose to tail, and points around.
    hull: [usize; 2],
    cabin: [usize; 3],
    /// Times that the faces of an engine are split.
    engine: usize,
    pylon: [usize; 2],
    fin: [usize; 2],
    rudder: [usize; 2],
}

/// For flow and for pictures.
const FINE: Detail = Detail { hull: [44, 32], cabin: [4, 4, 14], engine: 2, pylon: [3, 6], fin: [12, 10], rudder: [6, 10] };
/// For vehicles, whose forces are asked for very often.
const COARSE: Detail = Detail { hull: [18, 16], cabin: [1, 1, 4], engine: 0, pylon: [1, 2], fin: [4, 3], rudder: [2, 3] };

/// The ship in few faces, and what a vehicle must know of it, in the frame of [`Zeppelin::body`].
#[derive(Debug, Clone, PartialEq)]
pub struct ZeppelinOutline {
    /// The closed hull alone: what carries air along. Vertices, metres, and faces.
    pub hull: (Vec<Vector3<f64>>, Vec<[u32; 3]>),
    /// All that is fixed: hull, gondola, engines, fins, pylons.
    pub fixed: (Vec<Vector3<f64>>, Vec<[u32; 3]>),
    /// The rudder, straight.
    pub rudder: (Vec<Vector3<f64>>, Vec<[u32; 3]>),
    /// A point on the rudder's axis, which points along −Y, metres.
    pub hinge: Vector3<f64>,
    /// Middles of the right and the left propeller, metres.
    pub propellers: [Vector3<f64>; 2],
    /// Mass with its moments.
    pub inertia: Inertia,
    /// Volume of air that it displaces, m³.
    pub volume: f64,
    /// The middle of that volume, metres.
    pub center_of_buoyancy: Vector3<f64>,
}

/// The parts that turn: their vertices, and a point on the axis of each.
struct Turning {
    rudder: Range<usize>,
    propellers: [Range<usize>; 2],
    /// Left and right.
    engines: [Range<usize>; 2],
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

    /// The same ship in few faces, for a vehicle.
    ///
    /// # Errors
    /// A parameter is out of range.
    pub fn outline(&self) -> Result<ZeppelinOutline, Error> {
        let (body, turning, shift, center) = self.trimmed()?;
        let placed = |mesh: &pieces::Mesh| -> pieces::Mesh { (mesh.0.iter().map(|p| p * self.length - center).collect(), mesh.1.clone()) };
        let hull = self.hull(COARSE);
        let fixed = [&hull, &self.cabin(COARSE, shift), &self.engines(COARSE), &self.fins(COARSE), &self.pylons(COARSE)].map(placed);
        let solids = [0, 1].map(|label| Inertia::of_solid(body.points(), &body.part(label), 1.0));
        let [of_hull, of_gondola] = solids;
        let displaced = of_hull? + of_gondola?;
        Ok(ZeppelinOutline {
            hull: placed(&hull),
            fixed: pieces::joined(&fixed),
            rudder: placed(&self.rudder_plates(COARSE)),
            hinge: turning.hinge,
            propellers: [Vector3::new(-turning.hub.x, turning.hub.y, turning.hub.z), turning.hub],
            inertia: body.inertia()?,
            volume: displaced.mass,
            center_of_buoyancy: displaced.center()?,
        })
    }

    /// The ship to look at as a vehicle: the faces of [`Zeppelin::body`]. Parts: the rudder, the engines with their propellers, which swivel about −X, and the propellers.
    ///
    /// # Errors
    /// A parameter is out of range.
    pub fn vehicle(&self) -> Result<VehicleModel, Error> {
        let (body, turning) = self.centred()?;
        let (hub, other) = (turning.hub, Vector3::new(-turning.hub.x, turning.hub.y, turning.hub.z));
        let [left, right] = turning.propellers;
        let [left_engine, right_engine] = turning.engines;
        let part = |name, parent, vertices, point, axis| MovingPart { name, parent, vertices, point, axis };
        let parts = vec![
            part("rudder", None, turning.rudder, turning.hinge, -Vector3::y()),
            part("left-engine", None, left_engine, hub, -Vector3::x()),
            part("right-engine", None, right_engine, other, -Vector3::x()),
            part("left-propeller", Some(1), left, hub, -Vector3::z()),
            part("right-propeller", Some(2), right, other, -Vector3::z()),
        ];
        let finish = |label: &u32| match label {
            0 => Finish::Paint,
            1 => Finish::Metal,
            2 | 4 => Finish::Accent,
            _ => Finish::Rubber,
        };
        let finishes = body.labels().iter().map(finish).collect();
        Ok(VehicleModel { points: body.points().to_vec(), faces: body.faces().to_vec(), finishes, parts })
    }

    fn centred(&self) -> Result<(Assembly, Turning), Error> {
        self.trimmed().map(|(body, turning, ..)| (body, turning))
    }

    /// The ship about its centre of mass; how far its gondola was moved, in lengths, and where that centre was, metres.
    fn trimmed(&self) -> Result<(Assembly, Turning, f64, Vector3<f64>), Error> {
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
        Ok((body, turning, shift, center))
    }

    /// The ship with its gondola moved forwards by `shift` lengths; and by how much it is nose-heavy, kg m.
    fn build(&self, shift: f64) -> Result<(Assembly, Turning, f64), Error> {
        let scaled = |(points, faces): pieces::Mesh| -> pieces::Mesh { (points.iter().map(|p| p * self.length).collect(), faces) };
        let hull = scaled(self.hull(FINE));
        let (cabin, engines) = (self.cabin(FINE, shift), self.engines(FINE));
        let of_cabin = cabin.0.len();
        let gondola = scaled(pieces::joined(&[cabin, engines]));
        let propeller = scaled(self.propeller());
        let other = pieces::mirror_image(&propeller);
        let sheets = [scaled(self.fins(FINE)), scaled(self.pylons(FINE)), scaled(self.rudder_plates(FINE)), propeller, other];
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
        let of_gondola = body.add(gondola, Material::Solid { density: displaced * self.gondola_share / gondola_volume });
        // The cabin first, then the left and the right engine.
        let from = of_gondola.start + of_cabin;
        let between = (from + of_gondola.end) / 2;
        let material = Material::Shell { surface_density: self.fin_surface_density };
        let [_, _, rudder, left, right] = sheets.map(|mesh| body.add(mesh, material));
        let hinge = Vector3::z() * (HINGE * self.length);
        let hub = self.hub() * self.length;
        let heavy = body.inertia()?.first_moment.z - lift.first_moment.z;
        let engines = [from..between, between..of_gondola.end];
        Ok((body, Turning { rudder, propellers: [left, right], engines, hinge, hub }, heavy))
    }

    /// Radius of the hull at z.
    fn radius(&self, z: f64) -> f64 {
        let (x, widest) = ((0.5 - z).clamp(0.0, 1.0), 0.4);
        let (front, rear) = ((1.0 - x / widest).max(0.0), ((x - widest) / (1.0 - widest)).max(0.0));
        0.5 * self.slenderness * (1.0 - front * front).sqrt() * (1.0 - rear.powf(2.2))
    }

    fn hull(&self, detail: Detail) -> pieces::Mesh {
        let [rings, around] = detail.hull;
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

    /// The box below the hull, moved forwards by `shift`.
    fn cabin(&self, detail: Detail, shift: f64) -> pieces::Mesh {
        let (points, faces) = pieces::cuboid([0.036, 0.034, 0.16], detail.cabin, Vector3::new(0.0, self.gondola_height(), 0.07));
        (points.iter().map(|p| p + Vector3::z() * shift).collect(), faces)
    }

    /// One before each propeller.
    fn engines(&self, detail: Detail) -> pieces::Mesh {
        let left = pieces::ellipsoid([0.014, 0.014, 0.046], detail.engine, self.hub() + Vector3::z() * 0.017);
        let right = pieces::mirror_image(&left);
        pieces::joined(&[left, right])
    }

    /// Sheets from the hull to the engines, level.
    fn pylons(&self, detail: Detail) -> pieces::Mesh {
        let (hub, foot) = (self.hub(), 0.49 * self.slenderness);
        let strip = |u: f64, v: f64| Vector3::new(foot + v * (hub.x - foot), hub.y, hub.z + 0.005 + 0.024 * u);
        let left = pieces::sheet(detail.pylon, strip);
        let right = pieces::mirror_image(&left);
        pieces::joined(&[left, right])
    }

    /// Four fins around the tail, swept in front, straight behind.
    fn fins(&self, detail: Detail) -> pieces::Mesh {
        let fin = |u: f64, v: f64| {
            let root = -0.26;
            let front = root - v * v * 0.08;
            let z = front + (HINGE - 0.003 - front) * u;
            let foot = 0.98 * self.radius(root + (HINGE - root) * u);
            Vector3::new(0.0, foot + (FIN_TIP - foot) * v, z)
        };
        let (points, faces) = pieces::sheet(detail.fin, fin);
        let turned = [0.0, 0.25, 0.5, 0.75].map(|turn| {
            let rotation = Rotation3::from_axis_angle(&Vector3::z_axis(), TAU * turn);
            (points.iter().map(|p| rotation * p).collect(), faces.clone())
        });
        pieces::joined(&turned)
    }

    /// Two plates on one hinge, above and below the tail.
    fn rudder_plates(&self, detail: Detail) -> pieces::Mesh {
        let plate = |side: f64| {
            move |u: f64, v: f64| {
                let foot = self.radius(HINGE) + 0.008;
                let chord = 0.075 - 0.02 * v;
                Vector3::new(0.0, side * (foot + (FIN_TIP - 0.004 - foot) * v), HINGE - chord * u)
            }
        };
        pieces::joined(&[pieces::sheet(detail.rudder, plate(1.0)), pieces::sheet(detail.rudder, plate(-1.0))])
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
