//! The cases: shapes in closed form, and the work that is timed.

use std::f64::consts::TAU;
use std::hint::black_box;
use std::ops::ControlFlow;

use holonomy::integrate::momentum_match::TimeEdge;
use holonomy::lie::{Momentum, Pose};
use holonomy::medium::{Metric, MetricFrame};
use holonomy::nalgebra::Vector3;
use holonomy::shape::{Clip, MassRule, Playback, Topology, curve, surface};
use holonomy::solve::newton::Settings;
use holonomy::systems::shape_change::{Law, ShapeChange};

use crate::timing::Rate;

#[derive(Clone, Copy, PartialEq)]
pub enum Kind {
    Curve,
    Surface,
}

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Kind::Curve => "curve",
            Kind::Surface => "surface",
        }
    }

    fn anisotropy(self) -> f64 {
        match self {
            Kind::Curve => 1.0 / 20.0,
            Kind::Surface => 1.0 / 4.0,
        }
    }
}

pub struct Case {
    pub kind: Kind,
    pub vertices: usize,
    steps: usize,
    metric: Metric,
    clip: Clip,
}

/// What a case came to.
pub struct Measured {
    pub rate: Rate,
    /// Where the last shape ends, metres.
    pub translation: Vector3<f64>,
    kind: Kind,
    vertices: usize,
    steps: usize,
    evaluations: usize,
    /// Largest component of the discrete momentum that was left, unscaled.
    residual: f64,
}

const SOLVER: Settings = Settings { tolerance: 1e-13, max_iterations: 60 };

impl Case {
    /// All cases, made one at a time.
    pub fn all() -> impl Iterator<Item = Case> {
        let sizes = [(36, 60, (6, 6)), (900, 60, (30, 30)), (7100, 20, (71, 100)), (100_000, 3, (250, 400))];
        [Kind::Curve, Kind::Surface].into_iter().flat_map(move |kind| sizes.map(|(n, steps, grid)| Case::new(kind, n, steps, grid)))
    }

    fn new(kind: Kind, vertices: usize, steps: usize, grid: (usize, usize)) -> Case {
        let times = (0..=steps).map(|k| k as f64 / 60.0);
        let (topology, positions) = match kind {
            Kind::Curve => (Topology::Curve { closed: false }, times.flat_map(|t| snake(vertices, t)).collect()),
            Kind::Surface => (Topology::Surface { faces: cells(grid) }, times.flat_map(|t| wing(grid, t)).collect()),
        };
        let clip = Clip::new(topology, Playback::Once, 1.0 / 60.0, vertices, positions).expect("the shapes are sound");
        Case { kind, vertices, steps, metric: Metric::anisotropic(kind.anisotropy(), MassRule::Natural), clip }
    }

    pub fn measure(&self) -> Measured {
        let (mut old, mut new) = (MetricFrame::default(), MetricFrame::default());
        let (mut pose, mut evaluations, mut residual) = (Pose::identity(), 0, 0.0_f64);
        self.integrate(&mut old, &mut new, |edge, step, iterations| {
            let left = edge.discrete_momenta(step);
            residual = left.angular.iter().chain(left.linear.iter()).fold(residual, |most, x| most.max(x.abs()));
            evaluations += iterations + 1;
            pose = pose * *step;
        });
        let rate = Rate::of(self.steps, || {
            let mut pose = Pose::identity();
            self.integrate(&mut old, &mut new, |_, step, _| pose = pose * *step);
            black_box(pose);
        });
        let (kind, vertices, steps) = (self.kind, self.vertices, self.steps);
        Measured { rate, translation: pose.translation, kind, vertices, steps, evaluations, residual }
    }

    /// The work: metric of each frame, motion from each to the next.
    fn integrate(&self, old: &mut MetricFrame, new: &mut MetricFrame, mut each: impl FnMut(&TimeEdge, &Pose, usize)) {
        self.metric.evaluate(&self.clip, 0, old).expect("the shape has length or area");
        for k in 1..=self.steps {
            self.metric.evaluate(&self.clip, k, new).expect("the shape has length or area");
            let edge = TimeEdge::new(old, new);
            let step = edge.step(&Momentum::zero(), SOLVER);
            each(&edge, &step.state, step.iterations);
            std::mem::swap(old, new);
        }
    }

    /// Nanoseconds per vertex and step of [`ShapeChange::run`], which also checks, warns and records.
    pub fn through_run(&self) -> f64 {
        let job = ShapeChange::new(Law::anisotropic(self.kind.anisotropy()));
        let rate = Rate::of(self.steps, || {
            black_box(job.run(&self.clip, &mut |_, _| ControlFlow::Continue(())).expect("the job is sound"));
        });
        1e9 / (rate.cpu * self.vertices as f64)
    }

    /// Nanoseconds per vertex and frame to read the frames and find their tangents and lengths, or normals and areas.
    pub fn bound(&self) -> f64 {
        let (mut axes, mut weights) = (vec![Vector3::zeros(); self.vertices], vec![0.0; self.vertices]);
        let frames = self.steps + 1;
        let rate = Rate::of(frames, || {
            for k in 0..frames {
                match self.clip.topology() {
                    Topology::Surface { faces } => surface::normals_and_areas(self.clip.frame(k), faces, &mut axes, &mut weights),
                    _ => curve::tangents_and_lengths(self.clip.frame(k), false, &mut axes, &mut weights),
                }
                black_box((&axes, &weights));
            }
        });
        1e9 / (rate.cpu * self.vertices as f64)
    }
}

impl Measured {
    pub fn json(&self) -> String {
        let [x, y, z]: [f64; 3] = self.translation.into();
        format!(
            "{{\"name\": \"shape_change/{}/holonomy\", \"size\": {}, \"metric\": \"steps_per_s\", {}, \"steps\": {}, \"evals_per_step\": {:.3}, \
             \"max_residual\": {:e}, \"not_converged\": 0, \"check_translation\": [{x:e}, {y:e}, {z:e}], \"threads\": 1}}",
            self.kind.name(),
            self.vertices,
            self.rate.json(),
            self.steps,
            self.evaluations as f64 / self.steps as f64,
            self.residual,
        )
    }
}

fn snake(n: usize, t: f64) -> Vec<Vector3<f64>> {
    let edges = (n - 1) as f64;
    let heading = |j: usize| 1.1 * (TAU * (1.5 * (j as f64 + 0.5) / edges - t)).sin();
    let mut sum = Vector3::zeros();
    let rest = (0..n - 1).map(|j| {
        sum += Vector3::new(heading(j).cos(), heading(j).sin(), 0.0);
        sum / edges
    });
    std::iter::once(Vector3::zeros()).chain(rest).collect()
}

fn wing((rows, columns): (usize, usize), t: f64) -> Vec<Vector3<f64>> {
    let at = |i: usize, count: usize| i as f64 / (count - 1) as f64;
    let point = move |i: usize, j: usize| {
        let (x, y) = (2.0 * at(i, rows) - 1.0, at(j, columns) - 0.5);
        Vector3::new(x, y, 0.25 * x.abs() * (TAU * (y - t)).sin() + 0.1 * x * x)
    };
    (0..rows).flat_map(|i| (0..columns).map(move |j| point(i, j))).collect()
}

/// Two triangles per cell: first the one of every cell, then the other.
fn cells((rows, columns): (usize, usize)) -> Vec<[u32; 3]> {
    let corner = |i: usize, j: usize| (i * columns + j) as u32;
    let all = || (0..rows - 1).flat_map(move |i| (0..columns - 1).map(move |j| (i, j)));
    let first = all().map(|(i, j)| [corner(i, j), corner(i + 1, j), corner(i + 1, j + 1)]);
    let second = all().map(|(i, j)| [corner(i, j), corner(i + 1, j + 1), corner(i, j + 1)]);
    first.chain(second).collect()
}
