//! A boat on water with waves, current and wind (Kobilarov 2009, Sec. 4.3.2, Eq. 15).
//!
//! Body frame: nose +Z, up +Y, left +X; its origin is that of the hull's mesh.
//!
//! | symbol | here | is |
//! |---|---|---|
//! | c_r, c_l | [`Boat::thrusters`] | places of the thrusters; each column of the control matrix is (c × e_z, e_z) (docs/ERRATA.md, K11) |
//! | Π_s, x_s | `Wet` | volume under water, and its centre |
//! | f_h | | drag of a patch of the wet hull, −E (its velocity − that of the water) |
//! | E | [`Boat::damping`] | damping of the whole wet hull: patches are averaged |
//! | η | [`Surface::velocity`] | velocity of the water: current and waves |
//! | P | | pressure beside buoyancy: none (docs/ERRATA.md, K12) |
//!
//! Waves are taken to be longer than the boat: the water under it is the plane that touches the waves where the boat is, and all of it moves as it does there. Then
//! buoyancy is that of the part below the plane, pressed not by gravity but by gravity less the acceleration of the water. The wet surface is cut exactly, and all
//! derivatives are exact.

use nalgebra::{Matrix3, Matrix6, SMatrix, SVector, Vector3, Vector6};

use super::surroundings;
use super::waves::{Surface, Wave};
use super::wet::{Rim, Wet};
use crate::Error;
use crate::integrate::controlled::Control;
use crate::integrate::craft::{Craft, Push};
use crate::lie::{Pose, Twist, Wrench};
use crate::medium::GRAVITY;
use crate::medium::buoyancy::Displaced;
use crate::models::vehicles::MotorBoat;
use crate::shape::surface::Connectivity;

/// A boat. Controls: right and left thruster, N, both along the nose.
#[derive(Debug, Clone, PartialEq)]
pub struct Boat {
    /// Vertices of the closed hull, metres.
    pub hull_points: Vec<Vector3<f64>>,
    /// Its faces, outwards.
    pub hull_faces: Vec<[u32; 3]>,
    /// kg.
    pub mass: f64,
    /// Body frame, metres.
    pub center_of_mass: Vector3<f64>,
    /// Moments of inertia about axes through the centre of mass along X, Y and Z, kg m².
    pub moments: Vector3<f64>,
    /// Added mass about the origin, (angular, linear): symmetric, positive semi-definite.
    pub added_mass: Matrix6<f64>,
    /// Of the water, kg/m³.
    pub water_density: f64,
    /// E: force of the whole wet hull per speed along X, Y and Z, N s/m.
    pub damping: Vector3<f64>,
    /// Where the right and the left thruster are, metres.
    pub thrusters: [Vector3<f64>; 2],
    /// Greatest thrust of each, either way, N.
    pub most_thrust: f64,
    /// Force of the air on what stands above the water, per squared speed along X, Y and Z, N s²/m².
    pub air_drag: Vector3<f64>,
    /// Where that force acts, metres.
    pub air_center: Vector3<f64>,
    /// Steady wind, world frame, m/s.
    pub wind: Vector3<f64>,
    /// Steady current, world frame, level, m/s.
    pub current: Vector3<f64>,
    /// On the water, whose mean height is 0.
    pub waves: Vec<Wave>,
    /// m/s², down.
    pub gravity: f64,
}

impl Default for Boat {
    /// A small motor boat in still water.
    fn default() -> Self {
        let (points, faces) = MotorBoat::default().hull(7, 12);
        Boat::floating(points, faces)
    }
}

impl Boat {
    /// A boat with this closed hull (metres, faces outwards) that floats level with the water at its height 0: of just that mass, with its centre over the
    /// centre of buoyancy at height 0. Moments are those of an ellipsoid of its mass that fills the box around it; damping, thrust and air drag are sized to it.
    pub fn floating(hull_points: Vec<Vector3<f64>>, hull_faces: Vec<[u32; 3]>) -> Boat {
        let density = 1000.0;
        let wet = Displaced::below(0.0, &Pose::identity(), &hull_points, &hull_faces);
        let mass = density * wet.volume;
        let middle = wet.moment / wet.volume;
        let (low, high) = crate::shape::bounds(&hull_points).unwrap_or_default();
        let half = (high - low) * 0.5;
        let squared = half.component_mul(&half);
        let (rear, side) = (low.z, 0.5 * half.x);
        let seen = Vector3::new(4.0 * half.y * half.z, 4.0 * half.x * half.z, 4.0 * half.x * half.y);
        Boat {
            mass,
            center_of_mass: Vector3::new(0.0, 0.0, middle.z),
            // Those of an ellipsoid that fills its box.
            moments: Vector3::new(squared.y + squared.z, squared.x + squared.z, squared.x + squared.y) * (mass / 5.0),
            added_mass: Matrix6::zeros(),
            water_density: density,
            damping: Vector3::new(1.2, 2.0, 0.2) * mass,
            thrusters: [Vector3::new(-side, 0.5 * low.y, rear), Vector3::new(side, 0.5 * low.y, rear)],
            most_thrust: 0.5 * mass,
            air_drag: seen * (0.5 * 1.2 * 0.5),
            air_center: Vector3::new(0.0, 0.6 * high.y, middle.z),
            wind: Vector3::zeros(),
            current: Vector3::zeros(),
            waves: Vec::new(),
            gravity: GRAVITY,
            hull_points,
            hull_faces,
        }
    }

    /// Adds buoyancy, waves and drag.
    fn add_water(&self, push: &mut Push<2>, pose: &Pose, twist: &Twist, time: f64) {
        let turn = pose.rotation_matrix();
        let surface = Surface::at(&pose.translation, time, &self.waves, &self.current, self.gravity);
        let plane = Plane::of(&surface, pose, &turn);
        let stream = turn.tr_mul(&surface.velocity);
        let drag = Patches { damping: &self.damping, flow: Twist::new(twist.angular, twist.linear - stream) };
        let mut rim = Rim::default();
        let wet = Wet::below(&plane.up, plane.offset, &self.hull_points, &self.hull_faces, |line| rim.add(line, |x| drag.density(x)));
        // Buoyancy.
        let lift = turn.tr_mul(&(surface.acceleration + Vector3::y() * self.gravity)) * self.water_density;
        let by_place = turn.tr_mul(&(surface.acceleration_gradient * turn)) * self.water_density;
        push.wrench += Wrench::new(wet.moment.cross(&lift), lift * wet.volume);
        let mut by_plane = SMatrix::<f64, 6, 4>::zeros();
        by_plane.fixed_view_mut::<3, 4>(0, 0).copy_from(&(-lift.cross_matrix() * wet.moment_slope));
        by_plane.fixed_view_mut::<3, 4>(3, 0).copy_from(&(lift * wet.volume_slope.transpose()));
        for (column, change) in [(0, lift.cross_matrix()), (3, by_place)] {
            surroundings::add_block(&mut push.by_pose, [0, column], &(wet.moment.cross_matrix() * change));
            surroundings::add_block(&mut push.by_pose, [3, column], &(change * wet.volume));
        }
        // Drag, by the velocity of the water past the boat, and by the rim of the wet surface.
        let stream_by_place = turn.tr_mul(&(surface.velocity_gradient * turn));
        let (sum, by_flow) = drag.over(&wet);
        let (share, share_slope) = average(wet.area, 1e-3 * wet.whole_area);
        push.wrench += sum * share;
        push.by_twist += by_flow * share;
        by_plane += rim.integral * share + Vector6::from(sum) * (rim.area.transpose() * share_slope);
        let by_speed = by_flow.fixed_view::<6, 3>(0, 3) * -share;
        let mut turned = push.by_pose.fixed_view_mut::<6, 3>(0, 0);
        turned += by_speed * stream.cross_matrix();
        let mut carried = push.by_pose.fixed_view_mut::<6, 3>(0, 3);
        carried += by_speed * stream_by_place;
        push.by_pose += by_plane * plane.by_pose;
        self.add_swell(push, &turn, &surface);
    }

    /// Adds what water that speeds up does to the added mass.
    fn add_swell(&self, push: &mut Push<2>, turn: &Matrix3<f64>, surface: &Surface) {
        if self.waves.is_empty() || self.added_mass == Matrix6::zeros() {
            return;
        }
        let linear = self.added_mass.fixed_view::<6, 3>(0, 3);
        let acceleration = turn.tr_mul(&surface.acceleration);
        push.wrench += Wrench::from(linear * acceleration);
        let mut turned = push.by_pose.fixed_view_mut::<6, 3>(0, 0);
        turned += linear * acceleration.cross_matrix();
        let mut carried = push.by_pose.fixed_view_mut::<6, 3>(0, 3);
        carried += linear * turn.tr_mul(&(surface.acceleration_gradient * turn));
    }
}

impl Craft<2> for Boat {
    fn inertia(&self) -> Matrix6<f64> {
        self.added_mass + surroundings::inertia(self.mass, &self.moments, &self.center_of_mass)
    }

    fn controls(&self) -> [Control; 2] {
        ["right", "left"].map(|name| Control { name, unit: "N", range: [-self.most_thrust, self.most_thrust], rest: 0.0 })
    }

    fn validate(&self) -> Result<(), Error> {
        surroundings::positive("mass of the boat", self.mass)?;
        surroundings::moments(&self.moments)?;
        surroundings::finite("centre of mass", &self.center_of_mass)?;
        surroundings::added_mass(&self.added_mass)?;
        surroundings::positive("density of the water", self.water_density)?;
        let factors = self.damping.iter().chain(self.air_drag.iter());
        factors.into_iter().try_for_each(|&value| Error::unless_zero_or_more("damping of the boat", value))?;
        self.thrusters.iter().try_for_each(|place| surroundings::finite("place of a thruster", place))?;
        surroundings::finite("centre of the air's force", &self.air_center)?;
        Error::unless_zero_or_more("greatest thrust", self.most_thrust)?;
        surroundings::finite("wind", &self.wind)?;
        surroundings::finite("current", &self.current)?;
        self.waves.iter().try_for_each(Wave::validate)?;
        Error::unless_zero_or_more("gravity", self.gravity)?;
        self.hull_points.iter().try_for_each(|point| surroundings::finite("vertex of the hull", point))?;
        let vertices = self.hull_points.len();
        if let Some((index, face)) = self.hull_faces.iter().enumerate().find(|(_, face)| face.iter().any(|&v| v as usize >= vertices)) {
            let vertex = face.iter().copied().max().unwrap_or(0) as usize;
            return Err(Error::VertexOutOfRange { what: "face", index, vertex, vertices });
        }
        let closed = !self.hull_faces.is_empty() && Connectivity::of(&self.hull_faces).watertight();
        if !closed {
            return Err(Error::Surface { part: 0, reason: "the hull is not closed; close it, for it must displace a volume" });
        }
        let volume = Displaced::whole(&self.hull_points, &self.hull_faces).volume;
        Error::unless(volume > 0.0, "volume of the hull", volume, "above zero; turn its faces outwards")
    }

    fn push(&self, pose: &Pose, twist: &Twist, controls: &SVector<f64, 2>, time: f64) -> Push<2> {
        let mut push = surroundings::nothing::<2>();
        push.by_controls = SMatrix::from_columns(&self.thrusters.map(|place| Vector6::from(Wrench::of_force_at(Vector3::z(), &place))));
        push.wrench = Wrench::from(push.by_controls * controls);
        surroundings::add_world_force(&mut push, pose, &(Vector3::y() * (-self.mass * self.gravity)), &self.center_of_mass);
        surroundings::add_flow_force(&mut push, pose, twist, &self.air_center, &self.wind, |flow| {
            surroundings::along_axes(&Vector3::zeros(), &self.air_drag, flow)
        });
        self.add_water(&mut push, pose, twist, time);
        surroundings::add_stream(&mut push, &self.added_mass, pose, twist, &self.current);
        push
    }
}

/// The plane that touches the waves where the boat is: up · x = offset, body frame.
struct Plane {
    up: Vector3<f64>,
    offset: f64,
    /// (up, offset) by a small motion of the body.
    by_pose: SMatrix<f64, 4, 6>,
}

impl Plane {
    fn of(surface: &Surface, pose: &Pose, turn: &Matrix3<f64>) -> Plane {
        let normal = Vector3::y() - surface.slope;
        let scale = 1.0 / normal.norm();
        let up_world = normal * scale;
        let (up, depth) = (turn.tr_mul(&up_world), surface.height - pose.translation.y);
        // up_world by place: the normal changes by −bend, of which its own length takes no part.
        let tilt = (Matrix3::identity() - up_world * up_world.transpose()) * surface.bend * -scale;
        let offset = depth * scale;
        let scale_by_place = surface.bend.tr_mul(&normal) * (scale * scale * scale);
        let offset_by_place = (surface.slope - Vector3::y()) * scale + scale_by_place * depth;
        let mut by_pose = SMatrix::<f64, 4, 6>::zeros();
        by_pose.fixed_view_mut::<3, 3>(0, 0).copy_from(&up.cross_matrix());
        by_pose.fixed_view_mut::<3, 3>(0, 3).copy_from(&turn.tr_mul(&(tilt * turn)));
        by_pose.fixed_view_mut::<1, 3>(3, 3).copy_from(&turn.tr_mul(&offset_by_place).transpose());
        Plane { up, offset, by_pose }
    }
}

/// Drag of the patches of the wet hull, before it is averaged.
struct Patches<'a> {
    damping: &'a Vector3<f64>,
    /// Velocity of the boat past the water.
    flow: Twist,
}

impl Patches<'_> {
    /// (x × f_h, f_h).
    fn density(&self, x: &Vector3<f64>) -> Vector6<f64> {
        Vector6::from(Wrench::of_force_at(-self.damping.component_mul(&self.flow.velocity_at(x)), x))
    }

    /// Its integral over the wet hull, and that by the flow.
    fn over(&self, wet: &Wet) -> (Wrench, Matrix6<f64>) {
        let e = self.damping;
        let damping = Matrix3::from_diagonal(e);
        let lever = wet.first.cross_matrix();
        let s = &wet.second;
        // −∫ x^ E x^ dA.
        let (xy, yz, xz) = (-e.z * s.m12, -e.x * s.m23, -e.y * s.m13);
        let turning = Matrix3::new(e.y * s.m33 + e.z * s.m22, xy, xz, xy, e.x * s.m33 + e.z * s.m11, yz, xz, yz, e.x * s.m22 + e.y * s.m11);
        let mut by_flow = Matrix6::zeros();
        surroundings::add_block(&mut by_flow, [0, 0], &-turning);
        surroundings::add_block(&mut by_flow, [0, 3], &(-lever * damping));
        surroundings::add_block(&mut by_flow, [3, 0], &(damping * lever));
        surroundings::add_block(&mut by_flow, [3, 3], &(damping * -wet.area));
        (Wrench::from(by_flow * Vector6::from(self.flow)), by_flow)
    }
}

/// 1/area, but nothing where there is none: below `least` it falls to zero, so that a boat that leaves the water is let go smoothly. And its derivative.
fn average(area: f64, least: f64) -> (f64, f64) {
    let below = area * area + least * least;
    if below == 0.0 { (0.0, 0.0) } else { (area / below, (least * least - area * area) / (below * below)) }
}
