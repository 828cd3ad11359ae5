//! Sums of a pass over the rows of several classes.

use ermine_core::blocks::column_label;
use ermine_core::{DatasetRef, Error, Features, Mat, MatRef, Partial, PassStep, Result};
use ermine_math::class_moments::ClassMoments;
use ermine_math::moments::{Moments, Real};
use ermine_math::pooled_moments::PooledMoments;
use serde::{Deserialize, Serialize};

use super::shrinkage::deviations;

/// Cross products about the means of the classes.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum ScatterSums {
    /// Moments of all classes pooled.
    #[doc(hidden)]
    Pooled(Box<PooledMoments>),
    /// Moments of each class.
    #[doc(hidden)]
    Each(Vec<Moments>),
    /// Sums of squared squared lengths of standardized rows: one per class, and one of all rows.
    #[doc(hidden)]
    Fourth(Vec<f64>),
}

#[cfg(feature = "fit")]
impl Partial for ScatterSums {
    fn merge(&mut self, other: Self) -> Result<()> {
        match (self, other) {
            (Self::Pooled(a), Self::Pooled(b)) => a.merge(*b),
            (Self::Each(a), Self::Each(b)) => a.iter_mut().zip(b).for_each(|(a, b)| a.merge(b)),
            (Self::Fourth(a), Self::Fourth(b)) => a.iter_mut().zip(b).for_each(|(a, b)| *a += b),
            _ => return Err(Error::Data("partials of different passes".into())),
        }
        Ok(())
    }
}

/// State of [`super::Lda`] and [`super::Qda`] broadcast to every block before a pass.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ScatterState {
    /// Names of the columns, for notes.
    pub(super) labels: Vec<String>,
    pub(super) classes: Vec<String>,
    /// After the first pass, where there is a second, for fourth moments.
    scatter: Option<Box<ClassScatter>>,
    standards: Vec<Standardizer>,
}

impl ScatterState {
    pub(super) fn new(head: &DatasetRef<'_>) -> Result<Self> {
        let (_, names) = head.y.classes()?;
        let labels = (0..head.cols()).map(|j| column_label(head.schema, j)).collect();
        Ok(Self { labels, classes: names.to_vec(), scatter: None, standards: Vec::new() })
    }

    /// No rows yet; `each` asks for the scatter of each class instead of that within all.
    pub(super) fn empty_partial(&self, each: bool) -> ScatterSums {
        let (classes, cols) = (self.classes.len(), self.labels.len());
        if !self.standards.is_empty() {
            ScatterSums::Fourth(vec![0.0; classes + 1])
        } else if each {
            ScatterSums::Each(vec![Moments::new(cols, 0); classes])
        } else {
            ScatterSums::Pooled(Box::new(PooledMoments::new(classes, cols)))
        }
    }

    pub(super) fn add_block(&self, part: &mut ScatterSums, rows: &DatasetRef<'_>, learner: &str) -> Result<()> {
        rows.x.expect_cols(self.labels.len())?;
        part.add(rows, &self.standards, learner)
    }

    /// A model of the scatter and, where it is `auto` that chooses how far to shrink, of the fourth moments of a second pass.
    pub(super) fn finish<M>(
        mut self,
        total: ScatterSums,
        auto: bool,
        model: impl FnOnce(Vec<String>, &[String], &ClassScatter, &[f64]) -> Result<M>,
    ) -> Result<PassStep<Self, M>> {
        let (scatter, fourth) = match (self.scatter.take(), total) {
            (Some(scatter), ScatterSums::Fourth(fourth)) => (*scatter, fourth),
            (_, total) => {
                let scatter = ClassScatter::new(total)?;
                if auto {
                    let standards = scatter.standards();
                    return Ok(PassStep::NextPass(Self { scatter: Some(Box::new(scatter)), standards, ..self }, None));
                }
                (scatter, Vec::new())
            }
        };
        Ok(PassStep::Done(model(self.classes, &self.labels, &scatter, &fourth)?))
    }
}

/// Result of the first pass: weights, means and scatter of the classes.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ClassScatter {
    /// The weight of each class.
    pub(super) weight: Vec<f64>,
    /// The means: one row per class; of a class without rows that of all rows.
    pub(super) mean: Mat<f64>,
    /// Scatter matrices: one per class, or one for all; none where there are more columns than rows.
    pub(super) scatter: Vec<Mat<f64>>,
    /// The scatter of each column within all classes.
    pub(super) diagonal: Vec<f64>,
}

impl ClassScatter {
    pub(super) fn new(totals: ScatterSums) -> Result<Self> {
        let (weight, mean, scatter) = match totals {
            ScatterSums::Pooled(m) => (m.weight().to_vec(), m.mean().clone(), vec![m.scatter()]),
            ScatterSums::Each(all) => {
                let cols = all.first().map_or(0, Moments::x_cols);
                let mean = Mat::from_vec(all.len(), cols, all.iter().flat_map(|m| m.mean().to_vec()).collect());
                (all.iter().map(Moments::weight).collect(), mean, all.iter().map(Moments::scatter).collect())
            }
            ScatterSums::Fourth(_) => return Err(Error::Data("a pass for covariances brought fourth moments".into())),
        };
        let diagonal = (0..mean.cols()).map(|j| scatter.iter().map(|s: &Mat<f64>| s[(j, j)]).sum()).collect();
        Ok(Self { weight, mean, scatter, diagonal }.complete())
    }

    /// Of moments without cross products.
    pub(super) fn of_columns(moments: &ClassMoments) -> Self {
        let (weight, mean) = (moments.weight().to_vec(), moments.mean().clone());
        let diagonal = (0..mean.cols()).map(|j| (0..weight.len()).map(|k| moments.squares()[(k, j)]).sum()).collect();
        Self { weight, mean, scatter: Vec::new(), diagonal }.complete()
    }

    /// Uses the mean of all rows for a class without any.
    fn complete(mut self) -> Self {
        let grand = self.grand_mean();
        for k in (0..self.weight.len()).filter(|&k| self.weight[k] == 0.0) {
            self.mean.row_mut(k).copy_from_slice(&grand);
        }
        self
    }

    pub(super) fn total_weight(&self) -> f64 {
        self.weight.iter().sum()
    }

    pub(super) fn cols(&self) -> usize {
        self.mean.cols()
    }

    /// How many classes have rows.
    pub(super) fn populated(&self) -> usize {
        self.weight.iter().filter(|w| **w > 0.0).count()
    }

    /// The sum of the scatter matrices of the classes.
    pub(super) fn within(&self) -> Mat<f64> {
        let mut sum = self.scatter[0].clone();
        for s in &self.scatter[1..] {
            sum.as_mut_slice().iter_mut().zip(s.as_slice()).for_each(|(a, b)| *a += b);
        }
        sum
    }

    /// The weighted mean of all rows.
    pub(super) fn grand_mean(&self) -> Vec<f64> {
        let total = self.total_weight();
        let some = (0..self.weight.len()).find(|&k| self.weight[k] > 0.0).unwrap_or(0);
        let mean = |j: usize| {
            // About one of the classes: the mean of equal numbers is that number.
            let first = self.mean[(some, j)];
            first + (0..self.weight.len()).map(|k| self.weight[k] / total * (self.mean[(k, j)] - first)).sum::<f64>()
        };
        (0..self.cols()).map(mean).collect()
    }

    /// The scatter matrix of all rows about their mean.
    pub(super) fn total(&self) -> Mat<f64> {
        let (mut sum, grand) = (self.within(), self.grand_mean());
        for k in 0..self.weight.len() {
            let d: Vec<f64> = self.mean.row(k).iter().zip(&grand).map(|(m, g)| m - g).collect();
            for a in 0..d.len() {
                for b in 0..d.len() {
                    sum[(a, b)] += self.weight[k] * d[a] * d[b];
                }
            }
        }
        sum
    }

    /// Standardization of the rows of each class, and of all: means, and one over standard deviations (0 where there is none).
    pub(super) fn standards(&self) -> Vec<Standardizer> {
        let inverse = |scatter: &Mat<f64>, weight: f64| {
            let sd = |j: usize| (scatter[(j, j)] / weight).sqrt();
            (0..self.cols()).map(|j| if sd(j) > 0.0 { 1.0 / sd(j) } else { 0.0 }).collect()
        };
        let each = self.scatter.iter().zip(&self.weight).enumerate();
        let mut all: Vec<Standardizer> =
            each.map(|(k, (s, &w))| Standardizer { mean: self.mean.row(k).to_vec(), inverse: inverse(s, w) }).collect();
        all.push(Standardizer { mean: self.grand_mean(), inverse: inverse(&self.total(), self.total_weight()) });
        all
    }

    /// The columns that do not vary within any class.
    pub(super) fn constant_columns(&self) -> Vec<usize> {
        (0..self.cols()).filter(|&j| self.diagonal[j] == 0.0).collect()
    }
}

/// How rows are standardized.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Standardizer {
    mean: Vec<f64>,
    inverse: Vec<f64>,
}

impl Standardizer {
    fn fourth(&self, row: &[f64]) -> f64 {
        let square: f64 = row.iter().zip(&self.mean).zip(&self.inverse).map(|((v, m), r)| ((v - m) * r).powi(2)).sum();
        square * square
    }
}

impl ScatterSums {
    /// Takes in a block of rows for a covariance, or with `standards` for fourth moments.
    pub(super) fn add(&mut self, rows: &DatasetRef<'_>, standards: &[Standardizer], learner: &str) -> Result<()> {
        let (codes, _) = rows.y.classes()?;
        let mut scratch = Vec::new();
        match self {
            Self::Pooled(m) => {
                match rows.x {
                    Features::F64(x) => m.add(x, codes, rows.weight),
                    Features::F32(x) => m.add(x, codes, rows.weight),
                    _ => m.add(rows.x.f64_rows(&mut scratch, learner)?, codes, rows.weight),
                }
                m.refuse_non_finite(rows)
            }
            Self::Each(all) => {
                match rows.x {
                    Features::F64(x) => add_each(all, x, codes, rows.weight),
                    Features::F32(x) => add_each(all, x, codes, rows.weight),
                    _ => add_each(all, rows.x.f64_rows(&mut scratch, learner)?, codes, rows.weight),
                }
                all.iter().try_for_each(|m| m.refuse_non_finite(rows))
            }
            Self::Fourth(sums) => {
                let x = rows.x.f64_rows(&mut scratch, learner)?;
                let mut row = vec![0.0; x.cols()];
                let last = sums.len() - 1;
                for (i, &k) in codes.iter().enumerate() {
                    x.copy_row(i, &mut row);
                    let w = rows.weight_of(i);
                    if w > 0.0 {
                        sums[k as usize] += w * standards[k as usize].fourth(&row);
                        sums[last] += w * standards[last].fourth(&row);
                    }
                }
                Ok(())
            }
        }
    }
}

/// Adds rows to the moments of their classes.
fn add_each<T: Real + Default>(all: &mut [Moments], x: MatRef<'_, T>, codes: &[u32], weight: Option<&[f64]>) {
    let mut rows: Vec<Vec<usize>> = vec![Vec::new(); all.len()];
    codes.iter().enumerate().for_each(|(i, &k)| rows[k as usize].push(i));
    for (m, rows) in all.iter_mut().zip(rows).filter(|(_, rows)| !rows.is_empty()) {
        let w: Option<Vec<f64>> = weight.map(|w| rows.iter().map(|&i| w[i]).collect());
        m.add(x.take_rows(&rows).view(), None, w.as_deref());
    }
}

/// A covariance with its columns divided by their standard deviations, and those.
pub(super) fn correlation(covariance: &Mat<f64>) -> (Mat<f64>, Vec<f64>) {
    let sd = deviations(covariance);
    let (rows, cols) = (covariance.rows(), covariance.cols());
    (Mat::from_fn(rows, cols, |i, j| covariance[(i, j)] / sd[i] / sd[j]), sd)
}
