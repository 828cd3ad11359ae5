//! JSON: an array of objects, or one object on each line.

use std::collections::HashMap;
use std::fmt;

use ermine_core::{Error, Result};
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

use crate::csv::push_cell;

/// The table of JSON text as delimited text: a column for each key, in the order in which keys appear; objects within objects
/// become columns `outer.inner`. A cell that has no value is empty.
pub(crate) fn to_delimited(path: &str, bytes: &[u8]) -> Result<Vec<u8>> {
    let text = bytes.strip_prefix(&[0xEF, 0xBB, 0xBF]).unwrap_or(bytes);
    let mut records = Records { names: Vec::new(), places: HashMap::new(), rows: Vec::new() };
    let broken = |e: serde_json::Error| Error::Parse {
        path: path.to_owned(),
        line: e.line() as u64,
        column: e.column() as u64,
        message: format!("this is not JSON: {}", e.to_string().split(" at line").next().unwrap_or_default()),
    };
    let shape = |what: &JsonNode| Error::Format { path: path.to_owned(), message: not_a_table(what) };
    // One value after the other: lines are a special case of that, and so is one array.
    for value in serde_json::Deserializer::from_slice(text).into_iter::<JsonNode>() {
        match value.map_err(broken)? {
            JsonNode::Items(rows) if rows.iter().all(|row| matches!(row, JsonNode::Fields(_))) => {
                rows.into_iter().try_for_each(|row| records.add(row)).map_err(|v| shape(&v))?;
            }
            value => records.add(value).map_err(|v| shape(&v))?,
        }
    }
    Ok(records.text())
}

fn not_a_table(value: &JsonNode) -> String {
    let what = match value {
        JsonNode::Items(_) => "an array of other things than objects",
        JsonNode::Fields(_) => "an object",
        JsonNode::Text(_) | JsonNode::Missing => "a single value",
    };
    format!("there is {what} where a row should be; a table is an array of objects, or an object on each line")
}

/// A value, with the fields of objects in their order.
#[derive(Debug)]
enum JsonNode {
    Missing,
    Text(String),
    Items(Vec<JsonNode>),
    Fields(Vec<(String, JsonNode)>),
}

impl fmt::Display for JsonNode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing => Ok(()),
            Self::Text(text) => f.write_str(text),
            Self::Items(items) => {
                for (i, item) in items.iter().enumerate() {
                    write!(f, "{}{item}", if i == 0 { "" } else { ", " })?;
                }
                Ok(())
            }
            Self::Fields(fields) => {
                for (i, (name, value)) in fields.iter().enumerate() {
                    write!(f, "{}{name}: {value}", if i == 0 { "" } else { ", " })?;
                }
                Ok(())
            }
        }
    }
}

struct NodeVisitor;

impl<'de> Visitor<'de> for NodeVisitor {
    type Value = JsonNode;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<JsonNode, E> {
        Ok(JsonNode::Missing)
    }

    fn visit_bool<E>(self, v: bool) -> Result<JsonNode, E> {
        Ok(JsonNode::Text(v.to_string()))
    }

    fn visit_i64<E>(self, v: i64) -> Result<JsonNode, E> {
        Ok(JsonNode::Text(v.to_string()))
    }

    fn visit_u64<E>(self, v: u64) -> Result<JsonNode, E> {
        Ok(JsonNode::Text(v.to_string()))
    }

    fn visit_f64<E>(self, v: f64) -> Result<JsonNode, E> {
        Ok(JsonNode::Text(format!("{v:?}")))
    }

    fn visit_str<E>(self, v: &str) -> Result<JsonNode, E> {
        Ok(JsonNode::Text(v.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<JsonNode, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element()? {
            items.push(item);
        }
        Ok(JsonNode::Items(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<JsonNode, A::Error> {
        let mut fields = Vec::new();
        while let Some(field) = map.next_entry()? {
            fields.push(field);
        }
        Ok(JsonNode::Fields(fields))
    }
}

impl<'de> Deserialize<'de> for JsonNode {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NodeVisitor)
    }
}

/// Rows of objects whose keys need not be the same.
struct Records {
    names: Vec<String>,
    places: HashMap<String, usize>,
    rows: Vec<Vec<Option<String>>>,
}

impl Records {
    /// Adds a row; the value if it is none.
    fn add(&mut self, value: JsonNode) -> Result<(), JsonNode> {
        let JsonNode::Fields(fields) = value else { return Err(value) };
        let mut row = Vec::with_capacity(self.names.len());
        fields.into_iter().for_each(|(key, value)| self.field(&mut row, key, value));
        self.rows.push(row);
        Ok(())
    }

    fn field(&mut self, row: &mut Vec<Option<String>>, name: String, value: JsonNode) {
        let cell = match value {
            JsonNode::Fields(inner) if !inner.is_empty() => {
                return inner.into_iter().for_each(|(key, value)| self.field(row, format!("{name}.{key}"), value));
            }
            JsonNode::Missing => None,
            JsonNode::Text(text) => Some(text),
            other => Some(other.to_string()),
        };
        let place = match self.places.get(&name) {
            Some(&place) => place,
            None => {
                self.places.insert(name.clone(), self.names.len());
                self.names.push(name);
                self.names.len() - 1
            }
        };
        if row.len() <= place {
            row.resize(place + 1, None);
        }
        row[place] = cell;
    }

    fn text(&self) -> Vec<u8> {
        let mut out = Vec::new();
        let mut line = |cells: &mut dyn Iterator<Item = &str>| {
            for (j, cell) in cells.enumerate() {
                if j > 0 {
                    out.push(b',');
                }
                push_cell(&mut out, cell, true);
            }
            out.push(b'\n');
        };
        if self.names.is_empty() {
            return out;
        }
        line(&mut self.names.iter().map(String::as_str));
        for row in &self.rows {
            line(&mut (0..self.names.len()).map(|j| row.get(j).and_then(Option::as_deref).unwrap_or_default()));
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(json: &str) -> String {
        String::from_utf8(to_delimited("t.json", json.as_bytes()).unwrap()).unwrap()
    }

    #[test]
    fn lines_and_arrays_give_the_same_table() {
        let expected = "\"a\",\"b\",\"c.d\"\n\"1\",\"x, \"\"y\"\"\",\"\"\n\"2.50\",\"\",\"true\"\n";
        assert_eq!(text("{\"a\": 1, \"b\": \"x, \\\"y\\\"\"}\n{\"a\": \"2.50\", \"c\": {\"d\": true}}\n"), expected);
        assert_eq!(text("[{\"a\": 1, \"b\": \"x, \\\"y\\\"\"}, {\"c\": {\"d\": true}, \"a\": \"2.50\"}]"), expected);
        assert_eq!(text("[]"), "");
    }

    #[test]
    fn what_is_no_table_is_said_with_its_place() {
        let fails = |json: &str| to_delimited("t.json", json.as_bytes()).unwrap_err().to_string();
        assert!(fails("[1, 2]").contains("an array of other things than objects"));
        assert!(fails("{\"a\": 1}\n{\"a\": }\n").contains("line 2"), "{}", fails("{\"a\": 1}\n{\"a\": }\n"));
    }
}
