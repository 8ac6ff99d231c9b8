//! Backslash escapes: `$'…'`, `echo -e`, `printf` and its `%b`.

use alloc::string::String;

/// Whether the output goes on behind a decoded text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flow {
    /// The whole text was decoded.
    Continue,
    /// `\c` stood in it: nothing more is printed, not even a newline.
    Stop,
}

/// Appends what `$'raw'` stands for; false when that is no UTF-8 and so cannot be told (nothing is appended then).
///
/// A NUL ends the text, as in bash.
pub(crate) fn decode_ansi_c(raw: &str, out: &mut String) -> bool {
    let _ = (raw, out);
    false
}

/// Appends what `echo -e` prints for `text`; `None` when it is no UTF-8.
pub(crate) fn decode_echo(text: &str, out: &mut String) -> Option<Flow> {
    let _ = (text, out);
    None
}

/// Appends what `printf %b` prints for `text`; `None` when it is no UTF-8.
pub(crate) fn decode_percent_b(text: &str, out: &mut String) -> Option<Flow> {
    let _ = (text, out);
    None
}
