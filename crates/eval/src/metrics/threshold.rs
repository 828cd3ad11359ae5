//! Curves over all thresholds of a score: ROC, precision–recall, gain and lift, as data.

use ermine_core::{Error, MatRef, Partial, Result};
use serde::{Deserialize, Serialize};

/// The weight of positive and negative rows at each distinct score: all that a threshold on the score can separate.
///
/// It is a [`Partial`]: parts of the rows are gathered independently and merged, and everything below is computed from
/// the result.
///
/// ```
/// use ermine_eval::metrics::Thresholds;
/// let t = Thresholds::of(&[false, true, false, true], &[0.1, 0.4, 0.4, 0.9], None)?;
/// assert_eq!(t.roc_auc(), Some(0.875));
/// assert_eq!(t.roc().unwrap().tpr, [0.0, 0.5, 1.0, 1.0]);
/// # Ok::<(), ermine_core::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Thresholds {
    /// Distinct scores, descending.
    pub score: Vec<f64>,
    /// The weight of the positive rows of exactly this score.
    pub positive: Vec<f64>,
    /// The weight of the negative rows of exactly this score.
    pub negative: Vec<f64>,
}

/// The four weights of a decision between two classes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct BinaryCounts {
    /// Positive rows predicted positive.
    pub true_positive: f64,
    /// Negative rows predicted positive.
    pub false_positive: f64,
    /// Negative rows predicted negative.
    pub true_negative: f64,
    /// Positive rows predicted negative.
    pub false_negative: f64,
}

fn share(part: f64, of: f64) -> Option<f64> {
    (of > 0.0).then(|| part / of)
}

impl BinaryCounts {
    /// Rows predicted positive.
    pub fn predicted_positive(&self) -> f64 {
        self.true_positive + self.false_positive
    }
    /// The weight of all rows.
    pub fn total(&self) -> f64 {
        self.true_positive + self.false_positive + self.true_negative + self.false_negative
    }
    /// Share of the negative rows predicted positive; `None` without negative rows.
    pub fn false_positive_rate(&self) -> Option<f64> {
        share(self.false_positive, self.false_positive + self.true_negative)
    }
    /// Share of the positive rows predicted negative; `None` without positive rows.
    pub fn false_negative_rate(&self) -> Option<f64> {
        share(self.false_negative, self.true_positive + self.false_negative)
    }
    /// Share of the positive rows predicted positive; `None` without positive rows.
    pub fn recall(&self) -> Option<f64> {
        share(self.true_positive, self.true_positive + self.false_negative)
    }
    /// Share of the negative rows predicted negative; `None` without negative rows.
    pub fn specificity(&self) -> Option<f64> {
        share(self.true_negative, self.false_positive + self.true_negative)
    }
    /// Share of the rows predicted positive that are; `None` where there are none.
    pub fn precision(&self) -> Option<f64> {
        share(self.true_positive, self.predicted_positive())
    }
    /// Share of the rows predicted correctly.
    pub fn accuracy(&self) -> Option<f64> {
        share(self.true_positive + self.true_negative, self.total())
    }
    /// The F measure in which recall counts `beta` times as much as precision; 0 without positive rows and predictions.
    pub fn f(&self, beta: f64) -> f64 {
        let b = beta * beta;
        share((1.0 + b) * self.true_positive, (1.0 + b) * self.true_positive + b * self.false_negative + self.false_positive)
            .unwrap_or(0.0)
    }
}

impl Thresholds {
    /// Gathers rows: which are positive, their scores (higher is more likely positive), their weights.
    pub fn of(positive: &[bool], score: &[f64], weight: Option<&[f64]>) -> Result<Self> {
        let rows = positive.len();
        for (what, found) in [("scores", score.len()), ("sample weights", weight.map_or(rows, <[f64]>::len))] {
            if found != rows {
                return Err(Error::Length { what: what.into(), expected: rows, found });
            }
        }
        if let Some(row) = score.iter().position(|s| s.is_nan()) {
            return Err(Error::NotFinite { column: "score".into(), row, value: "NaN".into() });
        }
        let mut sorted: Vec<(f64, f64, f64)> = (0..rows)
            .map(|i| (score[i], weight.map_or(1.0, |w| w[i]), positive[i]))
            .map(|(s, w, p)| if p { (s, w, 0.0) } else { (s, 0.0, w) })
            .collect();
        // Stable, so that the order of equal scores, and with it the rounding of their sums, is that of the rows.
        rayon::slice::ParallelSliceMut::par_sort_by(&mut sorted[..], |a, b| b.0.total_cmp(&a.0));
        let mut out = Self::default();
        sorted.into_iter().for_each(|(s, p, n)| out.push(s, p, n));
        Ok(out)
    }

    /// One class against the rest, scored by its probabilities.
    pub fn of_class(truth: &[u32], proba: MatRef<'_, f64>, class: usize, weight: Option<&[f64]>) -> Result<Self> {
        let positive: Vec<bool> = truth.iter().map(|&t| t as usize == class).collect();
        let score: Vec<f64> = proba.col_iter(class).collect();
        Self::of(&positive, &score, weight)
    }

    /// Adds rows whose score is not above the last.
    fn push(&mut self, score: f64, positive: f64, negative: f64) {
        match self.score.last() {
            Some(&last) if last == score => {
                let k = self.score.len() - 1;
                self.positive[k] += positive;
                self.negative[k] += negative;
            }
            _ => {
                self.score.push(score);
                self.positive.push(positive);
                self.negative.push(negative);
            }
        }
    }

    /// The weights of all positive and of all negative rows.
    pub fn totals(&self) -> (f64, f64) {
        (self.positive.iter().sum(), self.negative.iter().sum())
    }

    /// Score, weight of the positive and weight of the negative rows from that score on, descending.
    pub fn cumulative(&self) -> impl Iterator<Item = (f64, f64, f64)> + '_ {
        let (mut tp, mut fp) = (0.0, 0.0);
        self.score.iter().zip(self.positive.iter().zip(&self.negative)).map(move |(&s, (p, n))| {
            tp += p;
            fp += n;
            (s, tp, fp)
        })
    }

    /// The counts when rows from `threshold` on are predicted positive.
    pub fn at(&self, threshold: f64) -> BinaryCounts {
        let k = self.score.partition_point(|&s| s >= threshold);
        let sum = |v: &[f64]| v.iter().sum::<f64>();
        BinaryCounts {
            true_positive: sum(&self.positive[..k]),
            false_positive: sum(&self.negative[..k]),
            true_negative: sum(&self.negative[k..]),
            false_negative: sum(&self.positive[k..]),
        }
    }

    /// Area under the ROC curve: the probability that a positive row scores above a negative one, ties counted half. `None`
    /// when one of the two does not occur.
    pub fn roc_auc(&self) -> Option<f64> {
        let (mut above, mut p, mut n) = (0.0, 0.0, 0.0);
        for (a, b) in self.positive.iter().zip(&self.negative) {
            above += b * (p + a / 2.0);
            p += a;
            n += b;
        }
        (p > 0.0 && n > 0.0).then(|| above / (p * n))
    }

    /// Average precision: the sum over thresholds of precision times the gain in recall. `None` without positive rows.
    pub fn average_precision(&self) -> Option<f64> {
        let (mut sum, mut p, mut n) = (0.0, 0.0, 0.0);
        for (a, b) in self.positive.iter().zip(&self.negative) {
            p += a;
            n += b;
            if *a > 0.0 {
                sum += a * p / (p + n);
            }
        }
        (p > 0.0).then(|| sum / p)
    }

    /// The ROC curve; `None` when one of the two classes does not occur.
    pub fn roc(&self) -> Option<RocCurve> {
        let (p, n) = self.totals();
        if !(p > 0.0 && n > 0.0) {
            return None;
        }
        let mut out = RocCurve { threshold: vec![f64::INFINITY], fpr: vec![0.0], tpr: vec![0.0] };
        for (score, tp, fp) in self.cumulative() {
            out.threshold.push(score);
            out.fpr.push((fp / n).min(1.0));
            out.tpr.push((tp / p).min(1.0));
        }
        Some(out)
    }

    /// Precision and recall at every threshold; `None` without positive rows.
    pub fn precision_recall(&self) -> Option<PrecisionRecallCurve> {
        let (p, n) = self.totals();
        if p <= 0.0 {
            return None;
        }
        let mut out =
            PrecisionRecallCurve { threshold: Vec::new(), precision: Vec::new(), recall: Vec::new(), base: p / (p + n) };
        // Scores of rows without weight only are skipped.
        for (score, tp, fp) in self.cumulative().filter(|c| c.1 + c.2 > 0.0) {
            out.threshold.push(score);
            out.precision.push(tp / (tp + fp));
            out.recall.push((tp / p).min(1.0));
        }
        Some(out)
    }

    /// Gain and lift at every threshold; `None` without positive rows.
    pub fn lift(&self) -> Option<LiftCurve> {
        let (p, n) = self.totals();
        if p <= 0.0 {
            return None;
        }
        let mut out = LiftCurve { threshold: Vec::new(), share: Vec::new(), gain: Vec::new(), lift: Vec::new() };
        for (score, tp, fp) in self.cumulative().filter(|c| c.1 + c.2 > 0.0) {
            let (share, gain) = (((tp + fp) / (p + n)).min(1.0), (tp / p).min(1.0));
            out.threshold.push(score);
            out.share.push(share);
            out.gain.push(gain);
            out.lift.push(gain / share);
        }
        Some(out)
    }
}

impl Partial for Thresholds {
    fn merge(&mut self, other: Self) -> Result<()> {
        let mut out = Self::default();
        let (mut i, mut j) = (0, 0);
        while i < self.score.len() || j < other.score.len() {
            let first = match (self.score.get(i), other.score.get(j)) {
                (Some(a), Some(b)) => a >= b,
                (a, _) => a.is_some(),
            };
            let (from, k) = if first { (&*self, &mut i) } else { (&other, &mut j) };
            out.push(from.score[*k], from.positive[*k], from.negative[*k]);
            *k += 1;
        }
        *self = out;
        Ok(())
    }
}

/// The ROC curve: the shares of the negative and of the positive rows predicted positive at each threshold.
///
/// The thresholds descend, so that both rates ascend from (0, 0), where the threshold is infinite (null in JSON), to (1, 1).
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RocCurve {
    /// Rows from this score on are predicted positive.
    pub threshold: Vec<f64>,
    /// False positive rate.
    pub fpr: Vec<f64>,
    /// True positive rate: recall.
    pub tpr: Vec<f64>,
}

impl RocCurve {
    /// The area below, by trapezoids: [`Thresholds::roc_auc`] up to rounding.
    pub fn area(&self) -> f64 {
        let trapezoid = |k: usize| (self.fpr[k] - self.fpr[k - 1]) * (self.tpr[k] + self.tpr[k - 1]) / 2.0;
        (1..self.fpr.len()).map(trapezoid).sum()
    }

    /// The greatest true positive rate of a threshold whose false positive rate is at most `fpr`, and that threshold.
    pub fn tpr_at_fpr(&self, fpr: f64) -> (f64, f64) {
        // Rates ascend along the curve, so the last point within the bound has the greatest.
        let k = self.fpr.partition_point(|&f| f <= fpr).max(1) - 1;
        (self.tpr[k], self.threshold[k])
    }

    /// The greatest difference of the two rates and its threshold: the Kolmogorov–Smirnov statistic, and Youden's J.
    pub fn ks_statistic(&self) -> (f64, f64) {
        let distance = |k: usize| (self.tpr[k] - self.fpr[k]).abs();
        let best = (0..self.fpr.len()).fold(0, |best, k| if distance(k) > distance(best) { k } else { best });
        (distance(best), self.threshold[best])
    }

    /// The curve with at most about `most` points, for drawing: points on straight stretches are removed first, then those nearest to
    /// others. The ends are kept.
    pub fn thinned(&self, most: usize) -> Self {
        let keep = thin_curve(&self.fpr, &self.tpr, most);
        let of = |v: &[f64]| keep.iter().map(|&k| v[k]).collect();
        Self { threshold: of(&self.threshold), fpr: of(&self.fpr), tpr: of(&self.tpr) }
    }
}

/// Precision and recall of predicting rows positive from each threshold on. The thresholds descend, so that recall ascends to 1.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PrecisionRecallCurve {
    /// Rows from this score on are predicted positive.
    pub threshold: Vec<f64>,
    /// Share of the rows predicted positive that are.
    pub precision: Vec<f64>,
    /// Share of the positive rows predicted positive.
    pub recall: Vec<f64>,
    /// Share of positive rows among all: the precision of predicting every row positive.
    pub base: f64,
}

impl PrecisionRecallCurve {
    /// The greatest F measure over all thresholds, with recall counting `beta` times as much, and its threshold.
    pub fn best_f(&self, beta: f64) -> (f64, f64) {
        let b = beta * beta;
        let f = |k: usize| {
            let (p, r) = (self.precision[k], self.recall[k]);
            if b * p + r > 0.0 { (1.0 + b) * p * r / (b * p + r) } else { 0.0 }
        };
        let best = (0..self.recall.len()).fold(0, |best, k| if f(k) > f(best) { k } else { best });
        (f(best), self.threshold[best])
    }

    /// The curve with at most about `most` points, for drawing.
    pub fn thinned(&self, most: usize) -> Self {
        let keep = thin_curve(&self.recall, &self.precision, most);
        let of = |v: &[f64]| keep.iter().map(|&k| v[k]).collect();
        Self { threshold: of(&self.threshold), precision: of(&self.precision), recall: of(&self.recall), base: self.base }
    }
}

/// Gain and lift: the share of the positive rows among those with the highest scores. The thresholds descend, so that the share of
/// rows ascends to 1.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LiftCurve {
    /// Rows from this score on are selected.
    pub threshold: Vec<f64>,
    /// Share of all rows selected.
    pub share: Vec<f64>,
    /// Share of the positive rows among them.
    pub gain: Vec<f64>,
    /// Gain over share: how many times more positive rows than in a random selection of the same size.
    pub lift: Vec<f64>,
}

impl LiftCurve {
    /// Gain and lift of selecting the share `share` of all rows with the highest scores; where it cuts through rows of equal score, as if they
    /// were selected in random order.
    pub fn at(&self, share: f64) -> (f64, f64) {
        let share = share.clamp(0.0, 1.0);
        let k = self.share.partition_point(|&s| s < share).min(self.share.len() - 1);
        let (s0, g0) = if k == 0 { (0.0, 0.0) } else { (self.share[k - 1], self.gain[k - 1]) };
        let gain = g0 + (self.gain[k] - g0) * ((share - s0) / (self.share[k] - s0)).clamp(0.0, 1.0);
        (gain, if share > 0.0 { gain / share } else { self.lift[0] })
    }

    /// The curve with at most about `most` points, for drawing.
    pub fn thinned(&self, most: usize) -> Self {
        let keep = thin_curve(&self.share, &self.gain, most);
        let of = |v: &[f64]| keep.iter().map(|&k| v[k]).collect();
        Self { threshold: of(&self.threshold), share: of(&self.share), gain: of(&self.gain), lift: of(&self.lift) }
    }
}

/// Points of a curve whose x rises that are worth drawing: no inner points of straight stretches, and of those left at most about `most`, at
/// equal distances along the curve.
fn thin_curve(x: &[f64], y: &[f64], most: usize) -> Vec<usize> {
    let n = x.len();
    let mut keep: Vec<usize> = Vec::new();
    for k in 0..n {
        let inner = k > 0 && k + 1 < n && {
            let before = *keep.last().unwrap_or(&0);
            let cross = (x[k] - x[before]) * (y[k + 1] - y[before]) - (x[k + 1] - x[before]) * (y[k] - y[before]);
            cross == 0.0
        };
        if !inner {
            keep.push(k);
        }
    }
    let most = most.max(2);
    if keep.len() <= most {
        return keep;
    }
    let step = |w: &[usize]| (x[w[1]] - x[w[0]]).abs() + (y[w[1]] - y[w[0]]).abs();
    let length: f64 = keep.windows(2).map(step).sum();
    let mut out = vec![keep[0]];
    let (mut gone, mut due) = (0.0, length / (most - 1) as f64);
    for w in keep.windows(2) {
        gone += step(w);
        if gone >= due {
            out.push(w[1]);
            due = (gone / length * (most - 1) as f64).floor().mul_add(length / (most - 1) as f64, length / (most - 1) as f64);
        }
    }
    if out.last() != keep.last() {
        out.push(keep[keep.len() - 1]);
    }
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn rows() -> impl Strategy<Value = Vec<(bool, u8, u8)>> {
        prop::collection::vec((any::<bool>(), 0u8..12, 0u8..4), 1..60)
    }

    proptest! {
        /// Against the definitions, row by row.
        #[test]
        fn every_point_is_what_its_threshold_does(rows in rows()) {
            let positive: Vec<bool> = rows.iter().map(|r| r.0).collect();
            let score: Vec<f64> = rows.iter().map(|r| f64::from(r.1)).collect();
            let weight: Vec<f64> = rows.iter().map(|r| f64::from(r.2)).collect();
            let t = Thresholds::of(&positive, &score, Some(&weight)).unwrap();
            let sum = |want: bool, from: f64| (0..rows.len()).filter(|&i| positive[i] == want && score[i] >= from).map(|i| weight[i]).sum::<f64>();
            let (p, n) = t.totals();
            for &s in &t.score {
                let c = t.at(s);
                prop_assert_eq!((c.true_positive, c.false_positive), (sum(true, s), sum(false, s)));
                prop_assert_eq!(c.total(), p + n);
            }
            if let Some(roc) = t.roc() {
                for k in 1..roc.fpr.len() {
                    let c = t.at(roc.threshold[k]);
                    prop_assert_eq!(Some(roc.fpr[k]), c.false_positive_rate());
                    prop_assert_eq!(Some(roc.tpr[k]), c.recall());
                }
                prop_assert!((roc.area() - t.roc_auc().unwrap()).abs() < 1e-12);
                // The definition over all pairs.
                let pairs: f64 = (0..rows.len()).flat_map(|i| (0..rows.len()).map(move |j| (i, j))).filter(|&(i, j)| positive[i] && !positive[j])
                    .map(|(i, j)| weight[i] * weight[j] * if score[i] > score[j] { 1.0 } else if score[i] == score[j] { 0.5 } else { 0.0 }).sum();
                prop_assert!((pairs / (p * n) - t.roc_auc().unwrap()).abs() < 1e-12);
                let (tpr, at) = roc.tpr_at_fpr(0.25);
                let best = roc.fpr.iter().zip(&roc.tpr).filter(|(f, _)| **f <= 0.25).map(|(_, t)| *t).fold(0.0, f64::max);
                prop_assert_eq!(tpr, best);
                prop_assert!(t.at(at).false_positive_rate().unwrap() <= 0.25);
            }
        }

        #[test]
        fn parts_merge_to_the_whole(rows in rows(), cut in 0usize..60) {
            let of = |rows: &[(bool, u8, u8)]| {
                let positive: Vec<bool> = rows.iter().map(|r| r.0).collect();
                let score: Vec<f64> = rows.iter().map(|r| f64::from(r.1)).collect();
                let weight: Vec<f64> = rows.iter().map(|r| f64::from(r.2)).collect();
                Thresholds::of(&positive, &score, Some(&weight)).unwrap()
            };
            let cut = cut.min(rows.len());
            let mut parts = of(&rows[..cut]);
            parts.merge(of(&rows[cut..])).unwrap();
            // Whole weights, so that the sums are exact.
            prop_assert_eq!(parts, of(&rows));
        }
    }

    #[test]
    fn thin_curves_keep_their_ends_and_their_area() {
        let n = 20_000;
        let mut state = 1u64;
        let mut draw = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 11) as f64 / (1u64 << 53) as f64
        };
        let rows: Vec<(bool, f64)> = (0..n).map(|i| (i % 3 == 0, draw() + if i % 3 == 0 { 0.3 } else { 0.0 })).collect();
        let (positive, score): (Vec<bool>, Vec<f64>) = rows.into_iter().unzip();
        let t = Thresholds::of(&positive, &score, None).unwrap();
        let (whole, thin) = (t.roc().unwrap(), t.roc().unwrap().thinned(200));
        assert!(thin.fpr.len() <= 201, "{}", thin.fpr.len());
        assert_eq!((thin.fpr[0], *thin.tpr.last().unwrap()), (0.0, 1.0));
        // Between two points of a rising curve at most the triangle below or above their chord is missed.
        let most: f64 =
            (1..thin.fpr.len()).map(|k| (thin.fpr[k] - thin.fpr[k - 1]) * (thin.tpr[k] - thin.tpr[k - 1]) / 2.0).sum();
        assert!((whole.area() - thin.area()).abs() <= most && most < 0.005, "{} {} {most}", whole.area(), thin.area());
        let lift = t.lift().unwrap();
        assert!((lift.at(1.0).0 - 1.0).abs() < 1e-12 && lift.at(0.0).0 == 0.0);
        assert!(lift.thinned(50).share.len() <= 51 && t.precision_recall().unwrap().thinned(50).recall.len() <= 51);
    }

    #[test]
    fn what_cannot_be_is_refused_or_absent() {
        assert!(Thresholds::of(&[true], &[], None).is_err());
        assert!(matches!(Thresholds::of(&[true, false], &[0.0, f64::NAN], None), Err(Error::NotFinite { row: 1, .. })));
        let t = Thresholds::of(&[true, true], &[0.1, 0.2], None).unwrap();
        assert!(t.roc().is_none() && t.roc_auc().is_none() && t.precision_recall().is_some());
    }
}
