//! Water around a chain (Fang 2015, Sec. 5.2 and Eq. C.2): drag on outer faces, buoyancy, and the work against the drag.
//!
//! ```text
//! f = −ρ_w max(0, n·v)(n·v) n A = −ρ_w max(0, q) q N/|N|²        N = A n, q = N·v; v relative to the water
//! r_e = −Σ f·v = Σ ρ_w max(0, q) q²/|N|² ≥ 0
//! ```
//!
//! A triangle of a soft block hands equal thirds to its nodes; a box is cut into patches, but for the faces that blocks are glued to. What is under water is weighed smoothly,
//! by its middle's depth over its height, so that nothing that floats chatters. Buoyancy is the effective gravity (ρ_b − ρ_w)/ρ_b g
//! (ERRATA F9): at the nodes, and at the centres of mass of the segments, each with the volume of its box and its share of its nodes.

use nalgebra::{Matrix3, Vector3};

use super::attach::store;
use super::grid::{Grid, Triangle};
use super::kernel::LANES;
use super::{Chain, ChainState, Lane, Three, lane_of};
use crate::Error;
use crate::lie::{Twist, Wrench};
use crate::shape::lanes::{Four, Loop, cross, dispatch, dot, minus, plus, scaled, three};

/// Water with a level surface around each segment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Water<'a> {
    /// ρ_w, kg/m³.
    pub density: f64,
    /// Height of the surface at each segment, metres above the world's origin; −∞ where it is dry. Blocks take what is between their two.
    pub levels: &'a [f64],
    /// Velocity of the water at each segment, m/s, world frame; still if empty.
    pub flows: &'a [Vector3<f64>],
}

/// Levels are kept within this of the origin, metres: between two infinite ones there is nothing.
const FAR: f64 = 1e30;

impl Water<'_> {
    pub(super) fn validate(&self, segments: usize) -> Result<(), Error> {
        Error::unless_zero_or_more("density of the water (kg/m³)", self.density)?;
        if self.levels.len() != segments {
            return Err(Error::Length { what: "water levels of a chain", expected: segments, found: self.levels.len() });
        }
        if !self.flows.is_empty() && self.flows.len() != segments {
            return Err(Error::Length { what: "water velocities of a chain", expected: segments, found: self.flows.len() });
        }
        for &level in self.levels {
            Error::unless(!level.is_nan(), "water level (m)", level, "a number, −∞ where it is dry")?;
        }
        let sum = self.flows.iter().fold(0.0, |sum, flow| sum + flow.abs().sum());
        Error::unless(sum.is_finite(), "velocity of the water (m/s)", sum, "finite")
    }

    fn level(&self, segment: usize) -> f64 {
        self.levels[segment].clamp(-FAR, FAR)
    }

    fn flow(&self, segment: usize) -> Vector3<f64> {
        self.flows.get(segment).copied().unwrap_or_default()
    }
}

/// Four blocks in water; its output is the rate of work against it, W.
struct Immersed<'a> {
    grid: &'a Grid,
    density: f64,
    /// −ρ_w/ρ_b g, m/s².
    lift: Vector3<f64>,
    /// At the front and at the rear.
    levels: [Lane; 2],
    flows: [Three; 2],
    /// 1/h_y, 1/m.
    inverse_height: Lane,
    masses: &'a [Lane],
    position: &'a [Three],
    velocity: &'a [Three],
    force: &'a mut [Three],
}

impl Loop for Immersed<'_> {
    type Output = f64;

    #[inline(always)]
    fn run<V: Four>(self, zero: V) -> f64 {
        let Immersed { grid, density, lift, levels, flows, inverse_height, masses, position, velocity, force } = self;
        let surface = Surface {
            front: zero.with(levels[0]),
            slope: zero.with(levels[1]) - zero.with(levels[0]),
            flow: three(zero, &flows[0]),
            shear: minus(&three(zero, &flows[1]), &three(zero, &flows[0])),
            inverse_height: zero.with(inverse_height),
        };
        let mut rate = zero;
        for triangle in &grid.triangles {
            rate = rate + surface.drag(triangle, zero.splat(density), position, velocity, force);
        }
        let lift = [zero.splat(lift.x), zero.splat(lift.y), zero.splat(lift.z)];
        let layer = grid.layer();
        for node in layer..grid.nodes() - layer {
            let along = zero.splat((node / layer) as f64 / grid.cells[0] as f64);
            let share = surface.wet(along, zero.with(position[node][1])) * zero.with(masses[node]);
            add(&mut force[node], &scaled(&lift, share));
        }
        rate.total()
    }
}

#[inline(always)]
fn add<V: Four>(to: &mut Three, value: &[V; 3]) {
    store(to, &plus(&three(value[0], to), value));
}

/// The water along four blocks.
struct Surface<V> {
    front: V,
    slope: V,
    flow: [V; 3],
    shear: [V; 3],
    inverse_height: V,
}

impl<V: Four> Surface<V> {
    /// How much of what stands at a height is under water.
    #[inline(always)]
    fn wet(&self, along: V, height: V) -> V {
        let depth = self.slope.mul_add(along, self.front) - height;
        depth.mul_add(self.inverse_height, along.splat(0.5)).max(along.splat(0.0)).min(along.splat(1.0))
    }

    /// Adds the drag on one triangle; the rate of work against it.
    #[inline(always)]
    fn drag(&self, triangle: &Triangle, density: V, position: &[Three], velocity: &[Three], force: &mut [Three]) -> V {
        let [i, j, k] = triangle.nodes.map(|n| n as usize);
        let (third, along) = (density.splat(1.0 / 3.0), density.splat(triangle.along));
        let [a, b, c] = [three(density, &position[i]), three(density, &position[j]), three(density, &position[k])];
        let normal = scaled(&cross(&minus(&b, &a), &minus(&c, &a)), density.splat(0.5));
        let height = (a[1] + b[1] + c[1]) * third;
        let sum = plus(&plus(&three(density, &velocity[i]), &three(density, &velocity[j])), &three(density, &velocity[k]));
        let mut speed = scaled(&sum, third);
        for axis in 0..3 {
            speed[axis] = speed[axis] - self.shear[axis].mul_add(along, self.flow[axis]);
        }
        let outward = dot(&normal, &speed).max(density.splat(0.0));
        let square = dot(&normal, &normal).max(density.splat(f64::MIN_POSITIVE));
        let pressure = density * self.wet(along, height) * outward * outward / square;
        let share = scaled(&normal, pressure * density.splat(-1.0 / 3.0));
        for node in [i, j, k] {
            add(&mut force[node], &share);
        }
        pressure * outward
    }
}

/// A box in water, in its own frame.
struct ImmersedBox {
    size: Vector3<f64>,
    patches: usize,
    /// Whether the faces at −x and +x are covered.
    covered: [bool; 2],
    /// Relative to the water, of its middle.
    twist: Twist,
    /// How high its middle is above the surface, metres, and what a step along its axes adds.
    height: f64,
    up: Vector3<f64>,
}

impl ImmersedBox {
    /// Force and torque about the middle, and the rate of work, of water of unit density.
    fn drag(&self) -> (Wrench, f64) {
        let (mut load, mut rate) = (Wrench::default(), 0.0);
        for (end, side) in [-1.0, 1.0].into_iter().enumerate() {
            if !self.covered[end] {
                rate += self.drag_on::<0, 1, 2>(side, &mut load);
            }
            rate += self.drag_on::<1, 2, 0>(side, &mut load);
            rate += self.drag_on::<2, 0, 1>(side, &mut load);
        }
        (load, rate)
    }

    /// The same of one face, across AXIS, with U and W the next ones.
    #[inline(always)]
    fn drag_on<const AXIS: usize, const U: usize, const W: usize>(&self, side: f64, load: &mut Wrench) -> f64 {
        let (size, spin, count) = (&self.size, &self.twist.angular, self.patches as f64);
        let ahead = side * self.twist.linear[AXIS];
        // No corner of it goes outward.
        if ahead + 0.5 * ((spin[U] * size[W]).abs() + (spin[W] * size[U]).abs()) <= 0.0 {
            return 0.0;
        }
        let (step_u, step_w) = (size[U] / count, size[W] / count);
        let (area, band) = (step_u * step_w, count / size.y);
        let height = self.height + 0.5 * side * size[AXIS] * self.up[AXIS];
        let (mut push, mut along_u, mut along_w, mut rate) = (0.0, 0.0, 0.0, 0.0);
        for i in 0..self.patches {
            let u = (i as f64 + 0.5) * step_u - 0.5 * size[U];
            for k in 0..self.patches {
                let w = (k as f64 + 0.5) * step_w - 0.5 * size[W];
                // The component along the axis of ω × r + v.
                let outward = (ahead + side * (spin[U] * w - spin[W] * u)).max(0.0);
                let wet = (0.5 - (height + self.up[U] * u + self.up[W] * w) * band).clamp(0.0, 1.0);
                let force = wet * area * outward * outward;
                push += force;
                along_u += force * u;
                along_w += force * w;
                rate += force * outward;
            }
        }
        // r × (−side · force · axis).
        load.linear[AXIS] -= side * push;
        load.angular[U] -= side * along_w;
        load.angular[W] += side * along_u;
        rate
    }
}

impl Chain {
    /// Drag and buoyancy on nodes and segments.
    pub(super) fn water_forces(&self, state: &mut ChainState, time_step: f64, water: &Water<'_>, gravity: &Vector3<f64>) {
        let mut rate = 0.0;
        for s in 0..self.bodies.len() {
            rate += self.immerse_segment(state, s, water, gravity);
        }
        for g in 0..self.sizes.len() {
            rate += self.immerse_blocks(state, g, water, gravity);
        }
        state.water_work += rate * time_step;
    }

    fn immerse_blocks(&self, state: &mut ChainState, group: usize, water: &Water<'_>, gravity: &Vector3<f64>) -> f64 {
        // Lanes without a block are dry.
        let (mut levels, mut flows) = ([[-FAR; LANES]; 2], [[[0.0; LANES]; 3]; 2]);
        for block in (group * LANES..(group + 1) * LANES).take_while(|&b| b < self.settings.blocks.len()) {
            let (_, lane) = lane_of(block);
            for end in [0, 1] {
                levels[end][lane] = water.level(block + end);
                super::build::write(&mut flows[end], lane, &water.flow(block + end));
            }
        }
        let nodes = group * self.grid.nodes()..(group + 1) * self.grid.nodes();
        dispatch(Immersed {
            grid: &self.grid,
            density: water.density,
            lift: gravity * (-water.density / self.settings.material.density),
            levels,
            flows,
            inverse_height: self.sizes[group].inverse[0],
            masses: &self.masses[nodes.clone()],
            position: &state.position[nodes.clone()],
            velocity: &state.velocity[nodes.clone()],
            force: &mut state.force[nodes],
        })
    }

    fn immerse_segment(&self, state: &mut ChainState, s: usize, water: &Water<'_>, gravity: &Vector3<f64>) -> f64 {
        let (body, segment, size) = (&self.bodies[s], &state.segments[s], self.settings.segments[s].size);
        let to_world: Matrix3<f64> = segment.matrix * body.axes.transpose();
        let arm = segment.matrix * body.middle;
        let middle = segment.centre.y + arm.y;
        let up = Vector3::new(to_world[(1, 0)], to_world[(1, 1)], to_world[(1, 2)]);
        let height = middle - water.level(s);
        let extent = up.abs().dot(&size);
        let wet = (0.5 - height / extent).clamp(0.0, 1.0);
        state.loads[s].linear -= gravity * (water.density * body.volume * wet);
        // All of it above the water.
        if wet == 0.0 {
            return 0.0;
        }
        let speed = segment.twist.velocity_at(&arm) - water.flow(s);
        let twist = Twist::new(to_world.tr_mul(&segment.twist.angular), to_world.tr_mul(&speed));
        let covered = [s + 1 < self.bodies.len(), s > 0];
        let (load, rate) = ImmersedBox { size, patches: self.settings.patches, covered, twist, height, up }.drag();
        let force = to_world * load.linear * water.density;
        state.loads[s] += Wrench::new(to_world * load.angular * water.density + arm.cross(&force), force);
        rate * water.density
    }
}
