//! Logistic regression for two classes, softmax regression for more.

#[cfg(feature = "fit")]
mod cd;
#[cfg(feature = "fit")]
mod dual;
#[cfg(feature = "fit")]
mod evaluate;
#[cfg(feature = "fit")]
mod gd;
#[cfg(feature = "fit")]
mod hessian;
#[cfg(feature = "fit")]
mod in_memory;
mod model;
#[cfg(feature = "fit")]
mod objective;
mod one_row;
#[cfg(feature = "fit")]
mod pass;
#[cfg(feature = "fit")]
mod penalty;
#[cfg(feature = "fit")]
mod quadratic;
#[cfg(feature = "fit")]
mod rows;
#[cfg(feature = "fit")]
mod sample;
mod separation;
#[cfg(feature = "fit")]
mod setup;
#[cfg(feature = "fit")]
mod stochastic;
#[cfg(test)]
mod tests;

use ermine_core::{
    Accepts, ClassWeight, Context, DatasetRef, Error, Family, Learner, ModelReader, ParamSpec, Range, Result, RowSource, Spec,
    StreamFit, Task, run_passes_source,
};
use serde::{Deserialize, Serialize};

pub(crate) use model::load;
pub use model::{LogisticModel, StandardErrors};
pub use separation::Separation;

/// Linear scores turned into probabilities: logistic regression for two classes, softmax regression for more.
///
/// # What it minimizes
/// C Σᵢ wᵢ loss(xᵢ, yᵢ) + r ‖W‖₁ + (1 - r)/2 ‖W‖². For two classes the loss is log(1 + exp(-sᵢ (w·xᵢ + b))) with sᵢ = ±1;
/// for K classes it is log Σₖ exp(zᵢₖ) - zᵢ,yᵢ with zᵢₖ = wₖ·xᵢ + bₖ, one weight vector a class; without L1 part their
/// sum is 0 at the optimum. The share r is 0 for an L2 penalty and 1 for an L1 penalty. Intercepts are not penalized.
/// Without penalty it is Σᵢ wᵢ loss alone: maximum likelihood.
///
/// # When to use it
/// First, for any classification with numeric columns: the optimum is unique and found exactly, the probabilities are
/// well calibrated, the weights can be read. With an L1 part many weights are exactly 0, which selects columns.
/// Standardize the columns when their units differ, since the penalty sees the units.
///
/// # Example
/// ```
/// use ermine_core::{Context, DatasetRef, Features, Learner, MatRef, Model, OwnedTarget};
/// use ermine_linear::Logistic;
///
/// let hours = [0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0];
/// let passed = OwnedTarget::from_labels(&["no", "no", "yes", "no", "no", "yes", "yes", "yes"]);
/// let data = DatasetRef::new(Features::F64(MatRef::row_major(&hours, 8, 1))).with_target(passed.view());
/// let model = Logistic::default().fit_with(&data, &Context::default())?;
/// let p = model.as_classifier().unwrap().proba(&data.x)?;
/// assert!(p[(7, 1)] > 0.8 && model.certificate().unwrap().converged);
/// # Ok::<(), ermine_core::Error>(())
/// ```
///
/// # Parameters
/// See [`Logistic::SPEC`](Learner::SPEC), which is also the text on the command line and in Python.
///
/// # Cost
/// A pass over the rows costs 4 n p K multiplications and reads the rows once; Newton's method takes about ten passes and
/// n p² multiplications for each Hessian, of which it needs one to five; L-BFGS takes some tens of passes. Large data
/// starts from the optimum of a sample of its rows. With an L1 part a step costs some rounds over the columns in use and
/// a pass over all; about six steps do. Sparse rows with an L2 penalty and no intercept take about ten rounds over the
/// rows of the dual. Memory besides the rows: the sample (at most 64 MB, an eighth of the rows), a matrix of p × p (or pK
/// × pK) a thread where Newton's method is used, a copy of the columns in use with an L1 part.
///
/// # Separable classes
/// Without penalty the likelihood may have no maximum. The fit then stops where all but a share `tol` of it is gained
/// (`converged`), or after `max_iter` steps; a note begins with "separable", and [`LogisticModel::separation`] is the
/// direction that proves it: along it every row has its own class rise against every other, or stay. Nothing overflows.
///
/// # Weights
/// Weight 2 is the row twice, for the weights of the model and for their standard errors: weights of rows are counts.
///
/// # What it does not do
/// No one-versus-rest. Columns must be numbers without gaps. Rows of a stream are not visited by column or one by one:
/// there an L1 part is handled by accelerated gradient descent.
///
/// # Reference
/// Hastie, Tibshirani, Friedman: The Elements of Statistical Learning, 2nd ed., section 4.4; Nocedal, Wright: Numerical
/// Optimization, 2nd ed., chapters 6 and 7; Böhning: Multinomial logistic regression algorithm, 1992; Yuan, Ho, Lin: An
/// improved GLMNET for L1-regularized logistic regression, 2012; Albert, Anderson: On the existence of maximum likelihood
/// estimates in logistic regression models, 1984.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[doc(alias("LogisticRegression", "LogisticRegressionCV"))]
pub struct Logistic {
    /// The penalty.
    pub penalty: PenaltyKind,
    /// The inverse of the strength of the penalty; `None` is no penalty.
    #[serde(rename = "C")]
    pub c: Option<f64>,
    /// The share of the L1 part of the penalty; `None` takes it from `penalty`.
    pub l1_ratio: Option<f64>,
    /// Whether scores have an intercept.
    pub fit_intercept: bool,
    /// Factors on the weights of the rows, by class.
    pub class_weight: Option<ClassWeight>,
    /// How the optimum is found.
    pub solver: LogisticSolver,
    /// When to stop.
    pub tol: f64,
    /// Steps at most.
    pub max_iter: u64,
    /// Where to start; from nothing when absent.
    pub start: Option<LogisticStart>,
}

/// The penalty on the weights.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PenaltyKind {
    /// Half the sum of their squares.
    L2,
    /// The sum of their absolute values, which makes many of them 0.
    L1,
    /// Both, in the shares of `l1_ratio`.
    ElasticNet,
    /// None.
    None,
}

/// How the optimum is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogisticSolver {
    /// Newton's method where the Hessian is small enough, else L-BFGS.
    Auto,
    /// Newton's method.
    Newton,
    /// Limited-memory BFGS with a curvature bound as its first metric.
    Lbfgs,
    /// Gradient descent, accelerated, with a line search; proximal for absolute values.
    Gd,
    /// Stochastic gradient descent with averaging.
    Sgd,
    /// SAGA: stochastic gradients less their noise.
    Saga,
    /// Coordinate descent within proximal Newton steps.
    Cd,
}

/// Where a fit starts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LogisticStart {
    /// The weights: one run for two classes, else one per class.
    pub coef: Vec<Vec<f64>>,
    /// As many intercepts.
    pub intercept: Vec<f64>,
}

impl Default for Logistic {
    fn default() -> Self {
        Self {
            penalty: PenaltyKind::L2,
            c: Some(1.0),
            l1_ratio: None,
            fit_intercept: true,
            class_weight: None,
            solver: LogisticSolver::Auto,
            tol: 1e-4,
            max_iter: 100,
            start: None,
        }
    }
}

impl Logistic {
    /// Its name in the catalogue and in model files.
    pub(crate) const NAME: &'static str = "logistic";
}

#[cfg(feature = "fit")]
impl Learner for Logistic {
    type Model = LogisticModel;

    const SEARCH_SPACE: &'static [&'static str] = &["C=1e-4..1e4:log"];

    const SPEC: Spec = Spec {
        name: Self::NAME,
        summary: "Logistic regression for two classes, softmax regression for more, with an L2, L1 or elastic-net penalty",
        objective: "min over W, b: C sum_i w_i loss_i + r ||W||_1 + (1 - r)/2 ||W||^2; loss_i = log(1 + exp(-s_i (w.x_i + b))) for two classes, \
                    log sum_k exp(z_ik) - z_i,y(i) with z_ik = w_k.x_i + b_k for more; intercepts are not penalized",
        notes: "The first choice for classification with numeric columns: one optimum, found exactly and with a certificate, \
                probabilities that are well calibrated, weights that can be read (with standard errors without penalty). An L1 \
                part selects columns: many weights are exactly 0. Standardize columns of different units, since the penalty sees \
                the units. Classes that can be told apart without error are found out when nothing is penalized, and the \
                direction that tells them apart is kept. Weights of rows are counts, for standard errors too. Costs some tens of passes at most over the rows.",
        reference: "Hastie, Tibshirani, Friedman, The Elements of Statistical Learning, 2nd ed., 2009, section 4.4",
        family: Family::Linear,
        tasks: &[Task::Classification],
        accepts: Accepts { weights: true, sparse: true, passes: true, ..Accepts::NUMBERS },
        params: &[
            ParamSpec {
                name: "penalty",
                doc: "The penalty on the weights: \"l2\", half the sum of their squares; \"l1\", the sum of their absolute values, which \
                      makes many of them 0; \"elastic-net\", both; or \"none\", which is maximum likelihood.",
                range: Range::Choice(&["l2", "l1", "elastic-net", "none"]),
            },
            ParamSpec {
                name: "C",
                doc: "How much the losses count next to the penalty: small values keep the weights small. null is no penalty.",
                range: Range::Optional(&Range::above(0.0)),
            },
            ParamSpec {
                name: "l1_ratio",
                doc: "The share r of the L1 part: the penalty is r |W| + (1 - r) / 2 |W|^2, so that 0 is \"l2\" and 1 is \"l1\". null \
                      takes it from `penalty`, where \"elastic-net\" is 0.5.",
                range: Range::Optional(&Range::Real { min: 0.0, max: 1.0, above: false, log: false }),
            },
            ParamSpec {
                name: "fit_intercept",
                doc: "Whether scores have an intercept, which is not penalized.",
                range: Range::Bool,
            },
            ParamSpec {
                name: "class_weight",
                doc: "Factors on the weights of the rows by class: an object of class names and factors (1 for classes not \
                      named), or \"balanced\", n / (number of classes x weight of the class), which lets every class weigh \
                      the same.",
                range: Range::Optional(&Range::Either(&Range::Choice(&["balanced"]), &Range::Any)),
            },
            ParamSpec {
                name: "solver",
                doc: "How the optimum is found; the optimum is the same. \"newton\" with the Hessian; \"lbfgs\" without; \"gd\", \
                      accelerated gradient descent with a line search; \"cd\", coordinate descent within proximal Newton steps; \
                      \"saga\" and \"sgd\", one row at a time. An L1 part takes \"cd\", \"gd\" or \"saga\". \"auto\" picks the fastest. \
                      On a stream of rows \"newton\", \"lbfgs\" and \"gd\" work.",
                range: Range::Choice(&["auto", "newton", "lbfgs", "gd", "sgd", "saga", "cd"]),
            },
            ParamSpec {
                name: "tol",
                doc: "The fit ends when the distance to the optimum, in the norm of the Hessian and relative to the \
                      objective, is estimated below ten times this; with the Hessian at hand it goes on to a millionth of \
                      it, which costs a step or two. Coordinate descent (an L1 part) and the dual end when the duality gap \
                      proves that less than 50 tol^2 of the objective is missing, which is the same distance.",
                range: Range::at_least(0.0),
            },
            ParamSpec {
                name: "max_iter",
                doc: "Steps at most. A fit that needs more returns what it has and says so.",
                range: Range::int_from(0),
            },
            ParamSpec {
                name: "start",
                doc: "Where to start: an object with `coef`, a list of weights for each class (one list for two classes), and \
                      `intercept`, as many numbers. null starts from 0.",
                range: Range::Optional(&Range::Any),
            },
        ],
    };

    const STREAM: Option<StreamFit<Self>> = Some(stream);

    fn check(&self) -> Result<()> {
        self.check_ranges()?;
        if let Some(ClassWeight::Factors(factors)) = &self.class_weight
            && let Some((class, factor)) = factors.iter().find(|(_, f)| !(f.is_finite() && **f >= 0.0))
        {
            let value = format!("{factor} for class \"{class}\"");
            return Err(Error::parameter(Self::NAME, "class_weight", value, "factors must be finite numbers from 0 up"));
        }
        self.check_penalty()
    }

    fn fit_rows(&self, data: &DatasetRef<'_>, cx: &Context<'_>) -> Result<LogisticModel> {
        self.fit_in_memory(data, cx)
    }

    fn load(input: &ModelReader) -> Result<LogisticModel> {
        load(input)
    }
}

/// A fit on a source of rows: what needs them by column or one by one is refused, or replaced by a solver that does not.
#[cfg(feature = "fit")]
fn stream(learner: &Logistic, source: &dyn RowSource, cx: &Context<'_>) -> Result<LogisticModel> {
    learner.check()?;
    let solver = match learner.solver {
        LogisticSolver::Auto if learner.elastic_penalty().l1 > 0.0 => LogisticSolver::Gd,
        LogisticSolver::Sgd | LogisticSolver::Saga | LogisticSolver::Cd => {
            return Err(learner.refuse_solver("it needs all rows in memory; on a stream use \"newton\", \"lbfgs\" or \"gd\""));
        }
        solver => solver,
    };
    run_passes_source(&Logistic { solver, ..learner.clone() }, source, cx)
}

impl Logistic {
    fn refuse_solver(&self, expected: &str) -> Error {
        let value = serde_json::to_string(&self.solver).unwrap_or_default();
        Error::parameter(Self::NAME, "solver", value, expected)
    }

    /// Refuses penalties and solvers that do not go together.
    #[cfg(feature = "fit")]
    fn check_penalty(&self) -> Result<()> {
        if self.penalty == PenaltyKind::L1 && self.l1_ratio.is_some_and(|r| r != 1.0) {
            let expected = "penalty \"l1\" is a share of 1; for a mix use penalty \"elastic-net\"";
            return Err(Error::parameter(Self::NAME, "l1_ratio", self.l1_ratio.unwrap_or(1.0), expected));
        }
        if self.elastic_penalty().l1 > 0.0
            && matches!(self.solver, LogisticSolver::Newton | LogisticSolver::Lbfgs | LogisticSolver::Sgd)
        {
            return Err(self.refuse_solver("an L1 part of the penalty takes \"cd\", \"gd\", \"saga\" or \"auto\""));
        }
        Ok(())
    }
}
