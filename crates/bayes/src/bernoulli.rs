//! Bernoulli naive Bayes.

use ermine_core::*;
use serde::{Deserialize, Serialize};

use super::counts::{self, ClassCounts, CountLearner, CountState, report_columns};
use super::discrete::{self, CLASS_PRIOR, ClassPriors, FIT_PRIOR, LinearScores, Smoothing};
use super::posterior::{classifier_with_density, classify_by_scores};
use super::priors::class_table;
use ermine_core::blocks::column_label;

/// Columns hold or do not hold, independently within a class: in text, whether a word occurs at all.
///
/// # What it maximizes
/// Σᵢ wᵢ (ln πₖ + Σⱼ bᵢⱼ ln pₖⱼ + (1 - bᵢⱼ) ln (1 - pₖⱼ)) with bᵢⱼ whether cell ij is above `binarize` and k the class of
/// row i, plus the logarithms of Beta priors: pₖⱼ = (nₖⱼ + αⱼ) / (nₖ + 2 αⱼ), nₖⱼ the weight of the rows of class k in
/// which j holds.
///
/// # When to use it
/// For columns of yes and no, and for short texts, where it also learns from the words that are not there.
///
/// # Example
/// ```
/// use ermine_core::{Classifier, Context, DatasetRef, Features, Learner, MatRef, OwnedTarget};
/// use ermine_bayes::BernoulliNb;
///
/// let x = Features::F64(MatRef::row_major(&[1.0, 0.0, 1.0, 1.0, 0.0, 1.0, 0.0, 0.0], 4, 2));
/// let y = OwnedTarget::from_labels(&["a", "a", "b", "b"]);
/// let model = BernoulliNb::default().fit_with(&DatasetRef::new(x).with_target(y.view()), &Context::default())?;
/// assert!((model.feature_log_prob()[(0, 0)] - (3.0f64 / 4.0).ln()).abs() < 1e-15);
/// # Ok::<(), ermine_core::Error>(())
/// ```
///
/// # Parameters
/// Described in [`Learner::SPEC`].
///
/// # Cost
/// One pass, an addition per cell that holds; prediction a multiplication per cell and class, of sparse rows per cell
/// that holds and class.
///
/// # What it does not do
/// It does not see how far a cell is above the threshold. Rows that are impossible in all classes, which there are with
/// `alpha` 0 only, are judged as in the limit of small `alpha`.
///
/// # Reference
/// Manning, Raghavan, Schütze, Introduction to Information Retrieval, section 13.3.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[doc(alias = "BernoulliNB")]
pub struct BernoulliNb {
    /// Pseudo-counts of yes and of no.
    pub alpha: Smoothing,
    /// Cells above it hold; without it cells are 0 or 1 already.
    pub binarize: Option<f64>,
    /// Whether classes are as probable as their shares.
    pub fit_prior: bool,
    /// Probabilities of the classes, in their order.
    pub class_prior: Option<Vec<f64>>,
}

impl Default for BernoulliNb {
    fn default() -> Self {
        Self { alpha: Smoothing::All(1.0), binarize: Some(0.0), fit_prior: true, class_prior: None }
    }
}

#[cfg(feature = "fit")]
impl CountLearner for BernoulliNb {
    fn priors(&self) -> ClassPriors<'_> {
        ClassPriors { learner: Self::SPEC.name, fit: self.fit_prior, given: self.class_prior.as_deref() }
    }

    fn alpha(&self) -> &Smoothing {
        &self.alpha
    }

    fn counts(model: &BernoulliNbModel) -> (&[String], ClassCounts) {
        (&model.classes, ClassCounts { class: model.class_count.clone(), cells: model.feature_count.clone(), finite: true })
    }

    fn model(&self, classes: Vec<String>, totals: ClassCounts) -> Result<BernoulliNbModel> {
        let ClassCounts { class, cells, .. } = totals;
        let (k, cols) = (cells.rows(), cells.cols());
        let log = |hits: f64, k: usize, j: usize| {
            let alpha = self.alpha.of(j);
            let all = class[k] + 2.0 * alpha;
            // A class of no rows and no pseudo-counts has no information: all its levels are alike.
            if all > 0.0 { (hits + alpha).ln() - all.ln() } else { 0.5f64.ln() }
        };
        let ones = Mat::from_fn(k, cols, |k, j| log(cells[(k, j)], k, j));
        let zeros = Mat::from_fn(k, cols, |k, j| log((class[k] - cells[(k, j)]).max(0.0), k, j));
        let log_prior = self.priors().logs(&class);
        Ok(BernoulliNbModel::new(classes, class, cells, [ones, zeros], log_prior, self.binarize))
    }
}

impl BernoulliNb {
    /// Its name in the catalogue and in model files.
    pub(crate) const NAME: &'static str = "bernoulli-nb";
}

#[cfg(feature = "fit")]
impl Learner for BernoulliNb {
    type Model = BernoulliNbModel;

    const SPEC: Spec = Spec {
        name: Self::NAME,
        summary: "Naive Bayes for yes/no columns: independent within a class, each with its probability",
        objective: "p_kj = (n_kj + alpha_j) / (n_k + 2 alpha_j); max over k of ln prior_k + sum_j b_j ln p_kj + (1 - b_j) ln (1 - p_kj), \
                    b_j whether cell j is above binarize",
        notes: "For yes and no, and for short texts, where absent words are evidence too. One pass; sparse rows are read as they lie. alpha is \
                the Beta prior; at 0 what a class has never seen is impossible in it. Probabilities are overconfident where columns \
                depend on each other.",
        reference: "Manning, Raghavan, Schuetze: Introduction to Information Retrieval, 2008, section 13.3",
        family: Family::Bayes,
        tasks: &[Task::Classification],
        accepts: Accepts { weights: true, missing: false, categorical: false, sparse: true, passes: true, multi_target: false },
        params: &[
            ParamSpec {
                name: "alpha",
                doc: "Pseudo-counts of yes and of no that are added in every class: one number, or a list with one for each column.",
                range: Smoothing::RANGE,
            },
            ParamSpec {
                name: "binarize",
                doc: "Cells above this number are yes. null: the cells are 0 or 1 already, or shares between.",
                range: Range::Optional(&Range::Real { min: f64::NEG_INFINITY, max: f64::INFINITY, above: false, log: false }),
            },
            FIT_PRIOR,
            CLASS_PRIOR,
        ],
    };
    const STREAM: Option<StreamFit<Self>> = Some(run_passes_source::<Self>);
    // Counts of bits, which depend on where cells are cut; pseudo-counts and priors come afterwards.
    const FOLD_SUMS: Option<FoldFit<Self>> = Some(FoldFit::from_pass_learner(|nb, data, cut| {
        let (_, classes) = data.y.classes().ok()?;
        cut.fits_memory(classes.len() * data.cols()).then(|| format!("{:?}", nb.binarize))
    }));
    const PARTIAL_FIT: Option<FitFrom<Self>> = Some(counts::resume::<Self>);
    const VALUE_KIND: ValueKind = ValueKind::Bits;

    fn check(&self) -> Result<()> {
        self.check_ranges()?;
        self.priors().check()
    }

    fn fit_rows(&self, data: &DatasetRef<'_>, cx: &Context<'_>) -> Result<BernoulliNbModel> {
        run_passes(self, data, cx)
    }

    fn load(input: &ModelReader) -> Result<BernoulliNbModel> {
        BernoulliNbModel::load(input)
    }
}

/// A cell as 0 or 1, or none when it is no number to be compared.
#[inline]
fn bit(v: f64, binarize: Option<f64>) -> Option<f64> {
    match binarize {
        Some(threshold) => v.is_finite().then_some(f64::from(u8::from(v > threshold))),
        None => (0.0..=1.0).contains(&v).then_some(v),
    }
}

/// The error for a cell that [`bit`] has no answer for.
fn refuse(x: &Features<'_>, schema: Option<&Schema>, row: usize, column: usize, value: f64) -> Error {
    if let Err(e) = x.row_range(row..row + 1).refuse_non_finite(schema) {
        return e.with_row(|_| row);
    }
    let needed = format!("without binarize, {} needs numbers from 0 to 1", BernoulliNb::NAME);
    Error::OutOfRange { what: format!("column {}", column_label(schema, column)), row, value, needed }
}

/// Rows as 0 and 1. Sparse rows stay sparse, so that a threshold below 0 is refused for them.
fn bits(x: &Features<'_>, schema: Option<&Schema>, binarize: Option<f64>) -> Result<OwnedFeatures> {
    if let Features::Csr(m) = x {
        if let Some(threshold) = binarize.filter(|t| *t < 0.0) {
            return Err(Error::parameter(
                BernoulliNb::NAME,
                "binarize",
                threshold,
                "in sparse rows, cells that are not stored are 0 and would all be above it; make the rows dense",
            ));
        }
        let (mut ends, mut columns, mut values) = (vec![0], Vec::with_capacity(m.stored()), Vec::with_capacity(m.stored()));
        let mut order: Vec<(u32, f64)> = Vec::new();
        for i in 0..m.rows() {
            let (indices, cells) = m.row(i);
            order.clear();
            order.extend(indices.iter().copied().zip(cells.iter().copied()));
            // Equal columns of a row add up before they are compared.
            if !indices.is_sorted_by(|a, b| a < b) {
                order.sort_by_key(|c| c.0);
                order.dedup_by(|b, a| {
                    let same = a.0 == b.0;
                    if same {
                        a.1 += b.1;
                    }
                    same
                });
            }
            for &(j, v) in &order {
                let b = bit(v, binarize).ok_or_else(|| refuse(x, schema, i, j as usize, v))?;
                if b > 0.0 {
                    columns.push(j);
                    values.push(b);
                }
            }
            ends.push(values.len());
        }
        return Csr::new(ends, columns, values, m.cols()).map(OwnedFeatures::Csr);
    }
    let mut scratch = Vec::new();
    let m = x.f64_rows(&mut scratch, BernoulliNb::NAME)?;
    let mut out = Mat::zeros(m.rows(), m.cols());
    for i in 0..m.rows() {
        let row = out.row_mut(i);
        m.copy_row(i, row);
        for (j, v) in row.iter_mut().enumerate() {
            *v = bit(*v, binarize).ok_or_else(|| refuse(x, schema, i, j, *v))?;
        }
    }
    Ok(OwnedFeatures::F64(out))
}

#[cfg(feature = "fit")]
impl PassLearner for BernoulliNb {
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
        // A few rows at a time: the bits are a second copy.
        const FEW: usize = 1024;
        for first in (0..rows.rows()).step_by(FEW) {
            let range = first..(first + FEW).min(rows.rows());
            let bits =
                bits(&rows.x.row_range(range.clone()), rows.schema, self.binarize).map_err(|e| e.with_row(|r| r + first))?;
            for (r, i) in range.enumerate() {
                let (k, w) = (codes[i] as usize, rows.weight_of(i));
                part.class[k] += w;
                let sums = part.cells.row_mut(k);
                match &bits {
                    OwnedFeatures::Csr(m) => {
                        let (indices, values) = m.view().row(r);
                        indices.iter().zip(values).for_each(|(&j, b)| sums[j as usize] += w * b);
                    }
                    OwnedFeatures::F64(m) => sums.iter_mut().zip(m.row(r)).for_each(|(s, b)| *s += w * b),
                    _ => unreachable!("bits are f64 or sparse"),
                }
            }
        }
        Ok(())
    }

    fn finish(&self, state: CountState, total: ClassCounts, _: &Context<'_>) -> Result<PassStep<CountState, BernoulliNbModel>> {
        Ok(PassStep::Done(self.model(state.classes, total)?))
    }
}

/// The model of a [`BernoulliNb`]: in how many rows of each class each column holds.
#[derive(Debug, Clone, PartialEq)]
pub struct BernoulliNbModel {
    classes: Vec<String>,
    class_count: Vec<f64>,
    feature_count: Mat<f64>,
    /// Logarithms of the probabilities of yes and of no.
    logs: [Mat<f64>; 2],
    class_log_prior: Vec<f64>,
    binarize: Option<f64>,
    scores: LinearScores,
    certificate: Certificate,
}

impl BernoulliNbModel {
    fn new(
        classes: Vec<String>,
        class_count: Vec<f64>,
        feature_count: Mat<f64>,
        logs: [Mat<f64>; 2],
        class_log_prior: Vec<f64>,
        binarize: Option<f64>,
    ) -> Self {
        let scores = LinearScores::of_bits(&logs[0], &logs[1], &class_log_prior, &class_count);
        let certificate = Certificate { method: "counts".into(), iterations: 1, converged: true, ..Certificate::default() };
        Self { classes, class_count, feature_count, logs, class_log_prior, binarize, scores, certificate }
    }

    /// The weight of the training rows of each class.
    pub fn class_count(&self) -> &[f64] {
        &self.class_count
    }

    /// The weight of the rows in which each column holds: one row per class.
    pub fn feature_count(&self) -> &Mat<f64> {
        &self.feature_count
    }

    /// Logarithms of the probabilities that the columns hold: one row per class.
    pub fn feature_log_prob(&self) -> &Mat<f64> {
        &self.logs[0]
    }

    /// Logarithms of the probabilities of the classes before a row is seen.
    pub fn class_log_prior(&self) -> &[f64] {
        &self.class_log_prior
    }

    /// Applies `each` to the scores of rows, which are turned into bits a few at a time.
    fn on_bits(&self, x: &Features<'_>, each: impl Fn(&Features<'_>) -> Result<Mat<f64>>) -> Result<Mat<f64>> {
        const FEW: usize = 1 << 14;
        x.expect_cols(self.feature_count.cols())?;
        let mut out = Mat::zeros(0, self.classes.len());
        for first in (0..x.rows()).step_by(FEW) {
            let part = x.row_range(first..(first + FEW).min(x.rows()));
            let bits = bits(&part, None, self.binarize).map_err(|e| e.with_row(|r| r + first))?;
            out.append_rows(each(&bits.view())?);
        }
        Ok(out)
    }

    fn scored(&self, x: &Features<'_>, end: impl Fn(&mut [f64]) + Sync) -> Result<Mat<f64>> {
        self.on_bits(x, |bits| self.scores.rows(bits, BernoulliNb::NAME, &end))
    }

    fn joint(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        self.on_bits(x, |bits| self.scores.joint(bits, BernoulliNb::NAME))
    }

    pub(crate) fn load(input: &ModelReader) -> Result<Self> {
        let bad = |m: &str| Error::Model(format!("bernoulli-nb: {m}"));
        let classes: Vec<String> = input.field("classes")?;
        let binarize: Option<f64> = input.field("binarize")?;
        let feature_count: Mat<f64> = input.mat("feature_count")?;
        let (k, cols) = (feature_count.rows(), feature_count.cols());
        let logs = [input.mat_of("feature_log_prob", k, cols)?, input.mat_of("feature_log_not", k, cols)?];
        let class_count = input.vec_of("class_count", k)?;
        let class_log_prior = input.vec_of("class_log_prior", k)?;
        discrete::check_classes("bernoulli-nb", &classes, &class_count, &class_log_prior)?;
        if cols == 0 || !feature_count.as_slice().iter().all(|v| v.is_finite() && *v >= 0.0) {
            return Err(bad("its counts are no counts"));
        }
        if logs.iter().any(|l| !discrete::are_logs(l.as_slice())) || binarize.is_some_and(|b| !b.is_finite()) {
            return Err(bad("its log-probabilities are no numbers"));
        }
        Ok(Self::new(classes, class_count, feature_count, logs, class_log_prior, binarize))
    }
}

ermine_core::display_as_report!(BernoulliNbModel);

impl Model for BernoulliNbModel {
    fn n_features(&self) -> usize {
        self.feature_count.cols()
    }
    classifier_with_density!();

    fn report(&self, schema: &Schema) -> Report {
        let mut report = Report::default();
        class_table(&mut report, &self.classes, &self.class_count, |k| self.class_log_prior[k].exp());
        let odds =
            Mat::from_fn(self.classes.len(), self.feature_count.cols(), |k, j| self.logs[0][(k, j)] - self.logs[1][(k, j)]);
        report_columns(&mut report, schema, &self.classes, &odds, "Columns that point most to a class, by their log odds");
        report
    }

    fn save(&self, out: &mut ModelWriter) -> Result<()> {
        out.field("classes", &self.classes)?;
        out.field("binarize", &self.binarize)?;
        out.vec("class_count", &self.class_count);
        out.vec("class_log_prior", &self.class_log_prior);
        out.mat("feature_count", &self.feature_count);
        out.mat("feature_log_prob", &self.logs[0]);
        out.mat("feature_log_not", &self.logs[1]);
        Ok(())
    }
}

classify_by_scores!(BernoulliNbModel, decision: joint);

impl Density for BernoulliNbModel {
    /// The logarithm of the probability of the bits.
    fn log_density(&self, x: &Features<'_>) -> Result<Vec<f64>> {
        Ok(discrete::log_density(&self.joint(x)?, &self.class_log_prior))
    }

    fn n_parameters(&self) -> usize {
        let k = self.classes.len();
        k - 1 + k * self.feature_count.cols()
    }
}
