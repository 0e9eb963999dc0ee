//! Bodies that attract each other (Newton): the system of Jia et al. 2023, Sec. 5.1.
//!
//! ```text
//! U = −Σ_{i<j} G m_i m_j / s,   s² = |q_j − q_i|² + softening²
//! ```

use nalgebra::{Matrix3, Vector3};

use crate::Error;
use crate::integrate::force_law::{ForceLaw, Stiffness};
use crate::solve::blocks::BlockPattern;

/// Point masses under their mutual gravity.
#[derive(Debug, Clone, PartialEq)]
pub struct Gravity {
    masses: Vec<f64>,
    /// G, m³/(kg s²).
    constant: f64,
    /// The length below which attraction fades, metres; 0 for Newton's law itself.
    softening: f64,
    pattern: BlockPattern,
}

impl Gravity {
    /// Bodies of these masses.
    ///
    /// # Errors
    /// There is no body, a mass is not positive, or a parameter is negative or not finite.
    pub fn new(masses: Vec<f64>, constant: f64, softening: f64) -> Result<Self, Error> {
        if masses.is_empty() {
            return Err(Error::Empty { what: "list of bodies", fix: "give at least one mass" });
        }
        for &mass in &masses {
            Error::unless(mass.is_finite() && mass > 0.0, "mass", mass, "a finite number above zero")?;
        }
        Error::unless_zero_or_more("gravitational constant", constant)?;
        Error::unless_zero_or_more("softening", softening)?;
        let all: Vec<u32> = (0..masses.len() as u32).collect();
        let pattern = BlockPattern::new(masses.len(), [all.as_slice()]);
        Ok(Gravity { masses, constant, softening, pattern })
    }

    /// The way from body i to body j, s², and G m_i m_j.
    #[inline]
    fn pair(&self, q: &[Vector3<f64>], i: usize, j: usize) -> (Vector3<f64>, f64, f64) {
        let way = q[j] - q[i];
        (way, way.norm_squared() + self.softening * self.softening, self.constant * self.masses[i] * self.masses[j])
    }
}

impl ForceLaw for Gravity {
    fn masses(&self) -> &[f64] {
        &self.masses
    }

    fn pattern(&self) -> &BlockPattern {
        &self.pattern
    }

    fn force(&self, _: f64, q: &[Vector3<f64>], force: &mut [Vector3<f64>]) {
        force.fill(Vector3::zeros());
        for i in 0..q.len() {
            for j in i + 1..q.len() {
                let (way, squared, strength) = self.pair(q, i, j);
                let pull = way * (strength / (squared * squared.sqrt()));
                force[i] += pull;
                force[j] -= pull;
            }
        }
    }

    /// Across the way a pair is stiff, along it the contrary: that part is what [`Stiffness::Projected`] leaves out.
    fn stiffness(&self, _: f64, q: &[Vector3<f64>], which: Stiffness, values: &mut [Matrix3<f64>]) {
        values.fill(Matrix3::zeros());
        // All act on all, so rows of blocks are rows of a full matrix.
        let bodies = q.len();
        for i in 0..bodies {
            for j in i + 1..bodies {
                let (way, squared, strength) = self.pair(q, i, j);
                let across = strength / (squared * squared.sqrt());
                let length = way.norm_squared();
                let along = across * (1.0 - 3.0 * length / squared);
                let direction = if length > 0.0 { way / length.sqrt() } else { way };
                let along = if which == Stiffness::Projected { along.max(0.0) } else { along };
                let block = Matrix3::identity() * across + direction * direction.transpose() * (along - across);
                values[i * bodies + i] += block;
                values[j * bodies + j] += block;
                values[i * bodies + j] -= block;
                values[j * bodies + i] -= block;
            }
        }
    }

    fn energy(&self, _: f64, q: &[Vector3<f64>]) -> f64 {
        let mut energy = 0.0;
        for i in 0..q.len() {
            for j in i + 1..q.len() {
                let (_, squared, strength) = self.pair(q, i, j);
                energy -= strength / squared.sqrt();
            }
        }
        energy
    }
}
