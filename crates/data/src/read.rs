//! Whole tables and matrices.

use std::path::Path;

use ermine_core::parallel::prelude::*;
use ermine_core::{Column, ColumnKind, Csr, CsrRef, Error, Field, Result, Schema, Table};

use crate::column_chunk::{self, InferredColumn, ParseAs, ProfiledColumn};
use crate::csv::Delimited;
use crate::options::{Format, ReadOptions};
use crate::source::{self, ByteSource};
use crate::{idx, libsvm};

/// Upper bound on the cells of a sparse file that is read as a dense table.
const MOST_DENSE_CELLS: usize = 1 << 28;
/// Upper bound on the columns of a sparse file that is read as a table.
pub(crate) const MOST_DENSE_COLUMNS: usize = 1 << 17;

/// A table with notes on how it was read.
#[derive(Debug, Clone)]
pub struct LoadedTable {
    /// The table.
    pub table: Table,
    /// For each column, why it has its kind.
    pub reasons: Vec<String>,
    /// Notes for the user: columns that were renamed, labels that were added.
    pub notes: Vec<String>,
}

/// Reads a table: a file, a glob, `-` for the standard input, or `example:NAME`; everything is found out by looking.
///
/// ```
/// let penguins = ermine_data::read_table("example:penguins")?;
/// assert_eq!(penguins.rows(), 344);
/// # Ok::<(), ermine_core::Error>(())
/// ```
pub fn read_table(spec: impl AsRef<Path>) -> Result<Table> {
    Ok(read(text_of(spec.as_ref())?, &ReadOptions::default())?.table)
}

fn text_of(spec: &Path) -> Result<&str> {
    spec.to_str()
        .ok_or_else(|| Error::Format { path: spec.display().to_string(), message: "the name of the file is not UTF-8".into() })
}

/// Reads a table with options, and the reason for the kind of each column. Several files (a glob) must have the same
/// columns and become one table, in the order of their names.
///
/// A libsvm file becomes a dense table with columns `x1`, `x2`, … and `target` ([`read_sparse`] keeps it sparse). IDX
/// images become columns `p0`, `p1`, …; labels beside them, by the naming convention, a column `label`.
pub fn read(spec: &str, options: &ReadOptions) -> Result<LoadedTable> {
    read_sources(&source::resolve(spec, options)?, options)
}

pub(crate) fn read_sources(sources: &[ByteSource], options: &ReadOptions) -> Result<LoadedTable> {
    let format = one_format(sources, options)?;
    if let (Some(labels), true) = (&options.labels, format != Format::Idx) {
        let message = format!("labels in a file of their own belong to IDX images, and {} is {format}", sources[0].name);
        return Err(Error::Format { path: labels.display().to_string(), message });
    }
    match format {
        Format::Csv | Format::Tsv => read_delimited(&Delimited { sources, options, format }),
        Format::Libsvm => {
            let (rows, notes) = libsvm::read(sources, options)?;
            let (x, y) = rows.into_csr(0)?;
            dense_table(x.view(), y, notes, &sources[0].name, options)
        }
        Format::Idx => {
            let (images, labels) = read_idx(sources, options)?;
            let pixel = |j: usize| images.bytes.iter().skip(j).step_by(images.cols).map(|&b| f64::from(b)).collect();
            let name = |j: usize| if images.cols == 1 { "label".to_owned() } else { format!("p{j}") };
            let mut notes = Vec::new();
            let mut columns: Vec<Vec<f64>> = (0..images.cols).into_par_iter().map(pixel).collect();
            let mut names: Vec<String> = (0..images.cols).map(name).collect();
            if let Some((path, labels)) = labels {
                notes.push(format!("column \"label\" comes from {path}"));
                names.push("label".into());
                columns.push(labels.iter().map(|&b| f64::from(b)).collect());
            }
            plain(names, columns.into_iter().map(Column::numbers), notes, options)
        }
        #[cfg(feature = "arrow")]
        Format::Parquet | Format::Arrow => crate::arrow::read_files(&crate::arrow::ArrowFiles { sources, options, format }),
        #[cfg(not(feature = "arrow"))]
        Format::Parquet | Format::Arrow => Err(without_arrow(sources, format)),
        // Their sources are text by now.
        Format::Json | Format::JsonLines | Format::Sheet => read_delimited(&Delimited { sources, options, format: Format::Csv }),
    }
}

/// libsvm rows as a table with columns `x1`, `x2`, … and `target`.
pub(crate) fn dense_table(
    x: CsrRef<'_>,
    y: Vec<f64>,
    notes: Vec<String>,
    path: &str,
    options: &ReadOptions,
) -> Result<LoadedTable> {
    let (rows, cols) = (x.rows(), x.cols());
    if cols > MOST_DENSE_COLUMNS || rows.saturating_mul(cols) > MOST_DENSE_CELLS {
        let message = format!(
            "{rows} rows x {cols} columns are too many for a dense table (at most {MOST_DENSE_COLUMNS} columns and \
             {MOST_DENSE_CELLS} cells); read the file as sparse rows (read_sparse; on the command line --stream --prepare none)"
        );
        return Err(Error::Format { path: path.to_owned(), message });
    }
    let mut columns = vec![vec![0.0; rows]; cols];
    for i in 0..rows {
        let (indices, values) = x.row(i);
        indices.iter().zip(values).for_each(|(&j, &v)| columns[j as usize][i] = v);
    }
    let names = (1..=cols).map(|j| format!("x{j}")).chain(["target".to_owned()]);
    plain(names, columns.into_iter().chain([y]).map(Column::numbers), notes, options)
}

#[cfg(not(feature = "arrow"))]
pub(crate) fn without_arrow(sources: &[ByteSource], format: Format) -> Error {
    let path = sources.first().map_or_else(String::new, |s| s.name.clone());
    Error::Format { path, message: format!("{format} is not read by this build, which has no Arrow") }
}

/// A table of number columns, some of which may have been requested as categories.
fn plain(
    names: impl IntoIterator<Item = String>,
    columns: impl IntoIterator<Item = Column>,
    notes: Vec<String>,
    options: &ReadOptions,
) -> Result<LoadedTable> {
    let names: Vec<String> = names.into_iter().collect();
    options.check_types(names.iter().map(String::as_str))?;
    let dropped = options.dropped(names.iter().map(String::as_str))?;
    let (mut fields, mut cells, mut reasons) = (Vec::new(), Vec::new(), Vec::new());
    let kept = names.into_iter().zip(columns).zip(dropped).filter(|(_, dropped)| !dropped).map(|(column, _)| column);
    for (name, column) in kept {
        let asked = options.kind_of(&name);
        reasons.push(if options.types.contains_key(&name) {
            "as asked for".to_owned()
        } else {
            "the format holds numbers".to_owned()
        });
        let kind = asked.unwrap_or(ColumnKind::Number);
        let text = |values: &[f64]| values.iter().map(|v| (!v.is_nan()).then(|| v.to_string())).collect::<Vec<_>>();
        let column = match (kind, column) {
            (ColumnKind::Category, Column::Number { values, .. }) => Column::categories(&text(&values)),
            (ColumnKind::Text, Column::Number { values, .. }) => Column::Text(text(&values)),
            (_, column) => column,
        };
        let categories = if let Column::Category { names, .. } = &column { names.clone() } else { Default::default() };
        fields.push(Field { name, kind, categories });
        cells.push(column);
    }
    Ok(LoadedTable { table: Table::with_schema(Schema { fields }, cells)?, reasons, notes })
}

type LabelFile = Option<(String, Vec<u8>)>;

fn read_idx(sources: &[ByteSource], options: &ReadOptions) -> Result<(idx::Images, LabelFile)> {
    let [source] = sources else {
        return Err(Error::Format { path: sources[1].name.clone(), message: "IDX files are read one at a time".into() });
    };
    let images = idx::read(source, options)?;
    let mut labels = None;
    if let Some(path) = &options.labels {
        let label_source = ByteSource::file(path)?;
        let label_bytes = idx::read(&label_source, options)?;
        if label_bytes.rows != images.rows || label_bytes.cols != 1 {
            let message = format!("it has {} labels of {} bytes for {} images", label_bytes.rows, label_bytes.cols, images.rows);
            return Err(Error::Format { path: label_source.name, message });
        }
        labels = Some((label_source.name, label_bytes.bytes));
    } else if images.cols > 1
        && let Some(beside) = source.path().and_then(idx::labels_of)
    {
        let label_bytes = idx::read(&beside, options)?;
        if label_bytes.rows == images.rows && label_bytes.cols == 1 {
            labels = Some((beside.name, label_bytes.bytes));
        }
    }
    Ok((images, labels))
}

/// Reads a libsvm file as sparse rows and their targets; the matrix has at least `cols` columns, so that the rows of a
/// second file fit a model of the first.
pub fn read_sparse(spec: &str, options: &ReadOptions, cols: usize) -> Result<(Csr, Vec<f64>)> {
    libsvm::read(&source::resolve(spec, options)?, options)?.0.into_csr(cols)
}

/// [`read_sparse`] for a model given by [`ReadOptions::expect`]: the columns are the model's, and dropped cells are
/// noted.
pub fn read_sparse_expected(spec: &str, options: &ReadOptions) -> Result<(Csr, Vec<f64>, Vec<String>)> {
    let (rows, notes) = libsvm::read(&source::resolve(spec, options)?, options)?;
    let (x, y) = rows.into_csr(0)?;
    Ok((x, y, notes))
}

/// The format of all sources, which must be the same.
pub(crate) fn one_format(sources: &[ByteSource], options: &ReadOptions) -> Result<Format> {
    let formats = sources.iter().map(|s| s.format(options)).collect::<Result<Vec<_>>>()?;
    let first = formats.first().copied().unwrap_or(Format::Csv);
    match formats.iter().position(|&f| f != first) {
        Some(i) => {
            let message =
                format!("this is {}, and {} is {first}; one table is read from one format", formats[i], sources[0].name);
            Err(Error::Format { path: sources[i].name.clone(), message })
        }
        None => Ok(first),
    }
}

fn read_delimited(files: &Delimited<'_>) -> Result<LoadedTable> {
    let refused = match read_in_order(files) {
        Err(refused) => refused,
        loaded => return loaded,
    };
    let mended = files.mend(refused)?;
    let mut loaded = read_in_order(&Delimited { sources: &mended.sources, options: &mended.options, format: Format::Csv })?;
    loaded.notes.splice(0..0, mended.notes);
    Ok(loaded)
}

/// Reads text that has nothing to be repaired.
fn read_in_order(files: &Delimited<'_>) -> Result<LoadedTable> {
    let (layout, gathered, _) = files.reread_contradicted::<ProfiledColumn>()?;
    let verdicts = files.infer_columns(&layout, gathered.iter().map(|g| &g.profile))?;
    assemble(verdicts, &layout.plans, gathered, layout.notes)
}

/// A table from the chunks of the columns that were read.
pub(crate) fn assemble(
    verdicts: Vec<InferredColumn>,
    plans: &[ParseAs],
    gathered: Vec<ProfiledColumn>,
    mut notes: Vec<String>,
) -> Result<LoadedTable> {
    let (verdicts, gathered): (Vec<InferredColumn>, Vec<ProfiledColumn>) =
        verdicts.into_iter().zip(gathered).zip(plans).filter(|(_, p)| **p != ParseAs::Skip).map(|(column, _)| column).unzip();
    notes.extend(verdicts.iter().zip(&gathered).filter_map(|(v, g)| column_chunk::rounded(&v.field, g.profile.rounded)));
    let columns = verdicts.par_iter().zip(gathered).map(|(v, g)| column_chunk::column(&v.field, g.parts));
    let columns = columns.collect::<Result<Vec<Column>>>()?;
    let (fields, reasons) = verdicts.into_iter().map(|v| (v.field, v.reason)).unzip();
    Ok(LoadedTable { table: Table::with_schema(Schema { fields }, columns)?, reasons, notes })
}
