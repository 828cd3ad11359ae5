//! A fit with all rows in memory, for the solvers that need them.

use ermine_core::{Context, DatasetRef, Error, Features, Learner, Mat, Result, run_passes};

use super::cd::{self, LogisticSolution};
use super::dual::{self, DualResult};
use super::pass::LogisticInput;
use super::rows::{LogisticData, WeightPoint};
use super::separation::Separation;
use super::setup::classes_with_rows;
use super::stochastic::{self, StochasticMethod};
use super::{Logistic, LogisticModel, LogisticSolver, LogisticStart};

/// Largest mean ratio of the curvature of a row to that of the penalty at which the dual is faster.
const DUAL_STEEP: f64 = 1e3;
/// Columns from which sparse rows use the dual.
const DUAL_COLS: usize = 2000;

impl Logistic {
    /// Fits with all rows in memory, by the requested solver or the one that suits the data.
    pub(super) fn fit_in_memory(&self, data: &DatasetRef<'_>, cx: &Context<'_>) -> Result<LogisticModel> {
        let penalty = self.elastic_penalty();
        let sparse = matches!(data.x, Features::Csr(_));
        match self.solver {
            LogisticSolver::Newton | LogisticSolver::Lbfgs => run_passes(self, data, cx),
            LogisticSolver::Auto if penalty.l1 == 0.0 && !(sparse && self.prefers_dual(data.cols())) => {
                run_passes(self, data, cx)
            }
            LogisticSolver::Gd => {
                let mut model = run_passes(self, data, cx)?;
                let (rows, _) = self.rows(data)?;
                let point = WeightPoint { coef: model.coef.as_slice().to_vec(), intercept: model.intercept.clone() };
                let (exact, _) = rows.certify(&point, &rows.scatter()?, self.objective_scale());
                if let Some(certificate) = &mut model.certificate {
                    (certificate.objective, certificate.duality_gap) = (exact.objective, exact.duality_gap);
                    certificate.kkt_residual = exact.kkt_residual;
                }
                Ok(model)
            }
            LogisticSolver::Auto | LogisticSolver::Cd | LogisticSolver::Saga | LogisticSolver::Sgd => self.fit_rows(data, cx),
        }
    }

    /// Whether the dual may be faster for sparse rows of so many columns.
    fn prefers_dual(&self, cols: usize) -> bool {
        self.elastic_penalty().l2 > 0.0 && !self.fit_intercept && cols >= DUAL_COLS && self.max_iter > 0 && self.start.is_none()
    }

    /// The rows and the problem they pose, with where to start.
    fn rows<'a>(&self, data: &DatasetRef<'a>) -> Result<(LogisticData<'a>, WeightPoint)> {
        self.check()?;
        data.check(&Self::SPEC)?;
        let (codes, names) = data.y.classes()?;
        let input = LogisticInput {
            names: names.to_vec(),
            columns: Vec::new(),
            cols: data.cols(),
            sparse: matches!(data.x, Features::Csr(_)),
        };
        let mut weights = vec![0.0; names.len()];
        codes.iter().enumerate().for_each(|(i, &c)| weights[c as usize] += data.weight_of(i));
        let (problem, effective) = self.build_problem(&input, &weights, Vec::new())?;
        let start = self.initial_point(&problem, &effective)?;
        Ok((LogisticData::new(data, problem, self.elastic_penalty())?, start))
    }

    fn fit_rows(&self, data: &DatasetRef<'_>, cx: &Context<'_>) -> Result<LogisticModel> {
        let (rows, start) = self.rows(data)?;
        let weight = (0..rows.len()).map(|i| rows.labels.weight_of(i)).sum();
        let limits = self.limits(weight);
        if cx.deadline_passed() {
            return Err(Error::Deadline("fit".into()));
        }
        let outcome = match (self.solver, &data.x) {
            (LogisticSolver::Saga, _) => stochastic::minimize(&rows, &start, StochasticMethod::Saga, limits, cx)?,
            (LogisticSolver::Sgd, _) => stochastic::minimize(&rows, &start, StochasticMethod::Sgd, limits, cx)?,
            (LogisticSolver::Auto, Features::Csr(x)) if rows.penalty.l1 == 0.0 => {
                let mean = mean_curvature_ratio(&rows, *x);
                let dual = rows.problem.vectors() == 1 && mean <= DUAL_STEEP;
                let ended = if dual { dual::minimize(&rows, *x, limits, cx)? } else { DualResult::TooSlow(start) };
                match ended {
                    DualResult::Solved(outcome) => *outcome,
                    DualResult::TooSlow(point) => {
                        let coef = point.coef.chunks(rows.problem.cols).map(<[f64]>::to_vec).collect();
                        let from = LogisticStart { coef, intercept: point.intercept };
                        let start = if dual { Some(from) } else { self.start.clone() };
                        return run_passes(&Self { start, solver: LogisticSolver::Lbfgs, ..self.clone() }, data, cx);
                    }
                }
            }
            _ => cd::minimize(&rows, start, limits, cx)?,
        };
        Ok(self.model_of(&rows, outcome))
    }

    fn model_of(&self, rows: &LogisticData<'_>, outcome: LogisticSolution) -> LogisticModel {
        let (v, cols) = (rows.problem.vectors(), rows.problem.cols);
        let LogisticSolution { point, mut certificate, trace, margin } = outcome;
        let separation = if rows.penalty.is_free() && margin > 0.0 { Separation::new(&point, cols, true, margin) } else { None };
        certificate.notes.extend(separation.as_ref().map(|s| s.certificate_note().to_owned()));
        LogisticModel {
            classes: rows.data.y.classes().map_or_else(|_| Vec::new(), |(_, names)| names.to_vec()),
            present: classes_with_rows(&rows.problem),
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
fn mean_curvature_ratio(rows: &LogisticData<'_>, x: ermine_core::CsrRef<'_>) -> f64 {
    let of = |i: usize| rows.labels.weight_of(i) * x.row(i).1.iter().map(|v| v * v).sum::<f64>();
    (0..x.rows()).map(of).sum::<f64>() / (x.rows() as f64 * rows.penalty.l2)
}
