//! The objective over a block of rows: loss, gradient and curvature, each row read once.

use std::borrow::Cow;

use ermine_core::{DatasetRef, Features, Partial, Result, Target};
use ermine_math::loss::{Family, FisherKind, GlmSums, Link, glm_block};
use ermine_math::tall_skinny::{add_products, rows_at_once, scores};
use serde::{Deserialize, Serialize};

use super::super::passes::{CurvatureKind, CurvatureSums, PassRequest, add, contiguous, next_rows, sparse_dot};
use super::offset::OffsetColumn;

/// Constants of a fit, known before the first pass over the columns.
///
/// A point has a number for each column, 0 for the offset, then the intercept if there is one. The intercept of a point
/// is that of columns shifted by `center`, so that a column far from zero is not nearly collinear with it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct GlmProblem {
    pub cols: usize,
    pub intercept: bool,
    pub family: Family,
    pub link: Link,
    pub offset_column: Option<OffsetColumn>,
    /// The names of the columns, where they have any.
    pub names: Vec<String>,
    /// The shift subtracted from each column; empty for none.
    pub center: Vec<f64>,
    /// The target of every row instead of its own: with squares as loss this looks for columns that make up a constant.
    pub constant: Option<f64>,
}

impl GlmProblem {
    /// The name of a column in messages.
    pub fn column(&self, j: usize) -> String {
        self.names.get(j).map_or_else(|| format!("column number {j}"), |name| format!("column \"{name}\""))
    }

    /// Numbers in a point.
    pub fn width(&self) -> usize {
        self.cols + usize::from(self.intercept)
    }

    /// Whether a number of a point is fitted.
    pub fn is_free(&self, at: usize) -> bool {
        self.offset_column.as_ref().is_none_or(|h| h.column != at)
    }

    /// The intercept of the columns as they are.
    pub fn bias(&self, point: &[f64]) -> f64 {
        if !self.intercept {
            return 0.0;
        }
        point[self.cols] - self.center.iter().zip(point).map(|(c, w)| c * w).sum::<f64>()
    }

    /// Empty sums.
    pub fn empty(&self, wanted: PassRequest, sparse: bool) -> GlmPassSums {
        let curvature = match wanted.curvature {
            CurvatureKind::None => None,
            kind => Some(CurvatureSums::new(kind, self.cols, self.intercept, sparse)),
        };
        GlmPassSums {
            loss: 0.0,
            pearson: 0.0,
            deviance: 0.0,
            products: vec![0.0; self.cols],
            residuals: 0.0,
            sizes: 0.0,
            curvature,
        }
    }

    /// Adds a block of rows at a point.
    pub fn add(&self, point: &[f64], wanted: PassRequest, sums: &mut GlmPassSums, rows: &DatasetRef<'_>) -> Result<()> {
        let mut block = GlmBlock {
            problem: self,
            y: match self.constant {
                Some(constant) => Cow::Owned(vec![constant; rows.rows()]),
                None => targets(&rows.y)?,
            },
            weight: rows.weight.unwrap_or(&[]),
            offset: match &self.offset_column {
                Some(offset_column) => offset_column.values(&rows.x, rows.schema)?,
                None => Vec::new(),
            },
            curves: vec![0.0; rows.rows()],
            wanted,
        };
        let before = (sums.loss, sums.residuals);
        match &rows.x {
            Features::Csr(x) => {
                let bias = self.bias(point);
                let mut z = Vec::new();
                // Few rows at a time, so that they stay in cache from the scores to the gradient.
                for start in (0..x.rows()).step_by(256) {
                    let end = x.rows().min(start + 256);
                    z.clear();
                    z.extend((start..end).map(|i| {
                        let (indices, values) = x.row(i);
                        bias + sparse_dot(indices, values, &point[..self.cols])
                    }));
                    block.residuals(&mut z, start, sums);
                    for (i, r) in z.iter().enumerate() {
                        let (indices, values) = x.row(start + i);
                        for (&j, &value) in indices.iter().zip(values) {
                            sums.products[j as usize] += r * value;
                        }
                    }
                }
            }
            dense => {
                let bias = [self.bias(point)];
                let at_once = rows_at_once(self.cols);
                let (mut z, mut scratch) = (Vec::new(), Vec::new());
                for start in (0..rows.rows()).step_by(at_once) {
                    let range = start..rows.rows().min(start + at_once);
                    z.clear();
                    z.resize(range.len(), 0.0);
                    let x = contiguous(&dense.row_range(range.clone()), &mut scratch, "glm")?;
                    let ahead = next_rows(dense, range.end, at_once);
                    let (first, second) = ahead.split_at(ahead.len() / 2);
                    scores(x, &point[..self.cols], self.cols, &bias, &mut z, first);
                    block.residuals(&mut z, start, sums);
                    add_products(x, &z, 1, &mut sums.products, self.cols, second);
                }
            }
        }
        if let Some(curvature) = &mut sums.curvature {
            curvature.add(rows, &block.curves, 1, "glm")?;
        }
        let finite = (sums.loss - before.0).is_finite() && (sums.residuals - before.1).is_finite();
        if !finite || sums.products.iter().any(|v| !v.is_finite()) {
            // Either a cell is not finite, or a step was so long that scores overflow or leave the range of the link,
            // which the line search takes back.
            rows.x.refuse_non_finite(rows.schema)?;
        }
        Ok(())
    }
}

/// The target of a regression as numbers that lie one after the other.
pub fn targets<'a>(y: &Target<'a>) -> Result<Cow<'a, [f64]>> {
    match y {
        Target::Real(y) => Ok(Cow::Borrowed(y)),
        other => Ok(Cow::Owned(other.reals()?.col_iter(0).collect())),
    }
}

/// Targets, weights and offsets of the rows of a block, and the curvature of each row.
struct GlmBlock<'a> {
    problem: &'a GlmProblem,
    y: Cow<'a, [f64]>,
    weight: &'a [f64],
    offset: Vec<f64>,
    curves: Vec<f64>,
    wanted: PassRequest,
}

impl GlmBlock<'_> {
    /// Loss and residuals of the rows from `start` on whose scores are in `z`.
    fn residuals(&mut self, z: &mut [f64], start: usize, sums: &mut GlmPassSums) {
        let range = start..start + z.len();
        let (family, link) = (self.problem.family, self.problem.link);
        if !self.offset.is_empty() {
            add(z, &self.offset[range.clone()]);
        }
        let y = &self.y[range.clone()];
        let weight = if self.weight.is_empty() { &[][..] } else { &self.weight[range.clone()] };
        if self.wanted.closing {
            for (i, (&z, &y)) in z.iter().zip(y).enumerate() {
                let w = if weight.is_empty() { 1.0 } else { weight[i] };
                if w > 0.0 {
                    sums.deviance += w * family.deviance(y, link.mean(z));
                }
            }
        }
        let information = if self.wanted.closing { FisherKind::Expected } else { FisherKind::Observed };
        let GlmSums { loss, pearson } = glm_block((family, link), information, z, y, weight, &mut self.curves[range]);
        sums.loss += loss;
        sums.pearson += pearson;
        sums.residuals += z.iter().sum::<f64>();
        sums.sizes += z.iter().map(|r| r.abs()).sum::<f64>();
    }
}

/// Sums of a pass.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct GlmPassSums {
    /// Σ weight times loss.
    pub loss: f64,
    /// Pearson's statistic.
    pub pearson: f64,
    /// The deviance, in a closing pass.
    pub deviance: f64,
    /// Σ residual times row.
    pub products: Vec<f64>,
    /// Σ residual.
    pub residuals: f64,
    /// Σ |residual|.
    pub sizes: f64,
    /// The requested curvature.
    pub curvature: Option<CurvatureSums>,
}

#[cfg(feature = "fit")]
impl Partial for GlmPassSums {
    fn merge(&mut self, other: Self) -> Result<()> {
        self.loss += other.loss;
        self.pearson += other.pearson;
        self.deviance += other.deviance;
        self.residuals += other.residuals;
        self.sizes += other.sizes;
        add(&mut self.products, &other.products);
        if let (Some(a), Some(b)) = (&mut self.curvature, other.curvature) {
            a.merge(b);
        }
        Ok(())
    }
}

impl GlmPassSums {
    /// The gradient of the loss in the coordinates of a point.
    pub fn gradient(&self, problem: &GlmProblem) -> Vec<f64> {
        let mut out = self.products.clone();
        if problem.intercept {
            out.iter_mut().zip(&problem.center).for_each(|(g, m)| *g -= m * self.residuals);
            out.push(self.residuals);
        }
        if let Some(offset_column) = &problem.offset_column {
            out[offset_column.column] = 0.0;
        }
        out
    }
}
