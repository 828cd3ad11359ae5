//! Ridge regression.

use ermine_core::{
    Accepts, Certificate, Context, Dataset, Error, Family, Features, Learner, Mat, Model, ModelReader, ModelWriter, ParamSpec,
    PassLearner, Range, Regressor, Report, Result, Schema, Spec, Step, StreamFit, Task, drive, drive_source,
};
use serde::{Deserialize, Serialize};

use super::coefficients::Coefficients;
use super::least_squares::{self, Problem, Solution, Stage, Totals, ldexp};

/// The strength of the penalty: one number, or one a target.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Alpha {
    /// The same for all targets.
    One(f64),
    /// One a target.
    Each(Vec<f64>),
}

impl From<f64> for Alpha {
    fn from(alpha: f64) -> Self {
        Self::One(alpha)
    }
}

impl Alpha {
    fn values(&self) -> &[f64] {
        match self {
            Self::One(a) => std::slice::from_ref(a),
            Self::Each(a) => a,
        }
    }
}

/// Ridge regression: least squares with a penalty on the squared coefficients,
/// `sum_i w_i (y_i - b0 - x_i · b)² + alpha |b|²`. The intercept is not penalised.
///
/// # When to use it
/// Many columns, or columns that say nearly the same: the penalty trades a little bias for much variance. Standardise the columns
/// first, since the penalty sees their units.
///
/// # Example
/// ```
/// use ermine_core::{Context, Dataset, Features, Learner, MatRef, Regressor, Target};
/// use ermine_learn::linear::{Alpha, Ridge};
///
/// let x = [1.0, 2.0, 3.0];
/// let y = [1.0, 2.0, 3.0];
/// let rows = Features::F64(MatRef::row_major(&x, 3, 1));
/// let data = Dataset::new(rows).with_target(Target::Real(&y));
/// let model = Ridge { alpha: Alpha::One(2.0), ..Ridge::default() }.fit(&data, &Context::default())?;
/// assert_eq!(model.coef()[(0, 0)], 0.5);      // 2 / (2 + alpha)
/// assert_eq!(model.intercept()[0], 1.0);
/// # Ok::<(), ermine_core::Error>(())
/// ```
///
/// # Parameters
/// `alpha`: the strength of the penalty, at or above 0, one number or one a target; 0 is least squares. `fit_intercept`: whether b0 is
/// fitted. `positive`: whether coefficients are kept at or above 0.
///
/// # Cost
/// One pass, time `rows · columns²`, memory `columns²`; with more columns than rows in memory `rows² · columns` instead. Nearly singular
/// systems, with a penalty next to nothing, take a second pass in double-double.
///
/// # What it does not do
/// It selects no columns and gives no tests: the coefficients are biased on purpose. It does not choose `alpha`.
///
/// # Reference
/// A. E. Hoerl, R. W. Kennard (1970), Ridge regression: biased estimation for nonorthogonal problems, Technometrics 12.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Ridge {
    /// The strength of the penalty.
    pub alpha: Alpha,
    /// Whether an intercept is fitted.
    pub fit_intercept: bool,
    /// Whether coefficients are kept at or above 0.
    pub positive: bool,
}

impl Default for Ridge {
    fn default() -> Self {
        Self { alpha: Alpha::One(1.0), fit_intercept: true, positive: false }
    }
}

impl Ridge {
    fn problem(&self) -> Problem<'_> {
        Problem {
            learner: Self::SPEC.name,
            fit_intercept: self.fit_intercept,
            positive: self.positive,
            penalty: self.alpha.values(),
            spectrum: false,
        }
    }

    fn model(&self, solution: Solution) -> RidgeModel {
        let back =
            |values: &[f64]| -> Vec<f64> { values.iter().zip(&solution.exponent).map(|(&v, &e)| ldexp(v, -2 * e)).collect() };
        RidgeModel {
            certificate: Some(solution.certificate()),
            rss: back(&solution.rss),
            r2: solution.rss.iter().zip(&solution.tss).map(|(r, t)| 1.0 - r / t).collect(),
            effective_df: solution.effective_df,
            line: Coefficients { coef: solution.coef, intercept: solution.intercept },
        }
    }
}

const PENALTY: Range = Range::Real { min: 0.0, max: f64::MAX, above: false, log: true };

impl Learner for Ridge {
    type Model = RidgeModel;

    const SPEC: Spec = Spec {
        name: "ridge",
        summary: "Least squares with a penalty on the squared coefficients",
        objective: "min sum_i w_i (y_i - b0 - x_i b)^2 + alpha |b|^2, intercept not penalised",
        notes: "Choose it when columns are many or nearly dependent; standardise them first. One pass over the data and time \
                rows x columns^2, or rows^2 x columns with more columns than rows. Does not select columns.",
        reference: "A. E. Hoerl, R. W. Kennard (1970), Technometrics 12, 55-67",
        family: Family::Linear,
        tasks: &[Task::Regression],
        accepts: Accepts { weights: true, sparse: true, passes: true, multi_target: true, ..Accepts::NUMBERS },
        params: &[
            ParamSpec {
                name: "alpha",
                doc: "The strength of the penalty: a number, or a list with one a target. 0 is least squares.",
                range: Range::Either(&PENALTY, &Range::List(&PENALTY)),
            },
            ParamSpec {
                name: "fit_intercept",
                doc: "Whether an intercept is fitted; it is never penalised.",
                range: Range::Bool,
            },
            ParamSpec {
                name: "positive",
                doc: "Whether coefficients are kept at or above 0. The intercept stays free.",
                range: Range::Bool,
            },
        ],
    };

    const STREAM: Option<StreamFit<Self>> = Some(drive_source::<Self>);

    fn check(&self) -> Result<()> {
        if matches!(&self.alpha, Alpha::Each(a) if a.is_empty()) {
            return Err(Error::Parameter {
                learner: Self::SPEC.name,
                name: "alpha".into(),
                value: "[]".into(),
                expected: "a list needs one number a target".into(),
            });
        }
        let params = serde_json::to_value(self).map_err(|e| Error::Data(e.to_string()))?;
        Self::SPEC.check_params(&params)
    }

    fn fit(&self, data: &Dataset<'_>, cx: &Context<'_>) -> Result<RidgeModel> {
        self.check()?;
        data.check(&Self::SPEC)?;
        match least_squares::in_memory(&self.problem(), data, cx)? {
            Some(solution) => Ok(self.model(solution)),
            None => drive(self, data, cx),
        }
    }

    fn load(input: &ModelReader) -> Result<RidgeModel> {
        let line = Coefficients::load(input)?;
        let targets = line.coef.rows();
        Ok(RidgeModel {
            line,
            rss: input.vec_of("rss", targets)?,
            r2: input.vec_of("r2", targets)?,
            effective_df: input.vec_of("effective_df", targets)?,
            certificate: None,
        })
    }
}

impl PassLearner for Ridge {
    type State = Stage;
    type Partial = Totals;

    fn block_rows(&self, cols: usize) -> usize {
        ermine_math::moments::block_rows(cols)
    }

    fn start(&self, head: &Dataset<'_>, _: &Context<'_>) -> Result<Stage> {
        least_squares::start(&self.problem(), head)
    }

    fn empty(&self, stage: &Stage) -> Totals {
        least_squares::empty(stage)
    }

    fn add(&self, stage: &Stage, part: &mut Totals, rows: &Dataset<'_>) -> Result<()> {
        least_squares::add(&self.problem(), stage, part, rows)
    }

    fn finish(&self, stage: Stage, total: Totals, _: &Context<'_>) -> Result<Step<Stage, RidgeModel>> {
        Ok(match least_squares::finish(&self.problem(), stage, total)? {
            Step::Again(stage, objective) => Step::Again(stage, objective),
            Step::Done(solution) => Step::Done(self.model(solution)),
        })
    }
}

/// A fitted ridge regression.
///
/// Saved arrays: `coef` [targets, columns], `intercept`, `rss`, `r2`, `effective_df` [targets].
#[derive(Debug, Clone, PartialEq)]
pub struct RidgeModel {
    line: Coefficients,
    rss: Vec<f64>,
    r2: Vec<f64>,
    effective_df: Vec<f64>,
    certificate: Option<Certificate>,
}

impl RidgeModel {
    /// The coefficients, a row a target.
    pub fn coef(&self) -> &Mat<f64> {
        &self.line.coef
    }

    /// The intercepts, one a target.
    pub fn intercept(&self) -> &[f64] {
        &self.line.intercept
    }

    /// Weighted residual sums of squares, one a target.
    pub fn rss(&self) -> &[f64] {
        &self.rss
    }

    /// Effective degrees of freedom without the intercept, one a target: the trace of `X (XᵀX + alpha I)⁻¹ Xᵀ`.
    pub fn effective_df(&self) -> &[f64] {
        &self.effective_df
    }
}

impl Model for RidgeModel {
    fn n_features(&self) -> usize {
        self.line.coef.cols()
    }

    fn as_regressor(&self) -> Option<&dyn Regressor> {
        Some(self)
    }

    fn certificate(&self) -> Option<&Certificate> {
        self.certificate.as_ref()
    }

    fn report(&self, schema: &Schema) -> Report {
        let mut out = Report::default();
        let names: Vec<&str> = schema.names().collect();
        for k in 0..self.line.coef.rows() {
            let title = |what: &str| if self.rss.len() == 1 { what.to_owned() } else { format!("{what}, target {k}") };
            let mut rows = vec![vec!["(intercept)".into(), self.line.intercept[k].into()]];
            for (j, &b) in self.line.coef.row(k).iter().enumerate() {
                let name = names.get(j).map_or_else(|| format!("x{j}"), |n| n.to_string());
                rows.push(vec![name.into(), b.into()]);
            }
            out.table(title("Coefficients"), &["column", "coefficient"], rows);
            let fit = [("rss", self.rss[k]), ("r2", self.r2[k]), ("effective_df", self.effective_df[k])];
            let rows = fit.iter().filter(|f| f.1.is_finite()).map(|&(name, v)| vec![name.into(), v.into()]).collect();
            out.table(title("Fit"), &["statistic", "value"], rows);
        }
        out
    }

    fn save(&self, out: &mut ModelWriter) -> Result<()> {
        self.line.save(out);
        out.vec("rss", &self.rss);
        out.vec("r2", &self.r2);
        out.vec("effective_df", &self.effective_df);
        Ok(())
    }
}

impl Regressor for RidgeModel {
    fn n_targets(&self) -> usize {
        self.line.coef.rows()
    }

    fn predict(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        self.line.predict(x, Ridge::SPEC.name)
    }
}
