//! Solvers that take one row at a time: SAGA, whose steps use the mean of the last gradients of all rows, and plain stochastic gradient descent with
//! averaging.
//!
//! Columns are taken about their means (dense rows) and in units of their spread, so that one step length suits all. A weight whose column a
//! row does not have moves in the same way at every step; it is moved only when it is needed, by as many steps as it has
//! missed at once.
//!
//! Reference: A. Defazio, F. Bach, S. Lacoste-Julien (2014), SAGA: a fast incremental gradient method, NeurIPS; B. Polyak, A. Juditsky (1992),
//! Acceleration of stochastic approximation by averaging, SIAM J. Control and Optimization 30.

use ermine_core::{Context, CsrRef, Features, MatRef, Progress, Result, RngStream, Trace};
use ermine_math::coordinate::soft_threshold;
use ermine_math::loss::{log_sum_exp, sigmoid};

use super::super::passes::contiguous;
use super::Logistic;
use super::cd::{LogisticSolution, StopLimits};
use super::penalty::ElasticPenalty;
use super::rows::{LogisticData, WeightPoint};

/// Which of the two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StochasticMethod {
    Saga,
    Sgd,
}

/// Steps of SGD get shorter with this power of the number of rounds.
const DECAY: f64 = 0.6;
/// Rounds of SGD between two evaluations on all rows.
const LOOK: u64 = 5;

enum RowAccess<'a> {
    Sparse(CsrRef<'a>),
    Dense(MatRef<'a, f64>),
}

/// Minimizes from a start.
pub fn minimize(
    rows: &LogisticData<'_>,
    start: &WeightPoint,
    kind: StochasticMethod,
    limits: StopLimits,
    cx: &Context<'_>,
) -> Result<LogisticSolution> {
    let scatter = rows.scatter()?;
    let mut scratch = Vec::new();
    let access = match &rows.data.x {
        Features::Csr(x) => RowAccess::Sparse(*x),
        dense => RowAccess::Dense(contiguous(dense, &mut scratch, Logistic::NAME)?),
    };
    let mut walk = StochasticState::new(rows, &access, &scatter, start);
    let mut trace = Trace::timed(&["iteration", "objective", "step"]);
    // As for every method, the first line is the start.
    trace.push(&[0.0, rows.remaining_decrease(start, &scatter).0 * limits.scale, 0.0]);
    let mut order: Vec<usize> = (0..rows.len()).filter(|&i| rows.labels.weight_of(i) > 0.0).collect();
    let first = 1.0 / if kind == StochasticMethod::Saga { 3.0 * walk.steep } else { walk.steep };
    if kind == StochasticMethod::Saga {
        walk.first_gradients(&order, &access);
    }
    let (mut average, mut total) = (walk.state(), 0.0);
    let (mut rounds, mut found) = (0, start.clone());
    let converged = loop {
        cx.report(Progress { stage: "round", done: rounds, total: None, objective: None })?;
        if rounds >= limits.max_iter || cx.deadline_passed() {
            break false;
        }
        let step = if kind == StochasticMethod::Saga { first } else { first / (1.0 + rounds as f64).powf(DECAY) };
        RngStream::new(cx.seed, "logistic rows", rounds).shuffle(&mut order);
        let before = walk.state();
        walk.round(&order, &access, step, kind);
        rounds += 1;
        let here = walk.state();
        let look = match kind {
            StochasticMethod::Saga => {
                let far = here.iter().zip(&before).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
                let size = here.iter().fold(0.0f64, |m, a| m.max(a.abs()));
                found = walk.point(&here);
                far <= limits.tol * size || rounds % LOOK == 0
            }
            StochasticMethod::Sgd => {
                let weight = (rounds as f64).powi(2);
                total += weight;
                let mean = walk.mean(order.len());
                average.iter_mut().zip(&mean).for_each(|(a, m)| *a += (m - *a) * weight / total);
                found = walk.point(&average);
                rounds % LOOK == 0
            }
        };
        if look || rounds == limits.max_iter {
            let (objective, left, margin) = rows.remaining_decrease(&found, &scatter);
            trace.push(&[rounds as f64, objective * limits.scale, step]);
            if limits.is_separated(objective, margin).unwrap_or(left <= 50.0 * limits.tol * limits.tol * objective) {
                break true;
            }
        }
    };
    found.center_class_weights(rows.penalty, &(0..rows.problem.cols).collect::<Vec<_>>());
    let (mut certificate, margin) = rows.certify(&found, &scatter, limits.scale);
    certificate.method = if kind == StochasticMethod::Saga { "saga" } else { "sgd" }.into();
    certificate.iterations = rounds;
    certificate.converged = converged;
    Ok(LogisticSolution { point: found, certificate, trace, margin })
}

struct StochasticState<'a> {
    rows: &'a LogisticData<'a>,
    vectors: usize,
    cols: usize,
    /// The shift subtracted from each column (empty for none), and its divisor; 0 for a column whose weight never moves.
    center: Vec<f64>,
    spread: Vec<f64>,
    /// The penalty of each column in its units, as a share of one row.
    penalty: Vec<ElasticPenalty>,
    /// A bound on the curvature of any row.
    steep: f64,
    /// The weights of all classes of a column lie together.
    weights: Vec<f64>,
    intercepts: Vec<f64>,
    /// The mean of the last gradients, and the last residuals of every row.
    mean: Vec<f64>,
    mean_intercepts: Vec<f64>,
    last: Vec<f64>,
    /// The sums of the weights and intercepts over the steps of a round, for averaging.
    sums: Vec<f64>,
    intercept_sums: Vec<f64>,
    /// The step up to which each column has been moved.
    moved: Vec<u64>,
    now: u64,
}

impl<'a> StochasticState<'a> {
    fn new(rows: &'a LogisticData<'a>, access: &RowAccess<'_>, scatter: &[f64], start: &WeightPoint) -> Self {
        let (n, cols, v) = (rows.len(), rows.problem.cols, rows.problem.vectors());
        let counted = (0..n).filter(|&i| rows.labels.weight_of(i) > 0.0).count() as f64;
        let weight: f64 = (0..n).map(|i| rows.labels.weight_of(i)).sum();
        let dense = matches!(access, RowAccess::Dense(_));
        let center = match dense && rows.problem.intercept {
            true => rows.design.summary(rows.weight(), &vec![0.0; n], true).mean,
            false => Vec::new(),
        };
        // About zero where nothing is subtracted.
        let squares = match center.is_empty() && rows.problem.intercept {
            true => rows.design.summary(rows.weight(), &vec![0.0; n], false).scatter,
            false => scatter.to_vec(),
        };
        let spread: Vec<f64> = squares.iter().map(|s| (s / weight).sqrt()).collect();
        let scaled = |s: &f64| match *s > 0.0 {
            true => ElasticPenalty { l1: rows.penalty.l1 / s / counted, l2: rows.penalty.l2 / (s * s) / counted },
            false => ElasticPenalty::FREE,
        };
        let mut walk = Self {
            rows,
            vectors: v,
            cols,
            penalty: spread.iter().map(scaled).collect(),
            steep: 0.0,
            weights: vec![0.0; cols * v],
            intercepts: start.intercept.clone(),
            mean: vec![0.0; cols * v],
            mean_intercepts: vec![0.0; v],
            last: vec![0.0; n * v],
            sums: vec![0.0; cols * v],
            intercept_sums: vec![0.0; v],
            moved: vec![0; cols],
            now: 0,
            center,
            spread,
        };
        for c in 0..v {
            for j in 0..cols {
                let w = start.coef[c * cols + j];
                walk.weights[j * v + c] = w * walk.spread[j];
                walk.intercepts[c] += w * walk.center.get(j).copied().unwrap_or(0.0);
            }
        }
        let mut cells = Vec::new();
        for i in 0..n {
            walk.cells(access, i, &mut cells);
            let square: f64 = cells.iter().map(|(_, x)| x * x).sum::<f64>() + f64::from(u8::from(rows.problem.intercept));
            let curvature = if v == 1 { 0.25 } else { 0.5 };
            walk.steep = walk.steep.max(curvature * rows.labels.weight_of(i) * square);
        }
        walk.steep = walk.steep.max(f64::MIN_POSITIVE);
        walk
    }

    /// The cells of a row in the units of the walk.
    fn cells(&self, access: &RowAccess<'_>, row: usize, out: &mut Vec<(usize, f64)>) {
        out.clear();
        match access {
            RowAccess::Sparse(x) => {
                let (indices, values) = x.row(row);
                out.extend(indices.iter().zip(values).filter(|(j, _)| self.spread[**j as usize] > 0.0).map(|(&j, v)| {
                    let j = j as usize;
                    (j, v / self.spread[j])
                }));
            }
            RowAccess::Dense(x) => {
                let cells = x.row(row).unwrap_or(&[]).iter().enumerate().filter(|(j, _)| self.spread[*j] > 0.0);
                out.extend(cells.map(|(j, v)| (j, (v - self.center.get(j).copied().unwrap_or(0.0)) / self.spread[j])));
            }
        }
    }

    /// The gradients of all rows at the start.
    fn first_gradients(&mut self, order: &[usize], access: &RowAccess<'_>) {
        let (v, n) = (self.vectors, order.len() as f64);
        let (mut cells, mut z, mut residual) = (Vec::new(), vec![0.0; v], vec![0.0; v]);
        for &i in order {
            self.cells(access, i, &mut cells);
            z.copy_from_slice(&self.intercepts);
            for &(j, x) in &cells {
                z.iter_mut().zip(&self.weights[j * v..]).for_each(|(z, w)| *z += x * w);
            }
            self.residual(i, &z, &mut residual);
            self.last[i * v..(i + 1) * v].copy_from_slice(&residual);
            for &(j, x) in &cells {
                self.mean[j * v..(j + 1) * v].iter_mut().zip(&residual).for_each(|(m, r)| *m += r * x / n);
            }
            self.mean_intercepts.iter_mut().zip(&residual).for_each(|(m, r)| *m += r / n);
        }
    }

    /// One visit of every row.
    fn round(&mut self, order: &[usize], access: &RowAccess<'_>, step: f64, kind: StochasticMethod) {
        let (v, n) = (self.vectors, order.len() as f64);
        let (mut cells, mut z, mut residual) = (Vec::new(), vec![0.0; v], vec![0.0; v]);
        self.sums.fill(0.0);
        self.intercept_sums.fill(0.0);
        self.now = 0;
        self.moved.fill(0);
        for &i in order {
            self.cells(access, i, &mut cells);
            for &(j, _) in &cells {
                self.catch_up(j, step, kind);
            }
            z.copy_from_slice(&self.intercepts);
            for &(j, x) in &cells {
                z.iter_mut().zip(&self.weights[j * v..]).for_each(|(z, w)| *z += x * w);
            }
            self.residual(i, &z, &mut residual);
            if kind == StochasticMethod::Saga {
                residual.iter_mut().zip(&mut self.last[i * v..]).for_each(|(r, last)| {
                    let now = *r;
                    *r -= *last;
                    *last = now;
                });
            }
            self.now += 1;
            for &(j, x) in &cells {
                let ElasticPenalty { l1, l2 } = self.penalty[j];
                for (c, r) in residual.iter().enumerate() {
                    let at = j * v + c;
                    let moved = self.weights[at] - step * (r * x + self.mean[at]);
                    self.weights[at] = soft_threshold(moved, step * l1) / (1.0 + step * l2);
                    match kind {
                        StochasticMethod::Saga => self.mean[at] += r * x / n,
                        StochasticMethod::Sgd => self.sums[at] += self.weights[at],
                    }
                }
                self.moved[j] = self.now;
            }
            if self.rows.problem.intercept {
                for (c, r) in residual.iter().enumerate() {
                    self.intercepts[c] -= step * (r + self.mean_intercepts[c]);
                    match kind {
                        StochasticMethod::Saga => self.mean_intercepts[c] += r / n,
                        StochasticMethod::Sgd => self.intercept_sums[c] += self.intercepts[c],
                    }
                }
            }
        }
        for j in 0..self.cols {
            self.catch_up(j, step, kind);
        }
    }

    /// Moves a column by the steps of the rows that did not have it.
    fn catch_up(&mut self, j: usize, step: f64, kind: StochasticMethod) {
        let missed = self.now - self.moved[j];
        if missed == 0 || self.spread[j] == 0.0 {
            return;
        }
        self.moved[j] = self.now;
        let ElasticPenalty { l1, l2 } = self.penalty[j];
        let keep = 1.0 / (1.0 + step * l2);
        for at in j * self.vectors..(j + 1) * self.vectors {
            let w = self.weights[at];
            if kind == StochasticMethod::Sgd {
                let last = keep.powf(missed as f64);
                let sum = if keep < 1.0 { keep * (1.0 - last) / (1.0 - keep) } else { missed as f64 };
                self.sums[at] += w * sum;
                self.weights[at] = w * last;
            } else {
                self.weights[at] = drift(w, missed, step * self.mean[at], step * l1, keep);
            }
        }
    }

    /// The derivatives of the weighted loss of a row by its scores.
    fn residual(&self, row: usize, z: &[f64], out: &mut [f64]) {
        let weight = self.rows.labels.weight_of(row);
        if self.vectors == 1 {
            let y = f64::from(u8::from(self.rows.labels.positive[row]));
            out[0] = weight * (sigmoid(z[0]) - y);
            return;
        }
        let total = log_sum_exp(z);
        for (c, (o, z)) in out.iter_mut().zip(z).enumerate() {
            let y = f64::from(u8::from(self.rows.labels.places[row] as usize == c));
            *o = weight * ((z - total).exp() - y);
        }
    }

    /// All weights and intercepts in the units of the walk.
    fn state(&self) -> Vec<f64> {
        self.weights.iter().chain(&self.intercepts).copied().collect()
    }

    /// Their means over the steps of the last round.
    fn mean(&self, steps: usize) -> Vec<f64> {
        let intercepts = match self.rows.problem.intercept {
            true => self.intercept_sums.iter().map(|s| s / steps as f64).collect(),
            false => self.intercepts.clone(),
        };
        self.sums.iter().map(|s| s / steps as f64).chain(intercepts).collect()
    }

    /// The point of a state.
    fn point(&self, state: &[f64]) -> WeightPoint {
        let (v, cols) = (self.vectors, self.cols);
        let mut intercept = state[cols * v..].to_vec();
        let mut coef = vec![0.0; cols * v];
        for j in (0..cols).filter(|&j| self.spread[j] > 0.0) {
            for c in 0..v {
                let w = state[j * v + c] / self.spread[j];
                coef[c * cols + j] = w;
                intercept[c] -= w * self.center.get(j).copied().unwrap_or(0.0);
            }
        }
        WeightPoint { coef, intercept }
    }
}

/// `steps` times w ← keep · soft(w - pull, threshold), at once. On either side of 0 that is an affine map, whose powers are known; at 0 it
/// stays when the threshold holds it.
fn drift(mut w: f64, mut steps: u64, pull: f64, threshold: f64, keep: f64) -> f64 {
    let once = |w: f64| keep * soft_threshold(w - pull, threshold);
    while steps > 0 {
        if w == 0.0 && pull.abs() <= threshold {
            return 0.0;
        }
        let side = if w != 0.0 { w.signum() } else { -pull.signum() };
        // On this side the map is w ← keep (w - push).
        let push = pull + side * threshold;
        let after = |k: u64| {
            let power = keep.powf(k as f64);
            let sum = if keep < 1.0 { keep * (1.0 - power) / (1.0 - keep) } else { k as f64 };
            power * w - push * sum
        };
        if side * after(steps) > 0.0 {
            return after(steps);
        }
        // The last step that ends on this side; the ones before do too, since the path is monotone.
        let (mut low, mut high) = (0, steps);
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if side * after(middle) > 0.0 { low = middle } else { high = middle }
        }
        if low > 0 {
            w = after(low);
        }
        w = once(w);
        steps -= low + 1;
    }
    w
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_that_were_missed_are_made_up_for_exactly() {
        let mut s = RngStream::new(1, "drift", 0);
        for _ in 0..2000 {
            let (w, pull) = (s.normal(), 0.3 * s.normal());
            let threshold = if s.below(3) == 0 { 0.0 } else { 0.2 * s.uniform() };
            let keep = if s.below(3) == 0 { 1.0 } else { 0.8 + 0.2 * s.uniform() };
            let steps = 1 + s.below(60) as u64;
            let mut slow = w;
            for _ in 0..steps {
                slow = keep * soft_threshold(slow - pull, threshold);
            }
            let fast = drift(w, steps, pull, threshold, keep);
            assert!((fast - slow).abs() <= 1e-12 * (1.0 + slow.abs()), "{w} {steps} {pull} {threshold} {keep}: {fast} {slow}");
        }
    }
}
