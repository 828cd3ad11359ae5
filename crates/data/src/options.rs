//! Options of the readers.

use std::collections::{BTreeMap, BTreeSet};

use crate::dates::DateOrder;
use ermine_core::{ColumnKind, Error, Result, Schema};

/// File formats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// Text with a detected delimiter: comma, semicolon, tab or `|`.
    Csv,
    /// Text with tabs.
    Tsv,
    /// Apache Parquet.
    Parquet,
    /// Arrow IPC, file or stream ("Feather").
    Arrow,
    /// Sparse text: `target index:value …`, indices from 1, ascending.
    Libsvm,
    /// IDX images (MNIST and similar).
    Idx,
    /// JSON: an array of objects.
    Json,
    /// JSON: an object on each line.
    JsonLines,
    /// The sheets of a workbook: Excel or OpenDocument.
    Sheet,
}

impl Format {
    /// All formats.
    pub const ALL: [Self; 9] =
        [Self::Csv, Self::Tsv, Self::Parquet, Self::Arrow, Self::Libsvm, Self::Idx, Self::Json, Self::JsonLines, Self::Sheet];

    /// The name of the format.
    pub fn name(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Tsv => "tsv",
            Self::Parquet => "parquet",
            Self::Arrow => "arrow",
            Self::Libsvm => "libsvm",
            Self::Idx => "idx",
            Self::Json => "json",
            Self::JsonLines => "jsonl",
            Self::Sheet => "xlsx",
        }
    }

    /// The format implied by a file name, if any; `.gz`, `.zst`, `.bz2` and `.xz` at the end are ignored.
    pub fn of_name(name: &str) -> Option<Self> {
        let name = name.rsplit(['/', '\\']).next().unwrap_or(name).to_ascii_lowercase();
        let name = [".gz", ".gzip", ".zst", ".zstd", ".bz2", ".xz"].iter().find_map(|e| name.strip_suffix(e)).unwrap_or(&name);
        if name.ends_with("-ubyte") || name.ends_with(".ubyte") {
            return Some(Self::Idx);
        }
        match name.rsplit_once('.')?.1 {
            "csv" => Some(Self::Csv),
            "tsv" | "tab" => Some(Self::Tsv),
            "parquet" | "pq" => Some(Self::Parquet),
            "arrow" | "arrows" | "ipc" | "feather" => Some(Self::Arrow),
            "libsvm" | "svm" | "svmlight" => Some(Self::Libsvm),
            "idx" => Some(Self::Idx),
            "json" => Some(Self::Json),
            "jsonl" | "ndjson" => Some(Self::JsonLines),
            "xlsx" | "xlsm" | "xlsb" | "xls" | "ods" => Some(Self::Sheet),
            _ => None,
        }
    }
}

impl std::str::FromStr for Format {
    type Err = Error;
    fn from_str(s: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|f| f.name() == s).ok_or_else(|| Error::unknown("format", s, Self::ALL.map(Self::name)))
    }
}

impl std::fmt::Display for Format {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// What is done with text that is damaged: rows of another width, stray quotes, rows above and below the table.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum RepairPolicy {
    /// It is repaired and noted, unless more than one row in twenty is damaged or a second table follows.
    #[default]
    Small,
    /// It is repaired and noted, however much it is.
    Any,
    /// It is an error.
    Never,
}

/// Options of the readers. By default everything is detected from the file.
#[derive(Debug, Clone, Default)]
pub struct ReadOptions {
    /// The format; by default from the extension, then from the content.
    pub format: Option<Format>,
    /// Column kinds by name, instead of the inferred ones.
    pub types: BTreeMap<String, ColumnKind>,
    /// Cells of a text format that mean "missing", compared exactly. An empty cell always does. By default: `NA`, `?`,
    /// and, in any case, `NaN` and `null`.
    pub missing: Option<Vec<String>>,
    /// The byte between cells of a text format; detected by default.
    pub delimiter: Option<u8>,
    /// Whether numbers have a decimal comma (`3,14`); by default only if the delimiter is `;` and some cells have one
    /// and none has a point.
    pub decimal_comma: Option<bool>,
    /// Whether the first line of a text format has the names; by default it does, unless its cells are of the same kinds as those
    /// below.
    pub header: Option<bool>,
    /// What is done with damaged text.
    pub repair: RepairPolicy,
    /// The kind of all columns that `types` does not name, instead of the inferred ones.
    pub every_type: Option<ColumnKind>,
    /// Upper bound on the bytes a compressed file may decompress to. By default a file is an error, as a decompression
    /// bomb, once it has decompressed to more than 1 GiB at a ratio above 500.
    pub max_unpacked: Option<u64>,
    /// The columns of a trained model, and their kinds: see [`ReadOptions::expect`].
    pub expected: Option<BTreeMap<String, ColumnKind>>,
    /// Whether no other columns are read than those expected or given a type.
    pub only_expected: bool,
    /// How dates are written, such as `%d/%m/%Y`: the order of day, month and year counts. By default found by looking at the
    /// whole column.
    pub date_format: Option<String>,
    /// The sheet of a workbook; by default the first.
    pub sheet: Option<String>,
    /// Columns that are not read, by name.
    pub drop: Vec<String>,
    /// The label file of IDX images, where its name does not follow the convention.
    pub labels: Option<std::path::PathBuf>,
}

impl ReadOptions {
    /// Reads for a model that was trained on these columns. They are read as the kinds they had, unless `types`
    /// overrides them. Rows of libsvm text are as wide as the model: an index that no row has is 0, one beyond the
    /// model is dropped and noted. Of the other columns, those that cannot be read are skipped.
    pub fn expect(&mut self, schema: &Schema) {
        self.expected = Some(schema.fields.iter().map(|f| (f.name.clone(), f.kind)).collect());
    }

    /// The requested order of dates.
    pub(crate) fn date_order(&self) -> Result<Option<DateOrder>> {
        let Some(format) = &self.date_format else { return Ok(None) };
        let place = |letters: &[char]| letters.iter().filter_map(|l| format.find(*l)).min();
        match (place(&['d', 'e']), place(&['m', 'b', 'B']), place(&['Y', 'y'])) {
            (Some(d), Some(m), Some(y)) if d < m && m < y => Ok(Some(DateOrder::DayMonthYear)),
            (Some(d), Some(m), Some(y)) if m < d && d < y => Ok(Some(DateOrder::MonthDayYear)),
            (Some(d), Some(m), Some(y)) if y < m && m < d => Ok(Some(DateOrder::YearMonthDay)),
            _ => Err(Error::Data(format!("--date-format {format}: write it like %d/%m/%Y, %m/%d/%Y or %Y-%m-%d"))),
        }
    }

    /// The requested kind.
    pub(crate) fn kind_of(&self, name: &str) -> Option<ColumnKind> {
        self.types.get(name).or_else(|| self.expected.as_ref()?.get(name)).copied().or(self.every_type)
    }

    /// The expected number of columns of libsvm text: the highest `xN`.
    pub(crate) fn expected_width(&self) -> Option<usize> {
        let number = |name: &String| name.strip_prefix('x').and_then(|n| n.parse::<usize>().ok());
        self.expected.as_ref()?.keys().filter_map(number).max()
    }

    /// The columns that are not read; an unknown name is an error.
    pub(crate) fn dropped<'a>(&self, names: impl IntoIterator<Item = &'a str> + Clone) -> Result<Vec<bool>> {
        let known: BTreeSet<&str> = names.clone().into_iter().collect();
        if let Some(unknown) = self.drop.iter().find(|d| !known.contains(d.as_str())) {
            return Err(Error::unknown("column", unknown, names));
        }
        let drop: BTreeSet<&str> = self.drop.iter().map(String::as_str).collect();
        Ok(names.into_iter().map(|n| drop.contains(n)).collect())
    }

    /// An error for a requested kind of a column that is not among `names`.
    pub(crate) fn check_types<'a>(&self, names: impl IntoIterator<Item = &'a str> + Clone) -> Result<()> {
        for asked in self.types.keys() {
            if !names.clone().into_iter().any(|n| n == asked) {
                return Err(Error::unknown("column", asked, names));
            }
        }
        Ok(())
    }
}

/// The cells that mean "missing".
#[derive(Debug, Clone)]
pub(crate) struct MissingMarkers {
    /// The marker, and whether its case is ignored.
    markers: Vec<(Vec<u8>, bool)>,
    longest: usize,
}

impl MissingMarkers {
    pub(crate) fn new(options: &ReadOptions) -> Self {
        let markers: Vec<(Vec<u8>, bool)> = match &options.missing {
            Some(words) => words.iter().map(|w| (w.trim().as_bytes().to_vec(), false)).collect(),
            None => [("NA", false), ("?", false), ("NaN", true), ("null", true)].map(|(w, any)| (w.into(), any)).into(),
        };
        Self { longest: markers.iter().map(|m| m.0.len()).max().unwrap_or(0), markers }
    }

    /// Whether some marker reads as a number, such as `-99`; then a numeric cell may be missing.
    pub(crate) fn has_numbers(&self) -> bool {
        self.markers.iter().any(|(m, _)| crate::csv::parse_number(m).is_some_and(|v| !v.is_nan()))
    }

    /// Whether a cell is missing.
    #[inline]
    pub(crate) fn is(&self, cell: &[u8]) -> bool {
        cell.is_empty()
            || (cell.len() <= self.longest
                && self.markers.iter().any(|(m, any_case)| if *any_case { m.eq_ignore_ascii_case(cell) } else { m == cell }))
    }
}
