//! Generalised linear models.

mod census;
mod evaluate;
mod evidence;
mod held;
mod model;
mod search;

use ermine_core::{
    Accepts, ColumnRef, Context, Dataset, Error, Features, Learner, Mat, ModelReader, ParamSpec, Partial, PassLearner, Range,
    Result, Schema, Spec, Step, StreamFit, Task, drive, drive_source,
};
use ermine_math::loss::{Family, Link};
use serde::{Deserialize, Serialize};

use super::coefficients::Coefficients;
use super::inference::{CONFIDENCE, Inference};
use super::passes::Curvature;
use census::{Census, NullSearch, NullSums, Totals};
use evaluate::{Problem, Sums};
pub use evidence::GlmSummary;
use held::{Held, Role};
pub use model::GlmModel;
use search::{Plan, Search};

/// A generalised linear model: the mean of the target is a function of a linear score, and its variance follows the mean.
///
/// **What it minimises.** 1 / (2 Σᵢ wᵢ) Σᵢ wᵢ d(yᵢ, muᵢ) + alpha/2 |b|² with the unit deviance d of the family and
/// g(muᵢ) = b0 + xᵢ·b + offsetᵢ, g being the link. The intercept is not penalised. With `alpha` 0, the default, this is
/// maximum likelihood.
///
/// | family | targets | variance | usual link |
/// |---|---|---|---|
/// | `gaussian` | all numbers | constant | identity |
/// | `bernoulli` | 0 to 1 | mu (1 - mu) | logit |
/// | `poisson` | counts, 0 up | mu | log |
/// | `gamma` | above 0 | mu² | log |
/// | `inverse-gaussian` | above 0 | mu³ | log |
/// | `tweedie` | by `power` | mu^power | log; identity for powers up to 0 |
///
/// **When to use it.** Counts (claims, visits), amounts that cannot be negative (costs, durations), shares: where the spread
/// grows with the mean and effects multiply. The coefficients can be read, and without penalty they come with standard
/// errors, tests and intervals.
///
/// ```
/// use ermine_core::{Context, Dataset, Features, Learner, MatRef, Regressor, Target};
/// use ermine_learn::linear::{Glm, GlmFamily};
///
/// let dose = [0.0, 0.0, 0.0, 1.0, 1.0, 1.0];
/// let count = [2.0, 3.0, 4.0, 5.0, 6.0, 7.0];
/// let data = Dataset::new(Features::F64(MatRef::row_major(&dose, 6, 1))).with_target(Target::Real(&count));
/// let model = Glm { family: GlmFamily::Poisson, ..Glm::default() }.fit(&data, &Context::default())?;
/// // With one group and another the means are those of the groups: 3 and 6.
/// assert!((model.coef()[0] - 2f64.ln()).abs() < 1e-9);
/// assert!((model.predict(&data.x)?[(5, 0)] - 6.0).abs() < 1e-9);
/// assert!((model.inference().unwrap().std_err[(0, 1)] - (1.0f64 / 9.0 + 1.0 / 18.0).sqrt()).abs() < 1e-9);
/// # Ok::<(), ermine_core::Error>(())
/// ```
///
/// **Parameters.** See [`Glm::SPEC`](Learner::SPEC), which says the same on the command line and in Python.
///
/// **Cost.** Newton's method (Fisher's scoring where the loss is not convex) takes about five to ten passes and n p²
/// multiplications for each Hessian; L-BFGS, for more than a thousand columns, some tens of passes. Large data starts from the
/// optimum of a sample of its rows. Memory besides the rows: the sample (at most 64 MB, an eighth of the rows), a matrix of
/// p × p a thread.
///
/// **What it does not do.** No L1 penalty. It does not choose `alpha` or `power`. Weights of rows are counts or precisions:
/// the dispersion divides by rows, not by weights.
///
/// **Reference.** McCullagh, Nelder: Generalized Linear Models, 2nd ed., 1989; Jørgensen: The Theory of Dispersion Models,
/// 1997.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Glm {
    /// How the variance follows the mean.
    pub family: GlmFamily,
    /// The power of the mean that the variance of the Tweedie family follows.
    pub power: f64,
    /// What stands between mean and score.
    pub link: GlmLink,
    /// The strength of the penalty.
    pub alpha: f64,
    /// Whether an intercept is fitted.
    pub fit_intercept: bool,
    /// A column that is added to the score as it is.
    pub offset: Option<ColumnRef>,
    /// A column whose logarithm is added to the score.
    pub exposure: Option<ColumnRef>,
    /// How the optimum is found.
    pub solver: GlmSolver,
    /// When to stop.
    pub tol: f64,
    /// Steps at most.
    pub max_iter: u64,
    /// Where to start: a coefficient a column, then the intercept.
    pub start: Option<Vec<f64>>,
}

/// How the variance of the target follows its mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GlmFamily {
    /// Constant variance.
    Gaussian,
    /// Shares of successes, 0 and 1 among them.
    #[serde(alias = "binomial")]
    Bernoulli,
    /// Counts.
    Poisson,
    /// Positive amounts with a constant coefficient of variation.
    Gamma,
    /// Positive amounts with a heavy tail.
    InverseGaussian,
    /// Variance mu to a power.
    Tweedie,
}

/// What stands between the mean and the score.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GlmLink {
    /// The usual one of the family.
    Auto,
    /// mu.
    Identity,
    /// log mu.
    Log,
    /// log(mu / (1 - mu)).
    Logit,
    /// 1 / mu.
    Inverse,
    /// The normal quantile of mu.
    Probit,
}

/// How the optimum is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GlmSolver {
    /// Newton's method where the Hessian is small enough, else L-BFGS.
    Auto,
    /// Newton's method, or Fisher's scoring where the loss is not convex.
    Newton,
    /// Limited-memory BFGS with a diagonal as its first metric.
    Lbfgs,
}

impl Default for Glm {
    fn default() -> Self {
        Self {
            family: GlmFamily::Gaussian,
            power: 1.5,
            link: GlmLink::Auto,
            alpha: 0.0,
            fit_intercept: true,
            offset: None,
            exposure: None,
            solver: GlmSolver::Auto,
            tol: 1e-4,
            max_iter: 100,
            start: None,
        }
    }
}

/// Numbers in a point up to which the Hessian is worth its cost.
const NEWTON_COLS: usize = 1024;
/// Numbers in a point beyond which a Hessian is refused.
const HESSIAN_LIMIT: usize = 8192;
/// Squares of numbers beyond these leave the range of doubles.
const LARGEST_SQUARE: f64 = 1e150;
const LEAST_SQUARE: f64 = 1e-150;

impl Glm {
    pub(super) const NAME: &str = "glm";

    /// The family with its power; a Tweedie family of a whole power has its own name.
    fn family(&self) -> Family {
        match self.family {
            GlmFamily::Gaussian => Family::Gaussian,
            GlmFamily::Bernoulli => Family::Binomial,
            GlmFamily::Poisson => Family::Poisson,
            GlmFamily::Gamma => Family::Gamma,
            GlmFamily::InverseGaussian => Family::InverseGaussian,
            GlmFamily::Tweedie => match self.power {
                0.0 => Family::Gaussian,
                1.0 => Family::Poisson,
                2.0 => Family::Gamma,
                3.0 => Family::InverseGaussian,
                power => Family::Tweedie { power },
            },
        }
    }

    fn link(&self) -> Link {
        match self.link {
            GlmLink::Auto => self.family().usual_link(),
            GlmLink::Identity => Link::Identity,
            GlmLink::Log => Link::Log,
            GlmLink::Logit => Link::Logit,
            GlmLink::Inverse => Link::Inverse,
            GlmLink::Probit => Link::Probit,
        }
    }

    fn refuse(name: &str, value: impl std::fmt::Display, expected: impl Into<String>) -> Error {
        Error::Parameter { learner: Self::NAME, name: name.into(), value: value.to_string(), expected: expected.into() }
    }

    /// The column of the offset or exposure.
    fn held(&self, schema: &Schema) -> Result<Option<Held>> {
        let (column, role) = match (&self.offset, &self.exposure) {
            (Some(offset), None) => (offset, Role::Offset),
            (None, Some(exposure)) => (exposure, Role::Exposure),
            _ => return Ok(None),
        };
        let held = Held { column: column.position(schema)?, role };
        if schema.len() < 2 {
            return Err(Error::Data(format!("column {column} is the {}, and no other column is left", role.name())));
        }
        Ok(Some(held))
    }

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

const COLUMN: Range = Range::Optional(&Range::Either(&Range::Int { min: 0, max: i64::MAX }, &Range::Text));

impl Learner for Glm {
    type Model = GlmModel;

    const SPEC: Spec = Spec {
        name: Self::NAME,
        summary: "Generalised linear model: counts, amounts and shares whose spread follows their mean",
        objective: "min 1 / (2 sum_i w_i) sum_i w_i d(y_i, mu_i) + alpha/2 |b|^2 with link(mu_i) = b0 + x_i b + offset_i and the \
                    unit deviance d of the family; intercept not penalised",
        notes: "Choose it for counts (poisson), positive amounts (gamma, inverse-gaussian, tweedie) and shares (bernoulli), where \
                the spread grows with the mean. The usual link is the identity for gaussian, logit for bernoulli, else the \
                logarithm, under which effects multiply. Without penalty it gives standard errors, tests and intervals. Newton's \
                method (Fisher's scoring where the loss is not convex): some passes over the rows, each columns^2 a row at most. \
                Does not select columns.",
        reference: "P. McCullagh, J. A. Nelder (1989), Generalized Linear Models, 2nd ed., Chapman & Hall",
        family: ermine_core::Family::Linear,
        tasks: &[Task::Regression],
        accepts: Accepts { weights: true, sparse: true, passes: true, ..Accepts::NUMBERS },
        params: &[
            ParamSpec {
                name: "family",
                doc: "How the variance follows the mean: \"gaussian\" not at all, \"bernoulli\" (or \"binomial\") mu (1 - mu), \
                      \"poisson\" mu, \"gamma\" mu^2, \"inverse-gaussian\" mu^3, \"tweedie\" mu^power.",
                range: Range::Choice(&["gaussian", "bernoulli", "binomial", "poisson", "gamma", "inverse-gaussian", "tweedie"]),
            },
            ParamSpec {
                name: "power",
                doc: "The power of the tweedie family: at most 0, or from 1 up. Between 1 and 2 targets are amounts with zeros \
                      among them; 0, 1, 2 and 3 are gaussian, poisson, gamma and inverse gaussian.",
                range: Range::Real { min: f64::NEG_INFINITY, max: f64::INFINITY, above: false, log: false },
            },
            ParamSpec {
                name: "link",
                doc: "What stands between mean and score: \"auto\" is the usual one of the family, identity for gaussian and \
                      tweedie powers up to 0, logit for bernoulli, else log.",
                range: Range::Choice(&["auto", "identity", "log", "logit", "inverse", "probit"]),
            },
            ParamSpec {
                name: "alpha",
                doc: "The strength of the penalty on the squared coefficients; 0 is maximum likelihood.",
                range: Range::Real { min: 0.0, max: f64::MAX, above: false, log: true },
            },
            ParamSpec {
                name: "fit_intercept",
                doc: "Whether an intercept is fitted; it is never penalised.",
                range: Range::Bool,
            },
            ParamSpec {
                name: "offset",
                doc: "A column, by name or number from 0, that is added to the score with a coefficient of 1 instead of being \
                      fitted.",
                range: COLUMN,
            },
            ParamSpec {
                name: "exposure",
                doc: "A column, by name or number from 0, that the mean is proportional to: its logarithm is added to the score. \
                      For the log link.",
                range: COLUMN,
            },
            ParamSpec {
                name: "solver",
                doc: "How the optimum is found: \"newton\" with the Hessian, \"lbfgs\" without, \"auto\" for the first up to a \
                      thousand columns. The optimum is the same.",
                range: Range::Choice(&["auto", "newton", "lbfgs"]),
            },
            ParamSpec {
                name: "tol",
                doc: "The fit ends when the distance to the optimum, in the norm of the Hessian and relative to the deviance, is \
                      estimated below a tenth of this; with the Hessian at hand it goes on to a millionth of it, which costs a \
                      step or two.",
                range: Range::at_least(0.0),
            },
            ParamSpec {
                name: "max_iter",
                doc: "Steps at most. A fit that needs more returns what it has and says so.",
                range: Range::int_from(0),
            },
            ParamSpec {
                name: "start",
                doc: "Where to start: a coefficient a column, then the intercept if there is one. null starts from the mean of the \
                      target.",
                range: Range::Optional(&Range::List(&Range::Real {
                    min: f64::NEG_INFINITY,
                    max: f64::INFINITY,
                    above: false,
                    log: false,
                })),
            },
        ],
    };

    const STREAM: Option<StreamFit<Self>> = Some(drive_source::<Self>);

    fn check(&self) -> Result<()> {
        Self::SPEC.check_params(&serde_json::to_value(self).map_err(|e| Error::Data(e.to_string()))?)?;
        if self.family == GlmFamily::Tweedie && self.power > 0.0 && self.power < 1.0 {
            return Err(Self::refuse(
                "power",
                self.power,
                "there is no family between 0 and 1; it must be at most 0 or from 1 up",
            ));
        }
        if let (Some(column), Some(_)) = (&self.offset, &self.exposure) {
            return Err(Self::refuse(
                "offset",
                column,
                "give an offset or an exposure, not both: add the logarithm of one to the other",
            ));
        }
        let (family, link) = (self.family(), self.link());
        if let (Some(column), true) = (&self.exposure, link != Link::Log) {
            let expected = format!(
                "an exposure multiplies the mean, which only the log link can say, and the link is {}; set link=log, or divide \
                 the target by the exposure and use the exposure as weight",
                link.name()
            );
            return Err(Self::refuse("exposure", column, expected));
        }
        if family.power().is_some() && matches!(link, Link::Logit | Link::Probit) {
            return Err(Self::refuse("link", link.name(), "it is for shares; use it with family=bernoulli"));
        }
        Ok(())
    }

    fn untouched(&self) -> Vec<ColumnRef> {
        self.offset.iter().chain(&self.exposure).cloned().collect()
    }

    fn fit(&self, data: &Dataset<'_>, cx: &Context<'_>) -> Result<GlmModel> {
        drive(self, data, cx)
    }

    fn load(input: &ModelReader) -> Result<GlmModel> {
        model::load(input)
    }
}

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
        Ok(State { before: Before { cols: head.cols(), sparse, held }, stage: Stage::Census })
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
