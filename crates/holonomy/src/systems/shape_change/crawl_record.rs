//! From steps over land to a [`Motion`], and what must hold of it: measured on the points of the result, by another path than the one that found them.

use nalgebra::Vector3;

use super::crawl::{Crawl, CrawlReport, CrawlState, Placed};
use crate::Error;
use crate::lie::Pose;
use crate::medium::{Laid, MetricFrame, Sample, Stance};
use crate::motion::{Check, ITERATIONS, MomentumKind, Motion, Outcome, Quantity, RESIDUAL, Scenery, Track};
use crate::shape::{Clip, Playback, curve};

const DISSIPATION: Quantity = Quantity::new("dissipation", "W").among("dissipation", "moving");
const DISSIPATION_IN_PLACE: Quantity = Quantity::new("dissipation_in_place", "W").among("dissipation", "in place");
const WEIGHT_POWER: Quantity = Quantity::new("weight_power", "W");
const ALTITUDE: Quantity = Quantity::new("altitude", "m");
const STRETCH: Quantity = Quantity::new("stretch", "");

/// Of this many steps one has its balance measured, which costs some four times what a step does.
const ONE_IN: usize = 64;

/// Placements are varied by this share of the body's length to measure what a step would have cost beside its way.
const NUDGE: f64 = 1e-6;

/// Drag out of balance, as a share of the largest: differences of [`NUDGE`] see it to 1e-9; the third derivative of the land jumps from cell to cell.
const BALANCED: f64 = 1e-5;

/// A body that moves by less than this share of its length per step is measured as if it did: below is round-off.
const AT_REST: f64 = 1e-5;

/// Land is shown this far around the way, in body lengths, with so many points along each side.
const AROUND: f64 = 1.5;
const LAND: usize = 160;

/// What is written down while stepping; shapes and poses have one entry more than reports.
pub(super) struct CrawlRecord {
    placed: Vec<Placed>,
    centers: Vec<Vector3<f64>>,
    poses: Vec<Pose>,
    reports: Vec<CrawlReport>,
}

impl CrawlRecord {
    pub(super) fn new(crawl: &Crawl, first: &CrawlState) -> CrawlRecord {
        let mut record = CrawlRecord { placed: Vec::new(), centers: Vec::new(), poses: Vec::new(), reports: Vec::new() };
        record.add(crawl, first);
        record
    }

    pub(super) fn push(&mut self, crawl: &Crawl, state: &CrawlState, report: CrawlReport) {
        self.add(crawl, state);
        self.reports.push(report);
    }

    fn add(&mut self, crawl: &Crawl, state: &CrawlState) {
        self.poses.push(crawl.pose(&state.placed, state.held));
        self.centers.push(state.center());
        self.placed.push(state.placed.slim());
    }

    /// The motion; its shapes are those that lie on the land, seen from upright poses.
    pub(super) fn finish(self, crawl: &Crawl, state: &CrawlState, clip: &Clip, outcome: Outcome) -> Result<Motion, Error> {
        let shown = |(placed, pose): (&Placed, &Pose)| {
            let back = pose.inverse();
            placed.laid.points.iter().map(|point| back.act(point)).collect::<Vec<_>>()
        };
        let points: Vec<Vector3<f64>> = self.placed.iter().zip(&self.poses).flat_map(shown).collect();
        let shape = Clip::new(clip.topology().clone(), Playback::Once, clip.dt(), clip.vertices(), points)?;
        let momenta = self.reports.iter().map(|report| report.drag).collect();
        let mut track = Track::new("body", shape, self.poses.clone(), self.centers.clone(), momenta);
        let per_step = |quantity: Quantity, of: fn(&CrawlReport) -> f64| quantity.per_step(self.reports.iter().map(of).collect());
        track.series.push(ALTITUDE.per_frame(self.centers.iter().map(|center| center.y).collect()));
        track.series.push(per_step(DISSIPATION, |report| report.dissipation));
        track.series.push(per_step(DISSIPATION_IN_PLACE, |report| report.in_place));
        if crawl.gravity > 0.0 {
            track.series.push(per_step(WEIGHT_POWER, |report| report.weight_power));
        }
        track.series.push(per_step(RESIDUAL, |report| report.residual));
        track.series.push(per_step(ITERATIONS, |report| report.iterations as f64));
        let measured = Measured { crawl, state, clip, track: &track, placed: &self.placed };
        track.figures.push(STRETCH.figure(measured.stretch()));
        let measured = Measured { crawl, state, clip, track: &track, placed: &self.placed };
        let (checks, warnings) = (measured.checks(&self.reports), measured.warnings());
        let scenery = vec![measured.scenery()];
        Ok(Motion {
            momentum_kind: MomentumKind::Drag,
            outcome,
            checks,
            steps: self.reports.len(),
            newton_iterations: self.reports.iter().map(|report| report.iterations).sum(),
            warnings,
            scenery,
            ..Motion::new(clip.dt(), vec![track])
        })
    }
}

/// A finished track and what it was made from.
struct Measured<'a> {
    crawl: &'a Crawl,
    state: &'a CrawlState,
    clip: &'a Clip,
    track: &'a Track,
    placed: &'a [Placed],
}

impl Measured<'_> {
    fn checks(&self, reports: &[CrawlReport]) -> Vec<Check> {
        let largest = |of: fn(&CrawlReport) -> f64| reports.iter().map(of).fold(0.0, f64::max);
        let (distance, strain) = self.feet_faults();
        let bend = self.placed.iter().map(|placed| placed.laid.bend).fold(0.0, f64::max);
        let mut checks = vec![
            Check { name: "drag along the ground out of balance, relative", value: self.imbalance(), tolerance: BALANCED },
            Check { name: "distance of the body from the ground, body lengths", value: distance, tolerance: 1e-9 },
            Check { name: "stretch of the body along the ground, relative", value: strain, tolerance: 1e-9 },
            // Sharper land is not seen by the vertices.
            Check { name: "largest bend of the ground along an edge, rad", value: bend, tolerance: 0.5 },
            Check { name: "largest turn in one step, rad", value: largest(|report| report.turn.abs()), tolerance: 0.5 },
        ];
        if self.crawl.gravity == 0.0 {
            let saving = |report: &CrawlReport| if report.in_place > 0.0 { report.dissipation / report.in_place } else { 0.0 };
            checks.push(Check { name: "cost of the motion over cost in place", value: largest(saving), tolerance: 1.0 + 1e-9 });
        }
        checks
    }

    fn warnings(&self) -> Vec<String> {
        let [low, high] = self.crawl.land.corners();
        let outside = |p: &Vector3<f64>| p.x < low[0] || p.x > high[0] || p.z < low[1] || p.z > high[1];
        let first = (0..self.track.poses.len()).find(|&k| self.points(k).iter().any(outside));
        let note =
            |k: usize| format!("the body leaves the land at frame {k}; beyond its border the ground goes on level: make the land larger");
        first.map(note).into_iter().collect()
    }

    /// World points of frame `k`, from the track alone.
    fn points(&self, k: usize) -> Vec<Vector3<f64>> {
        self.track.shape.frame(k).iter().map(|point| self.track.poses[k].act(point)).collect()
    }

    fn land_shown(&self) -> ([f64; 2], [f64; 2]) {
        let margin = AROUND * self.clip.body_length();
        let (mut low, mut high) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
        for center in &self.track.centers {
            for (axis, at) in [center.x, center.z].into_iter().enumerate() {
                (low[axis], high[axis]) = (low[axis].min(at - margin), high[axis].max(at + margin));
            }
        }
        (low, high)
    }

    fn scenery(&self) -> Scenery {
        let (low, high) = self.land_shown();
        Scenery::height_field("land", [low, high], [LAND, LAND], |x, z| self.crawl.land.relief(x, z).height)
    }

    /// Largest relative change of an edge's length, from the shape that was given to the one on the land.
    fn stretch(&self) -> f64 {
        let lengths = |points: &[Vector3<f64>]| curve::edge_lengths(points, false);
        let one = |k: usize| {
            let pairs = lengths(self.clip.frame(k)).into_iter().zip(lengths(self.track.shape.frame(k)));
            pairs.filter(|(given, _)| *given > 0.0).map(|(given, found)| (found / given - 1.0).abs()).fold(0.0, f64::max)
        };
        (0..self.track.poses.len()).map(one).fold(0.0, f64::max)
    }

    /// How far the feet of the vertices are from the land, in body lengths, and by how much the level lengths between them changed. They show a curve laid
    /// out wrongly, and poses and shapes that do not belong together.
    fn feet_faults(&self) -> (f64, f64) {
        let length = self.clip.body_length();
        let (mut distance, mut strain) = (0.0_f64, 0.0_f64);
        for (k, placed) in self.placed.iter().enumerate() {
            let points = self.points(k);
            let feet: Vec<Vector3<f64>> = points.iter().zip(&placed.curve).map(|(point, given)| self.foot(point, given.y)).collect();
            let gap = |foot: &Vector3<f64>| (foot.y - self.crawl.land.relief(foot.x, foot.z).height).abs();
            distance = feet.iter().map(gap).fold(distance, |worst, gap| worst.max(gap / length));
            let level: Vec<Vector3<f64>> = placed.curve.iter().map(|p| Vector3::new(p.x, 0.0, p.z)).collect();
            let pairs = curve::edge_lengths(&level, false).into_iter().zip(curve::edge_lengths(&feet, false));
            strain = pairs.fold(strain, |worst, (given, found)| worst.max((found - given).abs() / length));
        }
        (distance, strain)
    }

    /// The point of which `point` is `height` above, along the normal.
    fn foot(&self, point: &Vector3<f64>, height: f64) -> Vector3<f64> {
        let mut foot = *point;
        for _ in 0..60 {
            let next = point - self.crawl.land.relief(foot.x, foot.z).normal() * height;
            if next == foot {
                break;
            }
            foot = next;
        }
        foot
    }

    /// Largest drag along the ground that the weight does not account for, as a share of the largest there is: by differences of what steps beside the one
    /// taken would have cost. It shows a wrong derivative, and steps that were solved for another shape or weight.
    fn imbalance(&self) -> f64 {
        let (mut worst, mut scale) = (0.0_f64, 0.0_f64);
        for t in (1..self.placed.len()).rev().step_by(ONE_IN) {
            let Some((miss, about)) = self.of_step(t) else { return f64::NAN };
            (worst, scale) = (worst.max(miss), scale.max(about));
        }
        if worst > 0.0 { worst / scale } else { worst }
    }

    fn of_step(&self, t: usize) -> Option<(f64, f64)> {
        let (length, dt) = (self.clip.body_length(), self.clip.dt());
        let (from, to) = (self.samples(t - 1, &self.points(t - 1))?, self.samples(t, &self.points(t))?);
        let energy = |a: &[Sample], b: &[Sample]| a.iter().zip(b).map(|(a, b)| energy(a, b)).sum::<f64>();
        let at_new = self.difference(t, |nudged, high| energy(&from, nudged) + 2.0 * dt * high)?;
        let at_old = self.difference(t - 1, |nudged, high| -energy(nudged, &to) + 2.0 * dt * high)?;
        let seen = self.placed[t].stance?.seen_from(&self.placed[t - 1].stance?);
        let miss = (at_new + seen * at_old) * 0.5;
        let trace: f64 = from.iter().map(|sample| 3.0 * sample.round + sample.axial).sum();
        let moved = (trace * energy(&from, &to)).sqrt().max(AT_REST * trace * length);
        let weight = 2.0 * dt * self.crawl.gravity * self.state.masses.iter().sum::<f64>();
        Some(((miss.x / length).abs().max(miss.y.abs()).max(miss.z.abs()), moved + weight))
    }

    /// Central differences, by turn and shifts of frame `t`, of a function of its metric there and of its energy of height.
    fn difference(&self, t: usize, of: impl Fn(&[Sample], f64) -> f64) -> Option<Vector3<f64>> {
        let placed = &self.placed[t];
        let (stance, length) = (placed.stance?, self.clip.body_length());
        let mut slope = Vector3::zeros();
        for k in 0..3 {
            let mut nudge = Vector3::zeros();
            nudge[k] = if k == 0 { NUDGE } else { NUDGE * length };
            let value = |step: Vector3<f64>| {
                let points = self.laid(placed, &stance.moved(&self.crawl.land, &step))?;
                let high = points.iter().zip(&self.state.masses).map(|(point, mass)| mass * self.crawl.gravity * point.y).sum();
                Some(of(&self.samples(t, &points)?, high))
            };
            slope[k] = (value(nudge)? - value(-nudge)?) / (2.0 * nudge[k]);
        }
        Some(slope)
    }

    fn laid(&self, placed: &Placed, stance: &Stance) -> Option<Vec<Vector3<f64>>> {
        Laid::new(&self.crawl.land, &placed.curve, self.state.held, stance).map(|laid| laid.points)
    }

    /// The metric of frame `t` at these points.
    fn samples(&self, t: usize, points: &[Vector3<f64>]) -> Option<Vec<Sample>> {
        let mut frame = MetricFrame::default();
        self.state.metric.evaluate(self.clip, t, &mut frame).ok()?;
        let (mut axes, mut lengths) = (vec![Vector3::zeros(); points.len()], vec![0.0; points.len()]);
        curve::tangents_and_lengths(points, false, &mut axes, &mut lengths);
        Some(frame.samples().zip(points.iter().zip(axes)).map(|(sample, (&point, axis))| Sample { point, axis, ..sample }).collect())
    }
}

/// What moving one sample costs (Gross 2023, Eq. 4).
fn energy(a: &Sample, b: &Sample) -> f64 {
    let d = b.point - a.point;
    0.5 * d.dot(&(a.times(&d) + b.times(&d)))
}
