//! What can be said of a loop: its seam, its energies, its drift.

use nalgebra::Vector3;

use super::curve::Curve;
use crate::integrate::force_law::ForceLaw;

/// How a curve goes on from its last frame to its first, beside how it does elsewhere: of all vertices, the greatest.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Seam {
    /// Way from the last frame to the first, metres.
    pub position: f64,
    /// Greatest way between any other neighbours, metres.
    pub position_elsewhere: f64,
    /// Greatest change of velocity at the two frames of the seam, m/s.
    pub velocity: f64,
    /// The same at any other frame, m/s.
    pub velocity_elsewhere: f64,
}

/// What a loop does in one period.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// Its seam.
    pub seam: Seam,
    /// Of each frame, on the way to the next, J.
    pub kinetic_energy: Vec<f64>,
    /// Of each frame, J.
    pub potential_energy: Vec<f64>,
    /// Centre of mass at each frame, in the world, metres.
    pub centre: Vec<Vector3<f64>>,
    /// How far the centre of mass gets in one period, metres.
    pub drift: Vector3<f64>,
    /// Greatest residual force of each frame, newtons.
    pub residual: Vec<f64>,
}

/// Where the vertices are in the world at a frame that may lie one period later.
fn placed(curve: &Curve, frames: usize, frame: usize) -> impl Iterator<Item = Vector3<f64>> + '_ {
    let (pose, n) = (curve.frame(frame, frames), curve.positions.len() / frames);
    curve.positions[frame % frames * n..][..n].iter().map(move |p| pose.act(p))
}

impl Seam {
    /// That of a curve.
    pub fn of(curve: &Curve, frames: usize) -> Seam {
        let frames = frames.max(1);
        let h = curve.period / frames as f64;
        let ways: Vec<Vec<Vector3<f64>>> = (0..=frames)
            .map(|j| placed(curve, frames, j + 1).zip(placed(curve, frames, j)).map(|(next, now)| next - now).collect())
            .collect();
        let most = |vectors: &[Vector3<f64>]| vectors.iter().fold(0.0_f64, |most, v| most.max(v.norm()));
        let turn = |j: usize| ways[j].iter().zip(&ways[j - 1]).fold(0.0_f64, |most, (a, b)| most.max((a - b).norm())) / h;
        let greatest = |frames: std::ops::Range<usize>, of: &dyn Fn(usize) -> f64| frames.map(of).fold(0.0_f64, f64::max);
        Seam {
            position: most(&ways[frames - 1]),
            position_elsewhere: greatest(0..frames - 1, &|j| most(&ways[j])),
            velocity: greatest(frames - 1..frames + 1, &turn),
            velocity_elsewhere: greatest(1..frames - 1, &turn),
        }
    }
}

impl Report {
    /// That of a curve with these residual forces.
    pub(super) fn of(law: &dyn ForceLaw, curve: &Curve, frames: usize, residuals: &[Vector3<f64>]) -> Report {
        let (masses, h) = (law.masses(), curve.period / frames as f64);
        let mass: f64 = masses.iter().sum();
        let centre = |j: usize| placed(curve, frames, j).zip(masses).map(|(x, m)| x * *m).sum::<Vector3<f64>>() / mass;
        let kinetic = |j: usize| {
            let ways = placed(curve, frames, j + 1).zip(placed(curve, frames, j)).zip(masses);
            ways.map(|((next, now), m)| 0.5 * m * (next - now).norm_squared()).sum::<f64>() / (h * h)
        };
        let potential = |j: usize| law.energy(j as f64 * h, &placed(curve, frames, j).collect::<Vec<_>>());
        Report {
            seam: Seam::of(curve, frames),
            kinetic_energy: (0..frames).map(kinetic).collect(),
            potential_energy: (0..frames).map(potential).collect(),
            centre: (0..frames).map(centre).collect(),
            drift: centre(frames) - centre(0),
            residual: residuals.chunks(masses.len()).map(|u| u.iter().fold(0.0_f64, |most, u| most.max(u.norm()))).collect(),
        }
    }
}
