//! Principal components.

#[cfg(feature = "fit")]
mod evidence;
#[cfg(feature = "fit")]
mod held_out;
mod model;
#[cfg(feature = "fit")]
mod pass;
#[cfg(feature = "fit")]
mod spectrum;
#[cfg(feature = "fit")]
mod svd;

use ermine_core::*;
pub use ermine_math::linalg::{AutoWord, PowerIterations};
use serde::{Deserialize, Serialize};

pub use model::PcaModel;
#[cfg(feature = "fit")]
pub(super) use spectrum::{enough, flip_signs};

/// Number of components of a [`Pca`].
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ComponentCount {
    /// A fixed number.
    Count(usize),
    /// As many as explain more than this share of the variance.
    Share(f64),
    /// Chosen by a rule.
    Rule(ComponentsRule),
}

impl From<usize> for ComponentCount {
    fn from(count: usize) -> Self {
        Self::Count(count)
    }
}

/// Rules for the number of components.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ComponentsRule {
    /// Maximum of Minka's evidence.
    Mle,
    /// Maximum of the cross-validated likelihood.
    Cv,
}

/// Solvers of a [`Pca`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PcaSolver {
    /// The fastest exact one: eigenvalues of the covariance; for few of many columns, block iteration on the rows; for
    /// fewer rows than columns, and for small data whose smallest kept variance would lose digits in the covariance,
    /// singular values of the rows.
    #[default]
    Auto,
    /// Singular values of the centered rows.
    Full,
    /// Eigenvalues of the covariance.
    CovarianceEigh,
    /// Like `auto`, for fewer components than rows and columns.
    Arpack,
    /// Block iteration on the rows, until the answer is good enough.
    Randomized,
}

/// Directions of largest variance.
///
/// # What it minimizes
/// The squared distance Σᵢ wᵢ ‖xᵢ - mean - Vᵀ V (xᵢ - mean)‖² over orthonormal rows V: the eigenvectors of the covariance
/// with the largest eigenvalues.
///
/// # When to use it
/// To plot data in two dimensions, to compress correlated columns, or against collinearity in a linear model. Columns on
/// different scales are standardized first, or the largest scale dominates.
///
/// # Example
/// ```
/// use ermine_core::{Context, DatasetRef, Features, Learner, MatRef, Transformer};
/// use ermine_prep::decomposition::{ComponentCount, Pca};
///
/// let x = Features::F64(MatRef::row_major(&[1.0, 2.0, 2.0, 4.0, 3.0, 6.0], 3, 2));
/// let pca = Pca { n_components: Some(ComponentCount::Count(1)), ..Pca::default() };
/// let model = pca.fit_with(&DatasetRef::new(x), &Context::default())?;
/// assert!((model.explained_variance_ratio()[0] - 1.0).abs() < 1e-12);
/// assert!((model.transform(&x)?[(2, 0)] - 5f64.sqrt()).abs() < 1e-12);
/// # Ok::<(), ermine_core::Error>(())
/// ```
///
/// # Parameters
/// Described in [`Learner::SPEC`].
///
/// # Cost
/// n p² / 2 multiplications and one pass for the covariance, then 9 p³ once; the rows are not copied. Singular values of
/// the rows need a copy and about ten times the work. k of many columns: 2 n p (k + 10) multiplications per pass, some 3
/// passes for a good answer and some 10 for an exact one, more where variances are close.
///
/// # What it does not do
/// It does not model curved structure, and it does not use a target.
///
/// # Reference
/// Hastie, Tibshirani, Friedman, The Elements of Statistical Learning, section 14.5.1; Minka, Automatic choice of
/// dimensionality for PCA, NIPS 2000; Tipping and Bishop, Probabilistic principal component analysis, 1999; Halko,
/// Martinsson, Tropp, Finding structure with randomness, 2011.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[doc(alias = "PCA")]
pub struct Pca {
    /// Number of components; all by default.
    pub n_components: Option<ComponentCount>,
    /// Whether to scale every component to variance 1.
    pub whiten: bool,
    /// The solver.
    pub svd_solver: PcaSolver,
    /// Residual at which the block iteration stops, relative to the largest variance; 0 for rounding level.
    pub tol: f64,
    /// Products of `randomized`.
    pub iterated_power: PowerIterations,
    /// Extra vectors of the block iteration.
    pub n_oversamples: u32,
    /// Folds of the rule "cv".
    pub folds: u32,
}

impl Default for Pca {
    fn default() -> Self {
        Self {
            n_components: None,
            whiten: false,
            svd_solver: PcaSolver::Auto,
            tol: 0.0,
            iterated_power: PowerIterations::Auto(AutoWord::Auto),
            n_oversamples: 10,
            folds: 5,
        }
    }
}

/// Work (rows x columns²) up to which `auto` recomputes singular values when the covariance would lose digits.
const CHEAP: f64 = 2e8;

impl Pca {
    #[cfg(feature = "fit")]
    fn refuse(&self, expected: String) -> Error {
        let value = serde_json::to_string(&self.n_components).unwrap_or_default();
        Error::parameter(Self::SPEC.name, "n_components", value, expected)
    }

    /// Checks the number of components against the numbers of rows and columns.
    #[cfg(feature = "fit")]
    fn check_against(&self, rows: f64, cols: usize) -> Result<usize> {
        let most = if rows < cols as f64 { rows as usize } else { cols };
        let truncated = matches!(self.svd_solver, PcaSolver::Arpack | PcaSolver::Randomized);
        match self.n_components {
            Some(ComponentCount::Count(k)) if k > most => {
                Err(self.refuse(format!("n_components must be between 0 and the smaller of rows and columns, {most}")))
            }
            Some(ComponentCount::Count(k)) if self.svd_solver == PcaSolver::Arpack && k >= most => {
                Err(self.refuse(format!("with arpack it must be strictly less than the smaller of rows and columns, {most}")))
            }
            Some(ComponentCount::Count(0)) if truncated => Err(self.refuse("with this svd_solver it must be at least 1".into())),
            Some(ComponentCount::Share(_) | ComponentCount::Rule(_)) if truncated => {
                Err(self.refuse("with this svd_solver it must be null or a whole number".into()))
            }
            Some(ComponentCount::Rule(ComponentsRule::Mle)) if rows < cols as f64 => Err(self
                .refuse(format!("\"mle\" needs at least as many rows as columns, and there are {rows} rows and {cols} columns"))),
            _ => Ok(most),
        }
    }

    fn is_cross_validated(&self) -> bool {
        self.n_components == Some(ComponentCount::Rule(ComponentsRule::Cv))
    }
}

impl Pca {
    /// Its name in the catalogue and in model files.
    pub(crate) const NAME: &'static str = "pca";
}

#[cfg(feature = "fit")]
impl Learner for Pca {
    type Model = PcaModel;

    const SPEC: Spec = Spec {
        name: Self::NAME,
        summary: "Principal components: the directions in which rows differ most",
        objective: "min over orthonormal V of sum_i w_i ||x_i - mean - V' V (x_i - mean)||^2",
        notes: "To look at data in two dimensions, to compress correlated columns, to rid a linear model of collinear ones. \
                Standardize columns on different scales first. One pass gathers the covariance and rows are not copied; a few \
                components of many columns are found by passes that multiply rows with a few vectors; with fewer rows than columns \
                the rows are decomposed in memory. Each component is signed so that its largest element is positive. Also a \
                density: normal, with the kept variances along the components and the mean of the others across. It does not see \
                curved structure and does not use a target.",
        reference: "Hastie, Tibshirani, Friedman: The Elements of Statistical Learning, 2nd ed. 2009, section 14.5.1; Minka: \
                    Automatic choice of dimensionality for PCA, NIPS 2000; Tipping, Bishop: Probabilistic principal component \
                    analysis, JRSS B 61 (1999)",
        family: Family::Reduction,
        tasks: &[Task::Reduction],
        accepts: Accepts { weights: true, missing: false, categorical: false, sparse: true, passes: true, multi_target: true },
        params: &[
            ParamSpec {
                name: "n_components",
                doc: "How many components to keep: null for all, a whole number, a share of the variance between 0 and 1 that the \
                      kept components must exceed, \"mle\" for the most probable number by Minka's rule, or \"cv\" for the number \
                      under which rows left out are most probable.",
                range: Range::Optional(&Range::Either(
                    &Range::Choice(&["mle", "cv"]),
                    &Range::Either(&Range::int_from(0), &Range::Real { min: 0.0, max: 1.0, above: true, log: false }),
                )),
            },
            ParamSpec {
                name: "whiten",
                doc: "Whether transformed columns are divided by their standard deviation, so that each has variance 1.",
                range: Range::Bool,
            },
            ParamSpec {
                name: "svd_solver",
                doc: "full decomposes the rows in memory, exact for the smallest variances too; covariance_eigh decomposes the \
                      covariance, in one pass; randomized multiplies the rows with a few vectors, pass after pass, until the \
                      variances are known to about six digits (the certificate says how well); auto and arpack take whatever is \
                      fastest to the exact answer.",
                range: Range::Choice(&["auto", "full", "covariance_eigh", "arpack", "randomized"]),
            },
            ParamSpec {
                name: "tol",
                doc: "Products with vectors end when |C v - lambda v| is below this share of the largest variance, for all \
                      components; 0 asks for what rounding allows, and for 0.001 of randomized.",
                range: Range::at_least(0.0),
            },
            ParamSpec {
                name: "iterated_power",
                doc: "Most further products of randomized after the first; auto continues until tol is met.",
                range: Range::Either(&Range::Choice(&["auto"]), &Range::Int { min: 0, max: u32::MAX as i64 }),
            },
            ParamSpec {
                name: "n_oversamples",
                doc: "Vectors besides those that are wanted, where rows are multiplied with vectors.",
                range: Range::Int { min: 1, max: u32::MAX as i64 },
            },
            ParamSpec {
                name: "folds",
                doc: "Parts of the rows that are left out in turn, for \"cv\".",
                range: Range::Int { min: 2, max: 100 },
            },
        ],
    };
    const STREAM: Option<StreamFit<Self>> = Some(run_passes_source::<Self>);

    fn check(&self) -> Result<()> {
        self.check_ranges()?;
        match self.n_components {
            Some(ComponentCount::Share(s)) if s >= 1.0 => Err(self.refuse("a share of the variance is below 1".into())),
            _ => Ok(()),
        }
    }

    fn fit_rows(&self, data: &DatasetRef<'_>, cx: &Context<'_>) -> Result<PcaModel> {
        self.check()?;
        let (rows, cols) = (data.rows(), data.cols());
        match self.svd_solver {
            PcaSolver::Full if !self.is_cross_validated() => return self.by_singular_values(data, cx),
            PcaSolver::CovarianceEigh => return run_passes(self, data, cx),
            _ if rows < cols && self.width(cols).is_none() && !self.is_cross_validated() => {
                return self.by_singular_values(data, cx);
            }
            _ => {}
        }
        let model = run_passes(self, data, cx)?;
        let last = model.explained_variance().last().copied().unwrap_or(0.0);
        let first = model.explained_variance().first().copied().unwrap_or(0.0);
        // Products of the rows know variances up to rounding errors of the first one.
        let blurred = cols as f64 * f64::EPSILON * first > 1e-9 * last;
        if blurred && !self.is_cross_validated() && rows as f64 * (cols * cols) as f64 <= CHEAP {
            self.by_singular_values(data, cx)
        } else {
            Ok(model)
        }
    }

    fn load(input: &ModelReader) -> Result<PcaModel> {
        PcaModel::load(input)
    }
}

#[cfg(test)]
mod tests;
