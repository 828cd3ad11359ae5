//! Generative adversarial networks: a generator of rows against a discriminator of real and generated ones.

mod model;
#[cfg(feature = "fit")]
mod modes;
#[cfg(feature = "fit")]
mod training;

use ermine_core::{Accepts, Context, DatasetRef, Family, Learner, ModelReader, ParamSpec, Range, Result, Spec, Task};
use serde::{Deserialize, Serialize};

pub use model::GanModel;
pub(crate) use model::load;

use crate::mlp::ActivationName;

/// Two networks in a game: the generator G makes rows from noise, the discriminator D separates real rows from
/// generated ones.
///
/// # What it minimizes
/// min over G, max over D of V(G, D) = E log D(x) + E log(1 - D(G(z))), x from the rows, z from the standard normal
/// distribution. For a given G with density q, the best D is p/(p + q); where G has the density p of the rows, D is 1/2
/// everywhere and V = -log 4. With `non_saturating`, G maximizes E log D(G(z)) instead of minimizing E log(1 - D(G(z))):
/// the same fixed points, larger gradients while G is bad.
///
/// # When to use it
/// To sample rows like those of the data, where a density is not needed. For densities of few columns, mixtures are
/// easier and give the probability of a row.
///
/// # Example
/// ```
/// use ermine_core::{Dataset, Learner};
/// use ermine_neural::Gan;
///
/// let x: Vec<[f64; 2]> = (0..64).map(|i| [f64::from(i % 8), f64::from(i / 8)]).collect();
/// let model = Gan { max_iter: 2, ..Gan::default() }.fit(&Dataset::from_features(&x)?)?;
/// assert_eq!(model.sample(10, 0)?.cols(), 2);
/// # Ok::<(), ermine_core::Error>(())
/// ```
///
/// # Evidence
/// The trace has the value of the game, an estimate of the duality gap max_D' V(G, D') - min_G' V(G', D), computed by
/// training copies of either side for some steps against the other held fixed (Grnarova et al. 2019), and the share of
/// the modes of the rows that the generator covers.
///
/// # Parameters
/// See [`Gan::SPEC`](Learner::SPEC).
///
/// # Cost
/// An epoch costs about as much as one of two perceptrons on twice the rows; each estimate of the gap costs as many
/// further steps as it takes.
///
/// # What it does not do
/// It may cycle, or drop modes; the trace shows both.
///
/// # Reference
/// Goodfellow et al. (2014), Generative adversarial nets; Grnarova et al. (2019), A domain agnostic measure for
/// monitoring and evaluating GANs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Gan {
    /// Dimension of the noise.
    pub n_latent: usize,
    /// Units of the hidden layers of the generator.
    pub generator: Vec<usize>,
    /// Units of the hidden layers of the discriminator.
    pub discriminator: Vec<usize>,
    /// Activation after each hidden layer of both.
    pub activation: ActivationName,
    /// Whether the generator maximizes log D(G(z)).
    pub non_saturating: bool,
    /// Discriminator steps per generator step.
    pub d_steps: u64,
    /// The learning rate of both.
    pub learning_rate_init: f64,
    /// β₁ of Adam.
    pub beta_1: f64,
    /// Rows of a batch.
    pub batch_size: usize,
    /// Epochs.
    pub max_iter: u64,
    /// Epochs between two estimates of the duality gap; 0 for none.
    pub gap_every: u64,
    /// Steps that the copies of an estimate take.
    pub gap_steps: u64,
    /// Modes for the coverage; 0 for none.
    pub n_modes: usize,
}

impl Default for Gan {
    fn default() -> Self {
        Self {
            n_latent: 4,
            generator: vec![64, 64],
            discriminator: vec![64, 64],
            activation: ActivationName::LeakyRelu,
            non_saturating: true,
            d_steps: 1,
            learning_rate_init: 1e-3,
            beta_1: 0.5,
            batch_size: 128,
            max_iter: 100,
            gap_every: 10,
            gap_steps: 50,
            n_modes: 8,
        }
    }
}

const WIDTHS: Range = Range::List(&Range::Int { min: 1, max: 1 << 20 });

impl Gan {
    /// Its name in the catalogue and in model files.
    pub(crate) const NAME: &'static str = "gan";
}

#[cfg(feature = "fit")]
impl Learner for Gan {
    type Model = GanModel;

    const SPEC: Spec = Spec {
        name: Self::NAME,
        summary: "Generative adversarial network: draws rows like those it has seen",
        objective: "min_G max_D E log D(x) + E log(1 - D(G(z))); z standard normal; the best D is p/(p + q)",
        notes: "Choose it to draw rows like those that were seen; for densities of few columns a mixture is easier. The model gives D, the \
                probability that a row is real, as its column, and draws rows. The trace has the value of the game, an estimate of its \
                duality gap, and the share of the modes that the generator reaches. Columns are standardized inside.",
        reference: "I. J. Goodfellow et al. (2014), Generative adversarial nets; P. Grnarova et al. (2019), A domain agnostic measure for \
                    monitoring and evaluating GANs",
        family: Family::Neural,
        tasks: &[Task::Density],
        accepts: Accepts { weights: true, ..Accepts::NUMBERS },
        params: &[
            ParamSpec {
                name: "n_latent",
                doc: "Numbers of noise that a row is made of.",
                range: Range::Int { min: 1, max: 1 << 16 },
            },
            ParamSpec { name: "generator", doc: "Units of the hidden layers of the generator.", range: WIDTHS },
            ParamSpec { name: "discriminator", doc: "Units of the hidden layers of the discriminator.", range: WIDTHS },
            ParamSpec {
                name: "activation",
                doc: "The activation of each hidden layer of both: identity, logistic, tanh, relu, leaky_relu or gelu.",
                range: Range::Choice(&["identity", "logistic", "tanh", "relu", "leaky_relu", "gelu"]),
            },
            ParamSpec {
                name: "non_saturating",
                doc: "Whether the generator raises log D(G(z)) instead of lowering log(1 - D(G(z))).",
                range: Range::Bool,
            },
            ParamSpec {
                name: "d_steps",
                doc: "Steps of the discriminator for each of the generator.",
                range: Range::Int { min: 1, max: 1000 },
            },
            ParamSpec { name: "learning_rate_init", doc: "The rate of Adam, for both.", range: Range::above(0.0) },
            ParamSpec {
                name: "beta_1",
                doc: "The share of the old mean gradient in Adam.",
                range: Range::Real { min: 0.0, max: 0.999_999_999, above: false, log: false },
            },
            ParamSpec { name: "batch_size", doc: "Rows of a batch.", range: Range::Int { min: 1, max: 1 << 20 } },
            ParamSpec { name: "max_iter", doc: "Epochs.", range: Range::int_from(1) },
            ParamSpec {
                name: "gap_every",
                doc: "Epochs between two estimates of the duality gap; 0 estimates none.",
                range: Range::int_from(0),
            },
            ParamSpec {
                name: "gap_steps",
                doc: "Steps that the copies of either side take for an estimate.",
                range: Range::int_from(1),
            },
            ParamSpec {
                name: "n_modes",
                doc: "Modes that coverage is counted over: rows far apart, each standing for the rows nearest to it; 0 counts none.",
                range: Range::Int { min: 0, max: 10_000 },
            },
        ],
    };

    const ROW_ORDER_MATTERS: bool = true;
    const RANDOM_INIT: bool = true;

    fn fit_rows(&self, data: &DatasetRef<'_>, cx: &Context<'_>) -> Result<GanModel> {
        self.check()?;
        data.check(&Self::SPEC)?;
        training::train_gan(self, data, cx)
    }

    fn load(input: &ModelReader) -> Result<GanModel> {
        load(input)
    }
}
