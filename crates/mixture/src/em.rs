//! Expectation-maximization, for any model with hidden variables, in passes over rows.
//!
//! Rows x come with something z that was not seen: the component a row belongs to, the expert that answered for it, a cell that
//! is missing. EM climbs the likelihood of what was seen, log p(x; θ), by going back and forth between two steps:
//!
//! ```text
//! E:  Q(θ; θₜ) = Σᵢ wᵢ E[ log p(xᵢ, zᵢ; θ) | xᵢ, θₜ ]
//! M:  θₜ₊₁ = argmax Q(θ; θₜ) + log p(θ)
//! ```
//!
//! Where p(x, z; θ) is of an exponential family, Q depends on the rows only through sums of expected statistics. These sums are
//! a [`Partial`], so that the E step is a pass (in memory, on a stream, on any number of threads to the same bits), and the M step
//! is a formula. A model defines its statistics and its formula ([`Em`]); stopping, the trace and the check that
//! the objective never falls are here ([`EmState`]). [`fit`] is all that is needed for a model with a known start:
//!
//! ```
//! use ermine_core::{Context, DatasetRef, Features, MatRef, Partial, Result};
//! use ermine_mixture::em::{Em, EmObjective, EmStop, fit};
//! use serde::{Deserialize, Serialize};
//!
//! /// Two coins of unknown bias: each row is the number of heads in ten tosses of one of them, and which one is unknown.
//! struct TwoCoins;
//!
//! /// For each coin the expected weight of its rows and their heads; then Σ log p and Σ w.
//! #[derive(Default, Serialize, Deserialize)]
//! struct Sums { weight: [f64; 2], heads: [f64; 2], log_likelihood: f64, total: f64 }
//!
//! impl Partial for Sums {
//!     fn merge(&mut self, other: Self) -> Result<()> {
//!         for c in 0..2 {
//!             self.weight[c] += other.weight[c];
//!             self.heads[c] += other.heads[c];
//!         }
//!         self.log_likelihood += other.log_likelihood;
//!         self.total += other.total;
//!         Ok(())
//!     }
//! }
//!
//! impl Em for TwoCoins {
//!     type Parameters = [f64; 2]; // the biases; either coin is taken with probability 1/2
//!     type Expected = Sums;
//!     fn empty(&self, _: &[f64; 2]) -> Sums {
//!         Sums::default()
//!     }
//!     fn expect(&self, bias: &[f64; 2], sums: &mut Sums, rows: &DatasetRef<'_>) -> Result<()> {
//!         let mut scratch = Vec::new();
//!         let x = rows.x.f64_rows(&mut scratch, "two coins")?;
//!         for i in 0..x.rows() {
//!             let (heads, w) = (*x.at(i, 0), rows.weight_of(i));
//!             let joint = bias.map(|p: f64| 0.5 * p.powf(heads) * (1.0 - p).powf(10.0 - heads));
//!             let p = joint[0] + joint[1];
//!             for c in 0..2 {
//!                 sums.weight[c] += w * joint[c] / p;
//!                 sums.heads[c] += w * joint[c] / p * heads;
//!             }
//!             sums.log_likelihood += w * p.ln();
//!             sums.total += w;
//!         }
//!         Ok(())
//!     }
//!     fn objective(&self, _: &[f64; 2], sums: &Sums) -> EmObjective {
//!         EmObjective { log_likelihood: sums.log_likelihood, log_prior: 0.0, weight: sums.total }
//!     }
//!     fn maximize(&self, _: &[f64; 2], s: Sums) -> Result<[f64; 2]> {
//!         Ok([0, 1].map(|c| s.heads[c] / (10.0 * s.weight[c])))
//!     }
//! }
//!
//! let heads = [5.0, 9.0, 8.0, 4.0, 7.0];
//! let data = DatasetRef::new(Features::F64(MatRef::row_major(&heads, 5, 1)));
//! let result = fit(&TwoCoins, [0.6, 0.5], &data, &EmStop { tol: 1e-9, max_iter: 1000 }, &Context::default())?;
//! assert!(result.converged);
//! assert!((result.parameters[0] - 0.797).abs() < 1e-3 && (result.parameters[1] - 0.520).abs() < 1e-3);
//! # Ok::<(), ermine_core::Error>(())
//! ```
//!
//! **Reference**: Dempster, Laird, Rubin, Journal of the Royal Statistical Society B 39 (1977); steps that climb Q without reaching
//! its top: Lange, Journal of the Royal Statistical Society B 57 (1995).

use ermine_core::{
    BLOCK_ROWS, Context, Curve, DatasetRef, Error, Partial, Progress, Result, RowSource, Section, Spec, Trace, run_pass,
    run_pass_source,
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

/// A model with hidden variables: what its E step gathers and what its M step makes of it.
pub trait Em: Sync {
    /// θ, broadcast to every block before a pass.
    type Parameters: Clone + Send + Sync + Serialize + DeserializeOwned;
    /// Sums over rows of the expected statistics, of log p(x; θ) and of the weights.
    type Expected: Partial;

    /// Rows in a block of a pass; may depend on nothing but the model and the number of columns.
    fn block_rows(&self, cols: usize) -> usize {
        let _ = cols;
        BLOCK_ROWS
    }
    /// The statistics of no rows.
    fn empty(&self, at: &Self::Parameters) -> Self::Expected;
    /// The E step: adds what is expected of the hidden variables of these rows under θ.
    fn expect(&self, at: &Self::Parameters, sums: &mut Self::Expected, rows: &DatasetRef<'_>) -> Result<()>;
    /// The objective of θ, from the E step.
    fn objective(&self, at: &Self::Parameters, sums: &Self::Expected) -> EmObjective;
    /// The M step: the θ that maximizes Q, in closed form; or one that is better than `at`, see [`Em::backtrack`].
    fn maximize(&self, at: &Self::Parameters, sums: Self::Expected) -> Result<Self::Parameters>;
    /// For models whose M step is only an ascent direction (a Newton step, say): a θ between the two, for when the objective has fallen. Models
    /// whose M step is exact have none, since it cannot fall.
    fn backtrack(&self, from: &Self::Parameters, to: &Self::Parameters) -> Option<Self::Parameters> {
        let _ = (from, to);
        None
    }
}

/// The objective of EM: the sum of the two, which no step may lower.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct EmObjective {
    /// Σ w log p(x; θ).
    pub log_likelihood: f64,
    /// log p(θ), up to a constant; 0 for maximum likelihood.
    pub log_prior: f64,
    /// Σ w.
    pub weight: f64,
}

impl EmObjective {
    /// Log likelihood and log prior.
    pub fn value(&self) -> f64 {
        self.log_likelihood + self.log_prior
    }
}

/// When to stop.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EmStop {
    /// The objective has settled when a step changes it by less than this, a row (a unit of weight). Logarithms of densities change
    /// by the same numbers in any units of the columns.
    pub tol: f64,
    /// At most that many M steps.
    pub max_iter: u64,
}

/// A fall by more than this, relative to the objective (one a unit of weight at least), is no rounding.
const ROUNDING: f64 = 1e-10;

/// Steps are halved at most this often before the course ends where it was.
const MOST_HALVINGS: u32 = 40;

/// State of a run between two passes.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct EmState<P> {
    at: P,
    /// The parameters before the last M step, where a step may have to be shortened.
    before: Option<P>,
    last: Option<EmObjective>,
    iterations: u64,
    settled: bool,
    halvings: u32,
    trace: Trace,
}

/// Where a climb ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EmResult<P> {
    /// θ.
    pub parameters: P,
    /// Its objective: of the returned θ, not of the one before.
    pub objective: EmObjective,
    /// M steps.
    pub iterations: u64,
    /// Whether the objective settled.
    pub converged: bool,
    /// One row per step, from the start on: `objective`, `log_likelihood`, `seconds`.
    pub trace: Trace,
}

/// The next action after an E step.
#[derive(Debug)]
pub enum EmStep<P> {
    /// Another pass.
    Continue(EmState<P>),
    /// The end.
    Done(EmResult<P>),
}

impl<P: Clone> EmState<P> {
    /// A climb that begins at `start`.
    pub fn new(start: P) -> Self {
        let trace = Trace::timed(&["objective", "log_likelihood"]);
        Self { at: start, before: None, last: None, iterations: 0, settled: false, halvings: 0, trace }
    }

    /// The θ of the next E step.
    pub fn parameters(&self) -> &P {
        &self.at
    }

    /// The objective of the last θ that an E step has seen.
    pub fn objective(&self) -> Option<f64> {
        self.last.map(|o| o.value())
    }

    /// The result at an early end: the last θ whose objective is known.
    pub fn best_so_far(&self) -> Option<EmResult<P>> {
        Some(EmResult {
            parameters: self.before.clone().unwrap_or_else(|| self.at.clone()),
            objective: self.last?,
            iterations: self.iterations.saturating_sub(1),
            converged: false,
            trace: self.trace.clone(),
        })
    }

    /// Takes in an E step at the present parameters, and makes the M step unless this is the end.
    ///
    /// The rule is scikit-learn's: when a step has gained less than the tolerance, one more M step is made, and an E step says
    /// what its result is worth.
    pub fn step<M: Em<Parameters = P>>(
        mut self,
        model: &M,
        sums: M::Expected,
        rules: &EmStop,
        cx: &Context<'_>,
    ) -> Result<EmStep<P>> {
        let now = model.objective(&self.at, &sums);
        let value = now.value();
        if !value.is_finite() {
            let message = format!("the log likelihood is {value} after {} steps; scale the columns", self.iterations);
            return Err(Error::Numeric(message));
        }
        let fallen = self.last.filter(|last| value < last.value() - rounding_slack(last));
        if let (Some(last), Some(before)) = (fallen, self.before.take()) {
            match model.backtrack(&before, &self.at) {
                Some(shorter) if self.halvings < MOST_HALVINGS => {
                    self.at = shorter;
                    self.before = Some(before);
                    self.halvings += 1;
                    return Ok(EmStep::Continue(self));
                }
                Some(_) => {
                    // No step larger than rounding raises the objective: this is the maximum to machine precision.
                    let iterations = self.iterations - 1;
                    return Ok(EmStep::Done(EmResult {
                        parameters: before,
                        objective: last,
                        iterations,
                        converged: true,
                        trace: self.trace,
                    }));
                }
                None => {}
            }
        }
        debug_assert!(
            fallen.is_none(),
            "the objective of an EM step fell from {:?} to {value} in step {}",
            self.last.map(|l| l.value()),
            self.iterations
        );
        self.trace.push(&[value, now.log_likelihood]);
        let change = self.last.map_or(f64::INFINITY, |last| (value - last.value()).abs());
        let done = self.settled || self.iterations >= rules.max_iter || cx.deadline_passed();
        if done {
            let Self { at, iterations, settled, trace, .. } = self;
            return Ok(EmStep::Done(EmResult { parameters: at, objective: now, iterations, converged: settled, trace }));
        }
        self.settled = change < rules.tol * now.weight;
        let next = model.maximize(&self.at, sums)?;
        self.before = Some(std::mem::replace(&mut self.at, next));
        self.last = Some(now);
        self.halvings = 0;
        self.iterations += 1;
        Ok(EmStep::Continue(self))
    }
}

/// The decrease of an objective that rounding may cause.
fn rounding_slack(o: &EmObjective) -> f64 {
    ROUNDING * (o.value().abs() + o.weight)
}

/// Climbs from `start` over rows in memory. A deadline ends the climb with what there is.
pub fn fit<M: Em>(
    model: &M,
    start: M::Parameters,
    data: &DatasetRef<'_>,
    rules: &EmStop,
    cx: &Context<'_>,
) -> Result<EmResult<M::Parameters>> {
    let block_rows = cx.block_rows.unwrap_or_else(|| model.block_rows(data.cols())).max(1);
    run_em(model, start, rules, cx, |at| {
        run_pass(data, block_rows, cx, &|rows: &DatasetRef<'_>| {
            let mut sums = model.empty(at);
            model.expect(at, &mut sums, rows)?;
            Ok(sums)
        })
    })
}

/// Climbs from `start` over a source of rows that may be larger than memory, to the bits of [`fit`] on the same rows. `spec` says what the
/// rows may hold.
pub fn fit_source<M: Em>(
    model: &M,
    start: M::Parameters,
    source: &dyn RowSource,
    spec: &Spec,
    rules: &EmStop,
    cx: &Context<'_>,
) -> Result<EmResult<M::Parameters>> {
    let block_rows = cx.block_rows.unwrap_or_else(|| model.block_rows(source.schema().len())).max(1);
    run_em(model, start, rules, cx, |at| {
        run_pass_source(source, spec, block_rows, cx, &|rows: &DatasetRef<'_>| {
            let mut sums = model.empty(at);
            model.expect(at, &mut sums, rows)?;
            Ok(sums)
        })
    })
}

fn run_em<M: Em>(
    model: &M,
    start: M::Parameters,
    rules: &EmStop,
    cx: &Context<'_>,
    pass: impl Fn(&M::Parameters) -> Result<M::Expected>,
) -> Result<EmResult<M::Parameters>> {
    let mut course = EmState::new(start);
    loop {
        let sums = match pass(course.parameters()) {
            Err(e @ Error::Deadline(_)) => return course.best_so_far().ok_or(e),
            sums => sums?,
        };
        match course.step(model, sums, rules, cx)? {
            EmStep::Done(climbed) => return Ok(climbed),
            EmStep::Continue(next) => course = next,
        }
        let progress =
            Progress { stage: "em", done: course.iterations, total: Some(rules.max_iter), objective: course.objective() };
        cx.report(progress)?;
    }
}

/// The objective by step, for reports.
pub(crate) fn objective_plot(trace: &Trace, objective: &str) -> Section {
    let points = trace.rows.iter().enumerate().map(|(t, r)| (t as f64, r[0])).collect();
    let curves = vec![Curve { name: "objective".into(), points }];
    Section::Plot { title: "Objective by step".into(), x: "step".into(), y: objective.into(), curves }
}
