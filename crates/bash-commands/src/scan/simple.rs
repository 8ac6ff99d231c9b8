//! Simple commands: assignments, words and redirections.

use crate::cursor::{BREAK, END, GAP, NOTE, PLAIN, QUOTE, REDIRECTS, class};
use crate::issue::SyntaxErrorKind;
use crate::parse::{List, Parser, Read, drain};
use crate::scan::assignment::Leading;
use crate::syntax::{Command, CommandKind, Slice, Word, WordFlags};

/// A simple command that is being read.
#[expect(clippy::struct_excessive_bools, reason = "independent facts about the command")]
struct Simple {
    words: List<Word>,
    is_coprocess: bool,
    /// Where its assignments and redirections begin on their stacks.
    assignments: usize,
    redirections: usize,
    /// Where the last of its words, assignments and redirections ends.
    end: usize,
    /// A `name=` right before a parenthesis begins an array, if the command is a declaration.
    takes_arrays: bool,
    /// A redirection stands behind an assignment.
    behind_redirection: bool,
    is_literal: bool,
}

impl Parser<'_, '_> {
    /// Reads a simple command, or a function definition that begins like one. A word that was read
    /// already is given as `word`. Leaves the cursor at the next token, whose first byte it returns.
    pub(crate) fn simple_command(
        &mut self,
        word: Option<Word>,
        start: usize,
        commands: &mut List<Command>,
    ) -> Read<u8> {
        let mut command = Simple {
            words: List::begin(self.tree),
            is_coprocess: word.is_some(),
            assignments: self.scratch.assignments.len(),
            redirections: self.scratch.redirections.len(),
            end: self.cursor.pos,
            takes_arrays: true,
            behind_redirection: false,
            is_literal: true,
        };
        if let Some(word) = word {
            self.add_word(&mut command, word);
            self.assignments_of_coprocess(&mut command)?;
        }
        let mut byte = self.cursor.byte();
        loop {
            let begun = self.cursor.pos;
            if class(byte) & PLAIN != 0 {
                let (end, behind) = self.cursor.find_with_byte(begun + 1, BREAK | QUOTE | NOTE);
                if class(behind) & END != 0 || end >= self.cursor.bytes.len() {
                    // Most words; they cannot be assignments either.
                    let span = self.cursor.span(begun, end);
                    let word = Word { span, parts: Slice::EMPTY, flags: WordFlags::LITERAL };
                    command.end = end;
                    command.words.push(word, &mut self.scratch.words, self.tree);
                    (self.cursor.pos, byte) =
                        if behind == b' ' { (end + 1, self.cursor.at(end + 1)) } else { (end, behind) };
                    continue;
                }
                self.leading_or_argument(&mut command, end)?;
            } else if class(byte) & GAP != 0 && (byte != b'\\' || self.cursor.is_continuation(begun)) {
                byte = self.skip_gap();
                continue;
            } else if class(byte) & QUOTE != 0 {
                let word = self.quoted_word(byte)?;
                self.add_word(&mut command, word);
            } else if class(byte) & END != 0 && (byte != b'&' || self.cursor.second() != b'>') {
                break;
            } else if class(byte) & REDIRECTS != 0 && self.opt_redirection()? {
                command.takes_arrays &= command.words.is_empty();
                command.behind_redirection |= self.scratch.assignments.len() > command.assignments;
                command.end = self.cursor.pos;
            } else if self.cursor.is_word_start() {
                self.leading_or_argument(&mut command, begun)?;
            } else {
                break;
            }
            byte = self.next_token();
        }
        if byte == b'(' {
            return self.definition(&command, commands);
        }
        let kind = CommandKind::Simple {
            assignments: drain(&mut self.scratch.assignments, command.assignments, self.tree),
            words: command.words.finish(&mut self.scratch.words, self.tree),
        };
        let redirections = self.drain_redirections(command.redirections);
        let span = self.cursor.span(start, command.end);
        let is_literal = command.is_literal;
        self.add_command(commands, Command { span, kind, redirections, pipes_stderr: false, is_literal });
        Ok(byte)
    }

    /// Behind the first word of a coprocess bash still looks for assignments.
    #[cold]
    fn assignments_of_coprocess(&mut self, command: &mut Simple) -> Read<()> {
        loop {
            self.next_token();
            match self.assignment_argument()? {
                Some((word, is_assignment)) => {
                    self.add_word(command, word);
                    if !is_assignment {
                        return Ok(());
                    }
                }
                None => return Ok(()),
            }
        }
    }

    /// Adds a word that ends at the cursor.
    #[inline]
    fn add_word(&mut self, command: &mut Simple, word: Word) {
        command.is_literal &= word.flags.has(WordFlags::LITERAL);
        command.end = self.cursor.pos;
        command.words.push(word, &mut self.scratch.words, self.tree);
    }

    /// Reads the assignment or word at the cursor, which has nothing special in it before `plain_end`.
    fn leading_or_argument(&mut self, command: &mut Simple, plain_end: usize) -> Read<()> {
        let word = if command.words.is_empty() {
            let leading = if command.behind_redirection {
                self.plain_assignment_or_word()?
            } else {
                self.assignment_or_word()?
            };
            match leading {
                Leading::Word(word) => word,
                Leading::Assignment(assignment) => {
                    self.scratch.assignments.push(assignment);
                    command.end = self.cursor.pos;
                    return Ok(());
                }
            }
        } else {
            self.argument(command, plain_end)?
        };
        self.add_word(command, word);
        Ok(())
    }

    fn argument(&mut self, command: &mut Simple, plain_end: usize) -> Read<Word> {
        let begun = self.cursor.pos;
        // Bash forgets the declaration behind anything that begins with a metacharacter.
        command.takes_arrays &= !matches!(self.cursor.byte(), b'<' | b'>');
        let word = self.word_behind(plain_end)?;
        if self.is_at_array()
            && command.takes_arrays
            && self.is_declaration(command)
            && let Some(array) = self.array_argument(begun)?
        {
            return Ok(array);
        }
        Ok(word)
    }

    /// Reads what a parenthesis at the cursor, behind `command`, begins: a function whose name was taken for a command.
    #[inline(never)]
    fn definition(&mut self, command: &Simple, commands: &mut List<Command>) -> Read<u8> {
        let is_name = command.words.is_single()
            && self.scratch.assignments.len() == command.assignments
            && self.scratch.redirections.len() == command.redirections
            && !command.is_coprocess;
        if is_name {
            let name = command.words.first(&self.scratch.words, self.tree);
            self.function_behind(name, commands)
        } else {
            self.unexpected(SyntaxErrorKind::Unexpected)
        }
    }

    /// Returns whether the name of a command lets arrays stand among its arguments: `declare a=(1 2)`.
    fn is_declaration(&self, command: &Simple) -> bool {
        let name = command.words.first(&self.scratch.words, self.tree);
        let start = (name.span.start - self.cursor.base) as usize;
        let end = (name.span.end - self.cursor.base) as usize;
        name.flags.has(WordFlags::LITERAL)
            && matches!(
                self.cursor.text(start, end),
                b"declare" | b"local" | b"export" | b"readonly" | b"typeset" | b"alias" | b"eval" | b"let"
            )
    }
}
