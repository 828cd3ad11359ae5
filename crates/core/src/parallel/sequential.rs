//! The part of rayon's interface that this project uses, on the calling thread.

/// Number of threads: the calling one.
pub fn current_num_threads() -> usize {
    1
}

/// Runs both, one after the other.
pub fn join<A, B>(a: impl FnOnce() -> A, b: impl FnOnce() -> B) -> (A, B) {
    (a(), b())
}

/// What `rayon::prelude` brings into scope.
pub mod prelude {
    pub use super::{IntoParallelIterator, ParallelSlice, ParallelSliceMut, ParallelSource, Sequential};
}

/// An iterator with the methods of a parallel one; those of [`Iterator`] that have the same meaning serve as they are.
#[derive(Debug, Clone)]
pub struct Sequential<I>(I);

impl<I: Iterator> Iterator for Sequential<I> {
    type Item = I::Item;
    fn next(&mut self) -> Option<I::Item> {
        self.0.next()
    }
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

/// Methods that have another meaning than those of [`Iterator`], or that it does not have.
impl<I: Iterator> Sequential<I> {
    /// Each item with its number.
    pub fn enumerate(self) -> Sequential<std::iter::Enumerate<I>> {
        Sequential(self.0.enumerate())
    }
    /// Each item with that of another.
    pub fn zip<Z: IntoIterator>(self, other: Z) -> Sequential<std::iter::Zip<I, Z::IntoIter>> {
        Sequential(self.0.zip(other))
    }
    /// What `f` makes of each item.
    pub fn map<T, F: FnMut(I::Item) -> T>(self, f: F) -> Sequential<std::iter::Map<I, F>> {
        Sequential(self.0.map(f))
    }
    /// What `f` makes of each item, with a scratch.
    pub fn map_init<S, T>(
        self,
        init: impl FnOnce() -> S,
        mut f: impl FnMut(&mut S, I::Item) -> T,
    ) -> Sequential<impl Iterator<Item = T>> {
        let mut scratch = init();
        Sequential(self.0.map(move |item| f(&mut scratch, item)))
    }
    /// The items that `f` keeps.
    pub fn filter<F: FnMut(&I::Item) -> bool>(self, f: F) -> Sequential<std::iter::Filter<I, F>> {
        Sequential(self.0.filter(f))
    }
    /// What `f` makes of each item, where it makes something.
    pub fn filter_map<T, F: FnMut(I::Item) -> Option<T>>(self, f: F) -> Sequential<std::iter::FilterMap<I, F>> {
        Sequential(self.0.filter_map(f))
    }
    /// All items of the iterators that `f` makes.
    pub fn flat_map_iter<T: IntoIterator, F: FnMut(I::Item) -> T>(self, f: F) -> Sequential<std::iter::FlatMap<I, T, F>> {
        Sequential(self.0.flat_map(f))
    }
    /// Calls `f` on each item, with a scratch.
    pub fn for_each_init<S>(self, init: impl FnOnce() -> S, mut f: impl FnMut(&mut S, I::Item)) {
        let mut scratch = init();
        self.0.for_each(|item| f(&mut scratch, item));
    }
    /// Calls `f` on each item, with a scratch, until the first error.
    pub fn try_for_each_init<S, E>(
        mut self,
        init: impl FnOnce() -> S,
        mut f: impl FnMut(&mut S, I::Item) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut scratch = init();
        self.0.try_for_each(|item| f(&mut scratch, item))
    }
    /// What `f` makes of the first item that it makes something of.
    pub fn find_map_first<T>(mut self, f: impl FnMut(I::Item) -> Option<T>) -> Option<T> {
        self.0.find_map(f)
    }
    /// All items in one.
    pub fn reduce(self, identity: impl FnOnce() -> I::Item, f: impl FnMut(I::Item, I::Item) -> I::Item) -> I::Item {
        self.0.fold(identity(), f)
    }
    /// Tasks of at least so many items: there is one.
    pub fn with_min_len(self, _: usize) -> Self {
        self
    }
    /// Tasks of at most so many items: there is one.
    pub fn with_max_len(self, _: usize) -> Self {
        self
    }
}

/// What can be iterated over by value.
pub trait IntoParallelIterator: IntoIterator + Sized {
    /// Its items.
    fn into_par_iter(self) -> Sequential<Self::IntoIter> {
        Sequential(self.into_iter())
    }
}

impl<I: IntoIterator> IntoParallelIterator for I {}

/// What can be iterated over by reference.
pub trait ParallelSource<T> {
    /// References to its items.
    fn par_iter(&self) -> Sequential<std::slice::Iter<'_, T>>;
    /// Mutable references to its items.
    fn par_iter_mut(&mut self) -> Sequential<std::slice::IterMut<'_, T>>;
}

impl<T> ParallelSource<T> for [T] {
    fn par_iter(&self) -> Sequential<std::slice::Iter<'_, T>> {
        Sequential(self.iter())
    }
    fn par_iter_mut(&mut self) -> Sequential<std::slice::IterMut<'_, T>> {
        Sequential(self.iter_mut())
    }
}

/// Slices.
pub trait ParallelSlice<T> {
    /// Parts of so many items, the last one shorter.
    fn par_chunks(&self, size: usize) -> Sequential<std::slice::Chunks<'_, T>>;
}

impl<T> ParallelSlice<T> for [T] {
    fn par_chunks(&self, size: usize) -> Sequential<std::slice::Chunks<'_, T>> {
        Sequential(self.chunks(size))
    }
}

/// Mutable slices.
pub trait ParallelSliceMut<T> {
    /// Mutable parts of so many items, the last one shorter.
    fn par_chunks_mut(&mut self, size: usize) -> Sequential<std::slice::ChunksMut<'_, T>>;
    /// Sorts.
    fn par_sort_unstable(&mut self)
    where
        T: Ord;
}

impl<T> ParallelSliceMut<T> for [T] {
    fn par_chunks_mut(&mut self, size: usize) -> Sequential<std::slice::ChunksMut<'_, T>> {
        Sequential(self.chunks_mut(size))
    }
    fn par_sort_unstable(&mut self)
    where
        T: Ord,
    {
        self.sort_unstable();
    }
}
