//! Clips of legs: those that walk by their name, or whose lowest points stand on one height in
//! turn.

use holonomy::lie::Pose;
use holonomy::nalgebra::Vector3;
use holonomy::shape::{Clip, bounds};

/// Words that begin the names of clips in which legs push against the ground.
const OF_LEGS: [&str; 13] =
    ["walk", "run", "jog", "march", "gallop", "trot", "sprint", "canter", "stride", "strut", "sneak", "hop", "stomp"];

/// Points this near the lowest one stand on the ground, as a share of the height.
const STANDS: f64 = 0.03;

/// The lowest point of a body that stands on legs keeps its height this well, as a share of the
/// height.
const LEVEL: f64 = 0.05;

/// A foot is lifted by at least this share of the height.
const LIFTED: f64 = 0.06;

/// A foot stands in at least this share of the frames, and in at most one less it.
const SHARE: f64 = 0.15;

/// Feet further apart than this share of the largest extent are two.
const APART: f64 = 0.1;

/// What lies on the ground all the time is at least this share of the largest extent long, if the
/// body lies there.
const LYING: f64 = 0.3;

/// Shapes that are looked at.
const LOOKS: usize = 60;

/// A note if `clip`, called `name` and placed at `recorded` (if it travels), is one of legs.
pub(crate) fn note(name: &str, clip: &Clip, recorded: Option<&[Pose]>) -> Option<String> {
    let stance = Stance::of(clip, recorded);
    let how = match (name_of_legs(name), stance) {
        (_, Stance::Steps) => "has feet that stand on one height in turn",
        (true, Stance::Other) => "walks or runs, by its name",
        (true, Stance::Lies) | (false, _) => return None,
    };
    Some(format!(
        "the clip '{name}' {how}: feet do not hold on to the ground here, under any law and in \
         any medium, so the legs only push through \
         the medium and the result will look wrong"
    ))
}

fn name_of_legs(name: &str) -> bool {
    words(name).iter().any(|word| OF_LEGS.iter().any(|start| word.starts_with(start)))
}

/// The words of a name, in small letters: `Armature|WalkFast_2` has `armature`, `walk`, `fast` and
/// `2`.
pub(crate) fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut previous = ' ';
    for c in name.chars() {
        if !c.is_alphanumeric() || (c.is_uppercase() && previous.is_lowercase()) {
            words.push(String::new());
        }
        if let (true, Some(word)) = (c.is_alphanumeric(), words.last_mut()) {
            word.extend(c.to_lowercase());
        }
        previous = c;
    }
    words
}

/// What the lowest points of a clip do.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Stance {
    /// They are the same ones nearly all the time, along a good part of the body: it lies there,
    /// as a snake does.
    Lies,
    /// Some point is on the ground in every frame, but none is always, and those that are, are
    /// lifted in between, at two places at least: feet.
    Steps,
    /// Anything else.
    Other,
}

impl Stance {
    fn of(clip: &Clip, recorded: Option<&[Pose]>) -> Stance {
        let stride = clip.frames().div_ceil(LOOKS);
        let place = |k: usize, p: &Vector3<f64>| recorded.and_then(|poses| poses.get(k)).map_or(*p, |pose| pose.act(p));
        let shapes: Vec<Vec<Vector3<f64>>> =
            (0..clip.frames()).step_by(stride).map(|k| clip.frame(k).iter().map(|p| place(k, p)).collect()).collect();
        let (Some(first), true) = (shapes.first(), shapes.len() >= 6) else { return Stance::Other };
        let Some((low, high)) = bounds(first) else { return Stance::Other };
        let (size, height) = (high - low, high.y - low.y);
        let lowest: Vec<f64> = shapes.iter().map(|shape| shape.iter().map(|p| p.y).fold(f64::INFINITY, f64::min)).collect();
        let (least, most) = lowest.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), &y| (a.min(y), b.max(y)));
        if !(height > 0.0 && most - least < LEVEL * height) {
            return Stance::Other;
        }
        let (mut feet, mut lying) = (Vec::<Vector3<f64>>::new(), Vec::new());
        for v in 0..first.len() {
            let stands = shapes.iter().filter(|shape| shape[v].y < most + STANDS * height).count() as f64 / shapes.len() as f64;
            let lifted = shapes.iter().map(|shape| shape[v].y - least).fold(0.0, f64::max);
            if stands > 1.0 - SHARE {
                lying.push(first[v]);
            } else if stands >= SHARE && lifted > LIFTED * height {
                let mean = shapes.iter().map(|shape| shape[v]).sum::<Vector3<f64>>() / shapes.len() as f64;
                if feet.len() < 2 && feet.iter().all(|foot| (foot - mean).xz().norm() > APART * size.max()) {
                    feet.push(mean);
                }
            }
        }
        match bounds(&lying) {
            Some((low, high)) if (high - low).xz().norm() > LYING * size.max() => Stance::Lies,
            None if feet.len() >= 2 => Stance::Steps,
            _ => Stance::Other,
        }
    }
}

#[cfg(test)]
mod tests {
    use holonomy::shape::{Playback, Topology};

    use super::*;

    /// A body of points in one cycle of 30 frames.
    fn cycle(of: impl Fn(f64) -> Vec<Vector3<f64>>) -> Clip {
        let shapes: Vec<Vec<Vector3<f64>>> = (0..30).map(|k| of(std::f64::consts::TAU * k as f64 / 30.0)).collect();
        Clip::new(Topology::Points, Playback::Loop, 0.04, shapes[0].len(), shapes.concat()).unwrap()
    }

    #[test]
    fn feet_in_turn_are_seen_whatever_the_clip_is_called() {
        let foot = |x: f64, phase: f64| Vector3::new(x, (0.2 * phase.sin()).max(0.0), 0.3 * phase.cos());
        let walker = cycle(|t| vec![foot(-0.2, t), foot(0.2, t + std::f64::consts::PI), Vector3::new(0.0, 1.0, 0.0)]);
        assert!(note("clip0", &walker, None).is_some_and(|note| note.contains("in turn") && note.contains("look wrong")));
    }

    #[test]
    fn names_of_legs_are_known() {
        let still = cycle(|_| vec![Vector3::zeros(), Vector3::y()]);
        for name in ["Walk", "RobotArmature|Robot_Running", "SpiderArmature|Spider_Walk", "fastRun"] {
            assert!(note(name, &still, None).is_some(), "{name}");
        }
        let snake = cycle(|t| (0..8).map(|i| Vector3::new((t - f64::from(i)).sin(), 0.1 * f64::from(i % 2), f64::from(i))).collect());
        assert_eq!(note("SnakeArmature|Snake_Walk", &snake, None), None, "it lies on the ground");
        for name in ["Swim", "Dolphin_Swim", "Attack", "Trunk", "cmu_87_04", "crunch"] {
            assert_eq!(note(name, &still, None), None, "{name}");
        }
    }

    #[test]
    fn swimmers_and_crawlers_have_no_feet() {
        let fish = cycle(|t| (0..8).map(|i| Vector3::new(0.1 * (t - f64::from(i)).sin(), f64::from(i % 2), f64::from(i))).collect());
        assert_eq!(note("clip0", &fish, None), None);
        let dolphin = cycle(|t| (0..8).map(|i| Vector3::new(0.0, 0.3 * (t - 0.5 * f64::from(i)).sin(), f64::from(i))).collect());
        assert_eq!(note("clip0", &dolphin, None), None);
    }
}
