//! Mixtures of experts.

use ermine_core::*;
use ermine_linear::{Logistic, Ridge, RidgeAlpha};
use ermine_mixture::{ExpertKind, MixtureOfExperts, MixtureOfExpertsModel};
use proptest::prelude::*;

use super::{features, fixture, target};

fn regress(learner: &MixtureOfExperts, x: &Mat<f64>, y: &[f64]) -> Result<MixtureOfExpertsModel> {
    learner.fit_with(&DatasetRef::new(features(x)).with_target(Target::Real(y)), &Context::default())
}

fn classify(learner: &MixtureOfExperts, x: &Mat<f64>, y: &OwnedTarget) -> Result<MixtureOfExpertsModel> {
    learner.fit_with(&DatasetRef::new(features(x)).with_target(y.view()), &Context::default())
}

/// Two regimes with lines and noise of their own, switched by a logistic gate in the first column.
fn regimes(rows: usize, seed: u64) -> (Mat<f64>, Vec<f64>) {
    let mut s = RngStream::new(seed, "regimes", 0);
    let x = Mat::from_fn(rows, 2, |_, _| 2.0 * s.normal());
    let y = (0..rows)
        .map(|i| {
            let first = s.uniform() < 1.0 / (1.0 + (-3.0 * x[(i, 0)] + 1.0).exp());
            match first {
                true => 1.0 + 2.0 * x[(i, 0)] - x[(i, 1)] + 0.2 * s.normal(),
                false => -3.0 - x[(i, 0)] + 0.5 * x[(i, 1)] + 0.6 * s.normal(),
            }
        })
        .collect();
    (x, y)
}

#[test]
fn two_regimes_are_found_with_their_gate() {
    let (x, y) = regimes(4000, 3);
    let model =
        regress(&MixtureOfExperts { alpha: 1e-6, tol: 1e-9, max_iter: 2000, ..MixtureOfExperts::default() }, &x, &y).unwrap();
    assert!(model.certificate().unwrap().converged);
    let ExpertKind::Linear { coef, variance } = &model.experts().experts else { panic!("no lines") };
    let first = if coef[(0, 0)] > coef[(1, 0)] { 0 } else { 1 };
    let intercept = |k: usize| model.predict_experts(&features(&Mat::zeros(1, 2))).unwrap().unwrap()[(0, k)];
    let near = |got: f64, want: f64, by: f64| assert!((got - want).abs() < by, "{got}, not {want}");
    near(coef[(first, 0)], 2.0, 0.02);
    near(coef[(first, 1)], -1.0, 0.02);
    near(intercept(first), 1.0, 0.05);
    near(coef[(1 - first, 0)], -1.0, 0.05);
    near(coef[(1 - first, 1)], 0.5, 0.05);
    near(intercept(1 - first), -3.0, 0.1);
    near(variance[first].sqrt(), 0.2, 0.01);
    near(variance[1 - first].sqrt(), 0.6, 0.03);
    let gate = &model.experts().gate;
    near(gate[(first, 0)] - gate[(1 - first, 0)], 3.0, 0.4);
    near(gate[(first, 1)] - gate[(1 - first, 1)], 0.0, 0.2);
}

#[test]
fn the_prediction_is_the_mean_and_the_variance_of_the_mixture() {
    let (x, y) = regimes(500, 4);
    let model = regress(&MixtureOfExperts::default(), &x, &y).unwrap();
    let (gate, says) = (model.gate(&features(&x)).unwrap(), model.predict_experts(&features(&x)).unwrap().unwrap());
    let (mean, variance) = model.mean_and_variance(&features(&x)).unwrap().unwrap();
    let ExpertKind::Linear { variance: noise, .. } = &model.experts().experts else { panic!("no lines") };
    let predicted = model.predict(&features(&x)).unwrap();
    let mut likelihood = 0.0;
    for i in 0..500 {
        assert!((gate.row(i).iter().sum::<f64>() - 1.0).abs() < 1e-12);
        let m: f64 = (0..2).map(|k| gate[(i, k)] * says[(i, k)]).sum();
        let second: f64 = (0..2).map(|k| gate[(i, k)] * (noise[k] + says[(i, k)].powi(2))).sum();
        assert!((mean[i] - m).abs() < 1e-9 && predicted[(i, 0)] == mean[i]);
        assert!((variance[i] - (second - m * m)).abs() < 1e-8 * second);
        let density: f64 = (0..2)
            .map(|k| {
                gate[(i, k)] * (-0.5 * (y[i] - says[(i, k)]).powi(2) / noise[k]).exp() / (std::f64::consts::TAU * noise[k]).sqrt()
            })
            .sum();
        likelihood += density.ln();
    }
    assert!((model.log_likelihood() - likelihood).abs() < 1e-8 * likelihood.abs(), "{} {likelihood}", model.log_likelihood());
}

#[test]
fn at_the_end_gate_and_experts_are_regressions_with_the_shares_as_weights() {
    // The house's own ridge and softmax regressions, on rows repeated for every expert with the shares as weights.
    let (x, y) = regimes(400, 5);
    let alpha = 0.5;
    let learner = MixtureOfExperts { alpha, tol: 1e-13, max_iter: 20_000, n_init: 1, ..MixtureOfExperts::default() };
    let model = regress(&learner, &x, &y).unwrap();
    let (gate, says) = (model.gate(&features(&x)).unwrap(), model.predict_experts(&features(&x)).unwrap().unwrap());
    let ExpertKind::Linear { coef, variance } = &model.experts().experts else { panic!("no lines") };
    let shares = Mat::from_fn(400, 2, |i, k| {
        let joint = |k: usize| gate[(i, k)].ln() - 0.5 * ((y[i] - says[(i, k)]).powi(2) / variance[k] + variance[k].ln());
        1.0 / (1.0 + (joint(1 - k) - joint(k)).exp())
    });
    for k in 0..2 {
        let w: Vec<f64> = (0..400).map(|i| shares[(i, k)]).collect();
        let data = DatasetRef::new(features(&x)).with_target(Target::Real(&y)).with_weight(Some(&w));
        let ridge = Ridge { alpha: RidgeAlpha::One(alpha), ..Ridge::default() }.fit_with(&data, &Context::default()).unwrap();
        let want = ridge.predict(&features(&x)).unwrap();
        (0..400).for_each(|i| {
            assert!((says[(i, k)] - want[(i, 0)]).abs() < 1e-4 * (1.0 + want[(i, 0)].abs()), "expert {k}, row {i}")
        });
        assert!(coef[(k, 0)].is_finite());
    }
    // Two vectors with a penalty of alpha each are one difference with half of it: C = 2 / alpha.
    let doubled = Mat::from_fn(800, 2, |i, j| x[(i / 2, j)]);
    let labels: Vec<&str> = (0..800).map(|i| ["0", "1"][i % 2]).collect();
    let w: Vec<f64> = (0..800).map(|i| shares[(i / 2, i % 2)]).collect();
    let target = OwnedTarget::from_labels(&labels);
    let data = DatasetRef::new(features(&doubled)).with_target(target.view()).with_weight(Some(&w));
    let mut logistic = Logistic::default();
    AnyLearner::set(&mut logistic, "C", (2.0 / alpha).into()).unwrap();
    AnyLearner::set(&mut logistic, "tol", 1e-10.into()).unwrap();
    let want = logistic.fit_with(&data, &Context::default()).unwrap().proba(&features(&x)).unwrap();
    (0..400).for_each(|i| assert!((gate[(i, 1)] - want[(i, 1)]).abs() < 1e-4, "row {i}: {} {}", gate[(i, 1)], want[(i, 1)]));
}

#[test]
fn one_expert_is_ridge_or_softmax_regression() {
    let x = fixture("iris.csv.gz");
    let y: Vec<f64> = (0..150).map(|i| x[(i, 0)]).collect();
    let rest = Mat::from_fn(150, 3, |i, j| x[(i, j + 1)]);
    let learner = MixtureOfExperts { n_experts: 1, alpha: 2.0, tol: 1e-12, max_iter: 500, ..MixtureOfExperts::default() };
    let model = regress(&learner, &rest, &y).unwrap();
    let data = DatasetRef::new(features(&rest)).with_target(Target::Real(&y));
    let ridge = Ridge { alpha: RidgeAlpha::One(2.0), ..Ridge::default() }.fit_with(&data, &Context::default()).unwrap();
    let (a, b) = (model.predict(&features(&rest)).unwrap(), ridge.predict(&features(&rest)).unwrap());
    (0..150).for_each(|i| assert!((a[(i, 0)] - b[(i, 0)]).abs() < 1e-9));
    let classes = target("iris.csv.gz");
    let model = classify(&learner, &x, &classes).unwrap();
    let mut logistic = Logistic::default();
    AnyLearner::set(&mut logistic, "C", 0.5.into()).unwrap();
    AnyLearner::set(&mut logistic, "tol", 1e-10.into()).unwrap();
    let data = DatasetRef::new(features(&x)).with_target(classes.view());
    let want = logistic.fit_with(&data, &Context::default()).unwrap().proba(&features(&x)).unwrap();
    let got = model.proba(&features(&x)).unwrap();
    for i in 0..150 {
        (0..3).for_each(|c| assert!((got[(i, c)] - want[(i, c)]).abs() < 1e-5, "row {i}: {} {}", got[(i, c)], want[(i, c)]));
    }
}

#[test]
fn two_logistic_experts_separate_what_one_cannot() {
    // Exclusive or: the class is the sign of the product.
    let mut s = RngStream::new(6, "xor", 0);
    let x = Mat::from_fn(1200, 2, |_, _| 2.0 * s.uniform() - 1.0);
    let labels: Vec<&str> = (0..1200).map(|i| if x[(i, 0)] * x[(i, 1)] > 0.0 { "same" } else { "other" }).collect();
    let y = OwnedTarget::from_labels(&labels);
    let (codes, _) = y.view().classes().unwrap();
    let right = |m: &MixtureOfExpertsModel| {
        let predictions = m.classify(&features(&x)).unwrap();
        predictions.iter().zip(codes).filter(|(a, b)| a == b).count()
    };
    let one = classify(&MixtureOfExperts { n_experts: 1, ..MixtureOfExperts::default() }, &x, &y).unwrap();
    let two =
        classify(&MixtureOfExperts { alpha: 1e-3, n_init: 12, max_iter: 1000, ..MixtureOfExperts::default() }, &x, &y).unwrap();
    assert!(right(&one) < 800 && right(&two) > 1150, "{} {}", right(&one), right(&two));
    let p = two.proba(&features(&x)).unwrap();
    (0..1200).for_each(|i| assert!((p.row(i).iter().sum::<f64>() - 1.0).abs() < 1e-12));
    assert!(two.as_regressor().is_none() && two.mean_and_variance(&features(&x)).unwrap().is_none());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]
    #[test]
    fn the_objective_never_falls(
        (rows, cols, k) in (12usize..80, 1usize..4, 1usize..4),
        alpha in prop_oneof![Just(0.0), Just(1e-3), Just(1.0)],
        classes in prop_oneof![Just(0usize), Just(2), Just(3)],
        seed in any::<u64>(),
    ) {
        let mut s = RngStream::new(seed, "experts", 0);
        let x = Mat::from_fn(rows, cols, |_, _| s.normal());
        let y: Vec<f64> = (0..rows).map(|i| x[(i, 0)].abs() * 3.0 + s.normal() * 0.3 + (i % 2) as f64).collect();
        let alpha = if classes > 0 && alpha == 0.0 { 1e-3 } else { alpha };
        let learner = MixtureOfExperts { n_experts: k, alpha, tol: 1e-9, max_iter: 60, n_init: 2, ..MixtureOfExperts::default() };
        let model = if classes == 0 {
            regress(&learner, &x, &y).unwrap()
        } else {
            let labels: Vec<String> = (0..rows).map(|i| if i < classes { i } else { (y[i].abs() * 1.3) as usize % classes }.to_string()).collect();
            classify(&learner, &x, &OwnedTarget::from_labels(&labels)).unwrap()
        };
        let course = model.trace().unwrap().column("objective").unwrap();
        for w in course.windows(2) {
            prop_assert!(w[1] >= w[0] - 1e-10 * (w[0].abs() + rows as f64), "{learner:?}: {course:?}");
        }
    }
}

#[test]
fn wide_gates_climb_by_a_bound_on_their_curvature() {
    let mut s = RngStream::new(8, "wide", 0);
    let x = Mat::from_fn(900, 800, |_, _| s.normal());
    let y: Vec<f64> = (0..900).map(|i| if x[(i, 0)] > 0.0 { 3.0 * x[(i, 1)] } else { -3.0 * x[(i, 1)] }).collect();
    let learner = MixtureOfExperts { alpha: 30.0, n_init: 1, max_iter: 15, ..MixtureOfExperts::default() };
    let model = regress(&learner, &x, &y).unwrap();
    assert!(model.certificate().unwrap().notes.iter().any(|n| n.contains("bounded")));
    let course = model.trace().unwrap().column("objective").unwrap();
    assert!(course.windows(2).all(|w| w[1] >= w[0] - 1e-9 * w[0].abs()), "{course:?}");
}

#[test]
fn hostile_rows_are_right_or_said() {
    let (x, y) = regimes(60, 9);
    let learner = MixtureOfExperts::default();
    // Fewer rows than experts.
    let few = Mat::from_fn(2, 2, |i, j| (i + j) as f64);
    let e = regress(&MixtureOfExperts { n_experts: 3, ..learner.clone() }, &few, &[1.0, 2.0]).unwrap_err().to_string();
    assert!(e.contains("2 rows") && e.contains("3 experts"), "{e}");
    // Constant columns and targets, rows twice, columns of very different size.
    let finite =
        |m: &MixtureOfExpertsModel, x: &Mat<f64>| m.predict(&features(x)).unwrap().as_slice().iter().all(|v| v.is_finite());
    let constant = Mat::from_fn(60, 3, |i, j| if j == 2 { 7.0 } else { x[(i, j)] });
    assert!(finite(&regress(&learner, &constant, &y).unwrap(), &constant));
    let flat = regress(&learner, &x, &[4.0; 60]).unwrap();
    assert!(flat.predict(&features(&x)).unwrap().as_slice().iter().all(|v| (v - 4.0).abs() < 1e-9));
    let same = Mat::from_fn(60, 2, |_, j| j as f64);
    assert!(finite(&regress(&learner, &same, &y).unwrap(), &same));
    let huge = Mat::from_fn(60, 2, |i, j| if j == 0 { x[(i, 0)] * 1e12 } else { x[(i, 1)] });
    assert!(finite(&regress(&learner, &huge, &y).unwrap(), &huge));
    // Bad cells are named, and so are rows that cannot be predicted.
    let mut bad = x.clone();
    bad[(33, 1)] = f64::NAN;
    let schema = Schema::numbers(["a", "b"]);
    let data = DatasetRef::new(features(&bad)).with_target(Target::Real(&y)).with_schema(Some(&schema));
    let e = learner.fit_with(&data, &Context::default()).unwrap_err().to_string();
    assert!(e.contains("\"b\"") && e.contains("33"), "{e}");
    let model = regress(&learner, &x, &y).unwrap();
    assert!(model.predict(&features(&bad)).is_err());
    assert!(model.predict(&Features::F64(MatRef::row_major(&[1.0], 1, 1))).is_err());
}

#[test]
fn a_model_that_was_read_says_the_same() {
    let (x, y) = regimes(200, 10);
    let labels: Vec<&str> = y
        .iter()
        .map(|v| {
            if *v > 0.0 {
                "up"
            } else if *v > -3.0 {
                "middle"
            } else {
                "down"
            }
        })
        .collect();
    let classes = OwnedTarget::from_labels(&labels);
    let learner = MixtureOfExperts { n_experts: 3, ..MixtureOfExperts::default() };
    for model in [regress(&learner, &x, &y).unwrap(), classify(&learner, &x, &classes).unwrap()] {
        let mut out = ModelWriter::default();
        model.save(&mut out).unwrap();
        let again = MixtureOfExperts::load(&out.clone().into_reader()).unwrap();
        assert_eq!(again.gate(&features(&x)).unwrap(), model.gate(&features(&x)).unwrap());
        match model.as_regressor() {
            Some(_) => assert_eq!(again.predict(&features(&x)).unwrap(), model.predict(&features(&x)).unwrap()),
            None => assert_eq!(again.proba(&features(&x)).unwrap(), model.proba(&features(&x)).unwrap()),
        }
        out.mat("gate", &Mat::from_vec(3, 3, vec![f64::NAN; 9]));
        assert!(MixtureOfExperts::load(&out.into_reader()).is_err());
    }
}
