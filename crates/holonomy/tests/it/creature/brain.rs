//! What the head decides.

use holonomy::lie::Pose;
use holonomy::medium::Terrain;
use holonomy::medium::obstacle::Obstacle;
use holonomy::nalgebra::{UnitQuaternion, Vector3};
use holonomy::systems::creature::brain::{Command, Mode};
use holonomy::systems::creature::make_up::MakeUp;
use holonomy::systems::creature::senses::Food;
use holonomy::systems::creature::walk::{Support, Surroundings};

use super::StandIn;
use crate::meshes::below;

fn walking(terrain: &Terrain) -> StandIn {
    let mut creature = StandIn::new(MakeUp::centipede(), terrain, Vector3::zeros(), Vector3::x(), 2);
    for _ in 0..300 {
        creature.tick(&Surroundings { command: Some(Command { speed: 0.0, turn: 0.0 }), ..Surroundings::bare(terrain) });
    }
    assert_eq!(creature.state.brain.mode, Mode::Control);
    creature
}

fn column(x: f64, z: f64, radius: f64) -> Obstacle {
    Obstacle::Cylinder { from: Vector3::new(x, -0.1, z), to: Vector3::new(x, 0.1, z), radius }
}

/// To the left of x, radians.
fn heading(creature: &StandIn) -> f64 {
    let ahead = creature.poses[0].rotation * Vector3::x();
    (-ahead.z).atan2(ahead.x)
}

/// A touch on the left turns it to the right, and the other way round; then it goes on as before.
#[test]
fn it_turns_away_from_what_it_touches() {
    let terrain = Terrain::flat(0.0);
    let foods = [Food { place: Vector3::new(0.9, 0.0, 0.0), strength: 1.0 }];
    for side in [-1.0, 1.0] {
        let mut creature = walking(&terrain);
        let obstacles = [column(0.12, side * 0.03, 0.015)];
        let around = Surroundings { obstacles: &obstacles, foods: &foods, ..Surroundings::bare(&terrain) };
        let (mut farthest, mut modes) = (0.0_f64, Vec::new());
        for _ in 0..900 {
            creature.tick(&around);
            // The left antenna is at −z.
            assert!(!creature.state.antennae[if side < 0.0 { 1 } else { 0 }].contact);
            // Away from the obstacle: to the left if it is on the right.
            farthest = farthest.max(heading(&creature) * side);
            if modes.last() != Some(&creature.state.brain.mode) {
                modes.push(creature.state.brain.mode);
            }
        }
        println!("side {side}: turned {farthest:.2}, {modes:?}");
        assert!(farthest > 0.1, "{farthest}"); // measured 0.86 and 0.92
        assert_eq!(modes[..3], [Mode::Trophotropism, Mode::Avoidance, Mode::Trophotropism]);
    }
}

/// Straight against a wall one antenna has priority: it turns aside, keeps its distance and does not waver.
#[test]
fn a_wall_does_not_trap_it() {
    let terrain = Terrain::flat(0.0);
    let foods = [Food { place: Vector3::new(0.5, 0.0, 0.0), strength: 1.0 }];
    let mut creature = walking(&terrain);
    let pose = Pose { rotation: UnitQuaternion::identity(), translation: Vector3::new(0.16, 0.0, 0.0) };
    let wall = [Obstacle::Box { pose, half: Vector3::new(0.02, 0.1, 0.12) }];
    let (mut from_wall, mut eaten) = (f64::INFINITY, None);
    for tick in 0..9000 {
        let around = Surroundings { obstacles: &wall, foods: &foods, ..Surroundings::bare(&terrain) };
        let events = creature.tick(&around);
        from_wall = from_wall.min(wall[0].distance(&creature.head()).value);
        if events.eaten.is_some() {
            eaten = Some(tick as f64 / super::RATE);
            break;
        }
    }
    println!("around the wall after {eaten:?} s, {from_wall:.4} m from it");
    assert!(from_wall > 0.0175, "{from_wall}"); // measured 0.0245: farther than its feet reach
    assert!(eaten.is_some());
}

/// With food behind a column it goes around: AVOIDANCE comes before TROPHOTROPISM, and after it.
#[test]
fn avoidance_comes_before_food() {
    let terrain = Terrain::flat(0.0);
    let mut creature = walking(&terrain);
    let obstacles = [column(0.15, 0.002, 0.03)];
    let mut foods = [Food { place: Vector3::new(0.35, 0.0, 0.0), strength: 1.0 }];
    let mut modes = Vec::new();
    let mut eaten = 0;
    for _ in 0..3000 {
        let events = creature.tick(&Surroundings { obstacles: &obstacles, foods: &foods, ..Surroundings::bare(&terrain) });
        if creature.state.antennae.iter().any(|antenna| antenna.contact) {
            assert_eq!(creature.state.brain.mode, Mode::Avoidance);
        }
        if modes.last() != Some(&creature.state.brain.mode) {
            modes.push(creature.state.brain.mode);
        }
        if let Some(food) = events.eaten {
            foods[food].strength = 0.0;
            eaten += 1;
        }
    }
    assert_eq!(modes[..3], [Mode::Trophotropism, Mode::Avoidance, Mode::Trophotropism]);
    assert_eq!((eaten, creature.state.meals), (1, 1));
    assert_eq!(modes.last(), Some(&Mode::RandomWalk));
}

/// What smells less than the threshold is not followed.
#[test]
fn faint_food_is_not_followed() {
    let terrain = Terrain::flat(0.0);
    for (distance, mode) in [(0.9, Mode::Trophotropism), (1.2, Mode::RandomWalk)] {
        let mut creature = walking(&terrain);
        let foods = [Food { place: Vector3::new(0.0, 0.0, distance), strength: 1.0 }];
        creature.tick(&Surroundings { foods: &foods, ..Surroundings::bare(&terrain) });
        assert_eq!(creature.state.brain.mode, mode);
    }
}

/// Commands are obeyed, whatever the antennae say; less than no speed is none.
#[test]
fn commands_are_obeyed() {
    let terrain = Terrain::flat(0.0);
    let mut creature = walking(&terrain);
    let foods = [Food { place: Vector3::new(0.0, 0.0, 0.5), strength: 1.0 }];
    let mut go = |speed: f64, turn: f64| {
        let from = creature.poses[0];
        for _ in 0..300 {
            creature.tick(&Surroundings { foods: &foods, command: Some(Command { speed, turn }), ..Surroundings::bare(&terrain) });
        }
        assert_eq!(creature.state.brain.mode, Mode::Control);
        ((creature.head() - from.translation).norm(), (from.rotation.inverse() * creature.poses[0].rotation).scaled_axis().y)
    };
    // The first second is for getting up to speed.
    go(0.05, 0.0);
    let (gone, turned) = go(0.05, 0.0);
    below((gone - 0.05).abs() + turned.abs(), 1e-6); // measured 5.8e-16
    let (_, turned) = go(0.05, 0.7);
    below((turned - 0.7).abs(), 1e-6); // measured 1.5e-15
    let (gone, _) = go(-0.1, 0.0);
    below(gone, 1e-6); // measured 0
    let (gone, turned) = go(f64::NAN, f64::NAN);
    below(gone + turned.abs(), 1e-6); // measured 0
}

/// Lifted off the ground it lets go: ADJUSTMENT, and the head is free.
#[test]
fn who_is_lifted_adjusts() {
    let terrain = Terrain::flat(0.0);
    let mut creature = walking(&terrain);
    creature.poses.iter_mut().for_each(|pose| pose.translation.y += 0.1);
    creature.tick(&Surroundings::bare(&terrain));
    creature.tick(&Surroundings::bare(&terrain));
    assert_eq!(creature.state.brain.mode, Mode::Adjustment);
    assert!(creature.state.supports.iter().all(|support| *support == Support::Free));
    assert_eq!(creature.state.standing(), 0);
}
