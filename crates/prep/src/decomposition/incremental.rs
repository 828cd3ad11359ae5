//! Incremental principal components.

use ermine_core::*;
#[cfg(feature = "fit")]
use ermine_math::linalg::svd;
use serde::{Deserialize, Serialize};

use super::PcaModel;
#[cfg(feature = "fit")]
use super::pca::{enough, flip_signs};

/// Principal components, batch by batch, in memory that does not grow with the rows or the square of the columns.
///
/// # What it minimizes
/// [`super::Pca`] as well as the kept components allow: a batch is added by the SVD of (kept components ×
/// their singular values; centered rows; a row for the shift of the mean), truncated to `n_components`. With all
/// components kept the result is that of [`super::Pca`]; with fewer, what a batch loses is lost.
///
/// # When to use it
/// Where rows arrive over time, or where columns are too many for their covariance and components too many for passes.
/// Otherwise [`super::Pca`] takes streams as well, and is exact.
///
/// # Example
/// ```
/// use ermine_core::{Context, DatasetRef, Features, Learner, MatRef, Transformer};
/// use ermine_prep::decomposition::IncrementalPca;
///
/// let learner = IncrementalPca { n_components: Some(1), ..IncrementalPca::default() };
/// let partial_fit = IncrementalPca::PARTIAL_FIT.unwrap();
/// let (first, second) = ([1.0, 2.0, 2.0, 4.0], [3.0, 6.0, 4.0, 8.0]);
/// let rows = |x| DatasetRef::new(Features::F64(MatRef::row_major(x, 2, 2)));
/// let model = partial_fit(&learner, None, &rows(&first), &Context::default())?;
/// let model = partial_fit(&learner, Some(&model), &rows(&second), &Context::default())?;
/// assert!((model.components().explained_variance_ratio()[0] - 1.0).abs() < 1e-12);
/// # Ok::<(), ermine_core::Error>(())
/// ```
///
/// # Parameters
/// Described in [`Learner::SPEC`].
///
/// # Cost
/// Singular values of a batch and the components together.
///
/// # Reference
/// Ross, Lim, Lin, Yang, Incremental learning for robust visual tracking, International Journal of Computer Vision 77
/// (2008); Levy and Lindenbaum, IEEE Transactions on Image Processing 9 (2000).
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[doc(alias = "IncrementalPCA")]
pub struct IncrementalPca {
    /// Number of components; by default as many as the first batch has rows or columns.
    pub n_components: Option<usize>,
    /// Whether to scale every component to variance 1.
    pub whiten: bool,
    /// Rows of a batch; five times the columns by default.
    pub batch_size: Option<usize>,
}

impl IncrementalPca {
    /// Its name in the catalogue and in model files.
    pub(crate) const NAME: &'static str = "incremental-pca";
}

#[cfg(feature = "fit")]
impl Learner for IncrementalPca {
    type Model = IncrementalPcaModel;

    const SPEC: Spec = Spec {
        name: Self::NAME,
        summary: "Principal components of rows that arrive in batches",
        objective: "min over orthonormal V of sum_i ||x_i - mean - V' V (x_i - mean)||^2, as far as the components kept of earlier \
                    batches tell",
        notes: "Where rows arrive over time (partial_fit), or columns are too many for their covariance; otherwise pca takes streams as \
                well and is exact. Holds the components and one batch. The answer depends on the order of the rows unless all \
                components are kept.",
        reference: "Ross, Lim, Lin, Yang: Incremental learning for robust visual tracking, IJCV 77 (2008)",
        family: Family::Reduction,
        tasks: &[Task::Reduction],
        accepts: Accepts { weights: true, missing: false, categorical: false, sparse: true, passes: true, multi_target: true },
        params: &[
            ParamSpec {
                name: "n_components",
                doc: "How many components to keep; null for as many as the first batch has rows or columns.",
                range: Range::Optional(&Range::int_from(1)),
            },
            ParamSpec {
                name: "whiten",
                doc: "Whether transformed columns are divided by their standard deviation, so that each has variance 1.",
                range: Range::Bool,
            },
            ParamSpec {
                name: "batch_size",
                doc: "Rows that are taken in together; null for five times the columns.",
                range: Range::Optional(&Range::int_from(1)),
            },
        ],
    };
    const STREAM: Option<StreamFit<Self>> = Some(fit_source);
    const PARTIAL_FIT: Option<FitFrom<Self>> = Some(resume);
    const ROW_ORDER_MATTERS: bool = true;

    fn fit_rows(&self, data: &DatasetRef<'_>, cx: &Context<'_>) -> Result<IncrementalPcaModel> {
        self.check()?;
        data.check(&Self::SPEC)?;
        fit_source(self, data, cx)
    }

    fn load(input: &ModelReader) -> Result<IncrementalPcaModel> {
        IncrementalPcaModel::load(input)
    }
}

impl IncrementalPcaModel {
    pub(crate) fn load(input: &ModelReader) -> Result<Self> {
        let inner = PcaModel::load(input)?;
        let variance: Vec<f64> = input.vec_of("var", inner.n_features())?;
        if !variance.iter().all(|v| v.is_finite() && *v >= 0.0) {
            return Err(Error::Model("incremental-pca: its variances are no variances".into()));
        }
        Ok(IncrementalPcaModel { inner, variance })
    }
}

/// Rows as f64 with their weights, until there are enough for a batch.
struct PcaBatch {
    cols: usize,
    rows: Vec<f64>,
    weight: Vec<f64>,
}

impl PcaBatch {
    fn append_rows(&mut self, rows: &DatasetRef<'_>) -> Result<()> {
        const STEP: usize = 1024;
        let (mut scratch, mut row) = (Vec::new(), vec![0.0; self.cols]);
        for first in (0..rows.rows()).step_by(STEP) {
            let piece = rows.row_range(first..(first + STEP).min(rows.rows()));
            let x = piece.x.f64_rows(&mut scratch, IncrementalPca::NAME)?;
            for i in (0..piece.rows()).filter(|&i| piece.weight_of(i) > 0.0) {
                x.copy_row(i, &mut row);
                self.rows.extend_from_slice(&row);
                self.weight.push(piece.weight_of(i));
            }
        }
        Ok(())
    }

    /// The first rows, taken out.
    fn split(&mut self, count: usize) -> Self {
        let (rows, weight) = (self.rows.split_off(count * self.cols), self.weight.split_off(count));
        std::mem::replace(self, Self { cols: self.cols, rows, weight })
    }
}

#[cfg(feature = "fit")]
fn fit_source(learner: &IncrementalPca, source: &dyn RowSource, cx: &Context<'_>) -> Result<IncrementalPcaModel> {
    learner.check()?;
    let mut model: Option<IncrementalPcaModel> = None;
    let mut pending: Option<PcaBatch> = None;
    let (mut batches, mut first) = (0, 0);
    source.scan(&mut |rows| {
        if rows.rows() == 0 {
            return Ok(Flow::Continue);
        }
        rows.check_block(&IncrementalPca::SPEC)?;
        rows.x.refuse_non_finite(rows.schema).map_err(|e| e.with_row(|row| row + first))?;
        let cols = rows.cols();
        let size = learner.batch_size.unwrap_or(5 * cols);
        let step = size.max(1024);
        let batch = pending.get_or_insert_with(|| PcaBatch { cols, rows: Vec::new(), weight: Vec::new() });
        // The last rows join the batch before them when they are fewer than the components.
        let enough = size + learner.n_components.unwrap_or(0);
        for from in (0..rows.rows()).step_by(step) {
            batch.append_rows(&rows.row_range(from..(from + step).min(rows.rows())))?;
            while batch.weight.len() >= enough {
                cx.check(Progress { stage: "batches", done: batches, total: None, objective: None })?;
                batches += 1;
                model = Some(learner.update(model.as_ref(), batch.split(size))?);
            }
        }
        first += rows.rows();
        Ok(Flow::Continue)
    })?;
    cx.check(Progress { stage: "batches", done: batches, total: None, objective: None })?;
    match (pending, model) {
        (Some(rest), model) if !rest.weight.is_empty() => learner.update(model.as_ref(), rest),
        (_, Some(model)) => Ok(model),
        _ => Err(Error::Data("there are 0 rows of positive weight, and incremental-pca needs at least 2".into())),
    }
}

/// All rows as one batch.
#[cfg(feature = "fit")]
fn resume(
    learner: &IncrementalPca,
    start: Option<&IncrementalPcaModel>,
    data: &DatasetRef<'_>,
    cx: &Context<'_>,
) -> Result<IncrementalPcaModel> {
    learner.check()?;
    data.check(&IncrementalPca::SPEC)?;
    data.x.refuse_non_finite(data.schema)?;
    if let Some(model) = start {
        data.x.expect_cols(model.n_features())?;
    }
    cx.check(Progress { stage: "batches", done: 0, total: Some(1), objective: None })?;
    let mut batch = PcaBatch { cols: data.cols(), rows: Vec::new(), weight: Vec::new() };
    batch.append_rows(data)?;
    learner.update(start, batch)
}

impl IncrementalPca {
    /// Updates the components with a batch.
    #[cfg(feature = "fit")]
    fn update(&self, start: Option<&IncrementalPcaModel>, batch: PcaBatch) -> Result<IncrementalPcaModel> {
        let PcaBatch { cols, rows: mut x, weight } = batch;
        let (rows, added) = (weight.len(), weight.iter().sum::<f64>());
        let kept = self.kept(start, rows, cols)?;
        // Twice, since the first mean is rounded to the size of the values, the second to that of their deviations.
        let (mut mean, mut spread) = (vec![0.0; cols], vec![0.0; cols]);
        for _ in 0..2 {
            let mut shift = vec![0.0; cols];
            for (row, w) in x.chunks_exact(cols).zip(&weight) {
                shift.iter_mut().zip(row).for_each(|(s, v)| *s += w / added * v);
            }
            x.chunks_exact_mut(cols).for_each(|row| row.iter_mut().zip(&shift).for_each(|(v, s)| *v -= s));
            mean.iter_mut().zip(&shift).for_each(|(m, s)| *m += s);
        }
        for (row, w) in x.chunks_exact_mut(cols).zip(&weight) {
            let root = w.sqrt();
            row.iter_mut().zip(&mut spread).for_each(|(v, s)| {
                *s += w * *v * *v;
                *v *= root;
            });
        }
        let mut total = added;
        if let Some(model) = start {
            let (inner, seen) = (&model.inner, model.inner.n_samples());
            total += seen;
            for k in 0..inner.components().rows() {
                x.extend(inner.components().row(k).iter().map(|v| v * inner.singular_values()[k]));
            }
            let pull = (seen / total * added).sqrt();
            x.extend(inner.mean().iter().zip(&mean).map(|(old, new)| pull * (old - new)));
            for j in 0..cols {
                let off = mean[j] - inner.mean()[j];
                spread[j] += seen * model.variance[j] + seen * added / total * off * off;
                mean[j] = inner.mean()[j] + off * added / total;
            }
        }
        enough(total)?;
        if !x.iter().chain(&spread).all(|v| v.is_finite()) {
            return Err(Error::Numeric("the columns overflow; scale them down".into()));
        }
        let stacked = Mat::from_vec(x.len() / cols, cols, x);
        let parts = svd(stacked.view())?;
        let all: Vec<f64> = parts.values.iter().map(|s| s * s / (total - 1.0)).collect();
        let mut vectors = parts.vt.view().row_range(0..kept.min(parts.vt.rows())).to_owned();
        flip_signs(&mut vectors);
        let kept = vectors.rows();
        let noise = match all.len() - kept {
            left if left > 0 && kept != rows && kept != cols => all[kept..].iter().sum::<f64>() / left as f64,
            _ => 0.0,
        };
        let whole = spread.iter().sum::<f64>();
        let ratio = parts.values[..kept].iter().map(|s| if whole > 0.0 { s * s / whole } else { 0.0 }).collect();
        let certificate = Certificate {
            method: "singular values by batches".into(),
            objective: Some((whole / (total - 1.0) - all[..kept].iter().sum::<f64>()).max(0.0)),
            iterations: start.map_or(0, |m| m.inner.certificate().map_or(0, |c| c.iterations)) + 1,
            converged: true,
            ..Certificate::default()
        };
        let (variances, singular) = (all[..kept].to_vec(), parts.values[..kept].to_vec());
        let inner = PcaModel::new(vectors, variances, ratio, singular, mean, total, noise, self.whiten, certificate);
        Ok(IncrementalPcaModel { inner, variance: spread.iter().map(|s| s / total).collect() })
    }

    #[cfg(feature = "fit")]
    fn kept(&self, start: Option<&IncrementalPcaModel>, rows: usize, cols: usize) -> Result<usize> {
        let refuse = |expected: String| {
            let value = self.n_components.map_or_else(|| "null".into(), |n| n.to_string());
            Err(Error::parameter(Self::SPEC.name, "n_components", value, expected))
        };
        match (self.n_components, start) {
            (None, None) => Ok(rows.min(cols)),
            (None, Some(model)) => Ok(model.inner.components().rows()),
            (Some(n), _) if n > cols => refuse(format!("n_components={n} invalid for n_features={cols}")),
            (Some(n), None) if n > rows => refuse(format!(
                "n_components={n} must be less or equal to the batch number of samples {rows} for the first batch"
            )),
            (Some(n), Some(model)) if n != model.inner.components().rows() => {
                refuse(format!("the model to continue from has {} components", model.inner.components().rows()))
            }
            (Some(n), _) => Ok(n),
        }
    }
}

/// Fitted [`IncrementalPca`].
///
/// Saved arrays: those of [`PcaModel`], and `var` (columns), the variances of the columns.
#[derive(Debug, Clone, PartialEq)]
pub struct IncrementalPcaModel {
    inner: PcaModel,
    variance: Vec<f64>,
}

impl IncrementalPcaModel {
    /// The components.
    pub fn components(&self) -> &PcaModel {
        &self.inner
    }

    /// The variance of each column, with divisor n.
    pub fn variance(&self) -> &[f64] {
        &self.variance
    }
}

ermine_core::display_as_report!(IncrementalPcaModel);

impl Model for IncrementalPcaModel {
    fn n_features(&self) -> usize {
        self.inner.n_features()
    }
    fn as_transformer(&self) -> Option<&dyn Transformer> {
        Some(self)
    }
    fn as_density(&self) -> Option<&dyn Density> {
        Some(self)
    }
    fn certificate(&self) -> Option<&Certificate> {
        self.inner.certificate()
    }
    fn report(&self, schema: &Schema) -> Report {
        self.inner.report(schema)
    }
    fn save(&self, out: &mut ModelWriter) -> Result<()> {
        self.inner.save(out)?;
        out.vec("var", &self.variance);
        Ok(())
    }
}

impl Transformer for IncrementalPcaModel {
    fn transform(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        self.inner.transform(x)
    }
    fn schema_out(&self, input: &Schema) -> Schema {
        self.inner.schema_out(input)
    }
    fn inverse(&self, z: MatRef<'_, f64>) -> Result<Option<Mat<f64>>> {
        self.inner.inverse(z)
    }
}

impl Density for IncrementalPcaModel {
    fn log_density(&self, x: &Features<'_>) -> Result<Vec<f64>> {
        self.inner.log_density(x)
    }
    fn n_parameters(&self) -> usize {
        self.inner.n_parameters()
    }
    fn sample(&self, rows: usize, seed: u64) -> Result<Option<Mat<f64>>> {
        self.inner.sample(rows, seed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decomposition::{ComponentCount, Pca};

    fn random(rows: usize, cols: usize, seed: u64) -> Mat<f64> {
        let mut s = RngStream::new(seed, "test", 0);
        Mat::from_fn(rows, cols, |i, j| 5.0 + (1.0 + j as f64) * s.normal() + (i % 7) as f64)
    }

    fn data(x: &Mat<f64>) -> DatasetRef<'_> {
        DatasetRef::new(Features::F64(x.view()))
    }

    #[test]
    fn with_all_components_it_is_pca_whatever_the_batches() {
        let x = random(300, 6, 1);
        let pca = Pca::default().fit_with(&data(&x), &Context::default()).unwrap();
        for batch_size in [Some(7), Some(50), Some(1000), None] {
            let model =
                IncrementalPca { batch_size, ..IncrementalPca::default() }.fit_with(&data(&x), &Context::default()).unwrap();
            let components = model.components();
            assert_eq!(components.components().rows(), 6);
            for k in 0..6 {
                let (a, b) = (components.explained_variance()[k], pca.explained_variance()[k]);
                assert!((a / b - 1.0).abs() < 1e-10, "{batch_size:?}");
                let (a, b) = (components.explained_variance_ratio()[k], pca.explained_variance_ratio()[k]);
                assert!((a / b - 1.0).abs() < 1e-10, "{batch_size:?}");
                assert!(components.components().row(k).iter().zip(pca.components().row(k)).all(|(a, b)| (a - b).abs() < 1e-9));
            }
            assert!(components.mean().iter().zip(pca.mean()).all(|(a, b)| (a - b).abs() < 1e-12 * b.abs()));
            let variance = |j: usize| x.view().col_iter(j).map(|v| (v - pca.mean()[j]).powi(2)).sum::<f64>() / 300.0;
            assert!((0..6).all(|j| (model.variance()[j] / variance(j) - 1.0).abs() < 1e-12));
        }
    }

    #[test]
    fn few_components_come_near_and_parts_are_the_whole() {
        // Three directions dominate, so that what batches lose of the others hardly matters.
        let mut s = RngStream::new(2, "factors", 0);
        let loadings = Mat::from_fn(3, 8, |k, _| (6.0 - 2.0 * k as f64) * s.normal());
        let x = Mat::from_fn(2000, 3, |_, _| s.normal());
        let x = ermine_math::linalg::product(x.view(), loadings.view());
        let x = Mat::from_fn(2000, 8, |i, j| x[(i, j)] + 0.5 * s.normal() + 5.0);
        let learner = IncrementalPca { n_components: Some(3), batch_size: Some(100), whiten: true };
        let whole = learner.fit_with(&data(&x), &Context::default()).unwrap();
        let pca = Pca { n_components: Some(ComponentCount::Count(3)), ..Pca::default() }
            .fit_with(&data(&x), &Context::default())
            .unwrap();
        for k in 0..3 {
            let along: f64 = whole.components().components().row(k).iter().zip(pca.components().row(k)).map(|(a, b)| a * b).sum();
            assert!(along > 0.999, "component {k}: {along}");
        }
        let mut model = None;
        for first in (0..2000).step_by(100) {
            let part = x.view().row_range(first..first + 100).to_owned();
            model = Some(resume(&learner, model.as_ref(), &data(&part), &Context::default()).unwrap());
        }
        assert_eq!(model.unwrap(), whole);
        let z = whole.transform(&Features::F64(x.view())).unwrap();
        let back = whole.inverse(z.view()).unwrap().unwrap();
        assert_eq!((back.rows(), back.cols()), (2000, 8));
        let e = resume(&learner, None, &data(&x.view().row_range(0..2).to_owned()), &Context::default()).unwrap_err();
        assert!(e.to_string().contains("n_components=3"), "{e}");
    }

    #[test]
    fn weights_count_rows() {
        let x = random(40, 3, 3);
        let weight: Vec<f64> = (0..40).map(|i| (i % 3) as f64).collect();
        let rows: Vec<usize> = (0..40).flat_map(|i| vec![i; i % 3]).collect();
        let twice = x.view().take_rows(&rows);
        let learner = IncrementalPca { n_components: Some(2), batch_size: Some(1000), whiten: false };
        let a = learner.fit_with(&data(&x).with_weight(Some(&weight)), &Context::default()).unwrap();
        let b = learner.fit_with(&data(&twice), &Context::default()).unwrap();
        for k in 0..2 {
            let (a, b) = (a.components().explained_variance()[k], b.components().explained_variance()[k]);
            assert!((a / b - 1.0).abs() < 1e-12);
        }
    }
}
