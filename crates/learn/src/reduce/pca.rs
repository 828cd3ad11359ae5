//! Principal components.

use ermine_core::*;
use ermine_math::linalg::{eigen_symmetric, svd};
use ermine_math::moments::{self, Moments};
use ermine_math::project::Projection;
use serde::{Deserialize, Serialize};

use super::dimension::most_probable;
use crate::prepare::cells::{by_blocks, expect_width, numbers};

/// How many components a [`Pca`] keeps.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Components {
    /// So many.
    Count(usize),
    /// As many as it takes to explain more than this share of the variance.
    Share(f64),
    /// As many as are most probable by Minka's rule.
    Likely(Likely),
}

/// The word for Minka's rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Likely {
    /// Maximum of the evidence.
    #[serde(rename = "mle")]
    Mle,
}

/// How a [`Pca`] is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Solver {
    /// Eigenvalues of the covariance for at least as many rows as columns, singular values of the rows otherwise, and for
    /// small data whose smallest kept variance would lose digits in the covariance.
    #[default]
    Auto,
    /// Singular values of the centred rows.
    Full,
    /// Eigenvalues of the covariance.
    CovarianceEigh,
    /// As `auto`, for a number of components below that of rows and columns.
    Arpack,
    /// As `auto`, for a number of components.
    Randomized,
}

/// Power iterations of an approximation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Power {
    /// So many.
    Count(u32),
    /// As many as are right.
    Auto(AutoWord),
}

/// The word "auto".
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AutoWord {
    /// The learner decides.
    Auto,
}

/// Directions of largest variance.
///
/// **Minimises** the squared distance Σᵢ wᵢ ‖xᵢ - mean - Vᵀ V (xᵢ - mean)‖² over orthonormal rows V: the eigenvectors of the
/// covariance with the largest eigenvalues.
///
/// **Use it** to look at data in two dimensions, to compress correlated columns, or to rid a linear model of collinear ones.
/// Columns on different scales are standardised first, or the largest scale decides.
///
/// ```
/// use ermine_core::{Context, Dataset, Features, Learner, MatRef, Transformer};
/// use ermine_learn::reduce::{Components, Pca};
///
/// let x = Features::F64(MatRef::row_major(&[1.0, 2.0, 2.0, 4.0, 3.0, 6.0], 3, 2));
/// let pca = Pca { n_components: Some(Components::Count(1)), ..Pca::default() };
/// let model = pca.fit(&Dataset::new(x), &Context::default())?;
/// assert!((model.explained_variance_ratio()[0] - 1.0).abs() < 1e-12);
/// assert!((model.transform(&x)?[(2, 0)] - 5f64.sqrt()).abs() < 1e-12);
/// # Ok::<(), ermine_core::Error>(())
/// ```
///
/// **Parameters** are described in [`Learner::SPEC`]. **Cost**: n p² / 2 multiplications and one pass for the covariance, then
/// 9 p³ once; the rows are not copied. Singular values of the rows need a copy and about ten times the work.
/// **It does not** see curved structure, and it does not use a target.
///
/// **Reference**: Hastie, Tibshirani, Friedman, The Elements of Statistical Learning, section 14.5.1; Minka, Automatic choice
/// of dimensionality for PCA, NIPS 2000.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Pca {
    /// How many components to keep; all by default.
    pub n_components: Option<Components>,
    /// Give every component variance 1.
    pub whiten: bool,
    /// How to compute.
    pub svd_solver: Solver,
    /// Without effect, since the answer is exact.
    pub tol: f64,
    /// Without effect, since the answer is exact.
    pub iterated_power: Power,
    /// Without effect, since the answer is exact.
    pub n_oversamples: u32,
}

impl Default for Pca {
    fn default() -> Self {
        Self {
            n_components: None,
            whiten: false,
            svd_solver: Solver::Auto,
            tol: 0.0,
            iterated_power: Power::Auto(AutoWord::Auto),
            n_oversamples: 10,
        }
    }
}

/// Work (rows x columns²) up to which `auto` computes singular values anew when the covariance would lose digits.
const CHEAP: f64 = 2e8;

impl Pca {
    fn refuse(&self, expected: String) -> Error {
        let value = serde_json::to_string(&self.n_components).unwrap_or_default();
        Error::Parameter { learner: Self::SPEC.name, name: "n_components".into(), value, expected }
    }

    /// Whether a number of components was asked for that this many rows and columns can have.
    fn check_against(&self, rows: f64, cols: usize) -> Result<usize> {
        let most = if rows < cols as f64 { rows as usize } else { cols };
        let truncated = matches!(self.svd_solver, Solver::Arpack | Solver::Randomized);
        match self.n_components {
            Some(Components::Count(k)) if k > most => {
                Err(self.refuse(format!("n_components must be between 0 and the smaller of rows and columns, {most}")))
            }
            Some(Components::Count(k)) if self.svd_solver == Solver::Arpack && k >= most => {
                Err(self.refuse(format!("with arpack it must be strictly less than the smaller of rows and columns, {most}")))
            }
            Some(Components::Count(0)) if truncated => Err(self.refuse("with this svd_solver it must be at least 1".into())),
            Some(Components::Share(_) | Components::Likely(_)) if truncated => {
                Err(self.refuse("with this svd_solver it must be null or a whole number".into()))
            }
            Some(Components::Likely(_)) if rows < cols as f64 => Err(self
                .refuse(format!("\"mle\" needs at least as many rows as columns, and there are {rows} rows and {cols} columns"))),
            _ => Ok(most),
        }
    }

    /// The model, from all eigenvalues of the covariance (descending) with their eigenvectors.
    fn model(&self, parts: Spectrum, method: &str) -> Result<PcaModel> {
        let Spectrum { rows, mean, mut variances, total, mut vectors } = parts;
        let most = self.check_against(rows, mean.len())?;
        variances.iter_mut().for_each(|v| *v = v.max(0.0));
        variances.truncate(most);
        let share = |v: f64| if total > 0.0 { v / total } else { 0.0 };
        let kept = match self.n_components {
            None if self.svd_solver == Solver::Arpack => most.saturating_sub(1).max(1),
            None => most,
            Some(Components::Count(k)) => k,
            Some(Components::Share(s)) => {
                let mut sum = 0.0;
                let below = variances.iter().take_while(|v| {
                    sum += share(**v);
                    sum <= s
                });
                (below.count() + 1).min(most)
            }
            Some(Components::Likely(_)) => most_probable(&variances, rows),
        };
        let rest: f64 = variances[kept..].iter().sum();
        let noise_variance = if kept < most { rest / (most - kept) as f64 } else { 0.0 };
        let scale = mean.len() as f64 * f64::EPSILON * variances.first().copied().unwrap_or(0.0);
        let rank = variances.iter().filter(|v| **v > scale).count();
        variances.truncate(kept);
        vectors = Mat::from_vec(kept, mean.len(), vectors.into_vec()[..kept * mean.len()].to_vec());
        flip_signs(&mut vectors);
        let certificate = Certificate {
            method: method.into(),
            objective: Some((total - variances.iter().sum::<f64>()).max(0.0)),
            rank: Some(rank),
            iterations: 1,
            converged: true,
            ..Certificate::default()
        };
        let ratio = variances.iter().map(|v| share(*v)).collect();
        let singular = variances.iter().map(|v| (v * (rows - 1.0)).sqrt()).collect();
        Ok(PcaModel::new(vectors, variances, ratio, singular, mean, rows, noise_variance, self.whiten, certificate))
    }

    fn by_covariance(&self, total: &Moments) -> Result<PcaModel> {
        let rows = enough(total.weight())?;
        let mut covariance = total.scatter();
        covariance.as_mut_slice().iter_mut().for_each(|v| *v /= rows - 1.0);
        let trace = (0..covariance.rows()).map(|j| covariance[(j, j)]).sum();
        let eigen = eigen_symmetric(covariance.view())?;
        let (mean, variances, vectors) = (total.mean().to_vec(), eigen.values, eigen.vectors);
        self.model(Spectrum { rows, mean, variances, total: trace, vectors }, "covariance")
    }

    /// Singular values of the centred rows.
    fn by_singular_values(&self, data: &Dataset<'_>, cx: &Context<'_>) -> Result<PcaModel> {
        data.check(&Self::SPEC)?;
        let stage = |done| Progress { stage: "singular values", done, total: Some(2), objective: None };
        cx.check(stage(0))?;
        let weight = enough(data.total_weight())?;
        self.check_against(weight, data.cols())?;
        data.x.refuse_non_finite(data.schema)?;
        let kept: Vec<usize> = (0..data.rows()).filter(|&i| data.weight_of(i) > 0.0).collect();
        let mut scratch = Vec::new();
        let mut x = data.x.f64_rows(&mut scratch, Self::SPEC.name)?.take_rows(&kept);
        // Twice, since the first mean is rounded to the size of the values, the second to that of their spread.
        let mut mean = vec![0.0; x.cols()];
        for _ in 0..2 {
            let mut shift = vec![0.0; x.cols()];
            for (i, &row) in kept.iter().enumerate() {
                let w = data.weight_of(row) / weight;
                shift.iter_mut().zip(x.row(i)).for_each(|(s, v)| *s += w * v);
            }
            for i in 0..x.rows() {
                x.row_mut(i).iter_mut().zip(&shift).for_each(|(v, s)| *v -= s);
            }
            mean.iter_mut().zip(&shift).for_each(|(m, s)| *m += s);
        }
        if let Some(weights) = data.weight {
            for (i, &row) in kept.iter().enumerate() {
                let root = weights[row].sqrt();
                x.row_mut(i).iter_mut().for_each(|v| *v *= root);
            }
        }
        if !x.as_slice().iter().all(|v| v.is_finite()) {
            return Err(Error::Numeric("the columns overflow; scale them down".into()));
        }
        cx.check(stage(1))?;
        let parts = svd(x.view())?;
        let mut variances: Vec<f64> = parts.values.iter().map(|s| s * s / (weight - 1.0)).collect();
        let total = variances.iter().sum();
        let mut vectors = parts.vt.into_vec();
        // Rows that count more than once allow more components than there are different rows; these have no variance.
        let most = if weight < x.cols() as f64 { weight as usize } else { x.cols() };
        if most > variances.len() {
            let found = Mat::from_vec(variances.len(), x.cols(), vectors);
            vectors = complete(found, most).into_vec();
            variances.resize(most, 0.0);
        }
        let vectors = Mat::from_vec(variances.len(), x.cols(), vectors);
        self.model(Spectrum { rows: weight, mean, variances, total, vectors }, "singular values")
    }
}

/// What both routes arrive at.
struct Spectrum {
    rows: f64,
    mean: Vec<f64>,
    variances: Vec<f64>,
    total: f64,
    /// Row k belongs to `variances[k]`.
    vectors: Mat<f64>,
}

/// The total weight, when it is enough for a variance.
fn enough(weight: f64) -> Result<f64> {
    if weight > 1.0 {
        return Ok(weight);
    }
    Err(Error::Data(format!("pca needs at least 2 rows for a variance, and there is {weight} (1 sample is not enough)")))
}

/// Adds orthonormal rows until there are `rows`.
fn complete(found: Mat<f64>, rows: usize) -> Mat<f64> {
    let cols = found.cols();
    let mut all = found;
    let mut unit = 0;
    while all.rows() < rows && unit < cols {
        let mut v = vec![0.0; cols];
        v[unit] = 1.0;
        unit += 1;
        for _ in 0..2 {
            for k in 0..all.rows() {
                let dot: f64 = all.row(k).iter().zip(&v).map(|(a, b)| a * b).sum();
                v.iter_mut().zip(all.row(k)).for_each(|(v, a)| *v -= dot * a);
            }
        }
        let norm = v.iter().map(|v| v * v).sum::<f64>().sqrt();
        // Among the unit vectors some are far from the span of fewer rows than columns.
        if norm * norm > 0.5 / cols as f64 {
            v.iter_mut().for_each(|v| *v /= norm);
            all.append_rows(Mat::from_vec(1, cols, v));
        }
    }
    all
}

/// The element of each row with the largest absolute value becomes positive.
fn flip_signs(vectors: &mut Mat<f64>) {
    for k in 0..vectors.rows() {
        let row = vectors.row_mut(k);
        let largest = row.iter().fold(0.0f64, |m, v| if v.abs() > m.abs() { *v } else { m });
        if largest < 0.0 {
            row.iter_mut().for_each(|v| *v = -*v);
        }
    }
}

impl Learner for Pca {
    type Model = PcaModel;

    const SPEC: Spec = Spec {
        name: "pca",
        summary: "Principal components: the directions in which rows differ most",
        objective: "min over orthonormal V of sum_i w_i ||x_i - mean - V' V (x_i - mean)||^2",
        notes: "To look at data in two dimensions, to compress correlated columns, to rid a linear model of collinear ones. \
                Standardise columns on different scales first. With at least as many rows as columns one pass gathers the \
                covariance and rows are not copied; with fewer, the rows are decomposed in memory. Each component is signed so \
                that its largest element is positive. It does not see curved structure and does not use a target.",
        reference: "Hastie, Tibshirani, Friedman: The Elements of Statistical Learning, 2nd ed. 2009, section 14.5.1; Minka: \
                    Automatic choice of dimensionality for PCA, NIPS 2000",
        family: Family::Reduction,
        tasks: &[Task::Reduction],
        accepts: Accepts { weights: true, missing: false, categorical: false, sparse: true, passes: true, multi_target: true },
        params: &[
            ParamSpec {
                name: "n_components",
                doc: "How many components to keep: null for all, a whole number, a share of the variance between 0 and 1 that the \
                      kept components must exceed, or \"mle\" for the most probable number by Minka's rule.",
                range: Range::Optional(&Range::Either(
                    &Range::Choice(&["mle"]),
                    &Range::Either(&Range::int_from(0), &Range::Real { min: 0.0, max: 1.0, above: true, log: false }),
                )),
            },
            ParamSpec {
                name: "whiten",
                doc: "Whether transformed columns are divided by their standard deviation, so that each has variance 1.",
                range: Range::Bool,
            },
            ParamSpec {
                name: "svd_solver",
                doc: "full decomposes the rows in memory, exact for the smallest variances too; covariance_eigh decomposes the \
                      covariance, in one pass; auto takes the covariance for at least as many rows as columns unless that would \
                      lose digits, else the rows. arpack and randomized are names of approximations: they are accepted, with \
                      the limits on n_components these have, and give the exact answer of auto.",
                range: Range::Choice(&["auto", "full", "covariance_eigh", "arpack", "randomized"]),
            },
            ParamSpec {
                name: "tol",
                doc: "The tolerance of arpack; without effect, since the exact answer is computed.",
                range: Range::at_least(0.0),
            },
            ParamSpec {
                name: "iterated_power",
                doc: "The power iterations of randomized; without effect, since the exact answer is computed.",
                range: Range::Either(&Range::Choice(&["auto"]), &Range::Int { min: 0, max: u32::MAX as i64 }),
            },
            ParamSpec {
                name: "n_oversamples",
                doc: "The additional directions of randomized; without effect, since the exact answer is computed.",
                range: Range::Int { min: 1, max: u32::MAX as i64 },
            },
        ],
    };
    const STREAM: Option<StreamFit<Self>> = Some(drive_source::<Self>);

    fn check(&self) -> Result<()> {
        Self::SPEC.check_params(&serde_json::to_value(self).unwrap_or_default())?;
        match self.n_components {
            Some(Components::Share(s)) if s >= 1.0 => Err(self.refuse("a share of the variance is below 1".into())),
            _ => Ok(()),
        }
    }

    fn fit(&self, data: &Dataset<'_>, cx: &Context<'_>) -> Result<PcaModel> {
        self.check()?;
        let (rows, cols) = (data.rows(), data.cols());
        match self.svd_solver {
            Solver::Full => self.by_singular_values(data, cx),
            Solver::CovarianceEigh => drive(self, data, cx),
            _ if rows < cols => self.by_singular_values(data, cx),
            _ => {
                let model = drive(self, data, cx)?;
                let last = model.explained_variance.last().copied().unwrap_or(0.0);
                let first = model.explained_variance.first().copied().unwrap_or(0.0);
                // The covariance knows eigenvalues up to rounding errors of the first one.
                let blurred = cols as f64 * f64::EPSILON * first > 1e-9 * last;
                if blurred && rows as f64 * (cols * cols) as f64 <= CHEAP { self.by_singular_values(data, cx) } else { Ok(model) }
            }
        }
    }

    fn load(input: &ModelReader) -> Result<PcaModel> {
        PcaModel::load(input)
    }
}

/// What every block of a [`Pca`] is told: the number of columns.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Width(usize);

/// What a [`Pca`] gathers.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Gathered(Moments);

impl Partial for Gathered {
    fn merge(&mut self, other: Self) -> Result<()> {
        self.0.merge(other.0);
        Ok(())
    }
}

impl PassLearner for Pca {
    type State = Width;
    type Partial = Gathered;

    fn block_rows(&self, cols: usize) -> usize {
        moments::block_rows(cols)
    }

    fn start(&self, head: &Dataset<'_>, _: &Context<'_>) -> Result<Width> {
        Ok(Width(head.cols()))
    }

    fn empty(&self, state: &Width) -> Gathered {
        Gathered(Moments::new(state.0, 0))
    }

    fn add(&self, state: &Width, part: &mut Gathered, rows: &Dataset<'_>) -> Result<()> {
        rows.x.expect_cols(state.0)?;
        match rows.x {
            Features::F64(x) => part.0.add(x, None, rows.weight),
            Features::F32(x) => part.0.add(x, None, rows.weight),
            // Few rows at a time are made dense.
            _ => {
                let step = ((1 << 20) / state.0).max(256);
                let mut scratch = Vec::new();
                for first in (0..rows.rows()).step_by(step) {
                    let piece = rows.row_range(first..(first + step).min(rows.rows()));
                    part.0.add(piece.x.f64_rows(&mut scratch, Self::SPEC.name)?, None, piece.weight);
                }
            }
        }
        part.0.refuse_non_finite(rows)
    }

    fn finish(&self, _: Width, Gathered(total): Gathered, cx: &Context<'_>) -> Result<Step<Width, PcaModel>> {
        cx.check(Progress { stage: "eigenvalues", done: 0, total: Some(1), objective: None })?;
        self.by_covariance(&total).map(Step::Done)
    }
}

/// What a [`Pca`] learned: directions, their variances and the mean.
#[derive(Debug, Clone, PartialEq)]
pub struct PcaModel {
    components: Mat<f64>,
    explained_variance: Vec<f64>,
    explained_variance_ratio: Vec<f64>,
    singular_values: Vec<f64>,
    mean: Vec<f64>,
    n_samples: f64,
    noise_variance: f64,
    whiten: bool,
    certificate: Certificate,
    /// What transformed columns are divided by.
    scale: Vec<f64>,
    projection: Projection,
}

impl PcaModel {
    #[allow(clippy::too_many_arguments)] // what a model file holds
    fn new(
        components: Mat<f64>,
        explained_variance: Vec<f64>,
        explained_variance_ratio: Vec<f64>,
        singular_values: Vec<f64>,
        mean: Vec<f64>,
        n_samples: f64,
        noise_variance: f64,
        whiten: bool,
        certificate: Certificate,
    ) -> Self {
        // A direction without variance holds rounding errors only, of the size of those of the first direction.
        let largest = explained_variance.iter().fold(0.0f64, |m, &v| m.max(v)).sqrt();
        let least = if largest > 0.0 { f64::EPSILON * largest } else { 1.0 };
        let scale = explained_variance.iter().map(|v| if whiten { v.sqrt().max(least) } else { 1.0 }).collect();
        let projection = Projection::new(components.view());
        Self {
            components,
            explained_variance,
            explained_variance_ratio,
            singular_values,
            mean,
            n_samples,
            noise_variance,
            whiten,
            certificate,
            scale,
            projection,
        }
    }

    /// The directions: orthonormal rows, largest variance first.
    pub fn components(&self) -> &Mat<f64> {
        &self.components
    }

    /// The variance along each direction, with divisor n - 1.
    pub fn explained_variance(&self) -> &[f64] {
        &self.explained_variance
    }

    /// The share of the variance along each direction.
    pub fn explained_variance_ratio(&self) -> &[f64] {
        &self.explained_variance_ratio
    }

    /// The singular values of the centred rows.
    pub fn singular_values(&self) -> &[f64] {
        &self.singular_values
    }

    /// The means of the columns.
    pub fn mean(&self) -> &[f64] {
        &self.mean
    }

    /// The mean variance along the directions that were left out.
    pub fn noise_variance(&self) -> f64 {
        self.noise_variance
    }

    fn load(input: &ModelReader) -> Result<Self> {
        let bad = |m: &str| Error::Model(format!("pca: {m}"));
        let components: Mat<f64> = input.mat("components")?;
        let kept = components.rows();
        let mean: Vec<f64> = input.vec_of("mean", components.cols())?;
        let variance: Vec<f64> = input.vec_of("explained_variance", kept)?;
        let ratio: Vec<f64> = input.vec_of("explained_variance_ratio", kept)?;
        let singular: Vec<f64> = input.vec_of("singular_values", kept)?;
        let n_samples: f64 = input.field("n_samples")?;
        let noise: f64 = input.field("noise_variance")?;
        let whiten: bool = input.field("whiten")?;
        let certificate: Certificate = input.field("certificate")?;
        let sound = |v: &[f64]| v.iter().all(|v| v.is_finite() && *v >= 0.0);
        if mean.is_empty() || kept > mean.len() {
            return Err(bad(&format!("{kept} components of {} columns", mean.len())));
        }
        if !mean.iter().chain(components.as_slice()).all(|v| v.is_finite()) {
            return Err(bad("its mean and components are not finite"));
        }
        if !sound(&variance) || !sound(&ratio) || !sound(&singular) || !sound(&[n_samples, noise]) {
            return Err(bad("its variances are no variances"));
        }
        Ok(Self::new(components, variance, ratio, singular, mean, n_samples, noise, whiten, certificate))
    }
}

/// Components that a report shows.
const SHOWN: usize = 30;
/// Components whose loadings are listed.
const LOADINGS: usize = 6;

impl Model for PcaModel {
    fn n_features(&self) -> usize {
        self.mean.len()
    }
    fn as_transformer(&self) -> Option<&dyn Transformer> {
        Some(self)
    }
    fn certificate(&self) -> Option<&Certificate> {
        Some(&self.certificate)
    }

    fn report(&self, schema: &Schema) -> Report {
        let mut report = Report::default();
        let mut sum = 0.0;
        let rows = (0..self.explained_variance.len().min(SHOWN))
            .map(|k| {
                sum += self.explained_variance_ratio[k];
                let row = self.components.row(k);
                let largest = (0..row.len()).fold(0, |m, j| if row[j].abs() > row[m].abs() { j } else { m });
                let name = schema.fields.get(largest).map_or_else(|| format!("x{largest}"), |f| f.name.clone());
                let (variance, share) = (self.explained_variance[k], self.explained_variance_ratio[k]);
                vec![format!("pca{k}").into(), variance.into(), share.into(), sum.into(), name.into(), row[largest].into()]
            })
            .collect();
        let heads = ["component", "variance", "share", "cumulated", "largest loading", "its value"];
        report.table("Variance explained", &heads, rows);
        let shown = self.components.rows().min(LOADINGS);
        let name = |j: usize| schema.fields.get(j).map_or_else(|| format!("x{j}"), |f| f.name.clone());
        let heads: Vec<String> = std::iter::once("column".to_owned()).chain((0..shown).map(|k| format!("pca{k}"))).collect();
        let row = |j: usize| {
            let values = (0..shown).map(|k| Cell::Number(self.components[(k, j)]));
            std::iter::once(Cell::from(name(j))).chain(values).collect()
        };
        let heads: Vec<&str> = heads.iter().map(String::as_str).collect();
        report.table("Loadings", &heads, (0..self.components.cols()).map(row).collect());
        if self.explained_variance.len() > SHOWN {
            report.text(format!("{} further components are not shown.", self.explained_variance.len() - SHOWN));
        }
        report
    }

    fn save(&self, out: &mut ModelWriter) -> Result<()> {
        out.mat("components", &self.components);
        out.vec("explained_variance", &self.explained_variance);
        out.vec("explained_variance_ratio", &self.explained_variance_ratio);
        out.vec("singular_values", &self.singular_values);
        out.vec("mean", &self.mean);
        out.field("n_samples", &self.n_samples)?;
        out.field("noise_variance", &self.noise_variance)?;
        out.field("whiten", &self.whiten)?;
        out.field("certificate", &self.certificate)
    }
}

impl Transformer for PcaModel {
    fn transform(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        x.expect_cols(self.mean.len())?;
        let kept = self.components.rows();
        by_blocks(x, kept, |block, _, out| {
            let mut scratch = Vec::new();
            match block {
                Features::F64(x) => self.projection.apply(*x, &self.mean, out),
                Features::F32(x) => self.projection.apply(*x, &self.mean, out),
                other => self.projection.apply(numbers(other, &mut scratch, Pca::SPEC.name)?, &self.mean, out),
            }
            if out.iter().any(|v| !v.is_finite()) {
                block.refuse_non_finite(None)?;
            }
            if self.whiten {
                for row in out.chunks_exact_mut(kept) {
                    row.iter_mut().zip(&self.scale).for_each(|(v, s)| *v /= s);
                }
            }
            Ok(())
        })
    }

    fn schema_out(&self, _: &Schema) -> Schema {
        Schema::numbers((0..self.components.rows()).map(|k| format!("pca{k}")))
    }

    fn inverse(&self, z: MatRef<'_, f64>) -> Result<Option<Mat<f64>>> {
        expect_width(z, self.components.rows())?;
        let scaled = Mat::from_fn(z.rows(), z.cols(), |i, k| z.at(i, k) * if self.whiten { self.scale[k] } else { 1.0 });
        let back = Projection::new(self.components.view().t());
        let zeros = vec![0.0; z.cols()];
        let x = by_blocks(&Features::F64(scaled.view()), self.mean.len(), |block, _, out| {
            let Features::F64(block) = block else { unreachable!("it was made of doubles") };
            back.apply(*block, &zeros, out);
            for row in out.chunks_exact_mut(self.mean.len()) {
                row.iter_mut().zip(&self.mean).for_each(|(v, m)| *v += m);
            }
            Ok(())
        })?;
        Ok(Some(x))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    fn fixture(name: &str) -> String {
        format!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/{}"), name)
    }

    fn book(case: &str) -> Value {
        let text = std::fs::read_to_string(fixture("reference/decomposition.json")).unwrap();
        let book: Value = serde_json::from_str(&text).unwrap();
        book["cases"].as_array().unwrap().iter().find(|c| c["id"] == case).unwrap().clone()
    }

    fn floats(v: &Value) -> Vec<f64> {
        match v {
            Value::Array(items) => items.iter().flat_map(floats).collect(),
            other => vec![other.as_f64().unwrap()],
        }
    }

    /// The number columns of a data set but the last column, the target.
    fn data(name: &str, standardised: bool) -> Mat<f64> {
        let table = ermine_data::read_table(fixture(&format!("data/{name}.csv.gz"))).unwrap();
        let view = table.view();
        let mut x = Mat::from_fn(view.rows(), view.cols() - 1, |i, j| view.numbers(j).unwrap()[i]);
        if standardised {
            let n = x.rows() as f64;
            for j in 0..x.cols() {
                let mean = x.view().col_iter(j).sum::<f64>() / n;
                let sd = (x.view().col_iter(j).map(|v| (v - mean).powi(2)).sum::<f64>() / n).sqrt();
                (0..x.rows()).for_each(|i| x[(i, j)] = (x[(i, j)] - mean) / sd);
            }
        }
        x
    }

    fn fit(pca: &Pca, x: &Mat<f64>) -> Result<PcaModel> {
        pca.fit(&Dataset::new(Features::F64(x.view())), &Context::default())
    }

    fn with(n_components: Option<Components>, svd_solver: Solver) -> Pca {
        Pca { n_components, svd_solver, ..Pca::default() }
    }

    #[test]
    fn the_reference_book_is_reproduced_on_both_routes() {
        for (name, standardised) in [("iris", false), ("wine", true), ("digits", false), ("breast_cancer", true)] {
            let case = book(&format!("pca_{name}"));
            let expected = &case["expected"];
            let rel = case["tolerance"]["rel"].as_f64().unwrap();
            let x = data(name, standardised);
            for solver in [Solver::Auto, Solver::Full, Solver::CovarianceEigh] {
                let model = fit(&with(None, solver), &x).unwrap();
                let near = |got: &[f64], want: &[f64], what: &str| {
                    for (g, w) in got.iter().zip(want) {
                        assert!((g - w).abs() <= rel * w.abs(), "{name} {solver:?} {what}: {g} for {w}");
                    }
                };
                near(model.explained_variance(), &floats(&expected["eigenvalues"]), "eigenvalues");
                near(model.explained_variance_ratio(), &floats(&expected["explained_ratio"]), "shares");
                let total = model.explained_variance()[0] / model.explained_variance_ratio()[0];
                near(&[total], &floats(&expected["total_variance"]), "total");
                let components = floats(&expected["components"]);
                for (k, want) in components.chunks(x.cols()).enumerate() {
                    let got = model.components().row(k);
                    let sign = got.iter().zip(want).map(|(a, b)| a * b).sum::<f64>().signum();
                    assert!(got.iter().zip(want).all(|(g, w)| (sign * g - w).abs() <= 1e-7), "{name} component {k}");
                    let largest = got.iter().fold(0.0f64, |m, v| if v.abs() > m.abs() { *v } else { m });
                    assert!(largest > 0.0, "{name}: the sign of component {k}");
                }
                let z = model.transform(&Features::F64(x.view())).unwrap();
                for (k, w) in floats(&expected["abs_scores_row0"]).iter().enumerate() {
                    assert!((z[(0, k)].abs() - w).abs() <= 1e-7 * model.explained_variance()[0].sqrt(), "{name} score {k}");
                }
            }
        }
    }

    #[test]
    fn all_components_reconstruct_the_rows() {
        for whiten in [false, true] {
            let x = data("iris", false);
            let model = fit(&Pca { whiten, ..Pca::default() }, &x).unwrap();
            let z = model.transform(&Features::F64(x.view())).unwrap();
            let back = model.inverse(z.view()).unwrap().unwrap();
            assert!(back.as_slice().iter().zip(x.as_slice()).all(|(a, b)| (a - b).abs() < 1e-12));
            for k in 0..4 {
                let var = z.view().col_iter(k).map(|v| v * v).sum::<f64>() / 149.0;
                let want = if whiten { 1.0 } else { model.explained_variance()[k] };
                assert!((var / want - 1.0).abs() < 1e-10, "variance {var} of score {k}");
            }
        }
    }

    #[test]
    fn wide_rows_agree_on_both_routes_and_weights_count_rows() {
        let mut rng = Stream::new(3, "test", 0);
        let x = Mat::from_fn(9, 20, |i, j| 1e3 + rng.normal() * (1 + (i * j) % 5) as f64);
        let (a, b) = (fit(&with(None, Solver::Auto), &x).unwrap(), fit(&with(None, Solver::CovarianceEigh), &x).unwrap());
        assert_eq!((a.components().rows(), b.components().rows()), (9, 9));
        for k in 0..8 {
            assert!((a.explained_variance()[k] / b.explained_variance()[k] - 1.0).abs() < 1e-9);
            assert!(a.components().row(k).iter().zip(b.components().row(k)).all(|(a, b)| (a - b).abs() < 1e-8));
        }
        let w: Vec<f64> = (0..9).map(|i| (i % 3) as f64).collect();
        let rows: Vec<usize> = (0..9).flat_map(|i| vec![i; i % 3]).collect();
        let twice = x.view().take_rows(&rows);
        for solver in [Solver::Full, Solver::CovarianceEigh] {
            let weighted = Dataset::new(Features::F64(x.view())).with_weight(Some(&w));
            let a = with(None, solver).fit(&weighted, &Context::default()).unwrap();
            let b = fit(&with(None, solver), &twice).unwrap();
            assert_eq!(a.components().rows(), b.components().rows());
            for k in 0..5 {
                assert!((a.explained_variance()[k] / b.explained_variance()[k] - 1.0).abs() < 1e-9);
            }
            let gram =
                Mat::from_fn(9, 9, |i, j| a.components().row(i).iter().zip(a.components().row(j)).map(|(p, q)| p * q).sum());
            for i in 0..9 {
                for j in 0..9 {
                    let g: f64 = gram[(i, j)];
                    assert!((g - f64::from(u8::from(i == j))).abs() < 1e-12, "orthonormal");
                }
            }
        }
    }

    #[test]
    fn the_number_of_components_can_be_asked_for_in_four_ways() {
        let x = data("iris", false);
        let kept = |n: Option<Components>| fit(&with(n, Solver::Auto), &x).unwrap().components().rows();
        assert_eq!(kept(None), 4);
        assert_eq!(kept(Some(Components::Count(2))), 2);
        assert_eq!(kept(Some(Components::Count(0))), 0);
        assert_eq!([0.5, 0.93, 0.99, 0.9999999].map(|s| kept(Some(Components::Share(s)))), [1, 2, 3, 4]);
        // scikit-learn 1.9.1 finds three.
        assert_eq!(kept(Some(Components::Likely(Likely::Mle))), 3);
        let model = fit(&with(Some(Components::Count(2)), Solver::Auto), &x).unwrap();
        let all = fit(&Pca::default(), &x).unwrap();
        assert!((model.noise_variance() - (all.explained_variance()[2] + all.explained_variance()[3]) / 2.0).abs() < 1e-12);
        let refused = |n: Components, solver: Solver| fit(&with(Some(n), solver), &x).unwrap_err().to_string();
        for (n, solver) in [
            (Components::Count(5), Solver::Auto),
            (Components::Count(5), Solver::Full),
            (Components::Count(4), Solver::Arpack),
            (Components::Count(0), Solver::Randomized),
            (Components::Share(0.5), Solver::Arpack),
            (Components::Share(1.0), Solver::Auto),
            (Components::Likely(Likely::Mle), Solver::Randomized),
        ] {
            assert!(refused(n, solver).contains("n_components"), "{n:?} {solver:?}");
        }
        let mut any: Box<dyn AnyLearner> = Box::new(Pca::default());
        any.set("n_components", Value::from("mle")).unwrap();
        any.set("n_components", Value::from(0.5)).unwrap();
        any.set("n_components", Value::from(3)).unwrap();
        assert_eq!(any.params()["n_components"], 3);
        assert!(any.set("n_components", Value::from(1.5)).is_err() && any.set("n_components", Value::from("most")).is_err());
    }

    #[test]
    fn a_large_mean_and_a_small_variance_keep_their_digits() {
        let mut rng = Stream::new(5, "test", 0);
        let base = Mat::from_fn(400, 3, |_, j| rng.normal() * [1.0, 1e-3, 1e-7][j]);
        let plain = fit(&Pca::default(), &base).unwrap();
        let third: f64 = base.view().col_iter(2).map(|v| v * v).sum::<f64>() / 400.0;
        assert!((plain.explained_variance()[2] / third - 1.0).abs() < 0.05, "the smallest variance is 14 orders below");
        let far = Mat::from_fn(400, 3, |i, j| base[(i, j)] + 1e6);
        let shifted = fit(&Pca::default(), &far).unwrap();
        for k in 0..2 {
            assert!((shifted.explained_variance()[k] / plain.explained_variance()[k] - 1.0).abs() < 1e-6);
        }
    }

    #[test]
    fn bad_rows_are_refused() {
        let mut x = data("iris", false);
        assert!(fit(&Pca::default(), &x.view().row_range(0..1).to_owned()).unwrap_err().to_string().contains("at least 2 rows"));
        let constant = Mat::filled(5, 2, 0.1);
        let model = fit(&Pca { whiten: true, ..Pca::default() }, &constant).unwrap();
        assert_eq!((model.explained_variance(), model.explained_variance_ratio()), (&[0.0, 0.0][..], &[0.0, 0.0][..]));
        assert_eq!(model.transform(&Features::F64(constant.view())).unwrap().as_slice(), [0.0; 10]);
        x[(149, 3)] = f64::INFINITY;
        for solver in [Solver::Full, Solver::Auto] {
            let e = fit(&with(None, solver), &x).unwrap_err().to_string();
            assert_eq!(e, "column 3, row 149: infinity is not a finite number");
        }
    }

    #[test]
    fn a_model_that_was_read_is_the_same_and_a_forged_one_is_refused() {
        let x = data("iris", false);
        let model = fit(&Pca { whiten: true, ..with(Some(Components::Count(2)), Solver::Auto) }, &x).unwrap();
        let mut out = ModelWriter::default();
        model.save(&mut out).unwrap();
        assert_eq!(Pca::load(&out.clone().into_reader()).unwrap(), model);
        let forge = |change: &dyn Fn(&mut ModelWriter)| {
            let mut out = out.clone();
            change(&mut out);
            assert!(Pca::load(&out.into_reader()).is_err());
        };
        forge(&|o| o.array("components", &[4, 2], &[0.0; 8]));
        forge(&|o| o.vec("explained_variance", &[1.0, -1.0]));
        forge(&|o| o.vec("mean", &[f64::NAN; 4]));
        forge(&|o| o.array("components", &[9, 4], &[0.0; 36]));
    }

    /// All 60000 images, when the file is there: `ERMINE_DATA` is the folder that holds `fashion_mnist/`.
    #[test]
    fn fashion_mnist_is_reproduced() {
        let Ok(folder) = std::env::var("ERMINE_DATA") else { return };
        let case = book("pca_fashion_mnist");
        let table = ermine_data::read_table(format!("{folder}/fashion_mnist/train-images-idx3-ubyte.gz")).unwrap();
        let view = table.view();
        let x = Mat::from_fn(view.rows(), view.cols(), |i, j| view.numbers(j).unwrap()[i] / 255.0);
        let model = fit(&Pca::default(), &x).unwrap();
        for (g, w) in model.explained_variance().iter().zip(floats(&case["expected"]["eigenvalues"])) {
            assert!((g - w).abs() <= 1e-7 * w, "{g} for {w}");
        }
    }
}
