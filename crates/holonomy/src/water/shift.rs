//! A grid that moves along with who swims in it (Fang 2015, App. B): by whole cells, so that what stays inside is not touched.

use super::grid::{Kept, SOLID};
use super::{FARTHEST, Water, WaterState, borders};
use crate::Error;

impl Water {
    /// Moves the grid by whole cells along x and z. What stays inside stays where it is in the world, bit for bit. New cells have the height and velocity of the
    /// outermost ones before, and their bottom from `bottom`, as [`start`](Water::start); where that one was dry they stand at the level.
    ///
    /// The volume of water in the grid changes: this is for water with absorbing borders.
    ///
    /// # Errors
    /// The state is of other water, the bottom is no height, or the grid would leave all measure; then nothing is changed.
    pub fn shift(&self, state: &mut WaterState, by: [i64; 2], bottom: impl Fn(f64, f64) -> f64) -> Result<(), Error> {
        self.check(state)?;
        let [nx, nz] = state.grid.cells.map(|n| n as isize);
        for k in 0..2 {
            let moved = state.origin[k] + by[k] as f64 * self.cell;
            Error::unless(moved.abs() <= FARTHEST, "origin of the water", moved, "a place within a million kilometres")?;
        }
        // More than all cells are new ones all the same.
        let reach = |by: i64, n: isize| by.clamp(-(n as i64), n as i64) as isize;
        let (across, along) = (reach(by[0], nx), reach(by[1], nz));
        let is_new = |i: isize, j: isize| !(0..nx).contains(&(i + across)) || !(0..nz).contains(&(j + along));
        let moved = [state.origin[0] + by[0] as f64 * self.cell, state.origin[1] + by[1] as f64 * self.cell];
        let ask = |i: isize, j: isize| {
            WaterState::ask(&bottom, [moved[0] + (i as f64 + 0.5) * self.cell, moved[1] + (j as f64 + 0.5) * self.cell])
        };
        state.grid.all().filter(|&(i, j)| is_new(i, j)).try_for_each(|(i, j)| ask(i, j).map(drop))?;

        state.origin = moved;
        let grid = state.grid;
        move_outside(state, [across, along]);
        for field in [&mut state.bed, &mut state.floor, &mut state.surface] {
            move_field(field, |i, j| grid.at(i, j), [nx, nz], [across, along]);
        }
        let kinds = [(Kept::AlongX, [nx + 1, nz]), (Kept::FluxX, [nx + 1, nz]), (Kept::AlongZ, [nx, nz + 1]), (Kept::FluxZ, [nx, nz + 1])];
        for (kept, counts) in kinds {
            move_field(&mut state.faces, |i, j| grid.face(kept, i, j), counts, [across, along]);
        }
        for (i, j) in grid.all().filter(|&(i, j)| is_new(i, j)) {
            let place = grid.at(i, j);
            let wet = state.bed[place] < SOLID && state.surface[place] > state.floor[place];
            let height = if wet { state.surface[place] } else { self.level };
            let bed = ask(i, j)?;
            (state.bed[place], state.floor[place], state.surface[place]) = (bed, bed, bed.max(height));
            state.note_depth(place);
        }
        state.find_solids();
        settle_outside(state, is_new);
        borders::restore(state, &self.borders);
        borders::mirror_faces(&grid, &mut state.faces);
        state.bodies.shifted([across, along], &grid);
        Ok(())
    }
}

/// Heights outside: behind, those of the cells that the grid leaves; beside, those that were there.
fn move_outside(state: &mut WaterState, by: [isize; 2]) {
    let WaterState { grid, surface, floor, outside, .. } = state;
    for (side, heights) in outside.iter_mut().enumerate() {
        let (away, across) = if side < 2 { (by[0], by[1]) } else { (by[1], by[0]) };
        let (away, inwards) = if side % 2 == 0 { (away, 1) } else { (-away, -1) };
        if away <= 0 {
            move_row(heights, across);
            continue;
        }
        let (count, last) = (grid.cells[side / 2] as isize, heights.len() as isize - 1);
        let step = inwards * if side < 2 { 1 } else { grid.stride as isize };
        for (k, heights) in heights.iter_mut().enumerate() {
            let (edge, _) = borders::pair(grid, side, (k as isize + across).clamp(0, last) as usize);
            let place = |deep: isize| (edge as isize + step * deep.min(count - 1)) as usize;
            let (left, inner) = (place(away - 1), place(away));
            // What is left may be land.
            let wet = surface[left] > floor[left];
            *heights = [if wet { surface[left] } else { surface[inner] }, surface[inner]];
        }
    }
}

/// Where the cell inside is new, the height outside is that inside.
fn settle_outside(state: &mut WaterState, is_new: impl Fn(isize, isize) -> bool) {
    let WaterState { grid, surface, outside, .. } = state;
    let [nx, nz] = grid.cells.map(|n| n as isize);
    for (side, heights) in outside.iter_mut().enumerate() {
        for (k, heights) in heights.iter_mut().enumerate() {
            let (inner, along) = (borders::pair(grid, side, k).0, k as isize);
            let (i, j) = [(0, along), (nx - 1, along), (along, 0), (along, nz - 1)][side];
            if is_new(i, j) {
                *heights = [surface[inner]; 2];
            }
        }
    }
}

/// Moves one field: place (i, j) gets what was at (i, j) + `by`, or at the nearest place to it that there is.
fn move_field(field: &mut [f64], at: impl Fn(isize, isize) -> usize, counts: [isize; 2], by: [isize; 2]) {
    let (columns, rows) = (counts[0] as usize, counts[1]);
    for k in 0..rows {
        // In the order in which no row is read that was written.
        let j = if by[1] >= 0 { k } else { rows - 1 - k };
        let from = at(0, (j + by[1]).clamp(0, rows - 1));
        field.copy_within(from..from + columns, at(0, j));
        move_row(&mut field[at(0, j)..at(0, j) + columns], by[0]);
    }
}

fn move_row<T: Copy>(row: &mut [T], by: isize) {
    let (count, distance) = (row.len(), by.unsigned_abs().min(row.len() - 1));
    let (first, last) = (row[0], row[count - 1]);
    if by >= 0 {
        row.copy_within(distance.., 0);
        row[count - distance..].fill(last);
    } else {
        row.copy_within(..count - distance, distance);
        row[..distance].fill(first);
    }
}
