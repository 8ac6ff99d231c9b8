//! Cursor: its hooks reference of August 2026, and the readers of answers in `@cursor/sdk` 1.0.18.
//!
//! A decision is JSON on standard output with status 0; an empty one is a failure. Status 2 denies. Any other failure lets the
//! call go on, unless the hook is configured with `failClosed`, as `brakeline install cursor` does.
//!
//! - `preToolUse` calls its tools `Shell` and `Write` (of whatever kind the edit is, with `file_path`); there is no search tool.
//! - `beforeShellExecution` has the command itself. Both are understood; installed is the first alone.
//! - `Shell` runs in `working_directory`, and takes no timeout that a hook could set.

use super::event::{Answer, BadEvent, Call, Incoming, Moment, Verdict, call};
use super::members::Members;
use brakeline::Host;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::borrow::Cow;

/// The host's ways.
pub(crate) fn ways() -> Host {
    Host::CURSOR
}

#[derive(Debug, Deserialize)]
struct Event<'a> {
    #[serde(borrow)]
    hook_event_name: Cow<'a, str>,
    #[serde(borrow, default)]
    conversation_id: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    session_id: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    cwd: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    workspace_roots: Vec<Cow<'a, str>>,
    #[serde(borrow, default)]
    tool_name: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    tool_input: Option<&'a RawValue>,
    #[serde(borrow, default)]
    tool_use_id: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    command: Option<&'a RawValue>,
}

pub(crate) fn read(text: &str) -> Result<Incoming<'_>, BadEvent> {
    let event: Event<'_> =
        serde_json::from_str(text).map_err(|error| BadEvent::unreadable("Cursor", &error))?;
    let moment = match &*event.hook_event_name {
        "preToolUse" => {
            let call =
                call(event.tool_name, event.tool_use_id, event.tool_input, ["tool_name", "tool_input"])?;
            call.map_or(Moment::Other, |call| {
                Moment::Call(Call { directory: Some("working_directory"), ..call })
            })
        }
        "beforeShellExecution" => {
            let command = event.command.ok_or_else(|| BadEvent::missing("command"))?;
            Moment::Call(shell(command).map_err(|error| BadEvent::input("Shell", &error))?)
        }
        "stop" => Moment::Settled,
        "sessionEnd" => Moment::Ended,
        _ => Moment::Other,
    };
    let cwd = event.cwd.filter(|cwd| !cwd.is_empty()).or_else(|| event.workspace_roots.into_iter().next());
    Ok(Incoming { session: event.conversation_id.or(event.session_id), cwd, moment })
}

/// The call of the shell tool that a command stands for.
fn shell(command: &RawValue) -> serde_json::Result<Call<'static>> {
    let mut input = Members::default();
    input.set("command", &serde_json::from_str(command.get())?)?;
    Ok(Call { tool: Cow::Borrowed("Shell"), id: None, input, directory: None })
}

/// Without members: «no opinion».
#[derive(Debug, Default, Serialize)]
struct Decision<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    permission: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    user_message: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    agent_message: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    updated_input: Option<Members<'a>>,
}

pub(crate) fn write(incoming: &Incoming<'_>, answer: &Answer) -> Result<String, String> {
    let decision = match (&answer.verdict, &incoming.moment) {
        (Verdict::Block { reason, .. }, _) => Decision {
            permission: Some("deny"),
            // People see the sentence, the agent the advice too.
            user_message: reason.lines().next(),
            agent_message: Some(reason),
            updated_input: None,
        },
        (Verdict::Rewrite(changes), Moment::Call(call)) => {
            Decision { updated_input: Some(call.changed(changes)?), ..Decision::default() }
        }
        _ => Decision::default(),
    };
    serde_json::to_string(&decision).map_err(|error| error.to_string())
}
