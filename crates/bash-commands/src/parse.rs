//! Reads bash text, one complete line after the other, into a [`Tree`]; [`Reader`](crate::reader::Reader) is the entry.
//!
//! One pass of recursive descent over the bytes, without tokens in between: which bytes make a token depends on what
//! stands around them, in bash as here. Each construct has a file of its own under [`scan`](crate::scan); this one
//! holds what they share, and the two loops everything hangs from: a list of pipelines, and a pipeline of commands.
//!
//! The nodes of a list must stand side by side in the tree. A [`List`] puts them there at once as long as nothing of
//! their kind is read between them; otherwise they wait on a stack of [`Scratch`] until the list is complete.

use crate::arena::Arena;
use crate::cursor::{BREAK, CONTINUATION, Cursor, GAP, QUOTE, class};
use crate::issue::{Construct, Fault, SyntaxErrorKind};
use crate::scan::heredoc::Pending;
use crate::scan::reserved::Reserved;
use crate::span::Span;
use crate::syntax::{
    Arm, Assignment, Clause, Command, Connector, Element, Id, Item, Mark, Node, Nodes, Part, Redirection,
    Slice, Tree, Word, WordFlags,
};
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::marker::PhantomData;

/// How text is read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReadOptions {
    /// `shopt -s extglob` is on.
    pub(crate) extglob: bool,
    /// How deep constructs of every kind may nest.
    pub(crate) max_depth: u32,
}

/// Reads the complete line of `text` that begins at `position`: a list that is ended by a newline or by the end of the
/// text, with all here-documents that it starts. `None` at the end. Also returns the position of the first unread byte.
///
/// The first byte of `text` has the position `base`. After a fault nothing more should be read.
/// [`Scratch::joints`] then holds what [`Parser::pass_continuation`] noted.
pub(crate) fn read_line(
    text: &str,
    base: u32,
    position: u32,
    options: ReadOptions,
    tree: &mut Tree,
) -> (Result<Option<Slice<Item>>, Fault>, u32) {
    let mut parser = Parser::new(text, base, options, tree);
    parser.cursor.pos = position.saturating_sub(base) as usize;
    let line = parser.line();
    let position = base + parser.cursor.pos as u32;
    (line.map_err(|Stop| parser.take_fault()), position)
}

/// Reads `span` of `text` (whose first byte is at `base`) as double-quoted text or as the body of a here-document.
///
/// In a here-document `"` stands for itself. Text without expansions and escapes gives a literal word.
pub(crate) fn read_quoted(
    text: &str,
    base: u32,
    span: Span,
    heredoc: bool,
    options: ReadOptions,
    tree: &mut Tree,
) -> Result<Id<Word>, Fault> {
    let text = text.get(..span.end.saturating_sub(base) as usize).unwrap_or(text);
    let mut parser = Parser::new(text, base, options, tree);
    parser.cursor.pos = span.start.saturating_sub(base) as usize;
    parser.whole_quoted(heredoc).map_err(|Stop| parser.take_fault())
}

/// Reads the whole text as one unquoted word, blanks and operators included.
pub(crate) fn read_word(
    text: &str,
    base: u32,
    options: ReadOptions,
    tree: &mut Tree,
) -> Result<Id<Word>, Fault> {
    let mut parser = Parser::new(text, base, options, tree);
    parser.whole_word().map_err(|Stop| parser.take_fault())
}

/// The text is faulty; [`Parser`] holds the fault, so that results stay small.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stop;

pub(crate) type Read<T> = Result<T, Stop>;

/// Finished nodes whose list is not complete yet.
#[derive(Debug)]
pub(crate) struct Scratch {
    pub(crate) words: Arena<Word, 0>,
    pub(crate) parts: Arena<Part, 4>,
    pub(crate) items: Arena<Item, 0>,
    pub(crate) commands: Arena<Command, 0>,
    pub(crate) redirections: Arena<Redirection, 1>,
    pub(crate) assignments: Arena<Assignment, 1>,
    pub(crate) elements: Arena<Element, 0>,
    pub(crate) clauses: Arena<Clause, 0>,
    pub(crate) arms: Arena<Arm, 0>,
    /// Here-documents whose bodies have not been read, outer commands first.
    pub(crate) pending: Arena<Pending, 0>,
    /// `((` and `$((` that turned out to begin no arithmetic, and where the outer parenthesis of the latter closes.
    /// Without it, nested ones would be tried again at each level: 2^depth times.
    pub(crate) not_arithmetic: BTreeMap<u32, u32>,
    /// The places of the line continuations that may stand inside a token; see [`Parser::pass_continuation`].
    pub(crate) joints: Vec<u32>,
}

impl Scratch {
    /// An empty one.
    pub(crate) const NEW: Self = Self {
        words: Arena::NEW,
        parts: Arena::NEW,
        items: Arena::NEW,
        commands: Arena::NEW,
        redirections: Arena::NEW,
        assignments: Arena::NEW,
        elements: Arena::NEW,
        clauses: Arena::NEW,
        arms: Arena::NEW,
        pending: Arena::NEW,
        not_arithmetic: BTreeMap::new(),
        joints: Vec::new(),
    };
}

/// How much of each stack is filled.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ScratchMark([usize; 10]);

impl Scratch {
    pub(crate) fn mark(&self) -> ScratchMark {
        ScratchMark([
            self.words.len(),
            self.parts.len(),
            self.items.len(),
            self.commands.len(),
            self.redirections.len(),
            self.assignments.len(),
            self.elements.len(),
            self.clauses.len(),
            self.arms.len(),
            self.pending.len(),
        ])
    }

    pub(crate) fn truncate(&mut self, mark: ScratchMark) {
        let ScratchMark(
            [words, parts, items, commands, redirections, assignments, elements, clauses, arms, pending],
        ) = mark;
        self.words.truncate(words);
        self.parts.truncate(parts);
        self.items.truncate(items);
        self.commands.truncate(commands);
        self.redirections.truncate(redirections);
        self.assignments.truncate(assignments);
        self.elements.truncate(elements);
        self.clauses.truncate(clauses);
        self.arms.truncate(arms);
        self.pending.truncate(pending);
    }
}

/// Moves the nodes from `start` on from a stack to the tree.
#[inline]
pub(crate) fn drain<T: Node, const N: usize>(
    stack: &mut Arena<T, N>,
    start: usize,
    tree: &mut Nodes,
) -> Slice<T> {
    if stack.len() == start {
        return Slice::default();
    }
    let slice = match stack.as_slice().get(start..) {
        Some(&[only]) => {
            let id = only.push(tree);
            Slice::new(id.index, id.index + 1)
        }
        nodes => T::extend(nodes.unwrap_or(&[]), tree),
    };
    stack.truncate(start);
    slice
}

/// A list of nodes that is being read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct List<T> {
    /// The place of the first node: in the tree, or on the stack.
    start: u32,
    /// The place in the tree where the next one would continue the list, or [`ON_STACK`](Self::ON_STACK).
    next: u32,
    kind: PhantomData<fn() -> T>,
}

impl<T: Node> List<T> {
    /// No place in a tree: a text is too short to have that many nodes.
    const ON_STACK: u32 = u32::MAX;

    /// Begins a list.
    #[inline]
    pub(crate) fn begin(tree: &Nodes) -> Self {
        let start = T::count(tree) as u32;
        Self { start, next: start, kind: PhantomData }
    }

    #[inline]
    pub(crate) fn is_empty(self) -> bool {
        self.next == self.start
    }

    #[inline]
    fn is_on_stack(self) -> bool {
        self.next == Self::ON_STACK
    }

    /// Returns whether the list has one node. One on the stack has more.
    #[inline]
    pub(crate) fn is_single(self) -> bool {
        self.next == self.start + 1
    }

    /// Returns the place of the only node of a list. It stands in the tree, as only a second one may find no place there.
    pub(crate) fn only(self) -> Id<T> {
        Id::new(self.start)
    }

    /// Returns a copy of the first node.
    pub(crate) fn first<const N: usize>(self, stack: &Arena<T, N>, tree: &Nodes) -> T {
        let first = self.start as usize;
        let node = if self.is_on_stack() { stack.get(first) } else { T::all(tree).get(first).copied() };
        node.unwrap_or(T::BLANK)
    }

    /// Adds a node.
    #[inline]
    pub(crate) fn push<const N: usize>(&mut self, node: T, stack: &mut Arena<T, N>, tree: &mut Nodes) {
        let slot = if T::count(tree) as u32 == self.next {
            self.next += 1;
            T::slot(tree)
        } else {
            self.slot_apart(stack, tree)
        };
        if let Some(slot) = slot {
            *slot = node;
        }
    }

    /// Makes room for a node when others of its kind came between: anew if it is the first, and else on the stack, where
    /// those before it are taken along. They stay in the tree unused.
    #[inline(never)]
    fn slot_apart<'s, const N: usize>(
        &mut self,
        stack: &'s mut Arena<T, N>,
        tree: &'s mut Nodes,
    ) -> Option<&'s mut T> {
        if self.is_empty() {
            *self = Self::begin(tree);
            self.next += 1;
            return T::slot(tree);
        }
        if !self.is_on_stack() {
            let own = Slice::new(self.start, self.next);
            self.start = stack.len() as u32;
            self.next = Self::ON_STACK;
            stack.extend(tree.slice(own));
        }
        stack.slot()
    }

    /// Returns the finished list.
    #[inline]
    pub(crate) fn finish<const N: usize>(self, stack: &mut Arena<T, N>, tree: &mut Nodes) -> Slice<T> {
        if self.is_on_stack() {
            return Self::leave_stack(self.start as usize, stack, tree);
        }
        Slice::new(self.start, self.next)
    }

    #[inline(never)]
    fn leave_stack<const N: usize>(start: usize, stack: &mut Arena<T, N>, tree: &mut Nodes) -> Slice<T> {
        drain(stack, start, tree)
    }
}

/// How much was read when an attempt began.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Attempt {
    tree: Mark,
    scratch: ScratchMark,
    joints: usize,
    is_misread: bool,
}

/// Reads one text.
pub(crate) struct Parser<'t, 'p> {
    pub(crate) cursor: Cursor<'t>,
    pub(crate) options: ReadOptions,
    pub(crate) tree: &'p mut Nodes,
    pub(crate) scratch: &'p mut Scratch,
    /// How many constructs are open.
    depth: u32,
    /// Inside `$(…)` or `<(…)`, where `)` may stand on the line of a here-document's delimiter.
    pub(crate) in_substitution: bool,
    /// The first pending here-document of the innermost substitution.
    pub(crate) first_pending: usize,
    /// How many here-documents were started since the last line end.
    pub(crate) heredocs: u32,
    /// The first token of the substitution that was opened last.
    pub(crate) substitution_start: usize,
    /// The reserved word behind the list that was read last: what closes it, if anything does.
    pub(crate) behind_list: Reserved,
    /// Some `${` in arithmetic had no end.
    pub(crate) skips_braces: bool,
    /// The last joint may have hidden a quotation or an expansion.
    is_misread: bool,
    fault: Option<Fault>,
}

impl<'t, 'p> Parser<'t, 'p> {
    #[inline]
    fn new(text: &'t str, base: u32, options: ReadOptions, tree: &'p mut Tree) -> Self {
        let Tree { nodes: tree, scratch } = tree;
        // A text of which only a part was read may have left here-documents open, and notes about its own places.
        scratch.pending.clear();
        if !scratch.not_arithmetic.is_empty() {
            scratch.not_arithmetic.clear();
        }
        scratch.joints.clear();
        Self {
            cursor: Cursor { bytes: text.as_bytes(), pos: 0, base },
            options,
            tree,
            scratch,
            depth: 0,
            in_substitution: false,
            first_pending: 0,
            heredocs: 0,
            substitution_start: usize::MAX,
            behind_list: Reserved::None,
            skips_braces: false,
            is_misread: false,
            fault: None,
        }
    }

    /// Records a fault.
    #[cold]
    pub(crate) fn fail<T>(&mut self, kind: SyntaxErrorKind, span: Span, opened: Option<Span>) -> Read<T> {
        self.fault = Some(Fault { kind, span, opened });
        Err(Stop)
    }

    /// Reports the token at the cursor.
    #[cold]
    pub(crate) fn unexpected<T>(&mut self, kind: SyntaxErrorKind) -> Read<T> {
        // Without a continuation inside it may be another token: `fi` in two lines, or a `fi>(` that is no reserved word.
        let end = self.cursor.find(self.cursor.pos + 1, BREAK | QUOTE);
        let end = end + usize::from(matches!(self.cursor.at(end), b'<' | b'>'));
        if class(self.cursor.byte()) & QUOTE == 0 && self.cursor.is_continuation(end) {
            self.note_joint(end);
        }
        self.fail_at_token(kind)
    }

    /// Does the same where bash does not take continuations out.
    #[cold]
    pub(crate) fn fail_at_token<T>(&mut self, kind: SyntaxErrorKind) -> Read<T> {
        let span = self.token_span();
        self.fail(kind, span, None)
    }

    /// Reports that `construct`, opened at `opened`, is not closed at the cursor.
    #[cold]
    pub(crate) fn unterminated<T>(&mut self, construct: Construct, opened: Span) -> Read<T> {
        let span = self.token_span();
        self.fail(SyntaxErrorKind::Unterminated(construct), span, Some(opened))
    }

    /// Reports that `construct`, which begins with the `length` bytes at `start`, runs to the end of the text.
    #[cold]
    pub(crate) fn runs_to_end<T>(&mut self, construct: Construct, start: usize, length: usize) -> Read<T> {
        let opened = self.cursor.span(start, start + length);
        self.cursor.pos = self.cursor.bytes.len();
        self.unterminated(construct, opened)
    }

    fn take_fault(&mut self) -> Fault {
        // A fault empties the stacks, since whoever was filling them is gone.
        self.scratch.truncate(ScratchMark([0; 10]));
        self.scratch.not_arithmetic.clear();
        self.fault.take().unwrap_or(Fault {
            kind: SyntaxErrorKind::Unexpected,
            span: Span::default(),
            opened: None,
        })
    }

    /// Forgets a fault; returns whether reading may go on, which it may not when the text is nested too deeply.
    pub(crate) fn forgive(&mut self) -> bool {
        let fatal = self.fault.is_some_and(|fault| fault.kind == SyntaxErrorKind::TooDeep);
        if !fatal {
            self.fault = None;
        }
        !fatal
    }

    /// Returns the span of the token at the cursor: an operator, or what stands before the next break.
    fn token_span(&self) -> Span {
        let cursor = self.cursor;
        let start = cursor.pos;
        let length = match (cursor.byte(), cursor.second()) {
            (b';' | b'&' | b'|' | b'<' | b'>', second) if second == cursor.byte() => 2,
            (b'|' | b'<' | b'>' | b';', b'&') | (b'&', b'>') => 2,
            (b'\n' | b';' | b'&' | b'|' | b'<' | b'>' | b'(' | b')', _) => 1,
            _ => cursor.find(start + cursor.character(start), BREAK) - start,
        };
        cursor.span(start, (start + length).min(cursor.bytes.len()))
    }

    /// Goes one construct deeper; `start` is where it begins.
    #[inline]
    pub(crate) fn enter(&mut self, start: usize) -> Read<()> {
        self.depth += 1;
        if self.depth > self.options.max_depth {
            let span = self.cursor.span(start, start + self.cursor.character(start));
            return self.fail(SyntaxErrorKind::TooDeep, span, None);
        }
        Ok(())
    }

    /// Comes out of the construct again. A construct with a fault need not, as reading stops there; one who forgives
    /// faults puts [`depth`](Self::depth) back.
    #[inline]
    pub(crate) fn leave(&mut self) {
        self.depth -= 1;
    }

    #[inline]
    pub(crate) fn depth(&self) -> u32 {
        self.depth
    }

    pub(crate) fn set_depth(&mut self, depth: u32) {
        self.depth = depth;
    }

    /// Takes the parts from `first` on off the stack, and makes a word of them.
    ///
    /// A word that is one run of plain text becomes a literal one.
    pub(crate) fn finish_quoted(&mut self, start: usize, first: usize) -> Word {
        let span = self.cursor.span(start, self.cursor.pos);
        let plain = match self.scratch.parts.as_slice().get(first..) {
            None | Some([]) => true,
            Some(&[Part::Quoted(part)]) => part == span,
            Some(_) => false,
        };
        if plain {
            self.scratch.parts.truncate(first);
            return Word { span, parts: Slice::default(), flags: WordFlags::LITERAL };
        }
        let expands =
            self.scratch.parts.as_slice().iter().skip(first).any(|part| !matches!(part, Part::Quoted(_)));
        let parts = drain(&mut self.scratch.parts, first, self.tree);
        let flags = if expands { WordFlags::QUOTED.with(WordFlags::EXPANDS) } else { WordFlags::QUOTED };
        Word { span, parts, flags }
    }

    /// Moves over a newline, reading the here-documents that wait for it. Returns whether there was one.
    #[inline]
    pub(crate) fn newline(&mut self) -> bool {
        if self.cursor.byte() != b'\n' {
            return false;
        }
        self.cursor.pos += 1;
        if self.scratch.pending.len() > self.first_pending {
            self.read_heredocs();
        }
        true
    }

    /// Moves to the next token: over blanks, line continuations and a comment, but not over the line end.
    #[inline]
    pub(crate) fn skip_blanks(&mut self) {
        self.next_token();
    }

    /// Does the same, and returns the first byte of the token; 0 at the end.
    #[inline]
    pub(crate) fn next_token(&mut self) -> u8 {
        self.next_token_from(self.cursor.byte())
    }

    /// Does the same where the byte at the cursor is known.
    #[inline]
    pub(crate) fn next_token_from(&mut self, byte: u8) -> u8 {
        let mut byte = byte;
        if byte == b' ' {
            self.cursor.pos += 1;
            byte = self.cursor.byte();
        }
        if class(byte) & GAP != 0 { self.skip_gap() } else { byte }
    }

    /// Does the same where more than one blank stands, or what only looks like a continuation.
    #[inline(never)]
    pub(crate) fn skip_gap(&mut self) -> u8 {
        self.cursor.skip_blanks();
        while self.cursor.is_continuation(self.cursor.pos) {
            self.pass_continuation();
            self.cursor.skip_blanks();
        }
        self.cursor.byte()
    }

    /// Moves over the line continuation at the cursor, where bash takes it out of the text.
    ///
    /// Bash does so before it looks for tokens, so one may stand inside any of them. Behind a blank it stands inside
    /// none, and what reads there may simply go on. Any other is noted as a joint, for the line to be read again
    /// without it: no other place of the reader needs to look for continuations.
    #[cold]
    pub(crate) fn pass_continuation(&mut self) {
        let pos = self.cursor.pos;
        let place = self.cursor.base + pos as u32;
        let follows_joint =
            self.scratch.joints.last().is_some_and(|&last| last + CONTINUATION as u32 == place);
        let before = pos.checked_sub(1).map(|before| self.cursor.at(before));
        if follows_joint {
            self.scratch.joints.push(place);
        } else if !matches!(before, None | Some(b' ' | b'\t' | b'\n')) {
            self.note_joint(pos);
            self.is_misread = matches!(before, Some(b'$' | b'(' | b'<' | b'{'));
        }
        self.cursor.pos += CONTINUATION;
    }

    /// Notes a joint, unless one was noted that may put into quotes, or out of them, what stands behind it.
    pub(crate) fn note_joint(&mut self, pos: usize) {
        if !self.is_misread {
            self.scratch.joints.push(self.cursor.base + pos as u32);
        }
    }

    /// Notes where the reading stands, for a text that may have to be read in another way.
    pub(crate) fn begin_attempt(&self) -> Attempt {
        Attempt {
            tree: self.tree.mark(),
            scratch: self.scratch.mark(),
            joints: self.scratch.joints.len(),
            is_misread: self.is_misread,
        }
    }

    /// Drops everything that was read since.
    pub(crate) fn drop_attempt(&mut self, attempt: Attempt) {
        self.tree.truncate(&attempt.tree);
        self.scratch.truncate(attempt.scratch);
        self.scratch.joints.truncate(attempt.joints);
        self.is_misread = attempt.is_misread;
    }

    /// Moves over blanks, comments and newlines. Returns the first byte of the token behind them; 0 at the end.
    #[inline]
    pub(crate) fn skip_newlines(&mut self) -> u8 {
        loop {
            let byte = self.next_token();
            if byte != b'\n' {
                return byte;
            }
            self.newline();
        }
    }

    /// Reads a line: see [`read_line`].
    pub(crate) fn line(&mut self) -> Read<Option<Slice<Item>>> {
        let first = self.skip_newlines();
        if self.cursor.is_end() {
            return Ok(None);
        }
        let items = self.pipelines(first, false)?;
        if !self.newline() && !self.cursor.is_end() {
            let nothing_before = items.is_empty();
            let kind =
                if nothing_before { SyntaxErrorKind::MissingCommand } else { SyntaxErrorKind::Unexpected };
            return self.unexpected(kind);
        }
        // The end of the text ends every here-document that still waits.
        if !self.scratch.pending.is_empty() || self.heredocs > 0 {
            self.read_heredocs();
        }
        Ok(Some(items))
    }

    /// Reads a list that may go over many lines, up to a token that continues none: a closing word or parenthesis,
    /// `;;`, the end. It is empty if that token comes first. The caller judges the token.
    pub(crate) fn list(&mut self) -> Read<Slice<Item>> {
        let first = self.skip_newlines();
        self.pipelines(first, true)
    }

    /// Reads pipelines and what joins them, from a token that begins with the byte `first`, and notes what reserved word
    /// follows.
    fn pipelines(&mut self, first: u8, lines: bool) -> Read<Slice<Item>> {
        let mut items = List::begin(self.tree);
        let mut connector = Connector::Sequence;
        let mut first = first;
        loop {
            let reserved = self.reserved_from(first);
            if !self.begins_command(first, reserved) {
                if matches!(connector, Connector::And | Connector::Or) {
                    return self.unexpected(SyntaxErrorKind::MissingCommand);
                }
                self.behind_list = reserved;
                break;
            }
            let mut negated = false;
            let (commands, behind) = self.pipeline(first, reserved, &mut negated)?;
            let more;
            (connector, more) = self.connector(behind, lines, &mut first);
            let item = Item { commands, negated, connector };
            items.push(item, &mut self.scratch.items, self.tree);
            if !more {
                self.behind_list = self.reserved_from(behind);
                break;
            }
        }
        Ok(items.finish(&mut self.scratch.items, self.tree))
    }

    /// Returns whether a command may begin at the cursor, where the byte `first` and `reserved` stand.
    #[inline]
    fn begins_command(&self, first: u8, reserved: Reserved) -> bool {
        if class(first) & BREAK == 0 {
            return !reserved.continues_none();
        }
        match first {
            b'(' | b'<' | b'>' => true,
            b'&' => self.cursor.second() == b'>',
            // A NUL byte is an ordinary one.
            0 => !self.cursor.is_end(),
            _ => false,
        }
    }

    /// Moves over what stands behind a pipeline, at the cursor, to the next token, whose first byte it leaves in `next`.
    /// Also returns whether another pipeline may follow; behind `&&` and `||` it must.
    #[inline]
    fn connector(&mut self, byte: u8, lines: bool, next: &mut u8) -> (Connector, bool) {
        let (connector, length) = match byte {
            b'\n' if lines => (Connector::Sequence, 0),
            b';' if !matches!(self.cursor.second(), b';' | b'&') => (Connector::Sequence, 1),
            b'&' if self.cursor.second() != b'&' => (Connector::Background, 1),
            b'&' => (Connector::And, 2),
            // A single `|` is the pipeline's own.
            b'|' => (Connector::Or, 2),
            _ => return (Connector::Sequence, false),
        };
        self.cursor.pos += length;
        *next = if lines || length == 2 { self.skip_newlines() } else { self.next_token() };
        (connector, true)
    }

    /// Reads a pipeline, which begins at the cursor with the byte `first` and with `reserved`, if with any reserved word.
    /// Leaves the cursor at the token behind it, whose first byte it returns. Turns `negated` around for each `!` before it.
    #[inline]
    fn pipeline(&mut self, first: u8, reserved: Reserved, negated: &mut bool) -> Read<(Slice<Command>, u8)> {
        let mut first = first;
        let mut reserved = reserved;
        let mut commands = List::begin(self.tree);
        if matches!(reserved, Reserved::Bang | Reserved::Time) {
            let start = self.cursor.pos;
            reserved = self.pipeline_prefix(reserved, negated)?;
            first = self.cursor.byte();
            if reserved == Reserved::None && self.is_list_terminator() {
                let span = self.cursor.span(start, self.cursor.pos);
                self.add_command(&mut commands, Command { span, ..Command::default() });
                return Ok((commands.finish(&mut self.scratch.commands, self.tree), first));
            }
        }
        loop {
            let behind = self.command(first, reserved, &mut commands)?;
            if behind != b'|' || self.cursor.second() == b'|' {
                return Ok((commands.finish(&mut self.scratch.commands, self.tree), behind));
            }
            self.cursor.pos += 1;
            if self.cursor.byte() == b'&' {
                self.cursor.pos += 1;
                self.pipe_stderr(commands);
            }
            first = self.skip_newlines();
            reserved = self.reserved_behind_pipe(first)?;
        }
    }

    /// Adds a command that was read.
    #[inline]
    pub(crate) fn add_command(&mut self, commands: &mut List<Command>, command: Command) {
        commands.push(command, &mut self.scratch.commands, self.tree);
    }

    /// Notes that `|&` stands behind the last of `commands`, which was read just now.
    #[cold]
    fn pipe_stderr(&mut self, commands: List<Command>) {
        let last = if commands.is_on_stack() {
            self.scratch.commands.as_mut_slice().last_mut()
        } else {
            self.tree.commands.as_mut_slice().last_mut()
        };
        if let Some(command) = last {
            command.pipes_stderr = true;
        }
    }

    /// Moves over the `!` and `time` at the cursor, the first of which is `reserved`. Returns the reserved word behind them.
    #[inline(never)]
    fn pipeline_prefix(&mut self, reserved: Reserved, negated: &mut bool) -> Read<Reserved> {
        let mut reserved = reserved;
        let is_first = self.cursor.pos == self.substitution_start;
        if reserved == Reserved::Time && is_first && self.is_plain_time() {
            return Ok(Reserved::None);
        }
        while matches!(reserved, Reserved::Bang | Reserved::Time) {
            self.take_reserved(reserved);
            *negated ^= reserved == Reserved::Bang;
            if reserved == Reserved::Time {
                self.time_options();
            }
            self.skip_blanks();
            reserved = self.reserved();
        }
        if !self.begins_command(self.cursor.byte(), reserved) && !self.is_list_terminator() {
            return self.unexpected(SyntaxErrorKind::MissingCommand);
        }
        Ok(reserved)
    }

    /// Returns the reserved word at the cursor, behind a `|`, where a command must follow. It begins with the byte `first`.
    #[inline]
    fn reserved_behind_pipe(&mut self, first: u8) -> Read<Reserved> {
        let reserved = match self.reserved_from(first) {
            // Here bash takes `time` for a command's name.
            Reserved::Time => Reserved::None,
            Reserved::Bang => return self.unexpected(SyntaxErrorKind::Unexpected),
            other => other,
        };
        if self.begins_command(first, reserved) {
            Ok(reserved)
        } else {
            self.unexpected(SyntaxErrorKind::MissingCommand)
        }
    }

    /// Returns whether bash takes the `time` at the cursor, the first word of a substitution, for a command's name.
    ///
    /// It does so for all of them when it reads the substitution, and for none when it runs what it has read. The two
    /// differ only where no ordinary word follows.
    #[cold]
    fn is_plain_time(&mut self) -> bool {
        let start = self.cursor.pos;
        self.take_reserved(Reserved::Time);
        self.time_options();
        self.skip_blanks();
        let plain = !self.cursor.is_word_start() || self.reserved() != Reserved::None;
        self.cursor.pos = start;
        plain
    }

    /// Moves over `-p` and `--` behind `time`.
    fn time_options(&mut self) {
        for option in [b"-p", b"--"] {
            let before = self.cursor.pos;
            self.skip_blanks();
            let start = self.cursor.pos;
            if self.cursor.text(start, start + 2) == option && self.cursor.is_word_end(start + 2) {
                self.cursor.pos += 2;
            } else {
                self.cursor.pos = before;
            }
        }
    }

    /// Returns whether the cursor is at a line end, the end, or a single `;`: what `!` and `time` alone may precede.
    fn is_list_terminator(&self) -> bool {
        self.cursor.is_end()
            || self.cursor.byte() == b'\n'
            || (self.cursor.byte() == b';' && !matches!(self.cursor.second(), b';' | b'&'))
    }
}

#[cfg(test)]
mod tests;
