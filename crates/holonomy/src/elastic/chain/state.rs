//! What changes of a chain, and how it is read and set.

use nalgebra::Vector3;

use super::added_mass::Added;
use super::attach::Frames;
use super::build::{read, write};
use super::impulses::Impulses;
use super::kernel::LANES;
use super::muscle::{Muscles, RestShapes};
use super::segment::BodyState;
use super::{Chain, ChainSettings, Lane, Three, lane_of};
use crate::Error;
use crate::lie::{Momentum, Pose, Twist, Wrench};

/// Where the parts of a [`Chain`] are and how they move. Made by [`Chain::state`]; only for the chain that made it.
#[derive(Debug, Clone, PartialEq)]
pub struct ChainState {
    /// Of all nodes, metres and m/s, world frame. `[group][node]`.
    pub(super) position: Vec<Three>,
    pub(super) velocity: Vec<Three>,
    /// Of the current step, N.
    pub(super) force: Vec<Three>,
    /// λ of all elements, of the last step and of the one before. `[group][element]`.
    pub(super) stretch: Vec<[Lane; 2]>,
    pub(super) rest: RestShapes,
    pub(super) muscles: Vec<Muscles>,
    /// By what factor a block's muscles shorten the largest time step.
    pub(super) muscle_factors: Vec<f64>,
    pub(super) segments: Vec<BodyState>,
    /// Of the current step, at the centres of mass, world axes.
    pub(super) loads: Vec<Wrench>,
    /// Segments at the front and at the rear of four blocks. `[group][front, rear]`.
    pub(super) frames: Vec<Frames>,
    /// Water that moves along with each segment; empty until there is any.
    pub(super) added: Vec<Added>,
    pub(super) water_work: f64,
    pub(super) impulses: Impulses,
}

impl ChainState {
    /// Work done against the water so far, J: the time integral of Fang 2015, Eq. C.2, and what was lost to water that moves along as segments came into it and out of it.
    pub fn water_work(&self) -> f64 {
        self.water_work
    }
}

impl Chain {
    /// At rest and straight: the head at `pose`, the others behind it along its −x.
    ///
    /// # Errors
    /// A pose that is not finite.
    pub fn state(&self, pose: &Pose) -> Result<ChainState, Error> {
        Error::unless(pose.is_finite(), "pose of a chain's head", pose.translation.norm(), "finite")?;
        let groups = self.sizes.len();
        let (nodes, elements) = (groups * self.grid.nodes(), groups * self.grid.elements());
        let blocks = &self.settings.blocks;
        let mut state = ChainState {
            position: vec![[[0.0; LANES]; 3]; nodes],
            velocity: vec![[[0.0; LANES]; 3]; nodes],
            force: vec![[[0.0; LANES]; 3]; nodes],
            stretch: vec![[[3.0; LANES]; 2]; elements],
            rest: self.rest_shapes(),
            muscles: blocks.iter().map(|size| Muscles::rest(size.x)).collect(),
            muscle_factors: vec![1.0; blocks.len()],
            segments: Vec::with_capacity(self.bodies.len()),
            loads: vec![Wrench::default(); self.bodies.len()],
            frames: vec![Frames::STILL; 2 * groups],
            added: Vec::new(),
            water_work: 0.0,
            impulses: Impulses::default(),
        };
        let mut behind = 0.0;
        for (s, body) in self.bodies.iter().enumerate() {
            let half = 0.5 * self.settings.segments[s].size.x;
            behind += if s == 0 { 0.0 } else { half };
            let offset = Pose::from_rotation_translation(nalgebra::UnitQuaternion::identity(), Vector3::new(-behind, 0.0, 0.0));
            state.segments.push(BodyState::at(body, &(*pose * offset)));
            behind += half;
            if let Some(size) = blocks.get(s) {
                let middle = Vector3::new(-behind - 0.5 * size.x, 0.0, 0.0);
                self.write_block(&mut state, s, |x| pose.act(&(middle + x)));
                behind += size.x;
            }
        }
        // Lanes without a block stay in the world's middle.
        (blocks.len()..groups * LANES).for_each(|block| self.write_block(&mut state, block, |x| *x));
        self.place_glued(&mut state);
        Ok(state)
    }

    fn write_block(&self, state: &mut ChainState, block: usize, place: impl Fn(&Vector3<f64>) -> Vector3<f64>) {
        let (g, lane) = lane_of(block);
        for at in self.grid.places() {
            let node = g * self.grid.nodes() + self.grid.node(at);
            write(&mut state.position[node], lane, &place(&self.initial(block, at)));
        }
    }

    /// How many segments.
    pub fn segments(&self) -> usize {
        self.bodies.len()
    }

    /// What it was made from.
    pub fn settings(&self) -> &ChainSettings {
        &self.settings
    }

    /// Nodes of a block: (c_x + 1)(c_y + 1)(c_z + 1). Node (i, j, k) has the number (i (c_y + 1) + j)(c_z + 1) + k; i goes back, j up, k to the right.
    pub fn nodes(&self) -> usize {
        self.grid.nodes()
    }

    /// Four corners of each tetrahedron of a block, by the nodes' numbers, in the order of its path.
    pub fn tetrahedra(&self) -> Vec<[usize; 4]> {
        let orders = self.grid.tetrahedra.iter().flatten();
        orders
            .map(|t| {
                // Numbers grow along a path, so they sort into it.
                let mut corners =
                    [t.edges[0][0], t.edges[0][1], t.edges[1][0], t.edges[1][1], t.edges[2][0], t.edges[2][1]].map(|n| n as usize);
                corners.sort_unstable();
                let mut path = [corners[0]; 4];
                let mut found = 0;
                for n in corners {
                    if n != path[found] {
                        found += 1;
                        path[found] = n;
                    }
                }
                path
            })
            .collect()
    }

    /// Outer triangles of a block's four free sides, by the nodes' numbers, outward.
    pub fn triangles(&self) -> Vec<[usize; 3]> {
        self.grid.triangles.iter().map(|t| t.nodes.map(|n| n as usize)).collect()
    }

    /// Places of a block's nodes, metres, world frame; none if there is no such block.
    pub fn positions<'a>(&self, state: &'a ChainState, block: usize) -> impl Iterator<Item = Vector3<f64>> + use<'a> {
        self.of_block(&state.position, block)
    }

    /// Velocities of a block's nodes, m/s, world frame.
    pub fn velocities<'a>(&self, state: &'a ChainState, block: usize) -> impl Iterator<Item = Vector3<f64>> + use<'a> {
        self.of_block(&state.velocity, block)
    }

    /// Elastic and damping forces on a block's nodes as they are now, N, world frame.
    pub fn forces<'a>(&self, state: &'a mut ChainState, block: usize) -> impl Iterator<Item = Vector3<f64>> + use<'a> {
        self.inner_forces(state);
        self.of_block(&state.force, block)
    }

    /// Masses of a block's nodes, kg, those of glued ones too.
    pub fn masses(&self, block: usize) -> impl Iterator<Item = f64> + '_ {
        let (g, lane) = lane_of(block);
        let count = if block < self.settings.blocks.len() { self.grid.nodes() } else { 0 };
        self.masses.iter().skip(g * self.grid.nodes()).take(count).map(move |masses| masses[lane])
    }

    fn of_block<'a>(&self, values: &'a [Three], block: usize) -> impl Iterator<Item = Vector3<f64>> + use<'a> {
        let ((g, lane), nodes) = (lane_of(block), self.grid.nodes());
        let range = if block < self.settings.blocks.len() { g * nodes..(g + 1) * nodes } else { 0..0 };
        values.get(range).unwrap_or_default().iter().map(move |value| read(value, lane))
    }

    /// Sets place and velocity of a node of a block, metres and m/s, world frame. A glued node goes with its segment: it stays.
    ///
    /// # Errors
    /// No such node; a place or velocity that is not finite.
    pub fn set_node(
        &self,
        state: &mut ChainState,
        block: usize,
        node: usize,
        place: &Vector3<f64>,
        velocity: &Vector3<f64>,
    ) -> Result<(), Error> {
        let missing = |what, found, index: usize| Err(Error::Length { what, expected: index.saturating_add(1), found });
        if block >= self.settings.blocks.len() {
            return missing("soft blocks of a chain", self.settings.blocks.len(), block);
        }
        if node >= self.grid.nodes() {
            return missing("nodes of a soft block", self.grid.nodes(), node);
        }
        let sum = place.sum() + velocity.sum();
        Error::unless(sum.is_finite(), "place or velocity of a node", sum, "finite")?;
        let layer = self.grid.layer();
        if (layer..self.grid.nodes() - layer).contains(&node) {
            let (g, lane) = lane_of(block);
            let node = g * self.grid.nodes() + node;
            write(&mut state.position[node], lane, place);
            write(&mut state.velocity[node], lane, velocity);
        }
        Ok(())
    }

    /// Of a segment's box. The identity if there is no such segment.
    pub fn pose(&self, state: &ChainState, segment: usize) -> Pose {
        let found = self.bodies.get(segment).zip(state.segments.get(segment));
        found.map_or(Pose::identity(), |(body, state)| Pose::from_rotation_translation(state.rotation, state.centre) * body.frame.inverse())
    }

    /// Velocity of a segment in world axes: angular, and linear of the middle of its box.
    pub fn twist(&self, state: &ChainState, segment: usize) -> Twist {
        let found = self.bodies.get(segment).zip(state.segments.get(segment));
        found.map_or(Twist::default(), |(body, state)| {
            let arm = state.matrix * body.middle;
            Twist::new(state.twist.angular, state.twist.velocity_at(&arm))
        })
    }

    /// Puts a segment somewhere, at the velocity it has. The free nodes of its blocks stay where they are.
    ///
    /// # Errors
    /// No such segment; a pose that is not finite.
    pub fn set_pose(&self, state: &mut ChainState, segment: usize, pose: &Pose) -> Result<(), Error> {
        Error::unless(pose.is_finite(), "pose of a segment", pose.translation.norm(), "finite")?;
        let (body, of) = self.segment_mut(state, segment)?;
        let pose = body.principal_pose(pose);
        (of.rotation, of.centre) = (pose.rotation, pose.translation);
        of.matrix = pose.rotation_matrix();
        of.momentum = body.momentum(&of.matrix, &of.twist);
        self.carry_water(state, segment);
        self.place_glued(state);
        Ok(())
    }

    /// Puts all segments somewhere, at rest; what is between two of them lies evenly between their faces.
    ///
    /// # Errors
    /// Not as many poses as segments, or one that is not finite.
    pub fn place(&self, state: &mut ChainState, poses: &[Pose]) -> Result<(), Error> {
        if poses.len() != self.bodies.len() {
            return Err(Error::Length { what: "poses of a chain's segments", expected: self.bodies.len(), found: poses.len() });
        }
        for (segment, pose) in poses.iter().enumerate() {
            self.set_twist(state, segment, &Twist::default())?;
            self.set_pose(state, segment, pose)?;
        }
        let cells = self.settings.cells[0];
        for block in 0..self.settings.blocks.len() {
            let (g, lane) = lane_of(block);
            let node = |at: [usize; 3]| g * self.grid.nodes() + self.grid.node(at);
            for [i, j, k] in self.grid.places().filter(|[i, ..]| (1..cells).contains(i)) {
                let ends = [[0, j, k], [cells, j, k]].map(|at| read(&state.position[node(at)], lane));
                write(&mut state.position[node([i, j, k])], lane, &ends[0].lerp(&ends[1], i as f64 / cells as f64));
                write(&mut state.velocity[node([i, j, k])], lane, &Vector3::zeros());
            }
        }
        Ok(())
    }

    /// Gives a segment a velocity in world axes: angular, and linear of the middle of its box.
    ///
    /// # Errors
    /// No such segment; a velocity that is not finite.
    pub fn set_twist(&self, state: &mut ChainState, segment: usize, twist: &Twist) -> Result<(), Error> {
        let sum = twist.angular.sum() + twist.linear.sum();
        Error::unless(sum.is_finite(), "velocity of a segment", sum, "finite")?;
        let (body, of) = self.segment_mut(state, segment)?;
        let arm = of.matrix * body.middle;
        of.twist = Twist::new(twist.angular, twist.velocity_at(&-arm));
        of.momentum = body.momentum(&of.matrix, &of.twist);
        self.carry_water(state, segment);
        self.place_glued(state);
        Ok(())
    }

    /// After a segment was put somewhere or thrown: the water that moves along with it goes as it does.
    fn carry_water(&self, state: &mut ChainState, segment: usize) {
        let found = state.added.get(segment).zip(self.bodies.get(segment)).zip(state.segments.get_mut(segment));
        if let Some(((added, body), of)) = found {
            of.momentum = added.momentum(body, &of.matrix, &of.twist);
        }
    }

    /// Throws the whole chain: each part moves as a rigid body would that has this velocity in the world frame, linear at its origin.
    ///
    /// # Errors
    /// A velocity that is not finite.
    pub fn throw(&self, state: &mut ChainState, twist: &Twist) -> Result<(), Error> {
        for s in 0..self.bodies.len() {
            let place = self.pose(state, s).translation;
            self.set_twist(state, s, &Twist::new(twist.angular, twist.velocity_at(&place)))?;
        }
        for block in 0..self.settings.blocks.len() {
            let (g, lane) = lane_of(block);
            for node in g * self.grid.nodes()..(g + 1) * self.grid.nodes() {
                let velocity = twist.velocity_at(&read(&state.position[node], lane));
                write(&mut state.velocity[node], lane, &velocity);
            }
        }
        Ok(())
    }

    /// Of one segment with its glued nodes and the water that moves along, about the world's origin, world axes.
    pub fn segment_momentum(&self, state: &ChainState, segment: usize) -> Momentum {
        state.segments.get(segment).map_or(Momentum::default(), |of| of.momentum.brought_from(&of.centre))
    }
}
