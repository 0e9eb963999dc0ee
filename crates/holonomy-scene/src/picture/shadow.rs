//! A shadow map: how near the light the nearest thing is, under parallel light (Williams 1978), compared after the fact and
//! blended between texels (Reeves 1987).

use std::ops::Range;

use super::raster::{Rect, Triangle, scan};
use super::scene::{Matter, Prepared};
use super::watch::{AT_A_TIME, Watch};

/// The shadows of one parallel light.
#[derive(Debug)]
pub struct ShadowMap {
    /// Unit vector towards the light, camera axes.
    pub towards: [f32; 3],
    across: [f32; 3],
    along: [f32; 3],
    low: [f32; 2],
    texels_per_unit: f32,
    size: [usize; 2],
    /// Height towards the light of the nearest thing; its last bits say how dense its shadow is (see [`pack`]).
    nearest: Vec<f32>,
}

impl ShadowMap {
    /// Draws everything that throws shadows as the light sees it, `resolution` texels along the
    /// longer side; if it is stopped, a part.
    pub fn new(scene: &Prepared, towards: [f32; 3], resolution: usize, watch: &Watch) -> ShadowMap {
        let helper = if towards[0].abs() < 0.8 { [1.0, 0.0, 0.0] } else { [0.0, 1.0, 0.0] };
        let across = normalized(cross(helper, towards));
        let along = cross(towards, across);
        let spots: Vec<[f32; 3]> = scene.position.iter().map(|p| [dot(across, *p), dot(along, *p), dot(towards, *p)]).collect();
        let (low, high) = bounds(scene, &spots, [-across[2], -along[2]]);
        let span = (high[0] - low[0]).max(high[1] - low[1]).max(1e-6);
        let texels_per_unit = resolution as f32 / span;
        let size = [0, 1].map(|i| ((high[i] - low[i]) * texels_per_unit).ceil() as usize + 3);
        let low = low.map(|x| x - 1.5 / texels_per_unit);
        let mut map = ShadowMap { towards, across, along, low, texels_per_unit, size, nearest: vec![NOTHING; size[0] * size[1]] };
        map.draw(scene, &spots, watch);
        map
    }

    fn draw(&mut self, scene: &Prepared, spots: &[[f32; 3]], watch: &Watch) {
        let clip = Rect { x0: 0, y0: 0, x1: self.size[0] as i64, y1: self.size[1] as i64 };
        let (low, scale, width) = (self.low, self.texels_per_unit, self.size[0]);
        for (i, (t, part)) in scene.triangles.iter().zip(&scene.part_of).enumerate() {
            if i.is_multiple_of(AT_A_TIME) && watch.stops() {
                return;
            }
            let part = scene.parts[*part as usize];
            if !part.matter.throws_shadows() {
                continue;
            }
            let corners = t.map(|v| {
                let s = spots[v as usize];
                [((s[0] - low[0]) * scale) as f64, ((s[1] - low[1]) * scale) as f64, s[2] as f64]
            });
            if between_samples(&corners) {
                continue;
            }
            let Some(triangle) = Triangle::new(corners) else { continue };
            scan(&triangle, clip, |x, y, height| {
                let texel = &mut self.nearest[y as usize * width + x as usize];
                if height > *texel {
                    *texel = pack(height, part.presence);
                }
            });
        }
    }

    /// Length of one texel.
    pub fn texel(&self) -> f32 {
        1.0 / self.texels_per_unit
    }

    /// Where a point lies among the middles of the texels.
    #[inline]
    fn place(&self, point: [f32; 3]) -> [f32; 2] {
        [
            (dot(self.across, point) - self.low[0]) * self.texels_per_unit - 0.5,
            (dot(self.along, point) - self.low[1]) * self.texels_per_unit - 0.5,
        ]
    }

    /// Of `count` points evenly spaced from `first` to `last`, those that may be shaded. The map's own margin makes up for rounding.
    pub fn reached(&self, first: [f32; 3], last: [f32; 3], count: usize) -> Range<usize> {
        let (first, last) = (self.place(first), self.place(last));
        let (mut from, mut to) = (0.0_f32, count as f32);
        for i in 0..2 {
            let (slope, end) = ((last[i] - first[i]) / count.saturating_sub(1).max(1) as f32, self.size[i] as f32);
            if slope == 0.0 && !(0.0..end).contains(&first[i]) {
                return 0..0;
            }
            if slope != 0.0 {
                let (a, b) = (-first[i] / slope, (end - first[i]) / slope);
                (from, to) = (from.max(a.min(b)), to.min(a.max(b)));
            }
        }
        let end = ((to + 2.0).max(0.0) as usize).min(count);
        ((from - 1.0).max(0.0) as usize).min(end)..end
    }

    /// How dark the shadow on `point` is, 0 to 1, and how far towards the light the things that throw it are (weighted by their
    /// shade); `slack` is how far above it a thing must be to shade it.
    #[inline]
    pub fn shade(&self, point: [f32; 3], slack: f32) -> [f32; 2] {
        let [x, y] = self.place(point);
        if !(x >= 0.0 && y >= 0.0 && x < (self.size[0] - 1) as f32 && y < (self.size[1] - 1) as f32) {
            return [0.0; 2];
        }
        let (column, row) = (x as usize, y as usize);
        let (fx, fy) = (x - column as f32, y - row as f32);
        let height = dot(self.towards, point) + slack;
        let at = row * self.size[0] + column;
        let rows = [&self.nearest[at..at + 2], &self.nearest[at + self.size[0]..at + self.size[0] + 2]];
        let mut sum = [0.0; 2];
        for (texels, wy) in rows.into_iter().zip([1.0 - fy, fy]) {
            for (&texel, wx) in texels.iter().zip([1.0 - fx, fx]) {
                if texel > height {
                    let shade = density(texel) * wx * wy;
                    sum[0] += shade;
                    sum[1] += shade * (texel - height);
                }
            }
        }
        sum
    }
}

/// Whether a triangle is so small that it slips between the samples, as most do in a fine mesh.
fn between_samples(corners: &[[f64; 3]; 3]) -> bool {
    // Shifted to be positive, since cutting off is much faster than rounding down; what is farther off is not in the map.
    const SHIFT: f64 = (1 << 20) as f64;
    let slips = |i: usize| {
        let [a, b, c] = corners.map(|corner| (corner[i] + (SHIFT + 0.5)) as i32);
        a == b && b == c
    };
    slips(0) || slips(1)
}

/// A texel that no thing covers.
const NOTHING: f32 = f32::MIN;
/// Bits of a texel that hold the density of the shadow.
const DENSITY: u32 = 31;

/// A height with the density of its shadow (0 to 1) in its last bits, which stand for less than a hundredth of a texel.
fn pack(height: f32, density: f32) -> f32 {
    f32::from_bits(height.to_bits() & !DENSITY | (density * DENSITY as f32 + 0.5) as u32)
}

fn density(texel: f32) -> f32 {
    (texel.to_bits() & DENSITY) as f32 / DENSITY as f32
}

/// How far around the middle of the picture scenery throws shadows; the picture shows 0.35 to either side.
const SHADED: f32 = 0.7;

/// The box around everything that throws shadows; of scenery, what is near the middle.
fn bounds(scene: &Prepared, spots: &[[f32; 3]], middle: [f32; 2]) -> ([f32; 2], [f32; 2]) {
    let (mut low, mut high) = ([f32::MAX; 2], [f32::MIN; 2]);
    for (t, part) in scene.triangles.iter().zip(&scene.part_of) {
        let matter = scene.parts[*part as usize].matter;
        if matter.throws_shadows() {
            for &v in t {
                let s = spots[v as usize];
                let s =
                    if matter == Matter::Fixed { [0, 1].map(|i| s[i].clamp(middle[i] - SHADED, middle[i] + SHADED)) } else { [s[0], s[1]] };
                for i in 0..2 {
                    low[i] = low[i].min(s[i]);
                    high[i] = high[i].max(s[i]);
                }
            }
        }
    }
    if low[0] <= high[0] { (low, high) } else { ([0.0; 2], [0.0; 2]) }
}

pub(crate) fn dot(a: [f32; 3], b: [f32; 3]) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub(crate) fn cross(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

pub(crate) fn normalized(v: [f32; 3]) -> [f32; 3] {
    let l = dot(v, v).sqrt();
    if l > 0.0 { v.map(|x| x / l) } else { [0.0, 0.0, 1.0] }
}
