//! Motion forward in time: orders, energy, and that Newton's method finds what it should.

use holonomy::Error;
use holonomy::elastic::body::{Body, BodySettings};
use holonomy::elastic::load::{Contact, Wind};
use holonomy::elastic::material::Material;
use holonomy::elastic::mesh::{Diagonals, Mesh, Split};
use holonomy::elastic::path::Path;
use holonomy::integrate::force_law::ForceLaw;
use holonomy::integrate::implicit::{Scheme, Settings, Simulation, State, step_bytes};
use holonomy::medium::ground::Ground;
use holonomy::medium::obstacle::Obstacle;
use holonomy::nalgebra::Vector3;

use super::forces;
use crate::meshes::below;

fn at_rest(body: &Body) -> State {
    let q = body.rest();
    State { time: 0.0, velocity: vec![Vector3::zeros(); q.len()], q }
}

fn energy(body: &Body, state: &State) -> f64 {
    let kinetic: f64 = body.masses().iter().zip(&state.velocity).map(|(m, v)| 0.5 * m * v.norm_squared()).sum();
    kinetic + body.energy(state.time, &state.q)
}

/// A soft bar, held at one end.
fn bar() -> Body {
    let mut settings = BodySettings::new(Mesh::bar(Vector3::new(0.3, 0.1, 0.1), [6, 2, 2], Split::Six).unwrap(), Material::JELLY);
    settings.hold(0..9, &Path::Still);
    Body::new(settings).unwrap()
}

/// Errors against a fine run, at four sizes of step.
fn errors(scheme: Scheme) -> Vec<f64> {
    let body = bar();
    let run = |steps: usize| {
        let mut simulation = Simulation::new(&body, Settings { tolerance: 1e-9, max_iterations: 50, ..Settings::default() }).unwrap();
        let mut state = at_rest(&body);
        for _ in 0..steps {
            assert!(simulation.step(&mut state, 0.04 / steps as f64, scheme).unwrap().converged);
        }
        state.q
    };
    let fine = run(2560);
    [20, 40, 80, 160].map(|steps| run(steps).iter().zip(&fine).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max)).to_vec()
}

#[test]
fn both_schemes_are_of_first_order() {
    for scheme in [Scheme::SymplecticEuler, Scheme::BackwardEuler] {
        for pair in errors(scheme).windows(2) {
            let order = (pair[0] / pair[1]).log2();
            below((order - 1.0).abs(), 0.1); // measured 4.8e-2
        }
    }
}

/// Backward Euler's result solves its equation.
#[test]
fn backward_euler_solves_its_equation() {
    let body = bar();
    let mut simulation = Simulation::new(&body, Settings { tolerance: 1e-8, max_iterations: 50, ..Settings::default() }).unwrap();
    let (mut state, h) = (at_rest(&body), 0.02);
    let mut most = 0;
    for _ in 0..20 {
        let before = state.clone();
        let report = simulation.step(&mut state, h, Scheme::BackwardEuler).unwrap();
        assert!(report.converged);
        most = most.max(report.iterations);
        let force = forces(&body, state.time, &state.q);
        for i in 0..state.q.len() {
            let needed = (state.q[i] - before.q[i] - before.velocity[i] * h) * (body.masses()[i] / (h * h));
            below((needed - force[i]).norm() / (body.masses()[i] * 9.81), 1e-8); // measured 1.1e-13
        }
    }
    assert!(most <= 6, "{most}");
}

#[test]
fn symplectic_euler_keeps_the_energy_bounded() {
    let body = bar();
    let mut simulation = Simulation::new(&body, Settings::default()).unwrap();
    let mut state = at_rest(&body);
    let start = energy(&body, &state);
    let (mut low, mut high) = (0.0_f64, 0.0_f64);
    let mut fallen = 0.0_f64;
    for _ in 0..8000 {
        simulation.step(&mut state, 5e-4, Scheme::SymplecticEuler).unwrap();
        let change = energy(&body, &state) - start;
        (low, high) = (low.min(change), high.max(change));
        let gravity: f64 = body.masses().iter().zip(state.q.iter().zip(body.rest())).map(|(m, (q, r))| 9.81 * m * (r.y - q.y)).sum();
        fallen = fallen.max(gravity);
    }
    below((high - low) / fallen, 0.05); // measured 3.3e-3
}

#[test]
fn backward_euler_loses_energy() {
    let body = bar();
    let mut simulation = Simulation::new(&body, Settings::default()).unwrap();
    let mut state = at_rest(&body);
    let mut last = energy(&body, &state);
    for _ in 0..100 {
        assert!(simulation.step(&mut state, 0.01, Scheme::BackwardEuler).unwrap().converged);
        let now = energy(&body, &state);
        assert!(now <= last + 1e-12, "{now} after {last}");
        last = now;
    }
}

/// A flag in the wind, of the size of Jia et al. 2023's: no potential, and still found to convergence.
#[test]
fn a_flag_in_the_wind_converges() {
    let mut settings = BodySettings::new(Mesh::cloth(1.5, 1.0, 15, 10, Diagonals::Alternating).unwrap(), Material::COTTON);
    settings.hold([0, 160], &Path::Still);
    settings.loads.wind = Some(Wind { velocity: Vector3::new(2.0, 0.0, 1.0), coefficient: 0.5 });
    let body = Body::new(settings).unwrap();
    let mut simulation = Simulation::new(&body, Settings::default()).unwrap();
    let mut state = at_rest(&body);
    let (mut most, mut all) = (0, 0);
    for _ in 0..100 {
        let before = state.clone();
        let report = simulation.step(&mut state, 0.01, Scheme::BackwardEuler).unwrap();
        assert!(report.converged, "at {}: {report:?}", before.time);
        (most, all) = (most.max(report.iterations), all + report.iterations);
    }
    assert!(most <= 30 && all <= 1000, "{most} {all}");
    assert!(state.q.iter().all(|x| x.norm() < 3.0));
}

/// A doughnut dropped on the floor is stopped and thrown back.
#[test]
fn a_doughnut_bounces() {
    let mesh = Mesh::doughnut(0.2, 0.08, 21, 2).unwrap();
    let mut settings = BodySettings::new(mesh, Material { young: 2e4, ..Material::JELLY });
    settings.loads.contacts.push(Contact {
        obstacle: Obstacle::Ground(Ground::Flat { height: -0.2 }),
        path: Path::Still,
        margin: 0.0,
        depth: 0.005,
        pressure: 5000.0,
    });
    let body = Body::new(settings).unwrap();
    let mut simulation = Simulation::new(&body, Settings::default()).unwrap();
    let mut state = at_rest(&body);
    let (mut lowest, mut rising, mut most) = (f64::INFINITY, f64::NEG_INFINITY, 0);
    for _ in 0..60 {
        let report = simulation.step(&mut state, 0.01, Scheme::BackwardEuler).unwrap();
        assert!(report.converged, "{report:?}");
        most = most.max(report.iterations);
        lowest = state.q.iter().map(|x| x.y).fold(lowest, f64::min);
        let mass: f64 = body.masses().iter().sum();
        rising = rising.max(body.masses().iter().zip(&state.velocity).map(|(m, v)| m * v.y).sum::<f64>() / mass);
    }
    assert!(most <= 20, "{most}");
    assert!(lowest > -0.215, "{lowest}");
    assert!(rising > 0.2, "{rising}");
}

#[test]
fn bad_steps_are_refused() {
    let body = bar();
    let mut simulation = Simulation::new(&body, Settings::default()).unwrap();
    let mut state = at_rest(&body);
    assert!(simulation.step(&mut state, 0.0, Scheme::BackwardEuler).is_err());
    assert!(simulation.step(&mut state, f64::NAN, Scheme::SymplecticEuler).is_err());
    state.q.pop();
    assert!(simulation.step(&mut state, 0.1, Scheme::BackwardEuler).is_err());
    assert!(Simulation::new(&body, Settings { tolerance: 0.0, max_iterations: 1, ..Settings::default() }).is_err());
}

/// A step far beyond the limit of stability blows up; the state stays finite, and the report says so.
#[test]
fn what_blows_up_stays_finite() {
    let body = bar();
    let mut simulation = Simulation::new(&body, Settings::default()).unwrap();
    let mut state = at_rest(&body);
    let mut failed = false;
    for _ in 0..500 {
        failed |= !simulation.step(&mut state, 0.1, Scheme::SymplecticEuler).unwrap().converged;
    }
    assert!(failed && state.q.iter().chain(&state.velocity).all(|x| x.iter().all(|x| x.is_finite())));
}

/// An implicit step says what it needs instead of taking it; an explicit one needs no factor.
#[test]
fn a_step_that_does_not_fit_into_memory_is_refused() {
    let body = bar();
    let mut simulation = Simulation::new(&body, Settings { memory_limit: 1000, ..Settings::default() }).unwrap();
    let mut state = at_rest(&body);
    assert!(simulation.step(&mut state, 1e-4, Scheme::SymplecticEuler).is_ok());
    let needed = step_bytes(body.pattern()).unwrap();
    match simulation.step(&mut state, 1e-4, Scheme::BackwardEuler) {
        Err(Error::Memory { needed: told, allowed: 1000, .. }) => assert_eq!(told, needed),
        other => panic!("{other:?}"),
    }
    let mut simulation = Simulation::new(&body, Settings { memory_limit: needed, ..Settings::default() }).unwrap();
    assert!(simulation.step(&mut state, 1e-4, Scheme::BackwardEuler).unwrap().converged);
}
