//! What a cell looks like, by itself.

use crate::csv::number;

/// What a cell looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CellKind {
    /// Empty, or a word for missing.
    Missing,
    /// A number, an amount of money, a share, a number with thousands separators.
    Number,
    Date,
    Time,
    Text,
}

impl CellKind {
    /// The kind of a cell.
    pub(crate) fn of(text: &str) -> Self {
        let text = text.trim();
        if is_missing(text) {
            Self::Missing
        } else if is_number(text) {
            Self::Number
        } else if is_time(text) {
            Self::Time
        } else if is_date(text) {
            Self::Date
        } else {
            Self::Text
        }
    }

    /// Whether columns of this kind can be told from their header.
    pub(crate) fn is_typed(self) -> bool {
        matches!(self, Self::Number | Self::Date | Self::Time)
    }
}

fn is_missing(text: &str) -> bool {
    const WORDS: [&str; 9] = ["na", "n/a", "nan", "null", "none", "nil", "-", "--", "?"];
    text.is_empty() || (text.len() <= 4 && WORDS.iter().any(|w| w.eq_ignore_ascii_case(text)))
}

fn is_number(text: &str) -> bool {
    let bytes = text.as_bytes();
    if number::parse(bytes).is_some() {
        return true;
    }
    if text.len() > 40 || !text.bytes().any(|b| b.is_ascii_digit()) {
        return false;
    }
    let bare = text.strip_prefix('(').and_then(|t| t.strip_suffix(')')).unwrap_or(text);
    let bare = bare.trim_start_matches(['-', '+']).trim_start_matches(['$', '£', '€', '¥']).trim_start();
    let bare = bare.trim_end_matches(['%', '$', '£', '€', '¥']).trim_end().trim_start_matches(['-', '+']);
    // Digits, and separators between them.
    let ends = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    let first = bare.strip_prefix(['.', ',']).unwrap_or(bare).chars().next();
    ends(first)
        && ends(bare.chars().next_back())
        && bare.chars().all(|c| c.is_ascii_digit() || matches!(c, ',' | '.' | '\'' | '\u{a0}' | '\u{202f}'))
        && !bare.contains("..")
        && (grouped(bare, '.') && grouped(bare, ','))
}

/// Whether what stands between several separators of a kind are thousands.
fn grouped(text: &str, separator: char) -> bool {
    let parts: Vec<&str> = text.split(separator).collect();
    let digits = |p: &str| p.bytes().take_while(u8::is_ascii_digit).count();
    parts.len() < 3 || parts[1..].iter().all(|p| digits(p) == 3)
}

fn is_time(text: &str) -> bool {
    let parts: Vec<&str> = text.split(':').collect();
    (2..=3).contains(&parts.len())
        && parts.iter().enumerate().all(|(i, p)| {
            let p = if i + 1 == parts.len() { p.trim_end_matches(|c: char| " aApPmM.".contains(c)) } else { p };
            let whole = p.split('.').next().unwrap_or(p);
            (1..=2).contains(&whole.len()) && p.bytes().all(|b| b.is_ascii_digit() || b == b'.')
        })
}

const MONTHS: [&str; 12] = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

fn is_date(text: &str) -> bool {
    if !(6..=32).contains(&text.len()) || !text.bytes().any(|b| b.is_ascii_digit()) {
        return false;
    }
    let (day, rest) = match text.find([' ', 'T']) {
        Some(i) if text[i + 1..].contains(':') && !text[..i].is_empty() => (&text[..i], Some(&text[i + 1..])),
        _ => (text, None),
    };
    if let Some(rest) = rest
        && !is_time(rest.trim_end_matches('Z').split(['+', '-']).next().unwrap_or_default().trim())
    {
        return false;
    }
    let parts: Vec<&str> = day.split(['-', '/', '.', ' ', ',']).filter(|p| !p.is_empty()).collect();
    let digits = |p: &str| p.len() <= 4 && p.bytes().all(|b| b.is_ascii_digit());
    let month = |p: &str| p.len() >= 3 && MONTHS.iter().any(|m| p.get(..3).is_some_and(|s| s.eq_ignore_ascii_case(m)));
    match parts[..] {
        [a, b, c] => [a, b, c].iter().filter(|p| month(p)).count() <= 1 && [a, b, c].iter().all(|p| digits(p) || month(p)),
        [a, b] => (digits(a) && month(b)) || (month(a) && digits(b)),
        _ => false,
    }
}

/// The kind that most cells of a column have.
#[derive(Debug, Clone, Default)]
pub(crate) struct KindCounts {
    counts: [u32; 5],
}

impl KindCounts {
    pub(crate) fn add(&mut self, kind: CellKind) {
        self.counts[kind as usize] += 1;
    }

    /// How often cells are missing.
    pub(crate) fn missing_share(&self) -> f64 {
        let all: u32 = self.counts.iter().sum();
        f64::from(self.counts[CellKind::Missing as usize]) / f64::from(all.max(1))
    }

    /// The kind of at least four fifths of the cells that are there; text where they differ.
    pub(crate) fn kind(&self) -> CellKind {
        let there: u32 = self.counts.iter().sum::<u32>() - self.counts[CellKind::Missing as usize];
        if there == 0 {
            return CellKind::Missing;
        }
        let enough = |k: CellKind| self.counts[k as usize] * 5 >= there * 4;
        [CellKind::Number, CellKind::Date, CellKind::Time].into_iter().find(|&k| enough(k)).unwrap_or(CellKind::Text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_look_like_what_they_are() {
        for number in ["1", "-2.5e3", "1,234,567", "$1,234.50", "3.5%", "1.234,56", "(12)", "£65.60", "12 €", "-$5"] {
            assert_eq!(CellKind::of(number), CellKind::Number, "{number}");
        }
        for date in [
            "2024-01-31",
            "28/01/2018",
            "1/2/99",
            "14-Jan-20",
            "Jan 5, 2020",
            "13.04.12",
            "01/02/2016 10:30",
            "2024-01-31T10:00:00Z",
        ] {
            assert_eq!(CellKind::of(date), CellKind::Date, "{date}");
        }
        for time in ["00:15", "1:02:03", "5:30 pm"] {
            assert_eq!(CellKind::of(time), CellKind::Time, "{time}");
        }
        for text in ["MG-8769", "DATE", "a", "1 2", "x1", "12 rows", "1..2", "the 3rd", "1-2-3-4", "02:152"] {
            assert_eq!(CellKind::of(text), CellKind::Text, "{text}");
        }
        for missing in ["", " ", "NA", "n/a", "NaN", "-"] {
            assert_eq!(CellKind::of(missing), CellKind::Missing, "{missing}");
        }
    }
}
