//! Statistical inference of a least-squares fit: standard errors, tests, intervals and the quality of the fit.

use ermine_core::{Cell, ColumnMeaning, Error, Mat, ModelReader, ModelWriter, Report, Result, Schema};
use ermine_math::distribution::{FisherF, Normal, StudentT};

#[cfg(feature = "fit")]
use super::least_squares::LeastSquaresSolution;
use super::least_squares::ResidualCheck;
use ermine_math::scale::ldexp;

/// Default probability that an interval covers the coefficient.
pub(super) const CONFIDENCE: f64 = 0.95;

/// Quality of the fit of one target.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FitStatistics {
    /// Rows with a weight above 0.
    pub n_obs: f64,
    /// Independent columns, the intercept apart.
    pub df_model: f64,
    /// Rows minus fitted parameters.
    pub df_resid: f64,
    /// Residual sum of squares, weighted.
    pub rss: f64,
    /// Standard deviation of the residuals, for a row of weight 1: √(rss / spare).
    pub residual_sd: f64,
    /// Share of the variation that the fit explains, about the mean with an intercept and about zero without.
    pub r2: f64,
    /// The same with variances in place of sums.
    pub adj_r2: f64,
    /// F statistic of all columns together.
    pub f_stat: f64,
    /// Its p-value.
    pub f_p_value: f64,
    /// Log-likelihood of normal errors at the fitted coefficients, with variance rss / n_obs for weight 1.
    pub log_likelihood: f64,
    /// 2 k - 2 log-likelihood, k the fitted coefficients with the intercept.
    pub aic: f64,
    /// k ln n_obs - 2 log-likelihood.
    pub bic: f64,
}

impl FitStatistics {
    const FIELDS: [&'static str; 12] = [
        "n_obs",
        "df_model",
        "df_resid",
        "rss",
        "residual_sd",
        "r2",
        "adj_r2",
        "f_stat",
        "f_p_value",
        "log_likelihood",
        "aic",
        "bic",
    ];

    fn to_array(self) -> [f64; 12] {
        [
            self.n_obs,
            self.df_model,
            self.df_resid,
            self.rss,
            self.residual_sd,
            self.r2,
            self.adj_r2,
            self.f_stat,
            self.f_p_value,
            self.log_likelihood,
            self.aic,
            self.bic,
        ]
    }

    fn from_array(v: [f64; 12]) -> Self {
        let [n_obs, df_model, df_resid, rss, residual_sd, r2, adj_r2, f_stat, f_p_value, log_likelihood, aic, bic] = v;
        Self { n_obs, df_model, df_resid, rss, residual_sd, r2, adj_r2, f_stat, f_p_value, log_likelihood, aic, bic }
    }

    /// The quality of the fit of target `k`. Degrees of freedom count rows, not weights: weights are taken as inverse variances.
    #[cfg(feature = "fit")]
    fn new(solution: &LeastSquaresSolution, k: usize, fit_intercept: bool) -> Self {
        let n = solution.rows as f64;
        let df_model = solution.rank as f64;
        let fitted = df_model + f64::from(u8::from(fit_intercept));
        let df_resid = (n - fitted).max(0.0);
        // Without rows to spare there is no variance to estimate.
        let spare = if df_resid > 0.0 { df_resid } else { f64::NAN };
        let (rss, tss, exponent) = (solution.rss[k], solution.tss[k], solution.exponent[k]);
        let df_total = n - f64::from(u8::from(fit_intercept));
        let f_stat = ((tss - rss) / df_model) / (rss / spare);
        // rss is in units of 4^-exponent; the logarithm takes them back.
        let log_likelihood = 0.5 * solution.log_weight
            - 0.5 * n * ((std::f64::consts::TAU * rss / n).ln() + 1.0 - 2.0 * f64::from(exponent) * std::f64::consts::LN_2);
        Self {
            n_obs: n,
            df_model,
            df_resid,
            rss: ldexp(rss, -2 * exponent),
            residual_sd: ldexp((rss / spare).sqrt(), -exponent),
            r2: 1.0 - rss / tss,
            adj_r2: 1.0 - (rss / spare) / (tss / df_total),
            f_stat,
            f_p_value: FisherF { df1: df_model, df2: df_resid }.sf(f_stat),
            log_likelihood,
            aic: 2.0 * fitted - 2.0 * log_likelihood,
            bic: fitted * n.ln() - 2.0 * log_likelihood,
        }
    }
}

/// Errors, tests and intervals of coefficients: one row per target, the intercept first (NaN where there is none, and for a constant
/// column).
#[derive(Debug, Clone, PartialEq)]
pub struct Inference {
    /// Standard errors.
    pub std_err: Mat<f64>,
    /// Coefficient over standard error.
    pub t_value: Mat<f64>,
    /// Probability of a t value further from 0, were the coefficient 0.
    pub p_value: Mat<f64>,
    /// Lower ends of the confidence intervals.
    pub conf_low: Mat<f64>,
    /// Upper ends of the confidence intervals.
    pub conf_high: Mat<f64>,
}

impl Inference {
    const ARRAYS: [&'static str; 5] = ["std_err", "t_value", "p_value", "conf_low", "conf_high"];

    fn arrays(&self) -> [&Mat<f64>; 5] {
        [&self.std_err, &self.t_value, &self.p_value, &self.conf_low, &self.conf_high]
    }

    #[cfg(feature = "fit")]
    fn new(solution: &LeastSquaresSolution, fit_intercept: bool, confidence: f64) -> Option<Self> {
        let unit = solution.unit_error.as_ref()?;
        let (t, width) = (unit.rows(), unit.cols());
        let df = solution.rows as f64 - solution.rank as f64 - f64::from(u8::from(fit_intercept));
        if df <= 0.0 {
            return None;
        }
        // The standard errors include the power of two of the target.
        let sd: Vec<f64> = solution.rss.iter().map(|rss| (rss / df).sqrt()).collect();
        let value = |k: usize, j: usize| if j == 0 { solution.intercept[k] } else { solution.coef[(k, j - 1)] };
        Some(Self::of(&Mat::from_fn(t, width, value), Mat::from_fn(t, width, |k, j| sd[k] * unit[(k, j)]), Some(df), confidence))
    }

    /// Tests and intervals of values with their standard errors: by Student's t with `df` degrees of freedom, by the normal
    /// without.
    pub(super) fn of(value: &Mat<f64>, std_err: Mat<f64>, df: Option<f64>, confidence: f64) -> Self {
        let (t, width, tail) = (value.rows(), value.cols(), 0.5 * (1.0 - confidence));
        let margin = df.map_or_else(|| Normal.isf(tail), |df| StudentT { df }.isf(tail));
        let two_sided = |v: f64| df.map_or_else(|| 2.0 * Normal.sf(v.abs()), |df| StudentT { df }.two_sided(v));
        let t_value = Mat::from_fn(t, width, |k, j| value[(k, j)] / std_err[(k, j)]);
        Self {
            p_value: Mat::from_fn(t, width, |k, j| two_sided(t_value[(k, j)])),
            conf_low: Mat::from_fn(t, width, |k, j| value[(k, j)] - margin * std_err[(k, j)]),
            conf_high: Mat::from_fn(t, width, |k, j| value[(k, j)] + margin * std_err[(k, j)]),
            std_err,
            t_value,
        }
    }

    /// The numbers of a coefficient as cells of a table, empty where there is none.
    pub(super) fn cells(&self, target: usize, at: usize) -> [Cell; 5] {
        self.arrays().map(|m| if m[(target, at)].is_nan() { Cell::Empty } else { m[(target, at)].into() })
    }

    pub(super) fn save(&self, out: &mut ModelWriter) {
        for (name, m) in Self::ARRAYS.iter().zip(self.arrays()) {
            out.mat(name, m);
        }
    }

    /// Reads what [`Inference::save`] wrote, if it did.
    pub(super) fn load(input: &ModelReader, targets: usize, cols: usize) -> Result<Option<Self>> {
        if input.array_info("std_err").is_none() {
            return Ok(None);
        }
        let read = |name: &str| input.mat_of::<f64>(name, targets, cols + 1);
        let [std_err, t_value, p_value, conf_low, conf_high] = Self::ARRAYS.map(read);
        let (conf_low, conf_high) = (conf_low?, conf_high?);
        Ok(Some(Self { std_err: std_err?, t_value: t_value?, p_value: p_value?, conf_low, conf_high }))
    }
}

/// All statistics of a fit besides its coefficients.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct FitEvidence {
    pub summary: Vec<FitStatistics>,
    pub inference: Option<Inference>,
    /// Probability that an interval covers the coefficient.
    pub confidence: f64,
    pub checks: Option<Vec<ResidualCheck>>,
}

impl FitEvidence {
    #[cfg(feature = "fit")]
    pub fn new(solution: &LeastSquaresSolution, fit_intercept: bool, confidence: f64) -> Self {
        Self {
            summary: (0..solution.rss.len()).map(|k| FitStatistics::new(solution, k, fit_intercept)).collect(),
            inference: Inference::new(solution, fit_intercept, confidence),
            confidence,
            checks: solution.checks.clone(),
        }
    }

    /// Array `summary` (targets, 12) and, where they exist, `std_err`, `t_value`, `p_value`, `conf_low`, `conf_high`
    /// (targets, columns + 1), the intercept first; `confidence` (1) and `residual_checks` (targets, 2).
    pub fn save(&self, out: &mut ModelWriter) {
        let values: Vec<f64> = self.summary.iter().flat_map(|s| s.to_array()).collect();
        out.array("summary", &[self.summary.len(), FitStatistics::FIELDS.len()], &values);
        if let Some(inference) = &self.inference {
            inference.save(out);
        }
        out.vec("confidence", &[self.confidence]);
        if let Some(checks) = &self.checks {
            let values: Vec<f64> = checks.iter().flat_map(|c| [c.mean, c.correlation]).collect();
            out.array("residual_checks", &[checks.len(), 2], &values);
        }
    }

    pub fn load(input: &ModelReader, targets: usize, cols: usize) -> Result<Self> {
        let summary: Mat<f64> = input.mat_of("summary", targets, FitStatistics::FIELDS.len())?;
        let row = |k: usize| summary.row(k).try_into().map_err(|_| Error::Model("the summary has another width".into()));
        let summary = (0..targets).map(|k| Ok(FitStatistics::from_array(row(k)?))).collect::<Result<Vec<_>>>()?;
        let inference = Inference::load(input, targets, cols)?;
        // Files of before these were kept have intervals of 95% and no checks.
        let confidence = match input.array_info("confidence") {
            Some(_) => input.vec_of::<f64>("confidence", 1)?[0],
            None => CONFIDENCE,
        };
        let checks = match input.array_info("residual_checks") {
            Some(_) => {
                let m: Mat<f64> = input.mat_of("residual_checks", targets, 2)?;
                Some((0..targets).map(|k| ResidualCheck { mean: m[(k, 0)], correlation: m[(k, 1)] }).collect())
            }
            None => None,
        };
        Ok(Self { summary, inference, confidence, checks })
    }
}

/// The heads of a table of coefficients with errors, tests (t or z) and intervals; the first alone where there are none.
pub(super) fn heads<'a>(test: &'a str, low: &'a str, high: &'a str) -> [(&'a str, ColumnMeaning); 6] {
    [
        ("coefficient", ColumnMeaning::Coefficient),
        ("std. error", ColumnMeaning::Width),
        (test, ColumnMeaning::Plain),
        ("p", ColumnMeaning::Probability),
        (low, ColumnMeaning::Width),
        (high, ColumnMeaning::Width),
    ]
}

/// The coefficients as tables, one per target, with their errors where there are some, and a table of the summary.
pub(super) fn report(
    out: &mut Report,
    schema: &Schema,
    line: &super::coefficients::Coefficients,
    evidence: &FitEvidence,
    fit_intercept: bool,
) {
    for k in 0..line.coef.rows() {
        let title = |what: &str| if line.coef.rows() == 1 { what.to_owned() } else { format!("{what}, target {k}") };
        let mut rows = Vec::new();
        for j in usize::from(!fit_intercept)..=line.coef.cols() {
            let name = if j == 0 { "(intercept)".to_owned() } else { schema.name(j - 1) };
            let value = if j == 0 { line.intercept[k] } else { line.coef[(k, j - 1)] };
            let mut row: Vec<Cell> = vec![name.into(), value.into()];
            if let Some(inference) = &evidence.inference {
                row.extend(inference.cells(k, j));
            }
            rows.push(row);
        }
        let percent = (1e12 * evidence.confidence).round() / 1e10;
        let (low, high) = (format!("{percent}% low"), format!("{percent}% high"));
        let heads = heads("t", &low, &high);
        let shown = if evidence.inference.is_some() { heads.len() } else { 1 };
        out.coefficients(title("Coefficients"), &heads[..shown], rows);
        let values = FitStatistics::FIELDS.iter().zip(evidence.summary[k].to_array());
        let rows = values.filter(|(_, v)| v.is_finite()).map(|(&name, v)| vec![name.into(), v.into()]).collect();
        out.table(title("Fit"), &["statistic", "value"], rows);
        if let Some(check) = evidence.checks.as_ref().and_then(|c| c.get(k)) {
            let both = [("mean over standard deviation", check.mean), ("largest correlation with a column", check.correlation)];
            let rows: Vec<Vec<Cell>> =
                both.iter().filter(|(_, v)| v.is_finite()).map(|&(name, v)| vec![name.into(), v.into()]).collect();
            if !rows.is_empty() {
                out.table(title("Residuals, which should be free of these"), &["check", "value"], rows);
            }
        }
    }
}
