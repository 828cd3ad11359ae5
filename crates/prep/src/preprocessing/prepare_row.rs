//! The default preparation of one row at a time.

use ermine_core::*;

use super::levels::LevelValue;
use super::table::{ColumnTreatment, PrepareModel};

/// What becomes of a cell.
enum CellTreatment {
    Dropped,
    Kept,
    Number { mean: f64, shift: f64, scale: f64 },
    Category { places: Vec<Option<usize>>, missing: Option<usize> },
}

/// [`PrepareModel`] as a function of one row.
pub(super) struct PreparedRow {
    columns: Vec<CellTreatment>,
    starts: Vec<usize>,
    schema: Schema,
}

impl PreparedRow {
    /// None where a column is of another kind than in training.
    pub(super) fn new(model: &PrepareModel, schema: &Schema) -> Option<Self> {
        let column = |(j, treatment): (usize, &ColumnTreatment)| {
            let field = &schema.fields[j];
            let number = matches!(field.kind, ColumnKind::Number | ColumnKind::Date);
            Some(match (treatment, &model.places[j]) {
                (ColumnTreatment::Dropped { .. }, _) => CellTreatment::Dropped,
                (ColumnTreatment::Kept { .. }, _) if number => CellTreatment::Kept,
                (ColumnTreatment::Number { mean, shift, scale, .. }, _) if number => {
                    CellTreatment::Number { mean: *mean, shift: *shift, scale: *scale }
                }
                (ColumnTreatment::Category { .. }, Some(map)) if field.kind == ColumnKind::Category => {
                    let place = |level: &LevelValue| map.levels.find(level).and_then(|code| map.to[code as usize]);
                    CellTreatment::Category {
                        places: field.categories.iter().map(|name| place(&LevelValue::Name(name.clone()))).collect(),
                        missing: place(&LevelValue::Missing),
                    }
                }
                _ => return None,
            })
        };
        if schema.len() != model.columns.len() {
            return None;
        }
        let columns = model.columns.iter().enumerate().map(column).collect::<Option<_>>()?;
        Some(Self { columns, starts: model.starts.clone(), schema: schema.clone() })
    }
}

impl RowFunction for PreparedRow {
    fn width(&self) -> usize {
        self.starts[self.columns.len()]
    }

    fn run(&self, row: &[f64], _: &mut [f64], out: &mut [f64]) -> Result<()> {
        out.fill(0.0);
        for ((column, &v), &start) in self.columns.iter().zip(row).zip(&self.starts) {
            match column {
                CellTreatment::Dropped => {}
                CellTreatment::Kept => out[start] = v,
                CellTreatment::Number { mean, shift, scale } => {
                    if v.is_infinite() {
                        return refuse_infinite_cell(row, &self.schema);
                    }
                    out[start] = ((if v.is_nan() { *mean } else { v }) - shift) / scale;
                }
                CellTreatment::Category { places, missing } => {
                    let place =
                        if v.is_nan() { *missing } else { places.get(v as usize).copied().flatten().filter(|_| v >= 0.0) };
                    if let Some(place) = place {
                        out[start + place] = 1.0;
                    }
                }
            }
        }
        Ok(())
    }
}
