//! Projection of rows on a few directions: z = V (x - center).

use ermine_core::MatRef;

use crate::moments::Real;
use crate::row_panels::{self, ROWS};
use crate::simd::{Portable, Simd};

/// Rows packed at a time.
const CHUNK: usize = 8 * ROWS;

/// Features multiplied at a time: a panel of directions then stays in the first-level cache.
const DEPTH: usize = 256;

/// Directions of a panel.
const PANEL: usize = 12;

/// Directions, arranged for fast products with many rows.
///
/// The projection of a row does not depend on its neighbors in the block, nor on the layout, to the last bit.
#[derive(Debug, Clone, PartialEq)]
pub struct Projection {
    directions: usize,
    features: usize,
    /// Panel after panel of 12 directions, each `[feature][direction]`, features padded to a multiple of 4.
    packed: Vec<f64>,
}

impl Projection {
    /// Arranges directions: the rows of `v`.
    pub fn new(v: MatRef<'_, f64>) -> Self {
        let (directions, features) = (v.rows(), v.cols());
        let height = features.next_multiple_of(4);
        let mut packed = vec![0.0; directions.next_multiple_of(PANEL) * height];
        for d in 0..directions {
            for k in 0..features {
                packed[d / PANEL * PANEL * height + k * PANEL + d % PANEL] = *v.at(d, k);
            }
        }
        Self { directions, features, packed }
    }

    /// Number of directions.
    pub fn directions(&self) -> usize {
        self.directions
    }

    /// Number of features.
    pub fn features(&self) -> usize {
        self.features
    }

    /// Writes the projections of all rows of `x`, less `center`, into `out`, row-major. Meant for blocks of rows; runs on
    /// the calling thread.
    ///
    /// # Panics
    /// When the shapes do not fit.
    pub fn apply<T: Real>(&self, x: MatRef<'_, T>, center: &[f64], out: &mut [f64]) {
        assert_eq!(x.cols(), self.features, "features");
        assert_eq!(center.len(), self.features, "features of the center");
        assert_eq!(out.len(), x.rows() * self.directions, "room for the projections");
        #[cfg(target_arch = "x86_64")]
        {
            use crate::simd::Avx2;
            #[target_feature(enable = "avx2,fma")]
            fn apply_avx2<T: Real>(s: Avx2, p: &Projection, x: MatRef<'_, T>, center: &[f64], out: &mut [f64]) {
                p.all(s, x, center, out);
            }
            if let Some(s) = Avx2::find() {
                // SAFETY: the features were found.
                return unsafe { apply_avx2(s, self, x, center, out) };
            }
        }
        self.all(Portable, x, center, out);
    }

    #[inline(always)]
    fn all<S: Simd, T: Real>(&self, s: S, x: MatRef<'_, T>, center: &[f64], out: &mut [f64]) {
        let panels = self.directions.div_ceil(PANEL);
        let height = self.features.next_multiple_of(4);
        let chunk = CHUNK.min(x.rows().next_multiple_of(ROWS));
        let mut packed = vec![0.0; row_panels::packed_len(chunk, DEPTH.min(self.features))];
        let mut tiles = vec![0.0; chunk * panels * PANEL];
        for first in (0..x.rows()).step_by(chunk.max(1)) {
            let part = x.row_range(first..(first + chunk).min(x.rows()));
            tiles.fill(0.0);
            for from in (0..self.features).step_by(DEPTH) {
                let to = (from + DEPTH).min(self.features);
                let depth = (to - from).next_multiple_of(4);
                row_panels::pack(s, part, from..to, center, &mut packed);
                for j in 0..panels {
                    for i in 0..part.rows().div_ceil(ROWS) {
                        let a = &packed[i * ROWS * depth..][..ROWS * depth];
                        let b = &self.packed[j * PANEL * height + from * PANEL..][..PANEL * depth];
                        let c = &mut tiles[(i * panels + j) * ROWS * PANEL..][..ROWS * PANEL];
                        for t in [0, 4, 8] {
                            // SAFETY: `a` and `b` hold `depth` rows of 12, a multiple of 4 above 0, and the tile 12 rows
                            // of 12, of which four from row t are written.
                            unsafe {
                                let (a, c) = (a.as_ptr().add(t), c.as_mut_ptr().add(t * PANEL));
                                s.product_4x12(depth, a, b.as_ptr(), c, std::ptr::null(), 0);
                            }
                        }
                    }
                }
            }
            for (i, z) in out[first * self.directions..].chunks_exact_mut(self.directions.max(1)).take(part.rows()).enumerate() {
                for (j, piece) in z.chunks_mut(PANEL).enumerate() {
                    let tile = &tiles[((i / ROWS) * panels + j) * ROWS * PANEL + i % ROWS * PANEL..];
                    piece.copy_from_slice(&tile[..piece.len()]);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ermine_core::{Mat, RngStream};

    fn random(rows: usize, cols: usize, seed: u64) -> Mat<f64> {
        let mut rng = RngStream::new(seed, "test", 0);
        Mat::from_fn(rows, cols, |_, _| rng.normal())
    }

    #[test]
    fn projections_follow_the_definition_and_rows_stand_alone() {
        for (rows, features, directions) in [(1, 1, 1), (5, 3, 2), (12, 4, 12), (130, 17, 13), (97, 300, 25), (200, 600, 1)] {
            let (x, v) = (random(rows, features, 1), random(directions, features, 2));
            let center: Vec<f64> = (0..features).map(|j| j as f64).collect();
            let p = Projection::new(v.view());
            let mut out = vec![f64::NAN; rows * directions];
            p.apply(x.view(), &center, &mut out);
            for i in 0..rows {
                for d in 0..directions {
                    let terms = (0..features).map(|k| (x[(i, k)] - center[k]) * v[(d, k)]);
                    let (want, size) = terms.fold((0.0, 0.0), |(w, s), t: f64| (w + t, s + t.abs()));
                    let err = (out[i * directions + d] - want).abs();
                    assert!(err <= 4.0 * features as f64 * f64::EPSILON * size, "{err:e}");
                }
            }
            let columns = x.view().t().to_owned();
            let mut other = vec![f64::NAN; rows * directions];
            p.apply(columns.view().t(), &center, &mut other);
            assert_eq!(out, other, "layouts");
            for row in [0, rows / 2, rows - 1] {
                let mut alone = vec![f64::NAN; directions];
                p.apply(x.view().row_range(row..row + 1), &center, &mut alone);
                assert_eq!(alone, &out[row * directions..(row + 1) * directions], "row {row} alone");
            }
        }
    }

    #[test]
    fn nothing_in_gives_nothing_out() {
        let p = Projection::new(Mat::zeros(0, 3).view());
        p.apply(Mat::zeros(4, 3).view(), &[0.0; 3], &mut []);
        let p = Projection::new(Mat::zeros(2, 3).view());
        p.apply(Mat::zeros(0, 3).view(), &[0.0; 3], &mut []);
        assert_eq!((p.directions(), p.features()), (2, 3));
    }
}
