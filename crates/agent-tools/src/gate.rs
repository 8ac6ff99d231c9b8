//! Every effect on the world outside passes here first.

use std::fmt;
use std::net::IpAddr;
use std::path::Path;
use std::process::Command;

/// Why an effect was refused, in words fit to hand to a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    reason: String,
    by: &'static str,
}

impl Refusal {
    /// Keeps the reason, which should say what would be allowed instead.
    pub fn new(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), by: "gate" }
    }

    /// Names the part of the gate that refuses, for logs.
    #[must_use]
    pub fn by(self, by: &'static str) -> Self {
        Self { by, ..self }
    }

    /// Returns the name of the part of the gate that refuses; `gate` if it has none.
    #[must_use]
    pub fn source_name(&self) -> &'static str {
        self.by
    }

    /// Returns the reason.
    #[must_use]
    pub fn reason(&self) -> &str {
        &self.reason
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)
    }
}

impl std::error::Error for Refusal {}

/// What a tool wants to keep others from changing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hold<'a> {
    /// One file, which need not exist yet.
    File(&'a Path),
    /// A directory with everything in it: somebody else's claim on a file below it is in the way.
    Tree(&'a Path),
}

impl<'a> Hold<'a> {
    /// Returns the path of the file or directory.
    #[must_use]
    pub fn path(self) -> &'a Path {
        match self {
            Self::File(path) | Self::Tree(path) => path,
        }
    }
}

/// A command that is ready to be started, and what has to live while it runs.
///
/// The tool sets standard streams and the process group; everything else is the gate's.
pub struct Launch {
    command: Command,
    finish: Option<Finish>,
}

/// What is done once the command has ended: gets what it wrote to standard error, gives notes for the reader.
type Finish = Box<dyn FnOnce(&[u8]) -> Vec<String> + Send>;

impl Launch {
    /// Takes a command as it is.
    #[must_use]
    pub fn new(command: Command) -> Self {
        Self { command, finish: None }
    }

    /// Starts `bash -c TEXT` in a directory.
    #[must_use]
    pub fn bash(text: &str, cwd: &Path) -> Self {
        let mut command = Command::new("bash");
        command.arg("-c").arg(text).current_dir(cwd);
        Self::new(command)
    }

    /// Adds what is done once the command has ended. It is dropped, not called, if the command cannot be started; what it
    /// owns (a proxy, a journal) lives as long as the command.
    #[must_use]
    pub fn on_finish(mut self, finish: impl FnOnce(&[u8]) -> Vec<String> + Send + 'static) -> Self {
        self.finish = Some(Box::new(finish));
        self
    }

    pub(crate) fn into_parts(self) -> (Command, Option<Finish>) {
        (self.command, self.finish)
    }
}

impl fmt::Debug for Launch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Launch").field("command", &self.command).finish_non_exhaustive()
    }
}

/// What the tools ask before they touch anything outside of themselves.
///
/// Each method allows by default, so an implementation states what it restricts. Paths are absolute. A tool asks for the path
/// as it was named *and*, where links lead elsewhere, for the place it stands for; it acts only if both are allowed.
pub trait Gate: Send + Sync {
    /// May this file or directory be read? Asked for each entry of a walk as well, so an answer should be cheap.
    ///
    /// # Errors
    /// The reason why not.
    fn may_read(&self, path: &Path) -> Result<(), Refusal> {
        let _ = path;
        Ok(())
    }

    /// May this file or directory be created, changed, moved or deleted?
    ///
    /// # Errors
    /// The reason why not.
    fn may_write(&self, path: &Path) -> Result<(), Refusal> {
        let _ = path;
        Ok(())
    }

    /// May a search start here? Asked by the tools that walk a tree, once for each call.
    ///
    /// # Errors
    /// The reason why not.
    fn may_search(&self, start: &Path) -> Result<(), Refusal> {
        let _ = start;
        Ok(())
    }

    /// Takes leases on all of these, or on none.
    ///
    /// # Errors
    /// Who holds what, and how to go on.
    fn hold(&self, holds: &[Hold<'_>]) -> Result<(), Refusal> {
        let _ = holds;
        Ok(())
    }

    /// Calls `write` once while the lease on a path is known to be still ours.
    ///
    /// # Errors
    /// The lease was lost; `write` was not called.
    fn commit(&self, path: &Path, write: &mut dyn FnMut()) -> Result<(), Refusal> {
        let _ = path;
        write();
        Ok(())
    }

    /// May this command run, and how is it started?
    ///
    /// # Errors
    /// The reason why not.
    fn launch(&self, command: &str, cwd: &Path) -> Result<Launch, Refusal> {
        Ok(Launch::bash(command, cwd))
    }

    /// May a connection be made to this host? The host is in lower case, without brackets and without a final dot.
    ///
    /// # Errors
    /// The reason why not.
    fn may_connect(&self, host: &str, port: u16) -> Result<(), Refusal> {
        let _ = (host, port);
        Ok(())
    }

    /// May a connection go to this address of the host? Asked for each address that passes the check of resolved addresses.
    ///
    /// # Errors
    /// The reason why not.
    fn may_reach(&self, host: &str, port: u16, address: IpAddr) -> Result<(), Refusal> {
        let _ = (host, port, address);
        Ok(())
    }

    /// Is this address of the host an exception from the check of resolved addresses, which otherwise refuses this machine (loopback, own
    /// interfaces), link-local and multicast addresses, and metadata services?
    fn is_exempt(&self, host: &str, port: u16, address: IpAddr) -> bool {
        let _ = (host, port, address);
        false
    }
}

/// A gate that lets everything through. `bash` then runs commands without a policy and without a sandbox.
#[derive(Clone, Copy, Debug, Default)]
pub struct Open;

impl Gate for Open {}
