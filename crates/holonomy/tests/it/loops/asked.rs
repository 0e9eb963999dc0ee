//! What can be asked of a loop: keyframes, liveliness, and what is refused.

use std::ops::ControlFlow;

use holonomy::Error;
use holonomy::lie::{Pose, Twist};
use holonomy::motion::Track;
use holonomy::nalgebra::Vector3;
use holonomy::shape::{Clip, Playback, Topology};
use holonomy::systems::loops::*;

use super::laws::Springs;

fn go(_: &Progress) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

fn last(found: &Looped) -> f64 {
    found.history[found.history.len() - 1]
}

fn start() -> (Vec<Vector3<f64>>, Vec<Vector3<f64>>) {
    let q = (0..3).map(|i| Vector3::new(0.6 * i as f64 - 0.5, 0.2, 0.1 * i as f64)).collect();
    (q, vec![Vector3::new(0.3, -0.6, 0.2), Vector3::new(-0.1, 0.8, 0.0), Vector3::zeros()])
}

fn chain(law: &Springs) -> Loop<'_> {
    let (q, v) = start();
    Loop { guess: Guess::Forward, ..Loop::new(law, 40, 2.0, q, v) }
}

#[test]
fn keyframes_stand_anywhere_on_the_loop() {
    let law = Springs::chain();
    for rule in [Rule::Symplectic, Rule::Backward] {
        let mut wanted = Loop { rule, ..chain(&law) };
        wanted.start.hold_velocities = Hold::Free;
        let there = vec![Vector3::new(0.2, 0.5, -0.3), Vector3::new(-0.6, 0.1, 0.2)];
        let mut asked = |hold| {
            wanted.keyframes = vec![Keyframe { frame: 23, vertices: vec![2, 0], positions: there.clone(), hold }];
            let found = wanted.solve(&mut go).unwrap();
            assert!(hold == Hold::Free || found.outcome == Outcome::Converged, "{rule:?} {hold:?}: {:?}", found.outcome);
            let off = |k: usize, vertex: usize| (found.positions[23 * 3 + vertex] - there[k]).norm();
            (off(0, 2).max(off(1, 0)), last(&found))
        };
        let (hard, loss_hard) = asked(Hold::Hard);
        let (firm, loss_firm) = asked(Hold::Soft(1e-4));
        let (soft, loss_soft) = asked(Hold::Soft(1.0));
        let (none, loss_none) = asked(Hold::Free);
        // Measured 0, 3e-7, 3e-3, 1.3; losses 9.472389, 9.472385, 9.429 (10.13230, 10.13229, 10.083), and 1.1 (2.5) where nothing is asked.
        assert_eq!(hard, 0.0);
        assert!(firm < soft && soft < none);
        assert!(loss_none < loss_soft && loss_soft < loss_firm && loss_firm < loss_hard * (1.0 + 1e-9));
    }
}

/// A search interrupted at its first guess may hold a body still that forces pull at: all of them are missing, and the number is one.
#[test]
fn forces_missing_of_a_body_held_still_are_all_of_them() {
    let law = Springs::chain();
    let mut found = chain(&law).solve(&mut |_| ControlFlow::Break(())).unwrap();
    found.positions = start().0.repeat(found.frames);
    found.residuals.fill(Vector3::new(0.0, -3.0, 0.0));
    let shape = Clip::new(Topology::Points, Playback::Once, 0.5, 3, start().0).unwrap();
    let frames = found.frames + 1;
    let track = Track::new("body", shape, vec![Pose::identity(); frames], vec![Vector3::zeros(); frames], Vec::new());
    let motion = found.motion(&law, 1.0, vec![track]).unwrap();
    let missing = motion.tracks[0].series.iter().find(|series| series.quantity.name == "missing_force").unwrap();
    let square = missing.values[..found.frames].iter().map(|x| x * x).sum::<f64>() / found.frames as f64;
    assert!((square - 1.0).abs() < 1e-14, "{square}"); // measured 0
}

#[test]
fn loops_turn_with_their_start() {
    let law = Springs::chain();
    let wanted = chain(&law);
    let found = wanted.solve(&mut go).unwrap();
    let turn = Pose::exp(&Twist::new(Vector3::new(0.4, -1.1, 0.7), Vector3::zeros()));
    let mut turned = wanted.clone();
    turned.start.positions.iter_mut().chain(&mut turned.start.velocities).for_each(|x| *x = turn.act(x));
    let other = turned.solve(&mut go).unwrap();
    let off = found.positions.iter().zip(&other.positions).map(|(a, b)| (turn.act(a) - b).norm()).fold(0.0, f64::max);
    // Measured 3e-9 at most: the tolerance.
    let moved = found.positions.iter().zip(&other.positions).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
    assert!(moved > 0.1);
    assert!(off < 1e-8, "{off:e}");
}

#[test]
fn loops_are_as_lively_as_is_asked() {
    // Springs without length: those with one have a kink where their ends meet.
    let mut law = Springs::chain();
    law.springs.iter_mut().for_each(|spring| spring.2 = 0.0);
    let mut wanted = Loop { rule: Rule::Backward, ..chain(&law) };
    (wanted.start.hold_positions, wanted.start.hold_velocities) = (Hold::Soft(1e2), Hold::Soft(1e2));
    let tired = wanted.solve(&mut go).unwrap();
    let mean = |found: &Looped| found.report.kinetic_energy.iter().sum::<f64>() / found.report.kinetic_energy.len() as f64;
    // Measured 0.770 J without being asked; and where it is, 0.3010 and 0.9993.
    assert!((0.5..0.9).contains(&mean(&tired)), "{}", mean(&tired));
    for kinetic_energy in [0.3, 1.0] {
        wanted.liveliness = Some(Liveliness { kinetic_energy, softness: 1e-3 });
        let lively = wanted.solve(&mut go).unwrap();
        assert_eq!(lively.outcome, Outcome::Converged);
        assert!((mean(&lively) - kinetic_energy).abs() < 0.01 * kinetic_energy, "{}", mean(&lively));
    }
}

/// A swing that backward Euler would let die down is kept up.
#[test]
fn a_loop_that_would_die_down_is_kept_up() {
    let law = Springs { gravity: Vector3::new(0.0, -9.81, 0.0), ..Springs::new(vec![0.5, 0.5], vec![([0, 1], 60.0, 0.4)]) };
    let law = Springs { tether: [20.0, 0.0], ..law };
    let rest = law.gravity * (0.5 / 20.0);
    let q = vec![rest + Vector3::new(0.4, 0.2, 0.0), rest + Vector3::new(-0.2, 0.1, 0.1)];
    let mut wanted = Loop { rule: Rule::Backward, guess: Guess::Forward, ..Loop::new(&law, 50, 1.0, q, vec![Vector3::zeros(); 2]) };
    (wanted.start.hold_positions, wanted.start.hold_velocities) = (Hold::Free, Hold::Free);
    let mean = |found: &Looped| found.report.kinetic_energy.iter().sum::<f64>() / found.report.kinetic_energy.len() as f64;
    let dead = wanted.solve(&mut go).unwrap();
    wanted.liveliness = Some(Liveliness { kinetic_energy: 0.2, softness: 1e-3 });
    let kept = wanted.solve(&mut go).unwrap();
    // Measured 3e-31 and 0.19999.
    assert!(mean(&dead) < 1e-6, "{}", mean(&dead));
    assert!((mean(&kept) - 0.2).abs() < 0.02, "{}", mean(&kept));
}

#[test]
fn what_cannot_be_is_refused() {
    let law = Springs::chain();
    let good = chain(&law);
    let refused = |change: &dyn Fn(&mut Loop)| {
        let mut bad = good.clone();
        change(&mut bad);
        bad.solve(&mut go).unwrap_err()
    };
    let named = |error: Error, wanted: &str| match &error {
        Error::Parameter { name, .. } => assert_eq!(*name, wanted),
        other => panic!("{other}"),
    };
    named(refused(&|l| l.frames = 4), "frames");
    named(refused(&|l| l.period = Period::Fixed(0.0)), "period");
    named(refused(&|l| l.period = Period::Fixed(f64::NAN)), "period");
    named(refused(&|l| l.period = Period::Return { least: 2.0, most: 1.0 }), "period.most");
    named(refused(&|l| l.start.hold_positions = Hold::Soft(0.0)), "softness");
    named(refused(&|l| l.liveliness = Some(Liveliness { kinetic_energy: -1.0, softness: 1.0 })), "kinetic_energy");
    named(refused(&|l| l.settings.tolerance = f64::NAN), "tolerance");
    assert!(matches!(refused(&|l| l.start.positions[1].x = f64::NAN), Error::NonFinitePosition { vertex: 1, .. }));
    assert!(matches!(refused(&|l| l.start.velocities.truncate(2)), Error::Length { expected: 3, found: 2, .. }));
    // Two vertices in one place: a spring has no direction there.
    assert!(matches!(refused(&|l| l.start.positions[1] = l.start.positions[0]), Error::Degenerate { frame: 0, .. }));
    let keyframe = |frame, vertices: Vec<usize>, hold| {
        let positions = vec![Vector3::zeros(); vertices.len()];
        move |l: &mut Loop| l.keyframes = vec![Keyframe { frame, vertices: vertices.clone(), positions: positions.clone(), hold }]
    };
    named(refused(&keyframe(40, vec![0], Hold::Hard)), "keyframe.frame");
    assert!(matches!(refused(&keyframe(3, vec![0, 7], Hold::Hard)), Error::VertexOutOfRange { index: 1, vertex: 7, .. }));
    // The start is hard, and so is a keyframe that wants it elsewhere.
    let contradicts = |l: &mut Loop| {
        l.start.hold_positions = Hold::Hard;
        keyframe(0, vec![1], Hold::Hard)(l);
    };
    assert!(matches!(refused(&contradicts), Error::Degenerate { frame: 0, .. }));
    // Tied to the origin, these springs notice translations; driven, they notice time.
    let travels = Closure::Free { components: [false, false, false, true, false, false], near: None };
    assert!(matches!(refused(&|l| l.closure = travels), Error::Degenerate { .. }));
    let driven = Springs { drive: [0.3, 2.0], ..Springs::chain() };
    let moving = Loop { period: Period::Free { near: 2.0 }, ..chain(&driven) };
    assert!(matches!(moving.solve(&mut go), Err(Error::Degenerate { .. })));
    let massless = Springs { masses: vec![1.0, 0.0, 1.0], ..Springs::chain() };
    named(chain(&massless).solve(&mut go).unwrap_err(), "mass");
    // Refused by the solver, with the bytes it would need.
    assert!(matches!(refused(&|l| l.settings.memory_limit = 1000), Error::Memory { allowed: 1000, .. }));
}

/// A law that depends on time, with the loop's period: the answer to a driving force has its closed form.
#[test]
fn a_driven_oscillator_answers_at_its_amplitude() {
    let (frames, period, stiffness, push) = (36, 1.5, 3.0, 0.8);
    let law = Springs { drive: [push, period], ..Springs::oscillator(1.2, stiffness) };
    let h = period / frames as f64;
    let inertia = 1.2 * (2.0 - 2.0 * (std::f64::consts::TAU / frames as f64).cos()) / (h * h);
    let amplitude = push / (stiffness - inertia);
    for rule in [Rule::Symplectic, Rule::Backward] {
        let mut wanted = Loop { rule, guess: Guess::Forward, ..Loop::new(&law, frames, period, vec![Vector3::y()], vec![Vector3::z()]) };
        (wanted.start.hold_positions, wanted.start.hold_velocities) = (Hold::Free, Hold::Free);
        let found = wanted.solve(&mut go).unwrap();
        // Measured 4e-28.
        assert!(found.outcome == Outcome::Converged && last(&found) < 1e-20, "{rule:?}: {:e}", last(&found));
        if rule == Rule::Symplectic {
            let at = |j: usize| Vector3::x() * (amplitude * (std::f64::consts::TAU * j as f64 / frames as f64).cos());
            let off = (0..frames).map(|j| (found.positions[j] - at(j)).norm()).fold(0.0, f64::max);
            assert!(off < 1e-9, "{off:e}");
        }
    }
}
