//! The command line of `ermine bandit` and `ermine rl`.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand};

use super::{GlobalArgs, ReadArgs};

#[derive(Debug, ClapArgs)]
#[command(
    after_help = "Examples:\n  ermine bandit run --arms 0.1,0.5,0.6 --policies ucb,thompson,exp3 --rounds 100000 --runs 200 --report out.html\n  ermine bandit replay log.csv --arm item --reward click --propensity p --policies thompson\n  ermine bandit top --arms 0.9,0.8,0.5,0.1 -m 2 --delta 0.05"
)]
pub struct BanditArgs {
    #[command(subcommand)]
    pub command: BanditCommand,
}

#[derive(Debug, Subcommand)]
pub enum BanditCommand {
    /// Simulate policies on the same arms: regret with its confidence band, against the proven bounds
    Run(BanditRun),
    /// Evaluate policies on a log of choices: replay, inverse propensity, self-normalized, doubly robust
    Replay(BanditReplay),
    /// Find the best few arms with few samples
    Top(BanditTop),
    /// List the policies, or show one: its rule and parameters
    Policies(CatalogArgs),
}

#[derive(Debug, ClapArgs)]
pub struct CatalogArgs {
    /// The one to show
    pub name: Option<String>,
    #[command(flatten)]
    pub everywhere: GlobalArgs,
}

/// The arms of a simulation.
#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "Arms")]
pub struct ArmsArgs {
    /// Means of the arms; for linear arms, how many there are
    #[arg(long, value_name = "NUMBERS", value_delimiter = ',', allow_hyphen_values = true)]
    pub arms: Vec<f64>,
    /// Rewards of the arms: bernoulli (1 with a probability), gaussian, bounded (uniform around the mean), drift
    /// (bernoulli with probabilities that follow a random walk), linear (in a context drawn every round), adversarial
    /// (the rows of --rewards)
    #[arg(long, value_name = "KIND", default_value = "bernoulli", value_parser = ["bernoulli", "gaussian", "bounded", "drift", "linear", "adversarial"])]
    pub kind: String,
    /// Standard deviation of gaussian and linear rewards
    #[arg(long, value_name = "SD", default_value_t = 1.0)]
    pub sd: f64,
    /// Half the width of the range of bounded rewards
    #[arg(long, value_name = "WIDTH", default_value_t = 0.5)]
    pub half_width: f64,
    /// Standard deviation of a step of drifting arms
    #[arg(long, value_name = "SD", default_value_t = 0.01)]
    pub step: f64,
    /// Dimension of the context of linear arms; their coefficients are drawn from the seed
    #[arg(long, value_name = "D", default_value_t = 5)]
    pub context: usize,
    /// Rewards of adversarial arms: a table with one column per arm and one row per round, repeated from the start when
    /// it ends
    #[arg(long, value_name = "DATA")]
    pub rewards: Option<String>,
}

#[derive(Debug, ClapArgs)]
pub struct BanditRun {
    #[command(flatten)]
    pub arms: ArmsArgs,
    /// Policies, with parameters in brackets where they are not the defaults: ucb1(c=0.5)
    #[arg(long, value_name = "NAMES", default_value = "epsilon-greedy,ucb,ucb1,kl-ucb,moss,thompson,exp3")]
    pub policies: String,
    /// Rounds per run
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(1..))]
    pub rounds: u64,
    /// Runs of every policy, each with its own random numbers
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..))]
    pub runs: u64,
    /// Rounds until a reward is observed: a number, or uniform:MEAN for a delay drawn up to twice the mean
    #[arg(long, value_name = "ROUNDS")]
    pub delay: Option<String>,
    /// Rounds at which regret is recorded
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub points: usize,
    /// Write a report with tables and charts
    #[arg(long, value_name = "OUT.html")]
    pub report: Option<PathBuf>,
    #[command(flatten)]
    pub reading: ReadArgs,
    #[command(flatten)]
    pub everywhere: GlobalArgs,
}

#[derive(Debug, ClapArgs)]
pub struct BanditReplay {
    /// The log, one row per round: a file, a glob, - or example:NAME
    pub log: String,
    /// Column of the arm that was pulled
    #[arg(long, value_name = "COL", default_value = "arm")]
    pub arm: String,
    /// Column of the reward
    #[arg(long, value_name = "COL", default_value = "reward")]
    pub reward: String,
    /// Column of the probability with which the arm was pulled; without it only replay is possible
    #[arg(long, value_name = "COL")]
    pub propensity: Option<String>,
    /// Columns of the context, numbers; a constant 1 is put in front
    #[arg(long, value_name = "COLS", value_delimiter = ',')]
    pub context: Vec<String>,
    /// Policies to replay, with parameters in brackets where they are not the defaults; thompson by default
    #[arg(long, value_name = "NAMES")]
    pub policies: Option<String>,
    /// Evaluate a policy that pulls the arms with the frequencies they have in another log, which has the same columns
    #[arg(long, value_name = "DATA")]
    pub like: Option<String>,
    /// Range of the rewards; by default from the least to the largest of the log
    #[arg(long, value_name = "LOW,HIGH", value_delimiter = ',', num_args = 2, allow_negative_numbers = true)]
    pub range: Option<Vec<f64>>,
    /// Continue with a saved policy, instead of --policies
    #[arg(long, value_name = "FILE", conflicts_with = "policies")]
    pub resume: Option<PathBuf>,
    /// Save the policy, with what it has learned, to be used or resumed; for one policy
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Write a report with tables and charts
    #[arg(long, value_name = "OUT.html")]
    pub report: Option<PathBuf>,
    #[command(flatten)]
    pub reading: ReadArgs,
    #[command(flatten)]
    pub everywhere: GlobalArgs,
}

#[derive(Debug, ClapArgs)]
pub struct BanditTop {
    /// Probabilities of the arms
    #[arg(long, value_name = "NUMBERS", value_delimiter = ',', required = true)]
    pub arms: Vec<f64>,
    /// How many arms to find
    #[arg(short, long, value_name = "M", default_value_t = 1)]
    pub m: usize,
    /// Most samples to draw: the budget of successive accepts and rejects; with --delta, an upper bound for LUCB
    #[arg(long, value_name = "N")]
    pub budget: Option<u64>,
    /// Acceptable probability of an error: LUCB, which draws as many samples as that takes
    #[arg(long, value_name = "P", required_unless_present = "budget")]
    pub delta: Option<f64>,
    /// LUCB: how far an arm may be below the best ones
    #[arg(long, value_name = "GAP", default_value_t = 0.0)]
    pub epsilon: f64,
    /// Runs
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..))]
    pub runs: u64,
    #[command(flatten)]
    pub everywhere: GlobalArgs,
}

#[derive(Debug, ClapArgs)]
#[command(
    after_help = "Examples:\n  ermine rl train taxi --agent q-learning --seeds 5 -o taxi.ermine --report taxi.html\n  ermine rl play taxi.ermine --render\n  ermine rl solve gridworld.txt --gamma 0.9\n\nENV is a name (see `ermine rl environments`), with parameters in brackets where others than the usual are wanted:\nfrozen-lake(is_slippery=false); or a text file with a map: S start, . floor, # wall, G goal, X pit."
)]
pub struct RlArgs {
    #[command(subcommand)]
    pub command: RlCommand,
}

#[derive(Debug, Subcommand)]
pub enum RlCommand {
    /// Train an agent on an environment, with one or several seeds, and save it
    Train(RlTrain),
    /// Run episodes of a saved agent
    Play(RlPlay),
    /// Solve a finite decision process exactly: values and policy
    Solve(RlSolve),
    /// List the agents, or show one: its rule and parameters
    Agents(CatalogArgs),
    /// List the environments, or show one: its rewards and parameters
    Environments(CatalogArgs),
}

#[derive(Debug, ClapArgs)]
pub struct RlTrain {
    /// The environment
    #[arg(value_name = "ENV")]
    pub environment: String,
    /// The agent (see `ermine rl agents`); q-learning when not given
    #[arg(long, value_name = "NAME")]
    pub agent: Option<String>,
    /// Parameter of the agent
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Steps of training; by default as many as are known to be enough
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub steps: Option<u64>,
    /// Episodes of training, instead of steps
    #[arg(long, value_name = "N", conflicts_with = "steps", value_parser = clap::value_parser!(u64).range(1..))]
    pub episodes: Option<u64>,
    /// Train once for each of so many seeds from --seed up; the best agent is saved
    #[arg(long, value_name = "K", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    pub seeds: u64,
    /// Episodes to evaluate the trained agent on
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..))]
    pub evaluate: u64,
    /// Continue training a saved agent
    #[arg(long, value_name = "FILE", conflicts_with_all = ["agent", "seeds", "set"])]
    pub resume: Option<PathBuf>,
    /// File for the agent
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Write a report with the learning curve and an episode in pictures
    #[arg(long, value_name = "OUT.html")]
    pub report: Option<PathBuf>,
    /// Stop after this time: 60s, 5m, 1h
    #[arg(long, value_name = "TIME", value_parser = super::duration)]
    pub time_limit: Option<std::time::Duration>,
    #[command(flatten)]
    pub everywhere: GlobalArgs,
}

#[derive(Debug, ClapArgs)]
pub struct RlPlay {
    /// The agent's file
    #[arg(value_name = "FILE")]
    pub agent: PathBuf,
    /// Draw every step as text; as an animation on a terminal
    #[arg(long)]
    pub render: bool,
    /// Another environment of the same shape as the one it was trained in
    #[arg(long, value_name = "ENV")]
    pub environment: Option<String>,
    /// Episodes
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    pub episodes: u64,
    /// Steps after which an episode is truncated, whatever the environment's limit
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..))]
    pub limit: u64,
    /// Frames per second of the animation
    #[arg(long, value_name = "N", default_value_t = 15, value_parser = clap::value_parser!(u64).range(1..1000))]
    pub fps: u64,
    /// Write a report with the returns and the first episode in pictures
    #[arg(long, value_name = "OUT.html")]
    pub report: Option<PathBuf>,
    #[command(flatten)]
    pub everywhere: GlobalArgs,
}

#[derive(Debug, ClapArgs)]
pub struct RlSolve {
    /// A text file with a map, the name of an environment, or a table of transitions with the columns state, action, next, probability,
    /// reward and, where episodes end, terminated
    #[arg(value_name = "WORLD")]
    pub world: String,
    /// The discount
    #[arg(long, value_name = "G", default_value_t = 0.99)]
    pub gamma: f64,
    /// Method: value-iteration or policy-iteration
    #[arg(long, value_name = "NAME", default_value = "value-iteration", value_parser = ["value-iteration", "policy-iteration"])]
    pub method: String,
    /// Value iteration: stop when no value changes by more
    #[arg(long, value_name = "X", default_value_t = 1e-12)]
    pub tolerance: f64,
    /// Parameter of the environment: slip=0.1, step=-1
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Rows of a table that are printed; --json has all
    #[arg(long, value_name = "N", default_value_t = 40)]
    pub rows: usize,
    /// Write a report with values and policy
    #[arg(long, value_name = "OUT.html")]
    pub report: Option<PathBuf>,
    #[command(flatten)]
    pub reading: ReadArgs,
    #[command(flatten)]
    pub everywhere: GlobalArgs,
}
