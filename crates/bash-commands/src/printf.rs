//! What `printf` and `echo` print.

use alloc::string::String;

/// Appends what `printf format arguments…` prints; returns whether its status is 0, `None` when it cannot be told.
///
/// Floating point, `%(…)T`, `%n` and output that is no UTF-8 cannot be told. Every output byte costs a step.
pub(crate) fn format(format: &str, arguments: &[&str], out: &mut String, steps: &mut u64) -> Option<bool> {
    let _ = (format, arguments, out, steps);
    None
}

/// Appends what `echo arguments…` prints, options `-n -e -E` and the newline included; `None` when it is no UTF-8.
pub(crate) fn echo(arguments: &[&str], xpg_echo: bool, out: &mut String) -> Option<()> {
    let _ = (arguments, xpg_echo, out);
    None
}
