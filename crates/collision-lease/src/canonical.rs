//! Which file is meant: all spellings of one file meet in one canonical path.

use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Component, Path, PathBuf};

/// As many links as Linux follows before it gives up.
const MAX_LINKS: usize = 40;

/// The one absolute spelling of a file, existing or not yet.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CanonicalPath(PathBuf);

impl CanonicalPath {
    /// Resolves a path: follows every symbolic link, and takes `..` as the kernel does, after the links before it.
    ///
    /// What does not exist yet is the nearest existing ancestor plus the remaining names. A link that points to nothing is
    /// followed too, since a write through it creates its target. A relative path starts at the process's working directory.
    ///
    /// Costs one `lstat` for each component (about 0.6 µs), and a `readlink` for each link.
    ///
    /// # Errors
    ///
    /// If the path is empty, if `..` follows a name that does not exist, if a file stands where a directory should, if links
    /// form a loop, or if the file system refuses to tell.
    ///
    /// ```
    /// use collision_lease::{CanonicalPath, PathProblem};
    ///
    /// let there = CanonicalPath::resolve("/usr/../etc/./hosts".as_ref())?;
    /// assert_eq!(there, CanonicalPath::resolve("/etc/hosts".as_ref())?);
    ///
    /// let refused = CanonicalPath::resolve("/no/such/../place".as_ref()).unwrap_err();
    /// assert!(matches!(refused.problem(), PathProblem::ParentOfMissing));
    /// # Ok::<(), collision_lease::PathError>(())
    /// ```
    pub fn resolve(path: &Path) -> Result<Self, PathError> {
        if path.is_absolute() {
            return Self::resolve_in(path, Path::new("/"));
        }
        let here = std::env::current_dir().map_err(|source| {
            PathError::new(path, PathProblem::Unreadable { at: PathBuf::from("."), source })
        })?;
        Self::resolve_in(path, &here)
    }

    /// Like [`resolve`](Self::resolve), with relative paths starting at `base`.
    ///
    /// # Errors
    ///
    /// As there.
    pub fn resolve_in(path: &Path, base: &Path) -> Result<Self, PathError> {
        if path.as_os_str().is_empty() {
            return Err(PathError::new(path, PathProblem::Empty));
        }
        let resolved = Walk::over(&base.join(path)).run().map_err(|problem| PathError::new(path, problem))?;
        Ok(Self(resolved))
    }

    /// A path that a record calls canonical. Only shown and compared, never opened by this crate.
    pub(crate) fn from_record(bytes: Vec<u8>) -> Self {
        Self(PathBuf::from(OsString::from_vec(bytes)))
    }

    /// The path.
    #[must_use]
    pub fn as_path(&self) -> &Path {
        &self.0
    }

    /// The path's bytes: what the claim's name is computed from.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        self.0.as_os_str().as_bytes()
    }

    /// The path as text, if it is UTF-8.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        self.0.to_str()
    }

    /// The path as text, with `U+FFFD` for what is no UTF-8.
    #[must_use]
    pub fn to_string_lossy(&self) -> String {
        self.0.to_string_lossy().into_owned()
    }
}

impl fmt::Debug for CanonicalPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for CanonicalPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.display().fmt(f)
    }
}

/// A walk from the root along the components of a path.
struct Walk {
    /// INVARIANT: absolute, without links, `.` or `..`.
    at: PathBuf,
    /// What is still to be walked, next first.
    ahead: VecDeque<OsString>,
    /// Whether the walk has left what exists.
    missing: bool,
    links: usize,
}

impl Walk {
    fn over(path: &Path) -> Self {
        let mut walk = Self { at: PathBuf::from("/"), ahead: VecDeque::new(), missing: false, links: 0 };
        walk.prepend(path);
        walk
    }

    fn prepend(&mut self, path: &Path) {
        for component in path.components().rev() {
            match component {
                Component::Normal(name) => self.ahead.push_front(name.to_owned()),
                Component::ParentDir => self.ahead.push_front(OsString::from("..")),
                Component::RootDir | Component::CurDir | Component::Prefix(_) => {}
            }
        }
        if path.is_absolute() {
            self.at = PathBuf::from("/");
        }
    }

    fn run(mut self) -> Result<PathBuf, PathProblem> {
        while let Some(name) = self.ahead.pop_front() {
            if name == OsStr::new("..") {
                if self.missing {
                    return Err(PathProblem::ParentOfMissing);
                }
                // By INVARIANT on `at` its parent is the directory that holds it.
                self.at.pop();
            } else if self.missing {
                self.at.push(name);
            } else {
                self.enter(&name)?;
            }
        }
        Ok(self.at)
    }

    fn enter(&mut self, name: &OsStr) -> Result<(), PathProblem> {
        let next = self.at.join(name);
        let kind = match next.symlink_metadata() {
            Ok(metadata) => metadata.file_type(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                self.missing = true;
                self.at = next;
                return Ok(());
            }
            Err(source) => return Err(PathProblem::Unreadable { at: next, source }),
        };
        if kind.is_symlink() {
            self.links += 1;
            if self.links > MAX_LINKS {
                return Err(PathProblem::Loop { at: next });
            }
            match next.read_link() {
                Ok(target) => self.prepend(&target),
                Err(source) => return Err(PathProblem::Unreadable { at: next, source }),
            }
        } else if !kind.is_dir() && !self.ahead.is_empty() {
            return Err(PathProblem::NotADirectory { at: next });
        } else {
            self.at = next;
        }
        Ok(())
    }
}

/// A path that cannot be resolved: the path and the problem.
#[derive(Debug, thiserror::Error)]
#[error("cannot tell which file `{}` is: {problem}", path.display())]
pub struct PathError {
    path: PathBuf,
    #[source]
    problem: PathProblem,
}

impl PathError {
    fn new(path: &Path, problem: PathProblem) -> Self {
        Self { path: path.to_owned(), problem }
    }

    /// The path as it was given.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What is wrong with it.
    #[must_use]
    pub fn problem(&self) -> &PathProblem {
        &self.problem
    }
}

/// Why a path cannot be resolved.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PathProblem {
    /// There is no path.
    #[error("it is empty; name a file")]
    Empty,
    /// `..` after a name that does not exist: which directory it would lead to is not decided yet.
    #[error("`..` follows a directory that does not exist; write the path without it")]
    ParentOfMissing,
    /// A file stands where a directory should.
    #[error("`{}` is not a directory", at.display())]
    NotADirectory {
        /// The file.
        at: PathBuf,
    },
    /// Links that lead to each other.
    #[error("too many symbolic links at `{}`; they may form a loop", at.display())]
    Loop {
        /// The link at which the walk gave up.
        at: PathBuf,
    },
    /// The file system refuses to tell.
    #[error("`{}` cannot be looked at; check its permissions", at.display())]
    Unreadable {
        /// Where.
        at: PathBuf,
        /// What the system says.
        source: io::Error,
    },
}
