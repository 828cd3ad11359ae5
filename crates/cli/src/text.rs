//! Text for people: aligned tables, numbers, times.

use std::fmt::Write;

pub use ermine::format::{count, counted, number, seconds};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// How a column of a table is aligned.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Align {
    Left,
    Right,
}

/// The terminal columns of a text: letters of Chinese, Japanese and Korean take two, combining marks none.
pub fn width(s: &str) -> usize {
    s.width()
}

/// A table with a head and aligned columns, two spaces between them.
pub fn table(head: &[&str], align: &[Align], rows: &[Vec<String>]) -> String {
    let mut widths: Vec<usize> = head.iter().map(|h| width(h)).collect();
    for row in rows {
        for (w, cell) in widths.iter_mut().zip(row) {
            *w = (*w).max(width(cell));
        }
    }
    let line = |cells: &[&str]| {
        let mut out = String::from(" ");
        for (j, cell) in cells.iter().enumerate() {
            let pad = " ".repeat(widths[j] - width(cell));
            match align[j] {
                Align::Left => write!(out, " {cell}{pad} "),
                Align::Right => write!(out, " {pad}{cell} "),
            }
            .expect("a string can be written to");
        }
        out.trim_end().to_owned() + "\n"
    };
    let mut out = line(head);
    for row in rows {
        out.push_str(&line(&row.iter().map(String::as_str).collect::<Vec<_>>()));
    }
    out
}

/// Truncated to `most` columns; … marks the cut.
pub fn truncate(s: &str, most: usize) -> String {
    if width(s) <= most {
        return s.to_owned();
    }
    let mut used = 1;
    let fits = |c: &char| {
        used += c.width().unwrap_or(0);
        used <= most
    };
    s.chars().take_while(fits).chain(['…']).collect()
}

/// A paragraph of lines at most `width` wide.
pub fn paragraph(text: &str, width: usize) -> String {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let last = lines.last_mut().expect("there is a line");
        if !last.is_empty() && self::width(last) + 1 + self::width(word) > width {
            lines.push(word.to_owned());
        } else {
            if !last.is_empty() {
                last.push(' ');
            }
            last.push_str(word);
        }
    }
    lines.iter().map(|l| format!("{l}\n")).collect()
}

/// Pieces joined after a prefix, on as many lines of 80 as needed, indented by the length of the prefix.
pub fn wrap_pieces(prefix: &str, pieces: &[String]) -> String {
    let indent = width(prefix);
    let mut out = prefix.to_owned();
    let mut used = indent;
    for (i, piece) in pieces.iter().enumerate() {
        let long = width(piece);
        if i > 0 && used + 2 + long > 80 {
            out += &format!("\n{:indent$}", "");
            used = indent;
        } else if i > 0 {
            out += "  ";
            used += 2;
        }
        out += piece;
        used += long;
    }
    out + "\n"
}

/// A word and a text beside it, indented by `indent` and at most 80 columns wide.
pub fn indent_wrapped(word: &str, text: &str, indent: usize) -> String {
    let mut out = String::new();
    for (i, line) in paragraph(text, 80 - indent).lines().enumerate() {
        let first = if i == 0 { word } else { "" };
        // A long word takes a line of its own.
        if i == 0 && !word.is_empty() && width(word) + 3 > indent {
            out += &format!("  {word}\n{:indent$}{line}\n", "");
        } else {
            out += &format!("  {first}{:pad$}{line}\n", "", pad = indent - 2 - width(first));
        }
    }
    out
}

/// Bars for counts, one character each.
pub fn bars(counts: &[usize]) -> String {
    const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let most = counts.iter().copied().max().unwrap_or(0).max(1);
    let bar = |&c: &usize| if c == 0 { ' ' } else { BARS[(c * 8).div_ceil(most).clamp(1, 8) - 1] };
    counts.iter().map(bar).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_and_bars_read_well() {
        assert_eq!(truncate("abcdef", 4), "abc…");
        assert_eq!(bars(&[0, 1, 8]), " ▁█");
        let t = table(&["a", "n"], &[Align::Left, Align::Right], &[vec!["x".into(), "10".into()]]);
        assert_eq!(t, "  a   n\n  x  10\n");
    }

    #[test]
    fn wide_letters_keep_the_columns_aligned() {
        let rows = [vec!["身長".into(), "1".into()], vec!["e\u{301}te\u{301}".into(), "22".into()]];
        let t = table(&["name", "n"], &[Align::Left, Align::Right], &rows);
        assert_eq!(t, "  name   n\n  身長   1\n  e\u{301}te\u{301}   22\n");
        assert_eq!(
            (truncate("身長体重", 5).as_str(), truncate("身長体重", 6).as_str(), truncate("身長体重", 8).as_str()),
            ("身長…", "身長…", "身長体重")
        );
    }
}
