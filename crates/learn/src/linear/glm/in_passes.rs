//! A fit in passes over rows: the targets and a sample first, the model without columns where there are offsets, then one pass for each
//! evaluation of the objective.

use ermine_core::{Context, Dataset, Error, Features, Mat, Partial, PassLearner, Result, Step};
use ermine_math::loss::{Family, Link};
use serde::{Deserialize, Serialize};

use super::super::coefficients::Coefficients;
use super::super::inference::{CONFIDENCE, Inference};
use super::super::passes::Curvature;
use super::census::{Census, NullSearch, NullSums, Totals};
use super::evaluate::{Problem, Sums};
use super::held::Held;
use super::search::{Plan, Search};
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
pub struct State {
    before: Before,
    stage: Stage,
}

/// What is known before the first pass.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Before {
    cols: usize,
    sparse: bool,
    held: Option<Held>,
    /// The names of the columns, where they have any.
    names: Vec<String>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
enum Stage {
    /// Counting targets.
    Census,
    /// The model without columns.
    Null { census: Box<Census>, search: Box<NullSearch> },
    /// Looking for a point to begin at.
    Feasible { search: Box<Search>, null_loss: f64, saturated: f64 },
    /// On the way.
    Search(Box<Search>),
}

/// What a pass gathers: totals and a sample first, then what the stage needs.
#[derive(Debug, Serialize, Deserialize)]
pub struct Gathered(Part);

#[derive(Debug, Serialize, Deserialize)]
enum Part {
    Census(Census),
    Null(NullSums),
    Sums(Sums),
}

impl Partial for Gathered {
    fn merge(&mut self, other: Self) -> Result<()> {
        match (&mut self.0, other.0) {
            (Part::Census(a), Part::Census(b)) => a.merge(b),
            (Part::Null(a), Part::Null(b)) => {
                a.merge(b);
                Ok(())
            }
            (Part::Sums(a), Part::Sums(b)) => a.merge(b),
            _ => Err(other_pass()),
        }
    }
}

fn other_pass() -> Error {
    Error::Data("glm: parts of different passes".into())
}

impl PassLearner for Glm {
    type State = State;
    type Partial = Gathered;

    fn block_rows(&self, cols: usize) -> usize {
        match cols {
            // Sums are small next to the rows they stand for, and a block is a few megabytes.
            0..512 => 4096,
            512..16_384 => 2048,
            // So many columns come as sparse rows.
            _ => 8192,
        }
    }

    fn start(&self, head: &Dataset<'_>, _: &Context<'_>) -> Result<State> {
        let sparse = matches!(head.x, Features::Csr(_));
        let held = self.held(&head.schema_or_unnamed())?;
        let names = head.schema.map_or_else(Vec::new, |schema| schema.names().map(str::to_owned).collect());
        Ok(State { before: Before { cols: head.cols(), sparse, held, names }, stage: Stage::Census })
    }

    fn empty(&self, state: &State) -> Gathered {
        let before = &state.before;
        Gathered(match &state.stage {
            Stage::Census => Part::Census(Census::new(before.cols, before.cols + 1)),
            Stage::Null { .. } => Part::Null(NullSums::default()),
            Stage::Feasible { search, .. } | Stage::Search(search) => {
                Part::Sums(search.problem.empty(search.wanted(), before.sparse))
            }
        })
    }

    fn add(&self, state: &State, part: &mut Gathered, rows: &Dataset<'_>) -> Result<()> {
        let (pair, held) = ((self.family(), self.link()), state.before.held.as_ref());
        match (&state.stage, &mut part.0) {
            (Stage::Census, Part::Census(census)) => census.add(rows, pair.0, pair.1, held),
            (Stage::Null { search, .. }, Part::Null(sums)) => match held {
                Some(held) => search.add(sums, rows, pair, held),
                None => Err(other_pass()),
            },
            (Stage::Feasible { search, .. } | Stage::Search(search), Part::Sums(sums)) => {
                search.problem.add(search.point(), search.wanted(), sums, rows)
            }
            _ => Err(other_pass()),
        }
    }

    fn finish(&self, state: State, total: Gathered, cx: &Context<'_>) -> Result<Step<State, GlmModel>> {
        let State { before, stage } = state;
        Ok(match (stage, total.0) {
            (Stage::Census, Part::Census(census)) => Step::Again(self.counted(before, census, cx)?, None),
            (Stage::Null { census, mut search }, Part::Null(sums)) => match search.absorb(&sums, &census.totals) {
                None => Step::Again(State { before, stage: Stage::Null { census, search } }, None),
                Some((intercept, loss)) => Step::Again(self.begin(before, *census, intercept, loss, cx)?, None),
            },
            (Stage::Feasible { mut search, null_loss, saturated }, Part::Sums(sums)) => {
                search.absorb(&sums, cx)?;
                Step::Again(self.begin_at_constant(before, &search, null_loss, saturated)?, None)
            }
            (Stage::Search(mut search), Part::Sums(sums)) => {
                if search.absorb(&sums, cx)? {
                    return Ok(Step::Done(self.model(&search)));
                }
                let objective = search.objective();
                Step::Again(State { before, stage: Stage::Search(search) }, objective)
            }
            _ => return Err(other_pass()),
        })
    }

    fn interrupted(&self, state: &State) -> Option<GlmModel> {
        match &state.stage {
            Stage::Search(search) => Some(self.model(search)),
            _ => None,
        }
    }
}

impl Glm {
    fn plan(&self, before: &Before, width: usize, weight: f64) -> Result<Plan> {
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
        let kind = if newton { Curvature::Full } else { Curvature::Diagonal };
        Ok(Plan { alpha: self.alpha * weight, kind, newton, tol: self.tol, max_iter: self.max_iter, sparse: before.sparse })
    }

    /// Where to go once the targets are counted: the model without columns where there are offsets, else the search.
    fn counted(&self, before: Before, census: Census, cx: &Context<'_>) -> Result<State> {
        let (family, link, totals) = (self.family(), self.link(), &census.totals);
        let largest = totals.largest;
        if family.power() == Some(0.0) && largest != 0.0 && !(LEAST_SQUARE..=LARGEST_SQUARE).contains(&largest) {
            let way = if largest > 1.0 { "over" } else { "under" };
            return Err(Error::Target(format!("its largest value is {largest:e}, whose square {way}flows; change its unit")));
        }
        let start = totals.intercept(family, link);
        if before.held.is_some() {
            let search = Box::new(NullSearch::new(start, self.fit_intercept));
            return Ok(State { before, stage: Stage::Null { census: Box::new(census), search } });
        }
        let mean = link.mean(if self.fit_intercept { start } else { 0.0 });
        let null_loss = totals.loss_at(family, mean);
        self.begin(before, census, start, null_loss, cx)
    }

    /// The search, from the model without columns or from the coefficients that were given.
    fn begin(&self, before: Before, census: Census, intercept: f64, null_loss: f64, cx: &Context<'_>) -> Result<State> {
        let (family, link) = (self.family(), self.link());
        let Census { totals, sample } = census;
        let mut center = if before.sparse || !self.fit_intercept { Vec::new() } else { sample.means() };
        if let (Some(held), false) = (&before.held, center.is_empty()) {
            center[held.column] = 0.0;
        }
        let problem = Problem {
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
        } else if !self.fit_intercept && before.held.is_none() && !family.holds_mean(link.mean(0.0)) {
            // Coefficients of 0 give no possible mean: look for some that give every row the mean of the targets.
            let wanted = link.link(totals.inner_mean(family));
            let problem = Problem { family: Family::Gaussian, link: Link::Identity, constant: Some(wanted), ..problem };
            let plan = Plan { alpha: 0.0, ..plan };
            let search = Search::new(problem, plan, Totals { saturated: 0.0, ..totals }, 0.0, point);
            return Ok(State {
                before,
                stage: Stage::Feasible { search: Box::new(search), null_loss, saturated: totals.saturated },
            });
        }
        let mut search = Search::new(problem, plan, totals, null_loss, point);
        if self.start.is_none() {
            search.warm_start(&sample, cx)?;
        }
        Ok(State { before, stage: Stage::Search(Box::new(search)) })
    }

    /// The search from a point that makes up a constant.
    fn begin_at_constant(&self, before: Before, found: &Search, null_loss: f64, saturated: f64) -> Result<State> {
        let totals = Totals { saturated, ..found.totals };
        let problem = Problem { family: self.family(), link: self.link(), constant: None, ..found.problem.clone() };
        let plan = self.plan(&before, problem.width(), totals.weight)?;
        let search = Search::new(problem, plan, totals, null_loss, found.point().to_vec());
        Ok(State { before, stage: Stage::Search(Box::new(search)) })
    }

    /// The model of where a search stands.
    fn model(&self, search: &Search) -> GlmModel {
        let found = search.found();
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
