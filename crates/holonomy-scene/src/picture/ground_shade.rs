//! The shadows on the floor, at half the picture's resolution, blurred where they come from far above.
//!
//! Lamp and dome are sampled by a few dozen lights, so their shadows are as many hard ones laid over each other. Blurring each
//! by the angle between neighbouring lights times the height of what throws it melts them into one (after Fernando 2005), while
//! shadows at the point of contact stay sharp.

use rayon::prelude::*;

use super::Camera;
use super::backdrop::Floor;
use super::light::Light;

/// How much darker than in the open the floor is.
#[derive(Debug)]
pub struct GroundShade {
    columns: usize,
    rows: usize,
    shade: Vec<f32>,
}

/// Pixels from one entry to the next.
const STEP: f32 = 2.0;

impl GroundShade {
    /// Finds the shadows on all of the floor in view.
    pub fn new(floor: &Floor, light: &Light, camera: &Camera) -> GroundShade {
        let [columns, rows] = camera.size.map(|side| (side / STEP as f64).ceil() as usize + 2);
        // The camera stands level, so that a row of the picture is a straight line of evenly spaced points on the floor.
        let point = |i: usize| floor.hit((i % columns) as f32 * STEP, (i / columns) as f32 * STEP);
        let chunk = 16 * columns;
        let starts: Vec<usize> = (0..columns * rows).step_by(chunk).collect();
        let points: Vec<Option<[f32; 3]>> = (0..columns * rows).map(point).collect();
        let cells: Vec<[[f32; 2]; 2]> =
            starts.par_iter().flat_map(|&i| light.on_floor(&points[i..(i + chunk).min(points.len())], columns)).collect();
        let scale: Vec<f32> = points.iter().map(|p| p.map_or(0.0, |p| camera.focal as f32 / -p[2] / STEP)).collect();
        let mut shade = vec![0.0; columns * rows];
        for kind in 0..2 {
            let field = |k: usize| cells.iter().map(|c| c[kind][k]).collect::<Vec<f32>>();
            let blurred = soften(field(0), field(1), &scale, Light::spacing()[kind], floor.slope(), columns);
            shade.iter_mut().zip(blurred).for_each(|(s, b)| *s += b);
        }
        GroundShade { columns, rows, shade }
    }

    /// Shade at a pixel position: 0 in the open, 1 black.
    #[inline]
    pub fn at(&self, x: f32, y: f32) -> f32 {
        let (x, y) = ((x / STEP).clamp(0.0, (self.columns - 2) as f32), (y / STEP).clamp(0.0, (self.rows - 2) as f32));
        let (column, row) = (x as usize, y as usize);
        let (fx, fy) = (x - column as f32, y - row as f32);
        let at = |c: usize, r: usize| self.shade[r * self.columns + c];
        let top = at(column, row) * (1.0 - fx) + at(column + 1, row) * fx;
        let bottom = at(column, row + 1) * (1.0 - fx) + at(column + 1, row + 1) * fx;
        top * (1.0 - fy) + bottom * fy
    }
}

/// Blurs `shade` by the height of what throws it (`gap`, weighted by shade) times `spacing`; `scale` is cells per unit.
fn soften(shade: Vec<f32>, gap: Vec<f32>, scale: &[f32], spacing: f32, slope: f32, columns: usize) -> Vec<f32> {
    let rows = shade.len() / columns;
    // Heights are known in the shadow only; carry them a little beyond its edge.
    let reach = |_: usize| (columns / 60).max(2) as f32;
    let spread = |field: &[f32]| blur(&blur(field, columns, 1, reach), columns, columns, reach);
    let (weight, gap) = (spread(&shade), spread(&gap));
    let radius: Vec<f32> = (0..shade.len())
        .map(|i| if weight[i] > 1e-6 { (gap[i] / weight[i] * spacing * scale[i]).min(0.08 * (columns + rows) as f32) } else { 0.0 })
        .collect();
    let mut out = shade;
    for _ in 0..2 {
        out = blur(&out, columns, 1, |i| 0.7 * radius[i]);
        out = blur(&out, columns, columns, |i| 0.7 * radius[i] * slope);
    }
    out
}

/// Mean over `radius(i)` cells to either side, along rows (`stride` 1) or columns (`stride` = `columns`); radii may be fractions.
fn blur(field: &[f32], columns: usize, stride: usize, radius: impl Fn(usize) -> f32 + Sync) -> Vec<f32> {
    let rows = field.len() / columns;
    let (lines, length) = if stride == 1 { (rows, columns) } else { (columns, rows) };
    let first = |line: usize| if stride == 1 { line * columns } else { line };
    let done: Vec<Vec<f32>> = (0..lines)
        .into_par_iter()
        .map(|line| {
            let mut sums = Vec::with_capacity(length + 1);
            let mut sum = 0.0_f64;
            sums.push(0.0);
            for k in 0..length {
                sum += field[first(line) + k * stride] as f64;
                sums.push(sum);
            }
            // The integral up to a position; cells are one wide.
            let up_to = |x: f32| {
                let x = x.clamp(0.0, length as f32);
                let k = (x as usize).min(length - 1);
                sums[k] + (sums[k + 1] - sums[k]) * (x - k as f32) as f64
            };
            let mean = |k: usize| {
                let r = 0.5 + radius(first(line) + k * stride);
                let (low, high) = ((k as f32 + 0.5 - r).max(0.0), (k as f32 + 0.5 + r).min(length as f32));
                ((up_to(high) - up_to(low)) / (high - low) as f64) as f32
            };
            (0..length).map(mean).collect()
        })
        .collect();
    let mut out = vec![0.0; field.len()];
    for (line, values) in done.iter().enumerate() {
        values.iter().enumerate().for_each(|(k, v)| out[first(line) + k * stride] = *v);
    }
    out
}
