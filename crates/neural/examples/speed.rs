//! Training speed of networks: reads the name of one task per line, trains, and answers with seconds, steps and the
//! last loss. `bench/networks.py` alternates between it and PyTorch.

mod data;

use std::io::{BufRead, Write};
use std::time::Instant;

use ermine_core::{Context, DatasetRef, Features, Learner, Mat, MatRef, Target};
use ermine_neural::{Architecture, Autoencoder, ConvNet, Mlp, Network, Shape, WeightInit};

type Answer = Result<(f64, usize, f64), Box<dyn std::error::Error>>;

const LENET: &str = "conv(6,5,pad=2) relu pool(2) conv(16,5) relu pool(2) dense(120) relu dense(84) relu";
const NORMALIZED: &str = "conv(32,3,pad=1) batchnorm relu pool(2) conv(64,3,pad=1) batchnorm relu pool(2) dropout(0.25) dense(128) \
                          relu dropout(0.5)";

struct LabeledImages {
    x: Mat<f32>,
    y: Vec<u32>,
    names: Vec<String>,
}

impl LabeledImages {
    fn train<M>(&self, rows: usize, fit: impl Fn(&DatasetRef<'_>) -> ermine_core::Result<M>) -> ermine_core::Result<(f64, M)> {
        let x = MatRef::row_major(&self.x.as_slice()[..rows * self.x.cols()], rows, self.x.cols());
        let target = Target::Class { codes: &self.y[..rows], names: &self.names };
        let data = DatasetRef::new(Features::F32(x)).with_target(target);
        let started = Instant::now();
        let model = fit(&data)?;
        Ok((started.elapsed().as_secs_f64(), model))
    }
}

/// The mean brightness of the four quarters of an image; the class is whether the label is above 4.
fn quarters(images: &LabeledImages) -> LabeledImages {
    let quarter = |i: usize, j: usize| {
        let (top, left) = (14 * (j / 2), 14 * (j % 2));
        let row = images.x.row(i);
        (0..196).map(|p| row[(top + p / 14) * 28 + left + p % 14]).sum::<f32>() / 196.0
    };
    LabeledImages {
        x: Mat::from_fn(images.x.rows(), 4, quarter),
        y: images.y.iter().map(|k| u32::from(*k > 4)).collect(),
        names: vec!["low".into(), "high".into()],
    }
}

fn perceptron(rows: &LabeledImages, hidden: &[usize], batch: usize, count: usize, epochs: u64) -> Answer {
    let mlp = Mlp {
        hidden_layer_sizes: hidden.to_vec(),
        alpha: 0.0,
        batch_size: Some(batch),
        max_iter: epochs,
        tol: None,
        ..Mlp::default()
    };
    let (seconds, model) = rows.train(count, |d| mlp.fit_with(d, &Context::default()))?;
    Ok((seconds, count / batch * epochs as usize, model.losses()[epochs as usize - 1]))
}

fn convolution(rows: &LabeledImages, layers: &str, count: usize, epochs: u64) -> Answer {
    let net = ConvNet {
        layers: Some(layers.parse()?),
        batch_size: 64,
        max_iter: epochs,
        cosine: false,
        weight_decay: 0.0,
        standardize: false,
        ..ConvNet::default()
    };
    let (seconds, model) = rows.train(count, |d| net.fit_with(d, &Context::default()))?;
    Ok((seconds, count / 64 * epochs as usize, model.losses()[epochs as usize - 1]))
}

fn one_row(layers: &str, input: Shape, row: &[f32], times: usize) -> Answer {
    let architecture: Architecture = layers.parse()?;
    let network = Network::<f32>::new(&architecture, input, WeightInit::Auto, 0)?;
    let mut scratch = network.scratch(1);
    let started = Instant::now();
    let mut total = 0.0;
    for _ in 0..times {
        total += network.forward_row(std::hint::black_box(row), &mut scratch)?[0];
    }
    Ok((started.elapsed().as_secs_f64(), times, f64::from(total)))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (x, y) = data::clothes("train")?;
    let images = LabeledImages { x, y, names: (0..10).map(|k| k.to_string()).collect() };
    let tiny = quarters(&images);
    let image = Shape::image(28, 28, 1);
    for task in std::io::stdin().lock().lines() {
        let task = task?;
        let (seconds, steps, loss) = match task.as_str() {
            "mlp" => perceptron(&images, &[256, 128], 128, 12_800, 2)?,
            "tiny" => perceptron(&tiny, &[64, 64], 64, 12_800, 5)?,
            "lenet" => convolution(&images, LENET, 3_200, 2)?,
            "normalised" => convolution(&images, NORMALIZED, 1_280, 2)?,
            "autoencoder" => {
                let learner = Autoencoder {
                    n_components: 32,
                    hidden_layer_sizes: vec![128],
                    batch_size: 128,
                    max_iter: 1,
                    tol: None,
                    ..Autoencoder::default()
                };
                let (seconds, model) = images.train(12_800, |d| learner.fit_with(d, &Context::default()))?;
                (seconds, 100, model.losses()[0])
            }
            "mlp-1" => one_row("dense(256) relu dense(128) relu dense(10)", Shape::flat(784), images.x.row(0), 5_000)?,
            "tiny-1" => one_row("dense(64) relu dense(64) relu dense(2)", Shape::flat(4), tiny.x.row(0), 50_000)?,
            "lenet-1" => one_row(&format!("{LENET} dense(10)"), image, images.x.row(0), 2_000)?,
            other => return Err(format!("no task is called {other}").into()),
        };
        println!("{seconds} {steps} {loss}");
        std::io::stdout().flush()?;
    }
    Ok(())
}
