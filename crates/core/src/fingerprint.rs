//! A fingerprint of rows, by which the same rows are recognized.

use crate::{DatasetRef, Features, MISSING_CODE, Schema, Target};

/// Hexadecimal digits of a fingerprint.
const HEX_LEN: usize = 32;

/// Bytes that are buffered before they are hashed.
const BUFFER_BYTES: usize = 16 << 10;

impl DatasetRef<'_> {
    /// Fingerprint of the column names, all cells, the target and the weights: rows that differ in anything have
    /// another one (BLAKE3, 128 bits). Codes of categories do not matter, only their names; nor do the sign of zero,
    /// the payload of NaN, or whether numbers are in a table, a matrix or sparse rows.
    pub fn fingerprint(&self) -> String {
        let mut print = Fingerprint::new(&self.schema_or_unnamed());
        print.add(self);
        print.finish()
    }
}

/// Computes [`DatasetRef::fingerprint`] for rows that come in blocks; it does not depend on how they are cut.
pub struct Fingerprint {
    hasher: blake3::Hasher,
    bytes: Vec<u8>,
    begun: bool,
}

impl Fingerprint {
    /// No rows yet, with these columns.
    pub fn new(schema: &Schema) -> Self {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&(schema.len() as u64).to_le_bytes());
        for name in schema.names() {
            hasher.update(&(name.len() as u64).to_le_bytes());
            hasher.update(name.as_bytes());
        }
        Self { hasher, bytes: Vec::with_capacity(2 * BUFFER_BYTES), begun: false }
    }

    /// Adds further rows, in their order.
    pub fn add(&mut self, rows: &DatasetRef<'_>) {
        if !std::mem::replace(&mut self.begun, true) {
            let (kind, outputs) = match &rows.y {
                Target::None => (0, 0),
                Target::Real(_) => (1, 1),
                Target::Reals(y) => (2, y.cols() as u64),
                Target::Class { .. } => (3, 1),
            };
            self.bytes.extend([kind, u8::from(rows.weight.is_some())]);
            self.bytes.extend(outputs.to_le_bytes());
        }
        let columns: Vec<HashedColumn<'_>> = match &rows.x {
            Features::Table(t) => (0..t.cols())
                .map(|j| match (t.numbers(j), t.categories(j)) {
                    (Some(values), _) => HashedColumn::Numbers(values),
                    (_, Some((codes, names))) => HashedColumn::Names(codes, name_hashes(names)),
                    _ => HashedColumn::Other,
                })
                .collect(),
            _ => Vec::new(),
        };
        let classes = if let Target::Class { names, .. } = &rows.y { name_hashes(names) } else { Vec::new() };
        let mut sparse: Vec<(u32, f64)> = Vec::new();
        for i in 0..rows.rows() {
            match &rows.x {
                Features::Table(_) => {
                    for (j, column) in columns.iter().enumerate() {
                        match column {
                            HashedColumn::Numbers(values) => self.cell(j, values[i]),
                            HashedColumn::Names(codes, prints) => {
                                self.bytes.extend((2 * j as u64 + 1).to_le_bytes());
                                self.bytes.extend(name(codes[i], prints));
                            }
                            HashedColumn::Other => {}
                        }
                    }
                }
                Features::F64(m) => (0..m.cols()).for_each(|j| self.cell(j, *m.at(i, j))),
                Features::F32(m) => (0..m.cols()).for_each(|j| self.cell(j, f64::from(*m.at(i, j)))),
                Features::Csr(m) => {
                    let (indices, values) = m.row(i);
                    sparse.clear();
                    sparse.extend(indices.iter().copied().zip(values.iter().copied()));
                    // Indices may come in any order, and equal ones add up.
                    if indices.windows(2).any(|w| w[0] >= w[1]) {
                        sparse.sort_by_key(|cell| cell.0);
                        sparse.dedup_by(|next, kept| {
                            let same = next.0 == kept.0;
                            kept.1 += if same { next.1 } else { 0.0 };
                            same
                        });
                    }
                    sparse.iter().for_each(|&(j, v)| self.cell(j as usize, v));
                }
            }
            self.bytes.extend(u64::MAX.to_le_bytes());
            match &rows.y {
                Target::None => {}
                Target::Real(y) => self.bytes.extend(number(y[i])),
                Target::Reals(y) => (0..y.cols()).for_each(|j| self.bytes.extend(number(*y.at(i, j)))),
                Target::Class { codes, .. } => self.bytes.extend(name(codes[i], &classes)),
            }
            if let Some(weight) = rows.weight {
                self.bytes.extend(number(weight[i]));
            }
            if self.bytes.len() >= BUFFER_BYTES {
                self.hasher.update(&self.bytes);
                self.bytes.clear();
            }
        }
    }

    /// The fingerprint of all rows added.
    pub fn finish(mut self) -> String {
        self.hasher.update(&self.bytes);
        self.hasher.finalize().to_hex()[..HEX_LEN].to_owned()
    }

    /// A number with its column. Zeros are left out, as sparse rows leave them out.
    fn cell(&mut self, column: usize, value: f64) {
        if value != 0.0 {
            self.bytes.extend((2 * column as u64).to_le_bytes());
            self.bytes.extend(number(value));
        }
    }
}

/// A column of a table.
enum HashedColumn<'a> {
    Numbers(&'a [f64]),
    Names(&'a [u32], Vec<[u8; 8]>),
    Other,
}

fn number(v: f64) -> [u8; 8] {
    let same = if v.is_nan() { f64::NAN } else { v + 0.0 };
    same.to_bits().to_le_bytes()
}

fn name(code: u32, prints: &[[u8; 8]]) -> [u8; 8] {
    if code == MISSING_CODE { [0; 8] } else { prints[code as usize] }
}

fn name_hashes(names: &[String]) -> Vec<[u8; 8]> {
    let print = |name: &String| *blake3::hash(name.as_bytes()).as_bytes().first_chunk::<8>().expect("a hash has 32 bytes");
    names.iter().map(print).collect()
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
    fn equal_rows_have_equal_fingerprints_and_others_do_not() {
        let print = |t: &Table, y: &[f64], weight: Option<&[f64]>| {
            DatasetRef::new(Features::Table(t.view())).with_target(Target::Real(y)).with_weight(weight).fingerprint()
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
    fn blocks_and_sparse_rows_have_the_fingerprint_of_the_table() {
        let schema = Schema::unnamed(2);
        let cells = [0.0, 1.0, f64::NAN, -0.0, 2.5, 0.0];
        let y = [1.0, 2.0, 3.0];
        let of = |from: usize, to: usize| {
            let x = crate::MatRef::row_major(&cells[2 * from..2 * to], to - from, 2);
            DatasetRef::new(Features::F64(x)).with_target(Target::Real(&y[from..to]))
        };
        let whole = of(0, 3).fingerprint();
        for cut in 0..=3 {
            let mut print = Fingerprint::new(&schema);
            print.add(&of(0, cut));
            print.add(&of(cut, 3));
            assert_eq!(print.finish(), whole, "{cut}");
        }
        let mut other = Fingerprint::new(&schema);
        other.add(&of(1, 3));
        other.add(&of(0, 1));
        assert_ne!(other.finish(), whole, "the order of the rows counts");
        let columns = [0, 1].map(|j| Column::numbers((0..3).map(|i| cells[2 * i + j]).collect()));
        let table = Table::with_schema(schema.clone(), Vec::from(columns)).unwrap();
        assert_eq!(DatasetRef::new(Features::Table(table.view())).with_target(Target::Real(&y)).fingerprint(), whole);
        // Explicit zeros, and equal indices that add up.
        let (indptr, indices, values) = ([0, 3, 4, 5], [1, 0, 1, 0, 0], [0.5, 0.0, 0.5, f64::NAN, 2.5]);
        let sparse = crate::CsrRef::new(&indptr, &indices, &values, 2).unwrap();
        assert_eq!(DatasetRef::new(Features::Csr(sparse)).with_target(Target::Real(&y)).fingerprint(), whole);
    }

    #[test]
    fn the_hash_of_a_file_is_its_blake3_hash() {
        let file = tempfile::NamedTempFile::new().unwrap();
        // The first test vector of BLAKE3: the empty input.
        let empty = "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262";
        assert_eq!(hash_of_file(file.path()).unwrap(), empty);
    }
}
