//! Batch statistics of batch normalization, in the forward and the backward pass.

use super::*;

impl<T: Float> BatchNormStats<T> {
    /// Scales and shifts from moments and \[γ, β\].
    pub fn set(&mut self, mean: &[f64], variance: &[f64], epsilon: f64, [gamma, beta]: [&[T]; 2]) {
        self.inverse = variance.iter().map(|v| 1.0 / (v + epsilon).sqrt()).collect();
        self.mean = mean.iter().map(|m| T::from_f64(*m)).collect();
        self.scale = gamma.iter().zip(&self.inverse).map(|(g, i)| T::from_f64(g.to_f64() * i)).collect();
        // The shift is computed with the rounded scale.
        let shift = |j: usize| T::from_f64(beta[j].to_f64() - mean[j] * self.scale[j].to_f64());
        self.shift = (0..mean.len()).map(shift).collect();
    }
}

/// Computes the moments of the input of a normalization.
pub(crate) fn moments<T: Float>(plan: &NetworkPlan, tape: &mut ActivationTape<T>, k: usize) {
    let node = &plan.nodes[k];
    if let OpCache::Norm { moments, .. } = &mut tape.extras[k] {
        moments.clear();
        moments.add(&tape.nodes[k], node.stride, tape.rows, node.len(), &mut tape.sums);
    }
}

/// The moments that [`moments`] computed for a block.
pub(crate) fn moments_of<T: Float>(tape: &ActivationTape<T>, k: usize) -> Option<&BlockMoments> {
    match &tape.extras[k] {
        OpCache::Norm { moments, .. } => Some(moments),
        _ => None,
    }
}

/// Σ d and Σ d (x - mean) of a normalization.
pub(crate) fn norm_sums<T: Float>(plan: &NetworkPlan, tape: &mut ActivationTape<T>, k: usize, batch: &BatchNormStats<T>) {
    let node = &plan.nodes[k];
    if let OpCache::Norm { sums, .. } = &mut tape.extras[k] {
        sums.fill(0.0);
        let both = [&tape.nodes[k][..], &tape.grads[k + 1][..]];
        normalize_sums(both, node.stride, tape.rows, node.len(), &batch.mean, &mut tape.sums, sums);
    }
}

/// The sums that [`norm_sums`] computed for a block.
pub(crate) fn norm_sums_of<T: Float>(tape: &ActivationTape<T>, k: usize) -> Option<&[f64]> {
    match &tape.extras[k] {
        OpCache::Norm { sums, .. } => Some(sums),
        _ => None,
    }
}
