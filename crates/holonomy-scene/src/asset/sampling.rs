//! What the OBJ and BVH readers share: the user's choices checked, loops recognised, jobs too large refused before they start.

use holonomy::nalgebra::Vector3;
use holonomy::shape::diagonal;

use super::{ClipOptions, Up};
use crate::Error;

/// How far, as a fraction of the body's size, the last frame may be from the first for a clip to count as a loop.
const LOOP_TOLERANCE: f64 = 1e-3;

/// Whether `last` shows the same shape as `first`, so that the clip is a loop whose first frame is stored twice.
pub(super) fn closes(first: &[Vector3<f64>], last: &[Vector3<f64>]) -> bool {
    let gap = first.iter().zip(last).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
    gap <= LOOP_TOLERANCE * diagonal(first)
}

/// A vector of the file turned into the engine's +Y up. From +Z up that is (x, y, z) to (x, z, -y).
pub(super) fn to_y_up(v: Vector3<f64>, up: Up) -> Vector3<f64> {
    match up {
        Up::Y => v,
        Up::Z => Vector3::new(v.x, v.z, -v.y),
    }
}

/// The positive finite number the user gave for `option`, if any.
pub(super) fn positive(option: &str, value: Option<f64>) -> Result<Option<f64>, Error> {
    match value {
        Some(v) if !(v > 0.0 && v.is_finite()) => Err(Error::Choice(format!("{option} is {v}, but must be a positive number"))),
        other => Ok(other),
    }
}

/// These formats hold one clip, named after the file; asking for another one is a mistake.
pub(super) fn check_clip_name(options: &ClipOptions, name: &str) -> Result<(), Error> {
    match &options.clip {
        Some(asked) if asked != name => {
            Err(Error::Choice(format!("there is no clip `{asked}`: the file holds one clip, `{name}`; leave the clip's name out")))
        }
        _ => Ok(()),
    }
}

/// First and last index, into `numbers` (increasing), of the frames the user asked for.
pub(super) fn frame_range(options: &ClipOptions, numbers: &[usize]) -> Result<(usize, usize), Error> {
    let (Some(&low), Some(&high)) = (numbers.first(), numbers.last()) else {
        return Err(Error::Choice("there are no frames".into()));
    };
    let (first, last) = options.frames.unwrap_or((low, high));
    if first > last || first < low || last > high {
        return Err(Error::Choice(format!("frames {first}..{last} are not there: choose a first and a last frame from {low} to {high}")));
    }
    let start = numbers.partition_point(|&n| n < first);
    let stop = numbers.partition_point(|&n| n <= last);
    if stop < start + 2 {
        let count = stop - start;
        return Err(Error::Choice(format!(
            "frames {first}..{last} hold {count} frame(s): nothing changes shape; a motion needs at least two"
        )));
    }
    Ok((start, stop - 1))
}
