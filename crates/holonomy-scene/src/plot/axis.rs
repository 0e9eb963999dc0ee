//! Axes: the range shown, round ticks in it, and what is written beside them.

use crate::picture::text::{decimal, exponent_form};

/// How values are spaced on an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scale {
    /// Evenly.
    #[default]
    Linear,
    /// By their logarithm; only positive values can be shown.
    Log,
}

/// The range of an axis and its ticks.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    scale: Scale,
    /// Ends of the range, as values (linear) or their decimal logarithms.
    low: f64,
    high: f64,
    /// Value and label of each tick, rising.
    pub ticks: Vec<(f64, String)>,
    /// A power of ten taken out of the labels, such as `×10⁻⁶`; empty if none.
    pub factor: String,
}

/// Values beyond this are treated as missing, so that ranges stay finite.
const LARGEST: f64 = 1e300;

impl Axis {
    /// An axis that shows all finite values, with about `count` ticks. Linear axes that come near zero include it.
    pub fn new(values: impl Iterator<Item = f64>, scale: Scale, count: usize) -> Axis {
        let shown = values.filter(|v| Axis::can_show(scale, *v)).map(|v| if scale == Scale::Log { v.log10() } else { v });
        let (low, high) = shown.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
        let empty = low > high;
        match scale {
            Scale::Linear if empty => Axis::linear(0.0, 1.0, count),
            Scale::Linear => Axis::linear(low, high, count),
            Scale::Log if empty => Axis::log(-1.0, 0.0, count),
            Scale::Log => Axis::log(low, high, count),
        }
    }

    /// An axis for counts: from zero, with whole ticks.
    pub fn counting(values: impl Iterator<Item = f64>, count: usize) -> Axis {
        let largest = values.filter(|v| Axis::can_show(Scale::Linear, *v)).fold(1.0, f64::max);
        let step = round_step(largest / count.max(1) as f64).max(1.0);
        let high = (largest / step).ceil() * step;
        Axis { scale: Scale::Linear, low: 0.0, high, ticks: Vec::new(), factor: String::new() }.with_ticks(step)
    }

    /// An axis that ends exactly at the first and last value, as time does.
    pub fn tight(values: impl Iterator<Item = f64>, count: usize) -> Axis {
        let finite = values.filter(|v| Axis::can_show(Scale::Linear, *v));
        let (low, high) = finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
        if low >= high {
            return Axis::new([low, high].into_iter(), Scale::Linear, count);
        }
        let step = round_step((high - low) / count.max(1) as f64);
        Axis { scale: Scale::Linear, low, high, ticks: Vec::new(), factor: String::new() }.with_ticks(step)
    }

    /// Whether a value has a place on an axis.
    pub fn can_show(scale: Scale, value: f64) -> bool {
        value.is_finite() && value.abs() < LARGEST && (scale == Scale::Linear || value > 0.0)
    }

    /// Whether a value has a place on this axis.
    pub fn shows(&self, value: f64) -> bool {
        Axis::can_show(self.scale, value)
    }

    /// Where a value lies on the axis: 0 at its start, 1 at its end.
    pub fn place(&self, value: f64) -> f64 {
        let v = if self.scale == Scale::Log { value.log10() } else { value };
        (v - self.low) / (self.high - self.low)
    }

    fn linear(low: f64, high: f64, count: usize) -> Axis {
        let size = low.abs().max(high.abs());
        let flat = high - low <= 1e-9 * size || size == 0.0;
        let pad = if size == 0.0 {
            1.0
        } else if flat {
            0.1 * size
        } else {
            0.0
        };
        let (mut low, mut high) = (low - pad, high + pad);
        if !flat && low > 0.0 && low < 0.4 * high {
            low = 0.0;
        }
        if !flat && high < 0.0 && high > 0.4 * low {
            high = 0.0;
        }
        let step = round_step((high - low) / count.max(1) as f64);
        let axis = Axis {
            scale: Scale::Linear,
            low: (low / step).floor() * step,
            high: (high / step).ceil() * step,
            ticks: Vec::new(),
            factor: String::new(),
        };
        axis.with_ticks(step)
    }

    fn with_ticks(mut self, step: f64) -> Axis {
        let size = self.low.abs().max(self.high.abs());
        let power = if (1e-3..1e5).contains(&size) { 0 } else { size.log10().floor() as i32 };
        // In two steps, so that powers beyond the range of f64 do not become zero or infinite.
        let scaled = |v: f64| v / 10_f64.powi(power / 2) / 10_f64.powi(power - power / 2);
        if power != 0 {
            self.factor = format!("\u{d7}{}", exponent_form(10_f64.powi(power)));
        }
        let first = (self.low / step - 1e-9).ceil();
        let last = (self.high / step + 1e-9).floor();
        self.ticks = (0..=(last - first).clamp(0.0, 50.0) as usize)
            .map(|k| (first + k as f64) * step)
            .map(|v| (v, decimal(scaled(v), scaled(step))))
            .collect();
        self
    }

    fn log(low: f64, high: f64, count: usize) -> Axis {
        let (low, high) = (low.floor(), if high.ceil() > low.floor() { high.ceil() } else { low.floor() + 1.0 });
        let every = ((high - low) / count.max(1) as f64).ceil().max(1.0);
        let ticks = (0..=((high - low) / every) as usize)
            .map(|k| low + k as f64 * every)
            .map(|decade| (10_f64.powf(decade), power_label(decade)))
            .filter(|(v, _)| *v > 0.0 && v.is_finite())
            .collect();
        Axis { scale: Scale::Log, low, high, ticks, factor: String::new() }
    }
}

/// `1` for decade 0, `10` for 1, `10⁻⁶` for −6.
fn power_label(decade: f64) -> String {
    match decade as i32 {
        0 => "1".into(),
        1 => "10".into(),
        power => exponent_form(10_f64.powi(power)),
    }
}

/// The smallest of 1, 2, 5 × 10ⁿ that is not below `step`.
fn round_step(step: f64) -> f64 {
    if !(step > 0.0 && step.is_finite()) {
        return 1.0;
    }
    let power = 10_f64.powi(step.log10().floor() as i32);
    if power == 0.0 {
        return step;
    }
    let lead = step / power;
    power
        * if lead <= 1.0 + 1e-9 {
            1.0
        } else if lead <= 2.0 + 1e-9 {
            2.0
        } else if lead <= 5.0 + 1e-9 {
            5.0
        } else {
            10.0
        }
}
