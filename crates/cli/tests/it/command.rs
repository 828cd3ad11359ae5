//! Runs the binary and reads what it says.

use std::path::Path;
use std::process::Output;

use assert_cmd::Command;
use serde_json::Value;

pub fn run(args: &[&str]) -> Output {
    Command::cargo_bin("ermine").unwrap().args(args).output().unwrap()
}

/// Standard output of a command that succeeds.
pub fn ok(args: &[&str]) -> String {
    let out = run(args);
    assert!(out.status.success(), "{args:?}: {}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8(out.stdout).unwrap()
}

/// What a command that succeeds says with `--json`.
pub fn json(args: &[&str]) -> Value {
    let text = ok(&[args, &["--json"]].concat());
    let value: Value = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{args:?}: {e}: {text}"));
    for key in ["command", "version", "seed", "seconds"] {
        assert!(value.get(key).is_some(), "{args:?} has no {key}");
    }
    let command = value["command"].as_str().unwrap();
    assert!(args.join(" ").starts_with(command), "{args:?} calls itself {command}");
    value
}

/// Exit code and standard error of a command that fails.
pub fn fails(args: &[&str]) -> (i32, String) {
    let out = run(args);
    assert!(!out.status.success(), "{args:?} succeeds");
    (out.status.code().unwrap(), String::from_utf8(out.stderr).unwrap())
}

/// The path of a file in a folder, as it is typed.
pub fn path(folder: &Path, name: &str) -> String {
    folder.join(name).to_str().unwrap().to_owned()
}
