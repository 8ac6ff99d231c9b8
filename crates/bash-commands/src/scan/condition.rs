//! `[[ … ]]`.

use crate::issue::{Construct, SyntaxErrorKind};
use crate::parse::{Parser, Read};
use crate::scan::reserved::Reserved;
use crate::scan::word::Ends;
use crate::span::Span;
use crate::syntax::{CommandKind, Condition, Id, Word, WordFlags};

impl Parser<'_, '_> {
    pub(crate) fn condition_command(&mut self) -> Read<CommandKind> {
        let start = self.cursor.pos;
        self.take_reserved(Reserved::Condition);
        let condition = self.disjunction(start)?;
        if !self.is_condition_end() {
            return self.invalid_condition(start);
        }
        self.take_word(b"]]");
        Ok(CommandKind::Condition { condition })
    }

    /// Reports what stands at the cursor inside the expression that began at `start`.
    #[cold]
    fn invalid_condition<T>(&mut self, start: usize) -> Read<T> {
        self.skip_blanks();
        if self.cursor.is_end() {
            return self.unterminated(Construct::Condition, self.cursor.span(start, start + 2));
        }
        self.unexpected(SyntaxErrorKind::InvalidCondition)
    }

    /// Returns whether `]]` stands at the cursor.
    fn is_condition_end(&self) -> bool {
        let end = self.cursor.pos + 2;
        self.cursor.text(self.cursor.pos, end) == b"]]" && self.cursor.is_word_end(end)
    }

    /// Moves over `&&` or `||`.
    fn take_twice(&mut self, byte: u8) -> bool {
        if self.cursor.byte() != byte || self.cursor.second() != byte {
            return false;
        }
        self.cursor.pos += 2;
        true
    }

    fn disjunction(&mut self, start: usize) -> Read<Id<Condition>> {
        let mut left = self.conjunction(start)?;
        while self.take_twice(b'|') {
            let right = self.conjunction(start)?;
            left = self.tree.add(Condition::Or(left, right));
        }
        Ok(left)
    }

    fn conjunction(&mut self, start: usize) -> Read<Id<Condition>> {
        let mut left = self.term(start)?;
        while self.take_twice(b'&') {
            let right = self.term(start)?;
            left = self.tree.add(Condition::And(left, right));
        }
        Ok(left)
    }

    /// Reads a term and what `!` stand before it, and moves to the token behind.
    fn term(&mut self, start: usize) -> Read<Id<Condition>> {
        let mut negated = false;
        self.skip_newlines();
        while self.take_word(b"!") {
            negated = !negated;
            self.skip_newlines();
        }
        let term = if self.cursor.byte() == b'(' { self.group_of_terms(start)? } else { self.test(start)? };
        Ok(if negated { self.tree.add(Condition::Not(term)) } else { term })
    }

    fn group_of_terms(&mut self, start: usize) -> Read<Id<Condition>> {
        self.enter(self.cursor.pos)?;
        self.cursor.pos += 1;
        let inner = self.disjunction(start)?;
        if self.cursor.byte() != b')' {
            return self.invalid_condition(start);
        }
        self.cursor.pos += 1;
        self.leave();
        self.skip_newlines();
        Ok(inner)
    }

    /// Reads the word that must stand at the cursor.
    fn condition_word(&mut self, start: usize, ends: Ends) -> Read<Word> {
        self.skip_blanks();
        let is_word = if ends == Ends::Regex {
            // A regular expression may begin with a group or an empty alternative.
            matches!(self.cursor.byte(), b'(' | b'|') || self.cursor.is_word_start()
        } else {
            self.cursor.is_word_start() && !self.begins_redirection()
        };
        if !is_word || self.is_condition_end() {
            return self.invalid_condition(start);
        }
        match ends {
            Ends::Break => self.word(),
            _ => self.word_until(ends),
        }
    }

    fn test(&mut self, start: usize) -> Read<Id<Condition>> {
        let first = self.condition_word(start, Ends::Break)?;
        self.skip_blanks();
        if self.is_unary(first) {
            let operand = self.condition_word(start, Ends::Break)?;
            let operand = self.tree.add(operand);
            self.skip_newlines();
            return Ok(self.tree.add(Condition::Unary { operator: first.span, operand }));
        }
        let left = self.tree.add(first);
        let stands_alone = match self.cursor.byte() {
            b')' => true,
            b'&' | b'|' => self.cursor.second() == self.cursor.byte(),
            _ => self.is_condition_end(),
        };
        if stands_alone {
            return Ok(self.tree.add(Condition::Word(left)));
        }
        let (operator, ends) = self.binary_operator(start)?;
        let right = self.condition_word(start, ends)?;
        let right = self.tree.add(right);
        self.skip_newlines();
        Ok(self.tree.add(Condition::Binary { operator, left, right }))
    }

    /// Returns whether a word is an operator that takes one operand.
    fn is_unary(&self, word: Word) -> bool {
        let start = (word.span.start - self.cursor.base) as usize;
        word.flags.has(WordFlags::LITERAL)
            && word.span.len() == 2
            && self.cursor.at(start) == b'-'
            && matches!(
                self.cursor.at(start + 1),
                b'a'..=b'h' | b'k' | b'n'..=b'p' | b'r'..=b'x' | b'z' | b'G' | b'L' | b'N' | b'O' | b'R' | b'S'
            )
    }

    /// Reads an operator between two operands; also tells how the right one is read.
    fn binary_operator(&mut self, start: usize) -> Read<(Span, Ends)> {
        let from = self.cursor.pos;
        if matches!(self.cursor.byte(), b'<' | b'>') && self.cursor.second() != b'(' {
            let byte = self.cursor.byte();
            if matches!(self.cursor.second(), b'<' | b'>' | b'&')
                || (byte == b'>' && self.cursor.second() == b'|')
            {
                return self.invalid_condition(start);
            }
            self.cursor.pos += 1;
            return Ok((self.cursor.span(from, from + 1), Ends::Break));
        }
        if !self.cursor.is_word_start() {
            return self.invalid_condition(start);
        }
        let word = self.word()?;
        let ends = match self.cursor.text(from, self.cursor.pos) {
            b"=" | b"==" | b"!=" => Ends::Pattern,
            b"=~" => Ends::Regex,
            b"-eq" | b"-ne" | b"-lt" | b"-le" | b"-gt" | b"-ge" | b"-nt" | b"-ot" | b"-ef" => Ends::Break,
            _ => {
                self.cursor.pos = from;
                return self.invalid_condition(start);
            }
        };
        Ok((word.span, ends))
    }
}
