//! Inertia of bodies against closed forms.

use holonomy::Error;
use holonomy::lie::{Momentum, Twist};
use holonomy::nalgebra::{Matrix3, Matrix6, Vector3, Vector6};
use holonomy::shape::inertia::{Inertia, Material};
use holonomy::shape::{MassPoints, surface};

use crate::meshes::{Spacing, below, both, cuboid, ellipsoid, icosphere, inside_out, plate};
use crate::random::Random;

fn relative(found: &Matrix6<f64>, expected: &Matrix6<f64>) -> f64 {
    (found - expected).norm() / expected.norm()
}

#[test]
fn a_box_has_its_moments_wherever_it_is() {
    let (sides, density) = ([2.0, 1.0, 0.5], 700.0);
    let (points, faces) = cuboid(sides, [1, 1, 1]);
    let pose = Random(7).pose();
    let placed: Vec<_> = points.iter().map(|p| pose.act(p)).collect();
    let inertia = Inertia::of_solid(&placed, &faces, density).unwrap();
    let mass: f64 = density * sides.iter().product::<f64>();
    below((inertia.mass / mass - 1.0).abs(), 1e-13); // measured 7e-16
    below((inertia.center().unwrap() - pose.translation).norm(), 1e-13); // measured 6e-17
    let principal = inertia.principal_axes().unwrap();
    let moment = |a: f64, b: f64| mass * (a * a + b * b) / 12.0;
    let expected = Vector3::new(moment(1.0, 0.5), moment(2.0, 0.5), moment(2.0, 1.0));
    below((principal.moments - expected).norm() / expected.norm(), 1e-12); // measured 3e-15
    let aligned = pose.rotation_matrix().transpose() * principal.axes;
    assert!((aligned.abs() - Matrix3::identity()).norm() < 1e-12 && principal.axes.determinant() > 0.0); // measured 1e-15
}

#[test]
fn far_from_home_nothing_cancels() {
    let (points, faces) = icosphere(2);
    let offset = Vector3::new(1e5, -2e5, 3e5);
    let far: Vec<_> = points.iter().map(|p| p + offset).collect();
    let near = Inertia::of_solid(&points, &faces, 1.0).unwrap().mass;
    let found = Inertia::of_solid(&far, &faces, 1.0).unwrap();
    below((found.mass / near - 1.0).abs(), 1e-9); // measured 3e-12
    below((found.center().unwrap() - offset).norm(), 1e-6); // measured 3e-11
}

#[test]
fn the_tensor_changes_frame_by_the_adjoint() {
    let (points, faces) = ellipsoid([3.0, 2.0, 1.0], 2);
    let mut random = Random(11);
    for _ in 0..5 {
        let pose = random.pose();
        let placed: Vec<_> = points.iter().map(|p| pose.act(p)).collect();
        let inverse = pose.inverse().adjoint();
        for of in [Inertia::of_solid, Inertia::of_shell] {
            let here = of(&points, &faces, 3.0).unwrap();
            let there = of(&placed, &faces, 3.0).unwrap();
            let expected = inverse.transpose() * here.matrix() * inverse;
            below(relative(&there.matrix(), &expected), 1e-13); // measured 1e-15
            below(relative(&here.moved(&pose).matrix(), &expected), 1e-13); // measured 4e-16
        }
    }
}

#[test]
fn a_sphere_converges_at_second_order() {
    let error = |level| {
        let (points, faces) = icosphere(level);
        let inertia = Inertia::of_solid(&points, &faces, 1.0).unwrap();
        (inertia.principal_axes().unwrap().moments.x / (8.0 / 15.0 * std::f64::consts::PI) - 1.0).abs()
    };
    let errors: Vec<f64> = (2..=5).map(error).collect();
    for pair in errors.windows(2) {
        let order = (pair[0] / pair[1]).log2();
        assert!((order - 2.0).abs() < 0.1, "{errors:?}"); // measured 1.96, 1.99, 2.00
    }
}

#[test]
fn a_leaf_is_a_plate_of_any_two_triangles() {
    let (points, faces) = plate([0.3, 0.2], [1, 1], Spacing::Even);
    let inertia = Inertia::of_shell(&points, &faces, 0.1).unwrap();
    let mass = 0.1 * 0.06;
    let expected = Vector3::new(0.2 * 0.2, 0.3 * 0.3, 0.2 * 0.2 + 0.3 * 0.3) * mass / 12.0;
    below((inertia.principal_axes().unwrap().moments - expected).norm(), 1e-18); // measured 0
}

#[test]
fn materials_add_up() {
    // A heavy nut and a thin wing: a maple seed, roughly.
    let nut = ellipsoid([0.006, 0.004, 0.002], 3);
    let wing = plate([0.03, 0.01], [6, 2], Spacing::Even);
    let (a, b) = (Inertia::of_solid(&nut.0, &nut.1, 900.0).unwrap(), Inertia::of_shell(&wing.0, &wing.1, 0.05).unwrap());
    let labels: Vec<u32> = nut.1.iter().map(|_| 0).chain(wing.1.iter().map(|_| 1)).collect();
    let (points, faces) = both(nut, wing);
    let materials = [Material::Solid { density: 900.0 }, Material::Shell { surface_density: 0.05 }, Material::Massless];
    let whole = Inertia::of_parts(&points, &faces, &labels, &materials).unwrap();
    below(relative(&whole.matrix(), &(a + b).matrix()), 1e-14); // measured 0
    let error = Inertia::of_parts(&points, &faces, &labels, &[materials[1], materials[0]]).unwrap_err();
    assert!(matches!(error, Error::Surface { part: 1, .. }) && error.to_string().contains("close its holes"));
    assert!(matches!(Inertia::of_parts(&points, &faces, &labels, &materials[..1]), Err(Error::Parameter { .. })));
}

#[test]
fn rigid_velocities_have_the_momentum_of_the_tensor() {
    let (points, _) = icosphere(1);
    let mut random = Random(3);
    let masses: Vec<f64> = points.iter().map(|_| random.unit()).collect();
    let twist = Twist::new(random.vector(), random.vector());
    let velocities: Vec<_> = points.iter().map(|p| twist.velocity_at(p)).collect();
    let mass: f64 = masses.iter().sum();
    let found = MassPoints::given(masses).unwrap().evaluate(&points, &velocities);
    // docs/ERRATA.md, S8: masses, whatever the area around each vertex.
    below((found.inertia.matrix()[(3, 3)] - mass).abs(), 1e-14 * mass);
    let expected = found.inertia.matrix() * Vector6::from(twist);
    below((Vector6::from(found.momentum) - expected).norm(), 1e-13 * expected.norm()); // measured 2e-16, relative
}

#[test]
fn bad_bodies_are_refused_with_the_fix() {
    let (points, faces) = icosphere(1);
    let says = |result: Result<Inertia, Error>, word: &str| {
        let said = result.unwrap_err().to_string();
        assert!(said.contains(word), "{said}");
    };
    let (_, turned) = inside_out((points.clone(), faces.clone()));
    says(Inertia::of_solid(&points, &turned, 1.0), "turn its faces round");
    says(Inertia::of_solid(&points, &faces[1..], 1.0), "close its holes");
    let flat: Vec<_> = points.iter().map(|p| Vector3::new(p.x, p.y, 0.0)).collect();
    says(Inertia::of_solid(&flat, &faces, 1.0), "encloses no volume");
    says(Inertia::of_solid(&points, &faces, -1.0), "density is -1");
    says(Inertia::of_solid(&points, &[[0, 1, 99]], 1.0), "vertex 99");
    says(Inertia::of_points(&points, &[1.0]), "vertex masses");
    let mut broken = points.clone();
    broken[3].y = f64::NAN;
    says(Inertia::of_shell(&broken, &faces, 1.0), "vertex 3");
    let huge: Vec<_> = points.iter().map(|p| p * 1e200).collect();
    says(Inertia::of_shell(&huge, &faces, 1.0), "finite");
    assert!(Inertia::default().center().unwrap_err().to_string().contains("mass of the body is 0"));
    assert!(Inertia::of_shell(&points, &faces, 0.0).unwrap().principal_axes().is_err());
}

#[test]
fn any_number_of_moving_points_is_summed_in_full() {
    // Points are taken four at a time: 1 to 9 of them leave every remainder.
    let mut random = Random(41);
    for count in 1..=9 {
        let points: Vec<_> = (0..count).map(|_| random.vector()).collect();
        let velocities: Vec<_> = (0..count).map(|_| random.vector()).collect();
        let masses: Vec<f64> = (0..count).map(|_| random.unit()).collect();
        let found = MassPoints::given(masses.clone()).unwrap().evaluate(&points, &velocities);
        let inertia = Inertia::of_points(&points, &masses).unwrap();
        let momentum: Momentum = (0..count).map(|i| Momentum::of_force_at(velocities[i] * masses[i], &points[i])).sum();
        below((found.inertia.matrix() - inertia.matrix()).norm(), 1e-14); // measured 1.7e-15
        below((found.momentum - momentum).angular.norm() + (found.momentum - momentum).linear.norm(), 1e-14); // measured 6e-16
        let energy: f64 = masses.iter().zip(&velocities).map(|(m, u)| 0.5 * m * u.norm_squared()).sum();
        below((found.energy - energy).abs(), 1e-14); // measured 2e-16
    }
}

/// The point masses of a solid that changes its shape: its centre is that of its volume in every shape, moves with the right velocity, and a star-shaped
/// solid that is stretched and sheared keeps the moments of the exact integrals.
#[test]
fn a_changing_solid_has_its_mass_where_its_volume_is() {
    let (points, faces) = ellipsoid([0.3, 0.2, 0.1], 3);
    let labels = vec![0; faces.len()];
    let material = [Material::Solid { density: 700.0 }];
    let affine = |t: f64| {
        let stretch = Matrix3::new(1.0 + 0.3 * t, 0.2 * t, 0.0, 0.0, 1.0 - 0.2 * t, 0.1 * t, 0.3 * t, 0.0, 1.0 / (1.0 + 0.3 * t));
        points.iter().map(|p| stretch * p + Vector3::new(0.5 * t, -t, 0.2)).collect::<Vec<_>>()
    };
    // Bent into a ring that is nearly closed: not to be seen whole from its centroid.
    let bent = |t: f64| {
        let ring = |p: &Vector3<f64>| {
            let (angle, radius) = (8.0 * p.x, 0.15 + 0.3 * p.y + 0.02 * t);
            Vector3::new(radius * angle.sin(), radius * angle.cos() + 0.1 * t * t, p.z + t * p.x)
        };
        points.iter().map(ring).collect::<Vec<_>>()
    };
    let shapes: [&dyn Fn(f64) -> Vec<Vector3<f64>>; 2] = [&affine, &bent];
    for (shape, star) in shapes.into_iter().zip([true, false]) {
        let body = MassPoints::of_parts(&shape(0.0), &faces, &labels, &material).unwrap();
        for t in [0.0, 0.4, 0.9] {
            let (now, e) = (shape(t), 1e-5);
            let rates: Vec<_> = shape(t + e).iter().zip(&shape(t - e)).map(|(b, a)| (b - a) / (2.0 * e)).collect();
            let found = body.evaluate(&now, &rates);
            let centroid = |t: f64| surface::volume_and_centroid(&shape(t), &faces).1;
            let mass = found.inertia.mass;
            below((found.inertia.first_moment / mass - centroid(t)).norm(), 1e-14);
            let speed = (centroid(t + e) - centroid(t - e)) / (2.0 * e);
            below((found.momentum.linear / mass - speed).norm() / speed.norm().max(0.1), 1e-8); // measured 5e-10: the difference quotient
            if star {
                // The mass stays, so the density is what it must be.
                let volume = surface::enclosed_volume(&now, &faces);
                let exact = Inertia::of_solid(&now, &faces, mass / volume).unwrap();
                below((found.inertia.matrix() - exact.matrix()).norm() / exact.matrix().norm(), 2e-3); // the size of the faces
            }
        }
    }
}
