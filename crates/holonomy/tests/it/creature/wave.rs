//! The wave of legs, with all dynamics: Fang 2015, Fig. 4.4, in bodies that sag and swing.

use holonomy::systems::creature::make_up::{MakeUp, Sides, Wave as Runs};
use holonomy::systems::creature::will::{Order, Will};
use holonomy::systems::creature::world::{Creature, World, WorldSettings};
use rayon::prelude::*;

use super::{RATE, seeds};

/// How even the phase lags of neighbouring legs are over some steps.
#[derive(Debug)]
struct Wave {
    /// Farthest that the mean of a pair is from that of all, over it.
    uneven: f64,
    /// Farthest that a lag is from the mean of its pair, over the mean of all.
    unsteady: f64,
}

/// Times of so many touch-downs of each leg after so many seconds, in ticks: first the left legs from head to tail, then the right ones. The creature is dropped by a tenth of its length, legs
/// anyhow.
fn touch_downs(make_up: &MakeUp, seed: u64, settle: f64, count: usize) -> [Vec<Vec<f64>>; 2] {
    let will = Will::Told(vec![Order { from: 0.0, speed: make_up.brain.speed, turn: 0.0, pitch: 0.0 }]);
    let creature = Creature { will, drop: 0.1 * make_up.length(), seed, ..Creature::new("it", make_up.clone()) };
    let world = World::new(WorldSettings { creatures: vec![creature], ..WorldSettings::default() }).unwrap();
    let mut state = world.begin().unwrap();
    let mut downs = [0, 1].map(|_| vec![Vec::new(); make_up.segments - 1]);
    for tick in 0..((settle + 20.0) * RATE) as usize {
        world.tick(&mut state, 1.0 / RATE).unwrap();
        if state.time < settle {
            continue;
        }
        for (leg, pair) in state.creatures[0].walker.legs.iter().enumerate() {
            (0..2).filter(|&side| pair[side].landed).for_each(|side| downs[side][leg].push(tick as f64));
        }
        if downs.iter().flatten().all(|times| times.len() >= count) {
            return downs;
        }
    }
    panic!("a leg does not walk");
}

/// Lags of each pair of neighbours: from each touch-down of the one that leads to the next one of
/// the other, in parts of the step.
fn lags(downs: &[Vec<Vec<f64>>; 2], wave: Runs) -> Vec<Vec<f64>> {
    let pairs = downs.iter().flat_map(|side| side.windows(2)).map(|pair| match wave {
        Runs::Retrograde => (&pair[0], &pair[1]),
        Runs::Direct => (&pair[1], &pair[0]),
    });
    let lag = |step: &[f64], led: &[f64]| led.iter().find(|&&time| time > step[0]).map(|next| (next - step[0]) / (step[1] - step[0]));
    pairs.map(|(leads, led)| leads.windows(2).filter_map(|step| lag(step, led)).collect()).collect()
}

fn wave(make_up: &MakeUp, seed: u64, settle: f64) -> Wave {
    let lags = lags(&touch_downs(make_up, seed, settle, 9), make_up.legs.unwrap().wave);
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let means: Vec<f64> = lags.iter().map(|lags| mean(lags)).collect();
    let lag = mean(&means);
    let off = |(lags, mean): (&Vec<f64>, &f64)| lags.iter().map(|lag| (lag - mean).abs()).fold(0.0, f64::max);
    Wave {
        uneven: means.iter().map(|mean| (mean / lag - 1.0).abs()).fold(0.0, f64::max),
        unsteady: lags.iter().zip(&means).map(off).fold(0.0, f64::max) / lag,
    }
}

/// Waves of so many seeds: whether 19 of 20 have the same lag along the body and over time, to
/// `most` of it.
fn settle(make_up: &MakeUp, seeds: u64, settle: f64, most: f64) {
    let waves: Vec<Wave> = (0..seeds).into_par_iter().map(|seed| wave(make_up, seed, settle)).collect();
    waves.iter().enumerate().for_each(|(seed, wave)| println!("seed {seed}: {wave:?}"));
    let good = waves.iter().filter(|wave| wave.uneven < most && wave.unsteady < most).count();
    println!("{good} of {seeds}");
    assert!(20 * good >= 19 * waves.len(), "{good}");
}

/// The pattern of Fang 2015, for any kind.
pub fn of_the_thesis(mut make_up: MakeUp) -> MakeUp {
    if let Some(legs) = &mut make_up.legs {
        (legs.wave, legs.sides) = (Runs::Retrograde, Sides::Together);
    }
    make_up
}

/// Legs that start anyhow come to move in a wave, whose phase lag is the same along the body and
/// over time; in the thesis's pattern, with both sides together, and with sides by turns.
#[test]
fn a_wave_emerges_in_a_body_that_sags_and_swings() {
    settle(&of_the_thesis(MakeUp::centipede()), seeds(20), 6.0, 0.1); // measured 20 of 20: uneven by 0.093 at most, unsteady by 0.080; a tick is 0.077
    settle(&MakeUp::centipede(), seeds(20), 6.0, 0.1); // in 5 seeds every pair has the lag 0.178: creature::gait
}

/// So do those of creatures with long legs, and with many, from tail to head: they settle along
/// the wave, and take their time.
#[test]
fn waves_of_other_kinds_are_even_too() {
    settle(&MakeUp::house_centipede(), seeds(20), 6.0, 0.1); // measured 5 of 5: uneven by 0.003 at most, unsteady by 0.015
    settle(&MakeUp::millipede(), seeds(20), 15.0, 0.15); // measured 5 of 5: 0.070, 0.079; a tick is 0.09 of the lag
}
