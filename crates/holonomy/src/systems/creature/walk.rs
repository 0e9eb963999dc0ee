//! A creature that walks: senses, head, segments and legs, a tick of control at a time.
//!
//! Fang 2015, App. D, in its order: antennae, head, then each rigid segment with its legs, from head to tail. It is called about 300 times in a second of simulated time, with the
//! segments' poses as dynamics left them, and answers where those that stand on legs go until the next tick. All that is here is kinematics: who moves the other segments is not its concern.
//!
//! Only the surface's own normal says where up is; gravity is not asked.

use nalgebra::{UnitQuaternion, Vector3};

use super::antenna::AntennaState;
use super::body_mode::{BodyMode, Census};
use super::brain::{BrainState, Command, Decision, Mode};
use super::leg::{Leg, LegAngles, Side};
use super::make_up::{MakeUp, Poses};
use super::perceive::Appetite;
use super::senses::{Food, Pheromone};
use super::switcher::Phase;
use super::targeter::turned;
use crate::Error;
use crate::lie::{Pose, Rotation};
use crate::medium::Terrain;
use crate::medium::obstacle::Obstacle;
use crate::medium::terrain::Nearest;
use crate::random::Random;

/// A creature that can walk, of a make-up that was checked.
#[derive(Debug, Clone)]
pub struct Walker {
    pub(super) make_up: MakeUp,
    pub(super) leg: Option<Leg>,
    /// Root of the right leg in the segment's frame, metres; per segment.
    pub(super) roots: Vec<Vector3<f64>>,
    /// From the segment to the one ahead, metres; per segment.
    pub(super) links: Vec<f64>,
    /// How near the head goes to what is ahead, metres: from the body's middle line to the feet of legs that stand straight out, and more.
    pub(super) berth: f64,
    /// Phase lag of neighbouring legs in parts of the period, when it walks at its speed.
    pub(super) stagger: f64,
    /// From a leg's lift-off to its next, when it walks at its speed, seconds.
    pub(super) period: f64,
    /// How fast it gets faster, m/s².
    acceleration: f64,
}

/// What is around a creature in a tick.
#[derive(Debug, Clone, Copy)]
pub struct Surroundings<'a> {
    /// What it walks on.
    pub terrain: &'a Terrain,
    /// What it walks around: columns, boxes, walls, and other creatures where they are now.
    pub obstacles: &'a [Obstacle],
    /// What it looks for.
    pub foods: &'a [Food],
    /// What others left.
    pub trail: Option<&'a Pheromone>,
    /// What it is told to do.
    pub command: Option<Command>,
    /// Height of the water at each segment, metres, −∞ where it is dry; empty if there is none.
    pub levels: &'a [f64],
}

impl<'a> Surroundings<'a> {
    /// Nothing but ground.
    pub fn bare(terrain: &'a Terrain) -> Surroundings<'a> {
        Surroundings { terrain, obstacles: &[], foods: &[], trail: None, command: None, levels: &[] }
    }

    /// Whether the middle of a segment is under water.
    pub(super) fn is_under(&self, segment: usize, pose: &Pose) -> bool {
        self.levels.get(segment).is_some_and(|level| pose.translation.y < *level)
    }

    /// What bears the head: the ground, or the water's surface where that is higher than a head on
    /// the ground; its middle floats at the surface. Who climbs out of the water goes by the
    /// ground.
    fn bearing(&self, head: &Pose, height: f64, climbing: bool) -> Nearest {
        let ground = self.terrain.nearest(&head.translation);
        if climbing {
            return ground;
        }
        let afloat = self.levels.first().map_or(f64::INFINITY, |level| head.translation.y - level + height);
        if afloat < ground.distance { Nearest { distance: afloat, normal: Vector3::y() } } else { ground }
    }
}

/// What moves a segment until the next tick.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Support {
    /// Its legs, or the head's will: it is to be in this pose at the end of the tick.
    Carried(Pose),
    /// Dynamics.
    Free,
}

/// A leg as it is at the end of the tick.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LegState {
    /// What it is doing.
    pub phase: Phase,
    /// Its joints.
    pub angles: LegAngles,
    /// Where its tip is, metres, world. It does not move while the leg stands.
    pub tip: Vector3<f64>,
    /// Whether it has entered STANCE in this tick.
    pub landed: bool,
    /// Whether the tip has been clear of the ground since it last stood: only then can it touch it.
    pub(super) lifted: bool,
}

/// What happened in a tick.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Events {
    /// The food that was reached. Who owns the list takes it away, by a strength of 0.
    pub eaten: Option<usize>,
    /// A food that cannot be reached, as it lies inside of an obstacle or the creature came no nearer for long. It is left alone for a while.
    pub unreachable: Option<usize>,
}

/// All that changes as a creature walks.
#[derive(Debug, Clone)]
pub struct WalkerState {
    /// Seconds since the start.
    pub time: f64,
    /// What moves each segment until the next tick.
    pub supports: Vec<Support>,
    /// Legs of the segments behind the head, left and right.
    pub legs: Vec<[LegState; 2]>,
    /// Left and right; without joints if there are none.
    pub antennae: [AntennaState; 2],
    /// What the head remembers.
    pub brain: BrainState,
    /// Where the body is.
    pub body_mode: BodyMode,
    /// How many foods were eaten.
    pub meals: usize,
    /// Where each segment will be at the end of the tick, as far as is known.
    pub(super) ends: Vec<Pose>,
    /// Where each was in the tick before.
    pub(super) before: Vec<Pose>,
    /// For how long no leg of the segment stood, seconds.
    pub(super) hanging: Vec<f64>,
    pub(super) appetite: Appetite,
    /// Of the head, forward, m/s.
    pub(super) speed: f64,
    pub(super) beat: Beat,
    /// Whether its head goes up a face of land that it met in the water.
    pub(super) climbing: bool,
    random: u64,
}

/// What keeps the two legs in step that begin the wave, left and right.
#[derive(Debug, Clone, Copy)]
pub(super) struct Beat {
    /// When each last lifted off, seconds; −∞ if it never did.
    pub lifted: [f64; 2],
    /// When each is to lift off at the latest, seconds; ∞ if it may stand.
    pub due: [f64; 2],
}

/// Sine of the angle to the segment behind it beyond which the head turns no further: 45°. In walks it is at most some 25°.
const NECK: f64 = std::f64::consts::FRAC_1_SQRT_2;

/// How much wider than its legs the head takes corners: the body behind it cuts them.
const BERTH: f64 = 1.4;

/// How many periods of its legs it takes to come to its speed. From a stand all legs have to lift within one stance: at full speed most would be in the air at once.
const PERIODS_TO_SPEED: f64 = 2.0;

/// A swimmer climbs land whose normal is less upright than this, and which it faces by this cosine.
const STEEP: f64 = 0.7;
const FACING: f64 = 0.3;

/// How far into the land it is asked whether it rises above the water, and beyond which distance a
/// face is lost; in reaches of the head.
const INTO: f64 = 0.1;
const LOST: f64 = 3.0;

/// A segment whose legs have not stood for this long is not on the ground, seconds.
const HANGING: f64 = 0.5;

impl Walker {
    /// A creature of that make-up.
    ///
    /// # Errors
    /// The make-up cannot be: see [`MakeUp::validate`].
    pub fn new(make_up: MakeUp) -> Result<Walker, Error> {
        make_up.validate()?;
        let leg = make_up.legs.map(|legs| Leg::new(legs.lengths, legs.ankle)).transpose()?;
        let root = make_up.legs.map_or([0.0; 2], |legs| legs.root);
        let mut berth = 0.5 * make_up.segment[2].max(make_up.head[2]);
        let (mut stagger, mut period, mut acceleration) = (0.0, 0.0, f64::INFINITY);
        if let (Some(leg), Some(legs), Some(lag)) = (&leg, &make_up.legs, make_up.expected_lag()) {
            let foot = |angles: &LegAngles| leg.tip(angles);
            let Poses { anterior, posterior, up, .. } = legs.poses;
            berth = BERTH * (berth + foot(&LegAngles { sweep: 0.0, ..anterior }).z);
            if make_up.brain.speed > 0.0 {
                let stance = (foot(&anterior).x - foot(&posterior).x) / make_up.brain.speed;
                period = stance + (posterior.apart(&up) + up.apart(&anterior)) / legs.speed;
                (stagger, acceleration) = (lag / period, make_up.brain.speed / (PERIODS_TO_SPEED * period));
            }
        }
        let roots = (0..make_up.segments).map(|i| Vector3::new(root[0], root[1], 0.5 * make_up.size_of(i)[2])).collect();
        let links = (0..make_up.segments).map(|i| make_up.link(i)).collect();
        Ok(Walker { make_up, leg, roots, links, berth, stagger, period, acceleration })
    }

    /// What it is made of.
    pub fn make_up(&self) -> &MakeUp {
        &self.make_up
    }

    /// Whether it can walk at all: it has legs, and segments behind the head to bear them. Otherwise all its segments are free.
    pub fn walks(&self) -> bool {
        self.leg.is_some() && self.make_up.segments > 1
    }

    /// Root, knee, ankle and tip of a leg of a segment, in the segment's frame, metres; all at the root without legs.
    pub fn joints(&self, segment: usize, side: Side, angles: &LegAngles) -> [Vector3<f64>; 4] {
        let root = self.roots.get(segment).copied().unwrap_or_default();
        let joints = self.leg.map_or([Vector3::zeros(); 4], |leg| leg.joints(angles));
        joints.map(|joint| side.mirrored(&(root + joint)))
    }

    /// The angles with which a leg of a segment has its tip there, metres, in the segment's frame; none where it cannot reach.
    pub(super) fn reaching(&self, segment: usize, side: Side, tip: &Vector3<f64>) -> Option<LegAngles> {
        let root = self.roots.get(segment)?;
        self.leg.as_ref()?.angles(&(side.mirrored(tip) - root))
    }

    /// Root, ends of links and tip of both antennae on a head that is there, metres; none without antennae.
    pub fn antennae(&self, state: &WalkerState, head: &Pose) -> Vec<Vec<Vector3<f64>>> {
        let Some(antennae) = self.make_up.antennae else { return Vec::new() };
        let of = |(antenna, side): (&AntennaState, Side)| antennae.joints(antenna.root, side, head, state.time).collect();
        state.antennae.iter().zip(Side::BOTH).map(of).collect()
    }

    /// A start with legs in random states.
    pub fn start(&self, seed: u64) -> WalkerState {
        let mut random = Random(seed);
        let count = self.make_up.segments;
        let pair = |random: &mut Random| [self.any_leg(random), self.any_leg(random)];
        let legs = if self.walks() { (1..count).map(|_| pair(&mut random)).collect() } else { Vec::new() };
        let none = AntennaState { root: [0.0; 2], goal: [0.0; 2], joints: Vec::new(), contact: false, retreating: false };
        let antenna = self.make_up.antennae.map_or(none, |antennae| antennae.start());
        WalkerState {
            time: 0.0,
            supports: vec![Support::Free; count],
            legs,
            antennae: [antenna.clone(), antenna],
            brain: BrainState::start(),
            body_mode: BodyMode::InAir,
            meals: 0,
            ends: Vec::with_capacity(count),
            before: Vec::with_capacity(count),
            hanging: vec![f64::INFINITY; count],
            appetite: Appetite::default(),
            speed: 0.0,
            beat: Beat { lifted: [f64::NEG_INFINITY; 2], due: [f64::INFINITY; 2] },
            climbing: false,
            random: random.0,
        }
    }

    /// Somewhere on its way through one of the four states of a leg in the air.
    fn any_leg(&self, random: &mut Random) -> LegState {
        let phase = Phase::ALL[(4.0 * random.unit()) as usize];
        let share = random.unit();
        let angles = self.make_up.legs.map_or(LegAngles::default(), |legs| {
            let poses = legs.poses;
            let from = match phase {
                Phase::ForwardUp => poses.posterior,
                Phase::ForwardDown => poses.up,
                Phase::BackwardDown => poses.anterior,
                _ => poses.down,
            };
            phase.goal(&poses).map_or(from, |goal| from.towards(&goal, share))
        });
        LegState { phase, angles, tip: Vector3::zeros(), landed: false, lifted: false }
    }

    /// The segments in a row on the terrain at their height: the head above the surface nearest to `place`, looking along `forward`.
    pub fn row(&self, terrain: &Terrain, place: &Vector3<f64>, forward: &Vector3<f64>) -> Vec<Pose> {
        let mut row: Vec<Pose> = Vec::with_capacity(self.make_up.segments);
        let mut ahead = *forward;
        for &link in &self.links {
            let last = row.last().map(|pose| pose.translation);
            let mut spot = last.map_or(*place, |last| last - ahead * link);
            let mut up = Vector3::y();
            // On ground that bends, the height brings segments together or apart: again, with the right distance.
            for _ in 0..8 {
                let ground = terrain.foothold(&spot);
                up = terrain.nearest(&ground).normal;
                spot = ground + up * self.make_up.height;
                let apart = last.and_then(|last| (spot - last).try_normalize(1e-9));
                spot = last.zip(apart).map_or(spot, |(last, apart)| last + apart * link);
            }
            let level = ahead - up * ahead.dot(&up);
            let side = Vector3::x() - up * up.x;
            ahead = level.try_normalize(1e-9).or_else(|| side.try_normalize(1e-9)).unwrap_or_else(Vector3::z);
            let axes = nalgebra::Matrix3::from_columns(&[ahead, up, ahead.cross(&up)]);
            row.push(Pose { rotation: UnitQuaternion::from_matrix(&axes), translation: spot });
        }
        row
    }

    /// One tick of `time_step` seconds, from the segments' `poses`: Fang 2015, App. D.
    ///
    /// # Errors
    /// Poses or water that do not match the segments, a pose that is not finite, or a time step that is not positive.
    pub fn tick(&self, state: &mut WalkerState, around: &Surroundings, poses: &[Pose], time_step: f64) -> Result<Events, Error> {
        self.check(state, around, poses, time_step)?;
        state.time += time_step;
        let mut random = Random(state.random);
        // "Update of the Antenna".
        self.feel(state, around, &poses[0], time_step, &mut random);
        state.climbing = self.climbs(state, around, &poses[0]);
        // "Update of the Head".
        let (decision, events) = self.decide(state, around, &poses[0], time_step, &mut random);
        state.random = random.0;
        state.ends.clear();
        self.move_head(state, around, poses, decision, time_step);
        // "Update of the Rigid Segments" and "of the Legs", from head to tail.
        for i in 1..poses.len() {
            self.move_segment(state, around, &poses[i], i, time_step);
        }
        self.take_census(state, around, poses);
        state.before.clear();
        state.before.extend_from_slice(poses);
        Ok(events)
    }

    fn check(&self, state: &WalkerState, around: &Surroundings, poses: &[Pose], time_step: f64) -> Result<(), Error> {
        let expected = self.make_up.segments;
        for (what, found) in [("poses of a creature's segments", poses.len()), ("segments of a creature's state", state.supports.len())] {
            if found != expected {
                return Err(Error::Length { what, expected, found });
            }
        }
        if !around.levels.is_empty() && around.levels.len() != expected {
            return Err(Error::Length { what: "heights of the water at the segments", expected, found: around.levels.len() });
        }
        if let Some(index) = poses.iter().position(|pose| !pose.is_finite()) {
            let reason = "its pose is not finite; take a shorter time step, or softer muscles";
            return Err(Error::BrokeDown { what: "segment", index, reason });
        }
        Error::unless(time_step.is_finite() && time_step > 0.0, "tick of a creature", time_step, "greater than 0 seconds")
    }

    /// The head balances, turns and goes where it looks, as far as its neck lets it; before most legs stand, and in water, dynamics moves it.
    fn move_head(&self, state: &mut WalkerState, around: &Surroundings, poses: &[Pose], decision: Decision, time_step: f64) {
        let head = &poses[0];
        let swims = state.body_mode == BodyMode::InWater && !state.climbing;
        if !self.walks() || state.brain.mode == Mode::Adjustment || swims {
            state.supports[0] = Support::Free;
            state.speed = 0.0;
            let end = predicted(head, state.before.first(), self.make_up.length());
            state.ends.push(end);
            return;
        }
        let near = around.bearing(head, self.make_up.height, state.climbing);
        let balanced = self.make_up.targeter.balance(head, &near, self.make_up.height, time_step);
        let aside = poses.get(1).map_or(0.0, |behind| -(behind.rotation.inverse() * balanced.rotation * Vector3::x()).z);
        let strained = aside.abs() > NECK && aside * decision.turn > 0.0;
        let rotation = turned(&balanced.rotation, Vector3::y(), if strained { 0.0 } else { decision.turn * time_step });
        state.speed = decision.speed.min(state.speed + self.acceleration * time_step);
        let translation = balanced.translation + rotation * Vector3::x() * (state.speed * time_step);
        let end = Pose { rotation, translation };
        state.supports[0] = Support::Carried(end);
        state.ends.push(end);
    }

    /// Whether the head goes up a steep face of land (Fang 2015, Fig. 6.6): a swimmer with legs
    /// whose nose meets one that rises above the water takes hold of it, and walks on it until it
    /// is over the
    /// edge, stands on land, or has lost it.
    fn climbs(&self, state: &WalkerState, around: &Surroundings, head: &Pose) -> bool {
        let (swims, climbed) = (state.body_mode == BodyMode::InWater, state.climbing);
        let Some(&level) = around.levels.first().filter(|_| self.walks() && (swims || climbed)) else { return false };
        let place = head.translation;
        let near = around.terrain.nearest(&place);
        let reach = 0.5 * self.make_up.head[0] + self.make_up.height;
        if climbed {
            let over = near.normal.y > STEEP && place.y > level;
            return !over && state.body_mode != BodyMode::OnGround && near.distance < LOST * reach;
        }
        let meets = near.distance < reach && near.normal.y < STEEP && near.normal.dot(&(head.rotation * Vector3::x())) < -FACING;
        if !meets {
            return false;
        }
        let face = place - near.normal * (near.distance + INTO * reach);
        around.terrain.contact(&Vector3::new(face.x, level.max(place.y), face.z)).distance < 0.0
    }

    fn take_census(&self, state: &mut WalkerState, around: &Surroundings, poses: &[Pose]) {
        let legged = state.legs.len();
        let grounded = state.hanging.iter().skip(1).filter(|&&time| time < HANGING).count();
        let submerged = poses.iter().enumerate().filter(|(segment, pose)| around.is_under(*segment, pose)).count();
        state.body_mode = state.body_mode.after(&Census { segments: self.make_up.segments, legged, grounded, submerged });
    }
}

impl WalkerState {
    /// Whether it has tried in vain to get out of one place, or to find ground for its feet.
    pub fn stuck(&self) -> bool {
        let searches = self.body_mode != BodyMode::InWater && !self.legs.is_empty();
        self.brain.stuck() || searches && self.brain.groundless
    }

    /// Legs that stand.
    pub fn standing(&self) -> usize {
        self.legs.iter().flatten().filter(|leg| leg.phase == Phase::Stance).count()
    }
}

/// Where a free segment will be if it goes on as it did; where it is, if it jumped by more than `most` metres.
pub(super) fn predicted(pose: &Pose, before: Option<&Pose>, most: f64) -> Pose {
    let Some(before) = before else { return *pose };
    let moved = pose.translation - before.translation;
    if moved.norm() >= most {
        return *pose;
    }
    let turn = Rotation(before.rotation.inverse()) * Rotation(pose.rotation);
    Pose { rotation: (Rotation(pose.rotation) * turn).0, translation: pose.translation + moved }
}
