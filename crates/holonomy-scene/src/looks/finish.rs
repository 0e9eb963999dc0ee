//! Colours of what a vehicle is made of.

use holonomy::models::vehicles::Finish;

use super::Color;

const GLASS: Color = [0.17, 0.23, 0.30];
const METAL: Color = [0.66, 0.68, 0.70];
const RUBBER: Color = [0.13, 0.13, 0.14];
const WARM: Color = [0.70, 0.49, 0.32];

/// Paint and accent must differ by this much in lightness to be told apart.
const APART: f64 = 0.25;

/// The colour of each face of a vehicle that is painted in `paint`.
pub(crate) fn colors(finishes: &[Finish], paint: Color) -> Vec<Color> {
    let accent = accent(paint);
    let color = |finish: &Finish| match finish {
        Finish::Paint => paint,
        Finish::Accent => accent,
        Finish::Glass => GLASS,
        Finish::Metal => METAL,
        Finish::Rubber => RUBBER,
        Finish::Warm => WARM,
    };
    finishes.iter().map(color).collect()
}

/// Cream beside dark and strong paints; beside light ones, deep blue.
fn accent(paint: Color) -> Color {
    let (cream, blue) = ([0.94, 0.90, 0.80], [0.16, 0.34, 0.52]);
    let lightness = |[r, g, b]: Color| 0.3 * r + 0.6 * g + 0.1 * b;
    if lightness(cream) - lightness(paint) > APART { cream } else { blue }
}
