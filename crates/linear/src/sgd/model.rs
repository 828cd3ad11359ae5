//! The fitted model: scores, what can be made of them, and the state of the steps.

use ermine_core::{
    Certificate, Classifier, Curve, Error, Features, Mat, Model, ModelReader, ModelWriter, Regressor, Report, Result, Schema,
    Section, Trace,
};
use ermine_math::loss::{log_sum_exp, log1p_exp};

use super::super::coefficients::Coefficients;
use super::Sgd;
use super::SgdLoss;
use super::run::SgdState;
use super::weights::L1Debt;

/// A fitted linear model of stochastic gradient descent. With [`Sgd::partial_fit`] its steps continue where they ended.
///
/// Saved arrays: `coef` (vectors, columns) and `intercept` (vectors), which predict; with
/// averaging `plain_coef`, `plain_intercept` and `averaged`, the weights of the last step and how many steps are in the average;
/// with an L1 penalty `owed` (vectors) and `paid` (vectors, columns).
#[derive(Debug, Clone)]
pub struct SgdModel {
    pub(super) loss: SgdLoss,
    /// The class names; `None` for numbers.
    pub(super) classes: Option<Vec<String>>,
    /// Codes of the classes that take part; the others have probability 0.
    pub(super) present: Vec<u32>,
    pub(super) line: Coefficients,
    pub(super) stands: Vec<SgdState>,
    pub(super) n_iter: u64,
    pub(super) certificate: Option<Certificate>,
    pub(super) trace: Option<Trace>,
}

/// The relation of scores to probabilities.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ProbabilityRule {
    /// The probability is proportional to σ(factor · score).
    Sigmoid { factor: u8 },
    /// It is proportional to the score brought from [-1, 1] to [0, 1].
    Clipped,
}

impl SgdLoss {
    /// The minimizer of the expected loss is ½ log odds for the exponential loss and 2p - 1 for the squared ones; that of the
    /// logistic loss is the log odds. The others have no such relation, and the logistic function is used.
    fn probability_rule(self) -> ProbabilityRule {
        match self {
            Self::Exponential => ProbabilityRule::Sigmoid { factor: 2 },
            Self::SquaredError | Self::SquaredHinge | Self::ModifiedHuber => ProbabilityRule::Clipped,
            _ => ProbabilityRule::Sigmoid { factor: 1 },
        }
    }
}

impl SgdModel {
    /// The weights: one row for numbers and for two classes, else one per class. With averaging, the averages.
    pub fn coef(&self) -> &Mat<f64> {
        &self.line.coef
    }

    /// The intercepts, as many as there are rows of [`SgdModel::coef`].
    pub fn intercept(&self) -> &[f64] {
        &self.line.intercept
    }

    /// Epochs of the last fit; with several one-versus-rest problems, of the longest.
    pub fn n_iter(&self) -> u64 {
        self.n_iter
    }

    /// Steps taken so far, over all fits that continued each other.
    pub fn steps(&self) -> u64 {
        self.stands.iter().map(|s| s.steps).max().unwrap_or(0)
    }

    /// The weights and the intercept of the last step, which are those that further steps start from.
    pub fn last_step(&self, vector: usize) -> (&[f64], f64) {
        (&self.stands[vector].coef, self.stands[vector].intercept)
    }

    /// The code of the class that vector `k` scores.
    pub(in super::super) fn positive(&self, k: usize) -> u32 {
        self.present[if self.line.coef.rows() == 1 { 1 } else { k }]
    }

    pub(in super::super) fn certificate_mut(&mut self) -> Option<&mut Certificate> {
        self.certificate.as_mut()
    }

    fn scores(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        self.line.predict(x, Sgd::NAME)
    }

    /// Writes values of the classes that take part in the columns of all classes.
    fn scatter_classes(&self, values: &[f64], rest: f64, out: &mut [f64]) {
        out.fill(rest);
        for (&code, &value) in self.present.iter().zip(values) {
            out[code as usize] = value;
        }
    }

    /// Logarithms of the probabilities, row by row; exact where probabilities underflow.
    fn log_probabilities(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        let scores = self.scores(x)?;
        let classes = self.classes().len();
        let mut out = Mat::zeros(x.rows(), classes);
        let belief = self.loss.probability_rule();
        let mut logs = vec![0.0; self.present.len()];
        for i in 0..x.rows() {
            let z = scores.row(i);
            match (belief, z.len()) {
                (ProbabilityRule::Sigmoid { factor }, 1) => {
                    let z = f64::from(factor) * z[0];
                    logs.copy_from_slice(&[-log1p_exp(z), -log1p_exp(-z)]);
                }
                (ProbabilityRule::Sigmoid { factor }, _) => {
                    logs.iter_mut().zip(z).for_each(|(l, z)| *l = -log1p_exp(-f64::from(factor) * z));
                    let total = log_sum_exp(&logs);
                    if total.is_finite() {
                        logs.iter_mut().for_each(|l| *l -= total);
                    } else {
                        logs.fill(-(self.present.len() as f64).ln());
                    }
                }
                (ProbabilityRule::Clipped, 1) => {
                    let p = 0.5 * (z[0].clamp(-1.0, 1.0) + 1.0);
                    logs.copy_from_slice(&[(1.0 - p).ln(), p.ln()]);
                }
                (ProbabilityRule::Clipped, _) => {
                    logs.iter_mut().zip(z).for_each(|(l, z)| *l = 0.5 * (z.clamp(-1.0, 1.0) + 1.0));
                    let total: f64 = logs.iter().sum();
                    if total > 0.0 {
                        logs.iter_mut().for_each(|l| *l = (*l / total).ln());
                    } else {
                        logs.fill(-(self.present.len() as f64).ln());
                    }
                }
            }
            self.scatter_classes(&logs, f64::NEG_INFINITY, out.row_mut(i));
        }
        Ok(out)
    }
}

ermine_core::display_as_report!(SgdModel);

impl Model for SgdModel {
    crate::coefficients::model_methods!(line, trace);

    fn as_regressor(&self) -> Option<&dyn Regressor> {
        self.classes.is_none().then_some(self as &dyn Regressor)
    }

    fn as_classifier(&self) -> Option<&dyn Classifier> {
        self.classes.is_some().then_some(self as &dyn Classifier)
    }

    fn report(&self, schema: &Schema) -> Report {
        let mut report = Report::default();
        let vectors = self.line.coef.rows();
        let title = |k: usize| match &self.classes {
            None => "coefficient".to_owned(),
            Some(names) if vectors == 1 => format!("score of {}", names[self.present[1] as usize]),
            Some(names) => names[self.present[k] as usize].clone(),
        };
        let titles: Vec<String> = (0..vectors).map(title).collect();
        self.line.report(&mut report, "Coefficients", &titles, schema);
        if let Some(certificate) = &self.certificate {
            certificate.notes.iter().for_each(|note| {
                report.text(note.clone());
            });
        }
        if let Some(values) = self.trace.as_ref().and_then(|t| t.column("objective")) {
            let points = values.iter().enumerate().map(|(k, &v)| ((k + 1) as f64, v)).collect();
            report.sections.push(Section::Plot {
                title: "Course of the objective".into(),
                x: "epoch".into(),
                y: "objective".into(),
                curves: vec![Curve { name: "objective".into(), points }],
            });
        }
        report
    }

    fn save(&self, out: &mut ModelWriter) -> Result<()> {
        self.line.save(out);
        let (vectors, cols) = (self.line.coef.rows(), self.line.coef.cols());
        let each = |f: &dyn Fn(&SgdState) -> u64| -> Vec<u64> { self.stands.iter().map(f).collect() };
        out.field("steps", &each(&|s| s.steps))?;
        out.field("epochs", &each(&|s| s.epochs))?;
        if self.stands.iter().any(|s| s.average.is_some()) {
            out.mat("plain_coef", &Mat::from_fn(vectors, cols, |k, j| self.stands[k].coef[j]));
            out.vec("plain_intercept", &self.stands.iter().map(|s| s.intercept).collect::<Vec<_>>());
            let count = |s: &SgdState| s.average.as_ref().map_or(0.0, |a| a.2);
            out.vec("averaged", &self.stands.iter().map(count).collect::<Vec<_>>());
        }
        if self.stands.iter().any(|s| s.debt.is_some()) {
            let of = |k: usize| self.stands[k].debt.clone().unwrap_or_default();
            out.vec("owed", &(0..vectors).map(|k| of(k).owed).collect::<Vec<_>>());
            let debts: Vec<L1Debt> = (0..vectors).map(of).collect();
            out.mat("paid", &Mat::from_fn(vectors, cols, |k, j| debts[k].paid.get(j).copied().unwrap_or(0.0)));
        }
        out.field("loss", &self.loss)?;
        out.field("classes", &self.classes)?;
        out.field("present", &self.present)?;
        out.field("n_iter", &self.n_iter)
    }
}

/// Reads a model and checks everything that prediction and further steps rely on.
pub(crate) fn load(input: &ModelReader) -> Result<SgdModel> {
    let bad = |message: String| Err(Error::Model(message));
    let line = Coefficients::load(input)?;
    let (vectors, cols) = (line.coef.rows(), line.coef.cols());
    let loss: SgdLoss = input.field("loss")?;
    let classes: Option<Vec<String>> = input.field("classes")?;
    let present: Vec<u32> = input.field("present")?;
    let expected = match (&classes, present.len()) {
        (None, 0) => 1,
        (Some(_), 2) => 1,
        (Some(names), k) if k > 2 && k <= names.len() => k,
        _ => return bad(format!("{} classes take part, of {:?}", present.len(), classes.map(|c| c.len()))),
    };
    if vectors != expected {
        return bad(format!("{vectors} vectors of weights for {} classes", present.len()));
    }
    if let Some(names) = &classes
        && (!present.windows(2).all(|w| w[0] < w[1]) || present[present.len() - 1] as usize >= names.len())
    {
        return bad(format!("codes {present:?} of {} classes", names.len()));
    }
    let (steps, epochs): (Vec<u64>, Vec<u64>) = (input.field("steps")?, input.field("epochs")?);
    if steps.len() != vectors || epochs.len() != vectors {
        return bad(format!("{} counts of steps and {} of epochs for {vectors} vectors", steps.len(), epochs.len()));
    }
    let mut stands: Vec<SgdState> = (0..vectors)
        .map(|k| SgdState {
            coef: line.coef.row(k).to_vec(),
            intercept: line.intercept[k],
            average: None,
            debt: None,
            steps: steps[k],
            epochs: epochs[k],
        })
        .collect();
    if input.array_info("plain_coef").is_some() {
        let plain: Mat<f64> = input.mat_of("plain_coef", vectors, cols)?;
        let intercept: Vec<f64> = input.vec_of("plain_intercept", vectors)?;
        let averaged: Vec<f64> = input.vec_of("averaged", vectors)?;
        let all = plain.as_slice().iter().chain(&intercept).chain(&averaged);
        if !all.clone().all(|v| v.is_finite()) || averaged.iter().any(|&c| c < 0.0) {
            return bad("averages that cannot be".into());
        }
        for (k, stand) in stands.iter_mut().enumerate() {
            if averaged[k] > 0.0 {
                stand.average = Some((std::mem::take(&mut stand.coef), stand.intercept, averaged[k]));
            }
            stand.coef = plain.row(k).to_vec();
            stand.intercept = intercept[k];
        }
    }
    if input.array_info("paid").is_some() {
        let paid: Mat<f64> = input.mat_of("paid", vectors, cols)?;
        let owed: Vec<f64> = input.vec_of("owed", vectors)?;
        if !paid.as_slice().iter().chain(&owed).all(|v| v.is_finite()) {
            return bad("an amount of the L1 penalty is not finite".into());
        }
        for (k, stand) in stands.iter_mut().enumerate() {
            stand.debt = Some(L1Debt { owed: owed[k], paid: paid.row(k).to_vec() });
        }
    }
    Ok(SgdModel { loss, classes, present, line, stands, n_iter: input.field("n_iter")?, certificate: None, trace: None })
}

impl Regressor for SgdModel {
    fn predict(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        self.scores(x)
    }
}

impl Classifier for SgdModel {
    fn classes(&self) -> &[String] {
        self.classes.as_deref().unwrap_or(&[])
    }

    fn proba(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        let mut p = self.log_probabilities(x)?;
        for i in 0..p.rows() {
            let row = p.row_mut(i);
            row.iter_mut().for_each(|v| *v = v.exp());
            // Exponentials of logarithms that sum to 1 may miss it by more than a few units in the last place.
            let total: f64 = row.iter().sum();
            row.iter_mut().for_each(|v| *v /= total);
        }
        Ok(p)
    }

    fn log_proba(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        self.log_probabilities(x)
    }

    fn decision(&self, x: &Features<'_>) -> Result<Option<Mat<f64>>> {
        let scores = self.scores(x)?;
        let classes = self.classes().len();
        if classes == 2 || scores.cols() == classes {
            return Ok(Some(scores));
        }
        let mut out = Mat::zeros(x.rows(), classes);
        for i in 0..x.rows() {
            let z = scores.row(i);
            if z.len() == 1 {
                self.scatter_classes(&[-z[0], z[0]], f64::NEG_INFINITY, out.row_mut(i));
            } else {
                self.scatter_classes(z, f64::NEG_INFINITY, out.row_mut(i));
            }
        }
        Ok(Some(out))
    }

    fn classify(&self, x: &Features<'_>) -> Result<Vec<u32>> {
        let scores = self.scores(x)?;
        let one = |i: usize| {
            let z = scores.row(i);
            let place = match z.len() {
                1 => usize::from(z[0] > 0.0),
                v => (1..v).fold(0, |best, k| if z[k] > z[best] { k } else { best }),
            };
            self.present[place]
        };
        Ok((0..x.rows()).map(one).collect())
    }
}
