//! Verdicts about paths, with the entry that decided.

use crate::config::Entry;
use crate::policy::{List, Rule};
use crate::protect::Protection;
use brakeline_settings::Language;
use std::path::{Path, PathBuf};

/// A verdict about one path.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct Verdict {
    /// Whether it may be done.
    pub allowed: bool,
    /// Where the path leads; what the verdict is about.
    pub path: PathBuf,
    /// What decided.
    pub reason: Reason,
}

/// What decided about a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Nothing speaks against reading it.
    Default,
    /// No `allowWrite` entry covers it.
    NotListed,
    /// A `denyRead` entry hides it.
    Hidden(Entry),
    /// An `allowRead` entry shows it inside something hidden.
    Shown(Entry),
    /// An `allowWrite` entry covers it.
    Writable(Entry),
    /// A `denyWrite` entry covers it.
    Denied(Entry),
    /// It is always protected.
    Protected(Protection),
    /// It is a device that takes everything.
    Device,
    /// It leads in a circle of links.
    Circle,
}

impl Reason {
    pub(crate) fn hidden(rule: &Rule) -> Self {
        match &rule.cause {
            crate::policy::Cause::Entry(entry) => Self::Hidden(entry.clone()),
            crate::policy::Cause::Protection(protection) => Self::Protected(*protection),
        }
    }

    /// Returns the reason as a clause.
    #[must_use]
    pub fn text(&self, language: Language) -> String {
        let entry = |list: List, entry: &Entry, zh: &str, en: &str| {
            let (key, text, origin) = (list.key(), &entry.text, entry.origin_text(language));
            match language {
                Language::En => format!("`{key}` {en} `{text}` ({origin})"),
                Language::ZhCn => format!("`{key}` {zh} `{text}`（{origin}）"),
            }
        };
        match (self, language) {
            (Self::Default, Language::En) => "no `filesystem.denyRead` covers it".to_owned(),
            (Self::Default, Language::ZhCn) => "没有 `filesystem.denyRead` 涉及它".to_owned(),
            (Self::NotListed, Language::En) => "no `filesystem.allowWrite` covers it".to_owned(),
            (Self::NotListed, Language::ZhCn) => "没有 `filesystem.allowWrite` 允许它".to_owned(),
            (Self::Hidden(hidden), _) => entry(List::DenyRead, hidden, "隐藏了", "hides"),
            (Self::Shown(shown), _) => entry(List::AllowRead, shown, "允许读取", "shows"),
            (Self::Writable(writable), _) => entry(List::AllowWrite, writable, "允许写入", "allows"),
            (Self::Denied(denied), _) => entry(List::DenyWrite, denied, "禁止写入", "denies"),
            (Self::Protected(why), Language::En) => format!("always write-protected: {}", why.text(language)),
            (Self::Protected(why), Language::ZhCn) => format!("始终禁止写入：{}", why.text(language)),
            (Self::Device, Language::En) => "a device of the sandbox's own".to_owned(),
            (Self::Device, Language::ZhCn) => "沙箱自带的设备".to_owned(),
            (Self::Circle, Language::En) => "it leads in a circle of links".to_owned(),
            (Self::Circle, Language::ZhCn) => "它是循环的符号链接".to_owned(),
        }
    }
}

impl Verdict {
    pub(crate) fn yes(path: &Path, reason: Reason) -> Self {
        Self { allowed: true, path: path.to_owned(), reason }
    }

    pub(crate) fn no(path: &Path, reason: Reason) -> Self {
        Self { allowed: false, path: path.to_owned(), reason }
    }

    /// Returns the verdict as one line: whether, what, and why.
    #[must_use]
    pub fn text(&self, language: Language) -> String {
        let (path, reason) = (self.path.display(), self.reason.text(language));
        match (self.allowed, language) {
            (true, Language::En) => format!("`{path}` is allowed: {reason}"),
            (true, Language::ZhCn) => format!("允许 `{path}`：{reason}"),
            (false, Language::En) => format!("`{path}` is denied by the sandbox: {reason}"),
            (false, Language::ZhCn) => format!("沙箱拒绝 `{path}`：{reason}"),
        }
    }
}
