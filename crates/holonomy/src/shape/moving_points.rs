//! Point masses half way between two shapes: their places, velocities, inertia and momentum, in one pass over the points (Soliman 2024, Algs.
//! 3 and 4, at the middle shape).

use nalgebra::{Matrix3, Vector3};

use super::inertia::{Inertia, check_masses, check_points};
use super::lanes::{FOUR, Four, Loop, accumulate, cross, dispatch, minus, pack, plus, scaled};
use crate::Error;
use crate::lie::Momentum;

/// A body of point masses in the middle of a time step. Keeps its memory from step to step.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MovingPoints {
    /// ½(old + new), metres.
    pub points: Vec<Vector3<f64>>,
    /// (new − old) over the time step, m/s.
    pub velocities: Vec<Vector3<f64>>,
    /// Of the masses at these points.
    pub inertia: Inertia,
    /// μ_b = Σ m (x × γ', γ'): their momentum when only the shape changes.
    pub momentum: Momentum,
}

impl MovingPoints {
    /// Becomes what is half way from `old` to `new`, `time_step` seconds apart; `masses` in kg.
    ///
    /// # Errors
    /// The lists have different lengths, a mass is negative, or a number is not finite.
    pub fn set_between(&mut self, old: &[Vector3<f64>], new: &[Vector3<f64>], masses: &[f64], time_step: f64) -> Result<(), Error> {
        let fits = |what, found| if old.len() == found { Ok(()) } else { Err(Error::Length { what, expected: old.len(), found }) };
        fits("vertices of the next shape", new.len())?;
        fits("vertex masses", masses.len())?;
        self.points.resize(old.len(), Vector3::zeros());
        self.velocities.resize(old.len(), Vector3::zeros());
        let rate = 1.0 / time_step;
        let (points, velocities) = (&mut self.points[..], &mut self.velocities[..]);
        let sums = dispatch(Pass { old, new, masses, rate, points, velocities });
        (self.inertia, self.momentum) = (sums.inertia, sums.momentum);
        // A number that is not finite, of whatever point, makes a sum that is not.
        let momenta = self.momentum.angular.iter().chain(&self.momentum.linear);
        if sums.lightest < 0.0 || !self.inertia.second_moment.iter().chain(momenta).chain([&self.inertia.mass]).all(|x| x.is_finite()) {
            check_masses(old, masses)?;
            check_points(new)?;
            let expected = "so large that velocities are finite, with shapes of a sensible size";
            return Err(Error::Parameter { name: "time step of the shapes", value: time_step, expected });
        }
        Ok(())
    }
}

struct Pass<'a> {
    old: &'a [Vector3<f64>],
    new: &'a [Vector3<f64>],
    masses: &'a [f64],
    rate: f64,
    points: &'a mut [Vector3<f64>],
    velocities: &'a mut [Vector3<f64>],
}

struct Sums {
    inertia: Inertia,
    momentum: Momentum,
    /// Smallest mass, or zero.
    lightest: f64,
}

impl Loop for Pass<'_> {
    type Output = Sums;

    #[inline(always)]
    fn run<V: Four>(self, zero: V) -> Sums {
        let Pass { old, new, masses, rate, points, velocities } = self;
        let (half, rate) = (zero.splat(0.5), zero.splat(rate));
        let mut sums = Lanes { moments: [zero; 10], momentum: [zero; 6], lack: zero };
        let ((olds, old_rest), (news, new_rest), (fours, rest)) =
            (old.as_chunks::<FOUR>(), new.as_chunks::<FOUR>(), masses.as_chunks::<FOUR>());
        let (out_points, points_rest) = points.as_chunks_mut::<FOUR>();
        let (out_velocities, velocities_rest) = velocities.as_chunks_mut::<FOUR>();
        let outs = out_points.iter_mut().zip(out_velocities);
        for (((m, old), new), (to_points, to_velocities)) in fours.iter().zip(olds).zip(news).zip(outs) {
            let (old, new) = (pack(zero, [&old[0], &old[1], &old[2], &old[3]]), pack(zero, [&new[0], &new[1], &new[2], &new[3]]));
            let (x, u) = (scaled(&plus(&old, &new), half), scaled(&minus(&new, &old), rate));
            sums.add(zero.with(*m), &x, &u);
            (*to_points, *to_velocities) = (unpack(&x), unpack(&u));
        }
        if let (Some(first), Some(next)) = (old_rest.first(), new_rest.first()) {
            // What fills up the last four has no mass.
            let masses = std::array::from_fn(|lane| rest.get(lane).copied().unwrap_or(0.0));
            let old = pack(zero, std::array::from_fn(|lane| old_rest.get(lane).unwrap_or(first)));
            let new = pack(zero, std::array::from_fn(|lane| new_rest.get(lane).unwrap_or(next)));
            let (x, u) = (scaled(&plus(&old, &new), half), scaled(&minus(&new, &old), rate));
            sums.add(zero.with(masses), &x, &u);
            let (x, u) = (unpack(&x), unpack(&u));
            points_rest.iter_mut().zip(x).for_each(|(to, x)| *to = x);
            velocities_rest.iter_mut().zip(u).for_each(|(to, u)| *to = u);
        }
        sums.total()
    }
}

/// The sums lane by lane.
struct Lanes<V> {
    /// m, m x, m x xᵀ (xx, xy, xz, yy, yz, zz).
    moments: [V; 10],
    momentum: [V; 6],
    /// The largest of −m.
    lack: V,
}

impl<V: Four> Lanes<V> {
    #[inline(always)]
    fn add(&mut self, m: V, x: &[V; 3], u: &[V; 3]) {
        let p = scaled(x, m);
        let [xx, xy, xz] = scaled(x, p[0]);
        let [yy, yz, zz] = [p[1] * x[1], p[1] * x[2], p[2] * x[2]];
        accumulate(&mut self.moments, &[m, p[0], p[1], p[2], xx, xy, xz, yy, yz, zz]);
        let (angular, linear) = (cross(&p, u), scaled(u, m));
        accumulate(&mut self.momentum, &[angular[0], angular[1], angular[2], linear[0], linear[1], linear[2]]);
        self.lack = self.lack.max(m.splat(0.0) - m);
    }

    #[inline(always)]
    fn total(&self) -> Sums {
        let [mass, x, y, z, xx, xy, xz, yy, yz, zz] = self.moments.map(V::total);
        let second_moment = Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz);
        let [lx, ly, lz, px, py, pz] = self.momentum.map(V::total);
        let lightest = self.lack.array().iter().fold(0.0, |least: f64, lack| least.min(-lack));
        Sums {
            inertia: Inertia { mass, first_moment: Vector3::new(x, y, z), second_moment },
            momentum: Momentum::new(Vector3::new(lx, ly, lz), Vector3::new(px, py, pz)),
            lightest,
        }
    }
}

#[inline(always)]
fn unpack<V: Four>(vectors: &[V; 3]) -> [Vector3<f64>; FOUR] {
    let [x, y, z] = [vectors[0].array(), vectors[1].array(), vectors[2].array()];
    [Vector3::new(x[0], y[0], z[0]), Vector3::new(x[1], y[1], z[1]), Vector3::new(x[2], y[2], z[2]), Vector3::new(x[3], y[3], z[3])]
}
