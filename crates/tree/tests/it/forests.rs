//! Forests and gradient boosting on real data, against the ranges of `fixtures/reference/ensembles.json`.

use ermine_core::{Classifier, Context, DatasetRef, Features, Learner, Mat, OwnedTarget, Regressor, Target};
use ermine_fixtures::{TextTable, Value, case};
use ermine_tree::tree::MaxFeatures;
use ermine_tree::tree::forest::RandomForest;
use ermine_tree::tree::gradient_boosting::GradientBoosting;

fn expected(id: &str, model: &str) -> Value {
    case("ensembles", id)["expected"][model].take()
}

fn classes(case: &str) -> (Mat<f64>, OwnedTarget) {
    let cells = TextTable::read(case);
    let (target, columns) = match case {
        "german_credit" => ("risk", cells.others(&["risk"])),
        "mushrooms" => ("class", cells.others(&["class"])),
        "titanic" => ("Survived", vec!["Pclass", "Sex", "Age", "SibSp", "Parch", "Fare", "Embarked"]),
        _ => {
            let last = cells.names.last().unwrap().as_str();
            (last, cells.others(&[last]))
        }
    };
    (cells.coded_matrix(&columns), OwnedTarget::from_labels(cells.column(target)))
}

fn numbers(case: &str) -> (Mat<f64>, Vec<f64>) {
    let cells = TextTable::read("california_housing");
    assert_eq!(case, "california");
    let y = cells.coded("median_house_value").iter().map(|v| v / 100_000.0).collect();
    (cells.coded_matrix(&cells.others(&["median_house_value"])), y)
}

/// Accuracy over the five folds by row number.
fn accuracy<L: Learner>(learner: &L, x: &Mat<f64>, y: &OwnedTarget) -> f64
where
    L::Model: Classifier,
{
    let data = DatasetRef::new(Features::F64(x.view())).with_target(y.view());
    let mut right = 0;
    for fold in 0..5 {
        let train: Vec<usize> = (0..x.rows()).filter(|i| i % 5 != fold).collect();
        let test: Vec<usize> = (0..x.rows()).filter(|i| i % 5 == fold).collect();
        let (train, test) = (data.take_rows(&train), data.take_rows(&test));
        let model = learner.fit_with(&train.view(), &Context::default()).unwrap();
        let Target::Class { codes, .. } = test.view().y else { unreachable!() };
        right += model.classify(&test.view().x).unwrap().iter().zip(codes).filter(|(a, b)| a == b).count();
    }
    right as f64 / x.rows() as f64
}

fn rmse<L: Learner>(learner: &L, x: &Mat<f64>, y: &[f64]) -> f64
where
    L::Model: Regressor,
{
    let data = DatasetRef::new(Features::F64(x.view())).with_target(Target::Real(y));
    let train: Vec<usize> = (0..x.rows()).filter(|i| i % 5 != 0).collect();
    let test: Vec<usize> = (0..x.rows()).filter(|i| i % 5 == 0).collect();
    let model = learner.fit_with(&data.take_rows(&train).view(), &Context::default()).unwrap();
    let p = model.predict(&data.take_rows(&test).view().x).unwrap();
    let squares: f64 = test.iter().enumerate().map(|(k, &i)| (p[(k, 0)] - y[i]).powi(2)).sum();
    (squares / test.len() as f64).sqrt()
}

fn forest(trees: u64) -> RandomForest {
    RandomForest { n_estimators: trees, ..RandomForest::default() }
}

fn extra(trees: u64) -> RandomForest {
    RandomForest { thresholds: "random".into(), bootstrap: false, ..forest(trees) }
}

fn check(case: &str, model: &str, found: f64) {
    let bounds = expected(case, model);
    if let Some(least) = bounds["accuracy_lower_bound"].as_f64() {
        assert!(found >= least, "{model} on {case}: accuracy {found}, at least {least} is expected");
    } else {
        let most = bounds["rmse_upper_bound"].as_f64().unwrap();
        assert!(found <= most, "{model} on {case}: rmse {found}, at most {most} is expected");
    }
}

#[test]
fn forests_classify_as_well_as_the_reference() {
    for (case, trees) in [("breast_cancer", 200), ("wine", 200), ("digits", 100), ("german_credit", 100), ("titanic", 100)] {
        let (x, y) = classes(case);
        check(case, "random_forest", accuracy(&forest(trees), &x, &y));
        check(case, "extra_trees", accuracy(&extra(trees), &x, &y));
    }
    let (x, y) = classes("mushrooms");
    check("mushrooms", "random_forest", accuracy(&forest(100), &x, &y));
}

#[test]
fn histograms_classify_as_well_as_the_reference() {
    for case in ["breast_cancer", "digits"] {
        let (x, y) = classes(case);
        let learner = RandomForest { splitter: "histogram".into(), max_bins: 64, ..forest(100) };
        check(case, "random_forest", accuracy(&learner, &x, &y));
    }
}

#[test]
fn forests_predict_house_values_as_well_as_the_reference() {
    let (x, y) = numbers("california");
    for splitter in ["exact", "histogram"] {
        check("california", "random_forest", rmse(&RandomForest { splitter: splitter.into(), ..forest(100) }, &x, &y));
    }
    let all = RandomForest { max_features: None, ..extra(100) };
    check("california", "extra_trees", rmse(&all, &x, &y));
    let third = RandomForest { max_features: Some(MaxFeatures::Columns(3)), oob_score: true, ..forest(100) };
    let data = DatasetRef::new(Features::F64(x.view())).with_target(Target::Real(&y));
    let oob = third.fit_with(&data, &Context::default()).unwrap().out_of_bag().unwrap().score;
    // The estimate without a test set is that of the test set of the reference, up to the noise of 4128 rows.
    let r2 = expected("california", "random_forest")["r2"]["mean"].as_f64().unwrap();
    assert!((oob - r2).abs() < 0.02, "out-of-bag R^2 {oob}, and the reference has {r2}");
}

#[test]
fn gradient_boosting_is_as_good_as_the_reference() {
    let learner = GradientBoosting { n_estimators: 200, ..GradientBoosting::default() };
    for case in ["breast_cancer", "wine", "german_credit", "titanic"] {
        let (x, y) = classes(case);
        check(case, "gbdt", accuracy(&learner, &x, &y));
    }
    let (x, y) = numbers("california");
    check("california", "gbdt", rmse(&learner, &x, &y));
}

/// Large data when it is there: `ERMINE_DATA` is the folder that holds `adult_train.csv.gz`, `covtype.csv.gz` and others.
fn large() -> Option<String> {
    let folder = std::env::var("ERMINE_DATA").ok();
    if folder.is_none() {
        eprintln!("skipped: ERMINE_DATA is not set");
    }
    folder
}

#[test]
fn adult_as_well_as_the_reference() {
    let Some(folder) = large() else { return };
    let (train, test) =
        (TextTable::open(format!("{folder}/adult_train.csv.gz")), TextTable::open(format!("{folder}/adult_test.csv.gz")));
    let rows = train.rows();
    let both = TextTable {
        names: train.names.clone(),
        columns: train.columns.iter().zip(&test.columns).map(|(a, b)| [a.clone(), b.clone()].concat()).collect(),
    };
    let target = both.names.last().unwrap().clone();
    let x = both.coded_matrix(&both.others(&[&target]));
    let labels: Vec<&str> = both.column(&target).iter().map(|l| l.trim_end_matches('.')).collect();
    let y = OwnedTarget::from_labels(&labels);
    let data = DatasetRef::new(Features::F64(x.view())).with_target(y.view());
    let Target::Class { codes, .. } = y.view() else { unreachable!() };
    let model = forest(100).fit_with(&data.row_range(0..rows), &Context::default()).unwrap();
    assert_eq!(ermine_core::Model::certificate(&model).unwrap().method, "histogram");
    let predictions = model.classify(&data.x.row_range(rows..x.rows())).unwrap();
    let right = predictions.iter().zip(&codes[rows..]).filter(|(a, b)| a == b).count();
    check("adult", "random_forest", right as f64 / predictions.len() as f64);
}

#[test]
fn covtype_as_well_as_the_reference() {
    let Some(folder) = large() else { return };
    let cells = TextTable::open(format!("{folder}/covtype.csv.gz"));
    let pick = |r: usize| -> Vec<usize> { (0..cells.rows()).filter(|i| i % 10 == r).collect() };
    let target = cells.names.last().unwrap().clone();
    let names = cells.others(&[&target]);
    let part = |rows: &[usize]| {
        let columns: Vec<Vec<f64>> =
            names.iter().map(|n| rows.iter().map(|&i| cells.column(n)[i].parse().unwrap()).collect()).collect();
        Mat::from_fn(rows.len(), names.len(), |i, j| columns[j][i])
    };
    let labels = |rows: &[usize]| rows.iter().map(|&i| cells.column(&target)[i].clone()).collect::<Vec<_>>();
    let (train, test) = (pick(1), pick(0));
    let (x, xt) = (part(&train), part(&test));
    let (y, yt) = (OwnedTarget::from_labels(&labels(&train)), OwnedTarget::from_labels(&labels(&test)));
    let model =
        forest(100).fit_with(&DatasetRef::new(Features::F64(x.view())).with_target(y.view()), &Context::default()).unwrap();
    let Target::Class { codes, .. } = yt.view() else { unreachable!() };
    let right = model.classify(&Features::F64(xt.view())).unwrap().iter().zip(codes).filter(|(a, b)| a == b).count();
    check("covtype_58k", "random_forest", right as f64 / codes.len() as f64);
}
