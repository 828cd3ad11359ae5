//! Expectile regression.

use ermine_core::{
    Accepts, Certificate, Context, DatasetRef, Error, Family, Learner, ModelReader, ParamSpec, Partial, PassLearner, PassStep,
    Progress, Range, Result, Spec, StreamFit, Target, Task, Trace, run_passes_checked, run_passes_source,
};
use ermine_math::scale::ldexp;
use serde::{Deserialize, Serialize};

use super::least_squares::{self, LeastSquaresProblem};
#[cfg(feature = "fit")]
use super::least_squares::{LeastSquaresPartial, LeastSquaresSolution, LeastSquaresState};
use super::line_model::{LineLearner, LineModel};
#[cfg(feature = "fit")]
use super::linear_function::LinearFunction;

/// The weight of a row with residual `r`: `tau` above the line, `1 - tau` below.
///
/// `|tau - 1(r < 0)| r²` is convex, with derivative `2 |tau - 1(r < 0)| r`, so the minimizer is that of weighted least squares
/// once it is known which rows lie below.
fn share(tau: f64, r: f64) -> f64 {
    if r < 0.0 { 1.0 - tau } else { tau }
}

/// Expectile regression: least squares in which rows above the line count `tau` and rows below it `1 - tau`,
/// `sum_i w_i |tau - 1(r_i < 0)| r_i² + alpha |b|²` with `r_i = y_i - b0 - x_i · b`. The intercept is not penalized.
///
/// # When to use it
/// When being too low costs more than being too high, or less, and large errors cost much more than small ones; it is
/// to the mean what [`Quantile`](super::Quantile) is to the median. It uses how far off a row is, not only on which side, so it needs
/// fewer rows than a quantile and is moved by outliers.
///
/// # Example
/// ```
/// use ermine_core::{Context, DatasetRef, Features, Learner, MatRef, Target};
/// use ermine_linear::Expectile;
///
/// let x = [0.0, 0.0, 0.0];
/// let y = [0.0, 1.0, 5.0];
/// let rows = Features::F64(MatRef::row_major(&x, 3, 1));
/// let data = DatasetRef::new(rows).with_target(Target::Real(&y));
/// let model = Expectile { tau: 0.8, alpha: 0.0, ..Expectile::default() }.fit_with(&data, &Context::default())?;
/// // 0.8 (5 - e) = 0.2 (e - 0) + 0.2 (e - 1)
/// assert!((model.intercept() - 3.5).abs() < 1e-12);
/// # Ok::<(), ermine_core::Error>(())
/// ```
///
/// # Parameters
/// `tau`: the level, above 0 and below 1; 0.5 is ridge regression with twice the penalty. `alpha`: the strength of the penalty, from 0 up.
/// `fit_intercept`: whether b0 is fitted. `max_iter`: steps at most.
///
/// # Cost
/// One weighted least-squares fit per step, each one pass, time `rows · columns²`; the steps end once no row changes sides, after
/// five to ten as a rule. Memory `columns²`.
///
/// # What it does not do
/// One level at a time, so lines of several levels may cross. No standard errors.
///
/// # Reference
/// W. K. Newey, J. L. Powell (1987), Asymmetric least squares estimation and testing, Econometrica 55.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Expectile {
    /// The level.
    pub tau: f64,
    /// The strength of the penalty.
    pub alpha: f64,
    /// Whether an intercept is fitted.
    pub fit_intercept: bool,
    /// Steps at most.
    pub max_iter: u64,
}

impl Default for Expectile {
    fn default() -> Self {
        Self { tau: 0.5, alpha: 0.0, fit_intercept: true, max_iter: 100 }
    }
}

/// Objectives that differ by less are equal but for rounding.
const ROUNDING: f64 = 8.0 * f64::EPSILON;
/// An objective this small next to that of the mean is rounding.
const PERFECT: f64 = 1e-26;
/// Times a step is halved before it is taken as it is.
const HALVINGS: u32 = 30;

impl Expectile {
    #[cfg(feature = "fit")]
    fn problem(&self) -> LeastSquaresProblem<'_> {
        LeastSquaresProblem {
            learner: Self::SPEC.name,
            fit_intercept: self.fit_intercept,
            positive: false,
            penalty: std::slice::from_ref(&self.alpha),
            grid: None,
            spectrum: false,
            family: false,
        }
    }

    /// The weights of rows at a line, or those of the mean before there is one.
    fn weights(&self, rows: &DatasetRef<'_>, residuals: Option<&[f64]>) -> Vec<f64> {
        let share = |i: usize| residuals.map_or(0.5, |r| share(self.tau, r[i]));
        (0..rows.rows()).map(|i| rows.weight_of(i) * share(i)).collect()
    }

    /// The contribution of rows to the objective at `here`, in units of the target times 2^exponent, and whether they lie on another side
    /// than their weights suppose.
    #[cfg(feature = "fit")]
    fn evaluate(&self, search: &ExpectileSearch, rows: &DatasetRef<'_>, sums: &mut ExpectileObjective) -> Result<Vec<f64>> {
        let Some(here) = &search.here else { return Ok(self.weights(rows, None)) };
        let r = here.residuals(rows, Self::SPEC.name)?;
        let before = search.before.as_ref().map(|b| b.residuals(rows, Self::SPEC.name)).transpose()?;
        for (i, &r) in r.iter().enumerate() {
            let w = rows.weight_of(i);
            let scaled = ldexp(r, search.exponent);
            sums.loss += w * share(self.tau, r) * scaled * scaled;
            let was = before.as_ref().map_or(0.5, |b| share(self.tau, b[i]));
            sums.moved += u64::from(w > 0.0 && was != share(self.tau, r));
        }
        Ok(self.weights(rows, Some(&r)))
    }

    /// Judges a line that was just evaluated.
    #[cfg(feature = "fit")]
    fn decide(&self, search: &mut ExpectileSearch, sums: &ExpectileObjective) -> LineDecision {
        let Some(here) = search.here.clone().filter(|_| !search.judged) else { return LineDecision::Solve };
        let root = self.alpha.sqrt();
        let penalty: f64 = here.coef.iter().map(|b| ldexp(b * root, search.exponent).powi(2)).sum();
        let objective = sums.loss + penalty;
        if let (Some(last), Some(before)) = (search.objective, &search.before)
            && objective > last * (1.0 + ROUNDING)
            && search.halvings < HALVINGS
        {
            search.here = Some(before.interpolate(&here, 0.5));
            search.halvings += 1;
            return LineDecision::Halve;
        }
        let gain = search.objective.map_or(f64::INFINITY, |last| last - objective);
        search.steps += 1;
        let step = if search.before.is_some() { 0.5f64.powi(search.halvings as i32) } else { 0.0 };
        search.trace.push(&[ldexp(objective, -2 * search.exponent), step, sums.moved as f64]);
        search.judged = true;
        search.objective = Some(objective);
        // Without a move the weights are those the line was solved for; a gain of nothing is rounding that moves rows on the line.
        let whole = search.halvings == 0;
        search.converged = whole && (sums.moved == 0 || gain <= ROUNDING * objective || objective <= PERFECT * search.size);
        if search.converged || search.steps >= self.max_iter { LineDecision::Stop } else { LineDecision::Solve }
    }

    #[cfg(feature = "fit")]
    fn model(&self, search: &ExpectileSearch) -> Option<ExpectileModel> {
        let here = search.here.as_ref()?;
        let objective = search.objective.map(|v| ldexp(v, -2 * search.exponent)).filter(|v| v.is_finite());
        let mut notes = search.notes.clone();
        if !search.converged {
            notes.push(format!("not converged after {} steps: raise max_iter", search.steps));
        }
        let certificate = Certificate {
            method: "iteratively reweighted least squares".into(),
            objective,
            kkt_residual: search.residual,
            condition: search.condition,
            rank: search.rank,
            iterations: search.steps,
            converged: search.converged,
            notes,
            ..Default::default()
        };
        Some(LineModel::new(here.coefficients(), Vec::new(), search.steps, certificate, Some(search.trace.clone())))
    }

    /// The steps for shapes that least squares solves in memory.
    #[cfg(feature = "fit")]
    fn in_memory(&self, data: &DatasetRef<'_>, cx: &Context<'_>) -> Result<Option<ExpectileModel>> {
        let mut search = ExpectileSearch::new();
        loop {
            let mut sums = ExpectileObjective::default();
            let weight = self.evaluate(&search, data, &mut sums)?;
            match self.decide(&mut search, &sums) {
                LineDecision::Halve => continue,
                LineDecision::Stop => return Ok(self.model(&search)),
                LineDecision::Solve => {}
            }
            cx.report(Progress { stage: "steps", done: search.steps, total: None, objective: search.objective })?;
            if cx.deadline_passed()
                && let Some(model) = self.model(&search)
            {
                return Ok(Some(model));
            }
            match least_squares::in_memory(&self.problem(), &data.with_weight(Some(&weight)), cx)? {
                Some(solution) => search.accept(&solution),
                None => return Ok(None),
            }
        }
    }
}

/// The next action after an evaluation.
enum LineDecision {
    /// The step was too long.
    Halve,
    /// Solve for the next line.
    Solve,
    /// Enough.
    Stop,
}

/// Where the steps stand.
#[cfg(feature = "fit")]
#[derive(Debug, Clone, Serialize, Deserialize)]
struct ExpectileSearch {
    /// The line to be evaluated, or evaluated last.
    here: Option<LinearFunction>,
    /// The line whose sides gave the weights that `here` was solved for.
    before: Option<LinearFunction>,
    /// Whether `here` has been judged.
    judged: bool,
    halvings: u32,
    /// The objective of the last line that was judged, in units of the target times 2^exponent, squared.
    objective: Option<f64>,
    /// The objective of the mean, in the same units.
    size: f64,
    exponent: i32,
    steps: u64,
    converged: bool,
    residual: Option<f64>,
    condition: Option<f64>,
    rank: Option<usize>,
    notes: Vec<String>,
    trace: Trace,
}

#[cfg(feature = "fit")]
impl ExpectileSearch {
    fn new() -> Self {
        Self {
            here: None,
            before: None,
            judged: false,
            halvings: 0,
            objective: None,
            size: 0.0,
            exponent: 0,
            steps: 0,
            converged: false,
            residual: None,
            condition: None,
            rank: None,
            notes: Vec::new(),
            trace: Trace::timed(&["objective", "step", "rows_moved"]),
        }
    }

    /// Moves to the line that least squares gave.
    fn accept(&mut self, solution: &LeastSquaresSolution) {
        self.before = self.here.take();
        self.here = Some(LinearFunction { coef: solution.coef.row(0).to_vec(), intercept: solution.intercept[0] });
        let to = 2 * (solution.exponent[0] - self.exponent);
        self.objective = self.objective.map(|o| ldexp(o, to));
        self.size = if self.before.is_none() { solution.tss[0] } else { ldexp(self.size, to) };
        self.exponent = solution.exponent[0];
        (self.judged, self.halvings) = (false, 0);
        (self.residual, self.condition, self.rank) = (Some(solution.residual), solution.condition, Some(solution.rank));
        self.notes.clone_from(&solution.notes);
    }
}

#[cfg(feature = "fit")]
impl Learner for Expectile {
    type Model = ExpectileModel;

    const SEARCH_SPACE: &'static [&'static str] = &["alpha=1e-3..1e5:log"];

    const SPEC: Spec = Spec {
        name: Self::NAME,
        summary: "Least squares that counts rows above and below the line differently",
        objective: "min sum_i w_i |tau - 1(r_i < 0)| r_i^2 + alpha |b|^2, r_i = y_i - b0 - x_i b, intercept not penalized",
        notes: "Choose it when being too low costs more than being too high, or less; tau = 0.5 is the mean. Smoother \
                than a quantile, but moved by outliers. Some five to ten weighted least-squares fits, one pass each, time rows x \
                columns^2. No standard errors.",
        reference: "W. K. Newey, J. L. Powell (1987), Econometrica 55, 819-847",
        family: Family::Linear,
        tasks: &[Task::Regression],
        accepts: Accepts { weights: true, sparse: true, passes: true, ..Accepts::NUMBERS },
        params: &[
            ParamSpec {
                name: "tau",
                doc: "The level, above 0 and below 1: rows above the line count tau, rows below it 1 - tau.",
                range: Range::Real { min: 0.0, max: 1.0, above: true, log: false },
            },
            ParamSpec {
                name: "alpha",
                doc: "The strength of the penalty on the squared coefficients; 0 is none.",
                range: Range::Real { min: 0.0, max: f64::MAX, above: false, log: true },
            },
            ParamSpec {
                name: "fit_intercept",
                doc: "Whether an intercept is fitted; it is never penalized.",
                range: Range::Bool,
            },
            ParamSpec {
                name: "max_iter",
                doc: "Steps at most. A fit that needs more returns what it has and says so.",
                range: Range::int_from(1),
            },
        ],
    };

    const STREAM: Option<StreamFit<Self>> = Some(run_passes_source::<Self>);

    fn check(&self) -> Result<()> {
        self.check_ranges()?;
        if self.tau < 1.0 {
            return Ok(());
        }
        let expected = "it must be below 1: at 1 rows below the line count nothing, and any line above all rows would do";
        Err(Error::parameter(Self::SPEC.name, "tau", self.tau, expected))
    }

    fn fit_rows(&self, data: &DatasetRef<'_>, cx: &Context<'_>) -> Result<ExpectileModel> {
        self.check()?;
        data.check(&Self::SPEC)?;
        match self.in_memory(data, cx)? {
            Some(model) => Ok(model),
            None => run_passes_checked(self, data, cx),
        }
    }

    fn load(input: &ModelReader) -> Result<ExpectileModel> {
        LineModel::load(input)
    }
}

/// State broadcast to every block before a pass.
#[cfg(feature = "fit")]
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ExpectileState {
    first: LeastSquaresState,
    stage: LeastSquaresState,
    search: ExpectileSearch,
}

/// Sums of a pass: those of least squares, and the objective.
#[cfg(feature = "fit")]
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ExpectileSums {
    totals: LeastSquaresPartial,
    evaluation: ExpectileObjective,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct ExpectileObjective {
    loss: f64,
    moved: u64,
}

#[cfg(feature = "fit")]
impl Partial for ExpectileSums {
    fn merge(&mut self, other: Self) -> Result<()> {
        self.evaluation.loss += other.evaluation.loss;
        self.evaluation.moved += other.evaluation.moved;
        self.totals.merge(other.totals)
    }
}

#[cfg(feature = "fit")]
impl PassLearner for Expectile {
    type State = ExpectileState;
    type Partial = ExpectileSums;

    fn block_rows(&self, cols: usize) -> usize {
        ermine_math::moments::block_rows(cols)
    }

    fn initial_state(&self, head: &DatasetRef<'_>, _: &Context<'_>) -> Result<ExpectileState> {
        let first = least_squares::start(&self.problem(), head)?;
        Ok(ExpectileState { stage: first.clone(), first, search: ExpectileSearch::new() })
    }

    fn empty_partial(&self, state: &ExpectileState) -> ExpectileSums {
        ExpectileSums { totals: least_squares::empty(&state.stage), evaluation: ExpectileObjective::default() }
    }

    fn add_block(&self, state: &ExpectileState, part: &mut ExpectileSums, rows: &DatasetRef<'_>) -> Result<()> {
        let weight = self.evaluate(&state.search, rows, &mut part.evaluation)?;
        let rows = DatasetRef { y: Target::Reals(rows.y.reals()?), weight: Some(&weight), ..*rows };
        least_squares::add(&self.problem(), &state.stage, &mut part.totals, &rows)
    }

    fn finish(
        &self,
        mut state: ExpectileState,
        total: ExpectileSums,
        _: &Context<'_>,
    ) -> Result<PassStep<ExpectileState, ExpectileModel>> {
        let search = &mut state.search;
        match self.decide(search, &total.evaluation) {
            LineDecision::Halve => {
                state.stage = state.stage.restarted(&state.first);
                return Ok(PassStep::NextPass(state, None));
            }
            LineDecision::Stop => {
                if let Some(model) = self.model(search) {
                    return Ok(PassStep::Done(model));
                }
            }
            LineDecision::Solve => {}
        }
        let objective = search.objective.map(|v| ldexp(v, -2 * search.exponent));
        let anew = state.stage.restarted(&state.first);
        state.stage = match least_squares::finish(&self.problem(), state.stage, total.totals)? {
            PassStep::NextPass(stage, _) => stage,
            PassStep::Done(solution) => {
                search.accept(&solution);
                anew
            }
        };
        Ok(PassStep::NextPass(state, objective))
    }

    fn model_so_far(&self, state: &ExpectileState) -> Option<ExpectileModel> {
        self.model(&state.search)
    }
}

/// A fitted expectile regression.
pub type ExpectileModel = LineModel<Expectile>;

impl LineLearner for Expectile {
    const NAME: &'static str = "expectile";
}
