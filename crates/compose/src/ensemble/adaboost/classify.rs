//! AdaBoost for classification.

use ermine_core::{Certificate, Context, DatasetRef, Error, Mat, Model, Progress, Result, Task, Trace, argmax_rows};
use ermine_tree::stump_boosting::{IntegerWeights, Stump, StumpColumns, StumpCriterion, StumpList, VoteSums, correct_all};

use super::model::{AdaBoostModel, WeakModels, confidences};
use super::{AdaBoost, train};
use crate::ensemble::member;
use crate::pipeline::PipelineStep;

/// A vote whose last update was below this is no longer updated by totally corrective boosting.
const TOLERANCE: f64 = 1e-6;
/// Sweeps over the votes after each round.
const SWEEPS: usize = 100;

/// Makes a learner for the weights of a round.
enum WeakLearner<'a> {
    Stumps(StumpColumns, StumpCriterion),
    Base(PipelineStep, &'a DatasetRef<'a>),
}

/// The learner fitted in a round.
enum WeakModel {
    Stump(Stump),
    Model(Box<dyn Model>),
}

/// The rows that take part.
struct TrainingRows<'a> {
    /// Their numbers in the data.
    kept: Vec<usize>,
    truth: Vec<u32>,
    sample_weight: Option<Vec<f64>>,
    classes: usize,
    names: &'a [String],
}

pub(super) fn fit(
    learner: &AdaBoost,
    data: &DatasetRef<'_>,
    codes: &[u32],
    names: &[String],
    cx: &Context<'_>,
) -> Result<AdaBoostModel> {
    let kept = member::rows_with_weight(data);
    let rows = TrainingRows {
        truth: kept.iter().map(|&i| codes[i]).collect(),
        sample_weight: data.weight.map(|w| kept.iter().map(|&i| w[i]).collect()),
        classes: names.len(),
        names,
        kept,
    };
    let real = learner.algorithm == "real";
    let weak = match &learner.base {
        Some(base) => WeakLearner::Base(member::with_preparation(base, learner.prepare), data),
        None => {
            let criterion = match learner.stump_criterion.as_str() {
                "error" => StumpCriterion::Error,
                "z" => StumpCriterion::Z,
                "auto" if real => StumpCriterion::Z,
                _ => StumpCriterion::Gini,
            };
            WeakLearner::Stumps(StumpColumns::new(&data.x, data.schema, &rows.kept, cx)?, criterion)
        }
    };
    let boosting = AdaBoostState::new(learner, &rows, real);
    boosting.run(weak, data.cols(), cx)
}

/// The state between rounds.
struct AdaBoostState<'a> {
    learner: &'a AdaBoost,
    rows: &'a TrainingRows<'a>,
    real: bool,
    /// Added to class shares before their logarithms are taken.
    smooth: f64,
    /// Logarithm of the factor by which the weight of each row has grown.
    logs: Vec<f64>,
    votes: VoteSums,
    made: Vec<WeakModel>,
    vote: Vec<f64>,
    error: Vec<f64>,
    /// The classes that each learner predicts for each row, where they are needed again.
    predicted: Vec<Vec<u32>>,
    trace: Trace,
}

impl<'a> AdaBoostState<'a> {
    fn new(learner: &'a AdaBoost, rows: &'a TrainingRows<'a>, real: bool) -> Self {
        let n = rows.kept.len();
        Self {
            learner,
            rows,
            real,
            smooth: smoothing(rows),
            logs: vec![0.0; n],
            votes: VoteSums::new(n, rows.classes),
            made: Vec::new(),
            vote: Vec::new(),
            error: Vec::new(),
            predicted: Vec::new(),
            trace: Trace::new(&["round", "learners", "error", "vote", "train_error", "bound"]),
        }
    }

    fn run(mut self, weak: WeakLearner<'_>, n_features: usize, cx: &Context<'_>) -> Result<AdaBoostModel> {
        let wanted = self.learner.n_estimators as usize;
        let float = self.learner.variant == "float";
        // Removed learners are replaced, but not endlessly.
        let rounds = if float { wanted.saturating_mul(2) } else { wanted };
        let mut notes = Vec::new();
        let mut converged = true;
        // The least training error so far with each number of learners.
        let mut least = vec![f64::INFINITY; wanted.saturating_add(2).min(1 << 20)];
        for round in 0..rounds {
            cx.report(Progress { stage: "boosting", done: round as u64, total: Some(rounds as u64), objective: None })?;
            if cx.deadline_passed() {
                if self.made.is_empty() {
                    return Err(Error::Deadline("boosting".into()));
                }
                notes.push(format!("the time limit passed after {round} rounds"));
                converged = false;
                break;
            }
            let go_on = match self.round(&weak, round, cx) {
                Err(Error::Deadline(_)) if !self.made.is_empty() => {
                    notes.push(format!("the time limit passed in round {}", round + 1));
                    converged = false;
                    false
                }
                other => other?,
            };
            match self.learner.variant.as_str() {
                "float" => self.float(&mut least),
                "totally_corrective" => self.correct(),
                _ => {}
            }
            self.record(round);
            if !go_on || float && self.made.len() >= wanted {
                break;
            }
        }
        self.finish(weak, n_features, notes, converged)
    }

    /// Adds a learner; false when boosting ends.
    fn round(&mut self, weak: &WeakLearner<'_>, round: usize, cx: &Context<'_>) -> Result<bool> {
        let rows = self.rows;
        let (n, k) = (rows.kept.len(), rows.classes);
        let steps = IntegerWeights::new(rows.sample_weight.as_deref(), &self.logs);
        // Class shares of each row, or of each side of a stump.
        let (made, shares, side): (WeakModel, Mat<f64>, Option<Vec<bool>>) = match weak {
            WeakLearner::Stumps(stumps, criterion) => {
                let best_stump = stumps.best(&rows.truth, k, &steps, *criterion);
                let both: Vec<f64> = best_stump.stump.left.iter().chain(&best_stump.stump.right).copied().collect();
                (WeakModel::Stump(best_stump.stump), Mat::from_vec(2, k, both), Some(best_stump.goes_left))
            }
            WeakLearner::Base(stage, data) => {
                // Scaled to the total weight of the rows, so that penalties and minimum weights keep their meaning.
                let sum = rows.sample_weight.as_ref().map_or(n as f64, |w| w.iter().sum());
                let mut weight = vec![0.0; data.rows()];
                rows.kept.iter().zip(steps.weights(sum)).for_each(|(&i, w)| weight[i] = w);
                let model = train(stage, data, &weight, round, cx)?;
                let c = model.as_classifier().ok_or_else(|| Error::Data("the base does not classify".into()))?;
                let p = c.proba(&data.x)?;
                let p = p.view().take_rows(&rows.kept);
                (WeakModel::Model(model), p, None)
            }
        };
        let row = |i: usize| side.as_ref().map_or(i, |s| usize::from(!s[i]));
        let best = argmax_rows(shares.view());
        let predicted: Vec<u32> = (0..n).map(|i| best[row(i)]).collect();
        let error = steps.share(|i| predicted[i] != rows.truth[i]);
        let chance = 1.0 - 1.0 / k as f64;
        if error <= 0.0 {
            // A learner without error needs no other; with others it outvotes them.
            self.add(made, &predicted, 1.0_f64.max(self.vote.iter().sum::<f64>() + 1.0), 0.0, &shares, &row);
            return Ok(false);
        }
        if !self.real && error >= chance * (1.0 - 1e-12) {
            if !self.made.is_empty() {
                return Ok(false);
            }
            return Err(Error::Data(format!(
                "the base learner in the ensemble is worse than random, so that the ensemble cannot be fit: its weighted \
                 error is {error:.4} among {k} classes"
            )));
        }
        let rate = self.learner.learning_rate;
        if self.real {
            let before = self.votes.exponential_loss(&rows.truth, rows.sample_weight.as_deref());
            let scores = confidences(&shares, self.smooth);
            for i in 0..n {
                self.logs[i] -= rate * scores[(row(i), rows.truth[i] as usize)] / (k as f64 - 1.0);
            }
            self.add(made, &predicted, rate, error, &shares, &row);
            let after = self.votes.exponential_loss(&rows.truth, rows.sample_weight.as_deref());
            // A learner that predicts the same as before would be found in every further round.
            return Ok(!matches!((before, after), (Some(b), Some(a)) if a >= b * (1.0 - 1e-12)));
        }
        let vote = rate * (((1.0 - error) / error).ln() + (k as f64 - 1.0).ln());
        for (i, log) in self.logs.iter_mut().enumerate() {
            if predicted[i] != rows.truth[i] {
                *log += vote;
            }
        }
        self.add(made, &predicted, vote, error, &shares, &row);
        Ok(true)
    }

    fn add(
        &mut self,
        made: WeakModel,
        predicted: &[u32],
        vote: f64,
        error: f64,
        shares: &Mat<f64>,
        row: &dyn Fn(usize) -> usize,
    ) {
        if self.real {
            let scores = confidences(shares, self.smooth);
            self.votes.add_scores(|i, k| vote * scores[(row(i), k)]);
        } else {
            self.votes.add(predicted, vote);
        }
        if self.learner.variant != "plain" {
            self.predicted.push(predicted.to_vec());
        }
        self.made.push(made);
        self.vote.push(vote);
        self.error.push(error);
    }

    fn record(&mut self, round: usize) {
        let sample_weight = self.rows.sample_weight.as_deref();
        let train = self.votes.error(&self.rows.truth, sample_weight);
        let bound = self.votes.exponential_loss(&self.rows.truth, sample_weight).unwrap_or(f64::NAN);
        let (error, vote) = (self.error.last().copied().unwrap_or(f64::NAN), self.vote.last().copied().unwrap_or(f64::NAN));
        self.trace.push(&[(round + 1) as f64, self.made.len() as f64, error, vote, train, bound]);
    }

    /// FloatBoost: removes learners as long as that gives the least error so far with so many learners.
    fn float(&mut self, least: &mut [f64]) {
        let sample_weight = self.rows.sample_weight.as_deref();
        let here = self.made.len().min(least.len() - 1);
        least[here] = least[here].min(self.votes.error(&self.rows.truth, sample_weight));
        while self.made.len() > 2 {
            let size = self.made.len();
            // The newest is kept: it was fitted to the weights that the others have left.
            let candidate = self.votes.least_useful(&self.predicted[..size - 1], &self.vote, &self.rows.truth, sample_weight);
            let Some((gone, error)) = candidate else { return };
            if error >= least[(size - 1).min(least.len() - 1)] {
                return;
            }
            let at = (size - 1).min(least.len() - 1);
            least[at] = error;
            let (predicted, vote) = (self.predicted.remove(gone), self.vote.remove(gone));
            self.made.remove(gone);
            self.error.remove(gone);
            self.votes.add(&predicted, -vote);
            for (i, log) in self.logs.iter_mut().enumerate() {
                if predicted[i] != self.rows.truth[i] {
                    *log -= vote;
                }
            }
        }
    }

    /// Totally corrective boosting: optimizes all votes together.
    fn correct(&mut self) {
        let wrong: Vec<Vec<bool>> = self
            .predicted
            .iter()
            .map(|predicted| predicted.iter().zip(&self.rows.truth).map(|(s, t)| s != t).collect())
            .collect();
        correct_all(&wrong, &mut self.vote, self.rows.sample_weight.as_deref(), self.rows.classes, TOLERANCE, SWEEPS);
        self.votes = VoteSums::new(self.rows.kept.len(), self.rows.classes);
        self.logs.fill(0.0);
        for ((predicted, wrong), &vote) in self.predicted.iter().zip(&wrong).zip(&self.vote) {
            self.votes.add(predicted, vote);
            self.logs.iter_mut().zip(wrong).filter(|(_, w)| **w).for_each(|(log, _)| *log += vote);
        }
    }

    fn finish(self, weak: WeakLearner<'_>, n_features: usize, mut notes: Vec<String>, converged: bool) -> Result<AdaBoostModel> {
        let all: f64 = if self.real {
            // The largest score that a row could have: margins of real votes are fractions of it.
            (0..self.rows.kept.len()).map(|i| self.votes.row(i).iter().map(|v| v.abs()).fold(0.0, f64::max)).fold(0.0, f64::max)
                * 2.0
        } else {
            self.vote.iter().sum()
        };
        let mut margins = self.votes.margins(&self.rows.truth, all);
        ermine_core::order::sort_numbers(&mut margins);
        let last = margins.len() - 1;
        let margins: Vec<f64> = (0..=100).map(|q| margins[(q * last).div_ceil(100).min(last)]).collect();
        let (mut stumps, mut models) = (Vec::new(), Vec::new());
        let (mut vote, mut error) = (Vec::new(), Vec::new());
        for ((made, v), e) in self.made.into_iter().zip(self.vote).zip(self.error) {
            // A totally corrective round gives useless learners a vote of 0.
            if v == 0.0 {
                continue;
            }
            vote.push(v);
            error.push(e);
            match made {
                WeakModel::Stump(s) => stumps.push(s),
                WeakModel::Model(m) => models.push(m),
            }
        }
        if vote.is_empty() {
            return Err(Error::Data("no learner got a vote; the columns say nothing of the classes".into()));
        }
        let learners = match weak {
            WeakLearner::Stumps(s, _) => WeakModels::Stumps(StumpList { stumps, categories: s.categories() }),
            WeakLearner::Base(stage, _) => WeakModels::Models(stage, models),
        };
        if self.rows.classes > 2 {
            notes.push("the bound on the training error is known for two classes only".into());
        }
        let certificate = Certificate {
            method: format!("{} {}", self.learner.algorithm, self.learner.variant),
            objective: self.votes.exponential_loss(&self.rows.truth, self.rows.sample_weight.as_deref()),
            iterations: self.trace.rows.len() as u64,
            converged,
            notes,
            ..Certificate::default()
        };
        Ok(AdaBoostModel {
            task: Task::Classification,
            classes: self.rows.names.to_vec(),
            n_features,
            real: self.real,
            smooth: self.smooth,
            learners,
            vote,
            error,
            margins,
            trace: self.trace,
            certificate,
        })
    }
}

/// Added to each share so that no confidence is infinite (Schapire and Singer 1999, section 4.2): half a row, where the
/// weight of a row says how often it occurs.
fn smoothing(rows: &TrainingRows<'_>) -> f64 {
    let count = rows.kept.len() as f64;
    0.5 / rows.sample_weight.as_ref().map_or(count, |w| w.iter().sum::<f64>().max(count))
}
