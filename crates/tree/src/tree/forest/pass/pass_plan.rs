//! The plan of a pass: histograms of large nodes, rows of small ones, within a bound of memory.

use ermine_core::{DatasetRef, Error, Result};
use serde::{Deserialize, Serialize};

use super::super::bins::{BinStorage, BinnedColumn, MISSING_RANK};
use super::super::kind::{BinnedCriterionKind, NodeCost};
use super::context::{ForestBlock, ForestContext};
use super::partial_tree::{NodeNeeds, PartialTree, RowWeights, SampleProfile};

/// Rows that are binned at a time: those of a stratum, so that each is drawn from once.
const CHUNK: usize = 4096;
/// A node whose rows take no more than so many of its histograms is taken out with its rows and grown as in memory: reading it
/// again for every level below would cost more.
const EXTRACT_RATIO: u64 = 8;
/// Marks a node that a pass skips.
const NO_REQUEST: u32 = u32::MAX;

/// Sums of a pass.
#[derive(Clone, Default, Serialize, Deserialize)]
pub(super) struct PassPlan {
    slots: Vec<NodeRequest>,
    /// For each tree the slot of each node.
    slot_of: Vec<Vec<u32>>,
    /// Whether it has any.
    needs_rows: Vec<bool>,
    cells: usize,
    costs: usize,
    /// Limit in bytes on the partials of all threads and the gathered rows.
    pub bytes: u64,
}

/// The data gathered for a node.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct NodeRequest {
    pub tree: usize,
    pub node: usize,
    /// Where its sum lies.
    pub total: Option<usize>,
    /// Where its look lies.
    pub look: Option<usize>,
    /// Columns, and where their histograms lie.
    pub columns: Vec<(u32, usize)>,
    /// Whether its rows are taken.
    pub take: bool,
}

/// Results of a pass.
#[derive(Default, Serialize, Deserialize)]
pub(super) struct PassHistograms {
    /// Of trees that begin.
    pub profiles: Vec<SampleProfile>,
    pub sums: Vec<i64>,
    pub costs: Vec<NodeCost>,
    pub taken: ExtractedRows,
}

/// Rows that were taken.
#[derive(Default, Serialize, Deserialize)]
pub(super) struct ExtractedRows {
    pub slot: Vec<u32>,
    /// Bins of the narrow and of the wide columns, row after row.
    pub narrow: Vec<u8>,
    pub wide: Vec<u32>,
    pub weight: Vec<i64>,
    pub class: Vec<u32>,
    pub y: Vec<f64>,
}

impl PassHistograms {
    pub fn merge(&mut self, other: Self) {
        self.profiles.iter_mut().zip(other.profiles).for_each(|(a, b)| a.merge(b));
        self.sums.iter_mut().zip(other.sums).for_each(|(a, b)| *a += b);
        self.costs.iter_mut().zip(other.costs).for_each(|(a, b)| a.merge(b));
        self.taken.slot.extend(other.taken.slot);
        self.taken.narrow.extend(other.taken.narrow);
        self.taken.wide.extend(other.taken.wide);
        self.taken.weight.extend(other.taken.weight);
        self.taken.class.extend(other.taken.class);
        self.taken.y.extend(other.taken.y);
    }
}

/// Bytes of a row that is taken: gathered in vectors that may have grown to twice their length, then binned twice and listed.
fn row_bytes(columns: &[BinnedColumn]) -> u64 {
    let cell = |c: &BinnedColumn| if matches!(c.place, BinStorage::Narrow(_)) { 4 } else { 12 };
    columns.iter().map(cell).sum::<u64>() + 128
}

impl PassPlan {
    /// Plans the next pass: as many nodes as `memory` has room for, earlier trees first.
    pub fn plan(partials: &[PartialTree], frame: &ForestContext, seed: u64, memory: u64) -> Result<Self> {
        let mut out = Self::default();
        let threads = rayon::current_num_threads() as u64;
        let of_row = row_bytes(&frame.columns);
        'trees: for (tree, partial) in partials.iter().enumerate() {
            let Some(weights) = &partial.weights else { continue };
            let width = weights.criterion.width();
            for open in partial.open_nodes.iter().filter(|o| o.state.needs != NodeNeeds::Nothing) {
                let mut slot =
                    NodeRequest { tree, node: open.state.node, total: None, look: None, columns: Vec::new(), take: false };
                if open.state.sum.is_empty() {
                    slot.total = Some(out.cells);
                    out.cells += width;
                    out.bytes += 8 * width as u64 * threads;
                    out.slots.push(slot);
                    continue;
                }
                let splits = open.state.needs == NodeNeeds::Split && open.may_split(frame, weights);
                let rows = open.state.sum[0] as u64 * of_row;
                let columns = if splits { open.next_columns(frame, partial.node_seed(seed)) } else { Vec::new() };
                let bytes = |c: u32| 8 * (width * (frame.bins[c as usize].bins() + 1)) as u64 * threads;
                let histogram_bytes: u64 = columns.iter().map(|&c| bytes(c)).sum();
                if splits && frame.settings.max_leaves.is_none() && rows <= (EXTRACT_RATIO * histogram_bytes).min(memory) {
                    if out.bytes + rows > memory {
                        break 'trees;
                    }
                    out.bytes += rows;
                    slot.take = true;
                    out.slots.push(slot);
                    continue;
                }
                if !open.state.cost_known {
                    slot.look = Some(out.costs);
                    out.costs += 1;
                    out.bytes += size_of::<NodeCost>() as u64 * threads;
                }
                for column in columns {
                    if out.bytes + bytes(column) > memory {
                        break;
                    }
                    slot.columns.push((column, out.cells));
                    out.cells += width * (frame.bins[column as usize].bins() + 1);
                    out.bytes += bytes(column);
                }
                if splits && slot.columns.is_empty() {
                    if out.slots.is_empty() {
                        let column = open.next_columns(frame, partial.node_seed(seed)).first().copied().unwrap_or(0);
                        return Err(Error::Data(format!(
                            "column {column}: its histogram takes {} bytes on {threads} threads, and a pass may take {memory}; allow \
                             more memory, use fewer threads or drop the column",
                            bytes(column)
                        )));
                    }
                    // The look is gathered with the first histogram.
                    if slot.look.is_some() {
                        out.costs -= 1;
                    }
                    break 'trees;
                }
                if slot.look.is_some() || !slot.columns.is_empty() {
                    out.slots.push(slot);
                }
            }
        }
        out.slot_of = partials.iter().map(|s| vec![NO_REQUEST; s.nodes.len()]).collect();
        out.needs_rows = vec![false; partials.len()];
        for (i, slot) in out.slots.iter().enumerate() {
            out.needs_rows[slot.tree] = true;
            out.slot_of[slot.tree][slot.node] = i as u32;
        }
        Ok(out)
    }

    /// The slots of a tree, in the order of its open nodes, each with its number.
    pub fn requests_of_tree(&self, tree: usize) -> impl Iterator<Item = (usize, &NodeRequest)> {
        let first = self.slots.partition_point(|s| s.tree < tree);
        self.slots[first..].iter().take_while(move |s| s.tree == tree).enumerate().map(move |(i, s)| (first + i, s))
    }

    pub fn slots(&self) -> usize {
        self.slots.len()
    }

    pub fn empty(&self, trees: usize) -> PassHistograms {
        PassHistograms {
            profiles: (0..trees).map(|_| SampleProfile::default()).collect(),
            sums: vec![0; self.cells],
            costs: vec![NodeCost::default(); self.costs],
            taken: ExtractedRows::default(),
        }
    }

    /// Takes in a block of rows.
    pub fn add(
        &self,
        partials: &[PartialTree],
        frame: &ForestContext,
        bootstrap: bool,
        histograms: &mut PassHistograms,
        rows: &DatasetRef<'_>,
        first: usize,
    ) -> Result<()> {
        let block = frame.read(rows, first)?;
        let y = block.targets()?;
        let mut cells = Vec::new();
        let mut start = 0;
        while start < block.kept.len() {
            // Up to the end of a stratum.
            let at = block.first + start;
            let end = block.kept.len().min(start + CHUNK - at % CHUNK);
            frame.cells(&block, start..end, &mut cells);
            for (t, partial) in partials.iter().enumerate() {
                let slots = &self.slot_of[t];
                if partial.weights.is_some() && !self.needs_rows[t] {
                    continue;
                }
                let numbers = block.first + start..block.first + end;
                let counts =
                    bootstrap.then(|| frame.bootstrap.stratum_counts(partial.tree as u64, &partial.stratum_draws, numbers));
                let chunk = BlockChunk { frame, block: &block, y: &y, start, cells: &cells, counts: counts.as_deref() };
                match &partial.weights {
                    None => chunk.profile(end - start, &mut histograms.profiles[t]),
                    Some(weights) => self.add_chunk(partial, weights, slots, &chunk, end - start, histograms),
                }
            }
            start = end;
        }
        Ok(())
    }

    fn add_chunk(
        &self,
        partial: &PartialTree,
        weights: &RowWeights,
        slots: &[u32],
        chunk: &BlockChunk<'_>,
        rows: usize,
        histograms: &mut PassHistograms,
    ) {
        let p = chunk.frame.bins.len();
        let width = weights.criterion.width();
        let grid = match &weights.criterion {
            BinnedCriterionKind::Mean { grid, .. } => Some(grid),
            BinnedCriterionKind::Classes { .. } => None,
        };
        for k in 0..rows {
            let count = chunk.count(k);
            if count == 0 {
                continue;
            }
            let cells = &chunk.cells[k * p..][..p];
            let at = slots[partial.node_of_row(cells)];
            if at == NO_REQUEST {
                continue;
            }
            let slot = &self.slots[at as usize];
            let row = chunk.start + k;
            let class = chunk.block.class(row);
            let weight = weights.steps(class, chunk.block.weights[row], count, chunk.counts.is_some());
            let y = chunk.y.get(row).copied().unwrap_or(0.0);
            if slot.take {
                chunk.extract_row(at, cells, (weight, class, y), &mut histograms.taken);
                continue;
            }
            let sum = grid.map_or(0, |g| g.sum(y, weight));
            let add = |cell: &mut [i64]| {
                cell[0] += 1;
                match grid {
                    Some(_) => {
                        cell[1] += weight;
                        cell[2] += sum;
                    }
                    None => cell[1 + class as usize] += weight,
                }
            };
            if let Some(offset) = slot.total {
                add(&mut histograms.sums[offset..offset + width]);
            }
            for &(column, offset) in &slot.columns {
                let bin = match cells[column as usize] {
                    MISSING_RANK => chunk.frame.bins[column as usize].missing(),
                    bin => bin as usize,
                };
                add(&mut histograms.sums[offset + bin * width..][..width]);
            }
            if let (Some(look), Some(grid)) = (slot.look, grid) {
                let target = grid.needs_targets().then_some(y);
                grid.add_cost(&mut histograms.costs[look], partial.cost_centers[slot.node], weight as f64, sum, target);
            }
        }
    }
}

/// Some rows of a block.
struct BlockChunk<'a> {
    frame: &'a ForestContext,
    block: &'a ForestBlock<'a>,
    y: &'a [f64],
    start: usize,
    cells: &'a [u32],
    counts: Option<&'a [u32]>,
}

impl BlockChunk<'_> {
    #[inline]
    fn count(&self, k: usize) -> u32 {
        self.counts.map_or(1, |c| c[k])
    }

    /// Adds the statistics of the bag that a tree needs before it grows.
    fn profile(&self, rows: usize, profile: &mut SampleProfile) {
        for k in (0..rows).filter(|&k| self.count(k) > 0) {
            let (row, count) = (self.start + k, self.count(k));
            profile.rows += 1;
            let steps = match &self.frame.grid {
                Some(grid) if self.counts.is_none() => {
                    let class = self.block.class(row) as usize;
                    grid.to_steps(self.block.weights[row] * self.frame.factors.get(class).copied().unwrap_or(1.0))
                }
                _ => i64::from(count),
            };
            match self.y.get(row) {
                Some(&y) => profile.extent.add(y, steps),
                None => profile.count(self.block.class(row), count, steps),
            }
        }
    }

    fn extract_row(&self, slot: u32, cells: &[u32], (weight, class, y): (i64, u32, f64), to: &mut ExtractedRows) {
        to.slot.push(slot);
        for (column, &cell) in self.frame.columns.iter().zip(cells) {
            match column.place {
                // The bin of missing values is the last of a byte.
                BinStorage::Narrow(_) => to.narrow.push(cell.min(255) as u8),
                BinStorage::Wide(_) => to.wide.push(cell),
            }
        }
        to.weight.push(weight);
        to.class.push(class);
        to.y.push(y);
    }
}
