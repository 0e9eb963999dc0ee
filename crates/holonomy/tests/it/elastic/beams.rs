//! Beams and plates against their closed forms: large and small bending, vibration, rolling up.
//!
//! A strip whose first two rows of vertices are held is clamped in the middle between them: bending there is that of the hinges at the second row.

use std::f64::consts::PI;

use holonomy::elastic::body::{Body, BodySettings};
use holonomy::elastic::material::Material;
use holonomy::elastic::mesh::{Cells, Diagonals, Mesh, Split};
use holonomy::elastic::path::Path;
use holonomy::elastic::shell::MembraneLaw;
use holonomy::integrate::force_law::{ForceLaw, Stiffness};
use holonomy::integrate::implicit::{Scheme, Settings, Simulation, State};
use holonomy::nalgebra::{DMatrix, Matrix3, Vector3};
use holonomy::solve::blocks::BlockPattern;

use super::body_stiffness;
use crate::meshes::below;

/// A body with steady forces on its vertices.
struct Loaded<'a> {
    body: &'a Body,
    extra: Vec<Vector3<f64>>,
}

impl ForceLaw for Loaded<'_> {
    fn masses(&self) -> &[f64] {
        self.body.masses()
    }

    fn pattern(&self) -> &BlockPattern {
        self.body.pattern()
    }

    fn force(&self, time: f64, q: &[Vector3<f64>], force: &mut [Vector3<f64>]) {
        self.body.force(time, q, force);
        force.iter_mut().zip(&self.extra).for_each(|(force, extra)| *force += extra);
    }

    fn stiffness(&self, time: f64, q: &[Vector3<f64>], which: Stiffness, values: &mut [Matrix3<f64>]) {
        self.body.stiffness(time, q, which, values);
    }

    fn energy(&self, time: f64, q: &[Vector3<f64>]) -> f64 {
        self.body.energy(time, q) - q.iter().zip(&self.extra).map(|(q, f)| q.dot(f)).sum::<f64>()
    }
}

/// Comes to rest under a load that is shared between these vertices: by steps so long that inertia has no say, in four parts.
fn rest_under(body: &Body, vertices: &[usize], load: Vector3<f64>) -> Vec<Vector3<f64>> {
    let mut state = State { time: 0.0, q: body.rest(), velocity: vec![Vector3::zeros(); body.masses().len()] };
    for part in 1..=4 {
        let mut extra = vec![Vector3::zeros(); state.q.len()];
        vertices.iter().for_each(|&v| extra[v] = load * (part as f64 / 4.0 / vertices.len() as f64));
        let loaded = Loaded { body, extra };
        let mut simulation = Simulation::new(&loaded, Settings { tolerance: 1e-11, max_iterations: 300, ..Settings::default() }).unwrap();
        for _ in 0..3 {
            state.velocity.fill(Vector3::zeros());
            let report = simulation.step(&mut state, 1e4, Scheme::BackwardEuler).unwrap();
            assert!(report.converged, "{report:?}");
        }
    }
    state.q
}

const YOUNG: f64 = 1e6;
const THICK: f64 = 2e-3;
/// A quarter of a segment: the wider, the more the diagonals fold too (a chain of triangles is softer by w⁴/(h² + w²)²), and sheets of square cells bend sideways as they please.
const WIDE: f64 = 0.00625;
const SEGMENTS: usize = 40;

/// E I of the strip.
const STIFF: f64 = YOUNG * WIDE * THICK * THICK * THICK / 12.0;

/// A strip of length 1 from the clamp on; entries of q at its tip are the last of each row.
fn strip(membrane: MembraneLaw, gravity: Vector3<f64>) -> (Body, [usize; 2]) {
    let step = 1.0 / (SEGMENTS as f64 - 0.5);
    let material = Material { density: 1000.0, young: YOUNG, poisson: 0.0, thickness: THICK, bending: 1.0 };
    let mut settings = BodySettings::new(Mesh::ribbon(step * SEGMENTS as f64, WIDE, SEGMENTS).unwrap(), material);
    let row = SEGMENTS as u32 + 1;
    settings.hold([0, 1, row, row + 1], &Path::Still);
    settings.membrane = membrane;
    settings.loads.gravity = gravity;
    (Body::new(settings).unwrap(), [SEGMENTS - 2, 2 * SEGMENTS - 3])
}

/// Bisshopp and Drucker 1945, Mattiasson 1981: P L²/(E I), and how far the tip goes across and back, by L.
const ELASTICA: [(f64, f64, f64); 4] =
    [(1.0, 0.30172, 0.05643), (2.0, 0.49346, 0.16064), (5.0, 0.71379, 0.38763), (10.0, 0.81061, 0.55500)];

#[test]
fn a_strip_bends_as_the_elastica() {
    for membrane in [MembraneLaw::NeoHookean, MembraneLaw::StVenantKirchhoff] {
        let (body, tip) = strip(membrane, Vector3::zeros());
        let start = body.rest()[tip[0]];
        for (load, across, back) in ELASTICA {
            let q = rest_under(&body, &tip, Vector3::z() * (load * STIFF));
            let moved = (q[tip[0]] + q[tip[1]]) * 0.5 - start;
            below((moved.z / across - 1.0).abs(), 0.02); // measured 2.4e-3
            below((-moved.x / back - 1.0).abs(), 0.02); // measured 5.5e-3
        }
    }
}

/// P L³/(3 E I) at the tip, and q L⁴/(8 E I) where it bends under its weight.
#[test]
fn a_strip_bends_little_as_a_beam() {
    let (body, tip) = strip(MembraneLaw::NeoHookean, Vector3::zeros());
    let load = 1e-3 * STIFF;
    let q = rest_under(&body, &tip, Vector3::z() * load);
    below((q[tip[0]].z / (load / (3.0 * STIFF)) - 1.0).abs(), 6e-3); // measured 3.0e-3
    let gravity = 1e-3 * STIFF / (1000.0 * WIDE * THICK);
    let (body, tip) = strip(MembraneLaw::NeoHookean, Vector3::z() * gravity);
    let q = rest_under(&body, &[], Vector3::zeros());
    below((q[tip[0]].z / (1e-3 / 8.0) - 1.0).abs(), 0.02); // measured 2.8e-3
}

/// A sheet that is free to bend sideways does: hinges on square cells have a Poisson's ratio of their own, and a wide strip is softer by that.
#[test]
fn free_strips_of_square_cells_are_softer() {
    let (rows, segments) = (4, 40);
    let step = 1.0 / (segments as f64 - 0.5);
    let material = Material { density: 1000.0, young: YOUNG, poisson: 0.0, thickness: THICK, bending: 1.0 };
    for (diagonals, expected) in [(Diagonals::Regular, 1.2245), (Diagonals::Alternating, 1.2210)] {
        let mut settings = BodySettings::new(Mesh::cloth(step * segments as f64, 0.1, segments, rows, diagonals).unwrap(), material);
        let row = segments as u32 + 1;
        settings.hold((0..=rows as u32).flat_map(|j| [j * row, j * row + 1]), &Path::Still);
        settings.loads.gravity = Vector3::zeros();
        let body = Body::new(settings).unwrap();
        let tip: Vec<usize> = (0..=rows).map(|j| (j + 1) * (segments - 1) - 1).collect();
        let load = 1e-2 * STIFF / WIDE * 0.1;
        let q = rest_under(&body, &tip, Vector3::z() * load);
        let mean = tip.iter().map(|&v| q[v].z).sum::<f64>() / tip.len() as f64;
        // Between those of a plate that must not bend sideways, 1, and of regular diagonals that may, 1/0.8.
        below((mean / (1e-2 / 3.0) / expected - 1.0).abs(), 1e-3); // measured 2.5e-5
    }
}

/// Angular frequencies of small vibrations about rest, lowest first.
fn frequencies(body: &Body) -> Vec<f64> {
    let stiffness = body_stiffness(body, 0.0, &body.rest(), Stiffness::Exact);
    let root = |i: usize| body.masses()[i / 3].sqrt();
    let scaled = DMatrix::from_fn(stiffness.nrows(), stiffness.ncols(), |i, j| stiffness[(i, j)] / (root(i) * root(j)));
    let mut squares: Vec<f64> = scaled.symmetric_eigenvalues().iter().copied().collect();
    squares.sort_by(f64::total_cmp);
    squares.iter().map(|x| x.max(0.0).sqrt()).collect()
}

/// (1.87510407)² √(E I/(ρ A L⁴)).
#[test]
fn a_strip_vibrates_as_a_beam() {
    let (body, _) = strip(MembraneLaw::NeoHookean, Vector3::zeros());
    let expected = 1.87510407_f64.powi(2) * (STIFF / (1000.0 * WIDE * THICK)).sqrt();
    below((frequencies(&body)[0] / expected - 1.0).abs(), 0.02); // measured 1.7e-3
}

/// Tetrahedra that are bent also shear: too stiff where they are few across, less so the more there are.
#[test]
fn bars_of_tetrahedra_lock_and_converge() {
    let material = Material { density: 1000.0, young: 1e6, poisson: 0.3, thickness: 1.0, bending: 1.0 };
    let found = |n: usize| {
        let mesh = Mesh::bar(Vector3::new(1.0, 0.1, 0.1), [10 * n, n, n], Split::Six).unwrap();
        let mut settings = BodySettings::new(mesh, material);
        let slice = (n + 1) * (n + 1);
        settings.hold(0..slice as u32, &Path::Still);
        settings.loads.gravity = Vector3::zeros();
        let body = Body::new(settings).unwrap();
        let tip: Vec<usize> = (slice * (10 * n - 1)..slice * 10 * n).collect();
        let load = 1e-3;
        let q = rest_under(&body, &tip, Vector3::y() * load);
        let rest = body.rest();
        let moved: f64 = tip.iter().map(|&v| q[v].y - rest[v].y).sum::<f64>() / tip.len() as f64;
        moved / (load / (3.0 * 1e6 * 0.1_f64.powi(4) / 12.0))
    };
    // Measured: 0.221, 0.508, 0.793.
    let parts = [1, 2, 4].map(found);
    assert!(parts[0] < parts[1] && parts[1] < parts[2] && parts[2] < 1.02, "{parts:?}");
    // What is missing falls by half at least with each refinement.
    assert!(1.0 - parts[2] < 0.5 * (1.0 - parts[1]), "{parts:?}");
}

/// Energy of bending by ½ D κ² and the area, of a sheet whose vertices are rolled onto a cylinder (κ = 1) that curves along `direction`.
fn rolled(mesh: &Mesh, direction: Vector3<f64>, curvature: f64) -> f64 {
    let material = Material { density: 1000.0, young: 1e6, poisson: 0.3, thickness: 1e-3, bending: 1.0 };
    let energy = |bending: f64| {
        let mut settings = BodySettings::new(mesh.clone(), Material { bending, ..material });
        settings.loads.gravity = Vector3::zeros();
        let body = Body::new(settings).unwrap();
        let across = Vector3::z().cross(&direction);
        let roll = |x: &Vector3<f64>| {
            let angle = curvature * x.dot(&direction);
            across * x.dot(&across) + (direction * angle.sin() + Vector3::z() * (1.0 - angle.cos())) / curvature
        };
        body.energy(0.0, &body.rest().iter().map(roll).collect::<Vec<_>>())
    };
    let Cells::Sheet(faces) = &mesh.cells else { panic!("a solid") };
    let area: f64 = holonomy::shape::surface::face_areas(&mesh.points, faces).iter().sum();
    (energy(1.0) - energy(0.0)) / (0.5 * material.bending_stiffness() * curvature * curvature * area)
}

/// The hinges of a strip at a cylinder have the plate's energy, to the half segments at its ends.
#[test]
fn a_rolled_strip_has_the_plates_energy() {
    let mesh = Mesh::ribbon(1.0, 0.05, 50).unwrap();
    for curvature in [0.1, 1.0, 2.0 * PI] {
        below((rolled(&mesh, Vector3::x(), curvature) - 49.0 / 50.0).abs(), 1e-6); // measured 1.4e-12
    }
}

/// What a sheet of hinges says in other directions: exact on equilateral triangles; on squares along sides and diagonals, three times as much across regular
/// diagonals, and half as much again with alternating ones.
#[test]
fn rolled_sheets_depend_on_their_triangles() {
    let n = 60;
    let edge = 1.0 - 1.0 / n as f64;
    let diagonal = Vector3::new(1.0, 1.0, 0.0).normalize();
    let counter = Vector3::new(1.0, -1.0, 0.0).normalize();
    let regular = Mesh::cloth(1.0, 1.0, n, n, Diagonals::Regular).unwrap();
    for (direction, expected) in [(Vector3::x(), edge), (Vector3::y(), edge), (counter, 1.0), (diagonal, 3.0)] {
        below((rolled(&regular, direction, 0.5) / expected - 1.0).abs(), 0.02); // measured 1.1e-2
    }
    let alternating = Mesh::cloth(1.0, 1.0, n, n, Diagonals::Alternating).unwrap();
    for (direction, expected) in [(Vector3::x(), edge), (Vector3::y(), edge), (counter, 1.5), (diagonal, 1.5)] {
        below((rolled(&alternating, direction, 0.5) / expected - 1.0).abs(), 0.03); // measured 5.6e-3
    }
    // Sheared by half and flattened, squares with regular diagonals become equilateral.
    let mut equilateral = regular;
    for point in &mut equilateral.points {
        *point = Vector3::new(point.x - 0.5 * point.y, point.y * 0.75_f64.sqrt(), 0.0);
    }
    for angle in [0.0, 0.2, 0.5, PI / 6.0, 1.0, PI / 2.0] {
        let direction = Vector3::new(f64::cos(angle), f64::sin(angle), 0.0);
        below((rolled(&equilateral, direction, 0.5) - 1.0).abs(), 0.03); // measured 1.7e-2
    }
}
