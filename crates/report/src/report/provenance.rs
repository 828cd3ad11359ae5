//! Provenance of a report: how to reproduce it.

use ermine_core::{DatasetRef, Result};

use crate::document::{DocBlock, DocSection, DocTable, TableCell, TableHead};
use crate::format;
use ermine_compose::Fitted;

/// Inputs and command of a report.
#[derive(Debug, Clone, Default)]
pub struct Provenance {
    /// The command line.
    pub command: String,
    /// The data, as in the command line.
    pub data: String,
    /// The data's file, where it is one: its size in bytes and its hash (BLAKE3).
    pub file: Option<(u64, String)>,
    /// The model file, where there is one.
    pub model: Option<String>,
    /// Notes on the data: rows and columns left out.
    pub notes: Vec<String>,
    /// The date; empty where reports must not differ from day to day.
    pub date: String,
}

impl Provenance {
    /// Reads size and hash of the data file, where it is a single one.
    pub fn read_file_info(&mut self, data: &str) -> Result<()> {
        let path = std::path::Path::new(data);
        if path.is_file() {
            let size = path.metadata().map_err(|e| ermine_core::Error::io(path, e))?.len();
            self.file = Some((size, ermine_core::hash_of_file(path)?));
        }
        self.data = data.to_owned();
        Ok(())
    }
}

/// The section on how to reproduce the report.
pub(super) fn part(origin: &Provenance, fitted: &Fitted, data: &DatasetRef<'_>, seed: u64) -> DocSection {
    let mut rows: Vec<(&str, String)> = vec![("ermine", env!("CARGO_PKG_VERSION").into())];
    rows.push(("seed", seed.to_string()));
    if fitted.seed != seed {
        rows.push(("seed of the fit", fitted.seed.to_string()));
    }
    rows.push(("data", origin.data.clone()));
    if let Some((size, hash)) = &origin.file {
        rows.push(("file", format!("{} bytes", format::count(*size as usize))));
        rows.push(("hash of the file (BLAKE3)", hash.clone()));
    }
    rows.push(("fingerprint of the rows as used", data.fingerprint()));
    if let Some(print) = &fitted.data.fingerprint {
        rows.push(("fingerprint of the training rows", print.clone()));
    }
    if let Some(model) = &origin.model {
        rows.push(("model file", model.clone()));
    }
    rows.push(("platform", format!("{} {}", std::env::consts::OS, std::env::consts::ARCH)));
    let grid = DocTable {
        heads: vec![TableHead::word("what"), TableHead::word("value")],
        rows: rows.into_iter().map(|(name, value)| vec![TableCell::from(name), value.into()]).collect(),
        ..DocTable::default()
    };
    let mut part = DocSection::new("Reproduce")
        .lead("The same command on the same data with the same seed gives the same numbers, on any number of threads.");
    if !origin.command.is_empty() {
        part = part.with(DocBlock::Code { name: "Command".into(), text: origin.command.clone() });
    }
    part.with(DocBlock::Table(grid))
}
