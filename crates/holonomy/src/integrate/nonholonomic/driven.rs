//! A vehicle given by its Lagrangian and its connection, as one that can be driven and planned.

use nalgebra::{Matrix3, SVector, Vector3};

use super::derivatives::{Flow, Local, curvature, linearise};
use super::dual::Scalar;
use super::frame::Frame;
use super::level;
use super::{Drive, Node, Nonholonomic, Rule, State, slopes, twist};
use crate::Error;
use crate::integrate::controlled::{Control, Controlled, Curvature, Linearised, Place};
use crate::lie::{Momentum, Momentum2, Pose, Pose2, Twist, Twist2};

/// A [`Nonholonomic`] vehicle with R joints and B symmetry directions that implements [`Controlled`]`<N, M>`. Its N = 3 + 2 R + B degrees of freedom
/// are those of the pose, the joints, their rates, the speeds along the symmetry directions; its M controls are those of its drives, in their order.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Driven<V, const R: usize, const B: usize, const N: usize, const M: usize> {
    /// The vehicle.
    pub vehicle: V,
    /// How its steps are made.
    pub rule: Rule,
}

impl<V: Nonholonomic<R, B>, const R: usize, const B: usize, const N: usize, const M: usize> Driven<V, R, B, N, M> {
    /// With steps of second order.
    pub fn new(vehicle: V) -> Self {
        const { assert!(N == 3 + 2 * R + B, "N counts pose, joints, rates and symmetry directions: 3 + 2 R + B") };
        Driven { vehicle, rule: Rule::default() }
    }

    /// The value of each joint's drive, from the controls.
    fn drives<S: Scalar>(&self, controls: &[S; M]) -> [S; R] {
        let mut given = controls.iter();
        self.vehicle.drives().map(|drive| match drive {
            Drive::Free => S::from(0.0),
            _ => given.next().copied().unwrap_or(S::from(0.0)),
        })
    }

    fn local(state: &State<R, B>) -> Local<f64, N> {
        Self::joined(&Node { frame: Frame::of(&state.pose), joints: state.joints, rates: state.rates, along: state.along })
    }

    fn joined<S: Scalar>(node: &Node<S, R, B>) -> Local<S, N> {
        let zero = S::from(0.0);
        let mut numbers = [zero; 3].into_iter().chain(node.joints).chain(node.rates).chain(node.along);
        Local { frame: node.frame, rest: std::array::from_fn(|_| numbers.next().unwrap_or(zero)) }
    }

    fn parted<S: Scalar>(local: &Local<S, N>) -> Node<S, R, B> {
        Node {
            frame: local.frame,
            joints: std::array::from_fn(|i| local.rest[3 + i]),
            rates: std::array::from_fn(|i| local.rest[3 + R + i]),
            along: std::array::from_fn(|i| local.rest[3 + 2 * R + i]),
        }
    }

    fn body_twist(&self, state: &State<R, B>) -> [f64; 3] {
        twist(&self.vehicle, &state.joints, &state.rates, &state.along)
    }
}

impl<V: Nonholonomic<R, B>, const R: usize, const B: usize, const N: usize, const M: usize> Flow<N, M> for Driven<V, R, B, N, M> {
    fn flow<S: Scalar>(&self, from: &Local<S, N>, controls: &[S; M], h: S) -> Option<Local<S, N>> {
        let next = self.rule.advance(&self.vehicle, &Self::parted(from), &self.drives(controls), h)?;
        Some(Self::joined(&next))
    }
}

impl<V, const R: usize, const B: usize, const N: usize, const M: usize> Controlled<N, M> for Driven<V, R, B, N, M>
where
    V: Nonholonomic<R, B>,
{
    type State = State<R, B>;

    fn controls(&self) -> [Control; M] {
        let drives = self.vehicle.drives();
        let mut given = drives.iter().filter_map(|drive| match drive {
            Drive::Force(control) | Drive::Rate(control) => Some(*control),
            Drive::Free => None,
        });
        std::array::from_fn(|_| given.next().unwrap_or(Control { name: "none", unit: "", range: [0.0, 0.0], rest: 0.0 }))
    }

    fn validate(&self) -> Result<(), Error> {
        self.vehicle.validate()?;
        let driven = self.vehicle.drives().iter().filter(|drive| **drive != Drive::Free).count();
        if driven != M {
            return Err(Error::Length { what: "controls of the vehicle's joints", expected: driven, found: M });
        }
        self.controls().iter().try_for_each(Control::validate)?;
        Error::unless((0.0..=1.0).contains(&self.rule.point), "point", self.rule.point, "from 0 to 1")
    }

    fn at(&self, pose: &Pose, twist: &Twist) -> State<R, B> {
        let (joints, wanted) = (self.vehicle.rest(), Vector3::from(level::twist_of(twist)));
        // With joints locked as far as that goes; what is left, by the joints.
        let symmetries = self.vehicle.symmetries(&joints);
        let (along, left) = fit(wanted, std::array::from_fn::<_, B, _>(|b| Vector3::from(symmetries[b])));
        let connection = self.vehicle.connection(&joints);
        let (rates, _) = fit(left, std::array::from_fn::<_, R, _>(|i| -Vector3::from_fn(|a, _| connection[a][i])));
        State { pose: level::pose_of(pose), joints, rates, along }
    }

    fn step(&self, state: &State<R, B>, controls: &SVector<f64, M>, _time: f64, h: f64) -> Option<State<R, B>> {
        let controls: [f64; M] = (*controls).into();
        self.rule.step(&self.vehicle, state, &self.drives(&controls), h)
    }

    fn linearise(&self, state: &State<R, B>, controls: &SVector<f64, M>, time: f64, h: f64) -> Option<Linearised<State<R, B>, N, M>> {
        let next = self.step(state, controls, time, h)?;
        let (by_state, by_controls, by_time_step) = linearise(self, &Self::local(state), controls, h)?;
        Some(Linearised { next, by_state, by_controls, by_time_step })
    }

    fn curvature(
        &self,
        state: &State<R, B>,
        controls: &SVector<f64, M>,
        _time: f64,
        h: f64,
        weights: &SVector<f64, N>,
    ) -> Option<Curvature<N, M>> {
        curvature(self, &Self::local(state), controls, h, weights)
    }

    fn moved(&self, state: &State<R, B>, along: &SVector<f64, N>) -> State<R, B> {
        State {
            pose: state.pose * Pose2::exp(&Twist2::from(Vector3::new(along[0], along[1], along[2]))),
            joints: std::array::from_fn(|i| state.joints[i] + along[3 + i]),
            rates: std::array::from_fn(|i| state.rates[i] + along[3 + R + i]),
            along: std::array::from_fn(|i| state.along[i] + along[3 + 2 * R + i]),
        }
    }

    fn difference(&self, from: &State<R, B>, to: &State<R, B>) -> SVector<f64, N> {
        let pose = Vector3::from((from.pose.inverse() * to.pose).log());
        let (from, to) = (Self::local(from), Self::local(to));
        SVector::from_fn(|i, _| if i < 3 { pose[i] } else { to.rest[i] - from.rest[i] })
    }

    fn place(&self, state: &State<R, B>, point: &Vector3<f64>) -> Place<N> {
        level::place(&state.pose, point)
    }

    fn pose(&self, state: &State<R, B>) -> Pose {
        state.pose.level(0.0)
    }

    fn twist(&self, state: &State<R, B>) -> Twist {
        level::twist(&Twist2::from(Vector3::from(self.body_twist(state))))
    }

    fn momentum(&self, state: &State<R, B>) -> Momentum {
        let body = slopes(&self.vehicle, &state.joints, &state.rates, &self.body_twist(state)).momentum;
        level::momentum(&state.pose, &Momentum2::from(Vector3::from(body)))
    }

    fn kinetic_energy(&self, state: &State<R, B>) -> f64 {
        // Twice a quadratic form is its slope times its argument.
        let twist = self.body_twist(state);
        let slopes = slopes(&self.vehicle, &state.joints, &state.rates, &twist);
        let of_joints: f64 = slopes.rates.iter().zip(&state.rates).map(|(p, u)| p * u).sum();
        let of_body: f64 = slopes.momentum.iter().zip(&twist).map(|(p, u)| p * u).sum();
        0.5 * (of_joints + of_body)
    }

    fn joints(&self, state: &State<R, B>) -> Vec<f64> {
        state.joints.iter().take(self.vehicle.joint_names().len()).copied().collect()
    }

    fn joint_names(&self) -> &'static [&'static str] {
        self.vehicle.joint_names()
    }

    fn settled(&self) -> [bool; N] {
        let rolling = self.vehicle.rolling();
        std::array::from_fn(|i| i.checked_sub(3).and_then(|joint| rolling.get(joint)).is_none_or(|rolls| !rolls))
    }
}

/// The least factors with which vectors come nearest to a wanted one, and what is left of it.
fn fit<const K: usize>(wanted: Vector3<f64>, vectors: [Vector3<f64>; K]) -> ([f64; K], Vector3<f64>) {
    let gram: Matrix3<f64> = vectors.iter().map(|vector| vector * vector.transpose()).sum();
    let eigen = gram.symmetric_eigen();
    let most = eigen.eigenvalues.amax();
    let dual: Vector3<f64> = (0..3)
        .filter(|&i| eigen.eigenvalues[i] > 1e-12 * most)
        .map(|i| eigen.eigenvectors.column(i) * (eigen.eigenvectors.column(i).dot(&wanted) / eigen.eigenvalues[i]))
        .sum();
    let factors = vectors.map(|vector| vector.dot(&dual));
    let left = wanted - vectors.iter().zip(&factors).map(|(vector, factor)| vector * *factor).sum::<Vector3<f64>>();
    (factors, left)
}
