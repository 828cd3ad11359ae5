//! How to read.

use std::collections::{BTreeMap, BTreeSet};

use ermine_core::{ColumnKind, Error, Result, Schema};

/// File formats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// Text with a delimiter that is found by looking: comma, semicolon, tab or `|`.
    Csv,
    /// Text with tabs.
    Tsv,
    /// Apache Parquet.
    Parquet,
    /// Arrow IPC, file or stream ("Feather").
    Arrow,
    /// Sparse text: `target index:value …`, indices from 1, ascending.
    Libsvm,
    /// IDX images (MNIST and its relatives).
    Idx,
}

impl Format {
    /// All formats.
    pub const ALL: [Self; 6] = [Self::Csv, Self::Tsv, Self::Parquet, Self::Arrow, Self::Libsvm, Self::Idx];

    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Tsv => "tsv",
            Self::Parquet => "parquet",
            Self::Arrow => "arrow",
            Self::Libsvm => "libsvm",
            Self::Idx => "idx",
        }
    }

    /// The format that a file name speaks of, if any; `.gz` and `.zst` at the end do not count.
    pub fn of_name(name: &str) -> Option<Self> {
        let name = name.rsplit(['/', '\\']).next().unwrap_or(name).to_ascii_lowercase();
        let name = [".gz", ".gzip", ".zst", ".zstd"].iter().find_map(|e| name.strip_suffix(e)).unwrap_or(&name);
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

/// How to read. The default looks at the file for everything.
#[derive(Debug, Clone, Default)]
pub struct ReadOptions {
    /// The format; by extension, then by content, when not given.
    pub format: Option<Format>,
    /// Kinds of columns that overrule what the cells look like, by column name.
    pub types: BTreeMap<String, ColumnKind>,
    /// Cells of a text format that mean "missing", exactly so written. An empty cell always does. When not given: `NA`, `?`,
    /// and, in capitals or not, `NaN` and `null`.
    pub missing: Option<Vec<String>>,
    /// The byte between cells of a text format; found by looking when not given.
    pub delimiter: Option<u8>,
    /// Whether numbers are written with a comma (`3,14`); when not given, only if the delimiter is `;` and some cells are
    /// written so and none with a point.
    pub decimal_comma: Option<bool>,
    /// Whether the first line of a text format holds the names; when not given it does, unless all its cells are numbers.
    pub header: Option<bool>,
    /// How many bytes a packed file may unpack to. When not given, a file is refused as a compression bomb once it has
    /// unpacked to more than 1 GiB at a ratio above 500.
    pub max_unpacked: Option<u64>,
    /// The columns that a trained model knows, and their kinds: see [`ReadOptions::expect`].
    pub expected: Option<BTreeMap<String, ColumnKind>>,
    /// Columns that are not read, by name.
    pub drop: Vec<String>,
    /// The file of labels that belongs to IDX images, where its name does not tell.
    pub labels: Option<std::path::PathBuf>,
}

impl ReadOptions {
    /// Reads for a model that was trained on these columns. Those that are there are read as the kinds they had, unless
    /// `types` says otherwise. Rows of libsvm text are as wide as the model: an index that no row has is 0, one that the
    /// model does not know is left out and noted. Of the other columns, those that cannot be read are left out.
    pub fn expect(&mut self, schema: &Schema) {
        self.expected = Some(schema.fields.iter().map(|f| (f.name.clone(), f.kind)).collect());
    }

    /// The kind that was asked for.
    pub(crate) fn kind_of(&self, name: &str) -> Option<ColumnKind> {
        self.types.get(name).or_else(|| self.expected.as_ref()?.get(name)).copied()
    }

    /// How many columns of libsvm text are expected: the highest `xN`.
    pub(crate) fn expected_width(&self) -> Option<usize> {
        let number = |name: &String| name.strip_prefix('x').and_then(|n| n.parse::<usize>().ok());
        self.expected.as_ref()?.keys().filter_map(number).max()
    }

    /// Which of the columns are not read; a name that is not among them is refused.
    pub(crate) fn dropped<'a>(&self, names: impl IntoIterator<Item = &'a str> + Clone) -> Result<Vec<bool>> {
        let there: BTreeSet<&str> = names.clone().into_iter().collect();
        if let Some(unknown) = self.drop.iter().find(|d| !there.contains(d.as_str())) {
            return Err(Error::unknown("column", unknown, names));
        }
        let drop: BTreeSet<&str> = self.drop.iter().map(String::as_str).collect();
        Ok(names.into_iter().map(|n| drop.contains(n)).collect())
    }

    /// Refuses an overruled column that is not among `names`.
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
    /// The marker, and whether capitals do not count.
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

    /// Whether some marker reads as a number, such as `-99`; then a number is not enough to know that a cell has a value.
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
