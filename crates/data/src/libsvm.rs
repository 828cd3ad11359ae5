//! libsvm text: one line per row, `target index:value …`, indices from 1 and ascending; `#` begins a comment.

use ermine_core::parallel::prelude::*;
use ermine_core::{Csr, Error, Flow, Result};

use crate::csv::{Chunk, Chunks, next_batch, parse_number, read_ahead};
use crate::options::ReadOptions;
use crate::source::ByteSource;

/// Upper bound on the columns: an index far beyond any real one would make every learner allocate for it.
const MOST_COLUMNS: u32 = 1 << 27;

/// Rows in order.
#[derive(Debug, Default)]
pub(crate) struct LibsvmRows {
    pub(crate) indptr: Vec<usize>,
    pub(crate) indices: Vec<u32>,
    pub(crate) values: Vec<f64>,
    pub(crate) targets: Vec<f64>,
    /// The largest index, from 1.
    pub(crate) cols: u32,
}

impl LibsvmRows {
    fn new() -> Self {
        Self { indptr: vec![0], ..Self::default() }
    }

    fn append(&mut self, other: Self) {
        let start = self.values.len();
        self.indptr.extend(other.indptr[1..].iter().map(|p| p + start));
        self.indices.extend(other.indices);
        self.values.extend(other.values);
        self.targets.extend(other.targets);
        self.cols = self.cols.max(other.cols);
    }

    /// Drops the cells beyond column `width`, and widens to it; returns how many were dropped.
    pub(crate) fn fit_width(&mut self, width: usize) -> usize {
        let before = self.values.len();
        if self.cols as usize > width {
            let mut kept = 0;
            for row in 0..self.targets.len() {
                let cells = std::mem::replace(&mut self.indptr[row], kept)..self.indptr[row + 1];
                for at in cells {
                    if (self.indices[at] as usize) < width {
                        (self.indices[kept], self.values[kept]) = (self.indices[at], self.values[at]);
                        kept += 1;
                    }
                }
            }
            self.indptr[self.targets.len()] = kept;
            self.indices.truncate(kept);
            self.values.truncate(kept);
        }
        self.cols = width as u32;
        before - self.values.len()
    }

    /// As a sparse matrix of at least `cols` columns.
    pub(crate) fn into_csr(self, cols: usize) -> Result<(Csr, Vec<f64>)> {
        let cols = cols.max(self.cols as usize);
        Ok((Csr::new(self.indptr, self.indices, self.values, cols)?, self.targets))
    }
}

/// Parses all rows in order, in chunks.
pub(crate) fn scan(
    sources: &[ByteSource],
    options: &ReadOptions,
    visit: &mut dyn FnMut(LibsvmRows) -> Result<Flow>,
) -> Result<()> {
    for source in sources {
        let chunks = read_ahead(Chunks::lines(source.name.clone(), source.open(options)?));
        loop {
            let batch = next_batch(&chunks, source)?;
            if batch.is_empty() {
                break;
            }
            let parsed: Vec<Result<LibsvmRows>> = batch.into_par_iter().map(|chunk| parse(&source.name, &chunk)).collect();
            for rows in parsed {
                if visit(rows?)? == Flow::Stop {
                    return Ok(());
                }
            }
        }
    }
    Ok(())
}

/// [`scan`] with rows as wide as a model wants them where one is waiting; returns notes for the user.
pub(crate) fn scan_expected(
    sources: &[ByteSource],
    options: &ReadOptions,
    visit: &mut dyn FnMut(LibsvmRows) -> Result<Flow>,
) -> Result<Vec<String>> {
    let (mut rows, mut cut) = (0, 0);
    let width = options.expected_width();
    scan(sources, options, &mut |mut block| {
        if block.targets.is_empty() {
            return Ok(Flow::Continue);
        }
        rows += block.targets.len();
        cut += width.map_or(0, |width| block.fit_width(width));
        visit(block)
    })?;
    if rows == 0 {
        let path = sources.first().map_or_else(String::new, |s| s.name.clone());
        return Err(Error::Format { path, message: "the file has no row".into() });
    }
    let note = |width| format!("the model knows columns x1 to x{width}; {cut} cells beyond are left out");
    Ok(width.filter(|_| cut > 0).map(note).into_iter().collect())
}

/// All rows, as wide as a model wants them where one is waiting; and notes for the user.
pub(crate) fn read(sources: &[ByteSource], options: &ReadOptions) -> Result<(LibsvmRows, Vec<String>)> {
    let mut all = LibsvmRows::new();
    let notes = scan_expected(sources, options, &mut |rows| {
        all.append(rows);
        Ok(Flow::Continue)
    })?;
    Ok((all, notes))
}

fn parse(path: &str, chunk: &Chunk) -> Result<LibsvmRows> {
    let mut out = LibsvmRows::new();
    for (i, line) in chunk.text.split(|&b| b == b'\n').enumerate() {
        let line = line.split(|&b| b == b'#').next().unwrap_or_default();
        let mut words = line.split(|b| b.is_ascii_whitespace()).filter(|w| !w.is_empty()).enumerate();
        let Some((_, target)) = words.next() else { continue };
        let fail = |word: usize, message: String| Error::Parse {
            path: path.to_owned(),
            line: chunk.line + i as u64 + 1,
            column: word as u64 + 1,
            message,
        };
        let shown = |word: &[u8]| String::from_utf8_lossy(word).chars().take(40).collect::<String>();
        let number =
            |at: usize, word: &[u8]| parse_number(word).ok_or_else(|| fail(at, format!("\"{}\" is not a number", shown(word))));
        out.targets.push(number(0, target)?);
        let mut last = 0;
        for (at, word) in words {
            let Some(colon) = memchr::memchr(b':', word) else {
                return Err(fail(at, format!("\"{}\" is not index:value", shown(word))));
            };
            let (index, value) = (&word[..colon], &word[colon + 1..]);
            // Query groups of rankings are not a feature.
            if index == b"qid" {
                continue;
            }
            let index = std::str::from_utf8(index).ok().and_then(|t| t.parse::<u32>().ok());
            let index = index.ok_or_else(|| fail(at, format!("\"{}\" does not begin with a whole number", shown(word))))?;
            if index == 0 || index <= last {
                let message = match index {
                    0 => "index 0; indices count from 1".to_owned(),
                    _ => format!("index {index} after {last}; indices ascend"),
                };
                return Err(fail(at, message));
            }
            if index > MOST_COLUMNS {
                return Err(fail(at, format!("index {index}; at most {MOST_COLUMNS} columns are read")));
            }
            last = index;
            out.indices.push(index - 1);
            out.values.push(number(at, value)?);
        }
        out.cols = out.cols.max(last);
        out.indptr.push(out.values.len());
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_take_the_width_they_are_given() {
        let text = b"1 1:1 3:3\n2\n3 2:2 4:4 9:9\n".to_vec();
        let rows = || parse("t", &Chunk { text: text.clone(), line: 0 }).unwrap();
        let mut narrow = rows();
        assert_eq!(narrow.fit_width(3), 2);
        assert_eq!(
            (&narrow.indptr[..], &narrow.indices[..], &narrow.values[..]),
            (&[0, 2, 2, 3][..], &[0, 2, 1][..], &[1.0, 3.0, 2.0][..])
        );
        let mut wide = rows();
        assert_eq!(wide.fit_width(20), 0);
        assert_eq!(wide.into_csr(0).unwrap().0.view().cols(), 20);
    }
}
