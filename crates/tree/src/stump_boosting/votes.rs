//! The votes of an ensemble for each class of each training row, and what follows from them.

use ermine_core::parallel::prelude::*;

/// A vote is never taken beyond this: learners that separate the classes would have unbounded ones.
const MAX_VOTE: f64 = 36.0;

/// Rows that one thread processes together.
const BLOCK: usize = 4096;

/// Sums of votes, one number per class and row.
#[derive(Debug, Clone)]
pub struct VoteSums {
    classes: usize,
    sums: Vec<f64>,
}

impl VoteSums {
    /// No votes yet.
    pub fn new(rows: usize, classes: usize) -> Self {
        Self { classes, sums: vec![0.0; rows * classes] }
    }

    /// A learner votes for the class that it predicts for each row; a vote below 0 takes one back.
    pub fn add(&mut self, predictions: &[u32], vote: f64) {
        self.sums.chunks_exact_mut(self.classes).zip(predictions).for_each(|(row, &c)| row[c as usize] += vote);
    }

    /// Adds the `score` of each row and class.
    pub fn add_scores(&mut self, score: impl Fn(usize, usize) -> f64) {
        for (i, row) in self.sums.chunks_exact_mut(self.classes).enumerate() {
            row.iter_mut().enumerate().for_each(|(k, v)| *v += score(i, k));
        }
    }

    /// The votes of a row.
    pub fn row(&self, row: usize) -> &[f64] {
        &self.sums[row * self.classes..(row + 1) * self.classes]
    }

    /// The share of the weight of rows whose class has not the most votes; ties go to the first class.
    pub fn error(&self, truth: &[u32], weight: Option<&[f64]>) -> f64 {
        self.error_without(truth, weight, None)
    }

    /// [`VoteSums::error`] as it would be without one learner, given by its predictions and its vote.
    pub fn error_without(&self, truth: &[u32], weight: Option<&[f64]>, gone: Option<(&[u32], f64)>) -> f64 {
        self.mean(truth, weight, |i, row, c| {
            let vote =
                |k: usize| row[k] - gone.map_or(0.0, |(predictions, vote)| if predictions[i] as usize == k { vote } else { 0.0 });
            let best = (1..self.classes).fold(0, |b, k| if vote(k) > vote(b) { k } else { b });
            f64::from(u8::from(best != c as usize))
        })
    }

    /// The weighted mean of `f` over the rows, in blocks that do not depend on the number of threads.
    fn mean(&self, truth: &[u32], weight: Option<&[f64]>, f: impl Fn(usize, &[f64], u32) -> f64 + Sync) -> f64 {
        let block = |(b, rows): (usize, &[f64])| {
            let (mut sum, mut total) = (0.0, 0.0);
            for (k, row) in rows.chunks_exact(self.classes).enumerate() {
                let i = b * BLOCK + k;
                let w = weight.map_or(1.0, |w| w[i]);
                total += w;
                sum += w * f(i, row, truth[i]);
            }
            (sum, total)
        };
        let parts: Vec<(f64, f64)> = self.sums.par_chunks(BLOCK * self.classes).enumerate().map(block).collect();
        let (sum, total) = parts.into_iter().fold((0.0, 0.0), |a, b| (a.0 + b.0, a.1 + b.1));
        sum / total
    }

    /// The learner, of those with these `predictions` and `votes`, without which the error is least, and that error.
    pub fn least_useful(
        &self,
        predictions: &[Vec<u32>],
        votes: &[f64],
        truth: &[u32],
        weight: Option<&[f64]>,
    ) -> Option<(usize, f64)> {
        let errors: Vec<f64> = (0..predictions.len())
            .into_par_iter()
            .map(|m| self.error_without(truth, weight, Some((&predictions[m], votes[m]))))
            .collect();
        errors.into_iter().enumerate().reduce(|b, e| if e.1 < b.1 { e } else { b })
    }

    /// The exponential loss of two classes, a row's share of the weight times `exp(-(F_c - F_other) / 2)`: it bounds the
    /// training error, and in plain boosting it is the product of `2 sqrt(e (1 - e))` over the rounds.
    pub fn exponential_loss(&self, truth: &[u32], weight: Option<&[f64]>) -> Option<f64> {
        if self.classes != 2 {
            return None;
        }
        Some(self.mean(truth, weight, |_, row, c| (0.5 * (row[1 - c as usize] - row[c as usize])).exp()))
    }

    /// The margin of each row: votes for its class less the most for another, as a share of all votes; from -1 to 1.
    pub fn margins(&self, truth: &[u32], all: f64) -> Vec<f64> {
        let margin = |(row, &c): (&[f64], &u32)| {
            let others = (0..self.classes).filter(|&k| k != c as usize).map(|k| row[k]);
            let other = others.fold(f64::NEG_INFINITY, f64::max);
            if other.is_finite() && all > 0.0 { ((row[c as usize] - other) / all).clamp(-1.0, 1.0) } else { 1.0 }
        };
        self.sums.chunks_exact(self.classes).zip(truth).map(margin).collect()
    }
}

/// Totally corrective boosting: the votes of all learners at once minimize
/// `sum_i w_i exp(sum_m vote_m ([m is wrong on i] - (K - 1) / K))` with votes from 0 up.
///
/// One learner after the other takes its best vote given the others, in closed form, until no vote moves by more than
/// `tolerance` or `sweeps` are over; the answer is the largest move of the last sweep. At the optimum every learner with a
/// vote errs on just the share (K - 1) / K of the weight that chance would.
pub fn correct_all(
    wrong: &[Vec<bool>],
    votes: &mut [f64],
    weight: Option<&[f64]>,
    classes: usize,
    tolerance: f64,
    sweeps: usize,
) -> f64 {
    let rows = wrong.first().map_or(0, Vec::len);
    let chance = (classes as f64 - 1.0).ln();
    let mut largest = 0.0;
    for _ in 0..sweeps {
        let mut logs = vec![0.0; rows];
        for (wrong, vote) in wrong.iter().zip(&*votes) {
            logs.iter_mut().zip(wrong).filter(|(_, w)| **w).for_each(|(l, _)| *l += vote);
        }
        let top = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let mut weights: Vec<f64> =
            logs.iter().enumerate().map(|(i, l)| weight.map_or(1.0, |w| w[i]) * (l - top).exp()).collect();
        largest = 0.0;
        for (wrong, vote) in wrong.iter().zip(votes.iter_mut()) {
            let (mut hit, mut miss) = (0.0, 0.0);
            weights.iter().zip(wrong).for_each(|(w, &wrong)| if wrong { miss += w } else { hit += w });
            let best = if miss > 0.0 { *vote + (hit / miss).ln() + chance } else { MAX_VOTE };
            let step = best.clamp(0.0, MAX_VOTE) - *vote;
            if step != 0.0 {
                *vote += step;
                largest = f64::max(largest, step.abs());
                let factor = step.exp();
                weights.iter_mut().zip(wrong).filter(|(_, w)| **w).for_each(|(w, _)| *w *= factor);
            }
        }
        if largest <= tolerance {
            break;
        }
    }
    largest
}
