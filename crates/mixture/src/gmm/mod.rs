//! Mixtures of Gaussians.

mod components;
#[cfg(feature = "fit")]
mod e_step;
#[cfg(feature = "fit")]
mod init;
#[cfg(feature = "fit")]
mod m_step;
mod model;
pub(super) mod params;
#[cfg(feature = "fit")]
mod pass;
mod queries;
pub(super) mod rows;
mod selection;
#[cfg(feature = "fit")]
mod survey;

use ermine_core::*;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use components::{Covariances, GaussianMixture};
#[cfg(feature = "fit")]
use init::GmmInit;
#[cfg(feature = "fit")]
use m_step::WishartPrior;
pub use model::GmmModel;
#[cfg(feature = "fit")]
pub use pass::{GmmPartial, GmmState};
pub use selection::GmmCandidate;
#[cfg(feature = "fit")]
pub(super) use survey::rounded;

/// The constraint on the covariances of the components.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CovarianceType {
    /// Any, one per component.
    #[default]
    Full,
    /// Any, one for all components.
    Tied,
    /// Diagonal, one per component.
    Diag,
    /// A multiple of the identity, one per component.
    Spherical,
    /// A multiple of the identity, one for all components.
    TiedSpherical,
}

impl CovarianceType {
    /// Whether the whole scatter matrix is needed.
    fn is_full(self) -> bool {
        matches!(self, Self::Full | Self::Tied)
    }

    /// Whether columns may be scaled one by one without changing what fits best.
    fn follows_scales(self) -> bool {
        matches!(self, Self::Full | Self::Tied | Self::Diag)
    }

    /// Rows that a component must have for its covariance not to be singular.
    fn rows_needed(self, cols: usize) -> f64 {
        match self {
            Self::Full => cols as f64 + 1.0,
            Self::Diag | Self::Spherical => 2.0,
            Self::Tied | Self::TiedSpherical => 1.0,
        }
    }
}

/// How rows are shared out in an E step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EmAlgorithm {
    /// Each row to all components, by their posterior probabilities.
    #[default]
    Soft,
    /// Each row to its most probable component.
    Hard,
}

/// The use of `reg_covar`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CovarianceRegularization {
    /// No covariance is narrower than it in any direction.
    #[default]
    Floor,
    /// It is added to all variances.
    Add,
    /// As a floor in units of the columns: of the variances of all rows.
    Relative,
}

/// Where a fit starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum GmmInitMethod {
    /// The groups of k-means.
    #[default]
    #[serde(rename = "kmeans")]
    KMeans,
    /// Rows that are spread out as means, the covariance of all rows, equal weights.
    #[serde(rename = "k-means++")]
    PlusPlus,
    /// Rows drawn at random as means, the covariance of all rows, equal weights.
    #[serde(rename = "random_from_data")]
    Rows,
    /// Shares of components in rows drawn at random.
    #[serde(rename = "random")]
    Shares,
}

/// How the number of components is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ComponentCriterion {
    /// The least Bayesian information criterion.
    Bic,
    /// The least Akaike information criterion.
    Aic,
    /// The greatest likelihood of rows that were held out.
    Cv,
}

/// A mixture of Gaussians, fitted by expectation-maximization.
///
/// # What it maximizes
/// The log likelihood Σᵢ wᵢ log Σₖ πₖ N(xᵢ; μₖ, Σₖ), with a Wishart prior on the precisions the log posterior, and with
/// hard assignments Σᵢ wᵢ maxₖ log πₖ N(xᵢ; μₖ, Σₖ). Each step gains or stops: the course is in the trace. The
/// covariances are kept at or above `reg_covar` in every direction, under which the M step is still exact (eigenvalues
/// below it are raised to it). Cells that are missing are integrated over: a row counts with the cells it has.
///
/// # When to use it
/// For groups of different size, shape and direction that may overlap, for densities of several bumps, for finding
/// outliers (`ermine_eval::outlier`) and for filling in missing cells ([`GmmModel::impute`]). For compact groups,
/// k-means is quicker.
///
/// # Example
/// ```
/// use ermine_core::{Clusterer, Context, DatasetRef, Density, Features, Learner, MatRef};
/// use ermine_mixture::Gmm;
///
/// let x = [0.0, 0.3, 0.1, 9.0, 9.4, 9.1, 0.2, 9.3];
/// let features = Features::F64(MatRef::row_major(&x, 8, 1));
/// let model = Gmm { n_components: 2, ..Gmm::default() }.fit_with(&DatasetRef::new(features), &Context::default())?;
/// let groups = model.assign(&features)?;
/// assert!(groups[0] == groups[1] && groups[3] == groups[4] && groups[0] != groups[3]);
/// assert!(model.log_density(&features)?.iter().all(|d| *d > -4.0));
/// # Ok::<(), ermine_core::Error>(())
/// ```
///
/// # Parameters
/// Described in [`Learner::SPEC`].
///
/// # Cost
/// One pass per step; for full covariances about n k p² multiplications, in blocks; n k p for diagonal ones. Rows that
/// lack cells cost a factorization for every pattern of missing cells in a block.
///
/// # What it does not do
/// It does not find the best of all mixtures, only one that no step improves; `n_init` tries several starts. The
/// likelihood of a component that closes in on too few rows has no bound but `reg_covar`: such a run is tried again from
/// another start, and the model names those where it still happened.
///
/// # Reference
/// Dempster, Laird, Rubin, Journal of the Royal Statistical Society B 39 (1977); Bishop, Pattern Recognition and Machine
/// Learning, section 9.2; missing cells: Ghahramani and Jordan, NIPS 6 (1993); the default prior: Fraley and Raftery,
/// Journal of Classification 24 (2007).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[doc(alias = "GaussianMixture")]
pub struct Gmm {
    /// How many components, or the most that are tried.
    pub n_components: usize,
    /// The form of the covariances.
    pub covariance_type: CovarianceType,
    /// The end is reached when a step gains less than this per row.
    pub tol: f64,
    /// The regularization of the covariances.
    pub reg_covar: f64,
    /// The form of the regularization.
    #[serde(rename = "regularise")]
    pub regularize: CovarianceRegularization,
    /// At most that many steps.
    pub max_iter: u64,
    /// How many starts.
    pub n_init: u64,
    /// Where to start.
    pub init_params: GmmInitMethod,
    /// Weights to start from.
    pub weights_init: Option<Vec<f64>>,
    /// Means to start from.
    pub means_init: Option<Vec<Vec<f64>>>,
    /// Inverses of covariances to start from, in the form of `covariance_type`.
    pub precisions_init: Value,
    /// Soft or hard assignments.
    pub algorithm: EmAlgorithm,
    /// Whether all components have the same weight.
    pub equal_weights: bool,
    /// Degrees of freedom of a Wishart prior on the precisions.
    pub degrees_of_freedom_prior: Option<f64>,
    /// The scatter matrix of that prior.
    pub covariance_prior: Value,
    /// Whether, and how, the number of components is chosen.
    pub choose: Option<ComponentCriterion>,
    /// Folds of a choice by rows held out.
    pub folds: u64,
}

impl Default for Gmm {
    fn default() -> Self {
        Self {
            n_components: 1,
            covariance_type: CovarianceType::Full,
            tol: 1e-3,
            reg_covar: 1e-6,
            regularize: CovarianceRegularization::Floor,
            max_iter: 100,
            n_init: 1,
            init_params: GmmInitMethod::KMeans,
            weights_init: None,
            means_init: None,
            precisions_init: Value::Null,
            algorithm: EmAlgorithm::Soft,
            equal_weights: false,
            degrees_of_freedom_prior: None,
            covariance_prior: Value::Null,
            choose: None,
            folds: 5,
        }
    }
}

/// A fold of held-out rows: those whose hash has this number.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct HashFold {
    number: u64,
    of: u64,
    seed: u64,
}

/// A mixture of Gaussians as [`crate::em`] sees it.
#[cfg(feature = "fit")]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct GaussianEm {
    covariance_type: CovarianceType,
    hard: bool,
    equal_weights: bool,
    reg_covar: f64,
    #[serde(rename = "regularise")]
    regularize: CovarianceRegularization,
    /// The unit of each column.
    unit: Vec<f64>,
    prior: Option<WishartPrior>,
    /// Whether some rows lack cells.
    incomplete: bool,
    fold: Option<HashFold>,
}

impl Gmm {
    #[cfg(feature = "fit")]
    fn refuse(&self, name: &str, value: impl std::fmt::Display, expected: impl Into<String>) -> Error {
        let mut value = value.to_string();
        if value.len() > 80 {
            value = "a list".into();
        }
        Error::parameter(Self::SPEC.name, name, value, expected)
    }
}

#[cfg(feature = "fit")]
impl Learner for Gmm {
    type Model = GmmModel;

    const SPEC: Spec = Spec {
        name: "gmm",
        summary: "Mixture of Gaussians: groups that may overlap, and the density they make",
        objective: "max over weights, means, covariances of sum_i w_i log sum_k weight_k N(x_i; mean_k, cov_k)",
        notes: "For groups of different size, shape and direction that may overlap, for densities of several bumps, for outliers and for \
                filling in missing cells: a row counts with the cells it has. One pass per step, about n k p^2 operations with full covariances. \
                The log likelihood never falls; the end is a mixture that no step improves, not the best of all, so try several \
                starts (n_init). A component that closes in on too few rows is tried again from another start, and named where it still happened.",
        reference: "Dempster, Laird, Rubin: Maximum likelihood from incomplete data via the EM algorithm, JRSS B 39 (1977); Bishop: Pattern \
                    Recognition and Machine Learning (2006), section 9.2; Ghahramani, Jordan: Supervised learning from incomplete data via \
                    an EM approach, NIPS 6 (1993); Fraley, Raftery: Bayesian regularization for normal mixture estimation, \
                    J. Classification 24 (2007)",
        family: Family::Mixture,
        tasks: &[Task::Density, Task::Clustering],
        accepts: Accepts { weights: true, missing: true, categorical: false, sparse: false, passes: true, multi_target: true },
        params: &[
            params::N_COMPONENTS,
            params::COVARIANCE_TYPE,
            params::TOL,
            params::REG_COVAR,
            params::REGULARIZE,
            params::MAX_ITER,
            params::N_INIT,
            params::INIT_PARAMS,
            params::WEIGHTS_INIT,
            params::MEANS_INIT,
            params::PRECISIONS_INIT,
            params::ALGORITHM,
            params::EQUAL_WEIGHTS,
            params::DEGREES_OF_FREEDOM_PRIOR,
            params::COVARIANCE_PRIOR,
            params::CHOOSE,
            params::FOLDS,
        ],
    };
    const STREAM: Option<StreamFit<Self>> = Some(run_passes_source::<Self>);

    fn check(&self) -> Result<()> {
        let mut params = serde_json::to_value(self).map_err(|e| Error::Data(e.to_string()))?;
        // A list of means may be long, and is looked at below.
        params["means_init"] = Value::Null;
        Self::SPEC.check_params(&params)?;
        GmmInit::new(self, None).map(|_| ())
    }

    fn fit_rows(&self, data: &DatasetRef<'_>, cx: &Context<'_>) -> Result<GmmModel> {
        run_passes(self, data, cx)
    }

    fn load(input: &ModelReader) -> Result<GmmModel> {
        GmmModel::load(input)
    }
}
