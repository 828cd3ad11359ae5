//! A fit in passes over rows: the targets and a sample first, the model without columns where there are offsets, then one pass for each
//! evaluation of the objective.

use ermine_core::{Context, DatasetRef, Error, Features, Mat, Partial, PassLearner, PassStep, Result};
use ermine_math::loss::{Family, Link};
use serde::{Deserialize, Serialize};

use super::super::coefficients::Coefficients;
use super::super::inference::{CONFIDENCE, Inference};
use super::super::passes::{CurvatureKind, NewtonPlan};
use super::evaluate::{GlmPassSums, GlmProblem};
use super::objective::{GlmObjective, GlmSearch};
use super::offset::OffsetColumn;
use super::target_census::{NullModelSearch, NullModelSums, TargetCensus, TargetSums};
use super::{Glm, GlmModel, GlmSolver, GlmSummary};

/// Dimension up to which the Hessian is worth its cost.
const NEWTON_COLS: usize = 1024;
/// Numbers in a point beyond which a Hessian is refused.
const HESSIAN_LIMIT: usize = 8192;
/// Steps that the quasi-Newton update remembers.
const LBFGS_MEMORY: usize = 20;
/// Squares of numbers beyond these leave the range of f64.
const LARGEST_SQUARE: f64 = 1e150;
const LEAST_SQUARE: f64 = 1e-150;

/// State of a fit between two passes.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct GlmState {
    input: GlmInput,
    phase: GlmPhase,
}

/// Facts known before the first pass.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct GlmInput {
    cols: usize,
    sparse: bool,
    offset_column: Option<OffsetColumn>,
    /// The names of the columns, where they have any.
    names: Vec<String>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
enum GlmPhase {
    /// Counting targets.
    Census,
    /// The model without columns.
    Null { census: Box<TargetCensus>, search: Box<NullModelSearch> },
    /// Looking for a point to begin at.
    Feasible { search: Box<GlmSearch>, null_loss: f64, saturated: f64 },
    /// Searching.
    Search(Box<GlmSearch>),
}

/// Sums of a pass: totals and a sample first, then those of the stage.
#[derive(Debug, Serialize, Deserialize)]
pub struct GlmPartial(GlmPartialKind);

#[derive(Debug, Serialize, Deserialize)]
enum GlmPartialKind {
    Census(TargetCensus),
    Null(NullModelSums),
    Sums(GlmPassSums),
}

#[cfg(feature = "fit")]
impl Partial for GlmPartial {
    fn merge(&mut self, other: Self) -> Result<()> {
        match (&mut self.0, other.0) {
            (GlmPartialKind::Census(a), GlmPartialKind::Census(b)) => a.merge(b),
            (GlmPartialKind::Null(a), GlmPartialKind::Null(b)) => {
                a.merge(b);
                Ok(())
            }
            (GlmPartialKind::Sums(a), GlmPartialKind::Sums(b)) => a.merge(b),
            _ => Err(wrong_partial()),
        }
    }
}

fn wrong_partial() -> Error {
    Error::Data("glm: parts of different passes".into())
}

#[cfg(feature = "fit")]
impl PassLearner for Glm {
    type State = GlmState;
    type Partial = GlmPartial;

    fn block_rows(&self, cols: usize) -> usize {
        match cols {
            // Sums are small next to the rows they stand for, and a block is a few megabytes.
            0..512 => 4096,
            512..16_384 => 2048,
            // So many columns come as sparse rows.
            _ => 8192,
        }
    }

    fn initial_state(&self, head: &DatasetRef<'_>, _: &Context<'_>) -> Result<GlmState> {
        let sparse = matches!(head.x, Features::Csr(_));
        let offset_column = self.offset_column(&head.schema_or_unnamed())?;
        let names = head.schema.map_or_else(Vec::new, |schema| schema.names().map(str::to_owned).collect());
        Ok(GlmState { input: GlmInput { cols: head.cols(), sparse, offset_column, names }, phase: GlmPhase::Census })
    }

    fn empty_partial(&self, state: &GlmState) -> GlmPartial {
        let input = &state.input;
        GlmPartial(match &state.phase {
            GlmPhase::Census => GlmPartialKind::Census(TargetCensus::new(input.cols, input.cols + 1)),
            GlmPhase::Null { .. } => GlmPartialKind::Null(NullModelSums::default()),
            GlmPhase::Feasible { search, .. } | GlmPhase::Search(search) => GlmPartialKind::Sums(search.empty()),
        })
    }

    fn add_block(&self, state: &GlmState, part: &mut GlmPartial, rows: &DatasetRef<'_>) -> Result<()> {
        let (pair, offset_column) = ((self.family(), self.link()), state.input.offset_column.as_ref());
        match (&state.phase, &mut part.0) {
            (GlmPhase::Census, GlmPartialKind::Census(census)) => census.add(rows, pair.0, pair.1, offset_column),
            (GlmPhase::Null { search, .. }, GlmPartialKind::Null(sums)) => match offset_column {
                Some(offset_column) => search.add(sums, rows, pair, offset_column),
                None => Err(wrong_partial()),
            },
            (GlmPhase::Feasible { search, .. } | GlmPhase::Search(search), GlmPartialKind::Sums(sums)) => search.add(sums, rows),
            _ => Err(wrong_partial()),
        }
    }

    fn finish(&self, state: GlmState, total: GlmPartial, cx: &Context<'_>) -> Result<PassStep<GlmState, GlmModel>> {
        let GlmState { input, phase: stage } = state;
        Ok(match (stage, total.0) {
            (GlmPhase::Census, GlmPartialKind::Census(census)) => PassStep::NextPass(self.counted(input, census, cx)?, None),
            (GlmPhase::Null { census, mut search }, GlmPartialKind::Null(sums)) => match search.update(&sums, &census.totals) {
                None => PassStep::NextPass(GlmState { input, phase: GlmPhase::Null { census, search } }, None),
                Some((intercept, loss)) => PassStep::NextPass(self.start_search(input, *census, intercept, loss, cx)?, None),
            },
            (GlmPhase::Feasible { mut search, null_loss, saturated }, GlmPartialKind::Sums(sums)) => {
                search.update(&sums, cx)?;
                PassStep::NextPass(self.start_at_null(input, &search, null_loss, saturated)?, None)
            }
            (GlmPhase::Search(mut search), GlmPartialKind::Sums(sums)) => {
                if search.update(&sums, cx)? {
                    return Ok(PassStep::Done(self.model(&search)));
                }
                let objective = search.reported_objective();
                PassStep::NextPass(GlmState { input, phase: GlmPhase::Search(search) }, objective)
            }
            _ => return Err(wrong_partial()),
        })
    }

    fn model_so_far(&self, state: &GlmState) -> Option<GlmModel> {
        match &state.phase {
            GlmPhase::Search(search) => Some(self.model(search)),
            _ => None,
        }
    }
}

impl Glm {
    fn plan(&self, input: &GlmInput, width: usize, weight: f64) -> Result<NewtonPlan> {
        let newton = match self.solver {
            GlmSolver::Newton if width > HESSIAN_LIMIT => {
                return Err(Error::Data(format!(
                    "solver \"newton\" would need a matrix of {width} x {width} for {} columns; use \"lbfgs\"",
                    input.cols
                )));
            }
            GlmSolver::Newton => true,
            GlmSolver::Lbfgs => false,
            GlmSolver::Auto => width <= NEWTON_COLS,
        };
        let kind = if newton { CurvatureKind::Full } else { CurvatureKind::Diagonal };
        let alpha = self.alpha * weight;
        Ok(NewtonPlan {
            alpha,
            kind,
            newton,
            tol: self.tol,
            // With a Hessian the last digits cost a step or two; with many rows they cost more, and mean less.
            share: match newton {
                true => [1e-6, if alpha == 0.0 { 1e-5 } else { 1e-4 }],
                false => [1e-1, 1e-1],
            },
            max_iter: self.max_iter,
            sparse: input.sparse,
            memory: LBFGS_MEMORY,
            hessian_cost: width as f64 / 16.0,
            unit: weight,
            exact_hessian: self.family().is_convex(self.link()),
            watch_curvature: true,
            renew_metric: false,
            damping: 0.0,
        })
    }

    /// The next stage after the targets are counted: the model without columns where there are offsets, else the search.
    fn counted(&self, input: GlmInput, census: TargetCensus, cx: &Context<'_>) -> Result<GlmState> {
        let (family, link, totals) = (self.family(), self.link(), &census.totals);
        let largest = totals.largest;
        if family.power() == Some(0.0) && largest != 0.0 && !(LEAST_SQUARE..=LARGEST_SQUARE).contains(&largest) {
            let direction = if largest > 1.0 { "over" } else { "under" };
            return Err(Error::Target(format!(
                "its largest value is {largest:e}, whose square {direction}flows; change its unit"
            )));
        }
        let start = totals.intercept(family, link);
        if input.offset_column.is_some() {
            let search = Box::new(NullModelSearch::new(start, self.fit_intercept));
            return Ok(GlmState { input, phase: GlmPhase::Null { census: Box::new(census), search } });
        }
        let mean = link.mean(if self.fit_intercept { start } else { 0.0 });
        let null_loss = totals.loss_at(family, mean);
        self.start_search(input, census, start, null_loss, cx)
    }

    /// The search, from the model without columns or from the coefficients that were given.
    fn start_search(
        &self,
        input: GlmInput,
        census: TargetCensus,
        intercept: f64,
        null_loss: f64,
        cx: &Context<'_>,
    ) -> Result<GlmState> {
        let (family, link) = (self.family(), self.link());
        let TargetCensus { totals, sample } = census;
        let mut center = if input.sparse || !self.fit_intercept { Vec::new() } else { sample.means() };
        if let (Some(offset_column), false) = (&input.offset_column, center.is_empty()) {
            center[offset_column.column] = 0.0;
        }
        let problem = GlmProblem {
            cols: input.cols,
            intercept: self.fit_intercept,
            family,
            link,
            offset_column: input.offset_column.clone(),
            names: input.names.clone(),
            center,
            constant: None,
        };
        let plan = self.plan(&input, problem.width(), totals.weight)?;
        let mut point = vec![0.0; problem.width()];
        if self.fit_intercept {
            point[input.cols] = intercept;
        }
        if let Some(start) = &self.start {
            if start.len() != problem.width() {
                let what = "numbers in the start (one coefficient per column, then the intercept)".into();
                return Err(Error::Length { what, expected: problem.width(), found: start.len() });
            }
            point.copy_from_slice(start);
            if let Some(offset_column) = &input.offset_column {
                point[offset_column.column] = 0.0;
            }
            if self.fit_intercept {
                point[input.cols] += problem.center.iter().zip(start).map(|(c, w)| c * w).sum::<f64>();
            }
        } else if !self.fit_intercept && input.offset_column.is_none() && !family.is_valid_mean(link.mean(0.0)) {
            // Coefficients of 0 give no possible mean: look for some that give every row the mean of the targets.
            let wanted = link.link(totals.inner_mean(family));
            let problem = GlmProblem { family: Family::Gaussian, link: Link::Identity, constant: Some(wanted), ..problem };
            let plan = NewtonPlan { alpha: 0.0, exact_hessian: true, ..plan };
            let objective = GlmObjective::new(problem, TargetSums { saturated: 0.0, ..totals }, 0.0);
            let search = GlmSearch::new(objective, plan, point);
            return Ok(GlmState {
                input,
                phase: GlmPhase::Feasible { search: Box::new(search), null_loss, saturated: totals.saturated },
            });
        }
        let mut search = GlmSearch::new(GlmObjective::new(problem, totals, null_loss), plan, point);
        if self.start.is_none() {
            search.start_from_sample(&sample, cx)?;
        }
        Ok(GlmState { input, phase: GlmPhase::Search(Box::new(search)) })
    }

    /// The search from a point that makes up a constant.
    fn start_at_null(&self, input: GlmInput, feasible: &GlmSearch, null_loss: f64, saturated: f64) -> Result<GlmState> {
        let totals = TargetSums { saturated, ..feasible.objective.totals };
        let problem =
            GlmProblem { family: self.family(), link: self.link(), constant: None, ..feasible.objective.problem.clone() };
        let plan = self.plan(&input, problem.width(), totals.weight)?;
        let objective = GlmObjective::new(problem, totals, null_loss);
        let search = GlmSearch::new(objective, plan, feasible.point().to_vec());
        Ok(GlmState { input, phase: GlmPhase::Search(Box::new(search)) })
    }

    /// The model at the current point of a search.
    fn model(&self, search: &GlmSearch) -> GlmModel {
        let solution = search.solution();
        let GlmObjective { problem, totals, null_loss, .. } = &search.objective;
        let family = problem.family;
        let summary = GlmSummary::new(family, problem.intercept, totals, *null_loss, &solution);
        let known = family.has_known_dispersion();
        let inference = solution.errors.as_ref().filter(|_| known || summary.df_resid > 0.0).map(|errors| {
            let width = errors.len();
            let value = |_, j: usize| if j == 0 { solution.intercept } else { solution.coef[j - 1] };
            let sd = summary.dispersion.sqrt();
            // Fixed coefficients have no standard error and no test.
            let error = |_, j: usize| if errors[j] > 0.0 { sd * errors[j] } else { f64::NAN };
            let df = (!known).then_some(summary.df_resid);
            Inference::of(&Mat::from_fn(1, width, value), Mat::from_fn(1, width, error), df, CONFIDENCE)
        });
        GlmModel {
            family,
            link: problem.link,
            line: Coefficients { coef: Mat::from_vec(1, problem.cols, solution.coef), intercept: vec![solution.intercept] },
            offset_column: problem.offset_column.clone(),
            fit_intercept: problem.intercept,
            summary,
            inference,
            n_iter: solution.certificate.iterations,
            certificate: Some(solution.certificate),
            trace: Some(solution.trace),
        }
    }
}
