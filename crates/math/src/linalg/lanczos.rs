//! The largest eigenvalues of a symmetric matrix given by its products alone.

use ermine_core::{Mat, MatRef, Result, RngStream};
use serde::{Deserialize, Serialize};

use super::{PivotedQr, eigen_symmetric, matmul, product};

/// Blocks of vectors held before a thick restart.
const BLOCKS: usize = 8;

/// Block Lanczos with full orthogonalization and thick restarts, with reverse communication: [`BlockLanczos::block`]
/// returns vectors whose products with the matrix are needed, [`BlockLanczos::accept`] takes them, and
/// [`BlockLanczos::ritz`] returns the current estimates. So the matrix may be rows on a disk.
///
/// The start is random and at least as wide as the number of wanted eigenvectors, so that multiple eigenvalues are all
/// found. Every earlier product contributes, which is why far fewer are needed than by power iterations: after q
/// products the error of an eigenvector is about exp(-2q √gap), where the gap is relative to the spectrum, instead of
/// exp(-q gap). (Golub and Underwood, 1977; Musco and Musco, NIPS 2015; thick restarts: Wu and Simon, 2000.)
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct BlockLanczos {
    wanted: usize,
    width: usize,
    seed: u64,
    products: u64,
    /// Orthonormal rows.
    basis: Mat<f64>,
    /// The matrix times the first rows of the basis, one row each.
    images: Mat<f64>,
    /// basis · imagesᵀ of the rows with images: the projected matrix.
    seen: Mat<f64>,
}

/// Estimates of the largest eigenvalues.
#[derive(Debug, Clone)]
pub struct RitzPairs {
    /// Estimates of the eigenvalues from below, descending.
    pub values: Vec<f64>,
    /// Row k belongs to `values[k]`; the rows are orthonormal.
    pub vectors: Mat<f64>,
    /// ‖A v - λ v‖ of each pair. There is an eigenvalue within this distance of λ, and the error of λ is its square
    /// over the gap to the next one.
    pub residuals: Vec<f64>,
}

impl RitzPairs {
    /// The largest residual relative to the largest eigenvalue; 0 for a matrix of zeros.
    pub fn error(&self) -> f64 {
        let size = self.values.iter().fold(0.0f64, |m, v| m.max(v.abs()));
        let worst = self.residuals.iter().fold(0.0f64, |m, r| m.max(*r));
        if size > 0.0 { worst / size } else { worst }
    }
}

impl BlockLanczos {
    /// Starts with `width` random vectors (at least `wanted`, at most `dim`) to find the `wanted` largest eigenvalues
    /// of a matrix of `dim` rows.
    pub fn new(dim: usize, wanted: usize, width: usize, seed: u64) -> Result<Self> {
        let (wanted, width) = (wanted.min(dim), width.max(wanted).max(1).min(dim));
        let mut out = Self {
            wanted,
            width,
            seed,
            products: 0,
            basis: Mat::zeros(0, dim),
            images: Mat::zeros(0, dim),
            seen: Mat::zeros(0, 0),
        };
        let mut draw = RngStream::new(seed, "krylov", 0);
        let start = Mat::from_fn(width, dim, |_, _| draw.normal());
        out.basis.append_rows(orthonormal_rows(&start)?);
        Ok(out)
    }

    /// The vectors whose products are needed, one row each; none when the basis is complete.
    pub fn block(&self) -> MatRef<'_, f64> {
        self.basis.view().row_range(self.images.rows()..self.basis.rows())
    }

    /// How many blocks were multiplied.
    pub fn products(&self) -> u64 {
        self.products
    }

    /// Takes the products of [`BlockLanczos::block`], one row each.
    ///
    /// # Panics
    /// When the shape is another.
    pub fn accept(&mut self, image: Mat<f64>) -> Result<()> {
        let (old, all, dim) = (self.images.rows(), self.basis.rows(), self.basis.cols());
        assert_eq!((image.rows(), image.cols()), (all - old, dim), "a product for each vector of the block");
        self.products += 1;
        // The components of the new images within the basis, and the remainder.
        let within = product(self.basis.view(), image.view().t());
        let mut seen = Mat::zeros(all, all);
        for i in 0..all {
            for j in 0..all {
                seen[(i, j)] = match (i < old, j < old) {
                    (true, true) => self.seen[(i, j)],
                    (_, false) if i < old => within[(i, j - old)],
                    (false, true) => within[(j, i - old)],
                    _ => 0.5 * (within[(i, j - old)] + within[(j, i - old)]),
                };
            }
        }
        self.seen = seen;
        let sizes: Vec<f64> = (0..image.rows()).map(|i| norm(image.row(i))).collect();
        let mut fresh = image.clone();
        matmul(-1.0, within.view().t(), self.basis.view(), 1.0, &mut fresh);
        // Again, since the remainder may be small next to what was subtracted.
        let within = product(self.basis.view(), fresh.view().t());
        matmul(-1.0, within.view().t(), self.basis.view(), 1.0, &mut fresh);
        self.images.append_rows(image);

        // The remainder of a vector inside the basis is rounding.
        let rounding = 8.0 * (dim as f64).sqrt() * f64::EPSILON;
        let alive: Vec<usize> = (0..fresh.rows()).filter(|&i| norm(fresh.row(i)) > rounding * sizes[i]).collect();
        let mut fresh = fresh.view().take_rows(&alive);
        for i in 0..fresh.rows() {
            let size = norm(fresh.row(i));
            fresh.row_mut(i).iter_mut().for_each(|v| *v /= size);
        }
        if all + fresh.rows() > self.wanted + BLOCKS * self.width {
            self.thick_restart()?;
        }
        let room = dim - self.basis.rows();
        let mut fresh = orthonormal_rows(&fresh)?;
        if fresh.rows() > room {
            fresh = fresh.view().row_range(0..room).to_owned();
        }
        self.basis.append_rows(fresh);
        Ok(())
    }

    /// Keeps the best directions only; the next block continues from all of them.
    fn thick_restart(&mut self) -> Result<()> {
        let keep = (self.wanted + self.width.div_ceil(2)).min(self.images.rows());
        let eigen = eigen_symmetric(self.seen.view())?;
        let turn = eigen.vectors.view().row_range(0..keep);
        self.basis = product(turn, self.basis.view());
        self.images = product(turn, self.images.view());
        self.seen = Mat::from_fn(keep, keep, |i, j| if i == j { eigen.values[i] } else { 0.0 });
        Ok(())
    }

    /// The current estimates; fewer than wanted after few products.
    pub fn ritz(&self) -> Result<RitzPairs> {
        let known = self.images.rows();
        let eigen = eigen_symmetric(self.seen.view())?;
        let count = self.wanted.min(known);
        let turn = eigen.vectors.view().row_range(0..count);
        let vectors = product(turn, self.basis.view().row_range(0..known));
        let mut off = product(turn, self.images.view());
        let values = eigen.values[..count].to_vec();
        let residuals = (0..count)
            .map(|k| {
                off.row_mut(k).iter_mut().zip(vectors.row(k)).for_each(|(o, v)| *o -= values[k] * v);
                norm(off.row(k))
            })
            .collect();
        Ok(RitzPairs { values, vectors, residuals })
    }
}

/// The `wanted` largest eigenvalues of a symmetric matrix whose product with the rows of a block is `times`, to
/// residuals of `tolerance` times the largest, or after `most` products. `times` may stop it with an error.
pub fn largest_eigenvalues(
    dim: usize,
    wanted: usize,
    width: usize,
    seed: u64,
    tolerance: f64,
    most: u64,
    mut times: impl FnMut(MatRef<'_, f64>) -> Result<Mat<f64>>,
) -> Result<RitzPairs> {
    let mut krylov = BlockLanczos::new(dim, wanted, width, seed)?;
    loop {
        let image = times(krylov.block())?;
        krylov.accept(image)?;
        let ritz = krylov.ritz()?;
        if ritz.error() <= tolerance || krylov.products() >= most || krylov.block().rows() == 0 {
            return Ok(ritz);
        }
    }
}

fn norm(row: &[f64]) -> f64 {
    // About the largest element, so that squares neither overflow nor vanish.
    let largest = row.iter().fold(0.0f64, |m, v| m.max(v.abs()));
    if largest == 0.0 || !largest.is_finite() {
        return largest;
    }
    largest * row.iter().map(|v| (v / largest) * (v / largest)).sum::<f64>().sqrt()
}

/// Orthonormal rows of the same span; fewer where rows depend on each other.
fn orthonormal_rows(rows: &Mat<f64>) -> Result<Mat<f64>> {
    if rows.rows() == 0 {
        return Ok(Mat::zeros(0, rows.cols()));
    }
    let qr = PivotedQr::new(rows.view().t())?;
    let rank = qr.rank(16.0 * (rows.cols() as f64).sqrt() * f64::EPSILON);
    Ok(qr.q.view().t().row_range(0..rank).to_owned())
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::*;

    /// A symmetric matrix with the given eigenvalues and random eigenvectors.
    fn with_spectrum(values: &[f64], seed: u64) -> Mat<f64> {
        let n = values.len();
        let q = orthonormal_rows(&random(n, n, seed)).unwrap();
        let scaled = Mat::from_fn(n, n, |k, j| values[k] * q[(k, j)]);
        let a = product(q.view().t(), scaled.view());
        Mat::from_fn(n, n, |i, j| 0.5 * (a[(i, j)] + a[(j, i)]))
    }

    fn find(a: &Mat<f64>, wanted: usize, width: usize, tolerance: f64) -> RitzPairs {
        let times = |v: MatRef<'_, f64>| Ok(product(v, a.view()));
        largest_eigenvalues(a.rows(), wanted, width, 1, tolerance, 500, times).unwrap()
    }

    #[test]
    fn the_largest_are_those_of_the_whole_spectrum() {
        for &n in &SIZES {
            let g = random(n, n, n as u64);
            // Indefinite on purpose: the largest are not those of largest size.
            let a = Mat::from_fn(n, n, |i, j| g[(i, j)] + g[(j, i)]);
            let whole = eigen_symmetric(a.view()).unwrap();
            let wanted = n.div_ceil(6);
            let pairs = find(&a, wanted, wanted + 2, 1e-12);
            assert!(pairs.error() <= 1e-12, "{n}: {}", pairs.error());
            let size = whole.values[0].abs();
            for k in 0..wanted {
                assert!((pairs.values[k] - whole.values[k]).abs() <= tolerance(n) * size, "{n}: eigenvalue {k}");
            }
            assert_near(&product(pairs.vectors.view(), pairs.vectors.view().t()), &identity(wanted), tolerance(n), "V Vᵀ");
        }
    }

    #[test]
    fn close_and_equal_eigenvalues_are_all_found() {
        let values: Vec<f64> = (0..300).map(|i| if i < 5 { 1.0 } else { 0.999 - 0.001 * i as f64 }).collect();
        let a = with_spectrum(&values, 3);
        let pairs = find(&a, 7, 10, 1e-11);
        for (k, v) in pairs.values.iter().enumerate() {
            assert!((v - values[k]).abs() < 1e-12, "{k}: {v}");
        }
        // Many restarts were needed.
        assert!(pairs.error() <= 1e-11);
    }

    #[test]
    fn residuals_are_what_they_say_and_bound_the_error() {
        let values: Vec<f64> = (0..120).map(|i| (-(i as f64) / 10.0).exp()).collect();
        let a = with_spectrum(&values, 4);
        let mut krylov = BlockLanczos::new(120, 4, 6, 9).unwrap();
        let mut before = 0.0;
        for _ in 0..4 {
            let image = product(krylov.block(), a.view());
            krylov.accept(image).unwrap();
            let ritz = krylov.ritz().unwrap();
            let image = product(ritz.vectors.view(), a.view());
            for k in 0..4 {
                let off: Vec<f64> = image.row(k).iter().zip(ritz.vectors.row(k)).map(|(a, v)| a - ritz.values[k] * v).collect();
                assert!((norm(&off) - ritz.residuals[k]).abs() < 1e-14);
                assert!(values.iter().any(|v| (v - ritz.values[k]).abs() <= ritz.residuals[k] + 1e-14));
                assert!(ritz.values[k] <= values[k] + 1e-14, "from below");
            }
            let sum: f64 = ritz.values.iter().sum();
            assert!(sum >= before - 1e-15, "every product counts");
            before = sum;
        }
    }

    #[test]
    fn matrices_of_low_rank_and_of_nothing_are_no_trouble() {
        let (a, b) = (random(40, 2, 1), random(2, 40, 2));
        let mut low = product(a.view(), b.view());
        low = product(low.view().t(), low.view());
        let pairs = find(&low, 5, 8, 1e-12);
        let whole = eigen_symmetric(low.view()).unwrap();
        for k in 0..5 {
            assert!((pairs.values[k] - whole.values[k]).abs() < tolerance(40) * whole.values[0]);
        }
        assert_near(&product(pairs.vectors.view(), pairs.vectors.view().t()), &identity(5), tolerance(40), "V Vᵀ");
        let none = find(&Mat::zeros(9, 9), 3, 4, 0.0);
        assert_eq!(none.values, [0.0; 3]);
        let one = find(&Mat::from_vec(1, 1, vec![-2.0]), 1, 3, 0.0);
        assert!((one.values[0] + 2.0).abs() < 1e-15);
        let tiny = Mat::from_fn(30, 30, |i, j| if i == j { 1e-200 * (30 - i) as f64 } else { 0.0 });
        let pairs = find(&tiny, 2, 4, 1e-12);
        assert!((pairs.values[0] / 3e-199 - 1.0).abs() < 1e-12, "{:?}", pairs.values);
    }
}
