//! What the engine is told about the session it serves.

use crate::host::Host;
use crate::locale::Language;
use serde_json::Value;

/// What is known of a session from its start to its end.
///
/// The engine reads no clock, environment or working directory: this is all it knows.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The session's id, which others are shown when it holds a file.
    pub session: String,
    /// The absolute working directory, where it is known and not given with each event.
    pub cwd: Option<String>,
    /// The absolute home directory, where it is known.
    pub home: Option<String>,
    /// The host's ways with tools.
    pub host: Host,
    /// The language of texts; [`locale::language`](crate::locale::language) picks one.
    pub language: Language,
}

impl Setup {
    /// A session of which nothing but its id is known, in pi, in English.
    #[must_use]
    pub fn new(session: impl Into<String>) -> Self {
        Self { session: session.into(), cwd: None, home: None, host: Host::PI, language: Language::En }
    }
}

/// A session as it stands when something happens.
#[derive(Clone, Copy, Debug, Default)]
pub struct SessionView<'a> {
    /// The absolute working directory, if it is another than [`Setup::cwd`].
    pub cwd: Option<&'a str>,
    /// The entries of the current branch.
    pub branch: Branch<'a>,
}

impl<'a> SessionView<'a> {
    /// A view of a branch, in the directory of the setup.
    #[must_use]
    pub fn of(branch: Branch<'a>) -> Self {
        Self { cwd: None, branch }
    }
}

/// The entries of a session's current branch, in pi's shapes, oldest first.
#[derive(Clone, Copy, Debug, Default)]
pub struct Branch<'a> {
    entries: &'a [Value],
    is_whole: bool,
}

impl<'a> Branch<'a> {
    /// All entries.
    #[must_use]
    pub fn whole(entries: &'a [Value]) -> Self {
        Self { entries, is_whole: true }
    }

    /// The entries that extensions read, others being left out: cheaper across a pipe.
    ///
    /// What concerns ids of entries that are not there is then the host's to judge.
    #[must_use]
    pub fn part(entries: &'a [Value]) -> Self {
        Self { entries, is_whole: false }
    }

    /// Returns the entries, oldest first.
    #[must_use]
    pub fn entries(self) -> &'a [Value] {
        self.entries
    }

    /// Tells whether no entry is left out.
    #[must_use]
    pub fn is_whole(self) -> bool {
        self.is_whole
    }
}
