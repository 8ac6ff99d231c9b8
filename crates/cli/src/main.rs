//! The brakeline program.

use brakeline_cli::{Exit, failure_of, run};
use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

fn main() -> ExitCode {
    let args: Vec<OsString> = std::env::args_os().collect();
    // Nothing here should panic. If something does, a hook must not let the call through for it.
    let exit = failure_of(&args, Exit::Internal);
    std::panic::set_hook(Box::new(move |panic| {
        let _ = writeln!(
            std::io::stderr(),
            "brakeline: a fault of the program itself, please report it: {panic}"
        );
        std::process::exit(exit.code().into());
    }));
    run(&args).into()
}
