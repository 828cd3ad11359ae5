//! Rows in blocks: the same rows as in memory.

use ermine_core::{ColumnKind, Error, Features, Flow, OwnedTarget, RowSource, Target, Task};
use ermine_data::{ReadOptions, Roles, RowStream, TableStream, open_stream, read, read_table, scan_expected};

/// Some megabytes of text, so that there are several blocks: numbers with missing cells, categories whose names come late,
/// a target of each sort.
fn big(folder: &tempfile::TempDir) -> String {
    let mut text = String::from("id,x,c,word,w,y,digit,class\n");
    for i in 0..120_000u32 {
        let x = if i % 1000 == 7 { String::new() } else { format!("{}", f64::from(i).sin()) };
        let c = if i > 100_000 { "aa" } else { ["red", "green", "blue"][i as usize % 3] };
        let y = if i == 99 { "NA".to_owned() } else { format!("{}", f64::from(i) * 0.5) };
        text.push_str(&format!("{i},{x},{c},some words about row {i},{},{y},{},k{}\n", i % 3 + 1, i % 4, i % 2));
    }
    let path = folder.path().join("big.csv");
    std::fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn a_stream_has_the_kinds_and_rows_of_the_table() {
    let folder = tempfile::tempdir().unwrap();
    let spec = big(&folder);
    let whole = read(&spec, &ReadOptions::default()).unwrap();
    let stream = TableStream::open(&spec, &ReadOptions::default()).unwrap();
    assert_eq!(stream.schema(), &**whole.table.schema());
    assert_eq!(stream.rows(), whole.table.rows());
    assert_eq!(stream.reasons(), whole.reasons);
    assert_eq!(stream.missing()[1], 120);
    let mut all = whole.table.take_rows(&[]);
    let mut blocks = 0;
    stream
        .scan(&mut |block| {
            blocks += 1;
            all.append_rows(block);
            Ok(Flow::Continue)
        })
        .unwrap();
    assert!(blocks > 3, "{blocks}");
    // Only the first block decides whether there is a validity, so compare cell by cell.
    for j in 0..8 {
        assert!((0..all.rows()).all(|i| all.view().is_missing(i, j) == whole.table.view().is_missing(i, j)));
        assert_eq!(all.view().categories(j), whole.table.view().categories(j));
        if let (Some(a), Some(b)) = (all.view().numbers(j), whole.table.view().numbers(j)) {
            assert!(a.iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits()));
        }
    }
}

fn roles(target: &str) -> Roles {
    Roles { targets: vec![target.to_owned()], ..Roles::default() }
}

fn collect(stream: &RowStream) -> (usize, OwnedTarget, Option<Vec<f64>>) {
    let (mut rows, mut weight) = (0, None::<Vec<f64>>);
    let mut y = OwnedTarget::None;
    stream
        .scan(&mut |block| {
            rows += block.rows();
            assert_eq!(block.schema, Some(stream.schema()));
            let Features::Table(t) = block.x else { panic!("a table") };
            assert_eq!(t.schema(), stream.schema());
            match (&mut y, block.y) {
                (OwnedTarget::Real(all), Target::Real(more)) => all.extend(more),
                (OwnedTarget::Class { codes, .. }, Target::Class { codes: more, .. }) => codes.extend(more),
                (none, more) => *none = more.take_rows(&(0..block.rows()).collect::<Vec<_>>()),
            }
            if let Some(more) = block.weight {
                weight.get_or_insert_default().extend(more);
            }
            Ok(Flow::Continue)
        })
        .unwrap();
    (rows, y, weight)
}

#[test]
fn targets_of_every_sort() {
    let folder = tempfile::tempdir().unwrap();
    let spec = big(&folder);
    let options = ReadOptions::default();

    let stream = open_stream(&spec, &options, &Roles { weight: Some("w".into()), drop: vec!["c".into()], ..roles("y") }).unwrap();
    assert_eq!(stream.schema().names().collect::<Vec<_>>(), ["x", "digit", "class"]);
    assert_eq!(stream.task(), Some(Task::Regression));
    assert_eq!(stream.rows(), Some(119_999));
    assert_eq!(stream.missing(), [120, 0, 0]);
    let notes = stream.notes().join("\n");
    assert!(
        notes.contains("\"id\" is an identifier")
            && notes.contains("\"word\" is free text")
            && notes.contains("1 of 120000 rows")
    );
    let (rows, y, weight) = collect(&stream);
    let OwnedTarget::Real(y) = y else { panic!("numbers") };
    assert_eq!((rows, y.len(), y[98], y[99]), (119_999, 119_999, 49.0, 50.0));
    assert_eq!(&weight.unwrap()[98..100], [3.0, 2.0]);

    let stream = open_stream(&spec, &options, &roles("digit")).unwrap();
    assert_eq!(stream.target_info().classes, ["0", "1", "2", "3"]);
    let (_, OwnedTarget::Class { codes, .. }, _) = collect(&stream) else { panic!("classes") };
    assert!(codes.iter().enumerate().all(|(i, &c)| c as usize == i % 4));
    let asked = Roles { task: Some(Task::Regression), ..roles("digit") };
    assert_eq!(open_stream(&spec, &options, &asked).unwrap().task(), Some(Task::Regression));

    let stream = open_stream(&spec, &options, &roles("class")).unwrap();
    assert_eq!(stream.target_info().classes, ["k0", "k1"]);
    let turned = Roles { classes: Some(vec!["k1".into(), "k0".into()]), ..roles("class") };
    let (_, OwnedTarget::Class { codes, .. }, _) = collect(&open_stream(&spec, &options, &turned).unwrap()) else {
        panic!("classes")
    };
    assert_eq!(codes[..2], [1, 0]);

    let stream = open_stream(&spec, &options, &Roles::default()).unwrap();
    assert_eq!((stream.task(), stream.rows()), (None, Some(120_000)));
    let two = Roles { targets: vec!["y".into(), "x".into()], ..Roles::default() };
    assert_eq!(open_stream(&spec, &options, &two).unwrap().rows(), Some(119_879));
    assert_eq!(open_stream(&spec, &options, &two).unwrap().head(10).unwrap().view().rows(), 10);
}

#[test]
fn wrong_roles_are_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let spec = big(&folder);
    let options = ReadOptions::default();
    let message = |roles: &Roles| open_stream(&spec, &options, roles).err().unwrap().to_string();
    assert!(message(&roles("clas")).contains("\"class\""));
    assert!(message(&roles("word")).contains("--type word=category"));
    assert!(message(&Roles { task: Some(Task::Regression), ..roles("class") }).contains("a regression needs numbers"));
    assert!(message(&Roles { weight: Some("c".into()), ..roles("y") }).contains("not number"));
    assert!(message(&Roles { task: Some(Task::Classification), ..roles("y") }).contains("more than 10000 distinct numbers"));
    assert!(message(&Roles { classes: Some(vec!["k0".into()]), ..roles("class") }).contains("\"k1\""));
}

#[test]
fn a_file_that_changes_between_scans_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.csv");
    std::fs::write(&path, "a,b\n1,x\n2,y\n").unwrap();
    let stream = TableStream::open(path.to_str().unwrap(), &ReadOptions::default()).unwrap();
    for text in ["a,b\n1,x\n2,z\n", "a,b\n1,x\n", "a,b\n1,x\n2,y\n3,x\n", "a,b\nx,x\n2,y\n", "a\n1\n2\n"] {
        std::fs::write(&path, text).unwrap();
        assert!(stream.scan(&mut |_| Ok(Flow::Continue)).is_err(), "{text:?}");
    }
}

#[test]
fn text_and_packed_text_stream_alike() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["example:penguins", "example:mushrooms"] {
        let whole = read_table(name).unwrap();
        let path = folder.path().join("t.csv.gz");
        ermine_data::write_table(path.to_str().unwrap(), &whole, &Default::default()).unwrap();
        let stream = TableStream::open(path.to_str().unwrap(), &ReadOptions::default()).unwrap();
        assert_eq!(stream.schema(), &**whole.schema());
        let mut rows = 0;
        stream
            .scan(&mut |block| {
                rows += block.rows();
                Ok(Flow::Continue)
            })
            .unwrap();
        assert_eq!(rows, whole.rows());
    }
    let stop = TableStream::open("example:digits", &ReadOptions::default()).unwrap();
    let mut seen = 0;
    stop.scan(&mut |_| {
        seen += 1;
        Ok(Flow::Stop)
    })
    .unwrap();
    assert_eq!(seen, 1);
    let failed = stop.scan(&mut |_| Err(Error::Data("enough".into())));
    assert!(failed.unwrap_err().to_string().contains("enough"));
    assert_eq!(stop.schema().fields[0].kind, ColumnKind::Number);
}

#[test]
fn sparse_rows_stream_too() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.libsvm.gz");
    let mut out = flate2::write::GzEncoder::new(std::fs::File::create(&path).unwrap(), flate2::Compression::fast());
    for i in 0..50_000u32 {
        let sign = if i % 2 == 0 { "+1" } else { "-1" };
        std::io::Write::write_all(&mut out, format!("{sign} {}:1.5 {}:{i}\n", i % 40 + 1, i % 40 + 50).as_bytes()).unwrap();
    }
    out.finish().unwrap();
    let spec = path.to_str().unwrap();
    let stream = open_stream(spec, &ReadOptions::default(), &roles("target")).unwrap();
    assert_eq!(stream.target_info().classes, ["-1", "1"]);
    assert_eq!((stream.rows(), stream.schema().len()), (Some(50_000), 89));
    let (x, y) = ermine_data::read_sparse(spec, &ReadOptions::default(), 0).unwrap();
    let mut row = 0;
    stream
        .scan(&mut |block| {
            let Features::Csr(m) = block.x else { panic!("sparse rows") };
            let (codes, _) = block.y.classes()?;
            for i in 0..m.rows() {
                assert_eq!(m.row(i), x.view().row(row));
                assert_eq!(codes[i] == 1, y[row] > 0.0);
                row += 1;
            }
            Ok(Flow::Continue)
        })
        .unwrap();
    assert_eq!(row, 50_000);
    assert!(open_stream(spec, &ReadOptions::default(), &roles("class")).is_err());
}

/// What a model asks for comes in one pass, with the cells of the whole table.
#[test]
fn expected_columns_are_those_of_the_table_however_they_are_cut() {
    let folder = tempfile::tempdir().unwrap();
    let spec = big(&folder);
    let whole = read_table(&spec).unwrap();
    let names = ["c", "x"];
    let mut options = ReadOptions::default();
    options.expect(whole.select(&names).unwrap().schema());
    let (mut x, mut c, mut blocks) = (Vec::new(), Vec::new(), 0);
    let notes = scan_expected(&spec, &options, &mut |block| {
        blocks += 1;
        assert_eq!(block.schema().names().collect::<Vec<_>>(), ["x", "c"], "in the order of the file");
        x.extend_from_slice(block.view().numbers(0).unwrap());
        let (codes, names) = block.view().categories(1).unwrap();
        assert_eq!(names.iter().any(|n| n == "aa"), x.len() > 100_001, "the names are those of the block");
        c.extend(codes.iter().map(|&c| names[c as usize].clone()));
        Ok(Flow::Continue)
    });
    assert!(notes.unwrap().is_empty() && blocks > 1, "{blocks} blocks");
    let same = |a: &f64, b: &f64| a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan());
    assert_eq!(x.len(), whole.rows());
    assert!(x.iter().zip(whole.view().numbers(1).unwrap()).all(|(a, b)| same(a, b)));
    let (codes, names) = whole.view().categories(2).unwrap();
    assert!(c.iter().zip(codes).all(|(a, &b)| *a == names[b as usize]));
    // A file without rows is one empty block, and a cell that is no number is named by its line.
    let empty = folder.path().join("empty.csv");
    std::fs::write(&empty, "x,c\n").unwrap();
    let mut rows = Vec::new();
    scan_expected(empty.to_str().unwrap(), &options, &mut |block| {
        rows.push((block.rows(), block.columns().len()));
        Ok(Flow::Continue)
    })
    .unwrap();
    assert_eq!(rows, [(0, 2)]);
    std::fs::write(&empty, "x,c\n1,a\nmany,b\n").unwrap();
    let error = scan_expected(empty.to_str().unwrap(), &options, &mut |_| Ok(Flow::Continue)).unwrap_err().to_string();
    assert!(error.contains("line 3, column 1") && error.contains("many"), "{error}");
}
