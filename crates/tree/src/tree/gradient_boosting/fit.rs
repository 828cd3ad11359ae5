//! The rounds.

use std::sync::atomic::{AtomicBool, AtomicU64};

use ermine_core::{Certificate, Context, DatasetRef, Error, Learner, Mat, MatRef, Progress, Result, RngStream, Target};

use super::super::criterion::{Means, QuantizedWeights, Squared};
use super::super::ensemble::{TreeNode, Trees, nodes_of};
use super::super::grow::{self, GrowContext, GrowOptions};
use super::super::prune;
use super::super::sorted::{LEFT_OUT, RowSubset, SortedColumns, SortedEntry, TreeColumns};
use super::GradientBoosting;
use super::loss::{BoostingLoss, BoostingTarget};
use super::model::GradientBoostingModel;
use super::step::{BoostingSample, early_stop};
use crate::columns::task_of;

/// Data shared by all rounds.
struct BoostingJob<'a> {
    learner: &'a GradientBoosting,
    data: &'a DatasetRef<'a>,
    columns: &'a TreeColumns<'a>,
    loss: BoostingLoss,
    sample: BoostingSample,
    sorted: SortedColumns,
    settings: GrowOptions,
    cx: &'a Context<'a>,
}

/// Scores of the rows of the data, and of a validation set.
struct BoostingScores {
    raw: Mat<f64>,
    apart: Option<(BoostingSample, Mat<f64>)>,
}

pub(super) fn fit(
    learner: &GradientBoosting,
    start: Option<&GradientBoostingModel>,
    data: &DatasetRef<'_>,
    cx: &Context<'_>,
) -> Result<GradientBoostingModel> {
    learner.check()?;
    data.check(&GradientBoosting::SPEC)?;
    let columns = TreeColumns::new(&data.x, data.schema);
    let job = BoostingJob::new(learner, data, &columns, cx)?;
    let mut model = match start {
        Some(start) => job.resume(start)?,
        None => job.initial_model(),
    };
    let width = job.loss.width();
    let mut scores = job.scores(&model)?;
    let wanted = usize::try_from(learner.n_estimators).unwrap_or(usize::MAX);
    let mut checkpoints = cx.checkpoints();
    let mut late = false;
    let stopped = |model: &GradientBoostingModel| match learner.n_iter_no_change {
        Some(patience) => {
            early_stop(&model.validation_score, usize::try_from(patience).unwrap_or(usize::MAX).min(1 << 24), learner.tol)
        }
        None => false,
    };
    while model.trees.n_trees() / width < wanted && !stopped(&model) {
        let round = model.trees.n_trees() / width;
        let objective = model.train_score.last().copied();
        cx.report(Progress { stage: "boosting", done: round as u64, total: Some(learner.n_estimators), objective })?;
        if cx.deadline_passed() {
            if round == 0 {
                return Err(Error::Deadline("boosting".into()));
            }
            late = true;
            break;
        }
        job.round(&mut model, &mut scores, round)?;
        model.certificate = job.certificate(&model, false, false);
        if round + 1 < wanted {
            checkpoints.save_if_due(|| Ok(model.clone()))?;
        }
    }
    model.certificate = job.certificate(&model, true, late);
    Ok(model)
}

impl<'a> BoostingJob<'a> {
    fn new(
        learner: &'a GradientBoosting,
        data: &'a DatasetRef<'a>,
        columns: &'a TreeColumns<'a>,
        cx: &'a Context<'a>,
    ) -> Result<Self> {
        let loss = BoostingLoss::of(&learner.loss, learner.quantile, &data.y)
            .map_err(|expected| Error::parameter(GradientBoosting::SPEC.name, "loss", &learner.loss, expected))?;
        let mut sample = sample(data)?;
        if let BoostingTarget::Codes(codes) = &sample.y {
            let first = sample.train.first().map(|&i| codes[i as usize]);
            if sample.train.iter().all(|&i| Some(codes[i as usize]) == first) {
                return Err(Error::Target("it has 1 class among rows with weight, and gradient-boosting needs 2".into()));
            }
        }
        loss.check(&sample.y, |i| i)?;
        if learner.n_iter_no_change.is_some() && cx.validation.is_none() {
            sample.hold_out(learner.validation_fraction, cx.seed);
            if sample.train.is_empty() || sample.held.is_empty() {
                return Err(Error::parameter(
                    GradientBoosting::SPEC.name,
                    "validation_fraction",
                    learner.validation_fraction,
                    format!("of {} rows it must leave some on both sides", data.rows()),
                ));
            }
        }
        if sample.train.len() >= <u32 as SortedEntry>::MAX_ROWS {
            let most = <u32 as SortedEntry>::MAX_ROWS - 1;
            return Err(Error::Data(format!("{} rows are more than the {most} a tree can sort", sample.train.len())));
        }
        // The trees are of one number, whatever the target.
        let settings = GrowOptions { monotone_value: 0, ..learner.tree().settings(data, columns, sample.train.len())? };
        let rows = RowSubset::Some(sample.train.clone());
        let sorted = columns.sort(&rows, &|_| false, cx)?;
        Ok(Self { learner, data, columns, loss, sample, sorted, settings, cx })
    }

    fn initial_model(&self) -> GradientBoostingModel {
        let width = self.loss.width();
        let start = if self.learner.init == "zero" {
            vec![0.0; width]
        } else {
            let mut weight = vec![0.0; self.sample.weight.len()];
            self.sample.train.iter().for_each(|&i| weight[i as usize] = self.sample.weight[i as usize]);
            self.loss.start(&self.sample.y, &weight)
        };
        let (task, classes) = task_of(&self.data.y);
        GradientBoostingModel {
            task,
            classes,
            loss: self.loss,
            start,
            trees: Trees::new(self.columns.categories.clone(), 1).refusing_infinite(),
            train_score: Vec::new(),
            validation_score: Vec::new(),
            oob_scores: Vec::new(),
            oob_improvement: Vec::new(),
            certificate: Certificate::default(),
        }
    }

    /// The model to add rounds to, if it fits the rows.
    fn resume(&self, start: &GradientBoostingModel) -> Result<GradientBoostingModel> {
        let (task, classes) = task_of(&self.data.y);
        if start.task != task || start.classes != classes || start.loss.width() != self.loss.width() {
            return Err(Error::Target("the model to continue was made for another target".into()));
        }
        if start.trees.categories() != &self.columns.categories[..] {
            return Err(Error::Data("the model to continue was made on other columns or categories".into()));
        }
        let have = start.trees.n_trees() / self.loss.width();
        if have as u64 > self.learner.n_estimators {
            return Err(Error::parameter(
                GradientBoosting::SPEC.name,
                "n_estimators",
                self.learner.n_estimators,
                format!("it must be at least {have}, the rounds that are there already"),
            ));
        }
        Ok(GradientBoostingModel { loss: self.loss, ..start.clone() })
    }

    fn scores(&self, model: &GradientBoostingModel) -> Result<BoostingScores> {
        let apart = match self.cx.validation {
            Some(rows) if self.learner.n_iter_no_change.is_some() => {
                rows.check(&GradientBoosting::SPEC)?;
                let mut validation = sample(rows)?;
                if task_of(&rows.y) != task_of(&self.data.y) {
                    return Err(Error::Target(
                        "that of the validation rows is another one than that of the training rows".into(),
                    ));
                }
                validation.held = std::mem::take(&mut validation.train);
                Some((validation, model.raw(&rows.x)?))
            }
            _ => None,
        };
        let mut scores = BoostingScores { raw: model.raw(&self.data.x)?, apart };
        if let Some(offset) = self.cx.offset {
            add_offset(&mut scores.raw, offset.rows, "rows")?;
            if let Some((_, raw)) = &mut scores.apart {
                let of_held = offset.validation.ok_or_else(|| Error::Data("the validation rows need an offset too".into()))?;
                add_offset(raw, of_held, "validation rows")?;
            }
        }
        Ok(scores)
    }

    /// One round: one tree, or one tree per class.
    fn round(&self, model: &mut GradientBoostingModel, scores: &mut BoostingScores, round: usize) -> Result<()> {
        let (loss, width) = (self.loss, self.loss.width());
        let drawn = self.sample.draw(self.learner.subsample, self.cx.seed, round);
        let is_in = |k: usize| drawn.as_ref().is_none_or(|d| d[k]);
        let train = &self.sample.train;
        let bag: Vec<u32> = (0..train.len()).filter(|&k| is_in(k)).map(|k| train[k]).collect();
        let outside: Vec<u32> = (0..train.len()).filter(|&k| !is_in(k)).map(|k| train[k]).collect();
        let raw = &scores.raw;
        let turn = loss.huber_delta(&self.sample.y, &self.sample.weight, raw.as_slice(), &bag);
        let before = self.sample.mean_loss(loss, raw, outside.iter().copied(), turn);

        let lists = self.lists(&drawn, &bag);
        let rows = RowSubset::Some(bag.clone());
        let mut trees: Vec<Vec<TreeNode>> = Vec::with_capacity(width);
        // The values of each tree for the rows of the bag, before the step.
        let mut along = Mat::zeros(bag.len(), width);
        for class in 0..width {
            let seed = RngStream::new(self.cx.seed, "gradient boosting tree", (round * width + class) as u64).next_u64();
            let residual = |&i: &u32| loss.residual(&self.sample.y, i as usize, raw.row(i as usize), class, turn);
            let mut nodes = self.grow(&rows, &lists, bag.iter().map(residual).collect(), seed)?;
            // The leaf of every row of the bag.
            let mut alone = Trees::new(self.columns.categories.clone(), 1);
            alone.push(&nodes);
            let leaves = alone.leaves(&self.data.x, 0..1)?;
            let leaf_of = |i: u32| leaves[(i as usize, 0)] as usize;
            if self.learner.step == "leaf" {
                let mut members: Vec<Vec<u32>> = vec![Vec::new(); nodes.len()];
                bag.iter().for_each(|&i| members[leaf_of(i)].push(i));
                for (node, rows) in nodes.iter_mut().zip(&members).filter(|(_, rows)| !rows.is_empty()) {
                    node.values[0] = loss.leaf_value(&self.sample.y, &self.sample.weight, raw.as_slice(), class, rows, turn);
                }
            }
            bag.iter().enumerate().for_each(|(k, &i)| along[(k, class)] = nodes[leaf_of(i)].values[0]);
            trees.push(nodes);
        }
        let step = match self.learner.step.as_str() {
            "line-search" => self.sample.line_search(loss, raw, &bag, &along, turn),
            "decay" => 1.0 / (1.0 + self.learner.decay * round as f64),
            _ => 1.0,
        };
        for tree in &mut trees {
            tree.iter_mut().for_each(|node| node.values[0] *= step * self.learner.learning_rate);
            model.trees.push(tree);
        }
        let new = round * width..(round + 1) * width;
        model.trees.add_to(&self.data.x, new.clone(), width, &mut scores.raw)?;
        if let (Some((_, raw)), Some(rows)) = (&mut scores.apart, self.cx.validation) {
            model.trees.add_to(&rows.x, new, width, raw)?;
        }

        let raw = &scores.raw;
        model.train_score.push(self.sample.mean_loss(loss, raw, bag.iter().copied(), turn));
        // Rounds of a warm start that saw all rows have nothing to tell: 0.
        if !outside.is_empty() || !model.oob_scores.is_empty() {
            let after = self.sample.mean_loss(loss, raw, outside.iter().copied(), turn);
            model.oob_scores.resize(round, 0.0);
            model.oob_improvement.resize(round, 0.0);
            model.oob_scores.push(if outside.is_empty() { 0.0 } else { after });
            model.oob_improvement.push(if outside.is_empty() { 0.0 } else { before - after });
        }
        if self.learner.n_iter_no_change.is_none() && !model.validation_score.is_empty() {
            model.validation_score.push(f64::INFINITY);
        }
        if self.learner.n_iter_no_change.is_some() {
            model.validation_score.resize(round, f64::INFINITY);
            let held_loss = match &scores.apart {
                Some((sample, raw)) => sample.mean_loss(loss, raw, sample.held.iter().copied(), turn),
                None => self.sample.mean_loss(loss, raw, self.sample.held.iter().copied(), turn),
            };
            model.validation_score.push(held_loss);
        }
        Ok(())
    }

    /// The sorted lists of the rows of a round.
    fn lists(&self, drawn: &Option<Vec<bool>>, bag: &[u32]) -> SortedColumns {
        let Some(drawn) = drawn else {
            return SortedColumns { lists: self.sorted.lists.clone(), columns: self.sorted.columns.clone() };
        };
        let mut next = 0;
        let number: Vec<u32> = drawn
            .iter()
            .map(|&here| {
                next += u32::from(here);
                if here { next - 1 } else { LEFT_OUT }
            })
            .collect();
        self.sorted.select(&number, bag.len())
    }

    /// Grows a tree on slopes.
    fn grow(&self, rows: &RowSubset, sorted: &SortedColumns, slopes: Vec<f64>, seed: u64) -> Result<Vec<TreeNode>> {
        let n = rows.len();
        let weights = match self.data.weight {
            None => QuantizedWeights::ONE,
            Some(w) => QuantizedWeights::new((0..n).map(|id| w[rows.row(id)]).collect()),
        };
        let weight = (0..n).map(|id| weights.get(id)).sum::<i64>() as f64 * weights.unit;
        let mut settings = self.settings.clone();
        settings.min_weight *= weight;
        let cx = Context { seed, deadline: None, ..self.cx.without_checkpoints() };
        let ground = GrowContext {
            columns: self.columns,
            sorted: &sorted.columns,
            rows,
            settings,
            cx: &cx,
            weight,
            late: AtomicBool::new(false),
            work: AtomicU64::new(0),
        };
        let mut grown = grow::grow(&ground, Means::new(slopes, n, weights, Squared), sorted.lists.clone())?;
        if self.learner.ccp_alpha > 0.0 {
            grown = prune::prune(grown, self.learner.ccp_alpha, &cx)?;
        }
        Ok(nodes_of(&grown))
    }

    fn certificate(&self, model: &GradientBoostingModel, done: bool, late: bool) -> Certificate {
        let rounds = model.trees.n_trees() / self.loss.width();
        let mut notes = Vec::new();
        if late {
            notes.push(format!("{rounds} of {} rounds were done in time.", self.learner.n_estimators));
        } else if done && (rounds as u64) < self.learner.n_estimators {
            notes.push(format!("The loss on held-out rows stopped falling after {rounds} rounds."));
        }
        Certificate {
            method: format!("gradient boosting, step: {}", self.learner.step),
            objective: model.train_score.last().copied(),
            iterations: rounds as u64,
            converged: done && !late,
            notes,
            ..Certificate::default()
        }
    }
}

/// Adds to scores where they start.
fn add_offset(raw: &mut Mat<f64>, offset: MatRef<'_, f64>, what: &str) -> Result<()> {
    if (offset.rows(), offset.cols()) != (raw.rows(), raw.cols()) {
        return Err(Error::Data(format!(
            "the offset has {} rows and {} columns, and there are {} {what} with {} scores",
            offset.rows(),
            offset.cols(),
            raw.rows(),
            raw.cols()
        )));
    }
    for i in 0..raw.rows() {
        for k in 0..raw.cols() {
            let v = *offset.at(i, k);
            if !v.is_finite() {
                return Err(Error::Row { place: "offset".into(), row: i, message: format!("{v} is not a finite number") });
            }
            raw[(i, k)] += v;
        }
    }
    Ok(())
}

/// Targets and weights of all rows, those with weight to train on.
fn sample(data: &DatasetRef<'_>) -> Result<BoostingSample> {
    let n = data.rows();
    let y = match data.y {
        Target::Class { codes, .. } => BoostingTarget::Codes(codes.to_vec()),
        _ => BoostingTarget::Numbers(data.y.reals()?.col_iter(0).collect()),
    };
    let weight: Vec<f64> = data.weight.map_or_else(|| vec![1.0; n], <[f64]>::to_vec);
    let train = (0..n as u32).filter(|&i| weight[i as usize] > 0.0).collect();
    Ok(BoostingSample { y, weight, train, held: Vec::new() })
}
