//! The events of Claude Code, as its hooks reference describes them in November 2026.
//!
//! A decision is JSON on standard output with exit status 0; status 2 blocks with the text on standard error; every other
//! status lets the call go on.

use crate::block_find::{BlockFind, Place, Verdict};
use crate::input::check_command;
use crate::message::{self, Tool};
use bash_commands::Analyzer;
use brakeline_settings::{Diagnostic, Language, Settings};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::borrow::Cow;

/// What a decision is made from, beside the event.
#[derive(Clone, Copy, Debug)]
pub struct Judge<'a> {
    /// The settings in force.
    pub settings: &'a Settings,
    /// What could not be used of them.
    pub diagnostics: &'a [Diagnostic],
    /// The absolute home directory, where it is known.
    pub home: Option<&'a str>,
    /// The language of texts.
    pub language: Language,
}

#[derive(Debug, Deserialize)]
struct Event<'a> {
    #[serde(borrow)]
    hook_event_name: Cow<'a, str>,
    #[serde(borrow, default)]
    cwd: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    tool_name: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    tool_input: Option<&'a RawValue>,
}

#[derive(Debug, Deserialize)]
struct BashInput<'a> {
    #[serde(borrow)]
    command: Cow<'a, str>,
}

#[derive(Debug, Deserialize)]
struct FindInput<'a> {
    #[serde(borrow, default)]
    path: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pattern: Option<Cow<'a, str>>,
}

/// Without members: «no opinion», and the host's own rules decide.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Decision {
    #[serde(skip_serializing_if = "Option::is_none")]
    hook_specific_output: Option<PreToolUse>,
    #[serde(skip_serializing_if = "Option::is_none")]
    system_message: Option<String>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct PreToolUse {
    hook_event_name: &'static str,
    permission_decision: &'static str,
    permission_decision_reason: String,
}

/// Returns the decision for one event, as the JSON that the host expects.
///
/// # Errors
///
/// A message that says what is wrong with the event. What that means for the call is the fail policy's business.
pub fn answer(event: &str, judge: &Judge<'_>) -> Result<String, String> {
    let event: Event<'_> = serde_json::from_str(event)
        .map_err(|error| format!("the event is not one of Claude Code: {error}"))?;
    let decision =
        if event.hook_event_name == "PreToolUse" { decide(&event, judge)? } else { Decision::default() };
    serde_json::to_string(&decision).map_err(|error| error.to_string())
}

fn decide(event: &Event<'_>, judge: &Judge<'_>) -> Result<Decision, String> {
    let name = event.tool_name.as_deref().ok_or("the event has no `tool_name`")?;
    let Some(tool) = super::tool(name) else { return Ok(Decision::default()) };
    if judge.settings.brakeline.extensions.get("block-find") == Some(&false) {
        return Ok(Decision::default());
    }
    let (guard, unusable) = BlockFind::new(&judge.settings.block_find_root, judge.home);
    let notes: Vec<_> =
        judge.diagnostics.iter().chain(&unusable).map(|diagnostic| diagnostic.text(judge.language)).collect();
    let system_message = (!notes.is_empty()).then(|| notes.join("\n"));
    if tool == Tool::Bash && !guard.blocks_bash() {
        return Ok(Decision { system_message, ..Decision::default() });
    }

    let input =
        event.tool_input.ok_or_else(|| format!("the event has no `tool_input` for the tool `{name}`"))?.get();
    let unreadable = |error| format!("the input of the tool `{name}` is not what was expected: {error}");
    let place = Place { cwd: event.cwd.as_deref().filter(|cwd| cwd.starts_with('/')), home: judge.home };
    let verdict = match tool {
        Tool::Bash => {
            let BashInput { command } = serde_json::from_str(input).map_err(unreadable)?;
            check_command(&command).map_err(|error| error.to_string())?;
            guard.judge_bash(&command, place, &mut Analyzer::new())
        }
        Tool::Find => {
            let input: FindInput<'_> = serde_json::from_str(input).map_err(unreadable)?;
            judge_glob(&guard, &input, place)
        }
    };
    let hook_specific_output = match verdict {
        Verdict::Allow => None,
        Verdict::Block(block) => Some(PreToolUse {
            hook_event_name: "PreToolUse",
            permission_decision: "deny",
            permission_decision_reason: message::block(&block, &guard, place.cwd, tool, judge.language)
                .join("\n"),
        }),
    };
    Ok(Decision { hook_specific_output, system_message })
}

/// Judges where a glob search starts: at its path, and below that at the part of the pattern before the first wildcard.
fn judge_glob(guard: &BlockFind, input: &FindInput<'_>, place: Place<'_>) -> Verdict {
    let path = input.path.as_deref().filter(|path| !path.is_empty());
    let folder = input.pattern.as_deref().and_then(fixed_folder);
    let below = match (folder, path) {
        // From the root or the home directory on, the path plays no part.
        (Some(folder), _) if folder.starts_with(['/', '~']) => {
            return guard.judge_find_tool(Some(folder), place);
        }
        (Some(folder), Some(path)) => Some(Cow::Owned(format!("{path}/{folder}"))),
        (folder, _) => folder.map(Cow::Borrowed),
    };
    match (guard.judge_find_tool(path, place), below) {
        (Verdict::Allow, Some(below)) => guard.judge_find_tool(Some(&below), place),
        (verdict, _) => verdict,
    }
}

/// Returns the folders that stand in front of a pattern's first wildcard, if there are any.
fn fixed_folder(pattern: &str) -> Option<&str> {
    let fixed = pattern.split(['*', '?', '[', '{']).next().unwrap_or_default();
    match fixed.rfind('/') {
        None => None,
        Some(0) => Some("/"),
        Some(at) => fixed.get(..at),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use brakeline_settings::{HostLimits, read_settings};
    use serde_json::{Value, json};

    fn decide(settings: &Value, event: &Value) -> Result<Value, String> {
        let reading = read_settings(settings, HostLimits::default());
        let judge = Judge {
            settings: &reading.settings,
            diagnostics: &reading.diagnostics,
            home: Some("/home/ada"),
            language: Language::En,
        };
        answer(&event.to_string(), &judge).map(|text| serde_json::from_str(&text).unwrap())
    }

    fn call(tool: &str, input: &Value) -> Value {
        json!({"session_id": "s", "transcript_path": "/t", "cwd": "/home/ada/project", "permission_mode": "default",
            "hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": input, "tool_use_id": "u"})
    }

    fn is_denied(decision: &Value) -> bool {
        decision.pointer("/hookSpecificOutput/permissionDecision") == Some(&json!("deny"))
    }

    #[test]
    fn bash_is_judged_only_where_the_settings_say_so() {
        let event = call("Bash", &json!({"command": "sudo timeout 1 find / -name aaa", "timeout": 5000}));
        assert_eq!(decide(&json!({}), &event), Ok(json!({})));
        let decision = decide(&json!({"blockFindRoot": {"blockBash": true}}), &event).unwrap();
        assert_eq!(
            decision,
            json!({"hookSpecificOutput": {
                "hookEventName": "PreToolUse",
                "permissionDecision": "deny",
                "permissionDecisionReason": "bash may not run find in / (rule: /)\n\
                    Allowed instead: the same search under the working directory /home/ada/project, such as find . -name …",
            }})
        );
    }

    #[test]
    fn glob_is_judged_by_its_path_and_by_the_folders_of_its_pattern() {
        let settings = json!({"blockFindRoot": {"forbiddenPaths": ["/", "/etc"]}});
        for (input, denied) in [
            (json!({"pattern": "**/*.rs"}), false),
            (json!({"pattern": "**/*.rs", "path": "/"}), true),
            (json!({"pattern": "home/**", "path": "/"}), true),
            (json!({"pattern": "*", "path": "/etc/ssl"}), true),
            (json!({"pattern": "/etc/**/*.conf"}), true),
            (json!({"pattern": "/**/*.conf"}), true),
            (json!({"pattern": "/*.conf", "path": "src"}), true),
            (json!({"pattern": "/home/ada/**"}), false),
            (json!({"pattern": "../../../**/x"}), true),
            (json!({"pattern": "../**/x"}), false),
            (json!({"pattern": "../*", "path": "/home"}), true),
            (json!({"pattern": "src/*", "path": ""}), false),
        ] {
            let decision = decide(&settings, &call("Glob", &input)).unwrap();
            assert_eq!(is_denied(&decision), denied, "{input}");
        }
    }

    #[test]
    fn other_events_and_tools_pass() {
        let settings = json!({"blockFindRoot": {"blockBash": true}});
        let mut event = call("Bash", &json!({"command": "find /"}));
        event["hook_event_name"] = json!("PostToolUse");
        assert_eq!(decide(&settings, &event), Ok(json!({})));
        assert_eq!(
            decide(&settings, &json!({"hook_event_name": "SessionStart", "source": "startup"})),
            Ok(json!({}))
        );
        assert_eq!(decide(&settings, &call("Read", &json!({"file_path": "/etc/passwd"}))), Ok(json!({})));
    }

    #[test]
    fn what_cannot_be_judged_is_an_error_and_never_a_pass() {
        let settings = json!({"blockFindRoot": {"blockBash": true}});
        for event in [
            json!([]),
            json!({}),
            json!({"hook_event_name": "PreToolUse"}),
            json!({"hook_event_name": "PreToolUse", "tool_name": "Bash"}),
            call("Bash", &json!({})),
            call("Bash", &json!({"command": ["find", "/"]})),
            call("Bash", &json!({"command": "find /\u{0}"})),
            call("Glob", &json!({"path": 1})),
            call("Glob", &json!(null)),
        ] {
            assert!(decide(&settings, &event).is_err(), "{event}");
        }
    }

    #[test]
    fn unusable_settings_are_said_and_the_rest_is_obeyed() {
        let settings = json!({"blockFindRoot": {"forbiddenPaths": ["etc", "/srv"]}});
        let decision = decide(&settings, &call("Glob", &json!({"pattern": "*", "path": "/srv"}))).unwrap();
        assert!(is_denied(&decision));
        assert!(
            decision["systemMessage"].as_str().unwrap().contains("blockFindRoot.forbiddenPaths"),
            "{decision}"
        );
        assert!(is_denied(&decide(&settings, &call("Glob", &json!({"pattern": "*", "path": "/"}))).unwrap()));
    }

    #[test]
    fn the_extension_can_be_switched_off() {
        let settings = json!({"brakeline": {"extensions": {"block-find": false}}});
        assert_eq!(decide(&settings, &call("Glob", &json!({"pattern": "*", "path": "/"}))), Ok(json!({})));
    }
}
