//! What can be looked at in a network: histograms of activations, gradients and weights, layer by layer.

use ermine_core::{Cell, Curve, Report, Result, Section};
use serde::{Deserialize, Serialize};

use crate::course::{Run, Task};
use crate::{Network, Trainer};

/// Bins of a histogram.
const BINS: usize = 24;

/// Rows that are sent through to look at.
pub(crate) const SAMPLE: usize = 256;

/// How many of the numbers of a layer lie where.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Histogram {
    /// The layer, counted from 0.
    pub layer: usize,
    /// "activations", "gradients" or "weights".
    pub of: String,
    /// The ends of the bins, which are equally wide.
    pub low: f64,
    /// The other end.
    pub high: f64,
    /// Numbers in each bin.
    pub counts: Vec<u64>,
    /// Their mean.
    pub mean: f64,
    /// Their standard deviation.
    pub deviation: f64,
    /// The share that is exactly 0: of activations, units that a ReLU has switched off.
    pub zeros: f64,
}

impl Histogram {
    fn new(layer: usize, of: &str, values: impl Iterator<Item = f64> + Clone) -> Option<Self> {
        let (mut n, mut sum, mut low, mut high, mut zeros) = (0u64, 0.0, f64::INFINITY, f64::NEG_INFINITY, 0u64);
        for v in values.clone().filter(|v| v.is_finite()) {
            n += 1;
            sum += v;
            zeros += u64::from(v == 0.0);
            (low, high) = (low.min(v), high.max(v));
        }
        if n == 0 {
            return None;
        }
        let mean = sum / n as f64;
        let mut counts = vec![0; BINS];
        let mut squares = 0.0;
        for v in values.filter(|v| v.is_finite()) {
            squares += (v - mean) * (v - mean);
            let place = if high > low { ((v - low) / (high - low) * BINS as f64) as usize } else { 0 };
            counts[place.min(BINS - 1)] += 1;
        }
        let (deviation, zeros) = ((squares / n as f64).sqrt(), zeros as f64 / n as f64);
        Some(Self { layer, of: of.to_owned(), low, high, counts, mean, deviation, zeros })
    }
}

/// The histograms of a network for some rows that have just gone through it and back.
pub(crate) fn histograms(trainer: &Trainer) -> Vec<Histogram> {
    let network = trainer.network();
    let mut out: Vec<Histogram> = Vec::new();
    for (layer, values) in trainer.activations() {
        out.extend(Histogram::new(layer, "activations", values.iter().map(|v| f64::from(*v))));
    }
    for (of, runs) in [("gradients", trainer.gradients()), ("weights", network.weights())] {
        for w in runs.iter().filter(|w| w.name == "weights") {
            out.extend(Histogram::new(w.layer, of, w.values.iter().map(|v| f64::from(*v))));
        }
    }
    out
}

/// Looks at a network on the first rows of its task.
pub(crate) fn look(run: &mut Run<'_>, task: &Task<'_>) -> Result<Vec<Histogram>> {
    let rows = &task.train[..task.train.len().min(SAMPLE).min(run.plan.batch)];
    let mass = task.weight.as_ref().map_or(rows.len() as f64, |w| rows.iter().map(|&i| w[i as usize]).sum());
    run.batch(task, rows, mass, false)?;
    Ok(histograms(&run.trainer))
}

/// Tables and curves for people: the layers, and what the histograms show.
pub(crate) fn report(network: &Network, histograms: &[Histogram], report: &mut Report) {
    let layers = &network.architecture().layers;
    let shapes = network.architecture().shapes(network.input()).unwrap_or_default();
    let weights = network.weights();
    let rows = layers.iter().zip(&shapes).enumerate().map(|(k, (layer, shape))| {
        let count: usize = weights.iter().filter(|w| w.layer == k).map(|w| w.values.len()).sum();
        vec![Cell::Number((k + 1) as f64), layer.to_string().into(), shape.to_string().into(), Cell::Number(count as f64)]
    });
    report.table("Layers", &["layer", "what", "result", "weights"], rows.collect());
    if histograms.is_empty() {
        return;
    }
    let line = |h: &Histogram| {
        let mut row = vec![Cell::Number((h.layer + 1) as f64), layers[h.layer].to_string().into(), h.of.as_str().into()];
        row.extend([h.mean, h.deviation, h.low, h.high, h.zeros].map(Cell::Number));
        row
    };
    let heads = ["layer", "what", "numbers", "mean", "deviation", "least", "greatest", "share of zeros"];
    report.table("Activations, gradients and weights", &heads, histograms.iter().map(line).collect());
    for of in ["activations", "gradients", "weights"] {
        let curve = |h: &Histogram| {
            let total: u64 = h.counts.iter().sum();
            let width = (h.high - h.low) / h.counts.len() as f64;
            let point = |(k, c): (usize, &u64)| (h.low + (k as f64 + 0.5) * width, *c as f64 / total as f64);
            Curve {
                name: format!("{} {}", h.layer + 1, layers[h.layer]),
                points: h.counts.iter().enumerate().map(point).collect(),
            }
        };
        let curves: Vec<Curve> = histograms.iter().filter(|h| h.of == of).map(curve).collect();
        if !curves.is_empty() {
            let title = format!("Histogram of the {of} of every layer");
            report.sections.push(Section::Plot { title, x: of.to_owned(), y: "share".into(), curves });
        }
    }
}
