//! Conjugate gradients for several right-hand sides at once, with a dense symmetric matrix that is read once per iteration.
//!
//! The matrix may be singular in the ways a surface makes it so: a constant on each closed piece (taken out), and fixed unknowns (kept zero).

/// Six rigid motions, one change of shape, and one to fill the register.
pub(super) const COLUMNS: usize = 8;

/// One number per right-hand side.
pub(super) type Row = [f64; COLUMNS];

/// Relative residual to reach, and what to do at most.
const TOLERANCE: f64 = 1e-12;
const MOST_ITERATIONS: usize = 2000;

/// Solves `matrix · solution = right`, starting from `solution`; returns the largest relative residual left.
pub(super) fn solve(matrix: &[f64], right: &[Row], free: &[Option<u32>], fixed: &[bool], solution: &mut [Row]) -> f64 {
    let n = right.len();
    let constraint = Constraint::new(free, fixed);
    let scale: Vec<f64> = (0..n).map(|i| matrix[i * n + i]).map(|d| if d > 0.0 { 1.0 / d } else { 1.0 }).collect();
    constraint.apply(solution);
    let mut image = vec![[0.0; COLUMNS]; n];
    multiply(matrix, solution, &mut image);
    let mut residual: Vec<Row> = right.iter().zip(&image).map(|(r, w)| std::array::from_fn(|j| r[j] - w[j])).collect();
    constraint.apply(&mut residual);
    let mut target = right.to_vec();
    constraint.apply(&mut target);
    let goal = dot(&target, &target).map(|g| g * TOLERANCE * TOLERANCE);
    let precondition = |residual: &[Row]| {
        let mut scaled: Vec<Row> = residual.iter().zip(&scale).map(|(r, s)| r.map(|r| r * s)).collect();
        constraint.apply(&mut scaled);
        scaled
    };
    let mut direction = precondition(&residual);
    let mut slope = dot(&residual, &direction);
    for _ in 0..MOST_ITERATIONS {
        let left = dot(&residual, &residual);
        if (0..COLUMNS).all(|j| left[j] <= goal[j]) {
            break;
        }
        multiply(matrix, &direction, &mut image);
        constraint.apply(&mut image);
        let curvature = dot(&direction, &image);
        // A column that is done, or that rounding has made hollow, stands still.
        let step: Row = std::array::from_fn(|j| if left[j] > goal[j] && curvature[j] > 0.0 { slope[j] / curvature[j] } else { 0.0 });
        if step == [0.0; COLUMNS] {
            break;
        }
        for i in 0..n {
            for j in 0..COLUMNS {
                solution[i][j] += step[j] * direction[i][j];
                residual[i][j] -= step[j] * image[i][j];
            }
        }
        let scaled = precondition(&residual);
        let next = dot(&residual, &scaled);
        let turn: Row = std::array::from_fn(|j| if slope[j] > 0.0 { next[j] / slope[j] } else { 0.0 });
        for i in 0..n {
            (0..COLUMNS).for_each(|j| direction[i][j] = scaled[i][j] + turn[j] * direction[i][j]);
        }
        slope = next;
    }
    let left = dot(&residual, &residual);
    (0..COLUMNS).map(|j| if goal[j] > 0.0 { (left[j] / goal[j]).sqrt() * TOLERANCE } else { 0.0 }).fold(0.0, f64::max)
}

/// What solutions must be: zero where fixed, without a constant on each free group.
struct Constraint<'a> {
    free: &'a [Option<u32>],
    fixed: &'a [bool],
    /// Unknowns per group.
    counts: Vec<f64>,
}

impl Constraint<'_> {
    fn new<'a>(free: &'a [Option<u32>], fixed: &'a [bool]) -> Constraint<'a> {
        let mut counts = vec![0.0; free.iter().flatten().max().map_or(0, |&last| last as usize + 1)];
        free.iter().flatten().for_each(|&group| counts[group as usize] += 1.0);
        Constraint { free, fixed, counts }
    }

    fn apply(&self, vectors: &mut [Row]) {
        let mut means = vec![[0.0; COLUMNS]; self.counts.len()];
        for (row, group) in vectors.iter().zip(self.free) {
            if let Some(group) = group {
                (0..COLUMNS).for_each(|j| means[*group as usize][j] += row[j] / self.counts[*group as usize]);
            }
        }
        for ((row, group), &fixed) in vectors.iter_mut().zip(self.free).zip(self.fixed) {
            match group {
                Some(group) => (0..COLUMNS).for_each(|j| row[j] -= means[*group as usize][j]),
                None if fixed => *row = [0.0; COLUMNS],
                None => {}
            }
        }
    }
}

fn multiply(matrix: &[f64], vectors: &[Row], image: &mut [Row]) {
    for (row, image) in matrix.chunks_exact(vectors.len()).zip(image) {
        let mut sum = [0.0; COLUMNS];
        for (entry, vector) in row.iter().zip(vectors) {
            (0..COLUMNS).for_each(|j| sum[j] += entry * vector[j]);
        }
        *image = sum;
    }
}

fn dot(left: &[Row], right: &[Row]) -> Row {
    let mut sum = [0.0; COLUMNS];
    for (l, r) in left.iter().zip(right) {
        (0..COLUMNS).for_each(|j| sum[j] += l[j] * r[j]);
    }
    sum
}
