//! From parameters and classes to the problem that is solved.

use ermine_core::{Error, Result};

use super::super::passes::{CurvatureKind, NewtonPlan};
use super::cd::StopLimits;
use super::evaluate::LogisticProblem;
use super::pass::LogisticInput;
use super::penalty::ElasticPenalty;
use super::rows::WeightPoint;
use super::separation::loss_limit;
use super::{Logistic, LogisticSolver, PenaltyKind};

/// Dimension up to which the Hessian of two classes is worth its cost, and that of more classes.
const NEWTON_BINARY: usize = 1024;
const NEWTON_SOFTMAX: usize = 200;
/// Columns up to which one matrix is gathered for all classes as a metric.
const SHARED_COLS: usize = 2048;
/// Numbers in a point beyond which a Hessian is refused.
const HESSIAN_LIMIT: usize = 8192;
/// Steps that the quasi-Newton update remembers, and of points so long that going over them costs as much as a pass over the rows.
const LBFGS_MEMORY: usize = 20;
const LBFGS_MEMORY_LONG: usize = 15;
const LONG_POINT: usize = 100_000;

impl Logistic {
    /// The penalty next to the plain sum of losses.
    pub(super) fn elastic_penalty(&self) -> ElasticPenalty {
        let Some(c) = self.c.filter(|_| self.penalty != PenaltyKind::None) else { return ElasticPenalty::FREE };
        let share = self.l1_ratio.unwrap_or(match self.penalty {
            PenaltyKind::L1 => 1.0,
            PenaltyKind::ElasticNet => 0.5,
            PenaltyKind::L2 | PenaltyKind::None => 0.0,
        });
        ElasticPenalty { l1: share / c, l2: (1.0 - share) / c }
    }

    /// The factor from the sum of losses and penalty to the objective as it is stated.
    pub(super) fn objective_scale(&self) -> f64 {
        if self.elastic_penalty().is_free() { 1.0 } else { self.c.unwrap_or(1.0) }
    }

    /// When to stop; `weight` is that of all rows.
    pub(super) fn limits(&self, weight: f64) -> StopLimits {
        let apart = self.elastic_penalty().is_free().then(|| loss_limit(weight, self.tol));
        StopLimits { tol: self.tol, max_iter: self.max_iter, scale: self.objective_scale(), apart }
    }

    pub(super) fn plan(&self, problem: &LogisticProblem, sparse: bool) -> Result<NewtonPlan> {
        let (size, vectors) = (problem.len(), problem.vectors());
        let newton = match self.solver {
            LogisticSolver::Newton if size > HESSIAN_LIMIT => {
                return Err(Error::Data(format!(
                    "solver \"newton\" would need a matrix of {size} x {size} for {} columns and {} classes; use \"lbfgs\"",
                    problem.cols, problem.classes
                )));
            }
            LogisticSolver::Newton => true,
            LogisticSolver::Lbfgs => false,
            LogisticSolver::Auto | LogisticSolver::Gd | LogisticSolver::Sgd | LogisticSolver::Saga | LogisticSolver::Cd => {
                size <= if vectors == 1 { NEWTON_BINARY } else { NEWTON_SOFTMAX }
            }
        };
        let kind = match newton {
            true => CurvatureKind::Full,
            false if problem.cols <= SHARED_COLS && !sparse => CurvatureKind::Shared,
            false => CurvatureKind::Diagonal,
        };
        let alpha = self.elastic_penalty().l2;
        let pairs_per_vector = problem.pairs() as f64 / vectors as f64;
        Ok(NewtonPlan {
            alpha,
            kind,
            newton,
            tol: self.tol,
            // With a Hessian the last digits cost a step or two; with many rows they cost more, and mean less.
            share: if newton { [1e-6, 1e-5] } else { [10.0, 10.0] },
            max_iter: self.max_iter,
            sparse,
            memory: if size > LONG_POINT { LBFGS_MEMORY_LONG } else { LBFGS_MEMORY },
            hessian_cost: problem.width() as f64 * pairs_per_vector / 16.0,
            unit: if alpha > 0.0 { alpha } else { 1.0 },
            exact_hessian: true,
            watch_curvature: alpha == 0.0,
            renew_metric: true,
            damping: alpha,
        })
    }

    /// Row stride when the matrix shared by all classes is made of a subsample, so that it costs about as much as a pass; it is only a
    /// metric, and need not be exact.
    pub(super) fn curvature_stride(&self, problem: &LogisticProblem, rows: u64) -> usize {
        let cheap = problem.cols / (6 * problem.vectors());
        let enough = rows / (4 * problem.width() as u64);
        cheap.min(enough as usize).max(1)
    }

    /// The factor of each class from its weight; `weights` and `names` are by code.
    pub(super) fn class_weights(&self, weights: &[f64], names: &[String]) -> Result<Vec<f64>> {
        match &self.class_weight {
            None => Ok(vec![1.0; weights.len()]),
            Some(class_weight) => class_weight.factors(weights, names),
        }
    }

    /// The problem that the classes pose, by their weights, and what each weighs in it.
    pub(super) fn build_problem(
        &self,
        input: &LogisticInput,
        weights: &[f64],
        center: Vec<f64>,
    ) -> Result<(LogisticProblem, Vec<f64>)> {
        let factors = self.class_weights(weights, &input.names)?;
        let effective: Vec<f64> = weights.iter().zip(&factors).map(|(w, f)| w * f).collect();
        let present: Vec<usize> = (0..effective.len()).filter(|&c| effective[c] > 0.0).collect();
        if present.len() < 2 {
            return Err(Error::Target(match present.first() {
                Some(&one) => format!("every row is of class \"{}\", and logistic needs at least 2 classes", input.names[one]),
                None => "no row has a weight above 0 in any class".into(),
            }));
        }
        let mut place = vec![None; effective.len()];
        present.iter().enumerate().for_each(|(k, &code)| place[code] = Some(k as u32));
        let class_weight = present.iter().map(|&c| factors[c]).collect();
        let (cols, intercept, classes) = (input.cols, self.fit_intercept, present.len());
        let problem =
            LogisticProblem { cols, intercept, classes, class_position: place, class_weight, center, curvature_stride: 1 };
        Ok((problem, present.iter().map(|&c| effective[c]).collect()))
    }

    /// The intercepts that are right for weights of 0, from what the classes weigh.
    pub(super) fn initial_intercepts(&self, problem: &LogisticProblem, weights: &[f64]) -> Vec<f64> {
        let logs: Vec<f64> = weights.iter().map(|w| w.ln()).collect();
        match problem.vectors() {
            v if !self.fit_intercept => vec![0.0; v],
            1 => vec![logs[1] - logs[0]],
            v => {
                let mean = logs.iter().sum::<f64>() / v as f64;
                logs.iter().map(|l| l - mean).collect()
            }
        }
    }

    /// Where to start: at what was given, or at weights of 0 with the intercepts that are right for them. `weights` is what the classes weigh.
    pub(super) fn initial_point(&self, problem: &LogisticProblem, weights: &[f64]) -> Result<WeightPoint> {
        let (v, cols) = (problem.vectors(), problem.cols);
        let Some(start) = &self.start else {
            return Ok(WeightPoint { coef: vec![0.0; cols * v], intercept: self.initial_intercepts(problem, weights) });
        };
        let fits = start.coef.len() == v && start.coef.iter().all(|row| row.len() == cols) && start.intercept.len() == v;
        let finite = start.coef.iter().flatten().chain(&start.intercept).all(|w| w.is_finite());
        if !fits || !finite {
            return Err(Error::parameter(
                Self::NAME,
                "start",
                format!("a start with {} runs of weights and {} intercepts", start.coef.len(), start.intercept.len()),
                format!("{v} of each are needed, {cols} finite weights in each run"),
            ));
        }
        let intercept = if self.fit_intercept { start.intercept.clone() } else { vec![0.0; v] };
        Ok(WeightPoint { coef: start.coef.concat(), intercept })
    }
}

/// The codes of the classes that have rows.
pub(super) fn classes_with_rows(problem: &LogisticProblem) -> Vec<u32> {
    (0..problem.class_position.len() as u32).filter(|&c| problem.class_position[c as usize].is_some()).collect()
}
