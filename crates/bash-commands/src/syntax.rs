//! The syntax tree of bash text, as the reader gives it to the evaluation.
//!
//! All nodes live in flat arenas of one [`Tree`] and refer to each other by index, so a tree costs no allocation of its
//! own when its arenas are reused, and dropping it does not recurse. Children stand before their parents; the members
//! of a list stand side by side, so that a list is a [`Slice`].
//!
//! Spans are absolute: a text that is read inside another one (`bash -c "…"`, a backquoted command) is read with a
//! base offset, and every span points into the store of all texts.

use crate::arena::{Arena, Blank};
use crate::parse::Scratch;
use crate::span::Span;
use core::marker::PhantomData;

/// A run of nodes that stand side by side in one arena.
pub(crate) struct Slice<T> {
    pub(crate) start: u32,
    pub(crate) end: u32,
    kind: PhantomData<fn() -> T>,
}

/// The place of one node in its arena.
pub(crate) struct Id<T> {
    pub(crate) index: u32,
    kind: PhantomData<fn() -> T>,
}

macro_rules! plain_handle {
    ($($handle:ident { $($field:ident),+ })+) => {$(
        impl<T> Clone for $handle<T> {
            fn clone(&self) -> Self { *self }
        }
        impl<T> Copy for $handle<T> {}
        impl<T> Default for $handle<T> {
            fn default() -> Self { Self { $($field: 0,)+ kind: PhantomData } }
        }
        impl<T> core::fmt::Debug for $handle<T> {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.debug_struct(stringify!($handle))$(.field(stringify!($field), &self.$field))+.finish()
            }
        }
    )+};
}
plain_handle! { Slice { start, end } Id { index } }

impl<T> Slice<T> {
    pub(crate) const EMPTY: Self = Self::new(0, 0);

    pub(crate) const fn new(start: u32, end: u32) -> Self {
        Self { start, end, kind: PhantomData }
    }
    pub(crate) fn len(self) -> usize {
        self.end.saturating_sub(self.start) as usize
    }
    pub(crate) fn is_empty(self) -> bool {
        self.end <= self.start
    }
    pub(crate) fn ids(self) -> impl DoubleEndedIterator<Item = Id<T>> + Clone {
        (self.start..self.end).map(Id::new)
    }
    pub(crate) fn first(self) -> Option<Id<T>> {
        (!self.is_empty()).then(|| Id::new(self.start))
    }
}

impl<T> Id<T> {
    pub(crate) const FIRST: Self = Self::new(0);

    pub(crate) const fn new(index: u32) -> Self {
        Self { index, kind: PhantomData }
    }
}

/// What is known of a word without evaluating it. As wide as its place in a [`Word`], which is then copied whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct WordFlags(pub(crate) u32);

impl WordFlags {
    /// The value is the source text itself: no quotes, expansions, glob characters, braces or leading tilde.
    /// INVARIANT: such a word has no parts; its span is its value.
    pub(crate) const LITERAL: Self = Self(1);
    /// An unquoted `*`, `?`, `[` or extglob opener stands in it.
    pub(crate) const GLOB: Self = Self(2);
    /// An unquoted `{` stands in it, so brace expansion may apply.
    pub(crate) const BRACE: Self = Self(4);
    /// It begins with an unquoted `~`, or has an unquoted `~` right behind an unquoted `=` or `:`.
    pub(crate) const TILDE: Self = Self(8);
    /// Some part of it is quoted (`'…'`, `"…"`, `\x`, `$'…'`); such a word is no reserved word and no alias, and as a
    /// here-document delimiter it switches expansion off.
    pub(crate) const QUOTED: Self = Self(16);
    /// It holds a parameter, command, arithmetic or process substitution.
    pub(crate) const EXPANDS: Self = Self(32);
    /// It begins with an unquoted `name=`, `name+=` or `name[…]=`, as an argument of `export` and its kin may.
    pub(crate) const ASSIGNMENT: Self = Self(64);

    pub(crate) fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
    pub(crate) fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// One word of the source.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Word {
    /// The whole word as written, quotes included.
    pub(crate) span: Span,
    /// What it is made of; empty for a literal word.
    pub(crate) parts: Slice<Part>,
    pub(crate) flags: WordFlags,
}

/// A piece of a word. Line continuations (`\` newline) are left out, so a run of text may be split in several parts.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Part {
    /// Unquoted text: glob characters and a leading tilde are active.
    Literal(Span),
    /// Quoted text that stands for itself: from `'…'`, between the expansions of `"…"`, or behind a `\`.
    /// An empty span marks empty quotes, which make a word of nothing.
    Quoted(Span),
    /// The raw text inside `$'…'`.
    AnsiC(Span),
    /// `$name`, `$1`, `$@`, `${name}`: a parameter with no operator. The span holds the name alone.
    Variable { name: Span, quoted: bool },
    /// `${…}` with anything more than a name.
    Parameter { id: Id<Parameter>, quoted: bool },
    /// `$(…)` or `` `…` ``.
    Command { id: Id<Substitution>, quoted: bool },
    /// `$((…))` or `$[…]`; the expression is a word whose parts are read as inside double quotes.
    Arithmetic { id: Id<Arithmetic>, quoted: bool },
    /// `<(…)` or `>(…)`.
    Process { id: Id<Substitution> },
    /// `name=(…)` as an argument of a declaration command (`declare -a x=(1 2)`); the only part of its word.
    Assignment(Id<Assignment>),
}

impl Default for Part {
    fn default() -> Self {
        Self::Literal(Span::default())
    }
}

/// `${…}` with an operator, a subscript, a length or an indirection.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Parameter {
    /// From `$` to `}`.
    pub(crate) span: Span,
    /// The name, or the one character of a special parameter (`@ * # ? - $ ! 0`), or digits.
    pub(crate) name: Span,
    /// `${name[…]}`: the subscript, a word read as inside double quotes; `@` and `*` are that text.
    pub(crate) subscript: Option<Id<Word>>,
    /// `${!name…}`.
    pub(crate) indirect: bool,
    pub(crate) operator: Operator,
    /// The operand: the default, pattern or offset. A word of its own; quoting inside it is its own, except that
    /// inside double quotes the operand of `-`, `=`, `?`, `+` is read as double-quoted text (single quotes stand for themselves).
    pub(crate) operand: Option<Id<Word>>,
    /// The second operand: the replacement of `/`, or the length of a substring.
    pub(crate) second: Option<Id<Word>>,
}

/// The operator of a parameter expansion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Operator {
    #[default]
    None,
    /// `${#name}`.
    Length,
    /// `:-` (`colon`) or `-`.
    Default { colon: bool },
    /// `:=` or `=`.
    Assign { colon: bool },
    /// `:?` or `?`.
    Error { colon: bool },
    /// `:+` or `+`.
    Alternative { colon: bool },
    /// `#` or `##`.
    RemovePrefix { longest: bool },
    /// `%` or `%%`.
    RemoveSuffix { longest: bool },
    /// `/`, `//`, `/#`, `/%`.
    Replace(Replace),
    /// `^` or `^^`.
    Upper { all: bool },
    /// `,` or `,,`.
    Lower { all: bool },
    /// `~` or `~~`.
    Toggle { all: bool },
    /// `${name:offset}` and `${name:offset:length}`; the operands are arithmetic.
    Substring,
    /// `${name@Q}` and its kin; the letter.
    Transform(u8),
    /// `${!prefix*}` (`at` false) and `${!prefix@}`: names that begin with `name`.
    Names { at: bool },
    /// `${!array[@]}` and `${!array[*]}`: the keys; the subscript tells which.
    Keys,
    /// Something bash answers with «bad substitution» when it is run.
    Bad,
}

/// Which matches `${name/pattern/text}` replaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Replace {
    First,
    All,
    Prefix,
    Suffix,
}

/// A command or process substitution.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Substitution {
    /// The whole substitution, delimiters included.
    pub(crate) span: Span,
    pub(crate) form: SubstitutionForm,
    /// The text inside.
    pub(crate) text: Span,
    /// The lines inside, each a list in the order of the text, except for backquotes: bash reads those when they are
    /// run, after it took one level of backslashes away.
    pub(crate) body: Slice<Item>,
}

/// How a substitution is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum SubstitutionForm {
    /// `$(…)`.
    #[default]
    Dollar,
    /// `` `…` `` outside double quotes, or inside them (where `\"` is an escape too).
    Backquote { in_double_quotes: bool },
    /// `<(…)`.
    ProcessIn,
    /// `>(…)`.
    ProcessOut,
}

/// `$((…))`, `((…))`, `let`-like text.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Arithmetic {
    /// The expression, read as inside double quotes.
    pub(crate) expression: Id<Word>,
}

/// One pipeline of a list, and what stands behind it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Item {
    /// The commands of the pipeline, at least one.
    pub(crate) commands: Slice<Command>,
    /// `!` stands before it an odd number of times.
    pub(crate) negated: bool,
    /// What joins it to the next item, or ends it.
    pub(crate) connector: Connector,
}

/// What stands behind a pipeline.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Connector {
    /// `;`, a newline, or the end of the list.
    #[default]
    Sequence,
    /// `&`: the whole `&&`/`||` chain that ends here runs in the background.
    Background,
    /// `&&`.
    And,
    /// `||`.
    Or,
}

/// A command of any kind.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Command {
    pub(crate) span: Span,
    pub(crate) kind: CommandKind,
    pub(crate) redirections: Slice<Redirection>,
    /// `|&` stands behind it.
    pub(crate) pipes_stderr: bool,
    /// Every word of it is [`WordFlags::LITERAL`]; of compound commands nothing is said.
    pub(crate) is_literal: bool,
}

impl Default for Command {
    fn default() -> Self {
        Self::BLANK
    }
}

/// The kinds of command.
#[derive(Clone, Copy, Debug)]
pub(crate) enum CommandKind {
    /// `a=b word word`; all three lists may be empty, but not at once.
    Simple { assignments: Slice<Assignment>, words: Slice<Word> },
    /// `{ …; }`.
    Group { body: Slice<Item> },
    /// `( … )`.
    Subshell { body: Slice<Item> },
    /// `if`, `elif` and `else`.
    If { clauses: Slice<Clause>, otherwise: Option<Slice<Item>> },
    /// `while` and `until`.
    Loop { condition: Slice<Item>, body: Slice<Item>, until: bool },
    /// `for name in …`; with no `in`, the positional parameters.
    For { name: Span, words: Option<Slice<Word>>, body: Slice<Item> },
    /// `for ((init; test; step))`; each expression may be blank.
    ForArithmetic { header: Id<ForHeader>, body: Slice<Item> },
    /// `select name in …`.
    Select { name: Span, words: Option<Slice<Word>>, body: Slice<Item> },
    /// `case word in …`.
    Case { word: Id<Word>, arms: Slice<Arm> },
    /// `name() …` and `function name …`; the body is a compound command.
    Function { name: Span, body: Id<Command> },
    /// `[[ … ]]`.
    Condition { condition: Id<Condition> },
    /// `(( … ))`.
    Arithmetic { arithmetic: Id<Arithmetic> },
    /// `coproc [NAME] command`.
    Coprocess { body: Id<Command> },
}

impl Default for CommandKind {
    fn default() -> Self {
        Self::Simple { assignments: Slice::default(), words: Slice::default() }
    }
}

/// `if`/`elif` condition and what it guards.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Clause {
    pub(crate) condition: Slice<Item>,
    pub(crate) body: Slice<Item>,
}

/// The three expressions of an arithmetic `for`.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ForHeader {
    pub(crate) init: Id<Word>,
    pub(crate) test: Id<Word>,
    pub(crate) step: Id<Word>,
}

/// One arm of a `case`.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Arm {
    pub(crate) patterns: Slice<Word>,
    pub(crate) body: Slice<Item>,
    pub(crate) end: ArmEnd,
}

/// How an arm of a `case` ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum ArmEnd {
    /// `;;`, or nothing before `esac`.
    #[default]
    Break,
    /// `;&`: the next arm's body runs too.
    FallThrough,
    /// `;;&`: the next patterns are tried.
    Continue,
}

/// A node of a `[[ … ]]` expression.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Condition {
    Not(Id<Condition>),
    And(Id<Condition>, Id<Condition>),
    Or(Id<Condition>, Id<Condition>),
    /// `-f word`; the operator's span, dash included.
    Unary {
        operator: Span,
        operand: Id<Word>,
    },
    /// `left == right`; the right side of `==`, `=`, `!=` is a pattern, of `=~` a regular expression.
    Binary {
        operator: Span,
        left: Id<Word>,
        right: Id<Word>,
    },
    /// A lone word: true when it is not empty.
    Word(Id<Word>),
}

impl Default for Condition {
    fn default() -> Self {
        Self::Word(Id::default())
    }
}

/// `name=value`, `name+=value`, `name[subscript]=value`, `name=(…)`.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Assignment {
    pub(crate) span: Span,
    pub(crate) name: Span,
    /// Read as inside double quotes.
    pub(crate) subscript: Option<Id<Word>>,
    pub(crate) append: bool,
    pub(crate) value: AssignedValue,
}

/// The right side of an assignment.
#[derive(Clone, Copy, Debug)]
pub(crate) enum AssignedValue {
    /// One word; it may be empty (no parts, an empty span, literal).
    Word(Id<Word>),
    /// `( … )`.
    Array(Slice<Element>),
}

impl Default for AssignedValue {
    fn default() -> Self {
        Self::Word(Id::default())
    }
}

/// One element of `name=(…)`.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Element {
    /// `[subscript]=`.
    pub(crate) subscript: Option<Id<Word>>,
    /// `[subscript]+=`.
    pub(crate) append: bool,
    pub(crate) value: Id<Word>,
}

/// One redirection.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Redirection {
    pub(crate) span: Span,
    pub(crate) operator: RedirectionOperator,
    /// `2` of `2>`; `None` when the operator's own default counts.
    pub(crate) descriptor: Option<u32>,
    /// `name` of `{name}>`.
    pub(crate) variable: Option<Span>,
    /// The word behind the operator; for a here-document its delimiter.
    pub(crate) target: Id<Word>,
    /// The body of a here-document: whole lines, the delimiter's line left out.
    pub(crate) body: Span,
    /// The here-document's delimiter was not quoted, so its body is expanded.
    pub(crate) expands: bool,
}

/// The redirection operators of bash.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum RedirectionOperator {
    /// `<`
    Input,
    /// `>`
    #[default]
    Output,
    /// `>|`
    Clobber,
    /// `>>`
    Append,
    /// `<>`
    ReadWrite,
    /// `<&`
    DuplicateInput,
    /// `>&`
    DuplicateOutput,
    /// `&>`
    OutputAndError,
    /// `&>>`
    AppendOutputAndError,
    /// `<<`
    Heredoc,
    /// `<<-`
    HeredocStripTabs,
    /// `<<<`
    HereString,
}

const NOWHERE: Span = Span::new(0, 0);

impl Blank for Word {
    const BLANK: Self = Self { span: NOWHERE, parts: Slice::EMPTY, flags: WordFlags(0) };
}
impl Blank for Part {
    const BLANK: Self = Self::Literal(NOWHERE);
}
impl Blank for Parameter {
    const BLANK: Self = Self {
        span: NOWHERE,
        name: NOWHERE,
        subscript: None,
        indirect: false,
        operator: Operator::None,
        operand: None,
        second: None,
    };
}
impl Blank for Substitution {
    const BLANK: Self =
        Self { span: NOWHERE, form: SubstitutionForm::Dollar, text: NOWHERE, body: Slice::EMPTY };
}
impl Blank for Arithmetic {
    const BLANK: Self = Self { expression: Id::FIRST };
}
impl Blank for Item {
    const BLANK: Self = Self { commands: Slice::EMPTY, negated: false, connector: Connector::Sequence };
}
impl Blank for Command {
    const BLANK: Self = Self {
        span: NOWHERE,
        kind: CommandKind::Simple { assignments: Slice::EMPTY, words: Slice::EMPTY },
        redirections: Slice::EMPTY,
        pipes_stderr: false,
        is_literal: true,
    };
}
impl Blank for Clause {
    const BLANK: Self = Self { condition: Slice::EMPTY, body: Slice::EMPTY };
}
impl Blank for ForHeader {
    const BLANK: Self = Self { init: Id::FIRST, test: Id::FIRST, step: Id::FIRST };
}
impl Blank for Arm {
    const BLANK: Self = Self { patterns: Slice::EMPTY, body: Slice::EMPTY, end: ArmEnd::Break };
}
impl Blank for Condition {
    const BLANK: Self = Self::Word(Id::FIRST);
}
impl Blank for Assignment {
    const BLANK: Self = Self {
        span: NOWHERE,
        name: NOWHERE,
        subscript: None,
        append: false,
        value: AssignedValue::Word(Id::FIRST),
    };
}
impl Blank for Element {
    const BLANK: Self = Self { subscript: None, append: false, value: Id::FIRST };
}
impl Blank for Redirection {
    const BLANK: Self = Self {
        span: NOWHERE,
        operator: RedirectionOperator::Output,
        descriptor: None,
        variable: None,
        target: Id::FIRST,
        body: NOWHERE,
        expands: false,
    };
}

/// Every node of everything that was read and is still needed, and the stacks of whoever reads more.
#[derive(Debug)]
pub(crate) struct Tree {
    pub(crate) nodes: Nodes,
    /// Empty between one text and the next; kept because making it anew costs more than reading a line.
    pub(crate) scratch: Scratch,
}

impl Tree {
    /// An empty one.
    pub(crate) const NEW: Self = Self { nodes: Nodes::NEW, scratch: Scratch::NEW };
}

/// The arenas of the tree.
#[derive(Debug)]
pub(crate) struct Nodes {
    pub(crate) words: Arena<Word, 12>,
    pub(crate) parts: Arena<Part, 6>,
    pub(crate) items: Arena<Item, 6>,
    pub(crate) commands: Arena<Command, 8>,
    pub(crate) redirections: Arena<Redirection, 2>,
    pub(crate) assignments: Arena<Assignment, 1>,
    pub(crate) substitutions: Arena<Substitution, 1>,
    pub(crate) parameters: Arena<Parameter, 0>,
    pub(crate) arithmetics: Arena<Arithmetic, 0>,
    pub(crate) elements: Arena<Element, 0>,
    pub(crate) clauses: Arena<Clause, 0>,
    pub(crate) arms: Arena<Arm, 0>,
    pub(crate) conditions: Arena<Condition, 0>,
    pub(crate) for_headers: Arena<ForHeader, 0>,
}

impl Nodes {
    /// An empty one.
    pub(crate) const NEW: Self = Self {
        words: Arena::NEW,
        parts: Arena::NEW,
        items: Arena::NEW,
        commands: Arena::NEW,
        redirections: Arena::NEW,
        assignments: Arena::NEW,
        substitutions: Arena::NEW,
        parameters: Arena::NEW,
        arithmetics: Arena::NEW,
        elements: Arena::NEW,
        clauses: Arena::NEW,
        arms: Arena::NEW,
        conditions: Arena::NEW,
        for_headers: Arena::NEW,
    };
}

macro_rules! arenas {
    ($($field:ident: $node:ty,)+) => {
        /// How much of each arena is filled, to drop what came later.
        #[derive(Clone, Copy, Debug, Default)]
        pub(crate) struct Mark {
            $($field: usize),+
        }

        impl Nodes {
            #[inline]
            pub(crate) fn mark(&self) -> Mark {
                Mark { $($field: self.$field.len()),+ }
            }
            /// Drops every node that was made after `mark`.
            #[inline]
            pub(crate) fn truncate(&mut self, mark: &Mark) {
                $(self.$field.truncate(mark.$field);)+
            }
            fn clear(&mut self) {
                $(self.$field.clear();)+
            }
        }
        $(
            impl Node for $node {
                #[inline]
                fn all(tree: &Nodes) -> &[Self] {
                    tree.$field.as_slice()
                }
                #[inline]
                fn count(tree: &Nodes) -> usize {
                    tree.$field.len()
                }
                #[inline]
                fn marked(mark: &Mark) -> usize {
                    mark.$field
                }
                #[inline]
                fn push(self, tree: &mut Nodes) -> Id<Self> {
                    let id = Id::new(tree.$field.len() as u32);
                    tree.$field.push(self);
                    id
                }
                #[inline]
                fn slot(tree: &mut Nodes) -> Option<&mut Self> {
                    tree.$field.slot()
                }
                #[inline]
                fn extend(nodes: &[Self], tree: &mut Nodes) -> Slice<Self> {
                    let start = tree.$field.len();
                    tree.$field.extend(nodes);
                    Slice::new(start as u32, tree.$field.len() as u32)
                }
            }
        )+
    };
}

/// A kind of node, and the arena where it lives.
pub(crate) trait Node: Blank {
    /// The arena's values.
    fn all(tree: &Nodes) -> &[Self];
    /// How many there are.
    fn count(tree: &Nodes) -> usize;
    /// How many there were at a mark.
    fn marked(mark: &Mark) -> usize;
    /// Adds the node.
    fn push(self, tree: &mut Nodes) -> Id<Self>;
    /// Adds a blank node, to be written over.
    fn slot(tree: &mut Nodes) -> Option<&mut Self>;
    /// Adds the nodes, side by side.
    fn extend(nodes: &[Self], tree: &mut Nodes) -> Slice<Self>;
}

arenas! {
    words: Word,
    parts: Part,
    items: Item,
    commands: Command,
    redirections: Redirection,
    assignments: Assignment,
    substitutions: Substitution,
    parameters: Parameter,
    arithmetics: Arithmetic,
    elements: Element,
    clauses: Clause,
    arms: Arm,
    conditions: Condition,
    for_headers: ForHeader,
}

impl Tree {
    /// See [`Nodes::mark`].
    #[inline]
    pub(crate) fn mark(&self) -> Mark {
        self.nodes.mark()
    }

    /// See [`Nodes::truncate`].
    #[inline]
    pub(crate) fn truncate(&mut self, mark: &Mark) {
        self.nodes.truncate(mark);
    }

    /// Returns the indices of the nodes of one kind that were made since `mark`.
    pub(crate) fn nodes_since<T: Node>(&self, mark: &Mark) -> core::ops::Range<u32> {
        T::marked(mark) as u32..T::count(&self.nodes) as u32
    }

    /// Drops every node.
    pub(crate) fn clear(&mut self) {
        self.nodes.clear();
    }

    /// See [`Nodes::get`].
    #[inline]
    pub(crate) fn get<T: Node>(&self, id: Id<T>) -> T {
        self.nodes.get(id)
    }

    /// See [`Nodes::slice`].
    #[inline]
    pub(crate) fn slice<T: Node>(&self, slice: Slice<T>) -> &[T] {
        self.nodes.slice(slice)
    }
}

impl Nodes {
    /// Returns a copy of one node.
    #[inline]
    pub(crate) fn get<T: Node>(&self, id: Id<T>) -> T {
        T::all(self).get(id.index as usize).copied().unwrap_or(T::BLANK)
    }

    /// Returns the nodes of a slice.
    #[inline]
    pub(crate) fn slice<T: Node>(&self, slice: Slice<T>) -> &[T] {
        T::all(self).get(slice.start as usize..slice.end as usize).unwrap_or(&[])
    }

    /// Adds one node.
    #[inline]
    pub(crate) fn add<T: Node>(&mut self, node: T) -> Id<T> {
        node.push(self)
    }
}
