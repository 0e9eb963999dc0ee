//! Rigid segments: a box and the nodes glued to it as one rigid body, in its principal axes; and the discrete Moser–Veselov step with an impulse at its start.
//!
//! ```text
//! g = ½Δt Rᵀ L,   solve n + c×n = (1 + |c|²) g,  c = n/I,   R⁺ = R · (1, c)/|(1, c)|
//! ```
//!
//! The angular momentum L about the centre of mass is kept in the world's axes, where a step does not change it: so it is conserved to round-off by construction.

use nalgebra::{Matrix3, Matrix6, Quaternion, UnitQuaternion, Vector3};

use super::{Chain, ChainState, Drive, Segment, Surroundings};
use crate::Error;
use crate::lie::{Momentum, Pose, Twist, Wrench};

/// What does not change of a segment.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Body {
    /// With glued nodes, kg.
    pub mass: f64,
    /// About its principal axes, kg m².
    pub moments: Vector3<f64>,
    inverse: Vector3<f64>,
    /// c×n is this ∘ (n₂n₃, n₃n₁, n₁n₂).
    gaps: Vector3<f64>,
    /// The principal frame, at the centre of mass, in the frame of the box.
    pub frame: Pose,
    /// Rotation of that frame.
    pub axes: Matrix3<f64>,
    /// The middle of the box in the principal frame, metres.
    pub middle: Vector3<f64>,
    /// Of the box and the shares of its nodes, m³.
    pub volume: f64,
    /// Inertia of the water that moves along, for unit density, principal frame.
    pub water: Matrix6<f64>,
}

/// What changes of a segment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct BodyState {
    /// Of the principal frame.
    pub rotation: UnitQuaternion<f64>,
    /// Centre of mass, metres, world frame.
    pub centre: Vector3<f64>,
    /// World axes, angular about the centre of mass.
    pub momentum: Momentum,
    pub drive: BodyDrive,
    /// R, of the rotation.
    pub matrix: Matrix3<f64>,
    /// World axes, of the centre of mass.
    pub twist: Twist,
}

/// A [`Drive`] in the principal frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum BodyDrive {
    Free,
    Carried {
        increment: Pose,
        /// Logarithm of the increment's rotation, body frame.
        turn: Vector3<f64>,
    },
}

/// Steps of the fixed-point iteration: each gains a factor of the turn in one step, some hundredths at most in use.
const MOST_ITERATIONS: usize = 60;

impl Body {
    /// With its glued nodes, the density of these, and the inertia of the water that moves along in the frame of the box.
    pub fn new(segment: &Segment, glued: &[(Vector3<f64>, f64)], density: f64, layer: &Matrix6<f64>) -> Body {
        let mass = glued.iter().fold(segment.mass, |sum, (_, m)| sum + m);
        let centre = glued.iter().map(|(x, m)| x * *m).sum::<Vector3<f64>>() / mass;
        let about = |x: &Vector3<f64>, m: f64| (Matrix3::from_diagonal_element(x.norm_squared()) - x * x.transpose()) * m;
        let squares = segment.size.component_mul(&segment.size);
        let own = Vector3::repeat(squares.sum()) - squares;
        let mut inertia = Matrix3::from_diagonal(&(own * (segment.mass / 12.0))) + about(&centre, segment.mass);
        for (x, m) in glued {
            inertia += about(&(x - centre), *m);
        }
        let (moments, axes) = principal(&inertia);
        let frame = Pose::from_rotation_translation(UnitQuaternion::from_matrix(&axes), centre);
        let e = moments.map(|moment| 1.0 / moment);
        let gaps = Vector3::new(e.y - e.z, e.z - e.x, e.x - e.y);
        let volume = segment.size.product() + (mass - segment.mass) / density;
        let to_box = frame.adjoint();
        Body {
            mass,
            moments,
            inverse: e,
            gaps,
            frame,
            axes: frame.rotation_matrix(),
            middle: frame.inverse().translation,
            volume,
            water: to_box.tr_mul(layer) * to_box,
        }
    }

    /// c×n.
    #[inline]
    fn across(&self, n: &Vector3<f64>) -> Vector3<f64> {
        self.gaps.component_mul(&Vector3::new(n.y * n.z, n.z * n.x, n.x * n.y))
    }

    /// c of a step; `None` where it is a quarter turn or more, or not finite.
    #[inline]
    fn turn(&self, half_impulse: &Vector3<f64>) -> Option<Vector3<f64>> {
        let g = half_impulse;
        let (mut n, enough) = (*g, 1e-30 * g.norm_squared());
        for _ in 0..MOST_ITERATIONS {
            let c = self.inverse.component_mul(&n);
            let next = g * (1.0 + c.norm_squared()) - self.across(&n);
            let change = (next - n).norm_squared();
            n = next;
            if change <= enough {
                break;
            }
        }
        let c = self.inverse.component_mul(&n);
        // Not so with NaN.
        (c.norm_squared() < 1.0).then_some(c)
    }

    /// Momentum that goes with a velocity of the centre of mass, world axes.
    pub fn momentum(&self, matrix: &Matrix3<f64>, twist: &Twist) -> Momentum {
        Momentum::new(matrix * self.moments.component_mul(&matrix.tr_mul(&twist.angular)), twist.linear * self.mass)
    }

    /// The principal frame's pose, of the box's.
    pub fn principal_pose(&self, pose: &Pose) -> Pose {
        *pose * self.frame
    }

    pub fn kinetic_energy(&self, state: &BodyState) -> f64 {
        0.5 * state.momentum.pair(&state.twist)
    }
}

/// Principal moments and axes, right-handed; those of a matrix that is diagonal already stay as they are.
fn principal(inertia: &Matrix3<f64>) -> (Vector3<f64>, Matrix3<f64>) {
    let off = inertia[(0, 1)].abs() + inertia[(0, 2)].abs() + inertia[(1, 2)].abs();
    if off <= 1e-14 * inertia.trace() {
        return (inertia.diagonal(), Matrix3::identity());
    }
    let eigen = inertia.symmetric_eigen();
    let mut axes = eigen.eigenvectors;
    if axes.determinant() < 0.0 {
        axes.column_mut(2).neg_mut();
    }
    (eigen.eigenvalues, axes)
}

impl BodyState {
    pub fn at(body: &Body, pose: &Pose) -> BodyState {
        let pose = body.principal_pose(pose);
        BodyState {
            rotation: pose.rotation,
            centre: pose.translation,
            momentum: Momentum::default(),
            drive: BodyDrive::Free,
            matrix: pose.rotation_matrix(),
            twist: Twist::default(),
        }
    }

    /// After pose or momentum have changed.
    #[inline]
    pub fn refresh(&mut self, body: &Body) {
        self.matrix = self.rotation.to_rotation_matrix().into_inner();
        self.refresh_twist(body);
    }

    #[inline]
    pub fn refresh_twist(&mut self, body: &Body) {
        let spin = body.inverse.component_mul(&self.matrix.tr_mul(&self.momentum.angular));
        self.twist = Twist::new(self.matrix * spin, self.momentum.linear / body.mass);
    }

    /// By the forces on it.
    #[inline]
    pub fn fly(&mut self, body: &Body, load: &Wrench, time_step: f64) -> Option<()> {
        self.momentum += *load * time_step;
        let half_impulse = self.matrix.tr_mul(&self.momentum.angular) * (0.5 * time_step);
        let c = body.turn(&half_impulse)?;
        self.rotation = UnitQuaternion::new_normalize(self.rotation.quaternion() * Quaternion::from_parts(1.0, c));
        self.centre += self.momentum.linear * (time_step / body.mass);
        self.refresh(body);
        Some(())
    }

    /// By what it is told.
    #[inline]
    fn follow(&mut self, body: &Body, increment: &Pose, turn: &Vector3<f64>, time_step: f64) {
        let travel = self.matrix * increment.translation;
        let moved = Pose::from_rotation_translation(self.rotation, self.centre) * *increment;
        (self.rotation, self.centre) = (moved.rotation, moved.translation);
        self.matrix = self.rotation.to_rotation_matrix().into_inner();
        self.twist = Twist::new(self.matrix * (turn / time_step), travel / time_step);
        self.momentum = body.momentum(&self.matrix, &self.twist);
    }
}

/// Of masses in all, kg, with that sum of mass by place, kg m.
pub(super) fn weight(mass: f64, moment: &Vector3<f64>, gravity: &Vector3<f64>) -> Wrench {
    Wrench::new(moment.cross(gravity), gravity * mass)
}

impl Chain {
    /// Forces from outside, at the centres of mass.
    pub(super) fn start_loads(&self, state: &mut ChainState, time_step: f64, surroundings: &Surroundings<'_>) {
        let (mut mass, mut moment) = (0.0, Vector3::zeros());
        for ((load, body), segment) in state.loads.iter_mut().zip(&self.bodies).zip(&state.segments) {
            *load = Wrench::new(Vector3::zeros(), surroundings.gravity * body.mass);
            mass += body.mass;
            moment += segment.centre * body.mass;
        }
        state.impulses.weight += weight(mass, &moment, &surroundings.gravity) * time_step;
        for (((load, given), body), segment) in state.loads.iter_mut().zip(surroundings.loads).zip(&self.bodies).zip(&state.segments) {
            let arm = segment.matrix * body.middle;
            *load += Wrench::new(given.angular + arm.cross(&given.linear), given.linear);
        }
    }

    pub(super) fn move_segments(&self, state: &mut ChainState, time_step: f64) -> Result<(), Error> {
        let mut sum = 0.0;
        let mut carried = state.added.iter_mut();
        for (s, ((segment, body), load)) in state.segments.iter_mut().zip(&self.bodies).zip(&state.loads).enumerate() {
            let too_far = Error::BrokeDown {
                what: "segment",
                index: s,
                reason: "it turns by more than a quarter turn in a step, or is not finite; take a shorter time step or smaller forces",
            };
            match (segment.drive, carried.next()) {
                (BodyDrive::Free, None) => segment.fly(body, load, time_step).ok_or(too_far)?,
                (BodyDrive::Free, Some(water)) => {
                    let given = water.fly(body, segment, load, time_step).ok_or(too_far)?;
                    state.water_work += given.lost;
                    state.impulses.water += given.impulse;
                }
                (BodyDrive::Carried { increment, turn }, water) => {
                    let before = (segment.momentum + *load * time_step).brought_from(&segment.centre);
                    segment.follow(body, &increment, &turn, time_step);
                    if let Some(water) = water {
                        water.fill(body, segment);
                    }
                    state.impulses.guides += segment.momentum.brought_from(&segment.centre) - before;
                }
            }
            sum += segment.centre.sum() + segment.momentum.linear.sum();
        }
        let reason = "it is not finite; take a shorter time step or smaller forces";
        if sum.is_finite() { Ok(()) } else { Err(Error::BrokeDown { what: "segment", index: 0, reason }) }
    }

    /// How a segment moves from now on.
    ///
    /// # Errors
    /// No such segment; an increment that is not finite.
    pub fn set_drive(&self, state: &mut ChainState, segment: usize, drive: &Drive) -> Result<(), Error> {
        let (body, of) = self.segment_mut(state, segment)?;
        of.drive = match drive {
            Drive::Free => BodyDrive::Free,
            Drive::Carried { increment } => {
                Error::unless(increment.is_finite(), "increment of a carried segment", increment.translation.norm(), "finite")?;
                let increment = body.frame.inverse() * *increment * body.frame;
                BodyDrive::Carried { increment, turn: increment.log().angular }
            }
        };
        Ok(())
    }

    /// The segment's body and state.
    pub(super) fn segment_mut<'a, 'b>(&'a self, state: &'b mut ChainState, segment: usize) -> Result<(&'a Body, &'b mut BodyState), Error> {
        let missing = Error::Length { what: "segments of a chain", expected: segment.saturating_add(1), found: self.bodies.len() };
        self.bodies.get(segment).zip(state.segments.get_mut(segment)).ok_or(missing)
    }
}
