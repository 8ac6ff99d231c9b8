//! Gemini CLI 0.61.0: the types `BeforeToolInput`, `BeforeToolOutput`, `AfterAgentInput` and `SessionEndInput` of
//! `@google/gemini-cli-core`.
//!
//! A decision is JSON on standard output. Where that is empty, a text on standard error counts: with status 0 and 1 the call
//! goes on, with every other one it is blocked for that reason.
//!
//! - `hookSpecificOutput.tool_input` is laid over the input, member by member; the model is told which were changed.
//! - `run_shell_command` takes no timeout, and runs in `dir_path`; `glob` searches `dir_path`.

use super::claude_code::read_as;
use super::event::{Answer, BadEvent, Incoming, Moment, Verdict};
use super::members::Members;
use brakeline::Host;
use serde::Serialize;

/// The host's ways.
pub(crate) fn ways() -> Host {
    Host::GEMINI_CLI
}

pub(crate) fn read(text: &str) -> Result<Incoming<'_>, BadEvent> {
    let mut incoming = read_as(text, "Gemini CLI", "BeforeTool", &["AfterAgent"], &["SessionEnd"])?;
    if let Moment::Call(call) = &mut incoming.moment {
        // `glob` searches in `dir_path`, the shell runs there.
        call.directory = (call.tool != "glob").then_some("dir_path");
    }
    Ok(incoming)
}

#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Told<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    decision: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hook_specific_output: Option<BeforeTool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    system_message: Option<String>,
}

#[derive(Debug, Serialize)]
struct BeforeTool {
    #[serde(rename = "hookEventName")]
    hook_event_name: &'static str,
    tool_input: Members<'static>,
}

pub(crate) fn write(_: &Incoming<'_>, answer: &Answer) -> Result<String, String> {
    let mut decision = Told { system_message: answer.notes(), ..Told::default() };
    match &answer.verdict {
        Verdict::Pass => {}
        Verdict::Block { reason, .. } => {
            decision.decision = Some("deny");
            decision.reason = Some(reason);
        }
        Verdict::Rewrite(changes) => {
            let mut tool_input = Members::default();
            for (name, value) in changes.iter() {
                // A member cannot be taken away here; `null` is as good as absent to the tools.
                let value = value.cloned().unwrap_or_default();
                tool_input.set(name, &value).map_err(|error| error.to_string())?;
            }
            decision.hook_specific_output = Some(BeforeTool { hook_event_name: "BeforeTool", tool_input });
        }
    }
    serde_json::to_string(&decision).map_err(|error| error.to_string())
}
