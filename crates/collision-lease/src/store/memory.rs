//! Claims in memory: for tests, and for several sessions in one process that need no files.

use super::{Listed, Locked, Store, StoreError, StoreProblem};
use crate::claim::{Claim, ClaimKey, Record};
use crate::clock::{Clock, WallTime};
use crate::decide::Found;
use crate::operation::Publish;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A store whose claims are bytes in memory, written and read in the same format as on disk.
///
/// ```
/// use collision_lease::{ManualClock, MemoryStore, Store};
/// use std::sync::Arc;
///
/// let store = MemoryStore::new(Arc::new(ManualClock::default()));
/// assert!(store.list()?.is_empty());
/// # Ok::<(), collision_lease::StoreError>(())
/// ```
#[derive(Debug)]
pub struct MemoryStore {
    clock: Arc<dyn Clock>,
    state: Mutex<State>,
    unlocked: Condvar,
}

#[derive(Debug, Default)]
struct State {
    slots: BTreeMap<ClaimKey, Slot>,
    quarantine: Vec<(ClaimKey, Vec<u8>)>,
    /// How many more calls succeed, if that is limited.
    calls_left: Option<u32>,
}

#[derive(Debug, Default)]
struct Slot {
    locked: bool,
    generation: u64,
    stored: Option<Stored>,
}

#[derive(Clone, Debug)]
struct Stored {
    bytes: Vec<u8>,
    modified: WallTime,
}

impl MemoryStore {
    /// An empty store; `clock` gives the modification times.
    #[must_use]
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self { clock, state: Mutex::default(), unlocked: Condvar::new() }
    }

    /// Puts bytes under a key, as a careless or hostile program might.
    pub fn put_raw(&self, key: ClaimKey, bytes: &[u8]) {
        let modified = self.clock.read().wall;
        self.state().slots.entry(key).or_default().stored = Some(Stored { bytes: bytes.to_vec(), modified });
    }

    /// The bytes under a key.
    #[must_use]
    pub fn raw(&self, key: &ClaimKey) -> Option<Vec<u8>> {
        self.state().slots.get(key)?.stored.as_ref().map(|stored| stored.bytes.clone())
    }

    /// The corrupt records that were replaced so far.
    #[must_use]
    pub fn quarantined(&self) -> Vec<(ClaimKey, Vec<u8>)> {
        self.state().quarantine.clone()
    }

    /// Lets `calls` more calls succeed and all later ones fail, as if the caller had died there; `None`: no limit.
    pub fn fail_after(&self, calls: Option<u32>) {
        self.state().calls_left = calls;
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn call(&self) -> Result<MutexGuard<'_, State>, StoreError> {
        let mut state = self.state();
        match &mut state.calls_left {
            None => {}
            Some(0) => {
                let gone = std::io::Error::other("the store was told to fail here");
                return Err(StoreError::new(Path::new("memory"), StoreProblem::Io(gone)));
            }
            Some(left) => *left -= 1,
        }
        Ok(state)
    }
}

impl Store for MemoryStore {
    fn lock<'a>(&'a self, key: &ClaimKey, wait: Duration) -> Result<Box<dyn Locked + 'a>, StoreError> {
        let begin = Instant::now();
        let mut state = self.call()?;
        loop {
            let slot = state.slots.entry(*key).or_default();
            if !slot.locked {
                slot.locked = true;
                return Ok(Box::new(LockedSlot { store: self, key: *key }));
            }
            let left = wait.saturating_sub(begin.elapsed());
            if left.is_zero() {
                return Err(StoreError::new(Path::new("memory"), StoreProblem::Busy { waited: wait }));
            }
            (state, _) = self.unlocked.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn peek(&self, key: &ClaimKey) -> Result<Found, StoreError> {
        Ok(found(key, self.state().slots.get(key).and_then(|slot| slot.stored.as_ref())))
    }

    fn list(&self) -> Result<Vec<Listed>, StoreError> {
        let state = self.call()?;
        let stored = state.slots.iter().filter(|(_, slot)| slot.stored.is_some());
        Ok(stored.map(|(key, slot)| Listed { key: *key, found: found(key, slot.stored.as_ref()) }).collect())
    }
}

fn found(key: &ClaimKey, stored: Option<&Stored>) -> Found {
    stored.map_or(Found::Nothing, |stored| Found::Record {
        record: Record::parse(&stored.bytes, key),
        modified: stored.modified,
    })
}

struct LockedSlot<'a> {
    store: &'a MemoryStore,
    key: ClaimKey,
}

impl LockedSlot<'_> {
    fn with<T>(&self, change: impl FnOnce(&mut Slot) -> T) -> Result<T, StoreError> {
        let mut state = self.store.call()?;
        Ok(change(state.slots.entry(self.key).or_default()))
    }
}

impl Locked for LockedSlot<'_> {
    fn read(&mut self) -> Result<Found, StoreError> {
        self.with(|slot| found(&self.key, slot.stored.as_ref()))
    }

    fn next_generation(&mut self, above: u64) -> Result<u64, StoreError> {
        self.with(|slot| {
            slot.generation = slot.generation.max(above).saturating_add(1);
            slot.generation
        })
    }

    fn publish(&mut self, claim: &Claim, how: Publish) -> Result<(), StoreError> {
        let modified = self.store.clock.read().wall;
        let published = self.with(|slot| {
            let free = how == Publish::InPlace || slot.stored.is_none();
            if free {
                slot.stored = Some(Stored { bytes: claim.to_bytes(), modified });
            }
            free
        })?;
        if published { Ok(()) } else { Err(StoreError::new(Path::new("memory"), StoreProblem::Contended)) }
    }

    fn touch(&mut self) -> Result<(), StoreError> {
        let now = self.store.clock.read().wall;
        self.with(|slot| slot.stored.iter_mut().for_each(|stored| stored.modified = now))
    }

    fn quarantine(&mut self) -> Result<(), StoreError> {
        let stored = self.with(|slot| slot.stored.clone())?;
        self.store.state().quarantine.extend(stored.map(|stored| (self.key, stored.bytes)));
        Ok(())
    }

    fn remove(&mut self) -> Result<(), StoreError> {
        self.with(|slot| slot.stored = None)
    }

    fn unlock(self: Box<Self>) -> Result<(), StoreError> {
        Ok(())
    }
}

impl Drop for LockedSlot<'_> {
    fn drop(&mut self) {
        if let Some(slot) = self.store.state().slots.get_mut(&self.key) {
            slot.locked = false;
        }
        self.store.unlocked.notify_all();
    }
}
