//! How the answers to one kind of event combine: for each kind, what is done with an answer, with a failure, and at the end.

use crate::boundary::{Draft, Proposal, ProposalChange, Unusable, check_continuation, check_entries};
use crate::configuration::Configuration;
use crate::decision::{
    AgentStartDecision, Block, Changes, CommandDecision, InputDecision, Report, ResultChanges,
    ToolCallDecision, ToolOutput, TrustDecision, UserBashDecision, Verdict,
};
use crate::event::{
    AgentEnd, AgentSettled, AgentStart, BeforeAgentStart, BeforeSettle, CommandRun, EventKind, Input,
    ModelContext, ProjectTrust, ProviderRequest, SessionShutdown, SessionStart, ToolCall, ToolResult,
    ToolRun, TurnEnd, UserBash,
};
use crate::extension::{Context, Extension, InputAnswer, Stop, ToolCallAnswer};
use crate::loaded::Loaded;
use crate::session::Branch;
use crate::text;
use serde_json::Value;
use std::fmt;

/// A kind of event. Sealed: hosts hand the types of this crate to [`Engine::handle`](crate::Engine::handle).
#[expect(private_bounds, reason = "sealed")]
pub trait Event: Compose {
    /// What comes of it.
    type Decision: fmt::Debug + Send + 'static;
}

macro_rules! events {
    ($($event:ty => $decision:ty,)*) => {
        $(impl Event for $event {
            type Decision = $decision;
        })*
    };
}

events! {
    SessionStart => (),
    AgentStart => (),
    AgentEnd => (),
    AgentSettled => (),
    SessionShutdown => (),
    ProjectTrust => Option<TrustDecision>,
    Input => InputDecision,
    ToolCall => ToolCallDecision,
    UserBash => UserBashDecision,
    ToolResult => ResultChanges,
    BeforeAgentStart => AgentStartDecision,
    ModelContext => Option<Vec<Value>>,
    ProviderRequest => Option<Value>,
    TurnEnd => Proposal,
    BeforeSettle => Proposal,
    CommandRun => CommandDecision,
    ToolRun => ToolOutput,
}

/// Whether the next extension is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flow {
    Next,
    Stop,
}

/// The extension that is asked.
pub(crate) struct Handler<'a> {
    pub(crate) name: &'a str,
    pub(crate) extension: &'a mut dyn Extension,
}

/// How the answers to one kind of event combine.
pub(crate) trait Compose: fmt::Debug + Sized + Send + 'static {
    /// What the answers so far come to.
    type Folded: Default + fmt::Debug + Send + 'static;
    /// Which kind it is.
    const KIND: EventKind;
    /// Whether it is the first event that an engine gets to see.
    const STARTS_SESSION: bool = false;

    /// Whether an extension is asked at all.
    fn concerns(&self, _: &Loaded) -> bool {
        true
    }

    /// Asks an extension, and takes its answer up: the event may change for those after it.
    fn offer(
        &mut self,
        folded: &mut Self::Folded,
        handler: Handler<'_>,
        context: &mut Context<'_>,
    ) -> Result<Flow, Stop>;

    /// Takes up that an extension failed. That it is reported goes without saying.
    fn fail(&self, _: &mut Self::Folded, _: &str, _: &str, _: &Configuration) -> Flow {
        Flow::Next
    }

    /// Returns what is wrong with the answers so far.
    fn judge(&self, _: &Self::Folded, _: Branch<'_>) -> Option<Unusable> {
        None
    }

    /// Returns what comes of it.
    fn decide(self, folded: Self::Folded, branch: Branch<'_>, reports: &mut Vec<Report>) -> Self::Decision
    where
        Self: Event;
}

/// A notification: everybody hears it, whoever fails.
macro_rules! notification {
    ($event:ident, $handler:ident $(, $starts:literal)?) => {
        impl Compose for $event {
            type Folded = ();
            const KIND: EventKind = EventKind::$event;
            $(const STARTS_SESSION: bool = $starts;)?

            fn offer(&mut self, (): &mut (), handler: Handler<'_>, context: &mut Context<'_>) -> Result<Flow, Stop> {
                handler.extension.$handler(self, context).map(|()| Flow::Next)
            }

            fn decide(self, (): (), _: Branch<'_>, _: &mut Vec<Report>) {}
        }
    };
}

notification!(SessionStart, session_start, true);
notification!(AgentStart, agent_start);
notification!(AgentEnd, agent_end);
notification!(AgentSettled, agent_settled);
notification!(SessionShutdown, session_shutdown);

/// The first yes or no owns the decision.
impl Compose for ProjectTrust {
    type Folded = Option<TrustDecision>;
    const KIND: EventKind = EventKind::ProjectTrust;

    fn concerns(&self, loaded: &Loaded) -> bool {
        loaded.slot.decides_on_trust()
    }

    fn offer(
        &mut self,
        decision: &mut Self::Folded,
        handler: Handler<'_>,
        context: &mut Context<'_>,
    ) -> Result<Flow, Stop> {
        let Some(trusted) = handler.extension.project_trust(self, context)? else { return Ok(Flow::Next) };
        *decision = Some(TrustDecision { trusted, by: handler.name.to_owned() });
        Ok(Flow::Stop)
    }

    fn decide(self, decision: Self::Folded, _: Branch<'_>, _: &mut Vec<Report>) -> Option<TrustDecision> {
        decision
    }
}

/// A rewrite is what the next one sees; who handles it ends the chain.
impl Compose for Input {
    type Folded = Option<String>;
    const KIND: EventKind = EventKind::Input;

    fn offer(
        &mut self,
        handled_by: &mut Self::Folded,
        handler: Handler<'_>,
        context: &mut Context<'_>,
    ) -> Result<Flow, Stop> {
        match handler.extension.input(self, context)? {
            InputAnswer::Pass => {}
            InputAnswer::Rewrite { text, images } => {
                self.text = text;
                self.images = images.unwrap_or_else(|| std::mem::take(&mut self.images));
            }
            InputAnswer::Handled => {
                *handled_by = Some(handler.name.to_owned());
                return Ok(Flow::Stop);
            }
        }
        Ok(Flow::Next)
    }

    fn decide(self, handled_by: Self::Folded, _: Branch<'_>, _: &mut Vec<Report>) -> InputDecision {
        handled_by.map_or_else(|| InputDecision::Continue(self), |by| InputDecision::Handled { by })
    }
}

/// A rewrite is what the next one sees; the first block ends the chain, and a failure is a block.
impl Compose for ToolCall {
    type Folded = (Changes, Option<Block>);
    const KIND: EventKind = EventKind::ToolCall;

    fn offer(
        &mut self,
        (changes, block): &mut Self::Folded,
        handler: Handler<'_>,
        context: &mut Context<'_>,
    ) -> Result<Flow, Stop> {
        match handler.extension.tool_call(self, context)? {
            ToolCallAnswer::Pass => Ok(Flow::Next),
            ToolCallAnswer::Rewrite(more) => {
                more.apply(&mut self.input);
                changes.extend(more);
                Ok(Flow::Next)
            }
            ToolCallAnswer::Block { reason, terminate, details } => {
                *block = Some(Block { by: handler.name.to_owned(), reason, terminate, details });
                Ok(Flow::Stop)
            }
        }
    }

    fn fail(
        &self,
        (_, block): &mut Self::Folded,
        by: &str,
        message: &str,
        configuration: &Configuration,
    ) -> Flow {
        let reason = text::call_blocked_by_failure(by, message, configuration.setup().language);
        *block = Some(Block { by: by.to_owned(), reason, terminate: false, details: None });
        Flow::Stop
    }

    fn decide(self, (changes, block): Self::Folded, _: Branch<'_>, _: &mut Vec<Report>) -> ToolCallDecision {
        ToolCallDecision { input: self.input, changes, verdict: block.map_or(Verdict::Allow, Verdict::Block) }
    }
}

/// The first that intercepts ends the chain; a failure stops the command.
impl Compose for UserBash {
    type Folded = Option<UserBashDecision>;
    const KIND: EventKind = EventKind::UserBash;

    fn offer(
        &mut self,
        decision: &mut Self::Folded,
        handler: Handler<'_>,
        context: &mut Context<'_>,
    ) -> Result<Flow, Stop> {
        let Some(result) = handler.extension.user_bash(self, context)? else { return Ok(Flow::Next) };
        *decision = Some(UserBashDecision::Intercepted { by: handler.name.to_owned(), result });
        Ok(Flow::Stop)
    }

    fn fail(
        &self,
        decision: &mut Self::Folded,
        by: &str,
        message: &str,
        configuration: &Configuration,
    ) -> Flow {
        let reason = text::command_stopped_by_failure(by, message, configuration.setup().language);
        *decision = Some(UserBashDecision::Stopped { by: by.to_owned(), reason });
        Flow::Stop
    }

    fn decide(self, decision: Self::Folded, _: Branch<'_>, _: &mut Vec<Report>) -> UserBashDecision {
        decision.unwrap_or(UserBashDecision::Run)
    }
}

/// What is present replaces, and the next one sees it.
impl Compose for ToolResult {
    type Folded = ResultChanges;
    const KIND: EventKind = EventKind::ToolResult;

    fn offer(
        &mut self,
        changes: &mut ResultChanges,
        handler: Handler<'_>,
        context: &mut Context<'_>,
    ) -> Result<Flow, Stop> {
        let more = handler.extension.tool_result(self, context)?.without_stale_data();
        more.apply(self);
        changes.extend(more);
        Ok(Flow::Next)
    }

    fn decide(self, changes: ResultChanges, _: Branch<'_>, _: &mut Vec<Report>) -> ResultChanges {
        changes
    }
}

/// Messages add up; the system prompt is what the next one sees.
impl Compose for BeforeAgentStart {
    type Folded = AgentStartDecision;
    const KIND: EventKind = EventKind::BeforeAgentStart;

    fn offer(
        &mut self,
        decision: &mut AgentStartDecision,
        handler: Handler<'_>,
        context: &mut Context<'_>,
    ) -> Result<Flow, Stop> {
        let answer = handler.extension.before_agent_start(self, context)?;
        decision.messages.extend(answer.message);
        if let Some(system_prompt) = answer.system_prompt {
            self.system_prompt.clone_from(&system_prompt);
            decision.system_prompt = Some(system_prompt);
        }
        Ok(Flow::Next)
    }

    fn decide(self, decision: AgentStartDecision, _: Branch<'_>, _: &mut Vec<Report>) -> AgentStartDecision {
        decision
    }
}

/// Messages in place of the ones so far are what the next one sees.
impl Compose for ModelContext {
    /// Whether they were replaced.
    type Folded = bool;
    const KIND: EventKind = EventKind::ModelContext;

    fn offer(
        &mut self,
        replaced: &mut bool,
        handler: Handler<'_>,
        context: &mut Context<'_>,
    ) -> Result<Flow, Stop> {
        if let Some(messages) = handler.extension.model_context(self, context)? {
            (self.messages, *replaced) = (messages, true);
        }
        Ok(Flow::Next)
    }

    fn decide(self, replaced: bool, _: Branch<'_>, _: &mut Vec<Report>) -> Option<Vec<Value>> {
        replaced.then_some(self.messages)
    }
}

/// A payload in place of the one so far is what the next one sees.
impl Compose for ProviderRequest {
    /// Whether it was replaced.
    type Folded = bool;
    const KIND: EventKind = EventKind::ProviderRequest;

    fn offer(
        &mut self,
        replaced: &mut bool,
        handler: Handler<'_>,
        context: &mut Context<'_>,
    ) -> Result<Flow, Stop> {
        if let Some(payload) = handler.extension.provider_request(self, context)? {
            (self.payload, *replaced) = (payload, true);
        }
        Ok(Flow::Next)
    }

    fn decide(self, replaced: bool, _: Branch<'_>, _: &mut Vec<Report>) -> Option<Value> {
        replaced.then_some(self.payload)
    }
}

/// The next one sees the entries and the decision proposed so far, and may replace either; what stands after the last one
/// counts, and counts only if it is good.
macro_rules! boundary {
    ($event:ident, $handler:ident) => {
        impl Compose for $event {
            /// The proposal, and who wanted to go on.
            type Folded = (Proposal, String);
            const KIND: EventKind = EventKind::$event;

            fn offer(
                &mut self,
                (proposal, continued_by): &mut Self::Folded,
                handler: Handler<'_>,
                context: &mut Context<'_>,
            ) -> Result<Flow, Stop> {
                let ProposalChange { entries, continues } =
                    handler.extension.$handler(self, proposal, context)?;
                if let Some(entries) = entries {
                    proposal.entries = entries;
                }
                if let Some(continues) = continues {
                    proposal.continues = continues;
                    handler.name.clone_into(continued_by);
                }
                Ok(Flow::Next)
            }

            fn judge(&self, (proposal, _): &Self::Folded, branch: Branch<'_>) -> Option<Unusable> {
                check_entries(&proposal.entries, branch).err()
            }

            fn decide(
                self,
                (proposal, continued_by): Self::Folded,
                branch: Branch<'_>,
                reports: &mut Vec<Report>,
            ) -> Proposal {
                let (proposal, unusable) = settle(proposal, branch, self.runnable);
                reports.extend(unusable.map(|unusable| Report {
                    extension: continued_by,
                    event: EventKind::$event.name(),
                    message: unusable.to_string(),
                }));
                proposal
            }
        }
    };
}

boundary!(TurnEnd, turn_end);
boundary!(BeforeSettle, before_settle);

/// Returns what of a proposal counts, and why it does not go on though it was to.
fn settle(mut proposal: Proposal, branch: Branch<'_>, runnable: bool) -> (Proposal, Option<Unusable>) {
    if check_entries(&proposal.entries, branch).is_err() {
        // Reported where it was noticed.
        return (Proposal::default(), None);
    }
    proposal.entries.retain(|draft| !matches!(draft, Draft::Unknown(_)));
    if !proposal.continues {
        return (proposal, None);
    }
    let unusable = check_continuation(&proposal.entries, branch, runnable).err();
    proposal.continues = unusable.is_none();
    (proposal, unusable)
}

/// Only the owner of the command is asked.
impl Compose for CommandRun {
    type Folded = Option<CommandDecision>;
    const KIND: EventKind = EventKind::Command;

    fn concerns(&self, loaded: &Loaded) -> bool {
        loaded.commands.iter().any(|command| command.name == self.name)
    }

    fn offer(
        &mut self,
        decision: &mut Self::Folded,
        handler: Handler<'_>,
        context: &mut Context<'_>,
    ) -> Result<Flow, Stop> {
        handler.extension.run_command(self, context)?;
        *decision = Some(CommandDecision::Done);
        Ok(Flow::Stop)
    }

    fn fail(&self, decision: &mut Self::Folded, _: &str, message: &str, _: &Configuration) -> Flow {
        *decision = Some(CommandDecision::Failed { reason: message.to_owned() });
        Flow::Stop
    }

    fn decide(self, decision: Self::Folded, _: Branch<'_>, _: &mut Vec<Report>) -> CommandDecision {
        decision.unwrap_or(CommandDecision::Unknown)
    }
}

/// Only the owner of the tool is asked.
impl Compose for ToolRun {
    type Folded = Option<ToolOutput>;
    const KIND: EventKind = EventKind::Tool;

    fn concerns(&self, loaded: &Loaded) -> bool {
        loaded.tools.iter().any(|tool| tool.name == self.name)
    }

    fn offer(
        &mut self,
        output: &mut Self::Folded,
        handler: Handler<'_>,
        context: &mut Context<'_>,
    ) -> Result<Flow, Stop> {
        *output = Some(handler.extension.run_tool(self, context)?);
        Ok(Flow::Stop)
    }

    fn fail(&self, output: &mut Self::Folded, _: &str, message: &str, _: &Configuration) -> Flow {
        *output = Some(ToolOutput::error(message));
        Flow::Stop
    }

    fn decide(self, output: Self::Folded, _: Branch<'_>, _: &mut Vec<Report>) -> ToolOutput {
        output.unwrap_or_else(|| ToolOutput::error(format!("Tool {} not found", self.name)))
    }
}
