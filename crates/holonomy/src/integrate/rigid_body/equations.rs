//! What several integrators share: Euler's equations in principal axes, three linear equations, quaternions as four numbers.

use nalgebra::{Matrix3, Quaternion, UnitQuaternion, Vector3};

use super::RigidBody;

/// Euler's equations, Ω' = k ∘ (Ω₂Ω₃, Ω₃Ω₁, Ω₁Ω₂), with k = ((J₂ − J₃)/J₁, …).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Euler {
    factors: Vector3<f64>,
}

impl Euler {
    /// Those of a body.
    pub fn new(body: &RigidBody) -> Euler {
        let j = &body.moments;
        Euler { factors: Vector3::new((j.y - j.z) / j.x, (j.z - j.x) / j.y, (j.x - j.y) / j.z) }
    }

    /// Ω', rad/s², of the body velocity Ω.
    #[inline]
    pub fn rate(&self, spin: &Vector3<f64>) -> Vector3<f64> {
        let (k, w) = (&self.factors, spin);
        Vector3::new(k.x * w.y * w.z, k.y * w.z * w.x, k.z * w.x * w.y)
    }

    /// ∂Ω'/∂Ω.
    #[inline]
    pub fn rate_jacobian(&self, spin: &Vector3<f64>) -> Matrix3<f64> {
        let (k, w) = (&self.factors, spin);
        Matrix3::new(0.0, k.x * w.z, k.x * w.y, k.y * w.z, 0.0, k.y * w.x, k.z * w.y, k.z * w.x, 0.0)
    }

    /// The Ω with Ω = `known` + `time` · Ω'(Ω), by Newton from `known`; not finite where it is not found.
    #[inline]
    pub(super) fn solve(&self, known: &Vector3<f64>, time: f64) -> Vector3<f64> {
        let mut spin = *known;
        for _ in 0..MAX_ITERATIONS {
            let residual = spin - known - self.rate(&spin) * time;
            spin -= solve(&(Matrix3::identity() - self.rate_jacobian(&spin) * time), &residual);
            // Newton squares the error: what is left after this step is round-off.
            if residual.norm_squared() < NEARLY * NEARLY * known.norm_squared() {
                return spin;
            }
        }
        if known.norm_squared() == 0.0 { *known } else { Vector3::repeat(f64::NAN) }
    }
}

/// Newton takes 2 or 3 steps; more are for steps near the largest that has a solution.
pub(super) const MAX_ITERATIONS: usize = 30;

/// Relative residual from which one more Newton step reaches round-off.
pub(super) const NEARLY: f64 = 1e-8;

/// Solves three linear equations by Cramer's rule: they are near the identity, so nothing is lost.
#[inline]
pub(super) fn solve(matrix: &Matrix3<f64>, right: &Vector3<f64>) -> Vector3<f64> {
    let [a, b, c] = [0, 1, 2].map(|i| Vector3::new(matrix[(i, 0)], matrix[(i, 1)], matrix[(i, 2)]));
    let (bc, ca, ab) = (b.cross(&c), c.cross(&a), a.cross(&b));
    (bc * right.x + ca * right.y + ab * right.z) / a.dot(&bc)
}

/// A unit quaternion that carries rotations along: scalar, then vector.
#[derive(Debug, Clone, Copy)]
pub(super) struct Turned {
    pub scalar: f64,
    pub vector: Vector3<f64>,
}

impl Turned {
    pub(super) fn of(rotation: &UnitQuaternion<f64>) -> Turned {
        Turned { scalar: rotation.w, vector: rotation.imag() }
    }

    pub(super) fn rotation(&self) -> UnitQuaternion<f64> {
        UnitQuaternion::new_unchecked(Quaternion::from_parts(self.scalar, self.vector))
    }

    /// First the rotation along (1, c), which need not be unit, then this one; unit.
    #[inline]
    pub(super) fn after(&self, c: &Vector3<f64>) -> Turned {
        self.times(1.0, c).unit()
    }

    /// The product of quaternions.
    #[inline]
    pub(super) fn times(&self, scalar: f64, v: &Vector3<f64>) -> Turned {
        let (s, u) = (self.scalar, &self.vector);
        Turned { scalar: s * scalar - u.dot(v), vector: v * s + u * scalar + u.cross(v) }
    }

    /// Made unit.
    #[inline]
    pub(super) fn unit(&self) -> Turned {
        let scale = 1.0 / (self.scalar * self.scalar + self.vector.norm_squared()).sqrt();
        Turned { scalar: self.scalar * scale, vector: self.vector * scale }
    }

    /// R x.
    #[inline]
    pub(super) fn act(&self, x: &Vector3<f64>) -> Vector3<f64> {
        let twice = self.vector.cross(x) * 2.0;
        x + twice * self.scalar + self.vector.cross(&twice)
    }

    /// Rᵀ x.
    #[inline]
    pub(super) fn act_back(&self, x: &Vector3<f64>) -> Vector3<f64> {
        let twice = x.cross(&self.vector) * 2.0;
        x + twice * self.scalar + twice.cross(&self.vector)
    }
}
