//! What the motion happens on: ground with a grid, water, or nothing.

use holonomy::nalgebra::Vector3;

use super::Camera;
use super::ground_shade::GroundShade;
use super::shadow::dot;
use crate::looks::{Color, linear};

/// What the motion happens on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Backdrop {
    /// Level ground with a grid.
    Ground {
        /// Its height, metres; `None`: where the motion is lowest.
        height: Option<f64>,
    },
    /// The surface of water; what is below it is seen through it.
    Water {
        /// Its height, metres; `None`: just above the subject.
        height: Option<f64>,
    },
    /// Nothing: free space.
    None,
}

impl Default for Backdrop {
    fn default() -> Self {
        Backdrop::Ground { height: None }
    }
}

/// Ground or water as the camera sees it (camera axes, distance to the middle of the scene = 1).
#[derive(Debug)]
pub struct Floor {
    water: bool,
    /// World axes in camera axes.
    x: [f32; 3],
    up: [f32; 3],
    z: [f32; 3],
    /// Height over the eye.
    height: f32,
    /// Where the grid is whole, and how far around.
    centre: [f32; 3],
    radius: f32,
    /// Grid lines per unit, and where the eye stands between them.
    per_unit: f32,
    phase: [f32; 2],
    /// Half the width of a grid line, in cells.
    half_line: f32,
    pixel: f32,
    half: [f32; 2],
    ground: [f32; 3],
    line: [f32; 3],
}

/// What a floor is made of.
#[derive(Debug, Clone, Copy)]
pub struct FloorPlan {
    /// Whether it is water.
    pub water: bool,
    /// Height, metres.
    pub height: f64,
    /// Middle of the motion, metres, world.
    pub centre: Vector3<f64>,
    /// Radius of the motion, metres.
    pub radius: f64,
    /// Distance between grid lines, metres.
    pub spacing: f64,
}

const WATER: Color = [0.80, 0.895, 0.93];
const DEEP: Color = [0.71, 0.835, 0.885];

impl Floor {
    /// The floor for a camera; `None` when the camera stands below it.
    pub fn new(plan: &FloorPlan, camera: &Camera, background: Color) -> Option<Floor> {
        let turn = |v: Vector3<f64>| [camera.right.dot(&v) as f32, camera.up.dot(&v) as f32, camera.back.dot(&v) as f32];
        let height = (plan.height - camera.eye.y) / camera.distance;
        if height >= -1e-9 {
            return None;
        }
        let spacing = plan.spacing / camera.distance;
        let [ground, line] =
            if plan.water { [linear(WATER), linear([0.95, 0.985, 0.995])] } else { [linear(background), linear([0.66, 0.68, 0.70])] };
        Some(Floor {
            water: plan.water,
            x: turn(Vector3::x()),
            up: turn(Vector3::y()),
            z: turn(Vector3::z()),
            height: height as f32,
            centre: turn((plan.centre - camera.eye) / camera.distance),
            radius: (plan.radius / camera.distance) as f32,
            per_unit: (1.0 / spacing) as f32,
            phase: [camera.eye.x, camera.eye.z].map(|v| (v / plan.spacing).rem_euclid(1.0) as f32),
            half_line: (0.55 * (camera.size[1] / 720.0).max(1.0) / camera.focal / spacing) as f32,
            pixel: (1.0 / camera.focal) as f32,
            half: [0.5 * camera.size[0] as f32, 0.5 * camera.size[1] as f32],
            ground,
            line,
        })
    }

    /// Colour, linear, of the backdrop seen at a pixel position (nothing in front of it).
    pub fn color(&self, x: f32, y: f32, background: [f32; 3], shadows: &GroundShade) -> [f32; 3] {
        let Some(point) = self.hit(x, y) else { return background };
        let from_centre = [0, 1, 2].map(|i| point[i] - self.centre[i]);
        let (gx, gz) = (dot(self.x, from_centre), dot(self.z, from_centre));
        let far = gx.hypot(gz) / self.radius;
        let near = 1.0 - smooth((far - 0.85) / 0.85);
        if near <= 0.0 {
            return background;
        }
        let right = self.hit(x + 1.0, y).unwrap_or(point);
        let down = self.hit(x, y + 1.0).unwrap_or(point);
        let shade = shadows.at(x, y);
        if self.water {
            self.water_color(point, right, down, near, shade, background)
        } else {
            self.ground_color(point, right, down, near, shade, background)
        }
    }

    fn ground_color(&self, p: [f32; 3], right: [f32; 3], down: [f32; 3], near: f32, shade: f32, background: [f32; 3]) -> [f32; 3] {
        let (at, footprint) = self.cell(p, right, down);
        let grid = grid_cover(at, footprint, self.half_line) * near * 0.62;
        // Shadows are a little cool: the dome that fills them is.
        let tint = [1.0, 0.97, 0.93];
        [0, 1, 2].map(|i| {
            let base = background[i] + (self.ground[i] - background[i]) * near;
            let base = base + (self.line[i] - base) * grid;
            base * (1.0 - 0.80 * shade * near * tint[i])
        })
    }

    /// Water: the grid lies on its bed and is seen through the waves, which bend it and catch the light.
    fn water_color(&self, p: [f32; 3], right: [f32; 3], down: [f32; 3], near: f32, shade: f32, background: [f32; 3]) -> [f32; 3] {
        let (at, footprint) = self.cell(p, right, down);
        let wave = ripples(at, footprint[0].max(footprint[1]));
        let bent = [at[0] + 0.05 * wave[1], at[1] + 0.05 * wave[2]];
        let grid = grid_cover(bent, footprint, 1.6 * self.half_line);
        let glint = 0.5 * grid + 0.5 * wave[0].max(0.0).powi(2);
        [0, 1, 2].map(|i| {
            let water = self.ground[i] * (1.0 + 0.035 * wave[0]);
            let water = water + (self.line[i] - water) * glint.min(1.0);
            background[i] + (water * (1.0 - 0.5 * shade) - background[i]) * near
        })
    }

    /// Position in cells of the grid, and how many cells the pixel spans along each axis.
    fn cell(&self, p: [f32; 3], right: [f32; 3], down: [f32; 3]) -> ([f32; 2], [f32; 2]) {
        let at = |q: [f32; 3]| [dot(self.x, q) * self.per_unit, dot(self.z, q) * self.per_unit];
        let (here, a, b) = (at(p), at(right), at(down));
        ([0, 1].map(|i| here[i] + self.phase[i]), [0, 1].map(|i| (a[i] - here[i]).abs() + (b[i] - here[i]).abs()))
    }

    /// The colour of something at `point`, seen through the water if it is below the surface.
    pub fn through_water(&self, color: [f32; 3], point: [f32; 3]) -> [f32; 3] {
        let level = dot(self.up, point);
        if !self.water || level >= self.height {
            return color;
        }
        let under = dot(point, point).sqrt() * (1.0 - self.height / level);
        let clear = 0.85 * (-under / (2.0 * self.radius)).exp();
        let deep = linear(DEEP);
        [0, 1, 2].map(|i| deep[i] + (color[i] - deep[i]) * clear)
    }

    /// Sine of the angle at which the camera looks down on the floor.
    pub fn slope(&self) -> f32 {
        self.up[2].clamp(0.05, 1.0)
    }

    /// Where the ray through a pixel position meets the floor (camera axes).
    pub fn hit(&self, x: f32, y: f32) -> Option<[f32; 3]> {
        let ray = [(x - self.half[0]) * self.pixel, -(y - self.half[1]) * self.pixel, -1.0];
        let slope = dot(self.up, ray);
        let t = self.height / slope;
        (slope < -1e-6 && t < 60.0).then(|| ray.map(|r| r * t))
    }
}

/// Share of a pixel `footprint` cells wide at position `at` that lies on a grid line (lines stand at whole numbers).
fn line_cover(at: f32, footprint: f32, half_line: f32) -> f32 {
    let footprint = footprint.max(1e-6);
    let distance = (at - at.round()).abs();
    let cover = ((half_line + 0.5 * footprint - distance) / footprint).clamp(0.0, (2.0 * half_line / footprint).min(1.0));
    cover * (1.0 - smooth((footprint - 0.25) / 0.35))
}

/// Share of a pixel that lies on the grid.
fn grid_cover(at: [f32; 2], footprint: [f32; 2], half_line: f32) -> f32 {
    let [x, z] = [0, 1].map(|i| line_cover(at[i], footprint[i], half_line));
    x + z - x * z
}

/// Height and slopes of small waves, about −1 to 1: a few crossing wave trains, each left out where a pixel spans too much of it.
fn ripples(at: [f32; 2], footprint: f32) -> [f32; 3] {
    const TRAINS: [[f32; 3]; 6] =
        [[4.1, 1.7, 0.0], [-2.3, 5.3, 1.3], [7.1, -4.7, 2.1], [2.9, 9.1, 4.0], [-10.3, 5.9, 0.7], [9.3, 11.1, 5.1]];
    let mut sum = [0.0; 3];
    for [kx, kz, start] in TRAINS {
        let length = kx.hypot(kz);
        let clear = 1.0 - smooth((footprint * length - 1.0) / 1.5);
        let (s, c) = (kx * at[0] + kz * at[1] + start + 0.8 * sum[1]).sin_cos();
        let size = clear * 2.2 / length;
        sum = [sum[0] + size * s, sum[1] + size * c * kx / length, sum[2] + size * c * kz / length];
    }
    sum
}

fn smooth(x: f32) -> f32 {
    let x = x.clamp(0.0, 1.0);
    x * x * (3.0 - 2.0 * x)
}
