//! What comes to a chain from outside is what its momentum changes by, in every step.

use holonomy::elastic::chain::{CarriedWater, Chain, ChainState, Damping, Drive, Hydrodynamics, Surroundings, Water, WaterForce};
use holonomy::lie::{Momentum, Pose, Twist, Wrench};
use holonomy::nalgebra::Vector3;

use super::{STEP, shaken, uneven};
use crate::meshes::below;

/// One step: the change of momentum that nothing from outside accounts for, angular about the centre and linear, over the sum of the impulses' sizes; lengths of a metre.
fn unaccounted(chain: &Chain, state: &mut ChainState, surroundings: &Surroundings<'_>) -> [f64; 2] {
    let (before, centre) = (chain.momentum(state), chain.centre(state));
    let place = |s: usize| chain.pose(state, s).translation;
    let loads: Momentum = surroundings.loads.iter().enumerate().map(|(s, load)| load.brought_from(&place(s)) * STEP).sum();
    chain.step(state, STEP, surroundings).unwrap();
    let given = *state.impulses();
    let off = (chain.momentum(state) - before - given.total() - loads).brought_from(&-centre);
    let size: f64 = [given.weight, given.water, given.guides, loads].iter().map(|part| part.linear.norm()).sum();
    [off.angular.norm() / size, off.linear.norm() / size]
}

fn keep(worst: &mut [f64; 2], now: [f64; 2]) {
    (0..2).for_each(|k| worst[k] = worst[k].max(now[k]));
}

/// Gravity, loads, water that rises, falls and flows to and fro, by each force and with what moves along; and a segment that is carried for a while.
#[test]
fn momentum_changes_by_what_comes_from_outside() {
    for force in [WaterForce::None, WaterForce::Normal, WaterForce::LiftAndDrag] {
        for added_mass in [CarriedWater::None, CarriedWater::Local] {
            let chain = Chain::new(uneven(6, Damping::RotationFree(50.0))).unwrap();
            let mut state = shaken(&chain, 0.05, 5);
            let (dynamics, mut worst) = (Hydrodynamics { force, added_mass }, [0.0; 2]);
            for n in 0..3000 {
                let swing = |s: usize, lag: f64| (7.0 * n as f64 * STEP + 0.9 * s as f64 + lag).sin();
                let middle = chain.centre(&state).y;
                let levels: [f64; 6] = std::array::from_fn(|s| middle + 0.6 * swing(s, 0.0));
                let flows: [Vector3<f64>; 6] = std::array::from_fn(|s| Vector3::new(swing(s, 1.0), 0.3 * swing(s, 2.0), swing(s, 3.0)));
                let loads: [Wrench; 6] = std::array::from_fn(|s| Wrench::new(Vector3::x() * swing(s, 4.0), Vector3::z() * swing(s, 5.0)));
                if n == 1000 {
                    let increment = Pose::exp(&(Twist::new(Vector3::new(0.1, 0.4, 0.0), Vector3::new(0.5, 0.1, -0.2)) * STEP));
                    chain.set_drive(&mut state, 2, &Drive::Carried { increment }).unwrap();
                }
                if n == 2000 {
                    chain.set_drive(&mut state, 2, &Drive::Free).unwrap();
                }
                let water = Some(Water { density: 1.0, levels: &levels, flows: &flows, dynamics });
                keep(&mut worst, unaccounted(&chain, &mut state, &Surroundings { loads: &loads, water, ..Surroundings::AIR }));
            }
            println!("{dynamics:?}: {worst:?}");
            below(worst[0], 1e-10); // measured 2.7e-12 at most
            below(worst[1], 1e-10); // measured 4.4e-13 at most
        }
    }
}

/// An inner force that is not balanced is seen: plain damping brakes turns, so it has a torque in sum (Fang 2015, Eq. A.23).
#[test]
fn an_inner_torque_is_seen() {
    let off = |damping: Damping| {
        let chain = Chain::new(uneven(6, damping)).unwrap();
        let (mut state, mut worst) = (shaken(&chain, 0.05, 5), [0.0; 2]);
        (0..300).for_each(|_| keep(&mut worst, unaccounted(&chain, &mut state, &Surroundings::AIR)));
        worst
    };
    let [plain, free] = [Damping::Plain(50.0), Damping::RotationFree(50.0)].map(off);
    println!("{plain:?} {free:?}");
    assert!(plain[0] > 1e-3, "{plain:?}"); // measured 1.8
    [plain[1], free[0], free[1]].into_iter().for_each(|off| below(off, 1e-10));
}
