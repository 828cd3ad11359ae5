//! The command line of `ermine`: reads arguments, calls the library, prints. It owns no algorithm.
//!
//! It is a library so that a program can add learners of its own to it:
//!
//! ```ignore
//! fn main() -> std::process::ExitCode {
//!     ermine::Catalogue::new().with::<MyLearner>().install().expect("the name is free");
//!     ermine_cli::main()
//! }
//! ```

mod args;
mod commands;
mod error;
mod features;
mod load;
mod progress;
mod report;
mod split;
mod text;
mod trace_file;
mod trial_log;

use std::io::Write;
use std::process::ExitCode;

use clap::Parser;

/// Does what the arguments of the program say.
pub fn main() -> ExitCode {
    let args = match args::Args::try_parse() {
        Ok(args) => args,
        Err(e) => {
            // Help and version are not failures; anything else is a usage error.
            let code = if e.use_stderr() { 2 } else { 0 };
            let _ = e.print();
            return ExitCode::from(code);
        }
    };
    let everywhere = args.command.global();
    let json = everywhere.is_some_and(|e| e.json);
    if let Some(threads) = everywhere.and_then(|e| e.threads) {
        // The pool can only be set once, and this is the first use of it.
        let _ = rayon::ThreadPoolBuilder::new().num_threads(threads.into()).build_global();
    }
    match commands::run(&args.command).map_err(error::count_from_one) {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) if error::is_broken_pipe(&e) => ExitCode::SUCCESS,
        Err(e) => {
            if json {
                let object = error::to_json(args.command.name(), &e);
                let _ = writeln!(std::io::stdout(), "{object}");
            }
            eprint!("{}", error::render(&e));
            ExitCode::from(error::exit_code(&e))
        }
    }
}
