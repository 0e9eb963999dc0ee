//! One period of a gait, cut out of a run as a loop without a seam.
//!
//! A walk comes back to itself after a stride, a stroke after 1/f, up to a rigid motion along the ground, and up to a small mismatch: legs are controlled in ticks, which the period is no multiple of.
//! So the gait is watched first; then one period T of it is shown, in N frames that fill it. With s = k/N at frame k, and X the pose of a segment seen from the root:
//!
//! ```text
//! root_k = exp(s log G) root_0                                 G: turn about the vertical and shift that fit all segments best, from frame 0 to frame N
//! X_k ← X_k · exp((½ − s) log(X_0⁻¹ X_N))                      what is left of the mismatch is spread evenly over the period
//! ```
//!
//! A foot that stands keeps its place: the angles of its leg are found anew, and what that changes goes over into the next stance evenly as the leg swings.
//! The root is under the middle of the body, looks along it (of who swims, and wags its head, the way it goes), and goes evenly: root motion, as game engines want it. All that swings is in the shape.

use std::ops::ControlFlow;

use nalgebra::{UnitQuaternion, Vector3};

use super::appearance::tails;
use super::balance::Balance;
use super::leg::{LegAngles, Side};
use super::record::{Record, Run, STRETCHED};
use super::switcher::Phase;
use super::walk::{LegState, Walker};
use super::world::WorldState;
use crate::Error;
use crate::lie::{Pose, Twist};
use crate::models::myriapod::Posture;
use crate::motion::{Check, Motion, Outcome, Track};
use crate::shape::{Clip, Playback};

/// What is shown of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Cycle {
    /// All of it.
    #[default]
    None,
    /// One period of the gait of its one creature, on level ground or in still water: a stride or a stroke. It is watched for as long as the run lasts; the period follows on that.
    Gait,
}

/// Touch-downs of each leg that the period of a stride is measured from, at least.
const TOUCH_DOWNS: usize = 4;

/// Jumps that may be closed: of segments, in lengths of a segment or rad; and of the angles of legs, rad, which turn by up to a quarter in a tick of control.
const CLOSED: f64 = 0.05;
const CLOSED_LEGS: f64 = 0.25;

/// Who swims less far than this in a stroke, in lengths of the body, looks along itself.
const STRAIGHT: f64 = 0.02;

/// What to do about a gait of which these checks fail.
const NOT_CLOSED: &str = "the gait does not come back to itself after a period, so the loop may jerk at its seam: let it `settle` for longer, watch it for a longer `duration`, \
                          or tell it less haste or a gentler turn";

/// A creature at a frame of the period.
struct Snapshot {
    /// World.
    segments: Vec<Pose>,
    legs: Vec<[LegState; 2]>,
    /// Ends of the links, seen from the head, metres.
    antennae: Vec<Vec<Vector3<f64>>>,
}

/// A leg over the closed period.
struct ClosedLeg {
    /// At each frame but the last, which is the first again.
    angles: Vec<LegAngles>,
    /// First and last frame of each stance; beyond the last frame they count on.
    stances: Vec<[usize; 2]>,
    /// What its angles had changed by after the period, before it was closed.
    jump: LegAngles,
}

impl Run {
    /// Watches the gait, then shows one period of it.
    pub(super) fn run_cycle(&self, progress: &mut dyn FnMut(usize, usize) -> ControlFlow<()>) -> Result<Motion, Error> {
        let mut state = self.world.begin()?;
        let before = self.frames_before();
        let watched = before + self.steps;
        state.time = -self.dt * watched as f64;
        let mut records = vec![self.record(0, &state.creatures[0])?];
        let mut landings: Vec<Vec<f64>> = vec![Vec::new(); state.creatures[0].walker.legs.len()];
        let mut outcome = Outcome::of_long_steps(watched, progress, |frame, asked| {
            let ticked = self.frame(&mut state, self.dt, asked, &mut |state| {
                let landed = state.creatures[0].walker.legs.iter().zip(&mut landings).filter(|(pair, _)| frame > before && pair[0].landed);
                landed.for_each(|(_, times)| times.push(state.time));
            })?;
            Ok(ticked.is_break().then_some(Outcome::Interrupted { frame }))
        })?;
        let mut shots = vec![self.snapshot(&state)];
        let mut cut = self.clone();
        self.keep(&state, &mut records, &mut Default::default(), &mut Vec::new());
        if outcome == Outcome::Done {
            let period = period(&state, &landings)?;
            cut.steps = (period / self.dt).round().max(2.0) as usize;
            cut.dt = period / cut.steps as f64;
            outcome = Outcome::of_long_steps(cut.steps, &mut |step, steps| progress(watched + step, watched + steps), |frame, asked| {
                if cut.frame(&mut state, cut.dt, asked, &mut |state| cut.watch(state, &mut records))?.is_break() {
                    return Ok(Some(Outcome::Interrupted { frame }));
                }
                shots.push(cut.snapshot(&state));
                cut.keep(&state, &mut records, &mut Default::default(), &mut Vec::new());
                Ok(None)
            })?;
        }
        if outcome != Outcome::Done {
            let mut motion = cut.motion(&state, records, Default::default(), Vec::new())?;
            motion.outcome = Outcome::Interrupted { frame: motion.frames() };
            return Ok(motion);
        }
        let Some(record) = records.pop() else { return Err(Error::Empty { what: "the list of creatures", fix: "give the world one" }) };
        let mut motion = cut.closed(&state, record, &shots)?;
        motion.method = Some(cut.method(landings.iter().map(Vec::len).min(), 1.0 / self.dt));
        Ok(motion)
    }

    /// How the period was found, and how it is divided.
    fn method(&self, touch_downs: Option<usize>, asked: f64) -> String {
        let period = self.dt * self.steps as f64;
        let how = match touch_downs {
            Some(count) => format!("one stride of {period:.4} s, the mean over {count} touch-downs or more of each leg"),
            None => format!("one stroke of {period:.4} s"),
        };
        format!("{how}, in {} frames: {:.3} per second, where {asked:.3} were asked for", self.steps, 1.0 / self.dt)
    }

    fn snapshot(&self, state: &WorldState) -> Snapshot {
        let one = &state.creatures[0];
        let Some((chain, walker)) = self.world.body(0) else {
            return Snapshot { segments: Vec::new(), legs: Vec::new(), antennae: Vec::new() };
        };
        let segments = (0..chain.segments()).map(|segment| chain.pose(&one.chain, segment)).collect();
        Snapshot { segments, legs: one.walker.legs.clone(), antennae: walker.antennae(&one.walker, &Pose::identity()) }
    }

    /// The period as a loop.
    fn closed(&self, state: &WorldState, record: Record, shots: &[Snapshot]) -> Result<Motion, Error> {
        let (Some((_, walker)), [first, .., last]) = (self.world.body(0), shots) else {
            return Err(Error::Empty { what: "the period of the gait", fix: "give the creature a slower one, or more frames per second" });
        };
        let (carry, start) = self.root(&first.segments, &last.segments);
        let period = Period::new(walker, shots, carry, start);
        let legs = period.legs();
        let postures = period.postures(&legs);
        let clip = record.animal.clip(Playback::Loop, self.dt, &postures)?;
        let closing = period.checks(&legs, &clip);
        let warnings = if closing.iter().all(Check::pass) { Vec::new() } else { vec![NOT_CLOSED.into()] };
        let mut checks = self.foot_checks(walker, &legs, &postures, &period.roots);
        checks.extend(closing);
        checks.push(Check { name: "longest link between segments, over its rest", value: record.stretch, tolerance: STRETCHED });
        checks.extend(Balance::checks(std::iter::once(&record.balance)));
        let charts = self.leg_charts(std::slice::from_ref(&record));
        let centers = period.centers(&record.centers);
        let track = self.track(&self.world.settings().creatures[0].name, (clip, period.roots, centers), record, 0.0);
        let steps = state.creatures.iter().map(|one| one.steps).sum();
        let home = self.home(&start);
        Ok(Motion {
            checks,
            charts,
            warnings,
            steps,
            cycle_transform: Some(home * carry * home.inverse()),
            scenery: self.scenery.clone(),
            ..Motion::new(self.dt, vec![brought(track, &home)])
        })
    }

    /// What brings the root, which is at `start` once the gait has settled, back to where the creature began, as it headed there; its height stays. Where not all places are alike, nothing.
    fn home(&self, start: &Pose) -> Pose {
        let settings = self.world.settings();
        let creature = &settings.creatures[0];
        let still = settings.pool.as_ref().is_none_or(|pool| pool.waves.is_none());
        let bare = settings.obstacles.is_empty() && settings.foods.is_empty() && settings.trail.is_none();
        if settings.terrain.level().is_none() || !still || !bare {
            return Pose::identity();
        }
        let heading = UnitQuaternion::from_scaled_axis(Vector3::y() * (-creature.forward.z).atan2(creature.forward.x));
        let translation = Vector3::new(creature.place.x, start.translation.y, creature.place.z);
        Pose { rotation: heading, translation } * start.inverse()
    }

    /// The rigid motion from the first frame to the last, and where the root is at first: on the ground for who walks, in the middle of who swims.
    fn root(&self, first: &[Pose], last: &[Pose]) -> (Pose, Pose) {
        let middle = |poses: &[Pose]| poses.iter().map(|pose| pose.translation).sum::<Vector3<f64>>() / poses.len() as f64;
        let (from, mut to) = (middle(first), middle(last));
        let (mut sin, mut cos) = (0.0, 0.0);
        for (a, b) in first.iter().zip(last) {
            let (a, b) = (a.translation - from, b.translation - to);
            cos += a.x * b.x + a.z * b.z;
            sin += a.z * b.x - a.x * b.z;
        }
        let turn = UnitQuaternion::from_scaled_axis(Vector3::y() * sin.atan2(cos));
        let along = first[0].translation - first[first.len() - 1].translation;
        let mut heading = UnitQuaternion::from_scaled_axis(Vector3::y() * (-along.z).atan2(along.x));
        let way = Vector3::new(to.x - from.x, 0.0, to.z - from.z);
        if self.world.settings().pool.is_some() && way.norm() > STRAIGHT * along.norm() {
            // A body that swims lies across its way as the stroke has it; the way as it begins is half a turn before the mean of it.
            let half = UnitQuaternion::from_scaled_axis(turn.scaled_axis() * -0.5);
            heading = half * UnitQuaternion::from_scaled_axis(Vector3::y() * (-way.z).atan2(way.x));
        }
        let mut place = from;
        if self.world.settings().pool.is_none() {
            to.y = from.y;
            place = self.world.settings().terrain.foothold(&from);
        }
        let carry = Pose { rotation: turn, translation: to - turn * from };
        (carry, Pose { rotation: heading, translation: place })
    }

    /// What feet do that stand, as it is shown.
    fn foot_checks(&self, walker: &Walker, legs: &[[ClosedLeg; 2]], postures: &[Posture], roots: &[Pose]) -> Vec<Check> {
        let (Some(of), frames) = (walker.make_up().legs, postures.len()) else { return Vec::new() };
        let (length, carry): (f64, Pose) = (of.lengths.iter().sum(), roots[frames] * roots[0].inverse());
        let (mut way, mut depth) = (0.0_f64, 0.0_f64);
        for (i, pair) in legs.iter().enumerate() {
            for (side, leg) in pair.iter().enumerate() {
                let tip = |u: usize| {
                    let shown = roots[u % frames].act(&postures[u % frames].legs[i][side][3]);
                    if u < frames { shown } else { carry.act(&shown) }
                };
                for &[first, last] in &leg.stances {
                    for u in first..=last {
                        way = way.max((tip(u) - tip(first)).norm() / length);
                        depth = depth.max(-self.world.settings().terrain.contact(&tip(u)).distance / length);
                    }
                }
            }
        }
        let check = |name, value| Check { name, value, tolerance: 0.01 };
        vec![check("way of a foot that stands, in lengths of a leg", way), check("depth of a foot that stands, in lengths of a leg", depth)]
    }
}

/// A period of a gait: what was seen of it, and what is made of it.
struct Period<'a> {
    walker: &'a Walker,
    shots: &'a [Snapshot],
    /// From the first frame to the last.
    carry: Pose,
    /// Of all frames, the last among them.
    roots: Vec<Pose>,
    /// What each segment, seen from the root, had moved by after the period, before it was closed.
    jumps: Vec<Twist>,
    /// Seen from the root, closed: at each frame but the last, which is the first again.
    segments: Vec<Vec<Pose>>,
}

impl<'a> Period<'a> {
    fn new(walker: &'a Walker, shots: &'a [Snapshot], carry: Pose, start: Pose) -> Period<'a> {
        let (frames, count) = (shots.len() - 1, shots[0].segments.len());
        let (screw, share) = (carry.log(), |k: usize| k as f64 / frames as f64);
        let root = |k: usize| if k == frames { carry * start } else { Pose::exp(&(screw * share(k))) * start };
        let roots: Vec<Pose> = (0..=frames).map(root).collect();
        let seen = |k: usize, segment: usize| roots[k].inverse() * shots[k].segments[segment];
        let jumps: Vec<Twist> = (0..count).map(|i| (seen(0, i).inverse() * seen(frames, i)).log()).collect();
        let closed = |k: usize| (0..count).map(|i| seen(k, i) * Pose::exp(&(jumps[i] * (0.5 - share(k))))).collect();
        let segments = (0..frames).map(closed).collect();
        Period { walker, shots, carry, roots, jumps, segments }
    }

    fn frames(&self) -> usize {
        self.segments.len()
    }

    /// The greatest jump of a segment, in its length or rad.
    fn jump(&self) -> f64 {
        let length = |i: usize| self.walker.make_up().size_of(i)[0];
        let jump = |(i, jump): (usize, &Twist)| jump.angular.norm().max(jump.linear.norm() / length(i));
        self.jumps.iter().enumerate().map(jump).fold(0.0, f64::max)
    }

    /// How far it was from closing by itself, and whether it goes on smoothly.
    fn checks(&self, legs: &[[ClosedLeg; 2]], clip: &Clip) -> Vec<Check> {
        let check = |name, value, tolerance| Check { name, value, tolerance };
        let mut checks = vec![check("jump of the segments that was closed, in lengths of a segment or rad", self.jump(), CLOSED)];
        if !legs.is_empty() {
            let jump = legs.iter().flatten().map(|leg| leg.jump.apart(&LegAngles::default())).fold(0.0, f64::max);
            checks.push(check("jump of the legs' angles that was closed, rad", jump, CLOSED_LEGS));
        }
        let seam = seam(clip, &self.roots, &self.carry);
        checks.push(check("jump of the velocity at the seam, beside the greatest elsewhere", seam, 1.0));
        checks
    }

    fn legs(&self) -> Vec<[ClosedLeg; 2]> {
        let leg = |i: usize, side: usize| {
            let over: Vec<LegState> = self.shots.iter().map(|shot| shot.legs[i][side]).collect();
            let place = |k: usize| self.roots[k] * self.segments[k][i + 1];
            close_leg(self.walker, (i + 1, Side::BOTH[side]), &over, &self.carry, &place)
        };
        (0..self.shots[0].legs.len()).map(|i| [0, 1].map(|side| leg(i, side))).collect()
    }

    /// Seen from the root, at each frame but the last.
    fn postures(&self, legs: &[[ClosedLeg; 2]]) -> Vec<Posture> {
        let antennae = close_antennae(self.shots);
        let posture = |k: usize| {
            let segments = &self.segments[k];
            let leg = |(i, pair): (usize, &[ClosedLeg; 2])| {
                let joints = |side: usize| self.walker.joints(i + 1, Side::BOTH[side], &pair[side].angles[k]);
                [0, 1].map(|side| joints(side).map(|joint| segments[i + 1].act(&joint)))
            };
            Posture {
                legs: legs.iter().enumerate().map(leg).collect(),
                antennae: antennae[k].iter().map(|ends| ends.iter().map(|end| segments[0].act(end)).collect()).collect(),
                tails: tails(self.walker.make_up(), segments.last()),
                segments: segments.clone(),
            }
        };
        (0..self.frames()).map(posture).collect()
    }

    /// Of the centre of mass, world, closed as segments are.
    fn centers(&self, centers: &[Vector3<f64>]) -> Vec<Vector3<f64>> {
        let (frames, seen) = (self.frames(), |k: usize| self.roots[k].inverse().act(&centers[k]));
        let jump = seen(frames) - seen(0);
        (0..=frames).map(|k| self.roots[k].act(&(seen(k) + jump * (0.5 - k as f64 / frames as f64)))).collect()
    }
}

/// The period of the gait, seconds: 1/f of who swims, of who walks the mean time from one touch-down of a leg to its next.
fn period(state: &WorldState, landings: &[Vec<f64>]) -> Result<f64, Error> {
    let stroke = &state.creatures[0].stroke;
    if !stroke.onsets.is_empty() && stroke.onsets.iter().all(|&onset| onset == 1.0) && stroke.pace[0] > 0.0 {
        return Ok(1.0 / stroke.pace[0]);
    }
    let least = landings.iter().map(Vec::len).min().unwrap_or(0);
    Error::unless(
        least >= TOUCH_DOWNS,
        "least count of a leg's touch-downs while the gait is watched",
        least as f64,
        "4 or more: let the creature walk or swim, and give [time] a longer duration",
    )?;
    let mean = |times: &Vec<f64>| (times[times.len() - 1] - times[0]) / (times.len() - 1) as f64;
    Ok(landings.iter().map(mean).sum::<f64>() / landings.len() as f64)
}

/// Closes a leg of which all frames of the period are given, its segment at `place` in each, in the world.
fn close_leg(walker: &Walker, (segment, side): (usize, Side), over: &[LegState], carry: &Pose, place: &dyn Fn(usize) -> Pose) -> ClosedLeg {
    let frames = over.len() - 1;
    let jump = minus(&over[frames].angles, &over[0].angles);
    // Frames are counted on beyond the last: there the leg is as it was a period ago, and has jumped.
    let raw = |u: usize| plus(&over[u % frames].angles, &jump, (u / frames) as f64);
    let stood = |k: usize| over[k].phase == Phase::Stance;
    let stands = |u: usize| if u.is_multiple_of(frames) { stood(0) || stood(frames) } else { stood(u % frames) };
    let Some(swing) = (0..frames).find(|&k| !stands(k)).filter(|_| (0..frames).any(stands)) else {
        let angles = (0..frames).map(|k| plus(&raw(k), &jump, 0.5 - k as f64 / frames as f64)).collect();
        return ClosedLeg { angles, stances: Vec::new(), jump };
    };
    let mut stances: Vec<[usize; 2]> = Vec::new();
    for u in (swing..swing + frames).filter(|&u| stands(u)) {
        match stances.last_mut() {
            Some([_, last]) if *last + 1 == u => *last = u,
            _ => stances.push([u, u]),
        }
    }
    let mut angles: Vec<LegAngles> = (0..frames).map(|k| over[k].angles).collect();
    for &[first, last] in &stances {
        let tip = mean_tip(over, carry, [first, last]);
        for u in first..=last {
            let pose = if u < frames { place(u) } else { *carry * place(u - frames) };
            angles[u % frames] = walker.reaching(segment, side, &pose.inverse().act(&tip)).unwrap_or(raw(u));
        }
    }
    for (n, &[_, last]) in stances.iter().enumerate() {
        let again = n + 1 == stances.len();
        let next = if again { stances[0][0] + frames } else { stances[n + 1][0] };
        let [from, to] = [last, next].map(|u| minus(&angles[u % frames], &raw(u)));
        for u in last + 1..next {
            let share = (u - last) as f64 / (next - last) as f64;
            angles[u % frames] = plus(&raw(u), &from.towards(&to, share), 1.0);
        }
    }
    ClosedLeg { angles, stances, jump }
}

/// Where the foot of a stance is, world: the mean of where it stood in the frames of it, before the seam and after.
fn mean_tip(over: &[LegState], carry: &Pose, [first, last]: [usize; 2]) -> Vector3<f64> {
    let frames = over.len() - 1;
    let standing = |k: usize| Some(&over[k]).filter(|leg| leg.phase == Phase::Stance);
    let (mut sum, mut count) = (Vector3::zeros(), 0.0);
    for u in first..=last {
        let now = standing(if u <= frames { u } else { u - frames }).map(|leg| if u <= frames { leg.tip } else { carry.act(&leg.tip) });
        let again = standing(0).filter(|_| u == frames).map(|leg| carry.act(&leg.tip));
        for tip in now.into_iter().chain(again) {
            sum += tip;
            count += 1.0;
        }
    }
    sum / count
}

/// Antennae at each frame but the last, seen from the head: what their links' directions have changed by after the period is spread over it.
fn close_antennae(shots: &[Snapshot]) -> Vec<Vec<Vec<Vector3<f64>>>> {
    let frames = shots.len() - 1;
    let link = |k: usize, antenna: usize, j: usize| shots[k].antennae[antenna][j + 1] - shots[k].antennae[antenna][j];
    let closed = |k: usize, antenna: usize| {
        let mut ends = vec![shots[k].antennae[antenna][0]];
        for j in 0..shots[k].antennae[antenna].len() - 1 {
            let turn = UnitQuaternion::rotation_between(&link(0, antenna, j), &link(frames, antenna, j)).unwrap_or_default();
            let part = UnitQuaternion::from_scaled_axis(turn.scaled_axis() * (0.5 - k as f64 / frames as f64));
            ends.push(ends[j] + part * link(k, antenna, j));
        }
        ends
    };
    (0..frames).map(|k| (0..shots[k].antennae.len()).map(|antenna| closed(k, antenna)).collect()).collect()
}

/// The track, carried along.
fn brought(mut track: Track, by: &Pose) -> Track {
    track.poses.iter_mut().for_each(|pose| *pose = *by * *pose);
    track.centers.iter_mut().for_each(|center| *center = by.act(center));
    track.momenta.iter_mut().for_each(|momentum| *momentum = by.momentum_to_world(momentum));
    track
}

/// Greatest jump of a joint's velocity from the last step of the loop to its first, over the greatest from step to step elsewhere.
fn seam(clip: &Clip, roots: &[Pose], carry: &Pose) -> f64 {
    let frames = clip.frames();
    let world = |k: usize, v: usize| roots[k].act(&clip.frame(k)[v]);
    let back = carry.inverse();
    let jump = |k: usize| {
        let of = |v: usize| {
            let before = if k > 0 { world(k - 1, v) } else { back.act(&world(frames - 1, v)) };
            (world(k + 1, v) - world(k, v) * 2.0 + before).norm()
        };
        (0..clip.vertices()).map(of).fold(0.0, f64::max)
    };
    jump(0) / (1..frames).map(jump).fold(f64::MIN_POSITIVE, f64::max)
}

fn minus(a: &LegAngles, b: &LegAngles) -> LegAngles {
    plus(a, b, -1.0)
}

/// a + share · b.
fn plus(a: &LegAngles, b: &LegAngles, share: f64) -> LegAngles {
    LegAngles { sweep: a.sweep + share * b.sweep, lift: a.lift + share * b.lift, knee: a.knee + share * b.knee }
}
