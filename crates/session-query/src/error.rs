//! Why a session file could not be read.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// A session file that cannot be read.
///
/// Lines that are no entries are never an error: they are passed over. What is left is a file that cannot be read at
/// all, or that is not a session in the one format this crate knows.
#[derive(Debug)]
pub struct Error {
    path: Option<PathBuf>,
    kind: ErrorKind,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", place(self.path.as_deref()), self.kind)
    }
}

// By hand: the message already says what the kind says, so the source is what lies below it.
impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        std::error::Error::source(&self.kind)
    }
}

/// What is wrong with a session file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The file could not be opened.
    #[error("cannot open the session file")]
    Open(#[source] io::Error),
    /// Reading failed.
    #[error("cannot read the session file, {from_end} bytes from its end")]
    Read {
        /// How far from the end the reader stood, in bytes: a session file is read backwards, and grows.
        from_end: u64,
        /// What the source said.
        #[source]
        source: io::Error,
    },
    /// The first entry is not a session header with an id.
    #[error(
        "not a session file: its first entry is not a header like `{{\"type\":\"session\",\"version\":3,\"id\":…}}`"
    )]
    NotASession,
    /// The session is written in a version of the format that this crate does not read.
    #[error("session format version {version} is not supported, only 3; {}", advice(version))]
    UnsupportedVersion {
        /// The header's `version` as it is written there; `1` when there is none, which is how version 1 looks.
        version: String,
    },
}

impl Error {
    pub(crate) fn new(kind: ErrorKind) -> Self {
        Self { path: None, kind }
    }

    pub(crate) fn read(from_end: u64, source: io::Error) -> Self {
        Self::new(ErrorKind::Read { from_end, source })
    }

    /// Returns the error with the file it is about; [`open_session`](crate::open_session) has done that.
    #[must_use]
    pub fn with_path(mut self, path: &Path) -> Self {
        self.path = Some(path.to_owned());
        self
    }

    /// Returns what is wrong.
    #[must_use]
    pub fn kind(&self) -> &ErrorKind {
        &self.kind
    }

    /// Returns the file, when it is known.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }
}

fn place(path: Option<&Path>) -> String {
    path.map_or_else(String::new, |path| format!("`{}`: ", path.display()))
}

fn advice(version: &str) -> &'static str {
    match version {
        "1" | "2" => "open the session once in pi, which rewrites it",
        _ => "a newer reader may know it",
    }
}
