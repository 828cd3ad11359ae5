//! Generalized linear models.

#[cfg(feature = "fit")]
mod evaluate;
mod evidence;
mod model;
#[cfg(feature = "fit")]
mod objective;
mod offset;
#[cfg(feature = "fit")]
mod pass;
#[cfg(feature = "fit")]
mod target_census;

use ermine_core::{
    Accepts, ColumnRef, Context, DatasetRef, Error, Learner, ModelReader, ParamSpec, Range, Result, Schema, Spec, StreamFit,
    Task, run_passes, run_passes_source,
};
use ermine_math::loss::{Family, Link};
use serde::{Deserialize, Serialize};

pub use evidence::GlmSummary;
pub use model::GlmModel;
pub(crate) use model::load;
use offset::{OffsetColumn, OffsetRole};

/// A generalized linear model: the mean of the target is a function of a linear score, and its variance follows the mean.
///
/// # What it minimizes
/// 1 / (2 Σᵢ wᵢ) Σᵢ wᵢ d(yᵢ, muᵢ) + alpha/2 |b|² with the unit deviance d of the family and g(muᵢ) = b0 + xᵢ·b + offsetᵢ,
/// g being the link. The intercept is not penalized. With `alpha` 0, the default, this is maximum likelihood.
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
/// # When to use it
/// Counts (claims, visits), amounts that cannot be negative (costs, durations), shares: where the spread grows with the
/// mean and effects multiply. The coefficients can be read, and without penalty they come with standard errors, tests and
/// intervals.
///
/// # Example
/// ```
/// use ermine_core::{Context, DatasetRef, Features, Learner, MatRef, Regressor, Target};
/// use ermine_linear::{Glm, GlmFamily};
///
/// let dose = [0.0, 0.0, 0.0, 1.0, 1.0, 1.0];
/// let count = [2.0, 3.0, 4.0, 5.0, 6.0, 7.0];
/// let data = DatasetRef::new(Features::F64(MatRef::row_major(&dose, 6, 1))).with_target(Target::Real(&count));
/// let model = Glm { family: GlmFamily::Poisson, ..Glm::default() }.fit_with(&data, &Context::default())?;
/// // With one group and another the means are those of the groups: 3 and 6.
/// assert!((model.coef()[0] - 2f64.ln()).abs() < 1e-9);
/// assert!((model.predict(&data.x)?[(5, 0)] - 6.0).abs() < 1e-9);
/// assert!((model.inference().unwrap().std_err[(0, 1)] - (1.0f64 / 9.0 + 1.0 / 18.0).sqrt()).abs() < 1e-9);
/// # Ok::<(), ermine_core::Error>(())
/// ```
///
/// # Parameters
/// See [`Glm::SPEC`](Learner::SPEC), which is also the text on the command line and in Python.
///
/// # Cost
/// Newton's method (Fisher's scoring where the loss is not convex) takes about five to ten passes and n p²
/// multiplications for each Hessian; L-BFGS, for more than a thousand columns, some tens of passes. Large data starts
/// from the optimum of a sample of its rows. Memory besides the rows: the sample (at most 64 MB, an eighth of the rows),
/// a matrix of p × p a thread.
///
/// # What it does not do
/// No L1 penalty. It does not choose `alpha` or `power`. Weights of rows are counts where the dispersion is known to be 1
/// (Bernoulli, Poisson), for standard errors too; of other families it is estimated and divides by rows, not by weights,
/// so that weights are precisions there.
///
/// # Reference
/// McCullagh, Nelder: Generalized Linear Models, 2nd ed., 1989; Jørgensen: The Theory of Dispersion Models, 1997.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[doc(alias("GeneralizedLinearRegressor", "PoissonRegressor", "GammaRegressor", "TweedieRegressor"))]
pub struct Glm {
    /// How the variance follows the mean.
    pub family: GlmFamily,
    /// The power of the mean that the variance of the Tweedie family follows.
    pub power: f64,
    /// The link between mean and score.
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
    /// Where to start: one coefficient per column, then the intercept.
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

/// The link function between mean and score.
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
            GlmLink::Auto => self.family().default_link(),
            GlmLink::Identity => Link::Identity,
            GlmLink::Log => Link::Log,
            GlmLink::Logit => Link::Logit,
            GlmLink::Inverse => Link::Inverse,
            GlmLink::Probit => Link::Probit,
        }
    }

    /// The column of the offset or exposure.
    fn offset_column(&self, schema: &Schema) -> Result<Option<OffsetColumn>> {
        let (column, role) = match (&self.offset, &self.exposure) {
            (Some(offset), None) => (offset, OffsetRole::Offset),
            (None, Some(exposure)) => (exposure, OffsetRole::Exposure),
            _ => return Ok(None),
        };
        let offset_column = OffsetColumn { column: column.position(schema)?, role };
        if schema.len() < 2 {
            return Err(Error::Data(format!("column {column} is the {}, and no other column is left", role.name())));
        }
        Ok(Some(offset_column))
    }
}

const COLUMN: Range = Range::Optional(&Range::Either(&Range::Int { min: 0, max: i64::MAX }, &Range::Text));

#[cfg(feature = "fit")]
impl Learner for Glm {
    type Model = GlmModel;

    const SEARCH_SPACE: &'static [&'static str] = &["alpha=1e-6..10:log"];

    const SPEC: Spec = Spec {
        name: Self::NAME,
        summary: "Generalized linear model: counts, amounts and shares whose spread follows their mean",
        objective: "min 1 / (2 sum_i w_i) sum_i w_i d(y_i, mu_i) + alpha/2 |b|^2 with link(mu_i) = b0 + x_i b + offset_i and the \
                    unit deviance d of the family; intercept not penalized",
        notes: "Choose it for counts (poisson), positive amounts (gamma, inverse-gaussian, tweedie) and shares (bernoulli), where \
                the spread grows with the mean. The usual link is the identity for gaussian, logit for bernoulli, else the \
                logarithm, under which effects multiply. Without penalty it gives standard errors, tests and intervals. Newton's \
                method (Fisher's scoring where the loss is not convex): some passes over the rows, each columns^2 per row at most. \
                Weights of rows are counts for bernoulli and poisson, and precisions where the dispersion is estimated. Does not select \
                columns.",
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
                doc: "The link between mean and score: \"auto\" is the usual one of the family, identity for gaussian and \
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
                doc: "Whether an intercept is fitted; it is never penalized.",
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
                doc: "Where to start: one coefficient per column, then the intercept if there is one. null starts from the mean of the \
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

    const STREAM: Option<StreamFit<Self>> = Some(run_passes_source::<Self>);

    fn check(&self) -> Result<()> {
        self.check_ranges()?;
        if self.family == GlmFamily::Tweedie && self.power > 0.0 && self.power < 1.0 {
            return Err(Self::parameter_error(
                "power",
                self.power,
                "there is no family between 0 and 1; it must be at most 0 or from 1 up",
            ));
        }
        if let (Some(column), Some(_)) = (&self.offset, &self.exposure) {
            return Err(Self::parameter_error(
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
            return Err(Self::parameter_error("exposure", column, expected));
        }
        if family.power().is_some() && matches!(link, Link::Logit | Link::Probit) {
            return Err(Self::parameter_error("link", link.name(), "it is for shares; use it with family=bernoulli"));
        }
        Ok(())
    }

    fn raw_columns(&self) -> Vec<ColumnRef> {
        self.offset.iter().chain(&self.exposure).cloned().collect()
    }

    fn fit_rows(&self, data: &DatasetRef<'_>, cx: &Context<'_>) -> Result<GlmModel> {
        run_passes(self, data, cx)
    }

    fn load(input: &ModelReader) -> Result<GlmModel> {
        load(input)
    }
}
