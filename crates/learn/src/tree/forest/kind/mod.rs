//! What is summed over the rows of a node, and how good a split of the sums is.
//!
//! Every sum is of whole numbers, so it does not depend on the order in which rows or bins are added.

mod classes;
mod mean;

pub(super) use classes::{ClassLoad, Many, Shares, TWO_LIMIT, Two};
pub(super) use mean::{Mean, MeanLoad, MeanLoss};

use std::fmt::Debug;
use std::ops::{Add, AddAssign, Sub};

/// A row of a node with what it adds to a sum.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry<L> {
    pub row: u32,
    pub load: L,
}

/// What a node is worth.
pub(super) struct Summary {
    /// Class shares or the mean.
    pub value: Vec<f64>,
    pub impurity: f64,
    /// Whether nothing is left to separate.
    pub pure: bool,
}

/// A kind of target.
pub(super) trait Kind: Send + Sync {
    /// What a row adds.
    type Load: Copy + Send + Sync;
    /// The sum over rows.
    type Sum: Copy + Send + Sync + Default + Debug;

    fn add(sum: &mut Self::Sum, load: Self::Load);
    fn merge(sum: &mut Self::Sum, other: &Self::Sum);
    fn without(all: &Self::Sum, part: &Self::Sum) -> Self::Sum;
    /// Rows, drawn several times or not.
    fn rows(sum: &Self::Sum) -> usize;
    /// Weight of the rows.
    fn weight(&self, sum: &Self::Sum) -> f64;
    /// How good a split is, comparable within a node; negative infinity if it is not allowed.
    fn gain(&self, left: &Self::Sum, all: &Self::Sum) -> f64;
    /// By how much a split lowers weight times impurity.
    fn decrease(&self, left: &Self::Sum, all: &Self::Sum) -> f64;
    /// How many orders of categories are worth a try, and where a category stands in one.
    fn orders(&self) -> usize;
    fn key(&self, sum: &Self::Sum, order: usize) -> f64;
    fn summary(&self, sum: &Self::Sum, entries: &[Entry<Self::Load>]) -> Summary;
}

/// Whole weights or small counts.
pub(super) trait Steps:
    Copy + Default + Debug + Send + Sync + AddAssign + Add<Output = Self> + Sub<Output = Self> + PartialEq + 'static
{
    /// Rows and their weight.
    type Pair: Copy + Default + Debug + Send + Sync;

    fn real(self) -> f64;
    fn from_i64(v: i64) -> Self;
    /// Adds a row.
    fn count(pair: &mut Self::Pair, weight: Self);
    fn merge(pair: &mut Self::Pair, other: Self::Pair);
    fn without(all: Self::Pair, part: Self::Pair) -> Self::Pair;
    fn rows(pair: Self::Pair) -> usize;
    fn weight(pair: Self::Pair) -> Self;
}

impl Steps for u32 {
    /// The weight in the upper half, the rows in the lower one: one addition for both.
    type Pair = u64;

    #[inline(always)]
    fn real(self) -> f64 {
        f64::from(self)
    }
    fn from_i64(v: i64) -> Self {
        v as u32
    }
    #[inline(always)]
    fn count(pair: &mut u64, weight: Self) {
        *pair += 1 | u64::from(weight) << 32;
    }
    #[inline(always)]
    fn merge(pair: &mut u64, other: u64) {
        *pair += other;
    }
    #[inline(always)]
    fn without(all: u64, part: u64) -> u64 {
        all - part
    }
    #[inline(always)]
    fn rows(pair: u64) -> usize {
        pair as u32 as usize
    }
    #[inline(always)]
    fn weight(pair: u64) -> Self {
        (pair >> 32) as u32
    }
}

impl Steps for i64 {
    #[inline(always)]
    fn real(self) -> f64 {
        self as f64
    }
    fn from_i64(v: i64) -> Self {
        v
    }

    type Pair = (u32, i64);

    #[inline(always)]
    fn count(pair: &mut (u32, i64), weight: Self) {
        pair.0 += 1;
        pair.1 += weight;
    }
    #[inline(always)]
    fn merge(pair: &mut (u32, i64), other: (u32, i64)) {
        pair.0 += other.0;
        pair.1 += other.1;
    }
    #[inline(always)]
    fn without(all: (u32, i64), part: (u32, i64)) -> (u32, i64) {
        (all.0 - part.0, all.1 - part.1)
    }
    #[inline(always)]
    fn rows(pair: (u32, i64)) -> usize {
        pair.0 as usize
    }
    #[inline(always)]
    fn weight(pair: (u32, i64)) -> Self {
        pair.1
    }
}
