//! Renders a report of a model as text, 80 columns wide.

use ermine::chart::Chart;
use ermine::core::{Cell, ColumnMeaning, Report, Section, TreeNodeReport};

use crate::text::{self, Align};

const WIDTH: usize = 80;
/// Letters of a name in the first column of a table that is folded.
const NAME: usize = 30;
/// Letters of a truncated name, to avoid folding.
const SHORT_NAME: usize = 14;
/// Least letters per line of a text in a table.
const TEXT: usize = 24;
/// Lines of a plot.
const LINES: usize = 16;

/// All sections; of long tables the first `rows` rows.
pub fn render(report: &Report, rows: usize) -> String {
    let mut out = String::new();
    for section in &report.sections {
        out.push('\n');
        match section {
            // Text with lines of its own is already laid out.
            Section::Text(t) if t.trim_end().contains('\n') => {
                out += t.trim_end();
                out.push('\n');
            }
            Section::Text(t) => out += &text::paragraph(t, WIDTH),
            Section::Table { title, columns, meanings, rows: cells } => out += &table(title, columns, meanings, cells, rows),
            Section::Tree { title, nodes, .. } => out += &tree(title, nodes, rows),
            Section::Plot { .. } => {
                if let Some(chart) = Chart::of(section) {
                    out += &chart.to_text(WIDTH, LINES);
                }
            }
        }
    }
    out
}

/// Letters of the branches in front of a node; deeper levels are counted.
const MOST_BRANCHES: usize = 32;
/// Least letters of a condition.
const CONDITION: usize = 16;

/// A tree with one line per node, the most frequent class or the number behind the arrow.
fn tree(title: &str, nodes: &[TreeNodeReport], most: usize) -> String {
    let mut out = format!("{}\n", capital(title));
    // A node, the lines in front of it, and whether it is the last child.
    let mut stack = vec![(0usize, String::new(), true)];
    let mut left = most.max(1);
    while let Some((at, front, last)) = stack.pop() {
        let Some(node) = nodes.get(at) else { continue };
        if left == 0 {
            let rest = nodes.len().saturating_sub(most);
            return out + &format!("  … {} more nodes; --rows N prints more, --json has all\n", text::count(rest));
        }
        left -= 1;
        let (branch, below) = match (at, last) {
            (0, _) => ("", ""),
            (_, false) => ("├─ ", "│  "),
            (_, true) => ("└─ ", "   "),
        };
        let rows = match node.shares.iter().copied().reduce(f64::max) {
            Some(share) => format!("{}  {:>4}", text::count(node.rows as usize), format!("{:.0}%", 100.0 * share)),
            None => text::count(node.rows as usize),
        };
        let condition = if node.condition.is_empty() { "all rows" } else { &node.condition };
        let lines = format!("  {front}{branch}");
        let deep = lines.chars().count() > MOST_BRANCHES && !node.children.is_empty();
        let says = match deep {
            true => format!(" … {} nodes below", text::count(count_below(nodes, at))),
            false if node.children.is_empty() => {
                let used = lines.chars().count() + CONDITION + rows.chars().count() + 5;
                format!(" → {}", text::truncate(&node.prediction, WIDTH.saturating_sub(used).clamp(8, 24)))
            }
            false => String::new(),
        };
        let used = lines.chars().count() + says.chars().count() + rows.chars().count() + 2;
        let line = format!("{lines}{}{says}", text::truncate(condition, WIDTH.saturating_sub(used).max(CONDITION)));
        let pad = WIDTH.saturating_sub(line.chars().count() + rows.chars().count());
        out += &format!("{line}{}{rows}\n", " ".repeat(pad.max(1)));
        if !deep {
            let front = format!("{front}{below}");
            let children = node.children.iter().enumerate().rev();
            stack.extend(children.map(|(k, &child)| (child, front.clone(), k + 1 == node.children.len())));
        }
    }
    out
}

fn count_below(nodes: &[TreeNodeReport], at: usize) -> usize {
    let (mut count, mut stack) = (0, vec![at]);
    while let Some(i) = stack.pop() {
        let children = nodes.get(i).map_or(&[][..], |n| &n.children);
        count += children.len();
        stack.extend(children);
    }
    count
}

/// The rule of each leaf of the trees of a report: its conditions, the prediction, the rows and the share of the most
/// frequent class.
pub fn rules(report: &Report) -> Vec<LeafRule> {
    let mut out = Vec::new();
    for section in &report.sections {
        let Section::Tree { nodes, .. } = section else { continue };
        let mut stack = vec![(0usize, Vec::new())];
        while let Some((at, way)) = stack.pop() {
            let Some(node) = nodes.get(at) else { continue };
            if node.children.is_empty() {
                let share = node.shares.iter().copied().reduce(f64::max);
                out.push(LeafRule { conditions: way, says: node.prediction.clone(), rows: node.rows, share });
                continue;
            }
            for &child in node.children.iter().rev() {
                let condition = nodes.get(child).map(|n| match n.takes_missing && !n.condition.ends_with("is missing") {
                    true => format!("{} or missing", n.condition),
                    false => n.condition.clone(),
                });
                stack.push((child, way.iter().cloned().chain(condition).collect()));
            }
        }
    }
    out
}

/// The rule of a leaf.
#[derive(serde::Serialize)]
pub struct LeafRule {
    pub conditions: Vec<String>,
    pub says: String,
    pub rows: f64,
    pub share: Option<f64>,
}

/// Rules as text, one paragraph each.
pub fn render_rules(rules: &[LeafRule], most: usize) -> String {
    let mut out = String::from("\nRules\n");
    for rule in rules.iter().take(most) {
        let when = if rule.conditions.is_empty() { "always".into() } else { format!("if {}", rule.conditions.join(" and ")) };
        let share = rule.share.map(|s| format!(", {:.0}%", 100.0 * s)).unwrap_or_default();
        let text = format!("{when} then {} ({} rows{share})", rule.says, text::count(rule.rows as usize));
        for (k, line) in text::paragraph(&text, WIDTH - 4).lines().enumerate() {
            out += &format!("{}{line}\n", if k == 0 { "  " } else { "    " });
        }
    }
    if rules.len() > most {
        out += &format!("  … {} more rules; --rows N prints more, --json has all\n", text::count(rules.len() - most));
    }
    out
}

fn table(title: &str, columns: &[String], meanings: &[ColumnMeaning], cells: &[Vec<Cell>], most: usize) -> String {
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
    // Long texts are wrapped and long names truncated, if that makes the table fit.
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
    // A table that is still too wide is folded: the first column is repeated in front of as many others as fit.
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
        let heads: Vec<String> = picked.iter().map(|&j| text::truncate(&columns[j], room(j))).collect();
        let align: Vec<Align> = picked.iter().map(|&j| if words[j] { Align::Left } else { Align::Right }).collect();
        let mut lines: Vec<Vec<String>> = Vec::new();
        for i in 0..shown.len() {
            let cell = |j: usize| match wrap {
                Some((w, room)) if w == j => {
                    text::paragraph(&body_shown[j][i], room).lines().map(|l| text::truncate(l, room)).collect()
                }
                _ => vec![text::truncate(&body_shown[j][i], room(j))],
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

/// The cells of a column as text, numbers aligned at their decimal points.
fn column(meaning: Option<&ColumnMeaning>, rows: &[Vec<Cell>], j: usize, aligned: bool) -> Vec<String> {
    let is_p = meaning == Some(&ColumnMeaning::Probability);
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

/// A p-value: three digits, and below the precision of the distributions only an upper bound.
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
        let heads = [("coefficient", ColumnMeaning::Coefficient), ("p", ColumnMeaning::Probability)];
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
        let mut report = Report::default();
        let what = "filled with the mean 43.9219; standardized: minus 43.9219, divided by 5.4516 and then some";
        report.table(
            "Preparation",
            &["column", "what was done", "new columns"],
            vec![vec!["bill_length_mm".into(), what.into(), 1.0.into()]],
        );
        let out = render(&report, 40);
        assert!(out.lines().all(|l| l.chars().count() <= 80) && out.contains("some") && !out.contains('…'), "{out}");
        assert_eq!(out.matches("column ").count(), 1, "no fold: {out}");
    }
}
