//! The wake of a vehicle: its motion first, then the water around it.

use std::ops::ControlFlow;

use holonomy::medium::ground::Ground;
use holonomy::medium::obstacle::Obstacle;
use holonomy::models::vehicles::VehicleModel;
use holonomy::motion::{Matter, Motion};
use holonomy::nalgebra::Vector3;
use holonomy::water::{Border, Borders, Hull, Wake, Water};

use crate::scene::{Height, Length, Place, Sides, WakeGrid};

/// Points of the water that are shown along its longer side.
const WATER_POINTS: usize = 110;

/// Water around a vehicle.
pub(super) struct Wet {
    water: Water,
    middle: [f64; 2],
    depth: f64,
    /// Those that stand in the water.
    obstacles: Vec<Obstacle>,
    model: VehicleModel,
}

impl Wet {
    /// The water of `grid`, whose surface is at `level`, around a vehicle of these looks, with what stands in it.
    pub fn new(grid: &WakeGrid, level: Option<Height>, model: &VehicleModel, obstacles: Vec<Obstacle>) -> Wet {
        let cell = grid.cell.si();
        let cells = grid.size.map(|side: Length| (side.si() / cell).round().max(2.0) as usize);
        let at = grid.at.map_or_else(Vector3::zeros, Place::metres);
        let border = if grid.sides == Sides::Walls { Border::Reflecting } else { Border::Absorbing };
        let water = Water { cells, cell, level: level.map_or(0.0, Height::si), borders: Borders::all(border), ..Water::default() };
        Wet { water, middle: [at.x, at.z], depth: grid.depth.si(), obstacles, model: model.clone() }
    }

    /// Puts the water into a motion whose first track is the vehicle's.
    pub fn around(&self, mut motion: Motion, progress: &mut dyn FnMut(usize, usize) -> ControlFlow<()>) -> Result<Motion, holonomy::Error> {
        let Some(vehicle) = motion.tracks.iter().find(|track| track.matter == Matter::Body) else { return Ok(motion) };
        let afloat = vehicle.poses.first().map_or(0.0, |pose| pose.translation.y);
        let hull = Hull::below(&self.model.points, &self.model.faces, self.water.level - afloat)?;
        let wake = Wake { water: self.water.clone(), middle: self.middle, hull, points: WATER_POINTS };
        let seen = wake.follow(&vehicle.poses, motion.dt, |x, z| self.bottom(x, z), progress)?;
        motion.tracks.push(seen.track);
        motion.checks.extend(seen.checks);
        motion.warnings.extend(seen.warnings);
        Ok(motion)
    }

    /// Height of the ground under the water; where an obstacle pierces the surface, there is a pillar.
    fn bottom(&self, x: f64, z: f64) -> f64 {
        let (level, mut bottom) = (self.water.level, self.water.level - self.depth);
        for obstacle in &self.obstacles {
            match obstacle {
                Obstacle::Ground(Ground::Flat { height }) => bottom = bottom.max(*height),
                Obstacle::Ground(Ground::HeightField(field)) => bottom = bottom.max(field.height(x, z)),
                solid if solid.distance(&Vector3::new(x, level, z)).value < 0.0 => return f64::INFINITY,
                _ => {}
            }
        }
        bottom
    }
}
