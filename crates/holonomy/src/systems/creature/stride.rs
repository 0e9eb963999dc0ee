//! One tick of a segment behind the head and of its legs.
//!
//! Fang 2015, App. D, "Update of the Rigid Segments" and "of the Legs". What makes feet neither slide nor sink:
//!
//! - The pose of the segment at the end of the tick is settled first; legs are set for that pose. A leg in STANCE is solved for the tip where it stands, so that it stays there to round-off.
//! - A leg in the air touches the ground if its tip was clear of it and now is inside. The tip is then put on the surface. A segment without support that finds ground this way is carried from this very tick on.
//! - A tip that is inside the ground without having been clear of it, as when SF1 begins, or where the leg could not stand, is lifted to the surface.

use nalgebra::Vector3;

use super::leg::{Leg, LegAngles, Side};
use super::make_up::{Legs, Sides, Wave};
use super::switcher::{Event, Phase, swing};
use super::walk::{LegState, Support, Surroundings, Walker, WalkerState, predicted};
use crate::lie::Pose;
use crate::medium::Terrain;

/// A tip is clear of the ground from this height on, in lengths of the leg.
const CLEAR: f64 = 0.03;

/// A stance may begin or be pushed this far ahead of AEP, radians of sweep.
const AHEAD: f64 = 0.4;

/// Of the pair that steps by turns, how much later than half a period a leg that stands lifts off
/// at the latest, over it.
const SLACK: f64 = 1.03;

/// Turns, of a tenth of a radian or more, by which a leg is raised out of the ground at most.
const RAISES: usize = 20;

/// A leg, where it is: all that a foot needs to know.
struct Place<'a> {
    leg: &'a Leg,
    legs: &'a Legs,
    side: Side,
    /// Of the leg, in the segment's frame, metres.
    root: Vector3<f64>,
    /// The pose in which SF2 ends.
    landing: LegAngles,
    terrain: &'a Terrain,
}

impl Walker {
    /// Segment `i` with its legs.
    pub(super) fn move_segment(&self, state: &mut WalkerState, around: &Surroundings, pose: &Pose, i: usize, time_step: f64) {
        let free = predicted(pose, state.before.get(i), self.links[i]);
        let (Some(leg), Some(legs)) = (&self.leg, &self.make_up.legs) else {
            state.supports[i] = Support::Free;
            state.ends.push(free);
            return;
        };
        let under_water = around.is_under(i, pose);
        self.switch(state, legs, i, under_water);
        let standing = |state: &WalkerState| state.legs[i - 1].iter().any(|leg| leg.phase == Phase::Stance);
        let leader = state.ends[i - 1].translation;
        let target = || self.target(around.terrain, pose, &leader, i, time_step);
        let carried = standing(state);
        let mut end = if carried { target() } else { free };
        let places = Side::BOTH.map(|side| Place {
            leg,
            legs,
            side,
            root: side.mirrored(&self.roots[i]),
            landing: if state.speed > 0.0 { legs.poses.anterior } else { self.ready(legs, i, side) },
            terrain: around.terrain,
        });
        let before = state.legs[i - 1].map(|leg| leg.phase);
        for (k, place) in places.iter().enumerate() {
            let foot = &mut state.legs[i - 1][k];
            place.step(foot, &end, time_step);
        }
        if legs.wave.leader(i, self.make_up.segments).is_none() {
            self.pair_up(state, legs, i, before);
        }
        if !carried && standing(state) {
            end = target();
            for (k, place) in places.iter().enumerate() {
                place.settle(&mut state.legs[i - 1][k], &end);
            }
        }
        let supported = carried || standing(state);
        state.supports[i] = if supported { Support::Carried(end) } else { Support::Free };
        state.hanging[i] = if supported { 0.0 } else { state.hanging[i] + time_step };
        state.ends.push(end);
    }

    /// Left and right of the pair that begins the wave, whose legs were in these phases `before`.
    /// Together: as the left leg lifts off, the right one does (Sec. 4.3.3); and as the right one
    /// does, the
    /// left one that stands, or a right leg that is ahead would stay so. By turns: a leg that
    /// stands lifts off half a period after the other at the latest. The period is that of the
    /// other's last
    /// step, and a little more: else steps would get ever shorter. Who stands still lifts nothing.
    fn pair_up(&self, state: &mut WalkerState, legs: &Legs, i: usize, before: [Phase; 2]) {
        let (pair, beat, time) = (&mut state.legs[i - 1], &mut state.beat, state.time);
        for (leg, other) in [(0, 1), (1, 0)] {
            let late = state.speed > 0.0 && pair[leg].phase == Phase::Stance && time >= beat.due[leg];
            if late {
                pair[leg].phase = pair[leg].phase.after(Event::PartnerLifted);
            }
            if before[leg] == Phase::ForwardUp || pair[leg].phase != Phase::ForwardUp {
                continue;
            }
            let step = time - beat.lifted[leg];
            (beat.lifted[leg], beat.due[leg]) = (time, f64::INFINITY);
            match legs.sides {
                Sides::Alternate => beat.due[other] = time + 0.5 * SLACK * if step.is_finite() { step } else { self.period },
                Sides::Together if other == 1 || pair[other].phase == Phase::Stance => {
                    pair[other].phase = pair[other].phase.after(Event::PartnerLifted);
                    beat.lifted[other] = time;
                }
                Sides::Together => {}
            }
        }
    }

    /// Where a leg of a creature that does not walk lands: spread from AEP to PEP, in the order of a wave. If all landed at AEP, all would lift off together soon after it starts to walk.
    fn ready(&self, legs: &Legs, i: usize, side: Side) -> LegAngles {
        let order = match legs.wave {
            Wave::Retrograde => i,
            Wave::Direct => self.make_up.segments - i,
        };
        let late = if legs.sides == Sides::Alternate && side == Side::Right { 0.5 } else { 0.0 };
        let phase = 1.0 - (self.stagger * order as f64 + late).fract();
        // Not quite to PEP: there it could not stand.
        legs.poses.anterior.towards(&legs.poses.posterior, 0.95 * phase)
    }

    /// What reaches the legs from outside: water, and the neighbours that lead them. Those behind
    /// say what they did in the tick before: legs move in turn from head to tail.
    fn switch(&self, state: &mut WalkerState, legs: &Legs, i: usize, under_water: bool) {
        let leader = legs.wave.leader(i, self.make_up.segments).map(|leader| state.legs[leader - 1].map(|leg| leg.landed));
        for (k, leg) in state.legs[i - 1].iter_mut().enumerate() {
            leg.landed = false;
            if under_water != (leg.phase == Phase::Tucked) {
                leg.phase = leg.phase.after(if under_water { Event::Submerged } else { Event::Emerged });
            }
            if leader.is_some_and(|landed| landed[k]) {
                leg.phase = leg.phase.after(Event::LeaderLanded);
            }
        }
    }

    /// The Balancer, then the Follower.
    fn target(&self, terrain: &Terrain, pose: &Pose, leader: &Vector3<f64>, i: usize, time_step: f64) -> Pose {
        let near = terrain.nearest(&pose.translation);
        let balanced = self.make_up.targeter.balance(pose, &near, self.make_up.height, time_step);
        self.make_up.targeter.follow(&balanced, leader, self.links[i], time_step)
    }
}

impl Place<'_> {
    /// One tick of a leg whose segment ends at `end`.
    fn step(&self, foot: &mut LegState, end: &Pose, time_step: f64) {
        if foot.phase == Phase::Stance {
            match self.standing(&foot.tip, end) {
                Some(angles) => {
                    foot.angles = angles;
                    return;
                }
                None => foot.phase = foot.phase.after(Event::OutOfReach),
            }
            foot.lifted = false;
        }
        let before = foot.angles;
        let landing = if foot.phase == Phase::ForwardDown { self.aim(end) } else { self.landing };
        swing(self.legs, &landing, &mut foot.phase, &mut foot.angles, time_step);
        foot.tip = self.tip(&foot.angles, end);
        if foot.phase == Phase::Tucked {
            return;
        }
        let distance = self.terrain.contact(&foot.tip).distance;
        foot.lifted |= distance > CLEAR * self.leg.range()[1];
        if distance <= 0.0 {
            self.meet_ground(foot, &before, end);
        }
    }

    /// The pose in which SF2 ends. Where that would leave the tip in the air, as over edges, on limbs and on a body that is raised, the leg reaches for the ground near to there, or behind it;
    /// docs/ERRATA.md, F36.
    fn aim(&self, end: &Pose) -> LegAngles {
        let below = |sweep: f64| {
            let pose = LegAngles { sweep, ..self.landing };
            let tip = self.tip(&pose, end);
            if self.terrain.contact(&tip).distance <= 0.0 {
                return Some(pose);
            }
            let hold = self.terrain.foothold(&tip);
            // A little into the ground, or it might not touch.
            self.standing(&(hold - self.terrain.contact(&hold).normal * (CLEAR * self.leg.range()[1])), end)
        };
        let sweep = self.landing.sweep;
        [1.0, 0.5, 0.0].into_iter().find_map(|share| below(share * sweep)).unwrap_or(self.landing)
    }

    /// A tip that is inside the ground stands there, or is lifted to its surface.
    fn meet_ground(&self, foot: &mut LegState, before: &LegAngles, end: &Pose) {
        // SF1 and ADJUST start on the ground: they touch it only after they were clear of it.
        if foot.lifted || !matches!(foot.phase, Phase::ForwardUp | Phase::Adjust) {
            let hold = self.terrain.foothold(&foot.tip);
            if let Some(angles) = self.standing(&hold, end) {
                *foot = LegState { phase: foot.phase.after(Event::Touched), angles, tip: hold, landed: true, lifted: false };
                return;
            }
            *foot = LegState { phase: foot.phase.after(Event::NoFoothold), lifted: false, ..*foot };
        }
        self.lift(foot, end);
        // Ground that keeps a leg from its pose, as a wall beside it does, must not hold it up for ever.
        if let Some(goal) = foot.phase.goal(&self.legs.poses)
            && foot.angles.apart(&goal) >= before.apart(&goal)
        {
            foot.phase = foot.phase.after(Event::Arrived);
        }
    }

    /// Sets a leg for another end of its segment, after one of the pair has just found ground.
    fn settle(&self, foot: &mut LegState, end: &Pose) {
        if foot.phase != Phase::Stance {
            foot.tip = self.tip(&foot.angles, end);
            if foot.phase != Phase::Tucked && self.terrain.contact(&foot.tip).distance < 0.0 {
                self.lift(foot, end);
            }
        } else if let Some(angles) = self.leg.angles(&self.local(&foot.tip, end)) {
            foot.angles = angles;
        } else {
            *foot = LegState { phase: foot.phase.after(Event::OutOfReach), tip: self.tip(&foot.angles, end), landed: false, ..*foot };
        }
    }

    /// Angles with which the leg stands with its tip there; none if it cannot, or not for long.
    fn standing(&self, tip: &Vector3<f64>, end: &Pose) -> Option<LegAngles> {
        let poses = &self.legs.poses;
        self.leg
            .angles(&self.local(tip, end))
            .filter(|angles| angles.sweep >= poses.posterior.sweep && angles.sweep <= poses.anterior.sweep + AHEAD)
    }

    /// Brings a tip that is inside the ground to its surface; where no angles do so, the leg is raised at its root until it is out.
    fn lift(&self, foot: &mut LegState, end: &Pose) {
        let hold = self.terrain.foothold(&foot.tip);
        if let Some(angles) = self.leg.angles(&self.local(&hold, end)) {
            foot.angles = angles;
            foot.tip = hold;
            return;
        }
        for _ in 0..RAISES {
            let depth = -self.terrain.contact(&foot.tip).distance;
            if depth <= 0.0 {
                break;
            }
            foot.angles.lift += (1.5 * depth / self.leg.range()[1]).clamp(0.1, 0.3);
            foot.tip = self.tip(&foot.angles, end);
        }
    }

    fn tip(&self, angles: &LegAngles, end: &Pose) -> Vector3<f64> {
        end.act(&(self.root + self.side.mirrored(&self.leg.tip(angles))))
    }

    fn local(&self, tip: &Vector3<f64>, end: &Pose) -> Vector3<f64> {
        self.side.mirrored(&(end.rotation.inverse() * (tip - end.translation) - self.root))
    }
}
