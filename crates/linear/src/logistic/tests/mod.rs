use std::collections::BTreeMap;

use ermine_core::{
    AnyLearner, BalancedWord, ClassWeight, Classifier, Column, Context, Csr, DatasetRef, Features, Learner, Mat, MatRef, Model,
    ModelWriter, OwnedDataset, OwnedFeatures, OwnedTarget, RngStream, Schema, Table, run_passes_blocked, run_passes_source,
};
use ermine_fixtures::{ChunkedSource, data_set, standardized};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::super::passes::CurvatureKind;
use super::evaluate::LogisticProblem;
use super::penalty::ElasticPenalty;
use super::*;

mod hostile;
mod penalties;
mod separation;
mod solvers;

/// A design with the names of its columns, and the class of every row.
struct Design {
    names: Vec<String>,
    x: Mat<f64>,
    y: OwnedTarget,
}

impl Design {
    fn data(&self) -> DatasetRef<'_> {
        DatasetRef::new(Features::F64(self.x.view())).with_target(self.y.view())
    }

    fn fit(&self, learner: &Logistic) -> LogisticModel {
        learner.fit_with(&self.data(), &Context::default()).unwrap()
    }
}

fn table(name: &str) -> Table {
    ermine_data::read_table(data_set(name)).unwrap()
}

fn numbers(t: &Table, name: &str) -> Vec<f64> {
    match t.column(name).unwrap() {
        Column::Number { values, .. } => values.clone(),
        Column::Category { codes, names } => codes.iter().map(|&c| names[c as usize].parse().unwrap()).collect(),
        Column::Text(_) => panic!("{name} is text"),
    }
}

fn words(t: &Table, name: &str) -> Vec<String> {
    match t.column(name).unwrap() {
        Column::Number { values, .. } => values.iter().map(f64::to_string).collect(),
        Column::Category { codes, names } => codes.iter().map(|&c| names[c as usize].clone()).collect(),
        Column::Text(cells) => cells.iter().map(|c| c.clone().unwrap_or_default()).collect(),
    }
}

/// 0/1 columns for each sorted level but the first.
fn one_hot(name: &str, cells: &[String]) -> Vec<(String, Vec<f64>)> {
    let mut levels = cells.to_vec();
    levels.sort();
    levels.dedup();
    let column = |level: &String| (format!("{name}={level}"), cells.iter().map(|c| f64::from(u8::from(c == level))).collect());
    levels[1..].iter().map(column).collect()
}

fn design(columns: Vec<(String, Vec<f64>)>, labels: &[String]) -> Design {
    let (names, columns): (Vec<_>, Vec<_>) = columns.into_iter().unzip();
    let x = Mat::from_fn(labels.len(), columns.len(), |i, j| columns[j][i]);
    Design { names, x, y: OwnedTarget::from_labels(labels) }
}

/// All columns but the target, standardized.
fn standardized_set(name: &str, columns: usize) -> Design {
    let t = table(name);
    let names: Vec<String> = t.schema().names().filter(|n| *n != "target").take(columns).map(str::to_owned).collect();
    let columns = names.into_iter().map(|n| (n.clone(), standardized(&numbers(&t, &n)))).collect();
    design(columns, &words(&t, "target"))
}

fn titanic() -> Design {
    let t = table("titanic");
    let kept: Vec<usize> = (0..t.rows()).filter(|&i| !t.column("Age").unwrap().is_missing(i)).collect();
    let t = t.take_rows(&kept);
    let mut columns: Vec<_> = ["Age", "SibSp", "Parch", "Fare"].map(|n| (n.to_owned(), numbers(&t, n))).to_vec();
    columns.extend(one_hot("Pclass", &words(&t, "Pclass")));
    columns.extend(one_hot("Sex", &words(&t, "Sex")));
    design(columns, &words(&t, "Survived"))
}

fn german_credit(numeric: &[String]) -> Design {
    let t = table("german_credit");
    let mut columns: Vec<_> = numeric.iter().map(|n| (n.clone(), standardized(&numbers(&t, n)))).collect();
    for name in t.schema().names().filter(|n| !numeric.iter().any(|m| m == n) && *n != "risk") {
        columns.extend(one_hot(name, &words(&t, name)));
    }
    // The event is the second of the sorted names.
    let labels: Vec<String> = words(&t, "risk").iter().map(|r| if r == "bad" { "1 bad" } else { "0 good" }.into()).collect();
    design(columns, &labels)
}

fn penguins() -> Design {
    let t = table("penguins");
    let complete = |i: &usize| t.columns().all(|c| !c.is_missing(*i));
    let kept: Vec<usize> = (0..t.rows()).filter(complete).collect();
    assert_eq!(kept.len(), 333);
    let t = t.take_rows(&kept);
    let names = ["bill_length_mm", "bill_depth_mm", "flipper_length_mm", "body_mass_g"];
    design(names.map(|n| (n.to_owned(), standardized(&numbers(&t, n)))).to_vec(), &words(&t, "species"))
}

fn reference() -> BTreeMap<String, Value> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/reference/glm.json");
    let book: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    book["cases"].as_array().unwrap().iter().map(|c| (c["id"].as_str().unwrap().to_owned(), c.clone())).collect()
}

fn floats(v: &Value) -> Vec<f64> {
    match v {
        Value::Array(all) => all.iter().flat_map(floats).collect(),
        other => vec![other.as_f64().unwrap()],
    }
}

fn assert_close(got: &[f64], case: &Value, what: &str) {
    let expected = floats(&case["expected"][what]);
    let (rel, abs) = (case["tolerance"]["rel"].as_f64().unwrap(), case["tolerance"]["abs"].as_f64().unwrap_or(0.0));
    assert_eq!(got.len(), expected.len(), "{} {what}", case["id"]);
    for (j, (g, e)) in got.iter().zip(&expected).enumerate() {
        assert!((g - e).abs() <= (rel * e.abs()).max(abs), "{} {what} {j}: {g:e}, expected {e:e}", case["id"]);
    }
}

#[test]
fn unpenalized_fits_have_the_reference_weights_and_standard_errors() {
    let book = reference();
    let numeric: Vec<String> = serde_json::from_value(book["logit_german_credit"]["params"]["numeric"].clone()).unwrap();
    let sets = [
        ("logit_titanic", titanic()),
        ("logit_breast_cancer_5", standardized_set("breast_cancer", 5)),
        ("logit_german_credit", german_credit(&numeric)),
    ];
    for (id, set) in sets {
        let case = &book[id];
        let names: Vec<String> = serde_json::from_value(case["expected"]["names"].clone()).unwrap();
        assert_eq!(set.names, names[1..], "{id}");
        for learner in [
            Logistic { penalty: PenaltyKind::None, ..Logistic::default() },
            Logistic { c: None, solver: LogisticSolver::Newton, ..Logistic::default() },
        ] {
            let model = set.fit(&learner);
            let mut coef = vec![model.intercept()[0]];
            coef.extend(model.coef().as_slice());
            assert_close(&coef, case, "coef");
            let errors = model.standard_errors().unwrap();
            let mut all = errors.intercept.clone().unwrap();
            all.extend(errors.coef.as_slice());
            assert_close(&all, case, "std_err");
            let certificate = model.certificate().unwrap();
            assert!(certificate.converged && certificate.kkt_residual.unwrap() < 1e-9, "{id}: {certificate:?}");
            assert_close(&[-certificate.objective.unwrap()], case, "loglik");
            assert!(!model.report(&Schema::default()).sections.is_empty());
        }
    }
}

#[test]
fn penalized_fits_have_the_reference_weights() {
    let book = reference();
    let cancer = standardized_set("breast_cancer", 30);
    let (iris, wine) = (standardized_set("iris", 4), standardized_set("wine", 13));
    let penguins = penguins();
    let cases = [
        ("logit_l2_breast_cancer_0.01", &cancer),
        ("logit_l2_breast_cancer_1", &cancer),
        ("logit_l2_breast_cancer_100", &cancer),
        ("softmax_l2_iris_1", &iris),
        ("softmax_l2_iris_0.1", &iris),
        ("softmax_l2_wine_1", &wine),
        ("softmax_l2_wine_0.1", &wine),
        ("softmax_l2_penguins", &penguins),
    ];
    for (id, set) in cases {
        let case = &book[id];
        let lambda = case["params"]["lambda"].as_f64().unwrap();
        let model = set.fit(&Logistic { c: Some(1.0 / lambda), ..Logistic::default() });
        assert_close(model.intercept(), case, "intercept");
        assert_close(model.coef().as_slice(), case, "coef");
        let certificate = model.certificate().unwrap();
        assert!(certificate.converged && certificate.duality_gap.unwrap() < 1e-12 * certificate.objective.unwrap(), "{id}");
        assert_close(&[certificate.objective.unwrap() * lambda], case, "objective");
        let x = set.data().x;
        if let Some(accuracy) = case["expected"].get("train_accuracy") {
            let codes = model.classify(&x).unwrap();
            let OwnedTarget::Class { codes: truth, .. } = &set.y else { unreachable!() };
            let right = codes.iter().zip(truth).filter(|(a, b)| a == b).count();
            assert_eq!(right as f64 / truth.len() as f64, accuracy.as_f64().unwrap(), "{id}");
            let p = model.proba(&x).unwrap();
            let firsts: Vec<f64> = (0..3).flat_map(|k| p.row(truth.iter().position(|&c| c == k).unwrap()).to_vec()).collect();
            assert_close(&firsts, case, "probabilities_first_row_of_each_class");
        }
    }
}

fn random(rows: usize, cols: usize, classes: usize, seed: u64) -> Design {
    let mut s = RngStream::new(seed, "logistic", 0);
    let x = Mat::from_fn(rows, cols, |_, _| s.normal());
    let truth = Mat::from_fn(classes, cols, |_, _| s.normal());
    let labels: Vec<String> = (0..rows)
        .map(|i| {
            let score = |k: usize| (0..cols).map(|j| x[(i, j)] * truth[(k, j)]).sum::<f64>();
            let noisy: Vec<f64> = (0..classes).map(|k| score(k) - (-s.uniform().ln()).ln()).collect();
            let best = (1..classes).fold(0, |b, k| if noisy[k] > noisy[b] { k } else { b });
            format!("c{best:02}")
        })
        .collect();
    Design { names: (0..cols).map(|j| format!("x{j}")).collect(), x, y: OwnedTarget::from_labels(&labels) }
}

fn far(a: &LogisticModel, b: &LogisticModel) -> f64 {
    let scale = a.coef.as_slice().iter().chain(&a.intercept).fold(0.0f64, |m, v| m.max(v.abs()));
    let pairs = a.coef.as_slice().iter().chain(&a.intercept).zip(b.coef.as_slice().iter().chain(&b.intercept));
    pairs.fold(0.0f64, |m, (x, y)| m.max((x - y).abs())) / scale
}

fn problem(design: &Design, intercept: bool) -> LogisticProblem {
    let OwnedTarget::Class { names, .. } = &design.y else { unreachable!() };
    LogisticProblem {
        cols: design.x.cols(),
        intercept,
        classes: names.len(),
        class_position: (0..names.len() as u32).map(Some).collect(),
        class_weight: (0..names.len()).map(|k| 1.0 + 0.5 * k as f64).collect(),
        center: if intercept { (0..design.x.cols()).map(|j| 0.3 * j as f64).collect() } else { Vec::new() },
        curvature_stride: 1,
    }
}

#[test]
fn gradient_and_hessian_are_the_differences_of_the_loss() {
    for (classes, intercept) in [(2, true), (2, false), (3, true), (4, false)] {
        let design = random(300, 5, classes, 1);
        let p = problem(&design, intercept);
        let at = |point: &[f64], curvature: CurvatureKind| {
            let mut sums = p.empty(curvature, false);
            p.add(point, curvature, &mut sums, &design.data()).unwrap();
            sums
        };
        let point: Vec<f64> = (0..p.len()).map(|i| ((i * 7) % 5) as f64 * 0.2 - 0.4).collect();
        let sums = at(&point, CurvatureKind::Full);
        let gradient = sums.gradient(&p);
        let (q, v) = (p.width(), p.vectors());
        let parts = sums.matrices(&p);
        let h = 1e-5;
        for i in 0..p.len() {
            let (mut up, mut down) = (point.clone(), point.clone());
            up[i] += h;
            down[i] -= h;
            let (up, down) = (at(&up, CurvatureKind::None), at(&down, CurvatureKind::None));
            let slope = (up.loss - down.loss) / (2.0 * h);
            assert!((gradient[i] - slope).abs() < 1e-6 * (1.0 + slope.abs()), "{classes} classes, {i}: {} {slope}", gradient[i]);
            let (up, down) = (up.gradient(&p), down.gradient(&p));
            for j in 0..p.len() {
                let curve = (up[j] - down[j]) / (2.0 * h);
                let (a, b) = ((i / q).min(j / q), (i / q).max(j / q));
                let pair = (0..parts.len()).find(|&n| super::evaluate::pair_at(n, v) == (a, b)).unwrap();
                let sign = if a == b { 1.0 } else { -1.0 };
                let exact = sign * parts[pair][(i % q, j % q)];
                assert!((exact - curve).abs() < 1e-5 * (1.0 + curve.abs()), "{classes} classes, ({i}, {j}): {exact} {curve}");
            }
        }
    }
}

#[test]
fn sparse_and_dense_rows_give_the_same_sums() {
    for classes in [2, 3] {
        let design = random(300, 6, classes, 2);
        let p = problem(&design, true);
        let p = LogisticProblem { center: Vec::new(), ..p };
        // Every value in two halves, unsorted: equal indices add up.
        let (mut indptr, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
        for i in 0..300 {
            for (j, v) in design.x.row(i).iter().enumerate() {
                indices.extend([j as u32, 5 - j as u32]);
                values.extend([0.5 * v, 0.5 * design.x[(i, 5 - j)]]);
            }
            indptr.push(values.len());
        }
        let csr = Csr::new(indptr, indices, values, 6).unwrap();
        let sparse = DatasetRef { x: Features::Csr(csr.view()), ..design.data() };
        let point: Vec<f64> = (0..p.len()).map(|i| (i % 4) as f64 * 0.3 - 0.4).collect();
        let (mut a, mut b) = (p.empty(CurvatureKind::Full, false), p.empty(CurvatureKind::Full, true));
        p.add(&point, CurvatureKind::Full, &mut a, &design.data()).unwrap();
        p.add(&point, CurvatureKind::Full, &mut b, &sparse).unwrap();
        assert!((a.loss - b.loss).abs() < 1e-11 * a.loss);
        let close = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-10 * (1.0 + a.abs()));
        assert!(close(&a.gradient(&p), &b.gradient(&p)));
        for (a, b) in a.matrices(&p).iter().zip(b.matrices(&p)) {
            assert!(close(a.as_slice(), b.as_slice()));
        }
        let model = design.fit(&Logistic::default());
        for solver in [LogisticSolver::Newton, LogisticSolver::Lbfgs] {
            let learner = Logistic { solver, tol: 1e-9, ..Logistic::default() };
            let other = learner.fit_with(&sparse, &Context::default()).unwrap();
            assert!(far(&model, &other) < 1e-7, "{solver:?}: {:e}", far(&model, &other));
            assert_eq!(model.classify(&design.data().x).unwrap(), other.classify(&sparse.x).unwrap());
        }
    }
}

#[test]
fn both_solvers_reach_the_same_optimum() {
    for (classes, cols, c) in [(2, 8, 1.0), (2, 8, 1e4), (3, 5, 1.0), (5, 6, 0.01), (4, 3, 100.0)] {
        let design = random(700, cols, classes, 3);
        let newton = design.fit(&Logistic { c: Some(c), solver: LogisticSolver::Newton, ..Logistic::default() });
        let lbfgs =
            design.fit(&Logistic { c: Some(c), solver: LogisticSolver::Lbfgs, tol: 1e-10, max_iter: 500, ..Logistic::default() });
        assert!(far(&newton, &lbfgs) < 1e-8, "{classes} classes, C = {c}: {:e}", far(&newton, &lbfgs));
        let (a, b) = (newton.certificate().unwrap(), lbfgs.certificate().unwrap());
        assert_eq!((a.method.as_str(), b.method.as_str()), ("newton", "lbfgs"));
        assert!(a.converged && b.converged, "{a:?} {b:?}");
        if classes > 2 {
            let sum: f64 = newton.intercept().iter().sum();
            assert!(sum.abs() < 1e-12);
            for j in 0..cols {
                assert!((0..classes).map(|k| newton.coef()[(k, j)]).sum::<f64>().abs() < 1e-12);
            }
        }
        // The duality gap is an upper bound.
        let loose = design.fit(&Logistic { c: Some(c), solver: LogisticSolver::Lbfgs, tol: 0.1, ..Logistic::default() });
        let gap = loose.certificate().unwrap().objective.unwrap() - a.objective.unwrap();
        assert!(gap <= loose.certificate().unwrap().duality_gap.unwrap() * (1.0 + 1e-6) + 1e-9 * a.objective.unwrap());
    }
}

#[test]
fn columns_of_any_scale_and_place_reach_the_same_optimum() {
    let design = random(400, 6, 2, 4);
    let truth = design.fit(&Logistic { penalty: PenaltyKind::None, ..Logistic::default() });
    let scales = [1e-6, 1e6, 1.0, 1e3, 1e-3, 1.0];
    let shifts = [0.0, 0.0, 1e5, 0.0, 0.0, -3.0];
    let x = Mat::from_fn(400, 6, |i, j| scales[j] * (design.x[(i, j)] + shifts[j]));
    let other = Design { x, y: design.y.clone(), names: design.names.clone() };
    for solver in [LogisticSolver::Newton, LogisticSolver::Lbfgs] {
        let model = other.fit(&Logistic { penalty: PenaltyKind::None, solver, tol: 1e-8, ..Logistic::default() });
        assert!(model.certificate().unwrap().converged, "{:?}", model.certificate());
        for j in 0..6 {
            let (a, b) = (truth.coef()[(0, j)], model.coef()[(0, j)] * scales[j]);
            assert!((a - b).abs() < 1e-6 * a.abs(), "{solver:?} column {j}: {a} {b}");
        }
    }
    // With a penalty, against the solution of the scaled problem by another way: columns in their own units, C per column.
    let model = other.fit(&Logistic { c: Some(1e-3), ..Logistic::default() });
    let certificate = model.certificate().unwrap();
    assert!(certificate.converged && certificate.duality_gap.unwrap() < 1e-9 * certificate.objective.unwrap(), "{certificate:?}");
}

#[test]
fn separable_data_without_penalty_is_found_out() {
    for (solver, classes) in
        [(LogisticSolver::Newton, 2), (LogisticSolver::Lbfgs, 2), (LogisticSolver::Newton, 3), (LogisticSolver::Lbfgs, 3)]
    {
        let x: Vec<f64> = (0..60).map(|i| f64::from(i) + if i >= 30 { 5.0 } else { 0.0 }).collect();
        let labels: Vec<String> = (0..60).map(|i| format!("c{}", i * classes / 60)).collect();
        let y = OwnedTarget::from_labels(&labels);
        let data = DatasetRef::new(Features::F64(MatRef::row_major(&x, 60, 1))).with_target(y.view());
        let model =
            Logistic { penalty: PenaltyKind::None, solver, ..Logistic::default() }.fit_with(&data, &Context::default()).unwrap();
        let certificate = model.certificate().unwrap();
        if classes == 2 {
            assert!(certificate.notes.iter().any(|n| n.contains("separable")), "{solver:?}: {certificate:?}");
        }
        assert!(model.coef().as_slice().iter().chain(model.intercept()).all(|v| v.is_finite()));
        assert!(model.standard_errors().is_none());
        let right = model.classify(&data.x).unwrap();
        let OwnedTarget::Class { codes, .. } = &y else { unreachable!() };
        assert_eq!(&right, codes);
        assert!(model.proba(&data.x).unwrap().as_slice().iter().all(|p| p.is_finite()));
    }
}

#[test]
fn data_that_is_separable_in_part_is_found_out() {
    // One level of a category has only one class.
    let mut s = RngStream::new(5, "part", 0);
    let x = Mat::from_fn(300, 2, |i, j| if j == 0 { s.normal() } else { f64::from(u8::from(i % 10 == 0)) });
    let labels: Vec<String> = (0..300).map(|i| if i % 10 == 0 || s.uniform() < 0.5 { "yes" } else { "no" }.into()).collect();
    let design = Design { names: Vec::new(), x, y: OwnedTarget::from_labels(&labels) };
    let model = design.fit(&Logistic { penalty: PenaltyKind::None, ..Logistic::default() });
    let certificate = model.certificate().unwrap();
    assert!(certificate.notes.iter().any(|n| n.contains("separable in part")), "{certificate:?}");
    assert!(model.coef()[(0, 1)] > 10.0 && model.coef()[(0, 1)] < 1e3 && model.coef()[(0, 0)].is_finite());
    assert!(model.standard_errors().is_none());
}

#[test]
fn columns_that_depend_on_each_other_are_said_and_leave_the_probabilities_alone() {
    let design = random(200, 3, 2, 6);
    let doubled = Mat::from_fn(200, 4, |i, j| design.x[(i, j % 3)]);
    let learner = Logistic { penalty: PenaltyKind::None, ..Logistic::default() };
    let (a, b) = (design.fit(&learner), Design { x: doubled, y: design.y.clone(), names: Vec::new() });
    let data = b.data();
    let model = b.fit(&learner);
    let certificate = model.certificate().unwrap();
    assert!(certificate.converged && certificate.notes.iter().any(|n| n.contains("singular")), "{certificate:?}");
    assert!(model.standard_errors().is_none());
    let (p, q) = (a.proba(&design.data().x).unwrap(), model.proba(&data.x).unwrap());
    assert!(p.as_slice().iter().zip(q.as_slice()).all(|(p, q)| (p - q).abs() < 1e-7));
}

#[test]
fn weights_count_rows_and_class_weights_count_classes() {
    for classes in [2, 3] {
        let design = random(250, 4, classes, 7);
        let OwnedTarget::Class { codes, names } = &design.y else { unreachable!() };
        let weight: Vec<f64> = (0..250).map(|i| (i % 3) as f64).collect();
        let rows: Vec<usize> = (0..250).flat_map(|i| vec![i; i % 3]).collect();
        let a = Logistic::default().fit_with(&design.data().with_weight(Some(&weight)), &Context::default()).unwrap();
        let b = Logistic::default().fit_with(&design.data().take_rows(&rows).view(), &Context::default()).unwrap();
        assert!(far(&a, &b) < 1e-10, "{:e}", far(&a, &b));
        let factors: BTreeMap<String, f64> = [(names[1].clone(), 3.0)].into();
        let a = design.fit(&Logistic { class_weight: Some(ClassWeight::Factors(factors)), ..Logistic::default() });
        let weight: Vec<f64> = codes.iter().map(|&c| if c == 1 { 3.0 } else { 1.0 }).collect();
        let b = Logistic::default().fit_with(&design.data().with_weight(Some(&weight)), &Context::default()).unwrap();
        assert!(far(&a, &b) < 1e-10, "{:e}", far(&a, &b));
        let a = design.fit(&Logistic { class_weight: Some(ClassWeight::Word(BalancedWord::Balanced)), ..Logistic::default() });
        let count = |k: u32| codes.iter().filter(|&&c| c == k).count() as f64;
        let weight: Vec<f64> = codes.iter().map(|&c| 250.0 / (classes as f64 * count(c))).collect();
        let b = Logistic::default().fit_with(&design.data().with_weight(Some(&weight)), &Context::default()).unwrap();
        assert!(far(&a, &b) < 1e-10, "{:e}", far(&a, &b));
    }
    let unknown = Logistic { class_weight: Some(ClassWeight::Factors([("c1".into(), 2.0)].into())), ..Logistic::default() };
    let error = unknown.fit_with(&random(50, 2, 2, 1).data(), &Context::default()).unwrap_err().to_string();
    assert!(error.contains("\"c1\"") && error.contains("c01"), "{error}");
}

#[test]
fn classes_without_rows_have_no_probability() {
    let design = random(200, 3, 3, 8);
    let OwnedTarget::Class { codes, .. } = &design.y else { unreachable!() };
    let names: Vec<String> = ["a", "b", "c", "d"].map(String::from).to_vec();
    let moved: Vec<u32> = codes.iter().map(|&c| c + u32::from(c == 2)).collect();
    let data = design.data().with_target(ermine_core::Target::Class { codes: &moved, names: &names });
    let model = Logistic::default().fit_with(&data, &Context::default()).unwrap();
    let p = model.proba(&data.x).unwrap();
    assert!((0..200).all(|i| p[(i, 2)] == 0.0 && (p.row(i).iter().sum::<f64>() - 1.0).abs() < 1e-15));
    assert!(model.classify(&data.x).unwrap().iter().all(|&c| c != 2));
    assert_eq!(model.log_proba(&data.x).unwrap()[(0, 2)], f64::NEG_INFINITY);
    assert_eq!(model.decision(&data.x).unwrap().unwrap().cols(), 4);
    // Two left of three: a logistic regression.
    let weight: Vec<f64> = moved.iter().map(|&c| f64::from(u8::from(c != 1))).collect();
    let model = Logistic::default().fit_with(&data.with_weight(Some(&weight)), &Context::default()).unwrap();
    assert_eq!(model.coef().rows(), 1);
    let p = model.proba(&data.x).unwrap();
    assert!((0..200).all(|i| p[(i, 1)] == 0.0 && p[(i, 2)] == 0.0));
    // One left: nothing to learn.
    let weight: Vec<f64> = moved.iter().map(|&c| f64::from(u8::from(c == 3))).collect();
    let error = Logistic::default().fit_with(&data.with_weight(Some(&weight)), &Context::default()).unwrap_err().to_string();
    assert!(error.contains("\"d\""), "{error}");
}

/// Rows in runs of awkward lengths.
fn in_runs(rows: DatasetRef<'_>) -> ChunkedSource<'_> {
    ChunkedSource::new(rows, &[1, 977, 4096, 3])
}

fn stored(model: &LogisticModel) -> ModelWriter {
    let mut out = ModelWriter::default();
    model.save(&mut out).unwrap();
    out
}

#[test]
fn a_stream_gives_the_bits_of_memory_and_a_sample_changes_only_the_way() {
    for (rows, classes, solver) in
        [(9_000, 2, LogisticSolver::Auto), (40_000, 2, LogisticSolver::Auto), (30_000, 4, LogisticSolver::Lbfgs)]
    {
        let design = random(rows, 5, classes, 9);
        let learner = Logistic { solver, ..Logistic::default() };
        let memory = design.fit(&learner);
        let stream = run_passes_source(&learner, &in_runs(design.data()), &Context::default()).unwrap();
        assert_eq!(stored(&memory), stored(&stream));
        assert!(memory.certificate().unwrap().converged);
        // Blocks too small for a sample take the long way to the same optimum.
        let exact = Logistic { tol: 1e-9, max_iter: 300, ..learner };
        let a = design.fit(&exact);
        let b = run_passes_blocked(&exact, &design.data(), &Context::default(), 1000).unwrap();
        assert!(far(&a, &b) < 1e-7, "{:e}", far(&a, &b));
    }
}

#[test]
fn layouts_f32_and_tables_agree() {
    let design = random(600, 5, 3, 10);
    let model = design.fit(&Logistic::default());
    let columns: Vec<f64> = (0..5).flat_map(|j| design.x.view().col_iter(j).collect::<Vec<_>>()).collect();
    let by_column = DatasetRef { x: Features::F64(MatRef::col_major(&columns, 600, 5)), ..design.data() };
    let other = Logistic::default().fit_with(&by_column, &Context::default()).unwrap();
    assert_eq!(stored(&model), stored(&other));
    assert_eq!(model.proba(&by_column.x).unwrap(), model.proba(&design.data().x).unwrap());
    let t = Table::new((0..5).map(|j| (format!("x{j}"), Column::numbers(design.x.view().col_iter(j).collect())))).unwrap();
    let by_table = DatasetRef::new(Features::Table(t.view())).with_target(design.y.view());
    assert_eq!(stored(&model), stored(&Logistic::default().fit_with(&by_table, &Context::default()).unwrap()));
    let single = Mat::from_fn(600, 5, |i, j| design.x[(i, j)] as f32);
    let double = Mat::from_fn(600, 5, |i, j| f64::from(single[(i, j)]));
    let data_f32 = DatasetRef { x: Features::F32(single.view()), ..design.data() };
    let data_f64 = DatasetRef { x: Features::F64(double.view()), ..design.data() };
    let fit = |d: &DatasetRef<'_>| stored(&Logistic::default().fit_with(d, &Context::default()).unwrap());
    assert_eq!(fit(&data_f32), fit(&data_f64));
}

#[test]
fn a_saved_model_is_the_same_and_a_broken_one_is_refused() {
    for (classes, penalty) in [(2, PenaltyKind::None), (3, PenaltyKind::L2)] {
        let design = random(120, 3, classes, 11);
        let model = design.fit(&Logistic { penalty, ..Logistic::default() });
        let kept = stored(&model);
        let again = Logistic::load(&kept.clone().into_reader()).unwrap();
        assert_eq!(stored(&again), kept);
        let x = design.data().x;
        assert_eq!(again.proba(&x).unwrap(), model.proba(&x).unwrap());
        assert_eq!(again.standard_errors(), model.standard_errors());
        let break_it = |f: &dyn Fn(&mut ModelWriter)| {
            let mut w = kept.clone();
            f(&mut w);
            Logistic::load(&w.into_reader()).is_err()
        };
        assert!(break_it(&|w| w.field("present", &json!([0])).unwrap()));
        assert!(break_it(&|w| w.field("present", &json!([1, 0])).unwrap()));
        assert!(break_it(&|w| w.field("present", &json!([0, 9])).unwrap()));
        assert!(break_it(&|w| w.field("classes", &json!(["a"])).unwrap()));
        assert!(break_it(&|w| w.vec("intercept", &[0.0; 7])));
        assert!(break_it(&|w| w.mat("coef", &Mat::filled(model.coef().rows(), 3, f64::NAN))));
        assert!(break_it(&|w| w.mat("coef", &Mat::<f64>::zeros(7, 3))));
        assert!(break_it(&|w| w.array("std_err", &[1, 2], &[0.0; 2])));
    }
}

#[test]
fn limits_are_kept_and_said() {
    let design = random(500, 6, 3, 12);
    for max_iter in [0, 1, 3] {
        let model = design.fit(&Logistic { max_iter, ..Logistic::default() });
        assert!(!model.certificate().unwrap().converged && model.n_iter() == max_iter);
    }
    let now = std::time::Instant::now();
    let trace = design.fit(&Logistic::default()).trace().unwrap().column("objective").unwrap();
    assert!(trace.windows(2).all(|w| w[1] <= w[0] * (1.0 + 1e-12)), "{trace:?}");
    let late = Context { deadline: Some(now), ..Context::default() };
    assert!(Logistic::default().fit_with(&design.data(), &late).is_err());
    let mut any: Box<dyn AnyLearner> = Box::new(Logistic::default());
    assert!(any.set("C", json!(0.0)).is_err() && any.set("C", Value::Null).is_ok());
    assert!(any.set("class_weight", json!({"a": -1.0})).is_err() && any.set("class_weight", json!("balanced")).is_ok());
    assert!(any.set("class_weight", json!("other")).is_err() && any.set("class_weight", json!({"a": 2})).is_ok());
    assert!(any.set("solver", json!("sag")).is_err() && any.set("max_iter", json!(-1)).is_err());
}

#[test]
fn scores_far_out_give_sure_probabilities() {
    let design = random(100, 2, 2, 13);
    let model = design.fit(&Logistic::default());
    let x = [1e8, -1e8, -1e8, 1e8];
    let x = Features::F64(MatRef::row_major(&x, 2, 2));
    let (p, l) = (model.proba(&x).unwrap(), model.log_proba(&x).unwrap());
    let z = model.decision(&x).unwrap().unwrap();
    for i in 0..2 {
        let sure = usize::from(z[(i, 0)] > 0.0);
        assert_eq!((p[(i, sure)], p[(i, 1 - sure)]), (1.0, 0.0));
        assert_eq!((l[(i, sure)], l[(i, 1 - sure)]), (-0.0, -z[(i, 0)].abs()));
    }
    let bad = [1.0, f64::NAN];
    let error = model.proba(&Features::F64(MatRef::row_major(&bad, 1, 2))).unwrap_err();
    assert!(error.to_string().contains("NaN"), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn any_small_data_gives_a_finite_model(rows in 2usize..40, cols in 1usize..6, classes in 2usize..5, seed in any::<u64>(), power in -200i32..200, none in any::<bool>()) {
        let mut s = RngStream::new(seed, "any", 0);
        let scale = 10f64.powi(power);
        // Few distinct values: ties, constant and repeated columns are common.
        let x = Mat::from_fn(rows, cols, |_, j| if j == 0 { scale * s.normal() } else { s.below(3) as f64 });
        let labels: Vec<String> = (0..rows).map(|i| if i < 2 { i } else { s.below(classes) }.to_string()).collect();
        let data = OwnedDataset { x: OwnedFeatures::F64(x), y: OwnedTarget::from_labels(&labels), weight: None, schema: None };
        let penalty = if none { PenaltyKind::None } else { PenaltyKind::L2 };
        for solver in [LogisticSolver::Newton, LogisticSolver::Lbfgs] {
            let learner = Logistic { penalty, solver, ..Logistic::default() };
            match learner.fit_with(&data.view(), &Context::default()) {
                Ok(model) => {
                    prop_assert!(model.coef().as_slice().iter().chain(model.intercept()).all(|v| v.is_finite()));
                    let p = model.proba(&data.view().x).unwrap();
                    prop_assert!(p.as_slice().iter().all(|p| (0.0..=1.0).contains(p)));
                }
                Err(e) => prop_assert!(matches!(e, Error::Numeric(_)), "{e}"),
            }
        }
    }
}
