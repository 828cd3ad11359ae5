//! The fitted imputation.

use super::*;

/// The value that fills a column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum ColumnFill {
    Dropped,
    Number(f64),
    Name { names: Arc<Vec<String>>, code: u32 },
}

/// Fitted [`Impute`]: the value that fills each column.
#[derive(Debug, Clone, PartialEq)]
pub struct ImputeModel {
    pub(super) columns: Vec<ColumnFill>,
    /// Columns with an indicator column of their missing cells.
    pub(super) indicators: Vec<usize>,
}

impl ImputeModel {
    /// The fill value of each number column; NaN for dropped columns, the code for category columns.
    pub fn statistics(&self) -> Vec<f64> {
        let one = |c: &ColumnFill| match c {
            ColumnFill::Dropped => f64::NAN,
            ColumnFill::Number(v) => *v,
            ColumnFill::Name { code, .. } => f64::from(*code),
        };
        self.columns.iter().map(one).collect()
    }

    fn kept(&self) -> impl Iterator<Item = (usize, &ColumnFill)> {
        self.columns.iter().enumerate().filter(|(_, c)| **c != ColumnFill::Dropped)
    }

    pub(crate) fn load(input: &ModelReader) -> Result<Self> {
        let columns: Vec<ColumnFill> = input.field("columns")?;
        let indicators: Vec<usize> = input.field("indicators")?;
        let sound = |c: &ColumnFill| match c {
            ColumnFill::Dropped => true,
            ColumnFill::Number(v) => v.is_finite(),
            ColumnFill::Name { names, code } => (*code as usize) < names.len(),
        };
        if !columns.iter().all(sound)
            || indicators.iter().any(|&j| j >= columns.len())
            || indicators.windows(2).any(|w| w[0] >= w[1])
        {
            return Err(Error::Model("impute: its columns do not fit together".into()));
        }
        Ok(Self { columns, indicators })
    }
}

ermine_core::display_as_report!(ImputeModel);

impl Model for ImputeModel {
    fn n_features(&self) -> usize {
        self.columns.len()
    }
    fn as_transformer(&self) -> Option<&dyn Transformer> {
        Some(self)
    }

    fn report(&self, schema: &Schema) -> Report {
        let rows = (self.columns.iter().enumerate())
            .map(|(j, c)| {
                let fill = match c {
                    ColumnFill::Dropped => Cell::Text("dropped: entirely missing".into()),
                    ColumnFill::Number(v) => Cell::Number(*v),
                    ColumnFill::Name { names, code } => Cell::Text(names[*code as usize].clone()),
                };
                vec![schema.name(j).into(), fill]
            })
            .collect();
        let mut report = Report::default();
        report.table("Missing cells", &["column", "filled with"], rows);
        report
    }

    fn save(&self, out: &mut ModelWriter) -> Result<()> {
        out.vec("statistics", &self.statistics());
        out.field("columns", &self.columns)?;
        out.field("indicators", &self.indicators)
    }
}

impl Transformer for ImputeModel {
    fn transform(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        x.expect_cols(self.columns.len())?;
        let kept: Vec<(usize, &ColumnFill)> = self.kept().collect();
        let width = kept.len() + self.indicators.len();
        by_blocks(x, width, |block, _, out| {
            // The columns of a matrix are all numbers.
            let mut scratch = Vec::new();
            let dense = match block {
                Features::Table(_) => None,
                _ => Some(numbers(block, &mut scratch, Impute::NAME)?),
            };
            let schema = if let Features::Table(t) = block { Some(t.schema()) } else { None };
            for (to, (j, fill)) in kept.iter().enumerate() {
                match (fill, block, dense) {
                    (ColumnFill::Number(v), _, Some(m)) => {
                        for (i, x) in m.col_iter(*j).enumerate() {
                            out[i * width + to] = if x.is_nan() { *v } else { x };
                        }
                    }
                    (ColumnFill::Number(v), Features::Table(t), None) => {
                        let values = t.numbers(*j).ok_or_else(|| Error::Kind {
                            column: column_label(schema, *j),
                            found: format!("of type {}", t.schema().fields[*j].kind),
                            learner: Impute::NAME.into(),
                            needed: "numbers there".into(),
                        })?;
                        values.iter().enumerate().for_each(|(i, x)| out[i * width + to] = if x.is_nan() { *v } else { *x });
                    }
                    (ColumnFill::Name { names, code }, Features::Table(t), _) if t.categories(*j).is_some() => {
                        let Some((codes, theirs)) = t.categories(*j) else { continue };
                        let ours: Vec<f64> =
                            theirs.iter().map(|n| names.iter().position(|m| m == n).unwrap_or(*code as usize) as f64).collect();
                        for (i, &c) in codes.iter().enumerate() {
                            out[i * width + to] = if c == MISSING_CODE { f64::from(*code) } else { ours[c as usize] };
                        }
                    }
                    (ColumnFill::Name { code, .. }, _, _) => {
                        let cells = ColumnReader::of(block, *j);
                        (0..block.rows()).for_each(|i| out[i * width + to] = cells.number(i).unwrap_or(f64::from(*code)));
                    }
                    _ => {}
                }
            }
            for (to, &j) in self.indicators.iter().enumerate() {
                for i in 0..block.rows() {
                    let missing = match (block, dense) {
                        (Features::Table(t), _) => t.is_missing(i, j),
                        (_, Some(m)) => m.at(i, j).is_nan(),
                        _ => false,
                    };
                    out[i * width + kept.len() + to] = f64::from(u8::from(missing));
                }
            }
            Ok(())
        })
    }

    fn source_columns(&self) -> Option<Vec<usize>> {
        Some(self.kept().map(|(j, _)| j).chain(self.indicators.iter().copied()).collect())
    }

    fn schema_out(&self, input: &Schema) -> Schema {
        let field = |(j, fill): (usize, &ColumnFill)| match fill {
            ColumnFill::Name { names, .. } => {
                Field { name: input.name(j), kind: ColumnKind::Category, categories: names.clone() }
            }
            _ => Field { name: input.name(j), kind: ColumnKind::Number, categories: Arc::default() },
        };
        let mut fields: Vec<Field> = self.kept().map(field).collect();
        let names = self.indicators.iter().map(|&j| format!("missingindicator_{}", input.name(j)));
        fields.extend(Schema::numbers(names).fields);
        Schema { fields }
    }

    /// Imputed cells become missing again, where an indicator marks them; dropped columns are missing.
    fn inverse(&self, z: MatRef<'_, f64>) -> Result<Option<Mat<f64>>> {
        let kept: Vec<usize> = self.kept().map(|(j, _)| j).collect();
        ermine_core::blocks::expect_width(z, kept.len() + self.indicators.len())?;
        let mut out = Mat::filled(z.rows(), self.columns.len(), f64::NAN);
        for i in 0..z.rows() {
            kept.iter().enumerate().for_each(|(from, &j)| out[(i, j)] = *z.at(i, from));
            for (from, &j) in self.indicators.iter().enumerate() {
                if *z.at(i, kept.len() + from) > 0.5 {
                    out[(i, j)] = f64::NAN;
                }
            }
        }
        Ok(Some(out))
    }
}
