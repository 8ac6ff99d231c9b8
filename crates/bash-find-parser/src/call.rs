//! One call of find.

use crate::actions::{Action, actions};
use crate::arguments::{Argv, StartPath, start_paths};
use crate::name;
use bash_commands::find_expression::Piece;
use bash_commands::{Command, Directory, Report, Span, Via, find_expression};
use core::fmt;

/// How sure it is that a command is find.
///
/// Not `#[non_exhaustive]` on purpose: whoever judges calls should have to think when a new kind appears.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Name {
    /// Its name is `find`, in any case, or a path that ends in it.
    Find,
    /// Its name is a file name pattern with a folder (`/usr/bin/f?nd`) that find's path matches.
    Pattern,
    /// Its name is not known, and may turn out to be find's (`$X /`, `/usr/bin/$X /`, `f* /`).
    Unknown,
}

/// A call of find: where it starts, what it does there, and how it is reached.
///
/// ```
/// use bash_commands::{Analyzer, Kind, Options};
/// use bash_find_parser::find_calls;
///
/// let text = "sudo find -L \"/etc\" /srv/* -name x -delete";
/// let mut analyzer = Analyzer::new();
/// let report = analyzer.analyze(text, &Options::default());
/// let call = find_calls(report).next().unwrap();
/// let paths: Vec<_> = call.start_paths().map(|path| (path.text(), path.kind(), path.span().of(text))).collect();
/// assert_eq!(paths, [("/etc", Kind::Known, "\"/etc\""), ("/srv/*", Kind::Pattern, "/srv/*")]);
/// assert_eq!(call.wrappers().collect::<Vec<_>>(), ["sudo"]);
/// assert!(call.actions().any(|action| action.deletes()));
/// ```
#[derive(Clone, Copy)]
pub struct FindCall<'a> {
    command: Command<'a>,
    name: Name,
}

impl fmt::Debug for FindCall<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FindCall").field("name", &self.name).field("command", &self.command).finish()
    }
}

/// Returns every call of find in a report, and every command that may turn out to be one ([`Name::Unknown`]).
///
/// Costs one look at the name of each command.
pub fn find_calls(report: Report<'_>) -> impl Iterator<Item = FindCall<'_>> + Clone {
    report.commands().filter_map(FindCall::new)
}

impl<'a> FindCall<'a> {
    /// Takes `command` as a call of find; `None` when it is certainly none.
    #[must_use]
    pub fn new(command: Command<'a>) -> Option<Self> {
        let word = command.name()?;
        if let Some(value) = word.value() {
            return name::is_find(value).then_some(Self { command, name: Name::Find });
        }
        let name = match word.pattern() {
            Some(pattern) if !name::pattern_may_be_find(pattern) => return None,
            // A pattern without a folder only matches names in the working directory.
            Some(pattern) if pattern.contains('/') => Name::Pattern,
            Some(_) => Name::Unknown,
            None => name::may_become_find(word.beginning()).then_some(Name::Unknown)?,
        };
        Some(Self { command, name })
    }

    /// Returns how sure it is that this is find.
    #[must_use]
    pub fn name(self) -> Name {
        self.name
    }

    /// Returns the command.
    #[must_use]
    pub fn command(self) -> Command<'a> {
        self.command
    }

    /// Returns the bytes of the source that hold the call.
    #[must_use]
    pub fn span(self) -> Span {
        self.command.span()
    }

    /// Returns the start paths, in the order of the arguments.
    ///
    /// None means that find walks its working directory ([`FindCall::cwd`]).
    pub fn start_paths(self) -> impl Iterator<Item = StartPath<'a>> + Clone {
        start_paths(self.command)
    }

    /// Returns whether the call may walk its working directory because it names no start path: none is written, or all
    /// those written are unknown words that may stand for nothing (`find $X`).
    ///
    /// ```
    /// use bash_commands::{Analyzer, Options};
    /// use bash_find_parser::find_calls;
    ///
    /// let mut analyzer = Analyzer::new();
    /// let report = analyzer.analyze("find -name x; find /; find $X", &Options::default());
    /// let answers: Vec<_> = find_calls(report).map(|call| call.may_walk_cwd()).collect();
    /// assert_eq!(answers, [true, false, true]);
    /// ```
    #[must_use]
    pub fn may_walk_cwd(self) -> bool {
        self.start_paths().all(|path| path.word().is_splice())
    }

    /// Returns what the call does with what it finds, printing left out, in the order of the arguments.
    pub fn actions(self) -> impl Iterator<Item = Action<'a>> + Clone {
        actions(self.command)
    }

    /// Returns every argument by the part it plays; indices are those of [`Command::argv`].
    pub fn pieces(self) -> impl Iterator<Item = Piece> + Clone {
        find_expression::pieces(Argv(self.command))
    }

    /// Returns the directories that the call may be started in, at least one: relative start paths begin there.
    #[must_use]
    pub fn cwd(self) -> impl ExactSizeIterator<Item = Directory<'a>> + Clone {
        self.command.cwd()
    }

    /// Returns the names of the wrappers around it, outermost first.
    pub fn wrappers(self) -> impl Iterator<Item = &'static str> + Clone {
        self.command.wrappers()
    }

    /// Returns the steps that lead to it, outermost first.
    pub fn via(self) -> impl Iterator<Item = Via> + Clone {
        self.command.via()
    }
}
