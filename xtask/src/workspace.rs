//! Where things are, and how other programs are started from there.

use std::ffi::OsString;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

/// The repository and the folder for everything that is built.
pub struct Workspace {
    pub root: PathBuf,
    pub target: PathBuf,
}

impl Workspace {
    pub fn find() -> Result<Self> {
        let manifest = std::env::var_os("CARGO_MANIFEST_DIR").context("start it as `cargo xtask`")?;
        let root = Path::new(&manifest).parent().context("the crate xtask is not inside a workspace")?.to_path_buf();
        let target = target_folder(&root, |name| std::env::var_os(name));
        let target = std::path::absolute(target)?;
        Ok(Self { root, target })
    }

    /// A command that runs at the root and builds into the target folder.
    pub fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command.current_dir(&self.root).env("CARGO_TARGET_DIR", &self.target);
        command
    }

    /// The cargo that started us.
    pub fn cargo(&self) -> Command {
        self.command(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
    }
}

/// The folder CARGO_TARGET_DIR. Without it `target`, except on a CI machine (CI=true): there a
/// folder in the user's cache, which outlives the checkout, so that the next run is fast.
fn target_folder(root: &Path, var: impl Fn(&str) -> Option<OsString>) -> PathBuf {
    if let Some(folder) = var("CARGO_TARGET_DIR") {
        return folder.into();
    }
    let cache = var("XDG_CACHE_HOME").map(PathBuf::from).or_else(|| Some(PathBuf::from(var("HOME")?).join(".cache")));
    match cache {
        Some(cache) if var("CI").is_some_and(|ci| ci == "true") => cache.join("ermine/target"),
        _ => root.join("target"),
    }
}

/// Runs a command to its end, with our terminal; returns whether it succeeded.
pub fn succeeds(command: &mut Command) -> Result<bool> {
    let status = command.status().with_context(|| starting(command))?;
    Ok(status.success())
}

/// Runs a command that must succeed.
pub fn run(command: &mut Command) -> Result<()> {
    ensure!(succeeds(command)?, "`{}` failed", shown(command));
    Ok(())
}

/// Like [`succeeds`], and shows `each` every line of standard output on its way to the terminal.
pub fn tee(command: &mut Command, mut each: impl FnMut(&str)) -> Result<bool> {
    let mut child = command.stdout(Stdio::piped()).spawn().with_context(|| starting(command))?;
    let mut lines = BufReader::new(child.stdout.take().context("no standard output")?);
    let mut line = Vec::new();
    while lines.read_until(b'\n', &mut line)? > 0 {
        std::io::stdout().write_all(&line)?;
        each(&String::from_utf8_lossy(&line));
        line.clear();
    }
    Ok(child.wait()?.success())
}

fn starting(command: &Command) -> String {
    format!("cannot start `{}`", shown(command))
}

fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let words: Vec<_> = words.map(|w| w.to_string_lossy()).collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(set: &[(&str, &str)]) -> PathBuf {
        target_folder(Path::new("/repo"), |name| {
            let entry = set.iter().find(|(key, _)| *key == name)?;
            Some(entry.1.into())
        })
    }

    #[test]
    fn builds_go_to_target_at_home() {
        assert_eq!(folder(&[("HOME", "/me")]), Path::new("/repo/target"));
    }

    #[test]
    fn builds_go_to_the_cache_on_ci() {
        let set = [("HOME", "/me"), ("CI", "true")];
        assert_eq!(folder(&set), Path::new("/me/.cache/ermine/target"));
        let set = [("XDG_CACHE_HOME", "/c"), ("HOME", "/me"), ("CI", "true")];
        assert_eq!(folder(&set), Path::new("/c/ermine/target"));
    }

    #[test]
    fn an_explicit_target_folder_wins() {
        let set = [("HOME", "/me"), ("CI", "true"), ("CARGO_TARGET_DIR", "/t")];
        assert_eq!(folder(&set), Path::new("/t"));
    }

    /// The crates of `package`, each as its name and version with the features it is built with.
    fn crates_of(package: &str) -> Vec<(String, String)> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let output = Command::new(env!("CARGO"))
            .current_dir(root)
            .args(["tree", "--locked", "--offline", "--edges", "no-dev", "--no-dedupe", "--prefix", "none"])
            .args(["--format", "{p}|{f}", "--package", package])
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let lines = String::from_utf8(output.stdout).unwrap();
        let mut crates: Vec<_> = lines.lines().filter_map(|l| l.split_once('|')).map(|(p, f)| (p.into(), f.into())).collect();
        crates.sort();
        crates.dedup();
        crates
    }

    #[test]
    fn the_package_is_built_from_the_crates_of_the_binary() {
        let (binary, package) = (crates_of("ermine-cli"), crates_of("ermine-py"));
        assert!(binary.len() > 50 && package.len() > 50);
        let built_again: Vec<_> = package
            .iter()
            .filter(|(name, features)| {
                binary.iter().any(|(n, _)| n == name) && !binary.contains(&(name.clone(), features.clone()))
            })
            .collect();
        assert!(built_again.is_empty(), "add these features to crates/workspace-hack/Cargo.toml: {built_again:?}");
    }

    #[cfg(unix)]
    #[test]
    fn tee_sees_each_line_and_the_exit_code() {
        let mut seen = Vec::new();
        let mut command = Command::new("sh");
        command.args(["-c", "echo one; echo two; exit 3"]);
        let ok = tee(&mut command, |line| seen.push(line.trim().to_owned())).unwrap();
        assert!(!ok);
        assert_eq!(seen, ["one", "two"]);
    }
}
