//! Architectures as lines of text.

use std::fmt;
use std::str::FromStr;

use ermine_core::{Error, Result};

use crate::architecture::{Activation, Architecture, Embedding, Layer, PoolKind};

/// The default slope of `leaky`.
const SLOPE: f64 = 0.01;
/// Defaults of batch normalization.
const MOMENTUM: f64 = 0.1;
const EPSILON: f64 = 1e-5;

/// The names of layers.
const NAMES: [&str; 17] = [
    "dense",
    "conv",
    "pool",
    "maxpool",
    "avgpool",
    "globalpool",
    "globalavgpool",
    "dropout",
    "batchnorm",
    "flatten",
    "embed",
    "identity",
    "sigmoid",
    "tanh",
    "relu",
    "leaky",
    "gelu",
];

impl fmt::Display for Activation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Identity => f.write_str("identity"),
            Self::Sigmoid => f.write_str("sigmoid"),
            Self::Tanh => f.write_str("tanh"),
            Self::Relu => f.write_str("relu"),
            Self::LeakyRelu { slope } => write!(f, "leaky({slope})"),
            Self::Gelu => f.write_str("gelu"),
            Self::Softmax => f.write_str("softmax"),
        }
    }
}

impl fmt::Display for Layer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let size = |(h, w): (usize, usize)| if h == w { h.to_string() } else { format!("{h}x{w}") };
        match self {
            Self::Dense { units, bias } => write!(f, "dense({units}{})", if *bias { "" } else { ",bias=no" }),
            Self::Conv { filters, size: s, stride, pad, dilation, bias } => {
                write!(f, "conv({filters},{}", size(*s))?;
                for (name, value, usual) in [("stride", stride, 1), ("pad", pad, 0), ("dilation", dilation, 1)] {
                    if *value != usual {
                        write!(f, ",{name}={value}")?;
                    }
                }
                write!(f, "{})", if *bias { "" } else { ",bias=no" })
            }
            Self::Pool { kind, size: s, stride } => {
                let name = if *kind == PoolKind::Max { "pool" } else { "avgpool" };
                match s.0 == s.1 && s.0 == *stride {
                    true => write!(f, "{name}({})", size(*s)),
                    false => write!(f, "{name}({},stride={stride})", size(*s)),
                }
            }
            Self::GlobalPool { kind: PoolKind::Max } => f.write_str("globalpool"),
            Self::GlobalPool { kind: PoolKind::Average } => f.write_str("globalavgpool"),
            Self::Dropout { rate } => write!(f, "dropout({rate})"),
            Self::BatchNorm { momentum, epsilon } => {
                let mut parts = Vec::new();
                if *momentum != MOMENTUM {
                    parts.push(format!("momentum={momentum}"));
                }
                if *epsilon != EPSILON {
                    parts.push(format!("epsilon={epsilon:e}"));
                }
                match parts.is_empty() {
                    true => f.write_str("batchnorm"),
                    false => write!(f, "batchnorm({})", parts.join(",")),
                }
            }
            Self::Flatten => f.write_str("flatten"),
            Self::Embedding(columns) => {
                let parts: Vec<String> = columns.iter().map(|e| format!("{}:{}:{}", e.column, e.levels, e.width)).collect();
                write!(f, "embed({})", parts.join(","))
            }
            Self::Activation(a) => a.fmt(f),
        }
    }
}

impl fmt::Display for Architecture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (k, layer) in self.layers.iter().enumerate() {
            write!(f, "{}{layer}", if k == 0 { "" } else { " " })?;
        }
        Ok(())
    }
}

impl FromStr for Architecture {
    type Err = Error;

    /// Layers with white space between them, or `->`.
    fn from_str(text: &str) -> Result<Self> {
        let mut layers = Vec::new();
        let mut rest = text.trim_start();
        while !rest.is_empty() {
            let end = rest.find(|c: char| c == '(' || c.is_whitespace()).unwrap_or(rest.len());
            let (word, after) = match rest[end..].starts_with('(') {
                true => match rest[end..].find(')') {
                    Some(close) => rest.split_at(end + close + 1),
                    None => return Err(Error::Data(format!("architecture: \"{rest}\" has no closing bracket"))),
                },
                false => rest.split_at(end),
            };
            if word != "->" {
                layers.push(word.parse()?);
            }
            rest = after.trim_start();
        }
        Ok(Self { layers })
    }
}

impl TryFrom<String> for Architecture {
    type Error = Error;
    fn try_from(text: String) -> Result<Self> {
        text.parse()
    }
}

impl From<Architecture> for String {
    fn from(a: Architecture) -> Self {
        a.to_string()
    }
}

/// The arguments of a layer.
struct LayerArgs<'a> {
    layer: &'a str,
    plain: Vec<&'a str>,
    named: Vec<(&'a str, &'a str)>,
}

impl<'a> LayerArgs<'a> {
    fn split(layer: &'a str, inside: &'a str) -> Self {
        let mut out = Self { layer, plain: Vec::new(), named: Vec::new() };
        for part in inside.split(',').map(str::trim).filter(|p| !p.is_empty()) {
            match part.split_once('=') {
                Some((name, value)) => out.named.push((name.trim(), value.trim())),
                None => out.plain.push(part),
            }
        }
        out
    }

    fn bad(&self, message: impl fmt::Display) -> Error {
        Error::Data(format!("architecture: {}: {message}", self.layer))
    }

    /// An error for unexpected arguments: more numbers than `plain`, or a name that is none of `named`.
    fn only(&self, plain: usize, named: &[&str]) -> Result<()> {
        if self.plain.len() > plain {
            return Err(self.bad(format_args!("{} numbers without a name, and it takes {plain}", self.plain.len())));
        }
        for (name, _) in &self.named {
            if !named.contains(name) {
                let known = if named.is_empty() { "it takes none".into() } else { format!("it knows {}", named.join(", ")) };
                return Err(self.bad(format_args!("there is no \"{name}\"; {known}")));
            }
        }
        Ok(())
    }

    fn text(&self, place: Option<usize>, name: &str) -> Option<&'a str> {
        let by_name = self.named.iter().find(|n| n.0 == name).map(|n| n.1);
        by_name.or_else(|| self.plain.get(place?).copied())
    }

    fn value<T: FromStr>(&self, place: Option<usize>, name: &str, usual: Option<T>) -> Result<T> {
        match (self.text(place, name), usual) {
            (Some(text), _) => text.parse().map_err(|_| self.bad(format_args!("\"{text}\" is no {name}"))),
            (None, Some(usual)) => Ok(usual),
            (None, None) => Err(self.bad(format_args!("its {name} is missing"))),
        }
    }

    fn size(&self, place: usize) -> Result<(usize, usize)> {
        let text = self.text(Some(place), "size").ok_or_else(|| self.bad("its size is missing"))?;
        let bad = || self.bad(format_args!("\"{text}\" is no size; write 3 or 3x5"));
        let one = |t: &str| t.trim().parse::<usize>().map_err(|_| bad());
        match text.split_once('x') {
            Some((h, w)) => Ok((one(h)?, one(w)?)),
            None => one(text).map(|n| (n, n)),
        }
    }

    fn yes(&self, name: &str) -> Result<bool> {
        match self.text(None, name) {
            None | Some("yes" | "true") => Ok(true),
            Some("no" | "false") => Ok(false),
            Some(other) => Err(self.bad(format_args!("{name} is yes or no, not \"{other}\""))),
        }
    }
}

impl FromStr for Layer {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let (name, inside) = match text.split_once('(') {
            Some((name, rest)) => match rest.strip_suffix(')') {
                Some(inside) => (name.trim(), inside),
                None => return Err(Error::Data(format!("architecture: \"{text}\" has no closing bracket"))),
            },
            None => (text.trim(), ""),
        };
        let args = LayerArgs::split(text, inside);
        let plain = |layer: Self| args.only(0, &[]).map(|()| layer);
        Ok(match name {
            "dense" => {
                args.only(1, &["units", "bias"])?;
                Self::Dense { units: args.value(Some(0), "units", None)?, bias: args.yes("bias")? }
            }
            "conv" => {
                args.only(2, &["filters", "size", "stride", "pad", "dilation", "bias"])?;
                Self::Conv {
                    filters: args.value(Some(0), "filters", None)?,
                    size: args.size(1)?,
                    stride: args.value(None, "stride", Some(1))?,
                    pad: args.value(None, "pad", Some(0))?,
                    dilation: args.value(None, "dilation", Some(1))?,
                    bias: args.yes("bias")?,
                }
            }
            "pool" | "maxpool" | "avgpool" => {
                args.only(1, &["size", "stride"])?;
                let size = args.size(0)?;
                let kind = if name == "avgpool" { PoolKind::Average } else { PoolKind::Max };
                // By default windows neither overlap nor leave gaps.
                if size.0 != size.1 && args.text(None, "stride").is_none() {
                    return Err(args.bad("a window that is no square needs a stride"));
                }
                Self::Pool { kind, size, stride: args.value(None, "stride", Some(size.0))? }
            }
            "globalpool" => plain(Self::GlobalPool { kind: PoolKind::Max })?,
            "globalavgpool" => plain(Self::GlobalPool { kind: PoolKind::Average })?,
            "dropout" => {
                args.only(1, &["rate"])?;
                Self::Dropout { rate: args.value(Some(0), "rate", None)? }
            }
            "batchnorm" => {
                args.only(0, &["momentum", "epsilon"])?;
                Self::BatchNorm {
                    momentum: args.value(None, "momentum", Some(MOMENTUM))?,
                    epsilon: args.value(None, "epsilon", Some(EPSILON))?,
                }
            }
            "flatten" => plain(Self::Flatten)?,
            "embed" => {
                args.only(usize::MAX, &[])?;
                Self::Embedding(args.plain.iter().map(|part| embedded(&args, part)).collect::<Result<_>>()?)
            }
            "leaky" => {
                args.only(1, &["slope"])?;
                Self::Activation(Activation::LeakyRelu { slope: args.value(Some(0), "slope", Some(SLOPE))? })
            }
            "identity" => plain(Self::Activation(Activation::Identity))?,
            "sigmoid" => plain(Self::Activation(Activation::Sigmoid))?,
            "tanh" => plain(Self::Activation(Activation::Tanh))?,
            "relu" => plain(Self::Activation(Activation::Relu))?,
            "gelu" => plain(Self::Activation(Activation::Gelu))?,
            "softmax" => plain(Self::Activation(Activation::Softmax))?,
            _ => return Err(Error::unknown("layer", name, NAMES.into_iter().chain(["softmax"]))),
        })
    }
}

fn embedded(args: &LayerArgs<'_>, part: &str) -> Result<Embedding> {
    let bad = || args.bad(format_args!("\"{part}\" is no column:levels:width"));
    let numbers: Vec<usize> = part.split(':').map(|p| p.trim().parse().map_err(|_| bad())).collect::<Result<_>>()?;
    match numbers[..] {
        [column, levels, width] => Ok(Embedding { column, levels, width }),
        _ => Err(bad()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Shape;

    #[test]
    fn a_line_of_text_is_the_architecture_it_was_written_from() {
        let lines = [
            "conv(6,5,pad=2) relu pool(2) conv(16,5) relu pool(2) dense(120) relu dense(84) relu",
            "conv(8,3x5,stride=2,dilation=2,bias=no) batchnorm leaky(0.2) avgpool(3x2,stride=1) globalavgpool dropout(0.25) softmax",
            "embed(2:7:3,0:4:2) dense(5,bias=no) gelu batchnorm(momentum=0.2,epsilon=1e-3) tanh sigmoid identity flatten globalpool",
        ];
        for line in lines {
            let a: Architecture = line.parse().unwrap();
            assert_eq!(a.to_string(), line);
            assert_eq!(serde_json::from_str::<Architecture>(&serde_json::to_string(&a).unwrap()).unwrap(), a);
        }
        assert!("dense( units = 3 )->relu".parse::<Architecture>().is_err());
        assert_eq!("dense( units = 3 ) -> relu".parse::<Architecture>().unwrap().to_string(), "dense(3) relu");
        assert_eq!("".parse::<Architecture>().unwrap(), Architecture::default());
    }

    #[test]
    fn what_is_wrong_in_a_line_is_named() {
        for (line, part) in [
            ("dens(3)", "did you mean \"dense\""),
            ("dense(3", "closing bracket"),
            ("dense(x)", "\"x\" is no units"),
            ("dense", "units is missing"),
            ("conv(3)", "size is missing"),
            ("conv(3,5,padd=2)", "no \"padd\"; it knows filters, size, stride, pad"),
            ("relu(3)", "it takes 0"),
            ("dropout", "rate is missing"),
            ("pool(2x3)", "needs a stride"),
            ("embed(1:2)", "column:levels:width"),
            ("dense(3,bias=perhaps)", "yes or no"),
        ] {
            let e = line.parse::<Architecture>().unwrap_err().to_string();
            assert!(e.contains(part), "{line}: {e}");
        }
    }

    #[test]
    fn shapes_follow_the_formula_and_what_does_not_fit_is_refused_with_both_shapes() {
        let shapes = |line: &str, input: Shape| line.parse::<Architecture>().unwrap().shapes(input);
        let s = shapes("conv(6,5,pad=2) relu pool(2) conv(16,5) relu pool(2) dense(120)", Shape::image(28, 28, 1)).unwrap();
        let shapes_as_text: Vec<String> = s.iter().map(Shape::to_string).collect();
        assert_eq!(shapes_as_text, ["28x28x6", "28x28x6", "14x14x6", "10x10x16", "10x10x16", "5x5x16", "120"]);
        // (n + 2p - f)/s + 1 with f = 2 (3 - 1) + 1 = 5.
        let s = shapes("conv(2,3,stride=2,pad=1,dilation=2)", Shape::image(9, 12, 3)).unwrap();
        assert_eq!(s[0], Shape::image((9 + 2 - 5) / 2 + 1, (12 + 2 - 5) / 2 + 1, 2));
        assert_eq!(shapes("embed(2:7:3,0:4:2)", Shape::flat(4)).unwrap()[0], Shape::flat(2 + 3 + 2));
        for (line, input, parts) in [
            ("conv(6,5) pool(2) conv(16,7)", Shape::image(9, 9, 1), ["layer 3, conv(16,7)", "2x2x6", "7x7"]),
            ("dense(0)", Shape::flat(3), ["layer 1, dense(0)", "0 units", ""]),
            ("relu pool(3)", Shape::flat(30), ["layer 2, pool(3)", "is 30", "3x3"]),
            ("embed(4:2:2)", Shape::flat(4), ["column 4", "4 columns", ""]),
            ("embed(1:2:2,1:2:2)", Shape::flat(4), ["column 1", "twice", ""]),
            ("embed(1:2:2)", Shape::image(2, 2, 2), ["image", "2x2x2", ""]),
            ("dropout(1)", Shape::flat(4), ["dropout(1)", "below 1", ""]),
            ("leaky(1.5)", Shape::flat(4), ["leaky(1.5)", "slope", ""]),
            ("conv(1,1,stride=0)", Shape::image(4, 4, 1), ["at least 1", "", ""]),
            ("dense(4000000000)", Shape::flat(4000), ["weights", "4000", ""]),
            ("relu", Shape::flat(0), ["input", "0", ""]),
        ] {
            let e = shapes(line, input).unwrap_err().to_string();
            assert!(parts.iter().all(|p| e.contains(p)), "{line}: {e}");
        }
    }

    #[test]
    fn shapes_are_read_as_they_are_written() {
        for (text, shape) in [("784", Shape::flat(784)), ("28x28", Shape::image(28, 28, 1)), ("32x32x3", Shape::image(32, 32, 3))]
        {
            assert_eq!(text.parse::<Shape>().unwrap(), shape);
            assert_eq!(shape.to_string().parse::<Shape>().unwrap(), shape);
        }
        assert!("28x".parse::<Shape>().is_err() && "axb".parse::<Shape>().is_err() && "1x2x3x4".parse::<Shape>().is_err());
    }
}
