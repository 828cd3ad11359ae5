//! The kernel as a parameter.

use ermine_core::{Error, Features, Result};
use ermine_math::kernel::{Gamma, Kernel, Spread};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A kernel as a parameter: a bare name, whose numbers are the parameters `gamma`, `degree` and `coef0`; a formula such as
/// `rbf(0.5) + 0.1 * linear`; or a kernel of [`ermine_math::kernel`] itself.
#[derive(Clone, Debug, PartialEq)]
pub enum KernelChoice {
    /// A name or a formula.
    Text(String),
    /// A kernel made in Rust.
    Made(Kernel),
}

impl From<Kernel> for KernelChoice {
    fn from(kernel: Kernel) -> Self {
        Self::Made(kernel)
    }
}

impl From<&str> for KernelChoice {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

/// What a kernel with a function of the user's in it is written down as; it cannot be read again.
const USER: &str = "user";

impl Serialize for KernelChoice {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        match self {
            Self::Text(text) => serializer.serialize_str(text),
            Self::Made(kernel) if kernel.has_user_code() => serializer.serialize_str(USER),
            Self::Made(kernel) => kernel.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for KernelChoice {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Either {
            Text(String),
            Made(Kernel),
        }
        Ok(match Either::deserialize(deserializer)? {
            Either::Text(text) => Self::Text(text),
            Either::Made(kernel) => Self::Made(kernel),
        })
    }
}

/// The width of a kernel as a parameter: "scale", "auto" or a number.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum GammaChoice {
    /// A number.
    Number(f64),
    /// A rule.
    Rule(GammaRule),
}

/// The rules for the width of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GammaRule {
    /// 1 / (columns × variance of all cells).
    Scale,
    /// 1 / columns.
    Auto,
}

impl From<&GammaChoice> for Gamma {
    fn from(choice: &GammaChoice) -> Self {
        match choice {
            GammaChoice::Number(v) => Self::Value(*v),
            GammaChoice::Rule(GammaRule::Scale) => Self::Scale,
            GammaChoice::Rule(GammaRule::Auto) => Self::Auto,
        }
    }
}

impl KernelChoice {
    /// The kernel that is meant; rules for γ are not resolved yet.
    pub fn kernel(&self, gamma: &GammaChoice, degree: u32, coef0: f64) -> Result<Kernel> {
        let text = match self {
            Self::Made(kernel) => return Ok(kernel.clone()),
            Self::Text(text) => text.trim(),
        };
        let gamma: Gamma = gamma.into();
        Ok(match text {
            "rbf" | "gaussian" => Kernel::Gaussian { gamma },
            "laplacian" => Kernel::Laplacian { gamma },
            "poly" | "polynomial" => Kernel::Polynomial { gamma, coef0, degree },
            "sigmoid" => Kernel::Sigmoid { gamma, coef0 },
            USER => {
                return Err(Error::Data(
                    "this kernel was a function of the user's, which no file holds; set `kernel` to it again".into(),
                ));
            }
            _ => text.parse()?,
        })
    }
}

/// The kernel with numbers in the place of rules for γ, which are taken from rows of positive weight.
pub(crate) fn resolve(kernel: &Kernel, x: &Features<'_>, weight: Option<&[f64]>, learner: &str) -> Result<Kernel> {
    let cols = x.cols();
    // Σw, Σwx and Σwx² of each column; the second about the first row's value would not help sparse rows, so two passes are made.
    let (mut total, mut sums) = (0.0, vec![0.0; cols]);
    each_row(x, learner, &mut |i, row| {
        let w = weight.map_or(1.0, |w| w[i]);
        if w > 0.0 {
            total += w;
            sums.iter_mut().zip(row).for_each(|(s, v)| *s += w * v);
        }
    })?;
    let means: Vec<f64> = sums.iter().map(|s| s / total).collect();
    if means.iter().any(|m| !m.is_finite()) {
        x.refuse_non_finite(None)?;
    }
    let mut squares = vec![0.0; cols];
    each_row(x, learner, &mut |i, row| {
        let w = weight.map_or(1.0, |w| w[i]);
        if w > 0.0 {
            squares.iter_mut().zip(row).zip(&means).for_each(|((s, v), m)| *s += w * (v - m) * (v - m));
        }
    })?;
    let spread = |columns: Option<&[u32]>| {
        let all: Vec<u32> = (0..cols as u32).collect();
        let columns = columns.unwrap_or(&all);
        let count = columns.len() as f64;
        let mean = columns.iter().map(|&j| means[j as usize]).sum::<f64>() / count;
        let between = columns.iter().map(|&j| (means[j as usize] - mean).powi(2)).sum::<f64>() / count;
        let within = columns.iter().map(|&j| squares[j as usize]).sum::<f64>() / (count * total);
        let variance = between + within;
        Spread { columns: columns.len(), variance: if variance.is_finite() { variance } else { f64::MAX } }
    };
    Ok(kernel.resolved(&spread))
}

fn each_row(x: &Features<'_>, learner: &str, take: &mut dyn FnMut(usize, &[f64])) -> Result<()> {
    const BLOCK: usize = 256;
    let mut scratch = Vec::new();
    let mut row = vec![0.0; x.cols()];
    for first in (0..x.rows()).step_by(BLOCK) {
        let end = (first + BLOCK).min(x.rows());
        let block = x.row_range(first..end);
        let block = block.f64_rows(&mut scratch, learner)?;
        for i in 0..end - first {
            block.copy_row(i, &mut row);
            take(first + i, &row);
        }
    }
    Ok(())
}
