//! The water at a place: for senses, pictures and tests. Bilinear between the places where numbers are kept; beyond the grid as at its edge.

use nalgebra::Vector3;

use super::WaterState;
use super::grid::{Kept, SOLID};

impl WaterState {
    /// Height of the water, metres; of the ground where that is dry.
    pub fn surface(&self, x: f64, z: f64) -> f64 {
        self.blend(x, z, |place| self.surface[place])
    }

    /// Height of the water to be seen, metres: amid pillars, which are as high as can be, it is `level`.
    pub fn height(&self, x: f64, z: f64, level: f64) -> f64 {
        let height = self.surface(x, z);
        if height.is_finite() { height } else { level }
    }

    /// Depth of the water, metres.
    pub fn depth(&self, x: f64, z: f64) -> f64 {
        self.blend(x, z, |place| self.surface[place] - self.floor[place])
    }

    /// Height of the ground, metres.
    pub fn bottom(&self, x: f64, z: f64) -> f64 {
        self.blend(x, z, |place| self.bed[place])
    }

    /// Velocity of the water, m/s along x and z.
    pub fn velocity(&self, x: f64, z: f64) -> [f64; 2] {
        let [x, z] = self.in_cells(x, z);
        [self.flow(Kept::AlongX, x, z - 0.5), self.flow(Kept::AlongZ, x - 0.5, z)]
    }

    /// Whether a point is in the water: over the ground, and under the surface.
    pub fn is_under(&self, point: &Vector3<f64>) -> bool {
        self.depth(point.x, point.z) > 0.0 && point.y < self.surface(point.x, point.z) && point.y >= self.bottom(point.x, point.z)
    }

    /// Height of the water in cell (i, j), metres; of the ground where it is dry. None outside, and where a pillar stands.
    pub fn surface_of(&self, cell: [usize; 2]) -> Option<f64> {
        self.open(cell).map(|place| self.surface[place])
    }

    /// Depth of the water in cell (i, j), metres. None outside, and where a pillar stands.
    pub fn depth_of(&self, cell: [usize; 2]) -> Option<f64> {
        self.open(cell).map(|place| self.surface[place] - self.floor[place])
    }

    /// Velocities through the sides of cell (i, j), m/s: along x at its low and high side, along z at its low and high side. None outside.
    pub fn velocities_of(&self, cell: [usize; 2]) -> Option<[[f64; 2]; 2]> {
        let [i, j] = self.inside(cell)?;
        let face = |kept, i, j| self.faces[self.grid.face(kept, i, j)];
        Some([[face(Kept::AlongX, i, j), face(Kept::AlongX, i + 1, j)], [face(Kept::AlongZ, i, j), face(Kept::AlongZ, i, j + 1)]])
    }

    fn inside(&self, cell: [usize; 2]) -> Option<[isize; 2]> {
        (cell[0] < self.grid.cells[0] && cell[1] < self.grid.cells[1]).then(|| cell.map(|k| k as isize))
    }

    fn open(&self, cell: [usize; 2]) -> Option<usize> {
        let [i, j] = self.inside(cell)?;
        Some(self.grid.at(i, j)).filter(|&place| self.bed[place] < SOLID)
    }

    /// A place in cells from the origin.
    pub(super) fn in_cells(&self, x: f64, z: f64) -> [f64; 2] {
        [(x - self.origin[0]) / self.cell, (z - self.origin[1]) / self.cell]
    }

    /// Between the middles of cells; pillars do not count. Where all are pillars it is infinite.
    fn blend(&self, x: f64, z: f64, value: impl Fn(usize) -> f64) -> f64 {
        let [x, z] = self.in_cells(x, z);
        let (across, along) = (taps(x - 0.5, self.grid.cells[0]), taps(z - 0.5, self.grid.cells[1]));
        let (mut sum, mut weight) = (0.0, 0.0);
        for (j, share_z) in along {
            for (i, share_x) in across {
                let place = self.grid.at(i, j);
                if self.bed[place] < SOLID && share_x * share_z > 0.0 {
                    sum += share_x * share_z * value(place);
                    weight += share_x * share_z;
                }
            }
        }
        if weight > 0.0 { sum / weight } else { f64::INFINITY }
    }

    fn flow(&self, kept: Kept, x: f64, z: f64) -> f64 {
        let [nx, nz] = self.grid.cells;
        let counts = if matches!(kept, Kept::AlongX) { [nx + 1, nz] } else { [nx, nz + 1] };
        let (across, along) = (taps(x, counts[0]), taps(z, counts[1]));
        let mut sum = 0.0;
        for (j, share_z) in along {
            for (i, share_x) in across {
                sum += share_x * share_z * self.faces[self.grid.face(kept, i, j)];
            }
        }
        sum
    }
}

/// Two neighbours of `count` along a side, and their weights. A place that is no number is taken as the first.
pub(super) fn taps(place: f64, count: usize) -> [(isize, f64); 2] {
    let last = (count - 1) as f64;
    let place = if place.is_nan() { 0.0 } else { place.clamp(0.0, last) };
    let low = place.floor().min(last - 1.0).max(0.0);
    [(low as isize, 1.0 - (place - low)), (low as isize + 1, place - low)]
}
