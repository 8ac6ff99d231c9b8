//! Simple commands: assignments, words and redirections.

use crate::cursor::{BREAK, DIGIT, NOTE, class};
use crate::issue::SyntaxErrorKind;
use crate::parse::{Parser, Read, drain};
use crate::scan::assignment::Leading;
use crate::syntax::{Command, CommandKind, Slice, Word, WordFlags};

impl Parser<'_, '_> {
    /// Reads a simple command, or a function definition that begins like one, onto the stack. A word that was read
    /// already is given as `word`.
    pub(crate) fn simple_command(&mut self, word: Option<Word>, start: usize) -> Read<()> {
        let words = self.scratch.words.len();
        let assignments = self.scratch.assignments.len();
        let redirections = self.scratch.redirections.len();
        let mut end = self.cursor.pos;
        let mut takes_arrays = false;
        if let Some(word) = word {
            // Bash still looks for assignments behind the first word of a coprocess.
            takes_arrays = true;
            self.scratch.words.push(word);
        }
        loop {
            self.cursor.skip_blanks();
            let is_plain = class(self.cursor.byte()) & (BREAK | NOTE | DIGIT) == 0;
            if is_plain && let Some(behind) = self.plain_word_end() {
                // Most words; they cannot be assignments either.
                let span = self.cursor.span(self.cursor.pos, behind);
                self.cursor.pos = behind;
                let word = Word { span, parts: Slice::default(), flags: WordFlags::LITERAL };
                if self.scratch.words.len() == words {
                    takes_arrays = self.is_declaration(word);
                }
                self.scratch.words.push(word);
            } else if !is_plain && self.opt_redirection()? {
                takes_arrays = false;
            } else if !is_plain && !self.cursor.is_word_start() {
                break;
            } else if self.scratch.words.len() == words {
                match self.assignment_or_word()? {
                    Leading::Assignment(assignment) => self.scratch.assignments.push(assignment),
                    Leading::Word(word) => {
                        takes_arrays = self.is_declaration(word);
                        self.scratch.words.push(word);
                    }
                }
            } else {
                let from = self.cursor.pos;
                // Bash forgets the declaration behind anything that begins with a metacharacter.
                takes_arrays &= !matches!(self.cursor.byte(), b'<' | b'>');
                let mut word = self.word()?;
                if takes_arrays
                    && self.cursor.byte() == b'('
                    && self.cursor.at(self.cursor.pos - 1) == b'='
                    && let Some(argument) = self.array_argument(from)?
                {
                    word = argument;
                }
                self.scratch.words.push(word);
            }
            end = self.cursor.pos;
        }
        if self.cursor.byte() == b'(' {
            let is_name = self.scratch.words.len() == words + 1
                && self.scratch.assignments.len() == assignments
                && self.scratch.redirections.len() == redirections
                && word.is_none();
            return match self.scratch.words.pop() {
                Some(name) if is_name => self.function_behind(name),
                _ => self.unexpected(SyntaxErrorKind::Unexpected),
            };
        }
        let kind = CommandKind::Simple {
            assignments: drain(&mut self.scratch.assignments, assignments, self.tree),
            words: drain(&mut self.scratch.words, words, self.tree),
        };
        let redirections = self.drain_redirections(redirections);
        let span = self.cursor.span(start, end);
        self.scratch.commands.push(Command { span, kind, redirections, pipes_stderr: false });
        Ok(())
    }

    /// Returns whether a command's name lets arrays stand among its arguments: `declare a=(1 2)`.
    #[inline]
    fn is_declaration(&self, name: Word) -> bool {
        let start = (name.span.start - self.cursor.base) as usize;
        let end = (name.span.end - self.cursor.base) as usize;
        name.flags.has(WordFlags::LITERAL)
            && matches!(
                self.cursor.text(start, end),
                b"declare" | b"local" | b"export" | b"readonly" | b"typeset" | b"alias" | b"eval" | b"let"
            )
    }
}
