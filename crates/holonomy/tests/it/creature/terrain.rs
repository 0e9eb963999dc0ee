//! What is walked on: the three queries of Fang 2015, Sec. 6.1.

use holonomy::Error;
use holonomy::lie::Pose;
use holonomy::medium::ground::{Ground, Hills};
use holonomy::medium::obstacle::Obstacle;
use holonomy::medium::{Noise, SolidMesh, Terrain};
use holonomy::nalgebra::{UnitQuaternion, Vector3};

use crate::meshes::{Mesh, below, icosphere, torus};
use crate::random::Random;

fn places(count: usize, reach: f64, seed: u64) -> Vec<Vector3<f64>> {
    let mut random = Random(seed);
    (0..count).map(|_| Vector3::from_fn(|_, _| reach * random.signed())).collect()
}

/// Crossings of a ray towards +z, edges counted once.
fn crossings((points, faces): &Mesh, place: &Vector3<f64>) -> usize {
    let hit = |face: &&[u32; 3]| {
        let corner = face.map(|v| points[v as usize]);
        let side = |a: Vector3<f64>, b: Vector3<f64>| (a.x - place.x) * (b.y - place.y) - (a.y - place.y) * (b.x - place.x);
        let s = [side(corner[1], corner[2]), side(corner[2], corner[0]), side(corner[0], corner[1])];
        let z = (s[0] * corner[0].z + s[1] * corner[1].z + s[2] * corner[2].z) / (s[0] + s[1] + s[2]);
        (s.iter().all(|&x| x >= 0.0) || s.iter().all(|&x| x < 0.0)) && z > place.z
    };
    faces.iter().filter(hit).count()
}

/// Inside is where a ray crosses the surface an odd number of times; printed was "even".
#[test]
fn odd_crossings_are_inside() {
    let ring = torus(1.0, 0.35, 24, 48);
    let terrain = Terrain::mesh(SolidMesh::new(ring.0.clone(), ring.1.clone()).unwrap());
    let mut inside = 0;
    for place in places(2000, 1.4, 3) {
        let place = Vector3::new(place.x, place.y, 0.4 * place.z);
        assert_eq!(terrain.inside(&place), crossings(&ring, &place) % 2 == 1, "{place}");
        inside += usize::from(terrain.inside(&place));
    }
    assert!((300..1500).contains(&inside), "{inside}");
}

/// Distances are those to the nearest of all triangles, however large they are beside the others: none is missed.
#[test]
fn no_triangle_is_missed() {
    // A sliver of a ring: long triangles that meet many cells of any grid.
    let (points, faces) = torus(1.0, 0.02, 6, 8);
    let terrain = Terrain::mesh(SolidMesh::new(points.clone(), faces.clone()).unwrap());
    let mut worst = 0.0_f64;
    for place in places(300, 1.5, 4) {
        let to_face = |face: &[u32; 3]| nearest_on(&face.map(|v| points[v as usize]), &place);
        let brute = faces.iter().map(to_face).fold(f64::INFINITY, f64::min);
        worst = worst.max((terrain.nearest(&place).distance.abs() - brute).abs());
    }
    below(worst, 1e-12); // measured 2.2e-16
}

/// Distance to a triangle, by its face if the foot is within, else by its sides.
fn nearest_on(corner: &[Vector3<f64>; 3], place: &Vector3<f64>) -> f64 {
    let n = (corner[1] - corner[0]).cross(&(corner[2] - corner[0])).normalize();
    let height = (place - corner[0]).dot(&n);
    let foot = place - n * height;
    let within = (0..3).all(|k| (corner[(k + 1) % 3] - corner[k]).cross(&(foot - corner[k])).dot(&n) >= 0.0);
    let to_side = |k: usize| {
        let along = corner[(k + 1) % 3] - corner[k];
        let share = ((place - corner[k]).dot(&along) / along.norm_squared()).clamp(0.0, 1.0);
        (place - corner[k] - along * share).norm()
    };
    if within { height.abs() } else { (0..3).map(to_side).fold(f64::INFINITY, f64::min) }
}

/// On a ball of triangles the balancing normal is nearly that of the ball, and does not jump where faces meet; distances stay exact.
#[test]
fn normals_of_meshes_are_smooth() {
    let (points, faces) = icosphere(3);
    let solid = SolidMesh::new(points, faces).unwrap();
    let terrain = Terrain::mesh(solid.clone());
    let (mut smooth, mut facet, mut distance, mut jump) = (0.0_f64, 0.0_f64, 0.0_f64, 0.0_f64);
    let mut before: Option<Vector3<f64>> = None;
    for k in 0..20_000 {
        let turn = k as f64 * 1e-3;
        let out = Vector3::new(turn.cos() * 0.9, turn.sin(), 0.3 * (0.37 * turn).sin()).normalize();
        let place = out * 1.02;
        let found = terrain.nearest(&place);
        smooth = smooth.max((found.normal - out).norm());
        facet = facet.max((terrain.contact(&(out * 0.999)).normal - out).norm());
        distance = distance.max((found.distance - solid.distance(&place).0).abs());
        jump = jump.max(before.map_or(0.0, |last| (found.normal - last).norm()));
        before = Some(found.normal);
    }
    below(distance, 1e-15); // measured 0
    below(smooth, 0.02); // measured 6.9e-3
    below(jump, 0.01); // measured 1.2e-3, for steps of 1e-3
    assert!(facet > 2.0 * smooth, "{facet} {smooth}");
}

/// Where a column lies on the ground the distance is the smaller one, and the normal goes over within the blend.
#[test]
fn unions_blend_their_normals() {
    let log = Obstacle::Cylinder { from: Vector3::new(0.0, 0.0, -1.0), to: Vector3::new(0.0, 0.0, 1.0), radius: 0.1 };
    let terrain = |blend: f64| Terrain::with_solids(Ground::Flat { height: 0.0 }, vec![log.clone()], blend).unwrap();
    let (sharp, soft) = (terrain(0.0), terrain(0.01));
    let largest = |terrain: &Terrain| {
        let normal = |k: usize| terrain.nearest(&Vector3::new(0.3 - 1e-4 * k as f64, 0.02, 0.0)).normal;
        (0..2900).map(|k| (normal(k + 1) - normal(k)).norm()).fold(0.0, f64::max)
    };
    assert!(largest(&sharp) > 0.9); // measured 1.1: it jumps from the ground to the log
    below(largest(&soft), 0.03); // measured 4.1e-3, a tenth of a millimetre apart
    for place in places(500, 0.4, 8) {
        let found = soft.nearest(&place).distance;
        let expected = place.y.min(log.distance(&place).value);
        assert_eq!(found, expected);
    }
    assert!(Terrain::with_solids(Ground::Flat { height: f64::NAN }, vec![], 0.0).is_err());
    assert!(Terrain::with_solids(Ground::Flat { height: 0.0 }, vec![], -1.0).is_err());
}

/// Feet are put on the surface itself, wherever it is.
#[test]
fn footholds_are_on_the_surface() {
    let hills = Terrain::hills(Hills { size: [2.0, 2.0], spacing: 0.02, height: 0.1, width: 0.15, ..Hills::default() }.field().unwrap());
    let noise = Terrain::hills(Noise::default().field().unwrap());
    let boxed = Obstacle::Box {
        pose: Pose { rotation: UnitQuaternion::from_euler_angles(0.3, 0.2, 0.1), translation: Vector3::zeros() },
        half: Vector3::new(0.3, 0.1, 0.2),
    };
    let union = Terrain::with_solids(Ground::Flat { height: 0.0 }, vec![boxed], 0.01).unwrap();
    let ball = Terrain::solid(Obstacle::Sphere { center: Vector3::zeros(), radius: 0.5 }).unwrap();
    for terrain in [hills, noise, union, ball] {
        let mut worst = 0.0_f64;
        for place in places(300, 0.8, 5) {
            // From as far as a leg steps.
            let near = terrain.foothold(&place) + place * 0.005;
            worst = worst.max(terrain.contact(&terrain.foothold(&near)).distance.abs());
        }
        below(worst, 1e-12); // measured 1.4e-16
    }
}

#[test]
fn noise_is_rough_bounded_and_the_same_for_a_seed() {
    let noise = Noise { octaves: 1, ..Noise::default() };
    let (one, same, other) = (noise.field().unwrap(), noise.field().unwrap(), Noise { seed: 2, ..noise.clone() }.field().unwrap());
    let (mut highest, mut lowest, mut differ) = (0.0_f64, 0.0_f64, 0);
    for place in places(3000, 0.9, 9) {
        let height = one.height(place.x, place.z);
        assert_eq!(height, same.height(place.x, place.z));
        differ += usize::from(height != other.height(place.x, place.z));
        (highest, lowest) = (highest.max(height), lowest.min(height));
    }
    assert!(highest < noise.height && highest > 0.5 * noise.height, "{highest}"); // measured 0.0165
    assert!(lowest > -noise.height && lowest < -0.5 * noise.height, "{lowest}"); // measured -0.0158
    assert_eq!(differ, 3000);
    assert!(Noise { octaves: 0, ..noise.clone() }.field().is_err());
    assert!(Noise { wavelength: 0.0, ..noise }.field().is_err());
}

#[test]
fn grey_values_become_hills() {
    let terrain = Terrain::from_grey(&[0.0, 0.5, 1.0, 0.0, 0.5, 1.0, 0.0, 0.5, 1.0], [3, 3], 0.1, 0.2).unwrap();
    // In the middle of a slope of one in one.
    let found = terrain.nearest(&Vector3::new(0.0, 0.1, 0.0));
    below(found.distance.abs(), 1e-15); // measured 0
    below((found.normal - Vector3::new(-1.0, 1.0, 0.0).normalize()).norm(), 1e-12); // measured 0
    assert!(matches!(Terrain::from_grey(&[0.0; 5], [3, 3], 0.1, 0.2), Err(Error::Length { .. })));
}

#[test]
fn a_hole_in_a_mesh_is_refused() {
    let (points, faces) = icosphere(1);
    let error = SolidMesh::new(points, faces[1..].to_vec()).unwrap_err().to_string();
    assert!(error.contains("hole") && error.contains("close it"), "{error}");
}
