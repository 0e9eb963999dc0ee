//! A world's run as a motion: what creatures, water and food look like over time, and what was checked.

use std::ops::ControlFlow;

use nalgebra::Vector3;

use super::balance::Balance;
use super::body_mode::BodyMode;
use super::brain::Mode;
use super::cycle::Cycle;
use super::ground_force::{GROUND_FORCE, GroundForce};
use super::leg::Side;
use super::progress::Standstill;
use super::steady::Strokes;
use super::switcher::Phase;
use super::will::Exercise;
use super::world::{CreatureState, Pull, World, WorldState};
use crate::Error;
use crate::lie::{Momentum, Pose};
use crate::models::myriapod::{Coat, Myriapod, Posture};
use crate::models::rigid::sphere;
use crate::motion::{Chart, ChartAxis, Check, Matter, Motion, Outcome, Quantity, Scenery, Stroke as Line, Track};
use crate::shape::{Clip, Playback, Topology};
use crate::water::SurfaceFrames;

/// Legs that stand.
const STANDING: Quantity = Quantity::new("standing_legs", "").line(crate::motion::Line::Steps);
/// What the head is about: 0 adjustment, 1 random walk, 2 avoidance, 3 food, 4 trail, 5 control.
const BRAIN: Quantity = Quantity::new("brain_mode", "").line(crate::motion::Line::Steps);
/// Where the body is: 0 air, 1 ground, 2 water, 3 air to ground, 4 ground to water, 5 water to ground, 6 air to water.
const BODY: Quantity = Quantity::new("body_mode", "").line(crate::motion::Line::Steps);
/// Work against water per time (Fang 2015, Eq. C.2).
const POWER: Quantity = Quantity::new("power_against_water", "W");
/// Food found so far.
const MEALS: Quantity = Quantity::new("meals", "").line(crate::motion::Line::Steps);

/// A run of a world.
#[derive(Debug, Clone)]
pub struct Run {
    /// The world.
    pub world: World,
    /// How its creatures look, one for each.
    pub coats: Vec<Coat>,
    /// How long the world goes on before the first frame, seconds, in whole frames: its time is negative until then.
    pub settle: f64,
    /// Seconds from one frame to the next.
    pub dt: f64,
    /// Frames but the first.
    pub steps: usize,
    /// What is shown of it.
    pub cycle: Cycle,
    /// What stands around.
    pub scenery: Vec<Scenery>,
    /// Points of the water that are shown along x and z, at most.
    pub water_points: usize,
}

/// Points of the ball that shows a food.
pub const FOOD_POINTS: usize = 42;

/// After so many ticks of a frame it is asked whether to stop.
const ASK: usize = 16;

/// More frames are not counted.
const MOST_FRAMES: f64 = 1e9;

/// Ticks of control in a second, about.
const CONTROL: f64 = 300.0;

/// A link longer than this, over its rest, has come apart: those of the examples are at most 1.14.
pub(super) const STRETCHED: f64 = 1.5;

/// Segments that look this far apart, radians, have been wrung or folded.
const BENT: f64 = 2.0;

/// Standstills of a creature that are told one by one.
const TOLD: usize = 3;

/// Legs of more creatures than this are not charted.
const CHARTED: usize = 1;

/// What is kept of a creature.
pub(super) struct Record {
    pub animal: Myriapod,
    heads: Vec<Pose>,
    postures: Vec<Posture>,
    pub centers: Vec<Vector3<f64>>,
    momenta: Vec<Momentum>,
    standing: Vec<f64>,
    brain: Vec<f64>,
    body: Vec<f64>,
    work: Vec<f64>,
    meals: Vec<f64>,
    /// State of each leg of one side at each frame.
    phases: Vec<Vec<Phase>>,
    /// Where each foot that stands was drawn when it had touched down, metres.
    stood: Vec<[Option<Vector3<f64>>; 2]>,
    /// Greatest way of a foot from where it touched down, while it stands, and greatest depth of one that stands, in lengths of a leg.
    drift: f64,
    depth: f64,
    /// Times at which each leg of the left side touched down.
    landings: Vec<Vec<f64>>,
    /// Its strokes, if it swims.
    strokes: Strokes,
    /// Greatest stretch of a link between segments, over its rest.
    pub stretch: f64,
    /// Greatest angle between the directions of neighbouring segments, radians.
    pub bend: f64,
    pub balance: Balance,
    /// Where and when its head was first inside an obstacle, metres and seconds.
    entered: Option<(Vector3<f64>, f64)>,
    ground: GroundForce,
    /// Impulse that the ground has given upward at each frame, N s.
    ground_impulses: Vec<f64>,
}

impl Run {
    /// Lets the world go; `progress` is told (frame, frames), and may stop it.
    ///
    /// # Errors
    /// What cannot begin.
    pub fn run(&self, progress: &mut dyn FnMut(usize, usize) -> ControlFlow<()>) -> Result<Motion, Error> {
        Error::unless_zero_or_more("time before the first frame (s)", self.settle)?;
        Error::unless(self.dt > 0.0 && self.dt.is_finite(), "dt", self.dt, "a positive number of seconds")?;
        let frames = self.settle / self.dt + self.steps as f64;
        Error::unless(frames < MOST_FRAMES, "number of frames", frames, "fewer than a thousand million")?;
        if self.cycle == Cycle::Gait {
            let creatures = self.world.settings().creatures.len();
            Error::unless(creatures == 1, "number of creatures whose gait is cut out", creatures as f64, "1: run each by itself")?;
            return self.run_cycle(progress);
        }
        let mut state = self.world.begin()?;
        let before = self.frames_before();
        state.time = -self.dt * before as f64;
        let mut records = (0..state.creatures.len()).map(|k| self.record(k, &state.creatures[k])).collect::<Result<Vec<_>, _>>()?;
        let level = self.world.settings().pool.as_ref().map_or(0.0, |pool| pool.level);
        let (mut water, mut food) = (SurfaceFrames::new(level, [self.water_points; 2]), Vec::new());
        if before == 0 {
            self.keep(&state, &mut records, &mut water, &mut food);
        }
        let (mut broke, mut begun) = (None, false);
        let mut outcome = Outcome::of_long_steps(before + self.steps, progress, |frame, asked| {
            let ticked = self.frame(&mut state, self.dt, asked, &mut |state| {
                begun = true;
                if frame > before {
                    self.watch(state, &mut records);
                }
            });
            if let Ok(ControlFlow::Break(())) = ticked {
                return Ok(Some(Outcome::Interrupted { frame }));
            }
            if let Err(error) = ticked {
                // Bad input shows in the first tick; later a body has broken down.
                if !begun {
                    return Err(error);
                }
                broke = Some(error.to_string());
                let advice = "take a shorter time step, or softer muscles".into();
                return Ok(Some(Outcome::NotConverged { frame, residual: f64::INFINITY, advice }));
            }
            if frame >= before {
                self.keep(&state, &mut records, &mut water, &mut food);
            }
            Ok(None)
        })?;
        if food.is_empty() {
            self.keep(&state, &mut records, &mut water, &mut food);
        }
        if let Outcome::Interrupted { frame } | Outcome::NotConverged { frame, .. } = &mut outcome {
            *frame = frame.saturating_sub(before).max(1);
        }
        let mut motion = self.motion(&state, records, water, food)?;
        motion.outcome = outcome;
        motion.warnings.extend(broke);
        Ok(motion)
    }

    /// Frames before the first that is shown.
    pub(super) fn frames_before(&self) -> usize {
        (self.settle / self.dt * (1.0 - 1e-9)).ceil() as usize
    }

    /// The ticks of a frame of `dt` seconds; `seen` looks at the world after each. It breaks off where `asked` says so.
    pub(super) fn frame(
        &self,
        state: &mut WorldState,
        dt: f64,
        asked: &mut dyn FnMut() -> ControlFlow<()>,
        seen: &mut dyn FnMut(&WorldState),
    ) -> Result<ControlFlow<()>, Error> {
        let ticks = (dt * CONTROL).round().max(1.0) as usize;
        for tick in 0..ticks {
            if tick % ASK == ASK - 1 && asked().is_break() {
                return Ok(ControlFlow::Break(()));
            }
            self.world.tick(state, dt / ticks as f64)?;
            seen(state);
        }
        Ok(ControlFlow::Continue(()))
    }

    /// What is kept of a creature, from how it stands at first.
    pub(super) fn record(&self, k: usize, one: &CreatureState) -> Result<Record, Error> {
        let legged = one.walker.legs.len();
        Ok(Record {
            animal: self.world.animal(k, one, self.coats.get(k).copied().unwrap_or_default())?,
            heads: Vec::new(),
            postures: Vec::new(),
            centers: Vec::new(),
            momenta: Vec::new(),
            standing: Vec::new(),
            brain: Vec::new(),
            body: Vec::new(),
            work: Vec::new(),
            meals: Vec::new(),
            phases: Vec::new(),
            stood: vec![[None; 2]; legged],
            drift: 0.0,
            depth: 0.0,
            landings: vec![Vec::new(); legged],
            strokes: Strokes::default(),
            stretch: 0.0,
            bend: 0.0,
            balance: Balance::default(),
            entered: None,
            ground: GroundForce::default(),
            ground_impulses: Vec::new(),
        })
    }

    /// What is looked at in every tick.
    pub(super) fn watch(&self, state: &WorldState, records: &mut [Record]) {
        for (k, (one, record)) in state.creatures.iter().zip(records).enumerate() {
            let Some((chain, walker)) = self.world.body(k) else { continue };
            let length: f64 = walker.make_up().legs.map_or(1.0, |legs| legs.lengths.iter().sum());
            for (i, pair) in one.walker.legs.iter().enumerate() {
                let pose = chain.pose(&one.chain, i + 1);
                for ((leg, side), stood) in pair.iter().zip(Side::BOTH).zip(&mut record.stood[i]) {
                    if leg.phase != Phase::Stance {
                        *stood = None;
                        continue;
                    }
                    if leg.landed {
                        *stood = None;
                    }
                    let drawn = pose.act(&walker.joints(i + 1, side, &leg.angles)[3]);
                    let began = *stood.get_or_insert(drawn);
                    record.drift = record.drift.max((drawn - began).norm() / length);
                    let depth = -self.world.settings().terrain.contact(&drawn).distance;
                    record.depth = record.depth.max(depth / length);
                }
                if pair[0].landed {
                    record.landings[i].push(state.time);
                }
            }
            if let Some(&phase) = one.stroke.phases.first().filter(|_| one.submerged.iter().all(|&under| under)) {
                record.strokes.watch(phase, state.time, chain.centre(&one.chain), one.chain.water_work());
            }
            let head = chain.pose(&one.chain, 0).translation;
            let inside = || self.world.settings().obstacles.iter().any(|obstacle| obstacle.distance(&head).value < 0.0);
            if record.entered.is_none() && inside() {
                record.entered = Some((head, state.time));
            }
            record.balance.watch(&self.world, k, state);
            record.ground.watch(k, state);
            for segment in 1..chain.segments() {
                let link = (chain.pose(&one.chain, segment).translation - chain.pose(&one.chain, segment - 1).translation).norm();
                record.stretch = record.stretch.max(link / walker.make_up().link(segment));
                let [ahead, behind] = [segment - 1, segment].map(|i| chain.pose(&one.chain, i).rotation * Vector3::x());
                record.bend = record.bend.max(ahead.angle(&behind));
            }
        }
    }

    pub(super) fn keep(&self, state: &WorldState, records: &mut [Record], water: &mut SurfaceFrames, food: &mut Vec<Vec<bool>>) {
        for (k, (one, record)) in state.creatures.iter().zip(records).enumerate() {
            let Some((chain, _)) = self.world.body(k) else { continue };
            let head = chain.pose(&one.chain, 0);
            record.postures.push(self.world.posture(k, one, &head));
            record.heads.push(head);
            record.centers.push(chain.centre(&one.chain));
            record.momenta.push(chain.momentum(&one.chain));
            record.standing.push(one.walker.standing() as f64);
            record.brain.push(mode_number(one.walker.brain.mode));
            record.body.push(body_number(one.walker.body_mode));
            record.work.push(one.chain.water_work());
            record.meals.push(one.walker.meals as f64);
            record.ground_impulses.push(record.ground.impulse());
            record.phases.push(one.walker.legs.iter().map(|pair| pair[0].phase).collect());
        }
        if let Some(pool) = &state.pool
            && let Some(sea) = &pool.waves
        {
            water.keep(sea);
        }
        food.push(state.foods.iter().map(|food| food.strength > 0.0).collect());
    }

    pub(super) fn motion(
        &self,
        state: &WorldState,
        records: Vec<Record>,
        water: SurfaceFrames,
        food: Vec<Vec<bool>>,
    ) -> Result<Motion, Error> {
        let settings = self.world.settings();
        let mut checks = self.checks(state, &records);
        let charts = self.leg_charts(&records);
        let mut tracks = Vec::new();
        let mut warnings = Vec::new();
        for (k, mut record) in records.into_iter().enumerate() {
            let name = &settings.creatures[k].name;
            warnings.extend(self.told(k, &state.creatures[k], &record).into_iter().map(|told| format!("{name}: {told}")));
            let clip = record.animal.clip(Playback::Once, self.dt, &record.postures)?;
            let (heads, centers) = (std::mem::take(&mut record.heads), std::mem::take(&mut record.centers));
            tracks.push(self.track(name, (clip, heads, centers), record, state.time));
        }
        tracks.extend(water.track(self.dt)?);
        tracks.extend(self.food_tracks(&food)?);
        checks.retain(|check| check.value.is_finite() || !check.pass());
        Ok(Motion {
            checks,
            charts,
            warnings,
            steps: state.creatures.iter().map(|one| one.steps).sum(),
            scenery: self.scenery.clone(),
            ..Motion::new(self.dt, tracks)
        })
    }

    /// What each leg does, of a lone creature.
    pub(super) fn leg_charts(&self, records: &[Record]) -> Vec<Chart> {
        let shown = records.iter().filter(|record| records.len() <= CHARTED && !record.landings.is_empty());
        shown.map(|record| leg_chart(record, self.dt)).collect()
    }

    /// The track of a creature of that shape, placed so, with its centre there.
    pub(super) fn track(&self, name: &str, shown: (Clip, Vec<Pose>, Vec<Vector3<f64>>), record: Record, end: f64) -> Track {
        let (clip, poses, centers) = shown;
        let momenta = record.momenta[1..].to_vec();
        let mut track = Track::new(name, clip, poses, centers, momenta);
        let power = per_second(&record.work, self.dt);
        let legs = !record.landings.is_empty();
        if legs {
            track.series.push(STANDING.per_frame(record.standing));
            track.series.push(BRAIN.per_frame(record.brain));
            if let Pull::Down(_) = self.world.settings().pull {
                track.series.push(GROUND_FORCE.per_step(per_second(&record.ground_impulses, self.dt)));
            }
        }
        track.series.push(BODY.per_frame(record.body));
        if record.meals.last().is_some_and(|meals| *meals > 0.0) {
            track.series.push(MEALS.per_frame(record.meals));
        }
        if power.iter().any(|power| *power > 0.0) {
            track.series.push(POWER.per_step(power));
        }
        track.figures = record.strokes.figures(end);
        track
    }

    /// Balls where food lies: those that stay, in a single frame; and those that are eaten, which are then gone.
    fn food_tracks(&self, food: &[Vec<bool>]) -> Result<Vec<Track>, Error> {
        let (settings, frames) = (self.world.settings(), food.len());
        let is_eaten = |k: usize| food.iter().any(|left| left.get(k) != food[0].get(k));
        let (eaten, staying): (Vec<usize>, Vec<usize>) = (0..settings.foods.len()).partition(|&k| is_eaten(k));
        let radius = 0.6 * settings.creatures[0].make_up.head[2];
        let (points, triangles) = sphere(1);
        let track = |name: &str, which: &[usize], playback, shown: &[Vec<bool>]| {
            let face = |k: usize| triangles.iter().map(move |face| face.map(|v| v + (k * FOOD_POINTS) as u32));
            let faces = (0..which.len()).flat_map(face).collect();
            let ball = |k: usize, left: bool| {
                let size = if left { radius } else { 1e-3 * radius };
                points.iter().map(move |point| settings.foods[k].place + point * size)
            };
            let positions = shown.iter().flat_map(|left| which.iter().flat_map(move |&k| ball(k, left[k]))).collect();
            let clip = Clip::new(Topology::Surface { faces }, playback, self.dt, which.len() * FOOD_POINTS, positions)?;
            Ok(Track::around(name, Matter::Food, clip, frames))
        };
        let mut tracks = Vec::new();
        if !staying.is_empty() {
            tracks.push(track("food", &staying, Playback::Loop, &food[..1])?);
        }
        if !eaten.is_empty() {
            tracks.push(track("eaten food", &eaten, Playback::Once, food)?);
        }
        Ok(tracks)
    }

    fn checks(&self, state: &WorldState, records: &[Record]) -> Vec<Check> {
        let worst = |of: fn(&Record) -> f64| records.iter().map(of).fold(0.0, f64::max);
        let mut checks = Vec::new();
        if records.iter().any(|record| record.landings.iter().any(|times| !times.is_empty())) {
            checks.push(Check {
                name: "way of a foot that stands, in lengths of a leg",
                value: worst(|record| record.drift),
                tolerance: 0.01,
            });
            checks.push(Check {
                name: "depth of a foot that stands, in lengths of a leg",
                value: worst(|record| record.depth),
                tolerance: 0.01,
            });
        }
        checks.push(Check {
            name: "longest link between segments, over its rest",
            value: worst(|record| record.stretch),
            tolerance: STRETCHED,
        });
        checks.push(Check { name: "sharpest bend between segments, rad", value: worst(|record| record.bend), tolerance: BENT });
        checks.extend(Balance::checks(records.iter().map(|record| &record.balance)));
        let borne = records.iter().enumerate().filter_map(|(k, record)| record.ground.off(&self.world, k, state.time));
        checks.extend(GroundForce::check(borne));
        if let (Some(pool), Some(of)) = (&state.pool, &self.world.settings().pool)
            && let (Some(sea), Some(waves)) = (&pool.waves, &of.waves)
            && waves.borders == crate::water::Borders::all(crate::water::Border::Reflecting)
            && pool.volume > 0.0
        {
            let off = (sea.volume() - pool.volume - pool.rained()).abs() / pool.volume;
            checks.push(Check { name: "water lost or gained", value: off, tolerance: 1e-10 });
        }
        checks
    }

    /// What is to be said of a creature at the end.
    fn told(&self, k: usize, one: &CreatureState, record: &Record) -> Vec<String> {
        let mut told = Vec::new();
        let Some((_, walker)) = self.world.body(k) else { return told };
        let swims = self.world.settings().pool.is_some();
        let exercises = self.world.settings().creatures[k].exercise != Exercise::None;
        if !walker.walks() && !swims && !exercises {
            told.push("it cannot walk: it has no legs, or no segments behind its head to bear them".into());
        }
        let standstills = one.progress.standstills();
        told.extend(standstills.iter().take(TOLD).map(Standstill::told));
        if standstills.len() > TOLD {
            told.push(format!("it was stuck {} times more", standstills.len() - TOLD));
        }
        if one.walker.stuck() && standstills.last().is_none_or(|last| last.until.is_some()) {
            told.push("it could not get out of one place, and says that it is stuck".into());
        }
        if record.stretch > STRETCHED || record.bend > BENT {
            told.push(format!(
                "links between its segments were up to {:.2} of their rest, bends up to {:.2} rad: \
                 no such body does that. Parts of the land are too small for it, or it begins on a thin part, \
                 or falls: take larger land, a smaller creature or fewer `segments`, or start it on a \
                 broad part",
                record.stretch, record.bend
            ));
        }
        if let Some((place, time)) = record.entered {
            told.push(format!(
                "its head was inside an obstacle at {time:.1} s, at [{:.3}, {:.3}, {:.3}] m: obstacles do \
                 not hold bodies up, and who swims by orders does not look out for them; let it roam, \
                 tell it another way, or make what is in its way one of the `stones`",
                place.x, place.y, place.z
            ));
        }
        for &food in &one.unreachable {
            let place = self.world.settings().foods.get(food).map_or([0.0; 3], |food| food.place.into());
            told.push(format!("the food at [{:.3}, {:.3}, {:.3}] m could not be reached", place[0], place[1], place[2]));
        }
        if let Some((prey, time)) = one.caught {
            told.push(format!("it caught {} after {time:.1} s", self.world.settings().creatures[prey].name));
        }
        told
    }
}

/// A row for each leg of the left side, coloured by what it does (Fang 2015, Fig. 4.4).
fn leg_chart(record: &Record, dt: f64) -> Chart {
    let mut chart =
        Chart::new("States of the left legs, from the head (1) to the tail", ChartAxis::linear("time", "s"), ChartAxis::linear("leg", ""));
    for phase in Phase::ALL {
        let mut points = Vec::new();
        for leg in 0..record.landings.len() {
            let mut since = None;
            for frame in 0..=record.phases.len() {
                let now = record.phases.get(frame).map(|phases| phases[leg] == phase).unwrap_or(false);
                match (since, now) {
                    (None, true) => since = Some(frame),
                    (Some(from), false) => {
                        points.extend([[from as f64 * dt, (leg + 1) as f64], [frame as f64 * dt, (leg + 1) as f64]]);
                        since = None;
                    }
                    _ => {}
                }
            }
        }
        if !points.is_empty() {
            chart = chart.with(phase.name(), points, Line::Bars);
        }
    }
    chart
}

/// Means over each step of what had come together at each frame.
fn per_second(sums: &[f64], dt: f64) -> Vec<f64> {
    sums.windows(2).map(|pair| (pair[1] - pair[0]) / dt).collect()
}

fn mode_number(mode: Mode) -> f64 {
    match mode {
        Mode::Adjustment => 0.0,
        Mode::RandomWalk => 1.0,
        Mode::Avoidance => 2.0,
        Mode::Trophotropism => 3.0,
        Mode::Trail => 4.0,
        Mode::Control => 5.0,
    }
}

fn body_number(mode: BodyMode) -> f64 {
    match mode {
        BodyMode::InAir => 0.0,
        BodyMode::OnGround => 1.0,
        BodyMode::InWater => 2.0,
        BodyMode::AirToGround => 3.0,
        BodyMode::GroundToWater => 4.0,
        BodyMode::WaterToGround => 5.0,
        BodyMode::AirToWater => 6.0,
    }
}
