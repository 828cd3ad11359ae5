//! Ridge regression.

use ermine_core::{
    Accepts, Certificate, Context, DatasetRef, Error, Family, Features, FoldFit, Learner, LooPredictions, Mat, Model,
    ModelReader, ModelWriter, ParamSpec, Range, Regressor, Report, Result, RowFunction, Schema, Spec, StreamFit, Task,
    run_passes_checked, run_passes_source,
};
use ermine_math::scale::ldexp;
use serde::{Deserialize, Serialize};

use super::coefficients::Coefficients;
use super::least_squares::{self, AlphaGrid, LeastSquaresProblem, RidgePath};
#[cfg(feature = "fit")]
use super::least_squares::{LeastSquaresSolution, cross_validate};
use super::line_model::fit_table;
use ermine_core::splits::k_fold;

/// The strength of the penalty: one number, one per target, or a rule that chooses it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum RidgeAlpha {
    /// The same for all targets.
    One(f64),
    /// One per target.
    Each(Vec<f64>),
    /// Chosen from a grid.
    Chosen(RidgeCv),
}

/// A rule that chooses the penalty from a grid: by the least mean squared error of rows that had no part in the fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RidgeCv {
    /// Leave one out: each row is predicted from all others, exactly, at the cost of one fit.
    Loo,
    /// Cross-validation in `cv` folds.
    Cv,
}

impl From<f64> for RidgeAlpha {
    fn from(alpha: f64) -> Self {
        Self::One(alpha)
    }
}

impl RidgeAlpha {
    fn values(&self) -> &[f64] {
        match self {
            Self::One(a) => std::slice::from_ref(a),
            Self::Each(a) => a,
            Self::Chosen(_) => &[],
        }
    }
}

/// Ridge regression: least squares with a penalty on the squared coefficients,
/// `sum_i w_i (y_i - b0 - x_i · b)² + alpha |b|²`. The intercept is not penalized.
///
/// # When to use it
/// Many columns, or nearly equal columns: the penalty trades a little bias for much variance. Standardize the columns
/// first, since the penalty sees their units.
///
/// # Example
/// ```
/// use ermine_core::{Context, DatasetRef, Features, Learner, MatRef, Regressor, Target};
/// use ermine_linear::{Ridge, RidgeAlpha};
///
/// let x = [1.0, 2.0, 3.0];
/// let y = [1.0, 2.0, 3.0];
/// let rows = Features::F64(MatRef::row_major(&x, 3, 1));
/// let data = DatasetRef::new(rows).with_target(Target::Real(&y));
/// let model = Ridge { alpha: RidgeAlpha::One(2.0), ..Ridge::default() }.fit_with(&data, &Context::default())?;
/// assert_eq!(model.coef()[(0, 0)], 0.5);      // 2 / (2 + alpha)
/// assert_eq!(model.intercept()[0], 1.0);
/// # Ok::<(), ermine_core::Error>(())
/// ```
///
/// # Parameters
/// `alpha`: the strength of the penalty, at or above 0, one number or one per target; 0 is least squares. `"loo"` chooses it from
/// `alphas` by the exact leave-one-out error, `"cv"` by cross-validation in `cv` folds. `alphas`: the grid; none for 101 values from 1e-8
/// to 100 times the largest eigenvalue of XᵀX. `alpha_per_target`: whether each target gets the best for itself. `store_cv_results`:
/// whether the residuals of all rows, predicted from others, are kept at all penalties. `fit_intercept`: whether b0 is fitted.
/// `positive`: whether coefficients are kept at or above 0.
///
/// # Choosing alpha
/// The centered XᵀX is factorized once, as Q Λ Qᵀ, and serves all penalties. A row with residual r and leverage h, both of the fit to
/// all rows, is missed by r / (1 - h) by the fit to all others: intercept and weights included, this is no approximation. A row is left
/// out with all its weight, and its squared error counts with its weight. With fewer rows than columns X Xᵀ takes the place of XᵀX.
///
/// ```
/// use ermine_core::{Context, DatasetRef, Features, Learner, MatRef, Target};
/// use ermine_linear::{Ridge, RidgeAlpha, RidgeCv};
///
/// let x = [1.0, 2.0, 3.0, 4.0, 5.0];
/// let y = [1.1, 1.9, 3.2, 3.9, 5.1];
/// let data = DatasetRef::new(Features::F64(MatRef::row_major(&x, 5, 1))).with_target(Target::Real(&y));
/// let alphas = Some(vec![0.01, 1.0, 100.0]);
/// let model = Ridge { alpha: RidgeAlpha::Chosen(RidgeCv::Loo), alphas, ..Ridge::default() }.fit_with(&data, &Context::default())?;
/// assert_eq!(model.alpha(), [0.01]);
/// assert_eq!(model.path().unwrap().error.cols(), 3);
/// # Ok::<(), ermine_core::Error>(())
/// ```
///
/// # Cost
/// One pass, time `rows · columns²`, memory `columns²`; with more columns than rows in memory `rows² · columns` instead. Nearly singular
/// systems, with a penalty next to nothing, take a second pass in double-double. `"loo"` takes one more pass, time `columns³` for the
/// spectrum and `rows · columns · alphas`; `"cv"` one factorization per fold, with the rows in memory.
///
/// # What it does not do
/// It selects no columns and gives no tests: the coefficients are biased on purpose.
///
/// # Reference
/// A. E. Hoerl, R. W. Kennard (1970), Ridge regression: biased estimation for nonorthogonal problems, Technometrics 12. D. M. Allen
/// (1974), The relationship between variable selection and data augmentation and a method for prediction, Technometrics 16.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[doc(alias = "RidgeCV")]
pub struct Ridge {
    /// The strength of the penalty.
    pub alpha: RidgeAlpha,
    /// The penalties to choose from; none for a grid made from the spectrum of the data.
    pub alphas: Option<Vec<f64>>,
    /// Whether each target gets its own penalty, where it is chosen.
    pub alpha_per_target: bool,
    /// Folds of the cross-validation.
    pub cv: usize,
    /// Whether the residuals of rows predicted from others are kept.
    pub store_cv_results: bool,
    /// Whether an intercept is fitted.
    pub fit_intercept: bool,
    /// Whether coefficients are kept at or above 0.
    pub positive: bool,
}

impl Default for Ridge {
    fn default() -> Self {
        Self {
            alpha: RidgeAlpha::One(1.0),
            alphas: None,
            alpha_per_target: false,
            cv: 5,
            store_cv_results: false,
            fit_intercept: true,
            positive: false,
        }
    }
}

impl Ridge {
    #[cfg(feature = "fit")]
    fn problem(&self) -> LeastSquaresProblem<'_> {
        LeastSquaresProblem {
            learner: Self::SPEC.name,
            fit_intercept: self.fit_intercept,
            positive: self.positive,
            penalty: self.alpha.values(),
            grid: matches!(self.alpha, RidgeAlpha::Chosen(_)).then(|| self.grid()),
            spectrum: false,
            family: false,
        }
    }

    fn grid(&self) -> AlphaGrid<'_> {
        AlphaGrid { alphas: self.alphas.as_deref(), per_target: self.alpha_per_target, keep: self.store_cv_results }
    }

    #[cfg(feature = "fit")]
    fn model(&self, solution: LeastSquaresSolution) -> RidgeModel {
        let back =
            |values: &[f64]| -> Vec<f64> { values.iter().zip(&solution.exponent).map(|(&v, &e)| ldexp(v, -2 * e)).collect() };
        RidgeModel {
            certificate: Some(solution.certificate()),
            rss: back(&solution.rss),
            r2: solution.rss.iter().zip(&solution.tss).map(|(r, t)| 1.0 - r / t).collect(),
            effective_df: solution.effective_df,
            alpha: solution.path.as_ref().map_or_else(|| self.alpha.values().to_vec(), |p| p.chosen.clone()),
            path: solution.path,
            line: Coefficients { coef: solution.coef, intercept: solution.intercept },
        }
    }
}

const PENALTY: Range = Range::Real { min: 0.0, max: f64::MAX, above: false, log: true };
const ABOVE: Range = Range::Real { min: 0.0, max: f64::MAX, above: true, log: true };

impl Ridge {
    /// Its name in the catalogue and in model files.
    pub(crate) const NAME: &'static str = "ridge";
}

#[cfg(feature = "fit")]
impl Learner for Ridge {
    type Model = RidgeModel;

    const SEARCH_SPACE: &'static [&'static str] = &["alpha=1e-3..1e5:log"];

    const SPEC: Spec = Spec {
        name: Self::NAME,
        summary: "Least squares with a penalty on the squared coefficients",
        objective: "min sum_i w_i (y_i - b0 - x_i b)^2 + alpha |b|^2, intercept not penalized",
        notes: "Choose it when columns are many or nearly dependent; standardize them first. One pass over the data and time \
                rows x columns^2, or rows^2 x columns with more columns than rows. Does not select columns.",
        reference: "A. E. Hoerl, R. W. Kennard (1970), Technometrics 12, 55-67",
        family: Family::Linear,
        tasks: &[Task::Regression],
        accepts: Accepts { weights: true, sparse: true, passes: true, multi_target: true, ..Accepts::NUMBERS },
        params: &[
            ParamSpec {
                name: "alpha",
                doc: "The strength of the penalty: a number, or a list with one per target. 0 is least squares. \"loo\" chooses it from \
                      alphas by the exact leave-one-out error, \"cv\" by cross-validation.",
                range: Range::Either(&Range::Either(&PENALTY, &Range::Choice(&["loo", "cv"])), &Range::List(&PENALTY)),
            },
            ParamSpec {
                name: "alphas",
                doc: "The penalties to choose from, with alpha \"loo\" or \"cv\". null makes a grid of 101 from the spectrum of the data: \
                      1e-8 to 100 times the largest eigenvalue of X'X.",
                range: Range::Optional(&Range::List(&ABOVE)),
            },
            ParamSpec {
                name: "alpha_per_target",
                doc: "Whether each target gets the penalty that is best for itself, where it is chosen.",
                range: Range::Bool,
            },
            ParamSpec { name: "cv", doc: "Folds of the cross-validation, with alpha \"cv\".", range: Range::int_from(2) },
            ParamSpec {
                name: "store_cv_results",
                doc: "Whether the residuals of all rows, each predicted from others, are kept in the model at all penalties.",
                range: Range::Bool,
            },
            ParamSpec {
                name: "fit_intercept",
                doc: "Whether an intercept is fitted; it is never penalized.",
                range: Range::Bool,
            },
            ParamSpec {
                name: "positive",
                doc: "Whether coefficients are kept at or above 0. The intercept stays free.",
                range: Range::Bool,
            },
        ],
    };

    const STREAM: Option<StreamFit<Self>> = Some(run_passes_source::<Self>);

    // Moments of rows do not depend on the penalty, the intercept and the sign constraint. Where the penalty is chosen, rows are read again.
    const FOLD_SUMS: Option<FoldFit<Self>> = Some(FoldFit::from_pass_learner(|ridge, data, cut| {
        let chosen = matches!(ridge.alpha, RidgeAlpha::Chosen(_));
        (!chosen && ridge.alphas.is_none() && least_squares::adds_up(data, cut)).then(String::new)
    }));

    const LOO_PREDICTIONS: Option<LooPredictions<Self>> = Some(left_out);

    fn check(&self) -> Result<()> {
        let refuse = |name, value, expected| Err(Error::parameter(Self::SPEC.name, name, value, expected));
        if matches!(&self.alpha, RidgeAlpha::Each(a) if a.is_empty()) {
            return refuse("alpha", "[]", "a list needs one number per target");
        }
        if self.alphas.as_ref().is_some_and(|a| a.is_empty()) {
            return refuse("alphas", "[]", "there must be a penalty to choose; null makes a grid from the data");
        }
        if self.positive && matches!(self.alpha, RidgeAlpha::Chosen(_)) {
            let expected = "one factorization serves all penalties only without the sign constraint; give alpha a number";
            return refuse("alpha", "\"loo\" or \"cv\" with positive", expected);
        }
        self.check_ranges()
    }

    fn fit_rows(&self, data: &DatasetRef<'_>, cx: &Context<'_>) -> Result<RidgeModel> {
        self.check()?;
        data.check(&Self::SPEC)?;
        if self.alpha == RidgeAlpha::Chosen(RidgeCv::Cv) {
            let folds = k_fold(data.rows(), self.cv, cx.seed)?;
            let path = cross_validate(&self.problem(), &self.grid(), data, &folds, cx)?;
            let alpha = match path.chosen[..] {
                [one] => RidgeAlpha::One(one),
                _ => RidgeAlpha::Each(path.chosen.clone()),
            };
            let mut model = Self { alpha, alphas: None, ..self.clone() }.fit_with(data, cx)?;
            if let Some(certificate) = &mut model.certificate {
                certificate.notes.splice(0..0, path.notes.iter().cloned());
            }
            return Ok(RidgeModel { path: Some(path), ..model });
        }
        let mut model = match least_squares::in_memory(&self.problem(), data, cx)? {
            Some(solution) => self.model(solution),
            None => run_passes_checked(self, data, cx)?,
        };
        if let (Some(_), RidgeAlpha::One(_) | RidgeAlpha::Each(_), Some(certificate)) =
            (&self.alphas, &self.alpha, &mut model.certificate)
        {
            certificate
                .notes
                .push("alphas is not used, since alpha is a number; alpha=loo or alpha=cv chooses among them".into());
        }
        Ok(model)
    }

    fn load(input: &ModelReader) -> Result<RidgeModel> {
        RidgeModel::load(input)
    }
}

impl RidgeModel {
    pub(crate) fn load(input: &ModelReader) -> Result<Self> {
        let line = Coefficients::load(input)?;
        let targets = line.coef.rows();
        Ok(RidgeModel {
            line,
            rss: input.vec_of("rss", targets)?,
            r2: input.vec_of("r2", targets)?,
            effective_df: input.vec_of("effective_df", targets)?,
            // Files of before the penalty was kept have none.
            alpha: if input.array_info("alpha").is_some() { input.vec("alpha")? } else { Vec::new() },
            path: if input.array_info("alphas").is_some() { Some(load_path(input, targets)?) } else { None },
            certificate: None,
        })
    }
}

/// Condition of the normal equations up to which the spectrum has digits enough for the errors of rows left out.
const LEFT_OUT_CONDITION: f64 = 1e8;

/// The residuals of rows left out, as they are found where the penalty is chosen by them, with the one penalty to choose from.
#[cfg(feature = "fit")]
fn left_out(ridge: &Ridge, data: &DatasetRef<'_>, cx: &Context<'_>) -> Result<Option<Mat<f64>>> {
    let RidgeAlpha::One(alpha) = ridge.alpha else { return Ok(None) };
    // Without a penalty or with a sign constraint there is no such formula; `alphas` needs a note.
    if alpha <= 0.0 || ridge.positive || ridge.alphas.is_some() {
        return Ok(None);
    }
    let choose = RidgeAlpha::Chosen(RidgeCv::Loo);
    let model = Ridge { alpha: choose, alphas: Some(vec![alpha]), store_cv_results: true, ..ridge.clone() }.fit_with(data, cx)?;
    let condition = model.certificate.as_ref().and_then(|c| c.condition).unwrap_or(f64::INFINITY);
    let Some(residuals) = model.path.as_ref().and_then(|p| p.residuals.as_ref()).filter(|_| condition < LEFT_OUT_CONDITION)
    else {
        return Ok(None);
    };
    let y = data.y.reals()?;
    // A row without weight has no part in the fit that would be left out.
    let mut predictions =
        if data.weight.is_some_and(|w| w.contains(&0.0)) { model.predict(&data.x)? } else { Mat::zeros(y.rows(), y.cols()) };
    for i in (0..y.rows()).filter(|&i| data.weight_of(i) > 0.0) {
        (0..y.cols()).for_each(|t| predictions[(i, t)] = y.at(i, t) - residuals[(i, t)]);
    }
    Ok(Some(predictions))
}

#[cfg(feature = "fit")]
least_squares::impl_passes!(Ridge, RidgeModel, |ridge| match ridge.alpha {
    RidgeAlpha::Chosen(RidgeCv::Cv) => {
        Err(Error::Data("alpha \"cv\" needs all rows in memory; \"loo\" chooses it in passes".into()))
    }
    _ => Ok(()),
});

/// A fitted ridge regression.
///
/// Saved arrays: `coef` (targets, columns), `intercept`, `rss`, `r2`, `effective_df` (targets), `alpha` (1 or targets). Where the penalty
/// was chosen also `alphas` and `path_df` (alphas), `path_error` (targets, alphas) and, on request, `path_residuals` (rows, targets · alphas).
#[derive(Debug, Clone, PartialEq)]
pub struct RidgeModel {
    line: Coefficients,
    rss: Vec<f64>,
    r2: Vec<f64>,
    effective_df: Vec<f64>,
    alpha: Vec<f64>,
    path: Option<RidgePath>,
    certificate: Option<Certificate>,
}

impl RidgeModel {
    /// The coefficients, one row per target.
    pub fn coef(&self) -> &Mat<f64> {
        &self.line.coef
    }

    /// The intercepts, one per target.
    pub fn intercept(&self) -> &[f64] {
        &self.line.intercept
    }

    /// Weighted residual sums of squares, one per target.
    pub fn rss(&self) -> &[f64] {
        &self.rss
    }

    /// Effective degrees of freedom without the intercept, one per target: the trace of `X (XᵀX + alpha I)⁻¹ Xᵀ`.
    pub fn effective_df(&self) -> &[f64] {
        &self.effective_df
    }

    /// The strength of the penalty, given or chosen: one for all targets, or one per target.
    pub fn alpha(&self) -> &[f64] {
        &self.alpha
    }

    /// Errors over the grid, where the penalty was chosen.
    pub fn path(&self) -> Option<&RidgePath> {
        self.path.as_ref()
    }
}

fn load_path(input: &ModelReader, targets: usize) -> Result<RidgePath> {
    let alphas: Vec<f64> = input.vec("alphas")?;
    let residuals = match input.array_info("path_residuals") {
        Some(_) => Some(input.mat::<f64>("path_residuals")?),
        None => None,
    };
    if let Some(r) = residuals.as_ref().filter(|r| r.cols() != targets * alphas.len()) {
        return Err(Error::Model(format!(
            "residuals of {} targets and {} penalties in {} columns",
            targets,
            alphas.len(),
            r.cols()
        )));
    }
    Ok(RidgePath {
        df: input.vec_of("path_df", alphas.len())?,
        error: input.mat_of("path_error", targets, alphas.len())?,
        chosen: input.vec("alpha")?,
        alphas,
        residuals,
        notes: Vec::new(),
    })
}

ermine_core::display_as_report!(RidgeModel);

impl Model for RidgeModel {
    crate::coefficients::model_methods!(line, regressor);

    fn report(&self, schema: &Schema) -> Report {
        let mut out = Report::default();
        for k in 0..self.line.coef.rows() {
            let title = |what: &str| if self.rss.len() == 1 { what.to_owned() } else { format!("{what}, target {k}") };
            self.line.of_target(k).report(&mut out, title("Coefficients"), &["coefficient".into()], schema);
            let alpha = self.alpha.get(k).or(self.alpha.first()).copied().unwrap_or(f64::NAN);
            let fit = [("alpha", alpha), ("rss", self.rss[k]), ("r2", self.r2[k]), ("effective_df", self.effective_df[k])];
            fit_table(&mut out, title("Fit"), &fit);
        }
        if let Some(path) = &self.path {
            path.report(&mut out);
        }
        out
    }

    fn save(&self, out: &mut ModelWriter) -> Result<()> {
        self.line.save(out);
        out.vec("rss", &self.rss);
        out.vec("r2", &self.r2);
        out.vec("effective_df", &self.effective_df);
        out.vec("alpha", &self.alpha);
        if let Some(path) = &self.path {
            out.vec("alphas", &path.alphas);
            out.vec("path_df", &path.df);
            out.mat("path_error", &path.error);
            if let Some(residuals) = &path.residuals {
                out.mat("path_residuals", residuals);
            }
        }
        Ok(())
    }
}

impl Regressor for RidgeModel {
    fn n_targets(&self) -> usize {
        self.line.coef.rows()
    }

    fn predict(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        self.line.predict(x, Ridge::NAME)
    }

    fn by_row(&self, schema: &Schema) -> Option<Box<dyn RowFunction>> {
        self.line.by_row(schema, Ridge::NAME)
    }
}
