//! The order of the merges: nearest-neighbor chains, and the minimum spanning tree for single linkage.

use ermine_core::parallel::prelude::*;
use ermine_core::{Context, Mat, Progress, Result};
use ermine_math::distance::squared;
use ermine_math::neighbors::PairDistances;

use super::Linkage;
use super::tree::Merge;

/// Clusters that one thread compares at a time.
const CHUNK: usize = 2048;

/// Distances between clusters.
pub(super) trait ClusterDistance: Sync {
    /// A monotone function of the distance of two clusters, by their numbers.
    fn key(&self, a: usize, b: usize) -> f64;
    /// Merges cluster `from` into cluster `to`; `others` are the remaining clusters, `key` is the distance of the two.
    fn merge(&mut self, from: usize, to: usize, others: &[usize], key: f64);
    /// The height of a merge.
    fn height(&self, key: f64) -> f64;
    /// Whether comparisons are expensive enough to be parallelized.
    fn is_expensive(&self) -> bool;
}

/// The distances of all pairs, updated by the Lance–Williams formulas.
pub(super) struct DistanceTable {
    /// Distances, squared for Ward: of each row from the rows after it.
    keys: Vec<f64>,
    n: usize,
    sizes: Vec<f64>,
    linkage: Linkage,
}

impl DistanceTable {
    /// Bytes of the table for this many rows.
    pub fn bytes(n: usize) -> u64 {
        n as u64 * (n as u64).saturating_sub(1) / 2 * 8
    }

    pub fn new(n: usize, linkage: Linkage, distance: impl Fn(usize, usize) -> f64 + Sync) -> Self {
        let mut keys = vec![0.0; n * n.saturating_sub(1) / 2];
        let mut rows: Vec<&mut [f64]> = Vec::with_capacity(n);
        let mut rest = &mut keys[..];
        for i in 0..n {
            let (row, after) = rest.split_at_mut(n - 1 - i);
            rows.push(row);
            rest = after;
        }
        rows.into_par_iter().enumerate().for_each(|(i, row)| {
            for (k, v) in row.iter_mut().enumerate() {
                let d = distance(i, i + 1 + k);
                *v = if linkage == Linkage::Ward { d * d } else { d };
            }
        });
        Self { keys, n, sizes: vec![1.0; n], linkage }
    }

    #[inline]
    fn at(&self, a: usize, b: usize) -> usize {
        let (i, j) = if a < b { (a, b) } else { (b, a) };
        // Rows before row i take n - 1, n - 2, … places.
        i * (2 * self.n - i - 1) / 2 + j - i - 1
    }
}

impl ClusterDistance for DistanceTable {
    #[inline]
    fn key(&self, a: usize, b: usize) -> f64 {
        self.keys[self.at(a, b)]
    }

    fn merge(&mut self, from: usize, to: usize, others: &[usize], key: f64) {
        let (x, y) = (self.sizes[from], self.sizes[to]);
        for &i in others.iter().filter(|&&i| i != from && i != to) {
            let (a, place) = (self.key(i, from), self.at(i, to));
            let b = self.keys[place];
            self.keys[place] = match self.linkage {
                Linkage::Single => a.min(b),
                Linkage::Complete => a.max(b),
                Linkage::Average => (x * a + y * b) / (x + y),
                Linkage::Ward => {
                    let z = self.sizes[i];
                    ((z + x) * a + (z + y) * b - z * key) / (x + y + z)
                }
            };
        }
        self.sizes[to] += self.sizes[from];
    }

    fn height(&self, key: f64) -> f64 {
        if self.linkage == Linkage::Ward { key.max(0.0).sqrt() } else { key }
    }

    fn is_expensive(&self) -> bool {
        false
    }
}

/// Ward's distances from the centers of the clusters: slower than a table, in memory linear in the rows.
pub(super) struct WardCenters {
    centers: Mat<f64>,
    sizes: Vec<f64>,
}

impl WardCenters {
    pub fn new(rows: Mat<f64>) -> Self {
        Self { sizes: vec![1.0; rows.rows()], centers: rows }
    }
}

impl ClusterDistance for WardCenters {
    #[inline]
    fn key(&self, a: usize, b: usize) -> f64 {
        let (x, y) = (self.sizes[a], self.sizes[b]);
        // Twice the increase of the sum of squares within clusters.
        2.0 * x * y / (x + y) * squared(self.centers.row(a), self.centers.row(b))
    }

    fn merge(&mut self, from: usize, to: usize, _: &[usize], _: f64) {
        let share = self.sizes[from] / (self.sizes[from] + self.sizes[to]);
        let moved: Vec<f64> = self.centers.row(from).iter().zip(self.centers.row(to)).map(|(a, b)| b + share * (a - b)).collect();
        self.centers.row_mut(to).copy_from_slice(&moved);
        self.sizes[to] += self.sizes[from];
    }

    fn height(&self, key: f64) -> f64 {
        key.sqrt()
    }

    fn is_expensive(&self) -> bool {
        true
    }
}

/// Merges clusters until one is left, by nearest-neighbor chains: from a cluster to its nearest, to the nearest of
/// that, until two are nearest to each other. For reducible linkages the merges are those of always merging the nearest
/// pair, in another order. (F. Murtagh, Computer Journal 26, 1983.)
pub(super) fn nearest_neighbor_chain(apart: &mut impl ClusterDistance, n: usize, cx: &Context<'_>) -> Result<Vec<Merge>> {
    let mut joins = Vec::with_capacity(n - 1);
    let mut active: Vec<usize> = (0..n).collect();
    let mut chain: Vec<usize> = Vec::new();
    while active.len() > 1 {
        if joins.len() % 64 == 0 {
            cx.check(Progress { stage: "joining", done: joins.len() as u64, total: Some(n as u64 - 1), objective: None })?;
        }
        if chain.is_empty() {
            chain.push(active[0]);
        }
        loop {
            let x = chain[chain.len() - 1];
            let before = chain.len().checked_sub(2).map(|p| chain[p]);
            // Ties go to the cluster that the chain came from, so that it ends; else to the first.
            let from = before.map_or((f64::INFINITY, usize::MAX), |b| (apart.key(x, b), b));
            let (key, y) = nearest(apart, x, &active, from);
            if before == Some(y) {
                chain.truncate(chain.len() - 2);
                let (a, b) = (x.min(y), x.max(y));
                joins.push(Merge { a, b, height: apart.height(key) });
                apart.merge(a, b, &active, key);
                if let Ok(at) = active.binary_search(&a) {
                    active.remove(at);
                }
                break;
            }
            chain.push(y);
        }
    }
    Ok(joins)
}

fn nearest(apart: &impl ClusterDistance, x: usize, active: &[usize], from: (f64, usize)) -> (f64, usize) {
    let part = |groups: &[usize], from: (f64, usize)| {
        groups.iter().filter(|&&i| i != x).fold(from, |best, &i| {
            let key = apart.key(x, i);
            if key < best.0 { (key, i) } else { best }
        })
    };
    if !apart.is_expensive() || active.len() < 2 * CHUNK {
        return part(active, from);
    }
    let parts: Vec<(f64, usize)> = active.par_chunks(CHUNK).map(|c| part(c, (f64::INFINITY, usize::MAX))).collect();
    parts.into_iter().fold(from, |best, p| if p.0 < best.0 { p } else { best })
}

/// Single linkage: the edges of the minimum spanning tree of all rows, by Prim's algorithm from row 0, which needs no
/// table.
pub(super) fn minimum_spanning_tree(
    pairs: &(impl Fn(usize, usize) -> f64 + Sync),
    n: usize,
    cx: &Context<'_>,
) -> Result<Vec<Merge>> {
    let mut joins = Vec::with_capacity(n - 1);
    let mut outside: Vec<usize> = (1..n).collect();
    let mut reach: Vec<f64> = vec![f64::INFINITY; n - 1];
    let mut last = 0;
    while !outside.is_empty() {
        if joins.len() % 64 == 0 {
            cx.check(Progress { stage: "joining", done: joins.len() as u64, total: Some(n as u64 - 1), objective: None })?;
        }
        let step = |(k, (rows, reach)): (usize, (&[usize], &mut [f64]))| {
            let mut best = (f64::INFINITY, usize::MAX);
            for (at, (&i, r)) in rows.iter().zip(reach).enumerate() {
                *r = r.min(pairs(last, i));
                if *r < best.0 {
                    best = (*r, k * CHUNK + at);
                }
            }
            best
        };
        let chunks = outside.par_chunks(CHUNK).zip(reach.par_chunks_mut(CHUNK)).enumerate();
        let parts: Vec<(f64, usize)> = chunks.map(step).collect();
        let (height, at) = parts.into_iter().fold((f64::INFINITY, usize::MAX), |b, p| if p.0 < b.0 { p } else { b });
        let at = if at == usize::MAX { 0 } else { at };
        // In order, so that the first of equally near rows is the first row.
        let row = outside.remove(at);
        reach.remove(at);
        joins.push(Merge { a: last, b: row, height });
        last = row;
    }
    Ok(joins)
}

/// [`minimum_spanning_tree`] of rows.
pub(super) fn minimum_spanning_tree_of(pairs: &PairDistances, cx: &Context<'_>) -> Result<Vec<Merge>> {
    minimum_spanning_tree(&|i, j| pairs.distance(i, j), pairs.len(), cx)
}
