//! What of a closed hull lies under a plane, and how that changes when the plane moves.
//!
//! The plane is `up · x = offset`, body frame. When up and offset change, it rises at x by `offset' − up' · x`; so all derivatives are integrals of the vector
//! (−x, 1), which stands for (up', offset'): over the waterplane for the volume, and along the waterline, over the sine of the angle between hull and plane, for the
//! wet surface.

use nalgebra::{Matrix3, Matrix3x4, SMatrix, Vector3, Vector4, Vector6};

/// A mesh under a plane.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Wet {
    /// V, m³.
    pub volume: f64,
    /// ∫ x dV, m⁴.
    pub moment: Vector3<f64>,
    /// Of V.
    pub volume_slope: Vector4<f64>,
    /// Of ∫ x dV.
    pub moment_slope: Matrix3x4<f64>,
    /// Of the wet surface, m².
    pub area: f64,
    /// ∫ x dA over the wet surface, m³.
    pub first: Vector3<f64>,
    /// ∫ x xᵀ dA over the wet surface, m⁴.
    pub second: Matrix3<f64>,
    /// Of the whole surface, wet and dry, m².
    pub whole_area: f64,
}

/// A piece of the waterline: where it is, and its length over the sine of the angle between hull and plane.
pub(super) type Line = ([Vector3<f64>; 2], f64);

impl Wet {
    /// Cuts the mesh; `line` is told each piece of the waterline.
    pub fn below(up: &Vector3<f64>, offset: f64, points: &[Vector3<f64>], faces: &[[u32; 3]], mut line: impl FnMut(&Line)) -> Wet {
        let mut wet = Wet {
            volume: 0.0,
            moment: Vector3::zeros(),
            volume_slope: Vector4::zeros(),
            moment_slope: Matrix3x4::zeros(),
            area: 0.0,
            first: Vector3::zeros(),
            second: Matrix3::zeros(),
            whole_area: 0.0,
        };
        let apex = up * offset;
        for face in faces {
            let [Some(&a), Some(&b), Some(&c)] = face.map(|v| points.get(v as usize)) else { continue };
            wet.add_face([a, b, c], up, &apex, &mut line);
        }
        wet
    }

    fn add_face(&mut self, corners: [Vector3<f64>; 3], up: &Vector3<f64>, apex: &Vector3<f64>, line: &mut impl FnMut(&Line)) {
        let heights = corners.map(|p| up.dot(&(p - apex)));
        let wet = heights.map(|h| h < 0.0);
        let cut = |i: usize, j: usize| corners[i].lerp(&corners[j], heights[i] / (heights[i] - heights[j]));
        let normal = (corners[1] - corners[0]).cross(&(corners[2] - corners[0]));
        let twice_area = normal.norm();
        self.whole_area += 0.5 * twice_area;
        let count = wet.iter().filter(|&&wet| wet).count();
        if count == 3 {
            self.add_triangle(corners, apex);
        }
        if count % 3 == 0 {
            return;
        }
        // The corner that is alone on its side, and the other two in order; the waterline goes round as the wet part of the face does.
        let alone = (0..3).find(|&i| wet[i] == (count == 1)).unwrap_or(0);
        let (next, last) = ((alone + 1) % 3, (alone + 2) % 3);
        let (to_next, to_last) = (cut(alone, next), cut(alone, last));
        let edge = if count == 1 {
            self.add_triangle([corners[alone], to_next, to_last], apex);
            [to_next, to_last]
        } else {
            self.add_triangle([to_next, corners[next], corners[last]], apex);
            self.add_triangle([to_next, corners[last], to_last], apex);
            [to_last, to_next]
        };
        self.add_lid(edge, up, apex);
        let sine = normal.cross(up).norm();
        if sine > 0.0 {
            line(&(edge, (edge[1] - edge[0]).norm() * twice_area / sine));
        }
    }

    fn add_triangle(&mut self, corners: [Vector3<f64>; 3], apex: &Vector3<f64>) {
        let [a, b, c] = corners.map(|p| p - apex);
        let volume = a.dot(&b.cross(&c)) / 6.0;
        self.volume += volume;
        self.moment += ((a + b + c) * 0.25 + apex) * volume;
        let area = 0.5 * (corners[1] - corners[0]).cross(&(corners[2] - corners[0])).norm();
        let (middle, square) = second_moment(corners);
        self.area += area;
        self.first += middle * area;
        self.second += square * area;
    }

    /// The part of the waterplane between the apex and a piece of its rim, which goes round it as the hull below does: clockwise.
    fn add_lid(&mut self, [from, to]: [Vector3<f64>; 2], up: &Vector3<f64>, apex: &Vector3<f64>) {
        let area = 0.5 * up.dot(&(to - apex).cross(&(from - apex)));
        let (middle, square) = second_moment([*apex, from, to]);
        self.volume_slope += rise(&middle) * area;
        for column in 0..3 {
            let mut change = self.moment_slope.column_mut(column);
            change -= square.column(column) * area;
        }
        let mut change = self.moment_slope.column_mut(3);
        change += middle * area;
    }
}

/// (−x, 1): by how much a plane rises at x.
fn rise(x: &Vector3<f64>) -> Vector4<f64> {
    Vector4::new(-x.x, -x.y, -x.z, 1.0)
}

/// Mean of x and of x xᵀ over a triangle.
fn second_moment(corners: [Vector3<f64>; 3]) -> (Vector3<f64>, Matrix3<f64>) {
    let middle = (corners[0] + corners[1] + corners[2]) / 3.0;
    let squares = corners.iter().fold(middle * middle.transpose() * 9.0, |sum, p| sum + p * p.transpose());
    (middle, squares / 12.0)
}

/// How an integral over the wet surface changes with (up, offset), and how its area does: sums over the waterline.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Rim {
    /// Of the integral.
    pub integral: SMatrix<f64, 6, 4>,
    /// Of the area.
    pub area: Vector4<f64>,
}

impl Rim {
    /// Adds a piece. Exact where the density is of second degree in x: two points of Gauss are right to the third.
    pub fn add(&mut self, ([from, to], weight): &Line, density: impl Fn(&Vector3<f64>) -> Vector6<f64>) {
        let shift = 0.5 / 3.0_f64.sqrt();
        for share in [0.5 - shift, 0.5 + shift] {
            let x = from.lerp(to, share);
            let rise = rise(&x) * (0.5 * weight);
            self.integral += density(&x) * rise.transpose();
            self.area += rise;
        }
    }
}
