//! From a dataset to a model: which rows and classes take part, the runs of the problems, the evidence.

use ermine_core::parallel::prelude::*;
use ermine_core::{Certificate, Context, DatasetRef, Error, Mat, Result, RngStream, Spec, Target, Trace};
use ermine_math::loss::RowLoss;

use super::super::coefficients::Coefficients;
use super::evaluate::{SgdObjective, evaluate, largest_eigenvalue};
use super::model::SgdModel;
use super::rows::{RowVisitor, SgdRows, with_rows};
use super::run::{Epoch, SgdLabels, SgdOptions, SgdProblem, SgdResult, SgdState, SgdStop};
use super::{Sgd, SgdLoss, SgdPreset};

/// A fit of a learner that uses these steps.
pub(in super::super) struct SgdFit<'a> {
    pub sgd: &'a Sgd,
    /// The learner, for messages.
    pub spec: &'a Spec,
    /// Whether an epoch without a mistake ends a problem.
    pub until_separated: bool,
}

/// The history of the problems, one after the other.
pub(in super::super) struct MistakeLog {
    /// Rows on the wrong side when their turn came: a list a problem, one number per epoch.
    pub mistakes: Vec<Vec<u64>>,
    /// Whether a problem ended with an epoch without any.
    pub separated: Vec<bool>,
}

/// The longest first step unless one is given.
const FIRST_STEP: f64 = 0.01;

/// The classes of a fit.
struct SgdClasses<'a> {
    codes: &'a [u32],
    names: &'a [String],
    /// Codes that take part, ascending.
    present: Vec<u32>,
    /// Factors by code.
    factors: Vec<f64>,
}

impl SgdFit<'_> {
    /// Fits, from `start` on when there is one. With `all_names` every class name takes part, also without rows.
    pub fn run(
        &self,
        start: Option<&SgdModel>,
        data: &DatasetRef<'_>,
        cx: &Context<'_>,
        all_names: bool,
    ) -> Result<(SgdModel, MistakeLog)> {
        data.check(self.spec)?;
        let classes = match data.y {
            Target::Class { codes, names } => Some(self.classes(start, data, codes, names, all_names)?),
            _ => None,
        };
        let sgd = self.sgd.resolved(classes.is_some());
        let bad_loss = match (classes.is_some(), sgd.learning_rate) {
            (false, _) if sgd.loss.needs_classes() => Some("is one of classes, and the target has numbers"),
            (true, super::LearningRate::Pa1 | super::LearningRate::Pa2) if sgd.loss != SgdLoss::Hinge => {
                Some("does not go with passive-aggressive steps for classes, which need hinge")
            }
            (false, super::LearningRate::Pa1 | super::LearningRate::Pa2) if sgd.loss != SgdLoss::EpsilonInsensitive => {
                Some("does not go with passive-aggressive steps for numbers, which need epsilon_insensitive")
            }
            _ => None,
        };
        if let Some(why) = bad_loss {
            let value = serde_json::to_value(sgd.loss).map_or_else(|e| e.to_string(), |v| v.to_string());
            return Err(Error::parameter(self.spec.name, "loss", value, format!("it {why}")));
        }
        if let Some(model) = start {
            data.x.expect_cols(model.line.coef.cols())?;
            if model.classes.is_some() != classes.is_some() {
                return Err(Error::Target("the model to continue was trained for the other task".into()));
            }
        }
        if u32::try_from(data.rows()).is_err() {
            return Err(Error::Data(format!("{} rows; {} takes up to {} at a time", data.rows(), self.spec.name, u32::MAX)));
        }
        let (train, holdout) = split(&sgd, data, classes.as_ref().map(|c| c.codes), cx)?;
        with_rows(&data.x, self.spec.name, BinaryProblems { fit: self, sgd: &sgd, start, data, classes, train, holdout, cx })
    }

    fn classes<'a>(
        &self,
        start: Option<&SgdModel>,
        data: &DatasetRef<'a>,
        codes: &'a [u32],
        names: &'a [String],
        all_names: bool,
    ) -> Result<SgdClasses<'a>> {
        let mut weights = vec![0.0; names.len()];
        (0..codes.len()).for_each(|i| weights[codes[i] as usize] += data.weight_of(i));
        let factors = match &self.sgd.class_weight {
            Some(class_weight) => class_weight.factors(&weights, names)?,
            None => vec![1.0; names.len()],
        };
        let present: Vec<u32> = match start {
            Some(model) => {
                if model.classes.as_deref().is_some_and(|known| known != names) {
                    return Err(Error::Target(format!(
                        "its classes are {names:?}, and the model to continue knows {:?}",
                        model.classes.as_deref().unwrap_or(&[])
                    )));
                }
                if let Some(code) = (0..names.len() as u32).find(|c| weights[*c as usize] > 0.0 && !model.present.contains(c)) {
                    let name = &names[code as usize];
                    return Err(Error::Target(format!("class \"{name}\" had no row in the fit of the model to continue")));
                }
                model.present.clone()
            }
            None => (0..names.len() as u32).filter(|&c| all_names || weights[c as usize] > 0.0).collect(),
        };
        if present.len() < 2 {
            return Err(Error::Target(format!("The number of classes has to be greater than one; got {} class", present.len())));
        }
        Ok(SgdClasses { codes, names, present, factors })
    }
}

/// The rows to learn from and those set aside.
fn split(sgd: &Sgd, data: &DatasetRef<'_>, codes: Option<&[u32]>, cx: &Context<'_>) -> Result<(Vec<u32>, Vec<u32>)> {
    let used: Vec<u32> = (0..data.rows()).filter(|&i| data.weight_of(i) > 0.0).map(|i| i as u32).collect();
    if !sgd.early_stopping || cx.validation.is_some() {
        return Ok((used, Vec::new()));
    }
    let mut order = used.clone();
    RngStream::new(cx.seed, "sgd validation", 0).shuffle(&mut order);
    let class_of = |i: u32| codes.map_or(0, |c| c[i as usize]) as usize;
    let mut counts = vec![0usize; 1 + codes.map_or(0, |c| c.iter().copied().max().unwrap_or(0) as usize)];
    used.iter().for_each(|&i| counts[class_of(i)] += 1);
    // The same share of every class.
    let mut open: Vec<usize> = counts.iter().map(|&n| (sgd.validation_fraction * n as f64).round() as usize).collect();
    let mut is_held = vec![false; data.rows()];
    for i in order {
        if open[class_of(i)] > 0 {
            open[class_of(i)] -= 1;
            is_held[i as usize] = true;
        }
    }
    let (holdout, train): (Vec<u32>, Vec<u32>) = used.iter().partition(|&&i| is_held[i as usize]);
    if holdout.is_empty() || train.is_empty() {
        return Err(Error::Data(format!(
            "Splitting {} samples into a train set and a validation set with validation_fraction={} led to an empty set ({} and {} \
             samples); change validation_fraction, give more rows, or switch early_stopping off",
            used.len(),
            sgd.validation_fraction,
            train.len(),
            holdout.len()
        )));
    }
    Ok((train, holdout))
}

struct BinaryProblems<'a> {
    fit: &'a SgdFit<'a>,
    sgd: &'a Sgd,
    start: Option<&'a SgdModel>,
    data: &'a DatasetRef<'a>,
    classes: Option<SgdClasses<'a>>,
    train: Vec<u32>,
    holdout: Vec<u32>,
    cx: &'a Context<'a>,
}

impl RowVisitor for BinaryProblems<'_> {
    type Out = (SgdModel, MistakeLog);

    fn visit(self, rows: &impl SgdRows) -> Result<Self::Out> {
        let (sgd, data) = (self.sgd, self.data);
        let cols = data.cols();
        let mut plan = sgd.plan(self.first_step(rows));
        plan.until_separated = self.fit.until_separated;
        let vectors = self.classes.as_ref().map_or(1, |c| if c.present.len() == 2 { 1 } else { c.present.len() });
        let numbers = match data.y {
            Target::Class { .. } => Vec::new(),
            _ => data.y.reals().map(|y| (0..y.rows()).map(|i| *y.at(i, 0)).collect())?,
        };
        let solve = |k: usize| -> Result<(SgdResult, SgdObjective)> {
            let labels = self.labels(k, &numbers);
            let judge = |coef: &[f64], intercept: f64| self.holdout_score(rows, &labels, k, coef, intercept);
            let task = SgdProblem {
                rows,
                labels,
                weight: data.weight,
                train: &self.train,
                score: sgd.early_stopping.then_some(&judge),
                seed: self.cx.seed,
            };
            let stand = self.start.map_or_else(|| SgdState::new(cols), |m| m.stands[k].clone());
            let outcome = task.run(&plan, stand, self.cx).map_err(|e| self.name_cell(e))?;
            if matches!(outcome.end, SgdStop::Diverged { .. }) {
                data.x.refuse_non_finite(data.schema)?;
            }
            let (coef, intercept) = prediction_weights(&outcome.state);
            let evaluation = evaluate(&task, &plan, coef, intercept);
            Ok((outcome, evaluation))
        };
        let solved: Vec<(SgdResult, SgdObjective)> = (0..vectors).into_par_iter().map(solve).collect::<Result<_>>()?;
        let mut notes = self.notes(&solved, &plan);
        let stability = match sgd.preset {
            Some(SgdPreset::WidrowHoff) => Some(self.stability(rows, &numbers, &plan)),
            _ => None,
        };
        let is_stable = stability.as_ref().is_none_or(|s| s.0);
        notes.extend(stability.map(|s| s.1));
        let certificate = certificate(&solved, &plan, is_stable, notes);
        let records = MistakeLog {
            mistakes: solved.iter().map(|s| s.0.epochs.iter().map(|e| e.mistakes).collect()).collect(),
            separated: solved.iter().map(|s| s.0.end == SgdStop::Separated).collect(),
        };
        let courses: Vec<&[Epoch]> = solved.iter().map(|s| s.0.epochs.as_slice()).collect();
        let trace = Some(trace(&courses));
        let stands: Vec<SgdState> = solved.into_iter().map(|s| s.0.state).collect();
        let line = Coefficients {
            coef: Mat::from_fn(vectors, cols, |k, j| prediction_weights(&stands[k]).0[j]),
            intercept: stands.iter().map(|s| prediction_weights(s).1).collect(),
        };
        let model = SgdModel {
            loss: sgd.loss,
            classes: self.classes.as_ref().map(|c| c.names.to_vec()),
            present: self.classes.map_or_else(Vec::new, |c| c.present),
            line,
            stands,
            n_iter: certificate.iterations,
            certificate: Some(certificate),
            trace,
        };
        Ok((model, records))
    }
}

/// The evidence of all problems together.
fn certificate(solved: &[(SgdResult, SgdObjective)], plan: &SgdOptions, is_stable: bool, notes: Vec<String>) -> Certificate {
    let finished = |(o, _): &(SgdResult, SgdObjective)| match o.end {
        SgdStop::Converged | SgdStop::Separated => true,
        SgdStop::Epochs => plan.tol.is_none() && !plan.until_separated,
        SgdStop::Deadline | SgdStop::Diverged { .. } => false,
    };
    let residuals: Option<Vec<f64>> = solved.iter().map(|s| s.1.residual).collect();
    let objective = solved.iter().map(|s| s.1.objective).sum::<f64>();
    Certificate {
        method: "sgd".into(),
        objective: objective.is_finite().then_some(objective),
        kkt_residual: residuals.map(|r| r.into_iter().fold(0.0, f64::max)),
        iterations: solved.iter().map(|s| s.0.epochs.len() as u64).max().unwrap_or(0),
        converged: is_stable && solved.iter().all(finished),
        notes,
        ..Certificate::default()
    }
}

impl BinaryProblems<'_> {
    /// Whether steps of the least-mean-squares rule are short enough to be stable in the mean, with a note.
    fn stability(&self, rows: &impl SgdRows, numbers: &[f64], plan: &SgdOptions) -> (bool, String) {
        let labels = self.labels(0, numbers);
        let task = SgdProblem { rows, labels, weight: self.data.weight, train: &self.train, score: None, seed: 0 };
        let bound = 2.0 / largest_eigenvalue(&task, self.data.cols(), self.sgd.fit_intercept);
        let is_stable = plan.schedule.eta0 < bound;
        let note = format!(
            "least mean squares: the step {:e} is {} the bound 2/lambda_max = {bound:e} of stability in the mean{}",
            plan.schedule.eta0,
            if is_stable { "below" } else { "not below" },
            if is_stable { "" } else { "; lower eta0 or standardize the columns" },
        );
        (is_stable, note)
    }

    /// The target scores of the rows of problem `k`.
    fn labels<'b>(&'b self, k: usize, numbers: &'b [f64]) -> SgdLabels<'b> {
        match &self.classes {
            None => SgdLabels::Numbers(numbers),
            Some(c) => {
                let two = c.present.len() == 2;
                let positive = c.present[if two { 1 } else { k }];
                // Of two classes both factors count; of a class against the rest only its own.
                let negative = if two { c.factors[c.present[0] as usize] } else { 1.0 };
                SgdLabels::Class { codes: c.codes, positive, factors: [negative, c.factors[positive as usize]] }
            }
        }
    }

    /// The first step: the given one, or one that overshoots no row.
    fn first_step(&self, rows: &impl SgdRows) -> f64 {
        if let Some(eta0) = self.sgd.eta0 {
            return eta0;
        }
        // The largest curvature of the loss by the score.
        let curvature = match self.sgd.row_loss() {
            RowLoss::Squared | RowLoss::Huber { .. } | RowLoss::Exponential => 1.0,
            RowLoss::Logistic => 0.25,
            RowLoss::SquaredHinge | RowLoss::ModifiedHuber | RowLoss::SquaredEpsilonInsensitive { .. } => 2.0,
            _ => return FIRST_STEP,
        };
        let one = f64::from(u8::from(self.sgd.fit_intercept));
        let longest = self.train.iter().map(|&i| rows.square(i as usize) + one).fold(0.0, f64::max);
        if longest > 0.0 { FIRST_STEP.min(1.0 / (curvature * longest)).max(f64::MIN_POSITIVE) } else { FIRST_STEP }
    }

    /// The score of weights on the rows set aside, or on the validation set of the context: accuracy, or r2.
    fn holdout_score(&self, rows: &impl SgdRows, labels: &SgdLabels<'_>, k: usize, coef: &[f64], intercept: f64) -> Result<f64> {
        struct HoldoutScore<'a> {
            which: &'a [u32],
            labels: SgdLabels<'a>,
            weight: Option<&'a [f64]>,
            coef: &'a [f64],
            intercept: f64,
        }
        impl RowVisitor for HoldoutScore<'_> {
            type Out = f64;
            fn visit(self, rows: &impl SgdRows) -> Result<f64> {
                let weight = |i: usize| self.weight.map_or(1.0, |w| w[i]);
                let each = self.which.iter().map(|&i| {
                    let i = i as usize;
                    (self.labels.of(i).0, weight(i), rows.dot(i, self.coef) + self.intercept)
                });
                if matches!(self.labels, SgdLabels::Class { .. }) {
                    let (right, all) = each.fold((0.0, 0.0), |(r, a), (y, w, z)| {
                        let correct = (z > 0.0) == (y > 0.0);
                        (r + w * f64::from(u8::from(correct)), a + w)
                    });
                    return Ok(right / all);
                }
                let (sum, all) = each.clone().fold((0.0, 0.0), |(s, a), (y, w, _)| (s + w * y, a + w));
                let mean = sum / all;
                let (rss, tss) = each.fold((0.0, 0.0), |(r, t), (y, w, z)| (r + w * (y - z).powi(2), t + w * (y - mean).powi(2)));
                Ok(if tss > 0.0 { 1.0 - rss / tss } else { f64::from(u8::from(rss == 0.0)) })
            }
        }
        let Some(other) = self.cx.validation else {
            let score = HoldoutScore { which: &self.holdout, labels: *labels, weight: self.data.weight, coef, intercept };
            return score.visit(rows);
        };
        other.x.expect_cols(coef.len())?;
        let which: Vec<u32> = (0..other.rows() as u32).collect();
        let numbers: Vec<f64>;
        let labels = match (&self.classes, other.y) {
            (Some(c), Target::Class { codes, names }) => {
                if names != c.names {
                    return Err(Error::Target("the validation set has other classes than the rows to learn from".into()));
                }
                let positive = c.present[if c.present.len() == 2 { 1 } else { k }];
                SgdLabels::Class { codes, positive, factors: [1.0, 1.0] }
            }
            (None, y) => {
                let y = y.reals()?;
                numbers = (0..y.rows()).map(|i| *y.at(i, 0)).collect();
                SgdLabels::Numbers(&numbers)
            }
            _ => return Err(Error::Target("the validation set has no classes".into())),
        };
        with_rows(&other.x, self.fit.spec.name, HoldoutScore { which: &which, labels, weight: other.weight, coef, intercept })
    }

    /// A cell that is not finite is named as such; what overflowed because of it is not the cause.
    fn name_cell(&self, error: Error) -> Error {
        match error {
            Error::Data(_) => self.data.x.refuse_non_finite(self.data.schema).err().unwrap_or(error),
            other => other,
        }
    }

    fn notes(&self, solved: &[(SgdResult, SgdObjective)], plan: &SgdOptions) -> Vec<String> {
        let of = |k: usize| match &self.classes {
            Some(c) if solved.len() > 1 => format!("class \"{}\": ", c.names[c.present[k] as usize]),
            _ => String::new(),
        };
        let mut notes = Vec::new();
        for (k, (outcome, _)) in solved.iter().enumerate() {
            match outcome.end {
                SgdStop::Diverged { epoch, step } => notes.push(format!(
                    "{}the steps diverged in epoch {epoch} (step {step:e}); the weights are those of the best epoch before. \
                     Standardize the columns or lower eta0",
                    of(k)
                )),
                SgdStop::Deadline => {
                    notes.push(format!("{}ended at the time limit in epoch {}", of(k), outcome.epochs.len() + 1))
                }
                SgdStop::Epochs if plan.tol.is_some() => {
                    notes.push(format!("{}still improving after {} epochs", of(k), outcome.epochs.len()));
                }
                _ => {}
            }
        }
        notes
    }
}

/// The weights that predict.
fn prediction_weights(stand: &SgdState) -> (&[f64], f64) {
    match &stand.average {
        Some((coef, intercept, _)) => (coef, *intercept),
        None => (&stand.coef, stand.intercept),
    }
}

/// One row per epoch, which is an iteration, summed over the problems; one that ended earlier stays as it ended.
fn trace(courses: &[&[Epoch]]) -> Trace {
    let judged = courses.iter().any(|c| c.iter().any(|e| e.score.is_some()));
    let mut columns = vec!["iteration", "objective", "loss", "step", "mistakes", "seconds"];
    if judged {
        columns.push("score");
    }
    let mut out = Trace::new(&columns);
    for k in 0..courses.iter().map(|c| c.len()).max().unwrap_or(0) {
        let now: Vec<&Epoch> = courses.iter().filter_map(|c| c.get(k).or(c.last())).collect();
        let sum = |f: fn(&Epoch) -> f64| now.iter().map(|e| f(e)).sum::<f64>();
        let running = courses.iter().find_map(|c| c.get(k));
        let step = running.map_or(0.0, |e| e.step);
        let seconds = now.iter().map(|e| e.seconds).fold(0.0, f64::max);
        let mistakes = courses.iter().filter_map(|c| c.get(k)).map(|e| e.mistakes as f64).sum();
        let mut row = vec![(k + 1) as f64, sum(|e| e.objective), sum(|e| e.loss), step, mistakes, seconds];
        if judged {
            row.push(sum(|e| e.score.unwrap_or(0.0)) / now.len() as f64);
        }
        out.push(&row);
    }
    out
}
