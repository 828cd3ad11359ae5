//! Summary of a column: missing cells, distinct values, range or most frequent values, distribution.

use ermine_core::{Column, MISSING_CODE};

/// Bins of the small histogram.
const BINS: usize = 10;
/// Number of most frequent values.
const TOP: usize = 10;

/// Summary of a column.
#[derive(Debug, Clone, PartialEq)]
pub struct ColumnStats {
    /// Cells that are missing.
    pub missing: usize,
    /// Distinct values.
    pub distinct: usize,
    /// Summary of its values.
    pub values: ValueStats,
}

/// Summary of the values of a column.
#[derive(Debug, Clone, PartialEq)]
pub enum ValueStats {
    /// No values.
    None,
    /// Numbers.
    Numbers {
        /// The least.
        low: f64,
        /// The greatest.
        high: f64,
        /// The mean.
        mean: f64,
        /// The median.
        median: f64,
        /// Counts in ten equal parts of the range.
        histogram: [usize; BINS],
    },
    /// Names or texts: the most frequent with their counts.
    Names(Vec<(String, usize)>),
}

impl ColumnStats {
    /// Summarizes a column.
    pub fn of(column: &Column) -> Self {
        match column {
            Column::Number { values, .. } => numbers(values),
            Column::Category { codes, names } => {
                let mut counts = vec![0usize; names.len()];
                codes.iter().filter(|&&c| c != MISSING_CODE).for_each(|&c| counts[c as usize] += 1);
                let missing = codes.iter().filter(|&&c| c == MISSING_CODE).count();
                top(missing, names.iter().map(String::as_str).zip(counts).collect())
            }
            Column::Text(cells) => {
                let mut sorted: Vec<&str> = cells.iter().flatten().map(String::as_str).collect();
                sorted.sort_unstable();
                let mut counts: Vec<(&str, usize)> = Vec::new();
                for s in sorted {
                    match counts.last_mut() {
                        Some(last) if last.0 == s => last.1 += 1,
                        _ => counts.push((s, 1)),
                    }
                }
                top(cells.iter().filter(|c| c.is_none()).count(), counts)
            }
        }
    }

    /// Counts that show the distribution: of a histogram, or of the most frequent values; none for a constant.
    pub fn shape(&self) -> Vec<usize> {
        match &self.values {
            ValueStats::Numbers { low, high, histogram, .. } if high > low => histogram.to_vec(),
            ValueStats::Names(top) => top.iter().map(|t| t.1).collect(),
            _ => Vec::new(),
        }
    }
}

fn numbers(values: &[f64]) -> ColumnStats {
    let mut present: Vec<f64> = values.iter().copied().filter(|v| !v.is_nan()).collect();
    ermine_core::order::sort_numbers(&mut present);
    let missing = values.len() - present.len();
    let distinct = present.windows(2).filter(|w| w[0] != w[1]).count() + usize::from(!present.is_empty());
    let (Some(&low), Some(&high)) = (present.first(), present.last()) else {
        return ColumnStats { missing, distinct, values: ValueStats::None };
    };
    let mean = present.iter().sum::<f64>() / present.len() as f64;
    let median = present[present.len() / 2];
    let mut histogram = [0usize; BINS];
    for v in &present {
        let at = ((v - low) / (high - low) * BINS as f64) as usize;
        histogram[at.min(BINS - 1)] += 1;
    }
    ColumnStats { missing, distinct, values: ValueStats::Numbers { low, high, mean, median, histogram } }
}

/// The most frequent values.
fn top(missing: usize, mut counts: Vec<(&str, usize)>) -> ColumnStats {
    counts.retain(|(_, n)| *n > 0);
    counts.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
    let most = counts.iter().take(TOP).map(|(name, n)| ((*name).to_owned(), *n)).collect::<Vec<_>>();
    let values = if most.is_empty() { ValueStats::None } else { ValueStats::Names(most) };
    ColumnStats { missing, distinct: counts.len(), values }
}
