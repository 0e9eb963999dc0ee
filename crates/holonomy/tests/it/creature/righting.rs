//! Creatures that turn over as they fall, with nothing to push against.

use std::f64::consts::PI;
use std::ops::ControlFlow;

use holonomy::elastic::chain::{Chain, ChainState};
use holonomy::lie::Pose;
use holonomy::nalgebra::{UnitQuaternion, Vector3};
use holonomy::shape::{Clip, MassRule, Playback, Topology};
use holonomy::systems::ShapeChange;
use holonomy::systems::creature::body_mode::BodyMode;
use holonomy::systems::creature::make_up::MakeUp;
use holonomy::systems::creature::righting::Righting;
use holonomy::systems::creature::will::{Order, Will};
use holonomy::systems::creature::world::{Creature, World, WorldSettings};
use holonomy::systems::shape_change::Law;

const TICK: f64 = 1.0 / 300.0;

/// A centipede with strong muscles that falls from 1.2 m, rolled by so much at first.
fn falling(roll: f64, righting: Righting) -> World {
    let mut make_up = MakeUp::centipede();
    make_up.material.youngs_modulus *= 20.0;
    let will = Will::Told(vec![Order { from: 0.0, speed: 0.1, turn: 0.0, pitch: 0.0 }]);
    let creature = Creature { drop: 1.2, roll, righting, will, ..Creature::new("it", make_up) };
    World::new(WorldSettings { creatures: vec![creature], ..WorldSettings::default() }).unwrap()
}

/// The least and the mean of how far up the backs of the segments point, −1 to 1.
fn backs(chain: &Chain, state: &ChainState) -> [f64; 2] {
    let ups: Vec<f64> = (0..chain.segments()).map(|i| (chain.pose(state, i).rotation * Vector3::y()).y).collect();
    [ups.iter().copied().fold(1.0, f64::min), ups.iter().sum::<f64>() / ups.len() as f64]
}

/// All mass of a chain as points: a box as eight of them, which have its moments; and the nodes of the soft blocks.
fn points(chain: &Chain, state: &ChainState) -> Vec<(Vector3<f64>, f64)> {
    let mut points = Vec::new();
    for (i, segment) in chain.settings().segments.iter().enumerate() {
        let pose = chain.pose(state, i);
        for corner in 0..8 {
            let sign = |bit: usize| if corner >> bit & 1 == 0 { -1.0 } else { 1.0 };
            let place = segment.size.component_mul(&Vector3::new(sign(0), sign(1), sign(2))) / 12_f64.sqrt();
            points.push((pose.act(&place), segment.mass / 8.0));
        }
    }
    for block in 0..chain.segments() - 1 {
        points.extend(chain.positions(state, block).zip(chain.masses(block)));
    }
    points
}

/// Shapes of a fall seen from the head, a frame a tick, with their masses; and the head's poses.
fn fall(world: &World, ticks: usize) -> (Vec<Vec<Vector3<f64>>>, Vec<f64>, Vec<Pose>) {
    let (chain, _) = world.body(0).unwrap();
    let mut state = world.begin().unwrap();
    let (mut shapes, mut masses, mut heads) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..=ticks {
        let body = &state.creatures[0].chain;
        let head = chain.pose(body, 0);
        let (places, weights): (Vec<_>, Vec<_>) = points(chain, body).into_iter().unzip();
        shapes.push(places.iter().map(|place| head.inverse().act(place)).collect());
        masses = weights;
        heads.push(head);
        world.tick(&mut state, TICK).unwrap();
    }
    (shapes, masses, heads)
}

/// As it turns, its angular momentum about its centre stays zero.
#[test]
fn a_fall_has_no_angular_momentum_as_the_body_turns() {
    let world = falling(PI, Righting::Reflex);
    let (chain, _) = world.body(0).unwrap();
    let mut state = world.begin().unwrap();
    let mut worst = 0.0_f64;
    let mut greatest = 0.0_f64;
    for _ in 0..130 {
        world.tick(&mut state, TICK).unwrap();
        let body = &state.creatures[0].chain;
        let (momentum, centre) = (chain.momentum(body), chain.centre(body));
        worst = worst.max((momentum.angular - centre.cross(&momentum.linear)).norm());
        // What the parts have, each about the centre: what could be there.
        let part = |i: usize| {
            let of = chain.segment_momentum(body, i);
            (of.angular - centre.cross(&of.linear)).norm()
        };
        greatest = greatest.max((0..chain.segments()).map(part).sum());
    }
    assert!(backs(chain, &state.creatures[0].chain)[1] > 0.9);
    // Measured: 5e-18 of 1.1e-3 kg m²/s.
    assert!(worst < 1e-12 * greatest, "{worst:e} of {greatest:e}");
}

/// Without the reflex it lands as it fell.
#[test]
fn without_the_reflex_it_does_not_turn() {
    let world = falling(PI, Righting::None);
    let (chain, _) = world.body(0).unwrap();
    let mut state = world.begin().unwrap();
    (0..140).for_each(|_| world.tick(&mut state, TICK).unwrap());
    assert!(backs(chain, &state.creatures[0].chain)[1] < -0.999);
}

/// Eight rolls at the start, all round: each time it lands belly down, and walks away.
#[test]
fn it_lands_on_its_feet_from_any_roll() {
    for eighth in 0..8 {
        let world = falling(0.25 * PI * f64::from(eighth), Righting::Reflex);
        let (chain, _) = world.body(0).unwrap();
        let mut state = world.begin().unwrap();
        (0..145).for_each(|_| world.tick(&mut state, TICK).unwrap());
        let one = &state.creatures[0];
        let [least, mean] = backs(chain, &one.chain);
        assert!(one.walker.body_mode == BodyMode::InAir && mean > 0.9, "roll {eighth}/8, before it lands: {least} {mean}");
        (145..300).for_each(|_| world.tick(&mut state, TICK).unwrap());
        let (mut way, mut head) = (0.0, chain.pose(&state.creatures[0].chain, 0).translation);
        for _ in 300..600 {
            world.tick(&mut state, TICK).unwrap();
            let now = chain.pose(&state.creatures[0].chain, 0).translation;
            way += (now - head).norm();
            head = now;
        }
        let one = &state.creatures[0];
        assert_eq!(one.walker.body_mode, BodyMode::OnGround, "roll {eighth}/8");
        // For a second at up to 0.1 m/s: 0.0784 m at a roll of 1/8. In the air 0.947 or more was measured.
        assert!(backs(chain, &one.chain)[0] > 0.95 && way > 0.07, "roll {eighth}/8: {:?}, {way} m", backs(chain, &one.chain));
    }
}

/// The twin: from the sequence of its shapes alone, motion from shape change finds the same roll; what is left goes with the square of the step between the shapes.
#[test]
fn the_roll_is_that_of_shape_change() {
    let world = falling(PI, Righting::Reflex);
    let (shapes, masses, heads) = fall(&world, 128);
    let off = |every: usize| {
        let positions: Vec<Vector3<f64>> = shapes.iter().step_by(every).flatten().copied().collect();
        let clip = Clip::new(Topology::Points, Playback::Once, TICK * every as f64, masses.len(), positions).unwrap();
        let system = ShapeChange { masses: MassRule::Given(masses.clone()), start: heads[0], ..ShapeChange::new(Law::from_rest()) };
        let motion = system.run(&clip, &mut |_, _| ControlFlow::Continue(())).unwrap();
        let turned = |pose: &Pose, k: usize| -> UnitQuaternion<f64> { pose.rotation * heads[k].rotation.inverse() };
        motion.tracks[0].poses.iter().enumerate().map(|(k, pose)| turned(pose, k * every).angle()).fold(0.0, f64::max)
    };
    let offs = [1, 2, 4].map(off);
    // Measured: 3.4e-4, 1.3e-3, 5.2e-3 rad, of second order.
    assert!(offs[0] < 6e-4, "{offs:?}");
    assert!(offs.windows(2).all(|pair| (3.0..5.0).contains(&(pair[1] / pair[0]))), "{offs:?}");
    // It is a whole half turn that is told so.
    let turn = heads[128].rotation * heads[0].rotation.inverse();
    assert!(turn.angle() > 2.5, "{}", turn.angle());
}
