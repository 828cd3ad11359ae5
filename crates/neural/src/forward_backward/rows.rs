//! Operations on one row: embeddings of categories and softmax, with their gradients.

use std::ops::Range;

use ermine_math::nn::Float;

use crate::architecture::Embedding;
use crate::plan::LINE;

/// The level of a code.
fn level<T: Float>(code: T, levels: usize) -> Option<usize> {
    let code = code.to_f64();
    (code >= 0.0 && code < levels as f64 && code.fract() == 0.0).then_some(code as usize)
}

/// Writes the plain columns of a row, then the embeddings of its codes. A code that is not a level becomes zeros; the first such
/// column is returned.
pub(super) fn embed<'a, T: Float>(
    x: &[T],
    columns: &'a [Embedding],
    plain: &[usize],
    tables: &[Range<usize>],
    values: &[T],
    y: &mut [T],
) -> Option<&'a Embedding> {
    let (first, mut rest) = y.split_at_mut(plain.len());
    first.iter_mut().zip(plain).for_each(|(y, &j)| *y = x[j]);
    let mut unknown = None;
    for (e, table) in columns.iter().zip(tables) {
        let (to, after) = rest.split_at_mut(e.width);
        rest = after;
        match level(x[e.column], e.levels) {
            Some(level) => to.copy_from_slice(&values[table.clone()][level * e.width..][..e.width]),
            None => {
                to.fill(T::ZERO);
                unknown = unknown.or(Some(e));
            }
        }
    }
    unknown
}

/// Adds the gradient `d` of the embeddings of a row to the gradients of the tables.
pub(super) fn add_embedding_gradient<T: Float>(x: &[T], d: &[T], columns: &[Embedding], mut tables: &mut [T]) {
    let mut rest = d;
    for e in columns {
        let (d, after) = rest.split_at(e.width);
        rest = after;
        let (table, others) = tables.split_at_mut((e.levels * e.width).next_multiple_of(LINE));
        tables = others;
        if let Some(level) = level(x[e.column], e.levels) {
            table[level * e.width..][..e.width].iter_mut().zip(d).for_each(|(t, d)| *t += *d);
        }
    }
}

/// e^{zₖ} / Σⱼ e^{zⱼ}, after subtracting the maximum.
pub(super) fn softmax<T: Float>(z: &[T], p: &mut [T]) {
    let most = z.iter().copied().fold(z[0], |m, v| if m >= v { m } else { v });
    let mut total = T::ZERO;
    for (p, z) in p.iter_mut().zip(z) {
        *p = (*z - most).exp();
        total += *p;
    }
    p.iter_mut().for_each(|p| *p = *p / total);
}

/// The gradient by the scores of probabilities `p` with the gradient `d`, in groups of `channels`.
pub(super) fn softmax_gradient<T: Float>(p: &[T], d: &[T], channels: usize, dx: &mut [T]) {
    for ((p, d), dx) in p.chunks_exact(channels).zip(d.chunks_exact(channels)).zip(dx.chunks_exact_mut(channels)) {
        let mut mean = T::ZERO;
        p.iter().zip(d).for_each(|(p, d)| mean += *p * *d);
        dx.iter_mut().zip(p.iter().zip(d)).for_each(|(dx, (p, d))| *dx = *p * (*d - mean));
    }
}
