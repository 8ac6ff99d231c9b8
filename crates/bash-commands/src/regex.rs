//! POSIX extended regular expressions, for `[[ text =~ pattern ]]`.

use alloc::vec::Vec;

/// What a match gives: for each group its byte range, the whole match first; `None` for a group that took no part.
pub(crate) type Captures = Vec<Option<(usize, usize)>>;

/// Finds the leftmost-longest match, `Some(None)` for none; `None` when it cannot be told: the pattern is refused or is
/// beyond the plain core, or the budget is spent.
pub(crate) fn matches(
    pattern: &str,
    text: &str,
    ignore_case: bool,
    steps: &mut u64,
) -> Option<Option<Captures>> {
    let _ = (pattern, text, ignore_case, steps);
    None
}

/// Appends `text` so that, as a regular expression, it matches itself only (a quoted part of the right side).
pub(crate) fn escape(text: &str, out: &mut alloc::string::String) {
    for char in text.chars() {
        if matches!(char, '.' | '[' | ']' | '\\' | '(' | ')' | '*' | '+' | '?' | '{' | '}' | '|' | '^' | '$')
        {
            out.push('\\');
        }
        out.push(char);
    }
}
