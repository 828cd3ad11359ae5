//! ID3 and C4.5: multi-way trees.

#[cfg(feature = "fit")]
mod columns;
mod export;
#[cfg(feature = "fit")]
mod grow;
mod model;
#[cfg(feature = "fit")]
mod prune;
#[cfg(feature = "fit")]
mod split;
#[cfg(test)]
mod tests;

use ermine_core::{
    Accepts, Certificate, Context, DatasetRef, Error, Family, Learner, ModelReader, ParamSpec, Range, Result, Spec, Task,
};
use serde::{Deserialize, Serialize};

#[cfg(feature = "fit")]
use super::criterion::QuantizedWeights;
#[cfg(feature = "fit")]
use grow::{C45Data, C45Grower, C45Options};
#[cfg(feature = "fit")]
use split::C45Criterion;

pub use export::C45Rule;
pub use model::C45Model;

/// A tree with a branch for each category (ID3, C4.5), for classes.
///
/// # What it minimizes
/// From the root down, each node takes the column whose test gains most: `Gain = rho (Ent(D~) - sum_v r~_v Ent(D~_v))`, with
/// D~ the rows whose value is known, rho their share of the weight and r~_v the share of branch v among them; the ratio of
/// the gain to the entropy of the branches (gain_ratio); or the same gain of the Gini index. A category column has a branch
/// for each of its categories, a number column the best threshold in the middle of two neighboring values. Then each
/// branch is cut back when fewer errors are to be expected without it.
///
/// # When to use it
/// For categories with few values each, for tables with missing values, and for a tree that reads like the questions one
/// would ask. [`super::Tree`] splits categories into two sets and is faster.
///
/// # Example
/// ```
/// use ermine_core::{Classifier, Column, Context, DatasetRef, Features, Learner, OwnedTarget, Table};
/// use ermine_tree::tree::C45;
///
/// let sky = Column::categories(&[Some("sun"), Some("sun"), Some("rain"), Some("rain"), Some("cloud"), Some("cloud"), None]);
/// let table = Table::new([("sky", sky)])?;
/// let y = OwnedTarget::from_labels(&["no", "no", "no", "no", "yes", "yes", "yes"]);
/// let x = Features::Table(table.view());
/// let model = C45::default().fit_with(&DatasetRef::new(x).with_target(y.view()), &Context::default())?;
/// assert_eq!(model.n_leaves(), 3);
/// assert_eq!(model.classify(&x)?[..6], [0, 0, 0, 0, 1, 1]);
/// # Ok::<(), ermine_core::Error>(())
/// ```
///
/// # Missing values
/// A row without the value that a node tests goes down every branch, with the share of its weight that the branch has among the
/// rows that have one; so do categories that have no branch there. Prediction does the same and averages the leaves by these
/// shares. Infinite values are refused.
///
/// # Ties
/// Of equally good tests the first column wins, then the lowest threshold. All sums behind a test are exact sums of integers
/// (shares of rows are kept in steps of 2^-30, weights that are not whole numbers in about 2^60 steps), so the order of the
/// rows, repeated rows instead of weights, and the number of threads do not change a bit of the tree.
///
/// # Cost
/// In each node every column is sorted anew: rows × columns × log rows a level. Rows of unknown value may visit every leaf.
///
/// # What it does not do
/// Regression, sets of categories as one branch, windowing, rule sets that are pruned on their own.
///
/// # Reference
/// Quinlan: Induction of decision trees, Machine Learning 1, 1986; C4.5: Programs for Machine Learning, 1993.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[doc(alias = "C45Classifier")]
pub struct C45 {
    /// The criterion of a test.
    pub criterion: String,
    /// Tests on the longest path.
    pub max_depth: Option<u64>,
    /// Weight that at least two branches must have.
    pub min_samples_leaf: f64,
    /// "pessimistic" or "none".
    pub pruning: String,
    /// The confidence of the limit on the error rate.
    pub confidence: f64,
    /// Whether pruning may put a node's largest branch in its place.
    pub subtree_raising: bool,
}

impl Default for C45 {
    fn default() -> Self {
        Self {
            criterion: "gain_ratio".into(),
            max_depth: None,
            min_samples_leaf: 2.0,
            pruning: "pessimistic".into(),
            confidence: 0.25,
            subtree_raising: true,
        }
    }
}

#[cfg(feature = "fit")]
impl Learner for C45 {
    type Model = C45Model;

    const SEARCH_SPACE: &'static [&'static str] = &["min_samples_leaf=1..50:log", "confidence=0.01..0.5:log"];

    const SPEC: Spec = Spec {
        name: "c45",
        summary: "Multi-way decision tree (ID3, C4.5): a branch for each category, shares of rows for missing values",
        objective: "greedy: each node takes the test with the largest gain = rho * (I(D) - sum_v r_v I(D_v)) over the rows of \
                    known value, I entropy in bits (gain, gain_ratio) or 1 - sum p^2 (gini); gain_ratio divides by the \
                    entropy of the branches, among tests of at least average gain; then branches that lower the expected \
                    errors n * U(e, n) too little are pruned",
        notes: "A tree that reads like the questions one would ask, for tables of categories with missing values. A number \
                column is split at a threshold. Rows of unknown value go down every branch with its share of the weight, in \
                training and in prediction. Of category columns with very many categories none gains a ratio worth taking; \
                with gain and gini they do, so leave identifiers out. Each node sorts its rows anew by every column. It does \
                not do regression.",
        reference: "Quinlan: C4.5: Programs for Machine Learning, 1993",
        family: Family::Tree,
        tasks: &[Task::Classification],
        accepts: Accepts { weights: true, missing: true, categorical: true, sparse: true, passes: false, multi_target: false },
        params: &[
            ParamSpec {
                name: "criterion",
                doc: "What makes a test good: gain (ID3), gain_ratio (C4.5: the best ratio among tests of at least average \
                      gain), or gini (the Gini index).",
                range: Range::Choice(&["gain_ratio", "gain", "gini"]),
            },
            ParamSpec {
                name: "max_depth",
                doc: "Greatest number of tests on the path to a leaf; null for no limit.",
                range: Range::Optional(&Range::Int { min: 1, max: i64::MAX }),
            },
            ParamSpec {
                name: "min_samples_leaf",
                doc: "Weight of rows that at least two branches of a test must have; both sides of a threshold.",
                range: Range::above(0.0),
            },
            ParamSpec {
                name: "pruning",
                doc: "pessimistic replaces a branch by a leaf, or by its own largest branch, when no more errors are to be \
                      expected then; none keeps the grown tree.",
                range: Range::Choice(&["pessimistic", "none"]),
            },
            ParamSpec {
                name: "confidence",
                doc: "Confidence of pessimistic pruning: the expected error rate of a leaf is the one at which its errors or \
                      fewer have this probability. Smaller values prune more.",
                range: Range::Real { min: 0.0, max: 0.5, above: true, log: false },
            },
            ParamSpec {
                name: "subtree_raising",
                doc: "Whether pruning may put the largest branch of a node in its place.",
                range: Range::Bool,
            },
        ],
    };

    fn fit_rows(&self, data: &DatasetRef<'_>, cx: &Context<'_>) -> Result<C45Model> {
        self.check()?;
        data.check(&Self::SPEC)?;
        let (codes, names) = data.y.classes()?;
        if data.rows() >= u32::MAX as usize {
            return Err(Error::Data(format!("{} rows are more than the {} a tree can count", data.rows(), u32::MAX - 1)));
        }
        let kept: Vec<u32> = (0..data.rows() as u32).filter(|&i| data.weight_of(i as usize) > 0.0).collect();
        let columns = columns::read(&data.x, data.schema, &kept, cx)?;
        let codes: Vec<u32> = kept.iter().map(|&i| codes[i as usize]).collect();
        let weights =
            data.weight.map_or(QuantizedWeights::ONE, |w| QuantizedWeights::new(kept.iter().map(|&i| w[i as usize]).collect()));
        let rows = C45Data { columns: &columns, codes: &codes, weights: &weights, classes: names.len() };
        let settings = C45Options {
            criterion: match self.criterion.as_str() {
                "gain" => C45Criterion::Gain,
                "gini" => C45Criterion::Gini,
                _ => C45Criterion::GainRatio,
            },
            max_depth: self.max_depth.map_or(usize::MAX, |d| usize::try_from(d).unwrap_or(usize::MAX)),
            min_leaf: self.min_samples_leaf,
            confidence: (self.pruning == "pessimistic").then_some(self.confidence),
            raise: self.subtree_raising,
        };
        let mut grower = C45Grower { rows, settings, cx, nodes: Vec::new(), late: false };
        grower.grow(kept.len())?;
        let categories = columns.iter().map(|c| c.categories.clone()).collect();
        let mut certificate = Certificate {
            method: self.criterion.clone(),
            iterations: grower.nodes.len() as u64,
            converged: !grower.late,
            ..Certificate::default()
        };
        if grower.late {
            certificate.notes.push("the time limit passed: some leaves would have been split further".into());
        }
        Ok(C45Model::new(names.to_vec(), categories, &grower.rows, &grower.nodes, certificate))
    }

    fn load(input: &ModelReader) -> Result<C45Model> {
        C45Model::load(input)
    }
}
