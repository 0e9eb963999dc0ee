//! Bodies in flow: conservation, closed forms, orders, passivity (Soliman 2024; math.md 2).

use std::f64::consts::FRAC_PI_2;
use std::ops::ControlFlow;

use holonomy::Error;
use holonomy::integrate::variational::Retraction;
use holonomy::lie::{Momentum, Pose, Twist, Wrench};
use holonomy::medium::GRAVITY;
use holonomy::medium::buoyancy::Displaced;
use holonomy::medium::{AddedMass, AddedMassState, FlowField, Fluid, FluidDensity, Fluids, Ground};
use holonomy::motion::{Motion, Outcome, Track};
use holonomy::nalgebra::{Matrix6, UnitQuaternion, Vector3, Vector6};
use holonomy::shape::{Clip, Material, Playback, Topology};
use holonomy::systems::Flow;
use holonomy::systems::flow::{Stepping, Substance, Substeps};

use crate::allocations;
use crate::meshes::{Mesh, Spacing, below, both, cuboid, ellipsoid, icosphere, plate};

const WATER: Fluid = Fluid { density: 998.0, viscosity: 0.0 };
const AIR: Fluid = Fluid { density: 1.225, viscosity: 0.0 };
const VACUUM: Fluid = Fluid { density: 0.0, viscosity: 0.0 };

fn solid(density: f64) -> Substance {
    Substance::Uniform(Material::Solid { density })
}

fn rigid((points, faces): &Mesh, fps: f64) -> Clip {
    Clip::new(Topology::Surface { faces: faces.clone() }, Playback::Loop, 1.0 / fps, points.len(), points.clone()).unwrap()
}

fn fixed(substeps: usize) -> Stepping {
    Stepping { substeps: Substeps::Fixed(substeps), ..Stepping::default() }
}

fn run(job: &Flow, clip: &Clip) -> Motion {
    let motion = job.run(clip, &mut |_, _| ControlFlow::Continue(())).unwrap();
    assert_eq!(motion.outcome, Outcome::Done);
    assert!(motion.is_finite());
    motion
}

fn turned(by: [f64; 3]) -> Pose {
    Pose { rotation: UnitQuaternion::from_scaled_axis(Vector3::from(by)), translation: Vector3::zeros() }
}

fn distance(a: &Pose, b: &Pose) -> f64 {
    (a.translation - b.translation).norm() + a.rotation.angle_to(&b.rotation)
}

/// A worm-like ellipsoid that bends and twists for `frames` frames, `seconds` long.
fn wriggler(seconds: f64, frames: usize) -> Clip {
    let (points, faces) = ellipsoid([0.3, 0.12, 0.08], 2);
    let at = |k: usize| {
        let t = seconds * k as f64 / frames as f64;
        let (s, c) = ((2.3 * t).sin(), 1.0 - (1.9 * t).cos());
        points.iter().map(move |p| {
            let one = Vector3::new(0.2 * p.y, 1.5 * p.x * p.x - 0.1 * p.z, 0.6 * p.x * p.y);
            let two = Vector3::new(0.1 * p.y, -0.8 * p.x * p.z, 0.15 * p.x + 1.2 * p.x * p.x);
            p + one * s + two * c
        })
    };
    let positions = (0..=frames).flat_map(at).collect();
    Clip::new(Topology::Surface { faces }, Playback::Once, seconds / frames as f64, points.len(), positions).unwrap()
}

/// Momentum of body and fluid between two frames, about the world's origin, from nothing but where the vertices were: Σ m x×ẋ, Σ m ẋ, and that of the
/// fluid which such a surface sets in motion.
fn momentum_seen(track: &Track, k: usize, masses: &[f64], fluid: &mut AddedMassState, density: f64) -> Vector6<f64> {
    let placed = |k: usize| track.shape.frame(k).iter().map(move |p| track.poses[k].act(p));
    let rate = 1.0 / track.shape.dt();
    let (places, speeds): (Vec<_>, Vec<_>) = placed(k).zip(placed(k + 1)).map(|(a, b)| ((a + b) * 0.5, (b - a) * rate)).unzip();
    let own = masses.iter().zip(places.iter().zip(&speeds)).map(|(m, (x, u))| Momentum::of_force_at(u * *m, x)).sum::<Momentum>();
    (own + fluid.evaluate(&places, Some(&speeds), FluidDensity::Uniform(density)).unwrap().momentum).into()
}

/// The largest change of the momentum seen, from that at the start, relative.
fn momentum_drift(motion: &Motion, masses: &[f64], added_mass: &AddedMass, density: f64) -> f64 {
    let track = &motion.tracks[0];
    let Topology::Surface { faces } = track.shape.topology() else { panic!("a surface") };
    let mut fluid = added_mass.prepare(track.shape.frame(0), faces).unwrap();
    let first = Vector6::from(track.momenta[0]);
    let off = |k: usize| (momentum_seen(track, k, masses, &mut fluid, density) - first).norm() / first.norm();
    (0..motion.frames() - 1).map(off).fold(0.0, f64::max)
}

/// Without forces the momentum of a tumbling body that changes its shape stays, in vacuum and with the fluid that it moves: as its vertices show it, to
/// second order.
#[test]
fn momentum_stays_without_forces() {
    for (fluid, added_mass) in [(VACUUM, AddedMass::Local), (WATER, AddedMass::Local), (WATER, AddedMass::Parts)] {
        let drift = |frames: usize| {
            let clip = wriggler(2.0, frames);
            let masses = vec![0.08; clip.vertices()];
            let job = Flow {
                gravity: Vector3::zeros(),
                lift_and_drag: false,
                velocity: Twist::new(Vector3::new(1.1, -2.3, 0.7), Vector3::new(0.4, 0.1, -0.2)),
                added_mass,
                stepping: fixed(1),
                start: turned([0.3, -0.4, 0.9]),
                ..Flow::new(Substance::Masses(masses.clone()), fluid)
            };
            momentum_drift(&run(&job, &clip), &masses, &added_mass, fluid.density)
        };
        let drifts = [200, 400, 800].map(drift);
        assert!(drifts.windows(2).all(|w| (3.5..4.5).contains(&(w[0] / w[1]))), "{drifts:?}");
        below(drifts[2], 2e-5); // measured 3.7e-6, 1.1e-5, 1.1e-5
    }
}

/// The exact added mass of a changing shape is found once per frame and kept over the cycles: the momentum that vertices show stays, and finer
/// frames change little.
#[test]
fn the_exact_added_mass_follows_the_shape() {
    let mesh = ellipsoid([0.3, 0.12, 0.08], 1);
    let masses = vec![0.3; mesh.0.len()];
    let stroke = |frames: usize| {
        let at = |k: usize| {
            let phase = std::f64::consts::TAU * k as f64 / frames as f64;
            mesh.0
                .iter()
                .map(move |p| p + Vector3::new(0.0, 1.2 * p.x * p.x * phase.sin(), 0.5 * p.x * (1.0 - phase.cos())))
                .collect::<Vec<_>>()
        };
        let topology = Topology::Surface { faces: mesh.1.clone() };
        Clip::new(topology, Playback::Loop, 1.0 / frames as f64, mesh.0.len(), (0..frames).flat_map(at).collect()).unwrap()
    };
    let job = Flow {
        gravity: Vector3::zeros(),
        lift_and_drag: false,
        added_mass: AddedMass::BoundaryElement,
        velocity: Twist::new(Vector3::new(0.4, 0.2, -0.3), Vector3::new(0.1, 0.0, 0.2)),
        stepping: fixed(1),
        ..Flow::new(Substance::Masses(masses.clone()), WATER)
    };
    let motions = [20, 40, 80].map(|frames| run(&Flow { steps: Some(2 * frames), ..job.clone() }, &stroke(frames)));
    let drifts = [0, 1, 2].map(|i| momentum_drift(&motions[i], &masses, &AddedMass::BoundaryElement, WATER.density));
    assert!(drifts.windows(2).all(|w| (3.3..4.7).contains(&(w[0] / w[1]))), "{drifts:?}");
    let [coarse, fine, finest] = motions.map(|motion| *motion.tracks[0].poses.last().unwrap());
    let errors = [distance(&coarse, &finest), distance(&fine, &finest)];
    below(errors[1], 0.3 * errors[0]); // second order: 1/5 with a reference of half the step
}

/// Where the shape, refined, is the same smooth motion, so is where it goes: to second order.
#[test]
fn shape_change_with_drag_is_of_second_order() {
    let end = |frames: usize| {
        let job = Flow {
            gravity: Vector3::new(0.3, -0.5, 0.2),
            velocity: Twist::new(Vector3::new(0.5, -0.3, 0.8), Vector3::new(0.2, 0.1, -0.3)),
            stepping: fixed(1),
            ..Flow::new(solid(1300.0), WATER)
        };
        *run(&job, &wriggler(1.0, frames)).tracks[0].poses.last().unwrap()
    };
    let ends = [100, 200, 400, 1600].map(end);
    let errors = [0, 1, 2].map(|i| distance(&ends[i], &ends[3]));
    let orders = [(errors[0] / errors[1]).log2(), (errors[1] / errors[2]).log2()];
    // The reference has a 16th to a 256th of the errors measured: 2.01 and 2.09.
    assert!(orders.iter().all(|order| (1.9..2.2).contains(order)), "{orders:?}");
}

/// A plate that falls flat reaches the speed at which drag is its weight: m g = ρ A v², both of its sides counted.
#[test]
fn a_plate_reaches_its_terminal_speed() {
    let (side, surface_density) = (0.3, 0.4);
    let mesh = plate([side, side], [6, 6], Spacing::Even);
    let job = Flow { start: turned([FRAC_PI_2, 0.0, 0.0]), ..Flow::new(Substance::Uniform(Material::Shell { surface_density }), AIR) };
    let motion = run(&Flow { steps: Some(300), ..job }, &rigid(&mesh, 60.0));
    let fall = motion.tracks[0].series("fall_speed").unwrap();
    let expected = (surface_density * GRAVITY / AIR.density).sqrt();
    below((fall[300] / expected - 1.0).abs(), 1e-3); // measured 1e-12: five seconds are 28 times v/g
    assert!(motion.checks.iter().all(|check| check.pass()), "{:?}", motion.checks);
    // On the way there: v(t) = v∞ tanh(t/t_c), t_c = (m + m_f) v∞ / (m g), m_f = ρ · 2A · δ, δ = 2A/(π · perimeter).
    let added = AIR.density * 2.0 * side * side * (2.0 * side * side / (std::f64::consts::PI * 4.0 * side));
    let mass = surface_density * side * side;
    let t_c = (mass + added) * expected / (mass * GRAVITY);
    let at = |k: usize| (motion.tracks[0].twists[k].linear.norm() - expected * ((k as f64 - 0.5) / 60.0 / t_c).tanh()).abs() / expected;
    below((2..30).map(at).fold(0.0, f64::max), 0.02); // the twist is that of the last step of several
}

/// The power of drag on a rigid body in still fluid is never positive, and a body left alone comes to rest.
#[test]
fn drag_only_takes_energy() {
    let lumps = [ellipsoid([0.2, 0.1, 0.04], 2), cuboid([0.2, 0.02, 0.1], [4, 1, 3]), plate([0.3, 0.1], [5, 3], Spacing::Even)];
    for (mesh, substance) in lumps.iter().zip(&[solid(1500.0), solid(700.0), Substance::Uniform(Material::Shell { surface_density: 2.0 })])
    {
        let velocity = Twist::new(Vector3::new(9.0, -4.0, 7.0), Vector3::new(1.0, 2.0, -1.5));
        let job = Flow { gravity: Vector3::zeros(), velocity, steps: Some(600), ..Flow::new(substance.clone(), WATER) };
        let motion = run(&job, &rigid(mesh, 60.0));
        let series = |name: &str| motion.tracks[0].series(name).unwrap();
        let (kinetic, drag) = (series("kinetic_energy"), series("work_of_drag"));
        assert!(drag.windows(2).all(|w| w[1] <= w[0]));
        let rise = kinetic.windows(2).map(|w| (w[1] - w[0]) / kinetic[0]).fold(0.0, f64::max);
        below(rise, 1e-15); // measured 0, 0, 7e-18: it falls in every frame
        // The sheet ends up flying edge on, which costs it nothing; the solids come to rest.
        below(kinetic[600] / kinetic[0], if matches!(substance, Substance::Uniform(Material::Shell { .. })) { 0.05 } else { 1e-3 });
    }
}

/// What weighs as much as the fluid it displaces stays where it is.
#[test]
fn neutral_buoyancy_is_at_rest() {
    let start = Pose { translation: Vector3::new(5.0, 40.0, -7.0), ..turned([0.3, 1.0, -0.4]) };
    let job = Flow { start, steps: Some(600), ..Flow::new(solid(WATER.density), WATER) };
    // The second is far from its own origin, so that torques of 4 m times its weight must cancel.
    for (offset, bound) in [(Vector3::zeros(), 1e-12), (Vector3::new(1.0, -2.0, 3.0), 1e-11)] {
        let mut mesh = ellipsoid([0.3, 0.2, 0.1], 2);
        mesh.0.iter_mut().for_each(|p| *p += offset);
        let motion = run(&job, &rigid(&mesh, 60.0));
        below(motion.tracks[0].poses.iter().map(|pose| distance(pose, &start)).fold(0.0, f64::max), bound);
    }
}

/// A rigid body in an ideal fluid, with the exact added mass, against Kirchhoff's equations solved to high order.
#[test]
fn an_ideal_fluid_gives_the_motion_of_kirchhoff() {
    let mesh = ellipsoid([0.3, 0.2, 0.1], 2);
    let velocity = Twist::new(Vector3::new(2.0, 0.5, -1.0), Vector3::new(0.3, 0.2, 0.1));
    let job = Flow {
        gravity: Vector3::zeros(),
        lift_and_drag: false,
        added_mass: AddedMass::BoundaryElement,
        velocity,
        ..Flow::new(solid(1200.0), WATER)
    };
    let state = job.begin_rigid(rigid(&mesh, 1.0).topology(), &mesh.0).unwrap();
    let body = holonomy::shape::Inertia::of_solid(&mesh.0, &mesh.1, 1200.0).unwrap().matrix();
    let tensor: Matrix6<f64> = body + state.added_mass();
    let seconds = 4.0;
    let reference = kirchhoff(&tensor, &velocity, seconds, 40_000);
    let of = |frames: usize| {
        let job = Flow { steps: Some(frames), stepping: fixed(1), ..job.clone() };
        let motion = run(&job, &rigid(&mesh, frames as f64 / seconds));
        let kinetic = motion.tracks[0].series("kinetic_energy").unwrap();
        let swing = kinetic.iter().map(|e| (e / kinetic[0] - 1.0).abs()).fold(0.0, f64::max);
        (distance(motion.tracks[0].poses.last().unwrap(), &reference), swing)
    };
    let found = [400, 800, 1600].map(of);
    let order = (found[1].0 / found[2].0).log2();
    assert!((1.95..2.05).contains(&order), "{order}");
    below(found[2].0, 1e-3);
    below(found[2].1, 1e-4); // energy swings about its value, and shrinks with the square of the step
}

/// Kirchhoff 1870 by Runge and Kutta's fourth order: μ' = ad(Y)ᵀ μ, g' = g Y.
fn kirchhoff(tensor: &Matrix6<f64>, velocity: &Twist, seconds: f64, steps: usize) -> Pose {
    let inverse = tensor.try_inverse().unwrap();
    let rate = |momentum: &Vector6<f64>| {
        let twist = Twist::from(inverse * momentum);
        (twist, Vector6::from(twist.ad_dual(&Momentum::from(*momentum))))
    };
    let h = seconds / steps as f64;
    let mut momentum = tensor * Vector6::from(*velocity);
    let mut pose = Pose::identity();
    for _ in 0..steps {
        // Munthe-Kaas: the pose by the exponential of a displacement, its rate through dexp⁻¹ of the left form.
        let (y1, k1) = rate(&momentum);
        let (y2, k2) = rate(&(momentum + k1 * (0.5 * h)));
        let (y3, k3) = rate(&(momentum + k2 * (0.5 * h)));
        let (y4, k4) = rate(&(momentum + k3 * h));
        let lie = |at: Twist, y: Twist| (at * -1.0).dexp_inv_apply(&y);
        let l1 = y1;
        let l2 = lie(l1 * (0.5 * h), y2);
        let l3 = lie(l2 * (0.5 * h), y3);
        let l4 = lie(l3 * h, y4);
        pose = pose * Pose::exp(&((l1 + l2 * 2.0 + l3 * 2.0 + l4) * (h / 6.0)));
        momentum += (k1 + k2 * 2.0 + k3 * 2.0 + k4) * (h / 6.0);
    }
    pose
}

/// Nothing is allocated from the second step on, rigid or not, in one fluid or two.
#[test]
fn stepping_allocates_nothing() {
    let clip = wriggler(1.0, 30);
    let layered = Fluids::Layered { level: 0.02, below: WATER, above: AIR };
    for fluids in [Fluids::One(WATER), layered] {
        let job = Flow { fluids, stepping: fixed(2), ..Flow::new(solid(900.0), WATER) };
        let mut changing = job.begin(clip.topology(), clip.frame(0)).unwrap();
        let mut rigid = job.begin_rigid(clip.topology(), clip.frame(0)).unwrap();
        let mut step = |k: usize| {
            let _ = job.step(&mut changing, Some(clip.frame(k)), clip.dt(), &Wrench::zero()).unwrap();
            let _ = job.step(&mut rigid, None, clip.dt(), &Wrench::zero()).unwrap();
        };
        (1..5).for_each(&mut step);
        assert_eq!(allocations::during(|| (5..25).for_each(&mut step)), 0, "{fluids:?}");
    }
}

/// A body dropped into water: its momentum goes on into the water it moves; coming out again it leaves that behind. It never gains energy.
#[test]
fn a_body_goes_in_and_out_of_water() {
    let mesh = icosphere(2);
    let mesh = (mesh.0.iter().map(|p| p * 0.1).collect::<Vec<_>>(), mesh.1);
    let fluids = Fluids::Layered { level: 0.0, below: WATER, above: AIR };
    let start = Pose { translation: Vector3::new(0.0, 1.0, 0.0), ..turned([0.1, 0.2, 0.3]) };
    let job = Flow { fluids, start, steps: Some(60 * 8), ..Flow::new(solid(300.0), WATER) };
    let motion = run(&job, &rigid(&mesh, 60.0));
    assert!(motion.checks.iter().all(|check| check.pass()), "{:?}", motion.checks);
    let heights: Vec<f64> = motion.tracks[0].centers.iter().map(|c| c.y).collect();
    let deepest = heights.iter().copied().fold(f64::MAX, f64::min);
    let second = heights[120..].iter().copied().fold(f64::MIN, f64::max);
    assert!(deepest < -0.06 && second < 0.1, "{deepest} {second}");
    // It bobs about where 0.3 of its volume is under water.
    let volume = Displaced::whole(&mesh.0, &mesh.1).volume;
    let wet = |pose: &Pose| Displaced::below(0.0, pose, &mesh.0, &mesh.1).volume / volume;
    let mean = motion.tracks[0].poses[240..].iter().map(wet).sum::<f64>() / 241.0;
    below((mean - 0.3).abs(), 0.01);
}

/// Substeps chosen by themselves keep turn and travel short; where a step has no solution, shorter ones are tried.
#[test]
fn substeps_fit_the_motion() {
    let mesh = ellipsoid([0.02, 0.01, 0.004], 2);
    let velocity = Twist::new(Vector3::new(60.0, 40.0, -90.0), Vector3::new(3.0, 0.0, 0.0));
    let job = Flow { velocity, steps: Some(30), ..Flow::new(solid(600.0), AIR) };
    let motion = run(&job, &rigid(&mesh, 30.0));
    assert!(motion.checks.iter().all(|check| check.pass()), "{:?}", motion.checks);
    let substeps = motion.tracks[0].series("substeps").unwrap();
    assert!(substeps[1] > 18.0 && substeps[1] < 100.0, "{}", substeps[1]);
    let coarse = run(&Flow { stepping: fixed(1), ..job }, &rigid(&mesh, 30.0));
    let shorter = coarse.tracks[0].series("substeps").unwrap();
    assert!(shorter[1] > 1.0, "a step of nearly four radians has no solution, so shorter ones are taken");
}

/// Wind carries a light body along, at its own speed in the end.
#[test]
fn wind_carries_a_light_body() {
    let mesh = ellipsoid([0.05, 0.05, 0.05], 2);
    let wind = Vector3::new(3.0, 0.0, 0.0);
    let job = Flow {
        gravity: Vector3::zeros(),
        flow: FlowField::Uniform(wind),
        start: turned([0.0, 0.6, 0.0]),
        steps: Some(600),
        ..Flow::new(Substance::Uniform(Material::Shell { surface_density: 0.05 }), AIR)
    };
    let motion = run(&job, &rigid(&mesh, 60.0));
    // The difference u falls as u' = −k u²: u = u₀/(1 + k u₀ t), k = (2/3) ρ π r²/(m + m_f), with C_d = 4/3.
    let (mass, added) = (0.05 * 4.0 * std::f64::consts::PI * 0.0025, AIR.density * 2.0 / 3.0 * std::f64::consts::PI * 1.25e-4);
    let rate = 2.0 / 3.0 * AIR.density * std::f64::consts::PI * 0.0025 / (mass + added);
    let expected = 3.0 / (1.0 + rate * 3.0 * 10.0);
    let track = &motion.tracks[0];
    let velocity = (track.centers[600] - track.centers[599]) * 60.0;
    below(((velocity - wind).norm() / expected - 1.0).abs(), 0.03); // the mesh has a little less area than the sphere
}

/// Every bad input is named.
#[test]
fn bad_input_is_refused() {
    let (points, faces) = ellipsoid([0.1, 0.1, 0.1], 1);
    let surface = |faces: &[[u32; 3]]| Topology::Surface { faces: faces.to_vec() };
    let good = Flow::new(solid(1000.0), WATER);
    let refused =
        |job: &Flow, faces: &[[u32; 3]], points: &[Vector3<f64>]| job.begin_rigid(&surface(faces), points).unwrap_err().to_string();
    let with = |substance: Substance| Flow { substance, ..good.clone() };
    for (message, found) in [
        ("closed surface", refused(&good, &faces[1..], &points)),
        ("density is -5", refused(&with(solid(-5.0)), &faces, &points)),
        ("mass of the body is 0", refused(&with(solid(0.0)), &faces, &points)),
        ("mass of the body is 0", refused(&with(Substance::Uniform(Material::Massless)), &faces, &points)),
        ("vertex masses: 3 given", refused(&with(Substance::Masses(vec![1.0; 3])), &faces, &points)),
        ("no volume", refused(&good, &[[0, 1, 2], [0, 2, 1]], &points[..3])),
        (
            "density of the fluid is -1",
            refused(&Flow { fluids: Fluids::One(Fluid { density: -1.0, ..WATER }), ..good.clone() }, &faces, &points),
        ),
        ("gravity is NaN", refused(&Flow { gravity: Vector3::repeat(f64::NAN), ..good.clone() }, &faces, &points)),
        ("list of faces is empty", refused(&good, &[], &points)),
        ("substeps is 0", refused(&Flow { stepping: fixed(0), ..good.clone() }, &faces, &points)),
    ] {
        assert!(found.contains(message), "`{found}` does not say `{message}`");
    }
    let curve = good.begin(&Topology::Curve { closed: false }, &points).unwrap_err();
    assert!(curve.to_string().contains("needs a surface"));
    let mut state = good.begin(&surface(&faces), &points).unwrap();
    let step = |state: &mut _, shape: &[Vector3<f64>], dt: f64| good.step(state, Some(shape), dt, &Wrench::zero());
    assert!(matches!(step(&mut state, &points[1..], 0.1), Err(Error::TopologyChanges { .. })));
    assert!(matches!(step(&mut state, &vec![Vector3::repeat(f64::NAN); points.len()], 0.1), Err(Error::NonFinitePosition { .. })));
    assert!(matches!(step(&mut state, &points, 0.0), Err(Error::Parameter { .. })));
    let mut rigid = good.begin_rigid(&surface(&faces), &points).unwrap();
    assert!(matches!(step(&mut rigid, &points, 0.1), Err(Error::Degenerate { .. })));
}

/// Inside out is turned round, with a note; the motion is the same.
#[test]
fn an_inside_out_mesh_is_mended() {
    let mesh = ellipsoid([0.1, 0.06, 0.03], 2);
    let job = Flow { steps: Some(60), start: turned([0.2, 0.1, 0.5]), ..Flow::new(solid(1500.0), WATER) };
    let one = run(&job, &rigid(&mesh, 60.0));
    let other = run(&job, &rigid(&crate::meshes::inside_out(mesh), 60.0));
    assert!(other.warnings.iter().any(|warning| warning.contains("inside out")));
    below(distance(&one.tracks[0].poses[60], &other.tracks[0].poses[60]), 1e-9);
}

/// A speed beyond all measure stops the run with advice, and nothing that is not finite comes out.
#[test]
fn an_explosion_is_stopped() {
    let mesh = ellipsoid([0.1, 0.06, 0.03], 1);
    let thrust = Wrench::new(Vector3::zeros(), Vector3::new(1e9, 0.0, 0.0));
    let job = Flow { thrust, steps: Some(600), ..Flow::new(solid(1500.0), AIR) };
    let motion = job.run(&rigid(&mesh, 60.0), &mut |_, _| ControlFlow::Continue(())).unwrap();
    let Outcome::NotConverged { advice, .. } = &motion.outcome else { panic!("{:?}", motion.outcome) };
    assert!(advice.contains("faster than this model holds") || advice.contains("no step was found"), "{advice}");
    assert!(motion.is_finite());
}

/// At terminal speed the fluid holds back what gravity pulls: the forces on the vertices say so, and are largest in front.
#[test]
fn forces_on_vertices_add_up_to_the_weight() {
    let mesh = ellipsoid([0.1, 0.1, 0.1], 2);
    let job = Flow { steps: Some(300), ..Flow::new(solid(1500.0), WATER) };
    let clip = rigid(&mesh, 60.0);
    let motion = run(&job, &clip);
    let thrust = job.thrust(&clip, &motion.tracks[0]).unwrap();
    let last = &thrust[300 * mesh.0.len()..];
    let volume = Displaced::whole(&mesh.0, &mesh.1).volume;
    let weight = (1500.0 - WATER.density) * volume * GRAVITY;
    below((last.iter().sum::<f64>() / weight + 1.0).abs(), 1e-6);
    let side = |sign: f64| mesh.0.iter().zip(last).filter(|(p, _)| p.y * sign > 0.05).map(|(_, f)| f).sum::<f64>();
    below((side(1.0) / side(-1.0) - 1.0).abs(), 1e-9); // this force law is the same in front and behind
    assert!(side(1.0) < 0.0);
}

/// Who is carried along by a steady wind sees what happens in still air (Galileo), whatever the shape.
#[test]
fn a_steady_wind_only_carries() {
    let wind = Vector3::new(3.0, 0.5, -1.0);
    let still = Flow {
        start: turned([0.2, 0.1, 0.35]),
        stepping: fixed(4),
        steps: Some(120),
        ..Flow::new(Substance::Uniform(Material::Shell { surface_density: 0.05 }), AIR)
    };
    let blown = Flow { flow: FlowField::Uniform(wind), velocity: Twist::new(Vector3::zeros(), wind), ..still.clone() };
    let clip = rigid(&plate([0.2, 0.2], [6, 6], Spacing::Even), 60.0);
    let [still, blown] = [run(&still, &clip), run(&blown, &clip)].map(|motion| motion.tracks[0].clone());
    let apart = |k: usize| (blown.centers[k] - still.centers[k] - wind * (k as f64 / 60.0)).norm();
    below((0..=120).map(apart).fold(0.0, f64::max), 1e-10);
    below(still.poses[120].rotation.angle_to(&blown.poses[120].rotation), 1e-10);
    below((blown.twists[60].linear - still.twists[60].linear - blown.poses[60].rotation.inverse() * wind).norm(), 1e-10);
    assert!((still.centers[120] - still.centers[0]).norm() > 0.5);
}

/// A shape that is moved rigidly in its own frame, with no momentum, stays where it is in the world (math.md 2.6).
#[test]
fn a_shape_moved_in_its_own_frame_stays_in_the_world() {
    let (points, faces) = ellipsoid([0.3, 0.2, 0.1], 2);
    let moved = |k: usize| {
        let t = k as f64 / 20.0;
        let pose = Pose { translation: Vector3::new(t, 0.3 * t * t, -0.2 * t), ..turned([0.4 * t, -0.7 * t, 0.9 * t * t]) };
        points.iter().map(move |p| pose.act(p)).collect::<Vec<_>>()
    };
    let topology = Topology::Surface { faces };
    let clip = Clip::new(topology, Playback::Once, 0.05, points.len(), (0..=20).flat_map(moved).collect()).unwrap();
    for fluid in [VACUUM, WATER] {
        let stepping = Stepping { retraction: Retraction::Cayley, ..fixed(1) };
        let job = Flow { gravity: Vector3::zeros(), lift_and_drag: false, stepping, ..Flow::new(solid(1100.0), fluid) };
        let motion = run(&job, &clip);
        let pose = motion.tracks[0].poses[20];
        let strayed = moved(20).iter().zip(&points).map(|(now, first)| (pose.act(now) - first).norm()).fold(0.0, f64::max);
        below(strayed, 1e-12); // exact with Cayley's map and the middle shape
    }
}

/// A push of the user's gives what it gives, and is no energy from nowhere when it ends.
#[test]
fn a_push_accelerates_and_then_the_body_coasts() {
    let mesh = ellipsoid([0.1, 0.1, 0.1], 2);
    let job = Flow { gravity: Vector3::zeros(), lift_and_drag: false, ..Flow::new(solid(500.0), VACUUM) };
    let mut state = job.begin_rigid(rigid(&mesh, 60.0).topology(), &mesh.0).unwrap();
    let push = Wrench::new(Vector3::new(0.0, 0.01, 0.0), Vector3::new(2.0, 0.0, 0.0));
    for k in 0..60 {
        let wrench = if k < 30 { push } else { Wrench::zero() };
        let report = job.step(&mut state, None, 1.0 / 60.0, &wrench).unwrap();
        assert_eq!(report.trouble, None);
    }
    below((state.momentum().linear - Vector3::x()).norm(), 1e-12);
    below((state.pose().translation.x * state.mass() - (0.125 * 2.0 + 0.5)).abs(), 1e-3);
    assert!(state.pose().rotation.angle() > 0.1);
}

/// Going into a denser fluid keeps the momentum, as speed and added mass show it; coming out keeps the velocity, for the fluid that moved along stays
/// behind.
#[test]
fn momentum_goes_into_the_water_and_stays_in_it() {
    let mesh = ellipsoid([0.1, 0.05, 0.05], 2);
    let fluids = Fluids::Layered { level: 0.0, below: WATER, above: VACUUM };
    for direction in [-1.0, 1.0] {
        let start = Pose { translation: Vector3::y() * (-0.2 * direction), ..Pose::identity() };
        let velocity = Twist::new(Vector3::zeros(), Vector3::y() * direction);
        let job = Flow { fluids, start, velocity, gravity: Vector3::zeros(), lift_and_drag: false, ..Flow::new(solid(500.0), WATER) };
        let mut state = job.begin_rigid(rigid(&mesh, 60.0).topology(), &mesh.0).unwrap();
        let speed = state.twist().linear.y;
        (0..60).for_each(|_| assert_eq!(job.step(&mut state, None, 1.0 / 100.0, &Wrench::zero()).unwrap().trouble, None));
        assert!(state.pose().translation.y * direction > 0.1, "it has passed the surface");
        let height = state.pose().translation.y;
        let _ = job.step(&mut state, None, 1.0 / 100.0, &Wrench::zero()).unwrap();
        let slowed = (state.pose().translation.y - height) * 100.0 / speed;
        if direction < 0.0 {
            let heavier = 1.0 + state.added_mass()[(4, 4)] / state.mass();
            below((slowed * heavier - 1.0).abs(), 1e-9);
            assert!(slowed < 0.5, "{slowed}"); // the water that it moves is heavier than itself
        } else {
            below((slowed - 1.0).abs(), 1e-3);
        }
    }
}

/// A ball that floats in an ideal fluid and glides along: spin slides its surface along the water and moves none of it, so that its way is the same.
#[test]
fn spin_of_a_half_wet_ball_does_not_brake_it() {
    let fluids = Fluids::Layered { level: 0.0, below: WATER, above: VACUUM };
    let way = |spin: Vector3<f64>, depth: f64, subdivisions: usize| {
        let mesh = ellipsoid([0.1; 3], subdivisions);
        let velocity = Twist::new(spin, Vector3::x());
        let start = Pose { translation: Vector3::y() * -depth, ..Pose::identity() };
        let job = Flow { fluids, start, velocity, gravity: Vector3::zeros(), lift_and_drag: false, ..Flow::new(solid(500.0), WATER) };
        let mut state = job.begin_rigid(rigid(&mesh, 60.0).topology(), &mesh.0).unwrap();
        (0..240).for_each(|_| assert_eq!(job.step(&mut state, None, 1.0 / 60.0, &Wrench::zero()).unwrap().trouble, None));
        state.pose().translation.x / 4.0
    };
    for depth in [0.0, 0.05] {
        below((way(Vector3::zeros(), depth, 2) - 1.0).abs(), 1e-12);
        let lost = [2, 3, 4].map(|subdivisions| {
            let spins = [Vector3::z() * -3.0, Vector3::z() * 10.0, Vector3::y() * 10.0, Vector3::x() * 10.0];
            spins.map(|spin| (way(spin, depth, subdivisions) - 1.0).abs())
        });
        println!("{depth} m deep: {lost:?}");
        // From coarse to fine at most 1.2e-3, 7.1e-4, 6.7e-4, of which long steps make 6e-4; where faces that leave lost all they moved, 8e-2.
        lost.iter().zip([4e-3, 2e-3, 2e-3]).for_each(|(lost, bound)| lost.iter().for_each(|&lost| below(lost, bound)));
    }
}

/// A ball that goes into the water aslant, or out of it: what pushes it goes through its middle, so nothing turns it.
#[test]
fn water_does_not_turn_a_ball() {
    let fluids = Fluids::Layered { level: 0.0, below: WATER, above: VACUUM };
    for (height, velocity) in
        [(0.12, Vector3::new(0.7, -2.0, 0.0)), (0.12, Vector3::new(3.0, -1.0, 0.5)), (-0.15, Vector3::new(1.0, 1.0, 0.0))]
    {
        let spins = [2, 3].map(|subdivisions| {
            let mesh = ellipsoid([0.1; 3], subdivisions);
            let start = Pose { translation: Vector3::y() * height, ..Pose::identity() };
            let velocity = Twist::new(Vector3::zeros(), velocity);
            let job = Flow { fluids, start, velocity, gravity: Vector3::zeros(), lift_and_drag: false, ..Flow::new(solid(500.0), WATER) };
            let mut state = job.begin_rigid(rigid(&mesh, 60.0).topology(), &mesh.0).unwrap();
            (0..60).for_each(|_| assert_eq!(job.step(&mut state, None, 1.0 / 120.0, &Wrench::zero()).unwrap().trouble, None));
            assert!(state.pose().translation.y * height < 0.0, "it has passed the surface");
            state.twist().angular.norm()
        });
        println!("{height} {velocity:?}: {spins:?} rad/s");
        // At most 0.071 and 0.022; without the torque of faces that slide through the surface 2.1, 9.3 and more.
        spins.iter().zip([0.2, 0.07]).for_each(|(&spin, bound)| below(spin, bound));
    }
}

/// A plate above a current in still air, let go at rest: the current is far away, so it stays. A wind that is told as a shear so wide that it is the same
/// everywhere carries it as a wind does.
#[test]
fn added_mass_is_that_of_the_layer_that_the_body_is_in() {
    let mesh = plate([0.2, 0.12], [5, 3], Spacing::Even);
    let air = Fluid { density: 1.2, viscosity: 0.0 };
    let start = Pose { rotation: UnitQuaternion::from_scaled_axis(Vector3::y() * 0.6), ..Pose::identity() };
    let sheet = Substance::Uniform(Material::Shell { surface_density: 0.03 });
    let end = |flow: FlowField, fluids: Fluids, velocity: Vector3<f64>| {
        let velocity = Twist::new(Vector3::zeros(), velocity);
        let job = Flow { flow, fluids, start, velocity, gravity: Vector3::zeros(), ..Flow::new(sheet.clone(), air) };
        let mut state = job.begin_rigid(rigid(&mesh, 60.0).topology(), &mesh.0).unwrap();
        (0..60).for_each(|_| assert_eq!(job.step(&mut state, None, 1.0 / 60.0, &Wrench::zero()).unwrap().trouble, None));
        state.pose().translation
    };
    let over = Fluids::Layered { level: -100.0, below: WATER, above: air };
    let over_a_current = |wind: FlowField| {
        let current = FlowField::Uniform(Vector3::new(3.0, 0.0, 1.0));
        FlowField::Layered { level: -100.0, above: Box::new(wind), below: Box::new(current) }
    };
    below(end(over_a_current(FlowField::Still), over, Vector3::zeros()).norm(), 1e-12);
    let wind = Vector3::x() * 5.0;
    below((end(over_a_current(FlowField::Uniform(wind)), over, wind) - wind).norm(), 1e-9);
    let shear = FlowField::Shear { rate: Vector3::x() * 5e-5, across: Vector3::y(), origin: Vector3::y() * -1e5 };
    let plain = end(FlowField::Uniform(wind), Fluids::One(air), Vector3::zeros());
    let told = [end(shear, Fluids::One(air), Vector3::zeros()), end(over_a_current(FlowField::Uniform(wind)), over, Vector3::zeros())];
    println!("{plain:?} {told:?}");
    // 2.2e-3 and 2.7e-3 of the way; as if the fluid rested with the water, three quarters were missing.
    told.iter().for_each(|told| below((told - plain).norm(), 1e-2 * plain.norm()));
}

/// The same where it bobs, so that it goes in and out while it spins.
#[test]
fn spin_of_a_bobbing_ball_does_not_brake_it() {
    let fluids = Fluids::Layered { level: 0.0, below: WATER, above: VACUUM };
    let way = |spin: f64| {
        let mesh = ellipsoid([0.1; 3], 3);
        let velocity = Twist::new(Vector3::z() * spin, Vector3::x() * 0.3);
        let start = Pose { translation: Vector3::y() * 0.03, ..Pose::identity() };
        let job = Flow { fluids, start, velocity, lift_and_drag: false, ..Flow::new(solid(499.0), WATER) };
        let mut state = job.begin_rigid(rigid(&mesh, 60.0).topology(), &mesh.0).unwrap();
        (0..240).for_each(|_| assert_eq!(job.step(&mut state, None, 1.0 / 60.0, &Wrench::zero()).unwrap().trouble, None));
        state.pose().translation.x
    };
    let ways = [0.0, -3.0, -10.0, 10.0, 20.0].map(way);
    println!("{ways:?}");
    // Within 3.5 %; where faces handed on by energy alone what they moved, 55 % was lost.
    ways.iter().for_each(|way| below((way / ways[0] - 1.0).abs(), 0.08));
}

/// The forces on the vertices of a swimmer are what changes its momentum, also where its shape changes.
#[test]
fn forces_on_a_changing_shape_change_its_momentum() {
    let clip = wriggler(1.0, 200);
    let velocity = Twist::new(Vector3::zeros(), Vector3::new(0.5, 0.0, 0.0));
    let job = Flow { gravity: Vector3::zeros(), velocity, stepping: fixed(1), ..Flow::new(solid(998.0), WATER) };
    let track = run(&job, &clip).tracks[0].clone();
    let thrust = job.thrust(&clip, &track).unwrap();
    let ahead = (track.centers[200] - track.centers[0]).normalize();
    let n = clip.vertices();
    let (mut apart, mut most) = (0.0_f64, 0.0_f64);
    for k in 20..199 {
        let force: f64 = thrust[k * n..(k + 1) * n].iter().sum();
        let change = (track.momenta[k + 1].linear - track.momenta[k - 1].linear).dot(&ahead) / (2.0 * clip.dt());
        (apart, most) = (apart.max((force - change).abs()), most.max(change.abs()));
    }
    below(apart / most, 0.05); // half a frame apart
}

/// A hollow body weighs the same whether it may change or not.
#[test]
fn a_cavity_is_missing_mass() {
    let (outer, inner) = (ellipsoid([0.1, 0.1, 0.1], 2), ellipsoid([0.06, 0.06, 0.06], 2));
    let hollow = both(outer, crate::meshes::inside_out(inner));
    let job = Flow::new(solid(2000.0), WATER);
    let topology = Topology::Surface { faces: hollow.1.clone() };
    let (rigid, changing) = (job.begin_rigid(&topology, &hollow.0).unwrap().mass(), job.begin(&topology, &hollow.0).unwrap().mass());
    below((rigid / changing - 1.0).abs(), 1e-12);
}

fn ball(radius: f64) -> Mesh {
    ellipsoid([radius; 3], 2)
}

fn holds(motion: &Motion) {
    assert!(motion.checks.iter().all(|check| check.pass()), "{:?}", motion.checks);
}

/// What is thrown up, or sent down where it floats, slows down, stops and comes back: that is no energy from nowhere.
#[test]
fn what_slows_down_goes_on() {
    for (radius, density, fluid, speed) in
        [(0.1, 800.0, AIR, 1.0), (0.3, 800.0, AIR, 2.0), (1.0, 800.0, VACUUM, 1.0), (0.1, 700.0, WATER, -0.3)]
    {
        let velocity = Twist::new(Vector3::zeros(), Vector3::y() * speed);
        let job = Flow { velocity, steps: Some(120), ..Flow::new(solid(density), fluid) };
        let motion = run(&job, &rigid(&ball(radius), 60.0));
        holds(&motion);
        let heights: Vec<f64> = motion.tracks[0].centers.iter().map(|c| c.y / speed).collect();
        let most = heights.iter().copied().fold(0.0, f64::max);
        assert!(most > 0.0 && heights[120] < 0.0, "{most} {}", heights[120]);
        if fluid == VACUUM {
            // A frame may miss the top by half of it.
            below((most - 0.5 / GRAVITY).abs(), 0.5 * GRAVITY / 120.0_f64.powi(2));
        }
    }
}

/// Kinetic and potential energy change by the work of drag, thrust and ground, and by nothing else: of rigid bodies, in still fluid, in wind, in a shear
/// flow, and pushed. To second order.
#[test]
fn energy_is_accounted_for() {
    let still = Flow {
        velocity: Twist::new(Vector3::new(2.0, -3.0, 1.0), Vector3::new(1.0, 0.5, -0.3)),
        start: turned([0.4, 0.2, -0.3]),
        ..Flow::new(solid(1400.0), WATER)
    };
    let wind = Flow { flow: FlowField::Uniform(Vector3::new(1.5, 0.3, -0.7)), ..still.clone() };
    let shear = Flow {
        flow: FlowField::Shear { rate: Vector3::new(2.0, 0.0, 1.0), across: Vector3::y(), origin: Vector3::zeros() },
        ..still.clone()
    };
    let pushed = Flow { thrust: Wrench::new(Vector3::new(0.3, 0.1, 0.0), Vector3::new(5.0, -2.0, 3.0)), ..wind.clone() };
    for job in [still, wind, shear, pushed] {
        let missing = |fps: usize| {
            let job = Flow { stepping: fixed(1), steps: Some(fps / 2), ..job.clone() };
            let motion = run(&job, &rigid(&ellipsoid([0.2, 0.1, 0.06], 2), fps as f64));
            let gained = |name: &str| motion.tracks[0].series(name).map_or(0.0, |values| values[fps / 2] - values[0]);
            let given = gained("work_of_drag") + gained("work_of_thrust");
            let energy = gained("kinetic_energy") + gained("potential_energy");
            assert!(given.abs() > 0.5, "{given}");
            (energy - given).abs() / given.abs()
        };
        let missing = [400, 800].map(missing);
        assert!((3.2..4.8).contains(&(missing[0] / missing[1])), "{missing:?}");
        below(missing[1], 1e-5); // measured 5.3e-6, 4.7e-7, 4.5e-6, 1.3e-6
    }
}

/// A ball that sinks does so whatever frame its shape is told in: one that stays, or one that shifts and turns. Work is the same, and its muscles do none.
#[test]
fn work_does_not_depend_on_the_body_frame() {
    let (points, faces) = ellipsoid([0.1, 0.07, 0.05], 2);
    let told = |frames: usize, shifts: bool| {
        let at = |k: usize| {
            let t = if shifts { k as f64 / frames as f64 } else { 0.0 };
            let pose = Pose { translation: Vector3::new(0.3, 1.0, -0.2) * t, ..turned([0.5 * t, 0.2 * t, -0.4 * t]) };
            points.iter().map(move |p| pose.act(p)).collect::<Vec<_>>()
        };
        let topology = Topology::Surface { faces: faces.clone() };
        let clip = Clip::new(topology, Playback::Once, 1.0 / frames as f64, points.len(), (0..=frames).flat_map(at).collect()).unwrap();
        let job = Flow { stepping: fixed(1), start: turned([0.3, 0.0, 0.2]), ..Flow::new(solid(2500.0), WATER) };
        let motion = run(&job, &clip);
        ["work_of_drag", "work_of_weight", "work_of_buoyancy", "work_of_shape"].map(|name| motion.tracks[0].series(name).unwrap()[frames])
    };
    let apart = |frames: usize| {
        let (stays, shifts) = (told(frames, false), told(frames, true));
        std::array::from_fn::<f64, 4, _>(|i| (shifts[i] - stays[i]).abs() / stays[1])
    };
    let [coarse, fine] = [apart(100), apart(200)];
    for (coarse, fine) in coarse.into_iter().zip(fine) {
        below(fine, 1e-3); // measured 1.6e-5, 3.5e-5, 1.4e-5, 4.9e-4
        below(fine, 0.6 * coarse); // first order at least: of its own work no more is known
    }
}

/// The forces that are told are those that change the momentum, and balance when a body sinks steadily or lies on the ground.
#[test]
fn forces_told_change_the_momentum() {
    let clip = wriggler(1.0, 60);
    let job = Flow {
        thrust: Wrench::new(Vector3::new(0.1, 0.2, 0.0), Vector3::new(1.0, 0.0, 2.0)),
        velocity: Twist::new(Vector3::new(0.5, -0.3, 0.8), Vector3::new(0.2, 0.1, -0.3)),
        ..Flow::new(solid(1300.0), WATER)
    };
    let track = run(&job, &clip).tracks[0].clone();
    let off = |k: usize| Vector6::from(track.momenta[k + 1] - track.momenta[k] - track.wrenches[k + 1] * clip.dt()).norm();
    below((0..60).map(off).fold(0.0, f64::max) / Vector6::from(track.momenta[60]).norm(), 1e-9);
    let job = Flow { steps: Some(300), ground: Some(Ground::Flat { height: -3.0 }), ..Flow::new(solid(1500.0), WATER) };
    let motion = run(&job, &rigid(&ball(0.1), 60.0));
    let force = |name: &str, k: usize| motion.tracks[0].series(name).unwrap()[k];
    let mass = 1500.0 * Displaced::whole(&ball(0.1).0, &ball(0.1).1).volume;
    let net = force("weight_force", 150) - force("buoyancy_force", 150);
    below((force("weight_force", 150) / (mass * GRAVITY) - 1.0).abs(), 1e-12);
    below((net / (mass * GRAVITY / 3.0) - 1.0).abs(), 0.01); // the water has 998 kg/m³
    assert!(force("ground_force", 150) == 0.0 && force("drag_force", 300) < 1e-6 * net);
    below((force("drag_force", 150) / net - 1.0).abs(), 1e-3);
    below((force("ground_force", 300) / net - 1.0).abs(), 1e-6);
    // What lies has no momentum and no energy of motion.
    below(motion.tracks[0].momenta[300].linear.norm() / mass, 1e-9);
    below(motion.tracks[0].series("kinetic_energy").unwrap()[300] / mass, 1e-8); // measured 1.4e-10: it rocks a little
}

/// What spins goes straight on at its speed, but for a share (hω)²/12 of it; the check of momentum sees where a step turns too far.
#[test]
fn what_spins_keeps_its_speed() {
    for rate in [30.0, 100.0] {
        let velocity = Twist::new(Vector3::z() * rate, Vector3::x());
        let job = Flow { velocity, gravity: Vector3::zeros(), steps: Some(60), ..Flow::new(solid(800.0), VACUUM) };
        let motion = run(&job, &rigid(&ball(0.1), 60.0));
        holds(&motion);
        let way = motion.tracks[0].centers[60] - motion.tracks[0].centers[0];
        below((way - Vector3::x()).norm(), 0.01 / 12.0 + 1e-9);
    }
    let velocity = Twist::new(Vector3::z() * 30.0, Vector3::x());
    let job = Flow { velocity, gravity: Vector3::zeros(), steps: Some(60), stepping: fixed(1), ..Flow::new(solid(800.0), VACUUM) };
    let motion = run(&job, &rigid(&ball(0.1), 60.0));
    let check = motion.checks.iter().find(|check| check.name.starts_with("momentum against")).unwrap();
    assert!(!check.pass() && check.value < 0.25 / 12.0, "{check:?}");
}

/// A curled leaf that the wind presses to the ground: it lies, so the ground does no work, however hard the wind turns it against the ground. By the momentum at
/// nodes, which has the lever of half a step's forces in it, the ground gave it 6.3e-8 J a frame, a 450th of what it fell with.
#[test]
fn the_ground_does_no_work_on_who_lies() {
    let mut leaf = plate([0.06, 0.03], [8, 4], Spacing::Even);
    leaf.0.iter_mut().for_each(|p| p.z += 8.0 * p.x * p.x + 3.0 * p.y * p.y);
    let start = Pose { rotation: UnitQuaternion::from_scaled_axis(-Vector3::x() * FRAC_PI_2), translation: Vector3::y() * 0.02 };
    let job = Flow {
        flow: FlowField::Uniform(Vector3::x() * 1.5),
        start,
        ground: Some(Ground::Flat { height: 0.0 }),
        friction: 2.0,
        stepping: fixed(4),
        ..Flow::new(Substance::Uniform(Material::Shell { surface_density: 0.08 }), AIR)
    };
    let mut state = job.begin_rigid(rigid(&leaf, 60.0).topology(), &leaf.0).unwrap();
    let reports: Vec<_> = (0..240).map(|_| job.step(&mut state, None, 1.0 / 60.0, &Wrench::zero()).unwrap()).collect();
    let (first, last) = (&reports[60], &reports[239]);
    assert!(last.twist.angular.norm() < 1e-9 && last.twist.linear.norm() < 1e-9);
    below((last.work.ground - first.work.ground).abs(), 1e-13); // measured 6e-15 J
    below((last.own_work - first.own_work).abs(), 1e-13);
}

/// Which map flow should step by: distance and angle after 2 s by 1, 2 and 4 steps a frame, from 256,
/// and how far momentum drifts where nothing acts.
#[test]
fn maps_of_flow_side_by_side() {
    let glide = Flow {
        start: turned([0.2, 0.1, 0.35]),
        steps: Some(120),
        ..Flow::new(Substance::Uniform(Material::Shell { surface_density: 0.05 }), AIR)
    };
    let sheet = rigid(&plate([0.2, 0.2], [6, 6], Spacing::Even), 60.0);
    let sink = Flow { start: turned([0.4, 0.2, 0.3]), steps: Some(120), ..Flow::new(solid(1400.0), WATER) };
    let stone_mesh = ellipsoid([0.12, 0.05, 0.08], 2);
    let stone = rigid(&stone_mesh, 60.0);
    let spin = Twist::new(Vector3::new(1.0, 2.0, 0.5), Vector3::new(1.0, 0.0, 0.5));
    let free = Flow { gravity: Vector3::zeros(), lift_and_drag: false, velocity: spin, ..sink.clone() };
    let maps = [Retraction::Exponential, Retraction::Truncated, Retraction::Cayley];
    let by = |job: &Flow, clip: &Clip, retraction: Retraction, substeps: usize| {
        let stepping = Stepping { retraction, ..fixed(substeps) };
        *run(&Flow { stepping, ..job.clone() }, clip).tracks[0].poses.last().unwrap()
    };
    let found = [("sheet", &glide, &sheet), ("stone", &sink, &stone), ("free", &free, &stone)].map(|(name, job, clip)| {
        let fine = by(job, clip, Retraction::Exponential, 256);
        let off = maps.map(|map| {
            [1, 2, 4].map(|substeps| {
                let pose = by(job, clip, map, substeps);
                [(pose.translation - fine.translation).norm(), pose.rotation.angle_to(&fine.rotation)]
            })
        });
        println!("{name}: [m, rad] by exp, truncated, Cayley {off:?}");
        off.map(|by_substeps| by_substeps[2])
    });
    // Measured at 4 steps a frame, m and rad: 2.2e-3, 7.7e-3; 3.9e-4, 2.2e-5; 3.8e-4, 1.4e-3 of the sheet,
    // 3.9e-6, 2.1e-4; 2.2e-6, 6.9e-5; 6.9e-6, 5.0e-4 of the stone that sinks: there the truncated one is
    // nearest. Of the stone in an ideal fluid 1.4e-4, 9.9e-3; 7.1e-4, 1.0e-2; 6.9e-4, 5.1e-2.
    let [glided, sunk, coasted] = found;
    for [exponential, truncated, cayley] in [glided, sunk] {
        assert!(truncated[1] < 0.5 * exponential[1].min(cayley[1]) && truncated[0] < exponential[0], "{found:?}");
    }
    let [exponential, truncated, cayley] = coasted;
    assert!(4.0 * exponential[0] < truncated[0].min(cayley[0]) && exponential[1] < truncated[1].min(0.25 * cayley[1]), "{coasted:?}");
    let drift = maps.map(|retraction| {
        let job = Flow { stepping: Stepping { retraction, ..fixed(1) }, ..free.clone() };
        let mut state = job.begin_rigid(stone.topology(), &stone_mesh.0).unwrap();
        let first = Vector6::from(state.momentum());
        for _ in 0..120 {
            assert_eq!(job.step(&mut state, None, 1.0 / 60.0, &Wrench::zero()).unwrap().trouble, None);
        }
        (Vector6::from(state.momentum()) - first).norm() / first.norm()
    });
    println!("drift of the momentum by exp, truncated, Cayley: {drift:?}");
    // Measured 2.5e-15, 3.9e-4 and 1.6e-15: flow keeps to the exponential map.
    assert!(drift[0] < 1e-13 && drift[1] > 1e-4 && drift[2] < 1e-13, "{drift:?}");
    assert_eq!(Stepping::default().retraction, Retraction::Exponential);
}
