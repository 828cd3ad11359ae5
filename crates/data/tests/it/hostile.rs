//! Malformed, odd or malicious text: the right table, or an error with line and column; never a panic.

use std::io::Write;
use std::path::{Path, PathBuf};

use ermine_core::{Column, ColumnKind, Error, Table};
use ermine_data::{ReadOptions, RepairPolicy, TableStream, read, read_table};
use tempfile::TempDir;

struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn file(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }
}

fn table(bytes: impl AsRef<[u8]>) -> Result<Table, Error> {
    table_with(bytes, RepairPolicy::Small)
}

fn table_with(bytes: impl AsRef<[u8]>, repair: RepairPolicy) -> Result<Table, Error> {
    let folder = Folder::new();
    let path = folder.file("t.csv", bytes);
    let options = ReadOptions { repair, ..ReadOptions::default() };
    let table = read(path.to_str().unwrap(), &options).map(|loaded| loaded.table);
    // All readers must agree on whether the text is valid.
    let stream = TableStream::open(path.to_str().unwrap(), &options);
    assert_eq!(table.is_ok(), stream.is_ok());
    table
}

fn numbers(table: &Table, name: &str) -> Vec<f64> {
    match table.column(name).unwrap() {
        Column::Number { values, .. } => values.clone(),
        other => panic!("{name} is {other:?}"),
    }
}

fn strings(table: &Table, name: &str) -> Vec<Option<String>> {
    match table.column(name).unwrap() {
        Column::Category { codes, names } => codes.iter().map(|&c| names.get(c as usize).cloned()).collect(),
        Column::Text(cells) => cells.clone(),
        other => panic!("{name} is {other:?}"),
    }
}

/// What is repaired by default, and refused by those who want to know of it.
#[track_caller]
fn refused(bytes: impl AsRef<[u8]>, line: u64, column: u64, words: &str) {
    match table_with(bytes, RepairPolicy::Never) {
        Err(Error::Parse { line: l, column: c, message, .. }) => {
            assert_eq!((l, c), (line, column), "{message}");
            assert!(message.contains(words), "{message}");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn quotes_hold_delimiters_newlines_and_quotes() {
    let t = table("a,b\n\"x,1\",\"line one\nline two\"\n\"say \"\"hi\"\"\",\"\"\"\"\n").unwrap();
    assert_eq!(strings(&t, "a"), [Some("x,1".into()), Some("say \"hi\"".into())]);
    assert_eq!(strings(&t, "b"), [Some("line one\nline two".into()), Some("\"".into())]);
}

#[test]
fn line_ends_of_every_sort() {
    for text in [
        "a,b\n1,2\n3,4\n",
        "a,b\r\n1,2\r\n3,4\r\n",
        "a,b\r1,2\r3,4\r",
        "a,b\n1,2\n3,4",
        "a,b\r\n1,2\n3,4\r\n",
        "\n\na,b\n\n1,2\n\n\n3,4\n\n",
    ] {
        let t = table(text).unwrap();
        assert_eq!((numbers(&t, "a"), numbers(&t, "b")), (vec![1.0, 3.0], vec![2.0, 4.0]), "{text:?}");
    }
}

#[test]
fn a_byte_order_mark_is_no_part_of_the_name() {
    assert_eq!(numbers(&table("\u{feff}a,b\n1,2\n").unwrap(), "a"), [1.0]);
    let t = table("\u{feff}\"a b\",b\n1,2\n").unwrap();
    assert_eq!(numbers(&t, "a b"), [1.0]);
    let utf16: Vec<u8> = [0xFF, 0xFE].into_iter().chain("a,b\n1,2\n".encode_utf16().flat_map(u16::to_le_bytes)).collect();
    assert_eq!(numbers(&table(&utf16).unwrap(), "a"), [1.0]);
    assert!(table_with(utf16, RepairPolicy::Never).unwrap_err().to_string().contains("UTF-16"));
}

#[test]
fn ragged_rows_are_counted() {
    refused("a,b,c\n1,2,3\n4,5\n", 3, 2, "has 2 cells, and 3 columns");
    refused("a,b\n1,2\n3,4\n5,6,7\n", 4, 3, "has 3 cells, and 2 columns");
    refused("a,b\n1,\"x\ny\"\n3\n", 4, 1, "has 1 cell,");
    refused("a,b\n1,2,\n", 2, 3, "has 3 cells");
    // Far into a file of several chunks.
    let mut text = String::from("a,b\n");
    (0..400_000).for_each(|i| text.push_str(&format!("{i},{i}\n")));
    text.push_str("1\n");
    refused(&text, 400_002, 1, "has 1 cell,");
}

#[test]
fn broken_quotes_are_placed() {
    refused("a,b\n1,\"open\n2,3\n", 2, 2, "never closed");
    refused("a,b\n1,\"x\"y\n", 2, 2, "follows a closing quote");
    refused("a,\"b\n1,2\n", 1, 2, "never closed");
    // A quote inside an unquoted cell is an ordinary character.
    let t = table("size,n\n5\" pipe,1\nsix\"\",2\n").unwrap();
    assert_eq!(strings(&t, "size"), [Some("5\" pipe".into()), Some("six\"\"".into())]);
}

#[test]
fn bytes_that_are_no_text_are_placed() {
    refused(b"a,b\n1,x\n2,\xFF\xFE\n", 3, 2, "0xFF is not UTF-8");
    refused(b"a,b\n1,x\n2,y\0z\n", 3, 2, "NUL");
    refused(b"a\xC3\x28,b\n1,x\n", 1, 1, "not UTF-8");
    refused(b"a,b\n1,2\n\xE9,3\n", 3, 1, "not UTF-8");
}

#[test]
fn next_to_nothing() {
    for empty in ["", "\n", "\r\n\r\n", "  \n", "\u{feff}"] {
        assert!(table(empty).unwrap_err().to_string().contains("empty"), "{empty:?}");
    }
    let t = table("a,b\n").unwrap();
    assert_eq!((t.rows(), t.schema().len()), (0, 2));
    let t = table("a,b").unwrap();
    assert_eq!((t.rows(), t.schema().len()), (0, 2));
    let t = table("1.5,2\n").unwrap();
    assert_eq!((t.rows(), numbers(&t, "x0")), (1, vec![1.5]));
    let t = table("a\n7\n").unwrap();
    assert_eq!(numbers(&t, "a"), [7.0]);
    let t = table("a,b\n,\n,\n").unwrap();
    assert_eq!(t.view().missing(1), Some((2, 0)));
    let t = table(",\n").unwrap();
    assert_eq!(t.schema().names().collect::<Vec<_>>(), ["unnamed_1", "unnamed_2"]);
}

#[test]
fn names_become_unique() {
    let folder = Folder::new();
    let path = folder.file("t.csv", "a,a,a_2,,b\n1,2,3,4,5\n");
    let loaded = read(path.to_str().unwrap(), &ReadOptions::default()).unwrap();
    assert_eq!(loaded.table.schema().names().collect::<Vec<_>>(), ["a", "a_3", "a_2", "unnamed_4", "b"]);
    assert!(loaded.notes[0].contains("\"a\" occurs twice"), "{:?}", loaded.notes);
}

#[test]
fn a_late_contradiction_widens_the_column() {
    let mut text = String::from("n,m,d,s\n");
    for i in 0..100_000 {
        let m = if i == 90_000 { "many".to_owned() } else { format!("{:.2}", f64::from(i % 7)) };
        let d = if i == 50_000 { "never" } else { "2020-01-01" };
        text.push_str(&format!("{i}.50,{m},{d},s{}\n", i % 3));
    }
    let t = table(&text).unwrap();
    let kinds: Vec<ColumnKind> = t.schema().fields.iter().map(|f| f.kind).collect();
    assert_eq!(kinds, [ColumnKind::Number, ColumnKind::Number, ColumnKind::Category, ColumnKind::Category]);
    // One word among numbers is a missing number; the text of other cells is kept unchanged, in the rows before too.
    let m = numbers(&t, "m");
    assert_eq!((m[3], m[89_999], m.iter().filter(|v| v.is_nan()).count()), (3.0, 0.0, 1));
    assert!(m[90_000].is_nan());
    assert_eq!(strings(&t, "d")[49_999].as_deref(), Some("2020-01-01"));
    assert_eq!(strings(&t, "d")[50_000].as_deref(), Some("never"));
    assert_eq!(numbers(&t, "n")[99_999], 99_999.5);
}

#[test]
fn markers_and_overrides() {
    let folder = Folder::new();
    let path = folder.file("t.csv", "a,b,c\nNA,x,1\n?,null,2\nnan,NULL,-99\n5,\"\",4\n na ,y,5\n");
    let spec = path.to_str().unwrap();
    let t = read_table(spec).unwrap();
    assert_eq!(strings(&t, "a"), [None, None, None, Some("5".into()), Some("na".into())]);
    assert_eq!(strings(&t, "b"), [Some("x".into()), None, None, None, Some("y".into())]);
    let options = ReadOptions { missing: Some(vec!["-99".into(), "NA".into()]), ..ReadOptions::default() };
    let t = read(spec, &options).unwrap().table;
    assert_eq!(t.view().missing(2), Some((1, 2)));
    assert_eq!(strings(&t, "a")[1].as_deref(), Some("?"));
    let mut options = ReadOptions::default();
    options.types.insert("c".into(), ColumnKind::Category);
    let loaded = read(spec, &options).unwrap();
    assert_eq!(**loaded.table.schema().fields[2].categories, ["-99", "1", "2", "4", "5"]);
    assert_eq!(loaded.reasons[2], "as asked for");
    options.types.insert("b".into(), ColumnKind::Number);
    let error = read(spec, &options).unwrap_err().to_string();
    assert!(error.contains("line 2, column 2") && error.contains("\"x\" in column \"b\" is not a number"), "{error}");
    let options = ReadOptions { types: [("aa".to_owned(), ColumnKind::Text)].into(), ..ReadOptions::default() };
    assert!(read(spec, &options).unwrap_err().to_string().contains("no column \"aa\""));
}

#[test]
fn a_decimal_comma_between_semicolons() {
    let t = table("a;b\n1,5;x\n2,25;y\n;z\n").unwrap();
    assert_eq!(&numbers(&t, "a")[..2], [1.5, 2.25]);
    let t = table("a;b\n1,5;0.5\n2,25;1\n").unwrap();
    assert_eq!((numbers(&t, "a"), numbers(&t, "b")), (vec![1.5, 2.25], vec![0.5, 1.0]));
}

#[test]
fn dates_are_days() {
    let t = table("d,t\n1970-01-02,1970-01-01T12:00\n,1970-01-01 00:00:00Z\n").unwrap();
    assert_eq!(t.schema().fields[0].kind, ColumnKind::Date);
    assert_eq!(numbers(&t, "d")[0], 1.0);
    assert_eq!(t.view().missing(0), Some((1, 1)));
    assert_eq!(numbers(&t, "t"), [0.5, 0.0]);
}

#[test]
fn a_field_of_many_megabytes() {
    // The full 100 MB are only tested without debug assertions; the code does not depend on it.
    let size = if cfg!(debug_assertions) { 20 << 20 } else { 100 << 20 };
    let mut text = b"a,b\n1,\"".to_vec();
    text.resize(text.len() + size, b'x');
    text.extend_from_slice(b"\"\n2,y\n");
    let t = table(&text).unwrap();
    assert_eq!(strings(&t, "b")[0].as_ref().map(String::len), Some(size));
    assert_eq!(strings(&t, "b")[1].as_deref(), Some("y"));
}

#[test]
fn a_hundred_thousand_columns() {
    let names: Vec<String> = (0..100_000).map(|j| format!("c{j}")).collect();
    let row = vec!["1"; 100_000].join(",");
    let t = table(format!("{}\n{row}\n{row}\n", names.join(","))).unwrap();
    assert_eq!((t.rows(), t.schema().len()), (2, 100_000));
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    out.write_all(bytes).unwrap();
    out.finish().unwrap()
}

#[test]
fn packed_files_are_unpacked_by_content() {
    let folder = Folder::new();
    let text = b"a,b\n1,2\n3,4\n";
    let zst = zstd::encode_all(&text[..], 3).unwrap();
    let two = [gzip(b"a,b\n1,2\n"), gzip(b"3,4\n")].concat();
    for (name, bytes) in
        [("a.csv.gz", gzip(text)), ("b.csv.zst", zst.clone()), ("c.csv", gzip(text)), ("d", zst), ("e.csv.gz", two)]
    {
        let path = folder.file(name, bytes);
        assert_eq!(numbers(&read_table(&path).unwrap(), "b"), [2.0, 4.0], "{name}");
    }
}

#[test]
fn a_packed_file_cut_anywhere_or_damaged_is_refused() {
    let folder = Folder::new();
    let text: String = (0..300).map(|i| format!("{i},{}\n", i * i)).collect();
    let text = format!("a,b\n{text}");
    for (name, packed) in [("t.csv.gz", gzip(text.as_bytes())), ("t.csv.zst", zstd::encode_all(text.as_bytes(), 3).unwrap())] {
        for cut in (12..packed.len()).step_by(5) {
            let error = read_table(folder.file(name, &packed[..cut])).unwrap_err().to_string();
            assert!(error.contains("truncated") || error.contains("damaged"), "{cut}: {error}");
        }
        for at in (12..packed.len() - 8).step_by(7) {
            let mut bytes = packed.clone();
            bytes[at] ^= 0x40;
            // The check sum of gzip finds every flip; zstd frames have none by default, so some text may come through.
            let result = read_table(folder.file(name, bytes));
            assert!(name.ends_with("zst") || result.is_err(), "{at}");
        }
    }
}

#[test]
fn a_bomb_is_refused_at_the_limit() {
    let folder = Folder::new();
    let path = folder.file("bomb.csv.gz", gzip(&b"1,1\n".repeat(4 << 20)));
    let options = ReadOptions { max_unpacked: Some(8 << 20), ..ReadOptions::default() };
    let error = read(path.to_str().unwrap(), &options).unwrap_err().to_string();
    assert!(error.contains("compression bomb"), "{error}");
    let path = folder.file("bomb.csv.zst", zstd::encode_all(&b"1,1\n".repeat(4 << 20)[..], 3).unwrap());
    let error = TableStream::open(path.to_str().unwrap(), &options).err().unwrap().to_string();
    assert!(error.contains("compression bomb"), "{error}");
}

#[test]
fn files_that_are_not_there() {
    let folder = Folder::new();
    folder.file("penguins.csv", "a\n1\n");
    let missing = folder.0.path().join("penguin.csv");
    let error = read_table(&missing).unwrap_err().to_string();
    assert!(error.contains("there is no file") && error.contains("penguins.csv"), "{error}");
    let error = read_table(folder.0.path()).unwrap_err().to_string();
    assert!(error.contains("folder"), "{error}");
    let error = read_table(folder.0.path().join("*.tsv")).unwrap_err().to_string();
    assert!(error.contains("no file matches"), "{error}");
    assert!(read_table("example:iriss").unwrap_err().to_string().contains("did you mean \"iris\""));
    assert!(read_table(Path::new("/proc/self/mem")).is_err());
}

#[test]
fn several_files_are_one_table() {
    let folder = Folder::new();
    folder.file("part-2.csv", "a,b\n3,z\n");
    folder.file("part-1.csv", "a,b\r\n1,x\r\n2,y\r\n");
    let spec = folder.0.path().join("part-*.csv");
    let t = read_table(&spec).unwrap();
    assert_eq!(numbers(&t, "a"), [1.0, 2.0, 3.0]);
    assert_eq!(strings(&t, "b")[2].as_deref(), Some("z"));
    folder.file("part-3.csv", "a,c\n3,z\n");
    let error = read_table(&spec).unwrap_err().to_string();
    assert!(error.contains("part-3.csv") && error.contains("\"c\"") && error.contains("\"b\""), "{error}");
}

#[test]
fn numbers_are_read_in_parallel_as_they_are_in_a_row() {
    // Many pieces, rows of uneven length, blank lines, no line end at the end.
    let mut text = String::from("a,b,c\n");
    let mut expected = Vec::new();
    for i in 0..60_000 {
        let row = [f64::from(i), f64::from(i) * 0.37, 1.0 / f64::from(i + 1)];
        text.push_str(&format!("{},{:.3},{}\n", row[0], row[1], row[2]));
        expected.extend([row[0], format!("{:.3}", row[1]).parse().unwrap(), row[2]]);
        if i % 10_000 == 17 {
            text.push_str("\r\n   \n");
        }
    }
    text.push_str("7,,NA");
    let folder = Folder::new();
    let whole = read_table(folder.file("t.csv", &text)).unwrap();
    assert_eq!((whole.rows(), whole.schema().names().collect::<Vec<_>>()), (60_001, vec!["a", "b", "c"]));
    for (j, name) in ["a", "b", "c"].into_iter().enumerate() {
        let cells = numbers(&whole, name);
        assert!(cells.iter().zip(expected.iter().skip(j).step_by(3)).all(|(a, b)| a == b), "{name}");
        assert!(if name == "a" { cells[60_000] == 7.0 } else { cells[60_000].is_nan() }, "{name}");
    }
    let options = ReadOptions { types: [("a".to_owned(), ColumnKind::Number)].into(), ..ReadOptions::default() };
    let path = folder.file("u.csv", text.replace("\n59999,", "\nsix,"));
    let error = read(path.to_str().unwrap(), &options).unwrap_err();
    assert!(error.to_string().contains("line 60013, column 1: \"six\" in column \"a\""), "{error}");
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(400))]
    /// Whatever the bytes, every reader ends with a table or an error, and all agree on which.
    #[test]
    fn any_bytes_end_well(
        bytes in proptest::collection::vec(
            proptest::sample::select(&b"\n\n\n,,,,;\t|\"\"\r\r 01239.-+eEnaNA?\xEF\xBB\xBF\xFF\0\x1F\x8B\x08"[..]), 0..60)
    ) {
        let _ = table(&bytes);
        let _ = table_with(&bytes, RepairPolicy::Any);
        let _ = table_with(&bytes, RepairPolicy::Never);
        let folder = Folder::new();
        for name in ["t.libsvm", "t-ubyte", "t.tsv", "t"] {
            let _ = read_table(folder.file(name, &bytes));
        }
    }
}

#[test]
fn a_far_column_of_sparse_text_does_not_become_a_table() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("far.libsvm");
    std::fs::write(&path, "1 134217728:0.5\n-1 2:1\n").unwrap();
    let e = ermine_data::read_table(path.to_str().unwrap()).unwrap_err().to_string();
    assert!(e.contains("134217728 columns") && e.contains("sparse rows"), "{e}");
}
