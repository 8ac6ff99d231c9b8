//! Prints the reference of the settings as Markdown, made from their JSON Schema.
//!
//! ```text
//! cargo run -q -p brakeline-settings --features schema --example reference > docs/settings.md
//! ```
#![expect(clippy::print_stdout, reason = "a program that prints")]

use serde_json::Value;

const HEAD: &str = "\
# Settings

Made from the types that read them by `cargo run -q -p brakeline-settings --features schema --example reference`; do not edit by hand.

A settings file is JSON; comments, trailing commas and a byte-order mark are tolerated. The keys of brakeline stand beside
those of the host and of others, which are left alone. Objects of a later file merge over an earlier one, key by key; lists
and single values replace. Where a value cannot be used, a diagnostic names the key, the value and its file, and the default
of that key is in force.

| host | files, later ones win |
|---|---|
| pi | `~/.pi/agent/settings.json`, then `.pi/settings.json` of a project that the user trusts |
| hosts without settings of their own | `$XDG_CONFIG_HOME/brakeline/settings.json` (else `~/.config/brakeline/settings.json`) |

`brakeline doctor` prints what is in force, and from which file and line it comes.
";

type Setting<'a> = (String, &'a Value);

fn main() {
    let schema = brakeline_settings::json_schema();
    print!("{HEAD}");
    for (key, section) in properties(&schema) {
        println!("\n## `{key}`\n\n{}\n", description(section));
        println!("| key | value | default | |\n|---|---|---|---|");
        for (key, setting) in leaves(key, section) {
            println!("| `{key}` | {} | {} | {} |", values(setting), default(setting), notes(setting));
        }
    }
}

/// Returns the members of an object's schema; none for anything else.
fn properties(schema: &Value) -> impl Iterator<Item = (&String, &Value)> {
    schema.get("properties").and_then(Value::as_object).into_iter().flatten()
}

/// Returns the settings at and below a key that hold a value themselves.
fn leaves<'a>(key: &str, schema: &'a Value) -> Vec<Setting<'a>> {
    let below: Vec<_> =
        properties(schema).flat_map(|(name, member)| leaves(&format!("{key}.{name}"), member)).collect();
    if below.is_empty() { vec![(key.to_owned(), schema)] } else { below }
}

fn text<'a>(schema: &'a Value, keyword: &str) -> &'a str {
    schema.get(keyword).and_then(Value::as_str).unwrap_or_default()
}

fn description(schema: &Value) -> &str {
    text(schema, "description")
}

fn choices(schema: &Value) -> &[Value] {
    schema.get("oneOf").and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn values(schema: &Value) -> String {
    let choices: Vec<_> = choices(schema).iter().filter_map(|choice| choice.get("const")).map(code).collect();
    match (choices.is_empty(), text(schema, "type")) {
        (false, _) => choices.join(", "),
        (true, "array") => {
            format!("list of {}", schema.get("items").map_or("values", |items| text(items, "type")))
        }
        (true, kind) => kind.to_owned(),
    }
}

fn default(schema: &Value) -> String {
    schema.get("default").map(code).unwrap_or_default()
}

fn code(value: &Value) -> String {
    format!("`{value}`")
}

fn notes(schema: &Value) -> String {
    let choices = choices(schema).iter().map(|choice| {
        format!("{}: {}", choice.get("const").map(code).unwrap_or_default(), description(choice))
    });
    std::iter::once(description(schema).to_owned()).chain(choices).collect::<Vec<_>>().join(" ")
}
