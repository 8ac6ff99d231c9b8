//! Line endings and the byte-order mark: what a text has, and how inserted text gets the same.

use memchr::{memchr, memchr2};

/// The UTF-8 byte-order mark.
pub(crate) const BOM: &[u8] = b"\xEF\xBB\xBF";

/// How a line ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Newline {
    /// `\n`
    Lf,
    /// `\r\n`
    CrLf,
    /// `\r` alone
    Cr,
}

impl Newline {
    /// Returns the bytes of the ending.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Lf => "\n",
            Self::CrLf => "\r\n",
            Self::Cr => "\r",
        }
    }

    /// Returns the ending that a text begins with, if it begins with one.
    #[must_use]
    pub fn at_start(bytes: &[u8]) -> Option<Self> {
        match bytes {
            [b'\r', b'\n', ..] => Some(Self::CrLf),
            [b'\r', ..] => Some(Self::Cr),
            [b'\n', ..] => Some(Self::Lf),
            _ => None,
        }
    }

    /// Returns the only ending of a text, if all its lines end alike and there is one at all.
    ///
    /// ```
    /// # use brakeline_agent_tools::Newline;
    /// assert_eq!(Newline::uniform(b"a\r\nb\r\n"), Some(Newline::CrLf));
    /// assert_eq!(Newline::uniform(b"a\r\nb\n"), None);
    /// ```
    #[must_use]
    pub fn uniform(bytes: &[u8]) -> Option<Self> {
        let mut endings = endings(bytes).map(|(_, newline)| newline);
        let first = endings.next()?;
        endings.all(|newline| newline == first).then_some(first)
    }

    /// Returns the most frequent ending of a text; of equally frequent ones the first in the text.
    #[must_use]
    pub fn majority(bytes: &[u8]) -> Option<Self> {
        let mut counts: [(u64, Option<Self>); 3] = [(0, None); 3];
        for (_, newline) in endings(bytes) {
            // In the order of their first appearance.
            let slot = counts.iter_mut().find(|(_, of)| of.is_none_or(|of| of == newline));
            if let Some(slot) = slot {
                *slot = (slot.0 + 1, Some(newline));
            }
        }
        // `max_by_key` takes the last of equals; going backwards that is the first.
        counts.iter().rev().max_by_key(|(count, _)| *count).and_then(|(_, newline)| *newline)
    }
}

/// Returns each line ending with the offset of its first byte.
pub(crate) fn endings(bytes: &[u8]) -> impl Iterator<Item = (usize, Newline)> + '_ {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = bytes.get(at..)?;
        let found = memchr2(b'\n', b'\r', rest)?;
        let newline = Newline::at_start(rest.get(found..)?)?;
        let start = at + found;
        at = start + newline.as_str().len();
        Some((start, newline))
    })
}

/// Replaces every `\n` of a text that has no `\r` by another ending.
pub(crate) fn with_newline(text: &str, newline: Newline) -> String {
    match newline {
        Newline::Lf => text.to_owned(),
        other => text.replace('\n', other.as_str()),
    }
}

/// Returns the text that takes the place of a span, with the endings of what was there.
///
/// A text that holds a `\r` means its endings as they are. Else lines that the old and the new text begin or end with in
/// common keep the endings they have in the file, and the others get the most frequent ending of the span; if it has none,
/// that of the line it stands in; else the most frequent of the file. No ending runs together with the one beside it.
pub(crate) fn adapted(file: &[u8], start: usize, end: usize, old: &str, new: &str) -> String {
    if old.contains('\r') || new.contains('\r') || !new.contains('\n') {
        return new.to_owned();
    }
    let span = file.get(start..end).unwrap_or_default();
    let kept: Vec<Newline> = endings(span).map(|(_, newline)| newline).collect();
    let rest = Newline::majority(span)
        .or_else(|| of_line(file, end))
        .or_else(|| Newline::majority(file))
        .unwrap_or(Newline::Lf);
    let old_lines: Vec<&str> = old.split('\n').collect();
    let new_lines: Vec<&str> = new.split('\n').collect();
    let shorter = old_lines.len().min(new_lines.len());
    let before =
        old_lines.iter().zip(&new_lines).take_while(|(old, new)| old == new).count().min(shorter - 1);
    let after = old_lines
        .iter()
        .rev()
        .zip(new_lines.iter().rev())
        .take(shorter - before)
        .take_while(|(old, new)| old == new)
        .count();
    // The ending behind line N of the new text; the last line has none.
    let ending = |line: usize| -> Newline {
        let from_end = new_lines.len() - 1 - line;
        let at = if line < before {
            Some(line)
        } else if from_end <= after && from_end > 0 {
            kept.len().checked_sub(from_end)
        } else {
            None
        };
        at.and_then(|at| kept.get(at).copied()).unwrap_or(rest)
    };
    let mut text = String::with_capacity(new.len() + new_lines.len());
    for (line, part) in new_lines.iter().enumerate() {
        if line > 0 {
            let wanted = ending(line - 1);
            let behind = text.as_bytes().last().or_else(|| file.get(start.checked_sub(1)?));
            let is_last = line + 1 == new_lines.len() && part.is_empty();
            // A `\r` and a `\n` side by side would be one ending, and a line would be lost.
            let merges = match wanted {
                Newline::Lf => behind == Some(&b'\r'),
                Newline::Cr => is_last && file.get(end) == Some(&b'\n'),
                Newline::CrLf => false,
            };
            text.push_str(if merges { Newline::CrLf } else { wanted }.as_str());
        }
        text.push_str(part);
    }
    text
}

/// Returns the ending of the line that an offset stands in.
fn of_line(file: &[u8], at: usize) -> Option<Newline> {
    let rest = file.get(at..)?;
    memchr2(b'\n', b'\r', rest).and_then(|found| Newline::at_start(rest.get(found..)?))
}

/// Returns the number of the line (from 1) that an offset stands in. A `\r` alone ends a line only where the text has no `\n`.
pub(crate) fn line_at(file: &[u8], at: usize) -> usize {
    let before = file.get(..at).unwrap_or(file);
    let byte = if memchr(b'\n', file).is_some() { b'\n' } else { b'\r' };
    1 + memchr::memchr_iter(byte, before).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_majority_is_the_most_frequent_and_of_equals_the_first() {
        assert_eq!(Newline::majority(b""), None);
        assert_eq!(Newline::majority(b"a\rb\n"), Some(Newline::Cr));
        assert_eq!(Newline::majority(b"a\nb\r\nc\r\n"), Some(Newline::CrLf));
    }

    #[test]
    fn lines_in_common_keep_their_endings() {
        let file = b"a\r\nb\nc\rd";
        assert_eq!(adapted(file, 0, file.len(), "a\nb\nc\nd", "a\nB\nc\nd"), "a\r\nB\nc\rd");
        assert_eq!(adapted(file, 0, file.len(), "a\nb\nc\nd", "a\nx\ny\nc\nd"), "a\r\nx\r\ny\nc\rd");
    }

    #[test]
    fn inserted_lines_end_as_the_line_they_stand_in() {
        let file = b"a\r\nb\n";
        assert_eq!(adapted(file, 0, 1, "a", "x\ny"), "x\r\ny");
        assert_eq!(adapted(file, 3, 4, "b", "x\ny"), "x\ny");
    }

    #[test]
    fn endings_side_by_side_stay_two() {
        assert_eq!(adapted(b"b\n\rb", 0, 3, "b\n\n", "b\n\n\nx"), "b\n\r\r\nx");
        assert_eq!(adapted(b"a\rb\nc", 0, 3, "a\nb", "a\nb\n"), "a\rb\r\n");
        assert_eq!(adapted(b"\rb\nc", 1, 2, "b", "\nb"), "\r\nb");
    }

    #[test]
    fn explicit_endings_are_meant() {
        assert_eq!(adapted(b"a\r\nb", 0, 4, "a\r\nb", "a\nb"), "a\nb");
    }
}
