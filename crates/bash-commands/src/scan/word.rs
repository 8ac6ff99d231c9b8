//! Words: a run of literal text, or parts of several kinds side by side.

use crate::cursor::{ACTIVE, BREAK, END, NOTE, QUOTE, class};
use crate::issue::Construct;
use crate::parse::{Parser, Read, drain};
use crate::syntax::{Id, Part, Slice, Word, WordFlags};

/// Where an unquoted word ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ends {
    /// Before a blank, a line end or a metacharacter.
    Break,
    /// The same, with extended globs read whatever the options say: the right side of `==` inside `[[ ]]`.
    Pattern,
    /// The same, but `|` and text in parentheses belong to the word: the right side of `=~`.
    Regex,
    /// Before `}`: an operand of `${…}`.
    Brace,
    /// Before `}` or this byte: the first of two operands.
    BraceOr(u8),
    /// At the end of the text.
    Text,
}

impl Ends {
    fn is_operand(self) -> bool {
        matches!(self, Self::Brace | Self::BraceOr(_) | Self::Text)
    }
}

impl Parser<'_, '_> {
    /// Reads the word at the cursor, which leaves it where the word ends. At a break, the word is empty.
    pub(crate) fn word(&mut self) -> Read<Word> {
        let start = self.cursor.pos;
        let (end, byte) = self.cursor.find_with_byte(start, BREAK | QUOTE | NOTE);
        if class(byte) & END != 0 {
            self.cursor.pos = end;
            let span = self.cursor.span(start, end);
            return Ok(Word { span, parts: Slice::EMPTY, flags: WordFlags::LITERAL });
        }
        if end == start && class(byte) & QUOTE != 0 { self.quoted_word(byte) } else { self.word_behind(end) }
    }

    /// Does the same for a word that begins with the byte `first` of class [`QUOTE`].
    #[inline]
    pub(crate) fn quoted_word(&mut self, first: u8) -> Read<Word> {
        let start = self.cursor.pos;
        let Some(flags) = self.lone_part(first) else {
            return self.word_until(Ends::Break);
        };
        let parts = self.tree.parts.len() as u32;
        Ok(Word {
            span: self.cursor.span(start, self.cursor.pos),
            parts: Slice::new(parts - 1, parts),
            flags,
        })
    }

    /// Does the same for a word that has nothing special in it before `pos`.
    pub(crate) fn word_behind(&mut self, pos: usize) -> Read<Word> {
        let start = self.cursor.pos;
        let mut pos = pos;
        let mut flags = WordFlags::default();
        loop {
            let byte;
            (pos, byte) = self.cursor.find_with_byte(pos, BREAK | QUOTE | NOTE);
            let class = class(byte);
            if class & END != 0 {
                break;
            } else if class & NOTE != 0 {
                flags = flags.with(self.note(start, start, pos, byte));
                pos += 1;
            } else if class & QUOTE != 0 {
                return self.word_of_parts(start, pos, flags, Ends::Break);
            } else if self.cursor.is_word_end(pos) {
                if byte == b'(' && self.is_pattern_opener(start, pos, Ends::Break) {
                    return self.word_of_parts(start, pos, flags, Ends::Break);
                }
                break;
            } else if byte == b'<' || byte == b'>' {
                return self.word_of_parts(start, pos, flags, Ends::Break);
            } else {
                pos += 1;
            }
        }
        self.cursor.pos = pos;
        let span = self.cursor.span(start, pos);
        if flags.has(WordFlags(WordFlags::GLOB.0 | WordFlags::BRACE.0 | WordFlags::TILDE.0)) {
            // The command `[` is no pattern: nothing closes its bracket.
            if self.cursor.text(start, pos) == b"[" {
                return Ok(Word { span, parts: Slice::default(), flags: WordFlags::LITERAL });
            }
            let id = self.tree.add(Part::Literal(span));
            let flags = flags.with(self.subscript_assignment(start, flags));
            return Ok(Word { span, parts: Slice::new(id.index, id.index + 1), flags });
        }
        Ok(Word { span, parts: Slice::default(), flags: flags.with(WordFlags::LITERAL) })
    }

    /// Returns whether an unquoted word that has come to `pos` ends there, and nothing special begins.
    #[inline]
    pub(crate) fn ends_plainly(&self, pos: usize) -> bool {
        class(self.cursor.at(pos)) & END != 0 || pos >= self.cursor.bytes.len()
    }

    /// Reads the word at the cursor, which begins with the quote or dollar `first`, if it is one quotation with nothing
    /// active in it, or one parameter, quoted or not: most words that begin so. Adds its only part, and returns its flags.
    fn lone_part(&mut self, first: u8) -> Option<WordFlags> {
        let start = self.cursor.pos;
        let inside = start + 1;
        let (part, end, flags) = match first {
            b'\'' => {
                let close = self.cursor.find_byte(inside, b'\'')?;
                (Part::Quoted(self.cursor.span(inside, close)), close + 1, WordFlags::QUOTED)
            }
            b'"' if self.cursor.at(inside) == b'$' => {
                let (name, end) = self.plain_parameter(inside)?;
                if self.cursor.at(end) != b'"' {
                    return None;
                }
                let flags = WordFlags::QUOTED.with(WordFlags::EXPANDS);
                (Part::Variable { name, quoted: true }, end + 1, flags)
            }
            b'"' => {
                let (close, byte) = self.cursor.find_with_byte(inside, ACTIVE);
                if byte != b'"' {
                    return None;
                }
                (Part::Quoted(self.cursor.span(inside, close)), close + 1, WordFlags::QUOTED)
            }
            b'$' => {
                let (name, end) = self.plain_parameter(start)?;
                (Part::Variable { name, quoted: false }, end, WordFlags::EXPANDS)
            }
            _ => return None,
        };
        if !self.ends_plainly(end) {
            return None;
        }
        self.cursor.pos = end;
        self.tree.add(part);
        Some(flags)
    }

    /// Reads the word at the cursor that ends as `ends` says.
    pub(crate) fn word_until(&mut self, ends: Ends) -> Read<Word> {
        let start = self.cursor.pos;
        self.word_of_parts(start, start, WordFlags::default(), ends)
    }

    /// Reads everything as one word.
    pub(crate) fn whole_word(&mut self) -> Read<Id<Word>> {
        let word = self.word_until(Ends::Text)?;
        Ok(self.tree.add(word))
    }

    /// Reads on a word that began at `start` and is literal up to `pos`.
    fn word_of_parts(&mut self, start: usize, pos: usize, flags: WordFlags, ends: Ends) -> Read<Word> {
        let first = self.scratch.parts.len();
        self.cursor.pos = pos;
        let flags = self.word_parts(start, start, flags, ends)?;
        Ok(self.finish_word(start, first, flags))
    }

    /// Takes the parts from `first` on off the stack, and makes a word of them that began at `start`.
    pub(crate) fn finish_word(&mut self, start: usize, first: usize, flags: WordFlags) -> Word {
        let span = self.cursor.span(start, self.cursor.pos);
        if !flags.has(WordFlags(WordFlags::QUOTED.0 | WordFlags::EXPANDS.0)) {
            let is_literal = match self.scratch.parts.as_slice().get(first..) {
                None | Some([]) => span.is_empty(),
                Some(&[Part::Literal(part)]) => {
                    part == span
                        && !flags.has(WordFlags(WordFlags::GLOB.0 | WordFlags::BRACE.0 | WordFlags::TILDE.0))
                }
                Some(_) => false,
            };
            if is_literal {
                self.scratch.parts.truncate(first);
                return Word { span, parts: Slice::default(), flags: flags.with(WordFlags::LITERAL) };
            }
        }
        let parts = drain(&mut self.scratch.parts, first, self.tree);
        let flags = flags.with(self.subscript_assignment(start, flags));
        Word { span, parts, flags }
    }

    /// Reads parts onto the stack until the word ends.
    ///
    /// The word began at `start`; from `run` to the cursor stands unquoted text that is in no part yet, with nothing in
    /// it that is special.
    pub(crate) fn word_parts(
        &mut self,
        start: usize,
        run: usize,
        flags: WordFlags,
        ends: Ends,
    ) -> Read<WordFlags> {
        let mut run = run;
        let mut flags = flags;
        // Open parentheses of extended globs and of regular expressions, where nothing ends the word.
        let mut parens = 0_u32;
        let mut outer_paren = start;
        loop {
            let (pos, byte) = if ends.is_operand() {
                (self.cursor.pos, self.cursor.byte())
            } else {
                self.cursor.find_with_byte(self.cursor.pos, BREAK | QUOTE | NOTE)
            };
            self.cursor.pos = pos;
            if ends == Ends::Break && parens == 0 && class(byte) & END != 0 {
                // Here most words end.
                break;
            }
            match byte {
                b'\'' | b'"' | b'`' | b'\\' | b'$' => {
                    if let Some(more) = self.quotation(start, run, byte)? {
                        flags = flags.with(more);
                        run = self.cursor.pos;
                    }
                    continue;
                }
                b'<' | b'>'
                    if self.cursor.at(pos + 1) == b'(' && ends != Ends::Text && self.opens_process(run) =>
                {
                    self.literal(run, pos);
                    self.process_substitution()?;
                    flags = flags.with(WordFlags::EXPANDS);
                    run = self.cursor.pos;
                    continue;
                }
                b'(' if parens > 0 => parens += 1,
                b'(' if ends == Ends::Regex || self.is_pattern_opener(run, pos, ends) => {
                    flags = flags.with(WordFlags::GLOB);
                    parens = 1;
                    outer_paren = pos;
                }
                b')' if parens > 0 => parens -= 1,
                b'|' if ends == Ends::Regex => {}
                b'}' if matches!(ends, Ends::Brace | Ends::BraceOr(_)) && parens == 0 => break,
                _ if ends == Ends::BraceOr(byte) && parens == 0 => break,
                0 if pos >= self.cursor.bytes.len() => {
                    if parens > 0 {
                        return self.runs_to_end(Construct::Pattern, outer_paren, 1);
                    }
                    break;
                }
                _ => {
                    let class = class(byte);
                    if class & NOTE != 0 {
                        flags = flags.with(self.note(start, run, pos, byte));
                    } else if class & BREAK != 0
                        && parens == 0
                        && !ends.is_operand()
                        && self.cursor.is_word_end(pos)
                    {
                        break;
                    }
                }
            }
            self.cursor.pos = pos + 1;
        }
        self.literal(run, self.cursor.pos);
        Ok(flags)
    }

    /// Reads the quotation or expansion that begins with `byte` at the cursor, after it has put the literal text from
    /// `run` on the stack. `None`, with the cursor moved on, when the byte stands for itself.
    fn quotation(&mut self, start: usize, run: usize, byte: u8) -> Read<Option<WordFlags>> {
        let pos = self.cursor.pos;
        match byte {
            b'\'' => {
                self.literal(run, pos);
                self.single_quotes()?;
                Ok(Some(WordFlags::QUOTED))
            }
            b'"' => {
                self.literal(run, pos);
                self.double_quotes(pos)
            }
            b'`' => {
                self.literal(run, pos);
                self.backquotes(false)?;
                Ok(Some(WordFlags::EXPANDS))
            }
            b'\\' => {
                self.literal(run, pos);
                if self.cursor.is_continuation(pos) {
                    self.pass_continuation();
                    // A word is unquoted as long as only lines were joined in it.
                    return Ok(Some(WordFlags::default()));
                }
                let length = self.cursor.character(pos + 1);
                // A backslash at the end of the text stands for itself.
                let from = if length == 0 { pos } else { pos + 1 };
                self.cursor.pos = pos + 1 + length;
                self.scratch.parts.push(Part::Quoted(self.cursor.span(from, self.cursor.pos)));
                Ok(Some(WordFlags::QUOTED))
            }
            _ => {
                let _ = start;
                self.unquoted_dollar(run)
            }
        }
    }

    /// Puts the unquoted text from `run` to `pos` on the stack, if there is any.
    #[inline]
    pub(crate) fn literal(&mut self, run: usize, pos: usize) {
        if run < pos {
            self.scratch.parts.push(Part::Literal(self.cursor.span(run, pos)));
        }
    }

    /// Returns what a byte of class [`NOTE`] tells of the word that began at `start`, in unquoted text from `run` on.
    #[inline]
    fn note(&self, start: usize, run: usize, pos: usize, byte: u8) -> WordFlags {
        match byte {
            b'{' => WordFlags::BRACE,
            b'~' => {
                let behind = pos > run && matches!(self.cursor.at(pos - 1), b'=' | b':');
                if pos == start || behind { WordFlags::TILDE } else { WordFlags::default() }
            }
            b'=' => {
                let name = self.cursor.name_end(start);
                let plain = name == pos || (name + 1 == pos && self.cursor.at(name) == b'+');
                if run == start && name > start && plain {
                    WordFlags::ASSIGNMENT
                } else {
                    WordFlags::default()
                }
            }
            _ => WordFlags::GLOB,
        }
    }

    /// Returns whether the `(` at `pos` belongs to an extended glob, in unquoted text from `run` on.
    #[inline]
    fn is_pattern_opener(&self, run: usize, pos: usize, ends: Ends) -> bool {
        (self.options.extglob || ends == Ends::Pattern)
            && pos > run
            && !matches!(ends, Ends::Brace | Ends::BraceOr(_))
            && matches!(self.cursor.at(pos - 1), b'?' | b'*' | b'+' | b'@' | b'!')
    }

    /// Returns [`WordFlags::ASSIGNMENT`] when the finished word that began at `start` begins with `name[…]=`.
    fn subscript_assignment(&self, start: usize, flags: WordFlags) -> WordFlags {
        if !flags.has(WordFlags::GLOB) || flags.has(WordFlags::ASSIGNMENT) {
            return WordFlags::default();
        }
        let name = self.cursor.name_end(start);
        if name == start || self.cursor.at(name) != b'[' {
            return WordFlags::default();
        }
        let word = self.cursor.text(name, self.cursor.pos);
        let assigns =
            word.windows(2).any(|pair| pair == b"]=") || word.windows(3).any(|triple| triple == b"]+=");
        if assigns { WordFlags::ASSIGNMENT } else { WordFlags::default() }
    }
}
