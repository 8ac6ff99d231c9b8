//! Assignments: `name=value`, `name[…]=value`, `name=(…)`.

use crate::issue::{Construct, SyntaxErrorKind};
use crate::parse::{Parser, Read, drain};
use crate::scan::word::Ends;
use crate::syntax::{AssignedValue, Assignment, Element, Id, Part, Slice, Word, WordFlags};

/// What stands where an assignment may.
pub(crate) enum Leading {
    Assignment(Assignment),
    Word(Word),
}

impl Parser<'_, '_> {
    /// Reads the assignment at the cursor, or the word if it is none.
    #[inline]
    pub(crate) fn assignment_or_word(&mut self) -> Read<Leading> {
        let start = self.cursor.pos;
        let end = self.cursor.name_end(start);
        if end > start {
            match self.assignment_operator(end) {
                0 if self.cursor.at(end) == b'[' => return self.element_assignment(start, end),
                0 => {}
                length => return self.assignment(start, end, None, length == 2, end + length),
            }
        }
        Ok(Leading::Word(self.word()?))
    }

    /// Does the same behind a redirection that follows an assignment, where bash no longer expects one: it knows no
    /// arrays there, and a bracket that is not closed in the word is an ordinary character.
    #[cold]
    pub(crate) fn plain_assignment_or_word(&mut self) -> Read<Leading> {
        let start = self.cursor.pos;
        let end = self.cursor.name_end(start);
        let length = self.assignment_operator(end);
        let value = end + length;
        if end > start && length > 0 && self.cursor.at(value) == b'(' {
            self.cursor.pos = value;
            return self.unexpected(SyntaxErrorKind::Unexpected);
        }
        if end > start && self.cursor.at(end) == b'[' {
            let word = self.word()?;
            if !word.flags.has(WordFlags::ASSIGNMENT) {
                return Ok(Leading::Word(word));
            }
            self.cursor.pos = start;
        }
        self.assignment_or_word()
    }

    /// Reads `name[…]=value`, or a word that only begins like it. The bracket is at `end`.
    #[inline(never)]
    fn element_assignment(&mut self, start: usize, end: usize) -> Read<Leading> {
        let first = self.scratch.parts.len();
        match self.subscript(start, end, first)? {
            Subscript::Assigns { subscript, append } => {
                self.assignment(start, end, Some(subscript), append, self.cursor.pos)
            }
            Subscript::Word(word) => Ok(Leading::Word(word)),
        }
    }

    /// Reads `[…]` and an assignment operator behind it; without one, the rest of the word that began at `start`.
    /// Bash takes blanks inside such brackets for part of the word even then.
    fn subscript(&mut self, start: usize, bracket: usize, first: usize) -> Read<Subscript> {
        self.literal(start, bracket + 1);
        let inner = self.scratch.parts.len();
        self.cursor.pos = bracket + 1;
        self.grouped(b'[', b']', Construct::Subscript, bracket)?;
        let close = self.cursor.pos;
        let length = self.assignment_operator(close + 1);
        if length == 0 {
            return Ok(Subscript::Word(self.word_behind_subscript(start, close, first)?));
        }
        let word = self.finish_quoted(bracket + 1, inner);
        self.scratch.parts.truncate(first);
        let subscript = self.tree.add(word);
        self.cursor.pos = close + 1 + length;
        Ok(Subscript::Assigns { subscript, append: length == 2 })
    }

    /// Reads the rest of a word that began at `start`, behind its subscript, which is closed at `close`.
    fn word_behind_subscript(&mut self, start: usize, close: usize, first: usize) -> Read<Word> {
        self.cursor.pos = close + 1;
        let flags = WordFlags::GLOB.with(WordFlags::QUOTED);
        let flags = self.word_parts(start, close, flags, Ends::Break)?;
        Ok(self.finish_word(start, first, flags))
    }

    /// Reads the argument at the cursor where bash expects an assignment, and yet passes it to the command; `None` if it
    /// does not begin like one. Also returns whether it is one, so that another may follow.
    #[cold]
    pub(crate) fn assignment_argument(&mut self) -> Read<Option<(Word, bool)>> {
        let start = self.cursor.pos;
        let end = self.cursor.name_end(start);
        let is_element = self.cursor.at(end) == b'[';
        if end == start || !(is_element || self.assignment_operator(end) > 0) {
            return Ok(None);
        }
        if !is_element {
            let word = self.word()?;
            let array = if self.is_at_array() { self.array_argument(start)? } else { None };
            return Ok(Some((array.unwrap_or(word), true)));
        }
        let first = self.scratch.parts.len();
        self.literal(start, end + 1);
        self.cursor.pos = end + 1;
        self.grouped(b'[', b']', Construct::Subscript, end)?;
        let close = self.cursor.pos;
        let operator = self.assignment_operator(close + 1);
        let word = self.word_behind_subscript(start, close, first)?;
        // Bash reads a list for an element, and refuses it when it is run.
        let is_array = self.is_at_array() && self.cursor.pos == close + 1 + operator;
        let array = if is_array { self.array_word(start, end, false)? } else { None };
        Ok(Some((array.unwrap_or(word), operator > 0)))
    }

    /// Returns the length of the `=` or `+=` at `at`; 0 if there is none.
    #[inline]
    fn assignment_operator(&self, at: usize) -> usize {
        match (self.cursor.at(at), self.cursor.at(at + 1)) {
            (b'=', _) => 1,
            (b'+', b'=') => 2,
            _ => 0,
        }
    }

    /// Whether the parenthesis of an array may stand at the cursor.
    pub(crate) fn is_at_array(&self) -> bool {
        self.cursor.byte() == b'(' && self.cursor.at(self.cursor.pos - 1) == b'='
    }

    /// Reads the value at `value` of an assignment that began at `start`, whose name ends at `end`.
    fn assignment(
        &mut self,
        start: usize,
        end: usize,
        subscript: Option<Id<Word>>,
        append: bool,
        value: usize,
    ) -> Read<Leading> {
        self.cursor.pos = value;
        let name = self.cursor.span(start, end);
        let value = if self.cursor.byte() == b'(' { self.array()? } else { self.scalar()? };
        let span = self.cursor.span(start, self.cursor.pos);
        Ok(Leading::Assignment(Assignment { span, name, subscript, append, value }))
    }

    fn scalar(&mut self) -> Read<AssignedValue> {
        let word = self.word()?;
        Ok(AssignedValue::Word(self.tree.add(word)))
    }

    /// Reads the value `(…)` at the cursor. When text follows it without a break, bash takes all of it for a plain value.
    #[inline(never)]
    fn array(&mut self) -> Read<AssignedValue> {
        let start = self.cursor.pos;
        let elements = self.elements()?;
        if !self.cursor.is_word_start() {
            return Ok(AssignedValue::Array(elements));
        }
        let first = self.scratch.parts.len();
        self.scratch.parts.push(Part::Quoted(self.cursor.span(start, self.cursor.pos)));
        let flags = self.word_parts(start, self.cursor.pos, WordFlags::QUOTED, Ends::Break)?;
        let word = self.finish_word(start, first, flags);
        Ok(AssignedValue::Word(self.tree.add(word)))
    }

    /// Reads the elements of an array, from one parenthesis to behind the other.
    fn elements(&mut self) -> Read<Slice<Element>> {
        let start = self.cursor.pos;
        let first = self.scratch.elements.len();
        self.cursor.pos += 1;
        loop {
            self.skip_newlines();
            if self.cursor.byte() == b')' {
                self.cursor.pos += 1;
                return Ok(drain(&mut self.scratch.elements, first, self.tree));
            }
            if self.cursor.is_end() {
                return self.unterminated(Construct::Array, self.cursor.span(start, start + 1));
            }
            if !self.cursor.is_word_start() {
                return self.unexpected(SyntaxErrorKind::Unexpected);
            }
            let element = self.element()?;
            self.scratch.elements.push(element);
        }
    }

    fn element(&mut self) -> Read<Element> {
        let start = self.cursor.pos;
        if self.cursor.byte() == b'[' {
            let first = self.scratch.parts.len();
            match self.subscript(start, start, first)? {
                Subscript::Assigns { subscript, append } => {
                    let word = self.word()?;
                    return Ok(Element { subscript: Some(subscript), append, value: self.tree.add(word) });
                }
                Subscript::Word(word) => {
                    return Ok(Element { subscript: None, append: false, value: self.tree.add(word) });
                }
            }
        }
        let word = self.word()?;
        Ok(Element { subscript: None, append: false, value: self.tree.add(word) })
    }

    /// Reads on `name=(…)` as an argument of a declaration command; the cursor is at the parenthesis, the word so far
    /// began at `start`. `None`, with nothing moved, when that is no name and `=`.
    pub(crate) fn array_argument(&mut self, start: usize) -> Read<Option<Word>> {
        let end = self.cursor.name_end(start);
        let length = self.assignment_operator(end);
        if end == start || end + length != self.cursor.pos {
            return Ok(None);
        }
        self.array_word(start, end, length == 2)
    }

    /// Reads the array at the cursor, which is given to the name at `start..end`, as a word.
    fn array_word(&mut self, start: usize, end: usize, append: bool) -> Read<Option<Word>> {
        let leading = self.assignment(start, end, None, append, self.cursor.pos)?;
        let Leading::Assignment(assignment) = leading else {
            return Ok(None);
        };
        let id = self.tree.add(assignment);
        let part = self.tree.add(Part::Assignment(id));
        let flags = WordFlags::ASSIGNMENT;
        Ok(Some(Word { span: assignment.span, parts: Slice::new(part.index, part.index + 1), flags }))
    }
}

/// What stands at a bracket.
enum Subscript {
    Assigns { subscript: Id<Word>, append: bool },
    Word(Word),
}
