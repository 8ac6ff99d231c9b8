//! Which arguments are start paths.

use bash_commands::find_expression::{self, Piece, Place};
use bash_commands::{Argument, Arguments, Command, Kind, Reason, Span, Word};

/// A place where find starts.
#[derive(Clone, Copy, Debug)]
pub struct StartPath<'a> {
    word: Word<'a>,
    /// Where the path begins in the word: more than 0 for `-f/path`.
    offset: usize,
    place: Place,
    /// The paths stand in a file that the word behind this one names.
    in_file: bool,
}

impl<'a> StartPath<'a> {
    /// Returns the path when it is known, else its source text as written; `-files0-from` when the paths stand in a file.
    #[must_use]
    pub fn text(self) -> &'a str {
        self.word.text().get(self.offset..).unwrap_or_default()
    }

    /// Returns how well the path is fixed.
    #[must_use]
    pub fn kind(self) -> Kind {
        if self.in_file { Kind::Unknown(Reason::FileContent) } else { self.word.kind() }
    }

    /// Returns the path, when it is known.
    #[must_use]
    pub fn value(self) -> Option<&'a str> {
        if self.in_file { None } else { self.word.value()?.get(self.offset..) }
    }

    /// Returns the file name pattern, when the path is one; see [`Word::pattern`].
    #[must_use]
    pub fn pattern(self) -> Option<&'a str> {
        self.word.pattern()
    }

    /// Returns the bytes of the source that carry the path.
    #[must_use]
    pub fn span(self) -> Span {
        let span = self.word.span();
        if self.offset > 0 && self.word.is_verbatim() {
            Span::new(span.start + self.offset as u32, span.end)
        } else {
            span
        }
    }

    /// Returns where the path stands among the arguments.
    #[must_use]
    pub fn place(self) -> Place {
        self.place
    }

    /// Returns whether the paths stand in a file (`-files0-from`), so that [`StartPath::text`] is none of them.
    #[must_use]
    pub fn is_in_file(self) -> bool {
        self.in_file
    }

    /// Returns the whole argument.
    #[must_use]
    pub fn word(self) -> Word<'a> {
        self.word
    }
}

/// Gives the start paths of a command that is taken for find.
pub(crate) fn start_paths(command: Command<'_>) -> impl Iterator<Item = StartPath<'_>> + Clone {
    find_expression::pieces(Argv(command)).filter_map(move |piece| match piece {
        Piece::StartPath { word, offset, place } => {
            Some(StartPath { word: command.word(word)?, offset, place, in_file: false })
        }
        Piece::PathsFrom { word, .. } => {
            Some(StartPath { word: command.word(word)?, offset: 0, place: Place::OptionValue, in_file: true })
        }
        _ => None,
    })
}

/// The words of a command as arguments of find.
#[derive(Clone, Copy)]
pub(crate) struct Argv<'a>(pub(crate) Command<'a>);

impl Arguments for Argv<'_> {
    #[inline]
    fn len(&self) -> usize {
        self.0.argv().len()
    }

    #[inline]
    fn get(&self, index: usize) -> Option<Argument<'_>> {
        let word = self.0.word(index)?;
        Some(match word.value() {
            Some(value) => Argument::known(value),
            None if word.is_splice() => Argument::splice(word.beginning()),
            None => Argument::unknown(word.beginning()),
        })
    }
}
