//! Creatures in their world: ground, obstacles, food, water, and each other.
//!
//! Fang 2015, App. D, "The Simulation Loop". The world goes in ticks of control, some 300 in a second; in a tick each creature senses, decides, moves its legs and muscles, then its body
//! takes some ten steps of dynamics; then the water moves.

use std::f64::consts::TAU;

use nalgebra::{UnitQuaternion, Vector3};
use rayon::prelude::*;

use super::make_up::MakeUp;
use super::pool::{Pool, PoolState};
use super::senses::{Food, Pheromone};
use super::swim::{Steering, Stroke, StrokeState, Vision, VisionState, bearing};
use super::walk::{Support, Surroundings, Walker, WalkerState};
use crate::Error;
use crate::elastic::chain::ground::{GroundBody, GroundContact, ground_load};
use crate::elastic::chain::{self, Chain, ChainSettings, ChainState, Damping, Drive, Muscles, Segment};
use crate::elastic::material;
use crate::lie::{Pose, Twist, Wrench};
use crate::medium::Terrain;
use crate::medium::obstacle::Obstacle;
use crate::random::Random;
use crate::systems::creature::body_mode::BodyMode;
use crate::systems::creature::brain::Command;

/// What creatures live in, and who they are.
#[derive(Debug, Clone, PartialEq)]
pub struct WorldSettings {
    /// What is walked on.
    pub terrain: Terrain,
    /// What is walked or swum around.
    pub obstacles: Vec<Obstacle>,
    /// What is looked for.
    pub foods: Vec<Food>,
    /// The water, if there is any.
    pub pool: Option<Pool>,
    /// What pulls bodies.
    pub pull: Pull,
    /// How the ground bears bodies that lie on it.
    pub contact: GroundContact,
    /// Who lives there.
    pub creatures: Vec<Creature>,
    /// What creatures leave behind for those that follow, if anything: an empty trail.
    pub trail: Option<Pheromone>,
    /// Steps of dynamics are no longer than this, seconds.
    pub time_step: f64,
}

impl Default for WorldSettings {
    /// A bare plain.
    fn default() -> Self {
        WorldSettings {
            terrain: Terrain::flat(0.0),
            obstacles: Vec::new(),
            foods: Vec::new(),
            pool: None,
            pull: Pull::Down(9.81),
            contact: GroundContact::default(),
            creatures: Vec::new(),
            trail: None,
            time_step: 1.0 / 3000.0,
        }
    }
}

/// What pulls bodies, m/s².
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Pull {
    /// Along −y.
    Down(f64),
    /// To the surface, wherever that is: for what is walked all over. Soft parts have no weight then.
    ToSurface(f64),
}

/// A creature, and how it begins.
#[derive(Debug, Clone, PartialEq)]
pub struct Creature {
    /// Its name.
    pub name: String,
    /// What it is made of.
    pub make_up: MakeUp,
    /// How it swims.
    pub stroke: Stroke,
    /// What it sees as it swims.
    pub vision: Vision,
    /// The head begins above the ground nearest to this place, metres, and higher by `drop`.
    pub place: Vector3<f64>,
    /// Where it looks.
    pub forward: Vector3<f64>,
    /// How far above where it would walk it begins, metres. In water: the head begins at `place` itself.
    pub drop: f64,
    /// Whether it begins in the water.
    pub afloat: bool,
    /// What it is after.
    pub will: Will,
    /// What its muscles do on land; in water they swim.
    pub exercise: Exercise,
    /// Cells of its soft blocks along x, y and z.
    pub cells: [usize; 3],
    /// Which random numbers it goes by.
    pub seed: u64,
}

impl Creature {
    /// One of that make-up that roams, at the origin.
    pub fn new(name: &str, make_up: MakeUp) -> Creature {
        Creature {
            name: name.into(),
            stroke: Stroke::default(),
            vision: Vision::of(make_up.length()),
            make_up,
            place: Vector3::zeros(),
            forward: Vector3::x(),
            drop: 0.0,
            afloat: false,
            will: Will::Roam,
            exercise: Exercise::None,
            cells: [2, 2, 2],
            seed: 1,
        }
    }
}

/// What a creature is after.
#[derive(Debug, Clone, PartialEq)]
pub enum Will {
    /// Food, or nothing: its own brain decides.
    Roam,
    /// To do as told: the last order whose time has come.
    Told(Vec<Order>),
    /// To stay behind the creature of this number. It heeds no obstacles.
    Follow(usize),
    /// To catch the creature of this number.
    Hunt(usize),
    /// To keep away from the creature of this number.
    Flee(usize),
}

/// What a creature is told.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Order {
    /// From when on, seconds.
    pub from: f64,
    /// Of who has legs, m/s, and swimming it goes as many times as fast as its stroke as it would walk at its own speed; of who has none, frequency over that of its stroke.
    pub speed: f64,
    /// To the left: of who has legs, rad/s; of who has none, −1 to 1.
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

/// Creatures in their world, of settings that were checked. What changes is the [`WorldState`].
#[derive(Debug, Clone)]
pub struct World {
    settings: WorldSettings,
    bodies: Vec<(Chain, Walker)>,
}

/// All that changes.
#[derive(Debug, Clone)]
pub struct WorldState {
    /// Seconds since the start.
    pub time: f64,
    /// The creatures.
    pub creatures: Vec<CreatureState>,
    /// What is left of the food: none of what has strength 0.
    pub foods: Vec<Food>,
    /// The water.
    pub pool: Option<PoolState>,
    /// What was left behind.
    pub trail: Option<Pheromone>,
}

/// A creature as it is.
#[derive(Debug, Clone)]
pub struct CreatureState {
    /// Its body.
    pub chain: ChainState,
    /// Its legs, antennae and brain.
    pub walker: WalkerState,
    /// Its muscles.
    pub stroke: StrokeState,
    /// What it saw.
    pub vision: VisionState,
    /// The creature that it has caught, and when, seconds.
    pub caught: Option<(usize, f64)>,
    /// Foods that it found out of reach.
    pub unreachable: Vec<usize>,
    /// Which segments' middles are under water.
    pub submerged: Vec<bool>,
    /// Steps of dynamics so far.
    pub steps: usize,
    poses: Vec<Pose>,
    /// Water around each segment, metres above the origin; −∞ where it is dry.
    levels: Vec<f64>,
    loads: Vec<Wrench>,
    /// Segments that may touch the ground in this tick.
    near: Vec<bool>,
    /// What waves do to each segment, until the next tick.
    pub(super) pushes: Vec<Wrench>,
    around: Vec<Obstacle>,
    prey: Vec<Food>,
    eaten: Option<usize>,
    random: u64,
}

/// A prey smells this strongly, m²: over any threshold wherever it is.
const PREY: f64 = 1e6;

/// How fast muscles that brace a block out of the water stop one segment against the next, 1/s. Not in the thesis: without it, segments whose legs swing ring like bells, and the leg wave
/// stumbles over that (none of 20 seeds instead of all 20).
const TONE: f64 = 250.0;

/// Part of the stable step that is taken.
const SAFE: f64 = 0.9;

/// Halvings of a step, at most.
const MOST_HALVINGS: usize = 8;

/// How long a creature that begins on the ground may take to find its feet before the start, ticks.
const FINDS_FEET: usize = 600;

/// What others see of a creature: a ball around each of its segments, this many times as large as they are.
const BERTH: f64 = 0.75;

impl World {
    /// Creatures in their world.
    ///
    /// # Errors
    /// Something that cannot be: see the settings. No creatures.
    pub fn new(settings: WorldSettings) -> Result<World, Error> {
        if settings.creatures.is_empty() {
            return Err(Error::Empty { what: "the list of creatures", fix: "give the world at least one" });
        }
        settings.terrain.validate()?;
        settings.contact.validate()?;
        settings.obstacles.iter().try_for_each(Obstacle::validate)?;
        settings.pool.iter().try_for_each(Pool::validate)?;
        let (Pull::Down(pull) | Pull::ToSurface(pull)) = settings.pull;
        Error::unless_zero_or_more("gravity", pull)?;
        Error::unless(
            settings.time_step > 0.0 && settings.time_step.is_finite(),
            "time step",
            settings.time_step,
            "a positive number of seconds",
        )?;
        let count = settings.creatures.len();
        for creature in &settings.creatures {
            creature.stroke.validate()?;
            let forward = creature.forward.norm();
            Error::unless(forward.is_finite() && forward > 0.0, "length of a creature's direction", forward, "finite and more than 0")?;
            Error::unless(creature.place.iter().all(|x| x.is_finite()), "place of a creature", creature.place.norm(), "finite")?;
            Error::unless_zero_or_more("height from which a creature drops", creature.drop)?;
            if let Will::Follow(other) | Will::Hunt(other) | Will::Flee(other) = creature.will {
                Error::unless(other < count, "number of the other creature", other as f64, "less than the number of creatures")?;
            }
        }
        let bodies = settings.creatures.iter().map(body).collect::<Result<_, _>>()?;
        Ok(World { settings, bodies })
    }

    /// The settings.
    pub fn settings(&self) -> &WorldSettings {
        &self.settings
    }

    /// Body and walker of a creature.
    pub fn body(&self, creature: usize) -> Option<&(Chain, Walker)> {
        self.bodies.get(creature)
    }

    /// How it begins.
    ///
    /// # Errors
    /// The water cannot be where it is said to be.
    pub fn begin(&self) -> Result<WorldState, Error> {
        let creatures = self
            .settings
            .creatures
            .iter()
            .zip(&self.bodies)
            .map(|(creature, body)| self.born(creature, body))
            .collect::<Result<Vec<_>, _>>()?;
        let foods = self.settings.foods.clone();
        let mut state = WorldState { time: 0.0, creatures, foods, pool: None, trail: self.settings.trail.clone() };
        if let Some(pool) = &self.settings.pool {
            state.pool = Some(pool.begin(self, &state.creatures)?);
        }
        Ok(state)
    }

    fn born(&self, creature: &Creature, (chain, walker): &(Chain, Walker)) -> Result<CreatureState, Error> {
        let count = creature.make_up.segments;
        let mut state = CreatureState {
            chain: chain.state(&Pose::identity())?,
            walker: walker.start(creature.seed),
            stroke: creature.stroke.start(count - 1),
            vision: VisionState::default(),
            caught: None,
            unreachable: Vec::new(),
            submerged: vec![false; count],
            steps: 0,
            poses: vec![Pose::identity(); count],
            levels: vec![f64::NEG_INFINITY; count],
            loads: vec![Wrench::default(); count],
            near: vec![true; count],
            pushes: Vec::new(),
            around: Vec::new(),
            prey: Vec::new(),
            eaten: None,
            random: creature.seed ^ 0x5eed,
        };
        let row = if creature.afloat || !walker.walks() {
            straight(creature)
        } else {
            let mut row = walker.row(&self.settings.terrain, &creature.place, &creature.forward);
            for pose in &mut row {
                pose.translation += self.settings.terrain.nearest(&pose.translation).normal * creature.drop;
            }
            if creature.drop == 0.0 {
                self.find_feet(walker, &mut state.walker, &mut row)?;
            }
            row
        };
        chain.place(&mut state.chain, &row)?;
        Ok(state)
    }

    /// Before the start, a creature on the ground puts its feet down where it is: its segments stay until their legs bear them.
    fn find_feet(&self, walker: &Walker, state: &mut WalkerState, row: &mut [Pose]) -> Result<(), Error> {
        let still = Surroundings { command: Some(Command { speed: 0.0, turn: 0.0 }), ..Surroundings::bare(&self.settings.terrain) };
        for _ in 0..FINDS_FEET {
            walker.tick(state, &still, row, 1.0 / 300.0)?;
            for (pose, support) in row.iter_mut().zip(&state.supports) {
                if let Support::Carried(end) = support {
                    *pose = *end;
                }
            }
            if state.standing() == 2 * state.legs.len() {
                break;
            }
        }
        state.time = 0.0;
        Ok(())
    }

    /// One tick of `duration` seconds: Fang 2015, App. D.
    ///
    /// # Errors
    /// A time step that the bodies cannot take, or a body whose motion broke down.
    pub fn tick(&self, state: &mut WorldState, duration: f64) -> Result<(), Error> {
        Error::unless(duration > 0.0 && duration.is_finite(), "tick", duration, "a positive number of seconds")?;
        let WorldState { time, creatures, foods, pool, trail, .. } = state;
        for (k, creature) in creatures.iter_mut().enumerate() {
            for (segment, pose) in creature.poses.iter_mut().enumerate() {
                *pose = self.bodies[k].0.pose(&creature.chain, segment);
            }
        }
        let seen: Vec<Vec<Obstacle>> =
            if creatures.len() > 1 { creatures.iter().enumerate().map(|(k, one)| self.seen(k, one)).collect() } else { Vec::new() };
        let common = Common { seen: &seen, foods, pool: pool.as_ref(), trail: trail.as_ref(), time: *time, duration };
        creatures.par_iter_mut().enumerate().try_for_each(|(k, one)| self.live(k, one, &common))?;
        for (k, one) in creatures.iter_mut().enumerate() {
            if let Some(food) = one.eaten.take()
                && matches!(self.settings.creatures[k].will, Will::Roam | Will::Told(_))
            {
                foods[food].strength = 0.0;
            }
        }
        if let (Some(pool), Some(water)) = (&self.settings.pool, pool.as_mut()) {
            pool.advance(self, creatures, water, duration)?;
        }
        if let Some(trail) = trail {
            for (k, one) in creatures.iter().enumerate().filter(|(k, _)| !matches!(self.settings.creatures[*k].will, Will::Follow(_))) {
                let tail = self.bodies[k].0.pose(&one.chain, self.bodies[k].0.segments() - 1);
                trail.deposit(&tail.translation, duration);
            }
            trail.step(duration);
        }
        state.time += duration;
        Ok(())
    }

    /// A creature, as others see it.
    fn seen(&self, k: usize, one: &CreatureState) -> Vec<Obstacle> {
        let make_up = &self.settings.creatures[k].make_up;
        let ball = |(segment, pose): (usize, &Pose)| {
            let [length, _, width] = make_up.size_of(segment);
            Obstacle::Sphere { center: pose.translation, radius: BERTH * length.max(width) }
        };
        one.poses.iter().enumerate().map(ball).collect()
    }

    /// A tick of one creature: senses and decisions, legs and muscles, then dynamics.
    fn live(&self, k: usize, one: &mut CreatureState, common: &Common) -> Result<(), Error> {
        let (creature, (chain, walker)) = (&self.settings.creatures[k], &self.bodies[k]);
        self.wet(one, common);
        one.around.clear();
        one.around.extend_from_slice(&self.settings.obstacles);
        common.seen.iter().enumerate().filter(|(other, _)| *other != k).for_each(|(_, seen)| one.around.extend_from_slice(seen));
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
        self.look_down(chain, one);
        let (mut left, mut driven) = (common.duration, 0.0);
        while left > 1e-9 * common.duration {
            let time_step = self.next_step(chain, one, common.duration).min(left);
            if time_step != driven {
                self.set_drives(chain, one, time_step / common.duration)?;
                driven = time_step;
            }
            left -= time_step;
            one.steps += 1;
            self.push(chain, one);
            let water = common.pool.map(|pool| chain::Water { density: pool.density, levels: &one.levels, flows: &[] });
            let gravity = match self.settings.pull {
                Pull::Down(pull) => Vector3::y() * -pull,
                Pull::ToSurface(_) => Vector3::zeros(),
            };
            chain.step(&mut one.chain, time_step, &chain::Surroundings { gravity, loads: &one.loads, water })?;
        }
        Ok(())
    }

    /// Where the water stands around each segment.
    fn wet(&self, one: &mut CreatureState, common: &Common) {
        let Some(pool) = common.pool else { return };
        for ((pose, level), under) in one.poses.iter().zip(&mut one.levels).zip(&mut one.submerged) {
            *level = pool.level(&pose.translation);
            *under = pose.translation.y < *level;
        }
    }

    /// What the creature is told by its will: to walk, and to swim. Prey is food that only it can smell.
    fn will(&self, k: usize, one: &mut CreatureState, common: &Common) -> (Option<Command>, Option<Steering>) {
        let creature = &self.settings.creatures[k];
        one.prey.clear();
        let middle = |other: usize, segment: usize| match common.seen.get(other).and_then(|seen| seen.get(segment)) {
            Some(Obstacle::Sphere { center, .. }) => *center,
            _ => Vector3::zeros(),
        };
        match &creature.will {
            Will::Roam => (None, None),
            Will::Told(orders) => {
                let order = orders.iter().rev().find(|order| order.from <= common.time);
                let none = Order { from: 0.0, speed: 0.0, turn: 0.0, pitch: 0.0 };
                let Order { speed, turn, pitch, .. } = order.copied().unwrap_or(none);
                // Of those that walk, orders are in their own speeds.
                let brain = &creature.make_up.brain;
                let walks = self.bodies[k].1.walks();
                let (haste, sharp) = if walks { (speed / brain.speed, turn / brain.turn_rate) } else { (speed, turn) };
                (Some(Command { speed, turn }), Some(Steering { turn: sharp, pitch, haste }))
            }
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
                // What it hunts is no obstacle to it.
                let own = |seen: &Obstacle| common.seen[prey].contains(seen);
                one.around.retain(|obstacle| !own(obstacle));
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

    /// Muscles: they swim under water, exercise on land.
    fn flex(&self, creature: &Creature, chain: &Chain, one: &mut CreatureState, steering: &Steering, common: &Common) -> Result<(), Error> {
        let CreatureState { stroke, submerged, chain: state, .. } = one;
        let afloat = common.pool.is_some();
        creature.stroke.advance(stroke, steering, |block| afloat && submerged[block] && submerged[block + 1], common.duration);
        for block in 0..stroke.phases.len() {
            let length = creature.make_up.gap;
            let muscles = if stroke.onsets[block] > 0.0 {
                creature.stroke.muscles(stroke, block, length)
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

    /// Which segments may touch the ground in this tick.
    fn look_down(&self, chain: &Chain, one: &mut CreatureState) {
        for (segment, near) in one.near.iter_mut().enumerate() {
            let half = 0.5 * chain.settings().segments[segment].size;
            let free = one.walker.supports[segment] == Support::Free;
            *near = free && self.settings.terrain.contact(&one.poses[segment].translation).distance < 2.0 * half.norm();
        }
    }

    /// What ground, waves and the pull to a surface do to segments.
    fn push(&self, chain: &Chain, one: &mut CreatureState) {
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
                load += ground_load(&body, &self.settings.contact, query);
            }
            if let Pull::ToSurface(pull) = self.settings.pull {
                let mass = chain.settings().segments[segment].mass;
                load.linear -= self.settings.terrain.nearest(&one.poses[segment].translation).normal * (mass * pull);
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
struct Common<'a> {
    seen: &'a [Vec<Obstacle>],
    foods: &'a [Food],
    pool: Option<&'a PoolState>,
    trail: Option<&'a Pheromone>,
    time: f64,
    duration: f64,
}

impl Exercise {
    /// The rest shape of a block of that length, metres.
    fn muscles(self, block: usize, length: f64, time: f64, phase_shift: f64) -> Muscles {
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

/// Whether a creature swims.
fn afloat(walker: &Walker, one: &CreatureState) -> bool {
    one.walker.body_mode == BodyMode::InWater || !walker.walks() && one.submerged.contains(&true)
}

/// The food that a swimmer's head has reached.
fn bitten(creature: &Creature, walker: &Walker, one: &CreatureState, foods: &[Food]) -> Option<usize> {
    let reach = creature.make_up.head[0] + creature.make_up.height;
    let reached = |food: &Food| food.strength > 0.0 && (food.place - one.poses[0].translation).norm() < reach;
    if afloat(walker, one) { foods.iter().position(reached) } else { None }
}

/// The body of a creature.
fn body(creature: &Creature) -> Result<(Chain, Walker), Error> {
    let walker = Walker::new(creature.make_up.clone())?;
    let MakeUp { segments, gap, material, .. } = creature.make_up;
    let size = |segment: usize| Vector3::from(creature.make_up.size_of(segment));
    let rigid = |segment: usize| Segment { size: size(segment), mass: material.rigid_density * size(segment).product() };
    // A block is as high and wide as the smaller of its neighbours, less a little, so that plates stand out.
    let block = |block: usize| {
        let slim = size(block).inf(&size(block + 1)) * 0.9;
        Vector3::new(gap, slim.y, slim.z)
    };
    let chain = Chain::new(ChainSettings {
        segments: (0..segments).map(rigid).collect(),
        blocks: (0..segments - 1).map(block).collect(),
        cells: creature.cells,
        material: material::Material {
            density: material.soft_density,
            young: material.youngs_modulus,
            poisson: material.poissons_ratio,
            ..material::Material::JELLY
        },
        damping: Damping::RotationFree(material.damping_rate),
        patches: 2,
    })?;
    Ok((chain, walker))
}

/// The segments in a straight row, the head at its place.
fn straight(creature: &Creature) -> Vec<Pose> {
    let make_up = &creature.make_up;
    let ahead = creature.forward.normalize();
    let level = Vector3::y() - ahead * ahead.y;
    let up = level.try_normalize(1e-9).unwrap_or_else(Vector3::x);
    let rotation = UnitQuaternion::from_matrix(&nalgebra::Matrix3::from_columns(&[ahead, up, ahead.cross(&up)]));
    let mut place = creature.place + Vector3::y() * creature.drop;
    (0..make_up.segments)
        .map(|segment| {
            place -= ahead * make_up.link(segment);
            Pose { rotation, translation: place }
        })
        .collect()
}

impl CreatureState {
    /// Where its segments were at the start of the last tick.
    pub fn poses(&self) -> &[Pose] {
        &self.poses
    }
}

/// Velocity of a segment in the plane of x and z, and about +Y.
pub(super) fn level_motion(twist: &Twist) -> ([f64; 2], f64) {
    ([twist.linear.x, twist.linear.z], twist.angular.y)
}
