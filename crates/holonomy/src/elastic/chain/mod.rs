//! A body of rigid segments and soft blocks in turn: Fang 2015, "The Modeling and Animation of Myriapoda", Secs. 3.2, 3.3, 5.1, 5.2 and App. A.
//!
//! Segment 0 is the head. In a segment's own frame x points forward, y up and z to the animal's **right**. Block b is glued to the rear of
//! segment b and to the front of segment b + 1: its first and last layers of nodes move with them, the layers between are free. Forces act at the start of a step,
//! and what moves then moves by its new momentum (symplectic Euler):
//!
//! ```text
//! nodes      v⁺ = v + Δt f/m,                     x⁺ = x + Δt v⁺
//! segments   p⁺ = p + Δt f,  L⁺ = L + Δt τ,       x⁺ = x + Δt p⁺/M,  R⁺ = R · (1, c)/|(1, c)|
//! ```
//!
//! with c of the discrete Moser–Veselov step (1991; see [`integrate::rigid_body`](crate::integrate::rigid_body)), which turns a free body without change of its
//! angular momentum L in the world; where water moves along with a segment, a step on SE(3) (`added_mass.rs`) takes the place of it. Inner forces have neither sum nor torque, so a chain in a vacuum keeps both momenta to round-off.
//!
//! Masses of nodes (Eq. A.22) are those of the initial shape; the masses of glued nodes belong to the segment, with their moments about its centre of mass,
//! which is so not quite that of its box. Blocks are worked on four at a time, each node's coordinates side by side.
//!
//! | symbol | code | is |
//! |---|---|---|
//! | E, ν, ρ | [`ChainSettings::material`] | of the soft blocks |
//! | γ | [`Damping`] | γ/ρ as a rate, 1/s |
//! | l_left, l_right | [`Muscles`] | lengths of a block's rest shape at its sides, m |
//! | l_x, l_y, l_z | [`ChainSettings::blocks`] | initial size of a block, m |
//! | ρ_w | [`Water::density`] | of the water |

mod added_mass;
mod attach;
mod box_in_water;
mod build;
mod energy;
mod grid;
pub mod ground;
mod impulses;
mod kernel;
mod limit;
mod muscle;
mod segment;
mod state;
mod stretch;
mod submerged;
mod water;

use nalgebra::Vector3;

use crate::Error;
use crate::elastic::material::Material;
use crate::lie::{Pose, Wrench};
use crate::shape::lanes::dispatch;
use grid::Grid;
pub use impulses::Impulses;
use kernel::{Forces, LANES, Law, PLAIN, ROTATION_FREE, Rest, Sizes, UNDAMPED};
pub use muscle::Muscles;
use segment::Body;
pub use state::ChainState;
pub use water::{CarriedWater, Hydrodynamics, Water, WaterForce};

/// One number of each of four blocks.
type Lane = [f64; LANES];

/// One vector of each of four blocks, component by component.
type Three = [Lane; 3];

/// A rigid segment: a box.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Segment {
    /// Length, height and width: along x, y and z of its own frame, metres.
    pub size: Vector3<f64>,
    /// Of the box alone, kg; spread evenly.
    pub mass: f64,
}

/// How the inner motion of blocks comes to rest. Rates are γ/ρ, 1/s: the thesis has γ = 50 at ρ = 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Damping {
    /// Not at all.
    None,
    /// Relative to each element's mean velocity (Fang 2015, Eq. A.23): brakes the turning of the whole as well.
    Plain(f64),
    /// Relative to each element's mean rigid motion: neither force nor torque in sum (ERRATA F5).
    RotationFree(f64),
}

impl Damping {
    /// γ/ρ, 1/s.
    pub fn rate(&self) -> f64 {
        match *self {
            Damping::None => 0.0,
            Damping::Plain(rate) | Damping::RotationFree(rate) => rate,
        }
    }
}

/// What a chain is made of.
#[derive(Debug, Clone, PartialEq)]
pub struct ChainSettings {
    /// From the head on; one at least.
    pub segments: Vec<Segment>,
    /// Initial length, height and width of the soft blocks between them, metres: one fewer.
    pub blocks: Vec<Vector3<f64>>,
    /// Cells of each block along x, y and z.
    pub cells: [usize; 3],
    /// Of all blocks.
    pub material: Material,
    /// Of all blocks.
    pub damping: Damping,
    /// Pieces along each side of a box's face in which water presses on it.
    pub patches: usize,
}

impl ChainSettings {
    /// Segments of one kind with blocks of one size between them, of the thesis's jelly with 2 × 2 × 2 cells, damped without braking turns.
    pub fn even(count: usize, segment: Segment, block: Vector3<f64>) -> ChainSettings {
        ChainSettings {
            segments: vec![segment; count],
            blocks: vec![block; count.saturating_sub(1)],
            cells: [2, 2, 2],
            material: Material::JELLY,
            damping: Damping::RotationFree(50.0),
            patches: 2,
        }
    }
}

/// How a segment moves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Drive {
    /// By the forces on it.
    Free,
    /// By a given rigid motion in each step: pose⁺ = pose · increment, which is so in the segment's own frame. Set free, it keeps the velocity it has then.
    Carried {
        /// Small: the motion of one step.
        increment: Pose,
    },
}

/// What acts on a chain from outside, the same for a whole step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Surroundings<'a> {
    /// m/s², world frame.
    pub gravity: Vector3<f64>,
    /// On each segment: torque about the centre of its box, and force, world axes. None at all if empty.
    pub loads: &'a [Wrench],
    /// The water it is in.
    pub water: Option<Water<'a>>,
}

impl Surroundings<'static> {
    /// Air, with the gravity of the Earth along −y.
    pub const AIR: Surroundings<'static> =
        Surroundings { gravity: Vector3::new(0.0, -crate::medium::GRAVITY, 0.0), loads: &[], water: None };
    /// Nothing at all.
    pub const VACUUM: Surroundings<'static> = Surroundings { gravity: Vector3::new(0.0, 0.0, 0.0), loads: &[], water: None };
}

/// A body of rigid segments and soft blocks in turn. What changes is in its [`ChainState`].
#[derive(Debug, Clone, PartialEq)]
pub struct Chain {
    settings: ChainSettings,
    grid: Grid,
    law: Law,
    bodies: Vec<Body>,
    /// Of four blocks each.
    sizes: Vec<Sizes>,
    /// Masses of all nodes, kg; zero where four blocks are not full. `[group][node]`.
    masses: Vec<Lane>,
    /// 1/mass, 1/kg; zero where the mass is.
    inverse_masses: Vec<Lane>,
    /// Glued nodes in their segments' principal frames, metres. `[group][first or last layer][node of the layer]`.
    glued: Vec<Three>,
    /// Of the initial shape, seconds.
    largest_step: f64,
}

impl Chain {
    /// One step of `time_step` seconds.
    ///
    /// # Errors
    /// A time step that is not positive or too large to be stable; loads that are not finite or not as many as segments; a segment that turns by more than a quarter turn in
    /// the step; motion that is no longer finite. In the last two cases the state is not to be used any more.
    pub fn step(&self, state: &mut ChainState, time_step: f64, surroundings: &Surroundings<'_>) -> Result<(), Error> {
        self.check(state, time_step, surroundings)?;
        state.impulses = Impulses::default();
        self.start_loads(state, time_step, surroundings);
        self.inner_forces(state);
        state.added.iter_mut().for_each(|added| added.around = Default::default());
        if let Some(water) = &surroundings.water {
            self.water_forces(state, time_step, water, &surroundings.gravity);
        }
        self.gather(state);
        self.move_nodes(state, time_step, &surroundings.gravity)?;
        self.move_segments(state, time_step)?;
        self.place_glued(state);
        Ok(())
    }

    fn check(&self, state: &ChainState, time_step: f64, surroundings: &Surroundings<'_>) -> Result<(), Error> {
        let largest = self.largest_step * state.muscle_factors.iter().copied().fold(1.0, f64::min);
        // Not so with NaN.
        let stable = time_step > 0.0 && time_step <= largest;
        if !stable {
            return Err(Error::TimeStep { given: time_step, largest });
        }
        let finite = surroundings.gravity.iter().all(|x| x.is_finite());
        Error::unless(finite, "gravity (m/s²)", surroundings.gravity.norm(), "finite")?;
        let loads = surroundings.loads;
        if !loads.is_empty() && loads.len() != self.bodies.len() {
            return Err(Error::Length { what: "loads on the segments of a chain", expected: self.bodies.len(), found: loads.len() });
        }
        // A sum is finite only if its terms are.
        let sum = loads.iter().fold(0.0, |sum, load| sum + load.angular.abs().sum() + load.linear.abs().sum());
        Error::unless(sum.is_finite(), "loads on the segments of a chain", sum, "finite")?;
        surroundings.water.as_ref().map_or(Ok(()), |water| water.validate(self.bodies.len()))
    }

    /// Elastic and damping forces on all nodes.
    fn inner_forces(&self, state: &mut ChainState) {
        state.force.fill([[0.0; LANES]; 3]);
        match self.settings.damping {
            Damping::None => self.inner_forces_with::<UNDAMPED>(state),
            Damping::Plain(_) => self.inner_forces_with::<PLAIN>(state),
            Damping::RotationFree(_) => self.inner_forces_with::<ROTATION_FREE>(state),
        }
    }

    fn inner_forces_with<const DAMPING: u8>(&self, state: &mut ChainState) {
        let (nodes, elements, lines, [y, z]) = (self.grid.nodes(), self.grid.elements(), self.grid.layer(), self.grid.leans());
        for (g, sizes) in self.sizes.iter().enumerate() {
            let of_nodes = g * nodes..(g + 1) * nodes;
            let rest = Rest {
                lines: &state.rest.lines[g * lines..(g + 1) * lines],
                leans: [&state.rest.leans[0][g * y..(g + 1) * y], &state.rest.leans[1][g * z..(g + 1) * z]],
            };
            dispatch(Forces::<DAMPING> {
                grid: &self.grid,
                law: self.law,
                sizes,
                rest,
                position: &state.position[of_nodes.clone()],
                velocity: &state.velocity[of_nodes.clone()],
                stretch: &mut state.stretch[g * elements..(g + 1) * elements],
                force: &mut state.force[of_nodes],
            });
        }
    }
}

/// Which four blocks a block is among, and which of them it is.
fn lane_of(block: usize) -> (usize, usize) {
    (block / LANES, block % LANES)
}
