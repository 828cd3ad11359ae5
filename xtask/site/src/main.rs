//! `cargo xtask docs`: the reference site, from the pages of `docs`, the catalogue and pictures that the engine draws.

mod markdown;
mod method;
mod pictures;
mod site;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Result, bail};

/// The root of the repository.
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match run(&args) {
        Ok(index) => {
            println!("{}", index.display());
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Writes the site into the folder that is given; the page to open.
fn run(args: &[String]) -> Result<PathBuf> {
    let [folder] = args else { bail!("it takes the folder to write and nothing else") };
    site::write(Path::new(ROOT), Path::new(folder))
}
