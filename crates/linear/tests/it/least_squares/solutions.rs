//! What a solution is: conditions of optimality, closed forms, intervals, the family of minimizers.

use super::*;

#[test]
fn the_space_of_the_rows_gives_the_same() {
    // 40 rows and 300 columns: in memory through the rows, through the driver by columns.
    let x = random(40, 300, 5);
    let y = Mat::from_fn(40, 2, |i, k| x[(i, k)] + (i % 4) as f64 + 3.0);
    let w: Vec<f64> = (0..40).map(|i| (i % 4) as f64 * 0.5).collect();
    let cx = Context::default();
    for weight in [None, Some(&w[..])] {
        for fit_intercept in [true, false] {
            let data = DatasetRef::new(Features::F64(x.view())).with_target(Target::Reals(y.view())).with_weight(weight);
            for alpha in [1e-3, 1.0, 50.0] {
                let learner = Ridge { fit_intercept, ..ridge(alpha) };
                let (a, b) = (learner.fit_with(&data, &cx).unwrap(), run_passes(&learner, &data, &cx).unwrap());
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
            let (a, b) = (learner.fit_with(&data, &cx).unwrap(), run_passes(&learner, &data, &cx).unwrap());
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
    let dense = DatasetRef::new(Features::F64(x.view())).with_target(Target::Reals(y.view()));
    let sparse = DatasetRef::new(Features::Csr(sparse.view())).with_target(Target::Reals(y.view()));
    assert_eq!(ridge(1.0).fit_with(&dense, &cx).unwrap().coef(), ridge(1.0).fit_with(&sparse, &cx).unwrap().coef());
}

#[test]
fn ridge_without_penalty_is_least_squares() {
    let x = random(50, 3, 11);
    let dependent = Mat::from_fn(50, 5, |i, j| x[(i, j % 3)]);
    let y: Vec<f64> = (0..50).map(|i| x[(i, 0)] + (i % 4) as f64).collect();
    for x in [&x, &dependent] {
        let model = ridge(0.0).fit_with(&data(x, &y), &Context::default()).unwrap();
        assert_eq!(model.coef(), ols(x, &y).coef());
    }
}

#[test]
fn signs_are_kept_and_the_conditions_certified() {
    let x = random(120, 8, 12);
    let y: Vec<f64> = (0..120).map(|i| x[(i, 0)] - x[(i, 1)] + 0.5 * x[(i, 2)] + 10.0).collect();
    let cx = Context::default();
    for alpha in [0.0, 5.0] {
        let model = Ridge { positive: true, ..ridge(alpha) }.fit_with(&data(&x, &y), &cx).unwrap();
        assert!(model.coef().row(0).iter().all(|b| *b >= 0.0) && model.coef()[(0, 1)] == 0.0);
        assert!(model.certificate().unwrap().kkt_residual.unwrap() < 1e-14);
    }
    // Where no sign binds, the constraint changes nothing.
    let y: Vec<f64> = (0..120).map(|i| (0..8).map(|j| (j + 1) as f64 * x[(i, j)]).sum::<f64>() + (i % 3) as f64).collect();
    let model = Ols { positive: true, ..Ols::default() }.fit_with(&data(&x, &y), &cx).unwrap();
    for j in 0..8 {
        near(model.coef()[(0, j)], ols(&x, &y).coef()[(0, j)], 1e-12, "free");
    }
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
    let through_zero = Ols { fit_intercept: false, ..Ols::default() }.fit_with(&data(&x, &y), &Context::default()).unwrap();
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
    let wide = Ols { confidence: 0.99, ..Ols::default() }.fit_with(&data(&x, &y), &Context::default()).unwrap();
    let half = |m: &OlsModel, j: usize| m.inference().unwrap().conf_high[(0, j)] - m.inference().unwrap().conf_low[(0, j)];
    // Quantiles of Student's t with 37 degrees of freedom, from a table: 2.026192463 and 2.715408721.
    for j in 0..3 {
        near(half(&wide, j) / half(&usual, j), 2.715_408_721 / 2.026_192_463, 1e-8, "width");
    }
    assert!(format!("{:?}", wide.report(&Schema::unnamed(2))).contains("99% low"));
    assert!(Ols { confidence: 1.0, ..Ols::default() }.fit_with(&data(&x, &y), &Context::default()).is_err());
}

#[test]
fn the_family_holds_all_minimizers_and_nothing_else() {
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
            let model =
                Ols { family: true, fit_intercept, ..Ols::default() }.fit_with(&data(&x, &y), &Context::default()).unwrap();
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
