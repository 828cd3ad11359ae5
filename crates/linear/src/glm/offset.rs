//! A column that enters the score as it is: an offset, or the logarithm of an exposure.

use ermine_core::{Error, Features, Result, Schema};
use serde::{Deserialize, Serialize};

use ermine_core::blocks::column_label;

/// A column with a coefficient of 1 that is not fitted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OffsetColumn {
    /// Which column.
    pub column: usize,
    /// Its role: offset or exposure.
    pub role: OffsetRole,
}

/// How the column enters the score.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OffsetRole {
    /// As it is.
    Offset,
    /// As its logarithm.
    Exposure,
}

impl OffsetRole {
    /// The parameter that names the column.
    pub fn name(self) -> &'static str {
        match self {
            Self::Offset => "offset",
            Self::Exposure => "exposure",
        }
    }
}

impl OffsetColumn {
    /// The offset of each row's score; refuses invalid cells, with rows counted from the view.
    pub fn values(&self, x: &Features<'_>, schema: Option<&Schema>) -> Result<Vec<f64>> {
        let j = self.column;
        let mut values: Vec<f64> = match x {
            Features::F64(m) => m.col_iter(j).collect(),
            Features::F32(m) => m.col_iter(j).map(f64::from).collect(),
            Features::Csr(m) => (0..m.rows())
                .map(|i| {
                    let (indices, values) = m.row(i);
                    indices.iter().zip(values).filter(|(at, _)| **at as usize == j).map(|(_, v)| *v).sum()
                })
                .collect(),
            Features::Table(t) => match t.numbers(j) {
                Some(values) => (0..t.rows()).map(|i| if t.is_missing(i, j) { f64::NAN } else { values[i] }).collect(),
                None => {
                    return Err(Error::Kind {
                        column: column_label(schema, j),
                        found: "not of numbers".into(),
                        learner: "glm".into(),
                        needed: format!("numbers for its {}", self.role.name()),
                    });
                }
            },
        };
        let possible = |v: f64| v.is_finite() && (self.role == OffsetRole::Offset || v > 0.0);
        if let Some(row) = values.iter().position(|&v| !possible(v)) {
            let (what, value) = (format!("column {}", column_label(schema, j)), values[row]);
            let needed = match self.role {
                OffsetRole::Offset => "an offset is a finite number",
                OffsetRole::Exposure => "an exposure is a number above 0; leave out rows without exposure",
            };
            return Err(Error::OutOfRange { what, row, value, needed: needed.into() });
        }
        if self.role == OffsetRole::Exposure {
            values.iter_mut().for_each(|v| *v = v.ln());
        }
        Ok(values)
    }
}
