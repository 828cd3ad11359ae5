//! A mixture of Bernoulli distributions: columns of zeros and ones that are independent within a component.

use ermine_core::{DatasetRef, Error, Mat, Partial, Result, RngStream};
use ermine_math::loss::log_sum_exp;
use ermine_mixture::em::{Em, EmObjective};
use serde::{Deserialize, Serialize};

/// p(x) = Σₖ πₖ Πⱼ pₖⱼ^xⱼ (1 - pₖⱼ)^(1 - xⱼ), with a Beta(1 + s, 1 + s) prior on every p: s ones and s zeros count as seen before.
pub struct BernoulliMixture {
    pub smoothing: f64,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct MixtureParams {
    pub weights: Vec<f64>,
    /// The probability of a one: one row per component.
    pub ones: Mat<f64>,
}

impl MixtureParams {
    /// Equal weights, probabilities between a quarter and three quarters.
    pub fn random(components: usize, cols: usize, seed: u64) -> Self {
        let mut draws = RngStream::new(seed, "bernoulli mixture", 0);
        let ones = Mat::from_fn(components, cols, |_, _| 0.25 + 0.5 * draws.uniform());
        Self { weights: vec![1.0 / components as f64; components], ones }
    }

    /// log πₖ p(x | k) of one row.
    pub fn log_joint(&self, x: &[f64]) -> Vec<f64> {
        let cell = |(x, p): (&f64, &f64)| if *x == 1.0 { p.ln() } else { (1.0 - p).ln() };
        (0..self.weights.len()).map(|k| self.weights[k].ln() + x.iter().zip(self.ones.row(k)).map(cell).sum::<f64>()).collect()
    }
}

/// For each component the expected weight of its rows and of the ones in every column.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct BernoulliCounts {
    weight: Vec<f64>,
    ones: Mat<f64>,
    log_likelihood: f64,
    total: f64,
}

impl Partial for BernoulliCounts {
    fn merge(&mut self, other: Self) -> Result<()> {
        self.weight.iter_mut().zip(&other.weight).for_each(|(a, b)| *a += b);
        self.ones.as_mut_slice().iter_mut().zip(other.ones.as_slice()).for_each(|(a, b)| *a += b);
        self.log_likelihood += other.log_likelihood;
        self.total += other.total;
        Ok(())
    }
}

impl Em for BernoulliMixture {
    type Parameters = MixtureParams;
    type Expected = BernoulliCounts;

    fn empty(&self, at: &MixtureParams) -> BernoulliCounts {
        let (k, p) = (at.weights.len(), at.ones.cols());
        BernoulliCounts { weight: vec![0.0; k], ones: Mat::zeros(k, p), log_likelihood: 0.0, total: 0.0 }
    }

    fn expect(&self, at: &MixtureParams, counts: &mut BernoulliCounts, rows: &DatasetRef<'_>) -> Result<()> {
        let mut scratch = Vec::new();
        let x = rows.x.f64_rows(&mut scratch, "bernoulli mixture")?;
        let mut row = vec![0.0; x.cols()];
        for i in 0..x.rows() {
            x.copy_row(i, &mut row);
            if let Some(j) = row.iter().position(|v| *v != 0.0 && *v != 1.0) {
                let message = format!("{} is neither 0 nor 1", row[j]);
                return Err(Error::Row { place: format!("column {j}"), row: i, message });
            }
            let joint = at.log_joint(&row);
            let log_density = log_sum_exp(&joint);
            let w = rows.weight_of(i);
            for (k, joint) in joint.iter().enumerate() {
                let share = w * (joint - log_density).exp();
                counts.weight[k] += share;
                counts.ones.row_mut(k).iter_mut().zip(&row).for_each(|(c, x)| *c += share * x);
            }
            counts.log_likelihood += w * log_density;
            counts.total += w;
        }
        Ok(())
    }

    fn objective(&self, at: &MixtureParams, counts: &BernoulliCounts) -> EmObjective {
        let log_prior = at.ones.as_slice().iter().map(|p| self.smoothing * (p.ln() + (1.0 - p).ln())).sum();
        EmObjective { log_likelihood: counts.log_likelihood, log_prior, weight: counts.total }
    }

    fn maximize(&self, at: &MixtureParams, counts: BernoulliCounts) -> Result<MixtureParams> {
        let s = self.smoothing;
        let ones = Mat::from_fn(at.ones.rows(), at.ones.cols(), |k, j| (counts.ones[(k, j)] + s) / (counts.weight[k] + 2.0 * s));
        Ok(MixtureParams { weights: counts.weight.iter().map(|w| w / counts.total).collect(), ones })
    }
}
