//! What a find does with what it finds.

use crate::arguments::Argv;
use bash_commands::find_expression::{self, Piece};
use bash_commands::{Command, Word, find_expression as expression};

/// Something that a find does besides printing.
#[derive(Clone, Copy, Debug)]
pub struct Action<'a> {
    command: Command<'a>,
    word: usize,
    kind: ActionKind,
}

/// The kinds of action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ActionKind {
    /// Deletes what is found (`-delete`; bfs also calls it `-rm`).
    Delete,
    /// Runs a command for it. The command is one of its own in the report; see [`Via::FindExec`](bash_commands::Via).
    Execute(expression::Command),
    /// Writes to the file that the next word names (`-fprint`, `-fprint0`, `-fprintf`, `-fls`).
    WriteFile,
}

impl<'a> Action<'a> {
    /// Returns the word that asks for it, such as `-delete`.
    #[must_use]
    pub fn word(self) -> Option<Word<'a>> {
        self.command.word(self.word)
    }

    /// Returns what is done.
    #[must_use]
    pub fn kind(self) -> ActionKind {
        self.kind
    }

    /// Returns whether files are deleted by find itself.
    #[must_use]
    pub fn deletes(self) -> bool {
        self.kind == ActionKind::Delete
    }

    /// Returns the words of the command that is run, `;` and `+` left out; none for other actions.
    pub fn argv(self) -> impl Iterator<Item = Word<'a>> + Clone {
        let (from, to) = match self.kind {
            ActionKind::Execute(command) => (command.from, command.to),
            ActionKind::Delete | ActionKind::WriteFile => (0, 0),
        };
        self.command.argv().take(to).skip(from)
    }

    /// Returns the file that is written to.
    #[must_use]
    pub fn file(self) -> Option<Word<'a>> {
        (self.kind == ActionKind::WriteFile).then(|| self.command.word(self.word + 1))?
    }
}

/// Gives the actions of a command that is taken for find.
pub(crate) fn actions(command: Command<'_>) -> impl Iterator<Item = Action<'_>> + Clone {
    find_expression::pieces(Argv(command)).filter_map(move |piece| {
        let (word, kind) = match piece {
            Piece::Command(found) => (found.word, ActionKind::Execute(found)),
            Piece::Primary { word, .. } => match command.word(word)?.value()? {
                "-delete" | "-rm" => (word, ActionKind::Delete),
                "-fprint" | "-fprint0" | "-fprintf" | "-fls" => (word, ActionKind::WriteFile),
                _ => return None,
            },
            _ => return None,
        };
        Some(Action { command, word, kind })
    })
}
