//! Settings that are there but cannot be used.

use serde_json::Value;

use crate::excerpt::excerpt;
use crate::key_path::KeyPath;
use crate::language::Language;
use crate::layer::Origin;

/// A setting that cannot be used as it stands: which, what was found there, what would fit, and what is used instead.
///
/// Its equality ignores nothing; [`Reported`] tells which are news.
///
/// ```
/// use brakeline_settings::{Diagnostic, Expected, Language};
/// use serde_json::json;
///
/// let diagnostic = Diagnostic::unusable("defaultTimeout", Expected::Seconds, &json!("2m"), Some(&json!(120)));
/// assert_eq!(
///     diagnostic.text(Language::En),
///     "`defaultTimeout`: expected a finite number of seconds above 0, found `\"2m\"`; `120` is used"
/// );
/// assert_eq!(diagnostic.text(Language::ZhCn), "`defaultTimeout`：应为大于 0 的有限秒数，实际是 `\"2m\"`；改用 `120`");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    key: KeyPath,
    expected: Expected,
    found: String,
    used: Option<String>,
    origin: Option<Origin>,
}

/// What a setting has to be.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Expected {
    /// An object.
    Object,
    /// Text.
    Text,
    /// `true` or `false`.
    Bool,
    /// A list of texts.
    TextList,
    /// A list of absolute paths.
    AbsolutePathList,
    /// A whole number from 0 to a greatest one.
    WholeNumber {
        /// The greatest number that can be used.
        most: u64,
    },
    /// A finite number of seconds above 0.
    Seconds,
    /// A number of seconds that the host can take.
    SecondsUpTo {
        /// The host's greatest number, as JSON.
        most: String,
    },
    /// One of some texts.
    OneOf(&'static [&'static str]),
}

impl Expected {
    /// Returns what has to be there, in words.
    #[must_use]
    pub fn text(&self, language: Language) -> String {
        match (self, language) {
            (Self::Object, Language::En) => "an object".to_owned(),
            (Self::Object, Language::ZhCn) => "对象".to_owned(),
            (Self::Text, Language::En) => "text".to_owned(),
            (Self::Text, Language::ZhCn) => "文本".to_owned(),
            (Self::Bool, Language::En) => "`true` or `false`".to_owned(),
            (Self::Bool, Language::ZhCn) => "`true` 或 `false`".to_owned(),
            (Self::TextList, Language::En) => "a list of texts".to_owned(),
            (Self::TextList, Language::ZhCn) => "文本列表".to_owned(),
            (Self::AbsolutePathList, Language::En) => "a list of absolute paths".to_owned(),
            (Self::AbsolutePathList, Language::ZhCn) => "绝对路径列表".to_owned(),
            (Self::WholeNumber { most }, Language::En) => format!("a whole number from 0 to {most}"),
            (Self::WholeNumber { most }, Language::ZhCn) => format!("0 到 {most} 的整数"),
            (Self::Seconds, Language::En) => "a finite number of seconds above 0".to_owned(),
            (Self::Seconds, Language::ZhCn) => "大于 0 的有限秒数".to_owned(),
            (Self::SecondsUpTo { most }, Language::En) => {
                format!("at most {most} seconds, which is all the host takes")
            }
            (Self::SecondsUpTo { most }, Language::ZhCn) => format!("不超过 {most} 秒（宿主的上限）"),
            (Self::OneOf(names), Language::En) => quoted(names, " or "),
            (Self::OneOf(names), Language::ZhCn) => quoted(names, " 或 "),
        }
    }
}

fn quoted(names: &[&str], or: &str) -> String {
    names.iter().map(|name| format!("`\"{name}\"`")).collect::<Vec<_>>().join(or)
}

impl Diagnostic {
    /// Makes a diagnostic: for settings that this crate reads as text and whose meaning another crate judges.
    ///
    /// `used` is what is used instead; without it, the defaults of everything below the key.
    #[must_use]
    pub fn unusable(
        key: impl Into<KeyPath>,
        expected: Expected,
        found: &Value,
        used: Option<&Value>,
    ) -> Self {
        Self { key: key.into(), expected, found: excerpt(found), used: used.map(excerpt), origin: None }
    }

    /// Returns this diagnostic with the place that the setting comes from.
    #[must_use]
    pub fn with_origin(self, origin: Option<Origin>) -> Self {
        Self { origin, ..self }
    }

    /// Returns the path of the setting.
    #[must_use]
    pub fn key(&self) -> &KeyPath {
        &self.key
    }

    /// Returns what has to be there.
    #[must_use]
    pub fn expected(&self) -> &Expected {
        &self.expected
    }

    /// Returns the value found, as compact JSON; a long one is cut.
    #[must_use]
    pub fn found(&self) -> &str {
        &self.found
    }

    /// Returns what is used instead, as compact JSON; `None`: the defaults of everything below the key.
    #[must_use]
    pub fn used(&self) -> Option<&str> {
        self.used.as_deref()
    }

    /// Returns where the setting comes from, if it was read from [`Layers`](crate::Layers).
    #[must_use]
    pub fn origin(&self) -> Option<&Origin> {
        self.origin.as_ref()
    }

    /// Returns the diagnostic as one line for people.
    #[must_use]
    pub fn text(&self, language: Language) -> String {
        let Self { key, found, .. } = self;
        let expected = self.expected.text(language);
        let origin = self.origin.as_ref().map(|origin| origin.text(language));
        match language {
            Language::En => {
                let origin = origin.map(|origin| format!(" ({origin})")).unwrap_or_default();
                let used = self
                    .used()
                    .map_or("its defaults are used".to_owned(), |used| format!("`{used}` is used"));
                format!("`{key}`: expected {expected}, found `{found}`{origin}; {used}")
            }
            Language::ZhCn => {
                let origin = origin.map(|origin| format!("（{origin}）")).unwrap_or_default();
                let used = self.used().map_or("改用默认值".to_owned(), |used| format!("改用 `{used}`"));
                format!("`{key}`：应为{}，实际是 `{found}`{origin}；{used}", spaced(&expected))
            }
        }
    }
}

/// Sets a space before what does not begin with a Chinese character.
fn spaced(text: &str) -> String {
    if text.starts_with(|char: char| char.is_ascii()) { format!(" {text}") } else { text.to_owned() }
}

/// What was reported at the last reading, so that a host which reads settings again and again says each thing once.
///
/// A setting that was mended and broken again is news again; one that only moved to another line is not. Holds the
/// diagnostics of one reading.
///
/// ```
/// use brakeline_settings::{HostLimits, Reported, read_settings};
/// use serde_json::json;
///
/// let broken = read_settings(&json!({"defaultTimeout": "2m"}), HostLimits::default());
/// let mut reported = Reported::default();
/// assert_eq!(reported.news(broken.diagnostics.clone()).len(), 1);
/// assert_eq!(reported.news(broken.diagnostics.clone()).len(), 0);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Reported {
    last: Vec<Diagnostic>,
}

impl Reported {
    /// Takes the diagnostics of a reading and returns those that the reading before did not have.
    pub fn news(&mut self, diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
        let is_news = |new: &&Diagnostic| {
            self.last
                .iter()
                .all(|old| (&old.key, &old.expected, &old.found) != (&new.key, &new.expected, &new.found))
        };
        let news = diagnostics.iter().filter(is_news).cloned().collect();
        self.last = diagnostics;
        news
    }
}
