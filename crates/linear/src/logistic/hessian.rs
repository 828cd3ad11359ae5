//! The Hessian of several classes, assembled from the sums of a pass.

use ermine_core::Mat;

use super::super::passes::{CurvatureKind, CurvatureSums, HessianMetric};
use super::evaluate::{LogisticProblem, LogisticSums, pair_at};

/// The metric of what a pass gathered, with the penalty `alpha`; `None` when it gathered no curvature.
pub fn hessian_metric(sums: &LogisticSums, problem: &LogisticProblem, alpha: f64) -> Option<HessianMetric> {
    let (v, q, cols) = (problem.vectors(), problem.width(), problem.cols);
    if let Some(CurvatureSums::Diagonal(sums)) = sums.curvature.first() {
        let with = |(j, s): (usize, &f64)| s + if j < cols { alpha } else { 0.0 };
        let diagonal: Vec<f64> = sums.iter().enumerate().map(with).collect();
        return Some(HessianMetric::from_matrix(CurvatureKind::Diagonal, Mat::from_vec(1, q, diagonal)));
    }
    let mut parts = sums.matrices(problem);
    if parts.len() < problem.pairs() || v == 1 {
        let mut matrix = parts.pop()?;
        (0..cols).for_each(|j| matrix[(j, j)] += alpha);
        let kind = if v == 1 { CurvatureKind::Full } else { CurvatureKind::Shared };
        return Some(HessianMetric::from_matrix(kind, matrix));
    }
    let mut matrix = Mat::zeros(v * q, v * q);
    for (pair, part) in parts.into_iter().enumerate() {
        let (a, b) = pair_at(pair, v);
        let sign = if a == b { 1.0 } else { -1.0 };
        for i in 0..q {
            for j in 0..q {
                matrix[(a * q + i, b * q + j)] = sign * part[(i, j)];
                matrix[(b * q + j, a * q + i)] = sign * part[(i, j)];
            }
        }
    }
    for j in 0..q {
        let penalty = if j < cols { alpha } else { 0.0 };
        let mean = (0..v).map(|c| matrix[(c * q + j, c * q + j)]).sum::<f64>() / v as f64;
        for a in 0..v {
            matrix[(a * q + j, a * q + j)] += penalty;
            // Adding the same to the weights of every class changes nothing, so the Hessian is flat there. The
            // gradient has no part along it either; any positive curvature will do.
            for b in 0..v {
                matrix[(a * q + j, b * q + j)] += mean / v as f64;
            }
        }
    }
    Some(HessianMetric::from_matrix(CurvatureKind::Full, matrix))
}
