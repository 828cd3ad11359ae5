//! Residuals of a linear fit and the corrections of its coefficients, in double-double.

use ermine_core::{Error, Partial, Result};
use serde::{Deserialize, Serialize};

use super::gram::axpy;
use super::{Dd, fused, quick_two_sum, two_prod, two_sum};

/// Partial sums side by side, so that the inner loop runs over vectors.
const LANES: usize = 8;

fused! {
    /// `sums += a * b`, element l to lane l mod 8.
    fn dot(ah: &[f64], al: &[f64], bh: &[f64], bl: &[f64], sums_hi: &mut [f64; LANES], sums_lo: &mut [f64; LANES]) {
        let n = ah.len();
        let (al, bh, bl) = (&al[..n], &bh[..n], &bl[..n]);
        let mut i = 0;
        while i + LANES <= n {
            for l in 0..LANES {
                let (p, e) = two_prod(ah[i + l], bh[i + l]);
                let e = ah[i + l].mul_add(bl[i + l], al[i + l].mul_add(bh[i + l], e));
                let (s, f) = two_sum(sums_hi[l], p);
                (sums_hi[l], sums_lo[l]) = quick_two_sum(s, f + (sums_lo[l] + e));
            }
            i += LANES;
        }
        for l in 0..n - i {
            let (p, e) = two_prod(ah[i + l], bh[i + l]);
            let e = ah[i + l].mul_add(bl[i + l], al[i + l].mul_add(bh[i + l], e));
            let (s, f) = two_sum(sums_hi[l], p);
            (sums_hi[l], sums_lo[l]) = quick_two_sum(s, f + (sums_lo[l] + e));
        }
    }
}

fn inner(a: Pair<'_>, b: Pair<'_>) -> Dd {
    let (mut hi, mut lo) = ([0.0; LANES], [0.0; LANES]);
    dot(a.0, a.1, b.0, b.1, &mut hi, &mut lo);
    (0..LANES).map(|l| Dd { hi: hi[l], lo: lo[l] }).sum()
}

type Pair<'a> = (&'a [f64], &'a [f64]);

/// For rows z = (x, y) and coefficients B: the sums over rows of `w r`, `w r²`, `w x r` with `r = y - x B`, and of `w x`.
///
/// The cost is that of one matrix-vector product in double-double, for each target and twice. With these sums a
/// solution in f64 is refined iteratively, until it has all its digits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Residuals {
    cols: usize,
    weight: Dd,
    x: Vec<Dd>,
    r: Vec<Dd>,
    rr: Vec<Dd>,
    /// One row per target.
    xr: Vec<Dd>,
}

impl Residuals {
    /// The sums of no rows.
    pub fn new(cols: usize, targets: usize) -> Self {
        Self {
            cols,
            weight: Dd::ZERO,
            x: vec![Dd::ZERO; cols],
            r: vec![Dd::ZERO; targets],
            rr: vec![Dd::ZERO; targets],
            xr: vec![Dd::ZERO; cols * targets],
        }
    }

    /// Adds a few hundred rows, given by column: `hi` and `lo` have the columns of x and then of y one after the other,
    /// all as long as `weight`. `coef` has one row per target.
    ///
    /// # Panics
    /// When the lengths do not fit.
    pub fn add(&mut self, weight: &[f64], hi: &[f64], lo: &[f64], coef: &[Dd]) {
        let (n, p, t) = (weight.len(), self.cols, self.r.len());
        assert!(hi.len() == n * (p + t) && lo.len() == hi.len() && coef.len() == p * t, "columns of other lengths");
        let column = |j: usize| (&hi[j * n..(j + 1) * n], &lo[j * n..(j + 1) * n]);
        let zeros = vec![0.0; n];
        self.weight += weight.iter().map(|&w| Dd::from(w)).sum();
        for j in 0..p {
            self.x[j] += inner(column(j), (weight, &zeros));
        }
        for k in 0..t {
            let (y_hi, y_lo) = column(p + k);
            let (mut r_hi, mut r_lo) = (y_hi.to_vec(), y_lo.to_vec());
            for j in 0..p {
                let (b, (x_hi, x_lo)) = (coef[k * p + j], column(j));
                axpy(-b.hi, -b.lo, x_hi, x_lo, &mut r_hi, &mut r_lo);
            }
            let (mut w_hi, mut w_lo) = (vec![0.0; n], vec![0.0; n]);
            for i in 0..n {
                let v = Dd { hi: r_hi[i], lo: r_lo[i] } * weight[i].into();
                (w_hi[i], w_lo[i]) = (v.hi, v.lo);
                self.r[k] += v;
            }
            self.rr[k] += inner((&r_hi, &r_lo), (&w_hi, &w_lo));
            for j in 0..p {
                self.xr[k * p + j] += inner(column(j), (&w_hi, &w_lo));
            }
        }
    }

    /// `sum w (r - mean r)²`, or about zero.
    pub fn square(&self, k: usize, centered: bool) -> Dd {
        if centered { self.rr[k] - self.r[k] * self.r[k] / self.weight } else { self.rr[k] }
    }

    /// `sum w (x_j - mean x_j) r`, or about zero.
    pub fn product(&self, k: usize, j: usize, centered: bool) -> Dd {
        let v = self.xr[k * self.cols + j];
        if centered { v - self.x[j] * self.r[k] / self.weight } else { v }
    }
}

impl Partial for Residuals {
    fn merge(&mut self, other: Self) -> Result<()> {
        if self.cols != other.cols || self.r.len() != other.r.len() {
            return Err(Error::Length { what: "columns of two totals".into(), expected: self.cols, found: other.cols });
        }
        self.weight += other.weight;
        let pairs = [(&mut self.x, other.x), (&mut self.r, other.r), (&mut self.rr, other.rr), (&mut self.xr, other.xr)];
        for (a, b) in pairs {
            a.iter_mut().zip(b).for_each(|(a, b)| *a += b);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Whole numbers: every sum is a whole number that double-double holds exactly.
        #[test]
        fn sums_of_integers_are_exact(
            rows in prop::collection::vec((0i64..4, prop::collection::vec(-(1i64 << 20)..1i64 << 20, 4)), 1..40),
            coef in prop::collection::vec(-1000i64..1000, 4),
        ) {
            // Two columns, two targets.
            let n = rows.len();
            let weight: Vec<f64> = rows.iter().map(|r| r.0 as f64).collect();
            let hi: Vec<f64> = (0..4).flat_map(|j| rows.iter().map(move |r| r.1[j] as f64)).collect();
            let b: Vec<Dd> = coef.iter().map(|&c| (c as f64).into()).collect();
            let mut total = Residuals::new(2, 2);
            total.add(&weight, &hi, &vec![0.0; 4 * n], &b);
            let value = |v: Dd| v.hi as i128 + v.lo as i128;
            for k in 0..2 {
                let r = |row: &(i64, Vec<i64>)| (row.1[2 + k] - row.1[0] * coef[2 * k] - row.1[1] * coef[2 * k + 1]) as i128;
                let square: i128 = rows.iter().map(|row| row.0 as i128 * r(row) * r(row)).sum();
                prop_assert_eq!(value(total.square(k, false)), square);
                for j in 0..2 {
                    let product: i128 = rows.iter().map(|row| row.0 as i128 * r(row) * row.1[j] as i128).sum();
                    prop_assert_eq!(value(total.product(k, j, false)), product);
                }
            }
        }
    }
}
