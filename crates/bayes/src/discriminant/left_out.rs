//! Linear discriminant analysis of all rows but one, for each row, from one factorization.
//!
//! A row x of class k and weight w, d = x - μₖ away from the mean of its class, leaves with nₖ' = nₖ - w the mean μₖ - w d / nₖ' and the scatter
//! S - c d dᵀ, c = w nₖ / nₖ'. The covariance a S' + b I is thus of rank one away from a S + b I, which is diagonal in the coordinates of S, whatever b is.

use ermine_core::{Context, DatasetRef, Learner, Mat, PassLearner, Result};
use ermine_math::linalg::{eigen_symmetric, product};

use super::super::discrete;
use super::super::posterior::normalize;
use super::CovarianceDivisor;
use super::lda::{Lda, LdaSolver, center, whitened};
use super::shrinkage::Shrinkage;
use super::totals::ClassScatter;
use super::whiten::Whitening;
use crate::priors::priors;

/// Factor by which the spread must exceed the threshold of no spread.
const CLEAR: f64 = 100.0;
/// Rows that are brought to the coordinates at a time.
const BLOCK: usize = 4096;

/// Coordinates in which the scatter within classes is diagonal.
struct DiagonalizedScatter {
    /// Columns of the data by coordinates.
    matrix: Mat<f64>,
    /// The scatter along each.
    scatter: Vec<f64>,
    /// The least share of the spread that a row must leave where it is left out.
    least: f64,
}

impl DiagonalizedScatter {
    /// None where directions are left out, or may be without a row.
    fn new(lda: &Lda, scatter: &ClassScatter, share: f64) -> Result<Option<Self>> {
        let mut spread = scatter.within();
        let p = spread.rows();
        if share > 0.0 {
            // The added amount is the same in all directions as long as they are orthogonal.
            let eigen = eigen_symmetric(spread.view())?;
            let along = eigen.values.iter().map(|v| v.max(0.0)).collect();
            return Ok(Some(Self { matrix: eigen.vectors.view().t().to_owned(), scatter: along, least: 1e-6 }));
        }
        let weight = scatter.total_weight();
        spread.as_mut_slice().iter_mut().for_each(|v| *v /= weight);
        let cut = if lda.solver == LdaSolver::Svd { lda.tol * lda.tol } else { 0.0 };
        let whitening = Whitening::new(&spread, cut)?;
        let least = CLEAR * cut.max(100.0 * p as f64 * f64::EPSILON) / whitening.reciprocal_condition;
        let whole = whitening.rank() == p && least < 1.0;
        Ok(whole.then(|| Self { matrix: whitening.matrix, scatter: vec![weight; p], least }))
    }
}

/// The scatter of all rows, in one pass.
fn scatter_of(lda: &Lda, data: &DatasetRef<'_>, cx: &Context<'_>) -> Result<ClassScatter> {
    let state = lda.initial_state(data, cx)?;
    ClassScatter::new(discrete::totals(lda, &state, data, cx)?)
}

/// The probabilities of the classes of each row, by a model of all others.
pub(super) fn left_out(lda: &Lda, data: &DatasetRef<'_>, cx: &Context<'_>) -> Result<Option<Mat<f64>>> {
    let svd = lda.solver == LdaSolver::Svd;
    // Covariances of the classes with weights of their own are not of rank one apart; few rows of many columns are fitted another way.
    if lda.shrinkage.is_auto() || (!svd && lda.needs_each()) || data.rows() <= data.cols() + 1 {
        return Ok(None);
    }
    lda.check()?;
    data.check(&Lda::SPEC)?;
    let (codes, names) = data.y.classes()?;
    let mut rows = vec![0usize; names.len()];
    (0..data.rows()).filter(|&i| data.weight_of(i) > 0.0).for_each(|i| rows[codes[i] as usize] += 1);
    // Leaving out the only row of a class removes its mean.
    if rows.contains(&1) {
        return Ok(None);
    }
    let scatter = scatter_of(lda, data, cx)?;
    let shares = priors(lda.priors.as_deref(), &scatter.weight);
    let share = if let Shrinkage::Given(share) = lda.shrinkage { share } else { 0.0 };
    let Some(space) = DiagonalizedScatter::new(lda, &scatter, share)? else { return Ok(None) };
    let middle = center(&shares, &scatter.mean);
    let means = whitened(&scatter.mean, &middle, &space.matrix);
    if svd && scatter.populated() > 2 {
        // Directions in which the means hardly differ are left out of the scores; here all are in.
        let strict = Lda { tol: CLEAR * lda.tol, ..lda.clone() };
        let (axes, _) = strict.axes(&means, &shares, scatter.total_weight())?;
        if axes.rows() < (scatter.populated() - 1).min(data.cols()) {
            return Ok(None);
        }
    }
    let (trace, weight) = (scatter.diagonal.iter().sum::<f64>(), scatter.total_weight());
    let mut scratch = Vec::new();
    let mut out = Mat::zeros(data.rows(), names.len());
    for first in (0..data.rows()).step_by(BLOCK) {
        let range = first..(first + BLOCK).min(data.rows());
        let block = data.x.row_range(range.clone());
        let x = block.f64_rows(&mut scratch, Lda::SPEC.name).map_err(|e| e.with_row(|row| row + first))?.to_owned();
        let about = Mat::from_fn(x.rows(), x.cols(), |i, j| x[(i, j)] - middle[j]);
        let z = product(about.view(), space.matrix.view());
        for i in range {
            let (k, w, z) = (codes[i] as usize, data.weight_of(i), z.row(i - first));
            // A class without weight has none to be left out.
            let rest = if w > 0.0 { scatter.weight[k] - w } else { 1.0 };
            let c = if w > 0.0 { w * scatter.weight[k] / rest } else { 0.0 };
            let away: Vec<f64> = z.iter().zip(means.row(k)).map(|(z, m)| z - m).collect();
            let free = match lda.divisor {
                CovarianceDivisor::Unbiased if svd => weight - w - scatter.populated() as f64,
                _ => weight - w,
            };
            let a = (1.0 - share) / free;
            let b = share * (trace - c * away.iter().map(|d| d * d).sum::<f64>()) / (free * z.len() as f64);
            let inverse: Vec<f64> = space.scatter.iter().map(|s| 1.0 / (a * s + if share > 0.0 { b } else { 0.0 })).collect();
            let inner = |u: &[f64], v: &[f64]| u.iter().zip(v).zip(&inverse).map(|((u, v), g)| u * v * g).sum::<f64>();
            let left = 1.0 - a * c * inner(&away, &away);
            if !(free > 0.0 && left > space.least) {
                return Ok(None);
            }
            let scores = out.row_mut(i);
            for (j, score) in scores.iter_mut().enumerate() {
                let mut v: Vec<f64> = z.iter().zip(means.row(j)).map(|(z, m)| z - m).collect();
                if j == k && w > 0.0 {
                    v.iter_mut().for_each(|v| *v *= scatter.weight[k] / rest);
                }
                let apart = inner(&v, &v) + a * c * inner(&v, &away).powi(2) / left;
                let prior = match &lda.priors {
                    Some(_) => shares[j],
                    None => (scatter.weight[j] - if j == k { w } else { 0.0 }) / (weight - w),
                };
                *score = if scatter.weight[j] > 0.0 { prior.ln() - 0.5 * apart } else { f64::NEG_INFINITY };
            }
            if scores.iter().any(|s| s.is_nan()) || scores.iter().all(|s| *s == f64::NEG_INFINITY) {
                return Ok(None);
            }
            normalize(scores);
        }
    }
    Ok(Some(out))
}
