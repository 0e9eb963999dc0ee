//! How water looks: it mirrors a pale sky and the lamp, the more the flatter it is seen (Schlick 1994), and hides what lies deep.
//!
//! All in camera axes, with the distance to the middle of the scene as the unit.

use super::light::Light;
use super::shadow::{dot, normalized};

/// Light of the sky overhead and at the horizon, linear.
const ZENITH: [f32; 3] = [0.42, 0.62, 0.80];
const HORIZON: [f32; 3] = [0.90, 0.94, 0.95];
/// Share of light that water mirrors when seen square on. Water itself has 0.02; with more, ripples show.
const MIRRORED: f32 = 0.1;
/// How much brighter its own colour is where it leans towards the lamp, and darker where it leans away.
const RELIEF: f32 = 4.0;
/// How bright the lamp is in the water, and how sharp.
const GLINT: f32 = 0.9;
const SHARP: i32 = 90;
/// Way through water on which two thirds of the light is lost, and how dense it is at least and at most.
const CLEAR: f32 = 0.15;
const DENSITY: [f32; 2] = [0.3, 0.84];

/// How much of the water's own colour is seen at `point`: `flat` is 0 where it is seen square on and 1 along it; `bed` are the places behind it.
pub fn density(point: [f32; 3], flat: f32, bed: impl Iterator<Item = [f32; 3]>) -> f32 {
    let way = |place: [f32; 3]| [0, 1, 2].map(|k| place[k] - point[k]);
    let (sum, count) = bed.fold((0.0, 0.0), |(sum, count), place| (sum + dot(way(place), way(place)).sqrt(), count + 1.0));
    let deep = if count > 0.0 { 1.0 - (-(sum / count) / CLEAR).exp() } else { 1.0 };
    let own = DENSITY[0] + (DENSITY[1] - DENSITY[0]) * deep;
    own + (1.0 - own) * mirrored(flat)
}

/// The colour of a surface of this `albedo` and unit `normal`, linear; `brightness` is that of a matte surface there.
pub fn color(albedo: [f32; 3], normal: [f32; 3], point: [f32; 3], brightness: f32, light: &Light) -> [f32; 3] {
    let [up, key] = light.up_and_key();
    let view = normalized(point.map(|x| -x));
    let facing = dot(normal, view);
    let back = [0, 1, 2].map(|k| 2.0 * facing * normal[k] - view[k]);
    let height = dot(back, up).clamp(0.0, 1.0).sqrt();
    let half = normalized([0, 1, 2].map(|k| view[k] + key[k]));
    let glint = GLINT * dot(normal, half).max(0.0).powi(SHARP) * brightness.min(1.0);
    let share = mirrored(1.0 - facing.abs());
    let relief = (1.0 + RELIEF * (dot(normal, key) - dot(up, key))).clamp(0.3, 2.0);
    [0, 1, 2].map(|k| {
        let sky = HORIZON[k] + (ZENITH[k] - HORIZON[k]) * height;
        albedo[k] * brightness * relief * (1.0 - share) + sky * share + glint
    })
}

/// The share of light that is mirrored.
fn mirrored(flat: f32) -> f32 {
    MIRRORED + (1.0 - MIRRORED) * flat.clamp(0.0, 1.0).powi(5)
}
