//! What is summed over the rows of a node, and how good a split of the sums is.
//!
//! Every sum is of whole numbers, so it does not depend on the order in which rows or bins are added.

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
    fn real(self) -> f64;
    fn from_i64(v: i64) -> Self;
}

impl Steps for u32 {
    #[inline(always)]
    fn real(self) -> f64 {
        f64::from(self)
    }
    fn from_i64(v: i64) -> Self {
        v as u32
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
}

/// How the shares of classes are judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shares {
    /// 1 - sum p^2.
    Gini,
    /// - sum p log2 p.
    Entropy,
}

fn x_log_x(x: f64) -> f64 {
    if x > 0.0 { x * x.log2() } else { 0.0 }
}

impl Shares {
    /// Weight times impurity.
    fn cost(self, classes: impl Iterator<Item = f64>, total: f64) -> f64 {
        if total <= 0.0 {
            return 0.0;
        }
        match self {
            Self::Gini => classes.map(|c| c * ((total - c) / total)).sum(),
            Self::Entropy => classes.filter(|&c| c > 0.0 && c < total).map(|c| c * (total / c).log2()).sum(),
        }
    }
}

/// Two classes and small whole weights: rows, weight and weight of the second class in 21 bits each of one word.
pub(super) struct Two {
    pub shares: Shares,
}

const FIELD: u32 = 21;
const MASK: u64 = (1 << FIELD) - 1;
/// Weight below which the fields of a word do not overflow.
pub(super) const TWO_LIMIT: i64 = 1 << FIELD;

impl Two {
    /// What a row of the given class and weight adds.
    pub fn load(one: bool, weight: u32) -> u64 {
        1 | u64::from(weight) << FIELD | if one { u64::from(weight) << (2 * FIELD) } else { 0 }
    }

    #[inline(always)]
    fn parts(sum: u64) -> (i64, i64) {
        ((sum >> FIELD & MASK) as i64, (sum >> (2 * FIELD)) as i64)
    }
}

impl Kind for Two {
    type Load = u64;
    type Sum = u64;

    #[inline(always)]
    fn add(sum: &mut u64, load: u64) {
        *sum += load;
    }

    #[inline(always)]
    fn merge(sum: &mut u64, other: &u64) {
        *sum += other;
    }

    #[inline(always)]
    fn without(all: &u64, part: &u64) -> u64 {
        all - part
    }

    #[inline(always)]
    fn rows(sum: &u64) -> usize {
        (sum & MASK) as usize
    }

    #[inline(always)]
    fn weight(&self, sum: &u64) -> f64 {
        Self::parts(*sum).0 as f64
    }

    #[inline(always)]
    fn gain(&self, left: &u64, all: &u64) -> f64 {
        let ((l, ones_l), (n, ones)) = (Self::parts(*left), Self::parts(*all));
        match self.shares {
            // The decrease of the impurity is 2 d^2 / (l (n - l)) / n^4 with d = left n - l ones.
            Shares::Gini => {
                let d = (ones_l * n - l * ones) as f64;
                d * d / (l * (n - l)) as f64
            }
            Shares::Entropy => {
                let h = |ones: i64, all: i64| x_log_x(ones as f64) + x_log_x((all - ones) as f64) - x_log_x(all as f64);
                h(ones_l, l) + h(ones - ones_l, n - l)
            }
        }
    }

    fn decrease(&self, left: &u64, all: &u64) -> f64 {
        let cost = |sum: u64| {
            let (n, ones) = Self::parts(sum);
            self.shares.cost([(n - ones) as f64, ones as f64].into_iter(), n as f64)
        };
        (cost(*all) - cost(*left) - cost(all - left)).max(0.0)
    }

    fn orders(&self) -> usize {
        1
    }

    fn key(&self, sum: &u64, _: usize) -> f64 {
        let (n, ones) = Self::parts(*sum);
        ones as f64 / n as f64
    }

    #[inline]
    fn summary(&self, sum: &u64, _: &[Entry<u64>]) -> Summary {
        let (n, ones) = Self::parts(*sum);
        let (n, ones, zeros) = (n as f64, ones as f64, (n - ones) as f64);
        let pure = ones == 0.0 || zeros == 0.0;
        let impurity = if pure { 0.0 } else { self.shares.cost([zeros, ones].into_iter(), n) / n };
        Summary { value: vec![zeros / n, ones / n], impurity, pure }
    }
}

/// Up to `K` classes, with weights in steps of a unit.
pub(super) struct Many<W, const K: usize> {
    pub shares: Shares,
    pub classes: usize,
    pub unit: f64,
    pub steps: std::marker::PhantomData<W>,
}

/// The weight of each class, and the rows.
#[derive(Clone, Copy, Debug)]
pub(super) struct ClassSum<W, const K: usize> {
    rows: u32,
    all: W,
    classes: [W; K],
}

impl<W: Steps, const K: usize> Default for ClassSum<W, K> {
    fn default() -> Self {
        Self { rows: 0, all: W::default(), classes: [W::default(); K] }
    }
}

/// The class of a row and its weight.
#[derive(Clone, Copy, Debug)]
pub(super) struct ClassLoad<W> {
    pub class: u32,
    pub weight: W,
}

impl<W: Steps, const K: usize> Kind for Many<W, K> {
    type Load = ClassLoad<W>;
    type Sum = ClassSum<W, K>;

    #[inline(always)]
    fn add(sum: &mut Self::Sum, load: ClassLoad<W>) {
        sum.rows += 1;
        sum.all += load.weight;
        sum.classes[load.class as usize] += load.weight;
    }

    #[inline(always)]
    fn merge(sum: &mut Self::Sum, other: &Self::Sum) {
        sum.rows += other.rows;
        sum.all += other.all;
        sum.classes.iter_mut().zip(&other.classes).for_each(|(a, b)| *a += *b);
    }

    fn without(all: &Self::Sum, part: &Self::Sum) -> Self::Sum {
        let mut out = *all;
        out.rows -= part.rows;
        out.all = out.all - part.all;
        out.classes.iter_mut().zip(&part.classes).for_each(|(a, b)| *a = *a - *b);
        out
    }

    #[inline(always)]
    fn rows(sum: &Self::Sum) -> usize {
        sum.rows as usize
    }

    #[inline(always)]
    fn weight(&self, sum: &Self::Sum) -> f64 {
        sum.all.real() * self.unit
    }

    #[inline(always)]
    fn gain(&self, left: &Self::Sum, all: &Self::Sum) -> f64 {
        let (l, r) = (left.all.real(), (all.all - left.all).real());
        match self.shares {
            Shares::Gini => {
                let (mut sum_l, mut sum_r) = (0.0, 0.0);
                for (&a, &t) in left.classes.iter().zip(&all.classes) {
                    let (a, b) = (a.real(), (t - a).real());
                    sum_l += a * a;
                    sum_r += b * b;
                }
                sum_l / l + sum_r / r
            }
            Shares::Entropy => {
                let (mut sum_l, mut sum_r) = (0.0, 0.0);
                for (&a, &t) in left.classes[..self.classes].iter().zip(&all.classes) {
                    sum_l += x_log_x(a.real() * self.unit);
                    sum_r += x_log_x((t - a).real() * self.unit);
                }
                (sum_l - x_log_x(l * self.unit)) + (sum_r - x_log_x(r * self.unit))
            }
        }
    }

    fn decrease(&self, left: &Self::Sum, all: &Self::Sum) -> f64 {
        let cost = |sum: &Self::Sum| {
            let classes = sum.classes[..self.classes].iter().map(|c| c.real() * self.unit);
            self.shares.cost(classes, self.weight(sum))
        };
        (cost(all) - cost(left) - cost(&Self::without(all, left))).max(0.0)
    }

    fn orders(&self) -> usize {
        if self.classes == 2 { 1 } else { self.classes }
    }

    fn key(&self, sum: &Self::Sum, order: usize) -> f64 {
        // Of two classes the share of the second.
        let class = if self.classes == 2 { 1 } else { order };
        sum.classes[class].real() / sum.all.real()
    }

    fn summary(&self, sum: &Self::Sum, _: &[Entry<ClassLoad<W>>]) -> Summary {
        let classes = &sum.classes[..self.classes];
        let all = sum.all.real();
        let pure = classes.contains(&sum.all);
        let impurity = if pure { 0.0 } else { self.shares.cost(classes.iter().map(|c| c.real()), all) / all };
        Summary { value: classes.iter().map(|c| c.real() / all).collect(), impurity, pure }
    }
}

/// How a mean is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MeanLoss {
    /// (y - mean)^2.
    Squared,
    /// y log(y / mean) - y + mean.
    Poisson,
}

/// One number, judged about its mean. The target is on a grid as fine as the sum over all rows allows.
pub(super) struct Mean<'a, W> {
    /// The target of each row, where rounding may tell equal ones apart on the grid.
    pub y: Option<&'a [f64]>,
    pub loss: MeanLoss,
    /// Where the grid starts, and its step over the step of the weights.
    pub origin: f64,
    pub unit: f64,
    /// What the target was divided by to lie near 1.
    pub scale: f64,
    /// The weight of a step.
    pub weight_unit: f64,
    pub steps: std::marker::PhantomData<W>,
}

/// Weight, and weight times target above the origin, in steps.
#[derive(Clone, Copy, Debug)]
pub(super) struct MeanLoad<W> {
    pub weight: W,
    pub sum: i64,
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct MeanSum<W> {
    rows: u32,
    weight: W,
    sum: i64,
}

impl<W: Steps> Mean<'_, W> {
    fn mean(&self, sum: &MeanSum<W>) -> f64 {
        self.origin + sum.sum as f64 / sum.weight.real() * self.unit
    }

    /// Squares of the largest numbers overflow; they stay comparable.
    fn finite(&self, v: f64) -> f64 {
        v.min(f64::MAX / 1e9)
    }

    /// Weight times impurity, up to a constant of the rows.
    fn potential(&self, sum: &MeanSum<W>) -> f64 {
        let w = sum.weight.real();
        if w <= 0.0 {
            return 0.0;
        }
        let s = sum.sum as f64 * self.unit;
        self.weight_unit
            * match self.loss {
                MeanLoss::Squared => -(s * (s / w)),
                MeanLoss::Poisson if s > 0.0 => -s * (s / w).ln(),
                MeanLoss::Poisson => 0.0,
            }
    }
}

impl<W: Steps> Kind for Mean<'_, W> {
    type Load = MeanLoad<W>;
    type Sum = MeanSum<W>;

    #[inline(always)]
    fn add(sum: &mut MeanSum<W>, load: MeanLoad<W>) {
        sum.rows += 1;
        sum.weight += load.weight;
        sum.sum += load.sum;
    }

    #[inline(always)]
    fn merge(sum: &mut MeanSum<W>, other: &MeanSum<W>) {
        sum.rows += other.rows;
        sum.weight += other.weight;
        sum.sum += other.sum;
    }

    #[inline(always)]
    fn without(all: &MeanSum<W>, part: &MeanSum<W>) -> MeanSum<W> {
        MeanSum { rows: all.rows - part.rows, weight: all.weight - part.weight, sum: all.sum - part.sum }
    }

    #[inline(always)]
    fn rows(sum: &MeanSum<W>) -> usize {
        sum.rows as usize
    }

    #[inline(always)]
    fn weight(&self, sum: &MeanSum<W>) -> f64 {
        sum.weight.real() * self.weight_unit
    }

    #[inline(always)]
    fn gain(&self, left: &MeanSum<W>, all: &MeanSum<W>) -> f64 {
        let (l, n) = (left.weight.real(), all.weight.real());
        match self.loss {
            // The decrease of the squared error is d^2 n / (l r), d being the sum of the left side about the mean.
            MeanLoss::Squared => {
                let d = left.sum as f64 * n - l * all.sum as f64;
                d * d / (l * (n - l))
            }
            MeanLoss::Poisson => {
                let right = all.sum - left.sum;
                if left.sum <= 0 || right <= 0 {
                    return f64::NEG_INFINITY;
                }
                let (a, b) = (left.sum as f64, right as f64);
                a * (a / l).ln() + b * (b / (n - l)).ln()
            }
        }
    }

    fn decrease(&self, left: &MeanSum<W>, all: &MeanSum<W>) -> f64 {
        if self.loss == MeanLoss::Squared {
            // Without the cancellation of two potentials.
            let n = all.weight.real();
            return self.finite(self.gain(left, all) / n * self.unit * self.unit * self.weight_unit * self.scale * self.scale);
        }
        let fall = self.potential(all) - self.potential(left) - self.potential(&Self::without(all, left));
        self.finite(fall.max(0.0) * self.scale)
    }

    fn orders(&self) -> usize {
        1
    }

    fn key(&self, sum: &MeanSum<W>, _: usize) -> f64 {
        sum.sum as f64 / sum.weight.real()
    }

    fn summary(&self, sum: &MeanSum<W>, entries: &[Entry<MeanLoad<W>>]) -> Summary {
        let w = sum.weight.real();
        let mean = self.mean(sum);
        let first = entries[0].load;
        let level = first.sum as f64 / first.weight.real();
        let (mut pure, mut cost) = (true, 0.0);
        match self.loss {
            MeanLoss::Squared => {
                let middle = sum.sum as f64 / w;
                for e in entries {
                    let y = e.load.sum as f64 / e.load.weight.real();
                    pure &= y == level;
                    cost += e.load.weight.real() * ((y - middle) * (y - middle));
                }
                cost *= self.unit * self.unit;
            }
            MeanLoss::Poisson => {
                for e in entries {
                    let steps = e.load.sum as f64 / e.load.weight.real();
                    let y = steps * self.unit;
                    pure &= steps == level;
                    cost += e.load.weight.real() * if y > 0.0 { y * (y / mean).ln() - y + mean } else { mean };
                }
            }
        }
        if let Some(y) = self.y {
            pure = entries.iter().all(|e| y[e.row as usize] == y[entries[0].row as usize]);
        }
        let scale = if self.loss == MeanLoss::Squared { self.scale * self.scale } else { self.scale };
        let impurity = if pure { 0.0 } else { self.finite((cost / w).max(0.0) * scale) };
        Summary { value: vec![mean * self.scale], impurity, pure }
    }
}
