//! What an extension is: handlers of events, commands and tools.

use crate::boundary::{Proposal, ProposalChange};
use crate::configuration::Configuration;
use crate::decision::{BashResult, Changes, ResultChanges, ToolOutput};
use crate::diagnostic::Problem;
use crate::effect::{CustomMessage, Effect, Level};
use crate::event::{
    AgentEnd, AgentSettled, AgentStart, BeforeAgentStart, BeforeSettle, CommandRun, EventKind, Input,
    ModelContext, ProjectTrust, ProviderRequest, SessionShutdown, SessionStart, ToolCall, ToolResult,
    ToolRun, TurnEnd, UserBash,
};
use crate::locale::Language;
use crate::question::{Answer, Question};
use crate::session::SessionView;
use serde_json::Value;
use std::fmt;

/// A unit that handles events of a host. Every method has a default that does nothing.
///
/// A handler fails when it returns an error or panics; what that means depends on the event, and stands at each method.
/// Effects are handed to [`Context::effect`], and are kept even if the handler fails later.
///
/// ```
/// use brakeline::{Context, Extension, Stop, ToolCall, ToolCallAnswer};
///
/// struct NoForce;
///
/// impl Extension for NoForce {
///     fn tool_call(&mut self, call: &ToolCall, _: &mut Context<'_>) -> Result<ToolCallAnswer, Stop> {
///         let command = call.input.get("command").and_then(|command| command.as_str());
///         Ok(match command {
///             Some(command) if command.contains("push --force") => ToolCallAnswer::block("no force pushes here"),
///             _ => ToolCallAnswer::Pass,
///         })
///     }
/// }
/// ```
///
/// # Questions
///
/// [`Context::ask`] asks the user. The first time it returns an error, which the handler passes on with `?`; the engine then
/// gives the question to the host. With the answer the handler runs again **from its start**, and `ask` returns what was
/// answered. So a handler asks first and acts afterwards; what it did to itself before it asked is done again.
#[expect(unused_variables, reason = "the names tell implementors what is handed over")]
pub trait Extension: Send {
    /// Takes up the configuration: once before any event, and again whenever the settings change.
    ///
    /// May take its time: no event comes before it has returned. Returns what of the configuration cannot be used.
    ///
    /// # Errors
    ///
    /// If the extension cannot work at all: then there is no engine. For changed settings a failure is reported.
    fn configure(&mut self, configuration: &Configuration) -> Result<Vec<Problem>, Stop> {
        Ok(Vec::new())
    }

    /// The kinds of event that this extension handles; it may be asked about others all the same.
    fn events(&self) -> &[EventKind] {
        &EventKind::ALL
    }

    /// Tells whether this extension reads an entry of the session.
    fn reads_entry(&self, entry: &Value) -> bool {
        true
    }

    /// The commands of this extension.
    fn commands(&self, language: Language) -> Vec<CommandSpec> {
        Vec::new()
    }

    /// The tools of this extension, offered or not.
    fn tools(&self, language: Language) -> Vec<ToolSpec> {
        Vec::new()
    }

    /// Tells whether the model is offered a tool of this extension in a session that stands as `view`.
    fn offers(&self, tool: &str, view: SessionView<'_>, configuration: &Configuration) -> bool {
        true
    }

    /// A session starts.
    ///
    /// # Errors
    ///
    /// A failure is reported.
    fn session_start(&mut self, event: &SessionStart, context: &mut Context<'_>) -> Result<(), Stop> {
        Ok(())
    }

    /// A run starts.
    ///
    /// # Errors
    ///
    /// A failure is reported.
    fn agent_start(&mut self, event: &AgentStart, context: &mut Context<'_>) -> Result<(), Stop> {
        Ok(())
    }

    /// A run ended.
    ///
    /// # Errors
    ///
    /// A failure is reported.
    fn agent_end(&mut self, event: &AgentEnd, context: &mut Context<'_>) -> Result<(), Stop> {
        Ok(())
    }

    /// The agent has come to rest.
    ///
    /// # Errors
    ///
    /// A failure is reported.
    fn agent_settled(&mut self, event: &AgentSettled, context: &mut Context<'_>) -> Result<(), Stop> {
        Ok(())
    }

    /// A session ends.
    ///
    /// # Errors
    ///
    /// A failure is reported.
    fn session_shutdown(&mut self, event: &SessionShutdown, context: &mut Context<'_>) -> Result<(), Stop> {
        Ok(())
    }

    /// Says whether a project is trusted; `None` leaves it to others. Only asked of the user's own extensions and those of
    /// the command line.
    ///
    /// # Errors
    ///
    /// A failure is reported, and the next one is asked.
    fn project_trust(
        &mut self,
        event: &ProjectTrust,
        context: &mut Context<'_>,
    ) -> Result<Option<bool>, Stop> {
        Ok(None)
    }

    /// A person sent a text.
    ///
    /// # Errors
    ///
    /// A failure is reported.
    fn input(&mut self, event: &Input, context: &mut Context<'_>) -> Result<InputAnswer, Stop> {
        Ok(InputAnswer::Pass)
    }

    /// A tool is about to run.
    ///
    /// # Errors
    ///
    /// A failure blocks the call: fail closed.
    fn tool_call(&mut self, call: &ToolCall, context: &mut Context<'_>) -> Result<ToolCallAnswer, Stop> {
        Ok(ToolCallAnswer::Pass)
    }

    /// A command that a person typed is about to run; a result takes its place.
    ///
    /// # Errors
    ///
    /// A failure stops the command.
    fn user_bash(&mut self, event: &UserBash, context: &mut Context<'_>) -> Result<Option<BashResult>, Stop> {
        Ok(None)
    }

    /// A tool has run.
    ///
    /// # Errors
    ///
    /// A failure is reported, and the result stays as it was.
    fn tool_result(&mut self, result: &ToolResult, context: &mut Context<'_>) -> Result<ResultChanges, Stop> {
        Ok(ResultChanges::default())
    }

    /// A run is about to start.
    ///
    /// # Errors
    ///
    /// A failure is reported.
    fn before_agent_start(
        &mut self,
        event: &BeforeAgentStart,
        context: &mut Context<'_>,
    ) -> Result<AgentStartAnswer, Stop> {
        Ok(AgentStartAnswer::default())
    }

    /// Messages are about to be sent to the model; others may take their place.
    ///
    /// # Errors
    ///
    /// A failure is reported.
    fn model_context(
        &mut self,
        event: &ModelContext,
        context: &mut Context<'_>,
    ) -> Result<Option<Vec<Value>>, Stop> {
        Ok(None)
    }

    /// A request is about to be sent to a provider; another body may take the place of its own.
    ///
    /// # Errors
    ///
    /// A failure is reported.
    fn provider_request(
        &mut self,
        event: &ProviderRequest,
        context: &mut Context<'_>,
    ) -> Result<Option<Value>, Stop> {
        Ok(None)
    }

    /// A turn is complete.
    ///
    /// # Errors
    ///
    /// A failure is reported, and the proposal stays as it was.
    fn turn_end(
        &mut self,
        event: &TurnEnd,
        proposal: &Proposal,
        context: &mut Context<'_>,
    ) -> Result<ProposalChange, Stop> {
        Ok(ProposalChange::default())
    }

    /// The agent is about to settle.
    ///
    /// # Errors
    ///
    /// A failure is reported, and the proposal stays as it was.
    fn before_settle(
        &mut self,
        event: &BeforeSettle,
        proposal: &Proposal,
        context: &mut Context<'_>,
    ) -> Result<ProposalChange, Stop> {
        Ok(ProposalChange::default())
    }

    /// One of this extension's [`commands`](Self::commands) was given.
    ///
    /// # Errors
    ///
    /// A failure is what the user gets to read.
    fn run_command(&mut self, run: &CommandRun, context: &mut Context<'_>) -> Result<(), Stop> {
        Ok(())
    }

    /// One of this extension's [`tools`](Self::tools) runs.
    ///
    /// # Errors
    ///
    /// A failure is what the model gets to read, as a failed result.
    fn run_tool(&mut self, run: &ToolRun, context: &mut Context<'_>) -> Result<ToolOutput, Stop> {
        Ok(ToolOutput::error(format!("the tool `{}` does nothing", run.name)))
    }
}

/// A command that a person can give.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandSpec {
    /// Its name, without the slash.
    pub name: String,
    /// What it is for.
    pub description: String,
}

/// A tool that the model can call.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolSpec {
    /// Its name.
    pub name: String,
    /// What it is for, for the model to read.
    pub description: String,
    /// The JSON Schema of its arguments.
    pub parameters: Value,
    /// Whether a batch with a call of it runs one call after the other.
    pub sequential: bool,
}

/// What a handler makes of a text that a person sent.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum InputAnswer {
    /// It goes on.
    #[default]
    Pass,
    /// It goes on, rewritten.
    Rewrite {
        /// The new text.
        text: String,
        /// The new images; `None`: as they were.
        images: Option<Vec<Value>>,
    },
    /// The handler took care of it: nothing goes on.
    Handled,
}

/// What a handler makes of a tool call.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum ToolCallAnswer {
    /// It goes on.
    #[default]
    Pass,
    /// It goes on with other arguments.
    Rewrite(Changes),
    /// The tool does not run.
    Block {
        /// Why, in words for the model.
        reason: String,
        /// Whether the run ends, if every call of the batch says so.
        terminate: bool,
        /// Why, as data.
        details: Option<Value>,
    },
}

impl ToolCallAnswer {
    /// Blocks the call, and lets the run go on.
    #[must_use]
    pub fn block(reason: impl Into<String>) -> Self {
        Self::Block { reason: reason.into(), terminate: false, details: None }
    }
}

/// What a handler adds before a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AgentStartAnswer {
    /// A message to store before the prompt.
    pub message: Option<CustomMessage>,
    /// A system prompt in place of the one so far.
    pub system_prompt: Option<String>,
}

/// Why a handler returns without an answer: it failed, or it waits for one itself.
///
/// Any error turns into a failure by `?`.
#[derive(Debug)]
pub struct Stop(pub(crate) Why);

#[derive(Debug, thiserror::Error)]
pub(crate) enum Why {
    #[error("{0}")]
    Failed(String),
    /// An error only where nobody can answer: while an extension is set up, or told that it is switched off.
    #[error("it asks `{0}`, but nobody can answer now")]
    Asked(String),
}

/// A question on its way to the user, and what its handler wants to be told with the answer.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) question: Question,
    memo: String,
}

/// A question that came back.
#[derive(Clone, Debug)]
pub(crate) struct Answered {
    pub(crate) asked: Asked,
    pub(crate) answer: Answer,
}

impl Stop {
    /// A failure, for this reason.
    #[must_use]
    pub fn failure(reason: impl fmt::Display) -> Self {
        Self(Why::Failed(reason.to_string()))
    }
}

impl<E: std::error::Error> From<E> for Stop {
    fn from(error: E) -> Self {
        Self::failure(error)
    }
}

/// What a handler works with beside its event.
#[derive(Debug)]
pub struct Context<'a> {
    configuration: &'a Configuration,
    view: SessionView<'a>,
    answers: &'a [Answered],
    taken: usize,
    effects: Vec<Effect>,
    asked: Option<Asked>,
}

impl<'a> Context<'a> {
    pub(crate) fn new(
        configuration: &'a Configuration,
        view: SessionView<'a>,
        answers: &'a [Answered],
    ) -> Self {
        Self { configuration, view, answers, taken: 0, effects: Vec::new(), asked: None }
    }

    /// Returns the settings, and what else is fixed for the session.
    #[must_use]
    pub fn configuration(&self) -> &'a Configuration {
        self.configuration
    }

    /// Returns the session as it stands.
    #[must_use]
    pub fn view(&self) -> SessionView<'a> {
        self.view
    }

    /// Returns the absolute working directory, where it is known.
    #[must_use]
    pub fn cwd(&self) -> Option<&'a str> {
        self.view.cwd.or(self.configuration.setup().cwd.as_deref())
    }

    /// Returns the language of texts.
    #[must_use]
    pub fn language(&self) -> Language {
        self.configuration.setup().language
    }

    /// Wants something done, after what was wanted before.
    pub fn effect(&mut self, effect: Effect) {
        self.effects.push(effect);
    }

    /// Wants the user told something.
    pub fn notify(&mut self, level: Level, message: impl Into<String>) {
        self.effect(Effect::Notify { level, message: message.into() });
    }

    /// Asks the user. See [`Extension`](Extension#questions).
    ///
    /// # Errors
    ///
    /// While there is no answer: to be passed on. Or if the host gives an answer that does not fit the question.
    pub fn ask(&mut self, question: Question) -> Result<Answer, Stop> {
        self.ask_about(question, String::new()).map(|(answer, _)| answer)
    }

    /// Asks the user about something that may change meanwhile: returns the memo that was given when the question was put,
    /// not the one that the handler gives when it runs again.
    ///
    /// # Errors
    ///
    /// As [`ask`](Self::ask).
    pub fn ask_about(
        &mut self,
        question: Question,
        memo: impl Into<String>,
    ) -> Result<(Answer, &'a str), Stop> {
        let Some(Answered { asked, answer }) = self.answers.get(self.taken) else {
            let title = question.title().to_owned();
            self.asked = Some(Asked { question, memo: memo.into() });
            return Err(Stop(Why::Asked(title)));
        };
        self.taken += 1;
        asked.question.check(answer)?;
        Ok((answer.clone(), &asked.memo))
    }

    /// Returns the question that waits for an answer, and what is to be done.
    pub(crate) fn into_parts(self) -> (Option<Asked>, Vec<Effect>) {
        (self.asked, self.effects)
    }
}
