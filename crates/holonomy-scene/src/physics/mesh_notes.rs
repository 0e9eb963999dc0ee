//! Notes on meshes that do less in flow than they seem to: faces so large that turning is hardly
//! braked, and thin walls that hold nothing off.

use holonomy::nalgebra::Vector3;
use holonomy::shape::pieces::Kind;
use holonomy::shape::surface::{enclosed_volume, face_areas};
use holonomy::shape::{Clip, Inertia, Pieces, Topology, bounds};

/// A body may lose this share of what brakes its turning before that is told.
const LOST: f64 = 0.25;

/// Where drag is less than this share of what it would be if all of the surface moved square to
/// itself, nothing much brakes the turn: a ball about any axis, a rod about its own.
const BRAKED: f64 = 0.1;

/// Cells along each side of a face, in which drag is taken beside that at its middle.
const CELLS: usize = 4;

/// Walls are thin below this share of the least extent of what they span, and span a hollow if
/// they fill less than this share of its box.
const THIN: f64 = 0.1;
const HOLLOW: f64 = 0.25;

/// What to tell of the first shape of `clip`; `liquid` says what is around it.
pub(super) fn of(clip: &Clip, liquid: bool) -> Vec<String> {
    let Topology::Surface { faces } = clip.topology() else { return Vec::new() };
    let Ok((pieces, _)) = Pieces::of(clip.frame(0), faces) else { return Vec::new() };
    let hull = if liquid { thin_walls(clip.frame(0), &pieces) } else { None };
    large_faces(clip.frame(0), &pieces).into_iter().chain(hull).collect()
}

/// Whether drag at the middles of its faces is too little for a turn.
fn large_faces(points: &[Vector3<f64>], pieces: &Pieces) -> Option<String> {
    let patch = |f: usize| Patch::new(pieces.faces[f].map(|v| points[v as usize]), pieces.wet_sides(f as u32));
    let patches: Vec<Patch> = (0..pieces.faces.len()).map(patch).collect();
    let area: f64 = patches.iter().map(|patch| patch.area).sum();
    let center = patches.iter().map(|patch| patch.at(1.0 / 3.0, 1.0 / 3.0) * patch.area).sum::<Vector3<f64>>() / area;
    let lost = |axis: Vector3<f64>| {
        let [by_middles, _] = braking(&patches, &axis, &center, 1);
        let [braked, most] = braking(&patches, &axis, &center, CELLS);
        if braked > BRAKED * most { 1.0 - by_middles / braked } else { 0.0 }
    };
    let most = [Vector3::x(), Vector3::y(), Vector3::z()].into_iter().map(lost).fold(0.0, f64::max);
    (most > LOST).then(|| {
        format!(
            "its faces are large: drag acts at the middle of each, so a turn of the body is braked by {:.0} % too little; \
             split them if it turns",
            100.0 * most
        )
    })
}

/// Whether it looks like a bowl or a hull with a double wall: closed, so that it displaces what is
/// between its walls, and nothing of what they span.
fn thin_walls(points: &[Vector3<f64>], pieces: &Pieces) -> Option<String> {
    if pieces.kinds.iter().any(|kind| *kind != Kind::Closed) {
        return None; // what is open has a note of its own
    }
    let volume = enclosed_volume(points, &pieces.faces);
    let area: f64 = face_areas(points, &pieces.faces).iter().sum();
    let axes = Inertia::of_solid(points, &pieces.faces, 1.0).ok()?.principal_axes().ok()?;
    let turned: Vec<Vector3<f64>> = points.iter().map(|p| axes.axes.transpose() * p).collect();
    let (low, high) = bounds(&turned)?;
    let size = high - low;
    let hollow = volume < HOLLOW * size.product() && 2.0 * volume < THIN * area * size.min();
    hollow.then(|| {
        "its walls are thin and only what is between them holds water off: a bowl, a boat or an empty hull counts as full of \
         water; close it over and give it the `density` of wall and air together if it should float"
            .to_string()
    })
}

/// Power that drag takes from a turn about `axis`, and what it would take if all moved square to
/// itself; but for a factor. Each face counts in so many cells along a side.
fn braking(patches: &[Patch], axis: &Vector3<f64>, center: &Vector3<f64>, cells: usize) -> [f64; 2] {
    let mut sums = [0.0; 2];
    for patch in patches {
        let share = patch.area / (cells * cells) as f64;
        let mut count = |i: usize, j: usize, third: f64| {
            let place = |k: usize| (k as f64 + third) / cells as f64;
            let velocity = axis.cross(&(patch.at(place(i), place(j)) - center));
            let (speed, through) = (velocity.norm(), velocity.dot(&patch.normal));
            sums[0] += share * speed * through * through;
            sums[1] += share * speed * speed * speed;
        };
        for (i, j) in (0..cells).flat_map(|i| (0..cells - i).map(move |j| (i, j))) {
            count(i, j, 1.0 / 3.0);
            if i + j + 1 < cells {
                count(i, j, 2.0 / 3.0);
            }
        }
    }
    sums
}

/// A face.
struct Patch {
    corner: Vector3<f64>,
    sides: [Vector3<f64>; 2],
    normal: Vector3<f64>,
    /// Of all its wet sides.
    area: f64,
}

impl Patch {
    fn new([a, b, c]: [Vector3<f64>; 3], wet_sides: f64) -> Patch {
        let sides = [b - a, c - a];
        let twice = sides[0].cross(&sides[1]);
        let normal = twice.try_normalize(0.0).unwrap_or_else(Vector3::zeros);
        Patch { corner: a, sides, normal, area: 0.5 * wet_sides * twice.norm() }
    }

    /// The point so many sides away from its first corner.
    fn at(&self, i: f64, j: f64) -> Vector3<f64> {
        self.corner + self.sides[0] * i + self.sides[1] * j
    }
}
