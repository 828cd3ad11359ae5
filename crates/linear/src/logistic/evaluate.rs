//! The objective over a block of rows: loss, gradient and curvature, each row read once.

use ermine_core::{CsrRef, DatasetRef, Features, Mat, Partial, Result};
use ermine_math::loss::{BlockLoss, logistic_block, softmax_block};
use ermine_math::tall_skinny::{add_products, rows_at_once, scores};
use serde::{Deserialize, Serialize};

use super::super::passes::{CurvatureKind, CurvatureSums, add, contiguous, next_rows, sparse_dot};
use super::Logistic;

/// Sparse rows at a time.
const SPARSE_ROWS: usize = 256;

/// Constants of a fit, known once the classes have been counted.
///
/// A point is a run of `width` numbers for each weight vector: the weights, then the intercept if there is one. The
/// intercept of a point is that of columns shifted by `center`, so that a column far from zero is not nearly collinear with it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct LogisticProblem {
    pub cols: usize,
    pub intercept: bool,
    /// Number of classes that have rows.
    pub classes: usize,
    /// For each code of the target its place among these classes.
    pub class_position: Vec<Option<u32>>,
    /// The factor of each class's weights.
    pub class_weight: Vec<f64>,
    /// The shift subtracted from each column; empty for none.
    pub center: Vec<f64>,
    /// Row stride when the matrix of [`CurvatureKind::Shared`] is made of a subsample of the rows.
    pub curvature_stride: usize,
}

impl LogisticProblem {
    /// Weight vectors: one for two classes, else one per class.
    pub fn vectors(&self) -> usize {
        if self.classes == 2 { 1 } else { self.classes }
    }

    /// Numbers in the run of one weight vector.
    pub fn width(&self) -> usize {
        self.cols + usize::from(self.intercept)
    }

    /// Numbers in a point.
    pub fn len(&self) -> usize {
        self.vectors() * self.width()
    }

    /// How many matrices make up the Hessian: one for each pair of weight vectors.
    pub fn pairs(&self) -> usize {
        self.vectors() * (self.vectors() + 1) / 2
    }

    /// The intercepts of the columns as they are.
    pub fn bias(&self, point: &[f64]) -> Vec<f64> {
        let runs = point.chunks_exact(self.width());
        runs.map(|run| {
            if !self.intercept {
                return 0.0;
            }
            run[self.cols] - self.center.iter().zip(run).map(|(c, w)| c * w).sum::<f64>()
        })
        .collect()
    }

    /// Empty sums.
    pub fn empty(&self, curvature: CurvatureKind, sparse: bool) -> LogisticSums {
        let v = self.vectors();
        LogisticSums {
            loss: 0.0,
            margin: f64::MAX,
            products: vec![0.0; v * self.cols],
            residuals: vec![0.0; v],
            curvature: match curvature {
                CurvatureKind::None => Vec::new(),
                kind => {
                    let count = if kind == CurvatureKind::Full { self.pairs() } else { 1 };
                    vec![CurvatureSums::new(kind, self.cols, self.intercept, sparse); count]
                }
            },
        }
    }

    /// Adds a block of rows at a point.
    pub fn add(&self, point: &[f64], curvature: CurvatureKind, sums: &mut LogisticSums, rows: &DatasetRef<'_>) -> Result<()> {
        let rows_in = self.labels(rows)?;
        let before = sums.loss;
        let mut curves = RowCurvature { kind: curvature, values: vec![Vec::new(); self.vectors()], kept: Vec::new() };
        match &rows.x {
            Features::Csr(x) => self.add_sparse(*x, point, &rows_in, &mut curves, sums),
            _ => self.add_dense(rows, point, &rows_in, &mut curves, sums)?,
        }
        self.add_curvature(rows, &rows_in, &curves, sums)?;
        if !(sums.loss - before).is_finite() {
            // Either a cell is not finite, or a step was so long that scores overflow, which the line search takes back.
            rows.x.refuse_non_finite(rows.schema)?;
        }
        Ok(())
    }

    /// Place and weight of every row; no weights when all are 1.
    pub fn labels(&self, rows: &DatasetRef<'_>) -> Result<EncodedLabels> {
        let (codes, _) = rows.y.classes()?;
        let place = |&code: &u32| self.class_position.get(code as usize).copied().flatten();
        let uniform = self.class_weight.iter().all(|&w| w == 1.0);
        let absent = codes.iter().any(|c| place(c).is_none());
        let weight = if rows.weight.is_none() && uniform && !absent {
            Vec::new()
        } else {
            let of = |(i, c): (usize, &u32)| place(c).map_or(0.0, |k| self.class_weight[k as usize] * rows.weight_of(i));
            codes.iter().enumerate().map(of).collect()
        };
        let places: Vec<u32> = codes.iter().map(|c| place(c).unwrap_or(0)).collect();
        let positive = if self.vectors() == 1 { places.iter().map(|&k| k == 1).collect() } else { Vec::new() };
        Ok(EncodedLabels { places, positive, weight })
    }

    /// Loss and residuals of the rows `start..` whose scores are in `z`, a run of rows for each weight vector; keeps what the
    /// curvature needs.
    fn residuals(&self, z: &mut [f64], start: usize, labels: &EncodedLabels, curves: &mut RowCurvature, sums: &mut LogisticSums) {
        let v = self.vectors();
        let range = start..start + z.len() / v;
        let weight = if labels.weight.is_empty() { &[][..] } else { &labels.weight[range.clone()] };
        curves.kept.resize(if curves.kind == CurvatureKind::None { 0 } else { z.len() }, 0.0);
        let BlockLoss { loss, margin } = match v {
            1 => logistic_block(z, &labels.positive[range.clone()], weight, &mut curves.kept),
            _ => softmax_block(z, &labels.places[range.clone()], weight, &mut curves.kept),
        };
        sums.loss += loss;
        sums.margin = sums.margin.min(margin.max(-f64::MAX));
        sums.residuals.iter_mut().zip(z.chunks_exact(range.len())).for_each(|(s, run)| *s += run.iter().sum::<f64>());
        for run in curves.kept.chunks_exact(range.len()).enumerate() {
            curves.values[run.0].extend_from_slice(run.1);
        }
    }

    fn add_dense(
        &self,
        rows: &DatasetRef<'_>,
        point: &[f64],
        labels: &EncodedLabels,
        curves: &mut RowCurvature,
        sums: &mut LogisticSums,
    ) -> Result<()> {
        let (v, q, bias) = (self.vectors(), self.width(), self.bias(point));
        let at_once = rows_at_once(self.cols);
        let (mut z, mut rows_scratch) = (Vec::new(), Vec::new());
        for start in (0..rows.rows()).step_by(at_once) {
            let range = start..rows.rows().min(start + at_once);
            z.clear();
            z.resize(range.len() * v, 0.0);
            let x = contiguous(&rows.x.row_range(range.clone()), &mut rows_scratch, Logistic::NAME)?;
            let ahead = next_rows(&rows.x, range.end, at_once);
            let (first, second) = ahead.split_at(ahead.len() / 2);
            scores(x, point, q, &bias, &mut z, first);
            self.residuals(&mut z, start, labels, curves, sums);
            add_products(x, &z, v, &mut sums.products, self.cols, second);
        }
        Ok(())
    }

    fn add_sparse(
        &self,
        x: CsrRef<'_>,
        point: &[f64],
        labels: &EncodedLabels,
        curves: &mut RowCurvature,
        sums: &mut LogisticSums,
    ) {
        if self.vectors() > 1 {
            return self.add_sparse_classes(x, point, labels, curves, sums);
        }
        let (bias, w) = (self.bias(point)[0], &point[..self.cols]);
        let mut z = Vec::new();
        // Few rows at a time, so that they stay in cache from the scores to the gradient.
        for start in (0..x.rows()).step_by(SPARSE_ROWS) {
            let end = x.rows().min(start + SPARSE_ROWS);
            z.clear();
            z.extend((start..end).map(|i| bias + sparse_dot(x.row(i).0, x.row(i).1, w)));
            self.residuals(&mut z, start, labels, curves, sums);
            for (i, r) in z.iter().enumerate() {
                let (indices, values) = x.row(start + i);
                for (&j, &value) in indices.iter().zip(values) {
                    sums.products[j as usize] += r * value;
                }
            }
        }
    }

    /// Several classes at once: the weights of a column lie together, so that a stored value meets all of them in one stretch of memory.
    fn add_sparse_classes(
        &self,
        x: CsrRef<'_>,
        point: &[f64],
        labels: &EncodedLabels,
        curves: &mut RowCurvature,
        sums: &mut LogisticSums,
    ) {
        let (v, q, cols, bias) = (self.vectors(), self.width(), self.cols, self.bias(point));
        let mut weights = vec![0.0; cols * v];
        for (c, run) in point.chunks_exact(q).enumerate() {
            run[..cols].iter().enumerate().for_each(|(j, w)| weights[j * v + c] = *w);
        }
        let mut products = vec![0.0; cols * v];
        let (mut z, mut row) = (Vec::new(), vec![0.0; v]);
        for start in (0..x.rows()).step_by(SPARSE_ROWS) {
            let n = x.rows().min(start + SPARSE_ROWS) - start;
            z.clear();
            z.resize(n * v, 0.0);
            for i in 0..n {
                let (indices, values) = x.row(start + i);
                row.copy_from_slice(&bias);
                for (&j, &value) in indices.iter().zip(values) {
                    let of_column = &weights[j as usize * v..][..v];
                    row.iter_mut().zip(of_column).for_each(|(z, w)| *z += value * w);
                }
                row.iter().enumerate().for_each(|(c, s)| z[c * n + i] = *s);
            }
            self.residuals(&mut z, start, labels, curves, sums);
            for i in 0..n {
                row.iter_mut().enumerate().for_each(|(c, r)| *r = z[c * n + i]);
                let (indices, values) = x.row(start + i);
                for (&j, &value) in indices.iter().zip(values) {
                    let of_column = &mut products[j as usize * v..][..v];
                    of_column.iter_mut().zip(&row).for_each(|(g, r)| *g += value * r);
                }
            }
        }
        for (c, run) in sums.products.chunks_exact_mut(cols).enumerate() {
            run.iter_mut().enumerate().for_each(|(j, g)| *g += products[j * v + c]);
        }
    }

    fn add_curvature(
        &self,
        rows: &DatasetRef<'_>,
        labels: &EncodedLabels,
        curves: &RowCurvature,
        sums: &mut LogisticSums,
    ) -> Result<()> {
        let stride = if curves.kind == CurvatureKind::Shared { self.curvature_stride } else { 1 };
        for (pair, gathered) in sums.curvature.iter_mut().enumerate() {
            gathered.add(rows, &self.pair_curvature(pair, labels, curves), stride, Logistic::NAME)?;
        }
        Ok(())
    }

    /// One curvature of each row for all classes: that of the only score, or the mean over classes, such that
    /// it is exact where all probabilities are equal.
    fn mean_curvature(&self, labels: &EncodedLabels, curves: &RowCurvature) -> Vec<f64> {
        let v = self.vectors();
        if v == 1 {
            return curves.values[0].clone();
        }
        let mut out = vec![0.0; labels.places.len()];
        for class in &curves.values {
            out.iter_mut().zip(class).for_each(|(o, p)| *o += p * (1.0 - p));
        }
        out.iter_mut().enumerate().for_each(|(i, o)| *o *= labels.weight_of(i) / (v - 1) as f64);
        out
    }

    /// The absolute second derivative of each row by the scores of a pair of weight vectors.
    fn pair_curvature(&self, pair: usize, labels: &EncodedLabels, curves: &RowCurvature) -> Vec<f64> {
        let v = self.vectors();
        if v == 1 || curves.kind != CurvatureKind::Full {
            return self.mean_curvature(labels, curves);
        }
        let (a, b) = pair_at(pair, v);
        let rows = curves.values[a].iter().zip(&curves.values[b]).enumerate();
        rows.map(|(i, (p, q))| labels.weight_of(i) * p * if a == b { 1.0 - p } else { *q }).collect()
    }
}

/// Weight vectors `a <= b` of a pair, counted along the rows of the upper triangle.
pub fn pair_at(pair: usize, vectors: usize) -> (usize, usize) {
    let (mut a, mut left) = (0, pair);
    while left >= vectors - a {
        left -= vectors - a;
        a += 1;
    }
    (a, a + left)
}

/// Classes and weights of rows.
pub struct EncodedLabels {
    /// The place of the class of each row.
    pub places: Vec<u32>,
    /// Of two classes, whether it is the second; empty for more.
    pub positive: Vec<bool>,
    /// Weight of the row times that of its class; empty when all are 1.
    pub weight: Vec<f64>,
}

impl EncodedLabels {
    /// The weight of a row.
    pub fn weight_of(&self, row: usize) -> f64 {
        if self.weight.is_empty() { 1.0 } else { self.weight[row] }
    }
}

/// Inputs of the curvature for each row: second derivatives for one score, probabilities of each class for several.
struct RowCurvature {
    kind: CurvatureKind,
    values: Vec<Vec<f64>>,
    /// Those of the current rows.
    kept: Vec<f64>,
}

/// Sums of a pass.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct LogisticSums {
    /// Σ weight times loss.
    pub loss: f64,
    /// The least log odds of the class of a row.
    pub margin: f64,
    /// Σ residual times row, a run of columns for each weight vector.
    pub products: Vec<f64>,
    /// Σ residual, for each weight vector.
    pub residuals: Vec<f64>,
    /// The requested curvature.
    pub curvature: Vec<CurvatureSums>,
}

#[cfg(feature = "fit")]
impl Partial for LogisticSums {
    fn merge(&mut self, other: Self) -> Result<()> {
        self.loss += other.loss;
        self.margin = self.margin.min(other.margin);
        add(&mut self.products, &other.products);
        add(&mut self.residuals, &other.residuals);
        self.curvature.iter_mut().zip(other.curvature).for_each(|(a, b)| a.merge(b));
        Ok(())
    }
}

impl LogisticSums {
    /// The gradient of the loss in the coordinates of a point.
    pub fn gradient(&self, problem: &LogisticProblem) -> Vec<f64> {
        let (cols, q) = (problem.cols, problem.width());
        let mut out = vec![0.0; problem.len()];
        for (c, run) in out.chunks_exact_mut(q).enumerate() {
            run[..cols].copy_from_slice(&self.products[c * cols..(c + 1) * cols]);
            if problem.intercept {
                run[cols] = self.residuals[c];
                run.iter_mut().zip(&problem.center).for_each(|(g, m)| *g -= m * self.residuals[c]);
            }
        }
        out
    }

    /// The matrices of the curvature in the coordinates of one weight vector, both triangles; nothing for a diagonal.
    pub fn matrices(&self, problem: &LogisticProblem) -> Vec<Mat<f64>> {
        self.curvature.iter().filter_map(|c| c.matrix(&problem.center)).collect()
    }
}
