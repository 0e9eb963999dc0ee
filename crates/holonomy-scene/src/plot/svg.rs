//! Plots as SVG text.

use std::fmt::Write;

use holonomy::motion::{Chart, Motion};

use super::axis::{Axis, Scale};
use super::line::runs;
use super::{LineStyle, Plot, PlotSeries, chart, motion_plots};

/// One plot as an SVG file.
pub fn svg(plot: &Plot) -> String {
    draw(std::slice::from_ref(plot), 250.0, &[])
}

/// Several plots one above the other, with a common x axis at the bottom.
pub fn stack(plots: &[Plot]) -> String {
    draw(plots, 118.0, &[])
}

/// All plots of a motion: those over time with a common axis, then its charts.
pub fn of_motion(motion: &Motion) -> String {
    draw(&motion_plots(motion), 118.0, &motion.charts)
}

pub(super) const WIDTH: f64 = 760.0;
pub(super) const LEFT: f64 = 64.0;
pub(super) const RIGHT: f64 = 78.0;
const ABOVE: f64 = 30.0;
pub(super) const BELOW: f64 = 44.0;

/// Colours for light and dark, chosen by the reader's setting. The rectangle behind keeps the text legible on any page.
const STYLE: &str = "\
.hp{color:#24292f;font:12px system-ui,-apple-system,'Segoe UI',Roboto,sans-serif}\
.hp text{fill:currentColor}.hp .bg{fill:#fff}.hp .t{font-weight:600}.hp .m{opacity:.72}\
.hp .g{stroke:currentColor;stroke-opacity:.13}.hp .a{stroke:currentColor;stroke-opacity:.55;fill:none}\
.hp .l{fill:none;stroke-width:1.7;stroke-linejoin:round;stroke-linecap:round}\
.hp .d{fill:currentColor;stroke-width:0}.hp .b{fill:none}\
.hp .c0{stroke:#1f6f9f;color:#1f6f9f}.hp .c1{stroke:#b5541c;color:#b5541c}.hp .c2{stroke:#2f7d4f;color:#2f7d4f}\
.hp .c3{stroke:#8a3a63;color:#8a3a63}.hp .c4{stroke:#5b4fa3;color:#5b4fa3}.hp .c5{stroke:#7a6a1c;color:#7a6a1c}\
@media (prefers-color-scheme:dark){.hp{color:#e2e6ea}.hp .bg{fill:#15181c}\
.hp .c0{stroke:#6bb8e6;color:#6bb8e6}.hp .c1{stroke:#f0995c;color:#f0995c}.hp .c2{stroke:#77cf9b;color:#77cf9b}\
.hp .c3{stroke:#dd8fb8;color:#dd8fb8}.hp .c4{stroke:#b3a8f0;color:#b3a8f0}.hp .c5{stroke:#d8c56a;color:#d8c56a}}";

fn draw(plots: &[Plot], panel: f64, charts: &[Chart]) -> String {
    let over_time = plots.len() as f64 * (panel + ABOVE) + BELOW + 4.0;
    let height = over_time + charts.iter().map(chart::height).sum::<f64>();
    let title = plots.iter().map(heading).chain(charts.iter().map(chart::heading)).collect::<Vec<_>>().join("; ");
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"hp\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" height=\"{height}\" role=\"img\">\
         <title>{}</title><style>{STYLE}</style><rect class=\"bg\" width=\"{WIDTH}\" height=\"{height}\"/>\n",
        escape(&title)
    );
    let x_values = || plots.iter().flat_map(|p| p.x.iter().copied());
    let x_axis = Axis::tight(x_values(), 8);
    for (i, plot) in plots.iter().enumerate() {
        let top = i as f64 * (panel + ABOVE) + ABOVE;
        let frame = Frame { top, bottom: top + panel, right: WIDTH - RIGHT };
        frame.panel(&mut out, plot, &x_axis, i + 1 == plots.len());
    }
    let mut top = over_time;
    for chart in charts {
        chart::draw(&mut out, chart, top);
        top += chart::height(chart);
    }
    out.push_str("</svg>\n");
    out
}

/// Where a panel is, pixels.
pub(super) struct Frame {
    pub top: f64,
    pub bottom: f64,
    pub right: f64,
}

impl Frame {
    pub fn x(&self, place: f64) -> f64 {
        LEFT + place * (self.right - LEFT)
    }

    pub fn y(&self, place: f64) -> f64 {
        self.bottom - place * (self.bottom - self.top)
    }

    fn panel(&self, out: &mut String, plot: &Plot, x_axis: &Axis, last: bool) {
        let values = plot.series.iter().flat_map(|s| s.values.iter().take(plot.x.len()).copied());
        let ticks = ((self.bottom - self.top) / 34.0) as usize;
        let counts =
            !plot.series.is_empty() && plot.series.iter().all(|s| s.style == LineStyle::Steps && !s.values.iter().any(|v| *v < 0.0));
        let y_axis = if counts { Axis::counting(values, ticks) } else { Axis::new(values, plot.scale, ticks) };
        let _ = writeln!(out, "<text class=\"t\" x=\"{LEFT}\" y=\"{}\">{}</text>", n(self.top - 10.0), escape(&heading(plot)));
        if !y_axis.factor.is_empty() {
            let _ = writeln!(
                out,
                "<text class=\"m\" x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>",
                n(LEFT - 6.0),
                n(self.top - 10.0),
                y_axis.factor
            );
        }
        self.y_ticks(out, &y_axis);
        self.x_ticks(out, x_axis, last);
        let _ = writeln!(out, "<path class=\"a\" d=\"M{LEFT} {}V{}H{}\"/>", n(self.top), n(self.bottom), n(self.right));
        if last {
            self.x_label(out, &plot.x_label, &plot.x_unit, x_axis);
        }
        let mut ends = Vec::new();
        for (i, series) in plot.series.iter().enumerate() {
            if let Some(end) = self.line(out, i, series, plot, x_axis, &y_axis) {
                ends.push((end, series.name.as_str()));
            }
        }
        if ends.is_empty() {
            let (x, y) = (self.x(0.5), self.y(0.45));
            let _ = writeln!(out, "<text class=\"m\" x=\"{}\" y=\"{}\" text-anchor=\"middle\">no values</text>", n(x), n(y));
        }
        self.names(out, ends);
    }

    pub fn y_ticks(&self, out: &mut String, axis: &Axis) {
        for (value, label) in &axis.ticks {
            let y = self.y(axis.place(*value));
            let _ = writeln!(
                out,
                "<path class=\"g\" d=\"M{LEFT} {y}H{}\"/><text class=\"m y\" x=\"{}\" y=\"{}\" text-anchor=\"end\">{label}</text>",
                n(self.right),
                n(LEFT - 7.0),
                n(y + 4.0),
                y = n(y)
            );
        }
    }

    pub fn x_ticks(&self, out: &mut String, axis: &Axis, labels: bool) {
        for (value, label) in &axis.ticks {
            let x = n(self.x(axis.place(*value)));
            let _ = writeln!(out, "<path class=\"g\" d=\"M{x} {}V{}\"/>", n(self.top), n(self.bottom));
            if labels {
                let _ =
                    writeln!(out, "<text class=\"m x\" x=\"{x}\" y=\"{}\" text-anchor=\"middle\">{label}</text>", n(self.bottom + 17.0));
            }
        }
    }

    pub fn x_label(&self, out: &mut String, name: &str, unit: &str, axis: &Axis) {
        let unit = format!("{}{}{}", axis.factor, if axis.factor.is_empty() { "" } else { " " }, unit);
        let text = with_unit(name, unit.trim());
        let (x, y) = (self.x(0.5), self.bottom + 36.0);
        let _ = writeln!(out, "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>", n(x), n(y), escape(&text));
    }

    /// Draws a line; says at which height it ends.
    fn line(&self, out: &mut String, i: usize, series: &PlotSeries, plot: &Plot, x_axis: &Axis, y_axis: &Axis) -> Option<f64> {
        let runs = runs(&plot.x, &series.values, x_axis, y_axis, plot.scale, (self.right - LEFT) as usize);
        let mut path = String::new();
        for run in &runs {
            for (k, p) in run.iter().enumerate() {
                let (x, y) = (n(self.x(p[0])), n(self.y(p[1])));
                let _ = match (k, series.style) {
                    (0, _) => write!(path, "M{x} {y}"),
                    (_, LineStyle::Steps) => write!(path, "H{x}V{y}"),
                    _ => write!(path, "L{x} {y}"),
                };
            }
            if run.len() == 1 {
                path.push_str("h0.01"); // a lone value shows as a dot
            }
        }
        let end = *runs.last()?.last()?;
        let dashes = series.style.dashes().map(|d| format!(" stroke-dasharray=\"{d}\"")).unwrap_or_default();
        let _ = writeln!(out, "<path class=\"l c{}\"{dashes} d=\"{path}\"/>", i % 4);
        Some(self.y(end[1]))
    }

    /// Writes the names at the ends of their lines, pushed apart where they would touch.
    fn names(&self, out: &mut String, mut ends: Vec<(f64, &str)>) {
        ends.retain(|(_, name)| !name.is_empty());
        ends.sort_by(|a, b| a.0.total_cmp(&b.0));
        const LINE: f64 = 14.0;
        let mut ys: Vec<f64> = ends.iter().map(|e| e.0).collect();
        for i in 1..ys.len() {
            ys[i] = ys[i].max(ys[i - 1] + LINE);
        }
        let over = ys.last().map_or(0.0, |y| (y - self.bottom).max(0.0));
        for i in (0..ys.len()).rev() {
            let limit = if i + 1 < ys.len() { ys[i + 1] - LINE } else { ys[i] - over };
            ys[i] = ys[i].min(limit);
        }
        for ((at, name), y) in ends.iter().zip(ys) {
            let (x, right) = (n(self.right + 14.0), n(self.right));
            let _ = writeln!(
                out,
                "<path class=\"a\" d=\"M{right} {}L{} {}\"/><text x=\"{x}\" y=\"{}\">{}</text>",
                n(*at),
                n(self.right + 11.0),
                n(y),
                n(y + 4.0),
                escape(name)
            );
        }
    }
}

fn heading(plot: &Plot) -> String {
    let unit = if plot.scale == Scale::Log && plot.unit.is_empty() { "log scale" } else { &plot.unit };
    with_unit(&plot.title, unit)
}

pub(super) fn with_unit(label: &str, unit: &str) -> String {
    if unit.is_empty() { label.to_string() } else { format!("{label} ({unit})") }
}

/// A coordinate with a tenth of a pixel, never NaN.
pub(super) fn n(v: f64) -> String {
    let v = if v.is_finite() { v.clamp(-1e5, 1e5) } else { 0.0 };
    let text = format!("{v:.1}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_string)
}

pub(super) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
