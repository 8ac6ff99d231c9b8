//! Places in a text.

use std::fmt;

/// A place in a file: line and column for people, byte offset for programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// Bytes from the start of the file, a byte-order mark included.
    pub offset: usize,
    /// Line, counted from 1. `\n`, `\r\n` and a lone `\r` end a line.
    pub line: usize,
    /// Column, counted from 1 in Unicode scalar values. A byte-order mark takes no column.
    pub column: usize,
}

/// Writes `line:column`.
impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// Turns byte offsets into positions, each at or after the one before: all together cost one pass over the text.
#[derive(Debug)]
pub(crate) struct Cursor<'t> {
    /// What lies ahead, starting at `position`.
    rest: &'t str,
    position: Position,
}

impl<'t> Cursor<'t> {
    /// Starts at the beginning of a text that stands `base` bytes into its file.
    pub(crate) fn new(text: &'t str, base: usize) -> Self {
        Self { rest: text, position: Position { offset: base, line: 1, column: 1 } }
    }

    /// Moves forward to an offset of the file and returns the position there.
    ///
    /// An offset behind the cursor, beyond the text or inside a character gives the nearest position that exists.
    pub(crate) fn advance_to(&mut self, offset: usize) -> Position {
        let mut chars = self.rest.chars();
        while let Some(char) = chars.next() {
            if self.position.offset + char.len_utf8() > offset {
                break;
            }
            self.rest = chars.as_str();
            self.position.offset += char.len_utf8();
            if char == '\n' || char == '\r' && !self.rest.starts_with('\n') {
                self.position.line += 1;
                self.position.column = 1;
            } else {
                self.position.column += 1;
            }
        }
        self.position
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_ending_counts_once() {
        let text = "a\nb\r\nc\rd键e";
        let mut cursor = Cursor::new(text, 3);
        let seen: Vec<_> = text
            .char_indices()
            .map(|(at, char)| (char, cursor.advance_to(at + 3).to_string()))
            .filter(|(char, _)| !char.is_whitespace())
            .collect();
        let expected = [('a', "1:1"), ('b', "2:1"), ('c', "3:1"), ('d', "4:1"), ('键', "4:2"), ('e', "4:3")];
        assert_eq!(seen, expected.map(|(char, place)| (char, place.to_owned())));
        assert_eq!(cursor.advance_to(usize::MAX).offset, text.len() + 3);
    }
}
