//! Record batches from Parquet and Arrow IPC files.

use std::fs::File;
use std::io::{BufReader, Cursor, Read, Seek, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, sync_channel};

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_schema::{Schema as ArrowSchema, SchemaRef};
use ermine_core::parallel::prelude::*;
use ermine_core::{Error, Flow, Result};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ParquetRecordBatchReaderBuilder};

use super::{ArrowColumns, convert};
use crate::column_chunk::{ChunkSink, ParseAs};
use crate::options::{Format, ReadOptions};
use crate::source::{ByteSource, Bytes, Compression};

/// Upper bound on the rows of a batch.
const BATCH_ROWS: usize = 8192;
/// Upper bound on the cells of a batch, unless the table is very wide.
const BATCH_CELLS: usize = 1 << 19;
/// Batches decoded ahead of their use.
const READ_AHEAD_BATCHES: usize = 2;

/// Parquet or Arrow files that make up one table.
pub(crate) struct ArrowFiles<'a> {
    pub(crate) sources: &'a [ByteSource],
    pub(crate) options: &'a ReadOptions,
    pub(crate) format: Format,
}

impl ArrowFiles<'_> {
    /// Names and types of the columns; all files must have the same.
    pub(crate) fn columns(&self) -> Result<ArrowColumns> {
        let mut first: Option<SchemaRef> = None;
        for source in self.sources {
            let schema = open(source, self.format, self.options)?.schema();
            match &first {
                None => first = Some(schema),
                Some(known) => same_columns(&source.name, known, &schema)?,
            }
        }
        let schema = first.ok_or_else(|| Error::Data("there is no file to read".into()))?;
        ArrowColumns::new(&schema, self.options)
    }

    /// Reads all rows, the columns independently where the format allows it (Parquet); returns the gathered columns and
    /// the number of rows.
    pub(crate) fn by_column<G: ChunkSink>(&self, columns: &ArrowColumns) -> Result<(Vec<G>, usize)> {
        if self.format != Format::Parquet {
            let mut all: Vec<G> = columns.names.iter().map(|_| G::default()).collect();
            let mut rows = 0;
            self.scan(&mut |batch| {
                let parts = columns.parts(batch, rows)?;
                rows += batch.num_rows();
                all.par_iter_mut().zip(parts).for_each(|(to, part)| to.add(part));
                Ok(Flow::Continue)
            })?;
            return Ok((all, rows));
        }
        let files = self.sources.iter().map(|s| ParquetFile::open(s, self.options)).collect::<Result<Vec<_>>>()?;
        let one = |j: usize| -> Result<G> {
            let (mut to, mut rows) = (G::default(), 0);
            if columns.plans[j] == ParseAs::Skip {
                return Ok(to);
            }
            for file in &files {
                for batch in file.batches(Some(j))? {
                    let batch = batch?;
                    to.add(convert::part(&columns.names[j], batch.column(0), columns.plans[j], rows)?);
                    rows += batch.num_rows();
                }
            }
            Ok(to)
        };
        let all = (0..columns.names.len()).into_par_iter().map(one).collect::<Result<Vec<G>>>()?;
        Ok((all, files.iter().map(|f| f.rows).sum()))
    }

    /// Reads all batches in order. A thread decodes ahead; stops early when `visit` asks for it.
    pub(crate) fn scan(&self, visit: &mut dyn FnMut(&RecordBatch) -> Result<Flow>) -> Result<()> {
        for source in self.sources {
            let reader = open(source, self.format, self.options)?;
            for batch in ahead(source.name.clone(), reader) {
                let batch = batch?;
                let step = (BATCH_CELLS / batch.num_columns().max(1)).clamp(64, BATCH_ROWS);
                for start in (0..batch.num_rows()).step_by(step) {
                    let rows = step.min(batch.num_rows() - start);
                    if visit(&batch.slice(start, rows))? == Flow::Stop {
                        return Ok(());
                    }
                }
            }
        }
        Ok(())
    }
}

fn same_columns(path: &str, known: &ArrowSchema, found: &ArrowSchema) -> Result<()> {
    let broken = |message: String| Err(Error::Format { path: path.to_owned(), message });
    if known.fields().len() != found.fields().len() {
        return broken(format!("{} columns, and the files before have {}", found.fields().len(), known.fields().len()));
    }
    for (a, b) in known.fields().iter().zip(found.fields()) {
        if a.name() != b.name() {
            return broken(format!("column \"{}\" stands where the files before have \"{}\"", b.name(), a.name()));
        }
        if a.data_type() != b.data_type() {
            let (was, is) = (a.data_type(), b.data_type());
            return broken(format!("column \"{}\" is {is}, and {was} in the files before", b.name()));
        }
    }
    Ok(())
}

type BatchReader = Box<dyn RecordBatchReader + Send>;

/// On a damaged file the decoder may also panic; that is an error of the file like any other.
fn guarded<T>(path: &str, decode: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(decode)).unwrap_or_else(|_| Err(damaged(path, "the decoder gave up")))
}

fn damaged(path: &str, what: impl std::fmt::Display) -> Error {
    Error::Format { path: path.to_owned(), message: format!("the file is damaged or not of this format ({what})") }
}

fn open(source: &ByteSource, format: Format, options: &ReadOptions) -> Result<BatchReader> {
    let path = &source.name;
    if format == Format::Parquet {
        return ParquetFile::open(source, options)?.reader(None);
    }
    guarded(path, || match source.path() {
        Some(file) if source.compression()? == Compression::Uncompressed => {
            ipc(path, BufReader::new(File::open(file).map_err(|e| Error::io(file, e))?))
        }
        _ => ipc(path, Cursor::new(source.read_all(options)?)),
    })
}

/// A Parquet file and its footer.
struct ParquetFile {
    source: ByteSource,
    metadata: ArrowReaderMetadata,
    rows: usize,
}

impl ParquetFile {
    /// Parquet needs a seekable file; compressed input and the standard input are copied to a temporary file that is
    /// deleted with the source.
    fn open(source: &ByteSource, options: &ReadOptions) -> Result<Self> {
        let source = match source.path() {
            Some(_) if source.compression()? == Compression::Uncompressed => source.clone(),
            _ => {
                let io = |e| Error::io("a temporary file", e);
                let mut file = tempfile::NamedTempFile::new().map_err(io)?;
                let mut reader = source.open(options)?;
                let mut block = Vec::new();
                while reader.fill(&mut block, 1 << 20)? {
                    file.write_all(&block).map_err(io)?;
                    block.clear();
                }
                ByteSource { name: source.name.clone(), bytes: Bytes::Spooled(Arc::new(file.into_temp_path())) }
            }
        };
        let metadata = guarded(&source.name, || {
            ArrowReaderMetadata::load(&Self::file(&source)?, Default::default()).map_err(|e| damaged(&source.name, e))
        })?;
        let rows = usize::try_from(metadata.metadata().file_metadata().num_rows()).unwrap_or(0);
        Ok(Self { source, metadata, rows })
    }

    /// A new file handle for every reader: clones of one handle share their position.
    fn file(source: &ByteSource) -> Result<File> {
        let path = source.path().unwrap_or(Path::new(""));
        File::open(path).map_err(|e| Error::io(path, e))
    }

    /// All batches, of all columns or of one.
    fn reader(&self, column: Option<usize>) -> Result<BatchReader> {
        let path = &self.source.name;
        guarded(path, || {
            let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(Self::file(&self.source)?, self.metadata.clone());
            let (mask, width) = match column {
                Some(j) => (ProjectionMask::roots(self.metadata.parquet_schema(), [j]), 1),
                None => (ProjectionMask::all(), self.metadata.schema().fields().len().max(1)),
            };
            let rows = (BATCH_CELLS / width).clamp(64, BATCH_ROWS);
            Ok(Box::new(builder.with_projection(mask).with_batch_size(rows).build().map_err(|e| damaged(path, e))?)
                as BatchReader)
        })
    }

    fn batches(&self, column: Option<usize>) -> Result<impl Iterator<Item = Result<RecordBatch>>> {
        let mut reader = self.reader(column)?;
        let path = self.source.name.clone();
        Ok(std::iter::from_fn(move || next(&path, &mut reader).transpose()))
    }
}

/// The next batch of a reader.
fn next(path: &str, reader: &mut BatchReader) -> Result<Option<RecordBatch>> {
    guarded(path, || reader.next().transpose().map_err(|e| damaged(path, e)))
}

/// The file form of IPC begins with `ARROW1`; everything else is read as a stream.
fn ipc<R: Read + Seek + Send + 'static>(path: &str, mut reader: R) -> Result<BatchReader> {
    let mut magic = Vec::new();
    (&mut reader).take(6).read_to_end(&mut magic).map_err(|e| Error::io(path, e))?;
    reader.rewind().map_err(|e| Error::io(path, e))?;
    if magic == b"ARROW1" {
        Ok(Box::new(FileReader::try_new(reader, None).map_err(|e| damaged(path, e))?))
    } else {
        Ok(Box::new(StreamReader::try_new(reader, None).map_err(|e| damaged(path, e))?))
    }
}

fn ahead(path: String, mut reader: BatchReader) -> Receiver<Result<RecordBatch>> {
    let (send, receive) = sync_channel(READ_AHEAD_BATCHES);
    std::thread::spawn(move || {
        loop {
            let batch = next(&path, &mut reader);
            let failed = batch.is_err();
            // The receiver is gone when the caller has stopped early.
            if batch.transpose().is_none_or(|batch| send.send(batch).is_err()) || failed {
                return;
            }
        }
    });
    receive
}
