//! Means and variances of columns within classes, and their Gaussian densities.

use ermine_core::{Mat, MatRef};
use serde::{Deserialize, Serialize};

use crate::moments::{Real, two_sum};
use crate::row_panels::{self, ROWS};
use crate::simd::{Portable, Simd};

/// Sums over the rows so far, class by class: weight, means and sums of squared deviations of the columns.
///
/// Within a block, deviations are taken from the heaviest row of the class, so that the square of the shift that is
/// subtracted at the end is at most as many variances as the block has rows; blocks are merged by the formula of Chan,
/// Golub and LeVeque, and means carry a second word.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "ClassMomentsRepr")]
pub struct ClassMoments {
    weight: Vec<f64>,
    mean: Mat<f64>,
    mean_low: Mat<f64>,
    squares: Mat<f64>,
    finite: bool,
}

/// The serialized form, before it is checked.
#[derive(Deserialize)]
struct ClassMomentsRepr {
    weight: Vec<f64>,
    mean: Mat<f64>,
    mean_low: Mat<f64>,
    squares: Mat<f64>,
    finite: bool,
}

impl TryFrom<ClassMomentsRepr> for ClassMoments {
    type Error = String;
    fn try_from(ClassMomentsRepr { weight, mean, mean_low, squares, finite }: ClassMomentsRepr) -> Result<Self, String> {
        let shape = (weight.len(), mean.cols());
        if [&mean, &mean_low, &squares].iter().any(|m| (m.rows(), m.cols()) != shape) {
            return Err("class moments with arrays of different shapes".into());
        }
        Ok(Self { weight, mean, mean_low, squares, finite })
    }
}

impl ClassMoments {
    /// The moments of no rows.
    pub fn new(classes: usize, cols: usize) -> Self {
        let zeros = Mat::zeros(classes, cols);
        Self { weight: vec![0.0; classes], mean: zeros.clone(), mean_low: zeros.clone(), squares: zeros, finite: true }
    }

    /// The total weight of each class.
    pub fn weight(&self) -> &[f64] {
        &self.weight
    }

    /// The means: one row per class; zeros for a class without weight.
    pub fn mean(&self) -> &Mat<f64> {
        &self.mean
    }

    /// The rounding errors of [`ClassMoments::mean`]: the means to twice the digits are `mean + mean_low`.
    pub fn mean_low(&self) -> &Mat<f64> {
        &self.mean_low
    }

    /// Σ w (x - mean)²: one row per class.
    pub fn squares(&self) -> &Mat<f64> {
        &self.squares
    }

    /// Whether every cell was finite and no sum overflowed.
    pub fn is_finite(&self) -> bool {
        self.finite && self.mean.as_slice().iter().chain(self.squares.as_slice()).all(|v| v.is_finite())
    }

    /// The moments of all classes together, as one class.
    pub fn total(&self) -> Self {
        let mut total = Self::new(1, self.mean.cols());
        total.finite = self.finite;
        for class in 0..self.weight.len() {
            total.merge_class(0, self, class);
        }
        total
    }

    /// Adds rows; `codes` are their classes.
    ///
    /// # Panics
    /// When the lengths or the number of columns differ, or a code is not a class.
    pub fn add<T: Real>(&mut self, x: MatRef<'_, T>, codes: &[u32], weight: Option<&[f64]>) {
        T::add_to_classes(self, x, codes, weight);
    }

    pub(crate) fn add_rows<T: Real>(&mut self, x: MatRef<'_, T>, codes: &[u32], weight: Option<&[f64]>) {
        let (rows, cols, classes) = (x.rows(), x.cols(), self.weight.len());
        assert_eq!(cols, self.mean.cols(), "columns");
        assert!(codes.len() == rows && weight.is_none_or(|w| w.len() == rows), "rows of classes and weights");
        let mut block = Self::new(classes, cols);
        let padded = cols.next_multiple_of(4);
        let mut heaviest: Vec<Option<(f64, usize)>> = vec![None; classes];
        for (i, &code) in codes.iter().enumerate() {
            let w = weight.map_or(1.0, |w| w[i]);
            block.weight[code as usize] += w;
            let best = &mut heaviest[code as usize];
            if w > best.map_or(0.0, |b| b.0) {
                *best = Some((w, i));
            }
        }
        let mut sums = ClassBlockSums { padded, origin: vec![0.0; classes * padded], sums: vec![0.0; 2 * classes * padded] };
        for (class, best) in heaviest.iter().enumerate() {
            if let Some((_, row)) = best {
                for j in 0..cols {
                    sums.origin[class * padded + j] = x.at(*row, j).to_f64();
                }
            }
        }
        gather(&mut sums, x, codes, weight);
        for class in 0..classes {
            let w = block.weight[class];
            let shift = &sums.sums[2 * class * padded..][..padded];
            let squares = &sums.sums[(2 * class + 1) * padded..][..padded];
            block.finite &= shift.iter().chain(squares).all(|v| v.is_finite());
            if w == 0.0 {
                continue;
            }
            for j in 0..cols {
                let d = shift[j] / w;
                (block.mean[(class, j)], block.mean_low[(class, j)]) = two_sum(sums.origin[class * padded + j], d);
                block.squares[(class, j)] = (squares[j] - shift[j] * d).max(0.0);
            }
        }
        self.merge(block);
    }

    /// Adds rows that belong to all classes partly: `shares` are class by class, one weight per row for each.
    ///
    /// # Panics
    /// When the lengths or the number of columns differ.
    pub fn add_shares<T: Real>(&mut self, x: MatRef<'_, T>, shares: &[f64]) {
        let rows = x.rows();
        assert_eq!(shares.len(), rows * self.weight.len(), "one share per row and class");
        let codes = vec![0; rows];
        for class in 0..self.weight.len() {
            let mut one = Self::new(1, x.cols());
            one.add(x, &codes, Some(&shares[class * rows..(class + 1) * rows]));
            self.finite &= one.finite;
            self.merge_class(class, &one, 0);
        }
    }

    /// Adds the rows of another, which come after the rows of this one.
    ///
    /// # Panics
    /// When the numbers of classes or columns differ.
    pub fn merge(&mut self, other: Self) {
        assert_eq!((self.weight.len(), self.mean.cols()), (other.weight.len(), other.mean.cols()), "moments of different shapes");
        self.finite &= other.finite;
        for class in 0..self.weight.len() {
            self.merge_class(class, &other, class);
        }
    }

    fn merge_class(&mut self, to: usize, other: &Self, from: usize) {
        let (a, b) = (self.weight[to], other.weight[from]);
        if b == 0.0 {
            return;
        }
        if a == 0.0 {
            self.weight[to] = b;
            self.mean.row_mut(to).copy_from_slice(other.mean.row(from));
            self.mean_low.row_mut(to).copy_from_slice(other.mean_low.row(from));
            self.squares.row_mut(to).copy_from_slice(other.squares.row(from));
            return;
        }
        let share = b / (a + b);
        for j in 0..self.mean.cols() {
            let (mean, low) = (self.mean[(to, j)], self.mean_low[(to, j)]);
            let delta = (other.mean[(from, j)] - mean) + (other.mean_low[(from, j)] - low);
            self.squares[(to, j)] += other.squares[(from, j)] + a * share * delta * delta;
            (self.mean[(to, j)], self.mean_low[(to, j)]) = two_sum(mean, low + share * delta);
        }
        self.weight[to] = a + b;
    }
}

/// Sums about an origin, while a block is read.
struct ClassBlockSums {
    padded: usize,
    /// One row per class.
    origin: Vec<f64>,
    /// Two rows per class: Σ w d and Σ w d².
    sums: Vec<f64>,
}

impl ClassBlockSums {
    /// One row, four columns.
    #[inline(always)]
    fn step<S: Simd, const WEIGHTED: bool>(&mut self, s: S, class: usize, vector: usize, value: S::V, w: f64) {
        let at = class * self.padded + 4 * vector;
        let two = 2 * class * self.padded + 4 * vector;
        assert!(at + 4 <= self.origin.len() && two + self.padded + 4 <= self.sums.len());
        // SAFETY: inside both vectors, by the assertion.
        unsafe {
            let (sum, square) = (self.sums.as_mut_ptr().add(two), self.sums.as_mut_ptr().add(two + self.padded));
            let d = s.sub(value, s.load(self.origin.as_ptr().add(at)));
            let wd = if WEIGHTED { s.mul(d, s.splat(w)) } else { d };
            s.store(sum, s.add(s.load(sum), wd));
            s.store(square, s.fma(wd, d, s.load(square)));
        }
    }

    #[inline(always)]
    fn gather<S: Simd, T: Real, const WEIGHTED: bool>(&mut self, s: S, x: MatRef<'_, T>, codes: &[u32], weight: &[f64]) {
        let (rows, vectors) = (x.rows(), x.cols() / 4);
        let (row_stride, col_stride, data) = (x.row_stride(), x.col_stride(), x.as_slice().as_ptr());
        let weight_of = |i: usize| if WEIGHTED { weight[i] } else { 1.0 };
        if col_stride == 1 {
            for i in 0..rows {
                let (class, w) = (codes[i] as usize, weight_of(i));
                for vector in 0..vectors {
                    // SAFETY: row i and four columns are inside the matrix, whose elements are all inside its slice.
                    let value = unsafe { T::load4(s, data.add(i * row_stride + 4 * vector)) };
                    self.step::<S, WEIGHTED>(s, class, vector, value, w);
                }
                self.edge::<S, T, WEIGHTED>(s, x, i, vectors, class, w);
            }
            return;
        }
        for vector in 0..vectors {
            let mut i = 0;
            while row_stride == 1 && i + 4 <= rows {
                let at = i + 4 * vector * col_stride;
                // SAFETY: four rows of four columns are inside the matrix, whose elements are all inside its slice.
                let columns = unsafe {
                    [
                        T::load4(s, data.add(at)),
                        T::load4(s, data.add(at + col_stride)),
                        T::load4(s, data.add(at + 2 * col_stride)),
                        T::load4(s, data.add(at + 3 * col_stride)),
                    ]
                };
                let values = s.transpose(columns);
                for k in 0..4 {
                    self.step::<S, WEIGHTED>(s, codes[i + k] as usize, vector, values[k], weight_of(i + k));
                }
                i += 4;
            }
            for i in i..rows {
                self.edge::<S, T, WEIGHTED>(s, x, i, vector, codes[i] as usize, weight_of(i));
            }
        }
        for i in 0..rows {
            self.edge::<S, T, WEIGHTED>(s, x, i, vectors, codes[i] as usize, weight_of(i));
        }
    }

    /// [`ClassBlockSums::step`] for columns that are not four, or not side by side.
    #[inline(always)]
    fn edge<S: Simd, T: Real, const WEIGHTED: bool>(
        &mut self,
        s: S,
        x: MatRef<'_, T>,
        row: usize,
        vector: usize,
        class: usize,
        w: f64,
    ) {
        let count = (x.cols() - 4 * vector).min(4);
        if count == 0 {
            return;
        }
        let mut cells = [0.0; 4];
        for (j, v) in cells[..count].iter_mut().enumerate() {
            *v = x.at(row, 4 * vector + j).to_f64();
        }
        // SAFETY: an array of four.
        let value = unsafe { s.load(cells.as_ptr()) };
        self.step::<S, WEIGHTED>(s, class, vector, value, w);
    }
}

fn gather<T: Real>(sums: &mut ClassBlockSums, x: MatRef<'_, T>, codes: &[u32], weight: Option<&[f64]>) {
    #[inline(always)]
    fn dispatch<S: Simd, T: Real>(s: S, sums: &mut ClassBlockSums, x: MatRef<'_, T>, codes: &[u32], weight: Option<&[f64]>) {
        match weight {
            None => sums.gather::<S, T, false>(s, x, codes, &[]),
            Some(weight) => sums.gather::<S, T, true>(s, x, codes, weight),
        }
    }
    #[cfg(target_arch = "x86_64")]
    {
        use crate::simd::Avx2;
        #[target_feature(enable = "avx2,fma")]
        fn dispatch_avx2<T: Real>(s: Avx2, sums: &mut ClassBlockSums, x: MatRef<'_, T>, codes: &[u32], weight: Option<&[f64]>) {
            dispatch(s, sums, x, codes, weight);
        }
        if let Some(s) = Avx2::find() {
            // SAFETY: the features were found.
            return unsafe { dispatch_avx2(s, sums, x, codes, weight) };
        }
    }
    dispatch(Portable, sums, x, codes, weight);
}

/// Gaussian densities with independent columns: one per class.
#[derive(Debug, Clone, PartialEq)]
pub struct DiagonalGaussians {
    classes: usize,
    features: usize,
    padded: usize,
    /// One row per class, padded with zeros.
    mean: Vec<f64>,
    /// One over the standard deviation, padded with zeros.
    scale: Vec<f64>,
    /// -½ Σ ln 2πσ².
    constant: Vec<f64>,
}

impl DiagonalGaussians {
    /// Densities with the given means and variances, one row per class. A variance of 0 counts as the least positive number.
    ///
    /// # Panics
    /// When the shapes differ.
    pub fn new(mean: MatRef<'_, f64>, variance: MatRef<'_, f64>) -> Self {
        let (classes, features) = (mean.rows(), mean.cols());
        assert_eq!((variance.rows(), variance.cols()), (classes, features), "shapes of means and variances");
        let padded = features.next_multiple_of(4);
        let mut g = Self {
            classes,
            features,
            padded,
            mean: vec![0.0; classes * padded],
            scale: vec![0.0; classes * padded],
            constant: vec![0.0; classes],
        };
        for c in 0..classes {
            for j in 0..features {
                let v = variance.at(c, j).max(f64::MIN_POSITIVE);
                g.mean[c * padded + j] = *mean.at(c, j);
                g.scale[c * padded + j] = 1.0 / v.sqrt();
                g.constant[c] -= 0.5 * (std::f64::consts::TAU * v).ln();
            }
        }
        g
    }

    /// Writes the logarithms of the densities of all rows of `x` into `out`, row-major, one column per class. Meant for blocks
    /// of rows; runs on the calling thread. The result of a row does not depend on its neighbors in the block, nor on the layout.
    ///
    /// # Panics
    /// When the shapes do not fit.
    pub fn log_density<T: Real>(&self, x: MatRef<'_, T>, out: &mut [f64]) {
        self.densities(x, out, self.classes, 1);
    }

    /// [`DiagonalGaussians::log_density`] that writes class after class, a run of rows for each.
    ///
    /// # Panics
    /// When the shapes do not fit.
    pub fn log_density_by_class<T: Real>(&self, x: MatRef<'_, T>, out: &mut [f64]) {
        self.densities(x, out, 1, x.rows());
    }

    /// The density of row i and class c goes to place `i * by_row + c * by_class`.
    fn densities<T: Real>(&self, x: MatRef<'_, T>, out: &mut [f64], by_row: usize, by_class: usize) {
        assert_eq!(x.cols(), self.features, "features");
        assert_eq!(out.len(), x.rows() * self.classes, "room for the densities");
        #[cfg(target_arch = "x86_64")]
        {
            use crate::simd::Avx2;
            #[target_feature(enable = "avx2,fma")]
            fn all_avx2<T: Real>(s: Avx2, g: &DiagonalGaussians, x: MatRef<'_, T>, out: &mut [f64], steps: (usize, usize)) {
                g.all(s, x, out, steps);
            }
            if let Some(s) = Avx2::find() {
                // SAFETY: the features were found.
                return unsafe { all_avx2(s, self, x, out, (by_row, by_class)) };
            }
        }
        self.all(Portable, x, out, (by_row, by_class));
    }

    #[inline(always)]
    fn all<S: Simd, T: Real>(&self, s: S, x: MatRef<'_, T>, out: &mut [f64], (by_row, by_class): (usize, usize)) {
        let zeros = vec![0.0; self.features];
        let mut panel = vec![0.0; row_panels::packed_len(ROWS, self.features)];
        for first in (0..x.rows()).step_by(ROWS) {
            let part = x.row_range(first..(first + ROWS).min(x.rows()));
            row_panels::pack(s, part, 0..self.features, &zeros, &mut panel);
            for class in 0..self.classes {
                let mean = &self.mean[class * self.padded..][..self.padded];
                let scale = &self.scale[class * self.padded..][..self.padded];
                let mut sums = [s.splat(0.0); 3];
                for k in 0..self.padded {
                    let (m, r) = (s.splat(mean[k]), s.splat(scale[k]));
                    for t in 0..3 {
                        // SAFETY: the panel holds `padded` features of 12 rows.
                        let v = unsafe { s.load(panel.as_ptr().add(k * ROWS + 4 * t)) };
                        let d = s.mul(s.sub(v, m), r);
                        sums[t] = s.fma(d, d, sums[t]);
                    }
                }
                let mut squares = [0.0; ROWS];
                for t in 0..3 {
                    // SAFETY: an array of twelve.
                    unsafe { s.store(squares.as_mut_ptr().add(4 * t), sums[t]) };
                }
                for i in 0..part.rows() {
                    out[(first + i) * by_row + class * by_class] = self.constant[class] - 0.5 * squares[i];
                }
            }
        }
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

    fn split(x: &Mat<f64>, codes: &[u32], classes: usize, w: Option<&[f64]>, step: usize) -> ClassMoments {
        let mut total = ClassMoments::new(classes, x.cols());
        for from in (0..x.rows()).step_by(step) {
            let range = from..(from + step).min(x.rows());
            total.add(x.view().row_range(range.clone()), &codes[range.clone()], w.map(|w| &w[range]));
        }
        total
    }

    #[test]
    fn sums_follow_the_definition_for_any_width_and_split() {
        for cols in [1, 3, 4, 5, 8, 13, 50] {
            let shift = 1e8;
            let mut x = random(400, cols, cols as u64);
            x.as_mut_slice().iter_mut().for_each(|v| *v += shift);
            let codes: Vec<u32> = (0..400).map(|i| [0, 2, 2, 3][i * 7 % 4]).collect();
            let w: Vec<f64> = (0..400).map(|i| (i % 5) as f64 * 0.5).collect();
            for w in [None, Some(&w[..])] {
                for step in [1, 33, 400] {
                    let m = split(&x, &codes, 5, w, step);
                    for class in 0..5 {
                        let rows: Vec<usize> = (0..400).filter(|&i| codes[i] == class).collect();
                        let weight = |i: usize| w.map_or(1.0, |w| w[i]);
                        let total: f64 = rows.iter().map(|&i| weight(i)).sum();
                        assert_eq!(m.weight()[class as usize], total);
                        for j in 0..cols {
                            let mean = rows.iter().map(|&i| weight(i) * (x[(i, j)] - shift)).sum::<f64>() / total.max(1.0);
                            let want: f64 = rows.iter().map(|&i| weight(i) * (x[(i, j)] - shift - mean).powi(2)).sum();
                            let got = m.squares()[(class as usize, j)];
                            assert!((got - want).abs() <= 1e-12 * want, "{got} for {want}");
                            if total > 0.0 {
                                assert!((m.mean()[(class as usize, j)] - shift - mean).abs() <= 2e-8);
                            }
                        }
                    }
                    let all = m.total();
                    let one = split(&x, &[0; 400], 1, w, 400);
                    for j in 0..cols {
                        assert!((all.squares()[(0, j)] / one.squares()[(0, j)] - 1.0).abs() < 1e-12);
                    }
                }
            }
        }
    }

    #[test]
    fn a_share_of_one_is_the_row_in_its_class() {
        let x = random(60, 5, 9);
        let codes: Vec<u32> = (0..60).map(|i| i % 3).collect();
        let w: Vec<f64> = (0..60).map(|i| 0.5 + f64::from(i % 4)).collect();
        let shares: Vec<f64> =
            (0..3u32).flat_map(|c| (0..60).map(move |i| (c, i))).map(|(c, i)| if codes[i] == c { w[i] } else { 0.0 }).collect();
        let mut soft = ClassMoments::new(3, 5);
        soft.add_shares(x.view(), &shares);
        let hard = split(&x, &codes, 3, Some(&w), 60);
        for c in 0..3 {
            assert_eq!(soft.weight()[c], hard.weight()[c]);
            for j in 0..5 {
                assert!((soft.mean()[(c, j)] - hard.mean()[(c, j)]).abs() < 1e-14);
                assert!((soft.squares()[(c, j)] / hard.squares()[(c, j)] - 1.0).abs() < 1e-13);
            }
        }
        // Halves of a row in two classes are two rows of half the weight.
        let mut halves = ClassMoments::new(2, 5);
        halves.add_shares(x.view(), &[0.5; 120]);
        let whole = split(&x, &[0; 60], 1, None, 60);
        assert!((0..5).all(|j| (2.0 * halves.squares()[(1, j)] / whole.squares()[(0, j)] - 1.0).abs() < 1e-14));
    }

    #[test]
    fn layouts_and_f32_agree() {
        let single = Mat::from_fn(77, 11, |i, j| ((i * 31 + j * 7) % 19) as f32 / 3.0);
        let x = Mat::from_fn(77, 11, |i, j| f64::from(single[(i, j)]));
        let codes: Vec<u32> = (0..77).map(|i| i % 3).collect();
        let w: Vec<f64> = (0..77).map(|i| f64::from(i % 4)).collect();
        for w in [None, Some(&w[..])] {
            let want = split(&x, &codes, 3, w, 77);
            let (columns, single_columns) = (x.view().t().to_owned(), single.view().t().to_owned());
            let mut others = vec![ClassMoments::new(3, 11); 3];
            others[0].add(columns.view().t(), &codes, w);
            others[1].add(single.view(), &codes, w);
            others[2].add(single_columns.view().t(), &codes, w);
            others.iter().for_each(|o| assert_eq!(o, &want));
        }
    }

    #[test]
    fn cells_that_are_not_finite_are_noticed_whatever_their_weight() {
        for bad in [f64::NAN, f64::INFINITY] {
            for col in [0, 4] {
                let mut x = random(50, 5, 1);
                x[(20, col)] = bad;
                let mut w = vec![1.0; 50];
                w[20] = 0.0;
                assert!(!split(&x, &[0; 50], 1, None, 10).is_finite());
                assert!(!split(&x, &[0; 50], 1, Some(&w), 10).is_finite());
            }
        }
    }

    #[test]
    fn densities_follow_the_formula_and_rows_stand_alone() {
        for (rows, cols, classes) in [(1, 1, 1), (13, 5, 3), (40, 17, 2)] {
            let (x, mean) = (random(rows, cols, 1), random(classes, cols, 2));
            let var = Mat::from_fn(classes, cols, |c, j| 0.1 + (c + j) as f64);
            let g = DiagonalGaussians::new(mean.view(), var.view());
            let mut out = vec![f64::NAN; rows * classes];
            g.log_density(x.view(), &mut out);
            for i in 0..rows {
                for c in 0..classes {
                    let want: f64 = (0..cols)
                        .map(|j| {
                            let v: f64 = var[(c, j)];
                            -0.5 * (std::f64::consts::TAU * v).ln() - (x[(i, j)] - mean[(c, j)]).powi(2) / (2.0 * v)
                        })
                        .sum();
                    assert!((out[i * classes + c] - want).abs() <= 1e-13 * (1.0 + want.abs()) * cols as f64);
                }
                let mut alone = vec![f64::NAN; classes];
                g.log_density(x.view().row_range(i..i + 1), &mut alone);
                assert_eq!(alone, &out[i * classes..(i + 1) * classes]);
            }
            let columns = x.view().t().to_owned();
            let mut other = vec![f64::NAN; rows * classes];
            g.log_density(columns.view().t(), &mut other);
            assert_eq!(out, other);
            g.log_density_by_class(x.view(), &mut other);
            (0..rows).for_each(|i| (0..classes).for_each(|c| assert_eq!(other[c * rows + i], out[i * classes + c])));
        }
    }

    #[test]
    fn written_and_read_it_is_the_same() {
        let m = split(&random(20, 3, 1), &[1; 20], 2, None, 20);
        let text = serde_json::to_string(&m).unwrap();
        assert_eq!(serde_json::from_str::<ClassMoments>(&text).unwrap(), m);
        assert!(serde_json::from_str::<ClassMoments>(&text.replace("\"weight\":[0.0,", "\"weight\":[")).is_err());
    }
}
