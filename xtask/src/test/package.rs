//! Packages: every crate that is published is checked from its package alone.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::StepResult;
use crate::workspace::{Workspace, run};

/// Writes the packages, unpacks them beside each other, and checks them as one workspace in which each depends on the others' packages: what a
/// crate needs and does not bring is missed there. One workspace, so that each crate is checked once.
pub fn test(workspace: &Workspace) -> StepResult {
    let manifests = workspace.root.join("crates");
    let mut names = Vec::new();
    for entry in fs::read_dir(&manifests).with_context(|| format!("cannot read {}", manifests.display()))? {
        let manifest = entry?.path().join("Cargo.toml");
        let text = fs::read_to_string(&manifest).with_context(|| format!("cannot read {}", manifest.display()))?;
        if let Some(name) = published(&text) {
            let incomplete = missing(&text);
            ensure!(incomplete.is_empty(), "{} does not say its {}", manifest.display(), incomplete.join(", "));
            names.push(name.to_owned());
        }
    }
    names.sort();
    let mut package = workspace.cargo();
    package.args(["package", "--quiet", "--no-verify", "--allow-dirty"]);
    names.iter().for_each(|name| {
        package.args(["--package", name]);
    });
    run(&mut package)?;
    let folder = workspace.target.join("package/together");
    if folder.exists() {
        fs::remove_dir_all(&folder).with_context(|| format!("cannot remove {}", folder.display()))?;
    }
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let version = env!("CARGO_PKG_VERSION");
    for name in &names {
        let file = workspace.target.join(format!("package/{name}-{version}.crate"));
        run(Command::new("tar").arg("-xzf").arg(&file).arg("-C").arg(&folder))?;
    }
    write_workspace(&folder, &names, version)?;
    fs::copy(workspace.root.join("Cargo.lock"), folder.join("Cargo.lock")).context("cannot copy Cargo.lock")?;
    let mut check = workspace.cargo();
    check.current_dir(&folder).args(["check", "--quiet", "--workspace", "--all-features"]);
    run(&mut check)?;
    println!("{} packages", names.len());
    Ok(None)
}

fn write_workspace(folder: &Path, names: &[String], version: &str) -> Result<()> {
    let mut text = String::from("[workspace]\nresolver = \"3\"\nmembers = [\n");
    names.iter().for_each(|name| text += &format!("    \"{name}-{version}\",\n"));
    text += "]\n\n[patch.crates-io]\n";
    names.iter().for_each(|name| text += &format!("{name} = {{ path = \"{name}-{version}\" }}\n"));
    fs::write(folder.join("Cargo.toml"), text).context("cannot write the workspace of the packages")
}

/// The name in a manifest, unless it is not for publishing.
fn published(manifest: &str) -> Option<&str> {
    let line = |key: &str| manifest.lines().find_map(|l| l.strip_prefix(key)?.strip_prefix(" = "));
    match line("publish") {
        Some("false") => None,
        _ => line("name").map(|name| name.trim_matches('"')),
    }
}

/// What a manifest lacks of that which a registry shows.
fn missing(manifest: &str) -> Vec<&'static str> {
    let says =
        |key: &str| manifest.lines().any(|l| l.starts_with(&format!("{key} = ")) || l.starts_with(&format!("{key}.workspace")));
    ["description", "license", "readme", "keywords", "categories", "rust-version"].into_iter().filter(|key| !says(key)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_published_says_what_it_is() {
        let manifest = "[package]\nname = \"x\"\ndescription = \"y\"\nlicense.workspace = true\nreadme.workspace = true\n";
        assert_eq!(published(manifest), Some("x"));
        assert_eq!(published("[package]\nname = \"x\"\npublish = false\n"), None);
        assert_eq!(missing(manifest), ["keywords", "categories", "rust-version"]);
    }
}
