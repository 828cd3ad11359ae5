//! Baselines that any learner must beat: the most frequent class, the mean.

use ermine_core::*;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use ermine_math::column_moments::ColumnMoments;
use ermine_math::quantile_search::{QuantilePartial, QuantileSearch};

/// How a [`Baseline`] predicts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BaselineStrategy {
    /// `prior` for classes, `mean` for numbers.
    #[default]
    Auto,
    /// The most frequent class; the shares of the classes as probabilities.
    Prior,
    /// The most frequent class, with probability 1.
    MostFrequent,
    /// A class drawn for each row with the class frequencies as probabilities.
    Stratified,
    /// A class drawn for each row, all equally probable.
    Uniform,
    /// The value of `constant`.
    Constant,
    /// The mean of the target.
    Mean,
    /// The median of the target.
    Median,
    /// The quantile of the target given by `quantile`.
    Quantile,
}

/// Predicts without using the features.
///
/// # What it minimizes
/// The mean log loss (shares of the classes), the mean squared error (mean) or the mean absolute error (median) among all
/// predictions that are the same for every row.
///
/// # When to use it
/// As the row of a comparison that every other learner must beat.
///
/// # Example
/// ```
/// use ermine_core::{Context, DatasetRef, Features, Learner, MatRef, Regressor, Target};
/// use ermine_compose::baseline::Baseline;
///
/// let x = [0.0, 0.0, 0.0];
/// let features = Features::F64(MatRef::row_major(&x, 3, 1));
/// let data = DatasetRef::new(features).with_target(Target::Real(&[1.0, 2.0, 6.0]));
/// let model = Baseline::default().fit_with(&data, &Context::default())?;
/// assert_eq!(model.predict(&features)?[(0, 0)], 3.0);
/// # Ok::<(), ermine_core::Error>(())
/// ```
///
/// # Parameters
/// Described in [`Learner::SPEC`].
///
/// # Cost
/// One pass over the target; median and quantile take a few.
///
/// # What it does not do
/// It does not read the features, so columns may be of any kind.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[doc(alias("DummyClassifier", "DummyRegressor"))]
pub struct Baseline {
    /// How to predict.
    pub strategy: BaselineStrategy,
    /// The prediction of the strategy `constant`: a class name, a number, or a list with one number per target.
    pub constant: Value,
    /// The level of the strategy `quantile`.
    pub quantile: Option<f64>,
}

impl Baseline {
    /// The strategy for a task: resolves "auto", and is an error for a strategy of the other task.
    #[cfg(feature = "fit")]
    fn strategy_for(&self, task: Task) -> Result<BaselineStrategy> {
        use BaselineStrategy::{Auto, Constant, Mean, Median, MostFrequent, Prior, Quantile, Stratified, Uniform};
        let classes = task == Task::Classification;
        match self.strategy {
            Auto => Ok(if classes { Prior } else { Mean }),
            Constant => Ok(Constant),
            s @ (Prior | MostFrequent | Stratified | Uniform) if classes => Ok(s),
            s @ (Mean | Median | Quantile) if !classes => Ok(s),
            s => {
                let (has, words) = if classes {
                    ("classes", "prior, most_frequent, stratified, uniform or constant")
                } else {
                    ("numbers", "mean, median, quantile or constant")
                };
                let word = serde_json::to_value(s).unwrap_or_default().to_string();
                Err(Self::parameter_error("strategy", word, format!("a target of {has} takes {words}")))
            }
        }
    }

    /// The constants of the strategy `constant`, one per target.
    #[cfg(feature = "fit")]
    fn constants(&self, targets: usize) -> Result<Vec<f64>> {
        let expected = || {
            let what = if targets == 1 { "a number".into() } else { format!("a list of {targets} numbers") };
            Self::parameter_error(
                "constant",
                self.constant.to_string(),
                format!("the strategy \"constant\" needs {what}, one per target"),
            )
        };
        let values = match &self.constant {
            Value::Array(list) => list.iter().map(|v| v.as_f64()).collect::<Option<Vec<f64>>>(),
            Value::Null => return Err(expected()),
            one => one.as_f64().map(|v| vec![v; targets]),
        };
        values.filter(|v| v.len() == targets && v.iter().all(|v| v.is_finite())).ok_or_else(expected)
    }

    /// The class of the strategy `constant`.
    #[cfg(feature = "fit")]
    fn constant_class(&self, names: &[String]) -> Result<usize> {
        let word = match &self.constant {
            Value::String(s) => s.clone(),
            Value::Array(list) if list.len() == 1 => list[0].as_str().map_or_else(|| list[0].to_string(), str::to_owned),
            other => other.to_string(),
        };
        names.iter().position(|n| *n == word).ok_or_else(|| {
            let shown: Vec<&str> = names.iter().take(20).map(String::as_str).collect();
            Self::parameter_error("constant", word, format!("it must be one of the classes: {}", shown.join(", ")))
        })
    }
}

#[cfg(feature = "fit")]
const PARAMS: &[ParamSpec] = &[
    ParamSpec {
        name: "strategy",
        doc: "How to predict. For classes: \"prior\" (most frequent class, shares as probabilities), \"most_frequent\", \
              \"stratified\" and \"uniform\" (drawn for each row), \"constant\". For numbers: \"mean\", \"median\", \"quantile\", \
              \"constant\". \"auto\" is \"prior\" for classes and \"mean\" for numbers.",
        range: Range::Choice(&[
            "auto",
            "prior",
            "most_frequent",
            "stratified",
            "uniform",
            "constant",
            "mean",
            "median",
            "quantile",
        ]),
    },
    ParamSpec {
        name: "constant",
        doc: "What the strategy \"constant\" predicts: a class name, a number, or a list of numbers, one per target column.",
        range: Range::Any,
    },
    ParamSpec {
        name: "quantile",
        doc: "The level of the strategy \"quantile\": 0.5 is the median, 0 the minimum, 1 the maximum.",
        range: Range::Optional(&Range::Real { min: 0.0, max: 1.0, above: false, log: false }),
    },
];

#[cfg(feature = "fit")]
impl Learner for Baseline {
    type Model = BaselineModel;

    const SPEC: Spec = Spec {
        name: "baseline",
        summary: "Predicts the most frequent class or the mean, whatever the columns say",
        objective: "min over constants c of sum_i w_i loss(y_i, c): log loss for shares, squares for the mean, absolute values for the median",
        notes: "The row of a comparison that every other learner must beat. It never reads the columns, so any column is accepted. \
                One pass over the target; median and quantile take a few passes in bounded memory and are exact.",
        reference: "Hastie, Tibshirani, Friedman: The Elements of Statistical Learning, 2nd ed. 2009, section 2.4 (the best constant \
                    under a loss)",
        family: Family::Baseline,
        tasks: &[Task::Classification, Task::Regression],
        accepts: Accepts { weights: true, missing: true, categorical: true, sparse: true, passes: true, multi_target: true },
        params: PARAMS,
    };
    const STREAM: Option<StreamFit<Self>> = Some(run_passes_source::<Self>);

    fn check(&self) -> Result<()> {
        self.check_ranges()?;
        if self.strategy == BaselineStrategy::Quantile && self.quantile.is_none() {
            return Err(Self::parameter_error("quantile", "null", "the strategy \"quantile\" needs a number from 0 to 1"));
        }
        if self.strategy == BaselineStrategy::Constant && self.constant.is_null() {
            return Err(Self::parameter_error("constant", "null", "the strategy \"constant\" needs a value"));
        }
        Ok(())
    }

    fn fit_rows(&self, data: &DatasetRef<'_>, cx: &Context<'_>) -> Result<Self::Model> {
        run_passes(self, data, cx)
    }

    fn load(input: &ModelReader) -> Result<Self::Model> {
        BaselineModel::load(input)
    }
}

/// State of a [`Baseline`], broadcast to every block before a pass.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct BaselineState {
    n_features: usize,
    strategy: BaselineStrategy,
    /// Class names, or none for numbers.
    classes: Option<Vec<String>>,
    targets: usize,
    search: Option<QuantileSearch>,
    passes: u64,
    seed: u64,
}

/// Sums of a [`Baseline`]: class weights, or moments of the targets.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct BaselinePartial {
    counts: Vec<f64>,
    moments: ColumnMoments,
    buckets: Option<QuantilePartial>,
}

#[cfg(feature = "fit")]
impl Partial for BaselinePartial {
    fn merge(&mut self, other: Self) -> Result<()> {
        self.counts.iter_mut().zip(other.counts).for_each(|(a, b)| *a += b);
        self.moments.merge(other.moments)?;
        match (&mut self.buckets, other.buckets) {
            (Some(a), Some(b)) => a.merge(b),
            _ => Ok(()),
        }
    }
}

#[cfg(feature = "fit")]
impl PassLearner for Baseline {
    type State = BaselineState;
    type Partial = BaselinePartial;

    fn block_rows(&self, _: usize) -> usize {
        ermine_math::quantile_search::BLOCK_ROWS
    }

    fn initial_state(&self, head: &DatasetRef<'_>, cx: &Context<'_>) -> Result<BaselineState> {
        let task = head.y.task().ok_or_else(|| Error::Target("baseline needs one".into()))?;
        let strategy = self.strategy_for(task)?;
        let targets = head.y.n_targets();
        let classes = match head.y {
            Target::Class { names, .. } => Some(names.to_vec()),
            _ => None,
        };
        if strategy == BaselineStrategy::Constant {
            match &classes {
                Some(names) => self.constant_class(names).map(|_| ())?,
                None => self.constants(targets).map(|_| ())?,
            }
        }
        let search = match strategy {
            BaselineStrategy::Median => Some(QuantileSearch::new(0.5, targets)),
            BaselineStrategy::Quantile => Some(QuantileSearch::new(self.quantile.unwrap_or(0.5), targets)),
            _ => None,
        };
        Ok(BaselineState { n_features: head.cols(), strategy, classes, targets, search, passes: 0, seed: cx.seed })
    }

    fn empty_partial(&self, state: &BaselineState) -> BaselinePartial {
        BaselinePartial {
            counts: vec![0.0; state.classes.as_ref().map_or(0, Vec::len)],
            moments: ColumnMoments::new(if state.classes.is_some() { 0 } else { state.targets }),
            buckets: state.search.as_ref().map(QuantileSearch::empty),
        }
    }

    fn add_block(&self, state: &BaselineState, part: &mut BaselinePartial, rows: &DatasetRef<'_>) -> Result<()> {
        if let Target::Class { codes, .. } = rows.y {
            for (i, &code) in codes.iter().enumerate() {
                part.counts[code as usize] += rows.weight_of(i);
            }
            return Ok(());
        }
        let y = rows.y.reals()?;
        match (&state.search, &mut part.buckets) {
            (Some(search), Some(buckets)) => {
                for k in 0..y.cols() {
                    search.add(buckets, k, (0..y.rows()).map(|i| (*y.at(i, k), rows.weight_of(i))));
                }
            }
            _ => part.moments.add(y, rows.weight),
        }
        Ok(())
    }

    fn finish(
        &self,
        mut state: BaselineState,
        total: BaselinePartial,
        _: &Context<'_>,
    ) -> Result<PassStep<BaselineState, BaselineModel>> {
        state.passes += 1;
        let mut certificate = Certificate {
            method: if state.classes.is_some() { "counts" } else { "moments" }.into(),
            iterations: state.passes,
            converged: true,
            ..Certificate::default()
        };
        let prediction = if let Some(names) = state.classes {
            let all: f64 = total.counts.iter().sum();
            let shares: Vec<f64> = total.counts.iter().map(|c| c / all).collect();
            if state.strategy == BaselineStrategy::Prior {
                // The mean log loss of the shares is their entropy.
                certificate.objective = Some(-shares.iter().filter(|p| **p > 0.0).map(|p| p * p.ln()).sum::<f64>());
            }
            let constant = if state.strategy == BaselineStrategy::Constant { self.constant_class(&names)? } else { 0 };
            BaselinePrediction::Classes { names, shares, constant, seed: state.seed }
        } else if let (Some(search), Some(buckets)) = (&mut state.search, &total.buckets) {
            if !search.refine(buckets) {
                return Ok(PassStep::NextPass(state, None));
            }
            certificate.method = "selection".into();
            BaselinePrediction::Numbers(search.values().into_iter().map(|v| v.unwrap_or(0.0)).collect())
        } else if state.strategy == BaselineStrategy::Constant {
            BaselinePrediction::Numbers(self.constants(state.targets)?)
        } else {
            if let Some(k) = total.moments.first_non_finite_column() {
                return Err(Error::Target(format!("column {k}: its numbers are so large that their sum overflows")));
            }
            let variances = (0..state.targets).filter_map(|k| total.moments.variance(k));
            certificate.objective = Some(variances.sum());
            BaselinePrediction::Numbers(total.moments.mean)
        };
        let BaselineState { n_features, strategy, .. } = state;
        Ok(PassStep::Done(BaselineModel { n_features, strategy, prediction, certificate }))
    }
}

#[derive(Debug, Clone, PartialEq)]
enum BaselinePrediction {
    Classes { names: Vec<String>, shares: Vec<f64>, constant: usize, seed: u64 },
    Numbers(Vec<f64>),
}

/// Fitted [`Baseline`]: shares of classes, or one number per target.
#[derive(Debug, Clone, PartialEq)]
pub struct BaselineModel {
    n_features: usize,
    strategy: BaselineStrategy,
    prediction: BaselinePrediction,
    certificate: Certificate,
}

impl BaselineModel {
    /// The predicted numbers, one per target; none for classes.
    pub fn constants(&self) -> Option<&[f64]> {
        match &self.prediction {
            BaselinePrediction::Numbers(values) => Some(values),
            BaselinePrediction::Classes { .. } => None,
        }
    }

    /// The class frequencies; none for numbers.
    pub fn shares(&self) -> Option<&[f64]> {
        match &self.prediction {
            BaselinePrediction::Classes { shares, .. } => Some(shares),
            BaselinePrediction::Numbers(_) => None,
        }
    }

    /// A class for each row, drawn with the given weights.
    fn draws(&self, rows: usize, weights: &[f64], seed: u64) -> Vec<u32> {
        let mut stream = RngStream::new(seed, "baseline draws", 0);
        (0..rows).map(|_| stream.weighted(weights) as u32).collect()
    }

    pub(crate) fn load(input: &ModelReader) -> Result<Self> {
        let bad = |m: &str| Error::Model(format!("baseline: {m}"));
        let strategy: BaselineStrategy = input.field("strategy")?;
        let n_features: usize = input.field("n_features")?;
        let certificate: Certificate = input.field("certificate")?;
        let for_classes = matches!(
            strategy,
            BaselineStrategy::Prior | BaselineStrategy::MostFrequent | BaselineStrategy::Stratified | BaselineStrategy::Uniform
        );
        let prediction = if input.array_info("constant").is_some() {
            let values: Vec<f64> = input.vec("constant")?;
            if values.is_empty() || values.iter().any(|v| !v.is_finite()) || for_classes {
                return Err(bad("its constants are no finite numbers"));
            }
            BaselinePrediction::Numbers(values)
        } else {
            let names: Vec<String> = input.field("classes")?;
            let shares: Vec<f64> = input.vec_of("class_prior", names.len())?;
            let constant: usize = input.field("constant_class")?;
            let sum: f64 = shares.iter().sum();
            if shares.iter().any(|p| !(0.0..=1.0).contains(p)) || (sum - 1.0).abs() > 1e-6 {
                return Err(bad("the shares of its classes are no shares"));
            }
            if constant >= names.len() {
                return Err(bad(&format!("class {constant} of {}", names.len())));
            }
            if !(for_classes || strategy == BaselineStrategy::Constant) {
                return Err(bad("its strategy is for numbers and it has classes"));
            }
            BaselinePrediction::Classes { names, shares, constant, seed: input.field("seed")? }
        };
        Ok(Self { n_features, strategy, prediction, certificate })
    }
}

ermine_core::display_as_report!(BaselineModel);

impl Model for BaselineModel {
    fn n_features(&self) -> usize {
        self.n_features
    }
    fn as_regressor(&self) -> Option<&dyn Regressor> {
        matches!(self.prediction, BaselinePrediction::Numbers(_)).then_some(self)
    }
    fn as_classifier(&self) -> Option<&dyn Classifier> {
        matches!(self.prediction, BaselinePrediction::Classes { .. }).then_some(self)
    }
    fn certificate(&self) -> Option<&Certificate> {
        Some(&self.certificate)
    }

    fn report(&self, _: &Schema) -> Report {
        let mut report = Report::default();
        match &self.prediction {
            BaselinePrediction::Numbers(values) => {
                let shown: Vec<String> = values.iter().map(|v| v.to_string()).collect();
                report.text(format!("Predicts {} for every row.", shown.join(", ")));
            }
            BaselinePrediction::Classes { names, shares, constant, .. } => {
                report.text(match self.strategy {
                    BaselineStrategy::Stratified => "Draws a class for each row with these shares.".into(),
                    BaselineStrategy::Uniform => "Draws a class for each row, all classes alike.".into(),
                    BaselineStrategy::Constant => format!("Predicts {} for every row.", names[*constant]),
                    _ => format!("Predicts {} for every row.", names[largest(shares)]),
                });
                let rows = names.iter().zip(shares).map(|(n, &p)| vec![n.as_str().into(), p.into()]).collect();
                report.table("Shares of the classes", &["class", "share"], rows);
            }
        }
        report
    }

    fn save(&self, out: &mut ModelWriter) -> Result<()> {
        out.field("strategy", &self.strategy)?;
        out.field("n_features", &self.n_features)?;
        out.field("certificate", &self.certificate)?;
        match &self.prediction {
            BaselinePrediction::Numbers(values) => out.vec("constant", values),
            BaselinePrediction::Classes { names, shares, constant, seed } => {
                out.field("classes", names)?;
                out.field("constant_class", constant)?;
                out.field("seed", seed)?;
                out.vec("class_prior", shares);
            }
        }
        Ok(())
    }
}

/// The first of the largest.
fn largest(shares: &[f64]) -> usize {
    let mut best = 0;
    for (c, &p) in shares.iter().enumerate() {
        if p > shares[best] {
            best = c;
        }
    }
    best
}

impl Regressor for BaselineModel {
    fn n_targets(&self) -> usize {
        self.constants().map_or(0, <[f64]>::len)
    }

    fn predict(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        x.expect_cols(self.n_features)?;
        let values = self.constants().unwrap_or_default();
        Ok(Mat::from_fn(x.rows(), values.len(), |_, k| values[k]))
    }
}

impl Classifier for BaselineModel {
    fn classes(&self) -> &[String] {
        match &self.prediction {
            BaselinePrediction::Classes { names, .. } => names,
            BaselinePrediction::Numbers(_) => &[],
        }
    }

    fn proba(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        x.expect_cols(self.n_features)?;
        let rows = x.rows();
        let BaselinePrediction::Classes { names, shares, constant, seed } = &self.prediction else {
            return Ok(Mat::zeros(rows, 0));
        };
        let one = |code: usize| move |_: usize, c: usize| f64::from(u8::from(c == code));
        Ok(match self.strategy {
            BaselineStrategy::MostFrequent => Mat::from_fn(rows, names.len(), one(largest(shares))),
            BaselineStrategy::Constant => Mat::from_fn(rows, names.len(), one(*constant)),
            BaselineStrategy::Uniform => {
                let alike = uniform(shares);
                Mat::from_fn(rows, names.len(), |_, c| alike[c])
            }
            BaselineStrategy::Stratified => {
                let drawn = self.draws(rows, shares, *seed);
                Mat::from_fn(rows, names.len(), |i, c| f64::from(u8::from(c == drawn[i] as usize)))
            }
            _ => Mat::from_fn(rows, names.len(), |_, c| shares[c]),
        })
    }

    fn classify(&self, x: &Features<'_>) -> Result<Vec<u32>> {
        match &self.prediction {
            BaselinePrediction::Classes { shares, seed, .. } if self.strategy == BaselineStrategy::Uniform => {
                x.expect_cols(self.n_features)?;
                Ok(self.draws(x.rows(), &uniform(shares), *seed))
            }
            _ => Ok(argmax_rows(self.proba(x)?.view())),
        }
    }
}

/// The same probability for every class that occurs.
fn uniform(shares: &[f64]) -> Vec<f64> {
    let occur = shares.iter().filter(|p| **p > 0.0).count() as f64;
    shares.iter().map(|&p| if p > 0.0 { 1.0 / occur } else { 0.0 }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn fit(learner: &Baseline, y: Target<'_>, weight: Option<&[f64]>) -> Result<BaselineModel> {
        let x = vec![f64::NAN; y.rows().unwrap() * 2];
        let x = Features::F64(MatRef::row_major(&x, y.rows().unwrap(), 2));
        learner.fit_with(&DatasetRef::new(x).with_target(y).with_weight(weight), &Context::seeded(3))
    }

    fn two_rows() -> Features<'static> {
        Features::F64(MatRef::row_major(&[0.0, 0.0, 0.0, 0.0], 2, 2))
    }

    fn with(name: &str, value: Value) -> Baseline {
        let mut b = Baseline::default();
        b.set(name, value).unwrap();
        b
    }

    #[test]
    fn shares_of_classes_are_the_probabilities() {
        let y = OwnedTarget::from_labels(&["b", "a", "b", "b"]);
        let model = fit(&Baseline::default(), y.view(), None).unwrap();
        assert_eq!(model.proba(&two_rows()).unwrap().as_slice(), [0.25, 0.75, 0.25, 0.75]);
        assert_eq!(model.classify(&two_rows()).unwrap(), [1, 1]);
        let entropy = -(0.25f64 * 0.25f64.ln() + 0.75 * 0.75f64.ln());
        assert!((model.certificate().unwrap().objective.unwrap() - entropy).abs() < 1e-15);
        let weighted = fit(&Baseline::default(), y.view(), Some(&[1.0, 5.0, 0.0, 1.0])).unwrap();
        assert_eq!(weighted.classify(&two_rows()).unwrap(), [0, 0]);
        let sure = fit(&with("strategy", json!("most_frequent")), y.view(), None).unwrap();
        assert_eq!(sure.proba(&two_rows()).unwrap().as_slice(), [0.0, 1.0, 0.0, 1.0]);
    }

    #[test]
    fn numbers_are_answered_with_mean_median_or_quantile() {
        let y = [1.0, 2.0, 10.0, 3.0];
        let predict = |b: &Baseline, w: Option<&[f64]>| fit(b, Target::Real(&y), w).unwrap().constants().unwrap()[0];
        assert_eq!(predict(&Baseline::default(), None), 4.0);
        assert_eq!(predict(&with("strategy", json!("median")), None), 2.5);
        assert_eq!(predict(&with("strategy", json!("median")), Some(&[1.0, 0.0, 0.0, 1.0])), 2.0);
        let mut q = with("quantile", json!(0.25));
        q.set("strategy", json!("quantile")).unwrap();
        assert_eq!(predict(&q, None), 1.75);
        let two = [1.0, 5.0, 3.0, 7.0];
        let both = fit(&with("strategy", json!("median")), Target::Reals(MatRef::row_major(&two, 2, 2)), None).unwrap();
        assert_eq!(both.predict(&two_rows()).unwrap().as_slice(), [2.0, 6.0, 2.0, 6.0]);
    }

    #[test]
    fn constants_are_checked_against_the_target() {
        let set = |v: Value| {
            let mut b = with("constant", v);
            b.set("strategy", json!("constant")).unwrap();
            b
        };
        let y = OwnedTarget::from_labels(&["1", "2", "2"]);
        let model = fit(&set(json!("1")), y.view(), None).unwrap();
        assert_eq!(model.classify(&two_rows()).unwrap(), [0, 0]);
        assert_eq!(fit(&set(json!(2)), y.view(), None).unwrap().classify(&two_rows()).unwrap(), [1, 1]);
        let e = fit(&set(json!("3")), y.view(), None).unwrap_err().to_string();
        assert!(e.contains("\"constant\"") && e.contains("1, 2"), "{e}");
        assert!(fit(&set(json!("a")), Target::Real(&[1.0]), None).is_err());
        assert!(fit(&set(json!([1.0, 2.0])), Target::Real(&[1.0]), None).is_err());
        assert!(Baseline::default().set("strategy", json!("constant")).is_err());
        assert!(fit(&with("strategy", json!("mean")), y.view(), None).is_err());
        assert!(fit(&with("strategy", json!("prior")), Target::Real(&[1.0]), None).is_err());
    }

    #[test]
    fn draws_follow_the_shares_and_the_seed() {
        let labels: Vec<&str> = (0..1000).map(|i| if i % 4 == 0 { "a" } else { "b" }).collect();
        let y = OwnedTarget::from_labels(&labels);
        let cells = vec![0.0; 8000];
        let x = Features::F64(MatRef::row_major(&cells, 4000, 2));
        for (strategy, share) in [("stratified", 0.25), ("uniform", 0.5)] {
            let model = fit(&with("strategy", json!(strategy)), y.view(), None).unwrap();
            let codes = model.classify(&x).unwrap();
            let first = codes.iter().filter(|&&c| c == 0).count() as f64 / 4000.0;
            // Five standard errors.
            assert!((first - share).abs() < 5.0 * 0.5 / 4000f64.sqrt(), "{strategy}: {first}");
            assert_eq!(codes, model.classify(&x).unwrap());
        }
    }

    #[test]
    fn a_model_that_was_read_predicts_the_same_and_a_broken_one_is_refused() {
        let y = OwnedTarget::from_labels(&["b", "a", "b"]);
        for model in [
            fit(&Baseline::default(), y.view(), None).unwrap(),
            fit(&with("strategy", json!("stratified")), y.view(), None).unwrap(),
            fit(&Baseline::default(), Target::Real(&[1.0, 2.0]), None).unwrap(),
        ] {
            let mut out = ModelWriter::default();
            model.save(&mut out).unwrap();
            assert_eq!(Baseline::load(&out.clone().into_reader()).unwrap(), model);
            if model.shares().is_some() {
                out.field("constant_class", &7usize).unwrap();
            } else {
                out.vec("constant", &[f64::NAN]);
            }
            assert!(Baseline::load(&out.into_reader()).is_err());
        }
    }
}
