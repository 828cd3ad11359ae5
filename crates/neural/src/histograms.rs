//! Histograms of activations, gradients and weights of a network, layer by layer.

use ermine_core::parallel::prelude::*;
use ermine_core::{Cell, Curve, Report, Result, Section};
use serde::{Deserialize, Serialize};

use crate::Network;
#[cfg(feature = "fit")]
use crate::Trainer;
use crate::training::TrainingData;
#[cfg(feature = "fit")]
use crate::training::TrainingRun;

/// Bins of a histogram.
const BINS: usize = 24;

/// Parallel sums, for vectorization.
const LANES: usize = 16;

/// Rows passed through the network for histograms.
pub(crate) const SAMPLE: usize = 256;

/// Histogram of the numbers of a layer.
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
    /// The share that is exactly 0: among activations, inactive units of a ReLU.
    pub zeros: f64,
}

impl Histogram {
    /// The histogram of the finite numbers, if there are any.
    fn new(layer: usize, of: &str, values: &[f32]) -> Option<Self> {
        // Parallel sums, for vectorization.
        let mut sums = [0.0f64; LANES];
        let (mut low, mut high) = ([f32::INFINITY; LANES], [f32::NEG_INFINITY; LANES]);
        let (mut finite, mut zeros) = ([0u32; LANES], [0u32; LANES]);
        for chunk in values.chunks(LANES) {
            for (k, &v) in chunk.iter().enumerate() {
                let sound = v.is_finite();
                finite[k] += u32::from(sound);
                zeros[k] += u32::from(v == 0.0);
                sums[k] += f64::from(if sound { v } else { 0.0 });
                low[k] = if sound && v < low[k] { v } else { low[k] };
                high[k] = if sound && v > high[k] { v } else { high[k] };
            }
        }
        let total = |counts: [u32; LANES]| counts.iter().map(|&c| f64::from(c)).sum::<f64>();
        let n = total(finite);
        if n == 0.0 {
            return None;
        }
        let low = f64::from(low.into_iter().fold(f32::INFINITY, f32::min));
        let high = f64::from(high.into_iter().fold(f32::NEG_INFINITY, f32::max));
        let mean = sums.iter().sum::<f64>() / n;
        let scale = if high > low { BINS as f64 / (high - low) } else { 0.0 };
        let mut counts = vec![0; BINS];
        let mut squares = [0.0f64; LANES];
        for chunk in values.chunks(LANES) {
            let mut places = [BINS; LANES];
            for (k, &v) in chunk.iter().enumerate() {
                let v = if v.is_finite() { f64::from(v) } else { f64::NAN };
                let from_mean = if v.is_nan() { 0.0 } else { v - mean };
                squares[k] += from_mean * from_mean;
                places[k] = if v.is_nan() { BINS } else { (((v - low) * scale) as usize).min(BINS - 1) };
            }
            places.iter().for_each(|&p| counts.get_mut(p).into_iter().for_each(|c| *c += 1));
        }
        let (deviation, zeros) = ((squares.iter().sum::<f64>() / n).sqrt(), total(zeros) / n);
        Some(Self { layer, of: of.to_owned(), low, high, counts, mean, deviation, zeros })
    }
}

/// Histograms of a network for the rows of the last forward and backward pass.
#[cfg(feature = "fit")]
pub(crate) fn histograms(trainer: &Trainer) -> Vec<Histogram> {
    let mut all: Vec<(usize, &str, Vec<f32>)> = Vec::new();
    all.extend(trainer.activations().into_iter().map(|(layer, values)| (layer, "activations", values)));
    for (of, runs) in [("gradients", trainer.gradients()), ("weights", trainer.network().weights())] {
        all.extend(runs.into_iter().filter(|w| w.name == "weights").map(|w| (w.layer, of, w.values)));
    }
    all.par_iter().flat_map_iter(|(layer, of, values)| Histogram::new(*layer, of, values)).collect()
}

/// Collects histograms of a network on the first training rows.
#[cfg(feature = "fit")]
pub(crate) fn collect_histograms(run: &mut TrainingRun<'_>, task: &TrainingData<'_>) -> Result<Vec<Histogram>> {
    let rows = &task.train[..task.train.len().min(SAMPLE).min(run.plan.batch)];
    let mass = task.weight.as_ref().map_or(rows.len() as f64, |w| rows.iter().map(|&i| w[i as usize]).sum());
    run.batch(task, rows, mass, false)?;
    Ok(histograms(&run.trainer))
}

/// Tables and curves for people: the layers, and their histograms.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_histogram_counts_what_is_finite() {
        let mut values: Vec<f32> = (0..=48).map(|i| i as f32 / 4.0 - 3.0).collect();
        values.extend([f32::NAN, f32::INFINITY, f32::NEG_INFINITY]);
        let h = Histogram::new(2, "weights", &values).unwrap();
        // -3, -2.75 .. 9 in bins of a half: two in each, and the last one with the end.
        assert_eq!((h.low, h.high, h.mean), (-3.0, 9.0, 3.0));
        assert_eq!(h.counts, [vec![2; BINS - 1], vec![3]].concat());
        assert!((h.zeros - 1.0 / 49.0).abs() < 1e-15 && (h.deviation - 12.5f64.sqrt()).abs() < 1e-14);
        let one = Histogram::new(0, "weights", &[0.0; 5]).unwrap();
        assert_eq!((one.counts[0], one.deviation, one.zeros), (5, 0.0, 1.0));
        assert!(Histogram::new(0, "weights", &[f32::NAN]).is_none());
    }
}
