//! The steps of one problem: a target of numbers, or one class against the rest.

use std::time::Instant;

use ermine_core::{Context, Error, Flow, Progress, Result, RngStream};
use ermine_math::loss::RowLoss;

#[cfg(feature = "fit")]
use super::rows::{SgdRows, too_large};
use super::schedule::{LearningRate, SgdSchedule};
use super::weights::{L1Debt, SgdWeights};

/// The target score of a row.
#[derive(Clone, Copy)]
pub(super) enum SgdLabels<'a> {
    Numbers(&'a [f64]),
    /// +1 for the rows of class `positive`, -1 for the others, with a factor on the weight of either.
    Class {
        codes: &'a [u32],
        positive: u32,
        factors: [f64; 2],
    },
}

impl SgdLabels<'_> {
    /// The target of a row and the factor on its weight.
    #[inline]
    pub fn of(&self, i: usize) -> (f64, f64) {
        match self {
            Self::Numbers(y) => (y[i], 1.0),
            Self::Class { codes, positive, factors } => {
                if codes[i] == *positive {
                    (1.0, factors[1])
                } else {
                    (-1.0, factors[0])
                }
            }
        }
    }
}

/// The objective and the method: the same for all classes.
#[derive(Clone, Copy)]
pub(super) struct SgdOptions {
    pub loss: RowLoss,
    pub schedule: SgdSchedule,
    /// The factors of half the squares of the weights, and of their sizes.
    pub l2: f64,
    pub l1: f64,
    pub fit_intercept: bool,
    pub batch: usize,
    pub shuffle: bool,
    pub max_iter: u64,
    pub tol: Option<f64>,
    pub n_iter_no_change: u64,
    /// The step from which on weights are averaged; `None` for never.
    pub average: Option<u64>,
    /// Whether an epoch without a mistake ends the run: nothing would change any more.
    pub until_separated: bool,
}

/// State of a problem between two runs. The weights are those of the last step.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct SgdState {
    pub coef: Vec<f64>,
    pub intercept: f64,
    /// The averages and how many steps are in them.
    pub average: Option<(Vec<f64>, f64, f64)>,
    pub debt: Option<L1Debt>,
    /// Steps taken.
    pub steps: u64,
    /// Epochs begun.
    pub epochs: u64,
}

impl SgdState {
    pub fn new(cols: usize) -> Self {
        Self { coef: vec![0.0; cols], ..Self::default() }
    }
}

/// Why a run ended.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum SgdStop {
    /// The stopping rule was met.
    Converged,
    /// All requested epochs are done.
    Epochs,
    /// An epoch without a mistake.
    Separated,
    /// The deadline passed.
    Deadline,
    /// The numbers left the range of f64, or the objective ended above its start: the step of that epoch was too long.
    Diverged { epoch: u64, step: f64 },
}

/// The result of one run.
#[derive(Debug, Clone)]
pub(super) struct SgdResult {
    pub state: SgdState,
    pub end: SgdStop,
    /// One row per epoch.
    pub epochs: Vec<Epoch>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Epoch {
    /// Mean loss of the rows, each at its own step, plus the penalty at the end.
    pub objective: f64,
    pub loss: f64,
    pub step: f64,
    /// Rows on the wrong side, or on the boundary, when their turn came.
    pub mistakes: u64,
    pub score: Option<f64>,
    pub seconds: f64,
}

/// Scores weights and an intercept on rows that are not learned from.
pub type ScoreFn<'a> = dyn Fn(&[f64], f64) -> Result<f64> + Sync + 'a;

/// Rows of which some are for learning, and how to judge the weights after an epoch when a stop is to depend on that.
pub(super) struct SgdProblem<'a, R> {
    pub rows: &'a R,
    pub labels: SgdLabels<'a>,
    pub weight: Option<&'a [f64]>,
    /// The rows to learn from, in their order.
    pub train: &'a [u32],
    /// The score of weights and intercept on other rows, the larger the better.
    pub score: Option<&'a ScoreFn<'a>>,
    /// Seed of the orders of the rows.
    pub seed: u64,
}

/// Rows between two checks of the clock and the observer.
const CHECK_EVERY: usize = 8192;
/// Steps below which `Adaptive` does not go.
const LEAST_STEP: f64 = 1e-6;

/// Loss and slope of a row. At a kink the slope is the one that moves, since a perceptron that starts from zero weights would
/// never leave them otherwise.
#[inline]
pub(super) fn loss_and_slope(loss: RowLoss, y: f64, z: f64) -> (f64, f64) {
    match loss {
        RowLoss::Logistic => {
            let m = y * z;
            let e = (-m.abs()).exp();
            let slope = if m > 0.0 { e / (1.0 + e) } else { 1.0 / (1.0 + e) };
            ((-m).max(0.0) + e.ln_1p(), -y * slope)
        }
        RowLoss::Hinge => {
            let gap = 1.0 - y * z;
            (gap.max(0.0), if gap >= 0.0 { -y } else { 0.0 })
        }
        RowLoss::Perceptron => {
            let m = y * z;
            ((-m).max(0.0), if m <= 0.0 { -y } else { 0.0 })
        }
        other => (other.value(y, z), other.gradient(y, z)),
    }
}

/// Whether slopes grow without bound, so that steps that are too long diverge.
fn can_diverge(loss: RowLoss) -> bool {
    use RowLoss::{Expectile, Exponential, Squared, SquaredEpsilonInsensitive, SquaredHinge};
    matches!(loss, Squared | SquaredHinge | Exponential | SquaredEpsilonInsensitive { .. } | Expectile { .. })
}

/// The weights that the steps start from, with what shrinking and averaging keep.
fn starting_weights(plan: &SgdOptions, stand: &SgdState) -> SgdWeights {
    let mut weights = SgdWeights::new(&stand.coef, stand.intercept);
    if plan.l1 > 0.0 {
        weights = weights.shrinking(stand.debt.clone().unwrap_or_default());
    }
    if plan.average.is_some() {
        let none = (vec![0.0; stand.coef.len()], 0.0, 0.0);
        let (coef, intercept, count) = stand.average.as_ref().unwrap_or(&none);
        weights = weights.averaging(coef, *intercept, *count);
    }
    weights
}

/// The best epoch so far, and how many since have brought nothing.
struct BestEpoch {
    objective: f64,
    score: f64,
    unimproved: u64,
}

impl BestEpoch {
    fn new() -> Self {
        Self { objective: f64::INFINITY, score: f64::NEG_INFINITY, unimproved: 0 }
    }

    /// Judges an epoch, by its score where there is one; the epochs in a row that improved by less than `tol`.
    fn unimproved(&mut self, objective: f64, score: Option<f64>, tol: f64) -> u64 {
        let stalled = match score {
            Some(score) => {
                let stalled = score < self.score + tol;
                self.score = self.score.max(score);
                stalled
            }
            None => {
                let stalled = objective > self.objective - tol;
                self.objective = self.objective.min(objective);
                stalled
            }
        };
        self.unimproved = if stalled { self.unimproved + 1 } else { 0 };
        self.unimproved
    }
}

#[cfg(feature = "fit")]
impl<R: SgdRows> SgdProblem<'_, R> {
    fn weight_of(&self, i: usize) -> f64 {
        self.weight.map_or(1.0, |w| w[i])
    }

    /// Takes the steps of `plan`, from `stand` on.
    pub fn run(&self, plan: &SgdOptions, stand: SgdState, cx: &Context<'_>) -> Result<SgdResult> {
        let began = Instant::now();
        let mut weights = starting_weights(plan, &stand);
        let mut order = self.train.to_vec();
        let (mut steps, first_epoch) = (stand.steps, stand.epochs);
        let mut eta = plan.schedule.eta0;
        let mut best_epoch = BestEpoch::new();
        let mut course: Vec<Epoch> = Vec::new();
        let mut end = SgdStop::Epochs;
        // The weights to fall back on when the steps run away.
        let guard = can_diverge(plan.loss);
        let mut safe = guard.then(|| (f64::INFINITY, weights.clone(), steps));
        for k in 0..plan.max_iter {
            let epoch = first_epoch + k;
            if plan.shuffle {
                order.copy_from_slice(self.train);
                RngStream::new(self.seed, "sgd shuffle", epoch).shuffle(&mut order);
            }
            let seen = match self.epoch(plan, &mut weights, &order, &mut steps, epoch, eta, cx)? {
                Ok(seen) => seen,
                Err(EpochAbort::Deadline) => {
                    end = SgdStop::Deadline;
                    break;
                }
                Err(EpochAbort::Overflow { step }) => {
                    self.refuse_large(epoch + 1)?;
                    end = SgdStop::Diverged { epoch: epoch + 1, step };
                    break;
                }
            };
            let Some(record) = self.measure(plan, &mut weights, &seen, began)? else {
                self.refuse_large(epoch + 1)?;
                end = SgdStop::Diverged { epoch: epoch + 1, step: seen.step };
                break;
            };
            let Epoch { objective, score, .. } = record;
            course.push(record);
            if let Some(safe) = &mut safe
                && objective < safe.0
            {
                *safe = (objective, weights.clone(), steps);
            }
            let progress = Progress { stage: "epochs", done: k + 1, total: Some(plan.max_iter), objective: Some(objective) };
            cx.report(progress)?;
            if plan.until_separated && seen.mistakes == 0 {
                end = SgdStop::Separated;
                break;
            }
            let Some(tol) = plan.tol else { continue };
            let unimproved = best_epoch.unimproved(objective, score, tol);
            if unimproved >= plan.n_iter_no_change {
                if plan.schedule.rate == LearningRate::Adaptive && eta > LEAST_STEP {
                    eta /= 5.0;
                    best_epoch.unimproved = 0;
                    continue;
                }
                end = SgdStop::Converged;
                break;
            }
        }
        match (safe, end) {
            (Some((least, kept, at)), _) => {
                if self.ran_away(plan, least, &course, first_epoch, &mut end) {
                    (weights, steps) = (kept, at);
                }
            }
            (None, SgdStop::Diverged { epoch, step }) => {
                return Err(Error::Data(format!(
                    "Floating-point under-/overflow occurred at epoch #{epoch}, with steps of {step:e}; standardize the columns or \
                     lower eta0"
                )));
            }
            (None, _) => {}
        }
        let epochs = first_epoch + course.len() as u64;
        let debt = weights.debt();
        let average = weights.average();
        let stand = SgdState { coef: weights.coef(), intercept: weights.intercept, average, debt, steps, epochs };
        Ok(SgdResult { state: stand, end, epochs: course })
    }

    /// The result of an epoch; none where numbers left the range of f64.
    fn measure(&self, plan: &SgdOptions, weights: &mut SgdWeights, seen: &EpochTally, began: Instant) -> Result<Option<Epoch>> {
        let loss = seen.loss / self.train.len() as f64;
        let (square, size) = weights.norms();
        let objective = loss + 0.5 * plan.l2 * square + plan.l1 * size;
        if !(weights.is_finite() && objective.is_finite()) {
            return Ok(None);
        }
        let score = match self.score {
            Some(judge) => Some(judge(&weights.coef(), weights.intercept)?),
            None => None,
        };
        let seconds = began.elapsed().as_secs_f64();
        Ok(Some(Epoch { objective, loss, step: seen.step, mistakes: seen.mistakes, score, seconds }))
    }

    /// Whether the steps diverged, as `end` reports then: rows that a step overshoots leave with a larger loss than zero weights would
    /// have had. `least` is the objective of the best epoch.
    fn ran_away(&self, plan: &SgdOptions, least: f64, course: &[Epoch], first_epoch: u64, end: &mut SgdStop) -> bool {
        if matches!(end, SgdStop::Diverged { .. }) {
            return true;
        }
        let last = course.last().map_or(f64::INFINITY, |e| e.objective);
        if !(last > 4.0 * self.loss_at_zero(plan) && last > least) {
            return false;
        }
        let step = course.last().map_or(plan.schedule.eta0, |e| e.step);
        *end = SgdStop::Diverged { epoch: first_epoch + course.len() as u64, step };
        true
    }

    /// The mean loss of zero weights.
    fn loss_at_zero(&self, plan: &SgdOptions) -> f64 {
        let at = |&i: &u32| {
            let (y, factor) = self.labels.of(i as usize);
            factor * self.weight_of(i as usize) * plan.loss.value(y, 0.0)
        };
        self.train.iter().map(at).sum::<f64>() / self.train.len() as f64
    }

    fn refuse_large(&self, epoch: u64) -> Result<()> {
        for i in 0..self.rows.rows() {
            let square = self.rows.square(i);
            if !square.is_finite() {
                return Err(too_large(epoch, i, square));
            }
        }
        Ok(())
    }

    /// One epoch over `order`.
    #[allow(clippy::too_many_arguments)] // What an epoch needs; a structure would hide that it is all of it.
    fn epoch(
        &self,
        plan: &SgdOptions,
        weights: &mut SgdWeights,
        order: &[u32],
        steps: &mut u64,
        epoch: u64,
        eta: f64,
        cx: &Context<'_>,
    ) -> Result<std::result::Result<EpochTally, EpochAbort>> {
        let mut seen = EpochTally { loss: 0.0, mistakes: 0, step: eta };
        let mut updates = vec![0.0; plan.batch];
        for (b, batch) in order.chunks(plan.batch).enumerate() {
            if (b * plan.batch).is_multiple_of(CHECK_EVERY / plan.batch.min(CHECK_EVERY) * plan.batch) {
                if let Some(observer) = cx.observer {
                    let done = (b * plan.batch) as u64;
                    let progress = Progress { stage: "rows", done, total: Some(order.len() as u64), objective: None };
                    if observer(&progress) == Flow::Stop {
                        return Err(Error::Stopped("epochs".into()));
                    }
                }
                if cx.deadline_passed() {
                    return Ok(Err(EpochAbort::Deadline));
                }
            }
            let t = (*steps + 1) as f64;
            let eta = plan.schedule.step(t, epoch, eta);
            let share = 1.0 / batch.len() as f64;
            for (&i, update) in batch.iter().zip(&mut updates) {
                let i = i as usize;
                if let Some(&next) = order.get(b * plan.batch + batch.len()) {
                    self.rows.prefetch(next as usize);
                }
                let z = weights.score(self.rows, i);
                if !z.is_finite() {
                    return Ok(Err(EpochAbort::Overflow { step: eta }));
                }
                let (y, factor) = self.labels.of(i);
                let weight = factor * self.weight_of(i);
                let (loss, slope) = loss_and_slope(plan.loss, y, z);
                seen.loss += weight * loss;
                seen.mistakes += u64::from(y * z <= 0.0);
                *update = if plan.schedule.is_passive() {
                    -slope * weight * share * plan.schedule.passive(loss, self.rows.square(i))
                } else {
                    -eta * slope * weight * share
                };
            }
            if plan.l2 > 0.0 {
                weights.decay((1.0 - eta * plan.l2).max(0.0));
            }
            for (&i, &update) in batch.iter().zip(&updates) {
                if update != 0.0 {
                    weights.add(self.rows, i as usize, update);
                    if plan.fit_intercept {
                        weights.intercept += update;
                    }
                }
            }
            if plan.l1 > 0.0 {
                weights.shrink(plan.l1 * eta);
            }
            *steps += 1;
            if plan.average.is_some_and(|from| *steps >= from) {
                weights.count();
            }
            seen.step = eta;
        }
        Ok(Ok(seen))
    }
}

struct EpochTally {
    loss: f64,
    mistakes: u64,
    step: f64,
}

enum EpochAbort {
    Deadline,
    Overflow { step: f64 },
}
