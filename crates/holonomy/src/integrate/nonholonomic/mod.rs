//! Vehicles on wheels, skates or blades: bodies in the plane that steer by changing their shape and cannot slip sideways (Kobilarov 2009, Secs. 3.2
//! and 5.1).
//!
//! A vehicle is its Lagrangian, its connection and its symmetry directions, nothing else: see [`Nonholonomic`]. They are written once, for any
//! [`Scalar`], and all derivatives come from [`Dual`] numbers, exact to round-off. [`Driven`] makes a vehicle that a driver and a planner can use.
//!
//! | symbol | code | is |
//! |---|---|---|
//! | g | `pose` | placement in the plane |
//! | r, u | `joints`, `rates` | shape and its rate of change |
//! | ξ | `twist` | body velocity (angular, linear): `ξ = Σ c_b e_b(r) − A(r) u` |
//! | A | `connection` | how changes of shape move the body |
//! | e_b, c_b | `symmetries`, `along` | how the body can move with its joints locked, and how fast it does |
//! | μ | `momentum` | ∂ℓ/∂ξ |
//! | α | `point` | where in a step the shape is taken: at its start (0), middle (½) or end (1) |
//!
//! A step keeps the velocities of its nodes, not those of the interval before (docs/ERRATA.md, K20). They stand for the reduced momenta
//! `p = ∂ℓ/∂u − Aᵀμ` and `J = eᵀμ`, which are all that Eq. 16 hands from one interval to the next. For α = ½ the step is of second order, else of first:
//!
//! ```text
//! node:   p = ∂ℓ/∂u − A(r)ᵀ μ,  J = e(r)ᵀ μ                                     at (r, u, ξ) of the node
//! solve:  ∂ℓ/∂u − A(r)ᵀ (C(hξ)ᵀ μ − βh F) = p + (1−α) h ∂ℓ/∂r + βh f,  e(r)ᵀ (C(hξ)ᵀ μ − βh F) = J     for the interval's u, c; ℓ at r + αhu
//! then:   r ← r + hu,  g ← g τ(hξ),  p and J from C(−hξ)ᵀ μ + (1−β)h F, αh ∂ℓ/∂r and (1−β)h f at the new r
//! ```
//!
//! A force that is held during a step acts with its part β = α² + (1−α)² at the start and with the rest at the end: half and half for α = ½, else all
//! at the start, as Eq. 16 weighs the force of a node.

mod derivatives;
mod driven;
pub mod dual;
pub mod frame;
pub(crate) mod level;
mod solve;

pub use driven::Driven;
pub use dual::{Dual, Scalar};
pub use frame::{Frame, Map};

pub(crate) use derivatives::{Flow, Local, curvature, linearise};
use solve::{Stage, solve};

use super::controlled::Control;
use crate::Error;
use crate::lie::Pose2;

/// What moves a joint.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Drive {
    /// A force or torque.
    Force(Control),
    /// Its rate is the control: a joint that has no inertia, or a motor too strong to be held back.
    Rate(Control),
    /// Nothing but inertia and friction.
    Free,
}

/// What acts on a vehicle beside its drives.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Push<S, const R: usize> {
    /// On each joint, N m.
    pub joints: [S; R],
    /// On the body: torque, force; body frame.
    pub body: [S; 3],
}

/// A vehicle in the plane with R joints, whose body can move in B directions while they are locked. All twists are (angular, forward, left).
pub trait Nonholonomic<const R: usize, const B: usize>: Clone + Sync {
    /// ℓ, kinetic minus potential energy, of joints, their rates and the body's twist, as if there were no wheels.
    fn lagrangian<S: Scalar>(&self, joints: &[S; R], rates: &[S; R], twist: &[S; 3]) -> S;

    /// A, one row per component of the twist: a change of joints by `rates` moves the body by `−A rates`.
    fn connection<S: Scalar>(&self, joints: &[S; R]) -> [[S; R]; 3];

    /// The twists e_b that the wheels allow while all joints are locked.
    fn symmetries<S: Scalar>(&self, joints: &[S; R]) -> [[S; 3]; B];

    /// What moves each joint.
    fn drives(&self) -> [Drive; R];

    /// Friction of each joint, N m s.
    fn friction(&self) -> [f64; R] {
        [0.0; R]
    }

    /// What else acts on it: drag, wind, springs with a loss.
    fn push<S: Scalar>(&self, _at: &Frame<S>, _joints: &[S; R], _rates: &[S; R], _twist: &[S; 3]) -> Push<S, R> {
        Push { joints: [S::from(0.0); R], body: [S::from(0.0); 3] }
    }

    /// Joints of the vehicle at rest.
    fn rest(&self) -> [f64; R] {
        [0.0; R]
    }

    /// Joints that turn on and on, such as wheels: goals do not ask for their angles.
    fn rolling(&self) -> [bool; R] {
        [false; R]
    }

    /// Refuses parameters that make no sense.
    ///
    /// # Errors
    /// The parameter, its value, and what is accepted.
    fn validate(&self) -> Result<(), Error> {
        Ok(())
    }

    /// What its joints are called, those that are to be drawn and bounded first.
    fn joint_names(&self) -> &'static [&'static str] {
        &[]
    }
}

/// Where a vehicle is and how it moves, at a node of time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct State<const R: usize, const B: usize> {
    /// Placement of its body.
    pub pose: Pose2,
    /// r.
    pub joints: [f64; R],
    /// u, rate of each joint, 1/s.
    pub rates: [f64; R],
    /// c, speed along each symmetry direction.
    pub along: [f64; B],
}

/// How steps are made.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rule {
    /// α, where in a step the shape is taken: ½ is of second order, 0 and 1 of first.
    pub point: f64,
    /// τ.
    pub map: Map,
}

impl Default for Rule {
    fn default() -> Self {
        Rule { point: 0.5, map: Map::Exponential }
    }
}

impl Rule {
    /// One step of `h` seconds; `drives` holds the force or the rate of each joint. `None` where the equations have no solution.
    pub fn step<V: Nonholonomic<R, B>, const R: usize, const B: usize>(
        &self,
        vehicle: &V,
        state: &State<R, B>,
        drives: &[f64; R],
        h: f64,
    ) -> Option<State<R, B>> {
        let node = Node { frame: Frame::of(&state.pose), joints: state.joints, rates: state.rates, along: state.along };
        let next = self.advance(vehicle, &node, drives, h)?;
        Some(State { pose: next.frame.pose(), joints: next.joints, rates: next.rates, along: next.along })
    }

    /// β, the part of a force that acts at the start of a step.
    pub fn early(&self) -> f64 {
        self.point.powi(2) + (1.0 - self.point).powi(2)
    }

    /// The same step for any scalar.
    fn advance<V: Nonholonomic<R, B>, S: Scalar, const R: usize, const B: usize>(
        &self,
        vehicle: &V,
        node: &Node<S, R, B>,
        drives: &[S; R],
        h: S,
    ) -> Option<Node<S, R, B>> {
        let momenta = node.momenta(vehicle);
        let balance = Balance { vehicle, rule: self, frame: node.frame, joints: node.joints, momenta, drives: *drives, h };
        let (rates, along) = solve(&balance, Stage::Interval, &node.rates, &node.along)?;
        let after = balance.after(&rates, &along);
        let (rates, along) = solve(&after, Stage::Node, &rates, &along)?;
        Some(Node { frame: after.frame, joints: after.joints, rates, along })
    }
}

/// [`State`] for any scalar.
#[derive(Debug, Clone, Copy)]
struct Node<S, const R: usize, const B: usize> {
    frame: Frame<S>,
    joints: [S; R],
    rates: [S; R],
    along: [S; B],
}

/// p and J.
#[derive(Debug, Clone, Copy)]
struct Momenta<S, const R: usize, const B: usize> {
    joints: [S; R],
    along: [S; B],
}

/// ℓ's slopes.
struct Slopes<S, const R: usize> {
    /// ∂ℓ/∂r.
    joints: [S; R],
    /// ∂ℓ/∂u.
    rates: [S; R],
    /// μ.
    momentum: [S; 3],
}

/// What the equations of a step are made of: where it starts, with which momenta, and what drives it.
#[derive(Debug, Clone, Copy)]
struct Balance<'a, V, S, const R: usize, const B: usize> {
    vehicle: &'a V,
    rule: &'a Rule,
    frame: Frame<S>,
    joints: [S; R],
    momenta: Momenta<S, R, B>,
    drives: [S; R],
    h: S,
}

impl<S: Scalar, const R: usize, const B: usize> Node<S, R, B> {
    fn momenta<V: Nonholonomic<R, B>>(&self, vehicle: &V) -> Momenta<S, R, B> {
        let twist = twist(vehicle, &self.joints, &self.rates, &self.along);
        let slopes = slopes(vehicle, &self.joints, &self.rates, &twist);
        reduced(vehicle, &self.joints, &slopes.rates, &slopes.momentum)
    }
}

impl<V: Nonholonomic<R, B>, S: Scalar, const R: usize, const B: usize> Balance<'_, V, S, R, B> {
    /// What is left of the interval's equations at those velocities: zero if they are right.
    fn interval(&self, rates: &[S; R], along: &[S; B]) -> Momenta<S, R, B> {
        let (joints, twist) = self.midway(rates, along);
        let slopes = slopes(self.vehicle, &joints, rates, &twist);
        let push = self.push(&self.frame, &joints, rates, &twist);
        let (late, early) = (self.h * (1.0 - self.rule.point), self.h * self.rule.early());
        let carried = self.rule.map.tangent_inv_dual(&twist.map(|x| x * self.h), &slopes.momentum);
        let body = std::array::from_fn(|a| carried[a] - early * push.body[a]);
        let by_rates = std::array::from_fn(|i| slopes.rates[i] - late * slopes.joints[i] - early * push.joints[i]);
        self.less_momenta(reduced(self.vehicle, &self.joints, &by_rates, &body), rates)
    }

    /// The same for the velocities of a node that has these momenta.
    fn node(&self, rates: &[S; R], along: &[S; B]) -> Momenta<S, R, B> {
        let node = Node { frame: self.frame, joints: self.joints, rates: *rates, along: *along };
        self.less_momenta(node.momenta(self.vehicle), rates)
    }

    /// The node at the end of an interval with those velocities.
    fn after(&self, rates: &[S; R], along: &[S; B]) -> Self {
        let (middle, twist) = self.midway(rates, along);
        let slopes = slopes(self.vehicle, &middle, rates, &twist);
        let displacement = twist.map(|x| x * self.h);
        let frame = self.frame.then(&self.rule.map.frame(&displacement));
        let joints = std::array::from_fn(|i| self.joints[i] + rates[i] * self.h);
        let push = self.push(&frame, &middle, rates, &twist);
        let (late, rest) = (self.h * self.rule.point, self.h * (1.0 - self.rule.early()));
        let carried = self.rule.map.tangent_inv_dual(&displacement.map(|x| -x), &slopes.momentum);
        let body = std::array::from_fn(|a| carried[a] + rest * push.body[a]);
        let by_rates = std::array::from_fn(|i| slopes.rates[i] + late * slopes.joints[i] + rest * push.joints[i]);
        Balance { frame, joints, momenta: reduced(self.vehicle, &joints, &by_rates, &body), ..*self }
    }

    /// Joints at α, and the twist of the interval.
    fn midway(&self, rates: &[S; R], along: &[S; B]) -> ([S; R], [S; 3]) {
        let joints = std::array::from_fn(|i| self.joints[i] + rates[i] * self.h * self.rule.point);
        (joints, twist(self.vehicle, &joints, rates, along))
    }

    /// Drives, friction and what else there is.
    fn push(&self, frame: &Frame<S>, joints: &[S; R], rates: &[S; R], twist: &[S; 3]) -> Push<S, R> {
        let mut push = self.vehicle.push(frame, joints, rates, twist);
        let friction = self.vehicle.friction();
        for (i, drive) in self.vehicle.drives().iter().enumerate() {
            push.joints[i] = push.joints[i] - rates[i] * friction[i];
            if matches!(drive, Drive::Force(_)) {
                push.joints[i] = push.joints[i] + self.drives[i];
            }
        }
        push
    }

    /// Less what they should be; a joint whose rate is prescribed has that as its equation.
    fn less_momenta(&self, found: Momenta<S, R, B>, rates: &[S; R]) -> Momenta<S, R, B> {
        let drives = self.vehicle.drives();
        let joints = std::array::from_fn(|i| match drives[i] {
            Drive::Rate(_) => rates[i] - self.drives[i],
            _ => found.joints[i] - self.momenta.joints[i],
        });
        Momenta { joints, along: std::array::from_fn(|b| found.along[b] - self.momenta.along[b]) }
    }

    /// The same equations with other numbers in them.
    fn map<T: Scalar>(&self, f: impl Fn(S) -> T) -> Balance<'_, V, T, R, B> {
        Balance {
            vehicle: self.vehicle,
            rule: self.rule,
            frame: Frame { heading: self.frame.heading.map(&f), position: self.frame.position.map(&f) },
            joints: self.joints.map(&f),
            momenta: Momenta { joints: self.momenta.joints.map(&f), along: self.momenta.along.map(&f) },
            drives: self.drives.map(&f),
            h: f(self.h),
        }
    }
}

/// ξ = Σ c_b e_b(r) − A(r) u.
fn twist<V: Nonholonomic<R, B>, S: Scalar, const R: usize, const B: usize>(
    vehicle: &V,
    joints: &[S; R],
    rates: &[S; R],
    along: &[S; B],
) -> [S; 3] {
    let (connection, symmetries) = (vehicle.connection(joints), vehicle.symmetries(joints));
    std::array::from_fn(|a| {
        let locked = (0..B).fold(S::from(0.0), |sum, b| sum + symmetries[b][a] * along[b]);
        (0..R).fold(locked, |sum, i| sum - connection[a][i] * rates[i])
    })
}

/// ∂ℓ/∂u − Aᵀμ and eᵀμ.
fn reduced<V: Nonholonomic<R, B>, S: Scalar, const R: usize, const B: usize>(
    vehicle: &V,
    joints: &[S; R],
    by_rates: &[S; R],
    body: &[S; 3],
) -> Momenta<S, R, B> {
    let (connection, symmetries) = (vehicle.connection(joints), vehicle.symmetries(joints));
    Momenta {
        joints: std::array::from_fn(|i| (0..3).fold(by_rates[i], |sum, a| sum - connection[a][i] * body[a])),
        along: std::array::from_fn(|b| (0..3).fold(S::from(0.0), |sum, a| sum + symmetries[b][a] * body[a])),
    }
}

fn slopes<V: Nonholonomic<R, B>, S: Scalar, const R: usize, const B: usize>(
    vehicle: &V,
    joints: &[S; R],
    rates: &[S; R],
    twist: &[S; 3],
) -> Slopes<S, R> {
    let by_joints: Dual<S, R> = vehicle.lagrangian(&Dual::directions(joints), &Dual::constants(rates), &Dual::constants(twist));
    let by_rates: Dual<S, R> = vehicle.lagrangian(&Dual::constants(joints), &Dual::directions(rates), &Dual::constants(twist));
    let by_twist: Dual<S, 3> = vehicle.lagrangian(&Dual::constants(joints), &Dual::constants(rates), &Dual::directions(twist));
    Slopes { joints: by_joints.slopes, rates: by_rates.slopes, momentum: by_twist.slopes }
}
