//! Charts: lines through points on axes of their own, with a legend above. Measured lines have marks, what they are compared with is dashed; bars lie in rows.

use std::fmt::Write;

use holonomy::motion::{Chart, ChartAxis, ChartLine, ChartScale, Stroke};

use super::axis::{Axis, Scale};
use super::line::runs;
use super::svg::{BELOW, Frame, LEFT, RIGHT, WIDTH, escape, n, with_unit};

const PANEL: f64 = 210.0;
/// Height of a row of bars, pixels: at most, and what it takes to be told from the next; and of all rows at most.
const BAR_ROW: [f64; 2] = [22.0, 9.0];
const TALLEST: f64 = 640.0;
/// Share of its row that a bar fills.
const FILLED: f64 = 0.72;
/// Room above the first line of the legend, and for each.
const TITLE: f64 = 44.0;
const ROW: f64 = 18.0;
/// Colours to tell lines apart; see the style sheet.
const COLORS: usize = 6;

/// Height of a chart, pixels.
pub(super) fn height(chart: &Chart) -> f64 {
    above(chart) + panel(chart) + BELOW
}

/// Height of what is drawn, pixels: more where there are many rows of bars.
fn panel(chart: &Chart) -> f64 {
    bar_rows(chart).map_or(PANEL, |(from, to, apart)| (BAR_ROW[1] * ((to - from) / apart + 1.0)).clamp(PANEL, TALLEST))
}

/// Of the bars of a chart the lowest and the highest y, and the least distance between two rows; `None` if there are none.
fn bar_rows(chart: &Chart) -> Option<(f64, f64, f64)> {
    let mut rows: Vec<f64> = bars(&chart.lines).filter(|[from, _]| from[1].is_finite()).map(|[from, _]| from[1]).collect();
    rows.sort_by(f64::total_cmp);
    rows.dedup();
    let apart = rows.windows(2).map(|pair| pair[1] - pair[0]).fold(f64::INFINITY, f64::min);
    Some((*rows.first()?, *rows.last()?, if apart.is_finite() { apart } else { 1.0 }))
}

/// The bars of lines that are bars, as pairs of points.
fn bars(lines: &[ChartLine]) -> impl Iterator<Item = &[[f64; 2]; 2]> {
    lines.iter().filter(|line| line.stroke == Stroke::Bars).flat_map(|line| line.points.as_chunks::<2>().0)
}

/// Room for title and legend, pixels.
fn above(chart: &Chart) -> f64 {
    let rows = legend(chart).last().map_or(0.0, |&(_, _, row)| row as f64 + 1.0);
    TITLE + ROW * rows + 8.0
}

/// What the title and the upward axis say.
pub(super) fn heading(chart: &Chart) -> String {
    let measured = with_unit(&chart.y.name, &chart.y.unit);
    if chart.title == chart.y.name || chart.title.is_empty() { measured } else { format!("{}: {measured}", chart.title) }
}

/// Draws a chart below `top`.
pub(super) fn draw(out: &mut String, chart: &Chart, top: f64) {
    let above = above(chart);
    let frame = Frame { top: top + above, bottom: top + above + panel(chart), right: WIDTH - RIGHT };
    let values = |axis: usize| chart.lines.iter().flat_map(move |line| line.points.iter().map(move |p| p[axis]));
    // A point has a place only if both its numbers have.
    let both = |p: &[f64; 2]| Axis::can_show(scale(&chart.x), p[0]) && Axis::can_show(scale(&chart.y), p[1]);
    let x_axis = Axis::new(values(0), scale(&chart.x), 8);
    let y_axis = match bar_rows(chart) {
        // Half a row of air below and above bars, and no ticks between rows.
        Some((from, to, apart)) if chart.y.scale == ChartScale::Linear => {
            let rows = (to - from) / apart + 1.0;
            Axis::tight(values(1).chain([from - 0.5 * apart, to + 0.5 * apart]), rows.min(6.0) as usize)
        }
        _ => Axis::new(values(1), scale(&chart.y), 6),
    };
    let thick = bar_rows(chart).map_or(0.0, |(from, _, apart)| {
        let row = (frame.y(y_axis.place(from)) - frame.y(y_axis.place(from + apart))).abs();
        FILLED * row.min(BAR_ROW[0])
    });
    let _ = writeln!(out, "<text class=\"t\" x=\"{LEFT}\" y=\"{}\">{}</text>", n(top + 34.0), escape(&heading(chart)));
    if !y_axis.factor.is_empty() {
        let (x, y) = (n(LEFT - 6.0), n(frame.top - 10.0));
        let _ = writeln!(out, "<text class=\"m\" x=\"{x}\" y=\"{y}\" text-anchor=\"end\">{}</text>", y_axis.factor);
    }
    frame.y_ticks(out, &y_axis);
    frame.x_ticks(out, &x_axis, true);
    let _ = writeln!(out, "<path class=\"a\" d=\"M{LEFT} {}V{}H{}\"/>", n(frame.top), n(frame.bottom), n(frame.right));
    frame.x_label(out, &chart.x.name, &chart.x.unit, &x_axis);
    for (i, line) in chart.lines.iter().enumerate() {
        let (xs, ys): (Vec<f64>, Vec<f64>) = line.points.iter().map(|p| if both(p) { (p[0], p[1]) } else { (f64::NAN, f64::NAN) }).unzip();
        let mut path = String::new();
        let mut marks = String::new();
        if line.stroke == Stroke::Bars {
            for [from, to] in line.points.as_chunks::<2>().0.iter().filter(|pair| pair.iter().all(both)) {
                let (a, b) = (frame.x(x_axis.place(from[0])), frame.x(x_axis.place(to[0])));
                let _ = write!(path, "M{} {}H{}", n(a), n(frame.y(y_axis.place(from[1]))), n(b));
            }
            bar(out, i, &path, thick);
            continue;
        }
        for run in runs(&xs, &ys, &x_axis, &y_axis, scale(&chart.y), 4 * WIDTH as usize) {
            for (k, p) in run.iter().enumerate() {
                let (x, y) = (frame.x(p[0]), frame.y(p[1]));
                let _ = write!(path, "{}{} {}", if k == 0 { 'M' } else { 'L' }, n(x), n(y));
                marks.push_str(&mark(i, x, y));
            }
        }
        stroke(out, i, line, &path, &marks);
    }
    if !chart.lines.iter().flat_map(|line| &line.points).any(both) {
        let (x, y) = (frame.x(0.5), frame.y(0.45));
        let _ = writeln!(out, "<text class=\"m\" x=\"{}\" y=\"{}\" text-anchor=\"middle\">no values</text>", n(x), n(y));
    }
    for (i, left, row) in legend(chart) {
        let y = top + TITLE + ROW * row as f64 + 8.0;
        let path = format!("M{} {y}H{}", n(left), n(left + 26.0), y = n(y));
        match chart.lines[i].stroke {
            Stroke::Bars => bar(out, i, &path, 9.0),
            _ => stroke(out, i, &chart.lines[i], &path, &mark(i, left + 13.0, y)),
        }
        let name = escape(&chart.lines[i].name);
        let _ = writeln!(out, "<text class=\"k\" x=\"{}\" y=\"{}\">{name}</text>", n(left + 32.0), n(y + 4.0));
    }
}

/// Level bars of this thickness, pixels.
fn bar(out: &mut String, i: usize, path: &str, thick: f64) {
    let _ = writeln!(out, "<path class=\"b c{}\" stroke-width=\"{}\" d=\"{path}\"/>", i % COLORS, n(thick));
}

fn stroke(out: &mut String, i: usize, line: &ChartLine, path: &str, marks: &str) {
    let color = i % COLORS;
    let _ = match line.stroke {
        Stroke::Solid => writeln!(out, "<path class=\"l c{color}\" d=\"{path}\"/><path class=\"d c{color}\" d=\"{marks}\"/>"),
        Stroke::Dashed | Stroke::Bars => writeln!(out, "<path class=\"l c{color}\" stroke-dasharray=\"7 4\" d=\"{path}\"/>"),
    };
}

/// The outline of a mark; neighbours differ in form: disc, square, triangle, diamond.
fn mark(i: usize, x: f64, y: f64) -> String {
    match i % 4 {
        0 => format!("M{} {}a2.8 2.8 0 1 0 0.1 0z", n(x), n(y - 2.8)),
        1 => format!("M{} {}h5v5h-5z", n(x - 2.5), n(y - 2.5)),
        2 => format!("M{} {}l3.2 5.6h-6.4z", n(x), n(y - 3.4)),
        _ => format!("M{} {}l3.4 3.4l-3.4 3.4l-3.4 -3.4z", n(x), n(y - 3.4)),
    }
}

/// Where the names of the lines stand: line, left edge and row. Widths are estimated, with room to spare.
fn legend(chart: &Chart) -> Vec<(usize, f64, usize)> {
    let (mut places, mut left, mut row) = (Vec::new(), LEFT, 0);
    for (i, line) in chart.lines.iter().enumerate().filter(|(_, line)| !line.name.is_empty()) {
        let width = 54.0 + 6.8 * line.name.chars().count() as f64;
        if left > LEFT && left + width > WIDTH - 16.0 {
            (left, row) = (LEFT, row + 1);
        }
        places.push((i, left, row));
        left += width;
    }
    places
}

fn scale(axis: &ChartAxis) -> Scale {
    match axis.scale {
        ChartScale::Linear => Scale::Linear,
        ChartScale::Log => Scale::Log,
    }
}
