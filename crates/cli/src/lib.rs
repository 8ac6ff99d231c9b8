//! See the README.

pub mod args;
mod check;
mod exit;
mod explain;
mod hook;
mod session;

pub use exit::Exit;

use args::{Cli, Command};
use clap::Parser;
use std::ffi::OsString;
use std::io::Write;

/// Runs the program with its command line, the program's name first.
pub fn run(args: impl IntoIterator<Item = OsString>) -> Exit {
    match Cli::try_parse_from(args) {
        Ok(cli) => match cli.command {
            Command::Check(args) => check::run(&args),
            Command::Explain(args) => explain::run(&args),
            Command::Hook(args) => hook::run(&args),
            Command::Session(args) => session::run(&args),
        },
        Err(error) if !error.use_stderr() => {
            write!(std::io::stdout(), "{}", error.render()).map_or(Exit::Output, |()| Exit::Ok)
        }
        Err(error) => {
            let _ = write!(std::io::stderr(), "{}", error.render());
            Exit::Usage
        }
    }
}
