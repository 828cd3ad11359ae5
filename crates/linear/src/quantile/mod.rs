//! Quantile regression.

#[cfg(feature = "fit")]
mod interior;
#[cfg(feature = "fit")]
mod program;
#[cfg(feature = "fit")]
mod scaled;
#[cfg(feature = "fit")]
mod simplex;
#[cfg(feature = "fit")]
mod solve;

use ermine_core::{
    Accepts, Certificate, Context, DatasetRef, Error, Family, Learner, ModelReader, ParamSpec, Range, Result, Spec, Task,
};
use ermine_math::loss::RowLoss;
use serde::{Deserialize, Serialize};

use super::line_model::{LineLearner, LineModel};
#[cfg(feature = "fit")]
use super::linear_function::LinearFunction;
use ermine_math::scale::ldexp;
#[cfg(feature = "fit")]
use scaled::ScaledData;
#[cfg(feature = "fit")]
use solve::{QuantileOptimum, QuantileProblem};

const NAME: &str = "quantile";

/// Quantile regression: the plane with a given share of the rows below it,
/// `sum_i w_i pinball(y_i - b0 - x_i · b) / sum_i w_i + alpha |b|₁`, where `pinball(r)` is `quantile · r` for `r >= 0` and
/// `(quantile - 1) r` below. The intercept is not penalized.
///
/// # When to use it
/// For the median instead of the mean, which no outlier among the targets can move far; for limits that hold nine times in ten; wherever
/// the spread changes with the columns.
///
/// # Example
/// ```
/// use ermine_core::{Context, DatasetRef, Features, Learner, MatRef, Target};
/// use ermine_linear::Quantile;
///
/// let x = [0.0, 1.0, 2.0, 3.0, 4.0];
/// let y = [1.0, 3.0, 5.0, 100.0, 9.0];    // 1 + 2 x, but for one
/// let rows = Features::F64(MatRef::row_major(&x, 5, 1));
/// let data = DatasetRef::new(rows).with_target(Target::Real(&y));
/// let model = Quantile { alpha: 0.0, ..Quantile::default() }.fit_with(&data, &Context::default())?;
/// assert!((model.coef()[0] - 2.0).abs() < 1e-12 && (model.intercept() - 1.0).abs() < 1e-12);
/// # Ok::<(), ermine_core::Error>(())
/// ```
///
/// # Parameters
/// `quantile`: the level, from 0 to 1. `alpha`: the strength of the penalty on the absolute coefficients, from 0 up; its default of 1, which
/// is scikit-learn's, is strong. `fit_intercept`: whether b0 is fitted.
///
/// # What is computed
/// The exact optimum: a plane through as many rows as it has coefficients that are not 0. An interior point finds which rows these
/// are, exchanges of rows prove it: the dual variables that balance the rows on the plane lie within their limits. Of many rows most
/// are taken together once a sample has shown on which side they lie, and each is checked in the end. Of several optima the one that is optimal for
/// slightly lower levels too is given. At levels 0 and 1 it is the limit: the plane below, or above, all rows that is nearest to them.
/// Columns that depend on others get the coefficient 0.
///
/// # Cost
/// Some twenty weighted least-squares steps over `sqrt(columns) rows^(2/3)` rows, time `columns²` a row each, and a few passes over all rows.
/// Memory: these rows, and some numbers for each row.
///
/// # What it does not do
/// One level at a time, so planes of several levels may cross. No standard errors. Not in passes: it needs all rows in memory.
///
/// # Reference
/// S. Portnoy, R. Koenker (1997), The Gaussian hare and the Laplacian tortoise, Statistical Science 12. I. Barrodale, F. D. K. Roberts
/// (1973), An improved algorithm for discrete l1 linear approximation, SIAM Journal on Numerical Analysis 10.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[doc(alias = "QuantileRegressor")]
pub struct Quantile {
    /// The level.
    pub quantile: f64,
    /// The strength of the penalty.
    pub alpha: f64,
    /// Whether an intercept is fitted.
    pub fit_intercept: bool,
}

impl Default for Quantile {
    fn default() -> Self {
        Self { quantile: 0.5, alpha: 1.0, fit_intercept: true }
    }
}

impl Quantile {
    /// A level near 0 or 1 at which the optimum is the limit: less than any one row weighs.
    #[cfg(feature = "fit")]
    fn inner_level(&self, data: &ScaledData<'_>) -> f64 {
        let least = data.weight.iter().copied().fold(1.0, f64::min);
        let small = (0.25 * least / data.total).max(1e-12);
        self.quantile.clamp(small.min(0.25), 1.0 - small.min(0.25))
    }

    /// At level 0 or 1 any penalty outweighs the rows.
    #[cfg(feature = "fit")]
    fn constant(&self, data: &DatasetRef<'_>) -> Result<Option<QuantileModel>> {
        let end = self.quantile == 0.0 || self.quantile == 1.0;
        if !(end && self.alpha > 0.0 && self.fit_intercept) {
            return Ok(None);
        }
        data.x.refuse_non_finite(data.schema)?;
        let y = data.y.reals()?;
        let values = (0..data.rows()).filter(|&i| data.weight_of(i) > 0.0).map(|i| *y.at(i, 0));
        let intercept = if self.quantile == 0.0 { values.fold(f64::MAX, f64::min) } else { values.fold(f64::MIN, f64::max) };
        let line = LinearFunction { coef: vec![0.0; data.cols()], intercept };
        let r = line.residuals(data, NAME)?;
        let certificate = Certificate {
            method: "limit".into(),
            objective: Some(0.0),
            duality_gap: Some(0.0),
            kkt_residual: Some(0.0),
            converged: true,
            notes: vec![self.limit_note()],
            ..Default::default()
        };
        Ok(Some(LineModel::new(line.coefficients(), shares(data.weight, &r), 0, certificate, None)))
    }

    fn limit_note(&self) -> String {
        let (side, level) = if self.quantile == 0.0 { ("below", 0) } else { ("above", 1) };
        format!("level {level} is the limit of levels near it: the plane {side} all rows that is nearest to them")
    }

    #[cfg(feature = "fit")]
    fn model(&self, data: &DatasetRef<'_>, scaled: &ScaledData<'_>, optimum: QuantileOptimum) -> Result<QuantileModel> {
        let p = optimum.columns.len();
        let mut line = LinearFunction { coef: vec![0.0; data.cols()], intercept: ldexp(optimum.b[p], -scaled.y_exponent) };
        for (k, &j) in optimum.columns.iter().enumerate() {
            line.coef[j] = ldexp(optimum.b[k], scaled.exponent[j] - scaled.y_exponent);
            if !line.coef[j].is_finite() {
                return Err(Error::Numeric(format!(
                    "the coefficient of column {j} is too large for a double; scale the column up or the target down"
                )));
            }
        }
        let loss = RowLoss::Pinball { tau: self.quantile };
        let sum: f64 = optimum.residuals.iter().zip(&scaled.weight).map(|(r, w)| w * loss.value(*r, 0.0)).sum();
        let penalty: f64 = line.coef.iter().map(|b| self.alpha * b.abs()).sum();
        let objective = ldexp(sum / scaled.total, -scaled.y_exponent) + penalty;
        let mut notes = Vec::new();
        if self.quantile == 0.0 || self.quantile == 1.0 {
            notes.push(self.limit_note());
        }
        if let Some(rank) = optimum.rank {
            notes.push(format!("rank {rank} of {}: columns that depend on others have the coefficient 0", data.cols()));
        }
        if self.alpha > 0.0 && data.cols() > 0 && line.coef.iter().all(|b| *b == 0.0) {
            // The dual variables stay as they are for any penalty above these products.
            let sums = scaled.products(&[&optimum.dual])?.remove(0);
            let strength = |j: &usize| ldexp(sums[*j].abs() / scaled.total, -scaled.exponent[*j]);
            let first = scaled.varying.iter().map(strength).fold(0.0, f64::max);
            notes.push(format!("alpha = {} leaves every coefficient at 0; to have any, lower it below {first:.6e}", self.alpha));
        }
        let near = optimum.gap <= 1e-9 * optimum.objective;
        if !optimum.reached && !near {
            notes.push("the exchanges of rows ended before the optimum was proved; see the duality gap".into());
        }
        let unit = |v: f64| ldexp(v / scaled.total, -scaled.y_exponent);
        let mut trace = optimum.course.clone();
        trace.rows.iter_mut().for_each(|row| row[..2].iter_mut().for_each(|v| *v = unit(*v)));
        let steps = optimum.steps + optimum.exchanges;
        let certificate = Certificate {
            method: "interior point, then exchange of rows".into(),
            objective: Some(objective).filter(|v| v.is_finite()),
            duality_gap: Some(unit(optimum.gap)).filter(|v| v.is_finite()),
            kkt_residual: Some(optimum.violation),
            rank: optimum.rank,
            iterations: steps,
            converged: optimum.reached || near,
            notes,
            ..Default::default()
        };
        let share = shares(Some(&scaled.weight), &optimum.residuals);
        Ok(LineModel::new(line.coefficients(), share, steps, certificate, Some(trace)))
    }
}

/// Shares of the weight below, on and above the plane.
fn shares(weight: Option<&[f64]>, r: &[f64]) -> Vec<f64> {
    let (mut out, mut total) = ([0.0; 3], 0.0);
    for (i, r) in r.iter().enumerate() {
        let w = weight.map_or(1.0, |w| w[i]);
        total += w;
        out[if *r < 0.0 { 0 } else { 1 + usize::from(*r > 0.0) }] += w;
    }
    out.iter().map(|v| v / total).collect()
}

#[cfg(feature = "fit")]
impl Learner for Quantile {
    type Model = QuantileModel;

    const SEARCH_SPACE: &'static [&'static str] = &["alpha=1e-6..10:log"];

    const L1_PENALTY: bool = true;

    const SPEC: Spec = Spec {
        name: NAME,
        summary: "The plane with a given share of the rows below it: median and other quantiles",
        objective: "min sum_i w_i pinball(r_i) / sum_i w_i + alpha |b|_1, pinball(r) = quantile r for r >= 0, (quantile - 1) r below; \
                    r_i = y_i - b0 - x_i b, intercept not penalized",
        notes: "For the median instead of the mean, for limits that hold nine times in ten, for spreads that change. The optimum is \
                exact and proved. Of many rows most are taken together, so the time is a few passes and some twenty least-squares \
                steps over few rows. The default penalty is strong: lower alpha. No standard errors; needs all rows in memory.",
        reference: "R. Koenker (2005), Quantile Regression, Cambridge University Press",
        family: Family::Linear,
        tasks: &[Task::Regression],
        accepts: Accepts { weights: true, sparse: true, ..Accepts::NUMBERS },
        params: &[
            ParamSpec {
                name: Self::NAME,
                doc: "The level: the share of the rows that lie below the plane. 0 and 1 give the nearest plane below and above all rows.",
                range: Range::Real { min: 0.0, max: 1.0, above: false, log: false },
            },
            ParamSpec {
                name: "alpha",
                doc: "The strength of the penalty on the absolute coefficients; 0 is none.",
                range: Range::Real { min: 0.0, max: f64::MAX, above: false, log: true },
            },
            ParamSpec {
                name: "fit_intercept",
                doc: "Whether an intercept is fitted; it is never penalized.",
                range: Range::Bool,
            },
        ],
    };

    fn fit_rows(&self, data: &DatasetRef<'_>, cx: &Context<'_>) -> Result<QuantileModel> {
        self.check()?;
        data.check(&Self::SPEC)?;
        cx.check(ermine_core::Progress { stage: "columns", done: 0, total: None, objective: None })?;
        if let Some(model) = self.constant(data)? {
            return Ok(model);
        }
        let scaled = ScaledData::new(data, self.fit_intercept)?;
        let penalty: Vec<f64> = scaled.exponent.iter().map(|&e| ldexp(self.alpha, e) * scaled.total).collect();
        let task = QuantileProblem {
            data: &scaled,
            tau: self.inner_level(&scaled),
            fit_intercept: self.fit_intercept,
            penalty: &penalty,
        };
        let optimum = task.solve(cx)?;
        self.model(data, &scaled, optimum)
    }

    fn load(input: &ModelReader) -> Result<QuantileModel> {
        LineModel::load(input)
    }
}

/// A fitted quantile regression.
pub type QuantileModel = LineModel<Quantile>;

impl LineLearner for Quantile {
    const NAME: &'static str = "quantile";
    const ARRAY: Option<&'static str> = Some("share");
    const STATISTICS: &'static [&'static str] = &["share below", "share on", "share above"];
    const REPORTS_STEPS: bool = false;

    fn check_statistics(values: &[f64]) -> Result<()> {
        match values.iter().all(|s| (0.0..=1.0).contains(s)) {
            true => Ok(()),
            false => Err(Error::Model("shares of rows that are not between 0 and 1".into())),
        }
    }
}

impl QuantileModel {
    /// Shares of the training weight below, on and above the plane.
    pub fn share(&self) -> [f64; 3] {
        let share = self.statistics();
        [share[0], share[1], share[2]]
    }
}
