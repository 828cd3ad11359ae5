//! Sources of bytes: files, globs, the standard input, embedded examples; compressed or not.

use std::fs::File;
use std::io::{self, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use ermine_core::{Error, Result, closest_name};

use crate::options::{Format, ReadOptions};
use crate::pipe::PipeReader;
use crate::{example, glob};

/// Bytes of the standard input held in memory.
const SPOOL_BYTES: u64 = 1 << 26;

/// Bytes that tell packings and formats apart.
const MAGIC_BYTES: usize = 16;

/// A run of bytes that can be read from the beginning as often as needed.
#[derive(Debug, Clone)]
pub(crate) struct ByteSource {
    /// Its name in messages.
    pub(crate) name: String,
    pub(crate) bytes: Bytes,
}

#[derive(Debug, Clone)]
pub(crate) enum Bytes {
    File(PathBuf),
    /// A temporary file, deleted with the last use.
    Spooled(Arc<tempfile::TempPath>),
    Memory(Arc<[u8]>),
    /// Delimited text that was made of another format, and what a user should know of that.
    Converted(Arc<[u8]>, Arc<Vec<String>>),
    Static(&'static [u8]),
    /// A pipe, to be opened once, and its first bytes.
    Pipe(Arc<Mutex<Option<PipeReader>>>, [u8; MAGIC_BYTES]),
}

/// The files that a data specification stands for, in order.
///
/// `-` is the standard input, `example:NAME` an embedded example; an existing file is itself; a name with `*`, `?` or
/// `[` is a glob, in sorted order.
///
/// Sheets, JSON and archives come as the text inside.
pub(crate) fn resolve(spec: &str, options: &ReadOptions) -> Result<Vec<ByteSource>> {
    resolve_files(spec)?.into_iter().map(|source| source.readable(options)).collect()
}

fn resolve_files(spec: &str) -> Result<Vec<ByteSource>> {
    if spec == "-" {
        return Ok(vec![ByteSource::spooled("standard input", io::stdin().lock())?]);
    }
    if let Some(name) = spec.strip_prefix("example:") {
        return Ok(vec![ByteSource::new(spec.to_owned(), Bytes::Static(example::compressed_csv(name)?))]);
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

/// [`resolve`] for what is read in a single pass: text from a pipe is not put down first, but read as it comes.
pub(crate) fn resolve_for_one_pass(spec: &str, options: &ReadOptions) -> Result<Vec<ByteSource>> {
    let path = Path::new(spec);
    let (name, mut reader) = match std::fs::metadata(path) {
        _ if spec == "-" => ("standard input", PipeReader::new(io::stdin())),
        Ok(meta) if !meta.is_file() && !meta.is_dir() => {
            (spec, PipeReader::new(File::open(path).map_err(|e| Error::io(path, e))?))
        }
        _ => return resolve(spec, options),
    };
    let magic = reader.peek().map_err(|e| Error::io(name, e))?;
    let reader = Arc::new(Mutex::new(Some(reader)));
    let source = ByteSource::new(name.to_owned(), Bytes::Pipe(reader, magic));
    let plain = source.compression()? == Compression::Uncompressed;
    match source.format(options)? {
        Format::Csv | Format::Tsv | Format::Libsvm if plain => Ok(vec![source]),
        _ => Ok(vec![ByteSource::spooled(name, source.raw()?)?.readable(options)?]),
    }
}

impl ByteSource {
    pub(crate) fn new(name: String, bytes: Bytes) -> Self {
        Self { name, bytes }
    }

    /// Delimited text that was made of another format, and what a user should know of that.
    pub(crate) fn converted(name: String, text: Vec<u8>, notes: Vec<String>) -> Self {
        Self { name, bytes: Bytes::Converted(text.into(), Arc::new(notes)) }
    }

    /// What a user should know of text that was made of another format.
    pub(crate) fn notes(&self) -> &[String] {
        if let Bytes::Converted(_, notes) = &self.bytes { notes } else { &[] }
    }

    /// A file, which must exist. An unknown name is answered with similar names in the folder.
    pub(crate) fn file(path: &Path) -> Result<Self> {
        let name = path.display().to_string();
        match std::fs::metadata(path) {
            Ok(meta) if meta.is_dir() => {
                let message = format!("this is a folder; name a file, or a glob such as {}", path.join("*.csv").display());
                Err(Error::Format { path: name, message })
            }
            Ok(meta) if !meta.is_file() => Self::spooled(&name, File::open(path).map_err(|e| Error::io(path, e))?),
            Ok(_) => Ok(Self::new(name, Bytes::File(path.to_owned()))),
            Err(e) if e.kind() == io::ErrorKind::NotFound => {
                Err(Error::Unknown { what: "file".into(), nearest: neighbors(path), name, known: Default::default() })
            }
            Err(e) => Err(Error::io(path, e)),
        }
    }

    /// Input that can be read only once (the standard input, a pipe), copied so that it can be read again: to memory
    /// while it is small, else to a file that is deleted with the source.
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
        Ok(Self::new(name.to_owned(), bytes))
    }

    /// The file that has the bytes, if there is one.
    pub(crate) fn path(&self) -> Option<&Path> {
        match &self.bytes {
            Bytes::File(path) => Some(path),
            Bytes::Spooled(path) => Some(path),
            Bytes::Memory(_) | Bytes::Converted(..) | Bytes::Static(_) | Bytes::Pipe(..) => None,
        }
    }

    /// Whether the bytes come out of a pipe, at whatever pace.
    pub(crate) fn is_pipe(&self) -> bool {
        matches!(self.bytes, Bytes::Pipe(..))
    }

    fn take_pipe(&self, pipe: &Mutex<Option<PipeReader>>) -> Result<PipeReader> {
        let pipe = pipe.lock().unwrap_or_else(PoisonError::into_inner).take();
        pipe.ok_or_else(|| Error::Format { path: self.name.clone(), message: "a pipe can be read once only".into() })
    }

    /// The bytes as they are stored.
    fn raw(&self) -> Result<Box<dyn Read + Send>> {
        Ok(match &self.bytes {
            Bytes::File(path) => Box::new(File::open(path).map_err(|e| Error::io(path, e))?),
            Bytes::Spooled(path) => Box::new(File::open(&**path).map_err(|e| Error::io(&**path, e))?),
            Bytes::Memory(bytes) | Bytes::Converted(bytes, _) => Box::new(Cursor::new(bytes.clone())),
            Bytes::Static(bytes) => Box::new(*bytes),
            Bytes::Pipe(pipe, _) => Box::new(self.take_pipe(pipe)?),
        })
    }

    /// The first bytes, as they are stored.
    pub(crate) fn begins(&self) -> Result<[u8; MAGIC_BYTES]> {
        self.magic()
    }

    fn magic(&self) -> Result<[u8; MAGIC_BYTES]> {
        if let Bytes::Pipe(_, magic) = &self.bytes {
            return Ok(*magic);
        }
        let mut magic = [0; MAGIC_BYTES];
        let mut reader = self.raw()?.take(MAGIC_BYTES as u64);
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

    /// The compression, by the first bytes, since names lie.
    pub(crate) fn compression(&self) -> Result<Compression> {
        Ok(match self.magic()? {
            [0x1F, 0x8B, 8, ..] => Compression::Gzip,
            [0x28, 0xB5, 0x2F, 0xFD, ..] => Compression::Zstd,
            #[cfg(feature = "archives")]
            [b'B', b'Z', b'h', b'1'..=b'9', 0x31, 0x41, 0x59, 0x26, ..] => Compression::Bzip2,
            #[cfg(feature = "archives")]
            [0xFD, b'7', b'z', b'X', b'Z', 0, ..] => Compression::Xz,
            _ => Compression::Uncompressed,
        })
    }

    /// The format: as requested, else by extension, else by the first bytes, else CSV.
    pub(crate) fn format(&self, options: &ReadOptions) -> Result<Format> {
        if matches!(self.bytes, Bytes::Converted(..)) {
            return Ok(Format::Csv);
        }
        if let Some(format) = options.format.or_else(|| Format::of_name(&self.name)) {
            return Ok(format);
        }
        Ok(match &self.magic()? {
            [b'P', b'A', b'R', b'1', ..] => Format::Parquet,
            [b'A', b'R', b'R', b'O', b'W', b'1', 0, 0, ..] | [0xFF, 0xFF, 0xFF, 0xFF, ..] => Format::Arrow,
            _ => Format::Csv,
        })
    }

    /// The format of the bytes where it is one that is not read, by its first bytes.
    pub(crate) fn foreign(&self) -> Result<Option<&'static str>> {
        let magic = self.magic()?;
        if self.compression()? != Compression::Uncompressed {
            return Ok(None);
        }
        Ok(FOREIGN.iter().find(|(start, _)| magic.starts_with(start)).map(|(_, name)| *name))
    }

    /// An error for a format that is not read, which names it.
    pub(crate) fn refuse_foreign(&self) -> Result<()> {
        let Some(format) = self.foreign()? else { return Ok(()) };
        let message = format!("this is {format}, which is not read; {READ_FORMATS}");
        Err(Error::Format { path: self.name.clone(), message })
    }

    /// The decompressed bytes.
    pub(crate) fn open(&self, options: &ReadOptions) -> Result<Decompressor> {
        let packing = self.compression()?;
        let counted = Arc::new(std::sync::atomic::AtomicU64::new(0));
        let counting = || -> Result<CountingReader> { Ok(CountingReader { inner: self.raw()?, read: counted.clone() }) };
        let io = |e| Error::io(&self.name, e);
        let inner = match (packing, &self.bytes) {
            (Compression::Uncompressed, Bytes::Pipe(pipe, _)) => UnpackedBytes::Pipe(self.take_pipe(pipe)?),
            (Compression::Uncompressed, _) => UnpackedBytes::Stored(Box::new(counting()?)),
            (Compression::Gzip, _) => {
                let packed = BufReader::with_capacity(1 << 16, counting()?);
                UnpackedBytes::Stored(Box::new(flate2::bufread::MultiGzDecoder::new(packed)))
            }
            (Compression::Zstd, _) => UnpackedBytes::Stored(Box::new(zstd::Decoder::new(counting()?).map_err(io)?)),
            #[cfg(feature = "archives")]
            (Compression::Bzip2, _) => {
                let packed = BufReader::with_capacity(1 << 16, counting()?);
                UnpackedBytes::Stored(Box::new(bzip2::bufread::MultiBzDecoder::new(packed)))
            }
            #[cfg(feature = "archives")]
            (Compression::Xz, _) => {
                let packed = BufReader::with_capacity(1 << 16, counting()?);
                UnpackedBytes::Stored(Box::new(lzma_rust2::XzReader::new(packed, true)))
            }
        };
        Ok(Decompressor { name: self.name.clone(), inner, packing, packed: counted, unpacked: 0, limit: options.max_unpacked })
    }

    /// All decompressed bytes.
    pub(crate) fn read_all(&self, options: &ReadOptions) -> Result<Vec<u8>> {
        let mut out = Vec::new();
        let mut reader = self.open(options)?;
        while reader.fill(&mut out, 1 << 20)? {}
        Ok(out)
    }
}

/// What is read, for messages.
const READ_FORMATS: &str = "tables are read from CSV, TSV, JSON, Parquet, Arrow, Excel, OpenDocument, libsvm and IDX files";

/// First bytes of files that are no tables, or none that is read here.
const FOREIGN: [(&[u8], &str); 22] = [
    (b"PK\x03\x04", "a ZIP archive"),
    (b"%PDF", "a PDF document"),
    (b"SQLite format 3", "an SQLite database"),
    (b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1", "an Excel file of before 2007 (.xls)"),
    (b"\x89HDF", "an HDF5 file"),
    (b"\x89PNG", "a PNG image"),
    (b"\xFF\xD8\xFF", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"\x93NUMPY", "a NumPy array"),
    (b"\x80\x04\x95", "a Python pickle"),
    (b"\x80\x05\x95", "a Python pickle"),
    (b"7z\xBC\xAF", "a 7-Zip archive"),
    (b"Rar!", "a RAR archive"),
    (b"BZh", "bzip2 data"),
    (b"\xFD7zXZ", "xz data"),
    (b"ORC", "an ORC file"),
    (b"Obj\x01", "an Avro file"),
    (b"$FL2", "an SPSS file"),
    (b"$FL3", "an SPSS file"),
    (b"<stata_dta>", "a Stata file"),
    (b"\x7FELF", "a program"),
    (b"{\\rtf", "a rich-text document"),
];

/// Compression formats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Compression {
    Uncompressed,
    Gzip,
    Zstd,
    #[cfg(feature = "archives")]
    Bzip2,
    #[cfg(feature = "archives")]
    Xz,
}

/// Names in the folder of `path` that are similar to it.
fn neighbors(path: &Path) -> Vec<String> {
    let Some(name) = path.file_name().and_then(|n| n.to_str()) else { return Vec::new() };
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty());
    let Ok(entries) = std::fs::read_dir(folder.unwrap_or(Path::new("."))) else { return Vec::new() };
    let mut names: Vec<String> = entries.flatten().filter_map(|e| e.file_name().into_string().ok()).take(10_000).collect();
    names.sort();
    let similar = closest_name(name, names.iter().map(String::as_str));
    similar.into_iter().map(|n| folder.map_or_else(|| n.clone(), |f| f.join(&n).display().to_string())).collect()
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

/// Decompressed bytes a file may have before its compression ratio is checked.
const TRUSTED_BYTES: u64 = 1 << 30;
/// Highest plausible compression ratio; tables of numbers reach 20, the emptiest real ones 200.
const TRUSTED_RATIO: u64 = 500;

enum UnpackedBytes {
    /// All there, to be read at once.
    Stored(Box<dyn Read + Send>),
    Pipe(PipeReader),
}

/// A reader of unpacked bytes that refuses bombs and names what is wrong with the packing.
pub(crate) struct Decompressor {
    name: String,
    inner: UnpackedBytes,
    packing: Compression,
    packed: Arc<std::sync::atomic::AtomicU64>,
    unpacked: u64,
    limit: Option<u64>,
}

impl Decompressor {
    /// Adds `count` bytes to `to`, or as many as are left; false when none is. Of a pipe only what comes without much waiting
    /// is added, but for the first bytes.
    pub(crate) fn fill(&mut self, to: &mut Vec<u8>, count: usize) -> Result<bool> {
        let filled = match &mut self.inner {
            UnpackedBytes::Stored(reader) => {
                to.reserve(count);
                reader.take(count as u64).read_to_end(to)
            }
            UnpackedBytes::Pipe(pipe) => pipe.fill(to, count),
        };
        let n = filled.map_err(|e| self.explain(e))?;
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
            #[cfg(feature = "archives")]
            Compression::Bzip2 => "bzip2",
            #[cfg(feature = "archives")]
            Compression::Xz => "xz",
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
