//! Stepwise regression: forward selection of columns.

mod model;
mod path;
#[cfg(test)]
mod tests;

use ermine_core::{
    Accepts, Certificate, Context, DatasetRef, Error, Family, Learner, Mat, ModelReader, ParamSpec, Partial, PassLearner,
    PassStep, Range, Result, Spec, StreamFit, Task, run_passes, run_passes_source,
};
use ermine_math::moments::{self, Moments};
use serde::{Deserialize, Serialize};

use super::coefficients::Coefficients;
use ermine_math::scale::{exponent_of, ldexp};
pub(crate) use model::load;
pub use model::{StepwiseModel, StepwiseStep};
use path::{CenteredGram, StepwisePath};

/// Least squares on few columns, chosen one by one: at each step the column that lowers the residual sum of squares most.
///
/// # What it minimizes
/// Σᵢ wᵢ (yᵢ - b0 - xᵢ·b)² with at most k coefficients that are not 0, greedily. The number k is the one with the least
/// criterion: AIC = 2m - 2 log L, BIC = m log n - 2 log L, where log L = -n/2 (log(2π rss / n) + 1), m the fitted
/// coefficients with the intercept and n the sum of the weights; or the error of cross-validation; or it is given.
///
/// # When to use it
/// Few columns are wanted and a person will read which. The path is greedy: the best set of k columns may be another one,
/// and tests and intervals of the chosen columns do not account for the choice. Lasso is the convex relative.
///
/// # Example
/// ```
/// use ermine_core::{Context, DatasetRef, Features, Learner, MatRef, Target};
/// use ermine_linear::Stepwise;
///
/// // y is twice the second column and a little noise.
/// let x = [1.0, 0.0, 0.0, 1.0, 1.0, 2.0, 0.0, 3.0, 1.0, 4.0, 0.0, 5.0];
/// let y = [0.1, 1.9, 4.0, 6.1, 7.9, 10.0];
/// let data = DatasetRef::new(Features::F64(MatRef::row_major(&x, 6, 2))).with_target(Target::Real(&y));
/// let model = Stepwise::default().fit_with(&data, &Context::default())?;
/// assert_eq!(model.support(), [1]);
/// # Ok::<(), ermine_core::Error>(())
/// ```
///
/// # Parameters
/// See [`Stepwise::SPEC`](Learner::SPEC).
///
/// # Cost
/// One pass over the rows, rows × columns², and columns × k for step k; memory columns². Cross-validation gathers the
/// products of each fold and walks the path of each.
///
/// # What it does not do
/// It drops no column again once chosen, and gives no tests.
///
/// # Reference
/// Hastie, Tibshirani, Friedman: The Elements of Statistical Learning, 2nd ed., section 3.3.2; Efroymson (1960), Multiple
/// regression analysis.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[doc(alias = "SequentialFeatureSelector")]
pub struct Stepwise {
    /// The criterion for the number of columns.
    pub criterion: StepwiseCriterion,
    /// The number of columns for `Criterion::K`, else columns at most.
    pub n_features: Option<u64>,
    /// Folds of the cross-validation.
    pub folds: u64,
    /// Whether an intercept is fitted.
    pub fit_intercept: bool,
}

/// The criterion for the number of columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StepwiseCriterion {
    /// Akaike's.
    Aic,
    /// Schwarz's.
    Bic,
    /// The error of cross-validation.
    Cv,
    /// Nothing: `n_features` columns.
    K,
}

impl Default for Stepwise {
    fn default() -> Self {
        Self { criterion: StepwiseCriterion::Bic, n_features: None, folds: 5, fit_intercept: true }
    }
}

/// Steps without a better criterion after which the path ends.
const PATIENCE: usize = 10;
/// Columns beyond which the square table of their products would not fit.
const MAX_COLS: usize = 16_384;
/// Exponents of magnitudes whose squares are safely inside the range of f64.
const SAFE: i32 = 300;

/// State broadcast to every block before a pass.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct StepwiseState {
    cols: usize,
    folds: usize,
    /// Columns of [X | y] are multiplied by 2^exponent; all 0 unless squares could leave the range of f64.
    exponents: Vec<i32>,
}

/// Sums of a pass: the moments of each fold.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct StepwisePartial(Vec<Moments>);

#[cfg(feature = "fit")]
impl Partial for StepwisePartial {
    fn merge(&mut self, other: Self) -> Result<()> {
        self.0.iter_mut().zip(other.0).for_each(|(a, b)| a.merge(b));
        Ok(())
    }
}

impl Stepwise {
    pub(crate) const NAME: &'static str = "stepwise";

    /// −2 log L of normal errors plus what the coefficients cost.
    fn cost(&self, rss: f64, tss: f64, weight: f64, size: usize) -> f64 {
        let fitted = (size + usize::from(self.fit_intercept)) as f64;
        // Residuals below the rounding of the target are as good as none.
        let rss = rss.max(f64::EPSILON * f64::EPSILON * tss).max(f64::MIN_POSITIVE);
        let deviance = weight * ((std::f64::consts::TAU * rss / weight).ln() + 1.0);
        match self.criterion {
            StepwiseCriterion::Aic => deviance + 2.0 * fitted,
            _ => deviance + fitted * weight.ln(),
        }
    }

    /// The mean squared error of cross-validation after 0, 1, … steps, until it has not improved for a while.
    fn validate(&self, folds: &[Moments], limit: usize) -> Vec<f64> {
        let rest = |test_fold: usize| -> CenteredGram {
            let mut others =
                folds.iter().enumerate().filter(|(f, m)| *f != test_fold && m.weight() > 0.0).map(|(_, m)| m.clone());
            let mut sum = others.next().unwrap_or_else(|| folds[test_fold].clone());
            others.for_each(|m| sum.merge(m));
            CenteredGram::new(&sum, self.fit_intercept)
        };
        let used: Vec<usize> = (0..folds.len()).filter(|&f| folds[f].weight() > 0.0).collect();
        let train: Vec<CenteredGram> = used.iter().map(|&f| rest(f)).collect();
        let test: Vec<CenteredGram> = used.iter().map(|&f| CenteredGram::new(&folds[f], self.fit_intercept)).collect();
        let mut paths: Vec<StepwisePath<'_>> = train.iter().map(StepwisePath::new).collect();
        let total: f64 = test.iter().map(|h| h.weight).sum();
        let mut errors: Vec<f64> = Vec::new();
        let mut least = 0;
        loop {
            let size = errors.len();
            let error = |(path, test): (&StepwisePath<'_>, &CenteredGram)| {
                let coef = path.coef(size.min(path.chosen.len()));
                let intercept = self.fit_intercept.then(|| path.intercept(&coef));
                test.error_of(&path.chosen[..coef.len()], &coef, intercept)
            };
            errors.push(paths.iter().zip(&test).map(error).sum::<f64>() / total);
            if errors[size] < errors[least] {
                least = size;
            }
            if size >= limit || size - least >= PATIENCE {
                return errors;
            }
            let stepped: Vec<bool> = paths.iter_mut().map(StepwisePath::step).collect();
            if !stepped.contains(&true) {
                return errors;
            }
        }
    }

    fn model(&self, stage: &StepwiseState, totals: &StepwisePartial) -> StepwiseModel {
        let mut all = totals.0[0].clone();
        totals.0[1..].iter().for_each(|m| all.merge(m.clone()));
        let products = CenteredGram::new(&all, self.fit_intercept);
        // A row of weight 2 is two rows.
        let rows = (all.rows() as usize).max(all.weight() as usize);
        let spare = rows.saturating_sub(1 + usize::from(self.fit_intercept));
        let asked = self.n_features.map_or(usize::MAX, |k| k as usize);
        let limit = stage.cols.min(asked).min(if self.criterion == StepwiseCriterion::K { usize::MAX } else { spare });
        let mut path = StepwisePath::new(&products);
        let mut criterion: Vec<f64> = Vec::new();
        let size = match self.criterion {
            StepwiseCriterion::K => {
                while path.chosen.len() < limit && path.step() {}
                path.chosen.len()
            }
            StepwiseCriterion::Cv => {
                criterion = self.validate(&totals.0, limit);
                while path.chosen.len() + 1 < criterion.len() && path.step() {}
                criterion.truncate(path.chosen.len() + 1);
                least(&criterion)
            }
            StepwiseCriterion::Aic | StepwiseCriterion::Bic => {
                let mut best = 0;
                loop {
                    let size = path.chosen.len();
                    criterion.push(self.cost(path.rss[size], products.tss, products.weight, size));
                    if criterion[size] < criterion[best] {
                        best = size;
                    }
                    let spent = path.rss[size] <= f64::EPSILON * products.tss;
                    if size >= limit || size - best >= PATIENCE || spent || !path.step() {
                        break best;
                    }
                }
            }
        };
        self.write_out(stage, &products, &path, &criterion, size)
    }

    /// The model of the first `size` columns of a path, in the units of the data.
    fn write_out(
        &self,
        stage: &StepwiseState,
        products: &CenteredGram,
        path: &StepwisePath<'_>,
        criterion: &[f64],
        size: usize,
    ) -> StepwiseModel {
        let (p, e) = (stage.cols, &stage.exponents);
        let coef = path.coef(size);
        let mut row = Mat::zeros(1, p);
        for (&j, &b) in path.chosen.iter().zip(&coef) {
            row[(0, j)] = ldexp(b, e[j] - e[p]);
        }
        let intercept = if self.fit_intercept { ldexp(path.intercept(&coef), -e[p]) } else { 0.0 };
        let back = |rss: f64| ldexp(rss, -2 * e[p]).min(f64::MAX);
        // The logarithm of the rss takes the power of two of the target back.
        let moved = if self.criterion == StepwiseCriterion::Cv {
            0.0
        } else {
            products.weight * 2.0 * f64::from(e[p]) * std::f64::consts::LN_2
        };
        let steps = (0..path.rss.len()).map(|k| StepwiseStep {
            column: (k > 0).then(|| path.chosen[k - 1] as u32),
            rss: back(path.rss[k]),
            r2: if products.tss > 0.0 { 1.0 - path.rss[k] / products.tss } else { 0.0 },
            criterion: criterion.get(k).map(|&c| if self.criterion == StepwiseCriterion::Cv { back(c) } else { c - moved }),
        });
        let steps: Vec<StepwiseStep> = steps.collect();
        let mut notes = vec![format!("{size} of {p} columns, after {} steps", path.chosen.len())];
        if !path.collinear.is_empty() {
            notes.push(match path.collinear.len() {
                1 => "1 column depends on those chosen and was left out".to_owned(),
                n => format!("{n} columns depend on those chosen and were left out"),
            });
        }
        let certificate = Certificate {
            method: "forward selection".into(),
            objective: Some(steps[size].rss).filter(|r| r.is_finite()),
            kkt_residual: Some(path.residual(&coef)).filter(|r| r.is_finite()).or(Some(0.0)),
            rank: Some(size),
            iterations: path.chosen.len() as u64,
            converged: true,
            notes,
            ..Certificate::default()
        };
        StepwiseModel {
            line: Coefficients { coef: row, intercept: vec![intercept] },
            criterion: self.criterion,
            size,
            steps,
            collinear: path.collinear.iter().map(|&j| j as u32).collect(),
            certificate: Some(certificate),
        }
    }
}

/// The place of the least value; ties go to the first.
fn least(values: &[f64]) -> usize {
    (1..values.len()).fold(0, |best, k| if values[k] < values[best] { k } else { best })
}

#[cfg(feature = "fit")]
impl Learner for Stepwise {
    type Model = StepwiseModel;

    const SPEC: Spec = Spec {
        name: Self::NAME,
        summary: "Least squares on few columns, chosen one by one",
        objective: "min sum_i w_i (y_i - b0 - x_i b)^2 with k coefficients that are not 0, greedily: at each step the column that \
                    lowers the residual sum of squares most; k by AIC, BIC, cross-validation, or given",
        notes: "Choose it when few columns are wanted and a person will read which. The path is greedy, so that another set of k \
                columns may be better, and tests of the chosen columns do not know that they were chosen. One pass over the \
                rows, rows x columns^2; step k costs columns x k.",
        reference: "Hastie, Tibshirani, Friedman, The Elements of Statistical Learning, 2nd ed., 2009, section 3.3.2",
        family: Family::Linear,
        tasks: &[Task::Regression],
        accepts: Accepts { weights: true, sparse: true, passes: true, ..Accepts::NUMBERS },
        params: &[
            ParamSpec {
                name: "criterion",
                doc: "What decides the number of columns: bic, m log n - 2 log-likelihood; aic, 2 m - 2 log-likelihood; cv, the \
                      error of cross-validation, whose folds are interleaved rows; k, n_features.",
                range: Range::Choice(&["bic", "aic", "cv", "k"]),
            },
            ParamSpec {
                name: "n_features",
                doc: "The number of columns for criterion=k, else columns at most. null is all.",
                range: Range::Optional(&Range::int_from(1)),
            },
            ParamSpec { name: "folds", doc: "Folds of the cross-validation.", range: Range::Int { min: 2, max: 1000 } },
            ParamSpec { name: "fit_intercept", doc: "Whether an intercept is fitted.", range: Range::Bool },
        ],
    };

    const STREAM: Option<StreamFit<Self>> = Some(run_passes_source::<Self>);

    fn fit_rows(&self, data: &DatasetRef<'_>, cx: &Context<'_>) -> Result<StepwiseModel> {
        run_passes(self, data, cx)
    }

    fn load(input: &ModelReader) -> Result<StepwiseModel> {
        load(input)
    }
}

#[cfg(feature = "fit")]
impl PassLearner for Stepwise {
    type State = StepwiseState;
    type Partial = StepwisePartial;

    fn block_rows(&self, cols: usize) -> usize {
        moments::block_rows(cols)
    }

    fn initial_state(&self, head: &DatasetRef<'_>, _: &Context<'_>) -> Result<StepwiseState> {
        let cols = head.cols();
        if cols > MAX_COLS {
            return Err(Error::Data(format!(
                "{} keeps a square table of its {cols} columns and takes at most {MAX_COLS}; reduce the columns first, or use lasso",
                Self::NAME
            )));
        }
        let mut scratch = Vec::new();
        let mut size = vec![0.0f64; cols + 1];
        let y = head.y.reals()?;
        for i in 0..head.rows() {
            let x = head.x.row_range(i..i + 1).f64_rows(&mut scratch, Self::NAME)?;
            (0..cols).for_each(|j| size[j] = size[j].max(x.at(0, j).abs()));
            size[cols] = size[cols].max(y.at(i, 0).abs());
        }
        let extreme = |e: i32| if e.abs() > SAFE { -e } else { 0 };
        let folds = if self.criterion == StepwiseCriterion::Cv { self.folds as usize } else { 1 };
        Ok(StepwiseState { cols, folds, exponents: size.iter().map(|&s| extreme(exponent_of(s))).collect() })
    }

    fn empty_partial(&self, stage: &StepwiseState) -> StepwisePartial {
        StepwisePartial((0..stage.folds).map(|_| Moments::new(stage.cols, 1)).collect())
    }

    fn add_block(&self, stage: &StepwiseState, part: &mut StepwisePartial, rows: &DatasetRef<'_>) -> Result<()> {
        for (fold, moments) in part.0.iter_mut().enumerate() {
            if stage.folds == 1 {
                add_rows(stage, moments, rows)?;
            } else {
                let which: Vec<usize> = (fold..rows.rows()).step_by(stage.folds).collect();
                if !which.is_empty() {
                    add_rows(stage, moments, &rows.take_rows(&which).view())?;
                }
            }
            if !moments.is_finite() {
                rows.x.refuse_non_finite(rows.schema)?;
                let large = (0..stage.cols).find(|&j| !moments.mean()[j].is_finite()).unwrap_or(0);
                return Err(Error::Data(format!(
                    "column {}: squares of its values overflow; standardize it",
                    rows.schema_or_unnamed().names().nth(large).unwrap_or("of the target")
                )));
            }
        }
        Ok(())
    }

    fn finish(
        &self,
        stage: StepwiseState,
        total: StepwisePartial,
        _: &Context<'_>,
    ) -> Result<PassStep<StepwiseState, StepwiseModel>> {
        Ok(PassStep::Done(self.model(&stage, &total)))
    }
}

/// Rows brought to dense f64 at a time.
const CHUNK: usize = 256;

#[cfg(feature = "fit")]
fn add_rows(stage: &StepwiseState, moments: &mut Moments, rows: &DatasetRef<'_>) -> Result<()> {
    let e = &stage.exponents;
    let scaled = e.iter().any(|&e| e != 0);
    let mut scratch = Vec::new();
    for first in (0..rows.rows()).step_by(CHUNK) {
        let part = rows.row_range(first..(first + CHUNK).min(rows.rows()));
        let y = part.y.reals()?;
        let x = part.x.f64_rows(&mut scratch, Stepwise::NAME)?;
        if scaled {
            let x = Mat::from_fn(x.rows(), x.cols(), |i, j| ldexp(*x.at(i, j), e[j]));
            let y = Mat::from_fn(y.rows(), 1, |i, _| ldexp(*y.at(i, 0), e[stage.cols]));
            moments.add(x.view(), Some(y.view()), part.weight);
        } else {
            moments.add(x, Some(y), part.weight);
        }
    }
    Ok(())
}
