//! Where a mixture of experts starts: rows cut into parts, one per expert.

use ermine_core::{Error, Mat, MatRef, Result};
use serde::{Deserialize, Serialize};

/// Parts of the space of rows, in columns less their means over their units; the target is the last column where it is a number.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Partition {
    unit: Vec<f64>,
    target_unit: Option<f64>,
    cut: PartitionKind,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum PartitionKind {
    /// Slabs across a direction.
    Slabs { direction: Vec<f64>, at: Vec<f64> },
    /// The nearest of some rows.
    Nearest(Mat<f64>),
}

impl Partition {
    pub(super) fn nearest(unit: Vec<f64>, target_unit: Option<f64>, centers: Mat<f64>) -> Self {
        Self { unit, target_unit, cut: PartitionKind::Nearest(centers) }
    }

    /// Slabs of equal weight across a direction; `sample` are rows in units, with their weights.
    pub(super) fn slabs(
        unit: Vec<f64>,
        target_unit: Option<f64>,
        direction: Vec<f64>,
        parts: usize,
        sample: &[(f64, Vec<f64>)],
    ) -> Result<Self> {
        let along = |row: &[f64]| row.iter().zip(&direction).map(|(x, d)| x * d).sum::<f64>();
        let mut places: Vec<(f64, f64)> = sample.iter().map(|(w, row)| (along(row), *w)).collect();
        places.sort_by(|a, b| a.0.total_cmp(&b.0));
        let total: f64 = places.iter().map(|p| p.1).sum();
        if places.is_empty() {
            return Err(Error::Data("there are no rows to cut into parts".into()));
        }
        let (mut at, mut below) = (Vec::new(), 0.0);
        for w in places.windows(2) {
            below += w[0].1;
            // Between two places that differ, so that rounding cannot put a row on the other side.
            let next = (at.len() + 1) as f64 * total / parts as f64;
            if at.len() + 1 < parts && below >= next * (1.0 - 1e-9) && w[1].0 > w[0].0 {
                at.push(0.5 * (w[0].0 + w[1].0));
            }
        }
        Ok(Self { unit, target_unit, cut: PartitionKind::Slabs { direction, at } })
    }

    /// The part of each row; `target` is that of the rows, less its mean.
    pub(super) fn of(&self, z: MatRef<'_, f64>, target: &[f64]) -> Result<Vec<usize>> {
        let p = z.cols();
        let width = p + usize::from(self.target_unit.is_some());
        let mut row = vec![0.0; width];
        Ok((0..z.rows())
            .map(|i| {
                (0..p).for_each(|j| row[j] = z.at(i, j) / self.unit[j]);
                if let Some(unit) = self.target_unit {
                    row[p] = target[i] / unit;
                }
                match &self.cut {
                    PartitionKind::Slabs { direction, at } => {
                        let place: f64 = row.iter().zip(direction).map(|(x, d)| x * d).sum();
                        at.iter().filter(|a| **a < place).count()
                    }
                    PartitionKind::Nearest(centers) => {
                        let d = |c: usize| row.iter().zip(centers.row(c)).map(|(x, m)| (x - m) * (x - m)).sum::<f64>();
                        (0..centers.rows()).min_by(|&a, &b| d(a).total_cmp(&d(b))).unwrap_or(0)
                    }
                }
            })
            .collect())
    }
}
