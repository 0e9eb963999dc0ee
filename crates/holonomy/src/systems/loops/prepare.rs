//! From what is asked of a loop to the problem and its first guess.

use nalgebra::{Matrix3, UnitQuaternion, Vector3, Vector6};

use super::curve::{Curve, Objective, Tie};
use super::forward::{Keep, Run};
use super::guess::{Guessed, Method, close, gap, half_square};
use super::steering::steered;
use super::watch::Watch;
use super::{Closure, Guess, Hold, Loop, Period, Rule};
use crate::Error;
use crate::integrate::force_law::Stiffness;
use crate::integrate::implicit;
use crate::lie::{Pose, Twist};

/// Fewest frames: each has two neighbours, and those two others.
const FEWEST: usize = 5;
/// Share of the loss of the system left to itself at which another guess is far better.
const FAR_BETTER: f64 = 0.1;
/// Vertices up to which a guess is closed; closing more costs more than it saves.
const FEW: usize = 40;
/// Departure from symmetry, as a share of the forces, that is round-off.
const NOTICED: f64 = 1e-6;

impl Loop<'_> {
    /// Refuses what cannot be.
    pub(super) fn validate(&self) -> Result<(), Error> {
        let n = self.law.masses().len();
        if n == 0 {
            return Err(Error::Empty { what: "mechanical system", fix: "give it at least one vertex that is free to move" });
        }
        for &mass in self.law.masses() {
            Error::unless(mass.is_finite() && mass > 0.0, "mass", mass, "a finite number above zero")?;
        }
        Error::unless(self.frames >= FEWEST, "frames", self.frames as f64, "5 or more in one period")?;
        let length = |what, found: usize| if found == n { Ok(()) } else { Err(Error::Length { what, expected: n, found }) };
        length("positions of the start", self.start.positions.len())?;
        length("velocities of the start", self.start.velocities.len())?;
        finite(0, &self.start.positions)?;
        finite(0, &self.start.velocities)?;
        self.validate_period()?;
        soft(self.start.hold_positions)?;
        soft(self.start.hold_velocities)?;
        self.validate_keyframes()?;
        if let Some(lively) = &self.liveliness {
            let energy = lively.kinetic_energy;
            Error::unless(energy.is_finite() && energy > 0.0, "kinetic_energy", energy, "a finite number above zero, J")?;
            soft(Hold::Soft(lively.softness))?;
        }
        let settings = &self.settings;
        Error::unless(settings.tolerance.is_finite() && settings.tolerance >= 0.0, "tolerance", settings.tolerance, "zero or more")?;
        let force = self.forces(0.0, &self.start.positions);
        if !force.iter().all(|f| f.iter().all(|x| x.is_finite())) {
            return Err(Error::Degenerate { frame: 0, reason: "the forces of the start are not finite; are two vertices in one place?" });
        }
        self.validate_symmetry()
    }

    fn validate_period(&self) -> Result<(), Error> {
        let good = |name, value: f64| Error::unless(value.is_finite() && value > 0.0, name, value, "a finite number of seconds above zero");
        let longest = match self.period {
            Period::Fixed(seconds) => return good("period", seconds),
            Period::Free { near } => good("period.near", near).map(|()| near)?,
            Period::Return { least, most } => {
                good("period.least", least)?;
                Error::unless(
                    most.is_finite() && most >= least,
                    "period.most",
                    most,
                    "a finite number of seconds, no less than period.least",
                )?;
                most
            }
        };
        let q = &self.start.positions;
        let now = self.forces(0.0, q);
        if [0.31, 0.57, 0.83].iter().any(|part| self.forces(part * longest, q) != now) {
            let reason = "the forces depend on time, so the period is theirs; make it fixed";
            return Err(Error::Degenerate { frame: 0, reason });
        }
        Ok(())
    }

    fn validate_keyframes(&self) -> Result<(), Error> {
        let n = self.law.masses().len();
        for keyframe in &self.keyframes {
            let frame = keyframe.frame;
            Error::unless(frame < self.frames, "keyframe.frame", frame as f64, "below the number of frames")?;
            let expected = if keyframe.vertices.is_empty() { n } else { keyframe.vertices.len() };
            if keyframe.positions.len() != expected {
                return Err(Error::Length { what: "positions of a keyframe", expected, found: keyframe.positions.len() });
            }
            if let Some((index, &vertex)) = keyframe.vertices.iter().enumerate().find(|(_, v)| **v >= n) {
                return Err(Error::VertexOutOfRange { what: "keyframe vertex", index, vertex, vertices: n });
            }
            finite(frame, &keyframe.positions)?;
            soft(keyframe.hold)?;
        }
        Ok(())
    }

    /// A loop can close up to a rigid motion only if the forces do not notice it.
    fn validate_symmetry(&self) -> Result<(), Error> {
        let q = &self.start.positions;
        let size = q.iter().fold(1e-3_f64, |most, p| most.max(p.norm()));
        let probes = match self.closure {
            Closure::Exact => Vec::new(),
            Closure::Moved(twist) => {
                let finite = twist.is_finite();
                Error::unless(finite, "closure", f64::NAN, "a finite twist")?;
                vec![twist * (1.0 / self.frames as f64)]
            }
            Closure::Free { components, near } => {
                Error::unless(near.is_none_or(|twist| twist.is_finite()), "closure.near", f64::NAN, "a finite twist")?;
                let unit = |k: usize| {
                    Vector6::from_fn(|i, _| {
                        if i != k {
                            0.0
                        } else if k < 3 {
                            0.7
                        } else {
                            0.7 * size
                        }
                    })
                };
                (0..6).filter(|&k| components[k]).map(|k| unit(k).into()).collect()
            }
        };
        let still = self.forces(0.0, q);
        let mut stiffness = vec![Matrix3::zeros(); self.law.pattern().blocks()];
        self.law.stiffness(0.0, q, Stiffness::Exact, &mut stiffness);
        // What is at rest has no force to compare with, but for round-off.
        let stiff = stiffness.iter().fold(0.0_f64, |most, block| most.max(block.norm()));
        let scale = still.iter().fold(1e-6 * stiff * size, |most, f| most.max(f.norm()));
        for twist in probes {
            let pose = Pose::exp(&twist);
            let moved = self.forces(0.0, &q.iter().map(|p| pose.act(p)).collect::<Vec<_>>());
            if moved.iter().zip(&still).any(|(m, s)| (m - pose.rotation * s).norm() > NOTICED * scale) {
                let reason = "the forces are not the same after the rigid motion up to which the loop shall close (gravity, ground, wind or a held \
                              vertex?); leave out what they notice";
                return Err(Error::Degenerate { frame: 0, reason });
            }
        }
        Ok(())
    }

    /// Refuses what a step of the run that is left to itself cannot be solved for in the memory that is allowed.
    pub(super) fn afford_steps(&self) -> Result<(), Error> {
        if self.rule == Rule::Symplectic {
            return Ok(());
        }
        self.afford(implicit::step_bytes(self.law.pattern())?, "one implicit step of the motion before the loop")
    }

    /// Refuses derivatives of a run that would not fit: a factor for each frame, or its stiffness.
    pub(super) fn afford_derivatives(&self) -> Result<(), Error> {
        let of_frame = match self.rule {
            Rule::Symplectic => self.law.pattern().blocks() * size_of::<Matrix3<f64>>(),
            // Both halves of a factor are kept.
            Rule::Backward => implicit::step_bytes(self.law.pattern())?.saturating_mul(2),
        };
        self.afford(of_frame.saturating_mul(self.frames), "closing a first guess, or shooting")
    }

    fn afford(&self, needed: usize, what: &'static str) -> Result<(), Error> {
        let (allowed, fix) = (self.settings.memory_limit, "allow more, or take fewer frames or vertices");
        if needed <= allowed { Ok(()) } else { Err(Error::Memory { what, needed, allowed, fix }) }
    }

    /// F.
    fn forces(&self, time: f64, q: &[Vector3<f64>]) -> Vec<Vector3<f64>> {
        let mut force = vec![Vector3::zeros(); q.len()];
        self.law.force(time, q, &mut force);
        force
    }

    /// r₁: one step from the start.
    fn second(&self, h: f64) -> Result<Vec<Vector3<f64>>, Error> {
        let (q, v) = (&self.start.positions, &self.start.velocities);
        let before = q.iter().zip(v).map(|(q, v)| q - v * h).collect();
        let run = Run {
            law: self.law,
            frames: 1,
            time_step: h,
            begin: -h,
            rule: self.rule,
            start: [before, q.clone()],
            memory_limit: self.settings.memory_limit,
            stop: &|| false,
        };
        let path = run.run(&vec![Vector3::zeros(); q.len()], Keep::Positions);
        let reason = "the first step from the start leads nowhere; take more frames, or a calmer start";
        path.map(|path| path.positions[2 * q.len()..].to_vec()).ok_or(Error::BrokeDown { what: "frame", index: 1, reason })
    }

    /// The run of one period from the start.
    pub(super) fn run<'b>(&'b self, period: f64, stop: &'b dyn Fn() -> bool) -> Result<Run<'b>, Error> {
        let h = period / self.frames as f64;
        let start = [self.start.positions.clone(), self.second(h)?];
        let memory_limit = self.settings.memory_limit;
        Ok(Run { law: self.law, frames: self.frames, time_step: h, begin: 0.0, rule: self.rule, start, memory_limit, stop })
    }

    /// The problem. Where something is tied hard, soft ties have nothing to say.
    pub(super) fn objective(&self, period: f64) -> Result<Objective<'_>, Error> {
        let n = self.law.masses().len();
        let h = period / self.frames as f64;
        let mut ties = Vec::new();
        let mut tie = |frame, vertex, base, slope, hold| {
            let softness = match hold {
                Hold::Free => return,
                Hold::Soft(softness) => Some(softness),
                Hold::Hard => None,
            };
            ties.push(Tie { frame, vertex, base, slope, softness });
        };
        for keyframe in &self.keyframes {
            for (k, &position) in keyframe.positions.iter().enumerate() {
                let vertex = keyframe.vertices.get(k).copied().unwrap_or(k);
                tie(keyframe.frame, vertex, position, Vector3::zeros(), keyframe.hold);
            }
        }
        for (i, second) in self.second(h)?.into_iter().enumerate() {
            let first = self.start.positions[i];
            tie(0, i, first, Vector3::zeros(), self.start.hold_positions);
            tie(1, i, first, (second - first) / h, self.start.hold_velocities);
        }
        let mut hard: Vec<Option<Vector3<f64>>> = vec![None; self.frames * n];
        for tie in ties.iter().filter(|tie| tie.softness.is_none()) {
            let place = tie.base + tie.slope * h;
            if hard[tie.frame * n + tie.vertex].replace(place).is_some_and(|other| other != place) {
                let reason = "a vertex must be in two places at once; soften one of the keyframes, or the start";
                return Err(Error::Degenerate { frame: tie.frame, reason });
            }
        }
        let mut seen = vec![false; hard.len()];
        ties.retain(|tie| {
            let place = tie.frame * n + tie.vertex;
            if tie.softness.is_some() { hard[place].is_none() } else { !std::mem::replace(&mut seen[place], true) }
        });
        let free_twist = if let Closure::Free { components, .. } = self.closure { components } else { [false; 6] };
        let free_period = !matches!(self.period, Period::Fixed(_));
        Ok(Objective { law: self.law, frames: self.frames, rule: self.rule, ties, liveliness: self.liveliness, free_period, free_twist })
    }

    /// T and ξ to begin with.
    pub(super) fn first_period_and_twist(&self, stop: &dyn Fn() -> bool) -> Result<(f64, Twist), Error> {
        let given = if let Guess::Given(curve) = &self.guess { Some(curve) } else { None };
        let period = match (self.period, given) {
            (Period::Fixed(seconds), _) => seconds,
            (_, Some(curve)) => curve.period,
            (Period::Free { near }, _) => near,
            (Period::Return { least, most }, _) => self.best_return(least, most, stop)?,
        };
        Error::unless(period.is_finite() && period > 0.0, "period of the first guess", period, "a finite number of seconds above zero")?;
        let twist = match (self.closure, given) {
            (Closure::Exact, _) => Twist::zero(),
            (Closure::Moved(twist), _) => twist,
            (Closure::Free { .. }, Some(curve)) => curve.twist,
            (Closure::Free { near: Some(twist), .. }, _) => twist,
            (Closure::Free { components, near: None }, _) => {
                let run = self.run(period, stop)?;
                let n = self.law.masses().len();
                let path = run.run(&vec![Vector3::zeros(); self.frames * n], Keep::Positions);
                path.map_or(Twist::zero(), |path| {
                    let ends = [&path.positions[..n], &path.positions[self.frames * n..(self.frames + 1) * n]];
                    fitted(self.law.masses(), ends, components)
                })
            }
        };
        Ok((period, twist))
    }

    /// When the system left to itself comes back closest, among whole steps of time.
    fn best_return(&self, least: f64, most: f64, stop: &dyn Fn() -> bool) -> Result<f64, Error> {
        let n = self.law.masses().len();
        let h = 0.5 * (least + most) / self.frames as f64;
        let steps = (most / h).ceil() as usize;
        let run = Run { frames: steps, ..self.run(h * self.frames as f64, stop)? };
        let Some(path) = run.run(&vec![Vector3::zeros(); steps * n], Keep::Positions) else { return Ok(0.5 * (least + most)) };
        let components = if let Closure::Free { components, .. } = self.closure { components } else { [false; 6] };
        let masses = self.law.masses();
        let miss = |frame: usize| {
            let ends = [&path.positions[..n], &path.positions[frame * n..(frame + 1) * n]];
            let twist = if let Closure::Moved(twist) = self.closure { twist } else { fitted(masses, ends, components) };
            let pose = Pose::exp(&twist);
            // Positions and velocities, both in metres: a velocity counts for a radian's worth of the shortest period.
            let weight = (least / (std::f64::consts::TAU * h)).powi(2);
            (0..n)
                .map(|i| {
                    let at = |frame: usize| path.positions[frame * n + i];
                    let speed = at(frame + 1) - at(frame) - pose.rotation * (at(1) - at(0));
                    masses[i] * ((at(frame) - pose.act(&at(0))).norm_squared() + weight * speed.norm_squared())
                })
                .sum::<f64>()
        };
        let first = ((least / h).floor() as usize).clamp(1, steps);
        let best = (first..=steps).min_by(|a, b| miss(*a).total_cmp(&miss(*b))).unwrap_or(steps);
        Ok(best as f64 * h)
    }

    /// The first curve, and the closures of its iterates.
    pub(super) fn first_curve(&self, objective: &Objective, period: f64, twist: Twist, watch: &Watch) -> Result<(Curve, Vec<f64>), Error> {
        if let Guess::Given(curve) = &self.guess {
            let expected = self.frames * self.law.masses().len();
            if curve.positions.len() != expected {
                return Err(Error::Length { what: "positions of the first guess", expected, found: curve.positions.len() });
            }
            finite(0, &curve.positions)?;
            Error::unless(twist.is_finite(), "twist of the first guess", f64::NAN, "finite")?;
            return Ok((Curve { positions: curve.positions.clone(), period, twist }, Vec::new()));
        }
        let along = |positions: &[Vector3<f64>]| {
            let n = self.law.masses().len();
            let bare = Curve { positions: Vec::new(), period, twist };
            let back: Vec<Pose> = (0..self.frames).map(|j| bare.frame(j, self.frames).inverse()).collect();
            let positions = positions.iter().enumerate().map(|(k, q)| back[k / n].act(q)).collect();
            self.bent(objective, Curve { positions, ..bare })
        };
        let mut residuals = vec![Vector3::zeros(); self.frames * objective.vertices()];
        let mut closed = Vec::new();
        match &self.guess {
            Guess::Best(iterations) if objective.vertices() <= FEW => {
                closed = vec![Guess::Closing(*iterations), Guess::FastProjection(*iterations)];
            }
            asked => {
                // What was asked for is taken if it is finite.
                let asked = if let Guess::Best(_) = asked { &Guess::Steered } else { asked };
                let led = self.guessed(asked, period, twist, watch)?;
                let curve = along(&led.positions);
                if objective.loss(&curve, &mut residuals).is_finite() {
                    return Ok((curve, led.closure));
                }
            }
        }
        let forward = self.guessed(&Guess::Forward, period, twist, watch)?;
        let mut guess = along(&forward.positions);
        let seam = objective.loss(&guess, &mut residuals);
        let mut closure = forward.closure;
        for way in closed {
            let led = self.guessed(&way, period, twist, watch)?;
            let curve = along(&led.positions);
            closure = led.closure;
            // Only what is better by far: forces of control spoil a motion that is chaotic.
            if objective.loss(&curve, &mut residuals) < FAR_BETTER * seam {
                guess = curve;
                break;
            }
            if watch.is_stopped() {
                break;
            }
        }
        Ok((guess, closure))
    }

    /// A guess of its own, in the world. Where a run leads nowhere, the start stands still.
    pub(super) fn guessed(&self, guess: &Guess, period: f64, twist: Twist, watch: &Watch) -> Result<Guessed, Error> {
        if matches!(guess, Guess::FastProjection(_) | Guess::Closing(_)) {
            self.afford_derivatives()?;
        }
        let stop = || watch.asks_to_stop();
        let run = self.run(period, &stop)?;
        let (n, pose) = (self.law.masses().len(), Pose::exp(&twist));
        let none = vec![Vector3::zeros(); self.frames * n];
        let led = match guess {
            Guess::FastProjection(iterations) => close(&run, &pose, Method::Scalar, *iterations, watch),
            Guess::Closing(iterations) => close(&run, &pose, Method::Vector, *iterations, watch),
            Guess::Steered => {
                steered(&run, &pose).map(|positions| Guessed { positions, control: none.clone(), closure: Vec::new(), interrupted: false })
            }
            Guess::Forward | Guess::Best(_) | Guess::Given(_) => run.run(&none, Keep::Positions).map(|path| {
                let closure = vec![half_square(&gap(&run, &path, &pose))];
                Guessed { positions: path.positions[..self.frames * n].to_vec(), control: none.clone(), closure, interrupted: false }
            }),
        };
        Ok(led.unwrap_or_else(|| Guessed {
            positions: self.start.positions.iter().copied().cycle().take(self.frames * n).collect(),
            control: none,
            closure: Vec::new(),
            interrupted: watch.is_stopped(),
        }))
    }

    /// A guess bent to go through what is tied hard: between such frames, vertices are moved by what lies between, in proportion.
    fn bent(&self, objective: &Objective, mut curve: Curve) -> Curve {
        let n = objective.vertices();
        let old = curve.positions.clone();
        objective.settle(&mut curve);
        let fixed = objective.fixed();
        for i in 0..n {
            let held: Vec<usize> = (0..self.frames).filter(|&j| fixed[j * n + i]).collect();
            for (k, &from) in held.iter().enumerate() {
                let to = if k + 1 < held.len() { held[k + 1] } else { held[0] + self.frames };
                let off = |j: usize| curve.positions[j % self.frames * n + i] - old[j % self.frames * n + i];
                let (first, last) = (off(from), off(to));
                for j in from + 1..to {
                    let part = (j - from) as f64 / (to - from) as f64;
                    curve.positions[j % self.frames * n + i] = old[j % self.frames * n + i] + first * (1.0 - part) + last * part;
                }
            }
        }
        curve
    }
}

fn finite(frame: usize, vectors: &[Vector3<f64>]) -> Result<(), Error> {
    match vectors.iter().position(|v| !v.iter().all(|x| x.is_finite())) {
        Some(vertex) => Err(Error::NonFinitePosition { frame, vertex, value: vectors[vertex].into() }),
        None => Ok(()),
    }
}

fn soft(hold: Hold) -> Result<(), Error> {
    match hold {
        Hold::Soft(softness) => {
            Error::unless(softness.is_finite() && softness > 0.0, "softness", softness, "a finite number above zero (for zero, hold hard)")
        }
        Hold::Free | Hold::Hard => Ok(()),
    }
}

/// The twist whose exponential takes the first points closest to the others (Kabsch), of these components.
fn fitted(masses: &[f64], [from, to]: [&[Vector3<f64>]; 2], components: [bool; 6]) -> Twist {
    if components == [false; 6] {
        return Twist::zero();
    }
    let mass: f64 = masses.iter().sum();
    let centre = |points: &[Vector3<f64>]| points.iter().zip(masses).map(|(p, m)| p * *m).sum::<Vector3<f64>>() / mass;
    let (a, b) = (centre(from), centre(to));
    let mut rotation = UnitQuaternion::identity();
    if components[..3] != [false; 3] {
        let spread: Matrix3<f64> = (0..from.len()).map(|i| (to[i] - b) * (from[i] - a).transpose() * masses[i]).sum();
        rotation = UnitQuaternion::from_matrix_eps(&spread, 1e-12, 100, UnitQuaternion::identity());
    }
    let twist: Vector6<f64> = Pose::from_rotation_translation(rotation, b - rotation * a).log().into();
    Vector6::from_fn(|k, _| if components[k] { twist[k] } else { 0.0 }).into()
}
