//! Shapley values against their definition: all subsets of the columns.

use ermine_core::{Attributor, Column, Context, DatasetRef, Features, Learner, Mat, Model, Regressor, RngStream, Table, Target};

use crate::boosting::Boosting;
use crate::tree::forest::RandomForest;
use crate::tree::gradient_boosting::GradientBoosting;

use super::super::{TreeNode, Trees};
use super::engine::{cells_with_holes, present, random_trees};

/// The expected output of a tree where only the columns of `known` are known.
fn expected(tree: &[TreeNode], at: usize, known: u32, cell: &dyn Fn(usize) -> Option<f64>) -> Vec<f64> {
    let node = &tree[at];
    if node.right == 0 {
        return node.values.clone();
    }
    let (l, r) = (at + 1, node.right as usize);
    if known >> node.feature & 1 == 1 {
        let left = match (cell(node.feature as usize), &node.categories) {
            (None, _) => node.missing_left,
            (Some(v), Some(codes)) => codes.contains(&(v as u32)),
            (Some(v), None) => v <= node.threshold,
        };
        return expected(tree, if left { l } else { r }, known, cell);
    }
    let (a, b) = (expected(tree, l, known, cell), expected(tree, r, known, cell));
    let share = tree[l].cover / (tree[l].cover + tree[r].cover);
    a.iter().zip(&b).map(|(a, b)| share * a + (1.0 - share) * b).collect()
}

fn factorial(n: usize) -> f64 {
    (1..=n).map(|k| k as f64).product()
}

/// Shapley values by definition: for each output the columns, then the expected value.
fn naive(list: &[Vec<TreeNode>], columns: usize, outputs: usize, cell: &dyn Fn(usize) -> Option<f64>) -> Vec<f64> {
    let mut out = vec![0.0; (columns + 1) * outputs];
    for (t, tree) in list.iter().enumerate() {
        let output = |k: usize| if tree[0].values.len() == 1 { t % outputs } else { k };
        let of: Vec<Vec<f64>> = (0..1u32 << columns).map(|known| expected(tree, 0, known, cell)).collect();
        for (k, v) in of[0].iter().enumerate() {
            out[output(k) * (columns + 1) + columns] += v;
            for i in 0..columns {
                for known in (0..1usize << columns).filter(|s| s >> i & 1 == 0) {
                    let size = known.count_ones() as usize;
                    let weight = factorial(size) * factorial(columns - size - 1) / factorial(columns);
                    out[output(k) * (columns + 1) + i] += weight * (of[known | 1 << i][k] - of[known][k]);
                }
            }
        }
    }
    out
}

fn assert_near(a: &[f64], b: &[f64]) {
    a.iter().zip(b).for_each(|(a, b)| assert!((a - b).abs() <= 1e-13 * (1.0 + b.abs()), "{a} for {b}"));
}

#[test]
fn the_values_are_those_of_the_definition() {
    const SIZES: [usize; 6] = [1, 2, 5, 12, 30, 60];
    for (width, outputs) in [(1, 1), (1, 2), (3, 3)] {
        let (trees, list) = random_trees(21, &[0; 6], &SIZES, width);
        let rows = cells_with_holes(20, 6, 22);
        let shap = trees.shap(&Features::F64(rows.view()), 0..SIZES.len(), outputs).unwrap();
        for i in 0..20 {
            assert_near(shap.row(i), &naive(&list, 6, outputs, &|j| present(rows[(i, j)])));
        }
        let expected: Vec<f64> = (0..outputs).map(|k| shap.row(0)[7 * k + 6]).collect();
        assert_eq!(trees.expected(0..SIZES.len(), outputs), expected);
    }
}

#[test]
fn categories_and_missing_cells_count_too() {
    let (trees, list) = random_trees(23, &[4, 0, 50], &[10, 20, 30], 1);
    let mut s = RngStream::new(24, "codes", 0);
    let codes: Vec<[Option<f64>; 3]> =
        (0..30).map(|_| [Some(s.below(4) as f64), (s.below(4) > 0).then(|| s.normal()), Some(s.below(50) as f64)]).collect();
    let names = |j: usize| codes.iter().map(|c| c[j].map(|c| format!("c{c}"))).collect::<Vec<_>>();
    let table = Table::new([
        ("a", Column::categories(&names(0))),
        ("b", Column::numbers(codes.iter().map(|c| c[1].unwrap_or(f64::NAN)).collect())),
        ("c", Column::categories(&names(2))),
    ])
    .unwrap();
    let shap = trees.shap(&Features::Table(table.view()), 0..3, 1).unwrap();
    (0..30).for_each(|i| assert_near(shap.row(i), &naive(&list, 3, 1, &|j| codes[i][j])));
}

#[test]
fn the_values_sum_to_the_prediction_however_deep() {
    let (trees, _) = random_trees(25, &[0; 40], &[63, 200, 700], 2);
    let rows = cells_with_holes(100, 40, 26);
    let x = Features::F64(rows.view());
    let shap = trees.shap(&x, 0..3, 2).unwrap();
    let mut sum = Mat::zeros(100, 2);
    trees.add_to(&x, 0..3, 2, &mut sum).unwrap();
    for i in 0..100 {
        for k in 0..2 {
            let total: f64 = shap.row(i)[k * 41..(k + 1) * 41].iter().sum();
            assert!((total - sum[(i, k)]).abs() <= 1e-12, "{total} for {}", sum[(i, k)]);
        }
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    assert_eq!(pool.install(|| trees.shap(&x, 0..3, 2).unwrap()), shap);
}

#[test]
fn branches_without_cover_are_no_obstacle() {
    let leaf = |v: f64, cover: f64| TreeNode { values: vec![v], cover, ..TreeNode::default() };
    let test = |feature: u32, right: u32, cover: f64| TreeNode { feature, right, ..leaf(0.0, cover) };
    // Nothing of the training rows came to the right, where there are two more leaves.
    let tree = [test(0, 2, 5.0), leaf(1.0, 5.0), test(1, 4, 0.0), leaf(2.0, 0.0), leaf(4.0, 0.0)];
    let mut trees = Trees::new(vec![None; 2], 1);
    trees.push(&tree);
    let rows = Mat::from_vec(3, 2, vec![-1.0, -1.0, 1.0, -1.0, 1.0, 1.0]);
    let shap = trees.shap(&Features::F64(rows.view()), 0..1, 1).unwrap();
    for (i, truth) in [1.0, 2.0, 4.0].into_iter().enumerate() {
        assert!(shap.row(i).iter().all(|v| v.is_finite()));
        assert!((shap.row(i).iter().sum::<f64>() - truth).abs() < 1e-14);
    }
}

/// Rows with holes, a target of numbers and one of three classes that follow from them.
fn problem() -> (Mat<f64>, Vec<f64>, Vec<u32>) {
    let cells = cells_with_holes(80, 4, 31);
    // Forests refuse infinite values.
    let x = Mat::from_fn(80, 4, |i, j| if cells[(i, j)].is_infinite() { 0.3 } else { cells[(i, j)] });
    let mut s = RngStream::new(32, "noise", 0);
    let y: Vec<f64> = (0..80)
        .map(|i| {
            let cell = |j: usize| present(x[(i, j)]).unwrap_or(0.7);
            cell(0) * cell(1) + if cell(2) > 0.2 { 1.5 } else { 0.0 } + 0.1 * s.normal()
        })
        .collect();
    let classes = y.iter().map(|&v| u32::from(v > 0.0) + u32::from(v > 1.2)).collect();
    (x, y, classes)
}

/// The parts are those of the definition, and sum to the prediction of the model.
fn assert_explained(model: &dyn Attributor, trees: &Trees, start: &[f64], factor: f64, x: &Mat<f64>, predictions: &Mat<f64>) {
    let outputs = model.n_outputs();
    assert_eq!((outputs, predictions.cols()), (start.len(), start.len()));
    let list: Vec<Vec<TreeNode>> = (0..trees.n_trees()).map(|t| trees.nodes(t)).collect();
    assert!(list.iter().any(|t| t.len() > 5), "stumps explain nothing");
    let parts = model.attributions(&Features::F64(x.view())).unwrap();
    let width = x.cols() + 1;
    for i in 0..x.rows() {
        let mut truth = naive(&list, x.cols(), outputs, &|j| present(x[(i, j)]));
        truth.iter_mut().for_each(|v| *v *= factor);
        (0..outputs).for_each(|k| truth[k * width + x.cols()] += start[k]);
        assert_near(parts.row(i), &truth);
        for k in 0..outputs {
            let part = &parts.row(i)[k * width..(k + 1) * width];
            assert_near(&[part.iter().sum()], &[predictions[(i, k)]]);
            assert_near(&[part[x.cols()]], &[model.base_values()[k]]);
        }
    }
}

#[test]
fn forests_and_boosting_are_explained_as_a_whole() {
    let (x, y, codes) = problem();
    let features = Features::F64(x.view());
    let cx = Context::default();
    let names = ["a", "b", "c"].map(String::from);
    let two: Vec<u32> = codes.iter().map(|c| c / 2).collect();
    let targets =
        [Target::Real(&y), Target::Class { codes: &two, names: &names[..2] }, Target::Class { codes: &codes, names: &names }];
    for target in targets {
        let data = DatasetRef::new(features).with_target(target);
        let forest =
            RandomForest { n_estimators: 7, max_depth: Some(4), ..RandomForest::default() }.fit_with(&data, &cx).unwrap();
        let predictions = forest.as_classifier().map_or_else(|| forest.predict(&features), |c| c.proba(&features)).unwrap();
        assert_explained(&forest, forest.trees(), &vec![0.0; predictions.cols()], 1.0 / 7.0, &x, &predictions);

        let exact = GradientBoosting { n_estimators: 6, ..GradientBoosting::default() }.fit_with(&data, &cx).unwrap();
        let predictions = match exact.as_classifier() {
            Some(c) => c.decision(&features).unwrap().unwrap(),
            None => exact.predict(&features).unwrap(),
        };
        assert_explained(&exact, exact.trees(), exact.start(), 1.0, &x, &predictions);

        let learner = Boosting { max_iter: 6, min_samples_leaf: 5, ..Boosting::default() };
        let boosted = learner.fit_with(&data, &cx).unwrap();
        assert_explained(&boosted, boosted.trees(), boosted.start(), 1.0, &x, &boosted.scores(&features).unwrap());
    }
    // Where predictions are exponentials, their logarithms are explained.
    let counts: Vec<f64> = codes.iter().map(|&c| f64::from(c)).collect();
    let data = DatasetRef::new(features).with_target(Target::Real(&counts));
    let learner = Boosting { max_iter: 6, min_samples_leaf: 5, loss: "poisson".into(), ..Boosting::default() };
    let boosted = learner.fit_with(&data, &cx).unwrap();
    assert_explained(&boosted, boosted.trees(), boosted.start(), 1.0, &x, &boosted.scores(&features).unwrap());
    assert_eq!(Attributor::output_name(&boosted), "logarithm of the prediction");
}
