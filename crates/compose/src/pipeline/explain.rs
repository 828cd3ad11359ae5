//! Attributions of a pipeline, in terms of the original columns.

use ermine_core::{AdditiveModel, Cell, Features, Mat, Model, NeighborModel, Result};

use super::{LOST_CAPABILITY, PipelineModel};

impl AdditiveModel for PipelineModel {
    fn output_name(&self) -> &'static str {
        self.last.as_additive().map_or("", |a| a.output_name())
    }
    fn n_outputs(&self) -> usize {
        self.last.as_additive().map_or(0, |a| a.n_outputs())
    }
    fn parts(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        let last = self.last.as_additive().expect(LOST_CAPABILITY);
        let sources = self.sources_before_last().expect(LOST_CAPABILITY);
        let (outputs, width) = (last.n_outputs(), self.n_features());
        self.collect_row_blocks(x, |run| {
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

impl NeighborModel for PipelineModel {
    fn n_examples(&self) -> usize {
        self.last.as_neighbor_model().map_or(0, |n| n.n_examples())
    }
    fn nearest_examples(&self, x: &Features<'_>, k: usize) -> Result<Vec<Vec<(usize, f64)>>> {
        let mut out = Vec::with_capacity(x.rows());
        self.in_row_blocks(x, |run| {
            out.extend(self.last.as_neighbor_model().expect(LOST_CAPABILITY).nearest_examples(run, k)?);
            Ok(())
        })?;
        Ok(out)
    }
    fn training_rows(&self, rows: &[usize]) -> Result<Mat<f64>> {
        self.last.as_neighbor_model().expect(LOST_CAPABILITY).training_rows(rows)
    }
    fn example_target(&self, row: usize) -> Vec<Cell> {
        self.last.as_neighbor_model().expect(LOST_CAPABILITY).example_target(row)
    }
}
