//! Which command a shell tool is given.

use crate::event::ToolCall;
use crate::tool_input::{Unreadable, unreadable};
use serde_json::Value;
use std::borrow::Cow;

/// Returns the member of a shell tool's input that holds the command: `cmd` for Codex's `exec_command`.
pub(crate) fn member(call: &ToolCall) -> &'static str {
    if call.input.contains_key("cmd") && !call.input.contains_key("command") { "cmd" } else { "command" }
}

/// Returns the command that a shell tool is given: a text, or a list of words.
pub(crate) fn command(call: &ToolCall) -> Result<Cow<'_, str>, Unreadable> {
    let fault = || unreadable(call, "command", "text without NUL, or a list of words");
    let text = match call.input.get(member(call)) {
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
            (json!({"cmd": "ls"}), Some("ls")),
            (json!({}), None),
            (json!({"command": 1}), None),
            (json!({"command": ["a", 1]}), None),
            (json!({"command": "a\u{0}"}), None),
        ] {
            assert_eq!(command(&call(&input)).ok().as_deref(), expected, "{input}");
        }
    }
}
