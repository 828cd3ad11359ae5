//! Parallel loops over ranges, slices and vectors, in the words of `rayon::prelude`; without the feature `parallel` they run
//! on the calling thread, with the same results: devices and servers that predict row by row need no thread pool.
//!
//! Every loop is cut into pieces beforehand, and one function, compiled once, gives the pieces to the threads of the pool.
//! A parallel iterator of rayon is some kilobytes of code wherever it is used, with the body of the loop in it several
//! times; that was an eighth of the binary and more of the build.
//!
//! Results come in the order of the items. Where items fail, the error is that of the first of them, whatever the threads do.

mod iterators;
mod pieces;

pub use iterators::{
    Chunks, ChunksMut, Enumerate, FlatMap, Indices, IntoParallelIterator, Items, ItemsMut, Map, MapInit, ParallelSlice,
    ParallelSliceMut, PieceLimits, Vector, Zip,
};
pub use pieces::{Gather, ParallelIterator, PieceLengths};

#[cfg(feature = "parallel")]
pub use rayon::{current_num_threads, join};

/// Number of threads: the calling one.
#[cfg(not(feature = "parallel"))]
pub fn current_num_threads() -> usize {
    1
}

/// Runs both, one after the other.
#[cfg(not(feature = "parallel"))]
pub fn join<A, B>(a: impl FnOnce() -> A, b: impl FnOnce() -> B) -> (A, B) {
    (a(), b())
}

/// Sorts on all threads; equal items may change places.
pub fn sort_unstable<T: Ord + Send>(items: &mut [T]) {
    #[cfg(feature = "parallel")]
    rayon::slice::ParallelSliceMut::par_sort_unstable(items);
    #[cfg(not(feature = "parallel"))]
    items.sort_unstable();
}

/// What a module with parallel loops needs.
pub mod prelude {
    pub use super::{IntoParallelIterator, ParallelIterator, ParallelSlice, ParallelSliceMut};
}

#[cfg(all(test, feature = "parallel"))]
mod tests;
