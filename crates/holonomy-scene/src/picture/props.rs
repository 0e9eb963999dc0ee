//! Scenery in a picture: what of it the camera has in view, from where it hides nothing of the motion, and whether it leaves room for the
//! flat ground.

use std::f64::consts::{FRAC_PI_2, PI};

use holonomy::motion::{Matter, Scenery, SceneryKind};
use holonomy::nalgebra::Vector3;
use holonomy::shape::bounds;

use super::Backdrop;
use super::camera::{Camera, Margins, SLANT};
use super::mesh::PosedMesh;
use crate::looks::scenery;

/// What is around the subject of a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PropKind {
    /// Something to keep clear of.
    Obstacle,
    /// Land.
    Ground,
    /// Where the motion should end; translucent.
    Goal,
    /// Water, which lets see what is below.
    Water,
    /// What is there to be eaten.
    Food,
}

impl PropKind {
    /// What a track that is no body is.
    pub(crate) fn of(matter: Matter) -> PropKind {
        if matter == Matter::Water { PropKind::Water } else { PropKind::Food }
    }

    /// Whether what is behind it is hidden.
    fn hides(self) -> bool {
        !matches!(self, PropKind::Goal | PropKind::Water)
    }
}

impl From<SceneryKind> for PropKind {
    fn from(kind: SceneryKind) -> PropKind {
        match kind {
            SceneryKind::Obstacle => PropKind::Obstacle,
            SceneryKind::Ground => PropKind::Ground,
            SceneryKind::Goal => PropKind::Goal,
        }
    }
}

/// A thing around the subject as it is drawn.
#[derive(Debug, Clone, PartialEq)]
pub struct Prop {
    /// What it is.
    pub kind: PropKind,
    /// Its triangles.
    pub mesh: PosedMesh,
}

impl Prop {
    /// A piece with its colours.
    pub fn new(piece: &Scenery) -> Prop {
        Prop { kind: piece.kind.into(), mesh: scenery::mesh(piece) }
    }

    /// How far beyond the motion it is still in view, as a share of the motion's largest side; `None` if it does not count.
    fn margin(&self) -> Option<f64> {
        match self.kind {
            PropKind::Obstacle | PropKind::Food => Some(0.35),
            PropKind::Goal => Some(1.0),
            PropKind::Ground | PropKind::Water => None,
        }
    }
}

/// Where obstacles and goals reach into the neighbourhood of a motion of these points: what should be in view beside it.
pub(crate) fn nearby(props: &[Prop], motion: &[Vector3<f64>]) -> Vec<Vector3<f64>> {
    let Some((low, high)) = bounds(motion) else { return Vec::new() };
    let mut near = Vec::new();
    let within = |margin: f64| (low.add_scalar(-margin * (high - low).amax()), high.add_scalar(margin * (high - low).amax()));
    for (prop, margin) in props.iter().filter_map(|prop| Some((prop, prop.margin()?))) {
        let Some((from, to)) = bounds(&prop.mesh.positions) else { continue };
        let (least, most) = within(margin);
        if (0..3).any(|i| from[i] > most[i] || to[i] < least[i]) {
            continue;
        }
        // What does not fit is cut off: a long wall must not make the motion small.
        let fits = (0..3).all(|i| from[i] >= least[i] && to[i] <= most[i]);
        let (least, most) = if fits { (least, most) } else { within(CUT_OFF) };
        near.extend(prop.mesh.positions.iter().map(|p| p.sup(&least).inf(&most)));
    }
    near
}

/// How far beyond the motion what is too large to be in view whole is cut off, as a share of the motion's largest side.
const CUT_OFF: f64 = 0.08;

/// Height of the backdrop under a `motion`, if it has one: where it would cover land, or land takes its place, it is left out.
pub(crate) fn floor_height(backdrop: Backdrop, [lowest, highest]: [f64; 2], motion: &[Vector3<f64>], props: &[Prop]) -> Option<f64> {
    let lowest_of = |kind: PropKind| {
        let points = props.iter().filter(move |prop| prop.kind == kind).flat_map(|prop| &prop.mesh.positions);
        points.map(|p| p.y).fold(f64::INFINITY, f64::min)
    };
    match backdrop {
        Backdrop::Ground { height } => {
            if height.is_none() && props.iter().any(|prop| prop.kind == PropKind::Ground && lies_under(prop, motion)) {
                return None;
            }
            // Obstacles stand on the ground too.
            let height = height.unwrap_or_else(|| lowest.min(lowest_of(PropKind::Obstacle)));
            let slack = 1e-6 * (highest - lowest).abs().max(1e-3);
            (lowest_of(PropKind::Ground) >= height - slack).then_some(height)
        }
        Backdrop::Water { height } => Some(height.unwrap_or(highest)),
        Backdrop::None => None,
    }
}

/// Whether a piece reaches, seen from above, from one end of a motion to the other, or nearly.
fn lies_under(prop: &Prop, motion: &[Vector3<f64>]) -> bool {
    let (Some((low, high)), Some((from, to))) = (bounds(motion), bounds(&prop.mesh.positions)) else { return false };
    let slack = 0.15 * (high - low);
    [0, 2].into_iter().all(|i| from[i] <= low[i] + slack[i] && to[i] >= high[i] - slack[i])
}

/// Share of the way that must be seen for a view to be taken at once.
const CLEAR: f64 = 0.95;
/// Most intersections of rays and triangles that are tried for each view.
const MOST_TESTS: usize = 1_000_000;

/// The automatic view (`azimuth`, `elevation`), or one from higher up or the other side, if scenery would hide the `way`.
pub(crate) fn clear_view(
    (azimuth, elevation): (f64, f64),
    props: &[Prop],
    framed: &[Vector3<f64>],
    way: &[Vector3<f64>],
    (size, margins): ([f64; 2], Margins),
) -> (f64, f64) {
    let solid: Vec<&PosedMesh> = props.iter().filter(|prop| prop.kind.hides()).map(|prop| &prop.mesh).collect();
    let triangles: usize = solid.iter().map(|mesh| mesh.triangles.len()).sum();
    if triangles == 0 || way.is_empty() {
        return (azimuth, elevation);
    }
    let count = (MOST_TESTS / triangles).clamp(5, 40);
    let samples: Vec<Vector3<f64>> = way.iter().step_by(way.len().div_ceil(count)).copied().collect();
    let seen = |angles: (f64, f64)| {
        let eye = Camera::framing(framed, angles, size, margins).eye;
        let clear = samples.iter().filter(|place| !solid.iter().any(|mesh| hides(mesh, &eye, place))).count();
        clear as f64 / samples.len() as f64
    };
    let other_side = azimuth + PI - 2.0 * SLANT;
    let (middle, high, steep) = (elevation.max(0.6), elevation.max(0.85), elevation.max(1.15));
    let views = [
        (azimuth, elevation),
        (azimuth, middle),
        (other_side, middle),
        (azimuth, high),
        (other_side, high),
        (azimuth, steep),
        (azimuth, elevation.max(1.35)),
        (azimuth, elevation.max(FRAC_PI_2 - 0.05)),
    ];
    let mut best = (0.0, views[0]);
    for view in views {
        let share = seen(view);
        if share > best.0 + 0.02 {
            best = (share, view);
        }
        if best.0 >= CLEAR {
            break;
        }
    }
    best.1
}

/// Whether some triangle stands between the eye and a place (Möller and Trumbore 1997).
fn hides(mesh: &PosedMesh, eye: &Vector3<f64>, place: &Vector3<f64>) -> bool {
    let ray = place - eye;
    mesh.triangles.iter().any(|t| {
        let [a, b, c] = t.map(|v| mesh.positions[v as usize]);
        let (along, across) = (b - a, c - a);
        let normal = ray.cross(&across);
        let volume = along.dot(&normal);
        if volume == 0.0 {
            return false;
        }
        let from = eye - a;
        let u = from.dot(&normal) / volume;
        let other = from.cross(&along);
        let v = ray.dot(&other) / volume;
        let t = across.dot(&other) / volume;
        u >= 0.0 && v >= 0.0 && u + v <= 1.0 && t > 0.0 && t < 1.0 - 1e-6
    })
}
