//! The record on disk that says who holds a path, and how forgivingly it is read.

use crate::canonical::CanonicalPath;
use crate::clock::{BootTime, Reading, WallTime};
use crate::identity::{Owner, OwnerToken, Pid, Process, SessionId, hex, unhex};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use std::fmt::{self, Write};
use std::time::Duration;

/// The format this crate writes. A record that names a higher one counts as held.
pub const FORMAT_VERSION: u64 = 1;

/// A claim longer than this is not read: ours are about 500 bytes plus the path.
pub const MAX_CLAIM_BYTES: usize = 64 * 1024;

/// The name of one path's claim: the SHA-256 of the canonical path's bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClaimKey([u8; 32]);

impl ClaimKey {
    /// Returns the key of a canonical path.
    ///
    /// ```
    /// # #[cfg(unix)] {
    /// use collision_lease::{CanonicalPath, ClaimKey};
    /// let key = ClaimKey::of(&CanonicalPath::resolve("/".as_ref())?);
    /// assert_eq!(key.to_string(), "8a5edab282632443219e051e4ade2d1d5bbc671c781051bf1437897cbdfea0f1");
    /// assert_eq!(ClaimKey::parse(&key.to_string()), Some(key));
    /// # }
    /// # Ok::<(), collision_lease::PathError>(())
    /// ```
    #[must_use]
    pub fn of(path: &CanonicalPath) -> Self {
        Self(Sha256::digest(path.as_bytes()).into())
    }

    /// Reads a key from 64 lower-case hex digits.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let bytes = unhex(text)?.try_into().ok()?;
        let key = Self(bytes);
        (key.to_string() == text).then_some(key)
    }

    /// The first twelve digits: what `status` calls the claim id.
    #[must_use]
    pub fn short(&self) -> String {
        hex(self.0.get(..6).unwrap_or_default())
    }
}

impl fmt::Display for ClaimKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex(&self.0))
    }
}

impl fmt::Debug for ClaimKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ClaimKey({self})")
    }
}

/// A moment as a claim records it: on the wall clock for people, on the boot clock for judging.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Stamp {
    /// Wall clock.
    pub wall: Option<WallTime>,
    /// Boot clock of the claim's process.
    pub boot: Option<BootTime>,
}

impl From<Reading> for Stamp {
    fn from(now: Reading) -> Self {
        Self { wall: Some(now.wall), boot: Some(now.boot) }
    }
}

/// A claim: who holds a path, since when, and how recently that was confirmed.
///
/// Everything but the pid may be absent, in records of older versions or written by hand; what is absent never makes a
/// holder look dead.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Claim {
    /// The path.
    pub path: Option<CanonicalPath>,
    /// The holder's session.
    pub session: Option<SessionId>,
    /// The holder's token: only its bearer may renew or release.
    pub token: Option<OwnerToken>,
    /// Counts the grants of this path; a later holder always has a larger one.
    pub generation: u64,
    /// The process whose life the lease follows.
    pub process: Process,
    /// The name of a liveness lock that the process holds: held means alive, free proves nothing.
    pub liveness: Option<Box<str>>,
    /// When the path was granted.
    pub acquired: Stamp,
    /// When the holder last confirmed it.
    pub heartbeat: Stamp,
}

impl Claim {
    /// A new claim of `owner`.
    #[must_use]
    pub fn new(path: &CanonicalPath, owner: &Owner, generation: u64, now: Reading) -> Self {
        Self {
            path: Some(path.clone()),
            session: Some(owner.session.clone()),
            token: Some(owner.token.clone()),
            generation,
            process: owner.process.clone(),
            liveness: None,
            acquired: now.into(),
            heartbeat: now.into(),
        }
    }

    /// Returns whether `owner` holds it.
    #[must_use]
    pub fn belongs_to(&self, owner: &Owner) -> bool {
        self.token.as_ref() == Some(&owner.token)
    }

    /// Returns the time since the last heartbeat, as `observer` can tell.
    ///
    /// On the boot clock if both sides read the same one, else on the wall clock. The file's modification time counts too,
    /// since on a full disk the heartbeat can only touch the file. A moment in the future counts as now: a clock that was
    /// set back makes leases last longer, never shorter.
    #[must_use]
    pub fn heartbeat_age(&self, modified: WallTime, now: Reading, observer: &Process) -> Duration {
        let since_touch = now.wall.since(modified);
        let on_boot_clock = self
            .heartbeat
            .boot
            .filter(|_| self.process.shares_boot_clock_with(observer))
            .map(|at| now.boot.since(at));
        let since_beat = on_boot_clock.or_else(|| self.heartbeat.wall.map(|at| now.wall.since(at)));
        since_beat.map_or(since_touch, |age| age.min(since_touch))
    }

    /// Writes the claim as it stands on disk: one JSON object and a line feed.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        // Written field by field: a map of values would cost more than the system calls around it.
        let mut text = format!("{{\"v\":{FORMAT_VERSION}");
        let mut field = |key: &str, value: &dyn fmt::Display| {
            let _ = write!(text, ",\"{key}\":{value}");
        };
        let quoted = |text: &str| Value::from(text).to_string();
        if let Some(path) = &self.path {
            field("path", &quoted(&path.to_string_lossy()));
            if path.as_str().is_none() {
                field("pathHex", &quoted(&hex(path.as_bytes())));
            }
        }
        let texts = [
            ("sessionId", self.session.as_ref().map(SessionId::as_str)),
            ("ownerToken", self.token.as_ref().map(OwnerToken::as_str)),
            ("bootId", self.process.boot.as_deref()),
            ("liveness", self.liveness.as_deref()),
        ];
        for (key, value) in texts {
            if let Some(value) = value {
                field(key, &quoted(value));
            }
        }
        let numbers = [
            ("generation", Some(self.generation)),
            ("pid", Some(self.process.pid.get().into())),
            ("pidStart", self.process.start),
            ("pidNs", self.process.pid_namespace),
            ("timeNs", self.process.time_namespace),
            ("acquiredAt", self.acquired.wall.map(|at| at.0)),
            ("acquiredBoot", self.acquired.boot.map(|at| at.0)),
            ("heartbeatAt", self.heartbeat.wall.map(|at| at.0)),
            ("heartbeatBoot", self.heartbeat.boot.map(|at| at.0)),
        ];
        for (key, value) in numbers {
            if let Some(value) = value {
                field(key, &value);
            }
        }
        text.push_str("}\n");
        text.into_bytes()
    }
}

/// What the bytes of a claim turn out to be.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Record {
    /// A claim.
    Claim(Box<Claim>),
    /// A record of a format that this version does not know: held, whatever else it says.
    Newer {
        /// Its format version, if it is a number at all.
        version: Option<u64>,
        /// Its pid, if it has one where this version expects it.
        pid: Option<Pid>,
        /// Its session, likewise.
        session: Option<SessionId>,
    },
    /// Not a claim. Yet if it names a process that lives, it counts as held by it.
    Corrupt {
        /// What is wrong with it.
        reason: &'static str,
        /// The pid it names, if any.
        pid: Option<Pid>,
    },
}

impl Record {
    /// Reads a claim; never fails, since a bad record is a finding and not an accident.
    ///
    /// Unknown fields are skipped and absent ones stay `None`. `key` is the name it was found under: a record about another
    /// path is corrupt. At most [`MAX_CLAIM_BYTES`] are looked at; time and memory are linear in that.
    ///
    /// ```
    /// use collision_lease::{CanonicalPath, ClaimKey, Record};
    ///
    /// let key = ClaimKey::of(&CanonicalPath::resolve("/etc/hosts".as_ref())?);
    /// let by_hand = Record::parse(br#"{"pid": 4711, "note": "mine"}"#, &key);
    /// assert!(matches!(by_hand, Record::Claim(claim) if claim.process.pid.get() == 4711));
    /// assert!(matches!(Record::parse(b"", &key), Record::Corrupt { .. }));
    /// assert!(matches!(Record::parse(br#"{"v": 9}"#, &key), Record::Newer { .. }));
    /// # Ok::<(), collision_lease::PathError>(())
    /// ```
    #[must_use]
    pub fn parse(bytes: &[u8], key: &ClaimKey) -> Self {
        if bytes.len() > MAX_CLAIM_BYTES {
            return Self::corrupt("longer than a claim can be");
        }
        if bytes.iter().all(u8::is_ascii_whitespace) {
            return Self::corrupt("empty");
        }
        match serde_json::from_slice(bytes) {
            Ok(Value::Object(object)) => Self::from_object(&object, key),
            Ok(_) => Self::corrupt("not a JSON object"),
            Err(_) => Self::corrupt("not JSON"),
        }
    }

    fn corrupt(reason: &'static str) -> Self {
        Self::Corrupt { reason, pid: None }
    }

    fn from_object(object: &Map<String, Value>, key: &ClaimKey) -> Self {
        let pid = object.get("pid").and_then(Value::as_i64).and_then(Pid::new);
        match object.get("v") {
            None | Some(Value::Null) => {}
            Some(version) if version.as_u64().is_some_and(|version| version <= FORMAT_VERSION) => {}
            Some(version) => {
                let session = object.get("sessionId").and_then(Value::as_str).map(SessionId::new);
                return Self::Newer { version: version.as_u64(), pid, session };
            }
        }
        match claim_from(object, pid, key) {
            Ok(claim) => Self::Claim(Box::new(claim)),
            Err(reason) => Self::Corrupt { reason, pid },
        }
    }
}

fn claim_from(object: &Map<String, Value>, pid: Option<Pid>, key: &ClaimKey) -> Result<Claim, &'static str> {
    let fields = Fields(object);
    let path = match (fields.text("pathHex")?, fields.text("path")?) {
        (Some(digits), _) => Some(unhex(digits).ok_or("`pathHex` is not hex")?),
        (None, Some(path)) => Some(path.as_bytes().to_vec()),
        (None, None) => None,
    };
    let path = path.map(CanonicalPath::from_record);
    if path.as_ref().is_some_and(|path| ClaimKey::of(path) != *key) {
        return Err("about another path than its name says");
    }
    let stamp = |wall, boot| -> Result<_, &'static str> {
        Ok(Stamp { wall: fields.number(wall)?.map(WallTime), boot: fields.number(boot)?.map(BootTime) })
    };
    Ok(Claim {
        path,
        session: fields.text("sessionId")?.map(SessionId::new),
        token: fields
            .text("ownerToken")?
            .map(|text| OwnerToken::parse(text).ok_or("`ownerToken` is no token"))
            .transpose()?,
        generation: fields.number("generation")?.unwrap_or(0),
        process: Process {
            pid: pid.ok_or("no `pid` that a process could have")?,
            start: fields.number("pidStart")?,
            boot: fields.text("bootId")?.map(Into::into),
            pid_namespace: fields.number("pidNs")?,
            time_namespace: fields.number("timeNs")?,
        },
        liveness: fields.text("liveness")?.map(Into::into),
        acquired: stamp("acquiredAt", "acquiredBoot")?,
        heartbeat: stamp("heartbeatAt", "heartbeatBoot")?,
    })
}

/// Typed access to a record's fields: absent or null is `None`, another type than expected is an error.
struct Fields<'a>(&'a Map<String, Value>);

impl<'a> Fields<'a> {
    fn get(&self, key: &str) -> Option<&'a Value> {
        self.0.get(key).filter(|value| !value.is_null())
    }

    fn text(&self, key: &str) -> Result<Option<&'a str>, &'static str> {
        self.get(key).map(|value| value.as_str().ok_or("a field that should be a text is none")).transpose()
    }

    fn number(&self, key: &str) -> Result<Option<u64>, &'static str> {
        self.get(key)
            .map(|value| value.as_u64().ok_or("a field that should be a whole number is none"))
            .transpose()
    }
}
