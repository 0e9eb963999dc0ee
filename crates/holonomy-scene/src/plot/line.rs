//! From values to the points of a line: gaps kept, and no more points than the picture can show, without losing a peak.

use super::axis::{Axis, Scale};

/// The unbroken runs of a line, as positions (0 to 1 along x, 0 to 1 up y).
///
/// Where more than four values fall on one of `columns` columns, the first, the lowest, the highest and the last of them stay.
pub fn runs(x: &[f64], values: &[f64], x_axis: &Axis, y_axis: &Axis, scale: Scale, columns: usize) -> Vec<Vec<[f64; 2]>> {
    let mut runs: Vec<Vec<[f64; 2]>> = Vec::new();
    let mut open = false;
    for (&x, &value) in x.iter().zip(values) {
        let shown = x_axis.shows(x) && Axis::can_show(scale, value);
        if shown {
            let point = [x_axis.place(x), y_axis.place(value)];
            if !open {
                runs.push(Vec::new());
            }
            if let Some(run) = runs.last_mut() {
                run.push(point);
            }
        }
        open = shown;
    }
    runs.iter().map(|run| reduced(run, columns)).collect()
}

/// At most four points a column.
fn reduced(run: &[[f64; 2]], columns: usize) -> Vec<[f64; 2]> {
    let column = |p: &[f64; 2]| (p[0] * columns as f64).floor() as i64;
    let mut out = Vec::with_capacity(run.len().min(4 * columns));
    for group in run.chunk_by(|a, b| column(a) == column(b)) {
        if group.len() <= 4 {
            out.extend_from_slice(group);
            continue;
        }
        let extreme = |sign: f64| (0..group.len()).max_by(|&a, &b| (sign * group[a][1]).total_cmp(&(sign * group[b][1]))).unwrap_or(0);
        let mut keep = [0, extreme(-1.0), extreme(1.0), group.len() - 1];
        keep.sort_unstable();
        let mut before = None;
        for i in keep {
            if before != Some(i) {
                out.push(group[i]);
            }
            before = Some(i);
        }
    }
    out
}
