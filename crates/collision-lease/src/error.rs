//! Why a path was not granted, kept or given back.

use crate::canonical::{CanonicalPath, PathError};
use crate::decide::{Conflict, Holder, Hostile};
use crate::operation::Loss;
use crate::store::{StoreError, StoreProblem};
use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// Why a path was not granted, kept or given back. Whatever it is, the file must not be touched.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Somebody else holds the path.
    #[error("`{path}` is held by {}; wait until it is released, then try again", holder_text(&conflict.holder))]
    Held {
        /// The path.
        path: CanonicalPath,
        /// Who, and why the claim stands.
        conflict: Box<Conflict>,
    },
    /// The record of the path is corrupt and may be somebody's.
    #[error("the claim of `{path}` is corrupt ({reason}); it can be replaced in {left:?}, try again then")]
    Corrupt {
        /// The path.
        path: CanonicalPath,
        /// What is wrong with the record.
        reason: &'static str,
        /// The rest of the grace.
        left: Duration,
    },
    /// In place of the record there is something that no participant puts there.
    #[error("the claim of `{path}` is not a file of yours; look at `{}` and remove it", entry.display())]
    Hostile {
        /// The path.
        path: CanonicalPath,
        /// What there is instead.
        what: Hostile,
        /// Where it is.
        entry: PathBuf,
    },
    /// The path was ours and is not any more. Reported once; acquiring again starts afresh.
    #[error("the lease on `{path}` was lost: {}; read the file again before changing it", loss_text(loss))]
    Lost {
        /// The path.
        path: CanonicalPath,
        /// Why.
        loss: Loss,
    },
    /// The path is not held by this set.
    #[error("`{path}` is not held; acquire it first")]
    NotHeld {
        /// The path.
        path: CanonicalPath,
    },
    /// The name leads to another file than when it was acquired.
    #[error("`{}` led to `{was}` when it was acquired and leads to `{now}` now; acquire it again", asked.display())]
    Moved {
        /// The name as it was given.
        asked: PathBuf,
        /// The file then.
        was: CanonicalPath,
        /// The file now.
        now: CanonicalPath,
    },
    /// A forced release met another holder than the one that was shown.
    #[error("the claim of `{path}` is not the one that was shown; look again before deciding")]
    NotAsShown {
        /// The path.
        path: CanonicalPath,
        /// Who holds it now, if anybody.
        holder: Option<Box<Holder>>,
    },
    /// It cannot be told which file is meant.
    #[error(transparent)]
    Path(#[from] PathError),
    /// The store cannot do what it must.
    #[error("the lease store failed at {0}")]
    Store(#[from] StoreError),
    /// The heartbeat thread cannot start, so nothing would keep the lease alive.
    #[error("the heartbeat thread cannot start; end some processes or raise the limit of threads")]
    Heartbeat(#[source] io::Error),
    /// The agent on whose behalf this process acts cannot be determined.
    #[error("cannot tell which agent process started this one; run it as a child of the agent")]
    NoAgent,
}

impl Error {
    /// Whether trying again later may succeed, without anybody having to mend anything.
    #[must_use]
    pub fn may_pass(&self) -> bool {
        match self {
            Self::Held { .. } | Self::Corrupt { .. } => true,
            Self::Store(error) => {
                matches!(error.problem(), StoreProblem::Busy { .. } | StoreProblem::Contended)
            }
            _ => false,
        }
    }
}

fn holder_text(holder: &Holder) -> String {
    let session = holder
        .session
        .as_ref()
        .map_or_else(|| "an unnamed session".to_owned(), |s| format!("session `{}`", s.short()));
    match holder.pid {
        Some(pid) => format!("{session}, pid {pid}"),
        None => session,
    }
}

fn loss_text(loss: &Loss) -> String {
    match loss {
        Loss::Removed => "its claim was removed".to_owned(),
        Loss::TakenOver(holder) => format!("it was taken over by {}", holder_text(holder)),
        Loss::Unreadable(reason) => format!("its claim cannot be read ({reason})"),
    }
}
