//! Sheets of workbooks: Excel (.xlsx, .xlsb, .xls) and OpenDocument (.ods).

use std::io::Cursor;

use calamine::{Data, Reader, open_workbook_auto_from_rs};
use ermine_core::{Error, Result};

use crate::csv::push_cell;

/// Days between the beginning of Excel's calendar and 1970-01-01.
const EPOCH_DAYS: f64 = 25_569.0;

/// A sheet as delimited text: the first, or the one that is named; and notes for the user.
pub(crate) fn to_delimited(path: &str, bytes: Vec<u8>, sheet: Option<&str>) -> Result<(Vec<u8>, Vec<String>)> {
    let broken =
        |e: calamine::Error| Error::Format { path: path.to_owned(), message: format!("the workbook does not open: {e}") };
    let mut book = open_workbook_auto_from_rs(Cursor::new(bytes)).map_err(broken)?;
    let names = book.sheet_names();
    let mut notes = Vec::new();
    let name = match sheet {
        Some(asked) => match names.iter().find(|n| n.as_str() == asked) {
            Some(name) => name.clone(),
            None => return Err(Error::unknown("sheet", asked, names.iter().map(String::as_str))),
        },
        None => {
            let Some(first) = names.first() else {
                return Err(Error::Format { path: path.to_owned(), message: "the workbook has no sheet".into() });
            };
            if names.len() > 1 {
                notes.push(format!("sheet \"{first}\" is read; the others are {} (--sheet)", names[1..].join(", ")));
            }
            first.clone()
        }
    };
    let range = book.worksheet_range(&name).map_err(broken)?;
    let mut out = Vec::new();
    for row in range.rows() {
        for (j, cell) in row.iter().enumerate() {
            if j > 0 {
                out.push(b',');
            }
            let text = text_of(cell);
            push_cell(&mut out, &text, !text.is_empty());
        }
        out.push(b'\n');
    }
    Ok((out, notes))
}

fn text_of(cell: &Data) -> String {
    match cell {
        Data::Empty | Data::Error(_) => String::new(),
        Data::String(text) | Data::DateTimeIso(text) | Data::DurationIso(text) => text.clone(),
        Data::Int(v) => v.to_string(),
        Data::Float(v) => v.to_string(),
        Data::Bool(v) => v.to_string(),
        Data::DateTime(moment) if moment.is_datetime() => ermine_core::date::format(moment.as_f64() - EPOCH_DAYS),
        Data::DateTime(duration) => duration.as_f64().to_string(),
    }
}
