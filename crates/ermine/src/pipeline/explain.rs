//! What a pipeline says of its predictions, in the columns that came in.

use ermine_core::{Additive, Cell, Features, Mat, Model, Neighbours, Result};

use super::{LOST, PipelineModel};

impl Additive for PipelineModel {
    fn explains(&self) -> &'static str {
        self.last.as_additive().map_or("", |a| a.explains())
    }
    fn n_outputs(&self) -> usize {
        self.last.as_additive().map_or(0, |a| a.n_outputs())
    }
    fn parts(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        let last = self.last.as_additive().expect(LOST);
        let sources = self.sources_before_last().expect(LOST);
        let (outputs, width) = (last.n_outputs(), self.n_features());
        self.rows_by_runs(x, |run| {
            let parts = last.parts(run)?;
            let mut out = Mat::zeros(parts.rows(), outputs * width);
            for i in 0..parts.rows() {
                for (k, part) in parts.row(i).iter().enumerate() {
                    out[(i, k / sources.len() * width + sources[k % sources.len()])] += part;
                }
            }
            Ok(out)
        })
    }
}

impl Neighbours for PipelineModel {
    fn n_examples(&self) -> usize {
        self.last.as_neighbours().map_or(0, |n| n.n_examples())
    }
    fn nearest_examples(&self, x: &Features<'_>, k: usize) -> Result<Vec<Vec<(usize, f64)>>> {
        let mut out = Vec::with_capacity(x.rows());
        self.by_runs(x, |run| {
            out.extend(self.last.as_neighbours().expect(LOST).nearest_examples(run, k)?);
            Ok(())
        })?;
        Ok(out)
    }
    fn examples(&self, rows: &[usize]) -> Result<Mat<f64>> {
        self.last.as_neighbours().expect(LOST).examples(rows)
    }
    fn answer(&self, row: usize) -> Vec<Cell> {
        self.last.as_neighbours().expect(LOST).answer(row)
    }
}
