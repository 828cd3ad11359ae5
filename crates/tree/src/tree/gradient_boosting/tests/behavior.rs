//! Rounds: closed forms, losses that fall, samples, early stopping, going on.

use super::*;

fn losses() -> Vec<(&'static str, bool)> {
    vec![
        ("squared_error", false),
        ("absolute_error", false),
        ("huber", false),
        ("quantile", false),
        ("poisson", false),
        ("log_loss", true),
        ("exponential", true),
    ]
}

#[test]
fn one_full_step_of_squared_loss_is_the_mean_of_each_leaf() {
    // Two groups: the first tree of depth 1 at rate 1 leaves nothing but what varies within them.
    let x = Mat::from_fn(20, 1, |i, _| if i < 8 { 0.0 } else { 1.0 });
    let y: Vec<f64> = (0..20).map(|i| if i < 8 { i as f64 } else { 100.0 + i as f64 }).collect();
    let model = fit(&learner(json!({"n_estimators": 1, "learning_rate": 1.0, "max_depth": 1})), &x, Target::Real(&y));
    let p = model.predict(&Features::F64(x.view())).unwrap();
    assert!((0..20).all(|i| (p[(i, 0)] - if i < 8 { 3.5 } else { 113.5 }).abs() < 1e-12));
    // A second round has nothing to add.
    let more = fit(&learner(json!({"n_estimators": 2, "learning_rate": 1.0, "max_depth": 1})), &x, Target::Real(&y));
    let q = more.predict(&Features::F64(x.view())).unwrap();
    assert!(p.as_slice().iter().zip(q.as_slice()).all(|(p, q)| (p - q).abs() < 1e-10));
    // Without shrinkage a deep tree reaches every target at once.
    let x = normal(60, 2, 1);
    let y = numbers(&x, 2);
    let deep = fit(&learner(json!({"n_estimators": 1, "learning_rate": 1.0, "max_depth": null})), &x, Target::Real(&y));
    let p = deep.predict(&Features::F64(x.view())).unwrap();
    assert!((0..60).all(|i| (p[(i, 0)] - y[i]).abs() < 1e-10));
}

#[test]
fn the_training_loss_falls_in_every_round() {
    let x = normal(300, 4, 3);
    let y: Vec<f64> = numbers(&x, 4).iter().map(|v| (2.0 * v + 3.0).max(0.0).round()).collect();
    let two = labels(&x, 2, 5);
    for (loss, classes) in losses() {
        for step in ["leaf", "line-search", "fixed", "decay"] {
            // Huber's loss turns elsewhere in each round, so that its values cannot be compared.
            if loss == "huber" || loss == "poisson" && step == "fixed" {
                continue;
            }
            let params = json!({"loss": loss, "n_estimators": 30, "step": step, "learning_rate": 0.1});
            let target = if classes { two.view() } else { Target::Real(&y) };
            let model = fit(&learner(params), &x, target);
            let score = model.train_score();
            let top = score[0];
            assert!(score.windows(2).all(|w| w[1] <= w[0] + 1e-9 * top), "{loss}, {step}: {score:?}");
            assert!(score[29] < score[0]);
        }
    }
    let three = labels(&x, 3, 6);
    let model = fit(&learner(json!({"n_estimators": 30})), &x, three.view());
    assert_eq!(model.trees().n_trees(), 90);
    assert!(model.train_score().windows(2).all(|w| w[1] < w[0]));
    let p = model.proba(&Features::F64(x.view())).unwrap();
    let Target::Class { codes, .. } = three.view() else { unreachable!() };
    let loss = (0..300).map(|i| -p[(i, codes[i] as usize)].ln()).sum::<f64>() / 300.0;
    assert!((loss - model.train_score()[29]).abs() < 1e-12);
}

#[test]
fn huber_and_quantile_see_past_outliers() {
    let x = normal(400, 2, 7);
    let mut y: Vec<f64> = (0..400).map(|i| x[(i, 0)]).collect();
    (0..20).for_each(|k| y[k * 20] = 1000.0);
    for loss in ["huber", "absolute_error"] {
        let model = fit(&learner(json!({"loss": loss, "n_estimators": 200, "min_samples_leaf": 20})), &x, Target::Real(&y));
        let p = model.predict(&Features::F64(x.view())).unwrap();
        let missed = (0..400).filter(|i| i % 20 != 0).map(|i| (p[(i, 0)] - x[(i, 0)]).abs()).sum::<f64>() / 380.0;
        assert!(missed < 0.3, "{loss}: {missed}");
    }
    // The share of training rows below a fitted quantile is the quantile.
    let x = normal(2000, 2, 8);
    let y = numbers(&x, 9);
    for alpha in [0.1, 0.5, 0.9] {
        let model = fit(&learner(json!({"loss": "quantile", "quantile": alpha, "n_estimators": 50})), &x, Target::Real(&y));
        let p = model.predict(&Features::F64(x.view())).unwrap();
        let below = (0..2000).filter(|&i| y[i] <= p[(i, 0)]).count() as f64 / 2000.0;
        assert!((below - alpha).abs() < 0.03, "{alpha}: {below}");
    }
}

#[test]
fn poisson_means_keep_the_total() {
    let x = normal(500, 3, 10);
    let mut s = RngStream::new(11, "counts", 0);
    let y: Vec<f64> = (0..500).map(|i| (x[(i, 0)].exp() * -(1.0 - s.uniform()).ln()).floor()).collect();
    let model = fit(&learner(json!({"loss": "poisson", "n_estimators": 1, "learning_rate": 1.0})), &x, Target::Real(&y));
    let p = model.predict(&Features::F64(x.view())).unwrap();
    // Each leaf is exact at rate 1 where it has counts, so that they sum to the counts.
    let (seen, expected) = (y.iter().sum::<f64>(), p.as_slice().iter().sum::<f64>());
    assert!((seen - expected).abs() < 1e-9 * seen, "{seen} and {expected}");
    assert!(p.as_slice().iter().all(|v| *v > 0.0));
}

#[test]
fn stages_end_at_the_prediction() {
    let x = normal(150, 3, 12);
    for target in [labels(&x, 2, 13), labels(&x, 3, 13)] {
        let model = fit(&learner(json!({"n_estimators": 15})), &x, target.view());
        let mut stages = Vec::new();
        model
            .staged(&Features::F64(x.view()), |raw| {
                stages.push(raw.clone());
                Ok(())
            })
            .unwrap();
        assert_eq!(stages.len(), 15);
        let last = model.decision(&Features::F64(x.view())).unwrap().unwrap();
        assert_eq!(stages[14].as_slice(), last.as_slice());
    }
}

#[test]
fn samples_are_seen_and_the_rest_measures_progress() {
    let x = normal(400, 4, 14);
    let y = numbers(&x, 15);
    let model = fit(&learner(json!({"subsample": 0.5, "n_estimators": 40})), &x, Target::Real(&y));
    assert_eq!(model.oob_improvement().len(), 40);
    assert!(model.oob_improvement()[..5].iter().all(|v| *v > 0.0), "{:?}", model.oob_improvement());
    let p = model.predict(&Features::F64(x.view())).unwrap();
    assert!((0..400).map(|i| (p[(i, 0)] - y[i]).powi(2)).sum::<f64>() / 400.0 < 0.25);
    let sample =
        BoostingSample { y: BoostingTarget::Numbers(y), weight: vec![1.0; 400], train: (0..400).collect(), held: Vec::new() };
    for round in 0..5 {
        let drawn = sample.draw(0.3, 1, round).unwrap();
        assert_eq!(drawn.iter().filter(|d| **d).count(), 120);
    }
}

#[test]
fn rounds_end_when_held_out_rows_stop_to_gain() {
    let x = normal(500, 3, 16);
    let mut s = RngStream::new(17, "noise", 0);
    let y: Vec<f64> = (0..500).map(|i| f64::from(u8::from(x[(i, 0)] > 0.0)) + 0.5 * s.normal()).collect();
    let params = json!({"n_iter_no_change": 5, "n_estimators": 1000, "validation_fraction": 0.2});
    let model = fit(&learner(params.clone()), &x, Target::Real(&y));
    let rounds = model.n_rounds();
    assert!(rounds > 5 && rounds < 300, "{rounds}");
    let score = model.validation_score();
    assert_eq!(score.len(), rounds);
    assert!(early_stop(score, 5, 1e-4) && !early_stop(&score[..rounds - 1], 5, 1e-4));
    assert!(model.certificate().unwrap().notes[0].contains("stopped falling"));
    // A validation set of one's own leaves all rows for training.
    let data = DatasetRef::new(Features::F64(x.view())).with_target(Target::Real(&y));
    let (train, validation) = (data.row_range(0..400), data.row_range(400..500));
    let cx = Context { validation: Some(&validation), ..Context::default() };
    let apart = learner(params).fit_with(&train, &cx).unwrap();
    let p = apart.predict(&validation.x).unwrap();
    let mse = (0..100).map(|i| (p[(i, 0)] - y[400 + i]).powi(2)).sum::<f64>() / 100.0;
    assert!((mse - apart.validation_score().last().unwrap()).abs() < 1e-12);
}

#[test]
fn going_on_gives_the_bytes_of_one_fit() {
    let x = normal(200, 3, 18);
    let (y, classes) = (numbers(&x, 19), labels(&x, 3, 20));
    for target in [Target::Real(&y), classes.view()] {
        for extra in [json!({}), json!({"subsample": 0.6, "max_features": 1}), json!({"n_iter_no_change": 4, "tol": 0.0})] {
            let data = DatasetRef::new(Features::F64(x.view())).with_target(target);
            let with = |n: u64| {
                let mut params = extra.clone();
                params["n_estimators"] = json!(n);
                learner(params)
            };
            let cx = Context::seeded(3);
            let whole = with(25).fit_with(&data, &cx).unwrap();
            let part = with(10).fit_with(&data, &cx).unwrap();
            let joined = GradientBoosting::WARM_START.unwrap()(&with(25), Some(&part), &data, &cx).unwrap();
            assert!(bytes(&joined) == bytes(&whole));
        }
    }
}

#[test]
fn hostile_targets_are_refused_or_right() {
    let x = normal(50, 2, 21);
    let data = |y| DatasetRef::new(Features::F64(x.view())).with_target(y);
    let only = OwnedTarget::Class { codes: vec![0; 50], names: vec!["only".into()] };
    let e = GradientBoosting::default().fit_with(&data(only.view()), &Context::default()).unwrap_err();
    assert!(e.to_string().contains("1 class"), "{e}");
    let negative = vec![-1.0; 50];
    let poisson = learner(json!({"loss": "poisson"}));
    assert!(poisson.fit_with(&data(Target::Real(&negative)), &Context::default()).unwrap_err().to_string().contains("row 0"));
    let wrong = learner(json!({"loss": "exponential"}));
    assert!(wrong.fit_with(&data(Target::Real(&negative)), &Context::default()).is_err());
    for loss in ["squared_error", "absolute_error", "huber", "quantile"] {
        for value in [0.0, 7.0, -1e200] {
            let y = vec![value; 50];
            let p = fit(&learner(json!({"loss": loss})), &x, Target::Real(&y)).predict(&Features::F64(x.view())).unwrap();
            assert!(p.as_slice().iter().all(|p| (p - value).abs() <= 1e-9 * value.abs()), "{loss}, {value}");
        }
    }
    // Classes that a column separates: scores grow, and stay finite.
    let y = OwnedTarget::from_labels(&(0..50).map(|i| if x[(i, 0)] > 0.0 { "a" } else { "b" }).collect::<Vec<_>>());
    for (loss, step) in [("log_loss", "leaf"), ("exponential", "leaf"), ("log_loss", "line-search")] {
        let model = fit(&learner(json!({"loss": loss, "step": step, "n_estimators": 300})), &x, y.view());
        let p = model.proba(&Features::F64(x.view())).unwrap();
        assert!(p.as_slice().iter().all(|v| v.is_finite() && !(0.3..0.7).contains(v)), "{loss}, {step}");
    }
}
