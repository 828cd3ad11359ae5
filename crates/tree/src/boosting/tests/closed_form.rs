//! Against formulas and plain loops.

use super::*;

#[test]
fn a_tree_of_two_leaves_is_the_best_of_all_cuts_and_a_curbed_newton_step() {
    let data = classes(600, 3, 2, 41);
    let (codes, _) = data.view().y.classes().unwrap();
    let l2 = 2.0;
    let learner = Boosting {
        max_iter: 1,
        max_leaf_nodes: Some(2),
        learning_rate: 1.0,
        l2_regularization: l2,
        min_samples_leaf: 20,
        ..Boosting::default()
    };
    let model = learner.fit_with(&data.view(), &Context::default()).unwrap();
    let start = model.start()[0];
    let ones = codes.iter().filter(|&&c| c == 1).count() as f64;
    assert!((start - (ones / (600.0 - ones)).ln()).abs() < 1e-12);
    let p = 1.0 / (1.0 + (-start).exp());
    let (g, h): (Vec<f64>, f64) = (codes.iter().map(|&c| p - f64::from(c)).collect(), p * (1.0 - p));
    let OwnedFeatures::F64(x) = &data.x else { unreachable!() };
    let score = |rows: &[usize]| {
        let (sum, n) = (rows.iter().map(|&i| g[i]).sum::<f64>(), rows.len() as f64);
        0.5 * sum * sum / (n * h + l2)
    };
    let all: Vec<usize> = (0..600).collect();
    let mut best = (f64::NEG_INFINITY, 0, 0.0, false);
    for j in 0..3 {
        let mut values: Vec<f64> = (0..600).map(|i| x[(i, j)]).filter(|v| !v.is_nan()).collect();
        values.sort_by(f64::total_cmp);
        values.dedup();
        for w in values.windows(2) {
            let cut = w[0] + (w[1] - w[0]) / 2.0;
            for missing_left in [false, true] {
                let goes = |i: &usize| if x[(*i, j)].is_nan() { missing_left } else { x[(*i, j)] <= cut };
                let (a, b): (Vec<usize>, Vec<usize>) = all.iter().partition(|i| goes(i));
                if a.len() >= 20 && b.len() >= 20 {
                    let gain = score(&a) + score(&b) - score(&all);
                    if gain > best.0 + 1e-9 {
                        best = (gain, j, cut, missing_left);
                    }
                }
            }
        }
    }
    let nodes = model.trees().nodes(0);
    assert_eq!(nodes.len(), 3);
    assert_eq!((nodes[0].feature as usize, nodes[0].threshold, nodes[0].missing_left), (best.1, best.2, best.3));
    assert!((nodes[0].gain - best.0).abs() < 1e-4 * best.0, "{} and {}", nodes[0].gain, best.0);
    let (left, right): (Vec<usize>, Vec<usize>) =
        all.iter().partition(|&&i| if x[(i, best.1)].is_nan() { best.3 } else { x[(i, best.1)] <= best.2 });
    for (node, rows) in [(1, left), (2, right)] {
        let newton = -rows.iter().map(|&i| g[i]).sum::<f64>() / (rows.len() as f64 * h + l2);
        // The minimum of g v + 4 h (cosh(v/2) - 1): g + 2 h sinh(v/2) = 0.
        let value = nodes[node].values[0];
        assert!((2.0 * (0.5 * value).sinh() - newton).abs() < 1e-5, "{value} and {newton}");
        assert_eq!(nodes[node].cover, rows.len() as f64);
    }
}

#[test]
fn a_rare_class_and_drawn_rows_do_not_lead_to_leaps() {
    let mut s = RngStream::new(46, "boosting test", 0);
    let rows = 6000;
    let x = Mat::from_fn(rows, 6, |_, _| s.normal());
    // The third class is one row in two hundred, and half of it is noise.
    let code = |i: usize, s: &mut RngStream| {
        if s.below(400) == 0 || (x[(i, 0)] > 2.0 && s.below(9) == 0) { 2 } else { u32::from(x[(i, 1)] + 0.5 * s.normal() > 0.0) }
    };
    let codes: Vec<u32> = (0..rows).map(|i| code(i, &mut s)).collect();
    let y = OwnedTarget::Class { codes, names: ["a", "b", "c"].map(String::from).to_vec() };
    let data = DatasetRef::new(Features::F64(x.view())).with_target(y.view());
    let learner = Boosting { max_iter: 60, subsample: 0.6, min_samples_leaf: 2, min_child_weight: 0.0, ..Boosting::default() };
    let trace = learner.fit_with(&data, &Context::default()).unwrap().trace().unwrap().clone();
    let losses: Vec<f64> = trace.rows.iter().map(|r| r[1]).collect();
    for w in losses.windows(6) {
        assert!(w[5] < w[0], "{losses:?}");
    }
}

#[test]
fn one_full_step_on_a_step_function_is_exact() {
    let x: Vec<f64> = (0..200).map(f64::from).collect();
    let y: Vec<f64> = x.iter().map(|v| if *v < 77.0 { -3.0 } else { 5.0 }).collect();
    let x = Mat::from_vec(200, 1, x);
    let data = DatasetRef::new(Features::F64(x.view())).with_target(Target::Real(&y));
    let learner = Boosting { max_iter: 1, learning_rate: 1.0, ..Boosting::default() };
    let predictions = learner.fit_with(&data, &Context::default()).unwrap().predict(&data.x).unwrap();
    assert!(predictions.as_slice().iter().zip(&y).all(|(a, b)| (a - b).abs() < 1e-6));
}

#[test]
fn prices_do_what_they_say() {
    let data = regression(1000, 4, 43);
    let fit = |l: Boosting| l.fit_with(&data.view(), &Context::default()).unwrap();
    let free = fit(small());
    let gains: Vec<f64> = free.trees().nodes(0).iter().filter(|n| n.right > 0).map(|n| n.gain).collect();
    let middle = (gains.iter().copied().fold(f64::INFINITY, f64::min) + gains.iter().copied().fold(0.0, f64::max)) / 2.0;
    let priced = fit(Boosting { min_split_gain: middle, ..small() });
    assert!(priced.trees().nodes(0).iter().filter(|n| n.right > 0).all(|n| n.gain > middle));
    assert!(priced.trees().n_leaves(0) < free.trees().n_leaves(0));
    // A price above every gradient leaves no value.
    let flat = fit(Boosting { l1_regularization: 1e9, ..small() });
    assert!(flat.trees().nodes(0).iter().all(|n| n.values[0] == 0.0));
    let size = |m: &BoostingModel| m.trees().nodes(0).iter().map(|n| n.values[0].abs()).fold(0.0, f64::max);
    assert!(size(&fit(Boosting { l2_regularization: 500.0, ..small() })) < 0.8 * size(&free));
    let deep = fit(Boosting { max_depth: Some(1), ..small() });
    assert!((0..12).all(|t| deep.trees().n_leaves(t) == 2));
}

#[test]
fn categories_are_split_by_their_gradients() {
    let names: Vec<String> = (0..12).map(|k| format!("c{k:02}")).collect();
    let cells: Vec<Option<&str>> = (0..6000).map(|i| if i % 13 == 12 { None } else { Some(names[i % 13].as_str()) }).collect();
    // Odd categories are high, even ones low, missing in between.
    let y: Vec<f64> = (0..6000).map(|i| if i % 13 == 12 { 5.0 } else { f64::from(u8::from(i % 13 % 2 == 1)) * 10.0 }).collect();
    let table = Table::new([("c", Column::categories(&cells))]).unwrap();
    let data = DatasetRef::new(Features::Table(table.view())).with_target(Target::Real(&y));
    let learner = Boosting { max_iter: 60, learning_rate: 0.3, ..Boosting::default() };
    let model = learner.fit_with(&data, &Context::default()).unwrap();
    assert!(model.trees().n_leaves(0) <= 4, "{} leaves", model.trees().n_leaves(0));
    let predictions = model.predict(&data.x).unwrap();
    assert!(predictions.as_slice().iter().zip(&y).all(|(a, b)| (a - b).abs() < 0.1));
    // Unseen categories count as missing.
    let other = Table::new([("c", Column::categories(&[Some("new"), Some("c01"), None]))]).unwrap();
    let predictions = model.predict(&Features::Table(other.view())).unwrap();
    assert!((predictions[(1, 0)] - 10.0).abs() < 0.1 && predictions[(0, 0)] == predictions[(2, 0)]);
}
