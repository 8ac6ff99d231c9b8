//! Here-documents: bodies that follow the line on which they are started.

use crate::arena::Blank;
use crate::cursor::CONTINUATION;
use crate::issue::SyntaxErrorKind;
use crate::parse::{Parser, Read};
use crate::span::Span;
use crate::syntax::{Redirection, Slice, WordFlags};

/// Bash refuses a line with more here-documents than this.
const MOST: u32 = 16;

/// A here-document whose body has not been read.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Pending {
    /// The place of the redirection: on the stack, or in the tree once `in_tree` is set.
    redirection: u32,
    in_tree: bool,
    strip_tabs: bool,
    expands: bool,
    /// The delimiter as written.
    delimiter: Span,
}

impl Blank for Pending {
    const BLANK: Self = Self {
        redirection: 0,
        in_tree: false,
        strip_tabs: false,
        expands: false,
        delimiter: Span::new(0, 0),
    };
}

impl Parser<'_, '_> {
    /// Notes that the redirection which goes on the stack next waits for its body.
    pub(crate) fn await_heredoc(&mut self, redirection: &mut Redirection, strip_tabs: bool) -> Read<()> {
        self.heredocs += 1;
        if self.heredocs > MOST {
            return self.fail(SyntaxErrorKind::TooManyHeredocs, redirection.span, None);
        }
        let target = self.tree.get(redirection.target);
        redirection.expands = !target.flags.has(WordFlags::QUOTED);
        self.scratch.pending.push(Pending {
            redirection: self.scratch.redirections.len() as u32,
            in_tree: false,
            strip_tabs,
            expands: redirection.expands,
            delimiter: target.span,
        });
        Ok(())
    }

    /// Moves the redirections from `first` on from the stack to the tree.
    #[inline]
    pub(crate) fn drain_redirections(&mut self, first: usize) -> Slice<Redirection> {
        if self.scratch.redirections.len() == first {
            Slice::default()
        } else {
            self.move_redirections(first)
        }
    }

    #[inline(never)]
    fn move_redirections(&mut self, first: usize) -> Slice<Redirection> {
        let slice = crate::parse::drain(&mut self.scratch.redirections, first, self.tree);
        // INVARIANT: those of outer commands, which are still on the stack, stand last.
        for pending in self.scratch.pending.as_mut_slice().iter_mut().rev() {
            if pending.in_tree || (pending.redirection as usize) < first {
                break;
            }
            pending.redirection = pending.redirection - first as u32 + slice.start;
            pending.in_tree = true;
        }
        slice
    }

    /// Reads the bodies of all here-documents that wait in this substitution, from the line at the cursor on.
    pub(crate) fn read_heredocs(&mut self) {
        self.heredocs = 0;
        let mut next = self.first_pending;
        while let Some(pending) = self.scratch.pending.get(next) {
            let body = self.heredoc_body(pending);
            let index = pending.redirection as usize;
            let redirection = if pending.in_tree {
                self.tree.redirections.get_mut(index)
            } else {
                self.scratch.redirections.get_mut(index)
            };
            if let Some(redirection) = redirection {
                redirection.body = body;
            }
            next += 1;
        }
        self.scratch.pending.truncate(self.first_pending);
    }

    /// Reads one body, and moves behind its delimiter. Without one the body goes to the end of the text, as in bash.
    fn heredoc_body(&mut self, pending: Pending) -> Span {
        let start = self.cursor.pos;
        loop {
            let line = self.cursor.pos;
            if self.cursor.is_end() {
                return self.cursor.span(start, line);
            }
            let end = self.heredoc_line_end(line, pending.expands);
            if let Some(behind) = self.delimiter_end(line, end, pending) {
                self.cursor.pos = behind;
                return self.cursor.span(start, line);
            }
            self.cursor.pos = end;
        }
    }

    /// Returns the end of the line at `start`, behind its newline. When the body is expanded, a backslash joins lines.
    fn heredoc_line_end(&mut self, start: usize, joins: bool) -> usize {
        let mut pos = start;
        loop {
            let Some(newline) = self.cursor.find_byte(pos, b'\n') else {
                return self.cursor.bytes.len();
            };
            pos = newline + 1;
            let text = self.cursor.text(start, newline);
            let backslashes = text.iter().rev().take_while(|&&byte| byte == b'\\').count();
            if !joins || backslashes.is_multiple_of(2) {
                return pos;
            }
            // Bash joins the lines whatever quotes are around it in a substitution of the body.
            self.note_joint(newline - 1);
        }
    }

    /// Returns where reading goes on if the line from `start` to `end` is the delimiter of `pending`.
    fn delimiter_end(&self, start: usize, end: usize, pending: Pending) -> Option<usize> {
        let base = self.cursor.base;
        let delimiter = self
            .cursor
            .text((pending.delimiter.start - base) as usize, (pending.delimiter.end - base) as usize);
        let behind = self.match_delimiter(start, end, delimiter, pending.expands).or_else(|| {
            let line = self.cursor.text(start, end);
            let tabs = line.iter().take_while(|&&byte| byte == b'\t').count();
            (pending.strip_tabs && tabs > 0)
                .then(|| self.match_delimiter(start + tabs, end, delimiter, pending.expands))
                .flatten()
        })?;
        if behind == end || self.cursor.at(behind) == b'\n' {
            return Some(end);
        }
        // `EOF)`: the parenthesis closes the substitution.
        let closes = self.in_substitution && self.cursor.text(behind, end).contains(&b')');
        closes.then_some(behind)
    }

    /// Returns the place behind the delimiter in the line from `start` to `end`, if it begins with it.
    fn match_delimiter(&self, start: usize, end: usize, delimiter: &[u8], joins: bool) -> Option<usize> {
        let mut pos = start;
        for byte in Unquoted::new(delimiter) {
            while joins && self.cursor.is_continuation(pos) {
                pos += CONTINUATION;
            }
            if pos >= end || self.cursor.at(pos) != byte {
                return None;
            }
            pos += 1;
        }
        while joins && pos < end && self.cursor.is_continuation(pos) {
            pos += CONTINUATION;
        }
        Some(pos)
    }
}

/// The bytes of a delimiter with its quotes removed.
struct Unquoted<'d> {
    rest: core::slice::Iter<'d, u8>,
    quote: Option<u8>,
}

impl<'d> Unquoted<'d> {
    fn new(delimiter: &'d [u8]) -> Self {
        Self { rest: delimiter.iter(), quote: None }
    }
}

impl Iterator for Unquoted<'_> {
    type Item = u8;

    fn next(&mut self) -> Option<u8> {
        loop {
            let byte = *self.rest.next()?;
            match (self.quote, byte) {
                (None, b'$') if matches!(self.rest.as_slice(), [b'\'' | b'"', ..]) => {}
                (None, b'\'' | b'"') => self.quote = Some(byte),
                (Some(quote), _) if quote == byte => self.quote = None,
                (Some(b'\''), _) => return Some(byte),
                (_, b'\\') => {
                    if let [b'\n', rest @ ..] = self.rest.as_slice() {
                        self.rest = rest.iter();
                        continue;
                    }
                    let escapes = self.quote.is_none()
                        || matches!(self.rest.as_slice(), [b'$' | b'`' | b'"' | b'\\', ..]);
                    if escapes && let Some(&escaped) = self.rest.next() {
                        return Some(escaped);
                    }
                    return Some(byte);
                }
                _ => return Some(byte),
            }
        }
    }
}
