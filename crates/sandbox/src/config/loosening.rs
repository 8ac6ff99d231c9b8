//! What a project's file makes wider than the user had it.

use super::layers::FileConfig;
use super::{Config, Entry, Permission, Setting, origin_text, read};
use brakeline_settings::{Language, Origin};

/// One thing that the project's file makes wider than the defaults and the user's own file.
///
/// A trusted project may do that; a person should be able to see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loosening {
    /// The key, with dots.
    pub key: &'static str,
    /// What happened to it.
    pub kind: LooseningKind,
    /// The file and line that did it.
    pub origin: Option<Origin>,
}

/// How something was loosened.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LooseningKind {
    /// A switch now has this value.
    Switched(bool),
    /// An entry that allows was added.
    Allowed(String),
    /// An entry that denied is gone.
    NoLongerDenied(String),
}

impl Loosening {
    /// Returns one line for people.
    #[must_use]
    pub fn text(&self, language: Language) -> String {
        let key = self.key;
        let origin = origin_text(self.origin.as_ref(), language);
        match (&self.kind, language) {
            (LooseningKind::Switched(value), Language::En) => format!("`{key}` is now {value} ({origin})"),
            (LooseningKind::Switched(value), Language::ZhCn) => format!("`{key}` 变为 {value}（{origin}）"),
            (LooseningKind::Allowed(entry), Language::En) => {
                format!("`{key}` also allows `{entry}` ({origin})")
            }
            (LooseningKind::Allowed(entry), Language::ZhCn) => {
                format!("`{key}` 额外允许 `{entry}`（{origin}）")
            }
            (LooseningKind::NoLongerDenied(entry), Language::En) => {
                format!("`{key}` no longer denies `{entry}` ({origin})")
            }
            (LooseningKind::NoLongerDenied(entry), Language::ZhCn) => {
                format!("`{key}` 不再拒绝 `{entry}`（{origin}）")
            }
        }
    }
}

/// Compares the configuration with the one that would be in force without project files.
pub(super) fn of_project(files: &[FileConfig]) -> Vec<Loosening> {
    let before = read::config(files.iter().filter(|file| !file.is_project));
    let after = read::config(files);
    let mut found = Vec::new();
    switched(&mut found, "enabled", &before.enabled, &after.enabled, false);
    domains_and_paths(&mut found, files, &before, &after);
    let (old, new) = (&before.shell, &after.shell);
    switched(&mut found, "shell.allowMultiple", &old.allow_multiple, &new.allow_multiple, true);
    switched(&mut found, "shell.allowPipe", &old.allow_pipe, &new.allow_pipe, true);
    switched(&mut found, "shell.strictAllow", &old.strict_allow, &new.strict_allow, false);
    permissions(&mut found, &before, &after);
    // What the command line or the host overrides is not the project's doing.
    found.retain(|loosening| {
        loosening.origin.as_ref().is_none_or(|origin| origin.source == brakeline_settings::Source::Project)
    });
    found
}

fn switched(found: &mut Vec<Loosening>, key: &'static str, before: &Setting, after: &Setting, loose: bool) {
    if before.value != loose && after.value == loose {
        found.push(Loosening { key, kind: LooseningKind::Switched(loose), origin: after.origin.clone() });
    }
}

fn domains_and_paths(found: &mut Vec<Loosening>, files: &[FileConfig], before: &Config, after: &Config) {
    let (old, new) = (&before.network, &after.network);
    let (old_files, new_files) = (&before.filesystem, &after.filesystem);
    // The place of a list that has entries no more is the key's.
    let list = |at: usize| files.iter().rev().find_map(|file| file.lists.get(at)?.as_ref()?.origin.as_ref());
    added(found, "network.allowedDomains", &old.allowed_domains, &new.allowed_domains);
    removed(found, "network.deniedDomains", &old.denied_domains, &new.denied_domains, list(1));
    removed(found, "filesystem.denyRead", &old_files.deny_read, &new_files.deny_read, list(2));
    added(found, "filesystem.allowRead", &old_files.allow_read, &new_files.allow_read);
    removed(found, "filesystem.denyWrite", &old_files.deny_write, &new_files.deny_write, list(4));
    added(found, "filesystem.allowWrite", &old_files.allow_write, &new_files.allow_write);
}

fn added(found: &mut Vec<Loosening>, key: &'static str, before: &[Entry], after: &[Entry]) {
    let is_new = |entry: &&Entry| !before.iter().any(|old| old.text == entry.text);
    found.extend(after.iter().filter(is_new).map(|entry| Loosening {
        key,
        kind: LooseningKind::Allowed(entry.text.clone()),
        origin: entry.origin.clone(),
    }));
}

fn removed(
    found: &mut Vec<Loosening>,
    key: &'static str,
    before: &[Entry],
    after: &[Entry],
    origin: Option<&Origin>,
) {
    let is_gone = |entry: &&Entry| !after.iter().any(|new| new.text == entry.text);
    found.extend(before.iter().filter(is_gone).map(|entry| Loosening {
        key,
        kind: LooseningKind::NoLongerDenied(entry.text.clone()),
        origin: origin.cloned(),
    }));
}

fn permissions(found: &mut Vec<Loosening>, before: &Config, after: &Config) {
    const KEY: &str = "shell.permissons";
    for rule in &after.shell.permissions {
        let old = before.shell.permissions.iter().find(|old| old.pattern == rule.pattern);
        let was = old.map(|old| old.permission);
        let kind = match (was, rule.permission) {
            (Some(Permission::Deny), Permission::Allow) => {
                LooseningKind::NoLongerDenied(rule.pattern.clone())
            }
            (None, Permission::Allow) => LooseningKind::Allowed(rule.pattern.clone()),
            _ => continue,
        };
        found.push(Loosening { key: KEY, kind, origin: rule.origin.clone() });
    }
}
