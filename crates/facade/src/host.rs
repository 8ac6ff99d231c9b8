//! The ways of a host: units of time, and what it does to a path before it touches the file.

use brakeline_settings::{HostLimits, TimeoutSeconds};

/// The ways of a host with the inputs of its tools.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Host {
    /// How a call of the shell says how long the command may run; `None` where it cannot.
    pub timeout: Option<TimeoutMember>,
    /// What the host does to a path.
    pub paths: PathRules,
}

/// The member of a shell call's input that limits its time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimeoutMember {
    /// Its name.
    pub name: &'static str,
    /// Its unit.
    pub unit: TimeUnit,
    /// The greatest number that the host can take, in seconds.
    pub most: Option<f64>,
}

/// A unit of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TimeUnit {
    /// Seconds.
    Seconds,
    /// Thousandths of a second.
    Milliseconds,
}

/// What a host does to the text of a path before it touches the file; [`host_path`](crate::host_path) does the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "independent habits, each on or off")]
pub struct PathRules {
    /// One leading `@` is taken off, with which people mention files.
    pub strip_at: bool,
    /// `~` and `~/…` are the home directory.
    pub expand_home: bool,
    /// `file://` URLs are decoded.
    pub file_urls: bool,
    /// Spaces of Unicode, such as the no-break space, are turned into plain ones.
    pub plain_spaces: bool,
    /// `..` takes the component before it away, be that a symbolic link or not.
    pub lexical: bool,
}

impl PathRules {
    /// The path is taken as it is.
    pub const NONE: Self =
        Self { strip_at: false, expand_home: false, file_urls: false, plain_spaces: false, lexical: false };
    /// `..` is resolved in the text, as Node.js does, and nothing else is done.
    pub const LEXICAL: Self = Self { lexical: true, ..Self::NONE };
    /// Every habit, as pi has them.
    pub const ALL: Self =
        Self { strip_at: true, expand_home: true, file_urls: true, plain_spaces: true, lexical: true };
}

impl Host {
    /// pi: seconds, at most 2,147,483, since its timers count milliseconds in 31 bits; every habit with paths.
    pub const PI: Self = Self {
        timeout: Some(TimeoutMember { name: "timeout", unit: TimeUnit::Seconds, most: Some(2_147_483.0) }),
        paths: PathRules::ALL,
    };

    /// Claude Code: milliseconds, at most 600,000.
    pub const CLAUDE_CODE: Self = Self {
        timeout: Some(TimeoutMember { name: "timeout", unit: TimeUnit::Milliseconds, most: Some(600.0) }),
        paths: PathRules::LEXICAL,
    };

    /// `OpenCode`: milliseconds.
    pub const OPENCODE: Self = Self {
        timeout: Some(TimeoutMember { name: "timeout", unit: TimeUnit::Milliseconds, most: None }),
        paths: PathRules::LEXICAL,
    };

    /// Codex: its shell takes no timeout from a hook, and its paths go to the system as they are.
    pub const CODEX: Self = Self { timeout: None, paths: PathRules::NONE };

    /// Gemini CLI: its shell takes no timeout.
    pub const GEMINI_CLI: Self = Self { timeout: None, paths: PathRules::LEXICAL };

    /// Cursor: its shell takes no timeout from a hook.
    pub const CURSOR: Self = Self { timeout: None, paths: PathRules::LEXICAL };

    /// Copilot: its shell takes no timeout from a hook.
    pub const COPILOT: Self = Self { timeout: None, paths: PathRules::LEXICAL };

    /// A host whose shell tool takes no timeout, and which leaves paths alone.
    pub const PLAIN: Self = Self { timeout: None, paths: PathRules::NONE };

    /// Returns this host with another way to limit the time of a command.
    #[must_use]
    pub const fn with_timeout(self, timeout: Option<TimeoutMember>) -> Self {
        Self { timeout, ..self }
    }

    /// Returns this host with other habits with paths.
    #[must_use]
    pub const fn with_paths(self, paths: PathRules) -> Self {
        Self { paths, ..self }
    }

    pub(crate) fn limits(&self) -> HostLimits {
        let mut limits = HostLimits::default();
        limits.max_timeout = self.timeout.and_then(|timeout| timeout.most).and_then(TimeoutSeconds::new);
        limits
    }
}
