//! From eigenvalues and eigenvectors to a model.

use ermine_core::*;

use super::evidence::most_probable;
use super::{ComponentCount, ComponentsRule, Pca, PcaModel, PcaSolver};

/// Common result of all solvers.
pub(super) struct PcaSpectrum {
    pub rows: f64,
    pub mean: Vec<f64>,
    /// The largest variances, descending: all of them, or as many as requested.
    pub variances: Vec<f64>,
    /// The sum of all variances.
    pub total: f64,
    /// Row k belongs to `variances[k]`.
    pub vectors: Mat<f64>,
    /// Held-out log-likelihoods with 1, 2, … components.
    pub held_out: Vec<f64>,
    /// The algorithm.
    pub certificate: Certificate,
}

impl Pca {
    /// The model of the largest variances, descending, with their directions.
    pub(super) fn model(&self, parts: PcaSpectrum) -> Result<PcaModel> {
        let PcaSpectrum { rows, mean, mut variances, total, mut vectors, held_out, mut certificate } = parts;
        let (most, cols) = (self.check_against(rows, mean.len())?, mean.len());
        variances.iter_mut().for_each(|v| *v = v.max(0.0));
        variances.truncate(most);
        let share = |v: f64| if total > 0.0 { v / total } else { 0.0 };
        let kept = match self.n_components {
            None if self.svd_solver == PcaSolver::Arpack => most.saturating_sub(1).max(1),
            None => most,
            Some(ComponentCount::Count(k)) => k,
            Some(ComponentCount::Share(s)) => {
                let mut sum = 0.0;
                let below = variances.iter().take_while(|v| {
                    sum += share(**v);
                    sum <= s
                });
                (below.count() + 1).min(most)
            }
            Some(ComponentCount::Rule(ComponentsRule::Mle)) => most_probable(&variances, rows),
            Some(ComponentCount::Rule(ComponentsRule::Cv)) => best(&held_out).min(most),
        };
        if variances.len() == most {
            let scale = cols as f64 * f64::EPSILON * variances.first().copied().unwrap_or(0.0);
            certificate.rank = Some(variances.iter().filter(|v| **v > scale).count());
        }
        // For unknown variances only their sum is known.
        let rest: f64 = if variances.len() == most {
            variances[kept..].iter().sum()
        } else {
            (total - variances[..kept].iter().sum::<f64>()).max(0.0)
        };
        let noise_variance = if kept < most { rest / (most - kept) as f64 } else { 0.0 };
        variances.truncate(kept);
        vectors = Mat::from_vec(kept, cols, vectors.into_vec()[..kept * cols].to_vec());
        flip_signs(&mut vectors);
        certificate.objective = Some((total - variances.iter().sum::<f64>()).max(0.0));
        let ratio = variances.iter().map(|v| share(*v)).collect();
        let singular = variances.iter().map(|v| (v * (rows - 1.0)).sqrt()).collect();
        let model = PcaModel::new(vectors, variances, ratio, singular, mean, rows, noise_variance, self.whiten, certificate);
        Ok(model.with_held_out(held_out))
    }
}

/// The number of components with the largest likelihood; the smallest on ties.
fn best(held_out: &[f64]) -> usize {
    let top = held_out.iter().enumerate().fold((0, f64::NEG_INFINITY), |best, (m, &v)| if v > best.1 { (m, v) } else { best });
    top.0 + 1
}

/// The total weight, when it is enough for a variance.
pub(crate) fn enough(weight: f64) -> Result<f64> {
    if weight > 1.0 {
        return Ok(weight);
    }
    Err(Error::Data(format!("pca needs at least 2 rows for a variance, and there is {weight} (1 sample is not enough)")))
}

/// Flips signs such that the element of each row with the largest absolute value is positive.
pub(crate) fn flip_signs(vectors: &mut Mat<f64>) {
    for k in 0..vectors.rows() {
        let row = vectors.row_mut(k);
        let largest = row.iter().fold(0.0f64, |m, v| if v.abs() > m.abs() { *v } else { m });
        if largest < 0.0 {
            row.iter_mut().for_each(|v| *v = -*v);
        }
    }
}
