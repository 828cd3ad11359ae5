//! What loops run over: ranges, slices, chunks and vectors, numbered or side by side.

use std::ops::Range;

use super::pieces::{Gather, ParallelIterator, PieceLengths, run_pieces};

/// What can be looped over in parallel.
pub trait IntoParallelIterator {
    /// The iterator.
    type Iter: ParallelIterator;
    /// Loops over the items.
    fn into_par_iter(self) -> Self::Iter;
}

impl<P: ParallelIterator> IntoParallelIterator for P {
    type Iter = P;
    fn into_par_iter(self) -> P {
        self
    }
}

/// A range of numbers.
#[derive(Debug)]
pub struct Indices<T>(Range<T>);

macro_rules! indices {
    ($($number:ty),*) => {$(
        impl IntoParallelIterator for Range<$number> {
            type Iter = Indices<$number>;
            fn into_par_iter(self) -> Indices<$number> {
                Indices(self)
            }
        }

        impl ParallelIterator for Indices<$number> {
            type Item = $number;
            type Sequence = Range<$number>;
            fn items(&self) -> usize {
                self.0.end.saturating_sub(self.0.start) as usize
            }
            fn split_at(self, at: usize) -> (Self, Self) {
                let middle = self.0.start + at as $number;
                (Self(self.0.start..middle), Self(middle..self.0.end))
            }
            fn sequence(self) -> Range<$number> {
                self.0
            }
        }
    )*};
}
indices!(u32, u64, usize);

/// The items of a slice.
#[derive(Debug)]
pub struct Items<'a, T>(&'a [T]);

impl<'a, T: Sync> ParallelIterator for Items<'a, T> {
    type Item = &'a T;
    type Sequence = std::slice::Iter<'a, T>;
    fn items(&self) -> usize {
        self.0.len()
    }
    fn split_at(self, at: usize) -> (Self, Self) {
        let (left, right) = self.0.split_at(at);
        (Self(left), Self(right))
    }
    fn sequence(self) -> Self::Sequence {
        self.0.iter()
    }
}

/// The items of a slice, to be changed.
#[derive(Debug)]
pub struct ItemsMut<'a, T>(&'a mut [T]);

impl<'a, T: Send> ParallelIterator for ItemsMut<'a, T> {
    type Item = &'a mut T;
    type Sequence = std::slice::IterMut<'a, T>;
    fn items(&self) -> usize {
        self.0.len()
    }
    fn split_at(self, at: usize) -> (Self, Self) {
        let (left, right) = self.0.split_at_mut(at);
        (Self(left), Self(right))
    }
    fn sequence(self) -> Self::Sequence {
        self.0.iter_mut()
    }
}

/// The items of a vector, by value.
#[derive(Debug)]
pub struct Vector<T>(Vec<T>);

impl<T: Send> ParallelIterator for Vector<T> {
    type Item = T;
    type Sequence = std::vec::IntoIter<T>;
    fn items(&self) -> usize {
        self.0.len()
    }
    fn split_at(mut self, at: usize) -> (Self, Self) {
        let right = self.0.split_off(at);
        (self, Self(right))
    }
    fn sequence(self) -> Self::Sequence {
        self.0.into_iter()
    }
}

/// A slice by chunks.
#[derive(Debug)]
pub struct Chunks<'a, T>(&'a [T], usize);

impl<'a, T: Sync> ParallelIterator for Chunks<'a, T> {
    type Item = &'a [T];
    type Sequence = std::slice::Chunks<'a, T>;
    fn items(&self) -> usize {
        self.0.len().div_ceil(self.1)
    }
    fn split_at(self, at: usize) -> (Self, Self) {
        let (left, right) = self.0.split_at(self.0.len().min(at * self.1));
        (Self(left, self.1), Self(right, self.1))
    }
    fn sequence(self) -> Self::Sequence {
        self.0.chunks(self.1)
    }
}

/// A slice by chunks, to be changed.
#[derive(Debug)]
pub struct ChunksMut<'a, T>(&'a mut [T], usize);

impl<'a, T: Send> ParallelIterator for ChunksMut<'a, T> {
    type Item = &'a mut [T];
    type Sequence = std::slice::ChunksMut<'a, T>;
    fn items(&self) -> usize {
        self.0.len().div_ceil(self.1)
    }
    fn split_at(self, at: usize) -> (Self, Self) {
        let (left, right) = self.0.split_at_mut(self.0.len().min(at * self.1));
        (Self(left, self.1), Self(right, self.1))
    }
    fn sequence(self) -> Self::Sequence {
        self.0.chunks_mut(self.1)
    }
}

impl<T: Send> IntoParallelIterator for Vec<T> {
    type Iter = Vector<T>;
    fn into_par_iter(self) -> Vector<T> {
        Vector(self)
    }
}

impl<'a, T: Sync> IntoParallelIterator for &'a [T] {
    type Iter = Items<'a, T>;
    fn into_par_iter(self) -> Items<'a, T> {
        Items(self)
    }
}

impl<'a, T: Sync> IntoParallelIterator for &'a Vec<T> {
    type Iter = Items<'a, T>;
    fn into_par_iter(self) -> Items<'a, T> {
        Items(self)
    }
}

impl<'a, T: Send> IntoParallelIterator for &'a mut [T] {
    type Iter = ItemsMut<'a, T>;
    fn into_par_iter(self) -> ItemsMut<'a, T> {
        ItemsMut(self)
    }
}

impl<'a, T: Send> IntoParallelIterator for &'a mut Vec<T> {
    type Iter = ItemsMut<'a, T>;
    fn into_par_iter(self) -> ItemsMut<'a, T> {
        ItemsMut(self)
    }
}

/// Parallel loops over the items of a slice.
pub trait ParallelSlice<T> {
    /// Loops over the items.
    fn par_iter(&self) -> Items<'_, T>;
    /// Loops over chunks of `size` items, the last one shorter.
    fn par_chunks(&self, size: usize) -> Chunks<'_, T>;
}

impl<T: Sync> ParallelSlice<T> for [T] {
    fn par_iter(&self) -> Items<'_, T> {
        Items(self)
    }
    fn par_chunks(&self, size: usize) -> Chunks<'_, T> {
        assert!(size > 0, "chunks of 0 items");
        Chunks(self, size)
    }
}

/// Parallel loops that change the items of a slice.
pub trait ParallelSliceMut<T> {
    /// Loops over the items.
    fn par_iter_mut(&mut self) -> ItemsMut<'_, T>;
    /// Loops over chunks of `size` items, the last one shorter.
    fn par_chunks_mut(&mut self, size: usize) -> ChunksMut<'_, T>;
}

impl<T: Send> ParallelSliceMut<T> for [T] {
    fn par_iter_mut(&mut self) -> ItemsMut<'_, T> {
        ItemsMut(self)
    }
    fn par_chunks_mut(&mut self, size: usize) -> ChunksMut<'_, T> {
        assert!(size > 0, "chunks of 0 items");
        ChunksMut(self, size)
    }
}

/// Items with their numbers.
#[derive(Debug)]
pub struct Enumerate<P> {
    pub(super) base: P,
    pub(super) first: usize,
}

impl<P: ParallelIterator> ParallelIterator for Enumerate<P> {
    type Item = (usize, P::Item);
    type Sequence = std::iter::Zip<Range<usize>, P::Sequence>;
    fn items(&self) -> usize {
        self.base.items()
    }
    fn split_at(self, at: usize) -> (Self, Self) {
        let (left, right) = self.base.split_at(at);
        (Self { base: left, first: self.first }, Self { base: right, first: self.first + at })
    }
    fn sequence(self) -> Self::Sequence {
        (self.first..self.first + self.base.items()).zip(self.base.sequence())
    }
    fn piece_lengths(&self) -> PieceLengths {
        self.base.piece_lengths()
    }
}

/// Two iterators side by side.
#[derive(Debug)]
pub struct Zip<A, B> {
    pub(super) left: A,
    pub(super) right: B,
}

impl<A: ParallelIterator, B: ParallelIterator> ParallelIterator for Zip<A, B> {
    type Item = (A::Item, B::Item);
    type Sequence = std::iter::Zip<A::Sequence, B::Sequence>;
    fn items(&self) -> usize {
        self.left.items().min(self.right.items())
    }
    fn split_at(self, at: usize) -> (Self, Self) {
        let (left, right) = (self.left.split_at(at), self.right.split_at(at));
        (Self { left: left.0, right: right.0 }, Self { left: left.1, right: right.1 })
    }
    fn sequence(self) -> Self::Sequence {
        self.left.sequence().zip(self.right.sequence())
    }
    fn piece_lengths(&self) -> PieceLengths {
        let (left, right) = (self.left.piece_lengths(), self.right.piece_lengths());
        PieceLengths { min: left.min.max(right.min), max: left.max.min(right.max) }
    }
}

/// An iterator with bounds on the items of a piece.
#[derive(Debug)]
pub struct PieceLimits<P> {
    pub(super) base: P,
    pub(super) lengths: PieceLengths,
}

impl<P: ParallelIterator> ParallelIterator for PieceLimits<P> {
    type Item = P::Item;
    type Sequence = P::Sequence;
    fn items(&self) -> usize {
        self.base.items()
    }
    fn split_at(self, at: usize) -> (Self, Self) {
        let (left, right) = self.base.split_at(at);
        (Self { base: left, ..self }, Self { base: right, ..self })
    }
    fn sequence(self) -> Self::Sequence {
        self.base.sequence()
    }
    fn piece_lengths(&self) -> PieceLengths {
        self.lengths
    }
}

/// [`ParallelIterator::map`].
#[derive(Debug)]
pub struct Map<P, F> {
    pub(super) base: P,
    pub(super) each: F,
}

impl<P: ParallelIterator, T, F: Fn(P::Item) -> T + Sync> Map<P, F> {
    /// The results, in the order of the items.
    pub fn collect<C: Gather + FromIterator<T>>(self) -> C {
        C::join(run_pieces(self.base, &|| (), &|(), piece: P| piece.sequence().map(&self.each).collect()))
    }
}

/// [`ParallelIterator::map_init`].
#[derive(Debug)]
pub struct MapInit<P, I, F> {
    pub(super) base: P,
    pub(super) init: I,
    pub(super) each: F,
}

impl<P, S, T, I, F> MapInit<P, I, F>
where
    P: ParallelIterator,
    I: Fn() -> S + Sync,
    F: Fn(&mut S, P::Item) -> T + Sync,
{
    /// The results, in the order of the items.
    pub fn collect<C: Gather + FromIterator<T>>(self) -> C {
        let piece = |state: &mut S, piece: P| piece.sequence().map(|item| (self.each)(state, item)).collect();
        C::join(run_pieces(self.base, &self.init, &piece))
    }
}

/// [`ParallelIterator::flat_map_iter`].
#[derive(Debug)]
pub struct FlatMap<P, F> {
    pub(super) base: P,
    pub(super) each: F,
}

impl<P: ParallelIterator, T: IntoIterator, F: Fn(P::Item) -> T + Sync> FlatMap<P, F> {
    /// The results, in the order of the items.
    pub fn collect<C: Gather + FromIterator<T::Item>>(self) -> C {
        C::join(run_pieces(self.base, &|| (), &|(), piece: P| piece.sequence().flat_map(&self.each).collect()))
    }
}
