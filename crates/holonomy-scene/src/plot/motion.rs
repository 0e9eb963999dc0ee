//! The plots of a motion: what was measured of its bodies, their momenta, and how well the equations were solved.

use holonomy::motion::{Line, MomentumKind, Motion, Quantity, Series, Track};
use holonomy::nalgebra::Vector3;

use super::{LineStyle, Plot, PlotSeries, Scale};

/// Small plots of a motion, in the order in which they should be read; all share the time axis.
///
/// Of one body, quantities that are read together share a plot; of several, each quantity has a plot with a line for each body.
pub fn motion_plots(motion: &Motion) -> Vec<Plot> {
    let time: Vec<f64> = (0..motion.frames()).map(|k| k as f64 * motion.dt).collect();
    let bodies: Vec<&Track> = motion.bodies().into_iter().map(|i| &motion.tracks[i]).collect();
    let measured = if let [track] = bodies.as_slice() { of_one_body(track, &time) } else { of_several(&bodies, &time) };
    let (of_solver, of_body): (Vec<_>, Vec<_>) = measured.into_iter().partition(|(line, _)| *line != Line::Straight);
    let plots = |list: Vec<(Line, Plot)>| list.into_iter().map(|(_, plot)| plot);
    plots(of_body).chain(momenta(&bodies, motion.momentum_kind, &time)).chain(plots(of_solver)).collect()
}

fn of_one_body(track: &Track, time: &[f64]) -> Vec<(Line, Plot)> {
    let mut plots: Vec<(Line, Plot)> = Vec::new();
    for series in &track.series {
        let quantity = series.quantity;
        let Some((title, label)) = quantity.among.filter(|(title, _)| members(track, title).nth(1).is_some()) else {
            plots.push((quantity.line, of_quantity(&quantity, vec![line("", series, 0)], time)));
            continue;
        };
        let told = series.values.iter().any(|x| *x != 0.0);
        match plots.iter_mut().find(|(_, plot)| plot.title == title) {
            Some((_, plot)) if told => plot.series.push(line(label, series, plot.series.len())),
            None if told => plots.push((quantity.line, over_time(title, quantity.unit, vec![line(label, series, 0)], time))),
            _ => {}
        }
    }
    plots
}

/// What is to be drawn in the plot of that title.
fn members<'a>(track: &'a Track, title: &'a str) -> impl Iterator<Item = &'a Series> {
    track.series.iter().filter(move |series| series.quantity.among.is_some_and(|(among, _)| among == title))
}

fn of_several(tracks: &[&Track], time: &[f64]) -> Vec<(Line, Plot)> {
    let mut quantities: Vec<Quantity> = Vec::new();
    for series in tracks.iter().flat_map(|track| &track.series) {
        if !quantities.contains(&series.quantity) && series.values.iter().any(|x| *x != 0.0) {
            quantities.push(series.quantity);
        }
    }
    let plot = |quantity: &Quantity| {
        let lines = tracks.iter().enumerate().filter_map(|(i, track)| {
            let series = track.series.iter().find(|series| series.quantity == *quantity)?;
            Some(line(&track.name, series, i))
        });
        (quantity.line, of_quantity(quantity, lines.collect(), time))
    };
    quantities.iter().map(plot).collect()
}

fn line(name: &str, series: &Series, nth: usize) -> PlotSeries {
    let style = if series.quantity.line == Line::Steps { LineStyle::Steps } else { LineStyle::nth(nth) };
    PlotSeries { name: name.into(), values: series.values.clone(), style }
}

fn of_quantity(quantity: &Quantity, lines: Vec<PlotSeries>, time: &[f64]) -> Plot {
    let scale = if quantity.line == Line::Logarithmic { Scale::Log } else { Scale::Linear };
    Plot { scale, ..over_time(&quantity.name.replace('_', " "), quantity.unit, lines, time) }
}

/// Components of linear and angular momentum, a pair of plots for each body (at most three bodies).
fn momenta(bodies: &[&Track], kind: MomentumKind, time: &[f64]) -> Vec<Plot> {
    let [(linear, linear_unit), (angular, angular_unit)] = match kind {
        MomentumKind::Drag => [("net drag", "N"), ("net drag torque", "N m")],
        MomentumKind::Momentum => [("momentum", "kg m/s"), ("angular momentum", "kg m\u{b2}/s")],
    };
    let mut plots = Vec::new();
    for track in bodies.iter().take(3) {
        let of = |title: &str| if bodies.len() > 1 { format!("{title} of {}", track.name) } else { title.to_string() };
        plots.push(over_time(&of(linear), linear_unit, components(track.momenta.iter().map(|m| m.linear)), time));
        plots.push(over_time(&of(angular), angular_unit, components(track.momenta.iter().map(|m| m.angular)), time));
    }
    plots
}

fn components(vectors: impl Iterator<Item = Vector3<f64>>) -> Vec<PlotSeries> {
    let vectors: Vec<Vector3<f64>> = vectors.collect();
    let line =
        |i: usize| PlotSeries { name: ["x", "y", "z"][i].into(), values: vectors.iter().map(|v| v[i]).collect(), style: LineStyle::nth(i) };
    (0..3).map(line).collect()
}

fn over_time(title: &str, unit: &str, series: Vec<PlotSeries>, time: &[f64]) -> Plot {
    Plot {
        title: title.into(),
        unit: unit.into(),
        x_label: "time".into(),
        x_unit: "s".into(),
        x: time.to_vec(),
        scale: Scale::Linear,
        series,
    }
}
