//! `brakeline hook`: one event of a host in, its decision out.
//!
//! One file for each host: the only place that knows its JSON.

mod claude_code;

use crate::args::{Hook, Host, OnFailure};
use crate::configuration::{Configuration, home};
use crate::input::read_text;
use crate::message::{self, Tool};
use crate::output::{complain, print_line};
use crate::{Exit, configuration};
use std::io;

pub use claude_code::{Judge, answer};

/// The tools that are judged, by the names that hosts give them.
pub(crate) fn tool(name: &str) -> Option<Tool> {
    match name {
        "find" | "Glob" | "glob" => Some(Tool::Find),
        "bash" | "Bash" | "run_shell_command" | "shell" => Some(Tool::Bash),
        _ => None,
    }
}

pub(crate) fn run(args: &Hook) -> Exit {
    let policy = args.on_failure;
    let language = configuration::environment_language();
    match decide(args) {
        Ok(decision) => match print_line(&decision) {
            Ok(()) => Exit::Ok,
            Err(error) => fail(&format!("the decision cannot be written: {error}"), policy, language),
        },
        Err(cause) => fail(&cause, policy, language),
    }
}

fn decide(args: &Hook) -> Result<String, String> {
    let configuration = Configuration::load(&args.settings).map_err(|unusable| unusable.message)?;
    let event = read_text(io::stdin().lock()).map_err(|error| error.to_string())?;
    let home = home(None);
    match args.host {
        Host::ClaudeCode => answer(
            &event,
            &Judge {
                settings: &configuration.settings,
                diagnostics: &configuration.diagnostics,
                home: home.as_deref(),
                language: configuration.language,
            },
        ),
    }
}

fn fail(cause: &str, policy: OnFailure, language: brakeline_settings::Language) -> Exit {
    match policy {
        OnFailure::Block => complain(&message::hook_failed_closed(cause, language), Exit::Block),
        OnFailure::Allow => {
            let note = message::hook_failed_open(cause, language);
            // The host shows this text; if it cannot be written, standard error may still be read by somebody.
            let _ = print_line(&serde_json::json!({"systemMessage": note}).to_string());
            complain(&note, Exit::Ok)
        }
    }
}
