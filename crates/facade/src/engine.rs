//! How handlers compose.
//!
//! One loop for every event, [`Engine::drive`], which asks the extensions in their order; and for each kind of event, at the
//! end of this file, what is done with an answer, with a failure, and at the end.

use crate::boundary::{Draft, Proposal, ProposalChange, Unusable, check_continuation, check_entries};
use crate::builder::{Builder, Slot};
use crate::configuration::{Configuration, SettingsInput};
use crate::decision::{
    AgentStartDecision, Block, Changes, CommandDecision, InputDecision, Outcome, Report, ResultChanges,
    ToolCallDecision, ToolOutput, TrustDecision, UserBashDecision, Verdict,
};
use crate::diagnostic::{Diagnostic, Problem};
use crate::effect::{Effect, Level};
use crate::event::{
    AgentEnd, AgentSettled, AgentStart, BeforeAgentStart, BeforeSettle, CommandRun, EventKind, Input,
    ModelContext, ProjectTrust, ProviderRequest, SessionShutdown, SessionStart, ToolCall, ToolResult,
    ToolRun, TurnEnd, UserBash,
};
use crate::extension::{
    Answered, Asked, CommandSpec, Context, Extension, InputAnswer, Stop, ToolCallAnswer, ToolSpec,
};
use crate::locale::Language;
use crate::question::{Answer, Question, Ui};
use crate::session::{Branch, SessionView, Setup};
use crate::text;
use brakeline_settings::Reported;
use serde_json::Value;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs extensions in their order. One engine serves one session; a process may have any number of them.
///
/// It never runs an agent: it is given events and gives decisions back.
///
/// ```
/// use brakeline::{Builder, Setup, Step, ToolCall, SessionView, Verdict};
/// use brakeline_settings::Trust;
/// use serde_json::json;
///
/// let setup = Setup { cwd: Some("/srv/app".to_owned()), ..Setup::new("s1") };
/// let mut engine = Builder::new(setup).built_ins().build(Trust::Trusted)?;
///
/// let input = json!({"path": "/", "pattern": "*.rs"}).as_object().unwrap().clone();
/// let call = ToolCall { tool: "find".to_owned(), id: "c1".to_owned(), parent: None, input };
/// let Step::Done(outcome) = engine.handle(call, SessionView::default()) else { unreachable!("nothing is asked") };
/// # #[cfg(feature = "block-find")]
/// match outcome.decision.verdict {
///     Verdict::Block(block) => assert!(block.reason.starts_with("find is not allowed in /")),
///     Verdict::Allow => unreachable!("the root is forbidden"),
/// }
/// # Ok::<(), brakeline::BuildError>(())
/// ```
pub struct Engine {
    configuration: Configuration,
    loaded: Vec<Loaded>,
    reported: Reported,
    /// Diagnostics that no outcome has told the user of.
    untold: Vec<Diagnostic>,
}

/// An extension, and what it registered.
pub(crate) struct Loaded {
    name: String,
    slot: Slot,
    extension: Box<dyn Extension>,
    is_on: bool,
    problems: Vec<Problem>,
    commands: Vec<CommandSpec>,
    tools: Vec<ToolSpec>,
}

impl Loaded {
    pub(crate) fn new(
        name: String,
        slot: Slot,
        extension: Box<dyn Extension>,
        is_on: bool,
        problems: Vec<Problem>,
        language: Language,
    ) -> Self {
        let (commands, tools) = (extension.commands(language), extension.tools(language));
        Self { name, slot, extension, is_on, problems, commands, tools }
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn commands(&self) -> &[CommandSpec] {
        &self.commands
    }

    pub(crate) fn tools(&self) -> &[ToolSpec] {
        &self.tools
    }
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.loaded.iter().map(|loaded| &loaded.name).collect();
        f.debug_struct("Engine")
            .field("configuration", &self.configuration)
            .field("extensions", &names)
            .finish_non_exhaustive()
    }
}

/// How far an operation came: to its end, or to a question.
#[must_use = "a question waits for its answer"]
#[derive(Debug)]
pub enum Step<E: Event> {
    /// It is done.
    Done(Outcome<E::Decision>),
    /// It waits for an answer: hand it to [`Engine::resume`], or drop it to give the operation up, and its effects so far with
    /// it. A tool call that is given up must not run.
    Ask(Suspended<E>),
}

/// An operation that waits for an answer. It holds nothing of the engine, which may handle other events meanwhile.
#[derive(Debug)]
pub struct Suspended<E: Event> {
    running: Running<E>,
    asked: Asked,
}

impl<E: Event> Suspended<E> {
    /// Returns what is asked.
    #[must_use]
    pub fn question(&self) -> &Question {
        &self.asked.question
    }
}

/// An event on its way through the extensions.
#[derive(Debug)]
struct Running<E: Event> {
    event: E,
    /// What the answers so far come to.
    folded: E::Folded,
    /// The index of the extension that is asked.
    at: usize,
    /// What the user answered to the questions of that extension.
    answers: Vec<Answered>,
    effects: Vec<Effect>,
    reports: Vec<Report>,
}

/// A kind of event. Sealed: hosts hand the types of this crate to [`Engine::handle`].
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

impl Engine {
    /// Returns a builder: the same as [`Builder::new`].
    pub fn builder(setup: Setup) -> Builder {
        Builder::new(setup)
    }

    pub(crate) fn new(configuration: Configuration, loaded: Vec<Loaded>) -> Self {
        let mut engine = Self { configuration, loaded, reported: Reported::default(), untold: Vec::new() };
        engine.note_news(&[]);
        engine
    }

    /// Handles an event.
    ///
    /// An outcome may hold effects even where its decision is nothing: the host carries them out.
    pub fn handle<E: Event>(&mut self, event: E, view: SessionView<'_>) -> Step<E> {
        let effects = if E::STARTS_SESSION { self.tell_news() } else { Vec::new() };
        let running = Running {
            event,
            folded: E::Folded::default(),
            at: 0,
            answers: Vec::new(),
            effects,
            reports: Vec::new(),
        };
        self.drive(running, view)
    }

    /// Goes on with an operation, with the answer to its question. An answer that does not fit the question makes the handler
    /// that asked fail.
    ///
    /// The operation goes on in the engine that it began in.
    pub fn resume<E: Event>(
        &mut self,
        suspended: Suspended<E>,
        answer: Answer,
        view: SessionView<'_>,
    ) -> Step<E> {
        let mut running = suspended.running;
        running.answers.push(Answered { asked: suspended.asked, answer });
        self.drive(running, view)
    }

    /// Handles an event and asks what there is to ask, for hosts that can wait.
    ///
    /// ```
    /// use brakeline::{AgentStart, Builder, NoUi, SessionView, Setup};
    /// use brakeline_settings::Trust;
    ///
    /// let mut engine = Builder::new(Setup::new("s1")).built_ins().build(Trust::Trusted)?;
    /// let outcome = engine.handle_with(AgentStart, SessionView::default(), &mut NoUi);
    /// assert!(outcome.reports.is_empty());
    /// # Ok::<(), brakeline::BuildError>(())
    /// ```
    pub fn handle_with<E: Event>(
        &mut self,
        event: E,
        view: SessionView<'_>,
        ui: &mut dyn Ui,
    ) -> Outcome<E::Decision> {
        let mut step = self.handle(event, view);
        loop {
            match step {
                Step::Done(outcome) => return outcome,
                Step::Ask(suspended) => {
                    let answer = ui.ask(suspended.question());
                    step = self.resume(suspended, answer, view);
                }
            }
        }
    }

    /// Asks one extension after the other, until one of them stops the chain or asks the user.
    fn drive<E: Event>(&mut self, mut running: Running<E>, view: SessionView<'_>) -> Step<E> {
        while let Some(loaded) = self.loaded.get_mut(running.at) {
            if !loaded.is_on || !running.event.concerns(loaded) {
                running.at += 1;
                continue;
            }
            let (name, extension) = (loaded.name.as_str(), &mut *loaded.extension);
            let Running { event, folded, answers, .. } = &mut running;
            let mut context = Context::new(&self.configuration, view, answers);
            let answer = guarded(|| event.offer(folded, Handler { name, extension }, &mut context));
            let (asked, effects) = context.into_parts();
            // A question that the handler kept to itself is a question all the same.
            if let Some(asked) = asked {
                return Step::Ask(Suspended { running, asked });
            }
            running.effects.extend(effects);
            running.answers.clear();
            running.at += 1;
            let flow = answer.unwrap_or_else(|Stop(why)| {
                let message = why.to_string();
                let flow = running.event.fail(&mut running.folded, name, &message, &self.configuration);
                running.reports.push(Report { extension: name.to_owned(), event: E::KIND.name(), message });
                flow
            });
            if let Some(unusable) = running.event.judge(&running.folded, view.branch) {
                let report = Report {
                    extension: name.to_owned(),
                    event: E::KIND.name(),
                    message: unusable.to_string(),
                };
                running.reports.push(report);
            }
            if flow == Flow::Stop {
                break;
            }
        }
        let Running { event, folded, effects, mut reports, .. } = running;
        let decision = event.decide(folded, view.branch, &mut reports);
        Step::Done(Outcome { decision, effects, reports })
    }

    /// Takes up settings that changed. An extension that they switch off is told that the session ends, for it.
    ///
    /// Settings that are the same as before cost a comparison.
    pub fn configure(&mut self, settings: Value) -> Outcome<()> {
        let mut outcome = Outcome::default();
        if settings == *self.configuration.effective() {
            return outcome;
        }
        let setup = self.configuration.setup().clone();
        let input = SettingsInput::of_value(&setup, settings);
        self.configuration = Configuration::new(setup, input);
        let before = self.problems();
        for loaded in &mut self.loaded {
            let was_on = loaded.is_on;
            loaded.is_on = self.configuration.is_on(&loaded.name).unwrap_or(true);
            let mut context = Context::new(&self.configuration, SessionView::default(), &[]);
            let done = match (was_on, loaded.is_on) {
                (_, true) => guarded(|| loaded.extension.configure(&self.configuration)),
                (true, false) => guarded(|| {
                    let event = SessionShutdown { reason: "disabled".to_owned() };
                    loaded.extension.session_shutdown(&event, &mut context).map(|()| Vec::new())
                }),
                (false, false) => Ok(Vec::new()),
            };
            outcome.effects.extend(context.into_parts().1);
            match done {
                Ok(problems) => loaded.problems = problems,
                Err(Stop(why)) => {
                    let message = why.to_string();
                    let extension = loaded.name.clone();
                    outcome.reports.push(Report { extension, event: "configure", message });
                }
            }
        }
        self.note_news(&before);
        outcome.effects.extend(self.tell_news());
        outcome
    }

    /// Returns the settings, and what else is fixed for the session.
    #[must_use]
    pub fn configuration(&self) -> &Configuration {
        &self.configuration
    }

    /// Returns what of the configuration cannot be used. A `session_start` tells the user of it, once.
    #[must_use]
    pub fn diagnostics(&self) -> Vec<Diagnostic> {
        let settings = self.configuration.unusable().iter().cloned();
        let settings = settings.map(|problem| Diagnostic { extension: None, problem: problem.into() });
        settings.chain(self.problems()).collect()
    }

    fn problems(&self) -> Vec<Diagnostic> {
        let of = |loaded: &Loaded, problem: &Problem| Diagnostic {
            extension: Some(loaded.name.clone()),
            problem: problem.clone(),
        };
        let all = self.loaded.iter().filter(|loaded| loaded.is_on);
        all.flat_map(|loaded| loaded.problems.iter().map(move |problem| of(loaded, problem))).collect()
    }

    /// Notes the diagnostics that were not there before.
    fn note_news(&mut self, before: &[Diagnostic]) {
        let settings = self.reported.news(self.configuration.unusable().to_vec());
        let settings =
            settings.into_iter().map(|problem| Diagnostic { extension: None, problem: problem.into() });
        let problems = self.problems().into_iter().filter(|problem| !before.contains(problem));
        self.untold.extend(settings.chain(problems));
    }

    fn tell_news(&mut self) -> Vec<Effect> {
        let language = self.configuration.setup().language;
        let news = std::mem::take(&mut self.untold).into_iter();
        news.map(|news| Effect::Notify { level: Level::Warning, message: news.text(language) }).collect()
    }

    /// Returns the names of the extensions that are on, in the order of their handlers.
    pub fn extensions(&self) -> impl Iterator<Item = &str> {
        self.loaded.iter().filter(|loaded| loaded.is_on).map(|loaded| loaded.name.as_str())
    }

    /// Returns the kinds of event that some extension that is on handles; others need not be sent.
    #[must_use]
    pub fn wanted_events(&self) -> Vec<EventKind> {
        let wants = |kind: &EventKind| {
            self.loaded.iter().any(|loaded| loaded.is_on && loaded.extension.events().contains(kind))
        };
        EventKind::ALL.into_iter().filter(wants).collect()
    }

    /// Returns whether some extension that is on reads an entry of the session; others may be left out of a
    /// [`Branch::part`].
    #[must_use]
    pub fn reads_entry(&self, entry: &Value) -> bool {
        self.loaded.iter().any(|loaded| loaded.is_on && loaded.extension.reads_entry(entry))
    }

    /// Returns the commands of all extensions that are on.
    pub fn commands(&self) -> impl Iterator<Item = &CommandSpec> {
        self.loaded.iter().filter(|loaded| loaded.is_on).flat_map(|loaded| &loaded.commands)
    }

    /// Returns the tools of all extensions that are on, offered or not: those that a host registers.
    pub fn tools(&self) -> impl Iterator<Item = &ToolSpec> {
        self.loaded.iter().filter(|loaded| loaded.is_on).flat_map(|loaded| &loaded.tools)
    }

    /// Returns the tools that the model is offered in a session that stands as `view`.
    pub fn offered_tools(&self, view: SessionView<'_>) -> impl Iterator<Item = &ToolSpec> {
        let all = self.loaded.iter().filter(|loaded| loaded.is_on);
        all.flat_map(move |loaded| {
            let offers =
                move |tool: &&ToolSpec| loaded.extension.offers(&tool.name, view, &self.configuration);
            loaded.tools.iter().filter(offers)
        })
    }
}

/// Runs a handler; a panic is a failure, where the program unwinds.
///
/// What the handler left half done in its extension is as after an error: its own affair.
pub(crate) fn guarded<T>(run: impl FnOnce() -> Result<T, Stop>) -> Result<T, Stop> {
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
        let text = text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
        Err(Stop::failure(format_args!("panicked: {text}")))
    })
}

/// Whether the next extension is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flow {
    Next,
    Stop,
}

/// The extension that is asked.
pub(crate) struct Handler<'a> {
    name: &'a str,
    extension: &'a mut dyn Extension,
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
