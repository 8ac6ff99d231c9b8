//! The command line.
//!
//! Describing the arguments of every command takes longer than judging one, so clap describes those of the command that is
//! named alone (`defer`). What it says of a command stands at its variant in [`Command`]: a doc comment on a structure of
//! arguments would take that one's place once the command is named, so those have plain comments.

use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Brakes for coding agents: stops honest mistakes early and explains itself.
#[derive(Debug, Parser)]
#[command(name = "brakeline", version, arg_required_else_help = true)]
pub(crate) struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: Command,
}

const ABOUT_HOOK: &str =
    "Answer one event of an agent host: JSON on standard input, the decision on standard output";

// The command line of `hook` alone: hosts start it before every tool call, and even the names of the other commands take time.
#[derive(Debug, Parser)]
#[command(name = "hook", bin_name = "brakeline hook", about = ABOUT_HOOK)]
pub(crate) struct HookCli {
    #[command(flatten)]
    pub(crate) hook: Hook,
}

// The commands, one module each.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub(crate) enum Command {
    /// Judge a bash command: exit status 0 allows, 2 blocks
    Check(Check),
    /// Show what a bash command would run
    Explain(Explain),
    #[command(about = ABOUT_HOOK)]
    Hook(Hook),
    /// Embed the engine in a host of any language: JSON lines on standard input and output
    Serve(crate::serve::Serve),
    /// Print the last value of keys in a session file
    Session(Session),
    /// Show who holds which file, and release a stuck one
    Collision(crate::collision::Collision),
    /// Hold files for a command of your own
    Lease(crate::lease_run::Lease),
    /// Run commands in the OS sandbox, and say what it allows and why
    Sandbox(crate::sandbox::Sandbox),
    /// Judge a bash command by the rules of sandbox.json, and check those rules
    Permissions(crate::permissions::Permissions),
    /// Run the tools of an agent
    #[cfg(feature = "tools")]
    Tools(crate::tools::Tools),
    /// Offer the tools of an agent over the Model Context Protocol, on standard input and output
    #[cfg(feature = "mcp")]
    Mcp(crate::mcp::Mcp),
    /// Install into an agent host: shows the change to its configuration, and writes it
    Install(crate::install::Install),
    /// Leave an agent host: gives its configuration back as it was
    Uninstall(crate::install::Uninstall),
    /// Show what is configured, what is in force, what is missing, and how to mend it
    Doctor(crate::doctor::Doctor),
    /// Print the JSON Schema of the settings, for editors
    Schema,
    /// Print completions for a shell
    Completions(crate::manual::Completions),
    /// Write the manual pages into a folder, or print that of the program
    Man(crate::manual::Man),
}

// Where a command text comes from, and where it would run.
#[derive(Args, Debug)]
pub(crate) struct Text {
    /// The bash command
    #[arg(
        value_name = "CMD",
        required_unless_present = "stdin",
        conflicts_with = "stdin",
        allow_hyphen_values = true
    )]
    pub(crate) command: Option<String>,
    /// Read the command from standard input
    #[arg(long)]
    pub(crate) stdin: bool,
    #[command(flatten)]
    pub(crate) place: Place,
}

// Where a command would run.
#[derive(Args, Debug)]
pub(crate) struct Place {
    /// Directory that the command starts in [default: the current one]
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<String>,
    /// Home directory, for `~` and $HOME [default: $HOME]
    #[arg(long, value_name = "DIR")]
    pub(crate) home: Option<String>,
}

// Which settings are in force.
#[derive(Args, Debug)]
pub(crate) struct SettingsFiles {
    #[expect(clippy::doc_markdown, reason = "shown as it stands by --help")]
    /// Settings file instead of $XDG_CONFIG_HOME/brakeline/settings.json; may be repeated, later ones win
    #[arg(long = "settings", value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
}

#[derive(Args, Debug)]
pub(crate) struct Check {
    #[command(flatten)]
    pub(crate) text: Text,
    /// Forbidden path instead of those of the settings; may be repeated
    #[arg(long, value_name = "PATH")]
    pub(crate) forbid: Vec<String>,
    #[command(flatten)]
    pub(crate) settings: SettingsFiles,
    /// Judge by the project's .pi/sandbox.json, too
    #[arg(long)]
    pub(crate) trust_project: bool,
    /// Answer in JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args, Debug)]
pub(crate) struct Explain {
    /// The bash command
    #[arg(value_name = "CMD", required_unless_present_any = ["stdin", "jsonl"], conflicts_with_all = ["stdin", "jsonl"], allow_hyphen_values = true)]
    pub(crate) command: Option<String>,
    /// Read the command from standard input
    #[arg(long, conflicts_with = "jsonl")]
    pub(crate) stdin: bool,
    /// Read many commands from standard input, one JSON object a line, and answer each with one line
    #[arg(long, conflicts_with = "json")]
    pub(crate) jsonl: bool,
    /// Answer in JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) place: Place,
}

#[derive(Args, Debug)]
pub(crate) struct Hook {
    /// The host that sends the event
    pub(crate) host: Host,
    #[command(flatten)]
    pub(crate) settings: SettingsFiles,
    /// What a failure of the hook itself means for the call; stands here and not in the settings, which may be what failed
    #[arg(long, value_name = "POLICY", default_value = "block")]
    pub(crate) on_failure: OnFailure,
}

/// The hosts whose events are understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Host {
    /// Claude Code: `PreToolUse`, `Stop`, `SessionEnd`
    ClaudeCode,
    /// Codex: `PreToolUse`, `Stop`, `Interrupt`, `SessionEnd`
    Codex,
    /// Gemini CLI: `BeforeTool`, `AfterAgent`, `SessionEnd`
    GeminiCli,
    /// Cursor: `preToolUse`, `beforeShellExecution`, `stop`, `sessionEnd`
    Cursor,
    /// Copilot CLI: `preToolUse`, `agentStop`, `sessionEnd`
    Copilot,
    /// `OpenCode`, by way of its plugin
    #[value(name = "opencode")]
    OpenCode,
}

/// The fail policy of a hook.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum OnFailure {
    /// The call is blocked (fail closed)
    #[default]
    Block,
    /// The call goes on, with a note (fail open)
    Allow,
}

#[derive(Args, Debug)]
pub(crate) struct Session {
    /// The session file (JSON lines)
    pub(crate) file: PathBuf,
    /// A key to look up; may be repeated
    #[arg(long = "key", value_name = "KEY", required_unless_present = "all_keys")]
    pub(crate) keys: Vec<String>,
    /// Every key that was ever written on the current branch
    #[arg(long, conflicts_with = "keys")]
    pub(crate) all_keys: bool,
    /// Print one JSON object, for programs
    #[arg(long)]
    pub(crate) json: bool,
}
