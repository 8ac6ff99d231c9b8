//! Quotations: `'…'`, `$'…'`, `"…"`, and what stands inside double quotes.

use crate::cursor::{ACTIVE, class};
use crate::issue::Construct;
use crate::parse::{Parser, Read};
use crate::syntax::{Id, Part, Word, WordFlags};

impl Parser<'_, '_> {
    /// Reads `'…'`, from the quote at the cursor.
    pub(crate) fn single_quotes(&mut self) -> Read<()> {
        let start = self.cursor.pos;
        let Some(end) = self.cursor.find_byte(start + 1, b'\'') else {
            return self.runs_to_end(Construct::SingleQuotes, start, 1);
        };
        self.scratch.parts.push(Part::Quoted(self.cursor.span(start + 1, end)));
        self.cursor.pos = end + 1;
        Ok(())
    }

    /// Reads `$'…'`, from the quote at the cursor; the dollar stands at `start`.
    pub(crate) fn ansi_c_quotes(&mut self, start: usize) -> Read<()> {
        let text = self.cursor.pos + 1;
        let Some(end) = self.escaped_quotes_end(text) else {
            return self.runs_to_end(Construct::AnsiCQuotes, start, 2);
        };
        self.scratch.parts.push(Part::AnsiC(self.cursor.span(text, end)));
        self.cursor.pos = end + 1;
        Ok(())
    }

    /// Returns the place of the first `'` from `pos` on that no backslash stands before.
    pub(crate) fn escaped_quotes_end(&self, pos: usize) -> Option<usize> {
        let mut pos = pos;
        loop {
            let rest = self.cursor.bytes.get(pos..)?;
            pos += rest.iter().position(|&byte| byte == b'\'' || byte == b'\\')?;
            if self.cursor.at(pos) == b'\'' {
                return Some(pos);
            }
            pos += 2;
        }
    }

    /// Reads `"…"`, from the quote at the cursor; `start` is where the quotation begins, which may be a `$`.
    pub(crate) fn double_quotes(&mut self, start: usize) -> Read<Option<WordFlags>> {
        let quote = self.cursor.pos;
        let first = self.scratch.parts.len();
        self.cursor.pos += 1;
        let expands = self.double_quoted(true)?;
        if self.cursor.is_end() {
            return self.runs_to_end(Construct::DoubleQuotes, start, quote + 1 - start);
        }
        if self.scratch.parts.len() == first {
            self.scratch.parts.push(Part::Quoted(self.cursor.span(self.cursor.pos, self.cursor.pos)));
        }
        self.cursor.pos += 1;
        let flags = if expands { WordFlags::QUOTED.with(WordFlags::EXPANDS) } else { WordFlags::QUOTED };
        Ok(Some(flags))
    }

    /// Reads everything from the cursor on as double-quoted text, or as the body of a here-document.
    pub(crate) fn whole_quoted(&mut self, heredoc: bool) -> Read<Id<Word>> {
        let start = self.cursor.pos;
        let first = self.scratch.parts.len();
        loop {
            self.double_quoted(!heredoc)?;
            if self.cursor.is_end() {
                break;
            }
            // An unescaped quote inside text that was said to be quoted: it goes, as bash lets it go in arithmetic.
            self.cursor.pos += 1;
        }
        let word = self.finish_quoted(start, first);
        Ok(self.tree.add(word))
    }

    /// Reads double-quoted text up to the closing quote or the end of the text, where it leaves the cursor. In a
    /// here-document (`quotes` false) the quote stands for itself. Returns whether there was an expansion.
    pub(crate) fn double_quoted(&mut self, quotes: bool) -> Read<bool> {
        let mut run = self.cursor.pos;
        let mut expands = false;
        loop {
            let pos = self.cursor.find(self.cursor.pos, ACTIVE);
            self.cursor.pos = pos;
            match self.cursor.at(pos) {
                b'"' if quotes => break,
                b'\\' => run = self.quoted_backslash(run, quotes),
                b'$' | b'`' => {
                    if self.cursor.at(pos) == b'$'
                        && let Some((name, end)) = self.plain_parameter(pos)
                    {
                        self.quoted(run, pos);
                        self.scratch.parts.push(Part::Variable { name, quoted: true });
                        expands = true;
                        self.cursor.pos = end;
                        run = end;
                    } else if self.quoted_expansion(run)? {
                        expands = true;
                        run = self.cursor.pos;
                    }
                }
                _ if self.cursor.is_end() => break,
                _ => self.cursor.pos += 1,
            }
        }
        self.quoted(run, self.cursor.pos);
        Ok(expands)
    }

    /// Moves over the backslash at the cursor and what it escapes; returns where the run of text begins that ends
    /// behind it. Inside double quotes a backslash escapes only what is active there, and stands for itself before
    /// anything else.
    pub(crate) fn quoted_backslash(&mut self, run: usize, quotes: bool) -> usize {
        let pos = self.cursor.pos;
        if self.cursor.is_continuation(pos) {
            self.quoted(run, pos);
            self.pass_continuation();
            return self.cursor.pos;
        }
        let next = self.cursor.at(pos + 1);
        if class(next) & ACTIVE != 0 && (quotes || next != b'"') {
            self.quoted(run, pos);
            self.cursor.pos = pos + 2;
            return pos + 1;
        }
        self.cursor.pos = pos + 1;
        run
    }

    /// Reads the `$…` or backquotes at the cursor, after it has put the quoted text from `run` on the stack. Returns
    /// false, with the cursor moved on, when the dollar stands for itself.
    pub(crate) fn quoted_expansion(&mut self, run: usize) -> Read<bool> {
        let pos = self.cursor.pos;
        if self.cursor.at(pos) == b'$' && !self.is_expansion() {
            self.cursor.pos = pos + 1;
            return Ok(false);
        }
        self.quoted(run, pos);
        if self.cursor.at(pos) == b'$' {
            self.dollar(true)?;
        } else {
            self.backquotes(true)?;
        }
        Ok(true)
    }

    /// Puts the quoted text from `run` to `pos` on the stack, if there is any.
    #[inline]
    pub(crate) fn quoted(&mut self, run: usize, pos: usize) {
        if run < pos {
            self.scratch.parts.push(Part::Quoted(self.cursor.span(run, pos)));
        }
    }
}
