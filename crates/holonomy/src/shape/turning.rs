//! Parts of a body that turn as told: propellers and rudders (Soliman 2024, Fig. 13).
//!
//! A propeller turns many times per second, so that a clip of it would have many frames. Instead the body has one shape, and each part says
//! which vertices turn, about which line, by which angle at which time.

use std::ops::Range;

use nalgebra::{Rotation3, Unit, Vector3};

use super::clip::{Clip, Playback};
use crate::Error;

/// A part that turns about an axis of its body as told: a propeller, a rudder.
#[derive(Debug, Clone, PartialEq)]
pub struct TurningPart {
    /// The vertices that turn.
    pub vertices: Range<usize>,
    /// A point on the axis, body frame, metres.
    pub point: Vector3<f64>,
    /// The axis, body frame, of unit length.
    pub axis: Vector3<f64>,
    /// How far it has turned, counter-clockwise seen from where the axis points.
    pub angle: Channel,
}

impl TurningPart {
    /// Refuses a part that does not fit a body of this many vertices.
    ///
    /// # Errors
    /// The range is empty, backwards or too long; the point is not finite; the axis is not of unit length.
    pub fn validate(&self, vertices: usize) -> Result<(), Error> {
        if self.vertices.is_empty() {
            return Err(Error::Empty { what: "the range of vertices of a turning part", fix: "let it start before it ends" });
        }
        if self.vertices.end > vertices {
            return Err(Error::VertexOutOfRange {
                what: "turning part at",
                index: self.vertices.start,
                vertex: self.vertices.end - 1,
                vertices,
            });
        }
        self.point.iter().try_for_each(|&x| Error::unless(x.is_finite(), "point of a turning part", x, "finite"))?;
        let length = self.axis.norm();
        Error::unless((length - 1.0).abs() <= 1e-9, "length of the axis of a turning part", length, "1")
    }

    /// Writes where its own vertices are at `time`, seconds, when they are at `base` at angle zero. Other vertices stay as they are in `out`.
    /// No allocation.
    ///
    /// # Errors
    /// `base` or `out` has fewer vertices than the part names.
    pub fn turn(&self, time: f64, base: &[Vector3<f64>], out: &mut [Vector3<f64>]) -> Result<(), Error> {
        let vertices = base.len().min(out.len());
        let (Some(from), Some(to)) = (base.get(self.vertices.clone()), out.get_mut(self.vertices.clone())) else {
            let vertex = self.vertices.end.saturating_sub(1);
            return Err(Error::VertexOutOfRange { what: "turning part at", index: self.vertices.start, vertex, vertices });
        };
        let rotation = Rotation3::from_axis_angle(&Unit::new_unchecked(self.axis), self.angle.angle(time));
        for (to, from) in to.iter_mut().zip(from) {
            *to = self.point + rotation * (from - self.point);
        }
        Ok(())
    }
}

/// An angle over time.
#[derive(Debug, Clone, PartialEq)]
pub struct Channel(Course);

#[derive(Debug, Clone, PartialEq)]
enum Course {
    /// rad/s, and seconds until it is reached.
    Spin { rate: f64, spin_up: f64 },
    /// Seconds and radians, ascending in time.
    Keys { keys: Vec<(f64, f64)>, between: Between },
}

/// How an angle goes from one key to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Between {
    /// Starts and stops at rest at each key: 3x² − 2x³.
    #[default]
    Smooth,
    /// At a constant rate.
    Linear,
}

impl Channel {
    /// Turns for ever at `rate`, rad/s, from angle 0 at time 0.
    ///
    /// # Errors
    /// The rate is not finite.
    pub fn spin(rate: f64) -> Result<Channel, Error> {
        Channel::spin_up(rate, 0.0)
    }

    /// At rest until time 0, then smoothly, over `seconds`, up to `rate`, rad/s.
    ///
    /// # Errors
    /// The rate is not finite, or the time is negative or not finite.
    pub fn spin_up(rate: f64, seconds: f64) -> Result<Channel, Error> {
        Error::unless(rate.is_finite(), "rate", rate, "a finite number of radians per second")?;
        Error::unless(seconds >= 0.0 && seconds.is_finite(), "spin-up time", seconds, "zero or more seconds")?;
        Ok(Channel(Course::Spin { rate, spin_up: seconds }))
    }

    /// Through pairs of seconds and radians; constant before the first and after the last.
    ///
    /// # Errors
    /// There are no keys, one is not finite, or their times do not ascend.
    pub fn keys(keys: Vec<(f64, f64)>, between: Between) -> Result<Channel, Error> {
        if keys.is_empty() {
            return Err(Error::Empty { what: "the list of keys of an angle", fix: "give at least one pair of time and angle" });
        }
        for &(time, angle) in &keys {
            for (name, value) in [("time of a key", time), ("angle of a key", angle)] {
                Error::unless(value.is_finite(), name, value, "a finite number")?;
            }
        }
        if let Some(pair) = keys.windows(2).find(|pair| pair[0].0 >= pair[1].0) {
            return Err(Error::Parameter { name: "time of a key", value: pair[1].0, expected: "later than that of the key before it" });
        }
        Ok(Channel(Course::Keys { keys, between }))
    }

    /// The angle at `time`, radians.
    pub fn angle(&self, time: f64) -> f64 {
        match &self.0 {
            Course::Spin { rate, spin_up } if *spin_up > 0.0 => rate * spin_up * ramp(time / spin_up)[0],
            Course::Spin { rate, .. } => rate * time,
            Course::Keys { keys, between } => match span(keys, time) {
                Span::Within([from, to], x) => from.1 + (to.1 - from.1) * between.ease(x)[0],
                Span::Outside(angle) => angle,
            },
        }
    }

    /// Its rate at `time`, rad/s.
    pub fn rate(&self, time: f64) -> f64 {
        match &self.0 {
            Course::Spin { rate, spin_up } if *spin_up > 0.0 => rate * ramp(time / spin_up)[1],
            Course::Spin { rate, .. } => *rate,
            Course::Keys { keys, between } => match span(keys, time) {
                Span::Within([from, to], x) => (to.1 - from.1) / (to.0 - from.0) * between.ease(x)[1],
                Span::Outside(_) => 0.0,
            },
        }
    }
}

/// The integral of smoothstep and smoothstep itself: 0 before 0, x − ½ and 1 after 1.
fn ramp(x: f64) -> [f64; 2] {
    match x {
        x if x <= 0.0 => [0.0, 0.0],
        x if x < 1.0 => [x * x * x * (1.0 - 0.5 * x), x * x * (3.0 - 2.0 * x)],
        x => [x - 0.5, 1.0],
    }
}

impl Between {
    /// The share of the way at the share x of the time, and its derivative.
    fn ease(self, x: f64) -> [f64; 2] {
        match self {
            Between::Linear => [x, 1.0],
            Between::Smooth => [x * x * (3.0 - 2.0 * x), 6.0 * x * (1.0 - x)],
        }
    }
}

/// Where a time is among keys.
enum Span {
    /// Between two of them, at this share of the way.
    Within([(f64, f64); 2], f64),
    /// Before the first or after the last, which have this angle.
    Outside(f64),
}

fn span(keys: &[(f64, f64)], time: f64) -> Span {
    let after = keys.partition_point(|key| key.0 <= time);
    match (after.checked_sub(1).and_then(|before| keys.get(before)), keys.get(after)) {
        (Some(from), Some(to)) => Span::Within([*from, *to], (time - from.0) / (to.0 - from.0)),
        (Some(key), None) | (None, Some(key)) => Span::Outside(key.1),
        (None, None) => Span::Outside(0.0),
    }
}

/// Most positions of a baked clip (1.2 GB).
const MOST_POSITIONS: usize = 50_000_000;

/// The shapes of `base` with its parts turned, as a clip of `frames` frames that ends. Times count from frame 0.
///
/// # Errors
/// There are no frames or more than memory is likely to hold, or a part does not fit the clip.
pub fn bake(base: &Clip, parts: &[TurningPart], frames: usize) -> Result<Clip, Error> {
    parts.iter().try_for_each(|part| part.validate(base.vertices()))?;
    let count = frames.saturating_mul(base.vertices());
    let expected = "at most fifty million; ask for fewer frames";
    Error::unless(count <= MOST_POSITIONS, "number of frames times vertices", count as f64, expected)?;
    let mut positions = Vec::with_capacity(count);
    for k in 0..frames {
        let start = positions.len();
        positions.extend_from_slice(base.frame(k));
        for part in parts {
            part.turn(k as f64 * base.dt(), base.frame(k), &mut positions[start..])?;
        }
    }
    Clip::new(base.topology().clone(), Playback::Once, base.dt(), base.vertices(), positions)
}
