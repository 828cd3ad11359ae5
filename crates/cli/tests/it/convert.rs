//! Files as people have them: what is read, what is repaired, what is said of it.

use std::path::PathBuf;

use crate::command::{fails, json, ok, path, run};

struct Files(tempfile::TempDir);

impl Files {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn file(&self, name: &str, bytes: impl AsRef<[u8]>) -> String {
        std::fs::write(self.0.path().join(name), bytes).unwrap();
        path(self.0.path(), name)
    }

    fn out(&self, name: &str) -> String {
        path(self.0.path(), name)
    }
}

/// The folder of damaged files.
fn damaged(name: &str) -> String {
    path(&PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/damaged"), name)
}

/// What converting a damaged file gives, and what is said of it. Lines fit on a terminal of 80 columns.
#[track_caller]
fn converts(name: &str, expected: &str, said: &[&str]) {
    let out = run(&["convert", &damaged(name)]);
    let (text, notes) = (String::from_utf8(out.stdout).unwrap(), String::from_utf8(out.stderr).unwrap());
    assert!(out.status.success(), "{name}: {notes}");
    assert_eq!(text, expected, "{name}");
    assert_eq!(notes.lines().collect::<Vec<_>>(), said, "{name}");
    assert!(notes.lines().all(|l| l.chars().count() <= 80), "{name}: {notes}");
}

const CLEAN: &str = "\
day,time,count,item,price,note
2024-01-01,00:15,2,Wool hat,4.50,
2024-01-02,00:30,1,\"Coat, long\",89.00,new
2024-01-03,00:45,7,\"Belt 40\"\"\",12.75,
2024-01-04,01:00,3,Scarf,9.99,
";

#[test]
fn other_dialects_are_the_same_table() {
    converts("clean.csv", CLEAN, &[]);
    converts("semicolons.csv", CLEAN, &[]);
    converts("blank-after-comma.csv", CLEAN, &[]);
    converts("carriage-returns.csv", CLEAN, &[]);
    converts("backslash.csv", CLEAN, &["note: quotes inside cells are written \\\""]);
    converts("apostrophes.csv", CLEAN, &["note: cells are quoted with '"]);
    converts("sep-line.csv", CLEAN, &[]);
    converts("utf-16.csv", CLEAN, &["note: the text is UTF-16LE"]);
    converts("windows-1252.csv", "name,price\nCafé,3 €\nTé,2 €\n", &["note: the text is Windows-1252"]);
}

#[test]
fn damaged_rows_are_repaired_and_said() {
    converts(
        "short-row.csv",
        &CLEAN.replace("2024-01-04,01:00,3,", "2024-01-04,01:00,,"),
        &["note: 1 row had too few cells and was filled up (line 5)"],
    );
    converts("long-row.csv", CLEAN, &["note: 1 row had an empty cell too many, which was removed (line 4)"]);
    converts(
        "cut-row.csv",
        &CLEAN.replace("Scarf", "\"Scarf,silk\""),
        &["note: 1 row had too many cells, of which neighbors were joined (line 5)"],
    );
    converts(
        "stray-quote.csv",
        &CLEAN.replace("Scarf", "\"\"\"Scarf\""),
        &["note: 1 row has a stray quote, read as it stands (line 5)"],
    );
    converts("no-escape.csv", CLEAN, &["note: 1 row has a stray quote, read as it stands (line 4)"]);
    converts("other-delimiter.csv", CLEAN, &["note: 1 row was cut by another delimiter (line 2)"]);
}

#[test]
fn tables_are_found_among_other_lines() {
    converts("preamble.csv", CLEAN, &["note: 2 lines above the header were left out (lines 1 and 2)"]);
    converts("footer.csv", CLEAN, &["note: 1 row below the table was left out (line 7)"]);
    converts("blank-rows.csv", CLEAN, &["note: 2 rows without any value were left out (lines 3 and 6)"]);
    converts("comments.csv", CLEAN, &["note: 1 comment was left out (line 3)"]);
    converts("second-table.csv", CLEAN, &["note: a second table was left out, 3 lines with its header (from line 6)"]);
    converts(
        "two-headers.csv",
        &CLEAN.replace("day,time,count,item,price,note", "when day,when time,when count,what item,what price,what note"),
        &["note: the names are put together from 2 rows (from line 1)"],
    );
    let body = CLEAN.split_once('\n').unwrap().1;
    converts("no-header.csv", body, &["note: there is no header; the first line has values"]);
    converts("empty.csv", "", &["note: the file is empty"]);
    converts("names.csv", "a,a,,b\n1,2,3,4\n5,6,7,8\n", &[]);
}

#[test]
fn damage_is_refused_when_asked_and_where_it_is_much() {
    let files = Files::new();
    let (code, said) = fails(&["convert", &damaged("short-row.csv"), "--strict"]);
    assert_eq!(code, 1);
    assert!(said.contains("--strict refuses") && said.contains("1 row had too few cells and was filled up (line 5)"), "{said}");
    let (_, said) = fails(&["fit", &damaged("second-table.csv"), "--target", "price", "--model", "ridge"]);
    assert!(said.contains("a second table begins at line 6; cut the file there, or leave it out with --lenient"), "{said}");
    let fitted = json(&["fit", &damaged("second-table.csv"), "--target", "price", "--model", "ridge", "--lenient"]);
    assert_eq!(fitted["n_rows"], 4);
    let mut text = String::from("a,b,c\n");
    (0..40).for_each(|i| text.push_str(if i % 10 == 3 { "1,2\n" } else { "1,2,3\n" }));
    let (_, said) = fails(&["describe", &files.file("many.csv", &text)]);
    assert!(said.contains("4 of 40 rows are damaged") && said.contains("(lines 5, 15, 25 and 1 more)"), "{said}");
    let described = json(&["describe", &files.file("few.csv", text.replacen("1,2\n", "1,2,3\n", 3))]);
    assert_eq!(described["n_rows"], 40);
}

#[test]
fn the_header_can_be_told() {
    let files = Files::new();
    let numbers = files.file("n.csv", "1,2\n3,4\n5,6\n");
    assert_eq!(json(&["describe", &numbers])["n_rows"], 3);
    assert_eq!(json(&["describe", &numbers, "--header", "yes"])["n_rows"], 2);
    let words = files.file("w.csv", "a,b\nc,d\n");
    assert_eq!(json(&["describe", &words])["n_rows"], 1);
    assert_eq!(json(&["describe", &words, "--header", "no"])["n_rows"], 2);
    let dated = files.file("d.csv", "2024-01-01,x,3\n2024-01-02,y,4\n2024-01-03,z,5\n");
    assert_eq!(json(&["describe", &dated])["n_rows"], 3);
}

#[test]
fn tables_go_from_format_to_format() {
    let files = Files::new();
    let source = files.file("t.csv", "id,code,share,when,ok\n1,007,1.50,2024-01-01,true\n2,010,NA,2024-01-02,false\n");
    let lines = files.out("t.jsonl");
    ok(&["convert", &source, "-o", &lines]);
    assert_eq!(
        std::fs::read_to_string(&lines).unwrap(),
        "{\"id\":1,\"code\":\"007\",\"share\":1.50,\"when\":\"2024-01-01\",\"ok\":true}\n\
         {\"id\":2,\"code\":\"010\",\"share\":null,\"when\":\"2024-01-02\",\"ok\":false}\n"
    );
    let array = files.out("t.json");
    ok(&["convert", &lines, "-o", &array]);
    let read: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(&array).unwrap()).unwrap();
    assert_eq!(read[1]["code"], "010");
    let parquet = files.out("t.parquet");
    ok(&["convert", &source, "-o", &parquet]);
    let typed = json(&["describe", &parquet]);
    assert_eq!(typed["columns"][2]["type"], "number");
    assert_eq!(typed["columns"][3]["type"], "date");
    let back = files.out("back.csv");
    let done = json(&["convert", &parquet, "-o", &back]);
    assert_eq!((&done["n_rows"], &done["n_columns"]), (&2.into(), &5.into()));
    let texts = files.out("texts.parquet");
    ok(&["convert", &source, "-o", &texts, "--text"]);
    ok(&["convert", &texts, "-o", &back]);
    assert_eq!(std::fs::read_to_string(&back).unwrap(), std::fs::read_to_string(&source).unwrap());
    let empty = files.file("empty.csv", "");
    ok(&["convert", &empty, "-o", &lines]);
    assert_eq!(std::fs::read_to_string(&lines).unwrap(), "");
}

/// The folder of packed files and workbooks.
fn packed(name: &str) -> String {
    path(&PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/packed"), name)
}

#[test]
fn packed_files_and_workbooks_are_opened() {
    for name in ["clean.csv.bz2", "clean.csv.xz", "clean.zip"] {
        assert_eq!(ok(&["convert", &packed(name)]), CLEAN, "{name}");
    }
    let (_, said) = fails(&["convert", &packed("two.zip")]);
    assert!(said.contains("the archive has 2 files (a.csv, b.csv); unpack it and name one"), "{said}");
    let out = run(&["convert", &packed("shop.xlsx")]);
    let (text, said) = (String::from_utf8(out.stdout).unwrap(), String::from_utf8(out.stderr).unwrap());
    let sales = "day,item,price,sold\n2024-01-01,Wool hat,4.5,true\n2024-01-02,\"Coat, long\",89,false\n2024-01-03,,12.75,true\n";
    assert_eq!(text, sales);
    assert!(said.contains("sheet \"Sales\" is read; the others are Staff (--sheet)"), "{said}");
    let staff = "name,years\nAnn,3\nBob,5\n";
    assert_eq!(ok(&["convert", &packed("shop.xlsx"), "--sheet", "Staff"]), staff);
    assert_eq!(ok(&["convert", &packed("staff.ods")]), staff);
    let (_, said) = fails(&["describe", &packed("shop.xlsx"), "--sheet", "Stuff"]);
    assert!(said.contains("no sheet \"Stuff\"") && said.contains("did you mean \"Staff\""), "{said}");
    assert_eq!(json(&["describe", &packed("shop.xlsx")])["columns"][0]["type"], "date");
}

#[test]
fn what_is_not_read_is_named() {
    let files = Files::new();
    for (bytes, words) in [
        (&b"%PDF-1.7\nxxxxxxxxxxxxxxxx"[..], "this is a PDF document, which is not read"),
        (b"SQLite format 3\0xxxxxxxxxxxxxxx", "this is an SQLite database, which is not read"),
        (b"\x89HDF\r\n\x1a\nxxxxxxxxxxxxxxx", "this is an HDF5 file, which is not read"),
    ] {
        let file = files.file("t.csv", bytes);
        for command in [["convert", &file].as_slice(), &["describe", &file]] {
            let (code, said) = fails(command);
            assert!(code == 1 && said.contains(words), "{said}");
        }
    }
    let (code, said) = fails(&["convert", "example:iris", "--json"]);
    assert!(code == 2 && said.contains("name a file with -o"), "{said}");
}
