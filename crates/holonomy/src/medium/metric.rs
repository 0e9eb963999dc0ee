//! The metric of Gross 2023 (Eq. 1): what it costs each part of a body to move.
//!
//! Per sample point j, `B_j = α_j I + β_j P_j` with P the projector onto the directions in which the medium resists most:
//! across a curve (P = I − t tᵀ) or along a surface's normal (P = n nᵀ). With the anisotropy ε and a weight w_j,
//! (α, β) = w_j (ε, 1 − ε): ε = 1 is isotropic (inertia), small ε is a body that slips along itself with ease.
//! All cases read `B_j = round_j I + axial_j u_j u_jᵀ` with a unit axis u_j, and are stored so.

use nalgebra::Vector3;

use crate::Error;
use crate::shape::{Bone, Clip, MassRule, Topology, curve, mass, surface};

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
    /// w_j: how the weight is spread.
    pub weights: MassRule,
    /// m_j: what each vertex costs in every direction, in all frames alike. Empty for nothing; rigs have it in their bones.
    pub masses: Vec<f64>,
}

/// The metric of one frame: sample points and `B_j = round_j I + axial_j u_j u_jᵀ` at each, in the shape's own frame.
///
/// A curve or surface is sampled at its vertices; a rig at two points per bone, which have the bone's mass, centre and inertia.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MetricFrame {
    /// p_j, metres.
    pub points: Vec<Vector3<f64>>,
    /// u_j, unit, or zero where there is none.
    pub axes: Vec<Vector3<f64>>,
    /// Isotropic part, kg (inertia) or N s/m (dissipation).
    pub round: Vec<f64>,
    /// Part along the axis; negative for curves.
    pub axial: Vec<f64>,
}

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
    /// A coefficient, a given weight or a mass is negative or not finite.
    pub fn validate(&self) -> Result<(), Error> {
        let expected = "a finite number, zero or more";
        let given: &[f64] = if let MassRule::Given(given) = &self.weights { given } else { &[] };
        let bad = |value: &&f64| !(value.is_finite() && **value >= 0.0);
        if let Some(&value) = given.iter().chain(&self.masses).find(bad) {
            return Err(Error::Parameter { name: "vertex mass", value, expected });
        }
        match [self.along, self.across].iter().find(bad) {
            Some(&value) => Err(Error::Parameter { name: "drag along or across the body", value, expected }),
            None => Ok(()),
        }
    }

    /// Evaluates the metric on frame `k` of `clip` into `out`, whose memory is re-used.
    ///
    /// # Errors
    /// The mass rule does not fit the topology, or the whole shape has no mass in this frame.
    pub fn evaluate(&self, clip: &Clip, k: usize, out: &mut MetricFrame) -> Result<(), Error> {
        let given = match &self.weights {
            MassRule::Given(given) if !matches!(clip.topology(), Topology::Rig(_)) => Some(mass::given_in_frame(given, clip, k)?),
            _ => None,
        };
        self.evaluate_shape(clip.topology(), clip.frame(k), given, out).map_err(|error| error.in_frame(k))
    }

    /// Evaluates the metric on one shape. `given` is the weight of each vertex in this shape, for weights that are [`MassRule::Given`];
    /// without it the rule's own are taken.
    ///
    /// # Errors
    /// As [`Metric::evaluate`]; a degenerate shape is reported as frame 0.
    pub fn evaluate_shape(
        &self,
        topology: &Topology,
        points: &[Vector3<f64>],
        given: Option<&[f64]>,
        out: &mut MetricFrame,
    ) -> Result<(), Error> {
        match topology {
            Topology::Rig(rig) => self.sample_bones(&rig.bones, points, out),
            _ => self.sample_vertices(topology, points, given, out)?,
        }
        match out.trace() > 0.0 {
            true => Ok(()),
            false => Err(Error::Degenerate {
                frame: 0,
                reason: "the whole shape has no length, area or mass; check its units, faces and masses",
            }),
        }
    }

    fn sample_bones(&self, bones: &[Bone], points: &[Vector3<f64>], out: &mut MetricFrame) {
        out.resize(2 * bones.len());
        for (bone, j) in bones.iter().zip((0..).step_by(2)) {
            self.sample_bone(bone, points[bone.from], points[bone.to], j, out);
        }
    }

    fn sample_vertices(
        &self,
        topology: &Topology,
        points: &[Vector3<f64>],
        given: Option<&[f64]>,
        out: &mut MetricFrame,
    ) -> Result<(), Error> {
        out.resize(points.len());
        out.points.copy_from_slice(points);
        match topology {
            Topology::Curve { closed } => curve::tangents_and_lengths(points, *closed, &mut out.axes, &mut out.round),
            Topology::Surface { faces } => surface::normals_and_areas(points, faces, &mut out.axes, &mut out.round),
            Topology::Points | Topology::Rig(_) => {
                out.axes.fill(Vector3::zeros());
                out.round.fill(1.0);
            }
        }
        match (&self.weights, given, topology) {
            (MassRule::Natural, ..) | (MassRule::Length, _, Topology::Curve { .. }) | (MassRule::Area, _, Topology::Surface { .. }) => {}
            (MassRule::Unit, ..) => out.round.fill(1.0),
            (MassRule::Given(own), ..) if given.unwrap_or(own).len() == points.len() => out.round.copy_from_slice(given.unwrap_or(own)),
            (rule, ..) => out.round.copy_from_slice(&mass::lumped_masses(rule, topology, points)?),
        }
        let projector = projector(topology);
        for j in 0..out.points.len() {
            let axis = if matches!(topology, Topology::Points) { None } else { Some(out.axes[j]) };
            (out.round[j], out.axial[j]) = self.blocks(out.round[j], axis, projector);
        }
        match self.masses.len() {
            0 => {}
            n if n == points.len() => out.round.iter_mut().zip(&self.masses).for_each(|(round, mass)| *round += mass),
            found => return Err(Error::Length { what: "vertex masses", expected: points.len(), found }),
        }
        Ok(())
    }

    /// Two points, each with half the mass, one radius of gyration to either side of the centre of mass.
    fn sample_bone(&self, bone: &Bone, from: Vector3<f64>, to: Vector3<f64>, j: usize, out: &mut MetricFrame) {
        let along = to - from;
        let axis = along.try_normalize(0.0).unwrap_or_else(Vector3::zeros);
        for (j, side) in [(j, -1.0), (j + 1, 1.0)] {
            out.points[j] = from + along * (bone.center + side * bone.gyration);
            out.axes[j] = axis;
            (out.round[j], out.axial[j]) = self.blocks(0.5 * bone.mass, Some(axis), Projector::AcrossLine);
        }
    }

    /// (round, axial) of a sample of mass m. Where the axis is not defined (hairpin, lone vertex), P is replaced by
    /// its mean over all directions, 2/3 I or 1/3 I, which keeps the metric invariant under rotations.
    fn blocks(&self, m: f64, axis: Option<Vector3<f64>>, projector: Projector) -> (f64, f64) {
        let (alpha, beta) = (m * self.along, m * (self.across - self.along));
        match (axis, projector) {
            (None, _) => (alpha + beta, 0.0),
            (Some(u), Projector::AcrossLine) if u == Vector3::zeros() => (alpha + beta * 2.0 / 3.0, 0.0),
            (Some(u), Projector::AlongNormal) if u == Vector3::zeros() => (alpha + beta / 3.0, 0.0),
            (Some(_), Projector::AcrossLine) => (alpha + beta, -beta),
            (Some(_), Projector::AlongNormal) => (alpha, beta),
        }
    }
}

/// Which motion the projector P keeps.
#[derive(Clone, Copy)]
enum Projector {
    /// Across a line: P = I − u uᵀ.
    AcrossLine,
    /// Along a surface's normal: P = u uᵀ.
    AlongNormal,
}

fn projector(topology: &Topology) -> Projector {
    match topology {
        Topology::Surface { .. } => Projector::AlongNormal,
        _ => Projector::AcrossLine,
    }
}

impl MetricFrame {
    fn resize(&mut self, n: usize) {
        self.points.resize(n, Vector3::zeros());
        self.axes.resize(n, Vector3::zeros());
        self.round.resize(n, 0.0);
        self.axial.resize(n, 0.0);
    }

    /// Σ_j trace B_j.
    pub fn trace(&self) -> f64 {
        self.round.iter().zip(&self.axial).map(|(r, a)| 3.0 * r + a).sum()
    }

    /// The body's centre, metres: the mean of the sample points weighted by trace B_j. For an inertia metric, the centre of mass.
    pub fn center(&self) -> Vector3<f64> {
        let weighted = |j: usize| self.points[j] * (3.0 * self.round[j] + self.axial[j]);
        (0..self.points.len()).map(weighted).sum::<Vector3<f64>>() / self.trace()
    }
}
