//! Whole creatures on flat ground: legs, senses, decisions and dynamics.

use std::time::Instant;

use holonomy::nalgebra::Vector3;
use holonomy::systems::creature::make_up::MakeUp;
use holonomy::systems::creature::will::{Order, Will};
use holonomy::systems::creature::world::{Creature, World, WorldSettings};

use crate::{peers_named, processor_time};

const TICK: f64 = 1.0 / 300.0;

/// Walkers side by side, a metre apart.
fn world(make_up: &MakeUp, count: usize) -> World {
    let creature = |k: usize| Creature {
        will: Will::Told(vec![Order { from: 0.0, speed: make_up.brain.speed, turn: 0.0, pitch: 0.0 }]),
        place: Vector3::z() * k as f64,
        ..Creature::new("walker", make_up.clone())
    };
    World::new(WorldSettings { creatures: (0..count).map(creature).collect(), ..WorldSettings::default() }).expect("the world is sound")
}

/// Steps of dynamics per second of wall time and of processor time, all creatures together, and how many times as fast as real time it goes.
fn rate(world: &World, threads: usize) -> [f64; 3] {
    let Ok(pool) = rayon::ThreadPoolBuilder::new().num_threads(threads).build() else { std::process::exit(1) };
    pool.install(|| {
        let mut state = world.begin().expect("it begins");
        let mut live = |ticks: usize| (0..ticks).for_each(|_| world.tick(&mut state, TICK).expect("it lives"));
        live(150);
        let (start, cpu) = (Instant::now(), processor_time());
        live(900);
        let (wall, cpu) = (start.elapsed().as_secs_f64(), processor_time() - cpu);
        let steps: usize = state.creatures.iter().map(|one| one.steps).sum();
        let share = 900.0 / 1050.0 * steps as f64;
        [share / wall, share / cpu, 900.0 * TICK / wall]
    })
}

pub fn table() {
    println!("\nWhole creatures that walk: steps of dynamics per second, the same of processor time, times real time");
    for (h, steps) in peers_named("myriapod/centipede/mujoco_implicitfast") {
        println!("{:<52}{steps:>10.0}{:>18.1} ×", format!("MuJoCo, rigid links, 18 segments, 1/{:.0} s", 1.0 / h), h * steps);
    }
    // The thesis's size of step, at a size to which it suits.
    let large = MakeUp { segments: 18, ..MakeUp::robot() };
    let cases = [
        ("18 segments of the robot, 1/3000 s", large, 1),
        ("centipede, 19 segments", MakeUp::centipede(), 1),
        ("two of them", MakeUp::centipede(), 2),
        ("millipede, 58 segments", MakeUp::millipede(), 1),
    ];
    for (name, make_up, count) in cases {
        for threads in [1, 2] {
            let [wall, cpu, real] = rate(&world(&make_up, count), threads);
            println!("{name:<44}{threads:>2} threads{wall:>10.0}{cpu:>10.0}{real:>8.1} ×");
        }
    }
}
