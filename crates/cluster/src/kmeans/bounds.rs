//! Lower bounds on the distances of rows to centers for Lloyd's steps (Elkan, Yinyang), and when they pay.

use std::sync::atomic::{AtomicUsize, Ordering};

use ermine_core::{DatasetRef, Features, Mat};

use super::lloyd::PackedCenters;
use super::pass::{KMeansPhase, KMeansState};

/// Clusters from which on bounds can pay: comparing with fewer costs hardly more than reading the bounds (`cargo run
/// --release -p ermine-math --example bounds`).
const LEAST_CLUSTERS: usize = 32;

/// Cost of checking the bound of a row and a group and comparing them after all, in columns of f32 that could be
/// processed without bounds in the same time (from the same example).
const BOUND_COST: f64 = 33.0;
const DISTANCE_COST: f64 = 100.0;

/// Bounds that could save at most this share of the comparisons are not tried.
const MIN_SAVING: f64 = 0.1;

/// Steps of a start without bounds, while its centers move far.
const WARMUP_STEPS: u32 = 8;

/// Steps without bounds after they did not pay; doubled each time, up to the second number.
const PAUSE: u32 = 4;
const LONGEST_PAUSE: u32 = 32;

/// Memory limit of the bounds, relative to the rows.
const MOST_MEMORY: usize = 4;

/// Lower bounds on the distances of rows in memory from the centers.
pub(super) struct GroupBounds {
    worth_trying: bool,
    single: bool,
    /// One bound per row and group of centers.
    pub(super) lower: Vec<f32>,
    /// The centers to which the bounds refer.
    about: Option<(Mat<f64>, PackedCenters)>,
    start: (usize, u64),
    rest: u32,
    pause: u32,
    /// Pairs compared in this pass.
    pub(super) compared: AtomicUsize,
}

/// Inputs of a pass with bounds.
pub(super) struct CenterMoves {
    pub(super) groups: usize,
    pub(super) moves: Vec<f32>,
}

impl GroupBounds {
    pub(super) fn new(data: &DatasetRef<'_>) -> Self {
        let single = matches!(data.x, Features::F32(_));
        let worth_trying = !matches!(data.x, Features::Csr(_));
        Self {
            worth_trying,
            single,
            lower: Vec::new(),
            about: None,
            start: (0, 0),
            rest: WARMUP_STEPS,
            pause: PAUSE,
            compared: AtomicUsize::new(0),
        }
    }

    /// Bounds used in every step, whether they pay or not.
    #[cfg(test)]
    pub(super) fn always(data: &DatasetRef<'_>) -> Self {
        Self { rest: 0, pause: 0, ..Self::new(data) }
    }

    /// No bounds.
    #[cfg(test)]
    pub(super) fn never(data: &DatasetRef<'_>) -> Self {
        Self { worth_trying: false, ..Self::new(data) }
    }

    /// The share of remaining comparisons at which bounds cost as much as they save.
    fn break_even_share(&self, cols: usize) -> f64 {
        let work = if self.single { cols as f64 } else { 2.0 * cols as f64 };
        (work - BOUND_COST) / (work + DISTANCE_COST)
    }

    /// The bounds for the next pass, if they are worth using.
    pub(super) fn bounds_for_pass(&mut self, state: &KMeansState, rows: usize) -> Option<CenterMoves> {
        if !self.worth_trying || !matches!(state.phase, KMeansPhase::LloydIteration | KMeansPhase::FinalPass { .. }) {
            return None;
        }
        let (clusters, cols) = (state.centers.rows(), state.centers.cols());
        let size = if self.single { 4 } else { 8 };
        let trying = self.pause > 0;
        let groups = state.cache.groups(&state.centers, self.single);
        let hopeless = clusters < LEAST_CLUSTERS || self.break_even_share(cols) < MIN_SAVING;
        if (trying && hopeless) || 4 * groups > MOST_MEMORY * size * cols {
            return None;
        }
        let start = (clusters, state.run);
        if start != self.start {
            let rest = if trying { WARMUP_STEPS } else { 0 };
            (self.start, self.about, self.rest, self.pause) = (start, None, rest, self.pause.min(PAUSE));
        }
        if self.rest > 0 {
            self.rest -= 1;
            self.about = None;
            return None;
        }
        let moves = match &self.about {
            Some((old, cache)) => state.cache.center_moves(&state.centers, cache, old, self.single),
            None => {
                self.lower.clear();
                self.lower.resize(rows * groups, f32::NEG_INFINITY);
                vec![0.0; groups]
            }
        };
        *self.compared.get_mut() = 0;
        Some(CenterMoves { groups, moves })
    }

    /// Records the savings of a pass with bounds.
    pub(super) fn update_payoff(&mut self, state: &KMeansState, known: &CenterMoves, rows: usize) {
        let first = self.about.is_none();
        let share = self.compared.load(Ordering::Relaxed) as f64 / (rows * known.groups) as f64;
        if !first && share > self.break_even_share(state.centers.cols()) && self.pause > 0 {
            self.rest = self.pause;
            self.pause = (2 * self.pause).min(LONGEST_PAUSE);
            self.about = None;
        } else {
            self.about = Some((state.centers.clone(), state.cache.clone()));
        }
    }
}
