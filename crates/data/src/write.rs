//! Tables to files: CSV, JSON, Parquet, Arrow IPC; whole or in blocks of rows; to a path or to the standard output.

use std::io::{self, BufWriter, Stdout, Write};
use std::path::Path;

use ermine_core::{Column, ColumnKind, Error, OutputFile, Result, Schema, Table, TableRef};
use flate2::write::GzEncoder;

use crate::options::Format;
use crate::write_json::JsonWriter;
use ermine_core::date;

/// Options of the writers.
#[derive(Debug, Clone, Default)]
pub struct WriteOptions {
    /// The format; by default from the extension, else CSV. CSV, TSV, JSON, Parquet and Arrow can be written.
    pub format: Option<Format>,
    /// Puts `'` before text that begins with `=`, `+`, `-`, `@`, tab or line break, which spreadsheets would run as a
    /// formula. Off by default, because the text then does not read back unchanged. Numbers are never changed.
    pub formula_safe: bool,
}

/// Writes tables of one schema, one after the other, to one file.
///
/// A file appears under its name only when [`TableWriter::finish`] has succeeded: until then the rows are in a temporary
/// file beside it, and a failure leaves what was there before. `-` is the standard output. Names that end in `.gz` or `.zst`
/// are compressed (text formats only).
pub struct TableWriter {
    target: WriterKind,
    name: String,
}

enum WriterKind {
    Text(TextWriter),
    Json(JsonWriter),
    #[cfg(feature = "arrow")]
    Batches(crate::arrow::BatchWriter<OutputSink>),
}

impl TableWriter {
    /// Opens `path` (or `-`) for tables of the given schema.
    pub fn create(path: &str, schema: &Schema, options: &WriteOptions) -> Result<Self> {
        let format = options.format.or_else(|| Format::of_name(path)).unwrap_or(Format::Csv);
        let sink = OutputSink::open(path)?;
        let fail = |e: io::Error| Error::io(path, e);
        let target = match format {
            Format::Csv | Format::Tsv => {
                let delimiter = if format == Format::Tsv { b'\t' } else { b',' };
                let mut text = TextWriter {
                    out: CompressedText::new(sink, path).map_err(fail)?,
                    delimiter,
                    formula_safe: options.formula_safe,
                };
                text.header(schema).map_err(fail)?;
                WriterKind::Text(text)
            }
            Format::Json | Format::JsonLines => {
                let out = CompressedText::new(sink, path).map_err(fail)?;
                WriterKind::Json(JsonWriter::new(out, schema.names(), format == Format::Json))
            }
            #[cfg(feature = "arrow")]
            Format::Parquet | Format::Arrow => {
                WriterKind::Batches(crate::arrow::BatchWriter::new(path, format == Format::Parquet, sink, schema))
            }
            _ => return Err(Error::Format { path: path.to_owned(), message: format!("tables are not written as {format}") }),
        };
        Ok(Self { target, name: path.to_owned() })
    }

    /// Adds rows.
    pub fn write(&mut self, rows: &TableRef<'_>) -> Result<()> {
        match &mut self.target {
            WriterKind::Text(text) => text.rows(rows).map_err(|e| Error::io(&self.name, e)),
            WriterKind::Json(json) => json.rows(rows).map_err(|e| Error::io(&self.name, e)),
            #[cfg(feature = "arrow")]
            WriterKind::Batches(out) => out.write(rows),
        }
    }

    /// Hands rows that were written on to whoever reads the standard output.
    pub fn flush(&mut self) -> Result<()> {
        match &mut self.target {
            WriterKind::Text(TextWriter { out: CompressedText::Plain(out), .. }) => {
                out.flush().map_err(|e| Error::io(&self.name, e))
            }
            _ => Ok(()),
        }
    }

    /// Ends the file and puts it in its place.
    pub fn finish(self) -> Result<()> {
        let sink = match self.target {
            WriterKind::Text(text) => text.out.finish().map_err(|e| Error::io(&self.name, e))?,
            WriterKind::Json(json) => json.finish().map_err(|e| Error::io(&self.name, e))?,
            #[cfg(feature = "arrow")]
            WriterKind::Batches(out) => out.finish()?,
        };
        sink.finish().map_err(|e| Error::io(&self.name, e))
    }
}

/// Writes a whole table to `path`, or to the standard output for `-`.
pub fn write_table(path: &str, table: &Table, options: &WriteOptions) -> Result<()> {
    let mut writer = TableWriter::create(path, table.schema(), options)?;
    writer.write(&table.view())?;
    writer.finish()
}

/// Rows of cells as they are spelled, to delimited text.
pub(crate) struct TextTable {
    text: TextWriter,
    name: String,
    block: Vec<u8>,
}

impl TextTable {
    pub(crate) fn create(path: &str, format: Format) -> Result<Self> {
        let out = CompressedText::new(OutputSink::open(path)?, path).map_err(|e| Error::io(path, e))?;
        let delimiter = if format == Format::Tsv { b'\t' } else { b',' };
        Ok(Self { text: TextWriter { out, delimiter, formula_safe: false }, name: path.to_owned(), block: Vec::new() })
    }

    /// Adds a row.
    pub(crate) fn row<'c>(&mut self, cells: impl IntoIterator<Item = &'c str>) -> Result<()> {
        let (start, mut count) = (self.block.len(), 0);
        for cell in cells {
            if count > 0 {
                self.block.push(self.text.delimiter);
            }
            self.text.text(&mut self.block, cell, false);
            count += 1;
        }
        // A record that is one empty cell would be a blank line, which readers skip.
        if count == 1 && self.block.len() == start {
            self.block.extend_from_slice(b"\"\"");
        }
        self.block.push(b'\n');
        if self.block.len() > 1 << 16 {
            self.text.out.write_all(&self.block).map_err(|e| Error::io(&self.name, e))?;
            self.block.clear();
        }
        Ok(())
    }

    pub(crate) fn finish(mut self) -> Result<()> {
        let fail = |e| Error::io(&self.name, e);
        self.text.out.write_all(&self.block).map_err(fail)?;
        self.text.out.finish().map_err(fail)?.finish().map_err(fail)
    }
}

/// Destination of the bytes.
pub(crate) enum OutputSink {
    Stdout(BufWriter<Stdout>),
    File(OutputFile),
}

impl OutputSink {
    pub(crate) fn open(path: &str) -> Result<Self> {
        if path == "-" {
            return Ok(Self::Stdout(BufWriter::new(io::stdout())));
        }
        OutputFile::create(Path::new(path)).map(Self::File).map_err(|e| Error::io(path, e))
    }

    pub(crate) fn finish(self) -> io::Result<()> {
        match self {
            Self::Stdout(mut out) => out.flush(),
            Self::File(out) => out.finish(),
        }
    }
}

impl Write for OutputSink {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        match self {
            Self::Stdout(out) => out.write(buf),
            Self::File(out) => out.write(buf),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Stdout(out) => out.flush(),
            Self::File(out) => out.flush(),
        }
    }
}

/// Text, compressed if its name says so.
pub(crate) enum CompressedText {
    Plain(OutputSink),
    Gzip(GzEncoder<OutputSink>),
    Zstd(zstd::Encoder<'static, OutputSink>),
}

impl CompressedText {
    pub(crate) fn new(sink: OutputSink, path: &str) -> io::Result<Self> {
        Ok(if path.ends_with(".gz") {
            Self::Gzip(GzEncoder::new(sink, flate2::Compression::default()))
        } else if path.ends_with(".zst") {
            Self::Zstd(zstd::Encoder::new(sink, 3)?)
        } else {
            Self::Plain(sink)
        })
    }

    pub(crate) fn finish(self) -> io::Result<OutputSink> {
        match self {
            Self::Plain(sink) => Ok(sink),
            Self::Gzip(encoder) => encoder.finish(),
            Self::Zstd(encoder) => encoder.finish(),
        }
    }

    pub(crate) fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Self::Plain(out) => out.write_all(bytes),
            Self::Gzip(out) => out.write_all(bytes),
            Self::Zstd(out) => out.write_all(bytes),
        }
    }
}

/// Delimited text as in RFC 4180, with `\
/// ` between records. Numbers are written so that they read back to the same bits, dates as ISO 8601, missing cells
/// empty.
struct TextWriter {
    out: CompressedText,
    delimiter: u8,
    formula_safe: bool,
}

impl TextWriter {
    fn header(&mut self, schema: &Schema) -> io::Result<()> {
        let mut line = Vec::new();
        for (j, name) in schema.names().enumerate() {
            if j > 0 {
                line.push(self.delimiter);
            }
            // A quoted number is a name and not the first row of a file without header.
            let number = crate::csv::parse_number(name.trim().as_bytes()).is_some();
            self.text(&mut line, name, number || name.is_empty());
        }
        line.push(b'\n');
        self.out.write_all(&line)
    }

    fn rows(&mut self, rows: &TableRef<'_>) -> io::Result<()> {
        let mut block = Vec::new();
        let fields = &rows.schema().fields;
        for i in rows.range() {
            for (j, (column, field)) in rows.table().columns().zip(fields).enumerate() {
                if j > 0 {
                    block.push(self.delimiter);
                }
                let start = block.len();
                match column {
                    _ if column.is_missing(i) => {}
                    Column::Number { values, .. } if field.kind == ColumnKind::Date => {
                        block.extend_from_slice(date::format(values[i]).as_bytes());
                    }
                    Column::Number { values, .. } => number(&mut block, values[i]),
                    Column::Category { codes, names } => self.text(&mut block, &names[codes[i] as usize], false),
                    Column::Text(cells) => self.text(&mut block, cells[i].as_deref().unwrap_or_default(), false),
                }
                // A record that is one empty cell would be a blank line, which readers skip.
                if fields.len() == 1 && block.len() == start {
                    block.extend_from_slice(b"\"\"");
                }
            }
            block.push(b'\n');
            if block.len() > 1 << 16 {
                self.out.write_all(&block)?;
                block.clear();
            }
        }
        self.out.write_all(&block)
    }

    fn text(&self, out: &mut Vec<u8>, text: &str, quote: bool) {
        let guard = self.formula_safe && text.starts_with(['=', '+', '-', '@', '\t', '\r', '\n']);
        let special = |b: u8| b == self.delimiter || matches!(b, b'"' | b'\n' | b'\r');
        let blank = |b: Option<&u8>| matches!(b, Some(b' ' | b'\t'));
        let bytes = text.as_bytes();
        let quote = quote || bytes.iter().any(|&b| special(b)) || blank(bytes.first()) || blank(bytes.last());
        if quote {
            out.push(b'"');
        }
        if guard {
            out.push(b'\'');
        }
        for &b in bytes {
            if b == b'"' {
                out.push(b'"');
            }
            out.push(b);
        }
        if quote {
            out.push(b'"');
        }
    }
}

/// The shortest decimal that reads back to the same f64; far from 1 with an exponent.
pub(crate) fn number(out: &mut Vec<u8>, v: f64) {
    let size = v.abs();
    let written =
        if v == 0.0 || (1e-5..1e16).contains(&size) || !v.is_finite() { write!(out, "{v}") } else { write!(out, "{v:e}") };
    debug_assert!(written.is_ok(), "a vector takes everything");
}
