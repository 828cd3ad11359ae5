//! The kind of the target of a streamed table.

use ermine_core::{ColumnKind, Error, Field, Flow, Result, Roles, TargetKind};

use super::table::TableStream;

/// The kind of the target of a table and the number of rows that have one. Reads the target columns once more where
/// their kinds do not suffice.
pub(super) fn target_of_table(table: &mut TableStream, roles: &Roles, notes: &mut Vec<String>) -> Result<(TargetKind, usize)> {
    let at = roles.targets.iter().map(|t| table.schema().position(t)).collect::<Result<Vec<_>>>()?;
    let fields: Vec<Field> = at.iter().map(|&j| table.schema().fields[j].clone()).collect();
    let counts = table.missing();
    let missing: u64 = at.iter().map(|&j| counts[j]).sum();
    let rows = table.rows();
    match &fields[..] {
        [] => Ok((TargetKind::None, rows)),
        [field] => {
            table.select(&roles.targets)?;
            let known = rows - missing as usize;
            let numbers = |visit: &mut dyn FnMut(&[f64]) -> Result<Flow>| {
                table.scan(&mut |block| visit(block.view().numbers(0).unwrap_or_default()))
            };
            Ok((TargetKind::of_one(field, roles, known, notes, &numbers)?, known))
        }
        several => {
            if let Some(field) = several.iter().find(|f| f.kind != ColumnKind::Number) {
                let message = format!("column \"{}\" is of type {}; several targets must all be numbers", field.name, field.kind);
                return Err(Error::Target(message));
            }
            table.select(&roles.targets)?;
            let mut known = if missing == 0 { rows } else { 0 };
            if missing > 0 {
                table.scan(&mut |block| {
                    known += (0..block.rows()).filter(|&i| block.columns().all(|c| !c.is_missing(i))).count();
                    Ok(Flow::Continue)
                })?;
            }
            Ok((TargetKind::Reals, known))
        }
    }
}
