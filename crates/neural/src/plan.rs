//! An architecture compiled for kernels: operations, their order and their memory.

use std::ops::Range;

use ermine_core::Result;
use ermine_math::nn::{ActivationFn, Convolution, Float, Pool, PoolKind as Kind, WeightPanels, padded};

use crate::architecture::{Activation, Architecture, Embedding, Layer, PoolKind};
use crate::{Network, Shape};

/// Activations between two operations.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ActivationBuffer {
    pub shape: Shape,
    /// From one row to the next.
    pub stride: usize,
    /// The activation that the preceding operation applies as its epilogue; the backward pass undoes it.
    pub curve: ActivationFn<f64>,
    /// The layer whose output this is, if it is one's.
    pub layer: Option<usize>,
}

impl ActivationBuffer {
    fn new(shape: Shape) -> Self {
        // An odd number of cache lines per row: a column of rows is then spread evenly over the sets of the caches.
        let lines = padded(shape.len()) / LINE;
        Self { shape, stride: (lines | 1) * LINE, curve: ActivationFn::Identity, layer: None }
    }

    pub fn len(&self) -> usize {
        self.shape.len()
    }

    /// The activation in the number type of the computation.
    pub fn activation_fn<T: Float>(&self) -> ActivationFn<T> {
        curve_of(self.curve)
    }

    /// The slope below 0 of a (leaky) ReLU; none for other activations.
    pub fn relu_slope<T: Float>(&self) -> Option<T> {
        match self.activation_fn() {
            ActivationFn::LeakyRelu(slope) => Some(slope),
            _ => None,
        }
    }
}

pub(crate) fn curve_of<T: Float>(curve: ActivationFn<f64>) -> ActivationFn<T> {
    match curve {
        ActivationFn::Identity => ActivationFn::Identity,
        ActivationFn::LeakyRelu(slope) => ActivationFn::LeakyRelu(T::from_f64(slope)),
        ActivationFn::Sigmoid => ActivationFn::Sigmoid,
        ActivationFn::Tanh => ActivationFn::Tanh,
        ActivationFn::Gelu => ActivationFn::Gelu,
    }
}

/// Numbers of a cache line of f32.
pub(crate) const LINE: usize = 16;

/// One operation: it reads the node of its own number and writes the next one.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Op {
    Dense {
        panels: WeightPanels,
        weights: Range<usize>,
        bias: Option<Range<usize>>,
        transposed: Range<usize>,
    },
    Conv {
        geometry: Box<Convolution>,
        weights: Range<usize>,
        bias: Option<Range<usize>>,
        transposed: Range<usize>,
        partial: Range<usize>,
    },
    Pool(Pool),
    Dropout {
        rate: f64,
    },
    Norm {
        channels: usize,
        momentum: f64,
        epsilon: f64,
        gamma: Range<usize>,
        beta: Range<usize>,
        state: Range<usize>,
        number: usize,
    },
    Embed {
        columns: Vec<Embedding>,
        plain: Vec<usize>,
        tables: Vec<Range<usize>>,
        partial: Range<usize>,
    },
    Curve(ActivationFn<f64>),
    Softmax,
}

impl Op {
    /// Whether it needs all rows of a batch before it can continue.
    pub fn is_norm(&self) -> bool {
        matches!(self, Self::Norm { .. })
    }

    /// Approximate multiplications of the forward pass per row.
    fn forward_cost(&self, to: &ActivationBuffer) -> usize {
        match self {
            Self::Dense { panels, .. } => panels.len(),
            Self::Conv { geometry, .. } => geometry.filters().len() * geometry.output().0 * geometry.output().1,
            _ => 2 * to.len(),
        }
    }
}

/// Roles of weight arrays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WeightRole {
    /// Of a product; penalized.
    Weights,
    Bias,
    Gamma,
    Beta,
    /// Embedding of the levels of a category; penalized.
    Table(usize),
}

/// A weight array: that of an operation in one role.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct WeightSegment {
    pub op: usize,
    /// The layer, counted from 0.
    pub layer: usize,
    pub role: WeightRole,
    pub range: Range<usize>,
}

/// An architecture compiled for one input shape.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct NetworkPlan {
    pub architecture: Architecture,
    pub input: Shape,
    pub nodes: Vec<ActivationBuffer>,
    pub ops: Vec<Op>,
    pub segments: Vec<WeightSegment>,
    /// Sizes of all weights, of the transposed copies, of the moving averages, and of the gradients that blocks of rows
    /// sum separately.
    pub weights: usize,
    pub transposed: usize,
    pub state: usize,
    pub partial: usize,
    pub norms: usize,
}

/// Allocates consecutive ranges.
#[derive(Default)]
struct OffsetAllocator(usize);

impl OffsetAllocator {
    fn allocate(&mut self, len: usize) -> Range<usize> {
        // Whole cache lines, so that every array is aligned.
        let start = self.0;
        self.0 += len.next_multiple_of(LINE);
        start..start + len
    }
}

/// A plan that is built layer by layer.
struct PlanBuilder {
    plan: NetworkPlan,
    weights: OffsetAllocator,
    transposed: OffsetAllocator,
    state: OffsetAllocator,
    partial: OffsetAllocator,
}

impl PlanBuilder {
    /// Allocates a weight array of the next operation.
    fn weights(&mut self, layer: usize, role: WeightRole, len: usize) -> Range<usize> {
        let range = self.weights.allocate(len);
        self.plan.segments.push(WeightSegment { op: self.plan.ops.len(), layer, role, range: range.clone() });
        range
    }

    /// Lets the last operation apply an activation as its epilogue, where it can.
    fn fuse(&mut self, layer: usize, curve: ActivationFn<f64>) -> bool {
        let number = self.plan.ops.len();
        let node = &mut self.plan.nodes[number];
        let fuses = number > 0
            && node.curve == ActivationFn::Identity
            && curve != ActivationFn::Gelu
            && matches!(self.plan.ops[number - 1], Op::Dense { .. } | Op::Conv { .. } | Op::Norm { .. });
        if fuses {
            node.curve = curve;
            node.layer = Some(layer);
        }
        fuses
    }

    /// The operation of layer `k` on inputs of shape `from`; none for a layer that needs none of its own.
    fn op(&mut self, k: usize, layer: &Layer, from: Shape, shape: Shape) -> Option<Op> {
        let image = (from.height, from.width, from.channels);
        Some(match layer {
            Layer::Dense { units, bias } => {
                let panels = WeightPanels { rows: from.len(), cols: *units };
                let weights = self.weights(k, WeightRole::Weights, panels.len());
                let bias = bias.then(|| self.weights(k, WeightRole::Bias, padded(*units)));
                let transposed = self.transposed.allocate(WeightPanels { rows: *units, cols: from.len() }.len());
                Op::Dense { panels, weights, bias, transposed }
            }
            Layer::Conv { filters, size, stride, pad, dilation, bias } => {
                let geometry = Box::new(Convolution::new(image, *filters, *size, *stride, *pad, *dilation));
                let weights = self.weights(k, WeightRole::Weights, geometry.filters().len());
                let bias = bias.then(|| self.weights(k, WeightRole::Bias, padded(*filters)));
                let transposed = self.transposed.allocate(geometry.flipped_layout().len());
                let partial = self.partial.allocate(weights.len() + bias.as_ref().map_or(0, |b| b.len()));
                Op::Conv { geometry, weights, bias, transposed, partial }
            }
            Layer::Pool { kind, size, stride } => {
                Op::Pool(Pool { kind: kind_of(*kind), input: image, size: *size, stride: *stride })
            }
            Layer::GlobalPool { kind } => {
                Op::Pool(Pool { kind: kind_of(*kind), input: image, size: (from.height, from.width), stride: 1 })
            }
            Layer::Dropout { rate } if *rate == 0.0 => return None,
            Layer::Dropout { rate } => Op::Dropout { rate: *rate },
            Layer::BatchNorm { momentum, epsilon } => {
                let channels = from.channels;
                let gamma = self.weights(k, WeightRole::Gamma, channels);
                let beta = self.weights(k, WeightRole::Beta, channels);
                let number = self.plan.norms;
                self.plan.norms += 1;
                let state = self.state.allocate(2 * channels);
                Op::Norm { channels, momentum: *momentum, epsilon: *epsilon, gamma, beta, state, number }
            }
            Layer::Flatten | Layer::Activation(Activation::Identity) => {
                let number = self.plan.ops.len();
                self.plan.nodes[number].shape = shape;
                return None;
            }
            Layer::Embedding(columns) => {
                let table = |(t, e): (usize, &Embedding)| self.weights(k, WeightRole::Table(t), e.levels * e.width);
                let tables: Vec<_> = columns.iter().enumerate().map(table).collect();
                let plain = (0..from.channels).filter(|j| columns.iter().all(|e| e.column != *j)).collect();
                let partial = self.partial.allocate(tables.iter().map(|t| t.len().next_multiple_of(LINE)).sum());
                Op::Embed { columns: columns.clone(), plain, tables, partial }
            }
            Layer::Activation(Activation::Softmax) => Op::Softmax,
            Layer::Activation(a) => {
                let curve = a.activation_fn();
                if self.fuse(k, curve) {
                    return None;
                }
                Op::Curve(curve)
            }
        })
    }
}

impl NetworkPlan {
    pub fn new(architecture: &Architecture, input: Shape) -> Result<Self> {
        let shapes = architecture.shapes(input)?;
        let plan = Self {
            architecture: architecture.clone(),
            input,
            nodes: vec![ActivationBuffer::new(input)],
            ops: Vec::new(),
            segments: Vec::new(),
            weights: 0,
            transposed: 0,
            state: 0,
            partial: 0,
            norms: 0,
        };
        let [weights, transposed, state, partial] = std::array::from_fn(|_| OffsetAllocator::default());
        let mut builder = PlanBuilder { plan, weights, transposed, state, partial };
        for (k, (layer, &shape)) in architecture.layers.iter().zip(&shapes).enumerate() {
            let from = k.checked_sub(1).map_or(input, |b| shapes[b]);
            if let Some(op) = builder.op(k, layer, from, shape) {
                builder.plan.ops.push(op);
                builder.plan.nodes.push(ActivationBuffer { layer: Some(k), ..ActivationBuffer::new(shape) });
            }
        }
        let PlanBuilder { mut plan, weights, transposed, state, partial } = builder;
        (plan.weights, plan.transposed, plan.state, plan.partial) = (weights.0, transposed.0, state.0, partial.0);
        Ok(plan)
    }

    pub fn output(&self) -> &ActivationBuffer {
        &self.nodes[self.ops.len()]
    }

    /// Approximate multiplications of the forward pass per row.
    pub fn forward_cost(&self) -> usize {
        self.ops.iter().zip(&self.nodes[1..]).map(|(op, to)| op.forward_cost(to)).sum()
    }

    /// The first operation with weights: the backward pass stops there.
    pub fn first_trained(&self) -> usize {
        self.segments.iter().map(|s| s.op).min().unwrap_or(self.ops.len())
    }
}

fn kind_of(kind: PoolKind) -> Kind {
    match kind {
        PoolKind::Max => Kind::Max,
        PoolKind::Average => Kind::Average,
    }
}

impl Activation {
    /// The activation as an elementwise kernel; softmax is none.
    pub(crate) fn activation_fn(self) -> ActivationFn<f64> {
        match self {
            Self::Identity | Self::Softmax => ActivationFn::Identity,
            Self::Sigmoid => ActivationFn::Sigmoid,
            Self::Tanh => ActivationFn::Tanh,
            Self::Relu => ActivationFn::LeakyRelu(0.0),
            Self::LeakyRelu { slope } => ActivationFn::LeakyRelu(slope),
            Self::Gelu => ActivationFn::Gelu,
        }
    }
}

/// Weights of a layer in the usual layout: row-major, one input per row, one output per column. Filters are (line,
/// pixel, channel) by filter.
#[derive(Debug, Clone, PartialEq)]
pub struct LayerWeights<T> {
    /// The layer, counted from 0.
    pub layer: usize,
    /// "weights", "bias", "gamma", "beta", or "table" and the number of the category column in the layer.
    pub name: String,
    /// Rows and columns.
    pub shape: (usize, usize),
    /// The numbers.
    pub values: Vec<T>,
}

impl WeightSegment {
    pub fn name(&self) -> String {
        match self.role {
            WeightRole::Weights => "weights".into(),
            WeightRole::Bias => "bias".into(),
            WeightRole::Gamma => "gamma".into(),
            WeightRole::Beta => "beta".into(),
            WeightRole::Table(t) => format!("table{t}"),
        }
    }

    /// Rows and columns in the usual layout.
    pub fn shape(&self, plan: &NetworkPlan) -> (usize, usize) {
        match (&plan.ops[self.op], self.role) {
            (Op::Dense { panels, .. }, WeightRole::Weights) => (panels.rows, panels.cols),
            (Op::Dense { panels, .. }, _) => (1, panels.cols),
            (Op::Conv { geometry, .. }, WeightRole::Weights) => (geometry.filters().rows, geometry.filters().cols),
            (Op::Conv { geometry, .. }, _) => (1, geometry.filters().cols),
            (Op::Embed { columns, .. }, WeightRole::Table(t)) => (columns[t].levels, columns[t].width),
            _ => (1, self.range.len()),
        }
    }

    /// Index of the element at (`row`, `col`) among all weights.
    pub fn at(&self, plan: &NetworkPlan, row: usize, col: usize) -> usize {
        self.range.start
            + match (&plan.ops[self.op], self.role) {
                (Op::Dense { panels, .. }, WeightRole::Weights) => panels.at(row, col),
                (Op::Conv { geometry, .. }, WeightRole::Weights) => geometry.filters().at(row, col),
                _ => row * self.shape(plan).1 + col,
            }
    }

    /// Whether penalties and weight decay apply.
    pub fn has_weight_decay(&self) -> bool {
        matches!(self.role, WeightRole::Weights | WeightRole::Table(_))
    }

    /// The array in the usual layout, read from the layout of the kernels.
    pub fn read<T: Float>(&self, plan: &NetworkPlan, from: &[T]) -> LayerWeights<T> {
        let shape = self.shape(plan);
        // The offsets of the row's pieces are computed once per panel instead of once per element.
        let run = |i: usize, j: usize| &from[self.at(plan, i, j)..][..WeightPanels::WIDE.min(shape.1 - j)];
        let mut values = Vec::with_capacity(shape.0 * shape.1);
        for i in 0..shape.0 {
            (0..shape.1).step_by(WeightPanels::WIDE).for_each(|j| values.extend_from_slice(run(i, j)));
        }
        LayerWeights { layer: self.layer, name: self.name(), shape, values }
    }
}

impl<T: Float> Network<T> {
    pub(crate) fn plan(&self) -> &NetworkPlan {
        &self.plan
    }
}
