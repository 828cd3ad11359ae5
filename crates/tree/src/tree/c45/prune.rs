//! Pessimistic pruning: how many errors to expect of a leaf on new rows.

use ermine_math::distribution::incomplete_beta;

/// Errors to expect among `n` new rows of a leaf that makes `e` errors on its `n` training rows: n times the upper limit
/// U of the error rate, the rate at which e or fewer errors have probability `confidence`,
/// `sum over k <= e of C(n, k) U^k (1 - U)^(n - k) = confidence`.
/// Through the incomplete beta function it holds for shares of rows as well.
pub(super) fn expected_errors(n: f64, e: f64, confidence: f64) -> f64 {
    if n <= 0.0 {
        return 0.0;
    }
    if e <= 0.0 {
        return -n * (confidence.ln() / n).exp_m1();
    }
    if e >= n {
        return n;
    }
    // The probability falls as the rate rises; the limit lies above the rate that was seen.
    let probability = |u: f64| incomplete_beta(n - e, e + 1.0, 1.0 - u, u).0;
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if probability(middle) > confidence {
            low = middle;
        } else {
            high = middle;
        }
    }
    n * 0.5 * (low + high)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_those_of_quinlans_book_and_of_the_binomial() {
        // Quinlan 1993, section 4.2. His U.25(1, 16) = 0.157 is an approximation of the limit, which is 0.1596.
        for (n, e, limit) in [(6.0, 0.0, 0.206), (9.0, 0.0, 0.143), (1.0, 0.0, 0.750), (16.0, 1.0, 0.1596)] {
            let errors = expected_errors(n, e, 0.25) / n;
            assert!((errors - limit).abs() < 6e-4, "U({e}, {n}) = {errors}, not {limit}");
        }
        for (n, e) in [(16u32, 1u32), (30, 7), (5, 4), (200, 3)] {
            let u = expected_errors(f64::from(n), f64::from(e), 0.25) / f64::from(n);
            let mut term = (1.0 - u).powi(n as i32);
            let mut sum = term;
            for k in 1..=e {
                term *= f64::from(n - k + 1) / f64::from(k) * u / (1.0 - u);
                sum += term;
            }
            assert!((sum - 0.25).abs() < 1e-10, "{n} {e}: {sum}");
        }
        assert_eq!(expected_errors(3.0, 3.0, 0.25), 3.0);
        assert!(expected_errors(10.0, 1e-12, 0.25) - expected_errors(10.0, 0.0, 0.25) < 1e-6);
    }
}
