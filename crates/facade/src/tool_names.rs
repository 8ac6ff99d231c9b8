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
/// The names are those of pi, Claude Code, Codex, Gemini CLI, `OpenCode` and of `brakeline-agent-tools`; no two hosts give
/// one name to tools of different kinds.
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
        "bash" | "Bash" | "run_shell_command" | "shell" => Some(ToolKind::Bash),
        "edit" | "write" | "Edit" | "MultiEdit" | "NotebookEdit" | "Write" | "replace" | "write_file"
        | "apply_patch" | "move" => Some(ToolKind::Edit),
        _ => None,
    }
}
