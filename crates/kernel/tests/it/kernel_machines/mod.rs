//! Kernel machines on real data, against `fixtures/reference/svm_kernels.json`, and against hostile data.

mod hostile;
mod linear;
mod real_data;
mod ridge;
mod svm;

use std::io::Read;

use ermine_core::{Csr, Dataset, Features, Mat, Target};
use serde_json::Value;

const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures");

pub fn case(id: &str) -> Value {
    let text = std::fs::read_to_string(format!("{FIXTURES}/reference/svm_kernels.json")).unwrap();
    let book: Value = serde_json::from_str(&text).unwrap();
    book["cases"].as_array().unwrap().iter().find(|c| c["id"] == id).unwrap_or_else(|| panic!("no case {id}")).clone()
}

fn text(file: &str) -> String {
    let mut text = String::new();
    let file = std::fs::File::open(format!("{FIXTURES}/data/{file}")).unwrap();
    flate2::read::GzDecoder::new(file).read_to_string(&mut text).unwrap();
    text
}

/// The columns of a file of numbers, the target last.
pub fn numbers(file: &str) -> Vec<Vec<f64>> {
    let text = text(file);
    let rows: Vec<Vec<f64>> = text.lines().skip(1).map(|l| l.split(',').map(|v| v.parse().unwrap()).collect()).collect();
    (0..rows[0].len()).map(|j| rows.iter().map(|r| r[j]).collect()).collect()
}

pub fn standardised(column: &[f64]) -> Vec<f64> {
    let n = column.len() as f64;
    let mean = column.iter().sum::<f64>() / n;
    let sd = (column.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n).sqrt();
    column.iter().map(|v| (v - mean) / sd).collect()
}

pub fn matrix(columns: &[Vec<f64>]) -> Mat<f64> {
    Mat::from_fn(columns[0].len(), columns.len(), |i, j| columns[j][i])
}

/// Standardised columns and the target of a file.
pub fn scaled(file: &str) -> (Mat<f64>, Vec<f64>) {
    let mut columns = numbers(file);
    let y = columns.pop().unwrap();
    (matrix(&columns.iter().map(|c| standardised(c)).collect::<Vec<_>>()), y)
}

/// The design of the German credit data: standardised numbers, then 0/1 columns but for the first level of each word; the target is
/// whether the risk is bad.
pub fn german() -> (Mat<f64>, Vec<f64>) {
    let text = text("german_credit.csv.gz");
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next().unwrap().split(',').collect();
    let rows: Vec<Vec<&str>> = lines.map(|l| l.split(',').collect()).collect();
    let cells = |j: usize| rows.iter().map(|r| r[j]).collect::<Vec<_>>();
    let (mut columns, mut words) = (Vec::new(), Vec::new());
    for j in 0..names.len() - 1 {
        let parsed: Option<Vec<f64>> = cells(j).iter().map(|c| c.parse().ok()).collect();
        match parsed {
            Some(values) => columns.push(standardised(&values)),
            None => {
                let cells = cells(j);
                let mut levels = cells.clone();
                levels.sort_unstable();
                levels.dedup();
                words.extend(levels.iter().skip(1).map(|l| cells.iter().map(|c| f64::from(u8::from(c == l))).collect()));
            }
        }
    }
    columns.append(&mut words);
    let y = cells(names.len() - 1).iter().map(|c| f64::from(u8::from(*c == "bad"))).collect();
    (matrix(&columns), y)
}

/// The first rows of a file of libsvm text with 123 columns, and whether their label is +1.
pub fn a9a(file: &str, rows: usize) -> (Csr, Vec<f64>) {
    let (mut indptr, mut indices, mut values, mut y) = (vec![0], Vec::new(), Vec::new(), Vec::new());
    for line in text(file).lines().take(rows) {
        let mut parts = line.split_whitespace();
        y.push(f64::from(u8::from(parts.next().unwrap().parse::<f64>().unwrap() > 0.0)));
        for part in parts {
            let (j, v) = part.split_once(':').unwrap();
            indices.push(j.parse::<u32>().unwrap() - 1);
            values.push(v.parse().unwrap());
        }
        indptr.push(values.len());
    }
    (Csr::new(indptr, indices, values, 123).unwrap(), y)
}

/// Two classes, the second where y is 1.
pub fn classes(y: &[f64]) -> (Vec<u32>, Vec<String>) {
    (y.iter().map(|&v| v as u32).collect(), vec!["0".into(), "1".into()])
}

pub fn with_classes<'a>(x: Features<'a>, (codes, names): &'a (Vec<u32>, Vec<String>)) -> Dataset<'a> {
    Dataset::new(x).with_target(Target::Class { codes, names })
}

pub fn near(got: f64, want: f64, tolerance: f64, what: &str) {
    assert!((got - want).abs() <= tolerance, "{what}: {got}, not {want} (within {tolerance:e})");
}
