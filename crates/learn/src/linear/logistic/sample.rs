//! What the first pass gathers: how much weight each class has, and a bounded sample of rows to start from.

use ermine_core::{Dataset, Features, Mat, OwnedFeatures, Partial, Result, Target};
use serde::{Deserialize, Serialize};

use super::Logistic;

/// The first pass over a block of rows keeps one row of this many.
const FIRST_STRIDE: usize = 8;
/// Cells and rows that a sample holds at most.
const MOST_CELLS: usize = 1 << 23;
const MOST_ROWS: usize = 1 << 15;
/// Rows for each number to be found below which the optimum of a sample says little about that of the whole.
const ROWS_A_NUMBER: usize = 20;
/// Rows that are kept in any case, for the means of the columns.
const FEW_ROWS: usize = 256;

/// Weights of the classes and a sample of rows, evenly spaced within every block.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Census {
    /// How many rows there are.
    pub rows: u64,
    /// The weight of each class, by code.
    pub weights: Vec<f64>,
    /// The sample; empty for sparse rows.
    pub sample: Sample,
}

/// Evenly spaced rows, in the pieces they came in: joining them would copy them at every level of the merge.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Sample {
    /// How many rows each stands for.
    pub stride: usize,
    /// How many rows it may have.
    most: usize,
    cols: usize,
    pub pieces: Vec<Piece>,
}

/// Rows of one block.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Piece {
    x: Mat<f64>,
    codes: Vec<u32>,
    /// Empty when there are none.
    weight: Vec<f64>,
}

impl Census {
    /// The census of no rows.
    pub fn new(classes: usize, cols: usize) -> Self {
        let numbers = cols * if classes > 2 { classes } else { 1 };
        let most = MOST_ROWS.min(MOST_CELLS / cols.max(1));
        let most = if most >= ROWS_A_NUMBER * numbers { most } else { FEW_ROWS };
        Self { rows: 0, weights: vec![0.0; classes], sample: Sample { stride: FIRST_STRIDE, most, cols, pieces: Vec::new() } }
    }

    /// Takes in a block of rows.
    pub fn add(&mut self, rows: &Dataset<'_>) -> Result<()> {
        let (codes, _) = rows.y.classes()?;
        self.rows += rows.rows() as u64;
        match rows.weight {
            Some(weight) => codes.iter().zip(weight).for_each(|(&c, w)| self.weights[c as usize] += w),
            None => codes.iter().for_each(|&c| self.weights[c as usize] += 1.0),
        }
        if matches!(rows.x, Features::Csr(_)) {
            return Ok(());
        }
        let kept: Vec<usize> = (0..rows.rows()).step_by(self.sample.stride).collect();
        let x = match rows.x.take(&kept) {
            OwnedFeatures::F64(x) => x,
            other => other.view().f64_rows(&mut Vec::new(), Logistic::NAME)?.to_owned(),
        };
        let weight = rows.weight.map_or(Vec::new(), |w| kept.iter().map(|&i| w[i]).collect());
        let codes = kept.iter().map(|&i| codes[i]).collect();
        self.sample.pieces.push(Piece { x, codes, weight });
        self.sample.bound();
        Ok(())
    }
}

impl Partial for Census {
    fn merge(&mut self, mut other: Self) -> Result<()> {
        self.rows += other.rows;
        self.weights.iter_mut().zip(other.weights).for_each(|(a, b)| *a += b);
        while self.sample.stride < other.sample.stride {
            self.sample.thin();
        }
        while other.sample.stride < self.sample.stride {
            other.sample.thin();
        }
        self.sample.pieces.append(&mut other.sample.pieces);
        self.sample.bound();
        Ok(())
    }
}

impl Sample {
    /// How many rows it has.
    pub fn rows(&self) -> usize {
        self.pieces.iter().map(|p| p.codes.len()).sum()
    }

    fn bound(&mut self) {
        while self.rows() > self.most {
            self.thin();
        }
    }

    /// Keeps every second row, counted over all pieces.
    fn thin(&mut self) {
        self.stride *= 2;
        let mut skip = 0;
        for piece in &mut self.pieces {
            let kept: Vec<usize> = (skip..piece.codes.len()).step_by(2).collect();
            skip = (piece.codes.len() + skip) % 2;
            piece.x = piece.x.view().take_rows(&kept);
            piece.codes = kept.iter().map(|&i| piece.codes[i]).collect();
            if !piece.weight.is_empty() {
                piece.weight = kept.iter().map(|&i| piece.weight[i]).collect();
            }
        }
        self.pieces.retain(|p| !p.codes.is_empty());
    }

    /// Whether its optimum is near that of all rows, for a point of `numbers` numbers.
    pub fn is_telling(&self, numbers: usize) -> bool {
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

    /// The weight of each class in the sample.
    pub fn class_weights(&self, classes: usize) -> Vec<f64> {
        let mut out = vec![0.0; classes];
        for piece in &self.pieces {
            piece.codes.iter().enumerate().for_each(|(i, &c)| out[c as usize] += piece.weight_of(i));
        }
        out
    }
}

impl Piece {
    fn weight_of(&self, row: usize) -> f64 {
        if self.weight.is_empty() { 1.0 } else { self.weight[row] }
    }

    /// The rows to learn from.
    pub fn dataset(&self) -> Dataset<'_> {
        Dataset::new(Features::F64(self.x.view()))
            .with_target(Target::Class { codes: &self.codes, names: &[] })
            .with_weight((!self.weight.is_empty()).then_some(&self.weight))
    }

    /// How many rows it has.
    pub fn rows(&self) -> usize {
        self.codes.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sample_is_bounded_and_even() {
        let names = vec!["a".to_owned(), "b".to_owned()];
        let mut all = Census::new(2, 1);
        for block in 0..200usize {
            let x: Vec<f64> = (0..4096).map(|i| (block * 4096 + i) as f64).collect();
            let codes: Vec<u32> = (0..4096).map(|i| u32::from(i % 4 == 0)).collect();
            let m = ermine_core::MatRef::row_major(&x, 4096, 1);
            let rows = Dataset::new(Features::F64(m)).with_target(Target::Class { codes: &codes, names: &names });
            let mut part = Census::new(2, 1);
            part.add(&rows).unwrap();
            all.merge(part).unwrap();
        }
        assert_eq!(all.weights, [200.0 * 3072.0, 200.0 * 1024.0]);
        let rows = all.sample.rows();
        assert!(rows <= MOST_ROWS && rows > MOST_ROWS / 2);
        assert_eq!(rows * all.sample.stride, 200 * 4096);
        // Every stretch of the rows has its share.
        let values = all.sample.pieces.iter().flat_map(|p| p.x.as_slice());
        let first_half = values.filter(|&&v| v < 100.0 * 4096.0).count();
        assert!(first_half.abs_diff(rows / 2) <= 200);
    }
}
