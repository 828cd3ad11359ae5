//! L1-penalized linear classification: min ‖w‖₁ + Σ Cᵢ max(0, 1 - yᵢ w·xᵢ)², a coordinate at a time with a Newton step and a line search (Yuan, Chang, Hsieh and
//! Lin, JMLR 11, 2010).

use ermine_core::{Context, Progress, Result, RngStream};
use ermine_math::columns::{ColumnSlice, Columns, Design};

pub(super) struct L1SvmSolution {
    pub w: Vec<f64>,
    pub constant: f64,
    pub primal: f64,
    pub gap: f64,
    pub violation: f64,
    pub rounds: u64,
    pub converged: bool,
}

/// The loss as a function of one coordinate at a time.
struct SquaredHinge<'a> {
    columns: Columns<'a>,
    rows: usize,
    cols: usize,
    sign: &'a [f64],
    price: &'a [f64],
    /// The value of the constant column, which comes after the others and is penalized like them; 0 for none.
    constant: f64,
}

impl SquaredHinge<'_> {
    fn cells(&self, j: usize, each: &mut dyn FnMut(usize, f64)) {
        if j == self.cols {
            (0..self.rows).for_each(|i| each(i, self.constant));
            return;
        }
        match self.columns.column(j) {
            ColumnSlice::F64(values) => values.iter().enumerate().for_each(|(i, v)| each(i, *v)),
            ColumnSlice::F32(values) => values.iter().enumerate().for_each(|(i, v)| each(i, f64::from(*v))),
            ColumnSlice::Sparse(rows, values) => rows.iter().zip(values).for_each(|(&i, v)| each(i as usize, *v)),
        }
    }

    /// Slope and curvature along a coordinate, where `slack` is 1 - y f.
    fn slopes(&self, slack: &[f64], j: usize) -> (f64, f64) {
        let (mut slope, mut curvature) = (0.0, 0.0);
        self.cells(j, &mut |i, v| {
            if slack[i] > 0.0 {
                slope -= 2.0 * self.price[i] * self.sign[i] * v * slack[i];
                curvature += 2.0 * self.price[i] * v * v;
            }
        });
        (slope, curvature)
    }

    /// One coordinate: a Newton step, halved until the objective falls. Returns the violation of optimality before it.
    fn descend(&self, j: usize, w: &mut f64, slack: &mut [f64]) -> f64 {
        let (slope, curvature) = self.slopes(slack, j);
        let violation = match *w {
            0.0 => (slope.abs() - 1.0).max(0.0),
            w => (slope + w.signum()).abs(),
        };
        let h = curvature.max(1e-12);
        let d = if slope + 1.0 <= h * *w {
            -(slope + 1.0) / h
        } else if slope - 1.0 >= h * *w {
            -(slope - 1.0) / h
        } else {
            -*w
        };
        if d.abs() < 1e-300 {
            return violation;
        }
        let promised = slope * d + (*w + d).abs() - w.abs();
        let mut step = 1.0;
        for _ in 0..30 {
            let mut change = (*w + step * d).abs() - w.abs();
            self.cells(j, &mut |i, v| {
                let new = slack[i] - step * d * self.sign[i] * v;
                change += self.price[i] * (new.max(0.0).powi(2) - slack[i].max(0.0).powi(2));
            });
            if change <= 0.01 * step * promised {
                *w += step * d;
                self.cells(j, &mut |i, v| slack[i] -= step * d * self.sign[i] * v);
                break;
            }
            step *= 0.5;
        }
        violation
    }

    /// Primal and dual objective: α = 2 C slack, brought within |Σ α y x| ≤ 1, is a point of the dual max Σ α - Σ α²/(4C).
    fn objectives(&self, w: &[f64], slack: &[f64]) -> (f64, f64) {
        let losses = self.price.iter().zip(slack);
        let norm: f64 = w.iter().map(|v| v.abs()).sum();
        let primal = norm + losses.clone().map(|(c, s)| c * s.max(0.0).powi(2)).sum::<f64>();
        let reach = (0..w.len()).map(|j| self.slopes(slack, j).0.abs()).fold(1.0, f64::max);
        let dual = losses.map(|(c, s)| {
            let a = 2.0 * c * s.max(0.0) / reach;
            if *c > 0.0 { a - a * a / (4.0 * c) } else { 0.0 }
        });
        (primal, dual.sum())
    }
}

/// The constant column has the value `constant` and is penalized like the others; 0 for none.
pub(super) fn minimize(
    design: &Design<'_>,
    sign: &[f64],
    price: &[f64],
    constant: f64,
    tol: f64,
    max_iter: u64,
    cx: &Context<'_>,
) -> Result<L1SvmSolution> {
    let loss = SquaredHinge { columns: design.all_columns(), rows: design.rows(), cols: design.cols(), sign, price, constant };
    let mut w = vec![0.0; loss.cols + usize::from(constant != 0.0)];
    // 1 - y f.
    let mut slack: Vec<f64> = vec![1.0; loss.rows];
    let mut order: Vec<u32> = (0..w.len() as u32).collect();
    let (mut first, mut violation, mut converged, mut round) = (f64::NAN, f64::INFINITY, false, 0);
    while round < max_iter && !cx.deadline_passed() {
        cx.report(Progress { stage: "round", done: round, total: Some(max_iter), objective: None })?;
        RngStream::new(cx.seed, "sparse svm", round).shuffle(&mut order);
        let mut sum = 0.0;
        for &j in &order {
            sum += loss.descend(j as usize, &mut w[j as usize], &mut slack);
        }
        round += 1;
        if first.is_nan() {
            first = sum;
        }
        violation = sum;
        if sum <= tol * first || sum == 0.0 {
            converged = true;
            break;
        }
    }
    let (primal, dual) = loss.objectives(&w, &slack);
    let constant_term = if constant != 0.0 { w.pop().unwrap_or(0.0) } else { 0.0 };
    Ok(L1SvmSolution { w, constant: constant_term, primal, gap: (primal - dual).max(0.0), violation, rounds: round, converged })
}
