//! Gaussian densities with full covariances.

use ermine_core::{Mat, MatRef};

use crate::linalg::Cholesky;
use crate::moments::Real;
use crate::row_panels::{self, ROWS};
use crate::simd::{Portable, Simd};

/// Gaussian densities N(x; μ, L Lᵀ), one per component: ln N = -½ |L⁻¹ (x - μ)|² - Σ ln Lᵢᵢ - ½ p ln 2π.
///
/// The inverses of the factors are computed once. A block of rows is then a triangular matrix product for each
/// component, four results of twelve rows at a time, of which only the sum of squares is stored.
#[derive(Debug, Clone)]
pub struct FullGaussians {
    features: usize,
    /// Features with padding to a multiple of 4.
    padded: usize,
    /// One row per component, padded with zeros.
    mean: Vec<f64>,
    /// For each component L⁻¹ by twelve of its rows: column after column, up to the diagonal.
    inverse: Vec<f64>,
    constant: Vec<f64>,
}

/// Elements of the inverse of a factor, as it is laid out.
fn inverse_len(padded: usize) -> usize {
    (0..padded.div_ceil(ROWS)).map(|p| ROWS * (ROWS * (p + 1)).min(padded)).sum()
}

impl FullGaussians {
    /// Densities with the given means, one row per component, and covariances; where there is one covariance, all components share it.
    ///
    /// # Panics
    /// When the shapes differ or there is neither one covariance nor one a component.
    pub fn new(mean: MatRef<'_, f64>, covariance: &[Cholesky]) -> Self {
        let (components, features) = (mean.rows(), mean.cols());
        assert!(covariance.len() == components || covariance.len() == 1, "one covariance per component, or one");
        assert!(covariance.iter().all(|c| c.dim() == features), "columns of means and covariances");
        let padded = features.next_multiple_of(4);
        let mut g = Self {
            features,
            padded,
            mean: vec![0.0; components * padded],
            inverse: Vec::with_capacity(covariance.len() * inverse_len(padded)),
            constant: vec![0.0; components],
        };
        for c in 0..components {
            for j in 0..features {
                g.mean[c * padded + j] = *mean.at(c, j);
            }
            let one = &covariance[c.min(covariance.len() - 1)];
            g.constant[c] = -0.5 * (one.log_determinant() + features as f64 * std::f64::consts::TAU.ln());
        }
        covariance.iter().for_each(|c| g.put_inverse(c));
        g
    }

    fn put_inverse(&mut self, covariance: &Cholesky) {
        let p = self.features;
        let mut inverse = Mat::from_fn(p, p, |i, j| f64::from(u8::from(i == j)));
        covariance.solve_lower(&mut inverse);
        for first in (0..self.padded).step_by(ROWS) {
            for k in 0..(first + ROWS).min(self.padded) {
                let of = |i: usize| if i < p && k <= i { inverse[(i, k)] } else { 0.0 };
                self.inverse.extend((first..first + ROWS).map(of));
            }
        }
    }

    /// Number of components.
    pub fn components(&self) -> usize {
        self.constant.len()
    }

    /// Writes the logarithms of the densities of all rows of `x` into `out`: component after component, a run of rows for each.
    /// Meant for blocks of rows; runs on the calling thread. The result of a row does not depend on its neighbors in the
    /// block, nor on the layout.
    ///
    /// # Panics
    /// When the shapes do not fit.
    pub fn log_density<T: Real>(&self, x: MatRef<'_, T>, out: &mut [f64]) {
        T::log_density(self, x, out);
    }

    pub(crate) fn log_density_of<T: Real>(&self, x: MatRef<'_, T>, out: &mut [f64]) {
        assert_eq!(x.cols(), self.features, "features");
        assert_eq!(out.len(), x.rows() * self.components(), "room for the densities");
        #[cfg(target_arch = "x86_64")]
        {
            use crate::simd::Avx2;
            #[target_feature(enable = "avx2,fma")]
            fn all_avx2<T: Real>(s: Avx2, g: &FullGaussians, x: MatRef<'_, T>, out: &mut [f64]) {
                g.all(s, x, out);
            }
            if let Some(s) = Avx2::find() {
                // SAFETY: the features were found.
                return unsafe { all_avx2(s, self, x, out) };
            }
        }
        self.all(Portable, x, out);
    }

    #[inline(always)]
    fn all<S: Simd, T: Real>(&self, s: S, x: MatRef<'_, T>, out: &mut [f64]) {
        let rows = x.rows();
        let zeros = vec![0.0; self.features];
        let mut panel = vec![0.0; row_panels::packed_len(ROWS, self.features)];
        // About the mean of a component: a difference keeps its digits, a product of large numbers would not.
        let mut centered = panel.clone();
        let each = inverse_len(self.padded);
        for first in (0..rows).step_by(ROWS) {
            let part = x.row_range(first..(first + ROWS).min(rows));
            row_panels::pack(s, part, 0..self.features, &zeros, &mut panel);
            for c in 0..self.components() {
                let mean = &self.mean[c * self.padded..][..self.padded];
                for (k, m) in mean.iter().enumerate() {
                    let m = s.splat(*m);
                    for t in 0..3 {
                        // SAFETY: both panels hold `padded` features of 12 rows.
                        unsafe {
                            let v = s.load(panel.as_ptr().add(k * ROWS + 4 * t));
                            s.store(centered.as_mut_ptr().add(k * ROWS + 4 * t), s.sub(v, m));
                        }
                    }
                }
                let at = if self.inverse.len() == each { 0 } else { c * each };
                let squares = self.squares(s, &centered, &self.inverse[at..at + each]);
                for i in 0..part.rows() {
                    out[c * rows + first + i] = self.constant[c] - 0.5 * squares[i];
                }
            }
        }
    }

    /// |L⁻¹ d|² of twelve differences.
    #[inline(always)]
    fn squares<S: Simd>(&self, s: S, centered: &[f64], inverse: &[f64]) -> [f64; ROWS] {
        assert!(centered.len() >= ROWS * self.padded && inverse.len() >= inverse_len(self.padded));
        let mut sums = [s.splat(0.0); 3];
        let mut at = 0;
        for first in (0..self.padded).step_by(ROWS) {
            for t in (0..ROWS.min(self.padded - first)).step_by(4) {
                let mut four = [0.0; 4 * ROWS];
                // SAFETY: rows `first + t .. + 4` of the inverse have columns up to `first + t + 4`, a multiple of 4 above 0 and at
                // most `padded`; these are in the panel and in `centered` by the assertion. The product goes to an array of its size.
                unsafe {
                    let left = inverse.as_ptr().add(at + t);
                    s.product_4x12(first + t + 4, left, centered.as_ptr(), four.as_mut_ptr(), std::ptr::null(), 0);
                    for n in 0..3 {
                        for m in 0..4 {
                            let v = s.load(four.as_ptr().add(ROWS * m + 4 * n));
                            sums[n] = s.fma(v, v, sums[n]);
                        }
                    }
                }
            }
            at += ROWS * (first + ROWS).min(self.padded);
        }
        let mut squares = [0.0; ROWS];
        for n in 0..3 {
            // SAFETY: an array of twelve.
            unsafe { s.store(squares.as_mut_ptr().add(4 * n), sums[n]) };
        }
        squares
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::product;
    use ermine_core::RngStream;

    fn random(rows: usize, cols: usize, seed: u64) -> Mat<f64> {
        let mut rng = RngStream::new(seed, "test", 0);
        Mat::from_fn(rows, cols, |_, _| rng.normal())
    }

    fn covariance(p: usize, seed: u64) -> Mat<f64> {
        let g = random(p + 4, p, seed);
        product(g.view().t(), g.view())
    }

    /// By solving with the covariance itself.
    fn truth(x: &[f64], mean: &[f64], c: &Cholesky) -> f64 {
        let d: Vec<f64> = x.iter().zip(mean).map(|(x, m)| x - m).collect();
        let mut solved = d.clone();
        c.solve_vec(&mut solved);
        let square: f64 = d.iter().zip(&solved).map(|(a, b)| a * b).sum();
        -0.5 * (square + c.log_determinant() + x.len() as f64 * std::f64::consts::TAU.ln())
    }

    #[test]
    fn densities_follow_the_formula_for_any_width_and_rows_stand_alone() {
        for (rows, cols, components) in [(1, 1, 1), (13, 3, 2), (12, 4, 3), (40, 11, 2), (25, 12, 1), (30, 13, 3), (50, 29, 2)] {
            let (x, mean) = (random(rows, cols, 1), random(components, cols, 2));
            let factors: Vec<Cholesky> =
                (0..components).map(|c| Cholesky::new(covariance(cols, 3 + c as u64).view()).unwrap()).collect();
            for shared in [false, true] {
                let factors = if shared { &factors[..1] } else { &factors[..] };
                let g = FullGaussians::new(mean.view(), factors);
                let mut out = vec![f64::NAN; rows * components];
                g.log_density(x.view(), &mut out);
                let columns = x.view().t().to_owned();
                let mut other = vec![f64::NAN; rows * components];
                g.log_density(columns.view().t(), &mut other);
                assert_eq!(out, other, "layouts");
                for i in 0..rows {
                    let mut alone = vec![f64::NAN; components];
                    g.log_density(x.view().row_range(i..i + 1), &mut alone);
                    for c in 0..components {
                        let want = truth(x.row(i), mean.row(c), &factors[c.min(factors.len() - 1)]);
                        assert!((out[c * rows + i] - want).abs() <= 1e-10 * want.abs(), "{rows} x {cols}: {}", out[c * rows + i]);
                        assert_eq!(alone[c], out[c * rows + i]);
                    }
                }
            }
        }
    }

    #[test]
    fn rows_far_from_zero_lose_nothing() {
        let (x, mean) = (random(20, 6, 1), random(1, 6, 2));
        let c = Cholesky::new(covariance(6, 3).view()).unwrap();
        let of = |x: &Mat<f64>, mean: &Mat<f64>| {
            let mut out = vec![0.0; 20];
            FullGaussians::new(mean.view(), std::slice::from_ref(&c)).log_density(x.view(), &mut out);
            out
        };
        // Powers of two, so that the shift itself is exact enough.
        let moved =
            |m: &Mat<f64>| Mat::from_fn(m.rows(), 6, |i, j| ((m[(i, j)] * 1024.0).round() / 1024.0) + f64::from(1u32 << 30));
        let back = |m: &Mat<f64>| Mat::from_fn(m.rows(), 6, |i, j| moved(m)[(i, j)] - f64::from(1u32 << 30));
        assert_eq!(of(&moved(&x), &moved(&mean)), of(&back(&x), &back(&mean)));
    }

    #[test]
    fn any_processor_gives_the_same_up_to_rounding() {
        let (x, mean) = (random(31, 17, 5), random(2, 17, 6));
        let factors = [7, 8].map(|s| Cholesky::new(covariance(17, s).view()).unwrap());
        let g = FullGaussians::new(mean.view(), &factors);
        let (mut here, mut portable) = (vec![0.0; 62], vec![0.0; 62]);
        g.log_density(x.view(), &mut here);
        g.all(Portable, x.view(), &mut portable);
        here.iter().zip(&portable).for_each(|(a, b)| assert!((a - b).abs() <= 1e-11 * b.abs()));
    }
}
