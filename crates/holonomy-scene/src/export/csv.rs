//! The table of a motion: a row a frame, units in the header, RFC 4180 (CRLF, quotes where needed), numbers that read back to the same bits.
//!
//! Columns: `t [s]`; of each body `x [m] y [m] z [m] qw qx qy qz`; then of each body its twist in its own frame (`wx [rad/s]` …,
//! `vx [m/s]` …); then its momentum in the world frame about the world's origin (`angular_momentum_x [kg m^2/s]` …, `momentum_x [kg m/s]` …)
//! or, where drag rules, the net drag (`drag_torque_x [N m]` …, `drag_x [N]` …);
//! then what else was measured of it; then the recorded pose, if the asset had one. With several bodies, names start with `body.`.
//! A cell is empty where there is no value. Quaternions keep their sign from row to row.

use std::borrow::Cow;

use holonomy::lie::{Momentum, Pose, Twist};
use holonomy::motion::{MomentumKind, Motion, Quantity, Track};
use holonomy::nalgebra::{Vector3, Vector4};

use crate::Error;

/// The table as text. `recorded` is the world motion the asset had of its own, from frame 0 on; it may end sooner or later than the motion.
///
/// # Errors
/// A pose, twist or momentum that is not finite. A series value that is not finite has no meaning and leaves its cell empty.
pub fn table(motion: &Motion, recorded: Option<&[Pose]>) -> Result<String, Error> {
    let mut columns = vec![Column { name: "t [s]".into(), values: (0..motion.frames()).map(|k| Some(k as f64 * motion.dt)).collect() }];
    let bodies: Vec<&Track> = motion.bodies().into_iter().map(|i| &motion.tracks[i]).collect();
    let prefix = |track: &Track| if bodies.len() > 1 { format!("{}.", track.name) } else { String::new() };
    for track in &bodies {
        columns.extend(pose_columns(&prefix(track), &track.poses));
    }
    for track in &bodies {
        let names = ["wx [rad/s]", "wy [rad/s]", "wz [rad/s]", "vx [m/s]", "vy [m/s]", "vz [m/s]"];
        columns.extend(group(&prefix(track), names, &track.twists, |twist: &Twist| six(&twist.angular, &twist.linear)));
    }
    for track in &bodies {
        let names = match motion.momentum_kind {
            MomentumKind::Momentum => MOMENTUM,
            MomentumKind::Drag => DRAG,
        };
        columns.extend(group(&prefix(track), names, &track.momenta, |m: &Momentum| six(&m.angular, &m.linear)));
    }
    if let Some(poses) = recorded {
        columns.extend(pose_columns("recorded_", &poses[..poses.len().min(motion.frames())]));
    }
    refuse_non_finite(&columns)?;
    let at = columns.len() - if recorded.is_some() { 7 } else { 0 };
    let measured = bodies.iter().flat_map(|track| {
        let prefix = prefix(track);
        track.series.iter().map(move |series| Column {
            name: format!("{prefix}{}", column(&series.quantity)),
            values: series.values.iter().map(|v| v.is_finite().then_some(*v)).collect(),
        })
    });
    columns.splice(at..at, measured);
    Ok(write(&columns, motion.frames()))
}

const MOMENTUM: [&str; 6] = [
    "angular_momentum_x [kg m^2/s]",
    "angular_momentum_y [kg m^2/s]",
    "angular_momentum_z [kg m^2/s]",
    "momentum_x [kg m/s]",
    "momentum_y [kg m/s]",
    "momentum_z [kg m/s]",
];
const DRAG: [&str; 6] = ["drag_torque_x [N m]", "drag_torque_y [N m]", "drag_torque_z [N m]", "drag_x [N]", "drag_y [N]", "drag_z [N]"];

struct Column {
    name: String,
    values: Vec<Option<f64>>,
}

fn pose_columns(prefix: &str, poses: &[Pose]) -> Vec<Column> {
    let mut last = Vector4::zeros();
    let rows: Vec<[f64; 7]> = poses
        .iter()
        .map(|pose| {
            let mut q = pose.rotation.coords;
            if q.dot(&last) < 0.0 {
                q = -q;
            }
            last = q;
            let t = pose.translation;
            [t.x, t.y, t.z, q.w, q.x, q.y, q.z]
        })
        .collect();
    group(prefix, ["x [m]", "y [m]", "z [m]", "qw", "qx", "qy", "qz"], &rows, |row| *row)
}

/// `N` columns from one list, each element of which gives one row of them.
fn group<T, const N: usize>(prefix: &str, names: [&str; N], list: &[T], row: impl Fn(&T) -> [f64; N]) -> Vec<Column> {
    let column =
        |(i, name): (usize, &str)| Column { name: format!("{prefix}{name}"), values: list.iter().map(|x| Some(row(x)[i])).collect() };
    names.into_iter().enumerate().map(column).collect()
}

fn six(angular: &Vector3<f64>, linear: &Vector3<f64>) -> [f64; 6] {
    [angular.x, angular.y, angular.z, linear.x, linear.y, linear.z]
}

/// A quantity's name with its unit.
pub(crate) fn column(quantity: &Quantity) -> String {
    // Controls have the names of scene files, with hyphens.
    let (name, unit) = (quantity.name.replace('-', "_"), quantity.unit);
    if unit.is_empty() { name } else { format!("{name} [{unit}]") }
}

fn refuse_non_finite(columns: &[Column]) -> Result<(), Error> {
    for column in columns {
        if let Some(k) = column.values.iter().position(|v| v.is_some_and(|v| !v.is_finite())) {
            let problem = format!("its value is {}", column.values[k].unwrap_or(f64::NAN));
            return Err(Error::export(format!("column {}, frame {k}", column.name), problem, "the run diverged; use a smaller time step"));
        }
    }
    Ok(())
}

fn write(columns: &[Column], frames: usize) -> String {
    let mut out = String::with_capacity(columns.len() * (frames + 1) * 20);
    let mut line = |cells: &mut dyn Iterator<Item = String>| {
        for (i, cell) in cells.enumerate() {
            if i > 0 {
                out.push(',');
            }
            out.push_str(&cell);
        }
        out.push_str("\r\n");
    };
    line(&mut columns.iter().map(|c| quoted(&c.name)));
    for k in 0..frames {
        // Debug prints the shortest digits that read back to the same number, with an exponent when that is shorter.
        line(&mut columns.iter().map(|c| c.values.get(k).copied().flatten().map_or_else(String::new, |v| format!("{v:?}"))));
    }
    out
}

/// A cell, in quotes if it needs them. A text that a spreadsheet would take for a formula gets an
/// apostrophe before it, which is how spreadsheets mark text; numbers stay as they are.
pub(crate) fn quoted(cell: &str) -> String {
    let formula = cell.starts_with(['=', '+', '-', '@', '\t', '\r']) && cell.parse::<f64>().is_err();
    let cell = if formula { Cow::Owned(format!("'{cell}")) } else { Cow::Borrowed(cell) };
    if formula || cell.contains([',', '"', '\r', '\n']) { format!("\"{}\"", cell.replace('"', "\"\"")) } else { cell.into_owned() }
}
