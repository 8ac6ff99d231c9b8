#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod canonical;
mod claim;
mod clock;
mod decide;
mod error;
#[cfg(feature = "torture")]
#[doc(hidden)]
#[allow(missing_docs, reason = "test only")]
pub mod faults;
#[cfg(not(feature = "torture"))]
mod faults;
mod heartbeat;
mod identity;
mod lease_set;
mod macos;
mod operation;
mod oplock;
mod probe;
mod store;
mod text;

pub use canonical::{CanonicalPath, PathError, PathProblem};
pub use claim::{Claim, ClaimKey, FORMAT_VERSION, MAX_CLAIM_BYTES, Record, Stamp};
pub use clock::{BootTime, Clock, ManualClock, Reading, SystemClock, WallTime};
pub use decide::{
    Conflict, Decision, Found, Gone, Holder, Hostile, Limits, Observation, ProcessState, Standing, decide,
};
pub use error::Error;
pub use identity::{Owner, OwnerToken, Pid, Process, SessionId};
pub use lease_set::{Beat, Beaten, EntryState, Grant, LeaseSet, LostLease, Options, Released, StatusEntry};
pub use operation::{Loss, Operation, Outcome, Publish, Replaced, Reply, Request};
pub use probe::{Entry, Facts, ProcessProbe, SystemProbe, judge_process};
#[cfg(feature = "etcd")]
pub use store::etcd::{EtcdOptions, EtcdStore};
pub use store::fs::{FsOptions, FsStore};
pub use store::memory::MemoryStore;
pub use store::{Listed, Locked, Store, StoreError, StoreProblem, Unsafe};
pub use text::{BLOCKED, Language};
