//! `brakeline serve`: the engine for hosts in any language, as JSON lines on standard input and output.
//!
//! `docs/protocol.md` describes the protocol. One thread reads; each session has a thread of its own, so that one that waits
//! for a lock, or for its answers to be read, does not hold up the work of others.
//!
//! ```text
//! stdin ─ lines ─ Router ─┬─ queue ─ Session (Engine) ─┬─ Output ─ stdout
//!                         └─ queue ─ Session (Engine) ─┘
//! ```

mod branch;
mod convert;
mod event;
mod fault;
mod opening;
mod output;
mod progress;
mod router;
mod schema;
mod session;
mod wire;

pub use opening::Surroundings;
pub use schema::json_schema;

use crate::Exit;
use crate::output::{complain, print_json};
use clap::Args;
use output::Output;
use router::Router;
use std::io::{self, BufRead, BufReader, Write};
use std::path::PathBuf;
use std::thread;

#[derive(Args, Debug)]
pub(crate) struct Serve {
    /// Folder of the claims on files, whatever the sessions say [default: what each session says]
    #[arg(long, value_name = "DIR")]
    state_dir: Option<PathBuf>,
    /// Print the JSON Schema of the protocol's messages, and end
    #[arg(long)]
    schema: bool,
}

pub(crate) fn run(args: &Serve) -> Exit {
    if args.schema {
        return print_json(&json_schema()).map_or(Exit::Output, |()| Exit::Ok);
    }
    let surroundings = Surroundings::of_process(args.state_dir.clone());
    // A large write of a host arrives in pieces of a pipe's size.
    let input = BufReader::with_capacity(64 << 10, io::stdin());
    match serve(input, io::stdout(), &surroundings) {
        Ok(_) => Exit::Ok,
        Err(ServeError::Input(error)) => {
            complain(&format_args!("the input cannot be read: {error}"), Exit::NoInput)
        }
        // The host is gone, and so is who would read a complaint.
        Err(ServeError::Output(_)) => Exit::Output,
    }
}

/// Why serving ended before the end of the input.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The input cannot be read.
    #[error("the input cannot be read")]
    Input(#[source] io::Error),
    /// The output cannot be written.
    #[error("the output cannot be written")]
    Output(#[source] io::Error),
}

/// Serves a host until the end of its input, and returns the output when every session has ended.
///
/// Every line is answered, whatever it is; memory is bounded by the longest line (16 MiB) times the lines that wait (16 for
/// each of at most 256 sessions).
///
/// # Errors
///
/// If the input cannot be read or the output cannot be written. All sessions have ended then, too.
pub fn serve<W: Write + Send>(
    input: impl BufRead,
    output: W,
    surroundings: &Surroundings,
) -> Result<W, ServeError> {
    let output = Output::new(output);
    // The scope waits for the sessions to end.
    thread::scope(|scope| Router::new(scope, &output, surroundings).read(input))?;
    Ok(output.into_inner())
}
