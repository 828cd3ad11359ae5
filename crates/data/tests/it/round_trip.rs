//! Written tables read back unchanged.
#![cfg(feature = "arrow")]

use ermine_core::{Column, ColumnKind, Field, Schema, Table};
use ermine_data::{ReadOptions, TableStream, WriteOptions, read, to_batch, write_table};
use proptest::prelude::*;

/// Text that no reader takes for missing.
fn word() -> impl Strategy<Value = String> {
    "[a-zA-Z0-9 ,;\"'\n\r\t|äß→\u{1F9A6}._-]{1,12}".prop_filter("markers are missing", |s| {
        let t = s.trim();
        !t.is_empty() && !["NA", "?"].contains(&t) && !t.eq_ignore_ascii_case("nan") && !t.eq_ignore_ascii_case("null")
    })
}

fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        any::<f64>().prop_filter("missing is told apart by the column", |v| !v.is_nan()),
        (-1000i32..1000).prop_map(f64::from),
        (-1e6..1e6f64).prop_map(|v| (v * 100.0).round() / 100.0),
        Just(f64::NAN),
        Just(f64::INFINITY),
    ]
}

fn column(rows: usize) -> impl Strategy<Value = (ColumnKind, Column)> {
    let cells = || prop::collection::vec(prop::option::weighted(0.9, word()), rows);
    prop_oneof![
        prop::collection::vec(number(), rows).prop_map(|v| (ColumnKind::Number, Column::numbers(v))),
        prop::collection::vec(-30_000i32..30_000, rows)
            .prop_map(|v| (ColumnKind::Date, Column::numbers(v.into_iter().map(f64::from).collect()))),
        cells().prop_map(|c| (ColumnKind::Category, Column::categories(&c))),
        cells().prop_map(|c| (ColumnKind::Text, Column::Text(c))),
    ]
}

fn tables() -> impl Strategy<Value = Table> {
    (0usize..30, 1usize..6).prop_flat_map(|(rows, cols)| {
        let names = prop::collection::btree_set(word().prop_map(|w| w.trim().to_owned()), cols..=cols);
        (names, prop::collection::vec(column(rows), cols)).prop_map(|(names, columns)| {
            let mut fields = Vec::new();
            let mut cells = Vec::new();
            for (name, (kind, column)) in names.into_iter().zip(columns) {
                let categories = if let Column::Category { names, .. } = &column { names.clone() } else { Default::default() };
                fields.push(Field { name, kind, categories });
                cells.push(column);
            }
            Table::with_schema(Schema { fields }, cells).unwrap()
        })
    })
}

/// Equal to the bit; NaN is missing and equal to itself.
fn assert_same(a: &Table, b: &Table) {
    assert_eq!(a.schema(), b.schema());
    for (x, y) in a.columns().zip(b.columns()) {
        match (x, y) {
            (Column::Number { values: v, valid: p }, Column::Number { values: w, valid: q }) => {
                let bits = |v: &[f64]| v.iter().map(|v| if v.is_nan() { u64::MAX } else { v.to_bits() }).collect::<Vec<_>>();
                assert_eq!(bits(v), bits(w));
                assert_eq!(p, q);
            }
            (x, y) => assert_eq!(x, y),
        }
    }
}

fn options(table: &Table) -> ReadOptions {
    let types = table.schema().fields.iter().map(|f| (f.name.clone(), f.kind)).collect();
    ReadOptions { types, header: Some(true), ..ReadOptions::default() }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn tables_survive_every_format(table in tables()) {
        let folder = tempfile::tempdir().unwrap();
        for name in ["t.csv", "t.tsv", "t.csv.gz", "t.csv.zst", "t.parquet", "t.arrow"] {
            let path = folder.path().join(name);
            let spec = path.to_str().unwrap();
            write_table(spec, &table, &WriteOptions::default()).unwrap();
            let mut options = options(&table);
            if name.contains(".csv") {
                // A sniffer could take text full of tabs for a table of tabs.
                options.delimiter = Some(b',');
            }
            let again = read(spec, &options).unwrap_or_else(|e| panic!("{name}: {e}"));
            assert_same(&again.table, &table);
            // The stream yields the same rows.
            let stream = TableStream::open(spec, &options).unwrap();
            prop_assert_eq!(stream.rows(), table.rows());
            let mut all = table.take_rows(&[]);
            stream.scan(&mut |block| {
                all.append_rows(block);
                Ok(ermine_core::Flow::Continue)
            }).unwrap();
            prop_assert_eq!(all.rows(), table.rows());
            for (a, b) in all.columns().zip(table.columns()) {
                match (a, b) {
                    (Column::Number { values: a, .. }, Column::Number { values: b, .. }) => {
                        prop_assert!(a.iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())));
                    }
                    (a, b) => prop_assert_eq!(a, b),
                }
            }
        }
        let batch = to_batch(&table.view()).unwrap();
        let again = ermine_data::table_from_batches(&batch.schema(), std::slice::from_ref(&batch), &options(&table).types).unwrap();
        assert_same(&again, &table);
    }
}

#[test]
fn formulas_are_made_harmless_on_request() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.csv");
    let cells = vec![Some("=1+1".to_owned()), Some("plain".into()), Some("@x, y".into())];
    let table = Table::new([("a", Column::Text(cells)), ("n", Column::numbers(vec![-1.0, 2.0, f64::NAN]))]).unwrap();
    let options = WriteOptions { formula_safe: true, ..WriteOptions::default() };
    write_table(path.to_str().unwrap(), &table, &options).unwrap();
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "a,n\n'=1+1,-1\nplain,2\n\"'@x, y\",\n");
}

#[test]
fn a_failed_write_leaves_the_old_file_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.csv");
    std::fs::write(&path, "old").unwrap();
    let table = Table::new([("a", Column::numbers(vec![1.0]))]).unwrap();
    let mut writer = ermine_data::TableWriter::create(path.to_str().unwrap(), table.schema(), &WriteOptions::default()).unwrap();
    writer.write(&table.view()).unwrap();
    drop(writer);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "old");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "no temporary file is left");
    assert!(write_table("/nonexistent/folder/t.csv", &table, &WriteOptions::default()).is_err());
    assert!(write_table(folder.path().to_str().unwrap(), &table, &WriteOptions::default()).is_err());
}
