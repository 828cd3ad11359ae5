//! k nearest neighbors.

use ermine_core::*;
use ermine_math::neighbors::{IndexedPoints, KnnAlgorithm, Metric, MetricName, NeighborIndex, SearchAlgorithm};
use serde::{Deserialize, Serialize};

use super::KnnModel;

/// Weights of the neighbors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NeighborWeights {
    /// All equal.
    #[default]
    Uniform,
    /// By 1 / distance; where neighbors are at distance 0, only those.
    Distance,
}

/// Predicts from the nearest training rows.
///
/// # What it computes
/// ŷ(x) = Σ wᵢ yᵢ / Σ wᵢ over the k training rows nearest to x (or all rows within a radius): the mean for regression,
/// the class shares for classification. Ties go to the first row, and to the first class.
///
/// # When to use it
/// With few comparable columns (standardize first) and a target that changes slowly with them. With many columns all rows
/// are about equally far (the curse of dimensionality): see the example `curse`.
///
/// # Example
/// ```
/// use ermine_core::{Context, DatasetRef, Features, Learner, MatRef, Regressor, Target};
/// use ermine_neighbors::Knn;
///
/// let x = [0.0, 1.0, 2.0, 10.0];
/// let features = Features::F64(MatRef::row_major(&x, 4, 1));
/// let data = DatasetRef::new(features).with_target(Target::Real(&[1.0, 2.0, 6.0, 50.0]));
/// let model = Knn { n_neighbors: 3, ..Knn::default() }.fit_with(&data, &Context::default())?;
/// assert_eq!(model.predict(&Features::F64(MatRef::row_major(&[0.9], 1, 1)))?[(0, 0)], 3.0);
/// # Ok::<(), ermine_core::Error>(())
/// ```
///
/// # Parameters
/// Described in [`Learner::SPEC`].
///
/// # Cost
/// A fit copies the rows. Brute force takes n p multiplications per query, at the speed of a matrix product in f32; up to
/// 6 columns and from 1000 rows on a k-d tree is used. Neighbors are exact either way: see [`ermine_math::neighbors`].
///
/// # What it does not do
/// It does not take weights, missing cells or categories, and does not choose k; `ermine tune` does.
///
/// # Reference
/// Fix and Hodges 1951; Cover and Hart: Nearest neighbor pattern classification, IEEE Trans. Inf. Theory 13 (1967).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[doc(alias("KNeighborsClassifier", "KNeighborsRegressor"))]
pub struct Knn {
    /// Number of neighbors.
    pub n_neighbors: usize,
    /// Their weights.
    pub weights: NeighborWeights,
    /// The search algorithm.
    pub algorithm: KnnAlgorithm,
    /// The metric.
    pub metric: MetricName,
    /// The order of Minkowski's metric.
    pub p: f64,
    /// All rows within this radius, instead of `n_neighbors` of them.
    pub radius: Option<f64>,
}

impl Default for Knn {
    fn default() -> Self {
        Self {
            n_neighbors: 5,
            weights: NeighborWeights::Uniform,
            algorithm: KnnAlgorithm::Auto,
            metric: MetricName::Minkowski,
            p: 2.0,
            radius: None,
        }
    }
}

impl Knn {
    /// The metric.
    pub fn metric(&self) -> Metric {
        match self.metric {
            MetricName::Minkowski => Metric::of_order(self.p),
            MetricName::Euclidean => Metric::Euclidean,
            MetricName::Manhattan => Metric::Manhattan,
            MetricName::Chebyshev => Metric::Chebyshev,
            MetricName::Cosine => Metric::Cosine,
        }
    }

    /// The search algorithm.
    pub fn method(&self) -> SearchAlgorithm {
        match self.algorithm {
            KnnAlgorithm::Auto => SearchAlgorithm::Auto,
            KnnAlgorithm::Brute => SearchAlgorithm::Brute,
            KnnAlgorithm::KdTree | KnnAlgorithm::BallTree => SearchAlgorithm::Tree,
        }
    }

    /// An error for more neighbors than there are rows.
    pub(super) fn enough_rows(&self, rows: usize) -> Result<()> {
        if self.radius.is_none() && self.n_neighbors > rows {
            let expected = format!("there are {rows} rows to choose from; ask for at most as many");
            return Err(Error::parameter(Self::NAME, "n_neighbors", self.n_neighbors, expected));
        }
        Ok(())
    }
}

const PARAMS: &[ParamSpec] = &[
    ParamSpec {
        name: "n_neighbors",
        doc: "How many neighbors are asked. Few follow the data closely, many give a smoother and more biased answer.",
        range: Range::Int { min: 1, max: u32::MAX as i64 },
    },
    ParamSpec {
        name: "weights",
        doc: "How much the neighbors count: \"uniform\" (all alike) or \"distance\" (by 1 / distance; where some are at distance 0, \
              only those).",
        range: Range::Choice(&["uniform", "distance"]),
    },
    ParamSpec {
        name: "algorithm",
        doc: "How they are searched for, with the same result: \"brute\", \"kd_tree\" (\"ball_tree\" is another name for it), or \"auto\": the tree from 1000 \
              rows on and up to 6 columns.",
        range: Range::Choice(&["auto", "brute", "kd_tree", "ball_tree"]),
    },
    ParamSpec {
        name: "metric",
        doc: "What near means: \"minkowski\" of order p, \"euclidean\", \"manhattan\", \"chebyshev\" (the greatest difference of \
              a column), \"cosine\" (1 - the cosine of the angle; by brute force only).",
        range: Range::Choice(&["minkowski", "euclidean", "manhattan", "chebyshev", "cosine"]),
    },
    ParamSpec {
        name: "p",
        doc: "The order of Minkowski's metric: 1 sums differences (Manhattan), 2 is the straight line (Euclid). Below 1 it is searched by \
              brute force only.",
        range: Range::Real { min: 0.0, max: 1e6, above: true, log: false },
    },
    ParamSpec {
        name: "radius",
        doc: "Asks all rows that are at most this far, instead of n_neighbors of them. A row without any such neighbor is refused.",
        range: Range::Optional(&Range::at_least(0.0)),
    },
];

impl Knn {
    /// Its name in the catalogue and in model files.
    pub(crate) const NAME: &'static str = "knn";
}

impl Knn {
    /// What [`Learner::check`] refuses, also in a file.
    pub(crate) fn check_values(&self) -> Result<()> {
        check_ranges(Self::NAME, PARAMS, self)?;
        if self.method() == SearchAlgorithm::Tree {
            let word = serde_json::to_value(self.algorithm).unwrap_or_default();
            match self.metric() {
                Metric::Cosine => {
                    return Err(Error::parameter(
                        Self::NAME,
                        "algorithm",
                        word,
                        "cosine distances are searched by \"brute\" or \"auto\"",
                    ));
                }
                Metric::Minkowski(p) if p < 1.0 => {
                    let expected = format!("with p = {p}, below 1, there is only \"brute\" and \"auto\"");
                    return Err(Error::parameter(Self::NAME, "algorithm", word, expected));
                }
                _ => {}
            }
        }
        Ok(())
    }
}

#[cfg(feature = "fit")]
impl Learner for Knn {
    type Model = KnnModel;

    const SEARCH_SPACE: &'static [&'static str] = &["n_neighbors=1..60:log", "weights=uniform,distance", "p=1,2"];

    const SPEC: Spec = Spec {
        name: Self::NAME,
        summary: "k nearest neighbors: the mean or the majority of the training rows that are nearest",
        objective: "y(x) = sum_i w_i y_i / sum_i w_i over the k training rows i nearest to x; w_i = 1 or 1 / d(x, x_i)",
        notes: "For few columns that can be compared (standardize first) and a target that changes slowly among them. A fit copies the rows; \
                a prediction takes n p multiplications by brute force and far fewer by the tree, which pays up to about 6 columns. \
                Neighbors are exact: f32 only selects the rows to measure in f64. Of equally near rows the first is taken, of \
                equally frequent classes the first. No weights, no missing cells.",
        reference: "Fix, Hodges 1951; Cover, Hart: Nearest neighbor pattern classification, IEEE Trans. Inf. Theory 13 (1967)",
        family: Family::Neighbors,
        tasks: &[Task::Classification, Task::Regression],
        accepts: Accepts { weights: false, missing: false, categorical: false, sparse: true, passes: false, multi_target: true },
        params: PARAMS,
    };

    const LOO_PREDICTIONS: Option<LooPredictions<Self>> = Some(KnnModel::left_out);

    fn check(&self) -> Result<()> {
        self.check_values()
    }

    fn fit_rows(&self, data: &DatasetRef<'_>, cx: &Context<'_>) -> Result<KnnModel> {
        self.check()?;
        data.check(&Self::SPEC)?;
        self.enough_rows(data.rows())?;
        cx.check(Progress { stage: "index", done: 0, total: Some(1), objective: None })?;
        let points = IndexedPoints::from_features(&data.x, data.schema, Self::SPEC.name)?;
        let method = match points {
            // There is no tree for sparse rows.
            IndexedPoints::Csr(_) => SearchAlgorithm::Brute,
            _ => self.method(),
        };
        KnnModel::new(self.clone(), NeighborIndex::new(points, self.metric(), method)?, (&data.y).try_into()?)
    }

    fn load(input: &ModelReader) -> Result<KnnModel> {
        KnnModel::load(input)
    }
}
