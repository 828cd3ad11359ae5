//! Linear discriminant analysis.

use ermine_core::*;
#[cfg(feature = "fit")]
use ermine_math::linalg::svd;
use ermine_math::linalg::{eigen_symmetric, product};
use ermine_math::moments;
use serde::{Deserialize, Serialize};

use super::lda_model::{DiscriminantAxes, LdaModel};
use super::shrinkage::Shrinkage;
use super::totals::{ClassScatter, ScatterState, ScatterSums};
use super::whiten::Whitening;
#[cfg(feature = "fit")]
use super::wide;
use super::{CovarianceDivisor, listed};
use crate::priors::{PRIORS, check_priors, expect_classes, priors};

/// How the covariance is estimated and what is made of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LdaSolver {
    /// The pooled covariance; directions without spread are left out; Fisher's directions by singular values.
    #[default]
    Svd,
    /// The mean of the covariances of the classes (divisor n_k), weighted by the priors; no directions.
    Lsqr,
    /// The same covariance; directions by the generalized eigenproblem S_b w = λ S_w w.
    Eigen,
}

impl LdaSolver {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Svd => "svd",
            Self::Lsqr => "lsqr",
            Self::Eigen => "eigen",
        }
    }
}

/// Classes are normal distributions with means of their own and one covariance, so that lines divide them.
///
/// # What it maximizes
/// Σᵢ wᵢ (ln πₖ + ln N(xᵢ; μₖ, Σ)), k the class of row i: shares, means and the pooled covariance of the classes, the
/// latter with divisor n - K (`svd`; n with `divisor` ml) or n (`lsqr`, `eigen`). Posteriors are linear: ln p(k | x) = xᵀ
/// Σ⁻¹ μₖ - ½ μₖᵀ Σ⁻¹ μₖ + ln πₖ up to what all classes share. As a transformer it projects on Fisher's directions, which
/// solve S_b w = λ S_w w and separate the means of the classes most for the spread within.
///
/// # When to use it
/// Where classes are roughly normal with similar spread; it is hard to beat on few rows, needs one pass and no tuning.
/// With about as many columns as rows use `shrinkage` ("auto" takes a second pass).
///
/// # Example
/// ```
/// use ermine_core::{Classifier, Context, DatasetRef, Features, Learner, MatRef, OwnedTarget, Transformer};
/// use ermine_bayes::Lda;
///
/// let x = Features::F64(MatRef::row_major(&[0.0, 0.1, 1.0, 0.9, 0.2, 1.1, 4.0, 3.8, 5.0, 5.3, 4.1, 5.2], 6, 2));
/// let y = OwnedTarget::from_labels(&["a", "a", "a", "b", "b", "b"]);
/// let model = Lda::default().fit_with(&DatasetRef::new(x).with_target(y.view()), &Context::default())?;
/// assert_eq!(model.classify(&x)?, [0, 0, 0, 1, 1, 1]);
/// assert_eq!(model.transform(&x)?.cols(), 1);
/// # Ok::<(), ermine_core::Error>(())
/// ```
///
/// # Parameters
/// Described in [`Learner::SPEC`].
///
/// # Cost
/// One pass of p² multiplications per row, then p³; with fewer rows than columns n² p (`svd`). Prediction takes p a
/// class.
///
/// # What it does not do
/// It does not need a covariance of full rank: directions in which the rows of no class vary are left out, and the
/// certificate says how many and which columns. It does not see that classes spread differently; [`super::Qda`] does.
///
/// # Reference
/// Fisher, Annals of Eugenics 7 (1936); Hastie, Tibshirani, Friedman, The Elements of Statistical Learning, section 4.3.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[doc(alias = "LinearDiscriminantAnalysis")]
pub struct Lda {
    /// How the covariance is estimated.
    pub solver: LdaSolver,
    /// Shrinkage of the covariances toward a multiple of the identity.
    pub shrinkage: Shrinkage,
    /// Probabilities of the classes, in their order.
    pub priors: Option<Vec<f64>>,
    /// Directions that the transformation keeps.
    pub n_components: Option<usize>,
    /// Keep the covariance in the model.
    pub store_covariance: bool,
    /// Directions of less spread are left out.
    pub tol: f64,
    /// The divisor of the covariance of `svd`.
    pub divisor: CovarianceDivisor,
}

impl Default for Lda {
    fn default() -> Self {
        Self {
            solver: LdaSolver::Svd,
            shrinkage: Shrinkage::None(()),
            priors: None,
            n_components: None,
            store_covariance: false,
            tol: 1e-4,
            divisor: CovarianceDivisor::Unbiased,
        }
    }
}

impl Lda {
    /// Its name in the catalogue and in model files.
    pub(crate) const NAME: &'static str = "lda";
}

#[cfg(feature = "fit")]
impl Learner for Lda {
    type Model = LdaModel;

    const SPEC: Spec = Spec {
        name: Self::NAME,
        summary: "Linear discriminant analysis: normal classes with one covariance, and Fisher's projection",
        objective: "max sum_i w_i (ln prior_k + ln N(x_i; mean_k, S)), k the class of row i; projection: S_b w = lambda S_w w",
        notes: "For classes that are roughly normal and spread alike; strong on few rows. One pass of p^2 operations per row. The covariance has \
                the divisor n - K (svd, unless divisor is ml) or n (lsqr, eigen). Directions in which no class varies are left out and named; with about as many \
                columns as rows use solver lsqr or eigen with shrinkage. As a transformer it gives Fisher's directions, at most one less \
                than there are classes. A class without rows has probability 0.",
        reference: "Fisher: The use of multiple measurements in taxonomic problems, Annals of Eugenics 7 (1936); Hastie, Tibshirani, \
                    Friedman: The Elements of Statistical Learning, 2nd ed. 2009, section 4.3; Ledoit, Wolf: A well-conditioned estimator \
                    for large-dimensional covariance matrices, J. Multivariate Analysis 88 (2004)",
        family: Family::Bayes,
        tasks: &[Task::Classification],
        accepts: Accepts { weights: true, missing: false, categorical: false, sparse: false, passes: true, multi_target: false },
        params: &[
            ParamSpec {
                name: "solver",
                doc: "\"svd\": pooled covariance, Fisher's directions. \"lsqr\": mean of the covariances of the classes \
                      (divisor n_k) weighted by the priors, no directions, takes shrinkage. \"eigen\": as lsqr, with directions by the \
                      generalized eigenproblem.",
                range: Range::Choice(&["svd", "lsqr", "eigen"]),
            },
            Shrinkage::PARAM,
            PRIORS,
            ParamSpec {
                name: "n_components",
                doc: "Directions that the transformation keeps, at most one less than there are classes and no more than there are columns; \
                      null keeps all. Predictions do not depend on it.",
                range: Range::Optional(&Range::int_from(1)),
            },
            ParamSpec {
                name: "store_covariance",
                doc: "Keep the covariance within classes in the model; lsqr and eigen always do.",
                range: Range::Bool,
            },
            ParamSpec {
                name: "tol",
                doc: "svd: directions whose standard deviation within classes is at most this, with columns of standard deviation 1, are left \
                      out. Below about 1e-7 a direction cannot be told from none.",
                range: Range::at_least(0.0),
            },
            ParamSpec {
                name: "divisor",
                doc: "svd: the sum of squares within classes is divided by n - K (\"unbiased\") or n (\"ml\").",
                range: Range::Choice(&["unbiased", "ml"]),
            },
        ],
    };
    const STREAM: Option<StreamFit<Self>> = Some(run_passes_source::<Self>);
    // Moments of all classes in one, or of each: whichever the setting needs. Few rows of many columns are fitted another way.
    const FOLD_SUMS: Option<FoldFit<Self>> = Some(FoldFit::from_pass_learner(|lda, data, cut| {
        let (_, classes) = data.y.classes().ok()?;
        let (each, squares) = (lda.needs_each(), data.cols() * data.cols());
        let holds = cut.fits_memory(if each { classes.len() * squares } else { squares });
        (holds && cut.min_training_rows() > data.cols()).then(|| if each { "of each class" } else { "of all classes" }.to_owned())
    }));
    const LOO_PREDICTIONS: Option<LooPredictions<Self>> = Some(super::left_out::left_out);

    fn check(&self) -> Result<()> {
        self.check_ranges()?;
        if self.solver == LdaSolver::Svd && !self.shrinkage.is_none() {
            let value = serde_json::to_value(self.shrinkage).unwrap_or_default();
            let expected = "with solver svd it must be null; take solver lsqr or eigen".to_owned();
            return Err(Error::parameter(Self::SPEC.name, "shrinkage", value, expected));
        }
        check_priors(Self::SPEC.name, self.priors.as_deref())
    }

    fn fit_rows(&self, data: &DatasetRef<'_>, cx: &Context<'_>) -> Result<LdaModel> {
        if self.solver == LdaSolver::Svd && !self.store_covariance && wide::is_applicable(data) {
            self.check()?;
            data.check(&Self::SPEC)?;
            return self.fit_wide(data, cx);
        }
        run_passes(self, data, cx)
    }

    fn load(input: &ModelReader) -> Result<LdaModel> {
        LdaModel::load(input)
    }
}

#[cfg(feature = "fit")]
impl PassLearner for Lda {
    type State = ScatterState;
    type Partial = ScatterSums;

    fn block_rows(&self, cols: usize) -> usize {
        moments::block_rows(cols)
    }

    fn initial_state(&self, head: &DatasetRef<'_>, _: &Context<'_>) -> Result<ScatterState> {
        let state = ScatterState::new(head)?;
        expect_classes(Self::SPEC.name, self.priors.as_deref(), state.classes.len())?;
        self.components(state.classes.len(), head.cols())?;
        Ok(state)
    }

    fn empty_partial(&self, state: &ScatterState) -> ScatterSums {
        state.empty_partial(self.needs_each())
    }

    fn add_block(&self, state: &ScatterState, part: &mut ScatterSums, rows: &DatasetRef<'_>) -> Result<()> {
        state.add_block(part, rows, Self::SPEC.name)
    }

    fn finish(&self, state: ScatterState, total: ScatterSums, _: &Context<'_>) -> Result<PassStep<ScatterState, LdaModel>> {
        state.finish(total, self.shrinkage.is_auto(), |classes, labels, scatter, fourth| {
            self.model(classes, labels, scatter, fourth)
        })
    }
}

impl Lda {
    /// Whether the covariance of each class is needed, and not only their sum.
    pub(super) fn needs_each(&self) -> bool {
        let weighted = self.solver != LdaSolver::Svd || self.store_covariance;
        weighted && (self.priors.is_some() || self.shrinkage.is_auto())
    }

    /// How many directions the transformation has at most.
    #[cfg(feature = "fit")]
    pub(super) fn components(&self, classes: usize, cols: usize) -> Result<usize> {
        let most = classes.saturating_sub(1).min(cols);
        match self.n_components {
            Some(n) if n > most => Err(Error::parameter(
                Self::SPEC.name,
                "n_components",
                n,
                format!("{classes} classes and {cols} columns have {most} directions"),
            )),
            Some(n) => Ok(n),
            None => Ok(most),
        }
    }

    /// The divisor of the pooled covariance. Refuses rows that say nothing about the spread within classes.
    #[cfg(feature = "fit")]
    pub(super) fn divided_by(&self, scatter: &ClassScatter) -> Result<f64> {
        let (weight, classes) = (scatter.total_weight(), scatter.populated());
        let free = weight - classes as f64;
        if free > 0.0 {
            return Ok(if self.divisor == CovarianceDivisor::Ml { weight } else { free });
        }
        Err(Error::Data(format!(
            "{} needs more rows than classes, and there are rows of weight {weight} in {classes} classes",
            Self::SPEC.name
        )))
    }

    /// The mean of the covariances of the classes, weighted by the priors.
    fn weighted_covariance(&self, scatter: &ClassScatter, priors: &[f64], fourth: &[f64]) -> Mat<f64> {
        let of = |k: usize| fourth.get(k).copied().unwrap_or(0.0);
        if scatter.scatter.len() == 1 {
            // The priors are the shares of the classes, and shrinking by a given share is linear.
            return self.shrinkage.covariance(&scatter.scatter[0], scatter.total_weight(), of(0));
        }
        let mut sum = Mat::zeros(scatter.cols(), scatter.cols());
        for (k, of_class) in scatter.scatter.iter().enumerate().filter(|(k, _)| scatter.weight[*k] > 0.0) {
            let c = self.shrinkage.covariance(of_class, scatter.weight[k], of(k));
            sum.as_mut_slice().iter_mut().zip(c.as_slice()).for_each(|(a, b)| *a += priors[k] * b);
        }
        sum
    }

    #[cfg(feature = "fit")]
    fn model(&self, classes: Vec<String>, labels: &[String], scatter: &ClassScatter, fourth: &[f64]) -> Result<LdaModel> {
        let priors = priors(self.priors.as_deref(), &scatter.weight);
        let free = match self.solver {
            LdaSolver::Svd => self.divided_by(scatter)?,
            _ => scatter.total_weight(),
        };
        let keeps = self.solver != LdaSolver::Svd || self.store_covariance;
        let covariance = keeps.then(|| self.weighted_covariance(scatter, &priors, fourth));
        let (spread, cut) = match (&covariance, self.solver) {
            (Some(c), LdaSolver::Lsqr | LdaSolver::Eigen) => (c.clone(), 0.0),
            _ => {
                let mut pooled = scatter.within();
                pooled.as_mut_slice().iter_mut().for_each(|v| *v /= free);
                (pooled, self.tol * self.tol)
            }
        };
        let whitening = Whitening::new(&spread, cut)?;
        let notes = notes(labels, scatter, whitening.rank())?;
        let center = center(&priors, &scatter.mean);
        let directions = match self.solver {
            LdaSolver::Lsqr => None,
            LdaSolver::Svd => {
                let z = whitened(&scatter.mean, &center, &whitening.matrix);
                let (axes, shares) = self.axes(&z, &priors, scatter.total_weight())?;
                Some((product(whitening.matrix.view(), axes.view().t()), shares))
            }
            LdaSolver::Eigen => {
                let mut between =
                    self.shrinkage.covariance(&scatter.total(), scatter.total_weight(), fourth.last().copied().unwrap_or(0.0));
                between.as_mut_slice().iter_mut().zip(spread.as_slice()).for_each(|(t, w)| *t -= w);
                let inner = product(between.view(), whitening.matrix.view());
                let eigen = eigen_symmetric(product(whitening.matrix.view().t(), inner.view()).view())?;
                let sum: f64 = eigen.values.iter().sum();
                let shares = eigen.values.iter().map(|v| if sum != 0.0 { v / sum } else { 0.0 }).collect();
                Some((product(whitening.matrix.view(), eigen.vectors.view().t()), shares))
            }
        };
        self.assemble(classes, scatter, priors, whitening, directions, covariance, notes)
    }

    /// The axes of the whitened means of the classes, by falling variance, as rows, and their shares of the variance.
    #[cfg(feature = "fit")]
    pub(super) fn axes(&self, z: &Mat<f64>, priors: &[f64], weight: f64) -> Result<(Mat<f64>, Vec<f64>)> {
        let factor = 1.0 / (priors.len().max(2) - 1) as f64;
        let scaled = Mat::from_fn(z.rows(), z.cols(), |k, j| (weight * priors[k] * factor).sqrt() * z[(k, j)]);
        let decomposition = svd(scaled.view())?;
        let total: f64 = decomposition.values.iter().map(|s| s * s).sum();
        let shares = decomposition.values.iter().map(|s| if total > 0.0 { s * s / total } else { 0.0 }).collect();
        let most = decomposition.values.first().copied().unwrap_or(0.0);
        let rank = decomposition.values.iter().filter(|s| **s > self.tol * most).count();
        Ok((decomposition.vt.view().row_range(0..rank).to_owned(), shares))
    }

    #[cfg(feature = "fit")]
    #[allow(clippy::too_many_arguments)]
    pub(super) fn assemble(
        &self,
        classes: Vec<String>,
        scatter: &ClassScatter,
        priors: Vec<f64>,
        whitening: Whitening,
        directions: Option<(Mat<f64>, Vec<f64>)>,
        covariance: Option<Mat<f64>>,
        notes: Vec<String>,
    ) -> Result<LdaModel> {
        let most = self.components(classes.len(), scatter.cols())?;
        let directions = directions.map(|(mut matrix, mut shares)| {
            flip_signs(&mut matrix);
            shares.truncate(most);
            DiscriminantAxes { matrix, shares, kept: most }
        });
        let certificate = Certificate {
            method: self.solver.name().into(),
            condition: Some(1.0 / whitening.reciprocal_condition),
            rank: Some(whitening.rank()),
            iterations: if self.shrinkage.is_auto() { 2 } else { 1 },
            converged: true,
            notes,
            ..Certificate::default()
        };
        let center = center(&priors, &scatter.mean);
        Ok(LdaModel::new(
            self.solver,
            classes,
            scatter.weight.clone(),
            priors,
            scatter.mean.clone(),
            center,
            whitening,
            directions,
            covariance,
            certificate,
        ))
    }
}

/// The mean of the classes, weighted by the priors; taken about the first class, so that equal means have themselves as mean.
pub(super) fn center(priors: &[f64], mean: &Mat<f64>) -> Vec<f64> {
    let of = |j: usize| {
        let first = mean[(0, j)];
        first + (0..priors.len()).map(|k| priors[k] * (mean[(k, j)] - first)).sum::<f64>()
    };
    (0..mean.cols()).map(of).collect()
}

/// (mean - center) W.
pub(super) fn whitened(mean: &Mat<f64>, center: &[f64], matrix: &Mat<f64>) -> Mat<f64> {
    let about = Mat::from_fn(mean.rows(), mean.cols(), |k, j| mean[(k, j)] - center[j]);
    product(about.view(), matrix.view())
}

/// Of the two directions of a line, the one whose greatest element is positive.
fn flip_signs(matrix: &mut Mat<f64>) {
    for k in 0..matrix.cols() {
        let greatest = (0..matrix.rows()).map(|j| matrix[(j, k)]).fold(0.0f64, |m, v| if v.abs() > m.abs() { v } else { m });
        if greatest < 0.0 {
            (0..matrix.rows()).for_each(|j| matrix[(j, k)] = -matrix[(j, k)]);
        }
    }
}

/// The note on a covariance that is not of full rank; an error when nothing varies.
pub(super) fn notes(labels: &[String], scatter: &ClassScatter, rank: usize) -> Result<Vec<String>> {
    let cols = labels.len();
    if rank == 0 {
        return Err(Error::Data(format!(
            "no column varies within a class: rows of weight {} in {} classes say nothing about their spread",
            scatter.total_weight(),
            scatter.populated()
        )));
    }
    let mut notes = Vec::new();
    if rank < cols {
        notes.push(format!("rank {rank} of {cols}: directions in which no class varies are left out"));
    }
    let constant = scatter.constant_columns();
    let differs =
        |j: &usize| (1..scatter.mean.rows()).any(|k| scatter.weight[k] > 0.0 && scatter.mean[(k, *j)] != scatter.mean[(0, *j)]);
    let (apart, same): (Vec<usize>, Vec<usize>) = constant.into_iter().partition(|j| differs(j));
    let named = |columns: &[usize]| listed(&columns.iter().map(|&j| labels[j].clone()).collect::<Vec<_>>());
    if !same.is_empty() {
        notes.push(format!("constant: {}", named(&same)));
    }
    if !apart.is_empty() {
        notes.push(format!(
            "constant within every class, and left out although it differs between them, so that it tells classes apart by itself: {}",
            named(&apart)
        ));
    }
    Ok(notes)
}
