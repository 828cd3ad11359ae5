//! Outlier detection: rows with a density below a threshold, for any density estimate.
//!
//! A row is flagged when its log density is below τ. The acceptable share of inliers flagged by mistake, the
//! false-positive rate, is chosen by the user: [`threshold`] is the greatest τ that keeps it on known inliers. Where
//! outliers are known too, [`roc_curve`] shows the trade-off.
//!
//! ```
//! use ermine_core::{Context, DatasetRef, Density, Features, Learner, MatRef};
//! use ermine_mixture::Gmm;
//! use ermine_eval::outlier;
//!
//! let x: Vec<f64> = (0..200).map(|i| f64::from(i % 20) / 10.0).collect();
//! let good = Features::F64(MatRef::row_major(&x, 200, 1));
//! let model = Gmm::default().fit_with(&DatasetRef::new(good), &Context::default())?;
//! let tau = outlier::threshold(&model.log_density(&good)?, None, 0.1)?;
//! let new = Features::F64(MatRef::row_major(&[0.9, 7.0], 2, 1));
//! assert_eq!(outlier::flags(&model.log_density(&new)?, tau), [false, true]);
//! # Ok::<(), ermine_core::Error>(())
//! ```

use ermine_core::{Error, Result};

use crate::metrics::Thresholds;

/// The greatest threshold below which at most the share `rate` of these rows is: `log_density` is that of inliers, with
/// weights where they have some.
pub fn threshold(log_density: &[f64], weight: Option<&[f64]>, rate: f64) -> Result<f64> {
    if !(0.0..=1.0).contains(&rate) {
        return Err(Error::Data(format!("a false-positive rate of {rate} is invalid; it must be between 0 and 1")));
    }
    if let Some(w) = weight
        && w.len() != log_density.len()
    {
        return Err(Error::Length { what: "sample weights".into(), expected: log_density.len(), found: w.len() });
    }
    if let Some(row) = log_density.iter().position(|d| d.is_nan()) {
        return Err(Error::Row { place: "log density".into(), row, message: "it is not a number".into() });
    }
    let weight = |i: usize| weight.map_or(1.0, |w| w[i]);
    let mut order: Vec<usize> = (0..log_density.len()).filter(|&i| weight(i) > 0.0).collect();
    ermine_core::order::sort_by_number(&mut order, |a| log_density[a]);
    let total: f64 = order.iter().map(|&i| weight(i)).sum();
    if order.is_empty() {
        return Err(Error::Data("there are no rows to find a threshold with".into()));
    }
    // Rounding of the sums must not exclude the row that uses up the rate exactly.
    let room = rate * total * (1.0 + 1e-12);
    let mut below = 0.0;
    let mut at = 0;
    while at < order.len() {
        let value = log_density[order[at]];
        let same = order[at..].iter().take_while(|&&i| log_density[i] == value).count();
        let next = below + order[at..at + same].iter().map(|&i| weight(i)).sum::<f64>();
        if next > room {
            return Ok(value);
        }
        (below, at) = (next, at + same);
    }
    Ok(f64::INFINITY)
}

/// Whether each row is an outlier: its log density is below the threshold.
pub fn flags(log_density: &[f64], threshold: f64) -> Vec<bool> {
    log_density.iter().map(|d| *d < threshold).collect()
}

/// One threshold with its rates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OperatingPoint {
    /// Rows whose log density is at or below it are flagged.
    pub threshold: f64,
    /// The share of inliers flagged.
    pub false_positive_rate: f64,
    /// The share of outliers flagged.
    pub true_positive_rate: f64,
}

/// The ROC curve of a density as a detector: the share of known `outliers` and of the other rows flagged at every
/// threshold, from no row to all rows.
pub fn roc_curve(log_density: &[f64], outliers: &[bool], weight: Option<&[f64]>) -> Result<Vec<OperatingPoint>> {
    if outliers.len() != log_density.len() {
        return Err(Error::Length {
            what: "rows known as outliers or not".into(),
            expected: log_density.len(),
            found: outliers.len(),
        });
    }
    let known = outliers.iter().filter(|o| **o).count();
    if known == 0 || known == outliers.len() {
        return Err(Error::Data(format!("{known} of {} rows are outliers; a curve needs some and others", outliers.len())));
    }
    let score: Vec<f64> = log_density.iter().map(|d| -d).collect();
    let none = || Error::Data("all outliers, or all other rows, have weight 0; a curve needs both".into());
    let curve = Thresholds::of(outliers, &score, weight)?.roc().ok_or_else(none)?;
    let point = |(t, (false_positive_rate, true_positive_rate)): (f64, (f64, f64))| OperatingPoint {
        threshold: -t,
        false_positive_rate,
        true_positive_rate,
    };
    Ok(curve.threshold.into_iter().zip(curve.fpr.into_iter().zip(curve.tpr)).map(point).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_threshold_keeps_the_rate_and_the_next_row_would_not() {
        let densities: Vec<f64> = (0..1000).map(|i| -f64::from((i * 37) % 1000)).collect();
        for rate in [0.0, 0.001, 0.05, 0.5, 0.999] {
            let tau = threshold(&densities, None, rate).unwrap();
            let called = flags(&densities, tau).iter().filter(|f| **f).count() as f64 / 1000.0;
            assert!(called <= rate + 1e-15 && called + 0.001 > rate, "{rate}: {called}");
        }
        assert_eq!(threshold(&densities, None, 1.0).unwrap(), f64::INFINITY);
        // Equal densities go together, and weights count as rows.
        let tied = [-3.0, -3.0, -2.0, -1.0];
        assert_eq!(threshold(&tied, None, 0.25).unwrap(), -3.0);
        assert_eq!(threshold(&tied, None, 0.5).unwrap(), -2.0);
        assert_eq!(threshold(&tied, Some(&[1.0, 0.0, 2.0, 1.0]), 0.25).unwrap(), -2.0);
        assert!(threshold(&tied, None, 1.5).unwrap_err().to_string().contains("1.5"));
        assert!(threshold(&[f64::NAN], None, 0.5).is_err() && threshold(&[], None, 0.5).is_err());
    }

    #[test]
    fn the_curve_counts_what_every_threshold_finds() {
        let densities = [-9.0, -8.0, -2.0, -1.0, -0.5];
        let outliers = [true, false, true, false, false];
        let curve = roc_curve(&densities, &outliers, None).unwrap();
        let at = |t: f64| curve.iter().find(|p| p.threshold == t).copied().unwrap();
        assert_eq!((at(-9.0).false_positive_rate, at(-9.0).true_positive_rate), (0.0, 0.5));
        assert_eq!((at(-8.0).false_positive_rate, at(-2.0).true_positive_rate), (1.0 / 3.0, 1.0));
        assert!(super::roc_curve(&densities, &[false; 5], None).is_err() && super::roc_curve(&densities, &[true], None).is_err());
    }
}
