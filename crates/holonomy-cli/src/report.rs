//! What the user sees: a progress bar on standard error, a short table on standard output.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use holonomy_scene::export::summary::{Summary, SummaryOutcome};
use holonomy_scene::words;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Progress on standard error: a bar for anything over a second on a terminal, and one closing line.
pub struct Bar {
    name: String,
    bar: ProgressBar,
    begun: Instant,
    visible: bool,
}

impl Bar {
    /// A bar for the run of `name`.
    pub fn new(name: &str, visible: bool) -> Self {
        Bar::counting("frames", name, visible)
    }

    /// A bar that counts `things`.
    pub fn counting(things: &str, name: &str, visible: bool) -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        if let Ok(style) = ProgressStyle::with_template(&format!("{{prefix}} {{bar:32}} {{pos}}/{{len}} {things}, {{eta}} to go")) {
            bar.set_style(style);
        }
        let name = words::one_line(name).into_owned();
        bar.set_prefix(name.clone());
        Bar { name, bar, begun: Instant::now(), visible }
    }

    /// Shows that `step` of `steps` is under way.
    pub fn show(&self, step: usize, steps: usize) {
        if self.visible && self.bar.is_hidden() && self.begun.elapsed() > Duration::from_secs(1) {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        if !self.bar.is_hidden() {
            self.bar.set_length(steps as u64);
            self.bar.set_position(step as u64);
        }
    }

    /// Removes the bar and says in one line how it went.
    pub fn finish(&self, summary: &Summary) {
        let rate = summary.steps_per_s.map_or_else(String::new, |rate| format!(" ({rate:.0} steps/s)"));
        self.close(&format!("{} frames of {} vertices in {:.3} s{rate}", summary.frames, summary.vertices, summary.wall_s));
    }

    /// Removes the bar and says `how` it went.
    pub fn close(&self, how: &str) {
        self.bar.finish_and_clear();
        if self.visible {
            tell!("{}: {how}", self.name);
        }
    }

    /// Seconds since it was made.
    pub fn seconds(&self) -> f64 {
        self.begun.elapsed().as_secs_f64()
    }
}

/// The short table on standard output.
pub fn table(summary: &Summary, written: &[PathBuf]) {
    let row = |name: &str, text: String| say!("  {:<13} {}", words::one_line(name), words::one_line(&text));
    say!("{}", words::one_line(&summary.scene));
    row("frames", format!("{} at {:.4} s = {:.3} s", summary.frames, summary.dt, summary.dt * summary.frames.saturating_sub(1) as f64));
    travels(&row, summary);
    let passed = summary.checks.iter().filter(|check| check.pass).count();
    row("checks", format!("{passed} of {} pass", summary.checks.len()));
    for check in &summary.checks {
        let number = |value: Option<f64>| value.map_or("not finite".into(), |value| format!("{value:.2e}"));
        let verdict = if check.pass { "ok" } else { "FAILED" };
        row("", format!("{verdict}: {}: {} (at most {})", check.name, number(check.value), number(check.tolerance)));
    }
    if !summary.charts.is_empty() {
        let titles: Vec<&str> = summary.charts.iter().map(|chart| chart.title.as_str()).collect();
        row("charts", format!("{} (drawn in .svg and .html, numbers in .json)", titles.join(", ")));
    }
    match &summary.outcome {
        SummaryOutcome::Done => {}
        SummaryOutcome::Interrupted { frame } => {
            row("stopped", format!("before frame {frame}, as you asked; the frames before it are kept"))
        }
        SummaryOutcome::OutOfReach { reason } => row("FAILED", reason.clone()),
        SummaryOutcome::NotConverged { frame, residual, advice } => {
            let residual = residual.map_or("not finite".into(), |residual| format!("{residual:.1e}"));
            row("FAILED", format!("frame {frame} did not converge (residual {residual}): {advice}"));
        }
    }
    summary.method.iter().for_each(|method| row("solved by", method.clone()));
    summary.warnings.iter().for_each(|warning| row("note", warning.clone()));
    row("wrote", written.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join("  "));
}

/// How far the body got; with several, a line for each.
fn travels(row: &dyn Fn(&str, String), summary: &Summary) {
    if summary.bodies.len() > 1 {
        for body in &summary.bodies {
            let far = body.displacement.iter().map(|x| x * x).sum::<f64>().sqrt();
            let towards =
                if far > 1e-6 * body.body_length { format!(" towards {}", direction(body.displacement, far)) } else { String::new() };
            row(&body.name, format!("{}{towards}, turned by {:.2} deg", metric(far), body.rotation_deg));
        }
        return;
    }
    let [x, y, z] = summary.displacement;
    let far = (x * x + y * y + z * z).sqrt();
    let body_lengths = far / summary.body_length;
    if body_lengths > 1e-6 {
        row(
            "displacement",
            format!(
                "{} = {body_lengths:.3} body lengths, towards {}, of its centre (the CSV has its node)",
                metric(far),
                direction([x, y, z], far)
            ),
        );
    } else {
        row("displacement", "none (below a millionth of the body's length)".into());
    }
    row("rotation", format!("{:.2} deg", summary.rotation_deg));
    if let Some(speed) = summary.mean_speed.filter(|_| body_lengths > 1e-6) {
        row("speed", format!("{}/s = {:.3} body lengths/s", metric(speed), speed / summary.body_length));
    }
}

/// A length in a readable unit.
fn metric(metres: f64) -> String {
    match metres.abs() {
        0.0 => "0 m".into(),
        size if size < 1e-3 => format!("{:.3} um", metres * 1e6),
        size if size < 1.0 => format!("{:.2} mm", metres * 1e3),
        size if size < 1e3 => format!("{metres:.3} m"),
        _ => format!("{:.3} km", metres * 1e-3),
    }
}

fn direction(vector: [f64; 3], length: f64) -> String {
    // Rounded first, so that nothing is "-0.00".
    let [x, y, z] = vector.map(|component| (component / length * 100.0).round() / 100.0 + 0.0);
    format!("({x:.2}, {y:.2}, {z:.2})")
}
