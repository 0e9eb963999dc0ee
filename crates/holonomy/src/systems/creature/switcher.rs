//! The states of a leg, and what takes it from one to the next.
//!
//! Fang 2015, Secs. 4.3.1 to 4.3.3 and 6.3. A leg knows its own state, whether its tip touches the
//! ground, whether the leg that leads it on its side has just touched down; nothing else.
//! Out of that comes the wave: a leg's touch-down sends the next one into ADJUST, from where it has a fixed way to the ground. See [`Phase::after`] for the rules.
//!
//! In the thesis the leg ahead leads, and waves run from head to tail. They do so in Scolopendra;
//! in millipedes and house centipedes the leg behind leads, and waves run from tail to head:
//! see [`super::make_up::Wave`].

use super::leg::LegAngles;
use super::make_up::{Legs, Poses};

/// What a leg is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Phase {
    /// SF1, sway forward 1: up and forward, to MUP.
    ForwardUp,
    /// SF2, sway forward 2: down and forward, to AEP.
    ForwardDown,
    /// SB1, sway backward 1: down and backward to MDP, where it may find ground.
    BackwardDown,
    /// SB2, sway backward 2: up and backward, to PEP.
    BackwardUp,
    /// STANCE: the tip is fixed on the ground while the segment moves over it, from AEP to PEP (docs/ERRATA.md, F23).
    Stance,
    /// ADJUST: to the pose that sets the phase lag.
    Adjust,
    /// TUCKED: against the body, in water.
    Tucked,
}

/// What happens to a leg.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Event {
    /// It has reached the pose of its state.
    Arrived,
    /// Its tip has come from outside to the ground.
    Touched,
    /// No angles keep the tip where it stands, or its sweep has passed PEP.
    OutOfReach,
    /// Its tip has come to ground on which the leg cannot stand. Ours: the thesis has no word for it.
    NoFoothold,
    /// The leg that leads it, ahead of it or behind it as the wave runs, has just entered STANCE.
    LeaderLanded,
    /// The other leg of the pair that begins the wave has just entered SF1, or did so half a
    /// period ago where
    /// sides alternate.
    PartnerLifted,
    /// The segment has gone under water.
    Submerged,
    /// The segment has come out of the water.
    Emerged,
}

impl Phase {
    /// All of them.
    pub const ALL: [Phase; 7] =
        [Phase::ForwardUp, Phase::ForwardDown, Phase::BackwardDown, Phase::BackwardUp, Phase::Stance, Phase::Adjust, Phase::Tucked];

    /// Its name in Fang 2015.
    pub fn name(self) -> &'static str {
        match self {
            Phase::ForwardUp => "SF1",
            Phase::ForwardDown => "SF2",
            Phase::BackwardDown => "SB1",
            Phase::BackwardUp => "SB2",
            Phase::Stance => "STANCE",
            Phase::Adjust => "ADJUST",
            Phase::Tucked => "TUCKED",
        }
    }

    /// The state after an event: the rules of Fang 2015, Secs. 4.3.2, 4.3.3 and 6.3.
    pub fn after(self, event: Event) -> Phase {
        match (event, self) {
            (Event::Submerged, _) => Phase::Tucked,
            (Event::Emerged, Phase::Tucked) => Phase::ForwardUp,
            // Under water there is nothing else.
            (_, Phase::Tucked) => Phase::Tucked,
            // Rule 1: the loop of a leg that finds no ground. Rule 5: out of ADJUST.
            (Event::Arrived, Phase::ForwardUp | Phase::Adjust) => Phase::ForwardDown,
            (Event::Arrived, Phase::ForwardDown) => Phase::BackwardDown,
            (Event::Arrived, Phase::BackwardDown) => Phase::BackwardUp,
            (Event::Arrived, Phase::BackwardUp) => Phase::ForwardUp,
            // Rule 2.
            (Event::Touched, _) => Phase::Stance,
            // Rule 3.
            (Event::OutOfReach, Phase::Stance) => Phase::ForwardUp,
            // A new swing, rather than a foot that hangs on.
            (Event::NoFoothold, air) if air != Phase::Stance => Phase::ForwardUp,
            // Rule 4.
            (Event::LeaderLanded, _) => Phase::Adjust,
            // Left and right together, Sec. 4.3.3.
            (Event::PartnerLifted, _) => Phase::ForwardUp,
            (_, same) => same,
        }
    }

    /// The pose that the state ends in; none in STANCE.
    pub fn goal(self, poses: &Poses) -> Option<LegAngles> {
        match self {
            Phase::ForwardUp => Some(poses.up),
            Phase::ForwardDown => Some(poses.anterior),
            Phase::BackwardDown => Some(poses.down),
            Phase::BackwardUp => Some(poses.posterior),
            Phase::Adjust => Some(poses.adjust),
            Phase::Tucked => Some(poses.tucked),
            Phase::Stance => None,
        }
    }
}

/// Moves a leg that does not stand for a while, through as many states as it takes. SF2 ends at `landing`, which is AEP while the creature walks.
pub fn swing(legs: &Legs, landing: &LegAngles, phase: &mut Phase, angles: &mut LegAngles, time: f64) {
    let mut left = time;
    // No more states than there are in a loop: a leg whose poses are all the same must not stay here.
    for _ in 0..Phase::ALL.len() {
        let goal = if *phase == Phase::ForwardDown { Some(*landing) } else { phase.goal(&legs.poses) };
        let Some(goal) = goal else { return };
        let speed = if *phase == Phase::Adjust { legs.speed * legs.adjust_haste } else { legs.speed };
        let needed = angles.apart(&goal) / speed;
        if needed > left {
            *angles = angles.towards(&goal, left / needed);
            return;
        }
        *angles = goal;
        left -= needed;
        *phase = phase.after(Event::Arrived);
    }
}
