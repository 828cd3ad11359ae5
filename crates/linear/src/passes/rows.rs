//! How blocks of rows are read.

use ermine_core::{Features, MatRef, Result};

/// The rows as f64 that lie one after the other; copied only when they do not. `learner` is named in errors.
pub fn contiguous<'s>(x: &Features<'s>, scratch: &'s mut Vec<f64>, learner: &str) -> Result<MatRef<'s, f64>> {
    if let Features::F64(m) = x
        && m.col_stride() != 1
        && m.cols() > 1
    {
        scratch.resize(m.rows() * m.cols(), 0.0);
        // Down the columns, in the order of memory.
        for j in 0..m.cols() {
            for (i, v) in m.col_iter(j).enumerate() {
                scratch[i * m.cols() + j] = v;
            }
        }
        return Ok(MatRef::row_major(scratch, m.rows(), m.cols()));
    }
    x.f64_rows(scratch, learner)
}

/// The memory of the next `count` rows from `start` on, where they are read in place.
pub fn next_rows<'a>(x: &Features<'a>, start: usize, count: usize) -> &'a [f64] {
    match x {
        Features::F64(m) if start < m.rows() && (m.col_stride() == 1 || m.cols() <= 1) => {
            let rows = m.row_range(start..m.rows().min(start + count));
            let all = rows.as_slice();
            &all[..all.len().min(rows.rows() * rows.row_stride())]
        }
        _ => &[],
    }
}

/// The score of a sparse row. Four sums side by side, since each addition waits for the one before.
pub fn sparse_dot(indices: &[u32], values: &[f64], w: &[f64]) -> f64 {
    let mut sums = [0.0; 4];
    let (places, cells) = (indices.chunks_exact(4), values.chunks_exact(4));
    for (l, (&j, v)) in places.remainder().iter().zip(cells.remainder()).enumerate() {
        sums[l] = v * w[j as usize];
    }
    for (places, cells) in places.zip(cells) {
        for l in 0..4 {
            sums[l] += cells[l] * w[places[l] as usize];
        }
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3])
}
