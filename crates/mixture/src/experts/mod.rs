//! Mixtures of experts.

mod e_step;
mod gate;
#[cfg(feature = "fit")]
mod m_step;
mod model;
#[cfg(feature = "fit")]
mod partition;
#[cfg(feature = "fit")]
mod pass;

use ermine_core::*;
use serde::{Deserialize, Serialize};

pub use model::MixtureOfExpertsModel;

/// Several simple models, and a gate that weights them for each row.
///
/// # What it maximizes
/// Σᵢ wᵢ log Σₖ g_k(xᵢ) p_k(yᵢ | xᵢ) by EM, with a softmax gate g_k(x) ∝ exp(v_k·x + c_k) and experts that are linear
/// with Gaussian noise, p_k = N(y; b_k·x + a_k, σ_k²), for numbers, or softmax regressions for classes. Slopes have a
/// Gaussian prior: ½ alpha |v_k|² and ½ alpha |b_k|² / σ_k² (as in ridge regression), for classes ½ alpha |W_k|², is
/// taken off. In every M step linear experts are solved in closed form, by ridge regression with the shares as weights;
/// gate and softmax experts take a Newton step of their weighted softmax regressions, halved where it would lead down, so
/// that they are solved when the whole is. The course is in the trace and never falls.
///
/// # When to use it
/// Where one straight line is not enough but a few are, each in its own region: regimes, switching behavior, noise that
/// differs between regions. Each expert can be read like a linear model.
///
/// # Example
/// ```
/// use ermine_core::{Context, DatasetRef, Features, Learner, MatRef, Regressor, Target};
/// use ermine_mixture::MixtureOfExperts;
///
/// // |x| is two lines.
/// let x: Vec<f64> = (-50..50).map(|i| f64::from(i) / 10.0 + 0.05).collect();
/// let y: Vec<f64> = x.iter().map(|v| v.abs()).collect();
/// let data = DatasetRef::new(Features::F64(MatRef::row_major(&x, 100, 1))).with_target(Target::Real(&y));
/// let model = MixtureOfExperts { alpha: 1e-4, ..MixtureOfExperts::default() }.fit_with(&data, &Context::default())?;
/// let predictions = model.predict(&Features::F64(MatRef::row_major(&[-3.0, 4.0], 2, 1)))?;
/// assert!((predictions[(0, 0)] - 3.0).abs() < 0.05 && (predictions[(1, 0)] - 4.0).abs() < 0.05);
/// # Ok::<(), ermine_core::Error>(())
/// ```
///
/// # Parameters
/// Described in [`Learner::SPEC`].
///
/// # Cost
/// One pass per step; for k experts and p columns about n k² p² / 4 multiplications for the Newton step of the gate and n
/// k p² / 2 for the experts. Beyond 1500 numbers in a gate or expert its curvature is bounded instead of computed
/// (Böhning 1992), which takes more steps of less work.
///
/// # What it does not do
/// It does not find the best of all mixtures, only one that no step improves; `n_init` tries several starts. It does not
/// take missing cells.
///
/// # Reference
/// Jacobs, Jordan, Nowlan, Hinton, Neural Computation 3 (1991); Jordan and Jacobs, Neural Computation 6 (1994); Lange,
/// Journal of the Royal Statistical Society B 57 (1995).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MixtureOfExperts {
    /// How many experts.
    pub n_experts: usize,
    /// Strength of the penalty on slopes.
    pub alpha: f64,
    /// The least variance of an expert's noise, as a part of the variance of the target.
    pub reg_variance: f64,
    /// The end is reached when a step gains less than this, a row.
    pub tol: f64,
    /// At most that many steps.
    pub max_iter: u64,
    /// How many starts.
    pub n_init: u64,
}

impl Default for MixtureOfExperts {
    fn default() -> Self {
        Self { n_experts: 2, alpha: 0.01, reg_variance: 1e-6, tol: 1e-5, max_iter: 300, n_init: 3 }
    }
}

/// The parameters of a mixture of experts, about the means of the columns.
///
/// Vectors have one number per column and then the intercept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExpertsParams {
    /// The gate: one row per expert.
    pub gate: Mat<f64>,
    /// The kind of the experts.
    pub experts: ExpertKind,
}

/// The experts and their parameters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ExpertKind {
    /// A number with noise: one row per expert, and the variances of the noise.
    Linear {
        /// Slopes and intercept.
        coef: Mat<f64>,
        /// Variance of the noise.
        variance: Vec<f64>,
    },
    /// A class: one row per expert and class, the classes of the first expert first.
    Logistic {
        /// Slopes and intercept.
        coef: Mat<f64>,
        /// Number of classes.
        classes: usize,
    },
}

impl ExpertsParams {
    /// How many experts there are.
    pub fn len(&self) -> usize {
        self.gate.rows()
    }

    /// Whether there are none, which no fit returns.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All 0: every expert predicts the same, the gate gives equal shares.
    fn zeros(n_experts: usize, cols: usize, classes: Option<usize>) -> Self {
        let experts = match classes {
            None => ExpertKind::Linear { coef: Mat::zeros(n_experts, cols + 1), variance: vec![1.0; n_experts] },
            Some(classes) => ExpertKind::Logistic { coef: Mat::zeros(n_experts * classes, cols + 1), classes },
        };
        Self { gate: Mat::zeros(n_experts, cols + 1), experts }
    }
}

/// A mixture of experts as [`crate::em`] sees it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct ExpertsEm {
    alpha: f64,
    /// The least variance of an expert's noise.
    floor: f64,
    /// Means of the columns and, for numbers, of the target.
    #[serde(rename = "centre")]
    center: Vec<f64>,
    target_mean: f64,
    /// Whether curvatures are computed; they are bounded otherwise.
    newton_gate: bool,
    newton_experts: bool,
    /// Σ w z̃ z̃ᵀ of all rows, for bounds on the curvature of the gate.
    gram: Option<Mat<f64>>,
}

#[cfg(feature = "fit")]
impl Learner for MixtureOfExperts {
    type Model = MixtureOfExpertsModel;

    const SPEC: Spec = Spec {
        name: "mixture-of-experts",
        summary: "Several linear or logistic models and a softmax gate that weights them for each row",
        objective: "max sum_i w_i log sum_k g_k(x_i) p_k(y_i | x_i) - alpha/2 (|gate slopes|^2 + |expert slopes|^2 [/ var_k])",
        notes: "For regimes: where one straight line is not enough but a few are, each in its own region, perhaps with its own noise. Experts are \
                linear with Gaussian noise for numbers and softmax regressions for classes; each can be read like a linear model. The penalized log \
                likelihood never falls; the end is a mixture that no step improves, so try several starts (n_init). One pass per step, about n k^2 p^2 / 4 \
                operations for the gate. The prediction is the mean over experts, the variance adds the spread between them.",
        reference: "Jacobs, Jordan, Nowlan, Hinton: Adaptive mixtures of local experts, Neural Computation 3 (1991); Jordan, Jacobs: Hierarchical \
                    mixtures of experts and the EM algorithm, Neural Computation 6 (1994); Lange: A gradient algorithm locally equivalent to the EM \
                    algorithm, JRSS B 57 (1995); Boehning: Multinomial logistic regression algorithm, Ann. Inst. Statist. Math. 44 (1992)",
        family: Family::Mixture,
        tasks: &[Task::Regression, Task::Classification],
        accepts: Accepts { weights: true, missing: false, categorical: false, sparse: false, passes: true, multi_target: false },
        params: &[
            ParamSpec { name: "n_experts", doc: "How many experts.", range: Range::Int { min: 1, max: 1 << 12 } },
            ParamSpec {
                name: "alpha",
                doc: "Strength of the penalty on the slopes of gate and experts; without it, the gate of regimes that do not overlap grows without end.",
                range: Range::Real { min: 0.0, max: f64::INFINITY, above: false, log: true },
            },
            ParamSpec {
                name: "reg_variance",
                doc: "The least variance of the noise of an expert, as a part of the variance of the target: keeps an expert from closing in on rows \
                      that lie on a line by chance.",
                range: Range::Real { min: 0.0, max: 1.0, above: false, log: true },
            },
            ParamSpec {
                name: "tol",
                doc: "The end is reached when a step changes the mean log likelihood of a row by less than this.",
                range: Range::at_least(0.0),
            },
            ParamSpec { name: "max_iter", doc: "At most that many steps.", range: Range::int_from(1) },
            ParamSpec {
                name: "n_init",
                doc: "How many starts are tried; the likeliest end is kept. The first ones cut the rows into slabs: along the direction in which the columns \
                      vary most, by the residuals of one linear model, by its predictions. Further ones group rows around some that are spread out.",
                range: Range::int_from(1),
            },
        ],
    };
    const STREAM: Option<StreamFit<Self>> = Some(run_passes_source::<Self>);

    fn fit_rows(&self, data: &DatasetRef<'_>, cx: &Context<'_>) -> Result<MixtureOfExpertsModel> {
        run_passes(self, data, cx)
    }

    fn load(input: &ModelReader) -> Result<MixtureOfExpertsModel> {
        MixtureOfExpertsModel::load(input)
    }
}
