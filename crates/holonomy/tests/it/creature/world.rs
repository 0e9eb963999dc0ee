//! Creatures with all their dynamics: walking, falling, swimming, water, each other.

use std::f64::consts::PI;

use holonomy::elastic::chain::{CarriedWater, Hydrodynamics, WaterForce};
use holonomy::lie::{Momentum, Twist};
use holonomy::medium::Terrain;
use holonomy::nalgebra::Vector3;
use holonomy::systems::creature::body_mode::BodyMode;
use holonomy::systems::creature::make_up::MakeUp;
use holonomy::systems::creature::pool::{Pool, Waves};
use holonomy::systems::creature::senses::Food;
use holonomy::systems::creature::swim::{Generator, Steering, Stroke};
use holonomy::systems::creature::will::{Order, Will};
use holonomy::systems::creature::world::{Creature, Pull, World, WorldSettings, WorldState};
use holonomy::water::{Border, Borders, Rain};

use crate::meshes::below;

const TICK: f64 = 1.0 / 300.0;

fn straight_on(make_up: MakeUp, haste: f64) -> Creature {
    let speed = if make_up.legs.is_some() { haste * make_up.brain.speed } else { haste };
    let will = Will::Told(vec![Order { from: 0.0, speed, turn: 0.0, pitch: 0.0 }]);
    Creature { will, ..Creature::new("it", make_up) }
}

fn live(world: &World, state: &mut WorldState, seconds: f64) {
    for _ in 0..(seconds / TICK).round() as usize {
        world.tick(state, TICK).unwrap();
    }
}

fn head(world: &World, state: &WorldState, k: usize) -> Vector3<f64> {
    world.body(k).unwrap().0.pose(&state.creatures[k].chain, 0).translation
}

fn centre(world: &World, state: &WorldState, k: usize) -> Vector3<f64> {
    world.body(k).unwrap().0.centre(&state.creatures[k].chain)
}

/// In still water, as in Fang 2015, Ch. 5.
fn pool(creature: Creature) -> World {
    pool_with(creature, Hydrodynamics::default())
}

fn pool_with(creature: Creature, dynamics: Hydrodynamics) -> World {
    let creature = Creature { afloat: true, place: Vector3::new(0.0, -4e-3, 0.0), ..creature };
    let pool = Some(Pool { dynamics, ..Pool::default() });
    World::new(WorldSettings { terrain: Terrain::flat(-1.0), pool, creatures: vec![creature], ..WorldSettings::default() }).unwrap()
}

fn swimmer(stroke: Stroke) -> Creature {
    Creature { stroke, ..straight_on(MakeUp::swimmer(), 1.0) }
}

#[test]
fn a_creature_in_vacuum_keeps_its_momenta() {
    let creature = Creature { drop: 1.0, ..Creature::new("it", MakeUp { legs: None, ..MakeUp::centipede() }) };
    let world = World::new(WorldSettings { pull: Pull::Down(0.0), creatures: vec![creature], ..WorldSettings::default() }).unwrap();
    let mut state = world.begin().unwrap();
    let chain = &world.body(0).unwrap().0;
    chain.throw(&mut state.creatures[0].chain, &Twist::new(Vector3::new(0.5, 2.0, -1.0), Vector3::new(0.1, 0.0, 0.05))).unwrap();
    // Bent by its muscles' neighbours: one segment is turned against the others.
    chain.set_twist(&mut state.creatures[0].chain, 3, &Twist::new(Vector3::new(0.0, 20.0, 5.0), Vector3::zeros())).unwrap();
    let momentum = |state: &WorldState| -> Momentum { chain.momentum(&state.creatures[0].chain) };
    let before = momentum(&state);
    live(&world, &mut state, 1.0);
    let after = momentum(&state);
    below((after.linear - before.linear).norm() / before.linear.norm(), 1e-10); // measured 2.3e-15
    below((after.angular - before.angular).norm() / before.angular.norm(), 1e-9); // measured 1.6e-15
}

#[test]
fn a_centipede_walks_as_it_is_told() {
    let world = World::new(WorldSettings { creatures: vec![straight_on(MakeUp::centipede(), 1.0)], ..WorldSettings::default() }).unwrap();
    let mut state = world.begin().unwrap();
    live(&world, &mut state, 1.0);
    let from = head(&world, &state, 0);
    live(&world, &mut state, 2.0);
    let walked = head(&world, &state, 0) - from;
    below((walked.norm() / 0.2 - 1.0).abs(), 0.02); // measured 6e-13
    assert_eq!(state.creatures[0].walker.body_mode, BodyMode::OnGround);
    // The body is borne at its height, and no part of it lies on the ground.
    let chain = &world.body(0).unwrap().0;
    for segment in 0..chain.segments() {
        let height = chain.pose(&state.creatures[0].chain, segment).translation.y;
        assert!((3e-3..10e-3).contains(&height), "{segment}: {height}");
    }
}

#[test]
fn a_centipede_that_falls_finds_its_feet() {
    let creature = Creature { drop: 0.1, ..straight_on(MakeUp::centipede(), 1.0) };
    let world = World::new(WorldSettings { creatures: vec![creature], ..WorldSettings::default() }).unwrap();
    let mut state = world.begin().unwrap();
    live(&world, &mut state, 0.05);
    assert_eq!(state.creatures[0].walker.body_mode, BodyMode::InAir);
    let fallen = 0.107 - head(&world, &state, 0).y;
    below((fallen / (0.5 * 9.81 * 0.05 * 0.05) - 1.0).abs(), 0.02); // measured 0.3 %: the first step is a whole one
    live(&world, &mut state, 2.0);
    assert_eq!(state.creatures[0].walker.body_mode, BodyMode::OnGround);
    assert!(state.creatures[0].walker.standing() > 12, "{}", state.creatures[0].walker.standing());
}

/// Fang 2015, Sec. 5.4.1: the amplitude grows towards the tail, though all muscles are alike; and the wave runs backwards faster than it swims. So by his force, and by lift, drag and added mass.
#[test]
fn swimming_swings_more_towards_the_tail() {
    let more = |force, added_mass| Hydrodynamics { force, added_mass };
    for dynamics in [
        Hydrodynamics::default(),                           // measured 0.12 m/s
        more(WaterForce::LiftAndDrag, CarriedWater::None),  // measured 0.13 m/s
        more(WaterForce::Normal, CarriedWater::Local),      // measured 0.11 m/s
        more(WaterForce::LiftAndDrag, CarriedWater::Local), // measured 0.12 m/s
    ] {
        let world = pool_with(swimmer(Stroke::default()), dynamics);
        let mut state = world.begin().unwrap();
        live(&world, &mut state, 3.0);
        let chain = &world.body(0).unwrap().0;
        let mut range = vec![[f64::INFINITY, f64::NEG_INFINITY]; chain.segments()];
        let from = centre(&world, &state, 0);
        for _ in 0..300 {
            world.tick(&mut state, TICK).unwrap();
            for (segment, [low, high]) in range.iter_mut().enumerate() {
                let z = chain.pose(&state.creatures[0].chain, segment).translation.z;
                (*low, *high) = (low.min(z), high.max(z));
            }
        }
        let swing: Vec<f64> = range.iter().map(|[low, high]| high - low).collect();
        let (middle, tail) = (swing[5], swing[11]);
        let speed = centre(&world, &state, 0).x - from.x;
        println!("{dynamics:?}: {speed} m/s, head, middle and tail swing {} {middle} {tail} m", swing[0]);
        assert!(dynamics != Hydrodynamics::default() || tail > 1.3 * middle, "{swing:?}"); // measured 1.43: 31 mm and 22 mm
        assert!(swing.iter().all(|&other| other <= tail) && tail > 2.0 * swing[0], "{dynamics:?} {swing:?}");
        assert!(speed > 0.05, "{dynamics:?} {speed}"); // head first
        let wave = 2.0 * TAU_OVER * 0.016 / Stroke::default().phase_shift;
        assert!(wave > speed, "{wave} {speed}");
    }
}

const TAU_OVER: f64 = 2.0 * PI;

#[test]
fn one_side_turns_and_one_end_pitches() {
    let turned = |turn: f64, pitch: f64| {
        let will = Will::Told(vec![Order { from: 0.0, speed: 1.0, turn, pitch }]);
        let world = pool(Creature { will, ..swimmer(Stroke::default()) });
        let mut state = world.begin().unwrap();
        live(&world, &mut state, 3.0);
        let ahead = world.body(0).unwrap().0.pose(&state.creatures[0].chain, 4).rotation * Vector3::x();
        (head(&world, &state, 0), ahead)
    };
    // To the left is −z.
    assert!(turned(0.6, 0.0).0.z < -0.02, "{:?}", turned(0.6, 0.0));
    assert!(turned(-0.6, 0.0).0.z > 0.02, "{:?}", turned(-0.6, 0.0));
    assert!(turned(0.0, -1.0).0.y < turned(0.0, 0.0).0.y - 5e-3, "{:?}", turned(0.0, -1.0));
}

/// Fang 2015, Sec. 5.4 and ERRATA F8: both signals are in [0, 1], the sum of their squares is 1, and one stroke takes 1/f.
#[test]
fn signals_are_as_the_thesis_asks() {
    let stroke = Stroke { onset: 0.0, ..Stroke::default() };
    let mut state = stroke.start(5);
    let straight = Steering { haste: 1.0, ..Steering::default() };
    let share = |length: f64| (length - 0.5) / 0.5;
    let mut first = Vec::new();
    for tick in 0..600 {
        stroke.advance(&mut state, &straight, |_| true, TICK);
        for block in 0..5 {
            let muscles = stroke.muscles(&state, block, 1.0);
            let (left, right) = (share(muscles.left), share(muscles.right));
            assert!((-1e-12..=1.0 + 1e-12).contains(&left) && (-1e-12..=1.0 + 1e-12).contains(&right));
            below((left * left + right * right - 1.0).abs(), 1e-12);
            if block == 0 {
                first.push(left);
            }
        }
        if tick >= 150 {
            below((first[tick] - first[tick - 150]).abs(), 1e-9); // half a second at 2 Hz
        }
    }
}

/// Ijspeert 2008: oscillators that start anyhow come into step at the same phase shift, and stay in step as the frequency changes.
#[test]
fn oscillators_come_into_step() {
    let stroke = Stroke { generator: Generator::Oscillators(8.0), ..Stroke::default() };
    let mut state = stroke.start(11);
    for (i, phase) in state.phases.iter_mut().enumerate() {
        *phase += 1.5 * (2.7 * i as f64).sin();
    }
    let straight = Steering { haste: 1.0, ..Steering::default() };
    for _ in 0..6000 {
        stroke.advance(&mut state, &straight, |_| true, TICK);
    }
    for pair in state.phases.windows(2) {
        let lag = (pair[0] - pair[1]).rem_euclid(2.0 * PI);
        below((lag - stroke.phase_shift).abs(), 1e-3); // measured 2.1e-8
    }
}

fn walled(creatures: Vec<Creature>, rain: f64) -> World {
    let rain = Some(Rain { drops: rain, volume: 5e-8, radius: 0.01, ..Rain::default() });
    let borders = Borders::all(Border::Reflecting);
    let waves = Waves { cells: [120, 80], cell: 5e-3, middle: [0.0, 0.0], borders, rain, push: false, along: None };
    let pool = Some(Pool { waves: Some(waves), ..Pool::default() });
    World::new(WorldSettings { terrain: Terrain::flat(-0.08), pool, creatures, ..WorldSettings::default() }).unwrap()
}

#[test]
fn a_pool_keeps_its_water() {
    let place = Vector3::new(0.1, -4e-3, 0.0);
    let world = walled(vec![Creature { afloat: true, place, ..swimmer(Stroke::default()) }], 20.0);
    let mut state = world.begin().unwrap();
    live(&world, &mut state, 1.0);
    let pool = state.pool.as_ref().unwrap();
    let sea = pool.waves.as_ref().unwrap();
    below((sea.volume() / pool.volume - 1.0).abs(), 1e-12); // measured 4.4e-16
    // It made waves.
    let highest = (0..120).flat_map(|i| (0..80).map(move |j| [i, j])).filter_map(|cell| sea.surface_of(cell)).fold(0.0, f64::max);
    assert!((1e-4..0.02).contains(&highest), "{highest}");
}

/// Waves that push bear a body by what they stand over the rest level, and the water below that once: it floats as high as where they do not push. Twice would be 0.8 mm higher.
#[test]
fn waves_that_push_bear_a_body_once() {
    let height = |push: bool| {
        let place = Vector3::new(0.09, -4e-3, 0.0);
        let still = Creature { afloat: true, place, ..straight_on(MakeUp::swimmer(), 0.0) };
        let waves = Waves {
            cells: [48, 10],
            cell: 5e-3,
            middle: [0.0, 0.0],
            borders: Borders::all(Border::Reflecting),
            rain: None,
            push,
            along: None,
        };
        let pool = Some(Pool { waves: Some(waves), ..Pool::default() });
        let settings = WorldSettings { terrain: Terrain::flat(-0.08), pool, creatures: vec![still], ..WorldSettings::default() };
        let world = World::new(settings).unwrap();
        let mut state = world.begin().unwrap();
        live(&world, &mut state, 3.0);
        let heights: f64 = (0..300)
            .map(|_| {
                world.tick(&mut state, TICK).unwrap();
                centre(&world, &state, 0).y
            })
            .sum();
        heights / 300.0
    };
    let (without, with) = (height(false), height(true));
    below((with - without).abs(), 3e-4); // measured 5.1e-5
}

/// Drag is that of a body's faces, whether waves push it or not: a swimmer deep in the water is as fast in both. That of the grid in addition would count it twice.
#[test]
fn waves_that_push_do_not_drag_again() {
    let way = |push: bool| {
        let swimmer = Creature { place: Vector3::new(-0.1, -0.06, 0.0), ..swimmer(Stroke::default()) };
        let borders = Borders::all(Border::Absorbing);
        let waves = Waves { cells: [120, 40], cell: 1e-2, middle: [0.2, 0.0], borders, rain: None, push, along: None };
        let pool = Some(Pool { waves: Some(waves), ..Pool::default() });
        let settings = WorldSettings { terrain: Terrain::flat(-0.12), pool, creatures: vec![swimmer], ..WorldSettings::default() };
        let world = World::new(settings).unwrap();
        let mut state = world.begin().unwrap();
        live(&world, &mut state, 3.0);
        centre(&world, &state, 0).x
    };
    let (without, with) = (way(false) + 0.1, way(true) + 0.1);
    println!("{without} {with}");
    below((with / without - 1.0).abs(), 0.1); // measured 0.032, by the water that it drags along; with the drag of the grid in addition 0.61
}

/// Waves go by the gravity of their world: on the Moon, a standing wave has turned over after L/√(g d).
#[test]
fn waves_go_by_the_gravity_of_their_world() {
    let waves = Waves {
        cells: [120, 8],
        cell: 5e-3,
        middle: [0.0, 0.0],
        borders: Borders::all(Border::Reflecting),
        rain: None,
        push: false,
        along: None,
    };
    let pool = Some(Pool { waves: Some(waves), ..Pool::default() });
    // It stands far beside the water.
    let creatures = vec![Creature { place: Vector3::new(0.0, 0.0, 3.0), ..Creature::new("it", MakeUp::swimmer()) }];
    let (pull, terrain) = (Pull::Down(1.62), Terrain::flat(-0.08));
    let world = World::new(WorldSettings { terrain, pool, creatures, pull, ..WorldSettings::default() }).unwrap();
    let mut state = world.begin().unwrap();
    let sea = state.pool.as_mut().unwrap().waves.as_mut().unwrap();
    sea.set_surface(|x, _| 1e-3 * (PI * (x / 0.6 + 0.5)).cos()).unwrap();
    live(&world, &mut state, 0.6 / (1.62_f64 * 0.08).sqrt());
    let left = state.pool.as_ref().unwrap().waves.as_ref().unwrap().surface_of([2, 4]).unwrap();
    assert!(left < -0.8e-3, "{left}"); // measured −0.997e-3
}

/// Fang 2015, Sec. 6.3: into the water, with sides together as there. By turns the head comes up for a
/// moment as it goes under, and keeps to the surface.
#[test]
fn a_centipede_goes_from_land_to_water() {
    let slope = |x: f64| 0.02 - 0.08 * ((x + 0.2) / 0.2).clamp(0.0, 1.0);
    let field = holonomy::medium::ground::HeightField::from_fn([2.0, 1.0], 5e-3, |x, _| slope(x)).unwrap();
    let creature = Creature {
        place: Vector3::new(-0.35, 0.0, 0.0),
        stroke: Stroke { frequency: 4.0, ..Stroke::default() },
        ..straight_on(super::in_unison(MakeUp::centipede()), 1.0)
    };
    let pool = Some(Pool::default());
    let world =
        World::new(WorldSettings { terrain: Terrain::hills(field), pool, creatures: vec![creature], ..WorldSettings::default() }).unwrap();
    let mut state = world.begin().unwrap();
    let mut modes = vec![state.creatures[0].walker.body_mode];
    for _ in 0..(8.0 / TICK) as usize {
        world.tick(&mut state, TICK).unwrap();
        let mode = state.creatures[0].walker.body_mode;
        if modes.last() != Some(&mode) {
            modes.push(mode);
        }
    }
    let at = |mode: BodyMode| modes.iter().position(|&found| found == mode);
    assert!(at(BodyMode::OnGround) < at(BodyMode::GroundToWater) && at(BodyMode::GroundToWater) < at(BodyMode::InWater), "{modes:?}");
    assert!(state.creatures[0].stroke.onsets.iter().all(|&onset| onset > 0.9), "{:?}", state.creatures[0].stroke.onsets);
}

#[test]
fn a_hunter_catches_its_prey() {
    let hunter = Creature { will: Will::Hunt(1), place: Vector3::new(-0.25, 0.0, 0.05), ..Creature::new("hunter", MakeUp::centipede()) };
    let prey = Creature { will: Will::Flee(0), ..Creature::new("prey", MakeUp::millipede()) };
    let world = World::new(WorldSettings { creatures: vec![hunter, prey], ..WorldSettings::default() }).unwrap();
    let mut state = world.begin().unwrap();
    live(&world, &mut state, 5.0);
    assert_eq!(state.creatures[0].caught.map(|(prey, _)| prey), Some(1));
}

#[test]
fn what_cannot_live_is_refused() {
    let with = |change: &dyn Fn(&mut Creature)| {
        let mut creature = Creature::new("it", MakeUp::centipede());
        change(&mut creature);
        World::new(WorldSettings { creatures: vec![creature], ..WorldSettings::default() })
    };
    assert!(World::new(WorldSettings::default()).is_err());
    assert!(with(&|creature| creature.forward = Vector3::zeros()).is_err());
    assert!(with(&|creature| creature.place.x = f64::NAN).is_err());
    assert!(with(&|creature| creature.will = Will::Hunt(3)).is_err());
    assert!(with(&|creature| creature.stroke.contraction = 0.95).is_err());
    assert!(with(&|creature| creature.make_up.segments = 0).is_err());
    assert!(with(&|creature| creature.make_up.height = 1.0).is_err());
    // So light that its steps would be of nanoseconds.
    assert!(with(&|creature| creature.make_up.material.soft_density = 1e-9).is_err());
    let food = |place: Vector3<f64>| WorldSettings {
        foods: vec![Food { place, strength: 1.0 }],
        creatures: vec![Creature::new("it", MakeUp::centipede())],
        ..WorldSettings::default()
    };
    assert!(World::new(food(Vector3::x())).is_ok());
    assert!(World::new(food(Vector3::new(f64::NAN, 0.0, 0.0))).is_err());
    // One segment, or no legs: it lies there.
    for change in [|creature: &mut Creature| creature.make_up.segments = 1, |creature: &mut Creature| creature.make_up.legs = None] {
        let world = with(&change).unwrap();
        let mut state = world.begin().unwrap();
        live(&world, &mut state, 0.3);
        assert!(head(&world, &state, 0).iter().all(|x| x.is_finite()));
    }
}

#[test]
fn threads_do_not_change_a_bit() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let second = Creature { place: Vector3::new(0.0, 0.0, 0.1), ..straight_on(MakeUp::robot(), 1.0) };
            let creatures = vec![straight_on(MakeUp::centipede(), 1.0), second];
            let world = World::new(WorldSettings { creatures, ..WorldSettings::default() }).unwrap();
            let mut state = world.begin().unwrap();
            live(&world, &mut state, 0.5);
            [0, 1].map(|k| head(&world, &state, k))
        })
    };
    assert_eq!(run(1), run(2));
}

/// Told by hand at each tick it goes where it is told, whatever its will; a state of another world is refused.
#[test]
fn creatures_are_steered_by_hand() {
    let lone =
        || World::new(WorldSettings { creatures: vec![Creature::new("it", MakeUp::centipede())], ..WorldSettings::default() }).unwrap();
    let heading = |turn: f64| {
        let world = lone();
        let mut state = world.begin().unwrap();
        for _ in 0..600 {
            state.creatures[0].order = Some(Order { from: 0.0, speed: 0.1, turn, pitch: 0.0 });
            world.tick(&mut state, 1.0 / 300.0).unwrap();
        }
        let ahead = world.body(0).unwrap().0.pose(&state.creatures[0].chain, 0).rotation * Vector3::x();
        (-ahead.z).atan2(ahead.x)
    };
    let [left, right] = [0.4, -0.4].map(heading);
    println!("turned by {left:.3} and {right:.3} rad");
    assert!(left > 0.3 && right < -0.3);
    // Standing, it looks aside and does not wring its neck.
    let world = lone();
    let mut state = world.begin().unwrap();
    let (mut most, mut last) = (0.0_f64, 0.0);
    for k in 0..1800 {
        let speed = if k < 600 { 0.1 } else { 0.0 };
        state.creatures[0].order = Some(Order { from: 0.0, speed, turn: if k < 600 { 0.0 } else { 1.0 }, pitch: 0.0 });
        world.tick(&mut state, 1.0 / 300.0).unwrap();
        let [head, neck] = [0, 1].map(|i| world.body(0).unwrap().0.pose(&state.creatures[0].chain, i).rotation * Vector3::x());
        last = head.angle(&neck).to_degrees();
        most = most.max(last);
    }
    println!("looks {last:.1}° aside, at most {most:.1}°");
    assert!(last > 30.0 && most < 60.0);
    let world = lone();
    let mut state = world.begin().unwrap();
    state.creatures[0].order = Some(Order { from: 0.0, speed: f64::NAN, turn: 0.0, pitch: 0.0 });
    assert!(world.tick(&mut state, 0.01).is_err());
    let mut two = world.begin().unwrap();
    two.creatures.push(two.creatures[0].clone());
    assert!(world.tick(&mut two, 0.01).unwrap_err().to_string().contains("2 given, 1 needed"));
}
