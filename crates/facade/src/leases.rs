//! Where the leases of collision-guard live, and whose they are.

use collision_lease::{Clock, LeaseSet, OwnerToken, SystemClock};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Where leases live, and whose they are.
#[derive(Clone, Debug)]
pub struct Leases {
    pub(crate) source: LeaseSource,
    /// Where the times in messages come from.
    pub(crate) clock: Arc<dyn Clock>,
}

#[derive(Clone, Debug)]
pub(crate) enum LeaseSource {
    /// A set that this process opens with the first edit: its life, or that of the agent that started it, keeps the leases.
    Folder { folder: PathBuf, owner: LeaseOwner },
    /// A set of the host's own.
    Shared(Arc<LeaseSet>),
}

/// Whose life keeps leases.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum LeaseOwner {
    /// This process's: for a host, and for a server that a host talks to.
    Process,
    /// That of the agent that started this process: for a program that runs once for each event. `agent_settled` and
    /// `session_shutdown` release what earlier such processes of the session acquired.
    Agent,
    /// This process's, beside those of the agent that started it, whose token it was handed: a sub-agent that works on its
    /// parent's files. It uses the parent's leases and never releases them.
    Parent(OwnerToken),
}

impl Leases {
    /// Leases of this process's, in a folder. It is created with the first lease.
    ///
    /// ```
    /// use brakeline::{Builder, Leases, Setup};
    ///
    /// let builder = Builder::new(Setup::new("s1")).leases(Leases::in_folder("/home/ada/.pi/agent/collision-guard"));
    /// ```
    #[must_use]
    pub fn in_folder(folder: impl Into<PathBuf>) -> Self {
        Self::of(LeaseSource::Folder { folder: folder.into(), owner: LeaseOwner::Process })
    }

    /// Leases in pi's folder below a home directory: `.pi/agent/collision-guard`.
    #[must_use]
    pub fn in_home(home: &Path) -> Self {
        Self::in_folder(home.join(".pi/agent/collision-guard"))
    }

    /// Leases of a set that the host uses itself, too. Its own options count, and its session id is what others see.
    #[must_use]
    pub fn shared(leases: Arc<LeaseSet>) -> Self {
        Self::of(LeaseSource::Shared(leases))
    }

    fn of(source: LeaseSource) -> Self {
        Self { source, clock: Arc::new(SystemClock) }
    }

    /// Returns these leases as somebody else's; no change for those of a [shared](Self::shared) set.
    #[must_use]
    pub fn owned_by(mut self, new: LeaseOwner) -> Self {
        if let LeaseSource::Folder { owner, .. } = &mut self.source {
            *owner = new;
        }
        self
    }

    /// Returns these leases with another clock for the times in messages.
    #[must_use]
    pub fn with_clock(self, clock: Arc<dyn Clock>) -> Self {
        Self { clock, ..self }
    }
}
