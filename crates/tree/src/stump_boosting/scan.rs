//! One pass over a sorted column: the best place to cut it.

/// The criterion that a stump minimizes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StumpCriterion {
    /// Gini impurity of the sides, as the stumps of CART.
    Gini,
    /// Weight of the rows that are not of the heaviest class of their side.
    Error,
    /// `2 sum over sides sqrt(W+ W-)`, the factor by which a round of confidence-rated boosting lowers the exponential loss
    /// (Schapire and Singer 1999). For two classes; for more it is `Gini`.
    Z,
}

/// Class weights on the left of a cut, against those of all rows.
pub(super) struct SplitWeights<'a> {
    criterion: StumpCriterion,
    whole: &'a [i64],
    total: i64,
    left: Vec<i64>,
    weight: i64,
    /// Sums of squares of both sides, kept for several classes.
    squares: [i128; 2],
}

impl<'a> SplitWeights<'a> {
    pub fn new(criterion: StumpCriterion, whole: &'a [i64]) -> Self {
        let squares = [0, whole.iter().map(|&w| i128::from(w) * i128::from(w)).sum()];
        Self { criterion, whole, total: whole.iter().sum(), left: vec![0; whole.len()], weight: 0, squares }
    }

    /// A row, or a group of rows, of one class goes to the left.
    #[inline(always)]
    pub fn push(&mut self, class: usize, steps: i64) {
        if self.whole.len() > 2 {
            let (l, r, s) = (i128::from(self.left[class]), i128::from(self.whole[class] - self.left[class]), i128::from(steps));
            self.squares[0] += s * (2 * l + s);
            self.squares[1] -= s * (2 * r - s);
        }
        self.left[class] += steps;
        self.weight += steps;
    }

    /// How good the cut is here; larger is better. None while a side is empty.
    #[inline(always)]
    pub fn score(&self) -> Option<f64> {
        let (w, v) = (self.weight, self.total - self.weight);
        if w <= 0 || v <= 0 {
            return None;
        }
        Some(match (self.criterion, self.whole.len()) {
            (StumpCriterion::Error, _) => {
                let most = |side: &mut dyn Iterator<Item = i64>| side.max().unwrap_or(0);
                let left = most(&mut self.left.iter().copied());
                let right = most(&mut self.whole.iter().zip(&self.left).map(|(a, l)| a - l));
                (left + right) as f64
            }
            (criterion, 2) => {
                let (a, b) = (self.left[0] as f64, self.left[1] as f64);
                let (c, d) = ((self.whole[0] - self.left[0]) as f64, (self.whole[1] - self.left[1]) as f64);
                match criterion {
                    StumpCriterion::Z => -(a * b).sqrt() - (c * d).sqrt(),
                    _ => (a * a + b * b) / w as f64 + (c * c + d * d) / v as f64,
                }
            }
            _ => self.squares[0] as f64 / w as f64 + self.squares[1] as f64 / v as f64,
        })
    }
}

/// Two classes, the pass that boosting spends its time in. Entries are rows, with the top bit where a value begins; `packed`
/// holds the steps of each row above its class in the lowest bit. Returns score and length of the best beginning.
pub(super) fn two_classes(
    criterion: StumpCriterion,
    entries: &[u32],
    packed: &[u64],
    start: [i64; 2],
    whole: [i64; 2],
) -> Option<(f64, usize)> {
    // One loop a criterion: the choice must not be made again at every row.
    match criterion {
        StumpCriterion::Gini => {
            pass(entries, packed, start, whole, |[a, b], [c, d]| (a * a + b * b) / (a + b) + (c * c + d * d) / (c + d))
        }
        StumpCriterion::Error => pass(entries, packed, start, whole, |[a, b], [c, d]| a.max(b) + c.max(d)),
        StumpCriterion::Z => pass(entries, packed, start, whole, |[a, b], [c, d]| -(a * b).sqrt() - (c * d).sqrt()),
    }
}

#[inline(always)]
fn pass(
    entries: &[u32],
    packed: &[u64],
    start: [i64; 2],
    whole: [i64; 2],
    score: impl Fn([f64; 2], [f64; 2]) -> f64,
) -> Option<(f64, usize)> {
    let total = whole[0] + whole[1];
    // Weight on the left, and that of the second class: two sums without a choice between them.
    let (mut weight, mut ones) = (start[0] + start[1], start[1]);
    let mut best: Option<(f64, usize)> = None;
    let mut highest = f64::NEG_INFINITY;
    for (at, &entry) in entries.iter().enumerate() {
        if entry & STARTS != 0 && weight > 0 && weight < total {
            let left = [(weight - ones) as f64, ones as f64];
            let right = [(whole[0] + ones - weight) as f64, (whole[1] - ones) as f64];
            let here = score(left, right);
            if here > highest {
                highest = here;
                best = Some((here, at));
            }
        }
        let p = packed[(entry & !STARTS) as usize];
        let steps = (p >> 1) as i64;
        weight += steps;
        ones += steps & -((p & 1) as i64);
    }
    best
}

/// Marks the first entry of each value.
pub(super) const STARTS: u32 = 1 << 31;
