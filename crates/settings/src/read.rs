//! The typed settings, key by key: what cannot be used gives a diagnostic and its default.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::diagnostic::{Diagnostic, Expected};
use crate::key_path::KeyPath;
use crate::layer::Layers;
use crate::sections::{
    BlockFindRoot, Brakeline, GuardLoop, LocaleSetting, MOST_WHOLE, PathMode, Settings, TimeoutSeconds,
    UnknownPaths, whole_number,
};

/// What the host cannot take, whatever the settings say.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct HostLimits {
    /// The longest timeout of a command in seconds; `None` if there is no such limit.
    pub max_timeout: Option<TimeoutSeconds>,
}

impl HostLimits {
    /// Returns pi's limits: a timeout of at most 2147483 seconds, since its timers count milliseconds in 31 bits.
    #[must_use]
    pub fn of_pi() -> Self {
        Self { max_timeout: TimeoutSeconds::new(2_147_483.0) }
    }
}

/// Typed settings, and what could not be used of the text they come from.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reading {
    /// The settings, complete.
    pub settings: Settings,
    /// One for each key that cannot be used as it stands. The same settings give the same diagnostics every time;
    /// [`Reported`](crate::Reported) keeps a host from repeating them.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads brakeline's settings from the settings in force.
///
/// Every key falls back on its own: one that is absent gives its default silently, one that cannot be used (`null` too)
/// gives its default and a diagnostic. Unknown keys are accepted. A `defaultTimeout` above the host's limit is lowered to
/// it, with a diagnostic.
///
/// ```
/// use brakeline_settings::{HostLimits, Language, read_settings};
///
/// let settings = serde_json::json!({
///     "blockFindRoot": {"forbiddenPaths": "/etc", "blockBash": true},
///     "defaultTimeout": 9_999_999,
/// });
/// let reading = read_settings(&settings, HostLimits::of_pi());
///
/// assert_eq!(reading.settings.block_find_root.forbidden_paths, ["/"]);
/// assert!(reading.settings.block_find_root.block_bash, "the key beside it is used");
/// assert_eq!(reading.settings.default_timeout.get(), 2_147_483.0);
/// assert_eq!(
///     reading.diagnostics[0].text(Language::En),
///     "`blockFindRoot.forbiddenPaths`: expected a list of texts, found `\"/etc\"`; `[\"/\"]` is used"
/// );
/// assert_eq!(reading.diagnostics.len(), 2);
/// ```
#[must_use]
pub fn read_settings(settings: &Value, host: HostLimits) -> Reading {
    let mut reader = Reader { diagnostics: Vec::new() };
    let settings = reader.settings(settings, host);
    Reading { settings, diagnostics: reader.diagnostics }
}

impl Layers {
    /// Reads brakeline's settings as [`read_settings`] does; the diagnostics say which layer each setting comes from.
    #[must_use]
    pub fn read_settings(&self, host: HostLimits) -> Reading {
        let Reading { settings, diagnostics } = read_settings(self.effective(), host);
        let diagnostics = diagnostics
            .into_iter()
            .map(|diagnostic| {
                let origin = self.origin(diagnostic.key());
                diagnostic.with_origin(origin)
            })
            .collect();
        Reading { settings, diagnostics }
    }
}

struct Reader {
    diagnostics: Vec<Diagnostic>,
}

/// The members of one section, and its path.
struct Section<'v> {
    path: KeyPath,
    members: Option<&'v Map<String, Value>>,
}

impl Section<'_> {
    fn get(&self, key: &str) -> Option<&Value> {
        self.members?.get(key)
    }
}

impl Reader {
    fn settings(&mut self, root: &Value, host: HostLimits) -> Settings {
        let root = Section { path: KeyPath::from([""; 0]), members: root.as_object() };
        Settings {
            block_find_root: self.block_find_root(&root),
            default_timeout: self.default_timeout(&root, host),
            guard_loop: self.guard_loop(&root),
            brakeline: self.brakeline(&root),
        }
    }

    fn block_find_root(&mut self, root: &Section<'_>) -> BlockFindRoot {
        let section = self.section(root, "blockFindRoot");
        let default = BlockFindRoot::default();
        BlockFindRoot {
            forbidden_paths: self.value(
                &section,
                "forbiddenPaths",
                Expected::TextList,
                text_list,
                default.forbidden_paths,
            ),
            block_bash: self.value(&section, "blockBash", Expected::Bool, Value::as_bool, default.block_bash),
            unknown_paths: self.choice::<UnknownPaths>(&section, "unknownPaths", &["allow", "block"]),
            path_mode: self.choice::<PathMode>(&section, "pathMode", &["lexical", "asWritten"]),
        }
    }

    fn default_timeout(&mut self, root: &Section<'_>, host: HostLimits) -> TimeoutSeconds {
        const KEY: &str = "defaultTimeout";
        let read = |value: &Value| TimeoutSeconds::new(value.as_f64()?);
        let seconds = self.value(root, KEY, Expected::Seconds, read, TimeoutSeconds::default());
        match host.max_timeout {
            Some(most) if seconds > most => {
                let expected = Expected::SecondsUpTo { most: most.to_number().to_string() };
                let found = root.get(KEY).cloned().unwrap_or(Value::Number(seconds.to_number()));
                self.report(root.path.join(KEY), expected, &found, Some(&Value::Number(most.to_number())));
                most
            }
            _ => seconds,
        }
    }

    fn guard_loop(&mut self, root: &Section<'_>) -> GuardLoop {
        let section = self.section(root, "guardLoop");
        let default = GuardLoop::default();
        GuardLoop {
            max_continuations: self.value(
                &section,
                "maxContinuations",
                Expected::WholeNumber { most: u64::from(u32::MAX) },
                |value| whole(value)?.try_into().ok(),
                default.max_continuations,
            ),
            ask_timeout_ms: self.value(
                &section,
                "askTimeoutMs",
                Expected::WholeNumber { most: MOST_WHOLE },
                whole,
                default.ask_timeout_ms,
            ),
            auto: self.value(&section, "auto", Expected::Text, text, default.auto),
        }
    }

    fn brakeline(&mut self, root: &Section<'_>) -> Brakeline {
        let section = self.section(root, "brakeline");
        let audit_log = self.value(&section, "auditLog", Expected::Text, text, String::new());
        let locale = self.choice::<LocaleSetting>(&section, "locale", &["auto", "zh-CN", "en"]);
        let named = self.section(&section, "extensions");
        let mut extensions = std::collections::BTreeMap::new();
        for (name, value) in named.members.into_iter().flatten() {
            match value.as_bool() {
                Some(is_on) => _ = extensions.insert(name.clone(), is_on),
                None => self.report(named.path.join(name.as_str()), Expected::Bool, value, None),
            }
        }
        Brakeline { locale, extensions, audit_log }
    }

    /// Finds a section; one that is no object counts as empty.
    fn section<'v>(&mut self, outer: &Section<'v>, key: &str) -> Section<'v> {
        let path = outer.path.join(key);
        let members = match outer.members.and_then(|members| members.get(key)) {
            None => None,
            Some(Value::Object(members)) => Some(members),
            Some(other) => {
                self.report(path.clone(), Expected::Object, other, None);
                None
            }
        };
        Section { path, members }
    }

    /// Reads one key by a function that refuses what cannot be used.
    fn value<T: Serialize>(
        &mut self,
        section: &Section<'_>,
        key: &str,
        expected: Expected,
        read: impl FnOnce(&Value) -> Option<T>,
        default: T,
    ) -> T {
        let Some(found) = section.get(key) else { return default };
        read(found).unwrap_or_else(|| {
            self.report(
                section.path.join(key),
                expected,
                found,
                serde_json::to_value(&default).ok().as_ref(),
            );
            default
        })
    }

    /// Reads one key that takes one of some names.
    fn choice<T: Default + Serialize + for<'v> Deserialize<'v>>(
        &mut self,
        section: &Section<'_>,
        key: &str,
        names: &'static [&'static str],
    ) -> T {
        self.value(section, key, Expected::OneOf(names), |found| T::deserialize(found).ok(), T::default())
    }

    fn report(&mut self, key: KeyPath, expected: Expected, found: &Value, used: Option<&Value>) {
        self.diagnostics.push(Diagnostic::unusable(key, expected, found, used));
    }
}

fn text(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

fn text_list(value: &Value) -> Option<Vec<String>> {
    value.as_array()?.iter().map(text).collect()
}

/// Reads a whole number from 0; `5.0` is one, since JSON knows one kind of number.
fn whole(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| whole_number(value.as_f64()?)).filter(|whole| *whole <= MOST_WHOLE)
}
