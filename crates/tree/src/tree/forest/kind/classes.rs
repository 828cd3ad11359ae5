//! Classes: shares judged by Gini or entropy.

use serde::{Deserialize, Serialize};

use super::{BinnedCriterion, IntWeight, NodeCost, NodeSummary};

/// How the shares of classes are judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(in super::super) enum ImpurityKind {
    /// 1 - sum p^2.
    Gini,
    /// - sum p log2 p.
    Entropy,
}

fn x_log_x(x: f64) -> f64 {
    if x > 0.0 { x * x.log2() } else { 0.0 }
}

impl ImpurityKind {
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
pub(in super::super) struct BinaryBins {
    pub shares: ImpurityKind,
}

const FIELD: u32 = 21;
const MASK: u64 = (1 << FIELD) - 1;
/// Weight below which the fields of a word do not overflow.
pub(in super::super) const TWO_LIMIT: i64 = 1 << FIELD;

impl BinaryBins {
    #[inline(always)]
    fn parts(sum: u64) -> (i64, i64) {
        ((sum >> FIELD & MASK) as i64, (sum >> (2 * FIELD)) as i64)
    }
}

impl BinnedCriterion for BinaryBins {
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
    fn subtract(all: &u64, part: &u64) -> u64 {
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
            ImpurityKind::Gini => {
                let d = (ones_l * n - l * ones) as f64;
                d * d / (l * (n - l)) as f64
            }
            ImpurityKind::Entropy => {
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
    fn summary(&self, sum: &u64, _: &NodeCost) -> NodeSummary {
        let (n, ones) = Self::parts(*sum);
        let (n, ones, zeros) = (n as f64, ones as f64, (n - ones) as f64);
        let pure = ones == 0.0 || zeros == 0.0;
        let impurity = if pure { 0.0 } else { self.shares.cost([zeros, ones].into_iter(), n) / n };
        NodeSummary { value: vec![zeros / n, ones / n], impurity, pure }
    }

    #[inline]
    fn load(&self, class: u32, weight: i64, _: i64) -> u64 {
        let weight = weight as u64;
        1 | weight << FIELD | if class == 1 { weight << (2 * FIELD) } else { 0 }
    }

    fn sum_of_steps(&self, steps: &[i64]) -> u64 {
        steps[0] as u64 | ((steps[1] + steps[2]) as u64) << FIELD | (steps[2] as u64) << (2 * FIELD)
    }

    fn to_steps(&self, sum: &u64, out: &mut Vec<i64>) {
        let (n, ones) = Self::parts(*sum);
        out.extend([(sum & MASK) as i64, n - ones, ones]);
    }
}

/// Up to `K` classes, with weights in steps of a unit.
pub(in super::super) struct ClassBins<W, const K: usize> {
    pub shares: ImpurityKind,
    pub classes: usize,
    pub unit: f64,
    pub steps: std::marker::PhantomData<W>,
}

/// The weight of each class, and the rows.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct ClassSum<W, const K: usize> {
    rows: u32,
    all: W,
    classes: [W; K],
}

impl<W: IntWeight, const K: usize> Default for ClassSum<W, K> {
    fn default() -> Self {
        Self { rows: 0, all: W::default(), classes: [W::default(); K] }
    }
}

/// The class of a row and its weight.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct ClassSample<W> {
    pub class: u32,
    pub weight: W,
}

impl<W: IntWeight, const K: usize> BinnedCriterion for ClassBins<W, K> {
    type Load = ClassSample<W>;
    type Sum = ClassSum<W, K>;

    #[inline(always)]
    fn add(sum: &mut Self::Sum, load: ClassSample<W>) {
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

    fn subtract(all: &Self::Sum, part: &Self::Sum) -> Self::Sum {
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
            ImpurityKind::Gini => {
                let (mut sum_l, mut sum_r) = (0.0, 0.0);
                for (&a, &t) in left.classes.iter().zip(&all.classes) {
                    let (a, b) = (a.real(), (t - a).real());
                    sum_l += a * a;
                    sum_r += b * b;
                }
                sum_l / l + sum_r / r
            }
            ImpurityKind::Entropy => {
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
        (cost(all) - cost(left) - cost(&Self::subtract(all, left))).max(0.0)
    }

    fn orders(&self) -> usize {
        if self.classes == 2 { 1 } else { self.classes }
    }

    fn key(&self, sum: &Self::Sum, order: usize) -> f64 {
        // Of two classes the share of the second.
        let class = if self.classes == 2 { 1 } else { order };
        sum.classes[class].real() / sum.all.real()
    }

    fn summary(&self, sum: &Self::Sum, _: &NodeCost) -> NodeSummary {
        let classes = &sum.classes[..self.classes];
        let all = sum.all.real();
        let pure = classes.contains(&sum.all);
        let impurity = if pure { 0.0 } else { self.shares.cost(classes.iter().map(|c| c.real()), all) / all };
        NodeSummary { value: classes.iter().map(|c| c.real() / all).collect(), impurity, pure }
    }

    #[inline]
    fn load(&self, class: u32, weight: i64, _: i64) -> ClassSample<W> {
        ClassSample { class, weight: W::from_i64(weight) }
    }

    fn sum_of_steps(&self, steps: &[i64]) -> Self::Sum {
        let mut out = ClassSum { rows: steps[0] as u32, ..ClassSum::default() };
        for (class, &weight) in out.classes.iter_mut().zip(&steps[1..]) {
            *class = W::from_i64(weight);
            out.all += *class;
        }
        out
    }

    fn to_steps(&self, sum: &Self::Sum, out: &mut Vec<i64>) {
        out.push(i64::from(sum.rows));
        out.extend(sum.classes[..self.classes].iter().map(|c| c.to_i64()));
    }
}
