//! The model file: a safetensors container (JSON header, raw little-endian arrays) with our metadata.
//!
//! Nothing in it is code. A file is read whole, its hash is checked over every byte, sizes are checked before anything
//! is allocated, and each learner validates its arrays once, at load; prediction then needs no checks.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use safetensors::{Dtype, SafeTensors};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;

use crate::{Certificate, ColumnKind, Error, Mat, OutputFile, Result, Schema};

/// The version of the format that this release writes. Every release reads all earlier ones.
pub const FORMAT: u32 = 1;

/// Header of at most this many bytes; a larger one is refused before it is parsed.
const MAX_HEADER: usize = 64 << 20;

const HASH_HEX: usize = 64;

/// The header of a model file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// Version of the format.
    pub format: u32,
    /// Version of the toolkit that wrote it.
    pub version: String,
    /// The learner.
    pub learner: String,
    /// Its parameters.
    pub params: Value,
    /// The columns it was trained on.
    pub schema: Schema,
    /// The target.
    #[serde(default)]
    pub target: TargetInfo,
    /// The training data, and how they were read.
    #[serde(default, skip_serializing_if = "DataInfo::is_unknown")]
    pub data: DataInfo,
    /// The evidence of the fit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certificate: Option<Certificate>,
    /// The seed of the fit.
    pub seed: u64,
}

/// Description of the target.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct TargetInfo {
    /// Names of the target columns; empty without target.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
    /// Class names of a classification.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub classes: Vec<String>,
}

/// Description of the training data: enough to read further data in the same way.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct DataInfo {
    /// How many rows there were.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rows: Option<u64>,
    /// The words that meant "missing", where they were not the default ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing: Option<Vec<String>>,
    /// The column types that were requested, by column.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub types: BTreeMap<String, ColumnKind>,
    /// Fingerprint of the rows ([`crate::DatasetRef::fingerprint`]), by which they are recognized: a model is not
    /// evaluated on its training rows unawares.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<String>,
    /// The share of these rows that was held out, drawn by the seed of the fit; none where all were trained on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held_out: Option<f64>,
}

impl DataInfo {
    fn is_unknown(&self) -> bool {
        *self == Self::default()
    }
}

#[derive(Debug, Clone, PartialEq)]
struct Tensor {
    dtype: Dtype,
    shape: Vec<usize>,
    bytes: Vec<u8>,
}

/// Collects what a model stores: named arrays and small structures.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ModelWriter {
    prefix: String,
    tensors: BTreeMap<String, Tensor>,
    fields: BTreeMap<String, Value>,
    /// The one array that is stored, for a filtered writer.
    only: Option<String>,
}

/// Element types a model may store.
pub trait Element: Copy + 'static {
    #[doc(hidden)]
    const DTYPE: Dtype;
    #[doc(hidden)]
    fn extend(self, out: &mut Vec<u8>);
    #[doc(hidden)]
    fn read(bytes: &[u8]) -> Self;
}

macro_rules! element {
    ($($t:ty => $d:ident),*) => {$(
        impl Element for $t {
            const DTYPE: Dtype = Dtype::$d;
            fn extend(self, out: &mut Vec<u8>) { out.extend_from_slice(&self.to_le_bytes()); }
            fn read(bytes: &[u8]) -> Self { Self::from_le_bytes(bytes.try_into().expect("chunks have the size of the type")) }
        }
    )*};
}
element!(f64 => F64, f32 => F32, u8 => U8, u32 => U32, i32 => I32, i64 => I64, u64 => U64);

impl ModelWriter {
    /// A writer that stores one array, with its path, and the small structures; to read one fitted attribute of a
    /// model.
    pub fn filtered(array: &str) -> Self {
        Self { only: Some(array.to_owned()), ..Self::default() }
    }

    /// Stores an array of any shape.
    pub fn array<T: Element>(&mut self, name: &str, shape: &[usize], values: &[T]) {
        debug_assert_eq!(shape.iter().product::<usize>(), values.len());
        let key = self.key(name);
        if self.only.as_ref().is_some_and(|only| *only != key) {
            return;
        }
        let mut bytes = Vec::with_capacity(std::mem::size_of_val(values));
        values.iter().for_each(|v| v.extend(&mut bytes));
        self.tensors.insert(key, Tensor { dtype: T::DTYPE, shape: shape.to_vec(), bytes });
    }

    /// Stores a vector.
    pub fn vec<T: Element>(&mut self, name: &str, values: &[T]) {
        self.array(name, &[values.len()], values);
    }

    /// Stores a matrix.
    pub fn mat<T: Element>(&mut self, name: &str, m: &Mat<T>) {
        self.array(name, &[m.rows(), m.cols()], m.as_slice());
    }

    /// Stores a small structure.
    pub fn field(&mut self, name: &str, value: &impl Serialize) -> Result<()> {
        let value = serde_json::to_value(value).map_err(|e| Error::Model(format!("field \"{name}\": {e}")))?;
        self.fields.insert(self.key(name), value);
        Ok(())
    }

    /// Everything that `write` stores goes under `name`.
    pub fn child<R>(&mut self, name: &str, write: impl FnOnce(&mut Self) -> Result<R>) -> Result<R> {
        let outer = self.prefix.clone();
        self.prefix = format!("{outer}{name}/");
        let result = write(self);
        self.prefix = outer;
        result
    }

    fn key(&self, name: &str) -> String {
        format!("{}{name}", self.prefix)
    }

    /// The stored content, ready to be read.
    pub fn into_reader(self) -> ModelReader {
        let mut bytes = Vec::new();
        let mut tensors = BTreeMap::new();
        for (name, t) in self.tensors {
            let start = bytes.len();
            if start == 0 {
                bytes = t.bytes;
            } else {
                bytes.extend(t.bytes);
            }
            tensors.insert(name, TensorInfo { dtype: t.dtype, shape: t.shape, start, end: bytes.len() });
        }
        ModelReader { prefix: String::new(), content: Arc::new(Content { bytes, tensors, fields: self.fields }) }
    }
}

#[derive(Debug)]
struct TensorInfo {
    dtype: Dtype,
    shape: Vec<usize>,
    start: usize,
    end: usize,
}

#[derive(Debug)]
struct Content {
    bytes: Vec<u8>,
    tensors: BTreeMap<String, TensorInfo>,
    fields: BTreeMap<String, Value>,
}

/// The content of a model file, read by name. Every method names what is missing or of the wrong type or shape.
#[derive(Debug, Clone)]
pub struct ModelReader {
    prefix: String,
    content: Arc<Content>,
}

impl ModelReader {
    fn key(&self, name: &str) -> String {
        format!("{}{name}", self.prefix)
    }

    /// Names of the arrays here, without what lies under children.
    pub fn array_names(&self) -> Vec<&str> {
        let here = |k: &'_ &String| k.strip_prefix(&self.prefix).is_some_and(|rest| !rest.contains('/'));
        self.content.tensors.keys().filter(here).map(|k| &k[self.prefix.len()..]).collect()
    }

    /// Element type (as safetensors writes it: "F64", "U32", …) and shape of an array.
    pub fn array_info(&self, name: &str) -> Option<(String, &[usize])> {
        self.content.tensors.get(&self.key(name)).map(|e| (e.dtype.to_string(), e.shape.as_slice()))
    }

    /// Shape and elements of an array.
    pub fn array<T: Element>(&self, name: &str) -> Result<(Vec<usize>, Vec<T>)> {
        let key = self.key(name);
        let e = self.content.tensors.get(&key).ok_or_else(|| Error::Model(format!("array \"{key}\" is not there")))?;
        if e.dtype != T::DTYPE {
            return Err(Error::Model(format!("array \"{key}\" has type {}, not {}", e.dtype, T::DTYPE)));
        }
        let values = self.content.bytes[e.start..e.end].chunks_exact(size_of::<T>()).map(T::read).collect();
        Ok((e.shape.clone(), values))
    }

    /// A vector.
    pub fn vec<T: Element>(&self, name: &str) -> Result<Vec<T>> {
        let (shape, values) = self.array(name)?;
        if shape.len() != 1 {
            return Err(Error::Model(format!("array \"{}\" has {} dimensions, not 1", self.key(name), shape.len())));
        }
        Ok(values)
    }

    /// A vector of a known length.
    pub fn vec_of<T: Element>(&self, name: &str, len: usize) -> Result<Vec<T>> {
        let values = self.vec(name)?;
        if values.len() != len {
            return Err(Error::Model(format!("array \"{}\" has {} elements, not {len}", self.key(name), values.len())));
        }
        Ok(values)
    }

    /// A matrix.
    pub fn mat<T: Element>(&self, name: &str) -> Result<Mat<T>> {
        let (shape, values) = self.array(name)?;
        match shape[..] {
            [rows, cols] => Ok(Mat::from_vec(rows, cols, values)),
            _ => Err(Error::Model(format!("array \"{}\" has {} dimensions, not 2", self.key(name), shape.len()))),
        }
    }

    /// A matrix of a known shape.
    pub fn mat_of<T: Element>(&self, name: &str, rows: usize, cols: usize) -> Result<Mat<T>> {
        let m = self.mat(name)?;
        if (m.rows(), m.cols()) != (rows, cols) {
            return Err(Error::Model(format!(
                "array \"{}\" is {} x {}, not {rows} x {cols}",
                self.key(name),
                m.rows(),
                m.cols()
            )));
        }
        Ok(m)
    }

    /// A small structure.
    pub fn field<T: DeserializeOwned>(&self, name: &str) -> Result<T> {
        let key = self.key(name);
        let value = self.content.fields.get(&key).ok_or_else(|| Error::Model(format!("field \"{key}\" is not there")))?;
        T::deserialize(value).map_err(|e| Error::Model(format!("field \"{key}\": {e}")))
    }

    /// Whether there is such a structure: files of older versions may lack one.
    pub fn has_field(&self, name: &str) -> bool {
        self.content.fields.contains_key(&self.key(name))
    }

    /// How many children deep this reader is.
    pub fn depth(&self) -> usize {
        self.prefix.matches('/').count()
    }

    /// Whether anything was stored under `name` by [`ModelWriter::child`].
    pub fn has_child(&self, name: &str) -> bool {
        let prefix = format!("{}{name}/", self.prefix);
        let first = |keys: Option<&String>| keys.is_some_and(|k| k.starts_with(&prefix));
        first(self.content.tensors.range(prefix.clone()..).next().map(|(k, _)| k))
            || first(self.content.fields.range(prefix.clone()..).next().map(|(k, _)| k))
    }

    /// The content stored under `name` by [`ModelWriter::child`].
    pub fn child(&self, name: &str) -> Self {
        Self { prefix: format!("{}{name}/", self.prefix), content: self.content.clone() }
    }
}

/// The bytes of a model file. The same header and model give the same bytes.
pub fn encode(header: &Header, model: &ModelWriter) -> Result<Vec<u8>> {
    let text = |v: &dyn erased::Json| v.json().map_err(|e| Error::Model(e.to_string()));
    let mut meta = BTreeMap::new();
    meta.insert("ermine", text(header)?);
    meta.insert("fields", text(&model.fields)?);
    meta.insert("hash", "0".repeat(HASH_HEX));
    let mut head = serde_json::Map::new();
    head.insert("__metadata__".into(), serde_json::to_value(&meta).map_err(|e| Error::Model(e.to_string()))?);
    let mut offset = 0usize;
    for (name, t) in &model.tensors {
        let end = offset + t.bytes.len();
        head.insert(
            name.clone(),
            serde_json::json!({"dtype": t.dtype.to_string(), "shape": t.shape, "data_offsets": [offset, end]}),
        );
        offset = end;
    }
    let mut json = serde_json::to_string(&head).map_err(|e| Error::Model(e.to_string()))?;
    // The arrays start on an eight-byte boundary, as the format asks.
    while json.len() % 8 != 0 {
        json.push(' ');
    }
    let mut out = Vec::with_capacity(8 + json.len() + offset);
    out.extend((json.len() as u64).to_le_bytes());
    out.extend(json.as_bytes());
    model.tensors.values().for_each(|t| out.extend(&t.bytes));
    let at = hash_position(&out).ok_or_else(|| Error::Model("the hash has no place".into()))?;
    let hash = blake3::hash(&out).to_hex();
    out[at..at + HASH_HEX].copy_from_slice(hash.as_bytes());
    Ok(out)
}

/// Values of two types are serialized to JSON text above; a closure cannot be generic.
mod erased {
    pub trait Json {
        fn json(&self) -> serde_json::Result<String>;
    }
    impl<T: serde::Serialize> Json for T {
        fn json(&self) -> serde_json::Result<String> {
            serde_json::to_string(self)
        }
    }
}

/// Position of the 64 digits of the hash: after the last `"hash":"` of the metadata, which sorts behind our other keys.
fn hash_position(file: &[u8]) -> Option<usize> {
    let header_len = u64::from_le_bytes(file.get(..8)?.try_into().ok()?) as usize;
    let header = file.get(8..8usize.checked_add(header_len)?)?;
    let meta = find(header, b"\"__metadata__\":{")?;
    let mark = b"\"hash\":\"";
    let at = meta + find(&header[meta..], mark)? + mark.len();
    (at + HASH_HEX <= header.len()).then_some(8 + at)
}

fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    haystack.windows(needle.len()).position(|w| w == needle)
}

/// Reads the bytes of a model file: checks the container and its hash; the learner validates the content.
pub fn decode(file: Vec<u8>) -> Result<(Header, ModelReader)> {
    let bad = |m: String| Error::Model(m);
    let Some(length) = file.get(..8) else {
        return Err(bad(format!("{} bytes are too few for a model", file.len())));
    };
    let header_len = u64::from_le_bytes(length.try_into().expect("eight bytes"));
    if header_len > MAX_HEADER as u64 || header_len as usize > file.len() - 8 {
        return Err(bad(format!("it is cut short or no model: the header says {header_len} bytes, {} follow", file.len() - 8)));
    }
    let (_, info) = SafeTensors::read_metadata(&file).map_err(|e| bad(format!("it is not a whole safetensors file ({e})")))?;
    let missing = |what: &str| bad(format!("it has no {what}; is it a model of this toolkit?"));
    let meta = info.metadata().as_ref().ok_or_else(|| missing("metadata"))?;
    let header_text = meta.get("ermine").ok_or_else(|| missing("header"))?;
    // The version first: a later format may change everything else.
    #[derive(Deserialize)]
    struct Version {
        format: u32,
        version: String,
    }
    let Version { format, version } =
        serde_json::from_str(header_text).map_err(|e| bad(format!("its header cannot be read ({e})")))?;
    if format == 0 || format > FORMAT {
        return Err(bad(format!(
            "it has format {format}, written by version {version}; this version reads formats 1 to {FORMAT}"
        )));
    }
    check_hash(&file)?;
    let header: Header = serde_json::from_str(header_text).map_err(|e| bad(format!("its header cannot be read ({e})")))?;
    let fields_text = meta.get("fields").ok_or_else(|| missing("fields"))?;
    let fields = serde_json::from_str(fields_text).map_err(|e| bad(format!("its fields cannot be read ({e})")))?;
    let start = 8 + header_len as usize;
    let tensors = info
        .tensors()
        .into_iter()
        .map(|(name, t)| {
            let (from, to) = t.data_offsets;
            (name, TensorInfo { dtype: t.dtype, shape: t.shape.clone(), start: start + from, end: start + to })
        })
        .collect();
    Ok((header, ModelReader { prefix: String::new(), content: Arc::new(Content { bytes: file, tensors, fields }) }))
}

fn check_hash(file: &[u8]) -> Result<()> {
    let at = hash_position(file).ok_or_else(|| Error::Model("it has no hash".into()))?;
    let mut hasher = blake3::Hasher::new();
    hasher.update(&file[..at]);
    hasher.update(&[b'0'; HASH_HEX]);
    hasher.update(&file[at + HASH_HEX..]);
    if hasher.finalize().to_hex().as_bytes() != &file[at..at + HASH_HEX] {
        return Err(Error::Model("its hash does not match its content; it was damaged or edited".into()));
    }
    Ok(())
}

/// Writes the hash of the present content into edited bytes. For tests of the checks behind the hash.
pub fn fix_hash(file: &mut [u8]) -> Result<()> {
    let at = hash_position(file).ok_or_else(|| Error::Model("it has no hash".into()))?;
    file[at..at + HASH_HEX].fill(b'0');
    let hash = blake3::hash(file).to_hex();
    file[at..at + HASH_HEX].copy_from_slice(hash.as_bytes());
    Ok(())
}

/// Writes a file so that a failure leaves the old one intact.
pub fn write_atomic(path: &Path, bytes: &[u8]) -> Result<()> {
    let write = || {
        let mut out = OutputFile::create(path)?;
        out.write_all(bytes)?;
        out.finish()
    };
    write().map_err(|e| Error::io(path, e))
}
