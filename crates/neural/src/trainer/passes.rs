//! Forward and backward passes of a batch over its blocks, their synchronization, and the update of the weights.

use super::*;

/// Starts the backward pass of a block: through the activation of the output.
fn output_activation_grad<T: Float>(plan: &NetworkPlan, tape: &mut ActivationTape<T>) {
    tape.partial.fill(T::ZERO);
    let last = plan.ops.len();
    let node = &plan.nodes[last];
    let len = tape.rows() * node.stride;
    if node.curve != ActivationFn::Identity {
        apply_derivative(node.activation_fn(), &tape.nodes[last][..len], &mut tape.grads[last][..len]);
    }
}

/// Calls a function for every block, in parallel where that pays.
fn for_each_block<T: Float>(tapes: &mut [ActivationTape<T>], work: &(dyn Fn(&mut ActivationTape<T>) + Sync)) {
    match tapes {
        [one] => work(one),
        many => many.par_iter_mut().for_each(work),
    }
}

impl<T: Float> Trainer<T> {
    /// The dropout key of the coming step.
    pub(super) fn dropout_key(&self) -> u64 {
        match self.network.plan.ops.iter().any(|op| matches!(op, Op::Dropout { .. })) {
            true => RngStream::new(self.seed, "dropout", self.steps).next_u64(),
            false => 0,
        }
    }

    /// Assigns the rows of a batch to the blocks, and returns the number of blocks used.
    pub(super) fn assign_rows(&mut self, rows: usize) -> usize {
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

    pub(super) fn check_rows(&self, rows: usize) -> Result<()> {
        if rows == 0 || rows > self.batch {
            return Err(Error::Length { what: "rows of a batch (at most)".into(), expected: self.batch, found: rows });
        }
        Ok(())
    }

    /// Forward pass of `rows` rows that are filled in one by one.
    pub(crate) fn forward_with(&mut self, rows: usize, fill: &(dyn Fn(usize, &mut [T]) + Sync)) -> Result<()> {
        self.forward_blocks(rows, fill, &|_, _, _| ())?;
        self.pending_rows = rows;
        Ok(())
    }

    /// The next synchronization point, at or behind an operation.
    pub(super) fn next_sync_point(&self, plan: &NetworkPlan, from: usize) -> Option<SyncPoint> {
        let several = self.tapes.len() > 1;
        (from..plan.ops.len()).find_map(|k| match &plan.ops[k] {
            Op::Norm { .. } => Some(SyncPoint::BatchNorm(k)),
            op if several && is_sync_layer(op) => Some(SyncPoint::WideDense(k)),
            _ => None,
        })
    }

    /// Forward pass, and a function called for each block at its end.
    pub(super) fn forward_blocks(
        &mut self,
        rows: usize,
        fill: &(dyn Fn(usize, &mut [T]) + Sync),
        then: &ForwardDone<'_, T>,
    ) -> Result<()> {
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
                    // The moments are known now, and the operation itself comes next.
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
    pub(super) fn wide_product(&mut self, plan: &NetworkPlan, k: usize, used: usize) {
        let Op::Dense { panels, weights, bias, .. } = &plan.ops[k] else { return };
        let (from, to) = (&plan.nodes[k], &plan.nodes[k + 1]);
        let values = &self.network.values;
        let bias = bias.as_ref().map(|b| &values[b.clone()]);
        let mut blocks: Vec<_> = self.tapes[..used].iter_mut().filter_map(|t| t.dense_block(k)).collect();
        let (end, _) = forward_backward::split_epilogue(to.activation_fn());
        dense_by_panels(&mut blocks, from.stride, &values[weights.clone()], *panels, bias, end, to.stride);
    }

    /// The moments of a batch from those of its blocks, and the update of the moving averages.
    pub(super) fn sync_batch_norm(&mut self, plan: &NetworkPlan, k: usize, used: usize) -> Result<()> {
        let Op::Norm { channels, momentum, epsilon, gamma, beta, state, number } = &plan.ops[k] else { return Ok(()) };
        let mut all = BlockMoments::new(*channels);
        self.tapes[..used].iter().filter_map(|t| forward_backward::moments_of(t, k)).for_each(|m| all.merge(m));
        if all.count < 2.0 {
            return Err(Error::Data(
                "a batch of one row cannot be normalized by its own variance; use batches of at least 2 rows".into(),
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

    /// Forward pass, loss, backward pass and step for a batch: the body of a training loop. Returns the sum of the
    /// losses.
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
            // Without synchronization points each block does its backward pass while its activations are in cache.
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

    /// The last operation of the backward pass, and the lowest node whose gradient is computed.
    pub(super) fn backward_limit(&self) -> (usize, usize) {
        match self.input_gradient {
            true => (0, 0),
            false => (self.network.plan.first_trained(), self.network.plan.first_trained() + 1),
        }
    }

    pub(super) fn backward_and_step(&mut self, take_step: bool) -> Result<()> {
        let (plan, key) = (self.network.plan.clone(), self.dropout_key());
        let rows = std::mem::take(&mut self.pending_rows);
        let used = rows.div_ceil(self.block);
        let (floor, lowest) = self.backward_limit();
        let last = plan.ops.len();
        let mut at = last;
        loop {
            let norm = (floor..at).rev().find(|&k| plan.ops[k].is_norm());
            // The normalization itself waits for the sums of all blocks.
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
            // Now its own sweep, then further back.
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

    /// Gradients of γ and β, and the coefficients of the sweep: with N pixels, dx = γ/σ (d - mean d - x̂ mean(d x̂)).
    pub(super) fn sync_batch_norm_backward(&mut self, plan: &NetworkPlan, k: usize, used: usize) {
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

    /// Computes the remaining gradients, updates the weights, or both.
    pub(super) fn apply_gradients(&mut self, find: bool, go: bool) -> Result<()> {
        let parallel = self.tapes.len() > 1;
        let tapes = &self.tapes;
        let plan = self.network.plan.clone();
        let used = tapes.iter().filter(|t| t.rows() > 0).count();
        let tapes = &tapes[..used];
        let optimizer = self.optimizer;
        let clip = if go { optimizer.clip } else { None };
        let work = |part: &WeightChunk, slots: WeightSlices<'_, T>, find: bool, scale: Option<f64>| {
            if find {
                gradient_of(&plan, tapes, part, slots.gradient);
            }
            if let Some(scale) = scale {
                let (l2, decay) = if part.decays { (optimizer.l2, optimizer.decay) } else { (0.0, 0.0) };
                let slots = OptimizerSlots {
                    weights: slots.weights,
                    gradient: slots.gradient,
                    first: slots.first_moment,
                    second: slots.second_moment,
                };
                step(optimizer.method, slots, optimizer.rate, scale, l2, decay, self.steps + 1);
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

    /// Writes the transposed weights for the backward pass.
    pub(super) fn transpose_weights(&mut self) {
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

/// The sum of squares, in sixteen sums for vectorization.
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
