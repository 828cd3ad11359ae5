//! Numbers and dates as people write them.

use ermine_core::{Column, ColumnKind};
use ermine_data::{LoadedTable, ReadOptions, TableStream, format_date, read};

/// A file read whole, and by a stream, which must agree.
fn load(text: &str, options: &ReadOptions) -> LoadedTable {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.csv");
    std::fs::write(&path, text).unwrap();
    let loaded = read(path.to_str().unwrap(), options).unwrap();
    let stream = TableStream::open(path.to_str().unwrap(), options).unwrap();
    // Missing numbers are NaN and not equal to themselves; as text they are.
    assert_eq!(format!("{:?}", stream.read().unwrap()), format!("{:?}", loaded.table));
    assert_eq!(stream.notes(), loaded.notes);
    loaded
}

fn numbers(loaded: &LoadedTable, name: &str) -> Vec<f64> {
    match loaded.table.column(name).unwrap() {
        Column::Number { values, .. } => values.clone(),
        other => panic!("{name} is {other:?}"),
    }
}

#[test]
fn thousands_money_shares_and_units_are_numbers() {
    let text = "money,share,comma,weight,loss\n\
        \"$1,234.50\",3.5%,\"1.234,56\",70 kg,(12)\n$5,10%,\"3,1\",82.5 kg,7\n-$7,.5%,2,9 kg,\"(1,000)\"\n";
    let loaded = load(text, &ReadOptions::default());
    assert_eq!(numbers(&loaded, "money"), [1234.5, 5.0, -7.0]);
    assert_eq!(numbers(&loaded, "share"), [3.5, 10.0, 0.5]);
    assert_eq!(numbers(&loaded, "comma"), [1234.56, 3.1, 2.0]);
    assert_eq!(numbers(&loaded, "weight"), [70.0, 82.5, 9.0]);
    assert_eq!(numbers(&loaded, "loss"), [-12.0, 7.0, -1000.0]);
    assert_eq!(loaded.notes, [""; 0]);
    let mixed = load("price,size\n$5,5 kg\n£6,6 lb\n$7,7 kg\n", &ReadOptions::default());
    assert!(mixed.table.schema().fields.iter().all(|f| f.kind == ColumnKind::Category), "units of two kinds are no numbers");
}

#[test]
fn a_few_words_among_numbers_are_missing_and_said() {
    let mut text = String::from("id,x\n");
    (0..100).for_each(|i| text.push_str(&format!("r{i},{}\n", if i % 40 == 7 { "unknown".to_owned() } else { i.to_string() })));
    let loaded = load(&text, &ReadOptions::default());
    let x = numbers(&loaded, "x");
    assert_eq!((x[6], x.iter().filter(|v| v.is_nan()).count()), (6.0, 3));
    let said = "column \"x\": 3 cells are no numbers and count as missing: \"unknown\" (line 9), \"unknown\" (line 49), \"unknown\" (line 89)";
    assert_eq!(loaded.notes, [said]);
    // One in ten is too many.
    let mut text = String::from("id,x\n");
    (0..100).for_each(|i| text.push_str(&format!("r{i},{}\n", if i % 10 == 7 { "unknown".to_owned() } else { i.to_string() })));
    assert_ne!(load(&text, &ReadOptions::default()).table.schema().fields[1].kind, ColumnKind::Number);
    // A few beyond the rows that are looked at first, and too many there.
    for (words, kind) in [(10, ColumnKind::Number), (600, ColumnKind::Category)] {
        let mut text = String::from("x\n");
        (0..2000).for_each(|i| {
            text.push_str(&format!("{}\n", if i >= 2000 - words { "many".to_owned() } else { (i % 9).to_string() }))
        });
        let loaded = load(&text, &ReadOptions::default());
        assert_eq!(loaded.table.schema().fields[0].kind, kind, "{words}");
        assert_eq!(loaded.notes.len(), usize::from(kind == ColumnKind::Number));
    }
}

#[test]
fn the_order_of_dates_is_found_in_the_whole_column() {
    let dates = |loaded: &LoadedTable| numbers(loaded, "d").into_iter().map(format_date).collect::<Vec<_>>();
    let load = |text: &str| load(text, &ReadOptions::default());
    let european = load("d,x\n01/02/2020,1\n28/02/2020,2\n");
    assert_eq!(dates(&european), ["2020-02-01", "2020-02-28"]);
    assert_eq!(european.table.schema().fields[0].kind, ColumnKind::Date);
    assert_eq!(european.reasons[0], "all 2 cells are a date, day/month/year");
    assert_eq!(dates(&load("d,x\n1/2/2020,1\n2/28/2020,2\n")), ["2020-01-02", "2020-02-28"]);
    assert_eq!(dates(&load("d,x\n5-Jan-1999,1\n17-Oct-1999,2\n")), ["1999-01-05", "1999-10-17"]);
    assert_eq!(dates(&load("d,x\n2020/01/05,1\n2020/10/17,2\n")), ["2020-01-05", "2020-10-17"]);
    // The cell that tells comes after the rows that are looked at first.
    let mut text = String::from("d,x\n");
    (0..1500).for_each(|i| text.push_str(&format!("{}/{}/2020,1\n", i % 12 + 1, i % 9 + 1)));
    let late = load(&format!("{text}28/02/2020,1\n"));
    assert_eq!(dates(&late)[..2], ["2020-01-01", "2020-02-02"]);
    assert_eq!(dates(&late)[1500], "2020-02-28");
    assert_eq!(late.notes, [""; 0]);
    let never = load(&text);
    assert_eq!(dates(&never)[9], "2020-10-01");
    let said = "column \"d\": no cell tells day from month; each is read as a date, month/day/year (--date-format overrules)";
    assert_eq!(never.notes, [said]);
}

#[test]
fn the_order_of_dates_can_be_told() {
    let options = |format: &str| ReadOptions { date_format: Some(format.into()), ..ReadOptions::default() };
    let text = "d,x\n01/02/2020,1\n03/04/2020,2\n";
    let first = |format: &str| format_date(numbers(&load(text, &options(format)), "d")[0]);
    assert_eq!((first("%d/%m/%Y"), first("%m/%d/%Y")), ("2020-02-01".to_owned(), "2020-01-02".to_owned()));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.csv");
    std::fs::write(&path, text).unwrap();
    let error = read(path.to_str().unwrap(), &options("day first")).unwrap_err().to_string();
    assert!(error.contains("write it like %d/%m/%Y"), "{error}");
}

#[test]
fn uuids_are_identifiers_even_when_they_come_again() {
    let mut text = String::from("user,x\n");
    (0..100).for_each(|i| text.push_str(&format!("00000000-0000-4000-8000-0000000000{:02},{}\n", i % 50, i % 7)));
    assert_eq!(load(&text, &ReadOptions::default()).table.schema().fields[0].kind, ColumnKind::Identifier);
}
