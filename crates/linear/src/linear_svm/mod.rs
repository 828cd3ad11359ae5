//! Linear support vector machines: min ½‖w‖² + Σ Cᵢ loss(yᵢ, w·xᵢ + b).
//!
//! | method | for |
//! |---|---|
//! | dual coordinate descent | the l2 penalty and all four losses |
//! | Newton's method | squared losses of few columns |
//! | primal coordinate descent | the l1 penalty with the squared hinge |
//! | one problem of all classes | `multi_class` "crammer_singer" |
//! | Pegasos | many rows, few digits |

mod crammer_singer;
mod dual;
mod model;
mod newton;
mod pegasos;
mod sparse;

use ermine_core::{
    Accepts, Certificate, ClassWeight, Context, Dataset, Error, Family, Features, Learner, Mat, ModelReader, ParamSpec, Range,
    Result, Spec, Target, Task,
};
use ermine_math::columns::Design;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::coefficients::Coefficients;
use super::sgd::{RowVisitor, SgdRows, with_rows};
use ermine_math::platt::Sigmoid;

pub use model::LinearSvmModel;

/// A linear support vector machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LinearSvm {
    /// What errors cost.
    pub loss: SvmLoss,
    /// What weights cost.
    pub penalty: LinearSvmPenalty,
    /// The price of an error.
    #[serde(rename = "C")]
    pub c: f64,
    /// Half the width of the tube of a regression.
    pub epsilon: f64,
    /// Largest violation of the optimality conditions.
    pub tol: f64,
    /// Most rounds over the rows.
    pub max_iter: u64,
    /// How it is solved.
    pub method: LinearSvmSolver,
    /// How more than two classes are told apart.
    pub multi_class: MultiClass,
    /// Whether there is a constant term.
    pub fit_intercept: bool,
    /// The value of the constant column.
    pub intercept_scaling: f64,
    /// Factors on the weights of the classes.
    pub class_weight: Option<ClassWeight>,
}

/// What errors cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SvmLoss {
    /// The squared hinge for classes, the ε-insensitive loss for numbers.
    Auto,
    /// max(0, 1 - yf).
    Hinge,
    /// max(0, 1 - yf)².
    SquaredHinge,
    /// max(0, |y - f| - ε).
    EpsilonInsensitive,
    /// max(0, |y - f| - ε)².
    SquaredEpsilonInsensitive,
}

/// What weights cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LinearSvmPenalty {
    /// ½‖w‖².
    L2,
    /// ‖w‖₁, with the squared hinge.
    L1,
}

/// How a linear machine is solved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LinearSvmSolver {
    /// Newton's method where it is the fastest, descent elsewhere.
    Auto,
    /// Newton's method on the primal, with a squared loss.
    Newton,
    /// Coordinate descent: on the dual, or with an l1 penalty on the weights.
    Descent,
    /// Stochastic subgradient steps, with the hinge.
    Pegasos,
}

/// How more than two classes are told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MultiClass {
    /// Each from all others.
    Ovr,
    /// In one problem.
    CrammerSinger,
}

impl Default for LinearSvm {
    fn default() -> Self {
        Self {
            loss: SvmLoss::Auto,
            penalty: LinearSvmPenalty::L2,
            c: 1.0,
            epsilon: 0.0,
            tol: 1e-4,
            max_iter: 1000,
            method: LinearSvmSolver::Auto,
            multi_class: MultiClass::Ovr,
            fit_intercept: true,
            intercept_scaling: 1.0,
            class_weight: None,
        }
    }
}

/// What one vector of weights is to solve.
struct LinearSvmProblem<'a, 'x> {
    features: &'a Features<'x>,
    /// Targets; ±1 for classes.
    y: &'a [f64],
    /// C times the weight of each row.
    price: &'a [f64],
    loss: SvmLoss,
    /// Its number among the draws of random order.
    index: u64,
}

/// One vector of weights and what is known of it.
struct LinearSvmSolution {
    w: Vec<f64>,
    intercept: f64,
    primal: f64,
    gap: f64,
    violation: f64,
    rounds: u64,
    converged: bool,
}

impl LinearSvm {
    fn refuse(name: &str, value: impl std::fmt::Display, expected: &str) -> Error {
        Error::Parameter { learner: "linear-svm", name: name.into(), value: value.to_string(), expected: expected.into() }
    }

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
                Err(Self::refuse("loss", "a hinge", "numbers need epsilon_insensitive or squared_epsilon_insensitive"))
            }
            _ => Err(Self::refuse("loss", "an epsilon-insensitive loss", "classes need hinge or squared_hinge")),
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
            let s = sparse::minimise(&design, problem.y, problem.price, constant, self.tol, self.max_iter, cx)?;
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

    /// What the losses have in common: max(0, 1 - yf) or max(0, |y - f| - ε), or the square of it.
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
            pegasos::minimise(x, cols, problem, constant, self.max_iter, cx)?
        } else if self.by_newton(features, loss) {
            let task = newton::SvmNewtonProblem { x: features, y, price, hinge, epsilon, constant };
            newton::minimise(&task, self.tol, self.max_iter, cx)?
        } else {
            let lower: Vec<f64> = (0..n).map(|i| if hinge && y[i] > 0.0 { 0.0 } else { -bound(i) }).collect();
            let upper: Vec<f64> = (0..n).map(|i| if hinge && y[i] < 0.0 { 0.0 } else { bound(i) }).collect();
            let rows = dual::DualProblem { y, lower: &lower, upper: &upper, ridge: &ridge, epsilon, constant };
            dual::minimise(x, cols, &rows, self.tol, self.max_iter, index, cx)?
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

    fn classify(&self, data: &Dataset<'_>, cx: &Context<'_>) -> Result<LinearSvmModel> {
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
                crammer_singer::minimise(rows, self.1, &self.0, self.2)
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
        // The objective is one for all classes; it stands with the first.
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

    fn regress(&self, data: &Dataset<'_>, cx: &Context<'_>) -> Result<LinearSvmModel> {
        let loss = self.loss_for(Task::Regression)?;
        for (held, name, value) in [
            (self.penalty == LinearSvmPenalty::L1, "penalty", "l1"),
            (self.method == LinearSvmSolver::Pegasos, "method", "pegasos"),
            (self.multi_class == MultiClass::CrammerSinger, "multi_class", "crammer_singer"),
        ] {
            if held {
                return Err(Self::refuse(name, value, "it is for classes; numbers are solved by descent with the l2 penalty"));
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

impl Learner for LinearSvm {
    type Model = LinearSvmModel;

    const SEARCH_SPACE: &'static [&'static str] = &["C=1e-4..1e2:log"];

    const SPEC: Spec = Spec {
        name: "linear-svm",
        summary: "Linear support vector machine by coordinate descent, for classes or numbers",
        objective: "min 1/2 |w|^2 + sum_i C_i loss(y_i, w.x_i + b), or |w|_1 in the place of 1/2 |w|^2",
        notes: "Choose it for many rows or many sparse columns, and behind feature maps in the place of a kernel machine. Columns should be on \
                one scale: the constant term is penalised like a weight, less so the larger intercept_scaling is. A round costs one look at \
                every row; memory is that of the rows and one number each. Rows are visited in random order, so that another order of the \
                rows changes the last digits.",
        reference: "Hsieh et al., ICML 2008; Ho and Lin, JMLR 13 (2012); Yuan et al., JMLR 11 (2010); Keerthi et al., KDD 2008; Shalev-Shwartz \
                    et al., Mathematical Programming 127 (2011)",
        family: Family::Linear,
        tasks: &[Task::Classification, Task::Regression],
        accepts: Accepts { weights: true, sparse: true, ..Accepts::NUMBERS },
        params: &[
            ParamSpec {
                name: "loss",
                doc: "hinge or squared_hinge for classes; epsilon_insensitive or squared_epsilon_insensitive for numbers; auto is squared_hinge or \
                      epsilon_insensitive (its square with newton).",
                range: Range::Choice(&["auto", "hinge", "squared_hinge", "epsilon_insensitive", "squared_epsilon_insensitive"]),
            },
            ParamSpec {
                name: "penalty",
                doc: "l2, or l1 (with the squared hinge) for few columns.",
                range: Range::Choice(&["l2", "l1"]),
            },
            ParamSpec { name: "C", doc: "The price of an error, times the weight of its row.", range: Range::above(0.0) },
            ParamSpec {
                name: "epsilon",
                doc: "Half the width of the tube around a regression within which errors cost nothing.",
                range: Range::at_least(0.0),
            },
            ParamSpec {
                name: "tol",
                doc: "Largest violation of the optimality conditions at the end, in units of the scores; with the l1 penalty, next to that of the \
                      first round; with newton, the root of the duality gap next to the objective.",
                range: Range::above(0.0),
            },
            ParamSpec {
                name: "max_iter",
                doc: "Most rounds over the rows; exactly as many for pegasos.",
                range: Range::int_from(0),
            },
            ParamSpec {
                name: "method",
                doc: "descent, a row at a time to the optimum; newton, few steps for squared losses, each of the cost of rows x columns^2; auto, the \
                      faster of these; pegasos, stochastic subgradient steps with the hinge.",
                range: Range::Choice(&["auto", "descent", "newton", "pegasos"]),
            },
            ParamSpec {
                name: "multi_class",
                doc: "ovr, each class from all others; crammer_singer, all in one problem with the hinge.",
                range: Range::Choice(&["ovr", "crammer_singer"]),
            },
            ParamSpec { name: "fit_intercept", doc: "Whether there is a constant term.", range: Range::Bool },
            ParamSpec {
                name: "intercept_scaling",
                doc: "The value of the constant column, whose weight is penalised like the others.",
                range: Range::above(0.0),
            },
            ParamSpec {
                name: "class_weight",
                doc: "Factors on C by class name, 1 for those not listed; \"balanced\" gives every class the same total weight.",
                range: Range::Any,
            },
        ],
    };

    const ROW_ORDER_MATTERS: bool = true;

    fn check(&self) -> Result<()> {
        Self::SPEC.check_params(&serde_json::to_value(self).map_err(|e| Error::Data(e.to_string()))?)?;
        if self.penalty == LinearSvmPenalty::L1 && self.loss == SvmLoss::Hinge {
            return Err(Self::refuse("loss", "hinge", "the l1 penalty goes with squared_hinge"));
        }
        if self.penalty == LinearSvmPenalty::L1 && self.method == LinearSvmSolver::Pegasos {
            return Err(Self::refuse("method", "pegasos", "the l1 penalty is solved by descent"));
        }
        if self.method == LinearSvmSolver::Pegasos && !matches!(self.loss, SvmLoss::Hinge) {
            return Err(Self::refuse("loss", "not hinge", "pegasos takes steps on the hinge"));
        }
        let squared = matches!(self.loss, SvmLoss::Auto | SvmLoss::SquaredHinge | SvmLoss::SquaredEpsilonInsensitive);
        if self.method == LinearSvmSolver::Newton && (self.penalty == LinearSvmPenalty::L1 || !squared) {
            return Err(Self::refuse("method", "newton", "it is for squared losses with the l2 penalty"));
        }
        if let Some(ClassWeight::Factors(factors)) = &self.class_weight
            && let Some((name, value)) = factors.iter().find(|(_, v)| !(v.is_finite() && **v >= 0.0))
        {
            return Err(Self::refuse("class_weight", format!("{name}: {value}"), "factors are finite and not negative"));
        }
        Ok(())
    }

    fn fit(&self, data: &Dataset<'_>, cx: &Context<'_>) -> Result<LinearSvmModel> {
        self.check()?;
        data.check(&Self::SPEC)?;
        data.x.refuse_non_finite(data.schema)?;
        match data.y {
            Target::Class { .. } => self.classify(data, cx),
            _ => self.regress(data, cx),
        }
    }

    fn load(input: &ModelReader) -> Result<LinearSvmModel> {
        model::load(input)
    }
}
