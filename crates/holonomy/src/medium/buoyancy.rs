//! Weight and buoyancy, exact for a mesh that is partly under water.
//!
//! Soliman 2024, Sec. 5 (external forces); Archimedes. The water's surface is horizontal (+Y up). Each triangle is cut at it, and the part
//! below spans a tetrahedron with an apex *in* the surface: the lid that closes the cut body lies in the surface too and adds nothing, so
//! it need not be built.
//!
//! | symbol | here | is |
//! |---|---|---|
//! | V | [`Displaced::volume`] | volume under water |
//! | m₁ | [`Displaced::moment`] | ∫ x dV, body frame |

use nalgebra::Vector3;

use super::surface_force::Fluids;
use crate::lie::{Pose, Wrench};
use crate::shape::bounds;
use crate::shape::lanes::{FOUR, Four, Loop, add_scaled, cross, dispatch, dot, minus, pack, plus};

/// The part of a body that displaces a fluid.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Displaced {
    /// V, m³.
    pub volume: f64,
    /// m₁ = ∫ x dV, body frame, m⁴: volume times centre.
    pub moment: Vector3<f64>,
}

impl Displaced {
    /// All that a closed mesh with outward faces encloses. Faces that name no vertex are passed over.
    pub fn whole(points: &[Vector3<f64>], faces: &[[u32; 3]]) -> Displaced {
        let Some(&apex) = points.first() else { return Displaced::default() };
        let sum = triangles(points, faces).fold(Displaced::default(), |sum, corners| sum.with(corners.map(|p| p - apex)));
        sum.seen_from(apex)
    }

    /// The same, but for round-off, several times as fast: for a shape that changes. [`Displaced::whole`] adds in the order in which the mass of a solid is
    /// added, so a rigid body as heavy as the fluid stays at rest to the last digit.
    pub(crate) fn whole_by_four(points: &[Vector3<f64>], faces: &[[u32; 3]]) -> Displaced {
        points.first().map_or_else(Displaced::default, |&apex| dispatch(Whole { points, faces, apex }).seen_from(apex))
    }

    /// What lies below the height `level` when the mesh is placed by `pose`.
    pub fn below(level: f64, pose: &Pose, points: &[Vector3<f64>], faces: &[[u32; 3]]) -> Displaced {
        let Some(&first) = points.first() else { return Displaced::default() };
        // The surface, in the body frame: up · x = offset.
        let up = pose.rotation.inverse() * Vector3::y();
        let offset = level - pose.translation.y;
        let apex = first - up * (up.dot(&first) - offset);
        let sum = triangles(points, faces).fold(Displaced::default(), |sum, corners| {
            let corners = corners.map(|p| p - apex);
            sum.with_part_below(corners, corners.map(|p| up.dot(&p)))
        });
        sum.seen_from(apex)
    }

    /// The wrench of a fluid of `density` kg/m³ that is pressed down by `gravity` (world frame, m/s²), body frame.
    pub fn buoyancy(&self, density: f64, gravity: &Vector3<f64>, pose: &Pose) -> Wrench {
        let lift = pose.rotation.inverse() * gravity * -density;
        Wrench::new(self.moment.cross(&lift), lift * self.volume)
    }

    /// This whole as parts in each fluid, with their density, kg/m³; `below` is what of it lies under a height.
    pub fn by_fluid(self, fluids: &Fluids, below: impl FnOnce(f64) -> Displaced) -> [(f64, Displaced); 2] {
        match *fluids {
            Fluids::One(fluid) => [(fluid.density, self), (0.0, Displaced::default())],
            Fluids::Layered { level, below: lower, above: upper } => {
                let wet = below(level);
                let dry = Displaced { volume: self.volume - wet.volume, moment: self.moment - wet.moment };
                [(lower.density, wet), (upper.density, dry)]
            }
        }
    }

    /// Adds the tetrahedron from the origin to a triangle.
    fn with(self, [a, b, c]: [Vector3<f64>; 3]) -> Displaced {
        let volume = a.dot(&b.cross(&c)) / 6.0;
        Displaced { volume: self.volume + volume, moment: self.moment + (a + b + c) * (0.25 * volume) }
    }

    /// Adds the tetrahedra from the origin to the part of a triangle with heights below zero.
    fn with_part_below(self, corners: [Vector3<f64>; 3], heights: [f64; 3]) -> Displaced {
        let wet = heights.map(|h| h < 0.0);
        // Where the edge from corner i to corner j meets the surface.
        let cut = |i: usize, j: usize| corners[i].lerp(&corners[j], heights[i] / (heights[i] - heights[j]));
        match wet.iter().filter(|&&wet| wet).count() {
            0 => self,
            3 => self.with(corners),
            count => {
                // The corner that is alone on its side, and the other two in order.
                let alone = (0..3).find(|&i| wet[i] == (count == 1)).unwrap_or(0);
                let (next, last) = ((alone + 1) % 3, (alone + 2) % 3);
                let (to_next, to_last) = (cut(alone, next), cut(alone, last));
                if count == 1 {
                    self.with([corners[alone], to_next, to_last])
                } else {
                    self.with([to_next, corners[next], corners[last]]).with([to_next, corners[last], to_last])
                }
            }
        }
    }

    /// The same volume after the origin moved from `apex` to where it belongs.
    fn seen_from(self, apex: Vector3<f64>) -> Displaced {
        Displaced { moment: self.moment + apex * self.volume, ..self }
    }
}

/// All that a closed mesh encloses, seen from an apex: four tetrahedra at a time.
struct Whole<'a> {
    points: &'a [Vector3<f64>],
    faces: &'a [[u32; 3]],
    apex: Vector3<f64>,
}

impl Loop for Whole<'_> {
    type Output = Displaced;

    #[inline(always)]
    fn run<V: Four>(self, zero: V) -> Displaced {
        let apex = [zero.splat(self.apex.x), zero.splat(self.apex.y), zero.splat(self.apex.z)];
        let (mut volume, mut moment) = (zero, [zero; 3]);
        for faces in self.faces.chunks(FOUR) {
            // Where there is no triangle, one without volume.
            let mut corners = [[&self.apex; FOUR]; 3];
            for (lane, &[a, b, c]) in faces.iter().enumerate() {
                if let (Some(a), Some(b), Some(c)) = (self.points.get(a as usize), self.points.get(b as usize), self.points.get(c as usize))
                {
                    (corners[0][lane], corners[1][lane], corners[2][lane]) = (a, b, c);
                }
            }
            let a = minus(&pack(zero, corners[0]), &apex);
            let b = minus(&pack(zero, corners[1]), &apex);
            let c = minus(&pack(zero, corners[2]), &apex);
            let six = dot(&a, &cross(&b, &c));
            volume = volume + six;
            add_scaled(&mut moment, &plus(&plus(&a, &b), &c), six);
        }
        let [x, y, z] = moment.map(V::total);
        Displaced { volume: volume.total() / 6.0, moment: Vector3::new(x, y, z) / 24.0 }
    }
}

/// A closed rigid mesh, with what is the same at every pose: the cut is made only while the surface passes through it.
#[derive(Debug, Clone, PartialEq)]
pub struct Hull {
    points: Vec<Vector3<f64>>,
    faces: Vec<[u32; 3]>,
    whole: Displaced,
    /// Middle of its box and farthest point from there, metres.
    ball: (Vector3<f64>, f64),
}

impl Hull {
    /// A hull of outward faces.
    pub fn new(points: Vec<Vector3<f64>>, faces: Vec<[u32; 3]>) -> Hull {
        let whole = Displaced::whole(&points, &faces);
        let (low, high) = bounds(&points).unwrap_or_default();
        let center = (low + high) * 0.5;
        let radius = points.iter().map(|p| (p - center).norm()).fold(0.0, f64::max);
        Hull { points, faces, whole, ball: (center, radius) }
    }

    /// All that it encloses.
    pub fn whole(&self) -> Displaced {
        self.whole
    }

    /// As [`Displaced::below`].
    pub fn below(&self, level: f64, pose: &Pose) -> Displaced {
        let height = pose.act(&self.ball.0).y - level;
        if height < -self.ball.1 {
            self.whole
        } else if height > self.ball.1 {
            Displaced::default()
        } else {
            Displaced::below(level, pose, &self.points, &self.faces)
        }
    }

    /// Buoyancy in whatever fluids surround it, body frame; `gravity` in the world frame, m/s².
    pub fn buoyancy(&self, fluids: &Fluids, gravity: &Vector3<f64>, pose: &Pose) -> Wrench {
        let parts = self.whole.by_fluid(fluids, |level| self.below(level, pose));
        parts.iter().map(|(density, part)| part.buoyancy(*density, gravity, pose)).sum()
    }
}

/// Weight of `mass` kg at `center` (body frame, metres), body frame; `gravity` in the world frame, m/s².
pub fn weight(mass: f64, center: &Vector3<f64>, gravity: &Vector3<f64>, pose: &Pose) -> Wrench {
    Wrench::of_force_at(pose.rotation.inverse() * gravity * mass, center)
}

fn triangles<'a>(points: &'a [Vector3<f64>], faces: &'a [[u32; 3]]) -> impl Iterator<Item = [Vector3<f64>; 3]> + 'a {
    faces.iter().filter_map(|&[a, b, c]| Some([*points.get(a as usize)?, *points.get(b as usize)?, *points.get(c as usize)?]))
}
