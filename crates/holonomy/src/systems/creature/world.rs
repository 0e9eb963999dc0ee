//! Creatures in their world: ground, obstacles, food, water, and each other.
//!
//! Fang 2015, App. D, "The Simulation Loop". The world goes in ticks of control, some 300 in a second; in a tick each creature senses, decides, moves its legs and muscles, then its body
//! takes some ten steps of dynamics; then the water moves.

use nalgebra::Vector3;
use rayon::prelude::*;

use super::balance::Received;
use super::birth::body;
use super::life::Common;
use super::make_up::MakeUp;
use super::pool::{Pool, PoolState};
use super::progress::Progress;
use super::righting::{Righting, RightingState};
use super::senses::{Food, Pheromone};
use super::swim::{Stroke, StrokeState, Vision, VisionState};
use super::trail;
use super::walk::{Walker, WalkerState};
use super::will::{Exercise, Order, Will};
use crate::Error;
use crate::elastic::chain::ground::GroundContact;
use crate::elastic::chain::{Chain, ChainState};
use crate::lie::{Pose, Twist, Wrench};
use crate::medium::Terrain;
use crate::medium::obstacle::Obstacle;

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
            pull: Pull::Down(crate::medium::GRAVITY),
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

impl Pull {
    /// m/s².
    pub fn size(self) -> f64 {
        let (Pull::Down(pull) | Pull::ToSurface(pull)) = self;
        pull
    }
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
    /// How far it is turned about its own length as it begins to fall, radians, right-handed about forward; who stands or swims is not.
    pub roll: f64,
    /// Whether it turns over as it falls.
    pub righting: Righting,
    /// Whether it begins in the water.
    pub afloat: bool,
    /// What it is after.
    pub will: Will,
    /// Whether it leaves a trail in a world that keeps one. Who follows another does not.
    pub lays: bool,
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
            roll: 0.0,
            righting: Righting::None,
            afloat: false,
            will: Will::Roam,
            lays: true,
            exercise: Exercise::None,
            cells: [2, 2, 2],
            seed: 1,
        }
    }
}

/// Creatures in their world, of settings that were checked. What changes is the [`WorldState`].
#[derive(Debug, Clone)]
pub struct World {
    pub(super) settings: WorldSettings,
    pub(super) bodies: Vec<(Chain, Walker)>,
}

/// All that changes.
#[derive(Debug, Clone)]
pub struct WorldState {
    /// Seconds since the first frame; negative before it.
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
    /// What it is told now, in place of its will, by a hand at each tick; its `from` does not count.
    pub order: Option<Order>,
    /// The creature that it has caught, and when, seconds.
    pub caught: Option<(usize, f64)>,
    /// Foods that it found out of reach.
    pub unreachable: Vec<usize>,
    /// Whether it got on.
    pub progress: Progress,
    /// Which segments' middles are under water.
    pub submerged: Vec<bool>,
    /// Steps of dynamics so far.
    pub steps: usize,
    pub(super) poses: Vec<Pose>,
    /// Water around each segment, metres above the origin; −∞ where it is dry.
    pub(super) levels: Vec<f64>,
    /// Velocity of the water at each segment, m/s, world; empty where it is taken to be at rest.
    pub(super) flows: Vec<Vector3<f64>>,
    pub(super) loads: Vec<Wrench>,
    /// Segments that may touch the ground in this tick.
    pub(super) near: Vec<bool>,
    /// Where up is for each segment, if it is pulled to a surface.
    pub(super) ups: Vec<Vector3<f64>>,
    /// What waves do to each segment, until the next tick.
    pub(super) pushes: Vec<Wrench>,
    pub(super) received: Received,
    pub(super) around: Vec<Obstacle>,
    pub(super) prey: Vec<Food>,
    pub(super) eaten: Option<usize>,
    pub(super) righting: RightingState,
    pub(super) random: u64,
}

/// What others see of a creature: a ball around each of its segments, this many times as large as they are.
const BERTH: f64 = 0.75;

/// A body that can take only shorter steps than this, seconds, is refused.
const SHORTEST: f64 = 1e-6;

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
        Error::unless_zero_or_more("gravity", settings.pull.size())?;
        for Food { place, strength } in &settings.foods {
            Error::unless(place.iter().all(|x| x.is_finite()), "place of a food", place.norm(), "finite")?;
            Error::unless_zero_or_more("smell of a food (m²)", *strength)?;
        }
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
            Error::unless(creature.roll.is_finite(), "roll of a creature as it begins", creature.roll, "a finite number of radians")?;
            if let Will::Follow(other) | Will::Hunt(other) | Will::Flee(other) = creature.will {
                Error::unless(other < count, "number of the other creature", other as f64, "less than the number of creatures")?;
            }
        }
        let bodies: Vec<(Chain, Walker)> = settings.creatures.iter().map(body).collect::<Result<_, _>>()?;
        for (chain, _) in &bodies {
            let expected = "1e-6 s or more, or it would take for ever: make it denser, softer, or of fewer cells";
            Error::unless(
                chain.largest_step() >= SHORTEST,
                "longest step of dynamics that a body can take (s)",
                chain.largest_step(),
                expected,
            )?;
        }
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

    /// One tick of `duration` seconds: Fang 2015, App. D.
    ///
    /// # Errors
    /// A state that is not of this world, a time step that the bodies cannot take, or a body whose motion broke down.
    pub fn tick(&self, state: &mut WorldState, duration: f64) -> Result<(), Error> {
        Error::unless(duration > 0.0 && duration.is_finite(), "tick", duration, "a positive number of seconds")?;
        let WorldState { time, creatures, foods, pool, trail, .. } = state;
        for (what, expected, found) in
            [("creatures of the state", self.bodies.len(), creatures.len()), ("foods of the state", self.settings.foods.len(), foods.len())]
        {
            if found != expected {
                return Err(Error::Length { what, expected, found });
            }
        }
        for Order { speed, turn, pitch, .. } in creatures.iter().filter_map(|one| one.order) {
            [speed, turn, pitch].into_iter().try_for_each(|x| Error::unless(x.is_finite(), "order of a creature", x, "finite"))?;
        }
        for (k, creature) in creatures.iter_mut().enumerate() {
            for (segment, pose) in creature.poses.iter_mut().enumerate() {
                *pose = self.bodies[k].0.pose(&creature.chain, segment);
            }
        }
        let seen: Vec<Vec<Obstacle>> =
            if creatures.len() > 1 { creatures.iter().enumerate().map(|(k, one)| self.seen(k, one)).collect() } else { Vec::new() };
        let mut caught = vec![false; creatures.len()];
        for (prey, _) in creatures.iter().filter_map(|one| one.caught) {
            if let Some(caught) = caught.get_mut(prey) {
                *caught = true;
            }
        }
        let common = Common { seen: &seen, caught: &caught, foods, pool: pool.as_ref(), trail: trail.as_ref(), time: *time, duration };
        // Alone it needs no second thread. Of several that cannot go on, the first is told, whichever thread was faster.
        if let [one] = creatures.as_mut_slice() {
            self.live(0, one, &common)?;
        } else {
            let lives: Vec<Result<(), Error>> = creatures.par_iter_mut().enumerate().map(|(k, one)| self.live(k, one, &common)).collect();
            lives.into_iter().collect::<Result<(), Error>>()?;
        }
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
        if let Some(left) = trail {
            for (k, one) in creatures.iter().enumerate().filter(|(k, _)| trail::lays(&self.settings.creatures[*k])) {
                let tail = self.bodies[k].0.pose(&one.chain, self.bodies[k].0.segments() - 1);
                left.deposit(&tail.translation, duration);
            }
            left.step(duration);
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
}

impl CreatureState {
    /// Where its segments were at the start of the last tick.
    pub fn poses(&self) -> &[Pose] {
        &self.poses
    }

    /// What came to it from outside in the last tick.
    pub fn received(&self) -> &Received {
        &self.received
    }
}

/// Velocity of a segment in the plane of x and z, and about +Y.
pub(super) fn level_motion(twist: &Twist) -> ([f64; 2], f64) {
    ([twist.linear.x, twist.linear.z], twist.angular.y)
}
