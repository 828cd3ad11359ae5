//! Arguments of reading tables, and of writing them again.

use clap::Args as ClapArgs;

use super::GlobalArgs;

/// Options for reading the data.
#[derive(Debug, Clone, Default, ClapArgs)]
#[command(next_help_heading = "Reading")]
pub struct ReadArgs {
    /// Format, where the extension does not tell: csv, tsv, json, jsonl, xlsx, parquet, arrow, libsvm, idx
    #[arg(long, value_name = "FORMAT")]
    pub format: Option<String>,
    /// Type of a column: number, category, date, text, identifier
    #[arg(long = "type", value_name = "COL=TYPE")]
    pub types: Vec<String>,
    /// Words that mean missing, instead of NA, NaN, null and ?; an empty cell always does
    #[arg(long, value_name = "WORDS", value_delimiter = ',')]
    pub missing: Option<Vec<String>>,
    /// Character between cells
    #[arg(long, value_name = "CHAR")]
    pub delimiter: Option<char>,
    /// Whether the first line has the names: yes or no; by default found out by comparing it with the lines below
    #[arg(long, value_name = "YES|NO", value_parser = ["yes", "no"])]
    pub header: Option<String>,
    /// How dates are written, where no cell tells day from month: %d/%m/%Y, %m/%d/%Y, %Y/%m/%d
    #[arg(long, value_name = "FORMAT")]
    pub date_format: Option<String>,
    /// Sheet of a workbook; by default the first
    #[arg(long, value_name = "NAME")]
    pub sheet: Option<String>,
    /// Refuse damaged text instead of repairing it
    #[arg(long, conflicts_with = "lenient")]
    pub strict: bool,
    /// Repair text however damaged it is, and leave out a second table
    #[arg(long)]
    pub lenient: bool,
    /// Columns to ignore
    #[arg(long, value_name = "COLS", value_delimiter = ',')]
    pub drop: Vec<String>,
    /// Label file of IDX images, where its name does not follow the convention; the labels become column "label", the
    /// target unless another is named
    #[arg(long, value_name = "FILE")]
    pub labels: Option<std::path::PathBuf>,
}

#[derive(Debug, ClapArgs)]
#[command(
    after_help = "Examples:\n  ermine convert export.csv -o clean.csv\n  ermine convert data.csv -o data.parquet\n  ermine convert data.csv -o data.jsonl\n\nFrom text to text, cells keep their spelling. What had to be repaired is said on\nthe standard error, with line numbers; --strict refuses it instead."
)]
pub struct ConvertArgs {
    /// A file, a glob, - or example:NAME
    pub data: String,
    /// File to write, by its extension: csv, tsv, parquet, arrow, jsonl; - is the standard output, as csv
    #[arg(long, short, value_name = "OUT", default_value = "-")]
    pub output: String,
    /// Leave all cells as they stand: no column is typed, and only empty cells are missing
    #[arg(long)]
    pub text: bool,
    #[command(flatten)]
    pub reading: ReadArgs,
    #[command(flatten)]
    pub everywhere: GlobalArgs,
}
