//! The water that creatures walk into and swim in: still, or with waves.
//!
//! Fang 2015, Secs. 5.2, 5.3 and 6.2. Still water has a level and a density, and costs nothing. Waves are shallow water ([`crate::water`]): bodies displace it and drag it along, legs stir it;
//! as an option the waves push the bodies and carry them along.

use nalgebra::Vector3;

use super::world::{CreatureState, World, level_motion};
use crate::Error;
use crate::elastic::chain::Hydrodynamics;
use crate::lie::Wrench;
use crate::medium::Terrain;
use crate::medium::obstacle::Obstacle;
use crate::water::{Coupling, Footprint, Rain, RainState, Ripple, Water, WaterState};

/// Water in a world.
#[derive(Debug, Clone, PartialEq)]
pub struct Pool {
    /// kg/m³.
    pub density: f64,
    /// Height at which it rests, metres.
    pub level: f64,
    /// What it does to bodies that move in it.
    pub dynamics: Hydrodynamics,
    /// Its waves, if it has any: they are where the grid is.
    pub waves: Option<Waves>,
}

impl Default for Pool {
    /// Still water up to the origin, with the force of Fang 2015.
    fn default() -> Self {
        Pool { density: 1000.0, level: 0.0, dynamics: Hydrodynamics::default(), waves: None }
    }
}

/// Waves on a pool.
#[derive(Debug, Clone, PartialEq)]
pub struct Waves {
    /// Cells along x and z.
    pub cells: [usize; 2],
    /// Side of a cell, metres.
    pub cell: f64,
    /// The middle of the grid, x and z, metres.
    pub middle: [f64; 2],
    /// What its sides do.
    pub borders: crate::water::Borders,
    /// Rain on it.
    pub rain: Option<Rain>,
    /// Whether waves push bodies.
    pub push: bool,
    /// The creature that the grid moves along with.
    pub along: Option<usize>,
}

/// The water as it is.
#[derive(Debug, Clone)]
pub struct PoolState {
    /// kg/m³.
    pub density: f64,
    /// What it does to bodies.
    pub dynamics: Hydrodynamics,
    level: f64,
    /// The waves.
    pub waves: Option<WaterState>,
    /// Whether they push bodies.
    pushes: bool,
    rain: Option<RainState>,
    /// Volume at the start, m³.
    pub volume: f64,
    /// Tips of legs, a tick ago.
    tips: Vec<Vector3<f64>>,
    footprints: Vec<Footprint>,
    ripples: Vec<Ripple>,
}

/// A leg's tip is this part of its length thick.
const SLENDER: f64 = 0.05;

impl Pool {
    /// Refuses what cannot be.
    ///
    /// # Errors
    /// The number, and what is accepted.
    pub fn validate(&self) -> Result<(), Error> {
        Error::unless(self.density.is_finite() && self.density > 0.0, "density of the water (kg/m³)", self.density, "greater than 0")?;
        Error::unless(self.level.is_finite(), "level of the water", self.level, "a finite number of metres")?;
        self.waves.as_ref().map_or(Ok(()), |waves| self.water(waves, Water::default().gravity).validate())
    }

    fn water(&self, waves: &Waves, gravity: f64) -> Water {
        let Waves { cells, cell, borders, .. } = *waves;
        Water { cells, cell, borders, gravity, density: self.density, level: self.level, ..Water::default() }
    }

    pub(super) fn begin(&self, world: &World, creatures: &[CreatureState]) -> Result<PoolState, Error> {
        let mut state = PoolState {
            density: self.density,
            dynamics: self.dynamics,
            level: self.level,
            waves: None,
            pushes: self.waves.as_ref().is_some_and(|waves| waves.push),
            rain: None,
            volume: 0.0,
            tips: Vec::new(),
            footprints: Vec::new(),
            ripples: Vec::new(),
        };
        if let Some(waves) = &self.waves {
            let water = self.water(waves, world.settings().pull.size());
            let half = [0, 1].map(|axis| 0.5 * waves.cells[axis] as f64 * waves.cell);
            let origin = [waves.middle[0] - half[0], waves.middle[1] - half[1]];
            let mut sea = water.start(origin, |x, z| self.bottom(world, x, z))?;
            state.rain = waves.rain.as_ref().map(Rain::start).transpose()?;
            footprints(world, creatures, self.level, &mut state.footprints);
            water.immerse(&mut sea, &state.footprints)?;
            state.volume = sea.volume();
            state.waves = Some(sea);
        }
        Ok(state)
    }

    /// Height of the ground under the water; where an obstacle pierces the surface, there is a pillar.
    fn bottom(&self, world: &World, x: f64, z: f64) -> f64 {
        let settings = world.settings();
        let surface = Vector3::new(x, self.level, z);
        let pierced = |obstacle: &Obstacle| !matches!(obstacle, Obstacle::Ground(_)) && obstacle.distance(&surface).value < 0.0;
        if settings.obstacles.iter().any(pierced) {
            return f64::INFINITY;
        }
        height_below(&settings.terrain, x, z, self.level)
    }

    /// The water's part of a tick.
    pub(super) fn advance(
        &self,
        world: &World,
        creatures: &mut [CreatureState],
        state: &mut PoolState,
        duration: f64,
    ) -> Result<(), Error> {
        let (Some(waves), Some(sea)) = (&self.waves, &mut state.waves) else { return Ok(()) };
        let water = self.water(waves, world.settings().pull.size());
        footprints(world, creatures, self.level, &mut state.footprints);
        water.couple(sea, &state.footprints, Coupling::Displacing, duration)?;
        if waves.push {
            // Drag is that of their faces: that of the grid would count it twice.
            let mut pushes = sea.pressures().iter();
            for creature in creatures.iter_mut() {
                let count = creature.submerged.len();
                creature.pushes.clear();
                creature.pushes.extend(pushes.by_ref().take(count).map(|push| Wrench { angular: push.torque, linear: push.force }));
            }
        }
        ripples(world, creatures, &mut state.tips, &mut state.ripples, duration);
        water.stir(sea, &state.ripples, duration)?;
        if let (Some(rain), Some(fallen)) = (&waves.rain, &mut state.rain) {
            rain.fall(fallen, sea, duration)?;
        }
        water.step(sea, duration)?;
        if let Some(creature) = waves.along.and_then(|k| creatures.get(k)) {
            let head = creature.poses()[0].translation;
            let middle = [0, 1].map(|axis| sea.origin()[axis] + 0.5 * waves.cells[axis] as f64 * waves.cell);
            // A cell at a time, as in App. B.
            let by = [head.x - middle[0], head.z - middle[1]].map(|off| if off.abs() > waves.cell { off.signum() as i64 } else { 0 });
            if by != [0, 0] {
                water.shift(sea, by, |x, z| self.bottom(world, x, z))?;
            }
        }
        Ok(())
    }
}

impl PoolState {
    /// Height of the water at a place, metres; −∞ where it is dry.
    pub fn level(&self, place: &Vector3<f64>) -> f64 {
        match &self.waves {
            None => self.level,
            Some(sea) if sea.depth(place.x, place.z) > 0.0 => sea.height(place.x, place.z, self.level),
            Some(_) => f64::NEG_INFINITY,
        }
    }

    /// Up to where the water bears what is at a place, metres: waves that push have their own share in that.
    pub(super) fn bearing_level(&self, place: &Vector3<f64>) -> f64 {
        let level = self.level(place);
        if self.pushes && level.is_finite() { self.level } else { level }
    }

    /// Velocity of the water at a place, m/s, world, if waves push bodies: then they carry them along too. It has no part along y.
    pub(super) fn flow(&self, place: &Vector3<f64>) -> Option<Vector3<f64>> {
        let sea = self.waves.as_ref().filter(|_| self.pushes)?;
        let [x, z] = sea.velocity(place.x, place.z);
        Some(Vector3::new(x, 0.0, z))
    }

    /// Volume of rain that was added, m³.
    pub fn rained(&self) -> f64 {
        self.rain.as_ref().map_or(0.0, |rain| rain.added)
    }
}

/// All segments seen from above, each with half of the soft blocks before and behind it: as high and wide as the segment, and so long that what it displaces is their volume.
fn footprints(world: &World, creatures: &[CreatureState], level: f64, out: &mut Vec<Footprint>) {
    out.clear();
    for (k, creature) in creatures.iter().enumerate() {
        let Some((chain, walker)) = world.body(k) else { continue };
        for segment in 0..chain.segments() {
            let (pose, size) = (chain.pose(&creature.chain, segment), walker.make_up().size_of(segment));
            let ahead = pose.rotation * Vector3::x();
            let length = |block: Option<&Vector3<f64>>| block.map_or(0.0, |block| 0.5 * block.product() / (size[1] * size[2]));
            let blocks = &chain.settings().blocks;
            let [before, behind] = [segment.checked_sub(1).and_then(|ahead| blocks.get(ahead)), blocks.get(segment)].map(length);
            let middle = pose.translation + ahead * (0.5 * (before - behind));
            let (velocity, turning) = level_motion(&chain.twist(&creature.chain, segment));
            let half_height = 0.5 * size[1];
            // What does not reach the water displaces none, wherever it is.
            let bottom = (pose.translation.y - half_height).min(level + 1e3);
            out.push(Footprint {
                center: [middle.x, middle.z],
                heading: (-ahead.z).atan2(ahead.x),
                half: [0.5 * (size[0] + before + behind), 0.5 * size[2]],
                bottom,
                top: bottom + size[1],
                velocity,
                turning,
            });
        }
    }
}

/// Tips of legs that stir the water.
fn ripples(world: &World, creatures: &[CreatureState], before: &mut Vec<Vector3<f64>>, out: &mut Vec<Ripple>, duration: f64) {
    out.clear();
    let tips = creatures.iter().flat_map(|creature| creature.walker.legs.iter().flatten().map(|leg| leg.tip));
    let known = before.len();
    let mut count = 0;
    for (k, creature) in creatures.iter().enumerate() {
        let length: f64 = world.body(k).and_then(|(_, walker)| walker.make_up().legs).map_or(0.0, |legs| legs.lengths.iter().sum());
        for leg in creature.walker.legs.iter().flatten() {
            if count < known {
                out.push(Ripple { place: leg.tip, radius: SLENDER * length, velocity: (leg.tip - before[count]) / duration });
            }
            count += 1;
        }
    }
    before.clear();
    before.extend(tips);
}

/// Height of a terrain straight below the water's surface, metres, or above it where it stands out: found by steps as long as the surface is far.
fn height_below(terrain: &Terrain, x: f64, z: f64, level: f64) -> f64 {
    const DEEPEST: f64 = 1e3;
    let mut height = level + DEEPEST;
    for _ in 0..200 {
        let gap = terrain.contact(&Vector3::new(x, height, z)).distance;
        if gap < 1e-9 || height < level - DEEPEST {
            break;
        }
        height -= gap;
    }
    height.max(level - DEEPEST)
}
