//! Cutting a loop into pieces, and running them.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::{Enumerate, FlatMap, IntoParallelIterator, Map, MapInit, PieceLimits, Zip};

/// Pieces per thread, so that threads that are done early find more to do.
const PIECES_PER_THREAD: usize = 64;

/// Bounds on the items of a piece.
#[derive(Debug, Clone, Copy)]
pub struct PieceLengths {
    pub(super) min: usize,
    pub(super) max: usize,
}

impl Default for PieceLengths {
    fn default() -> Self {
        Self { min: 1, max: usize::MAX }
    }
}

impl PieceLengths {
    /// The number of pieces for so many items.
    fn count(self, items: usize) -> usize {
        let threads = super::current_num_threads();
        if threads == 1 {
            return items.min(1);
        }
        (items / self.min.max(1)).clamp(items.min(1), threads * PIECES_PER_THREAD).max(items.div_ceil(self.max.max(1)))
    }
}

/// Items that can be cut into two parts, each of which a thread goes through.
pub trait ParallelIterator: Send + Sized {
    /// What the loop runs over.
    type Item;
    /// The items one after the other.
    type Sequence: Iterator<Item = Self::Item>;

    /// Number of items.
    fn items(&self) -> usize;
    /// The first `at` items, and the others.
    fn split_at(self, at: usize) -> (Self, Self);
    /// The items one after the other.
    fn sequence(self) -> Self::Sequence;
    /// Bounds on the items of a piece.
    fn piece_lengths(&self) -> PieceLengths {
        PieceLengths::default()
    }

    /// Items with their numbers.
    fn enumerate(self) -> Enumerate<Self> {
        Enumerate { base: self, first: 0 }
    }
    /// Pairs with the items of another iterator, as many as the shorter has.
    fn zip<B: IntoParallelIterator>(self, other: B) -> Zip<Self, B::Iter> {
        Zip { left: self, right: other.into_par_iter() }
    }
    /// At least so many items to a piece, since each is little work.
    fn with_min_len(self, min: usize) -> PieceLimits<Self> {
        let lengths = PieceLengths { min, ..self.piece_lengths() };
        PieceLimits { base: self, lengths }
    }
    /// At most so many items to a piece.
    fn with_max_len(self, max: usize) -> PieceLimits<Self> {
        let lengths = PieceLengths { max, ..self.piece_lengths() };
        PieceLimits { base: self, lengths }
    }
    /// What `each` makes of each item, to be collected.
    fn map<T, F: Fn(Self::Item) -> T + Sync>(self, each: F) -> Map<Self, F> {
        Map { base: self, each }
    }
    /// As [`Self::map`], with a state that `init` makes for some items in turn: room for intermediate results.
    fn map_init<S, T, I, F>(self, init: I, each: F) -> MapInit<Self, I, F>
    where
        I: Fn() -> S + Sync,
        F: Fn(&mut S, Self::Item) -> T + Sync,
    {
        MapInit { base: self, init, each }
    }
    /// All of what `each` makes of each item, to be collected.
    fn flat_map_iter<T: IntoIterator, F: Fn(Self::Item) -> T + Sync>(self, each: F) -> FlatMap<Self, F> {
        FlatMap { base: self, each }
    }
    /// Runs `each` on every item.
    fn for_each(self, each: impl Fn(Self::Item) + Sync) {
        run_pieces(self, &|| (), &|(), piece: Self| piece.sequence().for_each(&each));
    }
    /// As [`Self::for_each`], with a state that `init` makes for some items in turn.
    fn for_each_init<S>(self, init: impl Fn() -> S + Sync, each: impl Fn(&mut S, Self::Item) + Sync) {
        run_pieces(self, &init, &|state, piece: Self| piece.sequence().for_each(|item| each(state, item)));
    }
    /// Runs `each` on the items; the error is that of the first item that has one.
    fn try_for_each<E: Send>(self, each: impl Fn(Self::Item) -> Result<(), E> + Sync) -> Result<(), E> {
        Gather::join(run_pieces(self, &|| (), &|(), piece: Self| piece.sequence().try_for_each(&each)))
    }
    /// As [`Self::try_for_each`], with a state that `init` makes for some items in turn.
    fn try_for_each_init<S, E: Send>(
        self,
        init: impl Fn() -> S + Sync,
        each: impl Fn(&mut S, Self::Item) -> Result<(), E> + Sync,
    ) -> Result<(), E> {
        let piece = |state: &mut S, piece: Self| piece.sequence().try_for_each(|item| each(state, item));
        Gather::join(run_pieces(self, &init, &piece))
    }
}

/// The result of a loop, put together from those of its pieces in their order.
pub trait Gather: Send + Sized {
    /// The result of the whole.
    fn join(parts: Vec<Self>) -> Self;
    /// Whether pieces behind this one need not be run.
    fn is_failure(&self) -> bool {
        false
    }
}

impl Gather for () {
    fn join(_: Vec<Self>) -> Self {}
}

impl<T: Send> Gather for Vec<T> {
    fn join(parts: Vec<Self>) -> Self {
        let count: usize = parts.iter().map(Vec::len).sum();
        let mut parts = parts.into_iter();
        let mut all = parts.next().unwrap_or_default();
        all.reserve_exact(count - all.len());
        parts.for_each(|mut part| all.append(&mut part));
        all
    }
}

impl<T: Gather, E: Send> Gather for Result<T, E> {
    fn join(parts: Vec<Self>) -> Self {
        parts.into_iter().collect::<Result<Vec<T>, E>>().map(T::join)
    }
    fn is_failure(&self) -> bool {
        self.is_err()
    }
}

/// Runs `each` on pieces of `items`, and gives its results in order, up to the first failure.
pub(super) fn run_pieces<P: ParallelIterator, S, R: Gather>(
    items: P,
    init: &(dyn Fn() -> S + Sync),
    each: &(dyn Fn(&mut S, P) -> R + Sync),
) -> Vec<R> {
    let (length, count) = (items.items(), items.piece_lengths().count(items.items()));
    if count <= 1 {
        return if length == 0 { Vec::new() } else { vec![each(&mut init(), items)] };
    }
    let mut rest = items;
    let mut pieces: Vec<Mutex<Option<P>>> = Vec::with_capacity(count);
    // From the end, so that what a vector has before is not moved.
    for k in (1..count).rev() {
        let (before, piece) = rest.split_at(length / count * k + (length % count).min(k));
        pieces.push(Mutex::new(Some(piece)));
        rest = before;
    }
    pieces.push(Mutex::new(Some(rest)));
    let results: Vec<Mutex<Option<R>>> = (0..count).map(|_| Mutex::new(None)).collect();
    let failed = AtomicUsize::new(usize::MAX);
    run(count, &|range| {
        let mut state = init();
        for k in range {
            if k > failed.load(Ordering::Relaxed) {
                return;
            }
            let piece = pieces[count - 1 - k].lock().unwrap_or_else(PoisonError::into_inner).take();
            let Some(piece) = piece else { continue };
            let result = each(&mut state, piece);
            if result.is_failure() {
                failed.fetch_min(k, Ordering::Relaxed);
            }
            *results[k].lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
        }
    });
    results.into_iter().map_while(|r| r.into_inner().unwrap_or_else(PoisonError::into_inner)).collect()
}

#[cfg(not(feature = "parallel"))]
fn run(count: usize, each: &(dyn Fn(Range<usize>) + Sync)) {
    each(0..count);
}

/// Runs `each` on ranges that cover `0..count`: whole parts as long as nobody is idle, smaller ones where a thread comes
/// for more.
#[cfg(feature = "parallel")]
fn run(count: usize, each: &(dyn Fn(Range<usize>) + Sync)) {
    fn part(range: Range<usize>, splits: usize, each: &(dyn Fn(Range<usize>) + Sync)) {
        if range.len() < 2 || splits == 0 {
            return each(range);
        }
        let middle = range.start + range.len() / 2;
        let splits_of = |stolen: bool| if stolen { splits.max(rayon::current_num_threads()) } else { splits / 2 };
        rayon::join_context(
            |c| part(range.start..middle, splits_of(c.migrated()), each),
            |c| part(middle..range.end, splits_of(c.migrated()), each),
        );
    }
    part(0..count, rayon::current_num_threads(), each);
}
