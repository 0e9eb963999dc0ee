//! Glue between segments and blocks (Fang 2015, Sec. 3.3): the first and last layer of a block go with its segments, whose loads are the forces on them.

use nalgebra::Vector3;

use super::build::read;
use super::kernel::LANES;
use super::segment::{BodyState, weight};
use super::{Chain, ChainState, Lane, Three};
use crate::Error;
use crate::lie::Wrench;
use crate::shape::lanes::{Four, Loop, accumulate, add_scaled, cross, dispatch, minus, plus, three};

/// Four segments: centres, columns of R, velocities and angular velocities, world frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Frames {
    centre: Three,
    axes: [Three; 3],
    velocity: Three,
    spin: Three,
}

const ZERO: Three = [[0.0; LANES]; 3];

impl Frames {
    /// At the origin, at rest.
    pub const STILL: Frames = Frames {
        centre: ZERO,
        axes: [
            [[1.0; LANES], [0.0; LANES], [0.0; LANES]],
            [[0.0; LANES], [1.0; LANES], [0.0; LANES]],
            [[0.0; LANES], [0.0; LANES], [1.0; LANES]],
        ],
        velocity: ZERO,
        spin: ZERO,
    };

    #[inline]
    fn set(&mut self, lane: usize, segment: &BodyState) {
        for k in 0..3 {
            self.centre[k][lane] = segment.centre[k];
            self.velocity[k][lane] = segment.twist.linear[k];
            self.spin[k][lane] = segment.twist.angular[k];
            for axis in 0..3 {
                self.axes[axis][k][lane] = segment.matrix[(k, axis)];
            }
        }
    }
}

/// Places one layer of four blocks.
struct Place<'a> {
    frames: &'a Frames,
    local: &'a [Three],
    position: &'a mut [Three],
    velocity: &'a mut [Three],
}

impl Loop for Place<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Four>(self, zero: V) {
        let centre = three(zero, &self.frames.centre);
        let axes = [three(zero, &self.frames.axes[0]), three(zero, &self.frames.axes[1]), three(zero, &self.frames.axes[2])];
        let (velocity, spin) = (three(zero, &self.frames.velocity), three(zero, &self.frames.spin));
        for ((local, position), speed) in self.local.iter().zip(self.position).zip(self.velocity) {
            let local = three(zero, local);
            let mut arm = [zero; 3];
            for axis in 0..3 {
                add_scaled(&mut arm, &axes[axis], local[axis]);
            }
            store(position, &plus(&centre, &arm));
            store(speed, &plus(&velocity, &cross(&spin, &arm)));
        }
    }
}

#[inline(always)]
pub(super) fn store<V: Four>(to: &mut Three, value: &[V; 3]) {
    for k in 0..3 {
        to[k] = value[k].array();
    }
}

/// Sums over four blocks.
#[inline(always)]
pub(super) fn totals<V: Four>(of: &[V; 3]) -> Vector3<f64> {
    Vector3::new(of[0].total(), of[1].total(), of[2].total())
}

/// Sums the forces on one layer of four blocks.
struct Gather<'a> {
    centre: &'a Three,
    position: &'a [Three],
    force: &'a [Three],
}

impl Loop for Gather<'_> {
    type Output = [Three; 2];

    #[inline(always)]
    fn run<V: Four>(self, zero: V) -> [Three; 2] {
        let centre = three(zero, self.centre);
        let (mut torque, mut sum) = ([zero; 3], [zero; 3]);
        for (position, force) in self.position.iter().zip(self.force) {
            let force = three(zero, force);
            accumulate(&mut sum, &force);
            accumulate(&mut torque, &cross(&minus(&three(zero, position), &centre), &force));
        }
        let mut out = [ZERO; 2];
        store(&mut out[0], &torque);
        store(&mut out[1], &sum);
        out
    }
}

/// Moves the free nodes of four blocks.
struct Move<'a> {
    time_step: f64,
    gravity: Vector3<f64>,
    masses: &'a [Lane],
    inverse: &'a [Lane],
    force: &'a [Three],
    position: &'a mut [Three],
    velocity: &'a mut [Three],
}

impl Loop for Move<'_> {
    /// A sum that is finite only if all velocities are; mass in all, and the sum of mass by place before.
    type Output = (f64, f64, Vector3<f64>);

    #[inline(always)]
    fn run<V: Four>(self, zero: V) -> Self::Output {
        let (mut sum, mut total, mut moment) = (zero, zero, [zero; 3]);
        let step = zero.splat(self.time_step);
        let gravity = [zero.splat(self.gravity.x), zero.splat(self.gravity.y), zero.splat(self.gravity.z)];
        let nodes = self.masses.iter().zip(self.inverse).zip(self.force).zip(self.position).zip(self.velocity);
        for ((((mass, inverse), force), position), velocity) in nodes {
            let (mass, change) = (zero.with(*mass), zero.with(*inverse) * step);
            total = total + mass;
            add_scaled(&mut moment, &three(zero, position), mass);
            for k in 0..3 {
                let force = gravity[k].mul_add(mass, zero.with(force[k]));
                let speed = force.mul_add(change, zero.with(velocity[k]));
                velocity[k] = speed.array();
                position[k] = speed.mul_add(step, zero.with(position[k])).array();
                sum = sum + speed;
            }
        }
        (sum.total(), total.total(), totals(&moment))
    }
}

impl Chain {
    /// Which nodes of a group are its first (0) or last (1) layer.
    pub(super) fn face(&self, group: usize, face: usize) -> std::ops::Range<usize> {
        let first = group * self.grid.nodes() + face * self.grid.cells[0] * self.grid.layer();
        first..first + self.grid.layer()
    }

    /// Glued nodes go where their segments are.
    pub(super) fn place_glued(&self, state: &mut ChainState) {
        let layer = self.grid.layer();
        for block in 0..self.settings.blocks.len() {
            let (g, lane) = super::lane_of(block);
            for face in [0, 1] {
                state.frames[2 * g + face].set(lane, &state.segments[block + face]);
            }
        }
        for (n, frames) in state.frames.iter().enumerate() {
            let range = self.face(n / 2, n % 2);
            dispatch(Place {
                frames,
                local: &self.glued[n * layer..(n + 1) * layer],
                position: &mut state.position[range.clone()],
                velocity: &mut state.velocity[range],
            });
        }
    }

    /// Forces on glued nodes become loads on their segments, at the centres of mass.
    pub(super) fn gather(&self, state: &mut ChainState) {
        for (n, frames) in state.frames.iter().enumerate() {
            let range = self.face(n / 2, n % 2);
            let [torque, force] =
                dispatch(Gather { centre: &frames.centre, position: &state.position[range.clone()], force: &state.force[range] });
            for lane in 0..LANES {
                let block = n / 2 * LANES + lane;
                if block < self.settings.blocks.len() {
                    state.loads[block + n % 2] += Wrench::new(read(&torque, lane), read(&force, lane));
                }
            }
        }
    }

    /// Free nodes, those of the layers between, move by the forces on them.
    pub(super) fn move_nodes(&self, state: &mut ChainState, time_step: f64, gravity: &Vector3<f64>) -> Result<(), Error> {
        let mut sum = 0.0;
        for g in 0..self.sizes.len() {
            let free = self.face(g, 0).end..self.face(g, 1).start;
            let (finite, mass, moment) = dispatch(Move {
                time_step,
                gravity: *gravity,
                masses: &self.masses[free.clone()],
                inverse: &self.inverse_masses[free.clone()],
                force: &state.force[free.clone()],
                position: &mut state.position[free.clone()],
                velocity: &mut state.velocity[free],
            });
            sum += finite;
            state.impulses.weight += weight(mass, &moment, gravity) * time_step;
        }
        let reason = "velocities of its nodes are not finite; take a shorter time step or smaller forces";
        if sum.is_finite() { Ok(()) } else { Err(Error::BrokeDown { what: "soft block", index: 0, reason }) }
    }
}
