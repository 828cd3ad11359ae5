//! The kernel as a parameter.

use ermine_core::{Error, Features, Result};
use ermine_math::kernel::{CellVariance, Gamma, Kernel};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A kernel as a parameter: a bare name, whose numbers are the parameters `gamma`, `degree` and `coef0`; a formula such as
/// `rbf(0.5) + 0.1 * linear`; or a kernel of [`ermine_math::kernel`] itself.
#[derive(Clone, Debug, PartialEq)]
pub enum KernelChoice {
    /// A name or a formula.
    Text(String),
    /// A kernel made in Rust.
    Kernel(Kernel),
}

impl From<Kernel> for KernelChoice {
    fn from(kernel: Kernel) -> Self {
        Self::Kernel(kernel)
    }
}

impl From<&str> for KernelChoice {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

/// The serialized form of a kernel with a user-defined function; it cannot be read again.
const USER: &str = "user";

impl Serialize for KernelChoice {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        match self {
            Self::Text(text) => serializer.serialize_str(text),
            Self::Kernel(kernel) if kernel.has_user_code() => serializer.serialize_str(USER),
            Self::Kernel(kernel) => kernel.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for KernelChoice {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum KernelRepr {
            Text(String),
            Kernel(Kernel),
        }
        Ok(match KernelRepr::deserialize(deserializer)? {
            KernelRepr::Text(text) => Self::Text(text),
            KernelRepr::Kernel(kernel) => Self::Kernel(kernel),
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
    /// The kernel; rules for γ are not resolved yet.
    pub fn kernel(&self, gamma: &GammaChoice, degree: u32, coef0: f64) -> Result<Kernel> {
        let text = match self {
            Self::Kernel(kernel) => return Ok(kernel.clone()),
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
                    "this kernel was a user-defined function, which no file holds; set `kernel` to it again".into(),
                ));
            }
            _ => text.parse()?,
        })
    }
}

/// The kernel with the rules for γ resolved by rows of positive weight. Rows are only read where there is a rule.
pub(crate) fn resolve(kernel: &Kernel, x: &Features<'_>, weight: Option<&[f64]>, learner: &str) -> Result<Kernel> {
    let columns = std::cell::OnceCell::new();
    let spread = |which: Option<&[u32]>| {
        // The error is returned below; the numbers are not used.
        let Ok(CellMoments { total, means, squares }) = columns.get_or_init(|| moments(x, weight, learner)) else {
            return CellVariance { columns: 1, variance: 1.0 };
        };
        let all: Vec<u32> = (0..x.cols() as u32).collect();
        let which = which.unwrap_or(&all);
        let count = which.len() as f64;
        let mean = which.iter().map(|&j| means[j as usize]).sum::<f64>() / count;
        let between = which.iter().map(|&j| (means[j as usize] - mean).powi(2)).sum::<f64>() / count;
        let within = which.iter().map(|&j| squares[j as usize]).sum::<f64>() / (count * total);
        let variance = between + within;
        CellVariance { columns: which.len(), variance: if variance.is_finite() { variance } else { f64::MAX } }
    };
    let resolved = kernel.resolved(&spread);
    match columns.into_inner() {
        Some(Err(error)) => Err(error),
        _ => Ok(resolved),
    }
}

/// Σw, and of each column its mean and Σw(x - mean)².
struct CellMoments {
    total: f64,
    means: Vec<f64>,
    squares: Vec<f64>,
}

fn moments(x: &Features<'_>, weight: Option<&[f64]>, learner: &str) -> Result<CellMoments> {
    let cols = x.cols();
    let weight_of = |i: usize| weight.map_or(1.0, |w| w[i]).max(0.0);
    let total: f64 = (0..x.rows()).map(weight_of).sum();
    // For each column Σw over the stored cells, and Σwx.
    let (mut stored, mut sums) = (vec![0.0; cols], vec![0.0; cols]);
    each_cell(x, learner, &mut |i, j, v| {
        let w = weight_of(i);
        if w > 0.0 {
            stored[j] += w;
            sums[j] += w * v;
        }
    })?;
    let means: Vec<f64> = sums.iter().map(|s| s / total).collect();
    if means.iter().any(|m| !m.is_finite()) {
        x.refuse_non_finite(None)?;
    }
    let mut squares = vec![0.0; cols];
    each_cell(x, learner, &mut |i, j, v| {
        let w = weight_of(i);
        if w > 0.0 {
            squares[j] += w * (v - means[j]).powi(2);
        }
    })?;
    // Cells that sparse rows do not store are 0.
    if let Features::Csr(_) = x {
        squares.iter_mut().zip(&stored).zip(&means).for_each(|((s, stored), m)| *s += (total - stored).max(0.0) * m * m);
    }
    Ok(CellMoments { total, means, squares })
}

/// Every cell; of sparse rows those that are stored, each column of a row once.
fn each_cell(x: &Features<'_>, learner: &str, take: &mut dyn FnMut(usize, usize, f64)) -> Result<()> {
    const BLOCK: usize = 256;
    if let Features::Csr(m) = x {
        let mut cells: Vec<(u32, f64)> = Vec::new();
        for i in 0..m.rows() {
            let (places, values) = m.row(i);
            cells.clear();
            cells.extend(places.iter().copied().zip(values.iter().copied()));
            cells.sort_by_key(|c| c.0);
            for same in cells.chunk_by(|a, b| a.0 == b.0) {
                take(i, same[0].0 as usize, same.iter().map(|c| c.1).sum());
            }
        }
        return Ok(());
    }
    let mut scratch = Vec::new();
    let mut row = vec![0.0; x.cols()];
    for first in (0..x.rows()).step_by(BLOCK) {
        let end = (first + BLOCK).min(x.rows());
        let block = x.row_range(first..end);
        let block = block.f64_rows(&mut scratch, learner)?;
        for i in 0..end - first {
            block.copy_row(i, &mut row);
            row.iter().enumerate().for_each(|(j, v)| take(first + i, j, *v));
        }
    }
    Ok(())
}
