//! k-means: clusters around centers.

#[cfg(feature = "fit")]
mod bounds;
mod choose_k;
mod init;
mod lloyd;
#[cfg(feature = "fit")]
mod memory;
mod mini_batch;
mod model;
#[cfg(feature = "fit")]
mod pass;

use ermine_core::*;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use choose_k::ClusterCountScore;
pub use init::HashSample;
pub use mini_batch::{MiniBatchKMeans, MiniBatchKMeansModel};
pub use model::KMeansModel;
#[cfg(feature = "fit")]
pub use pass::{KMeansPartial, KMeansState};

/// Named variants of the algorithm, with the same result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum KMeansAlgorithm {
    /// Lloyd's algorithm: every row to its nearest center, every center to the mean of its rows.
    #[default]
    Lloyd,
    /// The same steps. Under either name, bounds on distances are used where that was measured to be faster.
    Elkan,
}

/// The number of clusters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ClusterCount {
    /// A fixed number.
    Count(usize),
    /// Chosen by a rule.
    Rule(ClusterCountRule),
}

impl From<usize> for ClusterCount {
    fn from(count: usize) -> Self {
        Self::Count(count)
    }
}

/// Rules that choose the number of clusters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ClusterCountRule {
    /// The elbow of the inertia by number of clusters.
    Elbow,
    /// The least sum of the inertia and a penalty per cluster.
    Penalty,
    /// The largest mean silhouette.
    Silhouette,
}

impl ClusterCountRule {
    /// The least number tried.
    fn first(self) -> usize {
        if self == Self::Silhouette { 2 } else { 1 }
    }
}

/// Partitions rows into `n_clusters` clusters, each around its mean.
///
/// # What it minimizes
/// The inertia, the sum over rows of w |x - c|² to the nearest of k centers c, by Lloyd's steps: every row goes to its
/// nearest center (the first of several), every center to the mean of its rows. The inertia falls in every step.
///
/// # When to use it
/// For compact clusters of similar size, in comparable columns: standardize first.
///
/// # Example
/// ```
/// use ermine_core::{Clusterer, Context, DatasetRef, Features, Learner, MatRef};
/// use ermine_cluster::KMeans;
///
/// let x = [0.0, 0.1, 9.0, 9.1, 0.2];
/// let features = Features::F64(MatRef::row_major(&x, 5, 1));
/// let model = KMeans { n_clusters: 2.into(), ..KMeans::default() }.fit_with(&DatasetRef::new(features), &Context::default())?;
/// let groups = model.assign(&features)?;
/// assert!(groups[0] == groups[1] && groups[2] == groups[3] && groups[0] != groups[2]);
/// # Ok::<(), ermine_core::Error>(())
/// ```
///
/// # Parameters
/// Described in [`Learner::SPEC`].
///
/// # Cost
/// One pass per step, n k p multiplications; rows are not copied, and f32 rows are processed in f32. In memory and from
/// 32 clusters on, bounds on distances (one f32 per row and 16 or 8 centers) skip most of them once centers move little;
/// the bits stay the same. The initialization takes one pass: greedy k-means++ on a sample of at most 16384 distinct rows
/// (at least 20 per cluster), drawn by hashes of their content, so that neither the order of rows nor repeated rows
/// matter.
///
/// # What it does not do
/// It does not find the global optimum, only a local one; `n_init` tries several starts. A center without rows moves to
/// the row farthest from its own center. A rule for `n_clusters` tries 1, 2, … `max_clusters` and keeps them all in
/// [`KMeansModel::tried`].
///
/// # Reference
/// Lloyd, IEEE Transactions on Information Theory 28 (1982); Arthur and Vassilvitskii, SODA 2007.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct KMeans {
    /// Number of clusters.
    pub n_clusters: ClusterCount,
    /// Initial centers: "k-means++", "random", or a list of centers.
    pub init: Value,
    /// Number of starts: "auto" or a number.
    pub n_init: Value,
    /// Most steps.
    pub max_iter: u64,
    /// Convergence: the centers move less than this, relative to the spread of the columns.
    pub tol: f64,
    /// The variant of the algorithm.
    pub algorithm: KMeansAlgorithm,
    /// The most clusters that a rule tries.
    pub max_clusters: usize,
    /// The cost of a cluster in the rule "penalty", in units of inertia.
    pub penalty: Option<f64>,
}

impl Default for KMeans {
    fn default() -> Self {
        Self {
            n_clusters: ClusterCount::Count(8),
            init: "k-means++".into(),
            n_init: "auto".into(),
            max_iter: 300,
            tol: 1e-4,
            algorithm: KMeansAlgorithm::Lloyd,
            max_clusters: 10,
            penalty: None,
        }
    }
}

enum KMeansInit {
    PlusPlus,
    Random,
    Given(Mat<f64>),
}

impl KMeans {
    #[cfg(feature = "fit")]
    fn refuse(&self, name: &str, value: &Value, expected: impl Into<String>) -> Error {
        let mut value = value.to_string();
        if value.len() > 80 {
            value = "a list".into();
        }
        Error::parameter(Self::SPEC.name, name, value, expected)
    }

    #[cfg(feature = "fit")]
    fn init(&self) -> Result<KMeansInit> {
        let words = "it must be \"k-means++\", \"random\" or a list of centers";
        match &self.init {
            Value::String(s) if s == "k-means++" => Ok(KMeansInit::PlusPlus),
            Value::String(s) if s == "random" => Ok(KMeansInit::Random),
            Value::Array(_) => {
                let rows: Vec<Vec<f64>> =
                    Deserialize::deserialize(&self.init).map_err(|_| self.refuse("init", &self.init, words))?;
                let ClusterCount::Count(k) = self.n_clusters else {
                    return Err(self.refuse("init", &self.init, "centers are given, so that n_clusters must be their number"));
                };
                if rows.len() != k {
                    return Err(self.refuse("init", &self.init, format!("it has {} centers, and n_clusters is {k}", rows.len())));
                }
                let cols = rows[0].len();
                if cols == 0 || rows.iter().any(|r| r.len() != cols) || rows.iter().flatten().any(|v| !v.is_finite()) {
                    return Err(self.refuse("init", &self.init, "its centers must be finite numbers, the same count in each"));
                }
                Ok(KMeansInit::Given(Mat::from_vec(k, cols, rows.concat())))
            }
            other => Err(self.refuse("init", other, words)),
        }
    }

    /// The least and the most clusters tried.
    fn range(&self) -> (usize, usize) {
        match self.n_clusters {
            ClusterCount::Count(k) => (k, k),
            ClusterCount::Rule(rule) => (rule.first(), self.max_clusters),
        }
    }

    /// Number of starts: one for given centers.
    fn starts(&self, init: &KMeansInit) -> u64 {
        match (init, self.n_init.as_u64()) {
            (KMeansInit::Given(_), _) => 1,
            (_, Some(n)) => n,
            (KMeansInit::PlusPlus, None) => 1,
            (KMeansInit::Random, None) => 10,
        }
    }
}

#[cfg(feature = "fit")]
impl Learner for KMeans {
    type Model = KMeansModel;

    const SPEC: Spec = Spec {
        name: "kmeans",
        summary: "Groups around centers: every row belongs to the nearest of k means",
        objective: "min over centers c_1..c_k of sum_i w_i min_j |x_i - c_j|^2",
        notes: "For compact groups of similar size in columns that can be compared; standardize first. n k p operations per step, \
                without a copy of the rows. The inertia falls in every step; the end is a grouping that no step improves, not the best of \
                all. Not for long or nested groups. Ties go to the first center; a center without rows moves to the row farthest from \
                its own center.",
        reference: "Lloyd: Least squares quantization in PCM, IEEE Trans. Inf. Theory 28 (1982); Arthur, Vassilvitskii: k-means++, \
                    SODA 2007",
        family: Family::Cluster,
        tasks: &[Task::Clustering],
        accepts: Accepts { weights: true, missing: false, categorical: false, sparse: true, passes: true, multi_target: true },
        params: &[
            ParamSpec {
                name: "n_clusters",
                doc: "How many groups, or a rule that tries up to max_clusters: \"elbow\" takes the number at which the inertia bends \
                      most (farthest below the line from the first to the last), \"penalty\" the one of least inertia + penalty * k \
                      or of least BIC, \"silhouette\" the one at which rows are nearest to their own group next to the others.",
                range: Range::Either(&Range::Choice(&["elbow", "penalty", "silhouette"]), &Range::Int { min: 1, max: 1 << 24 }),
            },
            ParamSpec {
                name: "init",
                doc: "Where to start: \"k-means++\" (spread out, each further center the best of a few draws), \"random\" (rows drawn at \
                      random), or a list of centers, one list of numbers each.",
                range: Range::Any,
            },
            ParamSpec {
                name: "n_init",
                doc: "Number of starts; the one with the least inertia wins. \"auto\" is 1 for k-means++ and 10 for random.",
                range: Range::Either(&Range::Choice(&["auto"]), &Range::int_from(1)),
            },
            ParamSpec { name: "max_iter", doc: "At most that many steps.", range: Range::int_from(1) },
            ParamSpec {
                name: "tol",
                doc: "The end is reached when the squared moves of the centers add up to at most tol times the mean variance of the \
                      columns. With 0 only when no row changes its group.",
                range: Range::at_least(0.0),
            },
            ParamSpec {
                name: "algorithm",
                doc: "\"lloyd\" or \"elkan\": two names for the same steps and the same answer. Distances that bounds rule out are not \
                      computed, in memory and with many clusters, as long as that leaves few.",
                range: Range::Choice(&["lloyd", "elkan"]),
            },
            ParamSpec {
                name: "max_clusters",
                doc: "The most groups that a rule tries.",
                range: Range::Int { min: 2, max: 1 << 16 },
            },
            ParamSpec {
                name: "penalty",
                doc: "What a group costs by the rule \"penalty\", in inertia; null for the Bayesian information criterion of spherical \
                      normal groups.",
                range: Range::Optional(&Range::at_least(0.0)),
            },
        ],
    };
    const STREAM: Option<StreamFit<Self>> = Some(run_passes_source::<Self>);

    fn check(&self) -> Result<()> {
        // The list of centers is checked once, by `init`, not as part of a JSON value.
        let params = serde_json::json!({
            "n_clusters": self.n_clusters, "n_init": self.n_init, "max_iter": self.max_iter, "tol": self.tol,
            "algorithm": self.algorithm, "max_clusters": self.max_clusters, "penalty": self.penalty,
        });
        Self::SPEC.check_params(&params)?;
        self.init().map(|_| ())
    }

    fn fit_rows(&self, data: &DatasetRef<'_>, cx: &Context<'_>) -> Result<KMeansModel> {
        memory::fit(self, data, cx)
    }

    fn load(input: &ModelReader) -> Result<KMeansModel> {
        KMeansModel::load(input)
    }
}

#[cfg(test)]
mod tests;
