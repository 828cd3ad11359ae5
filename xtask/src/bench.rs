//! `cargo xtask bench`: Ermine compared with its peers.

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result};

use crate::python::{Build, TEST_REQUIREMENTS, Venv, requirements};
use crate::workspace::{Workspace, run, succeeds};

pub const COMMAND: crate::Command = crate::Command {
    name: "bench",
    summary: "compare the speed of Ermine with its peers",
    help: "\
Usage: cargo xtask bench [--quick] [TASK…] [OPTION…]

Installs the peers of bench/requirements.txt in target/bench-venv, builds Ermine in release mode,
runs all of them in turn on the same data and prints who is how fast at equal quality.

  TASK         a name, a group or the beginning of a name; default: all that Ermine can do
  --quick      small sizes, one round
  --peers A,B  only these packages
  --list       print the tasks
  --json FILE  keep every run; --show FILE prints it again

Options go to bench/bench.py; bench/README.md explains what is measured.
",
    run: bench,
};

fn bench(workspace: &Workspace, args: &[String]) -> Result<ExitCode> {
    let venv = environment(workspace)?;
    venv.install_ermine(workspace, Build::Release)?;
    let script = workspace.root.join("bench/bench.py");
    // From where the user is, since --json names a file there.
    let ok = succeeds(std::process::Command::new(venv.python()).arg(script).args(args))?;
    Ok(if ok { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn environment(workspace: &Workspace) -> Result<Venv> {
    let path = workspace.root.join("bench/requirements.txt");
    let peers = read(&path)?;
    let tests = read(&workspace.root.join(TEST_REQUIREMENTS))?;
    let maturin = requirements(&tests)
        .into_iter()
        .find(|line| line.starts_with("maturin"))
        .with_context(|| format!("{TEST_REQUIREMENTS} does not name maturin"))?;
    let folder = workspace.target.join("bench-venv");
    let wanted = format!("{maturin}\n{peers}");
    Venv::ready(folder, &wanted, |venv| {
        run(venv.pip_install().arg(maturin))?;
        install_peers(venv, &path, &requirements(&peers))
    })
}

/// All peers at once, or one by one where that fails: some have no wheel for every Python.
fn install_peers(venv: &Venv, file: &Path, peers: &[&str]) -> Result<()> {
    if succeeds(venv.pip_install().arg("--requirement").arg(file))? {
        return Ok(());
    }
    println!("installing the peers one by one");
    let mut failed = Vec::new();
    for peer in peers {
        // The constraints keep a peer from replacing the versions that all share.
        let mut install = venv.pip_install();
        install.arg("--constraint").arg(file).arg(peer);
        if !succeeds(&mut install)? {
            failed.push(*peer);
        }
    }
    println!("left out, since they do not install: {}", failed.join(", "));
    Ok(())
}

fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}
