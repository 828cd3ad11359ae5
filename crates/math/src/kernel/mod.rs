//! Kernels: functions k(x, z) = φ(x)·φ(z) of two rows, as values with an algebra.
//!
//! | kernel | k(x, z) | positive semidefinite |
//! |---|---|---|
//! | [`Kernel::linear`] | x·z | always |
//! | [`Kernel::poly`] | (γ x·z + b)^p | for γ, b from 0 up |
//! | [`Kernel::gaussian`] | exp(-γ ‖x - z‖²) | for γ from 0 up |
//! | [`Kernel::laplacian`] | exp(-γ Σ\|x_j - z_j\|) | for γ from 0 up |
//! | [`Kernel::sigmoid`] | tanh(γ x·z + b) | hardly ever |
//! | [`Kernel::bilinear`] | xᵀ A z | when A is |
//! | [`Kernel::precomputed`] | given as a matrix | as it may be |
//! | [`Kernel::user`] | a function of the caller's | as it may be |
//!
//! Sums, products, positive multiples, exponentials and polynomials with coefficients from 0 up of kernels are kernels, and so are
//! f(x) k(x, z) f(z), k(φ(x), φ(z)) and a kernel on some of the columns (Shawe-Taylor and Cristianini: Kernel Methods for
//! Pattern Analysis, 2004, proposition 3.22).
//!
//! ```
//! use ermine_math::kernel::Kernel;
//!
//! let k = Kernel::gaussian(0.5) + 0.1 * Kernel::linear();
//! assert_eq!(k, "rbf(0.5) + 0.1 * linear".parse()?);
//! assert!((k.value(&[1.0, 0.0], &[1.0, 2.0]) - ((-2.0f64).exp() + 0.1)).abs() < 1e-15);
//! # Ok::<(), ermine_core::Error>(())
//! ```

mod expansion;
mod full_gram;
mod gram;
pub(crate) mod number;
pub mod pairs;
mod panels;
mod parse;
mod points;
#[cfg(feature = "linalg")]
mod psd;
#[cfg(test)]
mod tests;

use std::fmt;
use std::ops::{Add, Mul};
use std::sync::Arc;

use ermine_core::{Error, Mat, Result};
use serde::{Deserialize, Serialize};

pub use expansion::{Expansion, ExpansionPoints, SparseCoefs};
pub use gram::GramBlock;
pub use number::GramNumber;
pub use points::Points;
#[cfg(feature = "linalg")]
pub use psd::{PsdCheck, is_psd};

/// A kernel. All but those with a user-defined function can be saved.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[non_exhaustive]
pub enum Kernel {
    /// The same number for all pairs.
    Constant(f64),
    /// x·z.
    Linear,
    /// (γ x·z + b)^p.
    Polynomial {
        /// γ.
        gamma: Gamma,
        /// b.
        coef0: f64,
        /// p.
        degree: u32,
    },
    /// exp(-γ ‖x - z‖²).
    Gaussian {
        /// γ.
        gamma: Gamma,
    },
    /// exp(-γ Σ|x_j - z_j|).
    Laplacian {
        /// γ.
        gamma: Gamma,
    },
    /// tanh(γ x·z + b).
    Sigmoid {
        /// γ.
        gamma: Gamma,
        /// b.
        coef0: f64,
    },
    /// xᵀ A z.
    Bilinear(Mat<f64>),
    /// The rows are rows of the kernel matrix already.
    Precomputed,
    /// k₁ + k₂.
    Sum(Box<Kernel>, Box<Kernel>),
    /// k₁ k₂.
    Product(Box<Kernel>, Box<Kernel>),
    /// c k.
    Times(f64, Box<Kernel>),
    /// exp(k).
    Exp(Box<Kernel>),
    /// Σ cᵢ kⁱ.
    Series(Vec<f64>, Box<Kernel>),
    /// f(x) k(x, z) f(z).
    Scaled(KernelFactor, Box<Kernel>),
    /// k(φ(x), φ(z)).
    After(KernelMap, Box<Kernel>),
    /// k on some of the columns.
    On(Vec<u32>, Box<Kernel>),
    /// A user-defined function; it cannot be saved.
    #[serde(skip)]
    User(User),
}

/// The width of a kernel: a number, or a rule that computes it from the rows.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Gamma {
    /// 1 / (columns times the variance of all cells).
    Scale,
    /// 1 / columns.
    Auto,
    /// A fixed value.
    #[serde(untagged)]
    Value(f64),
}

impl From<f64> for Gamma {
    fn from(value: f64) -> Self {
        Self::Value(value)
    }
}

/// The inputs of [`Gamma`]'s rules: the number of columns, and the variance of all their cells.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CellVariance {
    /// Number of columns.
    pub columns: usize,
    /// The variance of all cells about their common mean.
    pub variance: f64,
}

impl Gamma {
    /// `spread` is called where there is a rule.
    fn resolve(self, spread: impl Fn() -> CellVariance) -> Self {
        Self::Value(match self {
            Self::Scale => match spread() {
                CellVariance { columns, variance } if variance > 0.0 => 1.0 / (columns as f64 * variance),
                // Constant cells have no scale; any number does.
                _ => 1.0,
            },
            Self::Auto => 1.0 / spread().columns as f64,
            Self::Value(value) => value,
        })
    }

    /// The number; NaN for an unresolved rule.
    fn value(self) -> f64 {
        match self {
            Self::Value(value) => value,
            Self::Scale | Self::Auto => f64::NAN,
        }
    }
}

/// A function f(x) that multiplies a kernel on both sides.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[non_exhaustive]
pub enum KernelFactor {
    /// 1/‖x‖, and 0 for x = 0: with the linear kernel, the cosine of the angle.
    InverseNorm,
    /// w·x + b.
    Affine {
        /// w.
        weights: Vec<f64>,
        /// b.
        bias: f64,
    },
    /// A user-defined function; it cannot be saved.
    #[serde(skip)]
    User(UserFunction),
}

impl KernelFactor {
    /// A user-defined function.
    pub fn user(f: impl Fn(&[f64]) -> f64 + Send + Sync + 'static) -> Self {
        Self::User(UserFunction(Arc::new(f)))
    }

    /// f(x).
    pub fn value(&self, x: &[f64]) -> f64 {
        match self {
            Self::InverseNorm => {
                let norm = number::dot(x, x).sqrt();
                if norm > 0.0 { 1.0 / norm } else { 0.0 }
            }
            Self::Affine { weights, bias } => number::dot(weights, x) + bias,
            Self::User(f) => (f.0)(x),
        }
    }
}

/// A map φ applied to rows before a kernel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[non_exhaustive]
pub enum KernelMap {
    /// A x, for a matrix with one row per new column.
    Linear(Mat<f64>),
    /// (x_j - shift_j) / scale_j.
    #[serde(rename = "standardise")]
    Standardize {
        /// One shift per column.
        shift: Vec<f64>,
        /// One scale per column.
        scale: Vec<f64>,
    },
    /// A user-defined function; it cannot be saved.
    #[serde(skip)]
    User(UserMap),
}

impl KernelMap {
    /// A user-defined map. All its results must have the same length.
    pub fn user(f: impl Fn(&[f64]) -> Vec<f64> + Send + Sync + 'static) -> Self {
        Self::User(UserMap(Arc::new(f)))
    }

    /// φ(x).
    pub fn value(&self, x: &[f64]) -> Vec<f64> {
        match self {
            Self::Linear(a) => (0..a.rows()).map(|i| number::dot(a.row(i), x)).collect(),
            Self::Standardize { shift, scale } => x.iter().zip(shift).zip(scale).map(|((x, m), s)| (x - m) / s).collect(),
            Self::User(f) => (f.0)(x),
        }
    }
}

macro_rules! user {
    ($(#[$doc:meta])* $name:ident, $f:ty) => {
        $(#[$doc])*
        #[derive(Clone)]
        pub struct $name(Arc<$f>);

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("user")
            }
        }
        /// Two are equal when they are the same function in memory.
        impl PartialEq for $name {
            fn eq(&self, other: &Self) -> bool {
                Arc::ptr_eq(&self.0, &other.0)
            }
        }
    };
}
user!(
    /// k(x, z) as the user wrote it.
    User,
    dyn Fn(&[f64], &[f64]) -> f64 + Send + Sync
);
user!(
    /// f(x) as the user wrote it.
    UserFunction,
    dyn Fn(&[f64]) -> f64 + Send + Sync
);
user!(
    /// φ(x) as the user wrote it.
    UserMap,
    dyn Fn(&[f64]) -> Vec<f64> + Send + Sync
);

impl Kernel {
    /// x·z.
    pub fn linear() -> Self {
        Self::Linear
    }

    /// (x·z + b)^p.
    pub fn poly(b: f64, p: u32) -> Self {
        Self::Polynomial { gamma: Gamma::Value(1.0), coef0: b, degree: p }
    }

    /// exp(-γ ‖x - z‖²).
    pub fn gaussian(gamma: impl Into<Gamma>) -> Self {
        Self::Gaussian { gamma: gamma.into() }
    }

    /// exp(-γ Σ|x_j - z_j|).
    pub fn laplacian(gamma: impl Into<Gamma>) -> Self {
        Self::Laplacian { gamma: gamma.into() }
    }

    /// tanh(γ x·z + b).
    pub fn sigmoid(gamma: impl Into<Gamma>, b: f64) -> Self {
        Self::Sigmoid { gamma: gamma.into(), coef0: b }
    }

    /// xᵀ A z.
    pub fn bilinear(a: Mat<f64>) -> Self {
        Self::Bilinear(a)
    }

    /// The rows are rows of the kernel matrix already.
    pub fn precomputed() -> Self {
        Self::Precomputed
    }

    /// The cosine of the angle between x and z.
    pub fn cosine() -> Self {
        Self::Linear.scaled_by(KernelFactor::InverseNorm)
    }

    /// A user-defined function. It should be symmetric.
    pub fn user(k: impl Fn(&[f64], &[f64]) -> f64 + Send + Sync + 'static) -> Self {
        Self::User(User(Arc::new(k)))
    }

    /// exp(k).
    pub fn exp(self) -> Self {
        Self::Exp(Box::new(self))
    }

    /// c₀ + c₁ k + c₂ k² + …
    pub fn polynomial(self, coefficients: &[f64]) -> Self {
        Self::Series(coefficients.to_vec(), Box::new(self))
    }

    /// f(x) k(x, z) f(z).
    pub fn scaled_by(self, f: KernelFactor) -> Self {
        Self::Scaled(f, Box::new(self))
    }

    /// k(φ(x), φ(z)).
    pub fn after(self, map: KernelMap) -> Self {
        Self::After(map, Box::new(self))
    }

    /// The kernel on some of the columns.
    pub fn on(self, columns: &[u32]) -> Self {
        Self::On(columns.to_vec(), Box::new(self))
    }

    /// k(x, z).
    ///
    /// A precomputed kernel has no value of two rows: NaN.
    pub fn value(&self, x: &[f64], z: &[f64]) -> f64 {
        match self {
            Self::Constant(c) => *c,
            Self::Linear => number::dot(x, z),
            Self::Polynomial { gamma, coef0, degree } => number::power(gamma.value() * number::dot(x, z) + coef0, *degree),
            Self::Gaussian { gamma } => (-gamma.value() * x.iter().zip(z).map(|(a, b)| (a - b) * (a - b)).sum::<f64>()).exp(),
            Self::Laplacian { gamma } => (-gamma.value() * x.iter().zip(z).map(|(a, b)| (a - b).abs()).sum::<f64>()).exp(),
            Self::Sigmoid { gamma, coef0 } => (gamma.value() * number::dot(x, z) + coef0).tanh(),
            Self::Bilinear(a) => (0..a.rows()).map(|i| x[i] * number::dot(a.row(i), z)).sum(),
            Self::Precomputed => f64::NAN,
            Self::Sum(a, b) => a.value(x, z) + b.value(x, z),
            Self::Product(a, b) => a.value(x, z) * b.value(x, z),
            Self::Times(c, k) => c * k.value(x, z),
            Self::Exp(k) => k.value(x, z).exp(),
            Self::Series(c, k) => number::horner(c, k.value(x, z)),
            Self::Scaled(f, k) => f.value(x) * k.value(x, z) * f.value(z),
            Self::After(map, k) => k.value(&map.value(x), &map.value(z)),
            Self::On(columns, k) => {
                let take = |x: &[f64]| columns.iter().map(|&j| x[j as usize]).collect::<Vec<_>>();
                k.value(&take(x), &take(z))
            }
            Self::User(k) => (k.0)(x, z),
        }
    }

    /// The kernel with rules for γ replaced by numbers. `spread` describes some of the columns, or all.
    pub fn resolved(&self, spread: &dyn Fn(Option<&[u32]>) -> CellVariance) -> Self {
        let inner = |k: &Self| Box::new(k.resolved(spread));
        match self {
            Self::Polynomial { gamma, coef0, degree } => {
                Self::Polynomial { gamma: gamma.resolve(|| spread(None)), coef0: *coef0, degree: *degree }
            }
            Self::Gaussian { gamma } => Self::Gaussian { gamma: gamma.resolve(|| spread(None)) },
            Self::Laplacian { gamma } => Self::Laplacian { gamma: gamma.resolve(|| spread(None)) },
            Self::Sigmoid { gamma, coef0 } => Self::Sigmoid { gamma: gamma.resolve(|| spread(None)), coef0: *coef0 },
            Self::Sum(a, b) => Self::Sum(inner(a), inner(b)),
            Self::Product(a, b) => Self::Product(inner(a), inner(b)),
            Self::Times(c, k) => Self::Times(*c, inner(k)),
            Self::Exp(k) => Self::Exp(inner(k)),
            Self::Series(c, k) => Self::Series(c.clone(), inner(k)),
            Self::Scaled(f, k) => Self::Scaled(f.clone(), inner(k)),
            // The spread of mapped columns is not known; that of the original ones is used.
            Self::After(map, k) => Self::After(map.clone(), inner(k)),
            Self::On(columns, k) => Self::On(
                columns.clone(),
                Box::new(k.resolved(&|deeper| match deeper {
                    None => spread(Some(columns)),
                    Some(places) => {
                        let columns: Vec<u32> = places.iter().filter_map(|&p| columns.get(p as usize).copied()).collect();
                        spread(Some(&columns))
                    }
                })),
            ),
            Self::Constant(_) | Self::Linear | Self::Bilinear(_) | Self::Precomputed | Self::User(_) => self.clone(),
        }
    }

    /// Whether the kernel is positive semidefinite for all rows by construction. `false` only means that this is not
    /// known: [`is_psd`] checks a matrix.
    #[cfg(feature = "linalg")]
    pub fn psd_by_construction(&self) -> bool {
        let from_zero = |v: f64| v >= 0.0;
        // A rule for gamma always yields a number above 0.
        let width = |g: &Gamma| matches!(g, Gamma::Scale | Gamma::Auto) || from_zero(g.value());
        match self {
            Self::Linear => true,
            Self::Constant(c) => from_zero(*c),
            Self::Polynomial { gamma, coef0, .. } => width(gamma) && from_zero(*coef0),
            Self::Gaussian { gamma } | Self::Laplacian { gamma } => width(gamma),
            Self::Sigmoid { .. } | Self::Precomputed | Self::User(_) => false,
            Self::Bilinear(a) => is_psd(a.view()).is_ok_and(|s| s.is_psd()),
            Self::Sum(a, b) | Self::Product(a, b) => a.psd_by_construction() && b.psd_by_construction(),
            Self::Times(c, k) => from_zero(*c) && k.psd_by_construction(),
            Self::Exp(k) | Self::Scaled(_, k) | Self::After(_, k) | Self::On(_, k) => k.psd_by_construction(),
            Self::Series(c, k) => c.iter().copied().all(from_zero) && k.psd_by_construction(),
        }
    }

    /// Whether it contains a user-defined function, so that it cannot be saved.
    pub fn has_user_code(&self) -> bool {
        match self {
            Self::User(_) => true,
            Self::Sum(a, b) | Self::Product(a, b) => a.has_user_code() || b.has_user_code(),
            Self::Scaled(f, k) => matches!(f, KernelFactor::User(_)) || k.has_user_code(),
            Self::After(map, k) => matches!(map, KernelMap::User(_)) || k.has_user_code(),
            Self::Times(_, k) | Self::Exp(k) | Self::Series(_, k) | Self::On(_, k) => k.has_user_code(),
            _ => false,
        }
    }

    /// Checks that numbers are finite and shapes fit rows of `columns` cells.
    pub fn check(&self, columns: usize) -> Result<()> {
        let refuse = |what: String| Err(Error::Data(format!("kernel {self}: {what}")));
        let finite = |name: &str, v: f64| match v.is_finite() {
            true => Ok(()),
            false => Err(Error::Data(format!("kernel {self}: {name} is {v}, and it must be a finite number"))),
        };
        let width = |gamma: &Gamma| match gamma {
            Gamma::Value(v) => finite("gamma", *v),
            Gamma::Scale | Gamma::Auto => Ok(()),
        };
        match self {
            Self::Constant(c) => finite("the constant", *c),
            Self::Linear | Self::Precomputed | Self::User(_) => Ok(()),
            Self::Polynomial { gamma, coef0, .. } | Self::Sigmoid { gamma, coef0 } => {
                width(gamma)?;
                finite("coef0", *coef0)
            }
            Self::Gaussian { gamma } | Self::Laplacian { gamma } => width(gamma),
            Self::Bilinear(a) => {
                if (a.rows(), a.cols()) != (columns, columns) {
                    return refuse(format!("its matrix is {} x {}, and there are {columns} columns", a.rows(), a.cols()));
                }
                a.as_slice().iter().try_for_each(|&v| finite("an element of its matrix", v))
            }
            Self::Sum(a, b) | Self::Product(a, b) => {
                a.check(columns)?;
                b.check(columns)
            }
            Self::Times(c, k) => {
                finite("a factor", *c)?;
                k.check(columns)
            }
            Self::Exp(k) => k.check(columns),
            Self::Series(c, k) => {
                if c.is_empty() {
                    return refuse("a series needs at least one coefficient".into());
                }
                c.iter().try_for_each(|&c| finite("a coefficient", c))?;
                k.check(columns)
            }
            Self::Scaled(f, k) => {
                if let KernelFactor::Affine { weights, bias } = f {
                    if weights.len() != columns {
                        return refuse(format!("its function has {} weights, and there are {columns} columns", weights.len()));
                    }
                    weights.iter().chain([bias]).try_for_each(|&v| finite("a weight of its function", v))?;
                }
                k.check(columns)
            }
            Self::After(map, k) => match map {
                KernelMap::Linear(a) if a.cols() != columns => {
                    refuse(format!("its map takes {} columns, and there are {columns}", a.cols()))
                }
                KernelMap::Linear(a) => {
                    a.as_slice().iter().try_for_each(|&v| finite("an element of its map", v))?;
                    k.check(a.rows())
                }
                KernelMap::Standardize { shift, scale } if shift.len() != columns || scale.len() != columns => {
                    refuse(format!("its map takes {} columns, and there are {columns}", shift.len().max(scale.len())))
                }
                KernelMap::Standardize { shift, scale } => {
                    shift.iter().chain(scale).try_for_each(|&v| finite("a number of its map", v))?;
                    match scale.contains(&0.0) {
                        true => refuse("a scale of its map is 0".into()),
                        false => k.check(columns),
                    }
                }
                // The number of columns of a user-defined map is only known when it is called.
                KernelMap::User(_) => Ok(()),
            },
            Self::On(places, k) => match places.iter().find(|&&j| j as usize >= columns) {
                Some(j) => refuse(format!("there is no column {j}: there are {columns}, counted from 0")),
                None if places.is_empty() => refuse("it is on no column".into()),
                None => k.check(places.len()),
            },
        }
    }
}

impl Add for Kernel {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self::Sum(Box::new(self), Box::new(other))
    }
}

impl Mul for Kernel {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Self::Product(Box::new(self), Box::new(other))
    }
}

impl Mul<Kernel> for f64 {
    type Output = Kernel;
    fn mul(self, kernel: Kernel) -> Kernel {
        Kernel::Times(self, Box::new(kernel))
    }
}
