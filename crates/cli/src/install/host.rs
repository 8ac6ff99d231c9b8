//! What an installation consists of, host by host: which files, and what stands in them.
//!
//! Sources: Claude Code 2.1.332 (its hooks reference and `@anthropic-ai/claude-agent-sdk` 0.3.332), Codex 0.171.0 (`hooks.json`
//! and `[hooks]` of `config.toml`), Gemini CLI 0.61.0, Cursor's hooks reference of August 2026, Copilot CLI 1.0.102, `OpenCode`
//! 1.18.33, pi 1.6.0.

use super::environment::Environment;
use clap::ValueEnum;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// The hosts that brakeline can be installed into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, ValueEnum)]
pub(crate) enum InstallHost {
    /// Hooks in `~/.claude/settings.json`
    ClaudeCode,
    /// Hooks in `~/.codex/config.toml`, or in `hooks.json` where that is in use
    Codex,
    /// Hooks in `~/.gemini/settings.json`
    GeminiCli,
    /// Hooks in `~/.cursor/hooks.json`
    Cursor,
    /// A hooks file of its own, `~/.copilot/hooks/brakeline.json`
    Copilot,
    /// A plugin, `~/.config/opencode/plugin/brakeline.js`
    #[value(name = "opencode")]
    OpenCode,
    /// The extension package, by the `packages` of `~/.pi/agent/settings.json`
    Pi,
}

/// Whose configuration is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, ValueEnum)]
pub(crate) enum Scope {
    /// The user's, for every project
    #[default]
    User,
    /// That of the project in the current directory
    Project,
}

/// What an installation needs to know beside the host.
#[derive(Clone, Debug)]
pub(crate) struct Wishes<'a> {
    pub(crate) scope: Scope,
    /// The program as the host is to call it.
    pub(crate) program: &'a str,
    /// The folder of the extension package for pi.
    pub(crate) package: Option<&'a Path>,
}

/// One file of an installation.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    pub(crate) file: PathBuf,
    pub(crate) content: Content,
}

/// What brakeline puts into a file.
#[derive(Clone, Debug)]
pub(crate) enum Content {
    /// Entries in JSON that belongs to the host or the user.
    Json(Tolerance, Vec<Entry>),
    /// Hooks in Codex's `config.toml`.
    Toml(Vec<Entry>),
    /// A whole file of brakeline's own.
    Own(String),
}

/// What a host's own reader tolerates beside strict JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tolerance {
    /// Nothing.
    Strict,
    /// Comments.
    Comments,
    /// Comments and trailing commas.
    Jsonc,
}

/// One thing to be added to a document.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Entry {
    /// A member of the array at `hooks.EVENT`.
    Hook { event: &'static str, value: Value },
    /// A text in the array at the key.
    Package { key: &'static str, folder: String },
    /// A value where the key is absent.
    Default { path: &'static [&'static str], value: Value },
}

/// Seconds that a host waits for a hook. The hook itself is bounded in steps and waits 2 s for a lock at most; beyond this the host
/// goes on as if there were no hook, so it is generous.
const PATIENCE_SECONDS: u64 = 30;

impl InstallHost {
    /// The name on the command line.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
            Self::GeminiCli => "gemini-cli",
            Self::Cursor => "cursor",
            Self::Copilot => "copilot",
            Self::OpenCode => "opencode",
            Self::Pi => "pi",
        }
    }

    /// Whether the host has no settings of brakeline itself, and no `find` tool whose judging would be enough.
    pub(crate) fn reads_own_settings(self) -> bool {
        self != Self::Pi
    }

    /// The folder that exists where the host has been used.
    pub(crate) fn folder(self, environment: &Environment) -> PathBuf {
        match self {
            Self::ClaudeCode => environment.folder_of("CLAUDE_CONFIG_DIR", ".claude"),
            Self::Codex => environment.folder_of("CODEX_HOME", ".codex"),
            Self::GeminiCli => environment.home.join(".gemini"),
            Self::Cursor => environment.home.join(".cursor"),
            Self::Copilot => environment.folder_of("COPILOT_HOME", ".copilot"),
            Self::OpenCode => environment.config.join("opencode"),
            Self::Pi => environment.folder_of("PI_CODING_AGENT_DIR", ".pi/agent"),
        }
    }

    fn project_folder(self, environment: &Environment) -> PathBuf {
        environment.cwd.join(match self {
            Self::ClaudeCode => ".claude",
            Self::Codex => ".codex",
            Self::GeminiCli => ".gemini",
            Self::Cursor => ".cursor",
            // Copilot reads a repository's hooks from `.github/hooks`.
            Self::Copilot => ".github",
            Self::OpenCode => ".opencode",
            Self::Pi => ".pi",
        })
    }

    /// What the host itself still asks of the user.
    pub(crate) fn needs_trust(self) -> bool {
        self == Self::Codex
    }

    /// Returns the host's file of an installation. `None` for pi without a package.
    pub(crate) fn target(self, environment: &Environment, wishes: &Wishes<'_>) -> Option<Target> {
        let folder = match wishes.scope {
            Scope::User => self.folder(environment),
            Scope::Project => self.project_folder(environment),
        };
        let strict = |entries| Content::Json(Tolerance::Strict, entries);
        let (file, content) = match self {
            Self::ClaudeCode => (folder.join("settings.json"), strict(self.hooks(wishes.program))),
            Self::Codex => codex_target(&folder, self.hooks(wishes.program)),
            Self::GeminiCli => {
                (folder.join("settings.json"), Content::Json(Tolerance::Comments, self.hooks(wishes.program)))
            }
            Self::Cursor => (folder.join("hooks.json"), strict(self.hooks(wishes.program))),
            Self::Copilot => {
                (folder.join("hooks/brakeline.json"), Content::Own(copilot_file(&self.hooks(wishes.program))))
            }
            Self::OpenCode => {
                (folder.join("plugin/brakeline.js"), Content::Own(opencode_plugin(wishes.program)))
            }
            Self::Pi => {
                let folder_of_package = wishes.package?.to_string_lossy().into_owned();
                let package = Entry::Package { key: "packages", folder: folder_of_package };
                (folder.join("settings.json"), strict(vec![package]))
            }
        };
        Some(Target { file, content })
    }

    /// The hooks of a host, in its own JSON.
    fn hooks(self, program: &str) -> Vec<Entry> {
        let judge = self.command(program, "|| exit 2");
        let release = self.command(program, "--on-failure allow");
        let hook = |event, value| Entry::Hook { event, value };
        match self {
            Self::ClaudeCode => {
                let group = |command: &str| json!({"type": "command", "command": command, "timeout": PATIENCE_SECONDS});
                vec![
                    hook(
                        "PreToolUse",
                        json!({"matcher": "Bash|Glob|Edit|MultiEdit|NotebookEdit|Write", "hooks": [group(&judge)]}),
                    ),
                    hook("Stop", json!({"hooks": [group(&release)]})),
                    hook("SessionEnd", json!({"hooks": [group(&release)]})),
                ]
            }
            Self::Codex => {
                let run = |command: &str, seconds: u64| json!({"type": "command", "command": command, "timeout": seconds});
                let judging = [run(&judge, PATIENCE_SECONDS)];
                vec![
                    hook("PreToolUse", json!({"matcher": "Bash|apply_patch", "hooks": judging})),
                    hook("Stop", json!({"hooks": [run(&release, PATIENCE_SECONDS)]})),
                    // Codex clamps these two to 3 s, with a warning.
                    hook("Interrupt", json!({"hooks": [run(&release, 3)]})),
                    hook("SessionEnd", json!({"hooks": [run(&release, 3)]})),
                ]
            }
            Self::GeminiCli => {
                let group = |command: &str| json!({"name": "brakeline", "type": "command", "command": command, "timeout": PATIENCE_SECONDS * 1000});
                vec![
                    hook(
                        "BeforeTool",
                        json!({"matcher": "run_shell_command|glob|write_file|replace", "hooks": [group(&judge)]}),
                    ),
                    hook("AfterAgent", json!({"hooks": [group(&release)]})),
                    hook("SessionEnd", json!({"hooks": [group(&release)]})),
                ]
            }
            Self::Cursor => vec![
                Entry::Default { path: &["version"], value: json!(1) },
                hook(
                    "preToolUse",
                    json!({"command": judge, "matcher": "Shell|Write",
                        "timeout": PATIENCE_SECONDS, "failClosed": true}),
                ),
                hook("stop", json!({"command": release, "timeout": PATIENCE_SECONDS})),
                hook("sessionEnd", json!({"command": release, "timeout": PATIENCE_SECONDS})),
            ],
            Self::Copilot => vec![
                hook(
                    "preToolUse",
                    json!({"type": "command", "bash": judge, "timeoutSec": PATIENCE_SECONDS,
                        "matcher": "bash|glob|edit|create|str_replace_editor|apply_patch"}),
                ),
                hook(
                    "agentStop",
                    json!({"type": "command", "bash": release, "timeoutSec": PATIENCE_SECONDS}),
                ),
                hook(
                    "sessionEnd",
                    json!({"type": "command", "bash": release, "timeoutSec": PATIENCE_SECONDS}),
                ),
            ],
            Self::OpenCode | Self::Pi => Vec::new(),
        }
    }

    /// The command of a hook.
    ///
    /// Hosts take every status but 2 for «go on», that of a shell which cannot find the program too: so whatever goes wrong
    /// before a tool runs becomes 2. When an agent stops, 2 would send it back to work: there a failure is only noted.
    fn command(self, program: &str, tail: &str) -> String {
        format!("{} hook {} {tail}", shell_quoted(program), self.name())
    }
}

/// `hooks.json` where hooks stand there already and none in `config.toml`: Codex warns about a layer that uses both.
fn codex_target(folder: &Path, hooks: Vec<Entry>) -> (PathBuf, Content) {
    let json = folder.join("hooks.json");
    let toml = folder.join("config.toml");
    let uses_toml = std::fs::read_to_string(&toml).is_ok_and(|text| super::toml::has_hooks(&text));
    if json.exists() && !uses_toml {
        (json, Content::Json(Tolerance::Strict, hooks))
    } else {
        (toml, Content::Toml(hooks))
    }
}

fn copilot_file(hooks: &[Entry]) -> String {
    let mut events = serde_json::Map::new();
    for hook in hooks {
        if let Entry::Hook { event, value } = hook {
            events.insert((*event).to_owned(), json!([value]));
        }
    }
    let file = json!({"version": 1, "hooks": events});
    // By the alternate form, indented as people do it.
    format!("{file:#}\n")
}

/// The plugin, with the program that it calls.
fn opencode_plugin(program: &str) -> String {
    const PLUGIN: &str = include_str!("../../opencode/brakeline.js");
    PLUGIN.replacen("\"brakeline\"", &Value::from(program).to_string(), 1)
}

/// Returns a word for a POSIX shell.
fn shell_quoted(word: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/._-+:@%,=".contains(&byte);
    if !word.is_empty() && word.bytes().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// Returns whether a command is a hook of brakeline for a host, however the program is called.
///
/// ```text
/// '/opt/my tools/brakeline' hook claude-code || exit 2
/// ```
pub(crate) fn is_own_command(command: &str, host: InstallHost) -> bool {
    program_of_own(command, host).is_some()
}

/// Returns the program that a hook of brakeline for a host calls; `None` for any other command.
pub(crate) fn program_of_own(command: &str, host: InstallHost) -> Option<String> {
    let mut analyzer = bash_commands::Analyzer::new();
    let report = analyzer.analyze(command, &bash_commands::Options::default());
    report.commands().find_map(|simple| {
        let words: Vec<_> = simple.argv().map(bash_commands::Word::text).take(3).collect();
        match words.as_slice() {
            [program, hook, name]
                if program.rsplit('/').next() == Some("brakeline")
                    && *hook == "hook"
                    && *name == host.name() =>
            {
                Some((*program).to_owned())
            }
            _ => None,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_commands_are_known_however_the_program_is_called() {
        for own in [
            "brakeline hook claude-code",
            "/usr/bin/brakeline hook claude-code || exit 2",
            "'/opt/my tools/brakeline' hook claude-code --on-failure allow",
            "LC_ALL=C brakeline hook claude-code",
            "exec brakeline hook claude-code",
        ] {
            assert!(is_own_command(own, InstallHost::ClaudeCode), "{own}");
            assert!(!is_own_command(own, InstallHost::Cursor), "{own}");
        }
        for other in
            ["", "echo brakeline hook claude-code", "my-brakeline hook claude-code", "brakeline check x"]
        {
            assert!(!is_own_command(other, InstallHost::ClaudeCode), "{other}");
        }
    }

    #[test]
    fn every_hook_that_is_installed_is_recognised_again() {
        for host in InstallHost::value_variants() {
            for program in ["brakeline", "/opt/my tools/it's/brakeline"] {
                for entry in host.hooks(program) {
                    let Entry::Hook { value, .. } = entry else { continue };
                    assert!(super::super::json::is_own(&value, *host), "{value}");
                }
            }
        }
    }
}
