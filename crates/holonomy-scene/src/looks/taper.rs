//! Thickness of an open curve along its length.

/// Thickness of an open curve along its length. A closed curve is always uniform.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Taper {
    /// A head at vertex 0, a slight neck, a body, and a tail that thins out at the last vertex.
    #[default]
    Snake,
    /// The same thickness everywhere, rounded ends.
    Uniform,
    /// A long round head on the first tenth, then a thin tail that gets thinner still.
    Tadpole,
}

impl Taper {
    /// Radius at the fraction `u` of the length from vertex 0, as a share of the greatest radius.
    pub(super) fn at(self, u: f64) -> f64 {
        match self {
            Taper::Uniform => 1.0,
            Taper::Snake => snake_profile(u),
            Taper::Tadpole => tadpole_profile(u),
        }
    }
}

/// Radius of a snake at the fraction `u` of its length from the head, as a fraction of its greatest radius.
fn snake_profile(u: f64) -> f64 {
    const KNOTS: [(f64, f64); 7] = [(0.0, 0.72), (0.035, 0.95), (0.085, 0.72), (0.22, 0.92), (0.42, 1.0), (0.6, 0.9), (1.0, 0.1)];
    for pair in KNOTS.windows(2) {
        let ((u0, r0), (u1, r1)) = (pair[0], pair[1]);
        if u <= u1 {
            let x = ((u - u0) / (u1 - u0)).clamp(0.0, 1.0);
            // Smooth steps between the knots; the tail thins out evenly.
            let step = if u1 == 1.0 { x } else { x * x * (3.0 - 2.0 * x) };
            return r0 + (r1 - r0) * step;
        }
    }
    KNOTS[KNOTS.len() - 1].1
}

/// Radius of a tadpole or sperm cell at the fraction `u` of its length from the head, as a fraction of its greatest radius.
fn tadpole_profile(u: f64) -> f64 {
    // The end's cap is the front of the head, half an ellipse its rear.
    let head = 1.0 - (u / 0.1).powi(2);
    head.max(0.0).sqrt().max(0.2 - 0.13 * u)
}
