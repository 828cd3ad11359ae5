//! From the parameters and the data to a model: one vector of weights per class, by the method that suits.

use ermine_core::parallel::prelude::*;
use ermine_core::{Certificate, Context, DatasetRef, Error, Features, Learner, Mat, Result, Task};
use ermine_math::columns::Design;
use ermine_math::platt::Sigmoid;

use super::super::coefficients::Coefficients;
use super::super::sgd::{RowVisitor, SgdRows, with_rows};
use super::{
    LinearSvm, LinearSvmModel, LinearSvmPenalty, LinearSvmSolver, MultiClass, SvmLoss, crammer_singer, dual, newton, pegasos,
    sparse,
};

/// The problem of one vector of weights.
pub(super) struct LinearSvmProblem<'a, 'x> {
    pub features: &'a Features<'x>,
    /// Targets; ±1 for classes.
    pub y: &'a [f64],
    /// C times the weight of each row.
    pub price: &'a [f64],
    pub loss: SvmLoss,
    /// Its number among the draws of random order.
    pub index: u64,
}

/// The solution for one vector of weights.
pub(super) struct LinearSvmSolution {
    w: Vec<f64>,
    intercept: f64,
    primal: f64,
    gap: f64,
    violation: f64,
    rounds: u64,
    converged: bool,
}

impl LinearSvm {
    fn constant(&self) -> f64 {
        if self.fit_intercept { self.intercept_scaling } else { 0.0 }
    }

    /// The loss for the task, which must be one of its own.
    fn loss_for(&self, task: Task) -> Result<SvmLoss> {
        match (self.loss, task) {
            (SvmLoss::Auto, Task::Regression) if self.method == LinearSvmSolver::Newton => Ok(SvmLoss::SquaredEpsilonInsensitive),
            (SvmLoss::Auto, Task::Classification) => Ok(SvmLoss::SquaredHinge),
            (SvmLoss::Auto, _) => Ok(SvmLoss::EpsilonInsensitive),
            (loss @ (SvmLoss::Hinge | SvmLoss::SquaredHinge), Task::Classification) => Ok(loss),
            (loss @ (SvmLoss::EpsilonInsensitive | SvmLoss::SquaredEpsilonInsensitive), Task::Regression) => Ok(loss),
            (SvmLoss::Hinge | SvmLoss::SquaredHinge, _) => {
                Err(Self::parameter_error("loss", "a hinge", "numbers need epsilon_insensitive or squared_epsilon_insensitive"))
            }
            _ => Err(Self::parameter_error("loss", "an epsilon-insensitive loss", "classes need hinge or squared_hinge")),
        }
    }

    /// Whether Newton's method solves it: asked for, or the fastest.
    fn by_newton(&self, x: &Features<'_>, loss: SvmLoss) -> bool {
        let squared = matches!(loss, SvmLoss::SquaredHinge | SvmLoss::SquaredEpsilonInsensitive);
        let few = x.cols() <= newton::MOST_COLUMNS && x.cols() <= x.rows();
        match self.method {
            LinearSvmSolver::Newton => true,
            LinearSvmSolver::Auto => squared && few && self.penalty == LinearSvmPenalty::L2,
            LinearSvmSolver::Descent | LinearSvmSolver::Pegasos => false,
        }
    }

    /// One vector of weights.
    fn one(&self, problem: &LinearSvmProblem<'_, '_>, cx: &Context<'_>) -> Result<LinearSvmSolution> {
        let constant = self.constant();
        if self.penalty == LinearSvmPenalty::L1 {
            let design = Design::new(problem.features, "linear-svm")?;
            let s = sparse::minimize(&design, problem.y, problem.price, constant, self.tol, self.max_iter, cx)?;
            return Ok(LinearSvmSolution {
                intercept: s.constant * constant,
                w: s.w,
                primal: s.primal,
                gap: s.gap,
                violation: s.violation,
                rounds: s.rounds,
                converged: s.converged,
            });
        }
        struct SolveVisitor<'a, 'x, 'c>(&'a LinearSvm, &'a LinearSvmProblem<'a, 'x>, &'a Context<'c>);
        impl RowVisitor for SolveVisitor<'_, '_, '_> {
            type Out = LinearSvmSolution;
            fn visit(self, rows: &impl SgdRows) -> Result<LinearSvmSolution> {
                self.0.descend(rows, self.1, self.2)
            }
        }
        with_rows(problem.features, "linear-svm", SolveVisitor(self, problem, cx))
    }

    /// The common form of the losses: max(0, 1 - yf) or max(0, |y - f| - ε), or the square of it.
    fn descend(&self, x: &impl SgdRows, problem: &LinearSvmProblem<'_, '_>, cx: &Context<'_>) -> Result<LinearSvmSolution> {
        let &LinearSvmProblem { features, y, price, loss, index } = problem;
        let (n, cols) = (y.len(), features.cols());
        let squared = matches!(loss, SvmLoss::SquaredHinge | SvmLoss::SquaredEpsilonInsensitive);
        let hinge = matches!(loss, SvmLoss::Hinge | SvmLoss::SquaredHinge);
        let epsilon = if hinge { 0.0 } else { self.epsilon };
        let bound = |i: usize| {
            if price[i] == 0.0 {
                0.0
            } else if squared {
                f64::INFINITY
            } else {
                price[i]
            }
        };
        let ridge: Vec<f64> = price.iter().map(|c| if squared && *c > 0.0 { 0.5 / c } else { 0.0 }).collect();
        let constant = self.constant();
        let s = if self.method == LinearSvmSolver::Pegasos {
            pegasos::minimize(x, cols, problem, constant, self.max_iter, cx)?
        } else if self.by_newton(features, loss) {
            let task = newton::SvmNewtonProblem { x: features, y, price, hinge, epsilon, constant };
            newton::minimize(&task, self.tol, self.max_iter, cx)?
        } else {
            let lower: Vec<f64> = (0..n).map(|i| if hinge && y[i] > 0.0 { 0.0 } else { -bound(i) }).collect();
            let upper: Vec<f64> = (0..n).map(|i| if hinge && y[i] < 0.0 { 0.0 } else { bound(i) }).collect();
            let rows = dual::DualProblem { y, lower: &lower, upper: &upper, ridge: &ridge, epsilon, constant };
            dual::minimize(x, cols, &rows, self.tol, self.max_iter, index, cx)?
        };
        let norm = |w: &[f64], b: f64| w.iter().map(|v| v * v).sum::<f64>() + b * b;
        let mut primal = 0.5 * norm(&s.w, s.constant);
        for i in (0..n).filter(|&i| price[i] > 0.0) {
            let f = x.dot(i, &s.w) + constant * s.constant;
            let off = if hinge { (1.0 - y[i] * f).max(0.0) } else { ((y[i] - f).abs() - epsilon).max(0.0) };
            primal += price[i] * if squared { off * off } else { off };
        }
        // The weights of the dual variables: those of descent are the primal's own, the others' may differ.
        let (mut w, mut b) = (s.w.clone(), s.constant);
        if self.method == LinearSvmSolver::Pegasos || self.by_newton(features, loss) {
            (w, b) = (vec![0.0; cols], 0.0);
            for i in (0..n).filter(|&i| s.beta[i] != 0.0) {
                x.add(i, s.beta[i], &mut w);
                b += s.beta[i] * constant;
            }
        }
        let mut dual = -0.5 * norm(&w, b);
        for i in 0..n {
            let v = s.beta[i];
            dual += y[i] * v - epsilon * v.abs() - 0.5 * ridge[i] * v * v;
        }
        let gap = (primal - dual).max(0.0);
        let violation = if s.violation.is_finite() { s.violation } else { gap / primal.max(f64::MIN_POSITIVE) };
        Ok(LinearSvmSolution {
            w: s.w,
            intercept: s.constant * constant,
            primal,
            gap,
            violation,
            rounds: s.rounds,
            converged: s.converged,
        })
    }

    fn certificate(&self, lines: &[LinearSvmSolution], newton: bool) -> Certificate {
        Certificate {
            method: match (self.method, self.penalty) {
                (LinearSvmSolver::Pegasos, _) => "pegasos".into(),
                (_, LinearSvmPenalty::L1) => "coordinate descent".into(),
                _ if newton => "newton".into(),
                _ => "dual coordinate descent".into(),
            },
            objective: Some(lines.iter().map(|l| l.primal).sum()),
            duality_gap: Some(lines.iter().map(|l| l.gap).sum()),
            kkt_residual: Some(lines.iter().map(|l| l.violation).fold(0.0, f64::max)),
            iterations: lines.iter().map(|l| l.rounds).max().unwrap_or(0),
            converged: lines.iter().all(|l| l.converged),
            ..Certificate::default()
        }
    }

    pub(super) fn classify(&self, data: &DatasetRef<'_>, cx: &Context<'_>) -> Result<LinearSvmModel> {
        let loss = self.loss_for(Task::Classification)?;
        let (codes, names) = data.y.classes()?;
        let mut totals = vec![0.0; names.len()];
        codes.iter().enumerate().for_each(|(i, &c)| totals[c as usize] += data.weight_of(i));
        let factors = match &self.class_weight {
            None => vec![1.0; names.len()],
            Some(class_weight) => class_weight.factors(&totals, names)?,
        };
        let present: Vec<u32> = (0..names.len() as u32).filter(|&c| totals[c as usize] * factors[c as usize] > 0.0).collect();
        if present.len() < 2 {
            return Err(Error::Target(match present.first() {
                Some(&one) => {
                    format!("every row is of class \"{}\", and linear-svm needs at least 2 classes", names[one as usize])
                }
                None => "no row has a weight above 0 in any class".into(),
            }));
        }
        let price: Vec<f64> = codes.iter().enumerate().map(|(i, &c)| self.c * data.weight_of(i) * factors[c as usize]).collect();
        let places: Vec<u32> = codes.iter().map(|c| present.binary_search(c).unwrap_or(0) as u32).collect();
        let lines: Vec<LinearSvmSolution> = if self.multi_class == MultiClass::CrammerSinger && present.len() > 2 {
            self.all_classes(&data.x, &places, present.len(), &price, cx)?
        } else {
            let vectors = if present.len() == 2 { 1 } else { present.len() };
            let positive = |k: usize| if vectors == 1 { 1 } else { k as u32 };
            (0..vectors)
                .into_par_iter()
                .map(|k| {
                    let y: Vec<f64> = places.iter().map(|&p| if p == positive(k) { 1.0 } else { -1.0 }).collect();
                    // The same order of rows for all, so that nothing depends on which number a class has.
                    self.one(&LinearSvmProblem { features: &data.x, y: &y, price: &price, loss, index: 0 }, cx)
                })
                .collect::<Result<_>>()?
        };
        let line = self.coefficients(&lines, data.cols());
        let scores = line.predict(&data.x, "linear-svm")?;
        let weights: Vec<f64> = (0..data.rows()).map(|i| if price[i] > 0.0 { data.weight_of(i) } else { 0.0 }).collect();
        let sigmoids = (0..lines.len())
            .map(|k| {
                let column: Vec<f64> = scores.view().col_iter(k).collect();
                let own = if lines.len() == 1 { 1 } else { k as u32 };
                Sigmoid::fit(&column, &places.iter().map(|&p| p == own).collect::<Vec<_>>(), &weights)
            })
            .collect();
        let newton = self.by_newton(&data.x, loss) && !(self.multi_class == MultiClass::CrammerSinger && present.len() > 2);
        let certificate = Some(self.certificate(&lines, newton));
        Ok(LinearSvmModel::of_classes(line, names.to_vec(), present, sigmoids, lines.iter().map(|l| l.rounds).max(), certificate))
    }

    fn coefficients(&self, lines: &[LinearSvmSolution], cols: usize) -> Coefficients {
        Coefficients {
            coef: Mat::from_fn(lines.len(), cols, |k, j| lines[k].w[j]),
            intercept: lines.iter().map(|l| l.intercept).collect(),
        }
    }

    fn all_classes(
        &self,
        x: &Features<'_>,
        codes: &[u32],
        classes: usize,
        price: &[f64],
        cx: &Context<'_>,
    ) -> Result<Vec<LinearSvmSolution>> {
        struct SolveVisitor<'a, 'c>(crammer_singer::CrammerSingerProblem<'a>, usize, &'a Context<'c>);
        impl RowVisitor for SolveVisitor<'_, '_> {
            type Out = crammer_singer::CrammerSingerSolution;
            fn visit(self, rows: &impl SgdRows) -> Result<Self::Out> {
                crammer_singer::minimize(rows, self.1, &self.0, self.2)
            }
        }
        let task = crammer_singer::CrammerSingerProblem {
            codes,
            classes,
            price,
            constant: self.constant(),
            tol: self.tol,
            max_iter: self.max_iter,
        };
        let s = with_rows(x, "linear-svm", SolveVisitor(task, x.cols(), cx))?;
        // The objective is one for all classes; the first holds it.
        let line = |m: usize| LinearSvmSolution {
            w: s.w.row(m).to_vec(),
            intercept: s.constants[m] * self.constant(),
            primal: if m == 0 { s.primal } else { 0.0 },
            gap: if m == 0 { (s.primal - s.dual).max(0.0) } else { 0.0 },
            violation: s.violation,
            rounds: s.rounds,
            converged: s.converged,
        };
        Ok((0..classes).map(line).collect())
    }

    pub(super) fn regress(&self, data: &DatasetRef<'_>, cx: &Context<'_>) -> Result<LinearSvmModel> {
        let loss = self.loss_for(Task::Regression)?;
        for (wrong, name, value) in [
            (self.penalty == LinearSvmPenalty::L1, "penalty", "l1"),
            (self.method == LinearSvmSolver::Pegasos, "method", "pegasos"),
            (self.multi_class == MultiClass::CrammerSinger, "multi_class", "crammer_singer"),
        ] {
            if wrong {
                return Err(Self::parameter_error(
                    name,
                    value,
                    "it is for classes; numbers are solved by descent with the l2 penalty",
                ));
            }
        }
        let y: Vec<f64> = data.y.reals()?.col_iter(0).collect();
        let price: Vec<f64> = (0..y.len()).map(|i| self.c * data.weight_of(i)).collect();
        let line = self.one(&LinearSvmProblem { features: &data.x, y: &y, price: &price, loss, index: 0 }, cx)?;
        let certificate = Some(self.certificate(std::slice::from_ref(&line), self.by_newton(&data.x, loss)));
        let rounds = Some(line.rounds);
        Ok(LinearSvmModel::of_numbers(self.coefficients(&[line], data.cols()), rounds, certificate))
    }
}
