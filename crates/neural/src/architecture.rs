//! A network as plain data: its layers, their text form, and the shapes that follow.

use ermine_core::{Error, Result};
use serde::{Deserialize, Serialize};

use crate::Shape;

/// An elementwise function, or one of each row for [`Activation::Softmax`].
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Activation {
    /// z.
    Identity,
    /// 1 / (1 + e⁻ᶻ).
    Sigmoid,
    /// tanh z.
    Tanh,
    /// max(z, 0).
    Relu,
    /// z above 0, `slope` z below.
    LeakyRelu {
        /// From 0 to below 1.
        slope: f64,
    },
    /// z Φ(z), with the distribution function Φ of the standard normal distribution (Hendrycks, Gimpel 2016).
    Gelu,
    /// e^{zₖ} / Σⱼ e^{zⱼ} over the channels of a pixel.
    Softmax,
}

/// Kinds of pooling.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PoolKind {
    /// The maximum.
    Max,
    /// The mean.
    Average,
}

/// Embedding of a category column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Embedding {
    /// The column with the codes, counted from 0.
    pub column: usize,
    /// Codes run from 0 to below this.
    pub levels: usize,
    /// Width of the embedding.
    pub width: usize,
}

/// One layer, as plain data. [`Architecture`] reads and writes the text form of each.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Layer {
    /// `dense(120)`: y = x W + b. An image is read as its columns.
    Dense {
        /// Columns of y.
        units: usize,
        /// Whether there is a bias b; `dense(120,bias=no)` has none.
        bias: bool,
    },
    /// `conv(16,5,stride=1,pad=2,dilation=1)` or `conv(16,3x5)`: a filter of f x f pixels at every `stride`-th
    /// position, after zero padding by `pad` pixels on every side; n lines become l = (n + 2p - f)/s + 1.
    Conv {
        /// Channels of the output.
        filters: usize,
        /// Height and width of a filter.
        size: (usize, usize),
        /// Step between positions.
        stride: usize,
        /// Zero padding on every side.
        pad: usize,
        /// Pixels from one weight of the filter to the next.
        dilation: usize,
        /// Whether a bias is added.
        bias: bool,
    },
    /// `pool(2)`, `pool(3,stride=2)`, `avgpool(2)`: the maximum or the mean of windows.
    Pool {
        /// Maximum or mean.
        kind: PoolKind,
        /// Height and width of the window.
        size: (usize, usize),
        /// Step between windows.
        stride: usize,
    },
    /// `globalpool`, `globalavgpool`: one window over the image.
    GlobalPool {
        /// Maximum or mean.
        kind: PoolKind,
    },
    /// `dropout(0.5)`: in training, elements are set to 0 with this probability and the others divided by the
    /// probability to stay.
    Dropout {
        /// From 0 to below 1.
        rate: f64,
    },
    /// `batchnorm`: (x - mean)/sqrt(variance + epsilon) · γ + β for each channel; moments of the batch in training,
    /// moving averages of them in prediction.
    BatchNorm {
        /// Weight of the newest batch in the moving averages.
        momentum: f64,
        /// Added to variances.
        epsilon: f64,
    },
    /// `flatten`: an image becomes its columns.
    Flatten,
    /// `embed(2:7:3,5:4:2)`, each column:levels:width. The other columns come first, in their order, then the
    /// embeddings.
    Embedding(Vec<Embedding>),
    /// `relu`, `leaky(0.01)`, `sigmoid`, `tanh`, `gelu`, `softmax`, `identity`.
    Activation(Activation),
}

impl Layer {
    /// A dense layer with bias.
    pub fn dense(units: usize) -> Self {
        Self::Dense { units, bias: true }
    }
}

/// A sequence of layers. In text they are written from left to right:
///
/// ```
/// use ermine_neural::{Architecture, Shape};
/// let lenet: Architecture = "conv(6,5,pad=2) relu pool(2) conv(16,5) relu pool(2) dense(120) relu dense(84) relu dense(10)".parse()?;
/// assert_eq!(lenet.output(Shape::image(28, 28, 1))?, Shape::flat(10));
/// assert_eq!(lenet.to_string().parse::<Architecture>()?, lenet);
/// # Ok::<(), ermine_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Architecture {
    /// The layers, from input to output.
    pub layers: Vec<Layer>,
}

impl Architecture {
    /// Hidden layers of the given widths with an activation after each, then `outputs` numbers.
    pub fn perceptron(hidden: &[usize], activation: Activation, outputs: usize) -> Self {
        let mut layers = Vec::with_capacity(2 * hidden.len() + 1);
        for &units in hidden {
            layers.push(Layer::dense(units));
            layers.push(Layer::Activation(activation));
        }
        layers.push(Layer::dense(outputs));
        Self { layers }
    }

    /// The same layers and one more.
    #[must_use]
    pub fn then(mut self, layer: Layer) -> Self {
        self.layers.push(layer);
        self
    }

    /// The shape after every layer, or an error that names the first layer whose input does not fit.
    pub fn shapes(&self, input: Shape) -> Result<Vec<Shape>> {
        let mut out = Vec::with_capacity(self.layers.len());
        let mut now = input;
        let lengths = now.checked_len().is_some_and(|n| n > 0 && n <= MOST);
        if !lengths {
            return Err(Error::Data(format!("the input of the network is {now}; it needs from 1 to {MOST} numbers per row")));
        }
        for (k, layer) in self.layers.iter().enumerate() {
            now = layer.after(now).map_err(|why| Error::Data(format!("layer {}, {layer}: {why}", k + 1)))?;
            if now.checked_len().is_none_or(|n| n > MOST) {
                return Err(Error::Data(format!(
                    "layer {}, {layer}: its result of {now} is more than {MOST} numbers per row",
                    k + 1
                )));
            }
            out.push(now);
        }
        Ok(out)
    }

    /// The shape of the output.
    pub fn output(&self, input: Shape) -> Result<Shape> {
        Ok(self.shapes(input)?.last().copied().unwrap_or(input))
    }
}

/// Most elements of a row between two layers: offsets into a batch stay far from overflow.
const MOST: usize = 1 << 28;

/// Most weights of a layer; larger ones are an error before memory is allocated.
const MOST_WEIGHTS: usize = 1 << 31;

impl Layer {
    /// The shape of the output, or why there is none.
    fn after(&self, x: Shape) -> std::result::Result<Shape, String> {
        let zero = |what: &str| Err(format!("it has 0 {what}, and a layer needs at least 1"));
        let many = |a: usize, b: usize| a.checked_mul(b).is_none_or(|n| n > MOST_WEIGHTS);
        match self {
            Self::Dense { units: 0, .. } => zero("units"),
            Self::Dense { units, .. } if many(x.len(), *units) => {
                Err(format!("{} inputs times {units} units are more than {MOST_WEIGHTS} weights", x.len()))
            }
            Self::Dense { units, .. } => Ok(Shape::flat(*units)),
            Self::Conv { filters: 0, .. } => zero("filters"),
            Self::Conv { filters, size, stride, pad, dilation, .. } => {
                let lengths = windows(x, *size, *stride, *pad, *dilation)?;
                if many(size.0 * size.1, x.channels) || many(size.0 * size.1 * x.channels, *filters) {
                    return Err(format!("{filters} filters of {}x{}x{} are too many weights", size.0, size.1, x.channels));
                }
                Ok(Shape::image(lengths.0, lengths.1, *filters))
            }
            Self::Pool { size, stride, .. } => {
                let (height, width) = windows(x, *size, *stride, 0, 1)?;
                Ok(Shape::image(height, width, x.channels))
            }
            Self::GlobalPool { .. } | Self::Activation(Activation::Softmax) if x.is_empty() => zero("inputs"),
            Self::GlobalPool { .. } => Ok(Shape::flat(x.channels)),
            Self::Dropout { rate } if !(0.0..1.0).contains(rate) => Err(format!("{rate} is no rate from 0 to below 1")),
            Self::BatchNorm { momentum, epsilon }
                if !(*momentum > 0.0 && *momentum <= 1.0 && *epsilon > 0.0 && epsilon.is_finite()) =>
            {
                Err("its momentum must be above 0 and up to 1, its epsilon above 0".into())
            }
            Self::Dropout { .. } | Self::BatchNorm { .. } => Ok(x),
            Self::Flatten => Ok(Shape::flat(x.len())),
            Self::Embedding(columns) => embedded(x, columns),
            Self::Activation(Activation::LeakyRelu { slope }) if !(0.0..1.0).contains(slope) => {
                Err(format!("{slope} is no slope from 0 to below 1"))
            }
            Self::Activation(_) => Ok(x),
        }
    }
}

/// Window positions: l = (n + 2p - f)/s + 1, where a dilated window of f pixels spans d (f - 1) + 1.
fn windows(
    x: Shape,
    size: (usize, usize),
    stride: usize,
    pad: usize,
    dilation: usize,
) -> std::result::Result<(usize, usize), String> {
    if size.0 == 0 || size.1 == 0 || stride == 0 || dilation == 0 {
        return Err("size, stride and dilation must be at least 1".into());
    }
    if [size.0, size.1, stride, pad, dilation].iter().any(|&v| v > 1 << 16) {
        return Err("size, stride, pad and dilation must be at most 65536".into());
    }
    let span = |f: usize| dilation * (f - 1) + 1;
    let (high, wide) = (span(size.0), span(size.1));
    if x.height + 2 * pad < high || x.width + 2 * pad < wide {
        let with = if pad > 0 { format!(" with {pad} points of padding") } else { String::new() };
        return Err(format!(
            "its input is {x}{with}, and a window of {high}x{wide} does not fit; (n + 2p - f)/s + 1 must be at least 1"
        ));
    }
    Ok(((x.height + 2 * pad - high) / stride + 1, (x.width + 2 * pad - wide) / stride + 1))
}

fn embedded(x: Shape, columns: &[Embedding]) -> std::result::Result<Shape, String> {
    if !x.is_flat() {
        return Err(format!("its input is an image, {x}, and categories are plain columns"));
    }
    if columns.is_empty() {
        return Err("it names no column".into());
    }
    let mut width = x.channels;
    for (k, e) in columns.iter().enumerate() {
        if e.column >= x.channels {
            return Err(format!("there is no column {}: its input has {} columns, counted from 0", e.column, x.channels));
        }
        if columns[..k].iter().any(|o| o.column == e.column) {
            return Err(format!("column {} occurs twice", e.column));
        }
        if e.levels == 0 || e.width == 0 || e.levels.checked_mul(e.width).is_none_or(|n| n > MOST_WEIGHTS) {
            return Err(format!("column {}: {} levels of width {} cannot be", e.column, e.levels, e.width));
        }
        width = width - 1 + e.width;
    }
    Ok(Shape::flat(width))
}
