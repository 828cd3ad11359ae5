//! From arguments to the rounds of a validation.

use anyhow::Result;
use ermine::core::MISSING_CODE;
use ermine::learn::model_selection::{CvSplits, group_k_fold};
use ermine::prelude::*;

use crate::args::{FoldCount, ReadArgs, SplitArgs};
use crate::error::UsageError;

impl SplitArgs {
    /// Reading options: groups are always categories.
    pub fn reading(&self, reading: &ReadArgs) -> ReadArgs {
        let mut reading = reading.clone();
        reading.types.extend(self.group.iter().map(|g| format!("{g}=category")));
        reading
    }

    /// Whether nothing was said about the rounds.
    pub fn is_default(&self) -> bool {
        let whole = self.group.is_none() && self.time.is_none() && self.split.is_none();
        whole && self.folds == FoldCount::K(5) && self.repeats == 1
    }

    /// The rounds. The column of groups is taken out of the problem.
    pub fn rounds(&self, problem: &mut Problem, seed: u64) -> Result<CvSplits> {
        let rows = problem.x.rows();
        let folds = match self.folds {
            FoldCount::K(k) => k,
            FoldCount::EachRow if self.group.is_none() && self.time.is_none() && self.split.is_none() => {
                return Ok(CvSplits::leave_one_out(rows)?);
            }
            FoldCount::EachRow => {
                return Err(UsageError("--folds loo is leave-one-out; it cannot be combined with other splits".into()).into());
            }
        };
        if let Some(name) = &self.group {
            let (x, taken) = problem.x.clone().split_off(&[name.as_str()])?;
            problem.x = x;
            let groups = match taken.into_iter().next() {
                Some((_, Column::Category { codes, .. })) => codes,
                _ => return Err(anyhow::anyhow!("column \"{name}\" has no groups")),
            };
            if let Some(row) = groups.iter().position(|&g| g == MISSING_CODE) {
                let place = format!("column \"{name}\"");
                let message = "its group is missing".into();
                return Err(ermine::Error::Row { place, row: problem.row_of_table(row), message }.into());
            }
            return Ok(group_k_fold(&problem.y.view(), &groups, folds, seed)?.into());
        }
        if let Some(name) = &self.time {
            let Column::Number { values, .. } = problem.x.column(name)? else {
                return Err(anyhow::anyhow!(
                    "column \"{name}\" has no numbers or dates to order rows by; --type {name}=date reads it as dates"
                ));
            };
            return Ok(CvSplits::time_series_split(values, folds, 0).map_err(|e| e.with_row(|row| problem.row_of_table(row)))?);
        }
        if let Some(share) = self.split {
            return Ok(CvSplits::hold_out(&problem.y.view(), rows, share, seed)?);
        }
        Ok(CvSplits::repeated(&problem.y.view(), rows, folds, self.repeats, seed)?)
    }
}
