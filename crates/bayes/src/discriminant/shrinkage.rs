//! Covariances drawn toward a multiple of the identity.

use ermine_core::{Mat, ParamSpec, Range};
use serde::{Deserialize, Serialize};

/// Shrinkage of a covariance toward a multiple of the identity.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Shrinkage {
    /// Not at all.
    None(()),
    /// By a share between 0 and 1.
    Given(f64),
    /// By the share of Ledoit and Wolf, on standardized columns.
    Named(Auto),
}

/// The one word among the values of [`Shrinkage`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Auto {
    /// Chosen by the data.
    Auto,
}

impl Shrinkage {
    pub(super) const PARAM: ParamSpec = ParamSpec {
        name: "shrinkage",
        doc: "How far covariances C are drawn toward a multiple of the identity: null for not at all, a share s for (1 - s) C + s tr(C)/p I, \
              or \"auto\" for the share of Ledoit and Wolf, which expects the least squared error, on the columns divided by their \
              standard deviations.",
        range: Range::Optional(&Range::Either(
            &Range::Choice(&["auto"]),
            &Range::Real { min: 0.0, max: 1.0, above: false, log: false },
        )),
    };

    pub(super) fn is_none(self) -> bool {
        matches!(self, Self::None(()))
    }

    pub(super) fn is_auto(self) -> bool {
        matches!(self, Self::Named(Auto::Auto))
    }

    /// The covariance of rows of this scatter and weight. For the share of Ledoit and Wolf `fourth` is needed: the sum of the
    /// squared squared lengths of the rows, standardized and about their mean.
    pub(super) fn covariance(self, scatter: &Mat<f64>, weight: f64, fourth: f64) -> Mat<f64> {
        let mut c = scatter.clone();
        if weight > 0.0 {
            c.as_mut_slice().iter_mut().for_each(|v| *v /= weight);
        }
        match self {
            Self::None(()) => {}
            Self::Given(share) => {
                let mean = (0..c.rows()).map(|j| c[(j, j)]).sum::<f64>() / c.rows() as f64;
                draw(&mut c, share, |_| mean);
            }
            Self::Named(Auto::Auto) => {
                let sd = deviations(&c);
                let r = Mat::from_fn(c.rows(), c.cols(), |i, j| c[(i, j)] / (sd[i] * sd[j]));
                let (share, mean) = ledoit_wolf(&r, weight, fourth);
                draw(&mut c, share, |j| mean * sd[j] * sd[j]);
            }
        }
        c
    }
}

/// (1 - share) C + share diag(to).
fn draw(c: &mut Mat<f64>, share: f64, to: impl Fn(usize) -> f64) {
    for i in 0..c.rows() {
        for j in 0..c.cols() {
            c[(i, j)] *= 1.0 - share;
        }
        c[(i, i)] += share * to(i);
    }
}

/// Standard deviations of a covariance; 1 for a column that does not vary.
pub(super) fn deviations(covariance: &Mat<f64>) -> Vec<f64> {
    (0..covariance.rows()).map(|j| covariance[(j, j)].sqrt()).map(|s| if s > 0.0 { s } else { 1.0 }).collect()
}

/// The share of Ledoit and Wolf for a covariance `s` of n rows of p columns, and the mean variance m it draws to.
///
/// With d² = |s - m I|²/p and b² = min(d², Σᵢ |zᵢ zᵢᵀ - s|² / (n² p)), the share is b²/d²; Σᵢ |zᵢ zᵢᵀ - s|² is
/// Σᵢ |zᵢ|⁴ - n |s|², and `fourth` is its first part. (O. Ledoit, M. Wolf, Journal of Multivariate Analysis 88, 2004.)
fn ledoit_wolf(s: &Mat<f64>, n: f64, fourth: f64) -> (f64, f64) {
    let p = s.rows() as f64;
    let trace: f64 = (0..s.rows()).map(|j| s[(j, j)]).sum();
    let squares: f64 = s.as_slice().iter().map(|v| v * v).sum();
    let mean = trace / p;
    let distance = (squares - 2.0 * mean * trace + p * mean * mean) / p;
    let error = ((fourth / n - squares) / (p * n)).min(distance);
    let share = if error > 0.0 && distance > 0.0 { error / distance } else { 0.0 };
    (share, mean)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ermine_core::RngStream;

    /// The definition, by the rows themselves.
    #[test]
    fn the_share_is_the_relative_error_of_the_covariance() {
        let mut rng = RngStream::new(4, "test", 0);
        let (n, p) = (30, 5);
        let x = Mat::from_fn(n, p, |_, j| rng.normal() * (1.0 + j as f64) + f64::from(j as u32));
        let mean: Vec<f64> = (0..p).map(|j| x.view().col_iter(j).sum::<f64>() / n as f64).collect();
        let z = Mat::from_fn(n, p, |i, j| x[(i, j)] - mean[j]);
        let s = Mat::from_fn(p, p, |a, b| (0..n).map(|i| z[(i, a)] * z[(i, b)]).sum::<f64>() / n as f64);
        let m = (0..p).map(|j| s[(j, j)]).sum::<f64>() / p as f64;
        let square = |f: &dyn Fn(usize, usize) -> f64| {
            (0..p).flat_map(|a| (0..p).map(move |b| (a, b))).map(|(a, b)| f(a, b).powi(2)).sum::<f64>() / p as f64
        };
        let d2 = square(&|a, b| s[(a, b)] - if a == b { m } else { 0.0 });
        let b2: f64 = (0..n).map(|i| square(&|a, b| z[(i, a)] * z[(i, b)] - s[(a, b)])).sum::<f64>() / (n * n) as f64;
        let fourth: f64 = (0..n).map(|i| z.row(i).iter().map(|v| v * v).sum::<f64>().powi(2)).sum();
        let (share, to) = ledoit_wolf(&s, n as f64, fourth);
        assert!((share - b2.min(d2) / d2).abs() < 1e-12 && (to - m).abs() < 1e-12, "{share}");
        assert!(share > 0.0 && share < 1.0);
    }
}
