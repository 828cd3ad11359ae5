//! Initialization of k-means: a sample of distinct rows, and greedy k-means++ on it.
//!
//! All randomness comes from hashes of the rows' content. So the order of rows, blocks and threads does not matter, and
//! a row given twice is a row of weight 2.

use std::cmp::Ordering;

#[cfg(feature = "fit")]
use ermine_core::parallel::prelude::*;
use ermine_core::{Context, DatasetRef, Features, Mat, Progress, Result, hash_u64};
use ermine_math::distance::squared;
use serde::{Deserialize, Serialize};

/// The sample has at most this many numbers, unless many clusters need more rows.
const SAMPLE_NUMBERS: usize = 1 << 20;
const SAMPLE_ROWS: usize = 1 << 14;
/// Least rows of the sample per cluster.
const ROWS_A_CLUSTER: usize = 20;

/// Orders rows by their numbers.
pub(super) fn compare_rows(a: &[f64], b: &[f64]) -> Ordering {
    a.iter().zip(b).map(|(a, b)| (a + 0.0).total_cmp(&(b + 0.0))).find(|o| o.is_ne()).unwrap_or(Ordering::Equal)
}

/// Calls `f` with every row as f64.
pub(super) fn each_row(x: &Features<'_>, mut f: impl FnMut(usize, &[f64])) -> Result<()> {
    let mut scratch = Vec::new();
    let mut row = vec![0.0; x.cols()];
    if let Features::Csr(m) = x {
        // Sparse rows may be very wide: one at a time.
        for i in 0..m.rows() {
            m.copy_row(i, &mut row);
            f(i, &row);
        }
        return Ok(());
    }
    let m = x.f64_rows(&mut scratch, "kmeans")?;
    for i in 0..m.rows() {
        match m.row(i) {
            Some(values) => f(i, values),
            None => {
                m.copy_row(i, &mut row);
                f(i, &row);
            }
        }
    }
    Ok(())
}

/// The distinct rows with the least hashes, with their weights.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct HashSample {
    most: usize,
    cols: usize,
    /// Rows with a greater hash are skipped at once; they would not stay anyway, unless many rows are equal.
    limit: u64,
    /// Ascending; rows of equal hash by their numbers.
    hashes: Vec<u64>,
    weight: Vec<f64>,
    numbers: Vec<f64>,
    /// Rows with weight so far.
    seen: u64,
}

impl HashSample {
    /// An empty sample for this many clusters of rows with `cols` numbers.
    pub fn new(clusters: usize, cols: usize) -> Self {
        let most = (SAMPLE_NUMBERS / cols.max(1)).min(SAMPLE_ROWS).max(clusters.saturating_mul(ROWS_A_CLUSTER)).max(256);
        Self { most, cols, limit: u64::MAX, hashes: Vec::new(), weight: Vec::new(), numbers: Vec::new(), seen: 0 }
    }

    /// The same sample with a limit for a known number of rows, for less work.
    pub(super) fn with_limit(self, limit: u64) -> Self {
        Self { limit, ..self }
    }

    /// A limit that twice as many rows as needed are expected to pass.
    pub(super) fn limit_for(&self, rows: usize) -> u64 {
        let share = 2.0 * self.most as f64 / rows as f64;
        if share < 0.5 { (share * u64::MAX as f64) as u64 } else { u64::MAX }
    }

    /// Whether the limit left too few rows.
    pub(super) fn is_short(&self) -> bool {
        self.limit < u64::MAX && self.hashes.len() < self.most
    }

    /// Rows with weight so far, distinct or not.
    pub(super) fn rows(&self) -> u64 {
        self.seen
    }

    /// Distinct rows in the sample.
    pub(super) fn len(&self) -> usize {
        self.hashes.len()
    }

    pub(super) fn weight(&self, i: usize) -> f64 {
        self.weight[i]
    }

    pub(super) fn row(&self, i: usize) -> &[f64] {
        &self.numbers[i * self.cols..(i + 1) * self.cols]
    }

    /// The rows and their weights.
    pub fn weighted_rows(&self) -> impl Iterator<Item = (f64, &[f64])> {
        (0..self.hashes.len()).map(|i| (self.weight[i], self.row(i)))
    }

    /// Adds rows; `seed` decides which distinct rows stay.
    pub fn add(&mut self, rows: &DatasetRef<'_>, seed: u64) -> Result<()> {
        let salt = hash_u64(seed);
        let mut block = Self { hashes: Vec::new(), weight: Vec::new(), numbers: Vec::new(), seen: 0, ..*self };
        let mut finite = true;
        each_row(&rows.x, |i, row| {
            // A sum over columns, so that the order of columns does not matter either.
            let mut hash = salt;
            for &v in row {
                finite &= v.is_finite();
                hash = hash.wrapping_add(hash_u64((v + 0.0).to_bits()));
            }
            let weight = rows.weight_of(i);
            let hash = hash_u64(hash);
            block.seen += u64::from(weight > 0.0);
            if weight > 0.0 && hash <= self.limit {
                block.hashes.push(hash);
                block.weight.push(weight);
                block.numbers.extend_from_slice(row);
            }
        })?;
        if !finite {
            rows.x.refuse_non_finite(rows.schema)?;
        }
        block.sort();
        self.merge(block);
        Ok(())
    }

    fn sort(&mut self) {
        let mut order: Vec<usize> = (0..self.hashes.len()).collect();
        order.sort_by(|&a, &b| self.hashes[a].cmp(&self.hashes[b]).then_with(|| compare_rows(self.row(a), self.row(b))));
        let mut out = Self { hashes: Vec::new(), weight: Vec::new(), numbers: Vec::new(), ..*self };
        for i in order {
            out.push(self.hashes[i], self.weight[i], self.row(i));
        }
        *self = out;
    }

    /// Adds a row that comes after all others in order, or is equal to the last.
    fn push(&mut self, hash: u64, weight: f64, row: &[f64]) {
        let last = self.hashes.len().wrapping_sub(1);
        if self.hashes.last() == Some(&hash) && compare_rows(self.row(last), row).is_eq() {
            self.weight[last] += weight;
        } else if self.hashes.len() < self.most {
            self.hashes.push(hash);
            self.weight.push(weight);
            self.numbers.extend_from_slice(row);
        }
    }

    /// Merges another sample of the same seed.
    pub fn merge(&mut self, other: Self) {
        let seen = self.seen + other.seen;
        if self.hashes.is_empty() {
            *self = other;
        } else if !other.hashes.is_empty() {
            let mut out = Self { hashes: Vec::new(), weight: Vec::new(), numbers: Vec::new(), ..*self };
            let (mut a, mut b) = (0, 0);
            while a < self.hashes.len() || b < other.hashes.len() {
                let left = b >= other.hashes.len()
                    || (a < self.hashes.len()
                        && self.hashes[a].cmp(&other.hashes[b]).then_with(|| compare_rows(self.row(a), other.row(b))).is_le());
                let (from, at) = if left { (&*self, &mut a) } else { (&other, &mut b) };
                out.push(from.hashes[*at], from.weight[*at], from.row(*at));
                *at += 1;
                // A full sample still adds the weight of a row equal to its last.
                if out.hashes.len() == out.most && from.hashes[*at - 1] > out.hashes[out.most - 1] {
                    break;
                }
            }
            *self = out;
        }
        self.seen = seen;
    }

    /// An exponential number of a row and a step: the row with the least of these, each divided by the row's weight, is a
    /// draw with these weights.
    fn draw(&self, i: usize, salt: u64) -> f64 {
        let bits = hash_u64(self.hashes[i] ^ salt) >> 11;
        -((bits as f64 + 0.5) * (1.0 / (1u64 << 53) as f64)).ln()
    }

    /// The `count` rows drawn first with the given weights, without replacement; rows of weight 0 are never drawn.
    fn drawn(&self, weight: impl Fn(usize) -> f64, salt: u64, count: usize) -> Vec<usize> {
        let mut best: Vec<(f64, usize)> = Vec::with_capacity(count + 1);
        for i in 0..self.hashes.len() {
            let w = weight(i);
            if w > 0.0 {
                let arrival = self.draw(i, salt) / w;
                if best.len() < count || arrival < best[count - 1].0 {
                    let at = best.partition_point(|b| b.0 <= arrival);
                    best.insert(at, (arrival, i));
                    best.truncate(count);
                }
            }
        }
        best.into_iter().map(|b| b.1).collect()
    }

    /// Initial centers: greedy k-means++, or rows drawn at random.
    #[cfg(feature = "fit")]
    pub fn centers(&self, k: usize, plus_plus: bool, seed: u64, run: u64, cx: &Context<'_>) -> Result<Mat<f64>> {
        let salt = |step: usize| hash_u64(hash_u64(seed ^ 0x6B6D_6561_6E73) ^ hash_u64(run).wrapping_add(step as u64));
        let chosen = if plus_plus { self.plus_plus(k, salt, cx)? } else { self.drawn(|i| self.weight[i], salt(0), k) };
        // Fewer distinct rows than centers: some centers are equal, and stay without rows.
        let mut out = Mat::zeros(k, self.cols);
        for c in 0..k {
            out.row_mut(c).copy_from_slice(self.row(chosen[c % chosen.len()]));
        }
        Ok(out)
    }

    /// Greedy k-means++: each center is the best of 2 + ln k rows drawn with their squared distances as weights.
    #[cfg(feature = "fit")]
    fn plus_plus(&self, k: usize, salt: impl Fn(usize) -> u64, cx: &Context<'_>) -> Result<Vec<usize>> {
        const CHUNK: usize = 1024;
        let trials = 2 + (k as f64).ln() as usize;
        let mut chosen = self.drawn(|i| self.weight[i], salt(0), 1);
        let mut nearest = vec![f64::INFINITY; self.hashes.len()];
        while chosen.len() < k {
            cx.check(Progress { stage: "start", done: chosen.len() as u64, total: Some(k as u64), objective: None })?;
            let last = self.row(chosen[chosen.len() - 1]);
            nearest.par_iter_mut().enumerate().with_min_len(CHUNK).for_each(|(i, d)| *d = d.min(squared(self.row(i), last)));
            let candidates = self.drawn(|i| self.weight[i] * nearest[i], salt(chosen.len()), trials);
            if candidates.is_empty() {
                break;
            }
            // Chunks of fixed length, so that the sums do not depend on the threads.
            let parts: Vec<Vec<f64>> = (nearest.par_chunks(CHUNK).enumerate())
                .map(|(chunk, nearest)| {
                    let mut sums = vec![0.0; candidates.len()];
                    for (i, &d) in nearest.iter().enumerate() {
                        let i = chunk * CHUNK + i;
                        for (sum, &c) in sums.iter_mut().zip(&candidates) {
                            *sum += self.weight[i] * d.min(squared(self.row(i), self.row(c)));
                        }
                    }
                    sums
                })
                .collect();
            let left = |t: usize| parts.iter().map(|p| p[t]).sum::<f64>();
            let best = (0..candidates.len()).min_by(|&a, &b| left(a).total_cmp(&left(b))).unwrap_or(0);
            chosen.push(candidates[best]);
        }
        Ok(chosen)
    }
}
