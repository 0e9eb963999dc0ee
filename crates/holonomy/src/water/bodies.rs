//! Bodies in the water (Fang 2015, Sec. 5.3): what they displace, how they drag water along, and how waves push them.
//!
//! A body part is handed over as a [`Footprint`]: an upright box, turned about the vertical. There are two ways:
//!
//! **Displacing**, the default. The part of the body below the level takes up room over the bottom, t metres high, in proportion to how much of each cell
//! it covers. Water keeps its depth and stands that much higher, h = b + t + d: it is squeezed out before the body and falls in behind it. The
//! volume of water is kept exactly. A body at rest in water at rest does nothing. The surface in a covered cell is the pressure under the body.
//!
//! **Printed**, the thesis's steps 3 and 4: in cells inside, the surface is set to the body's bottom; in boundary cells, to the mean of the water
//! around. Water vanishes before the body and appears behind it; volume is not kept.
//!
//! Both then set the velocity along the normal in the boundary cells, Eq. 5.4: velocities are averaged from faces to the middle of the cell, projected,
//! and the change is written back to the faces (docs/ERRATA.md, F18). When displacing, water flows under the body: then only by the share of the column that the
//! body bars, and by as much of it as the body passes in the step, 1 − exp(−|slip| Δt/Δx), so that the drag does not depend on the step.
//!
//! **How waves push**: on a face between two cells the water is pushed by −ρ g d̄ Δh. Of this the bottom of the sea bears its part, and the body the
//! part of t̄: so the force on it is −ρ g Σ t̄ Δh, and that of Eq. 5.4 with its sign turned. What water and body give each other adds up to zero. Up, there is
//! the pressure over that of the level, on what pierces the surface; the buoyancy of the body at the level is not in it.
//!
//! It adds up so for a body that takes both, pressure and drag ([`WaterState::pushes`]). Who takes the pressure alone ([`WaterState::pressures`]) and finds the drag in another way, as creatures do face by face,
//! drags the water by Eq. 5.4 and is itself braked by another law: these two are not opposite, and the momentum of body and water together is not kept. Who takes neither drags the water and feels nothing of it.

use nalgebra::Vector3;

use super::grid::{Grid, Kept, SOLID};
use super::{Footprint, Water, WaterState, borders};
use crate::Error;

/// What becomes of the water where a body is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Coupling {
    /// It is squeezed out; its volume is kept.
    #[default]
    Displacing,
    /// Its height is set, as in Fang 2015, Sec. 5.3; its volume is not kept.
    Printed,
}

/// How waves push a footprint.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Push {
    /// About the middle of the box, N m, world.
    pub torque: Vector3<f64>,
    /// Newtons, world.
    pub force: Vector3<f64>,
}

/// The bodies that are in the water, and memory for finding them.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Bodies {
    /// Cells with something in them.
    covered: Vec<(isize, isize)>,
    /// Per cell: sum of what bodies would take up, and the most that one would, metres. Zero between calls.
    wanted: Vec<[f64; 2]>,
    /// Per cell: 1 + the body in which its middle is; 0 outside. Zero between calls.
    owner: Vec<u32>,
    touches: Vec<Touch>,
    changes: Vec<Change>,
    pushes: Vec<Push>,
    pressures: Vec<Push>,
}

/// A body in a cell.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Touch {
    body: usize,
    cell: (isize, isize),
    /// Share of the cell that it covers.
    share: f64,
    /// How deep it is in it, metres.
    draught: f64,
}

/// A velocity that is to be changed.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Change {
    face: usize,
    by: f64,
    /// Mass of water at the face, kg.
    mass: f64,
    body: usize,
    /// From the middle of the body, metres.
    arm: Vector3<f64>,
    /// 0 along x, 2 along z.
    axis: usize,
}

impl Bodies {
    /// The grid has moved by so many cells.
    pub fn shifted(&mut self, by: [isize; 2], grid: &Grid) {
        let [nx, nz] = grid.cells.map(|n| n as isize);
        self.covered.iter_mut().for_each(|(i, j)| (*i, *j) = (*i - by[0], *j - by[1]));
        self.covered.retain(|(i, j)| (0..nx).contains(i) && (0..nz).contains(j));
    }
}

/// Cells that all bodies together may cover.
const MOST_COVERED: f64 = 4e6;

impl Water {
    /// Lets bodies act on the water for the coming `duration` seconds, in place of all bodies before: to be called before each step. What the water does to them is
    /// then in [`WaterState::pushes`]; who does not use it has one-way coupling, as the thesis.
    ///
    /// # Errors
    /// The state is of other water; a footprint with a number that is not finite, a negative size, or its top under its bottom; a duration that is not positive.
    pub fn couple(&self, state: &mut WaterState, bodies: &[Footprint], way: Coupling, duration: f64) -> Result<(), Error> {
        self.check(state)?;
        self.fits(bodies)?;
        Error::unless(duration.is_finite() && duration > 0.0, "step of the water", duration, "greater than 0 seconds")?;
        borders::restore(state, &self.borders);
        let mut work = std::mem::take(&mut state.bodies);
        // 1. Which cells they occupy.
        work.find(self, state, bodies);
        // 3. and 4. Heights.
        match way {
            Coupling::Displacing => work.displace(state, true),
            Coupling::Printed => work.set_heights(state, bodies),
        }
        work.press(self, state, bodies);
        work.pressures.clone_from(&work.pushes);
        // 2. and 5. Normals and velocities.
        work.drag(self, state, bodies, way, duration);
        work.clear(&state.grid);
        state.bodies = work;
        Ok(())
    }

    /// Refuses footprints that cannot be, and those that would cover more cells than memory holds.
    fn fits(&self, bodies: &[Footprint]) -> Result<(), Error> {
        bodies.iter().try_for_each(Footprint::validate)?;
        let across = |body: &Footprint| 2.0 * body.half[0].hypot(body.half[1]) / self.cell + 3.0;
        let covered = |body: &Footprint| self.cells.iter().map(|&side| across(body).min(side as f64)).product::<f64>();
        let all: f64 = bodies.iter().map(covered).sum();
        Error::unless(all <= MOST_COVERED, "count of water cells that bodies cover", all, "4 million or fewer: take larger cells")
    }

    /// Puts bodies into the water without a splash: what they displace is taken away, the surface stays. For the start of a simulation.
    ///
    /// # Errors
    /// As [`couple`](Water::couple).
    pub fn immerse(&self, state: &mut WaterState, bodies: &[Footprint]) -> Result<(), Error> {
        self.check(state)?;
        self.fits(bodies)?;
        let mut work = std::mem::take(&mut state.bodies);
        work.find(self, state, bodies);
        work.displace(state, false);
        work.clear(&state.grid);
        state.bodies = work;
        Ok(())
    }
}

impl WaterState {
    /// What water does to the footprints of the last [`Water::couple`], in their order: its pressure, and the drag that Eq. 5.4 of Fang 2015 gives it.
    pub fn pushes(&self) -> &[Push] {
        &self.bodies.pushes
    }

    /// The part of the pressure in [`WaterState::pushes`]: for bodies whose drag is found in another way.
    pub fn pressures(&self) -> &[Push] {
        &self.bodies.pressures
    }
}

impl Bodies {
    /// Cells with a part of a body, looked for within the box that holds it.
    fn find(&mut self, water: &Water, state: &WaterState, bodies: &[Footprint]) {
        self.wanted.resize(state.grid.len(), [0.0; 2]);
        self.owner.resize(state.grid.len(), 0);
        self.touches.clear();
        self.pushes.clear();
        self.pushes.resize(bodies.len(), Push::default());
        for (body, footprint) in bodies.iter().enumerate() {
            let reach = footprint.half[0].hypot(footprint.half[1]) + water.cell;
            for cell in state.around(footprint.center, reach) {
                let (middle, place) = (state.middle(cell.0, cell.1), state.grid.at(cell.0, cell.1));
                let share = footprint.share(middle, water.cell);
                let draught = footprint.top.min(water.level) - footprint.bottom.max(state.bed[place]);
                if share <= 0.0 || draught <= 0.0 {
                    continue;
                }
                self.touches.push(Touch { body, cell, share, draught });
                let [sum, most] = &mut self.wanted[place];
                (*sum, *most) = (*sum + share * draught, most.max(draught));
                if footprint.contains(middle) {
                    self.owner[place] = body as u32 + 1;
                }
            }
        }
    }

    /// What bodies take up now instead of before. Water keeps its depth (`squeezed`) or its surface.
    fn displace(&mut self, state: &mut WaterState, squeezed: bool) {
        self.covered.extend(self.touches.iter().map(|touch| touch.cell));
        self.covered.sort_unstable();
        self.covered.dedup();
        for &(i, j) in &self.covered {
            let place = state.grid.at(i, j);
            let floor = state.bed[place] + self.taken(place);
            if floor != state.floor[place] {
                let depth = state.surface[place] - state.floor[place];
                state.surface[place] = if squeezed { floor + depth } else { state.surface[place].max(floor) };
                state.floor[place] = floor;
                state.note_depth(place);
            }
        }
        self.covered.retain(|&(i, j)| self.wanted[state.grid.at(i, j)][0] > 0.0);
    }

    /// What bodies take up of a cell, metres: where they overlap no more than the deepest does.
    fn taken(&self, place: usize) -> f64 {
        let [sum, most] = self.wanted[place];
        sum.min(most)
    }

    /// Steps 3 and 4 of Fang 2015, Sec. 5.3.
    fn set_heights(&mut self, state: &mut WaterState, bodies: &[Footprint]) {
        for (i, j) in self.covered.drain(..) {
            let place = state.grid.at(i, j);
            let depth = state.surface[place] - state.floor[place];
            state.floor[place] = state.bed[place];
            state.surface[place] = state.bed[place] + depth;
        }
        let grid = state.grid;
        for touch in self.touches.iter().filter(|touch| self.is_inside(touch, &grid)) {
            let (place, bottom) = (state.grid.at(touch.cell.0, touch.cell.1), bodies[touch.body].bottom);
            let open = self.open_around(place, state);
            let count = open.clone().count();
            if count > 0 {
                state.surface[place] = (open.map(|beside| state.surface[beside]).sum::<f64>() / count as f64).max(state.floor[place]);
            } else if bottom < state.surface[place] {
                state.surface[place] = bottom.max(state.floor[place]);
            }
            state.note_depth(place);
        }
    }

    /// Whether the middle of the touched cell is in that body.
    fn is_inside(&self, touch: &Touch, grid: &Grid) -> bool {
        self.owner[grid.at(touch.cell.0, touch.cell.1)] == touch.body as u32 + 1
    }

    /// Water cells beside a cell: where there are any, a cell inside is a boundary cell.
    fn open_around(&self, place: usize, state: &WaterState) -> impl Iterator<Item = usize> + Clone + use<> {
        let stride = state.grid.stride;
        let open =
            [place - 1, place + 1, place - stride, place + stride].map(|beside| self.owner[beside] == 0 && state.floor[beside] < SOLID);
        [place - 1, place + 1, place - stride, place + stride].into_iter().zip(open).filter(|pair| pair.1).map(|pair| pair.0)
    }

    /// How the water stands higher on one side of a body than on the other, and over or under the level.
    fn press(&mut self, water: &Water, state: &WaterState, bodies: &[Footprint]) {
        let (weight, grid) = (water.density * water.gravity, &state.grid);
        for touch in &self.touches {
            let ((i, j), footprint) = (touch.cell, &bodies[touch.body]);
            let place = grid.at(i, j);
            let fraction = self.taken(place) / self.wanted[place][0];
            let height = touch.share * touch.draught * fraction;
            let rise = |behind: usize, ahead: usize| {
                let floor = state.floor[behind].max(state.floor[ahead]);
                state.surface[ahead].max(floor) - state.surface[behind].max(floor)
            };
            let slope = |step: usize| 0.5 * (rise(place - step, place) + rise(place, place + step));
            let sideways = -weight * height * water.cell;
            let wet = state.surface[place] > state.floor[place] && footprint.top > water.level;
            let over = if wet { state.surface[place] - water.level } else { 0.0 };
            let up = weight * over * touch.share * water.cell * water.cell;
            let force = Vector3::new(sideways * slope(1), up, sideways * slope(grid.stride));
            self.pushes[touch.body].add(force, footprint.arm(state.middle(i, j), water.level));
        }
    }

    /// Step 5: the velocity of the water along the normal is that of the body (Fang 2015, Eqs. 5.3 and 5.4).
    fn drag(&mut self, water: &Water, state: &mut WaterState, bodies: &[Footprint], way: Coupling, duration: f64) {
        self.changes.clear();
        let mut changes = std::mem::take(&mut self.changes);
        for touch in self.touches.iter().filter(|touch| self.is_inside(touch, &state.grid)) {
            let ((i, j), footprint) = (touch.cell, &bodies[touch.body]);
            let place = state.grid.at(i, j);
            if self.open_around(place, state).next().is_none() {
                continue;
            }
            let (grid, middle) = (&state.grid, state.middle(i, j));
            let sides = [[(i, j), (i + 1, j)], [(i, j), (i, j + 1)]];
            let faces = [Kept::AlongX, Kept::AlongZ].map(|kept| sides[kept as usize].map(|(i, j)| grid.face(kept, i, j)));
            let flow = faces.map(|[low, high]| 0.5 * (state.faces[low] + state.faces[high]));
            let (normal, body) = (footprint.normal(middle), footprint.velocity_at(middle));
            let taken = self.taken(place);
            let slip = (body[0] - flow[0]) * normal[0] + (body[1] - flow[1]) * normal[1];
            let change = match way {
                Coupling::Printed => slip,
                Coupling::Displacing => {
                    let barred = taken / (taken + state.surface[place] - state.floor[place]);
                    barred * slip * (1.0 - (-slip.abs() * duration / water.cell).exp())
                }
            };
            for (k, step) in [1, grid.stride].into_iter().enumerate() {
                for (face, behind) in faces[k].into_iter().zip([place - step, place]) {
                    if state.floor[behind].max(state.floor[behind + step]) < SOLID {
                        let depths = [behind, behind + step].map(|at| state.surface[at] - state.floor[at]);
                        let mass = 0.5 * (depths[0] + depths[1]) * water.density * water.cell * water.cell;
                        let arm = footprint.arm(middle, water.level);
                        changes.push(Change { face, by: change * normal[k], mass, body: touch.body, arm, axis: 2 * k });
                    }
                }
            }
        }
        self.apply(&mut changes, state, duration);
        self.changes = changes;
    }

    /// A face between two boundary cells is changed by the mean of what they want.
    fn apply(&mut self, changes: &mut [Change], state: &mut WaterState, duration: f64) {
        changes.sort_unstable_by_key(|change| change.face);
        for wanted in changes.chunk_by(|a, b| a.face == b.face) {
            let count = wanted.len() as f64;
            let face = wanted[0].face;
            state.faces[face] += wanted.iter().map(|change| change.by).sum::<f64>() / count;
            state.note_speed(wanted[0].axis / 2, state.faces[face]);
            for change in wanted {
                let force = Vector3::ith(change.axis, -change.mass * change.by / (count * duration));
                self.pushes[change.body].add(force, change.arm);
            }
        }
    }

    fn clear(&mut self, grid: &Grid) {
        for touch in &self.touches {
            let place = grid.at(touch.cell.0, touch.cell.1);
            (self.wanted[place], self.owner[place]) = ([0.0; 2], 0);
        }
    }
}

impl Push {
    fn add(&mut self, force: Vector3<f64>, arm: Vector3<f64>) {
        self.force += force;
        self.torque += arm.cross(&force);
    }
}
