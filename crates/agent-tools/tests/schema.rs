//! The schemas: every parameter is described in both languages, and what they say is what is read.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::needless_pass_by_value,
    reason = "a test may stop at the first surprise"
)]
#![cfg(all(feature = "schema", feature = "webfetch", feature = "astgrep", feature = "grep"))]

mod common;

use brakeline_agent_tools::{Language, Tool};
use serde_json::{Value, json};

#[test]
fn every_tool_and_parameter_is_described_in_both_languages() {
    for tool in Tool::ALL {
        let (zh, en) = (tool.description(Language::ZhCn), tool.description(Language::En));
        assert!(!zh.is_ascii() && en.is_ascii(), "{}", tool.name());
        described(tool.name(), &tool.parameters(Language::ZhCn), &tool.parameters(Language::En));
    }
}

fn described(tool: &str, zh: &Value, en: &Value) {
    let Some(properties) = en["properties"].as_object() else { return };
    for (name, property) in properties {
        let words = |schema: &Value| {
            schema["properties"][name]["description"].as_str().unwrap_or_default().to_owned()
        };
        let (in_zh, in_en) = (words(zh), words(en));
        assert!(
            !in_en.is_empty() && in_zh != in_en && !in_zh.is_ascii() || in_zh.contains("URL"),
            "{tool}: {name}"
        );
        described(tool, &zh["properties"][name]["items"], &property["items"]);
    }
}

#[test]
fn the_seeds_parameters_and_nothing_a_host_cannot_read() {
    let names = |tool: &str| -> Vec<String> {
        let schema = Tool::named(tool).unwrap().parameters(Language::En);
        assert_eq!(schema["type"], "object");
        let mut names: Vec<String> = schema["properties"].as_object().unwrap().keys().cloned().collect();
        names.sort();
        names
    };
    assert_eq!(names("read"), ["column", "limit", "offset", "path"]);
    assert_eq!(names("grep"), ["context", "glob", "ignoreCase", "limit", "literal", "path", "pattern"]);
    assert_eq!(names("edit"), ["edits", "path"]);
    assert_eq!(names("write"), ["content", "path"]);
    assert_eq!(names("move"), ["newPath", "path"]);
    assert_eq!(names("find"), ["limit", "path", "pattern"]);
    assert_eq!(names("bash"), ["command", "timeout"]);
    assert_eq!(names("astgrep"), ["lang", "path", "pattern"]);
    assert_eq!(names("astedit"), ["lang", "path", "pattern", "rewrite"]);
    assert_eq!(names("webfetch"), ["format", "maxBytes", "timeout", "url"]);
    let schema = Tool::WebFetch.parameters(Language::En);
    assert_eq!(schema["properties"]["format"]["enum"], json!(["auto", "html", "json", "markdown"]));
    for tool in Tool::ALL {
        for schema in [tool.parameters(Language::En), tool.result()] {
            let text = schema.to_string();
            assert!(
                !text.contains("uint64") && !text.contains("$ref") && !text.contains("$schema"),
                "{text}"
            );
        }
        assert!(!tool.parameters(Language::En).to_string().contains("\"null\""), "{}", tool.name());
    }
}

#[test]
fn null_is_read_as_left_out() {
    let folder = common::Folder::new();
    folder.put("a.txt", "x\n");
    assert_eq!(folder.say("read", json!({ "path": "a.txt", "offset": null, "limit": null })), "x\n");
    let said = folder.say("read", json!({ "path": 7 }));
    assert_eq!(
        said,
        "error: the parameters of `read` cannot be used: invalid type: integer `7`, expected a string"
    );
}
