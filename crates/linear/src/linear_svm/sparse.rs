//! Few columns: min ‖w‖₁ + Σ Cᵢ max(0, 1 - yᵢ w·xᵢ)², a coordinate at a time with a Newton step and a line search (Yuan, Chang, Hsieh and
//! Lin, JMLR 11, 2010).

use ermine_core::{Context, Progress, Result, RngStream};
use ermine_math::columns::{ColumnSlice, Design};

pub(super) struct L1SvmSolution {
    pub w: Vec<f64>,
    pub constant: f64,
    pub primal: f64,
    pub gap: f64,
    pub violation: f64,
    pub rounds: u64,
    pub converged: bool,
}

/// The constant column has the value `constant` and is penalised like the others; 0 for none.
pub(super) fn minimise(
    design: &Design<'_>,
    sign: &[f64],
    price: &[f64],
    constant: f64,
    tol: f64,
    max_iter: u64,
    cx: &Context<'_>,
) -> Result<L1SvmSolution> {
    let columns = design.all_columns();
    let (n, p) = (design.rows(), design.cols());
    let cells = |j: usize, each: &mut dyn FnMut(usize, f64)| {
        if j == p {
            (0..n).for_each(|i| each(i, constant));
            return;
        }
        match columns.column(j) {
            ColumnSlice::F64(values) => values.iter().enumerate().for_each(|(i, v)| each(i, *v)),
            ColumnSlice::F32(values) => values.iter().enumerate().for_each(|(i, v)| each(i, f64::from(*v))),
            ColumnSlice::Sparse(rows, values) => rows.iter().zip(values).for_each(|(&i, v)| each(i as usize, *v)),
        }
    };
    let count = p + usize::from(constant != 0.0);
    let mut w = vec![0.0; count];
    // 1 - y f.
    let mut slack: Vec<f64> = vec![1.0; n];
    let slopes = |slack: &[f64], j: usize| {
        let (mut slope, mut curvature) = (0.0, 0.0);
        cells(j, &mut |i, v| {
            if slack[i] > 0.0 {
                slope -= 2.0 * price[i] * sign[i] * v * slack[i];
                curvature += 2.0 * price[i] * v * v;
            }
        });
        (slope, curvature)
    };
    let violation_of = |w: f64, slope: f64| match w {
        0.0 => (slope.abs() - 1.0).max(0.0),
        _ => (slope + w.signum()).abs(),
    };
    let mut order: Vec<u32> = (0..count as u32).collect();
    let (mut first, mut violation, mut converged, mut round) = (f64::NAN, f64::INFINITY, false, 0);
    while round < max_iter && !cx.deadline_passed() {
        cx.report(Progress { stage: "round", done: round, total: Some(max_iter), objective: None })?;
        RngStream::new(cx.seed, "sparse svm", round).shuffle(&mut order);
        let mut sum = 0.0;
        for &j in &order {
            let j = j as usize;
            let (slope, curvature) = slopes(&slack, j);
            sum += violation_of(w[j], slope);
            let h = curvature.max(1e-12);
            let d = if slope + 1.0 <= h * w[j] {
                -(slope + 1.0) / h
            } else if slope - 1.0 >= h * w[j] {
                -(slope - 1.0) / h
            } else {
                -w[j]
            };
            if d.abs() < 1e-300 {
                continue;
            }
            let promised = slope * d + (w[j] + d).abs() - w[j].abs();
            let mut step = 1.0;
            for _ in 0..30 {
                let mut change = (w[j] + step * d).abs() - w[j].abs();
                cells(j, &mut |i, v| {
                    let new = slack[i] - step * d * sign[i] * v;
                    change += price[i] * (new.max(0.0).powi(2) - slack[i].max(0.0).powi(2));
                });
                if change <= 0.01 * step * promised {
                    w[j] += step * d;
                    cells(j, &mut |i, v| slack[i] -= step * d * sign[i] * v);
                    break;
                }
                step *= 0.5;
            }
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
    let norm: f64 = w.iter().map(|v| v.abs()).sum();
    let primal = norm + price.iter().zip(&slack).map(|(c, s)| c * s.max(0.0).powi(2)).sum::<f64>();
    // α = 2 C slack, brought within |Σ α y x| ≤ 1, is a point of the dual max Σ α - Σ α²/(4C).
    let reach = (0..count).map(|j| slopes(&slack, j).0.abs()).fold(1.0, f64::max);
    let dual: f64 = price
        .iter()
        .zip(&slack)
        .map(|(c, s)| {
            let a = 2.0 * c * s.max(0.0) / reach;
            if *c > 0.0 { a - a * a / (4.0 * c) } else { 0.0 }
        })
        .sum();
    let constant_term = if constant != 0.0 { w.pop().unwrap_or(0.0) } else { 0.0 };
    Ok(L1SvmSolution { w, constant: constant_term, primal, gap: (primal - dual).max(0.0), violation, rounds: round, converged })
}
