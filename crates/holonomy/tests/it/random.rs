//! Seeded random shapes, poses and clips for the tests.

use holonomy::lie::{Pose, Twist};
use holonomy::nalgebra::{SVector, Vector3};
use holonomy::shape::{Bone, Clip, Joint, Playback, Rig, Topology};

/// SplitMix64: small, seeded, good enough for test inputs.
pub struct Random(pub u64);

impl Random {
    pub fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }
    pub fn signed(&mut self) -> f64 {
        2.0 * self.unit() - 1.0
    }
    pub fn vector(&mut self) -> Vector3<f64> {
        Vector3::new(self.signed(), self.signed(), self.signed())
    }
    pub fn column<const N: usize>(&mut self) -> SVector<f64, N> {
        SVector::from_fn(|_, _| self.signed())
    }
    pub fn pose(&mut self) -> Pose {
        Pose::exp(&Twist { angular: self.vector() * 2.0, linear: self.vector() * 3.0 })
    }
    /// A loop of `frames` smooth shapes around `rest`: each vertex moves on its own small ellipse.
    pub fn wobble(&mut self, topology: Topology, rest: &[Vector3<f64>], frames: usize, size: f64) -> Clip {
        let arms: Vec<_> = rest.iter().map(|_| (self.vector() * size, self.vector() * size)).collect();
        let positions = (0..frames)
            .flat_map(|k| {
                let (s, c) = (std::f64::consts::TAU * k as f64 / frames as f64).sin_cos();
                rest.iter().zip(&arms).map(move |(p, (a, b))| p + a * c + b * s).collect::<Vec<_>>()
            })
            .collect();
        Clip::new(topology, Playback::Loop, 1.0 / 30.0, rest.len(), positions).unwrap()
    }
    /// A random walk in space.
    pub fn walk(&mut self, n: usize) -> Vec<Vector3<f64>> {
        let mut p = Vector3::zeros();
        (0..n)
            .map(|_| {
                p += self.vector() + Vector3::new(0.4, 0.0, 0.0);
                p
            })
            .collect()
    }
    /// One clip of each kind: curve, closed curve, surface, points, rig.
    pub fn clips(&mut self) -> Vec<(&'static str, Clip)> {
        let curve = self.walk(12);
        let (points, faces) = octasphere();
        let rig = Rig {
            joints: (0..4_usize).map(|i| Joint { name: format!("j{i}"), parent: i.checked_sub(1) }).collect(),
            bones: (0..3)
                .map(|i| Bone { from: i, to: i + 1, mass: 1.0 + i as f64, center: 0.4, gyration: 0.3, longitudinal_gyration: 0.2 })
                .collect(),
            skin: None,
        };
        let joints = self.walk(4);
        vec![
            ("curve", self.wobble(Topology::Curve { closed: false }, &curve, 16, 0.2)),
            ("closed curve", self.wobble(Topology::Curve { closed: true }, &curve, 16, 0.2)),
            ("surface", self.wobble(Topology::Surface { faces }, &points, 16, 0.2)),
            ("points", self.wobble(Topology::Points, &curve, 16, 0.2)),
            ("rig", self.wobble(Topology::Rig(rig), &joints, 16, 0.2)),
        ]
    }
}

/// The octahedron with each face split in four and pushed out to the unit sphere.
pub fn octasphere() -> (Vec<Vector3<f64>>, Vec<[u32; 3]>) {
    let mut points = vec![Vector3::x(), -Vector3::x(), Vector3::y(), -Vector3::y(), Vector3::z(), -Vector3::z()];
    let coarse = [[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]];
    let mut faces = Vec::new();
    let middle = |a: u32, b: u32, points: &mut Vec<Vector3<f64>>| {
        let m = (points[a as usize] + points[b as usize]).normalize();
        points.iter().position(|p: &Vector3<f64>| (p - m).norm() < 1e-9).unwrap_or_else(|| {
            points.push(m);
            points.len() - 1
        }) as u32
    };
    for [a, b, c] in coarse {
        let (ab, bc, ca) = (middle(a, b, &mut points), middle(b, c, &mut points), middle(c, a, &mut points));
        faces.extend([[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]);
    }
    (points, faces)
}
