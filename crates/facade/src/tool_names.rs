//! Tools by the names that hosts give them: one table.

/// What a tool does, as far as an extension cares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ToolKind {
    /// Looks for files below a directory.
    Find,
    /// Runs a shell command.
    Bash,
    /// Changes files.
    Edit,
}

/// Returns what the tool with this name does; `None` for one that no extension cares about.
///
/// The names are those of pi, Claude Code, Codex, Gemini CLI, Cursor, Copilot, `OpenCode` and of `brakeline-agent-tools`; no
/// two hosts give one name to tools of different kinds.
///
/// ```
/// use brakeline::tool_names::{ToolKind, kind};
///
/// assert_eq!(kind("Glob"), Some(ToolKind::Find));
/// assert_eq!(kind("run_shell_command"), Some(ToolKind::Bash));
/// assert_eq!(kind("read"), None);
/// ```
#[must_use]
pub fn kind(name: &str) -> Option<ToolKind> {
    match name {
        "find" | "Glob" | "glob" => Some(ToolKind::Find),
        "bash" | "Bash" | "run_shell_command" | "shell" | "Shell" | "exec_command" | "local_shell" => {
            Some(ToolKind::Bash)
        }
        // pi and `brakeline-agent-tools`
        "edit" | "write" | "move"
        // Claude Code
        | "Edit" | "MultiEdit" | "NotebookEdit" | "Write"
        // Codex, Gemini CLI
        | "apply_patch" | "replace" | "write_file"
        // Copilot, Cursor, OpenCode
        | "create" | "str_replace_editor" | "StrReplace" | "EditNotebook" | "patch" | "multiedit" => {
            Some(ToolKind::Edit)
        }
        _ => None,
    }
}
