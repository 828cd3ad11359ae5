//! Finds Chromium, or installs it with apt-get as root on Debian.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, bail};

use crate::workspace::run;

/// Names of the browser, in the order in which they are tried.
const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
/// The environment variable that names the browser.
pub const VARIABLE: &str = "CHROMIUM";

/// The browser, or `None` where there is none and that is no failure.
pub fn ready() -> Result<Option<PathBuf>> {
    if let Some(found) = find(|name| std::env::var_os(name)) {
        return Ok(Some(found));
    }
    if is_root() && Path::new("/etc/debian_version").exists() {
        println!("installing Chromium with apt-get");
        run(Command::new("apt-get").arg("update"))?;
        run(Command::new("apt-get")
            .args(["install", "--yes", "--no-install-recommends", "chromium"])
            .env("DEBIAN_FRONTEND", "noninteractive"))?;
        if let Some(found) = find(|name| std::env::var_os(name)) {
            return Ok(Some(found));
        }
    }
    if std::env::var_os("CI").is_some_and(|ci| ci == "true") {
        bail!("{MISSING}");
    }
    Ok(None)
}

/// The error for a missing browser.
pub const MISSING: &str = "Chromium is missing: install it (on Debian: apt-get install chromium), or name it by CHROMIUM=…";

fn find(var: impl Fn(&str) -> Option<std::ffi::OsString>) -> Option<PathBuf> {
    if let Some(named) = var(VARIABLE).filter(|v| !v.is_empty()) {
        return Some(named.into());
    }
    let folders: Vec<PathBuf> = var("PATH").map(|p| std::env::split_paths(&p).collect()).unwrap_or_default();
    let everywhere = NAMES.iter().flat_map(|name| folders.iter().map(move |f| f.join(name)));
    everywhere.chain([PathBuf::from("/usr/bin/chromium")]).find(|p| p.is_file())
}

fn is_root() -> bool {
    Command::new("id").arg("-u").output().is_ok_and(|o| o.stdout.starts_with(b"0\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_named_browser_comes_before_those_on_the_path() {
        let folder = std::env::temp_dir().join("ermine-browser-test");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("google-chrome"), "").unwrap();
        let path = folder.clone().into_os_string();
        let var = |set: Option<&str>| {
            let (set, path) = (set.map(std::ffi::OsString::from), path.clone());
            move |name: &str| if name == VARIABLE { set.clone() } else { Some(path.clone()) }
        };
        assert_eq!(find(var(Some("/opt/mine"))), Some(PathBuf::from("/opt/mine")));
        assert_eq!(find(var(Some(""))), Some(folder.join("google-chrome")));
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
