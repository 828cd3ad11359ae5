//! Kernel machines on real data, against `fixtures/reference/svm_kernels.json`, and against hostile data.

mod hostile;
mod linear;
mod real_data;
mod ridge;
mod svm;

use ermine_core::{Csr, DatasetRef, Features, Mat, Target};
use ermine_fixtures::{TextTable, codes, text};
pub use ermine_fixtures::{Value, matrix, standardized, within};

pub fn case(id: &str) -> Value {
    ermine_fixtures::case("svm_kernels", id)
}

/// The columns of a data set of numbers, the target last.
pub fn columns(name: &str) -> Vec<Vec<f64>> {
    let table = TextTable::read(name);
    table.names.iter().map(|n| table.numbers(n)).collect()
}

/// Standardized columns and the target of a data set.
pub fn scaled(name: &str) -> (Mat<f64>, Vec<f64>) {
    let mut columns = columns(name);
    let y = columns.pop().unwrap();
    (matrix(&columns.iter().map(|c| standardized(c)).collect::<Vec<_>>()), y)
}

/// The design of the German credit data: standardized numbers, then 0/1 columns but for the first level of each word; the target is
/// whether the risk is bad.
pub fn german() -> (Mat<f64>, Vec<f64>) {
    let table = TextTable::read("german_credit");
    let (mut columns, mut words) = (Vec::new(), Vec::new());
    for name in table.others(&["risk"]) {
        let cells = table.column(name);
        match cells.iter().map(|c| c.parse().ok()).collect::<Option<Vec<f64>>>() {
            Some(values) => columns.push(standardized(&values)),
            None => {
                let (codes, levels) = codes(cells);
                words.extend((1..levels.len() as u32).map(|l| codes.iter().map(|c| f64::from(u8::from(*c == l))).collect()));
            }
        }
    }
    columns.append(&mut words);
    let y = table.column("risk").iter().map(|c| f64::from(u8::from(c == "bad"))).collect();
    (matrix(&columns), y)
}

/// The first rows of a file of libsvm text with 123 columns, and whether their label is +1.
pub fn a9a(file: &str, rows: usize) -> (Csr, Vec<f64>) {
    let (mut indptr, mut indices, mut values, mut y) = (vec![0], Vec::new(), Vec::new(), Vec::new());
    for line in text(&format!("data/{file}")).lines().take(rows) {
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

pub fn with_classes<'a>(x: Features<'a>, (codes, names): &'a (Vec<u32>, Vec<String>)) -> DatasetRef<'a> {
    DatasetRef::new(x).with_target(Target::Class { codes, names })
}
