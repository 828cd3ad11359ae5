//! Converts a table: `cargo run -p ermine-data --example convert -- IN OUT`.

use ermine_data::{ReadOptions, RepairPolicy, convert};

fn main() -> Result<(), ermine_core::Error> {
    let mut names = std::env::args().skip(1);
    let (Some(from), Some(to)) = (names.next(), names.next()) else {
        println!("name a table and the file to write");
        return Ok(());
    };
    let options = ReadOptions { repair: RepairPolicy::Any, ..ReadOptions::default() };
    let done = convert(&from, &to, &options, false)?;
    println!("{} rows, {} columns", done.rows, done.columns);
    done.notes.iter().for_each(|note| println!("{note}"));
    Ok(())
}
