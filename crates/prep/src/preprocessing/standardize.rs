//! Columns with mean 0 and variance 1.

use ermine_core::*;
use serde::{Deserialize, Serialize};

use crate::one_row::map_numbers;
use ermine_core::blocks::{by_blocks, check_finite, column_label, expect_width, numbers};
use ermine_math::column_moments::ColumnMoments;

/// Subtracts the mean from every column and divides by its standard deviation.
///
/// # What it computes
/// z = (x - mean) / sd with the divisor n, from the cells that are present; missing cells stay missing.
///
/// # When to use it
/// Before learners that compare columns: penalized linear models, k-means, PCA, neighbors.
///
/// # Example
/// ```
/// use ermine_core::{Context, DatasetRef, Features, Learner, MatRef, Transformer};
/// use ermine_prep::preprocessing::StandardScaler;
///
/// let x = Features::F64(MatRef::row_major(&[1.0, 3.0], 2, 1));
/// let model = StandardScaler::default().fit_with(&DatasetRef::new(x), &Context::default())?;
/// assert_eq!(model.transform(&x)?.as_slice(), [-1.0, 1.0]);
/// # Ok::<(), ermine_core::Error>(())
/// ```
///
/// # Parameters
/// Described in [`Learner::SPEC`].
///
/// # Cost
/// One pass. A mean many orders larger than the standard deviation loses no digits.
///
/// # What it does not do
/// It does not scale a column that is constant up to rounding; it only subtracts its mean.
///
/// # Reference
/// Chan, Golub and LeVeque, The American Statistician 37 (1983), for the moments.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct StandardScaler {
    /// Whether to subtract the mean.
    pub with_mean: bool,
    /// Whether to divide by the standard deviation.
    pub with_std: bool,
}

impl Default for StandardScaler {
    fn default() -> Self {
        Self { with_mean: true, with_std: true }
    }
}

impl StandardScaler {
    /// Its name in the catalogue and in model files.
    pub(crate) const NAME: &'static str = "standardise";
}

#[cfg(feature = "fit")]
impl Learner for StandardScaler {
    type Model = StandardizeModel;

    const SPEC: Spec = Spec {
        name: Self::NAME,
        summary: "Columns with mean 0 and standard deviation 1",
        objective: "z = (x - mean) / sd, with sd^2 = sum_i w_i (x_i - mean)^2 / sum_i w_i",
        notes: "For learners that compare columns: penalized linear models, k-means, PCA, neighbors. One pass; missing cells are \
                left out of the sums and stay missing. A constant column is only centered. A mean many orders larger than the \
                spread loses no digits.",
        reference: "Chan, Golub, LeVeque: Algorithms for computing the sample variance, The American Statistician 37 (1983)",
        family: Family::Preparation,
        tasks: &[Task::Preparation],
        accepts: Accepts { weights: true, missing: true, categorical: false, sparse: true, passes: true, multi_target: true },
        params: &[
            ParamSpec { name: "with_mean", doc: "Whether the mean is taken away.", range: Range::Bool },
            ParamSpec {
                name: "with_std",
                doc: "Whether to divide by the standard deviation; a constant column is divided by 1.",
                range: Range::Bool,
            },
        ],
    };
    const STREAM: Option<StreamFit<Self>> = Some(run_passes_source::<Self>);

    fn fit_rows(&self, data: &DatasetRef<'_>, cx: &Context<'_>) -> Result<StandardizeModel> {
        run_passes(self, data, cx)
    }

    fn load(input: &ModelReader) -> Result<StandardizeModel> {
        StandardizeModel::load(input)
    }
}

/// State of a scaler, broadcast to every block before a pass: the number of columns.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ScalerState {
    pub(super) columns: usize,
}

/// Sums of [`StandardScaler`] in a pass.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct StandardizePartial(ColumnMoments);

#[cfg(feature = "fit")]
impl Partial for StandardizePartial {
    fn merge(&mut self, other: Self) -> Result<()> {
        self.0.merge(other.0)
    }
}

#[cfg(feature = "fit")]
impl PassLearner for StandardScaler {
    type State = ScalerState;
    type Partial = StandardizePartial;

    fn initial_state(&self, head: &DatasetRef<'_>, _: &Context<'_>) -> Result<ScalerState> {
        Ok(ScalerState { columns: head.cols() })
    }

    fn empty_partial(&self, state: &ScalerState) -> StandardizePartial {
        StandardizePartial(ColumnMoments::new(state.columns))
    }

    fn add_block(&self, _: &ScalerState, part: &mut StandardizePartial, rows: &DatasetRef<'_>) -> Result<()> {
        add_moments(&mut part.0, rows, Self::SPEC.name)
    }

    fn finish(
        &self,
        _: ScalerState,
        total: StandardizePartial,
        _: &Context<'_>,
    ) -> Result<PassStep<ScalerState, StandardizeModel>> {
        let StandardizePartial(ColumnMoments { weight, mean, squares, .. }) = total;
        Ok(PassStep::Done(StandardizeModel::new(self.clone(), weight, mean, squares)))
    }
}

/// Adds a block to column moments; infinite cells and overflowing sums are errors that name the column.
pub(crate) fn add_moments(part: &mut ColumnMoments, rows: &DatasetRef<'_>, learner: &str) -> Result<()> {
    match rows.x {
        Features::Csr(x) => part.add_sparse(x, rows.weight),
        x => part.add(numbers(&x, &mut Vec::new(), learner)?, rows.weight),
    }
    if let Some(j) = part.first_non_finite_column() {
        check_finite(&rows.x, rows.schema, &|_| true)?;
        let column = column_label(rows.schema, j);
        return Err(Error::Numeric(format!("column {column}: its numbers are so large that the sum of their squares overflows")));
    }
    Ok(())
}

/// Fitted [`StandardScaler`]: mean and scale of each column.
#[derive(Debug, Clone, PartialEq)]
pub struct StandardizeModel {
    params: StandardScaler,
    /// Weight of the cells that were present.
    seen: Vec<f64>,
    mean: Vec<f64>,
    var: Vec<f64>,
    scale: Vec<f64>,
    shift: Vec<f64>,
}

impl StandardizeModel {
    fn new(params: StandardScaler, seen: Vec<f64>, mean: Vec<f64>, squares: Vec<f64>) -> Self {
        let var: Vec<f64> = squares.iter().zip(&seen).map(|(&s, &n)| if n > 0.0 { s / n } else { 0.0 }).collect();
        Self::from_variance(params, seen, mean, var)
    }

    fn from_variance(params: StandardScaler, seen: Vec<f64>, mean: Vec<f64>, var: Vec<f64>) -> Self {
        let scale = (0..mean.len())
            .map(|j| if params.with_std && !is_constant(seen[j], mean[j], var[j]) { var[j].sqrt() } else { 1.0 })
            .collect();
        let shift = if params.with_mean { mean.clone() } else { vec![0.0; mean.len()] };
        Self { params, seen, mean, var, scale, shift }
    }

    /// Means of the columns.
    pub fn mean(&self) -> &[f64] {
        &self.mean
    }

    /// Variances of the columns, with divisor n.
    pub fn var(&self) -> &[f64] {
        &self.var
    }

    /// The divisor of each column.
    pub fn scale(&self) -> &[f64] {
        &self.scale
    }

    /// Weight of the present cells of each column.
    pub fn seen(&self) -> &[f64] {
        &self.seen
    }

    /// The model of the rows of both, for incremental training.
    pub fn merged(&self, other: &Self) -> Result<Self> {
        let moments = |m: &Self| ColumnMoments {
            weight: m.seen.clone(),
            missing: vec![0.0; m.seen.len()],
            mean: m.mean.clone(),
            rest: vec![0.0; m.mean.len()],
            squares: m.var.iter().zip(&m.seen).map(|(v, n)| v * n).collect(),
        };
        let mut all = moments(self);
        all.merge(moments(other))?;
        Ok(Self::new(self.params.clone(), all.weight, all.mean, all.squares))
    }

    pub(crate) fn load(input: &ModelReader) -> Result<Self> {
        let params: StandardScaler = input.field("params")?;
        let mean: Vec<f64> = input.vec("mean")?;
        let seen: Vec<f64> = input.vec_of("n_samples_seen", mean.len())?;
        let var: Vec<f64> = input.vec_of("var", mean.len())?;
        let scale: Vec<f64> = input.vec_of("scale", mean.len())?;
        let whole = |v: &[f64], least: f64| v.iter().all(|v| v.is_finite() && *v >= least);
        if !whole(&mean, f64::MIN) || !whole(&seen, 0.0) || !whole(&var, 0.0) || !scale.iter().all(|s| s.is_finite() && *s > 0.0)
        {
            return Err(Error::Model("standardise: its moments are no moments".into()));
        }
        Ok(Self { scale, ..Self::from_variance(params, seen, mean, var) })
    }
}

/// Whether a column is constant up to rounding: its variance is within the rounding errors of sums over one block, the
/// unit in which rows are summed.
fn is_constant(seen: f64, mean: f64, var: f64) -> bool {
    let n = seen.min(BLOCK_ROWS as f64);
    let error = n * f64::EPSILON;
    var <= error * var + (error * mean) * (error * mean)
}

ermine_core::display_as_report!(StandardizeModel);

impl Model for StandardizeModel {
    fn n_features(&self) -> usize {
        self.mean.len()
    }
    fn as_transformer(&self) -> Option<&dyn Transformer> {
        Some(self)
    }

    fn report(&self, schema: &Schema) -> Report {
        let rows = (0..self.mean.len())
            .map(|j| vec![schema.name(j).into(), self.mean[j].into(), self.scale[j].into(), self.seen[j].into()])
            .collect();
        let mut report = Report::default();
        report.table("Standardized columns", &["column", "mean", "divided by", "cells"], rows);
        report
    }

    fn save(&self, out: &mut ModelWriter) -> Result<()> {
        out.field("params", &self.params)?;
        out.vec("mean", &self.mean);
        out.vec("scale", &self.scale);
        out.vec("var", &self.var);
        out.vec("n_samples_seen", &self.seen);
        Ok(())
    }
}

/// The same columns as numbers.
pub(super) fn same_names(schema: &Schema, columns: usize) -> Schema {
    Schema::numbers((0..columns).map(|j| schema.name(j)))
}

impl Transformer for StandardizeModel {
    fn transform(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        x.expect_cols(self.mean.len())?;
        let cols = self.mean.len();
        by_blocks(x, cols, |block, _, out| {
            let mut scratch = Vec::new();
            let block = numbers(block, &mut scratch, StandardScaler::NAME)?;
            for (i, row) in out.chunks_exact_mut(cols).enumerate() {
                block.copy_row(i, row);
                for j in 0..cols {
                    row[j] = (row[j] - self.shift[j]) / self.scale[j];
                }
            }
            Ok(())
        })
    }

    fn by_row(&self, schema: &Schema) -> Option<Box<dyn RowFunction>> {
        let (shift, scale) = (self.shift.clone(), self.scale.clone());
        map_numbers(schema, self.mean.len(), move |row, out| {
            let units = shift.iter().zip(&scale);
            out.iter_mut().zip(row).zip(units).for_each(|((z, v), (shift, scale))| *z = (v - shift) / scale);
        })
    }

    fn source_columns(&self) -> Option<Vec<usize>> {
        Some((0..self.mean.len()).collect())
    }

    fn schema_out(&self, input: &Schema) -> Schema {
        same_names(input, self.mean.len())
    }

    fn affine_units(&self) -> Option<Vec<(f64, f64)>> {
        Some(self.shift.iter().copied().zip(self.scale.iter().copied()).collect())
    }

    fn inverse(&self, z: MatRef<'_, f64>) -> Result<Option<Mat<f64>>> {
        expect_width(z, self.mean.len())?;
        Ok(Some(Mat::from_fn(z.rows(), z.cols(), |i, j| z.at(i, j) * self.scale[j] + self.shift[j])))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn fit(x: &[f64], cols: usize, weight: Option<&[f64]>) -> StandardizeModel {
        let data = DatasetRef::new(Features::F64(MatRef::row_major(x, x.len() / cols, cols))).with_weight(weight);
        StandardScaler::default().fit_with(&data, &Context::default()).unwrap()
    }

    #[test]
    fn a_small_spread_about_a_large_mean() {
        let mut stream = RngStream::new(1, "test", 0);
        let x: Vec<f64> = (0..50_000).map(|_| 1e9 + 1e-3 * stream.normal()).collect();
        let model = fit(&x, 1, None);
        // Two passes over shifted values, which are exact differences.
        let shifted: Vec<f64> = x.iter().map(|v| v - 1e9).collect();
        let mean = shifted.iter().sum::<f64>() / 5e4;
        let var = shifted.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / 5e4;
        assert!((model.var()[0] / var - 1.0).abs() < 1e-9, "{} {var}", model.var()[0]);
        assert!((model.scale()[0] / var.sqrt() - 1.0).abs() < 1e-9);
        assert!((model.mean()[0] - (1e9 + mean)).abs() <= 1.2e-7);
    }

    #[test]
    fn constants_are_only_centered_and_missing_cells_stay() {
        let model = fit(&[0.1, 1.0, 0.1, f64::NAN, 0.1, 3.0], 2, None);
        assert_eq!(model.scale(), [1.0, 1.0]);
        let x = [0.1, f64::NAN];
        let z = model.transform(&Features::F64(MatRef::row_major(&x, 1, 2))).unwrap();
        assert!(z[(0, 0)] == 0.0 && z[(0, 1)].is_nan());
        let empty = fit(&[f64::NAN, f64::NAN], 1, None);
        assert_eq!((empty.scale()[0], empty.seen()[0]), (1.0, 0.0));
    }

    #[test]
    fn infinity_is_refused_by_name() {
        let x = [1.0, f64::NAN, f64::INFINITY, 1.0];
        let schema = Schema::numbers(["a", "b"]);
        let data = DatasetRef::new(Features::F64(MatRef::row_major(&x, 2, 2))).with_schema(Some(&schema));
        let e = StandardScaler::default().fit_with(&data, &Context::default()).unwrap_err().to_string();
        assert_eq!(e, "column \"a\", row 1: infinity is not a finite number");
        let x = [1e300, -1e300];
        let data = DatasetRef::new(Features::F64(MatRef::row_major(&x, 2, 1)));
        assert!(StandardScaler::default().fit_with(&data, &Context::default()).unwrap_err().to_string().contains("overflows"));
    }

    #[test]
    fn sparse_and_f32_rows_are_dense_rows() {
        let csr = Csr::new(vec![0, 1, 2, 2], vec![1, 0], vec![4.0, 2.0], 2).unwrap();
        let dense = csr.view().to_dense();
        let single: Vec<f32> = dense.as_slice().iter().map(|&v| v as f32).collect();
        let fit = |x: Features<'_>| StandardScaler::default().fit_with(&DatasetRef::new(x), &Context::default()).unwrap();
        let want = fit(Features::F64(dense.view()));
        for x in [Features::Csr(csr.view()), Features::F32(MatRef::row_major(&single, 3, 2))] {
            let got = fit(x);
            for j in 0..2 {
                assert!((got.mean()[j] - want.mean()[j]).abs() < 1e-15 && (got.scale()[j] - want.scale()[j]).abs() < 1e-15);
            }
            assert_eq!(got.transform(&x).unwrap().rows(), 3);
        }
    }

    proptest! {
        #[test]
        fn columns_come_out_standard_and_the_way_back_is_near(
            x in prop::collection::vec(-1e3f64..1e3, 6..60),
            shift in -1e6f64..1e6,
        ) {
            let x: Vec<f64> = x.iter().map(|v| v + shift).take(x.len() / 2 * 2).collect();
            let view = Features::F64(MatRef::row_major(&x, x.len() / 2, 2));
            let model = fit(&x, 2, None);
            let z = model.transform(&view).unwrap();
            for j in 0..2 {
                let column: Vec<f64> = z.view().col_iter(j).collect();
                let n = column.len() as f64;
                let mean = column.iter().sum::<f64>() / n;
                prop_assert!(mean.abs() < 1e-6);
                if model.scale()[j] != 1.0 {
                    let var = column.iter().map(|v| v * v).sum::<f64>() / n;
                    prop_assert!((var - 1.0).abs() < 1e-6);
                }
            }
            let back = model.inverse(z.view()).unwrap().unwrap();
            for (a, b) in back.as_slice().iter().zip(&x) {
                prop_assert!((a - b).abs() <= 1e-12 * (1.0 + b.abs()) * 1e3);
            }
        }

        #[test]
        fn training_can_go_on(x in prop::collection::vec(-1e3f64..1e3, 4..40), cut in 1usize..3) {
            let whole = fit(&x, 1, None);
            let parts = fit(&x[..cut], 1, None).merged(&fit(&x[cut..], 1, None)).unwrap();
            prop_assert!((whole.mean()[0] - parts.mean()[0]).abs() < 1e-10);
            prop_assert!((whole.var()[0] - parts.var()[0]).abs() <= 1e-10 * (1.0 + whole.var()[0]));
            prop_assert_eq!(whole.seen(), parts.seen());
        }
    }

    #[test]
    fn a_model_that_was_read_is_the_same() {
        let model = fit(&[1.0, 2.0, 4.0, 2.0], 2, Some(&[1.0, 2.5]));
        let mut out = ModelWriter::default();
        model.save(&mut out).unwrap();
        assert_eq!(StandardScaler::load(&out.clone().into_reader()).unwrap(), model);
        out.vec("scale", &[0.0, 1.0]);
        assert!(StandardScaler::load(&out.into_reader()).is_err());
    }
}
