//! Lets the agent stop only after the user confirmed a condition.
//!
//! What is decided, and in which words, is `guard-eval`'s; here it meets the events. How a session stands comes from its
//! entries alone.

use crate::boundary::{Draft, Proposal, ProposalChange};
use crate::configuration::Configuration;
use crate::decision::ToolOutput;
use crate::effect::{CustomMessage, Effect, Level};
use crate::event::{
    BeforeAgentStart, BeforeSettle, CommandRun, EventKind, RunOutcome, SessionStart, ToolRun, TurnEnd,
};
use crate::extension::{AgentStartAnswer, CommandSpec, Context, Extension, Stop, ToolSpec};
use crate::locale::Language;
use crate::question::{Answer, Question};
use crate::session::SessionView;
use crate::text;
use guard_eval::{
    Choice, Entry, GUARD_CHECK, GuardState, Locale, NewEntry, Outcome, Settings, Settle, Text, auto_guard,
    decide, parse_command, project,
};
use serde_json::{Value, json};

/// The name of the command, and of the status.
const GUARD: &str = "guard";

/// The extension.
#[derive(Debug, Default)]
pub(crate) struct GuardLoop {
    /// What the host was last told. No state of the session: it spares the host what it knows.
    shown: Option<Shown>,
}

/// How often the agent was sent on and may be, while a guard is in force.
type Shown = Option<(u32, u32)>;

impl Extension for GuardLoop {
    fn events(&self) -> &[EventKind] {
        &[
            EventKind::SessionStart,
            EventKind::BeforeAgentStart,
            EventKind::TurnEnd,
            EventKind::BeforeSettle,
            EventKind::Command,
            EventKind::Tool,
        ]
    }

    fn reads_entry(&self, entry: &Value) -> bool {
        entry.fact().is_some()
    }

    fn commands(&self, language: Language) -> Vec<CommandSpec> {
        vec![CommandSpec { name: GUARD.to_owned(), description: say(Text::CommandDescription, language) }]
    }

    fn tools(&self, language: Language) -> Vec<ToolSpec> {
        vec![ToolSpec {
            name: GUARD_CHECK.to_owned(),
            description: say(Text::ToolDescription, language),
            parameters: json!({
                "type": "object",
                "properties": {"note": {"type": "string", "description": say(Text::NoteDescription, language)}},
            }),
            sequential: false,
        }]
    }

    fn offers(&self, _: &str, view: SessionView<'_>, configuration: &Configuration) -> bool {
        state(view, &settings(configuration)).guard.is_some()
    }

    fn session_start(&mut self, _: &SessionStart, context: &mut Context<'_>) -> Result<(), Stop> {
        let settings = settings(context.configuration());
        let state = state(context.view(), &settings);
        let auto = auto_guard(context.view().branch.entries(), &settings);
        // A host that starts a session may know nothing of what the last one offered.
        self.shown = None;
        let Some(entries) = auto else {
            self.show(state.guard.map(|guard| guard.used), state.limit, context);
            return Ok(());
        };
        append(&entries, context)?;
        if let Some(condition) = settings.auto_condition() {
            let text = say(Text::GuardSetBySettings { condition }, context.language());
            context.notify(Level::Info, text);
        }
        self.show(Some(0), state.limit, context);
        Ok(())
    }

    /// Branches may have been switched, and a summary may have taken the condition away.
    fn before_agent_start(
        &mut self,
        _: &BeforeAgentStart,
        context: &mut Context<'_>,
    ) -> Result<AgentStartAnswer, Stop> {
        let settings = settings(context.configuration());
        let state = state(context.view(), &settings);
        self.show(state.guard.map(|guard| guard.used), state.limit, context);
        let untold = state.guard.filter(|guard| !guard.condition_sent);
        let message =
            untold.map(|guard| message(NewEntry::ConditionMessage(guard.condition), context.language()));
        Ok(AgentStartAnswer { message: message.transpose()?, system_prompt: None })
    }

    /// A summary that was made within a run took the condition away.
    fn turn_end(
        &mut self,
        event: &TurnEnd,
        proposal: &Proposal,
        context: &mut Context<'_>,
    ) -> Result<ProposalChange, Stop> {
        let settings = settings(context.configuration());
        let guard = state(context.view(), &settings).guard;
        match guard.filter(|guard| !guard.condition_sent && event.outcome == RunOutcome::Completed) {
            None => Ok(ProposalChange::default()),
            Some(guard) => {
                let entry = draft(NewEntry::ConditionMessage(guard.condition), context.language())?;
                Ok(ProposalChange::adding(proposal, [entry]))
            }
        }
    }

    fn before_settle(
        &mut self,
        event: &BeforeSettle,
        proposal: &Proposal,
        context: &mut Context<'_>,
    ) -> Result<ProposalChange, Stop> {
        let settings = settings(context.configuration());
        let state = state(context.view(), &settings);
        let outcome = match event.outcome {
            RunOutcome::Completed => Outcome::Completed,
            RunOutcome::Aborted => Outcome::Aborted,
            RunOutcome::Error => Outcome::Error,
        };
        let settle = decide(outcome, &state);
        let language = context.language();
        match settle {
            Settle::Ignore => return Ok(ProposalChange::default()),
            Settle::Release { .. } => {
                if let Some(notice) = settle.notice() {
                    context.notify(Level::Info, say(notice, language));
                }
                self.show(None, state.limit, context);
            }
            // The user gets to see the message itself.
            Settle::Continue { number, limit } => self.show(Some(number), limit, context),
        }
        let entries = settle.entries().into_iter().map(|entry| draft(entry, language));
        let entries = entries.collect::<Result<Vec<_>, _>>()?;
        let change = ProposalChange::adding(proposal, entries);
        Ok(if settle.continues() { change.continuing(true) } else { change })
    }

    fn run_command(&mut self, run: &CommandRun, context: &mut Context<'_>) -> Result<(), Stop> {
        let language = context.language();
        let command = match parse_command(&run.arguments) {
            Ok(command) => command,
            Err(error) => {
                context.notify(Level::Error, say(Text::Refused { error }, language));
                return Ok(());
            }
        };
        let settings = settings(context.configuration());
        let before = state(context.view(), &settings);
        let effect = command.effect(&before);
        append(&effect.entries, context)?;
        context.notify(Level::Info, say(effect.reply, language));
        // How the session stands once the entries are stored.
        let branch = context.view().branch.entries().iter().filter_map(Entry::fact);
        let facts: Vec<_> = branch.chain(effect.entries.iter().filter_map(Entry::fact)).collect();
        let after = project(&facts, &settings);
        self.show(after.guard.map(|guard| guard.used), after.limit, context);
        Ok(())
    }

    fn run_tool(&mut self, run: &ToolRun, context: &mut Context<'_>) -> Result<ToolOutput, Stop> {
        let settings = settings(context.configuration());
        let language = context.language();
        let Some(guard) = state(context.view(), &settings).guard else {
            return Ok(output(guard_eval::Answer::NoGuard, language));
        };
        let note = run.input.get("note").and_then(Value::as_str);
        let options = Choice::ALL.map(|choice| say(choice.text(), language)).to_vec();
        let title = say(Text::CheckTitle { condition: guard.condition, note }, language);
        let question = Question::Select { title, options, timeout: settings.ask_timeout() };
        let (answer, asked) = context.ask_about(question, guard.condition.as_str())?;
        if asked != guard.condition.as_str() {
            // Another guard was set meanwhile: nobody has been asked about that one.
            return Ok(output(guard_eval::Answer::NotYet { missing: None }, language));
        }
        let choice = match answer {
            Answer::Selected(index) => Choice::ALL.get(index),
            Answer::NoUi => return Ok(output(guard_eval::Answer::NoUi, language)),
            Answer::TimedOut => return Ok(output(guard_eval::Answer::Timeout, language)),
            _ => None,
        };
        match choice {
            None => Ok(output(guard_eval::Answer::Dismissed, language)),
            Some(Choice::Satisfied) => Ok(output(guard_eval::Answer::Satisfied, language)),
            Some(Choice::NotYet) => {
                let title = say(Text::AskMissing, language);
                let question = Question::Input { title, placeholder: None, timeout: settings.ask_timeout() };
                let missing = match context.ask(question)? {
                    Answer::Text(text) => Some(text),
                    _ => None,
                };
                Ok(output(guard_eval::Answer::NotYet { missing: missing.as_deref() }, language))
            }
        }
    }
}

impl GuardLoop {
    /// Shows how often the agent was sent on, and offers the tool, while a guard is in force.
    fn show(&mut self, used: Option<u32>, limit: u32, context: &mut Context<'_>) {
        let now = used.map(|used| (used, limit));
        let before = self.shown.replace(now);
        if before == Some(now) {
            return;
        }
        let text = now.map(|(used, limit)| text::guard_status(used, limit, context.language()));
        context.effect(Effect::SetStatus { key: GUARD.to_owned(), text });
        if before.is_some_and(|before| before.is_some() == now.is_some()) {
            return;
        }
        let (tool, none) = (vec![GUARD_CHECK.to_owned()], Vec::new());
        let (add, remove) = if now.is_some() { (tool, none) } else { (none, tool) };
        context.effect(Effect::SetActiveTools { add, remove });
    }
}

fn settings(configuration: &Configuration) -> Settings {
    let settings = &configuration.settings().guard_loop;
    Settings {
        max_continuations: settings.max_continuations,
        ask_timeout_ms: settings.ask_timeout_ms,
        auto: settings.auto.clone(),
    }
}

fn state<'a>(view: SessionView<'a>, settings: &Settings) -> GuardState<'a> {
    project(view.branch.entries(), settings)
}

fn locale(language: Language) -> Locale {
    match language {
        Language::ZhCn => Locale::ZhCn,
        Language::En => Locale::En,
    }
}

fn say(text: Text<'_>, language: Language) -> String {
    text.in_locale(locale(language)).to_string()
}

fn draft(entry: NewEntry<'_>, language: Language) -> Result<Draft, Stop> {
    Ok(Draft::from_value(entry.to_value(locale(language)))?)
}

fn message(entry: NewEntry<'_>, language: Language) -> Result<CustomMessage, Stop> {
    match draft(entry, language)? {
        Draft::CustomMessage(message) => Ok(message),
        _ => Err(Stop::failure("the entry is no message")),
    }
}

/// Stores entries at once; none of them starts a turn.
fn append(entries: &[NewEntry<'_>], context: &mut Context<'_>) -> Result<(), Stop> {
    for entry in entries {
        match draft(*entry, context.language())? {
            Draft::Custom { custom_type, data } => context.effect(Effect::AppendEntry { custom_type, data }),
            Draft::CustomMessage(message) => {
                context.effect(Effect::SendMessage { message, starts_turn: false });
            }
            _ => return Err(Stop::failure("the entry is neither state nor message")),
        }
    }
    Ok(())
}

fn output(answer: guard_eval::Answer<'_>, language: Language) -> ToolOutput {
    let result = answer.result();
    ToolOutput {
        details: Some(result.details()),
        terminate: result.terminate,
        ..ToolOutput::text(say(result.content, language))
    }
}
