//! Systems of linear equations of the Newton steps.

use ermine_core::{Error, Mat, Result};

use super::matrix::ProgramMatrix;
use super::{add_scaled, dot, max_abs};
use crate::linalg::Cholesky;

/// Rounds of iterative refinement at most.
const REFINEMENTS: usize = 6;

/// The residual, as a share of the right-hand side, at which a step towards an optimum is good enough.
pub(super) const STEP_PRECISION: f64 = 1e-10;
/// That of an answer.
pub(super) const ANSWER_PRECISION: f64 = 1e-15;

/// The factored system
/// ```text
/// P x + Aᵀ y + Gᵀ z = r      A x = s      G x − W⁻¹ z = t
/// ```
/// with W diagonal and positive. z is eliminated, then x: `K = P + Gᵀ W G + ρ AᵀA + δ I` and `A K⁻¹ Aᵀ + δ I` are factored. ρ makes K regular
/// where only the equalities fix a direction, and changes no solution. δ allows for directions that nothing fixes and for dependent
/// equalities; iterative refinement with the system as it stands removes its effect on all others.
pub(super) struct NewtonSystem<'a> {
    p: &'a ProgramMatrix,
    g: &'a ProgramMatrix,
    a: &'a ProgramMatrix,
    w: Vec<f64>,
    rho: f64,
    precision: f64,
    k: Cholesky,
    /// L⁻¹Aᵀ, L being the factor of K, and the factor of its Gram matrix.
    equalities: Option<(Mat<f64>, Cholesky)>,
}

/// A solution, or a right-hand side: x, y, z, or r, s, t.
#[derive(Debug, Clone, Default)]
pub(super) struct NewtonPoint {
    pub x: Vec<f64>,
    pub y: Vec<f64>,
    pub z: Vec<f64>,
}

impl NewtonPoint {
    fn size(&self) -> f64 {
        max_abs(&self.x).max(max_abs(&self.y)).max(max_abs(&self.z))
    }

    fn add(&mut self, other: &Self) {
        add_scaled(&mut self.x, 1.0, &other.x);
        add_scaled(&mut self.y, 1.0, &other.y);
        add_scaled(&mut self.z, 1.0, &other.z);
    }
}

impl<'a> NewtonSystem<'a> {
    pub fn new(p: &'a ProgramMatrix, g: &'a ProgramMatrix, a: &'a ProgramMatrix, w: Vec<f64>, precision: f64) -> Result<Self> {
        let n = p.cols();
        let mut k = p.to_dense();
        g.add_weighted_gram(&w, &mut k);
        let size = (0..n).fold(0.0, |m: f64, i| m.max(k[(i, i)]));
        let rho = if a.rows() == 0 { 0.0 } else { size.max(1e-8) / a.size().powi(2).max(f64::MIN_POSITIVE) };
        a.add_weighted_gram(&vec![rho; a.rows()], &mut k);
        let mut delta = 1e-13 * size.max(1e-3);
        let k = loop {
            let shifted = Mat::from_fn(n, n, |i, j| k[(i, j)] + if i == j { delta } else { 0.0 });
            match Cholesky::new(shifted.view()) {
                Ok(k) => break k,
                Err(e) if delta > 1e-6 * size.max(1e-3) => return Err(Error::Numeric(format!("Newton step of a program: {e}"))),
                Err(_) => delta *= 10.0,
            }
        };
        let equalities = if a.rows() == 0 { None } else { Some(schur(&k, a)?) };
        Ok(Self { p, g, a, w, rho, precision, k, equalities })
    }

    pub fn solve(&self, right: &NewtonPoint) -> NewtonPoint {
        let mut solution = self.solve_once(right);
        let mut residual = self.residual(right, &solution);
        let goal = self.precision * right.size();
        for _ in 0..REFINEMENTS {
            if residual.size() <= goal {
                break;
            }
            let mut next = solution.clone();
            next.add(&self.solve_once(&residual));
            let after = self.residual(right, &next);
            // A direction that nothing fixes keeps its residual.
            if after.size().is_nan() || after.size() >= 0.9 * residual.size() {
                break;
            }
            (solution, residual) = (next, after);
        }
        solution
    }

    fn solve_once(&self, right: &NewtonPoint) -> NewtonPoint {
        let mut x = right.x.clone();
        let weighted: Vec<f64> = self.w.iter().zip(&right.z).map(|(w, t)| w * t).collect();
        self.g.add_transposed_times(&weighted, &mut x);
        let lifted: Vec<f64> = right.y.iter().map(|s| self.rho * s).collect();
        self.a.add_transposed_times(&lifted, &mut x);
        let mut y = Vec::new();
        match &self.equalities {
            None => self.k.solve_vec(&mut x),
            Some((half, s)) => {
                let mut column = Mat::from_vec(x.len(), 1, x);
                self.k.solve_lower(&mut column);
                let u = column.as_slice();
                y = (0..half.cols())
                    .map(|j| half.view().col_iter(j).zip(u).map(|(h, u)| h * u).sum::<f64>() - right.y[j])
                    .collect();
                s.solve_vec(&mut y);
                let rest: Vec<f64> = (0..u.len()).map(|i| u[i] - dot(half.row(i), &y)).collect();
                let mut column = Mat::from_vec(rest.len(), 1, rest);
                self.k.solve_upper(&mut column);
                x = column.into_vec();
            }
        }
        let z = (0..self.w.len()).map(|i| self.w[i] * (self.g.row_dot(i, &x) - right.z[i])).collect();
        NewtonPoint { x, y, z }
    }

    fn residual(&self, right: &NewtonPoint, at: &NewtonPoint) -> NewtonPoint {
        let mut x = self.p.times(&at.x);
        self.a.add_transposed_times(&at.y, &mut x);
        self.g.add_transposed_times(&at.z, &mut x);
        x.iter_mut().zip(&right.x).for_each(|(v, r)| *v = r - *v);
        let y = right.y.iter().zip(self.a.times(&at.x)).map(|(s, v)| s - v).collect();
        let z = (0..self.w.len()).map(|i| right.z[i] - (self.g.row_dot(i, &at.x) - at.z[i] / self.w[i])).collect();
        NewtonPoint { x, y, z }
    }
}

fn schur(k: &Cholesky, a: &ProgramMatrix) -> Result<(Mat<f64>, Cholesky)> {
    let dense = a.to_dense();
    let mut half = Mat::from_fn(dense.cols(), dense.rows(), |i, j| dense[(j, i)]);
    k.solve_lower(&mut half);
    let mut s = crate::linalg::product(half.view().t(), half.view());
    let size = (0..s.rows()).fold(0.0, |m: f64, i| m.max(s[(i, i)])).max(f64::MIN_POSITIVE);
    let mut lift = 1e-14 * size;
    loop {
        (0..s.rows()).for_each(|i| s[(i, i)] += lift);
        match Cholesky::new(s.view()) {
            Ok(s) => return Ok((half, s)),
            Err(e) if lift > 1e-6 * size => return Err(Error::Numeric(format!("equalities of a program: {e}"))),
            Err(_) => lift *= 10.0,
        }
    }
}
