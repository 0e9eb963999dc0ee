//! A diver who somersaults folded, stretches, and throws the arms to start and stop a twist.

use std::f64::consts::PI;

use super::gait;
use super::human::{self, Posture};
use crate::Error;
use crate::shape::{Clip, Playback};

/// How the diver folds up for the somersault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Position {
    /// Hips and knees bent.
    Tuck,
    /// Hips bent, knees straight.
    #[default]
    Pike,
    /// Straight.
    Layout,
}

/// A human body, in place, over one dive; the clip ends. The body stands along +Y and looks along +Z; a forward somersault turns about +X.
///
/// Arms up at the take-off; folded for the somersault; stretched with the arms aside; one arm thrown up and the other down, which tilts
/// the body and makes it twist if it somersaults; held; thrown back, which stops the twist if it has gone through whole turns by then;
/// arms up for the entry. As it comes, the dive fits one full twist at an angular momentum of about 63 kg m²/s about +X.
#[derive(Debug, Clone, PartialEq)]
pub struct Diver {
    /// Height, metres.
    pub height: f64,
    /// Mass, kg.
    pub mass: f64,
    /// How the diver folds up.
    pub position: Position,
    /// How far each arm is thrown, radians: up to 90 degrees. Positive: left arm up, right arm down; negative the other way; 0: no twist.
    pub throw: f64,
    /// Seconds from take-off to entry.
    pub duration: f64,
}

impl Default for Diver {
    fn default() -> Self {
        Diver { height: 1.75, mass: 70.0, position: Position::Pike, throw: 80_f64.to_radians(), duration: 1.6 }
    }
}

impl Diver {
    /// The dive, sampled at about `fps` frames per second.
    ///
    /// # Errors
    /// A parameter is out of range.
    pub fn clip(&self, fps: f64) -> Result<Clip, Error> {
        gait::positive("height", self.height)?;
        gait::positive("mass", self.mass)?;
        Error::unless(self.throw.abs() <= 0.5 * PI, "throw", self.throw, "at most 90 degrees either way, in radians")?;
        let skeleton = human::skeleton(self.height, self.mass);
        let steps = gait::sequence_steps(self.duration, fps, skeleton.joints())?;
        let score = self.score();
        skeleton.clip(Playback::Once, self.duration / steps as f64, steps + 1, |k| posture(&score, k as f64 / steps as f64).turns())
    }

    /// Postures and when they are reached, as shares of the dive.
    fn score(&self) -> [(f64, Posture); 9] {
        let straight =
            |left: f64, right: f64| Posture { arms: [[left, 0.0], [right, 0.0]], elbows: 0.0, hips: 0.0, knees: 0.0, spine: 0.0 };
        let (up, aside, thrown) = (straight(1.45, 1.45), straight(0.0, 0.0), straight(self.throw, -self.throw));
        let folded = match self.position {
            Position::Tuck => Posture { arms: [[-0.55, 1.35]; 2], elbows: 0.3, hips: 2.0, knees: 2.2, spine: 0.6 },
            Position::Pike => Posture { arms: [[0.15, 1.45]; 2], elbows: 0.0, hips: 1.9, knees: 0.0, spine: 0.6 },
            Position::Layout => straight(-1.3, -1.3),
        };
        [(0.0, up), (0.05, up), (0.18, folded), (0.32, folded), (0.44, aside), (0.52, thrown), (0.76, thrown), (0.84, aside), (1.0, up)]
    }
}

/// The posture at the fraction `x` of the dive: smoothly from one to the next.
fn posture(score: &[(f64, Posture)], x: f64) -> Posture {
    let next = score.partition_point(|(at, _)| *at <= x).clamp(1, score.len() - 1);
    let ((from, before), (to, after)) = (&score[next - 1], &score[next]);
    before.towards(after, gait::smooth((x - from) / (to - from)))
}
