//! A `sandbox.json` that cannot be used.

use crate::text::in_language;
use brakeline_settings::{Language, LoadError, Position};
use std::fmt;
use std::path::{Path, PathBuf};

/// A `sandbox.json` that cannot be used: what is wrong, and where.
///
/// ```
/// use brakeline_sandbox::config::Config;
/// use brakeline_settings::{Language, Layer, Layers, Source};
///
/// let text = b"{\n  \"network\": {\"allowedDomain\": [\"example.com\"]}\n}";
/// let layer = Layer::parse(Source::Project, ".pi/sandbox.json", text)?;
/// let error = Config::from_layers(&Layers::new([layer])).unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "`.pi/sandbox.json:2:15`: `network` has no key `allowedDomain`; did you mean `allowedDomains`?"
/// );
/// assert_eq!(
///     error.text(Language::ZhCn),
///     "`.pi/sandbox.json:2:15`：`network` 没有键 `allowedDomain`；是不是想写 `allowedDomains`？"
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct ConfigError(Box<Inner>);

/// Apart, so that the good case stays small.
#[derive(Debug)]
struct Inner {
    file: Option<PathBuf>,
    position: Option<Position>,
    kind: ConfigErrorKind,
}

/// What can be wrong with a `sandbox.json`.
#[derive(Debug)]
#[non_exhaustive]
pub enum ConfigErrorKind {
    /// The file cannot be read, or is no JSON object.
    File(LoadError),
    /// A key that means nothing.
    UnknownKey {
        /// The object that has it; empty: the file's own.
        parent: String,
        /// The key.
        key: String,
        /// The known key that looks most like it.
        nearest: Option<&'static str>,
    },
    /// A value of the wrong kind.
    WrongKind {
        /// The path of the value.
        path: String,
        /// What belongs there.
        expected: Expected,
        /// What stands there, cut.
        found: String,
    },
    /// A key that stands twice in one object: which one counts would be a guess.
    DuplicateKey {
        /// The key.
        key: String,
    },
    /// `permissons` and `permissions` in one file, with different content.
    TwoSpellings,
    /// A permission for no command.
    EmptyPattern,
    /// A domain pattern that cannot match what it looks like.
    Domain {
        /// The pattern as written.
        pattern: String,
        /// What is wrong.
        reason: crate::domain::PatternError,
    },
    /// A path that cannot be understood.
    Path {
        /// The path as written.
        path: String,
        /// What is wrong.
        reason: crate::glob::GlobError,
    },
}

/// What belongs in a place of `sandbox.json`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Expected {
    /// `true` or `false`.
    Switch,
    /// An object.
    Object,
    /// An array of texts.
    Texts,
    /// `"allow"` or `"deny"`.
    Permission,
}

impl Expected {
    fn text(self, language: Language) -> &'static str {
        match (self, language) {
            (Self::Switch, Language::En) => "`true` or `false`",
            (Self::Switch, Language::ZhCn) => "`true` 或 `false`",
            (Self::Object, Language::En) => "an object",
            (Self::Object, Language::ZhCn) => "对象",
            (Self::Texts, Language::En) => "an array of texts that are not empty",
            (Self::Texts, Language::ZhCn) => "由非空字符串组成的数组",
            (Self::Permission, Language::En) => "`\"allow\"` or `\"deny\"`",
            (Self::Permission, Language::ZhCn) => "`\"allow\"` 或 `\"deny\"`",
        }
    }
}

impl ConfigError {
    pub(super) fn new(file: Option<&Path>, position: Option<Position>, kind: ConfigErrorKind) -> Self {
        Self(Box::new(Inner { file: file.map(Path::to_owned), position, kind }))
    }

    /// Returns the file, spelled as the loader was given it.
    #[must_use]
    pub fn file(&self) -> Option<&Path> {
        match &self.0.kind {
            ConfigErrorKind::File(error) => Some(error.file()),
            _ => self.0.file.as_deref(),
        }
    }

    /// Returns the place in the file.
    #[must_use]
    pub fn position(&self) -> Option<Position> {
        match &self.0.kind {
            ConfigErrorKind::File(error) => error.position(),
            _ => self.0.position,
        }
    }

    /// Returns what is wrong.
    #[must_use]
    pub fn kind(&self) -> &ConfigErrorKind {
        &self.0.kind
    }

    /// Returns the message, one line. [`Display`](fmt::Display) writes the English one.
    #[must_use]
    pub fn text(&self, language: Language) -> String {
        on_one_line(self.whole_text(language))
    }

    fn whole_text(&self, language: Language) -> String {
        if let ConfigErrorKind::File(error) = &self.0.kind {
            return error.text(language);
        }
        let what = self.0.kind.text(language);
        let Some(file) = &self.0.file else { return what };
        let file = file.display();
        let place = self.0.position.map(|position| format!(":{position}")).unwrap_or_default();
        match language {
            Language::En => format!("`{file}{place}`: {what}"),
            Language::ZhCn => format!("`{file}{place}`：{what}"),
        }
    }
}

impl ConfigErrorKind {
    fn text(&self, language: Language) -> String {
        match (self, language) {
            (Self::File(error), language) => error.text(language),
            (Self::UnknownKey { parent, key, nearest }, language) => {
                unknown_key(parent, key, *nearest, language)
            }
            (Self::WrongKind { path, expected, found }, Language::En) => {
                format!("`{path}`: expected {}, found `{found}`", expected.text(language))
            }
            (Self::WrongKind { path, expected, found }, Language::ZhCn) => {
                format!("`{path}`：应为{}，实际为 `{found}`", expected.text(language))
            }
            (Self::DuplicateKey { key }, Language::En) => {
                format!("the key `{key}` stands twice in one object; keep one of them")
            }
            (Self::DuplicateKey { key }, Language::ZhCn) => {
                format!("键 `{key}` 在同一个对象里写了两次，请只保留一个")
            }
            (Self::TwoSpellings, Language::En) => {
                "`shell` has both `permissons` and `permissions`, and they differ; keep one of them"
                    .to_owned()
            }
            (Self::TwoSpellings, Language::ZhCn) => {
                "`shell` 同时写了 `permissons` 和 `permissions` 且内容不同，请只保留一个".to_owned()
            }
            (Self::EmptyPattern, Language::En) => {
                "a pattern is empty; write `*` for any command, or a command's name".to_owned()
            }
            (Self::EmptyPattern, Language::ZhCn) => "规则为空；任意命令请写 `*`，否则请写命令名".to_owned(),
            (Self::Domain { pattern, reason }, Language::En) => {
                format!("the domain `{pattern}` {}", reason.text(language))
            }
            (Self::Domain { pattern, reason }, Language::ZhCn) => {
                format!("域名 `{pattern}` {}", reason.text(language))
            }
            (Self::Path { path, reason }, Language::En) => {
                format!("the path `{path}` {}", reason.text(language))
            }
            (Self::Path { path, reason }, Language::ZhCn) => {
                format!("路径 `{path}` {}", reason.text(language))
            }
        }
    }
}

/// Escapes what a terminal would obey: keys and paths of the file are quoted as they stand there.
fn on_one_line(text: String) -> String {
    if !text.contains(char::is_control) {
        return text;
    }
    let escaped = |c: char| if c.is_control() { c.escape_default().to_string() } else { c.to_string() };
    text.chars().map(escaped).collect()
}

fn unknown_key(parent: &str, key: &str, nearest: Option<&str>, language: Language) -> String {
    let mut text = match (parent, language) {
        ("", Language::En) => format!("there is no key `{key}`"),
        ("", Language::ZhCn) => format!("没有键 `{key}`"),
        (parent, Language::En) => format!("`{parent}` has no key `{key}`"),
        (parent, Language::ZhCn) => format!("`{parent}` 没有键 `{key}`"),
    };
    if let Some(nearest) = nearest {
        let [before, after] = in_language(language, ["；是不是想写 `", "`？"], ["; did you mean `", "`?"]);
        text.extend([before, nearest, after]);
    }
    text
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text(Language::En))
    }
}

impl std::error::Error for ConfigError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.0.kind {
            ConfigErrorKind::File(error) => Some(error),
            _ => None,
        }
    }
}

impl From<LoadError> for ConfigError {
    fn from(error: LoadError) -> Self {
        Self(Box::new(Inner { file: None, position: None, kind: ConfigErrorKind::File(error) }))
    }
}
