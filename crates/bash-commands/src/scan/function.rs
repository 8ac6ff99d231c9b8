//! Function definitions and coprocesses: commands that hold another one.

use crate::issue::SyntaxErrorKind;
use crate::parse::{List, Parser, Read};
use crate::scan::reserved::Reserved;
use crate::span::Span;
use crate::syntax::{Command, CommandKind, Word};

impl Parser<'_, '_> {
    /// Reads the rest of `name () compound`; the cursor is at the parenthesis behind the name.
    pub(crate) fn function_behind(&mut self, name: Word, commands: &mut List<Command>) -> Read<u8> {
        if !self.take_parentheses() {
            return self.unexpected(SyntaxErrorKind::Unexpected);
        }
        self.skip_newlines();
        self.function_body(name.span, name.span, commands)
    }

    /// Reads `function name [()] compound`.
    pub(crate) fn function(&mut self, commands: &mut List<Command>) -> Read<u8> {
        let start = self.cursor.pos;
        self.take_reserved(Reserved::Function);
        let name = self.required_word()?;
        self.skip_blanks();
        self.take_parentheses();
        self.skip_newlines();
        self.function_body(self.cursor.span(start, start), name.span, commands)
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
    fn function_body(&mut self, opening: Span, name: Span, commands: &mut List<Command>) -> Read<u8> {
        let reserved = self.reserved();
        if !self.begins_compound(reserved) {
            return self.unexpected(SyntaxErrorKind::MissingBody);
        }
        let mut body = List::begin(self.tree);
        let behind = self.compound_command(reserved, &mut body)?;
        let body = body.only();
        let span = opening.join(self.tree.get(body).span);
        let kind = CommandKind::Function { name, body };
        self.add_command(commands, Command { span, kind, ..Command::default() });
        Ok(behind)
    }

    /// Reads `coproc [NAME] command`.
    pub(crate) fn coprocess(&mut self, commands: &mut List<Command>) -> Read<u8> {
        let start = self.cursor.pos;
        self.take_reserved(Reserved::Coproc);
        self.skip_blanks();
        let reserved = self.reserved();
        let mut body = List::begin(self.tree);
        let behind = if self.begins_compound(reserved) {
            self.compound_command(reserved, &mut body)?
        } else {
            self.named_coprocess(&mut body)?
        };
        let body = body.only();
        let span = self.cursor.span(start, start).join(self.tree.get(body).span);
        let kind = CommandKind::Coprocess { body };
        self.add_command(commands, Command { span, kind, ..Command::default() });
        Ok(behind)
    }

    /// Reads a compound command behind a name, or a simple command.
    fn named_coprocess(&mut self, commands: &mut List<Command>) -> Read<u8> {
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
                return self.compound_command(reserved, commands);
            }
            // Bash looks for reserved words here, so `coproc name then` is a mistake.
            if reserved != Reserved::None {
                return self.unexpected(SyntaxErrorKind::Unexpected);
            }
        } else if !self.cursor.is_word_start() && !matches!(self.cursor.byte(), b'<' | b'>' | b'&') {
            return self.unexpected(SyntaxErrorKind::MissingCommand);
        }
        let before = self.cursor.pos;
        let behind = self.simple_command(word, start, commands)?;
        if word.is_none() && self.cursor.pos == before {
            return self.unexpected(SyntaxErrorKind::MissingCommand);
        }
        Ok(behind)
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
