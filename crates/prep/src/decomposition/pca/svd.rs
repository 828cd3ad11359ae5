//! Principal components by an SVD of the rows, in memory.

use ermine_core::*;
use ermine_math::linalg::svd;

use super::spectrum::{PcaSpectrum, enough};
use super::{Pca, PcaModel};

impl Pca {
    /// Singular values of the centered rows.
    pub(super) fn by_singular_values(&self, data: &DatasetRef<'_>, cx: &Context<'_>) -> Result<PcaModel> {
        data.check(&Self::SPEC)?;
        let stage = |done| Progress { stage: "singular values", done, total: Some(2), objective: None };
        cx.check(stage(0))?;
        let weight = enough(data.total_weight())?;
        self.check_against(weight, data.cols())?;
        data.x.refuse_non_finite(data.schema)?;
        let kept: Vec<usize> = (0..data.rows()).filter(|&i| data.weight_of(i) > 0.0).collect();
        let mut scratch = Vec::new();
        let mut x = data.x.f64_rows(&mut scratch, Self::SPEC.name)?.take_rows(&kept);
        // Twice, since the first mean is rounded to the size of the values, the second to that of their deviations.
        let mut mean = vec![0.0; x.cols()];
        for _ in 0..2 {
            let mut shift = vec![0.0; x.cols()];
            for (i, &row) in kept.iter().enumerate() {
                let w = data.weight_of(row) / weight;
                shift.iter_mut().zip(x.row(i)).for_each(|(s, v)| *s += w * v);
            }
            for i in 0..x.rows() {
                x.row_mut(i).iter_mut().zip(&shift).for_each(|(v, s)| *v -= s);
            }
            mean.iter_mut().zip(&shift).for_each(|(m, s)| *m += s);
        }
        if let Some(weights) = data.weight {
            for (i, &row) in kept.iter().enumerate() {
                let root = weights[row].sqrt();
                x.row_mut(i).iter_mut().for_each(|v| *v *= root);
            }
        }
        if !x.as_slice().iter().all(|v| v.is_finite()) {
            return Err(Error::Numeric("the columns overflow; scale them down".into()));
        }
        cx.check(stage(1))?;
        let parts = svd(x.view())?;
        let mut variances: Vec<f64> = parts.values.iter().map(|s| s * s / (weight - 1.0)).collect();
        let total = variances.iter().sum();
        let mut vectors = parts.vt.into_vec();
        // Repeated rows allow more components than there are distinct rows; these have no variance.
        let most = if weight < x.cols() as f64 { weight as usize } else { x.cols() };
        if most > variances.len() {
            let vectors_found = Mat::from_vec(variances.len(), x.cols(), vectors);
            vectors = complete(vectors_found, most).into_vec();
            variances.resize(most, 0.0);
        }
        let vectors = Mat::from_vec(variances.len(), x.cols(), vectors);
        let certificate =
            Certificate { method: "singular values".into(), iterations: 1, converged: true, ..Certificate::default() };
        self.model(PcaSpectrum { rows: weight, mean, variances, total, vectors, held_out: Vec::new(), certificate })
    }
}

/// Adds orthonormal rows until there are `rows`.
fn complete(found: Mat<f64>, rows: usize) -> Mat<f64> {
    let cols = found.cols();
    let mut all = found;
    let mut unit = 0;
    while all.rows() < rows && unit < cols {
        let mut v = vec![0.0; cols];
        v[unit] = 1.0;
        unit += 1;
        for _ in 0..2 {
            for k in 0..all.rows() {
                let dot: f64 = all.row(k).iter().zip(&v).map(|(a, b)| a * b).sum();
                v.iter_mut().zip(all.row(k)).for_each(|(v, a)| *v -= dot * a);
            }
        }
        let norm = v.iter().map(|v| v * v).sum::<f64>().sqrt();
        // Among the unit vectors some are far from the span of fewer rows than columns.
        if norm * norm > 0.5 / cols as f64 {
            v.iter_mut().for_each(|v| *v /= norm);
            all.append_rows(Mat::from_vec(1, cols, v));
        }
    }
    all
}
