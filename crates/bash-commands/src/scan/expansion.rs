//! What begins with `$`, a backquote, `<(` or `>(`.

use crate::cursor::{DIGIT, LETTER, class};
use crate::issue::{Construct, SyntaxErrorKind};
use crate::parse::{List, Parser, Read};
use crate::span::Span;
use crate::syntax::{Item, Part, Slice, Substitution, SubstitutionForm, WordFlags};

/// Returns whether `byte` is the name of a special parameter.
#[inline]
pub(crate) fn is_special(byte: u8) -> bool {
    matches!(byte, b'@' | b'*' | b'#' | b'?' | b'-' | b'$' | b'!')
}

/// Returns whether `byte`, behind a dollar, begins the name of a parameter.
#[inline]
fn begins_parameter(byte: u8) -> bool {
    class(byte) & (LETTER | DIGIT) != 0 || is_special(byte)
}

impl Parser<'_, '_> {
    /// Returns whether the `$` at the cursor begins an expansion, inside double quotes or outside.
    #[inline]
    pub(crate) fn is_expansion(&self) -> bool {
        let next = self.cursor.second();
        begins_parameter(next) || matches!(next, b'(' | b'{' | b'[')
    }

    /// Reads the `$…` at the cursor outside quotes, after it has put the literal text from `run` on the stack. `None`,
    /// with the cursor moved on, when the dollar stands for itself.
    pub(crate) fn unquoted_dollar(&mut self, run: usize) -> Read<Option<WordFlags>> {
        let pos = self.cursor.pos;
        match self.cursor.second() {
            b'\'' => {
                self.literal(run, pos);
                self.cursor.pos = pos + 1;
                self.ansi_c_quotes(pos)?;
                Ok(Some(WordFlags::QUOTED))
            }
            b'"' => {
                self.literal(run, pos);
                self.cursor.pos = pos + 1;
                self.double_quotes(pos)
            }
            _ if self.is_expansion() => {
                self.literal(run, pos);
                self.dollar(false)?;
                Ok(Some(WordFlags::EXPANDS))
            }
            _ => {
                self.cursor.pos = pos + 1;
                Ok(None)
            }
        }
    }

    /// Reads the expansion at the cursor, which is at its `$`, and puts its part on the stack.
    pub(crate) fn dollar(&mut self, quoted: bool) -> Read<()> {
        let start = self.cursor.pos;
        let pos = start + 1;
        let next = self.cursor.at(pos);
        let end = match next {
            b'{' => return self.braced_parameter(start, pos, quoted),
            b'(' if self.cursor.at(pos + 1) == b'(' => return self.dollar_parentheses(start, pos, quoted),
            b'(' => {
                let id = self.dollar_command(start, pos)?;
                self.scratch.parts.push(Part::Command { id, quoted });
                return Ok(());
            }
            b'[' => return self.dollar_brackets(start, pos, quoted),
            _ => self.bare_parameter_end(pos),
        };
        self.cursor.pos = end;
        self.scratch.parts.push(Part::Variable { name: self.cursor.span(pos, end), quoted });
        Ok(())
    }

    /// Returns the name of the parameter whose `$` stands at `pos`, and where it ends. `None` if no name follows.
    #[inline]
    pub(crate) fn plain_parameter(&self, pos: usize) -> Option<(Span, usize)> {
        let name = pos + 1;
        begins_parameter(self.cursor.at(name)).then(|| {
            let end = self.bare_parameter_end(name);
            (self.cursor.span(name, end), end)
        })
    }

    /// Returns where the name of the parameter at `name`, without braces, ends: only one that begins with a letter has more than one byte.
    #[inline]
    fn bare_parameter_end(&self, name: usize) -> usize {
        if class(self.cursor.at(name)) & LETTER != 0 { self.cursor.name_end(name) } else { name + 1 }
    }

    /// Reads `$(…)`; `start` is its `$`, `pos` its parenthesis.
    fn dollar_command(&mut self, start: usize, pos: usize) -> Read<crate::syntax::Id<Substitution>> {
        self.cursor.pos = pos + 1;
        let body = self.substitution(Construct::CommandSubstitution, start)?;
        let text = self.cursor.span(pos + 1, self.cursor.pos - 1);
        let span = self.cursor.span(start, self.cursor.pos);
        Ok(self.tree.add(Substitution { span, form: SubstitutionForm::Dollar, text, body }))
    }

    /// Reads commands up to the closing parenthesis, and moves over it. `start` is where the substitution begins.
    pub(crate) fn substitution(&mut self, construct: Construct, start: usize) -> Read<Slice<Item>> {
        self.enter(start)?;
        let outer_pending = core::mem::replace(&mut self.first_pending, self.scratch.pending.len());
        let outer_heredocs = core::mem::take(&mut self.heredocs);
        let outer_in = core::mem::replace(&mut self.in_substitution, true);
        self.skip_blanks();
        self.substitution_start = self.cursor.pos;
        let body = self.list()?;
        if self.cursor.byte() != b')' {
            let opened = self.cursor.span(start, start + 2);
            if self.cursor.is_end() {
                return self.unterminated(construct, opened);
            }
            return self.unexpected(if body.is_empty() {
                SyntaxErrorKind::MissingCommand
            } else {
                SyntaxErrorKind::Unexpected
            });
        }
        self.cursor.pos += 1;
        // Bodies that have not come yet follow the line that closes the substitution, before those of the outer commands.
        // Only the outer command's own ones move, at most sixteen: those of earlier substitutions stand first anyway.
        let own = (outer_heredocs as usize).min(self.first_pending - outer_pending);
        if let Some(waiting) = self.scratch.pending.as_mut_slice().get_mut(self.first_pending - own..) {
            waiting.rotate_left(own);
        }
        self.first_pending = outer_pending;
        self.heredocs = outer_heredocs;
        self.in_substitution = outer_in;
        self.leave();
        Ok(body)
    }

    /// Reads the process substitution at the cursor, and puts its part on the stack.
    pub(crate) fn process_substitution(&mut self) -> Read<()> {
        let start = self.cursor.pos;
        let form = if self.cursor.byte() == b'<' {
            SubstitutionForm::ProcessIn
        } else {
            SubstitutionForm::ProcessOut
        };
        self.cursor.pos = start + 2;
        let body = if self.cursor.byte() == b'(' {
            self.parenthesised_commands(start, start + 1)?
        } else {
            self.substitution(Construct::ProcessSubstitution, start)?
        };
        let text = self.cursor.span(start + 2, self.cursor.pos - 1);
        let span = self.cursor.span(start, self.cursor.pos);
        let id = self.tree.add(Substitution { span, form, text, body });
        self.scratch.parts.push(Part::Process { id });
        Ok(())
    }

    /// Reads the backquoted command at the cursor as raw text, and puts its part on the stack.
    pub(crate) fn backquotes(&mut self, in_double_quotes: bool) -> Read<()> {
        let start = self.cursor.pos;
        let mut pos = start + 1;
        loop {
            let rest = self.cursor.bytes.get(pos..).unwrap_or(&[]);
            let Some(offset) = rest.iter().position(|&byte| byte == b'`' || byte == b'\\') else {
                return self.runs_to_end(Construct::Backquotes, start, 1);
            };
            pos += offset;
            if self.cursor.at(pos) == b'`' {
                break;
            }
            if self.cursor.is_continuation(pos) {
                // Bash takes it out whatever quotes are around it in the command.
                self.note_joint(pos);
            }
            pos += 2;
        }
        self.cursor.pos = pos + 1;
        let id = self.tree.add(Substitution {
            span: self.cursor.span(start, pos + 1),
            form: SubstitutionForm::Backquote { in_double_quotes },
            text: self.cursor.span(start + 1, pos),
            body: Slice::default(),
        });
        self.scratch.parts.push(Part::Command { id, quoted: in_double_quotes });
        Ok(())
    }

    /// Reads what bash runs as commands without having read it before: `$((…) …)` and `<((…) …)`, where it looks for
    /// the closing parenthesis by the rules of arithmetic, and finds mistakes when the commands are run. `start` is
    /// where the substitution begins, `pos` its first parenthesis. Gives the lines before the first mistake.
    pub(crate) fn parenthesised_commands(&mut self, start: usize, pos: usize) -> Read<Slice<Item>> {
        let key = self.cursor.base + pos as u32;
        let close = if let Some(&close) = self.scratch.not_arithmetic.get(&key) {
            (close - self.cursor.base) as usize
        } else {
            let attempt = self.begin_attempt();
            self.cursor.pos = pos + 1;
            self.enter(start)?;
            self.grouped(b'(', b')', Construct::CommandSubstitution, start)?;
            self.leave();
            self.drop_attempt(attempt);
            self.cursor.pos
        };
        self.commands_between(start, pos + 1, close)
    }

    /// Reads the commands from `from` to `close`, where a parenthesis stands, and moves over that.
    pub(crate) fn commands_between(&mut self, start: usize, from: usize, close: usize) -> Read<Slice<Item>> {
        self.enter(start)?;
        self.scratch
            .not_arithmetic
            .insert(self.cursor.base + from as u32 - 1, self.cursor.base + close as u32);
        let bytes = self.cursor.bytes;
        let mut items = List::begin(self.tree);
        let first_pending = core::mem::replace(&mut self.first_pending, self.scratch.pending.len());
        self.cursor.bytes = self.cursor.text(0, close);
        self.cursor.pos = from;
        let depth = self.depth();
        loop {
            let tree = self.tree.mark();
            let scratch = self.scratch.mark();
            let in_substitution = self.in_substitution;
            match self.line() {
                Ok(None) => break,
                Ok(Some(line)) => {
                    for id in line.ids() {
                        let item = self.tree.get(id);
                        items.push(item, &mut self.scratch.items, self.tree);
                    }
                }
                Err(stop) => {
                    if !self.forgive() {
                        return Err(stop);
                    }
                    self.tree.truncate(&tree);
                    self.scratch.truncate(scratch);
                    self.set_depth(depth);
                    self.in_substitution = in_substitution;
                    self.first_pending = self.scratch.pending.len();
                    break;
                }
            }
        }
        self.first_pending = first_pending;
        self.cursor.bytes = bytes;
        self.cursor.pos = close + 1;
        self.leave();
        Ok(items.finish(&mut self.scratch.items, self.tree))
    }
}
