//! Which constructs the texts hold, whether or not they are run.

use crate::evaluate::Evaluator;
use crate::span::Span;
use crate::syntax::{Command, CommandKind, Connector, Id, Item, Mark, Slice, Substitution};

/// A kind of construct that makes a text more than one simple command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum StructureKind {
    /// Commands joined by `;`, `&&`, `||` or a newline; the place is the second one.
    List,
    /// `|` or `|&`; the place is the second command.
    Pipeline,
    /// `&`; the place is the command before it.
    Background,
    /// `( … )`.
    Subshell,
    /// `$(…)`, `` `…` ``, `<(…)` or `>(…)`.
    Substitution,
    /// `if`.
    If,
    /// `while`, `until`, `for` or `select`.
    Loop,
    /// `case`.
    Case,
    /// The definition of a function.
    Function,
    /// `coproc`.
    Coprocess,
}

impl StructureKind {
    const ALL: [Self; 10] = [
        Self::List,
        Self::Pipeline,
        Self::Background,
        Self::Subshell,
        Self::Substitution,
        Self::If,
        Self::Loop,
        Self::Case,
        Self::Function,
        Self::Coprocess,
    ];

    /// Returns the name that reports use, such as `pipeline`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::List => "list",
            Self::Pipeline => "pipeline",
            Self::Background => "background",
            Self::Subshell => "subshell",
            Self::Substitution => "substitution",
            Self::If => "if",
            Self::Loop => "loop",
            Self::Case => "case",
            Self::Function => "function",
            Self::Coprocess => "coprocess",
        }
    }
}

/// A construct of a text, and where it first stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Structure {
    /// What it is.
    pub kind: StructureKind,
    /// The bytes of the source that hold it; for one in derived text (`eval "$x"`), the word that carries it.
    pub span: Span,
}

/// The first place of each kind.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Structures([Option<Span>; StructureKind::ALL.len()]);

impl Structures {
    /// None.
    pub(crate) const NEW: Self = Self([None; StructureKind::ALL.len()]);

    fn note(&mut self, kind: StructureKind, span: Span) {
        if let Some(place) = self.0.get_mut(kind as usize) {
            // Inner constructs are read before the outer ones.
            if place.is_none_or(|known| span.start < known.start) {
                *place = Some(span);
            }
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = Structure> + Clone {
        let places = self.0;
        StructureKind::ALL
            .into_iter()
            .zip(places)
            .filter_map(|(kind, span)| span.map(|span| Structure { kind, span }))
    }
}

impl Evaluator<'_> {
    /// Notes a construct.
    pub(crate) fn note_structure(&mut self, kind: StructureKind, span: Span) {
        let span = self.source_span(span);
        self.findings.structures.note(kind, span);
    }

    /// Notes the constructs of a line that was just read: `items`, and every node made since `mark`.
    ///
    /// What is in a branch that is never taken counts too: `true || rm x` is a list. The nodes lie side by side, so
    /// that nothing here recurses.
    pub(crate) fn note_structures(&mut self, mark: &Mark, items: Slice<Item>, is_first: bool) {
        if !is_first && let Some(item) = items.first() {
            self.note_second(item);
        }
        self.note_list(items);
        for index in self.tree.nodes_since::<Item>(mark) {
            let item = self.tree.get(Id::<Item>::new(index));
            self.note_item(&item);
        }
        for index in self.tree.nodes_since::<Substitution>(mark) {
            let substitution = self.tree.get(Id::<Substitution>::new(index));
            self.note_structure(StructureKind::Substitution, substitution.span);
            self.note_list(substitution.body);
        }
        for index in self.tree.nodes_since::<Command>(mark) {
            let command = self.tree.get(Id::<Command>::new(index));
            if !matches!(command.kind, CommandKind::Simple { .. }) {
                self.note_compound(&command);
            }
        }
    }

    fn note_item(&mut self, item: &Item) {
        let mut commands = item.commands.ids();
        let first = commands.next();
        if let Some(second) = commands.next() {
            let span = self.tree.get(second).span;
            self.note_structure(StructureKind::Pipeline, span);
        }
        if let (Connector::Background, Some(first)) = (item.connector, first) {
            let span = self.tree.get(first).span;
            self.note_structure(StructureKind::Background, span);
        }
    }

    fn note_list(&mut self, items: Slice<Item>) {
        if let Some(second) = items.ids().nth(1) {
            self.note_second(second);
        }
    }

    fn note_second(&mut self, item: Id<Item>) {
        if let Some(command) = self.tree.get(item).commands.first() {
            let span = self.tree.get(command).span;
            self.note_structure(StructureKind::List, span);
        }
    }

    fn note_compound(&mut self, command: &Command) {
        let kind = match command.kind {
            CommandKind::Group { body } => return self.note_list(body),
            CommandKind::Simple { .. } | CommandKind::Condition { .. } | CommandKind::Arithmetic { .. } => {
                return;
            }
            CommandKind::Subshell { body } => {
                self.note_list(body);
                StructureKind::Subshell
            }
            CommandKind::If { .. } => StructureKind::If,
            CommandKind::Loop { .. }
            | CommandKind::For { .. }
            | CommandKind::ForArithmetic { .. }
            | CommandKind::Select { .. } => StructureKind::Loop,
            CommandKind::Case { .. } => StructureKind::Case,
            CommandKind::Function { .. } => StructureKind::Function,
            CommandKind::Coprocess { .. } => StructureKind::Coprocess,
        };
        self.note_structure(kind, command.span);
    }
}
