//! The brakeline program.

use std::process::ExitCode;

fn main() -> ExitCode {
    brakeline_cli::run(std::env::args_os()).into()
}
