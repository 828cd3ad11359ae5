//! Ordinary least squares.

use ermine_core::{
    Accepts, Certificate, Context, DatasetRef, Error, Family, Features, FoldFit, Learner, Mat, Model, ModelReader, ModelWriter,
    ParamSpec, Range, Regressor, Report, Result, RowFunction, Schema, Spec, StreamFit, Task, run_passes_checked,
    run_passes_source,
};
use serde::{Deserialize, Serialize};

use super::coefficients::Coefficients;
use super::inference::{FitEvidence, FitStatistics, Inference, report};
use super::least_squares::{self, LeastSquaresProblem, LeastSquaresSolution, ResidualCheck, SolutionFamily, complement};

/// Ordinary least squares: the affine function with the least squared error,
/// `sum_i w_i (y_i - b0 - x_i · b)²`.
///
/// # When to use it
/// A number is to be explained or predicted by a few columns, and what each of them contributes should be read off, with standard
/// errors, tests and intervals. With many or nearly dependent columns [`Ridge`](super::Ridge) predicts better.
///
/// # Example
/// ```
/// use ermine_core::{Context, DatasetRef, Features, Learner, MatRef, Regressor, Target};
/// use ermine_linear::Ols;
///
/// let x = [1.0, 2.0, 3.0, 4.0];
/// let y = [3.1, 4.9, 7.2, 8.8];
/// let rows = Features::F64(MatRef::row_major(&x, 4, 1));
/// let model = Ols::default().fit_with(&DatasetRef::new(rows).with_target(Target::Real(&y)), &Context::default())?;
/// assert!((model.coef()[(0, 0)] - 1.94).abs() < 1e-12);
/// let errors = &model.inference().unwrap().std_err;    // [targets, 1 + columns], the intercept first
/// assert!((errors[(0, 1)] - 0.090_553_851_381_374_17).abs() < 1e-12);
/// # Ok::<(), ermine_core::Error>(())
/// ```
///
/// # Parameters
/// `fit_intercept`: whether b0 is fitted; otherwise it is 0 and sums of squares are about zero. `positive`: whether coefficients are kept
/// at or above 0 (the intercept stays free; no errors or tests then). `confidence`: the probability that an interval covers its
/// coefficient. `family`: whether, of dependent columns, the whole family of minimizers is kept: [`OlsModel::solution`].
///
/// # What is computed
/// Moments of the columns in one pass. When the scaled normal equations are well conditioned they are solved at once; otherwise a
/// second pass takes the products in double-double, and the coefficients have all the digits that the data determine. Of dependent
/// columns (judged by the rounding of the data) the coefficients of least length are given, and the certificate says so. With more columns
/// than rows in memory the rows take the place of the columns.
///
/// All minimizers are `Φ†y + (I - Φ†Φ) u`, one for each vector u; the intercept follows, so that the residuals have mean 0:
///
/// ```
/// use ermine_core::{Context, DatasetRef, Features, Learner, MatRef, Target};
/// use ermine_linear::Ols;
///
/// // The second column is twice the first.
/// let x = [1.0, 2.0, 2.0, 4.0, 3.0, 6.0];
/// let data = DatasetRef::new(Features::F64(MatRef::row_major(&x, 3, 2))).with_target(Target::Real(&[1.0, 2.0, 4.0]));
/// let model = Ols { family: true, ..Ols::default() }.fit_with(&data, &Context::default())?;
/// let null = model.null_space().unwrap();
/// assert!((null[(0, 0)] + 2.0 * null[(0, 1)]).abs() < 1e-15);
/// let (coef, _) = model.solution(0, &[7.0, 0.0]).unwrap();      // another minimizer
/// assert!((coef[0] + 2.0 * coef[1] - 1.5).abs() < 1e-14);
/// # Ok::<(), ermine_core::Error>(())
/// ```
///
/// Weights are inverse variances for the errors and tests (degrees of freedom count rows), and counts for the coefficients, where both
/// readings agree: weight 2 is the row twice.
///
/// # Cost
/// Time `rows · columns²`, memory `columns²`; ten to twenty times the time when the second pass is needed.
///
/// # What it does not do
/// No selection of columns, no robust or clustered errors, no columns of categories (encode them first).
///
/// # Reference
/// Å. Björck (1996), Numerical Methods for Least Squares Problems, SIAM. C. L. Lawson, R. J. Hanson (1974), Solving Least Squares
/// Problems, for `positive`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[doc(alias = "LinearRegression")]
pub struct Ols {
    /// Whether an intercept is fitted.
    pub fit_intercept: bool,
    /// Whether coefficients are kept at or above 0.
    pub positive: bool,
    /// The probability that an interval covers its coefficient.
    pub confidence: f64,
    /// Whether the family of all minimizers is kept, where there are many.
    pub family: bool,
}

impl Default for Ols {
    fn default() -> Self {
        Self { fit_intercept: true, positive: false, confidence: 0.95, family: false }
    }
}

impl Ols {
    #[cfg(feature = "fit")]
    fn problem(&self) -> LeastSquaresProblem<'static> {
        LeastSquaresProblem {
            learner: Self::SPEC.name,
            fit_intercept: self.fit_intercept,
            positive: self.positive,
            penalty: &[],
            grid: None,
            spectrum: !self.positive,
            family: self.family,
        }
    }

    #[cfg(feature = "fit")]
    fn model(&self, solution: LeastSquaresSolution) -> OlsModel {
        OlsModel {
            evidence: FitEvidence::new(&solution, self.fit_intercept, self.confidence),
            certificate: Some(solution.certificate()),
            line: Coefficients { coef: solution.coef, intercept: solution.intercept },
            rank: solution.rank,
            singular: solution.singular,
            family: solution.family,
            fit_intercept: self.fit_intercept,
        }
    }
}

impl Ols {
    /// Its name in the catalogue and in model files.
    pub(crate) const NAME: &'static str = "ols";
}

#[cfg(feature = "fit")]
impl Learner for Ols {
    type Model = OlsModel;

    const SPEC: Spec = Spec {
        name: Self::NAME,
        summary: "Least squares, with standard errors, tests and intervals",
        objective: "min sum_i w_i (y_i - b0 - x_i b)^2",
        notes: "The first choice for a number when rows are many and columns few and not nearly dependent; use ridge otherwise. \
                Takes time rows x columns^2 and one pass over the data, two when the columns are nearly dependent or the fit is nearly \
                perfect. Dependent columns get the coefficients of least length. Weight 2 is the row twice for the coefficients; standard errors and tests take weights as inverse \
                variances. Does not select columns.",
        reference: "A. Björck (1996), Numerical Methods for Least Squares Problems, SIAM",
        family: Family::Linear,
        tasks: &[Task::Regression],
        accepts: Accepts { weights: true, sparse: true, passes: true, multi_target: true, ..Accepts::NUMBERS },
        params: &[
            ParamSpec {
                name: "fit_intercept",
                doc: "Whether an intercept is fitted; without it the line goes through the origin.",
                range: Range::Bool,
            },
            ParamSpec {
                name: "positive",
                doc: "Whether coefficients are kept at or above 0. The intercept stays free; there are no standard errors then.",
                range: Range::Bool,
            },
            ParamSpec {
                name: "confidence",
                doc: "The probability that a confidence interval covers its coefficient, between 0 and 1.",
                range: Range::Real { min: 0.0, max: 0.999_999_999_999, above: true, log: false },
            },
            ParamSpec {
                name: "family",
                doc: "Whether, where columns are dependent, the family of all solutions is kept and not the shortest alone.",
                range: Range::Bool,
            },
        ],
    };

    const STREAM: Option<StreamFit<Self>> = Some(run_passes_source::<Self>);

    // Moments of rows do not depend on the intercept, the sign constraint and further requests.
    const FOLD_SUMS: Option<FoldFit<Self>> =
        Some(FoldFit::from_pass_learner(|_, data, cut| least_squares::adds_up(data, cut).then(String::new)));

    fn fit_rows(&self, data: &DatasetRef<'_>, cx: &Context<'_>) -> Result<OlsModel> {
        self.check()?;
        data.check(&Self::SPEC)?;
        match least_squares::in_memory(&self.problem(), data, cx)? {
            Some(solution) => Ok(self.model(solution)),
            None => run_passes_checked(self, data, cx),
        }
    }

    fn load(input: &ModelReader) -> Result<OlsModel> {
        OlsModel::load(input)
    }
}

impl OlsModel {
    pub(crate) fn load(input: &ModelReader) -> Result<Self> {
        let line = Coefficients::load(input)?;
        let (targets, cols) = (line.coef.rows(), line.coef.cols());
        let rank: usize = input.field("rank")?;
        if rank > cols {
            return Err(Error::Model(format!("rank {rank} of {cols} columns")));
        }
        let singular = if input.array_info("singular").is_some() { Some(input.vec("singular")?) } else { None };
        let evidence = FitEvidence::load(input, targets, cols)?;
        let family = match input.array_info("row_space") {
            Some(_) => {
                Some(SolutionFamily { row_space: input.mat_of("row_space", rank, cols)?, means: input.vec_of("means", cols)? })
            }
            None => None,
        };
        Ok(OlsModel { line, rank, singular, family, evidence, fit_intercept: input.field("fit_intercept")?, certificate: None })
    }
}

#[cfg(feature = "fit")]
least_squares::impl_passes!(Ols, OlsModel, |_| Ok(()));

/// A fitted least-squares line with the inference on its coefficients.
///
/// Saved arrays: `coef` (targets, columns), `intercept` (targets), `summary` (targets, 12) (the fields of [`FitStatistics`] in order), `singular`
/// (singular values of the centered, weighted X), on request `row_space` (rank, columns) and `means` (columns) where columns are dependent, and, for determined coefficients, the matrices of [`Inference`] (targets, columns + 1).
/// Field: `rank`.
#[derive(Debug, Clone, PartialEq)]
pub struct OlsModel {
    line: Coefficients,
    rank: usize,
    singular: Option<Vec<f64>>,
    family: Option<SolutionFamily>,
    evidence: FitEvidence,
    fit_intercept: bool,
    certificate: Option<Certificate>,
}

impl OlsModel {
    /// The coefficients, one row per target.
    pub fn coef(&self) -> &Mat<f64> {
        &self.line.coef
    }

    /// The intercepts, one per target.
    pub fn intercept(&self) -> &[f64] {
        &self.line.intercept
    }

    /// Numerical rank of the centered columns.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// Singular values of the centered, weighted X, largest first; none with `positive`.
    pub fn singular(&self) -> Option<&[f64]> {
        self.singular.as_deref()
    }

    /// The directions in which coefficients may move without any effect on the fit: orthonormal rows that span the null space of the
    /// centered X. None where all are determined, or when `family` was not asked for.
    pub fn null_space(&self) -> Option<Mat<f64>> {
        self.family.as_ref().map(|f| complement(&f.row_space))
    }

    /// The member `Φ†y + (I - Φ†Φ) u` of the family of minimizers for one target: its coefficients and its intercept. Every minimizer is
    /// one of these, and u = 0 gives the shortest. None for a target that is not there or a `u` of another length; where all
    /// coefficients are determined, or `family` was not asked for, `u` changes nothing.
    pub fn solution(&self, target: usize, u: &[f64]) -> Option<(Vec<f64>, f64)> {
        if target >= self.line.coef.rows() || u.len() != self.line.coef.cols() {
            return None;
        }
        let (mut coef, mut intercept) = (self.line.coef.row(target).to_vec(), self.line.intercept[target]);
        if let Some(SolutionFamily { row_space, means }) = &self.family {
            let mut free = u.to_vec();
            // Projected twice: once leaves rounding (Kahan).
            for _ in 0..2 {
                for k in 0..row_space.rows() {
                    let along: f64 = row_space.row(k).iter().zip(&free).map(|(b, v)| b * v).sum();
                    free.iter_mut().zip(row_space.row(k)).for_each(|(v, b)| *v -= along * b);
                }
            }
            coef.iter_mut().zip(&free).for_each(|(c, f)| *c += f);
            intercept -= means.iter().zip(&free).map(|(m, f)| m * f).sum::<f64>();
        }
        Some((coef, intercept))
    }

    /// Violation of the optimality conditions, one target at a time; none for problems solved in the space of the rows.
    pub fn residual_checks(&self) -> Option<&[ResidualCheck]> {
        self.evidence.checks.as_deref()
    }

    /// The quality of the fit, a target at a time.
    pub fn summary(&self) -> &[FitStatistics] {
        &self.evidence.summary
    }

    /// Standard errors, tests and intervals, where the coefficients are determined and rows are left over.
    pub fn inference(&self) -> Option<&Inference> {
        self.evidence.inference.as_ref()
    }
}

ermine_core::display_as_report!(OlsModel);

impl Model for OlsModel {
    crate::coefficients::model_methods!(line, regressor);

    fn report(&self, schema: &Schema) -> Report {
        let mut out = Report::default();
        report(&mut out, schema, &self.line, &self.evidence, self.fit_intercept);
        out
    }

    fn save(&self, out: &mut ModelWriter) -> Result<()> {
        self.line.save(out);
        self.evidence.save(out);
        if let Some(singular) = &self.singular {
            out.vec("singular", singular);
        }
        if let Some(SolutionFamily { row_space, means }) = &self.family {
            out.mat("row_space", row_space);
            out.vec("means", means);
        }
        out.field("rank", &self.rank)?;
        out.field("fit_intercept", &self.fit_intercept)
    }
}

impl Regressor for OlsModel {
    fn n_targets(&self) -> usize {
        self.line.coef.rows()
    }

    fn predict(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        self.line.predict(x, Ols::NAME)
    }

    fn by_row(&self, schema: &Schema) -> Option<Box<dyn RowFunction>> {
        self.line.by_row(schema, Ols::NAME)
    }
}
