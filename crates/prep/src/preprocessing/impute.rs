//! Imputation of missing cells.

mod model;

use std::sync::Arc;

use ermine_core::*;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::levels::{ColumnReader, LevelCounts, LevelValue, ReadForm};
use ermine_core::blocks::{by_blocks, check_finite, column_label, numbers};
use ermine_math::column_moments::ColumnMoments;
use ermine_math::quantile_search::{self, QuantilePartial, QuantileSearch};

use model::ColumnFill;
pub use model::ImputeModel;

/// The value of missing cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ImputeStrategy {
    /// The mean of the column.
    #[default]
    Mean,
    /// The median of the column.
    Median,
    /// The most frequent value of the column; the least on ties.
    MostFrequent,
    /// The value of `fill_value`.
    Constant,
}

/// Imputes missing cells, column by column.
///
/// # What it computes
/// The mean, median or most frequent value of the cells that are present, and fills missing cells with it.
///
/// # When to use it
/// Before learners that take no missing values. A mean hides that a cell was missing; `add_indicator` keeps that
/// information.
///
/// # Example
/// ```
/// use ermine_core::{Context, DatasetRef, Features, Learner, MatRef, Transformer};
/// use ermine_prep::preprocessing::Impute;
///
/// let x = Features::F64(MatRef::row_major(&[1.0, f64::NAN, 3.0], 3, 1));
/// let model = Impute::default().fit_with(&DatasetRef::new(x), &Context::default())?;
/// assert_eq!(model.transform(&x)?.as_slice(), [1.0, 2.0, 3.0]);
/// # Ok::<(), ermine_core::Error>(())
/// ```
///
/// # Parameters
/// Described in [`Learner::SPEC`].
///
/// # Cost
/// One pass; the median takes a few, in bounded memory, and is exact; the most frequent number needs memory for the
/// distinct numbers.
///
/// # What it does not do
/// It does not use other columns.
///
/// Category columns of a table are filled with their most frequent name, or with `fill_value`; they come out as codes
/// into the names of training, and an unknown name is treated as missing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[doc(alias = "SimpleImputer")]
pub struct Impute {
    /// The value of missing cells.
    pub strategy: ImputeStrategy,
    /// The value of the strategy `constant`.
    pub fill_value: Value,
    /// Whether to add a 0/1 column for each column with missing cells in training.
    pub add_indicator: bool,
    /// Whether to keep columns that were entirely missing in training.
    pub keep_empty_features: bool,
}

impl Default for Impute {
    fn default() -> Self {
        Self { strategy: ImputeStrategy::Mean, fill_value: Value::Null, add_indicator: false, keep_empty_features: false }
    }
}

impl Impute {
    #[cfg(feature = "fit")]
    fn fill_number(&self) -> Result<f64> {
        match &self.fill_value {
            Value::Null => Ok(0.0),
            v => v.as_f64().filter(|v| v.is_finite()).ok_or_else(|| self.refuse_fill("a number, for number columns")),
        }
    }

    fn fill_name(&self) -> String {
        match &self.fill_value {
            Value::Null => "missing_value".into(),
            Value::String(s) => s.clone(),
            other => other.to_string(),
        }
    }

    #[cfg(feature = "fit")]
    fn refuse_fill(&self, expected: &str) -> Error {
        Error::parameter(Self::SPEC.name, "fill_value", &self.fill_value, format!("it must be null or {expected}"))
    }
}

impl Impute {
    /// Its name in the catalogue and in model files.
    pub(crate) const NAME: &'static str = "impute";
}

#[cfg(feature = "fit")]
impl Learner for Impute {
    type Model = ImputeModel;

    const SPEC: Spec = Spec {
        name: Self::NAME,
        summary: "Missing cells filled with the mean, the median or the most frequent value",
        objective: "z = x where it is present, else the mean (median, most frequent value) of the column",
        notes: "Before learners that take no missing values. One pass; the median takes a few passes in bounded memory and is \
                exact. Columns without any cell are dropped unless they are to be kept. Category columns are filled with their most \
                frequent name and come out as codes.",
        reference: "Little, Rubin: Statistical Analysis with Missing Data, 3rd ed. 2019, chapter 4",
        family: Family::Preparation,
        tasks: &[Task::Preparation],
        accepts: Accepts { weights: true, missing: true, categorical: true, sparse: false, passes: true, multi_target: true },
        params: &[
            ParamSpec {
                name: "strategy",
                doc: "What a missing cell is filled with: \"mean\", \"median\", \"most_frequent\" or \"constant\". Category columns are \
                      filled with their most frequent name unless it is \"constant\".",
                range: Range::Choice(&["mean", "median", "most_frequent", "constant"]),
            },
            ParamSpec {
                name: "fill_value",
                doc: "The value of the strategy \"constant\"; null is 0 for numbers and \"missing_value\" for names.",
                range: Range::Any,
            },
            ParamSpec {
                name: "add_indicator",
                doc: "Whether to add a 0/1 column for each column that has missing cells in training.",
                range: Range::Bool,
            },
            ParamSpec {
                name: "keep_empty_features",
                doc: "Whether columns without any cell in training are kept, filled with 0 (or fill_value), rather than dropped.",
                range: Range::Bool,
            },
        ],
    };
    const STREAM: Option<StreamFit<Self>> = Some(run_passes_source::<Self>);

    fn check(&self) -> Result<()> {
        self.check_ranges()?;
        match self.fill_value {
            Value::Null | Value::String(_) | Value::Number(_) => Ok(()),
            _ => Err(self.refuse_fill("a number or a name")),
        }
    }

    fn fit_rows(&self, data: &DatasetRef<'_>, cx: &Context<'_>) -> Result<ImputeModel> {
        run_passes(self, data, cx)
    }

    fn load(input: &ModelReader) -> Result<ImputeModel> {
        ImputeModel::load(input)
    }
}

/// State of [`Impute`], broadcast to every block before a pass.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ImputeState {
    forms: Vec<ReadForm>,
    search: Option<QuantileSearch>,
    /// The sums of the first pass, when later passes only search medians.
    first: Option<Box<ImputePartial>>,
}

/// Sums of [`Impute`] in a pass.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ImputePartial {
    moments: ColumnMoments,
    counts: LevelCounts,
    buckets: Option<QuantilePartial>,
}

#[cfg(feature = "fit")]
impl Partial for ImputePartial {
    fn merge(&mut self, other: Self) -> Result<()> {
        self.moments.merge(other.moments)?;
        self.counts.merge(other.counts)?;
        match (&mut self.buckets, other.buckets) {
            (Some(a), Some(b)) => a.merge(b),
            _ => Ok(()),
        }
    }
}

#[cfg(feature = "fit")]
impl PassLearner for Impute {
    type State = ImputeState;
    type Partial = ImputePartial;

    fn block_rows(&self, _: usize) -> usize {
        if self.strategy == ImputeStrategy::Median { quantile_search::BLOCK_ROWS } else { BLOCK_ROWS }
    }

    fn initial_state(&self, head: &DatasetRef<'_>, _: &Context<'_>) -> Result<ImputeState> {
        let mut forms = Vec::new();
        for j in 0..head.cols() {
            forms.push(match head.x {
                Features::Table(t) => match t.table().column_at(j) {
                    Column::Category { names, .. } => ReadForm::Codes(names.clone()),
                    Column::Number { .. } => ReadForm::Numbers,
                    Column::Text(_) => {
                        return Err(Error::Kind {
                            column: column_label(head.schema, j),
                            found: "text".into(),
                            learner: Self::SPEC.name.into(),
                            needed: "numbers or categories".into(),
                        });
                    }
                },
                _ => ReadForm::Numbers,
            });
        }
        if self.strategy == ImputeStrategy::Constant && forms.contains(&ReadForm::Numbers) {
            self.fill_number()?;
        }
        let search = (self.strategy == ImputeStrategy::Median).then(|| QuantileSearch::new(0.5, forms.len()));
        Ok(ImputeState { forms, search, first: None })
    }

    fn empty_partial(&self, state: &ImputeState) -> ImputePartial {
        // Numbers are counted only for their most frequent value; names always.
        let tallied: Vec<ReadForm> = (state.forms.iter())
            .map(|f| match f {
                ReadForm::Numbers if self.strategy != ImputeStrategy::MostFrequent => ReadForm::Kept,
                form => form.clone(),
            })
            .collect();
        ImputePartial {
            moments: ColumnMoments::new(state.forms.len()),
            counts: LevelCounts::new(if state.first.is_some() { &[] } else { &tallied }),
            buckets: state.search.as_ref().map(QuantileSearch::empty),
        }
    }

    fn add_block(&self, state: &ImputeState, part: &mut ImputePartial, rows: &DatasetRef<'_>) -> Result<()> {
        if state.first.is_none() {
            part.counts.add(rows)?;
            let block = NumberColumns::of(rows, &state.forms);
            part.moments.add(block.view(), rows.weight);
            if part.moments.first_non_finite_column().is_some() {
                check_finite(&rows.x, rows.schema, &|_| true)?;
            }
        }
        if let (Some(search), Some(buckets)) = (&state.search, &mut part.buckets) {
            for j in (0..state.forms.len()).filter(|&j| state.forms[j] == ReadForm::Numbers) {
                let cells = ColumnReader::of(&rows.x, j);
                let cell = |i: usize| (cells.number(i).unwrap_or(f64::NAN), rows.weight_of(i));
                search.add(buckets, j, (0..rows.rows()).map(cell));
            }
        }
        Ok(())
    }

    fn finish(
        &self,
        mut state: ImputeState,
        mut total: ImputePartial,
        _: &Context<'_>,
    ) -> Result<PassStep<ImputeState, ImputeModel>> {
        if let (Some(search), Some(buckets)) = (&mut state.search, total.buckets.take()) {
            let medians = search.refine(&buckets);
            if !medians {
                if state.first.is_none() {
                    state.first = Some(Box::new(total));
                }
                return Ok(PassStep::NextPass(state, None));
            }
        }
        let first = state.first.take().map_or(total, |first| *first);
        let medians = state.search.as_ref().map(QuantileSearch::values);
        let mut model = ImputeModel { columns: Vec::new(), indicators: Vec::new() };
        for (j, form) in state.forms.iter().enumerate() {
            let levels = first.counts.levels(j, form);
            let (missing, empty) = match form {
                ReadForm::Codes(_) => {
                    let missing = levels.iter().any(|l| l.0 == LevelValue::Missing);
                    (missing, levels.iter().all(|l| l.0 == LevelValue::Missing))
                }
                _ => (first.moments.missing[j] > 0.0, first.moments.weight[j] == 0.0),
            };
            if missing {
                model.indicators.push(j);
            }
            model.columns.push(match form {
                _ if empty && !self.keep_empty_features => ColumnFill::Dropped,
                ReadForm::Codes(names) => self.fill_category(names, &levels),
                _ => ColumnFill::Number(match (self.strategy, &medians) {
                    (ImputeStrategy::Constant, _) => self.fill_number()?,
                    _ if empty => 0.0,
                    (ImputeStrategy::Median, Some(medians)) => medians[j].unwrap_or(0.0),
                    (ImputeStrategy::MostFrequent, _) => match most_frequent(&levels) {
                        Some(LevelValue::Number(v)) => *v,
                        _ => 0.0,
                    },
                    _ if first.moments.mean[j].is_finite() => first.moments.mean[j],
                    _ => return Err(Error::Numeric(format!("column {j}: its numbers are so large that their sum overflows"))),
                }),
            });
        }
        if !self.add_indicator {
            model.indicators.clear();
        }
        if model.columns.iter().all(|c| *c == ColumnFill::Dropped) && model.indicators.is_empty() {
            return Err(Error::Data("every column is entirely missing, so there is nothing to fill in from".into()));
        }
        Ok(PassStep::Done(model))
    }
}

impl Impute {
    fn fill_category(&self, names: &Arc<Vec<String>>, levels: &[(LevelValue, f64)]) -> ColumnFill {
        let wanted = match (self.strategy, most_frequent(levels)) {
            (ImputeStrategy::Constant, _) | (_, None) => self.fill_name(),
            (_, Some(level)) => level.to_string(),
        };
        match names.iter().position(|n| *n == wanted) {
            Some(at) => ColumnFill::Name { names: names.clone(), code: at as u32 },
            None => {
                let mut more = names.to_vec();
                more.push(wanted);
                ColumnFill::Name { code: names.len() as u32, names: Arc::new(more) }
            }
        }
    }
}

/// The most frequent value; the first on ties. Missing cells do not count.
fn most_frequent(levels: &[(LevelValue, f64)]) -> Option<&LevelValue> {
    let mut best: Option<&(LevelValue, f64)> = None;
    for l in levels.iter().filter(|l| l.0 != LevelValue::Missing) {
        if best.is_none_or(|b| l.1 > b.1) {
            best = Some(l);
        }
    }
    best.map(|b| &b.0)
}

/// A block of rows in which columns that are not numbers are NaN.
struct NumberColumns<'a> {
    dense: Option<MatRef<'a, f64>>,
    copied: Mat<f64>,
}

impl<'a> NumberColumns<'a> {
    fn of(rows: &DatasetRef<'a>, forms: &[ReadForm]) -> Self {
        if let Features::F64(m) = rows.x {
            return Self { dense: Some(m), copied: Mat::zeros(0, 0) };
        }
        let mut copied = Mat::filled(rows.rows(), forms.len(), f64::NAN);
        for j in (0..forms.len()).filter(|&j| forms[j] == ReadForm::Numbers) {
            let cells = ColumnReader::of(&rows.x, j);
            (0..rows.rows()).for_each(|i| copied[(i, j)] = cells.number(i).unwrap_or(f64::NAN));
        }
        Self { dense: None, copied }
    }

    fn view(&self) -> MatRef<'_, f64> {
        self.dense.unwrap_or_else(|| self.copied.view())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn fit(params: &[(&str, Value)], data: &DatasetRef<'_>) -> Result<ImputeModel> {
        let mut learner = Impute::default();
        learner.set_all(&params.iter().map(|(k, v)| (k.to_string(), v.clone())).collect())?;
        learner.fit_with(data, &Context::default())
    }

    const N: f64 = f64::NAN;
    const X: [f64; 12] = [1.0, N, 7.0, N, N, N, 1.0, N, 7.0, 7.0, N, 3.0];

    #[test]
    fn each_strategy_fills_with_its_own_value() {
        let data = DatasetRef::new(Features::F64(MatRef::row_major(&X, 4, 3)));
        for (strategy, first, last) in [("mean", 3.0, 17.0 / 3.0), ("median", 1.0, 7.0), ("most_frequent", 1.0, 7.0)] {
            // The second column is empty and dropped.
            let model = fit(&[("strategy", json!(strategy))], &data).unwrap();
            let s = model.statistics();
            assert!((s[0] - first).abs() < 1e-15 && s[1].is_nan() && (s[2] - last).abs() < 1e-15, "{strategy}: {s:?}");
            assert_eq!(model.transform(&data.x).unwrap().cols(), 2);
        }
        let model =
            fit(&[("strategy", json!("constant")), ("fill_value", json!(-1)), ("keep_empty_features", json!(true))], &data);
        assert_eq!(model.unwrap().transform(&data.x).unwrap().row(1), [-1.0, -1.0, -1.0]);
    }

    #[test]
    fn medians_of_many_rows_are_exact_in_any_blocks() {
        let mut s = RngStream::new(4, "median", 0);
        let mut x: Vec<f64> = (0..9001).map(|i| if i % 10 == 3 { f64::NAN } else { s.normal().exp() }).collect();
        let view = Features::F64(MatRef::row_major(&x, 9001, 1));
        let got = fit(&[("strategy", json!("median"))], &DatasetRef::new(view)).unwrap().statistics()[0];
        x.retain(|v| !v.is_nan());
        ermine_core::order::sort_numbers(&mut x);
        assert_eq!(got, (x[x.len() / 2] + x[(x.len() - 1) / 2]) / 2.0);
    }

    #[test]
    fn indicators_say_what_was_missing_and_lead_back() {
        let x = [1.0, 5.0, f64::NAN, 6.0];
        let view = Features::F64(MatRef::row_major(&x, 2, 2));
        let model = fit(&[("add_indicator", json!(true))], &DatasetRef::new(view)).unwrap();
        let z = model.transform(&view).unwrap();
        assert_eq!(z.as_slice(), [1.0, 5.0, 0.0, 1.0, 6.0, 1.0]);
        assert_eq!(model.schema_out(&Schema::unnamed(2)).fields[2].name, "missingindicator_x0");
        assert!(model.inverse(z.view()).unwrap().unwrap()[(1, 0)].is_nan());
    }

    #[test]
    fn categories_are_filled_with_their_most_frequent_name() {
        let table = Table::new([
            ("c", Column::categories(&[Some("b"), None, Some("b"), Some("a")])),
            ("n", Column::numbers(vec![1.0, 2.0, f64::NAN, 3.0])),
        ])
        .unwrap();
        let data = DatasetRef::new(Features::Table(table.view()));
        let model = fit(&[], &data).unwrap();
        assert_eq!(model.transform(&data.x).unwrap().as_slice(), [1.0, 1.0, 1.0, 2.0, 1.0, 2.0, 0.0, 3.0]);
        let fill = fit(&[("strategy", json!("constant")), ("fill_value", json!("none"))], &data);
        assert!(fill.unwrap_err().to_string().contains("fill_value"));
        let only = table.select(&["c"]).unwrap();
        let data = DatasetRef::new(Features::Table(only.view()));
        let model = fit(&[("strategy", json!("constant")), ("fill_value", json!("none"))], &data).unwrap();
        assert_eq!(model.transform(&data.x).unwrap().as_slice(), [1.0, 2.0, 1.0, 0.0]);
        assert_eq!(model.schema_out(only.schema()).fields[0].categories[2], "none");
        let mut out = ModelWriter::default();
        model.save(&mut out).unwrap();
        assert_eq!(Impute::load(&out.into_reader()).unwrap(), model);
    }

    #[test]
    fn infinite_cells_are_refused_and_weights_count() {
        let x = [f64::INFINITY, 1.0];
        let view = Features::F64(MatRef::row_major(&x, 2, 1));
        assert!(fit(&[], &DatasetRef::new(view)).unwrap_err().to_string().contains("column 0, row 0"));
        let x = [1.0, 5.0, f64::NAN];
        let data = DatasetRef::new(Features::F64(MatRef::row_major(&x, 3, 1))).with_weight(Some(&[3.0, 1.0, 0.0]));
        assert_eq!(fit(&[], &data).unwrap().statistics()[0], 2.0);
        assert_eq!(fit(&[("strategy", json!("median"))], &data).unwrap().statistics()[0], 1.0);
        assert!(fit(&[("add_indicator", json!(true))], &data).unwrap().indicators.is_empty());
    }
}
