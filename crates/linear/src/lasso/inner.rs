//! The problem on a working set, given the products of its columns: coordinate descent finds the support and the signs, and
//! on a support with signs the solution is that of a linear system.

use ermine_core::{Mat, RngStream};
use ermine_math::coordinate::{AndersonAcceleration, elastic_step};
use ermine_math::linalg::Cholesky;

use super::problem::LassoPenalty;

/// The order in which coefficients are visited.
pub(super) enum VisitOrder {
    Cyclic,
    Random(RngStream),
}

impl VisitOrder {
    /// The order of the next round over `n` coefficients.
    pub fn round(&mut self, n: usize, order: &mut Vec<usize>) {
        order.clear();
        order.extend(0..n);
        if let Self::Random(stream) = self {
            stream.shuffle(order);
        }
    }
}

/// Rounds of coordinate descent before the support is taken for settled.
const ROUNDS: u64 = 4;
/// Supports up to this size are solved directly.
const DIRECT: usize = 4096;
/// Coefficients that may leave the support before coordinate descent looks at all again.
const LEAVING: usize = 16;
/// Rounds without progress after which rounding is all that is left.
const PATIENCE: u32 = 12;

/// The problem `½ bᵀ A b - q·b + penalty` for one working set.
pub(super) struct WorkingSetQp<'a> {
    /// Products of the columns, symmetric.
    pub a: &'a Mat<f64>,
    pub q: &'a [f64],
    pub penalty: LassoPenalty,
}

impl WorkingSetQp<'_> {
    /// Minimizes, from `b` on. Returns the rounds that were taken, at most about `budget`.
    pub fn minimize(&self, b: &mut [f64], order: &mut VisitOrder, budget: u64) -> u64 {
        let m = b.len();
        let (mut z, mut visit) = (vec![0.0; m], Vec::with_capacity(m));
        let noise = self.gradient(b, &mut z);
        if self.violation(&z, b) <= noise {
            return 0;
        }
        let mut anderson = AndersonAcceleration::new(5);
        let (mut rounds, mut least, mut waited, mut direct) = (0, f64::INFINITY, 0, true);
        while rounds < budget {
            for _ in 0..ROUNDS {
                order.round(m, &mut visit);
                self.round(b, &mut z, &visit);
                rounds += 1;
                if !direct && let Some(candidate) = anderson.push(b) {
                    self.take_better(b, &mut z, candidate);
                }
            }
            if direct {
                direct = self.solve_support(b, &mut z);
                rounds += 1;
            }
            let noise = self.gradient(b, &mut z);
            let violation = self.violation(&z, b);
            if violation <= noise {
                break;
            }
            if violation < 0.9 * least {
                least = violation;
                waited = 0;
            } else {
                waited += 1;
                if waited > PATIENCE && least <= 1e4 * noise {
                    break;
                }
            }
        }
        rounds
    }

    /// One round of coordinate descent.
    fn round(&self, b: &mut [f64], z: &mut [f64], visit: &[usize]) {
        let LassoPenalty { l1, l2, positive } = self.penalty;
        for &j in visit {
            let (old, row) = (b[j], self.a.row(j));
            let new = elastic_step(z[j] + row[j] * old, row[j], l1, l2, positive);
            if new != old {
                let step = new - old;
                z.iter_mut().zip(row).for_each(|(z, a)| *z -= step * a);
                b[j] = new;
            }
        }
    }

    /// `z = q - A b`; returns what of it is rounding.
    fn gradient(&self, b: &[f64], z: &mut [f64]) -> f64 {
        z.copy_from_slice(self.q);
        let mut size: Vec<f64> = self.q.iter().map(|q| q.abs()).collect();
        for (j, &b) in b.iter().enumerate().filter(|(_, b)| **b != 0.0) {
            for ((z, s), a) in z.iter_mut().zip(&mut size).zip(self.a.row(j)) {
                *z -= b * a;
                *s += (b * a).abs();
            }
        }
        32.0 * f64::EPSILON * size.iter().fold(0.0, |a: f64, &b| a.max(b))
    }

    fn violation(&self, z: &[f64], b: &[f64]) -> f64 {
        z.iter().zip(b).fold(0.0, |most: f64, (&z, &b)| most.max(self.penalty.violation(z, b)))
    }

    /// The objective, from a fresh gradient: bᵀ A b is b·(q - z).
    fn value(&self, b: &[f64], z: &[f64]) -> f64 {
        let smooth: f64 = b.iter().zip(self.q).zip(z).map(|((b, q), z)| -0.5 * b * (q + z)).sum();
        smooth + self.penalty.value(b)
    }

    fn take_better(&self, b: &mut [f64], z: &mut [f64], mut candidate: Vec<f64>) {
        if self.penalty.positive {
            candidate.iter_mut().for_each(|b| *b = b.max(0.0));
        }
        self.gradient(b, z);
        let before = self.value(b, z);
        let mut other = vec![0.0; b.len()];
        self.gradient(&candidate, &mut other);
        if self.value(&candidate, &other) < before {
            b.copy_from_slice(&candidate);
            z.copy_from_slice(&other);
        }
    }

    /// Moves to the minimum on the support with its signs, or toward it as far as the signs hold: what
    /// reaches 0 leaves the support. False when the system is singular, or too large, or does not help.
    fn solve_support(&self, b: &mut [f64], z: &mut [f64]) -> bool {
        let LassoPenalty { l1, l2, positive } = self.penalty;
        for _ in 0..LEAVING {
            let support: Vec<usize> = (0..b.len()).filter(|&j| b[j] != 0.0).collect();
            if support.is_empty() {
                return true;
            }
            if support.len() > DIRECT {
                return false;
            }
            let system = Mat::from_fn(support.len(), support.len(), |i, j| {
                self.a[(support[i], support[j])] + if i == j { l2 } else { 0.0 }
            });
            let Ok(factor) = Cholesky::new(system.view()) else { return false };
            let mut to: Vec<f64> = support.iter().map(|&j| self.q[j] - l1 * b[j].signum()).collect();
            factor.solve_vec(&mut to);
            if to.iter().any(|v| !v.is_finite()) {
                return false;
            }
            self.gradient(b, z);
            let (before, start) = (self.value(b, z), b.to_vec());
            // Without a linear penalty there is no corner at 0.
            let corner = l1 > 0.0 || positive;
            let crossing = |k: usize, j: usize| corner && to[k].signum() != start[j].signum();
            let mut reach = 1.0f64;
            for (k, &j) in support.iter().enumerate().filter(|&(k, &j)| crossing(k, j)) {
                reach = reach.min(start[j] / (start[j] - to[k]));
            }
            for (k, &j) in support.iter().enumerate() {
                let moved = if reach == 1.0 { to[k] } else { start[j] + reach * (to[k] - start[j]) };
                b[j] = if crossing(k, j) && (moved.signum() != start[j].signum() || reach == start[j] / (start[j] - to[k])) {
                    0.0
                } else {
                    moved
                };
            }
            self.gradient(b, z);
            let after = self.value(b, z);
            if after > before + 1e-12 * before.abs() {
                b.copy_from_slice(&start);
                self.gradient(b, z);
                return false;
            }
            if reach == 1.0 {
                return true;
            }
        }
        true
    }
}
