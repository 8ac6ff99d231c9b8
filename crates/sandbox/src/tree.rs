//! The file system, as far as a plan looks at it.

use std::ffi::OsString;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

/// What a name stands for; links are not followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A directory.
    Directory,
    /// A regular file.
    File,
    /// A symbolic link.
    Link,
    /// A device, pipe or socket.
    Other,
}

/// The looks that planning takes at the file system. Everything else about a plan is computed.
pub trait Tree {
    /// Returns what stands at a path; `None` if nothing does, or nothing that can be looked at.
    fn kind(&self, path: &Path) -> Option<Kind>;
    /// Returns the text of a symbolic link.
    fn link_target(&self, path: &Path) -> Option<PathBuf>;
    /// Returns the names in a directory; none if it cannot be read.
    fn names(&self, directory: &Path) -> Vec<(OsString, Kind)>;
    /// Returns the start of a small file, as the pointer in a git worktree is one.
    fn start_of(&self, file: &Path) -> Option<Vec<u8>>;
}

/// The file system of this machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct HostTree;

impl Tree for HostTree {
    fn kind(&self, path: &Path) -> Option<Kind> {
        fs::symlink_metadata(path).ok().map(|metadata| kind_of(metadata.file_type()))
    }

    fn link_target(&self, path: &Path) -> Option<PathBuf> {
        fs::read_link(path).ok()
    }

    fn names(&self, directory: &Path) -> Vec<(OsString, Kind)> {
        let Ok(entries) = fs::read_dir(directory) else { return Vec::new() };
        let known = |entry: fs::DirEntry| Some((entry.file_name(), kind_of(entry.file_type().ok()?)));
        entries.flatten().filter_map(known).collect()
    }

    fn start_of(&self, file: &Path) -> Option<Vec<u8>> {
        const LONGEST: u64 = 8 << 10;
        if !fs::symlink_metadata(file).ok()?.is_file() {
            return None;
        }
        let mut bytes = Vec::new();
        fs::File::open(file).ok()?.take(LONGEST).read_to_end(&mut bytes).ok()?;
        Some(bytes)
    }
}

fn kind_of(kind: fs::FileType) -> Kind {
    match kind {
        kind if kind.is_dir() => Kind::Directory,
        kind if kind.is_file() => Kind::File,
        kind if kind.is_symlink() => Kind::Link,
        _ => Kind::Other,
    }
}
