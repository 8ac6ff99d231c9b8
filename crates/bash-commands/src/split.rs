//! Text taken apart into fields: IFS, `read`, `xargs`, `env -S`.

use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

/// The value of `IFS` when it is unset or untouched.
pub(crate) const DEFAULT_IFS: &str = " \t\n";

/// Appends the fields of an expanded word as byte ranges.
///
/// `protected` are the ranges, in order, that came from no unquoted expansion: they are never split. An empty range
/// marks empty quotes there, which make a field of nothing.
pub(crate) fn split_ifs(text: &str, ifs: &str, protected: &[Range<usize>], out: &mut Vec<Range<usize>>) {
    let _ = (ifs, protected);
    out.push(0..text.len());
}

/// One record that `read` takes from its input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Record<'a> {
    /// The text before the delimiter, backslashes kept.
    pub(crate) text: &'a str,
    /// Offset in the input behind the record and its delimiter.
    pub(crate) rest: usize,
    /// The delimiter was there; without it `read` assigns all the same, but fails.
    pub(crate) ended: bool,
}

/// Takes one record from `input`; without `raw` (`-r`) an escaped delimiter does not end it.
pub(crate) fn read_record(input: &str, delimiter: char, raw: bool) -> Record<'_> {
    let _ = (delimiter, raw);
    Record { text: input, rest: input.len(), ended: false }
}

/// Splits a record for `read name…`: returns `count` values; `None` as `count` returns all fields (`read -a`).
pub(crate) fn read_fields(record: &str, ifs: &str, count: Option<usize>, raw: bool) -> Vec<String> {
    let _ = (record, ifs, count, raw);
    Vec::new()
}

/// Returns what `read` without names puts in `REPLY`.
pub(crate) fn read_reply(record: &str, raw: bool) -> String {
    let _ = raw;
    String::from(record)
}

/// How `xargs` takes its input apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum XargsInput {
    /// Blanks and newlines separate, quotes and backslashes quote.
    Words,
    /// `-I`: one item a line; quotes still quote.
    Lines,
    /// `-d` and `-0`: this character separates, nothing quotes.
    Delimiter(char),
}

/// Returns the items of `input`; `None` when a quote is not closed (xargs stops with an error there).
pub(crate) fn xargs_items(input: &str, how: XargsInput) -> Option<Vec<String>> {
    let _ = (input, how);
    None
}

/// Returns the items of `input` line by line for `xargs -L 1`: blank lines are skipped, a trailing blank joins the next line.
pub(crate) fn xargs_lines(input: &str) -> Option<Vec<Vec<String>>> {
    let _ = input;
    None
}

/// Splits the string of `env -S`; `None` when env refuses it, or a `${NAME}` is not known.
///
/// `environment` gives the value of a variable: `None` not known, `Some(None)` unset.
pub(crate) fn split_env_string(
    text: &str,
    environment: &mut dyn FnMut(&str) -> Option<Option<String>>,
) -> Option<Vec<String>> {
    let _ = (text, environment);
    None
}
