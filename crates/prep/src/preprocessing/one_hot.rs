//! A 0/1 column for each value of a column.

use ermine_core::*;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::encoding::{EncodedColumn, EncoderPartial, EncoderState, EncodingRules, GroupedLevels, unknown_value};
use super::levels::{LevelCounts, LevelValue, NumericColumns};
use ermine_core::blocks::{by_blocks, expect_width};

/// Treatment of a value that did not occur in training.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UnknownOneHot {
    /// An error.
    #[default]
    Error,
    /// All zeros.
    Ignore,
    /// The column of the infrequent values; all zeros when there is none.
    InfrequentIfExist,
}

/// Makes a 0/1 column for each value of a column.
///
/// # What it computes
/// For a column with values v1 … vk the k columns \[x = v1\] … \[x = vk\]; missing cells are a value of their own.
///
/// # When to use it
/// Before learners that take only numbers, on columns with few values: a thousand values are a thousand columns.
///
/// # Example
/// ```
/// use ermine_core::{Column, Context, DatasetRef, Features, Learner, Table, Transformer};
/// use ermine_prep::preprocessing::OneHot;
///
/// let table = Table::new([("sex", Column::categories(&[Some("male"), Some("female")]))])?;
/// let x = Features::Table(table.view());
/// let model = OneHot::default().fit_with(&DatasetRef::new(x), &Context::default())?;
/// assert_eq!(model.transform(&x)?.as_slice(), [0.0, 1.0, 1.0, 0.0]);
/// assert_eq!(model.schema_out(table.schema()).fields[1].name, "sex_male");
/// # Ok::<(), ermine_core::Error>(())
/// ```
///
/// # Parameters
/// Described in [`Learner::SPEC`].
///
/// # Cost
/// One pass; memory for the distinct values.
///
/// # What it does not do
/// It does not encode number columns of tables, unless `numbers` says so.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[doc(alias = "OneHotEncoder")]
pub struct OneHot {
    /// "auto", or a list of values for each column.
    pub categories: Value,
    /// Which value gets no column: null, "first", "if_binary", or a list with a value for each column.
    pub drop: Value,
    /// Treatment of a value that did not occur in training.
    pub handle_unknown: UnknownOneHot,
    /// Rarer values share one column: a number of rows, or a fraction of them.
    pub min_frequency: Value,
    /// Most new columns per column.
    pub max_categories: Option<usize>,
    /// Treatment of number columns.
    pub numbers: NumericColumns,
}

impl Default for OneHot {
    fn default() -> Self {
        Self {
            categories: "auto".into(),
            drop: Value::Null,
            handle_unknown: UnknownOneHot::Error,
            min_frequency: Value::Null,
            max_categories: None,
            numbers: NumericColumns::Auto,
        }
    }
}

impl OneHot {
    #[cfg(feature = "fit")]
    fn rules(&self) -> EncodingRules<'_> {
        EncodingRules {
            learner: Self::SPEC.name,
            categories: &self.categories,
            min_frequency: &self.min_frequency,
            max_categories: self.max_categories,
            numbers: self.numbers,
            strict: self.handle_unknown == UnknownOneHot::Error,
        }
    }

    #[cfg(feature = "fit")]
    fn refuse_drop(&self, expected: impl Into<String>) -> Error {
        let (learner, value) = (Self::SPEC.name, self.drop.to_string());
        Error::parameter(learner, "drop", value, expected)
    }

    /// The group of each column that is dropped.
    #[cfg(feature = "fit")]
    fn dropped(&self, columns: &[EncodedColumn]) -> Result<Vec<Option<u32>>> {
        if let Value::Array(list) = &self.drop
            && list.len() != columns.len()
        {
            return Err(self.refuse_drop(format!("there are {} columns, and it must name a value for each", columns.len())));
        }
        let one = |(j, column): (usize, &EncodedColumn)| -> Result<Option<u32>> {
            let EncodedColumn::Levels(g) = column else { return Ok(None) };
            match &self.drop {
                Value::String(s) if s == "first" => Ok((g.groups > 0).then_some(0)),
                Value::String(s) if s == "if_binary" => Ok((g.groups == 2).then_some(0)),
                Value::Array(list) => {
                    let level: LevelValue = serde_json::from_value(list[j].clone())
                        .map_err(|_| self.refuse_drop("each entry must be a number, a name or null"))?;
                    let code = g.levels.find(&level);
                    let code = code.ok_or_else(|| self.refuse_drop(format!("{level} is no value of column {j}")))?;
                    let group = g.group[code as usize];
                    if Some(group) == g.rare {
                        return Err(self.refuse_drop(format!("{level} is infrequent in column {j} and has no column to drop")));
                    }
                    Ok(Some(group))
                }
                _ => Ok(None),
            }
        };
        columns.iter().enumerate().map(one).collect()
    }
}

pub(super) const CATEGORIES: ParamSpec = ParamSpec {
    name: "categories",
    doc: "\"auto\" takes the values found in training, in order. Otherwise a list of values for each column.",
    range: Range::Any,
};
pub(super) const MIN_FREQUENCY: ParamSpec = ParamSpec {
    name: "min_frequency",
    doc: "Values with fewer rows are put together as infrequent: a whole number of rows, or a share of the rows between 0 and 1.",
    range: Range::Any,
};
pub(super) const MAX_CATEGORIES: ParamSpec = ParamSpec {
    name: "max_categories",
    doc: "At most that many groups for a column, the group of the infrequent values counted; the rarest values go there.",
    range: Range::Optional(&Range::int_from(1)),
};
pub(super) const NUMBERS: ParamSpec = ParamSpec {
    name: "numbers",
    doc: "What to do with number columns: \"encode\" their distinct values, \"keep\" them as they are, or \"auto\": encode in \
          matrices, keep in tables.",
    range: Range::Choice(&["auto", "encode", "keep"]),
};

impl OneHot {
    /// Its name in the catalogue and in model files.
    pub(crate) const NAME: &'static str = "one-hot";
}

#[cfg(feature = "fit")]
impl Learner for OneHot {
    type Model = OneHotModel;

    const SPEC: Spec = Spec {
        name: Self::NAME,
        summary: "A 0/1 column for each value of a column",
        objective: "z_v = 1 if x = v else 0, for each value v of the column",
        notes: "Before learners that take only numbers, for columns with few values. One pass, with memory for the distinct values. \
                Missing cells are a value of their own. Number columns of a table are kept unless \"numbers\" is \"encode\".",
        reference: "Hastie, Tibshirani, Friedman: The Elements of Statistical Learning, 2nd ed. 2009, section 2.2 (dummy variables)",
        family: Family::Preparation,
        tasks: &[Task::Preparation],
        accepts: Accepts { weights: true, missing: true, categorical: true, sparse: false, passes: true, multi_target: true },
        params: &[
            CATEGORIES,
            ParamSpec {
                name: "drop",
                doc: "Which value of a column gets no column, so that the columns do not add up to 1: null for none, \"first\", \
                      \"if_binary\" (the first, of columns with two values), or a list with a value for each column.",
                range: Range::Any,
            },
            ParamSpec {
                name: "handle_unknown",
                doc: "A value that training has not seen is refused (\"error\"), becomes all zeros (\"ignore\"), or goes to the column \
                      of the infrequent values (\"infrequent_if_exist\"; all zeros without one).",
                range: Range::Choice(&["error", "ignore", "infrequent_if_exist"]),
            },
            MIN_FREQUENCY,
            MAX_CATEGORIES,
            NUMBERS,
        ],
    };
    const STREAM: Option<StreamFit<Self>> = Some(run_passes_source::<Self>);

    fn check(&self) -> Result<()> {
        self.check_ranges()?;
        self.rules().check_min_frequency()?;
        super::levels::given_levels(Self::SPEC.name, &self.categories)?;
        match &self.drop {
            Value::Null | Value::Array(_) => Ok(()),
            Value::String(s) if s == "first" || s == "if_binary" => Ok(()),
            _ => Err(self.refuse_drop("it must be null, \"first\", \"if_binary\" or a list with a value for each column")),
        }
    }

    fn fit_rows(&self, data: &DatasetRef<'_>, cx: &Context<'_>) -> Result<OneHotModel> {
        run_passes(self, data, cx)
    }

    fn load(input: &ModelReader) -> Result<OneHotModel> {
        OneHotModel::load(input)
    }
}

impl OneHotModel {
    pub(crate) fn load(input: &ModelReader) -> Result<Self> {
        let columns = EncodedColumn::load(input)?;
        let dropped: Vec<Option<u32>> = input.field("drop_idx")?;
        let unknown = input.field("handle_unknown")?;
        let groups = |c: &EncodedColumn| c.grouped().map_or(0, |g| g.groups as u32);
        if dropped.len() != columns.len() || columns.iter().zip(&dropped).any(|(c, d)| d.is_some_and(|d| d >= groups(c))) {
            return Err(Error::Model("one-hot: a dropped category is none of the categories".into()));
        }
        Ok(OneHotModel::new(columns, dropped, unknown))
    }
}

#[cfg(feature = "fit")]
impl PassLearner for OneHot {
    type State = EncoderState;
    type Partial = EncoderPartial;

    fn initial_state(&self, head: &DatasetRef<'_>, _: &Context<'_>) -> Result<EncoderState> {
        self.rules().start(head)
    }

    fn empty_partial(&self, state: &EncoderState) -> EncoderPartial {
        EncoderPartial(LevelCounts::new(&state.forms))
    }

    fn add_block(&self, _: &EncoderState, part: &mut EncoderPartial, rows: &DatasetRef<'_>) -> Result<()> {
        part.0.add(rows)
    }

    fn finish(&self, state: EncoderState, total: EncoderPartial, _: &Context<'_>) -> Result<PassStep<EncoderState, OneHotModel>> {
        let columns = self.rules().finish(&state, &total.0)?;
        let dropped = self.dropped(&columns)?;
        Ok(PassStep::Done(OneHotModel::new(columns, dropped, self.handle_unknown)))
    }
}

/// Fitted [`OneHot`]: the values of each column.
#[derive(Debug, Clone, PartialEq)]
pub struct OneHotModel {
    columns: Vec<EncodedColumn>,
    dropped: Vec<Option<u32>>,
    unknown: UnknownOneHot,
    /// The first new column of each column, and the number of new columns at the end.
    starts: Vec<usize>,
}

impl OneHotModel {
    fn new(columns: Vec<EncodedColumn>, dropped: Vec<Option<u32>>, unknown: UnknownOneHot) -> Self {
        let mut starts = vec![0];
        for (c, d) in columns.iter().zip(&dropped) {
            let width = c.grouped().map_or(1, |g| g.groups - usize::from(d.is_some()));
            starts.push(starts[starts.len() - 1] + width);
        }
        Self { columns, dropped, unknown, starts }
    }

    fn width(&self) -> usize {
        self.starts[self.columns.len()]
    }

    /// The values of a column; none for unchanged number columns.
    pub fn categories(&self, column: usize) -> Option<&[LevelValue]> {
        self.columns.get(column)?.grouped().map(|g| g.levels.all())
    }

    /// The new column of a value, none where all are zero.
    fn place(&self, column: usize, g: &GroupedLevels, code: Option<u32>) -> Option<usize> {
        let group = match code {
            Some(code) => Some(g.group[code as usize]),
            None if self.unknown == UnknownOneHot::InfrequentIfExist => g.rare,
            None => None,
        }?;
        match self.dropped[column] {
            Some(d) if d == group => None,
            Some(d) if d < group => Some(self.starts[column] + group as usize - 1),
            _ => Some(self.starts[column] + group as usize),
        }
    }

    /// Calls `each` with every cell that is not 0.
    fn cells(&self, x: &Features<'_>, each: &mut dyn FnMut(usize, usize, f64)) -> Result<()> {
        for (j, column) in self.columns.iter().enumerate() {
            match column {
                EncodedColumn::Kept => EncodedColumn::pass_through(x, j, OneHot::NAME, |i, v| each(i, self.starts[j], v))?,
                EncodedColumn::Levels(g) => {
                    let mut refused = None;
                    g.levels.codes(x, j, |i, code| {
                        if code.is_none() && self.unknown == UnknownOneHot::Error {
                            refused = refused.or(Some(i));
                        } else if let Some(to) = self.place(j, g, code) {
                            each(i, to, 1.0);
                        }
                    });
                    if let Some(row) = refused {
                        return Err(unknown_value(x, j, row, OneHot::NAME));
                    }
                }
            }
        }
        Ok(())
    }
}

ermine_core::display_as_report!(OneHotModel);

impl Model for OneHotModel {
    fn n_features(&self) -> usize {
        self.columns.len()
    }
    fn as_transformer(&self) -> Option<&dyn Transformer> {
        Some(self)
    }

    fn report(&self, schema: &Schema) -> Report {
        let mut report = Report::default();
        let rows = (self.columns.iter().enumerate())
            .map(|(j, c)| {
                let what = match c {
                    EncodedColumn::Kept => "kept as it is".into(),
                    EncodedColumn::Levels(g) => format!("{} values, {} infrequent", g.levels.len(), g.rare_levels().len()),
                };
                vec![schema.name(j).into(), what.into(), ((self.starts[j + 1] - self.starts[j]) as f64).into()]
            })
            .collect();
        report.table("Columns", &["column", "what it holds", "new columns"], rows);
        report
    }

    fn save(&self, out: &mut ModelWriter) -> Result<()> {
        EncodedColumn::save(&self.columns, out)?;
        out.field("drop_idx", &self.dropped)?;
        out.field("handle_unknown", &self.unknown)
    }
}

impl Transformer for OneHotModel {
    fn transform(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        x.expect_cols(self.columns.len())?;
        let width = self.width();
        if width == 0 {
            self.cells(x, &mut |_, _, _| {})?;
        }
        by_blocks(x, width, |block, _, out| self.cells(block, &mut |i, j, v| out[i * width + j] = v))
    }

    fn transform_sparse(&self, x: &Features<'_>) -> Result<Option<Csr>> {
        x.expect_cols(self.columns.len())?;
        // Column by column, so that the entries of a row arrive in order; rows are filled in parallel.
        let mut rows: Vec<Vec<(u32, f64)>> = vec![Vec::with_capacity(self.columns.len()); x.rows()];
        self.cells(x, &mut |i, j, v| rows[i].push((j as u32, v)))?;
        let mut indptr = vec![0];
        let (mut indices, mut values) = (Vec::new(), Vec::new());
        for row in rows {
            for (j, v) in row {
                indices.push(j);
                values.push(v);
            }
            indptr.push(indices.len());
        }
        Csr::new(indptr, indices, values, self.width()).map(Some)
    }

    fn source_columns(&self) -> Option<Vec<usize>> {
        let width = |j: usize| match &self.columns[j] {
            EncodedColumn::Kept => 1,
            EncodedColumn::Levels(g) => (0..g.groups as u32).filter(|&c| Some(c) != self.dropped[j]).count(),
        };
        Some((0..self.columns.len()).flat_map(|j| vec![j; width(j)]).collect())
    }

    fn schema_out(&self, input: &Schema) -> Schema {
        let mut names = Vec::with_capacity(self.width());
        for (j, column) in self.columns.iter().enumerate() {
            let name = input.name(j);
            match column {
                EncodedColumn::Kept => names.push(name),
                EncodedColumn::Levels(g) => {
                    let kept = (0..g.groups as u32).filter(|&c| Some(c) != self.dropped[j]);
                    names.extend(kept.map(|c| format!("{name}_{}", g.group_name(c, input, j))));
                }
            }
        }
        Schema::numbers(names)
    }

    /// Number columns get their values back, category columns the indices in [`OneHotModel::categories`]; NaN stands
    /// for missing, infrequent and unknown values.
    fn inverse(&self, z: MatRef<'_, f64>) -> Result<Option<Mat<f64>>> {
        expect_width(z, self.width())?;
        let back = |i: usize, j: usize| {
            let EncodedColumn::Levels(g) = &self.columns[j] else { return *z.at(i, self.starts[j]) };
            let mut best: Option<(f64, usize)> = None;
            for to in self.starts[j]..self.starts[j + 1] {
                let v = *z.at(i, to);
                if v > 0.0 && best.is_none_or(|b| v > b.0) {
                    best = Some((v, to - self.starts[j]));
                }
            }
            match (best, self.dropped[j]) {
                (Some((_, at)), Some(d)) if at >= d as usize => g.decode(at as u32 + 1),
                (Some((_, at)), _) => g.decode(at as u32),
                (None, Some(d)) => g.decode(d),
                (None, None) => f64::NAN,
            }
        };
        Ok(Some(Mat::from_fn(z.rows(), self.columns.len(), back)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn table() -> Table {
        Table::new([
            ("sex", Column::categories(&[Some("male"), Some("female"), None, Some("male")])),
            ("mass", Column::numbers(vec![1.5, 2.5, f64::NAN, 4.0])),
            ("note", Column::Text(vec![Some("b".into()), Some("a".into()), Some("b".into()), Some("b".into())])),
        ])
        .unwrap()
    }

    fn fit(learner: &OneHot, x: Features<'_>) -> Result<OneHotModel> {
        learner.fit_with(&DatasetRef::new(x), &Context::default())
    }

    fn with(params: &[(&str, Value)]) -> OneHot {
        let mut o = OneHot::default();
        o.set_all(&params.iter().map(|(k, v)| (k.to_string(), v.clone())).collect()).unwrap();
        o
    }

    #[test]
    fn tables_get_a_column_for_each_name_and_keep_numbers() {
        let t = table();
        let model = fit(&OneHot::default(), Features::Table(t.view())).unwrap();
        let names: Vec<String> = model.schema_out(t.schema()).names().map(str::to_owned).collect();
        assert_eq!(names, ["sex_female", "sex_male", "sex_missing", "mass", "note_a", "note_b"]);
        let z = model.transform(&Features::Table(t.view())).unwrap();
        assert_eq!(z.row(0), [0.0, 1.0, 0.0, 1.5, 0.0, 1.0]);
        assert_eq!(z.row(1), [1.0, 0.0, 0.0, 2.5, 1.0, 0.0]);
        assert!(z.row(2)[..3] == [0.0, 0.0, 1.0] && z.row(2)[3].is_nan());
        let sparse = model.transform_sparse(&Features::Table(t.view())).unwrap().unwrap();
        assert_eq!(sparse.view().to_dense().row(1), z.row(1));
        let back = model.inverse(z.view()).unwrap().unwrap();
        assert!(back.row(1) == [0.0, 2.5, 0.0] && back.row(2)[0].is_nan());
    }

    #[test]
    fn codes_are_found_by_name() {
        let model = fit(&OneHot::default(), Features::Table(table().select(&["sex"]).unwrap().view())).unwrap();
        let other = Table::new([("sex", Column::categories(&[Some("male")]))]).unwrap();
        assert_eq!(model.transform(&Features::Table(other.view())).unwrap().as_slice(), [0.0, 1.0, 0.0]);
        let unknown = Table::new([("sex", Column::categories(&[Some("male"), Some("king")]))]).unwrap();
        let e = model.transform(&Features::Table(unknown.view())).unwrap_err().to_string();
        assert!(e.contains("\"sex\", row 1: \"king\""), "{e}");
    }

    #[test]
    fn matrices_are_encoded_by_their_distinct_values() {
        let x = [1.0, 5.0, 3.0, 5.0, 1.0, f64::NAN];
        let view = Features::F64(MatRef::row_major(&x, 3, 2));
        let model = fit(&OneHot::default(), view).unwrap();
        assert_eq!(model.transform(&view).unwrap().row(2), [1.0, 0.0, 0.0, 1.0]);
        let names: Vec<String> = model.schema_out(&Schema::unnamed(2)).names().map(str::to_owned).collect();
        assert_eq!(names, ["x0_1", "x0_3", "x1_5", "x1_missing"]);
        let z = model.transform(&view).unwrap();
        assert_eq!(model.inverse(z.view()).unwrap().unwrap().row(1), [3.0, 5.0]);
    }

    #[test]
    fn one_value_can_be_dropped() {
        let x = [1.0, 5.0, 3.0, 5.0, 2.0, 6.0];
        let view = Features::F64(MatRef::row_major(&x, 3, 2));
        let width = |drop: Value| fit(&with(&[("drop", drop)]), view).unwrap().width();
        assert_eq!((width(json!("first")), width(json!("if_binary")), width(json!([2, 6]))), (3, 4, 3));
        let model = fit(&with(&[("drop", json!([2, 6]))]), view).unwrap();
        let z = model.transform(&view).unwrap();
        assert_eq!(z.as_slice(), [1.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0]);
        assert_eq!(model.inverse(z.view()).unwrap().unwrap().as_slice(), x);
        assert!(fit(&with(&[("drop", json!([7, 6]))]), view).is_err());
        assert!(OneHot::default().set("drop", json!("last")).is_err());
    }

    #[test]
    fn infrequent_values_share_a_column() {
        let x = [1.0, 1.0, 1.0, 2.0, 2.0, 3.0, 4.0];
        let view = Features::F64(MatRef::row_major(&x, 7, 1));
        for params in [("min_frequency", json!(2)), ("min_frequency", json!(0.2)), ("max_categories", json!(3))] {
            let model = fit(&with(&[params.clone(), ("handle_unknown", json!("infrequent_if_exist"))]), view).unwrap();
            let z = model.transform(&Features::F64(MatRef::row_major(&[2.0, 4.0, 9.0], 3, 1))).unwrap();
            assert_eq!(z.as_slice(), [0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0], "{params:?}");
            assert_eq!(model.schema_out(&Schema::unnamed(1)).fields[2].name, "x0_infrequent");
        }
        assert!(OneHot::default().set("min_frequency", json!(1.5)).is_err());
        let ignoring = fit(&with(&[("handle_unknown", json!("ignore"))]), view).unwrap();
        assert_eq!(ignoring.transform(&Features::F64(MatRef::row_major(&[9.0], 1, 1))).unwrap().as_slice(), [0.0; 4]);
    }

    #[test]
    fn categories_can_be_given() {
        let x = [1.0, 2.0];
        let view = Features::F64(MatRef::row_major(&x, 2, 1));
        let model = fit(&with(&[("categories", json!([[2, 1, 7]]))]), view).unwrap();
        assert_eq!(model.transform(&view).unwrap().as_slice(), [0.0, 1.0, 0.0, 1.0, 0.0, 0.0]);
        let e = fit(&with(&[("categories", json!([[2, 7]]))]), view).unwrap_err().to_string();
        assert!(e.contains("column 0: 1 is not among"), "{e}");
        assert!(OneHot::default().set("categories", json!([[2, 2]])).is_err());
        assert!(OneHot::default().set("categories", json!(3)).is_err());
    }

    #[test]
    fn rows_of_weight_0_are_absent() {
        let x = [1.0, 2.0];
        let data = DatasetRef::new(Features::F64(MatRef::row_major(&x, 2, 1))).with_weight(Some(&[1.0, 0.0]));
        assert_eq!(OneHot::default().fit_with(&data, &Context::default()).unwrap().width(), 1);
    }

    #[test]
    fn a_model_that_was_read_is_the_same_and_a_broken_one_is_refused() {
        let t = table();
        let model = fit(&with(&[("drop", json!("first")), ("max_categories", json!(2))]), Features::Table(t.view())).unwrap();
        let mut out = ModelWriter::default();
        model.save(&mut out).unwrap();
        assert_eq!(OneHot::load(&out.clone().into_reader()).unwrap(), model);
        out.field("drop_idx", &[Some(9), None, None]).unwrap();
        assert!(OneHot::load(&out.clone().into_reader()).is_err());
        out.field("infrequent", &[vec![77], vec![], vec![]]).unwrap();
        assert!(OneHot::load(&out.into_reader()).is_err());
    }
}
