//! Boxes that float: where buoyancy acts, and what rights them.

use holonomy::elastic::chain::{Chain, ChainSettings, ChainState, Hydrodynamics, Segment, Surroundings, Water, WaterForce};
use holonomy::lie::{Pose, Wrench};
use holonomy::medium::buoyancy::Hull;
use holonomy::medium::{Fluid, Fluids};
use holonomy::nalgebra::{UnitQuaternion, Vector3};

use super::{STEP, THESIS};
use crate::elastic::Numbers;
use crate::meshes::{below, cuboid};

const GRAVITY: Vector3<f64> = Vector3::new(0.0, -9.81, 0.0);

/// One box of half the density of water of density 1.
fn raft(size: Vector3<f64>) -> Chain {
    let segment = Segment { size, mass: 0.5 * size.product() };
    Chain::new(ChainSettings { material: THESIS, ..ChainSettings::even(1, segment, Vector3::zeros()) }).unwrap()
}

/// Of buoyancy and weight about the middle, world axes, in water up to the origin.
fn wrench(chain: &Chain, pose: &Pose) -> Wrench {
    let mut state = chain.state(pose).unwrap();
    let dynamics = Hydrodynamics { force: WaterForce::None, ..Hydrodynamics::default() };
    let time_step = 1e-6;
    let water = Some(Water { density: 1.0, levels: &[0.0], dynamics, ..Water::default() });
    chain.step(&mut state, time_step, &Surroundings { gravity: GRAVITY, loads: &[], water }).unwrap();
    let gained = chain.momentum(&state) * (1.0 / time_step);
    Wrench::new(gained.angular - pose.translation.cross(&gained.linear), gained.linear)
}

/// Bouguer 1746: a box that floats half under water is righted by ρgV/2 · (b²/6h − h/4) per radian, b its breadth across the tilt's axis.
#[test]
fn a_tilted_box_is_righted_by_its_metacentre() {
    let size = Vector3::new(0.8, 0.3, 0.5);
    let chain = raft(size);
    for (axis, breadth) in [(Vector3::x_axis(), size.z), (Vector3::z_axis(), size.x)] {
        let tilt = 1e-3;
        let found = wrench(&chain, &Pose::from_rotation_translation(UnitQuaternion::from_axis_angle(&axis, tilt), Vector3::zeros()));
        let metacentric = breadth * breadth / (6.0 * size.y) - 0.25 * size.y;
        let expected = -9.81 * 0.5 * size.product() * metacentric * tilt;
        below((found.angular / expected - axis.into_inner()).norm(), 1e-5); // measured 9.2e-7
        below(found.linear.norm(), 1e-9); // measured 0.0
    }
}

/// Twins: the flow system's buoyancy of a mesh, at every tilt and depth.
#[test]
fn buoyancy_is_that_of_the_mesh() {
    let size = Vector3::new(0.8, 0.3, 0.5);
    let (chain, (points, faces)) = (raft(size), cuboid(size.into(), [1, 1, 1]));
    let (hull, water) = (Hull::new(points, faces), Fluid { density: 1.0, viscosity: 0.0 });
    let fluids = Fluids::Layered { level: 0.0, below: water, above: Fluid { density: 0.0, ..water } };
    let mut random = Numbers::new(3);
    let mut worst = 0.0_f64;
    for k in 0..2000 {
        // From upright to any tilt.
        let turn = random.vector() * [0.1, 1.0, 3.0][k % 3];
        let pose = Pose::from_rotation_translation(UnitQuaternion::new(turn), random.vector() * 0.5);
        let body = hull.buoyancy(&fluids, &GRAVITY, &pose);
        let expected = Wrench::new(pose.rotation * body.angular, pose.rotation * body.linear + GRAVITY * chain.mass());
        let off = wrench(&chain, &pose) - expected;
        worst = worst.max(off.angular.norm() + off.linear.norm());
    }
    below(worst, 1e-12); // measured 2.3e-15
}

/// A flat raft comes back; a tall one tips over.
#[test]
fn rafts_float_flat() {
    let tilt = |size: Vector3<f64>, start: f64| {
        let chain = raft(size);
        let mut state = chain.state(&Pose::from_rotation_translation(UnitQuaternion::new(Vector3::x() * start), Vector3::zeros())).unwrap();
        let upright = |state: &ChainState| (chain.pose(state, 0).rotation * Vector3::y()).y;
        let mut sum = 0.0;
        for n in 0..60_000 {
            let water = Some(Water { density: 1.0, levels: &[0.0], ..Water::default() });
            chain.step(&mut state, STEP, &Surroundings { gravity: GRAVITY, loads: &[], water }).unwrap();
            sum += if n < 30_000 { 0.0 } else { upright(&state) / 30_000.0 };
        }
        sum
    };
    below(1.0 - tilt(Vector3::new(0.8, 0.3, 0.5), 0.5), 0.02); // measured 2.8e-3
    below(tilt(Vector3::new(0.8, 0.5, 0.3), 0.05).abs(), 0.02); // measured 2.5e-3
}
