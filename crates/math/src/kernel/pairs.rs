//! Sequential minimal optimization: the inner loops over pairs of variables.
//!
//! The problem is min ½ ΣΣ sᵢαᵢ K_ij sⱼαⱼ - Σ sᵢtᵢαᵢ over 0 ≤ αᵢ ≤ cᵢ with Σ sᵢαᵢ fixed, signs s = ±1. With f = K(sα)
//! it is optimal when, of the errors e = t - f, no variable that may move up (sα may grow) has a larger one than a
//! variable that may move down. A step moves δ from one to the other; sα changes by +δ and -δ, the errors by -δ (Kᵢ -
//! Kⱼ).
//!
//! The first variable is the one with the largest error that may move up, the second the one whose pair gives the
//! largest decrease (Fan, Chen and Lin: Working set selection using second order information, JMLR 6, 2005).

use super::number::{GramNumber, widest};

/// Elements per vector.
const LANES: usize = 8;

/// A set of variables with their own Gram matrix, whose rows are computed on demand.
#[derive(Debug, Default)]
pub struct WorkingSet<T> {
    /// K among the variables, row by row with stride `stride`, and which rows have been computed.
    k: Vec<T>,
    there: Vec<bool>,
    stride: usize,
    /// K_ii.
    diagonal: Vec<f64>,
    /// t - f.
    error: Vec<f64>,
    /// α.
    pub alpha: Vec<f64>,
    /// s.
    sign: Vec<f64>,
    /// c.
    bound: Vec<f64>,
    up: Vec<f64>,
    down: Vec<f64>,
    single_diagonal: Vec<f32>,
}

/// How a run of steps ended.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum PairStepsEnd {
    /// Errors are ordered up to the tolerance.
    Optimal,
    /// The number of steps was used up.
    MaxSteps,
    /// A pair has no curvature and no bound: the objective falls without end along it.
    Unbounded(usize, usize),
}

impl<T: SmoKernels> WorkingSet<T> {
    /// Makes room for `n` variables, to be [set](Self::set).
    pub fn resize(&mut self, n: usize) {
        let padded = n.next_multiple_of(LANES);
        self.stride = padded;
        if self.k.len() < n * padded {
            // Zeros that are never written cost nothing.
            self.k = vec![T::default(); n * padded];
        }
        self.there.clear();
        self.there.resize(n, false);
        for v in [&mut self.diagonal, &mut self.error, &mut self.alpha, &mut self.sign, &mut self.bound] {
            v.clear();
            v.resize(padded, 0.0);
        }
    }

    /// One variable: K_ii, t - f, α, s and c.
    pub fn set(&mut self, i: usize, diagonal: f64, error: f64, alpha: f64, sign: f64, bound: f64) {
        (self.diagonal[i], self.error[i], self.alpha[i]) = (diagonal, error, alpha);
        (self.sign[i], self.bound[i]) = (sign, bound);
    }

    /// Takes steps until the errors are ordered up to `tol`, at most `steps`. Curvatures up to `flat` count as zero;
    /// `fill` writes a row of K.
    pub fn run(
        &mut self,
        n: usize,
        tol: f64,
        steps: u64,
        flat: f64,
        mut fill: impl FnMut(usize, &mut [T]),
    ) -> (u64, PairStepsEnd) {
        self.up = vec![f64::NEG_INFINITY; self.stride];
        self.down = vec![f64::INFINITY; self.stride];
        self.single_diagonal = self.diagonal.iter().map(|&v| v as f32).collect();
        (0..n).for_each(|i| self.mark(i));
        for step in 0..steps {
            let (mut i, mut top, mut bottom) = (usize::MAX, f64::NEG_INFINITY, f64::INFINITY);
            extremes(&self.error, &self.up, &self.down, &mut i, &mut top, &mut bottom);
            if i == usize::MAX || top - bottom <= tol || (top - bottom).is_nan() {
                return (step, PairStepsEnd::Optimal);
            }
            self.request_rows(i, n, &mut fill);
            let row = &self.k[i * self.stride..(i + 1) * self.stride];
            let Some(j) = T::best_partner(row, &self.single_diagonal, &self.error, &self.down, i, top, flat as f32) else {
                return (step, PairStepsEnd::Optimal);
            };
            let curvature = self.diagonal[i] + self.diagonal[j] - 2.0 * row[j].to_f64();
            let room =
                |v: usize, grows: bool| if (self.sign[v] > 0.0) == grows { self.bound[v] - self.alpha[v] } else { self.alpha[v] };
            let (room_i, room_j) = (room(i, true), room(j, false));
            let wanted = (top - self.error[j]) / curvature.max(flat);
            let delta = wanted.min(room_i).min(room_j);
            if delta >= f64::MAX || delta.is_nan() || (curvature <= flat && room_i.min(room_j) == f64::INFINITY) {
                return (step, PairStepsEnd::Unbounded(i, j));
            }
            // A bound is reached exactly.
            let moved = |v: usize, grows: bool, room: f64| match ((self.sign[v] > 0.0) == grows, delta == room) {
                (true, true) => self.bound[v],
                (true, false) => self.alpha[v] + delta,
                (false, true) => 0.0,
                (false, false) => self.alpha[v] - delta,
            };
            let (new_i, new_j) = (moved(i, true, room_i), moved(j, false, room_j));
            if new_i == self.alpha[i] && new_j == self.alpha[j] {
                // The step is below the last digit of both: no further decrease is possible.
                return (step, PairStepsEnd::Optimal);
            }
            self.alpha[i] = new_i;
            self.alpha[j] = new_j;
            self.request_rows(j, n, &mut fill);
            let (left, right) = (&self.k[i * self.stride..][..self.stride], &self.k[j * self.stride..][..self.stride]);
            T::move_errors(&mut self.error, left, right, delta);
            self.mark(i);
            self.mark(j);
        }
        (steps, PairStepsEnd::MaxSteps)
    }

    fn request_rows(&mut self, i: usize, n: usize, fill: &mut impl FnMut(usize, &mut [T])) {
        if !self.there[i] {
            let (row, beyond) = self.k[i * self.stride..(i + 1) * self.stride].split_at_mut(n);
            fill(i, row);
            beyond.fill(T::default());
            self.there[i] = true;
        }
    }

    /// Updates in which directions a variable may move.
    fn mark(&mut self, i: usize) {
        let (below, above) = (self.alpha[i] < self.bound[i], self.alpha[i] > 0.0);
        let (grows, shrinks) = if self.sign[i] > 0.0 { (below, above) } else { (above, below) };
        self.up[i] = if grows { 0.0 } else { f64::NEG_INFINITY };
        self.down[i] = if shrinks { 0.0 } else { f64::INFINITY };
    }
}

/// Index and value of the largest error that may move up, and of the least that may move down.
#[inline(always)]
fn extremes_body(error: &[f64], up: &[f64], down: &[f64], place: &mut usize, top: &mut f64, bottom: &mut f64) {
    let (mut best, mut at, mut least) = ([f64::NEG_INFINITY; LANES], [-1.0f64; LANES], [f64::INFINITY; LANES]);
    for (c, ((e, up), down)) in error.chunks_exact(LANES).zip(up.chunks_exact(LANES)).zip(down.chunks_exact(LANES)).enumerate() {
        for l in 0..LANES {
            let (u, d) = (e[l] + up[l], e[l] + down[l]);
            at[l] = if u > best[l] { c as f64 } else { at[l] };
            best[l] = if u > best[l] { u } else { best[l] };
            least[l] = if d < least[l] { d } else { least[l] };
        }
    }
    for l in 0..LANES {
        let index = if at[l] < 0.0 { usize::MAX } else { at[l] as usize * LANES + l };
        if best[l] > *top || (best[l] == *top && index < *place) {
            *top = best[l];
            *place = index;
        }
        *bottom = bottom.min(least[l]);
    }
}

widest!(extremes, extremes_body, (error: &[f64], up: &[f64], down: &[f64], place: &mut usize, top: &mut f64, bottom: &mut f64));

/// The variable that may move down and whose pair with `i` gives the largest decrease: the squared difference of the
/// errors divided by the curvature.
#[inline(always)]
fn partner_body<T: SmoKernels>(
    row: &[T],
    diagonal: &[f32],
    error: &[f64],
    down: &[f64],
    own: f32,
    top: f64,
    flat: f32,
) -> Option<usize> {
    let (mut best, mut at) = ([0.0f32; LANES], [-1.0f32; LANES]);
    let parts =
        row.chunks_exact(LANES).zip(diagonal.chunks_exact(LANES)).zip(error.chunks_exact(LANES).zip(down.chunks_exact(LANES)));
    for (c, ((k, diagonal), (error, down))) in parts.enumerate() {
        for l in 0..LANES {
            // For variables that may not move down, `down` is infinite and the difference negative.
            let difference = (top - (error[l] + down[l])) as f32;
            let difference = if difference > 0.0 { difference } else { 0.0 };
            let curvature = own + diagonal[l] - 2.0 * k[l].to_f32();
            let curvature = if curvature > flat { curvature } else { flat };
            let gain = difference * difference / curvature;
            at[l] = if gain > best[l] { c as f32 } else { at[l] };
            best[l] = if gain > best[l] { gain } else { best[l] };
        }
    }
    let (mut place, mut gain) = (usize::MAX, 0.0f32);
    for l in 0..LANES {
        let index = if at[l] < 0.0 { usize::MAX } else { at[l] as usize * LANES + l };
        if index != usize::MAX && (best[l] > gain || (best[l] == gain && index < place)) {
            (place, gain) = (index, best[l]);
        }
    }
    (place != usize::MAX).then_some(place)
}

#[inline(always)]
fn move_body<T: GramNumber>(error: &mut [f64], left: &[T], right: &[T], delta: f64) {
    for ((e, a), b) in error.iter_mut().zip(left).zip(right) {
        *e -= delta * (a.to_f64() - b.to_f64());
    }
}

#[inline(always)]
fn add_rows_body<T: GramNumber>(sums: &mut [f64], rows: &[(f64, &[T])]) {
    let n = sums.len();
    let mut four = rows.chunks_exact(4);
    for rows in &mut four {
        let [(a, x), (b, y), (c, z), (d, w)] = rows else { continue };
        let (x, y, z, w) = (&x[..n], &y[..n], &z[..n], &w[..n]);
        for j in 0..n {
            sums[j] += (a * x[j].to_f64() + b * y[j].to_f64()) + (c * z[j].to_f64() + d * w[j].to_f64());
        }
    }
    for (a, x) in four.remainder() {
        for (s, x) in sums.iter_mut().zip(x.iter()) {
            *s += a * x.to_f64();
        }
    }
}

macro_rules! loops {
    ($t:ty, $partner:ident, $move:ident, $add:ident) => {
        widest!($partner, partner_body, (row: &[$t], diagonal: &[f32], error: &[f64], down: &[f64], own: f32, top: f64, flat: f32) -> Option<usize>);
        widest!($move, move_body, (error: &mut [f64], left: &[$t], right: &[$t], delta: f64));
        widest!($add, add_rows_body, (sums: &mut [f64], rows: &[(f64, &[$t])]));

        impl SmoKernels for $t {
            #[inline(always)]
            fn to_f32(self) -> f32 {
                self as f32
            }
            fn best_partner(row: &[$t], diagonal: &[f32], error: &[f64], down: &[f64], i: usize, top: f64, flat: f32) -> Option<usize> {
                $partner(row, diagonal, error, down, diagonal[i], top, flat)
            }
            fn move_errors(error: &mut [f64], left: &[$t], right: &[$t], delta: f64) {
                $move(error, left, right, delta);
            }
            fn add_rows(sums: &mut [f64], rows: &[(f64, &[$t])]) {
                $add(sums, rows);
            }
        }
    };
}
loops!(f32, partner_single, move_single, add_single);
loops!(f64, partner_double, move_double, add_double);

/// The loops of this file for one type of number, compiled for the processor.
pub trait SmoKernels: GramNumber {
    /// Rounded to f32.
    fn to_f32(self) -> f32;
    /// The best partner of `i`; `None` when no pair gives a decrease.
    fn best_partner(row: &[Self], diagonal: &[f32], error: &[f64], down: &[f64], i: usize, top: f64, flat: f32) -> Option<usize>;
    /// e -= δ (a - b).
    fn move_errors(error: &mut [f64], left: &[Self], right: &[Self], delta: f64);
    /// Adds multiples of rows, which are at least as long as the sums.
    fn add_rows(sums: &mut [f64], rows: &[(f64, &[Self])]);
}
