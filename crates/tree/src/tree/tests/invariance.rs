//! What must not change a tree.

use ermine_core::{Features, MatRef};
use serde_json::json;

use super::*;

fn target(rows: usize, classes: usize, seed: u64) -> OwnedTarget {
    let mut s = RngStream::new(seed, "target", 0);
    match classes {
        0 => OwnedTarget::Real((0..rows).map(|_| s.normal()).collect()),
        k => labels(&(0..rows).map(|_| s.below(k) as f64).collect::<Vec<_>>()),
    }
}

const KINDS: [(usize, &str); 7] =
    [(2, "gini"), (2, "entropy"), (4, "gini"), (4, "entropy"), (0, "squared_error"), (0, "absolute_error"), (0, "poisson")];

fn for_all_kinds(rows: usize, check: impl Fn(&Tree, &Mat<f64>, &OwnedTarget, &str)) {
    for (classes, criterion) in KINDS {
        let mut y = target(rows, classes, 3);
        if let (OwnedTarget::Real(y), "poisson") = (&mut y, criterion) {
            y.iter_mut().for_each(|v| *v = v.abs());
        }
        let mut x = coarse(rows, 3, 20, 1);
        let mut s = RngStream::new(9, "holes", 0);
        (0..rows).filter(|_| s.below(5) == 0).for_each(|i| x[(i, 1)] = f64::NAN);
        check(&tree(json!({"criterion": criterion, "min_samples_leaf": 2})), &x, &y, criterion);
    }
}

#[test]
fn powers_of_two_scale_thresholds_and_nothing_else() {
    for_all_kinds(300, |tree, x, y, criterion| {
        let a = fit(tree, x, y);
        for factor in [2f64.powi(-300), 0.25, 2f64.powi(500)] {
            let scaled = Mat::from_fn(300, 3, |i, j| x[(i, j)] * factor);
            let b = fit(tree, &scaled, y);
            let scaled: Vec<f64> =
                a.nodes().threshold.iter().zip(&a.nodes().feature).map(|(t, &f)| if f >= 0 { t * factor } else { *t }).collect();
            assert_eq!(scaled, b.nodes().threshold, "{criterion}");
            assert_eq!(a.nodes().feature, b.nodes().feature, "{criterion}");
            assert_eq!(a.nodes().value, b.nodes().value, "{criterion}");
        }
    });
}

#[test]
fn targets_scaled_by_powers_of_two_scale_values() {
    for criterion in ["squared_error", "absolute_error"] {
        let (x, y) = (normal(300, 3, 1), target(300, 0, 2));
        let OwnedTarget::Real(y) = y else { unreachable!() };
        let tree = tree(json!({"criterion": criterion, "min_samples_leaf": 3}));
        let a = fit(&tree, &x, &OwnedTarget::Real(y.clone()));
        for factor in [2f64.powi(-400), 2f64.powi(400)] {
            let b = fit(&tree, &x, &OwnedTarget::Real(y.iter().map(|v| v * factor).collect()));
            assert_eq!(a.nodes().feature, b.nodes().feature);
            let scaled: Vec<f64> = a.nodes().value.as_slice().iter().map(|v| v * factor).collect();
            assert_eq!(scaled, b.nodes().value.as_slice(), "{criterion}");
        }
    }
}

#[test]
fn monotone_maps_leave_the_partition_alone() {
    for_all_kinds(300, |tree, x, y, criterion| {
        let mapped = Mat::from_fn(300, 3, |i, j| if j == 0 { x[(i, j)].exp() } else { x[(i, j)].powi(3) - 7.0 });
        let a = fit(tree, x, y).apply(&Features::F64(x.view())).unwrap();
        let b = fit(tree, &mapped, y).apply(&Features::F64(mapped.view())).unwrap();
        assert_eq!(a, b, "{criterion}");
    });
}

#[test]
fn row_order_does_not_change_a_bit() {
    for_all_kinds(400, |tree, x, y, criterion| {
        let order = RngStream::new(2, "order", 0).permutation(400);
        let shuffled = x.view().take_rows(&order);
        let y2 = y.view().take_rows(&order);
        let weight: Vec<f64> = (0..400).map(|i| 0.1 + (i % 7) as f64 / 3.0).collect();
        let shuffled_weight: Vec<f64> = order.iter().map(|&i| weight[i]).collect();
        for (w, v) in [(None, None), (Some(&weight[..]), Some(&shuffled_weight[..]))] {
            let (a, b) = (fit_weighted(tree, x, y, w), fit_weighted(tree, &shuffled, &y2, v));
            if criterion == "poisson" {
                // Its impurities are sums of logarithms, which round.
                assert_eq!(a.nodes().threshold, b.nodes().threshold);
                assert_eq!(a.nodes().value, b.nodes().value);
            } else {
                assert!(bytes(&a) == bytes(&b), "{criterion}");
            }
        }
    });
}

#[test]
fn weight_two_is_the_row_twice() {
    for_all_kinds(200, |tree, x, y, criterion| {
        let tree = Tree { min_samples_leaf: super::super::CountOrFraction::Rows(1), ..tree.clone() };
        let weight: Vec<f64> = (0..200).map(|i| [1.0, 2.0, 0.0, 3.0][i % 4]).collect();
        let rows: Vec<usize> = (0..200).flat_map(|i| vec![i; weight[i] as usize]).collect();
        let a = fit_weighted(&tree, x, y, Some(&weight));
        let b = fit(&tree, &x.view().take_rows(&rows), &y.view().take_rows(&rows));
        assert_eq!(a.nodes().threshold, b.nodes().threshold, "{criterion}");
        assert_eq!(a.nodes().value, b.nodes().value, "{criterion}");
        assert_eq!(a.nodes().weighted_n_node_samples, b.nodes().weighted_n_node_samples, "{criterion}");
    });
}

#[test]
fn threads_layouts_and_precision_do_not_change_a_bit() {
    // Large enough for nodes that are worked on column by column.
    let rows = 30_000;
    let x = normal(rows, 6, 4);
    let x = Mat::from_fn(rows, 6, |i, j| f64::from(x[(i, j)] as f32));
    for (classes, criterion) in [(2, "gini"), (3, "gini"), (0, "squared_error")] {
        let y = target(rows, classes, 5);
        let tree = tree(json!({"criterion": criterion, "min_samples_leaf": 20}));
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| fit(&tree, &x, &y))
        };
        let one = bytes(&on(1));
        assert!([2, 7].into_iter().all(|t| bytes(&on(t)) == one), "{criterion}");
        let columns: Vec<f64> = (0..6).flat_map(|j| x.view().col_iter(j).collect::<Vec<_>>()).collect();
        let f32_cells: Vec<f32> = x.as_slice().iter().map(|&v| v as f32).collect();
        for other in [Features::F64(MatRef::col_major(&columns, rows, 6)), Features::F32(MatRef::row_major(&f32_cells, rows, 6))]
        {
            let data = DatasetRef::new(other).with_target(y.view());
            let model = tree.fit_with(&data, &Context::default()).unwrap();
            assert!(bytes(&model) == one, "{criterion}");
            assert_eq!(model.apply(&other).unwrap(), model.apply(&Features::F64(x.view())).unwrap());
        }
    }
}

#[test]
fn small_parts_and_columns_in_parallel_grow_the_same_tree() {
    // Best first works on the lists of the whole tree throughout; with no limit that binds it must end at the same tree.
    let rows = 20_000;
    for (classes, criterion) in [(2, "gini"), (3, "entropy"), (0, "squared_error")] {
        let (x, y) = (coarse(rows, 5, 60, 7), target(rows, classes, 8));
        let deep = fit(&tree(json!({"criterion": criterion, "min_samples_leaf": 5})), &x, &y);
        let wide = fit(&tree(json!({"criterion": criterion, "min_samples_leaf": 5, "max_leaf_nodes": 100_000})), &x, &y);
        assert!(deep.node_count() > 1000);
        assert_eq!(deep.nodes().threshold, wide.nodes().threshold, "{criterion}");
        assert_eq!(deep.nodes().value, wide.nodes().value, "{criterion}");
        assert_eq!(deep.feature_importances(), wide.feature_importances());
    }
}

#[test]
fn rows_once_and_twice_grow_the_same_tree() {
    // Once, a value hardly ever repeats; twice, every value does. The two cases are detected in different ways.
    let rows = 20_000;
    let mut x = normal(rows, 5, 11);
    for i in 0..rows {
        let other = (i * 7919) % rows;
        match i % 97 {
            0 => x[(i, 0)] = x[(other, 0)],
            1 => x[(i, 1)] = f64::NAN,
            2 => (0..2).for_each(|j| x[(i, 2 + j)] = x[(other, 2 + j)]),
            _ => {}
        }
        // Below the least normal number.
        x[(i, 3)] = f64::from_bits((x[(i, 3)].abs() * 1e12) as u64);
        // Zeros of either sign are one value.
        if i % 100 == 3 {
            x[(i, 4)] = [0.0, -0.0][i / 100 % 2];
        }
    }
    let twice: Vec<usize> = (0..rows).flat_map(|i| [i, i]).collect();
    let x_twice = x.view().take_rows(&twice);
    for (classes, criterion, leaf) in [(2, "gini", 3), (3, "gini", 3), (0, "squared_error", 60), (0, "absolute_error", 400)] {
        let y = match target(rows, classes, 12) {
            OwnedTarget::Real(noise) => {
                let y = (0..rows).map(|i| noise[i] + x[(i, 4)] + x[(i, 0)]);
                // Absolute errors of many cuts are equal; which is first must not hang on how targets are rounded.
                OwnedTarget::Real(y.map(|v| if criterion == "absolute_error" { (8.0 * v).round() / 8.0 } else { v }).collect())
            }
            y => y,
        };
        let y_twice = y.view().take_rows(&twice);
        let constraints = if classes == 3 { json!(null) } else { json!([1, 0, 0, 0, -1]) };
        for more in [
            json!({}),
            json!({"splitter": "random"}),
            json!({"max_features": 2}),
            json!({"max_leaf_nodes": 90}),
            json!({"monotonic_cst": constraints}),
        ] {
            let with = |leaf: usize| {
                let mut params = json!({"criterion": criterion, "min_samples_leaf": leaf});
                params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
                tree(params)
            };
            let (a, b) = (fit(&with(leaf), &x, &y), fit(&with(2 * leaf), &x_twice, &y_twice));
            assert!(a.node_count() > 20, "{criterion} {more}");
            assert_eq!(a.nodes().feature, b.nodes().feature, "{criterion} {more}");
            assert_eq!(a.nodes().threshold, b.nodes().threshold, "{criterion} {more}");
            assert_eq!(a.nodes().missing_left, b.nodes().missing_left, "{criterion} {more}");
            let doubled: Vec<i64> = a.nodes().n_node_samples.iter().map(|n| 2 * n).collect();
            assert_eq!(doubled, b.nodes().n_node_samples, "{criterion} {more}");
        }
    }
}
