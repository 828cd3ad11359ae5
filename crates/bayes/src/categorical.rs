//! Categorical naive Bayes.

use std::sync::Arc;

use ermine_core::*;
use serde::{Deserialize, Serialize};

use super::categorical_model::{CategoricalFeature, CategoricalNbModel};
use super::discrete::{self, CLASS_PRIOR, ClassPriors, FIT_PRIOR};
use ermine_core::blocks::column_label;

/// Codes up to this many are taken; beyond, a column is hardly one of categories.
pub(super) const MOST_LEVELS: usize = 1 << 20;

/// Every column is one of several things, independently within a class.
///
/// # What it maximizes
/// Σᵢ wᵢ (ln πₖ + Σⱼ ln pₖⱼ(xᵢⱼ)), k the class of row i, plus the logarithms of Dirichlet priors: pₖⱼ(l) = (nₖⱼₗ + α) /
/// (nₖⱼ + α Lⱼ), nₖⱼₗ the weight of the rows of class k whose column j is l, and Lⱼ the number of levels.
///
/// # When to use it
/// For columns of categories. Those of a table are taken by name: the levels are the names that training has seen, and
/// missing cells are a level of their own where training has some. Number columns hold codes, whole numbers from 0 up,
/// and have as many levels as the greatest code implies.
///
/// # Example
/// ```
/// use ermine_core::{Classifier, Column, Context, DatasetRef, Features, Learner, OwnedTarget, Table};
/// use ermine_bayes::CategoricalNb;
///
/// let table = Table::new([("odor", Column::categories(&[Some("foul"), Some("none"), Some("none"), Some("foul")]))])?;
/// let y = OwnedTarget::from_labels(&["poisonous", "edible", "edible", "poisonous"]);
/// let x = Features::Table(table.view());
/// let model = CategoricalNb::default().fit_with(&DatasetRef::new(x).with_target(y.view()), &Context::default())?;
/// assert_eq!(model.classify(&x)?, [1, 0, 0, 1]);
/// # Ok::<(), ermine_core::Error>(())
/// ```
///
/// # Parameters
/// Described in [`Learner::SPEC`].
///
/// # Cost
/// One pass, an addition per cell; prediction one per cell and class.
///
/// # What it does not do
/// It does not learn from names, codes or missing cells that training has not seen: such a cell is ignored, as if its
/// column were absent.
///
/// # Reference
/// Hastie, Tibshirani, Friedman, The Elements of Statistical Learning, section 6.6.3.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[doc(alias = "CategoricalNB")]
pub struct CategoricalNb {
    /// Pseudo-counts.
    pub alpha: f64,
    /// Whether classes are as probable as their shares.
    pub fit_prior: bool,
    /// Probabilities of the classes, in their order.
    pub class_prior: Option<Vec<f64>>,
    /// The least number of levels.
    pub min_categories: MinCategories,
}

/// The least number of levels of all columns, or of each.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum MinCategories {
    /// As many as there are.
    Seen(()),
    /// The same for all columns.
    All(usize),
    /// One per column.
    Each(Vec<usize>),
}

impl Default for CategoricalNb {
    fn default() -> Self {
        Self { alpha: 1.0, fit_prior: true, class_prior: None, min_categories: MinCategories::Seen(()) }
    }
}

impl CategoricalNb {
    #[cfg(feature = "fit")]
    fn priors(&self) -> ClassPriors<'_> {
        ClassPriors { learner: Self::SPEC.name, fit: self.fit_prior, given: self.class_prior.as_deref() }
    }

    fn least_levels(&self, column: usize) -> usize {
        match &self.min_categories {
            MinCategories::Seen(()) => 0,
            MinCategories::All(n) => *n,
            MinCategories::Each(each) => each[column],
        }
    }

    #[cfg(feature = "fit")]
    fn expect_cols(&self, cols: usize) -> Result<()> {
        match &self.min_categories {
            MinCategories::Each(each) if each.len() != cols => Err(Error::parameter(
                Self::SPEC.name,
                "min_categories",
                format!("a list of {} numbers", each.len()),
                format!("the data has {cols} columns, and a list must have a number for each"),
            )),
            _ => Ok(()),
        }
    }

    #[cfg(feature = "fit")]
    fn model(&self, state: CategoricalNbState, total: CategoricalNbPartial) -> Result<CategoricalNbModel> {
        let classes = state.classes.len();
        let mut columns = Vec::with_capacity(total.columns.len());
        let mut counts = Vec::new();
        for (j, (mut seen, names)) in total.columns.into_iter().zip(&state.names).enumerate() {
            let has = |row: &[f64]| row.iter().any(|c| *c > 0.0);
            let missing = has(&seen.missing);
            let names = names.as_ref().map(|all| {
                // Only the names that occur are levels.
                let kept: Vec<usize> = (0..all.len()).filter(|&l| has(&seen.counts[l * classes..(l + 1) * classes])).collect();
                seen.counts = kept.iter().flat_map(|&l| seen.counts[l * classes..(l + 1) * classes].to_vec()).collect();
                kept.iter().map(|&l| all[l].clone()).collect::<Vec<String>>()
            });
            let least = self.least_levels(j).min(MOST_LEVELS);
            let levels = (seen.counts.len() / classes).max(least);
            seen.counts.resize(levels * classes, 0.0);
            if missing {
                seen.counts.extend_from_slice(&seen.missing);
            }
            counts.extend_from_slice(&seen.counts);
            columns.push(CategoricalFeature { names, levels, missing });
        }
        let counts = Mat::from_vec(counts.len() / classes, classes, counts);
        let class_log_prior = self.priors().logs(&total.class);
        CategoricalNbModel::new(state.classes, total.class, columns, counts, class_log_prior, self.alpha)
    }
}

impl CategoricalNb {
    /// Its name in the catalogue and in model files.
    pub(crate) const NAME: &'static str = "categorical-nb";
}

#[cfg(feature = "fit")]
impl Learner for CategoricalNb {
    type Model = CategoricalNbModel;

    const SPEC: Spec = Spec {
        name: Self::NAME,
        summary: "Naive Bayes for categories: independent within a class, each level with its probability",
        objective: "p_kj(l) = (n_kjl + alpha) / (n_kj + alpha L_j); max over k of ln prior_k + sum_j ln p_kj(x_j), L_j the levels of column j",
        notes: "For columns of categories, by name, with missing cells as a level of their own; number columns must hold codes, whole numbers \
                from 0 up: bin other numbers first. One pass. alpha is the Dirichlet prior. Levels that training has not seen are ignored. \
                Probabilities are overconfident where columns depend on each other.",
        reference: "Hastie, Tibshirani, Friedman: The Elements of Statistical Learning, 2nd ed. 2009, section 6.6.3",
        family: Family::Bayes,
        tasks: &[Task::Classification],
        accepts: Accepts { weights: true, missing: true, categorical: true, sparse: false, passes: true, multi_target: false },
        params: &[
            ParamSpec {
                name: "alpha",
                doc: "Pseudo-counts that are added to every level of every column in every class.",
                range: Range::at_least(0.0),
            },
            FIT_PRIOR,
            CLASS_PRIOR,
            ParamSpec {
                name: "min_categories",
                doc: "The least number of levels of a column: one number, or a list with one for each column. null: as many as the data shows.",
                range: Range::Optional(&Range::Either(&Range::int_from(0), &Range::List(&Range::int_from(0)))),
            },
        ],
    };
    const STREAM: Option<StreamFit<Self>> = Some(run_passes_source::<Self>);
    const PARTIAL_FIT: Option<FitFrom<Self>> = Some(resume);
    const VALUE_KIND: ValueKind = ValueKind::Codes;

    fn check(&self) -> Result<()> {
        self.check_ranges()?;
        self.priors().check()
    }

    fn fit_rows(&self, data: &DatasetRef<'_>, cx: &Context<'_>) -> Result<CategoricalNbModel> {
        run_passes(self, data, cx)
    }

    fn load(input: &ModelReader) -> Result<CategoricalNbModel> {
        CategoricalNbModel::load(input)
    }
}

#[cfg(feature = "fit")]
fn resume(
    nb: &CategoricalNb,
    model: Option<&CategoricalNbModel>,
    data: &DatasetRef<'_>,
    cx: &Context<'_>,
) -> Result<CategoricalNbModel> {
    let Some(model) = model else { return run_passes(nb, data, cx) };
    nb.check()?;
    data.check(&CategoricalNb::SPEC)?;
    discrete::expect_same(CategoricalNb::NAME, model.n_features(), &model.classes, data)?;
    let mut state = nb.initial_state(data, cx)?;
    for (j, (names, known)) in state.names.iter_mut().zip(&model.columns).enumerate() {
        match (names, &known.names) {
            (Some(names), Some(known)) => {
                let mut all: Vec<String> = names.iter().chain(known).cloned().collect();
                all.sort();
                all.dedup();
                *names = Arc::new(all);
            }
            (None, None) => {}
            _ => {
                let message = "it has names in the model and codes in the data, or vice versa".to_owned();
                return Err(Error::Row { place: format!("column {}", column_label(data.schema, j)), row: 0, message });
            }
        }
    }
    let mut tally = model.tally(&state);
    tally.merge(discrete::totals(nb, &state, data, cx)?)?;
    nb.model(state, tally)
}

/// State broadcast to every block before a pass.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct CategoricalNbState {
    classes: Vec<String>,
    /// The names of each column of categories, sorted; none for codes.
    pub(super) names: Vec<Option<Arc<Vec<String>>>>,
}

/// The levels of one column: one row per level, one number per class.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct CategoryCounts {
    pub counts: Vec<f64>,
    pub missing: Vec<f64>,
}

/// Sums of a pass of a [`CategoricalNb`].
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct CategoricalNbPartial {
    pub(super) class: Vec<f64>,
    pub(super) columns: Vec<CategoryCounts>,
}

#[cfg(feature = "fit")]
impl Partial for CategoricalNbPartial {
    fn merge(&mut self, other: Self) -> Result<()> {
        let add = |a: &mut Vec<f64>, b: &[f64]| {
            a.resize(a.len().max(b.len()), 0.0);
            a.iter_mut().zip(b).for_each(|(a, b)| *a += b);
        };
        add(&mut self.class, &other.class);
        for (a, b) in self.columns.iter_mut().zip(&other.columns) {
            add(&mut a.counts, &b.counts);
            add(&mut a.missing, &b.missing);
        }
        Ok(())
    }
}

/// A code as a level, none when it is missing; other numbers are refused.
#[inline]
pub(super) fn level(v: f64, row: usize, column: usize, schema: Option<&Schema>) -> Result<Option<usize>> {
    if v >= 0.0 && v < MOST_LEVELS as f64 && v.fract() == 0.0 {
        return Ok(Some(v as usize));
    }
    if v.is_nan() { Ok(None) } else { Err(refuse(v, row, column, schema)) }
}

fn refuse(v: f64, row: usize, column: usize, schema: Option<&Schema>) -> Error {
    let column = column_label(schema, column);
    if v.is_infinite() {
        return Error::NotFinite { column, row, value: if v > 0.0 { "infinity" } else { "-infinity" }.into() };
    }
    let needed = format!(
        "{} takes categories, or codes for them: whole numbers from 0 to {}; bin the column, or give it the type category",
        CategoricalNb::NAME,
        MOST_LEVELS - 1
    );
    Error::OutOfRange { what: format!("column {column}"), row, value: v, needed }
}

/// Calls `each` with the number of every row of a column that holds no categories.
pub(super) fn each_number(x: &Features<'_>, column: usize, mut each: impl FnMut(usize, f64) -> Result<()>) -> Result<()> {
    match x {
        Features::F64(m) => m.col_iter(column).enumerate().try_for_each(|(i, v)| each(i, v)),
        Features::F32(m) => m.col_iter(column).enumerate().try_for_each(|(i, v)| each(i, f64::from(v))),
        Features::Table(t) => t.numbers(column).unwrap_or_default().iter().enumerate().try_for_each(|(i, &v)| each(i, v)),
        Features::Csr(_) => Err(Error::Data(format!("{} does not take sparse rows", CategoricalNb::NAME))),
    }
}

/// The position of each name of a table among the names of a model.
pub(super) fn places(names: &[String], among: &[String]) -> Vec<Option<usize>> {
    names.iter().map(|n| among.binary_search(n).ok()).collect()
}

#[cfg(feature = "fit")]
impl PassLearner for CategoricalNb {
    type State = CategoricalNbState;
    type Partial = CategoricalNbPartial;

    fn block_rows(&self, cols: usize) -> usize {
        ((1 << 18) / cols.max(1)).clamp(4096, 1 << 16)
    }

    fn initial_state(&self, head: &DatasetRef<'_>, _: &Context<'_>) -> Result<CategoricalNbState> {
        let (_, classes) = head.y.classes()?;
        self.priors().expect_classes(classes.len())?;
        self.expect_cols(head.cols())?;
        let names = |j: usize| match &head.x {
            Features::Table(t) => t.categories(j).map(|(_, names)| {
                let mut names = names.to_vec();
                names.sort();
                Arc::new(names)
            }),
            _ => None,
        };
        Ok(CategoricalNbState { classes: classes.to_vec(), names: (0..head.cols()).map(names).collect() })
    }

    fn empty_partial(&self, state: &CategoricalNbState) -> CategoricalNbPartial {
        let classes = state.classes.len();
        let seen = |names: &Option<Arc<Vec<String>>>| CategoryCounts {
            counts: vec![0.0; names.as_ref().map_or(0, |n| n.len()) * classes],
            missing: vec![0.0; classes],
        };
        CategoricalNbPartial { class: vec![0.0; classes], columns: state.names.iter().map(seen).collect() }
    }

    fn add_block(&self, state: &CategoricalNbState, part: &mut CategoricalNbPartial, rows: &DatasetRef<'_>) -> Result<()> {
        rows.x.expect_cols(state.names.len())?;
        let (classes, _) = rows.y.classes()?;
        let k = state.classes.len();
        for (i, &class) in classes.iter().enumerate() {
            part.class[class as usize] += rows.weight_of(i);
        }
        for (j, (seen, names)) in part.columns.iter_mut().zip(&state.names).enumerate() {
            if let (Some(all), Features::Table(t)) = (names, &rows.x)
                && let Some((codes, here)) = t.categories(j)
            {
                let places = places(here, all);
                for (i, &code) in codes.iter().enumerate() {
                    let (class, w) = (classes[i] as usize, rows.weight_of(i));
                    if code == MISSING_CODE {
                        seen.missing[class] += w;
                    } else if let Some(level) = places[code as usize] {
                        seen.counts[level * k + class] += w;
                    }
                }
                continue;
            }
            each_number(&rows.x, j, |i, v| {
                let (class, w) = (classes[i] as usize, rows.weight_of(i));
                match level(v, i, j, rows.schema)? {
                    None => seen.missing[class] += w,
                    // A row of weight 0 is not there, and nor is its level.
                    Some(_) if w == 0.0 => {}
                    Some(level) => {
                        if (level + 1) * k > seen.counts.len() {
                            seen.counts.resize((level + 1) * k, 0.0);
                        }
                        seen.counts[level * k + class] += w;
                    }
                }
                Ok(())
            })?;
        }
        Ok(())
    }

    fn finish(
        &self,
        state: CategoricalNbState,
        total: CategoricalNbPartial,
        _: &Context<'_>,
    ) -> Result<PassStep<CategoricalNbState, CategoricalNbModel>> {
        Ok(PassStep::Done(self.model(state, total)?))
    }
}
