//! k-means: groups around centres.

mod elbow;
mod lloyd;
mod model;
mod start;

use ermine_core::*;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use elbow::{ElbowRow, elbow};
use lloyd::{Cache, Farthest, Totals};
pub use model::KMeansModel;
pub(crate) use start::{Sample, mix};

/// The ways to the same answer that have a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum KMeansAlgorithm {
    /// Every row against every centre.
    #[default]
    Lloyd,
    /// The same steps. Bounds that skip distances pay only when rows are so wide that a distance costs more than keeping
    /// its bound; here the full comparison is faster, so it is what runs.
    Elkan,
}

/// Puts rows into `n_clusters` groups, each around its mean.
///
/// **Minimises** the inertia, the sum over rows of w |x - c|² to the nearest of k centres c, by Lloyd's steps: every row
/// goes to its nearest centre (the first of several), every centre to the mean of its rows. The inertia falls in every step.
///
/// **Use it** for compact groups of similar size, in columns that can be compared: standardise first.
///
/// ```
/// use ermine_core::{Clusterer, Context, Dataset, Features, Learner, MatRef};
/// use ermine_learn::cluster::KMeans;
///
/// let x = [0.0, 0.1, 9.0, 9.1, 0.2];
/// let features = Features::F64(MatRef::row_major(&x, 5, 1));
/// let model = KMeans { n_clusters: 2, ..KMeans::default() }.fit(&Dataset::new(features), &Context::default())?;
/// let groups = model.assign(&features)?;
/// assert!(groups[0] == groups[1] && groups[2] == groups[3] && groups[0] != groups[2]);
/// # Ok::<(), ermine_core::Error>(())
/// ```
///
/// **Parameters** are described in [`Learner::SPEC`].
///
/// **Cost**: one pass a step, n k p multiplications; rows are read where they lie, singles in single precision. The start
/// takes one pass: greedy k-means++ on a sample of at most 16384 distinct rows (20 a cluster at least), drawn by what the rows
/// hold and not by where they stand, so that neither the order of rows nor repeated rows matter.
///
/// **It does not** find the best of all groupings, only one that no step improves; `n_init` tries several starts. It does
/// not choose k; see [`elbow`]. A centre without rows moves to the row farthest from its own centre.
///
/// **Reference**: Lloyd, IEEE Transactions on Information Theory 28 (1982); Arthur and Vassilvitskii, SODA 2007.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct KMeans {
    /// How many groups.
    pub n_clusters: usize,
    /// Where to start: "k-means++", "random", or a list of centres.
    pub init: Value,
    /// How many starts: "auto" or a number.
    pub n_init: Value,
    /// At most that many steps.
    pub max_iter: u64,
    /// The centres have settled when they move less than this, relative to the spread of the columns.
    pub tol: f64,
    /// The way to the answer.
    pub algorithm: KMeansAlgorithm,
}

impl Default for KMeans {
    fn default() -> Self {
        Self {
            n_clusters: 8,
            init: "k-means++".into(),
            n_init: "auto".into(),
            max_iter: 300,
            tol: 1e-4,
            algorithm: KMeansAlgorithm::Lloyd,
        }
    }
}

enum Init {
    PlusPlus,
    Random,
    Given(Mat<f64>),
}

impl KMeans {
    fn refuse(&self, name: &str, value: &Value, expected: impl Into<String>) -> Error {
        let mut value = value.to_string();
        if value.len() > 80 {
            value = "a list".into();
        }
        Error::Parameter { learner: Self::SPEC.name, name: name.into(), value, expected: expected.into() }
    }

    fn init(&self) -> Result<Init> {
        let words = "it must be \"k-means++\", \"random\" or a list of centres";
        match &self.init {
            Value::String(s) if s == "k-means++" => Ok(Init::PlusPlus),
            Value::String(s) if s == "random" => Ok(Init::Random),
            Value::Array(_) => {
                let rows: Vec<Vec<f64>> =
                    Deserialize::deserialize(&self.init).map_err(|_| self.refuse("init", &self.init, words))?;
                let k = self.n_clusters;
                if rows.len() != k {
                    return Err(self.refuse("init", &self.init, format!("it has {} centres, and n_clusters is {k}", rows.len())));
                }
                let cols = rows[0].len();
                if cols == 0 || rows.iter().any(|r| r.len() != cols) || rows.iter().flatten().any(|v| !v.is_finite()) {
                    return Err(self.refuse("init", &self.init, "its centres must be finite numbers, the same count in each"));
                }
                Ok(Init::Given(Mat::from_vec(k, cols, rows.concat())))
            }
            other => Err(self.refuse("init", other, words)),
        }
    }

    /// How many starts are tried: given centres leave nothing to try again.
    fn starts(&self, init: &Init) -> u64 {
        match (init, self.n_init.as_u64()) {
            (Init::Given(_), _) => 1,
            (_, Some(n)) => n,
            (Init::PlusPlus, None) => 1,
            (Init::Random, None) => 10,
        }
    }
}

impl Learner for KMeans {
    type Model = KMeansModel;

    const SPEC: Spec = Spec {
        name: "kmeans",
        summary: "Groups around centres: every row belongs to the nearest of k means",
        objective: "min over centres c_1..c_k of sum_i w_i min_j |x_i - c_j|^2",
        notes: "For compact groups of similar size in columns that can be compared; standardise first. n k p operations a step, rows \
                read where they lie. The inertia falls in every step; the end is a grouping that no step improves, not the best of \
                all. Not for long or nested groups. Ties go to the first centre; a centre without rows moves to the row farthest from \
                its own centre.",
        reference: "Lloyd: Least squares quantization in PCM, IEEE Trans. Inf. Theory 28 (1982); Arthur, Vassilvitskii: k-means++, \
                    SODA 2007",
        family: Family::Cluster,
        tasks: &[Task::Clustering],
        accepts: Accepts { weights: true, missing: false, categorical: false, sparse: true, passes: true, multi_target: true },
        params: &[
            ParamSpec { name: "n_clusters", doc: "How many groups.", range: Range::Int { min: 1, max: 1 << 24 } },
            ParamSpec {
                name: "init",
                doc: "Where to start: \"k-means++\" (spread out, each further centre the best of a few draws), \"random\" (rows drawn at \
                      random), or a list of centres, one list of numbers each.",
                range: Range::Any,
            },
            ParamSpec {
                name: "n_init",
                doc: "How many starts are tried; the one with the least inertia is kept. \"auto\" is 1 for k-means++ and 10 for random.",
                range: Range::Either(&Range::Choice(&["auto"]), &Range::int_from(1)),
            },
            ParamSpec { name: "max_iter", doc: "At most that many steps.", range: Range::int_from(1) },
            ParamSpec {
                name: "tol",
                doc: "The end is reached when the squared moves of the centres add up to at most tol times the mean variance of the \
                      columns. With 0 only when no row changes its group.",
                range: Range::at_least(0.0),
            },
            ParamSpec {
                name: "algorithm",
                doc: "\"lloyd\" or \"elkan\": two names for the same steps and the same answer.",
                range: Range::Choice(&["lloyd", "elkan"]),
            },
        ],
    };
    const STREAM: Option<StreamFit<Self>> = Some(drive_source::<Self>);

    fn check(&self) -> Result<()> {
        // The list of centres is looked at once, by `init`, not as part of a JSON value.
        let params = serde_json::json!({
            "n_clusters": self.n_clusters, "n_init": self.n_init, "max_iter": self.max_iter, "tol": self.tol,
            "algorithm": self.algorithm,
        });
        Self::SPEC.check_params(&params)?;
        self.init().map(|_| ())
    }

    fn fit(&self, data: &Dataset<'_>, cx: &Context<'_>) -> Result<KMeansModel> {
        fit_in_memory(self, data, cx)
    }

    fn load(input: &ModelReader) -> Result<KMeansModel> {
        KMeansModel::load(input)
    }
}

/// What a pass is for.
#[derive(Debug, Clone, Serialize, Deserialize)]
enum Phase {
    /// Draw the rows among which to start; those of a greater hash are not looked at.
    Sample(u64),
    /// A step of Lloyd.
    Step,
    /// Find the rows farthest from their centres, for the centres without rows of these totals.
    Farthest(Box<Totals>),
    /// Say what the final centres are worth.
    Last {
        /// Whether the centres have settled.
        settled: bool,
    },
}

/// What every block of [`KMeans`] is told.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct KMeansState {
    cols: usize,
    seed: u64,
    phase: Phase,
    centres: Mat<f64>,
    /// What starts are drawn from.
    sample: Option<Sample>,
    /// The number of the present start.
    run: u64,
    iteration: u64,
    /// Stands for the groups of all rows in the step before.
    fingerprint: Option<u64>,
    /// What the squared moves of the centres are compared with; known after the first step.
    tolerance: Option<f64>,
    trace: Trace,
    best: Option<Outcome>,
    /// The centres made ready for the kernels, once a pass.
    #[serde(skip)]
    cache: Cache,
}

/// Where one start led.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Outcome {
    run: u64,
    centres: Mat<f64>,
    sizes: Vec<f64>,
    inertia: f64,
    iterations: u64,
    converged: bool,
    trace: Trace,
}

/// What [`KMeans`] gathers in a pass.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum KMeansPart {
    #[doc(hidden)]
    Sample(Sample),
    #[doc(hidden)]
    Totals(Box<Totals>),
    #[doc(hidden)]
    Farthest(Farthest),
}

impl Partial for KMeansPart {
    fn merge(&mut self, other: Self) -> Result<()> {
        match (self, other) {
            (Self::Sample(a), Self::Sample(b)) => a.merge(b),
            (Self::Totals(a), Self::Totals(b)) => a.merge(&b),
            (Self::Farthest(a), Self::Farthest(b)) => a.merge(b),
            _ => return Err(Error::Data("partials of different passes".into())),
        }
        Ok(())
    }
}

impl KMeansState {
    fn clusters(&self) -> usize {
        self.centres.rows()
    }

    fn begin(&mut self, centres: Mat<f64>) {
        self.centres = centres;
        self.cache = Cache::default();
        self.phase = Phase::Step;
        self.iteration = 0;
        self.fingerprint = None;
        self.trace = Trace::timed(&["iteration", "objective"]);
    }

    fn outcome(&mut self, totals: &Totals, converged: bool) -> Outcome {
        Outcome {
            run: self.run,
            centres: std::mem::take(&mut self.centres),
            sizes: totals.weight.clone(),
            inertia: totals.inertia,
            iterations: self.iteration,
            converged,
            trace: std::mem::take(&mut self.trace),
        }
    }
}

impl PassLearner for KMeans {
    type State = KMeansState;
    type Partial = KMeansPart;

    fn block_rows(&self, cols: usize) -> usize {
        // The sums of a block should cost less than its rows.
        (self.n_clusters.saturating_mul(cols) / 8).next_power_of_two().clamp(BLOCK_ROWS, 1 << 18)
    }

    fn start(&self, head: &Dataset<'_>, cx: &Context<'_>) -> Result<KMeansState> {
        let cols = head.cols();
        let mut state = KMeansState {
            cols,
            seed: cx.seed,
            phase: Phase::Sample(u64::MAX),
            centres: Mat::zeros(0, cols),
            sample: None,
            run: 0,
            iteration: 0,
            fingerprint: None,
            tolerance: None,
            trace: Trace::default(),
            best: None,
            cache: Cache::default(),
        };
        if let Init::Given(centres) = self.init()? {
            if centres.cols() != cols {
                let expected = format!("its centres have {} numbers, and the data has {cols} columns", centres.cols());
                return Err(self.refuse("init", &self.init, expected));
            }
            state.begin(centres);
        }
        Ok(state)
    }

    fn empty(&self, state: &KMeansState) -> KMeansPart {
        match &state.phase {
            Phase::Sample(limit) => KMeansPart::Sample(Sample::new(self.n_clusters, state.cols).with_limit(*limit)),
            Phase::Step | Phase::Last { .. } => KMeansPart::Totals(Box::new(Totals::new(state.clusters(), state.cols))),
            Phase::Farthest(totals) => KMeansPart::Farthest(Farthest::new(totals.empty_clusters().len())),
        }
    }

    fn add(&self, state: &KMeansState, part: &mut KMeansPart, rows: &Dataset<'_>) -> Result<()> {
        let mut labels = vec![0; rows.rows()];
        add_with_labels(state, part, rows, &mut labels)
    }

    fn finish(&self, mut state: KMeansState, total: KMeansPart, cx: &Context<'_>) -> Result<Step<KMeansState, KMeansModel>> {
        let outcome = match (std::mem::replace(&mut state.phase, Phase::Step), total) {
            (_, KMeansPart::Sample(sample)) => {
                self.enough_rows(sample.rows())?;
                if sample.is_short() {
                    state.phase = Phase::Sample(u64::MAX);
                    return Ok(Step::Again(state, None));
                }
                state.sample = Some(sample);
                if let Some(first) = self.next_start(&state, cx)? {
                    state.begin(first);
                }
                None
            }
            (Phase::Last { settled }, KMeansPart::Totals(totals)) => {
                state.trace.push(&[(state.iteration + 1) as f64, totals.inertia]);
                let same = state.fingerprint == Some(totals.fingerprint);
                Some(state.outcome(&totals, settled || same))
            }
            (_, KMeansPart::Totals(totals)) => {
                self.enough_rows(totals.rows)?;
                state.iteration += 1;
                state.trace.push(&[state.iteration as f64, totals.inertia]);
                let same = state.fingerprint.replace(totals.fingerprint) == Some(totals.fingerprint);
                if same || cx.out_of_time() {
                    // These centres, these groups and this inertia belong together.
                    Some(state.outcome(&totals, same))
                } else if totals.empty_clusters().is_empty() {
                    self.move_centres(&mut state, &totals);
                    None
                } else {
                    state.phase = Phase::Farthest(totals);
                    None
                }
            }
            (Phase::Farthest(mut totals), KMeansPart::Farthest(farthest)) => {
                totals.move_to_farthest(&state.centres, &farthest);
                self.move_centres(&mut state, &totals);
                None
            }
            _ => return Err(Error::Data("a partial of another pass".into())),
        };
        let objective = state.trace.rows.last().map(|r| r[1]);
        if let Some(outcome) = outcome {
            if state.best.as_ref().is_none_or(|b| outcome.inertia < b.inertia) {
                state.best = Some(outcome);
            }
            state.run += 1;
            match self.next_start(&state, cx) {
                Ok(Some(next)) => state.begin(next),
                Ok(None) | Err(Error::Deadline(_)) => return self.model(state.best).map(Step::Done),
                Err(e) => return Err(e),
            }
        }
        Ok(Step::Again(state, objective))
    }

    fn interrupted(&self, state: &KMeansState) -> Option<KMeansModel> {
        let best = match &state.best {
            Some(best) => Outcome { converged: false, ..best.clone() },
            // The centres of a step under way are no worse than those before it.
            None => Outcome {
                run: state.run,
                centres: state.centres.clone(),
                sizes: vec![0.0; state.clusters()],
                inertia: state.trace.rows.last()?[1],
                iterations: state.iteration,
                converged: false,
                trace: state.trace.clone(),
            },
        };
        self.model(Some(best)).ok()
    }
}

/// Takes a block into a partial, and says where its rows went.
fn add_with_labels(state: &KMeansState, part: &mut KMeansPart, rows: &Dataset<'_>, labels: &mut [u32]) -> Result<()> {
    match part {
        KMeansPart::Sample(sample) => sample.add(rows, state.seed),
        KMeansPart::Totals(totals) => totals.add(&state.centres, &state.cache, rows, labels),
        KMeansPart::Farthest(farthest) => farthest.add(&state.centres, &state.cache, rows, labels),
    }
}

impl KMeans {
    fn enough_rows(&self, rows: u64) -> Result<()> {
        if rows >= self.n_clusters as u64 {
            return Ok(());
        }
        let k = self.n_clusters;
        Err(Error::Data(format!("there are {rows} rows, and {k} clusters need at least {k}; lower n_clusters")))
    }

    /// The centres of the start whose turn it is, unless all were tried.
    fn next_start(&self, state: &KMeansState, cx: &Context<'_>) -> Result<Option<Mat<f64>>> {
        let init = self.init()?;
        match &state.sample {
            Some(sample) if state.run < self.starts(&init) => {
                let plus = matches!(init, Init::PlusPlus);
                sample.centres(self.n_clusters, plus, state.seed, state.run, cx).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// Every centre goes to the mean of its rows; what follows depends on how far they went.
    fn move_centres(&self, state: &mut KMeansState, totals: &Totals) {
        let (centres, shift) = totals.means(&state.centres);
        let tolerance = *state.tolerance.get_or_insert_with(|| self.tol * totals.mean_variance(&centres, &state.centres));
        state.centres = centres;
        state.cache = Cache::default();
        let settled = shift <= tolerance;
        state.phase = if settled || state.iteration >= self.max_iter { Phase::Last { settled } } else { Phase::Step };
    }

    fn model(&self, best: Option<Outcome>) -> Result<KMeansModel> {
        let best = best.ok_or_else(|| Error::Data("no start led anywhere".into()))?;
        let mut notes = Vec::new();
        let empty = best.sizes.iter().filter(|&&w| w == 0.0).count();
        if empty > 0 && best.sizes.iter().any(|&w| w > 0.0) {
            let k = best.sizes.len();
            notes.push(format!("{} of {k} clusters have rows: the data has fewer distinct rows than clusters", k - empty));
        }
        if !best.converged {
            notes.push(format!("stopped after {} steps, before the centres settled", best.iterations));
        }
        let certificate = Certificate {
            method: "lloyd".into(),
            objective: Some(best.inertia),
            iterations: best.iterations,
            converged: best.converged,
            notes,
            ..Certificate::default()
        };
        Ok(KMeansModel::new(best.centres, best.sizes, best.inertia, certificate, Some(best.trace), best.run))
    }
}

/// [`drive`] with the groups of the training rows kept: the same blocks, the same tree, the same bits.
fn fit_in_memory(learner: &KMeans, data: &Dataset<'_>, cx: &Context<'_>) -> Result<KMeansModel> {
    learner.check()?;
    data.check(&KMeans::SPEC)?;
    let rows = data.rows();
    let block_rows = cx.block_rows.unwrap_or_else(|| learner.block_rows(data.cols())).max(1);
    let mut state = learner.start(&data.row_range(0..rows.min(block_rows)), cx)?;
    if let Phase::Sample(limit) = &mut state.phase {
        *limit = Sample::new(learner.n_clusters, data.cols()).limit_for(rows);
    }
    let mut labels = vec![0u32; rows];
    let mut kept: Option<(u64, Vec<u32>)> = None;
    for pass in 1.. {
        let work = Blocks { state: &state, data, cx, block_rows, learner };
        let total = match work.reduce(0, rows.div_ceil(block_rows), &mut labels) {
            Err(e @ Error::Deadline(_)) => {
                let model = learner.interrupted(&state).ok_or(e)?;
                return Ok(match kept {
                    Some((run, labels)) if run == model.run() => model.with_labels(labels),
                    _ => model,
                });
            }
            total => total?,
        };
        let run = state.run;
        match learner.finish(state, total, cx)? {
            Step::Done(model) => {
                let labels = match kept {
                    Some((run, labels)) if run == model.run() => labels,
                    _ => labels,
                };
                return Ok(model.with_labels(labels));
            }
            Step::Again(next, objective) => {
                if next.run > run && next.best.as_ref().is_some_and(|b| b.run == run) {
                    kept = Some((run, labels.clone()));
                }
                state = next;
                cx.report(Progress { stage: "passes", done: pass, total: None, objective })?;
            }
        }
    }
    unreachable!("passes have an end")
}

/// The blocks of one pass.
struct Blocks<'a> {
    state: &'a KMeansState,
    data: &'a Dataset<'a>,
    cx: &'a Context<'a>,
    block_rows: usize,
    learner: &'a KMeans,
}

impl Blocks<'_> {
    fn reduce(&self, lo: usize, hi: usize, labels: &mut [u32]) -> Result<KMeansPart> {
        if hi - lo == 1 {
            let first = lo * self.block_rows;
            self.cx.check(Progress { stage: "pass", done: lo as u64, total: None, objective: None })?;
            let mut part = self.learner.empty(self.state);
            let rows = self.data.row_range(first..first + labels.len());
            add_with_labels(self.state, &mut part, &rows, labels).map_err(|e| match e {
                Error::NotFinite { column, row, value } => Error::NotFinite { column, row: row + first, value },
                other => other,
            })?;
            return Ok(part);
        }
        let mid = lo + (hi - lo).next_power_of_two() / 2;
        let (left, right) = labels.split_at_mut((mid - lo) * self.block_rows);
        let (left, right) = rayon::join(|| self.reduce(lo, mid, left), || self.reduce(mid, hi, right));
        let mut left = left?;
        left.merge(right?)?;
        Ok(left)
    }
}

#[cfg(test)]
mod tests;
