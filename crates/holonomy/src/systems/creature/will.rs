//! What creatures are after, and what their muscles do on land.

use std::f64::consts::TAU;

use nalgebra::Vector3;

use super::brain::Command;
use super::life::Common;
use super::senses::Food;
use super::swim::{Steering, bearing};
use super::world::{CreatureState, World};
use crate::elastic::chain::Muscles;
use crate::medium::obstacle::Obstacle;

/// What a creature is after.
#[derive(Debug, Clone, PartialEq)]
pub enum Will {
    /// Food, or nothing: its own brain decides.
    Roam,
    /// To do as told: the last order whose time has come.
    Told(Vec<Order>),
    /// To stay behind the creature of this number. It heeds no obstacles.
    Follow(usize),
    /// To catch the creature of this number; then both rest.
    Hunt(usize),
    /// To keep away from the creature of this number.
    Flee(usize),
}

/// What a creature is told.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Order {
    /// From when on, seconds.
    pub from: f64,
    /// Of who has legs, m/s (0 or less: it stands; its legs keep up with some three times its own speed), and swimming it goes as many times as fast as its stroke as it would walk at its own speed; of who has none, frequency over that of its stroke.
    pub speed: f64,
    /// To the left: of who has legs, rad/s, as long as the body follows: who stands turns its head to 45°; of who has none, −1 to 1.
    pub turn: f64,
    /// Swimming: up 1, down −1.
    pub pitch: f64,
}

/// What muscles do out of the water (Fang 2015, Figs. 5.2 and 5.3).
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Exercise {
    /// They rest.
    None,
    /// Left and right in turn, all blocks at once, at this frequency, Hz.
    Flap(f64),
    /// All sides of a block together, in a wave along the body, at this frequency, Hz.
    Worm(f64),
    /// The left shortens for good within this time, seconds: the body becomes a C.
    Curl(f64),
    /// The bottom does: it rolls up.
    Coil(f64),
}

/// A prey smells this strongly, m²: over any threshold wherever it is.
const PREY: f64 = 1e6;

impl World {
    /// What the creature is told by its will: to walk, and to swim. Prey is food that only it can smell.
    pub(super) fn will(&self, k: usize, one: &mut CreatureState, common: &Common) -> (Option<Command>, Option<Steering>) {
        let creature = &self.settings.creatures[k];
        one.prey.clear();
        // Who has caught its prey, and who is caught, rests.
        if one.caught.is_some() || common.caught[k] {
            return (Some(Command { speed: 0.0, turn: 0.0 }), Some(Steering::default()));
        }
        let middle = |other: usize, segment: usize| match common.seen.get(other).and_then(|seen| seen.get(segment)) {
            Some(Obstacle::Sphere { center, .. }) => *center,
            _ => Vector3::zeros(),
        };
        let obeyed = |order: Option<&Order>| {
            let none = Order { from: 0.0, speed: 0.0, turn: 0.0, pitch: 0.0 };
            let Order { speed, turn, pitch, .. } = order.copied().unwrap_or(none);
            // Of those that walk, orders are in their own speeds.
            let brain = &creature.make_up.brain;
            let walks = self.bodies[k].1.walks();
            let (haste, sharp) = if walks { (speed / brain.speed, turn / brain.turn_rate) } else { (speed, turn) };
            (Some(Command { speed, turn }), Some(Steering { turn: sharp, pitch, haste }))
        };
        if one.order.is_some() {
            return obeyed(one.order.as_ref());
        }
        match &creature.will {
            Will::Roam => (None, None),
            Will::Told(orders) => obeyed(orders.iter().rev().find(|order| order.from <= common.time.max(0.0))),
            &Will::Follow(leader) => {
                let tail = middle(leader, self.bodies[leader].0.segments() - 1);
                let (away, angle) = bearing(&one.poses[0], &tail);
                let brain = &creature.make_up.brain;
                let length = creature.make_up.length();
                let speed = brain.speed * ((away - 0.15 * length) / (0.2 * length)).clamp(0.0, 1.4);
                let turn = (4.0 * angle).clamp(-brain.turn_rate, brain.turn_rate);
                (
                    Some(Command { speed, turn }),
                    Some(Steering { turn: (2.0 * angle).clamp(-1.0, 1.0), pitch: 0.0, haste: speed / brain.speed }),
                )
            }
            &Will::Hunt(prey) => {
                let parts = (0..self.bodies[prey].0.segments()).map(|segment| middle(prey, segment));
                let head = one.poses[0].translation;
                let nearest = parts.min_by(|a, b| (a - head).norm_squared().total_cmp(&(b - head).norm_squared())).unwrap_or(head);
                one.prey.push(Food { place: nearest, strength: PREY });
                (None, None)
            }
            &Will::Flee(hunter) => {
                let (head, threat) = (one.poses[0].translation, middle(hunter, 0));
                let away = head - threat;
                if away.norm() < 2.0 * creature.make_up.length() {
                    let to = away.try_normalize(1e-9).unwrap_or_else(Vector3::x) * (3.0 * creature.make_up.length());
                    one.prey.push(Food { place: head + to, strength: PREY });
                }
                (None, None)
            }
        }
    }
}

impl Exercise {
    /// The rest shape of a block of that length, metres.
    pub(super) fn muscles(self, block: usize, length: f64, time: f64, phase_shift: f64) -> Muscles {
        let rest = Muscles::rest(length);
        let eased = |within: f64| {
            let share = if within > 0.0 { (time / within).clamp(0.0, 1.0) } else { 1.0 };
            share * share * (3.0 - 2.0 * share)
        };
        match self {
            Exercise::None => rest,
            Exercise::Flap(frequency) => {
                let wave = 0.25 * (TAU * frequency * time).sin();
                Muscles { left: length * (0.75 + wave), right: length * (0.75 - wave), ..rest }
            }
            Exercise::Worm(frequency) => {
                let side = length * (0.85 + 0.15 * (TAU * frequency * time - block as f64 * phase_shift).cos());
                Muscles { left: side, right: side, ..rest }
            }
            Exercise::Curl(within) => Muscles { left: length * (1.0 - 0.6 * eased(within)), ..rest },
            Exercise::Coil(within) => Muscles { bottom: length * (1.0 - 0.6 * eased(within)), ..rest },
        }
    }
}
