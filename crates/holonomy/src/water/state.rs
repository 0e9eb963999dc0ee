//! The water as it is: heights, velocities, and the bottom under it.

use super::bodies::Bodies;
use super::grid::{FIELDS, Grid, Kept, SOLID};
use super::rows::Fastest;
use super::{FARTHEST, Water, borders};
use crate::Error;

/// Heights and velocities of water, the bottom below, and where the grid is. Made by [`Water::start`], changed by [`Water::step`].
#[derive(Debug, Clone, PartialEq)]
pub struct WaterState {
    pub(super) grid: Grid,
    /// Corner of least x and z, metres, world.
    pub(super) origin: [f64; 2],
    /// Side of a cell, metres.
    pub(super) cell: f64,
    /// Height of the ground per cell, metres; [`SOLID`] where nothing flows.
    pub(super) bed: Vec<f64>,
    /// The same with what bodies take up: water stands on this.
    pub(super) floor: Vec<f64>,
    /// Height of the water per cell, metres; of the floor where it is dry.
    pub(super) surface: Vec<f64>,
    /// Velocities and fluxes; see [`Kept`].
    pub(super) faces: Vec<f64>,
    /// Where the next ones are written.
    pub(super) next: Vec<f64>,
    /// Depths, for the scheme that traces them; else empty.
    pub(super) depths: Vec<f64>,
    /// Heights outside of the four sides, and those just inside a step ago, metres; see [`borders`].
    pub(super) outside: [Vec<[f64; 2]>; 4],
    /// Places of solid cells.
    pub(super) solids: Vec<usize>,
    /// What bodies take up.
    pub(super) bodies: Bodies,
    /// Memory for bumps.
    pub(super) shares: Vec<(usize, f64)>,
    /// Largest speeds and depth, where they are known.
    fastest: Option<Fastest>,
}

impl WaterState {
    pub(super) fn new(water: &Water, origin: [f64; 2], bottom: &impl Fn(f64, f64) -> f64) -> Result<WaterState, Error> {
        for place in origin {
            Error::unless(place.abs() <= FARTHEST, "origin of the water", place, "a place within a million kilometres")?;
        }
        let grid = Grid::new(water.cells);
        let solid = vec![SOLID; grid.len()];
        let faces = vec![0.0; FIELDS * grid.len()];
        let sides = [grid.cells[1], grid.cells[1], grid.cells[0], grid.cells[0]];
        let mut state = WaterState {
            grid,
            origin,
            cell: water.cell,
            bed: solid.clone(),
            floor: solid.clone(),
            surface: solid,
            next: faces.clone(),
            faces,
            depths: Vec::new(),
            outside: sides.map(|count| vec![[0.0; 2]; count]),
            solids: Vec::new(),
            bodies: Bodies::default(),
            shares: Vec::new(),
            fastest: None,
        };
        for (i, j) in grid.all() {
            let bed = WaterState::ask(bottom, state.middle(i, j))?;
            let place = grid.at(i, j);
            (state.bed[place], state.floor[place], state.surface[place]) = (bed, bed, bed.max(water.level));
        }
        state.find_solids();
        borders::settle(&mut state);
        borders::restore(&mut state, &water.borders);
        Ok(state)
    }

    /// The bottom at a place.
    pub(super) fn ask(bottom: &impl Fn(f64, f64) -> f64, [x, z]: [f64; 2]) -> Result<f64, Error> {
        let bed = bottom(x, z);
        if bed == f64::INFINITY {
            return Ok(SOLID);
        }
        let expected = "a height within a million kilometres, or infinite for a pillar";
        Error::unless(bed.abs() <= FARTHEST, "bottom of the water", bed, expected)?;
        Ok(bed)
    }

    pub(super) fn find_solids(&mut self) {
        let WaterState { grid, bed, solids, .. } = self;
        solids.clear();
        solids.extend(grid.all().map(|(i, j)| grid.at(i, j)).filter(|&place| bed[place] >= SOLID));
    }

    /// Middle of a cell, x and z, metres.
    pub(super) fn middle(&self, i: isize, j: isize) -> [f64; 2] {
        [self.origin[0] + (i as f64 + 0.5) * self.cell, self.origin[1] + (j as f64 + 0.5) * self.cell]
    }

    /// Largest speeds and depth.
    pub(super) fn fastest(&self) -> Fastest {
        self.fastest.unwrap_or_else(|| {
            let mut fastest = Fastest::default();
            for (i, j) in self.grid.all() {
                let place = self.grid.at(i, j);
                fastest.depth = fastest.depth.max(self.surface[place] - self.floor[place]);
            }
            let [nx, nz] = self.grid.cells.map(|n| n as isize);
            for (i, j) in (0..=nz).flat_map(|j| (0..=nx).map(move |i| (i, j))) {
                let speed = |kept| self.faces[self.grid.face(kept, i, j)].abs();
                fastest.speed = [fastest.speed[0].max(speed(Kept::AlongX)), fastest.speed[1].max(speed(Kept::AlongZ))];
            }
            fastest
        })
    }

    pub(super) fn remember(&mut self, fastest: Fastest) {
        self.fastest = Some(fastest);
    }

    /// A velocity has been changed along x (0) or z (1).
    pub(super) fn note_speed(&mut self, axis: usize, velocity: f64) {
        if let Some(fastest) = &mut self.fastest {
            fastest.speed[axis] = fastest.speed[axis].max(velocity.abs());
        }
    }

    /// A depth has been changed.
    pub(super) fn note_depth(&mut self, place: usize) {
        let depth = self.surface[place] - self.floor[place];
        if let Some(fastest) = &mut self.fastest {
            fastest.depth = fastest.depth.max(depth);
        }
    }

    /// All may have been changed.
    pub(super) fn forget(&mut self) {
        self.fastest = None;
    }

    /// Corner of least x and z, metres, world.
    pub fn origin(&self) -> [f64; 2] {
        self.origin
    }

    /// Side of a cell, metres.
    pub fn cell_size(&self) -> f64 {
        self.cell
    }

    /// Cells along x and z.
    pub fn cells(&self) -> [usize; 2] {
        self.grid.cells
    }

    /// Volume of all the water, m³.
    pub fn volume(&self) -> f64 {
        let row = |j: isize| -> f64 { (0..self.grid.cells[0] as isize).map(|i| self.depth_at(i, j)).sum() };
        (0..self.grid.cells[1] as isize).map(row).sum::<f64>() * self.cell * self.cell
    }

    pub(super) fn depth_at(&self, i: isize, j: isize) -> f64 {
        let place = self.grid.at(i, j);
        self.surface[place] - self.floor[place]
    }

    /// Sets the height of the water, metres, from a function of x and z. Where that is below the ground it is dry.
    ///
    /// # Errors
    /// A height that is not finite; then nothing is changed.
    pub fn set_surface(&mut self, height: impl Fn(f64, f64) -> f64) -> Result<(), Error> {
        let named =
            |value: f64| Error::unless(value.abs() <= FARTHEST, "height of the water", value, "a height within a million kilometres");
        self.set(|x, z, _| height(x, z), named)
    }

    /// Sets the depth of the water, metres, from a function of x and z.
    ///
    /// # Errors
    /// A depth that is negative or not finite; then nothing is changed.
    pub fn set_depth(&mut self, depth: impl Fn(f64, f64) -> f64) -> Result<(), Error> {
        let named = |value: f64| Error::unless((0.0..=FARTHEST).contains(&value), "depth of the water", value, "zero or more metres");
        let checked = |x: f64, z: f64| named(depth(x, z));
        self.grid.all().try_for_each(|(i, j)| {
            let [x, z] = self.middle(i, j);
            checked(x, z)
        })?;
        self.set(|x, z, floor| floor + depth(x, z), |_| Ok(()))
    }

    fn set(&mut self, height: impl Fn(f64, f64, f64) -> f64, check: impl Fn(f64) -> Result<(), Error>) -> Result<(), Error> {
        let mut found = self.surface.clone();
        for (i, j) in self.grid.all() {
            let ([x, z], place) = (self.middle(i, j), self.grid.at(i, j));
            if self.floor[place] < SOLID {
                let value = height(x, z, self.floor[place]);
                check(value)?;
                found[place] = value.max(self.floor[place]);
            }
        }
        self.surface = found;
        borders::settle(self);
        self.renew_fluxes();
        Ok(())
    }

    /// Sets the velocity, m/s along x and z, from a function of x and z. Where nothing can flow it stays zero.
    ///
    /// # Errors
    /// A velocity that is not finite; then nothing is changed.
    pub fn set_velocity(&mut self, velocity: impl Fn(f64, f64) -> [f64; 2]) -> Result<(), Error> {
        let mut found = self.faces.clone();
        for (kept, i, j) in every_face(&self.grid) {
            let [x, z] = self.middle(i, j);
            let value =
                if matches!(kept, Kept::AlongX) { velocity(x - 0.5 * self.cell, z)[0] } else { velocity(x, z - 0.5 * self.cell)[1] };
            Error::unless(value.abs() <= FARTHEST, "velocity of the water", value, "a finite number of m/s")?;
            found[self.grid.face(kept, i, j)] = value;
        }
        self.faces = found;
        self.renew_fluxes();
        Ok(())
    }

    /// The fluxes of velocities and heights that were set, upwind; no flow where there is no water.
    fn renew_fluxes(&mut self) {
        let WaterState { grid, surface, floor, faces, .. } = self;
        for (kept, i, j) in every_face(grid) {
            let along_x = matches!(kept, Kept::AlongX);
            let (behind, ahead) = (if along_x { grid.at(i - 1, j) } else { grid.at(i, j - 1) }, grid.at(i, j));
            let bottom = floor[behind].max(floor[ahead]);
            let over = [surface[behind].max(bottom) - bottom, surface[ahead].max(bottom) - bottom];
            let flux = if along_x { Kept::FluxX } else { Kept::FluxZ };
            let velocity = if over[0].max(over[1]) > 0.0 { faces[grid.face(kept, i, j)] } else { 0.0 };
            faces[grid.face(kept, i, j)] = velocity;
            faces[grid.face(flux, i, j)] = velocity * if velocity > 0.0 { over[0] } else { over[1] };
        }
        borders::mirror_faces(&self.grid, &mut self.faces);
        self.forget();
    }
}

/// All faces, with the kind of velocity at each.
pub(super) fn every_face(grid: &Grid) -> impl Iterator<Item = (Kept, isize, isize)> + use<> {
    let [nx, nz] = grid.cells.map(|n| n as isize);
    let along_x = (0..nz).flat_map(move |j| (0..=nx).map(move |i| (Kept::AlongX, i, j)));
    along_x.chain((0..=nz).flat_map(move |j| (0..nx).map(move |i| (Kept::AlongZ, i, j))))
}
