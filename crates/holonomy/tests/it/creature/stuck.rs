//! Who wants to go on and does not: it says so, with time and place, or climbs out of the water.

use holonomy::lie::Pose;
use holonomy::medium::Terrain;
use holonomy::medium::ground::Ground;
use holonomy::medium::obstacle::Obstacle;
use holonomy::motion::Motion;
use holonomy::nalgebra::{UnitQuaternion, Vector3};
use holonomy::systems::creature::make_up::MakeUp;
use holonomy::systems::creature::pool::Pool;
use holonomy::systems::creature::record::Run;
use holonomy::systems::creature::swim::Stroke;
use holonomy::systems::creature::will::{Order, Will};
use holonomy::systems::creature::world::{Creature, World, WorldSettings};
use std::ops::ControlFlow;

/// A box whose near side is at `x` and whose top is at `top`, so long along X and so wide along Z,
/// metres.
fn block(x: f64, top: f64, [long, wide]: [f64; 2]) -> Obstacle {
    let pose = Pose { rotation: UnitQuaternion::identity(), translation: Vector3::new(x + 0.5 * long, top - 0.2, 0.0) };
    Obstacle::Box { pose, half: Vector3::new(0.5 * long, 0.2, 0.5 * wide) }
}

/// One that goes straight on from the origin, over a bottom at that height and those stones, in
/// water at height 0 if it is `wet`.
fn run(make_up: MakeUp, bottom: f64, stones: Vec<Obstacle>, obstacles: Vec<Obstacle>, wet: bool, seconds: f64) -> Motion {
    let speed = if make_up.legs.is_some() { make_up.brain.speed } else { 1.0 };
    let will = Will::Told(vec![Order { from: 0.0, speed, turn: 0.0, pitch: 0.0 }]);
    let stroke = Stroke { frequency: 4.0, ..Stroke::default() };
    let mut creature = Creature { will, stroke, ..Creature::new("it", make_up) };
    if wet {
        (creature.afloat, creature.place.y) = (true, -4e-3);
    }
    let pool = wet.then(Pool::default);
    let terrain = Terrain::with_solids(Ground::Flat { height: bottom }, stones, 3e-3).unwrap();
    let settings = WorldSettings { terrain, obstacles, pool, creatures: vec![creature], ..WorldSettings::default() };
    let run = Run {
        world: World::new(settings).unwrap(),
        coats: Vec::new(),
        settle: 0.0,
        dt: 1.0 / 30.0,
        steps: (30.0 * seconds) as usize,
        cycle: Default::default(),
        scenery: Vec::new(),
        water_points: 2,
    };
    run.run(&mut |_, _| ControlFlow::Continue(())).unwrap()
}

/// The time from which on the run says that it is stuck, and whether it says that it swam.
fn stuck(motion: &Motion) -> Option<(f64, bool)> {
    let told = motion.warnings.iter().find(|told| told.contains("it is stuck near ["))?;
    let since = told.split(" from ").nth(1)?.split(' ').next()?.parse().ok()?;
    Some((since, told.contains("in the water")))
}

fn head(motion: &Motion, frame: usize) -> Vector3<f64> {
    motion.tracks[0].poses[frame].translation
}

/// Fang 2015, Fig. 6.6: a swimmer with legs at a pillar, 10 and 4 mm above the water. Before, it
/// pushed its nose against it to the end, and nothing was said.
#[test]
fn swimmers_with_legs_climb_out() {
    for rim in [10e-3, 4e-3] {
        for size in [[0.5, 0.5], [0.1, 0.1]] {
            let motion = run(MakeUp::centipede(), -0.15, vec![block(0.3, rim, size)], Vec::new(), true, 14.0);
            let highest = motion.tracks[0].poses.iter().map(|pose| pose.translation.y).fold(0.0, f64::max);
            let last = head(&motion, motion.frames() - 1);
            println!("rim {rim}, {size:?}: highest {highest:.4}, ends at {last:?}, {:?}", motion.warnings);
            motion.checks.iter().for_each(|check| println!("    {check:?}"));
            assert!(highest > rim + 5e-3, "{highest}");
            assert!(last.x > 0.4, "{last}");
            assert!(motion.warnings.is_empty(), "{:?}", motion.warnings);
            assert!(motion.checks.iter().all(|check| check.pass()));
        }
    }
}

/// A dead end along X: sides 5 cm apart, and a wall across it at 30 cm, all up to that height.
fn dead_end(top: f64) -> Vec<Obstacle> {
    let side = |z: f64| {
        let pose = Pose { rotation: UnitQuaternion::identity(), translation: Vector3::new(0.0, top - 0.2, z) };
        Obstacle::Box { pose, half: Vector3::new(0.6, 0.2, 0.05) }
    };
    vec![block(0.3, top, [0.1, 1.0]), side(0.075), side(-0.075)]
}

/// A swimmer without legs cannot climb: in a dead end the run says when and where it came to a
/// stand. One that slides along a wall gets on.
#[test]
fn swimmers_without_legs_say_that_they_are_stuck() {
    for top in [0.1, 4e-3] {
        let motion = run(MakeUp::swimmer(), -0.15, dead_end(top), Vec::new(), true, 14.0);
        println!("{:?} {:?}", motion.warnings, head(&motion, motion.frames() - 1));
        let (since, afloat) = stuck(&motion).unwrap();
        assert!(afloat && (0.5..9.0).contains(&since), "{since}");
    }
    // Where nothing is in the way, or only water, nothing is said.
    for stones in [Vec::new(), dead_end(-0.05)] {
        let motion = run(MakeUp::swimmer(), -0.15, stones, Vec::new(), true, 8.0);
        assert!(motion.warnings.is_empty(), "{:?}", motion.warnings);
    }
}

/// Who swims by orders goes through what it could only see; the run says so.
#[test]
fn heads_inside_obstacles_are_told() {
    let motion = run(MakeUp::swimmer(), -0.15, Vec::new(), vec![block(0.3, 0.1, [0.1, 1.0])], true, 6.0);
    assert!(
        motion.warnings.iter().any(|told| told.contains("inside an obstacle at") && told.contains("`stones`")),
        "{:?}",
        motion.warnings
    );
}

/// Who walks straight at a column that it is to walk around stands before it, and the run says so
/// at once, not after three escapes.
#[test]
fn walkers_at_obstacles_say_that_they_are_stuck() {
    for make_up in [MakeUp::centipede(), MakeUp::house_centipede()] {
        let column = block(0.2, 0.1, [0.1, 1.0]);
        let motion = run(make_up.clone(), 0.0, Vec::new(), vec![column], false, 10.0);
        println!("{:?}", motion.warnings);
        let (since, afloat) = stuck(&motion).unwrap();
        assert!(!afloat && (0.5..4.0).contains(&since), "{since}");
        let free = run(make_up, 0.0, Vec::new(), Vec::new(), false, 6.0);
        assert!(free.warnings.is_empty(), "{:?}", free.warnings);
    }
}

/// Over plates thinner than its blocks are long it is folded: the check fails, and the run says
/// what to do.
#[test]
fn folded_bodies_are_told_what_to_do() {
    let mut folded = 0;
    for thick in [1e-3, 2e-3, 4e-3] {
        let motion = run(MakeUp::centipede(), 0.0, vec![block(0.15, 0.1, [thick, 1.0])], Vec::new(), false, 8.0);
        let fails = motion.checks.iter().any(|check| !check.pass() && (check.name.contains("bend") || check.name.contains("link")));
        println!("{thick}: fails {fails}, {:?}, head {:?}", motion.warnings, head(&motion, motion.frames() - 1));
        motion.checks.iter().for_each(|check| println!("    {check:?}"));
        assert_eq!(fails, motion.warnings.iter().any(|told| told.contains("take larger land")), "{:?}", motion.warnings);
        folded += usize::from(fails);
    }
    assert!(folded > 0);
}
