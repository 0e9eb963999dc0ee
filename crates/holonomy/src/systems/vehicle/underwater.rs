//! An underwater vehicle: a streamlined body with fins, thrusters, weight and buoyancy, and the water that it must move with it.
//!
//! Body frame: nose +Z, up +Y, left +X. The origin is the centre of buoyancy, the middle of an ellipsoid; the centre of mass lies below it, which keeps the vehicle
//! upright.
//!
//! The added mass of an ellipsoid of half axes a₁, a₂, a₃ and volume V is known in closed form (Lamb 1932, Arts. 114 and 115). It is diagonal, with
//!
//! ```text
//! α_i = a₁ a₂ a₃ ∫₀^∞ dλ / ((a_i² + λ) √((a₁² + λ)(a₂² + λ)(a₃² + λ))) = ⅔ a₁ a₂ a₃ R_D(a_j², a_k², a_i²)
//! along axis i:   ρV α_i / (2 − α_i)
//! about axis i:   ρV/5 · (a_j² − a_k²)² (α_k − α_j) / (2 (a_j² − a_k²) + (a_j² + a_k²)(α_j − α_k))
//! ```
//!
//! where R_D is Carlson's symmetric elliptic integral of the second kind (Carlson 1995).

use nalgebra::{Matrix3, Matrix6, SMatrix, SVector, Vector3, Vector6};

use super::surroundings::{self, Drag};
use crate::Error;
use crate::integrate::controlled::Control;
use crate::integrate::craft::{Bend, Craft, Push};
use crate::lie::{Pose, Twist, Wrench};
use crate::medium::GRAVITY;

/// An underwater vehicle. Controls (N): the main thruster at the stern, then vertical thrusters at bow and stern (+: up), then lateral ones at bow and stern (+: left).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Underwater {
    /// kg.
    pub mass: f64,
    /// Body frame, metres; the centre of buoyancy is the origin.
    pub center_of_mass: Vector3<f64>,
    /// Moments of inertia about axes through the centre of mass along X, Y and Z, kg m².
    pub moments: Vector3<f64>,
    /// Volume that displaces water, m³.
    pub volume: f64,
    /// Of the water, kg/m³.
    pub water_density: f64,
    /// Added mass about the origin, (angular, linear): symmetric, positive semi-definite. [`ellipsoid_added_mass`] finds that of an ellipsoid.
    pub added_mass: Matrix6<f64>,
    /// Of the body, at the origin.
    pub drag: Drag,
    /// Force of the fins per squared speed, across the axis: half of density, area and slope of lift, N s²/m².
    pub fin_lift: f64,
    /// From the origin back to the fins and the main thruster, metres.
    pub tail: f64,
    /// From the origin to the thrusters at bow and stern, metres.
    pub thruster_arm: f64,
    /// Greatest thrust of the main thruster either way, N.
    pub most_thrust: f64,
    /// Greatest thrust of each of the others either way, N.
    pub most_steering: f64,
    /// Steady current, world frame, m/s.
    pub current: Vector3<f64>,
    /// m/s², down.
    pub gravity: f64,
}

impl Default for Underwater {
    /// A torpedo, 1.6 m long and 0.2 m thick.
    fn default() -> Self {
        Underwater::ellipsoid([0.1, 0.1, 0.8], 1000.0)
    }
}

impl Underwater {
    /// A vehicle in the shape of an ellipsoid of these half axes (along X, Y, Z, metres), as heavy as the water of this density (kg/m³) that it displaces. Its
    /// centre of mass lies a tenth of its half height below its middle; drag is that of slender bodies, with coefficients of 0.1 along and 1 across.
    pub fn ellipsoid(half_axes: [f64; 3], water_density: f64) -> Underwater {
        let [a, b, c] = half_axes;
        let pi = std::f64::consts::PI;
        let volume = 4.0 / 3.0 * pi * a * b * c;
        let mass = water_density * volume;
        // ½ ρ C A along each axis; about X and Y, ½ ρ C ∫ width |z|³ dz of the ellipse that is seen across; about Z, that of its fins.
        let pressed = 0.5 * water_density * pi;
        let turned = |length: f64, half_width: f64| 0.5 * water_density * 8.0 / 15.0 * half_width * length.powi(4);
        Underwater {
            mass,
            center_of_mass: Vector3::new(0.0, -0.1 * b, 0.0),
            moments: Vector3::new(b * b + c * c, a * a + c * c, a * a + b * b) * (mass / 5.0),
            volume,
            water_density,
            added_mass: ellipsoid_added_mass(half_axes, water_density),
            drag: Drag {
                linear: Vector3::new(0.05 * mass, 0.05 * mass, 0.02 * mass),
                quadratic: Vector3::new(b * c, a * c, 0.1 * a * b) * pressed,
                turning: Vector3::new(c * c, c * c, a * b) * (0.05 * mass),
                turning_quadratic: Vector3::new(turned(c, a), turned(c, b), turned(a.max(b), 0.1 * c)),
            },
            fin_lift: pressed * a * b,
            tail: 0.95 * c,
            thruster_arm: 0.6 * c,
            most_thrust: 1.2 * mass,
            most_steering: 0.4 * mass,
            current: Vector3::zeros(),
            gravity: GRAVITY,
        }
    }

    /// Where the thrusters are (body frame, metres) and where they push, in the order of the controls.
    pub fn thrusters(&self) -> [(Vector3<f64>, Vector3<f64>); 5] {
        let [bow, stern] = [self.thruster_arm, -self.thruster_arm].map(|z| Vector3::z() * z);
        let (x, y, z) = (Vector3::x(), Vector3::y(), Vector3::z());
        [(z * -self.tail, z), (bow, y), (stern, y), (bow, x), (stern, x)]
    }

    /// Adds the force of the fins, −k |u| u across the axis, u the velocity of the fins through the water: it swings the tail behind the nose.
    fn add_fins(&self, push: &mut Push<5>, pose: &Pose, twist: &Twist) {
        let place = Vector3::z() * -self.tail;
        surroundings::add_flow_force(push, pose, twist, &place, &self.current, |flow| {
            let speed = flow.norm();
            if speed == 0.0 {
                return (Vector3::zeros(), Matrix3::zeros());
            }
            let across = Vector3::new(flow.x, flow.y, 0.0);
            let by_flow = Matrix3::from_diagonal(&Vector3::new(speed, speed, 0.0)) + across * flow.transpose() / speed;
            (across * (-self.fin_lift * speed), by_flow * -self.fin_lift)
        });
    }
}

impl Underwater {
    /// Adds the second derivatives of the force of the fins in water at rest.
    fn add_fins_bend(&self, bend: &mut Bend<5>, twist: &Twist, weights: &Twist) {
        let place = Vector3::z() * -self.tail;
        let (flow, mut across) = (twist.velocity_at(&place), weights.velocity_at(&place));
        let speed = flow.norm();
        if speed == 0.0 {
            return;
        }
        across.z = 0.0;
        // Of |u| w·u.
        let along = flow / speed;
        let mixed = along * across.transpose();
        let round = (Matrix3::identity() - along * along.transpose()) * (across.dot(&flow) / speed);
        let by_flow = (round + mixed + mixed.transpose()) * -self.fin_lift;
        let lever = place.cross_matrix();
        surroundings::add_block(&mut bend.twist_twist, [0, 0], &(-lever * by_flow * lever));
        surroundings::add_block(&mut bend.twist_twist, [0, 3], &(lever * by_flow));
        surroundings::add_block(&mut bend.twist_twist, [3, 0], &(-by_flow * lever));
        surroundings::add_block(&mut bend.twist_twist, [3, 3], &by_flow);
    }
}

impl Craft<5> for Underwater {
    fn inertia(&self) -> Matrix6<f64> {
        self.added_mass + surroundings::inertia(self.mass, &self.moments, &self.center_of_mass)
    }

    fn controls(&self) -> [Control; 5] {
        let both = |name, most: f64| Control { name, unit: "N", range: [-most, most], rest: 0.0 };
        let steering = self.most_steering;
        [
            both("thrust", self.most_thrust),
            both("bow-up", steering),
            both("stern-up", steering),
            both("bow-left", steering),
            both("stern-left", steering),
        ]
    }

    fn validate(&self) -> Result<(), Error> {
        surroundings::positive("mass of the underwater vehicle", self.mass)?;
        surroundings::moments(&self.moments)?;
        surroundings::finite("centre of mass", &self.center_of_mass)?;
        surroundings::positive("volume", self.volume)?;
        surroundings::positive("density of the water", self.water_density)?;
        surroundings::added_mass(&self.added_mass)?;
        Error::unless_zero_or_more("lift of the fins", self.fin_lift)?;
        Error::unless_zero_or_more("length of the tail", self.tail)?;
        Error::unless_zero_or_more("arm of the thrusters", self.thruster_arm)?;
        Error::unless_zero_or_more("greatest thrust", self.most_thrust)?;
        Error::unless_zero_or_more("greatest thrust to steer with", self.most_steering)?;
        Error::unless_zero_or_more("gravity", self.gravity)?;
        surroundings::finite("current", &self.current)?;
        self.drag.validate()
    }

    fn push(&self, pose: &Pose, twist: &Twist, controls: &SVector<f64, 5>, _time: f64) -> Push<5> {
        let mut push = surroundings::nothing::<5>();
        push.by_controls = SMatrix::from_columns(&self.thrusters().map(|(place, along)| Vector6::from(Wrench::of_force_at(along, &place))));
        push.wrench = Wrench::from(push.by_controls * controls);
        let down = Vector3::y() * -self.gravity;
        surroundings::add_world_force(&mut push, pose, &(down * self.mass), &self.center_of_mass);
        surroundings::add_world_force(&mut push, pose, &(down * (-self.water_density * self.volume)), &Vector3::zeros());
        self.drag.add_to(&mut push, pose, twist, &self.current);
        self.add_fins(&mut push, pose, twist);
        surroundings::add_stream(&mut push, &self.added_mass, pose, twist, &self.current);
        push
    }

    fn bend(&self, pose: &Pose, twist: &Twist, controls: &SVector<f64, 5>, time: f64, weights: &Twist) -> Bend<5> {
        if self.current != Vector3::zeros() {
            return Bend::by_differences(pose, twist, controls, weights, |pose, twist, controls| self.push(pose, twist, controls, time));
        }
        let mut bend = Bend::none();
        let down = Vector3::y() * -self.gravity;
        surroundings::add_world_force_bend(&mut bend, pose, &(down * self.mass), &self.center_of_mass, weights);
        let lift = down * (-self.water_density * self.volume);
        surroundings::add_world_force_bend(&mut bend, pose, &lift, &Vector3::zeros(), weights);
        self.drag.add_bend_to(&mut bend, twist, weights);
        self.add_fins_bend(&mut bend, twist, weights);
        bend
    }
}

/// The added mass of an ellipsoid of these half axes (along X, Y, Z, metres) in a fluid of this density (kg/m³), about its middle: closed form (Lamb 1932).
pub fn ellipsoid_added_mass(half_axes: [f64; 3], density: f64) -> Matrix6<f64> {
    let a = Vector3::from(half_axes);
    let squared = a.component_mul(&a);
    let volume = 4.0 / 3.0 * std::f64::consts::PI * a.product();
    let others = |i: usize| ((i + 1) % 3, (i + 2) % 3);
    let alpha = Vector3::from_fn(|i, _| {
        let (j, k) = others(i);
        2.0 / 3.0 * a.product() * carlson_rd(squared[j], squared[k], squared[i])
    });
    let along = |i: usize| alpha[i] / (2.0 - alpha[i]);
    let about = |i: usize| {
        let (j, k) = others(i);
        let (difference, sum) = (squared[j] - squared[k], squared[j] + squared[k]);
        // As the axes become equal, α_j − α_k vanishes with their difference: so does the whole.
        let below = 2.0 * difference + sum * (alpha[j] - alpha[k]);
        if below == 0.0 { 0.0 } else { 0.2 * difference * difference * (alpha[k] - alpha[j]) / below }
    };
    let entries = Vector6::from_fn(|i, _| if i < 3 { about(i) } else { along(i - 3) });
    Matrix6::from_diagonal(&(entries * (density * volume)))
}

/// R_D(x, y, z) = 3/2 ∫₀^∞ dt / ((t + z) √((t + x)(t + y)(t + z))), by duplication (Carlson 1995): right to round-off.
fn carlson_rd(mut x: f64, mut y: f64, mut z: f64) -> f64 {
    let (mut sum, mut share) = (0.0, 1.0);
    // Each round divides the spread of the three by four; the series below is then right to its sixth power.
    for _ in 0..DUPLICATIONS {
        let root = |a: f64, b: f64| (a * b).sqrt();
        let step = root(x, y) + root(y, z) + root(z, x);
        sum += share / (z.sqrt() * (z + step));
        share *= 0.25;
        (x, y, z) = ((x + step) * 0.25, (y + step) * 0.25, (z + step) * 0.25);
    }
    let mean = (x + y + 3.0 * z) / 5.0;
    let (dx, dy) = ((mean - x) / mean, (mean - y) / mean);
    let dz = -(dx + dy) / 3.0;
    let e2 = dx * dy - 6.0 * dz * dz;
    let e3 = (3.0 * dx * dy - 8.0 * dz * dz) * dz;
    let e4 = 3.0 * (dx * dy - dz * dz) * dz * dz;
    let e5 = dx * dy * dz * dz * dz;
    let series = 1.0 - 3.0 / 14.0 * e2 + e3 / 6.0 + 9.0 / 88.0 * e2 * e2 - 3.0 / 22.0 * e4 - 9.0 / 52.0 * e2 * e3 + 3.0 / 26.0 * e5;
    3.0 * sum + share * series / (mean * mean.sqrt())
}

/// Rounds of duplication: for axes of any ratio up to 1 : 1000 the spread is then below 1e-3.
const DUPLICATIONS: usize = 16;
