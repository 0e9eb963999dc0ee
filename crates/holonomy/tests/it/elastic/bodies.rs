//! Whole bodies: assembly, patch tests, threads, and what is refused.

use holonomy::Error;
use holonomy::elastic::body::{Body, BodySettings, Hold};
use holonomy::elastic::load::{Loads, Wind};
use holonomy::elastic::material::Material;
use holonomy::elastic::mesh::{Cells, Diagonals, Mesh, Split};
use holonomy::elastic::path::Path;
use holonomy::elastic::shell::MembraneLaw;
use holonomy::elastic::tetrahedron::SolidLaw;
use holonomy::integrate::force_law::{ForceLaw, Stiffness};
use holonomy::nalgebra::{Matrix3, Vector3};

use super::{Numbers, body_derivative_errors, body_stiffness, forces};
use crate::meshes::below;

fn bar() -> BodySettings {
    BodySettings::new(Mesh::bar(Vector3::new(0.4, 0.2, 0.2), [3, 2, 2], Split::Six).unwrap(), Material::JELLY)
}

fn cloth() -> BodySettings {
    BodySettings::new(Mesh::cloth(0.4, 0.3, 4, 3, Diagonals::Alternating).unwrap(), Material { thickness: 0.01, ..Material::JELLY })
}

fn shaken(body: &Body, by: f64, seed: u64) -> Vec<Vector3<f64>> {
    let mut numbers = Numbers::new(seed);
    body.rest().iter().map(|x| x + numbers.vector() * by).collect()
}

#[test]
fn forces_of_bodies_are_derivatives() {
    let mut held = bar();
    held.hold([0, 5, 9], &Path::Swing { reach: Vector3::new(0.01, 0.02, 0.0), period: 1.0, phase: 0.3 });
    let mut pinned = cloth();
    pinned.hold([0, 4], &Path::Still);
    for (settings, seed) in [(held, 1), (pinned, 2)] {
        let body = Body::new(settings).unwrap();
        let q = shaken(&body, 0.01, seed);
        let errors = body_derivative_errors(&body, 0.2, &q, 1e-6);
        below(errors.0, 1e-7); // measured 1.2e-10
        below(errors.1, 1e-7); // measured 1.5e-10
    }
}

/// Wind has no energy, and a stiffness that is not symmetric.
#[test]
fn wind_on_a_cloth_is_not_symmetric() {
    let mut settings = cloth();
    let wind = Wind { velocity: Vector3::new(1.0, 0.5, 3.0), coefficient: 4.0 };
    settings.loads = Loads { wind: Some(wind), ..Loads::default() };
    let body = Body::new(settings).unwrap();
    let q = shaken(&body, 0.02, 3);
    below(body_derivative_errors(&body, 0.0, &q, 1e-6).1, 1e-7); // measured 1.7e-10
    assert!(!body.is_conservative());
    let stiffness = body_stiffness(&body, 0.0, &q, Stiffness::Exact);
    assert!((&stiffness - stiffness.transpose()).amax() > 1e-3 * stiffness.amax());
    let projected = body_stiffness(&body, 0.0, &q, Stiffness::Projected);
    below(-projected.symmetric_eigenvalues().min() / stiffness.amax(), 1e-13); // measured 1.2e-16
}

/// Moved to an affine image, every inner vertex of a body is in equilibrium, and every element has the same stress (patch test).
#[test]
fn affine_deformations_are_exact() {
    let affine = Matrix3::new(1.1, 0.2, -0.1, 0.05, 0.9, 0.15, 0.1, -0.2, 1.2);
    let mut worst = 0.0_f64;
    for law in [SolidLaw::StableNeoHookean, SolidLaw::FixedCorotated] {
        for split in [Split::Five, Split::Six] {
            let mut settings = BodySettings::new(Mesh::bar(Vector3::new(0.4, 0.3, 0.3), [4, 3, 3], split).unwrap(), Material::JELLY);
            settings.solid = law;
            settings.loads.gravity = Vector3::zeros();
            let mesh = settings.mesh.clone();
            let body = Body::new(settings).unwrap();
            let outer: std::collections::HashSet<u32> = body.surface().iter().flatten().copied().collect();
            let force = forces(&body, 0.0, &mesh.points.iter().map(|x| affine * x).collect::<Vec<_>>());
            let largest = force.iter().map(Vector3::norm).fold(0.0, f64::max);
            let inner: Vec<usize> = (0..mesh.points.len()).filter(|&v| !outer.contains(&(v as u32))).collect();
            assert_eq!(inner.len(), 3 * 2 * 2);
            worst = inner.iter().map(|&v| force[v].norm() / largest).fold(worst, f64::max);
            // The force on the face at the end is the stress there times its area.
            let end: Vector3<f64> = (0..mesh.points.len()).filter(|&v| mesh.points[v].x > 0.399).map(|v| force[v]).sum();
            let tetrahedron = holonomy::elastic::tetrahedron::Tetrahedron::new(
                &[Vector3::zeros(), Vector3::x(), Vector3::y(), Vector3::z()],
                &Material::JELLY,
                law,
            );
            let expected = tetrahedron.unwrap().stress(&affine) * Vector3::x() * (0.3 * 0.3);
            // Its edges also bear a share of the sides' stress, which cancels between opposite sides.
            worst = worst.max((end + expected).norm() / expected.norm());
        }
    }
    for law in [MembraneLaw::NeoHookean, MembraneLaw::StVenantKirchhoff] {
        let mut settings = cloth();
        settings.membrane = law;
        settings.loads.gravity = Vector3::zeros();
        let mesh = settings.mesh.clone();
        let body = Body::new(settings).unwrap();
        let force = forces(&body, 0.0, &mesh.points.iter().map(|x| affine * x).collect::<Vec<_>>());
        let largest = force.iter().map(Vector3::norm).fold(0.0, f64::max);
        let inner =
            |v: &usize| mesh.points[*v].x > 0.01 && mesh.points[*v].x < 0.39 && mesh.points[*v].y > 0.01 && mesh.points[*v].y < 0.29;
        worst = (0..mesh.points.len()).filter(inner).map(|v| force[v].norm() / largest).fold(worst, f64::max);
    }
    below(worst, 1e-12); // measured 6.6e-15
}

#[test]
fn free_bodies_neither_push_nor_turn_themselves() {
    let mut worst = 0.0_f64;
    for mut settings in [bar(), cloth()] {
        settings.loads.gravity = Vector3::zeros();
        let body = Body::new(settings).unwrap();
        let q = shaken(&body, 0.03, 5);
        let force = forces(&body, 0.0, &q);
        let size: f64 = force.iter().map(Vector3::norm).sum();
        let torque: Vector3<f64> = q.iter().zip(&force).map(|(x, f)| x.cross(f)).sum();
        worst = worst.max(force.iter().sum::<Vector3<f64>>().norm() / size).max(torque.norm() / size);
        let still = forces(&body, 0.0, &body.rest());
        worst = worst.max(still.iter().map(Vector3::norm).fold(0.0, f64::max) / size);
    }
    below(worst, 1e-12); // measured 6.2e-17
}

#[test]
fn masses_add_up() {
    let body = Body::new(bar()).unwrap();
    below((body.masses().iter().sum::<f64>() / (1000.0 * 0.4 * 0.2 * 0.2) - 1.0).abs(), 1e-14); // measured 2.2e-16
    let body = Body::new(cloth()).unwrap();
    below((body.masses().iter().sum::<f64>() / (1000.0 * 0.01 * 0.4 * 0.3) - 1.0).abs(), 1e-14); // measured 0.0
}

/// A cloth of several chunks, on one thread and on three.
#[test]
fn threads_do_not_change_a_bit() {
    let mut settings = BodySettings::new(Mesh::cloth(1.0, 1.0, 30, 30, Diagonals::Alternating).unwrap(), Material::COTTON);
    settings.hold([0, 30], &Path::Still);
    settings.loads.wind = Some(Wind { velocity: Vector3::new(0.0, 1.0, 2.0), coefficient: 0.5 });
    let body = Body::new(settings).unwrap();
    let q = shaken(&body, 0.01, 6);
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut values = vec![Matrix3::zeros(); body.pattern().blocks()];
            body.stiffness(0.0, &q, Stiffness::Projected, &mut values);
            (forces(&body, 0.0, &q), values, body.energy(0.0, &q))
        })
    };
    assert!(on(1) == on(3));
}

#[test]
fn placed_and_free_are_inverse() {
    let mut settings = cloth();
    settings.hold([3, 7], &Path::Circle { center: Vector3::zeros(), axis: Vector3::z(), period: 2.0, turns: 1.0, phase: 0.0 });
    let body = Body::new(settings).unwrap();
    let q = shaken(&body, 0.1, 7);
    let all = body.placed(0.5, &q);
    assert_eq!(body.free(&all), q);
    // A quarter of a turn.
    let rest = body.settings().mesh.points[7];
    below((all[7] - Vector3::new(-rest.y, rest.x, 0.0)).norm(), 1e-15); // measured 3.1e-17
}

#[test]
fn unsound_bodies_are_refused() {
    let refused = |change: fn(&mut BodySettings)| {
        let mut settings = bar();
        change(&mut settings);
        Body::new(settings).err().map(|error| error.to_string()).unwrap_or_default()
    };
    let contains = |message: String, part: &str| assert!(message.contains(part), "{message:?} lacks {part:?}");
    contains(refused(|s| s.material.poisson = 0.5), "Poisson's ratio is 0.5");
    contains(refused(|s| s.material.density = 0.0), "density");
    contains(refused(|s| s.material.young = f64::NAN), "Young's modulus (Pa) is NaN");
    contains(refused(|s| s.mesh.points[3].y = f64::NAN), "vertex 3: position");
    contains(refused(|s| s.hold([1000], &Path::Still)), "hold 0 names vertex 1000");
    contains(refused(|s| s.hold([2, 2], &Path::Still)), "held twice is 2");
    contains(refused(|s| s.hold(0..36, &Path::Still)), "vertices that are free is empty");
    contains(refused(|s| s.mesh.points.push(Vector3::zeros())), "in no element is 36");
    contains(refused(|s| s.mesh.cells = Cells::Solid(vec![[0, 1, 2, 99]])), "tetrahedron 0 names vertex 99");
    contains(refused(|s| s.mesh.cells = Cells::Solid(Vec::new())), "mesh of a body is empty");
    contains(
        refused(|s| {
            if let Cells::Solid(cells) = &mut s.mesh.cells {
                cells[5].swap(0, 1);
            }
        }),
        "inside out is 5",
    );
    contains(refused(|s| s.mesh.cells = Cells::Sheet(vec![[0, 1, 3], [0, 1, 4]])), "look different ways");
    contains(refused(|s| s.loads.gravity.x = f64::INFINITY), "gravity is inf");
    contains(refused(|s| s.holds.push(Hold { vertex: 0, place: Vector3::repeat(f64::NAN), path: Path::Still })), "vertex 0: position");
    contains(refused(|s| s.hold([1], &Path::Swing { reach: Vector3::x(), period: 0.0, phase: 0.0 })), "period of a path is 0");
    assert!(matches!(Mesh::cloth(1.0, -1.0, 2, 2, Diagonals::Regular), Err(Error::Parameter { .. })));
    assert!(matches!(Mesh::bar(Vector3::repeat(1.0), [1, 0, 1], Split::Six), Err(Error::Parameter { .. })));
}
