//! A network: layers with weights. It predicts; training is the work of a [`crate::Trainer`].

use std::sync::Arc;

use ermine_core::parallel::prelude::*;
use ermine_core::{Error, Mat, MatRef, Result, RngStream};
use ermine_math::nn::{AlignedBuffer, Float};
use serde::{Deserialize, Serialize};

use crate::Shape;
use crate::architecture::{Activation, Architecture, Layer};
use crate::forward_backward::{self, ActivationTape};
use crate::plan::{LayerWeights, NetworkPlan, Op, WeightRole};

/// Distributions of the initial weights. Biases start at 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WeightInit {
    /// `He` before ReLU, leaky ReLU and GELU, `Glorot` before anything else.
    #[default]
    Auto,
    /// Normal with variance 2 / inputs (He, Zhang, Ren, Sun 2015), which preserves the variance through a ReLU.
    He,
    /// Uniform within ±√(6 / (inputs + outputs)) (Glorot, Bengio 2010).
    Glorot,
    /// Weights and biases uniform within ±√(f / (inputs + outputs)), f = 2 before the sigmoid and 6 before anything
    /// else, as in scikit-learn.
    GlorotWithBias,
}

/// Layers with their weights.
///
/// ```
/// use ermine_core::MatRef;
/// use ermine_neural::{Network, Shape, WeightInit};
/// let network: Network = Network::new(&"dense(64) relu dense(2)".parse()?, Shape::flat(4), WeightInit::Auto, 0)?;
/// let batch = [0.5f32; 3 * 4];
/// let out = network.predict(MatRef::row_major(&batch, 3, 4))?;
/// assert_eq!((out.rows(), out.cols()), (3, 2));
/// // Row by row without asking for memory each time.
/// let mut scratch = network.scratch(1);
/// assert_eq!(network.forward_row(&batch[..4], &mut scratch)?, out.row(0));
/// # Ok::<(), ermine_core::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Network<T: Float = f32> {
    pub(crate) plan: Arc<NetworkPlan>,
    pub(crate) values: AlignedBuffer<T>,
    /// Transposed copies of the weights for the backward pass; made when training starts.
    pub(crate) transposed: AlignedBuffer<T>,
    /// Moving averages of batch normalization.
    pub(crate) state: AlignedBuffer<T>,
}

/// Buffers for the forward pass of some rows, without those of training.
#[derive(Debug, Clone)]
pub struct InferenceScratch<T: Float = f32> {
    tape: ActivationTape<T>,
    plan: Arc<NetworkPlan>,
}

/// Σ v², in short sums of f32 added up in f64.
fn squared_norm<T: Float>(values: &[T]) -> f64 {
    let some = |values: &[T]| {
        let mut sums = [T::ZERO; 16];
        for chunk in values.chunks(16) {
            sums.iter_mut().zip(chunk).for_each(|(s, v)| *s += *v * *v);
        }
        sums.iter().map(|s| s.to_f64()).sum::<f64>()
    };
    values.chunks(1024).map(some).sum()
}

/// Rows predicted at a time, and upper bound on their activations.
const ROWS: usize = 64;
const MEMORY: usize = 1 << 24;

/// Multiplications below which a second thread costs more than it gains.
pub(crate) const SMALL: usize = 2_000_000;

impl<T: Float> Network<T> {
    /// A network with weights drawn from `init`. Shapes that do not fit are an error that names the layer.
    pub fn new(architecture: &Architecture, input: Shape, init: WeightInit, seed: u64) -> Result<Self> {
        let plan = NetworkPlan::new(architecture, input)?;
        let mut network = Self {
            values: AlignedBuffer::zeros(plan.weights),
            transposed: AlignedBuffer::default(),
            state: AlignedBuffer::zeros(plan.state),
            plan: Arc::new(plan),
        };
        network.draw(init, seed);
        Ok(network)
    }

    fn draw(&mut self, init: WeightInit, seed: u64) {
        let plan = self.plan.clone();
        for segment in &plan.segments {
            let mut stream = RngStream::new(
                seed,
                if segment.role == WeightRole::Bias { "constants" } else { "weights" },
                segment.layer as u64,
            );
            let after = plan.architecture.layers[segment.layer + 1..].iter().find_map(|l| match l {
                Layer::Activation(a) => Some(*a),
                Layer::Dense { .. } | Layer::Conv { .. } => Some(Activation::Identity),
                _ => None,
            });
            let after = after.unwrap_or(Activation::Identity);
            let (inputs, outputs) = match &plan.ops[segment.op] {
                Op::Dense { panels, .. } => (panels.rows, panels.cols),
                // A pixel contributes to as many outputs as there are weights in a filter, for each filter.
                Op::Conv { geometry, .. } => {
                    let (rows, cols) = (geometry.filters().rows, geometry.filters().cols);
                    (rows, rows / plan.nodes[segment.op].shape.channels * cols)
                }
                _ => (1, 1),
            };
            let rectified = matches!(after, Activation::Relu | Activation::LeakyRelu { .. } | Activation::Gelu);
            let normal = match init {
                WeightInit::He => true,
                WeightInit::Auto => rectified,
                WeightInit::Glorot | WeightInit::GlorotWithBias => false,
            };
            let factor = if init == WeightInit::GlorotWithBias && after == Activation::Sigmoid { 2.0 } else { 6.0 };
            let bound = (factor / (inputs + outputs) as f64).sqrt();
            let deviation = (2.0 / inputs as f64).sqrt();
            let (rows, cols) = segment.shape(&plan);
            for i in 0..rows {
                for j in 0..cols {
                    let value = match segment.role {
                        WeightRole::Weights if normal => deviation * stream.normal(),
                        WeightRole::Weights => bound * (2.0 * stream.uniform() - 1.0),
                        WeightRole::Bias if init == WeightInit::GlorotWithBias => bound * (2.0 * stream.uniform() - 1.0),
                        WeightRole::Table(_) => (1.0 / cols as f64).sqrt() * stream.normal(),
                        WeightRole::Gamma => 1.0,
                        WeightRole::Bias | WeightRole::Beta => 0.0,
                    };
                    self.values[segment.at(&plan, i, j)] = T::from_f64(value);
                }
            }
        }
        for op in &plan.ops {
            if let Op::Norm { state, channels, .. } = op {
                self.state[state.clone()][..*channels].fill(T::ZERO);
                self.state[state.clone()][*channels..].fill(T::ONE);
            }
        }
    }

    /// The layers.
    pub fn architecture(&self) -> &Architecture {
        &self.plan.architecture
    }

    /// The shape of an input row.
    pub fn input(&self) -> Shape {
        self.plan.input
    }

    /// The shape of an output row.
    pub fn output(&self) -> Shape {
        self.plan.output().shape
    }

    /// Number of trained weights.
    pub fn n_weights(&self) -> usize {
        self.plan.segments.iter().map(|s| s.shape(&self.plan)).map(|(r, c)| r * c).sum()
    }

    /// The weights of every layer that has some, layer by layer.
    pub fn weights(&self) -> Vec<LayerWeights<T>> {
        self.plan.segments.iter().map(|s| s.read(&self.plan, &self.values)).collect()
    }

    /// Moving averages of the layers with batch normalization: layer, means, variances.
    pub fn running_stats(&self) -> Vec<(usize, Vec<T>, Vec<T>)> {
        let each = self.plan.segments.iter().filter(|s| s.role == WeightRole::Gamma).filter_map(|s| match &self.plan.ops[s.op] {
            Op::Norm { state, channels, .. } => {
                let (mean, variance) = self.state[state.clone()].split_at(*channels);
                Some((s.layer, mean.to_vec(), variance.to_vec()))
            }
            _ => None,
        });
        each.collect()
    }

    /// Sets one weight array, in the layout of [`Network::weights`].
    pub fn set_weights(&mut self, layer: usize, name: &str, values: &[T]) -> Result<()> {
        let plan = self.plan.clone();
        let Some(segment) = plan.segments.iter().find(|s| s.layer == layer && s.name() == name) else {
            return Err(Error::Data(format!("layer {} has no {name}", layer + 1)));
        };
        let (rows, cols) = segment.shape(&plan);
        if values.len() != rows * cols {
            let what = format!("{name} of layer {}", layer + 1);
            return Err(Error::Length { what, expected: rows * cols, found: values.len() });
        }
        for (k, v) in values.iter().enumerate() {
            self.values[segment.at(&plan, k / cols, k % cols)] = *v;
        }
        self.transposed = AlignedBuffer::default();
        Ok(())
    }

    /// Sets the moving averages of a layer with batch normalization.
    pub fn set_running_stats(&mut self, layer: usize, mean: &[T], variance: &[T]) -> Result<()> {
        let plan = self.plan.clone();
        let segment = plan.segments.iter().find(|s| s.layer == layer && s.role == WeightRole::Gamma).map(|s| &plan.ops[s.op]);
        match segment {
            Some(Op::Norm { state, channels, .. }) if mean.len() == *channels && variance.len() == *channels => {
                let (m, v) = self.state[state.clone()].split_at_mut(*channels);
                m.copy_from_slice(mean);
                v.copy_from_slice(variance);
                Ok(())
            }
            _ => Err(Error::Data(format!("layer {} does not normalize {} channels", layer + 1, mean.len()))),
        }
    }

    /// Whether two networks have the same layers and input.
    pub fn same_architecture(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.plan, &other.plan) || self.plan == other.plan
    }

    /// Copies the weights of a network with the same layers, as for a target network.
    pub fn copy_weights(&mut self, from: &Self) -> Result<()> {
        self.soft_update(from, 1.0)
    }

    /// Moves the weights toward those of a network with the same layers: w = (1 - share) w + share w'.
    pub fn soft_update(&mut self, target: &Self, share: f64) -> Result<()> {
        if !self.same_architecture(target) {
            return Err(Error::Data(format!(
                "weights of \"{}\" on {} do not fit \"{}\" on {}",
                target.architecture(),
                target.input(),
                self.architecture(),
                self.input()
            )));
        }
        if share == 1.0 {
            self.values.copy_from_slice(&target.values);
            self.state.copy_from_slice(&target.state);
        } else {
            let (keep, take) = (T::from_f64(1.0 - share), T::from_f64(share));
            let mix = |(w, t): (&mut T, &T)| *w = keep * *w + take * *t;
            self.values.iter_mut().zip(target.values.iter()).for_each(mix);
            self.state.iter_mut().zip(target.state.iter()).for_each(mix);
        }
        self.transposed = AlignedBuffer::default();
        Ok(())
    }

    /// The squared norm of the penalized weights.
    pub(crate) fn squared_norm(&self) -> f64 {
        let runs = self.plan.segments.iter().filter(|s| s.has_weight_decay());
        runs.map(|s| squared_norm(&self.values[s.range.clone()])).sum()
    }

    /// Ranges of the penalized weights.
    pub(crate) fn decayed_ranges(&self) -> Vec<std::ops::Range<usize>> {
        self.plan.segments.iter().filter(|s| s.has_weight_decay()).map(|s| s.range.clone()).collect()
    }

    /// The same network in another number type.
    pub fn cast<U: Float>(&self) -> Network<U> {
        let other = |v: &[T]| AlignedBuffer::from_slice(&v.iter().map(|v| U::from_f64(v.to_f64())).collect::<Vec<_>>());
        Network {
            plan: self.plan.clone(),
            values: other(&self.values),
            transposed: AlignedBuffer::default(),
            state: other(&self.state),
        }
    }

    /// The first `layers` layers and the others, as two networks.
    pub fn split(&self, layers: usize) -> Result<(Self, Self)> {
        let all = &self.architecture().layers;
        let at = layers.min(all.len());
        let middle = Architecture { layers: all[..at].to_vec() };
        let shape = middle.output(self.input())?;
        let mut parts = [
            Self::new(&middle, self.input(), WeightInit::Glorot, 0)?,
            Self::new(&Architecture { layers: all[at..].to_vec() }, shape, WeightInit::Glorot, 0)?,
        ];
        for w in self.weights() {
            let (part, layer) = if w.layer < at { (0, w.layer) } else { (1, w.layer - at) };
            parts[part].set_weights(layer, &w.name, &w.values)?;
        }
        for (layer, mean, variance) in self.running_stats() {
            let (part, layer) = if layer < at { (0, layer) } else { (1, layer - at) };
            parts[part].set_running_stats(layer, &mean, &variance)?;
        }
        let [first, second] = parts;
        Ok((first, second))
    }

    /// Whether every weight is a finite number.
    pub fn is_finite(&self) -> bool {
        self.values.iter().chain(self.state.iter()).all(|v| v.is_finite())
    }

    /// Buffers for [`Network::forward`] on up to `rows` rows.
    pub fn scratch(&self, rows: usize) -> InferenceScratch<T> {
        InferenceScratch { tape: ActivationTape::for_prediction(&self.plan, rows.max(1)), plan: self.plan.clone() }
    }

    fn check(&self, cols: usize) -> Result<()> {
        let expected = self.plan.input.len();
        if cols == expected { Ok(()) } else { Err(Error::Columns { expected, found: cols }) }
    }

    /// The outputs for rows, in existing buffers; the view gives the stride of the rows.
    pub fn forward<'s>(&self, x: MatRef<'_, T>, scratch: &'s mut InferenceScratch<T>) -> Result<MatRef<'s, T>> {
        self.check(x.cols())?;
        self.fit_scratch(scratch, x.rows());
        let tape = &mut scratch.tape;
        tape.begin(x.rows());
        for i in 0..x.rows() {
            x.copy_row(i, tape.input_row(i));
        }
        forward_backward::predict(self, tape)?;
        let node = self.plan.output();
        let out = tape.output();
        Ok(MatRef::strided(out, x.rows(), node.len(), node.stride, 1).expect("the tape has room for all rows"))
    }

    /// The output for one row.
    pub fn forward_row<'s>(&self, x: &[T], scratch: &'s mut InferenceScratch<T>) -> Result<&'s [T]> {
        self.check(x.len())?;
        self.fit_scratch(scratch, 1);
        let tape = &mut scratch.tape;
        tape.begin(1);
        tape.input_row(0).copy_from_slice(x);
        forward_backward::predict(self, tape)?;
        Ok(&scratch.tape.output()[..self.plan.output().len()])
    }

    /// Reallocates buffers made for fewer rows or for another network.
    fn fit_scratch(&self, scratch: &mut InferenceScratch<T>, rows: usize) {
        let known = Arc::ptr_eq(&scratch.plan, &self.plan) || scratch.plan == self.plan;
        if !known || scratch.tape.capacity() < rows {
            *scratch = self.scratch(rows);
        }
    }

    /// The outputs for rows; many rows are computed in parallel blocks.
    pub fn predict(&self, x: MatRef<'_, T>) -> Result<Mat<T>> {
        self.check(x.cols())?;
        self.predict_with(x.rows(), &|i, row| x.copy_row(i, row))
    }

    /// Rows per block, such that its memory is bounded.
    fn rows_at_once(&self) -> usize {
        let row: usize = self.plan.nodes.iter().map(|n| n.stride).sum();
        (MEMORY / row.max(1)).clamp(1, ROWS)
    }

    /// The outputs for `rows` rows that are filled in one by one.
    pub fn predict_with(&self, rows: usize, fill: &(dyn Fn(usize, &mut [T]) + Sync)) -> Result<Mat<T>> {
        let (cols, wide) = (self.plan.output().len(), self.rows_at_once());
        let mut out = Mat::filled(rows, cols, T::ZERO);
        let block = |scratch: &mut InferenceScratch<T>, number: usize, out: &mut [T]| -> Result<()> {
            let tape = &mut scratch.tape;
            let here = out.len() / cols;
            tape.begin(here);
            for i in 0..here {
                fill(number * wide + i, tape.input_row(i));
            }
            forward_backward::predict(self, tape).map_err(|e| e.with_row(|r| r + number * wide))?;
            let (stride, result) = (self.plan.output().stride, tape.output());
            for (i, out) in out.chunks_exact_mut(cols).enumerate() {
                out.copy_from_slice(&result[i * stride..][..cols]);
            }
            Ok(())
        };
        let blocks = out.as_mut_slice().chunks_mut(wide * cols).enumerate();
        if rows <= wide || rows * self.plan.forward_cost() < SMALL {
            let mut scratch = self.scratch(rows.min(wide));
            for (number, out) in blocks {
                block(&mut scratch, number, out)?;
            }
        } else {
            let blocks: Vec<(usize, &mut [T])> = blocks.collect();
            blocks
                .into_par_iter()
                .try_for_each_init(|| self.scratch(wide), |scratch, (number, out)| block(scratch, number, out))?;
        }
        Ok(out)
    }
}
