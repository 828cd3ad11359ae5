//! The M step: weights, means and covariances in closed form.

use ermine_core::{Mat, Result};
use ermine_math::linalg::{Cholesky, eigen_graded};
use serde::{Deserialize, Serialize};

use super::components::{Covariances, GaussianMixture};
use super::e_step::{GmmExpectation, GmmSums};
use super::{CovarianceRegularization, CovarianceType, GaussianEm};

/// A Wishart prior on the precisions: density of Σ ∝ |Σ|^(-(ν + p + 1)/2) exp(-½ tr(S Σ⁻¹)), see [`ermine_math::prior::Wishart`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct WishartPrior {
    pub(super) df: f64,
    pub(super) scatter: Mat<f64>,
}

impl WishartPrior {
    /// Rows that it counts as: the divisor of the most probable covariance, less the rows there are.
    fn rows(&self) -> f64 {
        self.df + self.scatter.cols() as f64 + 1.0
    }
}

/// Weight, mean and scatter of the rows of one component.
#[derive(Clone)]
pub(super) struct ComponentStats {
    pub(super) weight: f64,
    pub(super) mean: Vec<f64>,
    /// A matrix, or its diagonal as one row.
    pub(super) scatter: Mat<f64>,
}

impl GmmExpectation {
    /// The rows of each component, with what missing cells are expected to add.
    fn groups(&self) -> Vec<ComponentStats> {
        let spread = |c: usize, i: usize, j: usize| self.spread.get(c).map_or(0.0, |m| m[(i, j)]);
        match &self.sums {
            GmmSums::Full(all) => (all.iter().enumerate())
                .map(|(c, m)| {
                    let mut scatter = m.scatter();
                    if !self.spread.is_empty() {
                        let p = scatter.cols();
                        (0..p).for_each(|i| (0..p).for_each(|j| scatter[(i, j)] += spread(c, i, j)));
                    }
                    ComponentStats { weight: m.weight(), mean: m.mean().to_vec(), scatter }
                })
                .collect(),
            GmmSums::Diagonal(all) => (0..all.weight().len())
                .map(|c| {
                    let squares = all.squares().row(c);
                    let scatter = Mat::from_fn(1, squares.len(), |_, j| squares[j] + spread(c, j, j));
                    ComponentStats { weight: all.weight()[c], mean: all.mean().row(c).to_vec(), scatter }
                })
                .collect(),
        }
    }

    /// The weight of the rows of each component.
    pub(super) fn sizes(&self) -> Vec<f64> {
        match &self.sums {
            GmmSums::Full(all) => all.iter().map(|m| m.weight()).collect(),
            GmmSums::Diagonal(all) => all.weight().to_vec(),
        }
    }
}

impl GaussianEm {
    /// The most likely (or, with a prior, most probable) parameters. A component without rows keeps the mean and the covariance that
    /// it had, with weight 0; at the start, where it had none, it takes those of all rows and of the other components together.
    pub(super) fn estimate(&self, at: Option<&GaussianMixture>, sums: GmmExpectation) -> Result<GaussianMixture> {
        let mut groups = sums.groups();
        let (k, p) = (groups.len(), groups[0].mean.len());
        let total: f64 = groups.iter().map(|g| g.weight).sum();
        let weights = match self.equal_weights {
            true => vec![1.0 / k as f64; k],
            false => groups.iter().map(|g| g.weight / total).collect(),
        };
        let within = pooled(&groups);
        if at.is_none() && self.prior.is_none() {
            let mean: Vec<f64> = (0..p).map(|j| groups.iter().map(|g| g.weight * g.mean[j]).sum::<f64>() / total).collect();
            for group in groups.iter_mut().filter(|g| g.weight == 0.0) {
                *group = ComponentStats { weight: total, mean: mean.clone(), scatter: within.clone() };
            }
        }
        let means = Mat::from_fn(k, p, |c, j| match (groups[c].weight > 0.0, at) {
            (false, Some(at)) => at.means()[(c, j)],
            _ => groups[c].mean[j],
        });
        // The prior defines the covariance of no rows; without one it stays unchanged.
        let old =
            |c: usize| at.filter(|_| groups[c].weight == 0.0 && self.prior.is_none()).map(|at| at.covariances().matrix(c, p));
        let covariances = self.covariances(&groups, (&within, total), old)?;
        GaussianMixture::new(weights, means, covariances)
    }

    /// The covariances of groups of rows. `within` is the scatter within all of them and its weight, `old` gives the covariance of a
    /// group that keeps the one it had.
    pub(super) fn covariances(
        &self,
        groups: &[ComponentStats],
        (within, total): (&Mat<f64>, f64),
        old: impl Fn(usize) -> Option<Mat<f64>>,
    ) -> Result<Covariances> {
        let (k, p) = (groups.len(), groups[0].mean.len());
        let mean_variance =
            |scatter: &Mat<f64>, weight: f64| self.variance(scatter.row(0).iter().sum(), trace, weight, p as f64, self.unit[0]);
        Ok(match self.covariance_type {
            CovarianceType::Full => {
                let one = |c: usize| old(c).map_or_else(|| self.full(&groups[c].scatter, groups[c].weight), Ok);
                Covariances::Full((0..k).map(one).collect::<Result<_>>()?)
            }
            CovarianceType::Tied => Covariances::Tied(self.full(within, total)?),
            CovarianceType::Diag => {
                let one = |c: usize, j: usize| match old(c) {
                    Some(old) => old[(j, j)],
                    None => self.variance(groups[c].scatter[(0, j)], |s| s[(j, j)], groups[c].weight, 1.0, self.unit[j]),
                };
                Covariances::Diag(Mat::from_fn(k, p, one))
            }
            CovarianceType::Spherical => {
                let one = |c: usize| match old(c) {
                    Some(old) => trace(&old) / p as f64,
                    None => mean_variance(&groups[c].scatter, groups[c].weight),
                };
                Covariances::Spherical((0..k).map(one).collect())
            }
            CovarianceType::TiedSpherical => Covariances::TiedSpherical(mean_variance(within, total)),
        })
    }

    /// A covariance from a scatter matrix.
    fn full(&self, scatter: &Mat<f64>, weight: f64) -> Result<Mat<f64>> {
        let p = scatter.cols();
        let divisor = weight + self.prior.as_ref().map_or(0.0, WishartPrior::rows);
        let prior = |i: usize, j: usize| self.prior.as_ref().map_or(0.0, |prior| prior.scatter[(i, j)]);
        let mut m = Mat::from_fn(p, p, |i, j| (scatter[(i, j)] + prior(i, j)) / divisor);
        match self.regularize {
            // Every row brings its noise; the rows of the prior bring none.
            CovarianceRegularization::Add => (0..p).for_each(|j| m[(j, j)] += self.reg_covar * weight / divisor),
            CovarianceRegularization::Floor => floor_eigenvalues(&mut m, self.reg_covar)?,
            CovarianceRegularization::Relative => {
                let u = &self.unit;
                (0..p).for_each(|i| (0..p).for_each(|j| m[(i, j)] /= u[i] * u[j]));
                floor_eigenvalues(&mut m, self.reg_covar)?;
                (0..p).for_each(|i| (0..p).for_each(|j| m[(i, j)] *= u[i] * u[j]));
            }
        }
        Ok(m)
    }

    /// A variance from a sum of squares over `cells` columns of a unit.
    fn variance(&self, squares: f64, prior: impl Fn(&Mat<f64>) -> f64, weight: f64, cells: f64, unit: f64) -> f64 {
        let (more, rows) = self.prior.as_ref().map_or((0.0, 0.0), |p| (prior(&p.scatter), p.rows()));
        let v = (squares + more) / (cells * (weight + rows));
        match self.regularize {
            CovarianceRegularization::Add => v + self.reg_covar * weight / (weight + rows),
            CovarianceRegularization::Floor => v.max(self.reg_covar),
            CovarianceRegularization::Relative => v.max(self.reg_covar * unit * unit),
        }
    }

    /// ½ ν² tr Σ⁻¹ for each component, where ν² is added to the covariances: what EM climbs is then the expected likelihood of the rows
    /// with noise of variance ν² on every cell. Empty where nothing is added.
    pub(super) fn penalties(&self, at: &GaussianMixture) -> Result<Vec<f64>> {
        if self.regularize != CovarianceRegularization::Add || self.reg_covar == 0.0 {
            return Ok(Vec::new());
        }
        let (k, p, half) = (at.components(), at.cols(), 0.5 * self.reg_covar);
        let inverse_trace = |v: &[f64]| half * v.iter().map(|v| 1.0 / v).sum::<f64>();
        Ok(match at.covariances() {
            Covariances::Full(_) | Covariances::Tied(_) => {
                let of: Vec<f64> = at.ready()?.factors.iter().map(|f| half * f.inverse_diagonal().iter().sum::<f64>()).collect();
                (0..k).map(|c| of[c.min(of.len() - 1)]).collect()
            }
            Covariances::Diag(all) => (0..k).map(|c| inverse_trace(all.row(c))).collect(),
            Covariances::Spherical(all) => all.iter().map(|v| half * p as f64 / v).collect(),
            Covariances::TiedSpherical(v) => vec![half * p as f64 / v; k],
        })
    }

    /// The logarithm of the prior density of the covariances, up to a constant.
    pub(super) fn log_prior(&self, at: &GaussianMixture) -> f64 {
        let Some(prior) = &self.prior else { return 0.0 };
        let (k, p) = (at.components(), at.cols());
        let one = |log_determinant: f64, trace: f64| -0.5 * (prior.rows() * log_determinant + trace);
        let diagonal =
            |v: &dyn Fn(usize) -> f64| one((0..p).map(|j| v(j).ln()).sum(), (0..p).map(|j| prior.scatter[(j, j)] / v(j)).sum());
        match at.covariances() {
            Covariances::Full(_) | Covariances::Tied(_) => {
                let Ok(ready) = at.ready() else { return f64::NEG_INFINITY };
                let of = |f: &Cholesky| {
                    let mut solved = prior.scatter.clone();
                    f.solve(&mut solved);
                    one(f.log_determinant(), (0..p).map(|j| solved[(j, j)]).sum())
                };
                ready.factors.iter().map(of).sum()
            }
            Covariances::Diag(all) => (0..k).map(|c| diagonal(&|j| all[(c, j)])).sum(),
            Covariances::Spherical(all) => all.iter().map(|v| diagonal(&|_| *v)).sum(),
            Covariances::TiedSpherical(v) => diagonal(&|_| *v),
        }
    }
}

fn trace(m: &Mat<f64>) -> f64 {
    (0..m.cols()).map(|j| m[(j, j)]).sum()
}

/// The scatter within all components together.
fn pooled(groups: &[ComponentStats]) -> Mat<f64> {
    let mut all = groups[0].scatter.clone();
    for g in &groups[1..] {
        all.as_mut_slice().iter_mut().zip(g.scatter.as_slice()).for_each(|(a, b)| *a += b);
    }
    all
}

/// Raises the eigenvalues of a covariance that are below `floor` to it: the most likely covariance of all that are nowhere narrower. One
/// that is wide enough stays as it is.
fn floor_eigenvalues(m: &mut Mat<f64>, floor: f64) -> Result<()> {
    let p = m.cols();
    if floor == 0.0 {
        return Ok(());
    }
    let above = Mat::from_fn(p, p, |i, j| m[(i, j)] - if i == j { floor } else { 0.0 });
    if Cholesky::new(above.view()).is_ok() {
        return Ok(());
    }
    let spectrum = eigen_graded(m.view())?;
    for (value, vector) in spectrum.values.iter().enumerate().map(|(k, v)| (*v, spectrum.vectors.row(k))) {
        if value < floor {
            for i in 0..p {
                for j in 0..p {
                    m[(i, j)] += (floor - value) * vector[i] * vector[j];
                }
            }
        }
    }
    Ok(())
}
