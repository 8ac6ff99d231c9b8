//! Targets of redirections, and who judges them.

use alloc::string::String;

/// What a redirection does with its target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    /// The file is read: `<`, `<>`.
    Read,
    /// The file is written, made or emptied: `>`, `>>`, `>|`, `&>`, `<>`.
    Write,
}

/// The file of a redirection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target<'a> {
    /// The path that bash opens, absolute or relative.
    pub path: &'a str,
    /// Where a relative path is resolved: an absolute directory, or one relative to the working directory of the session;
    /// `None` for that itself.
    pub directory: Option<&'a str>,
    /// What is done with it.
    pub access: Access,
}

/// What the lists of the file system say against a target. Lists are called as the configuration calls them: `denyRead`,
/// `denyWrite`, `allowWrite`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FileRule {
    /// An entry forbids it.
    Entry {
        /// The list.
        list: &'static str,
        /// The entry, as it is written.
        entry: String,
    },
    /// No entry allows it.
    NotListed {
        /// The list that would have to.
        list: &'static str,
    },
    /// It is protected, whatever the lists say.
    Protected {
        /// Where it leads.
        path: String,
    },
    /// It leads in a circle of links.
    Circle,
}

/// The lists of the file system: which files may be read and written.
///
/// They are the caller's: whoever sandboxes the command knows them, and what is linked to what. Every closure of this
/// shape is one. What every process has is never asked about: `/dev/null`, the standard streams, the terminal, copies of
/// descriptors. A redirection `<>` is asked about twice.
pub trait Files {
    /// Judges a target whose path is known.
    ///
    /// # Errors
    ///
    /// What forbids it.
    fn judge(&self, target: &Target<'_>) -> Result<(), FileRule>;
}

impl<F: Fn(&Target<'_>) -> Result<(), FileRule>> Files for F {
    fn judge(&self, target: &Target<'_>) -> Result<(), FileRule> {
        self(target)
    }
}

/// Every file may be read and written.
#[derive(Clone, Copy, Debug, Default)]
pub struct AllFiles;

impl Files for AllFiles {
    fn judge(&self, _: &Target<'_>) -> Result<(), FileRule> {
        Ok(())
    }
}

/// No file may be read or written.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoFiles;

impl Files for NoFiles {
    fn judge(&self, target: &Target<'_>) -> Result<(), FileRule> {
        let list = match target.access {
            Access::Read => "allowRead",
            Access::Write => "allowWrite",
        };
        Err(FileRule::NotListed { list })
    }
}

/// Returns whether every process has this file anyway.
pub(crate) fn is_everyones(path: &str) -> bool {
    let descriptor = path.strip_prefix("/dev/fd/").unwrap_or("x");
    matches!(
        path,
        "/dev/null" | "/dev/zero" | "/dev/full" | "/dev/stdin" | "/dev/stdout" | "/dev/stderr" | "/dev/tty"
    ) || (!descriptor.is_empty() && descriptor.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Returns whether bash opens a connection for this name.
pub(crate) fn is_connection(path: &str) -> bool {
    path.starts_with("/dev/tcp/") || path.starts_with("/dev/udp/")
}
