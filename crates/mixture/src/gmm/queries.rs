//! Queries of a fitted mixture: densities, posteriors, imputation of missing cells, and random rows.

use ermine_core::*;
use ermine_math::loss::posterior_block;

use super::components::{GaussianMixture, by_pattern};
use super::{Covariances, GmmModel};
use ermine_core::blocks::{by_blocks, numbers};

impl GaussianMixture {
    /// Posteriors of the components, row-major, and log densities of a block of rows. Missing cells (NaN) are integrated over: a row
    /// is judged by the cells it has.
    fn posterior_and_density(&self, x: &Features<'_>) -> Result<(Vec<f64>, Vec<f64>)> {
        let (rows, k) = (x.rows(), self.components());
        let mut joint = vec![0.0; rows * k];
        let mut totals = vec![0.0; rows];
        self.log_joint(x, &mut Vec::new(), &mut joint)?;
        posterior_block(&mut joint, &mut totals);
        let odd: Vec<usize> = (0..rows).filter(|&i| !totals[i].is_finite()).collect();
        let mut shares = vec![0.0; rows * k];
        for (c, run) in joint.chunks_exact(rows.max(1)).enumerate() {
            run.iter().enumerate().for_each(|(i, v)| shares[i * k + c] = *v);
        }
        if !odd.is_empty() {
            let mut scratch = Vec::new();
            let all = numbers(x, &mut scratch, "gmm")?;
            for (pattern, own) in by_pattern(all, &odd) {
                self.posterior_and_density_missing(all, &pattern, &own, &mut shares, &mut totals)?;
            }
        }
        Ok((shares, totals))
    }

    /// [`GaussianMixture::posterior_and_density`] for rows that all lack the same cells, or lack none and are very far away.
    fn posterior_and_density_missing(
        &self,
        all: MatRef<'_, f64>,
        pattern: &[bool],
        own: &[usize],
        shares: &mut [f64],
        totals: &mut [f64],
    ) -> Result<()> {
        let (n, k) = (own.len(), self.components());
        let (missing, seen): (Vec<usize>, Vec<usize>) = (0..all.cols()).partition(|&j| pattern[j]);
        if seen.is_empty() {
            // Of a row without cells, nothing is known but the weights; the density of nothing is 1.
            for &i in own {
                shares[i * k..(i + 1) * k].copy_from_slice(self.weights());
                totals[i] = 0.0;
            }
            return Ok(());
        }
        let known = Mat::from_fn(n, seen.len(), |i, j| *all.at(own[i], seen[j]));
        if let Some((i, j)) =
            (0..n).flat_map(|i| (0..seen.len()).map(move |j| (i, j))).find(|&(i, j)| known[(i, j)].is_infinite())
        {
            let value = if known[(i, j)] > 0.0 { "infinity" } else { "-infinity" }.to_owned();
            return Err(Error::NotFinite { column: seen[j].to_string(), row: own[i], value });
        }
        // Rows that lack no cell are here because all their densities vanish.
        let (mut joint, mut log_density) = (Vec::new(), vec![f64::NEG_INFINITY; n]);
        if !missing.is_empty() {
            joint = self.joint_of_seen(&known, &seen, &missing)?.1;
            posterior_block(&mut joint, &mut log_density);
        }
        for (at, &i) in own.iter().enumerate() {
            totals[i] = log_density[at];
            let shares = &mut shares[i * k..(i + 1) * k];
            if log_density[at].is_finite() {
                (0..k).for_each(|c| shares[c] = joint[c * n + at]);
            } else {
                // So far away that all densities vanish: the nearest component in standard deviations takes it.
                shares.fill(0.0);
                shares[self.nearest(&seen, known.row(at))?.0] = 1.0;
            }
        }
        Ok(())
    }

    /// The nearest possible component of a row whose squared distances overflow, and how far it is in standard deviations, in a unit
    /// that does not overflow.
    fn nearest(&self, seen: &[usize], x: &[f64]) -> Result<(usize, f64)> {
        const SMALL: f64 = f64::from_bits((1023 - 600) << 52);
        let distance = |c: usize| -> Result<f64> {
            let covariance = self.covariances().matrix(c, self.cols());
            let own = Mat::from_fn(seen.len(), seen.len(), |i, j| covariance[(seen[i], seen[j])]);
            let factor = ermine_math::linalg::Cholesky::new(own.view())?;
            let d = |(x, &s): (&f64, &usize)| x * SMALL - self.means()[(c, s)] * SMALL;
            let mut d = Mat::from_vec(seen.len(), 1, x.iter().zip(seen).map(d).collect());
            factor.solve_lower(&mut d);
            Ok(d.as_slice().iter().map(|v| v.abs()).fold(0.0, f64::max))
        };
        let mut best = (0, f64::INFINITY);
        for c in (0..self.components()).filter(|&c| self.weights()[c] > 0.0) {
            let d = distance(c)?;
            if d < best.1 {
                best = (c, d);
            }
        }
        Ok(best)
    }

    /// The distance of one row to the nearest component, in the unit of [`GaussianMixture::nearest`].
    pub(crate) fn distance(&self, row: &Features<'_>) -> Result<f64> {
        let mut scratch = Vec::new();
        let x = numbers(row, &mut scratch, "gmm")?;
        let seen: Vec<usize> = (0..x.cols()).filter(|&j| !x.at(0, j).is_nan()).collect();
        let cells: Vec<f64> = seen.iter().map(|&j| *x.at(0, j)).collect();
        Ok(self.nearest(&seen, &cells)?.1)
    }

    /// Log densities of a block of rows, on the calling thread.
    pub(crate) fn log_density_here(&self, block: &Features<'_>) -> Result<Vec<f64>> {
        Ok(self.posterior_and_density(block)?.1)
    }

    /// Log densities of rows.
    pub fn log_density(&self, x: &Features<'_>) -> Result<Vec<f64>> {
        x.expect_cols(self.cols())?;
        let log_density = by_blocks(x, 1, |block, _, out| {
            out.copy_from_slice(&self.posterior_and_density(block)?.1);
            Ok(())
        })?;
        Ok(log_density.into_vec())
    }

    /// Posterior probabilities of the components: one column per component; rows sum to 1.
    pub fn posterior(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        x.expect_cols(self.cols())?;
        by_blocks(x, self.components(), |block, _, out| {
            out.copy_from_slice(&self.posterior_and_density(block)?.0);
            Ok(())
        })
    }

    /// The rows with their missing cells (NaN) filled in by what is expected of them given the others: Σₖ p(k | seen) (μₖ + Bₖ (seen -
    /// μₖ)). Cells that are there stay as they are.
    pub fn impute(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        x.expect_cols(self.cols())?;
        let (k, p) = (self.components(), self.cols());
        by_blocks(x, p, |block, _, out| {
            let mut scratch = Vec::new();
            let all = numbers(block, &mut scratch, "gmm")?;
            (0..all.rows()).for_each(|i| (0..p).for_each(|j| out[i * p + j] = *all.at(i, j)));
            let lacking: Vec<usize> = (0..all.rows()).filter(|&i| (0..p).any(|j| all.at(i, j).is_nan())).collect();
            if lacking.is_empty() {
                return block.refuse_non_finite(None);
            }
            let (shares, _) = self.posterior_and_density(block)?;
            for (pattern, own) in by_pattern(all, &lacking) {
                let (missing, seen): (Vec<usize>, Vec<usize>) = (0..p).partition(|&j| pattern[j]);
                let conditional = if seen.is_empty() { None } else { Some(self.conditional_on(&seen, &missing)?) };
                let mut cells = vec![0.0; missing.len()];
                for &i in &own {
                    let known: Vec<f64> = seen.iter().map(|&j| *all.at(i, j)).collect();
                    missing.iter().for_each(|&m| out[i * p + m] = 0.0);
                    for c in (0..k).filter(|c| shares[i * k + c] > 0.0) {
                        match &conditional {
                            Some(conditional) => conditional.conditional_mean(self, c, &seen, &known, &missing, &mut cells),
                            None => cells.copy_from_slice(self.means().row(c)),
                        }
                        missing.iter().zip(&cells).for_each(|(&m, v)| out[i * p + m] += shares[i * k + c] * v);
                    }
                }
            }
            Ok(())
        })
    }

    /// Rows drawn from the mixture and the components they come from, component after component.
    pub fn sample(&self, rows: usize, seed: u64) -> Result<(Mat<f64>, Vec<u32>)> {
        let mut draws = RngStream::new(seed, "gmm sample", 0);
        let p = self.cols();
        let mut labels: Vec<u32> = (0..rows).map(|_| draws.weighted(self.weights()) as u32).collect();
        labels.sort_unstable();
        let factors = &self.ready()?.factors;
        let mut out = Mat::zeros(rows, p);
        let mut z = vec![0.0; p];
        for (i, &c) in labels.iter().enumerate() {
            let c = c as usize;
            z.iter_mut().for_each(|z| *z = draws.normal());
            let mean = self.means().row(c);
            for j in 0..p {
                let spread = match self.covariances() {
                    Covariances::Full(_) | Covariances::Tied(_) => {
                        let factor = factors[c.min(factors.len() - 1)].factor();
                        factor.row(j)[..=j].iter().zip(&z).map(|(l, z)| l * z).sum()
                    }
                    Covariances::Diag(all) => all[(c, j)].sqrt() * z[j],
                    Covariances::Spherical(all) => all[c].sqrt() * z[j],
                    Covariances::TiedSpherical(one) => one.sqrt() * z[j],
                };
                out[(i, j)] = mean[j] + spread;
            }
        }
        Ok((out, labels))
    }
}

impl GmmModel {
    /// Posterior probabilities of the components: one column per component; rows sum to 1.
    pub fn posterior(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        self.mixture.posterior(x)
    }

    /// The rows with their missing cells (NaN) filled in by their conditional means; cells that are there stay as they are.
    pub fn impute(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        self.mixture.impute(x)
    }
}

impl Clusterer for GmmModel {
    fn n_clusters(&self) -> usize {
        self.mixture.components()
    }

    /// The most probable component of each row; the first of several.
    fn assign(&self, x: &Features<'_>) -> Result<Vec<u32>> {
        Ok(argmax_rows(self.posterior(x)?.view()))
    }
}

impl Density for GmmModel {
    fn log_density(&self, x: &Features<'_>) -> Result<Vec<f64>> {
        self.mixture.log_density(x)
    }

    fn n_parameters(&self) -> usize {
        self.mixture.n_parameters(self.equal_weights)
    }

    fn sample(&self, rows: usize, seed: u64) -> Result<Option<Mat<f64>>> {
        Ok(Some(self.mixture.sample(rows, seed)?.0))
    }
}
