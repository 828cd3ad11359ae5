//! Generalized linear models against reference values, closed forms, the theory, and hostile data.

use std::collections::BTreeSet;

use ermine_core::{
    Column, ColumnRef, Context, Csr, DatasetRef, Features, Learner, Mat, MatRef, Model, ModelWriter, OwnedTarget, Regressor,
    RngStream, Schema, Table, Target, run_passes_blocked,
};
use ermine_fixtures::{TextTable, Value, matrix, near, numbers, standardized};
use ermine_linear::{Glm, GlmFamily, GlmLink, GlmModel, GlmSolver, Logistic, Ols, PenaltyKind};
use proptest::prelude::*;

fn case(id: &str) -> Value {
    ermine_fixtures::case("glm", id)
}

/// 0/1 columns of the levels of a category but the first.
fn one_hot(values: &[String]) -> Vec<Vec<f64>> {
    let levels: BTreeSet<&String> = values.iter().collect();
    levels.iter().skip(1).map(|&l| values.iter().map(|v| f64::from(u8::from(v == l))).collect()).collect()
}

fn data<'a>(x: &'a Mat<f64>, y: &'a [f64]) -> DatasetRef<'a> {
    DatasetRef::new(Features::F64(x.view())).with_target(Target::Real(y))
}

fn glm(family: GlmFamily) -> Glm {
    Glm { family, ..Glm::default() }
}

fn fit(learner: &Glm, x: &Mat<f64>, y: &[f64]) -> GlmModel {
    learner.fit_with(&data(x, y), &Context::default()).unwrap()
}

/// Coefficients, errors, tests, deviances and likelihood against a case of the book.
fn compare(model: &GlmModel, id: &str) {
    let case = case(id);
    let (expected, rel) = (&case["expected"], case["tolerance"]["rel"].as_f64().unwrap());
    let (coef, errors, z) = (numbers(&expected["coef"]), numbers(&expected["std_err"]), numbers(&expected["z"]));
    assert_eq!(model.coef().len() + 1 - model.coef().iter().filter(|c| **c == 0.0).count(), coef.len(), "{id}");
    let inference = model.inference().unwrap();
    let mut place = 0;
    for j in 0..=model.coef().len() {
        if j > 0 && model.coef()[j - 1] == 0.0 {
            continue;
        }
        let value = if j == 0 { model.intercept() } else { model.coef()[j - 1] };
        near(value, coef[place], rel, &format!("{id}: coefficient {place}"));
        near(inference.std_err[(0, j)], errors[place], rel, &format!("{id}: error {place}"));
        near(inference.t_value[(0, j)], z[place], rel, &format!("{id}: z {place}"));
        place += 1;
    }
    let s = model.summary();
    let pairs = [
        ("deviance", s.deviance),
        ("null_deviance", s.null_deviance),
        ("pearson_chi2", s.pearson_chi2),
        ("dispersion", s.dispersion),
        ("df_resid", s.df_resid),
        ("loglik", s.log_likelihood),
    ];
    for (name, found) in pairs {
        if let Some(expected) = expected[name].as_f64() {
            near(found, expected, rel, &format!("{id}: {name}"));
        }
    }
    assert!(model.certificate().unwrap().converged);
}

#[test]
fn logit_on_titanic() {
    let mut sheet = TextTable::read("titanic");
    sheet.retain(|t, i| !t.column("Age")[i].is_empty());
    let mut columns: Vec<Vec<f64>> = ["Age", "SibSp", "Parch", "Fare"].map(|n| sheet.numbers(n)).to_vec();
    columns.extend(one_hot(sheet.column("Pclass")));
    columns.extend(one_hot(sheet.column("Sex")));
    compare(&fit(&glm(GlmFamily::Bernoulli), &matrix(&columns), &sheet.numbers("Survived")), "logit_titanic");
}

#[test]
fn logit_on_breast_cancer_is_that_of_logistic() {
    let sheet = TextTable::read("breast_cancer");
    let columns: Vec<Vec<f64>> = (0..5).map(|j| standardized(&sheet.numbers(&sheet.names[j]))).collect();
    let (x, y) = (matrix(&columns), sheet.numbers(sheet.names.last().unwrap()));
    let model = fit(&glm(GlmFamily::Bernoulli), &x, &y);
    compare(&model, "logit_breast_cancer_5");
    let names = ["0".to_owned(), "1".to_owned()];
    let codes: Vec<u32> = y.iter().map(|&v| v as u32).collect();
    let classes = DatasetRef::new(Features::F64(x.view())).with_target(Target::Class { codes: &codes, names: &names });
    let logistic =
        Logistic { penalty: PenaltyKind::None, ..Logistic::default() }.fit_with(&classes, &Context::default()).unwrap();
    for j in 0..5 {
        near(model.coef()[j], logistic.coef()[(0, j)], 1e-8, "coefficient");
        near(model.inference().unwrap().std_err[(0, j + 1)], logistic.standard_errors().unwrap().coef[(0, j)], 1e-7, "error");
    }
    // With a penalty: C sum + 1/2 |b|^2 is the mean with alpha = 1 / (C n).
    let n = y.len() as f64;
    let model = fit(&Glm { alpha: 1.0 / n, ..glm(GlmFamily::Bernoulli) }, &x, &y);
    let logistic = Logistic::default().fit_with(&classes, &Context::default()).unwrap();
    (0..5).for_each(|j| near(model.coef()[j], logistic.coef()[(0, j)], 1e-7, "penalized coefficient"));
    assert!(model.inference().is_none());
}

#[test]
fn logit_on_german_credit() {
    let sheet = TextTable::read("german_credit");
    let case = case("logit_german_credit");
    let numeric: Vec<&str> = case["params"]["numeric"].as_array().unwrap().iter().map(|v| v.as_str().unwrap()).collect();
    let target = sheet.names.last().unwrap().clone();
    let mut columns: Vec<Vec<f64>> = numeric.iter().map(|n| standardized(&sheet.numbers(n))).collect();
    for name in sheet.names.iter().filter(|n| !numeric.contains(&n.as_str()) && **n != target) {
        columns.extend(one_hot(sheet.column(name)));
    }
    let y: Vec<f64> = sheet.column(&target).iter().map(|v| f64::from(u8::from(v == "bad"))).collect();
    assert!(y.contains(&1.0), "{target}");
    compare(&fit(&glm(GlmFamily::Bernoulli), &matrix(&columns), &y), "logit_german_credit");
}

#[test]
fn poisson_on_bike_sharing() {
    let sheet = TextTable::read("bike_sharing_hour");
    let mut columns: Vec<Vec<f64>> = ["yr", "workingday", "temp", "hum", "windspeed"].map(|n| sheet.numbers(n)).to_vec();
    columns.extend(one_hot(sheet.column("season")));
    columns.extend(one_hot(sheet.column("weathersit")));
    let hours: Vec<String> = sheet.column("hr").iter().map(|h| format!("{h:0>2}")).collect();
    columns.extend(one_hot(&hours));
    let (x, y) = (matrix(&columns), sheet.numbers("cnt"));
    let model = fit(&glm(GlmFamily::Poisson), &x, &y);
    compare(&model, "poisson_bike");
    // The canonical link: sums of targets and means agree, weighted with any column.
    let mu = model.means(&Features::F64(x.view())).unwrap();
    for column in columns.iter().chain([&vec![1.0; y.len()]]) {
        let (score, scale): (f64, f64) = (0..y.len()).fold((0.0, 0.0), |(s, t), i| {
            let d = (y[i] - mu[i]) * column[i];
            (s + d, t + (y[i] * column[i]).abs())
        });
        assert!(score.abs() < 1e-8 * scale, "{score} of {scale}");
    }
    let lbfgs = fit(&Glm { solver: GlmSolver::Lbfgs, tol: 1e-8, max_iter: 500, ..glm(GlmFamily::Poisson) }, &x, &y);
    near(lbfgs.summary().deviance, model.summary().deviance, 1e-9, "the deviance of lbfgs");
}

/// The Belgian claims, when the file is there: `ERMINE_DATA` is the folder that holds `be_mtpl97.csv.gz`.
#[test]
fn claims_with_exposure_and_their_severity() {
    let Ok(folder) = std::env::var("ERMINE_DATA") else { return };
    let mut sheet = TextTable::open(format!("{folder}/be_mtpl97.csv.gz"));
    let design = |sheet: &TextTable| {
        let tenth = |n: &str| sheet.numbers(n).iter().map(|v| v / 10.0).collect::<Vec<f64>>();
        let mut columns = vec![tenth("ageph"), sheet.numbers("bm"), tenth("power"), tenth("agec"), sheet.numbers("fleet")];
        ["coverage", "fuel", "sex", "use"].iter().for_each(|n| columns.extend(one_hot(sheet.column(n))));
        columns
    };
    let mut columns = design(&sheet);
    columns.push(sheet.numbers("expo"));
    let x = matrix(&columns);
    let learner = Glm { exposure: Some(ColumnRef::Index(columns.len() - 1)), ..glm(GlmFamily::Poisson) };
    compare(&fit(&learner, &x, &sheet.numbers("nclaims")), "poisson_mtpl_offset");
    let positive = |cell: &str| cell.parse::<f64>().is_ok_and(|v| v > 0.0);
    sheet.retain(|t, i| positive(&t.column("nclaims")[i]) && positive(&t.column("amount")[i]));
    let (x, weight) = (matrix(&design(&sheet)), sheet.numbers("nclaims"));
    let y: Vec<f64> = sheet.numbers("amount").iter().zip(&weight).map(|(a, n)| a / n).collect();
    let rows = data(&x, &y).with_weight(Some(&weight));
    compare(&glm(GlmFamily::Gamma).fit_with(&rows, &Context::default()).unwrap(), "gamma_mtpl_severity");
}

/// Columns of normals, and targets drawn so that every family can have them.
fn made(family: GlmFamily, rows: usize, cols: usize, seed: u64) -> (Mat<f64>, Vec<f64>) {
    let mut s = RngStream::new(seed, "glm test", 0);
    let x = Mat::from_fn(rows, cols, |_, _| s.normal());
    let y = (0..rows)
        .map(|i| {
            let z: f64 = 0.3 + x.row(i).iter().enumerate().map(|(j, v)| v * (0.4 - 0.1 * j as f64)).sum::<f64>();
            match family {
                GlmFamily::Gaussian => z + s.normal(),
                GlmFamily::Bernoulli => f64::from(u8::from(s.uniform() < 1.0 / (1.0 + (-z).exp()))),
                GlmFamily::Poisson => {
                    // Counts of uniform factors until the product falls below e^-mean.
                    let (limit, mut product, mut count) = ((-z.exp()).exp(), s.uniform(), 0.0);
                    while product > limit {
                        product *= s.uniform();
                        count += 1.0;
                    }
                    count
                }
                GlmFamily::Tweedie if s.uniform() < 0.3 => 0.0,
                _ => z.exp() * (0.2 - s.uniform().ln()),
            }
        })
        .collect();
    (x, y)
}

fn every() -> Vec<Glm> {
    use GlmFamily::*;
    use GlmLink::*;
    let pairs = [
        (Gaussian, Identity),
        (Gaussian, Log),
        (Bernoulli, Logit),
        (Bernoulli, Probit),
        (Poisson, Log),
        (Poisson, Identity),
        (Gamma, Log),
        (Gamma, Inverse),
        (Gamma, Identity),
        (InverseGaussian, Log),
        (Tweedie, Log),
    ];
    pairs.into_iter().map(|(family, link)| Glm { link, ..glm(family) }).collect()
}

/// Data on which the fit of a family and link has its optimum inside: for links that may leave the range of the mean, targets
/// far from its edge.
fn fitting(learner: &Glm, rows: usize, seed: u64) -> (Mat<f64>, Vec<f64>) {
    let (x, y) = made(learner.family, rows, 4, seed);
    match (learner.family, learner.link) {
        (GlmFamily::Gaussian, GlmLink::Log) => (x, y.iter().map(|v| v.exp().min(50.0)).collect()),
        (_, GlmLink::Identity | GlmLink::Inverse) if learner.family != GlmFamily::Gaussian => {
            let x = Mat::from_fn(rows, 4, |i, j| x[(i, j)].clamp(-3.0, 3.0));
            let y = (0..rows).map(|i| 20.0 + x[(i, 0)] - 0.5 * x[(i, 1)] + y[i].min(5.0)).collect();
            (x, y)
        }
        _ => (x, y),
    }
}

#[test]
fn the_score_equations_hold_and_no_neighbor_is_better() {
    for base in every() {
        for (alpha, intercept) in [(0.0, true), (0.3, true), (0.01, false)] {
            let (x, y) = fitting(&base, 400, 5);
            // Without intercept a mean far from that of 0 needs a column of ones.
            let x = if intercept { x } else { Mat::from_fn(400, 4, |i, j| if j == 3 { 1.0 } else { x[(i, j)] }) };
            let learner = Glm { alpha, fit_intercept: intercept, tol: 1e-6, ..base.clone() };
            let weight: Vec<f64> = (0..400).map(|i| 0.5 + (i % 3) as f64).collect();
            let rows = data(&x, &y).with_weight(Some(&weight));
            let model = learner.fit_with(&rows, &Context::default()).unwrap_or_else(|e| panic!("{learner:?}: {e}"));
            assert!(model.certificate().unwrap().converged, "{learner:?}: {:?}", model.certificate());
            let total: f64 = weight.iter().sum();
            let objective = |b0: f64, b: &[f64]| {
                let loss: f64 = (0..400)
                    .map(|i| {
                        let z = b0 + x.row(i).iter().zip(b).map(|(x, b)| x * b).sum::<f64>();
                        weight[i] * model.family().deviance(y[i], model.link().mean(z))
                    })
                    .sum();
                0.5 * loss / total + 0.5 * alpha * b.iter().map(|b| b * b).sum::<f64>()
            };
            let (b0, b) = (model.intercept(), model.coef());
            let best = objective(b0, b);
            near(model.certificate().unwrap().objective.unwrap(), best, 1e-9, "objective");
            for j in 0..=4 {
                if j == 4 && !intercept {
                    continue;
                }
                let h = 1e-4;
                let at = |h: f64| {
                    let mut b = b.to_vec();
                    if j < 4 {
                        b[j] += h;
                    }
                    objective(if j == 4 { b0 + h } else { b0 }, &b)
                };
                let (up, down) = (at(h), at(-h));
                let slope = (up - down) / (2.0 * h);
                let curvature = (up + down - 2.0 * best) / (h * h);
                assert!(slope.abs() < 2e-6 * (1.0 + curvature.abs()), "{learner:?}: slope {slope} along {j}");
                assert!(up >= best && down >= best, "{learner:?}: a neighbor along {j} is better");
            }
        }
    }
}

#[test]
fn gaussian_with_identity_is_least_squares() {
    let (x, y) = made(GlmFamily::Gaussian, 200, 3, 9);
    let weight: Vec<f64> = (0..200).map(|i| 1.0 + (i % 4) as f64).collect();
    let rows = data(&x, &y).with_weight(Some(&weight));
    let (model, ols) = (
        Glm::default().fit_with(&rows, &Context::default()).unwrap(),
        Ols::default().fit_with(&rows, &Context::default()).unwrap(),
    );
    let (a, b) = (model.inference().unwrap(), ols.inference().unwrap());
    for j in 0..4 {
        near(a.std_err[(0, j)], b.std_err[(0, j)], 1e-10, "error");
        near(a.t_value[(0, j)], b.t_value[(0, j)], 1e-9, "t");
        near(a.p_value[(0, j)], b.p_value[(0, j)], 1e-7, "p");
        near(a.conf_low[(0, j)], b.conf_low[(0, j)], 1e-9, "interval");
    }
    let (s, o) = (model.summary(), ols.summary()[0]);
    near(s.deviance, o.rss, 1e-10, "deviance");
    near(s.d2, o.r2, 1e-10, "d2");
    near(s.log_likelihood, o.log_likelihood, 1e-10, "log-likelihood");
    near(s.aic, o.aic, 1e-10, "aic");
    near(s.bic, o.bic, 1e-10, "bic");
}

#[test]
fn the_likelihood_is_that_of_the_density_at_the_best_dispersion() {
    use ermine_math::distribution::ln_gamma;
    let (x, y) = made(GlmFamily::Gamma, 150, 2, 3);
    let model = fit(&glm(GlmFamily::Gamma), &x, &y);
    let mu = model.means(&Features::F64(x.view())).unwrap();
    let at = |k: f64| -> f64 {
        let row = |(y, mu): (&f64, &f64)| k * (k / mu).ln() - ln_gamma(k) + (k - 1.0) * y.ln() - k * y / mu;
        y.iter().zip(&mu).map(row).sum()
    };
    let best = (1..4000).map(|i| at(f64::from(i) * 0.01)).fold(f64::NEG_INFINITY, f64::max);
    let log_likelihood = model.summary().log_likelihood;
    assert!(log_likelihood >= best && log_likelihood - best < 1e-3 * best.abs(), "{log_likelihood} {best}");
    let (x, y) = made(GlmFamily::InverseGaussian, 150, 2, 4);
    let model = fit(&glm(GlmFamily::InverseGaussian), &x, &y);
    let mu = model.means(&Features::F64(x.view())).unwrap();
    let phi = model.summary().deviance / 150.0;
    let row = |(y, mu): (&f64, &f64)| {
        -0.5 * (std::f64::consts::TAU * phi * y.powi(3)).ln() - (y - mu).powi(2) / (2.0 * phi * mu * mu * y)
    };
    near(model.summary().log_likelihood, y.iter().zip(&mu).map(row).sum::<f64>(), 1e-10, "inverse Gaussian");
    assert!(fit(&glm(GlmFamily::Tweedie), &x, &y).summary().log_likelihood.is_nan());
}

#[test]
fn offsets_enter_with_a_coefficient_of_one() {
    let (mut x, y) = made(GlmFamily::Poisson, 500, 3, 11);
    let offset: Vec<f64> = (0..500).map(|i| x[(i, 1)] * 0.7 + 0.1).collect();
    (0..500).for_each(|i| x[(i, 1)] = offset[i]);
    let learner = Glm { offset: Some(ColumnRef::Index(1)), ..glm(GlmFamily::Poisson) };
    let model = fit(&learner, &x, &y);
    assert_eq!(model.coef()[1], 0.0);
    // As a logarithm of an exposure it is the same.
    let exposed = Mat::from_fn(500, 3, |i, j| if j == 1 { x[(i, 1)].exp() } else { x[(i, j)] });
    let schema = Schema::numbers(["a", "expo", "b"]);
    let by_name = Glm { exposure: Some("expo".into()), ..glm(GlmFamily::Poisson) };
    let other = by_name.fit_with(&data(&exposed, &y).with_schema(Some(&schema)), &Context::default()).unwrap();
    for j in [0, 2] {
        near(model.coef()[j], other.coef()[j], 1e-10, "coefficient");
    }
    near(model.summary().null_deviance, other.summary().null_deviance, 1e-10, "null deviance");
    // For counts, a rate with the exposure as weight is the same model again.
    let rate: Vec<f64> = (0..500).map(|i| y[i] / exposed[(i, 1)]).collect();
    let weight: Vec<f64> = (0..500).map(|i| exposed[(i, 1)]).collect();
    let two = Mat::from_fn(500, 2, |i, j| x[(i, 2 * j)]);
    let rates = glm(GlmFamily::Poisson).fit_with(&data(&two, &rate).with_weight(Some(&weight)), &Context::default()).unwrap();
    near(model.coef()[0], rates.coef()[0], 1e-9, "rate");
    near(model.intercept(), rates.intercept(), 1e-9, "intercept of the rate");
    near(model.summary().null_deviance, rates.summary().null_deviance, 1e-9, "null deviance of the rate");
    // Prediction is proportional to the exposure.
    let mut twice = exposed.clone();
    (0..500).for_each(|i| twice[(i, 1)] *= 2.0);
    let (a, b) = (other.predict(&Features::F64(exposed.view())).unwrap(), other.predict(&Features::F64(twice.view())).unwrap());
    (0..500).for_each(|i| near(b[(i, 0)], 2.0 * a[(i, 0)], 1e-12, "twice the exposure"));
    // And the report says what it is.
    let report = serde_json::to_string(&other.report(&schema)).unwrap();
    assert!(report.contains("log expo (exposure, not fitted)"), "{report}");
    // Other links find the model without columns in passes.
    let logit = Glm { offset: Some(ColumnRef::Index(1)), ..glm(GlmFamily::Bernoulli) };
    let hits: Vec<f64> = y.iter().map(|&v| f64::from(u8::from(v > 1.0))).collect();
    let model = fit(&logit, &x, &hits);
    let null: f64 = {
        let deviance =
            |b: f64| -> f64 { (0..500).map(|i| model.family().deviance(hits[i], model.link().mean(b + offset[i]))).sum() };
        (-4000..4000).map(|k| deviance(f64::from(k) * 1e-3)).fold(f64::INFINITY, f64::min)
    };
    near(model.summary().null_deviance, null, 1e-6, "null deviance with logit");
}

#[test]
fn an_exposure_must_be_possible() {
    let x = Mat::from_fn(4, 2, |i, j| if j == 0 { i as f64 } else { [1.0, 2.0, 0.0, 1.0][i] });
    let y = [1.0, 2.0, 0.0, 3.0];
    let schema = Schema::numbers(["age", "expo"]);
    let rows = data(&x, &y).with_schema(Some(&schema));
    let says = |learner: Glm| learner.fit_with(&rows, &Context::default()).unwrap_err().to_string();
    let e = says(Glm { exposure: Some("expo".into()), ..glm(GlmFamily::Poisson) });
    assert!(e.contains("column \"expo\", row 2: 0") && e.contains("above 0"), "{e}");
    let e = says(Glm { exposure: Some("exp".into()), ..glm(GlmFamily::Poisson) });
    assert!(e.contains("did you mean \"expo\"?"), "{e}");
    let e = says(Glm { exposure: Some("expo".into()), link: GlmLink::Identity, ..glm(GlmFamily::Poisson) });
    assert!(e.contains("exposure") && e.contains("link=log") && e.contains("weight"), "{e}");
    let e = says(Glm { exposure: Some("expo".into()), offset: Some("age".into()), ..glm(GlmFamily::Poisson) });
    assert!(e.contains("not both"), "{e}");
    let e = says(Glm { offset: Some(ColumnRef::Index(7)), ..glm(GlmFamily::Poisson) });
    assert!(e.contains("no column number 7"), "{e}");
    let e = says(Glm { power: 0.5, ..glm(GlmFamily::Tweedie) });
    assert!(e.contains("power") && e.contains("0.5"), "{e}");
    let e = says(Glm { link: GlmLink::Logit, ..glm(GlmFamily::Poisson) });
    assert!(e.contains("bernoulli"), "{e}");
}

#[test]
fn impossible_targets_are_refused_by_row_and_value() {
    let x = Mat::from_fn(5000, 1, |i, _| (i % 7) as f64);
    for (family, bad, word) in [
        (GlmFamily::Poisson, -1.0, "from 0 up"),
        (GlmFamily::Gamma, 0.0, "above 0"),
        (GlmFamily::InverseGaussian, -2.5, "above 0"),
        (GlmFamily::Tweedie, -0.5, "from 0 up"),
        (GlmFamily::Bernoulli, 1.5, "from 0 to 1"),
    ] {
        let mut y = vec![1.0; 5000];
        y[4321] = bad;
        let e = glm(family).fit_with(&data(&x, &y), &Context::default()).unwrap_err().to_string();
        assert!(e.contains("row 4321") && e.contains(&bad.to_string()) && e.contains(word), "{e}");
    }
}

#[test]
fn likelihoods_without_maximum_say_so_and_stay_finite() {
    let (x, _) = made(GlmFamily::Poisson, 60, 2, 1);
    let zeros = fit(&glm(GlmFamily::Poisson), &x, &vec![0.0; 60]);
    let c = zeros.certificate().unwrap();
    assert!(c.notes.iter().any(|n| n.contains("no maximum")), "{c:?}");
    assert!(zeros.means(&Features::F64(x.view())).unwrap().iter().all(|m| *m >= 0.0 && *m < 1e-3));
    // One group of counts is all zeros.
    let group = Mat::from_fn(60, 1, |i, _| f64::from(u8::from(i < 20)));
    let counts: Vec<f64> = (0..60).map(|i| if i < 20 { 0.0 } else { (1 + i % 3) as f64 }).collect();
    let model = fit(&glm(GlmFamily::Poisson), &group, &counts);
    assert!(model.certificate().unwrap().notes.iter().any(|n| n.contains("no maximum")), "{:?}", model.certificate());
    let mean = counts.iter().sum::<f64>() / 40.0;
    assert!(model.coef()[0] < -10.0 && (model.intercept() - mean.ln()).abs() < 1e-3 && model.inference().is_none());
    for link in [GlmLink::Logit, GlmLink::Probit] {
        let y: Vec<f64> = (0..60).map(|i| f64::from(u8::from(x[(i, 0)] > 0.0))).collect();
        let model = fit(&Glm { link, ..glm(GlmFamily::Bernoulli) }, &x, &y);
        let c = model.certificate().unwrap();
        assert!(c.notes.iter().any(|n| n.contains("separable")), "{link:?} {c:?}");
        assert!(model.coef().iter().all(|v| v.is_finite()) && model.coef()[0] > 1.0);
        let same = fit(&Glm { link, ..glm(GlmFamily::Bernoulli) }, &x, &vec![1.0; 60]);
        assert!(same.coef().iter().all(|v| v.is_finite()) && same.means(&Features::F64(x.view())).unwrap()[0] > 0.99);
    }
    // A penalty gives a maximum.
    let y: Vec<f64> = (0..60).map(|i| f64::from(u8::from(x[(i, 0)] > 0.0))).collect();
    let model = fit(&Glm { alpha: 0.01, ..glm(GlmFamily::Bernoulli) }, &x, &y);
    assert!(model.certificate().unwrap().converged && model.certificate().unwrap().notes.is_empty());
}

#[test]
fn saturated_models_have_no_deviance() {
    let x = Mat::from_fn(3, 2, |i, j| f64::from(u8::from(i == j)));
    for (family, y) in [
        (GlmFamily::Gaussian, [1.0, -2.0, 5.0]),
        (GlmFamily::Poisson, [1.0, 4.0, 9.0]),
        (GlmFamily::Gamma, [0.5, 4.0, 9.0]),
        (GlmFamily::InverseGaussian, [0.5, 4.0, 9.0]),
        (GlmFamily::Tweedie, [0.5, 4.0, 9.0]),
        (GlmFamily::Bernoulli, [0.2, 0.5, 0.9]),
    ] {
        let model = fit(&glm(family), &x, &y);
        let mu = model.means(&Features::F64(x.view())).unwrap();
        for i in 0..3 {
            assert!((mu[i] - y[i]).abs() < 1e-9 * y[i].abs(), "{family:?}: {mu:?}");
        }
        assert!(model.summary().deviance >= 0.0 && model.summary().deviance < 1e-16, "{family:?}: {:?}", model.summary());
        assert_eq!(model.summary().df_resid, 0.0);
        assert!(model.certificate().unwrap().converged, "{family:?}");
    }
}

#[test]
fn dependent_columns_give_the_same_means_and_a_note() {
    for base in every() {
        let (x, y) = fitting(&base, 300, 8);
        let wide = Mat::from_fn(300, 6, |i, j| match j {
            0..4 => x[(i, j)],
            4 => x[(i, 0)] - 2.0 * x[(i, 1)],
            _ => 0.0,
        });
        let (narrow, wide_model) = (fit(&base, &x, &y), fit(&base, &wide, &y));
        let (a, b) = (narrow.means(&Features::F64(x.view())).unwrap(), wide_model.means(&Features::F64(wide.view())).unwrap());
        (0..300).for_each(|i| near(b[i], a[i], 1e-6, &format!("{base:?}: mean {i}")));
        let c = wide_model.certificate().unwrap();
        assert!(c.notes.iter().any(|n| n.contains("rank 4 of 6")), "{base:?}: {c:?}");
        assert!(wide_model.inference().is_none() && wide_model.summary().df_resid == 295.0);
        assert!(wide_model.coef().iter().all(|v| v.is_finite() && v.abs() < 1e3));
    }
}

#[test]
fn units_of_columns_far_from_one_are_coped_with_or_refused() {
    let (x, y) = made(GlmFamily::Poisson, 200, 2, 6);
    let plain = fit(&glm(GlmFamily::Poisson), &x, &y);
    for unit in [1e-300, 1e-120, 1e-9, 1e9, 1e120, 1e300] {
        let scaled = Mat::from_fn(200, 2, |i, j| x[(i, j)] * if j == 1 { unit } else { 1.0 });
        match glm(GlmFamily::Poisson).fit_with(&data(&scaled, &y), &Context::default()) {
            Ok(model) => {
                near(model.coef()[0], plain.coef()[0], 1e-8, &format!("{unit:e}"));
                near(model.coef()[1] * unit, plain.coef()[1], 1e-8, &format!("{unit:e}"));
            }
            Err(e) => {
                let e = e.to_string();
                assert!(
                    unit.log10().abs() > 150.0 && e.contains("column number 1") && e.contains("power of ten"),
                    "{unit:e}: {e}"
                );
            }
        }
    }
    // Units of the target.
    for unit in [1e-300, 1e-9, 1e9, 1e300] {
        let (x, y) = made(GlmFamily::Gamma, 200, 2, 6);
        let plain = fit(&glm(GlmFamily::Gamma), &x, &y);
        let scaled: Vec<f64> = y.iter().map(|v| v * unit).collect();
        let model = fit(&glm(GlmFamily::Gamma), &x, &scaled);
        near(model.coef()[1], plain.coef()[1], 1e-7, &format!("gamma {unit:e}"));
        near(model.intercept(), plain.intercept() + unit.ln(), 1e-9, &format!("gamma {unit:e}"));
        let line = Glm::default().fit_with(&data(&x, &scaled), &Context::default());
        match line {
            Ok(model) => near(model.coef()[1], fit(&Glm::default(), &x, &y).coef()[1] * unit, 1e-8, "gaussian"),
            Err(e) => assert!(e.to_string().contains("e30") || e.to_string().contains("e-"), "{e}"),
        }
    }
}

#[test]
fn small_and_odd_data_do_not_panic() {
    let one = Mat::from_vec(1, 2, vec![1.0, 2.0]);
    let constant = Mat::from_fn(20, 2, |i, j| if j == 0 { 3.0 } else { i as f64 });
    for base in every() {
        let _ = base.fit_with(&data(&one, &[1.0]), &Context::default());
        for y in [vec![1.0; 20], vec![0.0; 20], (0..20).map(|i| f64::from(i % 2)).collect()] {
            if let Ok(model) = base.fit_with(&data(&constant, &y), &Context::default()) {
                assert!(model.coef().iter().all(|v| v.is_finite()), "{base:?}");
            }
        }
        let free = Glm { fit_intercept: false, ..base.clone() };
        if let Err(e) = free.fit_with(&data(&constant, &[1.0; 20]), &Context::default()) {
            panic!("{free:?}: {e}");
        }
    }
    // A start that no coefficients can save is refused by name.
    let x = Mat::from_fn(4, 1, |i, _| [1.0, -1.0, 2.0, -2.0][i]);
    let learner = Glm { link: GlmLink::Identity, fit_intercept: false, ..glm(GlmFamily::Poisson) };
    let e = learner.fit_with(&data(&x, &[1.0, 2.0, 3.0, 4.0]), &Context::default()).unwrap_err().to_string();
    assert!(e.contains("identity link") && e.contains("log link") && e.contains("intercept"), "{e}");
}

#[test]
fn many_sparse_columns_take_the_limited_memory_method() {
    let (rows, cols) = (100, 100_000);
    let mut s = RngStream::new(2, "glm sparse", 0);
    let (mut indptr, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    for _ in 0..rows {
        let mut row: Vec<u32> = (0..50).map(|_| s.below(cols) as u32).collect();
        row.sort_unstable();
        row.dedup();
        values.extend(row.iter().map(|_| s.normal()));
        indices.extend(row);
        indptr.push(values.len());
    }
    let x = Csr::new(indptr, indices, values, cols).unwrap();
    let y: Vec<f64> = (0..rows).map(|i| (i % 5) as f64).collect();
    let rows = DatasetRef::new(Features::Csr(x.view())).with_target(Target::Real(&y));
    let learner = Glm { alpha: 0.1, tol: 1e-6, max_iter: 1000, ..glm(GlmFamily::Poisson) };
    let model = learner.fit_with(&rows, &Context::default()).unwrap();
    let c = model.certificate().unwrap();
    assert!(c.converged && c.method == "lbfgs", "{c:?}");
    // The conditions of the optimum: alpha b = Σ (y - mu) x / n.
    let mu = model.means(&Features::Csr(x.view())).unwrap();
    let mut score = vec![0.0; cols];
    for i in 0..100 {
        let (indices, values) = x.view().row(i);
        indices.iter().zip(values).for_each(|(&j, v)| score[j as usize] += (y[i] - mu[i]) * v / 100.0);
    }
    let worst = score.iter().zip(model.coef()).map(|(s, b)| (s - 0.1 * b).abs()).fold(0.0, f64::max);
    assert!(worst < 1e-6, "{worst}");
}

#[test]
fn sparse_dense_f32_tables_and_blocks_agree() {
    for base in every() {
        let (mut x, y) = fitting(&base, 5000, 21);
        (0..5000).for_each(|i| x[(i, i % 4)] = 0.0);
        let model = fit(&base, &x, &y);
        let (mut indptr, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
        for i in 0..5000 {
            for j in (0..4).filter(|&j| x[(i, j)] != 0.0) {
                indices.push(j as u32);
                values.push(x[(i, j)]);
            }
            indptr.push(values.len());
        }
        let csr = Csr::new(indptr, indices, values, 4).unwrap();
        let sparse = base
            .fit_with(&DatasetRef::new(Features::Csr(csr.view())).with_target(Target::Real(&y)), &Context::default())
            .unwrap();
        let columns: Vec<(String, Column)> =
            (0..4).map(|j| (format!("c{j}"), Column::numbers(x.view().col_iter(j).collect()))).collect();
        let table = Table::new(columns).unwrap();
        let tabled = base
            .fit_with(&DatasetRef::new(Features::Table(table.view())).with_target(Target::Real(&y)), &Context::default())
            .unwrap();
        let blocks = run_passes_blocked(&base, &data(&x, &y), &Context::default(), 333).unwrap();
        for other in [&sparse, &tabled, &blocks] {
            for j in 0..4 {
                near(other.coef()[j], model.coef()[j], 1e-6, &format!("{base:?}"));
            }
            near(other.summary().deviance, model.summary().deviance, 1e-9, &format!("{base:?}: deviance"));
        }
    }
}

#[test]
fn a_sample_of_many_rows_leads_to_the_same_optimum() {
    let (x, y) = made(GlmFamily::Poisson, 60_000, 5, 33);
    let warm = fit(&glm(GlmFamily::Poisson), &x, &y);
    // A start of one's own does without the sample.
    let cold = fit(&Glm { start: Some(vec![0.0; 6]), ..glm(GlmFamily::Poisson) }, &x, &y);
    for j in 0..5 {
        near(warm.coef()[j], cold.coef()[j], 1e-7, "coefficient");
    }
    assert!(warm.n_iter() < cold.n_iter(), "{} {}", warm.n_iter(), cold.n_iter());
    let again = Glm { start: Some([cold.coef(), &[cold.intercept()]].concat()), ..glm(GlmFamily::Poisson) };
    assert!(fit(&again, &x, &y).n_iter() <= 1);
}

#[test]
fn residuals_square_to_the_statistics_they_are_named_after() {
    let (x, y) = made(GlmFamily::Gamma, 300, 3, 13);
    let model = fit(&glm(GlmFamily::Gamma), &x, &y);
    let rows = Features::F64(x.view());
    let square = |r: Vec<f64>| r.iter().map(|v| v * v).sum::<f64>();
    near(square(model.pearson_residuals(&rows, &y).unwrap()), model.summary().pearson_chi2, 1e-10, "Pearson");
    let deviance = model.deviance_residuals(&rows, &y).unwrap();
    let mu = model.means(&rows).unwrap();
    assert!((0..300).all(|i| (deviance[i] > 0.0) == (y[i] > mu[i])));
    near(square(deviance), model.summary().deviance, 1e-9, "deviance");
    assert!(model.pearson_residuals(&rows, &y[1..]).is_err());
}

#[test]
fn models_are_read_as_they_were_written() {
    for base in every() {
        let (x, y) = fitting(&base, 100, 2);
        let model = Glm { offset: (base.link == GlmLink::Log).then_some(ColumnRef::Index(2)), ..base }
            .fit_with(&data(&x, &y), &Context::default())
            .unwrap();
        let mut out = ModelWriter::default();
        model.save(&mut out).unwrap();
        let again = Glm::load(&out.into_reader()).unwrap();
        assert_eq!(again.coef(), model.coef());
        // As text, for what is not fitted has no error: NaN.
        assert_eq!(format!("{:?}", again.inference()), format!("{:?}", model.inference()));
        assert_eq!(again.predict(&Features::F64(x.view())).unwrap(), model.predict(&Features::F64(x.view())).unwrap());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// A weight of 2 is the row twice, of 0 the row absent; the gradient at any start leads to one optimum.
    #[test]
    fn weights_are_copies(seed in 0u64..1000, at in 0usize..11) {
        let base = every()[at].clone();
        let (x, y) = fitting(&base, 120, seed);
        let weight: Vec<f64> = (0..120).map(|i| (i % 3) as f64).collect();
        let rows: Vec<usize> = (0..120).flat_map(|i| vec![i; i % 3]).collect();
        let copies = data(&x, &y).take_rows(&rows);
        let a = base.fit_with(&data(&x, &y).with_weight(Some(&weight)), &Context::default());
        let b = base.fit_with(&copies.view(), &Context::default());
        if let (Ok(a), Ok(b)) = (a, b)
            && a.certificate().unwrap().converged
            && a.certificate().unwrap().notes.is_empty()
        {
            for j in 0..4 {
                prop_assert!((a.coef()[j] - b.coef()[j]).abs() < 1e-6 * (1.0 + b.coef()[j].abs()), "{:?}", base);
            }
        }
    }
}

#[test]
fn classes_are_not_taken_for_numbers() {
    let x = Mat::from_fn(4, 1, |i, _| i as f64);
    let y = OwnedTarget::from_labels(&["a", "b", "a", "b"]);
    let rows = DatasetRef::new(Features::F64(MatRef::row_major(x.as_slice(), 4, 1))).with_target(y.view());
    assert!(glm(GlmFamily::Bernoulli).fit_with(&rows, &Context::default()).is_err());
}

#[test]
fn targets_at_an_end_of_their_range_leave_no_deviance_to_explain() {
    let x = Mat::from_fn(20, 1, |i, _| (i as f64).sin());
    let with_exposure = Mat::from_fn(20, 2, |i, j| if j == 0 { (i as f64).sin() } else { 1.0 + i as f64 });
    for (family, y) in [(GlmFamily::Poisson, 0.0), (GlmFamily::Bernoulli, 0.0), (GlmFamily::Bernoulli, 1.0)] {
        let model = fit(&Glm { alpha: 1e-3, ..glm(family) }, &x, &[y; 20]);
        let summary = model.summary();
        assert_eq!(summary.null_deviance, 0.0, "{family:?} {y}");
        assert!(summary.deviance >= 0.0 && summary.d2.is_nan(), "{family:?} {y}: {summary:?}");
    }
    let exposed = Glm { alpha: 1e-3, exposure: Some(ColumnRef::Index(1)), ..glm(GlmFamily::Poisson) };
    assert_eq!(fit(&exposed, &with_exposure, &[0.0; 20]).summary().null_deviance, 0.0);
}
