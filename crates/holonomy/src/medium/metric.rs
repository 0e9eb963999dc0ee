//! The metric of Gross 2023 (Eq. 1): what it costs each part of a body to move.
//!
//! Per sample point j, `B_j = α_j I + β_j P_j` with P the projector onto the directions in which the medium resists most:
//! across a curve (P = I − t tᵀ) or along a surface's normal (P = n nᵀ). With the anisotropy ε and a weight w_j,
//! (α, β) = w_j (ε, 1 − ε): ε = 1 is isotropic (inertia), small ε is a body that slips along itself with ease.
//! All cases read `B_j = round_j I + axial_j u_j u_jᵀ` with a unit axis u_j, and are stored so.

use nalgebra::Vector3;
use pulp::{Arch, Simd, WithSimd};

use super::bones;
use super::frame::{Block, MetricFrame, Sample, Totals};
use crate::Error;
use crate::shape::curve::Walk;
use crate::shape::lanes::{self, BLOCK};
use crate::shape::surface::FaceSums;
use crate::shape::{Bone, Clip, MassRule, Shape, Topology, mass, surface};

/// Which metric to put on a shape: `B_j = (m_j + along · w_j) I + (across − along) · w_j P_j`.
///
/// | law | along, across | w | m |
/// |---|---|---|---|
/// | drag | ε, 1, or any two coefficients | length or area of the frame | none |
/// | inertia | 1, 1 | constant masses | none |
/// | ideal fluid | 0, fluid mass per length or area | length or area of the frame | constant masses |
#[derive(Debug, Clone, PartialEq)]
pub struct Metric {
    /// Cost of moving along the body, per unit of weight.
    pub along: f64,
    /// Cost of moving across it, per unit of weight.
    pub across: f64,
    /// w_j: how the weight is spread. On a rig: by the bones' masses if [`MassRule::Natural`], by
    /// their lengths, one for each bone, or given bone by bone; all but the first evenly along the
    /// bone.
    pub weights: MassRule,
    /// m_j: what each vertex costs in every direction, in all frames alike. Empty for nothing; rigs have it in their bones.
    pub masses: Vec<f64>,
}

/// Weights and coefficients from here on are refused: their products with squared lengths could leave the range of f64.
const LARGEST: f64 = 1e100;

impl Metric {
    /// Gross 2023, Eq. 1: (α, β) = w (ε, 1 − ε).
    pub fn anisotropic(anisotropy: f64, weights: MassRule) -> Metric {
        Metric { along: anisotropy, across: 1.0, weights, masses: Vec::new() }
    }

    /// The same in all directions: inertia.
    pub fn isotropic(weights: MassRule) -> Metric {
        Metric::anisotropic(1.0, weights)
    }

    /// Checks the parameters before a run.
    ///
    /// # Errors
    /// A coefficient, a given weight or a mass is negative, not finite or beyond 1e100.
    pub fn validate(&self) -> Result<(), Error> {
        let expected = "zero or more, and below 1e100 so that sums stay finite";
        let given: &[f64] = if let MassRule::Given(given) = &self.weights { given } else { &[] };
        let check = |name, value| Error::unless((0.0..LARGEST).contains(&value), name, value, expected);
        given.iter().chain(&self.masses).try_for_each(|&mass| check("vertex mass", mass))?;
        [self.along, self.across].into_iter().try_for_each(|drag| check("drag along or across the body", drag))
    }

    /// Evaluates the metric on frame `k` of `clip` into `out`, whose memory is re-used.
    ///
    /// # Errors
    /// The mass rule does not fit the topology, or the whole shape has no mass in this frame.
    pub fn evaluate(&self, clip: &Clip, k: usize, out: &mut MetricFrame) -> Result<(), Error> {
        self.evaluate_shape(&clip.shape(k, &self.weights)?, out).map_err(|error| error.in_frame(k))
    }

    /// Evaluates the metric on one shape into `out`, whose memory is re-used.
    ///
    /// # Errors
    /// As [`Metric::evaluate`]; a degenerate shape is reported as frame 0.
    pub fn evaluate_shape(&self, shape: &Shape, out: &mut MetricFrame) -> Result<(), Error> {
        match &**shape.topology {
            Topology::Rig(rig) => self.sample_bones(&rig.bones, shape, out)?,
            _ => self.sample_vertices(shape, out)?,
        }
        match out.trace() > 0.0 {
            true => Ok(()),
            false => Err(Error::Degenerate {
                frame: 0,
                reason: "the whole shape has no length, area or mass; check its units, faces and masses",
            }),
        }
    }

    fn sample_bones(&self, bones: &[Bone], shape: &Shape, out: &mut MetricFrame) -> Result<(), Error> {
        let cost = self.cost(Projector::AcrossLine);
        let sample = |(point, axis, weight): (Vector3<f64>, Vector3<f64>, f64)| {
            let (round, axial) = cost.blocks(weight, axis.norm_squared());
            Sample { point, axis, round, axial }
        };
        match &self.weights {
            MassRule::Natural => out.fill(bones::samples(bones, shape).map(sample)),
            MassRule::Length => out.fill(bones::line_samples(bones, shape, |_, length| length).map(sample)),
            MassRule::Unit => out.fill(bones::line_samples(bones, shape, |_, _| 1.0).map(sample)),
            MassRule::Given(own) if own.len() == bones.len() => {
                out.fill(bones::line_samples(bones, shape, |bone, _| own[bone]).map(sample));
            }
            MassRule::Given(own) => {
                return Err(Error::Length { what: "weights of bones", expected: bones.len(), found: own.len() });
            }
            MassRule::Area | MassRule::Volume => {
                let reason = "weights by area or volume need a surface, and a rig has none; use length, unit or one weight for each bone";
                return Err(Error::Degenerate { frame: 0, reason });
            }
        }
        Ok(())
    }

    fn sample_vertices(&self, shape: &Shape, out: &mut MetricFrame) -> Result<(), Error> {
        let (topology, points) = (&**shape.topology, shape.points);
        let lumped;
        let weights = match (&self.weights, topology) {
            (MassRule::Natural, _) | (MassRule::Length, Topology::Curve { .. }) | (MassRule::Area, Topology::Surface { .. }) => {
                Weights::OfShape
            }
            (MassRule::Unit, _) => Weights::Unit { len: points.len() },
            (MassRule::Given(own), _) => Weights::Listed(shape.weights.unwrap_or(own)),
            (rule, topology) => {
                lumped = mass::lumped_masses(rule, topology, points)?;
                Weights::Listed(&lumped)
            }
        };
        let listed = if let Weights::Listed(listed) = weights { listed.len() } else { points.len() };
        let masses = if self.masses.is_empty() { points.len() } else { self.masses.len() };
        if let Some(&found) = [listed, masses].iter().find(|&&found| found != points.len()) {
            return Err(Error::Length { what: "vertex masses", expected: points.len(), found });
        }
        let mut walk;
        let mut sums = std::mem::take(&mut out.face_sums); // the frame's memory: no allocation after the first time
        let (kernel, projector) = match topology {
            Topology::Curve { closed } => {
                walk = Walk::new(points, *closed);
                (Kernel::Curve(&mut walk), Projector::AcrossLine)
            }
            Topology::Surface { faces } => (Kernel::Surface { points, faces, sums: &mut sums }, Projector::AlongNormal),
            Topology::Points | Topology::Rig(_) => (Kernel::Points(points), Projector::All),
        };
        let len = points.len();
        Arch::new().dispatch(Write { metric: self, cost: self.cost(projector), kernel, weights, len, out: &mut *out });
        out.face_sums = sums;
        Ok(())
    }

    /// From the weights of a block, which stand in `round` or are given, to its metric.
    #[inline(always)]
    fn weigh(&self, cost: Cost, weights: Weights, b: usize, lanes: usize, block: &mut Block) {
        let here = |all: &[f64]| b * BLOCK..all.len().min((b + 1) * BLOCK);
        match weights {
            Weights::OfShape => {}
            Weights::Unit { len } => block.round[..lanes::count(len, b)].fill(1.0),
            Weights::Listed(listed) => {
                let listed = &listed[here(listed)];
                block.round[..listed.len()].copy_from_slice(listed);
            }
        }
        let [x, y, z] = &block.axis;
        for i in 0..lanes {
            let squared = x[i] * x[i] + y[i] * y[i] + z[i] * z[i];
            (block.round[i], block.axial[i]) = cost.blocks(block.round[i], squared);
        }
        if !self.masses.is_empty() {
            block.round.iter_mut().zip(&self.masses[here(&self.masses)]).for_each(|(round, mass)| *round += mass);
        }
    }

    fn cost(&self, projector: Projector) -> Cost {
        let between = self.across - self.along;
        match projector {
            Projector::AcrossLine => Cost { round: self.across, axial: -between, without_axis: self.along + between * 2.0 / 3.0 },
            Projector::AlongNormal => Cost { round: self.along, axial: between, without_axis: self.along + between / 3.0 },
            Projector::All => Cost { round: self.across, axial: 0.0, without_axis: self.across },
        }
    }
}

/// Writes the metric of a frame, block by block.
struct Write<'a> {
    metric: &'a Metric,
    cost: Cost,
    kernel: Kernel<'a>,
    weights: Weights<'a>,
    len: usize,
    out: &'a mut MetricFrame,
}

/// Where the weights of the samples come from.
#[derive(Clone, Copy)]
enum Weights<'a> {
    /// Lengths or areas, as the kernel finds them.
    OfShape,
    /// One for each of `len` samples.
    Unit { len: usize },
    /// One by one.
    Listed(&'a [f64]),
}

/// How points, axes and weights are found.
enum Kernel<'a> {
    Curve(&'a mut Walk<'a>),
    Surface { points: &'a [Vector3<f64>], faces: &'a [[u32; 3]], sums: &'a mut Vec<FaceSums> },
    Points(&'a [Vector3<f64>]),
}

impl WithSimd for Write<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, _: S) {
        if let Kernel::Surface { points, faces, sums } = &mut self.kernel {
            surface::sum_faces(points, faces, sums);
        }
        let mut totals = Totals::default();
        for (b, block) in self.out.restart(self.len).iter_mut().enumerate() {
            match &mut self.kernel {
                Kernel::Curve(walk) => walk.block(b, block.directions()),
                Kernel::Surface { points, sums, .. } => surface::normals_of_block(points, sums, b, block.directions()),
                Kernel::Points(points) => {
                    *block = Block::default();
                    let count = lanes::count(self.len, b);
                    lanes::spread(&points[b * BLOCK..][..count], &mut block.point);
                    block.round[..count].fill(1.0);
                }
            }
            let lanes = lanes::lanes(self.len, b);
            self.metric.weigh(self.cost, self.weights, b, lanes, block);
            totals.add(block, lanes);
        }
        self.out.finish(&totals);
    }
}

/// (round, axial) of a sample of weight 1. Where the axis is not defined (hairpin, lone vertex), P is replaced by its mean over all
/// directions, 2/3 I or 1/3 I, which keeps the metric invariant under rotations.
#[derive(Clone, Copy)]
struct Cost {
    round: f64,
    axial: f64,
    without_axis: f64,
}

impl Cost {
    #[inline(always)]
    fn blocks(&self, weight: f64, squared_axis: f64) -> (f64, f64) {
        let round = if squared_axis > 0.0 { self.round } else { self.without_axis };
        let axial = if squared_axis > 0.0 { self.axial } else { 0.0 };
        (weight * round, weight * axial)
    }
}

/// Which motion the projector P keeps.
#[derive(Clone, Copy)]
enum Projector {
    /// Across a line: P = I − u uᵀ.
    AcrossLine,
    /// Along a surface's normal: P = u uᵀ.
    AlongNormal,
    /// In every direction: P = I.
    All,
}
