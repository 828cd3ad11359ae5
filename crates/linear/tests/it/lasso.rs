//! Lasso and elastic net against reference values, optimality conditions, exhaustive search and limits.

use ermine_core::{
    Context, Csr, DatasetRef, Features, Learner, Mat, MatRef, Model, ModelWriter, Regressor, RngStream, Section, Target,
};
use ermine_fixtures::{TextTable, case, cases, numbers, standardized_columns, text};
use ermine_linear::{AlphaSpec, ElasticNet, Lasso, LassoModel, Ols, PathGoal, Ridge, RidgeAlpha, Selection};
use proptest::prelude::*;

fn diabetes() -> (Mat<f64>, Vec<f64>) {
    let (x, y) = TextTable::read("diabetes").split_target();
    (standardized_columns(&x), y)
}

/// Complete rows; eight numbers, then the levels of ocean_proximity but the first; target / 100000.
fn california() -> (Mat<f64>, Vec<f64>) {
    let all = text("data/california_housing.csv.gz");
    let head: Vec<&str> = all.lines().next().unwrap().split(',').collect();
    let at = |name: &str| head.iter().position(|h| *h == name).unwrap();
    let rows: Vec<Vec<&str>> =
        all.lines().skip(1).map(|l| l.split(',').collect::<Vec<_>>()).filter(|r| r.iter().all(|c| !c.is_empty())).collect();
    let names = [
        "longitude",
        "latitude",
        "housing_median_age",
        "total_rooms",
        "total_bedrooms",
        "population",
        "households",
        "median_income",
    ];
    let levels = ["INLAND", "ISLAND", "NEAR BAY", "NEAR OCEAN"];
    let x = Mat::from_fn(rows.len(), 12, |i, j| match names.get(j) {
        Some(name) => rows[i][at(name)].parse().unwrap(),
        None => f64::from(u8::from(rows[i][at("ocean_proximity")] == levels[j - 8])),
    });
    let y = rows.iter().map(|r| r[at("median_house_value")].parse::<f64>().unwrap() / 1e5).collect();
    (standardized_columns(&x), y)
}

fn data<'a>(x: &'a Mat<f64>, y: &'a [f64]) -> DatasetRef<'a> {
    DatasetRef::new(Features::F64(x.view())).with_target(Target::Real(y))
}

fn fit(learner: &impl Learner<Model = LassoModel>, data: &DatasetRef<'_>) -> LassoModel {
    learner.fit_with(data, &Context::default()).unwrap()
}

fn exact(alpha: f64, l1_ratio: f64) -> ElasticNet {
    ElasticNet { alpha: alpha.into(), l1_ratio, tol: 0.0, max_iter: 100_000, ..ElasticNet::default() }
}

fn random(rows: usize, cols: usize, seed: u64) -> Mat<f64> {
    let mut rng = RngStream::new(seed, "lasso test", 0);
    Mat::from_fn(rows, cols, |_, _| rng.normal())
}

/// A design with common factors, and a target that a few columns make.
fn problem(rows: usize, cols: usize, seed: u64) -> (Mat<f64>, Vec<f64>) {
    let (own, factors, loads) = (random(rows, cols, seed), random(rows, 3, seed + 1), random(3, cols, seed + 2));
    let common = |i: usize, j: usize| (0..3).map(|f| factors[(i, f)] * loads[(f, j)]).sum::<f64>();
    let x = Mat::from_fn(rows, cols, |i, j| own[(i, j)] + 0.7 * common(i, j) + (j % 5) as f64);
    let noise = random(rows, 1, seed + 3);
    let y =
        (0..rows).map(|i| 3.0 + noise[(i, 0)] + (0..cols).step_by(7).map(|j| x[(i, j)] * (1.0 + j as f64 % 3.0)).sum::<f64>());
    let y = y.collect();
    (x, y)
}

fn to_csr(x: &Mat<f64>) -> Csr {
    let (mut indptr, mut indices, mut values) = (vec![0], vec![], vec![]);
    for i in 0..x.rows() {
        for (j, &v) in x.row(i).iter().enumerate().filter(|(_, v)| **v != 0.0) {
            indices.push(j as u32);
            values.push(v);
        }
        indptr.push(values.len());
    }
    Csr::new(indptr, indices, values, x.cols()).unwrap()
}

/// The objective at the model, and how far the optimality conditions are from holding, relative to the largest gradient at 0.
fn objective_and_violation(d: &DatasetRef<'_>, x: &Mat<f64>, y: &[f64], m: &LassoModel, e: &ElasticNet) -> (f64, f64) {
    let AlphaSpec::Number(alpha) = e.alpha else { panic!("a number") };
    let (l1, l2) = (alpha * e.l1_ratio, alpha * (1.0 - e.l1_ratio));
    let b = m.coef().row(0);
    let total = d.total_weight();
    let residual: Vec<f64> =
        (0..y.len()).map(|i| y[i] - m.intercept()[0] - x.row(i).iter().zip(b).map(|(x, b)| x * b).sum::<f64>()).collect();
    let mean = (0..y.len()).map(|i| d.weight_of(i) * y[i]).sum::<f64>() / total;
    let start = if e.fit_intercept { mean } else { 0.0 };
    let mut scale = 0.0f64;
    let mut worst = 0.0f64;
    if e.fit_intercept {
        worst = ((0..y.len()).map(|i| d.weight_of(i) * residual[i]).sum::<f64>() / total).abs();
    }
    for (j, &b) in b.iter().enumerate() {
        let z = (0..y.len()).map(|i| d.weight_of(i) * x[(i, j)] * residual[i]).sum::<f64>() / total - l2 * b;
        scale = scale.max(((0..y.len()).map(|i| d.weight_of(i) * x[(i, j)] * (y[i] - start)).sum::<f64>() / total).abs());
        worst = worst.max(match b {
            b if b > 0.0 => (z - l1).abs(),
            b if b < 0.0 => {
                assert!(!e.positive);
                (z + l1).abs()
            }
            _ if e.positive => (z - l1).max(0.0),
            _ => (z.abs() - l1).max(0.0),
        });
    }
    let loss = (0..y.len()).map(|i| d.weight_of(i) * residual[i] * residual[i]).sum::<f64>() / (2.0 * total);
    let penalty: f64 = b.iter().map(|b| l1 * b.abs() + 0.5 * l2 * b * b).sum();
    (loss + penalty, worst / scale.max(1e-300))
}

#[test]
fn the_reference_values() {
    let (diabetes, california) = (diabetes(), california());
    let mut seen = 0;
    for case in cases("linear_models") {
        let id = case["id"].as_str().unwrap();
        if !(id.starts_with("lasso_diabetes") || id.starts_with("lasso_california") || id.starts_with("enet_")) {
            continue;
        }
        seen += 1;
        let (x, y) = if id.contains("california") { &california } else { &diabetes };
        let alpha = case["params"]["lambda"].as_f64().unwrap();
        let learner = exact(alpha, case["params"]["rho"].as_f64().unwrap_or(1.0));
        let expected = &case["expected"];
        let (rel, abs) = (case["tolerance"]["rel"].as_f64().unwrap(), case["tolerance"]["abs"].as_f64().unwrap());
        let near = |found: f64, want: f64, what: &str| {
            assert!((found - want).abs() <= (rel * want.abs()).max(abs), "{id} {what}: {found} against {want}");
        };
        let csr = to_csr(x);
        let sparse = DatasetRef::new(Features::Csr(csr.view())).with_target(Target::Real(y));
        for (form, d) in [("dense", data(x, y)), ("sparse", sparse)] {
            let model = fit(&learner, &d);
            near(model.intercept()[0], expected["intercept"].as_f64().unwrap(), form);
            for (j, want) in numbers(&expected["coef"]).into_iter().enumerate() {
                let coef = model.coef()[(0, j)];
                near(coef, want, &format!("{form} coefficient {j}"));
                assert_eq!(coef == 0.0, want == 0.0, "{id} {form} coefficient {j}: {coef} against {want}");
            }
            let certificate = model.certificate().unwrap();
            near(certificate.objective.unwrap(), expected["objective"].as_f64().unwrap(), form);
            assert!(certificate.converged, "{id} {form}");
            assert!(certificate.duality_gap.unwrap() <= 1e-11 * certificate.objective.unwrap(), "{id} {form}: {certificate:?}");
        }
    }
    assert_eq!(seen, 11);
}

#[test]
fn the_knots_of_the_path() {
    let (x, y) = diabetes();
    let case = case("linear_models", "lasso_path_knots_diabetes");
    let knots = numbers(&case["expected"]["knots"]);
    let want: Vec<Vec<f64>> = case["expected"]["coef_at_knots"].as_array().unwrap().iter().map(numbers).collect();
    let learner = Lasso {
        alpha: AlphaSpec::Word(PathGoal::Path),
        alphas: Some(knots.clone()),
        tol: 0.0,
        max_iter: 100_000,
        ..Lasso::default()
    };
    let model = fit(&learner, &data(&x, &y));
    let path = &model.paths()[0];
    assert_eq!(path.alphas, knots);
    for (step, want) in want.iter().enumerate() {
        for (found, want) in path.coef(step).iter().zip(want) {
            assert!((found - want).abs() <= (1e-7 * want.abs()).max(1e-7), "step {step}: {found} against {want}");
        }
    }
    // The grid starts where the first column comes in.
    let learner = Lasso { alpha: AlphaSpec::Word(PathGoal::Path), ..Lasso::default() };
    let model = fit(&learner, &data(&x, &y));
    let path = &model.paths()[0];
    assert_eq!(path.len(), 100);
    assert!((path.alphas[0] - knots[0]).abs() <= 1e-12 * knots[0]);
    assert!((path.alphas[99] / path.alphas[0] - 1e-3).abs() < 1e-12);
    assert!(path.active(0).0.is_empty() && !path.active(1).0.is_empty());
    // Between two knots the active set is the one that the knots say.
    for step in 0..100 {
        let after = knots.iter().rposition(|k| *k > path.alphas[step] * (1.0 + 1e-9));
        if let Some(after) = after
            && path.alphas[step] > knots[after + 1] * (1.0 + 1e-6)
        {
            let inside: Vec<usize> = (0..10).filter(|&j| want[after][j] != 0.0 || want[after + 1][j] != 0.0).collect();
            let active: Vec<usize> = path.active(step).0.iter().map(|&j| j as usize).collect();
            assert_eq!(active, inside, "step {step}, alpha {}", path.alphas[step]);
        }
    }
    // What comes and goes adds up to what is there at the end.
    let mut inside = std::collections::BTreeSet::new();
    for change in path.changes() {
        assert!(if change.enters { inside.insert(change.column) } else { inside.remove(&change.column) });
    }
    assert_eq!(inside.into_iter().collect::<Vec<_>>(), path.active(99).0.iter().map(|&j| j as usize).collect::<Vec<_>>());
}

#[test]
fn the_optimality_conditions_hold_on_every_kind_of_data() {
    for (rows, cols) in [(60, 8), (300, 400), (40, 300), (2500, 30), (1200, 150)] {
        let (x, y) = problem(rows, cols, 5);
        let single = Mat::from_fn(rows, cols, |i, j| x[(i, j)] as f32);
        let widened = Mat::from_fn(rows, cols, |i, j| f64::from(single[(i, j)]));
        let columns = widened.view().t().to_owned();
        let csr = to_csr(&widened);
        let weight: Vec<f64> = (0..rows).map(|i| (i % 4) as f64 * 0.7).collect();
        let largest =
            fit(&Lasso { alpha: AlphaSpec::Word(PathGoal::Path), n_alphas: 1, ..Lasso::default() }, &data(&x, &y)).alpha()[0];
        for (share, l1_ratio) in [(0.5, 1.0), (0.02, 1.0), (0.1, 0.5), (0.3, 0.0)] {
            for positive in [false, true] {
                for fit_intercept in [true, false] {
                    let learner = ElasticNet { positive, fit_intercept, ..exact(share * largest, l1_ratio) };
                    let forms = [
                        ("rows", Features::F64(widened.view())),
                        ("columns", Features::F64(columns.view().t())),
                        ("f32", Features::F32(single.view())),
                        ("sparse", Features::Csr(csr.view())),
                    ];
                    let mut first: Option<f64> = None;
                    for (form, features) in forms {
                        let d = DatasetRef::new(features).with_target(Target::Real(&y)).with_weight(Some(&weight));
                        let model = fit(&learner, &d);
                        let (objective, violation) = objective_and_violation(&d, &widened, &y, &model, &learner);
                        let what = format!("{rows} x {cols}, {share}, {l1_ratio}, {positive}, {fit_intercept}, {form}");
                        let c = model.certificate().unwrap();
                        assert!(violation < 1e-6, "{what}: {violation:e} {c:?}");
                        assert!(c.converged, "{what}: {c:?}");
                        assert!((c.objective.unwrap() - objective).abs() <= 1e-9 * objective, "{what}");
                        let reference = *first.get_or_insert(objective);
                        assert!((objective - reference).abs() <= 1e-9 * reference, "{what}: {objective} {reference}");
                    }
                }
            }
        }
    }
}

#[test]
fn no_support_is_better() {
    // All supports and signs of six columns: the best stationary point is the optimum.
    let (x, y) = problem(25, 6, 11);
    let n = 25.0;
    let mean = |v: &mut dyn Iterator<Item = f64>| v.sum::<f64>() / n;
    let center: Vec<f64> = (0..6).map(|j| mean(&mut x.view().col_iter(j))).collect();
    let level = mean(&mut y.iter().copied());
    let z = Mat::from_fn(25, 6, |i, j| x[(i, j)] - center[j]);
    let r: Vec<f64> = y.iter().map(|y| y - level).collect();
    let gram = |a: usize, b: usize| (0..25).map(|i| z[(i, a)] * z[(i, b)]).sum::<f64>() / n;
    let q: Vec<f64> = (0..6).map(|j| (0..25).map(|i| z[(i, j)] * r[i]).sum::<f64>() / n).collect();
    for (alpha, l1_ratio) in [(0.5, 1.0), (2.0, 1.0), (1.0, 0.3)] {
        let (l1, l2) = (alpha * l1_ratio, alpha * (1.0 - l1_ratio));
        let value = |b: &[f64]| -> f64 {
            let loss: f64 = (0..25).map(|i| (r[i] - (0..6).map(|j| z[(i, j)] * b[j]).sum::<f64>()).powi(2)).sum();
            loss / (2.0 * n) + b.iter().map(|b| l1 * b.abs() + 0.5 * l2 * b * b).sum::<f64>()
        };
        let mut best = f64::INFINITY;
        for code in 0..3usize.pow(6) {
            let sign: Vec<f64> = (0..6).map(|j| (code / 3usize.pow(j) % 3) as f64 - 1.0).collect();
            let on: Vec<usize> = (0..6).filter(|&j| sign[j] != 0.0).collect();
            let a = Mat::from_fn(on.len(), on.len(), |i, j| gram(on[i], on[j]) + if i == j { l2 } else { 0.0 });
            let mut b: Vec<f64> = on.iter().map(|&j| q[j] - l1 * sign[j]).collect();
            if !on.is_empty() {
                ermine_math::linalg::Cholesky::new(a.view()).unwrap().solve_vec(&mut b);
            }
            let mut full = vec![0.0; 6];
            on.iter().zip(&b).for_each(|(&j, &b)| full[j] = b);
            best = best.min(value(&full));
        }
        let model = fit(&exact(alpha, l1_ratio), &data(&x, &y));
        let objective = value(model.coef().row(0));
        assert!((objective - best).abs() <= 1e-12 * best, "{objective} against {best}");
    }
}

#[test]
fn limits_of_the_penalty() {
    let (x, y) = problem(80, 12, 3);
    // None: least squares.
    let ols = Ols::default().fit_with(&data(&x, &y), &Context::default()).unwrap();
    let free = fit(&exact(0.0, 1.0), &data(&x, &y));
    for (a, b) in free.coef().row(0).iter().zip(ols.coef().row(0)) {
        assert!((a - b).abs() <= 1e-9 * b.abs().max(1.0), "{a} against {b}");
    }
    assert!(free.certificate().unwrap().converged && free.certificate().unwrap().duality_gap.is_none());
    // The largest that matters and above: nothing is left, and just below something is.
    let path = fit(&Lasso { alpha: AlphaSpec::Word(PathGoal::Path), n_alphas: 3, ..Lasso::default() }, &data(&x, &y));
    let largest = path.paths()[0].alphas[0];
    for (factor, empty) in [(1.0 + 1e-12, true), (3.0, true), (0.999, false)] {
        let model = fit(&exact(factor * largest, 1.0), &data(&x, &y));
        assert_eq!(model.coef().as_slice().iter().all(|b| *b == 0.0), empty, "{factor}");
        assert!(model.certificate().unwrap().converged);
    }
    // Squares only: ridge regression, whose penalty is not divided by the rows.
    let ridge =
        Ridge { alpha: RidgeAlpha::One(80.0 * 0.7), ..Ridge::default() }.fit_with(&data(&x, &y), &Context::default()).unwrap();
    let squares = fit(&exact(0.7, 0.0), &data(&x, &y));
    for (a, b) in squares.coef().row(0).iter().zip(ridge.coef().row(0)) {
        assert!((a - b).abs() <= 1e-9 * b.abs().max(1.0), "{a} against {b}");
    }
    // Positive without penalty: nonnegative least squares.
    let positive = Ols { positive: true, ..Ols::default() }.fit_with(&data(&x, &y), &Context::default()).unwrap();
    let lasso = fit(&ElasticNet { positive: true, ..exact(0.0, 1.0) }, &data(&x, &y));
    for (a, b) in lasso.coef().row(0).iter().zip(positive.coef().row(0)) {
        assert!((a - b).abs() <= 1e-9 * b.abs().max(1.0), "{a} against {b}");
        assert_eq!(*a == 0.0, *b == 0.0);
    }
}

#[test]
fn a_weight_counts_rows_and_targets_stand_alone() {
    let (x, y) = problem(90, 20, 21);
    let weight: Vec<f64> = (0..90).map(|i| (i % 3) as f64).collect();
    let twice: Vec<usize> = (0..90).flat_map(|i| vec![i; i % 3]).collect();
    let (x2, y2) = (x.view().take_rows(&twice), twice.iter().map(|&i| y[i]).collect::<Vec<_>>());
    let learner = exact(0.3, 0.8);
    let (a, b) = (fit(&learner, &data(&x, &y).with_weight(Some(&weight))), fit(&learner, &data(&x2, &y2)));
    for (a, b) in a.coef().as_slice().iter().zip(b.coef().as_slice()) {
        assert!((a - b).abs() <= 1e-10 * b.abs().max(1.0));
        assert_eq!(*a == 0.0, *b == 0.0);
    }
    let other: Vec<f64> = y.iter().enumerate().map(|(i, y)| 1e5 * y.sin() + i as f64).collect();
    let both = Mat::from_fn(90, 2, |i, k| [y[i], other[i]][k]);
    let together = fit(&learner, &DatasetRef::new(Features::F64(x.view())).with_target(Target::Reals(both.view())));
    for (k, y) in [&y, &other].into_iter().enumerate() {
        let alone = fit(&learner, &data(&x, y));
        for (a, b) in together.coef().row(k).iter().zip(alone.coef().row(0)) {
            assert!((a - b).abs() <= 1e-9 * b.abs().max(1.0), "target {k}: {a} against {b}");
        }
    }
}

#[test]
fn orders_starts_and_products_in_advance_change_nothing() {
    let (x, y) = problem(200, 160, 31);
    let base = exact(0.2, 1.0);
    let want = fit(&base, &data(&x, &y));
    let start = vec![(0..160).map(|j| f64::from(j % 2)).collect::<Vec<f64>>()];
    let others = [
        ElasticNet { selection: Selection::Random, ..base.clone() },
        ElasticNet { precompute: true, ..base.clone() },
        ElasticNet { start: Some(start), ..base.clone() },
        ElasticNet { start: Some(vec![want.coef().row(0).to_vec()]), ..base.clone() },
    ];
    for learner in others {
        let model = fit(&learner, &data(&x, &y));
        for (a, b) in model.coef().row(0).iter().zip(want.coef().row(0)) {
            assert!((a - b).abs() <= 1e-9 * b.abs().max(1.0), "{a} against {b}");
            assert_eq!(*a == 0.0, *b == 0.0);
        }
    }
    let wrong = ElasticNet { start: Some(vec![vec![0.0; 3]]), ..base };
    let message = wrong.fit_with(&data(&x, &y), &Context::default()).unwrap_err().to_string();
    assert!(message.contains("start") && message.contains("160"), "{message}");
}

#[test]
fn cross_validation_finds_the_columns_that_matter() {
    let mut rng = RngStream::new(9, "lasso test", 1);
    let x = random(200, 30, 77);
    let y: Vec<f64> = (0..200).map(|i| 2.0 * x[(i, 3)] - 1.5 * x[(i, 17)] + 0.3 * rng.normal()).collect();
    let learner = Lasso { alpha: AlphaSpec::Word(PathGoal::Cv), ..Lasso::default() };
    let model = fit(&learner, &data(&x, &y));
    let v = &model.validations()[0];
    assert_eq!(v.alphas.len(), 100);
    assert_eq!(model.alpha()[0], v.alphas[v.best]);
    assert!(v.mean.iter().all(|m| *m >= v.mean[v.best]));
    assert!(v.alphas[v.one_std_err] >= v.alphas[v.best]);
    assert!(v.mean[v.one_std_err] <= v.mean[v.best] + v.std_err[v.best]);
    assert!(model.coef()[(0, 3)] > 1.8 && model.coef()[(0, 17)] < -1.3);
    let sparse = model.paths()[0].active(v.one_std_err).0.to_vec();
    assert_eq!(sparse, [3, 17], "one standard error away only those are left");
    // The errors are those of fits without the rows, by definition.
    let folds = ermine_core::splits::k_fold(200, 5, 0).unwrap();
    let (alpha, mut errors) = (v.alphas[40], Vec::new());
    for fold in 0..5 {
        let (train, test) = folds.round(fold);
        let part = data(&x, &y).take_rows(&train);
        let fitted = fit(&Lasso { alpha: alpha.into(), tol: 1e-12, ..Lasso::default() }, &part.view());
        let p = fitted.predict(&Features::F64(x.view().take_rows(&test).view())).unwrap();
        errors.push(test.iter().enumerate().map(|(k, &i)| (y[i] - p[(k, 0)]).powi(2)).sum::<f64>() / test.len() as f64);
    }
    let mean = errors.iter().sum::<f64>() / 5.0;
    assert!((mean - v.mean[40]).abs() <= 1e-3 * mean, "{mean} against {}", v.mean[40]);
    // Saved, read, and shown.
    let mut out = ModelWriter::default();
    model.save(&mut out).unwrap();
    let back = Lasso::load(&out.into_reader()).unwrap();
    assert_eq!((back.paths(), back.validations(), back.coef()), (model.paths(), model.validations(), model.coef()));
    let schema = ermine_core::Schema::unnamed(30);
    let report = back.report(&schema);
    let plots = report.sections.iter().filter(|s| matches!(s, Section::Plot { .. })).count();
    assert_eq!(plots, 2);
    // Every curve begins at 0, one step before its column enters.
    let curves = report.sections.iter().find_map(|s| match s {
        Section::Plot { title, curves, .. } if title == "Coefficients along the path" => Some(curves),
        _ => None,
    });
    let last = model.paths()[0].len();
    for curve in curves.unwrap() {
        let [first, second, ..] = curve.points[..] else { panic!("{curve:?}") };
        assert!(first.1 == 0.0 && second.1 != 0.0, "{curve:?}");
        let alpha = model.paths()[0].alphas[last - curve.points.len()];
        assert!((first.0 + alpha.log10()).abs() < 1e-12, "{curve:?}");
    }
    let entered = report.sections.iter().any(|s| match s {
        Section::Table { title, rows, .. } => title == "Path" && rows.len() == model.paths()[0].changes().len(),
        _ => false,
    });
    assert!(entered);
}

#[test]
fn hostile_data_is_solved_or_refused_by_name() {
    let cx = Context::default();
    // Columns that are the same, and one that is their sum.
    let (x, y) = problem(50, 4, 41);
    let tied = Mat::from_fn(50, 6, |i, j| if j < 4 { x[(i, j)] } else { [x[(i, 0)], x[(i, 1)] + x[(i, 2)]][j - 4] });
    for alpha in [0.0, 1e-3, 0.5] {
        let learner = exact(alpha, 1.0);
        let model = learner.fit_with(&data(&tied, &y), &cx).unwrap();
        let (_, violation) = objective_and_violation(&data(&tied, &y), &tied, &y, &model, &learner);
        assert!(violation < 1e-6, "{alpha}: {violation:e}");
    }
    // Scales.
    let tiny = Mat::from_fn(50, 4, |i, j| if j == 1 { 1e-300 * x[(i, j)] } else { x[(i, j)] });
    assert_eq!(exact(0.1, 1.0).fit_with(&data(&tiny, &y), &cx).unwrap().coef()[(0, 1)], 0.0);
    let huge = Mat::from_fn(50, 4, |i, j| if j == 1 { 1e300 * x[(i, j)] } else { x[(i, j)] });
    let message = exact(0.1, 1.0).fit_with(&data(&huge, &y), &cx).unwrap_err().to_string();
    assert!(message.contains("column 1") && message.contains("overflow"), "{message}");
    let base = exact(0.1, 1.0).fit_with(&data(&x, &y), &cx).unwrap();
    for factor in [1e300, 1e-300] {
        let scaled: Vec<f64> = y.iter().map(|y| y * factor).collect();
        let model = exact(0.1 * factor, 1.0).fit_with(&data(&x, &scaled), &cx).unwrap();
        for (a, b) in model.coef().as_slice().iter().zip(base.coef().as_slice()) {
            assert!((a / factor - b).abs() <= 1e-9 * b.abs(), "{a} against {b}");
        }
    }
    // A mean far larger than the spread.
    let far = Mat::from_fn(50, 4, |i, j| x[(i, j)] + if j == 2 { 1e9 } else { 0.0 });
    let model = exact(0.1, 1.0).fit_with(&data(&far, &y), &cx).unwrap();
    for (a, b) in model.coef().as_slice().iter().zip(base.coef().as_slice()) {
        assert!((a - b).abs() <= 1e-5 * b.abs().max(1.0), "{a} against {b}");
    }
    // Nothing to explain, one row, a constant column.
    let flat = exact(0.1, 0.5).fit_with(&data(&x, &[7.25; 50]), &cx).unwrap();
    assert!(flat.coef().as_slice().iter().all(|b| *b == 0.0) && flat.intercept() == [7.25]);
    assert!(flat.certificate().unwrap().converged);
    let one = x.view().row_range(0..1).to_owned();
    let model = exact(0.1, 1.0).fit_with(&data(&one, &[3.0]), &cx).unwrap();
    assert!(model.intercept() == [3.0] && model.coef().as_slice().iter().all(|b| *b == 0.0));
    let constant = Mat::from_fn(50, 5, |i, j| if j == 4 { 0.1 } else { x[(i, j)] });
    assert_eq!(exact(0.0, 1.0).fit_with(&data(&constant, &y), &cx).unwrap().coef()[(0, 4)], 0.0);
    // A cell that is no number is named.
    let mut bad = x.clone();
    bad[(17, 2)] = f64::NAN;
    let message = exact(0.1, 1.0).fit_with(&data(&bad, &y), &cx).unwrap_err().to_string();
    assert!(message.contains("column 2") && message.contains("row 17"), "{message}");
    let zero = vec![0.0; 50];
    assert!(exact(0.1, 1.0).fit_with(&data(&x, &y).with_weight(Some(&zero)), &cx).is_err());
    // Many more sparse columns than rows.
    let mut rng = RngStream::new(8, "lasso test", 2);
    let (mut indptr, mut indices, mut values) = (vec![0], vec![], vec![]);
    for _ in 0..100 {
        for _ in 0..50 {
            indices.push(rng.below(100_000) as u32);
            values.push(rng.normal());
        }
        indptr.push(values.len());
    }
    let wide = Csr::new(indptr, indices, values, 100_000).unwrap();
    let y: Vec<f64> = (0..100).map(|_| rng.normal()).collect();
    let d = DatasetRef::new(Features::Csr(wide.view())).with_target(Target::Real(&y));
    let model = Lasso { alpha: 1e-3.into(), max_iter: 100_000, ..Lasso::default() }.fit_with(&d, &cx).unwrap();
    let c = model.certificate().unwrap();
    assert!(c.converged, "{c:?}");
    assert!(model.coef().as_slice().iter().filter(|b| **b != 0.0).count() <= 5000);
}

#[test]
fn too_few_rounds_are_said() {
    let (x, y) = problem(300, 200, 51);
    let csr = to_csr(&x);
    let d = DatasetRef::new(Features::Csr(csr.view())).with_target(Target::Real(&y));
    let model = fit(&Lasso { alpha: 1e-4.into(), max_iter: 2, tol: 1e-12, ..Lasso::default() }, &d);
    let c = model.certificate().unwrap();
    assert!(!c.converged && c.duality_gap.unwrap() > 0.0, "{c:?}");
    assert!(!model.trace().unwrap().rows.is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn the_gap_bounds_the_distance_to_the_optimum(
        rows in 2usize..30, cols in 1usize..40, seed in 0u64..1000, share in 0.01..1.0f64, l1_ratio in 0.05..1.0f64,
        positive: bool, sparse: bool, max_iter in 1u64..30,
    ) {
        let (x, y) = problem(rows, cols, seed);
        let csr = to_csr(&x);
        let features = if sparse { Features::Csr(csr.view()) } else { Features::F64(x.view()) };
        let d = DatasetRef::new(features).with_target(Target::Real(&y));
        let learner = ElasticNet { positive, ..exact(share, l1_ratio) };
        let best = fit(&learner, &d).certificate().unwrap().objective.unwrap();
        let rough = fit(&ElasticNet { max_iter, tol: 1e-1, ..learner }, &d);
        let c = rough.certificate().unwrap();
        prop_assert!(c.objective.unwrap() - c.duality_gap.unwrap() <= best * (1.0 + 1e-9) + 1e-300);
        prop_assert!(c.objective.unwrap() >= best * (1.0 - 1e-9));
    }
}

#[test]
fn the_layout_of_a_matrix_is_no_matter() {
    let (x, y) = problem(64, 9, 61);
    let wide = Mat::from_fn(128, 18, |i, j| if i % 2 + j % 2 == 0 { x[(i / 2, j / 2)] } else { f64::NAN });
    let strided = MatRef::strided(wide.as_slice(), 64, 9, 36, 2).unwrap();
    let want = fit(&exact(0.2, 1.0), &data(&x, &y));
    let model = fit(&exact(0.2, 1.0), &DatasetRef::new(Features::F64(strided)).with_target(Target::Real(&y)));
    for (a, b) in model.coef().row(0).iter().zip(want.coef().row(0)) {
        assert!((a - b).abs() <= 1e-12 * b.abs());
    }
}
