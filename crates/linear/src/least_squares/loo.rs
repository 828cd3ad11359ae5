//! Ridge over a whole grid of penalties from one factorization, with the exact error of leaving out one row at a time.
//!
//! With Z the centered rows times the square roots of their weights and `ZᵀZ = Q Λ Qᵀ`, the coefficients at alpha are
//! `Q (Λ + alpha)⁻¹ Qᵀ Zᵀ z_y`. A row turned to these axes, `g = Qᵀ (x - mean)`, has the fitted value `Σ g_k d_k / (λ_k + alpha)` and the
//! leverage `h = w / W + w Σ g_k² / (λ_k + alpha)`; without it the fit would miss it by its residual over `1 - h`, intercept and
//! weights included (the rank-one update of the inverse). So one more pass over the rows gives the error at every alpha.
//!
//! With fewer rows than columns the same is read off `Z Zᵀ = U Λ Uᵀ`, where `1 - h` is `alpha Σ u_k² / (λ_k + alpha)`, a sum that loses
//! no digits when the leverages are near 1.

mod spectrum;

use ermine_core::{Cell, Context, Curve, DatasetRef, Error, Mat, Partial, PassStep, Progress, Report, Result, Section};
use ermine_math::double_double::Dd;
#[cfg(feature = "fit")]
use ermine_math::linalg::{eigen_symmetric, product};
use serde::{Deserialize, Serialize};

use super::LeastSquaresProblem;
#[cfg(feature = "fit")]
use super::pass;
use ermine_core::splits::FoldIds;
use ermine_math::scale::ldexp;
pub(super) use spectrum::{CrossProducts, LooErrors, RidgeSpectrum};

/// Penalties of the automatic grid, as powers of ten of the largest eigenvalue.
const DECADES: (i32, i32) = (2, -8);
/// Penalties a decade.
const EACH_DECADE: i32 = 10;
const LEAVE_ONE_OUT: &str = "leave-one-out";

/// The grid from which the penalty is chosen.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AlphaGrid<'a> {
    /// The penalties to try; none for a grid made from the spectrum of the data.
    pub alphas: Option<&'a [f64]>,
    /// Whether each target gets its own.
    pub per_target: bool,
    /// Whether the residuals of all rows at all penalties are kept.
    pub keep: bool,
}

impl AlphaGrid<'_> {
    /// The penalties in units of 4^-exponent, and in those of the data.
    fn penalties(&self, largest: f64, exponent: i32) -> Result<(Vec<f64>, Vec<f64>)> {
        if let Some(alphas) = self.alphas {
            return Ok((alphas.iter().map(|&a| ldexp(a, 2 * exponent)).collect(), alphas.to_vec()));
        }
        if largest == 0.0 {
            // Without variation every penalty gives the mean.
            return Ok((vec![1.0], vec![1.0]));
        }
        let (top, bottom) = (DECADES.0 * EACH_DECADE, DECADES.1 * EACH_DECADE);
        let scaled: Vec<f64> = (bottom..=top)
            .rev()
            .map(|k| largest * 10f64.powi(k.div_euclid(EACH_DECADE)) * 10f64.powf(f64::from(k.rem_euclid(EACH_DECADE)) / 10.0))
            .collect();
        let alphas: Vec<f64> = scaled.iter().map(|&a| ldexp(a, -2 * exponent)).collect();
        match alphas.iter().find(|a| !a.is_normal()) {
            Some(_) => Err(Error::Numeric(
                "the squares of the columns leave the range of f64, and the grid of alpha is made from them; scale the columns \
                 or give alphas"
                    .into(),
            )),
            None => Ok((scaled, alphas)),
        }
    }
}

/// Errors over a grid of penalties.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RidgePath {
    /// The penalties.
    pub alphas: Vec<f64>,
    /// Effective degrees of freedom at each, the intercept apart.
    pub df: Vec<f64>,
    /// Weighted mean of the squared errors of rows left out: one row per target, one column per penalty.
    pub error: Mat<f64>,
    /// The best: one for all targets, or one per target.
    pub chosen: Vec<f64>,
    /// y minus its prediction without the row: one row per row of the data, in it target after target with one number per penalty. NaN for
    /// rows without weight.
    pub residuals: Option<Mat<f64>>,
    /// Notes for the user.
    pub notes: Vec<String>,
}

impl RidgePath {
    /// A table of the grid, and its curves over the logarithm of the penalty.
    pub(crate) fn report(&self, out: &mut Report) {
        let name = |k: usize| if self.error.rows() == 1 { "error".to_owned() } else { format!("error, target {k}") };
        let mut columns = vec!["alpha".to_owned(), "effective_df".to_owned()];
        columns.extend((0..self.error.rows()).map(name));
        columns.push(String::new());
        let row = |a: usize| -> Vec<Cell> {
            let errors = (0..self.error.rows()).map(|k| self.error[(k, a)].into());
            let mark = if self.chosen.contains(&self.alphas[a]) { "chosen".into() } else { Cell::Empty };
            [self.alphas[a].into(), self.df[a].into()].into_iter().chain(errors).chain([mark]).collect()
        };
        let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
        let mut order: Vec<usize> = (0..self.alphas.len()).collect();
        order.sort_by(|&a, &b| self.alphas[a].total_cmp(&self.alphas[b]));
        // The best first, so that what was chosen is seen however long the table is.
        let mut best = order.clone();
        let error = |a: usize| (0..self.error.rows()).map(|k| self.error[(k, a)]).sum::<f64>();
        best.sort_by(|&a, &b| error(a).total_cmp(&error(b)));
        out.table("Penalties tried, the best first", &columns, best.into_iter().map(row).collect());
        let curve = |name: String, of: &dyn Fn(usize) -> f64| Curve {
            name,
            points: order.iter().map(|&a| (self.alphas[a].log10(), of(a))).filter(|p| p.1.is_finite()).collect(),
        };
        out.sections.push(Section::Plot {
            title: "Error of rows left out".into(),
            x: "log10(alpha)".into(),
            y: "mean squared error".into(),
            curves: (0..self.error.rows()).map(|k| curve(name(k), &|a| self.error[(k, a)])).collect(),
        });
        out.sections.push(Section::Plot {
            title: "Effective degrees of freedom".into(),
            x: "log10(alpha)".into(),
            y: "effective_df".into(),
            curves: vec![curve("effective_df".into(), &|a| self.df[a])],
        });
    }
}

/// The errors over the grid in folds: in each round the rows of one fold are predicted from all others. The error is the mean over
/// the rounds of the weighted mean of the squared errors.
#[cfg(feature = "fit")]
pub(crate) fn cross_validate(
    problem: &LeastSquaresProblem<'_>,
    grid: &AlphaGrid<'_>,
    data: &DatasetRef<'_>,
    folds: &FoldIds,
    cx: &Context<'_>,
) -> Result<RidgePath> {
    let whole = spectrum_of(problem, data, cx)?;
    let fixed = AlphaGrid { alphas: Some(&whole.alphas), ..*grid };
    let inner = LeastSquaresProblem { grid: Some(fixed), ..*problem };
    let (t, count) = (whole.along.rows(), whole.alphas.len());
    let mut error = Mat::zeros(t, count);
    let mut residuals = grid.keep.then(|| Mat::filled(data.rows(), t * count, f64::NAN));
    for fold in 0..folds.folds {
        let (train, test) = folds.round(fold);
        let (train, held_out) = (data.take_rows(&train), data.take_rows(&test));
        let (train, held_out) = (train.view(), held_out.view());
        let weight = held_out.total_weight();
        if train.total_weight() == 0.0 || weight == 0.0 {
            return Err(Error::Data(format!(
                "fold {fold} or all others together have no row with a weight above 0; use fewer folds"
            )));
        }
        let spectrum = spectrum_of(&inner, &train, cx)?;
        let mut errors = spectrum.empty();
        spectrum.add(&inner, &fixed, &mut errors, &held_out, false)?;
        for k in 0..t {
            for a in 0..count {
                // In the units of the whole, as are those of the other rounds.
                let unit = 2 * (whole.y_exponent[k] - spectrum.y_exponent[k]);
                error[(k, a)] += ldexp(errors.squares[k * count + a] / weight, unit) / folds.folds as f64;
            }
        }
        if let Some(residuals) = &mut residuals {
            test.iter().zip(errors.kept.chunks(t * count)).for_each(|(&i, row)| residuals.row_mut(i).copy_from_slice(row));
        }
        cx.report(Progress { stage: "folds", done: fold as u64 + 1, total: Some(folds.folds as u64), objective: None })?;
    }
    let df = whole.choose(&AlphaGrid { keep: false, ..fixed }, whole.empty()).df;
    Ok(best(grid, "cross-validated", whole.alphas.clone(), df, error, &whole.y_exponent, residuals))
}

/// The factorization of rows in memory, in the space of the columns.
#[cfg(feature = "fit")]
fn spectrum_of(problem: &LeastSquaresProblem<'_>, data: &DatasetRef<'_>, cx: &Context<'_>) -> Result<RidgeSpectrum> {
    let mut stage = pass::start(problem, data)?;
    loop {
        cx.check(Progress { stage: "sums", done: 0, total: None, objective: None })?;
        let mut totals = pass::empty(&stage);
        let step = ermine_math::moments::block_rows(data.cols());
        for first in (0..data.rows()).step_by(step) {
            let mut part = pass::empty(&stage);
            pass::add(problem, &stage, &mut part, &data.row_range(first..(first + step).min(data.rows())))?;
            totals.merge(part)?;
        }
        match pass::finish(problem, stage, totals)? {
            PassStep::NextPass(next, _) => stage = next,
            PassStep::Done(_) => return Err(Error::Data("there is no grid of penalties".into())),
        }
        stage = match stage.take_spectrum() {
            Ok(spectrum) => return Ok(spectrum),
            Err(stage) => *stage,
        };
    }
}

fn enough_rows(rows: usize, fit_intercept: bool) -> Result<()> {
    if rows < 1 + usize::from(fit_intercept) {
        return Err(Error::Data(format!(
            "leaving one row out needs at least 2 rows with a weight above 0, and there are {rows}"
        )));
    }
    Ok(())
}

/// The path with its best penalty; `error` is in units of 4^-exponent of its target.
fn best(
    grid: &AlphaGrid<'_>,
    kind: &str,
    alphas: Vec<f64>,
    df: Vec<f64>,
    error: Mat<f64>,
    exponent: &[i32],
    residuals: Option<Mat<f64>>,
) -> RidgePath {
    let (t, count) = (error.rows(), alphas.len());
    let common = exponent.iter().copied().min().unwrap_or(0);
    let first_least = |of: &dyn Fn(usize) -> f64| (1..count).fold(0, |best, a| if of(a) < of(best) { a } else { best });
    let at: Vec<usize> = if grid.per_target {
        (0..t).map(|k| first_least(&|a| error[(k, a)])).collect()
    } else {
        vec![first_least(&|a| (0..t).map(|k| ldexp(error[(k, a)], 2 * (common - exponent[k]))).sum())]
    };
    let (least, most) = alphas.iter().fold((f64::INFINITY, 0.0f64), |(l, m), &a| (l.min(a), m.max(a)));
    let at_the_end = count > 1 && at.iter().any(|&a| alphas[a] == least || alphas[a] == most);
    let mut notes = Vec::new();
    if let [a] = at[..] {
        notes.push(format!("alpha {} has the least {kind} error of {count}", ShortNumber(alphas[a])));
    } else {
        notes.push(format!("each target has the alpha with its least {kind} error of {count}"));
    }
    if at_the_end {
        notes.push(format!("the best alpha is at an end of the grid, {} to {}", ShortNumber(least), ShortNumber(most)));
    }
    RidgePath {
        chosen: at.iter().map(|&a| alphas[a]).collect(),
        error: Mat::from_fn(t, count, |k, a| ldexp(error[(k, a)], -2 * exponent[k])),
        alphas,
        df,
        residuals,
        notes,
    }
}

/// A number in few characters.
struct ShortNumber(f64);

impl std::fmt::Display for ShortNumber {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if (1e-4..1e6).contains(&self.0.abs()) {
            let digits = (3 - self.0.abs().log10().floor() as i32).clamp(0, 8) as usize;
            write!(f, "{:.digits$}", self.0)
        } else {
            write!(f, "{:.3e}", self.0)
        }
    }
}

/// A problem in the space of its rows.
pub(super) struct RowSpaceProblem<'a> {
    /// Z Zᵀ in units of 4^-exponent, over the rows with a weight above 0.
    pub kernel: &'a Mat<f64>,
    pub exponent: i32,
    /// The direction that centering removed from the space of the rows, of length 1.
    pub direction: Option<&'a [f64]>,
    /// The centered, weighted targets, in units of 2^-exponent.
    pub targets: &'a [Vec<Dd>],
    pub y_exponent: &'a [i32],
    /// Rows with a weight above 0 of all rows, and the square roots of the weights.
    pub rows: &'a [usize],
    pub all: usize,
    pub root: &'a [f64],
    pub weight: f64,
}

impl RowSpaceProblem<'_> {
    #[cfg(feature = "fit")]
    pub fn path(&self, grid: &AlphaGrid<'_>) -> Result<RidgePath> {
        let (m, t) = (self.rows.len(), self.targets.len());
        enough_rows(m, self.direction.is_some())?;
        // The direction that centering made singular is lifted to a known eigenvalue, and its part subtracted again.
        let lifted: f64 = (0..m).map(|i| self.kernel[(i, i)]).sum();
        let along = |i: usize, j: usize| self.direction.map_or(0.0, |u| lifted * u[i] * u[j]);
        let eigen = eigen_symmetric(Mat::from_fn(m, m, |i, j| self.kernel[(i, j)] + along(i, j)).view())?;
        let largest = match self.direction {
            // The lifted direction comes first, being as large as all others together.
            Some(_) => eigen.values.get(1).copied().unwrap_or(0.0).max(0.0),
            None => eigen.values[0].max(0.0),
        };
        let least = eigen.values[0].max(0.0) * m as f64 * f64::EPSILON;
        let values: Vec<f64> = eigen.values.iter().map(|&v| if v > least { v } else { 0.0 }).collect();
        let (penalties, alphas) = grid.penalties(largest, self.exponent)?;
        // Both sums below are divided by each other, so that a penalty lost in rounding may be any that is.
        let inverse = |value: f64, a: usize| 1.0 / (value + penalties[a].max(1e-6 * least).max(f64::MIN_POSITIVE));
        let count = alphas.len();
        let inverses = Mat::from_fn(m, count, |k, a| inverse(values[k], a));
        let targets = Mat::from_fn(m, t, |i, k| self.targets[k][i].to_f64());
        let turned = product(eigen.vectors.view(), targets.view());
        let squares = Mat::from_fn(m, m, |k, i| eigen.vectors[(k, i)].powi(2));
        let free = product(squares.view().t(), inverses.view());
        let mut error = Mat::zeros(t, count);
        let mut residuals = grid.keep.then(|| Mat::filled(self.all, t * count, f64::NAN));
        for k in 0..t {
            let shares = Mat::from_fn(m, count, |j, a| turned[(j, k)] * inverses[(j, a)]);
            let left = product(eigen.vectors.view().t(), shares.view());
            for i in 0..m {
                for a in 0..count {
                    let lifted = self.direction.map_or(0.0, |u| u[i] * u[i] * inverse(lifted, a));
                    let missed = left[(i, a)] / (free[(i, a)] - lifted);
                    error[(k, a)] += missed * missed / self.weight;
                    if let Some(residuals) = &mut residuals {
                        residuals[(self.rows[i], k * count + a)] = ldexp(missed / self.root[i], -self.y_exponent[k]);
                    }
                }
            }
        }
        let lifted_df = |a: usize| self.direction.map_or(0.0, |_| lifted * inverse(lifted, a));
        let df = |a: usize| (0..m).map(|k| values[k] * inverses[(k, a)]).sum::<f64>() - lifted_df(a);
        Ok(best(grid, LEAVE_ONE_OUT, alphas, (0..count).map(df).collect(), error, self.y_exponent, residuals))
    }
}
