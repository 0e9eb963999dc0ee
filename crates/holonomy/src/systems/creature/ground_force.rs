//! What the ground gives a creature that walks.
//!
//! Segments on legs go where they are told, so what legs bear is not asked for but found: R = dP/dt − F, F all that gravity, water and contact give. Legs have no dynamics, and R may be more in a moment than a
//! foot could bear, or a pull. Over whole strides it is the weight: momentum comes back to itself, and nothing else bears the body.

use super::world::{Pull, World, WorldState};
use crate::motion::{Check, Quantity};

/// What the ground gives upward, by legs and by what lies on it: mean over the time from frame to frame.
pub const GROUND_FORCE: Quantity = Quantity::new("ground_force", "N");

/// What the ground has given a creature.
#[derive(Debug, Clone, Default)]
pub struct GroundForce {
    /// Upward, since it is looked at, N s.
    impulse: f64,
    /// Time and impulse as the first left leg touched down.
    strides: Vec<[f64; 2]>,
}

/// Off the weight, in parts of it.
const TOLERANCE: f64 = 0.02;

impl GroundForce {
    /// Looks at a creature after each tick.
    pub fn watch(&mut self, creature: usize, state: &WorldState) {
        let Some(one) = state.creatures.get(creature) else { return };
        self.impulse += one.received().from_ground.linear.y;
        if one.walker.legs.first().is_some_and(|pair| pair[0].landed) {
            self.strides.push([state.time, self.impulse]);
        }
    }

    /// Upward, since it is looked at, N s.
    pub fn impulse(&self) -> f64 {
        self.impulse
    }

    /// How far the mean over whole strides is off the weight, in parts of it, in the second half of a run to `end`. None without a whole stride, and where water bears the creature or it is not pulled down.
    pub fn off(&self, world: &World, creature: usize, end: f64) -> Option<f64> {
        let (chain, _) = world.body(creature)?;
        let Pull::Down(gravity) = world.settings().pull else { return None };
        let mut later = self.strides.iter().filter(|[time, _]| *time >= 0.5 * end);
        let ([from, before], [to, after]) = (later.next()?, later.next_back()?);
        let weight = chain.mass() * gravity;
        let dry = world.settings().pool.is_none();
        (dry && to > from && weight > 0.0).then(|| ((after - before) / (to - from) / weight - 1.0).abs())
    }

    /// What is to be said of all that walk.
    pub fn check(off: impl Iterator<Item = f64>) -> Option<Check> {
        let name = "mean force of the ground over whole strides, off the weight, in parts of it";
        off.reduce(f64::max).map(|value| Check { name, value, tolerance: TOLERANCE })
    }
}
