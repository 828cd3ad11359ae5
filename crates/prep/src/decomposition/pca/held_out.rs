//! The number of components by cross-validated likelihood.
//!
//! The density is that of probabilistic principal components: normal, with the variances λ₁ … λ_m along the first m
//! directions and σ² = (λ_{m+1} + … + λ_p) / (p - m) in the others. Held-out rows enter by their moments alone, since Σ
//! log p(x) only needs Σ (v·(x - mean))² for every direction v. So one pass is enough for all folds and all m.

use ermine_core::*;
use ermine_math::linalg::{eigen_symmetric, product};
use ermine_math::moments::Moments;

use super::Pca;
use super::pass::add_moments;
use ermine_core::hash_u64;

/// Assigns rows to folds by hashes of their content, so that neither their order nor repeated rows matter.
pub(super) struct PcaFold {
    salt: u64,
}

impl PcaFold {
    pub(super) fn new(seed: u64) -> Self {
        Self { salt: hash_u64(seed ^ 0x0066_6F6C_6473) }
    }

    pub(super) fn of(&self, row: &[f64], folds: usize) -> usize {
        // A sum over columns, so that their order does not matter either.
        let hash = row.iter().fold(self.salt, |h, v| h.wrapping_add(hash_u64((v + 0.0).to_bits())));
        (hash_u64(hash) % folds as u64) as usize
    }

    /// Adds rows to the moments of their folds.
    pub(super) fn add(&self, folds: &mut [Moments], rows: &DatasetRef<'_>) -> Result<()> {
        let cols = rows.cols();
        let step = ((1 << 18) / cols).clamp(64, 4096);
        let mut scratch = Vec::new();
        for first in (0..rows.rows()).step_by(step) {
            let piece = rows.row_range(first..(first + step).min(rows.rows()));
            let x = piece.x.f64_rows(&mut scratch, Pca::SPEC.name)?;
            let mut dealt = vec![(Vec::new(), Vec::new()); folds.len()];
            let mut row = vec![0.0; cols];
            for i in 0..piece.rows() {
                x.copy_row(i, &mut row);
                let (numbers, weights) = &mut dealt[self.of(&row, folds.len())];
                numbers.extend_from_slice(&row);
                weights.push(piece.weight_of(i));
            }
            for (fold, (numbers, weights)) in folds.iter_mut().zip(&dealt).filter(|(_, d)| !d.1.is_empty()) {
                let part = DatasetRef::new(Features::F64(MatRef::row_major(numbers, weights.len(), cols)));
                // Cells that are not finite are named by their row in the original block.
                add_moments(fold, &part.with_weight(Some(weights))).or_else(|e| {
                    piece.x.refuse_non_finite(rows.schema).map_err(|cell| cell.with_row(|row| row + first))?;
                    Err(e)
                })?;
            }
        }
        Ok(())
    }
}

/// The mean log-likelihood of a held-out row, with 1, 2, … components.
pub(super) fn likelihoods(folds: &[Moments]) -> Result<Vec<f64>> {
    let cols = folds[0].x_cols();
    let used: Vec<usize> = (0..folds.len()).filter(|&f| folds[f].weight() > 0.0).collect();
    if used.len() < 2 {
        return Err(Error::Data("\"cv\" needs at least 2 different rows to leave one out".into()));
    }
    let most = cols.saturating_sub(1).max(1);
    let (mut sums, mut weight) = (vec![0.0; most], 0.0);
    for &f in &used {
        let mut others = used.iter().filter(|&&g| g != f);
        let mut train = folds[*others.next().expect("there are two folds")].clone();
        others.for_each(|&g| train.merge(folds[g].clone()));
        if train.weight() <= 1.0 {
            return Err(Error::Data("\"cv\" leaves too few rows for a variance; use fewer folds or more rows".into()));
        }
        weight += folds[f].weight();
        sums.iter_mut().zip(of_fold(&train, &folds[f], most)?).for_each(|(s, l)| *s += l);
    }
    Ok(sums.into_iter().map(|s| s / weight).collect())
}

/// The log-likelihood of the held-out rows, with 1, 2, … components of the others.
fn of_fold(train: &Moments, left_out: &Moments, most: usize) -> Result<Vec<f64>> {
    let (cols, rows) = (train.x_cols(), left_out.weight());
    let mut covariance = train.scatter();
    covariance.as_mut_slice().iter_mut().for_each(|v| *v /= train.weight() - 1.0);
    let eigen = eigen_symmetric(covariance.view())?;
    // Variances below this are rounding errors of the first.
    let least = (cols as f64 * f64::EPSILON * eigen.values[0]).max(f64::MIN_POSITIVE);
    let off: Vec<f64> = left_out.mean().iter().zip(train.mean()).map(|(a, b)| a - b).collect();
    let turned = product(eigen.vectors.view(), left_out.scatter().view());
    let square = |k: usize| -> f64 {
        let v = eigen.vectors.row(k);
        let spread: f64 = turned.row(k).iter().zip(v).map(|(a, b)| a * b).sum();
        let shift: f64 = off.iter().zip(v).map(|(a, b)| a * b).sum();
        spread + rows * shift * shift
    };
    let squares: Vec<f64> = (0..cols).map(square).collect();
    let variance: Vec<f64> = eigen.values.iter().map(|v| v.max(least)).collect();
    // Sums from the end, so that small ones are not differences of large ones.
    let from_end = |values: &[f64]| {
        let mut sums = vec![0.0; cols + 1];
        (0..cols).rev().for_each(|k| sums[k] = sums[k + 1] + values[k]);
        sums
    };
    let (rest_variance, rest_square) = (from_end(&variance), from_end(&squares));
    let (mut logs, mut kept) = (0.0, 0.0);
    Ok((1..=most)
        .map(|m| {
            logs += variance[m - 1].ln();
            kept += squares[m - 1] / variance[m - 1];
            let (across, rest) = match cols - m {
                0 => (0.0, 0.0),
                left => {
                    let noise = rest_variance[m] / left as f64;
                    (left as f64 * noise.ln(), rest_square[m] / noise)
                }
            };
            -0.5 * (rows * (cols as f64 * std::f64::consts::TAU.ln() + logs + across) + kept + rest)
        })
        .collect())
}
