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
        None => plots.push(per_body("speed", "m/s", motion, &time, speed)),
    }
    // What falls is known by how fast it falls and turns (Soliman 2024, Fig. 10).
    let of_bodies: [(&str, PerBody); 2] = [("fall_speed", fall_speed), ("turn_rate", turn_rate)];
    for (name, value) in of_bodies {
        match named(name) {
            Some(series) if motion.tracks.len() > 1 => plots.push(per_body(&plain(name), series.unit, motion, &time, value)),
            Some(series) => plots.push(of_series(series, &time)),
            None => {}
        }
    }
    plots.extend(momenta(motion, &time));
    plots.extend(GROUPS.iter().filter_map(|(title, members)| together(title, members, motion, &time)));
    let order = |s: &&Series| match s.name {
        "residual" => 1,
        "iterations" => 2,
        _ => 0,
    };
    let shown =
        |s: &&Series| ["speed", "fall_speed", "turn_rate"].contains(&s.name) || GROUPS.iter().any(|group| is_drawn(group, s, motion));
    let mut rest: Vec<&Series> = motion.series.iter().filter(|s| !shown(s)).collect();
    rest.sort_by_key(order);
    plots.extend(rest.into_iter().map(|s| of_series(s, &time)));
    plots
}

/// Series that are read together, and how each is called among them.
type Group = (&'static str, &'static [(&'static str, &'static str)]);

const GROUPS: [Group; 2] = [
    ("energy", &[("kinetic_energy", "kinetic"), ("potential_energy", "potential")]),
    (
        "work",
        &[
            ("work_of_drag", "of drag"),
            ("work_of_weight", "of weight"),
            ("work_of_buoyancy", "of buoyancy"),
            ("work_of_thrust", "of thrust"),
            ("work_of_ground", "of the ground"),
        ],
    ),
];

/// One plot of all members that there are and that are not zero throughout; none for a lone one.
fn together(title: &str, members: &[(&str, &str)], motion: &Motion, time: &[f64]) -> Option<Plot> {
    let recorded = |name: &str| motion.series.iter().find(|s| s.name == name);
    if members.iter().filter(|(name, _)| recorded(name).is_some()).count() < 2 {
        return None;
    }
    let members = members.iter().filter_map(|(name, label)| Some((recorded(name)?, *label)));
    let members: Vec<_> = members.filter(|(series, _)| series.values.iter().any(|x| *x != 0.0)).collect();
    let unit = members.first()?.0.unit;
    let line = |(i, (series, label)): (usize, &(&Series, &str))| PlotSeries {
        name: (*label).into(),
        values: series.values.clone(),
        style: LineStyle::nth(i),
    };
    Some(over_time(title, unit, members.iter().enumerate().map(line).collect(), time))
}

/// Whether the series is part of the plot of its group.
fn is_drawn((_, members): &Group, series: &Series, motion: &Motion) -> bool {
    let here = |name: &str| motion.series.iter().any(|s| s.name == name);
    members.iter().any(|(name, _)| *name == series.name) && members.iter().filter(|(name, _)| here(name)).count() > 1
}

/// A recorded series as a plot of one line.
fn of_series(series: &Series, time: &[f64]) -> Plot {
    let style = if series.name == "iterations" { LineStyle::Steps } else { LineStyle::Solid };
    let scale = if series.name.contains("residual") { Scale::Log } else { Scale::Linear };
    let line = PlotSeries { name: String::new(), values: series.values.clone(), style };
    Plot { scale, ..over_time(&plain(series.name), series.unit, vec![line], time) }
}

fn plain(name: &str) -> String {
    name.replace('_', " ")
}

/// A value of a track for each step or frame, with the time of a step.
type PerBody = fn(&Track, f64) -> Vec<f64>;

fn speed(track: &Track, dt: f64) -> Vec<f64> {
    Series::per_step("", "", track.centers.windows(2).map(|w| (w[1] - w[0]).norm() / dt).collect()).values
}

fn fall_speed(track: &Track, dt: f64) -> Vec<f64> {
    Series::per_step("", "", track.centers.windows(2).map(|w| (w[0].y - w[1].y) / dt).collect()).values
}

fn turn_rate(track: &Track, _: f64) -> Vec<f64> {
    track.twists.iter().map(|twist| twist.angular.norm()).collect()
}

/// A line for each body.
fn per_body(title: &str, unit: &str, motion: &Motion, time: &[f64], value: PerBody) -> Plot {
    let tracks = &motion.tracks;
    let line = |(i, track): (usize, &Track)| PlotSeries {
        name: if tracks.len() > 1 { track.name.clone() } else { String::new() },
        values: value(track, motion.dt),
        style: LineStyle::nth(i),
    };
    over_time(title, unit, tracks.iter().enumerate().map(line).collect(), time)
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
