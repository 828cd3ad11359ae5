//! `ermine convert`: a table from one format to another.

use std::time::Instant;

use anyhow::Result;
use ermine::data::{Converted, RepairPolicy, convert};
use serde_json::json;

use super::{print_json, print_notes};
use crate::args::ConvertArgs;
use crate::error::UsageError;

pub fn run(args: &ConvertArgs) -> Result<()> {
    let started = Instant::now();
    let mut options = args.reading.options()?;
    if options.repair == RepairPolicy::Small {
        options.repair = RepairPolicy::Any;
    }
    if args.everywhere.json && args.output == "-" {
        return Err(UsageError("--json takes the standard output; name a file with -o".into()).into());
    }
    let Converted { rows, columns, notes, .. } = convert(&args.data, &args.output, &options, args.text)?;
    if args.everywhere.json {
        let results = json!({"n_rows": rows, "n_columns": columns, "output": args.output, "notes": notes});
        return print_json("convert", &args.everywhere, started.elapsed().as_secs_f64(), results);
    }
    print_notes(&args.everywhere, &notes);
    Ok(())
}
