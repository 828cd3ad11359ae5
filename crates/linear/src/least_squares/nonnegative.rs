//! Least squares with coefficients at or above zero, on the normal equations.

use ermine_core::{Mat, Result};

use ermine_core::Error;

/// A minimizer of ½ bᵀ A b - cᵀ b over b >= 0.
pub(super) struct NnlsSolution {
    pub coef: Vec<f64>,
    /// The columns above zero, ascending.
    pub passive: Vec<usize>,
    pub steps: u64,
    /// Rough condition of the system of the passive columns.
    pub condition: f64,
}

/// The Cholesky factor of the passive columns, in the order they came; rows are appended and taken out.
struct UpdatableCholesky {
    columns: Vec<usize>,
    rows: Vec<Vec<f64>>,
}

impl UpdatableCholesky {
    /// Takes in a column; false when it depends on those that are there.
    fn push(&mut self, a: &Mat<f64>, column: usize) -> bool {
        let mut row = Vec::with_capacity(self.columns.len() + 1);
        for (i, &other) in self.columns.iter().enumerate() {
            let known: f64 = self.rows[i][..i].iter().zip(&row).map(|(l, r): (&f64, &f64)| l * r).sum();
            row.push((a[(column, other)] - known) / self.rows[i][i]);
        }
        let rest = a[(column, column)] - row.iter().map(|v| v * v).sum::<f64>();
        if rest <= 1e-14 * (1.0 + self.columns.len() as f64) * a[(column, column)] {
            return false;
        }
        row.push(rest.sqrt());
        self.rows.push(row);
        self.columns.push(column);
        true
    }

    /// Leaves out every column that `keep` refuses.
    fn retain(&mut self, a: &Mat<f64>, keep: impl Fn(usize) -> bool) {
        let Some(first) = self.columns.iter().position(|&c| !keep(c)) else { return };
        let later: Vec<usize> = self.columns[first..].iter().copied().filter(|&c| keep(c)).collect();
        self.columns.truncate(first);
        self.rows.truncate(first);
        for column in later {
            self.push(a, column);
        }
    }

    fn solve(&self, c: &[f64]) -> Vec<f64> {
        let n = self.columns.len();
        let mut v: Vec<f64> = Vec::with_capacity(n);
        for i in 0..n {
            let known: f64 = self.rows[i][..i].iter().zip(&v).map(|(l, x): (&f64, &f64)| l * x).sum();
            v.push((c[self.columns[i]] - known) / self.rows[i][i]);
        }
        for i in (0..n).rev() {
            v[i] /= self.rows[i][i];
            for k in 0..i {
                v[k] -= self.rows[i][k] * v[i];
            }
        }
        v
    }

    fn condition(&self) -> f64 {
        // Diagonals of A are near 1 here, so a pivot is the share of its column that the others leave.
        self.columns.iter().enumerate().map(|(i, _)| 1.0 / self.rows[i][i].powi(2)).fold(1.0, f64::max)
    }
}

/// The active-set method of Lawson and Hanson (1974), on the normal equations as in Bro and de Jong (1997). `a` is scaled to a
/// diagonal near 1.
pub(super) fn solve(a: &Mat<f64>, c: &[f64]) -> Result<NnlsSolution> {
    let p = c.len();
    let mut coef = vec![0.0; p];
    let mut factor = UpdatableCholesky { columns: Vec::new(), rows: Vec::new() };
    // Columns that did not turn positive when tried, until the point moves.
    let mut tried = vec![false; p];
    let mut steps = 0;
    let limit = 30 * p as u64 + 100;
    loop {
        let mut best: Option<(usize, f64)> = None;
        for j in 0..p {
            if coef[j] > 0.0 || tried[j] || factor.columns.contains(&j) {
                continue;
            }
            let terms = a.row(j).iter().zip(&coef).map(|(a, b)| a * b);
            let gradient = c[j] - terms.clone().sum::<f64>();
            let rounding = 8.0 * f64::EPSILON * (c[j].abs() + terms.map(f64::abs).sum::<f64>());
            if gradient > rounding && best.is_none_or(|(_, g)| gradient > g) {
                best = Some((j, gradient));
            }
        }
        let Some((enter, _)) = best else { break };
        steps += 1;
        if steps > limit {
            return Err(Error::Numeric(format!("the active set of {p} columns did not settle in {limit} steps")));
        }
        if !factor.push(a, enter) {
            tried[enter] = true;
            continue;
        }
        let mut moved = false;
        loop {
            let target = factor.solve(c);
            let last = factor.columns.len() - 1;
            if !moved && target[last] <= 0.0 {
                // Rounding: gradient and solution disagree on the direction.
                factor.retain(a, |col| col != enter);
                tried[enter] = true;
                break;
            }
            moved = true;
            // As far toward the solution as no coefficient falls below zero.
            let mut share = 1.0f64;
            for (&col, &t) in factor.columns.iter().zip(&target) {
                if t <= 0.0 {
                    share = share.min(coef[col] / (coef[col] - t));
                }
            }
            for (&col, &t) in factor.columns.iter().zip(&target) {
                coef[col] = if share == 1.0 { t } else { coef[col] + share * (t - coef[col]) };
            }
            if share == 1.0 {
                break;
            }
            let out: Vec<usize> = factor
                .columns
                .iter()
                .zip(&target)
                .filter(|&(&col, &t)| t <= 0.0 && coef[col] <= f64::EPSILON * (t.abs() + coef[col]))
                .map(|(&col, _)| col)
                .collect();
            out.iter().for_each(|&col| coef[col] = 0.0);
            factor.retain(a, |col| !out.contains(&col));
            if out.is_empty() || factor.columns.is_empty() {
                break;
            }
        }
        if moved {
            tried.fill(false);
        }
    }
    let mut passive = factor.columns.clone();
    passive.sort_unstable();
    Ok(NnlsSolution { coef, passive, steps, condition: factor.condition() })
}

/// Largest violation of the conditions b >= 0, gradient <= 0, b · gradient = 0, in units of the scaled problem: `gradient` is
/// c - A b, `size` the length of the scaled target.
pub(super) fn violation(coef: &[f64], gradient: &[f64], size: f64) -> f64 {
    let worst = coef.iter().zip(gradient).map(|(&b, &g)| if b > 0.0 { g.abs() } else { g.max(0.0).max(-b) });
    worst.fold(0.0, f64::max) / size
}

#[cfg(test)]
mod tests {
    use super::*;
    use ermine_core::RngStream;

    #[test]
    fn the_optimality_conditions_hold_on_random_problems() {
        let mut rng = RngStream::new(3, "nnls", 0);
        for case in 0..200 {
            let (n, p) = (5 + case % 40, 1 + case % 17);
            let x = Mat::from_fn(n, p, |_, j| rng.normal() + if j > 2 { rng.normal() } else { 0.3 });
            let y: Vec<f64> = (0..n).map(|_| rng.normal() + 1.0).collect();
            let norm: Vec<f64> = (0..p).map(|j| x.view().col_iter(j).map(|v| v * v).sum::<f64>().sqrt()).collect();
            let a = Mat::from_fn(p, p, |i, j| (0..n).map(|r| x[(r, i)] * x[(r, j)]).sum::<f64>() / (norm[i] * norm[j]));
            let c: Vec<f64> = (0..p).map(|j| (0..n).map(|r| x[(r, j)] * y[r]).sum::<f64>() / norm[j]).collect();
            let solution = solve(&a, &c).unwrap();
            let gradient: Vec<f64> =
                (0..p).map(|j| c[j] - a.row(j).iter().zip(&solution.coef).map(|(a, b)| a * b).sum::<f64>()).collect();
            let size = y.iter().map(|v| v * v).sum::<f64>().sqrt();
            let bad = violation(&solution.coef, &gradient, size);
            assert!(bad < 1e-11, "case {case}: {bad:e}");
            assert!(solution.coef.iter().all(|b| *b >= 0.0));
        }
    }

    #[test]
    fn a_copy_of_a_column_does_no_harm() {
        let a = Mat::from_vec(3, 3, vec![1.0, 1.0, 0.2, 1.0, 1.0, 0.2, 0.2, 0.2, 1.0]);
        let solution = solve(&a, &[0.8, 0.8, -0.5]).unwrap();
        assert!((solution.coef[0] + solution.coef[1] - 0.8).abs() < 1e-15 && solution.coef[2] == 0.0);
    }
}
