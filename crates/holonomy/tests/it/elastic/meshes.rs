//! Makers of meshes: counts, volumes, and that nothing is inside out.

use std::f64::consts::PI;

use holonomy::elastic::fill::{LEAST_SHARE, fill};
use holonomy::elastic::mesh::{Cells, Diagonals, Mesh, Split};
use holonomy::medium::SolidMesh;
use holonomy::models::soft::{Cloth, SoftModel};
use holonomy::nalgebra::Vector3;
use holonomy::shape::surface::{Connectivity, enclosed_volume};

use crate::meshes::{below, cuboid, icosphere, torus};

fn volumes(mesh: &Mesh) -> Vec<f64> {
    let Cells::Solid(cells) = &mesh.cells else { panic!("a sheet") };
    let volume = |cell: &[u32; 4]| {
        let [a, b, c, d] = cell.map(|v| mesh.points[v as usize]);
        (b - a).cross(&(c - a)).dot(&(d - a)) / 6.0
    };
    cells.iter().map(volume).collect()
}

/// The boundary is closed and encloses what the cells fill.
fn is_sound(mesh: &Mesh) {
    assert!(volumes(mesh).iter().all(|&volume| volume > 0.0));
    let surface = mesh.surface();
    assert!(Connectivity::of(&surface).watertight());
    below((enclosed_volume(&mesh.points, &surface) / mesh.volume() - 1.0).abs(), 1e-12); // measured 1.5e-13
}

#[test]
fn bars_fill_their_box() {
    for (split, each) in [(Split::Five, 5), (Split::Six, 6)] {
        let mesh = Mesh::bar(Vector3::new(1.6, 0.2, 0.3), [16, 2, 2], split).unwrap();
        is_sound(&mesh);
        below((mesh.volume() / (1.6 * 0.2 * 0.3) - 1.0).abs(), 1e-12); // measured 6.7e-16
        assert_eq!((mesh.points.len(), volumes(&mesh).len()), (153, 64 * each));
        assert_eq!(mesh.surface().len(), 2 * 2 * (16 * 2 + 16 * 2 + 2 * 2));
    }
}

/// About the sizes of Jia et al. 2023, Table 1: a doughnut of 281 vertices and 990 tetrahedra, a flag of 174 and 300 triangles.
#[test]
fn doughnuts_and_flags_have_the_papers_sizes() {
    let mesh = Mesh::doughnut(0.2, 0.08, 21, 2).unwrap();
    is_sound(&mesh);
    assert_eq!((mesh.points.len(), volumes(&mesh).len()), (273, 1008));
    // Its section is an octagon, its way round a polygon of 21 sides.
    let exact = 2.0 * PI * PI * 0.2 * 0.08 * 0.08;
    let octagon = 8.0 * (PI / 4.0).sin() / 2.0 / PI;
    below((mesh.volume() / (exact * octagon) - 1.0).abs(), 0.03); // measured 1.5e-2
    let fine = Mesh::doughnut(0.2, 0.08, 200, 12).unwrap();
    is_sound(&fine);
    below((fine.volume() / exact - 1.0).abs(), 4e-3); // measured 3.0e-3

    let flag = Mesh::cloth(1.5, 1.0, 15, 10, Diagonals::Alternating).unwrap();
    let Cells::Sheet(faces) = &flag.cells else { panic!("a solid") };
    assert_eq!((flag.points.len(), faces.len()), (176, 300));
    assert!(Connectivity::of(faces).irregular_edges == 0);
}

/// Nothing is inside out or too small, and the volume converges.
#[test]
fn solids_are_filled() {
    for (points, faces) in [icosphere(4), torus(1.0, 0.4, 80, 40), cuboid([1.0, 1.6, 0.7], [1, 1, 1])] {
        let solid = SolidMesh::new(points, faces).unwrap();
        let exact = enclosed_volume(solid.points(), solid.faces());
        let errors = [0.3, 0.15, 0.075].map(|cell| {
            let mesh = fill(&solid, cell).unwrap();
            let least = volumes(&mesh).iter().fold(f64::INFINITY, |a, &b| a.min(b)) / (cell.powi(3) / 6.0);
            assert!(least >= LEAST_SHARE * 0.999, "{least}");
            (mesh.volume() / exact - 1.0).abs()
        });
        below(errors[1], 0.03); // measured 1.9e-2
        below(errors[2], 0.01); // measured 6.2e-3
    }
}

#[test]
fn cells_of_bad_size_are_refused() {
    let (points, faces) = icosphere(2);
    let solid = SolidMesh::new(points, faces).unwrap();
    assert!(fill(&solid, -1.0).is_err() && fill(&solid, 1e-4).is_err() && fill(&solid, f64::NAN).is_err());
    // A cell much larger than the solid holds none of it, or some.
    assert!(fill(&solid, 50.0).map_or(true, |mesh| mesh.volume() > 0.0));
}

/// A cloth at rest, bent like a gutter or sheared, is where its coarser one says that it is.
#[test]
fn coarse_cloths_lead_fine_ones() {
    let fine = Cloth { cells: [9, 6], ..Cloth::default() };
    let (coarse, refinement) = fine.coarser().unwrap();
    let rest = |model: &dyn SoftModel| model.settings(1.0).unwrap().mesh.points;
    let error = |shape: &dyn Fn(&Vector3<f64>) -> Vector3<f64>, inner: bool| {
        let there = refinement.of(&rest(&*coarse).iter().map(shape).collect::<Vec<_>>());
        let far = |p: &Vector3<f64>| !inner || (p.x - 0.75).abs() < 0.3 && (p.y - 0.5).abs() < 0.15;
        rest(&fine).iter().zip(&there).filter(|(p, _)| far(p)).map(|(p, there)| (there - shape(p)).norm()).fold(0.0, f64::max)
    };
    below(error(&|p| Vector3::new(p.x + 0.3 * p.y, 2.0 * p.y, 1.0 - p.x), false), 1e-14); // measured 5.6e-16
    below(error(&|p| Vector3::new(p.x, p.y, p.x * p.x + p.x * p.y), true), 1e-14); // measured 7.1e-16
    assert!(Cloth { cells: [9, 1], ..Cloth::default() }.coarser().is_none());
}
