//! Placeholders: empty directories that take a name while a command runs, so that it cannot make something there.
//!
//! Each run writes down what it takes before it takes it, in a file that it holds a kernel lock on; a lock goes with its
//! process, whatever becomes of it. Whoever finds a record without a lock takes its placeholders away: the janitor of the
//! run, at once, or else the next run. Only `rmdir` is used, so nothing that holds something is ever lost.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::{self, DirBuilder, File, TryLockError};
use std::io::{self, Read, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// The mode of a placeholder, by which it is told from a directory that somebody made.
const MODE: u32 = 0o555;
/// What the names of records start with.
const RECORD: &str = "placeholders-";
/// The longest record that is read.
const LONGEST: u64 = 4 << 20;

/// The state of all runs, locked: nobody else plans, takes or gives back while this lives.
#[derive(Debug)]
pub(crate) struct Journal {
    folder: PathBuf,
    _lock: File,
}

/// The placeholders of one run. Dropping gives them back.
#[derive(Debug)]
#[must_use = "dropped at once, nothing is held"]
pub(crate) struct Held {
    state: PathBuf,
    record: PathBuf,
    /// The record, open and locked as long as the run lives.
    file: File,
}

impl Journal {
    /// Locks the journal in a folder, which is made if need be, and takes away what dead runs left.
    pub(crate) fn open(state: &Path) -> io::Result<Self> {
        DirBuilder::new().recursive(true).mode(0o700).create(state)?;
        let lock = File::options().create(true).write(true).truncate(false).open(state.join("lock"))?;
        lock.lock()?;
        let journal = Self { folder: state.to_owned(), _lock: lock };
        journal.sweep()?;
        Ok(journal)
    }

    /// Makes placeholders for a run and returns which of the names could be taken, or were already taken by another run.
    ///
    /// What of `mounts` is another run's placeholder is held together with it. A name that cannot be taken because this user
    /// could not make anything there needs none.
    pub(crate) fn hold(
        self,
        wanted: &[PathBuf],
        mounts: &BTreeSet<PathBuf>,
    ) -> io::Result<(Held, Vec<PathBuf>)> {
        let shared =
            self.records()?.into_iter().flat_map(|record| record.paths).filter(|path| mounts.contains(path));
        let shared: BTreeSet<PathBuf> = shared.collect();
        let record = self.folder.join(format!("{RECORD}{}-{}", std::process::id(), unique()));
        let mut file = File::options().create_new(true).read(true).write(true).open(&record)?;
        file.lock()?;
        let mut text = Vec::new();
        for path in shared.iter().chain(wanted) {
            text.extend_from_slice(path.as_os_str().as_bytes());
            text.push(0);
        }
        file.write_all(&text)?;
        let held = Held { state: self.folder.clone(), record, file };
        let mut taken = Vec::new();
        for path in wanted {
            match DirBuilder::new().mode(MODE).create(path) {
                Ok(()) => {
                    // The mode at making is subject to the umask.
                    fs::set_permissions(path, fs::Permissions::from_mode(MODE))?;
                    taken.push(path.clone());
                }
                // Made since the plan was: it is protected as what it is.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => taken.push(path.clone()),
                Err(_) => {}
            }
        }
        Ok((held, taken))
    }

    /// Takes away the placeholders of records whose process is gone.
    fn sweep(&self) -> io::Result<()> {
        let records = self.records()?;
        let (alive, dead): (Vec<_>, Vec<_>) = records.into_iter().partition(|record| record.is_alive);
        let kept: BTreeSet<PathBuf> = alive.into_iter().flat_map(|record| record.paths).collect();
        for record in dead {
            for path in record.paths.iter().rev().filter(|path| !kept.contains(*path)) {
                take_away(path);
            }
            fs::remove_file(&record.file)?;
        }
        Ok(())
    }

    fn records(&self) -> io::Result<Vec<Record>> {
        let mut records = Vec::new();
        for entry in fs::read_dir(&self.folder)? {
            let entry = entry?;
            if entry.file_name().as_bytes().starts_with(RECORD.as_bytes()) {
                records.extend(Record::read(entry.path())?);
            }
        }
        Ok(records)
    }
}

impl Held {
    /// Returns where the record is.
    pub(crate) fn record(&self) -> &Path {
        &self.record
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        // A record without a lock is a dead one; what fails here, the next run does.
        let _ = self.file.unlock();
        let _ = sweep(&self.state);
    }
}

/// What one run wrote down.
struct Record {
    file: PathBuf,
    is_alive: bool,
    paths: Vec<PathBuf>,
}

impl Record {
    /// Reads a record; none if it is gone by now.
    fn read(path: PathBuf) -> io::Result<Option<Self>> {
        let file = match File::open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        let is_alive = match file.try_lock_shared() {
            Ok(()) => false,
            Err(TryLockError::WouldBlock) => true,
            Err(TryLockError::Error(error)) => return Err(error),
        };
        let mut bytes = Vec::new();
        file.take(LONGEST).read_to_end(&mut bytes)?;
        // A name that was not written to its end was not taken yet.
        let whole = bytes.iter().rposition(|byte| *byte == 0).map_or(0, |end| end);
        let names = bytes.get(..whole).unwrap_or_default().split(|byte| *byte == 0);
        let paths = names.map(|name| PathBuf::from(OsString::from_vec(name.to_vec())));
        Ok(Some(Self { file: path, is_alive, paths: paths.filter(|path| path.is_absolute()).collect() }))
    }
}

/// Removes a placeholder, if it still is one: a directory with that mode, and empty.
fn take_away(path: &Path) {
    let is_placeholder = fs::symlink_metadata(path)
        .is_ok_and(|metadata| metadata.is_dir() && metadata.permissions().mode() & 0o7777 == MODE);
    if is_placeholder {
        let _ = fs::remove_dir(path);
    }
}

/// Takes away what dead runs left. Does nothing where no run ever was.
pub(crate) fn sweep(state: &Path) -> io::Result<()> {
    if fs::symlink_metadata(state).is_err() {
        return Ok(());
    }
    Journal::open(state).map(drop)
}

/// Waits until nobody holds a record, or it is gone.
pub(crate) fn wait_for(record: &Path) {
    if let Ok(file) = File::open(record) {
        // What fails here, the next run does.
        let _ = file.lock_shared();
    }
}

/// Whether no run has anything to give back, so that a run without placeholders can do without the journal.
pub(crate) fn is_quiet(state: &Path) -> bool {
    let Ok(entries) = fs::read_dir(state) else { return true };
    !entries.flatten().any(|entry| entry.file_name().as_bytes().starts_with(RECORD.as_bytes()))
}

/// Returns a number that no other record of this process has.
fn unique() -> u64 {
    use std::sync::atomic::{AtomicU64, Ordering};
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;
    use std::time::Duration;

    /// A record that is still locked a moment after its process was killed: its files are closed one after the other.
    #[test]
    fn a_record_is_waited_for_before_it_is_swept() {
        let folder = tempfile::tempdir().unwrap();
        let (state, placeholder) = (folder.path().join("state"), folder.path().join("taken"));
        let journal = Journal::open(&state).unwrap();
        let (held, taken) = journal.hold(std::slice::from_ref(&placeholder), &BTreeSet::new()).unwrap();
        assert_eq!(taken, std::slice::from_ref(&placeholder));
        sweep(&state).unwrap();
        assert!(placeholder.exists(), "a run that lives keeps what it took");
        let record = held.record().to_owned();
        std::thread::scope(|scope| {
            let (swept, is_swept) = mpsc::channel();
            scope.spawn(|| {
                let swept = swept;
                wait_for(&record);
                sweep(&state).unwrap();
                swept.send(()).unwrap();
            });
            assert!(is_swept.recv_timeout(Duration::from_millis(50)).is_err(), "it waits");
            held.file.unlock().unwrap();
            is_swept.recv_timeout(Duration::from_secs(20)).unwrap();
        });
        assert!(!placeholder.exists() && !record.exists());
        wait_for(&record);
    }
}
