//! The sums over point masses that move, four points at a time (Soliman 2024, Algs. 3 and 4).

use nalgebra::{Matrix3, Vector3};

use super::inertia::Inertia;
use super::lanes::{FOUR, Four, Loop, accumulate, cross, dispatch, dot, pack, scaled};
use super::mass_points::MovingMass;
use crate::lie::Momentum;

/// Moments, momentum and energy of `masses`, kg, at `points` that move with `velocities`: as many as all three lists have.
pub(super) fn sum(masses: &[f64], points: &[Vector3<f64>], velocities: &[Vector3<f64>]) -> MovingMass {
    dispatch(Pass { masses, points, velocities })
}

struct Pass<'a> {
    masses: &'a [f64],
    points: &'a [Vector3<f64>],
    velocities: &'a [Vector3<f64>],
}

impl Loop for Pass<'_> {
    type Output = MovingMass;

    #[inline(always)]
    fn run<V: Four>(self, zero: V) -> MovingMass {
        let len = self.masses.len().min(self.points.len()).min(self.velocities.len());
        let (masses, last_masses) = self.masses[..len].as_chunks::<FOUR>();
        let (points, last_points) = self.points[..len].as_chunks::<FOUR>();
        let (velocities, last_velocities) = self.velocities[..len].as_chunks::<FOUR>();
        let mut sums = Sums { moments: [zero; 10], momentum: [zero; 6], energy: zero };
        for ((m, x), u) in masses.iter().zip(points).zip(velocities) {
            sums.add(zero.with(*m), &pack(zero, [&x[0], &x[1], &x[2], &x[3]]), &pack(zero, [&u[0], &u[1], &u[2], &u[3]]));
        }
        let nowhere = Vector3::zeros();
        let filled = |list: &[Vector3<f64>]| std::array::from_fn(|lane| list.get(lane).copied().unwrap_or(nowhere));
        let (x, u): ([_; FOUR], [_; FOUR]) = (filled(last_points), filled(last_velocities));
        let m = std::array::from_fn(|lane| last_masses.get(lane).copied().unwrap_or(0.0));
        sums.add(zero.with(m), &pack(zero, [&x[0], &x[1], &x[2], &x[3]]), &pack(zero, [&u[0], &u[1], &u[2], &u[3]]));
        sums.total()
    }
}

/// The sums lane by lane.
struct Sums<V> {
    /// m, m x, m x xᵀ (xx, xy, xz, yy, yz, zz).
    moments: [V; 10],
    momentum: [V; 6],
    /// Twice that.
    energy: V,
}

impl<V: Four> Sums<V> {
    #[inline(always)]
    fn add(&mut self, m: V, x: &[V; 3], u: &[V; 3]) {
        let (p, q) = (scaled(x, m), scaled(u, m));
        let [firsts @ .., xx, xy, xz, yy, yz, zz] = &mut self.moments;
        accumulate(firsts, &[m, p[0], p[1], p[2]]);
        for (sum, (i, j)) in [xx, xy, xz, yy, yz, zz].into_iter().zip([(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)]) {
            *sum = p[i].mul_add(x[j], *sum);
        }
        let angular = cross(x, &q);
        accumulate(&mut self.momentum, &[angular[0], angular[1], angular[2], q[0], q[1], q[2]]);
        self.energy = self.energy + dot(&q, u);
    }

    #[inline(always)]
    fn total(&self) -> MovingMass {
        let [mass, x, y, z, xx, xy, xz, yy, yz, zz] = self.moments.map(V::total);
        let second_moment = Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz);
        let [lx, ly, lz, px, py, pz] = self.momentum.map(V::total);
        MovingMass {
            inertia: Inertia { mass, first_moment: Vector3::new(x, y, z), second_moment },
            momentum: Momentum::new(Vector3::new(lx, ly, lz), Vector3::new(px, py, pz)),
            energy: 0.5 * self.energy.total(),
        }
    }
}
