//! A row of too many or too few cells, put under the columns it fits best.

use std::borrow::Cow;

use super::cell_kind::{CellKind, KindCounts};
use super::style::Cell;

/// Most cells of a row that is aligned by kinds; longer ones are filled up or joined at the end.
const MOST_CELLS: usize = 400;

const MISMATCH: f64 = 3.0;
const ADDED: f64 = 1.0;
const REMOVED: f64 = 1.0;
const JOINED: f64 = 1.6;

/// What was done to a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RowChange {
    Unchanged,
    /// Empty cells were added.
    Filled,
    /// Surplus empty cells were removed.
    Trimmed,
    /// Cells were joined that a delimiter had cut.
    Joined,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Place,
    Add,
    Remove,
    Join,
}

/// What it costs to have a cell of this kind in a column.
fn misfit(kind: CellKind, column: &KindCounts) -> f64 {
    match (column.kind(), kind) {
        (_, CellKind::Missing) => 1.0 - column.missing_share(),
        (CellKind::Missing, _) => 1.0,
        (CellKind::Text, CellKind::Text) => 0.0,
        (CellKind::Text, _) => 0.5,
        (a, b) if a == b => 0.0,
        _ => MISMATCH,
    }
}

/// The cells under as many columns, what was done, and how badly they fit.
pub(crate) fn align<'t>(cells: Vec<Cell<'t>>, columns: &[KindCounts], delimiter: u8) -> (Vec<Cell<'t>>, RowChange, f64) {
    let (n, w) = (cells.len(), columns.len());
    let kinds: Vec<CellKind> = cells.iter().map(|c| CellKind::of(&c.text)).collect();
    if n == w {
        let cost = kinds.iter().zip(columns).map(|(&k, c)| misfit(k, c)).sum();
        return (cells, RowChange::Unchanged, cost);
    }
    if n.max(w) > MOST_CELLS {
        return at_the_end(cells, w, delimiter);
    }
    // The cheapest way to have put so many cells under so many columns.
    let at = |i: usize, j: usize| i * (w + 1) + j;
    let mut best = vec![(f64::INFINITY, Step::Place); (n + 1) * (w + 1)];
    best[0].0 = 0.0;
    for i in 0..=n {
        for j in 0..=w {
            let here = at(i, j);
            // Of equal ways the one that changes the end of the row.
            if j > 0 {
                let cost = best[at(i, j - 1)].0 + ADDED + 0.2 * (1.0 - columns[j - 1].missing_share());
                take(&mut best[here], cost, Step::Add);
            }
            if i > 0 && cells[i - 1].is_empty() {
                let cost = best[at(i - 1, j)].0 + REMOVED;
                take(&mut best[here], cost, Step::Remove);
            }
            if i > 0 && j > 0 {
                let placed = best[at(i - 1, j - 1)].0 + misfit(kinds[i - 1], &columns[j - 1]);
                let text = columns[j - 1].kind() == CellKind::Text;
                let joined = best[at(i - 1, j)].0 + if text { JOINED } else { JOINED + MISMATCH };
                take(&mut best[here], placed, Step::Place);
                take(&mut best[here], joined, Step::Join);
            }
        }
    }
    let cost = best[at(n, w)].0;
    let (mut i, mut j, mut steps) = (n, w, Vec::with_capacity(n + w));
    while i > 0 || j > 0 {
        let step = best[at(i, j)].1;
        steps.push(step);
        i -= usize::from(step != Step::Add);
        j -= usize::from(matches!(step, Step::Add | Step::Place));
    }
    let change = [(Step::Join, RowChange::Joined), (Step::Remove, RowChange::Trimmed), (Step::Add, RowChange::Filled)]
        .into_iter()
        .find(|(step, _)| steps.contains(step))
        .map_or(RowChange::Unchanged, |(_, change)| change);
    let mut cells = cells.into_iter();
    let mut out: Vec<Cell<'t>> = Vec::with_capacity(w);
    for step in steps.into_iter().rev() {
        match step {
            Step::Add => out.push(empty()),
            Step::Remove => drop(cells.next()),
            Step::Place => out.extend(cells.next()),
            Step::Join => join(&mut out, cells.next(), delimiter),
        }
    }
    (out, change, cost)
}

fn take(best: &mut (f64, Step), cost: f64, step: Step) {
    if cost < best.0 - 1e-9 {
        *best = (cost, step);
    }
}

fn empty<'t>() -> Cell<'t> {
    Cell { text: Cow::Borrowed(""), quoted: false }
}

fn join<'t>(out: &mut [Cell<'t>], next: Option<Cell<'t>>, delimiter: u8) {
    if let (Some(last), Some(next)) = (out.last_mut(), next) {
        let text = last.text.to_mut();
        text.push(char::from(delimiter));
        text.push_str(&next.text);
    }
}

fn at_the_end<'t>(mut cells: Vec<Cell<'t>>, w: usize, delimiter: u8) -> (Vec<Cell<'t>>, RowChange, f64) {
    let mut change = RowChange::Filled;
    while cells.len() > w && cells.last().is_some_and(Cell::is_empty) {
        cells.pop();
        change = RowChange::Trimmed;
    }
    for extra in cells.split_off(w.min(cells.len())) {
        join(&mut cells, Some(extra), delimiter);
        change = RowChange::Joined;
    }
    cells.resize_with(w, empty);
    (cells, change, MISMATCH)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns(rows: &[&str]) -> Vec<KindCounts> {
        let width = rows[0].split(',').count();
        let mut out = vec![KindCounts::default(); width];
        rows.iter().for_each(|r| r.split(',').zip(&mut out).for_each(|(c, k)| k.add(CellKind::of(c))));
        out
    }

    fn aligned(row: &str, columns: &[KindCounts]) -> (String, RowChange) {
        let cells = row.split(',').map(|c| Cell { text: c.to_owned().into(), quoted: false }).collect();
        let (cells, change, _) = align(cells, columns, b',');
        (cells.iter().map(|c| &*c.text).collect::<Vec<_>>().join("|"), change)
    }

    #[test]
    fn cells_go_under_the_columns_they_fit() {
        let columns = columns(&["2024-01-01,00:15,3,Hat,4.5,", "2024-01-02,00:30,1,Coat,9.5,", "2024-01-03,00:45,2,Shoe,7.5,"]);
        assert_eq!(aligned("2024-01-04,01:00,Cap,3.5,", &columns), ("2024-01-04|01:00||Cap|3.5|".into(), RowChange::Filled));
        assert_eq!(aligned("2024-01-04,01:00,,2,Cap,3.5,", &columns), ("2024-01-04|01:00|2|Cap|3.5|".into(), RowChange::Trimmed));
        assert_eq!(aligned(",2024-01-04,01:00,2,Cap,3.5,", &columns), ("2024-01-04|01:00|2|Cap|3.5|".into(), RowChange::Trimmed));
        assert_eq!(
            aligned("2024-01-04,01:00,2,Cap, large,3.5,", &columns),
            ("2024-01-04|01:00|2|Cap, large|3.5|".into(), RowChange::Joined)
        );
        assert_eq!(aligned("2024-01-04,01:00,2", &columns), ("2024-01-04|01:00|2|||".into(), RowChange::Filled));
    }

    #[test]
    fn very_wide_rows_lose_nothing() {
        let columns = vec![KindCounts::default(); 500];
        let row = vec!["1"; 502].join(",");
        let (text, change) = aligned(&row, &columns);
        assert_eq!((text.matches('|').count(), text.matches('1').count(), change), (499, 502, RowChange::Joined));
    }
}
