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

/// The step that closes a clip may be longer than its others by this factor, …
const SLACK: f64 = 1.5;
/// … and goes on as those before and after it, give or take this share of it.
const GOES_ON: f64 = 0.3;

/// Whether the last of these frames, of `vertices` positions each, is one step before the first: a
/// step from it goes on as its neighbours do. A sequence of a whole cycle ends so where the
/// repeated frame was not written.
pub(super) fn closes_in_a_step(positions: &[Vector3<f64>], vertices: usize) -> bool {
    let frames: Vec<&[Vector3<f64>]> = positions.chunks_exact(vertices.max(1)).collect();
    let ([first, second, ..], [.., before, last], true) = (frames.as_slice(), frames.as_slice(), frames.len() > 3) else { return false };
    let between = |a: &[Vector3<f64>], b: &[Vector3<f64>]| a.iter().zip(b).map(|(x, y)| (x - y).norm()).fold(0.0, f64::max);
    let gap = between(last, first);
    let off = |v: usize| (first[v] - last[v] - 0.5 * (last[v] - before[v] + second[v] - first[v])).norm();
    gap > 0.0
        && frames.windows(2).any(|pair| between(pair[0], pair[1]) * SLACK >= gap)
        && (0..vertices).map(off).fold(0.0, f64::max) <= GOES_ON * gap
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
