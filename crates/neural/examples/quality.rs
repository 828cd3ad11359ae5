//! Accuracy of networks: Fashion-MNIST by a perceptron and a convolutional network, Californian houses by a perceptron.
//!
//! `ERMINE_DATA=folder cargo run --release -p ermine-neural --example quality [mlp] [convnet] [houses]`

mod data;

use std::time::Instant;

use ermine_core::{Classifier, Context, DatasetRef, Features, Learner, Mat, Regressor, Target};
use ermine_neural::{ConvNet, Mlp, NetworkModel, ScheduleName};

type ExampleResult = Result<(), Box<dyn std::error::Error>>;

fn clothes(fit: &dyn Fn(&DatasetRef<'_>) -> ermine_core::Result<NetworkModel>, name: &str) -> ExampleResult {
    let ((x, y), (u, v)) = (data::clothes("train")?, data::clothes("t10k")?);
    let names: Vec<String> = (0..10).map(|k| k.to_string()).collect();
    let rows = DatasetRef::new(Features::F32(x.view())).with_target(Target::Class { codes: &y, names: &names });
    let started = Instant::now();
    let model = fit(&rows)?;
    let seconds = started.elapsed().as_secs_f64();
    let predicted = model.classify(&Features::F32(u.view()))?;
    let right = predicted.iter().zip(&v).filter(|(a, b)| a == b).count();
    println!("{name}: accuracy {:.4}, {} epochs, {seconds:.1} s", right as f64 / v.len() as f64, model.n_iter());
    Ok(())
}

/// Every fifth district is a test row; columns are standardized by the others.
fn houses() -> ExampleResult {
    let (x, y) = data::houses()?;
    let (test, train): (Vec<usize>, Vec<usize>) = (0..y.len()).partition(|i| i % 5 == 0);
    let moments = |j: usize| {
        let mean = train.iter().map(|&i| x[(i, j)]).sum::<f64>() / train.len() as f64;
        let variance = train.iter().map(|&i| (x[(i, j)] - mean).powi(2)).sum::<f64>() / train.len() as f64;
        (mean, variance.sqrt())
    };
    let scale: Vec<(f64, f64)> = (0..x.cols()).map(moments).collect();
    let part = |rows: &[usize]| Mat::from_fn(rows.len(), x.cols(), |i, j| (x[(rows[i], j)] - scale[j].0) / scale[j].1);
    let (a, b) = (part(&train), part(&test));
    let (c, d): (Vec<f64>, Vec<f64>) = (train.iter().map(|&i| y[i]).collect(), test.iter().map(|&i| y[i]).collect());
    let rows = DatasetRef::new(Features::F64(a.view())).with_target(Target::Real(&c));
    for seed in 0..3 {
        let started = Instant::now();
        let model = Mlp::default().fit_with(&rows, &Context::seeded(seed))?;
        let seconds = started.elapsed().as_secs_f64();
        let predictions = model.predict(&Features::F64(b.view()))?;
        let mse = (0..d.len()).map(|i| (predictions[(i, 0)] - d[i]).powi(2)).sum::<f64>() / d.len() as f64;
        println!("houses, seed {seed}: rmse {:.4}, {} epochs, {seconds:.1} s", mse.sqrt(), model.n_iter());
    }
    Ok(())
}

fn main() -> ExampleResult {
    let asked: Vec<String> = std::env::args().skip(1).collect();
    let wanted = |name: &str| asked.is_empty() || asked.iter().any(|a| a == name);
    if wanted("houses") {
        houses()?;
    }
    if wanted("mlp") {
        let mlp = Mlp {
            hidden_layer_sizes: vec![256, 128],
            batch_size: Some(128),
            max_iter: 20,
            learning_rate: ScheduleName::Cosine,
            dropout: 0.2,
            ..Mlp::default()
        };
        clothes(&|rows| mlp.fit_with(rows, &Context::default()), "mlp")?;
    }
    if wanted("convnet") {
        clothes(&|rows| ConvNet::default().fit_with(rows, &Context::default()), "convnet")?;
    }
    Ok(())
}
