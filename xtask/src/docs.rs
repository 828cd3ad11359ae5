//! `cargo xtask docs`: the reference site, from docs and the catalogue.

use std::process::ExitCode;

use anyhow::{Result, bail};

use crate::workspace::{Workspace, succeeds};

pub const COMMAND: crate::Command = crate::Command {
    name: "docs",
    summary: "write the reference site into target/site",
    help: "\
Usage: cargo xtask docs

Renders the pages of docs, and for each learner of the catalogue its page in docs/methods together
with its parameters, its reference and a picture that the engine draws. Fails where a page or a
section is missing, a formula cannot be read or a link leads nowhere. Prints the page to open.
",
    run: docs,
};

fn docs(workspace: &Workspace, args: &[String]) -> Result<ExitCode> {
    if !args.is_empty() {
        bail!("it takes no arguments");
    }
    let done =
        succeeds(workspace.cargo().args(["run", "--quiet", "--package", "xtask-site", "--"]).arg(workspace.target.join("site")))?;
    Ok(if done { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
