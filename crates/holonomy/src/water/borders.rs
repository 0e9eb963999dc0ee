//! What is outside of the grid, on each side one cell. Behind a wall all is solid: its face is closed, so that it matters nothing what height one thinks
//! of there, mirrored or fixed (docs/ERRATA.md, F17). Beyond an absorbing side stands the height that lets waves
//! leave: Higdon 1994, of first order, (∂_t − c ∂_n) h = 0 with n inwards, at all four sides (docs/ERRATA.md, F16). Fang 2015, Eq. B.31, takes both
//! derivatives at one end; here they are taken midway, which sends back less. The face between is moved by the pressure like any other.
//!
//! Velocities go on evenly beyond all sides: along a wall water slips, and what flows in through an absorbing side brings what is there.

use super::grid::{Grid, Kept, SOLID};
use super::{Border, Borders, Water, WaterState};

/// The sides: low and high x, low and high z.
pub(super) fn kinds(borders: &Borders) -> [Border; 4] {
    [borders.x[0], borders.x[1], borders.z[0], borders.z[1]]
}

/// Places of the `k`-th cell along a side, and of the cell outside of it.
pub(super) fn pair(grid: &Grid, side: usize, k: usize) -> (usize, usize) {
    let ([nx, nz], k) = (grid.cells.map(|n| n as isize), k as isize);
    match side {
        0 => (grid.at(0, k), grid.at(-1, k)),
        1 => (grid.at(nx - 1, k), grid.at(nx, k)),
        2 => (grid.at(k, 0), grid.at(k, -1)),
        _ => (grid.at(k, nz - 1), grid.at(k, nz)),
    }
}

/// Writes floor and surface outside, which loops over whole rows overwrite.
pub(super) fn restore(state: &mut WaterState, borders: &Borders) {
    let WaterState { grid, surface, floor, outside, .. } = state;
    for (side, kind) in kinds(borders).into_iter().enumerate() {
        for (k, &[height, _]) in outside[side].iter().enumerate() {
            let (inner, outer) = pair(grid, side, k);
            (floor[outer], surface[outer]) = match kind {
                Border::Absorbing => (floor[inner], height.max(floor[inner])),
                Border::Reflecting => (SOLID, SOLID),
            };
        }
    }
}

/// The heights outside after a step of `duration` seconds.
pub(super) fn radiate(state: &mut WaterState, water: &Water, duration: f64) {
    let WaterState { grid, surface, floor, outside, .. } = state;
    for (side, kind) in kinds(&water.borders).into_iter().enumerate() {
        for (k, [height, before]) in outside[side].iter_mut().enumerate() {
            let (inner, _) = pair(grid, side, k);
            let travelled = duration * (water.gravity * (surface[inner] - floor[inner])).sqrt();
            // Still water stays still to the last bit.
            let passed = *before + (travelled - water.cell) / (travelled + water.cell) * (surface[inner] - *height);
            *height = if kind == Border::Absorbing { passed } else { surface[inner] };
            *before = surface[inner];
        }
    }
}

/// The heights outside are those inside.
pub(super) fn settle(state: &mut WaterState) {
    let WaterState { grid, surface, outside, .. } = state;
    for (side, heights) in outside.iter_mut().enumerate() {
        heights.iter_mut().enumerate().for_each(|(k, heights)| *heights = [surface[pair(grid, side, k).0]; 2]);
    }
}

/// Velocities and fluxes go on evenly outside.
pub(super) fn mirror_faces(grid: &Grid, faces: &mut [f64]) {
    let [nx, nz] = grid.cells.map(|n| n as isize);
    for j in 0..=nz {
        for (kept, last) in [(Kept::AlongX, nx), (Kept::FluxX, nx), (Kept::AlongZ, nx - 1), (Kept::FluxZ, nx - 1)] {
            faces[grid.face(kept, -1, j)] = faces[grid.face(kept, 0, j)];
            faces[grid.face(kept, last + 1, j)] = faces[grid.face(kept, last, j)];
        }
    }
    for (kept, last) in [(Kept::AlongX, nz - 1), (Kept::FluxX, nz - 1), (Kept::AlongZ, nz), (Kept::FluxZ, nz)] {
        let row = |j: isize| {
            let start = grid.face(kept, -1, j);
            start..start + grid.cells[0] + 3
        };
        faces.copy_within(row(0), row(-1).start);
        faces.copy_within(row(last), row(last + 1).start);
    }
}
