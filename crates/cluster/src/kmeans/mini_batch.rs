//! Mini-batch k-means.

mod model;

#[cfg(feature = "fit")]
use ermine_core::parallel::prelude::*;
use ermine_core::*;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::init::{HashSample, each_row};
use super::lloyd::{LloydSums, PackedCenters};
use super::{ClusterCount, KMeans, KMeansInit, KMeansModel};

pub use model::MiniBatchKMeansModel;

/// k-means on small random batches of rows: close to the result of [`KMeans`] in a fraction of its passes.
///
/// # What it minimizes
/// The inertia, the sum over rows of w |x - c|² to the nearest of k centers, approximately: every row of a batch goes to
/// its nearest center, and every center to the mean of all rows it was ever given, c ← c + Σ (x - c) / (rows so far).
///
/// # When to use it
/// Where rows are many and a pass is expensive, or where they arrive over time (`partial_fit`). [`KMeans`] reaches a
/// lower inertia, and takes streams too.
///
/// # Example
/// ```
/// use ermine_core::{Clusterer, Context, DatasetRef, Features, Learner, Mat};
/// use ermine_cluster::MiniBatchKMeans;
///
/// let x = Mat::from_fn(500, 1, |i, _| if i % 2 == 0 { 0.0 } else { 9.0 } + (i % 7) as f64 / 10.0);
/// let features = Features::F64(x.view());
/// let learner = MiniBatchKMeans { n_clusters: 2, batch_size: 50, ..MiniBatchKMeans::default() };
/// let groups = learner.fit_with(&DatasetRef::new(features), &Context::default())?.assign(&features)?;
/// assert!((0..500).all(|i| (groups[i] == groups[0]) == (i % 2 == 0)));
/// # Ok::<(), ermine_core::Error>(())
/// ```
///
/// # Parameters
/// Described in [`Learner::SPEC`].
///
/// # Cost
/// Batch × k × p multiplications per step, and one pass at the end.
///
/// # Reference
/// Sculley, Web-scale k-means clustering, WWW 2010.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MiniBatchKMeans {
    /// Number of clusters.
    pub n_clusters: usize,
    /// Initial centers: "k-means++", "random", or a list of centers.
    pub init: Value,
    /// Most rows processed, as a multiple of the number of rows.
    pub max_iter: u64,
    /// Rows per step.
    pub batch_size: usize,
    /// Whether to compute the labels of all rows at the end.
    pub compute_labels: bool,
    /// Convergence: the squared move of the centers, relative to the spread of the columns; 0 disables it.
    pub tol: f64,
    /// Steps without a better smoothed inertia after which it stops.
    pub max_no_improvement: Option<u64>,
    /// Rows sampled for the initialization.
    pub init_size: Option<usize>,
    /// Number of starts: "auto" or a number.
    pub n_init: Value,
    /// The share of the largest cluster's rows below which a center is moved to a row of the batch.
    pub reassignment_ratio: f64,
}

impl Default for MiniBatchKMeans {
    fn default() -> Self {
        Self {
            n_clusters: 8,
            init: "k-means++".into(),
            max_iter: 100,
            batch_size: 1024,
            compute_labels: true,
            tol: 0.0,
            max_no_improvement: Some(10),
            init_size: None,
            n_init: "auto".into(),
            reassignment_ratio: 0.01,
        }
    }
}

#[cfg(feature = "fit")]
impl Learner for MiniBatchKMeans {
    type Model = MiniBatchKMeansModel;

    const SPEC: Spec = Spec {
        name: "mini-batch-kmeans",
        summary: "k-means by steps on small batches of rows",
        objective: "min over centers c_1..c_k of sum_i w_i min_j |x_i - c_j|^2, approximately: c <- c + sum (x - c) / (rows so far)",
        notes: "Where rows are many and a pass is expensive, or arrive over time (partial_fit); kmeans reaches a lower inertia. Ends when the \
                smoothed inertia of the batches no longer falls. Centers with few rows are moved to rows of the batch. The answer \
                depends on the order of the rows, since batches are drawn by their numbers.",
        reference: "Sculley: Web-scale k-means clustering, WWW 2010",
        family: Family::Cluster,
        tasks: &[Task::Clustering],
        accepts: Accepts { weights: true, missing: false, categorical: false, sparse: true, passes: false, multi_target: true },
        params: &[
            ParamSpec { name: "n_clusters", doc: "How many groups.", range: Range::Int { min: 1, max: 1 << 24 } },
            ParamSpec {
                name: "init",
                doc: "Where to start: \"k-means++\" (spread out, each further center the best of a few draws), \"random\" (rows drawn at \
                      random), or a list of centers, one list of numbers each.",
                range: Range::Any,
            },
            ParamSpec {
                name: "max_iter",
                doc: "Upper bound on the rows drawn, as a multiple of the number of rows.",
                range: Range::int_from(1),
            },
            ParamSpec { name: "batch_size", doc: "Rows that are drawn for a step.", range: Range::Int { min: 1, max: 1 << 31 } },
            ParamSpec {
                name: "compute_labels",
                doc: "Whether a last pass assigns all rows to clusters and computes the inertia.",
                range: Range::Bool,
            },
            ParamSpec {
                name: "tol",
                doc: "The end is reached when the squared moves of the centers in a step add up to at most tol times the mean variance of \
                      the columns; 0 for no such end.",
                range: Range::at_least(0.0),
            },
            ParamSpec {
                name: "max_no_improvement",
                doc: "Steps without a better smoothed inertia after which it stops; null disables this rule.",
                range: Range::Optional(&Range::int_from(0)),
            },
            ParamSpec {
                name: "init_size",
                doc: "Rows that the start is drawn from; null for three batches, and at least three per cluster.",
                range: Range::Optional(&Range::int_from(1)),
            },
            ParamSpec {
                name: "n_init",
                doc: "Number of starts, evaluated on init_size rows; the best one wins. \"auto\" is 1 for k-means++ and 3 for random.",
                range: Range::Either(&Range::Choice(&["auto"]), &Range::int_from(1)),
            },
            ParamSpec {
                name: "reassignment_ratio",
                doc: "A center with fewer rows than this share of those of the largest is moved to a row of the batch, now and then.",
                range: Range::at_least(0.0),
            },
        ],
    };
    const PARTIAL_FIT: Option<FitFrom<Self>> = Some(resume);
    const ROW_ORDER_MATTERS: bool = true;

    fn check(&self) -> Result<()> {
        // The list of centers is checked once, not as part of a JSON value.
        let mut params = serde_json::to_value(Self { init: "random".into(), ..self.clone() }).unwrap_or_default();
        params["init"] = Value::Null;
        Self::SPEC.check_params(&params)?;
        self.as_kmeans().init().map(|_| ()).map_err(own)
    }

    fn fit_rows(&self, data: &DatasetRef<'_>, cx: &Context<'_>) -> Result<MiniBatchKMeansModel> {
        self.check()?;
        data.check(&Self::SPEC)?;
        data.x.refuse_non_finite(data.schema)?;
        MiniBatchFit::new(self, data)?.run(cx)
    }

    fn load(input: &ModelReader) -> Result<MiniBatchKMeansModel> {
        MiniBatchKMeansModel::load(input)
    }
}

impl MiniBatchKMeansModel {
    pub(crate) fn load(input: &ModelReader) -> Result<Self> {
        let inner = KMeansModel::load(input)?;
        let counts: Vec<f64> = input.vec_of("counts", inner.centers().rows())?;
        if !counts.iter().all(|c| c.is_finite() && *c >= 0.0) {
            return Err(Error::Model("mini-batch-kmeans: its counts are no counts".into()));
        }
        Ok(MiniBatchKMeansModel { inner, counts, steps: input.field("n_steps")?, since: input.field("since_reassignment")? })
    }
}

/// An error of the learner with the shared initialization, renamed to this learner.
#[cfg(feature = "fit")]
fn own(error: Error) -> Error {
    match error {
        Error::Parameter { name, value, expected, .. } => Error::parameter(MiniBatchKMeans::SPEC.name, name, value, expected),
        other => other,
    }
}

impl MiniBatchKMeans {
    fn as_kmeans(&self) -> KMeans {
        KMeans {
            n_clusters: ClusterCount::Count(self.n_clusters),
            init: self.init.clone(),
            n_init: self.n_init.clone(),
            ..KMeans::default()
        }
    }

    /// Initial centers: the best on the given rows.
    #[cfg(feature = "fit")]
    fn start(&self, rows: &DatasetRef<'_>, seed: u64, cx: &Context<'_>) -> Result<Mat<f64>> {
        let kmeans = self.as_kmeans();
        let (init, k) = (kmeans.init()?, self.n_clusters);
        if let KMeansInit::Given(centers) = init {
            if centers.cols() != rows.cols() {
                let expected = format!("its centers have {} numbers, and the data has {} columns", centers.cols(), rows.cols());
                return Err(own(kmeans.refuse("init", &self.init, expected)));
            }
            return Ok(centers);
        }
        let plus = matches!(init, KMeansInit::PlusPlus);
        let starts = self.n_init.as_u64().unwrap_or(if plus { 1 } else { 3 });
        let mut sample = HashSample::new(k, rows.cols());
        sample.add(rows, seed)?;
        let mut best: Option<(f64, Mat<f64>)> = None;
        for run in 0..starts {
            let centers = sample.centers(k, plus, seed, run, cx)?;
            if starts == 1 {
                return Ok(centers);
            }
            let inertia = totals(&centers, rows, &mut vec![0; rows.rows()])?.inertia;
            if best.as_ref().is_none_or(|b| inertia < b.0) {
                best = Some((inertia, centers));
            }
        }
        best.map(|b| b.1).ok_or_else(|| Error::Data("no start led anywhere".into()))
    }

    /// One step: the centers after a batch, and its inertia before.
    #[cfg(feature = "fit")]
    fn step(&self, state: &mut MiniBatchState, batch: &DatasetRef<'_>, draw: &mut RngStream) -> Result<f64> {
        let totals = totals(&state.centers, batch, &mut vec![0; batch.rows()])?;
        let moved = totals.moved_toward(&state.centers, &mut state.counts);
        state.centers = moved;
        state.steps += 1;
        state.since += batch.rows() as u64;
        if state.counts.contains(&0.0) || state.since >= 10 * self.n_clusters as u64 {
            state.since = 0;
            self.reassign(state, batch, draw)?;
        }
        Ok(totals.inertia)
    }

    /// Moves centers with very few rows to rows of the batch.
    fn reassign(&self, state: &mut MiniBatchState, batch: &DatasetRef<'_>, draw: &mut RngStream) -> Result<()> {
        if self.reassignment_ratio == 0.0 {
            return Ok(());
        }
        let least = self.reassignment_ratio * state.counts.iter().fold(0.0f64, |m, c| m.max(*c));
        let mut few: Vec<usize> = (0..self.n_clusters).filter(|&c| state.counts[c] < least).collect();
        // At most half of the rows of a batch become centers, of the centers with the fewest rows.
        ermine_core::order::sort_by_number(&mut few, |a| state.counts[a]);
        few.truncate(batch.rows() / 2);
        let others = (0..self.n_clusters).filter(|c| !few.contains(c)).map(|c| state.counts[c]);
        let count = others.fold(f64::INFINITY, f64::min);
        let mut rows = draw.permutation(batch.rows());
        rows.truncate(few.len());
        let taken = batch.x.take_rows(&rows);
        each_row(&taken.view(), |i, row| state.centers.row_mut(few[i]).copy_from_slice(row))?;
        if count.is_finite() {
            few.iter().for_each(|&c| state.counts[c] = count);
        }
        Ok(())
    }
}

/// The sums of rows with given centers, and their labels; blocks in parallel, merged in order.
#[cfg(feature = "fit")]
fn totals(centers: &Mat<f64>, rows: &DatasetRef<'_>, labels: &mut [u32]) -> Result<LloydSums> {
    let cache = PackedCenters::default();
    let parts: Vec<Result<LloydSums>> = (labels.par_chunks_mut(BLOCK_ROWS).enumerate())
        .map(|(b, labels)| {
            let first = b * BLOCK_ROWS;
            let mut part = LloydSums::new(centers.rows(), centers.cols());
            let block = rows.row_range(first..first + labels.len());
            part.add(centers, &cache, &block, labels).map_err(|e| e.with_row(|row| row + first))?;
            Ok(part)
        })
        .collect();
    let mut all = LloydSums::new(centers.rows(), centers.cols());
    for part in parts {
        all.merge(&part?);
    }
    Ok(all)
}

/// State between steps.
struct MiniBatchState {
    centers: Mat<f64>,
    /// The total weight of all rows that each center was ever given.
    counts: Vec<f64>,
    steps: u64,
    /// Rows since the last reassignment of centers.
    since: u64,
}

/// A fit on rows in memory.
struct MiniBatchFit<'a> {
    learner: &'a MiniBatchKMeans,
    data: &'a DatasetRef<'a>,
    /// Rows of positive weight, and their cumulative weights, unless all weights are equal.
    present: Vec<usize>,
    sums: Option<Vec<f64>>,
    batch: usize,
}

impl<'a> MiniBatchFit<'a> {
    fn new(learner: &'a MiniBatchKMeans, data: &'a DatasetRef<'a>) -> Result<Self> {
        let present: Vec<usize> = (0..data.rows()).filter(|&i| data.weight_of(i) > 0.0).collect();
        let (rows, k) = (present.len(), learner.n_clusters);
        if rows < k {
            return Err(Error::Data(format!("there are {rows} rows, and {k} clusters need at least {k}; lower n_clusters")));
        }
        let equal = present.windows(2).all(|w| data.weight_of(w[0]) == data.weight_of(w[1]));
        let mut sum = 0.0;
        let running = |&i: &usize| {
            sum += data.weight_of(i);
            sum
        };
        let sums = (!equal).then(|| present.iter().map(running).collect());
        Ok(Self { learner, data, batch: learner.batch_size.min(rows), present, sums })
    }

    /// Rows sampled by weight, with replacement.
    fn draw(&self, count: usize, stream: &mut RngStream) -> OwnedDataset {
        let one = |stream: &mut RngStream| match &self.sums {
            None => stream.below(self.present.len()),
            Some(sums) => {
                let at = stream.uniform() * sums[sums.len() - 1];
                sums.partition_point(|s| *s <= at).min(sums.len() - 1)
            }
        };
        let rows: Vec<usize> = (0..count).map(|_| self.present[one(stream)]).collect();
        // A row of weight 2 is drawn twice as often, and then counts as one.
        DatasetRef { weight: None, y: Target::None, ..*self.data }.take_rows(&rows)
    }

    #[cfg(feature = "fit")]
    fn run(&self, cx: &Context<'_>) -> Result<MiniBatchKMeansModel> {
        let (learner, rows) = (self.learner, self.present.len());
        let mut stream = RngStream::new(cx.seed, "mini-batch", 0);
        let size = match learner.init_size {
            Some(size) if size >= learner.n_clusters => size,
            Some(_) => 3 * learner.n_clusters,
            None if 3 * self.batch < learner.n_clusters => 3 * learner.n_clusters,
            None => 3 * self.batch,
        };
        cx.check(Progress { stage: "start", done: 0, total: None, objective: None })?;
        let start = self.draw(size.min(rows), &mut stream);
        let centers = learner.start(&start.view(), cx.seed, cx)?;
        let mut state = MiniBatchState { counts: vec![0.0; centers.rows()], centers, steps: 0, since: 0 };
        let tolerance = if learner.tol > 0.0 { learner.tol * self.mean_variance()? } else { 0.0 };
        let most = (learner.max_iter.saturating_mul(rows as u64) / self.batch as u64).max(1);
        let mut end = InertiaMonitor {
            smooth: None,
            least: None,
            without: 0,
            share: (2.0 * self.batch as f64 / (rows as f64 + 1.0)).min(1.0),
        };
        let mut trace = Trace::timed(&["objective"]);
        let (mut converged, mut cut) = (false, false);
        while state.steps < most && !converged {
            if cx.deadline_passed() {
                cut = true;
                break;
            }
            let batch = self.draw(self.batch, &mut stream);
            let before = state.centers.clone();
            let inertia = learner.step(&mut state, &batch.view(), &mut stream)? / self.batch as f64;
            trace.push(&[inertia]);
            let moved: f64 = before.as_slice().iter().zip(state.centers.as_slice()).map(|(a, b)| (a - b) * (a - b)).sum();
            converged = state.steps > 1
                && (end.is_reached(inertia, learner.max_no_improvement) || (learner.tol > 0.0 && moved <= tolerance));
            cx.report(Progress { stage: "steps", done: state.steps, total: Some(most), objective: Some(inertia) })?;
        }
        if cut && state.steps == 0 {
            return Err(Error::Deadline("mini-batches".into()));
        }
        let notes = if cut { vec![format!("stopped by the time limit after {} steps", state.steps)] } else { Vec::new() };
        // Taking all steps counts as convergence; only a deadline does not.
        let certificate = Certificate {
            method: "mini-batches".into(),
            iterations: (state.steps * self.batch as u64).div_ceil(rows as u64),
            converged: !cut,
            notes,
            ..Certificate::default()
        };
        let smooth = end.smooth.unwrap_or(0.0) * rows as f64;
        learner.model(state, self.data, certificate, Some(trace), smooth)
    }

    /// The mean over columns of their variances.
    #[cfg(feature = "fit")]
    fn mean_variance(&self) -> Result<f64> {
        let mut origin = Mat::zeros(1, self.data.cols());
        each_row(&self.data.x.row_range(self.present[0]..self.present[0] + 1), |_, row| origin.row_mut(0).copy_from_slice(row))?;
        let all = totals(&origin, self.data, &mut vec![0; self.data.rows()])?;
        let (means, _) = all.means(&origin);
        Ok(all.mean_variance(&means, &origin))
    }
}

/// Early stopping: the smoothed inertia has not fallen for a while.
struct InertiaMonitor {
    smooth: Option<f64>,
    least: Option<f64>,
    without: u64,
    /// Weight of a new batch in the moving average.
    share: f64,
}

impl InertiaMonitor {
    fn is_reached(&mut self, inertia: f64, patience: Option<u64>) -> bool {
        let smooth = self.smooth.map_or(inertia, |s| s * (1.0 - self.share) + inertia * self.share);
        self.smooth = Some(smooth);
        if self.least.is_none_or(|l| smooth < l) {
            (self.least, self.without) = (Some(smooth), 0);
        } else {
            self.without += 1;
        }
        patience.is_some_and(|p| self.without >= p)
    }
}

impl MiniBatchKMeans {
    #[cfg(feature = "fit")]
    fn model(
        &self,
        state: MiniBatchState,
        data: &DatasetRef<'_>,
        mut certificate: Certificate,
        trace: Option<Trace>,
        smooth: f64,
    ) -> Result<MiniBatchKMeansModel> {
        let MiniBatchState { centers, counts, steps, since } = state;
        let (mut sizes, mut inertia, mut labels) = (counts.clone(), smooth, None);
        if self.compute_labels {
            let mut all = vec![0; data.rows()];
            let totals = totals(&centers, data, &mut all)?;
            inertia = totals.inertia;
            sizes = totals.weight;
            labels = Some(all);
            let empty = sizes.iter().filter(|w| **w == 0.0).count();
            if empty > 0 {
                let k = sizes.len();
                certificate.notes.push(format!("{} of {k} clusters have rows", k - empty));
            }
        }
        certificate.objective = Some(inertia);
        let mut inner = KMeansModel::new(centers, sizes, inertia, certificate, trace, 0);
        if let Some(labels) = labels {
            inner = inner.with_labels(labels);
        }
        Ok(MiniBatchKMeansModel { inner, counts, steps, since })
    }
}

/// One step on the given rows.
#[cfg(feature = "fit")]
fn resume(
    learner: &MiniBatchKMeans,
    start: Option<&MiniBatchKMeansModel>,
    data: &DatasetRef<'_>,
    cx: &Context<'_>,
) -> Result<MiniBatchKMeansModel> {
    learner.check()?;
    data.check(&MiniBatchKMeans::SPEC)?;
    data.x.refuse_non_finite(data.schema)?;
    cx.check(Progress { stage: "steps", done: 0, total: Some(1), objective: None })?;
    let mut state = match start {
        Some(model) => {
            data.x.expect_cols(model.n_features())?;
            let centers = model.inner.centers().clone();
            MiniBatchState { centers, counts: model.counts.clone(), steps: model.steps, since: model.since }
        }
        None => {
            let (rows, k) = (data.rows(), learner.n_clusters);
            if rows < k {
                return Err(Error::Data(format!("there are {rows} rows, and {k} clusters need at least {k}; lower n_clusters")));
            }
            let centers = learner.start(data, cx.seed, cx)?;
            MiniBatchState { counts: vec![0.0; centers.rows()], centers, steps: 0, since: 0 }
        }
    };
    let mut stream = RngStream::new(cx.seed, "mini-batch", state.steps + 1);
    let inertia = learner.step(&mut state, data, &mut stream)?;
    let certificate =
        Certificate { method: "mini-batches".into(), iterations: state.steps, converged: true, ..Certificate::default() };
    learner.model(state, data, certificate, None, inertia)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn clouds(rows: usize, k: usize, seed: u64) -> Mat<f64> {
        let mut s = RngStream::new(seed, "clouds", 0);
        let centers = Mat::from_fn(k, 3, |_, _| 8.0 * s.normal());
        Mat::from_fn(rows, 3, |i, j| centers[(i % k, j)] + s.normal())
    }

    fn data(x: &Mat<f64>) -> DatasetRef<'_> {
        DatasetRef::new(Features::F64(x.view()))
    }

    #[test]
    fn it_comes_near_to_lloyd() {
        for seed in 0..5 {
            let x = clouds(20_000, 6, seed);
            let learner = MiniBatchKMeans { n_clusters: 6, ..MiniBatchKMeans::default() };
            let near = learner.fit_with(&data(&x), &Context::seeded(seed)).unwrap();
            let kmeans = KMeans { n_clusters: 6.into(), n_init: json!(3), ..KMeans::default() };
            let best = kmeans.fit_with(&data(&x), &Context::seeded(seed)).unwrap();
            // Another start may lead to another local optimum; from the same one the results are close.
            let start: Vec<&[f64]> = (0..6).map(|c| best.centers().row(c)).collect();
            let from_best = MiniBatchKMeans { init: json!(start), ..learner };
            let mini_batch = from_best.fit_with(&data(&x), &Context::seeded(seed)).unwrap();
            assert!(mini_batch.clusters().inertia() < 1.02 * best.inertia(), "seed {seed}");
            assert!(near.clusters().inertia() < 8.0 * best.inertia(), "seed {seed}");
            assert_eq!(near.labels().unwrap(), near.assign(&Features::F64(x.view())).unwrap());
        }
    }

    #[test]
    fn a_step_is_that_of_the_definition() {
        let x = clouds(40, 2, 3);
        let start = x.view().take_rows(&[0, 1]);
        let start_rows: Vec<&[f64]> = (0..2).map(|c| start.row(c)).collect();
        let learner =
            MiniBatchKMeans { n_clusters: 2, init: json!(start_rows), reassignment_ratio: 0.0, ..MiniBatchKMeans::default() };
        let weight: Vec<f64> = (0..40).map(|i| 0.5 + (i % 3) as f64).collect();
        let (mut centers, mut counts) = (start.clone(), [0.0; 2]);
        let mut model = None;
        for part in [0..15, 15..40] {
            // Labels with the centers before the step, then one center after the other.
            let labels: Vec<usize> = part
                .clone()
                .map(|i| {
                    let d = |c: usize| x.row(i).iter().zip(centers.row(c)).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
                    usize::from(d(1) < d(0))
                })
                .collect();
            for c in 0..2 {
                let mine: Vec<usize> = part.clone().zip(&labels).filter(|l| *l.1 == c).map(|l| l.0).collect();
                let w: f64 = mine.iter().map(|&i| weight[i]).sum();
                for j in 0..3 {
                    let sum: f64 = mine.iter().map(|&i| weight[i] * x[(i, j)]).sum();
                    centers[(c, j)] = (centers[(c, j)] * counts[c] + sum) / (counts[c] + w);
                }
                counts[c] += w;
            }
            let rows = x.view().row_range(part.clone()).to_owned();
            let batch = data(&rows).with_weight(Some(&weight[part]));
            model = Some(resume(&learner, model.as_ref(), &batch, &Context::default()).unwrap());
        }
        let model = model.unwrap();
        assert_eq!(model.steps(), 2);
        assert!(model.counts().iter().zip(counts).all(|(a, b)| (a - b).abs() < 1e-12));
        for (a, b) in model.clusters().centers().as_slice().iter().zip(centers.as_slice()) {
            assert!((a - b).abs() < 1e-12 * (1.0 + b.abs()), "{a} {b}");
        }
    }

    #[test]
    fn centers_without_rows_are_moved_and_weights_draw_rows() {
        // A center far from everything would never be given a row.
        let x = clouds(600, 3, 7);
        let mut start = x.view().take_rows(&[0, 1, 2]);
        start.row_mut(2).fill(1e6);
        let start_rows: Vec<&[f64]> = (0..3).map(|c| start.row(c)).collect();
        let learner = MiniBatchKMeans { n_clusters: 3, init: json!(start_rows), batch_size: 60, ..MiniBatchKMeans::default() };
        let model = learner.fit_with(&data(&x), &Context::default()).unwrap();
        assert!(model.clusters().sizes().iter().all(|s| *s > 0.0), "{:?}", model.clusters().sizes());
        // Rows of weight 0 have no effect.
        let weight: Vec<f64> = (0..600).map(|i| f64::from(u8::from(i % 3 != 1))).collect();
        let rows: Vec<usize> = (0..600).filter(|i| i % 3 != 1).collect();
        let two = MiniBatchKMeans { n_clusters: 2, batch_size: 60, ..MiniBatchKMeans::default() };
        let a = two.fit_with(&data(&x).with_weight(Some(&weight)), &Context::default()).unwrap();
        let b = two.fit_with(&data(&x.view().take_rows(&rows)), &Context::default()).unwrap();
        assert_eq!(a.clusters().centers(), b.clusters().centers());
    }

    #[test]
    fn it_ends_and_says_what_is_wrong() {
        let x = clouds(300, 3, 1);
        let short =
            MiniBatchKMeans { n_clusters: 3, max_iter: 1, batch_size: 100, max_no_improvement: None, ..Default::default() };
        assert_eq!(short.fit_with(&data(&x), &Context::default()).unwrap().steps(), 3);
        let e = MiniBatchKMeans { n_clusters: 301, ..Default::default() }.fit_with(&data(&x), &Context::default()).unwrap_err();
        assert!(e.to_string().contains("300 rows") && e.to_string().contains("301"), "{e}");
        let e = MiniBatchKMeans { init: json!("good"), ..Default::default() }.check().unwrap_err().to_string();
        assert!(e.contains("init") && e.contains("mini-batch-kmeans"), "{e}");
    }
}
