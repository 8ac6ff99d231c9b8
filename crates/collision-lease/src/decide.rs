//! What to do about a path: claim, time, holder and self in, one verdict out.
//!
//! Pure: no file, no clock, no process is looked at here. The whole policy is the one `match` in [`decide`].

use crate::claim::{Claim, Record};
use crate::clock::{Reading, WallTime};
use crate::identity::{Owner, OwnerToken, Pid, SessionId};
use std::time::Duration;

/// The three times that the policy knows.
///
/// "Stale" and "past its grace" mean strictly more than these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Limits {
    /// How often a holder confirms its claims.
    pub heartbeat: Duration,
    /// From when on a silent holder of which nobody can tell whether it lives counts as gone.
    pub stale: Duration,
    /// For how long after its last change a corrupt claim still blocks.
    pub corrupt_grace: Duration,
}

impl Default for Limits {
    /// 5 s, 30 s and 30 s.
    fn default() -> Self {
        let seconds = Duration::from_secs;
        Self { heartbeat: seconds(5), stale: seconds(30), corrupt_grace: seconds(30) }
    }
}

/// What a probe says about a holder's process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProcessState {
    /// It runs, or so it must be assumed.
    Alive,
    /// It is certainly gone.
    Dead,
    /// It lives where it cannot be seen: another pid namespace, another host.
    Unknown,
}

/// What is stored under a path's key.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Found {
    /// Nothing: the path is free.
    Nothing,
    /// A record.
    Record {
        /// What it says.
        record: Record,
        /// When it was last written or touched.
        modified: WallTime,
    },
    /// Something that no participant puts there. Neither read nor removed.
    Hostile(Hostile),
}

/// Why an entry is not accepted as a claim at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Hostile {
    /// A symbolic link.
    Symlink,
    /// A directory, FIFO, socket or device.
    NotAFile,
    /// A file of another user.
    OtherOwner,
}

/// Everything the verdict depends on, besides who asks.
#[derive(Clone, Copy, Debug)]
pub struct Observation<'a> {
    /// What is stored.
    pub found: &'a Found,
    /// What the probe says about the process that the record names, if it names one.
    pub process: ProcessState,
    /// The time.
    pub now: Reading,
    /// How long ago the machine woke from sleep, if this observer was there to notice.
    pub since_wake: Option<Duration>,
}

/// What an acquire does.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Decision {
    /// The path is free: claim it.
    Acquire,
    /// It is mine and was confirmed lately: nothing to write.
    Keep,
    /// It is mine: confirm it.
    Renew,
    /// Its holder is gone: replace the claim.
    TakeOver(Gone),
    /// The record is corrupt and past its grace: put it into quarantine and replace it.
    Replace,
    /// Somebody else holds it.
    Conflict(Conflict),
    /// The record is corrupt and may be somebody's: blocked for as long as `left`.
    Wait {
        /// The rest of the grace.
        left: Duration,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// What is stored is hostile: blocked until a person removes it.
    Refuse(Hostile),
}

/// Why a holder counts as gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Gone {
    /// Its process is dead.
    Dead,
    /// Nobody can tell, and it has been silent for too long.
    Silent,
}

/// Who is in the way, and why it is not taken over.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Conflict {
    /// The holder.
    pub holder: Holder,
    /// Why its claim stands.
    pub why: Standing,
}

/// Why a claim stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Standing {
    /// Its process lives.
    Alive,
    /// Nobody can tell; it is taken over if it stays silent for as long as `left`.
    CannotTell {
        /// The time left until it is stale.
        left: Duration,
    },
    /// The record is of a newer format than this version reads.
    NewerFormat,
}

/// A holder as a message shows it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Holder {
    /// Its session.
    pub session: Option<SessionId>,
    /// Its process.
    pub pid: Option<Pid>,
    /// Its token: what a forced release must repeat.
    pub token: Option<OwnerToken>,
    /// The number of its grant; zero if the record does not tell.
    pub generation: u64,
    /// When it was granted the path.
    pub since: Option<WallTime>,
}

impl Holder {
    pub(crate) fn of(claim: &Claim) -> Self {
        Self {
            session: claim.session.clone(),
            pid: Some(claim.process.pid),
            token: claim.token.clone(),
            generation: claim.generation,
            since: claim.acquired.wall,
        }
    }

    /// The holder that a record names, as far as it does.
    #[must_use]
    pub fn of_record(record: &Record) -> Self {
        match record {
            Record::Claim(claim) => Self::of(claim),
            Record::Newer { pid, session, .. } => {
                Self { session: session.clone(), pid: *pid, token: None, generation: 0, since: None }
            }
            Record::Corrupt { pid, .. } => {
                Self { session: None, pid: *pid, token: None, generation: 0, since: None }
            }
        }
    }
}

/// Decides what `me` does about a path. Constant time.
///
/// ```
/// use collision_lease::*;
/// let me = Owner {
///     token: OwnerToken::random()?,
///     session: SessionId::new("s"),
///     process: Process::with_pid(Pid::own()),
/// };
/// let seen = Observation {
///     found: &Found::Nothing,
///     process: ProcessState::Dead,
///     now: Reading::default(),
///     since_wake: None,
/// };
/// assert_eq!(decide(&seen, &me, &Limits::default()), Decision::Acquire);
/// # Ok::<(), std::io::Error>(())
/// ```
#[must_use]
pub fn decide(seen: &Observation<'_>, me: &Owner, limits: &Limits) -> Decision {
    use ProcessState::{Alive, Dead, Unknown};
    let (record, modified) = match seen.found {
        Found::Nothing => return Decision::Acquire,
        Found::Hostile(what) => return Decision::Refuse(*what),
        Found::Record { record, modified } => (record, *modified),
    };
    let process = seen.process;
    let conflict = |why| Decision::Conflict(Conflict { holder: Holder::of_record(record), why });

    match (record, process) {
        // What cannot be understood may be somebody's.
        (Record::Newer { .. }, _) => conflict(Standing::NewerFormat),
        (Record::Corrupt { pid: Some(_), .. }, Alive) => conflict(Standing::Alive),
        // Strictly after the grace, by the file's own time: the observer may have started just now.
        (Record::Corrupt { reason, .. }, _) => match seen.now.wall.since(modified) {
            age if age > limits.corrupt_grace => Decision::Replace,
            age => Decision::Wait { left: limits.corrupt_grace.saturating_sub(age), reason },
        },
        (Record::Claim(claim), _) if claim.belongs_to(me) => {
            let age = claim.heartbeat_age(modified, seen.now, &me.process);
            // A child that inherited this token may have died with the claim in its name: then it is renewed in mine.
            if age < limits.heartbeat && process != Dead { Decision::Keep } else { Decision::Renew }
        }
        // However old the heartbeat: a stopped or sleeping holder wakes up and goes on writing.
        (Record::Claim(_), Alive) => conflict(Standing::Alive),
        (Record::Claim(_), Dead) => Decision::TakeOver(Gone::Dead),
        (Record::Claim(claim), Unknown) => {
            let age = claim.heartbeat_age(modified, seen.now, &me.process);
            // All heartbeats stood still while the machine slept; the holder is given the time for one more.
            let time_to_wake =
                seen.since_wake.map_or(Duration::ZERO, |since| limits.heartbeat.saturating_sub(since));
            let left = limits.stale.saturating_sub(age).max(time_to_wake);
            if age > limits.stale && left.is_zero() {
                Decision::TakeOver(Gone::Silent)
            } else {
                conflict(Standing::CannotTell { left })
            }
        }
    }
}
