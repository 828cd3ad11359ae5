//! Against formulas, steps taken by hand and optima known otherwise.

use ermine_core::{
    Classifier, Context, Csr, DatasetRef, Features, Learner, Mat, MatRef, Model, ModelWriter, OwnedTarget, Regressor, RngStream,
    Target,
};
use proptest::prelude::*;

use crate::{AveragingChoice, LearningRate, Logistic, Perceptron, Ridge, RidgeAlpha, Sgd, SgdLoss, SgdPenalty, SgdPreset};

/// Rows with columns of unit variance, a linear target and classes that overlap.
fn rows(n: usize, p: usize, seed: u64) -> (Mat<f64>, Vec<f64>, OwnedTarget) {
    let mut s = RngStream::new(seed, "sgd tests", 0);
    let x = Mat::from_fn(n, p, |_, _| s.normal());
    let b: Vec<f64> = (0..p).map(|j| 1.0 / (1.0 + j as f64)).collect();
    let line = |i: usize| 0.3 + x.row(i).iter().zip(&b).map(|(x, b)| x * b).sum::<f64>();
    let y: Vec<f64> = (0..n).map(|i| line(i) + 0.5 * s.normal()).collect();
    let codes = (0..n).map(|i| u32::from(line(i) + s.normal() > 0.0)).collect();
    (x, y, OwnedTarget::Class { codes, names: vec!["a".into(), "b".into()] })
}

fn numbers<'a>(x: &'a Mat<f64>, y: &'a [f64]) -> DatasetRef<'a> {
    DatasetRef::new(Features::F64(x.view())).with_target(Target::Real(y))
}

fn classes<'a>(x: &'a Mat<f64>, y: &'a OwnedTarget) -> DatasetRef<'a> {
    DatasetRef::new(Features::F64(x.view())).with_target(y.view())
}

fn sparse(x: &Mat<f64>) -> Csr {
    let (mut indptr, mut indices, mut values) = (vec![0], vec![], vec![]);
    for i in 0..x.rows() {
        for j in (0..x.cols()).filter(|&j| x[(i, j)] != 0.0) {
            indices.push(j as u32);
            values.push(x[(i, j)]);
        }
        indptr.push(values.len());
    }
    Csr::new(indptr, indices, values, x.cols()).unwrap()
}

const PLAIN: fn() -> Sgd =
    || Sgd { learning_rate: LearningRate::Constant, eta0: Some(0.1), shuffle: false, tol: None, max_iter: 2, ..Sgd::default() };

#[test]
fn averages_are_the_mean_of_the_weights_by_hand() {
    // Two rows, one column, squared loss, no penalty: w and b by hand.
    let x = [1.0, 2.0];
    let y = [1.0, -1.0];
    let data = DatasetRef::new(Features::F64(MatRef::row_major(&x, 2, 1))).with_target(Target::Real(&y));
    let sgd = Sgd { penalty: SgdPenalty::None, max_iter: 1, ..PLAIN() };
    // Row 1: z = 0, w = b = 0.1. Row 2: z = 0.3, residual 1.3: w = 0.1 - 0.26, b = 0.1 - 0.13.
    let model = sgd.fit_with(&data, &Context::default()).unwrap();
    assert!((model.coef()[(0, 0)] + 0.16).abs() < 1e-15 && (model.intercept()[0] + 0.03).abs() < 1e-15);
    let averaged = Sgd { average: AveragingChoice::Whether(true), ..sgd.clone() }.fit_with(&data, &Context::default()).unwrap();
    assert!((averaged.coef()[(0, 0)] - (0.1 - 0.16) / 2.0).abs() < 1e-15);
    assert!((averaged.intercept()[0] - (0.1 - 0.03) / 2.0).abs() < 1e-15);
    let late = Sgd { average: AveragingChoice::From(2), ..sgd }.fit_with(&data, &Context::default()).unwrap();
    assert!((late.coef()[(0, 0)] + 0.16).abs() < 1e-15);
}

/// Steps of the definition on dense rows, with every loss, penalty and schedule.
fn by_hand(sgd: &Sgd, x: &Mat<f64>, y: &[f64]) -> (Vec<f64>, f64) {
    let (mut w, mut b) = (vec![0.0; x.cols()], 0.0);
    let (mut owed, mut paid) = (0.0, vec![0.0; x.cols()]);
    let loss = sgd.row_loss();
    let plan = sgd.plan(sgd.eta0.unwrap());
    let mut t = 0.0;
    for epoch in 0..sgd.max_iter {
        for chunk in (0..x.rows()).collect::<Vec<_>>().chunks(sgd.batch_size as usize) {
            t += 1.0;
            let eta = plan.schedule.step(t, epoch, sgd.eta0.unwrap());
            let slopes: Vec<f64> = chunk
                .iter()
                .map(|&i| {
                    let z = b + w.iter().zip(x.row(i)).map(|(w, x)| w * x).sum::<f64>();
                    super::run::loss_and_slope(loss, y[i], z).1 / chunk.len() as f64
                })
                .collect();
            let factor = 1.0 - eta * plan.l2;
            w.iter_mut().for_each(|w| *w *= factor);
            for (&i, slope) in chunk.iter().zip(&slopes) {
                w.iter_mut().zip(x.row(i)).for_each(|(w, x)| *w -= eta * slope * x);
                b -= eta * slope;
            }
            // What was asked and paid before shrinks with the weights.
            owed = owed * factor + eta * plan.l1;
            for j in 0..w.len() {
                paid[j] *= factor;
                let before: f64 = w[j];
                if before > 0.0 {
                    w[j] = (before - (owed + paid[j])).max(0.0);
                } else if before < 0.0 {
                    w[j] = (before + (owed - paid[j])).min(0.0);
                }
                paid[j] += w[j] - before;
            }
        }
    }
    (w, b)
}

#[test]
fn steps_are_those_of_the_definition_dense_and_sparse() {
    let (mut x, y, labels) = rows(40, 6, 1);
    (0..40).for_each(|i| (0..6).filter(|j| (i + j) % 3 == 0).for_each(|j| x[(i, j)] = 0.0));
    let csr = sparse(&x);
    let single = Mat::from_fn(40, 6, |i, j| x[(i, j)] as f32);
    let doubled = Mat::from_fn(40, 6, |i, j| f64::from(single[(i, j)]));
    let OwnedTarget::Class { codes, .. } = &labels else { unreachable!() };
    let signs: Vec<f64> = codes.iter().map(|&c| 2.0 * f64::from(c) - 1.0).collect();
    use SgdLoss::*;
    for loss in [Hinge, LogLoss, ModifiedHuber, SquaredHinge, Exponential, Perceptron, Linear, SquaredError, AbsoluteError]
        .into_iter()
        .chain([Huber, EpsilonInsensitive, SquaredEpsilonInsensitive, Quantile])
    {
        for penalty in [SgdPenalty::None, SgdPenalty::L2, SgdPenalty::L1, SgdPenalty::Elasticnet] {
            for rate in [
                LearningRate::Constant,
                LearningRate::Optimal,
                LearningRate::Invscaling,
                LearningRate::Inverse,
                LearningRate::Step,
            ] {
                for batch_size in [1, 7] {
                    let sgd = Sgd {
                        loss,
                        penalty,
                        alpha: 0.01,
                        learning_rate: rate,
                        eta0: Some(0.05),
                        drop_every: 1,
                        batch_size,
                        ..PLAIN()
                    };
                    if rate == LearningRate::Optimal
                        && matches!(loss, Exponential | SquaredHinge | SquaredError | SquaredEpsilonInsensitive)
                    {
                        // Its first steps are so long that these losses run away.
                        continue;
                    }
                    let what = format!("{loss:?} {penalty:?} {rate:?} {batch_size}");
                    let near = |model: &super::SgdModel, want: &(Vec<f64>, f64)| {
                        let scale = want.0.iter().fold(want.1.abs(), |m, v| m.max(v.abs()));
                        for (a, b) in model.coef().row(0).iter().zip(&want.0) {
                            assert!((a - b).abs() <= 1e-10 * scale, "{what}: {a} {b}");
                        }
                        assert!((model.intercept()[0] - want.1).abs() <= 1e-10 * scale, "{what}");
                    };
                    let fit = |x: Features<'_>| {
                        let y = if loss.needs_classes() { labels.view() } else { Target::Real(&y) };
                        sgd.fit_with(&DatasetRef::new(x).with_target(y), &Context::default()).unwrap()
                    };
                    let truth = if loss.needs_classes() { &signs } else { &y };
                    let want = by_hand(&sgd, &x, truth);
                    near(&fit(Features::F64(x.view())), &want);
                    near(&fit(Features::Csr(csr.view())), &want);
                    near(&fit(Features::F32(single.view())), &by_hand(&sgd, &doubled, truth));
                }
            }
        }
    }
}

#[test]
fn rows_in_chunks_are_the_rows_in_one_epoch() {
    let (x, y, labels) = rows(60, 4, 2);
    for penalty in [SgdPenalty::L2, SgdPenalty::L1, SgdPenalty::Elasticnet] {
        for average in [AveragingChoice::Whether(false), AveragingChoice::Whether(true), AveragingChoice::From(20)] {
            for (is_class, loss) in [(false, SgdLoss::Huber), (true, SgdLoss::LogLoss)] {
                let sgd = Sgd { loss, penalty, alpha: 0.01, average, max_iter: 1, ..PLAIN() };
                let data = if is_class { classes(&x, &labels) } else { numbers(&x, &y) };
                let whole = sgd.fit_with(&data, &Context::default()).unwrap();
                let mut parts = None;
                for chunk in [0..7, 7..8, 8..41, 41..60] {
                    let next = sgd.partial_fit(parts.as_ref(), &data.row_range(chunk), &Context::default()).unwrap();
                    // Through a file in between: nothing of the state is lost.
                    let mut out = ModelWriter::default();
                    next.save(&mut out).unwrap();
                    parts = Some(Sgd::load(&out.into_reader()).unwrap());
                }
                let parts = parts.unwrap();
                assert_eq!(parts.steps(), 60);
                for (a, b) in parts.coef().as_slice().iter().zip(whole.coef().as_slice()) {
                    assert!((a - b).abs() < 1e-12, "{penalty:?} {average:?} {loss:?}: {a} {b}");
                }
                assert!((parts.intercept()[0] - whole.intercept()[0]).abs() < 1e-12);
            }
        }
    }
}

#[test]
fn a_first_chunk_may_lack_classes_that_come_later() {
    let x = Mat::from_fn(6, 1, |i, _| i as f64 - 2.5);
    let codes = [0, 0, 1, 1, 2, 2];
    let names: Vec<String> = ["a", "b", "c"].map(String::from).to_vec();
    let data = DatasetRef::new(Features::F64(x.view())).with_target(Target::Class { codes: &codes, names: &names });
    let sgd = Sgd { loss: SgdLoss::LogLoss, ..Sgd::default() };
    let mut model = sgd.partial_fit(None, &data.row_range(0..2), &Context::default()).unwrap();
    assert_eq!(model.coef().rows(), 3);
    model = sgd.partial_fit(Some(&model), &data.row_range(2..6), &Context::default()).unwrap();
    assert_eq!(model.classes().len(), 3);
    // Other classes or another task are refused.
    let other: Vec<String> = ["a", "b", "d"].map(String::from).to_vec();
    let wrong = data.with_target(Target::Class { codes: &codes, names: &other });
    assert!(sgd.partial_fit(Some(&model), &wrong, &Context::default()).is_err());
    let y = [0.0; 6];
    let wrong = data.with_target(Target::Real(&y));
    assert!(Sgd::default().partial_fit(Some(&model), &wrong, &Context::default()).is_err());
}

#[test]
fn it_comes_to_the_optimum_of_ridge() {
    let (x, y, _) = rows(400, 5, 3);
    let alpha = 0.1;
    // 1/(2n) sum r^2 + alpha/2 |b|^2 is ridge with alpha n.
    let ridge = Ridge { alpha: RidgeAlpha::One(alpha * 400.0), ..Ridge::default() }
        .fit_with(&numbers(&x, &y), &Context::default())
        .unwrap();
    let sgd = Sgd {
        alpha,
        learning_rate: LearningRate::Inverse,
        eta0: Some(0.05),
        decay: 1e-3,
        max_iter: 200,
        tol: None,
        ..Sgd::default()
    };
    let model =
        Sgd { average: AveragingChoice::From(40_000), ..sgd.clone() }.fit_with(&numbers(&x, &y), &Context::default()).unwrap();
    for (a, b) in model.coef().row(0).iter().zip(ridge.coef().row(0)) {
        assert!((a - b).abs() < 2e-3, "{a} {b}");
    }
    // The gradient of the objective is next to nothing, and the certificate says so.
    assert!(model.certificate().unwrap().kkt_residual.unwrap() < 3e-3);
    // With all rows in a step it is gradient descent, which goes to the optimum itself, and weight 2 is the row twice.
    let whole = Sgd { batch_size: 400, learning_rate: LearningRate::Constant, eta0: Some(0.5), max_iter: 400, ..sgd };
    let model = whole.fit_with(&numbers(&x, &y), &Context::default()).unwrap();
    for (a, b) in model.coef().row(0).iter().zip(ridge.coef().row(0)) {
        assert!((a - b).abs() < 1e-10, "{a} {b}");
    }
    assert!(model.certificate().unwrap().kkt_residual.unwrap() < 1e-10);
    let objective = model.certificate().unwrap().objective.unwrap();
    let square: f64 = ridge.coef().row(0).iter().map(|b| b * b).sum();
    assert!((objective - (ridge.rss()[0] / 800.0 + 0.5 * alpha * square)).abs() < 1e-12);
}

#[test]
fn it_comes_to_the_optimum_of_logistic_regression() {
    let (x, _, labels) = rows(400, 5, 4);
    let alpha = 0.05;
    let logistic = Logistic { c: Some(1.0 / (alpha * 400.0)), tol: 1e-10, ..Logistic::default() };
    let truth = logistic.fit_with(&classes(&x, &labels), &Context::default()).unwrap();
    let sgd = Sgd {
        loss: SgdLoss::LogLoss,
        alpha,
        batch_size: 400,
        learning_rate: LearningRate::Constant,
        eta0: Some(2.0),
        max_iter: 600,
        tol: None,
        ..Sgd::default()
    };
    let model = sgd.fit_with(&classes(&x, &labels), &Context::default()).unwrap();
    for (a, b) in model.coef().row(0).iter().zip(truth.coef().row(0)) {
        assert!((a - b).abs() < 1e-7, "{a} {b}");
    }
    let (p, q) = (model.proba(&Features::F64(x.view())).unwrap(), truth.proba(&Features::F64(x.view())).unwrap());
    assert!(p.as_slice().iter().zip(q.as_slice()).all(|(a, b)| (a - b).abs() < 1e-7));
    // Plain steps come near.
    let steps =
        Sgd { batch_size: 1, learning_rate: LearningRate::Optimal, max_iter: 100, average: AveragingChoice::From(10_000), ..sgd };
    let model = steps.fit_with(&classes(&x, &labels), &Context::default()).unwrap();
    for (a, b) in model.coef().row(0).iter().zip(truth.coef().row(0)) {
        assert!((a - b).abs() < 0.01, "{a} {b}");
    }
}

#[test]
fn the_hinge_comes_near_the_optimum_that_its_dual_certifies() {
    // Pegasos: for the hinge with an L2 penalty and steps 1/(alpha t) the objective tends to the optimum; a lower bound of it
    // comes from the dual at sum_i a_i y_i x_i / (alpha n) with a_i the averaged hinge slopes.
    let (x, _, labels) = rows(200, 3, 5);
    let alpha = 0.1;
    let sgd = Sgd { alpha, fit_intercept: false, max_iter: 2000, tol: None, ..Sgd::default() };
    let model =
        Sgd { average: AveragingChoice::From(200_000), ..sgd }.fit_with(&classes(&x, &labels), &Context::default()).unwrap();
    let OwnedTarget::Class { codes, .. } = &labels else { unreachable!() };
    let sign = |i: usize| 2.0 * f64::from(codes[i]) - 1.0;
    // Coordinate ascent of the dual, min 1/2 |w|^2 alpha - mean a, to rounding.
    let (mut a, mut w) = (vec![0.0; 200], [0.0; 3]);
    for _ in 0..3000 {
        for i in 0..200 {
            let margin = sign(i) * x.row(i).iter().zip(&w).map(|(x, w)| x * w).sum::<f64>();
            let square: f64 = x.row(i).iter().map(|v| v * v).sum();
            let next = (a[i] + (1.0 - margin) * alpha * 200.0 / square).clamp(0.0, 1.0);
            let change: f64 = next - a[i];
            w.iter_mut().zip(x.row(i)).for_each(|(w, x)| *w += change * sign(i) * x / (alpha * 200.0));
            a[i] = next;
        }
    }
    let dual = a.iter().sum::<f64>() / 200.0 - 0.5 * alpha * w.iter().map(|w| w * w).sum::<f64>();
    let objective = model.certificate().unwrap().objective.unwrap();
    assert!(objective >= dual - 1e-12 && objective <= dual * (1.0 + 1e-3), "{objective} {dual}");
}

#[test]
fn an_l1_penalty_finds_the_columns_that_matter() {
    let mut s = RngStream::new(6, "sgd lasso", 0);
    let x = Mat::from_fn(500, 10, |_, _| s.normal());
    let y: Vec<f64> = (0..500).map(|i| 2.0 * x[(i, 3)] - x[(i, 7)] + 0.1 * s.normal()).collect();
    let alpha = 0.2;
    let sgd = Sgd {
        penalty: SgdPenalty::L1,
        alpha,
        learning_rate: LearningRate::Inverse,
        eta0: Some(0.02),
        decay: 1e-3,
        max_iter: 300,
        tol: None,
        ..Sgd::default()
    };
    let model = sgd.fit_with(&numbers(&x, &y), &Context::default()).unwrap();
    // Coordinate descent to rounding.
    let mean = |v: &mut dyn Iterator<Item = f64>| v.sum::<f64>() / 500.0;
    let (mut b, mut b0) = ([0.0; 10], 0.0);
    for _ in 0..2000 {
        let residual = |b: &[f64; 10], b0: f64, i: usize| y[i] - b0 - x.row(i).iter().zip(b).map(|(x, b)| x * b).sum::<f64>();
        b0 += mean(&mut (0..500).map(|i| residual(&b, b0, i)));
        for j in 0..10 {
            let square = mean(&mut (0..500).map(|i| x[(i, j)].powi(2)));
            let pull = mean(&mut (0..500).map(|i| x[(i, j)] * residual(&b, b0, i))) + square * b[j];
            b[j] = pull.signum() * (pull.abs() - alpha).max(0.0) / square;
        }
    }
    for (a, b) in model.coef().row(0).iter().zip(&b) {
        assert!((a - b).abs() < 0.01, "{a} {b}");
        assert_eq!(*a == 0.0, *b == 0.0, "{a} {b}");
    }
}

#[test]
fn widrow_and_hoff_say_where_the_step_stands() {
    // One column of ±2 without intercept: lambda_max = 4, the bound is 1/2.
    let x = Mat::from_fn(50, 1, |i, _| if i % 2 == 0 { 2.0 } else { -2.0 });
    let y: Vec<f64> = (0..50).map(|i| 3.0 * x[(i, 0)]).collect();
    let fit =
        |step| Sgd { fit_intercept: false, ..Sgd::widrow_hoff(step) }.fit_with(&numbers(&x, &y), &Context::default()).unwrap();
    let good = fit(0.1);
    let certificate = good.certificate().unwrap();
    assert!((good.coef()[(0, 0)] - 3.0).abs() < 1e-6 && certificate.converged);
    assert!(certificate.notes[0].contains("5e-1"), "{:?}", certificate.notes);
    // Above the bound it runs away, and says so instead of returning what it ran to.
    let bad = fit(0.6);
    let certificate = bad.certificate().unwrap();
    assert!(!certificate.converged && certificate.notes.iter().any(|n| n.contains("eta0")), "{:?}", certificate.notes);
    assert!(bad.coef()[(0, 0)].is_finite());
    assert_eq!(Sgd::widrow_hoff(0.1).preset, Some(SgdPreset::WidrowHoff));
}

#[test]
fn rows_set_aside_end_the_fit() {
    let (x, y, labels) = rows(300, 4, 7);
    let early = Sgd { early_stopping: true, max_iter: 500, ..Sgd::default() };
    for data in [numbers(&x, &y), classes(&x, &labels)] {
        let model = early.fit_with(&data, &Context::default()).unwrap();
        assert!(model.certificate().unwrap().converged && model.n_iter() < 500);
        assert_eq!(model.trace().unwrap().column("score").unwrap().len() as u64, model.n_iter());
        let numbered: Vec<u64> = model.trace().unwrap().column("iteration").unwrap().iter().map(|&k| k as u64).collect();
        assert_eq!(numbered, (1..=model.n_iter()).collect::<Vec<u64>>());
        // A validation set of the context leaves all rows to learn from.
        let cx = Context { validation: Some(&data), ..Context::default() };
        let other = early.fit_with(&data, &cx).unwrap();
        assert_eq!(other.steps(), 300 * other.n_iter());
        assert_eq!(model.steps(), 270 * model.n_iter());
    }
    let two = numbers(&x, &y).row_range(0..2);
    let error = early.fit_with(&two, &Context::default()).unwrap_err().to_string();
    assert!(error.contains("validation_fraction"), "{error}");
}

#[test]
fn hostile_numbers_get_an_error_or_a_finite_model() {
    let (x, y, labels) = rows(50, 3, 8);
    for scale in [1e-300, 1e-100, 1e100, 1e300] {
        let mut m = x.clone();
        (0..50).for_each(|i| m[(i, 1)] *= scale);
        for data in [numbers(&m, &y), classes(&m, &labels)] {
            for sgd in [Sgd::default(), Sgd { eta0: Some(0.01), learning_rate: LearningRate::Constant, ..Sgd::default() }] {
                match sgd.fit_with(&data, &Context::default()) {
                    Ok(model) => {
                        assert!(model.coef().as_slice().iter().chain(model.intercept()).all(|v| v.is_finite()));
                        let certificate = model.certificate().unwrap();
                        assert!(
                            certificate.converged
                                || certificate.notes.iter().any(|n| n.contains("tandardize") || n.contains("epochs"))
                        );
                    }
                    Err(e) => assert!(e.to_string().contains("standardize"), "{scale}: {e}"),
                }
            }
        }
    }
    // Constant y, one row, zero rows of weight.
    let same = vec![4.0; 50];
    let model = Sgd::default().fit_with(&numbers(&x, &same), &Context::default()).unwrap();
    assert!((model.predict(&Features::F64(x.view())).unwrap()[(0, 0)] - 4.0).abs() < 0.5);
    assert!(Sgd::default().fit_with(&numbers(&x, &y).row_range(0..1), &Context::default()).is_ok());
    let none = vec![0.0; 50];
    assert!(Sgd::default().fit_with(&numbers(&x, &y).with_weight(Some(&none)), &Context::default()).is_err());
    let one = OwnedTarget::Class { codes: vec![0; 50], names: vec!["a".into(), "b".into()] };
    let error = Sgd::default().fit_with(&classes(&x, &one), &Context::default()).unwrap_err().to_string();
    assert!(error.contains("greater than one"), "{error}");
    // A loss of margins for numbers, and steps of alpha = 0.
    let wrong = Sgd { loss: SgdLoss::Hinge, ..Sgd::default() }.fit_with(&numbers(&x, &y), &Context::default());
    assert!(wrong.unwrap_err().to_string().contains("loss"));
    assert!(Sgd { alpha: 0.0, learning_rate: LearningRate::Optimal, ..Sgd::default() }.check().is_err());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Separable rows in any order: the mistakes stay within Novikoff's bound for every margin that is shown.
    #[test]
    fn mistakes_stay_within_novikoffs_bound(seed in 0u64..1000, n in 4usize..60, p in 1usize..6, gap in 0.05f64..2.0, shift in -3.0f64..3.0) {
        let mut s = RngStream::new(seed, "novikoff", 0);
        let u: Vec<f64> = (0..p).map(|_| s.normal()).collect();
        let length = u.iter().map(|v| v * v).sum::<f64>().sqrt();
        let mut codes = Vec::new();
        let mut x = Mat::zeros(n, p);
        for i in 0..n {
            let class = if i < 2 { i } else { s.below(2) };
            let side = 2.0 * class as f64 - 1.0;
            let distance = side * (gap + s.uniform());
            let noise: Vec<f64> = (0..p).map(|_| s.normal()).collect();
            let along: f64 = noise.iter().zip(&u).map(|(a, b)| a * b).sum::<f64>() / (length * length);
            for j in 0..p {
                x[(i, j)] = noise[j] - along * u[j] + (distance + shift) * u[j] / length;
            }
            codes.push(class as u32);
        }
        let y = OwnedTarget::Class { codes, names: vec!["a".into(), "b".into()] };
        let data = classes(&x, &y);
        let perceptron = Perceptron { tol: None, max_iter: 100_000, ..Perceptron::default() };
        let model = perceptron.fit_with(&data, &Context::seeded(seed)).unwrap();
        let total = model.mistakes()[0].iter().sum::<u64>() as f64;
        let bound = model.novikoff()[0].unwrap();
        prop_assert!(total <= bound.best_bound && bound.best_bound <= bound.bound * (1.0 + 1e-12));
        prop_assert!(bound.best_margin <= bound.margin_at_most * (1.0 + 1e-12));
        prop_assert!(model.certificate().unwrap().converged);
        // The last epoch had no mistake, the one before it had.
        prop_assert_eq!(*model.mistakes()[0].last().unwrap(), 0);
        let right = model.classify(&data.x).unwrap();
        prop_assert_eq!(&right, match &y { OwnedTarget::Class { codes, .. } => codes, _ => unreachable!() });
    }
}

#[test]
fn rows_that_no_line_separates_are_said_to_be_so() {
    let x = Mat::from_fn(4, 2, |i, j| f64::from(u8::from(i >> j & 1 == 1)));
    let y = OwnedTarget::Class { codes: vec![0, 1, 1, 0], names: vec!["a".into(), "b".into()] };
    let model =
        Perceptron { tol: None, max_iter: 30, ..Perceptron::default() }.fit_with(&classes(&x, &y), &Context::default()).unwrap();
    let certificate = model.certificate().unwrap();
    assert!(!certificate.converged && certificate.notes[0].contains("not separated"), "{:?}", certificate.notes);
    assert_eq!((model.mistakes()[0].len(), model.novikoff()[0]), (30, None));
}
