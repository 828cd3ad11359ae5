//! The first pass of a fit: means and spread of the columns.

use ermine_core::blocks::{check_finite, numbers};
use ermine_core::*;
use ermine_math::column_moments::ColumnMoments;
use ermine_math::moments::Moments;
use serde::{Deserialize, Serialize};

use super::CovarianceType;

/// Sums of the first pass: complete rows in `moments`, the cells of the others in `columns`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[doc(hidden)]
pub struct ColumnSurvey {
    moments: Moments,
    columns: ColumnMoments,
    /// Rows with weight that lack some cells but not all, and their weight.
    rows_with_missing: u64,
    lacking_weight: f64,
    /// Whether any row lacks cells.
    incomplete: bool,
}

#[cfg(feature = "fit")]
impl Partial for ColumnSurvey {
    fn merge(&mut self, other: Self) -> Result<()> {
        self.moments.merge(other.moments);
        self.columns.merge(other.columns)?;
        self.rows_with_missing += other.rows_with_missing;
        self.lacking_weight += other.lacking_weight;
        self.incomplete |= other.incomplete;
        Ok(())
    }
}

impl ColumnSurvey {
    pub(super) fn new(cols: usize) -> Self {
        let (moments, columns) = (Moments::new(cols, 0), ColumnMoments::new(cols));
        Self { moments, columns, rows_with_missing: 0, lacking_weight: 0.0, incomplete: false }
    }

    pub(super) fn add(&mut self, rows: &DatasetRef<'_>) -> Result<()> {
        let mut scratch = Vec::new();
        let mut block = Moments::new(rows.cols(), 0);
        match &rows.x {
            Features::F64(x) => block.add(*x, None, rows.weight),
            Features::F32(x) => block.add(*x, None, rows.weight),
            other => block.add(numbers(other, &mut scratch, "gmm")?, None, rows.weight),
        }
        if block.is_finite() {
            self.moments.merge(block);
            return Ok(());
        }
        check_finite(&rows.x, rows.schema, &|_| true)?;
        let x = numbers(&rows.x, &mut scratch, "gmm")?;
        let (lacking, whole): (Vec<usize>, Vec<usize>) = (0..x.rows()).partition(|&i| (0..x.cols()).any(|j| x.at(i, j).is_nan()));
        let weights = |of: &[usize]| of.iter().map(|&i| rows.weight_of(i)).collect::<Vec<_>>();
        let (complete, weight) = (x.take_rows(&whole), weights(&whole));
        let mut block = Moments::new(rows.cols(), 0);
        block.add(complete.view(), None, Some(&weight));
        if !block.is_finite() {
            return Err(Error::Numeric("the squares of the columns overflow; scale the columns down".into()));
        }
        self.moments.merge(block);
        let weight = weights(&lacking);
        let some = |&i: &usize| (0..x.cols()).any(|j| !x.at(i, j).is_nan());
        for (i, w) in lacking.iter().zip(&weight).filter(|(_, w)| **w > 0.0) {
            if some(i) {
                self.rows_with_missing += 1;
                self.lacking_weight += w;
            }
        }
        if !lacking.is_empty() {
            self.incomplete = true;
            self.columns.add(x.take_rows(&lacking).view(), Some(&weight));
        }
        Ok(())
    }
}

/// Statistics of all rows after the first pass.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct GmmSetup {
    pub(super) weight: f64,
    /// Rows with weight, and those of them that lack cells.
    pub(super) rows: u64,
    pub(super) rows_with_missing: u64,
    /// Whether any row lacks cells, with or without weight.
    pub(super) incomplete: bool,
    pub(super) mean: Vec<f64>,
    /// The unit of each column in which groups are looked for.
    pub(super) unit: Vec<f64>,
    /// The scatter matrix, or its diagonal as one row.
    pub(super) scatter: Mat<f64>,
}

/// The nearest multiple of 2⁻²⁰.
pub(crate) fn rounded(v: f64) -> f64 {
    const FINE: f64 = (1u32 << 20) as f64;
    (v * FINE).round() / FINE
}

impl GmmSetup {
    pub(super) fn new(survey: ColumnSurvey, kind: CovarianceType) -> Result<Self> {
        let cols = survey.moments.x_cols();
        let mut all = ColumnMoments {
            weight: vec![survey.moments.weight(); cols],
            missing: vec![0.0; cols],
            mean: survey.moments.mean().to_vec(),
            rest: survey.moments.mean_low().to_vec(),
            squares: survey.moments.scatter_diagonal(),
        };
        let weight = survey.moments.weight() + survey.lacking_weight;
        let rows = survey.moments.rows() + survey.rows_with_missing;
        all.merge(survey.columns)?;
        if let Some(j) = all.weight.iter().position(|w| *w == 0.0) {
            return Err(Error::Data(format!("column {j}: all cells are missing; leave the column out")));
        }
        let variance: Vec<f64> = (0..cols).map(|j| all.squares[j] / all.weight[j]).collect();
        let common = variance.iter().sum::<f64>() / cols as f64;
        let unit = |v: &f64| match if kind.follows_scales() { *v } else { common } {
            v if v > 0.0 => v.sqrt(),
            _ => 1.0,
        };
        let unit: Vec<f64> = variance.iter().map(unit).collect();
        let scatter = match (kind.is_full(), survey.incomplete) {
            (true, false) => survey.moments.scatter(),
            (true, true) => Mat::from_fn(cols, cols, |i, j| if i == j { variance[j] * weight } else { 0.0 }),
            (false, _) => Mat::from_fn(1, cols, |_, j| variance[j] * weight),
        };
        Ok(Self {
            weight,
            rows,
            rows_with_missing: survey.rows_with_missing,
            incomplete: survey.incomplete,
            mean: all.mean,
            unit,
            scatter,
        })
    }

    /// Rows in the units in which groups are looked for, with means for missing cells. They are rounded to a millionth of a unit: draws go by
    /// what rows hold, and must not depend on the units and the origin of the columns.
    pub(super) fn standard(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        let mut scratch = Vec::new();
        let x = numbers(x, &mut scratch, "gmm")?;
        let cell = |v: f64, j: usize| if v.is_nan() { 0.0 } else { rounded((v - self.mean[j]) / self.unit[j]) };
        Ok(Mat::from_fn(x.rows(), x.cols(), |i, j| cell(*x.at(i, j), j)))
    }

    pub(super) fn raw(&self, centers: &Mat<f64>) -> Mat<f64> {
        Mat::from_fn(centers.rows(), centers.cols(), |c, j| self.mean[j] + self.unit[j] * centers[(c, j)])
    }
}
