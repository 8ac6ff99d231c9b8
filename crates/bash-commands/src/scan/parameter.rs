//! `${…}`.

use crate::cursor::{DIGIT, LETTER, class};
use crate::issue::Construct;
use crate::parse::{Parser, Read};
use crate::scan::expansion::is_special;
use crate::scan::word::Ends;
use crate::syntax::{Id, Operator, Parameter, Part, Replace, Word, WordFlags};

impl Parser<'_, '_> {
    /// Reads `${…}`; `start` is the `$`, `pos` the brace.
    pub(crate) fn braced_parameter(&mut self, start: usize, pos: usize, quoted: bool) -> Read<()> {
        let inside = pos + 1;
        let end = self.parameter_end(inside);
        if self.cursor.at(end) == b'}' && end > inside {
            self.cursor.pos = end + 1;
            self.scratch.parts.push(Part::Variable { name: self.cursor.span(inside, end), quoted });
            return Ok(());
        }
        self.enter(start)?;
        self.cursor.pos = inside;
        let mut parameter = self.parameter(start, quoted)?;
        self.cursor.pos += 1;
        self.leave();
        parameter.span = self.cursor.span(start, self.cursor.pos);
        let id = self.tree.add(parameter);
        self.scratch.parts.push(Part::Parameter { id, quoted });
        Ok(())
    }

    /// Returns where the name, the digits or the special parameter at `pos` ends; `pos` if none is there.
    fn parameter_end(&self, pos: usize) -> usize {
        let byte = self.cursor.at(pos);
        match class(byte) {
            letter if letter & LETTER != 0 => self.cursor.name_end(pos),
            digit if digit & DIGIT != 0 => self.cursor.digits_end(pos),
            // What looks like `$$` is the beginning of an expansion, which bash skips before it finds it out of place.
            _ if byte == b'$' && matches!(self.cursor.at(pos + 1), b'{' | b'(' | b'[' | b'\'' | b'"') => pos,
            _ if is_special(byte) => pos + 1,
            _ => pos,
        }
    }

    /// Reads what stands between the braces, and leaves the cursor at the closing one.
    fn parameter(&mut self, start: usize, quoted: bool) -> Read<Parameter> {
        let mut parameter = Parameter::default();
        let inside = self.cursor.pos;
        let next = self.cursor.second();
        let names_follow = class(next) & (LETTER | DIGIT) != 0;
        match self.cursor.byte() {
            b'!' if names_follow || (is_special(next) && self.cursor.at(inside + 2) == b'}') => {
                parameter.indirect = true;
                self.cursor.pos += 1;
            }
            b'#' if names_follow || (is_special(next) && self.cursor.at(inside + 2) == b'}') => {
                parameter.operator = Operator::Length;
                self.cursor.pos += 1;
            }
            _ => {}
        }
        let name = self.cursor.pos;
        let end = self.parameter_end(name);
        parameter.name = self.cursor.span(name, end);
        self.cursor.pos = end;
        if end == name {
            return self.bad_parameter(parameter, start, quoted);
        }
        if self.cursor.byte() == b'[' && class(self.cursor.at(name)) & LETTER != 0 {
            let Some(subscript) = self.parameter_subscript()? else {
                return self.bad_parameter(parameter, start, quoted);
            };
            parameter.subscript = Some(subscript);
        }
        if self.cursor.byte() == b'}' {
            if parameter.indirect && self.is_whole_array(parameter.subscript) {
                parameter.operator = Operator::Keys;
            }
            return Ok(parameter);
        }
        if parameter.operator == Operator::Length {
            return self.bad_parameter(parameter, start, quoted);
        }
        self.operator(parameter, start, quoted)
    }

    /// Returns whether a subscript is `@` or `*`.
    fn is_whole_array(&self, subscript: Option<Id<Word>>) -> bool {
        subscript.is_some_and(|id| {
            let span = self.tree.get(id).span;
            let start = (span.start - self.cursor.base) as usize;
            span.len() == 1 && matches!(self.cursor.at(start), b'@' | b'*')
        })
    }

    /// Reads the subscript whose bracket is at the cursor, and moves behind it. `None` when the brace closes first, which
    /// bash finds out only when it runs the text.
    fn parameter_subscript(&mut self) -> Read<Option<Id<Word>>> {
        let bracket = self.cursor.pos;
        let first = self.scratch.parts.len();
        self.cursor.pos += 1;
        self.grouped_or(b'[', b']', b'}', &mut 0, Construct::Subscript, bracket)?;
        let word = self.finish_quoted(bracket + 1, first);
        if self.cursor.byte() == b'}' {
            return Ok(None);
        }
        self.cursor.pos += 1;
        Ok(Some(self.tree.add(word)))
    }

    /// Reads the operator at the cursor and its operands.
    fn operator(&mut self, mut parameter: Parameter, start: usize, quoted: bool) -> Read<Parameter> {
        let first = self.cursor.byte();
        let second = self.cursor.second();
        let twice = first == second;
        let pattern = Ends::Brace;
        match first {
            b':' if matches!(second, b'-' | b'=' | b'?' | b'+') => {
                self.cursor.pos += 2;
                parameter.operator = default_operator(second, true);
                parameter.operand = Some(self.alternative(start, quoted)?);
            }
            b'-' | b'=' | b'?' | b'+' => {
                self.cursor.pos += 1;
                parameter.operator = default_operator(first, false);
                parameter.operand = Some(self.alternative(start, quoted)?);
            }
            b':' => {
                self.cursor.pos += 1;
                parameter.operator = Operator::Substring;
                parameter.operand = Some(self.operand(start, Ends::BraceOr(b':'))?);
                if self.cursor.byte() == b':' {
                    self.cursor.pos += 1;
                    parameter.second = Some(self.operand(start, Ends::Brace)?);
                }
            }
            b'/' => {
                let (which, length) = match second {
                    b'/' => (Replace::All, 2),
                    b'#' => (Replace::Prefix, 2),
                    b'%' => (Replace::Suffix, 2),
                    _ => (Replace::First, 1),
                };
                self.cursor.pos += length;
                parameter.operator = Operator::Replace(which);
                parameter.operand = Some(self.replaced(start, which)?);
                if self.cursor.byte() == b'/' {
                    self.cursor.pos += 1;
                    parameter.second = Some(self.operand(start, Ends::Brace)?);
                }
            }
            b'#' | b'%' | b'^' | b',' | b'~' => {
                self.cursor.pos += if twice { 2 } else { 1 };
                parameter.operator = match first {
                    b'#' => Operator::RemovePrefix { longest: twice },
                    b'%' => Operator::RemoveSuffix { longest: twice },
                    b'^' => Operator::Upper { all: twice },
                    b',' => Operator::Lower { all: twice },
                    _ => Operator::Toggle { all: twice },
                };
                parameter.operand = Some(self.operand(start, pattern)?);
            }
            b'@' | b'*' if second == b'}' && parameter.indirect && parameter.subscript.is_none() => {
                self.cursor.pos += 1;
                parameter.indirect = false;
                parameter.operator = Operator::Names { at: first == b'@' };
            }
            b'@' if is_transformation(second) && self.cursor.at(self.cursor.pos + 2) == b'}' => {
                self.cursor.pos += 2;
                parameter.operator = Operator::Transform(second);
            }
            _ => return self.bad_parameter(parameter, start, quoted),
        }
        Ok(parameter)
    }

    /// Reads the operand of `-`, `=`, `?` or `+`: double-quoted text inside double quotes.
    fn alternative(&mut self, start: usize, quoted: bool) -> Read<Id<Word>> {
        if !quoted {
            return self.operand(start, Ends::Brace);
        }
        let from = self.cursor.pos;
        let first = self.scratch.parts.len();
        self.grouped(b'}', b'}', Construct::Parameter, start)?;
        let word = self.finish_quoted(from, first);
        Ok(self.tree.add(word))
    }

    /// Reads an operand that has its own quoting.
    fn operand(&mut self, start: usize, ends: Ends) -> Read<Id<Word>> {
        let word = self.word_until(ends)?;
        self.closed_operand(start, word)
    }

    /// Puts an operand in the tree, unless the text ended before its brace.
    fn closed_operand(&mut self, start: usize, word: Word) -> Read<Id<Word>> {
        if self.cursor.is_end() {
            return self.runs_to_end(Construct::Parameter, start, 2);
        }
        Ok(self.tree.add(word))
    }

    /// Reads the pattern of a replacement. Behind `//` it may begin with a `/`, which does not end it there.
    fn replaced(&mut self, start: usize, which: Replace) -> Read<Id<Word>> {
        let from = self.cursor.pos;
        let first = self.scratch.parts.len();
        if which == Replace::All && self.cursor.byte() == b'/' {
            self.cursor.pos += 1;
        }
        let flags = self.word_parts(from, from, WordFlags::default(), Ends::BraceOr(b'/'))?;
        let word = self.finish_word(from, first, flags);
        self.closed_operand(start, word)
    }

    /// Reads on to the brace that closes what bash calls a bad substitution when it is run.
    fn bad_parameter(&mut self, mut parameter: Parameter, start: usize, quoted: bool) -> Read<Parameter> {
        let first = self.scratch.parts.len();
        if quoted {
            self.grouped(b'}', b'}', Construct::Parameter, start)?;
        } else {
            self.operand(start, Ends::Brace)?;
        }
        self.scratch.parts.truncate(first);
        parameter.operator = Operator::Bad;
        Ok(parameter)
    }
}

fn default_operator(byte: u8, colon: bool) -> Operator {
    match byte {
        b'-' => Operator::Default { colon },
        b'=' => Operator::Assign { colon },
        b'?' => Operator::Error { colon },
        _ => Operator::Alternative { colon },
    }
}

fn is_transformation(letter: u8) -> bool {
    matches!(letter, b'Q' | b'E' | b'P' | b'A' | b'a' | b'K' | b'k' | b'u' | b'U' | b'L')
}
