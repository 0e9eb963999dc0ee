//! A plan as a motion: what is to be seen of it, and what was checked.

use std::ops::ControlFlow;

use nalgebra::{SVector, UnitQuaternion, Vector3};

use super::{Duration, Plan, Planned, Verdict};
use crate::Error;
use crate::integrate::controlled::Controlled;
use crate::integrate::driven::{self, Figure, Moment};
use crate::lie::Pose;
use crate::medium::obstacle::Obstacle;
use crate::motion::{Check, Motion, Outcome, Quantity, Scenery, SceneryKind};
use crate::shape::bounds;

/// Distance between hull and nearest obstacle.
const CLEARANCE: Quantity = Quantity::new("clearance", "m");

/// How far the replayed plan may end from the planned end, in metres and radians: steps are solved to round-off, and vehicles may be unstable.
const REPLAYED: f64 = 1e-6;

/// How much larger the box that marks the goal is than the vehicle.
const GOAL: f64 = 1.12;

/// Land that is drawn reaches so far beyond the way, in parts of its length.
const AROUND: f64 = 0.35;

impl<V: Controlled<N, M>, const N: usize, const M: usize> Plan<V, N, M> {
    /// Makes the plan and shows it: `per_interval` frames in each interval, `figure` as the vehicle's looks. `progress` is as for [`Plan::solve`].
    ///
    /// # Errors
    /// As [`Plan::solve`], or what the figure refuses.
    pub fn run(
        &self,
        figure: &dyn Figure,
        per_interval: usize,
        progress: &mut dyn FnMut(usize, usize) -> ControlFlow<()>,
    ) -> Result<Motion, Error> {
        let planned = self.solve(progress)?;
        let (states, controls, dt) = self.frames(&planned, per_interval.max(1));
        let mut track = driven::track(&self.vehicle, &states, &controls, dt, figure)?;
        if !self.obstacles.is_empty() {
            track.series.push(CLEARANCE.per_frame(states.iter().map(|state| self.clearance(state)).collect()));
        }
        let mut motion = Motion::new(dt, vec![track]);
        motion.outcome = self.outcome(&planned, states.len());
        motion.checks = self.checks(&planned);
        motion.steps = planned.controls.len();
        motion.newton_iterations = planned.iterations;
        motion.scenery = self.scenery(&states, figure, dt)?;
        if planned.verdict == Verdict::Valid {
            motion.warnings.push("the plan holds to all that was asked for, but it was not shown that no way nearby costs less".into());
        }
        let cut = states.iter().map(|state| -self.clearance(state)).fold(0.0, f64::max);
        if planned.limits <= self.tolerance.sqrt() && cut > 1e-3 {
            motion
                .warnings
                .push(format!("between the nodes of time it cuts {cut:.2} m into an obstacle; take more intervals, or a larger clearance"));
        }
        Ok(motion)
    }

    /// States and controls of the frames: those of the nodes, and between them along the tangents from node to node.
    fn frames(&self, planned: &Planned<V::State, M>, per_interval: usize) -> (Vec<V::State>, Vec<SVector<f64, M>>, f64) {
        let mut states = Vec::with_capacity(planned.controls.len() * per_interval + 1);
        let mut controls = Vec::with_capacity(planned.controls.len() * per_interval);
        for (pair, u) in planned.states.windows(2).zip(&planned.controls) {
            let along = self.vehicle.difference(&pair[0], &pair[1]);
            for i in 0..per_interval {
                states.push(self.vehicle.moved(&pair[0], &(along * (i as f64 / per_interval as f64))));
                controls.push(*u);
            }
        }
        states.extend(planned.states.last());
        (states, controls, planned.time_step / per_interval as f64)
    }

    /// Distance between hull and nearest obstacle.
    fn clearance(&self, state: &V::State) -> f64 {
        let pose = self.vehicle.pose(state);
        let of = |obstacle: &Obstacle| {
            self.hull.iter().map(|(point, radius)| obstacle.distance(&pose.act(point)).value - radius).fold(f64::INFINITY, f64::min)
        };
        self.obstacles.iter().map(of).fold(f64::INFINITY, f64::min)
    }

    fn outcome(&self, planned: &Planned<V::State, M>, frames: usize) -> Outcome {
        let seconds = match self.duration {
            Duration::Fixed(seconds) => format!("in {seconds} s"),
            Duration::Free { most, .. } => format!("within {most} s"),
        };
        match planned.verdict {
            Verdict::Solved | Verdict::Valid => Outcome::Done,
            Verdict::Interrupted => Outcome::Interrupted { frame: frames },
            Verdict::OutOfReach { distance, angle, speed } => {
                let mut off = format!("closest {distance:.3} m");
                if angle > 1e-3 {
                    off += &format!(", {:.1}° off", angle.to_degrees());
                }
                if speed > 1e-3 {
                    off += &format!(", {speed:.2} m/s too fast or slow");
                }
                Outcome::OutOfReach {
                    reason: format!(
                        "the goal cannot be reached {seconds} with these limits: {off}; give it more time, or let go of limits"
                    ),
                }
            }
            Verdict::Unsolved => {
                let worst = planned.dynamics.max(planned.limits);
                let fix = "give it more intervals, or places to go through (`via`)";
                Outcome::OutOfReach {
                    reason: format!("no way was found {seconds} that holds to all limits: the one kept is off by {worst:.2e}; {fix}"),
                }
            }
        }
    }

    /// What the plan promises, measured on it; and where the vehicle ends when it is driven by the planned controls alone.
    fn checks(&self, planned: &Planned<V::State, M>) -> Vec<Check> {
        let mut state = Some(self.start);
        for (k, u) in planned.controls.iter().enumerate() {
            state = state.and_then(|state| self.vehicle.step(&state, u, k as f64 * planned.time_step, planned.time_step));
        }
        let replayed = match (state, planned.states.last()) {
            (Some(state), Some(last)) => {
                let (driven, planned) = (self.vehicle.pose(&state), self.vehicle.pose(last));
                (driven.translation - planned.translation).norm().max(driven.rotation.angle_to(&planned.rotation))
            }
            _ => f64::INFINITY,
        };
        let check = |name, value, tolerance| Check { name, value, tolerance };
        vec![
            check("steps that do not hold to the equations of motion", planned.dynamics, self.tolerance),
            check("limits and obstacles overstepped", planned.limits, self.tolerance),
            check("miss of the goal", planned.goal, self.tolerance),
            check("end of the plan when it is driven, off", replayed, REPLAYED),
        ]
    }

    fn scenery(&self, states: &[V::State], figure: &dyn Figure, dt: f64) -> Result<Vec<Scenery>, Error> {
        let places: Vec<Vector3<f64>> = states.iter().map(|state| self.vehicle.pose(state).translation).collect();
        let mut scenery = Vec::new();
        let (low, high) = bounds(&places).unwrap_or_default();
        let margin = AROUND * (high - low).norm().max(1.0);
        let around = [[low.x - margin, low.z - margin], [high.x + margin, high.z + margin]];
        for (i, obstacle) in self.obstacles.iter().enumerate() {
            scenery.push(obstacle.scenery(&format!("obstacle {}", i + 1), SceneryKind::Obstacle, around)?);
        }
        let joints = self.vehicle.joints(&self.goal.state);
        let shape = figure.shape(&[Moment { time: 0.0, joints, controls: vec![0.0; M], travelled: 0.0 }], dt)?;
        if let Some((low, high)) = bounds(shape.frame(0)) {
            // A box somewhat larger than the vehicle, so that it is seen around it when it has arrived.
            let pose =
                self.vehicle.pose(&self.goal.state) * Pose::from_rotation_translation(UnitQuaternion::identity(), (low + high) * 0.5);
            scenery.push(Scenery::box_("goal", SceneryKind::Goal, &pose, &((high - low) * GOAL)));
        }
        Ok(scenery)
    }
}
