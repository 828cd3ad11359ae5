//! The penalty of ridge chosen from a grid: every error against explicit refits.

use ermine_core::splits::k_fold;
use ermine_core::{
    Context, Csr, DatasetRef, Features, Learner, Mat, Model, ModelWriter, Regressor, RngStream, Schema, Section, Target,
    run_passes_source,
};
use ermine_fixtures::ChunkedSource;
use ermine_linear::{Ols, Ridge, RidgeAlpha, RidgeCv, RidgeModel};

const ALPHAS: [f64; 4] = [0.03, 0.7, 11.0, 400.0];

fn loo(alphas: &[f64]) -> Ridge {
    Ridge { alpha: RidgeAlpha::Chosen(RidgeCv::Loo), alphas: Some(alphas.to_vec()), store_cv_results: true, ..Ridge::default() }
}

fn random(rows: usize, cols: usize, seed: u64) -> Mat<f64> {
    let mut rng = RngStream::new(seed, "ridge path test", 0);
    Mat::from_fn(rows, cols, |_, _| rng.normal())
}

/// Targets that depend on some columns, one column per target.
fn targets(x: &Mat<f64>, count: usize, seed: u64) -> Mat<f64> {
    let mut rng = RngStream::new(seed, "ridge path targets", 0);
    Mat::from_fn(x.rows(), count, |i, k| 3.0 + x[(i, k)] - 2.0 * x[(i, (k + 1) % x.cols())] + rng.normal())
}

/// The error of each row when it is left out, from as many fits as rows: one row per row, target after target.
fn refits(ridge: &Ridge, data: &DatasetRef<'_>, alphas: &[f64]) -> Mat<f64> {
    let t = data.y.n_targets();
    let y = data.y.reals().unwrap();
    let mut out = Mat::filled(data.rows(), t * alphas.len(), f64::NAN);
    for i in (0..data.rows()).filter(|&i| data.weight_of(i) > 0.0) {
        let others: Vec<usize> = (0..data.rows()).filter(|&r| r != i).collect();
        let (train, test) = (data.take_rows(&others), data.take_rows(&[i]));
        for (a, &alpha) in alphas.iter().enumerate() {
            let ridge = Ridge { alpha: RidgeAlpha::One(alpha), store_cv_results: false, ..ridge.clone() };
            let model = ridge.fit_with(&train.view(), &Context::default()).unwrap();
            let p = model.predict(&test.view().x).unwrap();
            (0..t).for_each(|k| out[(i, k * alphas.len() + a)] = y.at(i, k) - p[(0, k)]);
        }
    }
    out
}

/// Checks residuals, errors and the choice against explicit refits, to `rel` of the spread of the residuals.
#[track_caller]
fn check(ridge: &Ridge, data: &DatasetRef<'_>, rel: f64, what: &str) -> RidgeModel {
    let alphas = ridge.alphas.as_ref().unwrap();
    let model = ridge.fit_with(data, &Context::default()).unwrap();
    let path = model.path().unwrap();
    let explicit = refits(ridge, data, alphas);
    let residuals = path.residuals.as_ref().unwrap();
    assert_eq!((residuals.rows(), residuals.cols()), (explicit.rows(), explicit.cols()), "{what}");
    let size = explicit.as_slice().iter().filter(|v| v.is_finite()).fold(0.0f64, |s, v| s.max(v.abs()));
    for (i, (a, b)) in residuals.as_slice().iter().zip(explicit.as_slice()).enumerate() {
        assert!(a.is_nan() && b.is_nan() || (a - b).abs() <= rel * size, "{what}, element {i}: {a} against {b}");
    }
    let total = data.total_weight();
    for k in 0..data.y.n_targets() {
        for a in 0..alphas.len() {
            let square = |i: usize| data.weight_of(i) * explicit[(i, k * alphas.len() + a)].powi(2);
            let mean: f64 = (0..data.rows()).filter(|&i| data.weight_of(i) > 0.0).map(square).sum::<f64>() / total;
            assert!((path.error[(k, a)] / mean - 1.0).abs() <= 4.0 * rel, "{what}: {} for {mean}", path.error[(k, a)]);
        }
    }
    let sum = |a: usize| (0..data.y.n_targets()).map(|k| path.error[(k, a)]).sum::<f64>();
    if !ridge.alpha_per_target {
        let best = (0..alphas.len()).min_by(|&a, &b| sum(a).total_cmp(&sum(b))).unwrap();
        assert_eq!(model.alpha(), [alphas[best]], "{what}");
        let plain = Ridge { alpha: RidgeAlpha::One(alphas[best]), ..ridge.clone() }.fit_with(data, &Context::default()).unwrap();
        for (a, b) in model.coef().as_slice().iter().zip(plain.coef().as_slice()) {
            assert!((a - b).abs() <= 1e-10 * b.abs().max(1e-3), "{what}: {a} against {b}");
        }
        let at = path.alphas.iter().position(|a| *a == alphas[best]).unwrap();
        assert!((path.df[at] - plain.effective_df()[0]).abs() < 1e-9 * (1.0 + path.df[at]), "{what}");
    }
    model
}

#[test]
fn every_row_is_missed_by_what_its_refit_misses() {
    for (rows, cols) in [(40, 5), (12, 11), (9, 14), (2, 1), (3, 3), (20, 300)] {
        let x = random(rows, cols, 1);
        let y = targets(&x, 1, 2);
        let weight: Vec<f64> = (0..rows).map(|i| [0.5, 2.0, 1.0, 3.0][i % 4]).collect();
        for fit_intercept in [true, false] {
            let ridge = Ridge { fit_intercept, ..loo(&ALPHAS) };
            let data = DatasetRef::new(Features::F64(x.view())).with_target(Target::Reals(y.view()));
            check(&ridge, &data, 1e-10, &format!("{rows} x {cols}"));
            check(&ridge, &data.with_weight(Some(&weight)), 1e-10, &format!("{rows} x {cols}, weights"));
        }
    }
}

#[test]
fn rows_without_weight_are_absent() {
    for (rows, cols) in [(30, 4), (8, 12)] {
        let x = random(rows, cols, 3);
        let y = targets(&x, 2, 4);
        let weight: Vec<f64> = (0..rows).map(|i| if i % 5 == 2 { 0.0 } else { 1.0 + (i % 3) as f64 }).collect();
        let data = DatasetRef::new(Features::F64(x.view())).with_target(Target::Reals(y.view())).with_weight(Some(&weight));
        let model = check(&loo(&ALPHAS), &data, 1e-10, "zero weights");
        let kept: Vec<usize> = (0..rows).filter(|&i| weight[i] > 0.0).collect();
        let fewer = loo(&ALPHAS).fit_with(&data.take_rows(&kept).view(), &Context::default()).unwrap();
        for (a, b) in model.path().unwrap().error.as_slice().iter().zip(fewer.path().unwrap().error.as_slice()) {
            assert!((a / b - 1.0).abs() < 1e-12, "{a} {b}");
        }
    }
}

#[test]
fn means_far_from_zero_and_nearly_dependent_columns_do_no_harm() {
    let mut x = random(25, 4, 5);
    for i in 0..25 {
        x[(i, 0)] += 1e6;
        x[(i, 3)] = x[(i, 1)] + 1e-7 * x[(i, 3)];
    }
    let y = targets(&random(25, 4, 5), 1, 6);
    check(
        &loo(&ALPHAS),
        &DatasetRef::new(Features::F64(x.view())).with_target(Target::Reals(y.view())),
        1e-7,
        "far and dependent",
    );
}

#[test]
fn targets_choose_together_or_each_for_itself() {
    let x = random(60, 6, 7);
    let mut rng = RngStream::new(8, "noise", 0);
    // The first target is nearly exact, the second nothing but noise.
    let y = Mat::from_fn(60, 2, |i, k| if k == 0 { x[(i, 0)] + 1e-3 * rng.normal() } else { rng.normal() });
    let data = DatasetRef::new(Features::F64(x.view())).with_target(Target::Reals(y.view()));
    check(&loo(&ALPHAS), &data, 1e-10, "together");
    let each = check(&Ridge { alpha_per_target: true, ..loo(&ALPHAS) }, &data, 1e-10, "each");
    assert_eq!(each.alpha(), [0.03, 400.0]);
    let direct =
        Ridge { alpha: RidgeAlpha::Each(vec![0.03, 400.0]), ..Ridge::default() }.fit_with(&data, &Context::default()).unwrap();
    assert_eq!(each.coef(), direct.coef());
}

#[test]
fn sparse_rows_and_f32() {
    for (rows, cols) in [(50, 8), (7, 30), (15, 400)] {
        let mut rng = RngStream::new(9, "sparse", 0);
        let dense = Mat::from_fn(rows, cols, |i, j| if (i * 7 + j * 3) % 5 == 0 { rng.normal() } else { 0.0 });
        let (mut indptr, mut indices, mut values) = (vec![0usize], Vec::new(), Vec::new());
        for i in 0..rows {
            for j in (0..cols).filter(|&j| dense[(i, j)] != 0.0) {
                indices.push(j as u32);
                values.push(dense[(i, j)]);
            }
            indptr.push(indices.len());
        }
        let csr = Csr::new(indptr, indices, values, cols).unwrap();
        let y = targets(&random(rows, cols, 10), 1, 11);
        let sparse = DatasetRef::new(Features::Csr(csr.view())).with_target(Target::Reals(y.view()));
        check(&loo(&ALPHAS), &sparse, 1e-10, "sparse");
        let x_f32 = Mat::from_fn(rows, cols, |i, j| dense[(i, j)] as f32);
        let data = DatasetRef::new(Features::F32(x_f32.view())).with_target(Target::Reals(y.view()));
        check(&loo(&ALPHAS), &data, 1e-10, "f32");
    }
}

#[test]
fn a_stream_chooses_the_same_with_the_same_bits() {
    let x = random(10_000, 3, 12);
    let y = targets(&x, 1, 13);
    let data = DatasetRef::new(Features::F64(x.view())).with_target(Target::Reals(y.view()));
    let memory = loo(&ALPHAS).fit_with(&data, &Context::default()).unwrap();
    let streamed = run_passes_source(&loo(&ALPHAS), &ChunkedSource::new(data, &[7]), &Context::default()).unwrap();
    assert_eq!((memory.path(), memory.coef()), (streamed.path(), streamed.coef()));
    let cv = Ridge { alpha: RidgeAlpha::Chosen(RidgeCv::Cv), ..Ridge::default() };
    assert!(
        run_passes_source(&cv, &ChunkedSource::new(data, &[7]), &Context::default()).unwrap_err().to_string().contains("loo")
    );
}

#[test]
fn the_automatic_grid_spans_the_spectrum() {
    let x = random(80, 5, 14);
    let y = targets(&x, 1, 15);
    let data = DatasetRef::new(Features::F64(x.view())).with_target(Target::Reals(y.view()));
    let ridge = Ridge { alpha: RidgeAlpha::Chosen(RidgeCv::Loo), ..Ridge::default() };
    let model = ridge.fit_with(&data, &Context::default()).unwrap();
    let path = model.path().unwrap();
    assert_eq!(path.alphas.len(), 101);
    assert!(path.df.windows(2).all(|w| w[0] < w[1]) && path.df[0] < 0.1 && path.df[100] > 4.999);
    // The same at any scale of the columns, with the square of the scale.
    for scale in [1e-6, 1e-120, 1e120] {
        let scaled = Mat::from_fn(80, 5, |i, j| x[(i, j)] * scale);
        let other = ridge.fit_with(&DatasetRef { x: Features::F64(scaled.view()), ..data }, &Context::default()).unwrap();
        assert!((other.alpha()[0] / scale / scale / model.alpha()[0] - 1.0).abs() < 1e-9, "{scale}");
    }
    let report = model.report(&Schema::default());
    assert_eq!(report.sections.iter().filter(|s| matches!(s, Section::Plot { .. })).count(), 2);
    let notes = &model.certificate().unwrap().notes;
    assert!(notes[0].contains("least leave-one-out error of 101"), "{notes:?}");
}

#[test]
fn folds_are_predicted_from_the_others() {
    for (rows, cols) in [(41, 4), (11, 20)] {
        let x = random(rows, cols, 16);
        let y = targets(&x, 2, 17);
        let weight: Vec<f64> = (0..rows).map(|i| 1.0 + (i % 3) as f64).collect();
        let data = DatasetRef::new(Features::F64(x.view())).with_target(Target::Reals(y.view())).with_weight(Some(&weight));
        let ridge = Ridge { alpha: RidgeAlpha::Chosen(RidgeCv::Cv), cv: 3, ..loo(&ALPHAS) };
        let model = ridge.fit_with(&data, &Context { seed: 5, ..Context::default() }).unwrap();
        let path = model.path().unwrap();
        let folds = k_fold(rows, 3, 5).unwrap();
        for (a, &alpha) in ALPHAS.iter().enumerate() {
            let mut mean = [0.0; 2];
            for fold in 0..3 {
                let (train, test) = folds.round(fold);
                let (train, test) = (data.take_rows(&train), data.take_rows(&test));
                let plain = Ridge { alpha: RidgeAlpha::One(alpha), ..Ridge::default() };
                let p = plain.fit_with(&train.view(), &Context::default()).unwrap().predict(&test.view().x).unwrap();
                let (test, y) = (test.view(), test.view().y.reals().unwrap().to_owned());
                for (k, mean) in mean.iter_mut().enumerate() {
                    let sum: f64 = (0..test.rows()).map(|i| test.weight_of(i) * (y[(i, k)] - p[(i, k)]).powi(2)).sum();
                    *mean += sum / test.total_weight() / 3.0;
                }
            }
            for (k, mean) in mean.iter().enumerate() {
                assert!((path.error[(k, a)] / mean - 1.0).abs() < 1e-10, "{} for {mean}", path.error[(k, a)]);
            }
        }
        assert!(path.residuals.as_ref().unwrap().as_slice().iter().all(|v| v.is_finite()));
    }
}

#[test]
fn hostile_data_gets_an_answer_or_a_reason() {
    let x = random(20, 3, 18);
    let y = targets(&x, 1, 19);
    let auto = Ridge { alpha: RidgeAlpha::Chosen(RidgeCv::Loo), ..Ridge::default() };
    let fit = |ridge: &Ridge, x: &Mat<f64>, y: &[f64]| {
        ridge.fit_with(&DatasetRef::new(Features::F64(x.view())).with_target(Target::Real(y)), &Context::default())
    };
    // Constant target: no error at any penalty, and the first is as good as any.
    let model = fit(&auto, &x, &[7.0; 20]).unwrap();
    assert!(model.path().unwrap().error.as_slice().iter().all(|e| *e < 1e-28) && model.intercept() == [7.0]);
    // Constant columns, copies of columns.
    let model = fit(&auto, &Mat::filled(20, 2, 3.0), y.as_slice()).unwrap();
    assert_eq!(model.coef().as_slice(), [0.0, 0.0]);
    let copies = Mat::from_fn(20, 3, |i, _| x[(i, 0)]);
    let model = fit(&auto, &copies, y.as_slice()).unwrap();
    assert!(model.coef().as_slice().windows(2).all(|w| (w[0] - w[1]).abs() < 1e-9));
    // One row cannot be left out.
    let one = fit(&auto, &Mat::filled(1, 2, 3.0), &[1.0]).unwrap_err().to_string();
    assert!(one.contains("at least 2 rows"), "{one}");
    // Columns whose squares leave the range of f64: the penalty would too.
    for scale in [1e-300, 1e300] {
        let scaled = Mat::from_fn(20, 3, |i, j| x[(i, j)] * scale);
        let error = fit(&auto, &scaled, y.as_slice()).unwrap_err().to_string();
        assert!(error.contains("give alphas"), "{error}");
        let explicit = fit(&loo(&[1e-3, 1.0]), &scaled, y.as_slice()).unwrap();
        assert!(explicit.path().unwrap().error.as_slice().iter().all(|e| e.is_finite()));
        let mixed = Mat::from_fn(20, 3, |i, j| x[(i, j)] * if j == 1 { scale } else { 1.0 });
        match fit(&auto, &mixed, y.as_slice()) {
            Ok(model) => assert!(model.path().unwrap().error.as_slice().iter().all(|e| e.is_finite())),
            Err(e) => assert!(e.to_string().contains("give alphas"), "{e}"),
        }
        let tall: Vec<f64> = y.as_slice().iter().map(|v| v * scale).collect();
        let model = fit(&loo(&ALPHAS), &x, &tall).unwrap();
        assert_eq!(model.alpha(), fit(&loo(&ALPHAS), &x, y.as_slice()).unwrap().alpha());
    }
    for (ridge, says) in [
        (Ridge { positive: true, ..auto.clone() }, "sign constraint"),
        (Ridge { alphas: Some(vec![]), ..auto.clone() }, "penalty to choose"),
        (Ridge { alphas: Some(vec![0.0]), ..auto.clone() }, "above 0"),
    ] {
        let error = fit(&ridge, &x, y.as_slice()).unwrap_err().to_string();
        assert!(error.contains(says), "{error}");
    }
}

#[test]
fn saved_and_loaded_the_path_is_there() {
    let x = random(15, 3, 20);
    let y = targets(&x, 2, 21);
    let data = DatasetRef::new(Features::F64(x.view())).with_target(Target::Reals(y.view()));
    let model = loo(&ALPHAS).fit_with(&data, &Context::default()).unwrap();
    let mut out = ModelWriter::default();
    model.save(&mut out).unwrap();
    let loaded = Ridge::load(&out.into_reader()).unwrap();
    let (a, b) = (model.path().unwrap(), loaded.path().unwrap());
    assert_eq!((&a.alphas, &a.df, &a.error, &a.chosen, &a.residuals), (&b.alphas, &b.df, &b.error, &b.chosen, &b.residuals));
    assert_eq!(model.alpha(), loaded.alpha());
}

#[test]
fn a_hundred_sparse_rows_of_a_hundred_thousand_columns() {
    let (rows, cols) = (100, 100_000);
    let mut rng = RngStream::new(22, "very wide", 0);
    let (mut indptr, mut indices, mut values) = (vec![0usize], Vec::new(), Vec::new());
    for i in 0..rows {
        // Ten columns of its own and one that all rows share.
        indices.push((i % 7) as u32);
        indices.extend((0..10).map(|k| (1000 + i * 900 + k * 83) as u32));
        values.extend((0..11).map(|_| rng.normal()));
        indptr.push(indices.len());
    }
    let csr = Csr::new(indptr, indices, values, cols).unwrap();
    let y: Vec<f64> = (0..rows).map(|i| (i % 7) as f64 + rng.normal()).collect();
    let data = DatasetRef::new(Features::Csr(csr.view())).with_target(Target::Real(&y));
    let model = loo(&ALPHAS).fit_with(&data, &Context::default()).unwrap();
    for i in [0, 57] {
        let others: Vec<usize> = (0..rows).filter(|&r| r != i).collect();
        let (train, test) = (data.take_rows(&others), data.take_rows(&[i]));
        for (a, &alpha) in ALPHAS.iter().enumerate() {
            let plain = Ridge { alpha: RidgeAlpha::One(alpha), ..Ridge::default() };
            let p = plain.fit_with(&train.view(), &Context::default()).unwrap().predict(&test.view().x).unwrap();
            let residual = model.path().unwrap().residuals.as_ref().unwrap()[(i, a)];
            assert!((residual - (y[i] - p[(0, 0)])).abs() < 1e-9, "{residual} {}", y[i] - p[(0, 0)]);
        }
    }
    // Least squares passes through all points with the shortest coefficients there are.
    let exact = Ols::default().fit_with(&data, &Context::default()).unwrap();
    let p = exact.predict(&data.x).unwrap();
    assert!((0..rows).all(|i| (p[(i, 0)] - y[i]).abs() < 1e-9) && exact.rank() == rows - 1);
}

#[test]
fn weights_that_are_all_zero_are_refused() {
    let x = random(10, 2, 23);
    let data = DatasetRef::new(Features::F64(x.view())).with_target(Target::Real(&[1.0; 10])).with_weight(Some(&[0.0; 10]));
    for error in [
        loo(&ALPHAS).fit_with(&data, &Context::default()).unwrap_err(),
        Ridge::default().fit_with(&data, &Context::default()).unwrap_err(),
        Ols::default().fit_with(&data, &Context::default()).unwrap_err(),
    ] {
        assert!(error.to_string().contains("weight"), "{error}");
    }
}
