//! The command line: this table alone feeds the parser, the help, the man page and the completions.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args as ClapArgs, Parser, Subcommand};
use clap_complete::Shell;

pub mod agents;
pub mod auto;
mod values;

use agents::{BanditArgs, BanditCommand, RlArgs, RlCommand};
use auto::AutoArgs;
pub use values::{FoldCount, SearchBudget, duration};
use values::{budget, folds, size, trials};

/// A table goes in, a model comes out.
#[derive(Debug, Parser)]
#[command(
    name = "ermine",
    version,
    about = "Machine learning from the command line: a table goes in, a model comes out",
    after_help = "Examples:\n  ermine compare example:penguins --target species\n  ermine fit data.csv --target price -o price.ermine\n  ermine predict price.ermine new.csv -o out.csv\n  ermine explain price.ermine\n\nDATA is a file, a glob, - for the standard input, or example:NAME.",
    propagate_version = true,
    term_width = 80,
    subcommand_required = true,
    arg_required_else_help = true
)]
pub struct Args {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Describe the columns of a table, and warn of likely problems
    Describe(DescribeArgs),
    /// List the models, or show one: its objective, parameters and what it accepts
    Models(ModelsArgs),
    /// Fit a model and save it
    Fit(FitArgs),
    /// Predict: one row out for each row in, in order
    Predict(PredictArgs),
    /// Transform: the scores of a reduction, the columns of a preparation
    Transform(TransformArgs),
    /// Evaluate a model on data: predictions where the target is known, clusters, densities, reductions
    Evaluate(EvaluateArgs),
    /// Compare models by cross-validation; save the best
    Compare(CompareArgs),
    /// Search the parameters of a model by cross-validation; save the best
    Tune(TuneArgs),
    /// Show a saved model: how it was trained, its evidence, its coefficients, path or tree
    Explain(ExplainArgs),
    /// Write a report about a model: how well it does, which columns matter to it, what it decides
    Report(ReportArgs),
    /// Bandits: simulate policies against their bounds, evaluate them on logs
    Bandit(BanditArgs),
    /// Reinforcement learning: train agents, run them, solve finite decision processes
    Rl(RlArgs),
    /// Print the completion script for a shell
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Write the manual pages into a folder
    Man {
        /// The folder
        #[arg(default_value = ".")]
        folder: PathBuf,
    },
}

impl Command {
    pub fn name(&self) -> &'static str {
        match self {
            Self::Describe(_) => "describe",
            Self::Models(_) => "models",
            Self::Fit(_) => "fit",
            Self::Predict(_) => "predict",
            Self::Transform(_) => "transform",
            Self::Evaluate(_) => "evaluate",
            Self::Compare(_) => "compare",
            Self::Tune(_) => "tune",
            Self::Explain(_) => "explain",
            Self::Report(_) => "report",
            Self::Bandit(a) => match a.command {
                BanditCommand::Run(_) => "bandit run",
                BanditCommand::Replay(_) => "bandit replay",
                BanditCommand::Top(_) => "bandit top",
                BanditCommand::Policies(_) => "bandit policies",
            },
            Self::Rl(a) => match a.command {
                RlCommand::Train(_) => "rl train",
                RlCommand::Play(_) => "rl play",
                RlCommand::Solve(_) => "rl solve",
                RlCommand::Agents(_) => "rl agents",
                RlCommand::Environments(_) => "rl environments",
            },
            Self::Completions { .. } => "completions",
            Self::Man { .. } => "man",
        }
    }

    pub fn global(&self) -> Option<&GlobalArgs> {
        match self {
            Self::Describe(a) => Some(&a.everywhere),
            Self::Models(a) => Some(&a.everywhere),
            Self::Fit(a) => Some(&a.everywhere),
            Self::Predict(a) => Some(&a.everywhere),
            Self::Transform(a) => Some(&a.everywhere),
            Self::Evaluate(a) => Some(&a.everywhere),
            Self::Compare(a) => Some(&a.everywhere),
            Self::Tune(a) => Some(&a.everywhere),
            Self::Explain(a) => Some(&a.everywhere),
            Self::Report(a) => Some(&a.everywhere),
            Self::Bandit(a) => Some(match &a.command {
                BanditCommand::Run(a) => &a.everywhere,
                BanditCommand::Replay(a) => &a.everywhere,
                BanditCommand::Top(a) => &a.everywhere,
                BanditCommand::Policies(a) => &a.everywhere,
            }),
            Self::Rl(a) => Some(match &a.command {
                RlCommand::Train(a) => &a.everywhere,
                RlCommand::Play(a) => &a.everywhere,
                RlCommand::Solve(a) => &a.everywhere,
                RlCommand::Agents(a) | RlCommand::Environments(a) => &a.everywhere,
            }),
            Self::Completions { .. } | Self::Man { .. } => None,
        }
    }
}

/// Options of every command.
#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "Global options")]
pub struct GlobalArgs {
    /// Print one JSON object on the standard output, and nothing else there
    #[arg(long)]
    pub json: bool,
    /// Seed of all random numbers
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// Threads to use; all cores when not given. Results do not depend on it
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub threads: Option<u16>,
    /// No progress bar and no notes
    #[arg(long, short)]
    pub quiet: bool,
}

/// Options for reading the data.
#[derive(Debug, Clone, Default, ClapArgs)]
#[command(next_help_heading = "Reading")]
pub struct ReadArgs {
    /// Format, where the extension does not tell: csv, tsv, parquet, arrow, libsvm, idx
    #[arg(long, value_name = "FORMAT")]
    pub format: Option<String>,
    /// Type of a column: number, category, date, text, identifier
    #[arg(long = "type", value_name = "COL=TYPE")]
    pub types: Vec<String>,
    /// Words that mean missing, instead of NA, NaN, null and ?; an empty cell always does
    #[arg(long, value_name = "WORDS", value_delimiter = ',')]
    pub missing: Option<Vec<String>>,
    /// Character between cells
    #[arg(long, value_name = "CHAR")]
    pub delimiter: Option<char>,
    /// Columns to ignore
    #[arg(long, value_name = "COLS", value_delimiter = ',')]
    pub drop: Vec<String>,
    /// Label file of IDX images, where its name does not follow the convention; the labels become column "label", the
    /// target unless another is named
    #[arg(long, value_name = "FILE")]
    pub labels: Option<std::path::PathBuf>,
}

/// The learning task.
#[derive(Debug, Clone, Default, ClapArgs)]
#[command(next_help_heading = "Learning")]
pub struct LearnArgs {
    /// Column of sample weights: weight 2 is the row twice
    #[arg(long, value_name = "COL")]
    pub weight: Option<String>,
    /// Task, where the target does not decide it: regression or classification; without a target clustering, reduction
    /// or density
    #[arg(long, value_name = "TASK")]
    pub task: Option<String>,
    /// Preparation of the columns: auto (impute, one-hot, standardize where the model needs it) or none
    #[arg(long, value_name = "HOW", default_value = "auto", value_parser = ["auto", "none"])]
    pub prepare: String,
    /// New columns in front of the model, after the preparation: polynomial(degree=2), spline(n_knots=5), fourier, radial, uncorrelate,
    /// pca(n_components=3); given several times, one after the other
    #[arg(long, value_name = "MAP", value_parser = crate::features::parse)]
    pub features: Vec<crate::features::FeatureMap>,
    /// Stop after this time: 60s, 5m, 1h
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub time_limit: Option<Duration>,
}

#[derive(Debug, ClapArgs)]
pub struct DescribeArgs {
    /// A file, a glob, - or example:NAME
    pub data: String,
    /// Target column; columns that leak it are reported
    #[arg(long, value_name = "COL")]
    pub target: Option<String>,
    #[command(flatten)]
    pub reading: ReadArgs,
    #[command(flatten)]
    pub everywhere: GlobalArgs,
}

#[derive(Debug, ClapArgs)]
pub struct ModelsArgs {
    /// The model to show
    pub name: Option<String>,
    #[command(flatten)]
    pub everywhere: GlobalArgs,
}

#[derive(Debug, ClapArgs)]
pub struct FitArgs {
    /// A file, a glob, - or example:NAME
    pub data: String,
    /// Target column (several, with commas, for a regression); none for clustering, reduction and density, where a
    /// column named here is left out, and clusters are compared with it
    #[arg(long, value_name = "COL", value_delimiter = ',')]
    pub target: Vec<String>,
    /// Model (see `ermine models`). By default a target gets the best model that a search finds in 30 seconds (--budget);
    /// with --set, --trace, --stream or --checkpoint logistic or ridge; without a target kmeans with the number of clusters
    /// of the best silhouette, pca, or the first density
    #[arg(long, short, value_name = "NAME")]
    pub model: Option<String>,
    /// Parameter of the model
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Model file to write
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Share of rows to hold out and evaluate on
    #[arg(long, value_name = "SHARE")]
    pub split: Option<f64>,
    /// File for the convergence history of the fit, one line per step (objective, step, gradient_norm, seconds, where
    /// the method has them): csv, tsv, parquet, arrow, json, or svg for a chart
    #[arg(long, value_name = "OUT")]
    pub trace: Option<PathBuf>,
    /// Read the file in passes instead of holding it in memory
    #[arg(long)]
    pub stream: bool,
    /// Memory limit of a fit with --stream, besides its model, for trees: 500MB, 4GB; they hold binned rows up to it,
    /// and beyond it read the rows again for every level of their trees. 8GB by default
    #[arg(long, value_name = "SIZE", value_parser = size, requires = "stream")]
    pub memory: Option<u64>,
    /// File that stores the partially trained model twice a minute; the same command resumes from it after an
    /// interruption. Deleted at the end. For models that grow tree by tree
    #[arg(long, value_name = "FILE", conflicts_with = "stream")]
    pub checkpoint: Option<PathBuf>,
    #[command(flatten)]
    pub auto: AutoArgs,
    #[command(flatten)]
    pub learning: LearnArgs,
    #[command(flatten)]
    pub reading: ReadArgs,
    #[command(flatten)]
    pub everywhere: GlobalArgs,
}

#[derive(Debug, ClapArgs)]
pub struct PredictArgs {
    /// Model file
    pub model: PathBuf,
    /// A file, a glob, - or example:NAME
    pub data: String,
    /// File to write, csv or parquet by extension; the standard output by default
    #[arg(long, short, value_name = "OUT")]
    pub output: Option<PathBuf>,
    /// Also the probabilities of classes or clusters, and the log density where the model has one
    #[arg(long)]
    pub proba: bool,
    #[command(flatten)]
    pub reading: ReadArgs,
    #[command(flatten)]
    pub everywhere: GlobalArgs,
}

#[derive(Debug, ClapArgs)]
pub struct TransformArgs {
    /// Model file
    pub model: PathBuf,
    /// A file, a glob, - or example:NAME
    pub data: String,
    /// File to write, csv or parquet by extension; the standard output by default
    #[arg(long, short, value_name = "OUT")]
    pub output: Option<PathBuf>,
    /// Inverse transform: DATA has transformed columns, and columns like those of the training data are written
    #[arg(long)]
    pub inverse: bool,
    #[command(flatten)]
    pub reading: ReadArgs,
    #[command(flatten)]
    pub everywhere: GlobalArgs,
}

#[derive(Debug, ClapArgs)]
pub struct EvaluateArgs {
    /// Model file
    pub model: PathBuf,
    /// A file, a glob, - or example:NAME
    pub data: String,
    /// Target column, where it is not that of the training; for clusters, a column of known groups to compare them with
    #[arg(long, value_name = "COL")]
    pub target: Option<String>,
    /// Column of sample weights
    #[arg(long, value_name = "COL")]
    pub weight: Option<String>,
    /// Costs of errors: fp=5,fn=1 for two classes, the second being the positive one; TRUE:PREDICTED=5 for any, and 1
    /// for all others
    #[arg(long, value_name = "fp=5,fn=1")]
    pub cost: Option<String>,
    /// Cost of abstaining from a decision, where an error costs what --cost gives, or 1
    #[arg(long, value_name = "COST")]
    pub abstain: Option<f64>,
    /// Report to write, one .html file or .md with its figures in a folder beside it
    #[arg(long, value_name = "OUT")]
    pub report: Option<PathBuf>,
    #[command(flatten)]
    pub reading: ReadArgs,
    #[command(flatten)]
    pub everywhere: GlobalArgs,
}

#[derive(Debug, ClapArgs)]
pub struct CompareArgs {
    /// A file, a glob, - or example:NAME
    pub data: String,
    /// Target column
    #[arg(long, value_name = "COL")]
    pub target: String,
    /// Models to compare; by default all that suit the task, except those that with their default parameters repeat
    /// another, and with --budget the settings that do best on most tables
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub models: Vec<String>,
    #[command(flatten)]
    pub auto: AutoArgs,
    /// Search the parameters of the best three models too
    #[arg(long)]
    pub tune: bool,
    /// Model file for the best, trained on all rows
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Report about the best model, one .html file or .md with its figures in a folder beside it
    #[arg(long, value_name = "OUT")]
    pub report: Option<PathBuf>,
    #[command(flatten)]
    pub splitting: SplitArgs,
    #[command(flatten)]
    pub learning: LearnArgs,
    #[command(flatten)]
    pub reading: ReadArgs,
    #[command(flatten)]
    pub everywhere: GlobalArgs,
}

#[derive(Debug, ClapArgs)]
pub struct TuneArgs {
    /// A file, a glob, - or example:NAME
    pub data: String,
    /// Target column
    #[arg(long, value_name = "COL")]
    pub target: String,
    /// Model (see `ermine models`); by default one that suits the task
    #[arg(long, short, value_name = "NAME")]
    pub model: Option<String>,
    /// Parameter of the model that is not searched
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Values of a parameter: alpha=1e-3..10:log, max_depth=2..8, kernel=linear,rbf; may be repeated. By default the
    /// recommended ones of the model
    #[arg(long, value_name = "KEY=LO..HI[:log]")]
    pub space: Vec<String>,
    /// How settings are chosen: model (guided by the trials so far), random, grid, halving (few rows first)
    #[arg(long, value_name = "HOW", default_value = "model", value_parser = ["model", "random", "grid", "halving"])]
    pub method: String,
    /// Values of each range in a grid
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub steps: usize,
    /// How many settings to try, 50, or for how long, 60s; 50 by default, and all of a grid
    #[arg(long, value_name = "N or TIME", value_parser = budget)]
    pub budget: Option<SearchBudget>,
    /// How many settings to try at most, where --budget is a time
    #[arg(long, value_name = "N", value_parser = trials)]
    pub trials: Option<usize>,
    /// Metric to search by; log_loss or rmse by default
    #[arg(long, value_name = "NAME")]
    pub metric: Option<String>,
    /// Evaluate the search itself on rows that take no part in it: one more search per fold
    #[arg(long)]
    pub nested: bool,
    /// Complete every trial, even where it cannot become the best
    #[arg(long)]
    pub patient: bool,
    /// File that records every trial; the same command resumes from it after an interruption
    #[arg(long, value_name = "FILE")]
    pub journal: Option<PathBuf>,
    /// Model file for the best setting, trained on all rows
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub splitting: SplitArgs,
    #[command(flatten)]
    pub learning: LearnArgs,
    #[command(flatten)]
    pub reading: ReadArgs,
    #[command(flatten)]
    pub everywhere: GlobalArgs,
}

/// How rows are split into rounds of training and testing.
#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "Splitting")]
pub struct SplitArgs {
    /// Folds of the cross-validation; loo for leave-one-out
    #[arg(long, value_name = "K", default_value = "5", value_parser = folds)]
    pub folds: FoldCount,
    /// Repeat the cross-validation with other random folds
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub repeats: usize,
    /// Column of groups whose rows stay together; not used as a feature
    #[arg(long, value_name = "COL", conflicts_with_all = ["time", "split", "repeats"])]
    pub group: Option<String>,
    /// Column of times: models are tested on rows later than those they are trained on
    #[arg(long, value_name = "COL", conflicts_with_all = ["split", "repeats"])]
    pub time: Option<String>,
    /// Share of rows to hold out and evaluate on, instead of folds
    #[arg(long, value_name = "SHARE", conflicts_with = "repeats")]
    pub split: Option<f64>,
}

#[derive(Debug, ClapArgs)]
pub struct ExplainArgs {
    /// Model file
    pub model: PathBuf,
    /// Data with the target, to evaluate the model on: a file, a glob, - or example:NAME
    pub data: Option<String>,
    /// Print the rules of a tree: the conditions of each of its leaves
    #[arg(long)]
    pub rules: bool,
    /// Write the chart of the model (a tree, a path, a convergence history, coefficients, importances) as SVG
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    /// Rows of each table that are printed; --json has all
    #[arg(long, value_name = "N", default_value_t = 40)]
    pub rows: usize,
    /// Metric of the importances; log_loss or rmse by default
    #[arg(long, value_name = "NAME", requires = "data")]
    pub metric: Option<String>,
    /// Rows of the data to compute importances on; by default as many as take little time
    #[arg(long, value_name = "N", requires = "data")]
    pub sample: Option<usize>,
    /// Train on parts of the data to see whether more rows would help
    #[arg(long, requires = "data")]
    pub learning_curve: bool,
    /// Column of sample weights of the data
    #[arg(long, value_name = "COL")]
    pub weight: Option<String>,
    #[command(flatten)]
    pub reading: ReadArgs,
    #[command(flatten)]
    pub everywhere: GlobalArgs,
}

#[derive(Debug, ClapArgs)]
pub struct ReportArgs {
    /// Model file
    pub model: PathBuf,
    /// Data with the target: a file, a glob, - or example:NAME
    pub data: String,
    /// Report to write, one .html file or .md with its figures in a folder beside it
    #[arg(long, short, value_name = "OUT")]
    pub output: PathBuf,
    /// Folds by which a model is evaluated on its own training data; 0 evaluates it on its training rows, and says so
    #[arg(long, value_name = "K", default_value_t = 5)]
    pub folds: usize,
    /// Metric of the importances; log_loss or rmse by default
    #[arg(long, value_name = "NAME")]
    pub metric: Option<String>,
    /// Rows of the data to compute importances on; by default as many as take little time
    #[arg(long, value_name = "N")]
    pub sample: Option<usize>,
    /// Costs of a false positive and a false negative that the report starts with
    #[arg(long, value_name = "fp=5,fn=1")]
    pub cost: Option<String>,
    /// The learning curve: auto (where it takes little time), yes or no
    #[arg(long, value_name = "WHEN", default_value = "auto", value_parser = ["auto", "yes", "no"])]
    pub learning_curve: String,
    /// Column of sample weights
    #[arg(long, value_name = "COL")]
    pub weight: Option<String>,
    #[command(flatten)]
    pub reading: ReadArgs,
    #[command(flatten)]
    pub everywhere: GlobalArgs,
}
