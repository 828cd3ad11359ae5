//! The search for the best model within a budget.

use std::time::Duration;

use clap::Args as ClapArgs;

use super::duration;

#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "Search")]
pub struct AutoArgs {
    /// Metric to choose by; accuracy or r2 by default
    #[arg(long, value_name = "NAME")]
    pub metric: Option<String>,
    /// Time for everything, the last fit included: 60s, 5m; or a number of fits: 200fits, whose result does not depend
    /// on the machine. Settings that do best on most tables come first, and the best of them become an ensemble
    #[arg(long, value_name = "TIME or FITS", value_parser = budget)]
    pub budget: Option<AutoBudget>,
    /// Keep a single model in place of an ensemble
    #[arg(long)]
    pub single: bool,
    /// Time that the prediction of a row may take: 50us, 1ms
    #[arg(long, value_name = "TIME", value_parser = prediction_time)]
    pub fast: Option<Duration>,
}

/// How long to search.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum AutoBudget {
    Time(Duration),
    Fits(usize),
}

/// 60s, or 200fits.
fn budget(text: &str) -> Result<AutoBudget, String> {
    match text.trim().strip_suffix("fits") {
        Some(count) => match count.trim().parse() {
            Ok(0) => Err("0 fits find nothing; write 200fits, or a time such as 60s".into()),
            Ok(fits) => Ok(AutoBudget::Fits(fits)),
            Err(_) => Err(format!("\"{count}\" is not a number of fits; write 200fits, or a time such as 60s")),
        },
        None => duration(text).map(AutoBudget::Time),
    }
}

/// 50us, 1ms, 0.01s.
fn prediction_time(text: &str) -> Result<Duration, String> {
    match text.trim().strip_suffix("us") {
        Some(number) => match number.trim().parse::<f64>().map(|n| Duration::try_from_secs_f64(n * 1e-6)) {
            Ok(Ok(time)) => Ok(time),
            _ => Err(format!("\"{number}\" is not a number; write 50us or 1ms")),
        },
        None => duration(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn budgets_are_times_or_fits() {
        assert_eq!(budget("60s").unwrap(), AutoBudget::Time(Duration::from_secs(60)));
        assert_eq!(budget("200fits").unwrap(), AutoBudget::Fits(200));
        assert!(budget("0fits").unwrap_err().contains("200fits") && budget("manyfits").is_err() && budget("soon").is_err());
        assert_eq!(prediction_time("50us").unwrap(), Duration::from_micros(50));
        assert_eq!(prediction_time("2ms").unwrap(), Duration::from_millis(2));
        assert!(prediction_time("fastus").is_err());
    }
}
