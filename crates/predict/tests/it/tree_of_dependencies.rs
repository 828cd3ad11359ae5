//! What the crate is built of, as cargo resolves it for those who depend on it.

use std::process::Command;

fn tree(features: &[&str]) -> String {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.current_dir(env!("CARGO_MANIFEST_DIR"));
    cargo.args([
        "tree",
        "--offline",
        "--package",
        "ermine-predict",
        "--edges",
        "normal,build",
        "--prefix",
        "none",
        "--format",
        "{p} {f}",
    ]);
    let out = cargo.args(features).output().expect("cargo runs");
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8(out.stdout).unwrap()
}

/// The crates that train, that read files and that run threads.
const HEAVY: &[&str] =
    &["rayon", "rayon-core", "faer", "gemm", "nano-gemm", "arrow-array", "arrow-schema", "parquet", "minijinja"];

#[test]
fn nothing_that_trains_is_built() {
    for features in [&[][..], &["--no-default-features", "--features", "linear"]] {
        let tree = tree(features);
        assert!(tree.contains("ermine-linear"), "{tree}");
        for line in tree.lines() {
            let name = line.split(' ').next().unwrap_or_default();
            assert!(!HEAVY.contains(&name), "{name} is built for {features:?}");
            let of_ours = name.starts_with("ermine-");
            let words = line.rsplit(' ').next().unwrap_or_default();
            let trains = words.split(',').any(|f| matches!(f, "fit" | "linalg" | "parallel"));
            assert!(!(of_ours && trains), "{line}, for {features:?}");
        }
    }
}

#[test]
fn threads_are_there_when_they_are_asked_for() {
    let tree = tree(&["--no-default-features", "--features", "linear,parallel"]);
    assert!(tree.lines().any(|l| l.starts_with("rayon ")), "{tree}");
    assert!(!tree.lines().any(|l| l.starts_with("faer ") || l.starts_with("ermine-tree ")), "{tree}");
}
