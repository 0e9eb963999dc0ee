//! A tick of one creature: senses and decisions, legs and muscles, then dynamics.

use nalgebra::Vector3;

use super::balance::Received;
use super::body_mode::BodyMode;
use super::brain::Command;
use super::pool::PoolState;
use super::progress::Effort;
use super::righting::Righting;
use super::senses::{Food, Pheromone};
use super::swim::Steering;
use super::walk::{Support, Surroundings, Walker};
use super::will::Will;
use super::world::{Creature, CreatureState, Pull, World};
use crate::Error;
use crate::elastic::chain::ground::{GroundBody, ground_load};
use crate::elastic::chain::{self, Chain, Drive};
use crate::lie::{Pose, Wrench};
use crate::medium::obstacle::Obstacle;
use crate::random::Random;

/// How fast muscles that brace a block out of the water stop one segment against the next, 1/s. Not in the thesis: without it, segments whose legs swing ring like bells, and the leg wave
/// stumbles over that (none of 20 seeds instead of all 20).
const TONE: f64 = 250.0;

/// Part of the stable step that is taken.
const SAFE: f64 = 0.9;

/// Way is measured over this time, seconds, or over the whole strokes that fill it.
const MEASURED: f64 = 1.0;

/// Way of a swimmer that gets on, in lengths of its body a stroke, at least; of one that walks,
/// over what it wants to make.
const SWUM: f64 = 0.05;
const WALKED: f64 = 0.1;

/// Halvings of a step, at most.
const MOST_HALVINGS: usize = 8;

impl World {
    /// A tick of one creature: senses and decisions, legs and muscles, then dynamics.
    pub(super) fn live(&self, k: usize, one: &mut CreatureState, common: &Common) -> Result<(), Error> {
        let (creature, (chain, walker)) = (&self.settings.creatures[k], &self.bodies[k]);
        self.wet(one, common);
        // What stands still stays in the list; of others, what it hunts is no obstacle to it.
        let ignored = |other: usize| other == k || creature.will == Will::Hunt(other);
        one.around.truncate(self.settings.obstacles.len());
        common.seen.iter().enumerate().filter(|(other, _)| !ignored(*other)).for_each(|(_, seen)| one.around.extend_from_slice(seen));
        let (command, steering) = self.will(k, one, common);
        let foods = if one.prey.is_empty() { common.foods } else { &one.prey };
        let surroundings = Surroundings {
            terrain: &self.settings.terrain,
            obstacles: &one.around,
            foods,
            trail: common.trail.filter(|_| matches!(creature.will, Will::Roam)),
            command,
            levels: &one.levels,
        };
        let events = walker.tick(&mut one.walker, &surroundings, &one.poses, common.duration)?;
        one.unreachable.extend(events.unreachable.filter(|food| !one.unreachable.contains(food)));
        let bite = bitten(creature, walker, one, foods);
        one.eaten = events.eaten.or(bite);
        one.walker.meals += usize::from(events.eaten.is_none() && bite.is_some());
        if let (Some(_), Will::Hunt(prey), None) = (one.eaten, &creature.will, one.caught) {
            one.caught = Some((*prey, common.time));
        }
        let swims = afloat(walker, one);
        let steering = steering.unwrap_or_else(|| {
            if !swims {
                return Steering { haste: 1.0, ..Steering::default() };
            }
            let mut random = Random(one.random);
            let steering = creature.vision.steer(&mut one.vision, &one.poses[0], foods, &one.around, &mut random);
            one.random = random.0;
            steering
        });
        self.flex(creature, chain, one, &steering, common)?;
        let wants = if swims { swims_on(creature, one, &steering) } else { walks_on(walker, command) };
        one.progress.watch(&Effort { time: common.time, head: one.poses[0].translation, wants, afloat: swims });
        self.look_down(chain, one);
        one.received = Received::default();
        let (mut left, mut driven) = (common.duration, 0.0);
        while left > 1e-9 * common.duration {
            let time_step = self.next_step(chain, one, common.duration).min(left);
            if time_step != driven {
                self.set_drives(chain, one, time_step / common.duration)?;
                driven = time_step;
            }
            left -= time_step;
            one.steps += 1;
            self.push(chain, one, time_step);
            let water = common.pool.map(|pool| chain::Water {
                density: pool.density,
                levels: &one.levels,
                flows: &one.flows,
                dynamics: pool.dynamics,
            });
            let gravity = match self.settings.pull {
                Pull::Down(pull) => Vector3::y() * -pull,
                Pull::ToSurface(_) => Vector3::zeros(),
            };
            chain.step(&mut one.chain, time_step, &chain::Surroundings { gravity, loads: &one.loads, water })?;
            let impulses = one.chain.impulses();
            one.received.all += impulses.total();
            one.received.from_ground += impulses.guides;
        }
        Ok(())
    }

    /// Where the water stands around each segment, and how fast it flows.
    fn wet(&self, one: &mut CreatureState, common: &Common) {
        let Some(pool) = common.pool else { return };
        for ((pose, level), under) in one.poses.iter().zip(&mut one.levels).zip(&mut one.submerged) {
            *level = pool.bearing_level(&pose.translation);
            *under = pose.translation.y < pool.level(&pose.translation);
        }
        one.flows.clear();
        one.flows.extend(one.poses.iter().map_while(|pose| pool.flow(&pose.translation)));
    }

    /// Muscles: they swim under water, exercise on land.
    fn flex(&self, creature: &Creature, chain: &Chain, one: &mut CreatureState, steering: &Steering, common: &Common) -> Result<(), Error> {
        if creature.righting == Righting::Reflex {
            let falls = one.walker.body_mode == BodyMode::InAir && one.walker.standing() == 0;
            one.righting.advance(&one.poses, falls, common.duration);
        }
        let CreatureState { stroke, submerged, righting, chain: state, .. } = one;
        let afloat = common.pool.is_some();
        creature.stroke.advance(stroke, steering, |block| afloat && submerged[block] && submerged[block + 1], common.duration);
        for block in 0..stroke.phases.len() {
            let length = creature.make_up.gap;
            let muscles = if stroke.onsets[block] > 0.0 {
                creature.stroke.muscles(stroke, block, length)
            } else if let Some(muscles) = righting.muscles(&chain.settings().blocks[block]) {
                muscles
            } else {
                creature.exercise.muscles(block, length, common.time, creature.stroke.phase_shift)
            };
            if chain.muscles(state, block) != Some(muscles) {
                chain.set_muscles(state, block, &muscles)?;
            }
        }
        Ok(())
    }

    /// A whole part of a tick, no longer than is asked for; halved while the body is stretched too far for that.
    fn next_step(&self, chain: &Chain, one: &CreatureState, duration: f64) -> f64 {
        let most = self.settings.time_step.min(SAFE * chain.largest_step());
        let mut time_step = duration / (duration / most * (1.0 - 1e-9)).ceil().max(1.0);
        let stable = SAFE * chain.stable_step(&one.chain);
        for _ in 0..MOST_HALVINGS {
            if time_step <= stable {
                break;
            }
            time_step *= 0.5;
        }
        time_step
    }

    /// Segments on legs go where these take them, by this share of the tick in each step; the others are free.
    fn set_drives(&self, chain: &Chain, one: &mut CreatureState, share: f64) -> Result<(), Error> {
        for segment in 0..one.poses.len() {
            let drive = match one.walker.supports[segment] {
                Support::Carried(end) => Drive::Carried { increment: Pose::exp(&((one.poses[segment].inverse() * end).log() * share)) },
                Support::Free => Drive::Free,
            };
            chain.set_drive(&mut one.chain, segment, &drive)?;
        }
        Ok(())
    }

    /// Which segments may touch the ground in this tick; and where up is, if they are pulled to a surface.
    fn look_down(&self, chain: &Chain, one: &mut CreatureState) {
        if matches!(self.settings.pull, Pull::ToSurface(_)) {
            one.ups.clear();
            one.ups.extend(one.poses.iter().map(|pose| self.settings.terrain.nearest(&pose.translation).normal));
        }
        for (segment, near) in one.near.iter_mut().enumerate() {
            let half = 0.5 * chain.settings().segments[segment].size;
            let free = one.walker.supports[segment] == Support::Free;
            *near = free && self.settings.terrain.contact(&one.poses[segment].translation).distance < 2.0 * half.norm();
        }
    }

    /// What ground, waves and the pull to a surface do to segments in the coming step; and what muscles do that brace blocks.
    fn push(&self, chain: &Chain, one: &mut CreatureState, time_step: f64) {
        for segment in 0..one.loads.len() {
            let mut load = one.pushes.get(segment).copied().unwrap_or_default();
            if one.near[segment] {
                let pose = chain.pose(&one.chain, segment);
                let of = &chain.settings().segments[segment];
                let body = GroundBody { pose, twist: chain.twist(&one.chain, segment), half_size: 0.5 * of.size, mass: of.mass };
                let query = |place: &Vector3<f64>| {
                    let near = self.settings.terrain.contact(place);
                    (near.distance, near.normal)
                };
                let ground = ground_load(&body, &self.settings.contact, query);
                one.received.from_ground += ground.brought_from(&pose.translation) * time_step;
                load += ground;
            }
            if let Pull::ToSurface(pull) = self.settings.pull {
                let mass = chain.settings().segments[segment].mass;
                load.linear -= one.ups[segment] * (mass * pull);
            }
            if load != Wrench::default() {
                one.received.all += load.brought_from(&chain.pose(&one.chain, segment).translation) * time_step;
            }
            one.loads[segment] = load;
        }
        for ahead in 0..one.loads.len().saturating_sub(1) {
            if !(one.submerged[ahead] && one.submerged[ahead + 1]) {
                brace(chain, one, ahead);
            }
        }
    }
}

/// Out of the water, muscles brace the block between a segment and the one behind it: a damper between the two, at the middle between them, so that their momenta do not change in sum.
fn brace(chain: &Chain, one: &mut CreatureState, ahead: usize) {
    let pair = [ahead, ahead + 1];
    if pair.iter().all(|&segment| one.walker.supports[segment] != Support::Free) {
        return;
    }
    let at = pair.map(|segment| chain.pose(&one.chain, segment).translation);
    let twist = pair.map(|segment| chain.twist(&one.chain, segment));
    let arms = at.map(|place| (at[0] + at[1]) * 0.5 - place);
    let of = &chain.settings().segments;
    let mass = of[ahead].mass.min(of[ahead + 1].mass);
    let moment = mass * of[ahead + 1].size.norm_squared() / 12.0;
    let force = (twist[1].velocity_at(&arms[1]) - twist[0].velocity_at(&arms[0])) * (TONE * mass);
    let torque = Wrench { angular: (twist[1].angular - twist[0].angular) * (TONE * moment), linear: Vector3::zeros() };
    one.loads[ahead] += Wrench::of_force_at(force, &arms[0]) + torque;
    one.loads[ahead + 1] -= Wrench::of_force_at(force, &arms[1]) + torque;
}

/// What all creatures share in a tick.
pub(super) struct Common<'a> {
    pub seen: &'a [Vec<Obstacle>],
    /// Who is caught.
    pub caught: &'a [bool],
    pub foods: &'a [Food],
    pub pool: Option<&'a PoolState>,
    pub trail: Option<&'a Pheromone>,
    pub time: f64,
    pub duration: f64,
}

/// Whether a creature swims.
fn afloat(walker: &Walker, one: &CreatureState) -> bool {
    one.walker.body_mode == BodyMode::InWater || !walker.walks() && one.submerged.contains(&true)
}

/// Way that a swimmer makes at least if it gets on, metres, and in which time, seconds; none if it
/// rests. Swimmers go some third of their length a stroke.
fn swims_on(creature: &Creature, one: &CreatureState, steering: &Steering) -> Option<[f64; 2]> {
    let frequency = one.stroke.pace[0];
    let strokes = (MEASURED * frequency).ceil();
    let rests = steering.haste <= 0.0 || frequency <= 0.0 || creature.stroke.contraction <= 0.0;
    (!rests).then(|| [SWUM * strokes * creature.make_up.length(), strokes / frequency])
}

/// The same of who walks.
fn walks_on(walker: &Walker, command: Option<Command>) -> Option<[f64; 2]> {
    let speed = command.map_or(walker.make_up().brain.speed, |command| command.speed);
    (walker.walks() && speed > 0.0).then_some([WALKED * speed * MEASURED, MEASURED])
}

/// The food that a swimmer's head has reached.
fn bitten(creature: &Creature, walker: &Walker, one: &CreatureState, foods: &[Food]) -> Option<usize> {
    let reach = creature.make_up.head[0] + creature.make_up.height;
    let reached = |food: &Food| food.strength > 0.0 && (food.place - one.poses[0].translation).norm() < reach;
    if afloat(walker, one) { foods.iter().position(reached) } else { None }
}
