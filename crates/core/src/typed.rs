//! Names and parameters as people type them.

use serde_json::{Map, Value};

use crate::{Error, Result};

/// Reads `NAME` or `NAME(key=value, …)`; a value is JSON where it reads as such and a word otherwise.
pub fn parse_named(text: &str) -> Result<(String, Map<String, Value>)> {
    let text = text.trim();
    let (name, inner) = match text.split_once('(') {
        None => (text, ""),
        Some((name, rest)) => {
            let inner = rest.strip_suffix(')').ok_or_else(|| Error::Data(format!("{text}: the bracket is not closed")))?;
            (name.trim(), inner)
        }
    };
    let params = parse_pairs(split_list(inner), || format!("{text}: "))?;
    Ok((name.to_owned(), params))
}

/// Reads `KEY=VALUE` pairs as [`parse_named`] does; an error begins with `place`.
pub fn parse_pairs<'a>(pairs: impl IntoIterator<Item = &'a str>, place: impl Fn() -> String) -> Result<Map<String, Value>> {
    let one = |pair: &str| match pair.split_once('=') {
        Some((key, value)) => Ok((key.trim().to_owned(), parse_value(value))),
        None => Err(Error::Data(format!("{}{pair}: write KEY=VALUE", place()))),
    };
    pairs.into_iter().map(one).collect()
}

/// A value as it is typed.
pub fn parse_value(text: &str) -> Value {
    let text = text.trim();
    serde_json::from_str(text).unwrap_or_else(|_| Value::from(text))
}

/// The parts between commas that are in no bracket and in no quotes.
pub fn split_list(text: &str) -> Vec<&str> {
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
    use serde_json::json;

    #[test]
    fn names_with_parameters_are_read_as_typed() {
        let (name, params) = parse_named(" thing ( c = 0.5 , kind=b, at=[1, 2], text=\"a,b\" ) ").unwrap();
        assert_eq!((name.as_str(), Value::from(params)), ("thing", json!({"c": 0.5, "kind": "b", "at": [1, 2], "text": "a,b"})));
        assert_eq!(parse_named("thing").unwrap(), ("thing".to_owned(), Map::new()));
        assert!(parse_named("thing(c=1").unwrap_err().to_string().contains("bracket"));
        assert!(parse_named("thing(1)").unwrap_err().to_string().contains("KEY=VALUE"));
        assert_eq!(split_list("a(b=1,c=[2,3]), d,"), ["a(b=1,c=[2,3])", "d"]);
        assert_eq!(parse_pairs(["a=b=c"], String::new).unwrap()["a"], "b=c");
    }
}
