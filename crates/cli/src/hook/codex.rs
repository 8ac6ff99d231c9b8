//! Codex 0.171.0: the JSON Schemas `pre-tool-use.command.input`, `stop.command.input`, `interrupt.command.input`,
//! `session-end.command.input` and their outputs, as the program of npm's `@openai/codex` carries them.
//!
//! A decision is JSON on standard output with status 0, of known members only. Status 2 blocks if standard error has a text.
//! Anything else (another status, JSON that does not fit, a deny without a reason) lets the call go on.
//!
//! - Every shell-like tool is called `Bash` here, with nothing but its `command`: there is no timeout that could be set.
//! - `apply_patch` carries its patch as `command`; its paths are those of the headers, below the working directory.
//! - `updatedInput` counts only beside `permissionDecision: "allow"`, which does not stand in for Codex's own approval.

use super::claude_code::{decision, read_as};
use super::event::{Answer, BadEvent, Incoming};
use brakeline::{Host, PathRules};

/// The host's ways.
pub(crate) fn ways() -> Host {
    // Codex takes `..` away before it touches a file.
    Host::CODEX.with_paths(PathRules::LEXICAL)
}

pub(crate) fn read(text: &str) -> Result<Incoming<'_>, BadEvent> {
    read_as(text, "Codex", "PreToolUse", &["Stop", "Interrupt"], &["SessionEnd"])
}

pub(crate) fn write(incoming: &Incoming<'_>, answer: &Answer) -> Result<String, String> {
    serde_json::to_string(&decision(incoming, answer, Some("allow"))?).map_err(|error| error.to_string())
}
