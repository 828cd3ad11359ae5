//! Loss of a family with a link, over a block of rows.

use super::block::exp_in_place;
use super::{Family, Link};
use crate::distribution::Normal;

/// Sums of a block of rows.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct GlmSums {
    /// Σ weight times [`Family::loss`].
    pub loss: f64,
    /// Pearson's statistic: Σ weight (y - mu)² / V(mu).
    pub pearson: f64,
}

/// Which second derivative by the score.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FisherKind {
    /// The expected one, weight mu'² / V(mu), which is never negative: Fisher's scoring, and standard errors.
    Expected,
    /// The observed one where [`Family::is_convex`], with which Newton's method converges quadratically; else the expected.
    Observed,
}

/// Rows that one round holds in first-level cache.
const TILE: usize = 256;

/// The loss of a block of rows: scores `z` become gradients weight (mu - y) mu' / V(mu), with mu' the derivative of the mean
/// by the score, and `curvature` second derivatives as `information` says. `weight` is all 1 when empty.
///
/// Where a score leads to an impossible mean the loss is infinite.
///
/// # Panics
/// When the lengths differ.
pub fn glm_block(
    (family, link): (Family, Link),
    information: FisherKind,
    z: &mut [f64],
    y: &[f64],
    weight: &[f64],
    curvature: &mut [f64],
) -> GlmSums {
    assert!(y.len() == z.len() && curvature.len() == z.len(), "one target and curvature per row");
    assert!(weight.is_empty() || weight.len() == z.len(), "one weight per row");
    let mut sums = GlmSums::default();
    for start in (0..z.len()).step_by(TILE) {
        let range = start..z.len().min(start + TILE);
        let (z, curvature) = (&mut z[range.clone()], &mut curvature[range.clone()]);
        let y = &y[range.clone()];
        let (mut loss, mut scores) = ([0.0; TILE], [0.0; TILE]);
        let observed = information == FisherKind::Observed && family.is_convex(link) && !family.is_canonical(link);
        if observed && link == Link::Probit {
            scores[..z.len()].copy_from_slice(z);
        }
        match (family.power(), link) {
            (Some(p), Link::Log) => log_link(p, z, y, curvature, &mut loss),
            (None, Link::Logit) => logit(z, y, curvature, &mut loss),
            (None, Link::Probit) => probit(z, y, curvature, &mut loss),
            _ => any(family, link, z, y, curvature, &mut loss),
        }
        let power = family.power().unwrap_or(1.0);
        let mut add = |w: f64, i: usize, z: &mut f64, c: &mut f64| {
            sums.loss += w * loss[i];
            sums.pearson += if *c > 0.0 { w * (*z * *z / *c) } else { 0.0 };
            if observed {
                *c = match link {
                    Link::Probit => probit_curvature(scores[i], y[i]),
                    _ => *c - (power - 1.0) * *z,
                };
            }
            *z *= w;
            *c *= w;
        };
        match weight.is_empty() {
            true => z.iter_mut().zip(curvature).enumerate().for_each(|(i, (z, c))| add(1.0, i, z, c)),
            false => {
                let rows = z.iter_mut().zip(curvature).zip(&weight[range]).enumerate();
                // Not a product with 0, which would let an infinite loss of a row left out through.
                rows.for_each(|(i, ((z, c), &w))| if w > 0.0 { add(w, i, z, c) } else { (*z, *c) = (0.0, 0.0) });
            }
        }
    }
    sums
}

/// With a = mu²⁻ᵖ and b = mu¹⁻ᵖ, of which one is 1 for Poisson and Gamma: gradient a - y b, curvature a.
fn log_link(p: f64, z: &mut [f64], y: &[f64], a: &mut [f64], loss: &mut [f64; TILE]) {
    let n = z.len();
    let mut b = [1.0; TILE];
    let b = &mut b[..n];
    a.fill(1.0);
    if p != 2.0 {
        a.iter_mut().zip(&*z).for_each(|(a, z)| *a = (2.0 - p) * z);
        exp_in_place(a);
    }
    if p != 1.0 {
        b.iter_mut().zip(&*z).for_each(|(b, z)| *b = (1.0 - p) * z);
        exp_in_place(b);
    }
    if p == 1.0 {
        (0..n).for_each(|i| loss[i] = a[i] - y[i] * z[i]);
    } else if p == 2.0 {
        (0..n).for_each(|i| loss[i] = z[i] + y[i] * b[i]);
    } else if p == 0.0 {
        (0..n).for_each(|i| loss[i] = 0.5 * (y[i] - b[i]) * (y[i] - b[i]));
    } else {
        let (fa, fb) = (1.0 / (2.0 - p), 1.0 / (1.0 - p));
        (0..n).for_each(|i| loss[i] = fa * a[i] - fb * y[i] * b[i]);
    }
    (0..n).for_each(|i| z[i] = a[i] - y[i] * b[i]);
}

fn logit(z: &mut [f64], y: &[f64], curvature: &mut [f64], loss: &mut [f64; TILE]) {
    let n = z.len();
    let mut e = [0.0; TILE];
    let e = &mut e[..n];
    e.iter_mut().zip(&*z).for_each(|(e, z)| *e = -z.abs());
    exp_in_place(e);
    for i in 0..n {
        let q = 1.0 / (1.0 + e[i]);
        let (mean, rest) = if z[i] < 0.0 { (e[i] * q, q) } else { (q, e[i] * q) };
        loss[i] = (if z[i] < 0.0 { 0.0 * z[i] } else { z[i] }) - y[i] * z[i] + e[i].ln_1p();
        curvature[i] = e[i] * q * q;
        z[i] = (1.0 - y[i]) * mean - y[i] * rest;
    }
}

fn probit(z: &mut [f64], y: &[f64], curvature: &mut [f64], loss: &mut [f64; TILE]) {
    for i in 0..z.len() {
        let (log_mean, log_rest) = (ln_normal_cdf(z[i]), ln_normal_cdf(-z[i]));
        loss[i] = -(if y[i] > 0.0 { y[i] * log_mean } else { 0.0 }) - if y[i] < 1.0 { (1.0 - y[i]) * log_rest } else { 0.0 };
        // φ / Φ and φ / (1 - Φ), each finite wherever the score is.
        let log_density = -0.5 * z[i] * z[i] - LN_SQRT_TAU;
        let (up, down) = ((log_density - log_mean).exp(), (log_density - log_rest).exp());
        curvature[i] = up * down;
        z[i] = (1.0 - y[i]) * down - y[i] * up;
    }
}

/// The second derivative of the probit loss: φ/Φ (z + φ/Φ) for a success, φ/(1 - Φ) (φ/(1 - Φ) - z) for a failure.
fn probit_curvature(z: f64, y: f64) -> f64 {
    let log_density = -0.5 * z * z - LN_SQRT_TAU;
    let (up, down) = ((log_density - ln_normal_cdf(z)).exp(), (log_density - ln_normal_cdf(-z)).exp());
    (y * up * (z + up)).max(0.0) + ((1.0 - y) * down * (down - z)).max(0.0)
}

/// log √(2π).
const LN_SQRT_TAU: f64 = 0.918_938_533_204_672_8;

/// log Φ(x), also where Φ(x) underflows.
fn ln_normal_cdf(x: f64) -> f64 {
    if x > -30.0 {
        return if x < 0.0 { Normal.cdf(x).ln() } else { (-Normal.sf(x)).ln_1p() };
    }
    let u = 1.0 / (x * x);
    -0.5 * x * x - LN_SQRT_TAU - (-x).ln() + (-u * (1.0 - 3.0 * u * (1.0 - 5.0 * u))).ln_1p()
}

fn any(family: Family, link: Link, z: &mut [f64], y: &[f64], curvature: &mut [f64], loss: &mut [f64; TILE]) {
    for i in 0..z.len() {
        let (mu, slope) = (link.mean(z[i]), link.slope(z[i]));
        let variance = family.variance(mu);
        loss[i] = if z[i].is_nan() { f64::NAN } else { family.loss(y[i], mu) };
        if loss[i].is_finite() && variance > 0.0 {
            curvature[i] = slope * slope / variance;
            z[i] = (mu - y[i]) * slope / variance;
        } else {
            (curvature[i], z[i]) = (0.0, 0.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::family::tests::{ALL, targets};
    use super::*;

    const LINKS: [Link; 5] = [Link::Identity, Link::Log, Link::Logit, Link::Inverse, Link::Probit];

    fn one(family: Family, link: Link, z: f64, y: f64) -> (GlmSums, f64, f64) {
        with(FisherKind::Expected, family, link, z, y)
    }

    fn with(information: FisherKind, family: Family, link: Link, z: f64, y: f64) -> (GlmSums, f64, f64) {
        let (mut z, mut c) = ([z], [0.0]);
        let sums = glm_block((family, link), information, &mut z, &[y], &[], &mut c);
        (sums, z[0], c[0])
    }

    #[test]
    fn the_observed_curvature_is_that_of_finite_differences_and_never_negative() {
        for family in ALL {
            for link in LINKS.into_iter().filter(|&l| family.is_convex(l)) {
                for y in targets(family) {
                    for k in 0..20 {
                        let (z, h) = (-2.4 + 0.25 * f64::from(k), 1e-5);
                        if !family.is_valid_mean(link.mean(z)) {
                            continue;
                        }
                        let difference = (one(family, link, z + h, y).1 - one(family, link, z - h, y).1) / (2.0 * h);
                        let (sums, _, observed) = with(FisherKind::Observed, family, link, z, y);
                        assert!((observed - difference).abs() < 1e-6 * (1.0 + difference.abs()), "{family:?} {link:?} {y} {z}");
                        assert!(observed >= 0.0 && sums == one(family, link, z, y).0);
                        if family.is_canonical(link) {
                            assert_eq!(observed, one(family, link, z, y).2);
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn blocks_follow_family_and_link() {
        for family in ALL {
            for link in LINKS {
                for y in targets(family) {
                    for k in 0..20 {
                        let z = -2.4 + 0.25 * f64::from(k);
                        let mu = link.mean(z);
                        if !family.is_valid_mean(mu) {
                            assert_eq!(one(family, link, z, y).0.loss, f64::INFINITY, "{family:?} {link:?} {z}");
                            continue;
                        }
                        let (sums, gradient, curvature) = one(family, link, z, y);
                        let near = |a: f64, b: f64| (a - b).abs() < 1e-11 * (1.0 + a.abs().max(b.abs()));
                        assert!(near(sums.loss, family.loss(y, mu)), "{family:?} {link:?} {y} {z}");
                        let variance = family.variance(mu);
                        assert!(near(sums.pearson, (y - mu).powi(2) / variance), "{family:?} {link:?} {y} {z}");
                        assert!(near(curvature, link.slope(z).powi(2) / variance), "{family:?} {link:?} {y} {z}");
                        let h = 1e-6;
                        let difference = (one(family, link, z + h, y).0.loss - one(family, link, z - h, y).0.loss) / (2.0 * h);
                        if difference.is_finite() {
                            assert!(
                                (gradient - difference).abs() < 1e-5 * (1.0 + difference.abs()),
                                "{family:?} {link:?} {y} {z}"
                            );
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn extreme_scores_are_finite_where_the_loss_is() {
        for z in [-700.0, -40.0, 40.0, 700.0] {
            for link in [Link::Logit, Link::Probit] {
                for y in [0.0, 0.5, 1.0] {
                    let (sums, gradient, curvature) = one(Family::Binomial, link, z, y);
                    assert!(sums.loss.is_finite() && gradient.is_finite() && curvature.is_finite(), "{link:?} {z} {y}");
                }
            }
        }
        // log Φ(-40) from tables of the logarithm.
        assert!((ln_normal_cdf(-40.0) + 804.608_442_013_754).abs() < 1e-9);
        assert!((ln_normal_cdf(-29.999_999) - ln_normal_cdf(-30.000_001)).abs() < 1e-4);
    }

    #[test]
    fn a_row_of_weight_0_is_absent() {
        let (mut z, mut c) = ([0.3, -1.0, 2.0], [0.0; 3]);
        let sums = glm_block(
            (Family::Poisson, Link::Identity),
            FisherKind::Expected,
            &mut z,
            &[1.0, 1.0, 3.0],
            &[2.0, 0.0, 1.0],
            &mut c,
        );
        assert!(sums.loss.is_finite() && z[1] == 0.0 && c[1] == 0.0);
    }
}
