//! A bounded sample of rows to start from.

use ermine_core::parallel::prelude::*;
use ermine_core::{DatasetRef, Mat, OwnedFeatures, Partial, Result};
use serde::{Deserialize, Serialize};

/// The first pass over a block of rows keeps one row of this many.
const FIRST_STRIDE: usize = 8;
/// Cells that a sample holds at most.
const MOST_CELLS: usize = 1 << 23;
/// Rows that a sample holds at most.
pub const MOST_ROWS: usize = 1 << 15;
/// Rows per coefficient below which the optimum of a sample is no good start for that of the whole.
const ROWS_A_NUMBER: usize = 20;
/// Rows that are kept in any case, for the means of the columns.
const FEW_ROWS: usize = 256;

/// Evenly spaced rows with targets of type `T`, in the pieces they came in: joining them would copy them at every level of
/// the merge.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RowSample<T> {
    /// How many rows each represents.
    pub stride: usize,
    /// How many rows it may have.
    most: usize,
    cols: usize,
    /// The rows.
    pub pieces: Vec<SamplePiece<T>>,
}

/// Rows of one block.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SamplePiece<T> {
    /// The columns.
    pub x: Mat<f64>,
    /// The targets.
    pub y: Vec<T>,
    /// Empty when there are none.
    pub weight: Vec<f64>,
}

impl<T: Copy> RowSample<T> {
    /// A sample of no rows, for a fit of `numbers` numbers; of at most so many rows, and [`MOST_ROWS`] in any case.
    pub fn new(cols: usize, numbers: usize, most: usize) -> Self {
        let most = most.min(MOST_ROWS).min(MOST_CELLS / cols.max(1));
        let most = if most >= ROWS_A_NUMBER * numbers { most } else { FEW_ROWS };
        Self { stride: FIRST_STRIDE, most, cols, pieces: Vec::new() }
    }

    /// Adds some of the rows of a block.
    pub fn add(&mut self, rows: &DatasetRef<'_>, y: &[T], learner: &str) -> Result<()> {
        let kept: Vec<usize> = (0..rows.rows()).step_by(self.stride).collect();
        let x = match rows.x.take_rows(&kept) {
            OwnedFeatures::F64(x) => x,
            other => other.view().f64_rows(&mut Vec::new(), learner)?.to_owned(),
        };
        let weight = rows.weight.map_or(Vec::new(), |w| kept.iter().map(|&i| w[i]).collect());
        let y = kept.iter().map(|&i| y[i]).collect();
        self.pieces.push(SamplePiece { x, y, weight });
        self.bound();
        Ok(())
    }

    /// Adds a sample of the rows after these.
    pub fn merge(&mut self, mut other: Self) {
        while self.stride < other.stride {
            self.halve();
        }
        while other.stride < self.stride {
            other.halve();
        }
        self.pieces.append(&mut other.pieces);
        self.bound();
    }

    /// How many rows it has.
    pub fn rows(&self) -> usize {
        self.pieces.iter().map(SamplePiece::rows).sum()
    }

    fn bound(&mut self) {
        while self.rows() > self.most {
            self.halve();
        }
    }

    /// Keeps every second row, counted over all pieces.
    fn halve(&mut self) {
        self.stride *= 2;
        let mut skip = 0;
        for piece in &mut self.pieces {
            let kept: Vec<usize> = (skip..piece.rows()).step_by(2).collect();
            skip = (piece.rows() + skip) % 2;
            piece.x = piece.x.view().take_rows(&kept);
            piece.y = kept.iter().map(|&i| piece.y[i]).collect();
            if !piece.weight.is_empty() {
                piece.weight = kept.iter().map(|&i| piece.weight[i]).collect();
            }
        }
        self.pieces.retain(|p| p.rows() > 0);
    }

    /// Whether its optimum is near that of all rows, for a point of `numbers` numbers.
    pub fn is_large_enough(&self, numbers: usize) -> bool {
        self.rows() >= 2048.max(ROWS_A_NUMBER * numbers)
    }

    /// The means of the columns; 0 where they are not finite, which the first pass over all rows will refuse.
    pub fn means(&self) -> Vec<f64> {
        let (mut sums, mut total) = (vec![0.0; self.cols], 0.0);
        for piece in &self.pieces {
            for i in 0..piece.x.rows() {
                let w = piece.weight_of(i);
                if w > 0.0 {
                    total += w;
                    sums.iter_mut().zip(piece.x.row(i)).for_each(|(s, v)| *s += w * v);
                }
            }
        }
        let mean = |s: f64| if total > 0.0 && (s / total).is_finite() { s / total } else { 0.0 };
        sums.into_iter().map(mean).collect()
    }

    /// The pieces in groups that are worth a task; they depend only on their sizes.
    fn groups(&self) -> Vec<&[SamplePiece<T>]> {
        const GROUP_ROWS: usize = 2048;
        let mut groups = Vec::new();
        let (mut start, mut rows) = (0, 0);
        for (i, piece) in self.pieces.iter().enumerate() {
            rows += piece.rows();
            if rows >= GROUP_ROWS || i + 1 == self.pieces.len() {
                groups.push(&self.pieces[start..=i]);
                (start, rows) = (i + 1, 0);
            }
        }
        groups
    }

    /// One pass: sums of groups of pieces, merged in their order.
    pub fn gather<P: Partial>(
        &self,
        empty: impl Fn() -> P + Sync,
        add: impl Fn(&SamplePiece<T>, &mut P) -> Result<()> + Sync,
    ) -> Result<P>
    where
        T: Sync,
    {
        let of_group = |pieces: &[SamplePiece<T>]| {
            let mut sums = empty();
            pieces.iter().try_for_each(|piece| add(piece, &mut sums))?;
            Ok(sums)
        };
        let parts: Vec<Result<P>> = self.groups().into_par_iter().map(of_group).collect();
        let mut total = empty();
        for part in parts {
            total.merge(part?)?;
        }
        Ok(total)
    }
}

impl<T> SamplePiece<T> {
    /// The weight of a row.
    pub fn weight_of(&self, row: usize) -> f64 {
        if self.weight.is_empty() { 1.0 } else { self.weight[row] }
    }

    /// How many rows it has.
    pub fn rows(&self) -> usize {
        self.y.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ermine_core::{Features, MatRef};

    #[test]
    fn the_sample_is_bounded_and_even() {
        let mut all = RowSample::<u32>::new(1, 1, MOST_ROWS);
        for block in 0..200usize {
            let x: Vec<f64> = (0..4096).map(|i| (block * 4096 + i) as f64).collect();
            let mut part = RowSample::new(1, 1, MOST_ROWS);
            part.add(&DatasetRef::new(Features::F64(MatRef::row_major(&x, 4096, 1))), &[0; 4096], "test").unwrap();
            all.merge(part);
        }
        let rows = all.rows();
        assert!(rows <= MOST_ROWS && rows > MOST_ROWS / 2);
        assert_eq!(rows * all.stride, 200 * 4096);
        // Every stretch of the rows has its share.
        let values = all.pieces.iter().flat_map(|p| p.x.as_slice());
        let first_half = values.filter(|&&v| v < 100.0 * 4096.0).count();
        assert!(first_half.abs_diff(rows / 2) <= 200);
    }
}
