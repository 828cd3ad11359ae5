//! Huber's robust regression.

#[cfg(feature = "fit")]
mod newton;
#[cfg(feature = "fit")]
mod search;

use ermine_core::{
    Accepts, Context, DatasetRef, Error, Family, Learner, ModelReader, ParamSpec, Partial, PassLearner, PassStep, Range, Result,
    Spec, StreamFit, Task, run_passes_checked, run_passes_source,
};
use serde::{Deserialize, Serialize};

use super::least_squares::{self, LeastSquaresProblem};
#[cfg(feature = "fit")]
use super::least_squares::{LeastSquaresPartial, LeastSquaresState};
use super::line_model::{LineLearner, LineModel};
#[cfg(feature = "fit")]
use newton::HuberNewtonSums;
#[cfg(feature = "fit")]
use search::HuberSearch;

const NAME: &str = "huber";

/// Huber's regression: squared loss near the line, absolute loss far from it, with the scale σ of the residuals fitted too,
/// `sum_i w_i (σ + H(r_i / σ) σ) + alpha |b|²` with `r_i = y_i - b0 - x_i · b`, `H(z) = z²` for `|z| <= epsilon` and
/// `2 epsilon |z| - epsilon²` beyond. The intercept is not penalized.
///
/// # When to use it
/// As least squares, when some targets may be far off: a row farther than `epsilon σ` from the line pulls with a bounded force. It does not
/// guard against rows whose *columns* are far off.
///
/// # Example
/// ```
/// use ermine_core::{Context, DatasetRef, Features, Learner, MatRef, Target};
/// use ermine_linear::Huber;
///
/// let x = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0];
/// let y = [0.1, 0.9, 2.1, 2.9, 4.1, 4.9, 60.0, 7.1];    // one is far off
/// let rows = Features::F64(MatRef::row_major(&x, 8, 1));
/// let data = DatasetRef::new(rows).with_target(Target::Real(&y));
/// let model = Huber::default().fit_with(&data, &Context::default())?;
/// assert!((model.coef()[0] - 1.0).abs() < 0.05 && model.scale() < 0.5);
/// # Ok::<(), ermine_core::Error>(())
/// ```
///
/// # Parameters
/// `epsilon`: where the loss turns, in units of σ, from 1 up; 1.35 loses 5 % next to least squares on normal errors. `alpha`: the strength
/// of the penalty. `scale`: null to fit σ, or a number to hold it at; the loss then turns at the residual `epsilon · scale`. `fit_intercept`,
/// `max_iter`, `tol`.
///
/// # What is computed
/// Newton's method on (b, b0, σ) together, which is a convex problem: the exact Hessian of the rows near the line, steps halved until the
/// objective falls, and where the near rows do not determine a step the one of iteratively reweighted least squares. When so many rows
/// lie exactly on a line that σ tends to 0 it is kept at a billionth of the spread of the target, and the certificate says so.
///
/// # Cost
/// Five to ten passes, time `rows · columns²` each, memory `columns²`.
///
/// # What it does not do
/// No standard errors, no choice of `epsilon`.
///
/// # Reference
/// P. J. Huber, E. M. Ronchetti (2009), Robust Statistics, 2nd ed., section 7.7. A. B. Owen (2007), A robust hybrid of lasso and ridge
/// regression, Contemporary Mathematics 443.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[doc(alias = "HuberRegressor")]
pub struct Huber {
    /// Where the loss turns, in units of the scale.
    pub epsilon: f64,
    /// The strength of the penalty.
    pub alpha: f64,
    /// The scale, or `None` to fit it.
    pub scale: Option<f64>,
    /// Whether an intercept is fitted.
    pub fit_intercept: bool,
    /// Steps at most.
    pub max_iter: u64,
    /// When to stop.
    pub tol: f64,
}

impl Default for Huber {
    fn default() -> Self {
        Self { epsilon: 1.35, alpha: 1e-4, scale: None, fit_intercept: true, max_iter: 100, tol: 1e-5 }
    }
}

impl Huber {
    fn problem(&self) -> LeastSquaresProblem<'_> {
        LeastSquaresProblem {
            learner: NAME,
            fit_intercept: self.fit_intercept,
            positive: false,
            penalty: std::slice::from_ref(&self.alpha),
            grid: None,
            spectrum: false,
            family: false,
        }
    }
}

#[cfg(feature = "fit")]
impl Learner for Huber {
    type Model = HuberModel;

    const SEARCH_SPACE: &'static [&'static str] = &["epsilon=1.01..4:log", "alpha=1e-5..100:log"];

    const SPEC: Spec = Spec {
        name: NAME,
        summary: "Regression that bounds the pull of targets far off, with the scale of the residuals fitted too",
        objective: "min over b, b0, s: sum_i w_i (s + H(r_i / s) s) + alpha |b|^2, H(z) = z^2 for |z| <= epsilon, else 2 epsilon |z| \
                    - epsilon^2; r_i = y_i - b0 - x_i b, intercept not penalized",
        notes: "Choose it instead of ols when some targets may be far off. Rows whose columns are far off still pull. Five to ten \
                passes, time rows x columns^2 each. No standard errors.",
        reference: "P. J. Huber, E. M. Ronchetti (2009), Robust Statistics, 2nd ed., Wiley, section 7.7",
        family: Family::Linear,
        tasks: &[Task::Regression],
        accepts: Accepts { weights: true, sparse: true, passes: true, ..Accepts::NUMBERS },
        params: &[
            ParamSpec {
                name: "epsilon",
                doc: "Where the loss turns from squared to absolute, in units of the scale; the smaller, the more robust.",
                range: Range::Real { min: 1.0, max: f64::MAX, above: false, log: false },
            },
            ParamSpec {
                name: "alpha",
                doc: "The strength of the penalty on the squared coefficients; 0 is none.",
                range: Range::Real { min: 0.0, max: f64::MAX, above: false, log: true },
            },
            ParamSpec {
                name: "scale",
                doc: "The scale of the residuals: null fits it, a number holds it, so that the loss turns at epsilon x scale.",
                range: Range::Optional(&Range::Real { min: 0.0, max: f64::MAX, above: true, log: true }),
            },
            ParamSpec {
                name: "fit_intercept",
                doc: "Whether an intercept is fitted; it is never penalized.",
                range: Range::Bool,
            },
            ParamSpec {
                name: "max_iter",
                doc: "Steps at most. A fit that needs more returns what it has and says so.",
                range: Range::int_from(0),
            },
            ParamSpec {
                name: "tol",
                doc: "The fit ends when the distance to the optimum, in the norm of the Hessian and relative to the objective, is \
                      estimated below a millionth of this.",
                range: Range::at_least(0.0),
            },
        ],
    };

    const STREAM: Option<StreamFit<Self>> = Some(run_passes_source::<Self>);

    fn fit_rows(&self, data: &DatasetRef<'_>, cx: &Context<'_>) -> Result<HuberModel> {
        self.check()?;
        data.check(&Self::SPEC)?;
        match self.in_memory(data, cx)? {
            Some(model) => Ok(model),
            None => run_passes_checked(self, data, cx),
        }
    }

    fn load(input: &ModelReader) -> Result<HuberModel> {
        LineModel::load(input)
    }
}

/// State broadcast to every block before a pass.
#[cfg(feature = "fit")]
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct HuberState {
    stage: LeastSquaresState,
    /// `None` while least squares looks for a place to start.
    search: Option<HuberSearch>,
}

/// Sums of a pass: those of least squares first, then those of the objective.
#[cfg(feature = "fit")]
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct HuberPartial(HuberPartialKind);

#[cfg(feature = "fit")]
#[derive(Debug, Clone, Serialize, Deserialize)]
enum HuberPartialKind {
    Start { totals: Box<LeastSquaresPartial>, weight: f64 },
    Search(Box<HuberNewtonSums>),
}

#[cfg(feature = "fit")]
impl Partial for HuberPartial {
    fn merge(&mut self, other: Self) -> Result<()> {
        match (&mut self.0, other.0) {
            (HuberPartialKind::Start { totals, weight }, HuberPartialKind::Start { totals: more, weight: w }) => {
                *weight += w;
                totals.merge(*more)
            }
            (HuberPartialKind::Search(a), HuberPartialKind::Search(b)) => {
                a.merge(*b);
                Ok(())
            }
            _ => Err(Error::Data("partial results of different passes".into())),
        }
    }
}

#[cfg(feature = "fit")]
impl PassLearner for Huber {
    type State = HuberState;
    type Partial = HuberPartial;

    fn block_rows(&self, cols: usize) -> usize {
        ermine_math::moments::block_rows(cols)
    }

    fn initial_state(&self, head: &DatasetRef<'_>, _: &Context<'_>) -> Result<HuberState> {
        Ok(HuberState { stage: least_squares::start(&self.problem(), head)?, search: None })
    }

    fn empty_partial(&self, state: &HuberState) -> HuberPartial {
        HuberPartial(match &state.search {
            None => HuberPartialKind::Start { totals: Box::new(least_squares::empty(&state.stage)), weight: 0.0 },
            Some(search) => HuberPartialKind::Search(Box::new(HuberNewtonSums::new(search.cols()))),
        })
    }

    fn add_block(&self, state: &HuberState, part: &mut HuberPartial, rows: &DatasetRef<'_>) -> Result<()> {
        match (&state.search, &mut part.0) {
            (None, HuberPartialKind::Start { totals, weight }) => {
                *weight += rows.total_weight();
                least_squares::add(&self.problem(), &state.stage, totals, rows)
            }
            (Some(search), HuberPartialKind::Search(sums)) => {
                self.add_block(&state.stage, search.point(), search.curvature(), sums, rows)
            }
            _ => Err(Error::Data("partial results of another pass".into())),
        }
    }

    fn finish(&self, mut state: HuberState, total: HuberPartial, _: &Context<'_>) -> Result<PassStep<HuberState, HuberModel>> {
        match (state.search.take(), total.0) {
            (None, HuberPartialKind::Start { totals, weight }) => {
                let kept = state.stage.clone();
                match least_squares::finish(&self.problem(), state.stage, *totals)? {
                    PassStep::NextPass(stage, _) => Ok(PassStep::NextPass(HuberState { stage, search: None }, None)),
                    PassStep::Done(solution) => {
                        let search = HuberSearch::new(self, &solution, kept.target_exponent(), weight);
                        if search.is_done() {
                            return Ok(PassStep::Done(search.model()));
                        }
                        Ok(PassStep::NextPass(HuberState { stage: kept, search: Some(search) }, None))
                    }
                }
            }
            (Some(mut search), HuberPartialKind::Search(sums)) => {
                search.advance(self, &state.stage, &sums)?;
                if search.is_done() {
                    return Ok(PassStep::Done(search.model()));
                }
                let objective = search.objective();
                state.search = Some(search);
                Ok(PassStep::NextPass(state, objective))
            }
            _ => Err(Error::Data("partial results of another pass".into())),
        }
    }

    fn model_so_far(&self, state: &HuberState) -> Option<HuberModel> {
        state.search.as_ref().map(HuberSearch::model)
    }
}

/// A fitted Huber regression.
pub type HuberModel = LineModel<Huber>;

impl LineLearner for Huber {
    const NAME: &'static str = "huber";
    const ARRAY: Option<&'static str> = Some("scale");
    const STATISTICS: &'static [&'static str] = &["scale"];

    fn check_statistics(values: &[f64]) -> Result<()> {
        match values {
            [scale] if scale.is_finite() && *scale >= 0.0 => Ok(()),
            _ => Err(Error::Model(format!("a scale of {values:?}"))),
        }
    }
}

impl HuberModel {
    /// The scale of the residuals.
    pub fn scale(&self) -> f64 {
        self.statistics()[0]
    }
}
