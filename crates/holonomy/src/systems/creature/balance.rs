//! The balance of momentum of a creature: in a tick it gains what came from outside, whatever its muscles do; in the air that is what gravity gives.
//!
//! What came from outside is summed where its forces are made ([`Impulses`](crate::elastic::chain::Impulses)), what was gained is read off the body. Both are exact for the steps of
//! dynamics, so that their difference is round-off: it shows inner forces, glue and bracing that do not cancel, and water carried along that is not accounted for. What legs give is the force that
//! makes the segments on them go as they are told: it is not put into question here, and [`ground_force`](super::ground_force) tells of it.

use nalgebra::Vector3;

use super::walk::Support;
use super::world::{CreatureState, Pull, World, WorldState};
use crate::elastic::chain::Chain;
use crate::lie::{Momentum, Wrench};
use crate::motion::Check;

/// What came to a creature from outside in a tick: impulses about the world's origin, world axes, N m s and N s.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Received {
    /// Of gravity, water and ground.
    pub all: Momentum,
    /// The part of the ground: by legs, and by what lies on it.
    pub from_ground: Momentum,
}

/// How well a creature's momentum is accounted for.
#[derive(Debug, Clone, Default)]
pub struct Balance {
    last: Option<Seen>,
    /// Greatest change in a tick that is not accounted for: angular, in parts of what a turn per second has; linear, in parts of what gravity gives.
    off: Option<[f64; 2]>,
    /// The same of ticks in the air, by gravity alone.
    aloft: Option<[f64; 2]>,
}

/// A creature after a tick.
#[derive(Debug, Clone, Copy)]
struct Seen {
    time: f64,
    /// About the world's origin.
    momentum: Momentum,
    centre: Vector3<f64>,
    dry: bool,
}

/// Round-off, with room: 3e-13 was measured.
const TOLERANCE: f64 = 1e-9;

impl Balance {
    /// Looks at a creature of a world after each tick.
    pub fn watch(&mut self, world: &World, creature: usize, state: &WorldState) {
        let Some(((chain, _), one)) = world.body(creature).zip(state.creatures.get(creature)) else { return };
        let (momentum, centre) = (chain.momentum(&one.chain), chain.centre(&one.chain));
        let now = Seen { time: state.time, momentum, centre, dry: is_dry(chain, one) };
        let Some(before) = self.last.replace(now) else { return };
        let duration = now.time - before.time;
        let parts = |off: Momentum, gravity: f64| {
            let (mass, size) = (chain.mass(), chain.settings().segments.iter().map(|segment| segment.size.x).sum::<f64>());
            let turn = mass * size * size / 12.0 * std::f64::consts::TAU;
            [off.angular.norm() / turn, off.linear.norm() / (mass * gravity.max(1.0) * duration)]
        };
        let pull = world.settings().pull;
        let off = now.momentum - before.momentum - one.received().all;
        keep(&mut self.off, parts(off.brought_from(&-centre), pull.size()));
        let free = one.walker.supports.iter().all(|support| *support == Support::Free) && !one.near.contains(&true);
        let (Pull::Down(gravity), true) = (pull, free && before.dry && now.dry) else { return };
        let [then, mut gained] = [before, now].map(|seen| seen.momentum.brought_from(&-seen.centre));
        gained -= then;
        gained.linear.y += chain.mass() * gravity * duration;
        keep(&mut self.aloft, parts(gained, gravity));
    }

    /// What is to be said of all that were looked at.
    pub fn checks<'a>(all: impl Iterator<Item = &'a Balance>) -> Vec<Check> {
        let (mut off, mut aloft) = (None, None);
        for one in all {
            one.off.into_iter().for_each(|parts| keep(&mut off, parts));
            one.aloft.into_iter().for_each(|parts| keep(&mut aloft, parts));
        }
        let named = |names: [&'static str; 2], worst: Option<[f64; 2]>| {
            let check = |(name, value)| Check { name, value, tolerance: TOLERANCE };
            worst.into_iter().flat_map(move |worst| names.into_iter().zip(worst).map(check))
        };
        let unaccounted = [
            "angular momentum about the centre that came from nowhere, in parts of that of a turn per second",
            "momentum that came from nowhere, in parts of what gravity gives",
        ];
        let in_the_air = [
            "angular momentum about the centre gained in the air, in parts of that of a turn per second",
            "momentum gained in the air beyond what gravity gives, in parts of that",
        ];
        named(unaccounted, off).chain(named(in_the_air, aloft)).collect()
    }
}

fn keep(worst: &mut Option<[f64; 2]>, parts: [f64; 2]) {
    let worst = worst.get_or_insert([0.0; 2]);
    // NaN is worse than any number.
    (0..2).for_each(|k| worst[k] = if parts[k] <= worst[k] { worst[k] } else { parts[k] });
}

/// Whether nothing of it is near the water. Soft blocks feel the water from half of a cell above it: so the lowest corners of segments must be by their height over it.
fn is_dry(chain: &Chain, one: &CreatureState) -> bool {
    let over = |(segment, level): (usize, &f64)| {
        let (pose, size) = (chain.pose(&one.chain, segment), chain.settings().segments[segment].size);
        let up = pose.rotation.inverse() * Vector3::y();
        pose.translation.y - 0.5 * up.abs().dot(&size) - size.y > *level
    };
    one.levels.iter().enumerate().all(over) && one.pushes.iter().all(|push| *push == Wrench::default())
}
