//! The blocks of A, frame by frame (math of docs: the normal matrix of a loop).
//!
//! With D = H − 2O and E = H + O, and S the turn:
//!
//! ```text
//! symplectic   A_ii = h (DᵢᵀM⁻¹Dᵢ + 2M/h⁴)   A_{i,i+1} = (Dᵢᵀ S + S Dᵢ₊₁)/h     A_{i,i+2} = S² M/h³
//! backward     A_ii = h (EᵢᵀM⁻¹Eᵢ + 5M/h⁴)   A_{i,i+1} = −(2/h) S (Eᵢ₊₁ + O)    A_{i,i+2} = S² Eᵢ₊₂/h
//! ```
//!
//! A_ii has the squared pattern (neighbours of neighbours), the others the mesh's. Only blocks with row ≥ column of A_ii are computed.

use nalgebra::Matrix3;

use super::{BlockPattern, Cycle, Rule, Stage};

/// Where the blocks of A go, found once.
#[derive(Debug, Clone)]
pub(super) struct Places {
    /// Neighbours of neighbours.
    pub squared: BlockPattern,
    /// For each row of the mesh's pattern, and each pair (a, b) of blocks in it with a's column ≥ b's: the place of their product in `squared`.
    products: Vec<u32>,
    /// The place of each vertex's own block in the mesh's pattern.
    pub own: Vec<u32>,
    /// The place of the transposed block, in the mesh's pattern.
    transposed: Vec<u32>,
}

/// The blocks of A in the columns and rows of one frame.
#[derive(Debug, Clone)]
pub(super) struct FrameBlocks {
    /// A_ii, on the squared pattern; only row ≥ column is filled.
    pub own: Vec<Matrix3<f64>>,
    /// A_{i,i+1} and A_{i,i+2}, on the mesh's pattern.
    pub next: [Vec<Matrix3<f64>>; 2],
}

impl Places {
    pub fn new(pattern: &BlockPattern) -> Self {
        let n = pattern.vertices();
        let squared = BlockPattern::new(n, (0..n).map(|i| &pattern.columns()[pattern.row(i)]));
        let mut products = Vec::new();
        for i in 0..n {
            let row = &pattern.columns()[pattern.row(i)];
            for (k, &a) in row.iter().enumerate() {
                products.extend(row[..=k].iter().filter_map(|&b| squared.find(a as usize, b as usize)).map(|place| place as u32));
            }
        }
        let own = (0..n).filter_map(|i| pattern.find(i, i)).map(|place| place as u32).collect();
        let mut transposed = Vec::with_capacity(pattern.blocks());
        for i in 0..n {
            transposed.extend(pattern.row(i).filter_map(|p| pattern.find(pattern.columns()[p] as usize, i)).map(|p| p as u32));
        }
        Places { squared, products, own, transposed }
    }

    /// Memory for the blocks of one frame.
    pub fn blocks(&self, pattern: &BlockPattern) -> FrameBlocks {
        let next = vec![Matrix3::zeros(); pattern.blocks()];
        FrameBlocks { own: vec![Matrix3::zeros(); self.squared.blocks()], next: [next.clone(), next] }
    }

    /// The blocks of A in the rows of frame `i`. Prescribed rows and columns are as any other: who stores them leaves them out.
    pub fn fill(&self, cycle: &Cycle, stage: &Stage, i: usize, out: &mut FrameBlocks) {
        let (n, frames, h) = (cycle.masses.len(), cycle.frames, cycle.time_step);
        let (pattern, count) = (&cycle.pattern, cycle.pattern.blocks());
        let stiffness = |k: usize| &stage.stiffness[(k % frames) * count..][..count];
        let here = stiffness(i);
        let (inertia, own) = match cycle.rule {
            Rule::Symplectic => (-2.0, 2.0),
            Rule::Backward => (1.0, 5.0),
        };
        out.own.fill(Matrix3::zeros());
        let mut products = self.products.iter();
        for row in 0..n {
            let mass = cycle.masses[row];
            let (start, end) = (pattern.row(row).start, pattern.row(row).end);
            let shift = inertia * mass / (h * h);
            let block = |place: usize| {
                if place == self.own[row] as usize { here[place] + Matrix3::from_diagonal_element(shift) } else { here[place] }
            };
            for a in start..end {
                let left = if cycle.is_held(row) { Matrix3::zeros() } else { block(a).transpose() * (h / mass) };
                for b in start..=a {
                    if let Some(&place) = products.next() {
                        out.own[place as usize] += left * block(b);
                    }
                }
            }
        }
        for v in 0..n {
            let extra = own * cycle.masses[v] / h.powi(3) + cycle.extra(stage, i, v);
            if let Some(place) = self.squared.find(v, v) {
                for k in 0..3 {
                    out.own[place][(k, k)] += extra;
                }
            }
        }
        let (turn, twice) = (cycle.turn, cycle.turn * cycle.turn);
        let [next, after] = &mut out.next;
        let then = stiffness(i + 1);
        match cycle.rule {
            Rule::Symplectic => {
                for place in 0..count {
                    let back = here[self.transposed[place] as usize].tr_mul(&turn);
                    next[place] = (back + turn * then[place]) / h;
                    after[place] = Matrix3::zeros();
                }
                for v in 0..n {
                    let (place, scale) = (self.own[v] as usize, cycle.masses[v] / h.powi(3));
                    next[place] -= turn * (4.0 * scale);
                    after[place] = twice * scale;
                }
            }
            Rule::Backward => {
                let later = stiffness(i + 2);
                for place in 0..count {
                    next[place] = turn * then[place] * (-2.0 / h);
                    after[place] = twice * later[place] / h;
                }
                for v in 0..n {
                    let (place, scale) = (self.own[v] as usize, cycle.masses[v] / h.powi(3));
                    next[place] -= turn * (4.0 * scale);
                    after[place] += twice * scale;
                }
            }
        }
    }
}
