//! Looking for food among obstacles.

use holonomy::lie::Pose;
use holonomy::medium::Terrain;
use holonomy::medium::obstacle::Obstacle;
use holonomy::nalgebra::Vector3;
use holonomy::systems::creature::make_up::MakeUp;
use holonomy::systems::creature::senses::{Food, Pheromone};
use holonomy::systems::creature::walk::{LegState, Surroundings};
use holonomy::systems::creature::world::{Creature, World, WorldSettings};
use rayon::prelude::*;

use super::{RATE, StandIn, seeds};
use crate::random::Random;

/// Half the side of the field, metres: three lengths of the creature.
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

/// What came of a search for food.
#[derive(Debug)]
struct Search {
    /// Seconds until all was eaten, if ever.
    time: Option<f64>,
    meals: usize,
    /// How near the box of any segment came to an obstacle, metres; less than 0 inside.
    sides: f64,
    /// How near any foot came.
    feet: f64,
}

impl Search {
    fn new() -> Search {
        Search { time: None, meals: 0, sides: f64::INFINITY, feet: f64::INFINITY }
    }

    /// Looks at corners and middles of the sides of each segment, and at all feet. Antennae may touch: they are for that.
    fn look(&mut self, make_up: &MakeUp, poses: &[Pose], legs: &[[LegState; 2]], obstacles: &[Obstacle]) {
        let nearest = |place: &Vector3<f64>| obstacles.iter().map(|obstacle| obstacle.distance(place).value).fold(f64::INFINITY, f64::min);
        for (segment, pose) in poses.iter().enumerate() {
            let half = 0.5 * Vector3::from(make_up.size_of(segment));
            for (x, z) in [(-1, -1), (0, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (0, 1), (1, 1)] {
                let place = pose.act(&half.component_mul(&Vector3::new(f64::from(x), 0.0, f64::from(z))));
                self.sides = self.sides.min(nearest(&place));
            }
        }
        self.feet = legs.iter().flatten().map(|leg| nearest(&leg.tip)).fold(self.feet, f64::min);
    }

    /// Whether all was eaten and nothing touched.
    fn is_good(&self) -> bool {
        self.time.is_some() && self.sides > 0.0 && self.feet > 0.0
    }
}

/// At least this share of the seeds finds all food and touches nothing; what came of them is printed.
fn judge(searches: &[Search], share: f64) {
    searches.iter().enumerate().for_each(|(seed, search)| println!("seed {seed}: {search:?}"));
    let good = searches.iter().filter(|search| search.is_good()).count();
    let longest = searches.iter().filter_map(|search| search.time).fold(0.0, f64::max);
    println!("{good} of {}, the longest took {longest:.1} s", searches.len());
    assert!(good as f64 >= share * searches.len() as f64, "{good}");
}

/// Ticks between two looks.
const LOOK: usize = 10;

/// The head and its senses alone: segments go where they are to go.
fn forage_without_dynamics(seed: u64, seconds: f64) -> Search {
    let terrain = Terrain::flat(0.0);
    let (obstacles, mut foods) = field(seed);
    let mut creature = StandIn::new(MakeUp::centipede(), &terrain, Vector3::zeros(), Vector3::x(), seed);
    let mut search = Search::new();
    for tick in 0..(seconds * RATE) as usize {
        let around = Surroundings { obstacles: &obstacles, foods: &foods, ..Surroundings::bare(&terrain) };
        if let Some(food) = creature.tick(&around).eaten {
            foods[food].strength = 0.0;
        }
        if tick % LOOK == 0 {
            search.look(creature.walker.make_up(), &creature.poses, &creature.state.legs, &obstacles);
        }
        search.meals = creature.state.meals;
        if search.meals == foods.len() {
            search.time = Some(tick as f64 / RATE);
            break;
        }
    }
    search
}

/// A whole creature: body, legs, senses and head.
fn forage(seed: u64, seconds: f64) -> Search {
    let (obstacles, foods) = field(seed);
    let creatures = vec![Creature { seed, ..Creature::new("it", MakeUp::centipede()) }];
    let world = World::new(WorldSettings { obstacles, foods, creatures, ..WorldSettings::default() }).unwrap();
    let mut state = world.begin().unwrap();
    let mut search = Search::new();
    for tick in 0..(seconds * RATE) as usize {
        world.tick(&mut state, 1.0 / RATE).unwrap();
        let one = &state.creatures[0];
        if tick % LOOK == 0 {
            search.look(&world.settings().creatures[0].make_up, one.poses(), &one.walker.legs, &world.settings().obstacles);
        }
        search.meals = one.walker.meals;
        if search.meals == state.foods.len() {
            search.time = Some(state.time);
            break;
        }
    }
    search
}

#[test]
fn a_head_alone_finds_all_food() {
    let searches: Vec<Search> = (0..seeds(20)).into_par_iter().map(|seed| forage_without_dynamics(seed, 100.0)).collect();
    judge(&searches, 0.9); // measured 20 of 20, within 51.7 s; sides 0.017 m from the columns or more, feet 0.0009 m
}

#[test]
fn a_whole_creature_eats_everything_and_touches_nothing() {
    let searches: Vec<Search> = (0..seeds(20)).into_par_iter().map(|seed| forage(seed, 100.0)).collect();
    // Measured 4 of the first 5, within 51.2 s, and 18 or more of 20; sides 0.020 m from the columns
    // or more, feet 0.005 m. In field 1 the head walks straight up to a column, knows no way back,
    // and says that it is stuck.
    judge(&searches, if searches.len() < 10 { 0.8 } else { 0.9 });
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
