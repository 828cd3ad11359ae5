//! Softmax regressions with shares as targets: scores, and one step toward the top.

use ermine_core::{Mat, MatRef, Result};
use ermine_math::linalg::Cholesky;
use ermine_math::moments::Moments;
use ermine_math::tall_skinny;
use serde::{Deserialize, Serialize};

/// Scores z·v + c of centered rows, vector after vector, a run of rows for each. Rows of `coef` are slopes and then the intercept.
pub(super) fn scores(z: MatRef<'_, f64>, coef: &Mat<f64>, out: &mut [f64]) {
    let cols = z.cols();
    let bias: Vec<f64> = (0..coef.rows()).map(|k| coef[(k, cols)]).collect();
    tall_skinny::scores(z, coef.as_slice(), cols + 1, &bias, out, &[]);
}

/// Σ w z̃ z̃ᵀ with z̃ = (z, 1), from moments.
pub(super) fn gram(m: &Moments) -> Mat<f64> {
    let (p, w, s, mean) = (m.x_cols(), m.weight(), m.scatter(), m.mean());
    Mat::from_fn(p + 1, p + 1, |i, j| match (i < p, j < p) {
        (true, true) => s[(i, j)] + w * mean[i] * mean[j],
        (true, false) => w * mean[i],
        (false, true) => w * mean[j],
        (false, false) => w,
    })
}

/// Sums for a step of a softmax regression with `vectors` vectors: the gradient of Σ w Σₖ tₖ log softmaxₖ and the curvature.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct SoftmaxSums {
    /// Σ w (tₖ - pₖ) z̃: a row a vector.
    gradient: Mat<f64>,
    /// The curvature as sums over pairs k < l: Σ w pₖ p_l z̃ z̃ᵀ. Empty where it is bounded.
    pairs: Vec<Moments>,
}

impl SoftmaxSums {
    pub(super) fn new(vectors: usize, cols: usize, newton: bool) -> Self {
        let pairs = if newton { vectors * (vectors - 1) / 2 } else { 0 };
        Self { gradient: Mat::zeros(vectors, cols + 1), pairs: vec![Moments::new(cols, 0); pairs] }
    }

    pub(super) fn merge(&mut self, other: Self) {
        self.gradient.as_mut_slice().iter_mut().zip(other.gradient.as_slice()).for_each(|(a, b)| *a += b);
        self.pairs.iter_mut().zip(other.pairs).for_each(|(a, b)| a.merge(b));
    }

    pub(super) fn is_finite(&self) -> bool {
        self.gradient.as_slice().iter().all(|v| v.is_finite()) && self.pairs.iter().all(Moments::is_finite)
    }

    /// Takes in rows: `residuals` are weight times target minus probability, `p` the probabilities, vector after vector; `weight`
    /// what the curvature of a row counts for.
    pub(super) fn add(&mut self, z: MatRef<'_, f64>, residuals: &[f64], p: &[f64], weight: &[f64]) {
        let (n, cols, k) = (z.rows(), z.cols(), self.gradient.rows());
        tall_skinny::add_products(z, residuals, k, self.gradient.as_mut_slice(), cols + 1, &[]);
        for (c, run) in residuals.chunks_exact(n).enumerate() {
            self.gradient[(c, cols)] += run.iter().sum::<f64>();
        }
        if self.pairs.is_empty() {
            return;
        }
        let mut products = vec![0.0; n];
        let mut at = 0;
        for a in 0..k {
            for b in a + 1..k {
                let (pa, pb) = (&p[a * n..(a + 1) * n], &p[b * n..(b + 1) * n]);
                (0..n).for_each(|i| products[i] = weight[i] * pa[i] * pb[i]);
                self.pairs[at].add(z, None, Some(&products));
                at += 1;
            }
        }
    }

    /// `coef` one step on, less ½ alpha times the squares of the slopes: Newton's step where the curvature is known, else one by its
    /// bound ½ (I - 11ᵀ/k) ⊗ `gram`, under which no step can lead down.
    pub(super) fn step(&self, coef: &Mat<f64>, alpha: f64, gram: Option<&Mat<f64>>) -> Result<Mat<f64>> {
        let (k, width) = (coef.rows(), coef.cols());
        let cols = width - 1;
        if k < 2 {
            return Ok(coef.clone());
        }
        let penalty = |d: usize| if d < cols { alpha } else { 0.0 };
        let uphill = Mat::from_fn(k, width, |a, d| self.gradient[(a, d)] - penalty(d) * coef[(a, d)]);
        let moved = match gram {
            Some(gram) if self.pairs.is_empty() => {
                let half = Mat::from_fn(width, width, |i, j| 0.5 * gram[(i, j)] + if i == j { penalty(i) } else { 0.0 });
                let mut step = uphill.view().t().to_owned();
                definite(half)?.solve(&mut step);
                step.view().t().to_owned()
            }
            _ => self.newton(&uphill, &penalty)?,
        };
        Ok(Mat::from_fn(k, width, |a, d| coef[(a, d)] + moved[(a, d)]))
    }

    fn newton(&self, uphill: &Mat<f64>, penalty: &dyn Fn(usize) -> f64) -> Result<Mat<f64>> {
        let (k, width) = (uphill.rows(), uphill.cols());
        let mut h = Mat::zeros(k * width, k * width);
        let mut at = 0;
        for a in 0..k {
            for b in a + 1..k {
                let pair = gram(&self.pairs[at]);
                at += 1;
                for i in 0..width {
                    for j in 0..width {
                        let v = pair[(i, j)];
                        h[(a * width + i, a * width + j)] += v;
                        h[(b * width + i, b * width + j)] += v;
                        h[(a * width + i, b * width + j)] -= v;
                        h[(b * width + i, a * width + j)] -= v;
                    }
                }
            }
        }
        // Adding the same to all vectors changes nothing but the penalty: that direction, in which there is no gradient either, is
        // given a curvature of the size of the others.
        for d in 0..width {
            let typical = (0..k).map(|a| h[(a * width + d, a * width + d)]).sum::<f64>() / k as f64;
            for a in 0..k {
                for b in 0..k {
                    h[(a * width + d, b * width + d)] += typical / k as f64;
                }
                h[(a * width + d, a * width + d)] += penalty(d);
            }
        }
        let mut step = Mat::from_vec(k * width, 1, uphill.as_slice().to_vec());
        definite(h)?.solve(&mut step);
        Ok(Mat::from_vec(k, width, step.into_vec()))
    }
}

/// The factor of a curvature; of one that is singular, with a little more of its own diagonal. A step with more curvature is shorter and
/// leads uphill still.
fn definite(mut h: Mat<f64>) -> Result<Cholesky> {
    let n = h.cols();
    let most = (0..n).map(|j| h[(j, j)]).fold(0.0, f64::max).max(f64::MIN_POSITIVE);
    for more in [0.0, 1e-12, 1e-9, 1e-6] {
        // A direction without curvature carries no information: the step along it is 0.
        (0..n).for_each(|j| h[(j, j)] += if h[(j, j)] > 0.0 { more * h[(j, j)] } else { most });
        if let Ok(factor) = Cholesky::new(h.view()) {
            return Ok(factor);
        }
    }
    Ok(Cholesky::new(h.view())?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ermine_core::RngStream;
    use ermine_math::loss::posterior_block;

    /// Σ w Σₖ tₖ log pₖ - ½ alpha |slopes|².
    fn value(z: &Mat<f64>, t: &Mat<f64>, w: &[f64], coef: &Mat<f64>, alpha: f64) -> f64 {
        let (n, k, p) = (z.rows(), coef.rows(), z.cols());
        let mut s = vec![0.0; n * k];
        scores(z.view(), coef, &mut s);
        let log_p = |i: usize, c: usize| {
            let all: Vec<f64> = (0..k).map(|c| s[c * n + i]).collect();
            all[c] - ermine_math::loss::log_sum_exp(&all)
        };
        let fit: f64 = (0..n).map(|i| w[i] * (0..k).map(|c| t[(i, c)] * log_p(i, c)).sum::<f64>()).sum();
        let slopes: f64 = (0..k).map(|c| coef.row(c)[..p].iter().map(|v| v * v).sum::<f64>()).sum();
        fit - 0.5 * alpha * slopes
    }

    fn slopes(z: &Mat<f64>, t: &Mat<f64>, w: &[f64], coef: &Mat<f64>, newton: bool) -> SoftmaxSums {
        let (n, k) = (z.rows(), coef.rows());
        let mut p = vec![0.0; n * k];
        scores(z.view(), coef, &mut p);
        posterior_block(&mut p, &mut vec![0.0; n]);
        let r: Vec<f64> =
            (0..k).flat_map(|c| (0..n).map(move |i| (c, i))).map(|(c, i)| w[i] * (t[(i, c)] - p[c * n + i])).collect();
        let mut s = SoftmaxSums::new(k, z.cols(), newton);
        s.add(z.view(), &r, &p, w);
        s
    }

    #[test]
    fn steps_climb_to_where_no_derivative_is_left() {
        let mut s = RngStream::new(4, "gate", 0);
        let (n, p, k, alpha) = (200, 3, 3, 0.7);
        let z = Mat::from_fn(n, p, |_, _| s.normal());
        let t = Mat::from_fn(n, k, |i, c| {
            let raw: Vec<f64> = (0..k).map(|c| (z[(i, c % p)] * 1.5).exp()).collect();
            raw[c] / raw.iter().sum::<f64>()
        });
        let w: Vec<f64> = (0..n).map(|i| 0.5 + (i % 3) as f64).collect();
        let mut all = Moments::new(p, 0);
        all.add(z.view(), None, Some(&w));
        let whole = gram(&all);
        for newton in [true, false] {
            let mut coef = Mat::zeros(k, p + 1);
            let mut last = value(&z, &t, &w, &coef, alpha);
            for _ in 0..if newton { 12 } else { 400 } {
                coef = slopes(&z, &t, &w, &coef, newton).step(&coef, alpha, (!newton).then_some(&whole)).unwrap();
                let now = value(&z, &t, &w, &coef, alpha);
                assert!(now >= last - 1e-9 * last.abs(), "{newton}: {last} {now}");
                last = now;
            }
            let h = 1e-5;
            for c in 0..k {
                for d in 0..=p {
                    let at = |by: f64| {
                        let mut moved = coef.clone();
                        moved[(c, d)] += by;
                        value(&z, &t, &w, &moved, alpha)
                    };
                    assert!(((at(h) - at(-h)) / (2.0 * h)).abs() < 1e-4, "{newton}: ({c}, {d})");
                }
            }
            // The direction that changes nothing stays where it began.
            (0..=p).for_each(|d| assert!((0..k).map(|c| coef[(c, d)]).sum::<f64>().abs() < 1e-8));
        }
    }

    #[test]
    fn the_gradient_is_the_derivative() {
        let mut s = RngStream::new(5, "gate", 0);
        let (n, p, k) = (40, 2, 4);
        let z = Mat::from_fn(n, p, |_, _| s.normal());
        let t = Mat::from_fn(n, k, |i, c| if i % k == c { 1.0 } else { 0.0 });
        let coef = Mat::from_fn(k, p + 1, |_, _| s.normal());
        let w = vec![1.0; n];
        let gradient = slopes(&z, &t, &w, &coef, true).gradient;
        let h = 1e-6;
        for c in 0..k {
            for d in 0..=p {
                let at = |by: f64| {
                    let mut moved = coef.clone();
                    moved[(c, d)] += by;
                    value(&z, &t, &w, &moved, 0.0)
                };
                assert!((gradient[(c, d)] - (at(h) - at(-h)) / (2.0 * h)).abs() < 1e-6);
            }
        }
    }

    #[test]
    fn a_column_that_does_not_vary_gets_no_step() {
        let z = Mat::from_fn(20, 2, |i, j| if j == 1 { 0.0 } else { i as f64 - 9.5 });
        let t = Mat::from_fn(20, 2, |i, c| f64::from(u8::from((i / 10 == c) != (i % 5 == 0))));
        let coef = Mat::zeros(2, 3);
        let moved = slopes(&z, &t, &[1.0; 20], &coef, true).step(&coef, 0.0, None).unwrap();
        assert!(moved[(0, 1)].abs() < 1e-12 && moved[(0, 0)].abs() > 1e-3);
    }
}
