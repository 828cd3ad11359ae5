//! The problem on a working set, on the columns themselves: the residuals are kept up to date. For sparse columns, and
//! where the products of the columns would take more memory than the data.

use ermine_math::columns::Columns;
use ermine_math::coordinate::{AndersonAcceleration, elastic_step};

use super::inner::VisitOrder;
use super::problem::{LassoPenalty, LassoProblem};

/// Rounds over the coefficients that are not 0 between two rounds over all.
const ROUNDS: u64 = 5;

/// One working set with the residuals.
pub(super) struct ResidualDescent<'a> {
    pub problem: &'a LassoProblem<'a>,
    pub set: &'a [usize],
    /// The columns of the set, rows scaled by the square roots of the weights; sparse ones are not centered.
    pub columns: Columns<'a>,
    /// Square roots of the weights.
    pub roots: Option<&'a [f64]>,
    pub penalty: LassoPenalty,
    /// Residuals, scaled like the columns, up to the shift.
    pub rest: Vec<f64>,
    /// The pending shift of all residuals, since sparse columns are centered in effect only.
    pub shift: f64,
}

impl ResidualDescent<'_> {
    /// Minimizes, from `b` on, until no step changes the gradient by more than `enough`. Returns the rounds taken.
    pub fn minimize(&mut self, b: &mut [f64], order: &mut VisitOrder, budget: u64, enough: f64) -> u64 {
        let mut anderson = AndersonAcceleration::new(5);
        let (mut rounds, mut visit) = (0, Vec::new());
        while rounds < budget {
            order.round(b.len(), &mut visit);
            let change = self.round(b, &visit);
            rounds += 1;
            if change <= enough {
                break;
            }
            anderson.restart();
            anderson.push(b);
            visit.retain(|&k| b[k] != 0.0);
            for _ in 0..ROUNDS {
                if rounds >= budget {
                    break;
                }
                let change = self.round(b, &visit);
                rounds += 1;
                if let Some(candidate) = anderson.push(b) {
                    self.take_better(b, candidate);
                }
                if change <= 0.3 * enough {
                    break;
                }
            }
        }
        rounds
    }

    /// One round; returns the largest change of a gradient by its own step.
    fn round(&mut self, b: &mut [f64], visit: &[usize]) -> f64 {
        let LassoPenalty { l1, l2, positive } = self.penalty;
        let (problem, total) = (self.problem, self.problem.total);
        let sparse = problem.design.is_sparse();
        let mut most = 0.0f64;
        for &k in visit {
            let j = self.set[k];
            let curvature = problem.variance[j];
            let mut z = self.columns.dot(k, &self.rest) / total + curvature * b[k];
            if sparse {
                z += self.shift * problem.mean[j];
            }
            let new = elastic_step(z, curvature, l1, l2, positive);
            let step = new - b[k];
            if step != 0.0 {
                self.columns.axpy(k, -step, &mut self.rest);
                if sparse {
                    self.shift += step * problem.mean[j];
                }
                b[k] = new;
                most = most.max(step.abs() * (curvature + l2));
            }
        }
        most
    }

    /// The residuals themselves; 0 where the weight is 0.
    pub fn residuals(self) -> Vec<f64> {
        let shift = self.shift;
        let mut rest = self.rest;
        match self.roots {
            None => rest.iter_mut().for_each(|r| *r += shift),
            Some(w) => rest.iter_mut().zip(w).for_each(|(r, w)| *r = if *w > 0.0 { *r / w + shift } else { 0.0 }),
        }
        rest
    }

    fn value(&self, rest: &[f64], shift: f64, b: &[f64]) -> f64 {
        let squares: f64 = match (shift == 0.0, self.roots) {
            (true, _) => rest.iter().map(|r| r * r).sum(),
            (false, None) => rest.iter().map(|r| (r + shift) * (r + shift)).sum(),
            (false, Some(roots)) => rest.iter().zip(roots).map(|(r, w)| (r + shift * w) * (r + shift * w)).sum(),
        };
        0.5 * squares / self.problem.total + self.penalty.value(b)
    }

    fn take_better(&mut self, b: &mut [f64], mut candidate: Vec<f64>) {
        if self.penalty.positive {
            candidate.iter_mut().for_each(|b| *b = b.max(0.0));
        }
        let (mut rest, mut shift) = (self.rest.clone(), self.shift);
        for (k, (new, old)) in candidate.iter().zip(&*b).enumerate().filter(|(_, (n, o))| n != o) {
            self.columns.axpy(k, old - new, &mut rest);
            if self.problem.design.is_sparse() {
                shift += (new - old) * self.problem.mean[self.set[k]];
            }
        }
        if self.value(&rest, shift, &candidate) < self.value(&self.rest, self.shift, b) {
            b.copy_from_slice(&candidate);
            self.rest = rest;
            self.shift = shift;
        }
    }
}
