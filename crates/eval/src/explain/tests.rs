use ermine_core::{Column, Context, DatasetRef, Features, Learner, Mat, MatRef, Model, OwnedTarget, RngStream, Table, Target};

use super::*;
use ermine_linear::{Logistic, Ols};
use ermine_tree::tree::Tree;

/// Normal columns with standard deviations 1, 2 and 1, and y = 3 a - b + noise: the third column is irrelevant.
fn sample(rows: usize, index: u64) -> (Mat<f64>, Vec<f64>) {
    let mut s = RngStream::new(11, "explain", index);
    let x = Mat::from_fn(rows, 3, |_, j| s.normal() * if j == 1 { 2.0 } else { 1.0 });
    let y = (0..rows).map(|i| 3.0 * x[(i, 0)] - x[(i, 1)] + 2.0 * s.normal()).collect();
    (x, y)
}

fn data<'a>(x: &'a Mat<f64>, y: &'a [f64]) -> DatasetRef<'a> {
    DatasetRef::new(Features::F64(x.view())).with_target(Target::Real(y))
}

#[test]
fn intervals_of_importances_hold_the_closed_form_as_often_as_they_say() {
    let (x, y) = sample(2000, 0);
    let model = Ols::default().fit_with(&data(&x, &y), &Context::default()).unwrap();
    // E (y - f(x with another x_j))² - E (y - f(x))² = 2 b_j² v_j + 2 b_j (β_j - b_j) v_j for independent columns of variance v_j.
    let (beta, variance) = ([3.0, -1.0, 0.0], [1.0, 4.0, 1.0]);
    let truth: Vec<f64> = (0..3)
        .map(|j| {
            let b = model.coef()[(0, j)];
            2.0 * b * variance[j] * (b + beta[j] - b)
        })
        .collect();
    let how = PermutationImportance { measure: Some("mse".into()), ..PermutationImportance::default() };
    let trials = 300;
    let mut covered = [0; 3];
    for t in 0..trials {
        let (x, y) = sample(200, 1 + t);
        let judged = ModelOnData { model: &model, data: data(&x, &y) };
        let importances = how.importances(&[judged], &Context::seeded(t)).unwrap();
        assert_eq!((importances.rows, importances.measure.as_str()), (200, "mse"));
        for j in 0..3 {
            covered[j] += usize::from(importances.columns[j].low <= truth[j] && truth[j] <= importances.columns[j].high);
        }
    }
    // Four standard errors of a share of 300 around 0.95.
    for (j, covered) in covered.into_iter().enumerate() {
        let share = covered as f64 / trials as f64;
        assert!((share - 0.95).abs() < 4.0 * (0.95f64 * 0.05 / trials as f64).sqrt(), "column {j}: {share}");
    }
}

#[test]
fn importances_of_folds_are_those_of_their_rows_together() {
    let (x, y) = sample(300, 0);
    let all = data(&x, &y);
    let model = Ols::default().fit_with(&all, &Context::default()).unwrap();
    let (first, second) = (all.row_range(0..120), all.row_range(120..300));
    let judged = [ModelOnData { model: &model, data: first }, ModelOnData { model: &model, data: second }];
    let parts = PermutationImportance { measure: Some("r2".into()), ..Default::default() }
        .importances(&judged, &Context::default())
        .unwrap();
    let predictions = ModelOutput::of(&model, &all.x).unwrap();
    assert_eq!(parts.base, predictions.measure("r2", &all.y, None).unwrap().0);
    assert_eq!(parts.ranking()[0], 0, "{parts:?}");
    assert!(parts.columns[0].low > parts.columns[1].high && parts.columns[1].low > parts.columns[2].high);
    // A column that the model does not use has no importance at all.
    let tree = Tree { max_depth: Some(1), ..Tree::default() }.fit_with(&all, &Context::default()).unwrap();
    let one =
        PermutationImportance::default().importances(&[ModelOnData { model: &tree, data: all }], &Context::default()).unwrap();
    assert_eq!((one.columns[2].mean, one.columns[2].error), (0.0, 0.0));
    assert!(one.measure == "rmse" && one.columns[0].low > 0.0);
}

#[test]
fn importances_are_the_same_whatever_the_threads_and_refuse_what_cannot_be() {
    let (x, y) = sample(200, 0);
    let all = data(&x, &y);
    let model = Ols::default().fit_with(&all, &Context::default()).unwrap();
    let ask = || {
        PermutationImportance { rows: 150, ..Default::default() }
            .importances(&[ModelOnData { model: &model, data: all }], &Context::seeded(3))
    };
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap().install(ask).unwrap();
    let four = rayon::ThreadPoolBuilder::new().num_threads(4).build().unwrap().install(ask).unwrap();
    assert_eq!(one, four);
    assert_eq!(one.rows, 150);
    let wrong = PermutationImportance { measure: Some("acuracy".into()), ..Default::default() };
    let e = wrong.importances(&[ModelOnData { model: &model, data: all }], &Context::default()).unwrap_err().to_string();
    assert!(e.contains("accuracy"), "{e}");
    assert!(PermutationImportance::default().importances(&[], &Context::default()).is_err());
}

#[test]
fn dependence_on_a_column_of_a_line_is_its_slope() {
    let (x, y) = sample(400, 0);
    let all = data(&x, &y);
    let model = Ols::default().fit_with(&all, &Context::default()).unwrap();
    let dependence = PartialDependence::default().of(&model, &all.x, None, 1, &Context::default()).unwrap().unwrap();
    let GridValues::Numbers(places) = &dependence.places else { panic!("numbers") };
    assert_eq!((places.len(), dependence.deciles.len(), dependence.each[0].rows()), (25, 9, 400));
    let slope = model.coef()[(0, 1)];
    for k in 1..places.len() {
        let step = places[k] - places[0];
        assert!((dependence.mean[(k, 0)] - dependence.mean[(0, 0)] - slope * step).abs() < 1e-10 * slope.abs() * step.max(1.0));
        assert!((dependence.error[(k, 0)] - dependence.error[(0, 0)]).abs() < 1e-10, "curves of a line are parallel");
    }
    assert!((dependence.effect_range() - slope.abs() * (places[24] - places[0])).abs() < 1e-9);
    // The error is that of a mean over the rows.
    let at = dependence.each[0].view().col_iter(3).collect::<Vec<f64>>();
    let mean = at.iter().sum::<f64>() / 400.0;
    let error = (at.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / 400.0 / 400.0).sqrt();
    assert!((dependence.mean[(3, 0)] - mean).abs() < 1e-12 && (dependence.error[(3, 0)] - error).abs() < 1e-12);
}

#[test]
fn dependence_on_categories_and_weights_is_the_mean_by_hand() {
    let island = Column::categories(&["b", "a", "b", "c", "b", "a"].map(Some));
    let mass = Column::numbers(vec![1.0, 2.0, 3.0, 4.0, f64::NAN, 6.0]);
    let table = Table::new([("island", island), ("mass", mass), ("same", Column::numbers(vec![1.0; 6]))]).unwrap();
    let y = OwnedTarget::from_labels(&["no", "yes", "no", "yes", "no", "yes"]);
    let x = Features::Table(table.view());
    let weight = [1.0, 2.0, 1.0, 0.5, 1.0, 1.0];
    let rows = DatasetRef::new(x).with_target(y.view()).with_weight(Some(&weight));
    let model = Tree { max_depth: Some(2), ..Tree::default() }.fit_with(&rows, &Context::default()).unwrap();
    let dependence = PartialDependence::default().of(&model, &x, Some(&weight), 0, &Context::default()).unwrap().unwrap();
    assert_eq!(dependence.places, GridValues::Names(vec!["b".into(), "a".into(), "c".into()]), "the most frequent first");
    assert_eq!(dependence.mean.cols(), 1, "of two classes the second");
    for (k, name) in ["b", "a", "c"].into_iter().enumerate() {
        let Column::Category { names, .. } = table.column("island").unwrap() else { panic!("categories") };
        let code = names.iter().position(|n| n == name).unwrap() as u32;
        let mut same = table.clone();
        same.replace(0, Column::Category { codes: vec![code; 6], names: names.clone() }).unwrap();
        let p = model.as_classifier().unwrap().proba(&Features::Table(same.view())).unwrap();
        let mean: f64 = (0..6).map(|i| weight[i] / 6.5 * p[(i, 1)]).sum();
        assert!((dependence.mean[(k, 0)] - mean).abs() < 1e-14, "{name}");
    }
    let constant = PartialDependence::default().of(&model, &x, None, 2, &Context::default()).unwrap();
    assert_eq!(constant, None);
    assert!(PartialDependence::default().of(&model, &x, None, 7, &Context::default()).is_err());
}

#[test]
fn attributions_of_a_line_sum_to_its_score_and_have_mean_zero() {
    let (x, _) = sample(150, 0);
    let labels: Vec<&str> = (0..150).map(|i| if x[(i, 0)] + 0.3 * x[(i, 1)] > 0.2 * x[(i, 2)] { "a" } else { "b" }).collect();
    let y = OwnedTarget::from_labels(&labels);
    let rows = DatasetRef::new(Features::F64(x.view())).with_target(y.view());
    let model = Logistic::default().fit_with(&rows, &Context::default()).unwrap();
    let shapley = attributions(&model, &rows.x, None).unwrap().unwrap();
    assert_eq!((shapley.explains, shapley.outputs, shapley.columns()), ("log odds", 1, 3));
    let score = model.as_classifier().unwrap().decision(&rows.x).unwrap().unwrap();
    let base = score.as_slice().iter().sum::<f64>() / 150.0;
    for i in 0..150 {
        let sum: f64 = (0..3).map(|j| shapley.at(i, 0, j)).sum();
        assert!((base + sum - score[(i, 0)]).abs() < 1e-10, "{i}");
        // The Shapley value of a sum of parts is the part minus its mean.
        let mean = (0..150).map(|k| x[(k, 1)]).sum::<f64>() / 150.0;
        assert!((shapley.at(i, 0, 1) - model.coef()[(0, 1)] * (x[(i, 1)] - mean)).abs() < 1e-12);
    }
    let sizes = shapley.sizes(None);
    assert!(sizes[0] > sizes[1] && sizes[1] > sizes[2], "{sizes:?}");
    // Trees: values and base sum to the prediction.
    let tree = Tree { max_depth: Some(3), ..Tree::default() }.fit_with(&rows, &Context::default()).unwrap();
    let shapley = attributions(&tree, &rows.x, None).unwrap().unwrap();
    let p = tree.as_classifier().unwrap().proba(&rows.x).unwrap();
    let base = shapley.base.clone().unwrap();
    for (i, o) in (0..150).flat_map(|i| [(i, 0), (i, 1)]) {
        let sum: f64 = (0..3).map(|j| shapley.at(i, o, j)).sum();
        assert!((base[o] + sum - p[(i, o)]).abs() < 1e-10);
    }
    let knn = ermine_neighbors::Knn::default().fit_with(&rows, &Context::default()).unwrap();
    assert!(attributions(&knn, &rows.x, None).unwrap().is_none() && !can_attribute(&knn));
}

#[test]
fn neighbors_are_told_with_their_answers() {
    let x = [0.0, 1.0, 2.0, 10.0];
    let y = OwnedTarget::from_labels(&["a", "a", "b", "b"]);
    let rows = DatasetRef::new(Features::F64(MatRef::row_major(&x, 4, 1))).with_target(y.view());
    let model = ermine_neighbors::Knn { n_neighbors: 2, ..Default::default() }.fit_with(&rows, &Context::default()).unwrap();
    let near = model.as_neighbor_model().unwrap();
    let asked = [1.75];
    let nearest = near.nearest_examples(&Features::F64(MatRef::row_major(&asked, 1, 1)), 9).unwrap();
    assert_eq!(nearest[0].iter().map(|n| n.0).collect::<Vec<_>>(), [2, 1, 0, 3]);
    assert_eq!(nearest[0][0].1, 0.25);
    assert_eq!(near.example_target(3), vec![ermine_core::Cell::from("b")]);
    assert_eq!(near.training_rows(&[3, 0]).unwrap().as_slice(), [10.0, 0.0]);
    assert!(near.training_rows(&[4]).is_err());
}
