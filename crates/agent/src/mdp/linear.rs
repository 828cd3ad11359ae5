//! A small dense solver for exact policy evaluation.

use ermine_core::{Error, Result};

/// Solves `a x = b` for a square `a` in rows, by elimination with row pivoting.
pub(super) fn solve(mut a: Vec<f64>, mut b: Vec<f64>) -> Result<Vec<f64>> {
    let n = b.len();
    for k in 0..n {
        let pivot = (k..n).max_by(|&i, &j| a[i * n + k].abs().total_cmp(&a[j * n + k].abs())).unwrap_or(k);
        if a[pivot * n + k] == 0.0 {
            return Err(Error::Numeric(format!("the equations of the values are singular at step {k}")));
        }
        if pivot != k {
            (k..n).for_each(|j| a.swap(k * n + j, pivot * n + j));
            b.swap(k, pivot);
        }
        let (above, below) = a.split_at_mut((k + 1) * n);
        let row = &above[k * n + k..];
        for i in k + 1..n {
            let other = &mut below[(i - k - 1) * n + k..(i - k) * n];
            // Most states reach few others: the matrix stays sparse for a long time.
            if other[0] == 0.0 {
                continue;
            }
            let factor = other[0] / row[0];
            other.iter_mut().zip(row).for_each(|(o, r)| *o -= factor * r);
            b[i] -= factor * b[k];
        }
    }
    for k in (0..n).rev() {
        let known: f64 = (k + 1..n).map(|j| a[k * n + j] * b[j]).sum();
        b[k] = (b[k] - known) / a[k * n + k];
    }
    Ok(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_system_that_needs_a_pivot_is_solved() {
        let x = solve(vec![0.0, 2.0, 1.0, 1.0, 0.0, 0.0, 0.0, 3.0, 1.0], vec![7.0, 1.0, 9.0]).unwrap();
        for (found, expected) in x.iter().zip([1.0, 2.0, 3.0]) {
            assert!((found - expected).abs() < 1e-14);
        }
        assert!(solve(vec![1.0, 1.0, 1.0, 1.0], vec![1.0, 2.0]).is_err());
    }
}
