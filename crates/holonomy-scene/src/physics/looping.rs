//! What is simulated in a scene, as a motion that repeats without a seam.

mod honesty;
mod touching;

use std::ops::ControlFlow;

use holonomy::elastic::body::Body;
use holonomy::elastic::load::{Contact, Wind};
use holonomy::elastic::path::Path;
use holonomy::integrate::force_law::ForceLaw;
use holonomy::integrate::implicit::{self, Scheme, Simulation};
use holonomy::lie::{Momentum, Pose};
use holonomy::medium::ground::Ground;
use holonomy::medium::obstacle::Obstacle;
use holonomy::models::soft::{Refinement, SoftModel};
use holonomy::motion::{Motion, Quantity, Track};
use holonomy::nalgebra::{UnitQuaternion, Vector3};
use holonomy::shape::{Clip, Playback, Topology};
use holonomy::systems::loops::baseline::Baseline;
use holonomy::systems::loops::{self, Closure, Curve, Gravity, Liveliness, Looped};

use self::honesty::{Crossings, report_flight};
use self::touching::{Steps, Touching};
use super::{Physics, Run};
use crate::Error;
use crate::loaded::LoadedBody;
use crate::memory;
use crate::scene::{self, Simulated, ball};

/// How a loop begins.
struct Begun {
    /// Of free vertices, metres.
    positions: Vec<Vector3<f64>>,
    /// m/s.
    velocities: Vec<Vector3<f64>>,
    /// What is to be said of how it came there.
    told: Option<String>,
}

impl Begun {
    fn state(&self) -> implicit::State {
        implicit::State { time: 0.0, q: self.positions.clone(), velocity: self.velocities.clone() }
    }
}

/// Told (iteration, iterations), it may ask to stop.
type Progress<'a> = dyn FnMut(usize, usize) -> ControlFlow<()> + 'a;

/// Height of the centre of mass.
const HEIGHT: Quantity = Quantity::new("height", "m");

/// How deep what touches must be for the pressure that a scene calls hardness, metres.
const DEPTH: f64 = 0.01;

/// A place so far off is nowhere, metres.
const LOST: f64 = 1e9;

/// How firmly the energy that a scene asks for is kept.
const LIVELY: f64 = 1e-2;

/// What it costs gradient descent not to close, and its iterations.
const SHOOTING: f64 = 1e4;
const SHOTS: usize = 100;

/// How often a loop is sought, at most: again with those parts kept apart that touch in the last one and were not.
const ROUNDS: usize = 3;

/// A scene's body, simulated, with all that its loop needs.
struct Looping {
    law: Law,
    name: String,
    settings: scene::Loop,
    positions: Vec<Vector3<f64>>,
    velocities: Vec<Vector3<f64>>,
    keyframes: Vec<loops::Keyframe>,
    frames: usize,
    period: f64,
    cycles: usize,
    /// The same of a coarser mesh; this one begins where that one's loop does.
    coarse: Option<(Box<Looping>, Refinement)>,
}

enum Law {
    Soft(Box<Body>),
    /// With the radius of the balls that are drawn.
    Planets(Gravity, f64),
}

pub(super) fn looping(
    settings: &scene::Loop,
    scene: &scene::Scene,
    body: &LoadedBody,
    Run { steps, refused, .. }: Run,
) -> Result<Box<dyn Physics>, Error> {
    let period = steps as f64 / scene.time.fps.si();
    let looping = |law, positions: Vec<Vector3<f64>>, velocities| {
        let keyframe = |key| keyframe(key, settings, &positions, steps, period);
        let keyframes = settings.keyframes.iter().map(keyframe).collect::<Result<_, Error>>()?;
        let (name, cycles, settings) = (body.name.clone(), scene.time.cycles.get(), settings.clone());
        Ok::<_, Error>(Looping { law, name, settings, positions, velocities, keyframes, frames: steps, period, cycles, coarse: None })
    };
    match &body.simulated {
        Some(Simulated::Soft(model)) => {
            let of = |model: &dyn SoftModel| {
                let (soft, positions) = soft(model, settings, period, &body.start()).map_err(refused)?;
                let velocities = spun(soft.masses(), &positions, body);
                looping(Law::Soft(Box::new(soft)), positions, velocities)
            };
            let levels = settings.levels.get();
            Ok(Box::new(coarse_to_fine(&**model, levels, &of)?.map_or_else(|| no_levels(&body.name), Ok)?))
        }
        Some(Simulated::Planets(..)) if settings.self_contact.is_some() => {
            Err(Error::Choice(format!("`{}` has no surface that could touch itself; leave `self-contact` out", body.name)))
        }
        Some(Simulated::Planets(..)) if settings.levels.get() > 0 => no_levels(&body.name),
        Some(Simulated::Planets(model, radius)) => {
            let (positions, velocities) = model.begin().map_err(refused)?;
            let law = Gravity::new(vec![1.0; positions.len()], 1.0, 0.0).map_err(refused)?;
            let pose = body.start();
            let positions = positions.iter().map(|place| pose.act(place)).collect();
            let velocities = velocities.iter().map(|velocity| pose.rotation * velocity).collect();
            Ok(Box::new(looping(Law::Planets(law, *radius), positions, velocities)?))
        }
        None => {
            let kinds = "cloth, ribbons, soft-bar, doughnut, planets, or a closed asset with `soft`";
            Err(Error::Choice(format!("`{}` is not simulated, so no loop can be found for it; use {kinds}", body.name)))
        }
    }
}

fn no_levels<T>(name: &str) -> Result<T, Error> {
    Err(Error::Choice(format!(
        "`{name}` cannot be made so much coarser; `levels` is for cloth of many cells, so take fewer or leave it out"
    )))
}

/// A soft body under the loads of the scene, and where its free vertices are at first.
fn soft(model: &dyn SoftModel, settings: &scene::Loop, period: f64, pose: &Pose) -> Result<(Body, Vec<Vector3<f64>>), holonomy::Error> {
    let mut made = model.settings(period)?;
    let first = model.first_shape(&made.mesh.points).unwrap_or_else(|| made.mesh.points.clone());
    made.mesh = made.mesh.moved(pose);
    for hold in &mut made.holds {
        hold.place = pose.act(&hold.place);
    }
    made.loads.gravity = Vector3::y() * -settings.gravity.si();
    made.loads.wind = wind(settings);
    made.loads.contacts = contacts(settings, period);
    let soft = Body::new(made)?;
    let first: Vec<Vector3<f64>> = first.iter().map(|point| pose.act(point)).collect();
    let positions = soft.free(&first);
    Ok((soft, positions))
}

/// What is made of a model, with the same of `levels` coarser ones; none if there are not so many.
fn coarse_to_fine(
    model: &dyn SoftModel,
    levels: usize,
    of: &dyn Fn(&dyn SoftModel) -> Result<Looping, Error>,
) -> Result<Option<Looping>, Error> {
    let mut fine = of(model)?;
    if levels > 0 {
        let Some((coarse, refinement)) = model.coarser() else { return Ok(None) };
        let Some(mut coarse) = coarse_to_fine(&*coarse, levels - 1, of)? else { return Ok(None) };
        // Where it begins may touch itself: what follows takes it apart.
        coarse.settings.self_contact = None;
        fine.coarse = Some((Box::new(coarse), refinement));
    }
    Ok(Some(fine))
}

/// A keyframe of the vertices that begin at `positions`.
fn keyframe(
    key: &scene::Keyframe,
    settings: &scene::Loop,
    positions: &[Vector3<f64>],
    frames: usize,
    period: f64,
) -> Result<loops::Keyframe, Error> {
    let time = key.time.si();
    if time > period {
        return Err(Error::Choice(format!("a keyframe is at {time} s, but the loop takes {period} s; let it be earlier")));
    }
    let within = |place: &Vector3<f64>| key.part.as_ref().is_none_or(|part| (place - part.at.metres()).norm() <= part.radius.si());
    let vertices: Vec<usize> = (0..positions.len()).filter(|&vertex| within(&positions[vertex])).collect();
    if vertices.is_empty() {
        let fix = "move the ball, or make it larger; what is held anyway does not count";
        return Err(Error::Choice(format!("nothing of the body lies in the ball of the keyframe at {time} s\n  fix: {fix}")));
    }
    let middle = vertices.iter().map(|&vertex| positions[vertex]).sum::<Vector3<f64>>() / vertices.len() as f64;
    let turn = key.turn.map_or_else(UnitQuaternion::identity, |turn| turn.rotation());
    let there = middle + key.shift.map_or_else(Vector3::zeros, |shift| shift.metres());
    let positions = vertices.iter().map(|&vertex| there + turn * (positions[vertex] - middle)).collect();
    let frame = (time / period * frames as f64).round() as usize % frames.max(1);
    Ok(loops::Keyframe { frame, vertices, positions, hold: held(key.hold, settings) })
}

/// How firmly the engine is to hold that.
fn held(hold: scene::Hold, settings: &scene::Loop) -> loops::Hold {
    match hold {
        scene::Hold::Free => loops::Hold::Free,
        scene::Hold::Soft => loops::Hold::Soft(settings.softness.si().max(1e-12)),
        scene::Hold::Hard => loops::Hold::Hard,
    }
}

/// Velocities of vertices that move as the scene says of the body.
fn spun(masses: &[f64], positions: &[Vector3<f64>], body: &LoadedBody) -> Vec<Vector3<f64>> {
    let (twist, center) = (body.start.twist(), center_of(masses, positions));
    positions.iter().map(|place| twist.linear + twist.angular.cross(&(place - center))).collect()
}

fn center_of(masses: &[f64], positions: &[Vector3<f64>]) -> Vector3<f64> {
    let whole: f64 = masses.iter().sum();
    masses.iter().zip(positions).map(|(mass, place)| place * *mass).sum::<Vector3<f64>>() / whole
}

fn wind(settings: &scene::Loop) -> Option<Wind> {
    let velocity = Vector3::from(settings.wind.map(|speed| speed.si()));
    (velocity.norm() > 0.0).then(|| Wind { velocity, coefficient: settings.wind_pressure.si() })
}

fn contacts(settings: &scene::Loop, period: f64) -> Vec<Contact> {
    let pressure = 1e3 * settings.hardness.si();
    let contact = |obstacle, path| Contact { obstacle, path, margin: 0.0, depth: DEPTH, pressure };
    let mut contacts = Vec::new();
    if let Some(height) = settings.ground {
        contacts.push(contact(Obstacle::Ground(Ground::Flat { height: height.si() }), Path::Still));
    }
    for ball in &settings.balls {
        let sphere = Obstacle::Sphere { center: ball.at.metres(), radius: ball.radius.si() };
        contacts.push(contact(sphere, path(ball, period)));
    }
    contacts
}

fn path(ball: &scene::Ball, period: f64) -> Path {
    let phase = ball.phase.map_or(0.0, |angle| angle.si());
    ball.swing.map_or(Path::Still, |reach| Path::Swing { reach: reach.metres(), period, phase })
}

impl Physics for Looping {
    fn run(&self, progress: &mut Progress) -> Result<Motion, holonomy::Error> {
        // Once stopped, always: what is left is gone through in no time.
        let mut stopped = false;
        let progress: &mut Progress = &mut |step, steps| {
            stopped = stopped || progress(step, steps).is_break();
            if stopped { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let mut touching = self.touching();
        let begun = self.begin(touching.as_mut(), progress)?;
        let mut touched = match &mut touching {
            Some(touching) => Some(touching.ahead(begun.state(), self.run_of(self.frames), &mut || self.tell(progress))?),
            None => None,
        };
        let (mut guess, mut rounds) = (None, 0);
        let (law, sought, forward, looped) = loop {
            let law = touched.as_ref().map_or(self.law(), |body| body);
            let (sought, forward) = self.sought(law, begun.state(), progress)?;
            let from = loops::Loop { guess: guess.take().unwrap_or_else(|| sought.guess.clone()), ..sought.clone() };
            let looped = solve(&from, progress)?;
            rounds += 1;
            let missed = match (&mut touching, &touched) {
                (Some(touching), Some(body)) if rounds < ROUNDS && looped.outcome != loops::Outcome::Interrupted => {
                    touching.missed(body, &looped)?
                }
                _ => None,
            };
            let Some(wider) = missed else { break (law, sought, forward, looped) };
            guess = Some(loops::Guess::Given(looped.curve));
            touched = Some(wider);
        };
        let mut tracks = self.tracks(&looped.curve, looped.frames, &self.name)?;
        if let Law::Soft(body) = &self.law {
            tracks[0].of_vertices = of_all(body, &looped.residuals);
        }
        let apart = self.settings.apart.map_or_else(|| 1.3 * tracks[0].shape.size().max(self.extent()), |apart| apart.si());
        let rivals = if looped.outcome == loops::Outcome::Interrupted { &[] } else { self.settings.beside.as_slice() };
        for (i, rival) in rivals.iter().enumerate() {
            let (name, curve) = match rival {
                scene::Rival::Forward => ("left to itself", forward.curve.clone()),
                scene::Rival::Guess => ("first guess", unimproved(&sought, sought.guess.clone(), progress)?.curve),
                scene::Rival::CrossFade => ("cross-faded", baseline(&looped, sought.cross_fade(self.frames / 5)?)),
                scene::Rival::Shooting => ("gradient descent", baseline(&looped, sought.gradient_descent(SHOOTING, SHOTS)?)),
            };
            let aside = shifted(Vector3::x() * (apart * (i + 1) as f64));
            let mut beside = self.tracks(&curve, looped.frames, name)?;
            for track in &mut beside {
                track.poses.iter_mut().for_each(|pose| *pose = aside * *pose);
                track.centers.iter_mut().for_each(|center| *center = aside.act(center));
            }
            tracks.extend(beside);
        }
        let motion = looped.motion(law, forward.history[0], tracks)?;
        memory::ensure_cycles(motion.frames(), self.cycles, motion.tracks.len())?;
        let mut motion = motion.repeated(self.cycles);
        motion.warnings.extend(self.swallowed(&begun.positions));
        motion.warnings.extend(begun.told);
        if let Law::Soft(body) = &self.law {
            let crossings = Crossings::of(body, &looped);
            if touching.is_some() {
                touching::check(&crossings, &mut motion);
            }
            crossings.report(&looped, self.settings.self_contact.map(|thickness| thickness.si()), &mut motion);
            report_flight(body, &looped, &mut motion);
        }
        Ok(motion)
    }
}

/// Finds a loop, and tells `progress` of its iterations.
fn solve(sought: &loops::Loop, progress: &mut Progress) -> Result<Looped, holonomy::Error> {
    let most = sought.settings.max_iterations;
    sought.solve(&mut |now| match now.phase {
        loops::Phase::Closing => progress(0, most),
        loops::Phase::Descending => progress(now.iteration, most),
    })
}

/// How great the forces on the free vertices are, of all vertices, newtons.
fn of_all(body: &Body, forces: &[Vector3<f64>]) -> Vec<f64> {
    let (free, all) = (body.free_vertices(), body.settings().mesh.points.len());
    let mut great = vec![0.0; forces.len() / free.len().max(1) * all];
    for (forces, great) in forces.chunks(free.len().max(1)).zip(great.chunks_mut(all.max(1))) {
        free.iter().zip(forces).for_each(|(&vertex, force)| great[vertex as usize] = force.norm());
    }
    great
}

/// Places of the free vertices at each frame, in the frame that moves along, in which distances are
/// those in the world.
fn shapes_of(curve: &Curve, frames: usize) -> impl Iterator<Item = &[Vector3<f64>]> {
    let vertices = curve.positions.len() / frames.max(1);
    curve.positions.chunks(vertices.max(1))
}

/// What the search begins with.
fn unimproved(sought: &loops::Loop, guess: loops::Guess, progress: &mut Progress) -> Result<Looped, holonomy::Error> {
    let mut begun = loops::Loop { guess, ..sought.clone() };
    begun.settings.max_iterations = 0;
    solve(&begun, progress)
}

/// What a baseline makes of the same frames, in the frame that moves along.
fn baseline(looped: &Looped, made: Baseline) -> Curve {
    let vertices = made.positions.len() / looped.frames;
    let back: Vec<Pose> = (0..looped.frames).map(|k| looped.curve.frame(k, looped.frames).inverse()).collect();
    let positions = made.positions.iter().enumerate().map(|(i, place)| back[i / vertices].act(place)).collect();
    Curve { positions, ..looped.curve.clone() }
}

impl Looping {
    fn law(&self) -> &dyn ForceLaw {
        match &self.law {
            Law::Soft(body) => &**body,
            Law::Planets(gravity, _) => gravity,
        }
    }

    fn rule(&self) -> scene::Rule {
        let usual = if matches!(self.law, Law::Planets(..)) { scene::Rule::Symplectic } else { scene::Rule::Backward };
        self.settings.rule.unwrap_or(usual)
    }

    fn scheme(&self) -> Scheme {
        if self.rule() == scene::Rule::Symplectic { Scheme::SymplecticEuler } else { Scheme::BackwardEuler }
    }

    fn step(&self) -> f64 {
        self.period / self.frames as f64
    }

    /// Most memory that solving may take, bytes.
    fn memory(&self) -> usize {
        (1e9 * self.settings.memory.si()) as usize
    }

    fn implicit(&self) -> implicit::Settings {
        implicit::Settings { memory_limit: self.memory(), ..implicit::Settings::default() }
    }

    /// So many steps of its simulation.
    fn run_of(&self, steps: usize) -> Steps {
        Steps { steps, step: self.step(), scheme: self.scheme(), settings: self.implicit() }
    }

    /// Before the search there is nothing to tell; whether to go on.
    fn tell(&self, progress: &mut Progress) -> ControlFlow<()> {
        progress(0, self.settings.iterations.get())
    }

    /// If it touches itself.
    fn touching(&self) -> Option<Touching<'_>> {
        match (&self.law, self.settings.self_contact) {
            (Law::Soft(body), Some(thickness)) => Some(Touching::new(body, thickness.si(), &self.settings)),
            _ => None,
        }
    }

    /// If most of it begins inside of what is in its way.
    fn swallowed(&self, positions: &[Vector3<f64>]) -> Option<String> {
        let contacts = contacts(&self.settings, self.period);
        let inside = |place: &&Vector3<f64>| {
            let depth = |contact: &Contact| -contact.obstacle.distance(&contact.path.pose(0.0).inverse().act(place)).value;
            contacts.iter().any(|contact| depth(contact) > 0.0)
        };
        let count = positions.iter().filter(inside).count();
        let told = || format!("{count} of {} vertices begin inside the ground or a ball: move it out of the body's way", positions.len());
        (2 * count > positions.len()).then(told)
    }

    /// Where the loop begins: where that of a coarser mesh does, else where it comes to when it is simulated before.
    fn begin(&self, touching: Option<&mut Touching>, progress: &mut Progress) -> Result<Begun, holonomy::Error> {
        let (Some((coarse, refinement)), Law::Soft(body)) = (&self.coarse, &self.law) else { return self.settled(touching, progress) };
        let begun = coarse.begin(None, progress)?;
        let (sought, _) = coarse.sought(coarse.law(), begun.state(), progress)?;
        let Looped { curve, frames, .. } = solve(&sought, progress)?;
        let (free, step) = (coarse.positions.len(), curve.period / frames as f64);
        let fine = |frame: usize| {
            let Law::Soft(coarse) = &coarse.law else { return Vec::new() };
            body.free(&refinement.of(&coarse.placed(frame as f64 * step, &curve.positions[frame * free..][..free])))
        };
        let (positions, next) = (fine(0), fine(1));
        let velocities = positions.iter().zip(&next).map(|(from, to)| (curve.frame(1, frames).act(to) - from) / step).collect();
        Ok(Begun { positions, velocities, told: begun.told })
    }

    /// Where it is after what it is simulated before the loop begins.
    fn settled(&self, touching: Option<&mut Touching>, progress: &mut Progress) -> Result<Begun, holonomy::Error> {
        let steps = (self.settings.settle.si() / self.step()).round() as usize;
        if steps == 0 {
            return Ok(Begun { positions: self.positions.clone(), velocities: self.velocities.clone(), told: None });
        }
        // Handles come out where the loop begins.
        let begin = -(steps as f64) * self.step();
        let mut state = implicit::State { time: begin, q: self.positions.clone(), velocity: self.velocities.clone() };
        let failed = match touching {
            Some(touching) => touching.simulate(&mut state, self.run_of(steps), &mut || self.tell(progress))?,
            None => {
                let mut simulation = Simulation::new(self.law(), self.implicit())?;
                let mut failed = 0;
                for _ in 0..steps {
                    if self.tell(progress).is_break() {
                        break;
                    }
                    failed += usize::from(!simulation.step(&mut state, self.step(), self.scheme())?.converged);
                }
                failed
            }
        };
        // An explicit step fails only where numbers become infinite.
        let lost = failed > 0 && self.scheme() == Scheme::SymplecticEuler || state.q.iter().any(|place| place.amax() > LOST);
        if lost {
            let reason = "simulated before the loop, the body leaves all bounds; raise fps, or take rule = \"backward\"";
            return Err(holonomy::Error::BrokeDown { what: "step", index: steps.saturating_sub(failed), reason });
        }
        let told = (failed > 0).then(|| format!("before the loop, {failed} of {steps} steps were not solved to their end; raise fps"));
        Ok(Begun { positions: state.q, velocities: state.velocity, told })
    }

    /// The loop that is asked for, and the motion that is left to itself.
    fn sought<'a>(
        &self,
        law: &'a dyn ForceLaw,
        begun: implicit::State,
        progress: &mut Progress,
    ) -> Result<(loops::Loop<'a>, Looped), holonomy::Error> {
        let mut sought = self.asked(law, begun);
        let forward = unimproved(&sought, loops::Guess::Forward, progress)?;
        // What was stopped before it moved has no energy to go by.
        if let Some(energy) = self.settings.energy
            && self.tell(progress).is_continue()
        {
            let kinetic = &forward.report.kinetic_energy;
            let wanted = energy.si() * kinetic.iter().sum::<f64>() / kinetic.len() as f64;
            sought.liveliness = Some(Liveliness { kinetic_energy: wanted, softness: LIVELY });
        }
        Ok((sought, forward))
    }

    fn asked<'a>(&self, law: &'a dyn ForceLaw, begun: implicit::State) -> loops::Loop<'a> {
        let settings = &self.settings;
        let mut sought = loops::Loop::new(law, self.frames, self.period, begun.q, begun.velocity);
        sought.rule = match self.rule() {
            scene::Rule::Symplectic => loops::Rule::Symplectic,
            scene::Rule::Backward => loops::Rule::Backward,
        };
        if settings.period == scene::Period::Auto {
            sought.period = loops::Period::Return { least: scene::Loop::SHORTEST * self.period, most: self.period };
        }
        sought.start.hold_positions = held(settings.start, settings);
        sought.start.hold_velocities = held(settings.start_velocity, settings);
        sought.keyframes.clone_from(&self.keyframes);
        let closing = settings.guess_iterations.get();
        sought.guess = match settings.guess {
            scene::Guess::Best => loops::Guess::Best(closing),
            scene::Guess::Forward => loops::Guess::Forward,
            scene::Guess::Closing => loops::Guess::Closing(closing),
            scene::Guess::FastProjection => loops::Guess::FastProjection(closing),
        };
        sought.closure = match settings.travel {
            scene::Travel::None => Closure::Exact,
            scene::Travel::Level => Closure::Free { components: [false, true, false, true, false, true], near: None },
            scene::Travel::Free => Closure::Free { components: [true; 6], near: None },
        };
        sought.settings.max_iterations = settings.iterations.get();
        sought.settings.memory_limit = self.memory();
        sought
    }

    fn tracks(&self, curve: &Curve, frames: usize, name: &str) -> Result<Vec<Track>, holonomy::Error> {
        let dt = curve.period / frames as f64;
        let free = self.law().masses().len();
        let masses = self.law().masses();
        let poses: Vec<Pose> = (0..=frames).map(|k| curve.frame(k, frames)).collect();
        let at = |k: usize| &curve.positions[k % frames * free..][..free];
        match &self.law {
            Law::Soft(body) => {
                let mut all = Vec::new();
                (0..frames).for_each(|k| all.extend(body.placed(k as f64 * dt, at(k))));
                let vertices = all.len() / frames;
                let clip = Clip::new(Topology::Surface { faces: body.surface().to_vec() }, Playback::Loop, dt, vertices, all)?;
                let centers: Vec<Vector3<f64>> = poses.iter().enumerate().map(|(k, pose)| pose.act(&center_of(masses, at(k)))).collect();
                let momenta = self.momenta(&poses, &at, dt);
                let mut track = Track::new(name, clip, poses, centers, momenta);
                let heights = track.centers.iter().map(|center| center.y).collect();
                track.series.push(HEIGHT.per_frame(heights));
                let mut tracks = vec![track];
                tracks.extend(self.balls(dt, frames)?);
                Ok(tracks)
            }
            Law::Planets(_, radius) => (0..free)
                .map(|i| {
                    let (points, faces) = ball(*radius);
                    let clip = Clip::new(Topology::Surface { faces }, Playback::Loop, dt, points.len(), points)?;
                    let centers: Vec<Vector3<f64>> = (0..=frames).map(|k| poses[k].act(&at(k)[i])).collect();
                    let placed = centers.iter().map(|&center| shifted(center)).collect();
                    let momentum = |w: &[Vector3<f64>]| {
                        let momentum = (w[1] - w[0]) * (masses[i] / dt);
                        Momentum::new(w[0].cross(&momentum), momentum)
                    };
                    let momenta = centers.windows(2).map(momentum).collect();
                    Ok(Track::new(&format!("{name} {}", i + 1), clip, placed, centers, momenta))
                })
                .collect(),
        }
    }

    /// How far apart its vertices are at first, metres.
    fn extent(&self) -> f64 {
        holonomy::shape::diagonal(&self.positions)
    }

    /// Momentum of each step, world frame, about the origin.
    fn momenta<'a>(&self, poses: &[Pose], at: &dyn Fn(usize) -> &'a [Vector3<f64>], dt: f64) -> Vec<Momentum> {
        let of = |k: usize| {
            let mut sum = Momentum::zero();
            for ((p, q), mass) in at(k).iter().zip(at(k + 1)).zip(self.law().masses()) {
                let (from, to) = (poses[k].act(p), poses[k + 1].act(q));
                let momentum = (to - from) * (mass / dt);
                sum += Momentum::new(from.cross(&momentum), momentum);
            }
            sum
        };
        (0..poses.len() - 1).map(of).collect()
    }

    /// The balls in the way, as bodies that move.
    fn balls(&self, dt: f64, frames: usize) -> Result<Vec<Track>, holonomy::Error> {
        let moving = |(i, thing): (usize, &scene::Ball)| {
            let (points, faces) = ball(thing.radius.si());
            let clip = Clip::new(Topology::Surface { faces }, Playback::Loop, dt, points.len(), points)?;
            let (path, middle) = (path(thing, self.period), thing.at.metres());
            let centers: Vec<Vector3<f64>> = (0..=frames).map(|k| path.pose(k as f64 * dt).act(&middle)).collect();
            let poses = centers.iter().map(|&center| shifted(center)).collect();
            Ok(Track::new(&format!("ball {}", i + 1), clip, poses, centers, vec![Momentum::zero(); frames]))
        };
        self.settings.balls.iter().enumerate().map(moving).collect()
    }
}

fn shifted(translation: Vector3<f64>) -> Pose {
    Pose { rotation: UnitQuaternion::identity(), translation }
}
