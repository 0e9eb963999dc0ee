//! The box around points.

use nalgebra::Vector3;

/// Lowest and highest corner of the smallest box around the points with sides along the axes; `None` without points.
pub fn bounds<'a>(points: impl IntoIterator<Item = &'a Vector3<f64>>) -> Option<(Vector3<f64>, Vector3<f64>)> {
    let mut points = points.into_iter();
    let first = *points.next()?;
    Some(points.fold((first, first), |(low, high), p| (low.inf(p), high.sup(p))))
}

/// Diagonal of that box; zero without points.
pub fn diagonal<'a>(points: impl IntoIterator<Item = &'a Vector3<f64>>) -> f64 {
    bounds(points).map_or(0.0, |(low, high)| (high - low).norm())
}
