//! Gaits by kind: which way the wave runs, how the sides go, and what that does to feet and body.
//! All dynamics, dropped by a tenth of the body's length with legs in random states.

use holonomy::systems::creature::leg::Side;
use holonomy::systems::creature::make_up::MakeUp;
use holonomy::systems::creature::switcher::Phase;
use holonomy::systems::creature::will::{Order, Will};
use holonomy::systems::creature::world::{Creature, World, WorldSettings};
use rayon::prelude::*;

use super::wave::of_the_thesis;
use super::{RATE, seeds};

/// What is seen of a gait over some seconds. Lengths in metres.
#[derive(Debug)]
struct Gait {
    /// From the touch-down of a leg to the next one of the leg behind it, in parts of the step:
    /// least and most of the
    /// means of all pairs.
    lag: [f64; 2],
    /// The same from each left leg to the right one of its pair.
    across: [f64; 2],
    /// Most segments at once of whose legs none stands.
    unsupported: usize,
    /// Least part of all legs that stand.
    standing: f64,
    /// Least distance of the feet of neighbouring legs of a side, all legs.
    nearest: f64,
    /// Least distance between the first and the last foot that stands on a side.
    extent: f64,
    /// From the lowest to the highest place of the last segment.
    tail: f64,
}

/// The mean of the lags from each touch-down in `from` to the next one in `to`, in parts of the
/// step.
fn lag(from: &[f64], to: &[f64]) -> f64 {
    let next = |step: &[f64]| to.iter().find(|&&time| time >= step[0]).map(|time| (time - step[0]) / (step[1] - step[0]));
    let lags: Vec<f64> = from.windows(2).filter_map(next).collect();
    lags.iter().sum::<f64>() / lags.len() as f64
}

fn range(values: impl Iterator<Item = f64>) -> [f64; 2] {
    values.fold([f64::INFINITY, f64::NEG_INFINITY], |[least, most], value| [least.min(value), most.max(value)])
}

fn gait(make_up: &MakeUp, seed: u64, settle: f64, seconds: f64) -> Gait {
    let will = Will::Told(vec![Order { from: 0.0, speed: make_up.brain.speed, turn: 0.0, pitch: 0.0 }]);
    let creature = Creature { will, drop: 0.1 * make_up.length(), seed, ..Creature::new("it", make_up.clone()) };
    let world = World::new(WorldSettings { creatures: vec![creature], ..WorldSettings::default() }).unwrap();
    let (mut state, pairs) = (world.begin().unwrap(), make_up.segments - 1);
    let mut downs = [0, 1].map(|_| vec![Vec::new(); pairs]);
    let mut seen =
        Gait { lag: [0.0; 2], across: [0.0; 2], unsupported: 0, standing: 1.0, nearest: f64::INFINITY, extent: f64::INFINITY, tail: 0.0 };
    let mut heights = Vec::new();
    for tick in 0..((settle + seconds) * RATE) as usize {
        world.tick(&mut state, 1.0 / RATE).unwrap();
        if state.time < settle {
            continue;
        }
        let (one, (chain, walker)) = (&state.creatures[0], world.body(0).unwrap());
        let legs = &one.walker.legs;
        for (leg, pair) in legs.iter().enumerate() {
            (0..2).filter(|&side| pair[side].landed).for_each(|side| downs[side][leg].push(tick as f64));
        }
        let stands = |leg: usize, side: usize| legs[leg][side].phase == Phase::Stance;
        let unsupported = (0..pairs).filter(|&leg| !stands(leg, 0) && !stands(leg, 1)).count();
        seen.unsupported = seen.unsupported.max(unsupported);
        seen.standing = seen.standing.min(one.walker.standing() as f64 / (2 * pairs) as f64);
        for side in 0..2 {
            let tip = |leg: usize| {
                let joints = walker.joints(leg + 1, Side::BOTH[side], &legs[leg][side].angles);
                chain.pose(&one.chain, leg + 1).act(&joints[3])
            };
            for leg in 1..pairs {
                seen.nearest = seen.nearest.min((tip(leg) - tip(leg - 1)).norm());
            }
            let mut standing = (0..pairs).filter(|&leg| stands(leg, side));
            if let (Some(first), Some(last)) = (standing.next(), standing.next_back()) {
                seen.extent = seen.extent.min((tip(first) - tip(last)).norm());
            }
        }
        heights.push(chain.pose(&one.chain, pairs).translation.y);
    }
    assert!(downs.iter().flatten().all(|times| times.len() >= 3), "seed {seed}: a leg does not walk");
    seen.lag = range(downs.iter().flat_map(|side| side.windows(2)).map(|pair| lag(&pair[0], &pair[1])));
    seen.across = range((0..pairs).map(|leg| lag(&downs[0][leg], &downs[1][leg])));
    let [lowest, highest] = range(heights.into_iter());
    seen.tail = highest - lowest;
    seen
}

fn gaits(make_up: &MakeUp, count: u64, settle: f64, seconds: f64) -> Vec<Gait> {
    let all: Vec<Gait> = (0..count).into_par_iter().map(|seed| gait(make_up, seed, settle, seconds)).collect();
    all.iter().enumerate().for_each(|(seed, gait)| println!("{} segments, seed {seed}: {gait:?}", make_up.segments));
    all
}

fn at_speed(mut make_up: MakeUp, speed: f64) -> MakeUp {
    make_up.brain.speed = speed;
    make_up
}

/// Centipedes step from head to tail, left and right by turns: one leg of each pair stands, and no
/// segment is dropped. With both sides together, as in the thesis, the tail flaps.
#[test]
fn centipedes_step_by_turns_and_no_segment_drops() {
    for gait in gaits(&MakeUp::centipede(), seeds(20), 6.0, 3.0) {
        let ([least, most], [early, late]) = (gait.lag, gait.across);
        assert!(least > 0.1 && most < 0.3, "{least} to {most}"); // measured 0.178
        assert!(early > 0.4 && late < 0.6, "{early} to {late}"); // measured 0.48 to 0.52
        assert_eq!(gait.unsupported, 0);
        assert!(gait.standing > 0.5, "{}", gait.standing); // measured 0.556
        assert!(gait.tail < 1e-4, "{}", gait.tail); // measured 5e-18
    }
    let together = gait(&of_the_thesis(MakeUp::centipede()), 0, 6.0, 3.0);
    println!("together: {together:?}");
    assert!(together.unsupported >= 5 && together.tail > 2e-3); // measured 8, 3.9e-3
}

/// House centipedes step from tail to head: feet part while they stand. In the thesis's pattern
/// they come together, the feet of neighbouring legs closer than a leg and a half is thick.
#[test]
fn feet_of_house_centipedes_do_not_bundle() {
    for speed in [0.06, 0.15] {
        let make_up = at_speed(MakeUp::house_centipede(), speed);
        for gait in gaits(&make_up, seeds(20), 6.0, 3.0) {
            let ([least, most], [early, late]) = (gait.lag, gait.across);
            assert!(least > 0.7 && most < 0.95, "{least} to {most}"); // measured 0.905 at 6 cm/s
            assert!(early > 0.4 && late < 0.6, "{early} to {late}"); // measured 0.50 to 0.52
            assert_eq!(gait.unsupported, 0);
            assert!(gait.nearest > 3e-3, "{}", gait.nearest); // measured 4.57e-3
            assert!(gait.extent > 0.4 * make_up.length(), "{}", gait.extent); // measured 20.7e-3, 0.50 of it
        }
    }
    let before = gait(&of_the_thesis(at_speed(MakeUp::house_centipede(), 0.06)), 0, 6.0, 3.0);
    println!("as in the thesis: {before:?}");
    assert!(before.nearest < 0.8e-3 && before.extent < 0.3 * 0.0415); // measured 0.06e-3, 4.8e-3
}

/// Millipedes step from tail to head, left and right by turns; feet of neighbouring legs, 0.5 mm
/// thick, keep clear of each other, and no segment is dropped.
#[test]
fn millipedes_step_from_tail_to_head() {
    for gait in gaits(&MakeUp::millipede(), seeds(20), 15.0, 3.0) {
        let [least, most] = gait.lag;
        assert!(least > 0.85 && most < 0.95, "{least} to {most}"); // measured 0.887 to 0.898
        assert!(gait.nearest > 0.6e-3, "{}", gait.nearest); // measured 0.98e-3
        assert_eq!(gait.unsupported, 0);
        assert!(gait.standing > 0.5, "{}", gait.standing); // measured 0.544
    }
}
