//! The camera: where it looks from, and how it frames a whole motion by itself.
//!
//! A pinhole with a long lens. For a given direction of view the nearest eye that sees every point inside the margins has a
//! closed form: each side of the view pyramid is a plane of known slope pushed out until it touches the points.

use std::f64::consts::{FRAC_PI_2, PI};

use holonomy::nalgebra::Vector3;
use holonomy::shape::bounds;

use super::mesh::unit;

/// Where to look from.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum View {
    /// Three-quarter view from above, turned so that the motion runs across the picture.
    #[default]
    Auto,
    /// From +Z, level.
    Front,
    /// From +X, level.
    Side,
    /// Straight down, turned so that the motion runs across the picture.
    Top,
    /// From a direction, radians.
    Orbit {
        /// Around +Y from +Z towards +X.
        azimuth: f64,
        /// Above the horizon, up to ±π/2.
        elevation: f64,
    },
}

/// A pinhole camera. Pixels: x to the right, y down, the centre of the top left pixel at (0.5, 0.5).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Camera {
    /// Where it stands, metres, world.
    pub eye: Vector3<f64>,
    /// Unit vector to the right of the picture, world.
    pub right: Vector3<f64>,
    /// Unit vector up the picture, world.
    pub up: Vector3<f64>,
    /// Unit vector from the scene towards the eye, world.
    pub back: Vector3<f64>,
    /// Pixels for one unit of tangent.
    pub focal: f64,
    /// Width and height of the picture, pixels.
    pub size: [f64; 2],
    /// Depth at which the middle of the scene stands, metres.
    pub distance: f64,
}

/// Pixels kept free at each side.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Margins {
    /// Left.
    pub left: f64,
    /// Right.
    pub right: f64,
    /// Top.
    pub top: f64,
    /// Bottom.
    pub bottom: f64,
}

/// Focal length over the longer side of the picture: a long lens, so that sizes compare across the picture.
pub(super) const LENS: f64 = 1.45;
/// The same for what stands in a row and is to be seen from one side, wherever it stands.
pub(super) const LONG_LENS: f64 = 12.0;
/// Travel that says nothing of where the body is bound, beside half the scene's largest side.
const NO_TRAVEL: f64 = 1e-3;
/// How far the path runs out of the picture plane towards the viewer in the automatic view, radians.
pub(super) const SLANT: f64 = 0.40;

impl Camera {
    /// The nearest camera that looks from (`azimuth`, `elevation`) and has every point inside the margins.
    pub fn framing(points: &[Vector3<f64>], angles: (f64, f64), size: [f64; 2], margins: Margins) -> Camera {
        Camera::through(LENS, points, angles, size, margins)
    }

    /// The same through a lens of that focal length over the longer side of the picture.
    pub fn through(lens: f64, points: &[Vector3<f64>], (azimuth, elevation): (f64, f64), size: [f64; 2], margins: Margins) -> Camera {
        let (right, up, back) = axes(azimuth, elevation);
        let (centre, reach) = middle(points);
        let focal = lens * size[0].max(size[1]);
        let tangent = |margin: f64, side: f64| (0.5 * side - margin).max(0.05 * side) / focal;
        let (left_t, right_t) = (tangent(margins.left, size[0]), tangent(margins.right, size[0]));
        let (top_t, bottom_t) = (tangent(margins.top, size[1]), tangent(margins.bottom, size[1]));
        // Largest offset of the four planes over the points; in the camera's axes, from the centre.
        let mut offset = [f64::NEG_INFINITY; 4];
        let mut nearest = f64::NEG_INFINITY;
        for p in points {
            let q = p - centre;
            let (x, y, z) = (right.dot(&q), up.dot(&q), back.dot(&q));
            let planes = [x + right_t * z, -x + left_t * z, y + top_t * z, -y + bottom_t * z];
            offset.iter_mut().zip(planes).for_each(|(o, plane)| *o = o.max(plane));
            nearest = nearest.max(z);
        }
        let depth = [(offset[0] + offset[1]) / (right_t + left_t), (offset[2] + offset[3]) / (top_t + bottom_t), nearest + 0.5 * reach];
        let z = depth.into_iter().fold(0.0, f64::max);
        let x = 0.5 * ((offset[0] - right_t * z) + (left_t * z - offset[1]));
        let y = 0.5 * ((offset[2] - top_t * z) + (bottom_t * z - offset[3]));
        Camera { eye: centre + right * x + up * y + back * z, right, up, back, focal, size, distance: z }
    }

    /// Pixel position and depth (metres along the line of sight) of a point.
    pub fn project(&self, point: &Vector3<f64>) -> [f64; 3] {
        let q = point - self.eye;
        let depth = -self.back.dot(&q);
        let scale = self.focal / depth;
        [0.5 * self.size[0] + scale * self.right.dot(&q), 0.5 * self.size[1] - scale * self.up.dot(&q), depth]
    }

    /// Direction of the ray through a pixel position, world, with depth 1.
    pub fn ray(&self, x: f64, y: f64) -> Vector3<f64> {
        self.right * ((x - 0.5 * self.size[0]) / self.focal) - self.up * ((y - 0.5 * self.size[1]) / self.focal) - self.back
    }

    /// Pixels of one metre at `depth`.
    pub fn pixels_per_metre(&self, depth: f64) -> f64 {
        self.focal / depth
    }
}

impl View {
    /// Azimuth and elevation, radians, for a scene of these points whose subject moved by `travel` in all.
    pub fn angles(self, points: &[Vector3<f64>], travel: &Vector3<f64>) -> (f64, f64) {
        match self {
            View::Front => (0.0, 0.0),
            View::Side => (FRAC_PI_2, 0.0),
            View::Orbit { azimuth, elevation } => (azimuth, elevation.clamp(-FRAC_PI_2, FRAC_PI_2)),
            View::Top => (heading(points, travel).unwrap_or(FRAC_PI_2) - FRAC_PI_2, FRAC_PI_2),
            View::Auto => {
                let (flat, tall) = spans(points);
                let lift = 0.68 - 0.5 * (tall / (flat + tall)).clamp(0.0, 1.0).powf(0.7);
                (heading(points, travel).map_or(0.6, |h| h - FRAC_PI_2 + SLANT), lift)
            }
        }
    }
}

/// Right, up and back axes of a camera that looks from this direction; right is always level.
fn axes(azimuth: f64, elevation: f64) -> (Vector3<f64>, Vector3<f64>, Vector3<f64>) {
    let ((sa, ca), (se, ce)) = (azimuth.sin_cos(), elevation.sin_cos());
    let back = Vector3::new(sa * ce, se, ca * ce);
    let right = Vector3::new(ca, 0.0, -sa);
    (right, back.cross(&right), back)
}

/// Middle of the box around the points and half its largest side; never zero, so that one point can be framed too.
pub(crate) fn middle(points: &[Vector3<f64>]) -> (Vector3<f64>, f64) {
    let Some((low, high)) = bounds(points) else { return (Vector3::zeros(), 1.0) };
    let centre = low * 0.5 + high * 0.5;
    let half = (high * 0.5 - low * 0.5).amax();
    let noise = 1e-9 * centre.amax();
    (centre, if half > noise { half } else { noise.max(0.5) })
}

/// Heading (around +Y from +Z towards +X) along which the scene runs: its travel, or else its long axis seen from above.
fn heading(points: &[Vector3<f64>], travel: &Vector3<f64>) -> Option<f64> {
    let (centre, reach) = middle(points);
    let level = Vector3::new(travel.x, 0.0, travel.z) / reach;
    if level.norm() > 0.3 {
        return Some(level.x.atan2(level.z));
    }
    // Principal axis of the plan view.
    let (mut xx, mut zz, mut xz) = (0.0, 0.0, 0.0);
    let mean = points.iter().map(|p| (p - centre) / reach).sum::<Vector3<f64>>() / points.len().max(1) as f64;
    for p in points {
        let q = (p - centre) / reach - mean;
        (xx, zz, xz) = (xx + q.x * q.x, zz + q.z * q.z, xz + q.x * q.z);
    }
    let round = (xx - zz).hypot(2.0 * xz) < 0.15 * (xx + zz);
    let axis = (!round && xx + zz > 0.0).then(|| 0.5 * (2.0 * xz).atan2(zz - xx))?;
    // An axis has two ways; travel tells which, however short it is.
    let backwards = level.x * axis.sin() + level.z * axis.cos() < -NO_TRAVEL;
    Some(if backwards { axis + PI } else { axis })
}

/// Largest level and vertical span of the points.
fn spans(points: &[Vector3<f64>]) -> (f64, f64) {
    let Some((low, high)) = bounds(points) else { return (1.0, 0.0) };
    let side = high - low;
    (unit(&Vector3::new(side.x, 0.0, side.z)).map_or(1e-9, |u| u.dot(&side)), side.y.max(0.0))
}
