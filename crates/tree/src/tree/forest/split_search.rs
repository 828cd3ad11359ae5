//! The best split of a node on one column.

use ermine_core::RngStream;
use serde::{Deserialize, Serialize};

use super::super::grow::GrowOptions;
use super::super::split::between;
use super::bins::{BinStorage, BinnedColumn, BinnedData, MISSING, MISSING_RANK};
use super::kind::{BinnedCriterion, NodeRow};

/// How a split cuts a column.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) enum BinRule {
    /// Bins up to this one go left; the threshold.
    UpTo(u32, f64),
    /// These bins go left, ascending.
    Bins(Vec<u32>),
}

/// A split of a node.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct BinnedSplit<S> {
    pub gain: f64,
    pub feature: u32,
    pub cut: BinRule,
    /// Whether missing values go left; meaningful when the node has some.
    pub missing_left: bool,
    /// Whether the node has missing values in the column.
    pub missing: bool,
    /// The sum on the left.
    pub left: S,
}

impl<S> BinnedSplit<S> {
    /// The same split with its sum in another form.
    pub fn with_left<T>(&self, left: T) -> BinnedSplit<T> {
        let Self { gain, feature, missing_left, missing, .. } = *self;
        BinnedSplit { gain, feature, cut: self.cut.clone(), missing_left, missing, left }
    }
}

/// Constraints on every split.
#[derive(Clone, Copy, Debug)]
pub(super) struct BinSplitLimits {
    pub min_rows: usize,
    pub min_weight: f64,
}

impl BinSplitLimits {
    /// For a tree whose rows have this weight.
    pub fn new(settings: &GrowOptions, weight: f64) -> Self {
        Self { min_rows: settings.min_leaf.max(1), min_weight: settings.min_weight * weight }
    }
}

/// Room for the search, kept from node to node.
pub(super) struct SplitScratch<K: BinnedCriterion> {
    table: Box<[K::Sum; 256]>,
    /// The bins of the node in ascending order, with their sums.
    cells: Vec<(u32, K::Sum)>,
    missing: K::Sum,
    keys: Vec<u64>,
    spare: Vec<u64>,
}

/// Rows up to which the bins that are met are noted one by one instead of looking through all of them.
const FEW: usize = 192;
/// Rows up to which cells are read by row.
pub(super) const BY_ROW: usize = 4096;

impl<K: BinnedCriterion> SplitScratch<K> {
    pub fn new() -> Self {
        Self {
            table: Box::new([K::Sum::default(); 256]),
            cells: Vec::new(),
            missing: K::Sum::default(),
            keys: Vec::new(),
            spare: Vec::new(),
        }
    }

    /// Sums the rows of a node by bin, for the search that follows.
    pub fn accumulate(&mut self, binned: &BinnedData, column: &BinnedColumn, entries: &[NodeRow<K::Load>]) {
        self.cells.clear();
        self.missing = K::Sum::default();
        match &column.place {
            BinStorage::Narrow(place) if entries.len() <= BY_ROW => {
                let (cells, stride, place) = (binned.rows_of_cells(), binned.narrow, *place);
                self.gather_narrow(column.bins(), entries, |row| cells[row as usize * stride + place]);
            }
            BinStorage::Narrow(place) => {
                let cells = binned.column(*place);
                self.gather_narrow(column.bins(), entries, |row| cells[row as usize]);
            }
            BinStorage::Wide(ranks) => self.gather_wide(ranks, entries),
        }
    }

    #[inline(always)]
    fn gather_narrow(&mut self, bins: usize, entries: &[NodeRow<K::Load>], bin: impl Fn(u32) -> u8) {
        let table = &mut self.table;
        if entries.len() <= FEW {
            let mut met = [0u64; 4];
            for e in entries {
                let b = bin(e.row);
                met[usize::from(b >> 6)] |= 1 << (b & 63);
                K::add(&mut table[usize::from(b)], e.load);
            }
            for (word, &bits) in met.iter().enumerate() {
                let mut bits = bits;
                while bits != 0 {
                    let b = word * 64 + bits.trailing_zeros() as usize;
                    bits &= bits - 1;
                    let sum = std::mem::take(&mut table[b & 255]);
                    self.cells.push((b as u32, sum));
                }
            }
            if let Some(&(b, sum)) = self.cells.last()
                && b == u32::from(MISSING)
            {
                self.missing = sum;
                self.cells.pop();
            }
        } else {
            for e in entries {
                K::add(&mut table[usize::from(bin(e.row))], e.load);
            }
            for (b, sum) in table[..bins].iter_mut().enumerate() {
                if K::rows(sum) > 0 {
                    self.cells.push((b as u32, std::mem::take(sum)));
                }
            }
            self.missing = std::mem::take(&mut table[usize::from(MISSING)]);
        }
    }

    fn gather_wide(&mut self, ranks: &[u32], entries: &[NodeRow<K::Load>]) {
        self.keys.clear();
        for (i, e) in entries.iter().enumerate() {
            let rank = ranks[e.row as usize];
            if rank == MISSING_RANK {
                K::add(&mut self.missing, e.load);
            } else {
                self.keys.push(u64::from(rank) << 32 | i as u64);
            }
        }
        sort_by_rank(&mut self.keys, &mut self.spare);
        let mut last = None;
        for &key in &self.keys {
            let rank = (key >> 32) as u32;
            if last != Some(rank) {
                self.cells.push((rank, K::Sum::default()));
                last = Some(rank);
            }
            let at = self.cells.len() - 1;
            K::add(&mut self.cells[at].1, entries[key as u32 as usize].load);
        }
    }

    /// Takes sums by bin, that of missing values last, for the search that follows; each is of `width` numbers.
    pub fn load(&mut self, kind: &K, sums: &[i64], width: usize) {
        self.cells.clear();
        let bins = sums.len() / width - 1;
        for (b, steps) in sums.chunks_exact(width).enumerate().take(bins) {
            if steps[0] > 0 {
                self.cells.push((b as u32, kind.sum_of_steps(steps)));
            }
        }
        self.missing = kind.sum_of_steps(&sums[bins * width..]);
    }

    /// The bins that the node has.
    pub fn bins(&self) -> Vec<u32> {
        self.cells.iter().map(|c| c.0).collect()
    }

    /// The split on a column whose sums are there: one that is drawn, given random numbers, else the best. None when the column is
    /// constant, Some(None) when nothing is allowed.
    pub fn split(
        &mut self,
        kind: &K,
        (column, feature): (&BinnedColumn, u32),
        all: &K::Sum,
        limits: &BinSplitLimits,
        stream: Option<RngStream>,
    ) -> Option<Option<BinnedSplit<K::Sum>>> {
        let missing = K::rows(&self.missing) > 0;
        if self.cells.len() + usize::from(missing) <= 1 {
            return None;
        }
        Some(match stream {
            Some(stream) => self.draw(kind, (column, feature), all, limits, stream),
            None if column.codes.is_some() => self.best_category_set(kind, feature, all, limits, missing),
            None => self.best_threshold(kind, (column, feature), all, limits, missing),
        })
    }

    fn best_threshold(
        &self,
        kind: &K,
        (column, feature): (&BinnedColumn, u32),
        all: &K::Sum,
        limits: &BinSplitLimits,
        missing: bool,
    ) -> Option<BinnedSplit<K::Sum>> {
        self.sweep(kind, all, limits, f64::NEG_INFINITY).map(|(gain, at, missing_left, left)| {
            let bin = self.cells[at - 1].0;
            let threshold = match self.cells.get(at) {
                Some(next) => between(column.high[bin as usize], column.low[next.0 as usize]),
                // Every value goes left and only the missing ones right.
                None => f64::INFINITY,
            };
            BinnedSplit { gain, feature, cut: BinRule::UpTo(bin, threshold), missing_left, missing, left }
        })
    }

    /// The best beginning of the cells: its gain, its length, the side of the missing values and the sum on the left. Of
    /// equals the first: missing values right, then left; short beginnings before long ones.
    #[inline(always)]
    fn sweep(&self, kind: &K, all: &K::Sum, limits: &BinSplitLimits, floor: f64) -> Option<(f64, usize, bool, K::Sum)> {
        let missing = K::rows(&self.missing) > 0;
        let rows = K::rows(all);
        let mut best = (floor, 0, false, K::Sum::default());
        for missing_left in [false, true] {
            if missing_left && !missing {
                break;
            }
            let mut left = if missing_left { self.missing } else { K::Sum::default() };
            // All values against the missing ones is a split too.
            let most = if missing && !missing_left { self.cells.len() } else { self.cells.len() - 1 };
            for (i, (_, sum)) in self.cells[..most].iter().enumerate() {
                K::merge(&mut left, sum);
                let here = K::rows(&left);
                if here < limits.min_rows || rows - here < limits.min_rows {
                    continue;
                }
                let gain = kind.gain(&left, all);
                if gain > best.0 {
                    if limits.min_weight > 0.0 {
                        let (l, w) = (kind.weight(&left), kind.weight(all));
                        if l < limits.min_weight || w - l < limits.min_weight {
                            continue;
                        }
                    }
                    best = (gain, i + 1, missing_left, left);
                }
            }
        }
        (best.1 > 0).then_some(best)
    }

    /// The best of the splits that put a beginning of an ordered list of categories on the left: the best of all sets for
    /// two classes and for one target (Fisher 1958; Breiman and others 1984); for more classes each class in turn is set
    /// against the rest.
    fn best_category_set(
        &mut self,
        kind: &K,
        feature: u32,
        all: &K::Sum,
        limits: &BinSplitLimits,
        missing: bool,
    ) -> Option<BinnedSplit<K::Sum>> {
        let mut best: Option<BinnedSplit<K::Sum>> = None;
        // With very many classes and categories only some classes take their turn, so that a node stays affordable.
        const WORK: usize = 1 << 24;
        let affordable = (WORK / (self.cells.len() * kind.orders()).max(1)).max(1);
        for order in 0..kind.orders().min(affordable) {
            self.cells.sort_by(|a, b| kind.key(&a.1, order).total_cmp(&kind.key(&b.1, order)).then(a.0.cmp(&b.0)));
            let floor = best.as_ref().map_or(f64::NEG_INFINITY, |b| b.gain);
            if let Some((gain, at, missing_left, left)) = self.sweep(kind, all, limits, floor) {
                let mut bins: Vec<u32> = self.cells[..at].iter().map(|c| c.0).collect();
                bins.sort_unstable();
                best = Some(BinnedSplit { gain, feature, cut: BinRule::Bins(bins), missing_left, missing, left });
            }
        }
        best
    }

    /// A split drawn at random: a threshold between least and greatest value, a random set of categories, a random side
    /// for missing values. None when it is not allowed.
    fn draw(
        &self,
        kind: &K,
        (column, feature): (&BinnedColumn, u32),
        all: &K::Sum,
        limits: &BinSplitLimits,
        mut stream: RngStream,
    ) -> Option<BinnedSplit<K::Sum>> {
        let missing = K::rows(&self.missing) > 0;
        let mut missing_left = missing && stream.below(2) == 1;
        let mut left = K::Sum::default();
        let cut = if column.codes.is_some() {
            let mut order: Vec<usize> = if self.cells.len() > 1 {
                let mut order = stream.permutation(self.cells.len());
                order.truncate(1 + stream.below(self.cells.len() - 1));
                order
            } else {
                // One value and missing ones: the only possible split.
                missing_left = false;
                vec![0]
            };
            order.sort_unstable();
            order.iter().for_each(|&i| K::merge(&mut left, &self.cells[i].1));
            BinRule::Bins(order.iter().map(|&i| self.cells[i].0).collect())
        } else if self.cells.len() == 1 {
            missing_left = false;
            left = self.cells[0].1;
            BinRule::UpTo(self.cells[0].0, f64::INFINITY)
        } else {
            let (first, last) = (self.cells[0].0 as usize, self.cells[self.cells.len() - 1].0 as usize);
            let (low, high) = (column.low[first], column.high[last]);
            let share = stream.uniform();
            let drawn = low * (1.0 - share) + high * share;
            // A bin that the threshold meets goes left whole, but the last one never does.
            let at = self.cells.partition_point(|c| column.low[c.0 as usize] <= drawn).clamp(1, self.cells.len() - 1);
            self.cells[..at].iter().for_each(|c| K::merge(&mut left, &c.1));
            let (edge, next) = (self.cells[at - 1].0, self.cells[at].0);
            let inside = column.high[edge as usize] <= drawn && drawn < column.low[next as usize];
            let threshold = if inside { drawn } else { between(column.high[edge as usize], column.low[next as usize]) };
            BinRule::UpTo(edge, threshold)
        };
        if missing_left {
            K::merge(&mut left, &self.missing);
        }
        let here = K::rows(&left);
        let enough = here >= limits.min_rows && K::rows(all) - here >= limits.min_rows;
        let heavy = limits.min_weight <= 0.0
            || kind.weight(&left) >= limits.min_weight && kind.weight(all) - kind.weight(&left) >= limits.min_weight;
        let gain = if enough && heavy { kind.gain(&left, all) } else { f64::NEG_INFINITY };
        (gain > f64::NEG_INFINITY).then_some(BinnedSplit { gain, feature, cut, missing_left, missing, left })
    }
}

/// Sorts keys by their upper half; stable.
fn sort_by_rank(keys: &mut Vec<u64>, spare: &mut Vec<u64>) {
    if keys.len() < 1024 {
        // The lower half is the place in the node, so that this is stable too.
        keys.sort_unstable();
        return;
    }
    let top = keys.iter().fold(0, |m, &k| m | k >> 32);
    spare.resize(keys.len(), 0);
    let mut shift = 32;
    while top >> (shift - 32) != 0 {
        let mut counts = [0u32; 2048];
        keys.iter().for_each(|k| counts[(k >> shift) as usize & 2047] += 1);
        let mut next = 0;
        for c in counts.iter_mut() {
            let start = next;
            next += *c;
            *c = start;
        }
        for &k in keys.iter() {
            let at = &mut counts[(k >> shift) as usize & 2047];
            spare[*at as usize] = k;
            *at += 1;
        }
        std::mem::swap(keys, spare);
        shift += 11;
    }
}
