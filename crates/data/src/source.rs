//! Where bytes come from: files, globs, the standard input, embedded examples; compressed or not.

use std::fs::File;
use std::io::{self, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ermine_core::{Error, Result, closest_name};

use crate::options::{Format, ReadOptions};
use crate::{example, glob};

/// Bytes of the standard input that are held in memory.
const SPOOL_BYTES: u64 = 1 << 26;

/// A run of bytes that can be read from the beginning as often as needed.
#[derive(Debug, Clone)]
pub(crate) struct ByteSource {
    /// How messages call it.
    pub(crate) name: String,
    pub(crate) bytes: Bytes,
}

#[derive(Debug, Clone)]
pub(crate) enum Bytes {
    File(PathBuf),
    /// A temporary file, removed with the last use.
    Spooled(Arc<tempfile::TempPath>),
    Memory(Arc<[u8]>),
    Static(&'static [u8]),
}

/// The files that a data specification stands for, in order.
///
/// `-` is the standard input, `example:NAME` an embedded example; an existing file is itself; what holds `*`, `?` or `[` is
/// a glob, answered in sorted order.
pub(crate) fn resolve(spec: &str) -> Result<Vec<ByteSource>> {
    if spec == "-" {
        return Ok(vec![ByteSource::spooled("standard input", io::stdin().lock())?]);
    }
    if let Some(name) = spec.strip_prefix("example:") {
        return Ok(vec![ByteSource { name: spec.to_owned(), bytes: Bytes::Static(example::compressed_csv(name)?) }]);
    }
    let path = Path::new(spec);
    if !path.exists() && spec.contains(['*', '?', '[']) {
        let files = glob::expand(spec)?;
        if files.is_empty() {
            return Err(Error::Format { path: spec.to_owned(), message: "no file matches".into() });
        }
        return files.iter().map(|f| ByteSource::file(f)).collect();
    }
    Ok(vec![ByteSource::file(path)?])
}

impl ByteSource {
    /// A file, which must exist. A name that does not is answered with its neighbours in the folder.
    pub(crate) fn file(path: &Path) -> Result<Self> {
        let name = path.display().to_string();
        match std::fs::metadata(path) {
            Ok(meta) if meta.is_dir() => {
                let message = format!("this is a folder; name a file, or a glob such as {}", path.join("*.csv").display());
                Err(Error::Format { path: name, message })
            }
            Ok(meta) if !meta.is_file() => Self::spooled(&name, File::open(path).map_err(|e| Error::io(path, e))?),
            Ok(_) => Ok(Self { name, bytes: Bytes::File(path.to_owned()) }),
            Err(e) if e.kind() == io::ErrorKind::NotFound => {
                Err(Error::Unknown { what: "file".into(), nearest: neighbours(path), name, known: Default::default() })
            }
            Err(e) => Err(Error::io(path, e)),
        }
    }

    /// What can be read only once (the standard input, a pipe), put down where it can be read again: in memory while it is
    /// small, else in a file that vanishes with the source.
    fn spooled(name: &str, mut reader: impl Read) -> Result<Self> {
        let io = |e| Error::io(name, e);
        let mut start = Vec::new();
        reader.by_ref().take(SPOOL_BYTES).read_to_end(&mut start).map_err(io)?;
        let bytes = if (start.len() as u64) < SPOOL_BYTES {
            Bytes::Memory(start.into())
        } else {
            let mut file = tempfile::NamedTempFile::new().map_err(io)?;
            io::copy(&mut start.as_slice(), &mut file).map_err(io)?;
            io::copy(&mut reader, &mut file).map_err(io)?;
            Bytes::Spooled(Arc::new(file.into_temp_path()))
        };
        Ok(Self { name: name.to_owned(), bytes })
    }

    /// The file that holds the bytes, if one does.
    pub(crate) fn path(&self) -> Option<&Path> {
        match &self.bytes {
            Bytes::File(path) => Some(path),
            Bytes::Spooled(path) => Some(path),
            Bytes::Memory(_) | Bytes::Static(_) => None,
        }
    }

    /// The bytes as they are stored.
    fn raw(&self) -> Result<Box<dyn Read + Send>> {
        Ok(match &self.bytes {
            Bytes::File(path) => Box::new(File::open(path).map_err(|e| Error::io(path, e))?),
            Bytes::Spooled(path) => Box::new(File::open(&**path).map_err(|e| Error::io(&**path, e))?),
            Bytes::Memory(bytes) => Box::new(Cursor::new(bytes.clone())),
            Bytes::Static(bytes) => Box::new(*bytes),
        })
    }

    fn magic(&self) -> Result<[u8; 8]> {
        let mut magic = [0; 8];
        let mut reader = self.raw()?.take(8);
        let mut filled = 0;
        loop {
            match reader.read(&mut magic[filled..]) {
                Ok(0) => return Ok(magic),
                Ok(n) => filled += n,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(Error::io(&self.name, e)),
            }
        }
    }

    /// How the bytes are packed, by their first bytes, since names lie.
    pub(crate) fn compression(&self) -> Result<Compression> {
        Ok(match self.magic()? {
            [0x1F, 0x8B, 8, ..] => Compression::Gzip,
            [0x28, 0xB5, 0x2F, 0xFD, ..] => Compression::Zstd,
            _ => Compression::Uncompressed,
        })
    }

    /// The format: as asked for, else by extension, else by the first bytes, else CSV.
    pub(crate) fn format(&self, options: &ReadOptions) -> Result<Format> {
        if let Some(format) = options.format.or_else(|| Format::of_name(&self.name)) {
            return Ok(format);
        }
        Ok(match &self.magic()? {
            [b'P', b'A', b'R', b'1', ..] => Format::Parquet,
            b"ARROW1\0\0" | [0xFF, 0xFF, 0xFF, 0xFF, ..] => Format::Arrow,
            _ => Format::Csv,
        })
    }

    /// The unpacked bytes.
    pub(crate) fn open(&self, options: &ReadOptions) -> Result<Decompressor> {
        let packing = self.compression()?;
        let raw = self.raw()?;
        let counted = Arc::new(std::sync::atomic::AtomicU64::new(0));
        let counting = CountingReader { inner: raw, read: counted.clone() };
        let io = |e| Error::io(&self.name, e);
        let inner: Box<dyn Read + Send> = match packing {
            Compression::Uncompressed => Box::new(counting),
            Compression::Gzip => Box::new(flate2::bufread::MultiGzDecoder::new(BufReader::with_capacity(1 << 16, counting))),
            Compression::Zstd => Box::new(zstd::Decoder::new(counting).map_err(io)?),
        };
        Ok(Decompressor { name: self.name.clone(), inner, packing, packed: counted, unpacked: 0, limit: options.max_unpacked })
    }

    /// All unpacked bytes.
    pub(crate) fn read_all(&self, options: &ReadOptions) -> Result<Vec<u8>> {
        let mut out = Vec::new();
        let mut reader = self.open(options)?;
        while reader.fill(&mut out, 1 << 20)? {}
        Ok(out)
    }
}

/// How bytes are packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Compression {
    Uncompressed,
    Gzip,
    Zstd,
}

/// Names in the folder of `path` that resemble it.
fn neighbours(path: &Path) -> Vec<String> {
    let Some(name) = path.file_name().and_then(|n| n.to_str()) else { return Vec::new() };
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty());
    let Ok(entries) = std::fs::read_dir(folder.unwrap_or(Path::new("."))) else { return Vec::new() };
    let mut names: Vec<String> = entries.flatten().filter_map(|e| e.file_name().into_string().ok()).take(10_000).collect();
    names.sort();
    let found = closest_name(name, names.iter().map(String::as_str));
    found.into_iter().map(|n| folder.map_or_else(|| n.clone(), |f| f.join(&n).display().to_string())).collect()
}

struct CountingReader {
    inner: Box<dyn Read + Send>,
    read: Arc<std::sync::atomic::AtomicU64>,
}

impl Read for CountingReader {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buf)?;
        self.read.fetch_add(n as u64, std::sync::atomic::Ordering::Relaxed);
        Ok(n)
    }
}

/// Unpacked bytes a file may have before its packing ratio is looked at.
const TRUSTED_BYTES: u64 = 1 << 30;
/// Unpacked bytes for each packed byte that are still believed; tables of numbers reach 20, the emptiest real ones 200.
const TRUSTED_RATIO: u64 = 500;

/// A reader of unpacked bytes that refuses bombs and names what is wrong with the packing.
pub(crate) struct Decompressor {
    name: String,
    inner: Box<dyn Read + Send>,
    packing: Compression,
    packed: Arc<std::sync::atomic::AtomicU64>,
    unpacked: u64,
    limit: Option<u64>,
}

impl Decompressor {
    /// Adds up to `count` bytes to `to`; false when nothing is left.
    pub(crate) fn fill(&mut self, to: &mut Vec<u8>, count: usize) -> Result<bool> {
        to.reserve(count);
        let n = (&mut self.inner).take(count as u64).read_to_end(to).map_err(|e| self.explain(e))?;
        self.unpacked += n as u64;
        self.refuse_bomb()?;
        Ok(n > 0)
    }

    fn refuse_bomb(&self) -> Result<()> {
        if self.packing == Compression::Uncompressed {
            return Ok(());
        }
        let packed = self.packed.load(std::sync::atomic::Ordering::Relaxed).max(1);
        let bomb = match self.limit {
            Some(limit) => self.unpacked > limit,
            None => self.unpacked > TRUSTED_BYTES && self.unpacked / packed > TRUSTED_RATIO,
        };
        if !bomb {
            return Ok(());
        }
        let message = format!(
            "{} packed bytes have unpacked to {} so far, which looks like a compression bomb; unpack the file first, or raise the \
             limit of unpacked bytes (max_unpacked)",
            packed, self.unpacked
        );
        Err(Error::Format { path: self.name.clone(), message })
    }

    fn explain(&self, error: io::Error) -> Error {
        let packing = match self.packing {
            Compression::Uncompressed => return Error::io(&self.name, error),
            Compression::Gzip => "gzip",
            Compression::Zstd => "zstd",
        };
        let message = match error.kind() {
            io::ErrorKind::UnexpectedEof => {
                format!("the {packing} data breaks off after {} unpacked bytes: the file is truncated", self.unpacked)
            }
            io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData | io::ErrorKind::Other => {
                format!("the {packing} data is damaged after {} unpacked bytes ({error})", self.unpacked)
            }
            _ => return Error::io(&self.name, error),
        };
        Error::Format { path: self.name.clone(), message }
    }
}
