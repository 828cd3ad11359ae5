//! Criteria of trees on bins: the sums over the rows of a node, and the gain of a split of the sums.
//!
//! Every sum is of whole numbers, so it does not depend on the order in which rows or bins are added.

mod classes;
mod mean;

pub(super) use classes::ImpurityKind;
use classes::{BinaryBins, ClassBins, TWO_LIMIT};
use mean::MeanBins;
pub(super) use mean::{MeanGrid, MeanLoss, NodeCost, TargetExtent};

use std::fmt::Debug;
use std::marker::PhantomData;
use std::ops::{Add, AddAssign, Sub};

use serde::{Deserialize, Serialize};

/// A row of a node with what it adds to a sum.
#[derive(Clone, Copy, Debug)]
pub(super) struct NodeRow<L> {
    pub row: u32,
    pub load: L,
}

/// Value and impurity of a node.
pub(super) struct NodeSummary {
    /// Class shares or the mean.
    pub value: Vec<f64>,
    pub impurity: f64,
    /// Whether nothing is left to separate.
    pub pure: bool,
}

/// A split criterion on binned columns, for one kind of target.
pub(super) trait BinnedCriterion: Send + Sync {
    /// The contribution of a row.
    type Load: Copy + Send + Sync;
    /// The sum over rows.
    type Sum: Copy + Send + Sync + Default + Debug;

    fn add(sum: &mut Self::Sum, load: Self::Load);
    fn merge(sum: &mut Self::Sum, other: &Self::Sum);
    fn subtract(all: &Self::Sum, part: &Self::Sum) -> Self::Sum;
    /// Number of rows, with repetitions of the bootstrap.
    fn rows(sum: &Self::Sum) -> usize;
    /// Weight of the rows.
    fn weight(&self, sum: &Self::Sum) -> f64;
    /// How good a split is, comparable within a node; negative infinity if it is not allowed.
    fn gain(&self, left: &Self::Sum, all: &Self::Sum) -> f64;
    /// By how much a split lowers weight times impurity.
    fn decrease(&self, left: &Self::Sum, all: &Self::Sum) -> f64;
    /// How many orders of categories are tried, and the place of a category in one.
    fn orders(&self) -> usize;
    fn key(&self, sum: &Self::Sum, order: usize) -> f64;
    /// Further statistics of the rows of a node, besides their sum.
    fn add_cost(&self, sum: &Self::Sum, entries: &[NodeRow<Self::Load>]) -> NodeCost {
        let _ = (sum, entries);
        NodeCost::default()
    }
    fn summary(&self, sum: &Self::Sum, look: &NodeCost) -> NodeSummary;
    /// The contribution of a row, from its class or from its share of the sum of the target.
    fn load(&self, class: u32, weight: i64, sum: i64) -> Self::Load;
    /// A sum from whole numbers: the rows, then the weight of each class, or the weight and the sum of the target.
    fn sum_of_steps(&self, steps: &[i64]) -> Self::Sum;
    /// The inverse of [`Self::sum_of_steps`]; appends to `out`.
    fn to_steps(&self, sum: &Self::Sum, out: &mut Vec<i64>);
}

/// The criterion of a tree, chosen at run time.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) enum BinnedCriterionKind {
    Classes {
        shares: ImpurityKind,
        classes: usize,
        /// The weight of a step.
        unit: f64,
        /// The weight of all rows in steps, if these are whole weights.
        total: Option<i64>,
    },
    Mean {
        grid: MeanGrid,
        /// Whether the weight of all rows is a whole number of 32 bits.
        small: bool,
    },
}

/// A task that is generic over the criterion.
pub(super) trait CriterionVisitor {
    type Output;
    fn run<K: BinnedCriterion>(self, kind: &K) -> Self::Output;
}

impl BinnedCriterionKind {
    pub fn mean(grid: MeanGrid, whole: bool, total: i64) -> Self {
        Self::Mean { grid, small: whole && total <= i64::from(u32::MAX) }
    }

    /// Numbers in a sum, see [`BinnedCriterion::sum_of_steps`].
    pub fn width(&self) -> usize {
        match self {
            Self::Classes { classes, .. } => 1 + classes,
            Self::Mean { .. } => 3,
        }
    }

    /// Runs the task with the criterion; `y` are the targets of the rows that entries refer to.
    pub fn dispatch<W: CriterionVisitor>(&self, y: &[f64], work: W) -> W::Output {
        match *self {
            Self::Classes { shares, classes: 2, total: Some(total), .. } if total < TWO_LIMIT => work.run(&BinaryBins { shares }),
            Self::Classes { shares, classes, unit, total } => match total.is_some_and(|t| t <= i64::from(u32::MAX)) {
                true => with_classes::<u32, W>(shares, classes, unit, work),
                false => with_classes::<i64, W>(shares, classes, unit, work),
            },
            Self::Mean { grid, small } => {
                let y = grid.needs_targets().then_some(y);
                match small {
                    true => work.run(&MeanBins::<u32> { y, grid, steps: PhantomData }),
                    false => work.run(&MeanBins::<i64> { y, grid, steps: PhantomData }),
                }
            }
        }
    }
}

/// Most classes of trees on bins.
pub(super) const MANY_CLASSES: usize = 256;

fn with_classes<S: IntWeight, W: CriterionVisitor>(shares: ImpurityKind, classes: usize, unit: f64, work: W) -> W::Output {
    macro_rules! up_to {
        ($($k:literal),*) => {
            match classes {
                $(0..=$k => work.run(&ClassBins::<S, $k> { shares, classes, unit, steps: PhantomData }),)*
                _ => work.run(&ClassBins::<S, MANY_CLASSES> { shares, classes, unit, steps: PhantomData }),
            }
        };
    }
    up_to!(4, 16, 64)
}

/// Whole weights or small counts.
pub(super) trait IntWeight:
    Copy + Default + Debug + Send + Sync + AddAssign + Add<Output = Self> + Sub<Output = Self> + PartialEq + 'static
{
    /// Rows and their weight.
    type Pair: Copy + Default + Debug + Send + Sync;

    fn real(self) -> f64;
    fn from_i64(v: i64) -> Self;
    /// Adds a row.
    fn count(pair: &mut Self::Pair, weight: Self);
    fn merge(pair: &mut Self::Pair, other: Self::Pair);
    fn subtract(all: Self::Pair, part: Self::Pair) -> Self::Pair;
    fn rows(pair: Self::Pair) -> usize;
    fn weight(pair: Self::Pair) -> Self;
    fn pair(rows: i64, weight: i64) -> Self::Pair;
    fn to_i64(self) -> i64;
}

impl IntWeight for u32 {
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
    fn subtract(all: u64, part: u64) -> u64 {
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
    fn pair(rows: i64, weight: i64) -> u64 {
        rows as u64 | (weight as u64) << 32
    }
    fn to_i64(self) -> i64 {
        i64::from(self)
    }
}

impl IntWeight for i64 {
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
    fn subtract(all: (u32, i64), part: (u32, i64)) -> (u32, i64) {
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
    fn pair(rows: i64, weight: i64) -> (u32, i64) {
        (rows as u32, weight)
    }
    fn to_i64(self) -> i64 {
        self
    }
}
