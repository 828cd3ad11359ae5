//! The binary `ermine`.

use std::process::ExitCode;

fn main() -> ExitCode {
    ermine_cli::main()
}
