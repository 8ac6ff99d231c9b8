//! From the path of a parameter to the place it stands for.

use crate::{Context, Error};
use std::io;
use std::path::{Component, Path, PathBuf};

/// The most symbolic links in one path, as in Linux.
const MAX_LINKS: usize = 40;

/// A path as it was named, absolute, and where it leads once links are followed.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    /// Absolute, links and `..` as they were written.
    pub(crate) named: PathBuf,
    /// Where it leads. What does not exist yet stands below its nearest existing ancestor.
    pub(crate) real: PathBuf,
}

impl Place {
    /// Reads the path of a parameter; a link at its end is followed, even to a file that does not exist.
    pub(crate) fn of(path: &str, context: &Context<'_>) -> Result<Self, Error> {
        let named = absolute(path, context)?;
        let real = resolve(&named).map_err(|source| Error::io(&named, source))?;
        Ok(Self { named, real })
    }

    /// As [`Place::of`], but a link at the end is not followed: the link itself is meant.
    pub(crate) fn of_entry(path: &str, context: &Context<'_>) -> Result<Self, Error> {
        let named = absolute(path, context)?;
        let real = match (named.parent(), named.components().next_back()) {
            (Some(parent), Some(Component::Normal(name))) => {
                resolve(parent).map_err(|source| Error::io(&named, source))?.join(name)
            }
            _ => resolve(&named).map_err(|source| Error::io(&named, source))?,
        };
        Ok(Self { named, real })
    }

    /// Asks whether the place may be read.
    pub(crate) fn check_read(&self, context: &Context<'_>) -> Result<(), Error> {
        self.check(|path| context.gate.may_read(path))
    }

    /// Asks whether the place may be written.
    pub(crate) fn check_write(&self, context: &Context<'_>) -> Result<(), Error> {
        self.check(|path| context.gate.may_write(path))
    }

    /// Asks whether a search may start at the place, and whether it may be read.
    #[cfg(feature = "find")]
    pub(crate) fn check_search(&self, context: &Context<'_>) -> Result<(), Error> {
        self.check(|path| context.gate.may_search(path))?;
        self.check_read(context)
    }

    fn check(&self, ask: impl Fn(&Path) -> Result<(), crate::Refusal>) -> Result<(), Error> {
        ask(&self.named)?;
        if self.real != self.named {
            ask(&self.real)?;
        }
        Ok(())
    }
}

/// Makes the path of a parameter absolute: `~` and `~/…` are the home, everything else is taken at its word.
fn absolute(path: &str, context: &Context<'_>) -> Result<PathBuf, Error> {
    if path.is_empty() {
        return Err(Error::EmptyPath);
    }
    if path.contains('\0') {
        return Err(Error::io(Path::new(path), io::ErrorKind::InvalidInput.into()));
    }
    let in_home = if path == "~" { Some("") } else { path.strip_prefix("~/") };
    match (in_home, context.home) {
        (Some(rest), Some(home)) => Ok(home.join(rest)),
        (Some(_), None) => Err(Error::NoHome { path: path.to_owned() }),
        // Going through the components drops `.` and a slash at the end.
        (None, _) => Ok(context.cwd.join(path).components().collect()),
    }
}

/// Follows every link of an absolute path. Parts that do not exist are kept below the nearest ancestor that does; `..` among
/// them is refused, since it may mean something else once they exist.
fn resolve(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_path_buf();
    for _ in 0..MAX_LINKS {
        match path.canonicalize() {
            Ok(real) => return Ok(real),
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            Err(_) => {}
        }
        // A link to a file that does not exist yet stands for that file.
        match path.read_link() {
            Ok(target) => path = path.parent().unwrap_or(Path::new("/")).join(target),
            Err(_) => return resolve_absent(&path),
        }
    }
    Err(io::Error::other("too many levels of symbolic links"))
}

fn resolve_absent(path: &Path) -> io::Result<PathBuf> {
    let mut existing = path;
    let mut absent = Vec::new();
    loop {
        let (Some(parent), Some(last)) = (existing.parent(), existing.components().next_back()) else {
            return Err(io::ErrorKind::NotFound.into());
        };
        match last {
            Component::Normal(name) => absent.push(name),
            _ => return Err(io::ErrorKind::NotFound.into()),
        }
        existing = parent;
        match existing.canonicalize() {
            Ok(mut real) => {
                real.extend(absent.iter().rev());
                return Ok(real);
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
}

/// Returns a path as the reader should write it: relative to the working directory if it lies there.
pub(crate) fn shown(path: &Path, cwd: &Path) -> String {
    let inside = path.strip_prefix(cwd).ok().filter(|rest| !rest.as_os_str().is_empty());
    inside.unwrap_or(path).display().to_string()
}
