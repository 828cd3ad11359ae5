//! The first pass, which gathers the weight of each class and a bounded sample of rows to start from.

use ermine_core::{DatasetRef, Features, Partial, Result, Target};
use serde::{Deserialize, Serialize};

use super::super::passes::{MOST_ROWS, RowSample, SamplePiece};
use super::Logistic;

/// Weights of the classes and a sample of rows, evenly spaced within every block.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ClassCensus {
    /// How many rows there are.
    pub rows: u64,
    /// The weight of each class, by code.
    pub weights: Vec<f64>,
    /// The sample; empty for sparse rows.
    pub sample: RowSample<u32>,
}

impl ClassCensus {
    /// An empty census.
    pub fn new(classes: usize, cols: usize) -> Self {
        let numbers = cols * if classes > 2 { classes } else { 1 };
        Self { rows: 0, weights: vec![0.0; classes], sample: RowSample::new(cols, numbers, MOST_ROWS) }
    }

    /// Adds a block of rows.
    pub fn add(&mut self, rows: &DatasetRef<'_>) -> Result<()> {
        let (codes, _) = rows.y.classes()?;
        self.rows += rows.rows() as u64;
        match rows.weight {
            Some(weight) => codes.iter().zip(weight).for_each(|(&c, w)| self.weights[c as usize] += w),
            None => codes.iter().for_each(|&c| self.weights[c as usize] += 1.0),
        }
        if matches!(rows.x, Features::Csr(_)) {
            return Ok(());
        }
        self.sample.add(rows, codes, Logistic::NAME)
    }
}

#[cfg(feature = "fit")]
impl Partial for ClassCensus {
    fn merge(&mut self, other: Self) -> Result<()> {
        self.rows += other.rows;
        self.weights.iter_mut().zip(other.weights).for_each(|(a, b)| *a += b);
        self.sample.merge(other.sample);
        Ok(())
    }
}

/// The weight of each class in a sample.
pub fn class_weights(sample: &RowSample<u32>, classes: usize) -> Vec<f64> {
    let mut out = vec![0.0; classes];
    for piece in &sample.pieces {
        piece.y.iter().enumerate().for_each(|(i, &c)| out[c as usize] += piece.weight_of(i));
    }
    out
}

/// The rows of a piece to learn from.
pub fn as_dataset(piece: &SamplePiece<u32>) -> DatasetRef<'_> {
    DatasetRef::new(Features::F64(piece.x.view()))
        .with_target(Target::Class { codes: &piece.y, names: &[] })
        .with_weight((!piece.weight.is_empty()).then_some(&piece.weight))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_counted_over_all_rows() {
        let names = vec!["a".to_owned(), "b".to_owned()];
        let mut all = ClassCensus::new(2, 1);
        for _ in 0..200 {
            let x = vec![0.0; 4096];
            let codes: Vec<u32> = (0..4096).map(|i| u32::from(i % 4 == 0)).collect();
            let m = ermine_core::MatRef::row_major(&x, 4096, 1);
            let rows = DatasetRef::new(Features::F64(m)).with_target(Target::Class { codes: &codes, names: &names });
            let mut part = ClassCensus::new(2, 1);
            part.add(&rows).unwrap();
            all.merge(part).unwrap();
        }
        assert_eq!(all.weights, [200.0 * 3072.0, 200.0 * 1024.0]);
        assert_eq!(all.sample.rows() * all.sample.stride, 200 * 4096);
    }
}
