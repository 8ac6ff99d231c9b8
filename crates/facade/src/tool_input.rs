//! What extensions read of a tool's input. What cannot be read is a failure, and never a pass.

use crate::event::ToolCall;

/// An input that is not what the tool takes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the input of the tool `{tool}` needs a `{member}` that is {expected}")]
pub(crate) struct Unreadable {
    tool: String,
    member: &'static str,
    expected: &'static str,
}

pub(crate) fn unreadable(call: &ToolCall, member: &'static str, expected: &'static str) -> Unreadable {
    Unreadable { tool: call.tool.clone(), member, expected }
}

/// Returns a member that is text, if it is there; `null` is as good as absent.
#[cfg(any(feature = "block-find", feature = "collision-guard"))]
pub(crate) fn opt_text<'c>(call: &'c ToolCall, member: &'static str) -> Result<Option<&'c str>, Unreadable> {
    match call.input.get(member) {
        None | Some(serde_json::Value::Null) => Ok(None),
        Some(serde_json::Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(unreadable(call, member, "text")),
    }
}
