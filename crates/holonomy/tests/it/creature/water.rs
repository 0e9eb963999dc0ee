//! In and out of water: body modes and tucked legs.

use holonomy::medium::Terrain;
use holonomy::nalgebra::Vector3;
use holonomy::systems::creature::body_mode::{BodyMode, Census};
use holonomy::systems::creature::brain::Command;
use holonomy::systems::creature::make_up::MakeUp;
use holonomy::systems::creature::switcher::Phase;
use holonomy::systems::creature::walk::{Support, Surroundings};

use super::StandIn;

fn seen(grounded: usize, submerged: usize) -> Census {
    Census { segments: 10, legged: 9, grounded, submerged }
}

/// Each row of Fang 2015, Fig. 6.4; the seventh mode; and what the table leaves open stays.
#[test]
fn body_modes_follow_the_table() {
    use BodyMode::*;
    let all = [InAir, OnGround, InWater, AirToGround, GroundToWater, WaterToGround, AirToWater];
    for mode in all {
        assert_eq!(mode.after(&seen(0, 0)), InAir);
        assert_eq!(mode.after(&seen(9, 0)), OnGround);
        assert_eq!(mode.after(&seen(0, 10)), InWater);
    }
    assert_eq!(InAir.after(&seen(4, 0)), AirToGround);
    assert_eq!(OnGround.after(&seen(5, 4)), GroundToWater);
    assert_eq!(InWater.after(&seen(0, 4)), WaterToGround);
    // Fallen into water: the case that no row covers.
    assert_eq!(InAir.after(&seen(0, 4)), AirToWater);
    assert_eq!(AirToWater.after(&seen(0, 5)), AirToWater);
    // Mixed states keep the mode.
    for mode in [OnGround, AirToGround, GroundToWater, WaterToGround] {
        assert_eq!(mode.after(&seen(5, 0)), mode);
    }
    assert_eq!(WaterToGround.after(&seen(5, 4)), WaterToGround);
    assert_eq!(GroundToWater.after(&seen(5, 4)), GroundToWater);
}

#[test]
fn legs_are_tucked_in_water_and_swing_as_they_leave_it() {
    let terrain = Terrain::flat(0.0);
    let mut creature = StandIn::new(MakeUp::centipede(), &terrain, Vector3::zeros(), Vector3::x(), 1);
    let command = Some(Command { speed: 0.05, turn: 0.0 });
    let mut wet = vec![false; 19];
    // Water that comes just over the middle of a segment.
    let go = |creature: &mut StandIn, wet: &[bool], ticks: usize| {
        let levels: Vec<f64> = wet.iter().map(|&wet| if wet { 7.5e-3 } else { f64::NEG_INFINITY }).collect();
        for _ in 0..ticks {
            creature.tick(&Surroundings { command, levels: &levels, ..Surroundings::bare(&terrain) });
        }
    };
    go(&mut creature, &wet, 600);
    assert_eq!(creature.state.body_mode, BodyMode::OnGround);
    // The head and eight segments go in.
    wet[..9].fill(true);
    go(&mut creature, &wet, 100);
    assert_eq!(creature.state.body_mode, BodyMode::GroundToWater);
    for (i, pair) in creature.state.legs.iter().enumerate() {
        let under = wet[i + 1];
        assert!(pair.iter().all(|leg| (leg.phase == Phase::Tucked) == under));
        assert!(!under || creature.state.supports[i + 1] == Support::Free);
    }
    assert!(creature.state.legs[0].iter().all(|leg| leg.angles == MakeUp::centipede().legs.unwrap().poses.tucked));
    wet.fill(true);
    go(&mut creature, &wet, 1);
    assert_eq!(creature.state.body_mode, BodyMode::InWater);
    go(&mut creature, &wet, 1);
    assert!(creature.state.supports.iter().all(|support| *support == Support::Free));
    wet[..3].fill(false);
    go(&mut creature, &wet, 1);
    assert_eq!(creature.state.body_mode, BodyMode::WaterToGround);
    assert!(creature.state.legs[..2].iter().flatten().all(|leg| leg.phase == Phase::ForwardUp));
    wet.fill(false);
    go(&mut creature, &wet, 600);
    assert_eq!(creature.state.body_mode, BodyMode::OnGround);
}
