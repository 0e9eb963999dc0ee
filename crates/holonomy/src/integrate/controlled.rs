//! A mechanical system that is driven: what its integrator, a driver and a planner ask of it.
//!
//! A state has N degrees of freedom to first order (pose and velocity together), and lives on a manifold: [`Controlled::moved`] goes along a tangent,
//! [`Controlled::difference`] finds the tangent from one state to another. Controls are constant during a step.

use std::fmt::Debug;

use nalgebra::{SMatrix, SVector, Vector3};

use crate::Error;
use crate::lie::{Momentum, Pose, Twist};

/// A control of a vehicle: a thrust, a steering rate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Control {
    /// Its name, `kebab-case`.
    pub name: &'static str,
    /// Its unit.
    pub unit: &'static str,
    /// Least and greatest value.
    pub range: [f64; 2],
    /// Its value when the driver does nothing: that which keeps the vehicle in place, where there is one.
    pub rest: f64,
}

impl Control {
    /// Refuses ranges that are none, and a rest that is not within.
    pub(crate) fn validate(&self) -> Result<(), Error> {
        let [low, high] = self.range;
        Error::unless(low < high, "least value of a control", low, "less than its greatest")?;
        Error::unless((low..=high).contains(&self.rest), "a control at rest", self.rest, "within its range")
    }
}

/// A step and how it changes with where it starts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Linearised<S, const N: usize, const M: usize> {
    /// The state after the step.
    pub next: S,
    /// By the tangent of the state before, in the tangent of the state after.
    pub by_state: SMatrix<f64, N, N>,
    /// By the controls.
    pub by_controls: SMatrix<f64, N, M>,
    /// By the size of the step.
    pub by_time_step: SVector<f64, N>,
}

/// Second derivatives of ⟨weights, next ⊖ next̄⟩ by the tangent of the state before (x) and the controls (u).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Curvature<const N: usize, const M: usize> {
    /// By state and state.
    pub xx: SMatrix<f64, N, N>,
    /// By controls and state.
    pub ux: SMatrix<f64, M, N>,
    /// By controls and controls.
    pub uu: SMatrix<f64, M, M>,
}

/// A point of the vehicle: where it is in the world, and how that changes with the tangent of the state.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Place<const N: usize> {
    /// Metres, world frame.
    pub position: Vector3<f64>,
    /// By the tangent of the state.
    pub by_state: SMatrix<f64, 3, N>,
}

/// A vehicle with N degrees of freedom (pose, velocity, joints) and M controls, in steps of time.
pub trait Controlled<const N: usize, const M: usize>: Sync + Clone {
    /// Where it is and how it moves, at a node of time.
    type State: Copy + Debug + PartialEq + Send + Sync;

    /// Its controls.
    fn controls(&self) -> [Control; M];

    /// Refuses parameters that make no sense.
    ///
    /// # Errors
    /// The parameter, its value, and what is accepted.
    fn validate(&self) -> Result<(), Error>;

    /// The state with that pose and body velocity, joints straight. What a vehicle cannot do (a car going sideways) is left out.
    fn at(&self, pose: &Pose, twist: &Twist) -> Self::State;

    /// One step of `h` seconds from `time`; `None` where its equations have no solution.
    fn step(&self, state: &Self::State, controls: &SVector<f64, M>, time: f64, h: f64) -> Option<Self::State>;

    /// The same step with its exact first derivatives.
    fn linearise(&self, state: &Self::State, controls: &SVector<f64, M>, time: f64, h: f64) -> Option<Linearised<Self::State, N, M>>;

    /// Its second derivatives, weighted; by differences of the first ones unless a vehicle knows better.
    fn curvature(
        &self,
        state: &Self::State,
        controls: &SVector<f64, M>,
        time: f64,
        h: f64,
        weights: &SVector<f64, N>,
    ) -> Option<Curvature<N, M>> {
        curvature_by_differences(self, state, controls, time, h, weights)
    }

    /// First and second derivatives of a step together, where they share work.
    fn expand(
        &self,
        state: &Self::State,
        controls: &SVector<f64, M>,
        time: f64,
        h: f64,
        weights: &SVector<f64, N>,
    ) -> Option<(Linearised<Self::State, N, M>, Curvature<N, M>)> {
        Some((self.linearise(state, controls, time, h)?, self.curvature(state, controls, time, h, weights)?))
    }

    /// The state that lies along a tangent, by the exponential map: `moved(x, −a)` is as far back as `moved(x, a)` is ahead.
    fn moved(&self, state: &Self::State, along: &SVector<f64, N>) -> Self::State;

    /// The tangent at `from` that leads to `to`; the inverse of [`Controlled::moved`].
    fn difference(&self, from: &Self::State, to: &Self::State) -> SVector<f64, N>;

    /// Tangents at `moved(x, gap)` as tangents at x: how far x must move for the same gap to lead to where the tangent leads. For poses that is Ad(exp gap);
    /// nothing where tangents are the same everywhere.
    fn carried(&self, _gap: &SVector<f64, N>) -> Option<SMatrix<f64, N, N>> {
        None
    }

    /// Where a point that is fixed to the body is.
    fn place(&self, state: &Self::State, point: &Vector3<f64>) -> Place<N>;

    /// Its velocity, of the point at the body's origin, body frame, m/s; by differences unless a vehicle knows better.
    fn velocity(&self, state: &Self::State) -> Place<N> {
        let at = |along: SVector<f64, N>| self.twist(&self.moved(state, &along)).linear;
        let mut by_state: SMatrix<f64, 3, N> = SMatrix::zeros();
        for i in 0..N {
            let along = unit::<N>(i) * DIFFERENCE;
            by_state.set_column(i, &((at(along) - at(-along)) / (2.0 * DIFFERENCE)));
        }
        Place { position: self.twist(state).linear, by_state }
    }

    /// Its placement in the world.
    fn pose(&self, state: &Self::State) -> Pose;

    /// Its velocity, body frame.
    fn twist(&self, state: &Self::State) -> Twist;

    /// Its momentum, world frame, about the world's origin.
    fn momentum(&self, state: &Self::State) -> Momentum;

    /// Kinetic energy, J.
    fn kinetic_energy(&self, state: &Self::State) -> f64;

    /// Angles of its joints (steering, hitch), by which its parts are drawn and which may be bounded: as many as [`Controlled::joint_names`] names.
    fn joints(&self, _state: &Self::State) -> Vec<f64> {
        Vec::new()
    }

    /// One of its joints, and how it changes with the tangent of the state; by differences unless a vehicle knows better.
    fn joint(&self, state: &Self::State, index: usize) -> (f64, SVector<f64, N>) {
        let at = |along: SVector<f64, N>| self.joints(&self.moved(state, &along)).get(index).copied().unwrap_or(0.0);
        let slope = SVector::from_fn(|i, _| {
            let along = unit::<N>(i) * DIFFERENCE;
            (at(along) - at(-along)) / (2.0 * DIFFERENCE)
        });
        (at(SVector::zeros()), slope)
    }

    /// Power of all that acts on it, W: how fast its kinetic energy changes, where that is known.
    fn power(&self, _state: &Self::State, _controls: &SVector<f64, M>, _time: f64) -> Option<f64> {
        None
    }

    /// Where its joints come to a stop, least and greatest angle; none where missing.
    fn stops(&self) -> Vec<[f64; 2]> {
        Vec::new()
    }

    /// The same vehicle without those stops, for planners: motion is smooth then, and the stops are bounds to be kept.
    fn unstopped(&self) -> Self {
        self.clone()
    }

    /// What its joints are called.
    fn joint_names(&self) -> &'static [&'static str] {
        &[]
    }

    /// Which degrees of freedom a goal asks for unless it says otherwise: all but those that roll on, such as the angle of a wheel.
    fn settled(&self) -> [bool; N] {
        [true; N]
    }
}

/// Second derivatives of a step, weighted, by central differences of its first ones.
pub fn curvature_by_differences<const N: usize, const M: usize, V: Controlled<N, M>>(
    vehicle: &V,
    state: &V::State,
    controls: &SVector<f64, M>,
    time: f64,
    h: f64,
    weights: &SVector<f64, N>,
) -> Option<Curvature<N, M>> {
    let gradient = |state: &V::State, controls: &SVector<f64, M>| {
        let at = vehicle.linearise(state, controls, time, h)?;
        Some((at.by_state.tr_mul(weights), at.by_controls.tr_mul(weights)))
    };
    let mut curvature: Curvature<N, M> = Curvature { xx: SMatrix::zeros(), ux: SMatrix::zeros(), uu: SMatrix::zeros() };
    for i in 0..N {
        let along = unit::<N>(i) * DIFFERENCE;
        // Tangents at moved states differ from those at `state` by half a bracket, which the means of both orders below leave out.
        let (plus, minus) = (gradient(&vehicle.moved(state, &along), controls)?, gradient(&vehicle.moved(state, &-along), controls)?);
        curvature.xx.set_column(i, &((plus.0 - minus.0) / (2.0 * DIFFERENCE)));
        curvature.ux.set_column(i, &((plus.1 - minus.1) / (2.0 * DIFFERENCE)));
    }
    for i in 0..M {
        let along = unit::<M>(i) * DIFFERENCE;
        let (plus, minus) = (gradient(state, &(controls + along))?, gradient(state, &(controls - along))?);
        curvature.uu.set_column(i, &((plus.1 - minus.1) / (2.0 * DIFFERENCE)));
        let crossed = (plus.0 - minus.0) / (2.0 * DIFFERENCE);
        let mean = (curvature.ux.row(i).transpose() + crossed) * 0.5;
        curvature.ux.set_row(i, &mean.transpose());
    }
    curvature.xx = (curvature.xx + curvature.xx.transpose()) * 0.5;
    curvature.uu = (curvature.uu + curvature.uu.transpose()) * 0.5;
    Some(curvature)
}

/// The tangent along degree of freedom `i`.
fn unit<const N: usize>(i: usize) -> SVector<f64, N> {
    SVector::from_fn(|j, _| if i == j { 1.0 } else { 0.0 })
}

/// Step of differences, relative to 1: the error of a central difference is its square.
const DIFFERENCE: f64 = 1e-5;
