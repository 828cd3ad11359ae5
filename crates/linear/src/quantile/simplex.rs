//! From a point near the optimum to the vertex that is the optimum: a plane through as many rows as there are unknowns.
//!
//! At a vertex the rows on the plane (the basis) can be given the dual variables that balance all others. The vertex is optimal when
//! these lie within their limits. A row whose dual variable does not leaves the basis, and the plane moves along the edge that opens to the lowest
//! point of the objective there, where it meets another row: Barrodale and Roberts' exchange. From the end of the interior point it takes few.
//!
//! Targets are moved by random amounts far below what matters and far above rounding, so that no two rows are met at once
//! and no exchange leaves the plane where it is; the final plane is computed from the targets as they are, and dual variables do not depend on
//! them.

use ermine_core::{Context, Mat, Progress, Result, RngStream};
use ermine_math::linalg::PivotedQr;

use super::program::LinearProgram;

/// The perturbation of the targets, relative to their size.
const MOVED: f64 = 1e-11;
/// Pulls beyond their limits by less than this share of the room between them are within.
const WITHIN: f64 = 1e-10;
/// A row nearer than this to the span of others depends on them.
const DEPENDENT: f64 = 1e-9;
/// Exchanges after which the inverse is computed afresh.
const REFRESH: u64 = 64;

/// On which side of the plane a row is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlaneSide {
    Below,
    On,
    Above,
}

/// A plane through rows, with the dual variable of every row.
#[derive(Debug, Clone)]
pub struct BasicSolution {
    /// The rows on the plane, as many as unknowns.
    pub basis: Vec<usize>,
    /// The inverse of these rows of A.
    pub inverse: Mat<f64>,
    pub b: Vec<f64>,
    pub dual: Vec<f64>,
    pub side: Vec<PlaneSide>,
    pub exchanges: u64,
    /// Largest share of its room by which a dual variable is beyond its limits.
    pub violation: f64,
}

/// Rows that span all, those of largest weight first; fewer than the unknowns when A has not the rank.
pub fn choose_basis(program: &LinearProgram, weight: &[f64]) -> Vec<usize> {
    let q = program.width();
    let mut order: Vec<usize> = (0..program.len()).collect();
    order.sort_unstable_by(|&i, &j| weight[j].total_cmp(&weight[i]).then(i.cmp(&j)));
    let mut span: Vec<Vec<f64>> = Vec::with_capacity(q);
    let mut basis = Vec::with_capacity(q);
    let mut row = vec![0.0; q];
    for i in order {
        if basis.len() == q {
            break;
        }
        program.row(i, &mut row);
        let length = norm(&row);
        if length == 0.0 {
            continue;
        }
        let mut rest = row.clone();
        // Orthogonalized twice, which is enough (Kahan).
        for _ in 0..2 {
            for direction in &span {
                let along: f64 = direction.iter().zip(&rest).map(|(d, r)| d * r).sum();
                rest.iter_mut().zip(direction).for_each(|(r, d)| *r -= along * d);
            }
        }
        let left = norm(&rest);
        if left > DEPENDENT * length {
            rest.iter_mut().for_each(|r| *r /= left);
            span.push(rest);
            basis.push(i);
        }
    }
    basis
}

fn norm(v: &[f64]) -> f64 {
    v.iter().map(|v| v * v).sum::<f64>().sqrt()
}

/// The columns that the rows of a basis of too low rank determine.
pub fn independent_columns(program: &LinearProgram, basis: &[usize]) -> Result<Vec<usize>> {
    let (q, k) = (program.width(), basis.len());
    let mut a = Mat::zeros(k, q);
    basis.iter().enumerate().for_each(|(r, &i)| program.row(i, a.row_mut(r)));
    // The intercept goes first; other columns are judged by what it leaves of them.
    if program.intercept {
        for r in 0..k {
            a[(r, q - 1)] *= 1e6;
        }
    }
    let mut columns: Vec<usize> = PivotedQr::new(a.view())?.order[..k].iter().copied().filter(|&j| j < program.cols()).collect();
    columns.sort_unstable();
    Ok(columns)
}

impl BasicSolution {
    /// The plane through given rows; `None` when these do not determine one.
    pub fn basis_through(program: &LinearProgram, basis: Vec<usize>) -> Result<Option<Self>> {
        let mut vertex = Self {
            inverse: Mat::zeros(0, 0),
            b: Vec::new(),
            dual: vec![0.0; program.len()],
            side: vec![PlaneSide::On; program.len()],
            basis,
            exchanges: 0,
            violation: f64::INFINITY,
        };
        Ok(vertex.refresh(program, &program.y)?.then_some(vertex))
    }

    /// Computes inverse and plane afresh; false when the rows are dependent.
    fn refresh(&mut self, program: &LinearProgram, y: &[f64]) -> Result<bool> {
        let q = program.width();
        let mut a = Mat::zeros(q, q);
        self.basis.iter().enumerate().for_each(|(k, &i)| program.row(i, a.row_mut(k)));
        let qr = PivotedQr::new(a.view())?;
        if qr.rank(1e-14) < q {
            return Ok(false);
        }
        let identity = Mat::from_fn(q, q, |i, j| f64::from(u8::from(i == j)));
        self.inverse = qr.solve(identity.view(), q);
        self.b = self.through_targets(y);
        // One correction by the residuals.
        let left: Vec<f64> =
            (0..q).map(|k| y[self.basis[k]] - a.row(k).iter().zip(&self.b).map(|(a, b)| a * b).sum::<f64>()).collect();
        for (j, b) in self.b.iter_mut().enumerate() {
            *b += self.inverse.row(j).iter().zip(&left).map(|(i, l)| i * l).sum::<f64>();
        }
        Ok(self.b.iter().all(|b| b.is_finite()))
    }

    fn through_targets(&self, y: &[f64]) -> Vec<f64> {
        (0..self.inverse.rows()).map(|j| self.inverse.row(j).iter().zip(&self.basis).map(|(v, &i)| v * y[i]).sum()).collect()
    }

    /// Exchanges rows until every dual variable is within its limits. Returns whether that was reached.
    pub fn pivot_to_optimum(&mut self, program: &LinearProgram, cx: &Context<'_>) -> Result<bool> {
        let (n, q) = (program.len(), program.width());
        let size = program.y.iter().map(|y| y.abs()).fold(0.0, f64::max).max(self.b.iter().map(|b| b.abs()).fold(0.0, f64::max));
        let mut rng = RngStream::new(0, "quantile targets", 0);
        let mut y: Vec<f64> = program.y.iter().map(|y| y + MOVED * size * (rng.uniform() - 0.5)).collect();
        if size == 0.0 {
            y.iter_mut().for_each(|y| *y = rng.uniform() - 0.5);
        }
        self.b = self.through_targets(&y);
        let mut r = self.residuals(program, &y);
        self.assign_sides(&r);
        let most = 2000 + 50 * q as u64;
        let (mut edge, mut along) = (vec![0.0; q], vec![0.0; n]);
        let mut reached = false;
        let start = self.exchanges;
        while self.exchanges - start < most {
            if self.exchanges.is_multiple_of(16) {
                cx.check(Progress { stage: "exchange", done: self.exchanges, total: None, objective: None })?;
            }
            let Some((place, up)) = self.worst(program) else {
                reached = true;
                break;
            };
            (0..q).for_each(|j| edge[j] = self.inverse[(j, place)]);
            program.apply(&edge, &mut along);
            if !up {
                along.iter_mut().for_each(|e| *e = -*e);
            }
            let leaving = self.basis[place];
            let Some((entering, step, passed)) = self.lowest(program, place, up, &r, &along) else { break };
            for i in passed {
                self.side[i] = if self.side[i] == PlaneSide::Above { PlaneSide::Below } else { PlaneSide::Above };
            }
            for i in 0..n {
                r[i] += step * along[i];
            }
            self.side[leaving] = if up { PlaneSide::Above } else { PlaneSide::Below };
            self.side[entering] = PlaneSide::On;
            let mut row = vec![0.0; q];
            program.row(entering, &mut row);
            let new: Vec<f64> = (0..q).map(|k| (0..q).map(|j| row[j] * self.inverse[(j, k)]).sum()).collect();
            self.basis[place] = entering;
            for j in 0..q {
                let pivot = self.inverse[(j, place)] / new[place];
                let line = self.inverse.row_mut(j);
                line.iter_mut().zip(&new).for_each(|(v, n)| *v -= pivot * n);
                line[place] = pivot;
            }
            self.basis.iter().for_each(|&i| r[i] = 0.0);
            self.exchanges += 1;
            if self.exchanges.is_multiple_of(REFRESH) {
                if !self.refresh(program, &y)? {
                    break;
                }
                self.b = self.through_targets(&y);
                r = self.residuals(program, &y);
                self.assign_sides(&r);
            }
        }
        Ok(self.refresh(program, &program.y)? && reached)
    }

    fn residuals(&self, program: &LinearProgram, y: &[f64]) -> Vec<f64> {
        let mut r = vec![0.0; program.len()];
        program.apply(&self.b, &mut r);
        r.iter_mut().zip(y).for_each(|(r, y)| *r = y - *r);
        self.basis.iter().for_each(|&i| r[i] = 0.0);
        r
    }

    fn assign_sides(&mut self, r: &[f64]) {
        self.side.iter_mut().zip(r).for_each(|(s, r)| *s = if *r < 0.0 { PlaneSide::Below } else { PlaneSide::Above });
        self.basis.iter().for_each(|&i| self.side[i] = PlaneSide::On);
    }

    /// Balances the dual variables of the basis against all others; the place in the basis whose dual variable is farthest beyond a limit, and
    /// whether it is the upper one.
    fn worst(&mut self, program: &LinearProgram) -> Option<(usize, bool)> {
        for i in 0..program.len() {
            self.dual[i] = match self.side[i] {
                PlaneSide::Below => program.lo[i],
                PlaneSide::On => 0.0,
                PlaneSide::Above => program.hi[i],
            };
        }
        let unbalanced = program.products(&self.dual);
        self.violation = 0.0;
        let mut worst = (0.0, None);
        for (k, &i) in self.basis.iter().enumerate() {
            let dual = -(0..unbalanced.len()).map(|j| unbalanced[j] * self.inverse[(j, k)]).sum::<f64>();
            let (above, below) = (dual - program.hi[i], program.lo[i] - dual);
            let beyond = above.max(below);
            let share = beyond / (program.hi[i] - program.lo[i]);
            self.dual[i] = dual.clamp(program.lo[i], program.hi[i]);
            self.violation = share.max(self.violation);
            let length = (0..unbalanced.len()).map(|j| self.inverse[(j, k)].powi(2)).sum::<f64>().sqrt();
            if share > WITHIN && beyond / length > worst.0 {
                worst = (beyond / length, Some((k, above > below)));
            }
        }
        worst.1
    }

    /// Along an edge: the row met at the lowest point, how far that is, and the rows passed before it.
    fn lowest(
        &self,
        program: &LinearProgram,
        place: usize,
        up: bool,
        r: &[f64],
        along: &[f64],
    ) -> Option<(usize, f64, Vec<usize>)> {
        let leaving = self.basis[place];
        // The slope is that of the balance, which the dual variable of the leaving row exceeds.
        let mut slope: f64 =
            (0..program.len()).map(|i| if self.side[i] == PlaneSide::On { 0.0 } else { self.limit(program, i) * along[i] }).sum();
        slope += if up { program.hi[leaving] } else { -program.lo[leaving] };
        let largest = along.iter().map(|e| e.abs()).fold(0.0, f64::max);
        let mut met: Vec<(f64, usize)> = (0..program.len())
            .filter(|&i| match self.side[i] {
                PlaneSide::On => false,
                PlaneSide::Above => along[i] < -1e-12 * largest,
                PlaneSide::Below => along[i] > 1e-12 * largest,
            })
            .map(|i| ((-r[i] / along[i]).max(0.0), i))
            .collect();
        met.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let mut passed = Vec::new();
        for (step, i) in met {
            slope += (program.hi[i] - program.lo[i]) * along[i].abs();
            if slope >= 0.0 {
                return Some((i, step, passed));
            }
            passed.push(i);
        }
        None
    }

    fn limit(&self, program: &LinearProgram, i: usize) -> f64 {
        if self.side[i] == PlaneSide::Above { program.hi[i] } else { program.lo[i] }
    }
}
