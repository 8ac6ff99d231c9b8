//! Where answers are cut: always between characters, always with a word on how to go on.

/// The most bytes of text in one answer.
pub(crate) const ANSWER_BYTES: usize = 50 * 1024;

/// The most lines in one answer.
pub(crate) const ANSWER_LINES: usize = 2000;

/// Returns the longest beginning of a text that has at most so many bytes and does not cut a character.
pub(crate) fn head(text: &str, bytes: usize) -> &str {
    let end = text.floor_char_boundary(bytes);
    text.get(..end).unwrap_or(text)
}

/// Returns the longest end of a text that has at most so many bytes and does not cut a character.
pub(crate) fn tail(text: &str, bytes: usize) -> &str {
    let start = text.ceil_char_boundary(text.len().saturating_sub(bytes));
    text.get(start..).unwrap_or(text)
}
