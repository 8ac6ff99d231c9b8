//! Where claims live: one trait, several places.

#[cfg(feature = "etcd")]
pub(crate) mod etcd;
pub(crate) mod fs;
pub(crate) mod memory;

use crate::claim::{Claim, ClaimKey};
use crate::decide::Found;
use crate::operation::Publish;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A place for claims, shared by all participants.
///
/// What an implementation owes: between [`lock`](Self::lock) and [`Locked::unlock`] nobody else changes that key's claim, or
/// else [`Locked::publish`] and [`Locked::remove`] fail with [`StoreProblem::Contended`]; and a lock dies with its holder.
pub trait Store: Send + Sync + fmt::Debug {
    /// Takes the operation lock of a key, waiting for it no longer than `wait`.
    ///
    /// # Errors
    ///
    /// [`StoreProblem::Busy`] when the time is over; else what the place says.
    fn lock<'a>(&'a self, key: &ClaimKey, wait: Duration) -> Result<Box<dyn Locked + 'a>, StoreError>;

    /// Reads everything that is stored, without locks: for showing. In order of the keys.
    ///
    /// # Errors
    ///
    /// What the place says.
    fn list(&self) -> Result<Vec<Listed>, StoreError>;

    /// Reads what is stored under a key, without its lock: enough to see that somebody else holds it.
    ///
    /// # Errors
    ///
    /// What the place says.
    fn peek(&self, key: &ClaimKey) -> Result<Found, StoreError>;

    /// The name of the liveness lock that this store holds for this process, if it holds one.
    fn liveness(&self) -> Option<Box<str>> {
        None
    }

    /// Whether the liveness lock of this name is held: then its holder lives. Otherwise nothing is proven.
    fn is_live(&self, mark: &str) -> bool {
        let _ = mark;
        false
    }
}

/// One entry of a listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Its name.
    pub key: ClaimKey,
    /// What is there.
    pub found: Found,
}

/// One key's claim while its operation lock is held.
pub trait Locked {
    /// Reads what is stored.
    ///
    /// # Errors
    ///
    /// If it cannot be read. What can be read and makes no sense is no error but a finding.
    fn read(&mut self) -> Result<Found, StoreError>;

    /// Returns a number larger than `above` and than all that this key ever gave out, and keeps it.
    ///
    /// # Errors
    ///
    /// If it cannot be kept.
    fn next_generation(&mut self, above: u64) -> Result<u64, StoreError>;

    /// Makes a claim visible, whole or not at all.
    ///
    /// # Errors
    ///
    /// If it cannot be written; then what was there is still there.
    fn publish(&mut self, claim: &Claim, how: Publish) -> Result<(), StoreError>;

    /// Moves the claim's modification time to now, without needing any space.
    ///
    /// # Errors
    ///
    /// If that cannot be done.
    fn touch(&mut self) -> Result<(), StoreError>;

    /// Gives the record a second name in the quarantine.
    ///
    /// # Errors
    ///
    /// If that cannot be done.
    fn quarantine(&mut self) -> Result<(), StoreError>;

    /// Removes the claim.
    ///
    /// # Errors
    ///
    /// If it cannot be removed.
    fn remove(&mut self) -> Result<(), StoreError>;

    /// Lets go of the lock. Dropping does the same, and hides the error.
    ///
    /// # Errors
    ///
    /// If the lock could not be given back; it then ends with the process.
    fn unlock(self: Box<Self>) -> Result<(), StoreError>;
}

/// A store that cannot do what it is asked: the place and the problem.
#[derive(Debug, thiserror::Error)]
#[error("`{}`: {problem}", place.display())]
pub struct StoreError {
    place: PathBuf,
    #[source]
    problem: StoreProblem,
}

impl StoreError {
    /// An error at a place.
    #[must_use]
    pub fn new(place: &Path, problem: StoreProblem) -> Self {
        Self { place: place.to_owned(), problem }
    }

    /// An error of the system, sorted by what can be done about it.
    #[must_use]
    pub fn from_io(place: &Path, source: io::Error) -> Self {
        use io::ErrorKind::{PermissionDenied, QuotaExceeded, ReadOnlyFilesystem, StorageFull};
        let problem = match source.kind() {
            ReadOnlyFilesystem => StoreProblem::ReadOnly,
            StorageFull | QuotaExceeded => StoreProblem::NoSpace,
            PermissionDenied => StoreProblem::Denied,
            // EMFILE and ENFILE have no kind of their own.
            _ if matches!(source.raw_os_error(), Some(23 | 24)) => StoreProblem::TooManyFiles,
            _ => StoreProblem::Io(source),
        };
        Self::new(place, problem)
    }

    /// The file, folder or server.
    #[must_use]
    pub fn place(&self) -> &Path {
        &self.place
    }

    /// What is wrong.
    #[must_use]
    pub fn problem(&self) -> &StoreProblem {
        &self.problem
    }
}

/// Why a store cannot do what it is asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreProblem {
    /// The operation lock stayed taken.
    #[error(
        "another process kept its operation lock for {waited:?}; try again, and look for a stopped process"
    )]
    Busy {
        /// For how long it was waited for.
        waited: Duration,
    },
    /// The claim changed between reading and writing.
    #[error("the claim was changed by somebody else just now; try again")]
    Contended,
    /// A folder or file that somebody else could change.
    #[error("{0}; mend that or choose another state folder")]
    Unsafe(Unsafe),
    /// Locks of a network file system cannot be relied on.
    #[error(
        "the state folder lies on a network file system ({0}), whose locks cannot be relied on; choose a local folder"
    )]
    NetworkFileSystem(&'static str),
    /// The file system is mounted read-only, as a sandbox does.
    #[error("the file system is read-only here; make the state folder writable, or work outside the sandbox")]
    ReadOnly,
    /// No space, or no quota, is left.
    #[error("no space is left; free some")]
    NoSpace,
    /// No permission.
    #[error("permission denied; make it readable and writable for you")]
    Denied,
    /// The process or the system has too many files open.
    #[error("too many open files; raise the limit or close some")]
    TooManyFiles,
    /// Anything else that the system says.
    #[error("{0}")]
    Io(#[source] io::Error),
}

/// What makes a folder or file unsafe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum Unsafe {
    /// It is a symbolic link.
    #[error("it is a symbolic link")]
    Symlink,
    /// It is not a directory.
    #[error("it is not a directory")]
    NotADirectory,
    /// It is not a regular file.
    #[error("it is not a regular file")]
    NotAFile,
    /// It belongs to somebody else.
    #[error("it belongs to another user")]
    OtherOwner,
    /// Others may write to it.
    #[error("its group or everybody may write to it")]
    WritableByOthers,
}
