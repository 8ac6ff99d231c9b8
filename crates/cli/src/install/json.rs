//! Entries in JSON documents that belong to somebody else: added and removed without touching anything around them.

use super::host::{Entry, InstallHost, Tolerance, is_own_command};
use brakeline_settings::{Language, Layer, NoteKind, Source};
use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstArray, CstInputValue, CstNode, CstObject, CstRootNode};
use serde_json::Value;
use std::path::Path;

/// A document that cannot be edited: what is wrong, with file, line and column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unusable(pub(crate) String);

/// A document that has been read and checked.
#[derive(Debug)]
struct Document<'a> {
    file: &'a Path,
    language: Language,
    layer: Layer,
    root: CstRootNode,
    has_mark: bool,
}

/// The byte-order mark that some editors write.
const MARK: char = '\u{feff}';

/// Returns the document with the entries: each once and as it is wanted, entries of earlier versions replaced.
///
/// What is right already stays byte for byte. Comments, order, unknown keys, line endings and other people's hooks stay in
/// any case.
///
/// # Errors
///
/// If the text is not what the host's own reader takes, or something else stands where an entry belongs.
pub(crate) fn add(
    text: Option<&str>,
    entries: &[Entry],
    host: InstallHost,
    tolerance: Tolerance,
    file: &Path,
    language: Language,
) -> Result<String, Unusable> {
    let text = text.filter(|text| !text.trim().is_empty());
    let document = Document::read(text.unwrap_or("{}\n"), tolerance, file, language)?;
    document.check(entries)?;
    if says(document.layer.value(), entries, host) {
        return Ok(text.unwrap_or("{}\n").to_owned());
    }
    let root = document.root.object_value_or_set();
    // What is wanted is filled again.
    let wanted = |path: &[&str]| match path {
        [_, event] => {
            entries.iter().any(|entry| matches!(entry, Entry::Hook { event: name, .. } if name == event))
        }
        _ => true,
    };
    remove_own(&root, entries, host, &wanted);
    for entry in entries {
        insert(&root, entry);
    }
    Ok(document.to_text())
}

/// Returns the document without brakeline's entries: of [`Entry::Default`] nothing is removed, since people may count on it.
///
/// `before` is what the document said before the installation, where that is known: what was empty then stays, empty.
///
/// # Errors
///
/// As [`add`].
pub(crate) fn remove(
    text: &str,
    before: &Value,
    entries: &[Entry],
    host: InstallHost,
    tolerance: Tolerance,
    file: &Path,
    language: Language,
) -> Result<String, Unusable> {
    if text.trim().is_empty() {
        return Ok(text.to_owned());
    }
    let document = Document::read(text, tolerance, file, language)?;
    let was_there = |path: &[&str]| path.iter().try_fold(before, |value, key| value.get(key)).is_some();
    match document.root.object_value() {
        Some(root) if remove_own(&root, entries, host, &was_there) => Ok(document.to_text()),
        _ => Ok(text.to_owned()),
    }
}

/// Returns what a text says; `None` if it cannot be read.
pub(crate) fn value(text: &str, file: &Path) -> Option<Value> {
    Layer::parse(Source::Global, file, text.as_bytes()).ok().map(|layer| layer.value().clone())
}

/// Returns whether a document says what the entries ask for, and nothing more of brakeline.
pub(crate) fn says(document: &Value, entries: &[Entry], host: InstallHost) -> bool {
    entries.iter().all(|entry| is_there(document, entry, host)) && !has_stray(document, entries, host)
}

/// Returns the commands of brakeline's hooks in a document.
pub(crate) fn own_commands(document: &Value, host: InstallHost) -> Vec<String> {
    let events = document.get("hooks").and_then(Value::as_object);
    let groups = events.into_iter().flatten().filter_map(|(_, groups)| groups.as_array()).flatten();
    let hooks = groups.flat_map(|group| match group.get("hooks").and_then(Value::as_array) {
        Some(hooks) => hooks.iter().collect(),
        None => vec![group],
    });
    hooks.flat_map(commands).filter(|command| is_own_command(command, host)).map(str::to_owned).collect()
}

/// Returns whether a hook, or every hook of a group, is brakeline's.
pub(crate) fn is_own(value: &Value, host: InstallHost) -> bool {
    match value.get("hooks").and_then(Value::as_array) {
        Some(hooks) => !hooks.is_empty() && hooks.iter().all(|hook| is_own(hook, host)),
        None => commands(value).any(|command| is_own_command(command, host)),
    }
}

fn has_own_part(value: &Value, host: InstallHost) -> bool {
    match value.get("hooks").and_then(Value::as_array) {
        Some(hooks) => hooks.iter().any(|hook| is_own(hook, host)),
        None => is_own(value, host),
    }
}

fn commands(value: &Value) -> impl Iterator<Item = &str> {
    ["command", "bash"].into_iter().filter_map(|key| value.get(key)?.as_str())
}

/// Returns whether the document says what the entry asks for, exactly once.
fn is_there(document: &Value, entry: &Entry, host: InstallHost) -> bool {
    match entry {
        Entry::Hook { event, value } => {
            let groups = document.pointer(&format!("/hooks/{event}")).and_then(Value::as_array);
            let mut own = groups.into_iter().flatten().filter(|group| has_own_part(group, host));
            own.next() == Some(value) && own.next().is_none()
        }
        Entry::Package { key, folder } => {
            let packages = document.get(key).and_then(Value::as_array);
            packages
                .is_some_and(|packages| packages.iter().filter(|package| names(package, folder)).count() == 1)
        }
        Entry::Default { path, .. } => path.iter().try_fold(document, |value, key| value.get(key)).is_some(),
    }
}

/// Whether hooks of brakeline stand at events where none is wanted any more.
fn has_stray(document: &Value, entries: &[Entry], host: InstallHost) -> bool {
    let wanted =
        |name: &str| entries.iter().any(|entry| matches!(entry, Entry::Hook { event, .. } if *event == name));
    let events = document.get("hooks").and_then(Value::as_object);
    events.is_some_and(|events| {
        events.iter().filter(|(event, _)| !wanted(event)).any(|(_, groups)| {
            groups.as_array().is_some_and(|groups| groups.iter().any(|group| has_own_part(group, host)))
        })
    })
}

/// A package is a text, or an object with the text as its `source`.
fn names(package: &Value, folder: &str) -> bool {
    package.as_str().or_else(|| package.get("source")?.as_str()) == Some(folder)
}

impl<'a> Document<'a> {
    fn read(text: &str, tolerance: Tolerance, file: &'a Path, language: Language) -> Result<Self, Unusable> {
        // The reader of settings knows line and column of every fault, and bounds the depth.
        let layer = Layer::parse(Source::Global, file, text.as_bytes())
            .map_err(|error| Unusable(error.text(language)))?;
        let refused = layer.notes().iter().find(|note| match note.kind {
            NoteKind::DuplicateKey(_) => true,
            NoteKind::ByteOrderMark => false,
            NoteKind::Comment => tolerance == Tolerance::Strict,
            _ => tolerance != Tolerance::Jsonc,
        });
        if let Some(note) = refused {
            let place = format!("{}:{}", file.display(), note.position);
            let text = match (&note.kind, language) {
                (NoteKind::DuplicateKey(key), Language::En) => {
                    format!("`{place}`: the key `{key}` stands twice in one object; remove one of them")
                }
                (NoteKind::DuplicateKey(key), Language::ZhCn) => {
                    format!("`{place}`：键 `{key}` 在同一个对象里写了两次，请删掉一个")
                }
                (_, Language::En) => {
                    format!("`{place}`: the host itself cannot read this comment, comma or space; remove it")
                }
                (_, Language::ZhCn) => format!("`{place}`：宿主自己读不了这里的注释、逗号或空白，请删掉"),
            };
            return Err(Unusable(text));
        }
        let has_mark = text.starts_with(MARK);
        let options = ParseOptions { allow_missing_commas: false, ..ParseOptions::default() };
        let root = CstRootNode::parse(text.trim_start_matches(MARK), &options)
            .map_err(|error| Unusable(format!("`{}`: {error}", file.display())))?;
        Ok(Self { file, language, layer, root, has_mark })
    }

    fn to_text(&self) -> String {
        let mark = if self.has_mark { MARK.to_string() } else { String::new() };
        format!("{mark}{}", self.root)
    }

    /// Refuses a document in which something else stands where an entry belongs.
    fn check(&self, entries: &[Entry]) -> Result<(), Unusable> {
        for entry in entries {
            match entry {
                Entry::Hook { event, .. } => {
                    self.expect(&["hooks"], Value::is_object, ["an object", "对象"])?;
                    self.expect(&["hooks", event], Value::is_array, ["an array", "数组"])?;
                }
                Entry::Package { key, .. } => self.expect(&[key], Value::is_array, ["an array", "数组"])?,
                Entry::Default { path: [section, _, ..], .. } => {
                    self.expect(&[section], Value::is_object, ["an object", "对象"])?;
                }
                Entry::Default { .. } => {}
            }
        }
        Ok(())
    }

    fn expect(
        &self,
        path: &[&str],
        is_expected: fn(&Value) -> bool,
        [en, zh]: [&str; 2],
    ) -> Result<(), Unusable> {
        let found = path.iter().try_fold(self.layer.value(), |value, key| value.get(key));
        if found.is_none_or(is_expected) {
            return Ok(());
        }
        let place = self.layer.position(path.to_vec());
        let place = place.map(|place| format!(":{place}")).unwrap_or_default();
        let (file, key) = (self.file.display(), path.join("."));
        Err(Unusable(match self.language {
            Language::En => format!("`{file}{place}`: `{key}` should be {en}; mend or remove it"),
            Language::ZhCn => format!("`{file}{place}`：`{key}` 应为{zh}，请改正或删掉"),
        }))
    }
}

/// Adds what an entry asks for, where it is not there.
fn insert(root: &CstObject, entry: &Entry) {
    match entry {
        Entry::Hook { event, value } => {
            root.object_value_or_set("hooks").array_value_or_set(event).append(input(value));
        }
        Entry::Package { key, folder } => {
            root.array_value_or_set(key).append(CstInputValue::String(folder.clone()));
        }
        Entry::Default { path, value } => {
            let [sections @ .., key] = path else { return };
            let section = sections.iter().fold(root.clone(), |object, key| object.object_value_or_set(key));
            if section.get(key).is_none() {
                section.append(key, input(value));
            }
        }
    }
}

/// Removes brakeline's hooks and packages, and what is empty then unless `stays`. Returns whether there were any.
fn remove_own(
    root: &CstObject,
    entries: &[Entry],
    host: InstallHost,
    stays: &dyn Fn(&[&str]) -> bool,
) -> bool {
    let mut removed = false;
    for entry in entries {
        if let Entry::Package { key, folder } = entry
            && let Some(packages) = root.array_value(key)
        {
            removed |= remove_elements(&packages, |element| names(element, folder));
            if packages.elements().is_empty() && !stays(&[key]) {
                remove_member(root, key);
            }
        }
    }
    let Some(hooks) = root.object_value("hooks") else { return removed };
    let mut removed_hooks = false;
    for event in hooks.properties() {
        let (Some(groups), Some(name)) = (event.array_value(), event.decoded_name()) else { continue };
        if remove_hooks(&groups, host) {
            removed_hooks = true;
            if groups.elements().is_empty() && !stays(&["hooks", &name]) {
                event.remove();
            }
        }
    }
    if removed_hooks && hooks.properties().is_empty() && !stays(&["hooks"]) {
        remove_member(root, "hooks");
    }
    removed || removed_hooks
}

/// Removes brakeline's groups, and its hooks from groups that it shares with others.
fn remove_hooks(groups: &CstArray, host: InstallHost) -> bool {
    let mut removed = remove_elements(groups, |group| is_own(group, host));
    for group in groups.elements() {
        if let Some(hooks) = group.as_object().and_then(|group| group.array_value("hooks")) {
            removed |= remove_elements(&hooks, |hook| is_own(hook, host));
        }
    }
    removed
}

fn remove_elements(array: &CstArray, is_meant: impl Fn(&Value) -> bool) -> bool {
    let meant: Vec<CstNode> = array
        .elements()
        .into_iter()
        .filter(|node| node.to_serde_value().as_ref().is_some_and(&is_meant))
        .collect();
    let removed = !meant.is_empty();
    for node in meant {
        node.remove();
    }
    removed
}

fn remove_member(object: &CstObject, key: &str) {
    if let Some(member) = object.get(key) {
        member.remove();
    }
}

/// Returns a value as the editor of documents takes it.
fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(bool) => CstInputValue::Bool(*bool),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(elements) => CstInputValue::Array(elements.iter().map(input).collect()),
        Value::Object(members) => {
            CstInputValue::Object(members.iter().map(|(key, value)| (key.clone(), input(value))).collect())
        }
    }
}
