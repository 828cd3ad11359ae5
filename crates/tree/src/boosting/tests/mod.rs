use ermine_core::{
    Classifier, Column, Context, DatasetRef, Features, Learner, Mat, Model, ModelWriter, OwnedDataset, OwnedFeatures,
    OwnedTarget, Regressor, Result, RngStream, Table, Target, run_passes_source,
};

use super::engine::weighted_quantile;
use super::stream::fit_within;
use super::*;

mod closed_form;
mod hostile;
mod rows;
mod sampling;

/// Numbers with steps, waves, interactions and noise; some cells missing.
fn regression(rows: usize, cols: usize, seed: u64) -> OwnedDataset {
    let mut s = RngStream::new(seed, "boosting test", 0);
    let mut x = Mat::zeros(rows, cols);
    let mut y = Vec::with_capacity(rows);
    for i in 0..rows {
        for j in 0..cols {
            x[(i, j)] = (s.normal() * 8.0).round() / 4.0;
        }
        let v = |j: usize| x[(i, j % cols)];
        y.push(v(0) * v(1) + (2.0 * v(2)).sin() + f64::from(u8::from(v(3) > 0.5)) + 0.3 * s.normal());
        if s.below(10) == 0 {
            x[(i, s.below(cols))] = f64::NAN;
        }
    }
    OwnedDataset { x: OwnedFeatures::F64(x), y: OwnedTarget::Real(y), weight: None, schema: None }
}

/// The same rows with classes cut from the target.
fn classes(rows: usize, cols: usize, count: usize, seed: u64) -> OwnedDataset {
    let data = regression(rows, cols, seed);
    let OwnedTarget::Real(y) = &data.y else { unreachable!() };
    let code = |v: f64| ((v + 1.0).max(0.0) as usize).min(count - 1) as u32;
    let y =
        OwnedTarget::Class { codes: y.iter().map(|&v| code(v)).collect(), names: (0..count).map(|k| k.to_string()).collect() };
    OwnedDataset { y, ..data }
}

fn bytes(model: &BoostingModel) -> ModelWriter {
    let mut out = ModelWriter::default();
    model.save(&mut out).unwrap();
    out
}

fn small() -> Boosting {
    Boosting { max_iter: 12, max_leaf_nodes: Some(8), min_samples_leaf: 5, ..Boosting::default() }
}

#[test]
fn training_loss_falls_with_every_round() {
    let (a, b, c) = (regression(800, 4, 1), classes(800, 4, 2, 2), classes(800, 4, 4, 3));
    for (data, losses) in
        [(&a, &["squared_error", "absolute_error", "quantile"][..]), (&b, &["log_loss"][..]), (&c, &["log_loss"][..])]
    {
        for loss in losses {
            let learner = Boosting { loss: (*loss).into(), quantile: Some(0.3), max_iter: 30, ..Boosting::default() };
            let model = learner.fit_with(&data.view(), &Context::default()).unwrap();
            let losses = model.trace().unwrap().column("loss").unwrap();
            assert_eq!(losses.len(), 31);
            assert!(losses.windows(2).all(|w| w[1] <= w[0] + 1e-12), "{loss}: {losses:?}");
            assert!(losses[30] < 0.85 * losses[0], "{loss}: from {} to {}", losses[0], losses[30]);
        }
    }
}

#[test]
fn poisson_and_gamma_predict_positive_means() {
    let data = regression(1500, 3, 5);
    let OwnedTarget::Real(z) = &data.y else { unreachable!() };
    let mean: Vec<f64> = z.iter().map(|v| (0.4 * v).exp()).collect();
    for loss in ["poisson", "gamma"] {
        let y = OwnedTarget::Real(mean.clone());
        let data = OwnedDataset { y, ..data.clone() };
        let model = Boosting { loss: loss.into(), ..Boosting::default() }.fit_with(&data.view(), &Context::default()).unwrap();
        let predictions = model.predict(&data.view().x).unwrap();
        let error = predictions.as_slice().iter().zip(&mean).map(|(a, b)| (a.ln() - b.ln()).abs()).sum::<f64>() / 1500.0;
        let before = mean.iter().map(|b| (model.start()[0] - b.ln()).abs()).sum::<f64>() / 1500.0;
        assert!(error < 0.4 * before, "{loss}: mean error of the logarithm {error}, without trees {before}");
        let negative: Vec<f64> = mean.iter().map(|v| v - 5.0).collect();
        let refused = Boosting { loss: loss.into(), ..Boosting::default() }
            .fit_with(&data.view().with_target(Target::Real(&negative)), &Context::default());
        assert!(refused.unwrap_err().to_string().contains(loss));
    }
}

#[test]
fn constraints_hold() {
    let data = regression(3000, 4, 7);
    let learner = Boosting { monotonic_cst: Some(vec![0, 0, 1, -1]), ..Boosting::default() };
    let model = learner.fit_with(&data.view(), &Context::default()).unwrap();
    let mut s = RngStream::new(1, "probe", 0);
    for _ in 0..50 {
        let base: Vec<f64> = (0..4).map(|_| s.normal() * 2.0).collect();
        for (column, sign) in [(2, 1.0), (3, -1.0)] {
            let probe = Mat::from_fn(60, 4, |i, j| if j == column { i as f64 * 0.2 - 6.0 } else { base[j] });
            let predictions = model.predict(&Features::F64(probe.view())).unwrap();
            assert!(
                predictions.as_slice().windows(2).all(|w| sign * (w[1] - w[0]) >= -1e-12),
                "column {column}: {:?}",
                predictions.as_slice()
            );
        }
    }
    // Columns that may not meet do not meet.
    let learner = Boosting {
        interaction_cst: Some(InteractionConstraints::Sets(vec![vec![0, 1], vec![1, 2]])),
        max_iter: 20,
        ..Boosting::default()
    };
    let model = learner.fit_with(&data.view(), &Context::default()).unwrap();
    let mut together = std::collections::BTreeSet::new();
    for t in 0..model.trees().n_trees() {
        let nodes = model.trees().nodes(t);
        let mut stack = vec![(0usize, Vec::<u32>::new())];
        while let Some((at, mut way)) = stack.pop() {
            if nodes[at].right == 0 {
                way.sort_unstable();
                way.dedup();
                together.insert(way);
                continue;
            }
            way.push(nodes[at].feature);
            stack.push((at + 1, way.clone()));
            stack.push((nodes[at].right as usize, way));
        }
    }
    let allowed: [&[u32]; 3] = [&[0, 1], &[1, 2], &[3]];
    assert!(together.iter().all(|way| allowed.iter().any(|a| way.iter().all(|c| a.contains(c)))), "{together:?}");
    assert!(together.len() > 3);
}

#[test]
fn a_validation_set_stops_the_rounds() {
    let (data, other) = (classes(2000, 4, 2, 11), classes(1000, 4, 2, 12));
    let view = other.view();
    let cx = Context { validation: Some(&view), ..Context::default() };
    let learner = Boosting { max_iter: 2000, learning_rate: 0.5, ..Boosting::default() };
    let model = learner.fit_with(&data.view(), &cx).unwrap();
    assert!(model.rounds() < 500, "{} rounds", model.rounds());
    let losses = model.trace().unwrap().column("validation_loss").unwrap();
    assert_eq!(losses.len(), model.rounds() + 1);
    // The trace has the losses of the model.
    let logs = model.log_proba(&view.x).unwrap();
    let (codes, _) = view.y.classes().unwrap();
    let mean = -codes.iter().enumerate().map(|(i, &c)| logs[(i, c as usize)]).sum::<f64>() / 1000.0;
    assert!((mean - losses[model.rounds()]).abs() < 1e-9);
    let stopping = Boosting { early_stopping: EarlyStopping::Flag(true), ..learner.clone() };
    let model = stopping.fit_with(&data.view(), &Context::default()).unwrap();
    assert!(model.rounds() < 500 && model.certificate().unwrap().notes[0].contains("early"));
}

#[test]
fn sampling_learns_too_and_repeats_itself() {
    let data = regression(4000, 5, 21);
    let mean_error = |learner: &Boosting| {
        let model = learner.fit_with(&data.view(), &Context::seeded(3)).unwrap();
        assert_eq!(bytes(&model), bytes(&learner.fit_with(&data.view(), &Context::seeded(3)).unwrap()));
        model.trace().unwrap().rows.last().unwrap()[1]
    };
    let all = mean_error(&Boosting::default());
    for learner in [
        Boosting { subsample: 0.5, ..Boosting::default() },
        Boosting { goss: true, ..Boosting::default() },
        Boosting { colsample_bytree: 0.6, max_features: 0.7, ..Boosting::default() },
    ] {
        let here = mean_error(&learner);
        assert!(here < 2.0 * all, "{here} against {all}");
    }
}

#[test]
fn a_quantile_is_what_it_should_be() {
    let mut v = [(3.0, 1.0), (1.0, 1.0), (2.0, 1.0), (4.0, 1.0)];
    assert_eq!(weighted_quantile(&mut v, 0.5), 2.5);
    assert_eq!(weighted_quantile(&mut v, 0.9), 4.0);
    assert_eq!(weighted_quantile(&mut v, 0.0), 1.0);
    let mut w = [(1.0, 1.0), (2.0, 3.0)];
    assert_eq!(weighted_quantile(&mut w, 0.5), 2.0);
    let data = regression(3000, 3, 31);
    for q in [0.1, 0.5, 0.9] {
        let learner = Boosting { loss: "quantile".into(), quantile: Some(q), ..Boosting::default() };
        let model = learner.fit_with(&data.view(), &Context::default()).unwrap();
        let predictions = model.predict(&data.view().x).unwrap();
        let y = data.view().y.reals().unwrap();
        let below = (0..3000).filter(|&i| *y.at(i, 0) <= predictions[(i, 0)]).count() as f64 / 3000.0;
        assert!((below - q).abs() < 0.06, "{below} of the rows lie below the {q} quantile");
    }
}
