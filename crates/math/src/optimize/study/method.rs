//! The methods and their parameters.

#[allow(unused_imports)] // For the documentation.
use crate::optimize::LbfgsDescent;

/// A method with its parameters.
#[derive(Debug, Clone, PartialEq)]
pub enum OptimizationMethod {
    /// x -= step ∇f.
    FixedStep {
        /// The step.
        step: f64,
    },
    /// The fixed step 2 / (λmin + λmax), the best there is for a quadratic with these eigenvalues.
    OptimalStep {
        /// The least eigenvalue of the Hessian.
        least: f64,
        /// The greatest.
        most: f64,
    },
    /// x -= step ∇f with a step that a schedule gives.
    Scheduled {
        /// The schedule.
        schedule: StepSchedule,
    },
    /// Backtracking (Armijo 1966): steps are halved until the decrease is sufficient, the next one starts at twice the
    /// last.
    Backtracking {
        /// The first step to try.
        first: f64,
    },
    /// Heavy ball (Polyak 1964): v = momentum v - step ∇f(x), x += v.
    Momentum {
        /// The step.
        step: f64,
        /// The momentum coefficient.
        momentum: f64,
    },
    /// Nesterov's accelerated gradient: the gradient is evaluated after the momentum step. `None` is the momentum
    /// sequence for functions that are convex only.
    Nesterov {
        /// The step, at most 1 / λmax.
        step: f64,
        /// The momentum coefficient.
        momentum: Option<f64>,
    },
    /// Adam (Kingma, Ba 2015): steps by the running mean of the gradients over the root of that of their squares.
    Adam {
        /// The step.
        step: f64,
        /// Decay of the mean of the gradients.
        beta1: f64,
        /// Decay of the mean of their squares.
        beta2: f64,
        /// Avoids division by zero.
        epsilon: f64,
    },
    /// Steps by the mean gradient of a few random terms; an epoch is one line of the trajectory.
    MiniBatch {
        /// Terms in a batch; 1 is stochastic gradient descent, and on squares the rule of Widrow and Hoff.
        batch: usize,
        /// The steps.
        schedule: StepSchedule,
        /// The seed of the order.
        seed: u64,
    },
    /// Newton's method with step halving.
    Newton,
    /// Limited-memory BFGS ([`LbfgsDescent`]).
    Lbfgs {
        /// Number of steps in memory.
        memory: usize,
    },
    /// One coordinate after another; a sweep is one line of the trajectory. With g it is proximal.
    CoordinateDescent,
    /// Proximal gradient (ISTA): x = prox(x - step ∇f).
    ProximalGradient {
        /// The step, at most 1 / λmax of f.
        step: f64,
    },
    /// FISTA (Beck, Teboulle 2009): proximal gradient with Nesterov's sequence.
    Fista {
        /// The step, at most 1 / λmax of f.
        step: f64,
    },
    /// x -= step t times a subgradient, with the best point kept; steps that decrease as 1 / √t converge.
    Subgradient {
        /// The steps.
        schedule: StepSchedule,
    },
    /// Levenberg–Marquardt for sums of squares: Gauss–Newton steps, damped in the units of the coordinates (Marquardt
    /// 1963) as much as needed for a decrease, with geodesic acceleration (Transtrum, Sethna 2012).
    LevenbergMarquardt {
        /// The first damping, relative to the squares of the derivatives; 1e-3 is usual.
        damping: f64,
    },
}

/// The length of step t = 0, 1, 2, …
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum StepSchedule {
    /// The same for ever.
    Constant(f64),
    /// first / (1 + decay t).
    Inverse {
        /// The first step.
        first: f64,
        /// How fast it falls.
        decay: f64,
    },
    /// first / √(1 + t).
    InverseRoot {
        /// The first step.
        first: f64,
    },
    /// Multiplied by `factor` after every `every` steps.
    StepDecay {
        /// The first step.
        first: f64,
        /// Below 1.
        factor: f64,
        /// Steps of one length.
        every: usize,
    },
}

impl StepSchedule {
    /// Step t.
    pub fn step(self, t: usize) -> f64 {
        match self {
            Self::Constant(step) => step,
            Self::Inverse { first, decay } => first / (1.0 + decay * t as f64),
            Self::InverseRoot { first } => first / (1.0 + t as f64).sqrt(),
            Self::StepDecay { first, factor, every } => first * factor.powf((t / every.max(1)) as f64),
        }
    }
}
