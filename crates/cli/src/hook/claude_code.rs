//! Claude Code 2.1.332: its hooks reference, and the types `PreToolUseHookInput`, `StopHookInput`, `SessionEndHookInput` and
//! `SyncHookJSONOutput` of `@anthropic-ai/claude-agent-sdk` 0.3.332.
//!
//! A decision is JSON on standard output with status 0. Status 2 blocks with the text on standard error as the reason; at `Stop`
//! it sends the agent back to work. Every other status lets the call go on.
//!
//! - `updatedInput` replaces the whole input. Without a `permissionDecision`, the host's own rules still decide.
//! - `Bash` takes `timeout` in milliseconds, at most 600,000 unless `BASH_MAX_TIMEOUT_MS` says more.
//! - Sub-agents run in the same process and session: their leases are the session's, and its `Stop` gives them back.

use super::event::{Answer, BadEvent, Call, Incoming, Moment, Verdict, call};
use super::members::Members;
use brakeline::{Host, PathRules, TimeoutMember};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::borrow::Cow;

/// The greatest timeout in seconds that `Bash` takes unless the environment says more.
const MOST_SECONDS: f64 = 600.0;

/// The host's ways.
pub(crate) fn ways(most_seconds: Option<f64>) -> Host {
    let host = Host::CLAUDE_CODE;
    let timeout =
        host.timeout.map(|timeout| TimeoutMember { most: most_seconds.or(timeout.most), ..timeout });
    host.with_timeout(timeout).with_paths(PathRules { expand_home: true, ..PathRules::LEXICAL })
}

/// Returns the greatest timeout that the host's environment allows, in seconds.
pub(crate) fn most_seconds(variable: impl Fn(&str) -> Option<String>) -> f64 {
    let seconds = |name: &str| {
        variable(name).and_then(|value| value.trim().parse::<f64>().ok()).map(|value| value / 1000.0)
    };
    let given = ["BASH_DEFAULT_TIMEOUT_MS", "BASH_MAX_TIMEOUT_MS"].into_iter().filter_map(seconds);
    given.filter(|seconds| seconds.is_finite()).fold(MOST_SECONDS, f64::max)
}

#[derive(Debug, Deserialize)]
struct Event<'a> {
    #[serde(borrow)]
    hook_event_name: Cow<'a, str>,
    #[serde(borrow, default)]
    session_id: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    cwd: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    tool_name: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    tool_input: Option<&'a RawValue>,
    #[serde(borrow, default)]
    tool_use_id: Option<Cow<'a, str>>,
}

/// Reads an event of the shape that Claude Code made common.
///
/// `before` is the name of the event before a tool runs, `settled` and `ended` are those after which leases are given back.
pub(crate) fn read_as<'a>(
    text: &'a str,
    host: &str,
    before: &str,
    settled: &[&str],
    ended: &[&str],
) -> Result<Incoming<'a>, BadEvent> {
    let event: Event<'a> = serde_json::from_str(text).map_err(|error| BadEvent::unreadable(host, &error))?;
    let moment = match &*event.hook_event_name {
        name if name == before => {
            call(event.tool_name, event.tool_use_id, event.tool_input, ["tool_name", "tool_input"])?
                .map_or(Moment::Other, Moment::Call)
        }
        name if settled.contains(&name) => Moment::Settled,
        name if ended.contains(&name) => Moment::Ended,
        _ => Moment::Other,
    };
    Ok(Incoming { session: event.session_id, cwd: event.cwd, moment })
}

pub(crate) fn read(text: &str) -> Result<Incoming<'_>, BadEvent> {
    read_as(text, "Claude Code", "PreToolUse", &["Stop"], &["SessionEnd"])
}

/// Without members: «no opinion», and the host's own rules decide.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Decision<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) hook_specific_output: Option<PreToolUse<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) system_message: Option<String>,
}

#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PreToolUse<'a> {
    pub(crate) hook_event_name: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) permission_decision: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) permission_decision_reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) updated_input: Option<Members<'a>>,
}

/// Returns the decision in the shape that Claude Code made common. `rewriting` is the decision that goes with other input.
pub(crate) fn decision<'a>(
    incoming: &Incoming<'a>,
    answer: &Answer,
    rewriting: Option<&'static str>,
) -> Result<Decision<'a>, String> {
    let output = PreToolUse { hook_event_name: "PreToolUse", ..PreToolUse::default() };
    let hook_specific_output = match (&answer.verdict, &incoming.moment) {
        (Verdict::Block { reason, .. }, _) => Some(PreToolUse {
            permission_decision: Some("deny"),
            permission_decision_reason: Some(reason.clone()),
            ..output
        }),
        (Verdict::Rewrite(changes), Moment::Call(call)) => Some(PreToolUse {
            permission_decision: rewriting,
            updated_input: Some(Call::changed(call, changes)?),
            ..output
        }),
        _ => None,
    };
    Ok(Decision { hook_specific_output, system_message: answer.notes() })
}

pub(crate) fn write(incoming: &Incoming<'_>, answer: &Answer) -> Result<String, String> {
    serde_json::to_string(&decision(incoming, answer, None)?).map_err(|error| error.to_string())
}
