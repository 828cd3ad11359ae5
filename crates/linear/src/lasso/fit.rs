//! From parameters and data to a model; the same for both learners.

use ermine_core::{Certificate, Context, DatasetRef, Error, Mat, Result};

use super::cv::{LassoCvOptions, cross_validate};
use super::model::LassoModel;
use super::path::{LassoPath, grid, path_options, solve_path};
use super::problem::LassoProblem;
use super::solver::{LassoSolution, LassoSolver, LassoSolverOptions};
use super::{AlphaSpec, PathGoal, Selection};
use crate::coefficients::Coefficients;
use ermine_math::scale::ldexp;

/// The parameters of both learners.
pub(super) struct LassoOptions<'p> {
    pub learner: &'static str,
    pub alpha: AlphaSpec,
    pub l1_ratio: f64,
    pub fit_intercept: bool,
    pub precompute: bool,
    pub max_iter: u64,
    pub tol: f64,
    pub positive: bool,
    pub selection: Selection,
    pub n_alphas: usize,
    pub eps: f64,
    pub alphas: Option<&'p [f64]>,
    pub cv: usize,
    pub start: Option<&'p [Vec<f64>]>,
}

impl LassoOptions<'_> {
    /// Constraints across parameters.
    pub fn check(&self) -> Result<()> {
        let refuse = |name: &str, value: String, expected: &str| Err(Error::parameter(self.learner, name, value, expected));
        if let Some(alphas) = self.alphas
            && alphas.is_empty()
        {
            return refuse("alphas", "[]".into(), "a list needs at least one penalty");
        }
        let made = matches!(self.alpha, AlphaSpec::Word(_)) && self.alphas.is_none();
        if made && self.l1_ratio == 0.0 {
            let expected = "penalties are made from the largest that matters, and with l1_ratio 0 there is none; give alphas";
            return refuse("l1_ratio", "0".into(), expected);
        }
        Ok(())
    }

    pub fn fit_rows(&self, data: &DatasetRef<'_>, cx: &Context<'_>) -> Result<LassoModel> {
        let problem = LassoProblem::new(data, self.fit_intercept, self.learner)?;
        let (targets, cols) = (problem.targets.len(), problem.design.cols());
        let starts = self.starts(targets, cols)?;
        let options = LassoSolverOptions {
            max_iter: self.max_iter,
            tol: self.tol,
            random: self.selection == Selection::Random,
            precompute: self.precompute,
            path: false,
        };
        let kind = (self.l1_ratio, self.positive);
        let mut alphas: Vec<Vec<f64>> = (0..targets).map(|k| self.sequence(&problem, k)).collect();
        let mut validations = Vec::new();
        if self.alpha == AlphaSpec::Word(PathGoal::Cv) {
            let plan = LassoCvOptions {
                learner: self.learner,
                folds: self.cv,
                fit_intercept: self.fit_intercept,
                kind,
                options,
                alphas: &alphas,
            };
            validations = cross_validate(data, &plan, cx)?;
            // Beyond the chosen penalty nothing is used.
            alphas.iter_mut().zip(&validations).for_each(|(a, v)| a.truncate(v.best + 1));
        }
        let mut solver = LassoSolver::new(&problem, path_options(options, &alphas[0]), cx.seed);
        let mut last = Vec::with_capacity(targets);
        let mut paths = Vec::with_capacity(targets);
        for (k, alphas) in alphas.iter().enumerate() {
            let (path, outcomes, _) = solve_path(&problem, &mut solver, k, alphas, kind, starts.map(|s| &s[k][..]), cx)?;
            last.push(outcomes);
            paths.push(path);
        }
        let certificate = self.certificate(&problem, &last);
        let mut coef = Mat::zeros(targets, cols);
        let mut line = Coefficients { coef: Mat::zeros(0, 0), intercept: Vec::with_capacity(targets) };
        for (k, path) in paths.iter().enumerate() {
            let end = path.len() - 1;
            coef.row_mut(k).copy_from_slice(&path.coef(end));
            line.intercept.push(path.intercepts[end]);
        }
        line.coef = coef;
        if line.coef.as_slice().iter().chain(&line.intercept).any(|v| !v.is_finite()) {
            return Err(Error::Numeric("a coefficient overflows; scale the target down or the columns up".into()));
        }
        let end = |p: &LassoPath| p.len() - 1;
        Ok(LassoModel {
            learner: self.learner,
            line,
            alpha: paths.iter().map(|p| p.alphas[end(p)]).collect(),
            l1_ratio: self.l1_ratio,
            dual_gap: paths.iter().map(|p| p.gaps[end(p)]).collect(),
            n_iter: paths.iter().map(|p| p.iterations[end(p)]).collect(),
            paths: if matches!(self.alpha, AlphaSpec::Word(_)) { paths } else { Vec::new() },
            validations,
            certificate: Some(certificate),
            trace: Some(solver.trace),
        })
    }

    /// Coefficients to start from, checked against the shape of the data.
    fn starts(&self, targets: usize, cols: usize) -> Result<Option<&[Vec<f64>]>> {
        let Some(start) = self.start else { return Ok(None) };
        if start.len() != targets || start.iter().any(|s| s.len() != cols || s.iter().any(|v| !v.is_finite())) {
            let value = format!("a list of {} lists", start.len());
            let expected = format!("{targets} lists of {cols} finite coefficients are needed, one list per target");
            return Err(Error::parameter(self.learner, "start", value, expected));
        }
        Ok(Some(start))
    }

    /// The penalties to be solved for, falling.
    fn sequence(&self, problem: &LassoProblem<'_>, target: usize) -> Vec<f64> {
        match (self.alpha, self.alphas) {
            (AlphaSpec::Number(alpha), _) => vec![alpha],
            (_, Some(alphas)) => {
                let mut alphas = alphas.to_vec();
                alphas.sort_by(|a, b| b.total_cmp(a));
                alphas
            }
            _ => grid(problem.largest_alpha(target, self.l1_ratio, self.positive), self.n_alphas, self.eps),
        }
    }

    /// The evidence for the last step of each path; the steps before it must have converged too.
    fn certificate(&self, problem: &LassoProblem<'_>, outcomes: &[Vec<LassoSolution>]) -> Certificate {
        let ends: Vec<(&LassoSolution, i32, f64)> =
            outcomes.iter().zip(&problem.targets).filter_map(|(o, t)| o.last().map(|o| (o, t.exponent, t.largest))).collect();
        let back = |v: f64, e: i32| ldexp(ldexp(v, e), e);
        let free = ends.iter().any(|(o, ..)| o.free);
        let mut notes = Vec::new();
        if free {
            notes.push("without a penalty the duality gap says nothing; see the KKT residual".to_owned());
        }
        if self.alphas.is_some() && !matches!(self.alpha, AlphaSpec::Word(_)) {
            notes.push("alphas is not used, since alpha is a number; alpha=cv or alpha=path uses it".to_owned());
        }
        if outcomes.iter().flatten().any(|o| o.stopped) {
            notes.push("stopped at the time limit".to_owned());
        }
        let relative =
            |(o, _, largest): &(&LassoSolution, i32, f64)| if *largest > 0.0 { o.quality.violation / largest } else { 0.0 };
        Certificate {
            method: if problem.design.is_sparse() { "coordinate descent on residuals" } else { "coordinate descent on products" }
                .to_owned(),
            objective: Some(ends.iter().map(|(o, e, _)| back(o.quality.objective, *e)).sum()),
            duality_gap: (!free).then(|| ends.iter().map(|(o, e, _)| back(o.quality.gap, *e)).sum()),
            kkt_residual: Some(ends.iter().map(relative).fold(0.0, f64::max)),
            iterations: outcomes.iter().flatten().map(|o| o.iterations).sum(),
            converged: outcomes.iter().flatten().all(|o| o.converged),
            notes,
            ..Certificate::default()
        }
    }
}
