use std::sync::Arc;

use ermine_core::{Column, Csr, Error, Features, Mat, MatRef, ModelWriter, RngStream, Table};

use super::super::{TreeNode, Trees};

/// A tree of about `leaves` leaves over columns of numbers and categories, grown by splitting any leaf; thresholds are
/// f32, so that f32 and f64 cells go the same way.
pub(super) fn random_tree(s: &mut RngStream, categories: &[usize], leaves: usize, width: usize) -> Vec<TreeNode> {
    enum Grown {
        Leaf,
        Inner(TreeNode, Box<Grown>, Box<Grown>),
    }
    fn grow(s: &mut RngStream, categories: &[usize], leaves: usize) -> Grown {
        if leaves <= 1 {
            return Grown::Leaf;
        }
        let feature = s.below(categories.len());
        let codes = (categories[feature] > 0).then(|| (0..categories[feature] as u32).filter(|_| s.below(3) == 0).collect());
        let threshold = if codes.is_some() { 0.0 } else { f64::from(s.normal() as f32) };
        let node = TreeNode {
            feature: feature as u32,
            threshold,
            missing_left: s.below(2) == 0,
            categories: codes,
            ..TreeNode::default()
        };
        let left = 1 + s.below(leaves - 1);
        Grown::Inner(node, Box::new(grow(s, categories, left)), Box::new(grow(s, categories, leaves - left)))
    }
    fn flatten(s: &mut RngStream, tree: Grown, width: usize, out: &mut Vec<TreeNode>) -> f64 {
        let values = (0..width).map(|_| s.normal()).collect();
        match tree {
            Grown::Leaf => {
                let cover = 1.0 + s.below(9) as f64;
                out.push(TreeNode { cover, values, ..TreeNode::default() });
                cover
            }
            Grown::Inner(node, left, right) => {
                let at = out.len();
                out.push(TreeNode { values, gain: s.uniform(), ..node });
                let mut cover = flatten(s, *left, width, out);
                out[at].right = out.len() as u32;
                cover += flatten(s, *right, width, out);
                out[at].cover = cover;
                cover
            }
        }
    }
    let tree = grow(s, categories, leaves);
    let mut out = Vec::new();
    flatten(s, tree, width, &mut out);
    out
}

pub(super) fn names(count: usize) -> Option<Arc<Vec<String>>> {
    (count > 0).then(|| Arc::new((0..count).map(|c| format!("c{c}")).collect()))
}

pub(super) fn random_trees(seed: u64, categories: &[usize], leaves: &[usize], width: usize) -> (Trees, Vec<Vec<TreeNode>>) {
    let mut s = RngStream::new(seed, "trees", 0);
    let mut trees = Trees::new(categories.iter().map(|&c| names(c)).collect(), width);
    let list: Vec<Vec<TreeNode>> = leaves.iter().map(|&l| random_tree(&mut s, categories, l, width)).collect();
    list.iter().for_each(|tree| trees.push(tree));
    (trees, list)
}

/// The leaf by the meaning of the nodes: a number, a code, or missing.
fn walk(tree: &[TreeNode], cell: impl Fn(usize) -> Option<f64>) -> usize {
    let mut at = 0;
    while tree[at].right != 0 {
        let node = &tree[at];
        let left = match (cell(node.feature as usize), &node.categories) {
            (None, _) => node.missing_left,
            (Some(v), Some(codes)) => codes.contains(&(v as u32)),
            (Some(v), None) => v <= node.threshold,
        };
        at = if left { at + 1 } else { node.right as usize };
    }
    at
}

/// What the rows add up to, tree by tree.
fn naive(list: &[Vec<TreeNode>], outputs: usize, rows: usize, cell: impl Fn(usize, usize) -> Option<f64>) -> Mat<f64> {
    let mut out = Mat::zeros(rows, outputs);
    for i in 0..rows {
        for (t, tree) in list.iter().enumerate() {
            let values = &tree[walk(tree, |j| cell(i, j))].values;
            for (k, v) in values.iter().enumerate() {
                out[(i, if values.len() == 1 { t % outputs } else { k })] += v;
            }
        }
    }
    out
}

pub(super) fn cells_with_holes(rows: usize, cols: usize, seed: u64) -> Mat<f64> {
    let mut s = RngStream::new(seed, "cells", 0);
    Mat::from_fn(rows, cols, |_, _| match s.below(12) {
        0 => f64::NAN,
        1 => 0.0,
        2 => f64::INFINITY,
        3 => f64::NEG_INFINITY,
        _ => f64::from(s.normal() as f32),
    })
}

pub(super) fn present(v: f64) -> Option<f64> {
    (!v.is_nan()).then_some(v)
}

const SIZES: [usize; 10] = [1, 2, 3, 31, 63, 63, 64, 200, 255, 700];
const COUNTS: [usize; 11] = [2100, 0, 1, 2, 7, 9, 31, 33, 255, 300, 1037];

fn sum(trees: &Trees, x: Features<'_>, outputs: usize) -> Mat<f64> {
    let mut out = Mat::zeros(x.rows(), outputs);
    trees.add_to(&x, 0..trees.n_trees(), outputs, &mut out).unwrap();
    out
}

#[test]
fn every_form_and_number_of_rows_gives_the_sum_of_the_leaves() {
    for (width, outputs) in [(1, 1), (1, 3), (4, 4)] {
        let (trees, list) = random_trees(3, &[0; 5], &SIZES, width);
        for count in COUNTS {
            let rows = cells_with_holes(count, 5, 4);
            let truth = naive(&list, outputs, count, |i, j| present(rows[(i, j)]));
            let columns: Vec<f64> = (0..5).flat_map(|j| (0..count).map(move |i| (i, j))).map(|at| rows[at]).collect();
            let f32_cells: Vec<f32> = rows.as_slice().iter().map(|&v| v as f32).collect();
            let single_columns: Vec<f32> = columns.iter().map(|&v| v as f32).collect();
            let column = |j: usize| (format!("{j}"), Column::numbers((0..count).map(|i| rows[(i, j)]).collect()));
            let table = Table::new((0..5).map(column)).unwrap();
            for x in [
                Features::F64(rows.view()),
                Features::F64(MatRef::col_major(&columns, count, 5)),
                Features::F32(MatRef::row_major(&f32_cells, count, 5)),
                Features::F32(MatRef::col_major(&single_columns, count, 5)),
                Features::Table(table.view()),
            ] {
                assert_eq!(sum(&trees, x, outputs), truth, "{count} rows, width {width}");
                let leaves = trees.leaves(&x, 2..7).unwrap();
                for i in 0..count {
                    let truth: Vec<u32> = list[2..7].iter().map(|t| walk(t, |j| present(rows[(i, j)])) as u32).collect();
                    assert_eq!(leaves.row(i), truth);
                }
            }
        }
    }
}

#[test]
fn sparse_rows_are_dense_rows_with_zeros() {
    // Many columns of which few are read.
    let cols = 1000;
    let (trees, list) = random_trees(5, &vec![0; cols], &SIZES, 2);
    let mut s = RngStream::new(6, "sparse", 0);
    let (mut starts, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    for _ in 0..600 {
        for j in 0..cols {
            if s.below(10) == 0 {
                indices.push(j as u32);
                values.push(if s.below(5) == 0 { f64::NAN } else { s.normal() });
            }
        }
        starts.push(indices.len());
    }
    let csr = Csr::new(starts, indices, values, cols).unwrap();
    let dense = csr.view().to_dense();
    let truth = naive(&list, 2, 600, |i, j| present(dense[(i, j)]));
    assert_eq!(sum(&trees, Features::Csr(csr.view()), 2), truth);
    // A tree that tests nothing reads nothing.
    let (one, _) = random_trees(5, &vec![0; cols], &[1], 2);
    assert_eq!(sum(&one, Features::Csr(csr.view()), 2).row(3), one.nodes(0)[0].values);
}

#[test]
fn categories_are_matched_by_name_and_unseen_ones_are_missing() {
    // Sets of one bit per category and lists; few, many and very many categories.
    let kinds = [0, 3, 40, 300, 5000];
    let (trees, list) = random_trees(7, &kinds, &SIZES, 1);
    for count in COUNTS {
        let mut s = RngStream::new(8, "codes", count as u64);
        // Names in another order than in training, some of them new.
        let mut codes = vec![Vec::new(); kinds.len()];
        let columns: Vec<(String, Column)> = (0..kinds.len())
            .map(|j| {
                let column = if kinds[j] == 0 {
                    let values: Vec<f64> = (0..count).map(|_| if s.below(6) == 0 { f64::NAN } else { s.normal() }).collect();
                    codes[j] = values.iter().map(|&v| present(v)).collect();
                    Column::numbers(values)
                } else {
                    let cells: Vec<Option<String>> = (0..count)
                        .map(|_| {
                            let code = s.below(kinds[j] + 2);
                            codes[j].push((code < kinds[j]).then_some(code as f64));
                            (code <= kinds[j]).then(|| if code < kinds[j] { format!("c{code}") } else { "new".into() })
                        })
                        .collect();
                    Column::categories(&cells)
                };
                (format!("{j}"), column)
            })
            .collect();
        let table = Table::new(columns).unwrap();
        let truth = naive(&list, 1, count, |i, j| codes[j][i]);
        assert_eq!(sum(&trees, Features::Table(table.view()), 1), truth, "{count} rows");
    }
}

#[test]
fn what_was_pushed_comes_back() {
    let (mut trees, list) = random_trees(9, &[0, 4, 0, 900], &SIZES, 3);
    for (t, tree) in list.iter().enumerate() {
        assert_eq!(&trees.nodes(t), tree);
        assert_eq!(trees.n_leaves(t), SIZES[t]);
    }
    let mut gains = [0.0; 4];
    let mut splits = [0; 4];
    for node in list.iter().flatten().filter(|n| n.right != 0) {
        gains[node.feature as usize] += node.gain;
        splits[node.feature as usize] += 1;
    }
    assert_eq!(trees.gains(), gains);
    assert_eq!(trees.splits(), splits);
    trees.truncate(4);
    assert_eq!(trees.n_trees(), 4);
    (0..4).for_each(|t| assert_eq!(trees.nodes(t), list[t]));
    trees.push(&list[8]);
    assert_eq!(trees.nodes(4), list[8]);
}

#[test]
fn the_pieces_of_a_range_add_up_to_the_same_bits() {
    let (trees, _) = random_trees(10, &[0; 6], &[63; 40], 1);
    let rows = cells_with_holes(700, 6, 11);
    let x = Features::F64(rows.view());
    let whole = sum(&trees, x, 1);
    let mut pieces = Mat::zeros(700, 1);
    for range in [0..1, 1..14, 14..14, 14..39, 39..40] {
        trees.add_to(&x, range, 1, &mut pieces).unwrap();
    }
    assert_eq!(pieces, whole);
    for threads in [1, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        assert_eq!(pool.install(|| sum(&trees, x, 1)), whole);
    }
}

#[test]
fn other_columns_are_refused() {
    let (trees, _) = random_trees(12, &[0, 3], &[5, 5], 1);
    let mut out = Mat::zeros(2, 1);
    let wide = Mat::zeros(2, 3);
    let error = trees.add_to(&Features::F64(wide.view()), 0..2, 1, &mut out).unwrap_err();
    assert!(matches!(error, Error::Columns { expected: 2, found: 3 }), "{error}");
    let numbers = Mat::zeros(2, 2);
    let error = trees.add_to(&Features::F64(numbers.view()), 0..2, 1, &mut out).unwrap_err();
    assert!(error.to_string().contains("categories, as in training"), "{error}");
    let table =
        Table::new([("a", Column::categories(&[Some("x"), Some("y")])), ("b", Column::categories(&[Some("c0"), Some("c1")]))])
            .unwrap();
    let error = trees.add_to(&Features::Table(table.view()), 0..2, 1, &mut out).unwrap_err();
    assert!(error.to_string().contains("\"a\""), "{error}");
}

fn saved(trees: &Trees) -> ModelWriter {
    let mut out = ModelWriter::default();
    trees.save(&mut out).unwrap();
    out
}

#[test]
fn a_saved_model_is_the_same_again() {
    let (trees, list) = random_trees(13, &[0, 4, 64, 900], &SIZES, 2);
    let again = Trees::load(&saved(&trees).into_reader()).unwrap();
    (0..list.len()).for_each(|t| assert_eq!(again.nodes(t), list[t]));
    assert_eq!(again.categories(), trees.categories());
    assert_eq!(saved(&again), saved(&trees));
    let none = Trees::new(vec![None], 1);
    assert_eq!(Trees::load(&saved(&none).into_reader()).unwrap().n_trees(), 0);
}

#[test]
fn damaged_models_are_refused() {
    let (trees, _) = random_trees(14, &[0, 40, 900], &[9, 30], 1);
    let n = trees.n_nodes(0) + trees.n_nodes(1);
    let base = saved(&trees);
    let reader = base.clone().into_reader().child("trees");
    let columns: Vec<i32> = reader.vec("feature").unwrap();
    let leaf = columns.iter().position(|&c| c < 0).unwrap();
    let number = columns.iter().position(|&c| c == 0).unwrap();
    let category = columns.iter().position(|&c| c == 1).unwrap();
    fn edit<T: ermine_core::file::Element>(base: &ModelWriter, name: &str, at: usize, value: T) -> ModelWriter {
        let mut values: Vec<T> = base.clone().into_reader().child("trees").array(name).unwrap().1;
        values[at] = value;
        let mut out = base.clone();
        out.child("trees", |out| {
            if name == "value" {
                out.array(name, &[values.len(), 1], &values)
            } else {
                out.vec(name, &values)
            };
            Ok(())
        })
        .unwrap();
        out
    }
    let damaged = [
        edit(&base, "start", 1, 0u64),
        edit(&base, "start", 1, 16u64),
        edit(&base, "start", 2, n as u64 + 1),
        edit(&base, "feature", number, 3i32),
        edit(&base, "feature", number, -2i32),
        edit(&base, "feature", leaf, 0i32),
        edit(&base, "feature", number, -1i32),
        edit(&base, "feature", category, 0i32),
        edit(&base, "threshold", number, f64::NAN),
        edit(&base, "missing_left", number, 2u8),
        edit(&base, "right", number, 0u32),
        edit(&base, "right", number, 1u32),
        edit(&base, "right", number, u32::MAX),
        edit(&base, "right", leaf, 1u32),
        edit(&base, "gain", 0, f64::NAN),
        edit(&base, "cover", 0, -1.0),
        edit(&base, "value", 0, f64::INFINITY),
        edit(&base, "set_len", category, 100u32),
        edit(&base, "set_len", number, 1u32),
        edit(&base, "sets", 1, u32::MAX),
    ];
    for (k, out) in damaged.into_iter().enumerate() {
        let error = Trees::load(&out.into_reader()).map(|_| k).unwrap_err();
        assert!(matches!(error, Error::Model(_)), "{error}");
    }
}

#[test]
#[should_panic(expected = "preorder")]
fn nodes_out_of_order_are_not_a_tree() {
    let (mut trees, mut list) = random_trees(15, &[0], &[4], 1);
    list[0][0].right += 1;
    trees.push(&list[0]);
}
