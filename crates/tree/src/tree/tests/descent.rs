//! The leaf of a row against a walk by the published arrays, one row at a time.

use ermine_core::MatRef;
use serde_json::json;

use super::*;

/// The leaf by the meaning of the arrays; `cell` gives a number or a name, and nothing if it is missing.
fn walk(model: &TreeModel, number: impl Fn(usize) -> f64, name: impl Fn(usize) -> Option<String>) -> u32 {
    let n = model.nodes();
    let mut at = 0;
    while n.left[at] >= 0 {
        let feature = n.feature[at] as usize;
        let left = match model.categories(feature) {
            Some(known) => match name(feature) {
                Some(name) if known.contains(&name) => model.left_categories(at).unwrap().contains(&name.as_str()),
                _ => n.missing_left[at] == 1,
            },
            None if number(feature).is_nan() => n.missing_left[at] == 1,
            None => number(feature) <= n.threshold[at],
        };
        at = (if left { n.left[at] } else { n.right[at] }) as usize;
    }
    at as u32
}

/// Numbers with a share of missing ones.
fn with_holes(rows: usize, cols: usize, seed: u64) -> Mat<f64> {
    let (x, mut s) = (normal(rows, cols, seed), RngStream::new(seed, "holes", 0));
    Mat::from_fn(rows, cols, |i, j| if s.below(6) == 0 { f64::NAN } else { f64::from(x[(i, j)] as f32) })
}

const COUNTS: [usize; 9] = [0, 1, 2, 7, 8, 9, 23, 1024, 1037];

#[test]
fn rows_of_any_number_find_their_leaves() {
    let x = with_holes(600, 4, 21);
    let mut s = RngStream::new(22, "y", 0);
    let y = labels(&(0..600).map(|i| if x[(i, 1)] > 0.0 { 1.0 } else { s.below(3) as f64 }).collect::<Vec<_>>());
    // From one leaf to a tree as deep as it gets.
    for depth in [0, 1, 3, 100] {
        let model = match depth {
            0 => fit(&tree(json!({"min_samples_leaf": 600})), &x, &y),
            depth => fit(&tree(json!({"max_depth": depth})), &x, &y),
        };
        assert_eq!(model.node_count() == 1, depth == 0);
        for count in COUNTS {
            let rows = with_holes(count, 4, 23);
            let truth: Vec<u32> = (0..count).map(|i| walk(&model, |j| rows[(i, j)], |_| None)).collect();
            let columns: Vec<f64> = (0..4).flat_map(|j| (0..count).map(move |i| (i, j))).map(|at| rows[at]).collect();
            let f32_cells: Vec<f32> = rows.as_slice().iter().map(|&v| v as f32).collect();
            let table = Table::new((0..4).map(|j| (format!("{j}"), Column::numbers((0..count).map(|i| rows[(i, j)]).collect()))));
            let table = table.unwrap();
            for x in [
                Features::F64(rows.view()),
                Features::F64(MatRef::col_major(&columns, count, 4)),
                Features::F32(MatRef::row_major(&f32_cells, count, 4)),
                Features::Table(table.view()),
            ] {
                assert_eq!(model.apply(&x).unwrap(), truth, "depth {depth}, {count} rows");
            }
        }
    }
}

#[test]
fn categories_find_their_leaves_too() {
    const NAMES: [&str; 7] = ["ant", "bee", "cat", "dog", "eel", "fox", "new"];
    let build = |count: usize, known: usize, seed: u64| {
        let mut s = RngStream::new(seed, "names", 0);
        let cells: Vec<Option<&str>> =
            (0..count).map(|_| Some(s.below(known + 1)).filter(|&k| k < known).map(|k| NAMES[k])).collect();
        let numbers: Vec<f64> = (0..count).map(|_| if s.below(5) == 0 { f64::NAN } else { s.normal() }).collect();
        // The category comes first: what a row looks at in a leaf is column 0.
        (
            Table::new([("kind".to_string(), Column::categories(&cells)), ("size".to_string(), Column::numbers(numbers))])
                .unwrap(),
            cells,
        )
    };
    let (table, cells) = build(500, 6, 31);
    let sizes = table.view().numbers(1).unwrap().to_vec();
    let class = |i: usize| f64::from(matches!(cells[i], Some("bee" | "eel") | None) != (sizes[i] > 0.3));
    let y = labels(&(0..500).map(class).collect::<Vec<_>>());
    let data = DatasetRef::new(Features::Table(table.view())).with_target(y.view());
    let model = tree(json!({})).fit_with(&data, &Context::default()).unwrap();
    assert!((0..model.node_count()).any(|i| model.left_categories(i).is_some()));
    for count in COUNTS {
        let (table, cells) = build(count, 7, 32);
        let x = Features::Table(table.view());
        let sizes = table.view().numbers(1).unwrap().to_vec();
        let truth: Vec<u32> = (0..count).map(|i| walk(&model, |_| sizes[i], |_| cells[i].map(String::from))).collect();
        assert_eq!(model.apply(&x).unwrap(), truth, "{count} rows");
    }
}
