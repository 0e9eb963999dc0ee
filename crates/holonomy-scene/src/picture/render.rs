//! From triangles to pixels: each sample finds the nearest triangle, each pixel shades the few distinct surfaces among its
//! samples once, and the samples are averaged in linear light.
//!
//! The picture is made in bands of rows, each on its own: any number of threads gives the same bytes.

use rayon::prelude::*;

use super::backdrop::Floor;
use super::encode::Picture;
use super::ground_shade::GroundShade;
use super::light::Light;
use super::raster::{Rect, Triangle, scan};
use super::scene::{Matter, Prepared};
use super::shadow::{cross, dot, normalized};
use super::watch::{AT_A_TIME, Watch};
use super::water;
use super::{Camera, to_byte};
use crate::looks::scenery::GOAL_OPACITY;
use crate::looks::{Color, linear};

/// Rows of pixels in a band.
const BAND: usize = 16;
/// Triangles nearer to the eye than this share of the distance to the scene are left out.
const NEAREST: f32 = 0.02;
/// How bright the soft sheen is.
const SHEEN: f32 = 0.10;

/// Draws the scene with `samples` × `samples` samples a pixel; if it is stopped, the rest stays
/// white.
pub(super) fn render(
    scene: &Prepared,
    camera: &Camera,
    floor: Option<&Floor>,
    light: &Light,
    (background, samples): (Color, usize),
    watch: &Watch,
) -> Picture {
    let (width, height) = (camera.size[0] as usize, camera.size[1] as usize);
    let shadows = floor.map(|floor| GroundShade::new(floor, light, camera));
    let floor = floor.zip(shadows.as_ref());
    let view = Frame { scene, floor, light, background: linear(background), focal: camera.focal as f32, width, height, samples };
    let triangles = view.place_triangles();
    let bins = view.bin(&triangles);
    let bytes = byte_table();
    let mut pixels = vec![255; width * height * 4];
    pixels.par_chunks_mut(width * BAND * 4).zip(bins.par_iter()).enumerate().for_each(|(band, (pixels, bin))| {
        view.draw_band(band * BAND, bin, (&triangles, &bytes), pixels, watch);
    });
    Picture { width: width as u32, height: height as u32, pixels }
}

struct Frame<'a> {
    scene: &'a Prepared,
    floor: Option<(&'a Floor, &'a GroundShade)>,
    light: &'a Light,
    background: [f32; 3],
    focal: f32,
    width: usize,
    height: usize,
    samples: usize,
}

/// Samples of a pixel that see the same smooth piece of surface, averaged.
#[derive(Clone, Copy)]
struct Surface {
    part: u32,
    count: f32,
    point: [f32; 3],
    normal: [f32; 3],
    albedo: [f32; 3],
}

/// What the pixels of a band see, shaded.
struct Layer {
    surfaces: Vec<Surface>,
    /// Linear.
    colors: Vec<[f32; 3]>,
    /// The first surface of each pixel, and one past the last.
    first: Vec<usize>,
}

impl Layer {
    /// The surfaces of pixel `i`, with their colours.
    fn of(&self, i: usize) -> impl Iterator<Item = (&Surface, &[f32; 3])> {
        let here = self.first[i]..self.first[i + 1];
        self.surfaces[here.clone()].iter().zip(&self.colors[here])
    }
}

/// How dense a veil is, seen square on.
const VEIL: f32 = GOAL_OPACITY as f32;
const NONE: u32 = u32::MAX;

impl Frame<'_> {
    /// Each triangle on the grid of samples, with 1/depth as its quantity.
    fn place_triangles(&self) -> Vec<Option<Triangle>> {
        let s = self.samples as f64;
        let (cx, cy) = (0.5 * self.width as f64 * s, 0.5 * self.height as f64 * s);
        let place = |v: u32, ahead: f64| {
            let [x, y, z] = self.scene.position[v as usize].map(f64::from);
            let scale = self.focal as f64 * s / -z;
            [cx + x * scale, cy - y * scale, (1.0 + ahead) / -z]
        };
        let ahead_of = |part: u32| f64::from(self.scene.parts[part as usize].ahead);
        let seen = |t: &[u32; 3]| t.iter().all(|&v| self.scene.position[v as usize][2] < -NEAREST);
        let triangles = self.scene.triangles.par_iter().zip(&self.scene.part_of);
        triangles.map(|(t, &part)| seen(t).then(|| Triangle::new(t.map(|v| place(v, ahead_of(part))))).flatten()).collect()
    }

    /// For each band, the triangles that may touch it, in order.
    fn bin(&self, triangles: &[Option<Triangle>]) -> Vec<Vec<u32>> {
        let bands = self.height.div_ceil(BAND);
        let rows = (BAND * self.samples) as i64;
        let mut bins = vec![Vec::new(); bands];
        for (i, triangle) in triangles.iter().enumerate() {
            let Some(triangle) = triangle else { continue };
            let (top, bottom) = triangle.rows();
            let first = top.div_euclid(rows).max(0);
            let last = (bottom - 1).div_euclid(rows).min(bands as i64 - 1);
            (first..=last).for_each(|band| bins[band as usize].push(i as u32));
        }
        bins
    }

    fn draw_band(&self, top: usize, bin: &[u32], (triangles, bytes): (&[Option<Triangle>], &[u8]), pixels: &mut [u8], watch: &Watch) {
        let columns = self.width * self.samples;
        let rows = pixels.len() / 4 / self.width * self.samples;
        let y0 = (top * self.samples) as i64;
        let clip = Rect { x0: 0, y0, x1: columns as i64, y1: y0 + rows as i64 };
        let mut nearest = vec![(0.0_f32, NONE); columns * rows];
        let put = |i: u32, nearest: &mut [(f32, u32)]| {
            let Some(triangle) = &triangles[i as usize] else { return };
            scan(triangle, clip, |x, y, inverse_depth| {
                let seen = &mut nearest[(y - y0) as usize * columns + x as usize];
                if inverse_depth > seen.0 {
                    *seen = (inverse_depth, i);
                }
            });
        };
        let is_veil = |i: &u32| self.scene.parts[self.scene.part_of[*i as usize] as usize].matter.is_clear();
        for some in bin.chunks(AT_A_TIME) {
            if watch.stops() {
                return;
            }
            some.iter().filter(|i| !is_veil(i)).for_each(|&i| put(i, &mut nearest));
        }
        let solid = self.layer(top, &nearest, columns);
        // Of what is translucent, the nearest that is not hidden.
        let veil = bin.iter().any(is_veil).then(|| {
            nearest.iter_mut().for_each(|seen| seen.1 = NONE);
            bin.iter().filter(|i| is_veil(i)).for_each(|&i| put(i, &mut nearest));
            self.layer(top, &nearest, columns)
        });
        for (i, pixel) in pixels.chunks_exact_mut(4).enumerate() {
            let mut color = self.pixel(i % self.width, top + i / self.width, &solid, i);
            if let Some(veil) = &veil {
                color = self.veiled(color, veil, &solid, i);
            }
            for k in 0..3 {
                pixel[k] = bytes[(color[k].clamp(0.0, 1.0) * (bytes.len() - 1) as f32 + 0.5) as usize];
            }
        }
    }

    /// The surfaces of a band, shaded; `nearest` has the triangle that each sample sees.
    fn layer(&self, top: usize, nearest: &[(f32, u32)], columns: usize) -> Layer {
        let pixels = nearest.len() / (self.samples * self.samples);
        let (mut surfaces, mut first) = (Vec::new(), Vec::with_capacity(pixels + 1));
        for i in 0..pixels {
            first.push(surfaces.len());
            self.find_surfaces(i % self.width, i / self.width, top, nearest, columns, &mut surfaces);
        }
        first.push(surfaces.len());
        Layer { colors: self.shade(&surfaces), surfaces, first }
    }

    /// Adds the surfaces that the samples of a pixel see. A triangle is looked at once, in the middle of the samples that see it.
    fn find_surfaces(&self, x: usize, y: usize, top: usize, nearest: &[(f32, u32)], columns: usize, surfaces: &mut Vec<Surface>) {
        let s = self.samples;
        let first = surfaces.len();
        let seen = |k: usize| nearest[(y * s + k / s) * columns + x * s + k % s].1;
        for k in 0..s * s {
            let triangle = seen(k);
            if triangle == NONE || (0..k).any(|before| seen(before) == triangle) {
                continue;
            }
            let (mut count, mut dx, mut dy) = (0.0, 0.0, 0.0);
            for same in (k..s * s).filter(|&same| seen(same) == triangle) {
                (count, dx, dy) = (count + 1.0, dx + (same % s) as f32, dy + (same / s) as f32);
            }
            let at = |pixel: usize, sum: f32| pixel as f32 + (sum / count + 0.5) / s as f32;
            self.gather(surfaces, first, Surface { count, ..self.fetch(triangle, at(x, dx), at(top + y, dy)) });
        }
    }

    /// The colour of a pixel, linear: its surfaces, and what is behind them where samples see none.
    fn pixel(&self, x: usize, y: usize, layer: &Layer, i: usize) -> [f32; 3] {
        let samples = (self.samples * self.samples) as f32;
        let empty = samples - layer.of(i).map(|(s, _)| s.count).sum::<f32>();
        let mut sum = [0.0; 3];
        if empty > 0.5 {
            let (px, py) = (x as f32 + 0.5, y as f32 + 0.5);
            let behind = self.floor.map_or(self.background, |(floor, shadows)| floor.color(px, py, self.background, shadows));
            sum = behind.map(|c| c * empty);
        }
        for (surface, color) in layer.of(i) {
            (0..3).for_each(|k| sum[k] += color[k] * surface.count);
        }
        sum.map(|c| c / samples)
    }

    /// A colour seen through the veil at pixel `i`, which is denser where it is seen at a flat angle, as glass is; water also where it is deep.
    fn veiled(&self, behind: [f32; 3], veil: &Layer, solid: &Layer, i: usize) -> [f32; 3] {
        let mut color = behind;
        for (surface, own) in veil.of(i) {
            let flat = 1.0 - dot(normalized(surface.normal), normalized(surface.point)).abs();
            let dense = match self.scene.parts[surface.part as usize].matter {
                Matter::Water => water::density(surface.point, flat, solid.of(i).map(|(bed, _)| bed.point)),
                _ => VEIL * (0.75 + 0.9 * flat * flat),
            };
            let share = dense * surface.count / (self.samples * self.samples) as f32;
            (0..3).for_each(|k| color[k] += (own[k] - behind[k]) * share);
        }
        color
    }

    /// What a sample at a pixel position sees of a triangle: perspective-correct, by the volumes the ray cuts off.
    fn fetch(&self, triangle: u32, x: f32, y: f32) -> Surface {
        let corners = self.scene.triangles[triangle as usize].map(|v| v as usize);
        let position = corners.map(|v| self.scene.position[v]);
        let ray = [(x - 0.5 * self.width as f32) / self.focal, (0.5 * self.height as f32 - y) / self.focal, -1.0].map(f64::from);
        let wide = position.map(|p| p.map(f64::from));
        let volume = |a: [f64; 3], b: [f64; 3]| {
            ray[0] * (a[1] * b[2] - a[2] * b[1]) + ray[1] * (a[2] * b[0] - a[0] * b[2]) + ray[2] * (a[0] * b[1] - a[1] * b[0])
        };
        let volumes = [volume(wide[1], wide[2]), volume(wide[2], wide[0]), volume(wide[0], wide[1])];
        let all = volumes[0] + volumes[1] + volumes[2];
        let weight = if all != 0.0 { volumes.map(|v| (v / all).clamp(0.0, 1.0) as f32) } else { [1.0 / 3.0; 3] };
        let total = weight[0] + weight[1] + weight[2];
        let mix = |of: &[[f32; 3]]| [0, 1, 2].map(|k| (0..3).map(|c| of[corners[c]][k] * weight[c]).sum::<f32>() / total);
        let point = mix(&self.scene.position);
        let mut normal = normalized(mix(&self.scene.normal));
        // Turn the normal to the side that is seen; the flat triangle decides which that is.
        let flat = cross(sub(position[1], position[0]), sub(position[2], position[0]));
        if dot(flat, normal) * dot(flat, point) > 0.0 {
            normal = normal.map(|n| -n);
        }
        Surface { part: self.scene.part_of[triangle as usize], count: 1.0, point, normal, albedo: mix(&self.scene.albedo) }
    }

    /// Adds samples to the surface of their pixel that they continue (those from `first` on), or starts a new one.
    fn gather(&self, surfaces: &mut Vec<Surface>, first: usize, sample: Surface) {
        let apart = 4.0 * sample.point[2].abs() / self.focal;
        for surface in &mut surfaces[first..] {
            let offset = sub(surface.point, sample.point);
            if surface.part == sample.part && dot(surface.normal, sample.normal) > 0.8 && dot(offset, offset) < apart * apart {
                let share = sample.count / (surface.count + sample.count);
                for k in 0..3 {
                    surface.point[k] += (sample.point[k] - surface.point[k]) * share;
                    surface.albedo[k] += (sample.albedo[k] - surface.albedo[k]) * share;
                    surface.normal[k] += (sample.normal[k] - surface.normal[k]) * share;
                }
                surface.count += sample.count;
                return;
            }
        }
        surfaces.push(sample);
    }

    /// The colours of surfaces, linear.
    fn shade(&self, surfaces: &[Surface]) -> Vec<[f32; 3]> {
        let places: Vec<[[f32; 3]; 2]> = surfaces.iter().map(|s| [s.point, normalized(s.normal)]).collect();
        let lights = self.light.on_bodies(&places);
        let color = |(surface, [brightness, sheen]): (&Surface, &[f32; 2])| {
            let part = self.scene.parts[surface.part as usize];
            let mut color = surface.albedo;
            if part.matter == Matter::Water {
                return water::color(color, normalized(surface.normal), surface.point, *brightness, self.light);
            }
            if part.matter.is_lit() {
                color = color.map(|c| c * brightness + SHEEN * sheen * part.presence * (1.0 - c));
            }
            self.floor.map_or(color, |(floor, _)| floor.through_water(color, surface.point))
        };
        surfaces.iter().zip(&lights).map(color).collect()
    }
}

fn sub(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// sRGB bytes for evenly spaced linear values.
fn byte_table() -> Vec<u8> {
    const FINE: usize = 1 << 14;
    (0..FINE).map(|i| to_byte(i as f32 / (FINE - 1) as f32)).collect()
}
