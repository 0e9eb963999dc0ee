//! The light of a photo studio: a large lamp above the viewer's left shoulder and a white dome, both as a few dozen parallel
//! lights with a shadow map each. Summing them gives soft shadows and ambient occlusion in one, for bodies and ground alike.
//!
//! Brightness is relative to level ground in the open, which has 1.

use std::f64::consts::TAU;

use holonomy::nalgebra::Vector3;
use rayon::prelude::*;

use super::Camera;
use super::scene::Prepared;
use super::shadow::{ShadowMap, dot, normalized};
use super::watch::Watch;

/// The lights and their shadows.
#[derive(Debug)]
pub struct Light {
    lamps: Vec<Lamp>,
    /// World up in camera axes.
    up: [f32; 3],
    /// Towards the middle of the lamp, camera axes.
    key: [f32; 3],
    /// See [`Prepared::overlap`].
    overlap: f32,
}

#[derive(Debug)]
struct Lamp {
    map: ShadowMap,
    /// Brightness it gives a surface square to it.
    power: f32,
}

/// Lights that make up the lamp, and the dome.
const KEY_LIGHTS: usize = 14;
const DOME_LIGHTS: usize = 26;
/// Share of the brightness of open ground that comes from the lamp; the dome gives the rest.
const KEY_SHARE: f64 = 0.5;
/// Angular radius of the lamp, radians.
const KEY_RADIUS: f64 = 0.17;
/// Light from nowhere in particular, and light thrown back by the ground.
const FILL: f32 = 0.07;
const BOUNCE: f32 = 0.30;

impl Light {
    /// Sets up the lights for a scene seen by `camera`; `resolution` is that of the finest shadow maps, texels.
    pub fn new(scene: &Prepared, camera: &Camera, resolution: usize, watch: &Watch) -> Light {
        let up = Vector3::y();
        let level = Vector3::new(-camera.right.z, 0.0, camera.right.x); // towards the viewer
        let key = (up - camera.right * 0.55 + level * 0.30).normalize();
        let mut directions = key_directions(&key);
        directions.extend(dome_directions());
        let level_share = |list: &[Vector3<f64>]| list.iter().map(|d| d.y).sum::<f64>();
        let key_power = KEY_SHARE / level_share(&directions[..KEY_LIGHTS]);
        let dome_power = (1.0 - KEY_SHARE) / level_share(&directions[KEY_LIGHTS..]);
        let turn = |v: &Vector3<f64>| normalized([camera.right.dot(v) as f32, camera.up.dot(v) as f32, camera.back.dot(v) as f32]);
        let lamps = directions
            .par_iter()
            .enumerate()
            .map(|(i, d)| {
                let (power, texels) = if i < KEY_LIGHTS { (key_power, resolution) } else { (dome_power, resolution / 2) };
                Lamp { map: ShadowMap::new(scene, turn(d), texels.max(16), watch), power: power as f32 }
            })
            .collect();
        Light { lamps, up: turn(&up), key: turn(&key), overlap: scene.overlap }
    }

    /// World up, and towards the middle of the lamp, both in camera axes.
    pub fn up_and_key(&self) -> [[f32; 3]; 2] {
        [self.up, self.key]
    }

    /// For each place (point, unit normal), the brightness of a matte surface there and how bright its soft sheen is.
    ///
    /// One light after the other, so that each shadow map is read in one go.
    pub fn on_bodies(&self, places: &[[[f32; 3]; 2]]) -> Vec<[f32; 2]> {
        let mut sums = vec![[0.0; 2]; places.len()];
        for (i, lamp) in self.lamps.iter().enumerate() {
            let lift = 1.6 * lamp.map.texel();
            let slack = self.overlap.max(0.4 * lift);
            let key = if i < KEY_LIGHTS { 1.0 } else { 0.0 };
            for (sum, [point, normal]) in sums.iter_mut().zip(places) {
                let slope = dot(*normal, lamp.map.towards);
                if slope > 0.0 {
                    let from = [0, 1, 2].map(|k| point[k] + normal[k] * lift);
                    let light = lamp.power * slope * (1.0 - lamp.map.shade(from, slack)[0]);
                    sum[0] += light;
                    sum[1] += light * key;
                }
            }
        }
        for (sum, [point, normal]) in sums.iter_mut().zip(places) {
            let view = normalized(point.map(|x| -x));
            let half = normalized([0, 1, 2].map(|k| view[k] + self.key[k]));
            sum[0] = sum[0] * (1.0 - FILL) + FILL + BOUNCE * (0.5 - 0.5 * dot(*normal, self.up)).powi(2);
            sum[1] = dot(*normal, half).max(0.0).powi(20) * sum[1].min(1.0);
        }
        sums
    }

    /// For each point of the level floor, how much darker than in the open it is by the lamp and by the dome, and for each how
    /// far off the things are that shade it (weighted by their shade). The points come in rows of `columns`, evenly spaced in each.
    pub fn on_floor(&self, points: &[Option<[f32; 3]>], columns: usize) -> Vec<[[f32; 2]; 2]> {
        let mut sums = vec![[[0.0; 2]; 2]; points.len()];
        for (i, lamp) in self.lamps.iter().enumerate() {
            let power = lamp.power * dot(self.up, lamp.map.towards);
            let kind = usize::from(i >= KEY_LIGHTS);
            for (sums, points) in sums.chunks_mut(columns).zip(points.chunks(columns)) {
                let (Some(Some(first)), Some(Some(last))) = (points.first(), points.last()) else { continue };
                let reached = lamp.map.reached(*first, *last, points.len());
                for (sum, point) in sums[reached.clone()].iter_mut().zip(points[reached].iter().flatten()) {
                    let [shade, gap] = lamp.map.shade(*point, lamp.map.texel());
                    sum[kind][0] += power * shade;
                    sum[kind][1] += power * gap;
                }
            }
        }
        sums
    }

    /// Angle between neighbouring lights of the lamp and of the dome, radians: a shadow must be blurred by as much to look like one.
    pub fn spacing() -> [f32; 2] {
        [1.8 * KEY_RADIUS as f32 / (KEY_LIGHTS as f32).sqrt(), 2.2 / (DOME_LIGHTS as f32).sqrt()]
    }
}

/// Directions over a disk around `key`, spiralling outwards (Vogel 1979).
fn key_directions(key: &Vector3<f64>) -> Vec<Vector3<f64>> {
    let side = key.cross(&Vector3::x()).normalize();
    let other = key.cross(&side);
    (0..KEY_LIGHTS)
        .map(|i| {
            let radius = KEY_RADIUS * ((i as f64 + 0.5) / KEY_LIGHTS as f64).sqrt();
            let (s, c) = (i as f64 * GOLDEN).sin_cos();
            (key + side * (radius * c) + other * (radius * s)).normalize()
        })
        .collect()
}

/// Directions over the sky, evenly, down to 12 degrees above the horizon.
fn dome_directions() -> Vec<Vector3<f64>> {
    let lowest = 0.2;
    (0..DOME_LIGHTS)
        .map(|i| {
            let y = lowest + (1.0 - lowest) * (i as f64 + 0.5) / DOME_LIGHTS as f64;
            let (s, c) = (i as f64 * GOLDEN).sin_cos();
            Vector3::new((1.0 - y * y).sqrt() * c, y, (1.0 - y * y).sqrt() * s)
        })
        .collect()
}

/// The golden angle, radians.
const GOLDEN: f64 = TAU * 0.381_966_011_250_105;
