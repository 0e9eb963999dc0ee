//! Colours for signed values: what pushes is warm, what holds back is cold, what does neither is pale.

use crate::looks::Color;

const NEITHER: Color = [0.86, 0.85, 0.83];
const POSITIVE: Color = [0.80, 0.22, 0.08];
const NEGATIVE: Color = [0.08, 0.32, 0.68];

/// A colour for each value. The greatest magnitude gets the full colour; in between, colour grows with the square root, so that small values
/// are seen as well. All values alike zero are pale.
pub fn diverging(values: &[f64]) -> Vec<Color> {
    let largest = values.iter().map(|value| value.abs()).fold(0.0, f64::max);
    let share = |value: f64| if largest > 0.0 { (value.abs() / largest).sqrt() } else { 0.0 };
    let mix = |value: f64| {
        let full = if value < 0.0 { NEGATIVE } else { POSITIVE };
        std::array::from_fn(|i| NEITHER[i] + share(value) * (full[i] - NEITHER[i]))
    };
    values.iter().map(|&value| mix(value)).collect()
}
