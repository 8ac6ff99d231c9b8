//! Claims as files in a folder of the user: the store that separate processes share.
//!
//! ```text
//! STATE/                     0700
//! ├── claims/                0700
//! │   ├── <sha256>.json      0600  one claim, always whole
//! │   ├── .<sha256>.tmp      0600  the next claim while it is written, by the lock's holder only; else a spare file
//! │   └── .quarantine/       0700  corrupt records that were replaced
//! └── locks/                 0700
//!     ├── <sha256>.lock      0600  operation lock of one claim; its text is the last generation
//!     └── .live/             0700  one locked file for each living process that holds claims
//! ```
//!
//! Nothing is synced to the disk: after a power failure no holder of before is alive, and a torn record is corrupt.

use super::{Listed, Locked, Store, StoreError, StoreProblem, Unsafe};
use crate::claim::{Claim, ClaimKey, MAX_CLAIM_BYTES, Record};
use crate::clock::WallTime;
use crate::decide::{Found, Hostile};
use crate::faults;
use crate::operation::Publish;
use crate::oplock::{Fail, OperationLock};
use rustix::fs::{
    AtFlags, Dir, FileType, FlockOperation, Mode, OFlags, RenameFlags, Stat, Timespec, Timestamps, UTIME_NOW,
    UTIME_OMIT,
};
use rustix::io::Errno;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

/// How a file-system store deviates from the safe default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct FsOptions {
    /// Accept a state folder on a network file system. Two hosts then may not see each other's locks: nothing is promised.
    pub allow_network: bool,
    /// Take no liveness lock: holders in other pid namespaces are then judged by their heartbeat alone.
    pub no_liveness_lock: bool,
}

/// Claims in a folder on a local file system.
///
/// ```
/// use collision_lease::{FsStore, Store};
///
/// let folder = tempfile::tempdir()?;
/// let store = FsStore::open(&folder.path().join("collision-guard"))?;
/// assert!(store.list()?.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct FsStore {
    root: PathBuf,
    options: FsOptions,
    /// The folders in use; opened anew when somebody has deleted them.
    folders: Mutex<Arc<Folders>>,
}

impl FsStore {
    /// Opens the store in `root`, creating what is missing with mode 0700. Existing folders are checked, never changed.
    ///
    /// # Errors
    ///
    /// If the folder or one of its two folders is a link, belongs to somebody else, or can be written by others; if it lies
    /// on a network file system; or if it cannot be created.
    pub fn open(root: &Path) -> Result<Self, StoreError> {
        Self::open_with(root, FsOptions::default())
    }

    /// Like [`open`](Self::open), with deviations.
    ///
    /// # Errors
    ///
    /// As there.
    pub fn open_with(root: &Path, options: FsOptions) -> Result<Self, StoreError> {
        let root = std::path::absolute(root).map_err(|error| StoreError::from_io(root, error))?;
        let folders = Mutex::new(Arc::new(Folders::open(&root, options)?));
        Ok(Self { root, options, folders })
    }

    /// The state folder.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The file of a claim.
    #[must_use]
    pub fn claim_file(&self, key: &ClaimKey) -> PathBuf {
        self.root.join("claims").join(claim_name(key))
    }

    /// The folders, after a look at whether they are still the ones that other processes find.
    fn folders(&self) -> Result<Arc<Folders>, StoreError> {
        let mut folders = self.folders.lock().unwrap_or_else(PoisonError::into_inner);
        if !folders.still_named() {
            *folders = Arc::new(Folders::open(&self.root, self.options)?);
        }
        Ok(Arc::clone(&folders))
    }
}

impl Store for FsStore {
    fn lock<'a>(&'a self, key: &ClaimKey, wait: Duration) -> Result<Box<dyn Locked + 'a>, StoreError> {
        let folders = self.folders()?;
        let digits = key.to_string();
        let name = format!("{digits}.lock");
        #[cfg(feature = "torture")]
        if faults::unlocked() {
            return Ok(Box::new(LockedClaim::new(self, folders, None, *key, &digits)));
        }
        let lock =
            OperationLock::acquire(folders.locks.as_fd(), &name, folders.user, wait).map_err(|fail| {
                let place = self.root.join("locks").join(&name);
                match fail {
                    Fail::Busy => StoreError::new(&place, StoreProblem::Busy { waited: wait }),
                    Fail::Unsafe(what) => StoreError::new(&place, StoreProblem::Unsafe(what)),
                    Fail::Io(errno) => StoreError::from_io(&place, errno.into()),
                }
            })?;
        faults::point("locked");
        Ok(Box::new(LockedClaim::new(self, folders, Some(lock), *key, &digits)))
    }

    fn list(&self) -> Result<Vec<Listed>, StoreError> {
        let folders = self.folders()?;
        let place = self.root.join("claims");
        let at = |errno: Errno| StoreError::from_io(&place, errno.into());
        let mut listed = Vec::new();
        for entry in Dir::read_from(&folders.claims).map_err(at)? {
            let entry = entry.map_err(at)?;
            let key =
                entry.file_name().to_str().ok().and_then(|name| ClaimKey::parse(name.strip_suffix(".json")?));
            if let Some(key) = key {
                let found = folders
                    .read_unlocked(&key)
                    .map_err(|errno| StoreError::from_io(&self.claim_file(&key), errno.into()))?;
                listed.push(Listed { key, found });
            }
        }
        // What was released between the listing and the reading is gone.
        listed.retain(|listed| listed.found != Found::Nothing);
        listed.sort_by_key(|listed| listed.key);
        Ok(listed)
    }

    fn peek(&self, key: &ClaimKey) -> Result<Found, StoreError> {
        let folders = Arc::clone(&self.folders.lock().unwrap_or_else(PoisonError::into_inner));
        folders
            .read(key, &claim_name(key))
            .map_err(|errno| StoreError::from_io(&self.claim_file(key), errno.into()))
    }

    fn is_live(&self, mark: &str) -> bool {
        let folders = Arc::clone(&self.folders.lock().unwrap_or_else(PoisonError::into_inner));
        is_live(&folders.locks, mark)
    }

    fn liveness(&self) -> Option<Box<str>> {
        if self.options.no_liveness_lock {
            return None;
        }
        // A lock that cannot be had (too many open files, full disk) is gone without: it only ever adds certainty.
        let folders = Arc::clone(&self.folders.lock().unwrap_or_else(PoisonError::into_inner));
        folders.live.get_or_init(|| LiveLock::take(&folders.locks)).as_ref().map(|live| live.mark.clone())
    }
}

/// What a file is, whatever its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Inode {
    device: u64,
    number: u64,
}

impl Inode {
    // The types of the fields differ between systems.
    #[allow(clippy::unnecessary_cast, clippy::cast_sign_loss)]
    fn of(stat: &Stat) -> Self {
        Self { device: stat.st_dev as u64, number: stat.st_ino as u64 }
    }
}

fn claim_name(key: &ClaimKey) -> String {
    format!("{key}.json")
}

/// The open folders. All work goes through them, so nobody can slip another folder in between two steps.
#[derive(Debug)]
struct Folders {
    claims: OwnedFd,
    claims_path: PathBuf,
    claims_inode: Inode,
    locks: OwnedFd,
    locks_path: PathBuf,
    locks_inode: Inode,
    /// The user whose files these must be.
    user: u32,
    live: OnceLock<Option<LiveLock>>,
}

impl Folders {
    fn open(root: &Path, options: FsOptions) -> Result<Self, StoreError> {
        let created = std::fs::DirBuilder::new().recursive(true).mode(0o700).create(root);
        // An existing entry that is no folder, or a link to one, is told apart by the check below.
        if let Err(error) = created
            && !matches!(error.kind(), io::ErrorKind::AlreadyExists | io::ErrorKind::NotADirectory)
        {
            return Err(StoreError::from_io(root, error));
        }
        let root_folder = open_folder(rustix::fs::CWD, root, root)?;
        if !options.allow_network
            && let Some(kind) =
                network_kind(root_folder.as_fd()).map_err(|e| StoreError::from_io(root, e.into()))?
        {
            return Err(StoreError::new(root, StoreProblem::NetworkFileSystem(kind)));
        }
        let inner = |path: &Path, name: &str| {
            let folder = create_folder(root_folder.as_fd(), name, path)?;
            let stat = rustix::fs::fstat(&folder).map_err(|errno| StoreError::from_io(path, errno.into()))?;
            Ok((folder, Inode::of(&stat)))
        };
        let (claims_path, locks_path) = (root.join("claims"), root.join("locks"));
        let (claims, claims_inode) = inner(&claims_path, "claims")?;
        let (locks, locks_inode) = inner(&locks_path, "locks")?;
        let user = rustix::process::geteuid().as_raw();
        Ok(Self {
            claims,
            claims_path,
            claims_inode,
            locks,
            locks_path,
            locks_inode,
            user,
            live: OnceLock::new(),
        })
    }

    /// Whether the names in the state folder still lead to these two folders.
    fn still_named(&self) -> bool {
        let same = |path: &Path, inode: Inode| {
            let named = rustix::fs::statat(rustix::fs::CWD, path, AtFlags::SYMLINK_NOFOLLOW);
            named.is_ok_and(|named| Inode::of(&named) == inode)
        };
        same(&self.claims_path, self.claims_inode) && same(&self.locks_path, self.locks_inode)
    }

    /// Reads without the lock. Whoever opens a claim just before it is put aside may see it being overwritten; so a record
    /// that makes no sense is looked at again.
    fn read_unlocked(&self, key: &ClaimKey) -> Result<Found, Errno> {
        let name = claim_name(key);
        for _ in 0..3 {
            let found = self.read(key, &name)?;
            if !matches!(found, Found::Record { record: Record::Corrupt { .. }, .. }) {
                return Ok(found);
            }
        }
        self.read(key, &name)
    }

    fn read(&self, key: &ClaimKey, name: &str) -> Result<Found, Errno> {
        // Without NONBLOCK, opening a FIFO would wait for its writer.
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = match rustix::fs::openat(&self.claims, name, flags, Mode::empty()) {
            Ok(file) => file,
            Err(Errno::NOENT) => return Ok(Found::Nothing),
            Err(Errno::LOOP) => return Ok(Found::Hostile(Hostile::Symlink)),
            Err(Errno::NXIO) => return Ok(Found::Hostile(Hostile::NotAFile)),
            Err(errno) => return Err(errno),
        };
        let stat = rustix::fs::fstat(&file)?;
        // The number of links is not looked at: a process killed between two steps of publishing leaves two, and so does
        // the quarantine. Neither gives anybody else a way in, since the folder is ours alone.
        if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
            return Ok(Found::Hostile(Hostile::NotAFile));
        }
        if stat.st_uid != self.user {
            return Ok(Found::Hostile(Hostile::OtherOwner));
        }
        let size = usize::try_from(stat.st_size).unwrap_or(usize::MAX);
        let record = Record::parse(&read_at_most(&file, size, MAX_CLAIM_BYTES + 1)?, key);
        Ok(Found::Record { record, modified: modified(&stat) })
    }
}

fn open_folder(at: BorrowedFd<'_>, name: &Path, shown: &Path) -> Result<OwnedFd, StoreError> {
    let refuse = |what| Err(StoreError::new(shown, StoreProblem::Unsafe(what)));
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let folder = match rustix::fs::openat(at, name, flags, Mode::empty()) {
        Ok(folder) => folder,
        Err(errno @ (Errno::NOTDIR | Errno::LOOP)) => {
            let kind = rustix::fs::statat(at, name, AtFlags::SYMLINK_NOFOLLOW)
                .map(|s| FileType::from_raw_mode(s.st_mode));
            return match kind {
                Ok(FileType::Symlink) => refuse(Unsafe::Symlink),
                Ok(_) => refuse(Unsafe::NotADirectory),
                Err(_) => Err(StoreError::from_io(shown, errno.into())),
            };
        }
        Err(errno) => return Err(StoreError::from_io(shown, errno.into())),
    };
    let stat = rustix::fs::fstat(&folder).map_err(|errno| StoreError::from_io(shown, errno.into()))?;
    if stat.st_uid != rustix::process::geteuid().as_raw() {
        return refuse(Unsafe::OtherOwner);
    }
    if Mode::from_raw_mode(stat.st_mode).intersects(Mode::WGRP | Mode::WOTH) {
        return refuse(Unsafe::WritableByOthers);
    }
    Ok(folder)
}

fn create_folder(at: BorrowedFd<'_>, name: &str, shown: &Path) -> Result<OwnedFd, StoreError> {
    match rustix::fs::mkdirat(at, name, Mode::RWXU) {
        // On a read-only file system an existing folder is opened all the same: a listing needs no more.
        Ok(()) | Err(Errno::EXIST | Errno::ROFS) => open_folder(at, Path::new(name), shown),
        Err(errno) => Err(StoreError::from_io(shown, errno.into())),
    }
}

fn modified(stat: &Stat) -> WallTime {
    let seconds = u64::try_from(stat.st_mtime).unwrap_or(0);
    // Signed on some systems, unsigned on others.
    #[allow(clippy::useless_conversion)]
    let millis = u64::try_from(stat.st_mtime_nsec).unwrap_or(0) / 1_000_000;
    WallTime(seconds.saturating_mul(1000).saturating_add(millis))
}

/// Reads a file of about `size` bytes, but no more than `limit`.
fn read_at_most(file: &OwnedFd, size: usize, limit: usize) -> Result<Vec<u8>, Errno> {
    let mut bytes = Vec::with_capacity(size.min(limit));
    let mut chunk = [0; 4096];
    while bytes.len() < size.min(limit) {
        let length = match rustix::io::read(file, &mut chunk) {
            Ok(0) => break,
            Ok(length) => length,
            Err(Errno::INTR) => continue,
            Err(errno) => return Err(errno),
        };
        bytes.extend_from_slice(chunk.get(..length).unwrap_or_default());
    }
    Ok(bytes)
}

/// The name of the network file system that a folder lies on, if it lies on one.
#[cfg(target_os = "linux")]
fn network_kind(folder: BorrowedFd<'_>) -> Result<Option<&'static str>, Errno> {
    // The type of the field differs between architectures.
    #[allow(clippy::useless_conversion, clippy::unnecessary_cast)]
    let magic = rustix::fs::fstatfs(folder)?.f_type as i64;
    Ok(network_name(magic))
}

#[cfg(target_os = "macos")]
fn network_kind(folder: BorrowedFd<'_>) -> Result<Option<&'static str>, Errno> {
    Ok(crate::macos::network_name(rustix::fs::fstatfs(folder)?.f_flags))
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
fn network_kind(_: BorrowedFd<'_>) -> Result<Option<&'static str>, Errno> {
    Ok(None)
}

/// Numbers from `statfs(2)` and the kernel's `magic.h`. FUSE may be local, but nobody can tell from here.
#[cfg(target_os = "linux")]
fn network_name(magic: i64) -> Option<&'static str> {
    // 32 bits are what counts: on some architectures the field is signed and the large ones come negative.
    Some(match magic & 0xFFFF_FFFF {
        0x6969 => "nfs",
        0x517B | 0xFF53_4D42 | 0xFE53_4D42 => "smb",
        0x0102_1997 => "9p",
        0x6573_5546 => "fuse",
        0x5346_414F | 0x6B41_4653 => "afs",
        0x00C3_6400 => "ceph",
        0x7375_7245 => "coda",
        0x564C => "ncp",
        0x7461_636F => "ocfs2",
        0x0116_1970 => "gfs2",
        0x0BD0_0BD0 => "lustre",
        0x786F_4256 => "vboxsf",
        _ => return None,
    })
}

/// Claims are filled up to a multiple of this many bytes.
const PADDED: usize = 512;

fn write_whole(file: &OwnedFd, mut bytes: &[u8]) -> Result<(), Errno> {
    while !bytes.is_empty() {
        match rustix::io::write(file, bytes) {
            Ok(0) => return Err(Errno::NOSPC),
            Ok(length) => bytes = bytes.get(length..).unwrap_or_default(),
            Err(Errno::INTR) => {}
            Err(errno) => return Err(errno),
        }
    }
    Ok(())
}

/// One claim while its operation lock is held.
struct LockedClaim<'a> {
    store: &'a FsStore,
    folders: Arc<Folders>,
    /// Always there, except in the wrong protocols of the test feature.
    lock: Option<OperationLock>,
    key: ClaimKey,
    name: String,
    temporary: String,
    /// The liveness mark of the claim that was read: cleaned up when that claim is replaced.
    mark: Option<Box<str>>,
    #[cfg(feature = "torture")]
    inode: Option<u64>,
}

impl<'a> LockedClaim<'a> {
    fn new(
        store: &'a FsStore,
        folders: Arc<Folders>,
        lock: Option<OperationLock>,
        key: ClaimKey,
        digits: &str,
    ) -> Self {
        Self {
            store,
            folders,
            lock,
            key,
            name: format!("{digits}.json"),
            temporary: format!(".{digits}.tmp"),
            mark: None,
            #[cfg(feature = "torture")]
            inode: None,
        }
    }

    fn at(&self, errno: Errno) -> StoreError {
        StoreError::from_io(&self.store.claim_file(&self.key), errno.into())
    }

    fn contended(&self) -> StoreError {
        StoreError::new(&self.store.claim_file(&self.key), StoreProblem::Contended)
    }

    /// Writes the next claim beside the present one, into the spare file if there is one.
    ///
    /// A spare is what the last release or heartbeat put aside. Making and freeing files is what costs on a disk: with a
    /// spare, an acquire and a release on ext4 take 17 µs instead of 27 at rest and of 240 beside other writers, and on a
    /// full disk there is still room for a heartbeat. What a killed process left half-written is just as good a spare.
    fn write_temporary(&self, name: &str, mut bytes: Vec<u8>) -> Result<(), Errno> {
        let claims = &self.folders.claims;
        let (file, size) = match self.open_spare(name)? {
            Some(spare) => spare,
            None => (self.create_temporary(name)?, 0),
        };
        faults::point("temporary-created");
        // Filled up with blanks, which JSON does not mind, to a length that most claims have: so it need not be cut.
        let length = bytes.len().max(size.min(PADDED)).next_multiple_of(PADDED);
        bytes.resize(length - 1, b' ');
        bytes.push(b'\n');
        if let Err(errno) = write_whole(&file, &bytes) {
            let _ = rustix::fs::unlinkat(claims, name, AtFlags::empty());
            return Err(errno);
        }
        if size > length {
            rustix::fs::ftruncate(&file, length as u64)?;
        }
        faults::point("temporary-written");
        Ok(())
    }

    /// The spare file, if there is one that nobody else can see into.
    fn open_spare(&self, name: &str) -> Result<Option<(OwnedFd, usize)>, Errno> {
        let claims = &self.folders.claims;
        let flags = OFlags::WRONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        match rustix::fs::openat(claims, name, flags, Mode::empty()) {
            Ok(file) => {
                let stat = rustix::fs::fstat(&file)?;
                let regular = FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile;
                // A second name is the quarantine's, whose record must stay as it was found.
                if regular && stat.st_uid == self.folders.user && stat.st_nlink == 1 {
                    return Ok(Some((file, usize::try_from(stat.st_size).unwrap_or(usize::MAX))));
                }
            }
            Err(Errno::NOENT) => return Ok(None),
            Err(Errno::LOOP | Errno::NXIO | Errno::ACCESS) => {}
            Err(errno) => return Err(errno),
        }
        rustix::fs::unlinkat(claims, name, AtFlags::empty())?;
        Ok(None)
    }

    fn create_temporary(&self, name: &str) -> Result<OwnedFd, Errno> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        rustix::fs::openat(&self.folders.claims, name, flags, Mode::RUSR | Mode::WUSR)
    }

    fn publish_new(&self, temporary: &str) -> Result<(), Errno> {
        let claims = &self.folders.claims;
        match rustix::fs::renameat_with(claims, temporary, claims, &self.name, RenameFlags::NOREPLACE) {
            // Not every file system can rename without replacing; all can link.
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
                rustix::fs::linkat(claims, temporary, claims, &self.name, AtFlags::empty())?;
                rustix::fs::unlinkat(claims, temporary, AtFlags::empty())
            }
            other => other,
        }
    }

    /// Exchanges the two names; the old claim is the spare then.
    ///
    /// The same for every reader as renaming over the old claim, but a fifth of its price on ext4 (26 µs instead of
    /// 130 µs), which on such a rename starts to write the new file's blocks.
    fn publish_in_place(&self, temporary: &str) -> Result<(), Errno> {
        let claims = &self.folders.claims;
        match rustix::fs::renameat_with(claims, temporary, claims, &self.name, RenameFlags::EXCHANGE) {
            Ok(()) => {
                faults::point("exchanged");
                Ok(())
            }
            // NOENT: the claim was removed by hand since it was read.
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP | Errno::NOENT) => {
                rustix::fs::renameat(claims, temporary, claims, &self.name)
            }
            Err(errno) => Err(errno),
        }
    }

    /// Puts the claim aside as the spare; if there is one already, removes it.
    fn put_aside(&self) -> Result<(), Errno> {
        let claims = &self.folders.claims;
        match rustix::fs::renameat_with(claims, &self.name, claims, &self.temporary, RenameFlags::NOREPLACE) {
            Err(Errno::EXIST | Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
                rustix::fs::unlinkat(claims, &self.name, AtFlags::empty())
            }
            other => other,
        }
    }
}

impl Locked for LockedClaim<'_> {
    fn read(&mut self) -> Result<Found, StoreError> {
        let found = self.folders.read(&self.key, &self.name).map_err(|errno| self.at(errno))?;
        if let Found::Record { record: Record::Claim(claim), .. } = &found {
            self.mark.clone_from(&claim.liveness);
        }
        #[cfg(feature = "torture")]
        {
            let stat = rustix::fs::statat(&self.folders.claims, &self.name, AtFlags::SYMLINK_NOFOLLOW);
            self.inode = stat.ok().map(|stat| stat.st_ino);
        }
        faults::point("read");
        Ok(found)
    }

    fn next_generation(&mut self, above: u64) -> Result<u64, StoreError> {
        let Some(lock) = &self.lock else { return Ok(above.saturating_add(1)) };
        // What is no number was written by nobody of us. A generation must not fall back, so it leaps ahead of every count
        // that there can have been: to the microseconds since 1970.
        let kept = lock.generation().map_err(|errno| self.at(errno))?.unwrap_or_else(leap);
        let generation = kept.max(above).saturating_add(1);
        lock.keep_generation(generation).map_err(|errno| self.at(errno))?;
        faults::point("numbered");
        Ok(generation)
    }

    fn publish(&mut self, claim: &Claim, how: Publish) -> Result<(), StoreError> {
        #[cfg(feature = "torture")]
        if self.lock.is_none() {
            return self.publish_wrong(claim, how);
        }
        let temporary = self.temporary.as_str();
        self.write_temporary(temporary, claim.to_bytes()).map_err(|errno| self.at(errno))?;
        let published = match how {
            Publish::New => self.publish_new(temporary),
            Publish::InPlace => self.publish_in_place(temporary),
        };
        published.map_err(|errno| {
            let _ = rustix::fs::unlinkat(&self.folders.claims, temporary, AtFlags::empty());
            if errno == Errno::EXIST { self.contended() } else { self.at(errno) }
        })?;
        faults::point("published");
        if let Some(mark) = self.mark.take().filter(|mark| Some(mark) != claim.liveness.as_ref()) {
            remove_if_dead(&self.folders.locks, &mark);
        }
        Ok(())
    }

    fn touch(&mut self) -> Result<(), StoreError> {
        let times = Timestamps {
            last_access: Timespec { tv_sec: 0, tv_nsec: UTIME_OMIT },
            last_modification: Timespec { tv_sec: 0, tv_nsec: UTIME_NOW },
        };
        rustix::fs::utimensat(&self.folders.claims, &self.name, &times, AtFlags::SYMLINK_NOFOLLOW)
            .map_err(|errno| self.at(errno))?;
        faults::point("touched");
        Ok(())
    }

    fn quarantine(&mut self) -> Result<(), StoreError> {
        let shown = self.store.root.join("claims").join(".quarantine");
        let folder = create_folder(self.folders.claims.as_fd(), ".quarantine", &shown)?;
        for attempt in 0..16 {
            let name = format!("{}.{}.{attempt}.json", self.key, leap());
            match rustix::fs::linkat(&self.folders.claims, &self.name, &folder, &name, AtFlags::empty()) {
                Ok(()) => break,
                Err(Errno::EXIST) => {}
                Err(errno) => return Err(StoreError::from_io(&shown, errno.into())),
            }
        }
        faults::point("quarantined");
        Ok(())
    }

    fn remove(&mut self) -> Result<(), StoreError> {
        match self.put_aside() {
            Ok(()) | Err(Errno::NOENT) => {}
            Err(errno) => return Err(self.at(errno)),
        }
        faults::point("removed");
        Ok(())
    }

    fn unlock(mut self: Box<Self>) -> Result<(), StoreError> {
        let unlocked = self.lock.take().map_or(Ok(()), OperationLock::unlock);
        faults::point("unlocked");
        unlocked.map_err(|error| StoreError::from_io(&self.store.root.join("locks"), error))
    }
}

#[cfg(feature = "torture")]
impl LockedClaim<'_> {
    /// The two well-known wrong ways to replace a claim, so that the tests can show that they catch them.
    fn publish_wrong(&self, claim: &Claim, how: Publish) -> Result<(), StoreError> {
        use faults::Wrong;
        let claims = &self.folders.claims;
        let unique = |what: &str| {
            let number = std::hash::BuildHasher::hash_one(&std::hash::RandomState::new(), 0);
            format!(".{}.{what}.{number}", self.key)
        };
        if how == Publish::InPlace {
            // The moment between decision and removal, long enough for another process to come in between.
            std::thread::sleep(Duration::from_micros(u64::from(std::process::id()) % 7 * 300));
            if faults::wrong() == Some(Wrong::RenameAndRecheck) {
                let aside = unique("aside");
                rustix::fs::renameat(claims, &self.name, claims, &aside).map_err(|_| self.contended())?;
                std::thread::sleep(Duration::from_micros(500));
                let stat =
                    rustix::fs::statat(claims, &aside, AtFlags::SYMLINK_NOFOLLOW).map_err(|e| self.at(e))?;
                if Some(stat.st_ino) != self.inode {
                    let _ =
                        rustix::fs::renameat_with(claims, &aside, claims, &self.name, RenameFlags::NOREPLACE);
                    return Err(self.contended());
                }
                let _ = rustix::fs::unlinkat(claims, &aside, AtFlags::empty());
            } else {
                let _ = rustix::fs::unlinkat(claims, &self.name, AtFlags::empty());
            }
        }
        let temporary = unique("tmp");
        self.write_temporary(&temporary, claim.to_bytes()).map_err(|errno| self.at(errno))?;
        self.publish_new(&temporary).map_err(|errno| {
            let _ = rustix::fs::unlinkat(claims, &temporary, AtFlags::empty());
            if errno == Errno::EXIST { self.contended() } else { self.at(errno) }
        })
    }
}

fn leap() -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(now.as_micros()).unwrap_or(u64::MAX / 2)
}

/// A file that this process keeps locked for life, so that even an observer who cannot see its pid knows that it lives.
///
/// The file is only ever removed by whoever holds its lock.
#[derive(Debug)]
struct LiveLock {
    file: OwnedFd,
    folder: OwnedFd,
    mark: Box<str>,
    taken_by: u32,
}

const LIVE_FOLDER: &str = ".live";

impl LiveLock {
    fn take(locks: &OwnedFd) -> Option<Self> {
        match rustix::fs::mkdirat(locks, LIVE_FOLDER, Mode::RWXU) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(_) => return None,
        }
        let folder = open_folder(locks.as_fd(), Path::new(LIVE_FOLDER), Path::new(LIVE_FOLDER)).ok()?;
        sweep(&folder);
        let mark: Box<str> = crate::identity::OwnerToken::random().ok()?.as_str().into();
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = rustix::fs::openat(&folder, &*mark, flags, Mode::RUSR | Mode::WUSR).ok()?;
        rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive).ok()?;
        // A sweep of another process may have found it in the moment before it was locked.
        let named = rustix::fs::statat(&folder, &*mark, AtFlags::SYMLINK_NOFOLLOW).ok()?;
        let ours = rustix::fs::fstat(&file).ok()?;
        (named.st_ino == ours.st_ino).then(|| Self { file, folder, mark, taken_by: std::process::id() })
    }
}

impl Drop for LiveLock {
    fn drop(&mut self) {
        if self.taken_by == std::process::id() {
            let _ = rustix::fs::unlinkat(&self.folder, &*self.mark, AtFlags::empty());
            let _ = rustix::fs::flock(&self.file, FlockOperation::Unlock);
        }
    }
}

fn is_mark(text: &str) -> bool {
    text.len() == 32 && text.bytes().all(|b| b.is_ascii_hexdigit())
}

/// Whether a process holds the liveness lock of this name. A look that fails for want of files must not make it dead.
fn is_live(locks: &OwnedFd, mark: &str) -> bool {
    if !is_mark(mark) {
        return false;
    }
    let flags = OFlags::RDWR | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    match rustix::fs::openat(locks, format!("{LIVE_FOLDER}/{mark}"), flags, Mode::empty()) {
        // Shared: two observers must not take each other for the holder.
        Ok(file) => match rustix::fs::flock(&file, FlockOperation::NonBlockingLockShared) {
            Ok(()) => {
                let _ = rustix::fs::flock(&file, FlockOperation::Unlock);
                false
            }
            Err(errno) => errno == Errno::WOULDBLOCK,
        },
        Err(errno) => matches!(errno, Errno::MFILE | Errno::NFILE | Errno::NOMEM),
    }
}

fn remove_if_dead(locks: &OwnedFd, mark: &str) {
    if let (true, Ok(folder)) =
        (is_mark(mark), open_folder(locks.as_fd(), Path::new(LIVE_FOLDER), Path::new(LIVE_FOLDER)))
    {
        remove_if_free(&folder, mark);
    }
}

fn remove_if_free(folder: &OwnedFd, mark: &str) {
    let flags = OFlags::RDWR | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let Ok(file) = rustix::fs::openat(folder, mark, flags, Mode::empty()) else { return };
    if rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive).is_ok() {
        let _ = rustix::fs::unlinkat(folder, mark, AtFlags::empty());
        let _ = rustix::fs::flock(&file, FlockOperation::Unlock);
    }
}

/// Removes what killed processes left, at most 256 files of them at a time.
fn sweep(folder: &OwnedFd) {
    let Ok(entries) = Dir::read_from(folder) else { return };
    for entry in entries.flatten().take(256) {
        if let Ok(name) = entry.file_name().to_str()
            && is_mark(name)
        {
            remove_if_free(folder, name);
        }
    }
}
