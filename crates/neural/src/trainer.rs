//! Training steps: forward pass, gradient of the loss, backward pass, update.

mod passes;

use std::ops::Range;

use ermine_core::parallel::prelude::*;
use ermine_core::{Error, Mat, MatRef, Result, RngStream};
use ermine_math::nn::{
    ActivationFn, AlignedBuffer, BlockMoments, Float, OptimizerSlots, apply_derivative, dense_by_panels, step,
};

use crate::forward_backward::{self, ActivationTape, BatchNormStats, PassMode};
use crate::network::SMALL;
use crate::plan::{NetworkPlan, Op};
use crate::weight_chunks::{WeightChunk, WeightChunks, WeightSlices, gradient_of};
use crate::{LayerWeights, Network, Optimizer};

/// A network in training, with its buffers: activations of a batch, gradients, and optimizer state.
///
/// A batch is cut into blocks of rows that depend on the network and the batch alone; blocks are computed in parallel,
/// and their contributions are added in order. So the bits are the same on any number of threads.
///
/// ```
/// use ermine_core::{Mat, MatRef};
/// use ermine_neural::{WeightInit, Network, Optimizer, Shape, Trainer};
/// // Learn y = x0 - x1 from the gradient of half the squared error.
/// let network: Network = Network::new(&"dense(16) tanh dense(1)".parse()?, Shape::flat(2), WeightInit::Auto, 1)?;
/// let mut trainer = Trainer::new(network, Optimizer::adam(0.01), 8)?;
/// let x: Vec<f32> = (0..16).map(|i| ((i * 7 % 16) as f32 - 8.0) / 8.0).collect();
/// let x = MatRef::row_major(&x, 8, 2);
/// let mut loss = 0.0;
/// for _ in 0..500 {
///     let out = trainer.forward(x)?;
///     let d = Mat::from_fn(8, 1, |i, _| (out.at(i, 0) - (x.at(i, 0) - x.at(i, 1))) / 8.0);
///     loss = d.as_slice().iter().map(|d| 4.0 * d * d).sum();
///     trainer.step(d.view())?;
/// }
/// assert!(loss < 1e-3);
/// let target = trainer.network().clone();
/// # Ok::<(), ermine_core::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Trainer<T: Float = f32> {
    network: Network<T>,
    optimizer: Optimizer,
    /// Most rows of a batch.
    batch: usize,
    seed: u64,
    input_gradient: bool,
    tapes: Vec<ActivationTape<T>>,
    block: usize,
    batches: Vec<BatchNormStats<T>>,
    gradient: AlignedBuffer<T>,
    first_moment: AlignedBuffer<T>,
    second_moment: AlignedBuffer<T>,
    parts: WeightChunks,
    /// Steps taken.
    steps: u64,
    outputs: Mat<T>,
    /// Rows whose forward pass is done and whose backward pass is pending.
    pending_rows: usize,
}

/// Rows per block: enough for the products to be fast, few enough for several threads to have some.
const BLOCK: usize = 32;

/// Multiply-adds per row above which the block size is halved.
const HEAVY_ROW_MACS: usize = 1 << 20;

/// Rows per block where most of the work is at synchronization points, and need not be many: the number of bits in a
/// mask word.
const SYNC_BLOCK: usize = 64;

/// Weights of a layer from which on its product is computed for all blocks together, so that threads keep the weights
/// that they update in cache.
const SYNC_WEIGHTS: usize = 1 << 16;

/// Weights from which on their transpose is parallel.
const PARALLEL_TRANSPOSE: usize = 1 << 16;

/// Synchronization points of the forward pass: batch normalization, which needs all rows, and dense layers with so many
/// weights that each processor should keep its own panels in cache.
#[derive(Debug, Clone, Copy)]
enum SyncPoint {
    BatchNorm(usize),
    WideDense(usize),
}

impl SyncPoint {
    fn op(self) -> usize {
        match self {
            Self::BatchNorm(k) | Self::WideDense(k) => k,
        }
    }
}

/// Whether a layer's product is computed for all blocks together.
fn is_sync_layer(op: &Op) -> bool {
    matches!(op, Op::Dense { panels, .. } if panels.len() >= SYNC_WEIGHTS && panels.count() > 1)
}

/// Called for a block at the end of its forward pass.
type ForwardDone<'a, T> = dyn Fn(&Network<T>, &[BatchNormStats<T>], &mut ActivationTape<T>) + Sync + 'a;

/// The loss of the rows of a block, given inputs and outputs, each with its row stride: writes the gradient to the last
/// argument, in the layout of the outputs, and returns the value.
pub(crate) type BlockLossFn<'a, T> = dyn Fn(Range<usize>, (&[T], usize), (&[T], usize), &mut [T]) -> f64 + Sync + 'a;

impl<T: Float> Trainer<T> {
    /// A trainer for batches of up to `batch` rows.
    pub fn new(network: Network<T>, optimizer: Optimizer, batch: usize) -> Result<Self> {
        Self::with_capacity(network, optimizer, batch, batch)
    }

    /// A trainer for batches of `batch` rows, of which some may have up to `most`.
    pub(crate) fn with_capacity(network: Network<T>, optimizer: Optimizer, batch: usize, most: usize) -> Result<Self> {
        optimizer.check()?;
        if batch == 0 {
            return Err(Error::Data("a batch of 0 rows trains nothing; batches need at least 1".into()));
        }
        let plan = network.plan.clone();
        if plan.segments.is_empty() {
            return Err(Error::Data(format!("\"{}\" has no weights, so there is nothing to train", plan.architecture)));
        }
        // Small batches are not cut, so that a single thread has no overhead.
        let rows = match plan.forward_cost() {
            work if work >= HEAVY_ROW_MACS => BLOCK / 2,
            _ if plan.ops.iter().any(is_sync_layer) => SYNC_BLOCK,
            _ => BLOCK,
        };
        let count = if batch * plan.forward_cost() < SMALL { 1 } else { batch.div_ceil(rows).next_multiple_of(2).min(batch) };
        let memory = optimizer.method.moments_per_weight();
        let room = |wanted: bool| if wanted { AlignedBuffer::zeros(plan.weights) } else { AlignedBuffer::default() };
        let block = if count == 1 { most } else { batch.div_ceil(count) };
        let mut trainer = Self {
            tapes: (0..most.div_ceil(block)).map(|_| ActivationTape::for_training(&plan, block, false)).collect(),
            block,
            batches: vec![BatchNormStats::default(); plan.norms],
            gradient: room(true),
            first_moment: room(memory > 0),
            second_moment: room(memory > 1),
            parts: WeightChunks::of(&plan),
            outputs: Mat::filled(most, plan.output().len(), T::ZERO),
            seed: 0,
            input_gradient: false,
            steps: 0,
            pending_rows: 0,
            network,
            optimizer,
            batch: most,
        };
        trainer.transpose_weights();
        Ok(trainer)
    }

    /// The same, with another seed for dropout.
    #[must_use]
    pub fn seeded(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// The same, with the gradient with respect to the input ([`Trainer::input_gradient`]).
    #[must_use]
    pub fn with_input_gradient(mut self) -> Self {
        let plan = self.network.plan.clone();
        self.input_gradient = true;
        self.tapes.iter_mut().for_each(|t| *t = ActivationTape::for_training(&plan, self.block, true));
        self.transpose_weights();
        self
    }

    /// The current network.
    pub fn network(&self) -> &Network<T> {
        &self.network
    }

    /// The network, without the training state.
    pub fn into_network(self) -> Network<T> {
        self.network
    }

    /// Copies the weights of a network with the same layers. The optimizer state is kept.
    pub fn set_network(&mut self, from: &Network<T>) -> Result<()> {
        self.network.copy_weights(from)?;
        self.transpose_weights();
        Ok(())
    }

    /// The optimizer.
    pub fn optimizer(&self) -> &Optimizer {
        &self.optimizer
    }

    /// Sets the learning rate of the following steps.
    pub fn set_rate(&mut self, rate: f64) {
        self.optimizer.rate = rate;
    }

    /// Sets the penalty on squared weights for the following steps.
    pub(crate) fn set_l2(&mut self, l2: f64) {
        self.optimizer.l2 = l2;
    }

    /// The optimizer state, and the number of steps taken.
    pub(crate) fn optimizer_state(&self) -> (&[T], &[T], u64) {
        (&self.first_moment, &self.second_moment, self.steps)
    }

    /// Restores the result of [`Trainer::optimizer_state`]; lengths that do not fit are an error.
    pub(crate) fn set_optimizer_state(&mut self, first: &[T], second: &[T], steps: u64) -> Result<()> {
        for (what, to, from) in [("first", &mut self.first_moment, first), ("second", &mut self.second_moment, second)] {
            if to.len() != from.len() {
                return Err(Error::Length {
                    what: format!("{what} memory of the optimizer"),
                    expected: to.len(),
                    found: from.len(),
                });
            }
            to.copy_from_slice(from);
        }
        self.steps = steps;
        Ok(())
    }

    /// Number of blocks of a batch; several are computed in parallel. A caller that makes many small steps from outside
    /// the thread pool saves time by entering it (`rayon::scope`) when there are several.
    pub fn blocks(&self) -> usize {
        self.tapes.len()
    }

    /// Steps taken so far.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// The outputs for a batch in training mode: with dropout and batch statistics. [`Trainer::step`] or
    /// [`Trainer::backward`] continues from here.
    pub fn forward(&mut self, x: MatRef<'_, T>) -> Result<MatRef<'_, T>> {
        let expected = self.network.plan.input.len();
        if x.cols() != expected {
            return Err(Error::Columns { expected, found: x.cols() });
        }
        self.forward_with(x.rows(), &|i, row| x.copy_row(i, row))?;
        let node = *self.network.plan.output();
        for tape in &self.tapes {
            for i in 0..tape.rows() {
                self.outputs.row_mut(tape.first + i).copy_from_slice(&tape.output()[i * node.stride..][..node.len()]);
            }
        }
        Ok(self.outputs.view().row_range(0..x.rows()))
    }

    /// Backward pass and a step: `gradient` is that of the loss with respect to every output of the last
    /// [`Trainer::forward`].
    pub fn step(&mut self, gradient: MatRef<'_, T>) -> Result<()> {
        self.set_output_gradient(gradient)?;
        self.backward_and_step(true)
    }

    /// The gradients without a step; [`Trainer::apply`] takes it.
    pub fn backward(&mut self, gradient: MatRef<'_, T>) -> Result<()> {
        self.set_output_gradient(gradient)?;
        self.backward_and_step(false)
    }

    /// A step along the present gradients.
    pub fn apply(&mut self) -> Result<()> {
        self.apply_gradients(false, true)
    }

    /// The gradients of the last backward pass, layer by layer.
    pub fn gradients(&self) -> Vec<LayerWeights<T>> {
        self.network.plan.segments.iter().map(|s| s.read(&self.network.plan, &self.gradient)).collect()
    }

    /// The gradients of the last backward pass, in the layout of the weights.
    pub(crate) fn flat_gradient(&self) -> &[T] {
        &self.gradient
    }

    /// The activations of the last batch: layer (from 0) and the numbers of all rows.
    pub fn activations(&self) -> Vec<(usize, Vec<T>)> {
        let plan = &self.network.plan;
        let each = plan.nodes.iter().enumerate().filter_map(|(k, node)| {
            let rows = |tape: &ActivationTape<T>| -> Vec<T> {
                (0..tape.rows()).flat_map(|i| tape.nodes[k][i * node.stride..][..node.len()].to_vec()).collect()
            };
            Some((node.layer?, self.tapes.iter().flat_map(rows).collect()))
        });
        each.collect()
    }

    /// The gradient of the loss with respect to the input, after [`Trainer::with_input_gradient`].
    pub fn input_gradient(&self) -> Option<Mat<T>> {
        let node = &self.network.plan.nodes[0];
        let rows = self.tapes.iter().map(ActivationTape::rows).sum();
        let mut out = Mat::filled(rows, node.len(), T::ZERO);
        for tape in self.input_gradient.then_some(&self.tapes)? {
            for i in 0..tape.rows() {
                out.row_mut(tape.first + i).copy_from_slice(&tape.grads[0][i * node.stride..][..node.len()]);
            }
        }
        Some(out)
    }

    fn set_output_gradient(&mut self, gradient: MatRef<'_, T>) -> Result<()> {
        let node = *self.network.plan.output();
        if self.pending_rows == 0 {
            return Err(Error::Data("a backward pass needs a forward pass before it: call forward first".into()));
        }
        if (gradient.rows(), gradient.cols()) != (self.pending_rows, node.len()) {
            return Err(Error::Data(format!(
                "the gradient is {} x {} and the outputs are {} x {}",
                gradient.rows(),
                gradient.cols(),
                self.pending_rows,
                node.len()
            )));
        }
        let last = self.network.plan.ops.len();
        for tape in &mut self.tapes {
            for i in 0..tape.rows() {
                gradient.copy_row(tape.first + i, &mut tape.grads[last][i * node.stride..][..node.len()]);
            }
        }
        Ok(())
    }
}
