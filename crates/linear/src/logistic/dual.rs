//! Dual coordinate descent: two classes, a squared penalty, no intercept, sparse rows.
//!
//! With s = ±1 and wᵢ the weight of a row, the dual has one variable per row, αᵢ between 0 and wᵢ, and w = Σ sᵢ αᵢ xᵢ / l2. At the optimum αᵢ
//! = wᵢ σ(-mᵢ) with mᵢ the margin sᵢ w·xᵢ. Each row is written as a margin of its own, from which α follows, so that every number is
//! feasible; a visit makes it agree with the margin that w gives it, by Newton steps on one smooth rising function.
//!
//! Reference: H.-F. Yu, F.-L. Huang, C.-J. Lin (2011), Dual coordinate descent methods for logistic regression and maximum entropy
//! models, Machine Learning 85, which solves for α itself.

use ermine_core::{Context, CsrRef, Progress, Result, RngStream, Trace};
use ermine_math::loss::sigmoid;

use super::super::passes::sparse_dot;
use super::cd::{LogisticSolution, StopLimits};
use super::rows::{LogisticData, WeightPoint};

/// Rows that lie together and are visited together: memory is read in order, and the order is still random enough.
const CHUNK: usize = 8;
/// A row whose margin is off by less than this share of the mean is left for the next round.
const SKIP: f64 = 0.1;
/// Newton steps for one row at most; one or two are the rule.
const NEWTON: usize = 40;
/// Rounds that gain more than this share of the round before are too slow to continue.
const SLOW: f64 = 0.9;
/// Rounds before that is judged.
const PATIENCE: u64 = 8;

/// The result of the rounds.
pub enum DualResult {
    /// The optimum, or the last of the rounds allowed.
    Solved(Box<LogisticSolution>),
    /// They converge too slowly; another method should continue from here.
    TooSlow(WeightPoint),
}

/// Minimizes; `x` are the rows of `rows`.
pub fn minimize(rows: &LogisticData<'_>, x: CsrRef<'_>, limits: StopLimits, cx: &Context<'_>) -> Result<DualResult> {
    let scatter = rows.scatter()?;
    let (n, l2) = (rows.len(), rows.penalty.l2);
    let sign: Vec<f64> = rows.labels.positive.iter().map(|p| if *p { 1.0 } else { -1.0 }).collect();
    let weight: Vec<f64> = (0..n).map(|i| rows.labels.weight_of(i)).collect();
    let square: Vec<f64> = (0..n).map(|i| square(x.row(i)) / l2).collect();
    let mut state = DualState { w: vec![0.0; x.cols()], alpha: vec![0.0; n], margin: vec![0.0; n] };
    let mut order: Vec<usize> = (0..n.div_ceil(CHUNK)).collect();
    let mut trace = Trace::timed(&["iteration", "objective", "duality_gap"]);
    let zero = weight.iter().sum::<f64>() * std::f64::consts::LN_2;
    let (mut skip, mut gain_before, mut objective, mut caution) = (0.0, 0.0, zero, 0.3);
    // At weights of 0 the dual objective is 0.
    trace.push(&[0.0, zero * limits.scale, zero * limits.scale]);
    for round in 0.. {
        cx.report(Progress { stage: "round", done: round, total: None, objective: None })?;
        RngStream::new(cx.seed, "logistic dual", round).shuffle(&mut order);
        let mut total = DualRound { first: round == 0, skip, gain: 0.0, off: 0.0 };
        for &chunk in &order {
            for i in chunk * CHUNK..((chunk + 1) * CHUNK).min(n) {
                if weight[i] > 0.0 {
                    state.visit(x.row(i), i, (sign[i], weight[i], square[i]), l2, &mut total);
                }
            }
        }
        skip = SKIP * (total.off / n as f64).sqrt();
        let rate = total.gain / gain_before;
        gain_before = total.gain;
        let left = if rate < 1.0 { total.gain * rate / (1.0 - rate) } else { f64::INFINITY };
        let target = 50.0 * limits.tol * limits.tol * objective;
        let last = round + 1 >= limits.max_iter || cx.deadline_passed();
        let slow = round >= PATIENCE && rate > SLOW && left > target;
        if slow && !last {
            return Ok(DualResult::TooSlow(state.point()));
        }
        if left <= caution * target || left <= 1e-15 * objective || last {
            let point = state.point();
            let (mut certificate, margin) = rows.certify(&point, &scatter, limits.scale);
            objective = certificate.objective.unwrap_or(f64::MAX) / limits.scale;
            let gap = certificate.duality_gap.unwrap_or(f64::MAX) / limits.scale;
            let gap = gap.min((objective - state.dual(&weight, l2)).max(0.0));
            trace.push(&[(round + 1) as f64, objective * limits.scale, gap * limits.scale]);
            let converged = gap <= (50.0 * limits.tol * limits.tol).max(1e-13) * objective;
            if converged || last {
                certificate.method = "dual coordinate descent".into();
                certificate.iterations = round + 1;
                certificate.converged = converged;
                certificate.duality_gap = Some(gap * limits.scale);
                return Ok(DualResult::Solved(Box::new(LogisticSolution { point, certificate, trace, margin })));
            }
            caution *= 0.1;
        }
    }
    Ok(DualResult::TooSlow(state.point()))
}

/// Σ v², or more where a column is stored twice, which only makes steps shorter.
fn square((indices, values): (&[u32], &[f64])) -> f64 {
    if indices.windows(2).all(|w| w[0] < w[1]) {
        values.iter().map(|v| v * v).sum()
    } else {
        values.iter().map(|v| v.abs()).sum::<f64>().powi(2)
    }
}

struct DualState {
    w: Vec<f64>,
    alpha: Vec<f64>,
    /// The margins that belong to α.
    margin: Vec<f64>,
}

/// State of the current round.
struct DualRound {
    first: bool,
    /// Margins that are off by no more are left alone.
    skip: f64,
    /// The increase of the dual.
    gain: f64,
    /// Σ of the squares by which margins were off.
    off: f64,
}

impl DualState {
    fn point(&self) -> WeightPoint {
        WeightPoint { coef: self.w.clone(), intercept: vec![0.0] }
    }

    /// Makes one row agree with w.
    #[inline]
    fn visit(
        &mut self,
        (indices, values): (&[u32], &[f64]),
        i: usize,
        (sign, weight, square): (f64, f64, f64),
        l2: f64,
        total: &mut DualRound,
    ) {
        let (first, skip) = (total.first, total.skip);
        let implied = sign * sparse_dot(indices, values, &self.w);
        let before = self.alpha[i];
        // At first α is 0, which no margin has; the margin that w gives is as good a start as any.
        let (mut margin, mut alpha) = if first { (implied, weight * sigmoid(-implied)) } else { (self.margin[i], before) };
        // How far the margin is from the one that w would give once α has moved.
        let mut off = margin - implied - square * (alpha - before);
        let bend = |alpha: f64| alpha * (weight - alpha) / weight;
        let steep = 1.0 + square * bend(alpha);
        total.off += off * off / steep;
        total.gain += 0.5 * off * off * bend(alpha) / steep;
        if !first && off.abs() <= skip {
            return;
        }
        // α lies between 0 and the weight, which says where the margin can be; a step that would leave these bounds halves them.
        let (mut low, mut high) = (implied - square * before, implied + square * (weight - before));
        for _ in 0..NEWTON {
            if off > 0.0 {
                high = margin
            } else {
                low = margin
            }
            let next = margin - off / (1.0 + square * bend(alpha));
            let step = next - margin;
            margin = if next > low && next < high { next } else { 0.5 * (low + high) };
            alpha = weight * sigmoid(-margin);
            off = margin - implied - square * (alpha - before);
            if off.abs() <= 0.1 * skip || step.abs() <= 1e-3 && off.abs() <= 1e-9 * (1.0 + margin.abs()) {
                break;
            }
        }
        (self.margin[i], self.alpha[i]) = (margin, alpha);
        let by = sign * (alpha - before) / l2;
        for (&j, v) in indices.iter().zip(values) {
            self.w[j as usize] += by * v;
        }
    }

    /// The dual at α, a lower bound of the objective.
    fn dual(&self, weight: &[f64], l2: f64) -> f64 {
        let entropy = |t: f64| if t > 0.0 { t * t.ln() } else { 0.0 };
        let terms = self.alpha.iter().zip(weight).filter(|(_, w)| **w > 0.0);
        let losses: f64 = terms.map(|(a, w)| w * (entropy(a / w) + entropy(1.0 - a / w))).sum();
        -losses - 0.5 * l2 * self.w.iter().map(|w| w * w).sum::<f64>()
    }
}
