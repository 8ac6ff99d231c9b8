//! Ways to break the crate on purpose, so that its tests can show that they would notice.
//!
//! Without the feature `torture` all of this is constant and compiles to nothing.

#[cfg(feature = "torture")]
mod switched {
    use std::sync::OnceLock;

    /// A protocol that is known to be wrong.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Wrong {
        /// A stale claim is removed and a new one created, without an operation lock.
        RemoveAndRecreate,
        /// A stale claim is renamed aside, looked at again, and a new one created, without an operation lock.
        RenameAndRecheck,
        /// The operation lock is closed but not unlocked.
        CloseOnly,
        /// A process is alive if its pid is.
        PidOnly,
    }

    fn variable(name: &str) -> Option<String> {
        std::env::var(name).ok().filter(|value| !value.is_empty())
    }

    /// The point and the number in a variable that says `point:number`.
    fn numbered(variable_name: &str) -> Option<(String, u32)> {
        let text = variable(variable_name)?;
        let (name, number) = text.split_once(':')?;
        Some((name.to_owned(), number.parse().ok()?))
    }

    /// The wrong protocol that the environment variable `COLLISION_LEASE_WRONG` names.
    pub fn wrong() -> Option<Wrong> {
        static WRONG: OnceLock<Option<Wrong>> = OnceLock::new();
        *WRONG.get_or_init(|| match variable("COLLISION_LEASE_WRONG")?.as_str() {
            "remove-and-recreate" => Some(Wrong::RemoveAndRecreate),
            "rename-and-recheck" => Some(Wrong::RenameAndRecheck),
            "close-only" => Some(Wrong::CloseOnly),
            "pid-only" => Some(Wrong::PidOnly),
            _ => None,
        })
    }

    /// Kills this process with SIGKILL if the environment variable `COLLISION_LEASE_KILL_AT` is `name:n` and this is the
    /// n-th time that it comes by here. Sleeps here, every time, for n milliseconds if `COLLISION_LEASE_PAUSE_AT` is `name:n`.
    pub(crate) fn point(name: &'static str) {
        use std::sync::atomic::{AtomicU32, Ordering};
        static TARGET: OnceLock<Option<(String, u32)>> = OnceLock::new();
        static PAUSE: OnceLock<Option<(String, u32)>> = OnceLock::new();
        static PASSED: AtomicU32 = AtomicU32::new(0);
        if let Some((target, millis)) = PAUSE.get_or_init(|| numbered("COLLISION_LEASE_PAUSE_AT"))
            && target == name
        {
            std::thread::sleep(std::time::Duration::from_millis(u64::from(*millis)));
        }
        if let Some((target, count)) = TARGET.get_or_init(|| numbered("COLLISION_LEASE_KILL_AT"))
            && target == name
            && PASSED.fetch_add(1, Ordering::Relaxed) + 1 == *count
        {
            let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
        }
    }
}

#[cfg(feature = "torture")]
pub use switched::{Wrong, wrong};

/// All places at which a process can be made to kill itself, or to pause.
#[cfg(feature = "torture")]
pub const POINTS: &[&str] = &[
    "releasing",
    "locked",
    "read",
    "numbered",
    "quarantined",
    "temporary-created",
    "temporary-written",
    "published",
    "exchanged",
    "touched",
    "removed",
    "working",
    "unlocked",
];

#[cfg(feature = "torture")]
pub(crate) use switched::point;

#[cfg(not(feature = "torture"))]
#[inline]
pub(crate) fn point(_: &'static str) {}

#[cfg(feature = "torture")]
pub(crate) fn close_only() -> bool {
    wrong() == Some(Wrong::CloseOnly)
}

#[cfg(not(feature = "torture"))]
pub(crate) fn close_only() -> bool {
    false
}

#[cfg(feature = "torture")]
pub(crate) fn pid_only() -> bool {
    wrong() == Some(Wrong::PidOnly)
}

#[cfg(not(feature = "torture"))]
pub(crate) fn pid_only() -> bool {
    false
}

/// Whether claims are changed without an operation lock.
#[cfg(feature = "torture")]
pub(crate) fn unlocked() -> bool {
    matches!(wrong(), Some(Wrong::RemoveAndRecreate | Wrong::RenameAndRecheck))
}
