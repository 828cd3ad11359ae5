//! Nearest centers with bounds that skip most comparisons.
//!
//! When centers move little from one step to the next, the triangle inequality proves for most rows that they keep
//! their center: a center that was at least l away is now at least l minus its move away (Elkan, ICML 2003; one bound
//! for a group of centers: Ding and others, Yinyang k-means, ICML 2015). A group is what a tile of the kernels compares
//! at once.
//!
//! The labels are those of the full comparison to the last bit: centers are only skipped if they are farther by more
//! than the rounding errors of both scores, and all others are scored by the same sums.

use super::{CenterSums, Centers, Real, StridedRows};

/// Scores that are held at a time; they should stay in the second cache.
const SCORES: usize = 1 << 14;

/// Bounds are kept in f32 and must stay below the truth.
const ROUND_DOWN: f64 = 1.0 - 1e-6;

/// Bounds on the errors of distances and scores.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct DistanceError {
    /// The error of a sum of as many products as there are columns, relative to their sizes.
    relative: f64,
    /// The length of the longest center about the mean of the centers, and the largest bias.
    longest: f64,
    bias: f64,
    /// Largest distance between a center and its rounded form in the scores.
    apart: f64,
}

impl DistanceError {
    pub(super) fn of<T: Real>(centers: &Centers<T>) -> Self {
        let mut longest = 0.0f64;
        for group in &centers.groups {
            let lanes = group.vectors * T::LANES;
            for l in 0..lanes {
                let values = (0..centers.cols).map(|j| centers.packed[group.start + j * lanes + l].to_f64());
                longest = longest.max(values.map(|v| v * v).sum::<f64>().sqrt());
            }
        }
        let bias = centers.bias[..centers.k].iter().fold(0.0f64, |m, b| m.max(b.to_f64().abs()));
        let far = centers.norms.iter().fold(0.0f64, |m, n| m.max(*n));
        Self { relative: (centers.cols + 8) as f64 * T::EPSILON, longest, bias, apart: T::EPSILON * (far + longest) }
    }
}

impl<T: Real> Centers<T> {
    /// Groups of centers that have a bound each.
    pub fn groups(&self) -> usize {
        self.groups.len()
    }

    /// How far the farthest-moving center of each group has moved since `before`, rounded up.
    ///
    /// # Panics
    /// When the centers before were others in number.
    pub fn center_moves(&self, before: &Self) -> Vec<f32> {
        assert!(before.k == self.k && before.cols == self.cols, "the same centers before");
        let moved = |c: usize| {
            let pairs = self.center(c).zip(before.center(c));
            pairs.map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
        };
        let apart = 2.0 * self.rounding.apart.max(before.rounding.apart);
        self.groups
            .iter()
            .map(|g| {
                let most = (g.first..(g.first + g.vectors * T::LANES).min(self.k)).map(moved).fold(0.0f64, f64::max) + apart;
                // Up, whatever the rounding to f32 does.
                ((most * (1.0 + 1e-6)) as f32).next_up()
            })
            .collect()
    }

    /// As [`Centers::nearest_and_sum`], for rows that are known to have belonged to `labels`, with centers that have moved by
    /// `moves` since. `lower` holds one bound per row and group: no center of the group but the row's own is nearer. Minus infinity
    /// is a bound without information. Returns how many pairs of row and group were compared.
    ///
    /// # Panics
    /// When rows, labels, weights, bounds, moves, sums and centers do not fit together, or there is no center.
    pub fn bounded_and_sum(
        &self,
        x: StridedRows<'_, T>,
        weight: Option<&[f64]>,
        labels: &mut [u32],
        lower: &mut [f32],
        moves: &[f32],
        sums: &mut CenterSums<T>,
    ) -> usize {
        let groups = self.groups.len();
        self.check(&x, labels);
        assert!(weight.is_none_or(|w| w.len() == x.rows) && sums.residuals.len() == self.k * self.width);
        assert!(lower.len() == x.rows * groups && moves.len() == groups && labels.iter().all(|&l| (l as usize) < self.k));
        let lanes = 2 * T::LANES;
        // Sums are taken of the same tiles as without bounds, so that they have the same bits.
        let tile = self.tile_rows();
        let step = (SCORES / (groups * lanes)).clamp(8, tile);
        let mut work = TileScratch {
            scores: vec![T::from_f64(0.0); step * groups * lanes],
            listed: vec![Vec::with_capacity(step); groups],
            own: vec![0.0; step],
        };
        let mut compared = 0;
        for from in (0..x.rows).step_by(tile) {
            let to = (from + tile).min(x.rows);
            for first in (from..to).step_by(step) {
                let end = (first + step).min(to);
                let part = x.part(first, end - first);
                let lower = &mut lower[first * groups..end * groups];
                compared += self.bounded_tile(&part, &mut labels[first..end], lower, moves, &mut work);
            }
            let part = x.part(from, to - from);
            T::sum(self, &part, weight.map(|w| &w[from..to]), &labels[from..to], sums);
        }
        compared
    }

    fn bounded_tile(
        &self,
        x: &StridedRows<'_, T>,
        labels: &mut [u32],
        lower: &mut [f32],
        moves: &[f32],
        work: &mut TileScratch<T>,
    ) -> usize {
        let (groups, lanes) = (self.groups.len(), 2 * T::LANES);
        work.listed.iter_mut().for_each(Vec::clear);
        T::own_distances(self, x, labels, &mut work.own[..x.rows]);
        let slack: Vec<f64> = (0..x.rows).map(|i| self.rounding_slack(work.own[i], labels[i] as usize)).collect();
        for (i, lower) in lower.chunks_exact_mut(groups).enumerate() {
            // The bound must lie above this for a group to be ruled out; so written that no number rules nothing out.
            let least = work.own[i] + slack[i];
            let mut fails = false;
            for (l, m) in lower.iter_mut().zip(moves) {
                *l = ((*l - m) as f64 * ROUND_DOWN) as f32;
                fails |= !(*l > 0.0 && f64::from(*l) * f64::from(*l) > least);
            }
            if fails {
                let home = self.group_of(labels[i] as usize);
                for (g, l) in lower.iter().enumerate() {
                    if g == home || !(*l > 0.0 && f64::from(*l) * f64::from(*l) > least) {
                        work.listed[g].push(i as u32);
                    }
                }
            }
        }
        let mut compared = 0;
        for (g, rows) in work.listed.iter().enumerate().filter(|l| !l.1.is_empty()) {
            compared += rows.len();
            T::scores(self, g, x, rows, groups * lanes, &mut work.scores[g * lanes..]);
        }
        if compared == 0 {
            return 0;
        }
        // Rows are listed in their order, so that one place in each list is enough to tell which groups a row is in.
        let mut at = vec![0usize; groups];
        let mut mine: Vec<usize> = Vec::with_capacity(groups);
        for i in 0..x.rows {
            mine.clear();
            for g in 0..groups {
                if work.listed[g].get(at[g]) == Some(&(i as u32)) {
                    at[g] += 1;
                    mine.push(g);
                }
            }
            if mine.is_empty() {
                continue;
            }
            let scores = &work.scores[i * groups * lanes..(i + 1) * groups * lanes];
            let old = labels[i] as usize;
            let (mut best, mut top) = (0, T::from_f64(f64::NEG_INFINITY));
            for &g in &mine {
                let group = &self.groups[g];
                for (l, &s) in scores[g * lanes..g * lanes + group.vectors * T::LANES].iter().enumerate() {
                    // Only a greater score displaces an earlier center.
                    if s > top {
                        (best, top) = (group.first + l, s);
                    }
                }
            }
            let best = best.min(self.k - 1);
            labels[i] = best as u32;
            // |x - c|² of any center is that of the old one plus twice the difference of the scores.
            let home = &self.groups[self.group_of(old)];
            let base = scores[self.group_of(old) * lanes + old - home.first].to_f64();
            for &g in &mine {
                let group = &self.groups[g];
                let mut next = f64::NEG_INFINITY;
                for (l, s) in scores[g * lanes..g * lanes + group.vectors * T::LANES].iter().enumerate() {
                    if group.first + l != best {
                        next = next.max(s.to_f64());
                    }
                }
                let square = work.own[i] + 2.0 * (base - next) - slack[i];
                let bound = square.max(0.0).sqrt() * ROUND_DOWN - self.rounding.apart;
                lower[i * groups + g] = if bound > 0.0 { bound as f32 } else { f32::NEG_INFINITY };
            }
        }
        compared
    }

    fn group_of(&self, center: usize) -> usize {
        // All groups but the last have two vectors.
        center / (2 * T::LANES)
    }

    /// Bound on the rounding error of the difference of |x - c|² of two centers, for a row at a squared distance `own`
    /// from its center: twice the errors of both scores, and that of the distance itself.
    fn rounding_slack(&self, own: f64, center: usize) -> f64 {
        let DistanceError { relative, longest, bias, apart } = self.rounding;
        let distance = own.sqrt();
        let length = self.norms[center] + distance;
        relative * (4.0 * (length * longest + bias) + own) + apart * (2.0 * distance + apart)
    }
}

/// Room for a tile of rows.
struct TileScratch<T> {
    /// Rows by groups by lanes.
    scores: Vec<T>,
    /// The rows that are compared with each group.
    listed: Vec<Vec<u32>>,
    /// The squared distance of each row from its own center.
    own: Vec<f64>,
}
