//! Thresholds with a guaranteed bound on one kind of error.

use ermine_core::{Error, Result};
use ermine_math::distribution::incomplete_beta;
use serde::{Deserialize, Serialize};

/// A threshold with its bound and confidence.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ThresholdBound {
    /// Rows from this score on are predicted positive.
    pub threshold: f64,
    /// The bound on the rate.
    pub bound: f64,
    /// The probability over samples that the population rate at the threshold is within the bound; at least the
    /// requested one.
    pub confidence: f64,
    /// The rate on the sample.
    pub rate: f64,
    /// The rate of the other kind of error on the sample.
    pub other: f64,
}

/// The lowest threshold whose population false positive rate is at most `bound`, with probability at least
/// `confidence`.
///
/// A threshold chosen by the sample rate would exceed the bound on new rows in half of all cases. Of n scores of
/// negative rows, in ascending order, the rate above the k-th is within the bound with probability P(X < k) for X
/// binomial (n, 1 - bound), whatever the distribution of the scores; the least sufficient k is taken. The rows must not
/// have been used to train the scores.
///
/// X. Tong, Y. Feng, J. J. Li (2018), Neyman-Pearson classification algorithms and NP receiver operating characteristics, Science Advances 4.
pub fn threshold_for_fpr(positive: &[bool], score: &[f64], bound: f64, confidence: f64) -> Result<ThresholdBound> {
    let (k, sure, mut negatives) = order_statistic(positive, score, false, bound, confidence, 1.0)?;
    ermine_core::order::sort_numbers(&mut negatives);
    // Rows above that score, not at it.
    let threshold = negatives[k - 1].next_up();
    let share = |want: bool, above: bool| rate(positive, score, want, |s| (s >= threshold) == above);
    Ok(ThresholdBound { threshold, bound, confidence: sure, rate: share(false, true), other: share(true, false) })
}

/// The highest threshold whose population false negative rate is at most `bound`, with probability at least
/// `confidence`: [`threshold_for_fpr`] with the two classes exchanged.
pub fn threshold_for_fnr(positive: &[bool], score: &[f64], bound: f64, confidence: f64) -> Result<ThresholdBound> {
    let (k, sure, mut positives) = order_statistic(positive, score, true, bound, confidence, -1.0)?;
    ermine_core::order::sort_numbers(&mut positives);
    let threshold = -positives[k - 1];
    let share = |want: bool, above: bool| rate(positive, score, want, |s| (s >= threshold) == above);
    Ok(ThresholdBound { threshold, bound, confidence: sure, rate: share(true, false), other: share(false, true) })
}

fn rate(positive: &[bool], score: &[f64], want: bool, hit: impl Fn(f64) -> bool) -> f64 {
    let (mut hits, mut all) = (0.0, 0.0);
    for (_, &s) in positive.iter().zip(score).filter(|(p, _)| **p == want) {
        hits += f64::from(hit(s));
        all += 1.0;
    }
    if all > 0.0 { hits / all } else { f64::NAN }
}

/// The rank of the order statistic, its confidence, and the scores of one class, multiplied by `sign`.
fn order_statistic(
    positive: &[bool],
    score: &[f64],
    class: bool,
    bound: f64,
    confidence: f64,
    sign: f64,
) -> Result<(usize, f64, Vec<f64>)> {
    if positive.len() != score.len() {
        return Err(Error::Length { what: "scores".into(), expected: positive.len(), found: score.len() });
    }
    if let Some(row) = score.iter().position(|s| s.is_nan()) {
        return Err(Error::NotFinite { column: "score".into(), row, value: "NaN".into() });
    }
    for (what, v) in [("bound", bound), ("confidence", confidence)] {
        if !(v > 0.0 && v < 1.0) {
            return Err(Error::Data(format!("a {what} of {v}: it must lie between 0 and 1")));
        }
    }
    let scores: Vec<f64> = (0..score.len()).filter(|&i| positive[i] == class).map(|i| sign * score[i]).collect();
    let n = scores.len();
    // P(X >= k) for X binomial (n, 1 - bound): the probability that the rate above the k-th score is beyond the bound.
    let beyond = |k: usize| incomplete_beta(k as f64, (n - k) as f64 + 1.0, 1.0 - bound, bound).0;
    let needed = ((1.0 - confidence).ln() / (1.0 - bound).ln()).ceil() as usize;
    if n < needed {
        let class = if class { "positive" } else { "negative" };
        return Err(Error::Data(format!(
            "{n} {class} rows cannot guarantee a rate of {bound} with confidence {confidence}: {needed} are needed"
        )));
    }
    // It decreases with k.
    let (mut lo, mut hi) = (1, n);
    while lo < hi {
        let mid = (lo + hi) / 2;
        if beyond(mid) <= 1.0 - confidence {
            hi = mid;
        } else {
            lo = mid + 1;
        }
    }
    Ok((lo, 1.0 - beyond(lo), scores))
}

#[cfg(test)]
mod tests {
    use ermine_core::RngStream;
    use ermine_math::distribution::Normal;

    use super::*;

    #[test]
    fn the_rank_is_the_least_that_the_binomial_allows() {
        // 59 rows and a bound of 5%: 0.95^59 = 0.0485, so that the largest score does, with 95%.
        let score: Vec<f64> = (0..59).map(f64::from).collect();
        let b = threshold_for_fpr(&[false; 59], &score, 0.05, 0.95).unwrap();
        assert!(b.threshold > 58.0 && (b.confidence - (1.0 - 0.95f64.powi(59))).abs() < 1e-12 && b.rate == 0.0);
        let error = threshold_for_fpr(&[false; 58], &score[..58], 0.05, 0.95).unwrap_err().to_string();
        assert!(error.contains("59 are needed"), "{error}");
        let c = threshold_for_fnr(&[true; 59], &score, 0.05, 0.95).unwrap();
        assert_eq!((c.threshold, c.rate), (0.0, 0.0));
        assert!(
            threshold_for_fpr(&[false], &[0.0], 0.0, 0.95).is_err()
                && threshold_for_fpr(&[false], &[f64::NAN], 0.1, 0.5).is_err()
        );
    }

    /// On new rows the rate is known exactly for normal scores; it exceeds the bound in at most the allowed share of
    /// samples.
    #[test]
    fn the_bound_is_kept_on_fresh_data_at_the_stated_confidence() {
        let (trials, n) = (2000, 150);
        let (mut beyond, mut naive, mut missed) = (0, 0, 0);
        for t in 0..trials {
            let mut s = RngStream::new(6, "bound", t);
            let positive: Vec<bool> = (0..n).map(|i| i % 3 == 0).collect();
            let score: Vec<f64> = positive.iter().map(|&p| s.normal() + 2.0 * f64::from(p)).collect();
            let b = threshold_for_fpr(&positive, &score, 0.1, 0.9).unwrap();
            beyond += usize::from(Normal.sf(b.threshold) > 0.1);
            let c = threshold_for_fnr(&positive, &score, 0.2, 0.9).unwrap();
            missed += usize::from(Normal.cdf(c.threshold - 2.0) > 0.2);
            // The naive rule, which takes the sample rate for the population rate.
            let mut negatives: Vec<f64> = (0..n).filter(|i| i % 3 != 0).map(|i| score[i]).collect();
            ermine_core::order::sort_numbers(&mut negatives);
            naive += usize::from(Normal.sf(negatives[89]) > 0.1);
        }
        // 10% of 2000 and three standard errors.
        let most = (0.1 + 3.0 * (0.09f64 / trials as f64).sqrt()) * trials as f64;
        assert!((beyond as f64) < most && (missed as f64) < most, "{beyond} {missed}");
        assert!(beyond > 40 && missed > 40, "the threshold is needlessly careful: {beyond} {missed}");
        assert!(naive > 700, "{naive}");
    }
}
