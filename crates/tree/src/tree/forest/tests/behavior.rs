//! Bags, estimates outside them, importances, going on, and the stops.

use super::super::bootstrap::Bootstrap;
use super::*;

fn draw_counts(seed: u64, tree: u64, rows: usize, draws: usize) -> Vec<u32> {
    Bootstrap::new(seed, rows, draws, None).counts(tree)
}

#[test]
fn a_bag_holds_as_many_rows_as_asked() {
    for draws in [1, 50, 1000] {
        let counts = draw_counts(3, 4, 1000, draws);
        assert_eq!(counts.iter().sum::<u32>() as usize, draws);
    }
    assert_ne!(draw_counts(3, 4, 100, 100), draw_counts(3, 5, 100, 100));
    // About 1/e of the rows stay outside.
    let outside = draw_counts(0, 0, 100_000, 100_000).iter().filter(|c| **c == 0).count() as f64 / 1e5;
    assert!((outside - (-1f64).exp()).abs() < 0.01, "{outside}");
    // Rows are drawn in proportion to their weights: within five standard errors of a million draws.
    let weights = [1e300, 3e300, 0.5e300, 1e290, 2.5e300];
    let counts = Bootstrap::new(1, 5, 1_000_000, Some(&weights)).counts(0);
    for (w, c) in weights.iter().zip(counts) {
        let p = w / 7e300;
        let off = (f64::from(c) / 1e6 - p).abs();
        assert!(off <= 5.0 * (p * (1.0 - p) / 1e6).sqrt() + 1e-9, "{w}: {c}");
    }
}

#[test]
fn the_estimate_outside_the_bags_is_that_of_brute_force() {
    let x = with_missing(normal(150, 4, 1), 0.05, 2);
    let filled = Mat::from_fn(150, 4, |i, j| if x[(i, j)].is_nan() { 0.0 } else { x[(i, j)] });
    let y = classes(&filled, 3, 3);
    let Target::Class { codes, .. } = y.view() else { unreachable!() };
    for (splitter, samples) in [("exact", json!(null)), ("histogram", json!(0.5)), ("exact", json!(40))] {
        let learner = forest(json!({"n_estimators": 12, "oob_score": true, "splitter": splitter, "max_samples": samples}));
        let model = fit(&learner, &x, y.view(), None);
        let draws = match &samples {
            Value::Null => 150,
            v if v.is_f64() => 75,
            _ => 40,
        };
        let (mut right, mut counted) = (0.0, 0.0);
        for i in 0..150 {
            let (mut sum, mut trees) = (vec![0.0; 3], 0.0);
            for t in 0..12 {
                if draw_counts(0, t, 150, draws)[i] == 0 {
                    let values = walk(&model.trees.nodes(t as usize), x.row(i));
                    sum.iter_mut().zip(values).for_each(|(s, v)| *s += v);
                    trees += 1.0;
                }
            }
            let prediction = model.out_of_bag().unwrap().predictions.row(i);
            if trees == 0.0 {
                assert!(prediction.iter().all(|v| v.is_nan()));
                continue;
            }
            sum.iter_mut().for_each(|s| *s /= trees);
            assert_eq!(prediction, sum, "row {i}");
            let best = (0..3).fold(0, |b, k| if sum[k] > sum[b] { k } else { b });
            right += f64::from(u8::from(best == codes[i] as usize));
            counted += 1.0;
        }
        assert_eq!(model.out_of_bag().unwrap().score, right / counted);
    }
    let y = numbers(&filled, 4);
    let learner = forest(json!({"n_estimators": 40, "oob_score": true, "max_features": null}));
    let oob = fit(&learner, &x, Target::Real(&y), None).out_of_bag().unwrap().clone();
    let mean = y.iter().sum::<f64>() / 150.0;
    let missed: f64 = (0..150).map(|i| (y[i] - oob.predictions[(i, 0)]).powi(2)).sum();
    let spread: f64 = y.iter().map(|v| (v - mean).powi(2)).sum();
    assert!((oob.score - (1.0 - missed / spread)).abs() < 1e-12);
    assert!(oob.score > 0.3, "{}", oob.score);
}

#[test]
fn predictions_are_means_over_trees() {
    let x = normal(120, 3, 5);
    let y = numbers(&x, 6);
    let model = fit(&forest(json!({"n_estimators": 7})), &x, Target::Real(&y), None);
    let p = model.predict(&Features::F64(x.view())).unwrap();
    for i in 0..120 {
        let mean = (0..7).map(|t| walk(&model.trees.nodes(t), x.row(i))[0]).sum::<f64>() / 7.0;
        assert!((p[(i, 0)] - mean).abs() < 1e-14);
    }
}

#[test]
fn going_on_gives_the_bytes_of_one_fit() {
    let x = normal(300, 5, 7);
    let (y, labels) = (numbers(&x, 8), classes(&x, 3, 9));
    for target in [Target::Real(&y), labels.view()] {
        let data = DatasetRef::new(Features::F64(x.view())).with_target(target);
        let learner = |n: u64| forest(json!({"n_estimators": n, "oob_score": true, "permutation_importances": true}));
        let cx = Context::seeded(5);
        let whole = learner(30).fit_with(&data, &cx).unwrap();
        let go_on = RandomForest::WARM_START.unwrap();
        let part = learner(11).fit_with(&data, &cx).unwrap();
        let joined = go_on(&learner(30), Some(&part), &data, &cx).unwrap();
        assert!(bytes(&joined) == bytes(&whole));
        assert!(go_on(&learner(5), Some(&whole), &data, &cx).is_err(), "fewer trees than there are");
    }
}

#[test]
fn checkpoints_are_forests_to_go_on_from() {
    let x = normal(200, 3, 10);
    let y = numbers(&x, 11);
    let data = DatasetRef::new(Features::F64(x.view())).with_target(Target::Real(&y));
    let kept = std::sync::Mutex::new(Vec::new());
    let keep = |m: &dyn Model| {
        let mut out = ModelWriter::default();
        m.save(&mut out)?;
        kept.lock().unwrap().push(out);
        Ok(())
    };
    let learner = forest(json!({"n_estimators": 40}));
    let cx = Context { checkpoint: Some(&keep), ..Context::default() };
    let whole = learner.fit_with(&data, &cx).unwrap();
    let kept = kept.into_inner().unwrap();
    assert!(!kept.is_empty());
    for out in kept {
        let part = RandomForest::load(&out.into_reader()).unwrap();
        let joined = RandomForest::WARM_START.unwrap()(&learner, Some(&part), &data, &Context::default()).unwrap();
        assert!(bytes(&joined) == bytes(&whole));
    }
}

#[test]
fn importances_find_the_columns_that_matter() {
    let x = normal(500, 6, 12);
    let y = numbers(&x, 13);
    let learner = forest(json!({"n_estimators": 60, "permutation_importances": true, "max_features": 3}));
    let model = fit(&learner, &x, Target::Real(&y), None);
    let impurity = model.feature_importances();
    assert!((impurity.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    let permuted = model.permutation_importances().unwrap();
    for noise in 2..6 {
        assert!(impurity[noise] < 0.5 * impurity[0].min(impurity[1]), "{impurity:?}");
        assert!(permuted[noise].abs() < 0.1 * permuted[0].min(permuted[1]), "{permuted:?}");
    }
    // A column that no tree uses is worth exactly nothing.
    let mut constant = x.clone();
    (0..500).for_each(|i| constant[(i, 5)] = 1.0);
    let model = fit(&learner, &constant, Target::Real(&y), None);
    assert_eq!((model.feature_importances()[5], model.permutation_importances().unwrap()[5]), (0.0, 0.0));
}

#[test]
fn the_stops_hold_in_every_tree() {
    let x = normal(400, 4, 14);
    let y = classes(&x, 3, 15);
    for splitter in ["exact", "histogram"] {
        let fit = |params: Value| {
            let mut all = json!({"n_estimators": 6, "splitter": splitter});
            params.as_object().unwrap().iter().for_each(|(k, v)| all[k] = v.clone());
            super::fit(&forest(all), &x, y.view(), None)
        };
        let depth = |nodes: &[TreeNode]| {
            let mut depth = vec![0; nodes.len()];
            for (i, n) in nodes.iter().enumerate().filter(|(_, n)| n.right != 0) {
                depth[i + 1] = depth[i] + 1;
                depth[n.right as usize] = depth[i] + 1;
            }
            depth.into_iter().max().unwrap()
        };
        let leaves = |nodes: &[TreeNode]| nodes.iter().filter(|n| n.right == 0).map(|n| n.cover).collect::<Vec<_>>();
        for t in 0..6 {
            assert_eq!(depth(&fit(json!({"max_depth": 3})).trees.nodes(t)), 3);
            assert_eq!(fit(json!({"max_leaf_nodes": 9})).trees.n_leaves(t), 9);
            let nodes = fit(json!({"min_samples_leaf": 20, "bootstrap": false})).trees.nodes(t);
            assert!(leaves(&nodes).iter().all(|&c| c >= 20.0));
            let nodes = fit(json!({"min_weight_fraction_leaf": 0.1})).trees.nodes(t);
            assert!(leaves(&nodes).iter().all(|&c| c >= 40.0 - 1e-9), "{:?}", leaves(&nodes));
            let nodes = fit(json!({"min_impurity_decrease": 0.01})).trees.nodes(t);
            assert!(nodes.iter().filter(|n| n.right != 0).all(|n| n.gain / 400.0 >= 0.01 - 1e-12));
            assert!(fit(json!({"ccp_alpha": 0.01})).trees.n_leaves(t) < fit(json!({})).trees.n_leaves(t));
            // To purity: every leaf has one class.
            let nodes = fit(json!({})).trees.nodes(t);
            assert!(nodes.iter().filter(|n| n.right == 0).all(|n| n.values.contains(&1.0)));
        }
    }
}

#[test]
fn class_weights_balance_the_forest_or_each_bag() {
    let x = normal(600, 2, 16);
    let label = |i: usize| if x[(i, 0)] > 1.3 { "rare" } else { "often" };
    let y = OwnedTarget::from_labels(&(0..600).map(label).collect::<Vec<_>>());
    for word in ["balanced", "balanced_subsample"] {
        let model = fit(&forest(json!({"n_estimators": 5, "class_weight": word, "max_depth": 1})), &x, y.view(), None);
        for t in 0..5 {
            let root = &model.trees.nodes(t)[0];
            let off = (root.values[0] - 0.5).abs();
            assert!(if word == "balanced" { off < 0.1 } else { off < 1e-9 }, "{word}: {:?}", root.values);
        }
    }
    let nothing = fit(&forest(json!({"n_estimators": 3, "class_weight": {"rare": 0.0}})), &x, y.view(), None);
    let p = nothing.proba(&Features::F64(x.view())).unwrap();
    assert!((0..600).all(|i| p[(i, 0)] == 1.0));
}

#[test]
fn random_thresholds_lie_between_the_values_of_the_node() {
    let x = normal(300, 4, 17);
    let y = numbers(&x, 18);
    for splitter in ["exact", "histogram"] {
        let learner = forest(json!({
            "n_estimators": 20, "thresholds": "random", "bootstrap": false, "splitter": splitter, "max_bins": 32, "max_features": null
        }));
        let model = fit(&learner, &x, Target::Real(&y), None);
        let p = model.predict(&Features::F64(x.view())).unwrap();
        let missed: f64 = (0..300).map(|i| (y[i] - p[(i, 0)]).powi(2)).sum::<f64>() / 300.0;
        assert!(missed < 1e-10 || splitter == "histogram" && missed < 0.2, "{splitter}: {missed}");
        assert_ne!(model.trees.nodes(0)[0].threshold, model.trees.nodes(1)[0].threshold);
        for t in 0..20 {
            let nodes = model.trees.nodes(t);
            assert!(nodes.iter().all(|n| n.cover >= 1.0), "no side is empty");
        }
    }
}

#[test]
fn several_targets_are_predicted_together() {
    let x = normal(200, 3, 19);
    let y = Mat::from_fn(200, 2, |i, t| if t == 0 { x[(i, 0)] } else { -2.0 * x[(i, 1)] });
    let model = fit(&forest(json!({"n_estimators": 30, "max_features": null})), &x, Target::Reals(y.view()), None);
    assert_eq!(model.n_targets(), 2);
    let p = model.predict(&Features::F64(x.view())).unwrap();
    for t in 0..2 {
        let missed: f64 = (0..200).map(|i| (y[(i, t)] - p[(i, t)]).powi(2)).sum();
        let spread: f64 = (0..200).map(|i| y[(i, t)].powi(2)).sum();
        assert!(missed < 0.1 * spread, "target {t}");
    }
    assert!(model.certificate().unwrap().notes[0].contains("several targets"));
    let wrong = forest(json!({"splitter": "histogram"}));
    let data = DatasetRef::new(Features::F64(x.view())).with_target(Target::Reals(y.view()));
    assert!(wrong.fit_with(&data, &Context::default()).unwrap_err().to_string().contains("splitter"));
}

#[test]
fn monotonic_constraints_hold() {
    let x = normal(300, 2, 20);
    let y: Vec<f64> = (0..300).map(|i| x[(i, 0)] + (3.0 * x[(i, 0)]).sin() + 0.1 * x[(i, 1)]).collect();
    let model = fit(&forest(json!({"n_estimators": 20, "monotonic_cst": [1, 0]})), &x, Target::Real(&y), None);
    let line = Mat::from_fn(200, 2, |i, j| if j == 0 { i as f64 / 33.0 - 3.0 } else { 0.0 });
    let p = model.predict(&Features::F64(line.view())).unwrap();
    assert!((1..200).all(|i| p[(i, 0)] >= p[(i - 1, 0)]));
}

#[test]
fn the_certificate_says_how_splits_were_found() {
    let x = normal(10_000, 2, 21);
    let y = numbers(&x, 22);
    let learner = forest(json!({"n_estimators": 2, "max_depth": 2}));
    let data = DatasetRef::new(Features::F64(x.view())).with_target(Target::Real(&y));
    let certificate = |data: &DatasetRef<'_>| learner.fit_with(data, &Context::default()).unwrap().certificate().unwrap().clone();
    assert_eq!(certificate(&data).method, "histogram");
    assert!(certificate(&data).notes[0].contains("2 of 2 columns"));
    assert_eq!(certificate(&data.row_range(0..9999)).method, "exact");
}
