//! An integer for each value of a column.

use ermine_core::*;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::encoding::{EncodedColumn, EncoderPartial, EncoderState, EncodingRules, unknown_value};
use super::levels::{LevelCounts, LevelValue, NumericColumns};
use super::one_hot::{CATEGORIES, MAX_CATEGORIES, MIN_FREQUENCY, NUMBERS};
use ermine_core::blocks::{by_blocks, expect_width};

/// Treatment of a value that did not occur in training.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UnknownOrdinal {
    /// An error.
    #[default]
    Error,
    /// Write `unknown_value`.
    UseEncodedValue,
}

/// Replaces the values of a column by 0, 1, 2, …, in order.
///
/// # What it computes
/// The index of each value among the sorted values of its column.
///
/// # When to use it
/// Before trees, or where the order of the values is meaningful; else [`super::OneHot`].
///
/// # Example
/// ```
/// use ermine_core::{Column, Context, DatasetRef, Features, Learner, Table, Transformer};
/// use ermine_prep::preprocessing::Ordinal;
///
/// let table = Table::new([("size", Column::categories(&[Some("m"), Some("s"), Some("l")]))])?;
/// let x = Features::Table(table.view());
/// let model = Ordinal::default().fit_with(&DatasetRef::new(x), &Context::default())?;
/// assert_eq!(model.transform(&x)?.as_slice(), [1.0, 2.0, 0.0]);
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
#[doc(alias = "OrdinalEncoder")]
pub struct Ordinal {
    /// "auto", or a list of values for each column.
    pub categories: Value,
    /// Treatment of a value that did not occur in training.
    pub handle_unknown: UnknownOrdinal,
    /// The code of unknown values; null is NaN.
    pub unknown_value: Option<f64>,
    /// The code of missing values; null is NaN.
    pub encoded_missing_value: Option<f64>,
    /// Rarer values share one code: a number of rows, or a fraction of them.
    pub min_frequency: Value,
    /// Most codes per column.
    pub max_categories: Option<usize>,
    /// Treatment of number columns.
    pub numbers: NumericColumns,
}

impl Default for Ordinal {
    fn default() -> Self {
        Self {
            categories: "auto".into(),
            handle_unknown: UnknownOrdinal::Error,
            unknown_value: None,
            encoded_missing_value: None,
            min_frequency: Value::Null,
            max_categories: None,
            numbers: NumericColumns::Auto,
        }
    }
}

impl Ordinal {
    #[cfg(feature = "fit")]
    fn rules(&self) -> EncodingRules<'_> {
        EncodingRules {
            learner: Self::SPEC.name,
            categories: &self.categories,
            min_frequency: &self.min_frequency,
            max_categories: self.max_categories,
            numbers: self.numbers,
            strict: self.handle_unknown == UnknownOrdinal::Error,
        }
    }
}

const ANY_NUMBER: Range = Range::Real { min: f64::NEG_INFINITY, max: f64::INFINITY, above: false, log: false };

impl Ordinal {
    /// Its name in the catalogue and in model files.
    pub(crate) const NAME: &'static str = "ordinal";
}

#[cfg(feature = "fit")]
impl Learner for Ordinal {
    type Model = OrdinalModel;

    const SPEC: Spec = Spec {
        name: Self::NAME,
        summary: "A whole number for each value of a column",
        objective: "z = place of x among the sorted values of its column, from 0",
        notes: "Before trees, or where the order of the values means something. One pass, with memory for the distinct values. \
                Missing cells stay missing unless they are given a code. Number columns of a table are kept unless \"numbers\" is \
                \"encode\".",
        reference: "Stevens: On the theory of scales of measurement, Science 103 (1946)",
        family: Family::Preparation,
        tasks: &[Task::Preparation],
        accepts: Accepts { weights: true, missing: true, categorical: true, sparse: false, passes: true, multi_target: true },
        params: &[
            CATEGORIES,
            ParamSpec {
                name: "handle_unknown",
                doc: "A value that training has not seen is refused (\"error\") or gets the code unknown_value (\"use_encoded_value\").",
                range: Range::Choice(&["error", "use_encoded_value"]),
            },
            ParamSpec {
                name: "unknown_value",
                doc: "The code of values that training has not seen; null writes NaN.",
                range: Range::Optional(&ANY_NUMBER),
            },
            ParamSpec {
                name: "encoded_missing_value",
                doc: "The code of missing values; null leaves them missing (NaN).",
                range: Range::Optional(&ANY_NUMBER),
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
        super::levels::given_levels(Self::SPEC.name, &self.categories).map(|_| ())
    }

    fn fit_rows(&self, data: &DatasetRef<'_>, cx: &Context<'_>) -> Result<OrdinalModel> {
        run_passes(self, data, cx)
    }

    fn load(input: &ModelReader) -> Result<OrdinalModel> {
        OrdinalModel::load(input)
    }
}

impl OrdinalModel {
    pub(crate) fn load(input: &ModelReader) -> Result<Self> {
        Ok(OrdinalModel {
            columns: EncodedColumn::load(input)?,
            unknown: input.field("handle_unknown")?,
            unknown_value: input.field("unknown_value")?,
            missing_value: input.field("encoded_missing_value")?,
        })
    }
}

#[cfg(feature = "fit")]
impl PassLearner for Ordinal {
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

    fn finish(
        &self,
        state: EncoderState,
        total: EncoderPartial,
        _: &Context<'_>,
    ) -> Result<PassStep<EncoderState, OrdinalModel>> {
        let model = OrdinalModel {
            columns: self.rules().finish(&state, &total.0)?,
            unknown: self.handle_unknown,
            unknown_value: self.unknown_value,
            missing_value: self.encoded_missing_value,
        };
        // A code of a value must not be that of unknown or missing values too.
        for (name, code) in [("unknown_value", self.unknown_value), ("encoded_missing_value", self.encoded_missing_value)] {
            let taken = |c: &EncodedColumn| {
                c.grouped().is_some_and(|g| {
                    let codes = g.groups - usize::from(g.levels.find(&LevelValue::Missing).is_some());
                    code.is_some_and(|v| v >= 0.0 && v < codes as f64 && v.fract() == 0.0)
                })
            };
            if model.columns.iter().any(taken) {
                return Err(Error::parameter(
                    Self::SPEC.name,
                    name,
                    code.unwrap_or_default(),
                    "it must not be one of the codes of the values",
                ));
            }
        }
        Ok(PassStep::Done(model))
    }
}

/// Fitted [`Ordinal`]: the values of each column, in order.
#[derive(Debug, Clone, PartialEq)]
pub struct OrdinalModel {
    columns: Vec<EncodedColumn>,
    unknown: UnknownOrdinal,
    unknown_value: Option<f64>,
    missing_value: Option<f64>,
}

impl OrdinalModel {
    /// The values of a column; none for unchanged number columns.
    pub fn categories(&self, column: usize) -> Option<&[LevelValue]> {
        self.columns.get(column)?.grouped().map(|g| g.levels.all())
    }
}

ermine_core::display_as_report!(OrdinalModel);

impl Model for OrdinalModel {
    fn n_features(&self) -> usize {
        self.columns.len()
    }
    fn as_transformer(&self) -> Option<&dyn Transformer> {
        Some(self)
    }

    fn report(&self, schema: &Schema) -> Report {
        let mut report = Report::default();
        for (j, column) in self.columns.iter().enumerate() {
            let name = schema.name(j);
            match column {
                EncodedColumn::Kept => drop(report.text(format!("{name} is kept as it is."))),
                EncodedColumn::Levels(g) => {
                    let rows = (g.levels.all().iter().zip(&g.group))
                        .map(|(l, &c)| vec![l.to_string().into(), f64::from(c).into()])
                        .collect();
                    report.table(format!("Codes of {name}"), &["value", "code"], rows);
                }
            }
        }
        report
    }

    fn save(&self, out: &mut ModelWriter) -> Result<()> {
        EncodedColumn::save(&self.columns, out)?;
        out.field("handle_unknown", &self.unknown)?;
        out.field("unknown_value", &self.unknown_value)?;
        out.field("encoded_missing_value", &self.missing_value)
    }
}

impl Transformer for OrdinalModel {
    fn transform(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        let cols = self.columns.len();
        x.expect_cols(cols)?;
        let (unknown, missing) = (self.unknown_value.unwrap_or(f64::NAN), self.missing_value.unwrap_or(f64::NAN));
        by_blocks(x, cols, |block, _, out| {
            for (j, column) in self.columns.iter().enumerate() {
                let EncodedColumn::Levels(g) = column else {
                    EncodedColumn::pass_through(block, j, Ordinal::NAME, |i, v| out[i * cols + j] = v)?;
                    continue;
                };
                let missing_level = g.levels.find(&LevelValue::Missing);
                let mut refused = None;
                g.levels.codes(block, j, |i, code| {
                    out[i * cols + j] = match code {
                        None => {
                            refused = refused.or(Some(i));
                            unknown
                        }
                        code if code == missing_level => missing,
                        Some(code) => f64::from(g.group[code as usize]),
                    };
                });
                if let (Some(row), UnknownOrdinal::Error) = (refused, self.unknown) {
                    return Err(unknown_value(block, j, row, Ordinal::NAME));
                }
            }
            Ok(())
        })
    }

    fn source_columns(&self) -> Option<Vec<usize>> {
        Some((0..self.columns.len()).collect())
    }

    fn schema_out(&self, input: &Schema) -> Schema {
        super::standardize::same_names(input, self.columns.len())
    }

    /// Number columns get their values back, category columns the indices in [`OrdinalModel::categories`]; NaN stands
    /// for missing, infrequent and unknown values.
    fn inverse(&self, z: MatRef<'_, f64>) -> Result<Option<Mat<f64>>> {
        expect_width(z, self.columns.len())?;
        Ok(Some(Mat::from_fn(z.rows(), z.cols(), |i, j| {
            let v = *z.at(i, j);
            match &self.columns[j] {
                EncodedColumn::Kept => v,
                EncodedColumn::Levels(g) if v >= 0.0 && v < g.groups as f64 && v.fract() == 0.0 => g.decode(v as u32),
                EncodedColumn::Levels(_) => f64::NAN,
            }
        })))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn fit(params: &[(&str, Value)], x: Features<'_>) -> Result<OrdinalModel> {
        let mut learner = Ordinal::default();
        learner.set_all(&params.iter().map(|(k, v)| (k.to_string(), v.clone())).collect())?;
        learner.fit_with(&DatasetRef::new(x), &Context::default())
    }

    #[test]
    fn codes_follow_the_order_of_the_values_and_missing_stays_missing() {
        let x = [3.0, 1.0, f64::NAN, 2.5];
        let view = Features::F64(MatRef::row_major(&x, 4, 1));
        let model = fit(&[], view).unwrap();
        let z = model.transform(&view).unwrap();
        assert!(z.as_slice()[..2] == [2.0, 0.0] && z[(2, 0)].is_nan());
        let back = model.inverse(z.view()).unwrap().unwrap();
        assert!(back[(0, 0)] == 3.0 && back[(3, 0)] == 2.5 && back[(2, 0)].is_nan());
        let coded = fit(&[("encoded_missing_value", json!(-1))], view).unwrap();
        assert_eq!(coded.transform(&view).unwrap()[(2, 0)], -1.0);
        assert!(fit(&[("encoded_missing_value", json!(1))], view).is_err());
    }

    #[test]
    fn unknown_values_are_refused_or_coded() {
        let view = Features::F64(MatRef::row_major(&[3.0, 1.0], 2, 1));
        let other = Features::F64(MatRef::row_major(&[3.0, 7.0], 2, 1));
        let e = fit(&[], view).unwrap().transform(&other).unwrap_err().to_string();
        assert!(e.contains("column 0, row 1: 7"), "{e}");
        let coded = fit(&[("handle_unknown", json!("use_encoded_value")), ("unknown_value", json!(-1))], view).unwrap();
        assert_eq!(coded.transform(&other).unwrap().as_slice(), [1.0, -1.0]);
    }

    #[test]
    fn infrequent_values_share_the_last_code() {
        let x = [5.0, 5.0, 4.0, 3.0, 3.0];
        let view = Features::F64(MatRef::row_major(&x, 5, 1));
        let model = fit(&[("min_frequency", json!(2))], view).unwrap();
        assert_eq!(model.transform(&view).unwrap().as_slice(), [1.0, 1.0, 2.0, 0.0, 0.0]);
        let mut out = ModelWriter::default();
        model.save(&mut out).unwrap();
        assert_eq!(Ordinal::load(&out.into_reader()).unwrap(), model);
    }
}
