//! Panels of twelve rows, feature by feature: the input of kernels for many rows against few directions or centers.
//!
//! A panel holds 12 rows as `[feature][row]`, three vectors per feature. The result for a row then does not depend on
//! its place among the others, nor on the original layout, to the last bit.

use ermine_core::MatRef;
use std::ops::Range;

use crate::moments::Real;
use crate::simd::Simd;

/// Rows of a panel.
pub(crate) const ROWS: usize = 12;

/// Elements that [`pack`] writes.
pub(crate) fn packed_len(rows: usize, features: usize) -> usize {
    rows.div_ceil(ROWS) * ROWS * features.next_multiple_of(4)
}

/// Writes the given features of all rows of `x`, less `center`, panel after panel. Features are padded with zeros to a
/// multiple of 4, rows to a multiple of 12.
///
/// # Panics
/// When `out` is shorter than [`packed_len`] or `center` than the features.
#[inline(always)]
pub(crate) fn pack<S: Simd, T: Real>(s: S, x: MatRef<'_, T>, features: Range<usize>, center: &[f64], out: &mut [f64]) {
    let (rows, height) = (x.rows(), features.len().next_multiple_of(4));
    assert!(features.end <= x.cols() && features.end <= center.len());
    assert!(out.len() >= packed_len(rows, features.len()));
    let whole_rows = rows / 4 * 4;
    let whole_features = features.start + features.len() / 4 * 4;
    let (row_stride, col_stride, data) = (x.row_stride(), x.col_stride(), x.as_slice().as_ptr());
    let direct = row_stride == 1 || col_stride == 1;
    for row in (0..rows.next_multiple_of(ROWS)).step_by(4) {
        let at = row / ROWS * ROWS * height + row % ROWS;
        let mut feature = features.start;
        if direct && row < whole_rows {
            while feature < whole_features {
                let first = row * row_stride + feature * col_stride;
                let step = if row_stride == 1 { col_stride } else { row_stride };
                // SAFETY: these 4 rows and 4 features are inside the matrix, whose elements are all inside its slice; with
                // either stride 1, four neighbors in memory are four rows or four features. The places written are
                // features `feature - start .. + 4` of the panel, `row % 12 .. + 4` of 12, inside `out` by its length.
                unsafe {
                    let mut v = [s.splat(0.0); 4];
                    for i in 0..4 {
                        v[i] = T::load4(s, data.add(first + i * step));
                    }
                    if row_stride != 1 {
                        v = s.transpose(v);
                    }
                    for i in 0..4 {
                        let z = s.sub(v[i], s.splat(*center.get_unchecked(feature + i)));
                        s.store(out.as_mut_ptr().add(at + (feature - features.start + i) * ROWS), z);
                    }
                }
                feature += 4;
            }
        }
        for k in feature - features.start..height {
            for i in 0..4 {
                let inside = row + i < rows && features.start + k < features.end;
                out[at + k * ROWS + i] =
                    if inside { x.at(row + i, features.start + k).to_f64() - center[features.start + k] } else { 0.0 };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::Portable;
    use ermine_core::Mat;

    #[test]
    fn every_layout_packs_the_same() {
        for (rows, cols) in [(1, 1), (4, 4), (12, 8), (13, 9), (30, 21)] {
            let x = Mat::from_fn(rows, cols, |i, j| (i * 100 + j) as f64);
            let center: Vec<f64> = (0..cols).map(|j| j as f64 / 2.0).collect();
            let columns = x.view().t().to_owned();
            let wide = Mat::from_fn(rows * 2, cols * 2, |i, j| if i % 2 + j % 2 == 0 { x[(i / 2, j / 2)] } else { f64::NAN });
            let strided = MatRef::strided(wide.as_slice(), rows, cols, cols * 4, 2).unwrap();
            for features in [0..cols, cols / 3..cols, 0..cols.div_ceil(2)] {
                let mut out = vec![f64::NAN; packed_len(rows, features.len())];
                for view in [x.view(), columns.view().t(), strided] {
                    out.fill(f64::NAN);
                    pack(Portable, view, features.clone(), &center, &mut out);
                    let height = features.len().next_multiple_of(4);
                    for row in 0..rows.next_multiple_of(12) {
                        for k in 0..height {
                            let inside = row < rows && k < features.len();
                            let want = if inside { (row * 100) as f64 + (features.start + k) as f64 / 2.0 } else { 0.0 };
                            assert_eq!(out[row / 12 * 12 * height + k * 12 + row % 12], want, "{rows} x {cols} {row} {k}");
                        }
                    }
                    #[cfg(target_arch = "x86_64")]
                    if let Some(s) = crate::simd::Avx2::find() {
                        let mut other = vec![f64::NAN; out.len()];
                        pack(s, view, features.clone(), &center, &mut other);
                        assert_eq!(other, out);
                    }
                }
            }
        }
    }
}
