//! Tables to Arrow, Parquet and Arrow IPC.

use std::io::Write;
use std::sync::Arc;

use arrow_array::{
    ArrayRef, DictionaryArray, Float64Array, RecordBatch, RecordBatchOptions, StringArray, TimestampMicrosecondArray, UInt32Array,
};
use arrow_ipc::writer::FileWriter;
use arrow_schema::{DataType, Field as ArrowField, Schema as ArrowSchema, SchemaRef, TimeUnit};
use ermine_core::{Column, ColumnKind, Error, MISSING_CODE, Result, Schema, TableRef};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;

const MICROS_A_DAY: f64 = 86_400e6;

/// The rows of a table as an Arrow record batch: numbers as f64, dates as time stamps in microseconds, categories as
/// dictionaries, text as text; missing is null.
pub fn to_batch(rows: &TableRef<'_>) -> Result<RecordBatch> {
    batch(rows, None)
}

fn batch(rows: &TableRef<'_>, schema: Option<&SchemaRef>) -> Result<RecordBatch> {
    let arrays: Vec<ArrayRef> = (0..rows.cols()).map(|j| array(rows, j)).collect::<Result<_>>()?;
    let schema = match schema {
        Some(schema) => schema.clone(),
        None => {
            let field = |(a, name): (&ArrayRef, &str)| ArrowField::new(name, a.data_type().clone(), true);
            Arc::new(ArrowSchema::new(arrays.iter().zip(rows.schema().names()).map(field).collect::<Vec<_>>()))
        }
    };
    let options = RecordBatchOptions::new().with_row_count(Some(rows.rows()));
    RecordBatch::try_new_with_options(schema, arrays, &options).map_err(|e| Error::Data(format!("Arrow: {e}")))
}

fn array(rows: &TableRef<'_>, j: usize) -> Result<ArrayRef> {
    let present = |i: usize| !rows.is_missing(i, j);
    Ok(match rows.table().column_at(j) {
        Column::Number { values, .. } => {
            let values = &values[rows.range()];
            let cells = values.iter().enumerate().map(|(i, &v)| present(i).then_some(v));
            if rows.schema().fields[j].kind == ColumnKind::Date {
                Arc::new(cells.map(|v| v.map(|v| (v * MICROS_A_DAY).round() as i64)).collect::<TimestampMicrosecondArray>())
            } else {
                Arc::new(cells.collect::<Float64Array>())
            }
        }
        Column::Category { codes, names } => {
            let keys: UInt32Array = codes[rows.range()].iter().map(|&c| (c != MISSING_CODE).then_some(c)).collect();
            let names = StringArray::from_iter_values(names.iter());
            Arc::new(DictionaryArray::try_new(keys, Arc::new(names)).map_err(|e| Error::Data(format!("Arrow: {e}")))?)
        }
        Column::Text(cells) => Arc::new(cells[rows.range()].iter().collect::<StringArray>()),
    })
}

/// The Arrow schema of tables of a schema. An identifier is text unless `first` shows numbers.
fn arrow_schema(schema: &Schema, first: Option<&TableRef<'_>>) -> SchemaRef {
    let data_type = |j: usize| match schema.fields[j].kind {
        ColumnKind::Number => DataType::Float64,
        ColumnKind::Date => DataType::Timestamp(TimeUnit::Microsecond, None),
        ColumnKind::Category => DataType::Dictionary(Box::new(DataType::UInt32), Box::new(DataType::Utf8)),
        ColumnKind::Text => DataType::Utf8,
        ColumnKind::Identifier => match first.map(|t| t.table().column_at(j)) {
            Some(Column::Number { .. }) => DataType::Float64,
            Some(Column::Category { .. }) => DataType::Dictionary(Box::new(DataType::UInt32), Box::new(DataType::Utf8)),
            _ => DataType::Utf8,
        },
    };
    let field = |(j, name): (usize, &str)| ArrowField::new(name, data_type(j), true);
    Arc::new(ArrowSchema::new(schema.names().enumerate().map(field).collect::<Vec<_>>()))
}

/// A Parquet (zstd, row groups of about a million rows) or Arrow IPC file being written.
pub(crate) struct BatchWriter<W: Write + Send> {
    path: String,
    schema: Schema,
    parquet: bool,
    state: WriterState<W>,
}

/// The header is written with the first rows, which show whether identifiers are numbers.
enum WriterState<W: Write + Send> {
    Waiting(W),
    Parquet(Box<ArrowWriter<W>>, SchemaRef),
    Arrow(Box<FileWriter<W>>, SchemaRef),
    Broken,
}

impl<W: Write + Send> BatchWriter<W> {
    pub(crate) fn new(path: &str, parquet: bool, sink: W, schema: &Schema) -> Self {
        Self { path: path.to_owned(), schema: schema.clone(), parquet, state: WriterState::Waiting(sink) }
    }

    fn failed(&self, e: impl std::fmt::Display) -> Error {
        Error::io(&self.path, std::io::Error::other(e.to_string()))
    }

    fn begin(&mut self, first: Option<&TableRef<'_>>) -> Result<()> {
        let WriterState::Waiting(sink) = std::mem::replace(&mut self.state, WriterState::Broken) else { return Ok(()) };
        let schema = arrow_schema(&self.schema, first);
        self.state = if self.parquet {
            let properties = WriterProperties::builder().set_compression(Compression::ZSTD(ZstdLevel::default())).build();
            let writer = ArrowWriter::try_new(sink, schema.clone(), Some(properties)).map_err(|e| self.failed(e))?;
            WriterState::Parquet(Box::new(writer), schema)
        } else {
            let writer = FileWriter::try_new(sink, &schema).map_err(|e| self.failed(e))?;
            WriterState::Arrow(Box::new(writer), schema)
        };
        Ok(())
    }

    pub(crate) fn write(&mut self, rows: &TableRef<'_>) -> Result<()> {
        if matches!(self.state, WriterState::Waiting(_)) {
            self.begin(Some(rows))?;
        }
        let written = match &mut self.state {
            WriterState::Parquet(writer, schema) => writer.write(&batch(rows, Some(schema))?).map_err(|e| e.to_string()),
            WriterState::Arrow(writer, schema) => writer.write(&batch(rows, Some(schema))?).map_err(|e| e.to_string()),
            WriterState::Waiting(_) | WriterState::Broken => Err("an earlier write failed".to_owned()),
        };
        written.map_err(|e| self.failed(e))
    }

    /// Completes the file and returns its sink.
    pub(crate) fn finish(mut self) -> Result<W> {
        if matches!(self.state, WriterState::Waiting(_)) {
            self.begin(None)?;
        }
        let done = match std::mem::replace(&mut self.state, WriterState::Broken) {
            WriterState::Parquet(writer, _) => writer.into_inner().map_err(|e| e.to_string()),
            WriterState::Arrow(writer, _) => writer.into_inner().map_err(|e| e.to_string()),
            WriterState::Waiting(_) | WriterState::Broken => Err("an earlier write failed".to_owned()),
        };
        done.map_err(|e| self.failed(e))
    }
}
