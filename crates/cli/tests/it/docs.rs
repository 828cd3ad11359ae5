//! The shell examples of README and docs run as they stand.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The pages with examples: README, docs and the pages of the methods.
fn pages() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut pages = vec![root.join("README.md")];
    for folder in ["docs", "docs/methods"] {
        let entries = fs::read_dir(root.join(folder)).unwrap().map(|e| e.unwrap().path());
        pages.extend(entries.filter(|p| p.extension().is_some_and(|e| e == "md")));
    }
    pages.sort();
    pages
}

/// The blocks of a page that are marked as shell.
fn shell_blocks(text: &str) -> impl Iterator<Item = &str> {
    text.split("```sh\n").skip(1).filter_map(|rest| rest.split("```").next())
}

/// Runs a block in an empty folder, with the binary on the path; the message of a failure.
fn run(block: &str) -> Result<(), String> {
    let folder = tempfile::tempdir().unwrap();
    let bin = Path::new(env!("CARGO_BIN_EXE_ermine")).parent().unwrap();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(std::iter::once(bin.to_owned()).chain(std::env::split_paths(&path))).unwrap();
    let output = Command::new("sh").args(["-e", "-c", block]).current_dir(&folder).env("PATH", path).output().unwrap();
    match output.status.success() {
        true => Ok(()),
        false => Err(format!("{block}{}", String::from_utf8_lossy(&output.stderr))),
    }
}

#[cfg(unix)]
#[test]
fn shell_examples_of_the_docs_run() {
    let mut blocks = 0;
    let mut failures = Vec::new();
    for page in pages() {
        let text = fs::read_to_string(&page).unwrap();
        for block in shell_blocks(&text) {
            blocks += 1;
            failures.extend(run(block).err().map(|why| format!("{}:\n{why}", page.display())));
        }
    }
    assert!(blocks > 1, "no page has a shell example");
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[cfg(unix)]
#[test]
fn a_failing_line_fails_its_block() {
    assert!(run("false\ntrue\n").is_err());
    assert!(run("ermine no-such-command\n").is_err());
    assert!(run("ermine models\n").is_ok());
}
