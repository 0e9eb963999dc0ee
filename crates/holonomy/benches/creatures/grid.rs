//! Speed and power of strokes over frequency and phase shift (Fang 2015, App. C): how long a grid of 20 × 20 takes, what one of 200 × 200 would, and what it finds.

use std::f64::consts::PI;
use std::ops::ControlFlow;
use std::time::Instant;

use holonomy::medium::Terrain;
use holonomy::nalgebra::Vector3;
use holonomy::systems::creature::cycle::Cycle;
use holonomy::systems::creature::economy::{Economy, Sample};
use holonomy::systems::creature::make_up::MakeUp;
use holonomy::systems::creature::pool::Pool;
use holonomy::systems::creature::record::Run;
use holonomy::systems::creature::swim::Stroke;
use holonomy::systems::creature::will::{Order, Will};
use holonomy::systems::creature::world::{Creature, World, WorldSettings};
use rayon::prelude::*;

use crate::processor_time;

const SIDE: usize = 20;

/// One swimmer as heavy as the water and deep in it, 8 s long: the scene `stroke-grid`.
fn sample(frequency: f64, phase_shift: f64) -> Option<Sample> {
    let mut make_up = MakeUp::swimmer();
    (make_up.material.soft_density, make_up.material.rigid_density) = (1000.0, 1000.0);
    let creature = Creature {
        stroke: Stroke { frequency, phase_shift, ..Stroke::default() },
        will: Will::Told(vec![Order { from: 0.0, speed: 1.0, turn: 0.0, pitch: 0.0 }]),
        place: Vector3::y() * -0.1,
        afloat: true,
        ..Creature::new("swimmer", make_up)
    };
    let pool = Some(Pool::default());
    let world = World::new(WorldSettings { terrain: Terrain::flat(-0.3), pool, creatures: vec![creature], ..WorldSettings::default() });
    let run = Run {
        world: world.ok()?,
        coats: Vec::new(),
        settle: 0.0,
        dt: 0.1,
        steps: 80,
        cycle: Cycle::None,
        scenery: Vec::new(),
        water_points: 2,
    };
    let motion = run.run(&mut |_, _| ControlFlow::Continue(())).ok()?;
    let [speed, power, change] = ["steady_speed", "steady_power", "unsteadiness"]
        .map(|name| motion.tracks[0].figures.iter().find(|figure| figure.quantity.name == name).map_or(f64::NAN, |figure| figure.value));
    (change < 0.05).then_some(Sample { frequency, phase_shift, speed, power })
}

pub fn table() {
    let even = |from: f64, to: f64, k: usize| from + (to - from) * k as f64 / (SIDE - 1) as f64;
    let (start, cpu) = (Instant::now(), processor_time());
    let samples: Vec<Sample> =
        (0..SIDE * SIDE).into_par_iter().filter_map(|k| sample(even(0.7, 4.5, k / SIDE), even(0.125 * PI, 0.5 * PI, k % SIDE))).collect();
    let (wall, cpu) = (start.elapsed().as_secs_f64(), processor_time() - cpu);
    println!("\nStrokes over frequency and phase shift, {SIDE} × {SIDE}, 8 s each: {wall:.0} s, {cpu:.0} s of processor time");
    println!("  200 × 200 would take {:.1} h on one core (Fang 2015: less than 2 h on six)", cpu * 100.0 / 3600.0);
    let Ok(found) = Economy::of(&samples) else { return println!("  too few steady strokes: {}", samples.len()) };
    println!("  speed [mm/s]  frequency [Hz]  phase shift [π]  power [mW]");
    for best in &found.optima {
        println!("{:>14.0}{:>16.2}{:>17.3}{:>12.3}", 1e3 * best.speed, best.frequency, best.phase_shift / PI, 1e3 * best.power);
    }
    println!("  line {:?}", found.line);
    println!("  power as speed^{:.2}; a parabola explains {:.1} % of its variance", found.exponent, 100.0 * found.quadratic_fit);
}
