//! `cargo xtask test`: everything a change must pass, with one summary at the end.

mod browser;
mod count;
mod package;

use std::fs;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::python::{Build, TEST_REQUIREMENTS, Venv};
use crate::workspace::{Workspace, run, succeeds, tee};
use count::Tests;

pub const COMMAND: crate::Command = crate::Command {
    name: "test",
    summary: "check and test everything: format, lints, Rust, browser, Python",
    help: "\
Usage: cargo xtask test [STAGE…] [-- ARGUMENT…]

Needs Rust and Python 3 only; the rest is installed in target/venv. Without stages, all run:

  fmt      is the code formatted?
  clippy   lints, as errors
  features the facade with each of its features alone, and with none; the predictor
  doc      the pages of the crates, warnings as errors
  package  every crate that is published, built from its package alone
  rust     unit, integration and documentation tests
  browser  pages in Chromium: CHROMIUM=…, the one on the PATH, or installed by apt-get for root on
           Debian; where there is none the stage is skipped and says so, with CI=true it fails
  python   the environment, the wheel with all assertions on, pytest

A failing stage does not stop the others. Arguments after -- go to `cargo test` or pytest when one
of rust, browser and python is chosen: cargo xtask test python -- -k pickle
With CI=true and no CARGO_TARGET_DIR, builds and environment are kept in the user's cache.
",
    run: test,
};

#[derive(Clone, Copy, PartialEq)]
enum TestStage {
    Fmt,
    Clippy,
    Features,
    Doc,
    Package,
    Rust,
    Browser,
    Python,
}

impl TestStage {
    const ALL: [Self; 8] =
        [Self::Fmt, Self::Clippy, Self::Features, Self::Doc, Self::Package, Self::Rust, Self::Browser, Self::Python];

    fn name(self) -> &'static str {
        match self {
            Self::Fmt => "fmt",
            Self::Clippy => "clippy",
            Self::Features => "features",
            Self::Doc => "doc",
            Self::Package => "package",
            Self::Rust => "rust",
            Self::Browser => "browser",
            Self::Python => "python",
        }
    }
}

/// How a step ended: the tests it counted, if it runs tests, or why it broke.
type StepResult = Result<Option<Tests>>;

struct TestStep {
    name: &'static str,
    outcome: StepResult,
    time: Duration,
}

#[derive(Default)]
struct Log {
    steps: Vec<TestStep>,
    /// Skipped steps and their reasons.
    skipped: Vec<String>,
}

impl Log {
    /// Runs a step and records it; returns whether it succeeded.
    fn step(&mut self, name: &'static str, work: impl FnOnce() -> StepResult) -> bool {
        println!("\n==> {name}");
        let start = Instant::now();
        let outcome = work();
        if let Err(error) = &outcome {
            eprintln!("error: {error:#}");
        }
        let step = TestStep { name, outcome, time: start.elapsed() };
        let ok = step.failures() == 0;
        self.steps.push(step);
        ok
    }
}

impl TestStep {
    fn tests(&self) -> Option<Tests> {
        self.outcome.as_ref().ok().copied().flatten()
    }

    /// A step that breaks without naming a failed test counts as one failure.
    fn failures(&self) -> usize {
        match &self.outcome {
            Ok(tests) => tests.map_or(0, |t| t.failed),
            Err(_) => 1,
        }
    }
}

fn test(workspace: &Workspace, args: &[String]) -> Result<ExitCode> {
    let (stages, extra) = parse(args)?;
    let mut log = Log::default();
    for stage in stages {
        match stage {
            TestStage::Fmt => {
                log.step("fmt", || checked(workspace.cargo().args(["fmt", "--all", "--check"])));
            }
            TestStage::Clippy => {
                log.step("clippy", || {
                    let lint = ["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"];
                    checked(workspace.cargo().args(lint))
                });
            }
            TestStage::Features => {
                log.step("features", || features(workspace));
            }
            TestStage::Doc => {
                log.step("doc", || {
                    let mut cargo = workspace.cargo();
                    cargo.args(["doc", "--workspace", "--no-deps"]).env("RUSTDOCFLAGS", "-D warnings");
                    checked(&mut cargo)
                });
            }
            TestStage::Package => {
                log.step("package", || package::test(workspace));
            }
            TestStage::Rust => {
                log.step("rust", || rust_tests(workspace, extra));
            }
            TestStage::Browser => browser(workspace, extra, &mut log),
            TestStage::Python => python(workspace, extra, &mut log),
        }
    }
    print!("{}", summary(&log.steps));
    log.skipped.iter().for_each(|why| println!("skipped: {why}"));
    let failed = log.steps.iter().any(|s| s.failures() > 0);
    Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn parse(args: &[String]) -> Result<(Vec<TestStage>, &[String])> {
    let cut = args.iter().position(|a| a == "--").unwrap_or(args.len());
    let (names, extra) = (&args[..cut], args.get(cut + 1..).unwrap_or_default());
    for name in names {
        if !TestStage::ALL.iter().any(|s| s.name() == name) {
            bail!("no stage `{name}`; there are fmt, clippy, features, doc, rust, browser and python");
        }
    }
    let chosen = |s: &TestStage| names.is_empty() || names.iter().any(|n| n == s.name());
    let stages: Vec<TestStage> = TestStage::ALL.into_iter().filter(chosen).collect();
    let runners = stages.iter().filter(|s| matches!(s, TestStage::Rust | TestStage::Browser | TestStage::Python)).count();
    if runners > 1 && !extra.is_empty() {
        bail!("choose rust, browser or python: `{}` cannot go to several", extra.join(" "));
    }
    Ok((stages, extra))
}

fn checked(command: &mut std::process::Command) -> StepResult {
    run(command)?;
    Ok(None)
}

/// Checks the facade and the predictor with each feature alone and with none, as those who depend on them build them: without what tests
/// need.
fn features(workspace: &Workspace) -> StepResult {
    for (package, folder) in [("ermine", "ermine"), ("ermine-predict", "predict")] {
        let manifest = workspace.root.join("crates").join(folder).join("Cargo.toml");
        let manifest = fs::read_to_string(&manifest).with_context(|| format!("cannot read {}", manifest.display()))?;
        for feature in std::iter::once("").chain(feature_names(&manifest)) {
            println!("features: {package} [{feature}]");
            let mut cargo = workspace.cargo();
            cargo.args(["check", "--quiet", "--package", package, "--lib", "--no-default-features", "--features", feature]);
            run(&mut cargo)?;
        }
    }
    // Together with the other crates it would be built with all they ask for, and tested with it.
    println!("features: tests of ermine-predict, without what trains");
    checked(workspace.cargo().args(["test", "--quiet", "--package", "ermine-predict"]))
}

/// The names in the table of features of a manifest, but `default`.
fn feature_names(manifest: &str) -> impl Iterator<Item = &str> {
    let table = manifest.lines().skip_while(|l| *l != "[features]").skip(1).take_while(|l| !l.starts_with('['));
    table.filter_map(|l| l.split_once(" = ")).map(|(name, _)| name).filter(|name| *name != "default" && !name.starts_with('#'))
}

fn rust_tests(workspace: &Workspace, extra: &[String]) -> StepResult {
    let mut tests = Tests::default();
    let mut cargo = workspace.cargo();
    // The Python extension has no tests here, but with it in the choice its wheel is linked from what is built now.
    cargo.args(["test", "--workspace", "--no-fail-fast"]);
    cargo.args(extra);
    let ok = tee(&mut cargo, |line| {
        if let Some(more) = count::libtest(line) {
            tests.add(more);
        }
    })?;
    counted(ok, tests, "cargo test")
}

/// The tests that need a browser.
fn browser(workspace: &Workspace, extra: &[String], log: &mut Log) {
    let mut skipped = None;
    log.step("browser", || {
        let Some(chromium) = browser::ready()? else {
            eprintln!("{}", browser::MISSING);
            skipped = Some(format!("browser; {}", browser::MISSING));
            return Ok(None);
        };
        println!("{}", chromium.display());
        let mut tests = Tests::default();
        let mut cargo = workspace.cargo();
        // Of the whole workspace, so that it is linked from what the Rust tests have built.
        cargo.args(["test", "--workspace", "--test", "it", "--", "--ignored", "browser::"]).args(extra);
        let ok = tee(cargo.env("ERMINE_CHROMIUM", &chromium), |line| {
            if let Some(more) = count::libtest(line) {
                tests.add(more);
            }
        })?;
        counted(ok, tests, "cargo test")
    });
    log.skipped.extend(skipped);
}

/// The steps of the Python stage, each of which needs the one before.
fn python(workspace: &Workspace, extra: &[String], log: &mut Log) {
    let mut venv = None;
    log.step("venv", || {
        venv = Some(test_environment(workspace)?);
        Ok(None)
    });
    let Some(venv) = venv else { return };
    let installed = log.step("wheel", || {
        venv.install_ermine(workspace, Build::Checked)?;
        Ok(None)
    });
    if installed {
        log.step("pytest", || pytest(workspace, &venv, extra));
    }
}

/// The environment of the Python tests, made when it is not there.
pub fn test_environment(workspace: &Workspace) -> Result<Venv> {
    let path = workspace.root.join(TEST_REQUIREMENTS);
    let wanted = fs::read_to_string(&path).with_context(|| format!("cannot read {TEST_REQUIREMENTS}"))?;
    Venv::ready(workspace.target.join("venv"), &wanted, |venv| run(venv.pip_install().arg("--requirement").arg(&path)))
}

fn pytest(workspace: &Workspace, venv: &Venv, extra: &[String]) -> StepResult {
    let report = workspace.target.join("pytest.xml");
    let _ = fs::remove_file(&report); // the counts must be those of this run
    let mut command = workspace.command(venv.python());
    command.args(["-m", "pytest", "crates/py/tests", "--numprocesses", "auto", "--junitxml"]).arg(&report).args(extra);
    let ok = succeeds(&mut command)?;
    let text = fs::read_to_string(&report).context("pytest did not report its results")?;
    let tests = count::junit(&text).context("pytest's report names no counts")?;
    counted(ok, tests, "pytest")
}

/// A runner may fail without naming a test, as when a test binary does not compile.
fn counted(ok: bool, mut tests: Tests, what: &str) -> StepResult {
    if !ok && tests.failed == 0 {
        eprintln!("error: {what} failed without naming a test");
        tests.failed = 1;
    }
    Ok(Some(tests))
}

fn summary(steps: &[TestStep]) -> String {
    let mut text = format!("\n{:8}{:>8}{:>8}{:>8}{:>9}\n", "stage", "result", "passed", "failed", "seconds");
    let (mut passed, mut failed) = (0, 0);
    for step in steps {
        let result = if step.failures() == 0 { "ok" } else { "FAILED" };
        let (p, f) = match step.tests() {
            Some(t) => (t.passed.to_string(), t.failed.to_string()),
            None => Default::default(),
        };
        let seconds = step.time.as_secs_f64();
        text += &format!("{:8}{result:>8}{p:>8}{f:>8}{seconds:>9.1}\n", step.name);
        passed += step.tests().map_or(0, |t| t.passed);
        failed += step.failures();
    }
    text + &format!("\n{passed} passed, {failed} failed\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_are_read_off_a_manifest() {
        let manifest = "[package]\nname = \"x\"\n\n[features]\ndefault = [\"a\"]\n# all\na = []\nb = [\n    \"a\",\n]\n\n[dependencies]\nc = \"1\"\n";
        assert_eq!(feature_names(manifest).collect::<Vec<_>>(), ["a", "b"]);
    }

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(String::from).collect()
    }

    #[test]
    fn all_stages_run_unless_some_are_named() {
        let none = words("");
        assert!(parse(&none).unwrap().0 == TestStage::ALL);
        let some = words("python fmt");
        assert!(parse(&some).unwrap().0 == [TestStage::Fmt, TestStage::Python]);
        assert!(parse(&words("ruby")).is_err());
    }

    #[test]
    fn arguments_go_to_one_runner_only() {
        let one = words("python -- -k pickle");
        assert_eq!(parse(&one).unwrap().1, ["-k", "pickle"]);
        assert!(parse(&words("-- -k pickle")).is_err());
    }

    #[test]
    fn a_broken_step_counts_as_a_failure() {
        let mut log = Log::default();
        log.step("fmt", || bail!("not formatted"));
        log.step("rust", || Ok(Some(Tests { passed: 5, failed: 2 })));
        log.step("venv", || Ok(None));
        let text = summary(&log.steps);
        assert!(text.ends_with("\n5 passed, 3 failed\n"), "{text}");
    }
}
