//! Expansion of words into fields, texts and patterns.
//!
//! Text under construction is held in *pattern form*: characters that were quoted and would mean something in a pattern
//! stand behind a backslash. At the end of a field it is known whether any active pattern character is left, and the
//! backslashes are taken off unless there is one.

use crate::brace::{self, Expanded};
use crate::cursor::{BREAK, NOTE, QUOTE, class};
use crate::evaluate::Evaluator;
use crate::parameter::Subject;
use crate::parse::{read_quoted, read_word};
use crate::pattern;
use crate::report::{Field, FieldKind, Reason};
use crate::span::Span;
use crate::state::{Failure, option};
use crate::store::{HOLE, HOLE_TEXT};
use crate::syntax::{Id, Part, Slice, Word, WordFlags};
use alloc::string::String;

/// How many words a brace expansion may give.
const MAX_BRACE_WORDS: usize = 4096;

/// How long a word may grow of which only parts are known, in bytes.
const MAX_PARTLY_KNOWN_WORD: usize = 1024;

/// What an expansion is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Arguments: split into fields, patterns noted.
    Fields,
    /// One text, quotes removed: the right side of an assignment, a `case` subject, a redirection's target.
    Text,
    /// A pattern: quoted characters behind backslashes.
    Pattern,
    /// A regular expression: quoted characters made literal.
    Regex,
    /// The replacement of `${x/pattern/replacement}`: `&` stands for the match unless quoted.
    Replacement,
}

/// How the value of `IFS` splits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ifs {
    Default,
    Custom(Span),
    Unknown,
}

/// Why the last field of an expansion ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ended {
    No,
    Blank,
    Mark,
}

/// A word under construction, at the top of the evaluator's `scratch`.
#[expect(clippy::struct_excessive_bools, reason = "independent facts about the field so far")]
#[derive(Debug)]
pub(crate) struct Builder {
    pub(crate) purpose: Purpose,
    /// The word, for what its fields show.
    word: Span,
    /// Where the field under construction begins in `scratch`.
    start: usize,
    /// Where its fields begin in `work`.
    base: usize,
    /// Something in the word may make it a pattern. Otherwise its text is held as it is.
    may_be_pattern: bool,
    /// The field has content, or quotes that make it one without.
    pending: bool,
    glob: bool,
    escaped: bool,
    hole: Option<Reason>,
    pub(crate) splice: bool,
    ended: Ended,
    /// Inside the operand of an expansion, literal text is split too.
    in_operand: bool,
    ifs: Ifs,
}

/// What a part of a word stands for.
struct PartValue {
    subject: Subject,
    quoted: bool,
    /// Why it is not known, if it is not.
    reason: Reason,
}

impl Part {
    /// Returns whether it is an expansion that stands for a value, whatever stands around it.
    fn is_value(self) -> bool {
        matches!(self, Self::Variable { .. } | Self::Command { .. } | Self::Arithmetic { .. })
    }
}

/// Bytes that may mean something in a pattern (1), and those that make one by themselves (3).
#[expect(clippy::indexing_slicing, reason = "evaluated when it is compiled")]
const PATTERN_BYTES: [u8; 256] = {
    let mut table = [0; 256];
    let special = b"*?[]\\!^-()|+@";
    let mut at = 0;
    while at < special.len() {
        table[special[at] as usize] = if at < 3 { 3 } else { 1 };
        at += 1;
    }
    table
};

fn pattern_bits(text: &str) -> u8 {
    text.bytes().fold(0, |bits, byte| bits | PATTERN_BYTES.get(byte as usize).copied().unwrap_or(0))
}

/// Returns whether a value gives one field, the same as when it is quoted: it has no blank to split at, and nothing that
/// means something in a pattern.
fn is_one_field(text: &[u8]) -> bool {
    let is_plain = |byte: &u8| !matches!(byte, b' ' | b'\t' | b'\n' | b'*' | b'?' | b'[' | b'\\' | b'(');
    !text.is_empty() && text.iter().all(is_plain)
}

/// Returns whether unquoted text is a word that stands for itself.
fn is_literal(text: &str) -> bool {
    text.bytes().all(|byte| class(byte) & (BREAK | QUOTE | NOTE) == 0)
}

fn needs_escape(text: &str) -> bool {
    pattern_bits(text) != 0
}

fn has_glob_byte(text: &str) -> bool {
    pattern_bits(text) & 2 != 0
}

/// Lists such as `PATH=$HOME/bin:$PATH` grow without end, in loops with every turn. When a long text that is not known as
/// a whole is one word, so no code, only its beginning is kept: up to the last hole of its first
/// [`MAX_PARTLY_KNOWN_WORD`] bytes, or else up to its first hole; a hole may be anything.
fn bounded(text: &str) -> &str {
    // No early end: most have no blank, and so the bytes are looked at many at a time.
    let has_blank = |text: &str| text.bytes().fold(false, |has, byte| has | byte.is_ascii_whitespace());
    if text.len() <= MAX_PARTLY_KNOWN_WORD || has_blank(text) {
        return text;
    }
    let head = text.get(..text.floor_char_boundary(MAX_PARTLY_KNOWN_WORD)).unwrap_or(text);
    let end = head.rfind(HOLE).or_else(|| text.find(HOLE)).map(|at| at + HOLE.len_utf8());
    end.and_then(|end| text.get(..end)).unwrap_or(text)
}

impl Evaluator<'_> {
    /// Expands one argument word; its fields are pushed on `work`.
    #[inline]
    pub(crate) fn expand_word(&mut self, id: Id<Word>) {
        let word = self.tree.get(id);
        if word.flags.has(WordFlags::LITERAL) {
            let field = self.verbatim_field(word.span, word.span, true);
            self.work.push(field);
            return;
        }
        self.expand_complex(word);
    }

    /// A field whose value stands in the store as it is. In a text that was made from something unknown it may have
    /// holes: unquoted, they may be any number of words.
    #[inline]
    pub(crate) fn verbatim_field(&mut self, value: Span, word: Span, splice: bool) -> Field {
        let source = self.source_span(word);
        if self.store.has_hole(value) {
            return Field {
                value,
                shown: source,
                source,
                kind: FieldKind::Unknown(Reason::Variable),
                splice,
            };
        }
        Field { value, shown: value, source, kind: FieldKind::Known, splice: false }
    }

    fn expand_complex(&mut self, word: Word) {
        if word.flags.has(WordFlags::BRACE) && !self.has(option::NOBRACE) && self.expand_braces(word) {
            return;
        }
        self.expand_to_fields(&word);
    }

    /// Expands a word in which no braces are to be expanded any more.
    fn expand_to_fields(&mut self, word: &Word) {
        let builder = match *self.tree.slice(word.parts) {
            [Part::Quoted(span)] => {
                let field = self.verbatim_field(span, word.span, false);
                return self.work.push(field);
            }
            [Part::Literal(span)]
                if self.store.is_known_source(span) && !word.flags.has(WordFlags::TILDE) =>
            {
                let field = self.literal_field(word, span);
                return self.work.push(field);
            }
            [part] if part.is_value() => {
                self.step(u64::from(word.span.len()) / 8 + 1);
                let Some(value) = self.evaluate_part(part) else { return };
                if let Some(field) = self.field_of(&value, word.span) {
                    return self.work.push(field);
                }
                let mut builder = self.begin(Purpose::Fields, word.span);
                self.push_subject(value.subject, value.quoted, value.reason, &mut builder);
                builder
            }
            _ => {
                if let Some(text) = self.static_text(word) {
                    let field = self.verbatim_field(text, word.span, false);
                    return self.work.push(field);
                }
                self.step(u64::from(word.span.len()) / 8 + 1);
                let mut builder = self.begin(Purpose::Fields, word.span);
                builder.may_be_pattern = self.may_be_pattern(word);
                self.expand_into(word, &mut builder);
                builder
            }
        };
        self.finish_fields(builder);
    }

    /// The text of a word whose quotes only have to be taken off, such as `--glob='*.rs'`: known text, with nothing in it
    /// that is expanded.
    fn static_text(&mut self, word: &Word) -> Option<Span> {
        const ACTIVE: WordFlags =
            WordFlags(WordFlags::GLOB.0 | WordFlags::TILDE.0 | WordFlags::EXPANDS.0 | WordFlags::LITERAL.0);
        let parts = self.tree.slice(word.parts);
        let is_static = !word.flags.has(ACTIVE)
            && self.store.is_known_source(word.span)
            && parts.iter().all(|part| matches!(part, Part::Literal(_) | Part::Quoted(_)));
        if !is_static || !self.step(u64::from(word.span.len()) / 4 + 1) {
            return None;
        }
        let start = self.store.end();
        for part in self.tree.slice(word.parts) {
            if let Part::Literal(span) | Part::Quoted(span) = part {
                self.store.keep_again(*span);
            }
        }
        Some(Span::new(start, self.store.end()))
    }

    /// The field of a word without quotes in which nothing is expanded: braces that are no brace expansion, a pattern,
    /// or the `[` that is a command.
    fn literal_field(&mut self, word: &Word, text: Span) -> Field {
        if !word.flags.has(WordFlags::GLOB) {
            return self.verbatim_field(text, word.span, true);
        }
        self.step(u64::from(text.len()) / 4 + 1);
        let is_pattern =
            !self.has(option::NOGLOB) && pattern::has_glob(self.store.text(text), self.has(option::EXTGLOB));
        let source = self.source_span(word.span);
        if is_pattern {
            return Field { value: text, shown: word.span, source, kind: FieldKind::Pattern, splice: false };
        }
        let text = self.store.displaced(text);
        Field { value: text, shown: text, source, kind: FieldKind::Known, splice: false }
    }

    /// Returns whether a word may become a pattern: a pattern's character, or a value that may have some, stands in it
    /// without quotes.
    fn may_be_pattern(&self, word: &Word) -> bool {
        word.flags.has(WordFlags::GLOB)
            || self.has(option::EXTGLOB)
            || self.tree.slice(word.parts).iter().any(|part| match part {
                Part::Literal(_) | Part::Quoted(_) | Part::AnsiC(_) | Part::Process { .. } => false,
                Part::Variable { quoted, .. }
                | Part::Command { quoted, .. }
                | Part::Arithmetic { quoted, .. } => !quoted,
                // Their operands and subscripts are words of their own.
                Part::Parameter { .. } | Part::Assignment(_) => true,
            })
    }

    /// The field of a word that is one expansion and nothing else, when the value is what it gives, as most are: nothing
    /// is split and no pattern made.
    fn field_of(&mut self, value: &PartValue, word: Span) -> Option<Field> {
        let text = match value.subject {
            Subject::Scalar(text) => text,
            Subject::Unknown => {
                self.may_be_unset(value.reason);
                self.hole()
            }
            Subject::Unset | Subject::List { .. } => return None,
        };
        let is_unknown = self.store.has_hole(text);
        let is_whole = value.quoted
            || if is_unknown {
                self.store.text(text) == HOLE_TEXT
            } else {
                self.ifs() == Ifs::Default && is_one_field(self.store.bytes(text))
            };
        if !is_whole || !self.step(u64::from(text.len()) / 16) {
            return None;
        }
        let source = self.source_span(word);
        let text = self.store.displaced(text);
        Some(if is_unknown {
            let shown = if self.store.has_hole(word) { source } else { word };
            let kind = FieldKind::Unknown(value.reason);
            Field { value: text, shown, source, kind, splice: !value.quoted }
        } else {
            Field { value: text, shown: text, source, kind: FieldKind::Known, splice: false }
        })
    }

    /// Brace expansion comes first and works on the source text; each result is a word of its own.
    fn expand_braces(&mut self, word: Word) -> bool {
        let raw = self.store.detached(word.span);
        let words = match brace::expand(&raw, MAX_BRACE_WORDS, &mut self.steps, &mut self.stacks.spare_words)
        {
            Expanded::Words(words) => words,
            Expanded::Same => return false,
            Expanded::Unknown => {
                let source = self.source_span(word.span);
                let mut field = self.unknown_field(source, Reason::Budget, true);
                field.shown = word.span;
                self.work.push(field);
                return true;
            }
        };
        let origin = self.source_span(word.span);
        let base = self.store.keep(words.text()).start;
        self.with_origin(origin, |this| {
            let is_known = this.store.is_known_source(word.span);
            for place in words.places() {
                let span = Span::new(base + place.start as u32, base + place.end as u32);
                this.expand_brace_word(span, is_known);
            }
        });
        self.stacks.spare_words.give(words);
        true
    }

    /// Expands a word that came out of a brace expansion; `is_known` says that it was made of known text.
    fn expand_brace_word(&mut self, span: Span, is_known: bool) {
        self.step(u64::from(span.len()) / 4 + 1);
        let text = self.store.text(span);
        if text.is_empty() {
            // An empty word that no quotes hold is none.
            return;
        }
        if is_known && is_literal(text) {
            let source = self.origin.unwrap_or_default();
            let kind = FieldKind::Known;
            return self.work.push(Field { value: span, shown: span, source, kind, splice: false });
        }
        let mark = self.tree.mark();
        if let Ok(id) = read_word(text, span.start, self.read_options(), self.tree) {
            let word = self.tree.get(id);
            if word.flags.has(WordFlags::LITERAL) {
                let field = self.verbatim_field(word.span, word.span, true);
                self.work.push(field);
            } else {
                self.expand_to_fields(&word);
            }
        } else {
            let field = self.unknown_field(self.origin.unwrap_or_default(), Reason::Variable, true);
            self.work.push(field);
        }
        self.tree.truncate(&mark);
    }

    /// Expands a word to one text; holes mark what is not known of it.
    pub(crate) fn expand_to_text(&mut self, id: Id<Word>) -> Span {
        self.expand_for(id, Purpose::Text)
    }

    /// Expands a word for one purpose other than fields.
    pub(crate) fn expand_for(&mut self, id: Id<Word>, purpose: Purpose) -> Span {
        let word = self.tree.get(id);
        if word.flags.has(WordFlags::LITERAL) && purpose != Purpose::Regex {
            return word.span;
        }
        match *self.tree.slice(word.parts) {
            [Part::Quoted(span)] if purpose == Purpose::Text => span,
            [part] if purpose == Purpose::Text && part.is_value() => {
                self.step(u64::from(word.span.len()) / 8 + 1);
                let value = self.evaluate_part(part);
                if let Some(text) = value.as_ref().and_then(|value| self.text_of(value)) {
                    return text;
                }
                let mut builder = self.begin(purpose, word.span);
                if let Some(value) = value {
                    self.push_subject(value.subject, value.quoted, value.reason, &mut builder);
                }
                self.finish_text(&builder)
            }
            _ => {
                if purpose == Purpose::Text
                    && let Some(text) = self.static_text(&word)
                {
                    return text;
                }
                self.step(u64::from(word.span.len()) / 8 + 1);
                let mut builder = self.begin(purpose, word.span);
                self.expand_into(&word, &mut builder);
                self.finish_text(&builder)
            }
        }
    }

    /// The text of a word that is one expansion and nothing else, when the value is what it gives.
    fn text_of(&mut self, value: &PartValue) -> Option<Span> {
        match value.subject {
            Subject::Unknown => {
                self.may_be_unset(value.reason);
                Some(self.hole())
            }
            Subject::Scalar(text) => {
                let is_short = text.len() as usize <= MAX_PARTLY_KNOWN_WORD;
                ((is_short || !self.store.has_hole(text)) && self.step(u64::from(text.len()) / 16))
                    .then(|| self.store.displaced(text))
            }
            Subject::Unset | Subject::List { .. } => None,
        }
    }

    /// The right side of an assignment: `~` counts at its start and behind each `:`.
    pub(crate) fn expand_assigned(&mut self, id: Id<Word>) -> Span {
        self.expand_to_text(id)
    }

    pub(crate) fn begin(&mut self, purpose: Purpose, word: Span) -> Builder {
        let ifs = if purpose == Purpose::Fields { self.ifs() } else { Ifs::Default };
        Builder {
            purpose,
            word,
            start: self.scratch.len(),
            base: self.work.len(),
            may_be_pattern: true,
            pending: false,
            glob: false,
            escaped: false,
            hole: None,
            splice: false,
            ended: Ended::No,
            in_operand: false,
            ifs,
        }
    }

    fn expand_into(&mut self, word: &Word, builder: &mut Builder) {
        let mut parts = word.parts;
        if word.flags.has(WordFlags::LITERAL) {
            self.push_literal(word.span, builder);
            return;
        }
        if word.flags.has(WordFlags::TILDE) {
            parts = self.expand_tilde(word, parts, builder);
        }
        self.expand_parts(parts, builder);
    }

    pub(crate) fn expand_parts(&mut self, parts: Slice<Part>, builder: &mut Builder) {
        for id in parts.ids() {
            let part = self.tree.get(id);
            match part {
                Part::Literal(span) => self.push_literal(span, builder),
                Part::Quoted(span) => self.push_quoted(span, builder),
                Part::AnsiC(span) => self.push_ansi_c(span, builder),
                Part::Parameter { id, quoted } => self.expand_parameter(id, quoted, builder),
                Part::Variable { .. } | Part::Command { .. } | Part::Arithmetic { .. } => {
                    if let Some(value) = self.evaluate_part(part) {
                        self.push_subject(value.subject, value.quoted, value.reason, builder);
                    }
                }
                Part::Process { id } => {
                    self.run_process_substitution(id, builder);
                }
                Part::Assignment(id) => {
                    let assignment = self.tree.get(id);
                    self.stacks.compounds.push((self.work.len(), id));
                    self.push_quoted(assignment.name, builder);
                }
            }
        }
    }

    /// What a part stands for that [is a value](Part::is_value); `None` when the expansion fails.
    fn evaluate_part(&mut self, part: Part) -> Option<PartValue> {
        Some(match part {
            Part::Variable { name, quoted } => {
                PartValue { subject: self.subject_of_name(name), quoted, reason: Reason::Variable }
            }
            Part::Command { id, quoted } => PartValue {
                subject: Subject::Scalar(self.substitute(id)),
                quoted,
                reason: Reason::CommandOutput,
            },
            Part::Arithmetic { id, quoted } => {
                let expression = self.tree.get(id).expression;
                match self.evaluate_arithmetic(expression) {
                    Ok(Some(value)) => {
                        let subject = Subject::Scalar(self.store.keep_number(value));
                        PartValue { subject, quoted, reason: Reason::Arithmetic }
                    }
                    // A number, whatever it is: it has no blanks and no slashes.
                    Ok(None) => {
                        PartValue { subject: Subject::Unknown, quoted: true, reason: Reason::Arithmetic }
                    }
                    Err(()) => {
                        self.failed = Some(Failure::Line);
                        return None;
                    }
                }
            }
            _ => return None,
        })
    }

    fn run_process_substitution(&mut self, id: Id<crate::syntax::Substitution>, builder: &mut Builder) {
        let status = self.substitution_status;
        let output = self.substitute(id);
        self.substitution_status = status;
        // `source <(…)` and `bash <(…)` read the text; it is found again by the word that it stands in.
        let word = self.source_span(builder.word);
        self.stacks.process_outputs.push((word, output));
        self.push_hole(true, Reason::ProcessSubstitution, builder);
    }

    // ---- Pushing text ----

    /// Appends unquoted source text.
    fn push_literal(&mut self, span: Span, builder: &mut Builder) {
        let text = self.store.text(span);
        if text.is_empty() {
            return;
        }
        if builder.in_operand && builder.purpose == Purpose::Fields {
            self.push_split(span, builder, false);
            return;
        }
        builder.pending = true;
        builder.ended = Ended::No;
        match builder.purpose {
            Purpose::Text => {
                // A backslash here can only come from a here-document or double quotes: it stands for itself.
                self.scratch.push_str(text);
            }
            Purpose::Fields => {
                builder.glob |= builder.may_be_pattern && has_glob_byte(text);
                self.scratch.push_str(text);
                if self.store.has_hole(span) {
                    builder.hole.get_or_insert(Reason::Variable);
                    builder.splice = true;
                }
            }
            Purpose::Pattern | Purpose::Regex | Purpose::Replacement => self.scratch.push_str(text),
        }
    }

    /// Appends text that stands for itself.
    fn push_quoted(&mut self, span: Span, builder: &mut Builder) {
        if !self.step(u64::from(span.len()) / 16) {
            self.push_hole(true, Reason::Budget, builder);
            return;
        }
        builder.pending = true;
        builder.ended = Ended::No;
        let text = self.store.text(span);
        match builder.purpose {
            Purpose::Text => self.scratch.push_str(text),
            Purpose::Fields => {
                if builder.may_be_pattern && needs_escape(text) {
                    builder.escaped = true;
                    pattern::escape(text, self.scratch);
                } else {
                    self.scratch.push_str(text);
                }
                if self.store.has_hole(span) {
                    builder.hole.get_or_insert(Reason::Variable);
                }
            }
            Purpose::Pattern => pattern::escape(text, self.scratch),
            Purpose::Regex => crate::regex::escape(text, self.scratch),
            Purpose::Replacement => pattern::escape_replacement(text, self.scratch),
        }
    }

    fn push_ansi_c(&mut self, span: Span, builder: &mut Builder) {
        let raw = self.store.detached(span);
        let mut text = String::new();
        if crate::escape::decode_ansi_c(&raw, &mut text) {
            let span = self.store.keep(&text);
            self.push_quoted(span, builder);
        } else {
            self.push_hole(true, Reason::Variable, builder);
        }
    }

    /// Appends the value of an expansion.
    pub(crate) fn push_value(&mut self, value: Span, quoted: bool, reason: Reason, builder: &mut Builder) {
        if self.store.has_hole(value) {
            builder.hole.get_or_insert(reason);
        }
        if quoted {
            self.push_quoted(value, builder);
        } else {
            match builder.purpose {
                Purpose::Fields => self.push_split(value, builder, true),
                Purpose::Text => {
                    if !self.step(u64::from(value.len()) / 16) {
                        self.push_hole(true, Reason::Budget, builder);
                        return;
                    }
                    let text = self.store.text(value);
                    builder.pending |= !text.is_empty();
                    self.scratch.push_str(text);
                }
                // Unquoted, a value is a pattern like any other text.
                Purpose::Pattern | Purpose::Regex | Purpose::Replacement => {
                    let text = self.store.text(value);
                    self.scratch.push_str(text);
                }
            }
        }
    }

    /// Appends something unknown.
    pub(crate) fn push_hole(&mut self, quoted: bool, reason: Reason, builder: &mut Builder) {
        builder.hole.get_or_insert(reason);
        builder.pending = true;
        builder.ended = Ended::No;
        builder.splice |= !quoted && builder.purpose == Purpose::Fields;
        self.scratch.push(HOLE);
    }

    /// Appends text that is split at `IFS` into fields, and may be a pattern.
    fn push_split(&mut self, span: Span, builder: &mut Builder, is_value: bool) {
        let ifs = match builder.ifs {
            Ifs::Default => None,
            Ifs::Custom(ifs) => Some(self.store.detached(ifs)),
            Ifs::Unknown => {
                self.push_hole(false, Reason::Variable, builder);
                return;
            }
        };
        if !self.step(u64::from(span.len()) / 4 + 1) {
            self.push_hole(false, Reason::Budget, builder);
            return;
        }
        let text = self.store.detached(span);
        for c in text.chars() {
            let splits = match &ifs {
                None => matches!(c, ' ' | '\t' | '\n'),
                Some(ifs) => ifs.contains(c),
            };
            if !splits {
                builder.pending = true;
                builder.ended = Ended::No;
                match c {
                    HOLE => {
                        builder.splice = true;
                        builder.hole.get_or_insert(Reason::Variable);
                    }
                    '*' | '?' | '[' => builder.glob = true,
                    '\\' if is_value => {
                        builder.escaped = true;
                        self.scratch.push('\\');
                    }
                    _ => {}
                }
                self.scratch.push(c);
                continue;
            }
            if matches!(c, ' ' | '\t' | '\n') {
                if builder.pending {
                    self.finish_field(builder);
                    builder.ended = Ended::Blank;
                }
            } else if builder.pending {
                self.finish_field(builder);
                builder.ended = Ended::Mark;
            } else if builder.ended == Ended::Blank {
                builder.ended = Ended::Mark;
            } else {
                builder.pending = true;
                self.finish_field(builder);
                builder.ended = Ended::Mark;
            }
        }
    }

    /// Appends the elements of a list such as `"$@"`.
    pub(crate) fn push_list(
        &mut self,
        values: &[Span],
        star: bool,
        open: bool,
        quoted: bool,
        builder: &mut Builder,
    ) {
        let open = open || !self.step(values.len() as u64);
        if open {
            self.push_hole(quoted && (star || builder.purpose != Purpose::Fields), Reason::Variable, builder);
            builder.splice |= builder.purpose == Purpose::Fields && !(quoted && star);
            return;
        }
        let marks = match builder.ifs {
            Ifs::Custom(ifs) => {
                self.store.text(ifs).chars().next().filter(|c| !matches!(c, ' ' | '\t' | '\n'))
            }
            _ => None,
        };
        if let Some(mark) = marks
            && builder.purpose == Purpose::Fields
            && !quoted
        {
            // Empty elements stay, as between two marks.
            let mut joined = String::new();
            for (index, value) in values.iter().enumerate() {
                if index > 0 {
                    joined.push(mark);
                }
                joined.push_str(self.store.text(*value));
            }
            let joined = self.store.keep(&joined);
            self.push_value(joined, false, Reason::Variable, builder);
            return;
        }
        if builder.purpose != Purpose::Fields || (quoted && star) {
            let separator = if star { self.star_separator() } else { Some(String::from(" ")) };
            for (index, value) in values.iter().enumerate() {
                if index > 0 {
                    match &separator {
                        Some(separator) => {
                            let separator = self.store.keep(separator);
                            self.push_quoted(separator, builder);
                        }
                        None => self.push_hole(true, Reason::Variable, builder),
                    }
                }
                self.push_value(*value, quoted, Reason::Variable, builder);
            }
            if quoted {
                builder.pending = true;
            }
            return;
        }
        for (index, value) in values.iter().enumerate() {
            if index > 0 && builder.pending {
                self.finish_field(builder);
            }
            builder.ended = Ended::No;
            self.push_value(*value, quoted, Reason::Variable, builder);
        }
    }

    /// What joins the elements of `"$*"`.
    pub(crate) fn star_separator(&mut self) -> Option<String> {
        match self.ifs() {
            Ifs::Default => Some(String::from(" ")),
            Ifs::Custom(span) => Some(self.store.text(span).chars().take(1).collect()),
            Ifs::Unknown => None,
        }
    }

    // ---- Finishing ----

    /// Ends the field under construction.
    fn finish_field(&mut self, builder: &mut Builder) {
        let length = self.scratch.len().saturating_sub(builder.start) as u64;
        if !self.step(length / 4 + 1) {
            // Past the budget nothing is kept but that something stands here.
            self.scratch.truncate(builder.start);
            self.scratch.push(HOLE);
            builder.hole = Some(Reason::Budget);
            builder.splice = true;
        }
        let text = self.scratch.get(builder.start..).unwrap_or("");
        let source_word = builder.word;
        let extglob = self.now.options & option::EXTGLOB != 0;
        let is_pattern = (builder.glob || (extglob && builder.hole.is_none()))
            && self.now.options & option::NOGLOB == 0
            && pattern::has_glob(text, extglob);
        let source = self.source_span(source_word);
        let field = if let Some(reason) = builder.hole {
            let mut plain = String::new();
            let value = if builder.escaped {
                pattern::unescape(text, &mut plain);
                self.store.keep(&plain)
            } else {
                let start = self.store.end();
                self.store.derived().push_str(text);
                Span::new(start, self.store.end())
            };
            // In a text that is itself made from something unknown, the place in the source is what can be shown.
            let shown = if self.store.has_hole(source_word) { source } else { source_word };
            Field { value, shown, source, kind: FieldKind::Unknown(reason), splice: builder.splice }
        } else if is_pattern {
            let start = self.store.end();
            self.store.derived().push_str(text);
            let value = Span::new(start, self.store.end());
            Field { value, shown: value, source, kind: FieldKind::Pattern, splice: false }
        } else {
            let start = self.store.end();
            if builder.escaped {
                pattern::unescape(text, self.store.derived());
            } else {
                self.store.derived().push_str(text);
            }
            let value = Span::new(start, self.store.end());
            Field { value, shown: value, source, kind: FieldKind::Known, splice: false }
        };
        self.work.push(field);
        self.scratch.truncate(builder.start);
        builder.pending = false;
        builder.glob = false;
        builder.escaped = false;
        builder.hole = None;
        builder.splice = false;
    }

    /// Ends a word of arguments.
    pub(crate) fn finish_fields(&mut self, mut builder: Builder) {
        if builder.pending {
            self.finish_field(&mut builder);
        }
        // A word that gives one field shows it as it is written.
        let (base, word) = (builder.base, builder.word);
        if self.work.len() == base + 1
            && let Some(field) = self.work.get_mut(base)
            && field.kind != FieldKind::Known
            && !self.store.has_hole(word)
        {
            field.shown = word;
        }
    }

    /// Ends a text or pattern.
    pub(crate) fn finish_text(&mut self, builder: &Builder) -> Span {
        let length = self.scratch.len().saturating_sub(builder.start) as u64;
        if !self.step(length / 4 + 1) {
            self.scratch.truncate(builder.start);
            return self.hole();
        }
        let start = self.store.end();
        let text = self.scratch.get(builder.start..).unwrap_or("");
        let text = if builder.hole.is_some() { bounded(text) } else { text };
        self.store.derived().push_str(text);
        self.scratch.truncate(builder.start);
        Span::new(start, self.store.end())
    }

    // ---- Tilde ----

    /// Expands a leading `~`, or those of an assignment; returns the parts that are left.
    fn expand_tilde(&mut self, word: &Word, parts: Slice<Part>, builder: &mut Builder) -> Slice<Part> {
        let Some(Part::Literal(first)) = self.tree.slice(parts).first().copied() else { return parts };
        let text = self.store.detached(first);
        let rest_parts = Slice::new(parts.start + 1, parts.end);
        let alone = parts.len() == 1;
        let is_assignment = word.flags.has(WordFlags::ASSIGNMENT) || builder.purpose == Purpose::Text;
        let mut at = 0;
        let mut begins = true;
        // In `a=~/x:~/y` a tilde counts behind the first `=` and behind each `:`; elsewhere only at the start.
        let mut seen_equals = !word.flags.has(WordFlags::ASSIGNMENT);
        while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
            let bytes = rest.as_bytes();
            if begins && let Some(name) = rest.strip_prefix('~') {
                let end = name.bytes().position(|byte| byte == b'/' || (byte == b':' && is_assignment));
                if end.is_some() || alone {
                    let name = end.and_then(|end| name.get(..end)).unwrap_or(name);
                    self.push_home(name, builder);
                    at += 1 + name.len();
                    begins = false;
                    continue;
                }
            }
            let mark = bytes.iter().position(|byte| is_assignment && matches!(byte, b':' | b'='));
            let length = mark.map_or(bytes.len(), |mark| mark + 1);
            let start = first.start + at as u32;
            self.push_literal(Span::new(start, start + length as u32), builder);
            begins = match mark.and_then(|mark| bytes.get(mark)) {
                Some(b'=') if !seen_equals => {
                    seen_equals = true;
                    true
                }
                Some(b':') => seen_equals,
                _ => false,
            };
            at += length;
        }
        rest_parts
    }

    /// Appends the home directory of `~name`.
    fn push_home(&mut self, name: &str, builder: &mut Builder) {
        let home = match name {
            "" => self.home(),
            "+" => self.present_directory(),
            _ => None,
        };
        match home {
            Some(home) => self.push_quoted(home, builder),
            None => self.push_hole(true, Reason::Home, builder),
        }
    }

    /// Reads and expands text as inside double quotes, such as the body of a here-document.
    pub(crate) fn expand_quoted_text(&mut self, span: Span, heredoc: bool) -> Span {
        let options = self.read_options();
        let (text, base) = self.store.home_of(span);
        let mark = self.tree.mark();
        let result = if let Ok(id) = read_quoted(text, base, span, heredoc, options, self.tree) {
            self.expand_to_text(id)
        } else {
            self.incomplete(span, crate::report::IncompleteReason::Syntax);
            self.hole()
        };
        self.tree.truncate(&mark);
        result
    }

    /// Appends the operand of an unquoted `${x:-…}`: its unquoted text is split like a value.
    pub(crate) fn push_unquoted_operand(&mut self, word: &Word, builder: &mut Builder) {
        let outer = core::mem::replace(&mut builder.in_operand, true);
        self.expand_into(word, builder);
        builder.in_operand = outer;
    }
}
