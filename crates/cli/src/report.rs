//! A report of a model as text: driven by the report alone, 80 columns wide.

use ermine::chart::Chart;
use ermine::core::{Cell, Meaning, Report, Section};

use crate::text::{self, Align};

const WIDTH: usize = 80;
/// Letters of a name in the first column of a table that is folded.
const NAME: usize = 30;
/// Letters of a name that are left when names are cut to spare a fold.
const SHORT_NAME: usize = 14;
/// Letters of a line of a text in a table, at least.
const TEXT: usize = 24;
/// Lines of a plot.
const LINES: usize = 16;

/// All sections; of long tables the first `rows` rows.
pub fn render(report: &Report, rows: usize) -> String {
    let mut out = String::new();
    for section in &report.sections {
        out.push('\n');
        match section {
            // What has lines of its own is drawn already.
            Section::Text(t) if t.trim_end().contains('\n') => {
                out += t.trim_end();
                out.push('\n');
            }
            Section::Text(t) => out += &text::paragraph(t, WIDTH),
            Section::Table { title, columns, meanings, rows: cells } => out += &table(title, columns, meanings, cells, rows),
            Section::Plot { .. } => {
                if let Some(chart) = Chart::of(section) {
                    out += &chart.to_text(WIDTH, LINES);
                }
            }
        }
    }
    out
}

fn table(title: &str, columns: &[String], meanings: &[Meaning], cells: &[Vec<Cell>], most: usize) -> String {
    let shown = &cells[..cells.len().min(most)];
    let body =
        |aligned: bool| (0..columns.len()).map(|j| column(meanings.get(j), shown, j, aligned)).collect::<Vec<Vec<String>>>();
    let words: Vec<bool> = (0..columns.len()).map(|j| shown.iter().any(|row| is_word(row.get(j)))).collect();
    let width = |body: &[Vec<String>], j: usize| {
        let cells = body[j].iter().map(|c| text::width(c)).max().unwrap_or(0);
        cells.max(text::width(&columns[j]))
    };
    let whole = |body: &[Vec<String>]| (0..columns.len()).map(|j| width(body, j) + 2).sum::<usize>();
    let mut body_shown = body(true);
    if whole(&body_shown) > WIDTH {
        body_shown = body(false);
    }
    // A long text takes several lines, long names are cut, where that makes the table fit.
    let over = whole(&body_shown).saturating_sub(WIDTH);
    let longest = (1..columns.len()).filter(|&j| words[j]).max_by_key(|&j| width(&body_shown, j));
    let mut wrap = None;
    let mut first = columns.first().map_or(0, |_| width(&body_shown, 0));
    if let Some(j) = longest.filter(|&j| over > 0 && width(&body_shown, j) >= over + TEXT) {
        wrap = Some((j, width(&body_shown, j) - over));
    } else if over > 0 {
        first = if first >= over + SHORT_NAME { first - over } else { first.min(NAME) };
    }
    let width = |j: usize| match wrap {
        Some((w, room)) if w == j => room,
        _ => width(&body_shown, j),
    };
    let mut out = if title.is_empty() { String::new() } else { format!("{}\n", capital(title)) };
    // What is still too wide is folded: the first column again in front of as many others as fit.
    let mut from = 1;
    loop {
        let mut to = from;
        let mut used = first + 2;
        while to < columns.len() && (used + width(to) + 2 <= WIDTH || to == from) {
            used += width(to) + 2;
            to += 1;
        }
        let picked: Vec<usize> = (0..columns.len().min(1)).chain(from..to).collect();
        let room = |j: usize| if j == 0 { first } else { width(j).min(WIDTH - first - 4) };
        let heads: Vec<String> = picked.iter().map(|&j| text::cut(&columns[j], room(j))).collect();
        let align: Vec<Align> = picked.iter().map(|&j| if words[j] { Align::Left } else { Align::Right }).collect();
        let mut lines: Vec<Vec<String>> = Vec::new();
        for i in 0..shown.len() {
            let cell = |j: usize| match wrap {
                Some((w, room)) if w == j => {
                    text::paragraph(&body_shown[j][i], room).lines().map(|l| text::cut(l, room)).collect()
                }
                _ => vec![text::cut(&body_shown[j][i], room(j))],
            };
            let pieces: Vec<Vec<String>> = picked.iter().map(|&j| cell(j)).collect();
            for k in 0..pieces.iter().map(Vec::len).max().unwrap_or(0) {
                lines.push(pieces.iter().map(|p| p.get(k).cloned().unwrap_or_default()).collect());
            }
        }
        out += &text::table(&heads.iter().map(String::as_str).collect::<Vec<_>>(), &align, &lines);
        from = to;
        if from >= columns.len() {
            break;
        }
        out.push('\n');
    }
    if cells.len() > shown.len() {
        out += &format!("  … {} more rows; --rows N prints more, --json has all\n", text::count(cells.len() - shown.len()));
    }
    out
}

fn is_word(cell: Option<&Cell>) -> bool {
    matches!(cell, Some(Cell::Text(_)))
}

fn capital(title: &str) -> String {
    let mut letters = title.chars();
    letters.next().map(|c| c.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// The cells of a column as text, numbers with their points one below the other.
fn column(meaning: Option<&Meaning>, rows: &[Vec<Cell>], j: usize, aligned: bool) -> Vec<String> {
    let is_p = meaning == Some(&Meaning::Probability);
    let one = |row: &Vec<Cell>| match row.get(j) {
        Some(Cell::Text(t)) => t.clone(),
        Some(Cell::Number(v)) if is_p => p_value(*v),
        Some(Cell::Number(v)) if v.fract() == 0.0 && v.abs() < 1e9 => format!("{v:.0}"),
        Some(Cell::Number(v)) => text::number(*v),
        Some(Cell::Empty) | None => String::new(),
    };
    let cells: Vec<String> = rows.iter().map(one).collect();
    let numbers = rows.iter().all(|row| !is_word(row.get(j)));
    let whole = |c: &str| !c.contains('e') && c.parse::<f64>().is_ok();
    let after = |c: &str| c.find('.').map_or(0, |p| c.len() - p);
    let most = cells.iter().filter(|c| whole(c)).map(|c| after(c)).max().unwrap_or(0);
    let pad = |c: String| if aligned && numbers && whole(&c) { format!("{c}{}", " ".repeat(most - after(&c))) } else { c };
    cells.into_iter().map(pad).collect()
}

/// A p-value: three digits, and below what the distributions can tell only that it is below.
fn p_value(p: f64) -> String {
    match p {
        p if p.is_nan() => String::new(),
        p if p < 1e-16 => "<1e-16".into(),
        p if p < 1e-3 => format!("{p:.1e}"),
        p => format!("{p:.3}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_fold_and_numbers_line_up() {
        let mut report = Report::default();
        let row = |name: &str, v: f64, p: f64| vec![Cell::from(name), v.into(), p.into()];
        let heads = [("coefficient", Meaning::Coefficient), ("p", Meaning::Probability)];
        report.coefficients("Coefficients", &heads, vec![row("bmi", 12.5, 0.0), row("s1", -0.25, 0.0312)]);
        let out = render(&report, 10);
        assert_eq!(
            out,
            "\nCoefficients\n  column  coefficient       p\n  bmi           12.5   <1e-16\n  s1            -0.25   0.031\n"
        );
        let heads: Vec<String> = std::iter::once("column".to_owned()).chain((0..30).map(|j| format!("class {j}"))).collect();
        let heads: Vec<&str> = heads.iter().map(String::as_str).collect();
        let mut wide = Report::default();
        let cells = |i: usize| {
            let name = Cell::from(format!("a column with a very long name, number {i}"));
            std::iter::once(name).chain((0..30).map(|j| Cell::from(f64::from(j) / 7.0))).collect()
        };
        wide.table("Weights", &heads, (0..60).map(cells).collect());
        let out = render(&wide, 40);
        assert!(out.lines().all(|l| l.chars().count() <= 80), "{out}");
        assert!((0..30).all(|j| out.contains(&format!("class {j}"))), "every column is there");
        assert!(out.contains("20 more rows"));
        let mut told = Report::default();
        let what = "filled with the mean 43.9219; standardised: minus 43.9219, divided by 5.4516 and then some";
        told.table(
            "Preparation",
            &["column", "what was done", "new columns"],
            vec![vec!["bill_length_mm".into(), what.into(), 1.0.into()]],
        );
        let out = render(&told, 40);
        assert!(out.lines().all(|l| l.chars().count() <= 80) && out.contains("some") && !out.contains('…'), "{out}");
        assert_eq!(out.matches("column ").count(), 1, "no fold: {out}");
    }
}
