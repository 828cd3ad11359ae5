//! Training: the same bits on any number of threads and after a resume, divergence, weights, stopping, hostile data.

use std::sync::Mutex;
use std::time::Duration;

use ermine_core::{
    Classifier, Context, DatasetRef, Error, Features, Flow, Learner, Mat, MatRef, Model, ModelWriter, OwnedTarget, Progress,
    Regressor, RngStream, Target,
};
use ermine_neural::{ActivationName, Mlp, MlpSolver, Network, NetworkModel, Optimizer, ScheduleName, Shape, Trainer, WeightInit};

/// Two half moons, one around the end of the other.
fn moons(rows: usize, seed: u64) -> (Mat<f64>, OwnedTarget) {
    let mut s = RngStream::new(seed, "moons", 0);
    let labels: Vec<&str> = (0..rows).map(|i| if i % 2 == 0 { "inner" } else { "outer" }).collect();
    let mut x = Mat::zeros(rows, 2);
    for i in 0..rows {
        let angle = std::f64::consts::PI * s.uniform();
        let (a, b) = if i % 2 == 0 { (angle.cos(), angle.sin()) } else { (1.0 - angle.cos(), 0.5 - angle.sin()) };
        x[(i, 0)] = a + 0.1 * s.normal();
        x[(i, 1)] = b + 0.1 * s.normal();
    }
    (x, OwnedTarget::from_labels(&labels))
}

fn stored(model: &NetworkModel) -> ModelWriter {
    let mut out = ModelWriter::default();
    model.save(&mut out).unwrap();
    out
}

fn accuracy(model: &NetworkModel, x: &Mat<f64>, y: &OwnedTarget) -> f64 {
    let Target::Class { codes, .. } = y.view() else { panic!("classes") };
    let predicted = model.as_classifier().unwrap().classify(&Features::F64(x.view())).unwrap();
    predicted.iter().zip(codes).filter(|(a, b)| a == b).count() as f64 / codes.len() as f64
}

#[test]
fn curved_borders_are_learned_by_every_solver() {
    let ((x, y), (u, v)) = (moons(600, 1), moons(400, 2));
    let data = DatasetRef::new(Features::F64(x.view())).with_target(y.view());
    for (solver, rate) in [
        (MlpSolver::Adam, 0.01),
        (MlpSolver::Sgd, 0.1),
        (MlpSolver::Rmsprop, 0.01),
        (MlpSolver::Adagrad, 0.1),
        (MlpSolver::Lbfgs, 1.0),
    ] {
        let mlp =
            Mlp { hidden_layer_sizes: vec![32, 16], solver, learning_rate_init: rate, batch_size: Some(32), ..Mlp::default() };
        let model = mlp.fit_with(&data, &Context::default()).unwrap();
        assert!(accuracy(&model, &u, &v) > 0.97, "{solver:?}: {}", accuracy(&model, &u, &v));
        let losses = model.losses();
        assert!(losses[losses.len() - 1] < 0.3 * losses[0], "{solver:?}: {losses:?}");
    }
}

#[test]
fn threads_do_not_change_a_bit() {
    let (x, y) = moons(700, 3);
    let wide = Mat::from_fn(700, 60, |i, j| x[(i, j % 2)] * (1.0 + j as f64 * 0.1) + (j as f64).sin());
    let data = DatasetRef::new(Features::F64(wide.view())).with_target(y.view());
    let mlp = Mlp {
        layers: Some("dense(150) batchnorm relu dropout(0.3) dense(80) tanh".parse().unwrap()),
        max_iter: 4,
        clip: Some(1.0),
        ..Mlp::default()
    };
    let mut first = None;
    for threads in [1, 2, 7] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let model = pool.install(|| mlp.fit_with(&data, &Context::seeded(5)).unwrap());
        let proba = pool.install(|| model.as_classifier().unwrap().proba(&data.x).unwrap());
        let here = (stored(&model), proba);
        match &first {
            None => first = Some(here),
            Some(one) => assert!(*one == here, "{threads} threads"),
        }
    }
}

#[test]
fn layers_where_blocks_meet_have_the_gradients_of_single_rows() {
    let (rows, inputs) = (150, 300);
    let layers = "dense(256) tanh dense(300) relu dense(3)".parse().unwrap();
    let network: Network<f32> = Network::new(&layers, Shape::flat(inputs), WeightInit::Auto, 3).unwrap();
    let mut s = RngStream::new(5, "rows", 0);
    let x = Mat::from_fn(rows, inputs, |_, _| (s.normal() as f32).max(0.0));
    let d = Mat::from_fn(rows, 3, |_, _| s.normal() as f32);
    // One row is one block.
    let mut one = Trainer::new(network.clone(), Optimizer::adam(0.01), 1).unwrap();
    let mut want: Vec<Vec<f64>> = Vec::new();
    let mut out = Vec::new();
    for i in 0..rows {
        out.extend_from_slice(one.forward(x.view().row_range(i..i + 1)).unwrap().row(0).unwrap());
        one.backward(d.view().row_range(i..i + 1)).unwrap();
        let here = one.gradients();
        want.resize_with(here.len(), Vec::new);
        for (sum, g) in want.iter_mut().zip(here) {
            sum.resize(g.values.len(), 0.0);
            sum.iter_mut().zip(g.values).for_each(|(s, g)| *s += f64::from(g));
        }
    }
    let mut known: Option<Vec<Vec<f32>>> = None;
    for threads in [1, 2, 7] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let mut all = Trainer::new(network.clone(), Optimizer::adam(0.01), rows).unwrap();
        assert!(all.blocks() > 1);
        pool.install(|| {
            let outputs = all.forward(x.view()).unwrap();
            assert!((0..rows).all(|i| outputs.row(i).unwrap() == &out[3 * i..][..3]), "{threads} threads");
            all.backward(d.view()).unwrap();
        });
        for (g, want) in all.gradients().iter().zip(&want) {
            let size = want.iter().fold(0.0f64, |m, w| m.max(w.abs()));
            let far = g.values.iter().zip(want).map(|(g, w)| (f64::from(*g) - w).abs()).fold(0.0, f64::max);
            assert!(far <= 1e-5 * size, "layer {} {}: {far} of {size}", g.layer, g.name);
        }
        pool.install(|| all.apply().unwrap());
        let weights: Vec<Vec<f32>> = all.network().weights().into_iter().map(|w| w.values).collect();
        assert!(*known.get_or_insert_with(|| weights.clone()) == weights, "{threads} threads");
    }
}

#[test]
fn an_interrupted_fit_goes_on_to_the_same_bytes() {
    let (x, y) = moons(300, 4);
    let data = DatasetRef::new(Features::F64(x.view())).with_target(y.view());
    let numbers: Vec<f64> = (0..300).map(|i| 50.0 + 7.0 * x[(i, 0)] * x[(i, 1)]).collect();
    let regression = data.with_target(Target::Real(&numbers));
    let plain = Mlp { max_iter: 12, tol: None, ..Mlp::default() };
    let stopping =
        Mlp { early_stopping: true, tol: Some(1e-4), learning_rate: ScheduleName::Cosine, dropout: 0.2, ..plain.clone() };
    for (mlp, data) in [(&plain, &data), (&stopping, &data), (&plain, &regression)] {
        let whole = mlp.fit_with(data, &Context::seeded(2)).unwrap();
        let kept: Mutex<Option<ModelWriter>> = Mutex::new(None);
        let keep = |model: &dyn Model| {
            let mut out = ModelWriter::default();
            model.save(&mut out)?;
            *kept.lock().unwrap() = Some(out);
            Ok(())
        };
        let stop = |p: &Progress| if p.stage == "epochs" && p.done >= 5 { Flow::Stop } else { Flow::Continue };
        let cx =
            Context { observer: Some(&stop), checkpoint: Some(&keep), checkpoint_every: Duration::ZERO, ..Context::seeded(2) };
        assert!(matches!(mlp.fit_with(data, &cx), Err(Error::Stopped(_))));
        let kept = kept.into_inner().unwrap().expect("a model was kept");
        let half = Mlp::load(&kept.into_reader()).unwrap();
        assert_eq!(half.n_iter(), 5);
        let end = Mlp::WARM_START.unwrap()(mlp, Some(&half), data, &Context::seeded(2)).unwrap();
        assert!(stored(&end) == stored(&whole));
    }
}

#[test]
fn a_rate_far_too_large_is_found_out_and_the_weights_stay_finite() {
    let (x, y) = moons(300, 5);
    let data = DatasetRef::new(Features::F64(x.view())).with_target(y.view());
    for solver in [MlpSolver::Sgd, MlpSolver::Adam] {
        let mlp = Mlp { solver, learning_rate_init: 1e6, hidden_layer_sizes: vec![20, 20], ..Mlp::default() };
        let model = mlp.fit_with(&data, &Context::default()).unwrap();
        let certificate = model.certificate().unwrap();
        assert!(!certificate.converged, "{solver:?}");
        assert!(certificate.notes[0].contains("diverged") && certificate.notes[0].contains("learning_rate_init"), "{solver:?}");
        assert!(model.network().is_finite());
        assert!(model.proba(&data.x).unwrap().as_slice().iter().all(|p| p.is_finite()));
    }
}

#[test]
fn one_bad_cell_is_named() {
    let (x, y) = moons(50, 6);
    for bad in [f64::NAN, f64::INFINITY, 1e39] {
        let mut x = x.clone();
        x[(33, 1)] = bad;
        let data = DatasetRef::new(Features::F64(x.view())).with_target(y.view());
        let e = Mlp::default().fit_with(&data, &Context::default()).unwrap_err().to_string();
        assert!(e.contains("row 33") && e.contains("column 1"), "{e}");
    }
}

#[test]
fn shapes_batches_and_parameters_that_do_not_fit_are_refused() {
    let (x, y) = moons(50, 6);
    let data = DatasetRef::new(Features::F64(x.view())).with_target(y.view());
    let refused = |mlp: Mlp| mlp.fit_with(&data, &Context::default()).unwrap_err().to_string();
    let e = refused(Mlp { hidden_layer_sizes: vec![10, 0], ..Mlp::default() });
    assert!(e.contains("hidden_layer_sizes"), "{e}");
    let e = refused(Mlp { layers: Some("dense(4) pool(2)".parse().unwrap()), ..Mlp::default() });
    assert!(e.contains("layer 2, pool(2)") && e.contains("2x2"), "{e}");
    let norm = Some("dense(4) batchnorm relu".parse().unwrap());
    let e = refused(Mlp { layers: norm.clone(), batch_size: Some(1), ..Mlp::default() });
    assert!(e.contains("at least 2 rows") && e.contains("batch_size"), "{e}");
    // 50 rows in batches of 7: the last row joins the batch before.
    let model =
        Mlp { layers: norm, batch_size: Some(7), max_iter: 3, ..Mlp::default() }.fit_with(&data, &Context::default()).unwrap();
    assert!(model.network().is_finite());
}

#[test]
fn weights_are_rows_and_classes_can_weigh_alike() {
    let (x, y) = moons(200, 7);
    let data = DatasetRef::new(Features::F64(x.view())).with_target(y.view());
    // Rows of weight 0 have no effect, wherever they are.
    let weight: Vec<f64> = (0..200).map(|i| if i % 5 == 3 { 0.0 } else { 1.0 }).collect();
    let kept: Vec<usize> = (0..200).filter(|i| i % 5 != 3).collect();
    let part = data.take_rows(&kept);
    let mlp = Mlp { max_iter: 20, ..Mlp::default() };
    let a = mlp.fit_with(&data.with_weight(Some(&weight)), &Context::default()).unwrap();
    let b = mlp.fit_with(&part.view(), &Context::default()).unwrap();
    assert!(a.proba(&data.x).unwrap() == b.proba(&data.x).unwrap());
    // Class weights are weights of rows; the rows of one class twice are balanced by halves.
    let Target::Class { codes, .. } = data.y else { panic!("classes") };
    let factors: Vec<f64> = codes.iter().map(|c| if *c == 0 { 0.5 } else { 2.0 }).collect();
    let by_row = mlp.fit_with(&data.with_weight(Some(&factors)), &Context::default()).unwrap();
    let factors = serde_json::from_str(r#"{"inner": 0.5, "outer": 2.0}"#).unwrap();
    let by_class = Mlp { class_weight: Some(factors), ..mlp.clone() }.fit_with(&data, &Context::default()).unwrap();
    assert!(by_row.proba(&data.x).unwrap() == by_class.proba(&data.x).unwrap());
    let unknown = serde_json::from_str(r#"{"outter": 2.0}"#).unwrap();
    let e = Mlp { class_weight: Some(unknown), ..mlp }.fit_with(&data, &Context::default()).unwrap_err().to_string();
    assert!(e.contains("outter") && e.contains("outer"), "{e}");
}

#[test]
fn early_stopping_keeps_the_best_weights() {
    let (x, y) = moons(200, 8);
    let data = DatasetRef::new(Features::F64(x.view())).with_target(y.view());
    let mlp = Mlp { early_stopping: true, validation_fraction: 0.3, learning_rate_init: 0.02, ..Mlp::default() };
    let model = mlp.fit_with(&data, &Context::seeded(1)).unwrap();
    let scores = model.scores();
    assert_eq!(scores.len() as u64, model.n_iter());
    let best = scores.iter().copied().fold(0.0, f64::max);
    // Stopped n_iter_no_change epochs after the best, to within the tolerance.
    let at = scores.iter().position(|s| *s >= best - 1e-4).unwrap();
    assert!(scores.len() > at + 10 && best > 0.8, "{scores:?}");
    // A user-supplied validation set.
    let (u, v) = moons(100, 9);
    let other = DatasetRef::new(Features::F64(u.view())).with_target(v.view());
    let model = mlp.fit_with(&data, &Context { validation: Some(&other), ..Context::seeded(1) }).unwrap();
    let best = model.scores().iter().copied().fold(0.0, f64::max);
    assert!((accuracy(&model, &u, &v) - best).abs() < 1e-12);
}

/// Without hidden layers and penalty, the minimum is least squares.
#[test]
fn without_hidden_layers_it_is_least_squares() {
    let mut s = RngStream::new(3, "least squares", 0);
    let x = Mat::from_fn(80, 2, |_, _| s.normal());
    let y: Vec<f64> = (0..80).map(|i| 300.0 + 40.0 * x[(i, 0)] - 25.0 * x[(i, 1)] + s.normal()).collect();
    // Normal equations of (1, x0, x1), solved by Cramer's rule.
    let row = |i: usize| [1.0, x[(i, 0)], x[(i, 1)]];
    let sum = |f: &dyn Fn(usize) -> f64| (0..80).map(f).sum::<f64>();
    let a: [[f64; 3]; 3] = std::array::from_fn(|p| std::array::from_fn(|q| sum(&|i| row(i)[p] * row(i)[q])));
    let b: [f64; 3] = std::array::from_fn(|p| sum(&|i| row(i)[p] * y[i]));
    let det = |m: [[f64; 3]; 3]| {
        m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0])
            + m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0])
    };
    let solution: [f64; 3] = std::array::from_fn(|k| {
        let mut m = a;
        (0..3).for_each(|p| m[p][k] = b[p]);
        det(m) / det(a)
    });
    let data = DatasetRef::new(Features::F64(x.view())).with_target(Target::Real(&y));
    for scale_target in [true, false] {
        let mlp = Mlp {
            hidden_layer_sizes: vec![],
            activation: ActivationName::Identity,
            solver: MlpSolver::Lbfgs,
            alpha: 0.0,
            tol: Some(1e-9),
            max_iter: 1000,
            scale_target,
            ..Mlp::default()
        };
        let model = mlp.fit_with(&data, &Context::default()).unwrap();
        let w = model.network().weights();
        for (found, want) in [(w[1].values[0], solution[0]), (w[0].values[0], solution[1]), (w[0].values[1], solution[2])] {
            assert!((f64::from(found) - want).abs() < 1e-5 * want.abs(), "{scale_target}: {found} {want}");
        }
        let predictions = model.predict(&Features::F64(MatRef::row_major(&[0.5, -0.5], 1, 2))).unwrap()[(0, 0)];
        let want = solution[0] + 0.5 * solution[1] - 0.5 * solution[2];
        assert!((predictions - want).abs() < 1e-5 * want.abs());
    }
}

#[test]
fn learning_bit_by_bit_is_learning_epoch_by_epoch() {
    let (x, y) = moons(128, 10);
    let data = DatasetRef::new(Features::F64(x.view())).with_target(y.view());
    let mlp = Mlp { max_iter: 4, tol: None, ..Mlp::default() };
    let whole = mlp.fit_with(&data, &Context::seeded(3)).unwrap();
    let mut model = mlp.partial_fit(None, &data, &Context::seeded(3)).unwrap();
    for _ in 1..4 {
        model = mlp.partial_fit(Some(&model), &data, &Context::seeded(3)).unwrap();
    }
    assert_eq!(model.n_iter(), 4);
    assert!(model.proba(&data.x).unwrap() == whole.proba(&data.x).unwrap());
    assert!(Mlp::PARTIAL_FIT.unwrap()(&Mlp { solver: MlpSolver::Lbfgs, ..mlp }, None, &data, &Context::default()).is_err());
}

#[test]
fn histograms_of_every_layer_are_in_the_report() {
    let (x, y) = moons(100, 11);
    let data = DatasetRef::new(Features::F64(x.view())).with_target(y.view());
    let model =
        Mlp { hidden_layer_sizes: vec![12, 6], max_iter: 3, ..Mlp::default() }.fit_with(&data, &Context::default()).unwrap();
    for of in ["activations", "gradients", "weights"] {
        let histograms: Vec<_> = model.histograms().iter().filter(|h| h.of == of).collect();
        assert_eq!(histograms.len(), 3, "{of}");
        assert!(histograms.iter().all(|h| h.low <= h.mean && h.mean <= h.high && h.deviation > 0.0));
    }
    let weights = &model.network().weights()[0].values;
    let h = model.histograms().iter().find(|h| h.of == "weights" && h.layer == 0).unwrap();
    assert_eq!(h.counts.iter().sum::<u64>() as usize, weights.len());
    let mean = weights.iter().map(|v| f64::from(*v)).sum::<f64>() / weights.len() as f64;
    assert!((h.mean - mean).abs() < 1e-9);
    let text = serde_json::to_string(&model.report(&ermine_core::Schema::unnamed(2))).unwrap();
    assert!(text.contains("Histogram of the gradients") && text.contains("dense(12)"), "{text}");
}
