//! What loops are compared with: control by descent (Jia et al. 2023, Secs. 3.2 and 5.4), and a cross-fade.

use nalgebra::Vector3;

use super::Loop;
use super::forward::{Keep, Run};
use super::guess::{gap, half_square};
use crate::Error;
use crate::lie::Pose;

/// What a baseline makes of a loop.
#[derive(Debug, Clone, PartialEq)]
pub struct Baseline {
    /// Frames × vertices, in the world, metres.
    pub positions: Vec<Vector3<f64>>,
    /// G of each iterate: how far it is from closing, metres².
    pub closure: Vec<f64>,
    /// (h/2) Σ uᵀM⁻¹u of each iterate: what the forces of control amount to.
    pub effort: Vec<f64>,
}

/// One iterate of control.
struct Iterate {
    control: Vec<Vector3<f64>>,
    positions: Vec<Vector3<f64>>,
    closure: f64,
    effort: f64,
    /// ∇G.
    gradient: Vec<Vector3<f64>>,
}

impl Loop<'_> {
    /// Shooting: least effort + `weight` · G by gradient descent with backtracking, closure a soft constraint (Wojtan et al. 2006, Barbič et al. 2009).
    ///
    /// # Errors
    /// As [`Loop::solve`]; or the run without control leads nowhere.
    pub fn gradient_descent(&self, weight: f64, iterations: usize) -> Result<Baseline, Error> {
        Error::unless(weight.is_finite() && weight > 0.0, "weight", weight, "a finite number above zero")?;
        self.afford_derivatives()?;
        let (run, pose) = self.shooting()?;
        let masses = self.law.masses();
        let mut now = shoot(&run, &pose, vec![Vector3::zeros(); run.frames * masses.len()]).ok_or(nowhere())?;
        let mut done = Baseline { positions: Vec::new(), closure: vec![now.closure], effort: vec![now.effort] };
        let mut length = 1.0;
        'descent: for _ in 0..iterations {
            let cost = now.effort + weight * now.closure;
            let slope = |(k, u): (usize, &Vector3<f64>)| u * (run.time_step / masses[k % masses.len()]) + now.gradient[k] * weight;
            let gradient: Vec<Vector3<f64>> = now.control.iter().enumerate().map(slope).collect();
            let squared: f64 = gradient.iter().map(|g| g.norm_squared()).sum();
            length *= 2.0;
            let next = loop {
                let control = now.control.iter().zip(&gradient).map(|(u, g)| u - g * length).collect();
                match shoot(&run, &pose, control) {
                    Some(next) if next.effort + weight * next.closure <= cost - 1e-4 * length * squared => break next,
                    _ if length * squared.sqrt() < 1e-12 => break 'descent,
                    _ => length *= 0.5,
                }
            };
            now = next;
            done.closure.push(now.closure);
            done.effort.push(now.effort);
        }
        done.positions = now.positions;
        Ok(done)
    }

    /// Projected gradient descent of the control problem (Eq. 9): down the effort by `step` along G = const, and to the zero of G's tangent. It usually
    /// diverges; it is ended where numbers do.
    ///
    /// # Errors
    /// As [`Loop::solve`]; or the run without control leads nowhere.
    pub fn projected_gradient(&self, step: f64, iterations: usize) -> Result<Baseline, Error> {
        Error::unless(step.is_finite() && step >= 0.0, "step", step, "a finite number, zero or more")?;
        self.afford_derivatives()?;
        let (run, pose) = self.shooting()?;
        let mut now = shoot(&run, &pose, vec![Vector3::zeros(); run.frames * self.law.masses().len()]).ok_or(nowhere())?;
        let mut done = Baseline { positions: Vec::new(), closure: vec![now.closure], effort: vec![now.effort] };
        for _ in 0..iterations {
            let squared: f64 = now.gradient.iter().map(|g| g.norm_squared()).sum();
            if squared <= 0.0 {
                break;
            }
            let along: f64 = now.control.iter().zip(&now.gradient).map(|(u, g)| u.dot(g)).sum::<f64>() / squared;
            let project = |(u, g): (&Vector3<f64>, &Vector3<f64>)| u - (u - g * along) * step - g * (now.closure / squared);
            let Some(next) = shoot(&run, &pose, now.control.iter().zip(&now.gradient).map(project).collect()) else { break };
            now = next;
            done.closure.push(now.closure);
            done.effort.push(now.effort);
        }
        done.positions = now.positions;
        Ok(done)
    }

    /// The system left to itself for `overlap` frames longer, which fade into the first: closes by force of interpolation.
    ///
    /// # Errors
    /// As [`Loop::solve`]; the overlap is longer than the loop; or the run leads nowhere.
    pub fn cross_fade(&self, overlap: usize) -> Result<Baseline, Error> {
        Error::unless(
            overlap >= 1 && overlap <= self.frames,
            "overlap",
            overlap as f64,
            "1 or more frames, and no more than the loop has",
        )?;
        let (run, pose) = self.shooting()?;
        let n = self.law.masses().len();
        let run = Run { frames: self.frames + overlap, ..run };
        let path = run.run(&vec![Vector3::zeros(); run.frames * n], Keep::Positions).ok_or(nowhere())?;
        let back = pose.inverse();
        let mut positions = path.positions[..self.frames * n].to_vec();
        for (place, p) in positions[..overlap * n].iter_mut().enumerate() {
            let part = (place / n) as f64 / overlap as f64;
            let smooth = part * part * (3.0 - 2.0 * part);
            *p = *p * smooth + back.act(&path.positions[self.frames * n + place]) * (1.0 - smooth);
        }
        Ok(Baseline { positions, closure: Vec::new(), effort: Vec::new() })
    }

    /// The run that is shot, and the motion up to which it closes.
    fn shooting(&self) -> Result<(Run<'_>, Pose), Error> {
        self.validate()?;
        let (period, twist) = self.first_period_and_twist(&never)?;
        Ok((self.run(period, &never)?, Pose::exp(&twist)))
    }
}

/// Baselines are not stopped.
fn never() -> bool {
    false
}

fn nowhere() -> Error {
    let reason = "left to itself the system leaves all bounds; take more frames, or a calmer start";
    Error::BrokeDown { what: "frame", index: 0, reason }
}

fn shoot(run: &Run, pose: &Pose, control: Vec<Vector3<f64>>) -> Option<Iterate> {
    let masses = run.law.masses();
    let n = masses.len();
    let path = run.run(&control, Keep::Derivatives)?;
    let c = gap(run, &path, pose);
    let gradient = run.adjoint(&path, [&c[0], &c[1]]);
    let effort = 0.5 * run.time_step * control.iter().enumerate().map(|(k, u)| u.norm_squared() / masses[k % n]).sum::<f64>();
    let closure = half_square(&c);
    let finite = effort.is_finite() && closure.is_finite() && gradient.iter().all(|g| g.iter().all(|x| x.is_finite()));
    finite.then(|| Iterate { control, positions: path.positions[..run.frames * n].to_vec(), closure, effort, gradient })
}
