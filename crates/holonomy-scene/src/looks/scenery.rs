//! What scenery looks like: its colours, and its triangles with shading normals. Land is coloured by its slope, as rock shows where it is
//! steep.

use holonomy::motion::{Scenery, SceneryKind};
use holonomy::shape::surface::face_area_vector;

use super::Color;
use crate::picture::PosedMesh;

/// A warm grey.
const OBSTACLE: Color = [0.62, 0.575, 0.53];
const GOAL: Color = [0.16, 0.62, 0.33];
/// Land that is level, and land that is steep.
const EARTH: Color = [0.73, 0.68, 0.55];
const ROCK: Color = [0.51, 0.43, 0.37];

/// Cosines of the angles between faces beyond which an edge shows: 42 degrees; of land, which has none but those of what was built, 72.
const CREASE: f64 = 0.74;
const LAND_CREASE: f64 = 0.31;

/// How much of a goal is there, 0 to 1; the rest is what is behind it.
pub(crate) const GOAL_OPACITY: f64 = 0.4;

/// The colour of a kind of scenery; of land, where it is level.
pub(crate) fn color(kind: SceneryKind) -> Color {
    match kind {
        SceneryKind::Obstacle => OBSTACLE,
        SceneryKind::Ground => EARTH,
        SceneryKind::Goal => GOAL,
    }
}

/// The triangles of a piece; land has a colour for each corner.
pub(crate) fn mesh(piece: &Scenery) -> PosedMesh {
    // A triangle without area has no normal.
    let has_area =
        |face: &&[u32; 3]| face.iter().all(|&v| (v as usize) < piece.points.len()) && face_area_vector(&piece.points, **face).amax() > 0.0;
    let faces: Vec<[u32; 3]> = piece.faces.iter().filter(has_area).copied().collect();
    let crease = if piece.kind == SceneryKind::Ground { LAND_CREASE } else { CREASE };
    let (mut mesh, _) = PosedMesh::creased(&piece.points, &faces, color(piece.kind), crease);
    if piece.kind == SceneryKind::Ground {
        mesh.colors = mesh.normals.iter().map(|normal| of_slope(normal.y.abs())).collect();
    }
    mesh
}

/// The colour of land whose normal rises by `rise`: earth up to 20 degrees, rock from 50 on.
fn of_slope(rise: f64) -> Color {
    let steep = ((0.94 - rise) / (0.94 - 0.64)).clamp(0.0, 1.0);
    let steep = steep * steep * (3.0 - 2.0 * steep);
    [0, 1, 2].map(|i| EARTH[i] + (ROCK[i] - EARTH[i]) * steep)
}
