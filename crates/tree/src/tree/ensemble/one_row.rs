//! One row at a time.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use ermine_core::{Features, Result, RowFunction, Schema, codes_agree};
use ermine_math::flat_trees::{FlatTrees, NodeTest};

use super::Trees;
use super::cells::{FeatureAccess, refuse_infinite};
use super::walk::TREE_LANES;

/// Rows predicted one by one after which trees are put in the layout for that: to do so takes as long as a hundred predictions.
const SINGLE_ROWS: u32 = 64;

/// How many rows have been predicted one by one.
#[derive(Debug, Default)]
pub(super) struct SingleRows(AtomicU32);

impl Clone for SingleRows {
    fn clone(&self) -> Self {
        Self::default()
    }
}

/// Trees without tests of categories, in the layout that one row descends quickly.
#[derive(Debug)]
pub(super) struct FlatEnsemble {
    trees: FlatTrees,
    /// `width` numbers for each node as it is placed.
    values: Vec<f64>,
    width: usize,
}

impl FlatEnsemble {
    fn new(trees: &Trees) -> Option<Self> {
        if trees.steps.iter().any(|s| s.tests_categories()) {
            return None;
        }
        let (mut flat, mut values) = (FlatTrees::new(trees.n_features()), Vec::new());
        let (mut tests, mut placed) = (Vec::new(), Vec::new());
        for pair in trees.start.windows(2) {
            tests.clear();
            placed.clear();
            tests.extend(trees.steps[pair[0]..pair[1]].iter().enumerate().map(|(at, step)| NodeTest {
                column: step.column() as u32,
                threshold: step.threshold(),
                missing_left: step.missing_left(),
                right: if step.right as usize == at { 0 } else { step.right },
            }));
            flat.push(&tests, &mut placed);
            for &node in &placed {
                match node {
                    u32::MAX => values.resize(values.len() + trees.width, 0.0),
                    node => values.extend_from_slice(trees.value(pair[0] + node as usize)),
                }
            }
        }
        Some(Self { trees: flat, values, width: trees.width })
    }

    /// Adds the values of the leaves of a row, tree by tree.
    fn add_row(&self, row: &[f64], out: &mut [f64]) {
        match (self.width, &mut *out) {
            (1, [out]) => {
                let mut sum = *out;
                self.trees.leaves(row, |node| sum += self.values[node]);
                *out = sum;
            }
            (1, out) => {
                let mut output = 0;
                self.trees.leaves(row, |node| {
                    out[output] += self.values[node];
                    output = if output + 1 == out.len() { 0 } else { output + 1 };
                });
            }
            (width, out) => self.trees.leaves(row, |node| {
                out.iter_mut().zip(&self.values[node * width..][..width]).for_each(|(o, v)| *o += v);
            }),
        }
    }
}

/// The cells of one row, as in [`RowFunction`].
struct RowCells<'a>(&'a [f64], &'a Trees);

impl FeatureAccess for RowCells<'_> {
    const CATEGORIES: bool = true;
    type Raw = f64;
    #[inline]
    fn raw(&self, _: usize, col: usize) -> f64 {
        let v = self.0[col];
        // A category that training did not know goes where missing values go.
        if v < 0.0 && self.1.categories[col].is_some() { f64::NAN } else { v }
    }
}

impl Trees {
    /// Adds to a few rows of numbers what [`Trees::add_to`] adds, if the trees have been put in the layout for it.
    pub(super) fn add_to_few(&self, x: &Features<'_>, outputs: usize, out: &mut [f64]) -> Result<bool> {
        let Features::F64(m) = x else { return Ok(false) };
        if x.rows() == 0 || m.row(0).is_none() || m.cols() != self.n_features() {
            return Ok(false);
        }
        let flat = match self.flat.get() {
            Some(flat) => flat,
            None if self.single_rows.0.fetch_add(x.rows() as u32, Relaxed) < SINGLE_ROWS => return Ok(false),
            None => self.flat.get_or_init(|| FlatEnsemble::new(self).map(Arc::new)),
        };
        let Some(flat) = flat else { return Ok(false) };
        if self.finite {
            refuse_infinite(x, 0..x.rows())?;
        }
        for (i, out) in out.chunks_exact_mut(outputs).enumerate() {
            if let Some(row) = m.row(i) {
                flat.add_row(row, out);
            }
        }
        Ok(true)
    }

    /// The sum of all trees and `start` as a function of one row; `finish` makes the `width` numbers of the result from the sums. None where
    /// the columns are not those of the trees.
    pub(crate) fn by_row(
        &self,
        schema: &Schema,
        start: &[f64],
        width: usize,
        finish: impl Fn(&mut [f64], &mut [f64]) + Send + Sync + 'static,
    ) -> Option<Box<dyn RowFunction>> {
        if !codes_agree(schema, &self.categories) {
            return None;
        }
        let trees = match self.flat.get_or_init(|| FlatEnsemble::new(self).map(Arc::new)) {
            Some(flat) => RowTrees::Flat(flat.clone()),
            None => RowTrees::Walked(Box::new(self.clone())),
        };
        let finite = self.finite.then(|| schema.clone());
        Some(Box::new(TreesOfRow { trees, start: start.to_vec(), finite, width, finish }))
    }

    fn add_row(&self, row: &[f64], out: &mut [f64]) {
        let (cells, outputs, count) = (RowCells(row, self), out.len(), self.n_trees());
        for first in (0..count).step_by(TREE_LANES) {
            let nodes = self.descend_trees(&cells, 0, first, count);
            for (tree, node) in (first..count).zip(nodes) {
                match self.width {
                    1 => out[tree % outputs] += self.values[node],
                    _ => out.iter_mut().zip(self.value(node)).for_each(|(o, v)| *o += v),
                }
            }
        }
    }
}

enum RowTrees {
    Flat(Arc<FlatEnsemble>),
    Walked(Box<Trees>),
}

/// [`Trees::by_row`].
struct TreesOfRow<F> {
    trees: RowTrees,
    start: Vec<f64>,
    /// The columns, where infinite cells are refused.
    finite: Option<Schema>,
    width: usize,
    finish: F,
}

impl<F: Fn(&mut [f64], &mut [f64]) + Send + Sync> RowFunction for TreesOfRow<F> {
    fn width(&self) -> usize {
        self.width
    }

    fn scratch(&self) -> usize {
        self.start.len()
    }

    fn run(&self, row: &[f64], scratch: &mut [f64], out: &mut [f64]) -> Result<()> {
        if let Some(schema) = &self.finite
            && row.iter().fold(false, |any, v| any | v.is_infinite())
        {
            ermine_core::refuse_infinite_cell(row, schema)?;
        }
        let sums = &mut scratch[..self.start.len()];
        sums.copy_from_slice(&self.start);
        match &self.trees {
            RowTrees::Flat(flat) => flat.add_row(row, sums),
            RowTrees::Walked(trees) => trees.add_row(row, sums),
        }
        (self.finish)(sums, out);
        Ok(())
    }
}
