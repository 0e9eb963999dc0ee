//! A vehicle over time, as a track: where it was, what was done with it, and what can be seen of it.

use crate::Error;
use crate::lie::Momentum;
use crate::motion::{Check, KINETIC_ENERGY, Quantity, Track};
use crate::shape::Clip;

use super::controlled::Controlled;
use nalgebra::SVector;

/// What is to be seen of a vehicle at one time.
#[derive(Debug, Clone, PartialEq)]
pub struct Moment {
    /// Seconds.
    pub time: f64,
    /// Angles of its joints.
    pub joints: Vec<f64>,
    /// Its controls.
    pub controls: Vec<f64>,
    /// Metres that it has gone so far, less those that it has gone backwards.
    pub travelled: f64,
}

/// What a vehicle looks like.
pub trait Figure: Sync {
    /// Its shape at each of these moments, `dt` apart, in its own frame.
    ///
    /// # Errors
    /// What the clip refuses.
    fn shape(&self, moments: &[Moment], dt: f64) -> Result<Clip, Error>;
}

/// The track of `states`, `dt` apart, each with the controls that led to it.
///
/// # Errors
/// The figure refuses.
pub fn track<const N: usize, const M: usize, V: Controlled<N, M>>(
    vehicle: &V,
    states: &[V::State],
    controls: &[SVector<f64, M>],
    dt: f64,
    figure: &dyn Figure,
) -> Result<Track, Error> {
    let mut travelled = 0.0;
    let mut moments = Vec::with_capacity(states.len());
    for (k, state) in states.iter().enumerate() {
        if k > 0 {
            let way = (vehicle.pose(&states[k - 1]).inverse() * vehicle.pose(state)).translation;
            travelled += way.norm().copysign(way[way.iamax()]);
        }
        let controls = controls.get(k.saturating_sub(1)).map_or_else(Vec::new, |u| u.iter().copied().collect());
        moments.push(Moment { time: k as f64 * dt, joints: vehicle.joints(state), controls, travelled });
    }
    let poses: Vec<_> = states.iter().map(|state| vehicle.pose(state)).collect();
    let centers = poses.iter().map(|pose| pose.translation).collect();
    let momenta: Vec<Momentum> = states.iter().map(|state| vehicle.momentum(state)).collect();
    let mut track = Track::new("vehicle", figure.shape(&moments, dt)?, poses, centers, momenta[1.min(momenta.len())..].to_vec());
    track.momenta = momenta;
    track.twists = states.iter().map(|state| vehicle.twist(state)).collect();
    track.series.push(KINETIC_ENERGY.per_frame(states.iter().map(|state| vehicle.kinetic_energy(state)).collect()));
    for (i, control) in vehicle.controls().iter().enumerate() {
        let quantity = Quantity::new(control.name, control.unit).among(plot_of(control.unit), control.name);
        track.series.push(quantity.per_step(controls.iter().map(|u| u[i]).collect()));
    }
    for (i, name) in vehicle.joint_names().iter().enumerate() {
        let quantity = Quantity::new(name, "rad").among("joints", name);
        track.series.push(quantity.per_frame(moments.iter().map(|moment| moment.joints.get(i).copied().unwrap_or(0.0)).collect()));
    }
    Ok(track)
}

/// Part of all energy that came and went which may be left unaccounted for: power is sampled at the frames, and forces change between them.
const UNACCOUNTED: f64 = 0.02;

/// A joint so near to its stop is at it, radians.
const AT_STOP: f64 = 1e-9;

/// Whether the energy of a drive is that of all that acted on it, at every frame: `states` are `dt` apart, `controls` led from each to the next. `None` where the vehicle
/// does not know its power.
pub fn energy_check<const N: usize, const M: usize, V: Controlled<N, M>>(
    vehicle: &V,
    states: &[V::State],
    controls: &[SVector<f64, M>],
    dt: f64,
) -> Option<Check> {
    let energy = |state: &V::State| vehicle.kinetic_energy(state);
    let (mut work, mut traffic) = (0.0, states.iter().map(energy).fold(0.0, f64::max));
    let (begun, mut worst) = (energy(states.first()?), 0.0_f64);
    for (k, (pair, u)) in states.windows(2).zip(controls).enumerate() {
        let time = k as f64 * dt;
        let mut done = 0.5 * dt * (vehicle.power(&pair[0], u, time)? + vehicle.power(&pair[1], u, time + dt)?);
        let now = energy(&pair[1]);
        if meets_stop(vehicle, &pair[1]) {
            // A stop takes what the joint had, and may not give.
            done = done.min(now - energy(&pair[0]));
        }
        work += done;
        traffic += done.abs();
        worst = worst.max((now - begun - work).abs());
    }
    let value = worst / traffic.max(f64::MIN_POSITIVE);
    Some(Check { name: "energy that no force accounts for", value, tolerance: UNACCOUNTED })
}

/// Whether a joint is at its stop.
fn meets_stop<const N: usize, const M: usize, V: Controlled<N, M>>(vehicle: &V, state: &V::State) -> bool {
    let near = |(angle, [low, high]): (&f64, &[f64; 2])| *angle <= low + AT_STOP || *angle >= high - AT_STOP;
    vehicle.joints(state).iter().zip(&vehicle.stops()).any(near)
}

/// Controls of one unit share a plot.
fn plot_of(unit: &str) -> &'static str {
    match unit {
        "N" => "forces of control",
        "N m" => "torques of control",
        "rad" => "angles of control",
        _ => "rates of control",
    }
}
