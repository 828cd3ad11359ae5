//! Multinomial naive Bayes, and its complement.

use ermine_core::parallel::prelude::*;
use ermine_core::*;
use ermine_math::distribution::ln_gamma;
use ermine_math::row_ops::add_scaled;
use serde::{Deserialize, Serialize};

use super::counts::{self, ClassCounts, CountLearner, CountState, report_columns};
use super::discrete::{self, CLASS_PRIOR, ClassPriors, FIT_PRIOR, LinearScores, Smoothing};
use super::posterior::classify_by_scores;
use super::priors::class_table;
use ermine_core::blocks::column_label;

/// Rows are counts: how often each column occurs, in text how often each word. A class is a die with a side for each column.
///
/// # What it maximizes
/// Σᵢ wᵢ (ln πₖ + Σⱼ xᵢⱼ ln θₖⱼ) + Σₖⱼ αⱼ ln θₖⱼ, k the class of row i: the posterior mean of θ under a Dirichlet prior
/// of the pseudo-counts α, θₖⱼ = (Nₖⱼ + αⱼ) / (Nₖ + Σⱼ αⱼ), Nₖⱼ the counts of column j in class k.
///
/// With `complement` the score of a class is how little a row looks like the rows of all other classes:
/// -Σⱼ xⱼ ln θ̄ₖⱼ with θ̄ₖⱼ = (αⱼ + Σ_{l≠k} Nₗⱼ) / (Σⱼ αⱼ + Σ_{l≠k} Nₗ). It is the better one of the two where classes are of
/// very different sizes; its scores are no log-probabilities, and what it gives as probabilities is their softmax.
///
/// # When to use it
/// For texts as counts of words, or for anything that is counted. One pass; sparse rows are read as they lie.
///
/// # Example
/// ```
/// use ermine_core::{Classifier, Context, DatasetRef, Features, Learner, MatRef, OwnedTarget};
/// use ermine_bayes::MultinomialNb;
///
/// // Counts of "goal", "vote", "team".
/// let x = Features::F64(MatRef::row_major(&[3.0, 0.0, 2.0, 0.0, 4.0, 0.0, 1.0, 0.0, 1.0, 0.0, 2.0, 1.0], 4, 3));
/// let y = OwnedTarget::from_labels(&["sport", "politics", "sport", "politics"]);
/// let model = MultinomialNb::default().fit_with(&DatasetRef::new(x).with_target(y.view()), &Context::default())?;
/// assert_eq!(model.classify(&Features::F64(MatRef::row_major(&[0.0, 1.0, 0.0], 1, 3)))?, [0]);
/// # Ok::<(), ermine_core::Error>(())
/// ```
///
/// # Parameters
/// Described in [`Learner::SPEC`].
///
/// # Cost
/// One pass, an addition per cell that is not 0; prediction a multiplication per cell and class.
///
/// # What it does not do
/// It does not take numbers below 0, and does not see that words come together. With `alpha` 0 what a class has never
/// seen is impossible in it; of a row that is impossible in all classes, the possible part decides after the impossible
/// one, as in the limit of small `alpha`.
///
/// # Reference
/// Manning, Raghavan, Schütze, Introduction to Information Retrieval, chapter 13; Rennie et al., ICML 2003.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[doc(alias = "MultinomialNB")]
pub struct MultinomialNb {
    /// Pseudo-counts.
    pub alpha: Smoothing,
    /// Whether classes are as probable as their shares.
    pub fit_prior: bool,
    /// Probabilities of the classes, in their order.
    pub class_prior: Option<Vec<f64>>,
    /// Score a class by how little a row looks like all others.
    pub complement: bool,
    /// Divide the weights of a class by their sum.
    pub norm: bool,
}

impl Default for MultinomialNb {
    fn default() -> Self {
        Self { alpha: Smoothing::All(1.0), fit_prior: true, class_prior: None, complement: false, norm: false }
    }
}

#[cfg(feature = "fit")]
impl CountLearner for MultinomialNb {
    fn priors(&self) -> ClassPriors<'_> {
        ClassPriors { learner: Self::SPEC.name, fit: self.fit_prior, given: self.class_prior.as_deref() }
    }

    fn alpha(&self) -> &Smoothing {
        &self.alpha
    }

    fn counts(model: &MultinomialNbModel) -> (&[String], ClassCounts) {
        (&model.classes, ClassCounts { class: model.class_count.clone(), cells: model.feature_count.clone(), finite: true })
    }

    fn model(&self, classes: Vec<String>, totals: ClassCounts) -> Result<MultinomialNbModel> {
        let ClassCounts { class, cells, .. } = totals;
        let cols = cells.cols();
        let alphas: Vec<f64> = (0..cols).map(|j| self.alpha.of(j)).collect();
        let mut all = vec![0.0; if self.complement { cols } else { 0 }];
        for k in 0..class.len() {
            all.iter_mut().zip(cells.row(k)).for_each(|(a, c)| *a += c);
        }
        let mut weights = Mat::zeros(class.len(), cols);
        weights.as_mut_slice().par_chunks_mut(cols.max(1)).enumerate().try_for_each(|(k, row)| {
            let seen = cells.row(k);
            let count = |j: usize| match self.complement {
                true => (all[j] - seen[j]).max(0.0) + alphas[j],
                false => seen[j] + alphas[j],
            };
            let total: f64 = (0..cols).map(count).sum();
            // In a class of no counts and no pseudo-counts all columns are equally probable.
            let (counts, log_total) = (total > 0.0, if total > 0.0 { total.ln() } else { (cols as f64).ln() });
            for (j, v) in row.iter_mut().enumerate() {
                *v = if counts { count(j).ln() - log_total } else { -log_total };
            }
            if self.complement {
                let sum: f64 = row.iter().sum();
                let scale = if self.norm && sum != 0.0 { 1.0 / sum } else { -1.0 };
                row.iter_mut().for_each(|v| *v *= scale);
                if let Some(j) = row.iter().position(|v| !v.is_finite()) {
                    return Err(Error::Numeric(format!(
                        "column {j} has no count outside class \"{}\", so that its complement weight is infinite; use an alpha \
                         above 0",
                        classes[k]
                    )));
                }
            }
            Ok(())
        })?;
        let log_prior = self.priors().logs(&class);
        Ok(MultinomialNbModel::new(classes, class, cells, weights, log_prior, self.complement))
    }
}

impl MultinomialNb {
    /// Its name in the catalogue and in model files.
    pub(crate) const NAME: &'static str = "multinomial-nb";
}

#[cfg(feature = "fit")]
impl Learner for MultinomialNb {
    type Model = MultinomialNbModel;

    const SPEC: Spec = Spec {
        name: Self::NAME,
        summary: "Naive Bayes for counts, such as words of texts: a class is a die with a side for each column",
        objective: "theta_kj = (N_kj + alpha_j) / (N_k + sum_j alpha_j); max over k of ln prior_k + sum_j x_j ln theta_kj; complement: \
                    max over k of -sum_j x_j ln ((alpha_j + sum_{l!=k} N_lj) / (sum_j alpha_j + sum_{l!=k} N_l))",
        notes: "For texts as counts of words (or tf-idf) and anything that is counted; cells must be 0 or more. One pass; sparse rows are \
                read as they lie. alpha is the Dirichlet prior; at 0 what a class has never seen is impossible in it. The complement is \
                better where classes differ much in size; its probabilities are the softmax of its scores. Probabilities are \
                overconfident, since words count as independent evidence.",
        reference: "Manning, Raghavan, Schuetze: Introduction to Information Retrieval, 2008, chapter 13; Rennie, Shih, Teevan, Karger: \
                    Tackling the poor assumptions of naive Bayes text classifiers, ICML 2003",
        family: Family::Bayes,
        tasks: &[Task::Classification],
        accepts: Accepts { weights: true, missing: false, categorical: false, sparse: true, passes: true, multi_target: false },
        params: &[
            ParamSpec {
                name: "alpha",
                doc: "Pseudo-counts that are added to the counts of every column in every class: one number, or a list with one for each \
                      column.",
                range: Smoothing::RANGE,
            },
            FIT_PRIOR,
            CLASS_PRIOR,
            ParamSpec {
                name: "complement",
                doc: "Score a class by how little a row looks like the rows of all other classes; the priors are then not used.",
                range: Range::Bool,
            },
            ParamSpec {
                name: "norm",
                doc: "Divide the complement's weights of each class by their sum, so that long texts do not favor a class.",
                range: Range::Bool,
            },
        ],
    };
    const STREAM: Option<StreamFit<Self>> = Some(run_passes_source::<Self>);
    // Counts of the classes; pseudo-counts and priors come afterwards.
    const FOLD_SUMS: Option<FoldFit<Self>> = Some(FoldFit::from_pass_learner(|_, data, cut| {
        let (_, classes) = data.y.classes().ok()?;
        cut.fits_memory(classes.len() * data.cols()).then(String::new)
    }));
    const PARTIAL_FIT: Option<FitFrom<Self>> = Some(counts::resume::<Self>);
    const VALUE_KIND: ValueKind = ValueKind::Counts;

    fn check(&self) -> Result<()> {
        self.check_ranges()?;
        if self.norm && !self.complement {
            let expected = "it divides the weights of the complement; set complement too".to_owned();
            return Err(Error::parameter(Self::SPEC.name, "norm", "true", expected));
        }
        self.priors().check()
    }

    fn fit_rows(&self, data: &DatasetRef<'_>, cx: &Context<'_>) -> Result<MultinomialNbModel> {
        run_passes(self, data, cx)
    }

    fn load(input: &ModelReader) -> Result<MultinomialNbModel> {
        MultinomialNbModel::load(input)
    }
}

#[cfg(feature = "fit")]
impl PassLearner for MultinomialNb {
    type State = CountState;
    type Partial = ClassCounts;

    fn block_rows(&self, cols: usize) -> usize {
        counts::block_rows(cols)
    }

    fn initial_state(&self, head: &DatasetRef<'_>, _: &Context<'_>) -> Result<CountState> {
        counts::initial_state(self, head)
    }

    fn empty_partial(&self, state: &CountState) -> ClassCounts {
        ClassCounts::new(state)
    }

    fn add_block(&self, state: &CountState, part: &mut ClassCounts, rows: &DatasetRef<'_>) -> Result<()> {
        rows.x.expect_cols(state.columns)?;
        let (codes, _) = rows.y.classes()?;
        let mut scratch = Vec::new();
        for (i, &k) in codes.iter().enumerate() {
            part.class[k as usize] += rows.weight_of(i);
        }
        let least = match rows.x {
            Features::Csr(m) => {
                let mut least = 0.0f64;
                for (i, &k) in codes.iter().enumerate() {
                    let (indices, values) = m.row(i);
                    let (sums, w) = (part.cells.row_mut(k as usize), rows.weight_of(i));
                    indices.iter().zip(values).for_each(|(&j, &v)| sums[j as usize] += w * v);
                    // A weight of 0 hides what is not finite.
                    let (low, zero) = values.iter().fold((0.0f64, 0.0), |(low, zero), v| (low.min(*v), zero + v * 0.0));
                    least = least.min(low);
                    part.finite &= zero == 0.0;
                }
                least
            }
            Features::F64(m) if m.row(0).is_some() => add_dense(part, m, rows, codes),
            Features::F32(m) if m.row(0).is_some() => add_dense(part, m, rows, codes),
            Features::F64(m) => add_dense(part, m.to_owned().view(), rows, codes),
            Features::F32(m) => add_dense(part, m.to_owned().view(), rows, codes),
            Features::Table(_) => add_dense(part, rows.x.f64_rows(&mut scratch, Self::SPEC.name)?, rows, codes),
        };
        if !part.is_finite() {
            rows.x.refuse_non_finite(rows.schema)?;
        }
        if least < 0.0 {
            return Err(negative(&rows.x, rows.schema));
        }
        if !part.is_finite() {
            return Err(Error::Numeric("the sums of the columns overflow; scale the columns down".into()));
        }
        Ok(())
    }

    fn finish(&self, state: CountState, total: ClassCounts, _: &Context<'_>) -> Result<PassStep<CountState, MultinomialNbModel>> {
        Ok(PassStep::Done(self.model(state.classes, total)?))
    }
}

/// Adds contiguous rows; returns the least cell, 0 when none is below.
fn add_dense<T: ermine_math::moments::Real>(
    part: &mut ClassCounts,
    m: MatRef<'_, T>,
    rows: &DatasetRef<'_>,
    codes: &[u32],
) -> f64 {
    let mut least = 0.0f64;
    for (i, &k) in codes.iter().enumerate() {
        let Some(row) = m.row(i) else { continue };
        add_scaled(part.cells.row_mut(k as usize), rows.weight_of(i), row);
        let (low, sum) = row.iter().fold((0.0f64, 0.0), |(low, sum), v| (low.min(v.to_f64()), sum + v.to_f64() * 0.0));
        least = least.min(low);
        part.finite &= sum == 0.0;
    }
    least
}

/// The error for the first cell below 0.
fn negative(x: &Features<'_>, schema: Option<&Schema>) -> Error {
    let needed = format!("{} counts how often things occur, and needs numbers from 0 up", MultinomialNb::NAME);
    let mut scratch = Vec::new();
    for row in 0..x.rows() {
        let one = x.row_range(row..row + 1);
        let negative_cell = match &one {
            Features::Csr(m) => {
                let (indices, values) = m.row(0);
                values.iter().position(|v| *v < 0.0).map(|at| (indices[at] as usize, values[at]))
            }
            dense => dense.f64_rows(&mut scratch, MultinomialNb::NAME).ok().and_then(|m| {
                let j = (0..m.cols()).find(|&j| *m.at(0, j) < 0.0)?;
                Some((j, *m.at(0, j)))
            }),
        };
        if let Some((column, value)) = negative_cell {
            return Error::OutOfRange { what: format!("column {}", column_label(schema, column)), row, value, needed };
        }
    }
    Error::Data(needed)
}

/// The model of a [`MultinomialNb`]: the counts, and what a unit of each column adds to the score of each class.
#[derive(Debug, Clone, PartialEq)]
pub struct MultinomialNbModel {
    classes: Vec<String>,
    class_count: Vec<f64>,
    feature_count: Mat<f64>,
    weights: Mat<f64>,
    class_log_prior: Vec<f64>,
    complement: bool,
    scores: LinearScores,
    certificate: Certificate,
}

impl MultinomialNbModel {
    fn new(
        classes: Vec<String>,
        class_count: Vec<f64>,
        feature_count: Mat<f64>,
        weights: Mat<f64>,
        class_log_prior: Vec<f64>,
        complement: bool,
    ) -> Self {
        let base = if complement { vec![0.0; classes.len()] } else { class_log_prior.clone() };
        let totals: Vec<f64> = (0..classes.len()).map(|k| feature_count.row(k).iter().sum()).collect();
        let scores = LinearScores::new(&weights, &base, &totals);
        let certificate = Certificate { method: "counts".into(), iterations: 1, converged: true, ..Certificate::default() };
        Self { classes, class_count, feature_count, weights, class_log_prior, complement, scores, certificate }
    }

    /// The weight of the training rows of each class.
    pub fn class_count(&self) -> &[f64] {
        &self.class_count
    }

    /// The counts of the columns, weighted: one row per class.
    pub fn feature_count(&self) -> &Mat<f64> {
        &self.feature_count
    }

    /// The coefficient of each column in the score of each class: ln θ, or the weights of the complement.
    pub fn feature_log_prob(&self) -> &Mat<f64> {
        &self.weights
    }

    /// Logarithms of the probabilities of the classes before a row is seen.
    pub fn class_log_prior(&self) -> &[f64] {
        &self.class_log_prior
    }

    fn scored(&self, x: &Features<'_>, end: impl Fn(&mut [f64]) + Sync) -> Result<Mat<f64>> {
        self.scores.rows(x, MultinomialNb::NAME, end)
    }

    fn joint(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        self.scores.joint(x, MultinomialNb::NAME)
    }

    pub(crate) fn load(input: &ModelReader) -> Result<Self> {
        let bad = |m: &str| Error::Model(format!("multinomial-nb: {m}"));
        let classes: Vec<String> = input.field("classes")?;
        let complement: bool = input.field("complement")?;
        let feature_count: Mat<f64> = input.mat("feature_count")?;
        let (k, cols) = (feature_count.rows(), feature_count.cols());
        let weights = input.mat_of("feature_log_prob", k, cols)?;
        let class_count = input.vec_of("class_count", k)?;
        let class_log_prior = input.vec_of("class_log_prior", k)?;
        discrete::check_classes("multinomial-nb", &classes, &class_count, &class_log_prior)?;
        if cols == 0 || !feature_count.as_slice().iter().all(|v| v.is_finite() && *v >= 0.0) {
            return Err(bad("its counts are no counts"));
        }
        if !discrete::are_logs(weights.as_slice()) {
            return Err(bad("its weights are no numbers"));
        }
        Ok(Self::new(classes, class_count, feature_count, weights, class_log_prior, complement))
    }
}

ermine_core::display_as_report!(MultinomialNbModel);

impl Model for MultinomialNbModel {
    fn n_features(&self) -> usize {
        self.weights.cols()
    }
    fn as_classifier(&self) -> Option<&dyn Classifier> {
        Some(self)
    }
    fn as_density(&self) -> Option<&dyn Density> {
        (!self.complement).then_some(self)
    }
    fn certificate(&self) -> Option<&Certificate> {
        Some(&self.certificate)
    }

    fn report(&self, schema: &Schema) -> Report {
        let mut report = Report::default();
        class_table(&mut report, &self.classes, &self.class_count, |k| self.class_log_prior[k].exp());
        report_columns(&mut report, schema, &self.classes, &self.weights, "Columns that point most to a class");
        report
    }

    fn save(&self, out: &mut ModelWriter) -> Result<()> {
        out.field("classes", &self.classes)?;
        out.field("complement", &self.complement)?;
        out.vec("class_count", &self.class_count);
        out.vec("class_log_prior", &self.class_log_prior);
        out.mat("feature_count", &self.feature_count);
        out.mat("feature_log_prob", &self.weights);
        Ok(())
    }
}

classify_by_scores!(MultinomialNbModel, decision: joint);

impl Density for MultinomialNbModel {
    /// The logarithm of the probability of these counts among all that have the same sum.
    fn log_density(&self, x: &Features<'_>) -> Result<Vec<f64>> {
        let joint = self.joint(x)?;
        let mut logs = discrete::log_density(&joint, &self.class_log_prior);
        let mut scratch = Vec::new();
        for (i, log) in logs.iter_mut().enumerate() {
            let one = x.row_range(i..i + 1);
            let ways = |cells: &mut dyn Iterator<Item = f64>| {
                let (mut sum, mut ways) = (0.0, 0.0);
                for v in cells.filter(|v| *v > 0.0) {
                    sum += v;
                    ways -= ln_gamma(v + 1.0);
                }
                ways + ln_gamma(sum + 1.0)
            };
            *log += match &one {
                Features::Csr(m) => ways(&mut m.row(0).1.iter().copied()),
                _ => {
                    let m = one.f64_rows(&mut scratch, MultinomialNb::NAME)?;
                    ways(&mut (0..m.cols()).map(|j| *m.at(0, j)))
                }
            };
        }
        Ok(logs)
    }

    fn n_parameters(&self) -> usize {
        let k = self.classes.len();
        k - 1 + k * (self.weights.cols() - 1)
    }
}
