//! The operation lock: a kernel lock on a file, held for the microseconds in which a claim is read and replaced.
//!
//! The kernel drops it when its holder dies, so there is no stale lock to break: the two well-known ways of breaking one
//! (remove and create anew; rename aside and look again) let two in, or carry off a live one, in most rounds of a race.

use crate::faults;
use rustix::fs::{AtFlags, FileType, FlockOperation, Mode, OFlags};
use rustix::io::Errno;
use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::time::{Duration, Instant};

/// A lock file whose lock is held. Dropping it unlocks.
#[derive(Debug)]
pub(crate) struct OperationLock {
    file: OwnedFd,
    /// The process that took it. A forked child shares the kernel's lock: it must not unlock its parent's.
    taken_by: u32,
}

/// Why a lock was not taken.
#[derive(Debug)]
pub(crate) enum Fail {
    /// Time is over.
    Busy,
    /// The lock file is no regular file of ours.
    Unsafe(super::store::Unsafe),
    /// The system says no.
    Io(Errno),
}

impl From<Errno> for Fail {
    fn from(errno: Errno) -> Self {
        match errno {
            Errno::LOOP => Self::Unsafe(super::store::Unsafe::Symlink),
            other => Self::Io(other),
        }
    }
}

impl OperationLock {
    /// Takes the lock on file `name` in `folder`, creating the file if need be; it must belong to `user`.
    pub(crate) fn acquire(
        folder: BorrowedFd<'_>,
        name: &str,
        user: u32,
        wait: Duration,
    ) -> Result<Self, Fail> {
        let begin = Instant::now();
        let mut pause = Pause::default();
        loop {
            match Self::try_acquire(folder, name, user)? {
                Some(lock) => return Ok(lock),
                None if begin.elapsed() >= wait => return Err(Fail::Busy),
                None => pause.take(),
            }
        }
    }

    fn try_acquire(folder: BorrowedFd<'_>, name: &str, user: u32) -> Result<Option<Self>, Fail> {
        // Read-write even though nothing may be written: some file systems refuse exclusive locks on read-only handles.
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
        let file = rustix::fs::openat(folder, name, flags, Mode::RUSR | Mode::WUSR)?;
        match rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {}
            Err(Errno::WOULDBLOCK | Errno::INTR) => return Ok(None),
            Err(errno) => return Err(errno.into()),
        }
        let lock = Self { file, taken_by: std::process::id() };
        let ours = rustix::fs::fstat(&lock.file)?;
        if FileType::from_raw_mode(ours.st_mode) != FileType::RegularFile {
            return Err(Fail::Unsafe(super::store::Unsafe::NotAFile));
        }
        if ours.st_uid != user {
            return Err(Fail::Unsafe(super::store::Unsafe::OtherOwner));
        }
        // Between opening and locking the file may have been deleted; then the next comer locks another one.
        match rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(named) if (named.st_dev, named.st_ino) == (ours.st_dev, ours.st_ino) => Ok(Some(lock)),
            Ok(_) | Err(Errno::NOENT) => Ok(None),
            Err(errno) => Err(errno.into()),
        }
    }

    /// The last generation that was kept in the lock file. `None` if what is there is no number.
    pub(crate) fn generation(&self) -> Result<Option<u64>, Errno> {
        let mut text = [0; 32];
        let length = rustix::io::pread(&self.file, &mut text, 0)?;
        let text = text.get(..length).unwrap_or_default().trim_ascii();
        if text.is_empty() {
            return Ok(Some(0));
        }
        Ok(std::str::from_utf8(text).ok().and_then(|text| text.parse().ok()))
    }

    /// Keeps a generation in the lock file. Always 21 bytes: once there, it needs no more space on a full disk.
    pub(crate) fn keep_generation(&self, generation: u64) -> Result<(), Errno> {
        let text = format!("{generation:020}\n");
        let mut written = 0;
        while let Some(rest) = text.as_bytes().get(written..).filter(|rest| !rest.is_empty()) {
            match rustix::io::pwrite(&self.file, rest, written as u64)? {
                0 => return Err(Errno::IO),
                count => written += count,
            }
        }
        Ok(())
    }

    /// Lets go of the lock.
    pub(crate) fn unlock(mut self) -> io::Result<()> {
        let result = self.unlock_now();
        self.taken_by = 0;
        result
    }

    fn unlock_now(&mut self) -> io::Result<()> {
        // Closing is not enough: while another thread is between fork and exec, its child holds the file open, and with it
        // the lock (measured: every second attempt found it taken).
        if faults::close_only() || self.taken_by != std::process::id() {
            return Ok(());
        }
        rustix::fs::flock(&self.file, FlockOperation::Unlock).map_err(io::Error::from)
    }
}

impl Drop for OperationLock {
    fn drop(&mut self) {
        if self.taken_by != 0 {
            let _ = self.unlock_now();
        }
    }
}

/// Pauses between attempts: at first only the processor is given away, then up to 4 ms, never twice the same.
#[derive(Default)]
pub(crate) struct Pause(u32);

impl Pause {
    pub(crate) fn take(&mut self) {
        use std::hash::{BuildHasher, Hasher, RandomState};
        self.0 = self.0.saturating_add(1);
        if self.0 <= 4 {
            std::thread::yield_now();
            return;
        }
        let longest: u64 = 50 << (self.0 / 4).min(6);
        let jitter = RandomState::new().build_hasher().finish() % longest;
        std::thread::sleep(Duration::from_micros(longest / 2 + jitter));
    }
}
