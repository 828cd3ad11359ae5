//! Gradients against finite differences.

use ermine_core::{Mat, MatRef, Result};

use crate::{Network, Optimizer, Trainer};

/// Difference between the gradient of one weight array and finite differences.
#[derive(Debug, Clone, PartialEq)]
pub struct GradientError {
    /// The layer, counted from 0; none for the input.
    pub layer: Option<usize>,
    /// The array: "weights", "bias", "gamma", "beta", "table0", "input".
    pub name: String,
    /// Index of the largest difference.
    pub index: usize,
    /// The gradient there.
    pub gradient: f64,
    /// The finite difference there.
    pub difference: f64,
    /// Their difference over the largest gradient of the array, or a hundredth of the largest of all, whichever is
    /// greater.
    pub error: f64,
}

/// Half the distance of the two points of a finite difference, relative to the weight.
const STEP: f64 = 2e-6;

/// Most weights of an array that are checked; of longer arrays, evenly spaced ones.
const MOST: usize = 100;

/// Compares the gradient with respect to the weights of every layer and the input with central differences, in f64 and
/// as in training: batch normalization uses the batch, and dropout drops the same elements each time. `loss` is a
/// function of the outputs (one row per row) and returns its gradient too. The result has one entry per array; an error
/// near 1e-9 is rounding, one above 1e-6 is a mistake.
///
/// ```
/// use ermine_core::{Mat, MatRef};
/// use ermine_neural::{Network, Shape, WeightInit, gradient_check};
/// let network: Network<f64> = Network::new(&"dense(5) tanh dense(2)".parse()?, Shape::flat(3), WeightInit::Auto, 0)?;
/// let x: Vec<f64> = (0..12).map(|i| (f64::from(i) * 1.7).sin()).collect();
/// // Half the sum of the squares of the outputs.
/// let loss = |out: MatRef<'_, f64>| {
///     let d = out.to_owned();
///     (0.5 * d.as_slice().iter().map(|v| v * v).sum::<f64>(), d)
/// };
/// let errors = gradient_check(&network, MatRef::row_major(&x, 4, 3), &loss)?;
/// assert!(errors.iter().all(|e| e.error < 1e-6));
/// # Ok::<(), ermine_core::Error>(())
/// ```
pub fn gradient_check(
    network: &Network<f64>,
    x: MatRef<'_, f64>,
    loss: impl Fn(MatRef<'_, f64>) -> (f64, Mat<f64>),
) -> Result<Vec<GradientError>> {
    let mut trainer = Trainer::new(network.clone(), Optimizer::sgd(0.0), x.rows().max(1))?.with_input_gradient();
    let (_, d) = loss(trainer.forward(x)?);
    trainer.backward(d.view())?;
    let gradients = trainer.gradients();
    let inputs = trainer.input_gradient();
    let mut moved = network.clone();
    let mut value = |network: &Network<f64>, x: MatRef<'_, f64>| -> Result<f64> {
        trainer.set_network(network)?;
        Ok(loss(trainer.forward(x)?).0)
    };
    let all = gradients.iter().flat_map(|g| &g.values).fold(f64::MIN_POSITIVE, |m, v| m.max(v.abs()));
    let mut out = Vec::new();
    for run in &gradients {
        let start = network.weights().into_iter().find(|w| w.layer == run.layer && w.name == run.name).map(|w| w.values);
        let start = start.unwrap_or_default();
        let mut at = |k: usize, v: f64| -> Result<f64> {
            let mut values = start.clone();
            values[k] = v;
            moved.set_weights(run.layer, &run.name, &values)?;
            value(&moved, x)
        };
        let mut differences = Vec::new();
        for k in spread(start.len()) {
            let h = STEP * start[k].abs().max(1.0);
            differences.push((k, (at(k, start[k] + h)? - at(k, start[k] - h)?) / (2.0 * h)));
        }
        moved.set_weights(run.layer, &run.name, &start)?;
        out.push(compare(Some(run.layer), &run.name, &run.values, &differences, 0.01 * all));
    }
    if let Some(gradient) = inputs {
        let mut moved = x.to_owned();
        let mut differences = Vec::new();
        for k in spread(gradient.as_slice().len()) {
            let v = moved.as_slice()[k];
            let h = STEP * v.abs().max(1.0);
            let mut at = |v: f64| -> Result<f64> {
                moved.as_mut_slice()[k] = v;
                value(network, moved.view())
            };
            // Codes of categories are discrete: where a step is an error, there is no gradient.
            let (up, down) = (at(v + h), at(v - h));
            differences.push((k, up.and_then(|u| Ok((u - down?) / (2.0 * h))).unwrap_or(0.0)));
            moved.as_mut_slice()[k] = v;
        }
        out.push(compare(None, "input", gradient.as_slice(), &differences, 0.0));
    }
    Ok(out)
}

/// At most [`MOST`] evenly spaced indices below `len`.
fn spread(len: usize) -> impl Iterator<Item = usize> {
    let count = len.min(MOST);
    (0..count).map(move |k| k * len / count)
}

fn compare(layer: Option<usize>, name: &str, gradient: &[f64], differences: &[(usize, f64)], least: f64) -> GradientError {
    let scale = differences.iter().map(|d| d.1).chain(gradient.iter().copied());
    let scale = scale.fold(least.max(f64::MIN_POSITIVE), |m, v| m.max(v.abs()));
    let far = |d: &(usize, f64)| (gradient[d.0] - d.1).abs();
    let worst = differences.iter().copied().reduce(|worst, d| if far(&d) > far(&worst) { d } else { worst });
    let (index, d) = worst.unwrap_or((0, 0.0));
    let g = gradient.get(index).copied().unwrap_or(0.0);
    GradientError { layer, name: name.to_owned(), index, gradient: g, difference: d, error: (g - d).abs() / scale }
}
