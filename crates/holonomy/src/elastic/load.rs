//! What acts on a body from outside: gravity, wind and what it touches.

use nalgebra::{Matrix3, Vector3};

use super::Element;
use super::path::Path;
use crate::Error;
use crate::integrate::force_law::Stiffness;
use crate::lie::Pose;
use crate::medium::obstacle::Obstacle;

/// All that acts on a body from outside.
#[derive(Debug, Clone, PartialEq)]
pub struct Loads {
    /// m/s².
    pub gravity: Vector3<f64>,
    /// If it blows.
    pub wind: Option<Wind>,
    /// What is in the way.
    pub contacts: Vec<Contact>,
}

impl Default for Loads {
    fn default() -> Self {
        Loads { gravity: Vector3::new(0.0, -crate::medium::GRAVITY, 0.0), wind: None, contacts: Vec::new() }
    }
}

/// A steady wind that pushes faces along their normals: force = coefficient · area · (n·wind) n (Jia et al. 2023, §5.2.1). It does not depend on the body's
/// velocity, and has no potential.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Wind {
    /// m/s.
    pub velocity: Vector3<f64>,
    /// kg/(m² s): pressure by speed.
    pub coefficient: f64,
}

/// A solid that pushes out what enters it: pressure · (depth/reference depth)² on the surface, by a potential with two continuous derivatives (after Macklin et
/// al. 2020, "Primal/Dual Descent Methods for Dynamics", who take a quadratic one). Vertices are kept out, not edges or faces. Its stiffness is exact but within the margin around edges of boxes and around
/// meshes, whose [`Obstacle::distance`] has no second derivative.
#[derive(Debug, Clone, PartialEq)]
pub struct Contact {
    /// Where it is at rest.
    pub obstacle: Obstacle,
    /// How it moves.
    pub path: Path,
    /// What counts as entering it: so far outside its surface, metres.
    pub margin: f64,
    /// At which [`Contact::pressure`] is reached, metres.
    pub depth: f64,
    /// Pa.
    pub pressure: f64,
}

impl Loads {
    /// Refuses numbers that are not finite, and solids and paths that are not sound.
    ///
    /// # Errors
    /// The number, and what is accepted.
    pub fn validate(&self) -> Result<(), Error> {
        self.gravity.iter().try_for_each(|&x| Error::unless(x.is_finite(), "gravity", x, "a finite number of m/s²"))?;
        if let Some(wind) = &self.wind {
            wind.velocity.iter().try_for_each(|&x| Error::unless(x.is_finite(), "velocity of the wind", x, "a finite number of m/s"))?;
            Error::unless_zero_or_more("coefficient of the wind", wind.coefficient)?;
        }
        self.contacts.iter().try_for_each(Contact::validate)
    }
}

impl Contact {
    /// Refuses numbers that are not finite, and solids and paths that are not sound.
    ///
    /// # Errors
    /// The number, and what is accepted.
    pub fn validate(&self) -> Result<(), Error> {
        let positive = |name, x: f64| Error::unless(x.is_finite() && x > 0.0, name, x, "a positive number");
        self.obstacle.validate()?;
        self.path.validate()?;
        Error::unless_zero_or_more("margin of a contact (m)", self.margin)?;
        positive("depth of a contact (m)", self.depth)?;
        positive("pressure of a contact (Pa)", self.pressure)
    }
}

/// A contact at a moment, as it acts on places with an area.
#[derive(Debug, Clone, Copy)]
pub struct Touch<'a> {
    contact: &'a Contact,
    pose: Pose,
    inverse: Pose,
}

impl<'a> Touch<'a> {
    /// At that time.
    pub fn at(contact: &'a Contact, time: f64) -> Touch<'a> {
        let pose = contact.path.pose(time);
        Touch { contact, pose, inverse: pose.inverse() }
    }

    /// How deep `place` is in, and the distance's derivatives.
    fn depth(&self, place: &Vector3<f64>) -> Option<(f64, Vector3<f64>, Matrix3<f64>)> {
        let distance = self.contact.obstacle.distance(&self.inverse.act(place));
        let depth = self.contact.margin - distance.value;
        let turn = self.pose.rotation_matrix();
        (depth > 0.0).then(|| (depth, turn * distance.gradient, turn * distance.bend * turn.transpose()))
    }

    /// Returns whether `place` is pushed: inside the solid, or within its margin.
    pub fn is_inside(&self, place: &Vector3<f64>) -> bool {
        self.depth(place).is_some()
    }

    /// J, of a vertex with that share of the surface.
    pub fn energy(&self, place: &Vector3<f64>, area: f64) -> f64 {
        let stiffness = area * self.contact.pressure / self.contact.depth.powi(2);
        self.depth(place).map_or(0.0, |(depth, ..)| stiffness * depth.powi(3) / 3.0)
    }

    /// N.
    pub fn force(&self, place: &Vector3<f64>, area: f64) -> Vector3<f64> {
        let stiffness = area * self.contact.pressure / self.contact.depth.powi(2);
        self.depth(place).map_or(Vector3::zeros(), |(depth, normal, _)| normal * (stiffness * depth * depth))
    }

    /// −∂force/∂place. A round solid pushes sideways what slides off it: that part is not positive.
    pub fn stiffness(&self, place: &Vector3<f64>, area: f64, which: Stiffness) -> Matrix3<f64> {
        let stiffness = area * self.contact.pressure / self.contact.depth.powi(2);
        let Some((depth, normal, bend)) = self.depth(place) else { return Matrix3::zeros() };
        let pushed = normal * (normal * (2.0 * stiffness * depth)).transpose();
        match which {
            Stiffness::Exact => pushed - bend * (stiffness * depth * depth),
            Stiffness::Projected => pushed,
        }
    }
}

/// The wind on a triangle: a third for each corner. It has no energy. Projected, it has no stiffness either.
impl Element<3> for Wind {
    fn energy(&self, _: &[Vector3<f64>; 3]) -> f64 {
        0.0
    }

    fn force(&self, x: &[Vector3<f64>; 3]) -> [Vector3<f64>; 3] {
        let area = (x[1] - x[0]).cross(&(x[2] - x[0])) * 0.5;
        let normal = area.try_normalize(f64::MIN_POSITIVE).unwrap_or_default();
        [normal * (self.coefficient * area.dot(&self.velocity) / 3.0); 3]
    }

    fn stiffness(&self, x: &[Vector3<f64>; 3], which: Stiffness) -> [[Matrix3<f64>; 3]; 3] {
        let (p, q) = (x[1] - x[0], x[2] - x[0]);
        let area = p.cross(&q) * 0.5;
        let Some(normal) = area.try_normalize(f64::MIN_POSITIVE).filter(|_| which == Stiffness::Exact) else {
            return [[Matrix3::zeros(); 3]; 3];
        };
        // f = c (a·w) a/|a| by the area vector a, and a by the corners.
        let along = normal.dot(&self.velocity);
        let by_area = normal * self.velocity.transpose() + (Matrix3::identity() - normal * normal.transpose()) * along;
        let by_area = by_area * (-self.coefficient / 6.0);
        let (by_second, by_third) = (-by_area * q.cross_matrix(), by_area * p.cross_matrix());
        [[-(by_second + by_third), by_second, by_third]; 3]
    }
}
