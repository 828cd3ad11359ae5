//! Entropy, cross-entropy, divergences; all in nats.

/// -p log q, 0 where p is 0, infinite where q alone is.
fn surprise(p: f64, q: f64) -> f64 {
    if p == 0.0 { 0.0 } else { -p * q.ln() }
}

/// The entropy -Σ p log p of probabilities that sum to 1, in nats. 0 log 0 is 0.
///
/// ```
/// use ermine_math::probability::entropy;
/// assert!((entropy(&[0.5, 0.5]) - 2f64.ln()).abs() < 1e-15);
/// ```
pub fn entropy(p: &[f64]) -> f64 {
    p.iter().map(|&p| surprise(p, p)).sum()
}

/// The cross-entropy -Σ p log q. Infinite where q is 0 and p is not.
pub fn cross_entropy(p: &[f64], q: &[f64]) -> f64 {
    p.iter().zip(q).map(|(&p, &q)| surprise(p, q)).sum()
}

/// The Kullback–Leibler divergence, Σ p log(p / q); never negative, 0 only for p = q, and not symmetric.
pub fn divergence(p: &[f64], q: &[f64]) -> f64 {
    // Term by term p log(p/q) + q - p is not negative, so that nothing cancels.
    p.iter()
        .zip(q)
        .map(|(&p, &q)| {
            if q == 0.0 && p > 0.0 {
                f64::INFINITY
            } else if q == 0.0 {
                0.0
            } else {
                crate::distribution::relative_entropy(p, q)
            }
        })
        .sum()
}

/// The Jensen–Shannon divergence: the mean divergence of both from their mixture; symmetric, at most log 2.
pub fn jensen_shannon(p: &[f64], q: &[f64]) -> f64 {
    let middle: Vec<f64> = p.iter().zip(q).map(|(p, q)| 0.5 * (p + q)).collect();
    0.5 * (divergence(p, &middle) + divergence(q, &middle))
}

/// The mutual information Σ p(x, y) log(p(x, y) / (p(x) p(y))), from the table of joint probabilities by rows.
pub fn mutual_information(joint: &[f64], columns: usize) -> f64 {
    let (rows, cols) = margins(joint, columns);
    let independent: Vec<f64> = (0..joint.len()).map(|k| rows[k / columns] * cols[k % columns]).collect();
    divergence(joint, &independent)
}

/// The conditional entropy of the columns given the row, Σ p(x, y) log(p(x) / p(x, y)).
pub fn conditional_entropy(joint: &[f64], columns: usize) -> f64 {
    entropy(joint) - entropy(&margins(joint, columns).0)
}

fn margins(joint: &[f64], columns: usize) -> (Vec<f64>, Vec<f64>) {
    let rows = joint.chunks(columns).map(|r| r.iter().sum()).collect();
    let cols = (0..columns).map(|c| joint.iter().skip(c).step_by(columns).sum()).collect();
    (rows, cols)
}

/// The divergence of two normal distributions, first from second, given by means and standard deviations:
/// log(s₂/s₁) + (s₁² + (m₁ - m₂)²) / (2 s₂²) - 1/2.
pub fn gaussian_divergence((m1, s1): (f64, f64), (m2, s2): (f64, f64)) -> f64 {
    let ratio = (s1 / s2) * (s1 / s2);
    let apart = (m1 - m2) / s2;
    // (r - 1 - log r) / 2 without cancellation near 1.
    0.5 * crate::distribution::relative_entropy(1.0, ratio) + 0.5 * apart * apart
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn shares(v: &[f64]) -> Vec<f64> {
        let total: f64 = v.iter().sum();
        v.iter().map(|x| x / total).collect()
    }

    proptest! {
        #[test]
        fn inequalities_of_information_hold(a in prop::collection::vec(0.01..1.0f64, 6), b in prop::collection::vec(0.01..1.0f64, 6)) {
            let (p, q) = (shares(&a), shares(&b));
            prop_assert!(entropy(&p) <= 6f64.ln() + 1e-12);
            prop_assert!(divergence(&p, &q) >= 0.0);
            prop_assert!((cross_entropy(&p, &q) - entropy(&p) - divergence(&p, &q)).abs() < 1e-12);
            prop_assert!((jensen_shannon(&p, &q) - jensen_shannon(&q, &p)).abs() < 1e-12 && jensen_shannon(&p, &q) <= 2f64.ln());
            // As a table of two rows and three columns: the chain rule.
            let (rows, cols) = margins(&p, 3);
            let chain = entropy(&cols) - conditional_entropy(&p, 3);
            prop_assert!((mutual_information(&p, 3) - chain).abs() < 1e-12);
            let other = entropy(&rows) - conditional_entropy(&transpose(&p), 2);
            prop_assert!((mutual_information(&p, 3) - other).abs() < 1e-12);
            prop_assert!((mutual_information(&p, 3) - (entropy(&rows) + entropy(&cols) - entropy(&p))).abs() < 1e-12);
        }
    }

    fn transpose(p: &[f64]) -> Vec<f64> {
        (0..3).flat_map(|c| [p[c], p[3 + c]]).collect()
    }

    #[test]
    fn values_by_hand() {
        // 2/3 log 2 + 1/3 log 1/2 = log(2) / 3.
        let (p, q) = ([2.0 / 3.0, 1.0 / 3.0], [1.0 / 3.0, 2.0 / 3.0]);
        assert!((divergence(&p, &q) - 2f64.ln() / 3.0).abs() < 1e-15);
        assert_eq!((divergence(&[1.0, 0.0], &[1.0, 0.0]), divergence(&[0.5, 0.5], &[1.0, 0.0])), (0.0, f64::INFINITY));
        assert_eq!(cross_entropy(&[1.0, 0.0], &[1.0, 0.0]), 0.0);
        assert!((jensen_shannon(&[1.0, 0.0], &[0.0, 1.0]) - 2f64.ln()).abs() < 1e-15);
        // Near each other the divergence is half the squared relative difference: Σ d²/(2p).
        let d = 1e-9;
        assert!((divergence(&[0.5 + d, 0.5 - d], &[0.5, 0.5]) / (2.0 * d * d) - 1.0).abs() < 1e-6);
        assert!((gaussian_divergence((1.0, 2.0), (0.0, 1.0)) - (0.5f64.ln() + 2.5 - 0.5)).abs() < 1e-14);
        assert_eq!(gaussian_divergence((3.0, 2.0), (3.0, 2.0)), 0.0);
    }
}
