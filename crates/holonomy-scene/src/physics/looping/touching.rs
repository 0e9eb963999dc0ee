//! Loops of what touches itself: which parts of it come near each other, before the loop, in it, and in what was found.

use std::ops::ControlFlow;

use holonomy::elastic::body::Body;
use holonomy::elastic::self_contact::SelfContact;
use holonomy::integrate::force_law::ForceLaw;
use holonomy::integrate::implicit::{self, Scheme, Simulation, State};
use holonomy::motion::{Check, Motion};
use holonomy::nalgebra::Vector3;
use holonomy::systems::loops::{Curve, Looped};

use super::honesty::Crossings;
use super::{DEPTH, shapes_of};
use crate::scene;

/// How far around is looked for what may touch, in thicknesses, beside how far things move.
const AROUND: f64 = 3.0;

/// Most parts that a step is taken in.
const PARTS: f64 = 20.0;

/// A simulation of so many steps.
#[derive(Clone, Copy)]
pub(super) struct Steps {
    pub steps: usize,
    /// Seconds.
    pub step: f64,
    pub scheme: Scheme,
    pub settings: implicit::Settings,
}

/// A body with how it touches itself.
pub(super) struct Touching<'a> {
    body: &'a Body,
    contact: SelfContact,
    /// Of all vertices: shapes whose parts are kept apart.
    frames: Vec<Vec<Vector3<f64>>>,
    /// The most that a vertex moves in a frame, metres.
    fastest: f64,
}

impl<'a> Touching<'a> {
    pub fn new(body: &'a Body, thickness: f64, settings: &scene::Loop) -> Touching<'a> {
        let pressure = 1e3 * settings.hardness.si() * (thickness / DEPTH).powi(2);
        Touching { body, contact: SelfContact::new(thickness, pressure), frames: Vec::new(), fastest: 0.0 }
    }

    /// Takes the state on by that many steps, in each of which those parts are kept apart that could meet; and how many steps were not solved to their end. A step in which something moves farther
    /// than half the thickness is taken in parts. `go_on` may stop it before each step.
    pub fn simulate(
        &mut self,
        state: &mut State,
        run: Steps,
        go_on: &mut dyn FnMut() -> ControlFlow<()>,
    ) -> Result<usize, holonomy::Error> {
        let Steps { steps, step, scheme, settings } = run;
        let mut failed = 0;
        self.frames.clear();
        self.fastest = 0.0;
        self.frames.push(self.body.placed(state.time, &state.q));
        for _ in 0..steps {
            if go_on().is_break() {
                break;
            }
            let way = state.velocity.iter().map(|v| v.norm() * step).fold(0.0, f64::max);
            let reach = AROUND * self.contact.thickness + 2.0 * way;
            let now = &self.frames[self.frames.len() - 1..];
            let law = self.body.with_self_contact(&SelfContact { reach, ..self.contact }, now)?;
            let mut simulation = Simulation::new(&law, settings)?;
            let parts = (2.0 * way / self.contact.thickness).ceil().clamp(1.0, PARTS);
            let mut solved = true;
            for _ in 0..parts as usize {
                solved &= simulation.step(state, step / parts, scheme)?.converged;
            }
            failed += usize::from(!solved);
            self.frames.push(self.body.placed(state.time, &state.q));
            self.fastest = self.fastest.max(way);
        }
        Ok(failed)
    }

    /// The law that keeps apart what comes near when it is left to itself for so long.
    pub fn ahead(&mut self, mut begun: State, run: Steps, go_on: &mut dyn FnMut() -> ControlFlow<()>) -> Result<Body, holonomy::Error> {
        self.simulate(&mut begun, run, go_on)?;
        self.law()
    }

    /// The law that keeps apart what comes near in any of the shapes so far. What meets between two of them is seen half a frame off, each part by half its way.
    fn law(&self) -> Result<Body, holonomy::Error> {
        let reach = 2.0 * self.contact.thickness + self.fastest;
        self.body.with_self_contact(&SelfContact { reach, ..self.contact }, &self.frames)
    }

    /// Looks at a loop: the law that keeps apart what comes near in it too, if `law` has missed what touches.
    pub fn missed(&mut self, law: &Body, looped: &Looped) -> Result<Option<Body>, holonomy::Error> {
        let (shapes, dt) = (shapes(&looped.curve, looped.frames), looped.curve.period / looped.frames as f64);
        self.frames.extend(shapes.iter().enumerate().map(|(k, q)| self.body.placed(k as f64 * dt, q)));
        let wider = self.law()?;
        // Pairs that do not touch add nothing, not a bit.
        let touches = |(k, q): (usize, &Vec<Vector3<f64>>)| wider.energy(k as f64 * dt, q) != law.energy(k as f64 * dt, q);
        let missed = shapes.iter().enumerate().any(touches);
        Ok(missed.then_some(wider))
    }
}

/// Demands that nothing passes through a body whose parts are kept apart.
pub(super) fn check(crossings: &Crossings, motion: &mut Motion) {
    let name = "edges that pass through the body, in the worst frame";
    motion.checks.push(Check { name, value: crossings.most() as f64, tolerance: 0.0 });
}

/// Places of the free vertices at each frame.
fn shapes(curve: &Curve, frames: usize) -> Vec<Vec<Vector3<f64>>> {
    shapes_of(curve, frames).map(<[Vector3<f64>]>::to_vec).collect()
}
