//! IDX, the format of MNIST and similar sets: bytes in any number of dimensions, the first of which counts the rows.

use std::path::Path;

use ermine_core::{Error, Result};

use crate::options::ReadOptions;
use crate::source::ByteSource;

/// Unsigned bytes, row after row.
pub(crate) struct Images {
    pub(crate) rows: usize,
    /// Bytes per row.
    pub(crate) cols: usize,
    pub(crate) bytes: Vec<u8>,
}

/// Reads a file of unsigned bytes.
pub(crate) fn read(source: &ByteSource, options: &ReadOptions) -> Result<Images> {
    let mut bytes = source.read_all(options)?;
    let broken = |message: String| Error::Format { path: source.name.clone(), message };
    let [0, 0, kind, dimensions, ..] = bytes[..] else {
        return Err(broken("this is no IDX file: it does not begin with two zero bytes".into()));
    };
    if kind != 8 {
        return Err(broken(format!("the elements are of type 0x{kind:02X}; only unsigned bytes (0x08) are read")));
    }
    let header = 4 + 4 * usize::from(dimensions);
    if dimensions == 0 || bytes.len() < header {
        return Err(broken(format!("the header of {dimensions} dimensions is not whole")));
    }
    let lengths = bytes[4..header].as_chunks::<4>().0.iter().map(|b| u32::from_be_bytes(*b) as usize);
    let lengths: Vec<usize> = lengths.collect();
    let cols = lengths[1..].iter().try_fold(1usize, |n, &d| n.checked_mul(d));
    let actual = bytes.len() - header;
    match cols.and_then(|c| c.checked_mul(lengths[0]).map(|n| (c, n))) {
        Some((cols, n)) if n == actual => {
            bytes.drain(..header);
            Ok(Images { rows: lengths[0], cols, bytes })
        }
        _ => {
            let shape = lengths.iter().map(usize::to_string).collect::<Vec<_>>().join(" x ");
            Err(broken(format!("{shape} elements are declared and {actual} are present")))
        }
    }
}

/// The label file that belongs to an image file by the naming convention: `train-labels-idx1-ubyte` for
/// `train-images-idx3-ubyte`, in the same folder, compressed or not.
pub(crate) fn labels_of(images: &Path) -> Option<ByteSource> {
    let name = images.file_name()?.to_str()?;
    let (start, rest) = name.split_once("-images")?;
    let plain = rest.replace("idx3", "idx1");
    let plain = plain.trim_end_matches(".gz").trim_end_matches(".zst");
    let candidates = ["", ".gz", ".zst"].map(|packing| images.with_file_name(format!("{start}-labels{plain}{packing}")));
    candidates.iter().find(|p| p.is_file()).and_then(|p| ByteSource::file(p).ok())
}
