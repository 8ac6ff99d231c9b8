//! Compound commands: groups, subshells, `if`, loops, `case`.

use crate::issue::{Construct, SyntaxErrorKind};
use crate::parse::{List, Parser, Read, drain};
use crate::scan::reserved::Reserved;
use crate::syntax::{Arm, ArmEnd, Clause, Command, CommandKind, ForHeader, Id, Item, Slice, Word};

impl Parser<'_, '_> {
    /// Reads the command that begins at the cursor, with the byte `first` and with `reserved`, if with any reserved word.
    /// Leaves the cursor at the token behind it, whose first byte it returns.
    #[inline]
    pub(crate) fn command(
        &mut self,
        first: u8,
        reserved: Reserved,
        commands: &mut List<Command>,
    ) -> Read<u8> {
        match reserved {
            Reserved::None if first != b'(' => self.simple_command(None, self.cursor.pos, commands),
            Reserved::Function => self.function(commands),
            Reserved::Coproc => self.coprocess(commands),
            _ => self.compound_command(reserved, commands),
        }
    }

    /// Returns whether `reserved`, or else the byte at the cursor, begins a compound command.
    pub(crate) fn begins_compound(&self, reserved: Reserved) -> bool {
        match reserved {
            Reserved::None => self.cursor.byte() == b'(',
            Reserved::If
            | Reserved::While
            | Reserved::Until
            | Reserved::For
            | Reserved::Select
            | Reserved::Case
            | Reserved::Brace
            | Reserved::Condition => true,
            _ => false,
        }
    }

    /// Reads a compound command and the redirections behind it. Leaves the cursor at the next token, whose first byte it
    /// returns.
    #[inline(never)]
    pub(crate) fn compound_command(&mut self, reserved: Reserved, commands: &mut List<Command>) -> Read<u8> {
        let start = self.cursor.pos;
        self.enter(start)?;
        let kind = match reserved {
            Reserved::If => self.if_command(),
            Reserved::While => self.while_loop(false),
            Reserved::Until => self.while_loop(true),
            Reserved::For => self.for_loop(),
            Reserved::Select => self.select(),
            Reserved::Case => self.case(),
            Reserved::Brace => self.group(),
            Reserved::Condition => self.condition_command(),
            _ => self.parentheses(),
        }?;
        self.leave();
        let redirections = self.redirections()?;
        let span = self.cursor.span(start, self.cursor.pos);
        let behind = self.next_token();
        // Behind `}`, `fi` and so on a reserved word may follow, but never an argument.
        let refused = behind == b'('
            || (self.cursor.is_word_start()
                && (!redirections.is_empty() || self.reserved() == Reserved::None));
        if refused {
            return self.unexpected(SyntaxErrorKind::Unexpected);
        }
        self.add_command(commands, Command { span, kind, redirections, ..Command::default() });
        Ok(behind)
    }

    /// Moves over a closing word, or reports what stands there instead. The construct began at `start`.
    fn close(&mut self, word: Reserved, construct: Construct, start: usize) -> Read<()> {
        let found = self.reserved();
        self.take_closing(found, word, construct, start)
    }

    /// Does the same right behind a list.
    fn close_list(&mut self, word: Reserved, construct: Construct, start: usize) -> Read<()> {
        self.take_closing(self.behind_list, word, construct, start)
    }

    /// Moves over the closing word at the cursor if it is the right one.
    #[inline]
    fn take_closing(
        &mut self,
        found: Reserved,
        word: Reserved,
        construct: Construct,
        start: usize,
    ) -> Read<()> {
        if found == word {
            self.take_reserved(word);
            return Ok(());
        }
        if self.cursor.is_end() {
            let end = self.cursor.find(start + 1, crate::cursor::BREAK);
            return self.unterminated(construct, self.cursor.span(start, end));
        }
        self.unexpected(match word {
            Reserved::Then => SyntaxErrorKind::MissingKeyword("then"),
            Reserved::Do => SyntaxErrorKind::MissingKeyword("do"),
            Reserved::In => SyntaxErrorKind::MissingKeyword("in"),
            _ => SyntaxErrorKind::Unexpected,
        })
    }

    /// Reads a list that must hold a command. The construct around it began at `start`.
    fn body(&mut self, construct: Construct, start: usize) -> Read<Slice<Item>> {
        let body = self.list()?;
        if !body.is_empty() {
            return Ok(body);
        }
        if self.cursor.is_end() {
            let end = self.cursor.find(start + 1, crate::cursor::BREAK);
            return self.unterminated(construct, self.cursor.span(start, end));
        }
        self.unexpected(SyntaxErrorKind::MissingCommand)
    }

    fn group(&mut self) -> Read<CommandKind> {
        let start = self.cursor.pos;
        self.take_reserved(Reserved::Brace);
        let body = self.body(Construct::Group, start)?;
        self.close_list(Reserved::CloseBrace, Construct::Group, start)?;
        Ok(CommandKind::Group { body })
    }

    /// Reads `((…))` or `( … )`.
    fn parentheses(&mut self) -> Read<CommandKind> {
        if self.cursor.second() == b'('
            && let Some(arithmetic) = self.arithmetic_command()?
        {
            return Ok(arithmetic);
        }
        let start = self.cursor.pos;
        self.cursor.pos += 1;
        let body = self.body(Construct::Subshell, start)?;
        if self.cursor.byte() != b')' {
            if self.cursor.is_end() {
                return self.unterminated(Construct::Subshell, self.cursor.span(start, start + 1));
            }
            return self.unexpected(SyntaxErrorKind::Unexpected);
        }
        self.cursor.pos += 1;
        Ok(CommandKind::Subshell { body })
    }

    fn if_command(&mut self) -> Read<CommandKind> {
        let start = self.cursor.pos;
        let first = self.scratch.clauses.len();
        let mut otherwise = None;
        let mut word = Reserved::If;
        loop {
            self.take_reserved(word);
            let condition = self.body(Construct::If, start)?;
            self.close_list(Reserved::Then, Construct::If, start)?;
            let body = self.body(Construct::If, start)?;
            self.scratch.clauses.push(Clause { condition, body });
            word = self.behind_list;
            match word {
                Reserved::Elif => {}
                Reserved::Else => {
                    self.take_reserved(word);
                    otherwise = Some(self.body(Construct::If, start)?);
                    break;
                }
                _ => break,
            }
        }
        self.close_list(Reserved::Fi, Construct::If, start)?;
        let clauses = drain(&mut self.scratch.clauses, first, self.tree);
        Ok(CommandKind::If { clauses, otherwise })
    }

    fn while_loop(&mut self, until: bool) -> Read<CommandKind> {
        let start = self.cursor.pos;
        self.take_reserved(if until { Reserved::Until } else { Reserved::While });
        let condition = self.body(Construct::Loop, start)?;
        self.close_list(Reserved::Do, Construct::Loop, start)?;
        let body = self.body(Construct::Loop, start)?;
        self.close_list(Reserved::Done, Construct::Loop, start)?;
        Ok(CommandKind::Loop { condition, body, until })
    }

    fn for_loop(&mut self) -> Read<CommandKind> {
        let start = self.cursor.pos;
        self.take_reserved(Reserved::For);
        self.skip_blanks();
        if self.cursor.byte() == b'(' && self.cursor.second() == b'(' {
            let header = self.for_header()?;
            self.skip_blanks();
            if self.cursor.byte() == b';' {
                self.cursor.pos += 1;
            }
            self.skip_newlines();
            let body = self.loop_body(start)?;
            return Ok(CommandKind::ForArithmetic { header, body });
        }
        let (name, words) = self.loop_words(start)?;
        let body = self.loop_body(start)?;
        Ok(CommandKind::For { name: name.span, words, body })
    }

    fn select(&mut self) -> Read<CommandKind> {
        let start = self.cursor.pos;
        self.take_reserved(Reserved::Select);
        let (name, words) = self.loop_words(start)?;
        let body = self.loop_body(start)?;
        Ok(CommandKind::Select { name: name.span, words, body })
    }

    /// Reads the word that must stand at the next token.
    pub(crate) fn required_word(&mut self) -> Read<Word> {
        self.skip_blanks();
        if !self.cursor.is_word_start() {
            return self.unexpected(SyntaxErrorKind::MissingWord);
        }
        self.word()
    }

    /// Reads `name in words;` or `name;`, and moves to the body of the loop that began at `start`.
    fn loop_words(&mut self, start: usize) -> Read<(Word, Option<Slice<Word>>)> {
        let name = self.required_word()?;
        self.skip_blanks();
        let behind_name = self.cursor.pos;
        if self.cursor.byte() == b';' {
            self.cursor.pos += 1;
            self.skip_newlines();
            return Ok((name, None));
        }
        self.skip_newlines();
        if !self.take_word(b"in") {
            // `{` is no reserved word right behind another word.
            if self.cursor.pos == behind_name && self.reserved() != Reserved::Do {
                return self.close(Reserved::In, Construct::Loop, start).map(|()| (name, None));
            }
            return Ok((name, None));
        }
        let mut words = List::begin(self.tree);
        loop {
            self.skip_blanks();
            if !self.cursor.is_word_start() {
                break;
            }
            let word = self.word()?;
            words.push(word, &mut self.scratch.words, self.tree);
        }
        let words = words.finish(&mut self.scratch.words, self.tree);
        if self.cursor.byte() == b';' {
            self.cursor.pos += 1;
        } else if self.cursor.byte() != b'\n' && !self.cursor.is_end() {
            return self.unexpected(SyntaxErrorKind::Unexpected);
        }
        self.skip_newlines();
        Ok((name, Some(words)))
    }

    /// Reads `do … done` or `{ … }`.
    fn loop_body(&mut self, start: usize) -> Read<Slice<Item>> {
        if self.reserved() == Reserved::Brace {
            self.take_reserved(Reserved::Brace);
            let body = self.body(Construct::Group, start)?;
            self.close_list(Reserved::CloseBrace, Construct::Group, start)?;
            return Ok(body);
        }
        self.close(Reserved::Do, Construct::Loop, start)?;
        let body = self.body(Construct::Loop, start)?;
        self.close_list(Reserved::Done, Construct::Loop, start)?;
        Ok(body)
    }

    /// Reads `((init; test; step))`.
    fn for_header(&mut self) -> Read<Id<ForHeader>> {
        let start = self.cursor.pos;
        self.enter(start)?;
        self.cursor.pos += 2;
        let mut parts = [Id::default(); 3];
        let mut count = 0;
        let mut depth = 0;
        loop {
            let expression = self.for_expression(&mut depth, start)?;
            let Some(slot) = parts.get_mut(count) else {
                return self.unexpected(SyntaxErrorKind::InvalidForHeader);
            };
            *slot = expression;
            count += 1;
            if self.cursor.byte() != b';' {
                break;
            }
            self.cursor.pos += 1;
        }
        let [init, test, step] = parts;
        if count < parts.len() || self.cursor.second() != b')' {
            return self.fail_at_token(SyntaxErrorKind::InvalidForHeader);
        }
        self.cursor.pos += 2;
        self.leave();
        Ok(self.tree.add(ForHeader { init, test, step }))
    }

    fn for_expression(&mut self, depth: &mut u32, start: usize) -> Read<Id<Word>> {
        let from = self.cursor.pos;
        let first = self.scratch.parts.len();
        self.for_part(depth, start)?;
        let word = self.finish_quoted(from, first);
        Ok(self.tree.add(word))
    }

    fn case(&mut self) -> Read<CommandKind> {
        let start = self.cursor.pos;
        self.take_reserved(Reserved::Case);
        let word = self.required_word()?;
        let word = self.tree.add(word);
        self.skip_newlines();
        self.close(Reserved::In, Construct::Case, start)?;
        let first = self.scratch.arms.len();
        let mut ended = true;
        loop {
            self.skip_newlines();
            if self.reserved() == Reserved::Esac {
                break;
            }
            if self.cursor.is_end() || !ended {
                self.close(Reserved::Esac, Construct::Case, start)?;
            }
            let arm = self.arm(&mut ended)?;
            self.scratch.arms.push(arm);
        }
        self.take_reserved(Reserved::Esac);
        Ok(CommandKind::Case { word, arms: drain(&mut self.scratch.arms, first, self.tree) })
    }

    /// Reads `pattern | pattern) …;;`; `ended` tells whether something like `;;` was there.
    fn arm(&mut self, ended: &mut bool) -> Read<Arm> {
        let mut patterns = List::begin(self.tree);
        if self.cursor.byte() == b'(' {
            self.cursor.pos += 1;
        }
        loop {
            let pattern = self.required_word()?;
            patterns.push(pattern, &mut self.scratch.words, self.tree);
            self.skip_blanks();
            if self.cursor.byte() != b'|' || matches!(self.cursor.second(), b'|' | b'&') {
                break;
            }
            self.cursor.pos += 1;
        }
        if self.cursor.byte() != b')' {
            return self.unexpected(SyntaxErrorKind::Unexpected);
        }
        self.cursor.pos += 1;
        let patterns = patterns.finish(&mut self.scratch.words, self.tree);
        let body = self.list()?;
        let end = self.opt_arm_end();
        *ended = end.is_some();
        Ok(Arm { patterns, body, end: end.unwrap_or_default() })
    }

    /// Moves over `;;`, `;&` or `;;&`.
    fn opt_arm_end(&mut self) -> Option<ArmEnd> {
        if self.cursor.byte() != b';' {
            return None;
        }
        let second = self.cursor.second();
        if !matches!(second, b';' | b'&') {
            return None;
        }
        self.cursor.pos += 2;
        if second == b'&' {
            return Some(ArmEnd::FallThrough);
        }
        if self.cursor.byte() == b'&' {
            self.cursor.pos += 1;
            return Some(ArmEnd::Continue);
        }
        Some(ArmEnd::Break)
    }
}
