//! What reaches the head: touch, support, smells; and the food it goes for.
//!
//! Fang 2015, Sec. 3.6, and "Update of the Head", 1, of App. D.

use nalgebra::Vector3;

use super::antenna::Reach;
use super::body_mode::BodyMode;
use super::brain::{Decision, Senses};
use super::leg::Side;
use super::senses::{Food, Smell, buried};
use super::switcher::Phase;
use super::walk::{Events, Surroundings, Walker, WalkerState};
use crate::lie::Pose;
use crate::medium::obstacle::Obstacle;
use crate::random::Random;

/// What is remembered of food.
#[derive(Debug, Clone, Default)]
pub(super) struct Appetite {
    /// Until when a food is left alone, seconds; per food.
    spurned: Vec<f64>,
    quest: Option<Quest>,
}

/// The food it goes for.
#[derive(Debug, Clone, Copy)]
struct Quest {
    food: usize,
    /// The nearest that the head has been to it, metres.
    nearest: f64,
    /// When that was, seconds.
    since: f64,
}

/// A food that cannot be reached is left alone for this many times the patience.
const SPURNED: f64 = 5.0;

/// It counts as nearer below this part of the nearest so far.
const NEARER: f64 = 0.98;

impl Walker {
    pub(super) fn feel(&self, state: &mut WalkerState, around: &Surroundings, head: &Pose, time_step: f64, random: &mut Random) {
        let Some(antennae) = self.make_up.antennae else { return };
        let reach = Reach { head: *head, obstacles: around.obstacles, terrain: around.terrain, time: state.time, time_step };
        for (antenna, side) in state.antennae.iter_mut().zip(Side::BOTH) {
            antennae.advance(antenna, side, &reach, random);
        }
    }

    /// Sensory information is processed, and the brain's mode switched.
    pub(super) fn decide(
        &self,
        state: &mut WalkerState,
        around: &Surroundings,
        head: &Pose,
        time_step: f64,
        random: &mut Random,
    ) -> (Decision, Events) {
        let (blocked, bump) = self.obstructed(around, head);
        // The touch lasts as long as the antenna draws back from it.
        let felt = state.antennae.each_ref().map(|antenna| antenna.contact || antenna.retreating);
        let tips = state.antennae.each_ref().map(|antenna| antenna.joints.last().copied().unwrap_or(head.translation));
        let (food, events) = self.forage(state, around, head, tips);
        let senses = Senses {
            support: support(state),
            contact: if felt[0] || felt[1] { felt } else { bump },
            blocked,
            food,
            trail: around.trail.map_or([0.0; 2], |trail| tips.map(|tip| trail.sense(&tip))),
            command: around.command,
            place: head.translation,
            confines: self.make_up.length(),
            time_step,
        };
        (self.make_up.brain.decide(&mut state.brain, &senses, random), events)
    }

    /// Whether the head is as near to an obstacle ahead as legs are wide, and on which side that is.
    fn obstructed(&self, around: &Surroundings, head: &Pose) -> (bool, [bool; 2]) {
        let ahead = head.rotation * Vector3::x();
        let nose = head.translation + ahead * (0.5 * self.make_up.head[0]);
        let near = |obstacle: &Obstacle| {
            let found = obstacle.distance(&nose);
            (found.value < self.berth).then_some(found.gradient)
        };
        let Some(normal) = around.obstacles.iter().filter_map(near).find(|normal| normal.dot(&ahead) < 0.0) else {
            return (false, [false; 2]);
        };
        let on_right = normal.dot(&(head.rotation * Vector3::z())) < 0.0;
        (true, [!on_right, on_right])
    }

    /// Where the smell of food grows, radians to the left, if there is enough of it. Food that is reached is eaten; food that cannot be reached is left alone for a while.
    fn forage(&self, state: &mut WalkerState, around: &Surroundings, head: &Pose, tips: [Vector3<f64>; 2]) -> (Option<f64>, Events) {
        let (foods, time, patience) = (around.foods, state.time, self.make_up.brain.patience);
        let nothing = (None, Events::default());
        let Some((target, apart)) = state.appetite.strongest(foods, &head.translation, time) else { return nothing };
        if apart < self.make_up.head[0] + self.make_up.height {
            state.appetite.quest = None;
            state.meals += 1;
            state.brain.rewarded();
            return (None, Events { eaten: Some(target), unreachable: None });
        }
        let smell = |place: &Vector3<f64>| Smell::of(foods, place, |k| time >= state.appetite.spurned[k]);
        if smell(&tips[0]).intensity.max(smell(&tips[1]).intensity) < self.make_up.brain.food_threshold {
            return nothing;
        }
        // All of an antenna smells. The direction is taken where the antennae begin: food may lie between there and their tips.
        let roots = state.antennae.each_ref().map(|antenna| antenna.joints.first().copied().unwrap_or(head.translation));
        let gradient = head.rotation.inverse() * (smell(&roots[0]).gradient + smell(&roots[1]).gradient);
        let new = state.appetite.pursue(target, apart, time);
        if (new && buried(&foods[target], around.obstacles)) || state.appetite.fruitless(time) > 2.0 * patience {
            state.appetite.spurned[target] = time + SPURNED * patience;
            state.appetite.quest = None;
            return (None, Events { eaten: None, unreachable: Some(target) });
        }
        (Some((-gradient.z).atan2(gradient.x)), Events::default())
    }
}

impl Appetite {
    /// The food that smells most of those that are not left alone, and how far it is, metres.
    fn strongest(&mut self, foods: &[Food], place: &Vector3<f64>, time: f64) -> Option<(usize, f64)> {
        if self.spurned.len() != foods.len() {
            self.spurned.clear();
            self.spurned.resize(foods.len(), 0.0);
            self.quest = None;
        }
        let mut best: Option<(usize, f64, f64)> = None;
        for (k, food) in foods.iter().enumerate().filter(|(k, food)| food.strength > 0.0 && time >= self.spurned[*k]) {
            let apart = (food.place - place).norm();
            let strength = food.strength / (apart * apart);
            if best.is_none_or(|(_, _, most)| strength > most) {
                best = Some((k, apart, strength));
            }
        }
        best.map(|(k, apart, _)| (k, apart))
    }

    /// Notes how near the food is that it goes for; whether that is another one than before.
    fn pursue(&mut self, food: usize, apart: f64, time: f64) -> bool {
        let same = self.quest.filter(|quest| quest.food == food);
        if same.is_none_or(|quest| apart < NEARER * quest.nearest) {
            self.quest = Some(Quest { food, nearest: apart, since: time });
        }
        same.is_none()
    }

    /// For how long it has come no nearer, seconds.
    fn fruitless(&self, time: f64) -> f64 {
        self.quest.map_or(0.0, |quest| time - quest.since)
    }
}

/// Which part of the legs that are out of the water stand. On its way between water and land the body bears itself otherwise.
fn support(state: &WalkerState) -> f64 {
    if state.climbing || matches!(state.body_mode, BodyMode::GroundToWater | BodyMode::WaterToGround | BodyMode::AirToWater) {
        return 1.0;
    }
    let legs = || state.legs.iter().flatten().filter(|leg| leg.phase != Phase::Tucked);
    let standing = legs().filter(|leg| leg.phase == Phase::Stance).count();
    standing as f64 / legs().count().max(1) as f64
}
