//! Platt scaling: probabilities from scores by a sigmoid for each pair of classes, and pairwise coupling.

use crate::loss::log1p_exp;

/// P(first class | score) = 1 / (1 + exp(a score + b)).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sigmoid {
    /// Slope.
    pub a: f64,
    /// Offset.
    pub b: f64,
}

impl Sigmoid {
    /// The probability of the first class.
    pub fn probability(self, score: f64) -> f64 {
        let z = self.a * score + self.b;
        // Neither form overflows.
        if z >= 0.0 { (-z).exp() / (1.0 + (-z).exp()) } else { 1.0 / (1.0 + z.exp()) }
    }

    /// The maximum-likelihood sigmoid, by Newton's method with a line search, with targets moved from 0 and 1 by the
    /// weight of the classes (Platt 1999; Lin, Lin and Weng: A note on Platt's probabilistic outputs for support vector
    /// machines, 2007).
    pub fn fit(scores: &[f64], first: &[bool], weights: &[f64]) -> Self {
        let total = |side: bool| first.iter().zip(weights).filter(|(f, _)| **f == side).map(|(_, w)| w).sum::<f64>();
        let (ahead, behind) = (total(true), total(false));
        let (high, low) = ((ahead + 1.0) / (ahead + 2.0), 1.0 / (behind + 2.0));
        let target = |i: usize| if first[i] { high } else { low };
        let value = |a: f64, b: f64| -> f64 {
            (0..scores.len())
                .map(|i| {
                    let z = a * scores[i] + b;
                    // -t log p - (1-t) log(1-p), with -log p = log(1 + e^z) and -log(1-p) = log(1 + e^-z), which differ by z.
                    let linear = if z >= 0.0 { target(i) } else { target(i) - 1.0 };
                    weights[i] * (linear * z + log1p_exp(-z.abs()))
                })
                .sum()
        };
        let (mut a, mut b) = (0.0, ((behind + 1.0) / (ahead + 1.0)).ln());
        let mut now = value(a, b);
        for _ in 0..100 {
            let (mut h11, mut h22, mut h21, mut g1, mut g2) = (1e-12, 1e-12, 0.0, 0.0, 0.0);
            for i in 0..scores.len() {
                let p = Self { a, b }.probability(scores[i]);
                let (curvature, slope) = (weights[i] * p * (1.0 - p), weights[i] * (target(i) - p));
                h11 += scores[i] * scores[i] * curvature;
                h22 += curvature;
                h21 += scores[i] * curvature;
                g1 += scores[i] * slope;
                g2 += slope;
            }
            let size = weights.iter().sum::<f64>().max(1.0);
            if g1.abs() < 1e-10 * size && g2.abs() < 1e-10 * size {
                break;
            }
            let determinant = h11 * h22 - h21 * h21;
            let (da, db) = (-(h22 * g1 - h21 * g2) / determinant, -(h11 * g2 - h21 * g1) / determinant);
            let slope = g1 * da + g2 * db;
            if -slope < 1e-8 * now {
                // This close to the minimum the full Newton step is right, and its decrease is below the rounding of
                // the sum.
                (a, b) = (a + da, b + db);
                continue;
            }
            let mut step = 1.0;
            let better = loop {
                if step < 1e-10 {
                    break false;
                }
                let next = value(a + step * da, b + step * db);
                if next < now + 1e-4 * step * slope {
                    (a, b, now) = (a + step * da, b + step * db, next);
                    break true;
                }
                step *= 0.5;
            };
            if !better {
                break;
            }
        }
        if a.is_finite() && b.is_finite() { Self { a, b } } else { Self { a: 0.0, b: 0.0 } }
    }
}

/// The distribution p over classes with the least Σ (rⱼᵢ pᵢ - rᵢⱼ pⱼ)², where `r[i][j]` is the probability of i among i and j (Wu, Lin
/// and Weng: Probability estimates for multi-class classification by pairwise coupling, JMLR 5, 2004, second method).
pub fn pairwise_coupling(r: &[f64], k: usize, p: &mut [f64]) {
    p.fill(1.0 / k as f64);
    let mut q = vec![0.0; k * k];
    for t in 0..k {
        for j in 0..k {
            if j != t {
                q[t * k + t] += r[j * k + t] * r[j * k + t];
                q[t * k + j] = -r[j * k + t] * r[t * k + j];
            }
        }
    }
    let mut qp = vec![0.0; k];
    for _ in 0..k.max(100) {
        let mut pqp = 0.0;
        for t in 0..k {
            qp[t] = (0..k).map(|j| q[t * k + j] * p[j]).sum();
            pqp += p[t] * qp[t];
        }
        let worst = qp.iter().map(|v| (v - pqp).abs()).fold(0.0, f64::max);
        if worst < 1e-12 {
            break;
        }
        for t in 0..k {
            let diff = (pqp - qp[t]) / q[t * k + t];
            p[t] += diff;
            pqp = (pqp + diff * (diff * q[t * k + t] + 2.0 * qp[t])) / (1.0 + diff) / (1.0 + diff);
            for j in 0..k {
                qp[j] = (qp[j] + diff * q[t * k + j]) / (1.0 + diff);
                p[j] /= 1.0 + diff;
            }
        }
    }
    let total: f64 = p.iter().sum();
    p.iter_mut().for_each(|v| *v = (*v / total).clamp(0.0, 1.0));
}
