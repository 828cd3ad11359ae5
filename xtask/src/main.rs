//! Chores of the workspace: `cargo xtask COMMAND`.

mod bench;
mod docs;
mod dropin;
mod r#gen;
mod python;
mod test;
mod workspace;

use std::process::ExitCode;

use anyhow::Result;

use workspace::Workspace;

/// One chore. A new one is a module with a `COMMAND` and a line in [`COMMANDS`].
struct Command {
    name: &'static str,
    summary: &'static str,
    /// The output of `cargo xtask NAME --help`.
    help: &'static str,
    run: fn(&Workspace, &[String]) -> Result<ExitCode>,
}

const COMMANDS: &[Command] = &[test::COMMAND, r#gen::COMMAND, docs::COMMAND, dropin::COMMAND, bench::COMMAND];

/// The command line is wrong.
const USAGE: u8 = 2;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let Some((name, rest)) = args.split_first() else {
        eprint!("{}", overview());
        return ExitCode::from(USAGE);
    };
    if matches!(name.as_str(), "--help" | "-h" | "help") {
        print!("{}", overview());
        return ExitCode::SUCCESS;
    }
    let Some(command) = COMMANDS.iter().find(|c| c.name == name) else {
        eprint!("error: no command `{name}`\n\n{}", overview());
        return ExitCode::from(USAGE);
    };
    if asks_for_help(rest) {
        print!("{}", command.help);
        return ExitCode::SUCCESS;
    }
    match Workspace::find().and_then(|workspace| (command.run)(&workspace, rest)) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// `--help` before a `--`; what follows belongs to the program that the chore starts.
fn asks_for_help(args: &[String]) -> bool {
    args.iter().take_while(|a| *a != "--").any(|a| a == "--help" || a == "-h")
}

fn overview() -> String {
    let mut text = String::from("Usage: cargo xtask COMMAND [--help]\n\n");
    for command in COMMANDS {
        text += &format!("  {:8}{}\n", command.name, command.summary);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(String::from).collect()
    }

    #[test]
    fn help_after_a_double_dash_belongs_to_the_program_started() {
        assert!(asks_for_help(&words("python --help")));
        assert!(!asks_for_help(&words("python -- --help")));
    }

    #[test]
    fn the_overview_names_every_command() {
        let text = overview();
        assert!(COMMANDS.iter().all(|c| text.contains(c.summary)));
    }
}
