//! Formatting of numbers for people, on a terminal and on a page.

pub use ermine_core::format::number;

/// A time with its unit.
pub fn seconds(s: f64) -> String {
    if s < 1e-3 {
        format!("{:.0} µs", s * 1e6)
    } else if s < 1.0 {
        format!("{:.1} ms", s * 1e3)
    } else if s < 120.0 {
        format!("{s:.1} s")
    } else {
        format!("{:.1} min", s / 60.0)
    }
}

/// An integer with thousands separators: 12,345.
pub fn count(n: usize) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(c);
    }
    out
}

/// A number with its noun: 1 row, 12,345 rows.
pub fn counted(n: usize, what: &str) -> String {
    format!("{} {what}{}", count(n), if n == 1 { "" } else { "s" })
}

/// A share in percent: 87.3%, 0.04%.
pub fn percent(share: f64) -> String {
    let p = 100.0 * share;
    match p.abs() {
        a if a == 0.0 || a >= 99.95 => format!("{p:.0}%"),
        a if a >= 0.1 => format!("{p:.1}%"),
        _ => format!("{}%", number(p)),
    }
}

/// Truncated to `most` letters; … marks the cut.
pub fn short(text: &str, most: usize) -> String {
    match text.chars().count() <= most {
        true => text.to_owned(),
        false => text.chars().take(most.saturating_sub(1)).chain(['…']).collect(),
    }
}

/// The text with a capital first letter.
pub fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|c| c.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_times_read_well() {
        assert_eq!(number(0.98765), "0.9877");
        assert_eq!(number(1234.0), "1234");
        assert_eq!(number(1.5e-7), "1.500e-7");
        assert_eq!(seconds(0.0123), "12.3 ms");
        assert_eq!(count(1234567), "1,234,567");
        assert_eq!((counted(1, "row").as_str(), counted(1200, "row").as_str()), ("1 row", "1,200 rows"));
        assert_eq!(["0%", "87.3%", "100%", "0.04%"], [0.0, 0.8731, 1.0, 0.0004].map(percent).map(|p| p.leak() as &str));
        assert_eq!((short("abcdef", 4).as_str(), capital("log odds").as_str()), ("abc…", "Log odds"));
    }
}
