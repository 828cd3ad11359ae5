//! The dual active-set method of Goldfarb and Idnani (1983) for a positive definite P.
//!
//! It starts at the minimum without constraints and takes violated constraints into the active set one by one, each time along the path on
//! which all multipliers stay ≥ 0; the objective rises with every step, so that no active set comes twice.

use ermine_core::{Error, Mat, Result};

use super::polish::polish;
use super::program::{Multipliers, QpOutcome, QuadraticProgram};
use super::proximal;
use super::{add_scaled, dot, max_abs};
use crate::linalg::Cholesky;

/// Condition of P from which on its factor is not used directly.
const SINGULAR: f64 = 1e-11;

pub(super) fn solve(program: &QuadraticProgram) -> Result<QpOutcome> {
    let p = program.p.to_dense();
    match Cholesky::new(p.view()).ok().filter(|c| c.reciprocal_condition() > SINGULAR) {
        None => proximal::solve(program, &p),
        Some(factor) => match DualActiveSet::new(program, &factor).run(&program.q)? {
            ActiveSetEnd::Optimal { x, multipliers, steps } => {
                let (x, multipliers) = polish(program, x, multipliers);
                Ok(QpOutcome::Optimal(program.optimum(x, multipliers, steps)))
            }
            ActiveSetEnd::Infeasible(multipliers) => infeasible(program, multipliers),
        },
    }
}

pub(super) fn infeasible(program: &QuadraticProgram, multipliers: Multipliers) -> Result<QpOutcome> {
    let lost = || {
        Error::Numeric("the active-set method lost its certificate of infeasibility to rounding; use the interior point".into())
    };
    program.farkas(multipliers).map(QpOutcome::Infeasible).ok_or_else(lost)
}

/// How a run ends.
pub(super) enum ActiveSetEnd {
    Optimal { x: Vec<f64>, multipliers: Multipliers, steps: usize },
    Infeasible(Multipliers),
}

/// The method for one matrix and one set of constraints; the linear term may change from run to run.
pub(super) struct DualActiveSet<'a> {
    program: &'a QuadraticProgram,
    factor: &'a Cholesky,
    /// Row k is column k of L⁻ᵀ.
    start: Mat<f64>,
    /// Lengths of the rows of A, then of G.
    lengths: Vec<f64>,
}

/// The state of a run.
struct ActiveRun {
    x: Vec<f64>,
    /// Row k is column k of J = L⁻ᵀ Q: the first `active.len()` span the active normals, the others the free directions.
    j: Mat<f64>,
    /// Columns of the triangle R.
    r: Vec<Vec<f64>>,
    /// Constraints: equalities by their index, then inequalities.
    active: Vec<usize>,
    /// Multipliers of the active constraints.
    u: Vec<f64>,
    /// Steps taken.
    steps: usize,
}

impl<'a> DualActiveSet<'a> {
    pub fn new(program: &'a QuadraticProgram, factor: &'a Cholesky) -> Self {
        let n = program.dim();
        let mut identity = Mat::from_fn(n, n, |i, j| f64::from(i == j));
        factor.solve_upper(&mut identity);
        let start = Mat::from_fn(n, n, |k, i| identity[(i, k)]);
        let length = |row: Vec<f64>| dot(&row, &row).sqrt();
        let lengths = (0..program.b.len())
            .map(|i| length(program.a.dense_row(i)))
            .chain((0..program.h.len()).map(|i| length(program.g.dense_row(i))))
            .collect();
        Self { program, factor, start, lengths }
    }

    /// Minimizes `½ xᵀP x + qᵀx` under the constraints of the program.
    pub fn run(&self, q: &[f64]) -> Result<ActiveSetEnd> {
        let n = q.len();
        let mut x: Vec<f64> = q.iter().map(|v| -v).collect();
        self.factor.solve_vec(&mut x);
        let mut run = ActiveRun { x, j: self.start.clone(), r: Vec::new(), active: Vec::new(), u: Vec::new(), steps: 0 };
        let equalities = self.program.b.len();
        for i in 0..equalities {
            if let Some(end) = self.take_in(&mut run, i)? {
                return Ok(end);
            }
        }
        let limit = 50 * (n + self.lengths.len()) + 1000;
        while let Some(worst) = self.most_violated(&run) {
            if run.steps > limit {
                return Err(Error::Numeric(format!(
                    "the active-set method took {limit} steps and still changes constraints; use the interior point"
                )));
            }
            if let Some(end) = self.take_in(&mut run, worst)? {
                return Ok(end);
            }
        }
        Ok(ActiveSetEnd::Optimal { multipliers: self.multipliers(&run.active, &run.u), x: run.x, steps: run.steps })
    }

    /// The normal n and the bound c of constraint `i` as nᵀx ≥ c (= c for equalities), of length 1.
    fn normal(&self, i: usize) -> (Vec<f64>, f64) {
        let (equalities, length) = (self.program.b.len(), self.lengths[i].max(f64::MIN_POSITIVE));
        let (row, bound, sign) = if i < equalities {
            (self.program.a.dense_row(i), self.program.b[i], 1.0)
        } else {
            (self.program.g.dense_row(i - equalities), self.program.h[i - equalities], -1.0)
        };
        (row.into_iter().map(|v| sign * v / length).collect(), sign * bound / length)
    }

    fn most_violated(&self, run: &ActiveRun) -> Option<usize> {
        let equalities = self.program.b.len();
        let size = max_abs(&run.x);
        let mut worst = (0.0, None);
        for i in 0..self.program.h.len() {
            let length = self.lengths[equalities + i].max(f64::MIN_POSITIVE);
            let above = (self.program.g.row_dot(i, &run.x) - self.program.h[i]) / length;
            let tolerance = 1e-13 * (1.0 + size + (self.program.h[i] / length).abs());
            if above > tolerance && above > worst.0 && !run.active.contains(&(equalities + i)) {
                worst = (above, Some(equalities + i));
            }
        }
        worst.1
    }

    /// Takes constraint `new` into the active set, dropping others where their multipliers would turn negative.
    fn take_in(&self, run: &mut ActiveRun, new: usize) -> Result<Option<ActiveSetEnd>> {
        let n = run.x.len();
        let equality = new < self.program.b.len();
        let (mut normal, mut bound) = self.normal(new);
        let mut sign = 1.0;
        if equality && dot(&normal, &run.x) > bound {
            // An equality is approached from the side where x is.
            normal.iter_mut().for_each(|v| *v = -*v);
            bound = -bound;
            sign = -1.0;
        }
        let mut u_new = 0.0;
        loop {
            run.steps += 1;
            let d: Vec<f64> = (0..n).map(|k| dot(run.j.row(k), &normal)).collect();
            let active = run.active.len();
            let mut z = vec![0.0; n];
            (active..n).for_each(|k| add_scaled(&mut z, d[k], run.j.row(k)));
            let back = back_substitute(&run.r, &d[..active]);
            let free: f64 = d[active..].iter().map(|v| v * v).sum();
            let all: f64 = d.iter().map(|v| v * v).sum();
            let missing = bound - dot(&normal, &run.x);
            // The longest step in the multipliers, and the constraint that would be dropped.
            let (mut partial, mut drop) = (f64::INFINITY, None);
            for k in (0..active).filter(|&k| run.active[k] >= self.program.b.len() && back[k] > 0.0) {
                if run.u[k] / back[k] < partial {
                    (partial, drop) = (run.u[k] / back[k], Some(k));
                }
            }
            let dependent = free <= 1e-22 * all;
            let full = if dependent { f64::INFINITY } else { missing / free };
            if dependent && missing <= 1e-11 * (1.0 + bound.abs() + max_abs(&run.x)) {
                return Ok(None);
            }
            if partial.is_infinite() && full.is_infinite() {
                return Ok(Some(ActiveSetEnd::Infeasible(self.certificate(run, &back, new, sign))));
            }
            let t = partial.min(full);
            (0..active).for_each(|k| run.u[k] -= t * back[k]);
            u_new += t;
            if !dependent {
                add_scaled(&mut run.x, t, &z);
            }
            if t == full {
                run.add(d, new, sign * u_new);
                if sign < 0.0 {
                    // From here on the multiplier belongs to the equality as it was given.
                    run.flip_last();
                }
                return Ok(None);
            }
            run.remove(drop.expect("a step that is cut short has its constraint"));
        }
    }

    /// Multipliers of `Gᵀλ + Aᵀν` from those of the unit normals nᵀx ≥ c: f' = Σ u n.
    fn multipliers(&self, active: &[usize], u: &[f64]) -> Multipliers {
        let equalities = self.program.b.len();
        let mut out = Multipliers { inequality: vec![0.0; self.program.h.len()], equality: vec![0.0; equalities] };
        for (&i, u) in active.iter().zip(u) {
            let v = u / self.lengths[i].max(f64::MIN_POSITIVE);
            if i < equalities { out.equality[i] -= v } else { out.inequality[i - equalities] += v }
        }
        out
    }

    /// The new normal is a combination of the active ones that no multiplier allows.
    fn certificate(&self, run: &ActiveRun, back: &[f64], new: usize, sign: f64) -> Multipliers {
        let mut out = self.multipliers(&run.active, &back.iter().map(|r| -r).collect::<Vec<_>>());
        let own = self.multipliers(&[new], &[sign]);
        add_scaled(&mut out.inequality, 1.0, &own.inequality);
        add_scaled(&mut out.equality, 1.0, &own.equality);
        out
    }
}

impl ActiveRun {
    /// Takes in the constraint whose normal has the coordinates `d` in J: rotations of the free directions leave one of them with it.
    fn add(&mut self, mut d: Vec<f64>, constraint: usize, u: f64) {
        let active = self.active.len();
        for k in (active + 1..d.len()).rev() {
            let (c, s, length) = rotation(d[k - 1], d[k]);
            if length == 0.0 {
                continue;
            }
            (d[k - 1], d[k]) = (length, 0.0);
            self.rotate(k - 1, k, c, s);
        }
        d.truncate(active + 1);
        self.r.push(d);
        self.active.push(constraint);
        self.u.push(u);
    }

    fn flip_last(&mut self) {
        if let Some(column) = self.r.last_mut() {
            column.iter_mut().for_each(|v| *v = -*v);
        }
    }

    fn remove(&mut self, k: usize) {
        self.r.remove(k);
        self.active.remove(k);
        self.u.remove(k);
        for i in k..self.active.len() {
            let (c, s, length) = rotation(self.r[i][i], self.r[i][i + 1]);
            if length > 0.0 {
                for column in &mut self.r[i..] {
                    let (a, b) = (column[i], column[i + 1]);
                    (column[i], column[i + 1]) = (c * a + s * b, c * b - s * a);
                }
                self.rotate(i, i + 1, c, s);
            }
            self.r[i].truncate(i + 1);
        }
    }

    fn rotate(&mut self, a: usize, b: usize, c: f64, s: f64) {
        let n = self.j.cols();
        let (head, tail) = self.j.as_mut_slice().split_at_mut(b * n);
        for (a, b) in head[a * n..(a + 1) * n].iter_mut().zip(&mut tail[..n]) {
            (*a, *b) = (c * *a + s * *b, c * *b - s * *a);
        }
    }
}

/// The rotation that takes (a, b) to (length, 0).
fn rotation(a: f64, b: f64) -> (f64, f64, f64) {
    let length = a.hypot(b);
    if length == 0.0 { (1.0, 0.0, 0.0) } else { (a / length, b / length, length) }
}

fn back_substitute(r: &[Vec<f64>], d: &[f64]) -> Vec<f64> {
    let mut out = d.to_vec();
    for k in (0..out.len()).rev() {
        out[k] /= r[k][k];
        let v = out[k];
        out[..k].iter_mut().zip(&r[k]).for_each(|(o, r)| *o -= v * r);
    }
    out
}
