//! Clustering metrics.

use ermine_core::parallel::prelude::*;
use ermine_core::{Features, Mat, MatRef, Result};

/// Silhouettes compare every row with every other; beyond this many rows an even sample of this size is used.
const SILHOUETTE_ROWS: usize = 10_000;

/// Sum of squared distances of rows to their centers.
pub fn inertia(x: MatRef<'_, f64>, centers: MatRef<'_, f64>, labels: &[u32], weight: Option<&[f64]>) -> f64 {
    let row = |i: usize| {
        let c = labels[i] as usize;
        let d: f64 = (0..x.cols()).map(|j| (x.at(i, j) - centers.at(c, j)).powi(2)).sum();
        d * weight.map_or(1.0, |w| w[i])
    };
    (0..x.rows()).map(row).sum()
}

/// The same clusters, renumbered from 0 on without gaps; noise is one of them.
fn numbered(labels: &[u32]) -> Vec<u32> {
    let mut known = labels.to_vec();
    known.sort_unstable();
    known.dedup();
    labels.iter().map(|l| known.binary_search(l).map_or(0, |at| at as u32)).collect()
}

/// The rows used for the silhouette of `n` rows: an even sample of large data.
pub(super) fn silhouette_rows(n: usize) -> Vec<usize> {
    (0..n.min(SILHOUETTE_ROWS)).map(|i| if n > SILHOUETTE_ROWS { i * n / SILHOUETTE_ROWS } else { i }).collect()
}

/// The mean silhouette (Rousseeuw 1987) with Euclidean distances, or `None` when there are not between 2 and n - 1
/// clusters. Noise rows count as a cluster. Large data are represented by an even sample of 10,000 rows.
pub fn silhouette(x: &Features<'_>, labels: &[u32]) -> Result<Option<f64>> {
    let rows = silhouette_rows(x.rows());
    let sample = x.take_rows(&rows);
    let mut scratch = Vec::new();
    let m = sample.view().f64_rows(&mut scratch, "silhouette")?.to_owned();
    let labels: Vec<u32> = rows.iter().map(|&i| labels[i]).collect();
    let labels: Vec<usize> = numbered(&labels).into_iter().map(|l| l as usize).collect();
    let groups = labels.iter().max().map_or(0, |m| m + 1);
    let mut sizes = vec![0usize; groups];
    labels.iter().for_each(|&l| sizes[l] += 1);
    let present = sizes.iter().filter(|&&s| s > 0).count();
    if present < 2 || present >= labels.len() {
        return Ok(None);
    }
    let one = |i: usize| {
        let mut sums = vec![0.0; groups];
        for j in 0..labels.len() {
            let d: f64 = m.row(i).iter().zip(m.row(j)).map(|(a, b)| (a - b) * (a - b)).sum();
            sums[labels[j]] += d.sqrt();
        }
        let own = labels[i];
        if sizes[own] == 1 {
            return 0.0;
        }
        let inside = sums[own] / (sizes[own] - 1) as f64;
        let other = |g: &usize| *g != own && sizes[*g] > 0;
        let outside = (0..groups).filter(other).map(|g| sums[g] / sizes[g] as f64).fold(f64::INFINITY, f64::min);
        if inside.max(outside) > 0.0 { (outside - inside) / inside.max(outside) } else { 0.0 }
    };
    let each: Vec<f64> = (0..labels.len()).into_par_iter().map(one).collect();
    Ok(Some(each.iter().sum::<f64>() / each.len() as f64))
}

/// Sizes, means and spreads of clusters, for the following metrics.
struct ClusterStats {
    weight: Vec<f64>,
    means: Mat<f64>,
    /// Sum of squared distances of the rows of each group to its mean.
    squares: Vec<f64>,
    /// Mean distance of the rows of each group to its mean.
    distance: Vec<f64>,
}

impl ClusterStats {
    fn of(x: &Features<'_>, labels: &[u32], weight: Option<&[f64]>) -> Result<Self> {
        let mut scratch = Vec::new();
        let m = x.f64_rows(&mut scratch, "measures of clusters")?;
        let groups = labels.iter().max().map_or(0, |m| *m as usize + 1);
        let w = |i: usize| weight.map_or(1.0, |w| w[i]);
        let mut out = Self {
            weight: vec![0.0; groups],
            means: Mat::zeros(groups, m.cols()),
            squares: vec![0.0; groups],
            distance: vec![0.0; groups],
        };
        for i in (0..m.rows()).filter(|&i| w(i) > 0.0) {
            let g = labels[i] as usize;
            out.weight[g] += w(i);
            // The mean moves by a share of the difference.
            let share = w(i) / out.weight[g];
            for (j, mean) in out.means.row_mut(g).iter_mut().enumerate() {
                *mean += (m.at(i, j) - *mean) * share;
            }
        }
        for i in (0..m.rows()).filter(|&i| w(i) > 0.0) {
            let g = labels[i] as usize;
            let square: f64 = out.means.row(g).iter().enumerate().map(|(j, mean)| (m.at(i, j) - mean).powi(2)).sum();
            out.squares[g] += w(i) * square;
            out.distance[g] += w(i) / out.weight[g] * square.sqrt();
        }
        Ok(out)
    }

    fn present(&self) -> Vec<usize> {
        (0..self.weight.len()).filter(|&g| self.weight[g] > 0.0).collect()
    }
}

/// The index of Calinski and Harabasz (1974): the variance between clusters over that within, each by its degrees of
/// freedom; higher is better. `None` where there are not between 2 and n - 1 clusters, or all rows are at their means.
pub fn calinski_harabasz(x: &Features<'_>, labels: &[u32], weight: Option<&[f64]>) -> Result<Option<f64>> {
    let groups = ClusterStats::of(x, labels, weight)?;
    let present = groups.present();
    let (total, k) = (groups.weight.iter().sum::<f64>(), present.len() as f64);
    if present.len() < 2 || k >= total {
        return Ok(None);
    }
    let mean: Vec<f64> =
        (0..x.cols()).map(|j| present.iter().map(|&g| groups.weight[g] / total * groups.means[(g, j)]).sum()).collect();
    let apart = |g: usize| groups.means.row(g).iter().zip(&mean).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
    let between: f64 = present.iter().map(|&g| groups.weight[g] * apart(g)).sum();
    let within: f64 = groups.squares.iter().sum();
    Ok((within > 0.0).then(|| between / (k - 1.0) / (within / (total - k))))
}

/// The index of Davies and Bouldin (1979): the mean over clusters of the overlap with the worst other cluster, (sᵢ +
/// sⱼ) / dᵢⱼ with mean distances s to the centers and distances d between them; lower is better. `None` with fewer than
/// 2 clusters.
pub fn davies_bouldin(x: &Features<'_>, labels: &[u32], weight: Option<&[f64]>) -> Result<Option<f64>> {
    let groups = ClusterStats::of(x, labels, weight)?;
    let present = groups.present();
    if present.len() < 2 {
        return Ok(None);
    }
    let overlap = |a: usize, b: usize| {
        let apart = groups.means.row(a).iter().zip(groups.means.row(b)).map(|(p, q)| (p - q) * (p - q)).sum::<f64>().sqrt();
        let spread = groups.distance[a] + groups.distance[b];
        if spread == 0.0 { 0.0 } else { spread / apart }
    };
    let worst = |&a: &usize| present.iter().filter(|&&b| b != a).map(|&b| overlap(a, b)).fold(0.0, f64::max);
    Ok(Some(present.iter().map(worst).sum::<f64>() / present.len() as f64))
}
