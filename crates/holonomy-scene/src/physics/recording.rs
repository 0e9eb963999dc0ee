//! What a recording says about itself: when its body is in free flight, whether its frame rate
//! agrees with gravity, and how far a result strays from it.
//!
//! In free flight nothing but gravity acts on a body, so its centre of mass moves along a parabola
//! that bends by g. A least-squares parabola through each window of the recording gives its
//! acceleration there; a flight is where that is gravity's. On the ground it is not: there the
//! floor pushes, which no law of this engine knows for a clip.

use std::fmt;

use holonomy::lie::Pose;
use holonomy::medium::{Metric, MetricFrame};
use holonomy::motion::{Figure, Quantity, Track};
use holonomy::nalgebra::Vector3;
use holonomy::shape::{Clip, MassRule};

/// Free fall on the earth, m/s²: what recordings of real bodies show.
const GRAVITY: f64 = 9.81;

/// Length of a window, seconds. A shorter one feels the noise of a recording (2 mm bend a parabola
/// of 0.15 s by some 0.6 m/s²); a longer one misses short hops.
const WINDOW: f64 = 0.15;

/// The acceleration in a window may differ from that of gravity by this share of it.
const AGREES: f64 = 0.35;

/// The centre may be off the parabola by this much, metres: recorded flights are by 0.6 to 3 mm, a
/// foot on the ground for 3 frames of 1/120 s makes some 6.
const OFF: f64 = 0.006;

/// A flight lasts at least this long, seconds.
const SHORTEST: f64 = 0.2;

/// Frame rates in headers that are too high by these factors. No body is pulled down faster than
/// it falls, so an acceleration of 4 g or 16 g that lasts can only come from the time step.
const TOO_FAST: [f64; 2] = [4.0, 2.0];

/// A recording is in flight if it is so but for this long, seconds, or three frames: its ends are
/// known no better.
const REST: f64 = 0.1;

/// The centre of mass of a recorded motion, frame by frame.
pub(super) struct Recording {
    centers: Vec<Vector3<f64>>,
    dt: f64,
}

/// A stretch of a recording in free flight: first and last frame of the clip, and what its centre
/// of mass falls with.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Flight {
    pub first: usize,
    pub last: usize,
    /// m/s², by the clip's own frame time.
    pub acceleration: f64,
    /// By how much the frame rate seems too high: 1 if it agrees with gravity.
    pub too_fast: f64,
}

/// How frames of a clip are numbered in its file: that of the clip's first, and how many go by
/// from one to the next.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Numbers {
    pub first: usize,
    pub stride: f64,
}

impl Numbers {
    /// The number of `frame` in the file.
    pub fn of(self, frame: usize) -> usize {
        self.first + (frame as f64 * self.stride).round() as usize
    }
}

impl Recording {
    /// The way of the centre of mass of `clip`, whose frame k was recorded at `poses[k]`. `None`
    /// if the shape has no mass.
    pub fn of(clip: &Clip, poses: &[Pose]) -> Option<Recording> {
        let (metric, mut frame) = (Metric::isotropic(MassRule::Natural), MetricFrame::default());
        let mut centers = Vec::with_capacity(poses.len());
        for (k, pose) in poses.iter().enumerate() {
            metric.evaluate(clip, k, &mut frame).ok()?;
            centers.push(pose.act(&frame.center()));
        }
        Some(Recording { centers, dt: clip.dt() })
    }

    /// The longest flight, if there is one.
    pub fn flight(&self) -> Option<Flight> {
        let longest = |too_fast: f64| {
            let flights = self.flights(too_fast);
            flights.into_iter().max_by_key(|flight| flight.last - flight.first)
        };
        TOO_FAST.into_iter().chain([1.0]).find_map(longest)
    }

    /// Whether nearly all of it is `flight`.
    pub fn is_all(&self, flight: &Flight) -> bool {
        let rest = self.centers.len() - (flight.last + 1 - flight.first);
        rest <= 3 || rest as f64 * self.dt * flight.too_fast <= REST
    }

    /// All flights, if the frame rate is too high by that factor.
    fn flights(&self, too_fast: f64) -> Vec<Flight> {
        let dt = self.dt * too_fast;
        let frames = ((WINDOW / dt).round() as usize + 1).max(5);
        let gravity = -Vector3::y() * GRAVITY;
        let falls = |k: usize| {
            let Some(window) = self.centers.get(k..k + frames) else { return false };
            let bent = Parabola::through(window, dt);
            (bent.acceleration - gravity).norm() < AGREES * GRAVITY && bent.off < OFF
        };
        let windows = (self.centers.len() + 1).saturating_sub(frames);
        let mut flights = Vec::new();
        let mut k = 0;
        while k < windows {
            let end = (k..windows).find(|&k| !falls(k)).unwrap_or(windows);
            if end > k {
                flights.extend(self.trimmed(k, end - 1 + frames - 1, dt).map(|(first, last)| {
                    let bent = Parabola::through(&self.centers[first..=last], self.dt);
                    Flight { first, last, acceleration: -bent.acceleration.y, too_fast }
                }));
            }
            k = end + 1;
        }
        flights
    }

    /// The frames around the middle of a stretch that keep to one parabola of free fall; `None` if
    /// these are too few.
    fn trimmed(&self, first: usize, last: usize, dt: f64) -> Option<(usize, usize)> {
        let fifth = (last - first) / 5;
        let (from, to) = (first + fifth, last - fifth);
        let fall = |k: usize| -Vector3::y() * (0.5 * GRAVITY * ((k as f64 - from as f64) * dt).powi(2));
        // Without gravity the way is a line: its point at `from` and its velocity, by least
        // squares over the middle.
        let straight: Vec<Vector3<f64>> = (from..=to).map(|k| self.centers[k] - fall(k)).collect();
        let (start, step) = line(&straight);
        let off = |k: usize| (self.centers[k] - fall(k) - start - step * (k as f64 - from as f64)).norm();
        let spread = straight.iter().enumerate().map(|(i, p)| (p - start - step * i as f64).norm_squared()).sum::<f64>();
        let allowed = OFF.max(3.0 * (spread / straight.len() as f64).sqrt());
        let last = (to..self.centers.len()).take_while(|&k| off(k) <= allowed).last()?;
        let first = (0..=from).rev().take_while(|&k| off(k) <= allowed).last()?;
        ((last - first) as f64 * dt >= SHORTEST).then_some((first, last))
    }

    /// What the user should know before a motion is made of the whole recording with the momentum
    /// it was recorded with.
    pub fn notes(&self, numbers: Numbers, gravity: f64) -> Vec<String> {
        let flight = self.flight();
        let mut notes = Vec::new();
        match &flight {
            Some(flight) if self.is_all(flight) => {}
            flight => {
                let take = flight.as_ref().map_or(String::new(), |flight| format!("; take --frames {}", flight.frames(numbers)));
                let ground = self.on_the_ground(flight.as_ref(), numbers);
                notes.push(format!("WARNING: {ground}. The result flies through all frames{take}"));
            }
        }
        if let Some(flight) = flight {
            notes.extend(flight.rate_note(1.0 / self.dt));
            if gravity == 0.0 {
                notes.push(format!(
                    "the recorded body falls with {:.1} m/s² while it is in the air, but the run \
                     has no gravity: add --gravity 9.81",
                    flight.acceleration / (flight.too_fast * flight.too_fast)
                ));
            }
        }
        notes
    }

    /// Says that not all frames are in flight, and which are.
    pub fn on_the_ground(&self, flight: Option<&Flight>, numbers: Numbers) -> String {
        let all = format!("{}..{}", numbers.of(0), numbers.of(self.centers.len() - 1));
        match flight {
            Some(flight) => format!(
                "of the frames {all} only {} are in free flight. In the others the recorded \
                 centre of mass does not fall freely: something \
                 holds the body there, such as the ground, which is not part of this law",
                flight.in_file(numbers, self.dt)
            ),
            None => format!(
                "in none of the frames {all} does the recorded centre of mass fall freely for \
                 {SHORTEST} s, so something holds the body, such as \
                 the ground, which is not part of this law (or --unit or the frame rate is wrong)"
            ),
        }
    }
}

impl Flight {
    /// As `--frames` takes it.
    pub fn frames(&self, numbers: Numbers) -> String {
        format!("{}..{}", numbers.of(self.first), numbers.of(self.last))
    }

    fn in_file(&self, numbers: Numbers, dt: f64) -> String {
        format!("{} ({:.2} s)", self.frames(numbers), (self.last - self.first) as f64 * dt * self.too_fast)
    }

    /// What to say of a frame rate that does not agree with gravity.
    fn rate_note(&self, fps: f64) -> Option<String> {
        (self.too_fast != 1.0).then(|| {
            format!(
                "WARNING: at {fps:.0} frames a second the recorded body falls with {:.0} m/s² in \
                 the air, {:.1} times gravity: it was probably taken at \
                 {:.0}; correct `Frame Time` in the file to {:.6}",
                self.acceleration,
                self.acceleration / GRAVITY,
                fps / self.too_fast,
                self.too_fast / fps
            )
        })
    }
}

/// A parabola through points a fixed time apart, by least squares.
struct Parabola {
    acceleration: Vector3<f64>,
    /// How far the points are off it, root mean square.
    off: f64,
}

impl Parabola {
    fn through(points: &[Vector3<f64>], dt: f64) -> Parabola {
        let n = points.len() as f64;
        let middle = (n - 1.0) / 2.0;
        let x = |k: usize| k as f64 - middle;
        let mean_square = (n * n - 1.0) / 12.0;
        let curve = |k: usize| x(k) * x(k) - mean_square;
        let (mut flat, mut slope, mut bend) = (Vector3::zeros(), Vector3::zeros(), Vector3::zeros());
        let (mut slopes, mut bends) = (0.0, 0.0);
        for (k, point) in points.iter().enumerate() {
            flat += point / n;
            slope += point * x(k);
            bend += point * curve(k);
            slopes += x(k) * x(k);
            bends += curve(k) * curve(k);
        }
        let part = |sum: Vector3<f64>, of: f64| if of > 0.0 { sum / of } else { Vector3::zeros() };
        let (slope, bend) = (part(slope, slopes), part(bend, bends));
        let rest = |(k, point): (usize, &Vector3<f64>)| (point - flat - slope * x(k) - bend * curve(k)).norm_squared();
        let off = (points.iter().enumerate().map(rest).sum::<f64>() / n.max(1.0)).sqrt();
        Parabola { acceleration: bend * (2.0 / (dt * dt)), off }
    }
}

/// The line through points one step apart: its place at the first, and its step.
fn line(points: &[Vector3<f64>]) -> (Vector3<f64>, Vector3<f64>) {
    let n = points.len() as f64;
    let middle = (n - 1.0) / 2.0;
    let (mut mean, mut slope, mut squares) = (Vector3::zeros(), Vector3::zeros(), 0.0);
    for (k, point) in points.iter().enumerate() {
        let x = k as f64 - middle;
        mean += point / n;
        slope += point * x;
        squares += x * x;
    }
    let slope = if squares > 0.0 { slope / squares } else { Vector3::zeros() };
    (mean - slope * middle, slope)
}

/// How far a motion strays from the recording it was made of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Deviation {
    /// Largest distance of the centres of mass, metres.
    distance: f64,
    /// Largest angle between the bodies, degrees.
    turn: f64,
}

impl Deviation {
    /// Of `track`, frame by frame, from its `clip` placed at `poses`.
    pub fn of(track: &Track, clip: &Clip, poses: &[Pose]) -> Option<Deviation> {
        let recording = Recording::of(clip, poses)?;
        let distance = track.centers.iter().zip(&recording.centers).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
        let turn = track.poses.iter().zip(poses).map(|(a, b)| a.rotation.angle_to(&b.rotation)).fold(0.0, f64::max);
        Some(Deviation { distance, turn: turn.to_degrees() })
    }

    /// For the summary.
    pub fn figures(&self) -> [Figure; 2] {
        [
            Figure { quantity: Quantity::new("largest_distance_from_recording", "m"), value: self.distance },
            Figure { quantity: Quantity::new("largest_turn_from_recording", "deg"), value: self.turn },
        ]
    }
}

impl fmt::Display for Deviation {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(
            f,
            "beside the recording the centre of mass is at most {:.3} m off and the body at most {:.0}° turned",
            self.distance, self.turn
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The height of a body that stands, pushes off, flies and lands: what its frames are, at
    /// `fps`.
    fn jump(fps: f64, noise: f64) -> (Recording, [usize; 2]) {
        let (push, up): (f64, f64) = (20.0, 2.0);
        let (stand, pushes, flies) = (0.4, up / push, 2.0 * up / GRAVITY);
        let crouch = 0.5 * push * pushes * pushes;
        let height = |t: f64| match t - stand {
            t if t < 0.0 => 1.0,
            t if t < pushes => 1.0 + 0.5 * push * t * t,
            t if t < pushes + flies => {
                let t = t - pushes;
                1.0 + crouch + up * t - 0.5 * GRAVITY * t * t
            }
            t if t < 2.0 * pushes + flies => 1.0 + 0.5 * push * (2.0 * pushes + flies - t).powi(2),
            _ => 1.0,
        };
        let mut state = 1_u64;
        let mut jitter = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            noise * ((state >> 33) as f64 / f64::from(1_u32 << 30) - 1.0)
        };
        let frames = (1.4 * fps) as usize;
        let centers = (0..frames).map(|k| Vector3::new(0.3 * k as f64 / fps + jitter(), height(k as f64 / fps) + jitter(), jitter()));
        let span = [((stand + pushes) * fps).ceil() as usize, ((stand + pushes + flies) * fps).floor() as usize];
        (Recording { centers: centers.collect(), dt: 1.0 / fps }, span)
    }

    #[test]
    fn a_jump_is_found_where_it_is() {
        for (fps, noise) in [(60.0, 0.0), (120.0, 0.0), (120.0, 0.002), (30.0, 0.001)] {
            let (recording, [first, last]) = jump(fps, noise);
            let flight = recording.flight().unwrap();
            // A foot may be on the ground for some 4 frames of 1/120 s before the way differs by 6
            // mm.
            let slack = (0.04 * fps).ceil() as usize;
            println!("{fps} fps, noise {noise}: found {}..{}, is {first}..{last}", flight.first, flight.last);
            assert!(flight.first.abs_diff(first) <= slack && flight.last.abs_diff(last) <= slack, "{flight:?} for {first}..{last}");
            assert_eq!(flight.too_fast, 1.0);
            assert!(!recording.is_all(&flight));
        }
    }

    #[test]
    fn a_frame_rate_twice_as_high_is_seen_from_the_fall() {
        let (recording, _) = jump(60.0, 0.001);
        let flight = Recording { dt: 1.0 / 120.0, ..recording }.flight().unwrap();
        assert_eq!(flight.too_fast, 2.0);
        assert!((flight.acceleration / GRAVITY - 4.0).abs() < 0.4, "{flight:?}");
        assert!(flight.rate_note(120.0).unwrap().contains("probably taken at 60"));
    }

    #[test]
    fn who_stands_or_walks_does_not_fly() {
        let stands = Recording { centers: vec![Vector3::y(); 240], dt: 1.0 / 120.0 };
        assert_eq!(stands.flight(), None);
        // A walk: 2 cm up and down twice a second, which is 3.2 m/s² at most.
        let bob = |k: usize| Vector3::new(1.3 * k as f64 / 120.0, 1.0 + 0.02 * (12.6 * k as f64 / 120.0).sin(), 0.0);
        let walks = Recording { centers: (0..480).map(bob).collect(), dt: 1.0 / 120.0 };
        assert_eq!(walks.flight(), None);
        assert!(walks.on_the_ground(None, Numbers { first: 1, stride: 1.0 }).contains("frames 1..480"));
    }
}
