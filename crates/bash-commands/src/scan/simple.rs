//! Simple commands: assignments, words and redirections.

use crate::cursor::{BREAK, DIGIT, NOTE, QUOTE, class};
use crate::issue::SyntaxErrorKind;
use crate::parse::{List, Parser, Read, drain};
use crate::scan::assignment::Leading;
use crate::syntax::{Command, CommandKind, Slice, Word, WordFlags};

impl Parser<'_, '_> {
    /// Reads a simple command, or a function definition that begins like one. A word that was read
    /// already is given as `word`.
    pub(crate) fn simple_command(&mut self, word: Option<Word>, start: usize) -> Read<Command> {
        let mut words = List::default();
        let assignments = self.scratch.assignments.len();
        let redirections = self.scratch.redirections.len();
        let mut end = self.cursor.pos;
        let mut name = Word::default();
        // Bash still looks for assignments behind the first word of a coprocess.
        let mut takes_arrays = word.is_some();
        let mut behind_redirection = false;
        let mut is_literal = word.is_none_or(|word| word.flags.has(WordFlags::LITERAL));
        if let Some(word) = word {
            words.push(word, &mut self.scratch.words, self.tree);
        }
        loop {
            if self.cursor.byte() == b' ' {
                self.cursor.pos += 1;
            }
            let mut is_plain = self.is_plain_start();
            if !is_plain {
                self.skip_blanks();
                if matches!(self.cursor.byte(), b'\n' | b';' | b'|' | b')') {
                    break;
                }
                is_plain = self.is_plain_start();
            }
            let begun = self.cursor.pos;
            let mut plain_end = begun;
            if is_plain {
                plain_end = self.cursor.find(begun + 1, BREAK | QUOTE | NOTE);
                if self.ends_plainly(plain_end) {
                    // Most words; they cannot be assignments either.
                    end = plain_end;
                    self.cursor.pos = end;
                    let span = self.cursor.span(begun, end);
                    let plain = Word { span, parts: Slice::EMPTY, flags: WordFlags::LITERAL };
                    if words.is_empty() {
                        (name, takes_arrays) = (plain, true);
                    }
                    words.push(plain, &mut self.scratch.words, self.tree);
                    continue;
                }
            }
            let next = if !is_plain && self.opt_redirection()? {
                takes_arrays = false;
                behind_redirection |= self.scratch.assignments.len() > assignments;
                end = self.cursor.pos;
                continue;
            } else if !is_plain && !self.cursor.is_word_start() {
                break;
            } else if words.is_empty() {
                let leading = if behind_redirection {
                    self.plain_assignment_or_word()?
                } else {
                    self.assignment_or_word()?
                };
                match leading {
                    Leading::Assignment(assignment) => {
                        self.scratch.assignments.push(assignment);
                        end = self.cursor.pos;
                        continue;
                    }
                    Leading::Word(word) => word,
                }
            } else {
                // Bash forgets the declaration behind anything that begins with a metacharacter.
                takes_arrays &= !matches!(self.cursor.byte(), b'<' | b'>');
                let mut argument = self.word_behind(plain_end)?;
                if self.cursor.byte() == b'('
                    && takes_arrays
                    && self.cursor.at(self.cursor.pos - 1) == b'='
                    && (word.is_some() || self.is_declaration(name))
                    && let Some(array) = self.array_argument(begun)?
                {
                    argument = array;
                }
                argument
            };
            if words.is_empty() {
                (name, takes_arrays) = (next, true);
            }
            is_literal &= next.flags.has(WordFlags::LITERAL);
            words.push(next, &mut self.scratch.words, self.tree);
            end = self.cursor.pos;
        }
        if self.cursor.byte() == b'(' {
            let is_name = words.len() == 1
                && self.scratch.assignments.len() == assignments
                && self.scratch.redirections.len() == redirections
                && word.is_none();
            return if is_name {
                self.function_behind(name)
            } else {
                self.unexpected(SyntaxErrorKind::Unexpected)
            };
        }
        let kind = CommandKind::Simple {
            assignments: drain(&mut self.scratch.assignments, assignments, self.tree),
            words: words.finish(&mut self.scratch.words, self.tree),
        };
        let redirections = self.drain_redirections(redirections);
        let span = self.cursor.span(start, end);
        Ok(Command { span, kind, redirections, pipes_stderr: false, is_literal })
    }

    /// Returns whether a word begins at the cursor, and no assignment or redirection does.
    #[inline]
    fn is_plain_start(&self) -> bool {
        let byte = self.cursor.byte();
        class(byte) & (BREAK | NOTE | DIGIT | QUOTE) == 0 && byte != b'#'
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
