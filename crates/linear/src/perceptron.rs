//! The perceptron.

use ermine_core::{
    Accepts, Cell, Certificate, ClassWeight, Classifier, Context, DatasetRef, Error, Family, Features, FitFrom, Learner, Mat,
    Model, ModelReader, ModelWriter, ParamSpec, Range, Report, Result, Schema, Spec, Task, Trace,
};
use serde::{Deserialize, Serialize};

use super::novikoff::{self, Novikoff};
#[cfg(feature = "fit")]
use super::sgd::{MistakeLog, SgdFit};
use super::{AveragingChoice, SgdLoss, SgdModel, SgdPenalty};
use super::{LearningRate, Sgd};

/// A linear classifier that learns from its mistakes only: a row that lies on the wrong side, or on the line, is added to the
/// weights (eta0 times, with the sign of its class); other rows change nothing.
///
/// # What it minimizes
/// Steps of eta0 against Σᵢ max(0, -sᵢ (xᵢ·b + b0)); without penalty the weights are a sum of rows, and eta0 only their
/// unit. More than two classes are learned one against the rest.
///
/// # When to use it
/// Rows that a line separates, or to see the oldest learning rule at work. When the rows are separable it stops making
/// mistakes, after at most (R / γ)² of them (Novikoff), and the report shows the count against the bound. When they are
/// not, the weights never settle: use logistic regression or a support vector machine.
///
/// # Example
/// ```
/// use ermine_core::{Context, DatasetRef, Features, Learner, MatRef, Model, OwnedTarget};
/// use ermine_linear::Perceptron;
///
/// let x = [-2.0, -1.0, -1.0, -1.0, -1.0, -2.0, 1.0, 1.0, 1.0, 2.0, 2.0, 1.0];
/// let y = OwnedTarget::from_labels(&["a", "a", "a", "b", "b", "b"]);
/// let data = DatasetRef::new(Features::F64(MatRef::row_major(&x, 6, 2))).with_target(y.view());
/// let model = Perceptron::default().fit_with(&data, &Context::default())?;
/// let bound = model.novikoff()[0].expect("the rows are separable");
/// assert!(model.mistakes()[0].iter().sum::<u64>() as f64 <= bound.best_bound);
/// # Ok::<(), ermine_core::Error>(())
/// ```
///
/// # Parameters
/// See [`Perceptron::SPEC`](Learner::SPEC).
///
/// # Cost
/// An epoch costs one operation a stored value, two for rows that are mistaken. When the rows are separated, the search
/// for the widest margin takes up to 100 passes more.
///
/// # What it does not do
/// It has no probabilities; what is given is the logistic function of the score, which puts rows in the order of the
/// scores and is not calibrated.
///
/// # Reference
/// Rosenblatt (1958), The perceptron; Novikoff (1962), On convergence proofs on perceptrons.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Perceptron {
    /// The penalty on the weights.
    pub penalty: SgdPenalty,
    /// The strength of the penalty.
    pub alpha: f64,
    /// The share of the sizes in an elastic-net penalty.
    pub l1_ratio: f64,
    /// Whether scores have an intercept.
    pub fit_intercept: bool,
    /// Epochs at most.
    pub max_iter: u64,
    /// Improvement below which an epoch counts as none; `None` continues to the last epoch or to separation.
    pub tol: Option<f64>,
    /// Epochs without improvement after which it ends.
    pub n_iter_no_change: u64,
    /// Whether every epoch has an order of its own.
    pub shuffle: bool,
    /// The step size: the factor of a mistaken row.
    pub eta0: f64,
    /// Whether the score on rows set aside decides when to end.
    pub early_stopping: bool,
    /// The share of the rows set aside.
    pub validation_fraction: f64,
    /// Factors on the weights of the rows, by class.
    pub class_weight: Option<ClassWeight>,
}

impl Default for Perceptron {
    fn default() -> Self {
        Self {
            penalty: SgdPenalty::None,
            alpha: 1e-4,
            l1_ratio: 0.15,
            fit_intercept: true,
            max_iter: 1000,
            tol: Some(1e-3),
            n_iter_no_change: 5,
            shuffle: true,
            eta0: 1.0,
            early_stopping: false,
            validation_fraction: 0.1,
            class_weight: None,
        }
    }
}

impl Perceptron {
    /// One epoch over further rows, from the state of `model`, or from zero weights. The classes are those that the names of
    /// the target of the first call list, with or without rows.
    #[cfg(feature = "fit")]
    pub fn partial_fit(
        &self,
        model: Option<&PerceptronModel>,
        rows: &DatasetRef<'_>,
        cx: &Context<'_>,
    ) -> Result<PerceptronModel> {
        resume(&Self { max_iter: 1, tol: None, early_stopping: false, ..self.clone() }, model, rows, cx)
    }

    /// The steps that a perceptron is.
    fn as_sgd(&self) -> Sgd {
        Sgd {
            loss: SgdLoss::Perceptron,
            penalty: self.penalty,
            alpha: self.alpha,
            l1_ratio: self.l1_ratio,
            fit_intercept: self.fit_intercept,
            max_iter: self.max_iter,
            tol: self.tol,
            n_iter_no_change: self.n_iter_no_change,
            shuffle: self.shuffle,
            learning_rate: LearningRate::Constant,
            eta0: Some(self.eta0),
            early_stopping: self.early_stopping,
            validation_fraction: self.validation_fraction,
            class_weight: self.class_weight.clone(),
            average: AveragingChoice::Whether(false),
            ..Sgd::default()
        }
    }

    #[cfg(feature = "fit")]
    fn fit_from(
        &self,
        start: Option<&PerceptronModel>,
        data: &DatasetRef<'_>,
        cx: &Context<'_>,
        all_names: bool,
    ) -> Result<PerceptronModel> {
        self.check()?;
        let sgd = self.as_sgd();
        let fit = SgdFit { sgd: &sgd, spec: &Self::SPEC, until_separated: self.penalty == SgdPenalty::None };
        let (mut line, MistakeLog { mut mistakes, separated }) = fit.run(start.map(|m| &m.line), data, cx, all_names)?;
        if let Some(before) = start {
            for (all, more) in mistakes.iter_mut().zip(&before.mistakes) {
                all.splice(0..0, more.iter().copied());
            }
        }
        // The theorem holds for steps of equal length from zero weights, without decay.
        let plain = self.penalty == SgdPenalty::None && self.class_weight.is_none() && !self.early_stopping;
        let equal = data.weight.is_none_or(|w| w.iter().all(|&w| w == 0.0 || w == 1.0));
        let mut bounds = vec![None; mistakes.len()];
        if plain && equal && start.is_none() {
            for (k, bound) in bounds.iter_mut().enumerate().filter(|(k, _)| separated[*k]) {
                let (coef, intercept) = line.last_step(k);
                let positive = line.positive(k);
                *bound = novikoff::novikoff_bound(data, positive, self.fit_intercept, coef, intercept, Self::SPEC.name)?;
            }
        }
        let names = line.classes().to_vec();
        let of = |k: usize| {
            if mistakes.len() == 1 { String::new() } else { format!("class \"{}\": ", names[line.positive(k) as usize]) }
        };
        let mut notes = Vec::new();
        for (k, counts) in mistakes.iter().enumerate() {
            let total: u64 = counts.iter().sum();
            notes.push(match (&bounds[k], separated[k]) {
                (Some(b), _) => format!(
                    "{}separated after {} epochs and {total} mistakes; Novikoff's bound (R/margin)^2 is {:.6e} with the margin {:.6e} \
                     of the weights found, {:.6e} with the widest margin known, {:.6e}",
                    of(k), counts.len(), b.bound, b.margin, b.best_bound, b.best_margin
                ),
                (None, true) => format!("{}separated after {} epochs and {total} mistakes", of(k), counts.len()),
                (None, false) => format!(
                    "{}not separated: {} mistakes in the last of {} epochs, {total} in all",
                    of(k),
                    counts.last().copied().unwrap_or(0),
                    counts.len()
                ),
            });
        }
        if let Some(certificate) = line.certificate_mut() {
            certificate.method = "perceptron".into();
            notes.append(&mut certificate.notes);
            certificate.notes = notes;
        }
        Ok(PerceptronModel { line, mistakes, novikoff: bounds })
    }
}

#[cfg(feature = "fit")]
fn resume(
    perceptron: &Perceptron,
    model: Option<&PerceptronModel>,
    data: &DatasetRef<'_>,
    cx: &Context<'_>,
) -> Result<PerceptronModel> {
    perceptron.fit_from(model, data, cx, true)
}

#[cfg(feature = "fit")]
impl Learner for Perceptron {
    type Model = PerceptronModel;

    const SEARCH_SPACE: &'static [&'static str] = &["eta0=1e-3..10:log"];

    const SPEC: Spec = Spec {
        name: "perceptron",
        summary: "A linear classifier that learns from its mistakes only",
        objective: "b += eta0 s_i x_i for every row with s_i (x_i b + b0) <= 0: steps against sum_i max(0, -s_i (x_i b + b0)); more \
                    than two classes one against the rest",
        notes: "Choose it for rows that a line separates: it then stops making mistakes after at most (R/margin)^2 of them, and \
                the report shows the count against that bound. On other rows the weights never settle; use logistic \
                regression or a support vector machine there. It has no probabilities: what is given is the logistic \
                function of the score, which is not calibrated.",
        reference: "F. Rosenblatt (1958), The perceptron; A. Novikoff (1962), On convergence proofs on perceptrons",
        family: Family::Linear,
        tasks: &[Task::Classification],
        accepts: Accepts { weights: true, sparse: true, ..Accepts::NUMBERS },
        params: &[
            ParamSpec {
                name: "penalty",
                doc: "The penalty on the weights: none; l2, half their squares; l1, their absolute values; elasticnet, both.",
                range: Range::Choice(&["none", "l2", "l1", "elasticnet"]),
            },
            ParamSpec {
                name: "alpha",
                doc: "The strength of the penalty.",
                range: Range::Real { min: 0.0, max: f64::MAX, above: false, log: true },
            },
            ParamSpec {
                name: "l1_ratio",
                doc: "The share of the absolute values in an elasticnet penalty.",
                range: Range::Real { min: 0.0, max: 1.0, above: false, log: false },
            },
            ParamSpec {
                name: "fit_intercept",
                doc: "Whether scores have an intercept, which is not penalized.",
                range: Range::Bool,
            },
            ParamSpec { name: "max_iter", doc: "Epochs at most.", range: Range::int_from(1) },
            ParamSpec {
                name: "tol",
                doc: "An epoch whose mean loss is not below the best so far by this much counts as one without improvement. null goes \
                      on to the last epoch, or to the first without a mistake.",
                range: Range::Optional(&Range::at_least(0.0)),
            },
            ParamSpec {
                name: "n_iter_no_change",
                doc: "Epochs in a row without improvement after which the fit ends.",
                range: Range::int_from(1),
            },
            ParamSpec { name: "shuffle", doc: "Whether every epoch has an order of its own.", range: Range::Bool },
            ParamSpec { name: "eta0", doc: "What a mistaken row is multiplied by.", range: Range::above(0.0) },
            ParamSpec {
                name: "early_stopping",
                doc: "Whether a share of the rows is set aside and the accuracy on them decides when to end.",
                range: Range::Bool,
            },
            ParamSpec {
                name: "validation_fraction",
                doc: "The share of the rows set aside.",
                range: Range::Real { min: 0.0, max: 0.999_999_999, above: true, log: false },
            },
            ParamSpec {
                name: "class_weight",
                doc: "Factors on the weights of the rows by class: an object of class names and factors (1 for classes not \
                      named), or \"balanced\", n / (number of classes x weight of the class). Of more than two classes, each \
                      against the rest, the factor counts for the class itself.",
                range: Range::Optional(&Range::Either(&Range::Choice(&["balanced"]), &Range::Any)),
            },
        ],
    };

    const PARTIAL_FIT: Option<FitFrom<Self>> = Some(resume);

    const ROW_ORDER_MATTERS: bool = true;

    fn check(&self) -> Result<()> {
        self.check_ranges()?;
        self.as_sgd().check().map_err(|e| match e {
            Error::Parameter { name, value, expected, .. } => {
                Error::Parameter { learner: Self::SPEC.name, name, value, expected }
            }
            other => other,
        })
    }

    fn fit_rows(&self, data: &DatasetRef<'_>, cx: &Context<'_>) -> Result<PerceptronModel> {
        self.fit_from(None, data, cx, false)
    }

    fn load(input: &ModelReader) -> Result<PerceptronModel> {
        PerceptronModel::load(input)
    }
}

impl PerceptronModel {
    pub(crate) fn load(input: &ModelReader) -> Result<Self> {
        let line = super::sgd::load(input)?;
        let mistakes: Vec<Vec<u64>> = input.field("mistakes")?;
        let novikoff: Vec<Option<Novikoff>> = input.field("novikoff")?;
        let vectors = line.coef().rows();
        if line.as_classifier().is_none() || mistakes.len() != vectors || novikoff.len() != vectors {
            return Err(Error::Model(format!("records of {} problems for {vectors} vectors of weights", mistakes.len())));
        }
        let sound = |n: &Novikoff| {
            let all = [n.radius, n.margin, n.bound, n.best_margin, n.best_bound, n.margin_at_most];
            all.iter().all(|v| *v > 0.0 && v.is_finite())
        };
        if !novikoff.iter().flatten().all(sound) {
            return Err(Error::Model("a bound on the mistakes that cannot be".into()));
        }
        Ok(PerceptronModel { line, mistakes, novikoff })
    }
}

/// A fitted perceptron. With [`Perceptron::partial_fit`] it continues to learn.
///
/// Saved: what [`SgdModel`] saves, and the fields `mistakes` and `novikoff`.
#[derive(Debug, Clone)]
pub struct PerceptronModel {
    line: SgdModel,
    mistakes: Vec<Vec<u64>>,
    novikoff: Vec<Option<Novikoff>>,
}

impl PerceptronModel {
    /// The weights: one row for two classes, else one per class.
    pub fn coef(&self) -> &Mat<f64> {
        self.line.coef()
    }

    /// The intercepts, as many as there are rows of [`PerceptronModel::coef`].
    pub fn intercept(&self) -> &[f64] {
        self.line.intercept()
    }

    /// Mistakes: a list for each row of [`PerceptronModel::coef`], one number per epoch.
    pub fn mistakes(&self) -> &[Vec<u64>] {
        &self.mistakes
    }

    /// Novikoff's bound for each row of [`PerceptronModel::coef`], where the rows were separated by plain steps from zero weights.
    pub fn novikoff(&self) -> &[Option<Novikoff>] {
        &self.novikoff
    }

    /// Epochs of the last fit.
    pub fn n_iter(&self) -> u64 {
        self.line.n_iter()
    }
}

ermine_core::display_as_report!(PerceptronModel);

impl Model for PerceptronModel {
    fn n_features(&self) -> usize {
        self.line.n_features()
    }

    fn as_classifier(&self) -> Option<&dyn Classifier> {
        Some(self)
    }

    fn as_additive(&self) -> Option<&dyn ermine_core::AdditiveModel> {
        Some(self)
    }

    fn certificate(&self) -> Option<&Certificate> {
        self.line.certificate()
    }

    fn trace(&self) -> Option<&Trace> {
        self.line.trace()
    }

    fn report(&self, schema: &Schema) -> Report {
        let mut report = self.line.report(schema);
        let classes = self.line.classes();
        let rows = (0..self.mistakes.len()).map(|k| {
            let number = |f: &dyn Fn(&Novikoff) -> f64| self.novikoff[k].as_ref().map_or(Cell::Empty, |n| f(n).into());
            vec![
                classes[self.line.positive(k) as usize].as_str().into(),
                (self.mistakes[k].len() as f64).into(),
                (self.mistakes[k].iter().sum::<u64>() as f64).into(),
                number(&|n| n.radius),
                number(&|n| n.margin),
                number(&|n| n.bound),
                number(&|n| n.best_margin),
                number(&|n| n.best_bound),
            ]
        });
        let heads = ["class", "epochs", "mistakes", "R", "margin", "(R/margin)^2", "widest margin known", "bound with it"];
        report.table("Mistakes against Novikoff's bound", &heads, rows.collect());
        if self.novikoff.iter().any(Option::is_some) {
            report.text(
                "Any unit vector that separates the rows with margin g bounds the mistakes by (R/g)^2; the widest margin gives the \
                 sharpest bound. Rows count with a 1 for the intercept.",
            );
        }
        report
    }

    fn save(&self, out: &mut ModelWriter) -> Result<()> {
        self.line.save(out)?;
        out.field("mistakes", &self.mistakes)?;
        out.field("novikoff", &self.novikoff)
    }
}

impl Classifier for PerceptronModel {
    fn classes(&self) -> &[String] {
        self.line.classes()
    }

    fn proba(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        self.line.proba(x)
    }

    fn log_proba(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        self.line.log_proba(x)
    }

    fn decision(&self, x: &Features<'_>) -> Result<Option<Mat<f64>>> {
        self.line.decision(x)
    }

    fn classify(&self, x: &Features<'_>) -> Result<Vec<u32>> {
        self.line.classify(x)
    }
}
