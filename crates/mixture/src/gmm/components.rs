//! A mixture of Gaussians as a value: weights, means, covariances, and the densities they make.

use std::sync::{Arc, OnceLock};

use ermine_core::{Error, Features, Mat, MatRef, Result};
use ermine_math::class_moments::DiagonalGaussians;
use ermine_math::gaussians::FullGaussians;
use ermine_math::linalg::Cholesky;
use serde::{Deserialize, Serialize};

use super::CovarianceType;

/// The covariances of the components.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Covariances {
    /// Any, one per component.
    Full(Vec<Mat<f64>>),
    /// Any, one for all.
    Tied(Mat<f64>),
    /// Diagonal: one row of variances per component.
    Diag(Mat<f64>),
    /// A multiple of the identity: one variance per component.
    Spherical(Vec<f64>),
    /// A multiple of the identity: one variance for all.
    TiedSpherical(f64),
}

impl Covariances {
    /// Their form.
    pub fn kind(&self) -> CovarianceType {
        match self {
            Self::Full(_) => CovarianceType::Full,
            Self::Tied(_) => CovarianceType::Tied,
            Self::Diag(_) => CovarianceType::Diag,
            Self::Spherical(_) => CovarianceType::Spherical,
            Self::TiedSpherical(_) => CovarianceType::TiedSpherical,
        }
    }

    /// The covariance of one component, as a matrix of that many columns.
    pub fn matrix(&self, component: usize, cols: usize) -> Mat<f64> {
        let diagonal = |of: &dyn Fn(usize) -> f64| Mat::from_fn(cols, cols, |i, j| if i == j { of(i) } else { 0.0 });
        match self {
            Self::Full(all) => all[component].clone(),
            Self::Tied(one) => one.clone(),
            Self::Diag(all) => diagonal(&|j| all[(component, j)]),
            Self::Spherical(all) => diagonal(&|_| all[component]),
            Self::TiedSpherical(one) => diagonal(&|_| *one),
        }
    }

    /// The full matrices, one for each component or one for all; none where covariances are diagonal.
    fn matrices(&self) -> &[Mat<f64>] {
        match self {
            Self::Full(all) => all,
            Self::Tied(one) => std::slice::from_ref(one),
            _ => &[],
        }
    }

    /// Variances of the columns, one row per component, where covariances are diagonal.
    fn variances(&self, components: usize, cols: usize) -> Option<Mat<f64>> {
        match self {
            Self::Full(_) | Self::Tied(_) => None,
            Self::Diag(all) => Some(all.clone()),
            Self::Spherical(all) => Some(Mat::from_fn(components, cols, |c, _| all[c])),
            Self::TiedSpherical(one) => Some(Mat::from_fn(components, cols, |_, _| *one)),
        }
    }

    /// How many numbers they are.
    fn n_parameters(&self, components: usize, cols: usize) -> usize {
        let triangle = cols * (cols + 1) / 2;
        match self {
            Self::Full(_) => components * triangle,
            Self::Tied(_) => triangle,
            Self::Diag(_) => components * cols,
            Self::Spherical(_) => components,
            Self::TiedSpherical(_) => 1,
        }
    }
}

/// Σₖ πₖ N(x; μₖ, Σₖ).
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct GaussianMixture {
    weights: Vec<f64>,
    means: Mat<f64>,
    covariances: Covariances,
    /// Made on first use, and not written down.
    #[serde(skip)]
    ready: Arc<OnceLock<MixtureCache>>,
}

impl PartialEq for GaussianMixture {
    fn eq(&self, other: &Self) -> bool {
        self.weights == other.weights && self.means == other.means && self.covariances == other.covariances
    }
}

/// Factors for the densities, computed once.
#[derive(Debug)]
pub(super) struct MixtureCache {
    pub(super) kernel: GaussianKernel,
    /// The factors of full covariances, or of the one that is shared; none where they are diagonal.
    pub(super) factors: Vec<Cholesky>,
    pub(super) log_weights: Vec<f64>,
}

#[derive(Debug)]
pub(super) enum GaussianKernel {
    Full(FullGaussians),
    Diagonal(DiagonalGaussians),
}

impl GaussianKernel {
    /// ln N of all rows: component after component, a run of rows for each.
    pub(super) fn log_density(&self, x: &Features<'_>, scratch: &mut Vec<f64>, out: &mut [f64]) -> Result<()> {
        match (self, x) {
            (Self::Full(g), Features::F64(x)) => g.log_density(*x, out),
            (Self::Full(g), Features::F32(x)) => g.log_density(*x, out),
            (Self::Diagonal(g), Features::F64(x)) => g.log_density_by_class(*x, out),
            (Self::Diagonal(g), Features::F32(x)) => g.log_density_by_class(*x, out),
            (_, other) => {
                let x = ermine_core::blocks::numbers(other, scratch, "gmm")?;
                match self {
                    Self::Full(g) => g.log_density(x, out),
                    Self::Diagonal(g) => g.log_density_by_class(x, out),
                }
            }
        }
        Ok(())
    }
}

impl GaussianMixture {
    /// A mixture with the given parts; refuses covariances that are not positive definite, weights that are none, and shapes that
    /// do not fit.
    pub fn new(weights: Vec<f64>, means: Mat<f64>, covariances: Covariances) -> Result<Self> {
        let (k, p) = (weights.len(), means.cols());
        let fits = match &covariances {
            Covariances::Full(all) => all.len() == k && all.iter().all(|c| (c.rows(), c.cols()) == (p, p)),
            Covariances::Tied(one) => (one.rows(), one.cols()) == (p, p),
            Covariances::Diag(all) => (all.rows(), all.cols()) == (k, p),
            Covariances::Spherical(all) => all.len() == k,
            Covariances::TiedSpherical(_) => true,
        };
        if k == 0 || p == 0 || means.rows() != k || !fits {
            return Err(Error::Data(format!("a mixture of {k} weights with means and covariances of other shapes")));
        }
        let total: f64 = weights.iter().sum();
        if !weights.iter().all(|w| *w >= 0.0) || (total - 1.0).abs() > 1e-6 {
            return Err(Error::Data(format!("the weights of a mixture are not negative and sum to 1, and these sum to {total}")));
        }
        if !means.as_slice().iter().all(|v| v.is_finite()) {
            return Err(Error::Numeric("a mean of the mixture is not a finite number".into()));
        }
        let mixture = Self { weights, means, covariances, ready: Arc::default() };
        mixture.ready()?;
        Ok(mixture)
    }

    /// The weights of the components; they sum to 1.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// The means, one row per component.
    pub fn means(&self) -> &Mat<f64> {
        &self.means
    }

    /// The covariances.
    pub fn covariances(&self) -> &Covariances {
        &self.covariances
    }

    /// How many components there are.
    pub fn components(&self) -> usize {
        self.weights.len()
    }

    /// How many columns there are.
    pub fn cols(&self) -> usize {
        self.means.cols()
    }

    /// How many numbers describe it: means, covariances and, unless all are equal, weights.
    pub fn n_parameters(&self, equal_weights: bool) -> usize {
        let (k, p) = (self.components(), self.cols());
        k * p + self.covariances.n_parameters(k, p) + if equal_weights { 0 } else { k - 1 }
    }

    pub(super) fn ready(&self) -> Result<&MixtureCache> {
        if let Some(ready) = self.ready.get() {
            return Ok(ready);
        }
        let (k, p) = (self.components(), self.cols());
        let singular = |component: usize| {
            Error::Numeric(format!(
                "the covariance of component {component} is not positive definite: its rows lie in fewer dimensions than there are \
                 columns, or are fewer than {} in number; lower n_components, raise reg_covar or scale the columns",
                p + 1
            ))
        };
        let (kernel, factors) = match self.covariances.variances(k, p) {
            Some(variances) => {
                if let Some(c) = (0..k).find(|&c| !variances.row(c).iter().all(|v| v.is_finite() && *v > 0.0)) {
                    return Err(singular(c));
                }
                (GaussianKernel::Diagonal(DiagonalGaussians::new(self.means.view(), variances.view())), Vec::new())
            }
            None => {
                let factor = |(c, m): (usize, &Mat<f64>)| Cholesky::new(m.view()).map_err(|_| singular(c));
                let factors = self.covariances.matrices().iter().enumerate().map(factor).collect::<Result<Vec<_>>>()?;
                (GaussianKernel::Full(FullGaussians::new(self.means.view(), &factors)), factors)
            }
        };
        let log_weights = self.weights.iter().map(|w| w.ln()).collect();
        Ok(self.ready.get_or_init(|| MixtureCache { kernel, factors, log_weights }))
    }

    /// ln πₖ N(x; μₖ, Σₖ) of complete rows: component after component, a run of rows for each.
    pub(super) fn log_joint(&self, x: &Features<'_>, scratch: &mut Vec<f64>, out: &mut [f64]) -> Result<()> {
        let ready = self.ready()?;
        ready.kernel.log_density(x, scratch, out)?;
        let rows = x.rows();
        if rows > 0 {
            for (run, w) in out.chunks_exact_mut(rows).zip(&ready.log_weights) {
                run.iter_mut().for_each(|v| *v += w);
            }
        }
        Ok(())
    }

    /// The conditional distribution of the missing cells for each component, given the columns `seen`.
    pub(super) fn conditional_on(&self, seen: &[usize], missing: &[usize]) -> Result<ConditionalGaussian> {
        let (k, p) = (self.components(), self.cols());
        let means = Mat::from_fn(k, seen.len(), |c, j| self.means[(c, seen[j])]);
        let part =
            |m: &Mat<f64>, rows: &[usize], cols: &[usize]| Mat::from_fn(rows.len(), cols.len(), |i, j| m[(rows[i], cols[j])]);
        if let Some(variances) = self.covariances.variances(k, p) {
            let of_seen = Mat::from_fn(k, seen.len(), |c, j| variances[(c, seen[j])]);
            let marginal = GaussianKernel::Diagonal(DiagonalGaussians::new(means.view(), of_seen.view()));
            let spread = (0..k)
                .map(|c| Mat::from_fn(missing.len(), missing.len(), |i, j| if i == j { variances[(c, missing[i])] } else { 0.0 }))
                .collect();
            return Ok(ConditionalGaussian { marginal, slopes: Vec::new(), spread });
        }
        let (mut factors, mut slopes, mut spread) = (Vec::new(), Vec::new(), Vec::new());
        for m in self.covariances.matrices() {
            let factor = Cholesky::new(part(m, seen, seen).view())?;
            // B = Σₘₛ Σₛₛ⁻¹, the slopes of the missing on the seen; what it leaves is Σₘₘ - B Σₛₘ.
            let mut solved = part(m, seen, missing);
            factor.solve(&mut solved);
            let left = Mat::from_fn(missing.len(), missing.len(), |i, j| {
                let explained: f64 = (0..seen.len()).map(|s| m[(missing[i], seen[s])] * solved[(s, j)]).sum();
                m[(missing[i], missing[j])] - explained
            });
            factors.push(factor);
            slopes.push(Mat::from_fn(missing.len(), seen.len(), |i, s| solved[(s, i)]));
            spread.push(left);
        }
        Ok(ConditionalGaussian { marginal: GaussianKernel::Full(FullGaussians::new(means.view(), &factors)), slopes, spread })
    }
}

impl GaussianMixture {
    /// Rows that all lack the same cells: what is known of these given the seen ones, the seen cells, and ln πₖ N(seen; μₖ, Σₖ), component
    /// after component.
    pub(super) fn joint_of_seen(
        &self,
        known: &Mat<f64>,
        seen: &[usize],
        missing: &[usize],
    ) -> Result<(ConditionalGaussian, Vec<f64>)> {
        let n = known.rows();
        let conditional = self.conditional_on(seen, missing)?;
        let mut joint = vec![0.0; n * self.components()];
        conditional.marginal.log_density(&Features::F64(known.view()), &mut Vec::new(), &mut joint)?;
        for (run, w) in joint.chunks_exact_mut(n).zip(self.weights()) {
            run.iter_mut().for_each(|v| *v += w.ln());
        }
        Ok((conditional, joint))
    }
}

/// The distribution of the missing cells of a row given the seen ones, for each component.
pub(super) struct ConditionalGaussian {
    /// The density of the seen cells.
    marginal: GaussianKernel,
    /// For each component (or for all) the slopes of the missing cells on the seen ones; none where all are 0.
    slopes: Vec<Mat<f64>>,
    /// For each component (or for all) the covariance that is left.
    spread: Vec<Mat<f64>>,
}

impl ConditionalGaussian {
    /// The expected missing cells of a row whose seen cells are `x`, under one component.
    pub(super) fn conditional_mean(
        &self,
        mixture: &GaussianMixture,
        component: usize,
        seen: &[usize],
        x: &[f64],
        missing: &[usize],
        out: &mut [f64],
    ) {
        let mean = mixture.means.row(component);
        for (i, (&m, out)) in missing.iter().zip(out).enumerate() {
            *out = mean[m];
            if let Some(slopes) = self.slopes.get(component.min(self.slopes.len().saturating_sub(1))) {
                *out += slopes.row(i).iter().zip(seen).zip(x).map(|((b, &s), x)| b * (x - mean[s])).sum::<f64>();
            }
        }
    }

    /// The covariance of the missing cells given the seen ones, under one component.
    pub(super) fn conditional_covariance(&self, component: usize) -> &Mat<f64> {
        &self.spread[component.min(self.spread.len() - 1)]
    }
}

/// Rows of a block, by which cells they lack: the pattern, then the rows that have it. Patterns come in a fixed order.
pub(super) fn by_pattern(x: MatRef<'_, f64>, rows: &[usize]) -> std::collections::BTreeMap<Vec<bool>, Vec<usize>> {
    let mut groups: std::collections::BTreeMap<Vec<bool>, Vec<usize>> = Default::default();
    for &i in rows {
        let pattern = (0..x.cols()).map(|j| x.at(i, j).is_nan()).collect();
        groups.entry(pattern).or_default().push(i);
    }
    groups
}
