//! The nearest rows found so far.

use std::collections::BinaryHeap;

/// A row and its distance, ordered by distance and then by row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Neighbor {
    pub(super) distance: f64,
    pub(super) row: u32,
}

impl Eq for Neighbor {}
impl PartialOrd for Neighbor {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Neighbor {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.distance.total_cmp(&other.distance).then(self.row.cmp(&other.row))
    }
}

/// The `k` least of the pushed rows.
#[derive(Debug)]
pub(super) struct TopK {
    k: usize,
    heap: BinaryHeap<Neighbor>,
}

impl TopK {
    pub(super) fn new(k: usize) -> Self {
        Self { k, heap: BinaryHeap::with_capacity(k) }
    }

    #[inline]
    pub(super) fn push(&mut self, found: Neighbor) {
        if self.heap.len() < self.k {
            self.heap.push(found);
        } else if let Some(mut worst) = self.heap.peek_mut()
            && found < *worst
        {
            *worst = found;
        }
    }

    /// The distance that a row must not exceed to be among the `k`.
    #[inline]
    pub(super) fn limit(&self) -> f64 {
        match self.heap.peek() {
            Some(worst) if self.heap.len() == self.k => worst.distance,
            _ => f64::INFINITY,
        }
    }

    /// From near to far.
    pub(super) fn into_sorted(self) -> Vec<Neighbor> {
        self.heap.into_sorted_vec()
    }
}

/// Rows whose scores are known up to an error, and the bound that decides which of them can still be among the nearest.
#[derive(Debug)]
pub(super) struct Candidates {
    k: usize,
    /// The k least upper ends of scores.
    tops: BinaryHeap<OrdF64>,
    /// Lower ends of the scores, and rows.
    pub(super) pending: Vec<(f64, u32)>,
    /// No row with a score above it can be among the nearest.
    pub(super) bound: f64,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct OrdF64(f64);
impl Eq for OrdF64 {}
impl PartialOrd for OrdF64 {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for OrdF64 {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl Candidates {
    /// For the `k` nearest rows.
    pub(super) fn nearest(k: usize) -> Self {
        Self { k, tops: BinaryHeap::with_capacity(k), pending: Vec::with_capacity(4 * k), bound: f64::INFINITY }
    }

    /// For all rows with a score up to `bound`.
    pub(super) fn within(bound: f64) -> Self {
        Self { k: 0, tops: BinaryHeap::new(), pending: Vec::new(), bound }
    }

    /// Adds a row whose score is `score`, give or take `error`.
    #[inline]
    pub(super) fn push_candidate(&mut self, score: f64, error: f64, row: u32) {
        if score - error > self.bound {
            return;
        }
        self.pending.push((score - error, row));
        if self.k == 0 {
            return;
        }
        let top = OrdF64(score + error);
        if self.tops.len() < self.k {
            self.tops.push(top);
            if self.tops.len() < self.k {
                return;
            }
        } else if let Some(mut worst) = self.tops.peek_mut() {
            if top >= *worst {
                return;
            }
            *worst = top;
        }
        if let Some(worst) = self.tops.peek() {
            self.bound = self.bound.min(worst.0);
        }
    }

    /// Whether so many rows are pending that they should be measured.
    #[inline]
    pub(super) fn is_full(&self) -> bool {
        self.pending.len() >= 1024 + 4 * self.k
    }

    /// The pending rows that can still be among the nearest.
    pub(super) fn drain(&mut self) -> impl Iterator<Item = u32> + '_ {
        let bound = self.bound;
        self.pending.drain(..).filter(move |(low, _)| *low <= bound).map(|(_, row)| row)
    }
}
