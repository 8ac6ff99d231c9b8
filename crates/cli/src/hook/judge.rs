//! The same engine for every host: a moment goes in, an answer comes out.

use super::event::{Answer, Call, Incoming, Moment, Verdict};
use crate::guards::Project;
use crate::message::printable;
use brakeline::tool_names::{ToolKind, kind};
use brakeline::{
    AgentSettled, Builder, Effect, Engine, Host, LeaseOwner, Leases, NoUi, Outcome, SessionShutdown,
    SessionView, Setup, ToolCall,
};
use brakeline_settings::{Language, Layers, Trust};
use std::path::PathBuf;

/// What an answer is made from, beside the event.
#[derive(Clone, Debug)]
pub struct Situation<'a> {
    /// The settings in force.
    pub layers: &'a Layers,
    /// The absolute home directory, where it is known.
    pub home: Option<&'a str>,
    /// The folder of the claims; without one, edits are blocked.
    pub leases: Option<PathBuf>,
    /// The greatest timeout in seconds that the host's shell tool takes, where it takes one.
    pub most_seconds: Option<f64>,
    /// The language of texts.
    pub language: Language,
}

/// Returns what to answer.
///
/// # Errors
///
/// If there is no engine, or the input of the tool cannot be read.
pub(crate) fn judge(
    host: Host,
    name: &str,
    incoming: &Incoming<'_>,
    situation: &Situation<'_>,
) -> Result<Answer, String> {
    let other = matches!(incoming.moment, Moment::Other);
    if other {
        return Ok(Answer::default());
    }
    let mut engine = engine(host, name, incoming, situation)?;
    match &incoming.moment {
        Moment::Call(call) => tool_call(&mut engine, call, incoming, situation.language),
        Moment::Settled => {
            let settled = AgentSettled { aborted: false };
            Ok(notes(&engine.handle_with(settled, SessionView::default(), &mut NoUi)))
        }
        Moment::Ended => {
            let ended = SessionShutdown { reason: "quit".to_owned() };
            Ok(notes(&engine.handle_with(ended, SessionView::default(), &mut NoUi)))
        }
        Moment::Other => Ok(Answer::default()),
    }
}

fn engine(
    host: Host,
    name: &str,
    incoming: &Incoming<'_>,
    situation: &Situation<'_>,
) -> Result<Engine, String> {
    let session = incoming.session.as_deref().filter(|session| !session.is_empty()).unwrap_or(name);
    let mut setup = Setup::new(session);
    setup.cwd = incoming.cwd.as_deref().filter(|cwd| cwd.starts_with('/')).map(str::to_owned);
    setup.home = situation.home.map(str::to_owned);
    setup.host = host;
    setup.language = situation.language;
    let builder = Builder::new(setup).layers(situation.layers);
    // The claims are the agent's: this process is gone when the tool runs.
    let builder = match &situation.leases {
        Some(folder) => builder.leases(Leases::in_folder(folder).owned_by(LeaseOwner::Agent)),
        None => builder,
    };
    let builder = match &incoming.moment {
        Moment::Call(call) if kind(&call.tool) == Some(ToolKind::Bash) => {
            // A hook is not told whether the project is trusted, so what the project says of itself does not count.
            let cwd = incoming.cwd.as_deref().filter(|cwd| cwd.starts_with('/'));
            let project = Project { home: situation.home, cwd, agent_dir: None, trust: Trust::Untrusted };
            project.guard(builder, situation.language)?
        }
        _ => builder,
    };
    builder.built_ins().build(Trust::Trusted).map_err(|error| error.to_string())
}

fn tool_call(
    engine: &mut Engine,
    call: &Call<'_>,
    incoming: &Incoming<'_>,
    language: Language,
) -> Result<Answer, String> {
    let input = call.input.to_map().map_err(|error| {
        format!("the input of the tool `{}` cannot be read: {error}", printable(&call.tool))
    })?;
    let directory = call.directory.and_then(|member| input.get(member)?.as_str());
    let directory = directory.filter(|directory| !directory.is_empty()).map(|directory| {
        let cwd = incoming.cwd.as_deref().unwrap_or_default();
        if directory.starts_with('/') { directory.to_owned() } else { format!("{cwd}/{directory}") }
    });
    let event = ToolCall {
        tool: call.tool.clone().into_owned(),
        id: call.id.clone().unwrap_or_default().into_owned(),
        parent: None,
        input,
    };
    let view = SessionView { cwd: directory.as_deref(), ..SessionView::default() };
    let outcome = engine.handle_with(event, view, &mut NoUi);
    let mut answer = notes(&outcome);
    answer.notes.extend(engine.diagnostics().iter().map(|diagnostic| diagnostic.text(language)));
    answer.verdict = match outcome.decision.verdict {
        brakeline::Verdict::Block(block) => Verdict::Block { by: block.by, reason: block.reason },
        brakeline::Verdict::Allow if outcome.decision.changes.is_empty() => Verdict::Pass,
        brakeline::Verdict::Allow => Verdict::Rewrite(outcome.decision.changes),
    };
    Ok(answer)
}

/// What people should know of an outcome.
fn notes<D>(outcome: &Outcome<D>) -> Answer {
    let told = outcome.effects.iter().filter_map(|effect| match effect {
        Effect::Notify { message, .. } => Some(message.clone()),
        _ => None,
    });
    let failed = outcome.reports.iter().map(|report| format!("{}: {}", report.extension, report.message));
    Answer { verdict: Verdict::Pass, notes: told.chain(failed).collect() }
}
