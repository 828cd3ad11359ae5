//! `cargo xtask gen`: what is written from the catalogue.
//!
//! The work is in the crate xtask-gen: it is linked with every learner, which the other chores need not wait for.

use std::process::ExitCode;

use anyhow::Result;

use crate::workspace::{Workspace, run, succeeds};

pub const COMMAND: crate::Command = crate::Command {
    name: "gen",
    summary: "write the Python classes and stubs from the catalogue",
    help: "\
Usage: cargo xtask gen [--check]

Writes _generated.py and _generated.pyi in each module of crates/py/python/ermine, _index.py and __init__.pyi
from the catalogue (names, parameters, defaults, ranges, texts, what is accepted) and the tables of faces in
xtask/gen/src/faces. With --check nothing is written and it fails when a file is stale.
",
    run: generate,
};

fn generate(workspace: &Workspace, args: &[String]) -> Result<ExitCode> {
    // With the whole workspace in the choice, it is linked from the crates that the tests use.
    run(workspace.cargo().args(["build", "--quiet", "--workspace", "--bin", "xtask-gen"]))?;
    let program = workspace.target.join("debug").join(format!("xtask-gen{}", std::env::consts::EXE_SUFFIX));
    let done = succeeds(workspace.command(program).args(args))?;
    Ok(if done { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
