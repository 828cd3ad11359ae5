//! Statistics of a fit besides its coefficients: deviance, dispersion, likelihood.

use ermine_core::{Error, ModelReader, ModelWriter, Result};
use ermine_math::distribution::ln_gamma;
use ermine_math::loss::Family;

#[cfg(feature = "fit")]
use super::objective::GlmOptimum;
#[cfg(feature = "fit")]
use super::target_census::TargetSums;

/// The quality of a fit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GlmSummary {
    /// Rows with a weight above 0.
    pub n_obs: f64,
    /// Independent columns, the intercept apart.
    pub df_model: f64,
    /// Rows minus fitted coefficients.
    pub df_resid: f64,
    /// Σ w d(y, mu), the unit deviances of the rows.
    pub deviance: f64,
    /// The deviance of the model without columns: an intercept if there is one, and the offset. Not a number where that gives no
    /// possible mean.
    pub null_deviance: f64,
    /// The share of the deviance that the columns explain, 1 - deviance / null deviance.
    pub d2: f64,
    /// Pearson's statistic, Σ w (y - mu)² / V(mu).
    pub pearson_chi2: f64,
    /// The dispersion, the variance in units of V(mu): 1 for counts and shares, else Pearson's statistic over `df_resid`.
    pub dispersion: f64,
    /// The log-likelihood at its maximum, also over the dispersion where that is not 1; not a number for Tweedie families, whose
    /// density has no closed form.
    pub log_likelihood: f64,
    /// 2 k - 2 log-likelihood, k the fitted coefficients with the intercept.
    pub aic: f64,
    /// k log `n_obs` - 2 log-likelihood.
    pub bic: f64,
}

impl GlmSummary {
    pub(super) const FIELDS: [&'static str; 11] = [
        "n_obs",
        "df_model",
        "df_resid",
        "deviance",
        "null_deviance",
        "d2",
        "pearson_chi2",
        "dispersion",
        "log_likelihood",
        "aic",
        "bic",
    ];

    #[cfg(feature = "fit")]
    pub(super) fn new(family: Family, intercept: bool, totals: &TargetSums, null_loss: f64, optimum: &GlmOptimum) -> Self {
        let fitted = optimum.rank as f64 + f64::from(u8::from(intercept));
        let df_resid = totals.rows - fitted;
        let null_deviance = 2.0 * (null_loss - totals.saturated);
        // A difference that is all rounding is none.
        let rounding = 1e-13 * (null_loss.abs() + totals.saturated.abs());
        let null_deviance = match null_deviance {
            // Targets that no mean inside the range fits best have a constant that comes as near as one likes.
            _ if intercept && totals.is_at_limit(family) => 0.0,
            d if !d.is_finite() => f64::NAN,
            d if d <= rounding => 0.0,
            d => d,
        };
        let log_likelihood = log_likelihood(family, totals, optimum.deviance, optimum.loss);
        Self {
            n_obs: totals.rows,
            df_model: optimum.rank as f64,
            df_resid,
            deviance: optimum.deviance,
            null_deviance,
            // Where there is nothing to explain there is no share of it.
            d2: if null_deviance > 0.0 { 1.0 - optimum.deviance / null_deviance } else { f64::NAN },
            pearson_chi2: optimum.pearson,
            dispersion: if family.has_known_dispersion() { 1.0 } else { optimum.pearson / df_resid },
            log_likelihood,
            aic: 2.0 * fitted - 2.0 * log_likelihood,
            bic: fitted * totals.rows.ln() - 2.0 * log_likelihood,
        }
    }

    pub(super) fn to_array(self) -> [f64; 11] {
        [
            self.n_obs,
            self.df_model,
            self.df_resid,
            self.deviance,
            self.null_deviance,
            self.d2,
            self.pearson_chi2,
            self.dispersion,
            self.log_likelihood,
            self.aic,
            self.bic,
        ]
    }

    pub(super) fn save(&self, out: &mut ModelWriter) {
        out.vec("summary", &self.to_array());
    }

    pub(crate) fn load(input: &ModelReader) -> Result<Self> {
        let values: Vec<f64> = input.vec_of("summary", Self::FIELDS.len())?;
        let values: [f64; 11] = values.try_into().map_err(|_| Error::Model("the summary has another length".into()))?;
        let [n_obs, df_model, df_resid, deviance, null_deviance, d2, pearson_chi2, dispersion, log_likelihood, aic, bic] = values;
        Ok(Self { n_obs, df_model, df_resid, deviance, null_deviance, d2, pearson_chi2, dispersion, log_likelihood, aic, bic })
    }
}

/// The log-likelihood at the fitted means and the dispersion that makes it largest.
///
/// Weights of the Gaussian are precisions, those of the others counts, as everywhere in this field.
#[cfg(feature = "fit")]
fn log_likelihood(family: Family, totals: &TargetSums, deviance: f64, loss: f64) -> f64 {
    let tau = std::f64::consts::TAU;
    let w = totals.weight;
    match family {
        Family::Binomial | Family::Poisson => totals.saturated_log_likelihood - 0.5 * deviance,
        Family::Gaussian => {
            let n = totals.rows;
            0.5 * (totals.log_weight - n * ((tau * deviance / n).ln() + 1.0))
        }
        Family::InverseGaussian => -0.5 * w * ((tau * deviance / w).ln() + 1.0) - 1.5 * totals.log_y,
        Family::Gamma => {
            // With shape k the row y has log-density k log(k / mu) - log Γ(k) + (k - 1) log y - k y / mu, and its loss is
            // log mu + y / mu. The sum is concave in log k.
            let at = |log_k: f64| {
                let k = log_k.exp();
                w * (k * log_k - ln_gamma(k)) + (k - 1.0) * totals.log_y - k * loss
            };
            at(maximum(at, -30.0, 30.0))
        }
        Family::Tweedie { .. } => f64::NAN,
    }
}

/// Where a function with one peak between two points has it, by golden sections.
fn maximum(f: impl Fn(f64) -> f64, mut low: f64, mut high: f64) -> f64 {
    let golden = 0.5 * (5f64.sqrt() - 1.0);
    let (mut a, mut b) = (high - golden * (high - low), low + golden * (high - low));
    let (mut fa, mut fb) = (f(a), f(b));
    for _ in 0..80 {
        if fa >= fb {
            (high, b, fb) = (b, a, fa);
            a = high - golden * (high - low);
            fa = f(a);
        } else {
            (low, a, fa) = (a, b, fb);
            b = low + golden * (high - low);
            fb = f(b);
        }
    }
    0.5 * (low + high)
}
