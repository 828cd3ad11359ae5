//! Lasso and elastic net: least squares with a penalty on the absolute values of the coefficients.

mod cv;
#[cfg(feature = "fit")]
mod fit;
#[cfg(feature = "fit")]
mod inner;
mod model;
mod path;
#[cfg(feature = "fit")]
mod problem;
#[cfg(feature = "fit")]
mod residual;
#[cfg(feature = "fit")]
mod solver;

use ermine_core::{Accepts, Context, DatasetRef, Family, Learner, ModelReader, ParamSpec, Range, Result, Spec, Task};
use serde::{Deserialize, Serialize};

pub use cv::Validation;
pub use model::LassoModel;
pub use path::{LassoPath, PathEvent};

#[cfg(feature = "fit")]
use fit::LassoOptions;

/// The strength of the penalty: a number, or what it is to be found by.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum AlphaSpec {
    /// This number.
    Number(f64),
    /// One of a path of penalties.
    Word(PathGoal),
}

/// The purpose of a path of penalties.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PathGoal {
    /// To choose the penalty by cross-validation.
    Cv,
    /// For the path itself; the model is that of its last, smallest penalty.
    Path,
}

impl From<f64> for AlphaSpec {
    fn from(alpha: f64) -> Self {
        Self::Number(alpha)
    }
}

/// The order in which coefficients are visited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Selection {
    /// One after the other.
    #[default]
    Cyclic,
    /// In a new random order every round.
    Random,
}

/// Lasso: least squares with a penalty on the absolute values of the coefficients,
/// `1/(2 Σ w) sum_i w_i (y_i - b0 - x_i · b)² + alpha |b|₁`. The intercept is not penalized.
///
/// # When to use it
/// Many columns of which few matter: most coefficients come out exactly 0. Standardize the columns first, since the penalty sees their
/// units. Among nearly equal columns it picks one; [`ElasticNet`] keeps them together.
///
/// # Example
/// ```
/// use ermine_core::{Context, DatasetRef, Features, Learner, MatRef, Target};
/// use ermine_linear::Lasso;
///
/// let x = [1.0, 0.0, -1.0, 0.0, 0.0, 1.0, 0.0, -1.0];
/// let y = [3.0, -3.0, 0.5, -0.5];
/// let data = DatasetRef::new(Features::F64(MatRef::row_major(&x, 4, 2))).with_target(Target::Real(&y));
/// let model = Lasso { alpha: 0.5.into(), ..Lasso::default() }.fit_with(&data, &Context::default())?;
/// let coef = model.coef().row(0);                   // soft-thresholded: (1.5 - alpha) / 0.5 and 0
/// assert!((coef[0] - 2.0).abs() < 1e-14 && coef[1] == 0.0);
/// assert!(model.dual_gap()[0] < 1e-14);
/// # Ok::<(), ermine_core::Error>(())
/// ```
///
/// # Parameters
/// `alpha`: the strength of the penalty; 0 is least squares. "cv" chooses it by cross-validation with `cv` folds on a path of penalties, "path"
/// follows the path and keeps all of it. The path has `n_alphas` penalties, from the largest that matters to `eps` times it,
/// or is given as `alphas`. `fit_intercept`: whether b0 is fitted. `positive`: whether coefficients are kept at or above 0. `tol`:
/// the duality gap at which to stop, relative to the mean square of the centered target. `max_iter`: rounds of coordinate
/// descent at most. `selection`: the order of the coefficients in a round. `precompute`: whether the products of all columns are
/// computed at the start; otherwise those of the columns of the working sets. `start`: coefficients to start from, one list
/// per target.
///
/// # Cost
/// A few passes over the data, and the products of the columns of the working sets: time `rows · active²`, memory
/// `active²`. Neither X nor its columns are copied, except sparse columns of the working sets.
///
/// # What it does not do
/// It gives no tests: the coefficients are biased on purpose. Rows must fit in memory.
///
/// # Reference
/// R. Tibshirani (1996), Regression shrinkage and selection via the lasso, JRSS B 58; J. Friedman, T. Hastie, R. Tibshirani (2010),
/// Regularization paths for generalized linear models via coordinate descent, J. Stat. Software 33.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[doc(alias = "LassoCV")]
pub struct Lasso {
    /// The strength of the penalty.
    pub alpha: AlphaSpec,
    /// Whether an intercept is fitted.
    pub fit_intercept: bool,
    /// Whether the products of all columns are computed at the start.
    pub precompute: bool,
    /// Rounds of coordinate descent at most.
    pub max_iter: u64,
    /// The duality gap at which to stop, relative to the mean square of the centered target.
    pub tol: f64,
    /// Whether coefficients are kept at or above 0.
    pub positive: bool,
    /// The order of the coefficients in a round.
    pub selection: Selection,
    /// Penalties on a path.
    pub n_alphas: usize,
    /// The last penalty of a path, as a share of the first.
    pub eps: f64,
    /// The penalties of a path.
    pub alphas: Option<Vec<f64>>,
    /// Folds of a cross-validation.
    pub cv: usize,
    /// Coefficients to start from, one list per target.
    pub start: Option<Vec<Vec<f64>>>,
}

impl Default for Lasso {
    fn default() -> Self {
        Self {
            alpha: AlphaSpec::Number(1.0),
            fit_intercept: true,
            precompute: false,
            max_iter: 1000,
            tol: 1e-4,
            positive: false,
            selection: Selection::Cyclic,
            n_alphas: 100,
            eps: 1e-3,
            alphas: None,
            cv: 5,
            start: None,
        }
    }
}

/// Elastic net: least squares with a penalty on the absolute values and on the squares of the coefficients,
/// `1/(2 Σ w) sum_i w_i (y_i - b0 - x_i · b)² + alpha (l1_ratio |b|₁ + (1 - l1_ratio)/2 |b|²)`. The intercept is not penalized.
///
/// # When to use it
/// As [`Lasso`], where columns come in groups of nearly equal ones: the squared part keeps a group together and makes the
/// solution unique.
///
/// # Example
/// ```
/// use ermine_core::{Context, DatasetRef, Features, Learner, MatRef, Target};
/// use ermine_linear::ElasticNet;
///
/// // The same column twice: the coefficient is shared.
/// let x = [1.0, 1.0, -1.0, -1.0];
/// let y = [2.0, -2.0];
/// let data = DatasetRef::new(Features::F64(MatRef::row_major(&x, 2, 2))).with_target(Target::Real(&y));
/// let model = ElasticNet { alpha: 1.0.into(), l1_ratio: 0.5, ..ElasticNet::default() }.fit_with(&data, &Context::default())?;
/// assert!(model.coef().row(0).iter().all(|b| (b - 0.6).abs() < 1e-12));      // (2 - 0.5) / (2 + 0.5)
/// # Ok::<(), ermine_core::Error>(())
/// ```
///
/// # Parameters
/// `l1_ratio`: the share of the absolute values in the penalty; 1 is the lasso, 0 ridge regression. The others are those of [`Lasso`].
///
/// # Cost
/// As [`Lasso`].
///
/// # What it does not do
/// It gives no tests: the coefficients are biased on purpose. Rows must fit in memory. It does not choose `l1_ratio`.
///
/// # Reference
/// H. Zou, T. Hastie (2005), Regularization and variable selection via the elastic net, JRSS B 67.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[doc(alias = "ElasticNetCV")]
pub struct ElasticNet {
    /// The strength of the penalty.
    pub alpha: AlphaSpec,
    /// The share of the absolute values in the penalty.
    pub l1_ratio: f64,
    /// Whether an intercept is fitted.
    pub fit_intercept: bool,
    /// Whether the products of all columns are computed at the start.
    pub precompute: bool,
    /// Rounds of coordinate descent at most.
    pub max_iter: u64,
    /// The duality gap at which to stop, relative to the mean square of the centered target.
    pub tol: f64,
    /// Whether coefficients are kept at or above 0.
    pub positive: bool,
    /// The order of the coefficients in a round.
    pub selection: Selection,
    /// Penalties on a path.
    pub n_alphas: usize,
    /// The last penalty of a path, as a share of the first.
    pub eps: f64,
    /// The penalties of a path.
    pub alphas: Option<Vec<f64>>,
    /// Folds of a cross-validation.
    pub cv: usize,
    /// Coefficients to start from, one list per target.
    pub start: Option<Vec<Vec<f64>>>,
}

impl Default for ElasticNet {
    fn default() -> Self {
        let Lasso { alpha, fit_intercept, precompute, max_iter, tol, positive, selection, n_alphas, eps, alphas, cv, start } =
            Lasso::default();
        Self {
            alpha,
            l1_ratio: 0.5,
            fit_intercept,
            precompute,
            max_iter,
            tol,
            positive,
            selection,
            n_alphas,
            eps,
            alphas,
            cv,
            start,
        }
    }
}

const PENALTY: Range = Range::Real { min: 0.0, max: f64::MAX, above: false, log: true };

const ALPHA: ParamSpec = ParamSpec {
    name: "alpha",
    doc: "The strength of the penalty; 0 is least squares. \"cv\" chooses it by cross-validation on a path of penalties, \
          \"path\" follows the path to its end and keeps all of it.",
    range: Range::Either(&PENALTY, &Range::Choice(&["cv", "path"])),
};
const FIT_INTERCEPT: ParamSpec =
    ParamSpec { name: "fit_intercept", doc: "Whether an intercept is fitted; it is never penalized.", range: Range::Bool };
const PRECOMPUTE: ParamSpec = ParamSpec {
    name: "precompute",
    doc: "Whether the products of all columns are computed at the start; otherwise those of the columns that become active.",
    range: Range::Bool,
};
const MAX_ITER: ParamSpec =
    ParamSpec { name: "max_iter", doc: "Rounds of coordinate descent at most.", range: Range::int_from(1) };
const TOL: ParamSpec = ParamSpec {
    name: "tol",
    doc: "The duality gap at which to stop, relative to the mean square of the centered target.",
    range: Range::Real { min: 0.0, max: f64::MAX, above: false, log: true },
};
const POSITIVE: ParamSpec = ParamSpec {
    name: "positive",
    doc: "Whether coefficients are kept at or above 0. The intercept stays free.",
    range: Range::Bool,
};
const SELECTION: ParamSpec = ParamSpec {
    name: "selection",
    doc: "The order of the coefficients in a round: one after the other, or a new random order every round.",
    range: Range::Choice(&["cyclic", "random"]),
};
const N_ALPHAS: ParamSpec =
    ParamSpec { name: "n_alphas", doc: "Penalties on a path, in equal ratios.", range: Range::Int { min: 1, max: 100_000 } };
const EPS: ParamSpec = ParamSpec {
    name: "eps",
    doc: "The last penalty of a path, as a share of the first, which is the least that makes all coefficients 0.",
    range: Range::Real { min: 0.0, max: 1.0, above: true, log: true },
};
const ALPHAS: ParamSpec = ParamSpec {
    name: "alphas",
    doc: "The penalties of a path; null makes them from n_alphas and eps.",
    range: Range::Optional(&Range::List(&PENALTY)),
};
const CV: ParamSpec = ParamSpec {
    name: "cv",
    doc: "Folds of the cross-validation that chooses alpha; rows are dealt to them at random.",
    range: Range::int_from(2),
};
const START: ParamSpec = ParamSpec {
    name: "start",
    doc: "Coefficients to start from, one list per target; null starts from 0.",
    range: Range::Optional(&Range::List(&Range::List(&Range::Real { min: f64::MIN, max: f64::MAX, above: false, log: false }))),
};

const ACCEPTS: Accepts = Accepts { weights: true, sparse: true, multi_target: true, ..Accepts::NUMBERS };

impl Lasso {
    #[cfg(feature = "fit")]
    fn settings(&self) -> LassoOptions<'_> {
        LassoOptions {
            learner: Self::SPEC.name,
            alpha: self.alpha,
            l1_ratio: 1.0,
            fit_intercept: self.fit_intercept,
            precompute: self.precompute,
            max_iter: self.max_iter,
            tol: self.tol,
            positive: self.positive,
            selection: self.selection,
            n_alphas: self.n_alphas,
            eps: self.eps,
            alphas: self.alphas.as_deref(),
            cv: self.cv,
            start: self.start.as_deref(),
        }
    }
}

impl ElasticNet {
    #[cfg(feature = "fit")]
    fn settings(&self) -> LassoOptions<'_> {
        LassoOptions {
            learner: Self::SPEC.name,
            alpha: self.alpha,
            l1_ratio: self.l1_ratio,
            fit_intercept: self.fit_intercept,
            precompute: self.precompute,
            max_iter: self.max_iter,
            tol: self.tol,
            positive: self.positive,
            selection: self.selection,
            n_alphas: self.n_alphas,
            eps: self.eps,
            alphas: self.alphas.as_deref(),
            cv: self.cv,
            start: self.start.as_deref(),
        }
    }
}

#[cfg(feature = "fit")]
impl Learner for Lasso {
    type Model = LassoModel;

    const SEARCH_SPACE: &'static [&'static str] = &["alpha=1e-4..100:log"];

    const L1_PENALTY: bool = true;

    const SPEC: Spec = Spec {
        name: "lasso",
        summary: "Least squares with a penalty on the absolute values of the coefficients",
        objective: "min 1/(2 sum w) sum_i w_i (y_i - b0 - x_i b)^2 + alpha |b|_1, intercept not penalized",
        notes: "Choose it when few of many columns matter: most coefficients come out exactly 0. Standardize the columns first. A \
                few passes over the data, and time rows x active^2 for the columns that become active. Gives no tests.",
        reference: "R. Tibshirani (1996), JRSS B 58, 267-288",
        family: Family::Linear,
        tasks: &[Task::Regression],
        accepts: ACCEPTS,
        params: &[ALPHA, FIT_INTERCEPT, PRECOMPUTE, MAX_ITER, TOL, POSITIVE, SELECTION, N_ALPHAS, EPS, ALPHAS, CV, START],
    };

    fn check(&self) -> Result<()> {
        self.check_ranges()?;
        self.settings().check()
    }

    fn fit_rows(&self, data: &DatasetRef<'_>, cx: &Context<'_>) -> Result<LassoModel> {
        self.check()?;
        data.check(&Self::SPEC)?;
        self.settings().fit_rows(data, cx)
    }

    fn load(input: &ModelReader) -> Result<LassoModel> {
        LassoModel::load(input, Self::SPEC.name)
    }
}

#[cfg(feature = "fit")]
impl Learner for ElasticNet {
    type Model = LassoModel;

    const SEARCH_SPACE: &'static [&'static str] = &["alpha=1e-4..100:log", "l1_ratio=0.05..1"];

    const SPEC: Spec = Spec {
        name: "elastic-net",
        summary: "Least squares with a penalty on the absolute values and the squares of the coefficients",
        objective: "min 1/(2 sum w) sum_i w_i (y_i - b0 - x_i b)^2 + alpha (l1_ratio |b|_1 + (1 - l1_ratio)/2 |b|^2), \
                    intercept not penalized",
        notes: "Choose it over the lasso where columns come in groups that say nearly the same: they are kept together. \
                Standardize the columns first. A few passes over the data, and time rows x active^2 for the columns that \
                become active. Gives no tests.",
        reference: "H. Zou, T. Hastie (2005), JRSS B 67, 301-320",
        family: Family::Linear,
        tasks: &[Task::Regression],
        accepts: ACCEPTS,
        params: &[
            ALPHA,
            ParamSpec {
                name: "l1_ratio",
                doc: "The share of the absolute values in the penalty; 1 is the lasso, 0 ridge regression.",
                range: Range::Real { min: 0.0, max: 1.0, above: false, log: false },
            },
            FIT_INTERCEPT,
            PRECOMPUTE,
            MAX_ITER,
            TOL,
            POSITIVE,
            SELECTION,
            N_ALPHAS,
            EPS,
            ALPHAS,
            CV,
            START,
        ],
    };

    fn check(&self) -> Result<()> {
        self.check_ranges()?;
        self.settings().check()
    }

    fn fit_rows(&self, data: &DatasetRef<'_>, cx: &Context<'_>) -> Result<LassoModel> {
        self.check()?;
        data.check(&Self::SPEC)?;
        self.settings().fit_rows(data, cx)
    }

    fn load(input: &ModelReader) -> Result<LassoModel> {
        LassoModel::load(input, Self::SPEC.name)
    }
}
