//! Creatures of a scene: all its bodies in one world.

use std::ops::ControlFlow;
use std::path::Path;

use holonomy::elastic::chain::{CarriedWater, Hydrodynamics, WaterForce};
use holonomy::lie::Pose;
use holonomy::medium::ground::Ground;
use holonomy::medium::obstacle::Obstacle;
use holonomy::medium::{SolidMesh, Terrain};
use holonomy::models::Blob;
use holonomy::motion::{Motion, Scenery, SceneryKind};
use holonomy::nalgebra::Vector3;
use holonomy::random::Random;
use holonomy::systems::creature::cycle::Cycle;
use holonomy::systems::creature::pool::{Pool, Waves};
use holonomy::systems::creature::record::{FOOD_POINTS, Run as EngineRun};
use holonomy::systems::creature::senses::{Food, Pheromone};
use holonomy::systems::creature::trail;
use holonomy::systems::creature::will::{Order, Will};
use holonomy::systems::creature::world::{Creature, Pull, World, WorldSettings};
use holonomy::water::{Border, Borders, Rain};

use super::{Physics, Run};
use crate::loaded::LoadedBody;
use crate::scene::{self, CreatureLand, CreatureWorld, Length, Place};
use crate::suggest::did_you_mean;
use crate::{Error, memory};

/// A world, and how often its cycle is played, if it shows one.
struct Alive(EngineRun, usize);

impl Physics for Alive {
    fn run(&self, progress: &mut dyn FnMut(usize, usize) -> ControlFlow<()>) -> Result<Motion, holonomy::Error> {
        let motion = self.0.run(progress)?;
        memory::ensure_cycles(motion.frames(), self.1, motion.tracks.len())?;
        let mut motion = motion.repeated(self.1);
        let left_behind = trail::track(self.0.world.settings(), &motion)?;
        motion.tracks.extend(left_behind);
        Ok(motion)
    }
}

/// Points of the water that are shown along each side.
const WATER_POINTS: usize = 40;

/// Land is shown this far around what happens, in lengths of the first creature.
const AROUND: f64 = 9.0;

/// Within this part of a head's width, the normal goes from one solid to the next.
const BLEND: f64 = 0.3;

pub(super) fn alive(settings: &CreatureWorld, scene: &scene::Scene, bodies: &[LoadedBody], run: Run) -> Result<Box<dyn Physics>, Error> {
    let Run { steps, folder, refused } = run;
    if settings.cycle == scene::Cycle::Gait {
        settles_to_a_gait(settings, bodies.len())?;
    }
    let names: Vec<&str> = bodies.iter().map(|body| body.name.as_str()).collect();
    let creatures = bodies.iter().map(|body| creature(settings, body, &names)).collect::<Result<Vec<_>, _>>()?;
    let Some(first) = creatures.first() else { return Err(Error::Choice("the scene has no creature".into())) };
    let size = first.make_up.head[2];
    let (terrain, mut scenery) = land(settings, &creatures, size, folder, refused)?;
    let obstacles = settings.obstacles.iter().map(|obstacle| obstacle.engine(folder, refused)).collect::<Result<Vec<_>, _>>()?;
    for (i, obstacle) in obstacles.iter().enumerate() {
        scenery.push(obstacle.scenery(&format!("obstacle {}", i + 1), SceneryKind::Obstacle, AROUND_OBSTACLES).map_err(refused)?);
    }
    let pull = match settings.land {
        CreatureLand::Ball { .. } | CreatureLand::Blob(_) | CreatureLand::Mesh(_) => Pull::ToSurface(settings.gravity.si()),
        _ => Pull::Down(settings.gravity.si()),
    };
    let foods = foods(settings, &terrain, &obstacles, size);
    let segments = creatures.iter().map(|creature| creature.make_up.segments).sum();
    creatures_fit(steps, segments)?;
    surroundings_fit(steps, foods.len(), bodies.len(), settings, scene)?;
    let pool = settings.water.as_ref().map(|pool| water(pool, &names)).transpose()?;
    let mut by = settings.trail.iter().filter_map(|trail| trail.by.as_ref()).flatten();
    if let Some(name) = by.find(|name| !names.contains(&name.as_str())) {
        let near = did_you_mean(name, names.iter().copied()).map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
        return Err(Error::Choice(format!("the trail is laid by `{name}`, but there is no creature of that name{near}")));
    }
    let left = settings.trail.as_ref().map(left_behind).transpose().map_err(refused)?;
    let time_step = settings.time_step.si();
    let world = WorldSettings { terrain, obstacles, foods, pool, pull, creatures, trail: left, time_step, ..WorldSettings::default() };
    let coats = bodies.iter().filter_map(|body| body.myriapod.as_ref()).map(scene::Myriapod::coat).collect();
    let world = World::new(world).map_err(refused)?;
    let cycle = match settings.cycle {
        scene::Cycle::None => Cycle::None,
        scene::Cycle::Gait => Cycle::Gait,
    };
    let run = EngineRun {
        world,
        coats,
        settle: settings.settle.si(),
        dt: 1.0 / scene.time.fps.si(),
        steps,
        cycle,
        scenery,
        water_points: WATER_POINTS,
    };
    Ok(Box::new(Alive(run, scene.time.cycles.get())))
}

/// Refuses a gait that would not repeat, as what is around the creature is not the same wherever it is, and what several creatures do.
fn settles_to_a_gait(settings: &CreatureWorld, creatures: usize) -> Result<(), Error> {
    let in_the_way = [
        (creatures > 1, "one creature", "several creatures: run each by itself"),
        (!matches!(settings.land, CreatureLand::Flat(_)), "level ground", "other land: use land = { flat = 0 }"),
        (!settings.stones.is_empty() || settings.rubble.is_some(), "level ground", "`stones` or `rubble`: leave them out"),
        (!settings.obstacles.is_empty(), "nothing in the way", "`obstacles`: leave them out"),
        (!settings.food.is_empty() || settings.scattered_food.is_some(), "nothing to look for", "food: leave it out"),
        (settings.trail.is_some(), "nothing to look for", "a `trail`: leave it out"),
        (settings.water.as_ref().is_some_and(|water| water.waves.is_some()), "still water", "`waves`: leave them out"),
    ];
    match in_the_way.iter().find(|(found, ..)| *found) {
        Some((_, needed, found)) => Err(Error::Choice(format!("cycle = \"gait\" needs {needed}, but the scene has {found}"))),
        None => Ok(()),
    }
}

/// Bytes of a segment with its legs in a frame, in the clip and in the file.
const SEGMENT: u64 = 4000;

/// Refuses creatures whose joints in all frames would not fit in memory.
fn creatures_fit(steps: usize, segments: usize) -> Result<(), Error> {
    let frames = steps.saturating_add(1) as u64;
    let needed = frames.saturating_mul(segments as u64).saturating_mul(SEGMENT);
    memory::ensure(needed, || format!("{frames} frames of {segments} segments"), "ask for less time or a lower rate")
}

/// Meals of a creature in a second, at most, as far as memory goes.
const MEALS: f64 = 2.0;

/// Refuses water and food that would not fit in memory: water changes in every frame, food only if it is eaten.
fn surroundings_fit(steps: usize, foods: usize, creatures: usize, settings: &CreatureWorld, scene: &scene::Scene) -> Result<(), Error> {
    let frames = steps.saturating_add(1) as u64;
    let eaten = (foods as f64).min((MEALS * steps as f64 / scene.time.fps.si()).ceil() * creatures as f64) as u64;
    let water = if settings.water.is_some() { WATER_POINTS * WATER_POINTS } else { 0 };
    let changing = eaten * FOOD_POINTS as u64 + water as u64;
    // As of bodies: positions, and their copy in the file.
    let needed = frames.saturating_mul(changing).saturating_add((foods * FOOD_POINTS) as u64).saturating_mul(400);
    memory::ensure(needed, || format!("{frames} frames of water and food"), "ask for less time, a lower rate or less food")
}

/// Obstacles stand where they are.
const AROUND_OBSTACLES: [[f64; 2]; 2] = [[-1.0, -1.0], [1.0, 1.0]];

/// A creature of the scene.
fn creature(settings: &CreatureWorld, body: &LoadedBody, names: &[&str]) -> Result<Creature, Error> {
    let Some(recipe) = &body.myriapod else {
        return Err(Error::Choice(format!("`{}` is no creature; use [body.myriapod]", body.name)));
    };
    let named = |name: &str| {
        names.iter().position(|known| *known == name && name != body.name).ok_or_else(|| {
            let near = did_you_mean(name, names.iter().copied()).map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
            Error::Choice(format!("`{}` is after `{name}`, but there is no other creature of that name{near}", body.name))
        })
    };
    let mut creature = recipe.creature(&body.name);
    creature.will = match &recipe.will {
        scene::Will::Roam => Will::Roam,
        scene::Will::Told(orders) => Will::Told(orders.iter().map(|order| told(order, &creature)).collect()),
        scene::Will::Follow(name) => Will::Follow(named(name)?),
        scene::Will::Hunt(name) => Will::Hunt(named(name)?),
        scene::Will::Flee(name) => Will::Flee(named(name)?),
    };
    creature.lays = settings.trail.as_ref().and_then(|trail| trail.by.as_ref()).is_none_or(|by| by.contains(&body.name));
    let start = body.start.pose(Pose::identity());
    creature.forward = start.rotation * Vector3::x();
    creature.place = start.translation;
    let under = settings.water.as_ref().is_some_and(|water| start.translation.y < water.level.si());
    creature.afloat = under;
    let all_over = matches!(settings.land, CreatureLand::Ball { .. } | CreatureLand::Blob(_) | CreatureLand::Mesh(_));
    if !under && !all_over && creature.make_up.legs.is_some() {
        creature.drop = start.translation.y.max(0.0);
        creature.place.y = 0.0;
        creature.roll = roll(&start);
    }
    Ok(creature)
}

/// How far a pose is turned about its own forward direction, from where its side is level, radians.
fn roll(pose: &Pose) -> f64 {
    let (forward, up) = (pose.rotation * Vector3::x(), pose.rotation * Vector3::y());
    let side = forward.cross(&Vector3::y());
    let roll = up.dot(&side).atan2(up.dot(&side.cross(&forward)));
    if side.norm() < 1e-9 || roll.abs() < 1e-9 { 0.0 } else { roll }
}

fn told(order: &scene::Order, creature: &Creature) -> Order {
    let brain = &creature.make_up.brain;
    let walks = creature.make_up.legs.is_some();
    let (haste, turn) = (order.haste.si(), order.turn.si());
    let (speed, turn) = if walks { (haste * brain.speed, turn * brain.turn_rate) } else { (haste, turn) };
    Order { from: order.from.si(), speed, turn, pitch: order.pitch.si() }
}

/// What is walked on, and what is to be seen of it.
fn land(
    settings: &CreatureWorld,
    creatures: &[Creature],
    size: f64,
    folder: &Path,
    refused: &dyn Fn(holonomy::Error) -> Error,
) -> Result<(Terrain, Vec<Scenery>), Error> {
    let around = {
        let margin = AROUND * creatures[0].make_up.length();
        let fold = |axis: fn(&Vector3<f64>) -> f64, pick: fn(f64, f64) -> f64, none: f64| {
            creatures.iter().map(|one| axis(&one.place)).fold(none, pick)
        };
        let low = [fold(|p| p.x, f64::min, f64::INFINITY) - margin, fold(|p| p.z, f64::min, f64::INFINITY) - margin];
        let high = [fold(|p| p.x, f64::max, f64::NEG_INFINITY) + margin, fold(|p| p.z, f64::max, f64::NEG_INFINITY) + margin];
        [low, high]
    };
    let all_over = |solid: Obstacle| -> Result<(Terrain, Vec<Scenery>), Error> {
        let seen = solid.scenery("land", SceneryKind::Ground, around).map_err(refused)?;
        Ok((Terrain::solid(solid).map_err(refused)?, vec![seen]))
    };
    let ground = match &settings.land {
        CreatureLand::Flat(height) => Ground::Flat { height: height.si() },
        CreatureLand::Hills(hills) => Ground::HeightField(scene::Land::field(hills).map_err(refused)?),
        CreatureLand::Noise(noise) => Ground::HeightField(scene::Land::field(noise).map_err(refused)?),
        CreatureLand::Image(image) => Ground::HeightField(image.field(folder)?),
        CreatureLand::Slope(slope) => Ground::HeightField(scene::Land::field(slope).map_err(refused)?),
        CreatureLand::Ball { at, radius } => return all_over(Obstacle::Sphere { center: at.metres(), radius: radius.si() }),
        CreatureLand::Blob(blob) => {
            let model = Blob { radius: blob.radius.si(), bumps: blob.lumps.si(), seed: blob.seed.get() as u64, ..Blob::default() };
            let body = model.body().map_err(refused)?;
            let solid = SolidMesh::new(body.points().to_vec(), body.faces().to_vec()).map_err(refused)?;
            return all_over(Obstacle::Mesh(solid));
        }
        CreatureLand::Mesh(mesh) => return all_over(scene::Obstacle::Mesh(mesh.clone()).engine(folder, refused)?),
    };
    let mut stones = settings.stones.iter().map(|stone| stone.engine(folder, refused)).collect::<Result<Vec<_>, _>>()?;
    if let Some(rubble) = &settings.rubble {
        stones.extend(lying(rubble, &ground));
    }
    let mut scenery = Vec::new();
    if !matches!(ground, Ground::Flat { .. }) {
        scenery.push(Obstacle::Ground(ground.clone()).scenery("land", SceneryKind::Ground, around).map_err(refused)?);
    }
    for (i, stone) in stones.iter().enumerate() {
        scenery.push(stone.scenery(&format!("stone {}", i + 1), SceneryKind::Ground, around).map_err(refused)?);
    }
    let terrain = Terrain::with_solids(ground, stones, BLEND * size).map_err(refused)?;
    Ok((terrain, scenery))
}

/// A place on ground of those sides around the origin.
fn place(random: &mut Random, size: [Length; 2]) -> [f64; 2] {
    size.map(|side| side.si() * (random.unit() - 0.5))
}

/// Cylinders that lie about, half sunk in.
fn lying(rubble: &scene::Rubble, ground: &Ground) -> Vec<Obstacle> {
    let mut random = Random(rubble.seed.get() as u64);
    let one = |_| {
        let [x, z] = place(&mut random, rubble.size);
        let radius = rubble.radius.si() * (0.4 + 0.6 * random.unit());
        let half = 0.5 * rubble.length.si() * (0.4 + 0.6 * random.unit());
        let (sin, cos) = (std::f64::consts::PI * random.unit()).sin_cos();
        let (gap, _) = ground.gap(&Vector3::new(x, 0.0, z));
        let middle = Vector3::new(x, -gap, z);
        let along = Vector3::new(cos, 0.0, sin) * half;
        Obstacle::Cylinder { from: middle - along, to: middle + along, radius }
    };
    (0..rubble.count.get()).map(one).collect()
}

/// Food where it is said to lie, and at random places that are free.
fn foods(settings: &CreatureWorld, terrain: &Terrain, obstacles: &[Obstacle], size: f64) -> Vec<Food> {
    let strength = settings.smell.si();
    let mut foods: Vec<Food> = settings.food.iter().map(|place| Food { place: Place::metres(*place), strength }).collect();
    if let Some(scattered) = &settings.scattered_food {
        let mut random = Random(scattered.seed.get() as u64);
        let level = settings.water.as_ref().map(|water| water.level.si());
        for _ in 0..100 * scattered.count.get() {
            if foods.len() == settings.food.len() + scattered.count.get() {
                break;
            }
            let [x, z] = place(&mut random, scattered.size);
            let place = match level {
                Some(level) => Vector3::new(x, level - 0.5 * size, z),
                None => terrain.foothold(&Vector3::new(x, 0.0, z)) + Vector3::y() * (0.5 * size),
            };
            let free = |obstacle: &Obstacle| obstacle.distance(&place).value > 4.0 * size;
            if obstacles.iter().all(free) {
                foods.push(Food { place, strength });
            }
        }
    }
    foods
}

/// An empty trail.
fn left_behind(trail: &scene::Trail) -> Result<Pheromone, holonomy::Error> {
    let (lasts, spread) = (trail.lasts.si(), trail.spread.si());
    // What spreads with D has the variance 2 D t.
    Pheromone::new(trail.size.map(Length::si), trail.cell.si(), 1.0 / lasts, 0.5 * spread * spread / lasts)
}

fn water(pool: &scene::Pool, names: &[&str]) -> Result<Pool, Error> {
    let waves = |waves: &scene::WaveGrid| {
        let cells = waves.size.map(|side| (side.si() / waves.cell.si()).round().max(2.0) as usize);
        let at = waves.at.map_or_else(Vector3::zeros, Place::metres);
        let border = if waves.sides == scene::Sides::Walls { Border::Reflecting } else { Border::Absorbing };
        let along = match &waves.along {
            Some(name) => match names.iter().position(|known| known == name) {
                Some(found) => Some(found),
                None => return Err(Error::Choice(format!("the water moves along with `{name}`, but there is no creature of that name"))),
            },
            None => None,
        };
        let (drops, cell) = (waves.rain.si(), waves.cell.si());
        // A drop's bump is two cells wide and half a cell high.
        let rain = (drops > 0.0).then(|| Rain { drops, volume: 3.0 * cell.powi(3), radius: 2.0 * cell, ..Rain::default() });
        let push = waves.push == scene::Push::Waves;
        Ok(Waves { cells, cell, middle: [at.x, at.z], borders: Borders::all(border), rain, push, along })
    };
    let waves = pool.waves.as_ref().map(waves).transpose()?;
    let force = match pool.force {
        scene::WaterForce::None => WaterForce::None,
        scene::WaterForce::Normal => WaterForce::Normal,
        scene::WaterForce::LiftAndDrag => WaterForce::LiftAndDrag,
    };
    let added_mass = match pool.added_mass {
        scene::CarriedWater::None => CarriedWater::None,
        scene::CarriedWater::Local => CarriedWater::Local,
    };
    Ok(Pool { density: pool.density.si(), level: pool.level.si(), dynamics: Hydrodynamics { force, added_mass }, waves })
}
