//! Kernel ridge regression: min Σ wᵢ (yᵢ - f(xᵢ))² + α‖f‖², whose solution is f = Σ cⱼ k(xⱼ, ·) with (K + α W⁻¹) c = y.

#[cfg(feature = "fit")]
mod solve;

use ermine_core::{
    Accepts, Certificate, Context, DatasetRef, Error, Family, Features, Learner, LooPredictions, Mat, Model, ModelReader,
    ModelWriter, ParamSpec, Progress, Range, Regressor, Report, Result, Schema, Spec, Task,
};
use ermine_math::kernel::{CellVariance, Expansion, ExpansionPoints, Kernel, Points, SparseCoefs};
use serde::{Deserialize, Serialize};

use super::{GammaChoice, GammaRule, KernelChoice, load_centers, resolve, save_centers};
#[cfg(feature = "fit")]
use solve::KernelRidgeSolution;

/// Most rows for which the kernel matrix is stored and factorized.
const DIRECT: usize = 15_000;

/// Kernel ridge regression: a smooth function through the rows.
///
/// # What it minimizes
/// Σ wᵢ (yᵢ - f(xᵢ))² + α‖f‖², f = Σ cⱼ k(xⱼ, ·), with the solution (K + α W⁻¹) c = y.
///
/// # When to use it
/// For smooth curves through up to some thousand rows.
///
/// # Example
/// ```
/// use ermine_core::{Context, DatasetRef, Features, Learner, MatRef, Regressor, Target};
/// use ermine_kernel::kernel::KernelRidge;
///
/// let x = [0.0, 1.0, 2.0, 3.0, 4.0];
/// let y = [0.0, 1.0, 0.0, -1.0, 0.0];
/// let features = Features::F64(MatRef::row_major(&x, 5, 1));
/// let learner = KernelRidge { kernel: "rbf(1)".into(), alpha: ermine_kernel::kernel::AlphaChoice::One(1e-6), ..KernelRidge::default() };
/// let model = learner.fit_with(&DatasetRef::new(features).with_target(Target::Real(&y)), &Context::default())?;
/// assert!((model.predict(&features)?[(1, 0)] - 1.0).abs() < 1e-3);
/// # Ok::<(), ermine_core::Error>(())
/// ```
///
/// # Parameters
/// Described in [`Learner::SPEC`].
///
/// # Cost
/// n² numbers and n³/3 multiplications; with a list of penalties one eigendecomposition serves them all, by exact leave-one-out.
/// Conjugate gradients compute the kernel matrix in blocks.
///
/// # What it does not do
/// It has no constant term, and every row stays in the model.
///
/// # Reference
/// Saunders, Gammerman, Vovk: Ridge regression learning algorithm in dual variables, ICML 1998.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct KernelRidge {
    /// α, or several to choose from by leave-one-out.
    pub alpha: AlphaChoice,
    /// The kernel.
    pub kernel: KernelChoice,
    /// Width of the kernels "rbf", "poly", "sigmoid" and "laplacian".
    pub gamma: GammaChoice,
    /// Degree of the kernel "poly".
    pub degree: u32,
    /// Constant of the kernels "poly" and "sigmoid".
    pub coef0: f64,
    /// The solver.
    pub method: KernelRidgeSolver,
    /// Residual at which conjugate gradients stop, relative to the target.
    pub tol: f64,
    /// Most steps of conjugate gradients.
    pub max_iter: u64,
}

/// One penalty, or several to choose from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum AlphaChoice {
    /// This one.
    One(f64),
    /// The one of least leave-one-out error.
    Grid(Vec<f64>),
}

/// Solvers of kernel ridge regression.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum KernelRidgeSolver {
    /// A factorization up to 15,000 rows, conjugate gradients beyond.
    Auto,
    /// Cholesky factorization.
    Cholesky,
    /// Eigenvalues, as for several penalties.
    Eigen,
    /// Conjugate gradients, with blocks of the kernel matrix recomputed in every step.
    Cg,
}

impl Default for KernelRidge {
    fn default() -> Self {
        Self {
            alpha: AlphaChoice::One(1.0),
            kernel: "rbf".into(),
            gamma: GammaChoice::Rule(GammaRule::Scale),
            degree: 3,
            coef0: 1.0,
            method: KernelRidgeSolver::Auto,
            tol: 1e-10,
            max_iter: 1000,
        }
    }
}

const POSITIVE: Range = Range::at_least(0.0);

#[cfg(feature = "fit")]
impl Learner for KernelRidge {
    type Model = KernelRidgeModel;

    const SEARCH_SPACE: &'static [&'static str] = &["alpha=1e-4..1e2:log", "kernel=linear,rbf", "gamma=1e-4..10:log"];

    const SPEC: Spec = Spec {
        name: "kernel-ridge",
        summary: "Ridge regression with kernels",
        objective: "min sum_i w_i (y_i - f(x_i))^2 + alpha |f|^2, f(x) = sum_j c_j k(x_j, x), (K + alpha I) c = y",
        notes: "Choose it for smooth curves through up to some thousand rows; every row carries the model. Center the target: there is no \
                constant term. A Cholesky factorization (n^2 f64, n^3/3 multiplications); a list of alphas costs one \
                eigendecomposition and is chosen from by exact leave-one-out errors. Beyond 15,000 rows conjugate gradients compute the \
                kernel matrix in blocks, in memory that does not grow with its square.",
        reference: "Saunders, Gammerman and Vovk: Ridge regression learning algorithm in dual variables, ICML 1998",
        family: Family::Kernel,
        tasks: &[Task::Regression],
        accepts: Accepts { weights: true, sparse: true, multi_target: true, ..Accepts::NUMBERS },
        params: &[
            ParamSpec {
                name: "alpha",
                doc: "The penalty, or a list of penalties to choose from by leaving each row out.",
                range: Range::Either(&POSITIVE, &Range::List(&POSITIVE)),
            },
            ParamSpec {
                name: "kernel",
                doc: "linear, poly, rbf, sigmoid, laplacian, precomputed, or a formula such as \"rbf(0.5) + 0.1 * linear\".",
                range: Range::Any,
            },
            ParamSpec {
                name: "gamma",
                doc: "Width of the kernels rbf, poly, sigmoid and laplacian: a number, \"scale\" or \"auto\".",
                range: Range::Either(&Range::Choice(&["scale", "auto"]), &Range::at_least(0.0)),
            },
            ParamSpec { name: "degree", doc: "Degree of the kernel \"poly\".", range: Range::Int { min: 0, max: 100 } },
            ParamSpec {
                name: "coef0",
                doc: "Constant of the kernels poly and sigmoid.",
                range: Range::Real { min: f64::NEG_INFINITY, max: f64::INFINITY, above: false, log: false },
            },
            ParamSpec {
                name: "method",
                doc: "auto; cholesky; eigen; cg for conjugate gradients in bounded memory.",
                range: Range::Choice(&["auto", "cholesky", "eigen", "cg"]),
            },
            ParamSpec {
                name: "tol",
                doc: "Residual at which conjugate gradients end, next to the target.",
                range: Range::above(0.0),
            },
            ParamSpec { name: "max_iter", doc: "Most steps of conjugate gradients.", range: Range::int_from(1) },
        ],
    };

    const LOO_PREDICTIONS: Option<LooPredictions<Self>> = Some(left_out);

    fn check(&self) -> Result<()> {
        self.check_ranges()?;
        self.kernel.kernel(&self.gamma, self.degree, self.coef0)?;
        let refuse = |value: String, expected: &str| Err(Error::parameter("kernel-ridge", "alpha", value, expected));
        match &self.alpha {
            AlphaChoice::Grid(grid) if grid.is_empty() => refuse("[]".into(), "it must have at least one number"),
            AlphaChoice::Grid(_) if self.method == KernelRidgeSolver::Cg => {
                refuse("a list".into(), "conjugate gradients solve for one; choose with method auto or eigen")
            }
            _ => Ok(()),
        }
    }

    fn fit_rows(&self, data: &DatasetRef<'_>, cx: &Context<'_>) -> Result<KernelRidgeModel> {
        self.check()?;
        data.check(&Self::SPEC)?;
        data.x.refuse_non_finite(data.schema)?;
        cx.check(Progress { stage: "kernel", done: 0, total: None, objective: None })?;
        let kernel = self.kernel.kernel(&self.gamma, self.degree, self.coef0)?;
        let kernel = resolve(&kernel, &data.x, data.weight, Self::SPEC.name)?;
        let rows: Vec<usize> = (0..data.rows()).filter(|&i| data.weight_of(i) > 0.0).collect();
        let y = data.y.reals()?;
        let root: Vec<f64> = rows.iter().map(|&i| data.weight_of(i).sqrt()).collect();
        // With s = √w the system is (S K S + α I) d = S y, c = S d: symmetric, and the plain one without weights.
        let target = Mat::from_fn(rows.len(), y.cols(), |k, t| root[k] * y.at(rows[k], t));
        let points = Points::<f64>::new(&kernel, &data.x, &rows)?;
        let direct = match self.method {
            KernelRidgeSolver::Auto => rows.len() <= DIRECT,
            KernelRidgeSolver::Cg => false,
            KernelRidgeSolver::Cholesky | KernelRidgeSolver::Eigen => true,
        };
        if let (AlphaChoice::Grid(_), false) = (&self.alpha, direct) {
            return Err(Error::Data(format!(
                "{} rows are too many to choose alpha from a list: the eigendecomposition would hold {:.0} GB; give one number",
                rows.len(),
                2.0 * (rows.len() as f64).powi(2) * 8.0 / 1e9
            )));
        }
        let KernelRidgeSolution { d, alpha, left_out, method, condition, residual, iterations, converged } =
            match (&self.alpha, direct, self.method) {
                (AlphaChoice::One(alpha), false, _) => self.gradients(&points, &root, &target, *alpha, cx)?,
                (AlphaChoice::One(alpha), true, KernelRidgeSolver::Auto | KernelRidgeSolver::Cholesky) => {
                    solve::by_cholesky(&points, &root, &target, *alpha)?
                }
                (AlphaChoice::One(alpha), true, _) => solve::by_eigenvalues(&points, &root, &target, &[*alpha])?,
                (AlphaChoice::Grid(grid), ..) => solve::by_eigenvalues(&points, &root, &target, grid)?,
            };
        let mut dual = Mat::zeros(data.rows(), y.cols());
        for (k, &i) in rows.iter().enumerate() {
            (0..y.cols()).for_each(|t| dual[(i, t)] = root[k] * d[(k, t)]);
        }
        let all: Vec<usize> = (0..data.rows()).collect();
        let certificate = Certificate {
            method: method.into(),
            kkt_residual: Some(residual),
            condition: condition.is_finite().then_some(condition),
            iterations,
            converged,
            ..Certificate::default()
        };
        let expansion = Expansion::new(&kernel, ExpansionPoints::take(&kernel, &data.x, &all)?)?;
        KernelRidgeModel::new(expansion, dual, alpha, left_out, Some(certificate))
    }

    fn load(input: &ModelReader) -> Result<KernelRidgeModel> {
        KernelRidgeModel::load(input)
    }
}

impl KernelRidgeModel {
    pub(crate) fn load(input: &ModelReader) -> Result<Self> {
        let kernel: Kernel = input.field("kernel")?;
        let centers = load_centers(input, "rows")?;
        let dual: Mat<f64> = input.mat("dual_coef")?;
        if dual.rows() != centers.len() || dual.cols() == 0 || !dual.as_slice().iter().all(|v| v.is_finite()) {
            return Err(Error::Model(format!("{} x {} coefficients of {} rows", dual.rows(), dual.cols(), centers.len())));
        }
        let expansion = Expansion::new(&kernel, centers).map_err(|e| Error::Model(e.to_string()))?;
        KernelRidgeModel::new(expansion, dual, input.field("alpha")?, input.field("left_out")?, None)
    }
}

/// Leave-one-out: the residual without a row is its coefficient over the diagonal of the inverse of the system.
#[cfg(feature = "fit")]
fn left_out(ridge: &KernelRidge, data: &DatasetRef<'_>, cx: &Context<'_>) -> Result<Option<Mat<f64>>> {
    let kernel = ridge.kernel.kernel(&ridge.gamma, ridge.degree, ridge.coef0)?;
    let direct = matches!(ridge.method, KernelRidgeSolver::Auto | KernelRidgeSolver::Cholesky) && data.rows() <= DIRECT;
    let AlphaChoice::One(alpha) = ridge.alpha else { return Ok(None) };
    // A width computed from the rows changes when one is left out.
    let of =
        |variance: f64| kernel.resolved(&|which| CellVariance { columns: which.map_or(data.cols(), <[u32]>::len), variance });
    if !direct || matches!(kernel, Kernel::Precomputed) || of(1.0) != of(2.0) {
        return Ok(None);
    }
    ridge.check()?;
    data.check(&KernelRidge::SPEC)?;
    data.x.refuse_non_finite(data.schema)?;
    cx.check(Progress { stage: "kernel", done: 0, total: None, objective: None })?;
    let kernel = resolve(&kernel, &data.x, data.weight, KernelRidge::SPEC.name)?;
    let y = data.y.reals()?;
    let rows: Vec<usize> = (0..data.rows()).filter(|&i| data.weight_of(i) > 0.0).collect();
    if rows.len() < 2 {
        return Ok(None);
    }
    let root: Vec<f64> = rows.iter().map(|&i| data.weight_of(i).sqrt()).collect();
    let target = Mat::from_fn(rows.len(), y.cols(), |k, t| root[k] * y.at(rows[k], t));
    let points = Points::<f64>::new(&kernel, &data.x, &rows)?;
    let Some(missed) = solve::left_out(&points, &root, &target, alpha)? else { return Ok(None) };
    let mut predictions = match rows.len() == data.rows() {
        true => Mat::zeros(y.rows(), y.cols()),
        // Rows without weight do not take part in the fits.
        false => ridge.fit_with(data, cx)?.predict(&data.x)?,
    };
    for (k, &i) in rows.iter().enumerate() {
        (0..y.cols()).for_each(|t| predictions[(i, t)] = y.at(i, t) - missed[(k, t)] / root[k]);
    }
    Ok(Some(predictions))
}

/// A fitted kernel ridge regression.
///
/// Saved arrays: `rows` (or their sparse form), `dual_coef` (rows, targets).
#[derive(Debug, Clone)]
pub struct KernelRidgeModel {
    expansion: Expansion,
    dual: Mat<f64>,
    alpha: f64,
    left_out: Vec<(f64, f64)>,
    functions: Vec<SparseCoefs>,
    certificate: Option<Certificate>,
}

impl KernelRidgeModel {
    fn new(
        expansion: Expansion,
        dual: Mat<f64>,
        alpha: f64,
        left_out: Vec<(f64, f64)>,
        certificate: Option<Certificate>,
    ) -> Result<Self> {
        let functions = (0..dual.cols()).map(|t| vec![(0..dual.rows(), dual.view().col_iter(t).collect())]).collect();
        Ok(Self { expansion, dual, alpha, left_out, functions, certificate })
    }

    /// The coefficient of each training row, one column per target.
    pub fn dual_coef(&self) -> &Mat<f64> {
        &self.dual
    }

    /// The penalty.
    pub fn alpha(&self) -> f64 {
        self.alpha
    }

    /// The penalties tried, each with its mean squared leave-one-out error.
    pub fn left_out(&self) -> &[(f64, f64)] {
        &self.left_out
    }
}

ermine_core::display_as_report!(KernelRidgeModel);

impl Model for KernelRidgeModel {
    fn n_features(&self) -> usize {
        self.expansion.centers().cols()
    }

    fn as_regressor(&self) -> Option<&dyn Regressor> {
        Some(self)
    }

    fn certificate(&self) -> Option<&Certificate> {
        self.certificate.as_ref()
    }

    fn report(&self, _: &Schema) -> Report {
        let mut report = Report::default();
        report.text(format!("kernel {}, {} rows, alpha {}", self.expansion.kernel(), self.dual.rows(), self.alpha));
        if self.left_out.len() > 1 {
            let rows = self.left_out.iter().map(|(a, e)| vec![(*a).into(), (*e).into()]).collect();
            report.table("Rows left out", &["alpha", "mean squared error"], rows);
        }
        report
    }

    fn save(&self, out: &mut ModelWriter) -> Result<()> {
        if self.expansion.kernel().has_user_code() {
            return Err(Error::Data("a user-defined kernel function cannot be saved".into()));
        }
        save_centers(self.expansion.centers(), "rows", out)?;
        out.mat("dual_coef", &self.dual);
        out.field("kernel", self.expansion.kernel())?;
        out.field("alpha", &self.alpha)?;
        out.field("left_out", &self.left_out)
    }
}

impl Regressor for KernelRidgeModel {
    fn n_targets(&self) -> usize {
        self.dual.cols()
    }

    fn predict(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        self.expansion.values(x, &self.functions, "kernel-ridge")
    }
}
