//! Which files a tool call would change.

use crate::event::ToolCall;
use crate::tool_input::{Unreadable, opt_text, unreadable};
use serde_json::Value;

/// Where hosts put a path: pi, Copilot; Claude Code, Gemini CLI; `OpenCode`; notebooks; Cursor.
const PATHS: [&str; 6] = ["path", "file_path", "filePath", "notebook_path", "target_file", "target_notebook"];
/// Where hosts put a patch.
const PATCHES: [&str; 4] = ["input", "patch", "patchText", "command"];

/// Returns the paths that a call would change, as they are written.
pub(crate) fn edited_paths(call: &ToolCall) -> Result<Vec<&str>, Unreadable> {
    match call.tool.as_str() {
        // These names are too common to be one host's: without the members of its tool, it is another tool.
        "create" | "move" | "patch" if !has_paths(call) => Ok(vec![]),
        "apply_patch" | "patch" => patched_paths(call),
        "move" => {
            let fault = |member| move || unreadable(call, member, "text");
            let from = opt_text(call, "path")?.ok_or_else(fault("path"))?;
            let to = opt_text(call, "newPath")?.ok_or_else(fault("newPath"))?;
            // A move to there deletes.
            Ok(if to == "/dev/null" { vec![from] } else { vec![from, to] })
        }
        _ => {
            for member in ["path", "file_path", "filePath", "notebook_path", "target_file", "target_notebook"]
            {
                if let Some(path) = opt_text(call, member)? {
                    return Ok(vec![path]);
                }
            }
            Err(unreadable(call, "path", "text"))
        }
    }
}

fn has_paths(call: &ToolCall) -> bool {
    PATHS.iter().chain(&PATCHES).any(|member| call.input.contains_key(*member))
}

/// Returns the paths that stand in the headers of a patch in the format of Codex's `apply_patch`.
fn patched_paths(call: &ToolCall) -> Result<Vec<&str>, Unreadable> {
    const HEADERS: [&str; 4] = ["*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: "];
    let fault = || unreadable(call, "patch", "a patch that names files");
    let texts = PATCHES.into_iter().filter_map(|member| call.input.get(member));
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

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_paths_of_an_edit_are_those_of_its_host() {
        let paths = |tool: &str, input: &Value| {
            let input = input.as_object().unwrap().clone();
            let call = ToolCall { tool: tool.to_owned(), input, ..ToolCall::default() };
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
            ("move", json!({"from": "a", "to": "b"}), Some("")),
            ("create", json!({"title": "an issue"}), Some("")),
            ("create", json!({"path": "a"}), Some("a")),
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
