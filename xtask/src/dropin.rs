//! `cargo xtask dropin`: scikit-learn's own tests with our classes in the place of its classes, as a table.

use std::process::ExitCode;

use anyhow::Result;

use crate::python::Build;
use crate::test::test_environment;
use crate::workspace::{Workspace, succeeds};

pub const COMMAND: crate::Command = crate::Command {
    name: "dropin",
    summary: "run scikit-learn's own tests against our Python classes",
    help: "\
Usage: cargo xtask dropin [MODULE…] [--details] [-k EXPRESSION]

Builds the wheel, puts our classes in the place of scikit-learn's in its installed test files, and prints
how many of the black-box cases pass, by file and class. crates/py/tests/dropin says which cases are chosen
(select.py) and which are expected to fail, and why (exceptions.toml).

  MODULE      a test file such as sklearn.linear_model.tests.test_ridge; default: all
  --details   name the cases that fail
  -k …        only cases whose name matches, as in pytest
",
    run: dropin,
};

fn dropin(workspace: &Workspace, args: &[String]) -> Result<ExitCode> {
    let venv = test_environment(workspace)?;
    venv.install_ermine(workspace, Build::Checked)?;
    let mut command = workspace.command(venv.python());
    command.args(["-m", "dropin.run"]).args(args).env("PYTHONPATH", workspace.root.join("crates/py/tests"));
    Ok(if succeeds(&mut command)? { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
