//! A plan as a motion: what is to be seen of it, and what was checked.

use std::ops::ControlFlow;

use nalgebra::{SVector, UnitQuaternion, Vector3};

use super::{Duration, Plan, Planned, Verdict};
use crate::Error;
use crate::integrate::controlled::Controlled;
use crate::integrate::driven::{self, Figure, Moment};
use crate::lie::Pose;
use crate::medium::obstacle::Obstacle;
use crate::motion::{Check, Figure as Number, Motion, Outcome, Quantity, Scenery, SceneryKind};
use crate::shape::bounds;

/// Distance between hull and nearest obstacle.
const CLEARANCE: Quantity = Quantity::new("clearance", "m");

/// What the plan costs, and how long it takes.
const COST: Quantity = Quantity::new("cost", "");
const DURATION: Quantity = Quantity::new("duration", "s");
/// Length of the way of the body's origin.
const WAY: Quantity = Quantity::new("way", "m");
/// Least distance between hull and obstacles at the frames.
const LEAST_CLEARANCE: Quantity = Quantity::new("least_clearance", "m");
/// Greatest departure of a control from rest, in parts of what its limits allow.
const LARGEST_CONTROL: Quantity = Quantity::new("largest_control", "");
/// How far from the planned end the planned controls lead in steps that are shorter: what the plan's own steps leave out, as it grows on the way.
const FINER_STEPS: Quantity = Quantity::new("end_in_finer_steps", "m");

/// The same where a tracker holds the vehicle to the plan: small, although the vehicle alone does not keep its course.
const TRACKED: Quantity = Quantity::new("end_when_tracked", "m");

/// A departure of this size, in metres, radians and the units of momenta, costs a tracker of [`TRACKED`] as much as the whole range of the controls.
const DEPARTURE: f64 = 0.1;

/// The steps of [`FINER_STEPS`] in an interval.
const FINER: usize = 10;

/// More than this part of the way is told.
const COARSE_STEPS: f64 = 0.01;

/// How far the replayed plan may end from the planned end, in metres and radians: steps are solved to round-off, and vehicles may be unstable.
const REPLAYED: f64 = 1e-6;

/// How much larger the box that marks the goal is than the vehicle.
const GOAL: f64 = 1.12;

/// Land that is drawn reaches so far beyond the way, in parts of its length.
const AROUND: f64 = 0.35;

/// What a search from a few first guesses cannot tell.
const NO_PROOF: &str = "this does not show that there is none";

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
        let finer = self.replayed(&planned, FINER, |k, _| planned.controls[k]).map_or(f64::INFINITY, |off| off[0]);
        let weights = SVector::repeat(self.cost_scale().max(f64::MIN_POSITIVE) / (DEPARTURE * DEPARTURE));
        let tracker = self.tracker(&planned, &weights);
        let held = tracker.and_then(|tracker| self.replayed(&planned, FINER, |k, state| tracker.controls(&self.vehicle, k, state)));
        let held = held.map_or(f64::INFINITY, |off| off[0]);
        track.figures = self.figures(&planned, &states, [finer, held]);
        let way = way(&self.vehicle, &states);
        let mut motion = Motion::new(dt, vec![track]);
        motion.outcome = self.outcome(&planned, states.len());
        motion.checks = self.checks(&planned);
        motion.steps = planned.controls.len();
        motion.newton_iterations = planned.iterations;
        motion.scenery = self.scenery(&states, figure, dt)?;
        if planned.verdict == Verdict::Valid {
            motion.warnings.push("the plan holds to all that was asked for, but it was not shown that no way nearby costs less".into());
        }
        if matches!(planned.verdict, Verdict::Solved | Verdict::Valid) && finer > COARSE_STEPS * way {
            let than =
                format!("driven by the same controls in steps a tenth as long, the vehicle ends {finer:.2} m away from the plan's end");
            motion.warnings.push(if held <= COARSE_STEPS * way {
                format!("{than}, held to the plan by a tracker {held:.2} m: it does not keep its course by itself")
            } else {
                format!("{than}: take more intervals")
            });
        }
        if matches!(planned.verdict, Verdict::Solved | Verdict::Valid) && held > COARSE_STEPS * way && held > finer {
            motion.warnings.push(format!(
                "a tracker, whose weights are a guess, ends {held:.2} m away from the plan's end, farther than without one: where controls are at their limits it has nothing \
                 left to steer with; plan within narrower limits, which leave it room, or take more time"
            ));
        }
        let cut = states.iter().map(|state| -self.clearance(state)).fold(0.0, f64::max);
        if planned.limits <= self.tolerance.sqrt() && cut > 1e-3 {
            motion
                .warnings
                .push(format!("between the nodes of time it cuts {cut:.2} m into an obstacle; take more intervals, or a larger clearance"));
        }
        Ok(motion)
    }

    /// States and controls of the frames: those of the nodes; between them the vehicle is driven on in shorter steps, and what these lead past the next node is spread over the interval.
    fn frames(&self, planned: &Planned<V::State, M>, per_interval: usize) -> (Vec<V::State>, Vec<SVector<f64, M>>, f64) {
        let mut states = Vec::with_capacity(planned.controls.len() * per_interval + 1);
        let mut controls = Vec::with_capacity(planned.controls.len() * per_interval);
        let dt = planned.time_step / per_interval as f64;
        for (k, (pair, u)) in planned.states.windows(2).zip(&planned.controls).enumerate() {
            let mut between = vec![pair[0]];
            for i in 0..per_interval {
                let time = k as f64 * planned.time_step + i as f64 * dt;
                between.extend(between.last().and_then(|state| self.vehicle.step(state, u, time, dt)));
            }
            // Where a short step has no solution, along the tangent from node to node.
            if between.len() <= per_interval {
                between = vec![pair[0]; per_interval + 1];
            }
            let past = self.vehicle.difference(&between[per_interval], &pair[1]);
            for (i, state) in between[..per_interval].iter().enumerate() {
                states.push(self.vehicle.moved(state, &(past * (i as f64 / per_interval as f64))));
                controls.push(*u);
            }
        }
        states.extend(planned.states.last());
        (states, controls, dt)
    }

    /// Numbers of the whole plan.
    fn figures(&self, planned: &Planned<V::State, M>, states: &[V::State], ends: [f64; 2]) -> Vec<Number> {
        let (own, ranges) = (self.vehicle.controls(), self.control_ranges());
        let used = |u: &SVector<f64, M>| {
            let share = |i: usize| {
                let off = u[i] - own[i].rest;
                if off == 0.0 { 0.0 } else { off / (ranges[i][usize::from(off > 0.0)] - own[i].rest) }
            };
            (0..M).map(share).fold(0.0, f64::max)
        };
        let largest = planned.controls.iter().map(used).fold(0.0, f64::max);
        let mut figures = vec![
            COST.figure(planned.cost),
            DURATION.figure(planned.time_step * planned.controls.len() as f64),
            WAY.figure(way(&self.vehicle, states)),
            LARGEST_CONTROL.figure(largest),
        ];
        let finite = [FINER_STEPS, TRACKED].into_iter().zip(ends).filter(|(_, end)| end.is_finite());
        figures.extend(finite.map(|(quantity, end)| quantity.figure(end)));
        if !self.obstacles.is_empty() {
            figures.push(LEAST_CLEARANCE.figure(states.iter().map(|state| self.clearance(state)).fold(f64::INFINITY, f64::min)));
        }
        figures
    }

    /// How far from the planned end `controls` of each interval and its first state lead, in so many steps an interval: metres, radians.
    fn replayed(
        &self,
        planned: &Planned<V::State, M>,
        steps: usize,
        controls: impl Fn(usize, &V::State) -> SVector<f64, M>,
    ) -> Option<[f64; 2]> {
        let h = planned.time_step / steps as f64;
        let mut state = self.start;
        for k in 0..planned.controls.len() {
            let u = controls(k, &state);
            for i in 0..steps {
                state = self.vehicle.step(&state, &u, k as f64 * planned.time_step + i as f64 * h, h)?;
            }
        }
        let (driven, end) = (self.vehicle.pose(&state), self.vehicle.pose(planned.states.last()?));
        Some([(driven.translation - end.translation).norm(), driven.rotation.angle_to(&end.rotation)])
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
                        "no way to the goal was found {seconds} from the plan's first guesses: {off}; {NO_PROOF}: give it places to go \
                         through (`via`), more time or more intervals, or let go of limits"
                    ),
                }
            }
            Verdict::Unsolved => {
                let worst = planned.dynamics.max(planned.limits);
                let fix = "give it places to go through (`via`), more intervals, or another duration";
                Outcome::OutOfReach {
                    reason: format!(
                        "no way was found {seconds} from the plan's first guesses that holds to all limits: the one kept is off by \
                         {worst:.2e}; {NO_PROOF}: {fix}"
                    ),
                }
            }
        }
    }

    /// What the plan promises, measured on it; and where the vehicle ends when it is driven by the planned controls alone.
    fn checks(&self, planned: &Planned<V::State, M>) -> Vec<Check> {
        let replayed = self.replayed(planned, 1, |k, _| planned.controls[k]).map_or(f64::INFINITY, |[distance, angle]| distance.max(angle));
        let check = |name, value, tolerance| Check { name, value, tolerance };
        vec![
            check("steps that do not hold to the equations of motion", planned.dynamics, self.tolerance),
            check("limits and obstacles overstepped at the nodes of time", planned.limits, self.tolerance),
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

/// Length of the way of the body's origin, metres.
fn way<V: Controlled<N, M>, const N: usize, const M: usize>(vehicle: &V, states: &[V::State]) -> f64 {
    states.windows(2).map(|pair| (vehicle.pose(&pair[1]).translation - vehicle.pose(&pair[0]).translation).norm()).sum()
}
