//! Walk cycles and strokes: one period of a gait as a loop without a seam.

use std::ops::ControlFlow;

use holonomy::Error;
use holonomy::medium::Terrain;
use holonomy::medium::ground::Ground;
use holonomy::medium::obstacle::Obstacle;
use holonomy::motion::{Motion, Outcome};
use holonomy::nalgebra::Vector3;
use holonomy::shape::Playback;
use holonomy::systems::creature::cycle::Cycle;
use holonomy::systems::creature::make_up::MakeUp;
use holonomy::systems::creature::pool::Pool;
use holonomy::systems::creature::record::Run;
use holonomy::systems::creature::swim::Stroke;
use holonomy::systems::creature::will::{Order, Will};
use holonomy::systems::creature::world::{Creature, World, WorldSettings};

fn told(make_up: MakeUp, speed: f64, turn: f64) -> Creature {
    Creature { will: Will::Told(vec![Order { from: 0.0, speed, turn, pitch: 0.0 }]), ..Creature::new("it", make_up) }
}

fn run(settings: WorldSettings, settle: f64, steps: usize) -> Run {
    let world = World::new(settings).unwrap();
    let (coats, scenery) = (Vec::new(), Vec::new());
    Run { world, coats, settle, dt: 1.0 / 60.0, steps, cycle: Cycle::Gait, scenery, water_points: 2 }
}

fn walk(creature: Creature, settle: f64, steps: usize) -> Result<Motion, Error> {
    let settings = WorldSettings { creatures: vec![creature], ..WorldSettings::default() };
    run(settings, settle, steps).run(&mut |_, _| ControlFlow::Continue(()))
}

fn swim(settle: f64) -> Motion {
    let creature = Creature { afloat: true, place: Vector3::new(0.0, -4e-3, 0.0), ..told(MakeUp::swimmer(), 1.0, 0.0) };
    let (terrain, pool) = (Terrain::flat(-1.0), Some(Pool::default()));
    let settings = WorldSettings { terrain, pool, creatures: vec![creature], ..WorldSettings::default() };
    run(settings, settle, 30).run(&mut |_, _| ControlFlow::Continue(())).unwrap()
}

fn value(motion: &Motion, name: &str) -> f64 {
    motion.checks.iter().find(|check| check.name.contains(name)).unwrap_or_else(|| panic!("{:?}", motion.checks)).value
}

/// The farthest that a joint of the last frame is from that of the first, carried along by the cycle, metres.
fn gap(motion: &Motion) -> f64 {
    let (track, last) = (&motion.tracks[0], motion.frames() - 1);
    assert_eq!(track.shape.playback(), Playback::Loop);
    assert_eq!(track.shape.frames(), last);
    let carry = motion.cycle_transform.unwrap() * track.poses[0];
    let ends = track.shape.frame(last).iter().zip(track.shape.frame(0));
    ends.map(|(end, start)| (track.poses[last].act(end) - carry.act(start)).norm()).fold(0.0, f64::max)
}

/// A stride is a loop in whole frames, at the speed that was told; its feet stand still and its end is its beginning.
#[test]
fn a_stride_of_a_centipede_is_a_loop() {
    let motion = walk(told(MakeUp::centipede(), 0.1, 0.0), 4.0, 120).unwrap();
    assert_eq!(motion.outcome, Outcome::Done);
    assert!(motion.checks.iter().all(|check| check.pass()), "{:?}", motion.checks);
    // Measured: 0.
    assert!(gap(&motion) < 1e-15, "{}", gap(&motion));
    // Measured: 1.2e-14.
    assert!(value(&motion, "way of a foot") < 1e-12, "{:?}", motion.checks);
    let period = motion.dt * (motion.frames() - 1) as f64;
    let carry = motion.cycle_transform.unwrap();
    // 0.2435 s and 0.0999 m/s were measured.
    assert!((0.24..0.25).contains(&period), "{period}");
    assert!((carry.translation.norm() / period / 0.1 - 1.0).abs() < 0.01, "{}", carry.translation.norm() / period);
    assert!(carry.rotation.angle() < 2e-3, "{}", carry.rotation.angle());
    assert!((1.0 / motion.dt / 60.0 - 1.0).abs() < 0.05, "{}", motion.dt);
}

/// Who walks a bend turns by its rate over a period; the root goes along the arc evenly.
#[test]
fn a_stride_in_a_bend_turns_by_its_rate() {
    let motion = walk(told(MakeUp::centipede(), 0.1, 0.3), 6.0, 180).unwrap();
    let period = motion.dt * (motion.frames() - 1) as f64;
    let turn = motion.cycle_transform.unwrap().rotation.scaled_axis();
    // Measured: 0.07489 of 0.07499 rad.
    assert!((turn.y / (0.3 * period) - 1.0).abs() < 0.01, "{turn} in {period} s");
    let twists = &motion.tracks[0].twists;
    assert!(twists.iter().all(|twist| (twist.linear - twists[0].linear).norm() < 1e-9), "{twists:?}");
    assert!(gap(&motion) < 1e-15);
}

/// A stroke closes by itself: what is left to close is far below what is seen.
#[test]
fn a_stroke_of_a_swimmer_is_a_loop() {
    let motion = swim(6.0);
    assert!(motion.checks.iter().all(|check| check.pass()), "{:?}", motion.checks);
    assert!((motion.dt * (motion.frames() - 1) as f64 - 0.5).abs() < 1e-12);
    assert!(gap(&motion) < 1e-15, "{}", gap(&motion));
    // Measured: 1e-6; the stroke is by then steady.
    assert!(value(&motion, "jump of the segments") < 1e-4, "{:?}", motion.checks);
}

/// The node that is moved begins where the creature was put and as it was turned, wherever the gait has settled; the feet stay on the ground.
#[test]
fn a_cycle_begins_at_the_start() {
    let (angle, at) = (0.7_f64, Vector3::new(0.3, 0.0, -0.2));
    let forward = Vector3::new(angle.cos(), 0.0, -angle.sin());
    let started = |creature: Creature| Creature { place: creature.place + at, forward, ..creature };
    let walker = started(told(MakeUp::centipede(), 0.1, 0.01));
    let swimmer = started(Creature { afloat: true, place: Vector3::new(0.0, -4e-3, 0.0), ..told(MakeUp::swimmer(), 1.0, 0.0) });
    // As scenes make their ground: with room for what may lie on it.
    let ground = |height| Terrain::with_solids(Ground::Flat { height }, Vec::new(), 1e-3).unwrap();
    let on_land = WorldSettings { terrain: ground(0.1), creatures: vec![walker], ..WorldSettings::default() };
    let in_water =
        WorldSettings { terrain: ground(-1.0), pool: Some(Pool::default()), creatures: vec![swimmer], ..WorldSettings::default() };
    for (settings, settle, steps) in [(on_land, 2.0, 80), (in_water, 1.0, 30)] {
        let motion = run(settings.clone(), settle, steps).run(&mut |_, _| ControlFlow::Continue(())).unwrap();
        let root = motion.tracks[0].poses[0];
        assert!((root.translation - at).xz().norm() < 1e-14, "{root:?}");
        assert!((root.rotation * Vector3::x() - forward).norm() < 1e-14, "{root:?}");
        if settings.pool.is_none() {
            assert!((root.translation.y - 0.1).abs() < 1e-14, "{root:?}");
            assert!(value(&motion, "depth of a foot") < 0.01 && value(&motion, "way of a foot") < 1e-12, "{:?}", motion.checks);
        }
        // What is measured in the world goes along: on average, as the momentum says.
        let way = motion.cycle_transform.unwrap() * root;
        let momenta = motion.tracks[0].momenta.iter().map(|momentum| momentum.linear).sum::<Vector3<f64>>();
        let along = (way.translation - root.translation).xz().normalize().dot(&momenta.xz().normalize());
        assert!(along > 0.9, "{along}");
    }
}

/// Where not all places are alike, a cycle stays where it was walked.
#[test]
fn a_cycle_among_obstacles_stays_where_it_was_walked() {
    let far = Obstacle::Sphere { center: Vector3::new(0.0, 0.0, 9.0), radius: 0.1 };
    let creatures = vec![told(MakeUp::centipede(), 0.1, 0.0)];
    let settings = WorldSettings { obstacles: vec![far], creatures, ..WorldSettings::default() };
    let motion = run(settings, 2.0, 80).run(&mut |_, _| ControlFlow::Continue(())).unwrap();
    let place = motion.tracks[0].poses[0].translation;
    // At 0.1 m/s it has gone 0.33 m; the root is under its middle, behind the head.
    assert!(place.x > 0.1, "{place}");
}

/// A run that is not steady yet is told from one that is: the check can fail.
#[test]
fn a_stroke_that_has_just_begun_does_not_close() {
    let motion = swim(0.3);
    let check = motion.checks.iter().find(|check| check.name.contains("jump of the segments")).unwrap();
    assert!(!check.pass(), "{check:?}");
    assert!(
        motion.warnings.iter().any(|note| note.contains("`settle`") && note.contains("`duration`") && note.contains("turn")),
        "{:?}",
        motion.warnings
    );
    assert!(swim(6.0).warnings.is_empty());
}

/// In a medium as thin as air it falls: it is not as fast after a stroke as before. So the check of the seam can fail; in water the speed comes back, and it passes.
#[test]
fn a_stroke_in_a_fall_has_a_seam() {
    let seam = |density: f64| {
        // A weak one: what strong muscles do from frame to frame stands out more than the fall.
        let (stroke, place) = (Stroke { contraction: 0.1, ..Stroke::default() }, Vector3::new(0.0, -4e-3, 0.0));
        let creature = Creature { afloat: true, place, stroke, ..told(MakeUp::swimmer(), 1.0, 0.0) };
        let (terrain, pool) = (Terrain::flat(-100.0), Some(Pool { density, ..Pool::default() }));
        let settings = WorldSettings { terrain, pool, creatures: vec![creature], ..WorldSettings::default() };
        let motion = run(settings, 2.0, 30).run(&mut |_, _| ControlFlow::Continue(())).unwrap();
        motion.checks.into_iter().find(|check| check.name.contains("velocity at the seam")).unwrap()
    };
    let (air, water) = (seam(1.2), seam(1000.0));
    // Measured: 4.7 and 0.78.
    assert!(!air.pass() && air.value > 2.0, "{air:?}");
    assert!(water.pass(), "{water:?}");
}

/// Played again, each cycle is the one before, carried along.
#[test]
fn cycles_follow_on_each_other() {
    let motion = swim(4.0);
    let (frames, carry) = (motion.frames() - 1, motion.cycle_transform.unwrap());
    let thrice = motion.repeated(3);
    let track = &thrice.tracks[0];
    assert_eq!(thrice.frames(), 3 * frames + 1);
    for k in 0..=2 * frames {
        assert!((track.poses[k + frames].translation - (carry * track.poses[k]).translation).norm() < 1e-14);
    }
}

#[test]
fn who_stands_still_has_no_gait() {
    let said = walk(told(MakeUp::centipede(), 0.0, 0.0), 0.0, 30).unwrap_err().to_string();
    assert!(said.contains("touch-downs") && said.contains("longer duration"), "{said}");
}

/// Who is asked to stop shows what there is.
#[test]
fn a_cycle_can_be_stopped() {
    let settings = WorldSettings { creatures: vec![told(MakeUp::centipede(), 0.1, 0.0)], ..WorldSettings::default() };
    let stop = |step: usize| if step > 20 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
    let motion = run(settings, 0.0, 60).run(&mut |step, _| stop(step)).unwrap();
    assert_eq!((motion.outcome.clone(), motion.frames()), (Outcome::Interrupted { frame: 1 }, 1));
}
