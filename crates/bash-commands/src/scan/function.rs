//! Function definitions and coprocesses: commands that hold another one.

use crate::issue::SyntaxErrorKind;
use crate::parse::{Parser, Read};
use crate::scan::reserved::Reserved;
use crate::span::Span;
use crate::syntax::{Command, CommandKind, Word};

impl Parser<'_, '_> {
    /// Reads the rest of `name () compound`; the cursor is at the parenthesis behind the name.
    pub(crate) fn function_behind(&mut self, name: Word) -> Read<Command> {
        if !self.take_parentheses() {
            return self.unexpected(SyntaxErrorKind::Unexpected);
        }
        self.skip_newlines();
        self.function_body(name.span, name.span)
    }

    /// Reads `function name [()] compound`.
    pub(crate) fn function(&mut self) -> Read<Command> {
        let start = self.cursor.pos;
        self.take_reserved(Reserved::Function);
        let name = self.required_word()?;
        self.skip_blanks();
        self.take_parentheses();
        self.skip_newlines();
        self.function_body(self.cursor.span(start, start), name.span)
    }

    /// Moves over `()`, if that is what the parenthesis at the cursor begins.
    fn take_parentheses(&mut self) -> bool {
        if self.cursor.byte() != b'(' {
            return false;
        }
        let start = self.cursor.pos;
        self.cursor.pos += 1;
        self.skip_blanks();
        if self.cursor.byte() != b')' {
            self.cursor.pos = start;
            return false;
        }
        self.cursor.pos += 1;
        true
    }

    /// Reads the body at the cursor of a definition that began with `opening`.
    fn function_body(&mut self, opening: Span, name: Span) -> Read<Command> {
        let reserved = self.reserved();
        if !self.begins_compound(reserved) {
            return self.unexpected(SyntaxErrorKind::MissingBody);
        }
        let body = self.compound_command(reserved)?;
        let span = opening.join(body.span);
        let body = self.tree.add(body);
        let kind = CommandKind::Function { name, body };
        Ok(Command { span, kind, ..Command::default() })
    }

    /// Reads `coproc [NAME] command`.
    pub(crate) fn coprocess(&mut self) -> Read<Command> {
        let start = self.cursor.pos;
        self.take_reserved(Reserved::Coproc);
        self.skip_blanks();
        let reserved = self.reserved();
        let body = if self.begins_compound(reserved) {
            self.compound_command(reserved)?
        } else {
            self.named_coprocess()?
        };
        let span = self.cursor.span(start, start).join(body.span);
        let body = self.tree.add(body);
        Ok(Command { span, kind: CommandKind::Coprocess { body }, ..Command::default() })
    }

    /// Reads a compound command behind a name, or a simple command.
    fn named_coprocess(&mut self) -> Read<Command> {
        let start = self.cursor.pos;
        let reserved = self.reserved();
        if reserved != Reserved::None {
            return self.unexpected(SyntaxErrorKind::MissingCommand);
        }
        let mut word = None;
        if self.cursor.is_word_start() && !self.begins_redirection() && !self.begins_assignment() {
            word = Some(self.word()?);
            self.skip_blanks();
            let reserved = self.reserved();
            if self.begins_compound(reserved) {
                return self.compound_command(reserved);
            }
            // Bash looks for reserved words here, so `coproc name then` is a mistake.
            if reserved != Reserved::None {
                return self.unexpected(SyntaxErrorKind::Unexpected);
            }
        } else if !self.cursor.is_word_start() && !matches!(self.cursor.byte(), b'<' | b'>' | b'&') {
            return self.unexpected(SyntaxErrorKind::MissingCommand);
        }
        let before = self.cursor.pos;
        let command = self.simple_command(word, start)?;
        if word.is_none() && self.cursor.pos == before {
            return self.unexpected(SyntaxErrorKind::MissingCommand);
        }
        Ok(command)
    }

    /// Returns whether an assignment begins at the cursor.
    fn begins_assignment(&self) -> bool {
        let start = self.cursor.pos;
        let end = self.cursor.name_end(start);
        end > start
            && match self.cursor.at(end) {
                b'=' | b'[' => true,
                b'+' => self.cursor.at(end + 1) == b'=',
                _ => false,
            }
    }
}
