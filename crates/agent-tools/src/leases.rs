//! Leases of `collision-lease` behind a gate: `edit`, `write`, `move` and `astedit` of several agents keep out of each other's way.

#![cfg(feature = "lease")]

use crate::{Hold, Language, Refusal};
use collision_lease::{
    BLOCKED, CanonicalPath, Clock, EntryState, Error, LeaseSet, ProcessState, SystemClock,
};
use std::path::Path;

/// What refusals of leases are by.
const BY: &str = "collision-guard";

/// Leases of one agent, with what a [`Gate`](crate::Gate) needs of them.
///
/// ```
/// use brakeline_agent_tools::{Hold, Language, Leases};
/// use collision_lease::{LeaseSet, SessionId};
///
/// let folder = tempfile::tempdir()?;
/// let (state, file) = (folder.path().join("state"), folder.path().join("notes.txt"));
/// let ours = Leases::new(LeaseSet::for_process(&state, SessionId::new("a"))?);
/// let theirs = Leases::new(LeaseSet::for_process(&state, SessionId::new("b"))?);
/// ours.hold(&[Hold::File(&file)], Language::En)?;
/// let refusal = theirs.hold(&[Hold::Tree(folder.path())], Language::En).unwrap_err();
/// assert!(refusal.reason().starts_with("Collision guard blocked"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Leases {
    set: LeaseSet,
}

impl Leases {
    /// Takes over a set.
    #[must_use]
    pub fn new(set: LeaseSet) -> Self {
        Self { set }
    }

    /// Returns the set: to release what is held when a run settles.
    #[must_use]
    pub fn set(&self) -> &LeaseSet {
        &self.set
    }

    /// Acquires leases on all files, or on none. A directory has no lease of its own: what others hold below it is in the way.
    ///
    /// Between this and a move of a directory somebody else may acquire a file below it.
    ///
    /// # Errors
    /// Who holds what, and how to go on.
    pub fn hold(&self, holds: &[Hold<'_>], language: Language) -> Result<(), Refusal> {
        for hold in holds {
            if let Hold::Tree(folder) = hold {
                self.check_below(folder, language)?;
            }
        }
        let files: Vec<&Path> = holds
            .iter()
            .filter_map(|hold| match hold {
                Hold::File(path) => Some(*path),
                Hold::Tree(_) => None,
            })
            .collect();
        self.set.acquire_all(&files).map(drop).map_err(|error| refusal(&error, language))
    }

    /// Calls `write` once while the lease on a path is known to be still ours; a directory has none to lose.
    ///
    /// # Errors
    /// The lease was lost; `write` was not called.
    pub fn commit(&self, path: &Path, write: &mut dyn FnMut(), language: Language) -> Result<(), Refusal> {
        if path.symlink_metadata().is_ok_and(|metadata| metadata.is_dir()) {
            write();
            return Ok(());
        }
        self.set.commit(path, |_| write()).map_err(|error| refusal(&error, language))
    }

    fn check_below(&self, folder: &Path, language: Language) -> Result<(), Refusal> {
        // What does not exist has nothing below it.
        let Ok(folder) = CanonicalPath::resolve(folder) else { return Ok(()) };
        let entries = self.set.status().map_err(|error| refusal(&error, language))?;
        let in_the_way = entries.into_iter().find(|entry| match &entry.state {
            EntryState::Claim { claim, mine: false, process, .. } => {
                *process != ProcessState::Dead
                    && claim.path.as_ref().is_some_and(|path| path.as_path().starts_with(folder.as_path()))
            }
            _ => false,
        });
        in_the_way.map_or(Ok(()), |entry| {
            Err(Refusal::new(format!("{BLOCKED}: {}", entry.text(lease_language(language)))).by(BY))
        })
    }
}

fn refusal(error: &Error, language: Language) -> Refusal {
    Refusal::new(error.block_text(lease_language(language), SystemClock.read())).by(BY)
}

fn lease_language(language: Language) -> collision_lease::Language {
    match language {
        Language::ZhCn => collision_lease::Language::ZhCn,
        Language::En => collision_lease::Language::En,
    }
}
