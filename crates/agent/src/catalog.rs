//! What can be chosen by name: policies, agents, environments. One declaration serves the command line, Python and the checks of what is
//! typed.

use ermine_core::{Error, ParamSpec, Result};
use serde::Deserialize;
use serde_json::{Map, Value};

/// A parameter, and what it is when nobody says.
#[derive(Debug, Clone, Copy)]
pub struct ParamDefault {
    /// Its name, meaning and range.
    pub spec: ParamSpec,
    /// The default, as JSON.
    pub default: &'static str,
}

/// A thing with a name and parameters.
#[derive(Debug, Clone, Copy)]
pub struct CatalogEntry {
    /// The name, in kebab case.
    pub name: &'static str,
    /// One line: what it is.
    pub summary: &'static str,
    /// What it computes, as a formula in plain text.
    pub rule: &'static str,
    /// Where it comes from.
    pub reference: &'static str,
    /// Its parameters.
    pub params: &'static [ParamDefault],
}

impl CatalogEntry {
    /// All parameters: what is given, else the default. Unknown names are answered with the nearest, values outside their range refused.
    pub fn complete(&self, given: &Map<String, Value>) -> Result<Map<String, Value>> {
        let names = || self.params.iter().map(|p| p.spec.name);
        if let Some(key) = given.keys().find(|k| names().all(|n| n != k.as_str())) {
            return Err(Error::unknown(format!("parameter of {}", self.name), key, names()));
        }
        let mut all = Map::new();
        for p in self.params {
            let value = match given.get(p.spec.name) {
                Some(value) => value.clone(),
                None => serde_json::from_str(p.default)
                    .map_err(|e| Error::Data(format!("the default of {} of {} is no JSON: {e}", p.spec.name, self.name)))?,
            };
            if !p.spec.range.contains(&value) {
                return Err(self.refuse(p.spec.name, &value, format!("it must be {}", p.spec.range.describe())));
            }
            all.insert(p.spec.name.to_owned(), value);
        }
        Ok(all)
    }

    /// The error for a value.
    pub fn refuse(&self, param: &str, value: &Value, expected: impl Into<String>) -> Error {
        Error::Parameter { learner: self.name, name: param.to_owned(), value: value.to_string(), expected: expected.into() }
    }

    /// The parameters as a structure with a field each.
    pub fn read<T: for<'a> Deserialize<'a>>(&self, given: &Map<String, Value>) -> Result<T> {
        let all = Value::Object(self.complete(given)?);
        T::deserialize(&all).map_err(|e| Error::Data(format!("parameters of {}: {e}", self.name)))
    }
}

/// The entry called `name` or, for the kind `what`, the error that names the nearest.
pub fn find(what: &str, name: &str, entries: &'static [CatalogEntry]) -> Result<&'static CatalogEntry> {
    entries.iter().find(|e| e.name == name).ok_or_else(|| Error::unknown(what, name, entries.iter().map(|e| e.name)))
}

/// Reads `NAME` or `NAME(key=value, …)`; a value is JSON where it reads as such and a word otherwise.
pub fn parse(text: &str) -> Result<(String, Map<String, Value>)> {
    let text = text.trim();
    let (name, inner) = match text.split_once('(') {
        None => (text, ""),
        Some((name, rest)) => {
            let inner = rest.strip_suffix(')').ok_or_else(|| Error::Data(format!("{text}: the bracket is not closed")))?;
            (name.trim(), inner)
        }
    };
    let mut params = Map::new();
    for pair in split(inner) {
        let (key, value) = pair.split_once('=').ok_or_else(|| Error::Data(format!("{text}: {pair}: write KEY=VALUE")))?;
        params.insert(key.trim().to_owned(), value_of(value));
    }
    Ok((name.to_owned(), params))
}

/// A value as it is typed.
pub fn value_of(text: &str) -> Value {
    let text = text.trim();
    serde_json::from_str(text).unwrap_or_else(|_| Value::from(text))
}

/// The parts between commas that are in no bracket and in no quotes.
pub fn split(text: &str) -> Vec<&str> {
    let (mut out, mut start, mut depth, mut quoted) = (Vec::new(), 0, 0i32, false);
    for (at, c) in text.char_indices() {
        match c {
            '"' => quoted = !quoted,
            '[' | '{' | '(' if !quoted => depth += 1,
            ']' | '}' | ')' if !quoted => depth -= 1,
            ',' if !quoted && depth == 0 => {
                out.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    out.push(&text[start..]);
    out.into_iter().map(str::trim).filter(|part| !part.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ermine_core::Range;
    use serde_json::json;

    const THING: CatalogEntry = CatalogEntry {
        name: "thing",
        summary: "",
        rule: "",
        reference: "",
        params: &[
            ParamDefault { spec: ParamSpec { name: "c", doc: "", range: Range::above(0.0) }, default: "2.0" },
            ParamDefault { spec: ParamSpec { name: "kind", doc: "", range: Range::Choice(&["a", "b"]) }, default: "\"a\"" },
        ],
    };

    #[test]
    fn what_is_typed_is_read_and_checked() {
        let (name, params) = parse(" thing ( c = 0.5 , kind=b ) ").unwrap();
        assert_eq!((name.as_str(), &params), ("thing", json!({"c": 0.5, "kind": "b"}).as_object().unwrap()));
        assert_eq!(Value::from(THING.complete(&params).unwrap()), json!({"c": 0.5, "kind": "b"}));
        assert_eq!(Value::from(THING.complete(&Map::new()).unwrap()), json!({"c": 2.0, "kind": "a"}));
        for (text, says) in [("thing(c=0)", "above 0"), ("thing(d=1)", "\"c\""), ("thing(kind=d)", "one of a, b")] {
            let error = THING.complete(&parse(text).unwrap().1).unwrap_err().to_string();
            assert!(error.contains(says), "{text}: {error}");
        }
        assert!(parse("thing(c=1").is_err() && parse("thing(1)").is_err());
        assert_eq!(split("a(b=1,c=[2,3]), d"), ["a(b=1,c=[2,3])", "d"]);
    }
}
