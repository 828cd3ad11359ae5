//! Tables from one file format to another.

use ermine_core::{Column, ColumnKind, Error, Result, Schema, Table};

use crate::column_chunk;
use crate::csv::{MendedText, allow, known};
use crate::options::{Format, MissingMarkers, ReadOptions};
use crate::read::{one_format, read_sources};
use crate::source::{self, ByteSource};
use crate::write::{CompressedText, OutputSink, TextTable, WriteOptions, write_table};
use crate::write_json::{JsonValue, JsonWriter, is_number};

/// What was converted.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Converted {
    /// Rows of the table.
    pub rows: usize,
    /// Columns of the table.
    pub columns: usize,
    /// Notes for the user: what was repaired, renamed, rounded.
    pub notes: Vec<String>,
}

/// Reads a table and writes it to `out` (`-` is the standard output) in the format that its name implies.
///
/// From text to text, cells keep their spelling: nothing is typed, and a file without names stays without. With `as_text`
/// no column is typed in other formats either. An empty file is an empty table.
pub fn convert(spec: &str, out: &str, options: &ReadOptions, as_text: bool) -> Result<Converted> {
    let sources = source::resolve(spec, options)?;
    let format = one_format(&sources, options)?;
    let target = Format::of_name(out).unwrap_or(Format::Csv);
    let text = matches!(format, Format::Csv | Format::Tsv);
    if text && matches!(target, Format::Csv | Format::Tsv) {
        return text_to_text(&sources, out, target, options, format);
    }
    if text && matches!(target, Format::Json | Format::JsonLines) && sources.len() == 1 {
        return text_to_json(&sources[0], out, target, options, as_text);
    }
    let mut options = options.clone();
    if as_text {
        options.every_type = Some(ColumnKind::Text);
        options.missing.get_or_insert_default();
    }
    let empty = text && sources.len() == 1 && mended(&sources[0], &options, format)?.width() == 0;
    if empty {
        let table = Table::with_schema(Schema { fields: Vec::new() }, Vec::<Column>::new())?;
        write_table(out, &table, &WriteOptions::default())?;
        return Ok(Converted { rows: 0, columns: 0, notes: vec!["the file is empty".into()] });
    }
    let loaded = read_sources(&sources, &options)?;
    write_table(out, &loaded.table, &WriteOptions::default())?;
    Ok(Converted { rows: loaded.table.rows(), columns: loaded.table.schema().len(), notes: loaded.notes })
}

fn mended(source: &ByteSource, options: &ReadOptions, format: Format) -> Result<MendedText> {
    source.refuse_foreign()?;
    Ok(MendedText::new(source.read_all(options)?, known(options, format)))
}

/// Numbers and `true` and `false` keep their spelling where a column has nothing else; all other cells are strings.
fn text_to_json(source: &ByteSource, out: &str, target: Format, options: &ReadOptions, as_text: bool) -> Result<Converted> {
    let text = mended(source, options, source.format(options)?)?;
    allow(&source.name, &text.repairs, options.repair)?;
    let mut notes: Vec<String> = source.notes().to_vec();
    notes.extend(text.repairs.notes());
    let mut names = text.header.clone().unwrap_or_else(|| (0..text.width()).map(|j| format!("x{j}")).collect());
    names.iter_mut().for_each(|name| *name = name.trim().to_owned());
    column_chunk::make_unique(&mut names, &mut notes);
    let missing = MissingMarkers::new(options);
    let word = |cell: &str| matches!(cell, "true" | "false");
    let (mut numbers, mut words) = (vec![!as_text; names.len()], vec![!as_text; names.len()]);
    text.for_each_row(|cells| {
        for (j, cell) in cells.iter().enumerate().filter(|(_, c)| !missing.is(c.text.trim().as_bytes())) {
            numbers[j] = numbers[j] && is_number(cell.text.trim());
            words[j] = words[j] && word(cell.text.trim());
        }
        Ok::<(), Error>(())
    })?;
    let fail = |e| Error::io(out, e);
    let sink = CompressedText::new(OutputSink::open(out)?, out).map_err(fail)?;
    let mut writer = JsonWriter::new(sink, names.iter().map(String::as_str), target == Format::Json);
    text.for_each_row(|cells| {
        let values = cells.iter().enumerate().map(|(j, cell)| match cell.text.trim() {
            "" => JsonValue::Null,
            trimmed if !as_text && missing.is(trimmed.as_bytes()) => JsonValue::Null,
            trimmed if numbers[j] || words[j] => JsonValue::Literal(trimmed),
            _ => JsonValue::Text(&cell.text),
        });
        writer.object(values).map_err(fail)
    })?;
    writer.finish().map_err(fail)?.finish().map_err(fail)?;
    Ok(Converted { rows: text.repairs.rows, columns: text.width(), notes })
}

fn text_to_text(sources: &[ByteSource], out: &str, target: Format, options: &ReadOptions, format: Format) -> Result<Converted> {
    let mut done = Converted { rows: 0, columns: 0, notes: Vec::new() };
    let mut writer = TextTable::create(out, target)?;
    let mut first: Option<(usize, Option<Vec<String>>)> = None;
    for source in sources {
        let text = mended(source, options, format)?;
        done.notes.extend(source.notes().iter().cloned());
        allow(&source.name, &text.repairs, options.repair)?;
        let name = |note: String| if sources.len() > 1 { format!("{}: {note}", source.name) } else { note };
        done.notes.extend(text.repairs.notes().into_iter().map(name));
        match &first {
            None => {
                if text.width() == 0 {
                    done.notes.push("the file is empty".into());
                } else if text.header.is_none() {
                    done.notes.push("there is no header; the first line has values".into());
                }
                if let Some(header) = &text.header {
                    writer.row(header.iter().map(String::as_str))?;
                }
            }
            Some((width, header)) if (*width, header) != (text.width(), &text.header) => {
                let message = "its columns are not those of the files before".into();
                return Err(Error::Format { path: source.name.clone(), message });
            }
            Some(_) => {}
        }
        text.for_each_row(|cells| writer.row(cells.iter().map(|c| &*c.text)))?;
        done.rows += text.repairs.rows;
        done.columns = text.width();
        first.get_or_insert((text.width(), text.header));
    }
    writer.finish()?;
    Ok(done)
}
