//! Choosing the number of clusters.

use std::ops::RangeInclusive;

use ermine_core::{Context, Dataset, Learner, Result};

use super::KMeans;

/// One number of clusters and what it is worth.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ElbowRow {
    /// The number of clusters.
    pub clusters: usize,
    /// The inertia it reaches; it falls with every further cluster, so the bend is what counts.
    pub inertia: f64,
    /// n p ln(inertia / (n p)) - 2 sum_j n_j ln(n_j / n) + k (p + 1) ln n: the Bayesian information criterion of k spherical
    /// normal groups of one variance with n_j rows, every row in its own group. The least is a candidate for the right number.
    /// (Pelleg and Moore, ICML 2000.)
    pub bic: f64,
}

/// Fits `learner` with every number of clusters in `clusters`, and says what each is worth.
pub fn elbow(learner: &KMeans, data: &Dataset<'_>, clusters: RangeInclusive<usize>, cx: &Context<'_>) -> Result<Vec<ElbowRow>> {
    let (n, p) = (data.total_weight(), data.cols() as f64);
    let row = |k: usize| {
        let model = KMeans { n_clusters: k, ..learner.clone() }.fit(data, cx)?;
        // Without any spread left every further cluster is free of gain.
        let spread = (model.inertia() / (n * p)).max(f64::MIN_POSITIVE);
        let shares: f64 = model.sizes().iter().filter(|w| **w > 0.0).map(|w| w * (w / n).ln()).sum();
        let bic = n * p * spread.ln() - 2.0 * shares + k as f64 * (p + 1.0) * n.ln();
        Ok(ElbowRow { clusters: k, inertia: model.inertia(), bic })
    };
    clusters.map(row).collect()
}
