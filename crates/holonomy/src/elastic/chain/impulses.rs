//! What came to a chain from outside in a step.
//!
//! Forces act at the start of a step, and each part moves by its new momentum, so x⁺ × p⁺ = (x + Δt p⁺/m) × p⁺ = x × p⁺ and
//!
//! ```text
//! change of momentum of the whole = Σ over forces from outside of Δt (x × f, f)          x: where f acts at the start of the step
//! ```
//!
//! to round-off. The sum is taken where these forces are made; momentum is read off what moved. So what is left between the two tells of inner forces that do not cancel, of glue that loses some, of water
//! carried along that is not accounted for, and of anything that moved a part between two steps.

use super::ChainState;
use crate::lie::Momentum;

/// Impulses of the last step, about the world's origin, world axes: N m s, N s. Loads that were given are not among them: who gives them knows them.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Impulses {
    /// Of gravity.
    pub weight: Momentum,
    /// Of the water: buoyancy, the force on faces, what stays behind in the water where a segment leaves it, and what a flow does to the water that moves along.
    pub water: Momentum,
    /// Of what carries segments: the force that makes them go as they are told.
    pub guides: Momentum,
}

impl Impulses {
    /// All of them.
    pub fn total(&self) -> Momentum {
        self.weight + self.water + self.guides
    }
}

impl ChainState {
    /// What came from outside in the last step.
    pub fn impulses(&self) -> &Impulses {
        &self.impulses
    }
}
