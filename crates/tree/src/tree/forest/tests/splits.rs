//! Splits: a forest of one tree is the single tree, and histograms that hold every value find exact splits.

use super::super::super::sorted::RowSubset;
use super::super::binning::{BinBuilder, ForestSummary};
use super::super::bins::BinnedData;
use super::*;
use crate::columns::ColumnCells;

/// The nodes of the single tree with the same parameters, as the forest keeps them.
fn single(params: &Value, x: &Mat<f64>, y: Target<'_>, weight: Option<&[f64]>) -> Vec<TreeNode> {
    let mut tree = Tree::default();
    tree.set_all(params.as_object().unwrap()).unwrap();
    let data = DatasetRef::new(Features::F64(x.view())).with_target(y).with_weight(weight);
    super::super::super::ensemble::nodes_of(&tree.grow(&data, &Context::default()).unwrap().0)
}

fn same_tree(found: &[TreeNode], expected: &[TreeNode], what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}: nodes");
    for (i, (a, b)) in found.iter().zip(expected).enumerate() {
        assert_eq!((a.feature, a.right, a.missing_left), (b.feature, b.right, b.missing_left), "{what}: node {i}");
        assert_eq!(a.threshold, b.threshold, "{what}: threshold of node {i}");
        assert!((a.cover - b.cover).abs() <= 1e-12 * b.cover, "{what}: weight of node {i}");
        let top = b.values.iter().fold(1e-300f64, |m, v| m.max(v.abs()));
        for (p, q) in a.values.iter().zip(&b.values) {
            assert!((p - q).abs() <= 1e-9 * top, "{what}: value of node {i}: {p} and {q}");
        }
    }
}

/// Of numbers, splits of equal gain may differ by rounding; the predictions of the tree are the same.
fn same_answers(found: &[TreeNode], expected: &[TreeNode], x: &Mat<f64>, what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}: nodes");
    let answers = |nodes: &[TreeNode]| -> Vec<f64> { (0..x.rows()).map(|i| walk(nodes, x.row(i))[0]).collect() };
    for (i, (p, q)) in answers(found).iter().zip(answers(expected)).enumerate() {
        assert!((p - q).abs() <= 1e-9 * (1.0 + q.abs()), "{what}: row {i}: {p} and {q}");
    }
}

#[test]
fn one_tree_on_all_rows_is_the_single_tree() {
    let weights: Vec<f64> = (0..400).map(|i| 0.25 + (i % 7) as f64 * 0.37).collect();
    let whole: Vec<f64> = (0..400).map(|i| 1.0 + (i % 3) as f64).collect();
    for (name, x) in
        [("normal", normal(400, 5, 1)), ("coarse", coarse(400, 5, 6, 2)), ("missing", with_missing(normal(400, 5, 3), 0.15, 4))]
    {
        let filled = Mat::from_fn(400, 5, |i, j| if x[(i, j)].is_nan() { 0.5 } else { x[(i, j)] });
        for weight in [None, Some(&weights[..]), Some(&whole[..])] {
            for limits in [json!({}), json!({"min_samples_leaf": 7, "max_depth": 6}), json!({"max_leaf_nodes": 12})] {
                for (count, criterion) in [(2, "gini"), (2, "entropy"), (3, "gini"), (5, "entropy")] {
                    let y = classes(&filled, count, 5);
                    let mut params = limits.clone();
                    params["criterion"] = json!(criterion);
                    let model = fit(&alone(params.clone()), &x, y.view(), weight);
                    let what = format!("{name}, {count} classes, {criterion}, {limits}, weights {}", weight.is_some());
                    let (found, expected) = (model.trees.nodes(0), single(&params, &x, y.view(), weight));
                    // Products of weights that are not whole are rounded, and with them gains.
                    if weight == Some(&weights[..]) {
                        same_answers(&found, &expected, &x, &what);
                    } else {
                        same_tree(&found, &expected, &what);
                    }
                }
                let y: Vec<f64> = numbers(&filled, 6).iter().map(|v| v + 3.0).map(|v| v.max(0.0)).collect();
                for criterion in ["squared_error", "poisson", "absolute_error"] {
                    let mut params = limits.clone();
                    params["criterion"] = json!(criterion);
                    let model = fit(&alone(params.clone()), &x, Target::Real(&y), weight);
                    let what = format!("{name}, {criterion}, {limits}, weights {}", weight.is_some());
                    same_answers(&model.trees.nodes(0), &single(&params, &x, Target::Real(&y), weight), &x, &what);
                }
            }
        }
    }
}

#[test]
fn histograms_that_hold_every_value_find_the_exact_splits() {
    // Few values: every bin holds one, in nodes of any size, on both sides of the sizes at which the search changes.
    for (rows, values) in [(300, 200), (3000, 250), (6000, 255)] {
        let x = with_missing(coarse(rows, 4, values, 7), 0.1, 8);
        let filled = Mat::from_fn(rows, 4, |i, j| if x[(i, j)].is_nan() { 0.0 } else { x[(i, j)] / 40.0 });
        for count in [2, 4] {
            let y = classes(&filled, count, 9);
            let model = |splitter: &str| fit(&alone(json!({"splitter": splitter})), &x, y.view(), None);
            same_tree(&model("histogram").trees.nodes(0), &model("exact").trees.nodes(0), "classes");
            same_tree(&model("histogram").trees.nodes(0), &single(&json!({}), &x, y.view(), None), "classes of the tree");
        }
        let y = numbers(&filled, 10);
        let model = fit(&alone(json!({"splitter": "histogram"})), &x, Target::Real(&y), None);
        same_answers(&model.trees.nodes(0), &single(&json!({}), &x, Target::Real(&y), None), &x, "numbers");
    }
}

#[test]
fn categories_split_like_those_of_the_single_tree() {
    let mut s = RngStream::new(11, "words", 0);
    let (n, words) = (500, ["a", "b", "c", "d", "e", "f", "g"]);
    let cells: Vec<Option<&str>> = (0..n).map(|_| (s.uniform() > 0.1).then(|| words[s.below(7)])).collect();
    let other: Vec<f64> = (0..n).map(|_| s.normal()).collect();
    let table = Table::new([("word", Column::categories(&cells)), ("size", Column::numbers(other.clone()))]).unwrap();
    let effect =
        |i: usize| cells[i].map_or(0.3, |w| [1.0, -1.0, 0.4, 2.0, -0.2, 0.9, -2.0][words.iter().position(|x| *x == w).unwrap()]);
    let score: Vec<f64> = (0..n).map(|i| effect(i) + 0.5 * other[i] + 0.4 * s.normal()).collect();
    let labels = |count: usize| -> OwnedTarget {
        let label = |v: &f64| format!("{}", ((v + 4.0).max(0.0) as usize).min(2 + count) % count);
        OwnedTarget::from_labels(&score.iter().map(label).collect::<Vec<_>>())
    };
    for y in [labels(2), labels(3), OwnedTarget::Real(score.clone())] {
        let data = DatasetRef::new(Features::Table(table.view())).with_target(y.view());
        let model = alone(json!({})).fit_with(&data, &Context::default()).unwrap();
        let tree = Tree::default().grow(&data, &Context::default()).unwrap().0;
        let expected = super::super::super::ensemble::nodes_of(&tree);
        let nodes = model.trees.nodes(0);
        same_tree(&nodes, &expected, "categories");
        assert!(nodes.iter().zip(&expected).all(|(a, b)| a.categories == b.categories), "sets of categories");
        assert!(nodes.iter().any(|n| n.categories.is_some()));
    }
}

#[test]
fn weight_two_is_the_row_twice() {
    let x = normal(200, 4, 12);
    let y = numbers(&x, 13);
    let weight: Vec<f64> = (0..200).map(|i| if i % 3 == 0 { 2.0 } else { 1.0 }).collect();
    let rows: Vec<usize> = (0..200).flat_map(|i| vec![i; weight[i] as usize]).collect();
    for splitter in ["exact", "histogram"] {
        let learner = forest(json!({"n_estimators": 5, "bootstrap": false, "splitter": splitter, "max_features": 2}));
        let data = DatasetRef::new(Features::F64(x.view())).with_target(Target::Real(&y));
        let twice = data.take_rows(&rows);
        let a = fit(&learner, &x, Target::Real(&y), Some(&weight)).predict(&data.x).unwrap();
        let b = learner.fit_with(&twice.view(), &Context::default()).unwrap().predict(&data.x).unwrap();
        let worst = a.as_slice().iter().zip(b.as_slice()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(worst < 1e-12, "{splitter}: {worst}");
    }
}

/// The only column of `x`, in at most `max_bins` bins.
fn binned(x: &Mat<f64>, max_bins: usize) -> BinnedData {
    let data = DatasetRef::new(Features::F64(x.view()));
    let mut filling = BinBuilder::new(&ForestSummary::of_rows(&data, &Context::default()).unwrap(), max_bins);
    filling.append(&ColumnCells::new(data.x), x.rows(), &RowSubset::All(x.rows()));
    filling.finish()
}

#[test]
fn bins_hold_about_as_many_rows_each() {
    // Up to 8192 values are counted one by one, more are summed up first.
    for (n, slack) in [(8000, 0), (100_000, 200)] {
        let x = normal(n, 1, 14);
        let binned = binned(&x, 100);
        assert_eq!(binned.columns[0].bins(), 100);
        let mut counts = vec![0usize; 100];
        binned.column(0).iter().for_each(|&b| counts[usize::from(b)] += 1);
        assert!(counts.iter().all(|&c| c.abs_diff(n / 100) <= slack), "{counts:?}");
        let column = &binned.columns[0];
        for i in 0..n {
            let b = usize::from(binned.column(0)[i]);
            assert!(column.low[b] <= x[(i, 0)] && x[(i, 0)] <= column.high[b]);
            assert_eq!(binned.rows_of_cells()[i], b as u8);
        }
        assert!((1..100).all(|b| column.high[b - 1] < column.low[b]));
    }
    // A value that half of the rows have keeps a bin of its own, and the others share the rest.
    let x = Mat::from_fn(1000, 1, |i, _| if i % 2 == 0 { 0.0 } else { i as f64 });
    let binned = binned(&x, 11);
    assert_eq!((binned.columns[0].low[0], binned.columns[0].high[0]), (0.0, 0.0));
    assert!(binned.columns[0].bins() >= 9);
}
