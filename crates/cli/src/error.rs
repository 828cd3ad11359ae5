//! Rendering of errors: what, why, `help:`; and the exit code.

use std::fmt::Write;

use ermine::Error;
use serde_json::json;

/// A usage error that only shows when the arguments are used.
#[derive(Debug)]
pub struct UsageError(pub String);

impl std::fmt::Display for UsageError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for UsageError {}

/// People count the rows of their data from 1, without the header; the library counts from 0. This is the one place
/// where the binary converts. (Lines of a file count from 1 everywhere.)
pub fn count_from_one(error: anyhow::Error) -> anyhow::Error {
    offset_row(error, 1)
}

/// The error with a row, if it names one, that counts from so many rows before.
pub fn offset_row(error: anyhow::Error, first: usize) -> anyhow::Error {
    if error.downcast_ref::<Error>().is_none_or(|e| e.row().is_none()) {
        return error;
    }
    match error.downcast::<Error>() {
        Ok(e) => e.with_row(|row| row + first).into(),
        Err(other) => other,
    }
}

/// 2 for usage errors, 1 when the work failed.
pub fn exit_code(error: &anyhow::Error) -> u8 {
    if error.downcast_ref::<UsageError>().is_some() {
        return 2;
    }
    match error.downcast_ref::<Error>() {
        Some(Error::Parameter { .. }) => 2,
        // Unknown names of the catalogue are usage errors; files, columns and classes depend on the data.
        Some(Error::Unknown { what, .. }) => {
            let typed = ["model", "format", "metric", "column type", "policy", "agent", "environment"].contains(&what.as_str())
                || what.starts_with("parameter");
            if typed { 2 } else { 1 }
        }
        _ => 1,
    }
}

/// Arguments that cannot be parsed are usage errors.
pub fn typed(error: Error) -> anyhow::Error {
    match error {
        Error::Data(message) => UsageError(message).into(),
        other => other.into(),
    }
}

/// The error for a person.
pub fn render(error: &anyhow::Error) -> String {
    let mut out = String::new();
    let mut chain = error.chain();
    if let Some(first) = chain.next() {
        let _ = writeln!(out, "error: {first}");
    }
    let mut last = error.to_string();
    for cause in chain {
        let text = cause.to_string();
        // A context that only repeats its cause is not printed.
        if !last.contains(&text) {
            let _ = writeln!(out, "  because: {text}");
        }
        last = text;
    }
    if let Some(help) = error.downcast_ref::<Error>().and_then(Error::help) {
        let _ = writeln!(out, "   help: {help}");
    }
    out
}

/// The error for a program.
pub fn to_json(command: &str, error: &anyhow::Error) -> serde_json::Value {
    let help = error.downcast_ref::<Error>().and_then(Error::help);
    json!({"command": command, "version": env!("CARGO_PKG_VERSION"), "error": format!("{error:#}"), "help": help})
}

/// Whether the output pipe was closed by its reader, which is not a failure.
pub fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|e| {
        let io = e.downcast_ref::<std::io::Error>().or(match e.downcast_ref::<Error>() {
            Some(Error::Io { source, .. }) => Some(source),
            _ => None,
        });
        io.is_some_and(|io| io.kind() == std::io::ErrorKind::BrokenPipe)
    })
}
