//! Tables to JSON: an object on each line, or an array of them.

use std::io::{self, Write};

use ermine_core::{Column, ColumnKind, TableRef, date};

use crate::write::{CompressedText, OutputSink, number};

/// The value of a cell.
pub(crate) enum JsonValue<'a> {
    Null,
    Text(&'a str),
    /// A number or a word, as it is spelled.
    Literal(&'a str),
    Number(f64),
}

/// Writes objects.
pub(crate) struct JsonWriter {
    out: CompressedText,
    /// The names, quoted.
    keys: Vec<Vec<u8>>,
    array: bool,
    begun: bool,
    block: Vec<u8>,
}

impl JsonWriter {
    pub(crate) fn new<'n>(out: CompressedText, names: impl IntoIterator<Item = &'n str>, array: bool) -> Self {
        let key = |name: &str| {
            let mut key = Vec::new();
            quote(&mut key, name);
            key
        };
        Self { out, keys: names.into_iter().map(key).collect(), array, begun: false, block: Vec::new() }
    }

    /// Adds a row.
    pub(crate) fn object<'v>(&mut self, values: impl IntoIterator<Item = JsonValue<'v>>) -> io::Result<()> {
        let before: &[u8] = match (self.array, self.begun) {
            (true, false) => b"[\n",
            (true, true) => b",\n",
            (false, false) => b"",
            (false, true) => b"\n",
        };
        self.begun = true;
        self.block.extend_from_slice(before);
        self.block.push(b'{');
        for (j, (key, value)) in self.keys.iter().zip(values).enumerate() {
            if j > 0 {
                self.block.push(b',');
            }
            self.block.extend_from_slice(key);
            self.block.push(b':');
            match value {
                JsonValue::Text(text) => quote(&mut self.block, text),
                JsonValue::Literal(text) => self.block.extend_from_slice(text.as_bytes()),
                JsonValue::Number(v) if v.is_finite() => number(&mut self.block, v),
                JsonValue::Number(_) | JsonValue::Null => self.block.extend_from_slice(b"null"),
            }
        }
        self.block.push(b'}');
        if self.block.len() > 1 << 16 {
            self.out.write_all(&self.block)?;
            self.block.clear();
        }
        Ok(())
    }

    /// Adds the rows of a table.
    pub(crate) fn rows(&mut self, rows: &TableRef<'_>) -> io::Result<()> {
        let fields = &rows.schema().fields;
        for i in rows.range() {
            let dates: Vec<Option<String>> = rows
                .table()
                .columns()
                .zip(fields)
                .map(|(column, field)| match column {
                    Column::Number { values, .. } if field.kind == ColumnKind::Date && !column.is_missing(i) => {
                        Some(date::format(values[i]))
                    }
                    _ => None,
                })
                .collect();
            let value = |(column, date)| match (column, date) {
                (_, Some(text)) => JsonValue::Text(text),
                (column, None) => value_of(column, i),
            };
            self.object(rows.table().columns().zip(dates.iter().map(Option::as_deref)).map(value))?;
        }
        Ok(())
    }

    pub(crate) fn finish(mut self) -> io::Result<OutputSink> {
        let end: &[u8] = match (self.array, self.begun) {
            (true, true) => b"\n]\n",
            (true, false) => b"[]\n",
            (false, true) => b"\n",
            (false, false) => b"",
        };
        self.block.extend_from_slice(end);
        self.out.write_all(&self.block)?;
        self.out.finish()
    }
}

fn value_of(column: &Column, i: usize) -> JsonValue<'_> {
    match column {
        _ if column.is_missing(i) => JsonValue::Null,
        Column::Number { values, .. } => JsonValue::Number(values[i]),
        Column::Category { codes, names } => JsonValue::Text(&names[codes[i] as usize]),
        Column::Text(cells) => cells[i].as_deref().map_or(JsonValue::Null, JsonValue::Text),
    }
}

/// Adds a string in quotes.
fn quote(out: &mut Vec<u8>, text: &str) {
    out.push(b'"');
    for c in text.chars() {
        match c {
            '"' => out.extend_from_slice(b"\\\""),
            '\\' => out.extend_from_slice(b"\\\\"),
            '\n' => out.extend_from_slice(b"\\n"),
            '\r' => out.extend_from_slice(b"\\r"),
            '\t' => out.extend_from_slice(b"\\t"),
            c if u32::from(c) < 0x20 => {
                let written = write!(out, "\\u{:04x}", u32::from(c));
                debug_assert!(written.is_ok(), "a vector takes everything");
            }
            c => out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    out.push(b'"');
}

/// Whether a text is a number as JSON spells them: no `+`, no zeros in front, digits on both sides of a point.
pub(crate) fn is_number(text: &str) -> bool {
    let digits = |t: &str| !t.is_empty() && t.bytes().all(|b| b.is_ascii_digit());
    let rest = text.strip_prefix('-').unwrap_or(text);
    let (mantissa, exponent) = rest.split_once(['e', 'E']).map_or((rest, None), |(m, e)| (m, Some(e)));
    let (whole, fraction) = mantissa.split_once('.').map_or((mantissa, None), |(w, f)| (w, Some(f)));
    digits(whole)
        && (whole.len() == 1 || !whole.starts_with('0'))
        && fraction.is_none_or(digits)
        && exponent.is_none_or(|e| digits(e.strip_prefix(['+', '-']).unwrap_or(e)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_json() {
        for yes in ["0", "-1.50", "10", "1e9", "1.5E-3"] {
            assert!(is_number(yes) && serde_json::from_str::<f64>(yes).is_ok(), "{yes}");
        }
        for no in ["", "+1", "007", ".5", "1.", "1e", "-", "NaN", "0x1", "1 "] {
            assert!(!is_number(no), "{no}");
        }
    }

    #[test]
    fn strings_are_escaped() {
        let text = "a\"b\\c\n\t\u{1}ü";
        let mut out = Vec::new();
        quote(&mut out, text);
        assert_eq!(serde_json::from_slice::<String>(&out).unwrap(), text);
    }
}
