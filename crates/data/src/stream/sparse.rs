//! Sparse rows in blocks.

use ermine_core::{Error, Flow, Result};

use crate::libsvm::{self, LibsvmRows};
use crate::options::ReadOptions;
use crate::source::ByteSource;

/// libsvm text read in blocks of rows. Opening reads everything once, for the number of rows and columns.
pub(super) struct SparseStream {
    sources: Vec<ByteSource>,
    options: ReadOptions,
    pub(super) rows: usize,
    pub(super) cols: usize,
}

impl SparseStream {
    pub(super) fn open(sources: Vec<ByteSource>, options: &ReadOptions) -> Result<Self> {
        let (mut rows, mut cols) = (0, 0);
        libsvm::scan(&sources, options, &mut |block| {
            rows += block.targets.len();
            cols = cols.max(block.cols as usize);
            Ok(Flow::Continue)
        })?;
        Ok(Self { sources, options: options.clone(), rows, cols })
    }

    pub(super) fn scan(&self, visit: &mut dyn FnMut(LibsvmRows) -> Result<Flow>) -> Result<()> {
        let mut seen = 0;
        let mut stopped = false;
        libsvm::scan(&self.sources, &self.options, &mut |block| {
            seen += block.targets.len();
            if seen > self.rows || block.cols as usize > self.cols {
                return Err(self.changed());
            }
            if block.targets.is_empty() {
                return Ok(Flow::Continue);
            }
            let flow = visit(block)?;
            stopped = flow == Flow::Stop;
            Ok(flow)
        })?;
        if !stopped && seen != self.rows { Err(self.changed()) } else { Ok(()) }
    }

    pub(super) fn changed(&self) -> Error {
        Error::Data(format!("{}: the data changed since it was first read ({} rows then)", self.sources[0].name, self.rows))
    }
}
