//! Copilot CLI 1.0.102: GitHub's reference of hooks, `PreToolUseHookInput`, `AgentStopHookInput` and `SessionEndHookInput` of
//! `@github/copilot-sdk` 1.0.14, and what the program's own list of changes says.
//!
//! A decision is JSON on standard output with status 0. Status 2 denies (since 1.0.70), and so does any other failure (since
//! 1.0.57) but running out of time (since 1.0.67).
//!
//! - An event does not name itself: it is told by its members. `toolArgs` is the text of a JSON object, or the object.
//! - Where hooks are configured under names such as `PreToolUse`, events have the members of Claude Code's instead, and so do
//!   the answers; both are understood.
//! - `bash` takes no timeout; `modifiedArgs` replaces the whole arguments.

use super::claude_code;
use super::event::{Answer, BadEvent, Call, Incoming, Moment, Verdict};
use super::members::Members;
use brakeline::{Host, PathRules, tool_names};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::borrow::Cow;

/// The host's ways.
pub(crate) fn ways() -> Host {
    Host::COPILOT.with_paths(PathRules { expand_home: true, ..PathRules::LEXICAL })
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Event<'a> {
    #[serde(borrow, default, rename = "hook_event_name")]
    hook_event_name: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    session_id: Option<Cow<'a, str>>,
    #[serde(borrow, default, alias = "workingDirectory")]
    cwd: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    tool_name: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    tool_args: Option<&'a RawValue>,
    /// Of an event after the tool.
    #[serde(borrow, default)]
    tool_result: Option<&'a RawValue>,
    /// Of `agentStop`.
    #[serde(borrow, default)]
    stop_reason: Option<&'a RawValue>,
    /// Of `sessionEnd`.
    #[serde(borrow, default)]
    reason: Option<&'a RawValue>,
    /// Of `errorOccurred` and failures of tools.
    #[serde(borrow, default)]
    error: Option<&'a RawValue>,
}

pub(crate) fn read(text: &str) -> Result<Incoming<'_>, BadEvent> {
    let event: Event<'_> =
        serde_json::from_str(text).map_err(|error| BadEvent::unreadable("Copilot CLI", &error))?;
    if event.hook_event_name.is_some() {
        return claude_code::read_as(
            text,
            "Copilot CLI",
            "PreToolUse",
            &["Stop", "agentStop"],
            &["SessionEnd", "sessionEnd"],
        );
    }
    let moment = match event {
        Event { tool_result: Some(_), .. } | Event { error: Some(_), .. } => Moment::Other,
        Event { tool_name: Some(tool), tool_args, .. } => call(tool, tool_args)?,
        Event { stop_reason: Some(_), .. } => Moment::Settled,
        Event { reason: Some(_), .. } => Moment::Ended,
        _ => Moment::Other,
    };
    Ok(Incoming { session: event.session_id, cwd: event.cwd, moment })
}

fn call<'a>(tool: Cow<'a, str>, args: Option<&'a RawValue>) -> Result<Moment<'a>, BadEvent> {
    if tool_names::kind(&tool).is_none() {
        return Ok(Moment::Other);
    }
    let args = args.ok_or_else(|| BadEvent::missing("toolArgs"))?.get();
    let input = if args.starts_with('"') {
        serde_json::from_str::<String>(args).and_then(|text| Members::parse_owned(&text))
    } else {
        Members::parse(args)
    };
    let input = input.map_err(|error| BadEvent::input(&tool, &error))?;
    // This tool looks as well as changes.
    let views = tool == "str_replace_editor"
        && input.to_map().is_ok_and(|input| input.get("command").is_some_and(|command| command == "view"));
    Ok(if views { Moment::Other } else { Moment::Call(Call { tool, id: None, input, directory: None }) })
}

/// Without members: «no opinion».
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Told<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    permission_decision: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    permission_decision_reason: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    modified_args: Option<Members<'a>>,
}

/// Whether an event has Claude Code's members.
fn is_claude_like(text: &str) -> bool {
    serde_json::from_str::<Event<'_>>(text).is_ok_and(|event| event.hook_event_name.is_some())
}

pub(crate) fn write(text: &str, incoming: &Incoming<'_>, answer: &Answer) -> Result<String, String> {
    if is_claude_like(text) {
        return claude_code::write(incoming, answer);
    }
    let decision = match (&answer.verdict, &incoming.moment) {
        (Verdict::Block { reason, .. }, _) => Told {
            permission_decision: Some("deny"),
            permission_decision_reason: Some(reason),
            modified_args: None,
        },
        (Verdict::Rewrite(changes), Moment::Call(call)) => {
            Told { modified_args: Some(call.changed(changes)?), ..Told::default() }
        }
        _ => Told::default(),
    };
    serde_json::to_string(&decision).map_err(|error| error.to_string())
}
