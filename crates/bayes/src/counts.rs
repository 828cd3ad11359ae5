//! Sums of cells class by class, from which the naive Bayes classifiers of counts and of bits are fitted and continued.

use ermine_core::{Context, DatasetRef, Mat, Partial, PassLearner, Report, Result, Schema, run_passes};
use serde::{Deserialize, Serialize};

use super::discrete::{self, ClassPriors, Smoothing};

/// State broadcast to every block before a pass.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct CountState {
    pub(super) columns: usize,
    pub(super) classes: Vec<String>,
}

/// Sums of cells class by class.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ClassCounts {
    /// The weight of each class.
    pub(super) class: Vec<f64>,
    /// Classes by columns.
    pub(super) cells: Mat<f64>,
    pub(super) finite: bool,
}

impl ClassCounts {
    pub(super) fn new(state: &CountState) -> Self {
        Self { class: vec![0.0; state.classes.len()], cells: Mat::zeros(state.classes.len(), state.columns), finite: true }
    }

    pub(super) fn is_finite(&self) -> bool {
        self.finite && self.cells.as_slice().iter().all(|v| v.is_finite())
    }
}

#[cfg(feature = "fit")]
impl Partial for ClassCounts {
    fn merge(&mut self, other: Self) -> Result<()> {
        self.class.iter_mut().zip(&other.class).for_each(|(a, b)| *a += b);
        self.cells.as_mut_slice().iter_mut().zip(other.cells.as_slice()).for_each(|(a, b)| *a += b);
        self.finite &= other.finite;
        Ok(())
    }
}

/// Rows of a block. A part has a number for each column and class, and is cleared and merged once a block; sparse rows of many
/// columns have few cells each, so that blocks grow with the columns.
pub(super) fn block_rows(cols: usize) -> usize {
    (cols.next_power_of_two() / 2).clamp(4096, 1 << 15)
}

/// A classifier that is made of [`ClassCounts`].
pub(super) trait CountLearner: PassLearner<State = CountState, Partial = ClassCounts> {
    fn priors(&self) -> ClassPriors<'_>;
    fn alpha(&self) -> &Smoothing;
    fn model(&self, classes: Vec<String>, totals: ClassCounts) -> Result<Self::Model>;
    /// The classes of a model, and the sums that it is made of.
    fn counts(model: &Self::Model) -> (&[String], ClassCounts);
}

pub(super) fn initial_state<L: CountLearner>(nb: &L, head: &DatasetRef<'_>) -> Result<CountState> {
    let (_, names) = head.y.classes()?;
    nb.priors().expect_classes(names.len())?;
    nb.alpha().expect_cols(L::SPEC.name, head.cols())?;
    Ok(CountState { columns: head.cols(), classes: names.to_vec() })
}

/// Continues a model with more rows.
#[cfg(feature = "fit")]
pub(super) fn resume<L: CountLearner>(
    nb: &L,
    model: Option<&L::Model>,
    data: &DatasetRef<'_>,
    cx: &Context<'_>,
) -> Result<L::Model> {
    let Some(model) = model else { return run_passes(nb, data, cx) };
    nb.check()?;
    data.check(&L::SPEC)?;
    let (classes, mut totals) = L::counts(model);
    discrete::expect_same(L::SPEC.name, totals.cells.cols(), classes, data)?;
    let state = nb.initial_state(data, cx)?;
    totals.merge(discrete::totals(nb, &state, data, cx)?)?;
    nb.model(state.classes, totals)
}

/// Columns that a report names, at most, for each class.
const MOST_REPORTED: usize = 10;

/// For each class the columns whose weight exceeds the mean of all classes most.
pub(super) fn report_columns(report: &mut Report, schema: &Schema, classes: &[String], weights: &Mat<f64>, title: &str) {
    let (k, cols) = (weights.rows(), weights.cols());
    let finite = |v: f64| v.clamp(f64::MIN, f64::MAX);
    let mean: Vec<f64> = (0..cols).map(|j| (0..k).map(|c| finite(weights[(c, j)]) / k as f64).sum()).collect();
    let mut rows = Vec::new();
    for c in 0..k {
        let mut order: Vec<(usize, f64)> = (0..cols).map(|j| (j, finite(weights[(c, j)]) - mean[j])).collect();
        order.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        for (j, above) in order.into_iter().take(MOST_REPORTED).filter(|o| o.1 > 0.0) {
            rows.push(vec![classes[c].as_str().into(), schema.name(j).into(), weights[(c, j)].into(), above.into()]);
        }
    }
    report.table(title, &["class", "column", "weight", "above the mean of the classes"], rows);
}
