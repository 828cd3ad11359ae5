//! Shared by forests and boosting for rows that come from a stream.

use ermine_core::{Context, Error, Flow, OwnedDataset, Result, RowSource, Spec};

/// Bytes that a fit on a stream may take, unless the context sets a bound: binned rows, or the sums of a pass. Rows beyond it are
/// read again and again, in passes.
pub(crate) const MEMORY_BYTES: u64 = 8 << 30;

/// The first row of a source, which shows columns, categories and classes.
pub(crate) fn first_row(source: &dyn RowSource, spec: &Spec) -> Result<OwnedDataset> {
    let mut head = None;
    source.scan(&mut |rows| {
        if rows.rows() == 0 {
            return Ok(Flow::Continue);
        }
        rows.row_range(0..1).check_block(spec)?;
        head = Some(rows.take_rows(&[0]));
        Ok(Flow::Stop)
    })?;
    head.ok_or_else(|| Error::Data(format!("there are 0 rows, and {} needs at least 1", spec.name)))
}

/// Whether binned rows of so many bytes fit in memory; with a note on how the trees are grown.
pub(crate) fn fits_memory(bytes: u64, allowed: u64, cx: &Context<'_>) -> bool {
    let megabytes = |bytes: u64| bytes.div_ceil(1 << 20);
    let (need, may) = (megabytes(bytes), megabytes(allowed));
    cx.note(|| match bytes <= allowed {
        true => format!("the rows were binned and kept in memory, in {need} MB"),
        false => {
            format!("the trees were grown in passes over the rows: binned they would take {need} MB, and {may} MB are allowed")
        }
    });
    bytes <= allowed
}
