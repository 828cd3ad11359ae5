//! Common parts of the two encoders: values of columns, with the infrequent ones grouped.

use ermine_core::{DatasetRef, Error, Features, ModelReader, ModelWriter, Partial, Result, Schema};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::levels::{ColumnReader, LevelCounts, LevelValue, Levels, NumericColumns, ReadForm, forms, given_levels, infrequent};
use ermine_core::blocks::column_label;

/// Settings of an encoder, apart from the form of the codes.
pub(crate) struct EncodingRules<'a> {
    pub(crate) learner: &'static str,
    pub(crate) categories: &'a Value,
    pub(crate) min_frequency: &'a Value,
    pub(crate) max_categories: Option<usize>,
    pub(crate) numbers: NumericColumns,
    /// Unknown values are an error, in training too when the categories are given.
    pub(crate) strict: bool,
}

/// State of an encoder, broadcast to every block before a pass.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct EncoderState {
    pub(crate) forms: Vec<ReadForm>,
    names: Option<Vec<String>>,
}

/// Sums of an encoder in a pass: the weight of each value of each column.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct EncoderPartial(pub(crate) LevelCounts);

#[cfg(feature = "fit")]
impl Partial for EncoderPartial {
    fn merge(&mut self, other: Self) -> Result<()> {
        self.0.merge(other.0)
    }
}

impl EncodingRules<'_> {
    pub(crate) fn start(&self, head: &DatasetRef<'_>) -> Result<EncoderState> {
        let forms = forms(head, self.numbers);
        if let Some(given) = given_levels(self.learner, self.categories)?
            && given.len() != forms.len()
        {
            return Err(Error::Length { what: "lists in \"categories\"".into(), expected: forms.len(), found: given.len() });
        }
        Ok(EncoderState { forms, names: head.schema.map(|s| s.names().map(str::to_owned).collect()) })
    }

    pub(crate) fn check_min_frequency(&self) -> Result<()> {
        let fits = match self.min_frequency {
            Value::Null => true,
            v if v.is_u64() || v.is_i64() => v.as_i64().is_some_and(|v| v >= 1),
            v => v.as_f64().is_some_and(|v| v > 0.0 && v < 1.0),
        };
        if fits {
            return Ok(());
        }
        Err(Error::parameter(
            self.learner,
            "min_frequency",
            self.min_frequency,
            "it must be null, a whole number from 1 up (rows) or a number between 0 and 1 (share of the rows)",
        ))
    }

    pub(crate) fn finish(&self, state: &EncoderState, counts: &LevelCounts) -> Result<Vec<EncodedColumn>> {
        let user_levels = given_levels(self.learner, self.categories)?;
        let schema = state.names.as_ref().map(|n| Schema::numbers(n.iter().cloned()));
        let whole = self.min_frequency.is_u64();
        let columns = state.forms.iter().enumerate().map(|(j, form)| {
            if *form == ReadForm::Kept {
                return Ok(EncodedColumn::Kept);
            }
            let observed = counts.levels(j, form);
            let (levels, weights) = match &user_levels {
                None => observed.into_iter().unzip(),
                Some(lists) => {
                    let levels = Levels::new(lists[j].clone())?;
                    let mut weights = vec![0.0; levels.len()];
                    for (level, w) in &observed {
                        match levels.find(level) {
                            Some(code) => weights[code as usize] += w,
                            None if self.strict => {
                                return Err(Error::Data(format!(
                                    "column {}: {level} is not among the given categories",
                                    column_label(schema.as_ref(), j)
                                )));
                            }
                            None => {}
                        }
                    }
                    (lists[j].clone(), weights)
                }
            };
            let rare = infrequent(&weights, counts.weight, self.min_frequency.as_f64(), whole, self.max_categories);
            Ok(EncodedColumn::Levels(GroupedLevels::new(Levels::new(levels)?, rare)?))
        });
        columns.collect()
    }
}

/// A column of an encoder.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum EncodedColumn {
    /// Numbers, unchanged.
    Kept,
    /// Values with codes.
    Levels(GroupedLevels),
}

impl EncodedColumn {
    pub(crate) fn save(columns: &[Self], out: &mut ModelWriter) -> Result<()> {
        let levels: Vec<Option<&[LevelValue]>> = columns.iter().map(|c| c.grouped().map(|g| g.levels.all())).collect();
        let rare: Vec<Vec<u32>> = columns.iter().map(|c| c.grouped().map_or(Vec::new(), GroupedLevels::rare_levels)).collect();
        out.field("categories", &levels)?;
        out.field("infrequent", &rare)
    }

    pub(crate) fn load(input: &ModelReader) -> Result<Vec<Self>> {
        let bad = |m: &str| Error::Model(format!("encoder: {m}"));
        let levels: Vec<Option<Vec<LevelValue>>> = input.field("categories")?;
        let rare: Vec<Vec<u32>> = input.field("infrequent")?;
        if levels.len() != rare.len() {
            return Err(bad("categories and infrequent categories are of different lengths"));
        }
        let columns = levels.into_iter().zip(rare).map(|(levels, rare)| {
            let Some(levels) = levels else { return Ok(Self::Kept) };
            let mut mask = vec![false; levels.len()];
            for l in rare {
                *mask.get_mut(l as usize).ok_or_else(|| bad("an infrequent category is none of the categories"))? = true;
            }
            let levels = Levels::new(levels).map_err(|e| bad(&e.to_string()))?;
            Ok(Self::Levels(GroupedLevels::new(levels, mask)?))
        });
        columns.collect()
    }

    pub(crate) fn grouped(&self) -> Option<&GroupedLevels> {
        match self {
            Self::Kept => None,
            Self::Levels(g) => Some(g),
        }
    }

    /// Copies the numbers of an unchanged column, NaN for missing cells.
    pub(crate) fn pass_through(x: &Features<'_>, column: usize, learner: &str, mut each: impl FnMut(usize, f64)) -> Result<()> {
        if let Features::Table(t) = x
            && t.numbers(column).is_none()
        {
            let field = &t.schema().fields[column];
            return Err(Error::Kind {
                column: format!("\"{}\"", field.name),
                found: format!("of type {}", field.kind),
                learner: learner.to_owned(),
                needed: "numbers there".into(),
            });
        }
        let cells = ColumnReader::of(x, column);
        (0..x.rows()).for_each(|i| each(i, cells.number(i).unwrap_or(f64::NAN)));
        Ok(())
    }
}

/// Values of a column in groups: one for each frequent value, in order, and a last one for all infrequent values.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct GroupedLevels {
    pub(crate) levels: Levels,
    /// The group of each value.
    pub(crate) group: Vec<u32>,
    pub(crate) groups: usize,
    /// The group of the infrequent values.
    pub(crate) rare: Option<u32>,
}

impl GroupedLevels {
    fn new(levels: Levels, rare: Vec<bool>) -> Result<Self> {
        let frequent = rare.iter().filter(|&&r| !r).count();
        let some = frequent < rare.len();
        let mut next = 0u32;
        let group = rare
            .iter()
            .map(|&r| {
                if r {
                    frequent as u32
                } else {
                    next += 1;
                    next - 1
                }
            })
            .collect();
        Ok(Self { levels, group, groups: frequent + usize::from(some), rare: some.then_some(frequent as u32) })
    }

    pub(crate) fn rare_levels(&self) -> Vec<u32> {
        let is = |l: &u32| Some(self.group[*l as usize]) == self.rare;
        (0..self.levels.len() as u32).filter(is).collect()
    }

    /// The only value of a group; none for the infrequent ones.
    pub(crate) fn level_of(&self, group: u32) -> Option<u32> {
        if Some(group) == self.rare { None } else { self.group.iter().position(|&g| g == group).map(|l| l as u32) }
    }

    /// The name of a group in the name of a column. Values of a matrix column that a schema calls categories are codes
    /// into its names.
    pub(crate) fn group_name(&self, group: u32, schema: &Schema, column: usize) -> String {
        let Some(level) = self.level_of(group) else { return "infrequent".into() };
        match &self.levels.all()[level as usize] {
            LevelValue::Number(v) if v.fract() == 0.0 && *v >= 0.0 => {
                let names = schema.fields.get(column).map(|f| f.categories.as_slice()).unwrap_or_default();
                names.get(*v as usize).cloned().unwrap_or_else(|| v.to_string())
            }
            level => level.to_string(),
        }
    }

    /// The number of a group in the inverse transform: the value of number columns, else the index in the list of
    /// categories; NaN for missing and infrequent values.
    pub(crate) fn decode(&self, group: u32) -> f64 {
        self.level_of(group).map_or(f64::NAN, |l| match &self.levels.all()[l as usize] {
            LevelValue::Number(v) => *v,
            LevelValue::Name(_) => f64::from(l),
            LevelValue::Missing => f64::NAN,
        })
    }
}

/// The error for a value that training has not seen.
pub(crate) fn unknown_value(x: &Features<'_>, column: usize, row: usize, learner: &str) -> Error {
    let schema = match x {
        Features::Table(t) => Some(t.schema()),
        _ => None,
    };
    let value = Levels::cell_text(x, column, row);
    let message = format!("{value} was not among the values in training, and handle_unknown of {learner} is \"error\"");
    Error::Row { place: format!("column {}", column_label(schema, column)), row, message }
}
