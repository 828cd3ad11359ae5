//! Partial dependence: predictions as a function of a column, for each row and on average.

use ermine_core::{Column, Context, Error, Features, MISSING_CODE, Mat, Model, Progress, Result, RngStream};
use serde::{Deserialize, Serialize};

use super::ModelOutput;
use super::column::{ColumnValues, FillValue, replace_column};

/// Parameters of partial dependence.
///
/// The partial dependence on column j at the value v is the mean prediction when every row has v there: `mean over rows
/// of f(x with x_j = v)`. The curves of single rows (individual conditional expectation) show what the mean hides: when
/// they are not parallel, the column interacts with others. Values are also combined that do not occur together, so
/// that curves far outside the joint distribution are not to be trusted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PartialDependence {
    /// Most grid values: all values of a column that has no more, else quantiles from 1% to 99%; of categories the most
    /// frequent.
    pub places: usize,
    /// Most rows averaged over; of more a random sample.
    pub rows: usize,
}

impl Default for PartialDependence {
    fn default() -> Self {
        Self { places: 25, rows: 500 }
    }
}

/// The grid.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GridValues {
    /// Numbers, ascending.
    Numbers(Vec<f64>),
    /// Categories, the most frequent first.
    Names(Vec<String>),
}

impl GridValues {
    /// How many there are.
    pub fn len(&self) -> usize {
        match self {
            Self::Numbers(v) => v.len(),
            Self::Names(v) => v.len(),
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Predictions as a function of a column.
#[derive(Debug, Clone, PartialEq)]
pub struct Dependence {
    /// The column.
    pub column: usize,
    /// The grid.
    pub places: GridValues,
    /// The mean prediction: one row per value; one column per target or class, but for two classes the second alone.
    pub mean: Mat<f64>,
    /// Standard errors of these means, as means over the rows.
    pub error: Mat<f64>,
    /// For each output: the predictions of single rows, one row each, one column per value.
    pub each: Vec<Mat<f64>>,
    /// Deciles of the column, where it has numbers.
    pub deciles: Vec<f64>,
}

impl Dependence {
    /// The range of the mean over all outputs, by which dependences are ranked.
    pub fn effect_range(&self) -> f64 {
        let of = |o: usize| {
            let values = (0..self.mean.rows()).map(|k| self.mean[(k, o)]);
            values.clone().fold(f64::NEG_INFINITY, f64::max) - values.fold(f64::INFINITY, f64::min)
        };
        (0..self.mean.cols()).map(of).fold(0.0, f64::max)
    }
}

impl PartialDependence {
    /// The dependence on a column; `None` when the column has fewer than two values or is text.
    pub fn of(
        &self,
        model: &dyn Model,
        x: &Features<'_>,
        weight: Option<&[f64]>,
        column: usize,
        cx: &Context<'_>,
    ) -> Result<Option<Dependence>> {
        if column >= x.cols() || self.places < 2 || self.rows == 0 {
            return Err(Error::Data(format!("column {column} of {}, {} values, {} rows", x.cols(), self.places, self.rows)));
        }
        let Some((places, fills, deciles)) = self.grid(&ColumnValues::of(x, column)) else { return Ok(None) };
        let rows: Vec<usize> = match x.rows() > self.rows {
            false => (0..x.rows()).collect(),
            true => {
                let mut drawn = RngStream::new(cx.seed, "rows for dependence", 0).permutation(x.rows());
                drawn.truncate(self.rows);
                drawn.sort_unstable();
                drawn
            }
        };
        let weights: Vec<f64> = rows.iter().map(|&i| weight.map_or(1.0, |w| w[i])).collect();
        let total: f64 = weights.iter().sum();
        if total <= 0.0 {
            return Err(Error::Weight("all rows that were drawn have weight 0".into()));
        }
        let mut taken = x.take_rows(&rows);
        let cells = ColumnValues::of(&taken.view(), column);
        let (mut mean, mut error, mut each) = (Vec::new(), Vec::new(), Vec::new());
        for (k, fill) in fills.iter().enumerate() {
            cx.check(Progress { stage: "dependence", done: k as u64, total: Some(fills.len() as u64), objective: None })?;
            let Some(same) = cells.filled(*fill) else { return Ok(None) };
            replace_column(&mut taken, column, same)?;
            let predictions = match ModelOutput::of(model, &taken.view())? {
                ModelOutput::Proba(p) if p.cols() == 2 => Mat::from_fn(p.rows(), 1, |i, _| p[(i, 1)]),
                ModelOutput::Proba(p) | ModelOutput::Reals(p) => p,
            };
            if each.is_empty() {
                each = vec![Mat::zeros(rows.len(), fills.len()); predictions.cols()];
                (mean, error) = (vec![Vec::new(); predictions.cols()], vec![Vec::new(); predictions.cols()]);
            }
            for o in 0..predictions.cols() {
                let average = (0..rows.len()).map(|i| weights[i] / total * predictions[(i, o)]).sum::<f64>();
                let square: f64 = (0..rows.len()).map(|i| (weights[i] / total * (predictions[(i, o)] - average)).powi(2)).sum();
                mean[o].push(average);
                error[o].push(square.sqrt());
                (0..rows.len()).for_each(|i| each[o][(i, k)] = predictions[(i, o)]);
            }
        }
        let table = |v: &[Vec<f64>]| Mat::from_fn(fills.len(), v.len(), |k, o| v[o][k]);
        Ok(Some(Dependence { column, places, mean: table(&mean), error: table(&error), each, deciles }))
    }

    /// The grid, as values and as cells, and the deciles of numbers.
    fn grid(&self, cells: &ColumnValues) -> Option<(GridValues, Vec<FillValue>, Vec<f64>)> {
        if let Some(mut there) = cells.numbers() {
            ermine_core::order::sort_numbers(&mut there);
            let last = there.len().checked_sub(1)?;
            let quantile = |q: f64| there[(q * last as f64).round() as usize];
            let mut values = there.clone();
            values.dedup();
            if values.len() > self.places {
                let step = 0.98 / (self.places - 1) as f64;
                values = (0..self.places).map(|k| quantile(0.01 + step * k as f64)).collect();
                values.dedup();
            }
            let fills: Vec<FillValue> = values.iter().map(|&v| FillValue::Number(v)).collect();
            let deciles = (1..10).map(|k| quantile(f64::from(k) / 10.0)).collect();
            return (values.len() > 1).then_some((GridValues::Numbers(values), fills, deciles));
        }
        let ColumnValues::Column(Column::Category { codes, names }) = cells else { return None };
        let mut counts = vec![0usize; names.len()];
        codes.iter().filter(|&&c| c != MISSING_CODE).for_each(|&c| counts[c as usize] += 1);
        let mut order: Vec<usize> = (0..names.len()).filter(|&c| counts[c] > 0).collect();
        order.sort_by(|&a, &b| counts[b].cmp(&counts[a]).then(a.cmp(&b)));
        order.truncate(self.places);
        let fills: Vec<FillValue> = order.iter().map(|&c| FillValue::Code(c as u32)).collect();
        (order.len() > 1).then(|| (GridValues::Names(order.iter().map(|&c| names[c].clone()).collect()), fills, Vec::new()))
    }
}
