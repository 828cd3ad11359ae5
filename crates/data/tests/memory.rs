//! Streams hold a few blocks, whatever the size of the file. One test in a process of its own, since it looks at the
//! memory of the process. `ERMINE_STREAM_MB=400 cargo test -p ermine-data --features arrow --release --test memory` tries a
//! larger file.
#![cfg(all(target_os = "linux", feature = "arrow"))]

use std::io::{BufWriter, Write};

use ermine_core::{Column, Features, Flow, RowSource, Table};
use ermine_data::{ReadOptions, Roles, TableWriter, WriteOptions, open_stream, scan_expected};

/// Peak memory of the process, in megabytes.
fn peak() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|l| l.starts_with("VmHWM")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<usize>().unwrap() / 1024
}

#[test]
fn a_stream_takes_no_more_memory_than_a_few_blocks() {
    let megabytes: usize = std::env::var("ERMINE_STREAM_MB").map_or(48, |v| v.parse().unwrap());
    let folder = tempfile::tempdir().unwrap();
    let rows = megabytes * (1 << 20) / 107;
    let value = |i: usize, j: usize| ((i * 31 + j * 17) % 10_007) as f64 / 8.0 + i as f64;

    let csv = folder.path().join("big.csv");
    let mut out = BufWriter::new(std::fs::File::create(&csv).unwrap());
    writeln!(out, "a,b,c,d,e,f,g,h,note,y").unwrap();
    for i in 0..rows {
        for j in 0..8 {
            write!(out, "{:.3},", value(i, j)).unwrap();
        }
        writeln!(out, "the note of row {i},{}", i % 7).unwrap();
    }
    out.flush().unwrap();

    let parquet = folder.path().join("big.parquet");
    let mut writer: Option<TableWriter> = None;
    for start in (0..rows).step_by(10_000) {
        let range = start..(start + 10_000).min(rows);
        let number = |j: usize| Column::numbers(range.clone().map(|i| value(i, j)).collect());
        let mut columns: Vec<(String, Column)> = (0..8).map(|j| (format!("c{j}"), number(j))).collect();
        columns.push(("note".into(), Column::Text(range.clone().map(|i| Some(format!("the note of row {i}"))).collect())));
        columns.push(("y".into(), Column::numbers(range.clone().map(|i| (i % 7) as f64).collect())));
        let table = Table::new(columns).unwrap();
        let options = WriteOptions::default();
        let writer =
            writer.get_or_insert_with(|| TableWriter::create(parquet.to_str().unwrap(), table.schema(), &options).unwrap());
        writer.write(&table.view()).unwrap();
    }
    // A row group being written is held until it is complete; free it before measuring.
    writer.unwrap().finish().unwrap();

    for (path, first) in [(csv, "a"), (parquet, "c0")] {
        std::fs::write("/proc/self/clear_refs", "5").unwrap();
        let before = peak();
        let roles = Roles { targets: vec!["y".into()], ..Roles::default() };
        let stream = open_stream(path.to_str().unwrap(), &ReadOptions::default(), &roles).unwrap();
        assert_eq!(stream.schema().fields[0].name, first);
        let (mut seen, mut sum) = (0, 0.0);
        for _ in 0..2 {
            stream
                .scan(&mut |block| {
                    seen += block.rows();
                    let Features::Table(t) = block.x else { panic!("a table") };
                    sum += t.numbers(7).unwrap().iter().sum::<f64>();
                    Ok(Flow::Continue)
                })
                .unwrap();
        }
        // As a model that knows some of the columns reads them.
        let mut options = ReadOptions::default();
        options.expect(stream.schema());
        let mut expected = 0;
        let count = &mut |block: Table| {
            expected += block.rows();
            Ok(Flow::Continue)
        };
        scan_expected(path.to_str().unwrap(), &options, count).unwrap();
        let after = peak();
        assert_eq!((seen, expected), (2 * rows, rows));
        let exact: f64 = 2.0 * (0..rows).map(|i| value(i, 7)).sum::<f64>();
        assert!((sum - exact).abs() < 1e-9 * exact, "{sum} {exact}");
        println!("{}: {before} MB before, {after} MB at most, {} MB file", path.display(), path.metadata().unwrap().len() >> 20);
        assert!(after - before < 100, "{} took {} MB", path.display(), after - before);
    }
}
