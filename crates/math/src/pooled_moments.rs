//! Within-class cross products, pooled over all classes.

use ermine_core::{DatasetRef, Mat, MatRef, Result};
use serde::{Deserialize, Serialize};

use crate::class_moments::ClassMoments;
use crate::moments::{Moments, Real};

/// Sums over the rows so far: weight and means of each class, and the sum over classes of the centered cross products.
///
/// One matrix serves all classes. Within a block, rows are centered by the means of their classes in the block; when
/// blocks are merged, the differences of the means are added, class by class (Chan, Golub, LeVeque). The scatter
/// between classes never enters, so that distant classes lose no digits.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "PooledMomentsRepr")]
pub struct PooledMoments {
    classes: ClassMoments,
    /// Of the rows minus the means of their classes.
    within: Moments,
}

/// The serialized form, before it is checked.
#[derive(Deserialize)]
struct PooledMomentsRepr {
    classes: ClassMoments,
    within: Moments,
}

impl TryFrom<PooledMomentsRepr> for PooledMoments {
    type Error = String;
    fn try_from(PooledMomentsRepr { classes, within }: PooledMomentsRepr) -> std::result::Result<Self, String> {
        if within.x_cols() != classes.mean().cols() || within.y_cols() != 0 {
            return Err("pooled moments of different columns".into());
        }
        Ok(Self { classes, within })
    }
}

impl PooledMoments {
    /// The moments of no rows.
    pub fn new(classes: usize, cols: usize) -> Self {
        Self { classes: ClassMoments::new(classes, cols), within: Moments::new(cols, 0) }
    }

    /// The total weight of each class.
    pub fn weight(&self) -> &[f64] {
        self.classes.weight()
    }

    /// The means: one row per class; zeros for a class without weight.
    pub fn mean(&self) -> &Mat<f64> {
        self.classes.mean()
    }

    /// Σ w (x - mean)(x - mean)ᵀ, each row about the mean of its class; both triangles.
    pub fn scatter(&self) -> Mat<f64> {
        self.within.scatter()
    }

    /// The error for cells that are not finite: names the first one of `rows` (the rows last added), or says that sums
    /// overflowed.
    pub fn refuse_non_finite(&self, rows: &DatasetRef<'_>) -> Result<()> {
        if self.classes.is_finite() {
            return self.within.refuse_non_finite(rows);
        }
        rows.x.refuse_non_finite(rows.schema)?;
        Err(ermine_core::Error::Numeric("the squares of the columns overflow; scale the columns down".into()))
    }

    /// Adds rows; `codes` are their classes.
    ///
    /// # Panics
    /// When the lengths or the number of columns differ, or a code is not a class.
    pub fn add<T: Real>(&mut self, x: MatRef<'_, T>, codes: &[u32], weight: Option<&[f64]>) {
        let (rows, cols) = (x.rows(), x.cols());
        let mut block = Self::new(self.classes.weight().len(), cols);
        block.classes.add(x, codes, weight);
        let (mean, low) = (block.classes.mean(), block.classes.mean_low());
        let mut centered = vec![0.0; rows * cols];
        for (i, row) in centered.chunks_exact_mut(cols.max(1)).enumerate() {
            let k = codes[i] as usize;
            let about = mean.row(k).iter().zip(low.row(k));
            match x.row(i) {
                Some(cells) => {
                    for ((o, v), (m, l)) in row.iter_mut().zip(cells).zip(about) {
                        *o = (v.to_f64() - m) - l;
                    }
                }
                None => {
                    for (j, (o, (m, l))) in row.iter_mut().zip(about).enumerate() {
                        *o = (x.at(i, j).to_f64() - m) - l;
                    }
                }
            }
        }
        block.within.add(MatRef::row_major(&centered, rows, cols), None, weight);
        self.merge(block);
    }

    /// Adds the rows of another, which come after the rows of this one.
    ///
    /// # Panics
    /// When the numbers of classes or columns differ.
    pub fn merge(&mut self, other: Self) {
        let (a, b) = (&self.classes, &other.classes);
        assert_eq!((a.mean().rows(), a.mean().cols()), (b.mean().rows(), b.mean().cols()), "moments of other classes or columns");
        self.within.merge(other.within);
        for k in 0..a.weight().len() {
            let (wa, wb) = (a.weight()[k], b.weight()[k]);
            if wa > 0.0 && wb > 0.0 {
                let (ma, mb) = (a.mean().row(k), b.mean().row(k));
                let (la, lb) = (a.mean_low().row(k), b.mean_low().row(k));
                let delta: Vec<f64> = (0..ma.len()).map(|j| (mb[j] - ma[j]) + (lb[j] - la[j])).collect();
                self.within.add_products(wa * (wb / (wa + wb)), &delta);
            }
        }
        self.classes.merge(other.classes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ermine_core::RngStream;

    fn random(rows: usize, cols: usize, seed: u64) -> Mat<f64> {
        let mut rng = RngStream::new(seed, "test", 0);
        Mat::from_fn(rows, cols, |_, _| rng.normal())
    }

    #[test]
    fn scatter_follows_the_definition_for_any_split_and_however_far_classes_are_apart() {
        for cols in [1, 3, 4, 13, 30] {
            let base = random(300, cols, cols as u64);
            let codes: Vec<u32> = (0..300).map(|i| [0, 2, 2, 3][i * 7 % 4]).collect();
            let w: Vec<f64> = (0..300).map(|i| (i % 5) as f64 * 0.5).collect();
            // A power of two, so that rows keep their digits when they are moved and moved back.
            let place = |k: u32| f64::from(k) * 1048576.0;
            let round = |v: f64| (v * 65536.0).round() / 65536.0;
            let x = Mat::from_fn(300, cols, |i, j| round(base[(i, j)]) + place(codes[i]));
            for w in [None, Some(&w[..])] {
                let weight = |i: usize| w.map_or(1.0, |w| w[i]);
                for step in [1, 33, 300] {
                    let mut m = PooledMoments::new(5, cols);
                    for from in (0..300).step_by(step) {
                        let range = from..(from + step).min(300);
                        m.add(x.view().row_range(range.clone()), &codes[range.clone()], w.map(|w| &w[range]));
                    }
                    let mut want = Mat::zeros(cols, cols);
                    for class in 0..5 {
                        let rows: Vec<usize> = (0..300).filter(|&i| codes[i] == class).collect();
                        let total: f64 = rows.iter().map(|&i| weight(i)).sum();
                        assert_eq!(m.weight()[class as usize], total);
                        if total == 0.0 {
                            continue;
                        }
                        let mean: Vec<f64> = (0..cols)
                            .map(|j| rows.iter().map(|&i| weight(i) * round(base[(i, j)])).sum::<f64>() / total)
                            .collect();
                        for &i in &rows {
                            for a in 0..cols {
                                for b in 0..cols {
                                    want[(a, b)] += weight(i) * (round(base[(i, a)]) - mean[a]) * (round(base[(i, b)]) - mean[b]);
                                }
                            }
                        }
                    }
                    let got = m.scatter();
                    for a in 0..cols {
                        for b in 0..cols {
                            let scale = (want[(a, a)] * want[(b, b)]).sqrt();
                            assert!((got[(a, b)] - want[(a, b)]).abs() <= 1e-9 * scale, "{} for {}", got[(a, b)], want[(a, b)]);
                        }
                    }
                    let text = serde_json::to_string(&m).unwrap();
                    assert_eq!(serde_json::from_str::<PooledMoments>(&text).unwrap().scatter(), got);
                }
            }
        }
    }

    #[test]
    fn a_column_that_is_constant_within_classes_has_no_scatter() {
        let mut x = random(50, 3, 1);
        (0..50).for_each(|i| x[(i, 1)] = if i % 2 == 0 { 0.1 } else { 1e12 + 0.3 });
        let codes: Vec<u32> = (0..50).map(|i| i % 2).collect();
        let mut m = PooledMoments::new(2, 3);
        for from in (0..50).step_by(7) {
            let range = from..(from + 7).min(50);
            m.add(x.view().row_range(range.clone()), &codes[range], None);
        }
        assert!((0..3).all(|j| m.scatter()[(1, j)] == 0.0));
    }
}
