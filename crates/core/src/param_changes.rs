//! Changes of parameters that come by name, from a command line, a file or Python.

use std::collections::BTreeMap;

use serde::de::value::MapDeserializer;
use serde_json::Value;

use crate::{Error, ParamSpec, Result, Spec};

/// Parameters as they will be after `set_all`; not generic, so that it is compiled once and not for each learner.
pub(crate) struct ParamChanges<'a> {
    /// All parameters of the learner itself.
    pub all: Value,
    /// The last of those that change.
    pub last: Option<&'static ParamSpec>,
    /// Parameters of learners within this one, by the part they belong to.
    pub nested: BTreeMap<&'a str, serde_json::Map<String, Value>>,
}

impl<'a> ParamChanges<'a> {
    pub fn new(spec: &'static Spec, mut all: Value, params: &'a serde_json::Map<String, Value>) -> Result<Self> {
        let mut last = None;
        let mut nested: BTreeMap<&str, serde_json::Map<String, Value>> = BTreeMap::new();
        for (name, value) in params {
            if let Some((part, inner)) = name.split_once('.') {
                nested.entry(part).or_default().insert(inner.to_owned(), value.clone());
                continue;
            }
            let param = spec.param(name)?;
            // A whole number written as 3.0 is a whole number.
            let value = match (&param.range, value.as_f64()) {
                (crate::Range::Int { .. } | crate::Range::Optional(crate::Range::Int { .. }), Some(v))
                    if value.is_f64() && v.fract() == 0.0 && v.abs() < 9e15 =>
                {
                    Value::from(v as i64)
                }
                _ => value.clone(),
            };
            spec.check_param(param, &value)?;
            all[name.as_str()] = value;
            last = Some(param);
        }
        Ok(Self { all, last, nested })
    }
}

/// Reads parameters as the fields of a struct and in no other way; that of a JSON value in general is three times the code,
/// for each learner.
pub(crate) fn deserializer(all: Value) -> MapDeserializer<'static, serde_json::map::IntoIter, serde_json::Error> {
    let fields = if let Value::Object(fields) = all { fields } else { serde_json::Map::new() };
    MapDeserializer::new(fields.into_iter())
}

/// The error for a value that is in range, but that the learner's own type does not take: of the `last` that changes.
pub(crate) fn unreadable(
    spec: &Spec,
    last: Option<&ParamSpec>,
    params: &serde_json::Map<String, Value>,
    why: &serde_json::Error,
) -> Error {
    let Some(param) = last else { return Error::Data(why.to_string()) };
    Error::parameter(spec.name, param.name, &params[param.name], format!("it must be {} ({why})", param.range.describe()))
}
