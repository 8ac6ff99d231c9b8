//! One file at a time: its keys are checked, its spellings made one.

use super::Permission;
use super::error::{ConfigError, ConfigErrorKind, Expected};
use crate::domain::{self, Pattern};
use crate::glob;
use brakeline_settings::{KeyPath, Layer, Layers, NoteKind, Origin, Source};
use serde_json::{Map, Value};

/// What one file says; what it leaves out is `None`.
#[derive(Clone, Debug, Default)]
pub(super) struct FileConfig {
    pub(super) is_project: bool,
    pub(super) enabled: Option<Placed<bool>>,
    pub(super) lists: [Option<Placed<Vec<Placed<String>>>>; 6],
    pub(super) switches: [Option<Placed<bool>>; 3],
    pub(super) permissions: Vec<(String, Placed<Permission>)>,
}

/// A value and where it stands.
#[derive(Clone, Debug)]
pub(super) struct Placed<T> {
    pub(super) value: T,
    pub(super) origin: Option<Origin>,
}

/// The lists, in the order of [`FileConfig::lists`].
pub(super) const LISTS: [(&str, &str); 6] = [
    ("network", "allowedDomains"),
    ("network", "deniedDomains"),
    ("filesystem", "denyRead"),
    ("filesystem", "allowRead"),
    ("filesystem", "denyWrite"),
    ("filesystem", "allowWrite"),
];

/// The switches of `shell`, in the order of [`FileConfig::switches`].
pub(super) const SWITCHES: [&str; 3] = ["allowMultiple", "allowPipe", "strictAllow"];

const SECTIONS: [&str; 4] = ["enabled", "network", "filesystem", "shell"];
/// The seed's spelling, and the dictionary's.
const PERMISSIONS: [&str; 2] = ["permissons", "permissions"];
/// For editors; says nothing to us.
const SCHEMA: &str = "$schema";

/// Checks one layer and reads it.
pub(super) fn normalise(layer: &Layer) -> Result<FileConfig, ConfigError> {
    let file = File { layer, alone: Layers::new([layer.clone()]) };
    for note in layer.notes() {
        if let NoteKind::DuplicateKey(key) = &note.kind {
            let kind = ConfigErrorKind::DuplicateKey { key: key.clone() };
            return Err(ConfigError::new(layer.file(), Some(note.position), kind));
        }
    }
    let mut config = FileConfig { is_project: layer.source() == Source::Project, ..FileConfig::default() };
    let Value::Object(members) = layer.value() else { return Ok(config) };
    file.known_keys(members, "", &SECTIONS)?;
    config.enabled = file.switch(members, &["enabled"])?;
    for (slot, (section, key)) in config.lists.iter_mut().zip(LISTS) {
        *slot = file.list(section, key)?;
    }
    file.shell(&mut config)?;
    Ok(config)
}

/// One file, to be read with errors that know their place.
struct File<'l> {
    layer: &'l Layer,
    /// The same layer, as something that can be asked for origins.
    alone: Layers,
}

impl File<'_> {
    fn fail<T>(&self, keys: &[&str], kind: ConfigErrorKind) -> Result<T, ConfigError> {
        let position = self.layer.position(KeyPath::from(keys));
        Err(ConfigError::new(self.layer.file(), position, kind))
    }

    fn wrong<T>(&self, keys: &[&str], expected: Expected, found: &Value) -> Result<T, ConfigError> {
        let kind = ConfigErrorKind::WrongKind { path: keys.join("."), expected, found: excerpt(found) };
        self.fail(keys, kind)
    }

    fn origin(&self, path: impl Into<KeyPath>) -> Option<Origin> {
        self.alone.origin(path)
    }

    fn known_keys(
        &self,
        members: &Map<String, Value>,
        parent: &str,
        known: &[&'static str],
    ) -> Result<(), ConfigError> {
        let Some(key) = members.keys().find(|key| !known.contains(&key.as_str()) && *key != SCHEMA) else {
            return Ok(());
        };
        let kind = ConfigErrorKind::UnknownKey {
            parent: parent.to_owned(),
            key: key.clone(),
            nearest: nearest(key, known),
        };
        if parent.is_empty() { self.fail(&[key], kind) } else { self.fail(&[parent, key], kind) }
    }

    fn section(&self, name: &str) -> Result<Option<&Map<String, Value>>, ConfigError> {
        match self.layer.value().get(name) {
            None => Ok(None),
            Some(Value::Object(members)) => Ok(Some(members)),
            Some(other) => self.wrong(&[name], Expected::Object, other),
        }
    }

    fn switch(
        &self,
        members: &Map<String, Value>,
        keys: &[&str],
    ) -> Result<Option<Placed<bool>>, ConfigError> {
        match keys.last().and_then(|key| members.get(*key)) {
            None => Ok(None),
            Some(Value::Bool(value)) => {
                Ok(Some(Placed { value: *value, origin: self.origin(KeyPath::from(keys)) }))
            }
            Some(other) => self.wrong(keys, Expected::Switch, other),
        }
    }

    fn list(
        &self,
        section: &str,
        key: &'static str,
    ) -> Result<Option<Placed<Vec<Placed<String>>>>, ConfigError> {
        let Some(members) = self.section(section)? else { return Ok(None) };
        let known: Vec<_> = LISTS.iter().filter(|(name, _)| *name == section).map(|(_, key)| *key).collect();
        self.known_keys(members, section, &known)?;
        let items = match members.get(key) {
            None => return Ok(None),
            Some(Value::Array(items)) => items,
            Some(other) => return self.wrong(&[section, key], Expected::Texts, other),
        };
        let mut entries = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            let Some(text) = item.as_str().filter(|text| !text.trim().is_empty()) else {
                return self.wrong(&[section, key], Expected::Texts, item);
            };
            let path: KeyPath = KeyPath::from([section, key]).join(index);
            self.check_entry(&path, key, text)?;
            entries.push(Placed { value: text.to_owned(), origin: self.origin(&path) });
        }
        Ok(Some(Placed { value: entries, origin: self.origin([section, key]) }))
    }

    /// Refuses, while file and line are known, an entry that could not be enforced later.
    fn check_entry(&self, path: &KeyPath, key: &str, text: &str) -> Result<(), ConfigError> {
        let kind = match key {
            "allowedDomains" | "deniedDomains" => {
                let side = if key == "allowedDomains" { domain::Side::Allow } else { domain::Side::Deny };
                Pattern::parse(text, side)
                    .err()
                    .map(|reason| ConfigErrorKind::Domain { pattern: text.to_owned(), reason })
            }
            _ => {
                glob::check(text).err().map(|reason| ConfigErrorKind::Path { path: text.to_owned(), reason })
            }
        };
        match kind {
            None => Ok(()),
            Some(kind) => Err(ConfigError::new(self.layer.file(), self.layer.position(path), kind)),
        }
    }

    fn shell(&self, config: &mut FileConfig) -> Result<(), ConfigError> {
        let Some(shell) = self.section("shell")? else { return Ok(()) };
        let known: Vec<_> = SWITCHES.into_iter().chain(PERMISSIONS).collect();
        self.known_keys(shell, "shell", &known)?;
        for (slot, key) in config.switches.iter_mut().zip(SWITCHES) {
            *slot = self.switch(shell, &["shell", key])?;
        }
        let [seed, dictionary] = PERMISSIONS.map(|key| shell.get(key));
        if let (Some(one), Some(other)) = (seed, dictionary)
            && one != other
        {
            return self.fail(&["shell", "permissions"], ConfigErrorKind::TwoSpellings);
        }
        for key in PERMISSIONS {
            match shell.get(key) {
                None => {}
                Some(Value::Object(rules)) => {
                    config.permissions = self.rules(key, rules)?;
                    break;
                }
                Some(other) => return self.wrong(&["shell", key], Expected::Object, other),
            }
        }
        Ok(())
    }

    fn rules(
        &self,
        key: &str,
        rules: &Map<String, Value>,
    ) -> Result<Vec<(String, Placed<Permission>)>, ConfigError> {
        let mut read = Vec::with_capacity(rules.len());
        for (pattern, value) in rules {
            let keys = ["shell", key, pattern];
            if pattern.trim().is_empty() {
                return self.fail(&keys, ConfigErrorKind::EmptyPattern);
            }
            let permission = match value.as_str() {
                Some("allow") => Permission::Allow,
                Some("deny") => Permission::Deny,
                _ => return self.wrong(&keys, Expected::Permission, value),
            };
            read.push((
                pattern.clone(),
                Placed { value: permission, origin: self.origin(KeyPath::from(keys)) },
            ));
        }
        Ok(read)
    }
}

/// Returns the known key that a person most likely meant.
fn nearest(key: &str, known: &[&'static str]) -> Option<&'static str> {
    known
        .iter()
        .map(|candidate| (distance(&key.to_lowercase(), &candidate.to_lowercase()), *candidate))
        .min()
        .filter(|(distance, candidate)| *distance <= candidate.len() / 3 + 1)
        .map(|(_, candidate)| candidate)
}

/// Counts the letters to insert, delete or replace. Keys are short; a longer one is compared by its start.
fn distance(one: &str, other: &str) -> usize {
    const COMPARED: usize = 40;
    let other: Vec<char> = other.chars().take(COMPARED).collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (line, left) in one.chars().take(COMPARED).enumerate() {
        let mut corner = line;
        let mut previous = line + 1;
        let mut next = vec![previous];
        for (right, above) in other.iter().zip(row.iter().skip(1)) {
            let best = (corner + usize::from(left != *right)).min(above + 1).min(previous + 1);
            corner = *above;
            previous = best;
            next.push(best);
        }
        row = next;
    }
    row.last().copied().unwrap_or_default()
}

/// Returns a value as short JSON, for a message.
fn excerpt(value: &Value) -> String {
    const SHOWN: usize = 60;
    match value {
        Value::Object(_) => "{…}".to_owned(),
        Value::Array(items) if items.is_empty() => "[]".to_owned(),
        Value::Array(_) => "[…]".to_owned(),
        scalar => {
            let text = scalar.to_string();
            let cut: String = text.chars().take(SHOWN).collect();
            if cut.len() < text.len() { cut + "…" } else { cut }
        }
    }
}
