//! Losses over the outputs of networks: rows of several scores, in f32 or f64.

use super::{RowLoss, log1p_exp};
use crate::nn::Float;

/// Targets and losses of the outputs of a row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum OutputLoss {
    /// A loss of numbers ([`RowLoss`](super::RowLoss)) for each output, added up; targets are numbers.
    Elementwise(RowLoss),
    /// log Σ e^{zₖ} - z of the class; targets are codes of classes.
    Softmax,
    /// log(1 + e^z) - y z for each output, added up; targets are from 0 to 1.
    Logistic,
    /// e^z - y z for each output, added up: counts behind a logarithm; targets are from 0 up.
    Poisson,
}

/// Targets of rows.
#[derive(Debug, Clone, Copy)]
pub enum Targets<'a, T> {
    /// One class per row.
    Codes(&'a [u32]),
    /// As many numbers a row as there are outputs, row after row.
    Numbers(&'a [T]),
}

/// The loss of rows of `outputs` scores that are `stride` apart: Σᵢ wᵢ lossᵢ is returned, and wᵢ times its gradient by the scores,
/// times `scale`, is written to `d`, which lies as `z` does. Without weights all are 1.
///
/// # Panics
/// When a slice is too short, or targets are not of the kind that the loss takes.
#[expect(clippy::too_many_arguments, reason = "scores and gradients with their stride, targets and weights")]
pub fn output_block<T: Float>(
    loss: OutputLoss,
    z: &[T],
    stride: usize,
    outputs: usize,
    targets: Targets<'_, T>,
    weight: Option<&[f64]>,
    scale: f64,
    d: &mut [T],
) -> f64 {
    let rows = match targets {
        Targets::Codes(codes) => codes.len(),
        Targets::Numbers(y) => y.len() / outputs.max(1),
    };
    let mut total = 0.0;
    for i in 0..rows {
        let (z, d) = (&z[i * stride..][..outputs], &mut d[i * stride..][..outputs]);
        let w = weight.map_or(1.0, |w| w[i]);
        let factor = T::from_f64(w * scale);
        let value = match (loss, targets) {
            (OutputLoss::Softmax, Targets::Codes(codes)) => softmax(z, codes[i] as usize, factor, d),
            (OutputLoss::Elementwise(RowLoss::Squared), Targets::Numbers(y)) => {
                squared(z, &y[i * outputs..][..outputs], factor, d)
            }
            (OutputLoss::Elementwise(loss), Targets::Numbers(y)) => {
                elementwise(z, &y[i * outputs..][..outputs], factor, d, |z, y| (loss.value(y, z), loss.gradient(y, z)))
            }
            (OutputLoss::Logistic, Targets::Numbers(y)) => {
                elementwise(z, &y[i * outputs..][..outputs], factor, d, |z, y| (log1p_exp(z) - y * z, super::sigmoid(z) - y))
            }
            (OutputLoss::Poisson, Targets::Numbers(y)) => {
                elementwise(z, &y[i * outputs..][..outputs], factor, d, |z, y| (z.exp() - y * z, z.exp() - y))
            }
            _ => panic!("{loss:?} takes other targets"),
        };
        total += w * value;
    }
    total
}

fn elementwise<T: Float>(z: &[T], y: &[T], factor: T, d: &mut [T], loss: impl Fn(f64, f64) -> (f64, f64)) -> f64 {
    let mut total = 0.0;
    for ((z, y), d) in z.iter().zip(y).zip(d) {
        let (value, slope) = loss(z.to_f64(), y.to_f64());
        total += value;
        *d = T::from_f64(slope) * factor;
    }
    total
}

/// Half the squared distance, in lanes that become vectors.
fn squared<T: Float>(z: &[T], y: &[T], factor: T, d: &mut [T]) -> f64 {
    const LANES: usize = 16;
    let mut sums = [T::ZERO; LANES];
    let whole = z.len() / LANES * LANES;
    for at in (0..whole).step_by(LANES) {
        let (z, y, d) = (&z[at..at + LANES], &y[at..at + LANES], &mut d[at..at + LANES]);
        for l in 0..LANES {
            let r = z[l] - y[l];
            sums[l] += r * r;
            d[l] = r * factor;
        }
    }
    let mut total: f64 = sums.iter().map(|s| s.to_f64()).sum();
    for j in whole..z.len() {
        let r = z[j] - y[j];
        total += (r * r).to_f64();
        d[j] = r * factor;
    }
    0.5 * total
}

fn softmax<T: Float>(z: &[T], class: usize, factor: T, d: &mut [T]) -> f64 {
    let most = z.iter().copied().fold(z[0], |m, v| if m >= v { m } else { v });
    let mut sum = T::ZERO;
    for (d, z) in d.iter_mut().zip(z) {
        *d = (*z - most).exp();
        sum += *d;
    }
    let share = factor / sum;
    d.iter_mut().for_each(|d| *d = *d * share);
    d[class] -= factor;
    most.to_f64() + sum.to_f64().ln() - z[class].to_f64()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gradients_are_those_of_finite_differences() {
        let (rows, outputs, stride) = (5, 19, 24);
        let z: Vec<f64> = (0..rows * stride).map(|i| (i as f64 * 0.71).sin() * 2.0).collect();
        let numbers: Vec<f64> = (0..rows * outputs).map(|i| (i as f64 * 0.37).cos()).collect();
        let shares: Vec<f64> = numbers.iter().map(|v| 0.5 + 0.5 * v).collect();
        let codes: Vec<u32> = (0..rows as u32).map(|i| i * 3 % outputs as u32).collect();
        let weight = [1.0, 2.0, 0.0, 0.5, 3.0];
        let huber = RowLoss::Huber { delta: 0.7 };
        for (loss, targets) in [
            (OutputLoss::Softmax, Targets::Codes(&codes)),
            (OutputLoss::Elementwise(RowLoss::Squared), Targets::Numbers(&numbers)),
            (OutputLoss::Elementwise(huber), Targets::Numbers(&numbers)),
            (OutputLoss::Logistic, Targets::Numbers(&shares)),
            (OutputLoss::Poisson, Targets::Numbers(&shares)),
        ] {
            let value = |z: &[f64], d: &mut [f64]| output_block(loss, z, stride, outputs, targets, Some(&weight), 1.0, d);
            let mut d = vec![0.0; z.len()];
            value(&z, &mut d);
            let mut room = d.clone();
            for i in 0..rows {
                for j in 0..outputs {
                    let (mut up, mut down, h) = (z.clone(), z.clone(), 1e-6);
                    up[i * stride + j] += h;
                    down[i * stride + j] -= h;
                    let slope = (value(&up, &mut room) - value(&down, &mut room)) / (2.0 * h);
                    assert!((d[i * stride + j] - slope).abs() < 1e-7 * (1.0 + slope.abs()), "{loss:?} {i} {j}");
                }
            }
            // f32 say the same as far as they can.
            let single: Vec<f32> = z.iter().map(|v| *v as f32).collect();
            let numbers: Vec<f32> = match targets {
                Targets::Numbers(y) => y.iter().map(|v| *v as f32).collect(),
                Targets::Codes(_) => Vec::new(),
            };
            let targets = match targets {
                Targets::Codes(c) => Targets::Codes(c),
                Targets::Numbers(_) => Targets::Numbers(&numbers),
            };
            let mut e = vec![0.0f32; z.len()];
            let total = output_block(loss, &single, stride, outputs, targets, Some(&weight), 1.0, &mut e);
            assert!((total - value(&z, &mut room)).abs() < 1e-5 * total.abs());
            assert!(d.iter().zip(&e).all(|(a, b)| (a - f64::from(*b)).abs() < 1e-5));
        }
    }

    #[test]
    fn far_scores_do_not_overflow() {
        let mut d = [0.0f32; 3];
        let v = output_block(OutputLoss::Softmax, &[3e4f32, -3e4, 0.0], 3, 3, Targets::Codes(&[1]), None, 1.0, &mut d);
        assert!((v - 6e4).abs() < 1e-3 && d == [1.0, -1.0, 0.0]);
        let v = output_block(OutputLoss::Softmax, &[f32::NAN, 0.0, 0.0], 3, 3, Targets::Codes(&[1]), None, 1.0, &mut d);
        assert!(v.is_nan());
    }
}
