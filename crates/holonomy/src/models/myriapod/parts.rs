//! The parts of a myriapod's skin, from the soft body out.

use std::f64::consts::{FRAC_PI_2, TAU};

use nalgebra::Vector3;

use super::coat::{Coat, Cut, Finish};
use super::hide::{Hide, Ring, Spindle, ring, section};
use super::{Limb, LimbKind, Myriapod, chains};
use crate::lie::Pose;
use crate::shape::{Influence, Skin};

/// Faces that meet at more than this keep an edge, radians: limbs of six sides look round, boxes do not.
const CREASE: f64 = 1.1;
/// Animals with more segments than this are cut more coarsely.
const MANY: usize = 30;

/// How finely round things are cut.
#[derive(Clone, Copy)]
struct Detail {
    body: usize,
    plate: usize,
    leg: usize,
}

/// The skin of an animal whose joints at rest are `rest`.
pub(super) fn skin(animal: &Myriapod, coat: Coat, rest: Vec<Pose>) -> Skin {
    let segments = animal.anatomy.segments.len();
    let detail = if segments > MANY { Detail { body: 12, plate: 10, leg: 6 } } else { Detail { body: 14, plate: 14, leg: 8 } };
    let mut hide = Hide(Skin { rest, palette: coat.palette(), crease: CREASE, ..Skin::default() });
    soft_body(&mut hide, animal, coat.cut(), detail);
    head(&mut hide, animal, coat);
    for i in 1..segments {
        match coat {
            Coat::Robot => block(&mut hide, animal, i),
            _ => plate(&mut hide, animal, i, coat, detail),
        }
    }
    for (limb, places) in animal.limbs.iter().zip(chains(&animal.anatomy.rest)) {
        match limb.kind {
            LimbKind::Leg | LimbKind::Tail => leg(&mut hide, animal, limb, places, coat, detail),
            LimbKind::Antenna => antenna(&mut hide, animal, limb, places, coat),
        }
    }
    hide.0
}

impl Myriapod {
    /// Where a segment is at rest, and half its size.
    fn at(&self, i: usize) -> (Pose, Vector3<f64>) {
        (self.anatomy.rest.segments[i], self.anatomy.segments[i].half_size)
    }

    /// Length of the soft matter behind segment `i`, metres; zero behind the last.
    fn gap(&self, i: usize) -> f64 {
        if i + 1 >= self.anatomy.segments.len() {
            return 0.0;
        }
        let ((at, half), (next, next_half)) = (self.at(i), self.at(i + 1));
        (at.act(&(-Vector3::x() * half.x)) - next.act(&(Vector3::x() * next_half.x))).norm()
    }
}

/// One tube from inside the head to the end, which bends between the segments.
fn soft_body(hide: &mut Hide, animal: &Myriapod, cut: Cut, detail: Detail) {
    let size = |half: &Vector3<f64>| [cut.soft * half.y, cut.soft * half.z];
    // Belly and back of boxes stay inside them.
    let square = cut.square.max(0.55);
    let mut rings = Vec::new();
    let segments = animal.anatomy.segments.len();
    for i in 0..segments {
        let (at, half) = animal.at(i);
        let rigid = |x: f64| Ring { points: ring(&at, x, size(&half), detail.body, square), follows: Influence::of(i) };
        rings.push(rigid(if i == 0 { 0.0 } else { 0.95 * half.x }));
        rings.push(rigid(-0.95 * half.x));
        if i + 1 < segments {
            let (next, next_half) = animal.at(i + 1);
            let ends = [at.act(&(-Vector3::x() * half.x)), next.act(&(Vector3::x() * next_half.x))];
            for share in [0.3, 0.7] {
                let rotation = at.rotation.try_slerp(&next.rotation, share, 1e-9).unwrap_or(at.rotation);
                let between = Pose { rotation, translation: ends[0].lerp(&ends[1], share) };
                // A little slimmer between the segments, as if a string were tied around.
                let waist = 0.95 * size(&half.lerp(&next_half, share))[0];
                let wide = 0.95 * size(&half.lerp(&next_half, share))[1];
                let follows = Influence::between(i, i + 1, share * share * (3.0 - 2.0 * share));
                rings.push(Ring { points: ring(&between, 0.0, [waist, wide], detail.body, square), follows });
            }
        }
    }
    let ((first, half), (last, last_half)) = (animal.at(0), animal.at(segments - 1));
    // The end is rounded off.
    let end = size(&last_half).map(|size| 0.6 * size);
    rings.push(Ring { points: ring(&last, -1.03 * last_half.x, end, detail.body, square), follows: Influence::of(segments - 1) });
    let tips = [first.act(&(Vector3::x() * (0.3 * half.x))), last.act(&(-Vector3::x() * (1.1 * last_half.x)))];
    hide.tube(tips, &rings, |_| Finish::Soft);
}

/// Rows of a plate: from its front (0) to its rear (1), and how far out it stands, as a share of its radius. Both ends are tucked in.
const PLATE: [[f64; 2]; 8] =
    [[0.005, 0.82], [0.0, 0.9], [0.08, 0.945], [0.3, 0.985], [0.65, 1.0], [0.93, 0.995], [1.0, 0.955], [0.985, 0.87]];

/// A domed plate over the back of segment `i`, whose rear edge lies over the front of the next.
fn plate(hide: &mut Hide, animal: &Myriapod, i: usize, coat: Coat, detail: Detail) {
    let (cut, (at, half)) = (coat.cut(), animal.at(i));
    let last = i + 1 == animal.anatomy.segments.len();
    // The first reaches under the head.
    let front = half.x + if i == 1 { 0.9 } else { 0.4 } * animal.gap(i - 1);
    let rear = half.x + if last { 0.15 * half.x } else { 0.6 * animal.gap(i) + cut.overlap * half.x };
    let row = |&[share, out]: &[f64; 2]| {
        // The last plate narrows towards its end.
        let narrow = if last { 1.0 - 0.2 * share * share } else { 1.0 };
        let out = out * (1.0 + cut.flare * (share - 0.3)) * narrow;
        let x = front - (front + rear) * share;
        let corner = |k: usize| {
            let rim = k == 0 || k == detail.plate;
            let inner = (2.0 * k as f64 - detail.plate as f64) / (detail.plate as f64 - 2.0);
            // Corners are rounded, so that the soft sides show between neighbours.
            let round = 1.0 - cut.round * (2.0 * share - 1.0).abs().powi(4);
            let angle = cut.sides * round * inner.clamp(-1.0, 1.0);
            let out = if rim { 0.9 * out } else { out };
            section(&at, x, [half.y * out, half.z * out], angle, cut.square)
        };
        (0..=detail.plate).map(corner).collect()
    };
    let rows: Vec<Vec<Vector3<f64>>> = PLATE.iter().map(row).collect();
    hide.sheet(&rows, i, |row, column| match coat {
        Coat::HouseCentipede => stripe(column, detail.plate),
        // A dark rim where it lies over the next.
        _ if row + 3 >= PLATE.len() => Finish::Band,
        _ => Finish::Plate,
    });
}

/// House centipedes have three dark stripes along the back.
fn stripe(column: usize, columns: usize) -> Finish {
    let from_middle = (2 * column + 1).abs_diff(columns);
    let dark = from_middle == 1 || (columns / 2..=columns / 2 + 2).contains(&from_middle);
    if dark { Finish::Band } else { Finish::Plate }
}

/// Rows of a box with rounded edges: share of its half length, and of its half height and width.
const BLOCK: [[f64; 2]; 4] = [[1.0, 0.86], [0.9, 1.0], [-0.9, 1.0], [-1.0, 0.86]];
/// Corners around a box: three at each of its edges.
const BLOCK_SIDES: usize = 12;

/// A robot's segment.
fn block(hide: &mut Hide, animal: &Myriapod, i: usize) {
    let (at, half) = animal.at(i);
    box_around(hide, &at, &half, i, Finish::Plate);
}

fn box_around(hide: &mut Hide, at: &Pose, half: &Vector3<f64>, joint: usize, finish: Finish) {
    let around = |k: usize| {
        // A quarter turn for each edge, and 20 degrees to either side of it.
        let edge = (k / 3) as f64 * FRAC_PI_2 + 0.5 * FRAC_PI_2;
        -(edge + ((k % 3) as f64 - 1.0) * 0.35)
    };
    let row = |&[along, out]: &[f64; 2]| {
        let corner = |k: usize| {
            let (sin, cos) = around(k).sin_cos();
            let [y, z] = [cos, sin].map(|x| (1.3 * x).clamp(-1.0, 1.0) * out);
            at.act(&Vector3::new(along * half.x, y * half.y, z * half.z))
        };
        Ring { points: (0..BLOCK_SIDES).map(corner).collect(), follows: Influence::of(joint) }
    };
    let tips = [half.x, -half.x].map(|x| at.act(&(Vector3::x() * x)));
    hide.tube(tips, &BLOCK.iter().map(row).collect::<Vec<_>>(), |_| finish);
}

/// The head, with eyes and, under it, what the animal bites with.
fn head(hide: &mut Hide, animal: &Myriapod, coat: Coat) {
    let (at, half) = animal.at(0);
    let ahead = snout(&half) / 1.12;
    let on = |x: f64, y: f64, z: f64| at.act(&Vector3::new(if x > 0.0 { x * ahead } else { x * half.x }, y * half.y, z * half.z));
    if coat == Coat::Robot {
        box_around(hide, &at, &half, 0, Finish::Head);
    } else {
        skull(hide, &at, &half);
    }
    let eye = 0.2 * half.y.min(half.z);
    for side in [-1.0, 1.0] {
        let [x, y, z] = if coat == Coat::Robot { [0.97, 0.5, 0.55] } else { [0.62, 0.42, 0.72] };
        let middle = on(x, y, z * side);
        let up = at.rotation * Vector3::y() * eye;
        hide.spindle(&Spindle::egg([middle - up, middle + up], eye, [5, 10], 0), |_| Finish::Eye);
        if coat.has_claws() {
            let places = [on(-0.5, -0.55, 0.85 * side), on(0.65, -0.62, 1.12 * side), on(1.5, -0.62, 0.28 * side)];
            let radius = 0.24 * half.y.min(half.z);
            tapered(hide, [places[0], places[1]], [radius, 0.9 * radius], 8, 0, |_| Finish::Head);
            tapered(
                hide,
                [places[1], places[2]],
                [0.8 * radius, 0.06 * radius],
                8,
                0,
                |band| if band > 3 { Finish::Eye } else { Finish::Band },
            );
        }
    }
}

/// How far a head reaches ahead of its middle, metres: short heads are round, too.
fn snout(half: &Vector3<f64>) -> f64 {
    (1.12 * half.x).max(0.8 * half.y)
}

/// A rounded, slightly flattened head that narrows to the front.
fn skull(hide: &mut Hide, at: &Pose, half: &Vector3<f64>) {
    const ROWS: usize = 9;
    let row = |k: usize| {
        let (sin, cos) = (0.5 * TAU * k as f64 / (ROWS + 1) as f64).sin_cos();
        // A superellipse: fuller than an egg at the rear.
        let out = sin.powf(0.7) * (1.0 - 0.1 * cos);
        let size = [1.0 * half.y * out, 1.04 * half.z * out];
        Ring { points: ring(at, (if cos > 0.0 { snout(half) } else { 1.12 * half.x }) * cos, size, 16, 0.9), follows: Influence::of(0) }
    };
    let tips = [snout(half), -1.12 * half.x].map(|x| at.act(&(Vector3::x() * x)));
    hide.tube(tips, &(1..=ROWS).map(row).collect::<Vec<_>>(), |_| Finish::Head);
}

/// A link: a little swollen behind its root.
fn tapered(hide: &mut Hide, ends: [Vector3<f64>; 2], [from, to]: [f64; 2], sides: usize, joint: usize, finish: impl Fn(usize) -> Finish) {
    let length = (ends[1] - ends[0]).norm().max(f64::MIN_POSITIVE);
    let round = |radius: f64| (0.55 * radius / length).min(0.3);
    let middle = from + (to - from) * 0.35;
    let stations = vec![
        [-round(from), 0.0],
        [-0.4 * round(from), 0.72 * from],
        [0.1, from],
        [0.4, 1.05 * middle],
        [1.0 - 0.3 * round(to), to],
        [1.0 + round(to), 0.0],
    ];
    hide.spindle(&Spindle { ends, stations, sides, follows: Influence::of(joint) }, finish);
}

/// A leg or a tail appendage: links that taper to a point.
fn leg(hide: &mut Hide, animal: &Myriapod, limb: &Limb, places: &[Vector3<f64>], coat: Coat, detail: Detail) {
    let radius = if limb.kind == LimbKind::Leg { animal.anatomy.leg_radius } else { animal.anatomy.tail_radius };
    let links = limb.count - 1;
    let at = |place: usize| radius * (1.0 - 0.94 * (place as f64 / links as f64).powf(1.3));
    for link in 0..links {
        let finish = |band: usize| match coat {
            _ if link + 1 == links && links > 1 => Finish::Tip,
            Coat::HouseCentipede if band == 2 => Finish::Band,
            _ => Finish::Leg,
        };
        // Each link is a little thicker than the end of the one before, as the legs of insects are.
        let radii = [1.06 * at(link), 0.92 * at(link + 1)];
        tapered(hide, [places[link], places[link + 1]], radii, detail.leg, limb.first + link, finish);
    }
}

/// Beads on a string, smaller towards the tip.
fn antenna(hide: &mut Hide, animal: &Myriapod, limb: &Limb, places: &[Vector3<f64>], coat: Coat) {
    let links = limb.count - 1;
    for (link, ends) in places.windows(2).enumerate() {
        let thick = |share: f64| animal.anatomy.antenna_radius * (1.0 - 0.65 * (link as f64 + share) / links as f64);
        let length = (ends[1] - ends[0]).norm();
        let beads = if coat == Coat::Robot { 1 } else { (length / (2.4 * thick(0.5))).round().clamp(1.0, 3.0) as usize };
        for bead in 0..beads {
            let place = |k: f64| ends[0].lerp(&ends[1], (bead as f64 + k) / beads as f64);
            let radius = thick((bead as f64 + 0.5) / beads as f64);
            hide.spindle(&Spindle::egg([place(-0.08), place(1.08)], radius, [3, 6], limb.first + link), |_| Finish::Antenna);
        }
    }
}
