//! Quadratic discriminant analysis.

use ermine_core::*;
use ermine_math::moments;
use serde::{Deserialize, Serialize};

use super::CovarianceDivisor;
use super::qda_model::QdaModel;
use super::shrinkage::Shrinkage;
use super::totals::{ClassScatter, ScatterState, ScatterSums};
use crate::priors::{PRIORS, check_priors, expect_classes, priors};

/// How covariances are estimated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum QdaSolver {
    /// Takes `reg_param` and `divisor`.
    #[default]
    Svd,
    /// With the divisor n_k; takes `shrinkage`.
    Eigen,
}

/// Classes are normal distributions, each with its mean and its covariance, so that quadrics divide them.
///
/// # What it maximizes
/// Σᵢ wᵢ (ln πₖ + ln N(xᵢ; μₖ, Σₖ)), k the class of row i: shares, means and covariances of the classes, the latter with
/// divisor nₖ - 1 (`svd`; nₖ with `divisor` ml) or nₖ (`eigen`).
///
/// # When to use it
/// Where classes spread differently and have many more rows than columns; otherwise [`super::Lda`], or `shrinkage` or
/// `reg_param`, which draw the covariances toward a multiple of the identity.
///
/// # Example
/// ```
/// use ermine_core::{Classifier, Context, DatasetRef, Features, Learner, MatRef, OwnedTarget};
/// use ermine_bayes::Qda;
///
/// // A narrow class inside a wide one.
/// let x = [-0.1, 0.0, 0.1, 0.05, -5.0, 4.0, -3.0, 6.0];
/// let y = OwnedTarget::from_labels(&["narrow", "narrow", "narrow", "narrow", "wide", "wide", "wide", "wide"]);
/// let features = Features::F64(MatRef::row_major(&x, 8, 1));
/// let model = Qda::default().fit_with(&DatasetRef::new(features).with_target(y.view()), &Context::default())?;
/// assert_eq!(model.classify(&features)?, [0, 0, 0, 0, 1, 1, 1, 1]);
/// # Ok::<(), ermine_core::Error>(())
/// ```
///
/// # Parameters
/// Described in [`Learner::SPEC`].
///
/// # Cost
/// One pass of p² multiplications per row ("auto" shrinkage takes a second, cheap one), then p³ a class; prediction takes
/// p²/2 a class.
///
/// # What it does not do
/// It does not refuse covariances that are not of full rank. Directions in which no class varies are left out. Where only
/// some classes do not vary, their spread there is set to `tol` of that within all classes: a row that departs from them
/// in such a direction is next to impossible in them. The certificate says which classes and how many directions.
///
/// # Reference
/// Hastie, Tibshirani, Friedman, The Elements of Statistical Learning, section 4.3; J. H. Friedman, Regularized
/// discriminant analysis, JASA 84 (1989).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[doc(alias = "QuadraticDiscriminantAnalysis")]
pub struct Qda {
    /// How covariances are estimated.
    pub solver: QdaSolver,
    /// Shrinkage of the covariances toward a multiple of the identity.
    pub shrinkage: Shrinkage,
    /// Probabilities of the classes, in their order.
    pub priors: Option<Vec<f64>>,
    /// Shrinkage of the covariances toward the identity itself.
    pub reg_param: f64,
    /// The least spread of a class, relative to that within all classes.
    pub tol: f64,
    /// The divisor of the covariances of `svd`.
    pub divisor: CovarianceDivisor,
}

impl Default for Qda {
    fn default() -> Self {
        Self {
            solver: QdaSolver::Svd,
            shrinkage: Shrinkage::None(()),
            priors: None,
            reg_param: 0.0,
            tol: 1e-4,
            divisor: CovarianceDivisor::Unbiased,
        }
    }
}

impl Qda {
    #[cfg(feature = "fit")]
    fn model(&self, classes: Vec<String>, labels: &[String], scatter: &ClassScatter, fourth: &[f64]) -> Result<QdaModel> {
        let cols = scatter.cols();
        let mut covariances = Vec::with_capacity(classes.len());
        for (k, of_class) in scatter.scatter.iter().enumerate() {
            let w = scatter.weight[k];
            let mut c = match self.solver {
                QdaSolver::Eigen => self.shrinkage.covariance(of_class, w, fourth.get(k).copied().unwrap_or(0.0)),
                QdaSolver::Svd => {
                    let mut c = of_class.clone();
                    let varies = (0..cols).any(|j| of_class[(j, j)] > 0.0);
                    let divisor = if self.divisor == CovarianceDivisor::Ml { w } else { w - 1.0 };
                    if varies && divisor <= 0.0 {
                        return Err(Error::Weight(format!(
                            "the rows of class \"{}\" weigh {w}, and the divisor of its covariance is that less 1; scale the weights, or take \
                             divisor ml",
                            classes[k]
                        )));
                    }
                    if varies {
                        c.as_mut_slice().iter_mut().for_each(|v| *v /= divisor);
                    }
                    c
                }
            };
            if self.reg_param > 0.0 {
                c.as_mut_slice().iter_mut().for_each(|v| *v *= 1.0 - self.reg_param);
                (0..cols).for_each(|j| c[(j, j)] += self.reg_param);
            }
            covariances.push(c);
        }
        let priors = priors(self.priors.as_deref(), &scatter.weight);
        QdaModel::new(self, classes, labels, scatter.weight.clone(), priors, scatter.mean.clone(), covariances)
    }
}

impl Qda {
    /// Its name in the catalogue and in model files.
    pub(crate) const NAME: &'static str = "qda";
}

#[cfg(feature = "fit")]
impl Learner for Qda {
    type Model = QdaModel;

    const SPEC: Spec = Spec {
        name: Self::NAME,
        summary: "Quadratic discriminant analysis: normal classes, each with its own covariance",
        objective: "max sum_i w_i (ln prior_k + ln N(x_i; mean_k, S_k)), k the class of row i",
        notes: "For classes that spread differently, with many more rows than columns; otherwise lda, or shrinkage. One pass of p^2 operations \
                per row. Covariances have the divisor n_k - 1 (svd, unless divisor is ml) or n_k (eigen). Directions in which no class varies are left out; where only some \
                classes do not vary, their spread there is set to tol of that within all classes, and the certificate says so. A class without \
                rows has probability 0.",
        reference: "Hastie, Tibshirani, Friedman: The Elements of Statistical Learning, 2nd ed. 2009, section 4.3; Friedman: Regularized \
                    discriminant analysis, JASA 84 (1989); Ledoit, Wolf, J. Multivariate Analysis 88 (2004)",
        family: Family::Bayes,
        tasks: &[Task::Classification],
        accepts: Accepts { weights: true, missing: false, categorical: false, sparse: false, passes: true, multi_target: false },
        params: &[
            ParamSpec {
                name: "solver",
                doc: "\"svd\": takes reg_param and divisor. \"eigen\": covariances with divisor n_k, takes shrinkage.",
                range: Range::Choice(&["svd", "eigen"]),
            },
            Shrinkage::PARAM,
            PRIORS,
            ParamSpec {
                name: "reg_param",
                doc: "svd: a share r that makes covariances (1 - r) C + r I, in the units of the columns; standardize them first.",
                range: Range::Real { min: 0.0, max: 1.0, above: false, log: false },
            },
            ParamSpec {
                name: "tol",
                doc: "The least standard deviation of a class in any direction, relative to that within all classes. Directions in which no class \
                      has more, with columns of standard deviation 1, are left out.",
                range: Range::at_least(0.0),
            },
            ParamSpec {
                name: "divisor",
                doc: "svd: the sum of squares of a class is divided by n_k - 1 (\"unbiased\") or n_k (\"ml\").",
                range: Range::Choice(&["unbiased", "ml"]),
            },
        ],
    };
    const STREAM: Option<StreamFit<Self>> = Some(run_passes_source::<Self>);
    // Moments of each class.
    const FOLD_SUMS: Option<FoldFit<Self>> = Some(FoldFit::from_pass_learner(|_, data, cut| {
        let (_, classes) = data.y.classes().ok()?;
        cut.fits_memory(classes.len() * data.cols() * data.cols()).then(String::new)
    }));

    fn check(&self) -> Result<()> {
        self.check_ranges()?;
        if self.solver == QdaSolver::Svd && !self.shrinkage.is_none() {
            let value = serde_json::to_value(self.shrinkage).unwrap_or_default();
            return Err(Self::parameter_error(
                "shrinkage",
                value,
                "with solver svd it must be null; take solver eigen, or reg_param",
            ));
        }
        if self.solver == QdaSolver::Eigen && self.reg_param != 0.0 {
            return Err(Self::parameter_error(
                "reg_param",
                self.reg_param,
                "with solver eigen it must be 0; take shrinkage, or solver svd",
            ));
        }
        check_priors(Self::SPEC.name, self.priors.as_deref())
    }

    fn fit_rows(&self, data: &DatasetRef<'_>, cx: &Context<'_>) -> Result<QdaModel> {
        run_passes(self, data, cx)
    }

    fn load(input: &ModelReader) -> Result<QdaModel> {
        QdaModel::load(input)
    }
}

#[cfg(feature = "fit")]
impl PassLearner for Qda {
    type State = ScatterState;
    type Partial = ScatterSums;

    fn block_rows(&self, cols: usize) -> usize {
        moments::block_rows(cols)
    }

    fn initial_state(&self, head: &DatasetRef<'_>, _: &Context<'_>) -> Result<ScatterState> {
        let state = ScatterState::new(head)?;
        expect_classes(Self::SPEC.name, self.priors.as_deref(), state.classes.len())?;
        Ok(state)
    }

    fn empty_partial(&self, state: &ScatterState) -> ScatterSums {
        state.empty_partial(true)
    }

    fn add_block(&self, state: &ScatterState, part: &mut ScatterSums, rows: &DatasetRef<'_>) -> Result<()> {
        state.add_block(part, rows, Self::SPEC.name)
    }

    fn finish(&self, state: ScatterState, total: ScatterSums, _: &Context<'_>) -> Result<PassStep<ScatterState, QdaModel>> {
        state.finish(total, self.shrinkage.is_auto(), |classes, labels, scatter, fourth| {
            self.model(classes, labels, scatter, fourth)
        })
    }
}
