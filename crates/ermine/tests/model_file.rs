//! A model file is safe to open: whatever its bytes are, the answer is a usable model or an error, never a crash.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;

use ermine::core::{Features, MatRef, OwnedTarget, RngStream, Schema, Task, ValueKind, file};
use ermine::prelude::*;

fn training(task: Option<Task>, cells: ValueKind) -> OwnedDataset {
    let mut s = RngStream::new(5, "model file", 0);
    let cell = |v: f64| match cells {
        ValueKind::Quantities | ValueKind::Bits => v,
        ValueKind::Counts | ValueKind::Codes => (2.0 * v.abs()).floor(),
    };
    let x: Vec<f64> = (0..40 * 3).map(|_| cell(s.normal())).collect();
    let y = match task {
        Some(Task::Classification) => OwnedTarget::from_labels(&(0..40).map(|i| ["no", "yes"][i % 2]).collect::<Vec<_>>()),
        Some(_) => OwnedTarget::Real((0..40).map(|i| x[3 * i] + 0.1 * s.normal()).collect()),
        None => OwnedTarget::None,
    };
    OwnedDataset {
        x: OwnedFeatures::F64(MatRef::row_major(&x, 40, 3).to_owned()),
        y,
        weight: None,
        schema: Some(Schema::numbers(["height", "width", "depth"])),
    }
}

/// A small trained model of every learner, for every task it does.
fn models() -> Vec<(String, Fitted)> {
    let mut out = Vec::new();
    for learner in ermine::catalogue() {
        let spec = learner.spec();
        let mut tasks: Vec<Option<Task>> = spec.tasks.iter().filter(|t| t.is_supervised()).map(|t| Some(*t)).collect();
        if tasks.is_empty() {
            tasks.push(None);
        }
        for task in tasks {
            let data = training(task, learner.value_kind());
            let target = match &data.y {
                OwnedTarget::Class { names, .. } => file::TargetInfo { names: vec!["y".into()], classes: names.clone() },
                OwnedTarget::None => file::TargetInfo::default(),
                _ => file::TargetInfo { names: vec!["y".into()], classes: Vec::new() },
            };
            let name = format!("{}{}", spec.name, task.map(|t| format!("-{t}")).unwrap_or_default());
            let fitted = Fitted::train_on(learner.boxed(), &data.view(), target, &Context::default()).expect(&name);
            out.push((name, fitted));
        }
    }
    out
}

/// Computes all outputs of a model, on ordinary and on strange rows.
fn exercise(fitted: &Fitted) {
    let x: Vec<f64> = (0..6 * 3).map(|i| f64::from(i) - 7.5).collect();
    let x = Features::F64(MatRef::row_major(&x, 6, 3));
    let model = &fitted.model;
    if let Some(c) = model.as_classifier() {
        let _ = (c.proba(&x), c.log_proba(&x), c.classify(&x), c.decision(&x));
    }
    if let Some(r) = model.as_regressor() {
        let _ = r.predict(&x);
    }
    if let Some(t) = model.as_transformer() {
        if let Ok(z) = t.transform(&x) {
            let _ = t.inverse(z.view());
        }
        let _ = t.schema_out(&fitted.schema);
    }
    if let Some(c) = model.as_clusterer() {
        let _ = c.assign(&x);
    }
    let _ = (fitted.report(), fitted.to_bytes());
}

/// Opens bytes and uses what comes out; a panic is the failure this file is about.
fn open_and_use(name: &str, what: &str, bytes: Vec<u8>) -> bool {
    let result = catch_unwind(AssertUnwindSafe(|| match Fitted::from_bytes(bytes) {
        Ok(fitted) => {
            exercise(&fitted);
            true
        }
        Err(_) => false,
    }));
    result.unwrap_or_else(|_| panic!("{name}: {what} made it panic"))
}

#[test]
fn every_cut_and_every_flipped_bit_is_an_error() {
    let (name, fitted) = models().into_iter().min_by_key(|(_, f)| f.to_bytes().map_or(usize::MAX, |b| b.len())).unwrap();
    let bytes = fitted.to_bytes().unwrap();
    assert!(open_and_use(&name, "nothing", bytes.clone()), "the file itself opens");
    for cut in 0..bytes.len() {
        assert!(!open_and_use(&name, "a cut", bytes[..cut].to_vec()), "{name} cut to {cut} bytes opens");
    }
    for bit in 0..bytes.len() * 8 {
        let mut flipped = bytes.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        assert!(!open_and_use(&name, "a flipped bit", flipped), "{name} with bit {bit} flipped opens");
    }
    let mut longer = bytes;
    longer.push(0);
    assert!(!open_and_use(&name, "a byte more", longer));
}

#[test]
fn edited_numbers_with_a_valid_hash_are_harmless_in_every_learner() {
    // Learners panic on nothing, so a panic message here is news; keep the expected silence cheap to read.
    for (name, fitted) in models() {
        let bytes = fitted.to_bytes().unwrap();
        let header = 8 + u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
        let digits: Vec<usize> = (8..header).filter(|&i| bytes[i].is_ascii_digit()).collect();
        let mut s = RngStream::new(11, &name, 0);
        for round in 0..300 {
            let mut edited = bytes.clone();
            let text = digits.len() * usize::from(round % 2 == 0 || header == bytes.len()) > 0;
            let what = if text {
                let at = digits[s.below(digits.len())];
                edited[at] = b'0' + s.below(10) as u8;
                format!("digit {at} as {}", char::from(edited[at]))
            } else {
                let words = (bytes.len() - header) / 4;
                let at = header + 4 * s.below(words.max(1));
                let width = 4.min(bytes.len() - at);
                let strange = [0u32, 1, 7, 0x7FFF_FFFF, 0xFFFF_FFFF, 0x8000_0000, 0x7FF0_0000, 0x7FF8_0000, s.next_u64() as u32];
                let value = strange[s.below(strange.len())].to_le_bytes();
                edited[at..at + width].copy_from_slice(&value[..width]);
                format!("word at {at} as {value:?}")
            };
            if file::fix_hash(&mut edited).is_ok() {
                open_and_use(&name, &what, edited);
            }
        }
    }
    assert!(peak_memory_mib() < 1024, "opening hostile files took {} MiB", peak_memory_mib());
}

/// Peak memory of the process.
fn peak_memory_mib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"));
    line.and_then(|l| l.split_whitespace().next()?.parse::<u64>().ok()).map_or(0, |kib| kib / 1024)
}

/// A file made of a header and a payload, with a right hash if it has a place for one.
fn forged(header: &str, payload: &[u8]) -> Vec<u8> {
    let mut out = (header.len() as u64).to_le_bytes().to_vec();
    out.extend(header.as_bytes());
    out.extend(payload);
    let _ = file::fix_hash(&mut out);
    out
}

#[test]
fn forged_headers_are_refused_within_bounded_memory() {
    let hash = "0".repeat(64);
    let head = |format: u32, learner: &str, params: &str| {
        format!(
            r#"{{\"format\":{format},\"version\":\"9.9.9\",\"learner\":\"{learner}\",\"params\":{params},\"schema\":{{\"fields\":[]}},\"seed\":0}}"#
        )
    };
    let whole = |ermine: String, fields: &str, tensors: &str| {
        format!(r#"{{"__metadata__":{{"ermine":"{ermine}","fields":"{fields}","hash":"{hash}"}}{tensors}}}"#)
    };
    let deep = "[".repeat(100_000);
    let cases: Vec<(&str, Vec<u8>)> = vec![
        ("a huge header length", u64::MAX.to_le_bytes().to_vec()),
        ("a header longer than the file", [1_000_000u64.to_le_bytes().as_slice(), b"{}"].concat()),
        ("an empty header", forged("{}", b"")),
        ("deep nesting", forged(&deep, b"")),
        ("deep nesting in the fields", forged(&whole(head(1, "baseline", "{}"), &deep, ""), b"")),
        ("a future format", forged(&whole(head(2, "baseline", "{}"), "{}", ""), b"")),
        ("an unknown learner", forged(&whole(head(1, "nonsense", "{}"), "{}", ""), b"")),
        ("parameters that are no object", forged(&whole(head(1, "baseline", "7"), "{}", ""), b"")),
        (
            "a huge array",
            forged(
                &whole(
                    head(1, "baseline", "{}"),
                    "{}",
                    r#","a":{"dtype":"F64","shape":[1000000000000],"data_offsets":[0,8000000000000]}"#,
                ),
                b"",
            ),
        ),
        (
            "a shape that overflows",
            forged(
                &whole(
                    head(1, "baseline", "{}"),
                    "{}",
                    r#","a":{"dtype":"F64","shape":[4294967296,4294967296],"data_offsets":[0,0]}"#,
                ),
                b"",
            ),
        ),
        (
            "arrays that overlap",
            forged(
                &whole(
                    head(1, "baseline", "{}"),
                    "{}",
                    r#","a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},"b":{"dtype":"U8","shape":[4],"data_offsets":[2,6]}"#,
                ),
                &[0; 6],
            ),
        ),
        (
            "a hole between arrays",
            forged(&whole(head(1, "baseline", "{}"), "{}", r#","a":{"dtype":"U8","shape":[2],"data_offsets":[2,4]}"#), &[0; 4]),
        ),
        (
            "an array of the wrong type",
            forged(&whole(head(1, "baseline", "{}"), "{}", r#","a":{"dtype":"Q99","shape":[1],"data_offsets":[0,1]}"#), &[0]),
        ),
    ];
    for (what, bytes) in cases {
        assert!(!open_and_use("a forged file", what, bytes), "{what} opens");
    }
    let future = Fitted::from_bytes(forged(&whole(head(2, "baseline", "{}"), "{}", ""), b"")).unwrap_err().to_string();
    assert!(future.contains("format 2") && future.contains("9.9.9"), "{future}");
}

fn corpus() -> PathBuf {
    ermine_fixtures::path("models")
}

/// Every model file ever committed opens for ever and predicts what it predicted when it was written. A new learner adds
/// its files with `ERMINE_WRITE_MODELS=1`; files that exist are never rewritten.
#[test]
fn the_corpus_of_old_models_opens() {
    let x: Vec<f64> = (0..6 * 3).map(|i| f64::from(i) * 0.3 - 2.0).collect();
    let x = Features::F64(MatRef::row_major(&x, 6, 3));
    // None where the model gives an error for these rows, as encoders do for unknown values.
    let answers = |f: &Fitted| -> Option<Vec<f64>> {
        let m = &f.model;
        let all = if let Some(c) = m.as_classifier() {
            c.proba(&x)
        } else if let Some(r) = m.as_regressor() {
            r.predict(&x)
        } else {
            m.as_transformer()?.transform(&x)
        };
        all.ok().map(|m| m.into_vec())
    };
    if std::env::var_os("ERMINE_WRITE_MODELS").is_some() {
        std::fs::create_dir_all(corpus()).unwrap();
        for (name, fitted) in models() {
            let path = corpus().join(format!("{name}-format{}.ermine", file::FORMAT));
            let Some(answers) = answers(&fitted).filter(|_| !path.exists()) else { continue };
            fitted.save(&path).unwrap();
            std::fs::write(path.with_extension("json"), serde_json::to_string(&answers).unwrap()).unwrap();
        }
    }
    let names: Vec<&str> = ermine_compose::model_names().collect();
    for learner in ermine::catalogue() {
        assert!(names.contains(&learner.spec().name), "{} has no line in the MODELS of its family", learner.spec().name);
    }
    let mut seen = 0;
    for entry in std::fs::read_dir(corpus()).expect("the corpus is there") {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|e| e == "ermine") {
            let fitted = Fitted::load(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            let expected: Vec<f64> =
                serde_json::from_str(&std::fs::read_to_string(path.with_extension("json")).unwrap()).unwrap();
            let actual = answers(&fitted).unwrap_or_else(|| panic!("{} does not answer", path.display()));
            let scale = expected.iter().fold(1e-300f64, |m, v| m.max(v.abs()));
            let far = expected.iter().zip(&actual).map(|(a, b)| (a - b).abs() / scale).fold(0.0, f64::max);
            // Mathematical functions may differ in the last digit between machines.
            assert!(expected.len() == actual.len() && far < 1e-12, "{}: predictions moved by {far:e}", path.display());
            // What loads without the learner is the same model, to the bytes.
            let alone = ermine_predict::load(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            let mut written = [file::ModelWriter::default(), file::ModelWriter::default()];
            fitted.model.save(&mut written[0]).unwrap();
            alone.model.save(&mut written[1]).unwrap();
            assert!(written[0] == written[1] && alone.schema == fitted.schema, "{}: another model", path.display());
            seen += 1;
        }
    }
    assert!(seen > 0, "the corpus is empty");
}

/// Categories, missing cells and values that training did not know go through the preparation as in training.
#[test]
fn a_predictor_prepares_rows_by_name_as_training_did() {
    let city =
        Column::categories(&(0..40).map(|i| (i % 7 != 0).then_some(["Lyon", "Turin", "Basel"][i % 3])).collect::<Vec<_>>());
    let area = Column::numbers((0..40).map(|i| if i % 9 == 0 { f64::NAN } else { f64::from(i) }).collect());
    let price = Column::numbers((0..40).map(|i| f64::from(3 * i + i % 3)).collect());
    let table = Table::new([("city", city), ("area", area), ("price", price)]).unwrap();
    let problem = Problem::from_table(table, &Roles::with_target("price")).unwrap();
    for name in ["ridge", "forest", "bagging", "stacking", "kernel-ridge"] {
        let fitted = Fitted::train(prepared(ermine::learner(name).unwrap()), &problem, &Context::default()).unwrap();
        let alone = ermine_predict::Predictor::from_bytes(fitted.to_bytes().unwrap()).unwrap();
        let rows = [("Basel", Some(11.0)), ("Oslo", Some(30.0)), ("Lyon", None)];
        for (city, area) in rows {
            let area: Option<f64> = area;
            let row = alone.row([("area", area.into()), ("city", city.into())]).unwrap();
            let aligned = fitted.align(&row).unwrap();
            let expected = fitted.model.as_regressor().unwrap().predict(&Features::Table(aligned.view())).unwrap();
            assert_eq!(alone.predict(&row).unwrap(), expected, "{name}: {city} {area:?}");
        }
    }
}

#[test]
fn a_failed_write_leaves_the_old_file_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.ermine");
    let (_, fitted) = models().swap_remove(0);
    fitted.save(&path).unwrap();
    let before = std::fs::read(&path).unwrap();
    // The name is taken by a folder, so the rename fails; the folder is not there, so the temporary file fails.
    let taken = folder.path().join("taken");
    std::fs::create_dir_all(taken.join("full")).unwrap();
    assert!(fitted.save(&taken).is_err());
    assert!(fitted.save(folder.path().join("nowhere/model.ermine")).is_err());
    assert_eq!(std::fs::read(&path).unwrap(), before);
    let left: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(left.len(), 2, "temporary files stay behind: {left:?}");
}
