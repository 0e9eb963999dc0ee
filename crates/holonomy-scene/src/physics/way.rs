//! What to tell about the way of a looping clip from a file: that it curves or goes sideways, how fast it gets, that it hardly gets anywhere.

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

/// Notes on the way of `clip`. `from_rest` says that the body first had to get going.
pub(super) fn notes(clip: &Clip, motion: &Motion, from_rest: bool) -> Vec<String> {
    let (Some(track), period) = (motion.tracks.first(), clip.steps()) else { return Vec::new() };
    let cycles = motion.frames().saturating_sub(1) / period.max(1);
    if clip.playback() != Playback::Loop || clip.frames() < 2 || cycles == 0 {
        return Vec::new();
    }
    let length = clip.body_length();
    let way = |cycle: usize| (track.centers[cycle * period] - track.centers[(cycle - 1) * period]).norm() / length;
    let turn = turn(track, period, cycles);
    let mut notes = Vec::new();
    if turn > STRAIGHT {
        notes.push(format!("it turns by {turn:.0}° over the run: stroke or shape are not the same left and right"));
    } else {
        notes.extend(sideways(clip, track, track.centers[cycles * period] - track.centers[0]));
    }
    notes.extend(speed(&(1..=cycles).map(way).collect::<Vec<_>>(), length / clip.duration(), from_rest));
    notes
}

/// All turns from cycle to cycle together, degrees; more than a whole turn counts as that.
fn turn(track: &Track, period: usize, cycles: usize) -> f64 {
    let turned = |cycle: usize| track.poses[cycle * period].rotation * track.poses[(cycle - 1) * period].rotation.inverse();
    (1..=cycles).map(|cycle| turned(cycle).scaled_axis()).sum::<Vector3<f64>>().norm().to_degrees()
}

/// Whether it goes neither along its longest side nor where glTF says that models look, +Z, or back.
fn sideways(clip: &Clip, track: &Track, way: Vector3<f64>) -> Option<String> {
    if way.norm() < 2.0 * LITTLE * clip.body_length() {
        return None; // too short a way to have a direction
    }
    let own = track.poses[0].rotation.inverse() * way.normalize();
    let (low, high) = bounds(clip.frame(0))?;
    let off = own.z.abs().max(own[(high - low).imax()].abs()).min(1.0).acos().to_degrees();
    (off > FORWARDS)
        .then(|| format!("it travels {off:.0}° off its longest axis: stroke or shape are not the same up and down, or left and right"))
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
        (true, true) => Some(format!("this stroke gives little thrust: {figures}; more cycles do not change that")),
        (true, false) => from_rest.then(|| format!("its speed has settled at {figures}")),
        (false, true) => Some(format!(
            "this stroke gives little thrust: {figures} in the last one; it started from rest and has not settled yet: more cycles show what it comes to"
        )),
        (false, false) => Some(format!("it started from rest and has not settled yet ({figures} in the last one): play more cycles")),
    }
}

#[cfg(test)]
mod tests {
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
        let strong = said(&[0.1, 0.3], true);
        assert!(strong.starts_with("it started from rest") && strong.contains("play more cycles"), "{strong}");
        assert!(said(&[0.3, 0.31], true).starts_with("its speed has settled"));
        assert_eq!(said(&[0.3], false), "");
    }
}
