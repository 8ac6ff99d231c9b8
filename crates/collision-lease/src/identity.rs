//! Who holds a claim: token, session, and a process that cannot be mistaken for another.

use std::fmt;
use std::num::NonZeroU32;

/// The name of one owner: 128 random bits in hex. Whoever carries it is "me", whatever the pid. It is no secret.
///
/// ```
/// use collision_lease::OwnerToken;
///
/// let token = OwnerToken::random()?;
/// assert_eq!(OwnerToken::parse(token.as_str()), Some(token));
/// assert_eq!(OwnerToken::parse("not hex"), None);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OwnerToken(Box<str>);

impl OwnerToken {
    /// Draws a new token from the system's random source.
    ///
    /// # Errors
    ///
    /// When the system has no randomness to give.
    pub fn random() -> std::io::Result<Self> {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes).map_err(std::io::Error::from)?;
        Ok(Self::from_bytes(&bytes))
    }

    /// Reads a token back from a claim, or from the environment of a sub-agent that shares its parent's leases.
    /// `None` unless it is 16 to 128 hex digits or dashes.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let plausible = (16..=128).contains(&text.len());
        let plain = text.bytes().all(|b| b.is_ascii_hexdigit() || b == b'-');
        (plausible && plain).then(|| Self(text.into()))
    }

    /// The token shared by all short-lived processes that act for one agent process in one session.
    ///
    /// They start, touch one claim and end; nothing but the agent outlives them, so the token is computed from it.
    /// It tells owners apart and protects nothing, as random tokens do not either: every process of the user can read them.
    #[must_use]
    pub fn of_agent(agent: &Process, session: &SessionId) -> Self {
        use sha2::{Digest, Sha256};
        let Process { pid, start, boot, pid_namespace, time_namespace } = agent;
        let facts = (pid.get(), start, boot, pid_namespace, time_namespace, session.as_str());
        let digest = Sha256::digest(format!("one-shot owner {facts:?}"));
        Self::from_bytes(digest.get(..16).unwrap_or_default())
    }

    /// A token that no owner has: 64 bits are too few for a random one.
    pub(crate) fn nobody() -> Self {
        Self("0000000000000000".into())
    }

    fn from_bytes(bytes: &[u8]) -> Self {
        Self(hex(bytes).into())
    }

    /// The token's text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for OwnerToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The host's name for one session of an agent.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SessionId(Box<str>);

impl SessionId {
    /// Wraps a host's session id as it is.
    #[must_use]
    pub fn new(text: &str) -> Self {
        Self(text.into())
    }

    /// The whole id.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The first eight characters: enough for a person to tell sessions apart. Control characters are left out.
    ///
    /// ```
    /// use collision_lease::SessionId;
    /// assert_eq!(SessionId::new("0192f0c1-7e5a-7cc3").short(), "0192f0c1");
    /// ```
    #[must_use]
    pub fn short(&self) -> String {
        self.0.chars().filter(|c| !c.is_control()).take(8).collect()
    }
}

/// A process id that the kernel could have given out: 1 to 2²² (Linux' `PID_MAX_LIMIT`).
///
/// 0, negative and larger numbers mean process groups, "everybody" or nothing to `kill` and its kin, so they are never
/// let through.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pid(NonZeroU32);

impl Pid {
    const MAX: u32 = 1 << 22;

    /// Checks a number from a claim. `None` if no process can have it.
    ///
    /// ```
    /// use collision_lease::Pid;
    /// assert!(Pid::new(1).is_some());
    /// assert!(Pid::new(0).is_none() && Pid::new(-1).is_none() && Pid::new(1 << 40).is_none());
    /// ```
    #[must_use]
    pub fn new(number: i64) -> Option<Self> {
        let number = u32::try_from(number).ok().filter(|n| *n <= Self::MAX)?;
        NonZeroU32::new(number).map(Self)
    }

    /// This process.
    #[must_use]
    pub fn own() -> Self {
        // The kernel gives every process a pid in range; 1 stands in for the impossible.
        NonZeroU32::new(std::process::id()).map_or(Self(NonZeroU32::MIN), Self)
    }

    /// The number.
    #[must_use]
    pub fn get(self) -> u32 {
        self.0.get()
    }
}

impl fmt::Display for Pid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A process, named so that no other one can be meant: a pid alone is reused within a minute on a busy machine.
///
/// What a record or a system does not tell is `None`, and every rule then leans to "alive".
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Process {
    /// Its number, as seen in its own pid namespace.
    pub pid: Pid,
    /// When it started, in the system's own unit (Linux: clock ticks since boot). Only ever compared for equality.
    pub start: Option<u64>,
    /// The boot it lives in: its number means nothing in another.
    pub boot: Option<Box<str>>,
    /// Its pid namespace (inode number): from another one it cannot be looked up.
    pub pid_namespace: Option<u64>,
    /// Its time namespace (inode number): start time and boot clock are shifted between two of them.
    pub time_namespace: Option<u64>,
}

impl Process {
    /// A process of which only the number is known.
    #[must_use]
    pub fn with_pid(pid: Pid) -> Self {
        Self { pid, start: None, boot: None, pid_namespace: None, time_namespace: None }
    }

    /// Returns whether both processes read the same boot-time clock.
    #[must_use]
    pub fn shares_boot_clock_with(&self, other: &Self) -> bool {
        self.boot.is_some() && self.boot == other.boot && self.time_namespace == other.time_namespace
    }
}

/// An owner of leases: one agent run, one `serve`, or one agent seen through many short hook processes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Owner {
    /// Decides whether a claim is "mine".
    pub token: OwnerToken,
    /// Shown to whoever is blocked.
    pub session: SessionId,
    /// The process whose life the leases follow.
    pub process: Process,
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    let digit = |number: u8| char::from_digit(number.into(), 16).unwrap_or('0');
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

pub(crate) fn unhex(text: &str) -> Option<Vec<u8>> {
    let digit = |b: u8| char::from(b).to_digit(16);
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    if !rest.is_empty() {
        return None;
    }
    pairs.iter().map(|[high, low]| u8::try_from(digit(*high)? << 4 | digit(*low)?).ok()).collect()
}
