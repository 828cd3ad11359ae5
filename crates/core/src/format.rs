//! Numbers and tables for people, as plain text.

pub use crate::report_text::write_report;

/// A number with about four digits.
pub fn number(v: f64) -> String {
    if v == 0.0 {
        return "0".into();
    }
    if !v.is_finite() {
        return v.to_string();
    }
    let size = v.abs().log10().floor();
    if (-4.0..6.0).contains(&size) {
        let digits = (3.0 - size).clamp(0.0, 7.0) as usize;
        let text = format!("{v:.digits$}");
        if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
    } else {
        format!("{v:.3e}")
    }
}

/// Lines of cells as columns with two spaces between them, each with its side: numbers stand on the right.
pub fn columns(lines: &[Vec<String>], on_the_right: impl Fn(usize) -> bool) -> String {
    let count = lines.iter().map(Vec::len).max().unwrap_or(0);
    let width = |j: usize| lines.iter().filter_map(|l| l.get(j)).map(|c| c.chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..count).map(width).collect();
    let mut out = String::new();
    for line in lines {
        let pad = |(j, cell): (usize, &String)| match (on_the_right(j), widths[j]) {
            (true, width) => format!("{cell:>width$}"),
            (false, width) => format!("{cell:<width$}"),
        };
        let text = line.iter().enumerate().map(pad).collect::<Vec<_>>().join("  ");
        out += text.trim_end();
        out.push('\n');
    }
    out
}
