//! Statistics for feature maps: the range of each column, and points at its quantiles.

use ermine_core::{DatasetRef, Error, Features, Partial, Result};
use serde::{Deserialize, Serialize};

use ermine_core::blocks::{column_label, numbers};
use ermine_math::column_moments::SparseRowReader;
use ermine_math::quantile_search::{QuantilePartial, QuantileSearch};

/// State between passes.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct PlacementState {
    columns: usize,
    /// Whether NaN is a missing cell; otherwise it is an error.
    missing: bool,
    /// Least and greatest cell of each column after the first pass; none without cells.
    ranges: Option<Vec<Option<(f64, f64)>>>,
    /// Levels of the quantiles to find, strictly between 0 and 1, in order.
    levels: Vec<f64>,
    /// Quantiles found so far: one row per level, one value per column.
    found: Vec<Vec<Option<f64>>>,
    /// The search for the next level; one at a time, since the buckets of all at once would be large.
    search: Option<QuantileSearch>,
}

/// Sums of a pass.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct PlacementPartial {
    ranges: Vec<Option<(f64, f64)>>,
    buckets: Option<QuantilePartial>,
}

#[cfg(feature = "fit")]
impl Partial for PlacementPartial {
    fn merge(&mut self, other: Self) -> Result<()> {
        if self.ranges.len() != other.ranges.len() {
            let (expected, found) = (self.ranges.len(), other.ranges.len());
            return Err(Error::Length { what: "columns of a partial".into(), expected, found });
        }
        for (a, b) in self.ranges.iter_mut().zip(other.ranges) {
            *a = match (*a, b) {
                (Some(a), Some(b)) => Some((a.0.min(b.0), a.1.max(b.1))),
                (a, b) => a.or(b),
            };
        }
        match (&mut self.buckets, other.buckets) {
            (Some(a), Some(b)) => a.merge(b),
            _ => Ok(()),
        }
    }
}

impl PlacementState {
    /// The state before the first pass. `quantiles` points are wanted along each column, of which the first and the
    /// last are its ends; 0 when the ranges are enough.
    pub(super) fn new(columns: usize, missing: bool, quantiles: usize) -> Self {
        let levels = (1..quantiles.saturating_sub(1)).map(|k| k as f64 / (quantiles - 1) as f64).collect();
        Self { columns, missing, ranges: None, levels, found: Vec::new(), search: None }
    }

    pub(super) fn columns(&self) -> usize {
        self.columns
    }

    pub(super) fn empty(&self) -> PlacementPartial {
        PlacementPartial { ranges: vec![None; self.columns], buckets: self.search.as_ref().map(QuantileSearch::empty) }
    }

    /// Adds a block; cells that are not finite are an error in the first pass.
    pub(super) fn add(&self, part: &mut PlacementPartial, rows: &DatasetRef<'_>, learner: &str) -> Result<()> {
        match (&self.search, &mut part.buckets) {
            (Some(search), Some(buckets)) => self.add_cells(search, buckets, rows, learner),
            _ => self.add_ranges(part, rows, learner),
        }
    }

    fn add_ranges(&self, part: &mut PlacementPartial, rows: &DatasetRef<'_>, learner: &str) -> Result<()> {
        let cols = self.columns;
        let mut bad = false;
        let mut take = |j: usize, v: f64| {
            if v.is_finite() {
                let (low, high) = part.ranges[j].unwrap_or((v, v));
                part.ranges[j] = Some((if v < low { v } else { low }, if v > high { v } else { high }));
            } else {
                bad |= !(v.is_nan() && self.missing);
            }
        };
        match rows.x {
            Features::Csr(x) => {
                let (mut row, mut stored, mut seen) = (SparseRowReader::new(cols), vec![0usize; cols], 0);
                for i in (0..rows.rows()).filter(|&i| rows.weight_of(i) > 0.0) {
                    seen += 1;
                    row.each(x, i, &mut |j, v| {
                        stored[j] += 1;
                        take(j, v);
                    });
                }
                (0..cols).filter(|&j| stored[j] < seen).for_each(|j| take(j, 0.0));
            }
            x => {
                let mut scratch = Vec::new();
                let block = numbers(&x, &mut scratch, learner)?;
                for i in (0..rows.rows()).filter(|&i| rows.weight_of(i) > 0.0) {
                    (0..cols).for_each(|j| take(j, *block.at(i, j)));
                }
            }
        }
        if bad {
            refuse(rows, self.missing)?;
        }
        for (j, range) in part.ranges.iter().enumerate() {
            if let Some((low, high)) = range
                && !(high - low).is_finite()
            {
                let column = column_label(rows.schema, j);
                return Err(Error::Numeric(format!("column {column}: the range from {low} to {high} overflows")));
            }
        }
        Ok(())
    }

    fn add_cells(
        &self,
        search: &QuantileSearch,
        buckets: &mut QuantilePartial,
        rows: &DatasetRef<'_>,
        learner: &str,
    ) -> Result<()> {
        let mut scratch = Vec::new();
        let block = numbers(&rows.x, &mut scratch, learner)?;
        for j in 0..self.columns {
            search.add(buckets, j, (0..rows.rows()).map(|i| (*block.at(i, j), rows.weight_of(i))));
        }
        Ok(())
    }

    /// Completes a pass; returns whether everything is known.
    pub(super) fn finish(&mut self, total: PlacementPartial) -> bool {
        match (&mut self.search, total.buckets) {
            (Some(search), Some(buckets)) => {
                if search.refine(&buckets) {
                    self.found.push(search.values());
                    self.search = None;
                }
            }
            _ => self.ranges = Some(total.ranges),
        }
        if self.search.is_none() && self.found.len() < self.levels.len() {
            self.search = Some(QuantileSearch::new(self.levels[self.found.len()], self.columns));
        }
        self.search.is_none()
    }

    /// Least and greatest cell of a column; 0 and 0 without cells.
    pub(super) fn range(&self, column: usize) -> (f64, f64) {
        self.ranges.as_ref().and_then(|r| r[column]).unwrap_or((0.0, 0.0))
    }

    /// `count` points at equal distances over the range of a column, both ends exact.
    pub(super) fn uniform(&self, column: usize, count: usize) -> Vec<f64> {
        let (low, high) = self.range(column);
        let step = (high - low) / (count - 1) as f64;
        (0..count).map(|k| if k + 1 == count { high } else { low + k as f64 * step }).collect()
    }

    /// The ends of a column and the quantiles between them.
    pub(super) fn quantiles(&self, column: usize) -> Vec<f64> {
        let (low, high) = self.range(column);
        let between = self.found.iter().map(|row| row[column].unwrap_or(low));
        std::iter::once(low).chain(between).chain([high]).collect()
    }
}

/// An error for the first cell that is not finite; rows of weight 0 are ignored.
fn refuse(rows: &DatasetRef<'_>, missing: bool) -> Result<()> {
    for i in (0..rows.rows()).filter(|&i| rows.weight_of(i) > 0.0) {
        match rows.x.row_range(i..i + 1).refuse_non_finite(rows.schema) {
            Err(Error::NotFinite { value, .. }) if missing && value == "NaN" => {
                // Another cell of the row may be infinite.
                ermine_core::blocks::check_finite(&rows.x.row_range(i..i + 1), rows.schema, &|_| true)
                    .map_err(|e| e.with_row(|_| i))?;
            }
            Err(e) => return Err(e.with_row(|_| i)),
            Ok(()) => {}
        }
    }
    Ok(())
}

/// Refuses rows of which something not finite was made, by the first cell that is not finite; finite cells whose results
/// overflow are let through.
pub(super) fn refuse_if(bad: bool, x: &Features<'_>) -> Result<()> {
    if bad { x.refuse_non_finite(None) } else { Ok(()) }
}

/// Implements [`ermine_core::PassLearner`] for a feature map with `places` and `model`; the last argument says whether
/// a learner needs quantiles, whose buckets want larger blocks.
macro_rules! gather_places {
    ($learner:ty, $model:ty, $quantiles:expr) => {
        impl ermine_core::PassLearner for $learner {
            type State = super::placement::PlacementState;
            type Partial = super::placement::PlacementPartial;

            fn block_rows(&self, _: usize) -> usize {
                let quantiles: fn(&Self) -> bool = $quantiles;
                if quantiles(self) { ermine_math::quantile_search::BLOCK_ROWS } else { ermine_core::BLOCK_ROWS }
            }

            fn initial_state(
                &self,
                head: &ermine_core::DatasetRef<'_>,
                _: &ermine_core::Context<'_>,
            ) -> ermine_core::Result<super::placement::PlacementState> {
                self.places(head.cols())
            }

            fn empty_partial(&self, state: &super::placement::PlacementState) -> super::placement::PlacementPartial {
                state.empty()
            }

            fn add_block(
                &self,
                state: &super::placement::PlacementState,
                part: &mut super::placement::PlacementPartial,
                rows: &ermine_core::DatasetRef<'_>,
            ) -> ermine_core::Result<()> {
                state.add(part, rows, <Self as ermine_core::Learner>::SPEC.name)
            }

            fn finish(
                &self,
                mut state: super::placement::PlacementState,
                total: super::placement::PlacementPartial,
                _: &ermine_core::Context<'_>,
            ) -> ermine_core::Result<ermine_core::PassStep<super::placement::PlacementState, $model>> {
                match state.finish(total) {
                    true => self.model(&state).map(ermine_core::PassStep::Done),
                    false => Ok(ermine_core::PassStep::NextPass(state, None)),
                }
            }
        }
    };
}

pub(super) use gather_places;
