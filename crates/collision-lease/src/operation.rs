//! The steps in which a claim is changed, as a machine without effects.
//!
//! ```text
//!            ┌────────────── under the path's operation lock ───────────────┐
//!   Lock ─▶ Read ─▶ (Probe) ─▶ (NextGeneration ─▶ (Quarantine)) ─▶ Publish ─▶ Unlock ─▶ Finish
//!                       │                                       Touch, Remove     ▲
//!                       └───────── conflict, kept, lost, refused ─────────────────┘
//! ```
//!
//! [`LeaseSet`](crate::LeaseSet) carries the requests out on a [`Store`](crate::Store). `tests/simulate.rs` carries the very
//! same machine through every order of steps and crashes. INVARIANT: `Publish`, `Touch`, `Quarantine` and `Remove` are
//! only requested between `Lock` and `Unlock`, after a `Read` in the same span.

use crate::canonical::CanonicalPath;
use crate::claim::{Claim, Record};
use crate::clock::Reading;
use crate::decide::{
    Conflict, Decision, Found, Gone, Holder, Hostile, Limits, Observation, ProcessState, decide,
};
use crate::identity::{Owner, OwnerToken, Process};
use std::sync::Arc;
use std::time::Duration;

/// What the driver does next.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Request<E> {
    /// Take the path's operation lock.
    Lock,
    /// Read what is stored.
    Read,
    /// Find out about this process, which says that it holds the liveness lock of this name.
    Probe(Box<Process>, Option<Box<str>>),
    /// Raise the path's generation above this one and above any before, and keep it.
    NextGeneration(u64),
    /// Put a second name to the corrupt record, where a person can look at it.
    Quarantine,
    /// Make this claim visible, whole.
    Publish(Box<Claim>, Publish),
    /// Move the claim's modification time to now.
    Touch,
    /// Remove the claim.
    Remove,
    /// Nothing with the store: the claim stands, so the caller may do its work now.
    Work,
    /// Let go of the operation lock.
    Unlock,
    /// Nothing: this is how it ended.
    Finish(Outcome<E>),
}

/// How a claim is made visible.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Publish {
    /// There is none yet; if there is one after all, fail.
    New,
    /// In place of the one that was read, in one step.
    InPlace,
}

/// What came of a request.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Reply<E> {
    /// It is done.
    Done,
    /// This was read.
    Found(Box<Found>),
    /// So the process is.
    Process(ProcessState),
    /// This is the new generation.
    Generation(u64),
    /// It failed. `full`: for want of space on the disk.
    Failed {
        /// Why.
        error: E,
        /// Whether the disk is full.
        full: bool,
    },
}

/// How an operation ended.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Outcome<E> {
    /// The path is ours since now.
    Granted {
        /// The claim that stands there.
        claim: Box<Claim>,
        /// Whose claim made way, and why.
        replaced: Option<Replaced>,
    },
    /// The path was ours and still is.
    Held {
        /// The claim that stands there.
        claim: Box<Claim>,
    },
    /// Our claim is gone from the path: released.
    Released,
    /// The claim that stood there was removed by force.
    Forced(Holder),
    /// The path is not ours any more.
    Lost(Loss),
    /// Somebody else holds it.
    Conflict(Conflict),
    /// The record is corrupt and in its grace.
    Wait {
        /// The rest of the grace.
        left: Duration,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// What is stored is hostile.
    Refused(Hostile),
    /// A forced release found another holder than the one that was shown, or none.
    NotAsShown(Option<Holder>),
    /// A step failed.
    Failed(E),
}

/// What a new claim replaced.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Replaced {
    /// The claim of a holder that is gone.
    Holder(Holder, Gone),
    /// A corrupt record, now in quarantine.
    Corrupt,
}

/// Why a lease is lost. Never undone: what was lost is acquired anew or not at all.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Loss {
    /// Nothing is there: a forced release, or the state folder was deleted.
    Removed,
    /// Another owner, or a later grant, stands there.
    TakenOver(Holder),
    /// What is there cannot be read.
    Unreadable(&'static str),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Task {
    Acquire { path: CanonicalPath, limits: Limits, since_wake: Option<Duration>, granted: Option<u64> },
    Renew { generation: u64 },
    Check { generation: u64 },
    Release { generation: u64 },
    Force { shown: Option<OwnerToken> },
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Stage<E> {
    Locking,
    Reading,
    Probing(Box<Found>),
    Numbering {
        replaced: Option<Replaced>,
        how: Publish,
    },
    Quarantining {
        claim: Box<Claim>,
    },
    /// `spare`: what to fall back on if the disk is full, and what then holds.
    Writing {
        then: Outcome<E>,
        spare: Option<Outcome<E>>,
    },
    Working {
        claim: Box<Claim>,
    },
    Unlocking(Outcome<E>),
}

/// One change of one claim, from lock to unlock.
///
/// `E` is the store's error. A driver calls [`start`](Self::start), carries out what is requested, and passes the reply to
/// [`step`](Self::step), until it gets [`Request::Finish`].
///
/// ```
/// use collision_lease::*;
/// use std::sync::Arc;
///
/// let me = Arc::new(Owner {
///     token: OwnerToken::random()?,
///     session: SessionId::new("s"),
///     process: Process::with_pid(Pid::own()),
/// });
/// let path = CanonicalPath::resolve("/etc/hosts".as_ref())?;
/// let now = Reading::default();
///
/// let mut acquire = Operation::<()>::acquire(me, path, Limits::default(), None);
/// assert_eq!(acquire.start(), Request::Lock);
/// assert_eq!(acquire.step(Reply::Done, now), Request::Read);
/// assert_eq!(acquire.step(Reply::Found(Box::new(Found::Nothing)), now), Request::NextGeneration(0));
/// assert!(matches!(acquire.step(Reply::Generation(1), now), Request::Publish(_, Publish::New)));
/// assert_eq!(acquire.step(Reply::Done, now), Request::Unlock);
/// assert!(matches!(acquire.step(Reply::Done, now), Request::Finish(Outcome::Granted { .. })));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Operation<E> {
    me: Arc<Owner>,
    liveness: Option<Box<str>>,
    task: Task,
    stage: Stage<E>,
}

impl<E> Operation<E> {
    /// Claims a path, or renews the claim if it is ours already.
    #[must_use]
    pub fn acquire(
        me: Arc<Owner>,
        path: CanonicalPath,
        limits: Limits,
        since_wake: Option<Duration>,
    ) -> Self {
        Self::new(me, Task::Acquire { path, limits, since_wake, granted: None })
    }

    /// For an acquire by a holder: the path was granted before, as `generation`. If that grant is gone the operation ends
    /// with [`Outcome::Lost`] instead of claiming the path anew, since somebody else may have changed the file meanwhile.
    #[must_use]
    pub fn granted_before(mut self, generation: Option<u64>) -> Self {
        if let Task::Acquire { granted, .. } = &mut self.task {
            *granted = generation;
        }
        self
    }

    /// Confirms a claim that was granted as `generation`; never brings one back that is gone.
    #[must_use]
    pub fn renew(me: Arc<Owner>, generation: u64) -> Self {
        Self::new(me, Task::Renew { generation })
    }

    /// Checks that a claim still stands, and if so lets the caller work ([`Request::Work`]) while the lock is held.
    #[must_use]
    pub fn check(me: Arc<Owner>, generation: u64) -> Self {
        Self::new(me, Task::Check { generation })
    }

    /// Removes a claim that was granted as `generation`, and no other.
    #[must_use]
    pub fn release(me: Arc<Owner>, generation: u64) -> Self {
        Self::new(me, Task::Release { generation })
    }

    /// Removes whatever claim stands there, provided it still carries the token that a person was shown.
    #[must_use]
    pub fn force_release(me: Arc<Owner>, shown: Option<OwnerToken>) -> Self {
        Self::new(me, Task::Force { shown })
    }

    fn new(me: Arc<Owner>, task: Task) -> Self {
        Self { me, liveness: None, task, stage: Stage::Locking }
    }

    /// Names the liveness lock that the owner's process holds; a new claim will carry it.
    #[must_use]
    pub fn with_liveness(mut self, mark: Option<&str>) -> Self {
        self.liveness = mark.map(Into::into);
        self
    }

    /// The first request. (It is always the lock.)
    #[must_use]
    pub fn start(&self) -> Request<E> {
        Request::Lock
    }

    /// How it will have ended once the lock is gone, if that is settled.
    #[must_use]
    pub fn settled(&self) -> Option<&Outcome<E>> {
        match &self.stage {
            Stage::Unlocking(outcome) => Some(outcome),
            _ => None,
        }
    }

    /// Takes the reply to the last request and returns the next one.
    #[must_use]
    pub fn step(&mut self, reply: Reply<E>, now: Reading) -> Request<E> {
        let stage = std::mem::replace(&mut self.stage, Stage::Locking);
        match (stage, reply) {
            (Stage::Locking, Reply::Failed { error, .. }) => Request::Finish(Outcome::Failed(error)),
            // A failing unlock (it cannot fail on a local file system) changes nothing about what was done.
            (Stage::Unlocking(outcome), _) => Request::Finish(outcome),
            // The claim stands; only its new heartbeat found no room. The modification time needs none.
            (Stage::Writing { spare: Some(held), .. }, Reply::Failed { full: true, .. }) => {
                self.go(Stage::Writing { then: held, spare: None }, Request::Touch)
            }
            (_, Reply::Failed { error, .. }) => self.end(Outcome::Failed(error)),

            (Stage::Locking, _) => self.go(Stage::Reading, Request::Read),
            (Stage::Reading, Reply::Found(found)) => self.found(found, now),
            (Stage::Probing(found), Reply::Process(process)) => self.judge(&found, process, now),
            (Stage::Numbering { replaced, how }, Reply::Generation(generation)) => {
                self.numbered(replaced, how, generation, now)
            }
            (Stage::Quarantining { claim }, _) => {
                let replaced = Some(Replaced::Corrupt);
                self.publish(claim.clone(), Publish::InPlace, Outcome::Granted { claim, replaced }, None)
            }
            (Stage::Writing { then, .. }, _) => self.end(then),
            (Stage::Working { claim }, _) => self.end(Outcome::Held { claim }),
            // A reply that does not fit its request: a fault of the driver. Look again instead of guessing.
            (Stage::Reading | Stage::Probing(_) | Stage::Numbering { .. }, _) => {
                self.go(Stage::Reading, Request::Read)
            }
        }
    }

    fn go(&mut self, stage: Stage<E>, request: Request<E>) -> Request<E> {
        self.stage = stage;
        request
    }

    fn end(&mut self, outcome: Outcome<E>) -> Request<E> {
        self.go(Stage::Unlocking(outcome), Request::Unlock)
    }

    fn publish(
        &mut self,
        claim: Box<Claim>,
        how: Publish,
        then: Outcome<E>,
        spare: Option<Outcome<E>>,
    ) -> Request<E> {
        self.go(Stage::Writing { then, spare }, Request::Publish(claim, how))
    }

    fn found(&mut self, found: Box<Found>, now: Reading) -> Request<E> {
        match self.task.clone() {
            Task::Acquire { granted: Some(generation), .. }
                if self.still_ours(&found, generation).is_err() =>
            {
                let loss = self.still_ours(&found, generation).err().unwrap_or(Loss::Removed);
                self.end(Outcome::Lost(loss))
            }
            // Our own process needs no probe.
            Task::Acquire { .. } if self.is_mine_alone(&found) => {
                self.judge(&found, ProcessState::Alive, now)
            }
            Task::Acquire { .. } => match process_of(&found) {
                Some((process, mark)) => {
                    self.go(Stage::Probing(found), Request::Probe(Box::new(process), mark))
                }
                // Nobody to ask about: the state is not looked at.
                None => self.judge(&found, ProcessState::Unknown, now),
            },
            Task::Renew { generation } => match self.still_ours(&found, generation) {
                Ok(claim) => self.renew_claim(claim, now),
                Err(loss) => self.end(Outcome::Lost(loss)),
            },
            Task::Check { generation } => match self.still_ours(&found, generation) {
                Ok(claim) => self.go(Stage::Working { claim }, Request::Work),
                Err(loss) => self.end(Outcome::Lost(loss)),
            },
            Task::Release { generation } => match self.still_ours(&found, generation) {
                Ok(_) => self.go(Stage::Writing { then: Outcome::Released, spare: None }, Request::Remove),
                Err(loss) => self.end(Outcome::Lost(loss)),
            },
            Task::Force { shown } => match *found {
                Found::Nothing => self.end(Outcome::NotAsShown(None)),
                Found::Hostile(what) => self.end(Outcome::Refused(what)),
                Found::Record { record, .. } => {
                    let holder = Holder::of_record(&record);
                    if holder.token == shown {
                        self.go(
                            Stage::Writing { then: Outcome::Forced(holder), spare: None },
                            Request::Remove,
                        )
                    } else {
                        self.end(Outcome::NotAsShown(Some(holder)))
                    }
                }
            },
        }
    }

    fn is_mine_alone(&self, found: &Found) -> bool {
        matches!(found, Found::Record { record: Record::Claim(claim), .. }
            if claim.belongs_to(&self.me) && claim.process == self.me.process)
    }

    /// The claim, if it carries our token and is the grant that we know of.
    fn still_ours(&self, found: &Found, generation: u64) -> Result<Box<Claim>, Loss> {
        match found {
            Found::Nothing => Err(Loss::Removed),
            Found::Hostile(_) => Err(Loss::Unreadable("not a file of ours")),
            Found::Record { record: Record::Claim(claim), .. } => {
                if claim.belongs_to(&self.me) && claim.generation == generation {
                    Ok(claim.clone())
                } else {
                    Err(Loss::TakenOver(Holder::of(claim)))
                }
            }
            Found::Record { record: Record::Corrupt { reason, .. }, .. } => Err(Loss::Unreadable(reason)),
            Found::Record { record: record @ Record::Newer { .. }, .. } => {
                Err(Loss::TakenOver(Holder::of_record(record)))
            }
        }
    }

    fn judge(&mut self, found: &Found, process: ProcessState, now: Reading) -> Request<E> {
        let Task::Acquire { limits, since_wake, .. } = &self.task else {
            return self.go(Stage::Reading, Request::Read);
        };
        let seen = Observation { found, process, now, since_wake: *since_wake };
        let claim = match found {
            Found::Record { record: Record::Claim(claim), .. } => Some(claim),
            _ => None,
        };
        match (decide(&seen, &self.me, limits), claim) {
            (Decision::Acquire, _) => self.number(0, None, Publish::New),
            (Decision::Keep, Some(claim)) => self.end(Outcome::Held { claim: claim.clone() }),
            (Decision::Renew, Some(claim)) => {
                let mut claim = claim.clone();
                if process == ProcessState::Dead {
                    claim.process = self.me.process.clone();
                    claim.liveness.clone_from(&self.liveness);
                }
                self.renew_claim(claim, now)
            }
            (Decision::TakeOver(gone), Some(claim)) => self.number(
                claim.generation,
                Some(Replaced::Holder(Holder::of(claim), gone)),
                Publish::InPlace,
            ),
            (Decision::Replace, _) => self.number(0, Some(Replaced::Corrupt), Publish::InPlace),
            (Decision::Conflict(conflict), _) => self.end(Outcome::Conflict(conflict)),
            (Decision::Wait { left, reason }, _) => self.end(Outcome::Wait { left, reason }),
            (Decision::Refuse(what), _) => self.end(Outcome::Refused(what)),
            // `decide` speaks of keeping, renewing and taking over only where there is a claim; look again.
            (Decision::Keep | Decision::Renew | Decision::TakeOver(_), None) => {
                self.go(Stage::Reading, Request::Read)
            }
        }
    }

    fn number(&mut self, above: u64, replaced: Option<Replaced>, how: Publish) -> Request<E> {
        self.go(Stage::Numbering { replaced, how }, Request::NextGeneration(above))
    }

    fn numbered(
        &mut self,
        replaced: Option<Replaced>,
        how: Publish,
        generation: u64,
        now: Reading,
    ) -> Request<E> {
        let Task::Acquire { path, .. } = &self.task else {
            return self.go(Stage::Reading, Request::Read);
        };
        let mut claim = Box::new(Claim::new(path, &self.me, generation, now));
        claim.liveness.clone_from(&self.liveness);
        if replaced == Some(Replaced::Corrupt) {
            return self.go(Stage::Quarantining { claim }, Request::Quarantine);
        }
        self.publish(claim.clone(), how, Outcome::Granted { claim, replaced }, None)
    }

    fn renew_claim(&mut self, mut claim: Box<Claim>, now: Reading) -> Request<E> {
        let before = claim.clone();
        claim.heartbeat = now.into();
        let spare = Some(Outcome::Held { claim: before });
        self.publish(claim.clone(), Publish::InPlace, Outcome::Held { claim }, spare)
    }
}

/// The process that a record names, and the liveness lock that it says it holds.
pub(crate) fn process_of(found: &Found) -> Option<(Process, Option<Box<str>>)> {
    match found {
        Found::Record { record: Record::Claim(claim), .. } => {
            Some((claim.process.clone(), claim.liveness.clone()))
        }
        Found::Record { record: Record::Corrupt { pid: Some(pid), .. }, .. } => {
            Some((Process::with_pid(*pid), None))
        }
        _ => None,
    }
}
