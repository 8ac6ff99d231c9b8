//! The settings that brakeline itself reads, as types: their documentation here is what editors show.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Number;

/// The extensions that come with brakeline, by the names that `brakeline.extensions` knows them by.
pub const EXTENSIONS: [&str; 6] =
    ["block-find", "default-timeout", "guard-loop", "collision-guard", "shell-permissions", "sandbox"];

/// Settings of brakeline. Other keys in the file are left alone.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct Settings {
    /// Where `find` may not search.
    pub block_find_root: BlockFindRoot,
    /// Seconds that a `bash` call may run if it does not say itself.
    pub default_timeout: TimeoutSeconds,
    /// A condition that a person confirms before the agent may stop.
    pub guard_loop: GuardLoop,
    /// Settings of brakeline as a whole.
    pub brakeline: Brakeline,
}

/// Where `find` may not search.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct BlockFindRoot {
    /// Paths where and under which `find` may not search; `/` is the root itself, an empty list switches this off.
    pub forbidden_paths: Vec<String>,
    /// Whether `find` in commands given to `bash` is judged too. The `find` tool always is.
    pub block_bash: bool,
    /// What happens to a search that starts where the text does not tell, such as `$DIR`.
    pub unknown_paths: UnknownPaths,
    /// How paths are compared.
    pub path_mode: PathMode,
}

impl Default for BlockFindRoot {
    fn default() -> Self {
        Self {
            forbidden_paths: vec!["/".to_owned()],
            block_bash: false,
            unknown_paths: UnknownPaths::default(),
            path_mode: PathMode::default(),
        }
    }
}

/// What happens to a search whose start is unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum UnknownPaths {
    /// It runs.
    #[default]
    Allow,
    /// It is blocked.
    Block,
}

/// How a path is compared with the forbidden ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum PathMode {
    /// After resolving `.`, `..`, repeated slashes and the working directory.
    #[default]
    Lexical,
    /// Letter by letter.
    AsWritten,
}

/// Seconds that a command may run: a finite number above 0.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(try_from = "f64", into = "Number")]
#[cfg_attr(feature = "schema", schemars(extend("exclusiveMinimum" = 0)))]
pub struct TimeoutSeconds(f64);

impl TimeoutSeconds {
    /// Returns the number if it is finite and above 0.
    #[must_use]
    pub fn new(seconds: f64) -> Option<Self> {
        (seconds.is_finite() && seconds > 0.0).then_some(Self(seconds))
    }

    /// Returns the number of seconds.
    #[must_use]
    pub fn get(self) -> f64 {
        self.0
    }

    /// Returns the number for a JSON message: without a fraction where it has none, as it is written in settings.
    ///
    /// ```
    /// use brakeline_settings::TimeoutSeconds;
    ///
    /// assert_eq!(TimeoutSeconds::default().to_number().to_string(), "120");
    /// assert_eq!(TimeoutSeconds::new(0.5).unwrap().to_number().to_string(), "0.5");
    /// ```
    #[must_use]
    pub fn to_number(self) -> Number {
        whole_number(self.0)
            .map(Number::from)
            .or_else(|| Number::from_f64(self.0))
            // By INVARIANT on the field, which is finite, this never stands in.
            .unwrap_or_else(|| Number::from(Self::DEFAULT_SECONDS))
    }

    const DEFAULT_SECONDS: u32 = 120;
}

impl Default for TimeoutSeconds {
    fn default() -> Self {
        Self(f64::from(Self::DEFAULT_SECONDS))
    }
}

impl TryFrom<f64> for TimeoutSeconds {
    type Error = &'static str;

    fn try_from(seconds: f64) -> Result<Self, Self::Error> {
        Self::new(seconds).ok_or("a timeout is a finite number of seconds above 0")
    }
}

impl From<TimeoutSeconds> for Number {
    fn from(seconds: TimeoutSeconds) -> Self {
        seconds.to_number()
    }
}

/// The greatest whole number that every JSON reader takes alike: 2^53 - 1.
pub(crate) const MOST_WHOLE: u64 = (1 << 53) - 1;

/// Returns a float without a fraction as the integer that it is, from 0 to [`MOST_WHOLE`].
pub(crate) fn whole_number(number: f64) -> Option<u64> {
    #[expect(clippy::cast_precision_loss, reason = "floats hold every integer up to it")]
    let most = MOST_WHOLE as f64;
    #[expect(clippy::cast_sign_loss, reason = "judged to be neither negative nor too large")]
    let whole = ((0.0..=most).contains(&number) && number.fract() == 0.0).then_some(number as u64);
    whole
}

/// A condition that a person confirms before the agent may stop.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct GuardLoop {
    /// How often the agent is sent back to work before the guard lets it go.
    #[cfg_attr(feature = "schema", schemars(range(max = u32::MAX)))]
    pub max_continuations: u32,
    /// Milliseconds that a question waits for its answer; 0 waits without end.
    #[cfg_attr(feature = "schema", schemars(range(max = MOST_WHOLE)))]
    pub ask_timeout_ms: u64,
    /// A condition that is set when a session starts; empty sets none.
    pub auto: String,
}

impl Default for GuardLoop {
    fn default() -> Self {
        Self { max_continuations: 5, ask_timeout_ms: 0, auto: String::new() }
    }
}

/// Settings of brakeline as a whole.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct Brakeline {
    /// The language of texts.
    pub locale: LocaleSetting,
    /// Extensions by name, on or off. One that is not named keeps its own default.
    #[cfg_attr(feature = "schema", schemars(extend("properties" = crate::schema::extension_properties())))]
    pub extensions: BTreeMap<String, bool>,
    /// File that the program appends every block to, one line of JSON each: an absolute path or one that begins with
    /// `~/`. Empty keeps no log.
    pub audit_log: String,
}

/// The language of texts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum LocaleSetting {
    /// Chinese if the host's locale is, otherwise English.
    #[default]
    #[serde(rename = "auto")]
    Auto,
    /// Chinese.
    #[serde(rename = "zh-CN")]
    ZhCn,
    /// English.
    #[serde(rename = "en")]
    En,
}
