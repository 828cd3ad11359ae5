//! Significance of the difference of two models on the same rows.

use ermine_core::{Error, Result};
use ermine_math::distribution::{ChiSquare, StudentT, incomplete_beta};
use serde::{Deserialize, Serialize};

/// The mean difference of two models with its p-value.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Difference {
    /// First less second.
    pub mean: f64,
    /// Its standard error.
    pub standard_error: f64,
    /// Lower end of an interval of 95%.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// The probability of a difference at least as large where there is none.
    pub p_value: f64,
}

/// The corrected resampled t-test: whether the scores of two models over the rounds of a cross-validation differ
/// significantly.
///
/// Training sets of different rounds overlap, so that their scores are not independent and the plain t-test rejects too
/// often. The variance of the mean is taken as (1/k + test/train) s² in place of s²/k, with `test` and `train` the rows
/// of a round.
///
/// C. Nadeau, Y. Bengio (2003), Inference for the generalization error, Machine Learning 52.
pub fn corrected_t_test(first: &[f64], second: &[f64], test: f64, train: f64) -> Result<Difference> {
    let k = first.len();
    if second.len() != k {
        return Err(Error::Length { what: "rounds of the second model".into(), expected: k, found: second.len() });
    }
    if k < 2 {
        return Err(Error::Data(format!("{k} rounds: a test of differences needs at least 2")));
    }
    let d: Vec<f64> = first.iter().zip(second).map(|(a, b)| a - b).collect();
    let n = k as f64;
    let mean = d.iter().sum::<f64>() / n;
    let variance = d.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / (n - 1.0);
    let standard_error = ((1.0 / n + test / train) * variance).sqrt();
    let law = StudentT { df: n - 1.0 };
    let half = law.isf(0.025) * standard_error;
    let p_value = if standard_error > 0.0 { law.two_sided(mean / standard_error) } else { f64::from(mean == 0.0) };
    Ok(Difference { mean, standard_error, low: mean - half, high: mean + half, p_value })
}

/// McNemar's test: whether two classifiers are right equally often on the same rows, from how often only the first and only the second is right.
/// The p-value is exact, from the binomial distribution with one half, where there are at most 10,000 such rows, and by the corrected chi-square beyond.
///
/// Q. McNemar (1947), Note on the sampling error of the difference between correlated proportions or percentages.
pub fn mcnemar(only_first: u64, only_second: u64) -> f64 {
    let (few, n) = (only_first.min(only_second), only_first + only_second);
    if n == 0 {
        return 1.0;
    }
    if n > 10_000 {
        let apart = only_first.abs_diff(only_second) as f64;
        return ChiSquare { df: 1.0 }.sf((apart - 1.0).max(0.0).powi(2) / n as f64);
    }
    // P(X <= few) for X binomial (n, 1/2), as an incomplete beta function.
    let lower = incomplete_beta((n - few) as f64, few as f64 + 1.0, 0.5, 0.5).0;
    (2.0 * lower).min(1.0)
}

/// [`mcnemar`] from the predictions of two classifiers. Rows of weight 0 are ignored; other weights do not count, since
/// the test counts rows.
pub fn mcnemar_of(truth: &[u32], first: &[u32], second: &[u32], weight: Option<&[f64]>) -> f64 {
    let (mut a, mut b) = (0, 0);
    for i in (0..truth.len()).filter(|&i| weight.is_none_or(|w| w[i] > 0.0)) {
        match (first[i] == truth[i], second[i] == truth[i]) {
            (true, false) => a += 1,
            (false, true) => b += 1,
            _ => {}
        }
    }
    mcnemar(a, b)
}

/// Holm's adjustment of p-values for multiple testing: rejecting all hypotheses with adjusted p-values below a level
/// keeps the family-wise error rate at that level (Holm 1979).
pub fn holm(p: &[f64]) -> Vec<f64> {
    let order = ermine_core::order::argsort(p);
    let mut out = vec![f64::NAN; p.len()];
    let mut most: f64 = 0.0;
    for (k, &i) in order.iter().enumerate() {
        most = most.max(((p.len() - k) as f64 * p[i]).min(1.0));
        out[i] = if p[i].is_nan() { f64::NAN } else { most };
    }
    out
}

#[cfg(test)]
mod tests {
    use ermine_core::RngStream;

    use super::*;

    #[test]
    fn mcnemar_sums_the_binomial() {
        // 2 Σ_{k<=2} C(10, k) / 2^10 = 2 · 56/1024.
        assert!((mcnemar(2, 8) - 112.0 / 1024.0).abs() < 1e-15);
        assert_eq!((mcnemar(0, 0), mcnemar(5, 5), mcnemar(4, 3)), (1.0, 1.0, 1.0));
        assert!((mcnemar(0, 20) - 2f64.powi(-19)).abs() < 1e-20);
        // Beyond the exact range the two agree.
        assert!((mcnemar(4900, 5100) - mcnemar(4905, 5105)).abs() < 0.01);
        assert_eq!(mcnemar_of(&[0, 1, 1], &[0, 1, 0], &[0, 0, 1], None), 1.0);
    }

    #[test]
    fn the_corrected_test_is_wider_than_the_plain_one() {
        let (a, b) = ([0.81, 0.79, 0.84, 0.80, 0.83], [0.79, 0.78, 0.80, 0.79, 0.80]);
        let plain = corrected_t_test(&a, &b, 0.0, 1.0).unwrap();
        let corrected = corrected_t_test(&a, &b, 1.0, 4.0).unwrap();
        // By hand: mean 0.022, variance 1.7e-4; corrected variance of the mean (0.2 + 0.25) 1.7e-4.
        assert!((plain.mean - 0.022).abs() < 1e-15 && (plain.standard_error.powi(2) - 1.7e-4 / 5.0).abs() < 1e-17);
        assert!((corrected.standard_error.powi(2) - 0.45 * 1.7e-4).abs() < 1e-17);
        assert!(plain.p_value < 0.05 && corrected.p_value > plain.p_value);
        assert_eq!(corrected_t_test(&a, &a, 1.0, 4.0).unwrap().p_value, 1.0);
        assert!(corrected_t_test(&a, &b[..4], 1.0, 4.0).is_err() && corrected_t_test(&a[..1], &b[..1], 1.0, 4.0).is_err());
    }

    /// Two means over the rounds of a five-fold split that do not differ in truth: the corrected test errs at most
    /// about as often as its level, the plain one more often.
    #[test]
    fn the_corrected_test_keeps_its_level_where_rounds_share_rows() {
        let (mut corrected, mut plain) = (0, 0);
        let trials = 1000;
        for t in 0..trials {
            let mut s = RngStream::new(9, "level", t);
            // Rounds whose differences share a common part, as those of overlapping training sets do: correlation 0.2.
            let common = s.normal();
            let d: Vec<f64> = (0..5).map(|_| 0.2f64.sqrt() * common + 0.8f64.sqrt() * s.normal()).collect();
            corrected += usize::from(corrected_t_test(&d, &[0.0; 5], 1.0, 4.0).unwrap().p_value < 0.05);
            plain += usize::from(corrected_t_test(&d, &[0.0; 5], 0.0, 4.0).unwrap().p_value < 0.05);
        }
        assert!(corrected <= 70, "{corrected} of {trials}");
        assert!(plain > 90, "{plain} of {trials}");
    }

    #[test]
    fn holm_adjusts_step_by_step() {
        assert_eq!(holm(&[0.01, 0.04, 0.03]), [0.03, 0.06, 0.06]);
        assert_eq!(holm(&[]), Vec::<f64>::new());
    }
}
