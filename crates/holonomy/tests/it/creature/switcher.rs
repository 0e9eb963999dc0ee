//! The rules of the leg states, one by one.

use holonomy::systems::creature::leg::LegAngles;
use holonomy::systems::creature::make_up::MakeUp;
use holonomy::systems::creature::switcher::{Event, Phase, swing};

use crate::meshes::below;

const IN_AIR: [Phase; 5] = [Phase::ForwardUp, Phase::ForwardDown, Phase::BackwardDown, Phase::BackwardUp, Phase::Adjust];

#[test]
fn rule_1_the_loop_of_a_leg_that_finds_no_ground() {
    let mut phase = Phase::ForwardUp;
    let mut seen = Vec::new();
    for _ in 0..4 {
        phase = phase.after(Event::Arrived);
        seen.push(phase);
    }
    assert_eq!(seen, [Phase::ForwardDown, Phase::BackwardDown, Phase::BackwardUp, Phase::ForwardUp]);
    // A leg that stands arrives nowhere.
    assert_eq!(Phase::Stance.after(Event::Arrived), Phase::Stance);
}

#[test]
fn rule_2_whoever_touches_stands() {
    for phase in IN_AIR {
        assert_eq!(phase.after(Event::Touched), Phase::Stance);
    }
}

#[test]
fn rule_3_out_of_reach_ends_a_stance_only() {
    assert_eq!(Phase::Stance.after(Event::OutOfReach), Phase::ForwardUp);
    for phase in IN_AIR {
        assert_eq!(phase.after(Event::OutOfReach), phase);
    }
}

#[test]
fn rule_4_the_leader_sends_into_adjust() {
    for phase in IN_AIR.into_iter().chain([Phase::Stance]) {
        assert_eq!(phase.after(Event::LeaderLanded), Phase::Adjust);
    }
}

#[test]
fn rule_5_adjust_leads_down() {
    assert_eq!(Phase::Adjust.after(Event::Arrived), Phase::ForwardDown);
}

#[test]
fn where_it_cannot_stand_it_swings_anew() {
    for phase in IN_AIR {
        assert_eq!(phase.after(Event::NoFoothold), Phase::ForwardUp);
    }
    assert_eq!(Phase::Stance.after(Event::NoFoothold), Phase::Stance);
}

#[test]
fn left_takes_right_along() {
    for phase in IN_AIR.into_iter().chain([Phase::Stance]) {
        assert_eq!(phase.after(Event::PartnerLifted), Phase::ForwardUp);
    }
}

#[test]
fn in_water_legs_are_tucked() {
    for phase in Phase::ALL {
        assert_eq!(phase.after(Event::Submerged), Phase::Tucked);
        let out = if phase == Phase::Tucked { Phase::ForwardUp } else { phase };
        assert_eq!(phase.after(Event::Emerged), out);
    }
    for event in [Event::Arrived, Event::Touched, Event::OutOfReach, Event::NoFoothold, Event::LeaderLanded, Event::PartnerLifted] {
        assert_eq!(Phase::Tucked.after(event), Phase::Tucked);
    }
}

/// A stance runs from where SF2 ends to where SF1 starts, AEP to PEP.
#[test]
fn states_go_to_their_poses() {
    let poses = MakeUp::centipede().legs.unwrap().poses;
    assert!(poses.anterior.sweep > 0.0 && poses.posterior.sweep < 0.0);
    assert_eq!(Phase::ForwardDown.goal(&poses), Some(poses.anterior));
    assert_eq!(Phase::BackwardUp.goal(&poses), Some(poses.posterior));
    assert_eq!(Phase::ForwardUp.goal(&poses), Some(poses.up));
    assert_eq!(Phase::BackwardDown.goal(&poses), Some(poses.down));
    assert_eq!(Phase::Stance.goal(&poses), None);
}

/// Held in the air, a leg goes round in the time that its poses are apart, whatever the tick.
#[test]
fn a_leg_in_the_air_keeps_time() {
    let legs = MakeUp::centipede().legs.unwrap();
    let p = legs.poses;
    let round = p.posterior.apart(&p.up) + p.up.apart(&p.anterior) + p.anterior.apart(&p.down) + p.down.apart(&p.posterior);
    for ticks in [7, 100, 1001] {
        let (mut phase, mut angles) = (Phase::ForwardUp, p.posterior);
        // Just short of the whole round, so that it is still in the last state.
        let time = (round / legs.speed) * (1.0 - 1e-9);
        (0..ticks).for_each(|_| swing(&legs, &p.anterior, &mut phase, &mut angles, time / ticks as f64));
        assert_eq!(phase, Phase::BackwardUp);
        below(angles.apart(&p.posterior), 1e-7); // measured 4.9e-9
    }
    // A creature whose poses are all one must not hang.
    let mut still = legs;
    let one = LegAngles::new(0.1, 0.2, 0.3);
    still.poses.anterior = one;
    (still.poses.posterior, still.poses.up, still.poses.down) = (one, one, one);
    let (mut phase, mut angles) = (Phase::ForwardUp, one);
    swing(&still, &one, &mut phase, &mut angles, 1.0);
    assert_eq!(angles, one);
}
