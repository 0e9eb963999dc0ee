//! What a loop of a soft body shows that nature would not: surfaces that cross, flight that is no
//! free fall. These are figures with a warning in words; a run does not fail by them.

use holonomy::elastic::body::Body;
use holonomy::motion::{Motion, Quantity};
use holonomy::nalgebra::Vector3;
use holonomy::systems::loops::Looped;
use holonomy::systems::loops::flight::{FLIGHT_ERROR_MOST, FLIGHT_ERROR_RMS, FLIGHT_FRAMES, NOTICED};
use rayon::prelude::*;

use super::shapes_of;

/// Frames of one period in which the surface passes through itself.
const CROSSING_FRAMES: Quantity = Quantity::new("crossing_frames", "");
/// Edges that do so, in the worst of these.
const CROSSING_EDGES: Quantity = Quantity::new("crossing_edges_max", "");

/// The edges of a body that pass through it, in each frame of a loop.
pub(super) struct Crossings(Vec<usize>);

impl Crossings {
    pub fn of(body: &Body, looped: &Looped) -> Crossings {
        let dt = looped.curve.period / looped.frames as f64;
        let shapes: Vec<&[Vector3<f64>]> = shapes_of(&looped.curve, looped.frames).collect();
        Crossings(shapes.par_iter().enumerate().map(|(k, q)| body.crossings(k as f64 * dt, q)).collect())
    }

    /// Edges in the worst frame.
    pub fn most(&self) -> usize {
        self.0.iter().copied().max().unwrap_or(0)
    }

    /// Frames with any.
    fn frames(&self) -> usize {
        self.0.iter().filter(|&&count| count > 0).count()
    }

    /// Adds the figures, and a warning if there are any crossings. `thickness` is that of the
    /// self-contact, metres, if there is one.
    pub fn report(&self, looped: &Looped, thickness: Option<f64>, motion: &mut Motion) {
        let Some(track) = motion.tracks.first_mut() else { return };
        track.figures.push(CROSSING_FRAMES.figure(self.frames() as f64));
        track.figures.push(CROSSING_EDGES.figure(self.most() as f64));
        if self.most() == 0 {
            return;
        }
        let shapes: Vec<&[Vector3<f64>]> = shapes_of(&looped.curve, looped.frames).collect();
        let next = shapes.iter().cycle().skip(1);
        let ways = shapes.iter().zip(next).flat_map(|(a, b)| a.iter().zip(*b)).map(|(a, b)| (b - a).norm());
        let moved = 1e3 * ways.fold(0.0, f64::max);
        let fix = match thickness.map(|thickness| 1e3 * thickness) {
            None => format!(
                "nothing keeps its parts apart; `self-contact` does, but only where it is more than the \
                 body moves in a frame (here up to {moved:.1} mm)"
            ),
            Some(thick) => {
                format!(
                    "it moves by up to {moved:.1} mm in a frame, with a self-contact of {thick:.1} mm; \
                     raise fps, self-contact or hardness"
                )
            }
        };
        motion.warnings.push(format!(
            "the body passes through itself: {} of {} frames cross themselves, at most {} edges; {fix}",
            self.frames(),
            looped.frames,
            self.most()
        ));
    }
}

/// Adds the figures of free flight, and a warning where it is none, of a body that is held nowhere
/// and by no keyframe, in no wind.
pub(super) fn report_flight(body: &Body, looped: &Looped, motion: &mut Motion) {
    let made = body.settings();
    if !made.holds.is_empty() || made.loads.wind.is_some() || looped.keyframes > 0 {
        return;
    }
    let dt = looped.curve.period / looped.frames as f64;
    let vertices = looped.positions.len() / looped.frames.max(1);
    let touches: Vec<bool> =
        looped.positions.chunks(vertices.max(1)).enumerate().map(|(k, places)| body.touches_anything(k as f64 * dt, places)).collect();
    let gravity = made.loads.gravity;
    let (Some(flight), Some(track)) = (looped.flight(&gravity, &touches), motion.tracks.first_mut()) else { return };
    track.figures.push(FLIGHT_FRAMES.figure(flight.frames as f64));
    track.figures.push(FLIGHT_ERROR_RMS.figure(flight.rms));
    track.figures.push(FLIGHT_ERROR_MOST.figure(flight.most));
    if flight.most > NOTICED {
        let [least, most] = flight.upward;
        motion.warnings.push(format!(
            "in the air its centre does not fall freely: its upward acceleration goes from {least:.2} to {most:.2} m/s^2 instead of {:.2}, \
             off by {:.2} m/s^2 rms and {:.2} at most (free flight is within {NOTICED}); a hidden force carries it there",
            gravity.y, flight.rms, flight.most
        ));
    }
}
