//! Plans: how to steer so that a vehicle gets to its goal at least cost (Kobilarov 2009, Sec. 6; Junge, Marsden and Ober-Blöbaum 2005).
//!
//! The vehicle's own discrete equations are the constraints (discrete mechanics and optimal control), so what was planned is what [`Controlled::step`] does with
//! the same controls. States live on their manifold; the problem is solved by an interior-point method whose steps take time linear in the
//! number of intervals. A plan is first made coarse, from several ways around the obstacles, then refined.

mod guess;
mod interior;
mod problem;
mod report;
mod tracker;

use std::ops::ControlFlow;

use nalgebra::{SVector, Vector3};

use crate::Error;
use crate::integrate::controlled::{Control, Controlled};
use crate::medium::obstacle::Obstacle;
use interior::{Ending, Iterate, Settings, Standing};
use problem::{Problem, Row, Weights};

pub use tracker::Tracker;

/// A plan to be made.
#[derive(Debug, Clone)]
pub struct Plan<V: Controlled<N, M>, const N: usize, const M: usize> {
    /// What is steered.
    pub vehicle: V,
    /// Where it is and how it moves at first.
    pub start: V::State,
    /// Where it shall be and how it shall move at last.
    pub goal: Goal<V::State, N>,
    /// How long it takes.
    pub duration: Duration,
    /// Intervals of time; controls are constant in each.
    pub intervals: usize,
    /// What shall be least.
    pub cost: Cost,
    /// What must hold all the way.
    pub limits: Limits,
    /// What is in the way. It is kept clear of at the nodes of time: what is thinner than the way of an interval may be passed through, so take so many intervals that none is.
    pub obstacles: Vec<Obstacle>,
    /// The balls that stand for the body where it must keep clear of obstacles: places in the body frame, and radii; metres. [`Plan::new`] has one point, the body's origin.
    pub hull: Vec<(Vector3<f64>, f64)>,
    /// Distance kept between those balls and obstacles, at the nodes of time, metres.
    pub clearance: f64,
    /// Places that the first guess goes through; the plan need not.
    pub via: Vec<Vector3<f64>>,
    /// Greatest violation of any equation that counts as none.
    pub tolerance: f64,
    /// Most Newton steps, from each first guess.
    pub max_iterations: usize,
}

/// Where a plan ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Goal<S, const N: usize> {
    /// The state.
    pub state: S,
    /// Which of its degrees of freedom are asked for.
    pub fixed: [bool; N],
}

/// How long a plan takes, seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Duration {
    /// So long.
    Fixed(f64),
    /// As long as is best, within bounds.
    Free {
        /// At least.
        least: f64,
        /// At most.
        most: f64,
    },
}

/// What shall be least: the sum of all that is weighed.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Cost {
    /// Per second, for each control: of the square of its departure from rest, so 1/(s unit²). Missing ones are 0.
    pub effort: Vec<f64>,
    /// Per second.
    pub time: f64,
    /// Per metre of way.
    pub distance: f64,
    /// Per second, for each joint: of its square. Missing ones are 0.
    pub joints: Vec<f64>,
}

/// What must hold at every node of time.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Limits {
    /// Least and greatest value of each control; within those of the vehicle, which hold where it says none.
    pub controls: Vec<[f64; 2]>,
    /// Greatest speed, m/s.
    pub speed: Option<f64>,
    /// Least and greatest angle of each joint.
    pub joints: Vec<[f64; 2]>,
    /// The room in which the body's origin stays: its lowest and highest corner, metres; infinite where open.
    pub region: Option<[Vector3<f64>; 2]>,
}

/// What became of a plan.
#[derive(Debug, Clone, PartialEq)]
pub struct Planned<S, const M: usize> {
    /// At the nodes of time, one more than there are intervals.
    pub states: Vec<S>,
    /// Of each interval.
    pub controls: Vec<SVector<f64, M>>,
    /// Seconds per interval.
    pub time_step: f64,
    /// What it costs.
    pub cost: f64,
    /// How it ended.
    pub verdict: Verdict,
    /// Greatest gap between where a step leads and the next state.
    pub dynamics: f64,
    /// Greatest overstepping of a limit or into an obstacle.
    pub limits: f64,
    /// Greatest miss of what the goal asks for.
    pub goal: f64,
    /// Newton steps, of all tries together.
    pub iterations: usize,
}

/// How planning ended.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Verdict {
    /// Least cost, to first order, and all holds.
    Solved,
    /// All holds, but it could not be shown that no way nearby costs less.
    Valid,
    /// No way to the goal was found: this is how near the best that was found comes. The search is local, so there may be one; more intervals find ways that few do not.
    OutOfReach {
        /// Metres from the goal's place.
        distance: f64,
        /// Radians from the goal's attitude.
        angle: f64,
        /// m/s from the goal's velocity.
        speed: f64,
    },
    /// It was stopped; this is the best so far.
    Interrupted,
    /// No way was found that holds to all; this is the one that violates least.
    Unsolved,
}

impl<V: Controlled<N, M>, const N: usize, const M: usize> Plan<V, N, M> {
    /// A plan from state to state: all of the goal counts but what rolls on ([`Controlled::settled`]). Effort is weighed so that half the range of a control costs 1 per second; one without
    /// limits costs 1 per second and unit².
    pub fn new(vehicle: V, start: V::State, goal: V::State, seconds: f64, intervals: usize) -> Self {
        let effort = vehicle.controls().into_iter().map(|control| {
            let range = control.range[1] - control.range[0];
            if range.is_finite() { 4.0 / (range * range) } else { 1.0 }
        });
        let (effort, fixed) = (effort.collect(), vehicle.settled());
        Plan {
            vehicle,
            start,
            goal: Goal { state: goal, fixed },
            duration: Duration::Fixed(seconds),
            intervals,
            cost: Cost { effort, ..Cost::default() },
            limits: Limits::default(),
            obstacles: Vec::new(),
            hull: vec![(Vector3::zeros(), 0.0)],
            clearance: 0.0,
            via: Vec::new(),
            tolerance: 1e-8,
            max_iterations: 300,
        }
    }

    /// Makes the plan. `progress` is told (Newton steps, most of them) of the try at hand, and may stop the work.
    ///
    /// # Errors
    /// A parameter is out of range, bounds contradict each other, or start or goal are inside an obstacle or out of bounds.
    pub fn solve(&self, progress: &mut dyn FnMut(usize, usize) -> ControlFlow<()>) -> Result<Planned<V::State, M>, Error> {
        self.validate()?;
        Plan { vehicle: self.vehicle.unstopped(), limits: self.all_limits(), ..self.clone() }.solve_unstopped(progress)
    }

    /// [`Plan::solve`] where stops are limits.
    fn solve_unstopped(&self, progress: &mut dyn FnMut(usize, usize) -> ControlFlow<()>) -> Result<Planned<V::State, M>, Error> {
        let mut stopped = false;
        let mut progress = |done: usize, all: usize| {
            let flow = if stopped { ControlFlow::Break(()) } else { progress(done, all) };
            stopped |= flow.is_break();
            flow
        };
        let mut iterations = 0;
        let levels = self.levels();
        let mut problem = self.problem(levels[0]);
        let rough = if levels.len() > 1 { self.tolerance.max(ROUGH) } else { self.tolerance };
        let mut best = self.best_guess(&problem, rough, &mut iterations, &mut progress);
        let mut finer = &levels[1..];
        if let ([intervals, ..], Some((_, Ending::Stalled | Ending::Exhausted, _))) = (finer, &best) {
            // Too coarse to find a way: once more with all intervals.
            problem = self.problem(*intervals);
            best = self.best_guess(&problem, self.tolerance, &mut iterations, &mut progress);
            finer = &[];
        }
        let Some((mut iterate, mut ending, _)) = best else { return Err(nothing()) };
        for &intervals in finer {
            if ending == Ending::Interrupted {
                break;
            }
            problem = self.problem(intervals);
            let finer = self.refined(&problem, &iterate);
            let standing;
            (iterate, ending, standing) = self.attempt(&problem, finer, self.tolerance, NEARLY, &mut progress);
            iterations += standing.iterations;
        }
        let mut verdict = match ending {
            Ending::Solved => Verdict::Solved,
            Ending::Interrupted => Verdict::Interrupted,
            Ending::Stalled | Ending::Exhausted if self.holds(&problem, &iterate) => Verdict::Valid,
            Ending::Stalled | Ending::Exhausted => {
                let (nearest, verdict, more) = self.nearest(&problem, iterate, &mut progress);
                iterate = nearest;
                iterations += more;
                verdict
            }
        };
        if matches!(verdict, Verdict::OutOfReach { .. } | Verdict::Unsolved)
            && let Some((found, better, more)) = self.of_given_time(&mut progress)
        {
            (iterate, verdict) = (found, better);
            iterations += more;
        }
        if stopped && !matches!(verdict, Verdict::Solved | Verdict::Valid) {
            verdict = Verdict::Interrupted;
        }
        Ok(self.planned(&problem, iterate, verdict, iterations))
    }

    /// Where no way was found while the time was free: one of a given time, and the best near it.
    fn of_given_time(
        &self,
        progress: &mut dyn FnMut(usize, usize) -> ControlFlow<()>,
    ) -> Option<(Iterate<V::State, N, M>, Verdict, usize)> {
        let Duration::Free { least, most } = self.duration else { return None };
        let problem = self.problem(self.intervals);
        for share in GIVEN_TIMES {
            let given = Plan { duration: Duration::Fixed(least + share * (most - least)), ..self.clone() };
            let planned = given.solve_unstopped(progress).ok()?;
            if !matches!(planned.verdict, Verdict::Solved | Verdict::Valid) {
                continue;
            }
            let begun = self.begin(&problem, planned.states.clone(), planned.controls.clone(), planned.time_step, NEARLY);
            let found = Iterate { states: planned.states, controls: planned.controls, time_step: planned.time_step, ..begun.clone() };
            let (freed, ending, standing) = self.attempt(&problem, begun, self.tolerance, NEARLY, progress);
            let iterations = planned.iterations + standing.iterations;
            return Some(match ending {
                Ending::Solved => (freed, Verdict::Solved, iterations),
                _ if self.holds(&problem, &freed) => (freed, Verdict::Valid, iterations),
                _ => (found, Verdict::Valid, iterations),
            });
        }
        None
    }

    /// The best of what all first guesses lead to.
    fn best_guess(
        &self,
        problem: &Problem<N, M, V>,
        tolerance: f64,
        iterations: &mut usize,
        progress: &mut dyn FnMut(usize, usize) -> ControlFlow<()>,
    ) -> Option<(Iterate<V::State, N, M>, Ending, Standing)> {
        let mut best: Option<(Iterate<V::State, N, M>, Ending, Standing)> = None;
        for mut guess in self.guesses(problem) {
            if !problem.rows.is_empty() {
                // First a way that can be driven, near the guess and heedless of limits: what must hold is then met from nearby.
                let led = self.led(problem, &guess);
                let (driven, _, standing) = self.attempt(&led, guess_without_rows(&guess), ROUGH, BARRIER, progress);
                *iterations += standing.iterations;
                guess = self.begin(problem, driven.states, driven.controls, driven.time_step, BARRIER);
            }
            let (iterate, ending, standing) = self.attempt(problem, guess, tolerance, BARRIER, progress);
            *iterations += standing.iterations;
            if best.as_ref().is_none_or(|(_, old, was)| better((ending, &standing), (*old, was))) {
                best = Some((iterate, ending, standing));
            }
            if ending == Ending::Interrupted {
                return best;
            }
        }
        best
    }

    /// The problem of staying near the places of a guess, without obstacles and limits of the state.
    fn led(&self, problem: &Problem<N, M, V>, guess: &Iterate<V::State, N, M>) -> Problem<'_, N, M, V> {
        let places: Vec<Vector3<f64>> = guess.states.iter().map(|state| self.vehicle.pose(state).translation).collect();
        let way: f64 = places.windows(2).map(|pair| (pair[1] - pair[0]).norm()).sum();
        let weight = LEAD * self.cost_scale() / (way * way).max(1e-6);
        let mut led = self.problem(problem.intervals);
        (led.rows, led.lead) = (Vec::new(), Some((places, weight)));
        led
    }

    /// One try: the problem itself, from a guess.
    fn attempt(
        &self,
        problem: &Problem<N, M, V>,
        mut iterate: Iterate<V::State, N, M>,
        tolerance: f64,
        barrier: f64,
        progress: &mut dyn FnMut(usize, usize) -> ControlFlow<()>,
    ) -> (Iterate<V::State, N, M>, Ending, Standing) {
        let settings = Settings { tolerance, max_iterations: self.max_iterations, barrier };
        let (ending, standing) = interior::solve(problem, &mut iterate, settings, progress);
        (iterate, ending, standing)
    }

    /// The way that comes nearest to the goal; and if that is the goal itself, the plan after all.
    fn nearest(
        &self,
        problem: &Problem<N, M, V>,
        iterate: Iterate<V::State, N, M>,
        progress: &mut dyn FnMut(usize, usize) -> ControlFlow<()>,
    ) -> (Iterate<V::State, N, M>, Verdict, usize) {
        let mut drawn = self.problem(problem.intervals);
        let pull = PULL * (1.0 + self.cost_scale());
        drawn.pull = Some(pull);
        let begun = self.begin(&drawn, iterate.states, iterate.controls, iterate.time_step, BARRIER);
        let (mut near, mut ending, standing) = self.attempt(&drawn, begun, self.tolerance, BARRIER, progress);
        let mut iterations = standing.iterations;
        if matches!(ending, Ending::Stalled | Ending::Exhausted)
            && let Some(left_alone) = self.driven(&drawn, |_| drawn.weights.rest)
        {
            let (other, ended, stood) = self.attempt(&drawn, left_alone, self.tolerance, BARRIER, progress);
            iterations += stood.iterations;
            // A board that stands is as near as it gets only to first order.
            let miss = |state: Option<&V::State>| state.map_or(f64::INFINITY, |state| problem.miss(state).norm());
            let moved = miss(other.states.last()) < (1.0 - LEAST_GAIN) * miss(Some(&self.start));
            if ended == Ending::Interrupted || moved && better((ended, &stood), (ending, &standing)) {
                (near, ending) = (other, ended);
            }
        }
        if ending == Ending::Interrupted {
            return (near, Verdict::Interrupted, iterations);
        }
        let mut begun = near.clone();
        begun.end = near.states.last().map_or_else(SVector::zeros, |last| problem.miss(last) * (2.0 * pull));
        let (again, ending, stood) = self.attempt(problem, begun, self.tolerance, NEARER, progress);
        iterations += stood.iterations;
        match ending {
            Ending::Solved => (again, Verdict::Solved, iterations),
            Ending::Interrupted => (near, Verdict::Interrupted, iterations),
            _ if self.holds(problem, &again) => (again, Verdict::Valid, iterations),
            _ => {
                let verdict = self.verdict(&drawn, &near);
                (near, verdict, iterations)
            }
        }
    }

    /// Whether equations, limits and goal are met.
    fn holds(&self, problem: &Problem<N, M, V>, iterate: &Iterate<V::State, N, M>) -> bool {
        let goal = iterate.states.last().map_or(f64::INFINITY, |last| problem.miss(last).amax());
        self.gaps(iterate).max(overstepped(problem, iterate)).max(goal) <= self.tolerance
    }

    fn verdict(&self, problem: &Problem<N, M, V>, near: &Iterate<V::State, N, M>) -> Verdict {
        let holds = self.gaps(near).max(overstepped(problem, near)) <= self.tolerance.sqrt();
        let Some(last) = near.states.last().filter(|last| holds && problem.miss(last).amax() > self.tolerance.sqrt()) else {
            return Verdict::Unsolved;
        };
        let (pose, goal) = (self.vehicle.pose(last), self.vehicle.pose(&self.goal.state));
        Verdict::OutOfReach {
            distance: (pose.translation - goal.translation).norm(),
            angle: pose.rotation.angle_to(&goal.rotation),
            speed: (self.vehicle.twist(last).linear - self.vehicle.twist(&self.goal.state).linear).norm(),
        }
    }

    /// Greatest gap between where a step leads and the next state.
    fn gaps(&self, iterate: &Iterate<V::State, N, M>) -> f64 {
        let h = iterate.time_step;
        let gap = |k: usize| {
            let next = self.vehicle.step(&iterate.states[k], &iterate.controls[k], k as f64 * h, h);
            next.map_or(f64::INFINITY, |next| self.vehicle.difference(&iterate.states[k + 1], &next).amax())
        };
        (0..iterate.controls.len()).map(gap).fold(0.0, f64::max)
    }

    fn planned(
        &self,
        problem: &Problem<N, M, V>,
        iterate: Iterate<V::State, N, M>,
        verdict: Verdict,
        iterations: usize,
    ) -> Planned<V::State, M> {
        let rate = |k: usize| problem.rate(k, &iterate.states[k], &iterate.controls[k]);
        let cost = (0..iterate.controls.len()).map(rate).sum::<f64>() * iterate.time_step;
        Planned {
            cost,
            verdict,
            dynamics: self.gaps(&iterate),
            limits: overstepped(problem, &iterate),
            goal: iterate.states.last().map_or(f64::INFINITY, |last| problem.miss(last).amax()),
            iterations,
            time_step: iterate.time_step,
            states: iterate.states,
            controls: iterate.controls,
        }
    }

    /// Numbers of intervals, from coarse to fine.
    fn levels(&self) -> Vec<usize> {
        if self.intervals < 2 * COARSE { vec![self.intervals] } else { vec![COARSE, self.intervals] }
    }

    /// What a control's whole range costs, per second.
    fn cost_scale(&self) -> f64 {
        let ranges = self.control_ranges();
        let whole =
            |(weight, [low, high]): (&f64, &[f64; 2])| if (high - low).is_finite() { weight * (high - low).powi(2) } else { *weight };
        self.cost.effort.iter().zip(&ranges).map(whole).sum::<f64>() + self.cost.time
    }

    fn control_ranges(&self) -> [[f64; 2]; M] {
        let own = self.vehicle.controls();
        std::array::from_fn(|i| {
            let ([least, most], given) = (own[i].range, self.limits.controls.get(i));
            given.map_or([least, most], |&[low, high]| [low.max(least), high.min(most)])
        })
    }

    /// The problem with that many intervals.
    fn problem(&self, intervals: usize) -> Problem<'_, N, M, V> {
        let seconds = match self.duration {
            Duration::Fixed(seconds) => [seconds; 2],
            Duration::Free { least, most } => [least, most],
        };
        let (ranges, own) = (self.control_ranges(), self.vehicle.controls());
        let weight = |list: &[f64], i: usize| list.get(i).copied().unwrap_or(0.0);
        Problem {
            vehicle: &self.vehicle,
            goal: self.goal.state,
            fixed: self.goal.fixed,
            pull: None,
            lead: None,
            intervals,
            time_step: seconds.map(|seconds| seconds / intervals as f64),
            weights: Weights {
                effort: SVector::from_fn(|i, _| weight(&self.cost.effort, i)),
                rest: SVector::from_fn(|i, _| own[i].rest),
                time: self.cost.time,
                distance: self.cost.distance,
                joints: self.cost.joints.clone(),
            },
            low: SVector::from_fn(|i, _| ranges[i][0]),
            high: SVector::from_fn(|i, _| ranges[i][1]),
            rows: self.rows(),
        }
    }

    /// The limits with those of the vehicle's joints.
    fn all_limits(&self) -> Limits {
        let (given, stops) = (&self.limits.joints, self.vehicle.stops());
        let open = [f64::NEG_INFINITY, f64::INFINITY];
        let at = |list: &[[f64; 2]], i: usize| list.get(i).copied().unwrap_or(open);
        let both = |i: usize| {
            let (given, stop) = (at(given, i), at(&stops, i));
            [given[0].max(stop[0]), given[1].min(stop[1])]
        };
        Limits { joints: (0..given.len().max(stops.len())).map(both).collect(), ..self.limits.clone() }
    }

    fn rows(&self) -> Vec<Row<'_>> {
        let mut rows = Vec::new();
        for obstacle in &self.obstacles {
            let clear = |&(point, radius): &(Vector3<f64>, f64)| Row::Clear { obstacle, point, clearance: radius + self.clearance };
            rows.extend(self.hull.iter().map(clear));
        }
        rows.extend(self.limits.speed.map(Row::Speed));
        for (index, &[low, high]) in self.limits.joints.iter().enumerate() {
            rows.extend(low.is_finite().then_some(Row::Joint { index, sign: 1.0, bound: low }));
            rows.extend(high.is_finite().then_some(Row::Joint { index, sign: -1.0, bound: -high }));
        }
        if let Some([low, high]) = &self.limits.region {
            for axis in 0..3 {
                rows.extend(low[axis].is_finite().then_some(Row::Within { axis, sign: 1.0, bound: low[axis] }));
                rows.extend(high[axis].is_finite().then_some(Row::Within { axis, sign: -1.0, bound: -high[axis] }));
            }
        }
        rows
    }

    fn validate(&self) -> Result<(), Error> {
        self.vehicle.validate()?;
        Error::unless(self.intervals >= 2, "number of intervals of a plan", self.intervals as f64, "at least 2")?;
        Error::unless(self.intervals <= MOST_INTERVALS, "number of intervals of a plan", self.intervals as f64, "at most 100 000")?;
        let seconds = |x: f64| Error::unless(x > 0.0 && x.is_finite(), "duration of a plan", x, "a positive number of seconds");
        match self.duration {
            Duration::Fixed(duration) => seconds(duration)?,
            Duration::Free { least, most } => {
                seconds(least)?;
                seconds(most)?;
                Error::unless(least < most, "least duration of a plan", least, "less than the greatest")?;
            }
        }
        self.vehicle.controls().iter().try_for_each(Control::validate)?;
        let joints = self.vehicle.joint_names().len();
        for (what, expected, found) in [
            ("limits of controls", M, self.limits.controls.len()),
            ("weights of controls", M, self.cost.effort.len()),
            ("limits of joints, which are those that the vehicle names", joints, self.limits.joints.len()),
            ("weights of joints, which are those that the vehicle names", joints, self.cost.joints.len()),
        ] {
            if found > expected {
                return Err(Error::Length { what, expected, found });
            }
        }
        for [low, high] in self.control_ranges().iter().chain(&self.limits.joints) {
            Error::unless(low < high, "lower bound of a control or joint", *low, "less than its upper bound")?;
        }
        if let Some(speed) = self.limits.speed {
            Error::unless(speed > 0.0, "greatest speed", speed, "a positive number of m/s")?;
        }
        for weight in self.cost.effort.iter().chain(&self.cost.joints).chain([&self.cost.time, &self.cost.distance]) {
            Error::unless_zero_or_more("weight of the cost of a plan", *weight)?;
        }
        Error::unless(self.cost.effort.iter().any(|&x| x > 0.0), "weight of the effort", 0.0, "positive for some control")?;
        Error::unless(self.tolerance > 0.0, "tolerance of a plan", self.tolerance, "positive")?;
        self.obstacles.iter().try_for_each(Obstacle::validate)?;
        if self.hull.is_empty() && !self.obstacles.is_empty() {
            return Err(Error::Empty { what: "the hull of a plan with obstacles", fix: "give it at least one ball" });
        }
        Error::unless_zero_or_more("clearance of a plan", self.clearance)?;
        for &(point, radius) in &self.hull {
            Error::unless_zero_or_more("radius of a ball of the hull", radius)?;
            point.iter().try_for_each(|&x| Error::unless(x.is_finite(), "place of a ball of the hull", x, "finite"))?;
        }
        self.via
            .iter()
            .flat_map(|place| place.iter())
            .try_for_each(|&x| Error::unless(x.is_finite(), "place to go through", x, "finite"))?;
        if let Some([low, high]) = &self.limits.region {
            let ordered =
                |axis: usize| Error::unless(low[axis] < high[axis], "lower bound of the region", low[axis], "less than its upper bound");
            (0..3).try_for_each(ordered)?;
        }
        self.validate_ends()
    }

    /// Start and goal must hold to what holds all the way.
    fn validate_ends(&self) -> Result<(), Error> {
        let problem = self.problem(self.intervals);
        let (pose, twist) = (|state: &V::State| self.vehicle.pose(state), |state: &V::State| self.vehicle.twist(state));
        for (state, [whole, clear, speed, place, joint]) in [
            (
                &self.start,
                [
                    "start of a plan",
                    "clearance of the start from an obstacle",
                    "speed of the start",
                    "place of the start",
                    "joint at the start",
                ],
            ),
            (
                &self.goal.state,
                ["goal of a plan", "clearance of the goal from an obstacle", "speed of the goal", "place of the goal", "joint at the goal"],
            ),
        ] {
            let joints = self.vehicle.joints(state);
            let finite = pose(state).is_finite() && twist(state).is_finite() && joints.iter().all(|x| x.is_finite());
            Error::unless(finite, whole, f64::NAN, "finite numbers")?;
            for row in &problem.rows {
                let value = problem.value(row, state);
                let (name, shown, expected) = match *row {
                    Row::Clear { .. } => (clear, value, "zero or more metres; move it, or let go of the obstacle"),
                    Row::Speed(_) => (speed, twist(state).linear.norm(), "at most the greatest speed of the limits"),
                    Row::Within { axis, .. } => (place, pose(state).translation[axis], "within the region of the limits"),
                    Row::Joint { index, .. } => (joint, joints.get(index).copied().unwrap_or(0.0), "within its limits and stops"),
                };
                Error::unless(value >= -self.tolerance, name, shown, expected)?;
            }
        }
        let first = self.vehicle.step(&self.start, &problem.weights.rest, 0.0, problem.time_step[0]);
        if first.is_none_or(|next| !self.vehicle.twist(&next).is_finite()) {
            let reason =
                "the vehicle has no first step from its start: look for masses and forces that are not finite, or take more intervals";
            return Err(Error::BrokeDown { what: "interval", index: 0, reason });
        }
        Ok(())
    }
}

/// Intervals of the first, coarse plan.
const COARSE: usize = 24;
/// Most intervals.
const MOST_INTERVALS: usize = 100_000;
/// Where the barrier starts.
const BARRIER: f64 = 0.1;
/// Where it starts for a plan that is only made finer.
const NEARLY: f64 = 1e-3;
/// Where it starts for a plan that has its slacks and multipliers from one like it.
const NEARER: f64 = 1e-6;
/// A vehicle that was left alone has found a way if it comes nearer by this part.
const LEAST_GAIN: f64 = 1e-4;
/// How well a coarse plan is solved that is made finer.
const ROUGH: f64 = 1e-5;
/// What it costs per second to be off the guess by a tenth of the way, in what the whole range of the controls costs, where a guess is made drivable.
const LEAD: f64 = 100.0;
/// How strongly a goal draws that cannot be reached, beside what the whole range of the controls costs.
const PULL: f64 = 1e3;

/// Durations that are tried where no way is found while time is free, from the least (0) to the greatest (1).
const GIVEN_TIMES: [f64; 3] = [1.0, 0.8, 0.6];

/// A guess for the same problem without rows.
fn guess_without_rows<S: Clone, const N: usize, const M: usize>(guess: &Iterate<S, N, M>) -> Iterate<S, N, M> {
    Iterate { slacks: Vec::new(), duals: Vec::new(), ..guess.clone() }
}

fn nothing() -> Error {
    Error::Empty { what: "the list of first guesses", fix: "give the plan at least one interval" }
}

/// Whether the first outcome is to be preferred.
fn better(a: (Ending, &Standing), b: (Ending, &Standing)) -> bool {
    let rank = |ending: Ending| u8::from(ending != Ending::Solved);
    let off = |s: &Standing| s.dynamics.max(s.rows).max(s.goal);
    match (rank(a.0), rank(b.0)) {
        (0, 0) => a.1.cost < b.1.cost,
        (x, y) if x != y => x < y,
        _ => off(a.1) < off(b.1),
    }
}

/// How far a row is below zero, or a control outside of its range, at most.
fn overstepped<const N: usize, const M: usize, V: Controlled<N, M>>(problem: &Problem<N, M, V>, iterate: &Iterate<V::State, N, M>) -> f64 {
    let rows = iterate.states[1..].iter().flat_map(|state| problem.rows.iter().map(move |row| -problem.value(row, state)));
    let controls = iterate.controls.iter().flat_map(|u| (0..M).map(|i| (problem.low[i] - u[i]).max(u[i] - problem.high[i])));
    rows.chain(controls).fold(0.0, f64::max)
}
