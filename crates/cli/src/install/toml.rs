//! Hooks in Codex's `config.toml`.
//!
//! Codex reads `[[hooks.EVENT]]` groups with `[[hooks.EVENT.hooks]]` below them. New ones are appended to the text, which keeps every
//! byte of what is there; only where hooks stand inline the document itself is edited.

use super::host::{Entry, InstallHost};
use super::json::{Unusable, is_own};
use brakeline_settings::Language;
use serde_json::{Map, Number, Value};
use std::path::Path;
use toml_edit::{Array, ArrayOfTables, DocumentMut, InlineTable, Item, Table, TableLike};

/// Returns whether a text has hooks at all. What is no TOML has none.
pub(crate) fn has_hooks(text: &str) -> bool {
    let document = text.parse::<DocumentMut>();
    document.is_ok_and(|document| document.get("hooks").and_then(Item::as_table_like).is_some_and(has_events))
}

/// Beside the events there is `state`, in which Codex keeps which hooks are trusted.
fn has_events(hooks: &dyn TableLike) -> bool {
    hooks.iter().any(|(key, _)| key != "state")
}

/// Returns a text as JSON, which has the same hooks; `None` for one that is no TOML.
pub(crate) fn value(text: &str) -> Option<Value> {
    text.parse::<DocumentMut>().ok().map(|document| value_of_table(document.as_table()))
}

/// Returns the text with the hooks: each once and as it is wanted. What is right already stays as it is.
///
/// # Errors
///
/// If the text is no TOML, or something else stands where a hook belongs.
pub(crate) fn add(
    text: Option<&str>,
    entries: &[Entry],
    host: InstallHost,
    file: &Path,
    language: Language,
) -> Result<String, Unusable> {
    let text = text.unwrap_or_default();
    let document = parse(text, file, language)?;
    check(&document, text, entries, file, language)?;
    if is_there(&document, entries, host) {
        return Ok(text.to_owned());
    }
    let mut kept = remove(text, host, file, language)?;
    for entry in entries {
        let Entry::Hook { event, value } = entry else { continue };
        kept = add_group(&kept, event, value, file, language)?;
    }
    Ok(kept)
}

/// Returns the text without the hooks of brakeline.
///
/// # Errors
///
/// If the text is no TOML.
pub(crate) fn remove(
    text: &str,
    host: InstallHost,
    file: &Path,
    language: Language,
) -> Result<String, Unusable> {
    let mut document = parse(text, file, language)?;
    let Some(hooks) = document.get_mut("hooks").and_then(Item::as_table_like_mut) else {
        return Ok(text.to_owned());
    };
    let events: Vec<String> = hooks.iter().map(|(event, _)| event.to_owned()).collect();
    let mut removed = false;
    for event in events {
        let Some(groups) = hooks.get_mut(&event) else { continue };
        if remove_own(groups, host) {
            removed = true;
            if length(groups) == 0 {
                hooks.remove(&event);
            }
        }
    }
    if !removed {
        return Ok(text.to_owned());
    }
    if hooks.is_empty() {
        document.remove("hooks");
    }
    Ok(with_endings_of(text, &document.to_string()))
}

fn parse(text: &str, file: &Path, language: Language) -> Result<DocumentMut, Unusable> {
    text.parse().map_err(|error: toml_edit::TomlError| {
        let place = error.span().map(|span| format!(":{}", place_of(text, span.start))).unwrap_or_default();
        let what = error.message().lines().next().unwrap_or_default().to_owned();
        Unusable(match language {
            Language::En => format!("`{}{place}`: {what}; mend the file first", file.display()),
            Language::ZhCn => format!("`{}{place}`：{what}，请先改正这个文件", file.display()),
        })
    })
}

/// Line and column, counted from 1.
fn place_of(text: &str, offset: usize) -> String {
    let before = text.get(..text.floor_char_boundary(offset)).unwrap_or_default();
    let line = 1 + before.matches('\n').count();
    let column = 1 + before.rsplit('\n').next().unwrap_or_default().chars().count();
    format!("{line}:{column}")
}

fn check(
    document: &DocumentMut,
    text: &str,
    entries: &[Entry],
    file: &Path,
    language: Language,
) -> Result<(), Unusable> {
    let wrong = |key: &str, item: &Item, [en, zh]: [&str; 2]| {
        let place = item.span().map(|span| format!(":{}", place_of(text, span.start))).unwrap_or_default();
        let file = file.display();
        Err(Unusable(match language {
            Language::En => format!("`{file}{place}`: `{key}` should be {en}; mend or remove it"),
            Language::ZhCn => format!("`{file}{place}`：`{key}` 应为{zh}，请改正或删掉"),
        }))
    };
    let Some(item) = document.get("hooks") else { return Ok(()) };
    let Some(hooks) = item.as_table_like() else { return wrong("hooks", item, ["a table", "表"]) };
    for entry in entries {
        let Entry::Hook { event, .. } = entry else { continue };
        match hooks.get(event) {
            Some(groups) if !groups.is_array_of_tables() && !groups.is_array() => {
                return wrong(&format!("hooks.{event}"), groups, ["an array", "数组"]);
            }
            _ => {}
        }
    }
    Ok(())
}

fn is_there(document: &DocumentMut, entries: &[Entry], host: InstallHost) -> bool {
    let value = value_of_table(document.as_table());
    let events = value.get("hooks").and_then(Value::as_object);
    let own: Vec<(&str, &Value)> = events
        .into_iter()
        .flatten()
        .flat_map(|(event, groups)| {
            groups.as_array().into_iter().flatten().map(move |group| (event.as_str(), group))
        })
        .filter(|(_, group)| is_own(group, host))
        .collect();
    let wanted: Vec<(&str, &Value)> = entries
        .iter()
        .filter_map(|entry| match entry {
            Entry::Hook { event, value } => Some((*event, value)),
            _ => None,
        })
        .collect();
    own.len() == wanted.len() && wanted.iter().all(|entry| own.contains(entry))
}

/// Appends one group to the text, or to the array in which the event's groups stand inline.
fn add_group(
    text: &str,
    event: &str,
    group: &Value,
    file: &Path,
    language: Language,
) -> Result<String, Unusable> {
    let mut document = parse(text, file, language)?;
    let inline = document.get("hooks").is_some_and(|hooks| !hooks.is_table());
    let place = document.get("hooks").and_then(|hooks| hooks.get(event));
    if !inline && place.is_none_or(Item::is_array_of_tables) {
        return Ok(appended(text, event, group));
    }
    let hooks = document.entry("hooks").or_insert_with(|| Item::Table(Table::new()));
    if let Some(hooks) = hooks.as_table_like_mut() {
        let groups = hooks.entry(event).or_insert_with(|| Item::Value(Array::new().into()));
        if let Some(groups) = groups.as_array_mut() {
            groups.push(toml_edit::Value::InlineTable(inline_table(group)));
        }
    }
    Ok(with_endings_of(text, &document.to_string()))
}

/// The group as tables at the end of the text, which is right whatever stands before.
fn appended(text: &str, event: &str, group: &Value) -> String {
    let mut document = DocumentMut::new();
    let mut hooks = Table::new();
    hooks.set_implicit(true);
    let mut groups = ArrayOfTables::new();
    groups.push(table(group));
    hooks.insert(event, Item::ArrayOfTables(groups));
    document.insert("hooks", Item::Table(hooks));
    let tables = with_endings_of(text, &document.to_string());
    let newline = if uses_carriage_returns(text) { "\r\n" } else { "\n" };
    match text {
        "" => tables,
        text if text.ends_with('\n') => format!("{text}{newline}{tables}"),
        text => format!("{text}{newline}{newline}{tables}"),
    }
}

fn uses_carriage_returns(text: &str) -> bool {
    text.contains("\r\n")
}

/// The editor of documents writes plain line feeds.
fn with_endings_of(text: &str, edited: &str) -> String {
    let plain = edited.replace("\r\n", "\n");
    if uses_carriage_returns(text) { plain.replace('\n', "\r\n") } else { plain }
}

fn remove_own(groups: &mut Item, host: InstallHost) -> bool {
    let mut removed = false;
    if let Some(tables) = groups.as_array_of_tables_mut() {
        let before = tables.len();
        tables.retain(|table| !is_own(&value_of_table(table), host));
        removed |= tables.len() != before;
        for table in tables.iter_mut() {
            if let Some(hooks) = table.get_mut("hooks") {
                removed |= remove_own(hooks, host);
            }
        }
    } else if let Some(array) = groups.as_array_mut() {
        let before = array.len();
        array.retain(|value| !is_own(&value_of(value), host));
        removed |= array.len() != before;
        for value in array.iter_mut() {
            if let Some(hooks) = value.as_inline_table_mut().and_then(|table| table.get_mut("hooks"))
                && let Some(hooks) = hooks.as_array_mut()
            {
                let before = hooks.len();
                hooks.retain(|value| !is_own(&value_of(value), host));
                removed |= hooks.len() != before;
            }
        }
    }
    removed
}

fn length(groups: &Item) -> usize {
    groups.as_array_of_tables().map_or_else(|| groups.as_array().map_or(1, Array::len), ArrayOfTables::len)
}

fn table(value: &Value) -> Table {
    let mut table = Table::new();
    for (key, value) in value.as_object().into_iter().flatten() {
        let item = match value {
            Value::Array(elements) if elements.iter().all(Value::is_object) => {
                Item::ArrayOfTables(elements.iter().map(self::table).collect())
            }
            value => Item::Value(toml_value(value)),
        };
        table.insert(key, item);
    }
    table
}

fn inline_table(value: &Value) -> InlineTable {
    value.as_object().into_iter().flatten().map(|(key, value)| (key.as_str(), toml_value(value))).collect()
}

/// What hooks are made of: texts, whole numbers, booleans, arrays, tables.
fn toml_value(value: &Value) -> toml_edit::Value {
    match value {
        Value::Null => String::new().into(),
        Value::Bool(bool) => (*bool).into(),
        Value::Number(number) => match number.as_i64() {
            Some(whole) => whole.into(),
            None => number.as_f64().unwrap_or_default().into(),
        },
        Value::String(text) => text.as_str().into(),
        Value::Array(elements) => toml_edit::Value::Array(elements.iter().map(toml_value).collect()),
        Value::Object(_) => toml_edit::Value::InlineTable(inline_table(value)),
    }
}

fn value_of_table(table: &dyn TableLike) -> Value {
    Value::Object(
        table.iter().map(|(key, item)| (key.to_owned(), value_of_item(item))).collect::<Map<_, _>>(),
    )
}

fn value_of_item(item: &Item) -> Value {
    match item {
        Item::None => Value::Null,
        Item::Value(value) => value_of(value),
        Item::Table(table) => value_of_table(table),
        Item::ArrayOfTables(tables) => {
            Value::Array(tables.iter().map(|table| value_of_table(table)).collect())
        }
    }
}

fn value_of(value: &toml_edit::Value) -> Value {
    match value {
        toml_edit::Value::String(text) => Value::from(text.value().as_str()),
        toml_edit::Value::Integer(whole) => Value::from(*whole.value()),
        toml_edit::Value::Float(float) => Number::from_f64(*float.value()).map_or(Value::Null, Value::Number),
        toml_edit::Value::Boolean(bool) => Value::Bool(*bool.value()),
        toml_edit::Value::Datetime(date) => Value::from(date.value().to_string()),
        toml_edit::Value::Array(elements) => Value::Array(elements.iter().map(value_of).collect()),
        toml_edit::Value::InlineTable(table) => value_of_table(table),
    }
}
