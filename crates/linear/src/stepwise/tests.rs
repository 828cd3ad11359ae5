//! Against a greedy search by brute force, closed forms and ols.

use ermine_core::{Context, Csr, DatasetRef, Features, Learner, Mat, Model, ModelWriter, RngStream, Target};
use ermine_math::linalg::PivotedQr;

use super::{Stepwise, StepwiseCriterion, StepwiseModel};
use crate::Ols;

fn random(n: usize, p: usize, seed: u64) -> (Mat<f64>, Vec<f64>) {
    let mut s = RngStream::new(seed, "stepwise tests", 0);
    // Columns that lean on each other, far from zero.
    let common: Vec<f64> = (0..n).map(|_| s.normal()).collect();
    let x = Mat::from_fn(n, p, |i, j| 10.0 * j as f64 + 0.7 * common[i] + s.normal());
    let y = (0..n).map(|i| 3.0 + 2.0 * x[(i, 1)] - 1.5 * x[(i, p - 1)] + 0.3 * x[(i, 2)] + s.normal()).collect();
    (x, y)
}

fn data<'a>(x: &'a Mat<f64>, y: &'a [f64]) -> DatasetRef<'a> {
    DatasetRef::new(Features::F64(x.view())).with_target(Target::Real(y))
}

/// Residual sum of squares of least squares on some columns and an intercept, by QR of the rows.
fn rss(x: &Mat<f64>, y: &[f64], columns: &[usize], intercept: bool) -> f64 {
    let n = x.rows();
    let k = columns.len() + usize::from(intercept);
    if k == 0 {
        return y.iter().map(|v| v * v).sum();
    }
    let a = Mat::from_fn(n, k, |i, c| if c < columns.len() { x[(i, columns[c])] } else { 1.0 });
    let b = Mat::from_fn(n, 1, |i, _| y[i]);
    let qr = PivotedQr::new(a.view()).unwrap();
    let coef = qr.solve(b.view(), k);
    (0..n).map(|i| (y[i] - (0..k).map(|c| a[(i, c)] * coef[(c, 0)]).sum::<f64>()).powi(2)).sum()
}

#[test]
fn the_path_is_that_of_a_greedy_search_by_qr() {
    for seed in 0..6 {
        for intercept in [true, false] {
            let (x, y) = random(60, 7, seed);
            let stepwise = Stepwise {
                criterion: StepwiseCriterion::K,
                n_features: Some(7),
                fit_intercept: intercept,
                ..Stepwise::default()
            };
            let model = stepwise.fit_with(&data(&x, &y), &Context::default()).unwrap();
            let mut chosen: Vec<usize> = Vec::new();
            for step in &model.steps()[1..] {
                let rest: Vec<usize> = (0..7).filter(|j| !chosen.contains(j)).collect();
                let with = |j: usize| rss(&x, &y, &[&chosen[..], &[j]].concat(), intercept);
                let best = rest.iter().copied().min_by(|&a, &b| with(a).total_cmp(&with(b))).unwrap();
                assert_eq!(step.column, Some(best as u32), "seed {seed}, step {}", chosen.len());
                chosen.push(best);
                let want = rss(&x, &y, &chosen, intercept);
                assert!((step.rss - want).abs() < 1e-9 * want, "{} {want}", step.rss);
            }
        }
    }
}

#[test]
fn an_orthogonal_design_has_a_closed_form() {
    // Columns of a Hadamard matrix: the coefficients are inner products, and the path goes by their sizes.
    let n = 8;
    let hadamard = |i: usize, j: usize| if (i & j).count_ones().is_multiple_of(2) { 1.0 } else { -1.0 };
    let x = Mat::from_fn(n, 5, |i, j| hadamard(i, j + 1));
    let b = [0.5, -3.0, 0.0, 2.0, 1.0];
    let noise = |i: usize| 0.01 * hadamard(i, 7);
    let y: Vec<f64> = (0..n).map(|i| 4.0 + noise(i) + (0..5).map(|j| b[j] * x[(i, j)]).sum::<f64>()).collect();
    let model = Stepwise::default().fit_with(&data(&x, &y), &Context::default()).unwrap();
    assert_eq!(model.support(), [1, 3, 4, 0]);
    for j in 0..5 {
        assert!((model.coef()[j] - b[j]).abs() < 1e-14);
    }
    assert!((model.intercept() - 4.0).abs() < 1e-14);
    let rss: Vec<f64> = model.steps()[..5].iter().map(|s| s.rss).collect();
    for (k, left) in [14.25, 5.25, 1.25, 0.25, 0.0].iter().enumerate() {
        assert!((rss[k] - 8.0 * (left + 1e-4)).abs() < 1e-10, "{k} {}", rss[k]);
    }
}

#[test]
fn criteria_are_those_of_ols_on_the_same_columns() {
    let (x, y) = random(80, 6, 9);
    for (criterion, pick) in [(StepwiseCriterion::Bic, true), (StepwiseCriterion::Aic, false)] {
        let model = Stepwise { criterion, ..Stepwise::default() }.fit_with(&data(&x, &y), &Context::default()).unwrap();
        let mut columns = Vec::new();
        for step in &model.steps()[1..] {
            columns.push(step.column.unwrap() as usize);
            let part = Mat::from_fn(80, columns.len(), |i, c| x[(i, columns[c])]);
            let ols = Ols::default().fit_with(&data(&part, &y), &Context::default()).unwrap();
            let summary = &ols.summary()[0];
            let want = if pick { summary.bic } else { summary.aic };
            assert!((step.criterion.unwrap() - want).abs() < 1e-9 * want.abs(), "{criterion:?} {columns:?}");
            assert!((step.r2 - summary.r2).abs() < 1e-12);
        }
        // The chosen size is where the criterion is least, and the coefficients are those of ols there.
        let values: Vec<f64> = model.steps().iter().map(|s| s.criterion.unwrap()).collect();
        let size = model.support().len();
        assert!(values.iter().all(|v| values[size] <= *v));
        let columns: Vec<usize> = model.support().iter().map(|&j| j as usize).collect();
        let part = Mat::from_fn(80, size, |i, c| x[(i, columns[c])]);
        let ols = Ols::default().fit_with(&data(&part, &y), &Context::default()).unwrap();
        for (c, &j) in columns.iter().enumerate() {
            assert!((model.coef()[j] - ols.coef()[(0, c)]).abs() < 1e-10);
        }
        assert!((model.intercept() - ols.intercept()[0]).abs() < 1e-9);
        assert!(model.certificate().unwrap().kkt_residual.unwrap() < 1e-12);
    }
}

#[test]
fn cross_validation_is_that_of_refits_on_folds() {
    for intercept in [true, false] {
        let (x, y) = random(50, 5, 11);
        let stepwise = Stepwise { criterion: StepwiseCriterion::Cv, folds: 5, fit_intercept: intercept, ..Stepwise::default() };
        let model = stepwise.fit_with(&data(&x, &y), &Context::default()).unwrap();
        for (size, step) in model.steps().iter().enumerate() {
            let mut error = 0.0;
            for fold in 0..5 {
                let (test_rows, train_rows): (Vec<usize>, Vec<usize>) = (0..50).partition(|i| i % 5 == fold);
                let (train, test) = (data(&x, &y).take_rows(&train_rows), data(&x, &y).take_rows(&test_rows));
                if size == 0 {
                    let mean = if intercept { train_rows.iter().map(|&i| y[i]).sum::<f64>() / 40.0 } else { 0.0 };
                    error += test_rows.iter().map(|&i| (y[i] - mean).powi(2)).sum::<f64>();
                    continue;
                }
                let k = Stepwise { criterion: StepwiseCriterion::K, n_features: Some(size as u64), ..stepwise.clone() };
                let part = k.fit_with(&train.view(), &Context::default()).unwrap();
                let predicted = part.as_regressor().unwrap().predict(&test.view().x).unwrap();
                error += test_rows.iter().enumerate().map(|(r, &i)| (y[i] - predicted[(r, 0)]).powi(2)).sum::<f64>();
            }
            let want = error / 50.0;
            assert!((step.criterion.unwrap() - want).abs() < 1e-8 * want, "{size}: {:?} {want}", step.criterion);
        }
    }
}

#[test]
fn dependent_columns_are_left_out_and_ties_go_to_the_first() {
    let (x, y) = random(40, 3, 12);
    // Columns 3 and 4 are copies of column 1, column 5 is constant, column 6 a sum.
    let wide = Mat::from_fn(40, 7, |i, j| match j {
        0..3 => x[(i, j)],
        3 | 4 => x[(i, 1)],
        5 => 2.0,
        _ => x[(i, 0)] + x[(i, 2)],
    });
    let all = Stepwise { criterion: StepwiseCriterion::K, n_features: Some(7), ..Stepwise::default() };
    let model = all.fit_with(&data(&wide, &y), &Context::default()).unwrap();
    assert!(model.support().contains(&1) && model.support().len() == 3);
    assert!([3, 4, 5].iter().all(|j| model.collinear().contains(j)), "{:?}", model.collinear());
    assert!(model.certificate().unwrap().notes.iter().any(|n| n.contains("depend")));
    assert!((model.steps()[3].rss - rss(&x, &y, &[0, 1, 2], true)).abs() < 1e-9 * model.steps()[3].rss);
}

#[test]
fn hostile_numbers() {
    let (x, y) = random(40, 3, 13);
    let plain = Stepwise::default().fit_with(&data(&x, &y), &Context::default()).unwrap();
    for scale in [1e-300, 1e300] {
        let scaled = Mat::from_fn(40, 3, |i, j| if j == 1 { x[(i, j)] * scale } else { x[(i, j)] });
        let model = Stepwise::default().fit_with(&data(&scaled, &y), &Context::default()).unwrap();
        assert_eq!(model.support(), plain.support());
        let far = (model.coef()[1] * scale - plain.coef()[1]).abs();
        assert!(far < 1e-8 * plain.coef()[1].abs(), "{scale}: {far}");
        // A target that large: its squares are beyond the range of f64, the choice is the same.
        let large: Vec<f64> = y.iter().map(|v| v * scale).collect();
        let model = Stepwise::default().fit_with(&data(&x, &large), &Context::default()).unwrap();
        assert_eq!(model.support(), plain.support());
        let mut out = ModelWriter::default();
        model.save(&mut out).unwrap();
        assert_eq!(Stepwise::load(&out.into_reader()).unwrap().support(), model.support());
    }
    let same = vec![4.0; 40];
    let model = Stepwise::default().fit_with(&data(&x, &same), &Context::default()).unwrap();
    assert!(model.support().is_empty() && (model.intercept() - 4.0).abs() < 1e-14);
    let one: StepwiseModel = Stepwise::default().fit_with(&data(&x, &y).row_range(0..1), &Context::default()).unwrap();
    assert_eq!(one.intercept(), y[0]);
    let none = vec![0.0; 40];
    assert!(Stepwise::default().fit_with(&data(&x, &y).with_weight(Some(&none)), &Context::default()).is_err());
    // Sparse columns beyond any table of products are refused by their number.
    let csr = Csr::new((0..=100).collect(), (0..100).map(|j| j * 999).collect(), vec![1.0; 100], 100_000).unwrap();
    let y: Vec<f64> = (0..100).map(f64::from).collect();
    let wide = DatasetRef::new(Features::Csr(csr.view())).with_target(Target::Real(&y));
    let error = Stepwise::default().fit_with(&wide, &Context::default()).unwrap_err().to_string();
    assert!(error.contains("100000"), "{error}");
}
