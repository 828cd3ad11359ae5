//! States in model files: any structure as JSON, with long lists of numbers stored as arrays.

use ermine_core::file::{self, DataInfo, FORMAT, Header, TargetInfo};
use ermine_core::{Error, ModelReader, ModelWriter, Result, Schema};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

/// Lists of at least this many numbers become arrays.
const LONG: usize = 8;
/// The key of a reference to an array.
const ARRAY: &str = "array";

/// The bytes of a state file. `kind` names its content: "bandit/ucb1", "rl/q-learning".
pub fn to_bytes(kind: &str, params: Value, seed: u64, state: &impl Serialize) -> Result<Vec<u8>> {
    let mut out = ModelWriter::default();
    write(&mut out, "state", state)?;
    let header = Header {
        format: FORMAT,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        learner: kind.to_owned(),
        params,
        schema: Schema::default(),
        target: TargetInfo::default(),
        data: DataInfo::default(),
        certificate: None,
        seed,
    };
    file::encode(&header, &out)
}

/// Reads such a file; `family` is the part of the kind before the slash.
pub fn from_bytes<T: DeserializeOwned>(bytes: Vec<u8>, family: &str) -> Result<(Header, T)> {
    let (header, reader) = file::decode(bytes)?;
    if header.learner.split_once('/').is_none_or(|(first, _)| first != family) {
        let wanted = if family == "rl" { "an agent" } else { "a bandit policy" };
        return Err(Error::Model(format!("it holds {}, which is not {wanted}", header.learner)));
    }
    let state = read(&reader, "state")?;
    Ok((header, state))
}

/// Stores a structure under a name.
pub fn write(out: &mut ModelWriter, name: &str, state: &impl Serialize) -> Result<()> {
    let mut value = serde_json::to_value(state).map_err(|e| Error::Model(format!("the state cannot be written: {e}")))?;
    lift_arrays(out, name, &mut value);
    out.field(name, &value)
}

/// Reads a structure that [`write`] stored.
pub fn read<T: DeserializeOwned>(from: &ModelReader, name: &str) -> Result<T> {
    let mut value: Value = from.field(name)?;
    lower_arrays(from, &mut value)?;
    serde_json::from_value(value).map_err(|e| Error::Model(format!("its {name} does not read: {e}")))
}

fn lift_arrays(out: &mut ModelWriter, path: &str, value: &mut Value) {
    match value {
        Value::Object(map) => map.iter_mut().for_each(|(key, v)| lift_arrays(out, &format!("{path}.{key}"), v)),
        Value::Array(list) if list.len() >= LONG && list.iter().all(Value::is_f64) => {
            out.vec(path, &list.iter().filter_map(Value::as_f64).collect::<Vec<f64>>());
            *value = json!({ ARRAY: path });
        }
        Value::Array(list) if list.len() >= LONG && list.iter().all(Value::is_u64) => {
            out.vec(path, &list.iter().filter_map(Value::as_u64).collect::<Vec<u64>>());
            *value = json!({ ARRAY: path });
        }
        Value::Array(list) => list.iter_mut().enumerate().for_each(|(i, v)| lift_arrays(out, &format!("{path}.{i}"), v)),
        _ => {}
    }
}

fn lower_arrays(from: &ModelReader, value: &mut Value) -> Result<()> {
    match value {
        Value::Object(map) => match array_name(map) {
            Some(name) => {
                *value = match from.array_info(&name).map(|(kind, _)| kind).as_deref() {
                    Some("U64") => json!(from.vec::<u64>(&name)?),
                    _ => json!(from.vec::<f64>(&name)?),
                };
                Ok(())
            }
            None => map.values_mut().try_for_each(|v| lower_arrays(from, v)),
        },
        Value::Array(list) => list.iter_mut().try_for_each(|v| lower_arrays(from, v)),
        _ => Ok(()),
    }
}

fn array_name(map: &Map<String, Value>) -> Option<String> {
    match map.get(ARRAY) {
        Some(Value::String(name)) if map.len() == 1 => Some(name.clone()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Thing {
        short: Vec<f64>,
        long: Vec<f64>,
        counts: Vec<u64>,
        rows: Vec<Vec<f64>>,
        name: String,
    }

    #[test]
    fn a_state_comes_back_as_it_was_and_its_lists_are_arrays() {
        let example = Thing {
            short: vec![0.1, 0.2],
            long: (0..20).map(|i| f64::from(i) / 7.0).collect(),
            counts: (0..9).map(|i| u64::MAX - i).collect(),
            rows: vec![vec![1.0; 10], vec![2.5; 3]],
            name: "thing".into(),
        };
        let bytes = to_bytes("bandit/thing", json!({"a": 1}), 7, &example).unwrap();
        let (header, back): (Header, Thing) = from_bytes(bytes.clone(), "bandit").unwrap();
        assert_eq!((back, header.learner.as_str(), header.seed), (example, "bandit/thing", 7));
        let (_, reader) = file::decode(bytes.clone()).unwrap();
        assert_eq!(reader.array_names(), ["state.counts", "state.long", "state.rows.0"]);
        assert!(from_bytes::<Thing>(bytes.clone(), "rl").unwrap_err().to_string().contains("not an agent"));
        assert!(from_bytes::<Value>(bytes[..100].to_vec(), "bandit").is_err());
    }
}
