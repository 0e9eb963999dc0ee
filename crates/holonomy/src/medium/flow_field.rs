//! Flow of the surrounding fluid as if the body were not there: wind, currents, eddies, gusts.
//!
//! All but [`Grid`] are free of divergence, exactly; a grid is as free of it as its samples.

use nalgebra::{Matrix3, Vector3};

use crate::Error;

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
    /// Samples, interpolated.
    Grid(Grid),
    /// Several at once.
    Sum(Vec<FlowField>),
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
            FlowField::Grid(grid) => grid.velocity(place),
            FlowField::Sum(parts) => parts.iter().map(|part| part.velocity(place, time)).sum(),
        }
    }

    /// The part of the flow that is the same everywhere and always, m/s.
    pub fn steady(&self) -> Vector3<f64> {
        match self {
            FlowField::Uniform(velocity) => *velocity,
            FlowField::Sum(parts) => parts.iter().map(FlowField::steady).sum(),
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
            other => other.clone(),
        }
    }

    /// The velocity if it is the same everywhere.
    pub fn uniform(&self) -> Option<Vector3<f64>> {
        match self {
            FlowField::Still => Some(Vector3::zeros()),
            FlowField::Uniform(velocity) => Some(*velocity),
            FlowField::Sum(parts) => parts.iter().map(FlowField::uniform).sum(),
            _ => None,
        }
    }

    /// Checks the numbers before a run.
    ///
    /// # Errors
    /// A number is not finite, a shear has divergence, or a vortex has no axis or core.
    pub fn validate(&self) -> Result<(), Error> {
        match self {
            FlowField::Still | FlowField::Gusts(_) | FlowField::Grid(_) => Ok(()),
            FlowField::Uniform(velocity) => finite("flow velocity", velocity),
            FlowField::Shear { rate, across, origin } => {
                [rate, across, origin].into_iter().try_for_each(|v| finite("shear flow", v))?;
                let divergence = rate.dot(across);
                accept(
                    divergence.abs() <= 1e-12 * rate.norm() * across.norm(),
                    "divergence of a shear flow",
                    divergence,
                    "0: its axis lies across its rate",
                )
            }
            FlowField::Vortex { origin, axis, circulation, core } => {
                [origin, axis].into_iter().try_for_each(|v| finite("vortex", v))?;
                accept(axis.norm() > 0.0, "length of a vortex axis", axis.norm(), "more than zero")?;
                accept(circulation.is_finite(), "circulation", *circulation, "a finite number")?;
                accept(core.is_finite() && *core > 0.0, "core of a vortex", *core, "a finite number of metres, more than zero")
            }
            FlowField::Sum(parts) => parts.iter().try_for_each(FlowField::validate),
        }
    }
}

/// Waves per gust field. Their sum is close to Gaussian; each costs a cosine per place.
const WAVES: usize = 16;

/// A sum of plane waves, each with its velocity across its own direction, so that no fluid piles up:
/// `Σ a_i cos(k_i·x − ω_i t + φ_i)` with `a_i · k_i = 0`.
///
/// Wavelengths lie between half and twice `scale`, evenly in their logarithm; a wave passes by at the root mean square speed.
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
        accept(speed.is_finite() && speed >= 0.0, "speed of gusts", speed, "a finite number of m/s, zero or more")?;
        accept(scale.is_finite() && scale > 0.0, "size of gusts", scale, "a finite number of metres, more than zero")?;
        let mut random = SplitMix(seed);
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

    fn velocity(&self, place: &Vector3<f64>, time: f64) -> Vector3<f64> {
        self.waves.iter().map(|w| w.amplitude * (w.wave_vector.dot(place) - w.frequency * time + w.phase).cos()).sum()
    }
}

/// Steady flow on a regular grid, trilinear between samples; beyond the border, that of the nearest place on it.
#[derive(Debug, Clone, PartialEq)]
pub struct Grid {
    origin: Vector3<f64>,
    spacing: f64,
    counts: [usize; 3],
    samples: Vec<Vector3<f64>>,
}

impl Grid {
    /// A grid whose first sample is at `origin`, `spacing` metres apart; `samples` in m/s, x fastest, then y, then z.
    ///
    /// # Errors
    /// A count is zero, there are more or fewer samples than the counts say, or a number is not finite.
    pub fn new(origin: Vector3<f64>, spacing: f64, counts: [usize; 3], samples: Vec<Vector3<f64>>) -> Result<Grid, Error> {
        finite("origin of the flow grid", &origin)?;
        accept(spacing.is_finite() && spacing > 0.0, "spacing of the flow grid", spacing, "a finite number of metres, more than zero")?;
        let expected = counts.iter().try_fold(1_usize, |product, &n| product.checked_mul(n)).unwrap_or(usize::MAX);
        if expected == 0 {
            return Err(Error::Empty { what: "the flow grid", fix: "give at least one sample along each axis" });
        }
        if samples.len() != expected {
            return Err(Error::Length { what: "samples of the flow grid", expected, found: samples.len() });
        }
        samples.iter().try_for_each(|sample| finite("sample of the flow grid", sample))?;
        Ok(Grid { origin, spacing, counts, samples })
    }

    fn velocity(&self, place: &Vector3<f64>) -> Vector3<f64> {
        let cell = (place - self.origin) / self.spacing;
        // Per axis: the two samples on either side, and how far towards the second.
        let axis = |i: usize| {
            let last = self.counts[i] - 1;
            let at = cell[i].clamp(0.0, last as f64);
            let low = (at as usize).min(last.saturating_sub(1));
            (low, (low + 1).min(last), at - low as f64)
        };
        let (x, y, z) = (axis(0), axis(1), axis(2));
        let sample = |i: usize, j: usize, k: usize| self.samples[i + self.counts[0] * (j + self.counts[1] * k)];
        let along_x = |j: usize, k: usize| sample(x.0, j, k).lerp(&sample(x.1, j, k), x.2);
        let along_y = |k: usize| along_x(y.0, k).lerp(&along_x(y.1, k), y.2);
        along_y(z.0).lerp(&along_y(z.1), z.2)
    }
}

/// Two unit vectors at right angles to a unit vector and to each other.
fn across(direction: &Vector3<f64>) -> (Vector3<f64>, Vector3<f64>) {
    let least = Matrix3::identity().column(direction.iamin()).into_owned();
    let one = (least - direction * direction.dot(&least)).normalize();
    (one, direction.cross(&one))
}

/// SplitMix64 (Steele, Lea and Flood 2014).
struct SplitMix(u64);

impl SplitMix {
    /// Evenly within [0, 1).
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Evenly over the unit sphere (Archimedes: height and longitude).
    fn direction(&mut self) -> Vector3<f64> {
        let height = 2.0 * self.unit() - 1.0;
        let (sin, cos) = (self.unit() * std::f64::consts::TAU).sin_cos();
        let radius = (1.0 - height * height).max(0.0).sqrt();
        Vector3::new(radius * cos, radius * sin, height)
    }
}

fn finite(name: &'static str, vector: &Vector3<f64>) -> Result<(), Error> {
    vector.iter().try_for_each(|&value| accept(value.is_finite(), name, value, "a finite number"))
}

fn accept(good: bool, name: &'static str, value: f64, expected: &'static str) -> Result<(), Error> {
    if good { Ok(()) } else { Err(Error::Parameter { name, value, expected }) }
}
