//! Looking for food among obstacles.

use holonomy::medium::Terrain;
use holonomy::medium::obstacle::Obstacle;
use holonomy::nalgebra::Vector3;
use holonomy::systems::creature::make_up::MakeUp;
use holonomy::systems::creature::senses::{Food, Pheromone};
use holonomy::systems::creature::walk::Surroundings;

use super::{RATE, StandIn};
use crate::random::Random;

/// Half the side of the field, metres.
const FIELD: f64 = 0.6;

fn column(place: Vector3<f64>, radius: f64) -> Obstacle {
    Obstacle::Cylinder { from: place - Vector3::y() * 0.1, to: place + Vector3::y() * 0.1, radius }
}

/// Columns apart from each other and from the start; foods apart from them.
fn field(seed: u64) -> (Vec<Obstacle>, Vec<Food>) {
    let mut random = Random(seed);
    let mut place = move || Vector3::new(FIELD * random.signed(), 0.0, FIELD * random.signed());
    let mut columns: Vec<(Vector3<f64>, f64)> = Vec::new();
    while columns.len() < 8 {
        let (at, radius) = (place(), 0.03 + 0.004 * columns.len() as f64);
        if at.norm() > 0.35 && columns.iter().all(|(other, r)| (at - other).norm() > r + radius + 0.12) {
            columns.push((at, radius));
        }
    }
    let mut foods: Vec<Food> = Vec::new();
    while foods.len() < 10 {
        let at = place();
        if columns.iter().all(|(other, r)| (at - other).norm() > r + 0.08) {
            // Smelt from two metres: everywhere in the field.
            foods.push(Food { place: at, strength: 4.0 });
        }
    }
    (columns.into_iter().map(|(at, radius)| column(at, radius)).collect(), foods)
}

/// Seconds until all was eaten, if ever; how near any segment's side came to an obstacle, and any foot, metres; and meals.
fn forage(seed: u64, seconds: f64) -> (Option<f64>, f64, f64, usize) {
    let terrain = Terrain::flat(0.0);
    let (obstacles, mut foods) = field(seed);
    let mut creature = StandIn::new(MakeUp::centipede(), &terrain, Vector3::zeros(), Vector3::x(), seed);
    let (mut nearest, mut feet) = (f64::INFINITY, f64::INFINITY);
    for tick in 0..(seconds * RATE) as usize {
        let around = Surroundings { obstacles: &obstacles, foods: &foods, ..Surroundings::bare(&terrain) };
        let events = creature.tick(&around);
        if let Some(food) = events.eaten {
            foods[food].strength = 0.0;
        }
        if tick % 10 == 0 {
            for (i, pose) in creature.poses.iter().enumerate() {
                let half = 0.5 * creature.walker.make_up().size_of(i)[2];
                for obstacle in &obstacles {
                    nearest = nearest.min(obstacle.distance(&pose.translation).value - half);
                    for leg in creature.state.legs.get(i).into_iter().flatten() {
                        feet = feet.min(obstacle.distance(&leg.tip).value);
                    }
                }
            }
        }
        if foods.iter().all(|food| food.strength == 0.0) {
            assert_eq!(creature.state.meals, 10);
            return (Some(tick as f64 / RATE), nearest, feet, 10);
        }
    }
    (None, nearest, feet, creature.state.meals)
}

#[test]
fn it_eats_everything_and_touches_nothing() {
    let (mut good, mut longest) = (0, 0.0_f64);
    for seed in 0..20 {
        let (time, nearest, feet, meals) = forage(seed, 100.0);
        println!("seed {seed}: {time:?} s, {meals} meals, nearest {nearest:.4} m, feet {feet:.4} m");
        good += usize::from(time.is_some() && nearest > 0.0 && feet > 0.0);
        longest = longest.max(time.unwrap_or(f64::INFINITY));
    }
    println!("{good} of 20, longest {longest}");
    assert!(good >= 18, "{good}"); // measured 20, within 51.7 s
}

/// What lies inside of a column is named, and does not keep it from the rest.
#[test]
fn food_that_cannot_be_reached_is_left() {
    let terrain = Terrain::flat(0.0);
    let at = Vector3::new(0.3, 0.0, 0.0);
    let obstacles = [column(at, 0.04)];
    let mut foods = [Food { place: at, strength: 2.0 }, Food { place: Vector3::new(0.5, 0.0, 0.3), strength: 1.0 }];
    let mut creature = StandIn::new(MakeUp::centipede(), &terrain, Vector3::zeros(), Vector3::x(), 1);
    let (mut named, mut eaten) = (Vec::new(), Vec::new());
    for _ in 0..12_000 {
        let events = creature.tick(&Surroundings { obstacles: &obstacles, foods: &foods, ..Surroundings::bare(&terrain) });
        named.extend(events.unreachable);
        if let Some(food) = events.eaten {
            foods[food].strength = 0.0;
            eaten.push(food);
        }
    }
    assert_eq!(named[0], 0);
    assert!(named.iter().all(|&food| food == 0));
    assert_eq!(eaten, [1]);
}

/// Within a ring of columns it tries, says that it is stuck, and never walks through.
#[test]
fn who_is_fenced_in_says_so() {
    let terrain = Terrain::flat(0.0);
    let fence: Vec<Obstacle> = (0..24)
        .map(|k| {
            let (sin, cos) = (std::f64::consts::TAU * k as f64 / 24.0).sin_cos();
            column(Vector3::new(0.09 * cos - 0.09, 0.0, 0.09 * sin), 0.012)
        })
        .collect();
    let mut creature = StandIn::new(MakeUp::centipede(), &terrain, Vector3::new(-0.06, 0.0, 0.0), Vector3::x(), 1);
    let mut stuck_at = None;
    for tick in 0..(60.0 * RATE) as usize {
        creature.tick(&Surroundings { obstacles: &fence, ..Surroundings::bare(&terrain) });
        let from_middle = (creature.head() - Vector3::new(-0.09, creature.head().y, 0.0)).norm();
        assert!(from_middle < 0.09, "{from_middle} at {tick}");
        if creature.state.stuck() && stuck_at.is_none() {
            stuck_at = Some(tick as f64 / RATE);
        }
    }
    println!("stuck after {stuck_at:?} s");
    assert!(stuck_at.is_some());
}

/// One that smells nothing but the trail goes the way of the one that laid it.
#[test]
fn a_trail_is_followed() {
    let terrain = Terrain::flat(0.0);
    let mut trail = Pheromone::new([2.0, 2.0], 0.01, 0.002, 2e-5).unwrap();
    let way = |x: f64| Vector3::new(x, 0.0, 0.12 * (5.0 * x).sin());
    (0..900).for_each(|k| trail.deposit(&way(-0.1 + 1e-3 * k as f64), 1e-3));
    (0..20).for_each(|_| trail.step(0.5));
    let mut creature = StandIn::new(MakeUp::centipede(), &terrain, Vector3::zeros(), Vector3::new(1.0, 0.0, 0.5).normalize(), 3);
    let mut farthest = 0.0_f64;
    for _ in 0..(12.0 * RATE) as usize {
        creature.tick(&Surroundings { trail: Some(&trail), ..Surroundings::bare(&terrain) });
        let head = creature.head();
        if head.x < 0.75 {
            let off = (0..900).map(|k| (way(1e-3 * k as f64) - Vector3::new(head.x, 0.0, head.z)).norm()).fold(f64::INFINITY, f64::min);
            farthest = farthest.max(off);
        }
        if head.x > 0.75 {
            break;
        }
    }
    println!("farthest from the trail {farthest:.4} m, at {}", creature.head());
    assert!(creature.head().x > 0.75, "{}", creature.head());
    assert!(farthest < 0.04, "{farthest}"); // measured 0.0039
}
