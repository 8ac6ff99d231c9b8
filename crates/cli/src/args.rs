//! The command line.

use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Brakes for coding agents: stops honest mistakes early and explains itself.
#[derive(Debug, Parser)]
#[command(name = "brakeline", version, arg_required_else_help = true)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands, one module each.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Judge a bash command: exit status 0 allows, 2 blocks
    Check(Check),
    /// Show what a bash command would run
    Explain(Explain),
    /// Answer one event of an agent host: JSON on standard input, the decision on standard output
    Hook(Hook),
    /// Print the last value of keys in a session file
    Session(Session),
}

/// Where a command text comes from, and where it would run.
#[derive(Args, Debug)]
pub struct Text {
    /// The bash command
    #[arg(
        value_name = "CMD",
        required_unless_present = "stdin",
        conflicts_with = "stdin",
        allow_hyphen_values = true
    )]
    pub command: Option<String>,
    /// Read the command from standard input
    #[arg(long)]
    pub stdin: bool,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub place: Place,
}

/// Where a command would run.
#[derive(Args, Debug)]
pub struct Place {
    /// Directory that the command starts in [default: the current one]
    #[arg(long, value_name = "DIR")]
    pub cwd: Option<String>,
    /// Home directory, for `~` and $HOME [default: $HOME]
    #[arg(long, value_name = "DIR")]
    pub home: Option<String>,
}

/// Which settings are in force.
#[derive(Args, Debug)]
pub struct SettingsFiles {
    /// Settings file instead of $XDG_CONFIG_HOME/brakeline/settings.json; may be repeated, later ones win
    #[arg(long = "settings", value_name = "FILE")]
    pub files: Vec<PathBuf>,
}

/// `check`
#[derive(Args, Debug)]
pub struct Check {
    #[command(flatten)]
    #[allow(missing_docs)]
    pub text: Text,
    /// Forbidden path instead of those of the settings; may be repeated
    #[arg(long, value_name = "PATH")]
    pub forbid: Vec<String>,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub settings: SettingsFiles,
    /// Answer in JSON
    #[arg(long)]
    pub json: bool,
}

/// `explain`
#[derive(Args, Debug)]
pub struct Explain {
    /// The bash command
    #[arg(value_name = "CMD", required_unless_present_any = ["stdin", "jsonl"], conflicts_with_all = ["stdin", "jsonl"], allow_hyphen_values = true)]
    pub command: Option<String>,
    /// Read the command from standard input
    #[arg(long, conflicts_with = "jsonl")]
    pub stdin: bool,
    /// Read many commands from standard input, one JSON object a line, and answer each with one line
    #[arg(long, conflicts_with = "json")]
    pub jsonl: bool,
    /// Answer in JSON
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub place: Place,
}

/// `hook`
#[derive(Args, Debug)]
pub struct Hook {
    /// The host that sends the event
    pub host: Host,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub settings: SettingsFiles,
    /// What a failure of the hook itself means for the call [default: setting brakeline.onFailure, else block]
    #[arg(long, value_name = "POLICY")]
    pub on_failure: Option<OnFailure>,
}

/// The hosts whose events are understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Host {
    /// Claude Code, event `PreToolUse`
    ClaudeCode,
}

/// The fail policy of a hook.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum OnFailure {
    /// The call is blocked (fail closed)
    #[default]
    Block,
    /// The call goes on, with a note (fail open)
    Allow,
}

/// `session`
#[derive(Args, Debug)]
pub struct Session {
    /// The session file (JSON lines)
    pub file: PathBuf,
    /// A key to look up; may be repeated
    #[arg(long = "key", value_name = "KEY", required = true)]
    pub keys: Vec<String>,
}
