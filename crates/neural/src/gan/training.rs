//! Training: alternating steps of the discriminator and of the generator, with the trace.

use ermine_core::{Certificate, Context, DatasetRef, Mat, MatRef, Progress, Result, RngStream, Trace};
use ermine_math::loss::{log1p_exp, sigmoid};

use super::modes::ModeAnchors;
use super::{Gan, GanModel};
use crate::input::NetworkInput;
use crate::{Architecture, Network, Optimizer, OptimizerRule, Shape, Trainer, WeightInit};

/// Rows for the value of the game and the coverage.
const SAMPLE: usize = 1024;

/// Both networks with their optimizers.
#[derive(Clone)]
pub(super) struct GanTrainers {
    pub generator: Trainer,
    pub discriminator: Trainer,
}

/// Source of rows and noise.
pub(super) struct GanSampler<'a> {
    /// Real rows, standardized.
    pub rows: &'a Mat<f32>,
    /// Cumulative weights, for draws in proportion to the weights.
    pub mass: &'a [f64],
    pub latent: usize,
}

impl GanSampler<'_> {
    /// Real rows, drawn with replacement.
    pub fn real(&self, count: usize, stream: &mut RngStream) -> Mat<f32> {
        let total = self.mass.last().copied().unwrap_or(0.0);
        let mut out = Mat::filled(count, self.rows.cols(), 0.0);
        for i in 0..count {
            let at = stream.uniform() * total;
            let row = self.mass.partition_point(|m| *m <= at).min(self.mass.len() - 1);
            out.row_mut(i).copy_from_slice(self.rows.row(row));
        }
        out
    }

    pub fn noise(&self, count: usize, stream: &mut RngStream) -> Mat<f32> {
        Mat::from_fn(count, self.latent, |_, _| stream.normal() as f32)
    }
}

/// One step of the discriminator: gradient ascent on mean log D(x) + mean log(1 - D(G(z))).
pub(super) fn step_discriminator(trainer: &mut Trainer, real: MatRef<'_, f32>, made: MatRef<'_, f32>) -> Result<()> {
    let (m, n) = (real.rows(), made.rows());
    let mut both = real.to_owned();
    both.append_rows(made.to_owned());
    let z = trainer.forward(both.view())?;
    // The gradient of minus the value with respect to the scores: σ(z) - 1 for real rows, σ(z) for generated ones.
    let slope = |i: usize| {
        let p = sigmoid(f64::from(*z.at(i, 0)));
        (if i < m { (p - 1.0) / m as f64 } else { p / n as f64 }) as f32
    };
    let d = Mat::from_fn(m + n, 1, |i, _| slope(i));
    trainer.step(d.view())
}

/// One step of the generator: gradient descent on mean log(1 - D(G(z))), or ascent on mean log D(G(z)).
pub(super) fn step_generator(
    generator: &mut Trainer,
    discriminator: &mut Trainer,
    noise: MatRef<'_, f32>,
    non_saturating: bool,
) -> Result<()> {
    let n = noise.rows();
    let made = generator.forward(noise)?.to_owned();
    let z = discriminator.forward(made.view())?;
    let slope = |i: usize| {
        let p = sigmoid(f64::from(*z.at(i, 0)));
        ((if non_saturating { p - 1.0 } else { -p }) / n as f64) as f32
    };
    let d = Mat::from_fn(n, 1, |i, _| slope(i));
    discriminator.backward(d.view())?;
    let back = discriminator.input_gradient().unwrap_or_else(|| Mat::filled(n, made.cols(), 0.0));
    generator.step(back.view())
}

/// V(G, D) over given rows and noise.
fn value(generator: &Network, discriminator: &Network, real: MatRef<'_, f32>, noise: MatRef<'_, f32>) -> Result<f64> {
    let made = generator.predict(noise)?;
    let (on_real, on_made) = (discriminator.predict(real)?, discriminator.predict(made.view())?);
    let mean = |v: &Mat<f32>, f: &dyn Fn(f64) -> f64| {
        v.as_slice().iter().map(|z| f(f64::from(*z))).sum::<f64>() / v.as_slice().len().max(1) as f64
    };
    Ok(-mean(&on_real, &|z| log1p_exp(-z)) - mean(&on_made, &log1p_exp))
}

/// The gap max_D' V(G, D') - min_G' V(G', D), with either side trained for some steps against the other held fixed. It
/// is at least 0 up to sampling noise, and 0 at an equilibrium.
fn gap(gan: &Gan, sides: &GanTrainers, source: &GanSampler<'_>, seed: u64, epoch: u64) -> Result<f64> {
    let mut stream = RngStream::new(seed, "gan gap", epoch);
    let mut worst = sides.clone();
    for _ in 0..gan.gap_steps {
        let real = source.real(gan.batch_size, &mut stream);
        let made = sides.generator.network().predict(source.noise(gan.batch_size, &mut stream).view())?;
        step_discriminator(&mut worst.discriminator, real.view(), made.view())?;
    }
    let mut discriminator = sides.discriminator.clone();
    for _ in 0..gan.gap_steps {
        let noise = source.noise(gan.batch_size, &mut stream);
        step_generator(&mut worst.generator, &mut discriminator, noise.view(), false)?;
    }
    let (real, noise) = (source.real(SAMPLE, &mut stream), source.noise(SAMPLE, &mut stream));
    let (g, d) = (sides.generator.network(), sides.discriminator.network());
    let up = value(g, worst.discriminator.network(), real.view(), noise.view())?;
    let down = value(worst.generator.network(), d, real.view(), noise.view())?;
    Ok(up - down)
}

/// Shift and scale of each column.
fn frame(cells: &NetworkInput<'_>, rows: &[u32], columns: usize, weight: &(dyn Fn(usize) -> f64 + Sync)) -> Vec<(f32, f32)> {
    let (mean, squares, mass) = cells.moments(rows, columns, weight);
    let scale = |j: usize| {
        let deviation = (squares[j] / mass).sqrt() as f32;
        if deviation.is_normal() { deviation } else { 1.0 }
    };
    (0..columns).map(|j| (mean[j] as f32, scale(j))).collect()
}

impl GanTrainers {
    /// Both sides before the first step, for rows of `columns` numbers.
    fn new(gan: &Gan, columns: usize, seed: u64) -> Result<Self> {
        let network = |hidden: &[usize], inputs: usize, outputs: usize, seed: u64| {
            let architecture = Architecture::perceptron(hidden, gan.activation.activation(), outputs);
            Network::new(&architecture, Shape::flat(inputs), WeightInit::Auto, seed)
        };
        let adam = OptimizerRule::Adam { beta_1: gan.beta_1, beta_2: 0.999, epsilon: 1e-8 };
        let optimizer = Optimizer { method: adam, ..Optimizer::adam(gan.learning_rate_init) };
        let seed_of = |side: u64| RngStream::new(seed, "gan side", side).next_u64();
        let generator = network(&gan.generator, gan.n_latent, columns, seed_of(0))?;
        let discriminator = network(&gan.discriminator, columns, 1, seed_of(1))?;
        Ok(Self {
            generator: Trainer::new(generator, optimizer, gan.batch_size)?,
            discriminator: Trainer::new(discriminator, optimizer, 2 * gan.batch_size)?.with_input_gradient(),
        })
    }

    /// Trains both for `steps` steps; false where the deadline passed before.
    fn train_epoch(&mut self, gan: &Gan, source: &GanSampler<'_>, steps: usize, epoch: u64, cx: &Context<'_>) -> Result<bool> {
        let mut stream = RngStream::new(cx.seed, "gan epoch", epoch);
        for _ in 0..steps {
            if cx.deadline_passed() {
                return Ok(false);
            }
            for _ in 0..gan.d_steps {
                let real = source.real(gan.batch_size, &mut stream);
                let made = self.generator.network().predict(source.noise(gan.batch_size, &mut stream).view())?;
                step_discriminator(&mut self.discriminator, real.view(), made.view())?;
            }
            let noise = source.noise(gan.batch_size, &mut stream);
            step_generator(&mut self.generator, &mut self.discriminator, noise.view(), gan.non_saturating)?;
        }
        Ok(true)
    }
}

pub(super) fn train_gan(gan: &Gan, data: &DatasetRef<'_>, cx: &Context<'_>) -> Result<GanModel> {
    let cells = NetworkInput::checked(&data.x, data.schema, <Gan as ermine_core::Learner>::SPEC.name)?;
    let kept: Vec<u32> = (0..data.rows()).filter(|&i| data.weight_of(i) > 0.0).map(|i| i as u32).collect();
    let columns = data.cols();
    let frame = frame(&cells, &kept, columns, &|i| data.weight_of(i));
    let mut rows = Mat::filled(kept.len(), columns, 0.0f32);
    let mut mass = Vec::with_capacity(kept.len());
    let mut total = 0.0;
    for (k, &i) in kept.iter().enumerate() {
        cells.copy(i as usize, rows.row_mut(k));
        rows.row_mut(k).iter_mut().zip(&frame).for_each(|(v, (shift, scale))| *v = (*v - shift) / scale);
        total += data.weight_of(i as usize);
        mass.push(total);
    }
    let source = GanSampler { rows: &rows, mass: &mass, latent: gan.n_latent };
    let mut sides = GanTrainers::new(gan, columns, cx.seed)?;
    let modes = ModeAnchors::find(&rows, gan.n_modes, cx.seed);
    let mut trace = Trace::timed(&["iteration", "objective", "duality_gap", "coverage"]);
    let (mut last_gap, mut coverage) = (f64::NAN, f64::NAN);
    let mut notes = Vec::new();
    let steps = kept.len().div_ceil(gan.batch_size).max(1);
    let (mut epochs, mut objective) = (0, f64::NAN);
    let mut finished = true;
    for epoch in 0..gan.max_iter {
        cx.report(Progress {
            stage: "epochs",
            done: epoch,
            total: Some(gan.max_iter),
            objective: (epoch > 0).then_some(objective),
        })?;
        let before = sides.clone();
        if !sides.train_epoch(gan, &source, steps, epoch, cx)? {
            notes.push(format!("ended at the time limit in epoch {}", epoch + 1));
            finished = false;
            break;
        }
        let mut stream = RngStream::new(cx.seed, "gan look", epoch);
        let (real, noise) = (source.real(SAMPLE, &mut stream), source.noise(SAMPLE, &mut stream));
        objective = value(sides.generator.network(), sides.discriminator.network(), real.view(), noise.view())?;
        let sound = sides.generator.network().is_finite() && sides.discriminator.network().is_finite();
        if !objective.is_finite() || !sound {
            notes.push(format!(
                "training diverged in epoch {} (rate {:e}); the weights are those before it. Lower learning_rate_init",
                epoch + 1,
                gan.learning_rate_init
            ));
            sides = before;
            finished = false;
            break;
        }
        epochs = epoch + 1;
        if gan.gap_every > 0 && (epochs % gan.gap_every == 0 || epochs == gan.max_iter) {
            last_gap = gap(gan, &sides, &source, cx.seed, epoch)?;
        }
        if let Some(modes) = &modes {
            coverage = modes.coverage(&sides.generator.network().predict(noise.view())?);
        }
        trace.push(&[epochs as f64, objective, last_gap, coverage]);
    }
    let certificate = Certificate {
        method: "adam".into(),
        objective: objective.is_finite().then_some(objective),
        duality_gap: last_gap.is_finite().then_some(last_gap),
        iterations: epochs,
        converged: finished,
        notes,
        ..Certificate::default()
    };
    Ok(GanModel {
        generator: sides.generator.into_network(),
        discriminator: sides.discriminator.into_network(),
        frame,
        coverage: coverage.is_finite().then_some(coverage),
        certificate: Some(certificate),
        trace: Some(trace),
    }
    .without_training())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against two normal densities, the best discriminator is p/(p + q) = σ(x₀ x - ...), a logistic function of x.
    #[test]
    fn the_discriminator_converges_to_p_over_p_plus_q() {
        let mut stream = RngStream::new(4, "two normals", 0);
        let network = Network::new(&"dense(24) tanh dense(1)".parse().unwrap(), Shape::flat(1), WeightInit::Auto, 2).unwrap();
        let mut trainer = Trainer::new(network, Optimizer::adam(0.005), 512).unwrap();
        for step in 0..1500 {
            // A decreasing learning rate averages the noise.
            trainer.set_rate(0.005 * (1.0 - f64::from(step) / 1500.0));
            let real = Mat::from_fn(256, 1, |_, _| stream.normal() as f32);
            let made = Mat::from_fn(256, 1, |_, _| (1.0 + stream.normal()) as f32);
            step_discriminator(&mut trainer, real.view(), made.view()).unwrap();
        }
        // p = N(0, 1), q = N(1, 1): log p/q = 1/2 - x.
        for k in -15..=25 {
            let x = f64::from(k) * 0.1;
            let z = trainer.network().predict(MatRef::row_major(&[x as f32], 1, 1)).unwrap()[(0, 0)];
            let (found, best) = (sigmoid(f64::from(z)), sigmoid(0.5 - x));
            assert!((found - best).abs() < 0.05, "D({x}) = {found}, p/(p + q) = {best}");
        }
    }

    /// The gradient with respect to the noise through both networks is that of the value.
    #[test]
    fn the_generator_follows_the_gradient_of_the_value() {
        let source_rows = Mat::from_fn(8, 2, |i, j| ((i * 2 + j) as f32 * 0.7).sin());
        let mut stream = RngStream::new(1, "slope", 0);
        let g = Network::new(&"dense(6) tanh dense(2)".parse().unwrap(), Shape::flat(3), WeightInit::Auto, 3).unwrap();
        let d = Network::new(&"dense(6) tanh dense(1)".parse().unwrap(), Shape::flat(2), WeightInit::Auto, 4).unwrap();
        let noise = Mat::from_fn(8, 3, |_, _| stream.normal() as f32);
        let rate = 1e-3;
        let mut generator = Trainer::new(g.clone(), Optimizer::sgd(rate), 8).unwrap();
        let mut discriminator = Trainer::new(d.clone(), Optimizer::sgd(0.0), 8).unwrap().with_input_gradient();
        step_generator(&mut generator, &mut discriminator, noise.view(), false).unwrap();
        let before = value(&g, &d, source_rows.view(), noise.view()).unwrap();
        let after = value(generator.network(), &d, source_rows.view(), noise.view()).unwrap();
        // A small step lowers the value by rate |gradient|²; the step itself is rate |gradient| long.
        let moved: f64 = generator
            .network()
            .weights()
            .iter()
            .zip(g.weights())
            .flat_map(|(a, b)| a.values.iter().zip(b.values).map(|(a, b)| f64::from(a - b).powi(2)).collect::<Vec<_>>())
            .sum();
        let promised = moved / rate;
        assert!(((before - after) / promised - 1.0).abs() < 0.02, "{} {promised}", before - after);
        assert_eq!(discriminator.network().weights(), d.weights());
    }
}
