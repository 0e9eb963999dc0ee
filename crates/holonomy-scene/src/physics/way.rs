//! What to tell about the way of a looping clip from a file: that it curves or goes sideways, how fast it gets, that it hardly gets anywhere.

use holonomy::lie::Pose;
use holonomy::motion::{Motion, Track};
use holonomy::nalgebra::Vector3;
use holonomy::shape::{Clip, Playback, bounds};

/// A stroke that is the same left and right does not turn a body by more than this over a run, degrees.
const STRAIGHT: f64 = 30.0;

/// An animal goes where it looks, give or take this angle, degrees.
const FORWARDS: f64 = 45.0;

/// A stroke that gets a body less far, in body lengths a cycle, gives little thrust; animals gain some 0.3 to 0.8.
const LITTLE: f64 = 0.05;

/// Two cycles are alike if their ways differ by less than this part.
const ALIKE: f64 = 0.1;

/// The sides of a box differ by at least this factor if one is its length.
const LONGER: f64 = 1.2;

/// Which axes of the shape at the start point up, ahead and to the side: 0 is X, 1 is Y, 2 is Z.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Axes {
    up: usize,
    ahead: usize,
    side: usize,
}

impl Axes {
    /// Up is the axis nearest to the world's; ahead the longer of the other two, Z if neither is
    /// (glTF's models look that way).
    fn of(clip: &Clip, start: &Pose) -> Option<Axes> {
        let up = (start.rotation.inverse() * Vector3::y()).iamax();
        let (low, high) = bounds(clip.frame(0))?;
        let size = high - low;
        let level: Vec<usize> = (0..3).filter(|axis| *axis != up).collect();
        let &[a, b] = level.as_slice() else { return None };
        let b_first = if size[a] > LONGER * size[b] { false } else { size[b] > LONGER * size[a] || b == 2 };
        let (ahead, side) = if b_first { (b, a) } else { (a, b) };
        Some(Axes { up, ahead, side })
    }
}

/// Notes on the way of `clip`. `from_rest` says that the body first had to get going.
pub(super) fn notes(clip: &Clip, motion: &Motion, from_rest: bool) -> Vec<String> {
    let (Some(track), period) = (motion.tracks.first(), clip.steps()) else { return Vec::new() };
    let cycles = motion.frames().saturating_sub(1) / period.max(1);
    if clip.playback() != Playback::Loop || clip.frames() < 2 || cycles == 0 {
        return Vec::new();
    }
    let Some(axes) = Axes::of(clip, &track.poses[0]) else { return Vec::new() };
    let length = clip.body_length();
    let way = |cycle: usize| (track.centers[cycle * period] - track.centers[(cycle - 1) * period]).norm() / length;
    let mut notes = Vec::new();
    match turned(&turn(track, period, cycles), axes) {
        Some(note) => notes.push(note),
        None => notes.extend(sideways(clip, axes, track, track.centers[cycles * period] - track.centers[0])),
    }
    notes.extend(speed(&(1..=cycles).map(way).collect::<Vec<_>>(), length / clip.duration(), from_rest));
    notes
}

/// All turns from cycle to cycle together, as axis times radians, in the axes of the shape.
fn turn(track: &Track, period: usize, cycles: usize) -> Vector3<f64> {
    let turned = |cycle: usize| track.poses[(cycle - 1) * period].rotation.inverse() * track.poses[cycle * period].rotation;
    (1..=cycles).map(|cycle| turned(cycle).scaled_axis()).sum()
}

/// What to say of a turn, if it is large: about which axis, and what is uneven then. A stroke that
/// is the same left and right can only pitch; one that is the same up and down can only yaw.
fn turned(turn: &Vector3<f64>, axes: Axes) -> Option<String> {
    let degrees = turn.norm().to_degrees();
    if degrees <= STRAIGHT {
        return None;
    }
    let main = turn.iamax();
    let (how, uneven) = if main == axes.up {
        ("yaws (turns left or right)", "left and right")
    } else if main == axes.side {
        ("pitches (turns nose up or down)", "up and down")
    } else {
        ("rolls (turns about its length)", "left and right, or up and down")
    };
    Some(format!("it {how} by {degrees:.0}° over the run: stroke or shape are not the same {uneven}"))
}

/// Whether it goes neither along its longest side nor where glTF says that models look, +Z, or back.
fn sideways(clip: &Clip, axes: Axes, track: &Track, way: Vector3<f64>) -> Option<String> {
    if way.norm() < 2.0 * LITTLE * clip.body_length() {
        return None; // too short a way to have a direction
    }
    let own = track.poses[0].rotation.inverse() * way.normalize();
    let (low, high) = bounds(clip.frame(0))?;
    let off = own.z.abs().max(own[(high - low).imax()].abs()).min(1.0).acos().to_degrees();
    let uneven = if own[axes.up].abs() > own[axes.side].abs() { "up and down" } else { "left and right" };
    (off > FORWARDS).then(|| format!("it travels {off:.0}° off its longest axis: stroke or shape are not the same {uneven}"))
}

/// What its speed comes to, from its `ways` in body lengths, cycle by cycle; `per_cycle` is a body length a cycle in m/s.
fn speed(ways: &[f64], per_cycle: f64, from_rest: bool) -> Option<String> {
    let (last, before) = match ways {
        [.., before, last] => (*last, Some(*before)),
        [last] => (*last, None),
        [] => return None,
    };
    let settled = !from_rest || before.is_some_and(|before| (last - before).abs() <= ALIKE * last.max(before));
    let figures = format!("{last:.3} body lengths a cycle, {:.3} m/s", last * per_cycle);
    match (settled, last < LITTLE) {
        (true, true) if from_rest => Some(format!(
            "this stroke gives little thrust: {figures}; more cycles do not change that. The flow \
             has no wakes, and a tail that beats as one \
             piece gets its thrust from its wake: real ones swim, here they hardly do. Bends that \
             travel along the body give thrust here too"
        )),
        (true, true) => Some(format!(
            "this stroke gives little thrust: {figures}; more cycles do not change that. Under \
             friction alone only bends that travel along the \
             body give much"
        )),
        (true, false) => from_rest.then(|| format!("its speed has settled at {figures}")),
        (false, true) => Some(format!(
            "this stroke gives little thrust: {figures} in the last cycle; it started from rest \
             and has not settled yet: more cycles show what it comes to"
        )),
        (false, false) => Some(format!("it started from rest and has not settled yet ({figures} in the last cycle): play more cycles")),
    }
}

#[cfg(test)]
mod tests {
    use holonomy::nalgebra::UnitQuaternion;
    use holonomy::shape::Topology;

    use super::*;

    #[test]
    fn a_weak_stroke_is_called_weak_before_it_has_settled() {
        let said = |ways: &[f64], from_rest| speed(ways, 0.5, from_rest).unwrap_or_default();
        let weak = said(&[0.004, 0.012], true);
        assert!(
            weak.starts_with("this stroke gives little thrust: 0.012 body lengths a cycle, 0.006 m/s") && weak.contains("not settled"),
            "{weak}"
        );
        let settled = said(&[0.012, 0.0122], true);
        assert!(settled.starts_with("this stroke gives little thrust") && settled.contains("do not change that"), "{settled}");
        assert!(settled.contains("no wakes") && !said(&[0.012], false).contains("wakes"), "{settled}");
        let strong = said(&[0.1, 0.3], true);
        assert!(strong.starts_with("it started from rest") && strong.contains("play more cycles"), "{strong}");
        assert!(said(&[0.3, 0.31], true).starts_with("its speed has settled"));
        assert_eq!(said(&[0.3], false), "");
    }

    /// A body twice as long (Z) as wide (X), of two frames that differ.
    fn long() -> Clip {
        let box_of =
            |wide: f64| -> Vec<Vector3<f64>> { vec![Vector3::zeros(), Vector3::new(wide, 0.5, 2.0), Vector3::new(wide, 0.0, 0.0)] };
        let faces = vec![[0, 1, 2]];
        let points = [box_of(1.0), box_of(1.1)].concat();
        Clip::new(Topology::Surface { faces }, Playback::Loop, 0.1, 3, points).unwrap()
    }

    #[test]
    fn a_turn_is_called_after_its_axis() {
        let axes = Axes::of(&long(), &Pose::identity()).unwrap();
        assert_eq!(axes, Axes { up: 1, ahead: 2, side: 0 });
        let said = |turn: Vector3<f64>| turned(&turn, axes).unwrap_or_default();
        for (turn, how, uneven) in [
            (Vector3::new(0.1, 1.0, 0.2), "it yaws", "not the same left and right"),
            (Vector3::new(-1.0, 0.1, 0.2), "it pitches", "not the same up and down"),
            (Vector3::new(0.1, -0.2, 1.0), "it rolls", "not the same left and right, or up and down"),
        ] {
            assert!(said(turn).starts_with(how) && said(turn).ends_with(uneven), "{}", said(turn));
        }
        assert!(said(Vector3::new(-1.0, 0.0, 0.0)).contains("57°"));
        assert_eq!(said(Vector3::new(0.0, 0.5, 0.0)), "", "28.6° is straight enough");
        // A file with Z up, read as it is and laid down at the start: its Z is up then.
        let lying =
            Pose { rotation: UnitQuaternion::from_axis_angle(&Vector3::x_axis(), -std::f64::consts::FRAC_PI_2), ..Pose::identity() };
        assert_eq!(Axes::of(&long(), &lying).unwrap(), Axes { up: 2, ahead: 0, side: 1 });
    }
}
