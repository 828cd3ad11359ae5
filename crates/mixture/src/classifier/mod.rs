//! Bayes classifiers whose classes are mixtures of Gaussians.

mod model;

use ermine_core::*;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::gmm::{
    ComponentCriterion, CovarianceRegularization, CovarianceType, EmAlgorithm, Gmm, GmmInitMethod, GmmModel, params,
};
#[cfg(feature = "fit")]
use crate::gmm::{GmmPartial, GmmState};

pub use model::GmmClassifierModel;

/// One mixture of Gaussians per class, and Bayes' rule.
///
/// # What it maximizes
/// Σᵢ wᵢ log p(xᵢ | yᵢ) with p(x | y) = Σₖ πₖ N(x; μₖ, Σₖ), a mixture for each class, by EM; the number of its components
/// is the one with the least BIC by default. Then p(y | x) ∝ p(y) p(x | y).
///
/// # When to use it
/// Where classes have several bumps or curved borders, and where rows like none of the training rows should be noticed
/// ([`Density`]) or cells may be missing. With one component per class it is quadratic discriminant analysis.
///
/// # Example
/// ```
/// use ermine_core::{Classifier, Context, DatasetRef, Features, Learner, MatRef, OwnedTarget};
/// use ermine_mixture::GmmClassifier;
///
/// let x: Vec<f64> = (0..90).map(|i| [0.0, 5.0, 10.0][i % 3] + (i / 3) as f64 / 30.0).collect();
/// let labels: Vec<&str> = (0..90).map(|i| ["outside", "inside", "outside"][i % 3]).collect();
/// let features = Features::F64(MatRef::row_major(&x, 90, 1));
/// let y = OwnedTarget::from_labels(&labels);
/// let model = GmmClassifier::default().fit_with(&DatasetRef::new(features).with_target(y.view()), &Context::default())?;
/// assert_eq!(model.mixture(1).map(|m| m.components()), Some(2));
/// assert_eq!(model.classify(&Features::F64(MatRef::row_major(&[0.4, 5.4, 10.4], 3, 1)))?, [1, 0, 1]);
/// # Ok::<(), ermine_core::Error>(())
/// ```
///
/// # Parameters
/// Described in [`Learner::SPEC`].
///
/// # Cost
/// That of [`Gmm`] on the rows of each class, all classes in the same passes.
///
/// # What it does not do
/// It does not share anything between classes: a class of few rows has a covariance of few rows. A class without rows has
/// probability 0.
///
/// # Reference
/// Hastie, Tibshirani, Journal of the Royal Statistical Society B 58 (1996).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GmmClassifier {
    /// The most components of a class, or their number.
    pub n_components: usize,
    /// How the number of components of each class is chosen.
    pub choose: Option<ComponentCriterion>,
    /// Folds of a choice by rows held out.
    pub folds: u64,
    /// The form of the covariances.
    pub covariance_type: CovarianceType,
    /// Probabilities of the classes, in their order; by default their shares.
    pub priors: Option<Vec<f64>>,
    /// The end is reached when a step gains less than this, a row.
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
    /// Soft or hard assignments.
    pub algorithm: EmAlgorithm,
    /// Degrees of freedom of a Wishart prior on the precisions.
    pub degrees_of_freedom_prior: Option<f64>,
    /// The scatter matrix of that prior.
    pub covariance_prior: Value,
}

impl Default for GmmClassifier {
    fn default() -> Self {
        let Gmm { folds, covariance_type, tol, reg_covar, max_iter, n_init, init_params, algorithm, .. } = Gmm::default();
        Self {
            n_components: 5,
            choose: Some(ComponentCriterion::Bic),
            folds,
            covariance_type,
            priors: None,
            tol,
            reg_covar,
            regularize: CovarianceRegularization::Relative,
            max_iter,
            n_init,
            init_params,
            algorithm,
            degrees_of_freedom_prior: None,
            covariance_prior: Value::Null,
        }
    }
}

impl GmmClassifier {
    /// The learner of one class.
    fn gmm(&self) -> Gmm {
        Gmm {
            n_components: self.n_components,
            choose: self.choose,
            folds: self.folds,
            covariance_type: self.covariance_type,
            tol: self.tol,
            reg_covar: self.reg_covar,
            regularize: self.regularize,
            max_iter: self.max_iter,
            n_init: self.n_init,
            init_params: self.init_params,
            algorithm: self.algorithm,
            degrees_of_freedom_prior: self.degrees_of_freedom_prior,
            covariance_prior: self.covariance_prior.clone(),
            ..Gmm::default()
        }
    }

    #[cfg(feature = "fit")]
    fn refuse_priors(&self, expected: String) -> Error {
        let value = format!("{:?}", self.priors.as_deref().unwrap_or_default());
        Error::parameter(Self::SPEC.name, "priors", value, expected)
    }
}

/// The error of a learner within, as this one's own.
#[cfg(feature = "fit")]
fn renamed(error: Error) -> Error {
    match error {
        Error::Parameter { name, value, expected, .. } => Error::parameter(GmmClassifier::SPEC.name, name, value, expected),
        other => other,
    }
}

/// An error in the fit of one class, with the class named.
#[cfg(feature = "fit")]
fn in_class(error: Error, class: &str) -> Error {
    match renamed(error) {
        Error::Data(m) => Error::Data(format!("class \"{class}\": {m}")),
        Error::Numeric(m) => Error::Numeric(format!("class \"{class}\": {m}")),
        other => other,
    }
}

#[cfg(feature = "fit")]
impl Learner for GmmClassifier {
    type Model = GmmClassifierModel;

    const SPEC: Spec = Spec {
        name: "gmm-classifier",
        summary: "Bayes classifier with a mixture of Gaussians for each class",
        objective: "max sum_i w_i log p(x_i | y_i), p(x | y) a mixture of Gaussians; p(y | x) ~ p(y) p(x | y)",
        notes: "For classes with several bumps or curved borders, and where rows like no other should be noticed; missing cells are \
                integrated over. Each class has as many components as its BIC asks for, at most n_components. With one component per class it is \
                quadratic discriminant analysis (with divisor n). Classes share nothing: one of few rows has a covariance of few rows. A class without \
                rows has probability 0.",
        reference: "Hastie, Tibshirani: Discriminant analysis by Gaussian mixtures, JRSS B 58 (1996)",
        family: Family::Mixture,
        tasks: &[Task::Classification],
        accepts: Accepts { weights: true, missing: true, categorical: false, sparse: false, passes: true, multi_target: false },
        params: &[
            ParamSpec { doc: "The most components of a class; without choose, their number.", ..params::N_COMPONENTS },
            ParamSpec {
                doc: "How the number of components of each class is chosen from 1 to n_components: by \"bic\" or \"aic\" (least information \
                      criterion) or by \"cv\" (greatest likelihood of rows held out). null takes n_components for all.",
                ..params::CHOOSE
            },
            params::FOLDS,
            params::COVARIANCE_TYPE,
            ParamSpec {
                name: "priors",
                doc: "Probabilities of the classes, in the order of the sorted class names; they sum to 1. By default the shares \
                      of the classes in the training rows.",
                range: Range::Optional(&Range::List(&Range::Real { min: 0.0, max: 1.0, above: false, log: false })),
            },
            params::TOL,
            params::REG_COVAR,
            params::REGULARIZE,
            params::MAX_ITER,
            params::N_INIT,
            params::INIT_PARAMS,
            params::ALGORITHM,
            params::DEGREES_OF_FREEDOM_PRIOR,
            params::COVARIANCE_PRIOR,
        ],
    };
    const STREAM: Option<StreamFit<Self>> = Some(run_passes_source::<Self>);

    fn check(&self) -> Result<()> {
        self.check_ranges()?;
        if let Some(priors) = &self.priors {
            let sum: f64 = priors.iter().sum();
            // Probabilities typed with a few digits are welcome.
            if (sum - 1.0).abs() > 1e-5 {
                return Err(self.refuse_priors(format!("the priors must sum to 1, and they sum to {sum}")));
            }
        }
        Learner::check(&self.gmm()).map_err(renamed)
    }

    fn fit_rows(&self, data: &DatasetRef<'_>, cx: &Context<'_>) -> Result<GmmClassifierModel> {
        run_passes(self, data, cx)
    }

    fn load(input: &ModelReader) -> Result<GmmClassifierModel> {
        GmmClassifierModel::load(input)
    }
}

/// The progress of the mixture of a class.
#[cfg(feature = "fit")]
#[derive(Debug, Clone, Serialize, Deserialize)]
enum MixtureFit {
    Running(Box<GmmState>),
    Done(Box<GmmModel>),
    /// The class has no rows.
    Absent,
}

/// State of [`GmmClassifier`] broadcast to every block before a pass.
#[cfg(feature = "fit")]
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct GmmClassifierState {
    columns: usize,
    classes: Vec<String>,
    /// The weight of the rows of each class; known after the first pass.
    counts: Option<Vec<f64>>,
    mixtures: Vec<MixtureFit>,
}

/// Sums of a pass of [`GmmClassifier`]: a part for each class that is under way.
#[cfg(feature = "fit")]
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct GmmClassifierPartial {
    counts: Vec<f64>,
    parts: Vec<Option<GmmPartial>>,
}

#[cfg(feature = "fit")]
impl Partial for GmmClassifierPartial {
    fn merge(&mut self, other: Self) -> Result<()> {
        self.counts.iter_mut().zip(&other.counts).for_each(|(a, b)| *a += b);
        for (a, b) in self.parts.iter_mut().zip(other.parts) {
            match (a, b) {
                (Some(a), Some(b)) => a.merge(b)?,
                (None, None) => {}
                _ => return Err(Error::Data("partials of different passes".into())),
            }
        }
        Ok(())
    }
}

#[cfg(feature = "fit")]
impl PassLearner for GmmClassifier {
    type State = GmmClassifierState;
    type Partial = GmmClassifierPartial;

    fn block_rows(&self, cols: usize) -> usize {
        self.gmm().block_rows(cols)
    }

    fn initial_state(&self, head: &DatasetRef<'_>, cx: &Context<'_>) -> Result<GmmClassifierState> {
        let (_, names) = head.y.classes()?;
        if let Some(priors) = &self.priors
            && priors.len() != names.len()
        {
            return Err(self.refuse_priors(format!("there are {} classes and {} priors", names.len(), priors.len())));
        }
        let inner = self.gmm().initial_state(head, cx).map_err(renamed)?;
        let mixtures = names.iter().map(|_| MixtureFit::Running(Box::new(inner.clone()))).collect();
        Ok(GmmClassifierState { columns: head.cols(), classes: names.to_vec(), counts: None, mixtures })
    }

    fn empty_partial(&self, state: &GmmClassifierState) -> GmmClassifierPartial {
        let inner = self.gmm();
        let part = |m: &MixtureFit| match m {
            MixtureFit::Running(s) => Some(inner.empty_partial(s)),
            _ => None,
        };
        GmmClassifierPartial { counts: vec![0.0; state.classes.len()], parts: state.mixtures.iter().map(part).collect() }
    }

    fn add_block(&self, state: &GmmClassifierState, part: &mut GmmClassifierPartial, rows: &DatasetRef<'_>) -> Result<()> {
        rows.x.expect_cols(state.columns)?;
        let (codes, _) = rows.y.classes()?;
        let inner = self.gmm();
        let mut own: Vec<Vec<usize>> = vec![Vec::new(); state.classes.len()];
        for (i, &c) in codes.iter().enumerate() {
            own[c as usize].push(i);
            part.counts[c as usize] += rows.weight_of(i);
        }
        for (c, own) in own.iter().enumerate().filter(|(_, own)| !own.is_empty()) {
            if let (MixtureFit::Running(s), Some(part)) = (&state.mixtures[c], &mut part.parts[c]) {
                let of_class = rows.with_target(Target::None).take_rows(own);
                let view = DatasetRef { schema: rows.schema, ..of_class.view() };
                inner.add_block(s, part, &view).map_err(|e| in_class(e.with_row(|row| own[row]), &state.classes[c]))?;
            }
        }
        Ok(())
    }

    fn finish(
        &self,
        mut state: GmmClassifierState,
        total: GmmClassifierPartial,
        cx: &Context<'_>,
    ) -> Result<PassStep<GmmClassifierState, GmmClassifierModel>> {
        let inner = self.gmm();
        let counts = state.counts.get_or_insert(total.counts).clone();
        let mut objective = 0.0;
        for ((c, mixture), part) in state.mixtures.iter_mut().enumerate().zip(total.parts) {
            let (MixtureFit::Running(_), Some(part)) = (&*mixture, part) else { continue };
            let MixtureFit::Running(s) = std::mem::replace(mixture, MixtureFit::Absent) else { continue };
            if counts[c] > 0.0 {
                *mixture = match inner.finish(*s, part, cx).map_err(|e| in_class(e, &state.classes[c]))? {
                    PassStep::NextPass(s, value) => {
                        objective += value.unwrap_or(f64::NAN);
                        MixtureFit::Running(Box::new(s))
                    }
                    PassStep::Done(model) => {
                        objective += model.certificate().and_then(|c| c.objective).unwrap_or(f64::NAN);
                        MixtureFit::Done(Box::new(model))
                    }
                };
            }
        }
        if state.mixtures.iter().any(|m| matches!(m, MixtureFit::Running(_))) {
            return Ok(PassStep::NextPass(state, Some(objective).filter(|v| v.is_finite())));
        }
        let models = state.mixtures.into_iter().map(|m| match m {
            MixtureFit::Done(model) => Some(*model),
            _ => None,
        });
        self.model(state.classes, models.collect(), counts).map(PassStep::Done)
    }

    fn model_so_far(&self, state: &GmmClassifierState) -> Option<GmmClassifierModel> {
        let inner = self.gmm();
        let mut models = Vec::new();
        for mixture in &state.mixtures {
            models.push(match mixture {
                MixtureFit::Running(s) => Some(inner.model_so_far(s)?),
                MixtureFit::Done(model) => Some((**model).clone()),
                MixtureFit::Absent => None,
            });
        }
        self.model(state.classes.clone(), models, state.counts.clone()?).ok()
    }
}

impl GmmClassifier {
    fn model(&self, classes: Vec<String>, models: Vec<Option<GmmModel>>, counts: Vec<f64>) -> Result<GmmClassifierModel> {
        let total: f64 = counts.iter().sum();
        let prior = self.priors.clone().unwrap_or_else(|| counts.iter().map(|c| c / total).collect());
        let mut certificate =
            Certificate { method: "em".into(), objective: Some(0.0), converged: true, ..Certificate::default() };
        for (model, class) in models.iter().zip(&classes) {
            let Some(c) = model.as_ref().and_then(|m| m.certificate()) else { continue };
            certificate.method = c.method.clone();
            certificate.iterations = certificate.iterations.max(c.iterations);
            certificate.converged &= c.converged;
            certificate.objective = certificate.objective.zip(c.objective).map(|(a, b)| a + b);
            certificate.notes.extend(c.notes.iter().map(|n| format!("class \"{class}\": {n}")));
        }
        GmmClassifierModel::new(classes, models, prior, counts, certificate)
    }
}
