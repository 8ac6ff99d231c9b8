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

/// Returns the paths that a call would change, as they are written.
pub(crate) fn edited_paths(call: &ToolCall) -> Result<Vec<&str>, Unreadable> {
    match call.tool.as_str() {
        "apply_patch" => patched_paths(call),
        "move" => {
            let fault = |member| move || unreadable(call, member, "text");
            let from = opt_text(call, "path")?.ok_or_else(fault("path"))?;
            let to = opt_text(call, "newPath")?.ok_or_else(fault("newPath"))?;
            // A move to there deletes.
            Ok(if to == "/dev/null" { vec![from] } else { vec![from, to] })
        }
        _ => {
            // pi; Claude Code and Gemini CLI; OpenCode; Claude Code's notebooks.
            for member in ["path", "file_path", "filePath", "notebook_path"] {
                if let Some(path) = opt_text(call, member)? {
                    return Ok(vec![path]);
                }
            }
            Err(unreadable(call, "path", "text"))
        }
    }
}

/// Returns the paths that stand in the headers of a patch in the format of Codex's `apply_patch`.
fn patched_paths(call: &ToolCall) -> Result<Vec<&str>, Unreadable> {
    const HEADERS: [&str; 4] = ["*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: "];
    let fault = || unreadable(call, "patch", "a patch that names files");
    let texts =
        ["input", "patch", "patchText", "command"].into_iter().filter_map(|member| call.input.get(member));
    let patch = texts.flat_map(|text| match text {
        Value::Array(words) => words.as_slice(),
        text => std::slice::from_ref(text),
    });
    let lines = patch.filter_map(Value::as_str).flat_map(str::lines).map(str::trim);
    let paths: Vec<_> = lines
        .filter_map(|line| HEADERS.iter().find_map(|header| line.strip_prefix(header)))
        .map(str::trim)
        .filter(|path| !path.is_empty())
        .collect();
    if paths.is_empty() { Err(fault()) } else { Ok(paths) }
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

    #[test]
    fn the_paths_of_an_edit_are_those_of_its_host() {
        let paths = |tool: &str, input: &Value| {
            let call = ToolCall { tool: tool.to_owned(), ..call(input) };
            edited_paths(&call).ok().map(|paths| paths.join(" "))
        };
        let patch = "*** Begin Patch\n*** Update File: a.rs\n*** Move to: b.rs\n@@\n-x\n+*** Add File: no\n*** Add File: c\n*** End Patch";
        for (tool, input, expected) in [
            ("edit", json!({"path": "a"}), Some("a")),
            ("Edit", json!({"file_path": "/a"}), Some("/a")),
            ("write", json!({"filePath": "a"}), Some("a")),
            ("NotebookEdit", json!({"notebook_path": "/n"}), Some("/n")),
            ("move", json!({"path": "a", "newPath": "b"}), Some("a b")),
            ("move", json!({"path": "a", "newPath": "/dev/null"}), Some("a")),
            ("move", json!({"path": "a"}), None),
            ("apply_patch", json!({"input": patch}), Some("a.rs b.rs c")),
            ("apply_patch", json!({"command": ["apply_patch", patch]}), Some("a.rs b.rs c")),
            ("apply_patch", json!({"patchText": "nothing"}), None),
            ("edit", json!({}), None),
            ("edit", json!({"path": ["a"]}), None),
        ] {
            assert_eq!(paths(tool, &input).as_deref(), expected, "{tool} {input}");
        }
    }
}
