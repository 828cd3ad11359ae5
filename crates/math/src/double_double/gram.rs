//! Sums of products over rows, in double-double.

use ermine_core::{Error, Partial, Result};
use serde::{Deserialize, Serialize};

use super::{Dd, fused, quick_two_sum, two_prod, two_sum};

/// Rows whose differences are held at a time; with a few dozen columns they stay in the first cache.
const ROWS_HELD: usize = 32;
/// Rows of the triangle that are updated together while the held rows pass by.
const TILE: usize = 8;

/// `acc += (ah, al) * (dh, dl)` for each element, in double-double; one error term of a product of low parts is below
/// the last digit and left out.
#[inline(always)]
fn axpy_body(ah: f64, al: f64, dh: &[f64], dl: &[f64], acc_hi: &mut [f64], acc_lo: &mut [f64]) {
    let n = acc_hi.len();
    let (dh, dl, acc_lo) = (&dh[..n], &dl[..n], &mut acc_lo[..n]);
    for j in 0..n {
        let (p, e) = two_prod(ah, dh[j]);
        let e = ah.mul_add(dl[j], al.mul_add(dh[j], e));
        let (s, f) = two_sum(acc_hi[j], p);
        let (hi, lo) = quick_two_sum(s, f + (acc_lo[j] + e));
        acc_hi[j] = hi;
        acc_lo[j] = lo;
    }
}

fused! {
    /// [`axpy_body`] for callers outside a wide function.
    pub(super) fn axpy(ah: f64, al: f64, dh: &[f64], dl: &[f64], acc_hi: &mut [f64], acc_lo: &mut [f64]) {
        axpy_body(ah, al, dh, dl, acc_hi, acc_lo);
    }
}

fused! {
    fn add_pending(q: usize, held: &PendingRows, sum_hi: &mut [f64], sum_lo: &mut [f64], hi: &mut [f64], lo: &mut [f64]) {
        for (r, &w) in held.weights.iter().enumerate() {
            axpy_body(w, 0.0, &held.dh[r * q..], &held.dl[r * q..], sum_hi, sum_lo);
        }
        for tile in (0..q).step_by(TILE) {
            for (r, &w) in held.weights.iter().enumerate() {
                let (dh, dl) = (&held.dh[r * q..(r + 1) * q], &held.dl[r * q..(r + 1) * q]);
                for i in tile..(tile + TILE).min(q) {
                    let (ah, e) = two_prod(w, dh[i]);
                    let al = w.mul_add(dl[i], e);
                    let row = i * (i + 1) / 2..(i + 1) * (i + 2) / 2;
                    axpy_body(ah, al, dh, dl, &mut hi[row.clone()], &mut lo[row]);
                }
            }
        }
    }
}

fused! {
    fn add_sparse(
        w: f64,
        columns: &[usize],
        values: &[f64],
        sum: (&mut [f64], &mut [f64]),
        hi: &mut [f64],
        lo: &mut [f64],
    ) {
        for (a, (&i, &v)) in columns.iter().zip(values).enumerate() {
            let (ah, al) = two_prod(w, v);
            let (s, f) = two_sum(sum.0[i], ah);
            (sum.0[i], sum.1[i]) = quick_two_sum(s, f + (sum.1[i] + al));
            let row = i * (i + 1) / 2;
            for (&j, &u) in columns[..=a].iter().zip(values) {
                let (p, e) = two_prod(ah, u);
                let e = al.mul_add(u, e);
                let at = row + j;
                let (s, f) = two_sum(hi[at], p);
                (hi[at], lo[at]) = quick_two_sum(s, f + (lo[at] + e));
            }
        }
    }
}

/// `sum w z zᵀ`, `sum w z` and `sum w` over rows z = scale (x - shift), in double-double.
///
/// The shift need only be near the middle of the data; totals about the exact mean follow in [`DdGram::centered`]. Scales
/// are powers of two, so that no digit changes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DdGram {
    cols: usize,
    weight: Dd,
    sum_hi: Vec<f64>,
    sum_lo: Vec<f64>,
    /// The lower triangle row by row, in two arrays so that the inner loop runs over vectors.
    hi: Vec<f64>,
    lo: Vec<f64>,
    #[serde(skip)]
    held: PendingRows,
}

/// Rows waiting for the next update of the triangle.
#[derive(Debug, Clone, PartialEq, Default)]
struct PendingRows {
    weights: Vec<f64>,
    dh: Vec<f64>,
    dl: Vec<f64>,
}

impl DdGram {
    /// Totals of no rows of `cols` columns.
    pub fn new(cols: usize) -> Self {
        let triangle = cols * (cols + 1) / 2;
        Self {
            cols,
            weight: Dd::ZERO,
            sum_hi: vec![0.0; cols],
            sum_lo: vec![0.0; cols],
            hi: vec![0.0; triangle],
            lo: vec![0.0; triangle],
            held: PendingRows::default(),
        }
    }

    /// Number of columns.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// The sum of the weights.
    pub fn weight(&self) -> Dd {
        self.weight
    }

    /// Adds one row: `value(j)` is the j-th entry, already shifted and scaled.
    pub fn add_row(&mut self, weight: f64, mut value: impl FnMut(usize) -> Dd) {
        self.weight += weight.into();
        self.held.weights.push(weight);
        for j in 0..self.cols {
            let d = value(j);
            self.held.dh.push(d.hi);
            self.held.dl.push(d.lo);
        }
        if self.held.weights.len() == ROWS_HELD {
            self.flush();
        }
    }

    /// Adds one row that is zero except for `values` in `columns`, which ascend.
    ///
    /// # Panics
    /// When a column is too large.
    pub fn add_sparse_row(&mut self, weight: f64, columns: &[usize], values: &[f64]) {
        debug_assert!(columns.is_sorted());
        self.weight += weight.into();
        add_sparse(weight, columns, values, (&mut self.sum_hi, &mut self.sum_lo), &mut self.hi, &mut self.lo);
    }

    /// Adds the waiting rows to the sums. Must be called at the end of a block of rows.
    pub fn flush(&mut self) {
        if self.held.weights.is_empty() {
            return;
        }
        add_pending(self.cols, &self.held, &mut self.sum_hi, &mut self.sum_lo, &mut self.hi, &mut self.lo);
        self.held.weights.clear();
        self.held.dh.clear();
        self.held.dl.clear();
    }

    /// `sum w z_i z_j` (either order of indices).
    pub fn cross(&self, i: usize, j: usize) -> Dd {
        debug_assert!(self.held.weights.is_empty(), "settle first");
        let (i, j) = if i >= j { (i, j) } else { (j, i) };
        let at = i * (i + 1) / 2 + j;
        Dd { hi: self.hi[at], lo: self.lo[at] }
    }

    /// `sum w z_j`.
    pub fn sum(&self, j: usize) -> Dd {
        Dd { hi: self.sum_hi[j], lo: self.sum_lo[j] }
    }

    /// `sum w z_j / sum w`: the correction of the shift to the exact mean.
    pub fn mean(&self, j: usize) -> Dd {
        self.sum(j) / self.weight
    }

    /// `sum w (z_i - m_i)(z_j - m_j)` with the exact means m.
    pub fn centered(&self, i: usize, j: usize) -> Dd {
        self.cross(i, j) - self.sum(i) * self.mean(j)
    }

    /// Whether every total is finite.
    pub fn is_finite(&self) -> bool {
        self.weight.is_finite() && self.sum_hi.iter().all(|s| s.is_finite()) && self.hi.iter().all(|v| v.is_finite())
    }
}

fused! {
    fn add_all(hi: &mut [f64], lo: &mut [f64], more_hi: &[f64], more_lo: &[f64]) {
        axpy_body(1.0, 0.0, more_hi, more_lo, hi, lo);
    }
}

impl Partial for DdGram {
    fn merge(&mut self, mut other: Self) -> Result<()> {
        if self.cols != other.cols {
            return Err(Error::Length { what: "columns of two totals".into(), expected: self.cols, found: other.cols });
        }
        self.flush();
        other.flush();
        self.weight += other.weight;
        add_all(&mut self.sum_hi, &mut self.sum_lo, &other.sum_hi, &other.sum_lo);
        add_all(&mut self.hi, &mut self.lo, &other.hi, &other.lo);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Integers: the sums are integers of less than a hundred bits, and must be exact.
        #[test]
        fn totals_of_integers_are_exact(
            rows in prop::collection::vec((0i64..5, prop::collection::vec(-(1i64 << 40)..1i64 << 40, 3)), 1..70),
            cut in 0usize..70,
        ) {
            let cut = cut.min(rows.len());
            let gather = |rows: &[(i64, Vec<i64>)]| {
                let mut g = DdGram::new(3);
                for (w, x) in rows {
                    g.add_row(*w as f64, |j| (x[j] as f64).into());
                }
                g.flush();
                g
            };
            let mut total = gather(&rows[..cut]);
            total.merge(gather(&rows[cut..])).unwrap();
            let value = |v: Dd| v.hi as i128 + v.lo as i128;
            for i in 0..3 {
                for j in 0..3 {
                    let expected: i128 = rows.iter().map(|(w, x)| *w as i128 * x[i] as i128 * x[j] as i128).sum();
                    prop_assert_eq!(value(total.cross(i, j)), expected);
                }
            }
            prop_assert_eq!(value(total.weight()), rows.iter().map(|r| r.0 as i128).sum::<i128>());
        }
    }

    #[test]
    fn sparse_rows_are_rows() {
        let rows = [[0.0, 3.0, 0.0, -1.0], [2.0, 0.0, 0.0, 0.0], [0.5, 0.25, 7.0, 1e-9], [0.0; 4]];
        let (mut dense, mut sparse) = (DdGram::new(4), DdGram::new(4));
        for (w, row) in rows.iter().enumerate() {
            dense.add_row(w as f64 + 0.3, |j| row[j].into());
            let columns: Vec<usize> = (0..4).filter(|&j| row[j] != 0.0).collect();
            let values: Vec<f64> = columns.iter().map(|&j| row[j]).collect();
            sparse.add_sparse_row(w as f64 + 0.3, &columns, &values);
        }
        dense.flush();
        assert_eq!(dense, sparse);
    }

    #[test]
    fn a_large_mean_costs_no_digits() {
        // Values 1, 2, 3 about 1e15: the scatter is 2, exactly.
        let mut g = DdGram::new(1);
        for v in [1.0, 2.0, 3.0] {
            g.add_row(1.0, |_| Dd::sum(1e15 + v, -1e15 - 1.0));
        }
        g.flush();
        assert_eq!(g.centered(0, 0), 2.0.into());
        assert_eq!(g.mean(0), 1.0.into());
    }
}
