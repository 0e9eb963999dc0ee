//! Which stroke swims at a wanted speed with the least power (Fang 2015, App. C).
//!
//! From samples of steady speed v and power r_e over a grid of frequencies f and phase shifts ps:
//!
//! 1. for each speed, and each phase shift of the grid, the frequency at which that speed is first reached, and its power (Fig. C.5 A and B);
//! 2. of these pairs (f, ps) the one of least power (D);
//! 3. through regression, ps as a line in v; then, along that line, f as a parabola in v, so that the pair keeps its speed.
//!
//! The valley of power is flat across ps: 1. and 2. alone would leave f as rough as the grid.

use nalgebra::{DMatrix, DVector};

use crate::Error;

/// What a stroke came to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample {
    /// f, Hz.
    pub frequency: f64,
    /// ps, radians.
    pub phase_shift: f64,
    /// v, m/s.
    pub speed: f64,
    /// r_e, W.
    pub power: f64,
}

/// The strokes of least power for all speeds of a swimmer, as polynomials in the speed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EconomyLine {
    /// The speeds over which it was found, m/s: slowest and fastest.
    pub speeds: [f64; 2],
    /// Frequency: Hz, Hz per m/s, Hz per (m/s)².
    pub frequency: [f64; 3],
    /// Phase shift: radians, radians per m/s.
    pub phase_shift: [f64; 2],
}

/// The line of least power, and how well it does.
#[derive(Debug, Clone, PartialEq)]
pub struct Economy {
    /// The line.
    pub line: EconomyLine,
    /// The best pair of each speed, slowest first.
    pub optima: Vec<Sample>,
    /// Whether each has strokes on both sides, of less and of greater phase shift, that reach its speed within the frequencies of the grid, and need more power.
    pub interior: Vec<bool>,
    /// n where the least power grows about as the n-th power of speed.
    pub exponent: f64,
    /// Share of the variance of the least power that a parabola in the speed explains.
    pub quadratic_fit: f64,
}

/// Speeds that are looked at, as shares of the highest: below, strokes hardly become steady; above, few reach it.
const RANGE: [f64; 2] = [0.25, 0.85];

/// How many of them.
const SPEEDS: usize = 25;

impl Economy {
    /// Of samples on a grid of frequencies and phase shifts.
    ///
    /// # Errors
    /// Fewer than three phase shifts or frequencies, a sample that is not finite, or too few speeds that several phase shifts reach.
    pub fn of(samples: &[Sample]) -> Result<Economy, Error> {
        let finite = |s: &Sample| [s.frequency, s.phase_shift, s.speed, s.power].iter().all(|x| x.is_finite());
        for sample in samples {
            Error::unless(finite(sample), "speed of a stroke (m/s)", sample.speed, "finite, as all of a sample")?;
        }
        let few = || Error::Empty {
            what: "the strokes of least power",
            fix: "sample a grid of at least 3 phase shifts and 6 frequencies that reach several speeds",
        };
        let columns = columns(samples);
        let fastest = samples.iter().map(|sample| sample.speed).fold(0.0, f64::max);
        let [from, to] = RANGE.map(|share| share * fastest);
        let speeds = (0..SPEEDS).map(|k| from + (to - from) * k as f64 / (SPEEDS - 1) as f64);
        let (optima, interior): (Vec<Sample>, Vec<bool>) = speeds.filter_map(|speed| optimum(&columns, speed)).unzip();
        if columns.len() < 3 || optima.len() < 6 {
            return Err(few());
        }
        let of = |value: fn(&Sample) -> f64| optima.iter().map(|s| (s.speed, value(s))).collect::<Vec<_>>();
        let phase_shift: [f64; 2] = polynomial(&of(|s| s.phase_shift));
        let along = optima.iter().filter_map(|s| Some((s.speed, between(&columns, s.speed, value(&phase_shift, s.speed))?.frequency)));
        let along: Vec<(f64, f64)> = along.collect();
        let (Some(&(slowest, _)), Some(&(fastest, _))) = (along.first(), along.last()) else { return Err(few()) };
        let line = EconomyLine { speeds: [slowest, fastest], frequency: polynomial(&along), phase_shift };
        line.validate()?;
        let logs: Vec<(f64, f64)> = optima.iter().map(|s| (s.speed.ln(), s.power.max(f64::MIN_POSITIVE).ln())).collect();
        let [_, exponent] = polynomial(&logs);
        Ok(Economy { line, quadratic_fit: explained(&of(|s| s.power)), optima, interior, exponent })
    }
}

impl EconomyLine {
    /// Of [`MakeUp::swimmer`](super::make_up::MakeUp::swimmer), as heavy as the water and deep in it: measured by `holonomy sweep stroke-grid`.
    pub const SWIMMER: EconomyLine = EconomyLine { speeds: [0.0509, 0.1528], frequency: [0.010, 16.81, 69.8], phase_shift: [0.797, 3.166] };

    /// Refuses what cannot be.
    ///
    /// # Errors
    /// A number, and what is accepted.
    pub fn validate(&self) -> Result<(), Error> {
        let [slow, fast] = self.speeds;
        Error::unless(slow > 0.0 && fast.is_finite(), "slowest speed of a line of least power (m/s)", slow, "finite and more than 0")?;
        Error::unless(fast > slow, "fastest speed of a line of least power (m/s)", fast, "more than the slowest")?;
        for speed in [slow, 0.5 * (slow + fast), fast] {
            let [frequency, shift] = self.at(speed);
            Error::unless(frequency > 0.0 && frequency < 1000.0, "frequency of least power (Hz)", frequency, "above 0, up to 1000")?;
            Error::unless(shift.abs() <= std::f64::consts::PI, "phase shift of least power", shift, "at most π radians either way")?;
        }
        Ok(())
    }

    /// Frequency, Hz, and phase shift, radians, at a speed, m/s. Slower than the line reaches, strokes are fewer; faster, it stays at its end.
    pub fn at(&self, speed: f64) -> [f64; 2] {
        let [slow, fast] = self.speeds;
        let within = speed.max(slow).min(fast);
        let fewer = (speed / slow).clamp(0.0, 1.0);
        [value(&self.frequency, within) * fewer, value(&self.phase_shift, within)]
    }
}

/// The samples of each phase shift, by frequency; phase shifts in order.
fn columns(samples: &[Sample]) -> Vec<Vec<Sample>> {
    let mut sorted = samples.to_vec();
    sorted.sort_by(|a, b| a.phase_shift.total_cmp(&b.phase_shift).then(a.frequency.total_cmp(&b.frequency)));
    sorted.chunk_by(|a, b| a.phase_shift == b.phase_shift).map(<[Sample]>::to_vec).collect()
}

/// The stroke of a column that first reaches a speed as the frequency rises.
fn reaching(column: &[Sample], speed: f64) -> Option<Sample> {
    let pair = column.windows(2).find(|pair| pair[0].speed < speed && speed <= pair[1].speed)?;
    Some(mixed(&pair[0], &pair[1], (speed - pair[0].speed) / (pair[1].speed - pair[0].speed)))
}

/// Those of all columns that reach it.
fn able(columns: &[Vec<Sample>], speed: f64) -> Vec<Sample> {
    columns.iter().filter_map(|column| reaching(column, speed)).collect()
}

/// The stroke of least power at a speed, and whether its neighbours on both sides need more.
fn optimum(columns: &[Vec<Sample>], speed: f64) -> Option<(Sample, bool)> {
    let able = able(columns, speed);
    let best = (0..able.len()).min_by(|&a, &b| able[a].power.total_cmp(&able[b].power))?;
    Some((able[best], best > 0 && best + 1 < able.len()))
}

/// The stroke that reaches a speed at a phase shift between those of the grid.
fn between(columns: &[Vec<Sample>], speed: f64, phase_shift: f64) -> Option<Sample> {
    let able = able(columns, speed);
    let pair = able.windows(2).find(|pair| (pair[0].phase_shift..=pair[1].phase_shift).contains(&phase_shift))?;
    Some(mixed(&pair[0], &pair[1], (phase_shift - pair[0].phase_shift) / (pair[1].phase_shift - pair[0].phase_shift)))
}

fn mixed(a: &Sample, b: &Sample, share: f64) -> Sample {
    let mix = |of: fn(&Sample) -> f64| of(a) + share * (of(b) - of(a));
    Sample { frequency: mix(|s| s.frequency), phase_shift: mix(|s| s.phase_shift), speed: mix(|s| s.speed), power: mix(|s| s.power) }
}

/// The polynomial of N coefficients that is nearest to the points, by least squares.
fn polynomial<const N: usize>(points: &[(f64, f64)]) -> [f64; N] {
    let scale = points.iter().map(|(x, _)| x.abs()).fold(f64::MIN_POSITIVE, f64::max);
    let powers = DMatrix::from_fn(points.len(), N, |row, k| (points[row].0 / scale).powi(k as i32));
    let values = DVector::from_iterator(points.len(), points.iter().map(|(_, y)| *y));
    let found = powers.svd(true, true).solve(&values, 1e-12).unwrap_or_else(|_| DVector::zeros(N));
    std::array::from_fn(|k| found[k] / scale.powi(k as i32))
}

/// Value of a polynomial.
fn value(coefficients: &[f64], x: f64) -> f64 {
    coefficients.iter().rev().fold(0.0, |sum, c| sum * x + c)
}

/// Share of the variance that a parabola explains.
fn explained(points: &[(f64, f64)]) -> f64 {
    let parabola: [f64; 3] = polynomial(points);
    let mean = points.iter().map(|(_, y)| y).sum::<f64>() / points.len() as f64;
    let (left, all) =
        points.iter().fold((0.0, 0.0), |(left, all), (x, y)| (left + (y - value(&parabola, *x)).powi(2), all + (y - mean).powi(2)));
    1.0 - left / all.max(f64::MIN_POSITIVE)
}
