//! Catalogue of named policies, agents and environments. One declaration serves the command line, Python and the checks
//! of parameters.

use ermine_core::{Accepts, Error, Family, ParamSpec, Range, Result, Spec};
use serde::Deserialize;
use serde_json::{Map, Value};

/// A thing with a name and parameters.
#[derive(Debug, Clone, Copy)]
pub struct CatalogEntry {
    /// Its description, as of a learner.
    pub spec: Spec,
    /// Its default parameters: an object with a key for each.
    pub defaults: fn() -> Value,
}

/// The declaration of something that does not learn from tables, before it has a name.
pub(crate) const fn blank(family: Family) -> Spec {
    let accepts = Accepts::NUMBERS;
    Spec { name: "", summary: "", objective: "", notes: "", reference: "", family, tasks: &[], accepts, params: &[] }
}

/// A parameter.
pub(crate) const fn param(name: &'static str, doc: &'static str, range: Range) -> ParamSpec {
    ParamSpec { name, doc, range }
}

impl CatalogEntry {
    /// All parameters: the given ones, else the defaults. Unknown names are answered with the nearest; values outside
    /// their range are errors.
    pub fn complete(&self, given: &Map<String, Value>) -> Result<Map<String, Value>> {
        given.keys().try_for_each(|key| self.spec.param(key).map(|_| ()))?;
        let defaults = (self.defaults)();
        let value = |p: &ParamSpec| given.get(p.name).unwrap_or(&defaults[p.name]).clone();
        let all: Map<String, Value> = self.spec.params.iter().map(|p| (p.name.to_owned(), value(p))).collect();
        self.spec.params.iter().try_for_each(|p| self.spec.check_param(p, &all[p.name]))?;
        Ok(all)
    }

    /// The parameters as a structure with a field each.
    pub fn read<T: for<'a> Deserialize<'a>>(&self, given: &Map<String, Value>) -> Result<T> {
        let all = Value::Object(self.complete(given)?);
        T::deserialize(&all).map_err(|e| Error::Data(format!("parameters of {}: {e}", self.spec.name)))
    }
}

/// The entry called `name` or, for the kind `what`, the error that names the nearest.
pub fn find(what: &str, name: &str, entries: &'static [CatalogEntry]) -> Result<&'static CatalogEntry> {
    entries.iter().find(|e| e.spec.name == name).ok_or_else(|| Error::unknown(what, name, entries.iter().map(|e| e.spec.name)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ermine_core::typed::parse_named;
    use serde_json::json;

    const THING: CatalogEntry = CatalogEntry {
        spec: Spec {
            name: "thing",
            params: &[param("c", "", Range::above(0.0)), param("kind", "", Range::Choice(&["a", "b"]))],
            ..blank(Family::Policy)
        },
        defaults: || json!({"c": 2.0, "kind": "a"}),
    };

    #[test]
    fn every_parameter_has_a_default_within_its_range() {
        for entry in [crate::bandit::POLICIES, crate::rl::AGENTS, crate::env::ENVIRONMENTS].concat() {
            let defaults = (entry.defaults)();
            let declared: Vec<&str> = entry.spec.params.iter().map(|p| p.name).collect();
            let mut known: Vec<&str> = defaults.as_object().unwrap().keys().map(String::as_str).collect();
            known.sort_by_key(|k| declared.iter().position(|d| d == k));
            assert_eq!(declared, known, "{}", entry.spec.name);
            entry.spec.check_params(&defaults).unwrap();
        }
    }

    #[test]
    fn what_is_typed_is_read_and_checked() {
        let (name, params) = parse_named(" thing ( c = 0.5 , kind=b ) ").unwrap();
        assert_eq!((name.as_str(), &params), ("thing", json!({"c": 0.5, "kind": "b"}).as_object().unwrap()));
        assert_eq!(Value::from(THING.complete(&params).unwrap()), json!({"c": 0.5, "kind": "b"}));
        assert_eq!(Value::from(THING.complete(&Map::new()).unwrap()), json!({"c": 2.0, "kind": "a"}));
        for (text, says) in [("thing(c=0)", "above 0"), ("thing(d=1)", "\"c\""), ("thing(kind=d)", "one of a, b")] {
            let error = THING.complete(&parse_named(text).unwrap().1).unwrap_err().to_string();
            assert!(error.contains(says), "{text}: {error}");
        }
    }
}
