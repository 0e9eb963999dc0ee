//! Creatures in the air: there nothing but gravity may change their momentum, whatever their muscles do.

use super::walk::Support;
use super::world::{CreatureState, Pull};
use crate::elastic::chain::Chain;
use crate::lie::Momentum;
use crate::motion::Check;

/// What was seen of a creature in the air.
#[derive(Debug, Clone, Default)]
pub(super) struct Aloft {
    /// When it was last looked at, seconds, and its momentum then, angular about its centre of mass.
    last: Option<(f64, Momentum)>,
    /// Greatest change in a tick that gravity does not account for: angular, in parts of what a turn per second has; linear, in parts of what gravity gives.
    gained: Option<[f64; 2]>,
}

/// Round-off, with room: 1e-13 was measured.
const TOLERANCE: f64 = 1e-9;

impl Aloft {
    /// Looks at a creature after each tick. Ticks in which a leg bore it, or it was near the ground or in water, do not count.
    pub fn watch(&mut self, chain: &Chain, one: &CreatureState, pull: Pull, time: f64) {
        let (whole, centre) = (chain.momentum(&one.chain), chain.centre(&one.chain));
        let momentum = Momentum::new(whole.angular - centre.cross(&whole.linear), whole.linear);
        let before = self.last.replace((time, momentum));
        let free = one.walker.supports.iter().all(|support| *support == Support::Free) && !one.near.contains(&true);
        let dry = one.levels.iter().all(|&level| level == f64::NEG_INFINITY) && one.pushes.is_empty();
        let (Pull::Down(gravity), Some((then, before)), true) = (pull, before, free && dry) else { return };
        let (mass, size, duration) =
            (chain.mass(), chain.settings().segments.iter().map(|segment| segment.size.x).sum::<f64>(), time - then);
        let mut change = momentum - before;
        change.linear.y += mass * gravity * duration;
        let turn = mass * size * size / 12.0 * std::f64::consts::TAU;
        let now = [change.angular.norm() / turn, change.linear.norm() / (mass * gravity.max(1.0) * duration)];
        let worst = self.gained.get_or_insert([0.0; 2]);
        (0..2).for_each(|k| worst[k] = worst[k].max(now[k]));
    }

    /// What is to be said of those that were in the air.
    pub fn checks<'a>(all: impl Iterator<Item = &'a Aloft>) -> Vec<Check> {
        let worst = all.filter_map(|one| one.gained).reduce(|a, b| [a[0].max(b[0]), a[1].max(b[1])]);
        let check = |name, value| Check { name, value, tolerance: TOLERANCE };
        let named = |[angular, linear]: [f64; 2]| {
            [
                check("angular momentum about the centre gained in the air, in parts of that of a turn per second", angular),
                check("momentum gained in the air beyond what gravity gives, in parts of that", linear),
            ]
        };
        worst.into_iter().flat_map(named).collect()
    }
}
