//! Measures for groupings.

use ermine_core::{Features, MatRef, Result};
use rayon::prelude::*;

/// Silhouettes compare every row with every other; beyond this many rows an even sample of this size stands for all.
const SILHOUETTE_ROWS: usize = 10_000;

/// Sum of squared distances of rows to their centres.
pub fn inertia(x: MatRef<'_, f64>, centres: MatRef<'_, f64>, labels: &[u32], weight: Option<&[f64]>) -> f64 {
    let row = |i: usize| {
        let c = labels[i] as usize;
        let d: f64 = (0..x.cols()).map(|j| (x.at(i, j) - centres.at(c, j)).powi(2)).sum();
        d * weight.map_or(1.0, |w| w[i])
    };
    (0..x.rows()).map(row).sum()
}

/// The same groups, numbered from 0 on without gaps; noise is one of them.
fn numbered(labels: &[u32]) -> Vec<u32> {
    let mut known = labels.to_vec();
    known.sort_unstable();
    known.dedup();
    labels.iter().map(|l| known.binary_search(l).map_or(0, |at| at as u32)).collect()
}

/// The adjusted Rand index of two groupings (Hubert and Arabie 1985). Rows without a group count as a group.
pub fn adjusted_rand(a: &[u32], b: &[u32]) -> f64 {
    let (a, b) = (&numbered(a)[..], &numbered(b)[..]);
    let size = |labels: &[u32]| labels.iter().max().map_or(0, |m| *m as usize + 1);
    let (ka, kb) = (size(a), size(b));
    let mut table = vec![0u64; ka * kb];
    for (&i, &j) in a.iter().zip(b) {
        table[i as usize * kb + j as usize] += 1;
    }
    let pairs = |n: u64| n as f64 * (n as f64 - 1.0) / 2.0;
    let both: f64 = table.iter().map(|&n| pairs(n)).sum();
    let in_a: f64 = (0..ka).map(|i| pairs(table[i * kb..(i + 1) * kb].iter().sum())).sum();
    let in_b: f64 = (0..kb).map(|j| pairs((0..ka).map(|i| table[i * kb + j]).sum())).sum();
    let expected = in_a * in_b / pairs(a.len() as u64);
    let most = (in_a + in_b) / 2.0;
    if most == expected || a.len() < 2 { 1.0 } else { (both - expected) / (most - expected) }
}

/// The rows that stand for all `n` in a silhouette: an even sample of large data.
pub(super) fn silhouette_rows(n: usize) -> Vec<usize> {
    (0..n.min(SILHOUETTE_ROWS)).map(|i| if n > SILHOUETTE_ROWS { i * n / SILHOUETTE_ROWS } else { i }).collect()
}

/// The mean silhouette (Rousseeuw 1987) with Euclidean distances, or `None` when there are not between 2 and n - 1 groups. Rows
/// without a group count as a group.
/// Large data is represented by an even sample of 10,000 rows.
pub fn silhouette(x: &Features<'_>, labels: &[u32]) -> Result<Option<f64>> {
    let rows = silhouette_rows(x.rows());
    let sample = x.take(&rows);
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
