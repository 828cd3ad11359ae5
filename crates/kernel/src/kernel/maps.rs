//! Feature maps that approximate kernels: z(x)·z(x') ≈ k(x, x'), so that linear learners replace kernel machines on any
//! number of rows.

use ermine_core::{
    Accepts, Certificate, Context, DatasetRef, Error, Family, Features, Learner, Mat, MatRef, Model, ModelReader, ModelWriter,
    ParamSpec, Progress, Range, Report, Result, RngStream, Schema, Spec, Task, Transformer,
};
use ermine_math::kernel::{Expansion, ExpansionPoints, Kernel};
use ermine_math::linalg::eigen_symmetric;
use serde::{Deserialize, Serialize};

use super::{GammaChoice, GammaRule, KernelChoice, load_centers, resolve, save_centers};
use ermine_core::blocks::{by_blocks, numbers};

/// Rows on which the error of a map is measured.
const SAMPLE: usize = 200;

const GAMMA: ParamSpec = ParamSpec {
    name: "gamma",
    doc: "Width of the kernel: a number, \"scale\" for 1 / (columns * variance of all cells), \"auto\" for 1 / columns.",
    range: Range::Either(&Range::Choice(&["scale", "auto"]), &Range::at_least(0.0)),
};

/// ‖K - Z Zᵀ‖ / ‖K‖ of some rows.
fn error_of(kernel: &Kernel, x: &Features<'_>, z: &dyn Fn(&Features<'_>) -> Result<Mat<f64>>, seed: u64) -> Result<f64> {
    let mut rows = RngStream::new(seed, "feature map error", 0).permutation(x.rows());
    rows.truncate(SAMPLE);
    rows.sort_unstable();
    let part = x.take_rows(&rows);
    let exact = Expansion::new(kernel, ExpansionPoints::take(kernel, x, &rows)?)?.gram(&part.view(), "a feature map")?;
    let z = z(&part.view())?;
    let (mut off, mut size) = (0.0, 0.0);
    for i in 0..rows.len() {
        for j in 0..rows.len() {
            let near: f64 = z.row(i).iter().zip(z.row(j)).map(|(a, b)| a * b).sum();
            off += (exact[(i, j)] - near).powi(2);
            size += exact[(i, j)].powi(2);
        }
    }
    Ok(if size > 0.0 { (off / size).sqrt() } else { off.sqrt() })
}

fn error_certificate(error: f64, rows: usize) -> Certificate {
    Certificate {
        method: "feature map".into(),
        iterations: 1,
        converged: true,
        notes: vec![format!(
            "on {} rows the products of the new columns differ from the kernel by {error:.3e} of its norm",
            rows.min(SAMPLE)
        )],
        ..Certificate::default()
    }
}

/// The Nyström map: the kernel with some rows, times the inverse root of the kernel matrix among these.
///
/// # What it computes
/// z(x) = K_mm^(-1/2) (k(x₁, x), …, k(x_m, x)) for m training rows drawn at random, so that z(x)·z(x') is near k(x, x').
///
/// # When to use it
/// In front of a linear learner, in the place of an exact kernel machine, where rows are many.
///
/// # Example
/// ```
/// use ermine_core::{Context, DatasetRef, Features, Learner, MatRef, Transformer};
/// use ermine_kernel::kernel::Nystroem;
///
/// let x = Features::F64(MatRef::row_major(&[0.0, 1.0, 2.0, 3.0], 4, 1));
/// let model = Nystroem { n_components: 3, ..Nystroem::default() }.fit_with(&DatasetRef::new(x), &Context::default())?;
/// assert_eq!(model.transform(&x)?.cols(), 3);
/// # Ok::<(), ermine_core::Error>(())
/// ```
///
/// # Parameters
/// Described in [`Learner::SPEC`].
///
/// # Cost
/// Time n m p + m³, memory m p + m² besides the rows. The certificate has the error next to the kernel, measured on 200 rows.
///
/// # What it does not do
/// It does not choose the rows by their leverage.
///
/// # Reference
/// Williams, Seeger: Using the Nyström method to speed up kernel machines, NIPS 2000.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Nystroem {
    /// Number of sampled rows.
    pub n_components: usize,
    /// The kernel.
    pub kernel: KernelChoice,
    /// Width of the kernels "rbf", "poly", "sigmoid" and "laplacian".
    pub gamma: GammaChoice,
    /// Degree of the kernel "poly".
    pub degree: u32,
    /// Constant of the kernels "poly" and "sigmoid".
    pub coef0: f64,
}

impl Default for Nystroem {
    fn default() -> Self {
        Self { n_components: 100, kernel: "rbf".into(), gamma: GammaChoice::Rule(GammaRule::Scale), degree: 3, coef0: 1.0 }
    }
}

#[cfg(feature = "fit")]
impl Learner for Nystroem {
    type Model = NystroemModel;

    const SPEC: Spec = Spec {
        name: "nystroem",
        summary: "Columns whose inner products approximate any kernel, from some of the rows",
        objective: "z(x) = K_mm^(-1/2) [k(x_1, x) ... k(x_m, x)] for m rows drawn at random",
        notes: "In front of a linear learner in the place of an exact kernel machine: memory and time grow with rows times n_components. The error \
                next to the kernel is measured on 200 rows and reported in the certificate.",
        reference: "Williams and Seeger: Using the Nystroem method to speed up kernel machines, NIPS 2000",
        family: Family::Preparation,
        tasks: &[Task::Preparation],
        accepts: Accepts { weights: true, sparse: true, multi_target: true, ..Accepts::NUMBERS },
        params: &[
            ParamSpec {
                name: "n_components",
                doc: "How many rows are drawn; as many new columns.",
                range: Range::Int { min: 1, max: 100_000 },
            },
            ParamSpec {
                name: "kernel",
                doc: "linear, poly, rbf, sigmoid, laplacian, or a formula such as \"rbf(0.5) + 0.1 * linear\".",
                range: Range::Any,
            },
            GAMMA,
            ParamSpec { name: "degree", doc: "Degree of the kernel \"poly\".", range: Range::Int { min: 0, max: 100 } },
            ParamSpec {
                name: "coef0",
                doc: "Constant of the kernels poly and sigmoid.",
                range: Range::Real { min: f64::NEG_INFINITY, max: f64::INFINITY, above: false, log: false },
            },
        ],
    };

    const ROW_ORDER_MATTERS: bool = true;

    fn check(&self) -> Result<()> {
        self.check_ranges()?;
        self.kernel.kernel(&self.gamma, self.degree, self.coef0).map(|_| ())
    }

    fn fit_rows(&self, data: &DatasetRef<'_>, cx: &Context<'_>) -> Result<NystroemModel> {
        self.check()?;
        data.check(&Self::SPEC)?;
        data.x.refuse_non_finite(data.schema)?;
        cx.check(Progress { stage: "kernel", done: 0, total: None, objective: None })?;
        let kernel = self.kernel.kernel(&self.gamma, self.degree, self.coef0)?;
        let kernel = resolve(&kernel, &data.x, data.weight, Self::SPEC.name)?;
        let present: Vec<usize> = (0..data.rows()).filter(|&i| data.weight_of(i) > 0.0).collect();
        let mut drawn = RngStream::new(cx.seed, "nystroem", 0).permutation(present.len());
        drawn.truncate(self.n_components);
        let rows: Vec<usize> = drawn.into_iter().map(|k| present[k]).collect();
        let expansion = Expansion::new(&kernel, ExpansionPoints::take(&kernel, &data.x, &rows)?)?;
        let gram = expansion.gram(&data.x.take_rows(&rows).view(), Self::SPEC.name)?;
        let m = rows.len();
        let gram = Mat::from_fn(m, m, |i, j| 0.5 * (gram[(i, j)] + gram[(j, i)]));
        let eigen = eigen_symmetric(gram.view())?;
        // Directions in which the kernel of the sampled rows is rounding alone are left out.
        let least = (m as f64 * f64::EPSILON * eigen.values[0].abs()).max(1e-12 * f64::MIN_POSITIVE);
        let root = |j: usize| if eigen.values[j] > least { 1.0 / eigen.values[j].sqrt() } else { 0.0 };
        let scaled = Mat::from_fn(m, m, |j, i| root(j) * eigen.vectors[(j, i)]);
        let normalization = ermine_math::linalg::product(eigen.vectors.view().t(), scaled.view());
        let mut model = NystroemModel {
            expansion,
            normalization,
            components: rows.iter().map(|&i| i as u32).collect(),
            error: 0.0,
            certificate: None,
        };
        let kept = data.x.take_rows(&present);
        model.error = error_of(&kernel, &kept.view(), &|x| model.transform(x), cx.seed)?;
        model.certificate = Some(error_certificate(model.error, present.len()));
        Ok(model)
    }

    fn load(input: &ModelReader) -> Result<NystroemModel> {
        NystroemModel::load(input)
    }
}

impl NystroemModel {
    pub(crate) fn load(input: &ModelReader) -> Result<Self> {
        let kernel: Kernel = input.field("kernel")?;
        let centers = load_centers(input, "components")?;
        let m = centers.len();
        let normalization: Mat<f64> = input.mat_of("normalization", m, m)?;
        if m == 0 || !normalization.as_slice().iter().all(|v| v.is_finite()) {
            return Err(Error::Model("nystroem: a number is not finite".into()));
        }
        let expansion = Expansion::new(&kernel, centers).map_err(|e| Error::Model(e.to_string()))?;
        let components = input.vec_of("component_indices", m)?;
        Ok(NystroemModel { expansion, normalization, components, error: input.field("error")?, certificate: None })
    }
}

/// A fitted Nyström map.
///
/// Saved arrays: `components` (or their sparse form), `component_indices`, `normalization` (components, components).
#[derive(Debug, Clone)]
pub struct NystroemModel {
    expansion: Expansion,
    normalization: Mat<f64>,
    components: Vec<u32>,
    error: f64,
    certificate: Option<Certificate>,
}

impl NystroemModel {
    /// ‖K - Z Zᵀ‖ / ‖K‖, measured on some training rows.
    pub fn approximation_error(&self) -> f64 {
        self.error
    }
}

ermine_core::display_as_report!(NystroemModel);

impl Model for NystroemModel {
    fn n_features(&self) -> usize {
        self.expansion.centers().cols()
    }
    fn as_transformer(&self) -> Option<&dyn Transformer> {
        Some(self)
    }
    fn certificate(&self) -> Option<&Certificate> {
        self.certificate.as_ref()
    }
    fn report(&self, _: &Schema) -> Report {
        let mut report = Report::default();
        report.text(format!(
            "kernel {} by {} rows; error {:.3e} of its norm",
            self.expansion.kernel(),
            self.components.len(),
            self.error
        ));
        report
    }
    fn save(&self, out: &mut ModelWriter) -> Result<()> {
        if self.expansion.kernel().has_user_code() {
            return Err(Error::Data("a user-defined kernel function cannot be saved".into()));
        }
        save_centers(self.expansion.centers(), "components", out)?;
        out.vec("component_indices", &self.components);
        out.mat("normalization", &self.normalization);
        out.field("kernel", self.expansion.kernel())?;
        out.field("error", &self.error)
    }
}

impl Transformer for NystroemModel {
    fn transform(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        // The root is symmetric, so its rows are the coefficients of the new columns.
        let m = self.components.len();
        let functions: Vec<_> = (0..m).map(|j| vec![(0..m, self.normalization.row(j).to_vec())]).collect();
        self.expansion.values(x, &functions, "nystroem")
    }

    fn schema_out(&self, _: &Schema) -> Schema {
        Schema::numbers((0..self.components.len()).map(|j| format!("nystroem{j}")))
    }
}

/// Random Fourier features of the Gaussian kernel.
///
/// # What it computes
/// zⱼ(x) = √(2/D) cos(ωⱼ·x + βⱼ), ωⱼ normal with variance 2γ, βⱼ uniform on a circle, so that z(x)·z(x') is near
/// exp(-γ‖x - x'‖²).
///
/// # When to use it
/// As [`Nystroem`], where nothing but the scale of the rows should enter the map, or the kernel is not smooth.
///
/// # Example
/// ```
/// use ermine_core::{Context, DatasetRef, Features, Learner, MatRef, Transformer};
/// use ermine_kernel::kernel::RandomFourier;
///
/// let x = Features::F64(MatRef::row_major(&[0.0, 1.0, 2.0, 3.0], 4, 1));
/// let model = RandomFourier { n_components: 8, ..RandomFourier::default() }.fit_with(&DatasetRef::new(x), &Context::default())?;
/// assert_eq!(model.transform(&x)?.cols(), 8);
/// # Ok::<(), ermine_core::Error>(())
/// ```
///
/// # Parameters
/// Described in [`Learner::SPEC`].
///
/// # Cost
/// Time n p D and p D numbers. The error falls as 1/√D; the certificate has it, measured on 200 rows.
///
/// # What it does not do
/// It has no kernel but the Gaussian.
///
/// # Reference
/// Rahimi, Recht: Random features for large-scale kernel machines, NIPS 2007.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[doc(alias = "RBFSampler")]
pub struct RandomFourier {
    /// Number of new columns.
    pub n_components: usize,
    /// Width of the kernel.
    pub gamma: GammaChoice,
}

impl Default for RandomFourier {
    fn default() -> Self {
        Self { n_components: 100, gamma: GammaChoice::Rule(GammaRule::Scale) }
    }
}

#[cfg(feature = "fit")]
impl Learner for RandomFourier {
    type Model = RandomFourierModel;

    const SPEC: Spec = Spec {
        name: "rff",
        summary: "Random waves whose inner products approximate the Gaussian kernel",
        objective: "z_j(x) = sqrt(2/D) cos(w_j.x + b_j), w_j normal with variance 2 gamma, b_j uniform on a circle",
        notes: "In front of a linear learner in the place of an exact kernel machine. Needs nothing but the scale of the rows; its error falls as one \
                over the root of n_components, slower than that of nystroem where the kernel is smooth. The error is measured on 200 \
                rows and reported in the certificate.",
        reference: "Rahimi and Recht: Random features for large-scale kernel machines, NIPS 2007",
        family: Family::Preparation,
        tasks: &[Task::Preparation],
        accepts: Accepts { weights: true, sparse: true, multi_target: true, ..Accepts::NUMBERS },
        params: &[
            ParamSpec { name: "n_components", doc: "Number of new columns.", range: Range::Int { min: 1, max: 10_000_000 } },
            GAMMA,
        ],
    };

    const ROW_ORDER_MATTERS: bool = true;

    fn fit_rows(&self, data: &DatasetRef<'_>, cx: &Context<'_>) -> Result<RandomFourierModel> {
        self.check()?;
        data.check(&Self::SPEC)?;
        data.x.refuse_non_finite(data.schema)?;
        cx.check(Progress { stage: "drawing", done: 0, total: None, objective: None })?;
        let kernel = resolve(&Kernel::gaussian(&self.gamma), &data.x, data.weight, Self::SPEC.name)?;
        let Kernel::Gaussian { gamma: ermine_math::kernel::Gamma::Value(gamma) } = kernel else {
            return Err(Error::Numeric("the width of the kernel is not a number".into()));
        };
        let mut draw = RngStream::new(cx.seed, "random fourier features", 0);
        let scale = (2.0 * gamma).sqrt();
        let weights = Mat::from_fn(self.n_components, data.cols(), |_, _| scale * draw.normal());
        let offset: Vec<f64> = (0..self.n_components).map(|_| std::f64::consts::TAU * draw.uniform()).collect();
        let mut model = RandomFourierModel { weights, offset, gamma, error: 0.0, certificate: None };
        let present: Vec<usize> = (0..data.rows()).filter(|&i| data.weight_of(i) > 0.0).collect();
        let kept = data.x.take_rows(&present);
        model.error = error_of(&kernel, &kept.view(), &|x| model.transform(x), cx.seed)?;
        model.certificate = Some(error_certificate(model.error, present.len()));
        Ok(model)
    }

    fn load(input: &ModelReader) -> Result<RandomFourierModel> {
        RandomFourierModel::load(input)
    }
}

impl RandomFourierModel {
    pub(crate) fn load(input: &ModelReader) -> Result<Self> {
        let weights: Mat<f64> = input.mat("random_weights")?;
        let offset: Vec<f64> = input.vec_of("random_offset", weights.rows())?;
        if weights.rows() == 0 || weights.cols() == 0 || !weights.as_slice().iter().chain(&offset).all(|v| v.is_finite()) {
            return Err(Error::Model("rff: no weights, or weights that are not finite".into()));
        }
        Ok(RandomFourierModel { weights, offset, gamma: input.field("gamma")?, error: input.field("error")?, certificate: None })
    }
}

/// Fitted random Fourier features.
///
/// Saved arrays: `random_weights` (components, columns), `random_offset` (components).
#[derive(Debug, Clone)]
pub struct RandomFourierModel {
    weights: Mat<f64>,
    offset: Vec<f64>,
    gamma: f64,
    error: f64,
    certificate: Option<Certificate>,
}

impl RandomFourierModel {
    /// ‖K - Z Zᵀ‖ / ‖K‖, measured on some training rows.
    pub fn approximation_error(&self) -> f64 {
        self.error
    }
}

ermine_core::display_as_report!(RandomFourierModel);

impl Model for RandomFourierModel {
    fn n_features(&self) -> usize {
        self.weights.cols()
    }
    fn as_transformer(&self) -> Option<&dyn Transformer> {
        Some(self)
    }
    fn certificate(&self) -> Option<&Certificate> {
        self.certificate.as_ref()
    }
    fn report(&self, _: &Schema) -> Report {
        let mut report = Report::default();
        report.text(format!("rbf({}) by {} random waves; error {:.3e} of its norm", self.gamma, self.offset.len(), self.error));
        report
    }
    fn save(&self, out: &mut ModelWriter) -> Result<()> {
        out.mat("random_weights", &self.weights);
        out.vec("random_offset", &self.offset);
        out.field("gamma", &self.gamma)?;
        out.field("error", &self.error)
    }
}

impl Transformer for RandomFourierModel {
    fn transform(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        let (cols, width) = (self.weights.cols(), self.offset.len());
        x.expect_cols(cols)?;
        let factor = (2.0 / width as f64).sqrt();
        let scores = ermine_math::affine::affine(x, &self.weights, &self.offset, "rff")?;
        if scores.as_slice().iter().any(|v| !v.is_finite()) {
            x.refuse_non_finite(None)?;
        }
        let view: MatRef<'_, f64> = scores.view();
        by_blocks(&Features::F64(view), width, |block, _, out| {
            let mut scratch = Vec::new();
            let rows = numbers(block, &mut scratch, "rff")?;
            for (i, new) in out.chunks_exact_mut(width).enumerate() {
                new.iter_mut().enumerate().for_each(|(j, v)| *v = factor * rows.at(i, j).cos());
            }
            Ok(())
        })
    }

    fn schema_out(&self, _: &Schema) -> Schema {
        Schema::numbers((0..self.offset.len()).map(|j| format!("rff{j}")))
    }
}
