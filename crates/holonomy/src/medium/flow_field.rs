//! Flow of the surrounding fluid as if the body were not there: wind, currents, eddies, gusts. All are free of divergence, exactly, but for what of a wind
//! goes up or down where it meets water.

use nalgebra::{Matrix3, Vector3};

use crate::Error;
use crate::random::Random;

/// The velocity of the fluid at every place and time, world frame.
#[derive(Debug, Clone, PartialEq)]
pub enum FlowField {
    /// None.
    Still,
    /// The same everywhere, m/s.
    Uniform(Vector3<f64>),
    /// Grows with the distance along an axis: wind over ground, a stream over its bed.
    Shear {
        /// Change of velocity per metre, 1/s.
        rate: Vector3<f64>,
        /// The axis along which it changes, across `rate`.
        across: Vector3<f64>,
        /// A place where it is zero, metres.
        origin: Vector3<f64>,
    },
    /// Round an axis, at `Γ r / (2π (r² + core²))`: solid rotation within the core, a free vortex outside (Scully 1975).
    Vortex {
        /// A place on the axis, metres.
        origin: Vector3<f64>,
        /// Direction of the axis, of any length.
        axis: Vector3<f64>,
        /// Γ, m²/s; counter-clockwise seen against the axis.
        circulation: f64,
        /// Radius at which it is fastest, metres.
        core: f64,
    },
    /// Random, smooth in space and time.
    Gusts(Gusts),
    /// Several at once.
    Sum(Vec<FlowField>),
    /// One flow above a height and another below it, as wind over water.
    Layered {
        /// The height, metres.
        level: f64,
        /// Flow of what lies above: the wind.
        above: Box<FlowField>,
        /// Flow of what lies below: the current. Who is carried along is carried along by it, the denser.
        below: Box<FlowField>,
    },
}

impl FlowField {
    /// Velocity at a place, m/s, world frame.
    pub fn velocity(&self, place: &Vector3<f64>, time: f64) -> Vector3<f64> {
        match self {
            FlowField::Still => Vector3::zeros(),
            FlowField::Uniform(velocity) => *velocity,
            FlowField::Shear { rate, across, origin } => rate * across.dot(&(place - origin)),
            FlowField::Vortex { origin, axis, circulation, core } => {
                let Some(axis) = axis.try_normalize(0.0) else { return Vector3::zeros() };
                let around = axis.cross(&(place - origin));
                around * (circulation / (std::f64::consts::TAU * (around.norm_squared() + core * core)))
            }
            FlowField::Gusts(gusts) => gusts.velocity(place, time),
            FlowField::Sum(parts) => parts.iter().map(|part| part.velocity(place, time)).sum(),
            FlowField::Layered { level, above, below } => (if place.y < *level { below } else { above }).velocity(place, time),
        }
    }

    /// Du/Dt at a place, m/s², world frame: how fast the velocity of the fluid changes that is now there, ∂u/∂t + (u · ∇) u. By a central difference
    /// along its way: exact but for terms of second order in the time that it takes for a thousandth of an eddy to pass.
    pub fn acceleration(&self, place: &Vector3<f64>, time: f64) -> Vector3<f64> {
        if self.uniform().is_some() {
            return Vector3::zeros();
        }
        if let FlowField::Layered { level, above, below } = self {
            return (if place.y < *level { below } else { above }).acceleration(place, time);
        }
        let velocity = self.velocity(place, time);
        let step = 1e-4 * self.shortest_time(&velocity);
        if !(step > 0.0 && step.is_finite()) {
            return Vector3::zeros();
        }
        let at = |dt: f64| self.velocity(&(place + velocity * dt), time + dt);
        (at(step) - at(-step)) / (2.0 * step)
    }

    /// About the shortest time in which fluid of this velocity comes to flow otherwise, seconds; infinite where it does not.
    fn shortest_time(&self, velocity: &Vector3<f64>) -> f64 {
        match self {
            FlowField::Still | FlowField::Uniform(_) => f64::INFINITY,
            FlowField::Shear { rate, across, .. } => 1.0 / (rate.norm() * across.norm()),
            // Once through the core, or a radian within it.
            FlowField::Vortex { core, circulation, .. } => {
                (core / velocity.norm()).min(std::f64::consts::TAU * core * core / circulation.abs())
            }
            FlowField::Gusts(gusts) => {
                let rate = |w: &Wave| w.wave_vector.norm() * velocity.norm() + w.frequency.abs();
                1.0 / gusts.waves.iter().map(rate).fold(0.0, f64::max)
            }
            FlowField::Sum(parts) => parts.iter().map(|part| part.shortest_time(velocity)).fold(f64::INFINITY, f64::min),
            FlowField::Layered { above, below, .. } => above.shortest_time(velocity).min(below.shortest_time(velocity)),
        }
    }

    /// The part of the flow that is the same everywhere and always, m/s; in layers, that of the lower.
    pub fn steady(&self) -> Vector3<f64> {
        match self {
            FlowField::Uniform(velocity) => *velocity,
            FlowField::Sum(parts) => parts.iter().map(FlowField::steady).sum(),
            FlowField::Layered { below, .. } => below.steady(),
            _ => Vector3::zeros(),
        }
    }

    /// The flow without that part: as seen by one who is carried along by it, at places of the world.
    pub fn unsteady(&self) -> FlowField {
        match self {
            FlowField::Uniform(_) => FlowField::Still,
            FlowField::Sum(parts) => {
                FlowField::Sum(parts.iter().map(FlowField::unsteady).filter(|part| *part != FlowField::Still).collect())
            }
            FlowField::Layered { level, above, below } => {
                let above = FlowField::Sum(vec![(**above).clone(), FlowField::Uniform(-below.steady())]);
                FlowField::Layered { level: *level, above: Box::new(above), below: Box::new(below.unsteady()) }
            }
            other => other.clone(),
        }
    }

    /// The velocity if it is the same everywhere.
    pub fn uniform(&self) -> Option<Vector3<f64>> {
        match self {
            FlowField::Still => Some(Vector3::zeros()),
            FlowField::Uniform(velocity) => Some(*velocity),
            FlowField::Sum(parts) => parts.iter().map(FlowField::uniform).sum(),
            FlowField::Layered { above, below, .. } => below.uniform().filter(|below| above.uniform() == Some(*below)),
            _ => None,
        }
    }

    /// The flow of one layer, everywhere; where there are none, the flow.
    pub fn layer(&self, lower: bool) -> &FlowField {
        match self {
            FlowField::Layered { below, .. } if lower => below,
            FlowField::Layered { above, .. } => above,
            flow => flow,
        }
    }

    /// Checks the numbers before a run.
    ///
    /// # Errors
    /// A number is not finite, a shear has divergence, or a vortex has no axis or core.
    pub fn validate(&self) -> Result<(), Error> {
        match self {
            FlowField::Still | FlowField::Gusts(_) => Ok(()),
            FlowField::Uniform(velocity) => finite("flow velocity", velocity),
            FlowField::Shear { rate, across, origin } => {
                [rate, across, origin].into_iter().try_for_each(|v| finite("shear flow", v))?;
                let divergence = rate.dot(across);
                Error::unless(
                    divergence.abs() <= 1e-12 * rate.norm() * across.norm(),
                    "divergence of a shear flow",
                    divergence,
                    "0: its axis lies across its rate",
                )
            }
            FlowField::Vortex { origin, axis, circulation, core } => {
                [origin, axis].into_iter().try_for_each(|v| finite("vortex", v))?;
                Error::unless(axis.norm() > 0.0, "length of a vortex axis", axis.norm(), "more than zero")?;
                Error::unless(circulation.is_finite(), "circulation", *circulation, "a finite number")?;
                Error::unless(core.is_finite() && *core > 0.0, "core of a vortex", *core, "a finite number of metres, more than zero")
            }
            FlowField::Sum(parts) => parts.iter().try_for_each(FlowField::validate),
            FlowField::Layered { level, above, below } => {
                Error::unless(level.is_finite(), "level between two flows", *level, "a finite number of metres")?;
                above.validate()?;
                below.validate()
            }
        }
    }
}

/// Waves per gust field. Their sum is close to Gaussian; each costs a cosine per place.
const WAVES: usize = 16;

/// A sum of plane waves, each with its velocity across its own direction, so that no fluid piles up:
/// `Σ a_i cos(k_i·x − ω_i t + φ_i)` with `a_i · k_i = 0`.
///
/// Wavelengths lie between half and twice `scale`, evenly in their logarithm; a wave passes by at the root mean square speed, and with the wind if
/// it is [`carried`](Gusts::carried) by one.
#[derive(Debug, Clone, PartialEq)]
pub struct Gusts {
    waves: Vec<Wave>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Wave {
    /// a, m/s.
    amplitude: Vector3<f64>,
    /// k, rad/m.
    wave_vector: Vector3<f64>,
    /// ω, rad/s.
    frequency: f64,
    /// φ, rad.
    phase: f64,
}

impl Gusts {
    /// Gusts of the root mean square `speed` in m/s and the typical size `scale` in metres. The same seed gives the same gusts.
    ///
    /// # Errors
    /// The speed is negative, or the scale not positive.
    pub fn new(speed: f64, scale: f64, seed: u64) -> Result<Gusts, Error> {
        Error::unless(speed.is_finite() && speed >= 0.0, "speed of gusts", speed, "a finite number of m/s, zero or more")?;
        Error::unless(scale.is_finite() && scale > 0.0, "size of gusts", scale, "a finite number of metres, more than zero")?;
        let mut random = Random(seed);
        let amplitude = speed * (2.0 / WAVES as f64).sqrt();
        let wave = |i: usize| {
            let wavelength = scale * 4.0_f64.powf((i as f64 + 0.5) / WAVES as f64 - 0.5);
            let number = std::f64::consts::TAU / wavelength;
            let direction = random.direction();
            let (one, two) = across(&direction);
            let (sin, cos) = (random.unit() * std::f64::consts::TAU).sin_cos();
            Wave {
                amplitude: (one * cos + two * sin) * amplitude,
                wave_vector: direction * number,
                frequency: number * speed,
                phase: random.unit() * std::f64::consts::TAU,
            }
        };
        Ok(Gusts { waves: (0..WAVES).map(wave).collect() })
    }

    /// The same gusts as a wind of this velocity, m/s, carries them along: eddies travel with the fluid that they are in (Taylor 1938), so that who
    /// drifts with it feels them as without wind. The flow of the wind itself is not added.
    pub fn carried(mut self, wind: &Vector3<f64>) -> Gusts {
        self.waves.iter_mut().for_each(|w| w.frequency += w.wave_vector.dot(wind));
        self
    }

    fn velocity(&self, place: &Vector3<f64>, time: f64) -> Vector3<f64> {
        self.waves.iter().map(|w| w.amplitude * (w.wave_vector.dot(place) - w.frequency * time + w.phase).cos()).sum()
    }
}

/// Two unit vectors at right angles to a unit vector and to each other.
fn across(direction: &Vector3<f64>) -> (Vector3<f64>, Vector3<f64>) {
    let least = Matrix3::identity().column(direction.iamin()).into_owned();
    let one = (least - direction * direction.dot(&least)).normalize();
    (one, direction.cross(&one))
}

fn finite(name: &'static str, vector: &Vector3<f64>) -> Result<(), Error> {
    vector.iter().try_for_each(|&value| Error::unless(value.is_finite(), name, value, "a finite number"))
}
