//! Virtual environments, and the wheel of Ermine in them.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::workspace::{Workspace, run};

/// Requirements of the tests, and the version of maturin that builds the wheel.
pub const TEST_REQUIREMENTS: &str = "crates/py/requirements-test.txt";

/// The oldest Python that the pinned scikit-learn installs on; the wheel itself goes back further.
const OLDEST: (u32, u32) = (3, 11);

/// How the extension is built.
#[derive(Clone, Copy)]
pub enum Build {
    /// As the Rust tests are: optimized, with overflow and debug assertions on, and most of it is there after them.
    Checked,
    /// As users get it.
    Release,
}

impl Build {
    fn arguments(self) -> &'static [&'static str] {
        match self {
            Self::Checked => &["--profile", "dev"],
            Self::Release => &["--release"],
        }
    }
}

/// The Python of the machine: `$PYTHON`, or else the first of the usual names that is new enough.
fn system_python() -> Result<(OsString, String)> {
    let names: Vec<OsString> = match std::env::var_os("PYTHON") {
        Some(name) => vec![name],
        None => vec!["python3".into(), "python".into()],
    };
    let mut seen = Vec::new();
    for name in names {
        let script = "import sys; print(*sys.version_info[:3], sep='.')";
        let Ok(output) = Command::new(&name).args(["-c", script]).output() else {
            continue;
        };
        let version = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        if output.status.success() && parse_version(&version) >= Some(OLDEST) {
            return Ok((name, version));
        }
        seen.push(format!("{} is {version}", name.to_string_lossy()));
    }
    let (major, minor) = OLDEST;
    let versions = if seen.is_empty() { "none".to_owned() } else { seen.join(", ") };
    bail!("Python {major}.{minor} or later is needed (found: {versions}); PYTHON=… names one")
}

fn parse_version(text: &str) -> Option<(u32, u32)> {
    let mut parts = text.split('.');
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

/// A virtual environment.
pub struct Venv {
    folder: PathBuf,
}

impl Venv {
    /// The environment in `folder`, made anew by `fill` unless it was made for the same Python and
    /// the same `wanted` text before.
    pub fn ready(folder: PathBuf, wanted: &str, fill: impl FnOnce(&Venv) -> Result<()>) -> Result<Self> {
        let (python, version) = system_python()?;
        let stamp = folder.join("made-for.txt");
        let wanted = format!("Python {version}\n{wanted}");
        let venv = Self { folder };
        if fs::read_to_string(&stamp).is_ok_and(|made_for| made_for == wanted) {
            println!("{} is up to date", venv.folder.display());
            return Ok(venv);
        }
        println!("making {} with Python {version}", venv.folder.display());
        run(Command::new(python).args(["-m", "venv", "--clear"]).arg(&venv.folder))?;
        fill(&venv)?;
        // Last, so that an interrupted installation is not taken for a whole one.
        fs::write(&stamp, wanted).with_context(|| format!("cannot write {}", stamp.display()))?;
        Ok(venv)
    }

    pub fn python(&self) -> PathBuf {
        let relative = if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" };
        self.folder.join(relative)
    }

    /// `pip install` in this environment; its arguments are still to be added.
    pub fn pip_install(&self) -> Command {
        let mut command = Command::new(self.python());
        command.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
        command
    }

    /// Builds the wheel and installs it; maturin must be in the environment.
    pub fn install_ermine(&self, workspace: &Workspace, build: Build) -> Result<()> {
        // An empty folder each time: what is in it afterwards is the wheel just built.
        let wheels = self.folder.join("wheels");
        if wheels.exists() {
            fs::remove_dir_all(&wheels)?;
        }
        let manifest = workspace.root.join("crates/py/Cargo.toml");
        let python = self.python();
        run(workspace
            .command(&python)
            .args(["-m", "maturin", "build", "--auditwheel", "skip"])
            .args(build.arguments())
            .arg("--manifest-path")
            .arg(manifest)
            .arg("--interpreter")
            .arg(&python)
            .arg("--out")
            .arg(&wheels))?;
        let wheel = only_wheel(&wheels)?;
        // Its dependencies are in the environment already, in the versions we chose.
        run(self.pip_install().args(["--no-deps", "--no-index", "--force-reinstall"]).arg(wheel))
    }
}

fn only_wheel(folder: &Path) -> Result<PathBuf> {
    let files = fs::read_dir(folder).with_context(|| format!("no wheel in {}", folder.display()))?;
    files
        .filter_map(|file| Some(file.ok()?.path()))
        .find(|path| path.extension().is_some_and(|e| e == "whl"))
        .with_context(|| format!("no wheel in {}", folder.display()))
}

/// The lines of a requirements file that name something.
pub fn requirements(text: &str) -> Vec<&str> {
    text.lines().map(|line| line.split('#').next().unwrap_or_default().trim()).filter(|line| !line.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_compare_as_numbers() {
        assert!(parse_version("3.9.2") < Some(OLDEST));
        assert!(parse_version("3.12.0") > Some(OLDEST));
        assert!(parse_version("") < Some(OLDEST));
    }

    #[test]
    fn requirements_are_read_without_comments() {
        let text = "# all\nnumpy==2.4 # pinned\n\nfaiss-cpu\n";
        assert_eq!(requirements(text), ["numpy==2.4", "faiss-cpu"]);
    }
}
