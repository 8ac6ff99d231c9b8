#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod args;
mod exit;

mod audit;
mod check;
mod collision;
mod doctor;
mod explain;
pub mod hook;
mod install;
mod lease_run;
mod manual;
#[cfg(feature = "mcp")]
pub mod mcp;
mod permissions;
mod sandbox;
mod sandbox_config;
pub mod serve;
mod session;
#[cfg(feature = "tools")]
mod tool_gate;
#[cfg(feature = "tools")]
mod tools;

mod configuration;
mod guards;
mod host_text;
mod input;
mod message;
mod output;
mod render;
mod report;

pub use brakeline::block_find;
pub use exit::Exit;
pub use input::MAX_BYTES;

use args::{Cli, Command, HookCli, OnFailure};
use clap::Parser;
use std::ffi::OsString;
use std::io::{self, Write};

/// Runs the program with its command line, the program's name first.
///
/// Reads standard input, files and the environment as the command asks, and writes to standard output and standard error.
#[must_use = "the exit status is the program's answer"]
pub fn run(args: &[OsString]) -> Exit {
    let hook = args.split_first().filter(|(_, rest)| rest.first().is_some_and(|command| command == "hook"));
    let outcome = match hook {
        Some((_, rest)) => HookCli::try_parse_from(rest).map(|cli| hook::run(&cli.hook)),
        None => Cli::try_parse_from(args).map(dispatch),
    };
    match outcome {
        Ok(exit) => exit,
        Err(error) if !error.use_stderr() => {
            write!(io::stdout(), "{}", error.render()).map_or(Exit::Output, |()| Exit::Ok)
        }
        Err(error) => {
            // Where even this fails, the exit status says it all.
            let _ = write!(io::stderr(), "{}", error.render());
            failure_of(args, Exit::Usage)
        }
    }
}

fn dispatch(cli: Cli) -> Exit {
    match cli.command {
        Command::Check(args) => check::run(&args),
        Command::Explain(args) => explain::run(&args),
        Command::Hook(args) => hook::run(&args),
        Command::Serve(args) => serve::run(&args),
        Command::Session(args) => session::run(&args),
        Command::Collision(args) => collision::run(&args),
        Command::Lease(args) => lease_run::run(&args),
        Command::Sandbox(args) => sandbox::run(&args),
        Command::Permissions(args) => permissions::run(&args),
        #[cfg(feature = "tools")]
        Command::Tools(args) => tools::run(&args),
        #[cfg(feature = "mcp")]
        Command::Mcp(args) => mcp::run(&args),
        Command::Install(args) => install::run(&args),
        Command::Uninstall(args) => install::run_uninstall(&args),
        Command::Doctor(args) => doctor::run(&args),
        Command::Schema => manual::schema(),
        Command::Completions(args) => manual::completions(&args),
        Command::Man(args) => manual::man(&args),
    }
}

/// Returns the exit status for a failure that comes before, or beside, the command's own judgement.
///
/// A hook's host takes every status but 2 for «go on», so a hook that fails this way blocks, unless its command line asks
/// for the open policy.
#[must_use]
pub fn failure_of(args: &[OsString], exit: Exit) -> Exit {
    let is_hook = args.get(1).is_some_and(|command| command == "hook");
    match on_failure(args) {
        OnFailure::Block if is_hook => Exit::Block,
        OnFailure::Allow if is_hook => Exit::Ok,
        _ => exit,
    }
}

/// Returns the fail policy of a command line that may not be readable as a whole.
fn on_failure(args: &[OsString]) -> OnFailure {
    const OPTION: &str = "--on-failure";
    let mut values = args.windows(2).filter_map(|pair| match pair {
        [option, value] if option == OPTION => Some(value.as_encoded_bytes()),
        [_, attached] => attached.as_encoded_bytes().strip_prefix(b"--on-failure="),
        _ => None,
    });
    if values.any(|value| value == b"allow") { OnFailure::Allow } else { OnFailure::Block }
}
