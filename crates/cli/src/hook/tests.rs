//! Events of each host as it sends them, with the decision that it is to read: `tests/hooks/HOST.json`.

use super::*;
use crate::args::Host;
use brakeline_settings::{Layer, Layers, Source};
use clap::ValueEnum;
use proptest::prelude::*;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tempfile::TempDir;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Golden {
    /// Which host, in which version.
    #[serde(rename = "about")]
    _about: String,
    cases: Vec<Case>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    settings: Option<Map<String, Value>>,
    event: Value,
    decision: Value,
}

fn golden(host: Host) -> Golden {
    let text = match host {
        Host::ClaudeCode => include_str!("../../tests/hooks/claude-code.json"),
        Host::Codex => include_str!("../../tests/hooks/codex.json"),
        Host::GeminiCli => include_str!("../../tests/hooks/gemini-cli.json"),
        Host::Cursor => include_str!("../../tests/hooks/cursor.json"),
        Host::Copilot => include_str!("../../tests/hooks/copilot.json"),
        Host::OpenCode => include_str!("../../tests/hooks/opencode.json"),
    };
    serde_json::from_str(text).unwrap()
}

fn layers(settings: &Value) -> Layers {
    Layers::new([Layer::from_members(Source::Override, settings.as_object().unwrap().clone())])
}

fn blocking() -> Value {
    json!({"blockFindRoot": {"blockBash": true}})
}

fn ask(host: Host, event: &str, settings: &Value, state: &TempDir) -> Result<Value, Failure> {
    let layers = layers(settings);
    let situation = Situation {
        layers: &layers,
        home: Some("/home/ada"),
        leases: Some(state.path().join("claims")),
        most_seconds: None,
        language: Language::En,
    };
    answer(host, event, &situation).map(|(decision, _)| serde_json::from_str(&decision).unwrap())
}

#[test]
fn each_host_is_answered_in_its_own_terms() {
    let state = tempfile::tempdir().unwrap();
    for host in Host::value_variants() {
        for case in golden(*host).cases {
            let settings = case.settings.map_or_else(blocking, Value::Object);
            let event = case.event.to_string();
            let layers = layers(&settings);
            let situation = Situation {
                layers: &layers,
                home: Some("/home/ada"),
                leases: Some(state.path().join("claims")),
                most_seconds: None,
                language: Language::En,
            };
            let (decision, _) = answer(*host, &event, &situation).unwrap();
            // Compared as text: order counts in what is handed back.
            assert_eq!(decision, case.decision.to_string(), "{}: {}", host.name(), case.name);
        }
    }
    assert!(!state.path().join("claims").exists(), "looking and releasing create nothing");
}

/// An event of each host before an edit of this file.
fn edit(host: Host, file: &str) -> Value {
    let patch = format!("*** Begin Patch\n*** Update File: {file}\n@@\n-a\n+b\n*** End Patch");
    match host {
        Host::ClaudeCode => {
            json!({"hook_event_name": "PreToolUse", "session_id": "s", "cwd": "/", "tool_name": "Edit",
            "tool_input": {"file_path": file, "old_string": "a", "new_string": "b"}, "tool_use_id": "u"})
        }
        Host::Codex => {
            json!({"hook_event_name": "PreToolUse", "session_id": "s", "cwd": "/", "tool_name": "apply_patch",
            "tool_input": {"command": patch}, "tool_use_id": "u"})
        }
        Host::GeminiCli => {
            json!({"hook_event_name": "BeforeTool", "session_id": "s", "cwd": "/", "tool_name": "write_file",
            "tool_input": {"file_path": file, "content": "b"}})
        }
        Host::Cursor => {
            json!({"hook_event_name": "preToolUse", "conversation_id": "s", "cwd": "/", "tool_name": "Write",
            "tool_input": {"file_path": file, "content": "b"}})
        }
        Host::Copilot => json!({"sessionId": "s", "cwd": "/", "toolName": "edit",
            "toolArgs": json!({"path": file, "file_text": "b"}).to_string()}),
        Host::OpenCode => {
            json!({"hook_event_name": "tool.execute.before", "session_id": "s", "cwd": "/", "tool_name": "edit",
            "tool_input": {"filePath": file, "oldString": "a", "newString": "b"}})
        }
    }
}

#[test]
fn an_edit_without_a_claims_folder_is_blocked() {
    for host in Host::value_variants() {
        let layers = layers(&json!({}));
        let situation = Situation {
            layers: &layers,
            home: None,
            leases: None,
            most_seconds: None,
            language: Language::En,
        };
        let (decision, _) = answer(*host, &edit(*host, "/srv/a").to_string(), &situation).unwrap();
        assert!(decision.contains("Collision guard blocked"), "{}: {decision}", host.name());
    }
}

#[test]
fn what_cannot_be_judged_is_a_failure_that_holds_up_its_tool() {
    let state = tempfile::tempdir().unwrap();
    for host in Host::value_variants() {
        for text in ["", "[]", "null", "{\"hook_event_name\": 1, \"toolName\": 1}", "{\"hook_event_name\""] {
            let failure = ask(*host, text, &blocking(), &state).unwrap_err();
            assert!(failure.holds_up_a_tool, "{} {text}", host.name());
        }
        // A tool's event with a member gone, or of another kind.
        let event = edit(*host, "/srv/a");
        let input = ["tool_input", "toolArgs"].into_iter().find(|name| event.get(name).is_some()).unwrap();
        for value in [None, Some(json!(null)), Some(json!(1)), Some(json!([]))] {
            let mut event = event.clone();
            match value {
                None => _ = event.as_object_mut().unwrap().remove(input),
                Some(value) => event[input] = value,
            }
            let failure = ask(*host, &event.to_string(), &blocking(), &state).unwrap_err();
            assert!(failure.holds_up_a_tool, "{}: {event}", host.name());
        }
        // An edit of no file is blocked, not passed.
        let mut nowhere = event.clone();
        nowhere[input] = if *host == Host::Copilot { json!("{}") } else { json!({}) };
        let decision = ask(*host, &nowhere.to_string(), &blocking(), &state).unwrap();
        assert!(decision.to_string().contains("Collision guard blocked"), "{}: {decision}", host.name());
    }
}

#[test]
fn a_command_that_no_shell_could_run_is_blocked() {
    let state = tempfile::tempdir().unwrap();
    for input in [json!({}), json!({"command": 1}), json!({"command": "find /\u{0}"})] {
        let event =
            json!({"hook_event_name": "PreToolUse", "cwd": "/srv", "tool_name": "Bash", "tool_input": input});
        let decision = ask(Host::ClaudeCode, &event.to_string(), &blocking(), &state).unwrap();
        assert_eq!(decision["hookSpecificOutput"]["permissionDecision"], "deny", "{event}: {decision}");
    }
}

#[test]
fn unusable_settings_are_said_and_the_rest_is_obeyed() {
    let state = tempfile::tempdir().unwrap();
    let settings = json!({"blockFindRoot": {"forbiddenPaths": ["etc", "/srv"]}});
    for path in ["/srv", "/"] {
        let event = json!({"hook_event_name": "PreToolUse", "cwd": "/home/ada", "tool_name": "Glob",
            "tool_input": {"pattern": "*", "path": path}});
        let decision = ask(Host::ClaudeCode, &event.to_string(), &settings, &state).unwrap();
        assert_eq!(decision["hookSpecificOutput"]["permissionDecision"], "deny", "{decision}");
        assert!(
            decision["systemMessage"].as_str().unwrap().contains("blockFindRoot.forbiddenPaths"),
            "{decision}"
        );
    }
}

#[test]
fn the_hosts_own_environment_says_how_long_a_command_may_run() {
    let most = |variables: &[(&str, &str)]| {
        claude_code::most_seconds(|name| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        })
    };
    for (variables, expected) in [
        (&[][..], 600.0),
        (&[("BASH_MAX_TIMEOUT_MS", "1800000")], 1800.0),
        (&[("BASH_MAX_TIMEOUT_MS", "1000")], 600.0),
        (&[("BASH_DEFAULT_TIMEOUT_MS", "900000")], 900.0),
        (&[("BASH_MAX_TIMEOUT_MS", "forever")], 600.0),
        (&[("BASH_MAX_TIMEOUT_MS", "inf")], 600.0),
    ] {
        assert!((most(variables) - expected).abs() < f64::EPSILON, "{variables:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_is_added_to_a_call_comes_back_as_it_was(
        extra in prop::collection::btree_map("[a-z]{1,6}", "[ -~]{0,12}", 0..5),
        number in prop::num::f64::NORMAL,
    ) {
        let state = tempfile::tempdir().unwrap();
        let mut input = json!({"command": "make", "x-number": number});
        for (name, value) in &extra {
            if name != "timeout" && name != "command" {
                input[name] = json!(value);
            }
        }
        let event = json!({"hook_event_name": "PreToolUse", "cwd": "/srv", "tool_name": "Bash", "tool_input": input});
        let layers = layers(&json!({}));
        let situation = Situation {
            layers: &layers,
            home: Some("/home/ada"),
            leases: Some(state.path().join("claims")),
            most_seconds: None,
            language: Language::En,
        };
        let (decision, _) = answer(Host::ClaudeCode, &event.to_string(), &situation).unwrap();
        // As text, digits of numbers included.
        let before = input.to_string();
        let expected = format!("{},\"timeout\":120000}}", before.strip_suffix('}').unwrap());
        prop_assert!(decision.contains(&expected), "{}", decision);
    }
}
