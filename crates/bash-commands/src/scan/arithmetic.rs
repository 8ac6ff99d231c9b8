//! Arithmetic: `$((…))`, `$[…]`, `((…))`, subscripts.

use crate::cursor::{ACTIVE, class};
use crate::issue::{Construct, SyntaxErrorKind};
use crate::parse::{Parser, Read};
use crate::syntax::{Arithmetic, CommandKind, Id, Part, Substitution, SubstitutionForm, Word};

impl Parser<'_, '_> {
    /// Reads `$((…))`, or `$(…)` that begins with a subshell; `start` is the `$`, `pos` the first parenthesis.
    pub(crate) fn dollar_parentheses(&mut self, start: usize, pos: usize, quoted: bool) -> Read<()> {
        let key = self.cursor.base + pos as u32;
        let known = self.scratch.not_arithmetic.get(&key).copied();
        let close = if let Some(close) = known {
            (close - self.cursor.base) as usize
        } else {
            self.enter(start)?;
            let attempt = self.begin_attempt();
            self.cursor.pos = pos + 2;
            let expression = self.arithmetic_text(b'(', b')', Construct::Arithmetic, start)?;
            self.cursor.pos += 1;
            if self.cursor.byte() == b')' {
                self.cursor.pos += 1;
                self.leave();
                let id = self.tree.add(Arithmetic { expression });
                self.scratch.parts.push(Part::Arithmetic { id, quoted });
                return Ok(());
            }
            self.grouped(b'(', b')', Construct::CommandSubstitution, start)?;
            self.drop_attempt(attempt);
            self.leave();
            self.cursor.pos
        };
        let body = self.commands_between(start, pos + 1, close)?;
        let text = self.cursor.span(pos + 1, close);
        let span = self.cursor.span(start, self.cursor.pos);
        let id = self.tree.add(Substitution { span, form: SubstitutionForm::Dollar, text, body });
        self.scratch.parts.push(Part::Command { id, quoted });
        Ok(())
    }

    /// Reads `$[…]`; `start` is the `$`, `pos` the bracket.
    pub(crate) fn dollar_brackets(&mut self, start: usize, pos: usize, quoted: bool) -> Read<()> {
        self.enter(start)?;
        self.cursor.pos = pos + 1;
        let expression = self.arithmetic_text(b'[', b']', Construct::ArithmeticBrackets, start)?;
        self.cursor.pos += 1;
        self.leave();
        let id = self.tree.add(Arithmetic { expression });
        self.scratch.parts.push(Part::Arithmetic { id, quoted });
        Ok(())
    }

    /// Reads `((…))` as a command, from its first parenthesis. `None`, with the cursor put back, when it is a subshell
    /// that begins with another one.
    pub(crate) fn arithmetic_command(&mut self) -> Read<Option<CommandKind>> {
        let start = self.cursor.pos;
        let key = self.cursor.base + start as u32;
        if self.scratch.not_arithmetic.contains_key(&key) {
            return Ok(None);
        }
        self.enter(start)?;
        let attempt = self.begin_attempt();
        self.cursor.pos = start + 2;
        let expression = self.arithmetic_text(b'(', b')', Construct::Arithmetic, start)?;
        self.leave();
        self.cursor.pos += 1;
        if self.cursor.is_continuation(self.cursor.pos) {
            // Bash looks for the second parenthesis among the bytes as they are, and finds no subshell either.
            return self.fail_at_token(SyntaxErrorKind::Unexpected);
        }
        if self.cursor.byte() != b')' {
            self.drop_attempt(attempt);
            self.scratch.not_arithmetic.insert(key, 0);
            self.cursor.pos = start;
            return Ok(None);
        }
        self.cursor.pos += 1;
        let arithmetic = self.tree.add(Arithmetic { expression });
        Ok(Some(CommandKind::Arithmetic { arithmetic }))
    }

    /// Reads an expression up to the `close` that no `open` before it asks for, and leaves the cursor there.
    pub(crate) fn arithmetic_text(
        &mut self,
        open: u8,
        close: u8,
        construct: Construct,
        start: usize,
    ) -> Read<Id<Word>> {
        let from = self.cursor.pos;
        let first = self.scratch.parts.len();
        self.grouped(open, close, construct, start)?;
        let word = self.finish_quoted(from, first);
        Ok(self.tree.add(word))
    }

    /// Reads text as inside double quotes onto the stack, up to the `close` that no `open` before it asks for. Text in
    /// quotes holds no `close`; double quotes go, single quotes stay, as they do when bash expands such text. The
    /// `construct` began at `start`.
    pub(crate) fn grouped(&mut self, open: u8, close: u8, construct: Construct, start: usize) -> Read<()> {
        self.grouped_or(open, close, close, &mut 0, construct, start)
    }

    /// Reads one expression of `for ((…))`, up to a semicolon or the closing parenthesis; `depth` counts the
    /// parentheses that are open, which bash allows to hold a semicolon only to refuse the header then.
    pub(crate) fn for_part(&mut self, depth: &mut u32, start: usize) -> Read<()> {
        self.grouped_or(b'(', b')', b';', depth, Construct::Arithmetic, start)
    }

    /// Does what [`grouped`](Self::grouped) does, and also stops at any `separator`. `depth` counts what is open.
    pub(crate) fn grouped_or(
        &mut self,
        open: u8,
        close: u8,
        separator: u8,
        depth: &mut u32,
        construct: Construct,
        start: usize,
    ) -> Read<()> {
        let mut run = self.cursor.pos;
        // Up to here single quotes hide whatever closes.
        let mut hidden = 0;
        loop {
            let pos = self.cursor.pos;
            let byte = self.cursor.at(pos);
            match byte {
                _ if byte == separator && separator != close && pos >= hidden => break,
                _ if byte == close && pos >= hidden => {
                    if *depth == 0 {
                        break;
                    }
                    *depth -= 1;
                    self.cursor.pos += 1;
                }
                _ if byte == open && pos >= hidden => {
                    *depth += 1;
                    self.cursor.pos += 1;
                }
                b'\'' if pos >= hidden => {
                    let ansi_c = pos > run && self.cursor.at(pos - 1) == b'$';
                    let end = if ansi_c {
                        self.escaped_quotes_end(pos + 1)
                    } else {
                        self.cursor.find_byte(pos + 1, b'\'')
                    };
                    let Some(end) = end else {
                        return self.runs_to_end(Construct::SingleQuotes, pos, 1);
                    };
                    hidden = end + 1;
                    self.cursor.pos += 1;
                }
                b'"' if pos >= hidden => {
                    self.quoted(run, pos);
                    self.cursor.pos += 1;
                    self.double_quoted(true)?;
                    if self.cursor.is_end() {
                        return self.runs_to_end(Construct::DoubleQuotes, pos, 1);
                    }
                    self.cursor.pos += 1;
                    run = self.cursor.pos;
                }
                b'\\' if pos >= hidden => run = self.grouped_backslash(run, close),
                b'$' if !matches!(construct, Construct::Subscript | Construct::Parameter)
                    && matches!(self.cursor.second(), b'{' | b'[') =>
                {
                    if self.opt_expansion(run)? {
                        run = self.cursor.pos;
                    }
                }
                // When bash expands the text, single quotes hide nothing; when it looks for the end, they do.
                b'$' | b'`' if pos < hidden => {
                    let bytes = self.cursor.bytes;
                    self.cursor.bytes = self.cursor.text(0, hidden - 1);
                    let is_expansion = self.opt_expansion(run);
                    self.cursor.bytes = bytes;
                    if is_expansion? {
                        run = self.cursor.pos;
                    }
                }
                b'$' | b'`' => {
                    if self.quoted_expansion(run)? {
                        run = self.cursor.pos;
                    }
                }
                // Bash reads a process substitution here, and makes none of it when it expands the text.
                b'<' | b'>'
                    if self.cursor.second() == b'('
                        && matches!(construct, Construct::Subscript | Construct::Parameter)
                        && self.opens_process(run) =>
                {
                    let parts = self.scratch.parts.len();
                    self.process_substitution()?;
                    self.scratch.parts.truncate(parts);
                }
                0 if self.cursor.is_end() => {
                    let length = if construct == Construct::Subscript { 1 } else { 2 };
                    return self.runs_to_end(construct, start, length);
                }
                _ => self.cursor.pos += 1,
            }
        }
        self.quoted(run, self.cursor.pos);
        Ok(())
    }

    /// Reads `${…}` or `$[…]` in an expression, where bash looks for their ends only when it runs the text: returns
    /// false, with the cursor moved on, when there is no end. After one failure none is looked for, so that no text
    /// is read to its end again and again.
    fn opt_expansion(&mut self, run: usize) -> Read<bool> {
        if self.skips_braces {
            self.cursor.pos += 1;
            return Ok(false);
        }
        let pos = self.cursor.pos;
        let depth = self.depth();
        let attempt = self.begin_attempt();
        let state = (self.in_substitution, self.first_pending, self.heredocs);
        match self.quoted_expansion(run) {
            Err(stop) => {
                if !self.forgive() {
                    return Err(stop);
                }
                self.set_depth(depth);
                self.drop_attempt(attempt);
                (self.in_substitution, self.first_pending, self.heredocs) = state;
                self.skips_braces = true;
                self.cursor.pos = pos + 1;
                Ok(false)
            }
            read => read,
        }
    }

    /// Returns whether the `<(` or `>(` at the cursor, in text from `run` on, begins a process substitution.
    pub(crate) fn opens_process(&self, run: usize) -> bool {
        let pos = self.cursor.pos;
        pos == run || !matches!(self.cursor.at(pos - 1), b'<' | b'>')
    }

    /// Does what [`quoted_backslash`](Self::quoted_backslash) does, and moves over the next byte in any case: escaped,
    /// it closes nothing.
    fn grouped_backslash(&mut self, run: usize, close: u8) -> usize {
        let next = self.cursor.second();
        if next == b'}' && close == b'}' {
            self.quoted(run, self.cursor.pos);
            self.cursor.pos += 2;
            return self.cursor.pos - 1;
        }
        if class(next) & ACTIVE != 0 || self.cursor.is_continuation(self.cursor.pos) {
            return self.quoted_backslash(run, true);
        }
        let pos = self.cursor.pos;
        self.cursor.pos = (pos + 2).min(self.cursor.bytes.len());
        run
    }
}
