//! What a host uses: the leases of one owner.

use crate::canonical::CanonicalPath;
use crate::claim::{Claim, ClaimKey, Record};
use crate::clock::{BootTime, Clock, Reading, SystemClock};
use crate::decide::{Conflict, Decision, Found, Holder, Hostile, Limits, Observation, ProcessState, decide};
use crate::error::Error;
use crate::faults;
use crate::heartbeat::Heartbeat;
use crate::identity::{Owner, OwnerToken, Process, SessionId};
use crate::operation::{Loss, Operation, Outcome, Replaced, Reply, Request, process_of};
use crate::oplock::Pause;
use crate::probe::{ProcessProbe, SystemProbe};
use crate::store::fs::FsStore;
use crate::store::{Locked, Store, StoreError, StoreProblem};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How a [`LeaseSet`] behaves, where it may.
#[derive(Clone, Debug)]
pub struct Options {
    /// The times of the policy.
    pub limits: Limits,
    /// How long to wait for an operation lock before the path counts as busy.
    pub lock_wait: Duration,
    /// Who confirms the leases.
    pub beat: Beat,
    /// Where relative paths start; `None`: at the process's working directory.
    pub working_directory: Option<PathBuf>,
    /// Where the time comes from.
    pub clock: Arc<dyn Clock>,
}

impl Default for Options {
    /// 5 s, 30 s, 30 s; two seconds for a lock; a heartbeat thread; the system's clock.
    fn default() -> Self {
        Self {
            limits: Limits::default(),
            lock_wait: Duration::from_secs(2),
            beat: Beat::Thread,
            working_directory: None,
            clock: Arc::new(SystemClock),
        }
    }
}

/// Who confirms the leases of a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beat {
    /// A thread of this process, started with the first lease.
    Thread,
    /// The caller, with [`LeaseSet::beat`]; or nobody, where an agent's life alone keeps the leases.
    Manual,
}

/// The leases of one owner: acquired one by one, released together.
///
/// Methods may be called from several threads. When the set is dropped it stops its heartbeat and releases what it holds.
///
/// ```
/// use collision_lease::{Error, FsStore, LeaseSet, Options, Owner, SessionId};
/// use std::sync::Arc;
///
/// let state = tempfile::tempdir()?;
/// let store = Arc::new(FsStore::open(&state.path().join("collision-guard"))?);
/// let alice = LeaseSet::open(store.clone(), Owner::for_process(SessionId::new("alice"))?, Options::default())?;
/// let bob = LeaseSet::open(store, Owner::for_process(SessionId::new("bob"))?, Options::default())?;
///
/// alice.acquire("Cargo.toml".as_ref())?;
/// alice.acquire("./src/../Cargo.toml".as_ref())?; // the same file: renewed
/// assert!(matches!(bob.acquire("Cargo.toml".as_ref()), Err(Error::Held { .. })));
///
/// alice.release_all();
/// bob.acquire("Cargo.toml".as_ref())?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct LeaseSet {
    core: Arc<Core>,
    heartbeat: Mutex<Option<Heartbeat>>,
}

/// What the set and its heartbeat thread share.
#[derive(Debug)]
pub(crate) struct Core {
    store: Arc<dyn Store>,
    probe: Arc<dyn ProcessProbe>,
    owner: Arc<Owner>,
    options: Options,
    /// Whether the leases follow this process's life, and not that of an agent elsewhere.
    follows_this_process: bool,
    /// INVARIANT: a grant is noted, and a release or loss struck out, while that key's operation lock is held; so the notes
    /// follow the order of the claims, whichever threads are at work.
    held: Mutex<BTreeMap<ClaimKey, Lease>>,
    lost: Mutex<Vec<LostLease>>,
    wake: Mutex<Wake>,
}

#[derive(Clone, Debug)]
struct Lease {
    path: CanonicalPath,
    /// The name by which it was asked for, made absolute.
    asked: PathBuf,
    generation: u64,
    /// Whether the claim is another process's with the same token: used, never released here.
    joined: bool,
}

/// How a lease ended that was to be released.
#[derive(Debug)]
enum Ending {
    /// It was released.
    Released,
    /// It turned out to be lost.
    Lost(Loss),
    /// It had ended since the caller looked: released by another thread, or lost and reported already.
    EndedBefore,
}

/// When the machine last woke from sleep, as far as this set was there to notice.
#[derive(Debug, Default)]
struct Wake {
    slept: Option<Duration>,
    at: Option<BootTime>,
}

/// A path that was granted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grant {
    /// The file that it leads to.
    pub path: CanonicalPath,
    /// The number of this grant: larger than that of every grant of the path before.
    pub generation: u64,
    /// Whether it is new; otherwise it was held already.
    pub new: bool,
    /// What had to make way.
    pub replaced: Option<Replaced>,
}

/// A lease that was lost without being released.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LostLease {
    /// The file.
    pub path: CanonicalPath,
    /// Why.
    pub loss: Loss,
}

/// What [`LeaseSet::release_all`] did.
#[derive(Debug, Default)]
pub struct Released {
    /// How many leases were given back.
    pub count: usize,
    /// Leases that turned out to be lost before.
    pub lost: Vec<LostLease>,
    /// Leases that could not be given back; they are kept, and tried again next time.
    pub failed: Vec<(CanonicalPath, StoreError)>,
}

/// What [`LeaseSet::beat`] did.
#[derive(Debug, Default)]
pub struct Beaten {
    /// How many leases were confirmed.
    pub count: usize,
    /// Leases that turned out to be lost; [`LeaseSet::take_lost`] reports them too.
    pub lost: Vec<LostLease>,
    /// Leases that could not be confirmed this time; they are tried again.
    pub failed: Vec<(CanonicalPath, StoreError)>,
}

/// One line of [`LeaseSet::status`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatusEntry {
    /// The name of the claim.
    pub key: ClaimKey,
    /// The time it was looked at.
    pub now: Reading,
    /// What is there.
    pub state: EntryState,
}

/// What is stored under one key, and what would come of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EntryState {
    /// A claim.
    Claim {
        /// The claim.
        claim: Box<Claim>,
        /// Whether it is this set's owner's.
        mine: bool,
        /// Whether its process lives.
        process: ProcessState,
        /// The time since its last heartbeat.
        heartbeat_age: Duration,
        /// Whether another owner would take it over now.
        stale: bool,
    },
    /// A record of a newer format: held.
    Newer {
        /// As far as it can be read.
        holder: Holder,
    },
    /// A corrupt record.
    Corrupt {
        /// What is wrong.
        reason: &'static str,
        /// The rest of its grace; zero: it is replaced by the next acquire.
        left: Duration,
        /// A living process that it names, for which it counts as held.
        held_by: Option<Holder>,
    },
    /// No claim at all: blocked until a person removes it.
    Hostile(Hostile),
}

impl LeaseSet {
    /// A set without leases, of `owner`, in `store`.
    ///
    /// # Errors
    ///
    /// If the system does not tell what this process is.
    pub fn open(store: Arc<dyn Store>, owner: Owner, options: Options) -> Result<Self, Error> {
        let probe =
            SystemProbe::new().map_err(|error| StoreError::from_io(Path::new("/proc/self"), error))?;
        Ok(Self::open_with(store, owner, Arc::new(probe), options))
    }

    /// Like [`open`](Self::open), with a probe of the caller's.
    #[must_use]
    pub fn open_with(
        store: Arc<dyn Store>,
        owner: Owner,
        probe: Arc<dyn ProcessProbe>,
        options: Options,
    ) -> Self {
        let core = Core {
            store,
            probe,
            follows_this_process: owner.process.pid.get() == std::process::id(),
            owner: Arc::new(owner),
            options,
            held: Mutex::default(),
            lost: Mutex::default(),
            wake: Mutex::default(),
        };
        Self { core: Arc::new(core), heartbeat: Mutex::default() }
    }

    /// The set of this process: a random token, a heartbeat thread, files in `state`.
    ///
    /// # Errors
    ///
    /// If the state folder is unsafe or unusable.
    pub fn for_process(state: &Path, session: SessionId) -> Result<Self, Error> {
        let owner = Owner::for_process(session)
            .map_err(|error| StoreError::from_io(Path::new("/proc/self"), error))?;
        Self::open(Arc::new(FsStore::open(state)?), owner, Options::default())
    }

    /// The set of the agent that started this short-lived process: the same in every such process of one session.
    ///
    /// It has no heartbeat: the agent's life keeps the leases. Dropping it releases nothing; call
    /// [`adopt`](Self::adopt) and [`release_all`](Self::release_all) when the agent's run is over.
    ///
    /// # Errors
    ///
    /// [`Error::NoAgent`] if there is no such process; else as [`for_process`](Self::for_process).
    pub fn for_agent(state: &Path, session: SessionId) -> Result<Self, Error> {
        let agent = Process::agent().ok_or(Error::NoAgent)?;
        let options = Options { beat: Beat::Manual, ..Options::default() };
        Self::open(Arc::new(FsStore::open(state)?), Owner::for_agent(agent, session), options)
    }

    /// The owner.
    #[must_use]
    pub fn owner(&self) -> &Owner {
        &self.core.owner
    }

    /// Acquires a path, or renews it if it is held already. Waits for nobody who holds it.
    ///
    /// # Errors
    ///
    /// Every error means: do not touch the file. [`Error::Held`] if somebody else has it, [`Error::Lost`] once if a lease
    /// of this set was taken away, and whatever else goes wrong.
    pub fn acquire(&self, path: &Path) -> Result<Grant, Error> {
        let resolved = self.core.resolve(path)?;
        self.start_heartbeat()?;
        self.core.acquire(path, resolved)
    }

    /// Acquires several paths, or none: what this call was newly granted is given back if one of them fails.
    ///
    /// Always in the order of their keys, so that two sets which want the same paths do not each get half of them for ever.
    ///
    /// # Errors
    ///
    /// That of the first path that fails, as [`acquire`](Self::acquire).
    pub fn acquire_all<P: AsRef<Path>>(&self, paths: &[P]) -> Result<Vec<Grant>, Error> {
        let mut wanted = Vec::with_capacity(paths.len());
        for path in paths {
            let resolved = self.core.resolve(path.as_ref())?;
            wanted.push((ClaimKey::of(&resolved), path.as_ref(), resolved));
        }
        wanted.sort_by_key(|(key, ..)| *key);
        wanted.dedup_by_key(|(key, ..)| *key);
        self.start_heartbeat()?;
        let mut grants: Vec<Grant> = Vec::with_capacity(wanted.len());
        for (_, path, resolved) in wanted {
            match self.core.acquire(path, resolved) {
                Ok(grant) => grants.push(grant),
                Err(error) => {
                    for grant in grants.iter().filter(|grant| grant.new) {
                        let key = ClaimKey::of(&grant.path);
                        let lease = self.core.held().get(&key).cloned();
                        let _ = lease.map(|lease| self.core.release(&key, &lease));
                    }
                    return Err(error);
                }
            }
        }
        Ok(grants)
    }

    /// Like [`acquire_all`](Self::acquire_all), but waits for holders, up to `patience`.
    ///
    /// Waiting is asking again after a pause, of at most 5 ms and never twice the same. There is no queue: who asks at the
    /// right moment is next.
    ///
    /// # Errors
    ///
    /// The last one met, when the time is over or waiting cannot help.
    pub fn acquire_within<P: AsRef<Path>>(
        &self,
        paths: &[P],
        patience: Duration,
    ) -> Result<Vec<Grant>, Error> {
        let begin = Instant::now();
        let mut pause = Pause::default();
        loop {
            match self.acquire_all(paths) {
                Err(error) if error.may_pass() && begin.elapsed() < patience => pause.take(),
                result => return result,
            }
        }
    }

    /// Runs `write` while nobody can take the path away: the fence for hosts that do the writing themselves.
    ///
    /// Under the operation lock the claim's token and generation are checked, and the path is resolved once more; only
    /// then `write` runs, with the canonical path. Keep it short: others wait for the lock at most
    /// [`Options::lock_wait`] and are blocked then.
    ///
    /// # Errors
    ///
    /// [`Error::Lost`] and [`Error::NotHeld`] if the path is not ours, [`Error::Moved`] if the name leads elsewhere now.
    /// `write` has not run then. Its own errors are part of `T`.
    ///
    /// ```
    /// # use collision_lease::{LeaseSet, SessionId};
    /// # let folder = tempfile::tempdir()?;
    /// # let file = folder.path().join("notes.txt");
    /// let leases = LeaseSet::for_process(&folder.path().join("state"), SessionId::new("s"))?;
    /// leases.acquire(&file)?;
    /// leases.commit(&file, |path| std::fs::write(path.as_path(), "text"))??;
    /// # assert_eq!(std::fs::read_to_string(file)?, "text");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn commit<T>(&self, path: &Path, write: impl FnOnce(&CanonicalPath) -> T) -> Result<T, Error> {
        self.core.commit(path, write)
    }

    /// Gives one path back: what was acquired under this name, even if the name leads elsewhere by now.
    ///
    /// # Errors
    ///
    /// [`Error::Lost`] if it was lost before, or what the store says. [`Error::NotHeld`] if it is not held, any more or at
    /// all: another thread may have released it, or the heartbeat noticed its loss, which is then in
    /// [`take_lost`](Self::take_lost).
    pub fn release(&self, path: &Path) -> Result<(), Error> {
        let (key, lease) = self.core.held_lease(path)?;
        match self.core.release(&key, &lease) {
            Ok(Ending::Released) => Ok(()),
            Ok(Ending::Lost(loss)) => Err(Error::Lost { path: lease.path, loss }),
            Ok(Ending::EndedBefore) => Err(Error::NotHeld { path: lease.path }),
            Err(error) => Err(error.into()),
        }
    }

    /// Gives everything back. Doing it twice does no harm.
    pub fn release_all(&self) -> Released {
        self.core.release_all()
    }

    /// Takes up the leases that earlier processes acquired for the same owner, so that they can be released.
    ///
    /// Returns how many there are. Reads all claims: about 20 µs each.
    ///
    /// # Errors
    ///
    /// If the claims cannot be listed.
    pub fn adopt(&self) -> Result<usize, Error> {
        self.core.adopt()
    }

    /// The paths that are held, in order.
    #[must_use]
    pub fn held(&self) -> Vec<CanonicalPath> {
        let mut paths: Vec<_> = self.core.held().values().map(|lease| lease.path.clone()).collect();
        paths.sort();
        paths
    }

    /// Takes the reports of leases that were lost since the last call. Each loss is reported here once, whoever noticed it.
    #[must_use]
    pub fn take_lost(&self) -> Vec<LostLease> {
        std::mem::take(&mut *self.core.lost.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Confirms all leases now. The heartbeat thread does this; call it yourself under [`Beat::Manual`].
    pub fn beat(&self) -> Beaten {
        self.core.beat()
    }

    /// Looks at all claims, without locks. 1,000 of them take a few milliseconds.
    ///
    /// # Errors
    ///
    /// If they cannot be listed.
    pub fn status(&self) -> Result<Vec<StatusEntry>, Error> {
        self.core.status()
    }

    /// Looks at the claim of one path.
    ///
    /// # Errors
    ///
    /// If it cannot be read.
    pub fn inspect(&self, path: &Path) -> Result<Option<StatusEntry>, Error> {
        self.core.inspect(path)
    }

    /// Removes the claim of one path, whoever holds it: for a person who was shown the holder and said yes, for nobody else.
    ///
    /// `shown` is the token that the person saw. Two agents may write the same file after this; the holder learns of its
    /// loss at its next heartbeat, acquire, commit or release.
    ///
    /// # Errors
    ///
    /// [`Error::NotAsShown`] if another claim stands there by now; or what the store says.
    pub fn force_release(&self, path: &Path, shown: Option<&OwnerToken>) -> Result<Holder, Error> {
        self.core.force_release(path, shown)
    }

    /// Stops the heartbeat and releases everything. Doing it twice does no harm.
    pub fn shut_down(&self) -> Released {
        self.stop_heartbeat();
        self.release_all()
    }

    /// A lease must not be published before the thread runs that keeps it alive.
    fn start_heartbeat(&self) -> Result<(), Error> {
        if self.core.options.beat == Beat::Manual {
            return Ok(());
        }
        let mut heartbeat = self.heartbeat.lock().unwrap_or_else(PoisonError::into_inner);
        if heartbeat.is_none() {
            *heartbeat = Some(Heartbeat::start(Arc::clone(&self.core)).map_err(Error::Heartbeat)?);
        }
        Ok(())
    }

    fn stop_heartbeat(&self) {
        let heartbeat = self.heartbeat.lock().unwrap_or_else(PoisonError::into_inner).take();
        drop(heartbeat);
    }
}

impl Drop for LeaseSet {
    fn drop(&mut self) {
        self.stop_heartbeat();
        // A forked child has a copy of this set, but neither its thread nor its leases.
        if self.core.follows_this_process && self.core.owner.process.pid.get() == std::process::id() {
            self.release_all();
        }
    }
}

impl Core {
    pub(crate) fn interval(&self) -> Duration {
        self.options.limits.heartbeat
    }

    fn held(&self) -> MutexGuard<'_, BTreeMap<ClaimKey, Lease>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn resolve(&self, path: &Path) -> Result<CanonicalPath, Error> {
        Ok(match &self.options.working_directory {
            Some(base) => CanonicalPath::resolve_in(path, base)?,
            None => CanonicalPath::resolve(path)?,
        })
    }

    /// A lease that is held, by the name that it was asked for, or else by the file that the name leads to.
    fn held_lease(&self, path: &Path) -> Result<(ClaimKey, Lease), Error> {
        let asked = self.absolute(path);
        if let Some((key, lease)) = self.held().iter().find(|(_, lease)| lease.asked == asked) {
            return Ok((*key, lease.clone()));
        }
        let path = self.resolve(path)?;
        let key = ClaimKey::of(&path);
        let lease = self.held().get(&key).cloned();
        lease.map(|lease| (key, lease)).ok_or(Error::NotHeld { path })
    }

    fn absolute(&self, path: &Path) -> PathBuf {
        match &self.options.working_directory {
            Some(base) => base.join(path),
            None => std::path::absolute(path).unwrap_or_else(|_| path.to_owned()),
        }
    }

    /// Reads the clocks, and notices if the machine has slept since the last time.
    fn now(&self) -> (Reading, Option<Duration>) {
        let now = self.options.clock.read();
        let mut wake = self.wake.lock().unwrap_or_else(PoisonError::into_inner);
        // The two clocks are read one after the other: less than a second apart is no sleep.
        let slept_since = wake.slept.is_some_and(|before| now.slept() > before + Duration::from_secs(1));
        if slept_since {
            wake.at = Some(now.boot);
        }
        wake.slept = Some(now.slept());
        (now, wake.at.map(|at| now.boot.since(at)))
    }

    fn acquire(&self, asked: &Path, path: CanonicalPath) -> Result<Grant, Error> {
        let key = ClaimKey::of(&path);
        let before = self.held().get(&key).map(|lease| lease.generation);
        let (now, since_wake) = self.now();
        if before.is_none()
            && let Some(conflict) = self.peek_conflict(&key, now, since_wake)
        {
            return Err(Error::Held { path, conflict: Box::new(conflict) });
        }
        let liveness = if self.follows_this_process { self.store.liveness() } else { None };
        let operation = || {
            Operation::acquire(Arc::clone(&self.owner), path.clone(), self.options.limits, since_wake)
                .with_liveness(liveness.as_deref())
                .granted_before(before)
        };
        let mut settle = |outcome: &Outcome<StoreError>| match outcome {
            Outcome::Granted { claim, .. } | Outcome::Held { claim } => {
                let joined = claim.process != self.owner.process;
                let asked = self.absolute(asked);
                let lease = Lease { path: path.clone(), asked, generation: claim.generation, joined };
                self.held().insert(key, lease);
            }
            Outcome::Lost(loss) => {
                self.lose(&key, before, loss);
            }
            _ => {}
        };
        // Who came in between had no operation lock; a few rounds are enough to outlast a careless program.
        for _ in 0..4 {
            match self.drive(&key, operation(), self.options.lock_wait, &mut || {}, &mut settle) {
                Outcome::Failed(error) if matches!(error.problem(), StoreProblem::Contended) => {}
                outcome => return Self::grant(path, outcome),
            }
        }
        let outcome = self.drive(&key, operation(), self.options.lock_wait, &mut || {}, &mut settle);
        Self::grant(path, outcome)
    }

    /// Who holds the path, if that shows without the lock. Then there is nothing to change and nobody to keep from it: those
    /// who are turned away do not stand in the holder's way.
    fn peek_conflict(&self, key: &ClaimKey, now: Reading, since_wake: Option<Duration>) -> Option<Conflict> {
        let found = self.store.peek(key).ok()?;
        let (process, mark) = process_of(&found)?;
        let process = self.state_of(&process, mark.as_deref());
        let seen = Observation { found: &found, process, now, since_wake };
        match decide(&seen, &self.owner, &self.options.limits) {
            Decision::Conflict(conflict) => Some(conflict),
            _ => None,
        }
    }

    fn grant(path: CanonicalPath, outcome: Outcome<StoreError>) -> Result<Grant, Error> {
        match outcome {
            Outcome::Granted { claim, replaced } => {
                Ok(Grant { path, generation: claim.generation, new: true, replaced })
            }
            Outcome::Held { claim } => {
                Ok(Grant { path, generation: claim.generation, new: false, replaced: None })
            }
            Outcome::Conflict(conflict) => Err(Error::Held { path, conflict: Box::new(conflict) }),
            Outcome::Wait { left, reason } => Err(Error::Corrupt { path, reason, left }),
            other => Err(Self::refusal(path, other)),
        }
    }

    /// The error that an outcome means, where success is out of the question.
    fn refusal(path: CanonicalPath, outcome: Outcome<StoreError>) -> Error {
        match outcome {
            Outcome::Failed(error) => Error::Store(error),
            Outcome::Lost(loss) => Error::Lost { path, loss },
            Outcome::Refused(what) => {
                let entry = PathBuf::from(format!("claims/{}.json", ClaimKey::of(&path)));
                Error::Hostile { path, what, entry }
            }
            Outcome::NotAsShown(holder) => Error::NotAsShown { path, holder: holder.map(Box::new) },
            Outcome::Conflict(conflict) => Error::Held { path, conflict: Box::new(conflict) },
            Outcome::Wait { left, reason } => Error::Corrupt { path, reason, left },
            Outcome::Granted { .. } | Outcome::Held { .. } | Outcome::Released | Outcome::Forced(_) => {
                Error::NotHeld { path }
            }
        }
    }

    fn commit<T>(&self, asked: &Path, write: impl FnOnce(&CanonicalPath) -> T) -> Result<T, Error> {
        let path = self.resolve(asked)?;
        let key = ClaimKey::of(&path);
        let Some(generation) = self.held().get(&key).map(|lease| lease.generation) else {
            let name = self.absolute(asked);
            let before =
                self.held().values().find(|lease| lease.asked == name).map(|lease| lease.path.clone());
            return Err(match before {
                Some(was) => Error::Moved { asked: asked.to_owned(), was, now: path },
                None => Error::NotHeld { path },
            });
        };
        let mut write = Some(write);
        let mut done: Option<Result<T, Error>> = None;
        let mut work = || {
            done = match self.resolve(asked) {
                Err(error) => Some(Err(error)),
                Ok(now) if now != path => {
                    Some(Err(Error::Moved { asked: asked.to_owned(), was: path.clone(), now }))
                }
                Ok(now) => write.take().map(|write| Ok(write(&now))),
            };
        };
        let mut settle = |outcome: &Outcome<StoreError>| {
            if let Outcome::Lost(loss) = outcome {
                self.lose(&key, Some(generation), loss);
            }
        };
        let check = Operation::check(Arc::clone(&self.owner), generation);
        let outcome = self.drive(&key, check, self.options.lock_wait, &mut work, &mut settle);
        done.unwrap_or_else(|| Err(Self::refusal(path, outcome)))
    }

    /// Releases one lease.
    ///
    /// The lease is as the caller saw it noted, and not looked up again here: in the meantime the heartbeat may have struck
    /// it out as lost, and a note that is missing says nothing about which of the two ends it came to. The claim does.
    fn release(&self, key: &ClaimKey, lease: &Lease) -> Result<Ending, StoreError> {
        faults::point("releasing");
        if lease.joined {
            let forgotten = self.forget(key, lease.generation);
            return Ok(forgotten.map_or(Ending::EndedBefore, |_| Ending::Released));
        }
        let mut is_loss = false;
        let mut settle = |outcome: &Outcome<StoreError>| match outcome {
            Outcome::Released => {
                self.forget(key, lease.generation);
            }
            Outcome::Lost(loss) => is_loss = self.lose(key, Some(lease.generation), loss),
            _ => {}
        };
        let mut release = || {
            let operation = Operation::release(Arc::clone(&self.owner), lease.generation);
            self.drive(key, operation, self.options.lock_wait, &mut || {}, &mut settle)
        };
        let mut outcome = release();
        // In a store without locks our own heartbeat may come in between.
        for _ in 0..4 {
            match &outcome {
                Outcome::Failed(error) if matches!(error.problem(), StoreProblem::Contended) => {
                    outcome = release();
                }
                _ => break,
            }
        }
        match outcome {
            Outcome::Lost(loss) if is_loss => Ok(Ending::Lost(loss)),
            Outcome::Lost(_) => Ok(Ending::EndedBefore),
            Outcome::Failed(error) => Err(error),
            _ => Ok(Ending::Released),
        }
    }

    fn release_all(&self) -> Released {
        let leases = self.held().clone();
        let mut released = Released::default();
        for (key, lease) in leases {
            match self.release(&key, &lease) {
                Ok(Ending::Released) => released.count += 1,
                Ok(Ending::Lost(loss)) => released.lost.push(LostLease { path: lease.path, loss }),
                Ok(Ending::EndedBefore) => {}
                Err(error) => released.failed.push((lease.path, error)),
            }
        }
        released
    }

    pub(crate) fn beat(&self) -> Beaten {
        // The clock is read in any case, so that a sleep is noticed.
        let _ = self.now();
        let leases: Vec<(ClaimKey, Lease)> = self
            .held()
            .iter()
            .filter(|(_, lease)| !lease.joined)
            .map(|(key, lease)| (*key, lease.clone()))
            .collect();
        let mut beaten = Beaten::default();
        for (key, lease) in leases {
            // Released by another thread since the list was made: that is no loss.
            let mut is_loss = false;
            let mut settle = |outcome: &Outcome<StoreError>| {
                if let Outcome::Lost(loss) = outcome {
                    is_loss = self.lose(&key, Some(lease.generation), loss);
                }
            };
            let renew = Operation::renew(Arc::clone(&self.owner), lease.generation);
            // A lock that is taken right now means that the claim is being looked at: the next beat is soon enough.
            let wait = self.options.lock_wait.min(Duration::from_millis(50));
            match self.drive(&key, renew, wait, &mut || {}, &mut settle) {
                Outcome::Lost(loss) if is_loss => beaten.lost.push(LostLease { path: lease.path, loss }),
                Outcome::Lost(_) => {}
                Outcome::Failed(error) => beaten.failed.push((lease.path, error)),
                _ => beaten.count += 1,
            }
        }
        beaten
    }

    /// Forgets a lease that is gone and keeps the report, unless it was released or granted anew in the meantime.
    /// Returns whether it was one.
    fn lose(&self, key: &ClaimKey, generation: Option<u64>, loss: &Loss) -> bool {
        let mut held = self.held();
        if held.get(key).map(|lease| lease.generation) != generation {
            return false;
        }
        let Some(lease) = held.remove(key) else { return false };
        // Still under the notes' lock: who finds the note gone finds the report.
        let report = LostLease { path: lease.path, loss: loss.clone() };
        self.lost.lock().unwrap_or_else(PoisonError::into_inner).push(report);
        true
    }

    /// Strikes out the note of a grant, unless it is gone or the path was granted anew. Returns it.
    fn forget(&self, key: &ClaimKey, generation: u64) -> Option<Lease> {
        let mut held = self.held();
        held.get(key).filter(|lease| lease.generation == generation)?;
        held.remove(key)
    }

    fn adopt(&self) -> Result<usize, Error> {
        let mut count = 0;
        for listed in self.store.list()? {
            if let Found::Record { record: Record::Claim(claim), .. } = listed.found
                && claim.belongs_to(&self.owner)
                && claim.process == self.owner.process
                && let Some(path) = claim.path
            {
                count += 1;
                let asked = path.as_path().to_owned();
                let lease = Lease { path, asked, generation: claim.generation, joined: false };
                self.held().entry(listed.key).or_insert(lease);
            }
        }
        Ok(count)
    }

    fn status(&self) -> Result<Vec<StatusEntry>, Error> {
        let (now, since_wake) = self.now();
        // Many claims have one process: each is asked about once.
        let mut states: Vec<(Process, ProcessState)> = Vec::new();
        let mut entries = Vec::new();
        for listed in self.store.list()? {
            let process = process_of(&listed.found).map_or(ProcessState::Unknown, |(process, mark)| {
                if let Some((_, state)) = states.iter().rev().find(|(known, _)| *known == process) {
                    return *state;
                }
                let state = self.state_of(&process, mark.as_deref());
                states.push((process, state));
                state
            });
            entries.extend(self.entry(listed.key, &listed.found, process, now, since_wake));
        }
        Ok(entries)
    }

    fn inspect(&self, path: &Path) -> Result<Option<StatusEntry>, Error> {
        let key = ClaimKey::of(&self.resolve(path)?);
        let (now, since_wake) = self.now();
        let found = {
            let mut locked = self.store.lock(&key, self.options.lock_wait)?;
            let found = locked.read()?;
            locked.unlock()?;
            found
        };
        let process = process_of(&found)
            .map_or(ProcessState::Unknown, |(process, mark)| self.state_of(&process, mark.as_deref()));
        Ok(self.entry(key, &found, process, now, since_wake))
    }

    fn entry(
        &self,
        key: ClaimKey,
        found: &Found,
        process: ProcessState,
        now: Reading,
        since_wake: Option<Duration>,
    ) -> Option<StatusEntry> {
        let seen = Observation { found, process, now, since_wake };
        let decision = || {
            // As somebody else would decide: with a token that nobody has.
            let nobody = Owner { token: OwnerToken::nobody(), ..(*self.owner).clone() };
            decide(&seen, &nobody, &self.options.limits)
        };
        let state = match found {
            Found::Nothing => return None,
            Found::Hostile(what) => EntryState::Hostile(*what),
            Found::Record { record: Record::Claim(claim), modified } => EntryState::Claim {
                mine: claim.belongs_to(&self.owner),
                process,
                heartbeat_age: claim.heartbeat_age(*modified, now, &self.owner.process),
                stale: matches!(decision(), Decision::TakeOver(_)),
                claim: claim.clone(),
            },
            Found::Record { record: record @ Record::Newer { .. }, .. } => {
                EntryState::Newer { holder: Holder::of_record(record) }
            }
            Found::Record { record: Record::Corrupt { reason, .. }, .. } => match decision() {
                Decision::Wait { left, .. } => EntryState::Corrupt { reason, left, held_by: None },
                Decision::Conflict(conflict) => {
                    EntryState::Corrupt { reason, left: Duration::ZERO, held_by: Some(conflict.holder) }
                }
                _ => EntryState::Corrupt { reason, left: Duration::ZERO, held_by: None },
            },
        };
        Some(StatusEntry { key, now, state })
    }

    /// Held means alive, whatever the pid says; not held says nothing.
    fn state_of(&self, process: &Process, mark: Option<&str>) -> ProcessState {
        match self.probe.state(process) {
            ProcessState::Alive => ProcessState::Alive,
            _ if mark.is_some_and(|mark| self.store.is_live(mark)) => ProcessState::Alive,
            other => other,
        }
    }

    fn force_release(&self, path: &Path, shown: Option<&OwnerToken>) -> Result<Holder, Error> {
        let path = self.resolve(path)?;
        let key = ClaimKey::of(&path);
        let force = Operation::force_release(Arc::clone(&self.owner), shown.cloned());
        match self.drive(&key, force, self.options.lock_wait, &mut || {}, &mut |_| {}) {
            Outcome::Forced(holder) => Ok(holder),
            other => Err(Self::refusal(path, other)),
        }
    }

    /// Carries an operation out. `work` runs if the operation is a check whose claim stands; `settle` sees how it ends while
    /// the lock is still held.
    fn drive(
        &self,
        key: &ClaimKey,
        mut operation: Operation<StoreError>,
        wait: Duration,
        work: &mut dyn FnMut(),
        settle: &mut dyn FnMut(&Outcome<StoreError>),
    ) -> Outcome<StoreError> {
        let mut locked: Option<Box<dyn Locked + '_>> = None;
        let mut request = operation.start();
        loop {
            let reply = match (request, locked.as_mut()) {
                (Request::Finish(outcome), _) => return outcome,
                (Request::Lock, _) => self.store.lock(key, wait).map(|lock| {
                    locked = Some(lock);
                    Reply::Done
                }),
                (Request::Probe(process, mark), _) => {
                    Ok(Reply::Process(self.state_of(&process, mark.as_deref())))
                }
                (Request::Work, _) => {
                    work();
                    faults::point("working");
                    Ok(Reply::Done)
                }
                (Request::Unlock, _) => {
                    if let Some(outcome) = operation.settled() {
                        settle(outcome);
                    }
                    locked.take().map_or(Ok(()), Locked::unlock).map(|()| Reply::Done)
                }
                (Request::Read, Some(lock)) => lock.read().map(|found| Reply::Found(Box::new(found))),
                (Request::NextGeneration(above), Some(lock)) => {
                    lock.next_generation(above).map(Reply::Generation)
                }
                (Request::Quarantine, Some(lock)) => lock.quarantine().map(|()| Reply::Done),
                (Request::Publish(claim, how), Some(lock)) => lock.publish(&claim, how).map(|()| Reply::Done),
                (Request::Touch, Some(lock)) => lock.touch().map(|()| Reply::Done),
                (Request::Remove, Some(lock)) => lock.remove().map(|()| Reply::Done),
                // By INVARIANT on `Operation` these come after the lock only.
                (_, None) => Err(StoreError::new(Path::new("operation lock"), StoreProblem::Contended)),
            };
            let reply = reply.unwrap_or_else(|error| {
                let full = matches!(error.problem(), StoreProblem::NoSpace);
                Reply::Failed { error, full }
            });
            request = operation.step(reply, self.options.clock.read());
        }
    }
}
