//! A fit with all rows in memory, for the solvers that need them.

use ermine_core::{Context, Dataset, Error, Features, Learner, Mat, Result, drive};

use super::cd::{self, Outcome};
use super::dual::{self, End};
use super::in_passes::Before;
use super::rows::{Point, Rows};
use super::separation::Separation;
use super::setup::present;
use super::stochastic::{self, Kind};
use super::{Logistic, LogisticModel, Solver, Start};

/// What the curvature of a row may be next to that of the penalty, in the mean, for the dual to be the faster way.
const DUAL_STEEP: f64 = 1e3;
/// Columns from which sparse rows go that way.
const DUAL_COLS: usize = 2000;

impl Logistic {
    /// Fits with all rows in memory, by the solver that was asked for or the one that suits the data.
    pub(super) fn fit_in_memory(&self, data: &Dataset<'_>, cx: &Context<'_>) -> Result<LogisticModel> {
        let penalty = self.elastic();
        let sparse = matches!(data.x, Features::Csr(_));
        match self.solver {
            Solver::Newton | Solver::Lbfgs => drive(self, data, cx),
            Solver::Auto if penalty.l1 == 0.0 && !(sparse && self.dual_suits(data.cols())) => drive(self, data, cx),
            Solver::Gd => {
                let mut model = drive(self, data, cx)?;
                let (rows, _) = self.rows(data)?;
                let point = Point { coef: model.coef.as_slice().to_vec(), intercept: model.intercept.clone() };
                let (exact, _) = rows.certify(&point, &rows.scatter()?, self.stated());
                if let Some(certificate) = &mut model.certificate {
                    (certificate.objective, certificate.duality_gap) = (exact.objective, exact.duality_gap);
                    certificate.kkt_residual = exact.kkt_residual;
                }
                Ok(model)
            }
            Solver::Auto | Solver::Cd | Solver::Saga | Solver::Sgd => self.fit_rows(data, cx),
        }
    }

    /// Whether the dual is worth a look for sparse rows of so many columns.
    fn dual_suits(&self, cols: usize) -> bool {
        self.elastic().l2 > 0.0 && !self.fit_intercept && cols >= DUAL_COLS && self.max_iter > 0 && self.start.is_none()
    }

    /// The rows and the problem they pose, with where to start.
    fn rows<'a>(&self, data: &Dataset<'a>) -> Result<(Rows<'a>, Point)> {
        self.check()?;
        data.check(&Self::SPEC)?;
        let (codes, names) = data.y.classes()?;
        let before =
            Before { names: names.to_vec(), columns: Vec::new(), cols: data.cols(), sparse: matches!(data.x, Features::Csr(_)) };
        let mut weights = vec![0.0; names.len()];
        codes.iter().enumerate().for_each(|(i, &c)| weights[c as usize] += data.weight_of(i));
        let (problem, effective) = self.pose(&before, &weights, Vec::new())?;
        let start = self.first_point(&problem, &effective)?;
        Ok((Rows::new(data, problem, self.elastic())?, start))
    }

    fn fit_rows(&self, data: &Dataset<'_>, cx: &Context<'_>) -> Result<LogisticModel> {
        let (rows, start) = self.rows(data)?;
        let weight = (0..rows.len()).map(|i| rows.labels.weight_of(i)).sum();
        let limits = self.limits(weight);
        if cx.out_of_time() {
            return Err(Error::Deadline("fit".into()));
        }
        let outcome = match (self.solver, &data.x) {
            (Solver::Saga, _) => stochastic::minimise(&rows, &start, Kind::Saga, limits, cx)?,
            (Solver::Sgd, _) => stochastic::minimise(&rows, &start, Kind::Sgd, limits, cx)?,
            (Solver::Auto, Features::Csr(x)) if rows.penalty.l1 == 0.0 => {
                let mean = mean_steep(&rows, *x);
                let dual = rows.problem.vectors() == 1 && mean <= DUAL_STEEP;
                let ended = if dual { dual::minimise(&rows, *x, limits, cx)? } else { End::Slow(start) };
                match ended {
                    End::Done(outcome) => *outcome,
                    End::Slow(point) => {
                        let coef = point.coef.chunks(rows.problem.cols).map(<[f64]>::to_vec).collect();
                        let from = Start { coef, intercept: point.intercept };
                        let start = if dual { Some(from) } else { self.start.clone() };
                        return drive(&Self { start, solver: Solver::Lbfgs, ..self.clone() }, data, cx);
                    }
                }
            }
            _ => cd::minimise(&rows, start, limits, cx)?,
        };
        Ok(self.model_of(&rows, outcome))
    }

    fn model_of(&self, rows: &Rows<'_>, outcome: Outcome) -> LogisticModel {
        let (v, cols) = (rows.problem.vectors(), rows.problem.cols);
        let Outcome { point, mut certificate, trace, margin } = outcome;
        let separation = if rows.penalty.is_free() && margin > 0.0 { Separation::new(&point, cols, true, margin) } else { None };
        certificate.notes.extend(separation.as_ref().map(|s| s.note().to_owned()));
        LogisticModel {
            classes: rows.data.y.classes().map_or_else(|_| Vec::new(), |(_, names)| names.to_vec()),
            present: present(&rows.problem),
            coef: Mat::from_vec(v, cols, point.coef),
            intercept: point.intercept,
            errors: None,
            separation,
            n_iter: certificate.iterations,
            certificate: Some(certificate),
            trace: Some(trace),
        }
    }
}

/// The mean curvature that a row of sparse rows has at most, next to that of the penalty.
fn mean_steep(rows: &Rows<'_>, x: ermine_core::CsrRef<'_>) -> f64 {
    let of = |i: usize| rows.labels.weight_of(i) * x.row(i).1.iter().map(|v| v * v).sum::<f64>();
    (0..x.rows()).map(of).sum::<f64>() / (x.rows() as f64 * rows.penalty.l2)
}
