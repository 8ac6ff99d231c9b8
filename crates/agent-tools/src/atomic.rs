//! Replaces a file whole: whoever looks, at any moment, sees the old content or the new one, never a mix.
//!
//! ```text
//! look: open, read, remember what it was       Snapshot::take
//! stage: a file without a name, content, owner, mode, extended attributes, fsync
//! compare: is the file still what was read?    Error::ChangedMeanwhile
//! publish: a temporary name beside it, rename over it, fsync of the directory
//! ```
//!
//! A symbolic link is followed, and stays: the file it leads to is replaced. A hard link is broken: the other names keep the
//! old content, and the caller is told how many there are. Between comparing and renaming some microseconds pass in which a
//! change by somebody who takes no lease is lost.

use crate::Error;
use rustix::fs::{Gid, Uid, XattrFlags, fchown, fgetxattr, flistxattr, fsetxattr};
use rustix::io::Errno;
use std::ffi::OsStr;
use std::fs::{File, Metadata, OpenOptions, Permissions};
use std::io::{self, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use tempfile::TempPath;

/// The largest file that is edited, in bytes.
pub const MAX_BYTES: u64 = 10 * 1024 * 1024;

/// Where the process's descriptors have names.
#[cfg(target_os = "linux")]
const DESCRIPTORS: &str = "/proc/self/fd";

/// What temporary names begin with.
const PREFIX: &str = ".brakeline-";

/// A file as it was when it was looked at.
///
/// ```
/// # use brakeline_agent_tools::Snapshot;
/// # let folder = tempfile::tempdir()?;
/// let path = folder.path().join("a.txt");
/// std::fs::write(&path, "old")?;
/// let snapshot = Snapshot::take(&path)?;
/// assert_eq!(snapshot.bytes(), b"old");
/// snapshot.replace(b"new")?;
/// assert_eq!(std::fs::read(&path)?, b"new");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Snapshot {
    path: PathBuf,
    file: File,
    metadata: Metadata,
    content: Content,
}

/// What is known of the content.
#[derive(Debug)]
enum Content {
    /// All of it.
    Read(Vec<u8>),
    /// It was too large to be worth reading: only size and times are compared.
    TooLarge,
}

impl Snapshot {
    /// Reads a regular file of at most [`MAX_BYTES`]. The path must not end in a symbolic link.
    ///
    /// # Errors
    /// The file does not exist, is no regular file, is too large or cannot be read.
    pub fn take(path: &Path) -> Result<Self, Error> {
        let (file, metadata) = open(path)?;
        if metadata.len() > MAX_BYTES {
            return Err(Error::TooLarge { path: path.to_owned(), size: metadata.len(), limit: MAX_BYTES });
        }
        let bytes = read_all(&file, MAX_BYTES).map_err(|source| Error::io(path, source))?;
        Ok(Self { path: path.to_owned(), file, metadata, content: Content::Read(bytes) })
    }

    /// As [`Snapshot::take`], but a larger file is remembered by size and times only, and gives no bytes.
    ///
    /// # Errors
    /// The file does not exist, is no regular file or cannot be read.
    pub fn glance(path: &Path) -> Result<Self, Error> {
        let (file, metadata) = open(path)?;
        let content = if metadata.len() > MAX_BYTES {
            Content::TooLarge
        } else {
            Content::Read(read_all(&file, MAX_BYTES).map_err(|source| Error::io(path, source))?)
        };
        Ok(Self { path: path.to_owned(), file, metadata, content })
    }

    /// Returns the bytes; none if the file was too large to be read.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        match &self.content {
            Content::Read(bytes) => bytes,
            Content::TooLarge => &[],
        }
    }

    /// Returns how many other names (hard links) the file has: they keep the old content.
    #[must_use]
    pub fn other_names(&self) -> u64 {
        self.metadata.nlink().saturating_sub(1)
    }

    /// Replaces the file, which keeps its mode, owner, group and extended attributes.
    ///
    /// # Errors
    /// The file is no longer what was read, an attribute cannot be kept, or the system refuses. Nothing was changed then.
    pub fn replace(&self, content: &[u8]) -> Result<(), Error> {
        let staged = Staged::write(&self.path, content)?;
        dress(&self.path, &self.file, &self.metadata, &staged.file)?;
        staged.sync(&self.path)?;
        self.compare()?;
        staged.publish(&self.path, Over::Existing)
    }

    /// Fails unless the path still stands for the file that was read, with the content that was read.
    fn compare(&self) -> Result<(), Error> {
        let changed = || Error::ChangedMeanwhile { path: self.path.clone() };
        let (file, now) = open(&self.path).map_err(|_| changed())?;
        let same_file = (now.dev(), now.ino(), now.len(), now.mode(), now.uid(), now.gid())
            == (
                self.metadata.dev(),
                self.metadata.ino(),
                self.metadata.len(),
                self.metadata.mode(),
                self.metadata.uid(),
                self.metadata.gid(),
            );
        // Times alone are too coarse: two changes within one tick have the same.
        let same_content = match &self.content {
            Content::Read(bytes) => read_all(&file, MAX_BYTES).is_ok_and(|now| now == *bytes),
            Content::TooLarge => {
                (now.mtime(), now.mtime_nsec()) == (self.metadata.mtime(), self.metadata.mtime_nsec())
            }
        };
        if same_file && same_content { Ok(()) } else { Err(changed()) }
    }
}

/// Creates a file with its whole content; directories on the way are made, and removed again if the file cannot be created.
///
/// The file appears at once with all of its content, and never takes the place of another.
///
/// # Errors
/// The path exists, or the system refuses.
pub fn create(path: &Path, content: &[u8]) -> Result<(), Error> {
    let parents = Parents::make(path)?;
    let staged = Staged::write(path, content)?;
    staged.sync(path)?;
    staged.publish(path, Over::Nothing)?;
    parents.keep();
    Ok(())
}

/// Opens a regular file for reading without following a link at its end.
fn open(path: &Path) -> Result<(File, Metadata), Error> {
    use rustix::fs::OFlags;
    // Without NONBLOCK, opening a named pipe waits for a writer.
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = OpenOptions::new().read(true).custom_flags(flags.bits().cast_signed()).open(path);
    let file = file.map_err(|source| Error::io(path, source))?;
    let metadata = file.metadata().map_err(|source| Error::io(path, source))?;
    if metadata.is_file() {
        Ok((file, metadata))
    } else {
        Err(Error::NotAFile { path: path.to_owned(), directory: metadata.is_dir() })
    }
}

fn read_all(file: &File, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    // One more, so that a file that grows past the limit is seen to differ.
    file.take(limit + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Gives a staged file the owner, mode and extended attributes of an original.
fn dress(path: &Path, original: &File, metadata: &Metadata, staged: &File) -> Result<(), Error> {
    let lost = |attribute: &str, source: io::Error| Error::Attribute {
        path: path.to_owned(),
        attribute: attribute.to_owned(),
        source,
    };
    let fresh = staged.metadata().map_err(|source| Error::io(path, source))?;
    // The owner first: changing it takes away set-user-ID bits.
    if (fresh.uid(), fresh.gid()) != (metadata.uid(), metadata.gid()) {
        let (owner, group) = (Uid::from_raw(metadata.uid()), Gid::from_raw(metadata.gid()));
        fchown(staged, Some(owner), Some(group)).map_err(|error| lost("owner", error.into()))?;
    }
    copy_xattrs(original, staged, &lost)?;
    // Last, since setting an access list changes the mode.
    let mode = metadata.mode() & 0o7777;
    staged.set_permissions(Permissions::from_mode(mode)).map_err(|error| lost("mode", error))
}

fn copy_xattrs(
    original: &File,
    staged: &File,
    lost: &impl Fn(&str, io::Error) -> Error,
) -> Result<(), Error> {
    let names = match xattr_names(original) {
        Ok(names) => names,
        // The file system has none.
        Err(Errno::NOTSUP | Errno::NOSYS) => return Ok(()),
        Err(error) => return Err(lost("extended attributes", error.into())),
    };
    for name in names.split(|byte| *byte == 0).filter(|name| !name.is_empty()) {
        let name = OsStr::from_bytes(name);
        let copied = xattr_value(original, name)
            .and_then(|value| fsetxattr(staged, name, &value, XattrFlags::empty()));
        match copied {
            Ok(()) | Err(Errno::NODATA) => {}
            // Labels of security modules are the system's to give; only a privileged process may set them.
            Err(Errno::PERM | Errno::NOTSUP) if !is_users(name) => {}
            Err(error) => {
                return Err(lost(&format!("extended attribute {}", name.display()), error.into()));
            }
        }
    }
    Ok(())
}

/// Copies a regular file to a path that does not exist, with its attributes and its time of change.
pub(crate) fn copy_whole(from: &Path, to: &Path) -> Result<(), Error> {
    let (original, metadata) = open(from)?;
    let mut staged = Staged::write(to, &[])?;
    io::copy(&mut &original, &mut staged.file).map_err(|source| Error::io(to, source))?;
    dress(to, &original, &metadata, &staged.file)?;
    let modified = metadata.modified().map_err(|source| Error::io(from, source))?;
    staged.file.set_modified(modified).map_err(|source| Error::io(to, source))?;
    staged.sync(to)?;
    staged.publish(to, Over::Nothing)
}

/// Whether an extended attribute belongs to the user (access lists included) and not to the system.
fn is_users(name: &OsStr) -> bool {
    let name = name.as_bytes();
    name.starts_with(b"user.") || name.starts_with(b"system.posix_acl")
}

fn xattr_names(file: &File) -> rustix::io::Result<Vec<u8>> {
    grown(|buffer| flistxattr(file, buffer))
}

fn xattr_value(file: &File, name: &OsStr) -> rustix::io::Result<Vec<u8>> {
    grown(|buffer| fgetxattr(file, name, buffer))
}

/// Calls with a larger buffer until the answer fits; Linux keeps names and values under 64 KiB.
fn grown(mut call: impl FnMut(&mut [u8]) -> rustix::io::Result<usize>) -> rustix::io::Result<Vec<u8>> {
    let mut size = 1024;
    loop {
        let mut buffer = vec![0; size];
        match call(&mut buffer) {
            Ok(length) => {
                buffer.truncate(length);
                return Ok(buffer);
            }
            Err(Errno::RANGE) if size < 1024 * 1024 => size *= 4,
            Err(error) => return Err(error),
        }
    }
}

/// Whether a file may take the place of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Over {
    Existing,
    Nothing,
}

/// New content that nobody sees yet.
struct Staged {
    file: File,
    /// The temporary name, where files without a name cannot be had.
    name: Option<TempPath>,
}

impl Staged {
    /// Writes content on the file system of a path.
    fn write(path: &Path, content: &[u8]) -> Result<Self, Error> {
        let folder = folder_of(path);
        let staged = Self::nameless(folder).map_or_else(|| Self::named(folder), Ok);
        let mut staged = staged.map_err(|source| Error::io(path, source))?;
        staged.file.write_all(content).map_err(|source| Error::io(path, source))?;
        Ok(staged)
    }

    /// Opens a file without a name: a process that is killed leaves nothing behind.
    #[cfg(target_os = "linux")]
    fn nameless(folder: &Path) -> Option<Self> {
        use rustix::fs::{CWD, Mode, OFlags, openat};
        // It gets its name by way of /proc; where that is missing it would never get one.
        if !Path::new(DESCRIPTORS).is_dir() {
            return None;
        }
        let flags = OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC;
        let file = openat(CWD, folder, flags, Mode::from_raw_mode(0o666)).ok()?;
        Some(Self { file: file.into(), name: None })
    }

    #[cfg(not(target_os = "linux"))]
    fn nameless(_: &Path) -> Option<Self> {
        None
    }

    fn named(folder: &Path) -> io::Result<Self> {
        let mode = Permissions::from_mode(0o666);
        let named = tempfile::Builder::new().prefix(PREFIX).permissions(mode).tempfile_in(folder)?;
        let (file, name) = named.into_parts();
        Ok(Self { file, name: Some(name) })
    }

    fn sync(&self, path: &Path) -> Result<(), Error> {
        self.file.sync_all().map_err(|source| Error::io(path, source))
    }

    /// Gives the content its name.
    fn publish(self, path: &Path, over: Over) -> Result<(), Error> {
        let folder = folder_of(path);
        let published = match self.name {
            None if over == Over::Nothing => link(&self.file, path),
            None => linked(&self.file, folder).and_then(|name| name.persist(path).map_err(io::Error::from)),
            Some(name) if over == Over::Nothing => name.persist_noclobber(path).map_err(io::Error::from),
            Some(name) => name.persist(path).map_err(io::Error::from),
        };
        published.map_err(|source| match source.kind() {
            io::ErrorKind::AlreadyExists => Error::ChangedMeanwhile { path: path.to_owned() },
            _ => Error::io(path, source),
        })?;
        sync_folder(folder);
        Ok(())
    }
}

/// Gives a nameless file a temporary name.
fn linked(file: &File, folder: &Path) -> io::Result<TempPath> {
    let named = tempfile::Builder::new().prefix(PREFIX).make_in(folder, |path| link(file, path))?;
    Ok(named.into_temp_path())
}

/// Gives a nameless file a name; fails if the name is taken.
#[cfg(target_os = "linux")]
fn link(file: &File, path: &Path) -> io::Result<()> {
    use rustix::fs::{AtFlags, CWD, linkat};
    use std::os::fd::AsRawFd;
    // By way of /proc: linking a descriptor itself needs a privilege.
    let descriptor = format!("{DESCRIPTORS}/{}", file.as_raw_fd());
    Ok(linkat(CWD, descriptor, CWD, path, AtFlags::SYMLINK_FOLLOW)?)
}

#[cfg(not(target_os = "linux"))]
fn link(_: &File, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Makes a rename survive a loss of power, where the file system can.
pub(crate) fn sync_folder(folder: &Path) {
    // A failure changes nothing about what every process sees.
    let _ = File::open(folder).and_then(|folder| folder.sync_all());
}

pub(crate) fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// The directories that were made on the way to a path. They are removed again unless kept.
#[derive(Debug, Default)]
pub(crate) struct Parents(Vec<PathBuf>);

impl Parents {
    /// Makes the missing directories above a path.
    pub(crate) fn make(path: &Path) -> Result<Self, Error> {
        let mut missing: Vec<&Path> = Vec::new();
        for folder in folder_of(path).ancestors() {
            if folder.as_os_str().is_empty() || folder.exists() {
                break;
            }
            missing.push(folder);
        }
        let mut made = Self::default();
        for folder in missing.into_iter().rev() {
            match std::fs::create_dir(folder) {
                Ok(()) => made.0.push(folder.to_owned()),
                // Somebody else was faster.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(source) => return Err(Error::io(folder, source)),
            }
        }
        Ok(made)
    }

    /// Lets the directories stay.
    pub(crate) fn keep(mut self) {
        self.0.clear();
    }
}

impl Drop for Parents {
    fn drop(&mut self) {
        for folder in self.0.iter().rev() {
            // One that is in use meanwhile is not empty, and stays.
            let _ = std::fs::remove_dir(folder);
        }
    }
}
