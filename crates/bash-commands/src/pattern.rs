//! Shell patterns: `*`, `?`, `[…]` and extended patterns, as `case`, `[[`, `${x#…}` and globs use them.
//!
//! A backslash quotes the next character.

use crate::syntax::Replace;
use alloc::string::String;

/// How patterns match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Options {
    /// `?(…) *(…) +(…) @(…) !(…)` are patterns (`shopt -s extglob`, and always in `[[`).
    pub(crate) extglob: bool,
    /// Case does not count (`shopt -s nocasematch`).
    pub(crate) ignore_case: bool,
}

/// Returns whether the whole text matches; `None` when that cannot be told within the budget.
pub(crate) fn matches(pattern: &str, text: &str, options: Options, steps: &mut u64) -> Option<bool> {
    let _ = (pattern, text, options, steps);
    None
}

/// `${text#pattern}`, `##` when `longest`: returns the byte offset where the rest begins, `Some(None)` for no match.
pub(crate) fn remove_prefix(
    pattern: &str,
    text: &str,
    longest: bool,
    options: Options,
    steps: &mut u64,
) -> Option<Option<usize>> {
    let _ = (pattern, text, longest, options, steps);
    None
}

/// `${text%pattern}`, `%%` when `longest`: returns the byte offset where the kept part ends, `Some(None)` for no match.
pub(crate) fn remove_suffix(
    pattern: &str,
    text: &str,
    longest: bool,
    options: Options,
    steps: &mut u64,
) -> Option<Option<usize>> {
    let _ = (pattern, text, longest, options, steps);
    None
}

/// `${text/pattern/replacement}`: appends the result.
///
/// In `replacement` an `&` stands for the match, `\&` for `&`, `\\` for `\` (`patsub_replacement`, on by default);
/// [`escape_replacement`] makes quoted text literal.
pub(crate) fn replace(
    pattern: &str,
    text: &str,
    how: Replace,
    replacement: &str,
    options: Options,
    steps: &mut u64,
    out: &mut String,
) -> Option<()> {
    let _ = (pattern, text, how, replacement, options, steps, out);
    None
}

/// Appends `text` so that [`replace`] takes it literally.
pub(crate) fn escape_replacement(text: &str, out: &mut String) {
    for char in text.chars() {
        if matches!(char, '&' | '\\') {
            out.push('\\');
        }
        out.push(char);
    }
}

/// Returns whether an active `*`, `?`, closed `[…]` or, with `extglob`, an extended pattern stands in it, so that
/// pathname expansion would look for files.
pub(crate) fn has_glob(pattern: &str, extglob: bool) -> bool {
    let _ = (pattern, extglob);
    true
}

/// Appends `text` quoted so that, as a pattern, it matches itself only.
pub(crate) fn escape(text: &str, out: &mut String) {
    for char in text.chars() {
        if matches!(char, '*' | '?' | '[' | ']' | '\\' | '(' | ')' | '|' | '!' | '+' | '@' | '^' | '-') {
            out.push('\\');
        }
        out.push(char);
    }
}

/// Appends the pattern without its quoting backslashes: the word that is left when no glob is active.
pub(crate) fn unescape(pattern: &str, out: &mut String) {
    let mut chars = pattern.chars();
    while let Some(char) = chars.next() {
        out.push(if char == '\\' { chars.next().unwrap_or('\\') } else { char });
    }
}
