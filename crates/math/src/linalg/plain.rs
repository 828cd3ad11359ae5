//! The primitives of this module as plain loops, for programs that only predict: the matrices of models are small, and factored once.

use ermine_core::{Mat, MatRef};

/// `c = alpha a b`, or that added to `c`.
pub fn add_product(alpha: f64, a: MatRef<'_, f64>, b: MatRef<'_, f64>, replace: bool, c: &mut Mat<f64>) {
    if replace {
        c.as_mut_slice().fill(0.0);
    }
    let mut row = vec![0.0; b.cols()];
    for k in 0..b.rows() {
        b.copy_row(k, &mut row);
        for i in 0..a.rows() {
            let factor = alpha * a.at(i, k);
            c.row_mut(i).iter_mut().zip(&row).for_each(|(c, b)| *c += factor * b);
        }
    }
}

/// Replaces the lower triangle of a symmetric matrix by its Cholesky factor; the column of a pivot that is not positive is the error.
pub fn cholesky_in_place(a: &mut Mat<f64>) -> Result<(), usize> {
    for j in 0..a.rows() {
        for i in j..a.rows() {
            let inner: f64 = (0..j).map(|k| a[(i, k)] * a[(j, k)]).sum();
            let rest = a[(i, j)] - inner;
            if i > j {
                a[(i, j)] = rest / a[(j, j)];
            } else if rest > 0.0 {
                a[(j, j)] = rest.sqrt();
            } else {
                return Err(j);
            }
        }
    }
    Ok(())
}

/// Replaces the columns of `b` by the solutions of L x = b.
pub fn solve_lower(l: MatRef<'_, f64>, b: &mut Mat<f64>) {
    for j in 0..b.cols() {
        for i in 0..b.rows() {
            let inner: f64 = (0..i).map(|k| l.at(i, k) * b[(k, j)]).sum();
            b[(i, j)] = (b[(i, j)] - inner) / l.at(i, i);
        }
    }
}

/// Replaces the columns of `b` by the solutions of Lᵀ x = b.
pub fn solve_upper(l: MatRef<'_, f64>, b: &mut Mat<f64>) {
    for j in 0..b.cols() {
        for i in (0..b.rows()).rev() {
            let inner: f64 = (i + 1..b.rows()).map(|k| l.at(k, i) * b[(k, j)]).sum();
            b[(i, j)] = (b[(i, j)] - inner) / l.at(i, i);
        }
    }
}

/// Replaces `b` by the solution of L Lᵀ x = b.
pub fn solve_vec(l: MatRef<'_, f64>, b: &mut [f64]) {
    let mut column = Mat::from_vec(b.len(), 1, b.to_vec());
    solve_lower(l, &mut column);
    solve_upper(l, &mut column);
    b.copy_from_slice(column.as_slice());
}
