//! Arrow, Parquet, libsvm and IDX.

use ermine_core::Column;
use ermine_data::{ReadOptions, read_sparse, read_table};

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

#[test]
fn sparse_rows() {
    let folder = folder();
    let path = folder.path().join("t.libsvm");
    std::fs::write(&path, "+1 1:0.5 3:-2 # note\n\n-1\n0 qid:7 2:1e3\n").unwrap();
    let (x, y) = read_sparse(path.to_str().unwrap(), &ReadOptions::default(), 0).unwrap();
    assert_eq!(y, [1.0, -1.0, 0.0]);
    assert_eq!(x.view().to_dense().as_slice(), [0.5, 0.0, -2.0, 0.0, 0.0, 0.0, 0.0, 1000.0, 0.0]);
    assert_eq!(read_sparse(path.to_str().unwrap(), &ReadOptions::default(), 9).unwrap().0.view().cols(), 9);
    let table = read_table(&path).unwrap();
    assert_eq!(table.schema().names().collect::<Vec<_>>(), ["x1", "x2", "x3", "target"]);
    for (text, words) in [
        ("1 0:5\n", "line 1, column 2: index 0"),
        ("1 1:5\n1 2:1 2:2\n", "line 2, column 3: index 2 after 2"),
        ("1 1:5\nx 1:1\n", "line 2, column 1: \"x\" is not a number"),
        ("1 a:1\n", "line 1, column 2: \"a:1\" does not begin"),
        ("1 1:b\n", "line 1, column 2: \"b\" is not a number"),
        ("1 11\n", "line 1, column 2: \"11\" is not index:value"),
        ("1 4000000000:1\n", "line 1, column 2: index 4000000000; at most"),
        ("", "no row"),
    ] {
        std::fs::write(&path, text).unwrap();
        let error = read_sparse(path.to_str().unwrap(), &ReadOptions::default(), 0).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    }
}

#[test]
fn images_and_the_labels_beside_them() {
    let folder = folder();
    let images = folder.path().join("train-images-idx3-ubyte");
    let mut bytes = vec![0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 2];
    bytes.extend([0, 1, 2, 3, 4, 5, 6, 255]);
    std::fs::write(&images, &bytes).unwrap();
    let table = read_table(&images).unwrap();
    assert_eq!((table.rows(), table.columns().len()), (2, 4));
    assert_eq!(table.column("p3").unwrap(), &Column::numbers(vec![3.0, 255.0]));
    std::fs::write(folder.path().join("train-labels-idx1-ubyte"), [0, 0, 8, 1, 0, 0, 0, 2, 7, 9]).unwrap();
    let table = read_table(&images).unwrap();
    assert_eq!(table.schema().names().collect::<Vec<_>>(), ["p0", "p1", "p2", "p3", "label"]);
    assert_eq!(table.column("label").unwrap(), &Column::numbers(vec![7.0, 9.0]));
    assert_eq!(table.column("p3").unwrap(), &Column::numbers(vec![3.0, 255.0]));
    for cut in 0..bytes.len() {
        std::fs::write(&images, &bytes[..cut]).unwrap();
        assert!(read_table(&images).is_err(), "{cut}");
    }
    for huge in [
        [0, 0, 8, 3, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255],
        [0, 0, 13, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0],
    ] {
        std::fs::write(&images, huge).unwrap();
        assert!(read_table(&images).is_err());
    }
}

#[cfg(feature = "arrow")]
mod arrow {
    use std::sync::Arc;

    use arrow_array::types::{Int8Type, Int32Type};
    use arrow_array::{
        Array, ArrayRef, BooleanArray, Date32Array, Decimal128Array, DictionaryArray, Float32Array, Int64Array, LargeStringArray,
        ListArray, NullArray, RecordBatch, StringArray, StringViewArray, TimestampMillisecondArray, UInt8Array,
    };
    use arrow_schema::{Field, Schema};
    use ermine_core::ColumnKind;
    use ermine_data::table_from_batches;

    use super::*;

    fn batch(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
        RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(n, a)| (n, a, true))).unwrap()
    }

    #[test]
    fn every_plain_type_has_its_column() {
        let b = batch(vec![
            ("i64", Arc::new(Int64Array::from(vec![Some(-3), None])) as ArrayRef),
            ("u8", Arc::new(UInt8Array::from(vec![1, 255]))),
            ("f32", Arc::new(Float32Array::from(vec![0.5, f32::NAN]))),
            ("bool", Arc::new(BooleanArray::from(vec![Some(true), Some(false)]))),
            ("str", Arc::new(StringArray::from(vec![Some("b"), None]))),
            ("large", Arc::new(LargeStringArray::from(vec!["x", "y"]))),
            ("view", Arc::new(StringViewArray::from(vec!["long enough to be outside", "y"]))),
            ("date", Arc::new(Date32Array::from(vec![1, -1]))),
            ("time", Arc::new(TimestampMillisecondArray::from(vec![43_200_000, 0]))),
            ("dec", Arc::new(Decimal128Array::from(vec![12_345, -1]).with_precision_and_scale(10, 2).unwrap())),
            ("dict", Arc::new(vec![Some("q"), None].into_iter().collect::<DictionaryArray<Int8Type>>())),
            ("null", Arc::new(NullArray::new(2))),
        ]);
        let t = table_from_batches(&b.schema(), std::slice::from_ref(&b), &Default::default()).unwrap();
        let kinds: Vec<&str> = t.schema().fields.iter().map(|f| f.kind.name()).collect();
        let expected = [
            "number", "number", "number", "category", "category", "category", "category", "date", "date", "number", "category",
            "number",
        ];
        assert_eq!(kinds, expected);
        let v = t.view();
        assert_eq!(v.numbers(0).unwrap()[0], -3.0);
        assert_eq!(v.missing(0), Some((1, 1)));
        assert_eq!(v.missing(2), Some((1, 1)));
        assert_eq!(**v.categories(3).unwrap().1, ["false", "true"]);
        assert_eq!(v.numbers(7).unwrap(), [1.0, -1.0]);
        assert_eq!(v.numbers(8).unwrap(), [0.5, 0.0]);
        assert_eq!(v.numbers(9).unwrap(), [123.45, -0.01]);
        assert_eq!(v.missing(11), Some((2, 0)));
    }

    #[test]
    fn dictionaries_of_several_batches_are_merged_by_name() {
        let one = batch(vec![("d", Arc::new(vec!["z", "a"].into_iter().collect::<DictionaryArray<Int32Type>>()) as ArrayRef)]);
        let two = batch(vec![("d", Arc::new(vec!["m", "z"].into_iter().collect::<DictionaryArray<Int32Type>>()) as ArrayRef)]);
        let t = table_from_batches(&one.schema(), &[one.clone(), two], &Default::default()).unwrap();
        let view = t.view();
        let (codes, names) = view.categories(0).unwrap();
        assert_eq!((codes, &names[..]), (&[2, 0, 1, 2][..], &["a".to_owned(), "m".into(), "z".into()][..]));
    }

    #[test]
    fn what_was_asked_for_is_done_or_refused_by_row() {
        let b = batch(vec![
            ("n", Arc::new(Int64Array::from(vec![3, 1])) as ArrayRef),
            ("s", Arc::new(StringArray::from(vec!["1.5", "x"]))),
        ]);
        let asked = |name: &str, kind: ColumnKind| {
            table_from_batches(&b.schema(), std::slice::from_ref(&b), &[(name.to_owned(), kind)].into_iter().collect())
        };
        assert_eq!(**asked("n", ColumnKind::Category).unwrap().view().categories(0).unwrap().1, ["1", "3"]);
        let error = asked("s", ColumnKind::Number).unwrap_err().to_string();
        assert!(error.contains("column \"s\", row 1: \"x\" is not a number"), "{error}");
    }

    #[test]
    fn nested_columns_are_refused_by_name() {
        let list = ListArray::from_iter_primitive::<Int32Type, _, _>(vec![Some(vec![Some(1)])]);
        let schema = Schema::new(vec![Field::new("deep", list.data_type().clone(), true)]);
        let b = RecordBatch::try_new(Arc::new(schema), vec![Arc::new(list)]).unwrap();
        let error = table_from_batches(&b.schema(), std::slice::from_ref(&b), &Default::default()).unwrap_err().to_string();
        assert!(error.contains("\"deep\"") && error.contains("nested"), "{error}");
    }

    #[test]
    fn a_column_that_is_not_needed_is_not_in_the_way() {
        let list = ListArray::from_iter_primitive::<Int32Type, _, _>(vec![Some(vec![Some(1)]), None]);
        let b = batch(vec![("a", Arc::new(Int64Array::from(vec![3, 1])) as ArrayRef), ("deep", Arc::new(list))]);
        let folder = folder();
        let path = folder.path().join("t.parquet");
        let spec = path.to_str().unwrap();
        let mut out = parquet::arrow::ArrowWriter::try_new(std::fs::File::create(&path).unwrap(), b.schema(), None).unwrap();
        out.write(&b).unwrap();
        out.close().unwrap();
        let error = read_table(&path).unwrap_err().to_string();
        assert!(error.contains("\"deep\"") && error.contains("--drop"), "{error}");
        let dropped = ReadOptions { drop: vec!["deep".into()], ..ReadOptions::default() };
        let mut expecting = ReadOptions::default();
        expecting.expect(&ermine_core::Schema::numbers(["a", "other"]));
        for options in [dropped, expecting] {
            let t = ermine_data::read(spec, &options).unwrap().table;
            assert_eq!((t.rows(), t.schema().names().collect::<Vec<_>>()), (2, vec!["a"]));
            let stream = ermine_data::TableStream::open(spec, &options).unwrap();
            let mut rows = 0;
            stream
                .scan(&mut |block| {
                    rows += block.rows();
                    assert_eq!(block.schema().len(), 1);
                    Ok(ermine_core::Flow::Continue)
                })
                .unwrap();
            assert_eq!(rows, 2);
        }
        let unknown = ReadOptions { drop: vec!["deeq".into()], ..ReadOptions::default() };
        assert!(ermine_data::read(spec, &unknown).unwrap_err().to_string().contains("did you mean \"deep\""));
    }

    #[test]
    fn whole_numbers_that_are_rounded_are_noted() {
        let large = (1i64 << 53) + 1;
        let b = batch(vec![
            ("n", Arc::new(Int64Array::from(vec![Some(large), None, Some(large - 1), Some(-large)])) as ArrayRef),
            ("id", Arc::new(arrow_array::UInt64Array::from(vec![u64::MAX, 3, 5, 4]))),
        ]);
        let folder = folder();
        let path = folder.path().join("t.parquet");
        let spec = path.to_str().unwrap();
        let mut out = parquet::arrow::ArrowWriter::try_new(std::fs::File::create(&path).unwrap(), b.schema(), None).unwrap();
        out.write(&b).unwrap();
        out.close().unwrap();
        let loaded = ermine_data::read(spec, &ReadOptions::default()).unwrap();
        assert!(loaded.notes.len() == 1 && loaded.notes[0].starts_with("column \"n\": 2 whole numbers"), "{:?}", loaded.notes);
        assert_eq!(loaded.table.schema().fields[1].kind, ColumnKind::Identifier, "{:?}", loaded.reasons);
        assert_eq!(ermine_data::TableStream::open(spec, &ReadOptions::default()).unwrap().notes(), loaded.notes);
        let types = [("n".to_owned(), ColumnKind::Category)].into_iter().collect();
        let kept = ermine_data::read(spec, &ReadOptions { types, ..ReadOptions::default() }).unwrap();
        assert!(kept.notes.is_empty());
        assert_eq!(kept.table.schema().fields[0].categories.len(), 3);
    }

    #[test]
    fn the_format_is_known_by_content_too() {
        let folder = folder();
        let iris = ermine_data::example("iris").unwrap();
        for format in ["t.parquet", "t.arrow"] {
            let path = folder.path().join(format);
            ermine_data::write_table(path.to_str().unwrap(), &iris, &Default::default()).unwrap();
            let nameless = folder.path().join("data");
            std::fs::rename(&path, &nameless).unwrap();
            assert_eq!(read_table(&nameless).unwrap(), iris);
            let packed = folder.path().join(format!("{format}.zst"));
            std::fs::write(&packed, zstd::encode_all(std::fs::File::open(&nameless).unwrap(), 3).unwrap()).unwrap();
            assert_eq!(read_table(&packed).unwrap(), iris);
        }
    }
}
