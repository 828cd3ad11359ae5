//! The linear system of kernel ridge regression: (S K S + α I) d = S y with S the square roots of the weights.

use ermine_core::{Context, Error, Mat, Progress, Result, RngStream};
use ermine_math::kernel::Points;
use ermine_math::linalg::{Cholesky, eigen_symmetric, product};
use ermine_math::row_ops::dot;

use super::KernelRidge;
use crate::svm::multiply;

/// A solution with its diagnostics.
pub(super) struct KernelRidgeSolution {
    pub d: Mat<f64>,
    pub alpha: f64,
    /// The penalties tried, each with its mean squared leave-one-out error.
    pub left_out: Vec<(f64, f64)>,
    pub method: &'static str,
    /// Condition number of the matrix; NaN where it was not estimated.
    pub condition: f64,
    /// Residual of the equations, relative to the target.
    pub residual: f64,
    pub iterations: u64,
    pub converged: bool,
}

/// The largest ‖K d + α d - y‖ / ‖y‖ of the targets, with `products` = K d.
fn residual(products: &Mat<f64>, d: &Mat<f64>, target: &Mat<f64>, alpha: f64) -> f64 {
    let one = |t: usize| {
        let (mut off, mut size) = (0.0, 0.0);
        for i in 0..d.rows() {
            off += (products[(i, t)] + alpha * d[(i, t)] - target[(i, t)]).powi(2);
            size += target[(i, t)].powi(2);
        }
        (off / f64::max(size, f64::MIN_POSITIVE)).sqrt()
    };
    (0..target.cols()).map(one).fold(0.0, f64::max)
}

/// S K S.
fn scaled_gram(points: &Points<'_, f64>, root: &[f64]) -> Result<Mat<f64>> {
    let n = points.len();
    let mut k = points.gram()?;
    if let Some(place) = k.as_slice().iter().position(|v| !v.is_finite()) {
        return Err(Error::Numeric(format!("the kernel of rows {} and {} is not a finite number", place / n + 1, place % n + 1)));
    }
    if root.iter().any(|r| *r != 1.0) {
        (0..n).for_each(|i| k.row_mut(i).iter_mut().zip(root).for_each(|(v, r)| *v *= root[i] * r));
    }
    Ok(k)
}

/// By Cholesky factorization, or where rounding prevents it by eigenvalues.
pub(super) fn by_cholesky(points: &Points<'_, f64>, root: &[f64], target: &Mat<f64>, alpha: f64) -> Result<KernelRidgeSolution> {
    let mut k = scaled_gram(points, root)?;
    let diagonal: Vec<f64> = (0..k.rows()).map(|i| k[(i, i)]).collect();
    (0..k.rows()).for_each(|i| k[(i, i)] += alpha);
    let factor = Cholesky::new(k.view()).ok();
    diagonal.into_iter().enumerate().for_each(|(i, v)| k[(i, i)] = v);
    if let Some(factor) = factor
        && let reciprocal = factor.reciprocal_condition()
        && reciprocal > f64::EPSILON
    {
        let mut d = target.clone();
        factor.solve(&mut d);
        return Ok(KernelRidgeSolution {
            residual: residual(&product(k.view(), d.view()), &d, target, alpha),
            d,
            alpha,
            left_out: Vec::new(),
            method: "cholesky",
            condition: 1.0 / reciprocal,
            iterations: 1,
            converged: true,
        });
    }
    Ok(KernelRidgeSolution { left_out: Vec::new(), condition: f64::INFINITY, ..spectral(&k, root, target, &[alpha])? })
}

/// Condition up to which leave-one-out errors are accurate enough.
const LEFT_OUT_CONDITION: f64 = 1e8;

/// Leave-one-out residuals of S y; none where the system is nearly singular.
pub(super) fn left_out(points: &Points<'_, f64>, root: &[f64], target: &Mat<f64>, alpha: f64) -> Result<Option<Mat<f64>>> {
    let mut k = scaled_gram(points, root)?;
    let n = k.rows();
    (0..n).for_each(|i| k[(i, i)] += alpha);
    let Some(factor) = Cholesky::new(k.view()).ok().filter(|f| f.reciprocal_condition() > 1.0 / LEFT_OUT_CONDITION) else {
        return Ok(None);
    };
    let mut d = target.clone();
    factor.solve(&mut d);
    // The diagonal of the inverse has the squared lengths of the columns of L⁻¹.
    let mut inverse = Mat::from_fn(n, n, |i, j| f64::from(u8::from(i == j)));
    factor.solve_lower(&mut inverse);
    let mut diagonal = vec![0.0; n];
    (0..n).for_each(|i| diagonal.iter_mut().zip(inverse.row(i)).for_each(|(s, v)| *s += v * v));
    (0..n).for_each(|i| d.row_mut(i).iter_mut().for_each(|v| *v /= diagonal[i]));
    Ok(Some(d))
}

/// By one eigendecomposition for all penalties.
pub(super) fn by_eigenvalues(
    points: &Points<'_, f64>,
    root: &[f64],
    target: &Mat<f64>,
    alphas: &[f64],
) -> Result<KernelRidgeSolution> {
    spectral(&scaled_gram(points, root)?, root, target, alphas)
}

/// Coefficients for the best of several penalties, and the mean squared leave-one-out error of each: the residual of
/// the whole fit divided by the diagonal of the inverse.
fn spectral(k: &Mat<f64>, root: &[f64], target: &Mat<f64>, alphas: &[f64]) -> Result<KernelRidgeSolution> {
    let (n, targets) = (k.rows(), target.cols());
    let eigen = eigen_symmetric(k.view())?;
    // Eigenvalues at rounding level carry no information; with a penalty of 0 they are left out.
    let least = n as f64 * f64::EPSILON * eigen.values[0].abs();
    let rotated = product(eigen.vectors.view(), target.view());
    let inverse = |alpha: f64, j: usize| {
        let v = eigen.values[j] + alpha;
        if v > least { 1.0 / v } else { 0.0 }
    };
    let solve = |alpha: f64| {
        let scaled = Mat::from_fn(n, targets, |j, t| inverse(alpha, j) * rotated[(j, t)]);
        product(eigen.vectors.view().t(), scaled.view())
    };
    let mut errors = Vec::new();
    let mut best: Option<(f64, f64, Mat<f64>)> = None;
    for &alpha in alphas {
        let d = solve(alpha);
        let mut diagonal = vec![0.0; n];
        for j in 0..n {
            let share = inverse(alpha, j);
            diagonal.iter_mut().zip(eigen.vectors.row(j)).for_each(|(s, q)| *s += share * q * q);
        }
        let weight: f64 = root.iter().map(|r| r * r).sum();
        // A residual of S y is √w times that of y; its square carries the weight.
        let sum: f64 = (0..n).map(|i| (0..targets).map(|t| (d[(i, t)] / diagonal[i]).powi(2)).sum::<f64>()).sum();
        let error = sum / (weight * targets as f64);
        errors.push((alpha, error));
        if best.as_ref().is_none_or(|b| error < b.0) {
            best = Some((error, alpha, d));
        }
    }
    let (_, alpha, d) = match best {
        Some(best) => best,
        None => (f64::NAN, alphas[0], solve(alphas[0])),
    };
    Ok(KernelRidgeSolution {
        residual: residual(&product(k.view(), d.view()), &d, target, alpha),
        d,
        alpha,
        left_out: errors,
        method: "eigenvalues",
        condition: f64::NAN,
        iterations: 1,
        converged: true,
    })
}

/// Landmark rows of the preconditioner.
const LANDMARKS: usize = 500;

/// (F Fᵀ + α I)⁻¹ with F Fᵀ the Nyström approximation of S K S by landmarks: the preconditioned matrix has eigenvalues
/// near one, so that conjugate gradients need few steps (Frangella, Tropp and Udell: Randomized Nyström
/// preconditioning, 2023).
struct Preconditioner {
    /// Fᵀ.
    features: Mat<f64>,
    /// FᵀF + α I.
    inner: Cholesky,
    alpha: f64,
}

impl Preconditioner {
    /// None where there is no penalty, or rounding prevents the factorization.
    fn new(points: &Points<'_, f64>, root: &[f64], alpha: f64, cx: &Context<'_>) -> Result<Option<Self>> {
        let n = points.len();
        let mut landmarks: Vec<u32> = RngStream::new(cx.seed, "kernel ridge landmarks", 0)
            .permutation(n)
            .into_iter()
            .take(LANDMARKS.min(n / 4))
            .map(|i| i as u32)
            .collect();
        landmarks.sort_unstable();
        if alpha <= 0.0 || landmarks.is_empty() {
            return Ok(None);
        }
        let m = landmarks.len();
        let mut features = Mat::zeros(m, n);
        points.gram_rows(&landmarks, &mut features.as_mut_slice().chunks_exact_mut(n).collect::<Vec<_>>())?;
        for (k, &i) in landmarks.iter().enumerate() {
            let own = root[i as usize];
            features.row_mut(k).iter_mut().zip(root).for_each(|(v, r)| *v *= own * r);
        }
        let trace: f64 = landmarks.iter().enumerate().map(|(k, &i)| features[(k, i as usize)]).sum();
        let jitter = 1e-10 * trace.max(0.0) / m as f64;
        let small = Mat::from_fn(m, m, |a, b| features[(a, landmarks[b] as usize)] + if a == b { jitter } else { 0.0 });
        let Ok(factor) = Cholesky::new(small.view()) else { return Ok(None) };
        factor.solve_lower(&mut features);
        let mut inner = product(features.view(), features.view().t());
        (0..m).for_each(|k| inner[(k, k)] += alpha);
        Ok(Cholesky::new(inner.view()).ok().map(|inner| Self { features, inner, alpha }))
    }

    fn apply(&self, r: &[f64]) -> Vec<f64> {
        let mut u: Vec<f64> = (0..self.features.rows()).map(|k| dot(self.features.row(k), r)).collect();
        self.inner.solve_vec(&mut u);
        let mut z = r.to_vec();
        u.iter().enumerate().for_each(|(k, u)| z.iter_mut().zip(self.features.row(k)).for_each(|(z, f)| *z -= u * f));
        z.iter_mut().for_each(|z| *z /= self.alpha);
        z
    }
}

impl KernelRidge {
    /// Conjugate gradients on (S K S + α I) d = S y, one target at a time.
    pub(super) fn gradients(
        &self,
        points: &Points<'_, f64>,
        root: &[f64],
        target: &Mat<f64>,
        alpha: f64,
        cx: &Context<'_>,
    ) -> Result<KernelRidgeSolution> {
        let n = points.len();
        let mut d = Mat::zeros(n, target.cols());
        let (mut iterations, mut converged) = (0, true);
        let preconditioner = Preconditioner::new(points, root, alpha, cx)?;
        let turned = |r: &[f64]| preconditioner.as_ref().map_or_else(|| r.to_vec(), |p| p.apply(r));
        for t in 0..target.cols() {
            let mut x = vec![0.0; n];
            let mut r: Vec<f64> = target.view().col_iter(t).collect();
            let mut z = turned(&r);
            let mut p = z.clone();
            let size = dot(&r, &r);
            let (mut left, mut along) = (size, dot(&r, &z));
            let mut steps = 0;
            while left > self.tol * self.tol * size && steps < self.max_iter && !cx.deadline_passed() {
                cx.report(Progress { stage: "conjugate gradients", done: steps, total: Some(self.max_iter), objective: None })?;
                let scaled: Vec<f64> = p.iter().zip(root).map(|(p, r)| p * r).collect();
                let product = multiply(points, &scaled, cx)?;
                let q: Vec<f64> = (0..n).map(|i| root[i] * product[i] + alpha * p[i]).collect();
                let step = along / dot(&p, &q);
                if !step.is_finite() {
                    break;
                }
                x.iter_mut().zip(&p).for_each(|(x, p)| *x += step * p);
                r.iter_mut().zip(&q).for_each(|(r, q)| *r -= step * q);
                z = turned(&r);
                let next = dot(&r, &z);
                let share = next / along;
                p.iter_mut().zip(&z).for_each(|(p, z)| *p = z + share * *p);
                (left, along) = (dot(&r, &r), next);
                steps += 1;
            }
            converged &= left <= self.tol * self.tol * size;
            iterations += steps;
            (0..n).for_each(|i| d[(i, t)] = x[i]);
        }
        let mut products = Mat::zeros(n, target.cols());
        for t in 0..target.cols() {
            let f = multiply(points, &(0..n).map(|i| root[i] * d[(i, t)]).collect::<Vec<_>>(), cx)?;
            (0..n).for_each(|i| products[(i, t)] = root[i] * f[i]);
        }
        Ok(KernelRidgeSolution {
            residual: residual(&products, &d, target, alpha),
            d,
            alpha,
            left_out: Vec::new(),
            method: "conjugate gradients",
            condition: f64::NAN,
            iterations,
            converged,
        })
    }
}
