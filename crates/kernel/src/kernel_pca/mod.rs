//! Kernel principal components.

#[cfg(feature = "fit")]
mod fit;
mod model;

use ermine_core::*;
use serde::{Deserialize, Serialize};

use crate::kernel::{GammaChoice, GammaRule, KernelChoice};
use ermine_math::linalg::{AutoWord, PowerIterations};

pub use model::KernelPcaModel;

/// Principal components in the feature space of a kernel, for curved structure.
///
/// # What it maximizes
/// The variance of φ(x)·v over orthonormal directions v, where φ(x)·φ(z) = k(x, z): the eigenvectors of the centered Gram
/// matrix H K H, H = I - 11ᵀ/n. A new row is projected by Σᵢ αᵢ k(xᵢ, x) after the same centering.
///
/// # When to use it
/// Where clusters are nested or lie along curves, to plot them or in front of a linear model. With the linear kernel it
/// is `pca`, cheaper for fewer rows than columns.
///
/// # Example
/// ```
/// use ermine_core::{Context, DatasetRef, Features, Learner, Mat, Transformer};
/// use ermine_kernel::kernel_pca::KernelPca;
///
/// // Two circles, one inside the other: the first component tells them apart, which no straight line does.
/// let at = |i: usize| (if i % 2 == 0 { 1.0 } else { 3.0 }, i as f64 * 0.31);
/// let x = Mat::from_fn(80, 2, |i, j| { let (r, a) = at(i); r * if j == 0 { a.cos() } else { a.sin() } });
/// let features = Features::F64(x.view());
/// let model = KernelPca { n_components: Some(1), ..KernelPca::default() }.fit_with(&DatasetRef::new(features), &Context::default())?;
/// let z = model.transform(&features)?;
/// assert!((0..80).all(|i| (z[(i, 0)] > 0.0) == (z[(i % 2, 0)] > 0.0)));
/// # Ok::<(), ermine_core::Error>(())
/// ```
///
/// # Parameters
/// Described in [`Learner::SPEC`].
///
/// # Cost
/// n² kernel values in f64; a few components by some ten products with that matrix, all of them by 9 n³ operations. The
/// model stores every row.
///
/// # What it does not do
/// It does not train in passes: for many rows, put `nystroem` in front of `pca`.
///
/// # Reference
/// Schölkopf, Smola, Müller, Nonlinear component analysis as a kernel eigenvalue problem, Neural Computation 10 (1998);
/// pre-images: Bakır, Weston, Schölkopf, Learning to find pre-images, NIPS 2003.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[doc(alias = "KernelPCA")]
pub struct KernelPca {
    /// Number of components; none for all with positive variance.
    pub n_components: Option<usize>,
    /// The kernel.
    pub kernel: KernelChoice,
    /// Width of the kernels "rbf", "poly", "sigmoid" and "laplacian".
    pub gamma: GammaChoice,
    /// Degree of the kernel "poly".
    pub degree: u32,
    /// Constant of the kernels "poly" and "sigmoid".
    pub coef0: f64,
    /// Penalty of the inverse transform.
    pub alpha: f64,
    /// Whether to learn the inverse transform.
    pub fit_inverse_transform: bool,
    /// The eigenvalue solver.
    pub eigen_solver: EigenSolver,
    /// Residual at which the iteration stops, relative to the largest eigenvalue; 0 for rounding level.
    pub tol: f64,
    /// Most products of `arpack`.
    pub max_iter: Option<u64>,
    /// Products of `randomized`.
    pub iterated_power: PowerIterations,
    /// Whether components without variance are left out.
    pub remove_zero_eig: bool,
}

/// Eigenvalue solvers of [`KernelPca`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EigenSolver {
    /// Iterative for few components of many rows, all eigenvalues otherwise.
    #[default]
    Auto,
    /// All eigenvalues.
    Dense,
    /// Block iteration, to convergence.
    Arpack,
    /// Block iteration, until the answer is good enough.
    Randomized,
}

impl Default for KernelPca {
    fn default() -> Self {
        Self {
            n_components: Some(2),
            kernel: "rbf".into(),
            gamma: GammaChoice::Rule(GammaRule::Scale),
            degree: 3,
            coef0: 1.0,
            alpha: 1.0,
            fit_inverse_transform: false,
            eigen_solver: EigenSolver::Auto,
            tol: 0.0,
            max_iter: None,
            iterated_power: PowerIterations::Auto(AutoWord::Auto),
            remove_zero_eig: false,
        }
    }
}

#[cfg(feature = "fit")]
impl Learner for KernelPca {
    type Model = KernelPcaModel;

    const SPEC: Spec = Spec {
        name: "kernel-pca",
        summary: "Principal components in the feature space of a kernel, for curved structure",
        objective: "max over orthonormal v of the variance of phi(x).v, phi(x).phi(z) = k(x, z): eigenvectors of the centered kernel \
                    matrix H K H",
        notes: "For groups inside one another or along curves, to draw them or in front of a linear model; with the linear kernel it is \
                pca. Standardize columns on different scales first. Holds the n x n kernel matrix while it trains, and all rows \
                afterwards; for many rows put nystroem in front of pca. Each component is signed so that its largest score is \
                positive.",
        reference: "Schölkopf, Smola, Müller: Nonlinear component analysis as a kernel eigenvalue problem, Neural Computation 10 \
                    (1998); Bakır, Weston, Schölkopf: Learning to find pre-images, NIPS 2003",
        family: Family::Reduction,
        tasks: &[Task::Reduction],
        accepts: Accepts { weights: true, sparse: true, multi_target: true, ..Accepts::NUMBERS },
        params: &[
            ParamSpec {
                name: "n_components",
                doc: "How many components to keep; null for all that have variance.",
                range: Range::Optional(&Range::int_from(1)),
            },
            ParamSpec {
                name: "kernel",
                doc: "linear, poly, rbf, sigmoid, laplacian, cosine, precomputed, or a formula such as \"rbf(0.5) + 0.1 * linear\".",
                range: Range::Any,
            },
            ParamSpec {
                name: "gamma",
                doc: "Width of the kernels rbf, poly, sigmoid and laplacian: a number, \"scale\" for 1 / (columns * variance of all \
                      cells), \"auto\" for 1 / columns.",
                range: Range::Either(&Range::Choice(&["scale", "auto"]), &Range::at_least(0.0)),
            },
            ParamSpec { name: "degree", doc: "Degree of the kernel \"poly\".", range: Range::Int { min: 0, max: 100 } },
            ParamSpec {
                name: "coef0",
                doc: "Constant of the kernels poly and sigmoid.",
                range: Range::Real { min: f64::NEG_INFINITY, max: f64::INFINITY, above: false, log: false },
            },
            ParamSpec {
                name: "alpha",
                doc: "Penalty of the kernel ridge regression that learns the inverse transform.",
                range: Range::at_least(0.0),
            },
            ParamSpec {
                name: "fit_inverse_transform",
                doc: "Whether to learn an approximate map from components back to columns (pre-images), by kernel ridge regression.",
                range: Range::Bool,
            },
            ParamSpec {
                name: "eigen_solver",
                doc: "dense computes all eigenvalues; arpack multiplies the kernel matrix with a few vectors until the answer is \
                      exact; randomized stops when eigenvalues are known to about six digits; auto takes dense for few rows or many \
                      components and arpack otherwise.",
                range: Range::Choice(&["auto", "dense", "arpack", "randomized"]),
            },
            ParamSpec {
                name: "tol",
                doc: "Products end when |K v - lambda v| is below this share of the largest eigenvalue, for all components; 0 asks for \
                      what rounding allows, and for 0.001 of randomized.",
                range: Range::at_least(0.0),
            },
            ParamSpec {
                name: "max_iter",
                doc: "Most products of arpack; null for as many as it takes.",
                range: Range::Optional(&Range::int_from(1)),
            },
            ParamSpec {
                name: "iterated_power",
                doc: "Most further products of randomized after the first; auto continues until tol is met.",
                range: Range::Either(&Range::Choice(&["auto"]), &Range::Int { min: 0, max: u32::MAX as i64 }),
            },
            ParamSpec {
                name: "remove_zero_eig",
                doc: "Whether components without variance are left out; with n_components null they always are.",
                range: Range::Bool,
            },
        ],
    };

    fn check(&self) -> Result<()> {
        self.check_ranges()?;
        let kernel = self.kernel.kernel(&self.gamma, self.degree, self.coef0)?;
        if self.fit_inverse_transform && kernel == ermine_math::kernel::Kernel::Precomputed {
            return Err(Error::parameter(
                Self::SPEC.name,
                "fit_inverse_transform",
                "true",
                "with a precomputed kernel there are no columns to map back to",
            ));
        }
        Ok(())
    }

    fn fit_rows(&self, data: &DatasetRef<'_>, cx: &Context<'_>) -> Result<KernelPcaModel> {
        self.solve(data, cx)
    }

    fn load(input: &ModelReader) -> Result<KernelPcaModel> {
        KernelPcaModel::load(input)
    }
}

#[cfg(test)]
mod tests;
