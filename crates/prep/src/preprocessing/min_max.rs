//! Columns within a given range.

use ermine_core::*;
use serde::{Deserialize, Serialize};

use super::standardize::{ScalerState, same_names};
use crate::one_row::map_numbers;
use ermine_core::blocks::{by_blocks, check_finite, column_label, expect_width, numbers};
use ermine_math::column_moments::SparseRowReader;

/// Scales every column to a given range.
///
/// # What it computes
/// z = a + (b - a) (x - min) / (max - min), from the cells that are present; missing cells stay missing.
///
/// # When to use it
/// Where a learner needs bounded columns (networks, images) and there are no outliers; else [`super::StandardScaler`].
///
/// # Example
/// ```
/// use ermine_core::{Context, DatasetRef, Features, Learner, MatRef, Transformer};
/// use ermine_prep::preprocessing::MinMax;
///
/// let x = Features::F64(MatRef::row_major(&[1.0, 3.0, 2.0], 3, 1));
/// let model = MinMax::default().fit_with(&DatasetRef::new(x), &Context::default())?;
/// assert_eq!(model.transform(&x)?.as_slice(), [0.0, 1.0, 0.5]);
/// # Ok::<(), ermine_core::Error>(())
/// ```
///
/// # Parameters
/// Described in [`Learner::SPEC`].
///
/// # Cost
/// One pass.
///
/// # What it does not do
/// It does not use weights, except that a row of weight 0 is ignored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[doc(alias = "MinMaxScaler")]
pub struct MinMax {
    /// The range of the new columns.
    pub feature_range: (f64, f64),
    /// Whether to clip later data to the range.
    pub clip: bool,
}

impl Default for MinMax {
    fn default() -> Self {
        Self { feature_range: (0.0, 1.0), clip: false }
    }
}

impl MinMax {
    /// Its name in the catalogue and in model files.
    pub(crate) const NAME: &'static str = "min-max";
}

impl MinMax {
    /// What [`Learner::check`] refuses, also in a file.
    pub(crate) fn check_values(&self) -> Result<()> {
        let (low, high) = self.feature_range;
        if !(low < high && low.is_finite() && high.is_finite()) {
            return Err(Error::parameter(
                Self::NAME,
                "feature_range",
                format!("[{low}, {high}]"),
                "the first number must be below the second",
            ));
        }
        Ok(())
    }
}

#[cfg(feature = "fit")]
impl Learner for MinMax {
    type Model = MinMaxModel;

    const SPEC: Spec = Spec {
        name: Self::NAME,
        summary: "Columns within a given range",
        objective: "z = a + (b - a) (x - min) / (max - min)",
        notes: "For learners that want bounded columns, when there are no outliers. One pass; missing cells stay missing. A \
                constant column comes out as the lower end. Weights do not matter, except that a row of weight 0 is left out.",
        reference: "Han, Kamber, Pei: Data Mining, 3rd ed. 2012, section 3.5.2",
        family: Family::Preparation,
        tasks: &[Task::Preparation],
        accepts: Accepts { weights: true, missing: true, categorical: false, sparse: true, passes: true, multi_target: true },
        params: &[
            ParamSpec {
                name: "feature_range",
                doc: "The range of the new columns: a list of the lower and the upper end.",
                range: Range::List(&Range::Real { min: f64::NEG_INFINITY, max: f64::INFINITY, above: false, log: false }),
            },
            ParamSpec { name: "clip", doc: "Whether later data is kept within the range too.", range: Range::Bool },
        ],
    };
    const STREAM: Option<StreamFit<Self>> = Some(run_passes_source::<Self>);

    fn check(&self) -> Result<()> {
        self.check_values()
    }

    fn fit_rows(&self, data: &DatasetRef<'_>, cx: &Context<'_>) -> Result<MinMaxModel> {
        run_passes(self, data, cx)
    }

    fn load(input: &ModelReader) -> Result<MinMaxModel> {
        MinMaxModel::load(input)
    }
}

impl MinMaxModel {
    pub(crate) fn load(input: &ModelReader) -> Result<Self> {
        let params: MinMax = input.field("params")?;
        params.check_values()?;
        let least: Vec<f64> = input.vec("data_min")?;
        let most: Vec<f64> = input.vec_of("data_max", least.len())?;
        let seen: f64 = input.field("n_samples_seen")?;
        let model = MinMaxModel::new(params, least, most, seen);
        if model.broken().is_some() || model.least.iter().zip(&model.most).any(|(a, b)| a > b) {
            return Err(Error::Model("min-max: its ranges are no ranges".into()));
        }
        Ok(model)
    }
}

/// Least and greatest cell of each column.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ColumnRanges {
    least: Vec<Option<f64>>,
    most: Vec<Option<f64>>,
    weight: f64,
}

fn pick(a: Option<f64>, b: Option<f64>, f: fn(f64, f64) -> f64) -> Option<f64> {
    match (a, b) {
        (Some(a), Some(b)) => Some(f(a, b)),
        (a, b) => a.or(b),
    }
}

#[cfg(feature = "fit")]
impl Partial for ColumnRanges {
    fn merge(&mut self, other: Self) -> Result<()> {
        if self.least.len() != other.least.len() {
            let (expected, found) = (self.least.len(), other.least.len());
            return Err(Error::Length { what: "columns of a partial".into(), expected, found });
        }
        self.weight += other.weight;
        self.least.iter_mut().zip(other.least).for_each(|(a, b)| *a = pick(*a, b, f64::min));
        self.most.iter_mut().zip(other.most).for_each(|(a, b)| *a = pick(*a, b, f64::max));
        Ok(())
    }
}

#[cfg(feature = "fit")]
impl PassLearner for MinMax {
    type State = ScalerState;
    type Partial = ColumnRanges;

    fn initial_state(&self, head: &DatasetRef<'_>, _: &Context<'_>) -> Result<ScalerState> {
        Ok(ScalerState { columns: head.cols() })
    }

    fn empty_partial(&self, state: &ScalerState) -> ColumnRanges {
        ColumnRanges { least: vec![None; state.columns], most: vec![None; state.columns], weight: 0.0 }
    }

    fn add_block(&self, state: &ScalerState, part: &mut ColumnRanges, rows: &DatasetRef<'_>) -> Result<()> {
        let cols = state.columns;
        // Comparisons with NaN are false, so missing cells have no effect; the bounds start at the wrong ends.
        let (mut low, mut high) = (vec![f64::INFINITY; cols], vec![f64::NEG_INFINITY; cols]);
        let weighted = (0..rows.rows()).filter(|&i| rows.weight_of(i) > 0.0);
        match rows.x {
            Features::Csr(x) => {
                let (mut row, mut stored, mut seen) = (SparseRowReader::new(cols), vec![0usize; cols], 0usize);
                for i in weighted {
                    seen += 1;
                    part.weight += rows.weight_of(i);
                    row.each(x, i, &mut |j, v| {
                        stored[j] += 1;
                        low[j] = low[j].min(v);
                        high[j] = high[j].max(v);
                    });
                }
                for j in (0..cols).filter(|&j| stored[j] < seen) {
                    (low[j], high[j]) = (low[j].min(0.0), high[j].max(0.0));
                }
            }
            x => {
                let (mut scratch, mut row) = (Vec::new(), vec![0.0; cols]);
                let block = numbers(&x, &mut scratch, Self::SPEC.name)?;
                for i in weighted {
                    part.weight += rows.weight_of(i);
                    let cells = match block.row(i) {
                        Some(cells) => cells,
                        None => {
                            block.copy_row(i, &mut row);
                            &row
                        }
                    };
                    for j in 0..cols {
                        low[j] = if cells[j] < low[j] { cells[j] } else { low[j] };
                        high[j] = if cells[j] > high[j] { cells[j] } else { high[j] };
                    }
                }
            }
        }
        // Bounds that never moved have no cell; bounds at infinity have an infinite one.
        let moved = |j: usize| low[j] <= high[j];
        if (0..cols).any(|j| (low[j].is_infinite() || high[j].is_infinite()) && rows.rows() > 0) {
            check_finite(&rows.x, rows.schema, &|_| true)?;
        }
        for j in (0..cols).filter(|&j| moved(j)) {
            if !(high[j] - low[j]).is_finite() {
                let column = column_label(rows.schema, j);
                return Err(Error::Numeric(format!("column {column}: the range from {} to {} overflows", low[j], high[j])));
            }
            part.least[j] = pick(part.least[j], Some(low[j]), f64::min);
            part.most[j] = pick(part.most[j], Some(high[j]), f64::max);
        }
        Ok(())
    }

    fn finish(&self, _: ScalerState, total: ColumnRanges, _: &Context<'_>) -> Result<PassStep<ScalerState, MinMaxModel>> {
        let bounds = |v: Vec<Option<f64>>| v.into_iter().map(|v| v.unwrap_or(0.0)).collect();
        let model = MinMaxModel::new(self.clone(), bounds(total.least), bounds(total.most), total.weight);
        match model.broken() {
            Some(j) => Err(Error::Numeric(format!("column {j}: its range overflows"))),
            None => Ok(PassStep::Done(model)),
        }
    }
}

/// Fitted [`MinMax`]: the range of each column.
#[derive(Debug, Clone, PartialEq)]
pub struct MinMaxModel {
    params: MinMax,
    least: Vec<f64>,
    most: Vec<f64>,
    scale: Vec<f64>,
    min: Vec<f64>,
    seen: f64,
}

impl MinMaxModel {
    fn new(params: MinMax, least: Vec<f64>, most: Vec<f64>, seen: f64) -> Self {
        let (low, high) = params.feature_range;
        let width = |a: f64, b: f64| if b > a { b - a } else { 1.0 };
        let scale: Vec<f64> = least.iter().zip(&most).map(|(&a, &b)| (high - low) / width(a, b)).collect();
        let min = least.iter().zip(&scale).map(|(a, s)| low - a * s).collect();
        Self { params, least, most, scale, min, seen }
    }

    fn broken(&self) -> Option<usize> {
        let finite = |j: usize| [self.least[j], self.most[j], self.scale[j], self.min[j]].iter().all(|v| v.is_finite());
        (0..self.least.len()).find(|&j| !finite(j))
    }

    /// The least cell of each column.
    pub fn data_min(&self) -> &[f64] {
        &self.least
    }

    /// The greatest cell of each column.
    pub fn data_max(&self) -> &[f64] {
        &self.most
    }

    /// The factor of each column.
    pub fn scale(&self) -> &[f64] {
        &self.scale
    }

    /// The model of the rows of both, for incremental training.
    pub fn merged(&self, other: &Self) -> Result<Self> {
        if self.least.len() != other.least.len() {
            return Err(Error::Columns { expected: self.least.len(), found: other.least.len() });
        }
        let least = self.least.iter().zip(&other.least).map(|(a, b)| a.min(*b)).collect();
        let most = self.most.iter().zip(&other.most).map(|(a, b)| a.max(*b)).collect();
        Ok(Self::new(self.params.clone(), least, most, self.seen + other.seen))
    }
}

ermine_core::display_as_report!(MinMaxModel);

impl Model for MinMaxModel {
    fn n_features(&self) -> usize {
        self.least.len()
    }
    fn as_transformer(&self) -> Option<&dyn Transformer> {
        Some(self)
    }

    fn report(&self, schema: &Schema) -> Report {
        let (low, high) = self.params.feature_range;
        let mut report = Report::default();
        report.text(format!("Every column is moved and stretched into {low} to {high}."));
        let rows =
            (0..self.least.len()).map(|j| vec![schema.name(j).into(), self.least[j].into(), self.most[j].into()]).collect();
        report.table("Ranges of the columns", &["column", "least", "greatest"], rows);
        report
    }

    fn save(&self, out: &mut ModelWriter) -> Result<()> {
        out.field("params", &self.params)?;
        out.field("n_samples_seen", &self.seen)?;
        out.vec("data_min", &self.least);
        out.vec("data_max", &self.most);
        let range: Vec<f64> = self.least.iter().zip(&self.most).map(|(a, b)| b - a).collect();
        out.vec("data_range", &range);
        out.vec("scale", &self.scale);
        out.vec("min", &self.min);
        Ok(())
    }
}

impl Transformer for MinMaxModel {
    fn transform(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        let cols = self.least.len();
        x.expect_cols(cols)?;
        let (low, high) = self.params.feature_range;
        by_blocks(x, cols, |block, _, out| {
            let mut scratch = Vec::new();
            let block = numbers(block, &mut scratch, MinMax::NAME)?;
            for (i, row) in out.chunks_exact_mut(cols).enumerate() {
                block.copy_row(i, row);
                for j in 0..cols {
                    let z = row[j] * self.scale[j] + self.min[j];
                    row[j] = if self.params.clip && !z.is_nan() { z.clamp(low, high) } else { z };
                }
            }
            Ok(())
        })
    }

    fn by_row(&self, schema: &Schema) -> Option<Box<dyn RowFunction>> {
        let (model, (low, high)) = (self.clone(), self.params.feature_range);
        map_numbers(schema, self.least.len(), move |row, out| {
            for j in 0..row.len() {
                let z = row[j] * model.scale[j] + model.min[j];
                out[j] = if model.params.clip && !z.is_nan() { z.clamp(low, high) } else { z };
            }
        })
    }

    fn source_columns(&self) -> Option<Vec<usize>> {
        Some((0..self.least.len()).collect())
    }

    fn schema_out(&self, input: &Schema) -> Schema {
        same_names(input, self.least.len())
    }

    fn inverse(&self, z: MatRef<'_, f64>) -> Result<Option<Mat<f64>>> {
        expect_width(z, self.least.len())?;
        Ok(Some(Mat::from_fn(z.rows(), z.cols(), |i, j| (z.at(i, j) - self.min[j]) / self.scale[j])))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn fit(learner: &MinMax, x: Features<'_>) -> Result<MinMaxModel> {
        learner.fit_with(&DatasetRef::new(x), &Context::default())
    }

    #[test]
    fn constants_missing_cells_and_clipping() {
        let x = [5.0, 1.0, 5.0, f64::NAN, 5.0, 3.0];
        let view = Features::F64(MatRef::row_major(&x, 3, 2));
        let learner = MinMax { feature_range: (-1.0, 1.0), clip: true };
        let model = fit(&learner, view).unwrap();
        let z = model.transform(&view).unwrap();
        assert_eq!((z[(0, 0)], z[(0, 1)], z[(2, 1)]), (-1.0, -1.0, 1.0));
        assert!(z[(1, 1)].is_nan());
        let later = model.transform(&Features::F64(MatRef::row_major(&[9.0, 30.0], 1, 2))).unwrap();
        assert_eq!(later.as_slice(), [1.0, 1.0]);
    }

    #[test]
    fn bad_ranges_and_cells_are_refused() {
        assert!(MinMax::default().set("feature_range", json!([1.0, 1.0])).is_err());
        assert!(MinMax::default().set("feature_range", json!([1.0])).is_err());
        let x = [1.0, f64::NEG_INFINITY];
        let e = fit(&MinMax::default(), Features::F64(MatRef::row_major(&x, 2, 1))).unwrap_err().to_string();
        assert_eq!(e, "column 0, row 1: -infinity is not a finite number");
        let x = [f64::MAX, -f64::MAX];
        assert!(fit(&MinMax::default(), Features::F64(MatRef::row_major(&x, 2, 1))).is_err());
    }

    #[test]
    fn zeros_of_sparse_rows_count() {
        let csr = Csr::new(vec![0, 1, 2], vec![1, 0], vec![4.0, -2.0], 2).unwrap();
        let model = fit(&MinMax::default(), Features::Csr(csr.view())).unwrap();
        assert_eq!((model.data_min(), model.data_max()), (&[-2.0, 0.0][..], &[0.0, 4.0][..]));
    }

    proptest! {
        #[test]
        fn every_column_fills_the_range_and_the_way_back_is_near(x in prop::collection::vec(-1e3f64..1e3, 2..40)) {
            let view = Features::F64(MatRef::row_major(&x, x.len(), 1));
            let model = fit(&MinMax::default(), view).unwrap();
            let z = model.transform(&view).unwrap();
            for (&a, &z) in x.iter().zip(z.as_slice()) {
                prop_assert!((-1e-9..=1.0 + 1e-9).contains(&z));
                prop_assert!((model.inverse(MatRef::row_major(&[z], 1, 1)).unwrap().unwrap()[(0, 0)] - a).abs() < 1e-9);
            }
            let mut out = ModelWriter::default();
            model.save(&mut out).unwrap();
            prop_assert_eq!(MinMax::load(&out.into_reader()).unwrap(), model);
        }
    }
}
