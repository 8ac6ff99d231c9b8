//! `brakeline hook`: one event of a host in, its decision out.
//!
//! One file for each host: the only places that know its JSON. What is decided, `judge.rs` asks the engine.

mod event;
mod judge;
mod members;

mod claude_code;
mod codex;
mod copilot;
mod cursor;
mod gemini_cli;
mod opencode;

use self::event::{Answer, BadEvent, Incoming, Moment, Verdict};
use crate::Exit;
use crate::args::{Hook, Host, OnFailure};
use crate::audit::{self, Blocked};
use crate::configuration::{self, Configuration, home};
use crate::input::read_text;
use crate::message;
use crate::output::{complain, print_line};
use brakeline_settings::Language;
use std::env;
use std::io;
use std::path::Path;

pub use crate::args::Host as HookHost;
pub use judge::Situation;

/// Why there is no decision, and whether a tool waits for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// What went wrong.
    pub cause: String,
    /// Whether a tool is held up: at other moments a failure is only noted, since blocking would send the agent back to work.
    pub holds_up_a_tool: bool,
}

/// Returns the decision for one event, as the JSON that the host expects, and what people should know where the host has no
/// place for that in its JSON.
///
/// # Errors
///
/// [`Failure`] when the event cannot be read or judged. What that means for the call is the fail policy's business.
pub fn answer(
    host: HookHost,
    event: &str,
    situation: &Situation<'_>,
) -> Result<(String, Option<String>), Failure> {
    let incoming = read(host, event)?;
    let failed = |cause| Failure { cause, holds_up_a_tool: holds_up_a_tool(&incoming) };
    let answer = judge(host, &incoming, situation).map_err(failed)?;
    write(host, event, &incoming, &answer).map_err(failed)
}

impl From<BadEvent> for Failure {
    /// Which event it is cannot be told, so a tool may be waiting.
    fn from(BadEvent(cause): BadEvent) -> Self {
        Self { cause, holds_up_a_tool: true }
    }
}

fn holds_up_a_tool(incoming: &Incoming<'_>) -> bool {
    matches!(incoming.moment, Moment::Call(_))
}

fn read(host: Host, event: &str) -> Result<Incoming<'_>, BadEvent> {
    // A reader of structs takes arrays too, which no host sends.
    if !event.trim_start().starts_with('{') {
        return Err(BadEvent("the event is no JSON object".to_owned()));
    }
    match host {
        Host::ClaudeCode => claude_code::read(event),
        Host::Codex => codex::read(event),
        Host::GeminiCli => gemini_cli::read(event),
        Host::Cursor => cursor::read(event),
        Host::Copilot => copilot::read(event),
        Host::OpenCode => opencode::read(event),
    }
}

fn judge(host: Host, incoming: &Incoming<'_>, situation: &Situation<'_>) -> Result<Answer, String> {
    let ways = match host {
        Host::ClaudeCode => claude_code::ways(situation.most_seconds),
        Host::Codex => codex::ways(),
        Host::GeminiCli => gemini_cli::ways(),
        Host::Cursor => cursor::ways(),
        Host::Copilot => copilot::ways(),
        Host::OpenCode => opencode::ways(),
    };
    judge::judge(ways, host.name(), incoming, situation)
}

/// Returns the decision as JSON, and what people should know where that has no place in it.
fn write(
    host: Host,
    event: &str,
    incoming: &Incoming<'_>,
    answer: &Answer,
) -> Result<(String, Option<String>), String> {
    let decision = match host {
        Host::ClaudeCode => claude_code::write(incoming, answer),
        Host::Codex => codex::write(incoming, answer),
        Host::GeminiCli => gemini_cli::write(incoming, answer),
        Host::Cursor => cursor::write(incoming, answer),
        Host::Copilot => copilot::write(event, incoming, answer),
        Host::OpenCode => opencode::write(incoming, answer),
    }?;
    Ok((decision, answer.notes().filter(|_| !host.shows_messages())))
}

/// Puts a block into the audit log, if the settings name one. A log that cannot be written is told beside the verdict.
fn log(host: Host, incoming: &Incoming<'_>, answer: &mut Answer, setting: &str, home: Option<&str>) {
    let (Verdict::Block { by, reason }, Moment::Call(call)) = (&answer.verdict, &incoming.moment) else {
        return;
    };
    let blocked = Blocked {
        host: host.name(),
        session: incoming.session.as_deref(),
        cwd: incoming.cwd.as_deref(),
        tool: &call.tool,
        by,
        reason,
    };
    if let Err(error) = audit::append(setting, home, blocked) {
        answer.notes.push(error.to_string());
    }
}

/// What is written, and where.
#[derive(Debug)]
struct Response {
    decision: String,
    note: Option<String>,
    holds_up_a_tool: bool,
}

pub(crate) fn run(args: &Hook) -> Exit {
    let language = configuration::environment_language();
    let written = respond(args).and_then(|response| {
        if let Some(note) = &response.note {
            complain(note, Exit::Ok);
        }
        print_line(&response.decision).map_err(|error| Failure {
            cause: format!("the decision cannot be written: {error}"),
            holds_up_a_tool: response.holds_up_a_tool,
        })
    });
    written.map_or_else(|failure| fail(&failure, args, language), |()| Exit::Ok)
}

fn respond(args: &Hook) -> Result<Response, Failure> {
    let unread = |cause: String| Failure { cause, holds_up_a_tool: true };
    // The event comes first: if the settings are what fails, it says whether a tool waits.
    let event = read_text(io::stdin().lock()).map_err(|error| unread(error.to_string()))?;
    let incoming = read(args.host, &event)?;
    let holds_up_a_tool = holds_up_a_tool(&incoming);
    let failed = |cause| Failure { cause, holds_up_a_tool };
    let configuration = Configuration::load(&args.settings).map_err(|unusable| failed(unusable.message))?;
    let home = home(None);
    let situation = Situation {
        layers: &configuration.layers,
        home: home.as_deref(),
        leases: home.as_deref().map(|home| Path::new(home).join(".pi/agent/collision-guard")),
        most_seconds: (args.host == Host::ClaudeCode)
            .then(|| claude_code::most_seconds(|name| env::var(name).ok())),
        language: configuration.language,
    };
    let mut answer = judge(args.host, &incoming, &situation).map_err(failed)?;
    log(args.host, &incoming, &mut answer, &configuration.settings.brakeline.audit_log, home.as_deref());
    let (decision, note) = write(args.host, &event, &incoming, &answer).map_err(failed)?;
    Ok(Response { decision, note, holds_up_a_tool })
}

/// Says what a failure means for the call, in the host's terms.
fn fail(failure: &Failure, args: &Hook, language: Language) -> Exit {
    if failure.holds_up_a_tool && args.on_failure == OnFailure::Block {
        return complain(&message::hook_failed_closed(&failure.cause, language), Exit::Block);
    }
    let note = if failure.holds_up_a_tool {
        message::hook_failed_open(&failure.cause, language)
    } else {
        message::hook_failed_late(&failure.cause, language)
    };
    // If it cannot be written, standard error may still be read by somebody.
    let _ = print_line(&args.host.message(&note));
    complain(&note, Exit::Ok)
}

impl Host {
    /// The name on the command line.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
            Self::GeminiCli => "gemini-cli",
            Self::Cursor => "cursor",
            Self::Copilot => "copilot",
            Self::OpenCode => "opencode",
        }
    }

    /// Whether a decision can carry a message to people.
    fn shows_messages(self) -> bool {
        !matches!(self, Self::Cursor | Self::Copilot)
    }

    /// A decision without an opinion, with a message where the host shows one.
    fn message(self, text: &str) -> String {
        let member = match self {
            Self::ClaudeCode | Self::Codex | Self::GeminiCli => "systemMessage",
            Self::OpenCode => "message",
            Self::Cursor | Self::Copilot => return "{}".to_owned(),
        };
        serde_json::json!({ member: text }).to_string()
    }
}

#[cfg(test)]
mod tests;
