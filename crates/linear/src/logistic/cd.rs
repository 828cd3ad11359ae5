//! Proximal Newton steps by coordinate descent over working sets, for every penalty.
//!
//! Reference: G.-X. Yuan, C.-H. Ho, C.-J. Lin (2012), An improved GLMNET for L1-regularized logistic regression, JMLR 13; E.
//! Ndiaye et al. (2017), Gap safe screening rules for sparsity enforcing penalties, JMLR 18.

use ermine_core::{Certificate, Context, Progress, Result, Trace};
use ermine_math::columns::Columns;
use ermine_math::coordinate::elastic_violation;
use ermine_math::loss::{BlockLoss, logistic_block};

use serde::{Deserialize, Serialize};

use super::penalty::ElasticPenalty;
use super::quadratic::QuadraticModel;
use super::rows::{LogisticData, WeightPoint};

/// Columns of a first working set: a share of all, between these.
const FIRST_SHARE: usize = 32;
const FEWEST: usize = 64;
const MOST: usize = 4096;
/// Decrease that a step must bring, as a share of what the model promises.
const ENOUGH: f64 = 1e-2;
/// Differences of objectives below this share are rounding.
const ROUNDING: f64 = 1e-14;
/// The decrease that may be left where digits cost nothing, as a share of the objective; rounding ends it before.
const EXACT: f64 = 1e-24;
/// Steps in a row that may bring nothing.
const IDLE: u32 = 3;
/// Most rounds in which a step solves its model; and, after `PATIENCE` steps, the most from then on and the share of the first gain that ends them.
const ROUNDS: usize = 30;
const PATIENCE: u64 = 10;
const PATIENT_ROUNDS: usize = 300;
const PATIENT_REST: f64 = 1e-6;
/// Stored values below which the last digits cost nothing worth saving.
const SMALL: usize = 1 << 21;
/// The curvature of a row is at least this share of its weight, so that rows classified beyond doubt still have curvature.
const LEAST_CURVATURE: f64 = 1e-10;

/// When to stop.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct StopLimits {
    pub tol: f64,
    pub max_iter: u64,
    /// The factor from sums of losses to the objective of the learner.
    pub scale: f64,
    /// The loss at which separated rows count as separated far enough, when nothing is penalized.
    pub apart: Option<f64>,
}

impl StopLimits {
    /// Whether separated classes without a penalty are separated far enough; `None` while some row is not: then all of the loss is left to gain, and
    /// what slopes make of it says nothing.
    pub fn is_separated(&self, loss: f64, margin: f64) -> Option<bool> {
        self.apart.filter(|_| margin > 0.0).map(|enough| loss <= enough)
    }
}

/// The result of a solver in memory.
pub struct LogisticSolution {
    pub point: WeightPoint,
    pub certificate: Certificate,
    pub trace: Trace,
    /// The least log odds of the class of a row.
    pub margin: f64,
}

/// A dual point made of residuals, and what it proves.
pub struct DualBound {
    /// Xᵀθ, a run of columns for each weight vector.
    pub products: Vec<f64>,
    /// Objective less the best value of the dual found; no more than that is missing to the optimum.
    pub gap: f64,
    /// The factor that makes the residuals feasible.
    pub scale: f64,
}

/// The gap to optimality.
struct KktViolation {
    /// An estimate of the decrease that is left, coordinate by coordinate.
    left: f64,
    /// The largest violation in units of the root of curvature and objective.
    most: f64,
    /// The norm of the least subgradient by the weights.
    norm: f64,
}

impl LogisticData<'_> {
    /// The bound that residuals (differences of probabilities) prove for an objective. They are balanced first.
    pub fn bound(&self, residuals: &mut [f64], objective: f64) -> DualBound {
        let (n, cols) = (self.len(), self.problem.cols);
        self.project_residuals(residuals);
        let mut products = vec![0.0; cols * self.problem.vectors()];
        for (theta, out) in residuals.chunks_exact(n).zip(products.chunks_exact_mut(cols)) {
            self.design.products(theta, out);
        }
        let ElasticPenalty { l1, l2 } = self.penalty;
        let largest = products.iter().fold(0.0f64, |m, g| m.max(g.abs()));
        let mut best = (f64::NEG_INFINITY, 1.0);
        if l2 > 0.0 {
            let conjugate: f64 = products.iter().map(|&g| self.penalty.conjugate(g)).sum();
            best = (-self.conjugate_sum(residuals, 1.0) - conjugate, 1.0);
        }
        if l1 > 0.0 {
            let scale = if largest > l1 { l1 / largest } else { 1.0 };
            let value = -self.conjugate_sum(residuals, scale);
            best = if value > best.0 { (value, scale) } else { best };
        }
        DualBound { products, gap: objective - best.0, scale: best.1 }
    }

    /// Residuals, the gradient of the loss and further sums at a point.
    fn residuals_at(&self, point: &WeightPoint) -> (Vec<f64>, Vec<f64>, BlockLoss) {
        let mut z = self.scores(point);
        let block = self.residuals(&mut z, &mut []);
        let mut gradient = vec![0.0; point.coef.len()];
        for (r, out) in z.chunks_exact(self.len()).zip(gradient.chunks_exact_mut(self.problem.cols)) {
            self.design.products(r, out);
        }
        (z, gradient, block)
    }

    /// The certificate of a point reached by other means: objective, gap and violation are those of the point itself.
    pub fn certify(&self, point: &WeightPoint, scatter: &[f64], scale: f64) -> (Certificate, f64) {
        let n = self.len();
        let (mut z, gradient, block) = self.residuals_at(point);
        let objective = block.loss + self.penalty.value(&point.coef);
        let mut kkt = self.violation(&gradient, point, scatter, objective).most;
        if self.problem.intercept {
            let total = self.weight().map_or(n as f64, |w| w.iter().sum());
            let scale = (0.25 * total * objective).sqrt();
            kkt = z.chunks_exact(n).fold(kkt, |m, r| m.max(r.iter().sum::<f64>().abs() / scale));
        }
        let gap = (!self.penalty.is_free()).then(|| self.bound(&mut z, objective).gap.max(0.0) * scale);
        let certificate = Certificate {
            objective: Some(objective * scale),
            duality_gap: gap,
            kkt_residual: Some(kkt),
            ..Certificate::default()
        };
        (certificate, block.margin)
    }

    /// The objective at a point, an estimate of the decrease that is left, and the least log odds of the class of a row.
    pub fn remaining_decrease(&self, point: &WeightPoint, scatter: &[f64]) -> (f64, f64, f64) {
        let n = self.len();
        let (z, gradient, block) = self.residuals_at(point);
        let objective = block.loss + self.penalty.value(&point.coef);
        let mut left = self.violation(&gradient, point, scatter, objective).left;
        if self.problem.intercept {
            let total = self.weight().map_or(n as f64, |w| w.iter().sum());
            left += z.chunks_exact(n).map(|r| r.iter().sum::<f64>().powi(2) / (0.5 * total)).sum::<f64>();
        }
        (objective, 4.0 * left, block.margin)
    }

    /// How far the gradient is from optimality.
    fn violation(&self, gradient: &[f64], point: &WeightPoint, scatter: &[f64], objective: f64) -> KktViolation {
        let ElasticPenalty { l1, l2 } = self.penalty;
        let (mut left, mut most, mut square) = (0.0, 0.0f64, 0.0);
        for (at, (&g, &w)) in gradient.iter().zip(&point.coef).enumerate() {
            let curvature = 0.25 * scatter[at % scatter.len()] + l2;
            let violation = elastic_violation(-g, w, l1, l2, false);
            square += violation * violation;
            if violation > 0.0 && curvature > 0.0 {
                left += violation * violation / (2.0 * curvature);
                most = most.max(violation / (curvature * objective.max(f64::MIN_POSITIVE)).sqrt());
            }
        }
        KktViolation { left, most, norm: square.sqrt() }
    }
}

/// Minimizes from a start.
pub fn minimize(rows: &LogisticData<'_>, start: WeightPoint, limits: StopLimits, cx: &Context<'_>) -> Result<LogisticSolution> {
    let (cols, v) = (rows.problem.cols, rows.problem.vectors());
    let scatter = rows.scatter()?;
    let penalty = rows.penalty;
    let small = rows.design.stored() * v <= SMALL;
    let mut point = start;
    let mut z = rows.scores(&point);
    let mut alive = vec![true; cols * v];
    let mut trace = Trace::timed(&["objective", "step", "gradient_norm", "duality_gap", "nonzero"]);
    let mut size = (cols / FIRST_SHARE).clamp(FEWEST, MOST);
    let (mut set, mut columns) = (Vec::new(), rows.design.columns(&[]));
    let (mut steps, mut last, mut least, mut idle, mut taken) = (0, f64::INFINITY, f64::INFINITY, 0, 0.0f64);
    let converged = loop {
        let mut theta = z.clone();
        let BlockLoss { loss, margin } = rows.residuals(&mut theta, &mut []);
        let objective = loss + penalty.value(&point.coef);
        cx.report(Progress { stage: "newton", done: steps, total: None, objective: Some(objective * limits.scale) })?;
        let bound = rows.bound(&mut theta, objective);
        let gap = if penalty.is_free() { f64::INFINITY } else { bound.gap };
        let nonzero = point.coef.iter().filter(|w| **w != 0.0).count();
        let shown = if gap.is_finite() { gap.max(0.0) * limits.scale } else { f64::NAN };
        let violation = rows.violation(&bound.products, &point, &scatter, objective);
        trace.push(&[objective * limits.scale, taken, violation.norm * limits.scale, shown, nonzero as f64]);
        let apart = limits.is_separated(loss, margin);
        if apart == Some(true) {
            break true;
        }
        // Four: the bound on the curvature is one and a half to two times what it is, and columns go together.
        let left = 4.0 * violation.left;
        let target = 50.0 * limits.tol * limits.tol * objective;
        // Where anything is penalized the gap proves what is missing; an estimate would end the search a step or two too early.
        let missing = if penalty.is_free() { left } else { gap };
        let enough = missing <= target && apart.is_none();
        // With little data the last digits cost a step or two.
        let exact = left.min(gap) <= EXACT * objective;
        // Near the end the objective cannot tell any more, and what is left of the slopes does.
        let better = objective < last - ROUNDING * last.abs() || left < 0.5 * least;
        idle = if better { 0 } else { idle + 1 };
        least = least.min(left);
        if exact || idle >= IDLE || enough && !small {
            break enough || apart.is_none() && missing <= 1e-10 * objective;
        }
        last = objective;
        if steps >= limits.max_iter || cx.deadline_passed() {
            break enough;
        }
        rows.screen(&bound, &scatter, &mut alive);
        let wanted = working_set(rows, &bound.products, &point, &alive, size.max(2 * nonzero));
        size = size.max(2 * nonzero);
        if !wanted.iter().all(|j| set.binary_search(j).is_ok()) {
            columns = rows.design.columns(&wanted);
            set = wanted;
        }
        // The nearer the end, the more a step that is itself near the minimum of its model is worth.
        let rest: f64 = if left > 1e-4 * objective {
            0.1
        } else if left > 1e-8 * objective {
            1e-2
        } else {
            1e-4
        };
        // After so many steps the cause is that each solves its model too loosely.
        let patient = steps >= PATIENCE;
        let (rest, rounds) = if patient { (rest.min(PATIENT_REST), PATIENT_ROUNDS) } else { (rest, ROUNDS) };
        taken = 1.0;
        for c in 0..v {
            let may_move = |&k: &usize| alive[c * cols + set[k]] || point.coef[c * cols + set[k]] != 0.0;
            let mine: Vec<usize> = (0..set.len()).filter(may_move).collect();
            let class = ClassStep { rows, columns: &columns, set: &set, mine: &mine, class: c, rest, rounds };
            taken = taken.min(class.take(&mut point, &mut z));
        }
        steps += 1;
        if v > 1 {
            point.center_class_weights(penalty, &set);
        }
    };
    let (mut certificate, margin) = rows.certify(&point, &scatter, limits.scale);
    certificate.method = "cd".into();
    certificate.iterations = steps.max(1).min(limits.max_iter);
    certificate.converged = converged;
    Ok(LogisticSolution { point, certificate, trace, margin })
}

/// A proximal Newton step of the weights of one class.
struct ClassStep<'a, 'd> {
    rows: &'a LogisticData<'d>,
    /// The columns of the working set, the set itself and the places in it that may move.
    columns: &'a Columns<'a>,
    set: &'a [usize],
    mine: &'a [usize],
    class: usize,
    /// The share of the first gain, and the rounds, after which the model counts as solved.
    rest: f64,
    rounds: usize,
}

impl ClassStep<'_, '_> {
    /// Moves the point and the scores `z`; the share of the step that was taken.
    fn take(&self, point: &mut WeightPoint, z: &mut [f64]) -> f64 {
        let &Self { rows, set, mine, class: c, .. } = self;
        let (n, cols, penalty) = (rows.len(), rows.problem.cols, rows.penalty);
        let positive = rows.is_class(c);
        let odds = rows.log_odds(z, c);
        let mut trial = vec![0.0; n];
        let (mut residual, mut curvature) = (odds.clone(), vec![0.0; n]);
        let loss = logistic_block(&mut residual, &positive, &rows.labels.weight, &mut curvature).loss;
        for (i, h) in curvature.iter_mut().enumerate() {
            *h = h.max(LEAST_CURVATURE * rows.labels.weight_of(i));
        }
        let model = QuadraticModel::new(self.columns, mine, &residual, &curvature, penalty, rows.problem.intercept);
        let w: Vec<f64> = mine.iter().map(|&k| point.coef[c * cols + set[k]]).collect();
        let step = model.minimize(&w, self.rest, self.rounds);
        let cost = |t: f64| w.iter().zip(&step.weights).map(|(w, d)| penalty.of(w + t * d)).sum::<f64>();
        let promise = residual.iter().zip(&step.scores).map(|(r, s)| r * s).sum::<f64>() + cost(1.0) - cost(0.0);
        let value = loss + cost(0.0);
        let mut length = 1.0;
        for _ in 0..60 {
            trial.iter_mut().zip(odds.iter().zip(&step.scores)).for_each(|(t, (o, s))| *t = o + length * s);
            let trial_value = logistic_block(&mut trial, &positive, &rows.labels.weight, &mut []).loss + cost(length);
            if trial_value <= value + ENOUGH * length * promise + ROUNDING * value.abs() {
                break;
            }
            length *= 0.5;
        }
        for ((&k, d), w) in mine.iter().zip(&step.weights).zip(&w) {
            let at = c * cols + set[k];
            // A whole step puts weights on 0 exactly.
            point.coef[at] = if length == 1.0 && *d == -*w { 0.0 } else { point.coef[at] + length * d };
        }
        point.intercept[c] += length * step.intercept;
        z[c * n..(c + 1) * n].iter_mut().zip(&step.scores).for_each(|(z, s)| *z += length * s);
        length
    }
}

impl LogisticData<'_> {
    /// Marks weights that the bound proves to be 0 at the optimum.
    fn screen(&self, bound: &DualBound, scatter: &[f64], alive: &mut [bool]) {
        if self.penalty.l1 == 0.0 || !bound.gap.is_finite() {
            return;
        }
        // The dual is strongly concave in the residual of a row, by 4 / weight for two classes and 2 / weight for more, and the
        // roots of the weights go over to the columns.
        let smooth = if self.problem.vectors() == 1 { 0.5 } else { 1.0 };
        let radius = (bound.gap.max(0.0) * smooth).sqrt();
        for (at, (alive, g)) in alive.iter_mut().zip(&bound.products).enumerate() {
            *alive &= (bound.scale * g).abs() + radius * scatter[at % scatter.len()].sqrt() >= self.penalty.l1;
        }
    }
}

/// The columns to move: those in use, and of the others the ones that violate optimality most; at most `size`, in order.
fn working_set(rows: &LogisticData<'_>, gradient: &[f64], point: &WeightPoint, alive: &[bool], size: usize) -> Vec<usize> {
    let (cols, v) = (rows.problem.cols, rows.problem.vectors());
    if rows.penalty.l1 == 0.0 {
        return (0..cols).collect();
    }
    let mut wanted: Vec<(f64, usize)> = Vec::new();
    for j in 0..cols {
        let mut worst = 0.0f64;
        for c in 0..v {
            let at = c * cols + j;
            if alive[at] || point.coef[at] != 0.0 {
                let violation = gradient[at].abs() - rows.penalty.l1;
                worst = worst.max(if point.coef[at] != 0.0 { f64::INFINITY } else { violation });
            }
        }
        if worst > 0.0 {
            wanted.push((worst, j));
        }
    }
    if wanted.len() > size {
        wanted.select_nth_unstable_by(size, |a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        wanted.truncate(size);
    }
    let mut set: Vec<usize> = wanted.into_iter().map(|(_, j)| j).collect();
    set.sort_unstable();
    set
}
