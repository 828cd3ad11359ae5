//! Choice of the number of clusters.

#[cfg(feature = "fit")]
use ermine_core::parallel::prelude::*;
use ermine_math::distance::squared;
use serde::{Deserialize, Serialize};

use super::init::HashSample;
use super::{ClusterCountRule, KMeans};
use ermine_core::Mat;

/// Rows whose silhouettes are computed: each is compared with every other.
const SILHOUETTES: usize = 2048;

/// Scores of one number of clusters.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ClusterCountScore {
    /// The number of clusters.
    pub clusters: usize,
    /// The inertia; it falls with every further cluster, so the elbow is what counts.
    pub inertia: f64,
    /// What the rule "penalty" minimizes: inertia + penalty k or, without a penalty, the Bayesian information criterion of k
    /// spherical normal groups of one variance with nⱼ rows, every row in its own group (Pelleg and Moore, ICML 2000):
    /// n p ln(inertia / (n p)) - 2 Σⱼ nⱼ ln(nⱼ / n) + k (p + 1) ln n.
    #[serde(rename = "penalised")]
    pub penalized: f64,
    /// The mean silhouette (Rousseeuw 1987) of at most 2048 different rows, drawn at random; none for one cluster.
    pub silhouette: Option<f64>,
}

/// Inputs of the scores.
pub(super) struct ClusterCountScorer<'a> {
    pub learner: &'a KMeans,
    pub sample: &'a HashSample,
    /// The inertia of one cluster, once it is known.
    pub alone: Option<f64>,
}

impl ClusterCountScorer<'_> {
    #[cfg(feature = "fit")]
    pub(super) fn score(&self, centers: &Mat<f64>, sizes: &[f64], inertia: f64) -> ClusterCountScore {
        let (k, p) = (centers.rows(), centers.cols() as f64);
        let n: f64 = sizes.iter().sum();
        let penalized = match self.learner.penalty {
            Some(price) => inertia + price * k as f64,
            None => {
                // Below the rounding error a further cluster gains nothing.
                let rounding = f64::EPSILON * f64::EPSILON * self.alone.unwrap_or(inertia);
                let spread = (inertia.max(rounding) / (n * p)).max(f64::MIN_POSITIVE);
                let shares: f64 = sizes.iter().filter(|w| **w > 0.0).map(|w| w * (w / n).ln()).sum();
                n * p * spread.ln() - 2.0 * shares + k as f64 * (p + 1.0) * n.ln()
            }
        };
        ClusterCountScore { clusters: k, inertia, penalized, silhouette: silhouette(self.sample, centers) }
    }
}

/// The index of the best number of clusters in an ascending list; ties go to the smaller.
pub(super) fn best(rule: ClusterCountRule, tried: &[ClusterCountScore]) -> usize {
    let least = |value: &dyn Fn(&ClusterCountScore) -> f64| {
        (0..tried.len()).fold(0, |b, i| if value(&tried[i]) < value(&tried[b]) { i } else { b })
    };
    match rule {
        ClusterCountRule::Penalty => least(&|t| t.penalized),
        ClusterCountRule::Silhouette => least(&|t| -t.silhouette.unwrap_or(f64::NEG_INFINITY)),
        ClusterCountRule::Elbow => {
            let (first, last) = (&tried[0], &tried[tried.len() - 1]);
            let (width, fall) = ((last.clusters - first.clusters) as f64, first.inertia - last.inertia);
            if width == 0.0 || fall <= 0.0 {
                return 0;
            }
            // Height of a point above the straight line from the first to the last, which are 0; the elbow is deepest
            // below.
            least(&|t| {
                let (x, y) = ((t.clusters - first.clusters) as f64 / width, (t.inertia - last.inertia) / fall);
                y - (1.0 - x)
            })
        }
    }
}

/// The weighted mean silhouette of some rows of the sample: weight 2 is the row twice.
#[cfg(feature = "fit")]
fn silhouette(sample: &HashSample, centers: &Mat<f64>) -> Option<f64> {
    let (k, count) = (centers.rows(), sample.len().min(SILHOUETTES));
    let nearest = |row: &[f64]| {
        let d: Vec<f64> = (0..k).map(|c| squared(row, centers.row(c))).collect();
        (0..k).fold(0, |b, c| if d[c] < d[b] { c } else { b })
    };
    let groups: Vec<usize> = (0..count).into_par_iter().map(|i| nearest(sample.row(i))).collect();
    let mut sizes = vec![0.0; k];
    groups.iter().enumerate().for_each(|(i, &g)| sizes[g] += sample.weight(i));
    let total: f64 = sizes.iter().sum();
    let present = sizes.iter().filter(|s| **s > 0.0).count();
    if present < 2 || present as f64 >= total {
        return None;
    }
    let one = |i: usize| {
        let mut sums = vec![0.0; k];
        for j in 0..count {
            sums[groups[j]] += sample.weight(j) * squared(sample.row(i), sample.row(j)).sqrt();
        }
        let own = groups[i];
        if sizes[own] <= 1.0 {
            return 0.0;
        }
        let inside = sums[own] / (sizes[own] - 1.0);
        let others = (0..k).filter(|&g| g != own && sizes[g] > 0.0).map(|g| sums[g] / sizes[g]);
        let outside = others.fold(f64::INFINITY, f64::min);
        let larger = inside.max(outside);
        if larger > 0.0 { sample.weight(i) * (outside - inside) / larger } else { 0.0 }
    };
    let each: Vec<f64> = (0..count).into_par_iter().map(one).collect();
    Some(each.iter().sum::<f64>() / total)
}
