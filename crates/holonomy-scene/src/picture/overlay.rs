//! What stands on top of the picture: the scale bar and the labels, where they go, and how they are drawn.

use holonomy::nalgebra::Vector3;

use super::Camera;
use super::encode::Picture;
use super::raster::{Rect, Triangle, scan};
use super::text::{Text, quantity, round_down};
use crate::looks::Color;

/// A bar of a round length. It lies where it is drawn: level, across the line of sight, on the floor if there is one.
#[derive(Debug, Clone, PartialEq)]
pub struct ScaleBar {
    /// Its length, metres: 1, 2 or 5 times a power of ten.
    pub length: f64,
    /// Its ends, metres, world.
    pub ends: [Vector3<f64>; 2],
    /// Its ends, pixels.
    pub pixels: [[f64; 2]; 2],
    /// Its length in words.
    pub label: String,
}

/// A piece of text and the rectangle it fills: x, y (top left), width, height, pixels.
#[derive(Debug, Clone, PartialEq)]
pub struct Label {
    /// The text.
    pub text: String,
    /// The rectangle.
    pub area: [f64; 4],
}

const INK: Color = [0.20, 0.22, 0.25];
/// Distances of the floor over that of the scene at which a bar on it still fits the scene.
const NEAR: std::ops::Range<f64> = 0.5..1.5;

/// Height of capitals in a picture of this size, pixels.
pub fn cap_height(size: [f64; 2]) -> f64 {
    (size[1].min(0.75 * size[0]) / 720.0 * 12.5).clamp(8.0, 80.0)
}

/// Whether a picture of this size has room for labels.
pub fn has_room(size: [f64; 2]) -> bool {
    size[0] >= 200.0 && size[1] >= 110.0
}

impl ScaleBar {
    /// A bar for the lower left corner, about a seventh of the picture wide. It lies on the floor
    /// at `floor` (metres) if that is seen from above, about as far away as the scene; else at
    /// the distance of the scene.
    pub fn new(camera: &Camera, floor: Option<f64>) -> ScaleBar {
        let cap = cap_height(camera.size);
        let corner = [2.4 * cap, camera.size[1] - 2.2 * cap];
        let ray = camera.ray(corner[0], corner[1]);
        let below = floor.filter(|height| *height < camera.eye.y);
        let near = |depth: &f64| NEAR.contains(&(depth / camera.distance));
        let on_floor = below.map(|height| (height - camera.eye.y) / ray.y).filter(near);
        let depth = on_floor.unwrap_or(camera.distance);
        let per_metre = camera.pixels_per_metre(depth);
        let length = round_down(0.17 * camera.size[0] / per_metre);
        let start = camera.eye + ray * depth;
        ScaleBar {
            length,
            ends: [start, start + camera.right * length],
            pixels: [corner, [corner[0] + length * per_metre, corner[1]]],
            label: quantity(length, length, "m"),
        }
    }

    /// Draws the bar with its length above it.
    pub fn draw(&self, picture: &mut Picture, background: Color) {
        let cap = cap_height([picture.width as f64, picture.height as f64]);
        let [[x0, y], [x1, _]] = self.pixels;
        let tick = 0.42 * cap;
        let strokes = [[x0, y, x1, y], [x0, y - tick, x0, y + tick], [x1, y - tick, x1, y + tick]];
        draw_strokes(picture, &strokes, 0.085 * cap + 1.6, background, 0.8);
        draw_strokes(picture, &strokes, 0.075 * cap, INK, 0.9);
        let text = Text::new(&self.label, cap);
        draw_text(picture, &text, [0.5 * (x0 + x1 - text.width), y - 0.75 * cap], cap, background);
    }
}

impl Label {
    /// A label whose top left corner is at `at`.
    pub fn new(text: String, at: [f64; 2], cap: f64) -> Label {
        let width = Text::new(&text, cap).width;
        Label { text, area: [at[0], at[1], width, cap] }
    }

    /// Draws it.
    pub fn draw(&self, picture: &mut Picture, background: Color) {
        let [x, y, _, cap] = self.area;
        draw_text(picture, &Text::new(&self.text, cap), [x, y + cap], cap, background);
    }
}

/// A label for each ghost, as near below, beside or above its middle as there is room, and always inside the picture.
///
/// `bodies` are the triangles of what each label belongs to, pixels; `crowd` is all that is drawn.
pub fn place_labels(texts: &[String], bodies: &[Vec<[[f64; 2]; 3]>], crowd: &Crowd, bar: &ScaleBar, size: [f64; 2]) -> Vec<Label> {
    let cap = cap_height(size);
    let mut taken = vec![[bar.pixels[0][0], bar.pixels[0][1] - 2.2 * cap, bar.pixels[1][0] - bar.pixels[0][0], 2.7 * cap]];
    let mut labels = Vec::new();
    for (text, triangles) in texts.iter().zip(bodies) {
        let width = Text::new(text, cap).width;
        let cost = |spot: &([f64; 2], f64)| {
            let area = [spot.0[0], spot.0[1], width, cap];
            let clash = taken.iter().map(|t| common(&grown(area, 0.5 * cap), t)).sum::<f64>() / (width * cap);
            let covered = crowd.share(&grown(area, 0.55 * cap));
            60.0 * clash + 25.0 * covered + spot.1 / cap
        };
        let spots = spots_around(triangles, width, cap, size);
        if let Some((at, _)) = spots.into_iter().min_by(|a, b| cost(a).total_cmp(&cost(b))) {
            let label = Label { text: text.clone(), area: [at[0], at[1], width, cap] };
            taken.push(label.area);
            labels.push(label);
        }
    }
    labels
}

/// Places for a label around a body, all inside the picture, and how far off (pixels) each is; below counts as nearer than above.
fn spots_around(triangles: &[[[f64; 2]; 3]], width: f64, cap: f64, size: [f64; 2]) -> Vec<([f64; 2], f64)> {
    let points = || triangles.iter().flatten();
    let n = points().count().max(1) as f64;
    let middle = points().fold([0.0; 2], |m, p| [m[0] + p[0] / n, m[1] + p[1] / n]);
    let inside = |at: [f64; 2]| [at[0].min(size[0] - width - cap).max(cap), at[1].min(size[1] - 1.8 * cap).max(cap)];
    let mut spots = Vec::new();
    for shift in [0.0, -0.6, 0.6, -1.2, 1.2, -2.0, 2.0] {
        let x = middle[0] + shift * width;
        let near = || points().filter(|p| (p[0] - x).abs() < 0.7 * width).map(|p| p[1]);
        let top = near().fold(middle[1], f64::min) - 1.9 * cap;
        let bottom = near().fold(middle[1], f64::max) + 0.9 * cap;
        for step in 0..14 {
            let away = 0.6 * cap * step as f64;
            let off = away + 0.35 * (shift * width).abs();
            spots.push((inside([x - 0.5 * width, bottom + away]), off));
            spots.push((inside([x - 0.5 * width, top - away]), off + 2.5 * cap));
        }
    }
    let level = || points().filter(|p| (p[1] - middle[1]).abs() < cap).map(|p| p[0]);
    let (left, right) = (level().fold(middle[0], f64::min), level().fold(middle[0], f64::max));
    for step in 0..14 {
        let away = 0.6 * cap * step as f64;
        spots.push((inside([right + 0.9 * cap + away, middle[1] - 0.5 * cap]), away + cap));
        spots.push((inside([left - 0.9 * cap - away - width, middle[1] - 0.5 * cap]), away + 1.5 * cap));
    }
    spots
}

/// How crowded the picture is, in cells of a few pixels.
pub struct Crowd {
    cell: f64,
    columns: usize,
    filled: Vec<bool>,
}

impl Crowd {
    /// Of the triangles of bodies and the lines of paths, pixels.
    pub fn new(bodies: &[Vec<[[f64; 2]; 3]>], paths: &[Vec<[f64; 2]>], size: [f64; 2]) -> Crowd {
        let cell = (size[1] / 180.0).max(1.5);
        let (columns, rows) = ((size[0] / cell).ceil() as usize + 1, (size[1] / cell).ceil() as usize + 1);
        let mut filled = vec![false; columns * rows];
        let clip = Rect { x0: 0, y0: 0, x1: columns as i64, y1: rows as i64 };
        for corners in bodies.iter().flatten() {
            if let Some(triangle) = Triangle::new(corners.map(|p| [p[0] / cell, p[1] / cell, 0.0])) {
                scan(&triangle, clip, |x, y, _| filled[y as usize * columns + x as usize] = true);
            }
        }
        for end in paths.iter().flat_map(|path| path.windows(2)) {
            let steps = ((end[1][0] - end[0][0]).hypot(end[1][1] - end[0][1]) / cell).ceil().clamp(1.0, 10_000.0) as usize;
            for i in 0..=steps {
                let at = [0, 1].map(|k| (end[0][k] + (end[1][k] - end[0][k]) * i as f64 / steps as f64) / cell);
                if at[0] >= 0.0 && at[1] >= 0.0 && (at[0] as usize) < columns && (at[1] as usize) < rows {
                    filled[at[1] as usize * columns + at[0] as usize] = true;
                }
            }
        }
        Crowd { cell, columns, filled }
    }

    /// Share of the cells in an area that bodies fill.
    fn share(&self, area: &[f64; 4]) -> f64 {
        let index = |v: f64| (v.max(0.0) / self.cell) as usize;
        let (mut full, mut all) = (0, 0);
        for row in index(area[1])..=index(area[1] + area[3]) {
            for column in index(area[0])..=index(area[0] + area[2]).min(self.columns - 1) {
                all += 1;
                full += usize::from(self.filled.get(row * self.columns + column).copied().unwrap_or(false));
            }
        }
        full as f64 / f64::from(all.max(1))
    }
}

fn grown([x, y, w, h]: [f64; 4], by: f64) -> [f64; 4] {
    [x - by, y - by, w + 2.0 * by, h + 2.0 * by]
}

/// Area two rectangles share.
fn common(a: &[f64; 4], b: &[f64; 4]) -> f64 {
    let side = |i: usize| ((a[i] + a[i + 2]).min(b[i] + b[i + 2]) - a[i].max(b[i])).max(0.0);
    side(0) * side(1)
}

/// Draws text with its line starting at `at`, with a halo that keeps it legible over anything.
fn draw_text(picture: &mut Picture, text: &Text, at: [f64; 2], cap: f64, background: Color) {
    let strokes: Vec<[f64; 4]> = text.strokes.iter().map(|s| [s[0] + at[0], s[1] + at[1], s[2] + at[0], s[3] + at[1]]).collect();
    draw_strokes(picture, &strokes, 0.068 * cap + 0.16 * cap + 0.6, background, 0.8);
    draw_strokes(picture, &strokes, 0.068 * cap, INK, 1.0);
}

/// Draws round-ended strokes, anti-aliased by their distance to each pixel.
fn draw_strokes(picture: &mut Picture, strokes: &[[f64; 4]], half_width: f64, color: Color, opacity: f64) {
    let reach = half_width + 1.0;
    let (width, height) = (picture.width as f64, picture.height as f64);
    let (mut low, mut high) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
    for s in strokes {
        low = [low[0].min(s[0].min(s[2])), low[1].min(s[1].min(s[3]))];
        high = [high[0].max(s[0].max(s[2])), high[1].max(s[1].max(s[3]))];
    }
    let clip = |v: f64, limit: f64| v.clamp(0.0, limit) as usize;
    let (x0, x1) = (clip(low[0] - reach, width), clip((high[0] + reach).ceil(), width));
    let (y0, y1) = (clip(low[1] - reach, height), clip((high[1] + reach).ceil(), height));
    if x0 >= x1 || y0 >= y1 {
        return;
    }
    let mut cover = vec![0.0_f64; (x1 - x0) * (y1 - y0)];
    for s in strokes {
        let columns = clip(s[0].min(s[2]) - reach, width).max(x0)..clip((s[0].max(s[2]) + reach).ceil(), width).min(x1);
        for y in clip(s[1].min(s[3]) - reach, height).max(y0)..clip((s[1].max(s[3]) + reach).ceil(), height).min(y1) {
            for x in columns.clone() {
                let c = &mut cover[(y - y0) * (x1 - x0) + x - x0];
                *c = c.max((half_width + 0.5 - distance(s, x as f64 + 0.5, y as f64 + 0.5)).clamp(0.0, 1.0));
            }
        }
    }
    for (i, c) in cover.iter().enumerate().filter(|(_, c)| **c > 0.0) {
        let at = ((y0 + i / (x1 - x0)) * picture.width as usize + x0 + i % (x1 - x0)) * 4;
        for k in 0..3 {
            let old = picture.pixels[at + k] as f64;
            picture.pixels[at + k] = (old + (color[k] * 255.0 - old) * c * opacity).round() as u8;
        }
    }
}

/// Distance from a point to a stroke.
fn distance(s: &[f64; 4], x: f64, y: f64) -> f64 {
    let (dx, dy) = (s[2] - s[0], s[3] - s[1]);
    let square = dx * dx + dy * dy;
    let t = if square > 0.0 { (((x - s[0]) * dx + (y - s[1]) * dy) / square).clamp(0.0, 1.0) } else { 0.0 };
    (x - s[0] - t * dx).hypot(y - s[1] - t * dy)
}
