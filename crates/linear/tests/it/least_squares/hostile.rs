//! Columns that depend on each other, units far from one, few rows, cells that are no numbers.

use super::*;

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
        let model = Ols { fit_intercept: false, ..Ols::default() }.fit_with(&data(&x, &y), &Context::default()).unwrap();
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
        // Ridge: the optimality conditions hold as well as coefficients in f64 can fulfill them.
        let alpha = 0.125;
        let model = ridge(alpha).fit_with(&data(&x, &y), &Context::default()).unwrap();
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
    let shrunk = ridge(3.0).fit_with(&data(&base, &y), &Context::default()).unwrap();
    let x = Mat::from_fn(80, 3, |i, j| base[(i, j)] * 2f64.powi(300));
    let model = ridge(3.0 * 2f64.powi(600)).fit_with(&data(&x, &y), &Context::default()).unwrap();
    for j in 0..3 {
        near(model.coef()[(0, j)], shrunk.coef()[(0, j)] * 2f64.powi(-300), 1e-13, "ridge");
    }
    // Columns of next to nothing under a penalty: b = xᵀy / alpha.
    let tiny = Mat::from_fn(80, 3, |i, j| base[(i, j)] * 2f64.powi(-900));
    let model = ridge(1.0).fit_with(&data(&tiny, &y), &Context::default()).unwrap();
    let mean = y.iter().sum::<f64>() / 80.0;
    for j in 0..3 {
        let product: f64 = (0..80).map(|i| base[(i, j)] * (y[i] - mean)).sum();
        near(model.coef()[(0, j)], product * 2f64.powi(-900), 1e-12, "tiny columns");
    }
    // A coefficient that no double holds is refused by name.
    let tiny = Mat::from_fn(80, 3, |i, j| base[(i, j)] * 2f64.powi(-1000));
    let large: Vec<f64> = y.iter().map(|v| v * 2f64.powi(1000)).collect();
    assert!(matches!(Ols::default().fit_with(&data(&tiny, &large), &Context::default()), Err(Error::Numeric(_))));
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
    let mut rng = RngStream::new(7, "wide", 0);
    let x = Mat::from_fn(10, 100_000, |_, _| rng.normal());
    let y: Vec<f64> = (0..10).map(f64::from).collect();
    let model = ols(&x, &y);
    let p = model.predict(&Features::F64(x.view())).unwrap();
    for i in 0..10 {
        near(p[(i, 0)] + 1.0, y[i] + 1.0, 1e-12, "interpolated");
    }
    let source = data(&x, &y);
    let error = run_passes_source(&Ols::default(), &source, &Context::default()).unwrap_err().to_string();
    assert!(error.contains("100000 columns"), "{error}");
}

#[test]
fn cells_that_are_not_numbers_are_named() {
    let schema = Schema::numbers(["height", "weight", "age"]);
    for bad in [f64::NAN, f64::INFINITY] {
        for (rows, cols) in [(10, 3), (5000, 3)] {
            let mut x = random(rows, cols, 13);
            x[(rows - 2, 1)] = bad;
            let y = vec![1.0; rows];
            let error = Ols::default().fit_with(&data(&x, &y).with_schema(Some(&schema)), &Context::default()).unwrap_err();
            assert!(
                matches!(&error, Error::NotFinite { column, row, .. } if column == "\"weight\"" && *row == rows - 2),
                "{error}"
            );
        }
        let mut wide = random(4, 400, 14);
        wide[(3, 399)] = bad;
        let error = ridge(1.0).fit_with(&data(&wide, &[1.0; 4]), &Context::default()).unwrap_err();
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
