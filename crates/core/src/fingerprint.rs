//! A short print of rows, by which the same rows are known again.

use crate::{Dataset, Features, MISSING_CODE, Target};

/// Letters of a print.
const LETTERS: usize = 32;

impl Dataset<'_> {
    /// A print of the names of the columns, all cells, the target and the weights: rows that differ in anything have another (BLAKE3, 128 bits).
    /// Codes of categories do not matter, only their names do; nor does the kind of zero or of NaN.
    pub fn fingerprint(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        let mut text = |s: &str| {
            hasher.update(&(s.len() as u64).to_le_bytes());
            hasher.update(s.as_bytes());
        };
        let schema = self.schema_or_unnamed();
        schema.names().for_each(&mut text);
        match &self.x {
            Features::Table(t) => {
                for j in 0..t.cols() {
                    if let Some(values) = t.numbers(j) {
                        numbers(&mut hasher, values.iter().copied());
                    } else if let Some((codes, names)) = t.categories(j) {
                        classes(&mut hasher, codes, names);
                    }
                }
            }
            Features::F64(m) => (0..m.cols()).for_each(|j| numbers(&mut hasher, m.col_iter(j))),
            Features::F32(m) => (0..m.cols()).for_each(|j| numbers(&mut hasher, m.col_iter(j).map(f64::from))),
            Features::Csr(m) => {
                for i in 0..m.rows() {
                    let (indices, values) = m.row(i);
                    indices.iter().for_each(|j| {
                        hasher.update(&j.to_le_bytes());
                    });
                    numbers(&mut hasher, values.iter().copied());
                }
            }
        }
        match &self.y {
            Target::None => {}
            Target::Real(y) => numbers(&mut hasher, y.iter().copied()),
            Target::Reals(y) => (0..y.cols()).for_each(|j| numbers(&mut hasher, y.col_iter(j))),
            Target::Class { codes, names } => classes(&mut hasher, codes, names),
        }
        if let Some(weight) = self.weight {
            numbers(&mut hasher, weight.iter().copied());
        }
        hasher.finalize().to_hex()[..LETTERS].to_owned()
    }
}

fn numbers(hasher: &mut blake3::Hasher, values: impl Iterator<Item = f64>) {
    let mut bytes = Vec::with_capacity(8 << 10);
    let mut count = 0u64;
    for v in values {
        let same = if v.is_nan() { f64::NAN } else { v + 0.0 };
        bytes.extend_from_slice(&same.to_bits().to_le_bytes());
        count += 1;
        if bytes.len() >= 8 << 10 {
            hasher.update(&bytes);
            bytes.clear();
        }
    }
    hasher.update(&bytes);
    hasher.update(&count.to_le_bytes());
}

fn classes(hasher: &mut blake3::Hasher, codes: &[u32], names: &[String]) {
    let print = |name: &String| *blake3::hash(name.as_bytes()).as_bytes().first_chunk::<8>().expect("a hash has 32 bytes");
    let prints: Vec<[u8; 8]> = names.iter().map(print).collect();
    for block in codes.chunks(1024) {
        let of = |&c: &u32| if c == MISSING_CODE { [0; 8] } else { prints[c as usize] };
        let bytes: Vec<u8> = block.iter().flat_map(of).collect();
        hasher.update(&bytes);
    }
    hasher.update(&(codes.len() as u64).to_le_bytes());
}

/// The BLAKE3 hash of a file, as `b3sum` prints it.
pub fn hash_of_file(path: &std::path::Path) -> crate::Result<String> {
    let mut hasher = blake3::Hasher::new();
    let mut file = std::fs::File::open(path).map_err(|e| crate::Error::io(path, e))?;
    std::io::copy(&mut file, &mut hasher).map_err(|e| crate::Error::io(path, e))?;
    Ok(hasher.finalize().to_hex().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Column, Table};
    use std::sync::Arc;

    fn table(a: f64, codes: Vec<u32>, names: &[&str]) -> Table {
        let names = Arc::new(names.iter().map(|n| (*n).to_owned()).collect::<Vec<_>>());
        Table::new([("a", Column::numbers(vec![a, f64::NAN])), ("b", Column::Category { codes, names })]).unwrap()
    }

    #[test]
    fn the_same_rows_have_the_same_print_and_others_another() {
        let print = |t: &Table, y: &[f64], weight: Option<&[f64]>| {
            Dataset::new(Features::Table(t.view())).with_target(Target::Real(y)).with_weight(weight).fingerprint()
        };
        let (t, y) = (table(0.0, vec![1, MISSING_CODE], &["x", "y"]), [1.0, 2.0]);
        let first = print(&t, &y, None);
        assert_eq!(first.len(), 32);
        assert_eq!(first, print(&table(-0.0, vec![0, MISSING_CODE], &["y"]), &y, None), "codes are only places");
        assert_ne!(first, print(&table(0.0, vec![0, MISSING_CODE], &["x", "y"]), &y, None));
        assert_ne!(first, print(&table(1.0, vec![1, MISSING_CODE], &["x", "y"]), &y, None));
        assert_ne!(first, print(&t, &[1.0, 2.5], None));
        assert_ne!(first, print(&t, &y, Some(&[1.0, 1.0])));
    }

    #[test]
    fn a_file_has_the_hash_that_everyone_computes() {
        let file = tempfile::NamedTempFile::new().unwrap();
        // The first test vector of BLAKE3: the empty input.
        let empty = "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262";
        assert_eq!(hash_of_file(file.path()).unwrap(), empty);
    }
}
