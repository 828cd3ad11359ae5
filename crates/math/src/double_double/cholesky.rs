//! Cholesky factorization with diagonal pivoting, in double-double.

use ermine_core::Mat;

use super::gram::axpy;
use super::{Dd, fused};

/// `P A Pᵀ = L Lᵀ` of a symmetric positive semidefinite matrix, L with as many columns as the numerical rank.
///
/// Suitable for a few hundred columns: a factorization takes about `n³ / 6` double-double operations.
#[derive(Debug, Clone)]
pub struct DdCholesky {
    n: usize,
    rank: usize,
    /// The column of A at each place.
    order: Vec<usize>,
    /// L row by row, in two arrays; entries right of the diagonal or of the rank are zero.
    hi: Vec<f64>,
    lo: Vec<f64>,
    clearance: f64,
}

/// A column whose remainder is at most this many times the rounding error of the data counts as linearly dependent.
const ROUNDINGS: f64 = 4.0;
/// Remainders below this share of the whole diagonal are tested so.
const DOUBTFUL_PIVOT: f64 = 1e-8;
/// Remainders below this share of the whole diagonal are rounding errors of the factorization itself.
const ZERO_PIVOT: f64 = 1e-29;

impl DdCholesky {
    /// Factorizes the matrix with entries `entry(i, j)`, i >= j, of products of data columns.
    ///
    /// `noise[j]` is the length of the rounding errors in column j of the data (0 for exact columns). A column is left
    /// out as dependent when its remainder, after projecting out the columns taken before, is no longer than the
    /// rounding errors of all columns concerned: in this precision it cannot be distinguished from a combination of the
    /// others.
    pub fn new(n: usize, entry: impl Fn(usize, usize) -> Dd, noise: &[f64]) -> Self {
        let mut f =
            Self { n, rank: 0, order: (0..n).collect(), hi: vec![0.0; n * n], lo: vec![0.0; n * n], clearance: f64::INFINITY };
        for i in 0..n {
            for j in 0..=i {
                f.put(i, j, entry(i, j));
            }
        }
        let whole: Vec<f64> = (0..n).map(|j| f.at(j, j).hi).collect();
        let (mut col_hi, mut col_lo) = (vec![0.0; n], vec![0.0; n]);
        // Places from `end` on hold dependent columns.
        let (mut k, mut end) = (0, n);
        while k < end {
            // Relative to its whole diagonal, so that the units of the columns do not decide the order.
            let left = |i: usize| f.at(i, i).hi / whole[f.order[i]];
            let mut pivot = k;
            for i in k + 1..end {
                if left(i) > left(pivot) || left(pivot).is_nan() {
                    pivot = i;
                }
            }
            let clearance = f.clearance_of(k, pivot, left(pivot), noise);
            if clearance <= ROUNDINGS {
                end -= 1;
                f.swap(pivot, end);
                continue;
            }
            f.clearance = f.clearance.min(clearance);
            f.swap(k, pivot);
            let root = f.at(k, k).sqrt();
            f.put(k, k, root);
            let inverse = Dd::ONE / root;
            for i in k + 1..n {
                let l = f.at(i, k) * inverse;
                f.put(i, k, l);
                (col_hi[i], col_lo[i]) = (l.hi, l.lo);
            }
            for i in k + 1..n {
                let row = i * n + k + 1..i * n + i + 1;
                let (upto_hi, upto_lo) = (&col_hi[k + 1..=i], &col_lo[k + 1..=i]);
                axpy(-col_hi[i], -col_lo[i], upto_hi, upto_lo, &mut f.hi[row.clone()], &mut f.lo[row]);
            }
            k += 1;
        }
        f.rank = k;
        for i in f.rank..n {
            let rest = i * n + f.rank..(i + 1) * n;
            f.hi[rest.clone()].fill(0.0);
            f.lo[rest].fill(0.0);
        }
        f
    }

    /// The remainder of the column at place `i` after `k` columns, relative to the rounding error of the data.
    fn clearance_of(&self, k: usize, i: usize, left: f64, noise: &[f64]) -> f64 {
        if left.is_nan() || left <= ZERO_PIVOT {
            return 0.0;
        }
        if left > DOUBTFUL_PIVOT && noise[self.order[i]] == 0.0 {
            return f64::INFINITY;
        }
        let rest = self.at(i, i).hi.sqrt();
        // For larger remainders, the column's own rounding dominates; the others enter with moderate factors.
        let mut total = noise[self.order[i]].powi(2);
        if left <= DOUBTFUL_PIVOT {
            // The combination of the columns taken that comes nearest: L₁ᵀ c = l.
            let mut c: Vec<f64> = (0..k).map(|j| self.at(i, j).hi).collect();
            for j in (0..k).rev() {
                c[j] /= self.at(j, j).hi;
                for m in 0..j {
                    c[m] -= self.at(j, m).hi * c[j];
                }
                total += (c[j] * noise[self.order[j]]).powi(2);
            }
        }
        rest / total.sqrt()
    }

    /// The least ratio of the remainder of a column to the rounding error of the data when it was taken: below 10^d,
    /// the data determine fewer than d digits of the solution. Infinite for exact columns.
    pub fn clearance(&self) -> f64 {
        self.clearance
    }

    fn at(&self, i: usize, j: usize) -> Dd {
        Dd { hi: self.hi[i * self.n + j], lo: self.lo[i * self.n + j] }
    }

    fn put(&mut self, i: usize, j: usize, v: Dd) {
        (self.hi[i * self.n + j], self.lo[i * self.n + j]) = (v.hi, v.lo);
    }

    /// Exchanges two places of the lower triangle, `a <= b`, rows of L and diagonals included.
    fn swap(&mut self, a: usize, b: usize) {
        if a == b {
            return;
        }
        let n = self.n;
        self.order.swap(a, b);
        for part in [&mut self.hi, &mut self.lo] {
            for j in 0..a {
                part.swap(a * n + j, b * n + j);
            }
            part.swap(a * n + a, b * n + b);
            for i in a + 1..b {
                part.swap(i * n + a, b * n + i);
            }
            for i in b + 1..n {
                part.swap(i * n + a, i * n + b);
            }
        }
    }

    /// Number of columns.
    pub fn n(&self) -> usize {
        self.n
    }

    /// How many columns are independent.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// The largest share of a column that the columns taken before it explained, as whole over remainder: a lower bound
    /// of the condition number of the matrix scaled to a unit diagonal.
    pub fn pivot_spread(&self) -> f64 {
        let spread = |i: usize| (0..=i).map(|k| (self.at(i, k).hi / self.at(i, i).hi).powi(2)).sum::<f64>();
        (0..self.rank).map(spread).fold(1.0, f64::max)
    }

    /// The columns in the order they were taken; the first [`Self::rank`] are independent.
    pub fn order(&self) -> &[usize] {
        &self.order
    }

    /// The factor with its rows in the order of the columns of A, rounded to f64: `rank` columns.
    pub fn factor(&self) -> Mat<f64> {
        let mut out = Mat::zeros(self.n, self.rank);
        for (i, &row) in self.order.iter().enumerate() {
            for k in 0..self.rank.min(i + 1) {
                out[(row, k)] = self.at(i, k).to_f64();
            }
        }
        out
    }

    /// `L₁⁻¹ b` over the independent columns; its squared length is `bᵀ A⁻¹ b` when all are.
    pub fn forward(&self, b: &[Dd]) -> Vec<Dd> {
        let mut z = Vec::with_capacity(self.rank);
        for i in 0..self.rank {
            let mut v = b[self.order[i]];
            for (k, &zk) in z.iter().enumerate() {
                v -= self.at(i, k) * zk;
            }
            z.push(v / self.at(i, i));
        }
        z
    }

    /// The solution of `A x = b` of least length, for b in the range of A: of all minimizers of a least-squares problem with
    /// normal equations `A x = b` the shortest.
    pub fn solve(&self, b: &[Dd]) -> Vec<Dd> {
        let z = self.forward(b);
        let mut x = vec![Dd::ZERO; self.n];
        if self.rank == self.n {
            let mut v = z;
            for i in (0..self.n).rev() {
                v[i] = v[i] / self.at(i, i);
                for k in 0..i {
                    let step = self.at(i, k) * v[i];
                    v[k] -= step;
                }
                x[self.order[i]] = v[i];
            }
            return x;
        }
        // Lᵀ x = z is solvable; its shortest solution is x = L (Lᵀ L)⁻¹ z.
        self.combine(&self.inner().solve(&z))
    }

    /// The pseudo-inverse times any b: the least-squares solution of `A x = b` of least length.
    pub fn pseudo_solve(&self, b: &[Dd]) -> Vec<Dd> {
        if self.rank == self.n {
            return self.solve(b);
        }
        // A⁺ = L (Lᵀ L)⁻² Lᵀ.
        let mut v = vec![Dd::ZERO; self.rank];
        for (i, &column) in self.order.iter().enumerate() {
            for k in 0..self.rank.min(i + 1) {
                v[k] += self.at(i, k) * b[column];
            }
        }
        let inner = self.inner();
        self.combine(&inner.solve(&inner.solve(&v)))
    }

    /// `L c`, in the order of the columns of A.
    fn combine(&self, c: &[Dd]) -> Vec<Dd> {
        let mut x = vec![Dd::ZERO; self.n];
        for (i, &column) in self.order.iter().enumerate() {
            x[column] = (0..self.rank.min(i + 1)).map(|k| self.at(i, k) * c[k]).sum();
        }
        x
    }

    /// `Lᵀ L`, factorized.
    fn inner(&self) -> Self {
        let inner = self.inner_products();
        Self::new(self.rank, |i, j| inner[i * self.rank + j], &vec![0.0; self.rank])
    }

    /// `Lᵀ L`, the lower triangle in a square.
    fn inner_products(&self) -> Vec<Dd> {
        let r = self.rank;
        let (mut hi, mut lo) = (vec![0.0; r * r], vec![0.0; r * r]);
        for i in 0..self.n {
            let row = i * self.n..i * self.n + r;
            let (lh, ll) = (&self.hi[row.clone()], &self.lo[row]);
            for a in 0..r.min(i + 1) {
                let out = a * r..a * r + a + 1;
                axpy(lh[a], ll[a], &lh[..=a], &ll[..=a], &mut hi[out.clone()], &mut lo[out]);
            }
        }
        hi.into_iter().zip(lo).map(|(hi, lo)| Dd { hi, lo }).collect()
    }

    /// The diagonal of `A⁻¹`, when all columns are independent.
    pub fn inverse_diagonal(&self) -> Option<Vec<Dd>> {
        if self.rank < self.n {
            return None;
        }
        let n = self.n;
        let (mut hi, mut lo) = (vec![0.0; n * n], vec![0.0; n * n]);
        let mut out = vec![Dd::ZERO; n];
        // Row i of L⁻¹ from the rows above it; column sums of squares are the diagonal.
        for i in 0..n {
            let (above_hi, row_hi) = hi.split_at_mut(i * n);
            let (above_lo, row_lo) = lo.split_at_mut(i * n);
            for k in 0..i {
                let l = self.at(i, k);
                let above = k * n..k * n + k + 1;
                axpy(-l.hi, -l.lo, &above_hi[above.clone()], &above_lo[above], &mut row_hi[..=k], &mut row_lo[..=k]);
            }
            row_hi[i] = 1.0;
            let inverse = Dd::ONE / self.at(i, i);
            scale_row(inverse, &mut row_hi[..=i], &mut row_lo[..=i]);
            for j in 0..=i {
                let v = Dd { hi: row_hi[j], lo: row_lo[j] };
                out[self.order[j]] += v * v;
            }
        }
        Some(out)
    }
}

fused! {
    fn scale_row(by: Dd, hi: &mut [f64], lo: &mut [f64]) {
        for (h, l) in hi.iter_mut().zip(lo) {
            let v = Dd { hi: *h, lo: *l } * by;
            (*h, *l) = (v.hi, v.lo);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hilbert(i: usize, j: usize) -> Dd {
        Dd::ONE / Dd::from((i + j + 1) as f64)
    }

    #[test]
    fn the_inverse_of_a_hilbert_matrix_is_whole_numbers() {
        // Condition number 1.6e13 for n = 10: f64 would keep three digits, double-double keeps them all.
        // The (i, i) entry of the inverse is (2i + 1) [C(n+i, n-i-1) C(2i, i)]^2 in exact arithmetic, i from 0.
        let n = 10;
        let f = DdCholesky::new(n, hilbert, &[0.0; 10]);
        assert_eq!(f.rank(), n);
        let choose = |n: u128, k: u128| (0..k).fold(1u128, |c, i| c * (n - i) / (i + 1));
        for (i, v) in f.inverse_diagonal().unwrap().into_iter().enumerate() {
            let (n, i) = (n as u128, i as u128);
            let exact = (2 * i + 1) * (choose(n + i, n - i - 1) * choose(2 * i, i)).pow(2);
            assert!((v.to_f64() / exact as f64 - 1.0).abs() < 1e-15, "{i}: {} against {exact}", v.to_f64());
        }
        // A (1, ..., 1) solved back.
        let b: Vec<Dd> = (0..n).map(|i| (0..n).map(|j| hilbert(i, j)).sum()).collect();
        for x in f.solve(&b) {
            assert!((x.to_f64() - 1.0).abs() < 1e-15);
        }
        let v: Dd = f.forward(&b).into_iter().map(|z| z * z).sum();
        let sum: Dd = b.iter().copied().sum();
        assert!(((v - sum).to_f64() / sum.to_f64()).abs() < 1e-16);
    }

    #[test]
    fn dependent_columns_share_the_solution_of_least_length() {
        // Columns a, b, a, a + b with inner products of orthonormal a and b; the target is a + 2 b.
        let columns = [[1.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]];
        let dot = |u: [f64; 2], v: [f64; 2]| u[0] * v[0] + u[1] * v[1];
        let f = DdCholesky::new(4, |i, j| dot(columns[i], columns[j]).into(), &[1e-16; 4]);
        assert_eq!(f.rank(), 2);
        assert!(f.inverse_diagonal().is_none());
        let b: Vec<Dd> = columns.iter().map(|&c| dot(c, [1.0, 2.0]).into()).collect();
        let x: Vec<f64> = f.solve(&b).into_iter().map(Dd::to_f64).collect();
        // Xᵀ (X Xᵀ)⁻¹ t with X Xᵀ = [[3, 1], [1, 2]]: the multipliers are (0, 1).
        for (found, exact) in x.iter().zip([0.0, 1.0, 0.0, 1.0]) {
            assert!((found - exact).abs() < 1e-30, "{x:?}");
        }
        // Two copies of one equation that disagree: the pseudo-inverse takes the mean of what they ask for.
        let f = DdCholesky::new(2, |_, _| Dd::ONE, &[0.0; 2]);
        let x = f.pseudo_solve(&[Dd::ONE, Dd::from(3.0)]);
        assert!(f.rank() == 1 && x.iter().all(|v| v.to_f64() == 1.0));
    }

    #[test]
    fn a_combination_of_columns_is_told_by_the_rounding_of_the_data() {
        // Columns u, v and u + v + d e with orthonormal u, v, e.
        let rank = |d: f64, noise: f64| {
            let columns = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, d]];
            let dot = |i: usize, j: usize| (0..3).map(|k| Dd::product(columns[i][k], columns[j][k])).sum();
            let f = DdCholesky::new(3, dot, &[noise; 3]);
            (f.rank(), f.clearance())
        };
        assert_eq!(rank(1e-14, 1e-16).0, 3);
        assert_eq!(rank(1e-16, 1e-16).0, 2);
        assert_eq!(rank(1e-13, 0.0).0, 3);
        let (full, clearance) = rank(1e-10, 1e-16);
        assert!(full == 3 && (1e5..1e6).contains(&clearance), "{clearance}");
    }

    #[test]
    fn the_factor_reproduces_the_matrix() {
        let entry = |i: usize, j: usize| Dd::from(if i == j { 3.0 + i as f64 } else { 1.0 / (1.0 + (i - j) as f64) });
        let l = DdCholesky::new(6, entry, &[0.0; 6]).factor();
        for i in 0..6 {
            for j in 0..=i {
                let product: f64 = (0..6).map(|k| l[(i, k)] * l[(j, k)]).sum();
                assert!((product - entry(i, j).to_f64()).abs() < 1e-14);
            }
        }
    }

    #[test]
    fn a_zero_matrix_has_rank_zero() {
        let f = DdCholesky::new(3, |_, _| Dd::ZERO, &[0.0; 3]);
        assert_eq!(f.rank(), 0);
        assert_eq!(f.solve(&[Dd::ZERO; 3]), [Dd::ZERO; 3]);
    }
}
