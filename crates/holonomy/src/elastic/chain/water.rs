//! Water around a chain: a force on outer faces, buoyancy, and the work against the force.
//!
//! ```text
//! normal           f = −ρ_w max(0, n·v)(n·v) n A = −ρ_w max(0, q) q N/|N|²        N = A n, q = N·v; v relative to the water
//! lift and drag    f = −½ ρ_w |v| (n·v) n A      = −½ ρ_w |v| q N/|N|
//! r_e = −Σ f·v ≥ 0
//! ```
//!
//! The first is Fang 2015, Sec. 5.2 and Eq. C.2; the second Soliman 2024, Eq. 6 (S5 of docs/ERRATA.md), as [`SurfaceForce`](crate::medium::SurfaceForce) has it for a closed surface
//! without viscosity. A triangle of a soft block hands equal thirds to its nodes; a box is cut into patches, but for the faces that blocks are glued to. What is under water is weighed smoothly,
//! by its middle's depth over its height, so that nothing that floats chatters. Buoyancy is the effective gravity (ρ_b − ρ_w)/ρ_b g
//! (ERRATA F9): at the nodes, and at the segments, each with the volume of its box, at the middle of what of it is under water (`submerged.rs`), and its share of its nodes, at the centre of mass.

use nalgebra::{Matrix3, Vector3};

use super::added_mass::Added;
use super::attach::{store, totals};
use super::box_in_water::{ImmersedBox, LIFT_AND_DRAG, NORMAL};
use super::grid::{Grid, Triangle};
use super::kernel::LANES;
use super::segment::weight;
use super::submerged::submerged;
use super::{Chain, ChainState, Lane, Three, lane_of};
use crate::Error;
use crate::lie::{Twist, Wrench};
use crate::shape::lanes::{Four, Loop, accumulate, add_scaled, cross, dispatch, dot, minus, plus, scaled, three};

/// What water does to a body that moves in it, beside buoyancy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Hydrodynamics {
    /// On outer faces.
    pub force: WaterForce,
    /// Water that moves along.
    pub added_mass: CarriedWater,
}

/// Force of the water on outer faces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum WaterForce {
    /// None: an ideal fluid.
    None,
    /// Against what goes outward, by the square of its normal velocity (Fang 2015, Sec. 5.2).
    #[default]
    Normal,
    /// Lift and drag of each face, in front and behind (Soliman 2024, Eq. 6).
    LiftAndDrag,
}

/// Water that moves along with a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CarriedWater {
    /// None.
    #[default]
    None,
    /// A layer of one depth on all of its faces (Soliman 2024, Sec. 4.2), carried by the segments.
    Local,
}

/// Water with a level surface around each segment.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Water<'a> {
    /// ρ_w, kg/m³.
    pub density: f64,
    /// Height of the surface at each segment, metres above the world's origin; −∞ where it is dry. Blocks take what is between their two.
    pub levels: &'a [f64],
    /// Velocity of the water at each segment, m/s, world frame; still if empty.
    pub flows: &'a [Vector3<f64>],
    /// What it does to the chain.
    pub dynamics: Hydrodynamics,
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

    /// Density of what moves along, kg/m³.
    fn carried(&self) -> f64 {
        match self.dynamics.added_mass {
            CarriedWater::None => 0.0,
            CarriedWater::Local => self.density,
        }
    }

    fn level(&self, segment: usize) -> f64 {
        self.levels[segment].clamp(-FAR, FAR)
    }

    fn flow(&self, segment: usize) -> Vector3<f64> {
        self.flows.get(segment).copied().unwrap_or_default()
    }
}

/// No law: an ideal fluid.
const NO_FORCE: u8 = u8::MAX;

/// Four blocks in water.
struct Immersed<'a, const LAW: u8> {
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

impl<const LAW: u8> Loop for Immersed<'_, LAW> {
    /// The rate of work against it, W; what it gives, about the world's origin.
    type Output = (f64, Wrench);

    #[inline(always)]
    fn run<V: Four>(self, zero: V) -> (f64, Wrench) {
        let Immersed { grid, density, lift, levels, flows, inverse_height, masses, position, velocity, force } = self;
        let surface = Surface {
            front: zero.with(levels[0]),
            slope: zero.with(levels[1]) - zero.with(levels[0]),
            flow: three(zero, &flows[0]),
            shear: minus(&three(zero, &flows[1]), &three(zero, &flows[0])),
            inverse_height: zero.with(inverse_height),
        };
        let mut drag = Drag { rate: zero, third: [zero; 3], torque: [zero; 3] };
        if LAW != NO_FORCE {
            for triangle in &grid.triangles {
                let more = surface.drag::<LAW>(triangle, zero.splat(density), position, velocity, force);
                drag.rate = drag.rate + more.rate;
                accumulate(&mut drag.third, &more.third);
                accumulate(&mut drag.torque, &more.torque);
            }
        }
        let (mut lifted, mut moment) = (zero, [zero; 3]);
        let up = [zero.splat(lift.x), zero.splat(lift.y), zero.splat(lift.z)];
        let layer = grid.layer();
        for node in layer..grid.nodes() - layer {
            let along = zero.splat((node / layer) as f64 / grid.cells[0] as f64);
            let share = surface.wet(along, zero.with(position[node][1])) * zero.with(masses[node]);
            lifted = lifted + share;
            add_scaled(&mut moment, &three(zero, &position[node]), share);
            add(&mut force[node], &scaled(&up, share));
        }
        let given = Wrench::new(totals(&drag.torque), totals(&drag.third) * 3.0);
        (drag.rate.total(), given + weight(lifted.total(), &totals(&moment), &lift))
    }
}

#[inline(always)]
fn add<V: Four>(to: &mut Three, value: &[V; 3]) {
    store(to, &plus(&three(value[0], to), value));
}

/// What water gives four blocks through faces.
struct Drag<V> {
    /// Of work against it, W.
    rate: V,
    /// A third of the force, N.
    third: [V; 3],
    /// About the world's origin, N m.
    torque: [V; 3],
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

    /// Adds the drag on one triangle.
    #[inline(always)]
    fn drag<const LAW: u8>(&self, triangle: &Triangle, density: V, position: &[Three], velocity: &[Three], force: &mut [Three]) -> Drag<V> {
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
        let square = dot(&normal, &normal).max(density.splat(f64::MIN_POSITIVE));
        let mut outward = dot(&normal, &speed);
        let pressure = if LAW == NORMAL {
            outward = outward.max(density.splat(0.0));
            density * self.wet(along, height) * outward * outward / square
        } else {
            density.splat(0.5) * density * self.wet(along, height) * dot(&speed, &speed).sqrt() * outward / square.sqrt()
        };
        let share = scaled(&normal, pressure * density.splat(-1.0 / 3.0));
        for node in [i, j, k] {
            add(&mut force[node], &share);
        }
        // A third at each corner.
        Drag { rate: pressure * outward, third: share, torque: cross(&plus(&plus(&a, &b), &c), &share) }
    }
}

impl Chain {
    /// Drag and buoyancy on nodes and segments.
    pub(super) fn water_forces(&self, state: &mut ChainState, time_step: f64, water: &Water<'_>, gravity: &Vector3<f64>) {
        self.prepare_added(state, water);
        let (rate, given) = match water.dynamics.force {
            WaterForce::None => self.water_forces_by::<NO_FORCE>(state, water, gravity),
            WaterForce::Normal => self.water_forces_by::<NORMAL>(state, water, gravity),
            WaterForce::LiftAndDrag => self.water_forces_by::<LIFT_AND_DRAG>(state, water, gravity),
        };
        state.water_work += time_step * rate;
        state.impulses.water += given * time_step;
    }

    /// The rate of work against the water, and what it gives, about the world's origin.
    fn water_forces_by<const LAW: u8>(&self, state: &mut ChainState, water: &Water<'_>, gravity: &Vector3<f64>) -> (f64, Wrench) {
        let (mut rate, mut given) = (0.0, Wrench::default());
        for s in 0..self.bodies.len() {
            let of_segment = self.immerse_segment::<LAW>(state, s, water, gravity);
            (rate, given) = (rate + of_segment.0, given + of_segment.1);
        }
        for g in 0..self.sizes.len() {
            let of_blocks = self.immerse_blocks::<LAW>(state, g, water, gravity);
            (rate, given) = (rate + of_blocks.0, given + of_blocks.1);
        }
        (rate, given)
    }

    fn prepare_added(&self, state: &mut ChainState, water: &Water<'_>) {
        if water.dynamics.added_mass == CarriedWater::Local && state.added.is_empty() {
            state.added.extend(self.bodies.iter().map(Added::none));
        }
    }

    /// Puts a chain into water at the velocities it has: what moves along with it then does so already. Without this, what moves along with a chain that was thrown is set in
    /// motion by it in its first step, and slows it down. Of no effect where no water moves along.
    ///
    /// # Errors
    /// As [`Chain::step`] has of its water.
    pub fn immerse(&self, state: &mut ChainState, water: &Water<'_>) -> Result<(), Error> {
        water.validate(self.bodies.len())?;
        self.prepare_added(state, water);
        for s in 0..self.bodies.len() {
            let share = self.floating(state, s, water).wet;
            let Some(added) = state.added.get_mut(s) else { continue };
            added.around = (water.carried() * share, water.flow(s));
            added.fill(&self.bodies[s], &mut state.segments[s]);
        }
        Ok(())
    }

    fn immerse_blocks<const LAW: u8>(
        &self,
        state: &mut ChainState,
        group: usize,
        water: &Water<'_>,
        gravity: &Vector3<f64>,
    ) -> (f64, Wrench) {
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
        dispatch(Immersed::<LAW> {
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

    /// How a segment lies in the water.
    #[inline]
    fn floating(&self, state: &ChainState, s: usize, water: &Water<'_>) -> Floating {
        let (body, segment, size) = (&self.bodies[s], &state.segments[s], self.settings.segments[s].size);
        let to_world: Matrix3<f64> = segment.matrix * body.axes.transpose();
        let arm = segment.matrix * body.middle;
        let middle = segment.centre.y + arm.y;
        let up = Vector3::new(to_world[(1, 0)], to_world[(1, 1)], to_world[(1, 2)]);
        let height = middle - water.level(s);
        let (wet, offset) = submerged(&size, &up, height, || segment.rotation * body.frame.rotation.inverse());
        Floating { to_world, arm, up, height, wet, offset }
    }

    fn immerse_segment<const LAW: u8>(&self, state: &mut ChainState, s: usize, water: &Water<'_>, gravity: &Vector3<f64>) -> (f64, Wrench) {
        let Floating { to_world, arm, up, height, wet, offset } = self.floating(state, s, water);
        let (body, segment, size) = (&self.bodies[s], &state.segments[s], self.settings.segments[s].size);
        let lift = gravity * (water.density * body.volume * wet);
        let buoyancy = Wrench::new((to_world * offset).cross(&lift) * (size.product() / body.volume), lift);
        state.loads[s] -= buoyancy;
        if let Some(added) = state.added.get_mut(s) {
            added.around = (water.carried() * wet, water.flow(s));
        }
        // All of it above the water.
        if wet == 0.0 || LAW == NO_FORCE {
            return (0.0, -buoyancy.brought_from(&segment.centre));
        }
        let speed = segment.twist.velocity_at(&arm) - water.flow(s);
        let twist = Twist::new(to_world.tr_mul(&segment.twist.angular), to_world.tr_mul(&speed));
        let covered = [s + 1 < self.bodies.len(), s > 0];
        let (load, rate) = ImmersedBox { size, patches: self.settings.patches, covered, twist, height, up }.drag::<LAW>();
        let force = to_world * load.linear * water.density;
        let drag = Wrench::new(to_world * load.angular * water.density + arm.cross(&force), force);
        state.loads[s] += drag;
        (rate * water.density, (drag - buoyancy).brought_from(&segment.centre))
    }
}

/// How a segment's box lies in the water.
struct Floating {
    /// Rotation of the box.
    to_world: Matrix3<f64>,
    /// From the centre of mass to its middle, metres, world axes.
    arm: Vector3<f64>,
    /// +Y in its own frame.
    up: Vector3<f64>,
    /// Of its middle above the surface, metres.
    height: f64,
    /// Part under water.
    wet: f64,
    /// From its middle to that of the part under water, metres, its own frame.
    offset: Vector3<f64>,
}
