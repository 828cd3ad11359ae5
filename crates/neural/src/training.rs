//! The training loop: epochs of batches, a schedule, a stopping rule, the best weights, detection of divergence.

use std::ops::Range;

use ermine_core::{Context, Error, Progress, Result, RngStream, Trace};
use ermine_math::loss::{OutputLoss, Targets, output_block};
use ermine_math::nn::AlignedBuffer;
use serde::{Deserialize, Serialize};

#[cfg(feature = "fit")]
use crate::Trainer;
use crate::plan::Op;
use crate::{LearningRateSchedule, Network, Optimizer};

/// The score of a network on validation rows.
pub(crate) type ScoreFn<'a> = &'a dyn Fn(&Network) -> Result<f64>;

/// Targets of the training rows.
#[derive(Debug, Clone)]
pub(crate) enum TrainingTargets {
    /// One class per row.
    Codes(Vec<u32>),
    /// Numbers of a row, row after row.
    Numbers(Vec<f32>),
    /// The rows themselves.
    Reconstruct,
}

/// Training rows with targets and weights.
pub(crate) struct TrainingData<'a> {
    /// Writes a row.
    pub fill: &'a (dyn Fn(usize, &mut [f32]) + Sync),
    /// Prefetches a row that will be written soon.
    pub prefetch: &'a (dyn Fn(usize) + Sync),
    pub targets: TrainingTargets,
    /// One weight per row.
    pub weight: Option<Vec<f64>>,
    /// The training rows.
    pub train: Vec<u32>,
    pub loss: OutputLoss,
}

/// Options of the training loop.
#[derive(Debug, Clone)]
pub(crate) struct TrainingOptions {
    pub optimizer: Optimizer,
    pub schedule: LearningRateSchedule,
    pub epochs: u64,
    pub batch: usize,
    pub shuffle: bool,
    /// The penalty alpha/2 Σ w² over the weight of a batch, as in scikit-learn.
    pub alpha: f64,
    /// Improvement of the loss (or of the score) below which an epoch does not count as one; without it all epochs are
    /// run.
    pub tol: Option<f64>,
    pub patience: u64,
    pub seed: u64,
}

/// Why training ended.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) enum TrainingStop {
    /// No further improvement.
    #[serde(rename = "Settled")]
    Converged,
    /// All epochs were run.
    Epochs,
    /// The deadline passed.
    #[serde(rename = "Late")]
    Deadline,
    /// The loss was NaN, or far above its initial value.
    Diverged { epoch: u64, rate: f64 },
}

/// State of the training: all that the next epoch depends on besides the weights.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct TrainingState {
    pub epochs: u64,
    pub steps: u64,
    /// Rows seen.
    pub rows: u64,
    /// The current rate of a plateau schedule.
    pub rate: f64,
    /// The loss before the first step.
    pub first: Option<f64>,
    /// The least loss, or the best score, and epochs since.
    pub best: Option<f64>,
    #[serde(rename = "since")]
    pub epochs_since_best: u64,
    pub losses: Vec<f64>,
    pub scores: Vec<f64>,
}

/// Weights at another time.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Snapshot {
    pub values: AlignedBuffer<f32>,
    pub state: AlignedBuffer<f32>,
}

impl Snapshot {
    pub fn of(network: &Network) -> Self {
        Self { values: network.values.clone(), state: network.state.clone() }
    }

    pub fn restore(&self, network: &mut Network) {
        network.values.copy_from_slice(&self.values);
        network.state.copy_from_slice(&self.state);
        network.transposed = AlignedBuffer::default();
    }
}

/// A training in progress, which can be saved and resumed.
#[cfg(feature = "fit")]
pub(crate) struct TrainingRun<'a> {
    pub plan: &'a TrainingOptions,
    pub trainer: Trainer,
    pub state: TrainingState,
    pub best: Option<Snapshot>,
    pub trace: Trace,
}

/// Batches between two checks of the deadline.
const CHECK_EVERY: usize = 8;

/// Rows between the one that is copied and the one that is prefetched.
const PREFETCH_ROWS: usize = 2;

/// A loss this many times the initial one has diverged.
const DIVERGENCE_FACTOR: f64 = 10.0;

#[cfg(feature = "fit")]
impl<'a> TrainingRun<'a> {
    pub fn new(plan: &'a TrainingOptions, network: Network, judged: bool) -> Result<Self> {
        let trainer = Trainer::with_capacity(network, plan.optimizer, plan.batch, plan.batch + 1)?.seeded(plan.seed);
        let columns: &[&str] =
            if judged { &["iteration", "objective", "step", "score"] } else { &["iteration", "objective", "step"] };
        let stand = TrainingState { rate: plan.optimizer.rate, ..TrainingState::default() };
        Ok(Self { plan, trainer, state: stand, best: None, trace: Trace::timed(columns) })
    }

    /// Runs epochs until the stopping rule is met. `judge` scores the network on validation rows; `keep` is called
    /// after every epoch.
    pub fn run_epochs(
        &mut self,
        task: &TrainingData<'_>,
        judge: Option<ScoreFn<'_>>,
        keep: &mut dyn FnMut(&Self) -> Result<()>,
        cx: &Context<'_>,
    ) -> Result<TrainingStop> {
        let plan = self.plan;
        let mut order = task.train.clone();
        let mut before = Snapshot::of(self.trainer.network());
        let mut end = TrainingStop::Epochs;
        while self.state.epochs < plan.epochs {
            let objective = self.state.losses.last().copied();
            cx.report(Progress { stage: "epochs", done: self.state.epochs, total: Some(plan.epochs), objective })?;
            if cx.deadline_passed() {
                end = TrainingStop::Deadline;
                break;
            }
            if plan.shuffle {
                order.copy_from_slice(&task.train);
                RngStream::new(plan.seed, "epoch", self.state.epochs).shuffle(&mut order);
            }
            // On a thread of the pool, which need not be woken for every step.
            let Some(loss) = rayon::scope(|_| self.epoch(task, &order, cx))? else {
                end = TrainingStop::Deadline;
                break;
            };
            self.state.epochs += 1;
            let rate = self.trainer.optimizer().rate;
            let away = self.state.first.is_some_and(|f| loss > DIVERGENCE_FACTOR * f.max(f64::MIN_POSITIVE) && f > 0.0);
            if !loss.is_finite() || !self.trainer.network().is_finite() || away && self.state.epochs > 1 {
                end = TrainingStop::Diverged { epoch: self.state.epochs, rate };
                break;
            }
            self.state.losses.push(loss);
            before = Snapshot::of(self.trainer.network());
            let score = judge.map(|judge| judge(self.trainer.network())).transpose()?;
            let row = [Some(self.state.epochs as f64), Some(loss), Some(rate), score];
            self.trace.push(&row.into_iter().flatten().collect::<Vec<_>>());
            self.state.scores.extend(score);
            if self.has_converged(score, loss) {
                end = TrainingStop::Converged;
                break;
            }
            keep(self)?;
        }
        if matches!(end, TrainingStop::Diverged { .. }) {
            let mut network = self.trainer.network().clone();
            before.restore(&mut network);
            self.trainer.set_network(&network)?;
        }
        // With a score, the weights of the best epoch are the result, however training ended.
        if let Some(best) = self.best.take().filter(|_| judge.is_some()) {
            let mut network = self.trainer.network().clone();
            best.restore(&mut network);
            self.trainer.set_network(&network)?;
            self.best = Some(best);
        }
        Ok(end)
    }

    /// Whether there was no improvement for long enough. A plateau schedule lowers the rate first.
    fn has_converged(&mut self, score: Option<f64>, loss: f64) -> bool {
        // Scores are maximized, losses minimized.
        let value = score.map_or(-loss, |s| s);
        let tol = self.plan.tol.unwrap_or(0.0);
        self.state.epochs_since_best =
            if self.state.best.is_none_or(|b| value > b + tol) { 0 } else { self.state.epochs_since_best + 1 };
        if self.state.best.is_none_or(|b| value > b) {
            self.state.best = Some(value);
            if score.is_some() {
                self.best = Some(Snapshot::of(self.trainer.network()));
            }
        }
        if self.plan.tol.is_none() || self.state.epochs_since_best <= self.plan.patience {
            return false;
        }
        if let LearningRateSchedule::Plateau { factor, least } = self.plan.schedule
            && self.state.rate > least
        {
            self.state.rate *= factor;
            self.state.epochs_since_best = 0;
            return false;
        }
        true
    }

    /// One epoch: the mean loss of its rows, each at the weights of its batch. None when the deadline passed.
    fn epoch(&mut self, task: &TrainingData<'_>, order: &[u32], cx: &Context<'_>) -> Result<Option<f64>> {
        let plan = self.plan;
        let (mut total, mut weight, mut taken) = (0.0, 0.0, 0.0);
        let batches = batches(order.len(), plan.batch, self.trainer.network());
        let seen = self.state.rows;
        for (number, range) in batches.enumerate() {
            if number > 0 && number % CHECK_EVERY == 0 {
                if cx.deadline_passed() {
                    return Ok(None);
                }
                cx.report(Progress {
                    stage: "rows",
                    done: range.start as u64,
                    total: Some(order.len() as u64),
                    objective: None,
                })?;
            }
            // Inverse scaling counts the rows before the epoch, as in scikit-learn.
            let step = if matches!(plan.schedule, LearningRateSchedule::Invscaling { .. }) { seen } else { self.state.steps };
            let rate = plan.schedule.rate(plan.optimizer.rate, step, self.state.epochs, self.state.rate);
            self.trainer.set_rate(rate);
            let rows = &order[range];
            let mass = task.weight.as_ref().map_or(rows.len() as f64, |w| rows.iter().map(|&i| w[i as usize]).sum());
            self.trainer.set_l2(plan.alpha / mass);
            let loss = self.batch(task, rows, mass, true)?;
            self.state.first.get_or_insert(loss / mass);
            self.state.steps += 1;
            self.state.rows += rows.len() as u64;
            total += loss;
            weight += mass;
            taken += 1.0;
            if !loss.is_finite() {
                break;
            }
        }
        // Every batch carries the penalty, at the final weights of the batch.
        total += taken * 0.5 * plan.alpha * self.trainer.network().squared_norm();
        Ok(Some(total / weight))
    }

    /// One batch: returns the weighted loss.
    pub fn batch(&mut self, task: &TrainingData<'_>, rows: &[u32], mass: f64, take_step: bool) -> Result<f64> {
        let outputs = self.trainer.network().output().len();
        let fill = |i: usize, row: &mut [f32]| {
            // Rows come in random order, so that hardware cannot prefetch them.
            if let Some(&next) = rows.get(i + PREFETCH_ROWS) {
                (task.prefetch)(next as usize);
            }
            (task.fill)(rows[i] as usize, row);
        };
        let weights: Option<Vec<f64>> = task.weight.as_ref().map(|w| rows.iter().map(|&i| w[i as usize]).collect());
        let codes: Vec<u32> = match &task.targets {
            TrainingTargets::Codes(codes) => rows.iter().map(|&i| codes[i as usize]).collect(),
            _ => Vec::new(),
        };
        let numbers: Vec<f32> = match &task.targets {
            TrainingTargets::Numbers(y) => rows.iter().flat_map(|&i| &y[i as usize * outputs..][..outputs]).copied().collect(),
            _ => Vec::new(),
        };
        let scale = 1.0 / mass;
        let loss = |range: Range<usize>, (x, from): (&[f32], usize), (z, to): (&[f32], usize), d: &mut [f32]| {
            let weight = weights.as_ref().map(|w| &w[range.clone()]);
            let targets = match &task.targets {
                TrainingTargets::Codes(_) => Targets::Codes(&codes[range]),
                TrainingTargets::Numbers(_) => Targets::Numbers(&numbers[range.start * outputs..range.end * outputs]),
                TrainingTargets::Reconstruct => {
                    let one = |i: usize| {
                        let (x, d) = (Targets::Numbers(&x[i * from..][..outputs]), &mut d[i * to..][..outputs]);
                        output_block(task.loss, &z[i * to..], to, outputs, x, weight.map(|w| &w[i..=i]), scale, d)
                    };
                    return (0..range.len()).map(one).sum();
                }
            };
            output_block(task.loss, z, to, outputs, targets, weight, scale, d)
        };
        self.trainer.train_batch(rows.len(), &fill, &loss, take_step)
    }
}

/// Batches of an epoch. The last may be smaller; a single remaining row joins the batch before if a layer normalizes
/// single pixels, since it could not be normalized alone.
fn batches(rows: usize, batch: usize, network: &Network) -> impl Iterator<Item = Range<usize>> + use<> {
    let plan = network.plan();
    let joins = plan.ops.iter().zip(&plan.nodes).any(|(op, node)| matches!(op, Op::Norm { .. }) && node.shape.points() == 1);
    let count = rows.div_ceil(batch);
    let joined = count > 1 && joins && rows % batch == 1 && batch > 1;
    let count = count - usize::from(joined);
    (0..count).map(move |k| k * batch..if k + 1 == count { rows } else { (k + 1) * batch })
}

/// An error for batches that a layer could not normalize.
pub(crate) fn check_batch(network: &Network, rows: usize, batch: usize) -> Result<()> {
    let plan = network.plan();
    let norm = plan.ops.iter().zip(&plan.nodes).any(|(op, node)| matches!(op, Op::Norm { .. }) && node.shape.points() == 1);
    if norm && rows.min(batch) < 2 {
        return Err(Error::Data(format!(
            "batch normalization needs batches of at least 2 rows, and they have {}; raise batch_size",
            rows.min(batch)
        )));
    }
    Ok(())
}
