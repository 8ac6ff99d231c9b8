//! Redirections.

use crate::issue::SyntaxErrorKind;
use crate::parse::{Parser, Read};
use crate::syntax::{Redirection, RedirectionOperator, Slice, Word, WordFlags};

impl Parser<'_, '_> {
    /// Reads a redirection onto the stack, if one begins at the cursor. Leaves the cursor behind it, or where it was.
    #[inline]
    pub(crate) fn opt_redirection(&mut self) -> Read<bool> {
        match self.cursor.byte() {
            b'<' | b'>' if self.cursor.second() != b'(' => {
                self.redirection(Redirection::default(), self.cursor.pos)?;
                Ok(true)
            }
            b'&' if self.cursor.second() == b'>' => {
                self.redirection(Redirection::default(), self.cursor.pos)?;
                Ok(true)
            }
            b'0'..=b'9' => self.opt_numbered(),
            b'{' => self.opt_variable(),
            _ => Ok(false),
        }
    }

    /// Reads all redirections behind a compound command.
    pub(crate) fn redirections(&mut self) -> Read<Slice<Redirection>> {
        let first = self.scratch.redirections.len();
        loop {
            let before = self.cursor.pos;
            self.skip_blanks();
            if !self.opt_redirection()? {
                self.cursor.pos = before;
                return Ok(self.drain_redirections(first));
            }
        }
    }

    /// Returns whether an operator that takes a descriptor stands at `pos`.
    fn is_redirection(&self, pos: usize) -> bool {
        matches!(self.cursor.at(pos), b'<' | b'>') && self.cursor.at(pos + 1) != b'('
    }

    /// Reads `2>` and its kin.
    fn opt_numbered(&mut self) -> Read<bool> {
        let start = self.cursor.pos;
        let end = self.cursor.digits_end(start);
        let Some(descriptor) = self.descriptor(start, end) else {
            return Ok(false);
        };
        self.cursor.pos = end;
        self.redirection(Redirection { descriptor: Some(descriptor), ..Redirection::default() }, start)?;
        Ok(true)
    }

    /// Returns the number from `start` to `end`, if bash takes it for a descriptor: an operator follows it, and it fits.
    pub(crate) fn descriptor(&self, start: usize, end: usize) -> Option<u32> {
        if !self.is_redirection(end) {
            return None;
        }
        let digits = self.cursor.text(start, end);
        let number = digits
            .iter()
            .try_fold(0_u32, |number, &digit| number.checked_mul(10)?.checked_add(u32::from(digit - b'0')))?;
        i32::try_from(number).is_ok().then_some(number)
    }

    /// Reads `{name}>` and its kin.
    fn opt_variable(&mut self) -> Read<bool> {
        let start = self.cursor.pos;
        let name = start + 1;
        let Some(end) = self.variable_end(name) else {
            return Ok(false);
        };
        self.cursor.pos = end + 1;
        let variable = Some(self.cursor.span(name, end));
        self.redirection(Redirection { variable, ..Redirection::default() }, start)?;
        Ok(true)
    }

    /// Returns the place of the brace that closes `{name}` or `{name[…]}`, if an operator follows it.
    pub(crate) fn variable_end(&self, name: usize) -> Option<usize> {
        let mut end = self.cursor.name_end(name);
        if end == name {
            return None;
        }
        if self.cursor.at(end) == b'[' {
            let length = self.cursor.bytes.get(end..)?.iter().position(|&byte| {
                byte == b']'
                    || crate::cursor::class(byte) & (crate::cursor::BREAK | crate::cursor::QUOTE) != 0
            })?;
            if length < 2 || self.cursor.at(end + length) != b']' {
                return None;
            }
            end += length + 1;
        }
        (self.cursor.at(end) == b'}' && self.is_redirection(end + 1)).then_some(end)
    }

    /// Reads the operator at the cursor and its target onto the stack.
    #[inline(never)]
    fn redirection(&mut self, mut redirection: Redirection, start: usize) -> Read<()> {
        redirection.operator = self.redirection_operator();
        self.skip_blanks();
        let from = self.cursor.pos;
        let duplicates = matches!(
            redirection.operator,
            RedirectionOperator::DuplicateInput | RedirectionOperator::DuplicateOutput
        );
        let target = if duplicates && self.cursor.byte() == b'-' {
            // Bash takes this dash for a token of its own, whatever follows it.
            self.cursor.pos += 1;
            let span = self.cursor.span(from, self.cursor.pos);
            Word { span, flags: WordFlags::LITERAL, ..Word::default() }
        } else if !self.cursor.is_word_start() {
            return self.unexpected(SyntaxErrorKind::MissingWord);
        } else if !duplicates && self.begins_redirection() {
            return self.unexpected(SyntaxErrorKind::Unexpected);
        } else {
            self.word()?
        };
        redirection.target = self.tree.add(target);
        redirection.span = self.cursor.span(start, self.cursor.pos);
        match redirection.operator {
            RedirectionOperator::Heredoc => self.await_heredoc(&mut redirection, false)?,
            RedirectionOperator::HeredocStripTabs => self.await_heredoc(&mut redirection, true)?,
            _ => {}
        }
        self.scratch.redirections.push(redirection);
        Ok(())
    }

    /// Returns whether a number or `{name}` at the cursor belongs to a redirection, so that it is no word.
    pub(crate) fn begins_redirection(&self) -> bool {
        let pos = self.cursor.pos;
        match self.cursor.byte() {
            b'0'..=b'9' => self.descriptor(pos, self.cursor.digits_end(pos)).is_some(),
            b'{' => self.variable_end(pos + 1).is_some(),
            _ => false,
        }
    }

    /// Moves over an operator, which begins at the cursor.
    fn redirection_operator(&mut self) -> RedirectionOperator {
        let first = self.cursor.byte();
        self.cursor.pos += 1;
        let operator = match (first, self.cursor.byte()) {
            (b'<', b'<') => return self.heredoc_operator(),
            (b'&', _) => {
                self.cursor.pos += 1;
                if self.cursor.byte() != b'>' {
                    return RedirectionOperator::OutputAndError;
                }
                RedirectionOperator::AppendOutputAndError
            }
            (b'<', b'&') => RedirectionOperator::DuplicateInput,
            (b'<', b'>') => RedirectionOperator::ReadWrite,
            (b'>', b'>') => RedirectionOperator::Append,
            (b'>', b'&') => RedirectionOperator::DuplicateOutput,
            (b'>', b'|') => RedirectionOperator::Clobber,
            (b'<', _) => return RedirectionOperator::Input,
            _ => return RedirectionOperator::Output,
        };
        self.cursor.pos += 1;
        operator
    }

    /// Moves over the rest of `<<`, `<<-` or `<<<`, from its second byte.
    fn heredoc_operator(&mut self) -> RedirectionOperator {
        self.cursor.pos += 1;
        let operator = match self.cursor.byte() {
            b'-' => RedirectionOperator::HeredocStripTabs,
            b'<' => RedirectionOperator::HereString,
            _ => return RedirectionOperator::Heredoc,
        };
        self.cursor.pos += 1;
        operator
    }
}
