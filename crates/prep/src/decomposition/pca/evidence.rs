//! The number of components by Minka's evidence.

use ermine_math::distribution::ln_gamma;

/// The number of components with the largest evidence, given all eigenvalues of the covariance (descending) of `rows` rows
/// (Minka 2000, equation 30): at least 1 and fewer than there are eigenvalues.
pub(super) fn most_probable(spectrum: &[f64], rows: f64) -> usize {
    let p = spectrum.len();
    if p < 2 || spectrum[0] <= 0.0 {
        return p.min(1);
    }
    let score = |k: usize| log_evidence(spectrum, k, rows);
    (1..p).map(|k| (k, score(k))).fold((1, f64::NEG_INFINITY), |best, new| if new.1 > best.1 { new } else { best }).0
}

fn log_evidence(spectrum: &[f64], rank: usize, rows: f64) -> f64 {
    let p = spectrum.len();
    // Eigenvalues below this are rounding errors of the first.
    let least = 8.0 * f64::EPSILON * spectrum[0];
    if spectrum[rank - 1] < least {
        return f64::NEG_INFINITY;
    }
    let (pf, kf) = (p as f64, rank as f64);
    let prior: f64 = (1..=rank)
        .map(|i| {
            let half = (p - i + 1) as f64 / 2.0;
            ln_gamma(half) - half * std::f64::consts::PI.ln()
        })
        .sum::<f64>()
        - kf * std::f64::consts::LN_2;
    let kept: f64 = spectrum[..rank].iter().map(|v| v.ln()).sum();
    let noise = (spectrum[rank..].iter().sum::<f64>() / (pf - kf)).max(least);
    let freedom = pf * kf - kf * (kf + 1.0) / 2.0;
    let mut curvature = 0.0;
    for i in 0..rank {
        for j in i + 1..p {
            let other = if j < rank { spectrum[j] } else { noise };
            let term = (spectrum[i] - spectrum[j]) * (1.0 / other - 1.0 / spectrum[i]);
            curvature += term.max(f64::MIN_POSITIVE).ln() + rows.ln();
        }
    }
    prior - kept * rows / 2.0 - noise.ln() * rows * (pf - kf) / 2.0 + (std::f64::consts::TAU).ln() * (freedom + kf) / 2.0
        - curvature / 2.0
        - kf * rows.ln() / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clear_step_in_the_spectrum_is_found() {
        assert_eq!(most_probable(&[10.0, 8.0, 5.0, 0.011, 0.01, 0.0099, 0.0098], 500.0), 3);
        assert_eq!(most_probable(&[10.0, 0.011, 0.01, 0.0099], 500.0), 1);
        // Scale does not matter.
        assert_eq!(most_probable(&[1e-20, 8e-21, 5e-21, 1.1e-23, 1e-23, 9.9e-24], 500.0), 3);
        assert_eq!((most_probable(&[1.0], 9.0), most_probable(&[0.0, 0.0], 9.0)), (1, 1));
    }
}
