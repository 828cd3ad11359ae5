//! The data of theorems: the reader's, or synthetic ones.

use ermine_core::{Column, Error, Mat, Result, RngStream, Table};

use crate::theorem::TheoremRun;

/// Numbers: rows and a target.
#[derive(Debug, Clone, PartialEq)]
pub struct TheoremData {
    /// The rows.
    pub x: Mat<f64>,
    /// The target of each row.
    pub y: Vec<f64>,
}

/// Rows of a table that are used at most; the theorems refit many times.
const MOST_ROWS: usize = 500;
/// Columns at most.
const MOST_COLUMNS: usize = 20;

impl TheoremData {
    /// Rows and a target, all finite.
    pub fn new(x: Mat<f64>, y: Vec<f64>) -> Result<Self> {
        if x.rows() != y.len() {
            return Err(Error::Length { what: "targets, one per row".into(), expected: x.rows(), found: y.len() });
        }
        if x.rows() < 3 || x.cols() == 0 {
            return Err(Error::Data(format!(
                "a theorem needs at least 3 rows and a column; there are {} rows and {} columns",
                x.rows(),
                x.cols()
            )));
        }
        match x.as_slice().iter().chain(&y).position(|v| !v.is_finite()) {
            Some(i) => {
                Err(Error::Data(format!("number {i} of the rows and targets is not finite; leave rows with missing cells out")))
            }
            None => Ok(Self { x, y }),
        }
    }

    /// The numeric columns of a table, complete rows only, the first 500 rows and 20 columns. The target is the column of that name, the last
    /// numeric one without a name; a target of two categories becomes −1 and 1.
    pub fn from_table(table: &Table, target: Option<&str>) -> Result<Self> {
        let names: Vec<String> = table.schema().names().map(str::to_owned).collect();
        let mut columns: Vec<(String, Vec<f64>)> = Vec::new();
        for name in &names {
            match table.column(name)? {
                Column::Number { values, .. } => columns.push((name.clone(), values.clone())),
                Column::Category { codes, names: classes } if target == Some(name.as_str()) && classes.len() == 2 => {
                    columns.push((
                        name.clone(),
                        codes
                            .iter()
                            .map(|&c| {
                                if c == 0 {
                                    -1.0
                                } else if c == 1 {
                                    1.0
                                } else {
                                    f64::NAN
                                }
                            })
                            .collect(),
                    ));
                }
                _ => {}
            }
        }
        let place = match target {
            None => columns.len().checked_sub(1),
            Some(t) => columns.iter().position(|(n, _)| n == t),
        };
        let Some(place) = place else {
            let known = columns.iter().map(|(n, _)| n.as_str());
            return Err(Error::unknown("numeric column", target.unwrap_or("(any)"), known));
        };
        let (_, y) = columns.remove(place);
        columns.truncate(MOST_COLUMNS);
        let complete = |i: &usize| y[*i].is_finite() && columns.iter().all(|(_, v)| v[*i].is_finite());
        let rows: Vec<usize> = (0..y.len()).filter(complete).take(MOST_ROWS).collect();
        Self::new(Mat::from_fn(rows.len(), columns.len(), |i, j| columns[j].1[rows[i]]), rows.iter().map(|&i| y[i]).collect())
    }

    /// Rows with a column of ones in front.
    pub(crate) fn with_ones(&self) -> Mat<f64> {
        Mat::from_fn(self.x.rows(), self.x.cols() + 1, |i, j| if j == 0 { 1.0 } else { self.x[(i, j - 1)] })
    }

    /// Columns and target less their means.
    pub(crate) fn centered(&self) -> Self {
        let n = self.y.len() as f64;
        let means: Vec<f64> = (0..self.x.cols()).map(|j| self.x.view().col_iter(j).sum::<f64>() / n).collect();
        let mean = self.y.iter().sum::<f64>() / n;
        Self {
            x: Mat::from_fn(self.x.rows(), self.x.cols(), |i, j| self.x[(i, j)] - means[j]),
            y: self.y.iter().map(|v| v - mean).collect(),
        }
    }
}

/// n rows of p normal numbers; the target is a line plus noise.
pub(crate) fn line_data(n: usize, p: usize, noise: f64, stream: &mut RngStream) -> TheoremData {
    let x = Mat::from_fn(n, p, |_, _| stream.normal());
    let y = (0..n)
        .map(|i| {
            1.0 + x.row(i).iter().enumerate().map(|(j, v)| v * (1.0 - 0.4 * j as f64)).sum::<f64>() + noise * stream.normal()
        })
        .collect();
    TheoremData { x, y }
}

/// Two clouds in the plane with targets −1 and 1, `gap` apart.
pub(crate) fn blobs(n: usize, gap: f64, stream: &mut RngStream) -> TheoremData {
    let y: Vec<f64> = (0..n).map(|i| if i % 2 == 0 { 1.0 } else { -1.0 }).collect();
    let x = Mat::from_fn(n, 2, |i, _| 0.5 * gap * y[i] + stream.normal());
    TheoremData { x, y }
}

impl TheoremRun<'_> {
    /// The reader's data, or a line with noise of `n` rows and `p` columns.
    pub fn line(&self, n: usize, p: usize, noise: f64) -> TheoremData {
        self.given().cloned().unwrap_or_else(|| line_data(n, p, noise, &mut self.stream(0)))
    }
}
