//! The fitted model: scores, probabilities, evidence.

use ermine_core::parallel::prelude::*;
use ermine_core::{
    Cell, Certificate, Classifier, ColumnMeaning, Error, Features, Mat, Model, ModelReader, ModelWriter, Report, Result,
    RowFunction, Schema, Trace,
};
use ermine_math::distribution::Normal;
use ermine_math::loss::{exp_in_place, log_sum_exp, log1p_exp};
use ermine_math::tall_skinny::{rows_at_once, scores};

use super::super::inference::heads;
use super::super::passes::{contiguous, next_rows, sparse_dot};
use super::Logistic;
use super::one_row::{LogisticOfRow, exponents, most_probable, probabilities};
use super::separation::Separation;

/// A fitted logistic or softmax regression.
///
/// With two classes there is one weight vector, whose score is the logarithm of the odds of the second class. With more
/// there is one for each class, and the probabilities are proportional to the exponentials of the scores.
#[derive(Debug, Clone)]
pub struct LogisticModel {
    pub(super) classes: Vec<String>,
    /// Codes of the classes that had rows; the others have probability 0.
    pub(super) present: Vec<u32>,
    pub(super) coef: Mat<f64>,
    pub(super) intercept: Vec<f64>,
    pub(super) errors: Option<StandardErrors>,
    pub(super) separation: Option<Separation>,
    pub(super) n_iter: u64,
    pub(super) certificate: Option<Certificate>,
    pub(super) trace: Option<Trace>,
}

/// Standard errors of a maximum-likelihood fit, from the inverse of the information matrix. Weights of more than two classes are those that sum
/// to 0 over the classes.
#[derive(Debug, Clone, PartialEq)]
pub struct StandardErrors {
    /// Of the weights, in the shape of [`LogisticModel::coef`].
    pub coef: Mat<f64>,
    /// Of the intercepts, if there are any.
    pub intercept: Option<Vec<f64>>,
}

/// Rows that one task of a prediction takes.
const TASK_ROWS: usize = 1024;

impl LogisticModel {
    /// The weights: one row for two classes, else one per class.
    pub fn coef(&self) -> &Mat<f64> {
        &self.coef
    }

    /// The intercepts, as many as there are rows of [`LogisticModel::coef`].
    pub fn intercept(&self) -> &[f64] {
        &self.intercept
    }

    /// Standard errors, where there are any: no penalty, one optimum, found by Newton's method.
    pub fn standard_errors(&self) -> Option<&StandardErrors> {
        self.errors.as_ref()
    }

    /// The direction that tells the classes apart, when a fit without penalty found that there is one: the likelihood has no maximum then, and
    /// the weights of the model are not a maximum of the likelihood.
    pub fn separation(&self) -> Option<&Separation> {
        self.separation.as_ref()
    }

    /// Steps that the fit took.
    pub fn n_iter(&self) -> u64 {
        self.n_iter
    }

    /// The scores of rows, a run of scores a row, handed on by `each` for some rows at a time.
    fn map_scores(&self, x: &Features<'_>, width: usize, each: impl Fn(&[f64], &mut [f64]) + Sync) -> Result<Mat<f64>> {
        x.expect_cols(self.coef.cols())?;
        let (rows, v) = (x.rows(), self.coef.rows());
        let mut out = Mat::zeros(rows, width);
        let work = |(task, out): (usize, &mut [f64])| {
            let first = task * TASK_ROWS;
            let part = x.row_range(first..first + out.len() / width);
            let mut z = vec![0.0; part.rows() * v];
            self.scores_of(&part, &mut z).map_err(|e| e.with_row(|row| row + first))?;
            if !z.iter().all(|z| z.is_finite()) {
                part.refuse_non_finite(None).map_err(|e| e.with_row(|row| row + first))?;
            }
            each(&z, out);
            Ok::<(), Error>(())
        };
        if rows <= TASK_ROWS {
            // Not worth asking for threads.
            out.as_mut_slice().chunks_mut(TASK_ROWS * width).enumerate().try_for_each(work)?;
        } else {
            out.as_mut_slice().par_chunks_mut(TASK_ROWS * width).enumerate().try_for_each(work)?;
        }
        Ok(out)
    }

    fn scores_of(&self, x: &Features<'_>, z: &mut [f64]) -> Result<()> {
        let (v, cols) = (self.coef.rows(), self.coef.cols());
        if let Features::Csr(x) = x {
            for (i, z) in z.chunks_exact_mut(v).enumerate() {
                let (indices, values) = x.row(i);
                for (c, z) in z.iter_mut().enumerate() {
                    *z = self.intercept[c] + sparse_dot(indices, values, self.coef.row(c));
                }
            }
            return Ok(());
        }
        let (step, mut by_class, mut scratch) = (rows_at_once(cols), Vec::new(), Vec::new());
        for (run, z) in z.chunks_mut(step * v).enumerate() {
            let rows = z.len() / v;
            let first = run * step;
            let block = contiguous(&x.row_range(first..first + rows), &mut scratch, Logistic::NAME)
                .map_err(|e| e.with_row(|row| row + first))?;
            by_class.resize(z.len(), 0.0);
            scores(block, self.coef.as_slice(), cols, &self.intercept, &mut by_class, next_rows(x, first + rows, step));
            for (i, z) in z.chunks_exact_mut(v).enumerate() {
                z.iter_mut().enumerate().for_each(|(c, z)| *z = by_class[c * rows + i]);
            }
        }
        Ok(())
    }

    /// Writes values of the classes that had rows in the columns of all classes.
    fn scatter_classes(&self, values: &[f64], out: &mut [f64]) {
        for (&code, &value) in self.present.iter().zip(values) {
            out[code as usize] = value;
        }
    }
}

ermine_core::display_as_report!(LogisticModel);

impl Model for LogisticModel {
    fn n_features(&self) -> usize {
        self.coef.cols()
    }

    fn as_classifier(&self) -> Option<&dyn Classifier> {
        Some(self)
    }

    fn as_additive(&self) -> Option<&dyn ermine_core::AdditiveModel> {
        Some(self)
    }

    fn certificate(&self) -> Option<&Certificate> {
        self.certificate.as_ref()
    }

    fn trace(&self) -> Option<&Trace> {
        self.trace.as_ref()
    }

    fn report(&self, schema: &Schema) -> Report {
        let mut report = Report::default();
        let name = |j: usize| schema.name(j);
        let cols = self.coef.cols();
        match &self.errors {
            Some(errors) => {
                let row = |name: String, value: f64, error: f64| {
                    let z = value / error;
                    let (low, high) = (value - 1.959_963_984_540_054 * error, value + 1.959_963_984_540_054 * error);
                    vec![
                        name.into(),
                        value.into(),
                        error.into(),
                        z.into(),
                        (2.0 * Normal.sf(z.abs())).into(),
                        low.into(),
                        high.into(),
                    ]
                };
                for c in 0..self.coef.rows() {
                    let mut rows: Vec<Vec<Cell>> = Vec::new();
                    rows.extend(errors.intercept.as_ref().map(|e| row("(intercept)".into(), self.intercept[c], e[c])));
                    rows.extend((0..cols).map(|j| row(name(j), self.coef[(c, j)], errors.coef[(c, j)])));
                    let title = match self.coef.rows() {
                        1 => format!("log odds of {}", self.classes[self.present[1] as usize]),
                        _ => format!("{} against the mean of all classes", self.classes[self.present[c] as usize]),
                    };
                    report.coefficients(title, &heads("z", "95% low", "95% high"), rows);
                }
            }
            None => {
                let of = |c: usize| match self.coef.rows() {
                    1 => format!("log odds of {}", self.classes[self.present[1] as usize]),
                    _ => self.classes[self.present[c] as usize].clone(),
                };
                let titles: Vec<String> = (0..self.coef.rows()).map(of).collect();
                let heads: Vec<_> = titles.iter().map(|t| (t.as_str(), ColumnMeaning::Coefficient)).collect();
                let line = |name: String, value: &dyn Fn(usize) -> f64| {
                    let mut row: Vec<Cell> = vec![name.into()];
                    row.extend((0..self.coef.rows()).map(|c| Cell::from(value(c))));
                    row
                };
                let mut rows = vec![line("(intercept)".into(), &|c| self.intercept[c])];
                rows.extend((0..cols).map(|j| line(name(j), &|c| self.coef[(c, j)])));
                report.coefficients("Weights", &heads, rows);
            }
        }
        if let Some(separation) = &self.separation {
            report.text(separation.certificate_note());
            let titles: Vec<String> = match self.coef.rows() {
                1 => vec!["weight".into()],
                v => (0..v).map(|c| self.classes[self.present[c] as usize].clone()).collect(),
            };
            let heads: Vec<_> = titles.iter().map(|t| (t.as_str(), ColumnMeaning::Coefficient)).collect();
            let line = |name: String, value: &dyn Fn(usize) -> f64| {
                let mut row: Vec<Cell> = vec![name.into()];
                row.extend((0..self.coef.rows()).map(|c| Cell::from(value(c))));
                row
            };
            let mut rows = vec![line("(intercept)".into(), &|c| separation.intercept[c])];
            rows.extend((0..cols).map(|j| line(name(j), &|c| separation.coef[(c, j)])));
            let title = format!("direction that tells the classes apart, least margin {:.6}", separation.margin);
            report.coefficients(title, &heads, rows);
        }
        report
    }

    fn save(&self, out: &mut ModelWriter) -> Result<()> {
        out.mat("coef", &self.coef);
        out.vec("intercept", &self.intercept);
        if let Some(errors) = &self.errors {
            out.mat("std_err", &errors.coef);
            if let Some(intercept) = &errors.intercept {
                out.vec("std_err_intercept", intercept);
            }
        }
        if let Some(separation) = &self.separation {
            out.mat("separating_direction", &separation.coef);
            out.vec("separating_intercept", &separation.intercept);
            out.vec("separating_margin", &[separation.margin]);
        }
        out.field("classes", &self.classes)?;
        out.field("present", &self.present)?;
        out.field("n_iter", &self.n_iter)
    }
}

/// Reads a model and checks everything that prediction relies on.
pub(crate) fn load(input: &ModelReader) -> Result<LogisticModel> {
    let bad = |message: String| Err(Error::Model(format!("logistic: {message}")));
    let coef: Mat<f64> = input.mat("coef")?;
    let intercept: Vec<f64> = input.vec_of("intercept", coef.rows())?;
    let classes: Vec<String> = input.field("classes")?;
    let present: Vec<u32> = input.field("present")?;
    if coef.cols() == 0 || present.len() < 2 || coef.rows() != if present.len() == 2 { 1 } else { present.len() } {
        return bad(format!("{} x {} weights for {} classes", coef.rows(), coef.cols(), present.len()));
    }
    if !present.windows(2).all(|w| w[0] < w[1]) || present[present.len() - 1] as usize >= classes.len() {
        return bad(format!("codes {present:?} of {} classes", classes.len()));
    }
    if !coef.as_slice().iter().chain(&intercept).all(|v| v.is_finite()) {
        return bad("a weight is not a finite number".into());
    }
    let mut errors = None;
    if input.array_info("std_err").is_some() {
        let of_coef: Mat<f64> = input.mat_of("std_err", coef.rows(), coef.cols())?;
        let of_intercept: Option<Vec<f64>> = match input.array_info("std_err_intercept") {
            Some(_) => Some(input.vec_of("std_err_intercept", coef.rows())?),
            None => None,
        };
        let mut all = of_coef.as_slice().iter().chain(of_intercept.iter().flatten());
        if !all.all(|v| v.is_finite() && *v >= 0.0) {
            return bad("standard errors that cannot be".into());
        }
        errors = Some(StandardErrors { coef: of_coef, intercept: of_intercept });
    }
    let mut separation = None;
    if input.array_info("separating_direction").is_some() {
        let direction: Mat<f64> = input.mat_of("separating_direction", coef.rows(), coef.cols())?;
        let constants: Vec<f64> = input.vec_of("separating_intercept", coef.rows())?;
        let margin: Vec<f64> = input.vec_of("separating_margin", 1)?;
        if !direction.as_slice().iter().chain(&constants).chain(&margin).all(|v| v.is_finite()) || margin[0] < 0.0 {
            return bad("a separating direction that cannot be".into());
        }
        separation = Some(Separation { complete: margin[0] > 0.0, coef: direction, intercept: constants, margin: margin[0] });
    }
    let n_iter = input.field("n_iter")?;
    Ok(LogisticModel { classes, present, coef, intercept, errors, separation, n_iter, certificate: None, trace: None })
}

impl Classifier for LogisticModel {
    fn classes(&self) -> &[String] {
        &self.classes
    }

    fn proba(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        let (width, v) = (self.classes.len(), self.coef.rows());
        self.map_scores(x, width, |z, out| {
            let mut e = z.to_vec();
            e.chunks_exact_mut(v).for_each(exponents);
            exp_in_place(&mut e);
            let rows = z.chunks_exact(v).zip(e.chunks_exact_mut(v)).zip(out.chunks_exact_mut(width));
            rows.for_each(|((z, e), out)| probabilities(&self.present, z, e, out));
        })
    }

    fn by_row(&self, schema: &Schema) -> Option<Box<dyn RowFunction>> {
        LogisticOfRow::new(self, schema).map(|row| Box::new(row) as _)
    }

    fn log_proba(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        let (width, v) = (self.classes.len(), self.coef.rows());
        self.map_scores(x, width, |z, out| {
            out.fill(f64::NEG_INFINITY);
            for (z, out) in z.chunks_exact(v).zip(out.chunks_exact_mut(width)) {
                if v == 1 {
                    self.scatter_classes(&[-log1p_exp(z[0]), -log1p_exp(-z[0])], out);
                } else {
                    let total = log_sum_exp(z);
                    let logs: Vec<f64> = z.iter().map(|z| z - total).collect();
                    self.scatter_classes(&logs, out);
                }
            }
        })
    }

    fn decision(&self, x: &Features<'_>) -> Result<Option<Mat<f64>>> {
        let (classes, v) = (self.classes.len(), self.coef.rows());
        if classes == 2 {
            return self.map_scores(x, 1, |z, out| out.copy_from_slice(z)).map(Some);
        }
        let all = self.map_scores(x, classes, |z, out| {
            out.fill(f64::NEG_INFINITY);
            for (z, out) in z.chunks_exact(v).zip(out.chunks_exact_mut(classes)) {
                if v == 1 { self.scatter_classes(&[0.0, z[0]], out) } else { self.scatter_classes(z, out) }
            }
        })?;
        Ok(Some(all))
    }

    fn classify(&self, x: &Features<'_>) -> Result<Vec<u32>> {
        let v = self.coef.rows();
        let best = self.map_scores(x, 1, |z, out| {
            for (z, out) in z.chunks_exact(v).zip(out) {
                *out = f64::from(self.present[most_probable(z)]);
            }
        })?;
        Ok(best.as_slice().iter().map(|&code| code as u32).collect())
    }
}
