//! Antennae: they search, wave and draw back.

use holonomy::lie::Pose;
use holonomy::medium::Terrain;
use holonomy::medium::obstacle::Obstacle;
use holonomy::nalgebra::{UnitQuaternion, Vector3};
use holonomy::systems::creature::antenna::Antennae;
use holonomy::systems::creature::make_up::MakeUp;
use holonomy::systems::creature::walk::{Surroundings, Walker, WalkerState};

use super::RATE;
use crate::meshes::below;

/// A head that hangs in the air and does nothing but feel.
fn feeler() -> (Walker, WalkerState, Vec<Pose>, Antennae) {
    let make_up = MakeUp { segments: 1, ..MakeUp::centipede() };
    let antennae = make_up.antennae.unwrap();
    let walker = Walker::new(make_up).unwrap();
    let state = walker.start(3);
    let pose = Pose { rotation: UnitQuaternion::from_euler_angles(0.1, 0.5, -0.1), translation: Vector3::new(0.1, 0.5, 0.2) };
    (walker, state, vec![pose], antennae)
}

/// Towards goals on both sides of it, never past them, at its speed; printed was "always plus", which would run away.
#[test]
fn the_root_turns_towards_its_goal() {
    let (walker, mut state, poses, antennae) = feeler();
    let terrain = Terrain::flat(0.0);
    let most = antennae.root_speed / RATE;
    let (mut down, mut up, mut goals) = (0, 0, 0);
    for _ in 0..3000 {
        let before = state.antennae[1].clone();
        walker.tick(&mut state, &Surroundings::bare(&terrain), &poses, 1.0 / RATE).unwrap();
        let after = &state.antennae[1];
        for axis in 0..2 {
            let step = after.root[axis] - before.root[axis];
            assert!(step.abs() <= most * (1.0 + 1e-9));
            assert!((after.root[axis] - antennae.rest[axis]).abs() <= antennae.range[axis] + 1e-12);
            let left = before.goal[axis] - before.root[axis];
            assert!(step * left >= 0.0 && step.abs() <= left.abs() + 1e-15);
            (down, up) = (down + usize::from(step < 0.0), up + usize::from(step > 0.0));
        }
        goals += usize::from(after.goal != before.goal);
    }
    assert!(goals > 20 && down > 500 && up > 500, "{goals} {down} {up}"); // measured 86, 2082 and 2075
}

/// Each link is turned against the one before by A sin(ωt − λi) + B, so that a wave runs outwards; and left is the mirror of right.
#[test]
fn a_wave_runs_out_along_the_links() {
    let (walker, mut state, poses, antennae) = feeler();
    let terrain = Terrain::flat(0.0);
    let mut worst = 0.0_f64;
    for _ in 0..500 {
        walker.tick(&mut state, &Surroundings::bare(&terrain), &poses, 1.0 / RATE).unwrap();
        for (side, sign) in [(0, -1.0), (1, 1.0)] {
            let antenna = &state.antennae[side];
            let local: Vec<Vector3<f64>> = antenna.joints.iter().map(|joint| poses[0].inverse().act(joint)).collect();
            let angles = |k: usize| {
                let along = (local[k + 1] - local[k]) * (antennae.links as f64 / antennae.length);
                [(sign * along.z).atan2(along.x), along.y.asin()]
            };
            for i in 1..antennae.links {
                let wave = (antennae.frequency * state.time - antennae.phase_step * i as f64).sin();
                for axis in 0..2 {
                    let bend = angles(i)[axis] - angles(i - 1)[axis];
                    worst = worst.max((bend - antennae.amplitude[axis] * wave - antennae.base[axis]).abs());
                }
            }
            worst = worst.max((angles(0)[0] - antenna.root[0]).abs());
        }
    }
    below(worst, 1e-12); // measured 8.1e-14
}

/// A column beside one antenna is felt by it alone, and it draws back to the side that the column's normal points to.
#[test]
fn it_draws_back_from_what_it_touches() {
    let terrain = Terrain::flat(0.0);
    // Outside of where it swings, and inside.
    for (side, sign, out, back) in [(0, -1.0, 0.032, -1.0), (1, 1.0, 0.032, -1.0), (0, -1.0, 0.006, 1.0), (1, 1.0, 0.006, 1.0)] {
        let (walker, mut state, poses, antennae) = feeler();
        let at = |y: f64| poses[0].act(&Vector3::new(0.03, y, sign * out));
        let column = [Obstacle::Cylinder { from: at(-0.1), to: at(0.1), radius: 0.008 }];
        let around = Surroundings { obstacles: &column, ..Surroundings::bare(&terrain) };
        let (mut touches, mut deepest) = (0, 0.0_f64);
        for _ in 0..3000 {
            walker.tick(&mut state, &around, &poses, 1.0 / RATE).unwrap();
            assert!(!state.antennae[1 - side].contact);
            let antenna = &state.antennae[side];
            if antenna.contact {
                touches += 1;
                assert!(antenna.retreating && (antenna.goal[0] - antenna.root[0]) * back > 0.0);
            }
            let depth = antenna.joints.iter().map(|joint| -column[0].distance(joint).value).fold(0.0, f64::max);
            deepest = deepest.max(depth / antennae.length);
        }
        println!("touches {touches}");
        assert!(touches > 10 && touches < 1500, "{touches}"); // measured 16 to 23
        below(deepest, 0.05); // measured 0.0407
    }
}

/// Over ground that it points into, the antenna is lifted.
#[test]
fn it_does_not_sink_into_the_ground() {
    let (walker, mut state, mut poses, antennae) = feeler();
    poses[0] = Pose { rotation: UnitQuaternion::from_scaled_axis(Vector3::z() * -0.5), translation: Vector3::new(0.0, 0.012, 0.0) };
    let terrain = Terrain::flat(0.0);
    let mut deepest = 0.0_f64;
    for tick in 0..2000 {
        walker.tick(&mut state, &Surroundings::bare(&terrain), &poses, 1.0 / RATE).unwrap();
        if tick > 100 {
            let lowest = state.antennae.iter().map(|antenna| -antenna.joints.last().unwrap().y).fold(0.0, f64::max);
            deepest = deepest.max(lowest / antennae.length);
        }
    }
    below(deepest, 0.02); // measured 0
}
