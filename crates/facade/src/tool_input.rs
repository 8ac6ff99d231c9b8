//! What extensions read of a tool's input. What cannot be read is a failure, and never a pass.

use crate::event::ToolCall;
use serde_json::Value;
use std::borrow::Cow;

/// An input that is not what the tool takes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the input of the tool `{tool}` needs a `{member}` that is {expected}")]
pub(crate) struct Unreadable {
    tool: String,
    member: &'static str,
    expected: &'static str,
}

fn unreadable(call: &ToolCall, member: &'static str, expected: &'static str) -> Unreadable {
    Unreadable { tool: call.tool.clone(), member, expected }
}

/// Returns a member that is text, if it is there; `null` is as good as absent.
pub(crate) fn opt_text<'c>(call: &'c ToolCall, member: &'static str) -> Result<Option<&'c str>, Unreadable> {
    match call.input.get(member) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(unreadable(call, member, "text")),
    }
}

/// Returns the command that a shell tool is given: a text, or a list of words.
pub(crate) fn command(call: &ToolCall) -> Result<Cow<'_, str>, Unreadable> {
    let fault = || unreadable(call, "command", "text without NUL, or a list of words");
    let text = match call.input.get("command") {
        Some(Value::String(text)) => Cow::Borrowed(text.as_str()),
        Some(Value::Array(words)) => {
            let words: Option<Vec<_>> = words.iter().map(|word| word.as_str().map(quoted)).collect();
            Cow::Owned(words.ok_or_else(fault)?.join(" "))
        }
        _ => return Err(fault()),
    };
    if text.contains('\0') { Err(fault()) } else { Ok(text) }
}

/// Returns a word in the single quotes of a shell.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn call(input: &Value) -> ToolCall {
        ToolCall {
            tool: "shell".to_owned(),
            input: input.as_object().unwrap().clone(),
            ..ToolCall::default()
        }
    }

    #[test]
    fn a_command_is_a_text_or_words() {
        for (input, expected) in [
            (json!({"command": "find /"}), Some("find /")),
            (json!({"command": ["bash", "-lc", "find '/'"]}), Some(r"'bash' '-lc' 'find '\''/'\'''")),
            (json!({"command": []}), Some("")),
            (json!({}), None),
            (json!({"command": 1}), None),
            (json!({"command": ["a", 1]}), None),
            (json!({"command": "a\u{0}"}), None),
        ] {
            assert_eq!(command(&call(&input)).ok().as_deref(), expected, "{input}");
        }
    }
}
