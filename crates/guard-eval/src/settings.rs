//! What a user can set for guards.

use alloc::string::String;
use core::time::Duration;

use crate::Condition;

/// How often an agent is sent on before its guard lets go, when nothing else is set.
pub const DEFAULT_MAX_CONTINUATIONS: u32 = 5;

/// The settings under `guardLoop`.
///
/// With the feature `serde` they can be deserialized: keys in camelCase, absent ones take their defaults, unknown ones
/// are left alone.
///
/// ```
/// # #[cfg(feature = "serde")] {
/// use guard_eval::Settings;
///
/// let settings: Settings = serde_json::from_str(r#"{"maxContinuations": 2, "mode": "model"}"#)?;
/// assert_eq!(settings, Settings { max_continuations: 2, ..Settings::default() });
/// # }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize), serde(default, rename_all = "camelCase"))]
pub struct Settings {
    /// How often the agent may be sent on; 0 lets it go at once. Default 5. `/guard max` of a session comes first.
    pub max_continuations: u32,
    /// How long to wait for the user's answer, in milliseconds; 0, the default, waits without limit.
    pub ask_timeout_ms: u64,
    /// A condition to set when a session starts that never had a guard; blank, the default, sets none.
    pub auto: String,
}

impl Default for Settings {
    fn default() -> Self {
        Self { max_continuations: DEFAULT_MAX_CONTINUATIONS, ask_timeout_ms: 0, auto: String::new() }
    }
}

impl Settings {
    /// Returns how long to wait for the user's answer, or `None` for without limit.
    #[must_use]
    pub fn ask_timeout(&self) -> Option<Duration> {
        (self.ask_timeout_ms > 0).then(|| Duration::from_millis(self.ask_timeout_ms))
    }

    /// Returns the condition to set when a session starts, if any.
    #[must_use]
    pub fn auto_condition(&self) -> Option<Condition<'_>> {
        Condition::new(&self.auto)
    }
}
