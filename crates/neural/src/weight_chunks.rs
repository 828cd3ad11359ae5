//! The weights in chunks: how the gradient of each is computed, and which thread updates it.

use std::ops::Range;

use ermine_math::nn::{Float, WeightPanels, column_sums, dense_gradient};

use crate::forward_backward::ActivationTape;
use crate::plan::{NetworkPlan, Op, WeightRole};

/// Weights per chunk.
const PIECE: usize = 1 << 13;

/// A chunk of the weights, and how its gradient is computed.
#[derive(Debug, Clone)]
pub(crate) struct WeightChunk {
    range: Range<usize>,
    /// Whether penalties apply.
    pub decays: bool,
    how: ChunkKind,
}

#[derive(Debug, Clone)]
enum ChunkKind {
    /// Rows of a panel of a dense layer, from its inputs and output gradients.
    Dense { op: usize, panels: WeightPanels, panel: usize, inputs: Range<usize> },
    /// Sums of the output gradients of a dense layer.
    Bias { op: usize },
    /// The sum of the blocks' gradients, from this offset on.
    Sum { from: usize },
    /// Already computed.
    Done,
}

/// All chunks of the weights.
#[derive(Debug, Clone)]
pub(crate) struct WeightChunks {
    /// In memory order.
    parts: Vec<WeightChunk>,
    /// In the order in which they are assigned to threads: by the position in their layer. So a thread that takes the
    /// first half has the first panels of every layer, and the same ones at every step.
    order: Vec<usize>,
}

impl WeightChunks {
    pub fn of(plan: &NetworkPlan) -> Self {
        let mut out = Vec::new();
        for segment in &plan.segments {
            let (start, decays) = (segment.range.start, segment.has_weight_decay());
            match (&plan.ops[segment.op], segment.role) {
                (Op::Dense { panels, .. }, WeightRole::Weights) => {
                    for panel in 0..panels.count() {
                        let (at, width) = panels.panel(panel);
                        let rows = (PIECE / width).max(1);
                        for first in (0..panels.rows).step_by(rows) {
                            let inputs = first..(first + rows).min(panels.rows);
                            let range = start + at + inputs.start * width..start + at + inputs.end * width;
                            out.push(WeightChunk {
                                range,
                                decays,
                                how: ChunkKind::Dense { op: segment.op, panels: *panels, panel, inputs },
                            });
                        }
                    }
                }
                (Op::Dense { .. }, _) => {
                    out.push(WeightChunk { range: segment.range.clone(), decays, how: ChunkKind::Bias { op: segment.op } })
                }
                (Op::Conv { partial, weights, .. }, role) => {
                    let from = partial.start + if role == WeightRole::Bias { weights.len() } else { 0 };
                    out.push(WeightChunk { range: segment.range.clone(), decays, how: ChunkKind::Sum { from } });
                }
                (Op::Embed { tables, partial, .. }, WeightRole::Table(t)) => {
                    let before: usize = tables[..t].iter().map(|t| t.len().next_multiple_of(crate::plan::LINE)).sum();
                    out.push(WeightChunk {
                        range: segment.range.clone(),
                        decays,
                        how: ChunkKind::Sum { from: partial.start + before },
                    });
                }
                _ => out.push(WeightChunk { range: segment.range.clone(), decays, how: ChunkKind::Done }),
            }
        }
        let within = |part: &WeightChunk| {
            let layer = plan.segments.iter().map(|s| &s.range).find(|r| r.contains(&part.range.start)).unwrap_or(&part.range);
            (part.range.start - layer.start + part.range.len() / 2) as f64 / layer.len().max(1) as f64
        };
        let mut order: Vec<usize> = (0..out.len()).collect();
        ermine_core::order::sort_by_number(&mut order, |a| within(&out[a]));
        Self { parts: out, order }
    }

    /// Ranges of the chunks.
    pub fn ranges(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        self.parts.iter().map(|p| p.range.clone())
    }

    /// Calls a function for every chunk, in parallel if requested.
    pub fn for_each<T: Float>(
        &self,
        mut all: WeightSlices<'_, T>,
        parallel: bool,
        work: &(dyn Fn(&WeightChunk, WeightSlices<'_, T>) + Sync),
    ) {
        let mut base = 0;
        let pieces = self.parts.iter().map(|part| {
            all.take_first(part.range.start - base);
            base = part.range.end;
            (part, all.take_first(part.range.len()))
        });
        if !parallel {
            pieces.for_each(|(part, piece)| work(part, piece));
            return;
        }
        let mut pieces: Vec<_> = pieces.map(Some).collect();
        let mut dealt: Vec<_> = self.order.iter().map(|&k| pieces[k].take()).collect();
        parallel_halves(&mut dealt, work);
    }
}

/// Processes chunks in parallel by recursive halving.
fn parallel_halves<'a, T: Float>(
    pieces: &mut [Option<(&WeightChunk, WeightSlices<'a, T>)>],
    work: &(dyn Fn(&WeightChunk, WeightSlices<'a, T>) + Sync),
) {
    if pieces.len() < 2 {
        pieces.iter_mut().filter_map(Option::take).for_each(|(part, piece)| work(part, piece));
        return;
    }
    let sizes = || pieces.iter().map(|p| p.as_ref().map_or(0, |(part, _)| part.range.len()));
    let total: usize = sizes().sum();
    let mut sum = 0;
    let before = sizes().take_while(|size| {
        sum += size;
        2 * sum <= total
    });
    let middle = before.count().clamp(1, pieces.len() - 1);
    let (left, right) = pieces.split_at_mut(middle);
    rayon::join(|| parallel_halves(left, work), || parallel_halves(right, work));
}

/// A range of the weights with gradients and optimizer state.
pub(crate) struct WeightSlices<'a, T> {
    pub weights: &'a mut [T],
    pub gradient: &'a mut [T],
    pub first_moment: &'a mut [T],
    pub second_moment: &'a mut [T],
}

impl<'a, T> WeightSlices<'a, T> {
    /// All four slices; those that a rule does not use are empty, and stay so.
    fn slices_mut(&mut self) -> [&mut &'a mut [T]; 4] {
        [&mut self.weights, &mut self.gradient, &mut self.first_moment, &mut self.second_moment]
    }

    /// Splits off the beginning.
    fn take_first(&mut self, len: usize) -> WeightSlices<'a, T> {
        let [weights, gradient, first, second] = self.slices_mut().map(|run| {
            let all = std::mem::take(run);
            let (here, rest) = all.split_at_mut(len.min(all.len()));
            *run = rest;
            here
        });
        WeightSlices { weights, gradient, first_moment: first, second_moment: second }
    }
}

/// The gradient of one chunk from all blocks, in their order.
pub(crate) fn gradient_of<T: Float>(plan: &NetworkPlan, tapes: &[ActivationTape<T>], part: &WeightChunk, g: &mut [T]) {
    match &part.how {
        ChunkKind::Dense { op, panels, panel, inputs } => {
            let (from, to) = (plan.nodes[*op].stride, plan.nodes[op + 1].stride);
            let blocks: Vec<_> = tapes.iter().filter_map(|tape| tape.gradient_input(*op)).collect();
            dense_gradient(&blocks, from, to, *panels, *panel, inputs.clone(), g);
        }
        ChunkKind::Bias { op } => {
            g.fill(T::ZERO);
            let node = &plan.nodes[op + 1];
            for tape in tapes {
                column_sums(&tape.grads[op + 1], node.stride, tape.rows(), &mut g[..node.len()]);
            }
        }
        ChunkKind::Sum { from } => {
            g.fill(T::ZERO);
            for tape in tapes {
                g.iter_mut().zip(&tape.partial[*from..]).for_each(|(g, p)| *g += *p);
            }
        }
        ChunkKind::Done => {}
    }
}
