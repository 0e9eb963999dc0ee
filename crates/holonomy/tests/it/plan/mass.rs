//! The simplest vehicle: a mass that a force pushes, along one axis or three. Its plans are known in closed form.

use holonomy::Error;
use holonomy::integrate::controlled::{Control, Controlled, Linearised, Place};
use holonomy::lie::{Momentum, Pose, Twist};
use holonomy::nalgebra::{SMatrix, SVector, Vector3};

/// A mass with N = 2 M degrees of freedom: places along x, y, z, then velocities. Steps are exact while the force is constant.
#[derive(Debug, Clone, Copy)]
pub struct Mass<const N: usize, const M: usize> {
    pub mass: f64,
    pub most_force: f64,
}

pub type OnALine = Mass<2, 1>;
pub type InSpace = Mass<6, 3>;

impl<const N: usize, const M: usize> Mass<N, M> {
    pub const UNIT: Self = Mass { mass: 1.0, most_force: 1e3 };

    /// At rest at a place.
    pub fn at_rest(place: [f64; M]) -> SVector<f64, N> {
        SVector::from_fn(|i, _| if i < M { place[i] } else { 0.0 })
    }

    fn half(state: &SVector<f64, N>, from: usize) -> Vector3<f64> {
        Vector3::from_fn(|i, _| if i < M { state[from + i] } else { 0.0 })
    }
}

impl<const N: usize, const M: usize> Controlled<N, M> for Mass<N, M> {
    type State = SVector<f64, N>;

    fn controls(&self) -> [Control; M] {
        [Control { name: "force", unit: "N", range: [-self.most_force, self.most_force], rest: 0.0 }; M]
    }

    fn validate(&self) -> Result<(), Error> {
        let sound = self.mass > 0.0 && self.mass.is_finite();
        if sound { Ok(()) } else { Err(Error::Parameter { name: "mass", value: self.mass, expected: "finite and above zero" }) }
    }

    fn at(&self, pose: &Pose, twist: &Twist) -> SVector<f64, N> {
        SVector::from_fn(|i, _| if i < M { pose.translation[i] } else { twist.linear[i - M] })
    }

    fn step(&self, state: &SVector<f64, N>, controls: &SVector<f64, M>, time: f64, h: f64) -> Option<SVector<f64, N>> {
        Some(self.linearise(state, controls, time, h)?.next)
    }

    fn linearise(
        &self,
        state: &SVector<f64, N>,
        controls: &SVector<f64, M>,
        _time: f64,
        h: f64,
    ) -> Option<Linearised<SVector<f64, N>, N, M>> {
        let (mut by_state, mut by_controls) = (SMatrix::<f64, N, N>::identity(), SMatrix::<f64, N, M>::zeros());
        let mut by_time_step = SVector::zeros();
        for i in 0..M {
            by_state[(i, M + i)] = h;
            by_controls[(i, i)] = 0.5 * h * h / self.mass;
            by_controls[(M + i, i)] = h / self.mass;
            by_time_step[i] = state[M + i] + h * controls[i] / self.mass;
            by_time_step[M + i] = controls[i] / self.mass;
        }
        Some(Linearised { next: by_state * state + by_controls * controls, by_state, by_controls, by_time_step })
    }

    fn moved(&self, state: &SVector<f64, N>, along: &SVector<f64, N>) -> SVector<f64, N> {
        state + along
    }

    fn difference(&self, from: &SVector<f64, N>, to: &SVector<f64, N>) -> SVector<f64, N> {
        to - from
    }

    fn place(&self, state: &SVector<f64, N>, point: &Vector3<f64>) -> Place<N> {
        Place { position: Self::half(state, 0) + point, by_state: SMatrix::from_fn(|i, j| if i == j && i < M { 1.0 } else { 0.0 }) }
    }

    fn pose(&self, state: &SVector<f64, N>) -> Pose {
        Pose { translation: Self::half(state, 0), ..Pose::identity() }
    }

    fn twist(&self, state: &SVector<f64, N>) -> Twist {
        Twist::new(Vector3::zeros(), Self::half(state, M))
    }

    fn momentum(&self, state: &SVector<f64, N>) -> Momentum {
        let linear = Self::half(state, M) * self.mass;
        Momentum::new(Self::half(state, 0).cross(&linear), linear)
    }

    fn kinetic_energy(&self, state: &SVector<f64, N>) -> f64 {
        0.5 * self.mass * Self::half(state, M).norm_squared()
    }
}
