//! Least squares and ridge against certified and reference values, and the invariances they must have.
#![allow(clippy::excessive_precision)] // Certified values keep the digits they were published with.

use std::io::Read;

use ermine_core::{
    Context, Csr, Dataset, Error, Features, Flow, Learner, Mat, MatRef, Model, ModelWriter, PassLearner, Regressor, RowSource,
    Schema, Stream, Target, drive, drive_source, drive_with_blocks,
};
use ermine_learn::linear::{Alpha, Ols, OlsModel, Ridge, RidgeModel};
use ermine_math::dd::Dd;
use serde_json::Value;

const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures");

fn text(path: &str) -> String {
    let file = std::fs::File::open(format!("{FIXTURES}/{path}")).unwrap();
    let mut out = String::new();
    flate2::read::GzDecoder::new(file).read_to_string(&mut out).unwrap();
    out
}

fn book(name: &str) -> Vec<Value> {
    let all: Value = serde_json::from_str(&std::fs::read_to_string(format!("{FIXTURES}/reference/{name}")).unwrap()).unwrap();
    all["cases"].as_array().unwrap().clone()
}

fn numbers(v: &Value) -> Vec<f64> {
    v.as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect()
}

/// Lines `first..=last` (from 1) of a file of numbers, as rows.
fn lines(path: &str, first: usize, last: usize) -> Vec<Vec<f64>> {
    let parse = |l: &str| l.split_whitespace().map(|v| v.parse().unwrap()).collect();
    text(path).lines().skip(first - 1).take(last - first + 1).map(parse).collect()
}

/// The diabetes table: ten columns and the target.
fn diabetes() -> (Mat<f64>, Vec<f64>) {
    let all = text("data/diabetes.csv.gz");
    let rows: Vec<Vec<f64>> = all.lines().skip(1).map(|l| l.split(',').map(|v| v.trim().parse().unwrap()).collect()).collect();
    let x = Mat::from_fn(rows.len(), 10, |i, j| rows[i][j]);
    (x, rows.iter().map(|r| r[10]).collect())
}

/// Columns standardised with the population standard deviation of `rows`.
fn standardised(x: &Mat<f64>, rows: &[usize]) -> Mat<f64> {
    let n = rows.len() as f64;
    let moments: Vec<(f64, f64)> = (0..x.cols())
        .map(|j| {
            let mean = rows.iter().map(|&i| x[(i, j)]).sum::<f64>() / n;
            let sd = (rows.iter().map(|&i| (x[(i, j)] - mean).powi(2)).sum::<f64>() / n).sqrt();
            (mean, sd)
        })
        .collect();
    Mat::from_fn(x.rows(), x.cols(), |i, j| (x[(i, j)] - moments[j].0) / moments[j].1)
}

fn data<'a>(x: &'a Mat<f64>, y: &'a [f64]) -> Dataset<'a> {
    Dataset::new(Features::F64(x.view())).with_target(Target::Real(y))
}

fn ols(x: &Mat<f64>, y: &[f64]) -> OlsModel {
    Ols::default().fit(&data(x, y), &Context::default()).unwrap()
}

fn ridge(alpha: f64) -> Ridge {
    Ridge { alpha: Alpha::One(alpha), ..Ridge::default() }
}

fn random(rows: usize, cols: usize, seed: u64) -> Mat<f64> {
    let mut rng = Stream::new(seed, "least squares test", 0);
    Mat::from_fn(rows, cols, |_, _| rng.normal())
}

#[track_caller]
fn near(found: f64, expected: f64, rel: f64, what: &str) {
    let error = (found - expected).abs();
    assert!(error <= rel * expected.abs().max(1e-300), "{what}: {found:e} against {expected:e} ({:e})", error / expected.abs());
}

/// Correct digits: -log10 of the relative error, or of the value where 0 is certified; at most 15.
fn digits(found: f64, certified: f64) -> f64 {
    let error = if certified == 0.0 { found.abs() } else { ((found - certified) / certified).abs() };
    if error == 0.0 { 15.0 } else { -error.log10() }
}

#[test]
fn the_certified_values_of_nist() {
    let mut seen = 0;
    for case in book("nist_strd.json") {
        let id = case["id"].as_str().unwrap();
        let Some(name) = id.strip_prefix("linear_") else { continue };
        seen += 1;
        // "none; data lines 61 to 96 of the file, first column y"
        let how = case["preprocessing"].as_str().unwrap();
        let words: Vec<usize> = how.split(|c: char| !c.is_ascii_digit()).filter_map(|w| w.parse().ok()).collect();
        let file = case["data"].as_str().unwrap().replace("nist_strd", "data/nist");
        let rows = lines(&file, words[0], words[1]);
        let expected = &case["expected"];
        let coef = numbers(&expected["coef"]);
        let intercept = !case["objective"].as_str().unwrap().contains("no intercept");
        let columns = coef.len() - usize::from(intercept);
        // One given column and several coefficients: a polynomial.
        let x = if rows[0].len() == 2 {
            powers(rows.iter().map(|r| r[1]), columns)
        } else {
            Mat::from_fn(rows.len(), columns, |i, j| rows[i][j + 1])
        };
        let y: Vec<f64> = rows.iter().map(|r| r[0]).collect();
        let model = Ols { fit_intercept: intercept, ..Ols::default() }.fit(&data(&x, &y), &Context::default()).unwrap();
        let inference = model.inference().unwrap();
        let std_err = numbers(&expected["std_err"]);
        let first = usize::from(!intercept);
        let mut least = f64::INFINITY;
        for (j, (&c, &e)) in coef.iter().zip(&std_err).enumerate() {
            let j = j + first;
            let found = if j == 0 { model.intercept()[0] } else { model.coef()[(0, j - 1)] };
            least = least.min(digits(found, c)).min(digits(inference.std_err[(0, j)], e));
        }
        let summary = model.summary()[0];
        least = least.min(digits(summary.residual_sd, expected["residual_sd"].as_f64().unwrap()));
        least = least.min(digits(summary.r2, expected["r2"].as_f64().unwrap()));
        let wanted = case["tolerance"]["digits_expected_from_double"].as_f64().unwrap();
        // The tenth powers of Filip, rounded to doubles, are another problem than the certified one: its exact solution agrees with
        // the certified values to 7.9 digits. See below for all its digits.
        let wanted = if name == "filip" { 7.9 } else { f64::max(wanted, 9.0) };
        println!("{name}: {least:.1} digits (at least {wanted}), {:?}", model.certificate().unwrap());
        assert!(least >= wanted, "{name}: {least} digits of {wanted}");
    }
    assert_eq!(seen, 11);
}

/// The first `count` powers, each the last one times x, rounded.
fn powers(x: impl ExactSizeIterator<Item = f64>, count: usize) -> Mat<f64> {
    let mut out = Mat::zeros(x.len(), count);
    for (i, x) in x.enumerate() {
        let mut v = 1.0;
        for o in out.row_mut(i) {
            v *= x;
            *o = v;
        }
    }
    out
}

#[test]
fn filip_has_all_the_digits_of_its_data() {
    let rows = lines("data/nist/Filip.dat.gz", 61, 142);
    let y: Vec<f64> = rows.iter().map(|r| r[0]).collect();
    let model = ols(&powers(rows.iter().map(|r| r[1]), 10), &y);
    // The least-squares solution of exactly these doubles and its standard errors, from 80-digit arithmetic.
    let coef = [
        -1467.4896313887715,
        -2772.1796242619316,
        -2316.3711086093589,
        -1127.9739541497518,
        -354.47823785523083,
        -75.124202624351735,
        -10.875318164699452,
        -1.0622149986404843,
        -0.067019116274456234,
        -0.0024678108132356482,
        -4.0296253014568074e-5,
    ];
    let std_err = [
        298.08453045643306,
        559.77986445819664,
        466.4775712737701,
        227.2042740568501,
        71.647865952748432,
        15.289717845386996,
        2.23691159376235,
        0.22162432148628003,
        0.014236376285786288,
        0.00053561740773385706,
        8.9663283536543461e-6,
    ];
    for j in 0..11 {
        let found = if j == 0 { model.intercept()[0] } else { model.coef()[(0, j - 1)] };
        near(found, coef[j], 1e-13, "coefficient");
        near(model.inference().unwrap().std_err[(0, j)], std_err[j], 1e-13, "standard error");
    }
    // Powers of x + 6 lose nothing that matters to rounding; multiplied out they give the certified coefficients.
    let centred = ols(&powers(rows.iter().map(|r| r[1] + 6.0), 10), &y);
    let book = book("nist_strd.json");
    let case = book.iter().find(|c| c["id"] == "linear_filip").unwrap();
    for (i, certified) in numbers(&case["expected"]["coef"]).into_iter().enumerate() {
        let mut choose = 1.0;
        let mut value = Dd::ZERO;
        for j in i..11 {
            let b = if j == 0 { centred.intercept()[0] } else { centred.coef()[(0, j - 1)] };
            value += Dd::product(choose, 6f64.powi((j - i) as i32)) * b.into();
            choose = choose * (j + 1) as f64 / (j + 1 - i) as f64;
        }
        assert!(digits(value.to_f64(), certified) > 12.0, "coefficient {i}");
    }
}

fn against_book(model: &OlsModel, expected: &Value, rel: f64, p_rel: f64) {
    let inference = model.inference().unwrap();
    let list = |name: &str| expected.get(name).map(numbers).unwrap_or_default();
    for (j, c) in list("coef").into_iter().enumerate() {
        let found = if j == 0 { model.intercept()[0] } else { model.coef()[(0, j - 1)] };
        near(found, c, rel, &format!("coefficient {j}"));
    }
    for (name, found, rel) in
        [("std_err", &inference.std_err, rel), ("t", &inference.t_value, rel), ("p_value", &inference.p_value, p_rel)]
    {
        for (j, e) in list(name).into_iter().enumerate() {
            near(found[(0, j)], e, rel, &format!("{name} {j}"));
        }
    }
    let s = model.summary()[0];
    let single = [
        ("rss", s.rss),
        ("residual_sd", s.residual_sd),
        ("df_resid", s.df_resid),
        ("r2", s.r2),
        ("adj_r2", s.adj_r2),
        ("f_stat", s.f_stat),
        ("loglik", s.log_likelihood),
        ("aic", s.aic),
        ("bic", s.bic),
    ];
    for (name, found) in single {
        if let Some(e) = expected.get(name) {
            near(found, e.as_f64().unwrap(), rel, name);
        }
    }
}

#[test]
fn least_squares_of_the_book() {
    let (x, y) = diabetes();
    for case in book("linear_models.json") {
        let rel = case["tolerance"]["rel"].as_f64().unwrap_or(f64::NAN);
        let p_rel = case["tolerance"]["p_value_rel"].as_f64().unwrap_or(rel);
        match case["id"].as_str().unwrap() {
            "ols_diabetes" => against_book(&ols(&x, &y), &case["expected"], rel, p_rel),
            "wls_diabetes" => {
                let w: Vec<f64> = (0..x.rows()).map(|i| 1.0 / (1.0 + x[(i, 0)])).collect();
                let model = Ols::default().fit(&data(&x, &y).with_weight(Some(&w)), &Context::default()).unwrap();
                against_book(&model, &case["expected"], rel, p_rel);
            }
            "ols_california" => {
                let (x, y) = california();
                assert_eq!(x.rows(), 20433);
                // Probabilities of 1e-150 keep as many digits as their t values allow: about t² times fewer.
                against_book(&ols(&x, &y), &case["expected"], rel, 1e-4);
            }
            "nnls_diabetes" => {
                let all: Vec<usize> = (0..x.rows()).collect();
                let z = standardised(&x, &all);
                let design = Mat::from_fn(x.rows(), 11, |i, j| if j == 0 { 1.0 } else { z[(i, j - 1)] });
                let learner = Ols { positive: true, fit_intercept: false, ..Ols::default() };
                let model = learner.fit(&data(&design, &y), &Context::default()).unwrap();
                for (j, e) in numbers(&case["expected"]["coef"]).into_iter().enumerate() {
                    let found = model.coef()[(0, j)];
                    if e == 0.0 {
                        assert_eq!(found, 0.0, "coefficient {j}");
                    } else {
                        near(found, e, rel, &format!("coefficient {j}"));
                    }
                }
                near(model.summary()[0].rss, case["expected"]["rss"].as_f64().unwrap(), rel, "rss");
                assert!(model.certificate().unwrap().kkt_residual.unwrap() < 1e-12);
            }
            _ => {}
        }
    }
}

/// California housing: complete rows, numbers as they are, ocean proximity as 0/1 columns without the first level.
fn california() -> (Mat<f64>, Vec<f64>) {
    let all = text("data/california_housing.csv.gz");
    let mut lines = all.lines();
    let header: Vec<&str> = lines.next().unwrap().split(',').collect();
    let at = |name: &str| header.iter().position(|h| *h == name).unwrap();
    let (target, level) = (at("median_house_value"), at("ocean_proximity"));
    let rows: Vec<Vec<&str>> =
        lines.map(|l| l.split(',').collect::<Vec<_>>()).filter(|r| r.iter().all(|c| !c.is_empty())).collect();
    let mut levels: Vec<&str> = rows.iter().map(|r| r[level]).collect();
    levels.sort_unstable();
    levels.dedup();
    let number: Vec<usize> = (0..header.len()).filter(|&j| j != target && j != level).collect();
    let x = Mat::from_fn(rows.len(), number.len() + levels.len() - 1, |i, j| match number.get(j) {
        Some(&col) => rows[i][col].parse().unwrap(),
        None => f64::from(u8::from(rows[i][level] == levels[j - number.len() + 1])),
    });
    (x, rows.iter().map(|r| r[target].parse().unwrap()).collect())
}

#[test]
fn ridge_of_the_book() {
    let (x, y) = diabetes();
    let all: Vec<usize> = (0..x.rows()).collect();
    let z = standardised(&x, &all);
    let mut seen = 0;
    for case in book("linear_models.json") {
        let id = case["id"].as_str().unwrap();
        let rel = case["tolerance"]["rel"].as_f64().unwrap_or(f64::NAN);
        if id.starts_with("ridge_diabetes") {
            seen += 1;
            let alpha = case["params"]["lambda"].as_f64().unwrap();
            let model = ridge(alpha).fit(&data(&z, &y), &Context::default()).unwrap();
            near(model.intercept()[0], case["expected"]["intercept"].as_f64().unwrap(), rel, "intercept");
            for (j, e) in numbers(&case["expected"]["coef"]).into_iter().enumerate() {
                near(model.coef()[(0, j)], e, rel, &format!("{id}, coefficient {j}"));
            }
            near(model.rss()[0], case["expected"]["rss"].as_f64().unwrap(), rel, "rss");
            let df = case["expected"]["effective_df_without_intercept"].as_f64().unwrap();
            near(model.effective_df()[0], df, rel, "effective degrees of freedom");
            let certificate = model.certificate().unwrap();
            assert!(certificate.kkt_residual.unwrap() < 1e-14);
            let penalty: f64 = model.coef().row(0).iter().map(|b| alpha * b * b).sum();
            near(certificate.objective.unwrap(), model.rss()[0] + penalty, 1e-13, "objective");
        }
        if id == "ridge_cv_diabetes" {
            seen += 1;
            for (name, expected) in case["expected"].as_object().unwrap() {
                let alpha: f64 = name.strip_prefix("lambda=").unwrap().parse().unwrap();
                let mut total = 0.0;
                for (fold, e) in numbers(&expected["mse_by_fold"]).into_iter().enumerate() {
                    let (test, train): (Vec<usize>, Vec<usize>) = all.iter().partition(|&&i| i % 5 == fold);
                    let z = standardised(&x, &train);
                    let (zt, yt) = (z.view().take_rows(&train), train.iter().map(|&i| y[i]).collect::<Vec<_>>());
                    let model = ridge(alpha).fit(&data(&zt, &yt), &Context::default()).unwrap();
                    let zv = z.view().take_rows(&test);
                    let p = model.predict(&Features::F64(zv.view())).unwrap();
                    let mse = test.iter().enumerate().map(|(r, &i)| (y[i] - p[(r, 0)]).powi(2)).sum::<f64>() / test.len() as f64;
                    near(mse, e, rel, &format!("{name}, fold {fold}"));
                    total += mse / 5.0;
                }
                near(total, expected["mean"].as_f64().unwrap(), rel, name);
            }
        }
    }
    assert_eq!(seen, 6);
}

#[test]
fn copies_of_a_column_share_its_coefficient() {
    let base = random(60, 3, 1);
    let y: Vec<f64> = (0..60).map(|i| 1.0 + base[(i, 0)] - 2.0 * base[(i, 1)] + 0.1 * base[(i, 2)] + (i % 7) as f64).collect();
    let alone = ols(&base, &y);
    let twice = Mat::from_fn(60, 6, |i, j| base[(i, j % 3)]);
    let shared = ols(&twice, &y);
    assert_eq!((alone.rank(), shared.rank()), (3, 3));
    for j in 0..3 {
        near(shared.coef()[(0, j)], 0.5 * alone.coef()[(0, j)], 1e-13, "half the coefficient");
        assert_eq!(shared.coef()[(0, j)], shared.coef()[(0, j + 3)], "symmetric");
    }
    near(shared.intercept()[0], alone.intercept()[0], 1e-13, "intercept");
    assert!(shared.inference().is_none());
    assert!(shared.certificate().unwrap().notes[0].contains("rank 3 of 6"));
    near(shared.summary()[0].residual_sd, alone.summary()[0].residual_sd, 1e-13, "the residuals are the same");
    // All levels of a factor, with an intercept: the least length puts the mean of the levels into the intercept's hands.
    let levels = Mat::from_fn(60, 4, |i, j| f64::from(u8::from(i % 4 == j)));
    let model = ols(&levels, &y);
    assert_eq!(model.rank(), 3);
    near(model.coef().row(0).iter().sum::<f64>().abs() + 1.0, 1.0, 1e-13, "contrasts sum to zero");
}

#[test]
fn a_constant_column_gets_zero_and_the_others_their_errors() {
    let x = random(50, 2, 2);
    let y: Vec<f64> = (0..50).map(|i| x[(i, 0)] + 0.3 * x[(i, 1)] + (i % 3) as f64).collect();
    let with = Mat::from_fn(50, 3, |i, j| if j == 1 { 0.1 } else { x[(i, j / 2)] });
    let (a, b) = (ols(&x, &y), ols(&with, &y));
    assert_eq!(b.coef()[(0, 1)], 0.0);
    assert_eq!(b.rank(), 2);
    near(b.coef()[(0, 2)], a.coef()[(0, 1)], 1e-13, "coefficient");
    let (ea, eb) = (a.inference().unwrap(), b.inference().unwrap());
    assert!(eb.std_err[(0, 2)].is_nan());
    near(eb.std_err[(0, 3)], ea.std_err[(0, 2)], 1e-13, "standard error");
    // A constant target has no slope at all.
    let flat = ols(&x, &[0.1; 50]);
    assert_eq!((flat.coef().row(0), flat.intercept()), (&[0.0, 0.0][..], &[0.1][..]));
}

#[test]
fn hilbert_columns_keep_their_digits() {
    // Condition numbers 1e3 to 1e13, and a target that is the sum of the columns.
    for p in [4, 6, 8, 10] {
        let x = Mat::from_fn(p + 3, p, |i, j| 1.0 / (i + j + 1) as f64);
        let y: Vec<f64> = (0..p + 3).map(|i| x.row(i).iter().sum()).collect();
        let model = Ols { fit_intercept: false, ..Ols::default() }.fit(&data(&x, &y), &Context::default()).unwrap();
        // The sums are rounded, which moves the solution by the condition number; the residual stays at rounding.
        let p_hat = model.predict(&Features::F64(x.view())).unwrap();
        for i in 0..p + 3 {
            near(p_hat[(i, 0)], y[i], 1e-14, "fitted value");
        }
        assert_eq!(model.rank(), p);
        let worst = model.coef().row(0).iter().map(|b| (b - 1.0).abs()).fold(0.0, f64::max);
        assert!(worst < 1e-16 * 10f64.powf(1.5 * p as f64), "{p} columns: {worst:e}");
    }
}

/// Columns of -1 and 1 that are orthogonal to each other and to the constant: Walsh functions.
fn walsh(row: usize, k: usize) -> f64 {
    if (row & k).count_ones().is_multiple_of(2) { 1.0 } else { -1.0 }
}

#[test]
fn nearly_perfect_and_nearly_dependent_fits_are_corrected() {
    // Columns h_j + s h_1, all exact, and y = sum of j times column j, plus a small column orthogonal to all of them.
    let (n, p) = (8192, 20);
    for s in [1.0, 1000.0] {
        let x = Mat::from_fn(n, p, |i, j| walsh(i, j + 1) + if j > 0 { s * walsh(i, 1) } else { 0.0 });
        let y: Vec<f64> =
            (0..n).map(|i| 5.0 + (0..p).map(|j| (j + 1) as f64 * x[(i, j)]).sum::<f64>() + walsh(i, 4096) / 1024.0).collect();
        let model = ols(&x, &y);
        let what = &model.certificate().unwrap().method;
        assert!(what != "cholesky", "{what}");
        for j in 0..p {
            near(model.coef()[(0, j)], (j + 1) as f64, 1e-15, what);
        }
        near(model.intercept()[0], 5.0, 1e-15, what);
        near(model.summary()[0].rss, n as f64 / 1024f64.powi(2), 1e-13, what);
        // Ridge: the optimality conditions hold as well as coefficients in doubles can fulfil them.
        let alpha = 0.125;
        let model = ridge(alpha).fit(&data(&x, &y), &Context::default()).unwrap();
        let b: Vec<f64> = model.coef().row(0).to_vec();
        for j in 0..p {
            // Column means are zero and the intercept is the mean of y.
            let mut gradient = Dd::from(-alpha) * b[j].into();
            let mut size = 0.0;
            for i in 0..n {
                let fitted: Dd = (0..p).map(|k| Dd::product(x[(i, k)], b[k])).sum();
                gradient += (Dd::from(y[i] - 5.0) - fitted) * x[(i, j)].into();
            }
            for k in 0..p {
                size += (0..n).map(|i| x[(i, j)] * x[(i, k)]).sum::<f64>().abs() * b[k].abs();
            }
            assert!(gradient.hi.abs() <= 2.0 * f64::EPSILON * size, "{s}: {:e} of {size:e}", gradient.hi);
        }
    }
    // No residual at all but rounding.
    let x = random(5000, 21, 30);
    let y: Vec<f64> = (0..5000).map(|i| x[(i, 0)] - 2.0 * x[(i, 1)] + 1.0).collect();
    let model = ols(&x, &y);
    assert!(model.certificate().unwrap().method.contains("corrected"));
    assert_eq!(model.summary()[0].rss, 0.0);
    near(model.coef()[(0, 1)], -2.0, 1e-15, "exact");
}

#[test]
fn units_do_not_matter() {
    let base = random(80, 3, 3);
    let y: Vec<f64> = (0..80).map(|i| 2.0 + base[(i, 0)] - base[(i, 1)] + 0.5 * base[(i, 2)] + (i % 5) as f64).collect();
    let plain = ols(&base, &y);
    // 2^±1000 is about 1e±301; powers of two leave every digit as it is.
    for (ex, ey) in [(-1000, 0), (900, 0), (0, -1000), (0, 900), (990, 990), (-990, -990), (-400, 500), (600, -300)] {
        let power = |e: i32| 2f64.powi(e / 2) * 2f64.powi(e - e / 2);
        let x = Mat::from_fn(80, 3, |i, j| base[(i, j)] * power(ex));
        let z: Vec<f64> = y.iter().map(|v| v * power(ey)).collect();
        let model = ols(&x, &z);
        let what = format!("x 2^{ex}, y 2^{ey}");
        for j in 0..3 {
            near(model.coef()[(0, j)], plain.coef()[(0, j)] * power(ey - ex), 1e-13, &what);
            let (a, b) = (model.inference().unwrap(), plain.inference().unwrap());
            near(a.std_err[(0, j + 1)], b.std_err[(0, j + 1)] * power(ey - ex), 1e-12, &what);
            near(a.t_value[(0, j + 1)], b.t_value[(0, j + 1)], 1e-12, &what);
        }
        near(model.intercept()[0], plain.intercept()[0] * power(ey), 1e-13, &what);
        near(model.summary()[0].r2, plain.summary()[0].r2, 1e-13, &what);
        near(model.summary()[0].residual_sd, plain.summary()[0].residual_sd * power(ey), 1e-13, &what);
    }
    // Columns in units of their own.
    let units = [2f64.powi(-500) * 2f64.powi(-400), 1.0, 2f64.powi(800)];
    let mixed = ols(&Mat::from_fn(80, 3, |i, j| base[(i, j)] * units[j]), &y);
    for j in 0..3 {
        near(mixed.coef()[(0, j)], plain.coef()[(0, j)] / units[j], 1e-13, "mixed units");
    }
    // Ridge with a penalty in the units of x.
    let shrunk = ridge(3.0).fit(&data(&base, &y), &Context::default()).unwrap();
    let x = Mat::from_fn(80, 3, |i, j| base[(i, j)] * 2f64.powi(300));
    let model = ridge(3.0 * 2f64.powi(600)).fit(&data(&x, &y), &Context::default()).unwrap();
    for j in 0..3 {
        near(model.coef()[(0, j)], shrunk.coef()[(0, j)] * 2f64.powi(-300), 1e-13, "ridge");
    }
    // Columns of next to nothing under a penalty: b = xᵀy / alpha.
    let tiny = Mat::from_fn(80, 3, |i, j| base[(i, j)] * 2f64.powi(-900));
    let model = ridge(1.0).fit(&data(&tiny, &y), &Context::default()).unwrap();
    let mean = y.iter().sum::<f64>() / 80.0;
    for j in 0..3 {
        let product: f64 = (0..80).map(|i| base[(i, j)] * (y[i] - mean)).sum();
        near(model.coef()[(0, j)], product * 2f64.powi(-900), 1e-12, "tiny columns");
    }
    // A coefficient that no double holds is refused by name.
    let tiny = Mat::from_fn(80, 3, |i, j| base[(i, j)] * 2f64.powi(-1000));
    let large: Vec<f64> = y.iter().map(|v| v * 2f64.powi(1000)).collect();
    assert!(matches!(Ols::default().fit(&data(&tiny, &large), &Context::default()), Err(Error::Numeric(_))));
}

#[test]
fn a_shift_moves_the_intercept_only() {
    let base = random(200, 4, 4);
    // Eighths: adding 2^30 is exact.
    let x = Mat::from_fn(200, 4, |i, j| (base[(i, j)] * 8.0).round() / 8.0);
    let y: Vec<f64> = (0..200).map(|i| x[(i, 0)] - x[(i, 2)] + (i % 11) as f64).collect();
    let shift = 2f64.powi(30);
    let moved = Mat::from_fn(200, 4, |i, j| x[(i, j)] + shift);
    let (a, b) = (ols(&x, &y), ols(&moved, &y));
    for j in 0..4 {
        near(b.coef()[(0, j)], a.coef()[(0, j)], 1e-10, "coefficient");
    }
    let expected = a.intercept()[0] - shift * a.coef().row(0).iter().sum::<f64>();
    near(b.intercept()[0], expected, 1e-9, "intercept");
}

#[test]
fn the_space_of_the_rows_gives_the_same() {
    // 40 rows and 300 columns: in memory through the rows, through the driver by columns.
    let x = random(40, 300, 5);
    let y = Mat::from_fn(40, 2, |i, k| x[(i, k)] + (i % 4) as f64 + 3.0);
    let w: Vec<f64> = (0..40).map(|i| (i % 4) as f64 * 0.5).collect();
    let cx = Context::default();
    for weight in [None, Some(&w[..])] {
        for fit_intercept in [true, false] {
            let data = Dataset::new(Features::F64(x.view())).with_target(Target::Reals(y.view())).with_weight(weight);
            for alpha in [1e-3, 1.0, 50.0] {
                let learner = Ridge { fit_intercept, ..ridge(alpha) };
                let (a, b) = (learner.fit(&data, &cx).unwrap(), drive(&learner, &data, &cx).unwrap());
                assert!(a.certificate().unwrap().method.contains("rows"));
                let size = b.coef().as_slice().iter().fold(0.0f64, |s, v| s.max(v.abs()));
                for (a, b) in a.coef().as_slice().iter().zip(b.coef().as_slice()) {
                    assert!((a - b).abs() < 1e-11 * size, "alpha {alpha}: {a} and {b}");
                }
                for k in 0..2 {
                    near(a.intercept()[k] + 100.0, b.intercept()[k] + 100.0, 1e-11, "intercept");
                    near(a.effective_df()[k], b.effective_df()[k], 1e-9, "effective degrees of freedom");
                    near(a.rss()[k], b.rss()[k], 1e-8, "rss");
                }
            }
            let learner = Ols { fit_intercept, ..Ols::default() };
            let (a, b) = (learner.fit(&data, &cx).unwrap(), drive(&learner, &data, &cx).unwrap());
            assert_eq!(a.rank(), b.rank());
            assert_eq!(a.rank(), if weight.is_some() { 30 } else { 40 } - usize::from(fit_intercept));
            for (a, b) in a.coef().as_slice().iter().zip(b.coef().as_slice()) {
                assert!((a - b).abs() < 1e-12, "{a} and {b}");
            }
            let (sa, sb) = (a.singular().unwrap(), b.singular().unwrap());
            assert_eq!(sa.len(), sb.len());
            for (a, b) in sa.iter().zip(sb) {
                assert!((a - b).abs() < 1e-6 * sa[0], "singular values {a} and {b}");
            }
        }
    }
    // Sparse rows are the same rows.
    let (mut indptr, mut indices, mut values) = (vec![0], vec![], vec![]);
    for i in 0..40 {
        indices.extend(0..300u32);
        values.extend_from_slice(x.row(i));
        indptr.push(values.len());
    }
    let sparse = Csr::new(indptr, indices, values, 300).unwrap();
    let dense = Dataset::new(Features::F64(x.view())).with_target(Target::Reals(y.view()));
    let sparse = Dataset::new(Features::Csr(sparse.view())).with_target(Target::Reals(y.view()));
    assert_eq!(ridge(1.0).fit(&dense, &cx).unwrap().coef(), ridge(1.0).fit(&sparse, &cx).unwrap().coef());
}

#[test]
fn equal_rows_that_disagree_are_averaged() {
    // Ten distinct rows of 300 columns, each twice with different targets: the fit goes through the means.
    let x = random(10, 300, 6);
    let double = Mat::from_fn(20, 300, |i, j| x[(i / 2, j)]);
    let y: Vec<f64> = (0..20).map(|i| (i / 2) as f64 + if i % 2 == 0 { 1.0 } else { -1.0 }).collect();
    let model = ols(&double, &y);
    assert_eq!(model.rank(), 9);
    let p = model.predict(&Features::F64(x.view())).unwrap();
    for i in 0..10 {
        near(p[(i, 0)] + 1.0, i as f64 + 1.0, 1e-12, "mean of two");
    }
    near(model.summary()[0].rss, 20.0, 1e-12, "rss");
}

#[test]
fn ten_rows_of_a_hundred_thousand_columns() {
    let mut rng = Stream::new(7, "wide", 0);
    let x = Mat::from_fn(10, 100_000, |_, _| rng.normal());
    let y: Vec<f64> = (0..10).map(f64::from).collect();
    let model = ols(&x, &y);
    let p = model.predict(&Features::F64(x.view())).unwrap();
    for i in 0..10 {
        near(p[(i, 0)] + 1.0, y[i] + 1.0, 1e-12, "interpolated");
    }
    let source = data(&x, &y);
    let error = drive_source(&Ols::default(), &source, &Context::default()).unwrap_err().to_string();
    assert!(error.contains("100000 columns"), "{error}");
}

#[test]
fn weights_are_counts_for_the_coefficients() {
    let x = random(90, 5, 8);
    let y: Vec<f64> = (0..90).map(|i| x[(i, 0)] + (i % 13) as f64).collect();
    let w: Vec<f64> = (0..90).map(|i| (i % 3) as f64).collect();
    let repeated: Vec<usize> = (0..90).flat_map(|i| vec![i; i % 3]).collect();
    let (xr, yr) = (x.view().take_rows(&repeated), repeated.iter().map(|&i| y[i]).collect::<Vec<_>>());
    let a = Ols::default().fit(&data(&x, &y).with_weight(Some(&w)), &Context::default()).unwrap();
    let b = ols(&xr, &yr);
    for j in 0..5 {
        near(a.coef()[(0, j)], b.coef()[(0, j)], 1e-12, "weighted");
    }
    assert_eq!((a.summary()[0].n_obs, b.summary()[0].n_obs), (60.0, 90.0));
    // Rows of weight 0 are absent, to the last bit of what they could change.
    let kept: Vec<usize> = (0..90).filter(|i| i % 3 > 0).collect();
    let (xk, yk) = (x.view().take_rows(&kept), kept.iter().map(|&i| y[i]).collect::<Vec<_>>());
    let wk: Vec<f64> = kept.iter().map(|&i| w[i]).collect();
    let c = Ols::default().fit(&data(&xk, &yk).with_weight(Some(&wk)), &Context::default()).unwrap();
    for j in 0..5 {
        near(a.coef()[(0, j)], c.coef()[(0, j)], 1e-13, "absent");
        near(a.inference().unwrap().std_err[(0, j)], c.inference().unwrap().std_err[(0, j)], 1e-12, "absent");
    }
}

/// A dataset given in runs.
struct Pieces<'a>(Dataset<'a>, usize, Schema);

impl RowSource for Pieces<'_> {
    fn schema(&self) -> &Schema {
        &self.2
    }
    fn rows(&self) -> Option<usize> {
        None
    }
    fn scan(&self, visit: &mut dyn FnMut(&Dataset<'_>) -> ermine_core::Result<Flow>) -> ermine_core::Result<()> {
        for start in (0..self.0.rows()).step_by(self.1) {
            if visit(&self.0.row_range(start..(start + self.1).min(self.0.rows())))? == Flow::Stop {
                break;
            }
        }
        Ok(())
    }
}

#[test]
fn a_stream_gives_the_bits_of_memory() {
    let x = random(20_000, 6, 9);
    let collinear = Mat::from_fn(20_000, 6, |i, j| if j == 5 { x[(i, 0)] + x[(i, 1)] } else { x[(i, j)] });
    let y: Vec<f64> = (0..20_000).map(|i| x[(i, 0)] + (i % 17) as f64).collect();
    for x in [&x, &collinear] {
        let data = data(x, &y);
        let memory = Ols::default().fit(&data, &Context::default()).unwrap();
        for step in [1000, 4096, 7777] {
            let pieces = Pieces(data, step, Schema::unnamed(6));
            let stream = drive_source(&Ols::default(), &pieces, &Context::default()).unwrap();
            assert_eq!((stream.coef(), stream.intercept()), (memory.coef(), memory.intercept()));
            assert_eq!(stream.inference(), memory.inference());
        }
        for block in [500, 6000, 20_000] {
            let other = drive_with_blocks(&Ols::default(), &data, &Context::default(), block).unwrap();
            for j in 0..6 {
                near(other.coef()[(0, j)], memory.coef()[(0, j)], 1e-11, "other blocks");
            }
        }
        for threads in [1, 2, 7] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let same = pool.install(|| Ols::default().fit(&data, &Context::default()).unwrap());
            assert_eq!(same.coef(), memory.coef());
        }
    }
}

#[test]
fn layouts_singles_and_sparse_rows_agree() {
    let single = Mat::from_fn(300, 5, |i, j| (random(1, 1, (i * 5 + j) as u64)[(0, 0)]) as f32);
    let x = Mat::from_fn(300, 5, |i, j| f64::from(single[(i, j)]));
    let y: Vec<f64> = (0..300).map(|i| x[(i, 0)] - x[(i, 4)] + (i % 5) as f64).collect();
    let base = ols(&x, &y);
    let by_columns: Vec<f64> = (0..5).flat_map(|j| x.view().col_iter(j).collect::<Vec<_>>()).collect();
    let (indptr, indices) = ((0..=300).map(|i| i * 5).collect(), (0..300).flat_map(|_| 0..5u32).collect());
    let sparse = Csr::new(indptr, indices, x.as_slice().to_vec(), 5).unwrap();
    let forms =
        [Features::F64(MatRef::col_major(&by_columns, 300, 5)), Features::F32(single.view()), Features::Csr(sparse.view())];
    for form in forms {
        let model = Ols::default().fit(&Dataset::new(form).with_target(Target::Real(&y)), &Context::default()).unwrap();
        for j in 0..5 {
            near(model.coef()[(0, j)], base.coef()[(0, j)], 1e-13, "coefficient");
        }
        let (a, b) = (model.predict(&form).unwrap(), base.predict(&Features::F64(x.view())).unwrap());
        for i in 0..300 {
            assert!((a[(i, 0)] - b[(i, 0)]).abs() < 1e-12);
        }
    }
}

/// A matrix with about one cell in `every` stored, and ones on a diagonal so that no column is empty.
fn sparse(rows: usize, cols: usize, every: usize, seed: u64) -> Csr {
    let mut rng = Stream::new(seed, "sparse", 0);
    let (mut indptr, mut indices, mut values) = (vec![0], vec![], vec![]);
    for i in 0..rows {
        for j in 0..cols {
            if i % cols == j || rng.below(every) == 0 {
                indices.push(j as u32);
                values.push(if i % cols == j { 2.0 } else { rng.normal() });
            }
        }
        indptr.push(values.len());
    }
    Csr::new(indptr, indices, values, cols).unwrap()
}

#[test]
fn sparse_rows_give_what_dense_rows_give() {
    let x = sparse(400, 60, 20, 21);
    let dense = x.view().to_dense();
    let y: Vec<f64> = (0..400).map(|i| dense[(i, 0)] - dense[(i, 59)] + (i % 7) as f64).collect();
    let w: Vec<f64> = (0..400).map(|i| (i % 5) as f64).collect();
    let cx = Context::default();
    for weight in [None, Some(&w[..])] {
        for fit_intercept in [true, false] {
            let a = Dataset::new(Features::Csr(x.view())).with_target(Target::Real(&y)).with_weight(weight);
            let b = data(&dense, &y).with_weight(weight);
            let learner = Ols { fit_intercept, ..Ols::default() };
            let (p, q) = (learner.fit(&a, &cx).unwrap(), learner.fit(&b, &cx).unwrap());
            let (e, f) = (p.inference().unwrap(), q.inference().unwrap());
            for j in 0..60 {
                assert!((p.coef()[(0, j)] - q.coef()[(0, j)]).abs() < 1e-12);
                near(e.std_err[(0, j + 1)], f.std_err[(0, j + 1)], 1e-11, "standard error");
            }
            assert_eq!(p.summary()[0].df_resid, q.summary()[0].df_resid);
            near(p.summary()[0].log_likelihood, q.summary()[0].log_likelihood, 1e-12, "log-likelihood");
        }
    }
    // Not finite, and beyond the squares.
    let view = x.view();
    let scaled = |f: &dyn Fn(usize, f64) -> f64| {
        let (mut indptr, mut indices, mut values) = (vec![0], vec![], vec![]);
        for i in 0..400 {
            let (j, v) = view.row(i);
            indices.extend_from_slice(j);
            values.extend(v.iter().map(|v| f(i, *v)));
            indptr.push(values.len());
        }
        Csr::new(indptr, indices, values, 60).unwrap()
    };
    let fit = |x: &Csr| Ols::default().fit(&Dataset::new(Features::Csr(x.view())).with_target(Target::Real(&y)), &cx);
    let bad = scaled(&|i, v| if i == 17 { f64::NAN } else { v });
    assert!(matches!(fit(&bad), Err(Error::NotFinite { row: 17, .. })));
    let plain = fit(&x).unwrap();
    for power in [700, -700] {
        let large = fit(&scaled(&|_, v| v * 2f64.powi(power))).unwrap();
        for j in 0..60 {
            let expected = plain.coef()[(0, j)] * 2f64.powi(-power);
            assert!((large.coef()[(0, j)] - expected).abs() < 1e-12 * 2f64.powi(-power));
        }
    }
}

#[test]
fn many_sparse_columns_are_solved_by_steps() {
    let x = sparse(1300, 1100, 100, 22);
    let y = Mat::from_fn(1300, 2, |i, k| (i % (5 + k)) as f64);
    let data = Dataset::new(Features::Csr(x.view())).with_target(Target::Reals(y.view()));
    let cx = Context::default();
    for fit_intercept in [true, false] {
        let learner = Ridge { fit_intercept, ..ridge(0.5) };
        let (a, b) = (learner.fit(&data, &cx).unwrap(), drive(&learner, &data, &cx).unwrap());
        let certificate = a.certificate().unwrap();
        assert!(certificate.method == "conjugate gradients" && certificate.converged, "{certificate:?}");
        for (a, b) in a.coef().as_slice().iter().zip(b.coef().as_slice()) {
            assert!((a - b).abs() < 1e-10, "{a} and {b}");
        }
        near(a.rss()[0], b.rss()[0], 1e-10, "rss");
    }
    let model = Ols::default().fit(&data, &cx).unwrap();
    assert!(model.certificate().unwrap().converged, "{:?}", model.certificate());
}

#[test]
fn each_target_is_fitted_alone() {
    let x = random(100, 4, 10);
    let y = Mat::from_fn(100, 3, |i, k| x[(i, k)] * (k + 1) as f64 + (i % (k + 2)) as f64);
    let data = Dataset::new(Features::F64(x.view())).with_target(Target::Reals(y.view()));
    let cx = Context::default();
    let all = Ols::default().fit(&data, &cx).unwrap();
    let each = Ridge { alpha: Alpha::Each(vec![0.5, 2.0, 0.5]), ..Ridge::default() }.fit(&data, &cx).unwrap();
    for k in 0..3 {
        let column: Vec<f64> = y.view().col_iter(k).collect();
        let one = ols(&x, &column);
        let shrunk = ridge([0.5, 2.0, 0.5][k]).fit(&self::data(&x, &column), &cx).unwrap();
        for j in 0..4 {
            near(all.coef()[(k, j)], one.coef()[(0, j)], 1e-12, "ols");
            near(each.coef()[(k, j)], shrunk.coef()[(0, j)], 1e-12, "ridge");
        }
    }
    let wrong = Ridge { alpha: Alpha::Each(vec![1.0, 2.0]), ..Ridge::default() }.fit(&data, &cx);
    assert!(matches!(wrong, Err(Error::Length { expected: 3, found: 2, .. })));
    assert_eq!(all.predict(&Features::F64(x.view())).unwrap().cols(), 3);
}

#[test]
fn ridge_without_penalty_is_least_squares() {
    let x = random(50, 3, 11);
    let dependent = Mat::from_fn(50, 5, |i, j| x[(i, j % 3)]);
    let y: Vec<f64> = (0..50).map(|i| x[(i, 0)] + (i % 4) as f64).collect();
    for x in [&x, &dependent] {
        let model = ridge(0.0).fit(&data(x, &y), &Context::default()).unwrap();
        assert_eq!(model.coef(), ols(x, &y).coef());
    }
}

#[test]
fn signs_are_kept_and_the_conditions_certified() {
    let x = random(120, 8, 12);
    let y: Vec<f64> = (0..120).map(|i| x[(i, 0)] - x[(i, 1)] + 0.5 * x[(i, 2)] + 10.0).collect();
    let cx = Context::default();
    for alpha in [0.0, 5.0] {
        let model = Ridge { positive: true, ..ridge(alpha) }.fit(&data(&x, &y), &cx).unwrap();
        assert!(model.coef().row(0).iter().all(|b| *b >= 0.0) && model.coef()[(0, 1)] == 0.0);
        assert!(model.certificate().unwrap().kkt_residual.unwrap() < 1e-14);
    }
    // Where no sign binds, the constraint changes nothing.
    let y: Vec<f64> = (0..120).map(|i| (0..8).map(|j| (j + 1) as f64 * x[(i, j)]).sum::<f64>() + (i % 3) as f64).collect();
    let model = Ols { positive: true, ..Ols::default() }.fit(&data(&x, &y), &cx).unwrap();
    for j in 0..8 {
        near(model.coef()[(0, j)], ols(&x, &y).coef()[(0, j)], 1e-12, "free");
    }
}

#[test]
fn cells_that_are_not_numbers_are_named() {
    let schema = Schema::numbers(["height", "weight", "age"]);
    for bad in [f64::NAN, f64::INFINITY] {
        for (rows, cols) in [(10, 3), (5000, 3)] {
            let mut x = random(rows, cols, 13);
            x[(rows - 2, 1)] = bad;
            let y = vec![1.0; rows];
            let error = Ols::default().fit(&data(&x, &y).with_schema(Some(&schema)), &Context::default()).unwrap_err();
            assert!(
                matches!(&error, Error::NotFinite { column, row, .. } if column == "\"weight\"" && *row == rows - 2),
                "{error}"
            );
        }
        let mut wide = random(4, 400, 14);
        wide[(3, 399)] = bad;
        let error = ridge(1.0).fit(&data(&wide, &[1.0; 4]), &Context::default()).unwrap_err();
        assert!(matches!(&error, Error::NotFinite { row: 3, .. }), "{error}");
    }
    let model = ols(&random(10, 3, 15), &(0..10).map(f64::from).collect::<Vec<_>>());
    let mut x = random(2, 3, 16);
    x[(1, 2)] = f64::NAN;
    assert!(matches!(model.predict(&Features::F64(x.view())), Err(Error::NotFinite { row: 1, .. })));
    assert!(matches!(model.predict(&Features::F64(random(2, 4, 17).view())), Err(Error::Columns { expected: 3, found: 4 })));
}

#[test]
fn one_row_and_few_rows() {
    let x = random(1, 2, 18);
    let model = ols(&x, &[5.0]);
    assert_eq!((model.coef().row(0), model.intercept()), (&[0.0, 0.0][..], &[5.0][..]));
    assert!(model.inference().is_none());
    let x = random(3, 2, 19);
    let model = ols(&x, &[1.0, 2.0, 4.0]);
    let p = model.predict(&Features::F64(x.view())).unwrap();
    for (i, y) in [1.0, 2.0, 4.0].into_iter().enumerate() {
        near(p[(i, 0)], y, 1e-13, "through three points");
    }
    assert!(model.inference().is_none() && model.summary()[0].residual_sd.is_nan());
}

#[test]
fn one_column_has_a_closed_form() {
    let x = random(30, 1, 40);
    let y: Vec<f64> = (0..30).map(|i| 3.0 - 2.0 * x[(i, 0)] + 0.3 * ((i * 7) % 5) as f64).collect();
    let (mx, my) = (x.as_slice().iter().sum::<f64>() / 30.0, y.iter().sum::<f64>() / 30.0);
    let sxy: f64 = x.as_slice().iter().zip(&y).map(|(x, y)| (x - mx) * (y - my)).sum();
    let sxx: f64 = x.as_slice().iter().map(|x| (x - mx) * (x - mx)).sum();
    let model = ols(&x, &y);
    near(model.coef()[(0, 0)], sxy / sxx, 1e-13, "slope");
    near(model.intercept()[0], my - sxy / sxx * mx, 1e-13, "intercept");
    // Residuals: mean 0, and no correlation with the column.
    let check = model.residual_checks().unwrap()[0];
    assert!(check.mean.abs() < 1e-14 && check.correlation < 1e-14, "{check:?}");
    let through_zero = Ols { fit_intercept: false, ..Ols::default() }.fit(&data(&x, &y), &Context::default()).unwrap();
    let (xy, xx): (f64, f64) = (x.as_slice().iter().zip(&y).map(|(x, y)| x * y).sum(), x.as_slice().iter().map(|x| x * x).sum());
    near(through_zero.coef()[(0, 0)], xy / xx, 1e-13, "slope through zero");
    assert!(through_zero.residual_checks().unwrap()[0].mean.is_nan());
}

#[test]
fn residuals_are_free_of_the_columns_however_the_problem_is_solved() {
    // Well conditioned, nearly dependent (double-double), large.
    for (rows, cols, near) in [(50, 4, false), (50, 4, true), (30_000, 5, false), (30_000, 5, true)] {
        let mut x = random(rows, cols, 41);
        if near {
            (0..rows).for_each(|i| x[(i, 3)] = x[(i, 0)] + 1e-6 * x[(i, 3)]);
        }
        let y: Vec<f64> = (0..rows).map(|i| 100.0 + x[(i, 0)] + x[(i, 1)] + ((i * 13) % 7) as f64).collect();
        let model = ols(&x, &y);
        let check = model.residual_checks().unwrap()[0];
        assert!(check.mean.abs() < 1e-11 && check.correlation < 1e-10, "{check:?}");
    }
}

#[test]
fn intervals_have_the_confidence_that_was_asked_for() {
    let x = random(40, 2, 42);
    let y: Vec<f64> = (0..40).map(|i| x[(i, 0)] + ((i * 13) % 7) as f64).collect();
    let usual = ols(&x, &y);
    let wide = Ols { confidence: 0.99, ..Ols::default() }.fit(&data(&x, &y), &Context::default()).unwrap();
    let half = |m: &OlsModel, j: usize| m.inference().unwrap().conf_high[(0, j)] - m.inference().unwrap().conf_low[(0, j)];
    // Quantiles of Student's t with 37 degrees of freedom, from a table: 2.026192463 and 2.715408721.
    for j in 0..3 {
        near(half(&wide, j) / half(&usual, j), 2.715_408_721 / 2.026_192_463, 1e-8, "width");
    }
    assert!(format!("{:?}", wide.report(&Schema::unnamed(2))).contains("99% low"));
    assert!(Ols { confidence: 1.0, ..Ols::default() }.fit(&data(&x, &y), &Context::default()).is_err());
}

#[test]
fn the_family_holds_all_minimisers_and_nothing_else() {
    // Copies and sums of columns; a constant column; more columns than rows, few and many.
    let base = random(20, 3, 43);
    let dependent = Mat::from_fn(20, 5, |i, j| match j {
        0..3 => base[(i, j)] + 10.0 * j as f64,
        3 => base[(i, 0)] - 2.0 * base[(i, 1)],
        _ => 4.0,
    });
    let cases = [(dependent, 3), (random(6, 9, 44), 5), (random(8, 300, 45), 7), (random(40, 4, 46), 4)];
    for (x, rank) in cases {
        let (n, p) = (x.rows(), x.cols());
        let y: Vec<f64> = (0..n).map(|i| x[(i, 0)] + ((i * 7) % 5) as f64).collect();
        for fit_intercept in [true, false] {
            let model = Ols { family: true, fit_intercept, ..Ols::default() }.fit(&data(&x, &y), &Context::default()).unwrap();
            if fit_intercept {
                assert_eq!(model.rank(), rank);
            }
            let error = |coef: &[f64], intercept: f64| -> f64 {
                let fitted = |i: usize| intercept + x.row(i).iter().zip(coef).map(|(x, b)| x * b).sum::<f64>();
                (0..n).map(|i| (y[i] - fitted(i)).powi(2)).sum()
            };
            let least = error(model.coef().row(0), model.intercept()[0]);
            let size: f64 = y.iter().map(|v| v * v).sum();
            let u: Vec<f64> = random(1, p, 47).as_slice().iter().map(|v| 3.0 * v).collect();
            let (coef, intercept) = model.solution(0, &u).unwrap();
            assert!((error(&coef, intercept) - least).abs() <= 1e-12 * size, "{} {least}", error(&coef, intercept));
            let length = |b: &[f64]| b.iter().map(|v| v * v).sum::<f64>();
            assert!(length(&coef) >= length(model.coef().row(0)) * (1.0 - 1e-12));
            assert_eq!(model.solution(0, &vec![0.0; p]).unwrap().0, model.coef().row(0));
            assert!(model.solution(1, &u).is_none() && model.solution(0, &u[1..]).is_none());
            let Some(null) = model.null_space() else {
                assert_eq!(model.rank(), p);
                assert_eq!(coef, model.coef().row(0));
                continue;
            };
            assert_eq!((null.rows(), null.cols()), (p - model.rank(), p));
            for a in 0..null.rows().min(20) {
                for b in 0..null.rows().min(20) {
                    let product: f64 = null.row(a).iter().zip(null.row(b)).map(|(a, b)| a * b).sum();
                    assert!((product - f64::from(u8::from(a == b))).abs() < 1e-12);
                }
                // Without effect on the fit, and the shortest solution has nothing of it.
                let moved: Vec<f64> = model.coef().row(0).iter().zip(null.row(a)).map(|(c, v)| c + v).collect();
                let mean: f64 = (0..p).map(|j| x.view().col_iter(j).sum::<f64>() / n as f64 * null[(a, j)]).sum();
                let intercept = if fit_intercept { model.intercept()[0] - mean } else { 0.0 };
                assert!((error(&moved, intercept) - least).abs() <= 1e-11 * size);
                let along: f64 = model.coef().row(0).iter().zip(null.row(a)).map(|(a, b)| a * b).sum();
                assert!(along.abs() <= 1e-11 * length(model.coef().row(0)).sqrt());
            }
            let back = Ols::load(&saved(&model)).unwrap();
            assert_eq!(back.solution(0, &u), model.solution(0, &u));
        }
    }
    assert!(ols(&random(6, 9, 44), &[0.0; 6]).null_space().is_none());
}

fn saved(model: &impl Model) -> ermine_core::ModelReader {
    let mut out = ModelWriter::default();
    model.save(&mut out).unwrap();
    out.into_reader()
}

#[test]
fn saved_and_loaded_it_predicts_the_same_bits() {
    let x = random(40, 3, 20);
    let y: Vec<f64> = (0..40).map(|i| x[(i, 0)] + (i % 3) as f64).collect();
    let features = Features::F64(x.view());
    let model = ols(&x, &y);
    let back = Ols::load(&saved(&model)).unwrap();
    assert_eq!(back.predict(&features).unwrap(), model.predict(&features).unwrap());
    assert_eq!((back.inference(), back.summary()), (model.inference(), model.summary()));
    assert_eq!(back.report(&Schema::unnamed(3)), model.report(&Schema::unnamed(3)));
    let model: RidgeModel = ridge(1.0).fit(&data(&x, &y), &Context::default()).unwrap();
    assert_eq!(Ridge::load(&saved(&model)).unwrap().predict(&features).unwrap(), model.predict(&features).unwrap());
    // Arrays that do not belong together are refused.
    let mut out = ModelWriter::default();
    model.save(&mut out).unwrap();
    out.vec("intercept", &[1.0, 2.0]);
    assert!(Ridge::load(&out.into_reader()).is_err());
}

#[test]
fn the_blocks_depend_on_nothing_but_the_columns() {
    assert_eq!(Ols::default().block_rows(50), Ridge::default().block_rows(50));
}
