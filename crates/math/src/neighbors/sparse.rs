//! Distances of sparse rows, without making them dense.

use ermine_core::{Csr, CsrRef};

use super::exact::{self, Metric};

/// The rows with ascending columns, duplicates added up.
pub(super) fn sorted(rows: CsrRef<'_>) -> Csr {
    let (mut ends, mut columns, mut values): (Vec<usize>, Vec<u32>, Vec<f64>) = (vec![0], Vec::new(), Vec::new());
    let mut cells = Vec::new();
    for i in 0..rows.rows() {
        let (indices, stored) = rows.row(i);
        cells.clear();
        cells.extend(indices.iter().copied().zip(stored.iter().copied()));
        // Stable, so that equal columns are added in the order they came in.
        cells.sort_by_key(|c| c.0);
        let start = columns.len();
        for &(j, v) in &cells {
            if columns.len() > start && columns[columns.len() - 1] == j {
                let last = values.len() - 1;
                values[last] += v;
            } else {
                columns.push(j);
                values.push(v);
            }
        }
        ends.push(columns.len());
    }
    Csr::new(ends, columns, values, rows.cols()).expect("columns of a checked matrix stay below its width")
}

/// Calls `f` on the cells of two rows where either is stored.
fn walk(a: (&[u32], &[f64]), b: (&[u32], &[f64]), mut f: impl FnMut(f64, f64)) {
    let (mut i, mut j) = (0, 0);
    while i < a.0.len() || j < b.0.len() {
        let (left, right) = (a.0.get(i).copied().unwrap_or(u32::MAX), b.0.get(j).copied().unwrap_or(u32::MAX));
        let (has_left, has_right) = (i < a.0.len() && left <= right, j < b.0.len() && right <= left);
        f(if has_left { a.1[i] } else { 0.0 }, if has_right { b.1[j] } else { 0.0 });
        i += usize::from(has_left);
        j += usize::from(has_right);
    }
}

/// The key of two rows with ascending columns, neither of them scaled yet.
pub(super) fn key(metric: Metric, a: (&[u32], &[f64]), b: (&[u32], &[f64]), scale: f64) -> f64 {
    let mut total = 0.0;
    match metric {
        Metric::Euclidean => walk(a, b, |x, y| total += (x * scale - y * scale).powi(2)),
        Metric::Manhattan => walk(a, b, |x, y| total += (x * scale - y * scale).abs()),
        Metric::Chebyshev => walk(a, b, |x, y| total = f64::max(total, (x * scale - y * scale).abs())),
        Metric::Minkowski(p) => walk(a, b, |x, y| total += (x * scale - y * scale).abs().powf(p)),
        Metric::Cosine => {
            let factors = [a, b].map(|row| scale * exact::inverse_norm(row.1, scale));
            if factors.contains(&0.0) {
                return 1.0;
            }
            walk(a, b, |x, y| total += (x * factors[0] - y * factors[1]).powi(2));
            total *= 0.5;
        }
    }
    total
}
