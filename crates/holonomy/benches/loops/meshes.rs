//! The meshes and stiffness of `cyclic.py`: springs on all edges, for cloth also across hinges.

use std::collections::{BTreeMap, BTreeSet};
use std::f64::consts::TAU;
use std::path::Path;

use holonomy::nalgebra::{Matrix3, Vector3};
use holonomy::solve::blocks::BlockPattern;
use holonomy::solve::periodic::{Cycle, Rule, Stage};

pub struct Mesh {
    places: Vec<Vector3<f64>>,
    elements: Vec<Vec<u32>>,
}

/// One normal system.
pub struct Case {
    pub cycle: Cycle,
    stiffness: Vec<Matrix3<f64>>,
    weights: Vec<f64>,
}

impl Mesh {
    pub fn read(folder: &Path, name: &str) -> Option<Mesh> {
        let text: String = std::fs::read_to_string(folder.join("data").join(format!("{name}.json"))).ok()?.split_whitespace().collect();
        let rows = |key: &str| -> Option<Vec<Vec<f64>>> {
            let (_, rest) = text.split_once(&format!("\"{key}\":[["))?;
            let (rows, _) = rest.split_once("]]")?;
            rows.split("],[").map(|row| row.split(',').map(|x| x.parse().ok()).collect()).collect()
        };
        let places = rows("vertices")?.iter().map(|row| Vector3::from_column_slice(&row[..3])).collect();
        let elements = rows("elements")?.iter().map(|row| row.iter().map(|&x| x as u32).collect()).collect();
        Some(Mesh { places, elements })
    }

    /// A square cloth of `side`² vertices.
    pub fn cloth(side: usize) -> Mesh {
        let part = |k: usize| k as f64 / (side - 1) as f64;
        let places = (0..side * side).map(|v| Vector3::new(1.3 * part(v / side), part(v % side), 0.0)).collect();
        let mut elements = Vec::new();
        for v in (0..side * (side - 1)).filter(|v| v % side + 1 < side) {
            let (v, down) = (v as u32, (v + side) as u32);
            elements.push(vec![v, down, down + 1]);
            elements.push(vec![v, down + 1, v + 1]);
        }
        Mesh { places, elements }
    }

    fn pairs(&self) -> Vec<[u32; 2]> {
        let sorted = |a: u32, b: u32| [a.min(b), a.max(b)];
        let mut pairs = BTreeSet::new();
        let mut edges: BTreeMap<[u32; 2], Vec<u32>> = BTreeMap::new();
        for element in &self.elements {
            for (i, &a) in element.iter().enumerate() {
                pairs.extend(element[i + 1..].iter().map(|&b| sorted(a, b)));
            }
            if let [a, b, c] = element[..] {
                for [a, b, c] in [[a, b, c], [b, c, a], [c, a, b]] {
                    edges.entry(sorted(a, b)).or_default().push(c);
                }
            }
        }
        pairs.extend(edges.values().filter(|tips| tips.len() == 2).map(|tips| sorted(tips[0], tips[1])));
        pairs.into_iter().collect()
    }

    /// The system at `frames`; the two corners of a cloth at its pole are prescribed, as the peers have it, or `held`.
    pub fn case(&self, frames: usize, held: bool) -> Case {
        let (n, mass, h): (usize, f64, f64) = (self.places.len(), 1e-3, 0.01);
        let pairs = self.pairs();
        let pattern = BlockPattern::new(n, pairs.iter().map(|pair| &pair[..]));
        let place = |i: u32, j: u32| pattern.find(i as usize, j as usize).expect("pairs are in the pattern");
        let mut stiffness = vec![Matrix3::zeros(); frames * pattern.blocks()];
        for (t, values) in stiffness.chunks_exact_mut(pattern.blocks()).enumerate() {
            let wave =
                |p: &Vector3<f64>| p.add_scalar(0.05 * (TAU * (t as f64 / frames as f64 + p.dot(&Vector3::new(1.0, 0.7, 0.3)))).sin());
            let q: Vec<Vector3<f64>> = self.places.iter().map(wave).collect();
            for &[i, j] in &pairs {
                let along = (q[j as usize] - q[i as usize]).normalize();
                let block = (along * along.transpose() * 0.9 + Matrix3::identity() * 0.1) * 50.0;
                for (a, b, sign) in [(i, i, 1.0), (j, j, 1.0), (i, j, -1.0), (j, i, -1.0)] {
                    values[place(a, b)] += block * sign;
                }
            }
        }
        let cloth = self.elements.first().is_some_and(|element| element.len() == 3);
        let pole: Vec<bool> = self.places.iter().map(|p| cloth && p.x == 0.0 && (p.y == 0.0 || p.y == 1.0)).collect();
        let mut weights = vec![0.0; frames * n];
        weights[..2 * n].fill(mass / (h.powi(3) * 1e-2));
        let fixed = if held { Vec::new() } else { pole.repeat(frames) };
        let held = if held { pole } else { Vec::new() };
        let (masses, turn) = (vec![mass; n], Matrix3::identity());
        let cycle = Cycle { pattern, masses, frames, time_step: h, rule: Rule::Backward, turn, fixed, held };
        Case { cycle, stiffness, weights }
    }
}

impl Case {
    pub fn stage(&self) -> Stage<'_> {
        Stage { stiffness: &self.stiffness, positive: &self.stiffness, weights: &self.weights, damping: 0.0 }
    }
}
