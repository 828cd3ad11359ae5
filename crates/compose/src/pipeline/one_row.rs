//! Pipelines as functions of one row.

use ermine_core::{Features, Mat, Model, Result, RowFunction, Schema, with_row_memory};

use super::PipelineModel;

/// Rows up to which each goes through the steps by itself.
const SINGLE: usize = 4;

/// The steps of a pipeline, each for one row.
pub(super) struct PipelineOfRow {
    front: Vec<Box<dyn RowFunction>>,
    last: Box<dyn RowFunction>,
    /// Numbers between two steps, at most.
    between: usize,
    /// Working memory of a step, at most.
    inner: usize,
}

impl PipelineOfRow {
    /// None where a step has no short way. `last` is the function of the last step, for what comes out of the others.
    pub(super) fn new(
        model: &PipelineModel,
        schema: &Schema,
        last: impl FnOnce(&dyn Model, &Schema) -> Option<Box<dyn RowFunction>>,
    ) -> Option<Self> {
        let (mut front, mut columns) = (Vec::new(), schema.clone());
        for step in &model.front {
            let transformer = step.as_transformer()?;
            front.push(transformer.by_row(&columns)?);
            columns = transformer.schema_out(&columns);
        }
        let last = last(&*model.last, &columns)?;
        let between = front.iter().map(|f| f.width()).max().unwrap_or(0);
        let inner = front.iter().chain([&last]).map(|f| f.scratch()).max().unwrap_or(0);
        Some(Self { front, last, between, inner })
    }

    /// Hands the row before the last step to `f`, with working memory.
    fn before_last<R>(
        &self,
        row: &[f64],
        scratch: &mut [f64],
        f: impl FnOnce(&dyn RowFunction, &[f64], &mut [f64]) -> Result<R>,
    ) -> Result<R> {
        let (mut now, rest) = scratch.split_at_mut(self.between);
        let (mut next, inner) = rest.split_at_mut(self.between);
        let mut width = None;
        for step in &self.front {
            let cells: &[f64] = width.map_or(row, |width| &now[..width]);
            step.run(cells, inner, &mut next[..step.width()])?;
            width = Some(step.width());
            std::mem::swap(&mut now, &mut next);
        }
        f(&*self.last, width.map_or(row, |width| &now[..width]), inner)
    }
}

impl RowFunction for PipelineOfRow {
    fn width(&self) -> usize {
        self.last.width()
    }

    fn scratch(&self) -> usize {
        2 * self.between + self.inner
    }

    fn run(&self, row: &[f64], scratch: &mut [f64], out: &mut [f64]) -> Result<()> {
        self.before_last(row, scratch, |last, cells, inner| last.run(cells, inner, out))
    }

    fn classify(&self, row: &[f64], scratch: &mut [f64], out: &mut [f64]) -> Result<u32> {
        self.before_last(row, scratch, |last, cells, inner| last.classify(cells, inner, out))
    }
}

impl PipelineModel {
    /// The short way for a few rows of numbers.
    fn single(&self, x: &Features<'_>) -> Option<&dyn RowFunction> {
        let Features::F64(m) = x else { return None };
        if x.rows() > SINGLE || x.rows() == 0 || self.front.is_empty() || m.row(0).is_none() || m.cols() != self.n_features() {
            return None;
        }
        let make = || {
            let unnamed = Schema::unnamed(self.n_features());
            let function = PipelineOfRow::new(self, &unnamed, |last, columns| match last.as_classifier() {
                Some(classifier) => classifier.by_row(columns),
                None => last.as_regressor()?.by_row(columns),
            })?;
            Some(Box::new(function) as Box<dyn RowFunction>)
        };
        self.of_row.get_or_init(make).as_deref()
    }

    /// The predictions or probabilities of a few rows of numbers, if there is a short way to them. Rows that are refused are left to the
    /// ordinary way, whose error names the cell.
    pub(super) fn few_rows(&self, x: &Features<'_>) -> Option<Mat<f64>> {
        let function = self.single(x)?;
        let Features::F64(m) = x else { return None };
        let mut out = Mat::zeros(x.rows(), function.width());
        with_row_memory(function.scratch(), |scratch| {
            (0..x.rows()).try_for_each(|i| function.run(m.row(i)?, scratch, out.row_mut(i)).ok())
        })?;
        Some(out)
    }

    /// The classes of a few rows of numbers, if there is a short way to them.
    pub(super) fn classes_of_few_rows(&self, x: &Features<'_>) -> Option<Vec<u32>> {
        let function = self.single(x)?;
        let Features::F64(m) = x else { return None };
        with_row_memory(function.scratch() + function.width(), |memory| {
            let (scratch, out) = memory.split_at_mut(function.scratch());
            (0..x.rows()).map(|i| function.classify(m.row(i)?, scratch, out).ok()).collect()
        })
    }
}
