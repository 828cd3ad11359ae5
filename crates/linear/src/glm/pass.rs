//! A fit in passes over rows: the targets and a sample first, the model without columns where there are offsets, then one pass for each
//! evaluation of the objective.

use ermine_core::{Context, Dataset, Error, Features, Mat, Partial, PassLearner, PassStep, Result};
use ermine_math::loss::{Family, Link};
use serde::{Deserialize, Serialize};

use super::super::coefficients::Coefficients;
use super::super::inference::{CONFIDENCE, Inference};
use super::super::passes::CurvatureKind;
use super::evaluate::{GlmPassSums, GlmProblem};
use super::offset::OffsetColumn;
use super::search::{GlmPlan, GlmSearch};
use super::target_census::{NullModelSearch, NullModelSums, TargetCensus, TargetSums};
use super::{Glm, GlmModel, GlmSolver, GlmSummary};

/// Numbers in a point up to which the Hessian is worth its cost.
const NEWTON_COLS: usize = 1024;
/// Numbers in a point beyond which a Hessian is refused.
const HESSIAN_LIMIT: usize = 8192;
/// Squares of numbers beyond these leave the range of doubles.
const LARGEST_SQUARE: f64 = 1e150;
const LEAST_SQUARE: f64 = 1e-150;

/// Where a fit stands between two passes.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct GlmState {
    input: GlmInput,
    phase: GlmPhase,
}

/// What is known before the first pass.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct GlmInput {
    cols: usize,
    sparse: bool,
    held: Option<OffsetColumn>,
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
    /// On the way.
    Search(Box<GlmSearch>),
}

/// What a pass gathers: totals and a sample first, then what the stage needs.
#[derive(Debug, Serialize, Deserialize)]
pub struct GlmPartial(GlmPartialKind);

#[derive(Debug, Serialize, Deserialize)]
enum GlmPartialKind {
    Census(TargetCensus),
    Null(NullModelSums),
    Sums(GlmPassSums),
}

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

    fn initial_state(&self, head: &Dataset<'_>, _: &Context<'_>) -> Result<GlmState> {
        let sparse = matches!(head.x, Features::Csr(_));
        let held = self.offset_column(&head.schema_or_unnamed())?;
        let names = head.schema.map_or_else(Vec::new, |schema| schema.names().map(str::to_owned).collect());
        Ok(GlmState { input: GlmInput { cols: head.cols(), sparse, held, names }, phase: GlmPhase::Census })
    }

    fn empty_partial(&self, state: &GlmState) -> GlmPartial {
        let before = &state.input;
        GlmPartial(match &state.phase {
            GlmPhase::Census => GlmPartialKind::Census(TargetCensus::new(before.cols, before.cols + 1)),
            GlmPhase::Null { .. } => GlmPartialKind::Null(NullModelSums::default()),
            GlmPhase::Feasible { search, .. } | GlmPhase::Search(search) => {
                GlmPartialKind::Sums(search.problem.empty(search.pass_request(), before.sparse))
            }
        })
    }

    fn add_block(&self, state: &GlmState, part: &mut GlmPartial, rows: &Dataset<'_>) -> Result<()> {
        let (pair, held) = ((self.family(), self.link()), state.input.held.as_ref());
        match (&state.phase, &mut part.0) {
            (GlmPhase::Census, GlmPartialKind::Census(census)) => census.add(rows, pair.0, pair.1, held),
            (GlmPhase::Null { search, .. }, GlmPartialKind::Null(sums)) => match held {
                Some(held) => search.add(sums, rows, pair, held),
                None => Err(wrong_partial()),
            },
            (GlmPhase::Feasible { search, .. } | GlmPhase::Search(search), GlmPartialKind::Sums(sums)) => {
                search.problem.add(search.point(), search.pass_request(), sums, rows)
            }
            _ => Err(wrong_partial()),
        }
    }

    fn finish(&self, state: GlmState, total: GlmPartial, cx: &Context<'_>) -> Result<PassStep<GlmState, GlmModel>> {
        let GlmState { input: before, phase: stage } = state;
        Ok(match (stage, total.0) {
            (GlmPhase::Census, GlmPartialKind::Census(census)) => PassStep::NextPass(self.counted(before, census, cx)?, None),
            (GlmPhase::Null { census, mut search }, GlmPartialKind::Null(sums)) => match search.update(&sums, &census.totals) {
                None => PassStep::NextPass(GlmState { input: before, phase: GlmPhase::Null { census, search } }, None),
                Some((intercept, loss)) => PassStep::NextPass(self.start_search(before, *census, intercept, loss, cx)?, None),
            },
            (GlmPhase::Feasible { mut search, null_loss, saturated }, GlmPartialKind::Sums(sums)) => {
                search.update(&sums, cx)?;
                PassStep::NextPass(self.start_at_null(before, &search, null_loss, saturated)?, None)
            }
            (GlmPhase::Search(mut search), GlmPartialKind::Sums(sums)) => {
                if search.update(&sums, cx)? {
                    return Ok(PassStep::Done(self.model(&search)));
                }
                let objective = search.objective();
                PassStep::NextPass(GlmState { input: before, phase: GlmPhase::Search(search) }, objective)
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
    fn plan(&self, before: &GlmInput, width: usize, weight: f64) -> Result<GlmPlan> {
        let newton = match self.solver {
            GlmSolver::Newton if width > HESSIAN_LIMIT => {
                return Err(Error::Data(format!(
                    "solver \"newton\" would need a matrix of {width} x {width} for {} columns; use \"lbfgs\"",
                    before.cols
                )));
            }
            GlmSolver::Newton => true,
            GlmSolver::Lbfgs => false,
            GlmSolver::Auto => width <= NEWTON_COLS,
        };
        let kind = if newton { CurvatureKind::Full } else { CurvatureKind::Diagonal };
        Ok(GlmPlan { alpha: self.alpha * weight, kind, newton, tol: self.tol, max_iter: self.max_iter, sparse: before.sparse })
    }

    /// Where to go once the targets are counted: the model without columns where there are offsets, else the search.
    fn counted(&self, before: GlmInput, census: TargetCensus, cx: &Context<'_>) -> Result<GlmState> {
        let (family, link, totals) = (self.family(), self.link(), &census.totals);
        let largest = totals.largest;
        if family.power() == Some(0.0) && largest != 0.0 && !(LEAST_SQUARE..=LARGEST_SQUARE).contains(&largest) {
            let way = if largest > 1.0 { "over" } else { "under" };
            return Err(Error::Target(format!("its largest value is {largest:e}, whose square {way}flows; change its unit")));
        }
        let start = totals.intercept(family, link);
        if before.held.is_some() {
            let search = Box::new(NullModelSearch::new(start, self.fit_intercept));
            return Ok(GlmState { input: before, phase: GlmPhase::Null { census: Box::new(census), search } });
        }
        let mean = link.mean(if self.fit_intercept { start } else { 0.0 });
        let null_loss = totals.loss_at(family, mean);
        self.start_search(before, census, start, null_loss, cx)
    }

    /// The search, from the model without columns or from the coefficients that were given.
    fn start_search(
        &self,
        before: GlmInput,
        census: TargetCensus,
        intercept: f64,
        null_loss: f64,
        cx: &Context<'_>,
    ) -> Result<GlmState> {
        let (family, link) = (self.family(), self.link());
        let TargetCensus { totals, sample } = census;
        let mut center = if before.sparse || !self.fit_intercept { Vec::new() } else { sample.means() };
        if let (Some(held), false) = (&before.held, center.is_empty()) {
            center[held.column] = 0.0;
        }
        let problem = GlmProblem {
            cols: before.cols,
            intercept: self.fit_intercept,
            family,
            link,
            held: before.held.clone(),
            names: before.names.clone(),
            center,
            constant: None,
        };
        let plan = self.plan(&before, problem.width(), totals.weight)?;
        let mut point = vec![0.0; problem.width()];
        if self.fit_intercept {
            point[before.cols] = intercept;
        }
        if let Some(start) = &self.start {
            if start.len() != problem.width() {
                let what = "numbers in the start (a coefficient a column, then the intercept)".into();
                return Err(Error::Length { what, expected: problem.width(), found: start.len() });
            }
            point.copy_from_slice(start);
            if let Some(held) = &before.held {
                point[held.column] = 0.0;
            }
            if self.fit_intercept {
                point[before.cols] += problem.center.iter().zip(start).map(|(c, w)| c * w).sum::<f64>();
            }
        } else if !self.fit_intercept && before.held.is_none() && !family.is_valid_mean(link.mean(0.0)) {
            // Coefficients of 0 give no possible mean: look for some that give every row the mean of the targets.
            let wanted = link.link(totals.inner_mean(family));
            let problem = GlmProblem { family: Family::Gaussian, link: Link::Identity, constant: Some(wanted), ..problem };
            let plan = GlmPlan { alpha: 0.0, ..plan };
            let search = GlmSearch::new(problem, plan, TargetSums { saturated: 0.0, ..totals }, 0.0, point);
            return Ok(GlmState {
                input: before,
                phase: GlmPhase::Feasible { search: Box::new(search), null_loss, saturated: totals.saturated },
            });
        }
        let mut search = GlmSearch::new(problem, plan, totals, null_loss, point);
        if self.start.is_none() {
            search.warm_start(&sample, cx)?;
        }
        Ok(GlmState { input: before, phase: GlmPhase::Search(Box::new(search)) })
    }

    /// The search from a point that makes up a constant.
    fn start_at_null(&self, before: GlmInput, found: &GlmSearch, null_loss: f64, saturated: f64) -> Result<GlmState> {
        let totals = TargetSums { saturated, ..found.totals };
        let problem = GlmProblem { family: self.family(), link: self.link(), constant: None, ..found.problem.clone() };
        let plan = self.plan(&before, problem.width(), totals.weight)?;
        let search = GlmSearch::new(problem, plan, totals, null_loss, found.point().to_vec());
        Ok(GlmState { input: before, phase: GlmPhase::Search(Box::new(search)) })
    }

    /// The model of where a search stands.
    fn model(&self, search: &GlmSearch) -> GlmModel {
        let found = search.solution();
        let (problem, family) = (&search.problem, search.problem.family);
        let summary = GlmSummary::new(family, problem.intercept, &search.totals, search.null_loss, &found);
        let known = family.has_known_dispersion();
        let inference = found.errors.as_ref().filter(|_| known || summary.df_resid > 0.0).map(|errors| {
            let width = errors.len();
            let value = |_, j: usize| if j == 0 { found.intercept } else { found.coef[j - 1] };
            let sd = summary.dispersion.sqrt();
            // What is not fitted has no error, and no test.
            let error = |_, j: usize| if errors[j] > 0.0 { sd * errors[j] } else { f64::NAN };
            let df = (!known).then_some(summary.df_resid);
            Inference::of(&Mat::from_fn(1, width, value), Mat::from_fn(1, width, error), df, CONFIDENCE)
        });
        GlmModel {
            family,
            link: problem.link,
            line: Coefficients { coef: Mat::from_vec(1, problem.cols, found.coef), intercept: vec![found.intercept] },
            held: problem.held.clone(),
            fit_intercept: problem.intercept,
            summary,
            inference,
            n_iter: found.certificate.iterations,
            certificate: Some(found.certificate),
            trace: Some(found.trace),
        }
    }
}
