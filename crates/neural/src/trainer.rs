//! Steps: rows in, gradient of the loss by the outputs in, weights moved.

use std::ops::Range;

use ermine_core::{Error, Mat, MatRef, Result, RngStream};
use ermine_math::nn::{
    ActivationFn, AlignedBuffer, BlockMoments, Float, OptimizerSlots, apply_derivative, dense_by_panels, step,
};
use rayon::prelude::*;

use crate::forward_backward::{self, ActivationTape, BatchNormStats, PassMode};
use crate::network::SMALL;
use crate::plan::{NetworkPlan, Op};
use crate::weight_chunks::{WeightChunk, WeightChunks, WeightSlices, gradient_of};
use crate::{LayerWeights, Network, Optimizer};

/// A network that is trained, with everything that training needs: the numbers between layers for a batch, gradients, and what the
/// optimiser remembers.
///
/// A batch is cut into blocks of rows that depend on the network and the batch alone; blocks go through side by side, and what
/// they add is added in their order. So the bits are the same on any number of threads.
///
/// ```
/// use ermine_core::{Mat, MatRef};
/// use ermine_neural::{Init, Network, Optimiser, Shape, Trainer};
/// // Learn y = x0 - x1 from the gradient of half the squared error.
/// let network: Network = Network::new(&"dense(16) tanh dense(1)".parse()?, Shape::flat(2), Init::Auto, 1)?;
/// let mut trainer = Trainer::new(network, Optimiser::adam(0.01), 8)?;
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
    optimiser: Optimizer,
    /// Rows of a batch, at most.
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
    /// Rows that are between the way there and the way back.
    pending_rows: usize,
}

/// Rows of a block: enough for the products to be fast, few enough for several threads to have some.
const BLOCK: usize = 32;

/// Products a row from which on half as many rows are enough.
const HEAVY_ROW_MACS: usize = 1 << 20;

/// The same where blocks meet for most of the work, and need not be many: as many as a word of a pattern has bits for.
const SYNC_BLOCK: usize = 64;

/// Weights of a layer from which on blocks meet for its product, so that threads stay with the weights that they move.
const SYNC_WEIGHTS: usize = 1 << 16;

/// Weights from which on their transpose is worth the time to call other threads.
const PARALLEL_TRANSPOSE: usize = 1 << 16;

/// Where all blocks of a batch meet on the way there: at an operation that needs to know all rows, or at a layer with so many weights
/// that a processor had better stay with its own.
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

/// Whether blocks meet for the product of a layer.
fn is_sync_layer(op: &Op) -> bool {
    matches!(op, Op::Dense { panels, .. } if panels.len() >= SYNC_WEIGHTS && panels.count() > 1)
}

/// What a block does at the end of the way there.
type ForwardDone<'a, T> = dyn Fn(&Network<T>, &[BatchNormStats<T>], &mut ActivationTape<T>) + Sync + 'a;

/// What a loss answers for the rows of a block, given what went in and what came out, each with the distance of its rows: the gradient
/// goes to the last argument, which lies as the outputs do, the value is returned.
pub(crate) type BlockLossFn<'a, T> = dyn Fn(Range<usize>, (&[T], usize), (&[T], usize), &mut [T]) -> f64 + Sync + 'a;

impl<T: Float> Trainer<T> {
    /// A trainer for batches of up to `batch` rows.
    pub fn new(network: Network<T>, optimiser: Optimizer, batch: usize) -> Result<Self> {
        Self::with_capacity(network, optimiser, batch, batch)
    }

    /// A trainer for batches of `batch` rows, of which some may have up to `most`.
    pub(crate) fn with_capacity(network: Network<T>, optimiser: Optimizer, batch: usize, most: usize) -> Result<Self> {
        optimiser.check()?;
        if batch == 0 {
            return Err(Error::Data("a batch of 0 rows trains nothing; batches need at least 1".into()));
        }
        let plan = network.plan.clone();
        if plan.segments.is_empty() {
            return Err(Error::Data(format!("\"{}\" has no weights, so there is nothing to train", plan.architecture)));
        }
        // Small batches stay whole, so that one thread has no more to do than it must.
        let rows = match plan.forward_cost() {
            work if work >= HEAVY_ROW_MACS => BLOCK / 2,
            _ if plan.ops.iter().any(is_sync_layer) => SYNC_BLOCK,
            _ => BLOCK,
        };
        let count = if batch * plan.forward_cost() < SMALL { 1 } else { batch.div_ceil(rows).next_multiple_of(2).min(batch) };
        let memory = optimiser.method.rule().moments_per_weight();
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
            optimiser,
            batch: most,
        };
        trainer.transpose_weights();
        Ok(trainer)
    }

    /// The same, with another seed for what dropout leaves out.
    #[must_use]
    pub fn seeded(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// The same, finding the gradient by the input too ([`Trainer::input_gradient`]).
    #[must_use]
    pub fn with_input_gradient(mut self) -> Self {
        let plan = self.network.plan.clone();
        self.input_gradient = true;
        self.tapes.iter_mut().for_each(|t| *t = ActivationTape::for_training(&plan, self.block, true));
        self.transpose_weights();
        self
    }

    /// The network as it is now.
    pub fn network(&self) -> &Network<T> {
        &self.network
    }

    /// The network, without what training needs.
    pub fn into_network(self) -> Network<T> {
        self.network
    }

    /// Takes over the weights of a network with the same layers. What the optimiser remembers stays.
    pub fn set_network(&mut self, from: &Network<T>) -> Result<()> {
        self.network.copy_weights(from)?;
        self.transpose_weights();
        Ok(())
    }

    /// The optimiser.
    pub fn optimiser(&self) -> &Optimizer {
        &self.optimiser
    }

    /// Sets the length of the steps that follow.
    pub fn set_rate(&mut self, rate: f64) {
        self.optimiser.rate = rate;
    }

    /// Sets the penalty on the squares of the weights for the steps that follow.
    pub(crate) fn set_l2(&mut self, l2: f64) {
        self.optimiser.l2 = l2;
    }

    /// What the optimiser remembers, and how many steps it has taken.
    pub(crate) fn optimizer_state(&self) -> (&[T], &[T], u64) {
        (&self.first_moment, &self.second_moment, self.steps)
    }

    /// Puts back what [`Trainer::memory`] gave; lengths that do not fit are refused.
    pub(crate) fn set_optimizer_state(&mut self, first: &[T], second: &[T], steps: u64) -> Result<()> {
        for (what, to, from) in [("first", &mut self.first_moment, first), ("second", &mut self.second_moment, second)] {
            if to.len() != from.len() {
                return Err(Error::Length {
                    what: format!("{what} memory of the optimiser"),
                    expected: to.len(),
                    found: from.len(),
                });
            }
            to.copy_from_slice(from);
        }
        self.steps = steps;
        Ok(())
    }

    /// Blocks that a batch is cut into; more than one go side by side. A caller that makes many small steps from outside the pool
    /// of threads saves time by entering it (`rayon::scope`) when there are several.
    pub fn blocks(&self) -> usize {
        self.tapes.len()
    }

    /// Steps taken so far.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// The outputs for a batch, as training sees them: dropout leaves out, normalisation uses the batch. [`Trainer::step`] or
    /// [`Trainer::backward`] goes on from here.
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

    /// Backward and a step: `gradient` is that of the loss by every output of the last [`Trainer::forward`].
    pub fn step(&mut self, gradient: MatRef<'_, T>) -> Result<()> {
        self.set_output_gradient(gradient)?;
        self.backward_and_step(true)
    }

    /// The gradients without a step; [`Trainer::apply`] makes it.
    pub fn backward(&mut self, gradient: MatRef<'_, T>) -> Result<()> {
        self.set_output_gradient(gradient)?;
        self.backward_and_step(false)
    }

    /// A step along the gradients that are there.
    pub fn apply(&mut self) -> Result<()> {
        self.apply_gradients(false, true)
    }

    /// The gradients of the last way back, layer by layer.
    pub fn gradients(&self) -> Vec<LayerWeights<T>> {
        self.network.plan.segments.iter().map(|s| s.read(&self.network.plan, &self.gradient)).collect()
    }

    /// The gradients of the last way back, as the weights lie.
    pub(crate) fn flat_gradient(&self) -> &[T] {
        &self.gradient
    }

    /// What the layers said to the last batch: layer (from 0) and the numbers of all rows.
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

    /// The gradient of the loss by the input, after [`Trainer::with_input_gradient`].
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
            return Err(Error::Data("there is no way back without a way there: call forward first".into()));
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

/// Begins the way back of a block: through the activation at the end.
fn output_activation_grad<T: Float>(plan: &NetworkPlan, tape: &mut ActivationTape<T>) {
    tape.partial.fill(T::ZERO);
    let last = plan.ops.len();
    let node = &plan.nodes[last];
    let len = tape.rows() * node.stride;
    if node.curve != ActivationFn::Identity {
        apply_derivative(node.activation_fn(), &tape.nodes[last][..len], &mut tape.grads[last][..len]);
    }
}

/// Does something to every block, side by side where that pays.
fn for_each_block<T: Float>(tapes: &mut [ActivationTape<T>], work: &(dyn Fn(&mut ActivationTape<T>) + Sync)) {
    match tapes {
        [one] => work(one),
        many => many.par_iter_mut().for_each(work),
    }
}

impl<T: Float> Trainer<T> {
    /// The key of what dropout leaves out in the coming step.
    fn dropout_key(&self) -> u64 {
        match self.network.plan.ops.iter().any(|op| matches!(op, Op::Dropout { .. })) {
            true => RngStream::new(self.seed, "dropout", self.steps).next_u64(),
            false => 0,
        }
    }

    /// Deals the rows of a batch out to the blocks, and says how many have some.
    fn assign_rows(&mut self, rows: usize) -> usize {
        self.pending_rows = 0;
        let mut first = 0;
        for tape in &mut self.tapes {
            let here = self.block.min(rows - first);
            tape.begin(here);
            tape.first = first;
            first += here;
        }
        rows.div_ceil(self.block)
    }

    fn check_rows(&self, rows: usize) -> Result<()> {
        if rows == 0 || rows > self.batch {
            return Err(Error::Length { what: "rows of a batch (at most)".into(), expected: self.batch, found: rows });
        }
        Ok(())
    }

    /// The way there for `rows` rows that are filled in one by one.
    pub(crate) fn forward_with(&mut self, rows: usize, fill: &(dyn Fn(usize, &mut [T]) + Sync)) -> Result<()> {
        self.forward_blocks(rows, fill, &|_, _, _| ())?;
        self.pending_rows = rows;
        Ok(())
    }

    /// Where blocks meet next, at or behind an operation.
    fn next_sync_point(&self, plan: &NetworkPlan, from: usize) -> Option<SyncPoint> {
        let several = self.tapes.len() > 1;
        (from..plan.ops.len()).find_map(|k| match &plan.ops[k] {
            Op::Norm { .. } => Some(SyncPoint::BatchNorm(k)),
            op if several && is_sync_layer(op) => Some(SyncPoint::WideDense(k)),
            _ => None,
        })
    }

    /// The way there, and what each block does at its end.
    fn forward_blocks(&mut self, rows: usize, fill: &(dyn Fn(usize, &mut [T]) + Sync), then: &ForwardDone<'_, T>) -> Result<()> {
        self.check_rows(rows)?;
        let (plan, key) = (self.network.plan.clone(), self.dropout_key());
        let used = self.assign_rows(rows);
        let mut met = None;
        loop {
            let next = self.next_sync_point(&plan, met.map_or(0, |m: SyncPoint| m.op() + 1));
            let end = next.map_or(plan.ops.len(), SyncPoint::op);
            let (network, batches) = (&self.network, &self.batches);
            for_each_block(&mut self.tapes[..used], &|tape| {
                let at = match met {
                    None => {
                        (0..tape.rows()).for_each(|i| fill(tape.first + i, tape.input_row(i)));
                        0
                    }
                    // The moments are known now, and the operation itself is the first to go on with.
                    Some(SyncPoint::BatchNorm(k)) => k,
                    Some(SyncPoint::WideDense(k)) => {
                        forward_backward::apply_activation(&plan, tape, k);
                        k + 1
                    }
                };
                forward_backward::forward(network, tape, at..end, PassMode::Train { batches, key });
                match next {
                    None => then(network, batches, tape),
                    Some(SyncPoint::BatchNorm(k)) => forward_backward::moments(&plan, tape, k),
                    Some(SyncPoint::WideDense(k)) => forward_backward::scan_input_zeros(&plan, tape, k),
                }
            });
            match next {
                None => break,
                Some(SyncPoint::BatchNorm(k)) => self.sync_batch_norm(&plan, k, used)?,
                Some(SyncPoint::WideDense(k)) => self.wide_product(&plan, k, used),
            }
            met = next;
        }
        self.tapes[..used].iter().try_for_each(ActivationTape::check_levels)
    }

    /// The product of a wide layer, for all blocks together.
    fn wide_product(&mut self, plan: &NetworkPlan, k: usize, used: usize) {
        let Op::Dense { panels, weights, bias, .. } = &plan.ops[k] else { return };
        let (from, to) = (&plan.nodes[k], &plan.nodes[k + 1]);
        let values = &self.network.values;
        let bias = bias.as_ref().map(|b| &values[b.clone()]);
        let mut blocks: Vec<_> = self.tapes[..used].iter_mut().filter_map(|t| t.dense_block(k)).collect();
        let (end, _) = forward_backward::split_epilogue(to.activation_fn());
        dense_by_panels(&mut blocks, from.stride, &values[weights.clone()], *panels, bias, end, to.stride);
    }

    /// The moments of a batch from those of its blocks, and the moving means that follow them.
    fn sync_batch_norm(&mut self, plan: &NetworkPlan, k: usize, used: usize) -> Result<()> {
        let Op::Norm { channels, momentum, epsilon, gamma, beta, state, number } = &plan.ops[k] else { return Ok(()) };
        let mut all = BlockMoments::new(*channels);
        self.tapes[..used].iter().filter_map(|t| forward_backward::moments_of(t, k)).for_each(|m| all.merge(m));
        if all.count < 2.0 {
            return Err(Error::Data(
                "a batch of one row cannot be normalised by its own variance; use batches of at least 2 rows".into(),
            ));
        }
        let variance: Vec<f64> = all.squares.iter().map(|s| s / all.count).collect();
        let network = &mut self.network;
        let batch = &mut self.batches[*number];
        batch.set(&all.mean, &variance, *epsilon, [&network.values[gamma.clone()], &network.values[beta.clone()]]);
        batch.count = all.count;
        let (mean, moving) = network.state[state.clone()].split_at_mut(*channels);
        let unbiased = all.count / (all.count - 1.0);
        for j in 0..*channels {
            mean[j] = T::from_f64((1.0 - momentum) * mean[j].to_f64() + momentum * all.mean[j]);
            moving[j] = T::from_f64((1.0 - momentum) * moving[j].to_f64() + momentum * unbiased * variance[j]);
        }
        Ok(())
    }

    /// Way there, loss, way back and step for a batch: what a training loop does. The answer is the sum that the loss gave.
    pub(crate) fn train_batch(
        &mut self,
        rows: usize,
        fill: &(dyn Fn(usize, &mut [T]) + Sync),
        loss: &BlockLossFn<'_, T>,
        take_step: bool,
    ) -> Result<f64> {
        let plan = self.network.plan.clone();
        let last = plan.ops.len();
        let (from, to) = (plan.nodes[0].stride, plan.output().stride);
        let ask = |tape: &mut ActivationTape<T>| {
            let range = tape.first..tape.first + tape.rows();
            tape.loss = loss(range, (&tape.nodes[0], from), (&tape.nodes[last], to), &mut tape.grads[last]);
        };
        if plan.norms > 0 {
            self.forward_blocks(rows, fill, &|_, _, tape| ask(tape))?;
            self.pending_rows = rows;
            self.backward_and_step(take_step)?;
        } else {
            // No block needs to know of the others before the weights move: each goes back while its numbers are near.
            let (key, (begin, lowest)) = (self.dropout_key(), self.backward_limit());
            self.forward_blocks(rows, fill, &|network, batches, tape| {
                ask(tape);
                output_activation_grad(&plan, tape);
                forward_backward::backward(network, tape, begin..last, lowest, batches, key);
            })?;
            self.apply_gradients(true, take_step)?;
        }
        Ok(self.tapes[..rows.div_ceil(self.block)].iter().map(|t| t.loss).sum())
    }

    /// The first operation that the way back goes through, and the lowest numbers whose gradient it finds.
    fn backward_limit(&self) -> (usize, usize) {
        match self.input_gradient {
            true => (0, 0),
            false => (self.network.plan.first_trained(), self.network.plan.first_trained() + 1),
        }
    }

    fn backward_and_step(&mut self, take_step: bool) -> Result<()> {
        let (plan, key) = (self.network.plan.clone(), self.dropout_key());
        let rows = std::mem::take(&mut self.pending_rows);
        let used = rows.div_ceil(self.block);
        let (floor, lowest) = self.backward_limit();
        let last = plan.ops.len();
        let mut at = last;
        loop {
            let norm = (floor..at).rev().find(|&k| plan.ops[k].is_norm());
            // The operation of the normalisation itself waits for the sums of all blocks.
            let begin = norm.map_or(floor, |k| k + 1);
            let (network, batches) = (&self.network, &self.batches);
            for_each_block(&mut self.tapes[..used], &|tape| {
                if at == last {
                    output_activation_grad(&plan, tape);
                }
                forward_backward::backward(network, tape, begin..at, lowest, batches, key);
                if let Some(k) = norm
                    && let Op::Norm { number, .. } = &plan.ops[k]
                {
                    forward_backward::norm_sums(&plan, tape, k, &batches[*number]);
                }
            });
            let Some(k) = norm else { break };
            self.sync_batch_norm_backward(&plan, k, used);
            // Now its own sweep, then on.
            let (network, batches) = (&self.network, &self.batches);
            at = k;
            if k >= lowest {
                for_each_block(&mut self.tapes[..used], &|tape| {
                    forward_backward::backward(network, tape, k..k + 1, lowest, batches, key)
                });
            }
        }
        self.apply_gradients(true, take_step)
    }

    /// Gradients of γ and β, and the coefficients of the sweep: with N points, dx = γ/σ (d - mean d - x̂ mean(d x̂)).
    fn sync_batch_norm_backward(&mut self, plan: &NetworkPlan, k: usize, used: usize) {
        let Op::Norm { channels, gamma, beta, number, .. } = &plan.ops[k] else { return };
        let mut sums = vec![0.0; 2 * channels];
        for found in self.tapes[..used].iter().filter_map(|t| forward_backward::norm_sums_of(t, k)) {
            sums.iter_mut().zip(found).for_each(|(s, f)| *s += f);
        }
        let batch = &mut self.batches[*number];
        let [a, b, c] = &mut batch.back;
        for v in [&mut *a, &mut *b, &mut *c] {
            v.clear();
        }
        for j in 0..*channels {
            let (inverse, g, mean) = (batch.inverse[j], self.network.values[gamma.start + j].to_f64(), batch.mean[j].to_f64());
            let (sum, product) = (sums[j], sums[channels + j]);
            self.gradient[beta.start + j] = T::from_f64(sum);
            self.gradient[gamma.start + j] = T::from_f64(product * inverse);
            let slope = -g * inverse * inverse * inverse * product / batch.count;
            a.push(T::from_f64(g * inverse));
            b.push(T::from_f64(slope));
            c.push(T::from_f64(-g * inverse * sum / batch.count - slope * mean));
        }
    }

    /// Finds the gradients of all weights that are not there yet, moves the weights, or both.
    fn apply_gradients(&mut self, find: bool, go: bool) -> Result<()> {
        let parallel = self.tapes.len() > 1;
        let tapes = &self.tapes;
        let plan = self.network.plan.clone();
        let used = tapes.iter().filter(|t| t.rows() > 0).count();
        let tapes = &tapes[..used];
        let optimiser = self.optimiser;
        let clip = if go { optimiser.clip } else { None };
        let work = |part: &WeightChunk, slots: WeightSlices<'_, T>, find: bool, scale: Option<f64>| {
            if find {
                gradient_of(&plan, tapes, part, slots.gradient);
            }
            if let Some(scale) = scale {
                let (l2, decay) = if part.decays { (optimiser.l2, optimiser.decay) } else { (0.0, 0.0) };
                let slots = OptimizerSlots {
                    weights: slots.weights,
                    gradient: slots.gradient,
                    first: slots.first_moment,
                    second: slots.second_moment,
                };
                step(optimiser.method.rule(), slots, optimiser.rate, scale, l2, decay, self.steps + 1);
            }
        };
        let mut scale = 1.0;
        let mut find = find;
        if find && (clip.is_some() || !go) {
            let all = WeightSlices {
                weights: &mut self.network.values,
                gradient: &mut self.gradient,
                first_moment: &mut self.first_moment,
                second_moment: &mut self.second_moment,
            };
            self.parts.for_each(all, parallel, &|part, slots| work(part, slots, true, None));
            find = false;
        }
        if !go {
            return Ok(());
        }
        if let Some(most) = clip {
            let norm = self.parts.ranges().map(|range| squares(&self.gradient[range])).sum::<f64>().sqrt();
            if norm > most {
                scale = most / norm;
            }
        }
        let all = WeightSlices {
            weights: &mut self.network.values,
            gradient: &mut self.gradient,
            first_moment: &mut self.first_moment,
            second_moment: &mut self.second_moment,
        };
        self.parts.for_each(all, parallel, &|part, slots| work(part, slots, find, Some(scale)));
        self.steps += 1;
        self.transpose_weights();
        Ok(())
    }

    /// Writes the weights as the way back reads them.
    fn transpose_weights(&mut self) {
        let plan = self.network.plan.clone();
        let network = &mut self.network;
        if network.transposed.len() != plan.transposed {
            network.transposed = AlignedBuffer::zeros(plan.transposed);
        }
        let lowest = if self.input_gradient { 0 } else { plan.first_trained() + 1 };
        for op in &plan.ops[lowest.min(plan.ops.len())..] {
            match op {
                Op::Dense { panels, weights, transposed: turned, .. } => {
                    let (from, to) = (&network.values[weights.clone()], &mut network.transposed[turned.clone()]);
                    match self.tapes.len() {
                        many if many > 1 && panels.len() >= PARALLEL_TRANSPOSE => {
                            panels.transpose_by(from, to, |parts| parts.into_par_iter().for_each(|part| part.write(from)))
                        }
                        _ => panels.transpose(from, to),
                    }
                }
                Op::Conv { geometry, weights, transposed: turned, .. } => {
                    geometry.flip_filters(&network.values[weights.clone()], &mut network.transposed[turned.clone()]);
                }
                _ => {}
            }
        }
    }
}

/// The sum of squares, in sixteen sums that become vectors.
fn squares<T: Float>(values: &[T]) -> f64 {
    let (whole, rest) = values.as_chunks::<16>();
    let mut sums = [0.0; 16];
    for chunk in whole {
        for (s, v) in sums.iter_mut().zip(chunk) {
            *s += v.to_f64() * v.to_f64();
        }
    }
    sums.iter().sum::<f64>() + rest.iter().map(|v| v.to_f64() * v.to_f64()).sum::<f64>()
}
