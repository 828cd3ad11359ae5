//! Learners and models: the typed layer a Rust user sees and the object-safe layer everything else is built on.

use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use crate::param_changes::{self, ParamChanges};
use crate::{
    Certificate, ColumnRef, Context, Csr, Dataset, Error, Features, FoldAssignment, FoldFit, FoldTotals, JointFit,
    LooPredictions, Mat, MatRef, ModelReader, ModelWriter, Report, Result, RowSource, Schema, Spec, TakeModel, Trace,
    TrainingView, ValueKind,
};

/// How a learner trains on a source of rows that may be larger than memory.
pub type StreamFit<L> = fn(&L, &dyn RowSource, &Context<'_>) -> Result<<L as Learner>::Model>;

/// How a learner goes on with further rows from a model that it made earlier, or begins when there is none yet.
pub type FitFrom<L> = fn(&L, Option<&<L as Learner>::Model>, &Dataset<'_>, &Context<'_>) -> Result<<L as Learner>::Model>;

/// A learner is its hyper-parameters; fitting returns a new type.
///
/// The serialised form is one flat object with a key for each parameter (`#[serde(default, deny_unknown_fields)]`), and
/// `SPEC.params` lists exactly these keys.
pub trait Learner: Clone + Default + Serialize + DeserializeOwned + Send + Sync + 'static {
    /// What a fit returns.
    type Model: Model;

    /// What the learner says of itself.
    const SPEC: Spec;

    /// Training in passes over rows, for learners that can; [`crate::drive_source`] is the value for a
    /// [`crate::PassLearner`].
    const STREAM: Option<StreamFit<Self>> = None;

    /// Learning from rows that come bit by bit, for learners that can: the steps continue where the model stands. When it begins,
    /// every class that the target names takes part, since its rows may come later.
    const PARTIAL_FIT: Option<FitFrom<Self>> = None;

    /// Going on from a model of fewer parts (trees, rounds) that the same learner made of the same rows: the result has the
    /// bytes of a fit that was never interrupted. Checkpoints and scikit-learn's `warm_start` rest on it. Without a model it is
    /// the fit itself. More rows or other rows are allowed; the parts that are there stay as they are.
    const WARM_START: Option<FitFrom<Self>> = None;

    /// Fits to all rows but a fold from totals that are gathered once, for learners whose first pass knows nothing of the rows. It is the model of a fit to
    /// the same rows up to rounding.
    const FOLD_SUMS: Option<FoldFit<Self>> = None;

    /// What models of all rows but one say of that row, without fitting them one by one, for learners that can.
    const LOO_PREDICTIONS: Option<LooPredictions<Self>> = None;

    /// Fits of several settings to the same rows at once, for learners whose settings have work in common. Each model has the bytes of a fit alone.
    const JOINT_FIT: Option<JointFit<Self>> = None;

    /// Whether the model depends on the order of the rows, because the learner takes a step a row or draws rows by their
    /// numbers. Of such a learner nobody may expect that another order, a row given twice or shifted columns lead to the same model.
    const ROW_ORDER_MATTERS: bool = false;

    /// Whether training begins with weights that are drawn for each column and each output by its number. Of such a learner nobody may
    /// expect the same model when columns or classes come in another order.
    const RANDOM_INIT: bool = false;

    /// Whether `alpha` weighs the absolute values of the coefficients, which scale with the columns, and not their squares. A
    /// learner with an `l1_ratio` says it there.
    const L1_PENALTY: bool = false;

    /// What the numbers of the columns stand for. A preparation in front leaves counts unscaled, and nobody may expect that
    /// shifted or scaled columns mean the same unless they are quantities.
    const VALUE_KIND: ValueKind = ValueKind::Quantities;

    /// The parameters that a search should move and between which values, in the words of the command line: `alpha=1e-4..1e4:log`,
    /// `n_neighbors=1..60`, `weights=uniform,distance`.
    const SEARCH_SPACE: &'static [&'static str] = &[];

    /// Refuses parameters outside their ranges. A learner whose parameters depend on each other checks
    /// [`Spec::check_params`] first and then that.
    fn check(&self) -> Result<()> {
        Self::SPEC.check_params(&to_params(self)?)
    }

    /// Columns that mean something by their very values, such as an exposure: a preparation in front leaves them as they are.
    fn raw_columns(&self) -> Vec<ColumnRef> {
        Vec::new()
    }

    /// What prepares the columns and what learns from them, for a learner that is the one after the other: it fits the first, and the second to what the
    /// first makes of the rows. Settings with the same preparation can share it.
    fn as_pipeline(&self) -> Option<(Box<dyn AnyLearner>, Box<dyn AnyLearner>)> {
        None
    }

    /// Changes parameters of a learner that this one holds as `part`: `base.max_depth` is parameter `max_depth` of part `base`.
    /// Learners that hold none know no such parameter.
    fn set_nested(&mut self, part: &str, params: &serde_json::Map<String, Value>) -> Result<()> {
        let first = params.keys().next().map_or("", |name| name.as_str());
        let known = Self::SPEC.params.iter().map(|p| p.name);
        Err(Error::unknown(format!("parameter of {}", Self::SPEC.name), &format!("{part}.{first}"), known))
    }

    /// Learns from rows.
    fn fit(&self, data: &Dataset<'_>, cx: &Context<'_>) -> Result<Self::Model>;

    /// Reads a model that [`Model::save`] wrote, and checks everything that prediction relies on.
    fn load(input: &ModelReader) -> Result<Self::Model>;
}

fn to_params<L: Learner>(learner: &L) -> Result<Value> {
    serde_json::to_value(learner).map_err(|e| Error::Data(format!("parameters of {}: {e}", L::SPEC.name)))
}

/// What a fit returns. A capability is an `Option`, never a method that fails.
pub trait Model: std::any::Any + Send + Sync {
    /// Columns the model was trained on.
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
    /// The model as a density, if it is one.
    fn as_density(&self) -> Option<&dyn Density> {
        None
    }
    /// The model as one that can say what each column adds to a prediction, if it can.
    fn as_attributor(&self) -> Option<&dyn Attributor> {
        None
    }
    /// The model as a sum of parts, one a column, if it is one.
    fn as_additive(&self) -> Option<&dyn AdditiveModel> {
        None
    }
    /// The model as one that answers by the training rows that are near, if it does.
    fn as_neighbor_model(&self) -> Option<&dyn NeighborModel> {
        None
    }

    /// How good the fit is, where that can be said.
    fn certificate(&self) -> Option<&Certificate> {
        None
    }
    /// The course of the fit, where it had steps.
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
    /// A row of predictions for each row; one column a target.
    fn predict(&self, x: &Features<'_>) -> Result<Mat<f64>>;
    /// The deviance of one target from its prediction: twice the log-likelihood that it lacks to a perfect fit, in units of the dispersion. The
    /// square of the difference unless the model is of another family.
    fn unit_deviance(&self, target: f64, predicted: f64) -> f64 {
        (target - predicted) * (target - predicted)
    }
}

/// Predicts classes: probability first, label derived.
pub trait Classifier: Model {
    /// The class names, sorted.
    fn classes(&self) -> &[String];
    /// Probabilities: a row for each row, a column a class, rows sum to 1.
    fn proba(&self, x: &Features<'_>) -> Result<Mat<f64>>;
    /// Logarithms of the probabilities; overridden where they are known more exactly than by taking logarithms.
    fn log_proba(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        let mut p = self.proba(x)?;
        p.as_mut_slice().iter_mut().for_each(|v| *v = v.ln());
        Ok(p)
    }
    /// The scores behind the probabilities, for models that have them: one column for two classes, else one a class.
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
}

/// Probabilities with the most probable class of each row: [`Classifier::judge`] where nothing else decides on the class.
pub fn with_argmax_class(proba: Mat<f64>) -> (Mat<f64>, Vec<u32>) {
    let found = argmax_rows(proba.view());
    (proba, found)
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

/// Turns columns into other columns.
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
    /// The shift and the scale of each new column, for transformations that leave quantities what they are: the column is
    /// `(raw - shift) / scale` of an original column, or of a 0/1 column for a category.
    fn affine_units(&self) -> Option<Vec<(f64, f64)>> {
        None
    }
    /// For each new column the one column it is made of, for transformations in which no new column mixes several.
    fn source_columns(&self) -> Option<Vec<usize>> {
        None
    }
    /// The way back, as near as it can be, for transformations that have one.
    fn inverse(&self, z: MatRef<'_, f64>) -> Result<Option<Mat<f64>>> {
        let _ = z;
        Ok(None)
    }
}

/// The group of rows that belong to none, for clusterers that leave some out.
pub const NOISE_LABEL: u32 = u32::MAX;

/// Assigns rows to groups.
pub trait Clusterer: Model {
    /// Number of groups, [`NOISE`] not counted.
    fn n_clusters(&self) -> usize;
    /// The group of each row, or [`NOISE`].
    fn assign(&self, x: &Features<'_>) -> Result<Vec<u32>>;
    /// The columns in which the clusterer measures distances, where they are others than those of `x`.
    fn metric_space(&self, x: &Features<'_>) -> Result<Option<Mat<f64>>> {
        let _ = x;
        Ok(None)
    }
    /// The probabilities of the groups, a column each, for clusterers that have them; rows sum to 1.
    fn posterior(&self, x: &Features<'_>) -> Result<Option<Mat<f64>>> {
        let _ = x;
        Ok(None)
    }
    /// The group of each training row, as long as it is known: right after a fit in memory, not after loading.
    fn labels(&self) -> Option<&[u32]> {
        None
    }
}

/// Says how probable rows are.
pub trait Density: Model {
    /// The logarithm of the density at each row.
    fn log_density(&self, x: &Features<'_>) -> Result<Vec<f64>>;
    /// How many numbers the fit was free to choose; information criteria charge for them.
    fn n_parameters(&self) -> usize;
    /// Rows drawn from the density, for models that can draw; the same seed draws the same rows.
    fn sample(&self, rows: usize, seed: u64) -> Result<Option<Mat<f64>>> {
        let _ = (rows, seed);
        Ok(None)
    }
}

/// Says how much each column adds to a prediction.
pub trait Attributor: Model {
    /// What the parts sum to: "probability", "log odds", "prediction".
    fn output_name(&self) -> &'static str;
    /// Numbers that are explained for each row: 1, or one a class or target.
    fn n_outputs(&self) -> usize;
    /// About how many operations [`Self::attributions`] takes a row, for those who must choose how many rows they can afford.
    fn attribution_cost(&self) -> f64;
    /// What the model says of a row of which nothing is known, for each output.
    fn base_values(&self) -> Vec<f64>;
    /// A row for each row. For each output there is the part of each column and then the expected value; together they sum to
    /// what the model says of the row.
    fn attributions(&self, x: &Features<'_>) -> Result<Mat<f64>>;
}

/// Says a sum of parts, each of which depends on one column alone.
pub trait AdditiveModel: Model {
    /// What the parts sum to, but for a constant: "log odds", "score", "prediction".
    fn output_name(&self) -> &'static str;
    /// Numbers that are explained for each row: 1, or one a class or target.
    fn n_outputs(&self) -> usize;
    /// A row for each row: for each output the part of each column.
    fn parts(&self, x: &Features<'_>) -> Result<Mat<f64>>;
}

/// Answers by the training rows that are near.
pub trait NeighborModel: Model {
    /// Training rows there are.
    fn n_examples(&self) -> usize;
    /// For each row its `k` nearest training rows (fewer where there are not as many), from near to far: their numbers from 0 and how
    /// far they are.
    fn nearest_examples(&self, x: &Features<'_>, k: usize) -> Result<Vec<Vec<(usize, f64)>>>;
    /// Training rows, in the columns in which distances are measured.
    fn training_rows(&self, rows: &[usize]) -> Result<Mat<f64>>;
    /// What a training row is: the name of its class, or its numbers.
    fn example_target(&self, row: usize) -> Vec<crate::Cell>;
}

/// Makes a learner with its default parameters: an entry of a catalogue.
pub type MakeLearner = fn() -> Box<dyn AnyLearner>;

/// The object-safe face of every [`Learner`]: what the catalogue, the command line, Python and pipelines use.
///
/// The methods that exist on both layers have other names here, so that having both traits in scope is never ambiguous.
pub trait AnyLearner: std::any::Any + Send + Sync {
    /// What the learner says of itself.
    fn spec(&self) -> &'static Spec;
    /// The parameters as an object.
    fn params(&self) -> Value;
    /// Changes one parameter, or with a point one of a learner within this one (`base.max_depth`). A wrong name, type or value
    /// is an error, and the learner stays as it was.
    fn set(&mut self, name: &str, value: Value) -> Result<()>;
    /// Changes several parameters at once, checked together; those of learners within come after this one's own.
    fn set_all(&mut self, params: &serde_json::Map<String, Value>) -> Result<()>;
    /// [`Learner::check`].
    fn check_any(&self) -> Result<()>;
    /// [`Learner::untouched`].
    fn raw_columns_any(&self) -> Vec<ColumnRef> {
        Vec::new()
    }
    /// [`Learner::split`].
    fn as_pipeline_any(&self) -> Option<(Box<dyn AnyLearner>, Box<dyn AnyLearner>)> {
        None
    }
    /// [`Learner::fit`].
    fn fit_any(&self, data: &Dataset<'_>, cx: &Context<'_>) -> Result<Box<dyn Model>>;
    /// [`Learner::STREAM`], or an error that says the learner has none; ask `spec().accepts.passes` first.
    fn fit_source(&self, source: &dyn RowSource, cx: &Context<'_>) -> Result<Box<dyn Model>>;
    /// [`Learner::RESUME`], or an error that says the learner has none.
    fn partial_fit_any(&self, model: Option<&dyn Model>, data: &Dataset<'_>, cx: &Context<'_>) -> Result<Box<dyn Model>> {
        let _ = (model, data, cx);
        Err(no_partial_fit(self.spec()))
    }
    /// [`Learner::CONTINUE`], or an error that says the learner has none.
    fn warm_start_any(&self, model: Option<&dyn Model>, data: &Dataset<'_>, cx: &Context<'_>) -> Result<Box<dyn Model>> {
        let _ = (model, data, cx);
        Err(no_warm_start(self.spec()))
    }
    /// What the totals of these folds depend on besides the rows, where there are [`Learner::TOTALS`]: equal words, equal totals.
    fn fold_sums_key(&self, data: &Dataset<'_>, cut: &FoldAssignment<'_>) -> Option<String> {
        let _ = (data, cut);
        None
    }
    /// Gathers [`Learner::TOTALS`], or an error that says the learner has none.
    fn fold_sums_any(&self, data: &Dataset<'_>, cut: &FoldAssignment<'_>, cx: &Context<'_>) -> Result<FoldTotals> {
        let _ = (data, cut, cx);
        Err(no_fold_sums(self.spec()))
    }
    /// The model of all rows but those of a fold, from totals of the same key; none where it takes a fit to the rows.
    fn fit_from_fold_sums(
        &self,
        totals: &FoldTotals,
        without: &TrainingView<'_>,
        cx: &Context<'_>,
    ) -> Result<Option<Box<dyn Model>>> {
        let _ = (totals, without, cx);
        Ok(None)
    }
    /// [`Learner::LEFT_OUT`]; none where there is no short way.
    fn loo_predictions_any(&self, data: &Dataset<'_>, cx: &Context<'_>) -> Result<Option<Mat<f64>>> {
        let _ = (data, cx);
        Ok(None)
    }
    /// What settings have in common that are worth a [`Learner::JOINT`] fit: equal words, one fit. None for a setting that is fitted alone.
    fn joint_key(&self) -> Option<String> {
        None
    }
    /// [`Learner::JOINT`] of settings with this one's key, or an error that says the learner has none.
    fn fit_joint(
        &self,
        settings: &[&dyn AnyLearner],
        data: &Dataset<'_>,
        cx: &Context<'_>,
        take: TakeModel<'_, Box<dyn Model>>,
    ) -> Result<()> {
        let _ = (settings, data, cx, take);
        Err(fits_alone(self.spec()))
    }
    /// Whether there is a [`Learner::CONTINUE`].
    fn has_warm_start(&self) -> bool {
        false
    }
    /// [`Learner::ABSOLUTE_PENALTY`].
    fn has_l1_penalty(&self) -> bool {
        false
    }

    /// [`Learner::ORDERED`].
    fn row_order_matters(&self) -> bool {
        false
    }
    /// [`Learner::CELLS`].
    fn value_kind(&self) -> ValueKind {
        ValueKind::Quantities
    }

    /// [`Learner::SEARCH`].
    fn search_space(&self) -> &'static [&'static str] {
        &[]
    }

    /// [`Learner::DRAWN`].
    fn has_random_init(&self) -> bool {
        false
    }
    /// [`Learner::load`].
    fn load_any(&self, input: &ModelReader) -> Result<Box<dyn Model>>;
    /// A copy.
    fn boxed(&self) -> Box<dyn AnyLearner>;
}

fn no_partial_fit(spec: &Spec) -> Error {
    Error::Data(format!("{} does not learn bit by bit; fit it on all rows", spec.name))
}

fn no_warm_start(spec: &Spec) -> Error {
    Error::Data(format!("{} does not go on from a model; fit it from the start", spec.name))
}

fn fits_alone(spec: &Spec) -> Error {
    Error::Data(format!("settings of {} have no fit in common; fit each alone", spec.name))
}

fn no_fold_sums(spec: &Spec) -> Error {
    Error::Data(format!("{} does not fit from totals; fit it on rows", spec.name))
}

/// The model as the type that learner `L` makes.
fn downcast_model<L: Learner>(model: Option<&dyn Model>) -> Result<Option<&L::Model>> {
    match model {
        None => Ok(None),
        Some(model) => match (model as &dyn std::any::Any).downcast_ref::<L::Model>() {
            None => Err(Error::Data(format!("the model to go on from is not one of {}", L::SPEC.name))),
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
        let mut changed: L = serde_json::from_value(changes.all).map_err(|e| match changes.last {
            Some(p) => param_changes::unreadable(&L::SPEC, p, &params[p.name], &e),
            None => Error::Data(e.to_string()),
        })?;
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

    fn fit_any(&self, data: &Dataset<'_>, cx: &Context<'_>) -> Result<Box<dyn Model>> {
        Ok(Box::new(self.fit(data, cx)?))
    }

    fn fit_source(&self, source: &dyn RowSource, cx: &Context<'_>) -> Result<Box<dyn Model>> {
        match L::STREAM {
            Some(stream) => Ok(Box::new(stream(self, source, cx)?)),
            None => Err(Error::Data(format!("{} needs all rows in memory; it cannot train in passes", L::SPEC.name))),
        }
    }

    fn partial_fit_any(&self, model: Option<&dyn Model>, data: &Dataset<'_>, cx: &Context<'_>) -> Result<Box<dyn Model>> {
        let Some(resume) = L::PARTIAL_FIT else {
            return Err(no_partial_fit(&L::SPEC));
        };
        Ok(Box::new(resume(self, downcast_model::<L>(model)?, data, cx)?))
    }

    fn warm_start_any(&self, model: Option<&dyn Model>, data: &Dataset<'_>, cx: &Context<'_>) -> Result<Box<dyn Model>> {
        let Some(go_on) = L::WARM_START else {
            return Err(no_warm_start(&L::SPEC));
        };
        Ok(Box::new(go_on(self, downcast_model::<L>(model)?, data, cx)?))
    }

    fn fold_sums_key(&self, data: &Dataset<'_>, cut: &FoldAssignment<'_>) -> Option<String> {
        let key = (L::FOLD_SUMS?.key)(self, data, cut)?;
        Some(format!("{} {key}", L::SPEC.name))
    }

    fn fold_sums_any(&self, data: &Dataset<'_>, cut: &FoldAssignment<'_>, cx: &Context<'_>) -> Result<FoldTotals> {
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

    fn loo_predictions_any(&self, data: &Dataset<'_>, cx: &Context<'_>) -> Result<Option<Mat<f64>>> {
        L::LOO_PREDICTIONS.map_or(Ok(None), |way| way(self, data, cx))
    }

    fn joint_key(&self) -> Option<String> {
        let key = (L::JOINT_FIT?.key)(self)?;
        Some(format!("{} {key}", L::SPEC.name))
    }

    fn fit_joint(
        &self,
        settings: &[&dyn AnyLearner],
        data: &Dataset<'_>,
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
