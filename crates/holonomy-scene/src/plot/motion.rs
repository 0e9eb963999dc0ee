//! The plots every motion has: speed, momentum, energy or dissipation, residual, iterations, and whatever else was recorded.

use holonomy::motion::{MomentumKind, Motion, Series, Track};
use holonomy::nalgebra::Vector3;

use super::{LineStyle, Plot, PlotSeries, Scale};

/// Small plots of a motion, in the order in which they should be read; all share the time axis.
pub fn motion_plots(motion: &Motion) -> Vec<Plot> {
    let time: Vec<f64> = (0..motion.frames()).map(|k| k as f64 * motion.dt).collect();
    let mut plots = Vec::new();
    let named = |name: &str| motion.series.iter().find(|s| s.name == name);
    match named("speed") {
        Some(speed) => plots.push(of_series(speed, &time)),
        None => plots.push(speeds(motion, &time)),
    }
    plots.extend(momenta(motion, &time));
    let order = |s: &&Series| match s.name {
        "residual" => 1,
        "iterations" => 2,
        _ => 0,
    };
    let mut rest: Vec<&Series> = motion.series.iter().filter(|s| s.name != "speed").collect();
    rest.sort_by_key(order);
    plots.extend(rest.into_iter().map(|s| of_series(s, &time)));
    plots
}

/// A recorded series as a plot of one line.
fn of_series(series: &Series, time: &[f64]) -> Plot {
    let style = if series.name == "iterations" { LineStyle::Steps } else { LineStyle::Solid };
    let scale = if series.name.contains("residual") { Scale::Log } else { Scale::Linear };
    let line = PlotSeries { name: String::new(), values: series.values.clone(), style };
    Plot { scale, ..over_time(&series.name.replace('_', " "), series.unit, vec![line], time) }
}

/// Speed of each body's centre, where no speed was recorded.
fn speeds(motion: &Motion, time: &[f64]) -> Plot {
    let tracks = &motion.tracks;
    let speed = |track: &Track| track.centers.windows(2).map(|w| (w[1] - w[0]).norm() / motion.dt).collect();
    let line = |(i, track): (usize, &Track)| PlotSeries {
        name: if tracks.len() > 1 { track.name.clone() } else { String::new() },
        values: Series::per_step("speed", "m/s", speed(track)).values,
        style: LineStyle::nth(i),
    };
    over_time("speed", "m/s", tracks.iter().enumerate().map(line).collect(), time)
}

/// Components of linear and angular momentum, a pair of plots for each body (at most three bodies).
fn momenta(motion: &Motion, time: &[f64]) -> Vec<Plot> {
    let [(linear, linear_unit), (angular, angular_unit)] = match motion.momentum_kind {
        MomentumKind::Drag => [("net drag", "N"), ("net drag torque", "N m")],
        MomentumKind::Momentum => [("momentum", "kg m/s"), ("angular momentum", "kg m\u{b2}/s")],
    };
    let mut plots = Vec::new();
    for track in motion.tracks.iter().take(3) {
        let of = |title: &str| if motion.tracks.len() > 1 { format!("{title} of {}", track.name) } else { title.to_string() };
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
