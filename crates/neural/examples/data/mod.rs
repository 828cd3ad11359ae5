//! Data sets of the folder `ERMINE_DATA`, for the examples.

use std::fs::File;
use std::io::{Error, ErrorKind, Read, Result};

use ermine_core::Mat;
use flate2::read::GzDecoder;

fn folder() -> Result<String> {
    std::env::var("ERMINE_DATA").map_err(|_| Error::new(ErrorKind::NotFound, "set ERMINE_DATA to the folder of the data sets"))
}

fn unpacked(name: &str) -> Result<Vec<u8>> {
    let path = format!("{}/{name}", folder()?);
    let file = File::open(&path).map_err(|e| Error::new(e.kind(), format!("{path}: {e}")))?;
    let mut out = Vec::new();
    GzDecoder::new(file).read_to_end(&mut out)?;
    Ok(out)
}

/// Images of Fashion-MNIST with pixels from 0 to 1, and their labels; `part` is `train` or `t10k`.
pub fn clothes(part: &str) -> Result<(Mat<f32>, Vec<u32>)> {
    let images = unpacked(&format!("fashion_mnist/{part}-images-idx3-ubyte.gz"))?;
    let labels = unpacked(&format!("fashion_mnist/{part}-labels-idx1-ubyte.gz"))?;
    let x: Vec<f32> = images[16..].iter().map(|b| f32::from(*b) / 255.0).collect();
    let y: Vec<u32> = labels[8..].iter().map(|b| u32::from(*b)).collect();
    Ok((Mat::from_vec(y.len(), 784, x), y))
}

/// The numbers of the Californian districts without missing cells, and the value of a house in units of 100 000.
#[allow(dead_code)] // Not every example asks for it.
pub fn houses() -> Result<(Mat<f64>, Vec<f64>)> {
    let text = String::from_utf8(unpacked("california_housing.csv.gz")?).map_err(|e| Error::new(ErrorKind::InvalidData, e))?;
    let (mut x, mut y) = (Vec::new(), Vec::new());
    for line in text.lines().skip(1) {
        let cells: Vec<Option<f64>> = line.split(',').take(9).map(|c| c.parse().ok()).collect();
        if let Some(row) = cells.into_iter().collect::<Option<Vec<f64>>>() {
            x.extend_from_slice(&row[..8]);
            y.push(row[8] / 1e5);
        }
    }
    Ok((Mat::from_vec(y.len(), 8, x), y))
}
