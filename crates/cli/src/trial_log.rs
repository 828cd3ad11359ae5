//! The journal of a search: one line per trial, appended as they end, from which the same search resumes.

use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use anyhow::{Context as _, Result};
use ermine::learn::model_selection::Trial;
use ermine::prelude::*;
use serde_json::Value;

/// An open journal file.
pub struct TrialLog {
    file: Mutex<File>,
}

impl TrialLog {
    /// Opens or starts a journal. `head` describes the search; a journal with another head belongs to another search
    /// and is an error. A truncated last line is dropped.
    pub fn open(path: &Path, head: &Value) -> Result<(Self, Vec<Trial>)> {
        let what = || format!("the journal {}", path.display());
        let mut text = String::new();
        let mut file = File::options().read(true).write(true).create(true).truncate(false).open(path).with_context(what)?;
        file.read_to_string(&mut text).with_context(what)?;
        // Text after the last line end was being written when the search was interrupted.
        let whole = text.rfind('\n').map_or(0, |at| at + 1);
        let mut lines = text[..whole].lines();
        let mut trials = Vec::new();
        if let Some(first) = lines.next() {
            let journal_head: Value = serde_json::from_str(first).with_context(|| format!("{} is not a journal", what()))?;
            if let Some(key) = first_difference(&journal_head, head) {
                return Err(anyhow::anyhow!(
                    "{} belongs to another search: its {key} is {}, and here it is {}; remove it or name another file",
                    what(),
                    journal_head.get(key).unwrap_or(&Value::Null),
                    head.get(key).unwrap_or(&Value::Null)
                ));
            }
            for (k, line) in lines.enumerate() {
                trials.push(serde_json::from_str(line).with_context(|| format!("{}, line {}", what(), k + 2))?);
            }
        }
        file.set_len(whole as u64).with_context(what)?;
        use std::io::Seek;
        file.seek(std::io::SeekFrom::End(0)).with_context(what)?;
        if whole == 0 {
            writeln!(file, "{head}").with_context(what)?;
        }
        Ok((Self { file: Mutex::new(file) }, trials))
    }

    /// Appends a trial.
    pub fn append(&self, trial: &Trial) -> Result<()> {
        let line = format!("{}\n", serde_json::to_string(trial)?);
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.write_all(line.as_bytes())?;
        Ok(file.sync_data()?)
    }
}

/// The first key in which two searches differ.
fn first_difference<'a>(found: &Value, head: &'a Value) -> Option<&'a str> {
    let keys = head.as_object()?.keys();
    keys.map(String::as_str).find(|key| found.get(*key) != head.get(*key))
}

/// A hash of the data: all cells, the target and the weights.
pub fn fingerprint(problem: &Problem) -> String {
    // FNV-1a over words.
    let mut hash = 0xCBF2_9CE4_8422_2325u64;
    let mut add = |word: u64| hash = (hash ^ word).wrapping_mul(0x0100_0000_01B3).rotate_left(17);
    let mut cells = |column: &Column| match column {
        Column::Number { values, .. } => values.iter().for_each(|v| add(v.to_bits())),
        Column::Category { codes, names } => {
            names.iter().flat_map(|n| n.bytes()).for_each(|b| add(u64::from(b)));
            codes.iter().for_each(|c| add(u64::from(*c)));
        }
        Column::Text(cells) => cells.iter().flatten().flat_map(|t| t.bytes()).for_each(|b| add(u64::from(b))),
    };
    problem.x.columns().for_each(&mut cells);
    match &problem.y {
        OwnedTarget::Real(y) => cells(&Column::Number { values: y.clone(), valid: None }),
        OwnedTarget::Class { codes, names } => {
            cells(&Column::Category { codes: codes.clone(), names: std::sync::Arc::new(names.clone()) });
        }
        _ => {}
    }
    if let Some(weight) = &problem.weight {
        cells(&Column::Number { values: weight.clone(), valid: None });
    }
    format!("{hash:016x}")
}

#[cfg(test)]
mod tests {
    use ermine::learn::model_selection::TrialEnd;
    use serde_json::json;

    use super::*;

    fn trial(index: usize) -> Trial {
        let params = json!({"alpha": 0.1}).as_object().cloned().unwrap_or_default();
        Trial {
            index,
            params,
            scores: vec![0.1 + index as f64, 0.3],
            share: 1.0,
            ended: TrialEnd::Complete,
            fit_seconds: 0.5,
            at: 1.0,
        }
    }

    #[test]
    fn a_journal_that_was_cut_off_goes_on_after_its_last_whole_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("j");
        let head = json!({"model": "ridge", "seed": 3});
        let (journal, known) = TrialLog::open(&path, &head).unwrap();
        assert!(known.is_empty());
        journal.append(&trial(0)).unwrap();
        journal.append(&trial(1)).unwrap();
        drop(journal);
        let whole = std::fs::read(&path).unwrap();
        for cut in 0..=whole.len() {
            std::fs::write(&path, &whole[..cut]).unwrap();
            let (journal, known) = TrialLog::open(&path, &head).unwrap();
            assert!(known.iter().enumerate().all(|(k, t)| *t == trial(k)), "cut at {cut}");
            for k in known.len()..2 {
                journal.append(&trial(k)).unwrap();
            }
            assert_eq!(std::fs::read(&path).unwrap(), whole, "cut at {cut}");
        }
        let error = TrialLog::open(&path, &json!({"model": "ridge", "seed": 4})).err().unwrap().to_string();
        assert!(error.contains("its seed is 3, and here it is 4"), "{error}");
    }
}
