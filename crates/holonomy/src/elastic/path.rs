//! How what is led by hand, or pushed around, moves over time: as data.

use std::f64::consts::TAU;

use nalgebra::{Unit, UnitQuaternion, Vector3};

use crate::Error;
use crate::lie::Pose;

/// A scripted rigid motion, relative to where things are at rest.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Path {
    /// Stays.
    #[default]
    Still,
    /// Turns steadily about an axis.
    Circle {
        /// A place on the axis, metres.
        center: Vector3<f64>,
        /// Its direction; of any length.
        axis: Vector3<f64>,
        /// Seconds.
        period: f64,
        /// How often it goes round in a period; negative the other way.
        turns: f64,
        /// Where it is at time 0, radians.
        phase: f64,
    },
    /// Goes to and fro along a line, as a sine.
    Swing {
        /// Farthest it goes, metres.
        reach: Vector3<f64>,
        /// Seconds.
        period: f64,
        /// Of the sine at time 0, radians.
        phase: f64,
    },
    /// Turns to and fro about an axis, as a sine.
    Rock {
        /// A place on the axis, metres.
        center: Vector3<f64>,
        /// Its direction; of any length.
        axis: Vector3<f64>,
        /// Farthest it turns, radians.
        angle: f64,
        /// Seconds.
        period: f64,
        /// Of the sine at time 0, radians.
        phase: f64,
    },
    /// Goes through displacements at equal times, round and round, by a cubic through each and its neighbours (Catmull and Rom), whose velocity is continuous.
    Table {
        /// From the places at rest, metres.
        offsets: Vec<Vector3<f64>>,
        /// Of one round, seconds.
        period: f64,
    },
}

impl Path {
    /// Where what rests at the identity is at that time.
    pub fn pose(&self, time: f64) -> Pose {
        let moved = |offset| Pose { rotation: UnitQuaternion::identity(), translation: offset };
        match self {
            Path::Still => Pose::identity(),
            Path::Circle { center, axis, period, turns, phase } => turned(center, axis, TAU * turns * time / period + phase),
            Path::Swing { reach, period, phase } => moved(reach * (TAU * time / period + phase).sin()),
            Path::Rock { center, axis, angle, period, phase } => turned(center, axis, angle * (TAU * time / period + phase).sin()),
            Path::Table { offsets, period } => moved(between(offsets, time / period)),
        }
    }

    /// Refuses periods that are not positive, axes without direction, and numbers that are not finite.
    ///
    /// # Errors
    /// The number, and what is accepted.
    pub fn validate(&self) -> Result<(), Error> {
        let finite = |x: f64| Error::unless(x.is_finite(), "number of a path", x, "finite");
        let place = |x: &Vector3<f64>| x.iter().try_for_each(|&x| finite(x));
        let lasts = |x: f64| Error::unless(x.is_finite() && x > 0.0, "period of a path", x, "a positive number of seconds");
        let points = |x: &Vector3<f64>| {
            let length = x.norm();
            Error::unless(length > 0.0 && length.is_finite(), "length of a path's axis", length, "positive and finite")
        };
        match self {
            Path::Still => Ok(()),
            Path::Circle { center, axis, period, turns, phase } => {
                place(center)?;
                points(axis)?;
                lasts(*period)?;
                finite(*turns)?;
                finite(*phase)
            }
            Path::Swing { reach, period, phase } => {
                place(reach)?;
                lasts(*period)?;
                finite(*phase)
            }
            Path::Rock { center, axis, angle, period, phase } => {
                place(center)?;
                points(axis)?;
                finite(*angle)?;
                lasts(*period)?;
                finite(*phase)
            }
            Path::Table { offsets, period } => {
                if offsets.is_empty() {
                    return Err(Error::Empty { what: "the table of a path", fix: "give it displacements, or let it be still" });
                }
                offsets.iter().try_for_each(place)?;
                lasts(*period)
            }
        }
    }
}

/// About an axis through a place.
fn turned(center: &Vector3<f64>, axis: &Vector3<f64>, angle: f64) -> Pose {
    let rotation = UnitQuaternion::from_axis_angle(&Unit::new_normalize(*axis), angle);
    Pose { rotation, translation: center - rotation * center }
}

/// The table at that many rounds.
fn between(offsets: &[Vector3<f64>], rounds: f64) -> Vector3<f64> {
    let n = offsets.len();
    let at = rounds.rem_euclid(1.0) * n as f64;
    // rem_euclid may round up to 1.
    let k = (at as usize).min(n - 1);
    let t = at - k as f64;
    let [a, b, c, d] = [n - 1, 0, 1, 2].map(|i| offsets[(k + i) % n]);
    b + ((c - a) + ((a * 2.0 - b * 5.0 + c * 4.0 - d) + ((b - c) * 3.0 + d - a) * t) * t) * (0.5 * t)
}
