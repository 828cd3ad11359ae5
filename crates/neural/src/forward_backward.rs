//! Forward and backward pass for one block of rows.

mod batch_norm;
mod rows;

use std::ops::Range;

use ermine_core::{Error, Result};
use ermine_math::nn::{
    ActivationFn, AlignedBuffer, BlockMoments, DenseBlock, Epilogue, Float, GradInput, Workspace, ZeroMask, apply,
    apply_derivative, dense, dropout, normalize, normalize_gradient, normalize_sums,
};

use crate::Network;
use crate::plan::{ActivationBuffer, LINE, NetworkPlan, Op, curve_of};

pub(crate) use batch_norm::{moments, moments_of, norm_sums, norm_sums_of};
use rows::{add_embedding_gradient, embed, softmax, softmax_gradient};

/// Activations of one block of rows, between all layers.
#[derive(Debug, Clone)]
pub(crate) struct ActivationTape<T: Float> {
    room: usize,
    rows: usize,
    /// Stride and length of the input rows.
    input: (usize, usize),
    /// The number of the first row of the block in its batch.
    pub first: usize,
    pub nodes: Vec<AlignedBuffer<T>>,
    pub grads: Vec<AlignedBuffer<T>>,
    extras: Vec<OpCache<T>>,
    /// The block's contribution to the gradients of convolutions and embeddings.
    pub partial: AlignedBuffer<T>,
    sums: Vec<T>,
    /// Mask of the nonzero gradients in the backward pass.
    back: ZeroMask,
    /// The first invalid category code of the block.
    misfit: Option<UnknownLevel>,
    /// The block's contribution to the loss.
    pub loss: f64,
}

/// A code that is not a level of its column.
#[derive(Debug, Clone, Copy)]
struct UnknownLevel {
    row: usize,
    column: usize,
    code: f64,
    levels: usize,
}

/// State that an operation keeps for the backward pass besides its output.
#[derive(Debug, Clone)]
enum OpCache<T: Float> {
    None,
    /// Mask of the nonzero inputs.
    Dense(ZeroMask),
    Conv(Workspace<T>),
    Norm {
        moments: BlockMoments,
        sums: Vec<f64>,
    },
}

/// Batch statistics of batch normalization.
#[derive(Debug, Clone, Default)]
pub(crate) struct BatchNormStats<T> {
    pub mean: Vec<T>,
    /// 1 / √(variance + ε).
    pub inverse: Vec<f64>,
    pub scale: Vec<T>,
    pub shift: Vec<T>,
    /// dx = a d + b x + c.
    pub back: [Vec<T>; 3],
    pub count: f64,
}

impl<T: Float> ActivationTape<T> {
    fn new(plan: &NetworkPlan, room: usize, back: bool, input_gradient: bool) -> Self {
        // One line more than the rows: tiles of images read whole units.
        let buffer = |node: &ActivationBuffer| AlignedBuffer::zeros(room * node.stride + LINE);
        let lowest = if input_gradient { 0 } else { plan.first_trained() + 1 };
        let grads =
            |(k, node): (usize, &ActivationBuffer)| if back && k >= lowest { buffer(node) } else { AlignedBuffer::default() };
        let extra = |op: &Op| match op {
            Op::Dense { .. } => OpCache::Dense(ZeroMask::default()),
            Op::Conv { geometry, .. } => OpCache::Conv(geometry.workspace(back)),
            Op::Norm { channels, .. } if back => {
                OpCache::Norm { moments: BlockMoments::new(*channels), sums: vec![0.0; 2 * channels] }
            }
            _ => OpCache::None,
        };
        Self {
            room,
            rows: 0,
            input: (plan.nodes[0].stride, plan.nodes[0].len()),
            first: 0,
            nodes: plan.nodes.iter().map(buffer).collect(),
            grads: plan.nodes.iter().enumerate().map(grads).collect(),
            extras: plan.ops.iter().map(extra).collect(),
            partial: AlignedBuffer::zeros(if back { plan.partial } else { 0 }),
            sums: Vec::new(),
            back: ZeroMask::default(),
            misfit: None,
            loss: 0.0,
        }
    }

    pub fn for_prediction(plan: &NetworkPlan, room: usize) -> Self {
        Self::new(plan, room, false, false)
    }

    pub fn for_training(plan: &NetworkPlan, room: usize, input_gradient: bool) -> Self {
        Self::new(plan, room, true, input_gradient)
    }

    pub fn capacity(&self) -> usize {
        self.room
    }

    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Starts a batch of this many rows.
    pub fn begin(&mut self, rows: usize) {
        debug_assert!(rows <= self.room);
        self.rows = rows;
        self.misfit = None;
        self.loss = 0.0;
    }

    pub fn input_row(&mut self, row: usize) -> &mut [T] {
        let (stride, len) = self.input;
        &mut self.nodes[0][row * stride..][..len]
    }

    /// An error that names the first invalid category code.
    pub fn check_levels(&self) -> Result<()> {
        let Some(UnknownLevel { row, column, code, levels }) = self.misfit else { return Ok(()) };
        let needed = format!("its codes run from 0 to {}", levels - 1);
        Err(Error::OutOfRange { what: format!("column {column}"), row, value: code, needed })
    }

    /// The inputs of a dense layer's product, after [`scan_input_zeros`].
    pub fn dense_block(&mut self, op: usize) -> Option<DenseBlock<'_, T>> {
        let (before, after) = self.nodes.split_at_mut(op + 1);
        match &self.extras[op] {
            OpCache::Dense(pattern) => Some(DenseBlock { x: &before[op], rows: self.rows, pattern, y: &mut after[0] }),
            _ => None,
        }
    }

    /// The inputs of a dense layer's gradient.
    pub fn gradient_input(&self, op: usize) -> Option<GradInput<'_, T>> {
        match &self.extras[op] {
            OpCache::Dense(pattern) => Some(GradInput { x: &self.nodes[op], d: &self.grads[op + 1], rows: self.rows, pattern }),
            _ => None,
        }
    }

    pub fn output(&self) -> &[T] {
        self.nodes.last().expect("there is the input at least")
    }
}

/// Mode of the operations.
#[derive(Clone, Copy)]
pub(crate) enum PassMode<'a, T> {
    /// Moving averages, no dropout.
    Predict,
    /// Batch statistics; dropout with the key of the step.
    Train { batches: &'a [BatchNormStats<T>], key: u64 },
}

/// The dropout key of a row.
fn row_key(key: u64, op: usize, row: usize) -> u64 {
    let mut z = key ^ (op as u64).wrapping_mul(0xD6E8_FEB8_6659_FD93) ^ (row as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 32)).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    z ^ (z >> 32)
}

/// Forward pass for prediction.
pub(crate) fn predict<T: Float>(network: &Network<T>, tape: &mut ActivationTape<T>) -> Result<()> {
    forward(network, tape, 0..network.plan().ops.len(), PassMode::Predict);
    tape.check_levels()
}

/// The part of an activation that a product can apply as its epilogue, and the rest.
pub(crate) fn split_epilogue<'a, T: Float>(curve: ActivationFn<T>) -> (Epilogue<'a, T>, ActivationFn<T>) {
    match curve {
        ActivationFn::LeakyRelu(slope) => (Epilogue::LeakyRelu(slope), ActivationFn::Identity),
        other => (Epilogue::Identity, other),
    }
}

/// Scans the input of a dense layer for zeros.
fn scan_zeros<T: Float>(x: &[T], stride: usize, rows: usize, cols: usize, back: bool, pattern: &mut ZeroMask) {
    pattern.scan(x, stride, rows, cols);
    if back {
        pattern.transpose(x, stride);
    }
}

/// The same for a layer whose product is computed for all blocks together ([`ActivationTape::dense_block`]).
pub(crate) fn scan_input_zeros<T: Float>(plan: &NetworkPlan, tape: &mut ActivationTape<T>, k: usize) {
    if let OpCache::Dense(pattern) = &mut tape.extras[k] {
        let node = &plan.nodes[k];
        scan_zeros(&tape.nodes[k], node.stride, tape.rows, node.len(), true, pattern);
    }
}

/// Completes such a layer: the part of its activation that is no epilogue.
pub(crate) fn apply_activation<T: Float>(plan: &NetworkPlan, tape: &mut ActivationTape<T>, k: usize) {
    let node = &plan.nodes[k + 1];
    apply(split_epilogue(node.activation_fn()).1, &mut tape.nodes[k + 1][..tape.rows * node.stride]);
}

/// Forward pass through a range of operations.
pub(crate) fn forward<T: Float>(network: &Network<T>, tape: &mut ActivationTape<T>, ops: Range<usize>, mode: PassMode<'_, T>) {
    let (plan, rows) = (network.plan(), tape.rows);
    for k in ops {
        let (from, to) = (&plan.nodes[k], &plan.nodes[k + 1]);
        let (before, after) = tape.nodes.split_at_mut(k + 1);
        let (x, y) = (&before[k], &mut after[0]);
        let each = 0..rows;
        match (&plan.ops[k], &mut tape.extras[k]) {
            (Op::Dense { panels, weights, bias, .. }, OpCache::Dense(pattern)) => {
                scan_zeros(x, from.stride, rows, panels.rows, matches!(mode, PassMode::Train { .. }), pattern);
                let bias = bias.as_ref().map(|b| &network.values[b.clone()]);
                let (end, left) = split_epilogue(to.activation_fn());
                let w = &network.values[weights.clone()];
                dense(x, from.stride, rows, Some(pattern), w, *panels, bias, end, y, to.stride);
                apply(left, &mut y[..rows * to.stride]);
            }
            (Op::Conv { geometry, weights, bias, .. }, OpCache::Conv(room)) => {
                let (w, bias) = (&network.values[weights.clone()], bias.as_ref().map(|b| &network.values[b.clone()]));
                let (end, left) = split_epilogue(to.activation_fn());
                for i in each {
                    geometry.forward(&x[i * from.stride..], w, bias, end, &mut y[i * to.stride..], room);
                }
                apply(left, &mut y[..rows * to.stride]);
            }
            (Op::Pool(pool), _) => {
                for i in each {
                    pool.forward(&x[i * from.stride..], &mut y[i * to.stride..]);
                }
            }
            (Op::Dropout { rate }, _) => {
                for i in each {
                    let (x, y) = (&x[i * from.stride..][..from.len()], &mut y[i * to.stride..][..to.len()]);
                    match mode {
                        PassMode::Predict => y.copy_from_slice(x),
                        PassMode::Train { key, .. } => dropout(row_key(key, k, tape.first + i), *rate, x, y),
                    }
                }
            }
            (Op::Norm { number, .. }, _) => {
                let moving;
                let batch = match mode {
                    PassMode::Train { batches, .. } => &batches[*number],
                    PassMode::Predict => {
                        moving = moving_stats(network, &plan.ops[k]);
                        &moving
                    }
                };
                let relu = to.relu_slope();
                let left = if relu.is_some() { ActivationFn::Identity } else { to.activation_fn() };
                let slope = relu.unwrap_or(T::ONE);
                for i in each {
                    let (x, y) = (&x[i * from.stride..][..from.len()], &mut y[i * to.stride..][..to.len()]);
                    normalize(x, &batch.scale, &batch.shift, slope, y);
                }
                apply(left, &mut y[..rows * to.stride]);
            }
            (Op::Embed { columns, plain, tables, .. }, _) => {
                for i in each {
                    let (x, y) = (&x[i * from.stride..][..from.len()], &mut y[i * to.stride..][..to.len()]);
                    if let Some(e) = embed(x, columns, plain, tables, &network.values, y) {
                        let (column, code, levels) = (e.column, x[e.column].to_f64(), e.levels);
                        tape.misfit.get_or_insert(UnknownLevel { row: tape.first + i, column, code, levels });
                    }
                }
            }
            (Op::Curve(curve), _) => {
                y[..rows * to.stride].copy_from_slice(&x[..rows * to.stride]);
                apply(curve_of(*curve), &mut y[..rows * to.stride]);
            }
            (Op::Softmax, _) => {
                for i in each {
                    let (x, y) = (&x[i * from.stride..][..from.len()], &mut y[i * to.stride..][..to.len()]);
                    for (x, y) in x.chunks_exact(to.shape.channels).zip(y.chunks_exact_mut(to.shape.channels)) {
                        softmax(x, y);
                    }
                }
            }
            (Op::Dense { .. } | Op::Conv { .. }, _) => unreachable!("pattern and workspace are there"),
        }
    }
}

/// Statistics of batch normalization in predictions: the moving averages.
fn moving_stats<T: Float>(network: &Network<T>, op: &Op) -> BatchNormStats<T> {
    let mut batch = BatchNormStats::default();
    if let Op::Norm { channels, epsilon, gamma, beta, state, .. } = op {
        let (mean, variance) = network.state[state.clone()].split_at(*channels);
        let to_f64 = |v: &[T]| v.iter().map(|v| v.to_f64()).collect::<Vec<_>>();
        let weights = [&network.values[gamma.clone()], &network.values[beta.clone()]];
        batch.set(&to_f64(mean), &to_f64(variance), *epsilon, weights);
    }
    batch
}

/// Backward pass through a range of operations, the last first. Computes gradients of nodes down to `lowest`, and those
/// of convolutions and embeddings; gradients of dense layers follow from the nodes of all blocks.
pub(crate) fn backward<T: Float>(
    network: &Network<T>,
    tape: &mut ActivationTape<T>,
    ops: Range<usize>,
    lowest: usize,
    batches: &[BatchNormStats<T>],
    key: u64,
) {
    let plan = network.plan();
    for k in ops.rev() {
        add_partial_gradients(plan, tape, k);
        if k < lowest {
            continue;
        }
        let masked = input_gradient(network, tape, k, batches, key);
        let node = &plan.nodes[k];
        if !masked && node.curve != ActivationFn::Identity {
            let len = tape.rows * node.stride;
            apply_derivative(node.activation_fn(), &tape.nodes[k][..len], &mut tape.grads[k][..len]);
        }
    }
}

/// Adds the block's contribution to the gradient of the weights of a convolution or an embedding.
fn add_partial_gradients<T: Float>(plan: &NetworkPlan, tape: &mut ActivationTape<T>, k: usize) {
    let (from, to) = (&plan.nodes[k], &plan.nodes[k + 1]);
    let (x, d) = (&tape.nodes[k], &tape.grads[k + 1]);
    match (&plan.ops[k], &mut tape.extras[k]) {
        (Op::Conv { geometry, weights, partial, .. }, OpCache::Conv(room)) => {
            let (w, b) = tape.partial[partial.clone()].split_at_mut(weights.len());
            for i in 0..tape.rows {
                let bias = if b.is_empty() { None } else { Some(&mut *b) };
                geometry.add_gradient(&x[i * from.stride..], &d[i * to.stride..], w, bias, room);
            }
        }
        (Op::Embed { columns, plain, partial, .. }, _) => {
            for i in 0..tape.rows {
                let (x, d) = (&x[i * from.stride..][..from.len()], &d[i * to.stride..][..to.len()]);
                add_embedding_gradient(x, &d[plain.len()..], columns, &mut tape.partial[partial.clone()]);
            }
        }
        _ => {}
    }
}

/// Computes the gradient of the input of an operation; returns whether the derivative of the activation before it is in it already.
fn input_gradient<T: Float>(
    network: &Network<T>,
    tape: &mut ActivationTape<T>,
    k: usize,
    batches: &[BatchNormStats<T>],
    key: u64,
) -> bool {
    let (plan, rows) = (network.plan(), tape.rows);
    let (from, to) = (&plan.nodes[k], &plan.nodes[k + 1]);
    let (before, after) = tape.grads.split_at_mut(k + 1);
    let (dx, d) = (&mut before[k], &after[0]);
    let (x, y) = (&tape.nodes[k], &tape.nodes[k + 1]);
    let relu = from.relu_slope();
    match (&plan.ops[k], &mut tape.extras[k]) {
        (Op::Dense { panels, transposed, .. }, _) => {
            let end = relu.map_or(Epilogue::Identity, |slope| Epilogue::ReluMask(x, from.stride, slope));
            let layout = ermine_math::nn::WeightPanels { rows: panels.cols, cols: panels.rows };
            let w = &network.transposed[transposed.clone()];
            tape.back.scan(d, to.stride, rows, layout.rows);
            dense(d, to.stride, rows, Some(&tape.back), w, layout, None, end, dx, from.stride);
            relu.is_some()
        }
        (Op::Conv { geometry, transposed, .. }, OpCache::Conv(room)) => {
            let mut masked = false;
            for i in 0..rows {
                let x = &x[i * from.stride..];
                let end = relu.map_or(Epilogue::Identity, |slope| Epilogue::ReluMask(x, from.shape.channels, slope));
                let w = &network.transposed[transposed.clone()];
                let dx = &mut dx[i * from.stride..][..from.len()];
                masked = geometry.input_gradient(&d[i * to.stride..], w, end, dx, room) && end != Epilogue::Identity;
            }
            masked
        }
        (Op::Conv { .. }, _) => unreachable!("a convolution has its workspace"),
        (Op::Pool(pool), _) => {
            for i in 0..rows {
                let (x, y, d) = (&x[i * from.stride..], &y[i * to.stride..], &d[i * to.stride..]);
                pool.backward(x, y, d, relu, &mut dx[i * from.stride..]);
            }
            relu.is_some()
        }
        (Op::Dropout { rate }, _) => {
            for i in 0..rows {
                let (d, dx) = (&d[i * to.stride..][..to.len()], &mut dx[i * from.stride..][..from.len()]);
                dropout(row_key(key, k, tape.first + i), *rate, d, dx);
            }
            false
        }
        (Op::Norm { number, .. }, _) => {
            let [a, b, c] = &batches[*number].back;
            for i in 0..rows {
                let (x, d) = (&x[i * from.stride..][..from.len()], &d[i * to.stride..][..to.len()]);
                normalize_gradient(x, d, [a, b, c], &mut dx[i * from.stride..][..from.len()]);
            }
            false
        }
        (Op::Embed { plain, .. }, _) => {
            for i in 0..rows {
                // Codes have no gradient.
                let dx = &mut dx[i * from.stride..][..from.len()];
                dx.fill(T::ZERO);
                plain.iter().zip(&d[i * to.stride..]).for_each(|(&j, d)| dx[j] = *d);
            }
            false
        }
        (Op::Curve(curve), _) => {
            let curve = curve_of(*curve);
            dx[..rows * from.stride].copy_from_slice(&d[..rows * from.stride]);
            let of = if curve == ActivationFn::Gelu { x } else { y };
            apply_derivative(curve, &of[..rows * from.stride], &mut dx[..rows * from.stride]);
            false
        }
        (Op::Softmax, _) => {
            for i in 0..rows {
                let (p, d) = (&y[i * to.stride..][..to.len()], &d[i * to.stride..][..to.len()]);
                softmax_gradient(p, d, to.shape.channels, &mut dx[i * from.stride..][..from.len()]);
            }
            false
        }
    }
}
