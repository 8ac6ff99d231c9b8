//! What the program writes.

use crate::Exit;
use serde::Serialize;
use std::fmt::Display;
use std::io::{self, Write};

/// Writes a text and a newline to standard output.
pub(crate) fn print_line(text: &str) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(text.as_bytes())?;
    stdout.write_all(b"\n")?;
    stdout.flush()
}

/// Writes bytes as they are to standard output.
pub(crate) fn print_bytes(bytes: &[u8]) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(bytes)?;
    stdout.flush()
}

/// Writes a value as one line of JSON to standard output.
pub(crate) fn print_json(value: &impl Serialize) -> io::Result<()> {
    let mut line = serde_json::to_string(value)?;
    line.push('\n');
    let mut stdout = io::stdout().lock();
    stdout.write_all(line.as_bytes())?;
    stdout.flush()
}

/// Says on standard error what went wrong, and returns the exit status for it.
pub(crate) fn complain(message: &impl Display, exit: Exit) -> Exit {
    // Where even this fails, the exit status says it all.
    let _ = writeln!(io::stderr(), "brakeline: {message}");
    exit
}
