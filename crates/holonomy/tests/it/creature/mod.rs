//! Creatures: legs, terrain, walking, senses and decisions, with a stand-in for the dynamics of their bodies; and whole ones in their world.

mod antenna;
mod balance;
mod brain;
mod cycle;
mod economy;
mod edges;
mod forage;
mod gait;
mod leg;
mod make_up;
mod righting;
mod senses;
mod stuck;
mod switcher;
mod targeter;
mod terrain;
mod walk;
mod water;
mod wave;
mod waves;
mod world;

use holonomy::lie::Pose;
use holonomy::medium::Terrain;
use holonomy::nalgebra::Vector3;
use holonomy::systems::creature::leg::{Leg, Side};
use holonomy::systems::creature::make_up::{Legs, MakeUp, Sides};
use holonomy::systems::creature::switcher::Phase;
use holonomy::systems::creature::walk::{Events, Support, Surroundings, Walker, WalkerState};

/// Ticks in a second.
pub const RATE: f64 = 300.0;

/// The legs of the thesis: left and right together.
pub fn in_unison(make_up: MakeUp) -> MakeUp {
    let legs = make_up.legs.map(|legs| Legs { sides: Sides::Together, ..legs });
    MakeUp { legs, ..make_up }
}

/// Of `all` seeds of a test that takes minutes, how many to run: all if HOLONOMY_THOROUGH is set, as `./check soak` does, else a quarter.
pub fn seeds(all: u64) -> u64 {
    if std::env::var_os("HOLONOMY_THOROUGH").is_some() { all } else { all.div_ceil(4) }
}

/// A creature without dynamics: segments that are carried go where they are to go, free ones follow the one ahead.
pub struct StandIn {
    pub walker: Walker,
    pub state: WalkerState,
    pub poses: Vec<Pose>,
}

/// What feet did wrong, in lengths of the leg.
#[derive(Debug, Default, Clone, Copy)]
pub struct Feet {
    /// Farthest that a foot in STANCE was from where it was put down, by its joint angles.
    pub drift: f64,
    /// Deepest that any foot was in the ground.
    pub depth: f64,
}

impl StandIn {
    pub fn new(make_up: MakeUp, terrain: &Terrain, place: Vector3<f64>, forward: Vector3<f64>, seed: u64) -> StandIn {
        let walker = Walker::new(make_up).unwrap();
        let poses = walker.row(terrain, &place, &forward);
        StandIn { state: walker.start(seed), walker, poses }
    }

    pub fn tick(&mut self, around: &Surroundings) -> Events {
        let events = self.walker.tick(&mut self.state, around, &self.poses, 1.0 / RATE).unwrap();
        self.obey();
        events
    }

    /// Moves the segments as the tick said.
    pub fn obey(&mut self) {
        let make_up = self.walker.make_up();
        for i in 0..self.poses.len() {
            match self.state.supports[i] {
                Support::Carried(pose) => self.poses[i] = pose,
                Support::Free if i == 0 => {}
                Support::Free => {
                    let leader = self.poses[i - 1].translation;
                    self.poses[i] = make_up.targeter.follow(&self.poses[i], &leader, make_up.link(i), 1.0 / RATE);
                }
            }
        }
    }

    pub fn head(&self) -> Vector3<f64> {
        self.poses[0].translation
    }

    /// Tips from the joint angles, in the world: segments behind the head, left and right.
    pub fn tip(&self, segment: usize, side: usize) -> Vector3<f64> {
        let make_up = self.walker.make_up();
        let legs = make_up.legs.unwrap();
        let leg = Leg::new(legs.lengths, legs.ankle).unwrap();
        let root = Vector3::new(legs.root[0], legs.root[1], 0.5 * make_up.size_of(segment)[2]);
        let local = root + leg.tip(&self.state.legs[segment - 1][side].angles);
        self.poses[segment].act(&Side::BOTH[side].mirrored(&local))
    }

    /// Ticks, and looks at the feet: `holds` keeps where each was put down.
    pub fn watched_tick(&mut self, around: &Surroundings, holds: &mut Vec<[Option<Vector3<f64>>; 2]>, feet: &mut Feet) -> Events {
        let events = self.tick(around);
        holds.resize(self.state.legs.len(), [None; 2]);
        let length: f64 = self.walker.make_up().legs.unwrap().lengths.iter().sum();
        for segment in 1..self.poses.len() {
            for side in 0..2 {
                let leg = self.state.legs[segment - 1][side];
                let tip = self.tip(segment, side);
                let hold = &mut holds[segment - 1][side];
                *hold = (leg.phase == Phase::Stance).then(|| hold.filter(|_| !leg.landed).unwrap_or(tip));
                if let Some(hold) = hold {
                    feet.drift = feet.drift.max((tip - *hold).norm() / length);
                }
                // Tips of free segments are where the stand-in, not the tick, put them.
                if matches!(self.state.supports[segment], Support::Carried(_)) {
                    feet.depth = feet.depth.max(-around.terrain.contact(&tip).distance / length);
                }
            }
        }
        events
    }
}
