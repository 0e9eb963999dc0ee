//! The metric of one frame, laid out for the loops that run over it.

use nalgebra::{Matrix3, Vector3};

use crate::shape::lanes::{self, BLOCK, Directions, STRIDE, Vectors};
use crate::shape::surface::FaceSums;

/// The metric of one frame: sample points and `B_j = round_j I + axial_j u_j u_jᵀ` at each, in the shape's own frame.
///
/// A curve or surface is sampled at its vertices; a rig at four points per bone, which have the bone's mass, centre and inertia.
#[derive(Debug, Clone, Default)]
pub struct MetricFrame {
    len: usize,
    blocks: Vec<Block>,
    /// Σ_j trace B_j.
    trace: f64,
    /// Σ_j (trace B_j) p_j / Σ_j trace B_j, metres.
    center: Vector3<f64>,
    /// Memory for the normals of a surface.
    pub(crate) face_sums: Vec<FaceSums>,
}

/// One sample of a metric.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample {
    /// p_j, metres.
    pub point: Vector3<f64>,
    /// u_j, unit, or zero where there is none.
    pub axis: Vector3<f64>,
    /// Isotropic part, kg (inertia) or N s/m (dissipation).
    pub round: f64,
    /// Part along the axis; negative for curves.
    pub axial: f64,
}

impl Sample {
    /// B_j v.
    pub fn times(&self, v: &Vector3<f64>) -> Vector3<f64> {
        v * self.round + self.axis * (self.axial * self.axis.dot(v))
    }

    /// B_j.
    pub fn matrix(&self) -> Matrix3<f64> {
        Matrix3::from_diagonal_element(self.round) + self.axis * (self.axis * self.axial).transpose()
    }
}

/// Up to [`BLOCK`] samples, component by component. Those beyond the last have no metric and count for nothing.
#[derive(Debug, Clone, PartialEq)]
#[repr(align(64))]
pub(crate) struct Block {
    pub point: Vectors,
    pub axis: Vectors,
    pub round: [f64; BLOCK],
    pub axial: [f64; BLOCK],
}

impl Default for Block {
    fn default() -> Self {
        Block { point: [[0.0; BLOCK]; 3], axis: [[0.0; BLOCK]; 3], round: [0.0; BLOCK], axial: [0.0; BLOCK] }
    }
}

impl Block {
    /// Where a kernel writes points, axes, and, for the time being in `round`, weights.
    #[inline(always)]
    pub fn directions(&mut self) -> Directions<'_> {
        Directions { point: &mut self.point, axis: &mut self.axis, weight: &mut self.round }
    }

    fn sample(&self, i: usize) -> Sample {
        let at = |v: &Vectors| Vector3::new(v[0][i], v[1][i], v[2][i]);
        Sample { point: at(&self.point), axis: at(&self.axis), round: self.round[i], axial: self.axial[i] }
    }

    fn set(&mut self, i: usize, sample: &Sample) {
        for k in 0..3 {
            self.point[k][i] = sample.point[k];
            self.axis[k][i] = sample.axis[k];
        }
        (self.round[i], self.axial[i]) = (sample.round, sample.axial);
    }
}

impl MetricFrame {
    /// A frame of the given samples.
    pub fn from_samples(samples: impl IntoIterator<Item = Sample>) -> Self {
        let mut frame = MetricFrame::default();
        frame.fill(samples);
        frame
    }

    /// The samples in order.
    pub fn samples(&self) -> impl Iterator<Item = Sample> + '_ {
        (0..self.len).map(|j| self.blocks[j / BLOCK].sample(j % BLOCK))
    }

    /// Number of samples.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is no sample.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Σ_j trace B_j.
    pub fn trace(&self) -> f64 {
        self.trace
    }

    /// The body's centre, metres: the mean of the sample points weighted by trace B_j. For an inertia metric, the centre of mass.
    pub fn center(&self) -> Vector3<f64> {
        self.center
    }

    /// The blocks, each with the number of samples that loops over it take.
    pub(crate) fn blocks(&self) -> impl Iterator<Item = (&Block, usize)> {
        self.blocks.iter().zip((0..).map(|b| lanes::lanes(self.len, b)))
    }

    /// Replaces all samples.
    pub(crate) fn fill(&mut self, samples: impl IntoIterator<Item = Sample>) {
        self.blocks.clear();
        self.len = 0;
        for sample in samples {
            if self.len.is_multiple_of(BLOCK) {
                self.blocks.push(Block::default());
            }
            if let Some(block) = self.blocks.last_mut() {
                block.set(self.len % BLOCK, &sample);
            }
            self.len += 1;
        }
        let mut totals = Totals::default();
        self.blocks().for_each(|(block, lanes)| totals.add(block, lanes));
        self.finish(&totals);
    }

    /// Becomes `a + factor · b`, two metrics on the same points and axes; on others (a rig's mass
    /// is not where its drag is) they stand side by side.
    pub(crate) fn set_sum(&mut self, a: &MetricFrame, b: &MetricFrame, factor: f64) {
        if a.len != b.len {
            let scaled = |sample: Sample| Sample { round: factor * sample.round, axial: factor * sample.axial, ..sample };
            self.fill(a.samples().chain(b.samples().map(scaled)));
            return;
        }
        self.blocks.clone_from(&a.blocks);
        self.len = a.len;
        let mut totals = Totals::default();
        for (index, (to, b)) in self.blocks.iter_mut().zip(&b.blocks).enumerate() {
            for i in 0..BLOCK {
                to.round[i] += factor * b.round[i];
                to.axial[i] += factor * b.axial[i];
            }
            totals.add(to, lanes::lanes(a.len, index));
        }
        self.finish(&totals);
    }

    /// Blocks for `len` samples, to be written anew and then told to [`MetricFrame::finish`]. A lane beyond the last sample must have no
    /// metric.
    #[inline(always)]
    pub(crate) fn restart(&mut self, len: usize) -> &mut [Block] {
        self.blocks.resize_with(len.div_ceil(BLOCK), Block::default);
        self.len = len;
        &mut self.blocks
    }

    /// Ends what [`MetricFrame::restart`] began.
    pub(crate) fn finish(&mut self, totals: &Totals) {
        self.trace = totals.trace.iter().sum();
        self.center = Vector3::from(totals.moment.map(|lanes| lanes.iter().sum::<f64>())) / self.trace;
    }
}

/// Σ trace B and Σ (trace B) p, lanes side by side in a fixed order: the same on every processor.
#[derive(Default)]
pub(crate) struct Totals {
    trace: [f64; STRIDE],
    moment: [[f64; STRIDE]; 3],
}

impl Totals {
    #[inline(always)]
    pub fn add(&mut self, block: &Block, lanes: usize) {
        for start in (0..lanes).step_by(STRIDE) {
            for lane in 0..STRIDE {
                let i = start + lane;
                let trace = 3.0 * block.round[i] + block.axial[i];
                self.trace[lane] += trace;
                for k in 0..3 {
                    self.moment[k][lane] += trace * block.point[k][i];
                }
            }
        }
    }
}
