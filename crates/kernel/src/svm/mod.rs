//! Support vector machines: classification and regression with kernels.
//!
//! Classification of two classes s = ±1 minimizes ½‖w‖² + Σ Cᵢ max(0, 1 - sᵢ(w·φ(xᵢ) + b)); its dual is in the module `solve`.
//! More classes are handled in pairs (one against one). Regression has the loss max(0, |y - f| - ε).

#[cfg(feature = "fit")]
mod cache;
#[cfg(feature = "fit")]
mod classify;
#[cfg(feature = "fit")]
mod fit;
mod model;
#[cfg(feature = "fit")]
mod pegasos;
#[cfg(feature = "fit")]
mod polish;
#[cfg(feature = "fit")]
mod solve;
#[cfg(feature = "fit")]
mod warm;

use ermine_core::{
    Accepts, ClassWeight, Context, DatasetRef, Error, Family, Learner, ModelReader, ParamSpec, Range, Result, Spec, Target, Task,
};
use serde::{Deserialize, Serialize};

use crate::kernel::{GammaChoice, GammaRule, KernelChoice};

pub(crate) use model::load;
pub use model::{BinarySvm, SvmModel};
pub(crate) use model::{load_centers, save_centers};
#[cfg(feature = "fit")]
pub(crate) use solve::gradient_f64 as multiply;

/// A support vector machine with kernels, for classes or numbers.
///
/// # What it minimizes
/// ½‖w‖² + Σ Cᵢ max(0, 1 - sᵢ (w·φ(xᵢ) + b)); with numbers max(0, |yᵢ - f(xᵢ)| - ε).
///
/// # When to use it
/// For a few thousand to some ten thousand rows where the border between classes is curved. Columns should be on one scale.
///
/// # Example
/// ```
/// use ermine_core::{Classifier, Context, DatasetRef, Features, Learner, MatRef, Target};
/// use ermine_kernel::svm::Svm;
///
/// let x = [-2.0, -1.0, 1.0, 2.0];
/// let names = ["no".to_owned(), "yes".to_owned()];
/// let data = DatasetRef::new(Features::F64(MatRef::row_major(&x, 4, 1)))
///     .with_target(Target::Class { codes: &[0, 0, 1, 1], names: &names });
/// let model = Svm { kernel: "linear".into(), c: None, ..Svm::default() }.fit_with(&data, &Context::default())?;
/// // The widest street between the classes: w = 1, b = 0.
/// let scores = model.decision(&Features::F64(MatRef::row_major(&[3.0], 1, 1)))?.unwrap();
/// assert!((scores[(0, 0)] - 3.0).abs() < 1e-9);
/// # Ok::<(), ermine_core::Error>(())
/// ```
///
/// # Parameters
/// Described in [`Learner::SPEC`].
///
/// # Cost
/// Between the square and the cube of the number of rows. Rows of the kernel matrix are held within `cache_mb`.
///
/// # What it does not do
/// It does not train in passes; beyond 200,000 rows it asks for `force`. Probabilities come from a sigmoid of the scores.
///
/// # Reference
/// Cortes, Vapnik: Support-vector networks, Machine Learning 20 (1995); Fan, Chen, Lin, JMLR 6 (2005).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[doc(alias("SVC", "SVR"))]
pub struct Svm {
    /// The penalty of an error; `None` is the hard margin.
    #[serde(rename = "C")]
    pub c: Option<f64>,
    /// The kernel.
    pub kernel: KernelChoice,
    /// Degree of the kernel "poly".
    pub degree: u32,
    /// Width of the kernels "rbf", "poly", "sigmoid" and "laplacian".
    pub gamma: GammaChoice,
    /// Constant of the kernels "poly" and "sigmoid".
    pub coef0: f64,
    /// Half the width of the tube of a regression.
    pub epsilon: f64,
    /// Largest violation of the optimality conditions.
    pub tol: f64,
    /// Factors on the weights of the classes.
    pub class_weight: Option<ClassWeight>,
    /// Whether probabilities are calibrated on cross-validated scores.
    pub probability: bool,
    /// Whether variables at a bound are left out (shrinking).
    pub shrinking: bool,
    /// Size of the kernel cache in megabytes.
    pub cache_mb: f64,
    /// The solver.
    pub method: SvmSolver,
    /// Most steps.
    pub max_iter: Option<u64>,
    /// The result of `decision` for more than two classes.
    pub decision_shape: DecisionShape,
    /// Whether equal votes are decided by scores.
    pub break_ties: bool,
    /// Whether to fit however many rows there are.
    pub force: bool,
}

/// Solvers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SvmSolver {
    /// Sequential minimal optimization of the dual, to the tolerance.
    Smo,
    /// Stochastic subgradient steps on the primal, for classification; the constant is penalized like a weight.
    Pegasos,
}

/// Shape of the scores for more than two classes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DecisionShape {
    /// One score per class: votes, and within equal votes the sum of scores.
    Ovr,
    /// One score per pair of classes.
    Ovo,
}

impl Default for Svm {
    fn default() -> Self {
        Self {
            c: Some(1.0),
            kernel: "rbf".into(),
            degree: 3,
            gamma: GammaChoice::Rule(GammaRule::Scale),
            coef0: 0.0,
            epsilon: 0.1,
            tol: 1e-3,
            class_weight: None,
            probability: false,
            shrinking: true,
            cache_mb: 200.0,
            method: SvmSolver::Smo,
            max_iter: None,
            decision_shape: DecisionShape::Ovr,
            break_ties: false,
            force: false,
        }
    }
}

const POSITIVE: Range = Range::above(0.0);
const INT: Range = Range::int_from(1);

#[cfg(feature = "fit")]
impl Learner for Svm {
    type Model = SvmModel;

    const SEARCH_SPACE: &'static [&'static str] = &["C=1e-2..1e3:log", "gamma=1e-4..10:log"];

    const SPEC: Spec = Spec {
        name: "svm",
        summary: "Support vector machine with kernels, for classes or numbers",
        objective: "min 1/2 |w|^2 + sum_i C_i max(0, 1 - y_i (w.phi(x_i) + b)); with numbers, max(0, |y_i - f(x_i)| - epsilon)",
        notes: "Choose it for a few thousand to some ten thousand rows where the border between classes is curved. Columns should be on one \
                scale. Time grows between the square and the cube of the number of rows, so that beyond 200,000 rows it asks to be forced; \
                feature maps (nystroem, rff) in front of linear-svm go on from there. Steps on pairs of variables within working sets, \
                rows of the kernel matrix in f32 within cache_mb, the certificate in f64. C=null is the hard margin, and an error \
                where classes cannot be separated. Probabilities come from a sigmoid of the scores of the training rows, or with \
                probability=true of rows held out in 5 folds, which is less sure of itself and right more often.",
        reference: "Cortes and Vapnik: Support-vector networks, Machine Learning 20 (1995); Fan, Chen and Lin, JMLR 6 (2005); Platt (1999)",
        family: Family::Kernel,
        tasks: &[Task::Classification, Task::Regression],
        accepts: Accepts { weights: true, sparse: true, ..Accepts::NUMBERS },
        params: &[
            ParamSpec {
                name: "C",
                doc: "The price of an error, times the weight of its row; null allows no error at all.",
                range: Range::Optional(&POSITIVE),
            },
            ParamSpec {
                name: "kernel",
                doc: "linear, poly, rbf, sigmoid, laplacian, precomputed, or a formula such as \"rbf(0.5) + 0.1 * linear\".",
                range: Range::Any,
            },
            ParamSpec { name: "degree", doc: "Degree of the kernel \"poly\".", range: Range::Int { min: 0, max: 100 } },
            ParamSpec {
                name: "gamma",
                doc: "Width of the kernels rbf, poly, sigmoid and laplacian: a number, \"scale\" for 1 / (columns * variance of all \
                      cells), \"auto\" for 1 / columns.",
                range: Range::Either(&Range::Choice(&["scale", "auto"]), &Range::at_least(0.0)),
            },
            ParamSpec {
                name: "coef0",
                doc: "Constant of the kernels poly and sigmoid.",
                range: Range::Real { min: f64::NEG_INFINITY, max: f64::INFINITY, above: false, log: false },
            },
            ParamSpec {
                name: "epsilon",
                doc: "Half the width of the tube around a regression within which errors cost nothing.",
                range: Range::at_least(0.0),
            },
            ParamSpec {
                name: "tol",
                doc: "Largest violation of the optimality conditions at the end, in units of the scores.",
                range: POSITIVE,
            },
            ParamSpec {
                name: "class_weight",
                doc: "Factors on C by class name, 1 for those not listed; \"balanced\" gives every class the same total weight.",
                range: Range::Any,
            },
            ParamSpec {
                name: "probability",
                doc: "Whether the sigmoids behind probabilities are fitted to scores of rows held out in 5 folds, at five more fits.",
                range: Range::Bool,
            },
            ParamSpec {
                name: "shrinking",
                doc: "Whether variables that rest at a bound are left out until the others are solved.",
                range: Range::Bool,
            },
            ParamSpec { name: "cache_mb", doc: "Megabytes for rows of the kernel matrix.", range: POSITIVE },
            ParamSpec {
                name: "method",
                doc: "smo, steps on pairs of dual variables to the tolerance; pegasos, stochastic subgradient steps on the primal, for classes, with \
                      the constant term penalized like a weight.",
                range: Range::Choice(&["smo", "pegasos"]),
            },
            ParamSpec {
                name: "max_iter",
                doc: "Most steps for a pair of classes; null for no limit. Pegasos takes this many, in whole epochs over the rows; null for 50 epochs.",
                range: Range::Optional(&INT),
            },
            ParamSpec {
                name: "decision_shape",
                doc: "Scores of more than two classes: ovr, one per class made of votes and scores; ovo, one per pair.",
                range: Range::Choice(&["ovr", "ovo"]),
            },
            ParamSpec {
                name: "break_ties",
                doc: "Whether the class of a row with equal votes is that of the greatest score, not the first.",
                range: Range::Bool,
            },
            ParamSpec { name: "force", doc: "Whether to try however many rows there are.", range: Range::Bool },
        ],
    };

    fn check(&self) -> Result<()> {
        self.check_ranges()?;
        self.kernel.kernel(&self.gamma, self.degree, self.coef0)?;
        if self.method == SvmSolver::Pegasos && self.c.is_none() {
            return Err(Error::parameter(
                Self::SPEC.name,
                "C",
                "null",
                "pegasos needs a finite price; the hard margin goes with method=smo",
            ));
        }
        if let Some(ClassWeight::Factors(factors)) = &self.class_weight
            && let Some((name, value)) = factors.iter().find(|(_, v)| !(v.is_finite() && **v >= 0.0))
        {
            return Err(Error::parameter(
                Self::SPEC.name,
                "class_weight",
                format!("{name}: {value}"),
                "factors are finite and not negative",
            ));
        }
        Ok(())
    }

    fn fit_rows(&self, data: &DatasetRef<'_>, cx: &Context<'_>) -> Result<SvmModel> {
        self.check()?;
        data.check(&Self::SPEC)?;
        match data.y {
            Target::Class { .. } => classify::classify(self, data, None, cx),
            _ => fit::regress(self, data, None, cx),
        }
    }

    fn load(input: &ModelReader) -> Result<SvmModel> {
        load(input)
    }
}
