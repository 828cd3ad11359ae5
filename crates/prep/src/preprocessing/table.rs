//! The default preparation: any table becomes a matrix of numbers without missing cells.

use ermine_core::*;
use serde::{Deserialize, Serialize};

use super::levels::{ColumnReader, LevelCounts, LevelValue, Levels, ReadForm, infrequent};
use super::prepare_row::PreparedRow;
use ermine_core::blocks::{by_blocks, check_finite, column_label};
use ermine_math::column_moments::ColumnMoments;

/// The level of a category without a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DropLevel {
    /// The first, so that the columns of a category do not add up to 1.
    First,
}

/// Converts any table for learners that take only complete numbers.
///
/// # What it computes
/// Column by column:
/// - numbers and dates: missing cells become the mean; then columns are standardized (missing cells are therefore 0);
/// - categories: a 0/1 column for each name in training; missing cells are a name of their own when training has some;
///   an unknown name is 0 in all columns; beyond `max_categories` the rarest names share a column;
/// - text and identifiers: dropped, and named in the report;
/// - columns of `keep`: unchanged.
///
/// # When to use it
/// In front of any learner that takes neither categories nor missing values. The command line does so by default.
///
/// # Example
/// ```
/// use ermine_core::{Column, Context, DatasetRef, Features, Learner, Table, Transformer};
/// use ermine_prep::preprocessing::Prepare;
///
/// let table = Table::new([
///     ("mass", Column::numbers(vec![1.0, f64::NAN, 3.0])),
///     ("sex", Column::categories(&[Some("male"), Some("female"), None])),
/// ])?;
/// let x = Features::Table(table.view());
/// let model = Prepare::default().fit_with(&DatasetRef::new(x), &Context::default())?;
/// let names: Vec<String> = model.schema_out(table.schema()).names().map(str::to_owned).collect();
/// assert_eq!(names, ["mass", "sex_female", "sex_male", "sex_missing"]);
/// assert_eq!(model.transform(&x)?.row(1), [0.0, 1.0, 0.0, 0.0]);
/// # Ok::<(), ermine_core::Error>(())
/// ```
///
/// # Parameters
/// Described in [`Learner::SPEC`].
///
/// # Cost
/// One pass.
///
/// # What it does not do
/// It does not drop columns that are constant or entirely missing: they become zeros, and the report says so.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[doc(alias = "ColumnTransformer")]
pub struct Prepare {
    /// Whether to subtract the mean and divide by the standard deviation.
    #[serde(rename = "standardise")]
    pub standardize: bool,
    /// The level of a category without a column.
    pub drop: Option<DropLevel>,
    /// Most columns per category.
    pub max_categories: Option<usize>,
    /// Columns that are not transformed, missing cells included.
    pub keep: Vec<String>,
}

impl Default for Prepare {
    fn default() -> Self {
        Self { standardize: true, drop: None, max_categories: Some(100), keep: Vec::new() }
    }
}

#[cfg(feature = "fit")]
impl Learner for Prepare {
    type Model = PrepareModel;

    const SPEC: Spec = Spec {
        name: "prepare",
        summary: "The default preparation: any table becomes complete, comparable numbers",
        objective: "numbers: (x - mean) / sd with missing = mean; categories: one 0/1 column per name; text and identifiers: dropped",
        notes: "Put in front of learners that take neither categories nor missing values. One pass. Dates count as days. Missing \
                categories are a name of their own; names that training has not seen are 0 in all columns. Columns that are constant \
                or entirely missing become zeros. The report says what was done to each column.",
        reference: "Hastie, Tibshirani, Friedman: The Elements of Statistical Learning, 2nd ed. 2009, sections 2.2 and 9.6",
        family: Family::Preparation,
        tasks: &[Task::Preparation],
        accepts: Accepts { weights: true, missing: true, categorical: true, sparse: false, passes: true, multi_target: true },
        params: &[
            ParamSpec {
                name: "standardise",
                doc: "Whether number columns get mean 0 and standard deviation 1. Without it only missing cells are filled.",
                range: Range::Bool,
            },
            ParamSpec {
                name: "drop",
                doc: "\"first\" leaves out the column of the first name of each category, so that the columns do not add up to 1; \
                      null keeps all.",
                range: Range::Optional(&Range::Choice(&["first"])),
            },
            ParamSpec {
                name: "max_categories",
                doc: "At most that many columns for a category; the rarest names share the last one. null sets no limit.",
                range: Range::Optional(&Range::int_from(2)),
            },
            ParamSpec {
                name: "keep",
                doc: "Names of number columns that stay as they are, missing cells included: an exposure, say, whose very values \
                      mean something to the learner behind.",
                range: Range::List(&Range::Text),
            },
        ],
    };
    const STREAM: Option<StreamFit<Self>> = Some(run_passes_source::<Self>);

    fn fit_rows(&self, data: &DatasetRef<'_>, cx: &Context<'_>) -> Result<PrepareModel> {
        run_passes(self, data, cx)
    }

    fn load(input: &ModelReader) -> Result<PrepareModel> {
        PrepareModel::load(input)
    }
}

impl PrepareModel {
    pub(crate) fn load(input: &ModelReader) -> Result<Self> {
        let columns: Vec<ColumnTreatment> = input.field("columns")?;
        PrepareModel::new(columns).map_err(|e| Error::Model(format!("prepare: {e}")))
    }
}

/// State of [`Prepare`], broadcast to every block before a pass.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct PrepareState {
    schema: Schema,
    forms: Vec<ReadForm>,
    /// Powers of two that scale columns of very small or very large numbers so that their squares neither overflow nor
    /// underflow; none where no column needs one.
    units: Vec<f64>,
}

impl PrepareState {
    /// The divisor of a column before its numbers are squared.
    fn unit(&self, column: usize) -> f64 {
        self.units.get(column).copied().unwrap_or(1.0)
    }

    /// Text and identifiers are dropped.
    fn is_dropped(&self, column: usize) -> bool {
        matches!(self.schema.fields[column].kind, ColumnKind::Text | ColumnKind::Identifier)
            || self.forms[column] == ReadForm::Texts
    }
}

/// The units of the columns, by the largest number of the first rows: 1 unless a square could overflow or underflow.
fn units(head: &Features<'_>, forms: &[ReadForm]) -> Vec<f64> {
    const SAFE_SQUARE: std::ops::Range<f64> = 1e-120..1e120;
    let mut most = vec![0.0f64; forms.len()];
    let mut take = |j: usize, v: f64| {
        if v.is_finite() {
            most[j] = most[j].max(v.abs());
        }
    };
    match head {
        // Cell by cell, sparse rows would be searched for every column.
        Features::Csr(m) => (0..m.rows()).for_each(|i| {
            let (places, values) = m.row(i);
            places.iter().zip(values).for_each(|(&j, &v)| take(j as usize, v));
        }),
        x => (0..forms.len()).filter(|&j| forms[j] == ReadForm::Kept).for_each(|j| {
            let cells = ColumnReader::of(x, j);
            (0..x.rows()).filter_map(|i| cells.number(i)).for_each(|v| take(j, v));
        }),
    }
    // The power of two below the largest: dividing by that rounds nothing.
    let power = |most: f64| f64::from_bits(most.to_bits() & f64::INFINITY.to_bits());
    let unit = |most: f64| if most == 0.0 || SAFE_SQUARE.contains(&most) || power(most) == 0.0 { 1.0 } else { power(most) };
    let units: Vec<f64> = most.into_iter().map(unit).collect();
    if units.iter().all(|u| *u == 1.0) { Vec::new() } else { units }
}

/// Sums of [`Prepare`] in a pass.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct PreparePartial {
    moments: ColumnMoments,
    counts: LevelCounts,
}

#[cfg(feature = "fit")]
impl Partial for PreparePartial {
    fn merge(&mut self, other: Self) -> Result<()> {
        self.moments.merge(other.moments)?;
        self.counts.merge(other.counts)
    }
}

#[cfg(feature = "fit")]
impl PassLearner for Prepare {
    type State = PrepareState;
    type Partial = PreparePartial;

    fn initial_state(&self, head: &DatasetRef<'_>, _: &Context<'_>) -> Result<PrepareState> {
        let form = |j: usize| match head.x {
            Features::Table(t) => match t.table().column_at(j) {
                Column::Number { .. } => ReadForm::Kept,
                Column::Category { names, .. } => ReadForm::Codes(names.clone()),
                Column::Text(_) => ReadForm::Texts,
            },
            _ => ReadForm::Kept,
        };
        let forms: Vec<ReadForm> = (0..head.cols()).map(form).collect();
        // Columns of a matrix are numbers, whatever their kind in a schema.
        let schema = match head.x {
            Features::Table(t) => t.schema().clone(),
            _ => Schema::numbers(head.schema_or_unnamed().names().map(str::to_owned)),
        };
        for name in &self.keep {
            let j = schema.position(name)?;
            if forms[j] != ReadForm::Kept {
                return Err(Error::Kind {
                    column: format!("\"{name}\""),
                    found: format!("of type {}", schema.fields[j].kind),
                    learner: "the preparation".into(),
                    needed: "numbers in a column that it is to keep".into(),
                });
            }
        }
        let units = units(&head.x, &forms);
        let state = PrepareState { schema, forms, units };
        if (0..state.forms.len()).all(|j| state.is_dropped(j)) {
            let names: Vec<String> = state.schema.names().map(|n| format!("\"{n}\"")).collect();
            return Err(Error::Data(format!(
                "no column is left to learn from: {} hold text or identifiers; give one another type if it means more",
                names.join(", ")
            )));
        }
        Ok(state)
    }

    fn empty_partial(&self, state: &PrepareState) -> PreparePartial {
        // Dropped columns are not counted.
        let tallied: Vec<ReadForm> =
            (0..state.forms.len()).map(|j| if state.is_dropped(j) { ReadForm::Kept } else { state.forms[j].clone() }).collect();
        PreparePartial { moments: ColumnMoments::new(state.forms.len()), counts: LevelCounts::new(&tallied) }
    }

    fn add_block(&self, state: &PrepareState, part: &mut PreparePartial, rows: &DatasetRef<'_>) -> Result<()> {
        part.counts.add(rows)?;
        match rows.x {
            Features::F64(m) if state.units.is_empty() => part.moments.add(m, rows.weight),
            x => {
                let mut block = Mat::filled(rows.rows(), state.forms.len(), f64::NAN);
                for j in (0..state.forms.len()).filter(|&j| state.forms[j] == ReadForm::Kept && !state.is_dropped(j)) {
                    let cells = ColumnReader::of(&x, j);
                    let unit = state.unit(j);
                    (0..rows.rows()).for_each(|i| block[(i, j)] = cells.number(i).map_or(f64::NAN, |v| v / unit));
                }
                part.moments.add(block.view(), rows.weight);
            }
        }
        if let Some(j) = part.moments.first_non_finite_column() {
            check_finite(&rows.x, rows.schema, &|j| !state.is_dropped(j))?;
            let column = column_label(rows.schema, j);
            return Err(Error::Numeric(format!(
                "column {column}: its numbers are so large that the sum of their squares overflows"
            )));
        }
        Ok(())
    }

    fn finish(
        &self,
        state: PrepareState,
        total: PreparePartial,
        _: &Context<'_>,
    ) -> Result<PassStep<PrepareState, PrepareModel>> {
        let column = |(j, form): (usize, &ReadForm)| {
            let kind = state.schema.fields[j].kind;
            if self.keep.contains(&state.schema.fields[j].name) {
                return ColumnTreatment::Kept { kind };
            }
            if state.is_dropped(j) {
                return ColumnTreatment::Dropped { kind };
            }
            if let ReadForm::Codes(_) = form {
                return self.category(&total.counts.levels(j, form), total.counts.weight);
            }
            let m = &total.moments;
            let all = m.weight[j] + m.missing[j];
            // Cells filled with the mean add to the rows, not to the squares.
            let variance = if all > 0.0 { m.squares[j] / all } else { 0.0 };
            let constant = variance.sqrt() <= 4.0 * f64::EPSILON * m.mean[j].abs();
            let (mean, deviation) = (m.mean[j] * state.unit(j), variance.sqrt() * state.unit(j));
            ColumnTreatment::Number {
                kind,
                mean,
                shift: if self.standardize { mean } else { 0.0 },
                scale: if self.standardize && !constant { deviation } else { 1.0 },
                missing: m.missing[j],
                rows: all,
                constant,
            }
        };
        let columns = state.forms.iter().enumerate().map(column).collect();
        Ok(PassStep::Done(PrepareModel::new(columns)?))
    }
}

impl Prepare {
    fn category(&self, levels: &[(LevelValue, f64)], rows: f64) -> ColumnTreatment {
        let weights: Vec<f64> = levels.iter().map(|l| l.1).collect();
        // The limit counts columns; the group of the rare names is one of them only when there is one.
        let limit = self.max_categories.filter(|&most| levels.len() > most);
        let rare = infrequent(&weights, rows, None, true, limit);
        let mut names = Vec::new();
        let mut together = Vec::new();
        let mut missing = None;
        for ((level, w), rare) in levels.iter().zip(rare) {
            match level {
                LevelValue::Missing => missing = Some(*w),
                _ if rare => together.push(level.to_string()),
                _ => names.push(level.to_string()),
            }
        }
        ColumnTreatment::Category { names, together, missing, rows, drop_first: self.drop.is_some() }
    }
}

/// The transformation of a column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum ColumnTreatment {
    /// Not used.
    Dropped { kind: ColumnKind },
    /// Unchanged.
    Kept { kind: ColumnKind },
    /// (x - shift) / scale, with the mean in place of missing cells.
    Number { kind: ColumnKind, mean: f64, shift: f64, scale: f64, missing: f64, rows: f64, constant: bool },
    /// A column for each of `names`, one for those of `together`, one for missing cells when training had some.
    Category { names: Vec<String>, together: Vec<String>, missing: Option<f64>, rows: f64, drop_first: bool },
}

/// The new columns of the levels of a category.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct OneHotMap {
    pub(super) levels: Levels,
    /// The new column of each level, from the first of the category; none for the dropped one.
    pub(super) to: Vec<Option<usize>>,
    width: usize,
}

impl ColumnTreatment {
    /// The names of the new columns of a category, and where its values go.
    fn places(&self) -> Result<Option<OneHotMap>> {
        let Self::Category { names, together, missing, drop_first, .. } = self else { return Ok(None) };
        let mut levels: Vec<LevelValue> = names.iter().chain(together).map(|n| LevelValue::Name(n.clone())).collect();
        let mut group: Vec<usize> = (0..names.len()).chain(together.iter().map(|_| names.len())).collect();
        let mut width = names.len() + usize::from(!together.is_empty());
        if missing.is_some() {
            levels.push(LevelValue::Missing);
            group.push(width);
            width += 1;
        }
        // A category with one value keeps its column, so that it does not vanish.
        let first = usize::from(*drop_first && width > 1);
        let to = group.into_iter().map(|g| g.checked_sub(first)).collect();
        Ok(Some(OneHotMap { levels: Levels::new(levels)?, to, width: width - first }))
    }

    /// Endings of the names of the new columns of a category.
    fn endings(&self) -> Vec<String> {
        let Self::Category { names, together, missing, drop_first, .. } = self else { return Vec::new() };
        let mut all = names.clone();
        if !together.is_empty() {
            all.push("infrequent".into());
        }
        if missing.is_some() {
            all.push("missing".into());
        }
        if *drop_first && all.len() > 1 {
            all.remove(0);
        }
        all
    }

    /// The transformation in words.
    fn describe(&self) -> String {
        match self {
            Self::Dropped { kind: ColumnKind::Text } => "dropped: text".into(),
            Self::Dropped { kind: ColumnKind::Identifier } => "dropped: it names the rows".into(),
            Self::Dropped { kind } => format!("dropped: {kind}"),
            Self::Kept { .. } => "kept as it is, for the learner to use".into(),
            Self::Number { kind, mean, shift, scale, missing, rows, constant } => {
                let mut parts = Vec::new();
                if *kind == ColumnKind::Date {
                    parts.push("counted in days since 1970-01-01".into());
                }
                if *rows > 0.0 && missing == rows {
                    parts.push("entirely missing, becomes 0".into());
                } else {
                    if *missing > 0.0 {
                        parts.push(format!("{} filled with the mean {}", cells(*missing), short(*mean)));
                    }
                    if *constant {
                        parts.push(format!("constant at {}, tells nothing", short(*mean)));
                    } else if *scale != 1.0 || *shift != 0.0 {
                        parts.push(format!("standardized: minus {}, divided by {}", short(*shift), short(*scale)));
                    }
                }
                if parts.is_empty() { "kept as it is".into() } else { parts.join("; ") }
            }
            Self::Category { names, together, missing, rows, drop_first } => {
                let mut parts = vec![format!("a 0/1 column for each of {} names", names.len())];
                if !together.is_empty() {
                    parts.push(format!("one for the {} rarest names together", together.len()));
                }
                match missing {
                    Some(w) if w == rows => parts = vec!["entirely missing, becomes 1".into()],
                    Some(w) => parts.push(format!("one for missing ({})", cells(*w))),
                    None => {}
                }
                if *drop_first && names.len() > 1 {
                    parts.push("the first name has none".into());
                }
                parts.join("; ")
            }
        }
    }
}

fn cells(weight: f64) -> String {
    if weight == 1.0 { "1 missing cell".into() } else { format!("{} missing cells", short(weight)) }
}

/// A number with at most six digits.
fn short(v: f64) -> String {
    let text = format!("{v:.5e}");
    text.parse::<f64>().map_or(text, |v| v.to_string())
}

/// Fitted [`Prepare`]: the transformation of each column.
#[derive(Debug, Clone, PartialEq)]
pub struct PrepareModel {
    pub(super) columns: Vec<ColumnTreatment>,
    pub(super) places: Vec<Option<OneHotMap>>,
    /// The first new column of each column, and the number of new columns at the end.
    pub(super) starts: Vec<usize>,
}

impl PrepareModel {
    fn new(columns: Vec<ColumnTreatment>) -> Result<Self> {
        let mut starts = vec![0];
        let mut places = Vec::new();
        for c in &columns {
            let p = c.places()?;
            let width = match c {
                ColumnTreatment::Dropped { .. } => 0,
                ColumnTreatment::Kept { .. } => 1,
                ColumnTreatment::Number { mean, shift, scale, .. } => {
                    if !(mean.is_finite() && shift.is_finite() && scale.is_finite() && *scale > 0.0) {
                        return Err(Error::Data("the moments of a column are no numbers".into()));
                    }
                    1
                }
                ColumnTreatment::Category { .. } => p.as_ref().map_or(0, |p| p.width),
            };
            starts.push(starts[starts.len() - 1] + width);
            places.push(p);
        }
        if starts[columns.len()] == 0 {
            return Err(Error::Data("no column is left to learn from".into()));
        }
        Ok(Self { columns, places, starts })
    }

    fn width(&self) -> usize {
        self.starts[self.columns.len()]
    }

    /// The transformation of each column, in words.
    pub fn descriptions(&self) -> Vec<String> {
        self.columns.iter().map(ColumnTreatment::describe).collect()
    }
}

ermine_core::display_as_report!(PrepareModel);

impl Model for PrepareModel {
    fn n_features(&self) -> usize {
        self.columns.len()
    }
    fn as_transformer(&self) -> Option<&dyn Transformer> {
        Some(self)
    }

    fn report(&self, schema: &Schema) -> Report {
        let mut report = Report::default();
        let dropped: Vec<String> = (0..self.columns.len())
            .filter(|&j| matches!(self.columns[j], ColumnTreatment::Dropped { .. }))
            .map(|j| schema.name(j))
            .collect();
        if !dropped.is_empty() {
            report.text(format!("Not used, because they hold text or name the rows: {}.", dropped.join(", ")));
        }
        let rows = (0..self.columns.len())
            .map(|j| {
                let width = self.starts[j + 1] - self.starts[j];
                vec![schema.name(j).into(), self.columns[j].describe().into(), (width as f64).into()]
            })
            .collect();
        report.table("Preparation", &["column", "what was done", "new columns"], rows);
        report
    }

    fn save(&self, out: &mut ModelWriter) -> Result<()> {
        out.field("columns", &self.columns)
    }
}

impl Transformer for PrepareModel {
    fn transform(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        x.expect_cols(self.columns.len())?;
        let width = self.width();
        by_blocks(x, width, |block, _, out| {
            let schema = if let Features::Table(t) = block { Some(t.schema()) } else { None };
            for (j, column) in self.columns.iter().enumerate() {
                let start = self.starts[j];
                match (column, &self.places[j]) {
                    (ColumnTreatment::Number { mean, shift, scale, .. }, _) => {
                        check_number_column(block, j)?;
                        let cells = ColumnReader::of(block, j);
                        for i in 0..block.rows() {
                            let v = cells.number(i).unwrap_or(*mean);
                            if v.is_infinite() {
                                let value = if v > 0.0 { "infinity" } else { "-infinity" }.into();
                                return Err(Error::NotFinite { column: column_label(schema, j), row: i, value });
                            }
                            out[i * width + start] = (v - shift) / scale;
                        }
                    }
                    (ColumnTreatment::Kept { .. }, _) => {
                        check_number_column(block, j)?;
                        let cells = ColumnReader::of(block, j);
                        (0..block.rows()).for_each(|i| out[i * width + start] = cells.number(i).unwrap_or(f64::NAN));
                    }
                    (_, Some(places)) => places.levels.codes(block, j, |i, code| {
                        if let Some(to) = code.and_then(|c| places.to[c as usize]) {
                            out[i * width + start + to] = 1.0;
                        }
                    }),
                    _ => {}
                }
            }
            Ok(())
        })
    }

    fn by_row(&self, schema: &Schema) -> Option<Box<dyn RowFunction>> {
        PreparedRow::new(self, schema).map(|row| Box::new(row) as _)
    }

    fn affine_units(&self) -> Option<Vec<(f64, f64)>> {
        let of = |(j, column): (usize, &ColumnTreatment)| match column {
            ColumnTreatment::Number { shift, scale, .. } => vec![(*shift, *scale)],
            _ => vec![(0.0, 1.0); self.starts[j + 1] - self.starts[j]],
        };
        Some(self.columns.iter().enumerate().flat_map(of).collect())
    }

    fn source_columns(&self) -> Option<Vec<usize>> {
        Some((0..self.columns.len()).flat_map(|j| vec![j; self.starts[j + 1] - self.starts[j]]).collect())
    }

    fn schema_out(&self, input: &Schema) -> Schema {
        let mut names = Vec::with_capacity(self.width());
        for (j, column) in self.columns.iter().enumerate() {
            let name = input.name(j);
            match column {
                ColumnTreatment::Dropped { .. } => {}
                ColumnTreatment::Number { .. } | ColumnTreatment::Kept { .. } => names.push(name),
                ColumnTreatment::Category { .. } => names.extend(column.endings().into_iter().map(|e| format!("{name}_{e}"))),
            }
        }
        Schema::numbers(names)
    }

    /// Numbers are restored; of categories the index of the name among those with a column of their own; NaN for the
    /// rest.
    fn inverse(&self, z: MatRef<'_, f64>) -> Result<Option<Mat<f64>>> {
        ermine_core::blocks::expect_width(z, self.width())?;
        Ok(Some(Mat::from_fn(z.rows(), self.columns.len(), |i, j| {
            let start = self.starts[j];
            match (&self.columns[j], &self.places[j]) {
                (ColumnTreatment::Number { shift, scale, .. }, _) => z.at(i, start) * scale + shift,
                (ColumnTreatment::Kept { .. }, _) => *z.at(i, start),
                (ColumnTreatment::Category { names, .. }, Some(places)) => {
                    let mut best: Option<(f64, usize)> = None;
                    for to in 0..places.width {
                        let v = *z.at(i, start + to);
                        if v > 0.0 && best.is_none_or(|b| v > b.0) {
                            best = Some((v, to));
                        }
                    }
                    let level = places.to.iter().position(|&to| to == best.map(|b| b.1));
                    level.filter(|&l| l < names.len()).map_or(f64::NAN, |l| l as f64)
                }
                _ => f64::NAN,
            }
        })))
    }
}

/// An error unless a column that was numbers in training is numbers again, or has no cell at all.
fn check_number_column(x: &Features<'_>, column: usize) -> Result<()> {
    let Features::Table(t) = x else { return Ok(()) };
    if t.numbers(column).is_some() || (0..t.rows()).all(|i| t.is_missing(i, column)) {
        return Ok(());
    }
    let field = &t.schema().fields[column];
    Err(Error::Kind {
        column: format!("\"{}\"", field.name),
        found: format!("of type {}", field.kind),
        learner: "the preparation".into(),
        needed: "numbers there, as in training".into(),
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use serde_json::{Value, json};

    fn table() -> Table {
        let schema = Schema {
            fields: [
                ("mass", ColumnKind::Number),
                ("day", ColumnKind::Date),
                ("sex", ColumnKind::Category),
                ("note", ColumnKind::Text),
                ("id", ColumnKind::Identifier),
                ("same", ColumnKind::Number),
                ("void", ColumnKind::Number),
            ]
            .map(|(name, kind)| Field { name: name.into(), kind, categories: Arc::default() })
            .to_vec(),
        };
        let columns = vec![
            Column::numbers(vec![1.0, f64::NAN, 3.0, 5.0]),
            Column::numbers(vec![10.0, 20.0, 30.0, 40.0]),
            Column::categories(&[Some("male"), Some("female"), None, Some("male")]),
            Column::Text(vec![None; 4]),
            Column::numbers(vec![f64::INFINITY, 2.0, 3.0, 4.0]),
            Column::numbers(vec![0.1; 4]),
            Column::numbers(vec![f64::NAN; 4]),
        ];
        let mut schema = schema;
        if let Column::Category { names, .. } = &columns[2] {
            schema.fields[2].categories = names.clone();
        }
        Table::with_schema(schema, columns).unwrap()
    }

    fn fit(params: &[(&str, Value)], table: &Table) -> Result<PrepareModel> {
        let mut learner = Prepare::default();
        learner.set_all(&params.iter().map(|(k, v)| (k.to_string(), v.clone())).collect())?;
        learner.fit_with(&DatasetRef::new(Features::Table(table.view())), &Context::default())
    }

    #[test]
    fn every_kind_of_column_is_treated_as_promised() {
        let t = table();
        let model = fit(&[], &t).unwrap();
        let names: Vec<String> = model.schema_out(t.schema()).names().map(str::to_owned).collect();
        assert_eq!(names, ["mass", "day", "sex_female", "sex_male", "sex_missing", "same", "void"]);
        let z = model.transform(&Features::Table(t.view())).unwrap();
        // Mean 3 with one cell filled: variance (4 + 0 + 0 + 4) / 4 = 2.
        let sd = 2f64.sqrt();
        for (i, want) in [-2.0 / sd, 0.0, 0.0, 2.0 / sd].into_iter().enumerate() {
            assert!((z[(i, 0)] - want).abs() < 1e-15);
        }
        assert_eq!(z.row(2)[2..], [0.0, 0.0, 1.0, 0.0, 0.0]);
        assert_eq!(z.row(0)[2..], [0.0, 1.0, 0.0, 0.0, 0.0]);
        for j in 0..2 {
            let square: f64 = z.view().col_iter(j).map(|v| v * v).sum();
            assert!((square / 4.0 - 1.0).abs() < 1e-14);
        }
        let steps = model.descriptions();
        assert!(steps[0].contains("1 missing cell filled with the mean 3") && steps[1].contains("days"), "{steps:?}");
        assert!(steps[2].contains("2 names") && steps[3].contains("text") && steps[4].contains("names the rows"), "{steps:?}");
        assert!(steps[5].contains("constant") && steps[6].contains("entirely missing"), "{steps:?}");
        let mut out = ModelWriter::default();
        model.save(&mut out).unwrap();
        assert_eq!(Prepare::load(&out.into_reader()).unwrap(), model);
    }

    #[test]
    fn later_tables_are_read_by_name_and_what_is_new_is_zero() {
        let t = table();
        let model = fit(&[], &t.select(&["sex", "mass"]).unwrap()).unwrap();
        let later = Table::new([
            ("sex", Column::categories(&[Some("king"), Some("male"), None])),
            ("mass", Column::numbers(vec![3.0, 3.0, f64::NAN])),
        ])
        .unwrap();
        let z = model.transform(&Features::Table(later.view())).unwrap();
        assert_eq!(z.as_slice(), [0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
        let wrong = Table::new([("sex", Column::numbers(vec![1.0])), ("mass", Column::categories(&[Some("x")]))]).unwrap();
        assert!(model.transform(&Features::Table(wrong.view())).unwrap_err().to_string().contains("\"mass\""));
    }

    #[test]
    fn parts_can_be_switched() {
        let t = table().select(&["sex", "mass"]).unwrap();
        let plain = fit(&[("standardise", json!(false)), ("drop", json!("first"))], &t).unwrap();
        let z = plain.transform(&Features::Table(t.view())).unwrap();
        assert_eq!(z.row(0), [1.0, 0.0, 1.0]);
        assert_eq!(z.row(1), [0.0, 0.0, 3.0]);
        let cells: Vec<Option<String>> = (0..60).map(|i| Some(format!("n{}", i * i % 30))).collect();
        let many = Table::new([("c", Column::categories(&cells))]).unwrap();
        let model = fit(&[("max_categories", json!(4))], &many).unwrap();
        assert_eq!(model.width(), 4);
        let sums = model.transform(&Features::Table(many.view())).unwrap();
        assert!((0..60).all(|i| sums.row(i).iter().sum::<f64>() == 1.0));
        assert!(model.schema_out(many.schema()).names().last().unwrap().ends_with("infrequent"));
    }

    #[test]
    fn very_small_and_very_large_numbers_are_standardized_like_others() {
        let plain = [1.0, 2.0, 4.0, 7.0];
        let with = |unit: f64| Table::new([("a", Column::numbers(plain.map(|v| v * unit).to_vec()))]).unwrap();
        let want = fit(&[], &with(1.0)).unwrap().transform(&Features::Table(with(1.0).view())).unwrap();
        for unit in [2f64.powi(-1000), 2f64.powi(1000)] {
            let t = with(unit);
            let model = fit(&[], &t).unwrap();
            assert_eq!(model.transform(&Features::Table(t.view())).unwrap(), want, "{:?}", model.descriptions());
        }
    }

    #[test]
    fn kept_columns_stay_as_they_are() {
        let t = table();
        let model = fit(&[("keep", json!(["mass", "same"]))], &t).unwrap();
        let z = model.transform(&Features::Table(t.view())).unwrap();
        let names: Vec<String> = model.schema_out(t.schema()).names().map(str::to_owned).collect();
        let at = |name: &str| names.iter().position(|n| n == name).unwrap();
        assert!((0..4).all(|i| z[(i, at("same"))] == 0.1));
        assert_eq!([z[(0, at("mass"))], z[(2, at("mass"))], z[(3, at("mass"))]], [1.0, 3.0, 5.0]);
        assert!(z[(1, at("mass"))].is_nan());
        let words = model.descriptions();
        assert!(words[0].contains("kept") && words[5].contains("kept"), "{words:?}");
        let e = fit(&[("keep", json!(["sex"]))], &t).unwrap_err().to_string();
        assert!(e.contains("\"sex\"") && e.contains("category"), "{e}");
        assert!(fit(&[("keep", json!(["mas"]))], &t).unwrap_err().to_string().contains("did you mean \"mass\"?"));
        let mut out = ModelWriter::default();
        model.save(&mut out).unwrap();
        assert_eq!(Prepare::load(&out.into_reader()).unwrap(), model);
    }

    #[test]
    fn infinite_numbers_and_tables_of_text_are_refused_by_name() {
        let t = Table::new([("mass", Column::numbers(vec![1.0, f64::INFINITY]))]).unwrap();
        assert_eq!(fit(&[], &t).unwrap_err().to_string(), "column \"mass\", row 1: infinity is not a finite number");
        let model = fit(&[], &Table::new([("mass", Column::numbers(vec![1.0, 2.0]))]).unwrap()).unwrap();
        assert!(model.transform(&Features::Table(t.view())).unwrap_err().to_string().contains("row 1: infinity"));
        let text = Table::new([("note", Column::Text(vec![None]))]).unwrap();
        assert!(fit(&[], &text).unwrap_err().to_string().contains("\"note\""));
    }

    #[test]
    fn numbers_lead_back() {
        let x = [1.0, 5.0, 2.0, 5.5, 4.0, 9.0];
        let view = Features::F64(MatRef::row_major(&x, 3, 2));
        let model = Prepare::default().fit_with(&DatasetRef::new(view), &Context::default()).unwrap();
        let back = model.inverse(model.transform(&view).unwrap().view()).unwrap().unwrap();
        back.as_slice().iter().zip(x).for_each(|(a, b)| assert!((a - b).abs() < 1e-14));
    }
}
