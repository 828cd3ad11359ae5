//! `cargo xtask gen`: writes the Python classes and their stubs from the catalogue.
//!
//! Each module of `ermine` (`linear_model`, `tree`, …) gets `_generated.py` with its classes and `_generated.pyi` with their types; the
//! package gets `_index.py`, which lists the module of each class, and `__init__.pyi`.

mod class;
mod faces;
mod python;
mod stubs;

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};

use class::Class;

const FOLDER: &str = "crates/py/python/ermine";

/// The root of the repository.
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

const NOTICE: &str = "# Written by `cargo xtask gen` from the catalogue and xtask/gen/src/faces. Do not edit.\n";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    generate(&args).unwrap_or_else(|error| {
        eprintln!("error: {error:#}");
        ExitCode::FAILURE
    })
}

fn generate(args: &[String]) -> Result<ExitCode> {
    let check = match args {
        [] => false,
        [one] if one == "--check" => true,
        _ => bail!("it takes --check and nothing else"),
    };
    let mut stale = false;
    for (name, text) in files()? {
        let path = Path::new(ROOT).join(FOLDER).join(&name);
        if fs::read_to_string(&path).is_ok_and(|old| old == text) {
            continue;
        }
        if check {
            eprintln!("{FOLDER}/{name} is stale; run `cargo xtask gen`");
            stale = true;
        } else {
            fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
            println!("wrote {FOLDER}/{name}");
        }
    }
    Ok(if stale { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// All files by their names in the package, with their texts.
fn files() -> Result<Vec<(String, String)>> {
    let classes = Class::all()?;
    let mut modules: Vec<&str> = classes.iter().map(|class| class.face.module).collect();
    modules.sort_unstable();
    modules.dedup();
    let mut files = vec![
        ("_index.py".to_owned(), python::index(&classes, &modules)),
        ("__init__.pyi".to_owned(), stubs::package(&classes, &modules)),
    ];
    for module in modules {
        let inside: Vec<&Class> = classes.iter().filter(|class| class.face.module == module).collect();
        files.push((format!("{module}/_generated.py"), python::module(&inside)?));
        files.push((format!("{module}/_generated.pyi"), stubs::module(&inside)?));
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_committed_files_are_what_the_catalogue_says() {
        for (name, text) in files().unwrap() {
            let committed = fs::read_to_string(Path::new(ROOT).join(FOLDER).join(&name)).unwrap_or_default();
            assert!(committed == text, "{name} is stale; run `cargo xtask gen`");
        }
    }
}
