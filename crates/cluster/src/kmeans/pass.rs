//! k-means in passes: sample, steps, rows for empty clusters, final scores.

use ermine_core::*;
use serde::{Deserialize, Serialize};

use super::choose_k::{self, ClusterCountScore};
use super::init::HashSample;
use super::lloyd::{FarthestRows, LloydSums, PackedCenters};
use super::{ClusterCount, KMeans, KMeansInit, KMeansModel};

/// The phase of a pass.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) enum KMeansPhase {
    /// Sample the rows for the initialization; those with a greater hash are skipped.
    Sample(u64),
    /// A step of Lloyd's algorithm.
    LloydIteration,
    /// Find the rows farthest from their centers, for the centers without rows.
    Farthest(Box<LloydSums>),
    /// Score the final centers.
    FinalPass {
        /// Whether the centers have converged.
        settled: bool,
    },
}

/// State of [`KMeans`], broadcast to every block before a pass.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct KMeansState {
    cols: usize,
    seed: u64,
    pub(super) phase: KMeansPhase,
    #[serde(rename = "centres")]
    pub(super) centers: Mat<f64>,
    /// The sample for the starts.
    sample: Option<HashSample>,
    /// The present number of clusters.
    k: usize,
    /// The number of the present start.
    pub(super) run: u64,
    iteration: u64,
    /// Hash of the labels of the step before.
    fingerprint: Option<u64>,
    /// Threshold of the squared moves of the centers; known after the first step.
    tolerance: Option<f64>,
    trace: Trace,
    /// The best start of this number of clusters.
    pub(super) best: Option<KMeansRun>,
    /// The best starts of other numbers of clusters, with their scores.
    tried: Vec<(KMeansRun, ClusterCountScore)>,
    /// The centers packed for the kernels, once per pass.
    #[serde(skip)]
    pub(super) cache: PackedCenters,
}

/// The result of one start.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct KMeansRun {
    pub(super) run: u64,
    #[serde(rename = "centres")]
    centers: Mat<f64>,
    sizes: Vec<f64>,
    inertia: f64,
    iterations: u64,
    converged: bool,
    trace: Trace,
}

/// Sums of [`KMeans`] in a pass.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum KMeansPartial {
    #[doc(hidden)]
    Sample(HashSample),
    #[doc(hidden)]
    Totals(Box<LloydSums>),
    #[doc(hidden)]
    Farthest(FarthestRows),
}

#[cfg(feature = "fit")]
impl Partial for KMeansPartial {
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
        self.centers.rows()
    }

    fn begin(&mut self, centers: Mat<f64>) {
        self.centers = centers;
        self.cache = PackedCenters::default();
        self.phase = KMeansPhase::LloydIteration;
        self.iteration = 0;
        self.fingerprint = None;
        self.trace = Trace::timed(&["iteration", "objective"]);
    }

    fn outcome(&mut self, totals: &LloydSums, converged: bool) -> KMeansRun {
        KMeansRun {
            run: self.run,
            centers: std::mem::take(&mut self.centers),
            sizes: totals.weight.clone(),
            inertia: totals.inertia,
            iterations: self.iteration,
            converged,
            trace: std::mem::take(&mut self.trace),
        }
    }
}

#[cfg(feature = "fit")]
impl PassLearner for KMeans {
    type State = KMeansState;
    type Partial = KMeansPartial;

    fn block_rows(&self, cols: usize) -> usize {
        // The sums of a block should cost less than its rows.
        (self.range().1.saturating_mul(cols) / 8).next_power_of_two().clamp(BLOCK_ROWS, 1 << 18)
    }

    fn initial_state(&self, head: &DatasetRef<'_>, cx: &Context<'_>) -> Result<KMeansState> {
        let cols = head.cols();
        let mut state = KMeansState {
            cols,
            seed: cx.seed,
            phase: KMeansPhase::Sample(u64::MAX),
            centers: Mat::zeros(0, cols),
            sample: None,
            k: self.range().0,
            run: 0,
            iteration: 0,
            fingerprint: None,
            tolerance: None,
            trace: Trace::default(),
            best: None,
            tried: Vec::new(),
            cache: PackedCenters::default(),
        };
        if let KMeansInit::Given(centers) = self.init()? {
            if centers.cols() != cols {
                let expected = format!("its centers have {} numbers, and the data has {cols} columns", centers.cols());
                return Err(self.refuse("init", &self.init, expected));
            }
            state.begin(centers);
        }
        Ok(state)
    }

    fn empty_partial(&self, state: &KMeansState) -> KMeansPartial {
        match &state.phase {
            KMeansPhase::Sample(limit) => KMeansPartial::Sample(HashSample::new(self.range().1, state.cols).with_limit(*limit)),
            KMeansPhase::LloydIteration | KMeansPhase::FinalPass { .. } => {
                KMeansPartial::Totals(Box::new(LloydSums::new(state.clusters(), state.cols)))
            }
            KMeansPhase::Farthest(totals) => KMeansPartial::Farthest(FarthestRows::new(totals.empty_clusters().len())),
        }
    }

    fn add_block(&self, state: &KMeansState, part: &mut KMeansPartial, rows: &DatasetRef<'_>) -> Result<()> {
        let mut labels = vec![0; rows.rows()];
        add_with_labels(state, part, rows, &mut labels)
    }

    fn finish(
        &self,
        mut state: KMeansState,
        total: KMeansPartial,
        cx: &Context<'_>,
    ) -> Result<PassStep<KMeansState, KMeansModel>> {
        let outcome = match (std::mem::replace(&mut state.phase, KMeansPhase::LloydIteration), total) {
            (_, KMeansPartial::Sample(sample)) => {
                self.enough_rows(sample.rows())?;
                if sample.is_short() {
                    state.phase = KMeansPhase::Sample(u64::MAX);
                    return Ok(PassStep::NextPass(state, None));
                }
                state.sample = Some(sample);
                if let Some(first) = self.next_start(&state, cx)? {
                    state.begin(first);
                }
                None
            }
            (KMeansPhase::FinalPass { settled }, KMeansPartial::Totals(totals)) => {
                state.trace.push(&[(state.iteration + 1) as f64, totals.inertia]);
                let same = state.fingerprint == Some(totals.fingerprint);
                Some(state.outcome(&totals, settled || same))
            }
            (_, KMeansPartial::Totals(totals)) => {
                self.enough_rows(totals.rows)?;
                state.iteration += 1;
                state.trace.push(&[state.iteration as f64, totals.inertia]);
                let same = state.fingerprint.replace(totals.fingerprint) == Some(totals.fingerprint);
                if same || cx.deadline_passed() {
                    // These centers, labels and inertia belong together.
                    Some(state.outcome(&totals, same))
                } else if totals.empty_clusters().is_empty() {
                    self.move_centers(&mut state, &totals);
                    None
                } else {
                    state.phase = KMeansPhase::Farthest(totals);
                    None
                }
            }
            (KMeansPhase::Farthest(mut totals), KMeansPartial::Farthest(farthest)) => {
                totals.move_to_farthest(&state.centers, &farthest);
                self.move_centers(&mut state, &totals);
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
                Ok(None) => match self.next_number(&mut state, cx) {
                    Ok(Some(next)) => state.begin(next),
                    Ok(None) => return self.outcome(state, false).map(PassStep::Done),
                    Err(Error::Deadline(_)) => return self.outcome(state, true).map(PassStep::Done),
                    Err(e) => return Err(e),
                },
                Err(Error::Deadline(_)) => return self.outcome(state, true).map(PassStep::Done),
                Err(e) => return Err(e),
            }
        }
        Ok(PassStep::NextPass(state, objective))
    }

    fn model_so_far(&self, state: &KMeansState) -> Option<KMeansModel> {
        let mut state = state.clone();
        if state.best.is_none() && state.tried.is_empty() {
            // The centers of an unfinished step are no worse than those before it.
            state.best = Some(KMeansRun {
                run: state.run,
                sizes: vec![0.0; state.clusters()],
                inertia: state.trace.rows.last()?[1],
                iterations: state.iteration,
                converged: false,
                trace: state.trace.clone(),
                centers: state.centers.clone(),
            });
        }
        self.outcome(state, true).ok()
    }
}

/// Adds a block to a partial, and writes the labels of its rows.
pub(super) fn add_with_labels(
    state: &KMeansState,
    part: &mut KMeansPartial,
    rows: &DatasetRef<'_>,
    labels: &mut [u32],
) -> Result<()> {
    match part {
        KMeansPartial::Sample(sample) => sample.add(rows, state.seed),
        KMeansPartial::Totals(totals) => totals.add(&state.centers, &state.cache, rows, labels),
        KMeansPartial::Farthest(farthest) => farthest.add(&state.centers, &state.cache, rows, labels),
    }
}

impl KMeans {
    fn enough_rows(&self, rows: u64) -> Result<()> {
        let k = self.range().0;
        if rows >= k as u64 {
            return Ok(());
        }
        Err(Error::Data(format!("there are {rows} rows, and {k} clusters need at least {k}; lower n_clusters")))
    }

    /// The centers of the next start, unless all were tried.
    fn next_start(&self, state: &KMeansState, cx: &Context<'_>) -> Result<Option<Mat<f64>>> {
        let init = self.init()?;
        match &state.sample {
            Some(sample) if state.run < self.starts(&init) => {
                let plus = matches!(init, KMeansInit::PlusPlus);
                sample.centers(state.k, plus, state.seed, state.run, cx).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// The centers of the first start of the next number of clusters, where several are tried.
    fn next_number(&self, state: &mut KMeansState, cx: &Context<'_>) -> Result<Option<Mat<f64>>> {
        let (ClusterCount::Rule(_), Some(most)) = (self.n_clusters, state.sample.as_ref().map(HashSample::len)) else {
            return Ok(None);
        };
        self.score_k(state);
        if state.k >= self.max_clusters.min(most) {
            return Ok(None);
        }
        state.k += 1;
        state.run = 0;
        self.next_start(state, cx)
    }

    /// Scores the best start of the present number of clusters.
    fn score_k(&self, state: &mut KMeansState) {
        if let (Some(sample), Some(best)) = (&state.sample, state.best.take()) {
            let alone = state.tried.first().filter(|t| t.1.clusters == 1).map(|t| t.1.inertia);
            let judge = choose_k::ClusterCountScorer { learner: self, sample, alone };
            let tried = judge.score(&best.centers, &best.sizes, best.inertia);
            state.tried.push((best, tried));
        }
    }

    /// The model of the best start; `cut` when not all were tried.
    fn outcome(&self, mut state: KMeansState, cut: bool) -> Result<KMeansModel> {
        let ClusterCount::Rule(rule) = self.n_clusters else {
            let best = state.best.map(|b| KMeansRun { converged: b.converged && !cut, ..b });
            return self.model(best, Vec::new(), cut);
        };
        self.score_k(&mut state);
        if state.tried.is_empty() {
            return self.model(None, Vec::new(), cut);
        }
        let table: Vec<ClusterCountScore> = state.tried.iter().map(|t| t.1).collect();
        let best = state.tried.swap_remove(choose_k::best(rule, &table)).0;
        self.model(Some(KMeansRun { converged: best.converged && !cut, ..best }), table, cut)
    }

    /// Moves every center to the mean of its rows, and decides the next phase.
    fn move_centers(&self, state: &mut KMeansState, totals: &LloydSums) {
        let (centers, shift) = totals.means(&state.centers);
        let tolerance = *state.tolerance.get_or_insert_with(|| self.tol * totals.mean_variance(&centers, &state.centers));
        state.centers = centers;
        state.cache = PackedCenters::default();
        let settled = shift <= tolerance;
        state.phase = if settled || state.iteration >= self.max_iter {
            KMeansPhase::FinalPass { settled }
        } else {
            KMeansPhase::LloydIteration
        };
    }

    fn model(&self, best: Option<KMeansRun>, tried: Vec<ClusterCountScore>, cut: bool) -> Result<KMeansModel> {
        let best = best.ok_or_else(|| Error::Data("no start led anywhere".into()))?;
        let mut notes = Vec::new();
        let empty = best.sizes.iter().filter(|&&w| w == 0.0).count();
        if empty > 0 && best.sizes.iter().any(|&w| w > 0.0) {
            let k = best.sizes.len();
            notes.push(format!("{} of {k} clusters have rows: the data has fewer distinct rows than clusters", k - empty));
        }
        if let (ClusterCount::Rule(rule), Some(last)) = (self.n_clusters, tried.last()) {
            let word = serde_json::to_value(rule).ok().and_then(|v| Some(v.as_str()?.to_owned())).unwrap_or_default();
            let (k, first) = (best.centers.rows(), rule.first());
            notes.push(format!("{k} clusters by the {word}, of {first} to {} that were tried", last.clusters));
        }
        if cut {
            notes.push(format!("stopped by the time limit after {} steps", best.iterations));
        } else if !best.converged {
            notes.push(format!("stopped after {} steps, before the centers settled", best.iterations));
        }
        let certificate = Certificate {
            method: "lloyd".into(),
            objective: Some(best.inertia),
            iterations: best.iterations,
            converged: best.converged,
            notes,
            ..Certificate::default()
        };
        let model = KMeansModel::new(best.centers, best.sizes, best.inertia, certificate, Some(best.trace), best.run);
        Ok(model.with_tried(tried))
    }
}
