//! Welding: glTF splits vertices at seams of normals and textures and between primitives; vertices that stay together in every
//! frame are one vertex of the surface.
//!
//! Classes of vertices are refined frame by frame: all vertices begin in one class, and in each frame a class splits into those of
//! its vertices that coincide. A class is known by its first vertex. Points are found through a grid of cells of eight tolerances.

use std::collections::HashMap;

use nalgebra::Vector3;

/// Which vertices are still together.
pub(super) struct Weld {
    /// The first vertex of each vertex's class.
    leader: Vec<u32>,
    tolerance: f64,
}

/// A surface without doubled vertices.
pub(super) struct Welded {
    /// For each vertex of it, the number before welding.
    pub kept: Vec<u32>,
    /// Triangles between the new vertices.
    pub faces: Vec<[u32; 3]>,
    /// Triangles that lost their area.
    pub dropped: usize,
}

type Cell = (u32, [i64; 3]);

impl Weld {
    /// All `vertices` in one class; points nearer than `tolerance` coincide.
    pub fn new(vertices: usize, tolerance: f64) -> Self {
        Weld { leader: vec![0; vertices], tolerance: tolerance.max(f64::MIN_POSITIVE) }
    }

    /// Takes apart the classes whose vertices do not coincide in this frame.
    pub fn refine(&mut self, positions: &[Vector3<f64>]) {
        let close = |a: &Vector3<f64>, b: &Vector3<f64>| (a - b).amax() <= self.tolerance;
        let mut found: HashMap<Cell, Vec<u32>> = HashMap::new();
        for v in 0..positions.len() {
            let old = self.leader[v];
            if close(&positions[v], &positions[old as usize]) {
                continue;
            }
            let scaled = positions[v] / (8.0 * self.tolerance);
            let known = cells(old, &scaled).find_map(|cell| {
                let leaders = found.get(&cell)?;
                leaders.iter().copied().find(|&leader| close(&positions[v], &positions[leader as usize]))
            });
            self.leader[v] = known.unwrap_or_else(|| {
                found.entry((old, home(&scaled))).or_default().push(v as u32);
                v as u32
            });
        }
    }

    /// Number of classes.
    pub fn classes(&self) -> usize {
        self.leader.iter().enumerate().filter(|(v, leader)| **leader as usize == *v).count()
    }

    /// The surface between classes.
    pub fn finish(&self, faces: &[[u32; 3]]) -> Welded {
        let mut number = vec![u32::MAX; self.leader.len()];
        let mut kept = Vec::new();
        let mut out = Vec::with_capacity(faces.len());
        for face in faces {
            let [a, b, c] = face.map(|v| self.leader[v as usize]);
            if a == b || b == c || c == a {
                continue;
            }
            out.push([a, b, c].map(|leader| {
                let slot = &mut number[leader as usize];
                if *slot == u32::MAX {
                    *slot = kept.len() as u32;
                    kept.push(leader);
                }
                *slot
            }));
        }
        Welded { kept, dropped: faces.len() - out.len(), faces: out }
    }
}

fn home(scaled: &Vector3<f64>) -> [i64; 3] {
    [scaled.x, scaled.y, scaled.z].map(|x| x.floor() as i64)
}

/// The cells of a class within one tolerance (an eighth of a cell) of the point.
fn cells(class: u32, scaled: &Vector3<f64>) -> impl Iterator<Item = Cell> {
    let range = |x: f64| (x - 0.125).floor() as i64..=(x + 0.125).floor() as i64;
    let (xs, ys, zs) = (range(scaled.x), range(scaled.y), range(scaled.z));
    xs.flat_map(move |x| {
        let zs = zs.clone();
        ys.clone().flat_map(move |y| zs.clone().map(move |z| (class, [x, y, z])))
    })
}
