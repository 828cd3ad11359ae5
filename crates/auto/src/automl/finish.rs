//! The choice, and the model that is kept.

use std::time::{Duration, Instant};

use ermine_compose::baseline::Baseline;
use ermine_compose::ensemble::{TrainedMember, VotingModel};
use ermine_core::{AnyLearner, Context, Error, Mat, MatRef, Model, OwnedTarget, Result, Target, argmax_rows};
use ermine_eval::metrics;
use ermine_eval::model_selection::{CvSplits, FoldScore};

use super::fit::standing;
use super::select::{TestRows, nested_predictions, weights};
use super::{AutoEntry, AutoOutcome, AutoRun};
use crate::ContestantScores;

/// The name of the ensemble on the leaderboard.
const ENSEMBLE: &str = "ensemble";

/// What was chosen: the weight of each candidate.
struct Choice {
    weights: Vec<f64>,
    /// The scores of the ensemble, where it was chosen or not.
    ensemble: Option<ContestantScores>,
    is_ensemble: bool,
}

impl AutoRun<'_> {
    pub fn finish(mut self, splits: CvSplits, deadline: Option<Instant>) -> Result<AutoOutcome> {
        let complete: Vec<usize> = (0..self.results.len()).filter(|&c| !self.results[c].folds.is_empty()).collect();
        if complete.is_empty() {
            return self.best_of_samples(splits);
        }
        let choice = self.choose(&complete, &splits)?;
        self.note_cuts(&complete, splits.len());
        let (learner, model) = self.train_choice(&choice, &splits, deadline)?;
        let mut entries = self.entries(&choice, &complete);
        self.sort(&mut entries, &choice);
        Ok(AutoOutcome { splits, entries, learner, model, notes: self.notes })
    }

    /// Says which candidates would have gone on.
    fn note_cuts(&mut self, complete: &[usize], rounds: usize) {
        let cut = |&c: &usize| {
            let cut = self.results[c].folds.iter().filter(|f| f.cut).count();
            let name = &self.auto.candidates[c].name;
            (cut > 0)
                .then(|| format!("{name} was cut short in {cut} of {rounds} rounds, its time used up; it kept its best round"))
        };
        let notes: Vec<String> = complete.iter().filter_map(cut).collect();
        self.notes.extend(notes);
    }

    /// All test rows in the order of the rounds.
    fn test_rows(&self, splits: &CvSplits) -> TestRows {
        let mut rows = Vec::new();
        let mut offsets = vec![0];
        for r in 0..splits.len() {
            rows.extend(splits.round(r).1);
            offsets.push(rows.len());
        }
        let weight = self.data.weight.map(|w| rows.iter().map(|&i| w[i]).collect());
        TestRows { y: self.data.y.take_rows(&rows), weight, offsets }
    }

    /// Chooses the best candidate or an ensemble of candidates.
    fn choose(&self, complete: &[usize], splits: &CvSplits) -> Result<Choice> {
        let of = self.test_rows(splits);
        let all: Vec<Mat<f64>> = complete.iter().map(|&c| joined_predictions(&self.results[c].folds)).collect();
        let loss = |p: MatRef<'_, f64>| self.criterion.loss(self.criterion.project(p, &of.y).view(), &of.y, of.weight.as_deref());
        let alone: Vec<f64> = all.iter().map(|p| loss(p.view())).collect();
        let quick =
            |at: usize| self.auto.predict_seconds.is_none_or(|most| self.predict_seconds_of(complete[at], splits) <= most);
        let best = (0..complete.len()).filter(|&at| quick(at)).min_by(|&a, &b| alone[a].total_cmp(&alone[b]));
        // Where no candidate is quick enough, the quickest is kept.
        let best = best.or_else(|| {
            let seconds = |at: &usize| self.predict_seconds_of(complete[*at], splits);
            (0..complete.len()).min_by(|a, b| seconds(a).total_cmp(&seconds(b)))
        });
        let Some(best) = best else { return Err(Error::Data("no candidate was fitted".into())) };
        let mut single = vec![0.0; self.results.len()];
        single[complete[best]] = 1.0;
        let may: Vec<usize> = (0..complete.len()).filter(|&at| alone[at].is_finite() && quick(at)).collect();
        if self.auto.single || may.len() < 2 {
            return Ok(Choice { weights: single, ensemble: None, is_ensemble: false });
        }
        let views: Vec<MatRef<'_, f64>> = may.iter().map(|&at| all[at].view()).collect();
        let mut chosen = vec![0.0; self.results.len()];
        weights(&self.criterion, &views, &of).into_iter().zip(&may).for_each(|(w, &at)| chosen[complete[at]] = w);
        let members: Vec<usize> = (0..chosen.len()).filter(|&c| chosen[c] > 0.0).collect();
        let honest = nested_predictions(&self.criterion, &views, &of);
        let within = self
            .auto
            .predict_seconds
            .is_none_or(|most| members.iter().map(|&c| self.predict_seconds_of(c, splits)).sum::<f64>() <= most);
        let better = within && members.len() > 1 && loss(honest.view()) <= alone[best];
        let ensemble = self.ensemble_scores(&honest, &of, &members)?;
        Ok(Choice { weights: if better { chosen } else { single }, ensemble: Some(ensemble), is_ensemble: better })
    }

    /// Seconds that a candidate needs to predict a row; all models of the folds take part in a prediction.
    fn predict_seconds_of(&self, c: usize, splits: &CvSplits) -> f64 {
        let folds = &self.results[c].folds;
        let seconds: f64 = folds.iter().map(|f| f.score.predict_seconds / f.score.predicted.max(1) as f64).sum();
        if is_bag(splits) { seconds } else { seconds / folds.len().max(1) as f64 }
    }

    /// The scores of the ensemble, round by round, from predictions with weights chosen elsewhere.
    fn ensemble_scores(&self, honest: &Mat<f64>, of: &TestRows, members: &[usize]) -> Result<ContestantScores> {
        let mut rounds = Vec::new();
        for r in 0..of.offsets.len() - 1 {
            let rows: Vec<usize> = (of.offsets[r]..of.offsets[r + 1]).collect();
            let y = of.y.view().take_rows(&rows);
            let weight: Option<Vec<f64>> = of.weight.as_ref().map(|w| rows.iter().map(|&i| w[i]).collect());
            let part = honest.view().take_rows(&rows);
            let metrics = match &y {
                OwnedTarget::Class { codes, .. } => {
                    metrics::of_classes(codes, part.view(), &argmax_rows(part.view()), weight.as_deref())?
                }
                _ => metrics::of_numbers(y.view().reals()?, part.view(), weight.as_deref(), &|y, p| (y - p) * (y - p)),
            };
            let sum = |f: fn(&FoldScore) -> f64| members.iter().map(|&c| f(&self.results[c].folds[r].score)).sum();
            rounds.push(Some(FoldScore {
                metrics,
                fit_seconds: sum(|s| s.fit_seconds),
                predict_seconds: sum(|s| s.predict_seconds),
                predicted: rows.len(),
            }));
        }
        Ok(ContestantScores { rounds, ..ContestantScores::default() })
    }

    /// The model: of an ensemble those of all rounds together, where each has seen nearly all rows; else fitted to all rows
    /// where there is time.
    fn train_choice(
        &mut self,
        choice: &Choice,
        splits: &CvSplits,
        deadline: Option<Instant>,
    ) -> Result<(Box<dyn AnyLearner>, Box<dyn Model>)> {
        let members: Vec<usize> = (0..choice.weights.len()).filter(|&c| choice.weights[c] > 0.0).collect();
        let bag = is_bag(splits) && choice.is_ensemble;
        if !bag && let Some(models) = self.refit(&members, splits, deadline)? {
            return self.assembled(&members, &choice.weights, models.into_iter().map(|m| vec![m]).collect());
        }
        let whole = if is_bag(splits) { splits.len() } else { 1 };
        let mut bags = Vec::new();
        for &c in &members {
            let of = &mut self.results[c];
            let (mut kept, scores): (Vec<_>, Vec<_>) =
                std::mem::take(&mut of.folds).into_iter().map(|f| (f.model, f.score)).unzip();
            of.scores = scores;
            // Of rounds in time the last has seen most rows.
            let first = kept.len() - whole;
            bags.push(kept.split_off(first));
        }
        if !bag && deadline.is_some() {
            self.notes.push("no time was left to fit the model to all rows; it is the one of the training rows".into());
        }
        self.assembled(&members, &choice.weights, bags)
    }

    /// Fits the members to all rows, if they can end in time.
    fn refit(&self, members: &[usize], splits: &CvSplits, deadline: Option<Instant>) -> Result<Option<Vec<Box<dyn Model>>>> {
        let train = splits.round(0).0.len().max(1);
        let factor = 1.3 * self.rows() as f64 / train as f64;
        let slowest = |c: usize| self.results[c].folds.iter().map(|f| f.score.fit_seconds).fold(0.0, f64::max);
        let needed: f64 = members.iter().map(|&c| factor * slowest(c)).sum();
        let left = deadline.map_or(f64::INFINITY, |d| d.saturating_duration_since(Instant::now()).as_secs_f64());
        if needed > left {
            return Ok(None);
        }
        let mut models = Vec::new();
        for &c in members {
            let folds = &self.results[c].folds;
            let rounds = folds.iter().filter_map(|f| f.model.certificate().map(|c| c.iterations));
            let mean = rounds.sum::<u64>() as f64 / folds.len() as f64;
            let learner = self.auto.candidates[c].final_learner(Some(mean.round() as u64), self.results[c].rate);
            // A fit that takes much longer than it should is not waited for.
            let hard = deadline.map(|d| d + Duration::from_secs_f64(0.02 * self.total.unwrap_or(0.0)));
            match learner.fit_any(self.data, &Context { seed: self.seed(c, 0), deadline: hard, ..self.cx }) {
                Ok(model) if hard.is_none_or(|h| Instant::now() < h) => models.push(model),
                Ok(_) | Err(Error::Deadline(_)) => return Ok(None),
                Err(other) => return Err(other),
            }
        }
        Ok(Some(models))
    }

    /// One model, or the vote of several.
    fn assembled(
        &self,
        members: &[usize],
        weights: &[f64],
        models: Vec<Vec<Box<dyn Model>>>,
    ) -> Result<(Box<dyn AnyLearner>, Box<dyn Model>)> {
        let mut models = models;
        if let ([c], [only]) = (members, &mut models[..])
            && only.len() == 1
            && let Some(model) = only.pop()
        {
            let rounds = model.certificate().map(|c| c.iterations);
            return Ok((self.auto.candidates[*c].final_learner(rounds, self.results[*c].rate), model));
        }
        let member = |(&c, models): (&usize, Vec<Box<dyn Model>>)| {
            let rounds: Vec<u64> = models.iter().filter_map(|m| m.certificate().map(|c| c.iterations)).collect();
            let mean = rounds.iter().sum::<u64>().checked_div(rounds.len() as u64);
            let candidate = &self.auto.candidates[c];
            TrainedMember {
                name: candidate.name.clone(),
                learner: candidate.final_learner(mean, self.results[c].rate),
                models,
                weight: weights[c],
            }
        };
        let members: Vec<TrainedMember> = members.iter().zip(models).map(member).collect();
        let classes = match self.data.y {
            Target::Class { names, .. } => names,
            _ => &[],
        };
        let (voting, model) = VotingModel::of_trained(self.task, classes, members)?;
        Ok((Box::new(voting), Box::new(model)))
    }

    fn entries(&self, choice: &Choice, complete: &[usize]) -> Vec<AutoEntry> {
        let mut entries: Vec<AutoEntry> = Vec::new();
        for (c, candidate) in self.auto.candidates.iter().enumerate() {
            let of = &self.results[c];
            if !candidate.suits(self.rows(), self.data.cols()) {
                continue;
            }
            let mut scores = standing(of);
            if scores.rounds.is_empty() && complete.contains(&c) {
                scores.rounds = of.scores.iter().cloned().map(Some).collect();
            }
            entries.push(AutoEntry {
                name: candidate.name.clone(),
                learner: candidate.final_learner(None, None),
                standing: scores,
                weight: choice.weights.get(c).copied().unwrap_or(0.0),
                cut: of.cut.clone(),
            });
        }
        if let Some(scores) = &choice.ensemble {
            entries.push(AutoEntry {
                name: ENSEMBLE.into(),
                learner: Box::new(ermine_compose::ensemble::Voting::default()),
                standing: scores.clone(),
                weight: if choice.is_ensemble { 1.0 } else { 0.0 },
                cut: None,
            });
        }
        entries
    }

    /// The kept one first, then by the metric, then those that were cut.
    fn sort(&self, entries: &mut [AutoEntry], choice: &Choice) {
        let higher = matches!(metrics::direction(self.auto.metric), Ok(metrics::Direction::Higher));
        let kept = |e: &AutoEntry| e.weight > 0.0 && (e.name == ENSEMBLE) == choice.is_ensemble;
        entries.sort_by(|a, b| {
            let (x, y) = (a.standing.scores(self.auto.metric).mean, b.standing.scores(self.auto.metric).mean);
            let order = if higher { y.total_cmp(&x) } else { x.total_cmp(&y) };
            kept(b).cmp(&kept(a)).then(x.is_nan().cmp(&y.is_nan())).then(order)
        });
    }

    /// Where no candidate has ended its rounds, the best on a sample; else the baseline.
    fn best_of_samples(mut self, splits: CvSplits) -> Result<AutoOutcome> {
        let measured = |c: &usize| self.results[*c].sample.as_ref().map(|s| (s.0, s.1)).filter(|s| s.1.is_finite());
        // A larger sample says more.
        let best = (0..self.results.len()).filter(|c| measured(c).is_some()).min_by(|a, b| {
            let (x, y) = (measured(a).unwrap_or_default(), measured(b).unwrap_or_default());
            y.0.cmp(&x.0).then(x.1.total_cmp(&y.1))
        });
        let none = Choice { weights: vec![0.0; self.results.len()], ensemble: None, is_ensemble: false };
        let mut entries = self.entries(&none, &[]);
        let Some(best) = best else {
            if let Some(why) = self.results.iter().find_map(|r| r.failed.clone()) {
                return Err(Error::Data(format!("no model could be fitted: {why}")));
            }
            let learner = Baseline::default();
            let model = learner.fit_any(self.data, &Context { seed: self.cx.seed, ..Context::default() })?;
            self.notes.push("the time was too short for any model; what is kept is the baseline".into());
            return Ok(AutoOutcome { splits, entries, learner: Box::new(learner), model, notes: self.notes });
        };
        let (rows, _, fit) = self.results[best].sample.take().expect("it was measured");
        let name = self.auto.candidates[best].name.clone();
        self.notes.push(format!(
            "the time was too short to judge models on all rows; what is kept is {name}, the best of those that were fitted to a \
             sample of {rows} rows"
        ));
        if let Some(at) = entries.iter().position(|e| e.name == name) {
            entries[at].weight = 1.0;
            entries.swap(0, at);
        }
        let learner = self.auto.candidates[best].quick();
        Ok(AutoOutcome { splits, entries, learner, model: fit.model, notes: self.notes })
    }
}

/// Whether the models of all rounds may predict together: each has seen all rows but those of a fold.
fn is_bag(splits: &CvSplits) -> bool {
    matches!(splits, CvSplits::Folds(_))
}

/// The predictions of all rounds, one after the other.
fn joined_predictions(folds: &[super::FoldFit]) -> Mat<f64> {
    let mut all = folds[0].predictions().clone();
    folds[1..].iter().for_each(|f| all.append_rows(f.predictions().clone()));
    all
}
