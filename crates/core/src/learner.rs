//! Learners and models: the typed layer a Rust user sees and the object-safe layer everything else is built on.

use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use crate::param_changes::{self, ParamChanges};
use crate::{
    AsDataset, Certificate, ColumnRef, Context, Csr, DatasetRef, Error, Features, FoldAssignment, FoldFit, FoldTotals, JointFit,
    LooPredictions, Mat, MatRef, ModelReader, ModelWriter, Report, Result, RowFunction, RowSource, Schema, Spec, TakeModel,
    Trace, TrainingView, ValueKind,
};

/// Training on a source of rows that may be larger than memory.
pub type StreamFit<L> = fn(&L, &dyn RowSource, &Context<'_>) -> Result<<L as Learner>::Model>;

/// Training on further rows from a model fitted earlier, or from the start when there is none yet.
pub type FitFrom<L> = fn(&L, Option<&<L as Learner>::Model>, &DatasetRef<'_>, &Context<'_>) -> Result<<L as Learner>::Model>;

/// A learner is a struct of hyper-parameters; fitting returns a model.
///
/// The serialized form is one flat object with a key for each parameter (`#[serde(default, deny_unknown_fields)]`), and
/// `SPEC.params` lists exactly these keys.
pub trait Learner: Clone + Default + Serialize + DeserializeOwned + Send + Sync + 'static {
    /// The fitted model.
    type Model: Model;

    /// Declaration of the learner: name, parameters, what data it takes.
    const SPEC: Spec;

    /// Training in passes over rows, for learners that can; [`crate::run_passes_source`] is the value for a
    /// [`crate::PassLearner`].
    const STREAM: Option<StreamFit<Self>> = None;

    /// Incremental learning: each call takes further steps from the model so far. The first call must name all classes
    /// in the target, since their rows may come later.
    const PARTIAL_FIT: Option<FitFrom<Self>> = None;

    /// Continuing from a model with fewer parts (trees, rounds) that the same learner fitted to the same rows: the
    /// result has the bytes of an uninterrupted fit. Checkpoints and scikit-learn's `warm_start` use it. Without a
    /// model it is an ordinary fit. More rows or other rows are allowed; existing parts are not changed.
    const WARM_START: Option<FitFrom<Self>> = None;

    /// Fits to all rows but a fold, from sums that are gathered once, for learners whose first pass does not depend on
    /// the rows. The model is that of an ordinary fit to the same rows up to rounding.
    const FOLD_SUMS: Option<FoldFit<Self>> = None;

    /// Leave-one-out predictions without refitting, for learners that have a closed form.
    const LOO_PREDICTIONS: Option<LooPredictions<Self>> = None;

    /// Joint fits of several settings to the same rows, for learners whose settings have work in common. Each model has
    /// the bytes of an ordinary fit.
    const JOINT_FIT: Option<JointFit<Self>> = None;

    /// Whether the model depends on the order of the rows, because the learner takes one step per row or draws rows by
    /// their number. Invariance to row order, repeated rows or shifted columns is then not expected.
    const ROW_ORDER_MATTERS: bool = false;

    /// Whether training starts from random weights drawn by the numbers of columns and outputs. Invariance to the order
    /// of columns or classes is then not expected.
    const RANDOM_INIT: bool = false;

    /// Whether `alpha` penalizes absolute values of the coefficients, which scale with the columns, rather than their
    /// squares. A learner with an `l1_ratio` declares it there.
    const L1_PENALTY: bool = false;

    /// The kind of the numbers in the columns. Preparation leaves counts unscaled; invariance to shift and scale is
    /// expected of quantities only.
    const VALUE_KIND: ValueKind = ValueKind::Quantities;

    /// The parameters that a search should vary and their ranges, in the syntax of the command line:
    /// `alpha=1e-4..1e4:log`, `n_neighbors=1..60`, `weights=uniform,distance`.
    const SEARCH_SPACE: &'static [&'static str] = &[];

    /// Refuses parameters outside the ranges that [`Learner::SPEC`] declares.
    fn check_ranges(&self) -> Result<()> {
        Self::SPEC.check_params(&to_params(self)?)
    }

    /// Refuses parameters that the learner cannot work with. A learner whose parameters depend on each other calls
    /// [`Learner::check_ranges`] first and then checks that.
    fn check(&self) -> Result<()> {
        self.check_ranges()
    }

    /// The error for a parameter value that the learner cannot work with; `expected` describes the accepted values.
    fn parameter_error(name: &str, value: impl std::fmt::Display, expected: impl Into<String>) -> Error {
        Error::parameter(Self::SPEC.name, name, value, expected)
    }

    /// Columns that mean something by their very values, such as an exposure: a preparation in front leaves them as they are.
    fn raw_columns(&self) -> Vec<ColumnRef> {
        Vec::new()
    }

    /// The transformer and the final learner, for a learner that is a pipeline of the two. Settings with the same
    /// transformer can share its output.
    fn as_pipeline(&self) -> Option<(Box<dyn AnyLearner>, Box<dyn AnyLearner>)> {
        None
    }

    /// Sets parameters of a learner nested in this one as `part`: `base.max_depth` is parameter `max_depth` of part
    /// `base`. An error for learners without nested ones.
    fn set_nested(&mut self, part: &str, params: &serde_json::Map<String, Value>) -> Result<()> {
        let first = params.keys().next().map_or("", |name| name.as_str());
        let known = Self::SPEC.params.iter().map(|p| p.name);
        Err(Error::unknown(format!("parameter of {}", Self::SPEC.name), &format!("{part}.{first}"), known))
    }

    /// Fits a model to borrowed rows: what a learner implements.
    fn fit_rows(&self, data: &DatasetRef<'_>, cx: &Context<'_>) -> Result<Self::Model>;

    /// Fits a model.
    fn fit(&self, data: &(impl AsDataset + ?Sized)) -> Result<Self::Model> {
        self.fit_with(data, &Context::default())
    }

    /// Fits a model with a seed, threads, progress, a deadline or validation rows.
    fn fit_with(&self, data: &(impl AsDataset + ?Sized), cx: &Context<'_>) -> Result<Self::Model> {
        let data = data.as_dataset()?;
        let rows = data.view();
        #[cfg(feature = "tracing")]
        let _span = tracing::info_span!("fit", learner = Self::SPEC.name, rows = rows.rows(), columns = rows.cols()).entered();
        cx.on_threads(|| self.fit_rows(&rows, cx))
    }

    /// Reads a model written by [`Model::save`], and checks everything that prediction relies on.
    fn load(input: &ModelReader) -> Result<Self::Model>;
}

fn to_params<L: Learner>(learner: &L) -> Result<Value> {
    serde_json::to_value(learner).map_err(|e| Error::Data(format!("parameters of {}: {e}", L::SPEC.name)))
}

/// A fitted model. A capability is an `Option`, never a method that fails.
pub trait Model: std::any::Any + Send + Sync {
    /// Number of columns the model was trained on.
    fn n_features(&self) -> usize;

    /// The model as a regressor, if it is one.
    fn as_regressor(&self) -> Option<&dyn Regressor> {
        None
    }
    /// The model as a classifier, if it is one.
    fn as_classifier(&self) -> Option<&dyn Classifier> {
        None
    }
    /// The model as a transformer, if it is one.
    fn as_transformer(&self) -> Option<&dyn Transformer> {
        None
    }
    /// The model as a clusterer, if it is one.
    fn as_clusterer(&self) -> Option<&dyn Clusterer> {
        None
    }
    /// The model as a density estimate, if it is one.
    fn as_density(&self) -> Option<&dyn Density> {
        None
    }
    /// The model with its attributions (what each column adds to a prediction), if it has them.
    fn as_attributor(&self) -> Option<&dyn Attributor> {
        None
    }
    /// The model as a sum of functions of one column each, if it is one.
    fn as_additive(&self) -> Option<&dyn AdditiveModel> {
        None
    }
    /// The model with its nearest training rows, if it predicts from them.
    fn as_neighbor_model(&self) -> Option<&dyn NeighborModel> {
        None
    }

    /// Evidence of how good the fit is, where there is any.
    fn certificate(&self) -> Option<&Certificate> {
        None
    }
    /// The convergence history of the fit, where it had steps.
    fn trace(&self) -> Option<&Trace> {
        None
    }
    /// Tables and curves for people. `schema` names the columns the model was trained on.
    fn report(&self, schema: &Schema) -> Report {
        let _ = schema;
        Report::default()
    }

    /// Writes everything prediction needs.
    fn save(&self, out: &mut ModelWriter) -> Result<()>;
}

/// Predicts numbers.
pub trait Regressor: Model {
    /// Number of target columns.
    fn n_targets(&self) -> usize {
        1
    }
    /// One row of predictions per row; one column per target.
    fn predict(&self, x: &Features<'_>) -> Result<Mat<f64>>;
    /// The unit deviance of one target value: twice the difference of the log-likelihoods of a perfect fit and the
    /// prediction, in units of the dispersion. The squared difference unless the model is of another family.
    fn unit_deviance(&self, target: f64, predicted: f64) -> f64 {
        (target - predicted) * (target - predicted)
    }
    /// [`Regressor::predict`] for one row of these columns at a time, for models that have a short way.
    fn by_row(&self, schema: &Schema) -> Option<Box<dyn RowFunction>> {
        let _ = schema;
        None
    }
}

/// Predicts classes: probability first, label derived.
pub trait Classifier: Model {
    /// The class names, sorted.
    fn classes(&self) -> &[String];
    /// Probabilities: one row per row, one column per class; rows sum to 1.
    fn proba(&self, x: &Features<'_>) -> Result<Mat<f64>>;
    /// Logarithms of the probabilities; overridden where they can be computed more accurately than by taking
    /// logarithms.
    fn log_proba(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        let mut p = self.proba(x)?;
        p.as_mut_slice().iter_mut().for_each(|v| *v = v.ln());
        Ok(p)
    }
    /// The scores behind the probabilities, for models that have them: one column for two classes, else one per class.
    fn decision(&self, x: &Features<'_>) -> Result<Option<Mat<f64>>> {
        let _ = x;
        Ok(None)
    }
    /// The most probable class of each row, as a code; ties go to the first.
    fn classify(&self, x: &Features<'_>) -> Result<Vec<u32>> {
        Ok(argmax_rows(self.proba(x)?.view()))
    }
    /// [`Classifier::proba`] and [`Classifier::classify`] of the same rows; overridden where one prediction gives both.
    fn proba_and_class(&self, x: &Features<'_>) -> Result<(Mat<f64>, Vec<u32>)> {
        Ok((self.proba(x)?, self.classify(x)?))
    }
    /// [`Classifier::proba`] for one row of these columns at a time, for models that have a short way.
    fn by_row(&self, schema: &Schema) -> Option<Box<dyn RowFunction>> {
        let _ = schema;
        None
    }
}

/// Probabilities with the most probable class of each row: [`Classifier::proba_and_class`] for classifiers without a
/// decision rule of their own.
pub fn with_argmax_class(proba: Mat<f64>) -> (Mat<f64>, Vec<u32>) {
    let classes = argmax_rows(proba.view());
    (proba, classes)
}

/// The column of the largest value of each row; ties go to the first.
pub fn argmax_rows(scores: MatRef<'_, f64>) -> Vec<u32> {
    (0..scores.rows())
        .map(|i| {
            let mut best = 0;
            for j in 1..scores.cols() {
                if *scores.at(i, j) > *scores.at(i, best) {
                    best = j;
                }
            }
            best as u32
        })
        .collect()
}

/// Maps columns to new columns.
pub trait Transformer: Model {
    /// The new columns.
    fn transform(&self, x: &Features<'_>) -> Result<Mat<f64>>;
    /// The new columns as sparse rows, for transformations whose result is mostly zeros.
    fn transform_sparse(&self, x: &Features<'_>) -> Result<Option<Csr>> {
        let _ = x;
        Ok(None)
    }
    /// Names and kinds of the new columns, from those the model was trained on.
    fn schema_out(&self, input: &Schema) -> Schema;
    /// The shift and the scale of each new column, for transformations that keep quantities as they are: the column is
    /// `(raw - shift) / scale` of an original column, or of a 0/1 column for a category.
    fn affine_units(&self) -> Option<Vec<(f64, f64)>> {
        None
    }
    /// For each new column the one column it is computed from, for transformations in which no new column combines
    /// several.
    fn source_columns(&self) -> Option<Vec<usize>> {
        None
    }
    /// The inverse transform, exact or approximate, for transformations that have one.
    fn inverse(&self, z: MatRef<'_, f64>) -> Result<Option<Mat<f64>>> {
        let _ = z;
        Ok(None)
    }
    /// [`Transformer::transform`] for one row of these columns at a time, for models that have a short way.
    fn by_row(&self, schema: &Schema) -> Option<Box<dyn RowFunction>> {
        let _ = schema;
        None
    }
}

/// The label of rows that belong to no cluster, for clusterers that leave some out.
pub const NOISE_LABEL: u32 = u32::MAX;

/// Assigns rows to clusters.
pub trait Clusterer: Model {
    /// Number of clusters, [`NOISE_LABEL`] not counted.
    fn n_clusters(&self) -> usize;
    /// The cluster of each row, or [`NOISE_LABEL`].
    fn assign(&self, x: &Features<'_>) -> Result<Vec<u32>>;
    /// The space in which the clusterer measures distances, where it is not that of `x`.
    fn metric_space(&self, x: &Features<'_>) -> Result<Option<Mat<f64>>> {
        let _ = x;
        Ok(None)
    }
    /// The probabilities of the clusters, one column per cluster, for clusterers that have them; rows sum to 1.
    fn posterior(&self, x: &Features<'_>) -> Result<Option<Mat<f64>>> {
        let _ = x;
        Ok(None)
    }
    /// The cluster of each training row, as long as it is known: right after a fit in memory, not after loading.
    fn labels(&self) -> Option<&[u32]> {
        None
    }
}

/// Estimates a density.
pub trait Density: Model {
    /// The logarithm of the density at each row.
    fn log_density(&self, x: &Features<'_>) -> Result<Vec<f64>>;
    /// Number of free parameters, for information criteria.
    fn n_parameters(&self) -> usize;
    /// Rows sampled from the density, for models that can; the same seed gives the same rows.
    fn sample(&self, rows: usize, seed: u64) -> Result<Option<Mat<f64>>> {
        let _ = (rows, seed);
        Ok(None)
    }
}

/// Attributions: how much each column adds to a prediction.
pub trait Attributor: Model {
    /// The quantity that the attributions sum to: "probability", "log odds", "prediction".
    fn output_name(&self) -> &'static str;
    /// Outputs explained per row: 1, or one per class or target.
    fn n_outputs(&self) -> usize;
    /// Approximate operations per row of [`Self::attributions`], to choose how many rows to explain.
    fn attribution_cost(&self) -> f64;
    /// The expected value of each output without any features.
    fn base_values(&self) -> Vec<f64>;
    /// One row per row. For each output: the attribution of each column, then the expected value; together they sum to
    /// the model's output.
    fn attributions(&self, x: &Features<'_>) -> Result<Mat<f64>>;
}

/// A prediction that is a sum of functions of one column each.
pub trait AdditiveModel: Model {
    /// The quantity that the parts sum to, up to a constant: "log odds", "score", "prediction".
    fn output_name(&self) -> &'static str;
    /// Outputs per row: 1, or one per class or target.
    fn n_outputs(&self) -> usize;
    /// One row per row: for each output the part of each column.
    fn parts(&self, x: &Features<'_>) -> Result<Mat<f64>>;
}

/// Predictions from the nearest training rows.
pub trait NeighborModel: Model {
    /// Number of training rows.
    fn n_examples(&self) -> usize;
    /// For each row its `k` nearest training rows (fewer if there are not as many), nearest first: row numbers from 0
    /// and distances.
    fn nearest_examples(&self, x: &Features<'_>, k: usize) -> Result<Vec<Vec<(usize, f64)>>>;
    /// Training rows, in the space in which distances are measured.
    fn training_rows(&self, rows: &[usize]) -> Result<Mat<f64>>;
    /// The target of a training row: the name of its class, or its numbers.
    fn example_target(&self, row: usize) -> Vec<crate::Cell>;
}

/// Reads the model of a learner from a file and checks everything that prediction relies on.
pub type LoadModel = fn(&ModelReader) -> Result<Box<dyn Model>>;

/// A slice of learners' names, each with what loads its models: `saved_models!["ridge" => RidgeModel::load]`.
#[macro_export]
macro_rules! saved_models {
    ($($name:literal => $load:expr),* $(,)?) => {
        &[$(($name, |file| Ok(Box::new($load(file)?)))),*]
    };
}

/// Makes a learner with default parameters: an entry of a catalogue.
pub type MakeLearner = fn() -> Box<dyn AnyLearner>;

/// The object-safe interface of every [`Learner`]: what the catalogue, the command line, Python and pipelines use.
///
/// Methods that exist on both layers have other names here, so that having both traits in scope is never ambiguous.
pub trait AnyLearner: std::any::Any + Send + Sync {
    /// [`Learner::SPEC`].
    fn spec(&self) -> &'static Spec;
    /// The parameters as an object.
    fn params(&self) -> Value;
    /// Sets one parameter, or with a dot one of a nested learner (`base.max_depth`). A wrong name, type or value is an
    /// error, and the learner stays as it was.
    fn set(&mut self, name: &str, value: Value) -> Result<()>;
    /// Sets several parameters at once, checked together; those of nested learners after this one's own.
    fn set_all(&mut self, params: &serde_json::Map<String, Value>) -> Result<()>;
    /// [`Learner::check`].
    fn check_any(&self) -> Result<()>;
    /// [`Learner::raw_columns`].
    fn raw_columns_any(&self) -> Vec<ColumnRef> {
        Vec::new()
    }
    /// [`Learner::as_pipeline`].
    fn as_pipeline_any(&self) -> Option<(Box<dyn AnyLearner>, Box<dyn AnyLearner>)> {
        None
    }
    /// [`Learner::fit`].
    fn fit_any(&self, data: &DatasetRef<'_>, cx: &Context<'_>) -> Result<Box<dyn Model>>;
    /// [`Learner::STREAM`], or an error if the learner has none; ask `spec().accepts.passes` first.
    fn fit_source(&self, source: &dyn RowSource, cx: &Context<'_>) -> Result<Box<dyn Model>>;
    /// [`Learner::PARTIAL_FIT`], or an error if the learner has none.
    fn partial_fit_any(&self, model: Option<&dyn Model>, data: &DatasetRef<'_>, cx: &Context<'_>) -> Result<Box<dyn Model>> {
        let _ = (model, data, cx);
        Err(no_partial_fit(self.spec()))
    }
    /// [`Learner::WARM_START`], or an error if the learner has none.
    fn warm_start_any(&self, model: Option<&dyn Model>, data: &DatasetRef<'_>, cx: &Context<'_>) -> Result<Box<dyn Model>> {
        let _ = (model, data, cx);
        Err(no_warm_start(self.spec()))
    }
    /// The key of the sums of these folds, where there are [`Learner::FOLD_SUMS`]: equal keys, equal sums.
    fn fold_sums_key(&self, data: &DatasetRef<'_>, cut: &FoldAssignment<'_>) -> Option<String> {
        let _ = (data, cut);
        None
    }
    /// Gathers [`Learner::FOLD_SUMS`], or an error if the learner has none.
    fn fold_sums_any(&self, data: &DatasetRef<'_>, cut: &FoldAssignment<'_>, cx: &Context<'_>) -> Result<FoldTotals> {
        let _ = (data, cut, cx);
        Err(no_fold_sums(self.spec()))
    }
    /// The model of all rows but those of a fold, from sums with the same key; none where the rows must be read.
    fn fit_from_fold_sums(
        &self,
        totals: &FoldTotals,
        without: &TrainingView<'_>,
        cx: &Context<'_>,
    ) -> Result<Option<Box<dyn Model>>> {
        let _ = (totals, without, cx);
        Ok(None)
    }
    /// [`Learner::LOO_PREDICTIONS`]; none where there is no closed form.
    fn loo_predictions_any(&self, data: &DatasetRef<'_>, cx: &Context<'_>) -> Result<Option<Mat<f64>>> {
        let _ = (data, cx);
        Ok(None)
    }
    /// The key of settings that are worth a [`Learner::JOINT_FIT`]: equal keys, one fit. None for a setting that is
    /// fitted alone.
    fn joint_key(&self) -> Option<String> {
        None
    }
    /// [`Learner::JOINT_FIT`] of settings with this one's key, or an error if the learner has none.
    fn fit_joint(
        &self,
        settings: &[&dyn AnyLearner],
        data: &DatasetRef<'_>,
        cx: &Context<'_>,
        take: TakeModel<'_, Box<dyn Model>>,
    ) -> Result<()> {
        let _ = (settings, data, cx, take);
        Err(fits_alone(self.spec()))
    }
    /// Whether there is a [`Learner::WARM_START`].
    fn has_warm_start(&self) -> bool {
        false
    }
    /// [`Learner::L1_PENALTY`].
    fn has_l1_penalty(&self) -> bool {
        false
    }

    /// [`Learner::ROW_ORDER_MATTERS`].
    fn row_order_matters(&self) -> bool {
        false
    }
    /// [`Learner::VALUE_KIND`].
    fn value_kind(&self) -> ValueKind {
        ValueKind::Quantities
    }

    /// [`Learner::SEARCH_SPACE`].
    fn search_space(&self) -> &'static [&'static str] {
        &[]
    }

    /// [`Learner::RANDOM_INIT`].
    fn has_random_init(&self) -> bool {
        false
    }
    /// [`Learner::load`].
    fn load_any(&self, input: &ModelReader) -> Result<Box<dyn Model>>;
    /// A copy.
    fn boxed(&self) -> Box<dyn AnyLearner>;
}

fn no_partial_fit(spec: &Spec) -> Error {
    Error::Data(format!("{} has no incremental fit; fit it on all rows", spec.name))
}

fn no_warm_start(spec: &Spec) -> Error {
    Error::Data(format!("{} has no warm start; fit it from the start", spec.name))
}

fn fits_alone(spec: &Spec) -> Error {
    Error::Data(format!("settings of {} have no joint fit; fit each alone", spec.name))
}

fn no_fold_sums(spec: &Spec) -> Error {
    Error::Data(format!("{} does not fit from sums; fit it on rows", spec.name))
}

/// The model as the type that learner `L` fits.
fn downcast_model<L: Learner>(model: Option<&dyn Model>) -> Result<Option<&L::Model>> {
    match model {
        None => Ok(None),
        Some(model) => match (model as &dyn std::any::Any).downcast_ref::<L::Model>() {
            None => Err(Error::Data(format!("the model to continue from is not one of {}", L::SPEC.name))),
            known => Ok(known),
        },
    }
}

impl<L: Learner> AnyLearner for L {
    fn spec(&self) -> &'static Spec {
        const { &L::SPEC }
    }

    fn params(&self) -> Value {
        to_params(self).unwrap_or(Value::Null)
    }

    fn set(&mut self, name: &str, value: Value) -> Result<()> {
        let mut one = serde_json::Map::new();
        one.insert(name.to_owned(), value);
        self.set_all(&one)
    }

    fn set_all(&mut self, params: &serde_json::Map<String, Value>) -> Result<()> {
        let changes = ParamChanges::new(&L::SPEC, to_params(self)?, params)?;
        let mut changed = L::deserialize(param_changes::deserializer(changes.all))
            .map_err(|e| param_changes::unreadable(&L::SPEC, changes.last, params, &e))?;
        changes.nested.iter().try_for_each(|(part, params)| changed.set_nested(part, params))?;
        Learner::check(&changed)?;
        *self = changed;
        Ok(())
    }

    fn check_any(&self) -> Result<()> {
        Learner::check(self)
    }

    fn raw_columns_any(&self) -> Vec<ColumnRef> {
        self.raw_columns()
    }

    fn as_pipeline_any(&self) -> Option<(Box<dyn AnyLearner>, Box<dyn AnyLearner>)> {
        self.as_pipeline()
    }

    fn fit_any(&self, data: &DatasetRef<'_>, cx: &Context<'_>) -> Result<Box<dyn Model>> {
        Ok(Box::new(self.fit_rows(data, cx)?))
    }

    fn fit_source(&self, source: &dyn RowSource, cx: &Context<'_>) -> Result<Box<dyn Model>> {
        match L::STREAM {
            Some(stream) => Ok(Box::new(stream(self, source, cx)?)),
            None => Err(Error::Data(format!("{} needs all rows in memory; it cannot train in passes", L::SPEC.name))),
        }
    }

    fn partial_fit_any(&self, model: Option<&dyn Model>, data: &DatasetRef<'_>, cx: &Context<'_>) -> Result<Box<dyn Model>> {
        let Some(resume) = L::PARTIAL_FIT else {
            return Err(no_partial_fit(&L::SPEC));
        };
        Ok(Box::new(resume(self, downcast_model::<L>(model)?, data, cx)?))
    }

    fn warm_start_any(&self, model: Option<&dyn Model>, data: &DatasetRef<'_>, cx: &Context<'_>) -> Result<Box<dyn Model>> {
        let Some(go_on) = L::WARM_START else {
            return Err(no_warm_start(&L::SPEC));
        };
        Ok(Box::new(go_on(self, downcast_model::<L>(model)?, data, cx)?))
    }

    fn fold_sums_key(&self, data: &DatasetRef<'_>, cut: &FoldAssignment<'_>) -> Option<String> {
        let key = (L::FOLD_SUMS?.key)(self, data, cut)?;
        Some(format!("{} {key}", L::SPEC.name))
    }

    fn fold_sums_any(&self, data: &DatasetRef<'_>, cut: &FoldAssignment<'_>, cx: &Context<'_>) -> Result<FoldTotals> {
        (L::FOLD_SUMS.ok_or_else(|| no_fold_sums(&L::SPEC))?.gather)(self, data, cut, cx)
    }

    fn fit_from_fold_sums(
        &self,
        totals: &FoldTotals,
        without: &TrainingView<'_>,
        cx: &Context<'_>,
    ) -> Result<Option<Box<dyn Model>>> {
        let Some(way) = L::FOLD_SUMS else { return Ok(None) };
        Ok((way.fit)(self, totals, without, cx)?.map(|m| Box::new(m) as Box<dyn Model>))
    }

    fn loo_predictions_any(&self, data: &DatasetRef<'_>, cx: &Context<'_>) -> Result<Option<Mat<f64>>> {
        L::LOO_PREDICTIONS.map_or(Ok(None), |way| way(self, data, cx))
    }

    fn joint_key(&self) -> Option<String> {
        let key = (L::JOINT_FIT?.key)(self)?;
        Some(format!("{} {key}", L::SPEC.name))
    }

    fn fit_joint(
        &self,
        settings: &[&dyn AnyLearner],
        data: &DatasetRef<'_>,
        cx: &Context<'_>,
        take: TakeModel<'_, Box<dyn Model>>,
    ) -> Result<()> {
        let way = L::JOINT_FIT.ok_or_else(|| fits_alone(&L::SPEC))?;
        let own = |l: &&dyn AnyLearner| (*l as &dyn std::any::Any).downcast_ref::<L>().cloned();
        let settings: Option<Vec<L>> = settings.iter().map(own).collect();
        let settings = settings.ok_or_else(|| fits_alone(&L::SPEC))?;
        (way.fit)(&settings, data, cx, &mut |k, model| take(k, Box::new(model)))
    }

    fn has_warm_start(&self) -> bool {
        L::WARM_START.is_some()
    }

    fn has_l1_penalty(&self) -> bool {
        L::L1_PENALTY
    }

    fn row_order_matters(&self) -> bool {
        L::ROW_ORDER_MATTERS
    }

    fn value_kind(&self) -> ValueKind {
        L::VALUE_KIND
    }

    fn search_space(&self) -> &'static [&'static str] {
        L::SEARCH_SPACE
    }

    fn has_random_init(&self) -> bool {
        L::RANDOM_INIT
    }

    fn load_any(&self, input: &ModelReader) -> Result<Box<dyn Model>> {
        Ok(Box::new(L::load(input)?))
    }

    fn boxed(&self) -> Box<dyn AnyLearner> {
        Box::new(self.clone())
    }
}
