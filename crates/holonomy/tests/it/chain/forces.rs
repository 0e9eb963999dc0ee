//! Forces inside of blocks.

use holonomy::elastic::Element;
use holonomy::elastic::chain::{Chain, Damping, Muscles};
use holonomy::elastic::tetrahedron::{SolidLaw, Tetrahedron};
use holonomy::lie::{Pose, Twist};
use holonomy::nalgebra::{Matrix3, Vector3};

use super::{THESIS, settings, shaken, uneven};
use crate::elastic::Numbers;
use crate::meshes::below;

/// Initial places of a block's nodes, morphed by its muscles.
fn rest_of(chain: &Chain, block: usize, muscles: &Muscles) -> Vec<Vector3<f64>> {
    let (size, [cx, cy, cz]) = (chain.settings().blocks[block], chain.settings().cells);
    let part = |n: usize, count: usize| n as f64 / count as f64 - 0.5;
    let mut out = Vec::new();
    for i in 0..=cx {
        for j in 0..=cy {
            for k in 0..=cz {
                let (y, z) = (part(j, cy), part(k, cz));
                let sides = (muscles.left * (0.5 - z) + muscles.right * (0.5 + z)) / size.x;
                let ends = (muscles.bottom * (0.5 - y) + muscles.top * (0.5 + y)) / size.x;
                out.push(Vector3::new(-part(i, cx) * size.x * sides * ends, y * size.y, z * size.z));
            }
        }
    }
    out
}

/// By the tetrahedron of the other elastic bodies, which finds its rotations by Jacobi's method.
fn reference(chain: &Chain, rest: &[Vector3<f64>], places: &[Vector3<f64>]) -> (Vec<Vector3<f64>>, f64, f64) {
    let mut forces = vec![Vector3::zeros(); places.len()];
    let (mut energy, mut least) = (0.0, f64::INFINITY);
    for path in chain.tetrahedra() {
        let mut path = path;
        let corners = path.map(|n| rest[n]);
        let edges = Matrix3::from_columns(&[corners[1] - corners[0], corners[2] - corners[0], corners[3] - corners[0]]);
        if edges.determinant() < 0.0 {
            path.swap(2, 3);
        }
        let element = Tetrahedron::new(&path.map(|n| rest[n]), &THESIS, SolidLaw::FixedCorotated).unwrap();
        let x = path.map(|n| places[n]);
        least = f64::min(least, element.deformation(&x).determinant());
        energy += element.energy(&x);
        for (n, force) in path.iter().zip(element.force(&x)) {
            forces[*n] += force;
        }
    }
    (forces, energy, least)
}

fn largest(forces: &[Vector3<f64>]) -> f64 {
    forces.iter().map(|f| f.norm()).fold(0.0, f64::max)
}

/// ERRATA F1 to F4: sign, order of nodes, volume and cofactors, inverted elements and morphed rest shapes included.
#[test]
fn forces_are_those_of_tetrahedra() {
    let chain = Chain::new(uneven(6, Damping::None)).unwrap();
    let (mut worst, mut inverted) = (0.0_f64, 0);
    for (seed, amount) in [(1, 0.01), (2, 0.1), (3, 0.3), (4, 0.5)] {
        let mut state = shaken(&chain, amount, seed);
        let mut random = Numbers::new(seed + 10);
        let mut energies = 0.0;
        for block in 0..5 {
            let length = |x: f64| 1.0 + 0.3 * x;
            let muscles = Muscles {
                left: length(random.next()),
                right: length(random.next()),
                top: length(random.next()),
                bottom: length(random.next()),
            };
            chain.set_muscles(&mut state, block, &muscles).unwrap();
            let places: Vec<_> = chain.positions(&state, block).collect();
            let (expected, energy, least) = reference(&chain, &rest_of(&chain, block, &muscles), &places);
            inverted += usize::from(least < 0.0);
            energies += energy;
            let found: Vec<_> = chain.forces(&mut state, block).collect();
            let error: Vec<_> = found.iter().zip(&expected).map(|(a, b)| a - b).collect();
            worst = worst.max(largest(&error) / largest(&expected));
        }
        below((chain.elastic_energy(&state) / energies - 1.0).abs(), 1e-12); // measured 4.4e-16
    }
    assert!(inverted >= 5, "{inverted}");
    below(worst, 1e-12);
}

/// What is deformed evenly has the same stress everywhere, so free nodes inside feel nothing.
#[test]
fn even_deformation_leaves_inner_nodes_at_rest() {
    let mut settings = settings(2, Damping::None);
    settings.cells = [4, 3, 2];
    let chain = Chain::new(settings).unwrap();
    let mut state = chain.state(&Pose::identity()).unwrap();
    // A stretch along x only, which the glued faces allow.
    chain.set_pose(&mut state, 1, &Pose::from_rotation_translation(Pose::identity().rotation, Vector3::new(-1.8, 0.0, 0.0))).unwrap();
    let places: Vec<_> = chain.positions(&state, 0).collect();
    for i in 0..5 {
        for n in i * 12..(i + 1) * 12 {
            chain
                .set_node(&mut state, 0, n, &Vector3::new(-0.25 - 1.3 * i as f64 / 4.0, places[n].y, places[n].z), &Vector3::zeros())
                .unwrap();
        }
    }
    let forces: Vec<_> = chain.forces(&mut state, 0).collect();
    let scale = largest(&forces);
    // Inner in y and z too: j = 1, 2 of 0 to 3, k = 1 of 0 to 2.
    for i in 1..4 {
        for j in 1..3 {
            below(forces[(i * 4 + j) * 3 + 1].norm() / scale, 1e-13); // measured 3.9e-15
        }
    }
    assert!(scale > 10.0);
}

/// Neither sum nor torque, elastic and damping together; and damping takes power.
#[test]
fn inner_forces_have_no_sum() {
    for (damping, turns) in [(Damping::None, false), (Damping::RotationFree(50.0), false), (Damping::Plain(50.0), true)] {
        let chain = Chain::new(uneven(6, damping)).unwrap();
        let undamped = Chain::new(uneven(6, Damping::None)).unwrap();
        let mut state = shaken(&chain, 0.2, 5);
        for block in 0..5 {
            let places: Vec<_> = chain.positions(&state, block).collect();
            let speeds: Vec<_> = chain.velocities(&state, block).collect();
            let all: Vec<_> = chain.forces(&mut state, block).collect();
            let elastic: Vec<_> = undamped.forces(&mut state, block).collect();
            let braking: Vec<_> = all.iter().zip(&elastic).map(|(a, b)| a - b).collect();
            let size: f64 = elastic.iter().map(|f| f.norm()).sum();
            for forces in [&elastic, &braking] {
                below(forces.iter().sum::<Vector3<f64>>().norm() / size, 1e-13); // measured 9.8e-17
                let torque = forces.iter().zip(&places).map(|(f, x)| x.cross(f)).sum::<Vector3<f64>>().norm() / size;
                if turns && std::ptr::eq(forces, &braking) {
                    assert!(torque > 1e-5, "{torque}");
                } else {
                    below(torque, 1e-12); // measured 3.0e-16
                }
            }
            let power: f64 = braking.iter().zip(&speeds).map(|(f, v)| f.dot(v)).sum();
            assert!(damping == Damping::None || power < -1.0, "{power}");
        }
    }
}

/// The operator of the rotation-free damping, written down element by element with the four nodes themselves.
#[test]
fn rotation_free_damping_is_as_defined() {
    let chain = Chain::new(uneven(4, Damping::RotationFree(50.0))).unwrap();
    let undamped = Chain::new(uneven(4, Damping::None)).unwrap();
    let mut state = shaken(&chain, 0.15, 9);
    for block in 0..3 {
        let places: Vec<_> = chain.positions(&state, block).collect();
        let speeds: Vec<_> = chain.velocities(&state, block).collect();
        let volume = chain.settings().blocks[block].product() / 48.0;
        let mut expected = vec![Vector3::zeros(); places.len()];
        for path in chain.tetrahedra() {
            let (middle, mean) =
                (path.map(|n| places[n]).iter().sum::<Vector3<f64>>() / 4.0, path.map(|n| speeds[n]).iter().sum::<Vector3<f64>>() / 4.0);
            let arms = path.map(|n| places[n] - middle);
            let inertia: Matrix3<f64> = arms.iter().map(|r| Matrix3::from_diagonal_element(r.norm_squared()) - r * r.transpose()).sum();
            let turning: Vector3<f64> = path.iter().zip(&arms).map(|(n, r)| r.cross(&speeds[*n])).sum();
            let spin = inertia.try_inverse().unwrap() * turning;
            for (n, r) in path.iter().zip(&arms) {
                expected[*n] -= (speeds[*n] - mean - spin.cross(r)) * (50.0 * volume);
            }
        }
        let all: Vec<_> = chain.forces(&mut state, block).collect();
        let elastic: Vec<_> = undamped.forces(&mut state, block).collect();
        let error: Vec<_> = all.iter().zip(&elastic).zip(&expected).map(|((a, b), c)| a - b - c).collect();
        below(largest(&error) / largest(&elastic), 1e-12); // measured 2.9e-14
    }
}

/// ERRATA F5: on the thesis's cube plain damping brakes rigid rotation, the other one does not.
#[test]
fn plain_damping_brakes_turning() {
    let decay = |damping| {
        let mut settings = settings(2, damping);
        settings.segments.iter_mut().for_each(|segment| segment.mass = 1e-9);
        let chain = Chain::new(settings).unwrap();
        let mut state = chain.state(&Pose::identity()).unwrap();
        let middle = Vector3::new(-0.75, 0.0, 0.0);
        let spin = Vector3::z();
        chain.throw(&mut state, &Twist::new(spin, -spin.cross(&middle))).unwrap();
        let arms: Vec<_> = chain.positions(&state, 0).map(|x| x - middle).collect();
        let turning: f64 = chain.masses(0).zip(&arms).map(|(m, r)| m * r.cross(&spin.cross(r)).z).sum();
        let torque: f64 = chain.forces(&mut state, 0).zip(&arms).map(|(f, r)| r.cross(&f).z).sum();
        -torque / turning
    };
    below((decay(Damping::Plain(50.0)) - 250.0 / 3.0).abs(), 1e-10); // math: 83.3 1/s; measured 2.8e-14
    below(decay(Damping::RotationFree(50.0)).abs(), 1e-11); // measured 2.6e-15
}

/// Four blocks at a time: how many there are changes nothing of each.
#[test]
fn lanes_do_not_matter() {
    let long = Chain::new(uneven(18, Damping::RotationFree(50.0))).unwrap();
    let mut of_long = shaken(&long, 0.1, 3);
    let all: Vec<Vec<Vector3<f64>>> = (0..17).map(|b| long.forces(&mut of_long, b).collect()).collect();
    for (count, from) in [(2, 6), (5, 3), (18, 0)] {
        let mut settings = uneven(18, Damping::RotationFree(50.0));
        settings.segments = settings.segments[from..from + count].to_vec();
        settings.blocks = settings.blocks[from..from + count - 1].to_vec();
        let chain = Chain::new(settings).unwrap();
        let mut state = chain.state(&Pose::identity()).unwrap();
        for s in 0..count {
            chain.set_pose(&mut state, s, &long.pose(&of_long, from + s)).unwrap();
            chain.set_twist(&mut state, s, &long.twist(&of_long, from + s)).unwrap();
        }
        for b in 0..count - 1 {
            for (n, (x, v)) in long.positions(&of_long, from + b).zip(long.velocities(&of_long, from + b)).enumerate() {
                chain.set_node(&mut state, b, n, &x, &v).unwrap();
            }
        }
        for b in 0..count - 1 {
            let found: Vec<_> = chain.forces(&mut state, b).collect();
            let error: Vec<_> = found.iter().zip(&all[from + b]).map(|(f, g)| f - g).collect();
            below(largest(&error) / largest(&found), 1e-12); // measured 5.8e-14
        }
    }
}
