//! The rows of a round, and how far its trees go.

use ermine_core::{Mat, RngStream};

use super::loss::{BoostingLoss, BoostingTarget};

/// Rows, targets and weights; rows are numbers of rows of the data.
pub(super) struct BoostingSample {
    pub y: BoostingTarget,
    /// A weight for every row of the data.
    pub weight: Vec<f64>,
    /// The rows that train.
    pub train: Vec<u32>,
    /// The rows held out.
    pub held: Vec<u32>,
}

impl BoostingSample {
    /// The mean loss of some rows.
    pub fn mean_loss(&self, loss: BoostingLoss, raw: &Mat<f64>, rows: impl Iterator<Item = u32>, turn: f64) -> f64 {
        let (mut sum, mut weight) = (0.0, 0.0);
        for i in rows {
            let w = self.weight[i as usize];
            sum += w * loss.value(&self.y, i as usize, raw.row(i as usize), turn);
            weight += w;
        }
        sum / weight
    }

    /// Which of the training rows a round sees; all where it is not given.
    pub fn draw(&self, share: f64, seed: u64, round: usize) -> Option<Vec<bool>> {
        if share >= 1.0 {
            return None;
        }
        let n = self.train.len();
        let count = ((share * n as f64) as usize).max(1);
        let mut stream = RngStream::new(seed, "gradient boosting rows", round as u64);
        let mut here = vec![false; n];
        // Each row with the chance that is left for it: as many as asked, all sets alike.
        let mut left = count;
        for (i, here) in here.iter_mut().enumerate() {
            if stream.below(n - i) < left {
                *here = true;
                left -= 1;
            }
        }
        Some(here)
    }

    /// Holds out a share of the rows, of each class alike.
    pub fn hold_out(&mut self, share: f64, seed: u64) {
        let mut order = self.train.clone();
        RngStream::new(seed, "gradient boosting held out", 0).shuffle(&mut order);
        let classes = match &self.y {
            BoostingTarget::Codes(codes) => codes.iter().max().map_or(1, |&c| c as usize + 1),
            BoostingTarget::Numbers(_) => 1,
        };
        let class = |i: u32| match &self.y {
            BoostingTarget::Codes(codes) => codes[i as usize] as usize,
            BoostingTarget::Numbers(_) => 0,
        };
        let mut count = vec![0usize; classes];
        order.iter().for_each(|&i| count[class(i)] += 1);
        let mut wanted: Vec<usize> = count.iter().map(|&c| (share * c as f64).round() as usize).collect();
        let (mut train, mut held) = (Vec::new(), Vec::new());
        for i in order {
            let left = &mut wanted[class(i)];
            if *left > 0 {
                *left -= 1;
                held.push(i);
            } else {
                train.push(i);
            }
        }
        train.sort_unstable();
        held.sort_unstable();
        (self.train, self.held) = (train, held);
    }

    /// The factor rho of a whole tree (or one tree per class) that lowers the loss of the rows most: where the slope along the
    /// tree changes its sign. `along` has for each of the rows what the trees add to its scores.
    pub fn line_search(&self, loss: BoostingLoss, raw: &Mat<f64>, rows: &[u32], along: &Mat<f64>, turn: f64) -> f64 {
        let width = loss.width();
        let mut scores = vec![0.0; width];
        let mut falls = |rho: f64| {
            let mut slope = 0.0;
            for (k, &i) in rows.iter().enumerate() {
                for (c, score) in scores.iter_mut().enumerate() {
                    *score = raw[(i as usize, c)] + rho * along[(k, c)];
                }
                for c in 0..width {
                    let s = loss.residual(&self.y, i as usize, &scores, c, turn);
                    slope += self.weight[i as usize] * s * along[(k, c)];
                }
            }
            slope > 0.0
        };
        // On separable rows the steps would go on forever.
        const MAX_STEP: f64 = 1024.0;
        let (mut low, mut high) = (0.0, 1.0);
        while falls(high) {
            if high >= MAX_STEP {
                return high;
            }
            low = high;
            high *= 2.0;
        }
        for _ in 0..50 {
            let middle = 0.5 * (low + high);
            if falls(middle) {
                low = middle;
            } else {
                high = middle;
            }
        }
        0.5 * (low + high)
    }
}

/// Whether the last of the losses on held-out rows ends the rounds: it must be lower by `tol` than one of the `patience`
/// that were kept, in whose place it then steps.
pub(super) fn early_stop(losses: &[f64], patience: usize, tol: f64) -> bool {
    let mut kept = vec![f64::INFINITY; patience];
    for (i, &loss) in losses.iter().enumerate() {
        if kept.iter().any(|&k| loss + tol < k) {
            kept[i % patience] = loss;
        } else {
            return true;
        }
    }
    false
}
