//! Linear support vector machines: min ½‖w‖² + Σ Cᵢ loss(yᵢ, w·xᵢ + b).
//!
//! | method | for |
//! |---|---|
//! | dual coordinate descent | the l2 penalty and all four losses |
//! | Newton's method | squared losses of few columns |
//! | primal coordinate descent | the l1 penalty with the squared hinge |
//! | one problem of all classes | `multi_class` "crammer_singer" |
//! | Pegasos | many rows, few digits |

#[cfg(feature = "fit")]
mod crammer_singer;
#[cfg(feature = "fit")]
mod dual;
#[cfg(feature = "fit")]
mod fit;
mod model;
#[cfg(feature = "fit")]
mod newton;
#[cfg(feature = "fit")]
mod pegasos;
#[cfg(feature = "fit")]
mod sparse;

use ermine_core::{
    Accepts, ClassWeight, Context, DatasetRef, Family, Learner, ModelReader, ParamSpec, Range, Result, Spec, Target, Task,
};
use serde::{Deserialize, Serialize};

pub use model::LinearSvmModel;
pub(crate) use model::load;

/// A linear support vector machine, for classes or numbers.
///
/// # What it minimizes
/// ½‖w‖² + Σ Cᵢ loss(yᵢ, w·xᵢ + b), or ‖w‖₁ in the place of ½‖w‖². The constant term is penalized like a weight.
///
/// # When to use it
/// For many rows or many sparse columns, and behind kernel maps in the place of a kernel machine.
///
/// # Example
/// ```
/// use ermine_core::{Classifier, Context, DatasetRef, Features, Learner, MatRef, Target};
/// use ermine_linear::LinearSvm;
///
/// let x = [-2.0, -1.0, 1.0, 2.0];
/// let names = ["no".to_owned(), "yes".to_owned()];
/// let data = DatasetRef::new(Features::F64(MatRef::row_major(&x, 4, 1)))
///     .with_target(Target::Class { codes: &[0, 0, 1, 1], names: &names });
/// let model = LinearSvm::default().fit_with(&data, &Context::default())?;
/// assert_eq!(model.classify(&data.x)?, [0, 0, 1, 1]);
/// # Ok::<(), ermine_core::Error>(())
/// ```
///
/// # Parameters
/// Described in [`Learner::SPEC`].
///
/// # Cost
/// A round is one look at every row; few Newton steps of rows · columns² where columns are few. Memory is the rows and one number each.
///
/// # What it does not do
/// It has no calibrated probabilities. Rows are visited in random order, so that another order of the rows changes the last digits.
///
/// # Reference
/// Hsieh et al., ICML 2008; Ho, Lin, JMLR 13 (2012); Yuan et al., JMLR 11 (2010); Keerthi et al., KDD 2008.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[doc(alias("LinearSVC", "LinearSVR"))]
pub struct LinearSvm {
    /// The loss.
    pub loss: SvmLoss,
    /// The penalty.
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
    /// The algorithm.
    pub method: LinearSvmSolver,
    /// How more than two classes are separated.
    pub multi_class: MultiClass,
    /// Whether there is a constant term.
    pub fit_intercept: bool,
    /// The value of the constant column.
    pub intercept_scaling: f64,
    /// Factors on the weights of the classes.
    pub class_weight: Option<ClassWeight>,
}

/// The loss.
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

/// The penalty.
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

/// How more than two classes are separated.
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

#[cfg(feature = "fit")]
impl Learner for LinearSvm {
    type Model = LinearSvmModel;

    const SEARCH_SPACE: &'static [&'static str] = &["C=1e-4..1e2:log"];

    const SPEC: Spec = Spec {
        name: "linear-svm",
        summary: "Linear support vector machine by coordinate descent, for classes or numbers",
        objective: "min 1/2 |w|^2 + sum_i C_i loss(y_i, w.x_i + b), or |w|_1 in the place of 1/2 |w|^2",
        notes: "Choose it for many rows or many sparse columns, and behind feature maps in the place of a kernel machine. Columns should be on \
                one scale: the constant term is penalized like a weight, less so the larger intercept_scaling is. A round costs one look at \
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
                doc: "The value of the constant column, whose weight is penalized like the others.",
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
        self.check_ranges()?;
        if self.penalty == LinearSvmPenalty::L1 && self.loss == SvmLoss::Hinge {
            return Err(Self::parameter_error("loss", "hinge", "the l1 penalty goes with squared_hinge"));
        }
        if self.penalty == LinearSvmPenalty::L1 && self.method == LinearSvmSolver::Pegasos {
            return Err(Self::parameter_error("method", "pegasos", "the l1 penalty is solved by descent"));
        }
        if self.method == LinearSvmSolver::Pegasos && !matches!(self.loss, SvmLoss::Hinge) {
            return Err(Self::parameter_error("loss", "not hinge", "pegasos takes steps on the hinge"));
        }
        let squared = matches!(self.loss, SvmLoss::Auto | SvmLoss::SquaredHinge | SvmLoss::SquaredEpsilonInsensitive);
        if self.method == LinearSvmSolver::Newton && (self.penalty == LinearSvmPenalty::L1 || !squared) {
            return Err(Self::parameter_error("method", "newton", "it is for squared losses with the l2 penalty"));
        }
        if let Some(ClassWeight::Factors(factors)) = &self.class_weight
            && let Some((name, value)) = factors.iter().find(|(_, v)| !(v.is_finite() && **v >= 0.0))
        {
            return Err(Self::parameter_error("class_weight", format!("{name}: {value}"), "factors are finite and not negative"));
        }
        Ok(())
    }

    fn fit_rows(&self, data: &DatasetRef<'_>, cx: &Context<'_>) -> Result<LinearSvmModel> {
        self.check()?;
        data.check(&Self::SPEC)?;
        data.x.refuse_non_finite(data.schema)?;
        match data.y {
            Target::Class { .. } => self.classify(data, cx),
            _ => self.regress(data, cx),
        }
    }

    fn load(input: &ModelReader) -> Result<LinearSvmModel> {
        load(input)
    }
}
