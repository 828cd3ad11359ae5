//! Values of options: sizes, folds, budgets and durations, parsed from text.

use std::time::Duration;

/// Number of folds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FoldCount {
    K(usize),
    EachRow,
}

/// How long to search.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SearchBudget {
    Trials(usize),
    Time(Duration),
}

/// A number of bytes: 800000, 500KB, 500MB, 4GB.
pub fn size(text: &str) -> Result<u64, String> {
    let text = text.trim().to_ascii_lowercase();
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit: u64 = match &text[digits.len()..] {
        "" | "b" => 1,
        "k" | "kb" => 1 << 10,
        "m" | "mb" => 1 << 20,
        "g" | "gb" => 1 << 30,
        other => return Err(format!("\"{other}\" is not a unit of memory; write 500MB or 4GB")),
    };
    match digits.trim().parse::<f64>() {
        Ok(number) if number > 0.0 && number.is_finite() => Ok((number * unit as f64) as u64),
        _ => Err(format!("\"{digits}\" is not a size; write 500MB or 4GB")),
    }
}

/// 5, or loo.
pub fn folds(text: &str) -> Result<FoldCount, String> {
    if text == "loo" {
        return Ok(FoldCount::EachRow);
    }
    text.parse().map(FoldCount::K).map_err(|_| format!("\"{text}\" is not a number of folds; write 5, or loo for leave-one-out"))
}

/// 50 trials, or 60s.
pub fn budget(text: &str) -> Result<SearchBudget, String> {
    match text.trim().parse::<usize>() {
        Ok(0) => Err("0 trials find nothing; write 50, or a time such as 60s".into()),
        Ok(trials) => Ok(SearchBudget::Trials(trials)),
        Err(_) => duration(text).map(SearchBudget::Time),
    }
}

pub fn trials(text: &str) -> Result<usize, String> {
    match text.trim().parse() {
        Ok(0) => Err("0 trials find nothing; write 50, say".into()),
        Ok(trials) => Ok(trials),
        Err(_) => Err(format!("\"{text}\" is not a number of trials; write 50, for example")),
    }
}

/// 90, 90s, 1.5m, 2h.
pub fn duration(text: &str) -> Result<Duration, String> {
    let (number, unit) = text.split_at(text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len()));
    let factor = match unit {
        "" | "s" => 1.0,
        "ms" => 1e-3,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err(format!("\"{unit}\" is not a unit of time; write 60s, 5m or 1h")),
    };
    let seconds =
        number.trim().parse::<f64>().map_err(|_| format!("\"{number}\" is not a number; write 60s, 5m or 1h"))? * factor;
    Duration::try_from_secs_f64(seconds).map_err(|_| format!("{seconds} seconds are not a valid time"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::Args;
    use clap::CommandFactory;

    #[test]
    fn the_table_of_arguments_is_sound() {
        Args::command().debug_assert();
        assert_eq!(duration("1.5m").unwrap(), Duration::from_secs(90));
        assert!(duration("soon").is_err() && duration("-1s").is_err());
        assert_eq!(
            (budget("50").unwrap(), budget("60s").unwrap()),
            (SearchBudget::Trials(50), SearchBudget::Time(Duration::from_secs(60)))
        );
        assert!(budget("0").is_err() && budget("much").is_err() && folds("some").is_err());
        assert_eq!((folds("3").unwrap(), folds("loo").unwrap()), (FoldCount::K(3), FoldCount::EachRow));
    }
}
